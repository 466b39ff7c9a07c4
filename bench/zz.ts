import { launchBrowser } from '../test/browser/chromium.ts'
const browser = await launchBrowser()
for (const [name, dark] of [['light', false], ['dark', true]] as const) {
  const page = await browser.newPage({ viewport: { width: 1366, height: 900 }, colorScheme: dark ? 'dark' : 'light' })
  page.on('pageerror', (e) => console.log('error', e.message))
  await page.goto(`file://${process.argv[2]}`)
  await page.waitForTimeout(6000)
  await page.screenshot({ path: `/tmp/h45/o/${process.argv[3]}-${name}.png`, fullPage: true })
}
await browser.close()

/*
 * node --import ./scripts/typescript.mjs scripts/recordReplay.ts REPORT.html OUT [SCENE] [TIME]
 *
 * A still of a replay of a report (`featherbed compare ... --out FOLDER`), as docs/real-robots.md has them. The models stand side by side;
 * SCENE is the place of the scene among the report's tabs, from 0, and TIME that of the run [s].
 */
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { launchBrowser } from '../test/browser/chromium.ts'

const viewport = { width: 1400, height: 800 }
const quality = 50
/** Runs that stand side by side. */
const models = 3

const [report, out, scene = '0', time = '0'] = process.argv.slice(2)
if (report === undefined || out === undefined)
  throw new Error('name a report and a file: recordReplay.ts results/report.html brake.webp')
const browser = await launchBrowser()
try {
  const page = await browser.newPage({ viewport, colorScheme: 'light' })
  page.setDefaultTimeout(120_000)
  await page.goto(pathToFileURL(resolve(report)).href)
  const tabs = page.locator('.scenes [role=tab]')
  if ((await tabs.count()) > 0) await tabs.nth(Number(scene)).click()
  const replay = page.locator('section.subject:not([hidden]) .replay').first()
  const view = replay.locator('.view')
  await view.scrollIntoViewIfNeeded()
  await view.locator('canvas').waitFor()
  const more = replay.getByLabel('Show another run')
  for (let shown = await replay.locator('.chip').count(); shown < models && (await more.count()) > 0; shown++)
    await more.selectOption({ index: 1 })
  await replay.getByLabel('How several runs are shown').selectOption('beside')
  await replay.getByLabel('Show everything').click()
  const slider = replay.getByLabel('Time')

  const devtools = await page.context().newCDPSession(page)
  // in the page's coordinates, where a bounding box is in the window's
  const clip = await view.evaluate(async (element) => {
    for (let frame = 0; frame < 10; frame++) await new Promise(requestAnimationFrame)
    const { x, y, width, height } = element.getBoundingClientRect()
    return {
      x: Math.round(x + scrollX),
      y: Math.round(y + scrollY),
      width: Math.floor(width),
      height: Math.floor(height),
      scale: 1,
    }
  })
  await slider.evaluate(async (element, time) => {
    const input = element as HTMLInputElement
    input.value = time
    input.dispatchEvent(new Event('input'))
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
  }, time)
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality, clip })
  writeFileSync(out, Buffer.from(data, 'base64'))
} finally {
  await browser.close()
}

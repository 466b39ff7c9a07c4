/*
 * node --import ./scripts/typescript.mjs scripts/recordReplay.ts REPORT.html [OUT] [SCENE] [TIME]
 *
 * Records a replay of a report (`featherbed compare ... --out FOLDER`) as an animated picture, docs/images/replay.webp by default: the moving
 * picture of README.md. The models stand side by side; SCENE is the place of the scene among the report's tabs, from 0. Frames are taken at
 * times of the run, not of the clock, so that a slow machine records the same motion. With TIME it is a still at that time [s].
 */
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { launchBrowser } from '../test/browser/chromium.ts'
import { animatedWebp } from './animatedWebp.ts'

const framesPerSecond = 12
const viewport = { width: 1400, height: 800 }
const quality = 50
/** Runs that stand side by side. */
const models = 3

const [report, out = fileURLToPath(new URL('../docs/images/replay.webp', import.meta.url)), scene = '0', time] =
  process.argv.slice(2)
if (report === undefined) throw new Error('name a report: recordReplay.ts results/report.html')
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
  const duration = await slider.evaluate((element) => Number((element as HTMLInputElement).max))

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
  const stills: Uint8Array[] = []
  const times = time
    ? [Number(time)]
    : Array.from({ length: Math.floor(duration * framesPerSecond) + 1 }, (_, k) => k / framesPerSecond)
  for (const t of times) {
    await slider.evaluate(async (element, t) => {
      const input = element as HTMLInputElement
      input.value = String(t)
      input.dispatchEvent(new Event('input'))
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
    }, t)
    const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality, clip })
    stills.push(Buffer.from(data, 'base64'))
  }
  const picture = time ? stills[0] : animatedWebp(stills, Math.round(1000 / framesPerSecond))
  writeFileSync(out, picture)
  process.stdout.write(`${out}: ${stills.length} frames, ${(picture.length / 1e6).toFixed(2)} MB\n`)
} finally {
  await browser.close()
}

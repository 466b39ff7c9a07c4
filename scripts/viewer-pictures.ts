/**
 * The pictures of docs/viewer.md and of the page's own first scenes, from the built page; build again after it.
 *
 *     npm run build && node --import ./scripts/typescript.mjs scripts/viewer-pictures.ts [front]
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../test/browser/chromium.ts'
import { serveFolder } from '../test/browser/staticServer.ts'
import { frontScenes } from '../viewer/front/scenes.ts'
import { animatedWebp } from './animatedWebp.ts'

const folder = fileURLToPath(new URL('../docs/images/', import.meta.url))
const server = await serveFolder(fileURLToPath(new URL('../dist/viewer', import.meta.url)))
const browser = await launchBrowser()

async function picture(
  name: string,
  query: string,
  {
    size = [1366, 768],
    seconds = 2,
    prepare,
  }: { size?: [number, number]; seconds?: number; prepare?: (page: Page) => Promise<void> },
): Promise<void> {
  const page = await browser.newPage({ viewport: { width: size[0], height: size[1] } })
  page.setDefaultTimeout(60_000)
  await page.goto(server.url + query)
  await page.waitForFunction(
    (seconds) => Number.parseFloat(document.querySelector('#time')?.textContent ?? '0') >= seconds,
    seconds,
  )
  await page.keyboard.press(' ')
  await prepare?.(page)
  await page.waitForTimeout(1500)
  await page.screenshot({ path: `${folder}${name}.jpg`, type: 'jpeg', quality: 72 })
  await page.close()
}

/** Moving picture of a first scene: its size [px], how much wider the stage is, its frames, and of the stage's parts those left out. */
interface Moving {
  readonly width: number
  readonly height: number
  readonly zoom: number
  readonly frames: number
  readonly without: string
}

/** Of a scene that is filmed [s]. */
const FILMED = 2.6

/** A first scene from its start, at the pace of simulated time. */
async function moving(name: string, file: string, { width, height, zoom, frames, without }: Moving): Promise<void> {
  const clip = { x: (0.5 * zoom - 0.5) * width, y: (0.5 * zoom - 0.5) * height, width, height, scale: 1 }
  const viewport = { width: Math.round(zoom * width), height: Math.round(zoom * height) }
  const page = await browser.newPage({ viewport, bypassCSP: true })
  page.setDefaultTimeout(120_000)
  await page.goto(`${server.url}?show=${name}&embed=1&theme=light&quality=high`)
  await page.addStyleTag({
    content: `#dock, ${without} { display: none !important } body { grid-template: "view" 1fr / 1fr !important }`,
  })
  await page.waitForFunction((seconds) => window.featherbed.session.time >= seconds, FILMED)
  const devtools = await page.context().newCDPSession(page)
  const stills: Uint8Array[] = []
  for (let k = 0; k < frames; k++) {
    await page.evaluate(
      (t) => window.featherbed.session.scrub(Math.round(t / window.featherbed.session.dt)),
      (k * FILMED) / frames,
    )
    await page.waitForFunction(() => window.featherbed.isSettled())
    const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: 45, clip })
    stills.push(Buffer.from(data, 'base64'))
  }
  writeFileSync(file, animatedWebp(stills, Math.round((1000 * FILMED) / frames)))
  await page.close()
}

const thumbnail = { width: 168, height: 112, zoom: 1.35, frames: 12, without: '#view > :not(canvas)' }
if (process.argv[2] !== 'bend')
  for (const { name } of frontScenes)
    await moving(name, fileURLToPath(new URL(`../viewer/front/${name}.webp`, import.meta.url)), thumbnail)
const wide = { width: 820, height: 430, zoom: 1, frames: 26, without: '.act-tools, #scale, #story' }
await moving('bend', `${folder}bend.webp`, wide)
if (process.argv[2] !== undefined) {
  await browser.close()
  await server.close()
  process.exit()
}

const tick = async (page: Page, ...names: string[]) => {
  await page.locator('.lil-title', { hasText: 'Overlays' }).click()
  for (const name of names) await page.getByRole('checkbox', { name, exact: true }).click()
}

const links = async (page: Page, link: string) => {
  await page.locator('#links summary').click()
  await page.locator('#links span', { hasText: link }).click()
}

await picture('page-first', '?show=bend', { seconds: 2 })
await picture('page-side-by-side', '?robot=scene: pile&models=ncp,mujoco&play=1', { seconds: 1.2 })
await picture('page-overlays', '?robot=quadruped&models=ncp&play=1', {
  prepare: async (page) => {
    await tick(
      page,
      'joint axes and limits',
      'effort against limit',
      'centre of mass',
      'support and pressure',
      'friction cones',
      'forces in newtons',
    )
    await links(page, 'front_left_thigh')
  },
})
await picture('page-links', '?robot=quadruped&models=ncp,penalty&play=1', {
  prepare: (page) => links(page, 'front_right_shank'),
})
await picture('page-links-dark', '?robot=scene: humanoid-carries&models=ncp&theme=dark&play=1', {
  seconds: 1,
  prepare: async (page) => {
    await tick(page, 'link frames', 'support and pressure', 'centre of mass')
    await links(page, 'humanoid/left_palm')
  },
})
await picture('page-overlays-dark', '?robot=humanoid&models=penalty,ncp&theme=dark&play=1', {
  prepare: (page) => tick(page, 'inertia boxes', 'convex parts', 'forces in newtons', 'trail of the centre of mass'),
})
await picture('page-split-dark', '?robot=humanoid&models=penalty,lcp,ncp,peg&theme=dark&play=1', {
  seconds: 1,
  prepare: async (page) => {
    await page.locator('.lil-controller', { hasText: 'shown' }).locator('select').selectOption('split views')
  },
})
await picture('page-plots', '?robot=quadruped&models=ncp,penalty&play=1', {
  seconds: 4,
  prepare: async (page) => {
    await page.locator('#plot').click()
    const search = page.locator('#plots input[type=search]')
    await search.fill('joint/front_left_knee_joint/position')
    await search.press('Enter')
  },
})
await picture('page-editor', '?robot=scene: stop-at-wall&models=ncp&play=1', {
  seconds: 0.5,
  prepare: async (page) => {
    await page.locator('#edit').click()
    await page.locator('#editor .cm-content').click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('frictoin: 3')
    await page.keyboard.press('Control+Enter')
  },
})
await picture('page-phone', '?robot=scene: trot-steps&models=ncp&play=1', { size: [390, 844], seconds: 3 })
await browser.close()
await server.close()

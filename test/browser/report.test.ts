/** A report as its reader opens it: from the disk, without a network, and played. */
import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { compare, resultsFile } from '../../compare/judge/compare.ts'
import { reportOf } from '../../compare/report/report.ts'
import { checkScenario } from '../../compare/scenario/index.ts'
import { temporaryFolder } from '../compare/command.ts'
import { builtViewer, dist, frames, type OpenPage } from './builtViewer.ts'

/** What these tests use of `window.featherbedReport`. */
interface Player {
  readonly state: {
    readonly time: number
    readonly shown: readonly string[]
    readonly actors?: number
    readonly position?: readonly number[]
    readonly isDrawn?: boolean
  }
  readonly charts: { cursors(): readonly number[] }
}
declare global {
  interface Window {
    featherbedReport: { readonly players: readonly Player[] }
  }
}

const block = fileURLToPath(new URL('../../docs/examples/block.urdf', import.meta.url))
const folder = temporaryFolder()
const viewer = builtViewer()
let opened: OpenPage
let page: Page

const state = (player = 0) => page.evaluate((i) => window.featherbedReport.players[i].state, player)
const cursors = () => page.evaluate(() => window.featherbedReport.players[0].charts.cursors())

beforeAll(async () => {
  if (!existsSync(`${dist}/report/page.js`))
    throw new Error('dist/report is not there: run `npm run build:page` before this test.')
  const scenario = await checkScenario({
    robots: ['diffdrive', block],
    models: ['penalty', 'ncp'],
    dt: [5e-3],
    duration: 0.5,
  })
  const comparison = await compare(scenario, { threads: 0 })
  const file = folder.write(
    'report.html',
    reportOf(resultsFile([comparison], { command: 'featherbed compare', load: { processors: 2, load: 0 } }), [comparison.plots]),
  )
  opened = await viewer.openAddress(pathToFileURL(file).href, { offline: true, width: 800 })
  page = opened.page
  await page.waitForFunction(() => {
    const { players } = window.featherbedReport
    return (players[0].state.actors ?? 0) > 0
  })
})
test('asks for nothing but itself', () => {
  expect(opened.requests).toHaveLength(1)
})

test('the slider moves the scene and the cursor of every chart', async () => {
  const before = await state()
  await page.locator('.replay input[type=range]').first().fill('0.5')
  const after = await state()
  expect(after.time).toBe(0.5)
  expect(after.position).not.toEqual(before.position)
  const at = await cursors()
  expect(at.length).toBe(4)
  for (const t of at) expect(t).toBeCloseTo(0.5, 2)
})

test('bookmarks stand where runs part or break a law; a click or a key goes there', async () => {
  const marks = page.locator('.replay').first().locator('.marks button')
  const times = await marks.evaluateAll((all) => all.map((mark) => Number((mark as HTMLButtonElement).value)))
  expect(times.length).toBeGreaterThan(0)
  await marks.first().click()
  expect((await state()).time).toBeCloseTo(times[0], 12)
  expect(await marks.first().getAttribute('aria-label')).toMatch(/^[\d.]+ s, (penalty|ncp), 5 ms: /)
  await page.locator('.replay input[type=range]').first().fill('0')
  await page.keyboard.press(']')
  expect((await state()).time).toBeCloseTo(times.find((t) => t > 0.0005) as number, 12)
  await page.locator('.replay input[type=range]').first().fill('0.5')
  await page.keyboard.press('[')
  expect((await state()).time).toBeCloseTo(times.findLast((t) => t < 0.4995) as number, 12)
})

test('the scene is drawn, and is another picture at another time', async () => {
  const pictureAt = async (time: string) => {
    await page.locator('.replay input[type=range]').first().fill(time)
    await page.waitForFunction(() => window.featherbedReport.players[0].state.isDrawn)
    await frames(page, 2)
    return (await page.locator('.view').first().screenshot()).toString('base64')
  }
  const first = await pictureAt('0')
  expect(await pictureAt('0.5')).not.toBe(first)
})

test('pointing at a chart moves the time of all charts and of the scene', async () => {
  const chart = page.locator('.over-time .u-over').first()
  await chart.scrollIntoViewIfNeeded()
  const { width = 0, height = 0 } = (await chart.boundingBox()) ?? {}
  await chart.hover({ position: { x: 0.25 * width, y: 0.5 * height } })
  const { time } = await state()
  expect(time).toBeCloseTo(0.125, 2)
  for (const t of await cursors()) expect(t).toBeCloseTo(0.125, 2)
})

test('plays to the end and stops there', async () => {
  await page.locator('.replay input[type=range]').first().fill('0.4')
  await page.getByRole('button', { name: 'Play' }).first().click()
  await page.waitForFunction(() => window.featherbedReport.players[0].state.time === 0.5)
  expect(await page.getByRole('button', { name: 'Play' }).first().count()).toBe(1)
})

test('other runs come onto the stage and leave it, side by side or as ghosts', async () => {
  expect((await state()).shown).toHaveLength(2)
  await page.locator('.cast').first().locator('.chip button').last().click()
  await page.waitForFunction(() => window.featherbedReport.players[0].state.actors === 1)
  await page.locator('.cast select').first().selectOption({ index: 1 })
  await page.waitForFunction(() => window.featherbedReport.players[0].state.actors === 2)
  await page.getByLabel('How several runs are shown').first().selectOption('beside')
  await page.waitForFunction(() => document.querySelectorAll('.labels span').length === 2)
})

test('a tab shows another scene, which takes the stage', async () => {
  await page.getByRole('tab').nth(1).click()
  await page.waitForFunction(() => window.featherbedReport.players[1].state.actors === 2)
  expect(await page.locator('section.subject:visible').count()).toBe(1)
})

test('nothing was complained of', () => {})

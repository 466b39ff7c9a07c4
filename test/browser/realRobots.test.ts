/** Robots that others made, dropped as the folder they come in: the page shows and runs them, to Node's bits. */
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadRobotFile } from '../../robots/files.ts'
import { daily, full, whole } from '../dailyModels.ts'
import { builtViewer, runTo, saved, settled } from './builtViewer.ts'
import { advance, createWorld } from './inNode.ts'
import { expectAsCore, shownOverlays } from './overlays.ts'
import { compared } from './pictures.ts'

const root = process.env.FEATHERBED_ROBOTS ?? ''
const robots = [
  { name: 'Atlas', folder: 'atlas', file: 'drake_models/atlas/atlas_convex_hull.urdf', nq: 37 },
  { name: 'A1', folder: 'a1', file: 'a1_description/urdf/a1.urdf', nq: 19 },
  { name: 'TurtleBot3', folder: 'turtlebot3', file: 'turtlebot3_description/urdf/turtlebot3_burger.urdf', nq: 9 },
]
if (root === '') console.log('not run: A1, TurtleBot3 and Atlas on the page; set FEATHERBED_ROBOTS')
else if (!full) console.log('not run: A1 and TurtleBot3 on the page; set FEATHERBED_FULL')

const models = ['penalty', 'ncp']
const dt = 1e-3

const viewer = builtViewer()

describe.runIf(root !== '').each(daily(robots, 1))('$name', ({ folder, file, nq }) => {
  let page: Page
  beforeAll(async () => {
    ;({ page } = await viewer.open(`?robot=diffdrive&models=${models.join()}&dt=${dt}&play=0`, { draws: true }))
    await page.locator('#folder').setInputFiles(join(root, folder))
    const choice = page.locator('#panel select').first()
    const label = file.slice(file.lastIndexOf('/') + 1)
    await choice.locator('option', { hasText: label }).waitFor({ state: 'attached' })
    if ((await choice.inputValue()) !== label) await choice.selectOption({ label })
    await page.waitForFunction((nq) => {
      const { lanes } = window.featherbed.session
      const isThere = lanes.every(({ history }) => history.at(0)?.q.length === nq)
      return isThere && document.getElementById('busy')?.hidden === true
    }, nq)
  })
  afterAll(() => page?.close())

  test('stands on the page whole, and its first picture is like its third', async () => {
    await settled(page)
    const pictures: Buffer[] = []
    for (let k = 0; k < 3; k++) pictures.push(await page.locator('#canvas').screenshot())
    const { differing, colours } = await compared(page, pictures[0], pictures[2])
    expect(differing).toBeLessThan(0.005) // nothing moves; marks in the way once took more than a third
    expect(colours).toBeGreaterThan(20)
    expect(await page.locator('#notice').isVisible()).toBe(false)
  })

  test('has the bits that it has in Node', async () => {
    const steps = 40
    await page.evaluate((steps) => {
      for (const lane of window.featherbed.session.lanes) lane.advance(steps, steps)
    }, steps)
    const hashes = () =>
      page.evaluate((steps) => {
        const { lanes } = window.featherbed.session
        return lanes.map((lane) => (lane.reached >= steps ? lane.history.at(steps)?.hash : undefined))
      }, steps)
    const robot = loadRobotFile(join(root, folder, file))
    const inNode = models.map((model) => advance(createWorld(robot, model, { dt }), steps).hash())
    await expect.poll(hashes).toEqual(inNode)
  })

  test('plays, and a plot, overlays and a fork are there, without a complaint', async () => {
    await page.locator('#play').click()
    await runTo(page, 60)
    await page.locator('#play').click()
    await page.locator('#plot').click()
    await expect.poll(() => page.locator('#plots canvas').count()).toBeGreaterThan(0)
    await page.locator('#plot').click()
    await page.locator('.lil-title', { hasText: 'Overlays' }).click()
    for (const name of ['centre of mass', 'support and pressure', 'friction cones', 'inertia boxes', 'joint axes and limits'])
      await page.getByRole('checkbox', { name, exact: true }).click()
    const { model } = loadRobotFile(join(root, folder, file))
    await expect
      .poll(async () => (await shownOverlays(page)).every(({ lines }) => lines['joint axes and limits']?.length > 0))
      .toBe(true)
    for (const shown of await shownOverlays(page)) {
      const { corners, spokes } = expectAsCore(model, shown)
      expect(corners).toBeGreaterThanOrEqual(2)
      expect(spokes).toBeGreaterThanOrEqual(4)
    }
    await page.locator('#fork').click()
    const form = page.locator('#fork-form')
    await form.getByLabel('contact model').selectOption('lcp')
    await form.getByRole('button', { name: 'Fork' }).click()
    await page.waitForFunction(() => window.featherbed.session.lanes.length === 3)
  })

  whole('is pushed, edited, recorded and passed on', async () => {
    await page.locator('#canvas').focus()
    await page.keyboard.press('x')
    const record = () => page.evaluate(() => window.featherbed.session.lanes[0].record())
    await expect.poll(record).toMatchObject([{ action: { type: 'push' } }])
    await page.locator('#edit').click()
    await expect.poll(() => page.locator('#editor .cm-content').textContent()).toMatch(/\S/)
    expect(await page.locator('#editor [role=tab]').first().textContent()).toBe(file.slice(file.lastIndexOf('/') + 1))
    await page.locator('#edit').click()
    for (const [button, ending] of [
      ['Save a recording (MCAP)', '.zip'], // two runs and a fork
      ['Save one .html that runs offline', '.html'],
    ]) {
      const { name, bytes } = await saved(page, button)
      expect(name).toContain(ending)
      expect(bytes.length).toBeGreaterThan(1e5)
    }
  })
})

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { loadOwnRobot } from '../../robots/files.ts'
import { whole } from '../dailyModels.ts'
import { builtViewer, goTo, settled } from './builtViewer.ts'
import { expectAsCore, shownOverlays } from './overlays.ts'
import { compared } from './pictures.ts'

const viewer = builtViewer()

const box = async (page: Page, selector: string) => (await page.locator(selector).boundingBox()) as Box

test('a link is selected in the tree, by keys and on the stage, and what is known of it is told', async () => {
  const { page } = await viewer.open('?robot=quadruped&models=ncp&play=0')
  await page.locator('#links summary').click()
  const selected = () => page.locator('#links [aria-selected="true"] > span').allTextContents()
  const facts = () => page.locator('#links dl').textContent()
  await page.locator('#links span', { hasText: 'front_left_thigh' }).click()
  expect(await selected()).toEqual(['front_left_thigh'])
  await expect.poll(facts).toMatch(/mass[\d.]+ kg.*front_left_thigh_joint.*rad \(.*°\) of.*effort.*contact force/s)
  await page.locator('#links [aria-selected="true"]').focus()
  await page.keyboard.press('ArrowRight')
  expect(await selected()).toEqual(['front_left_shank'])
  await page.keyboard.press('Escape')
  expect(await selected()).toEqual([])

  const { width, height } = await box(page, '#canvas')
  await page.locator('#canvas').click({ position: { x: width / 2, y: height / 2 } })
  await expect.poll(async () => (await selected()).length).toBe(1)
  await page.locator('#canvas').click({ position: { x: 20, y: 20 } })
  await expect.poll(async () => (await selected()).length).toBe(0)
})

test('overlays stand where the core has them, of each run, the picture stays as it is, and a key switches one', async () => {
  const { page } = await viewer.open('?robot=quadruped&models=penalty,ncp&dt=0.001&play=0', { draws: true })
  await goTo(page, 60, 10)
  await page.locator('.lil-title', { hasText: 'Overlays' }).click()
  for (const name of ['centre of mass', 'support and pressure', 'friction cones', 'forces in newtons'])
    await page.getByRole('checkbox', { name, exact: true }).click()
  const shown = () => shownOverlays(page)
  await expect
    .poll(async () => (await shown()).every(({ lines, notes }) => lines['friction cones'] && notes.length > 0))
    .toBe(true)
  await settled(page)
  const pictures: Buffer[] = []
  for (let k = 0; k < 3; k++) pictures.push(await page.locator('#view').screenshot())
  const { differing } = await compared(page, pictures[0], pictures[2])
  expect(differing).toBeLessThan(0.005) // the robots stand still; marks in the way once took more than a third
  const { model } = loadOwnRobot('quadruped')
  for (const own of await shown()) {
    const { corners, spokes } = expectAsCore(model, own)
    expect(corners).toBeGreaterThanOrEqual(3)
    expect(spokes).toBeGreaterThanOrEqual(12)
    for (const mu of own.mu) expect(mu).toBeCloseTo(0.8, 6) // that of the page
    expect(own.notes.map(({ text }) => text).join()).toMatch(/^[\d.]+ N(,[\d.]+ N)*$/)
  }
  expect(await page.locator('.see-legend').textContent()).toContain('sticks')
  await page.locator('#canvas').focus()
  await page.keyboard.press('m')
  await expect.poll(async () => (await shown()).some(({ lines }) => lines['centre of mass'])).toBe(false)
})

whole('where several robots share a world, each has a centre of mass and a support of its own', async () => {
  const { page } = await viewer.open('?robot=scene: treadmill&models=ncp&play=0')
  await goTo(page, 40, 10)
  await page.locator('#canvas').focus()
  await page.keyboard.press('m')
  await page.keyboard.press('u')
  const lines = async () => (await shownOverlays(page))[0].lines
  await expect.poll(async () => (await lines())['support and pressure']?.length > 18).toBe(true)
  // the quadruped's, alone with the belt, which has no support: four feet and a cross
  expect((await lines())['support and pressure']).toHaveLength(6 * (4 + 3))
})

test('a click on a robot shows the figures of its run; nothing covers the names of runs in split views', async () => {
  const { page } = await viewer.open('?robot=quadruped&models=penalty,ncp,lcp,mujoco&dt=0.001&play=0')
  await page.locator('.lil-controller', { hasText: 'shown' }).locator('select').selectOption('split views')
  await page.locator('#links summary').click()
  const run = page.locator('#links').getByLabel('Figures of')
  const labels = page.locator('#lane-labels.panes > span')
  await expect.poll(() => labels.count()).toBe(4)
  await page.locator('#canvas').focus()
  for (const key of ['m', 'q', 'j', 'o']) await page.keyboard.press(key)
  const { x, y, width, height } = await box(page, '#canvas')
  for (const [i, model] of ['penalty', 'ncp', 'lcp', 'mujoco'].entries()) {
    await page.mouse.click(x + width * (0.25 + 0.5 * (i % 2)), y + height * (0.25 + 0.5 * Math.floor(i / 2)))
    await expect.poll(() => page.locator('#links [aria-selected="true"]').count()).toBe(1)
    expect(await run.evaluate((select: HTMLSelectElement) => select.selectedOptions[0].textContent)).toBe(model)
  }
  const covers = await Promise.all(['.act-tools', '.see-legend'].map((name) => box(page, name)))
  for (const label of await labels.all()) {
    const own = (await label.boundingBox()) as Box
    for (const cover of covers) expect(meet(own, cover)).toBe(false)
  }
})

type Box = Readonly<Record<'x' | 'y' | 'width' | 'height', number>>
const meet = (a: Box, b: Box) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BuiltViewer, openBuiltViewer } from './builtViewer.ts'

let viewer: BuiltViewer
beforeAll(async () => {
  viewer = await openBuiltViewer()
})
afterAll(() => viewer?.close())

test('a link is selected in the tree, by keys and on the stage, and what is known of it is told', async () => {
  const { page, problems } = await viewer.open('?robot=quadruped&models=ncp&play=0')
  await page.locator('#links summary').click()
  const selected = () => page.locator('#links [aria-selected="true"] > span').allTextContents()
  const facts = () => page.locator('#links dl').textContent()
  await page.locator('#links span', { hasText: 'front_left_thigh' }).click()
  expect(await selected()).toEqual(['front_left_thigh'])
  await expect.poll(facts, { timeout: 20_000 }).toMatch(/mass[\d.]+ kg.*front_left_thigh_joint.*rad of.*effort.*contact force/s)
  await page.locator('#links [aria-selected="true"]').focus()
  await page.keyboard.press('ArrowRight')
  expect(await selected()).toEqual(['front_left_shank'])
  await page.keyboard.press('Escape')
  expect(await selected()).toEqual([])

  const { width, height } = (await page.locator('#canvas').boundingBox()) as { width: number; height: number }
  await page.locator('#canvas').click({ position: { x: width / 2, y: height / 2 } })
  await expect.poll(async () => (await selected()).length, { timeout: 20_000 }).toBe(1)
  await page.locator('#canvas').click({ position: { x: 20, y: 20 } })
  await expect.poll(async () => (await selected()).length, { timeout: 20_000 }).toBe(0)
  expect(problems).toEqual([])
  await page.close()
})

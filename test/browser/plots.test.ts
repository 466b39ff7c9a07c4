import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BuiltViewer, type HookWindow, openBuiltViewer } from './builtViewer.ts'

let viewer: BuiltViewer
beforeAll(async () => {
  viewer = await openBuiltViewer()
})
afterAll(() => viewer?.close())

/** What of the plots' hook is read here. */
interface PlotsWindow {
  readonly featherbed: {
    plots(): readonly { readonly name: string; readonly data: readonly (readonly number[])[] }[]
    plotsCsv(): string
  }
}

test('a variable is plotted for each run as its record has it, and goes out as a table; without a click nothing is loaded', async () => {
  const { page, problems } = await viewer.open('?robot=quadruped&models=ncp,penalty&play=0')
  expect(await page.locator('#plots').isVisible()).toBe(false)
  await page.evaluate(() => {
    for (const lane of (window as unknown as HookWindow).featherbed.session.lanes) lane.advance(60, 10)
  })
  await page.waitForFunction(() =>
    (window as unknown as HookWindow).featherbed.session.lanes.every(({ reached }) => reached >= 60),
  )
  await page.locator('#plot').click()
  const search = page.locator('#plots input[type=search]')
  await search.fill('joint/front_left_knee_joint/position')
  await search.press('Enter')
  const shown = () => page.evaluate(() => (window as unknown as PlotsWindow).featherbed.plots())
  const knee = async () => (await shown()).find(({ name }) => name === 'joint/front_left_knee_joint/position')?.data ?? []
  await expect.poll(async () => (await knee())[0]?.length, { timeout: 20_000 }).toBe(7)
  const data = await knee()
  // times, then a column a run
  expect(data).toHaveLength(3)
  expect(data[0]).toEqual([0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06])
  const record = await page.evaluate(() =>
    (window as unknown as HookWindow).featherbed.session.lanes.map((lane) =>
      [0, 10, 20, 30, 40, 50, 60].map((step) => lane.history.at(step)?.q[9] ?? Number.NaN),
    ),
  )
  expect(data.slice(1)).toEqual(record)
  const csv = await page.evaluate(() => (window as unknown as PlotsWindow).featherbed.plotsCsv())
  expect(csv.split(/\r?\n/)[0]).toContain('front_left_knee_joint/position')
  expect(problems).toEqual([])
  await page.close()
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { centerOfMass, createData, createState, kinematics } from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import type { ShownOverlays } from '../../viewer/see/overlays.ts'
import { type BuiltViewer, type HookWindow, openBuiltViewer } from './builtViewer.ts'

/** What of the overlays' hook is read here. */
interface SeenWindow {
  readonly featherbed: {
    readonly session: {
      readonly lanes: readonly {
        readonly history: { at(step: number): Record<'q' | 'contacts', ArrayLike<number>> | undefined }
      }[]
      scrub(step: number): void
    }
    overlays(): readonly ShownOverlays[]
  }
}

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
  await expect.poll(facts).toMatch(/mass[\d.]+ kg.*front_left_thigh_joint.*rad \(.*°\) of.*effort.*contact force/s)
  await page.locator('#links [aria-selected="true"]').focus()
  await page.keyboard.press('ArrowRight')
  expect(await selected()).toEqual(['front_left_shank'])
  await page.keyboard.press('Escape')
  expect(await selected()).toEqual([])

  const { width, height } = (await page.locator('#canvas').boundingBox()) as { width: number; height: number }
  await page.locator('#canvas').click({ position: { x: width / 2, y: height / 2 } })
  await expect.poll(async () => (await selected()).length).toBe(1)
  await page.locator('#canvas').click({ position: { x: 20, y: 20 } })
  await expect.poll(async () => (await selected()).length).toBe(0)
  expect(problems).toEqual([])
  await page.close()
})

test('overlays stand where the core has them, of each run, and a key switches one', async () => {
  const { page, problems } = await viewer.open('?robot=quadruped&models=penalty,ncp&dt=0.001&play=0')
  await page.evaluate(() => {
    for (const lane of (window as unknown as HookWindow).featherbed.session.lanes) lane.advance(60, 10)
  })
  await page.waitForFunction(() =>
    (window as unknown as HookWindow).featherbed.session.lanes.every(({ reached }) => reached >= 60),
  )
  await page.evaluate(() => (window as unknown as SeenWindow).featherbed.session.scrub(60))
  await page.locator('.lil-title', { hasText: 'Overlays' }).click()
  for (const name of ['centre of mass', 'friction cones', 'forces in newtons'])
    await page.getByRole('checkbox', { name, exact: true }).click()
  const shown = () =>
    page.evaluate(() => {
      const { session, overlays } = (window as unknown as SeenWindow).featherbed
      const states = session.lanes.map((lane) => lane.history.at(60))
      return overlays().map((own, i) => ({
        ...own,
        q: Array.from(states[i]?.q ?? []),
        contacts: Array.from(states[i]?.contacts ?? []),
      }))
    })
  await expect
    .poll(async () => (await shown()).every(({ lines, notes }) => lines['friction cones'] && notes.length > 0), {
      timeout: 20_000,
    })
    .toBe(true)
  const { model } = loadOwnRobot('quadruped')
  const [state, data, center] = [createState(model), createData(model), new Float64Array(3)]
  for (const { lines, notes, q, contacts } of await shown()) {
    state.q.set(q)
    kinematics(model, state, data)
    centerOfMass(model, data, center)
    const cross = lines['centre of mass']
    for (let k = 0; k < 3; k++) expect((cross[k] + cross[3 + k]) / 2).toBeCloseTo(center[k], 9)
    // each cone stands on its contact, as wide as the friction of the page
    const apex = contacts.slice(0, 3)
    const cone = lines['friction cones']
    const spokes = Array.from({ length: cone.length / 6 }, (_, i) => cone.slice(6 * i, 6 * i + 6)).filter((ends) =>
      apex.every((value, k) => Math.abs(ends[k] - value) < 1e-9),
    )
    expect(spokes).toHaveLength(4)
    for (const [x, y, z, u, v, w] of spokes) expect(Math.hypot(u - x, v - y) / (w - z)).toBeCloseTo(0.8, 6)
    expect(notes.map(({ text }) => text).join()).toMatch(/^[\d.]+ N(,[\d.]+ N)*$/)
  }
  expect(await page.locator('.see-legend').textContent()).toContain('sticks')
  await page.locator('#canvas').focus()
  await page.keyboard.press('m')
  await expect.poll(async () => (await shown()).some(({ lines }) => lines['centre of mass'])).toBe(false)
  expect(problems).toEqual([])
  await page.close()
})

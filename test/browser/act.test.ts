import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { loadOwnRobot } from '../../robots/files.ts'
import { type Input, LiveRun } from '../../simulation/index.ts'
import type { RunSetup } from '../../viewer/runs/protocol.ts'
import { whole } from '../dailyModels.ts'
import { builtViewer, runTo, setFigure, stepOf } from './builtViewer.ts'
import { createWorld } from './inNode.ts'

const viewer = builtViewer()

/** The record, and the state's hash at a step, of each run. */
const acted = (page: Page, step: number) =>
  page.evaluate(async (step) => {
    const { lanes } = window.featherbed.session
    return Promise.all(
      lanes.map(async (lane) => {
        const shown = lane.history.at(step)
        return {
          model: lane.contactModel,
          record: await lane.record(),
          step: shown?.step ?? 0,
          hash: shown?.hash,
          friction: lane.setup?.physical.friction,
        }
      }),
    )
  }, step)

/** Repeats a run of the diffdrive in Node. */
function replayed(setup: Pick<RunSetup, 'contactModel' | 'dt'>, record: readonly Input<RunSetup>[], step: number) {
  const robot = loadOwnRobot('diffdrive')
  const run = new LiveRun(setup as RunSetup, ({ contactModel, dt, physical }) =>
    createWorld(robot, contactModel, { dt, physical }),
  )
  run.record.push(...record)
  while (run.stepCount < step) run.step()
  return run.world.hash()
}

/** Typed arrays of an action come as objects of another realm; numbers are numbers. */
const plain = (record: readonly Input<RunSetup>[]) => record.map(({ step, action }) => ({ step, action }))

test('a link that is dragged is pulled under every model at the same steps, and Node repeats the record bit by bit', async () => {
  const { page } = await viewer.open('?robot=diffdrive&models=penalty,ncp&dt=0.002&layout=one%20place')
  await runTo(page, 40)
  const canvas = await page.locator('#canvas').boundingBox()
  if (!canvas) throw new Error('there is no canvas')
  const [x, y] = [canvas.x + canvas.width / 2, canvas.y + canvas.height / 2]
  await page.keyboard.down('Control')
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 40, y - 60, { steps: 4 })
  await expect.poll(() => page.locator('.act-label').textContent()).toMatch(/^\d+\.?\d* k?N$/)
  await page.mouse.up()
  await page.keyboard.up('Control')
  const from = await stepOf(page)
  await runTo(page, from + 40)
  await page.keyboard.press(' ')
  const runs = await acted(page, from + 30)
  expect(runs.map(({ model }) => model)).toEqual(['penalty', 'ncp'])
  expect(runs[0].record.map(({ action }) => action.type)).toContain('pull')
  expect(runs[0].record.at(-1)?.action.type).toBe('release')
  expect(runs[1].record).toEqual(runs[0].record)
  for (const { model, record, step, hash } of runs)
    expect(replayed({ contactModel: model, dt: 0.002 }, plain(record), step)).toBe(hash)

  // one step back and on again: computed from a checkpoint and the record
  const shown = () => page.locator('#runs td.hash').allTextContents()
  await expect.poll(async () => (await shown())[0].length).toBe(16)
  const [paused, hashes] = [await stepOf(page), await shown()]
  const at = (step: number) => page.waitForFunction((step) => window.featherbed.session.step === step, step)
  for (let k = 0; k < 2; k++) await page.keyboard.press('ArrowLeft')
  await at(paused - 2)
  for (let k = 0; k < 2; k++) await page.keyboard.press('ArrowRight')
  await at(paused)
  await expect.poll(shown).toEqual(hashes)
})

test('a key pushes where the clock stands, and what came after is computed anew', async () => {
  const { page } = await viewer.open('?robot=diffdrive&models=ncp&dt=0.002')
  await runTo(page, 60)
  await page.keyboard.press(' ')
  const before = (await acted(page, 1e9))[0]
  const step = await stepOf(page)
  await page.keyboard.press('x')
  await page.keyboard.press(' ')
  await runTo(page, before.step + 5)
  const after = (await acted(page, before.step))[0]
  expect(after.record).toMatchObject([{ step, action: { type: 'push', link: 'base_link' } }])
  expect(after.step).toBeGreaterThan(step)
  expect(after.hash).not.toBe(before.hash)
})

test('a change of friction, of the model and of the step goes on from where the run is, and undo takes each back', async () => {
  const { page } = await viewer.open('?robot=diffdrive&models=ncp&dt=0.001')
  await runTo(page, 100)
  const state = () =>
    page.evaluate(() => {
      const { session } = window.featherbed
      return {
        time: session.time,
        dt: session.dt,
        models: session.lanes.map(({ contactModel }) => contactModel),
        friction: session.lanes.map(({ setup }) => setup?.physical.friction),
      }
    })
  await setFigure(page, 'friction', '0.35')
  await expect.poll(async () => (await state()).friction).toEqual([0.35])
  expect((await state()).time).toBeGreaterThanOrEqual(0.09)

  await page.locator('#panel .lil-controller', { hasText: 'time step' }).locator('select').selectOption({ label: '2 ms' })
  await expect.poll(async () => (await state()).dt).toBe(0.002)
  expect((await state()).time).toBeGreaterThanOrEqual(0.09)
  const { time } = await state()
  await page.waitForFunction((time) => window.featherbed.session.time > time + 0.05, time)

  await page.locator('#models').getByLabel('penalty', { exact: true }).check()
  await expect.poll(async () => (await state()).models).toEqual(['ncp', 'penalty'])
  const begun = () =>
    page.evaluate(() => {
      const { session } = window.featherbed
      return session.lanes[1].history.at(0)?.step
    })
  await expect.poll(begun).toBeGreaterThan(40)

  await page.locator('#canvas').focus()
  await page.keyboard.press('Control+z')
  await expect.poll(async () => (await state()).models).toEqual(['ncp'])
  await page.keyboard.press('Control+z')
  await expect.poll(async () => (await state()).dt).toBe(0.001)
  await page.keyboard.press('Control+z')
  await expect.poll(async () => (await state()).friction).toEqual([0.8])
  await page.keyboard.press('Control+Shift+z')
  await expect.poll(async () => (await state()).friction).toEqual([0.35])
  expect(await page.getByRole('button', { name: 'Redo' }).isEnabled()).toBe(true)
})

test("a controller's gain and gravity change while it runs, and undo takes them back", async () => {
  const { page } = await viewer.open('?robot=diffdrive&models=ncp&dt=0.002')
  await runTo(page, 60)
  const setup = () =>
    page.evaluate(() => {
      const { session } = window.featherbed
      const [{ setup }] = session.lanes
      return { across: setup?.options?.across, gravity: setup?.gravity, step: session.step }
    })
  await setFigure(page, 'across', '20')
  await expect.poll(async () => (await setup()).across).toBeCloseTo(20, 0)
  await setFigure(page, 'gravity', '3.7')
  await expect.poll(async () => (await setup()).gravity).toEqual([0, 0, -3.7])
  const { step } = await setup()
  expect(step).toBeGreaterThanOrEqual(50)
  await runTo(page, step + 30)
  await page.locator('#canvas').focus()
  await page.keyboard.press('Control+z')
  await expect.poll(async () => (await setup()).gravity).toBeUndefined()
  await page.keyboard.press('Control+z')
  await expect.poll(async () => (await setup()).across).toBeUndefined()
  expect(await page.locator('#runs tr.failed').count()).toBe(0)
})

test('a slider moves the joint of a new run, paused, and the pose is there to copy', async () => {
  const { page } = await viewer.open('?robot=humanoid&models=ncp&play=0')
  await page.locator('#pose summary').click()
  const joint = loadOwnRobot('humanoid').joints.find(({ name }) => name.includes('elbow'))
  if (!joint) throw new Error('the humanoid has no elbow')
  await page.getByRole('slider', { name: joint.name }).fill('-0.5')
  const first = () =>
    page.evaluate((k) => {
      const { session } = window.featherbed
      return session.lanes[0].history.at(0)?.q[k]
    }, joint.qIndex)
  await expect.poll(first).toBeCloseTo(-0.5, 2)
  await page.locator('#canvas').focus()
  await page.keyboard.press('Control+z')
  await expect.poll(first).toBeCloseTo(loadOwnRobot('humanoid').home[joint.qIndex], 6)
})

test('keys drive a robot on wheels', async () => {
  const { page } = await viewer.open('?robot=diffdrive&models=ncp&dt=0.002&play=0')
  await page.keyboard.press('v')
  expect(await page.getByRole('button', { name: 'Drive' }).getAttribute('aria-pressed')).toBe('true')
  const place = () =>
    page.evaluate(() => {
      const { session } = window.featherbed
      return Array.from(session.lanes[0].history.at(session.step)?.q ?? []).slice(0, 2)
    })
  await page.keyboard.down('w')
  await expect.poll(async () => (await place())[0]).toBeGreaterThan(0.15)
  await page.keyboard.up('w')

  // a gamepad's stick, pulled back
  const [from] = await place()
  await page.evaluate(() => {
    navigator.getGamepads = () => [{ axes: [0, 1] } as unknown as Gamepad]
  })
  await expect.poll(async () => (await place())[0]).toBeLessThan(from - 0.05)
  await page.keyboard.press('v')
})

whole('in split views a drag pulls the robot of its pane, and with it those of all', async () => {
  const { page } = await viewer.open('?robot=diffdrive&models=penalty,ncp&dt=0.002&layout=split%20views&play=0')
  const canvas = await page.locator('#canvas').boundingBox()
  if (!canvas) throw new Error('there is no canvas')
  // one beside the other in this window; the second pane's middle
  const [x, y] = [canvas.x + 0.75 * canvas.width, canvas.y + canvas.height / 2]
  await page.getByRole('button', { name: 'Pull', exact: true }).click()
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x, y - 50, { steps: 3 })
  await expect.poll(async () => (await acted(page, 0))[0].record.length).toBeGreaterThan(0)
  await page.keyboard.press(' ')
  await runTo(page, 50)
  await page.mouse.up()
  for (const { record } of await acted(page, 0)) expect(record.map(({ action }) => action.type)).toContain('pull')
})

test('the tools have names, and fit a phone', async () => {
  const { page } = await viewer.open('?robot=quadruped&models=ncp&play=0')
  await page.setViewportSize({ width: 390, height: 844 })
  for (const name of ['Pull', 'Push', 'Drive', 'Undo', 'Redo'])
    expect(await page.getByRole('button', { name, exact: true }).count()).toBe(1)
  await page.locator('#pose summary').click()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
})

import { expect, test } from 'vitest'
import { kineticEnergy, potentialEnergy } from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { dataAt, filled } from '../dynamics/at.ts'
import { builtViewer, goTo } from './builtViewer.ts'
import { advance, createWorld } from './inNode.ts'

const viewer = builtViewer()

test('a variable is plotted for each run as its record has it, and goes out as a table; without a click nothing is loaded', async () => {
  const { page } = await viewer.open('?robot=quadruped&models=ncp,penalty&play=0')
  expect(await page.locator('#plots').isVisible()).toBe(false)
  await goTo(page, 60, 10)
  await page.locator('#plot').click()
  const search = page.locator('#plots input[type=search]')
  await search.fill('joint/front_left_knee_joint/position')
  await search.press('Enter')
  const shown = () => page.evaluate(() => window.featherbed.plots())
  const knee = async () => (await shown()).find(({ name }) => name === 'joint/front_left_knee_joint/position')?.data ?? []
  await expect.poll(async () => (await knee())[0]?.length).toBe(7)
  const data = await knee()
  // times, then a column a run
  expect(data).toHaveLength(3)
  expect(data[0]).toEqual([0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06])
  const record = await page.evaluate(() =>
    window.featherbed.session.lanes.map((lane) =>
      [0, 10, 20, 30, 40, 50, 60].map((step) => lane.history.at(step)?.q[9] ?? Number.NaN),
    ),
  )
  expect(data.slice(1)).toEqual(record)
  const csv = await page.evaluate(() => window.featherbed.plotsCsv())
  expect(csv.split(/\r?\n/)[0]).toContain('front_left_knee_joint/position')
})

test('what is plotted is what the core has in Node: joints, base, energy, and the force on a link', async () => {
  const robot = loadOwnRobot('quadruped')
  const world = advance(createWorld(robot, 'penalty'), 60)
  const { model, state, contacts } = world
  const knee = robot.joints.find(({ name }) => name === 'front_left_knee_joint')
  if (knee === undefined) throw new Error('the quadruped has no such knee')
  const data = dataAt(model, state)
  const energy = filled(2, (out) => kineticEnergy(model, state, data, out))
  potentialEnergy(model, state, data, energy.subarray(1))
  // by another sum than the page's: [moment; force] of each body
  const forces = filled(6 * model.nb, (out) => contacts.writeBodyForces(1e-3, out))
  const leg = Array.from(model.bodyName.keys()).find((body) => forces[6 * body + 5] > 1) ?? 0
  expect(leg).toBeGreaterThan(0)
  const expected: Readonly<Record<string, number>> = {
    'joint/front_left_knee_joint/position': state.q[knee.qIndex],
    'joint/front_left_knee_joint/velocity': state.v[knee.vIndex],
    'joint/front_left_knee_joint/effort': world.tau[knee.vIndex],
    'base/position z': state.q[2],
    'base/velocity x': state.v[3],
    'energy/mechanical': energy[0] + energy[1],
    [`link/${model.bodyName[leg]}/contact force z`]: forces[6 * leg + 5],
  }

  const { page } = await viewer.open('?robot=quadruped&models=penalty&dt=0.001&play=0')
  await goTo(page, 60, 10)
  await page.locator('#plot').click()
  const search = page.locator('#plots input[type=search]')
  await page.waitForFunction(() => window.featherbed.plots().length > 0)
  for (const name of Object.keys(expected)) {
    await search.fill(name)
    await search.press('Enter')
  }
  const shown = () => page.evaluate(() => window.featherbed.plots())
  await expect
    .poll(async () => (await shown()).filter(({ data }) => data[0]?.at(-1) === 0.06).length)
    .toBe(Object.keys(expected).length + 1) // and the one that is there at first
  const plots = await shown()
  for (const [name, value] of Object.entries(expected)) {
    const last = plots.find((plot) => plot.name === name)?.data[1].at(-1) ?? Number.NaN
    // contacts come in single precision; all else to the last bit
    if (name.startsWith('link/')) expect(last / value, name).toBeCloseTo(1, 6)
    else expect(last, name).toBe(value)
  }
})

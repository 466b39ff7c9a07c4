/** Torques and contact forces that explain the steps of a world, beside statics; that they hold those of models whose forces are in their cones. */
import { describe, expect, test } from 'vitest'
import { TorqueRanges } from '../../compare/index.ts'
import { ContactRows } from '../../contact/index.ts'
import { type Controller, createControllerLoop, hold } from '../../control/index.ts'
import { createData, createState, kinematics, rnea } from '../../dynamics/index.ts'
import { loadRobot } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'
import { full, hasRobots, whole } from '../dailyModels.ts'
import { playScene } from './playScene.ts'

const g = 9.81

const link = (name: string, mass: number, center: string, inertia: number, shape = '') =>
  `<link name="${name}"><inertial><origin xyz="${center}"/><mass value="${mass}"/><inertia ixx="${inertia}" iyy="${inertia}" izz="${inertia}" ixy="0" ixz="0" iyz="0"/></inertial>${shape}</link>`
const ball = (at: string, radius: number) =>
  `<collision><origin xyz="${at}"/><geometry><sphere radius="${radius}"/></geometry></collision>`
const joint = (name: string, type: string, parent: string, child: string, at: string, axis: string, effort: number) =>
  `<joint name="${name}" type="${type}"><parent link="${parent}"/><child link="${child}"/><origin xyz="${at}"/><axis xyz="${axis}"/><limit lower="-3" upper="3" effort="${effort}" velocity="100"/></joint>`

/** An upper arm, horizontal and held by a motor, and a forearm on a free elbow, whose tip rests on the ground. */
function arm(friction: number) {
  const [upper, forearm, height, radius] = [0.5, 0.6, 0.5, 0.02]
  const urdf = `<robot name="arm">${link('base', 1, '0 0 0', 0.1)}${link('upper', 2, `${upper / 2} 0 0`, 0.05)}
    ${link('forearm', 1.5, `${forearm / 2} 0 0`, 0.05, ball(`${forearm} 0 0`, radius))}
    ${joint('shoulder', 'revolute', 'base', 'upper', `0 0 ${height}`, '0 1 0', 100)}
    ${joint('elbow', 'revolute', 'upper', 'forearm', `${upper} 0 0`, '0 1 0', 100)}</robot>`
  const robot = loadRobot(urdf, { file: 'arm.urdf', base: 'fixed' })
  const angle = Math.asin((height - radius) / forearm)
  const world = new World({
    ...{ robot, dt: 1e-3, contactModel: 'stewart-trinkle', q: Float64Array.of(0, angle) },
    ...{ physical: { friction }, controller: createControllerLoop(holdShoulder, robot) },
  })
  return { world, upper, reach: forearm * Math.cos(angle), height }
}

/** A stiff servo at the shoulder, about its torque without friction, and none at the elbow. */
const holdShoulder: Controller<undefined> = {
  rate: 1000,
  init: () => undefined,
  update: ({ q, v }) => [-3.5 * g * 0.25 - 2000 * q[0] - 60 * v[0], 0],
}

/** A top on four legs that slide along z, each held by a motor. */
function table() {
  const corners = ['0.5 0.4', '0.5 -0.4', '-0.5 -0.4', '-0.5 0.4']
  const legs = corners.map(
    (at, i) => link(`leg${i}`, 1, '0 0 -0.2', 0.01, ball('0 0 -0.5', 0.02)) + joint(`lift${i}`, 'prismatic', 'top', `leg${i}`, `${at} 0`, '0 0 1', 1000), // biome-ignore format: one expression
  )
  const robot = loadRobot(`<robot name="table">${link('top', 10, '0 0 0', 1)}${legs.join('')}</robot>`, {
    file: 'table.urdf',
    base: 'floating',
  })
  const q = Float64Array.from({ length: robot.model.nq }, (_, k) => (k === 2 ? 0.52 : Number(k === 6)))
  const controller = createControllerLoop(hold(), robot)
  return new World({ robot, q, dt: 1e-3, contactModel: 'ncp', controller, physical: { friction: 0.5 } })
}

/** Runs a world, the last step with ranges. */
function settled(world: World, seconds: number, motorless?: string[]): TorqueRanges {
  for (let k = 0; k < Math.round(seconds / world.dt); k++) world.step()
  const ranges = new TorqueRanges(world, motorless)
  ranges.before()
  world.step()
  ranges.after()
  return ranges
}

/** How far torques lie outside their ranges [N m, N]. */
const beyond = ({ torque, least, greatest }: TorqueRanges) =>
  torque.reduce((most, tau, i) => Math.max(most, least[i] - tau, tau - greatest[i]), Number.NEGATIVE_INFINITY)

describe('a forearm on a free elbow that rests on the ground', () => {
  test('without friction its force, and the torque of the shoulder, are those of statics', () => {
    const { world, upper } = arm(0)
    const ranges = settled(world, 2, ['elbow'])
    expect(ranges.motors.map(({ name }) => name)).toEqual(['shoulder'])
    const torque = -(2 + 1.5) * g * (upper / 2)
    // the shoulder has sunk a little under its servo
    for (const end of [...ranges.least, ...ranges.greatest]) expect(Math.abs(end / torque - 1)).toBeLessThan(2e-3)
    expect(ranges.greatest[0] - ranges.least[0]).toBeLessThan(1e-4)
    for (const end of ranges.forces.subarray(0, 2)) expect(Math.abs(end / (0.75 * g) - 1)).toBeLessThan(2e-3)
  })

  test('with friction the shoulder has the interval between both directions of slip', () => {
    const mu = 0.3
    const { world, upper, reach, height } = arm(mu)
    const ranges = settled(world, 2, ['elbow'])
    const torques = [1, -1].map((sign) => {
      const normal = (1.5 * g * 0.5 * reach) / (reach + sign * mu * height)
      return upper * (normal - (0.5 * 2 + 1.5) * g)
    })
    expect(Math.abs(ranges.least[0] / torques[0] - 1)).toBeLessThan(5e-3)
    expect(Math.abs(ranges.greatest[0] / torques[1] - 1)).toBeLessThan(5e-3)
    expect(beyond(ranges)).toBeLessThan(0)
  })
})

test('a table on four legs: each motor bears from none to half of the weight', () => {
  const ranges = settled(table(), 1)
  expect(ranges.contacts).toHaveLength(4)
  const weight = 14 * g
  for (let i = 0; i < 4; i++) {
    expect(ranges.least[i]).toBeCloseTo(g - weight / 2, 1)
    expect(ranges.greatest[i]).toBeCloseTo(g, 1)
  }
  expect(beyond(ranges)).toBeLessThan(0)
})

test('the step that ranges are about is M (v+ - v) / dt + c = S tau + J f, by inverse dynamics', () => {
  const world = table()
  const { model, state, contacts, dt } = world
  const [data, rows, start] = [createData(model), new ContactRows(model), createState(model)]
  const [a, effort, given] = [0, 0, 0].map(() => new Float64Array(model.nv))
  for (let k = 0; k < 50; k++) {
    start.q.set(state.q)
    start.v.set(state.v)
    kinematics(model, start, data)
    world.step()
    for (let i = 0; i < a.length; i++) a[i] = (state.v[i] - start.v[i]) / dt
    rnea(model, start, a, data, effort)
    given.set(world.tau)
    rows.build(data, contacts)
    const force = contacts.impulse.map((p) => p / dt)
    for (let c = 0; c < contacts.count; c++) rows.addForce(given, force, c)
    // to rounding of forces of some 100 N over a step of 1 ms
    for (let i = 0; i < a.length; i++) expect(Math.abs(effort[i] - given[i])).toBeLessThan(1e-6)
  }
})

/** Of models whose forces are in their cones at each step of these scenes. */
const inCone = full
  ? (['stewart-trinkle', 'anitescu-potra', 'ncp', 'lcp', 'convex', 'mujoco'] as const)
  : (['anitescu-potra', 'ncp', 'mujoco'] as const)

/** Steps of a scene, each n-th with ranges: how many have forces in their cones, and how far torques lie outside at worst. */
async function containment(scene: string, model: string, steps: number, every = 1) {
  let ranges: TorqueRanges | undefined
  let [checked, outside, worst, taken] = [0, 0, Number.NEGATIVE_INFINITY, 0]
  await playScene(
    scene,
    model,
    1e-3,
    (world) => {
      if (ranges !== undefined && (taken - 1) % every === 0) {
        ranges.after()
        checked++
        if (ranges.excess > 0) outside++
        else worst = Math.max(worst, beyond(ranges))
      }
      ranges ??= new TorqueRanges(world)
      if (taken++ % every === 0) ranges.before()
    },
    {},
    steps,
  )
  return { checked, outside, worst }
}

describe('torques of models whose contact forces are in their cones lie within the ranges', () => {
  test.each(inCone)('of a trotting quadruped, a braking humanoid and a gripper under %s', async (model) => {
    for (const [scene, steps, every] of [
      ['default/trot', 300, 3],
      ['default/brake', 200, 20],
      ['default/grip', 200, 40],
    ] as const) {
      const { checked, outside, worst } = await containment(scene, model, steps, every)
      expect(checked).toBe(Math.floor((steps - 2) / every) + 1)
      expect(outside).toBe(0)
      expect(worst).toBeLessThanOrEqual(0)
    }
  })

  const isHere = hasRobots('torques of A1 and Atlas within their ranges')
  const exact = ['stewart-trinkle', 'anitescu-potra', 'ncp', 'lcp'] as const
  for (const [scene, steps, every, isReal] of [
    ['default/trot', 10_000, 1, false],
    ['default/brake', 1500, 1, false],
    ['default/grip', 3000, 10, false],
    ['real/trot-a1', 10_000, 1, true],
    ['real/squat-a1', 3500, 1, true],
    ['real/stand-atlas', 1000, 10, true],
  ] as const) {
    whole.each(isReal && !isHere ? [] : exact)(`of ${steps} steps of ${scene} under %s`, { timeout: 3e6 }, async (model) => {
      const { outside, worst } = await containment(scene, model, steps, every)
      expect(outside).toBe(0)
      expect(worst).toBeLessThanOrEqual(0)
    })
  }
})

import { describe, expect, test } from 'vitest'
import { cos, sin } from '../../dynamics/index.ts'
import { createFreeBody, createPrescribedBody } from '../../robots/index.ts'
import { type PrescribedMotion, World, type WorldOptions, type WorldRobot } from '../../simulation/index.ts'
import { dailyModels, tellWhatIsNotRun } from '../dailyModels.ts'

const g = 9.81
const mass = 2
const mu = 0.4
const box = createFreeBody({ name: 'box', shape: { type: 'box', size: [0.2, 0.2, 0.1] }, mass, position: [0, 0, 0.05] })
/** Its top is z = 0 where its origin is at z = -0.1. */
const plate = createPrescribedBody({ name: 'plate', shape: { type: 'box', size: [4, 4, 0.2] } })
const still: PrescribedMotion = { pose: (_, out) => out.set([0, 0, -0.1, 0, 0, 0, 1]) }
const belt = (speed: number): PrescribedMotion => ({ ...still, surface: (_, out) => out.set([speed, 0, 0]) })
const lift = (height: (t: number) => number): PrescribedMotion => ({
  pose: (t, out) => out.set([0, 0, height(t) - 0.1, 0, 0, 0, 1]),
})
const turntable = (omega: number): PrescribedMotion => ({
  pose: (t, out) => out.set([-0.5, 0, -0.1, 0, 0, sin(0.5 * omega * t), cos(0.5 * omega * t)]),
})

const worldOf = (motion: PrescribedMotion, options: Partial<WorldOptions> = {}, start: Partial<WorldRobot> = {}) =>
  new World({
    robots: [
      { robot: box, ...start },
      { robot: plate, motion },
    ],
    fixtures: [],
    physical: { friction: mu },
    contactModel: 'ncp',
    dt: 1e-3,
    ...options,
  } as WorldOptions)

function run(world: World, seconds: number): number {
  let given = 0
  for (const steps = Math.round(seconds / world.dt); world.stepCount < steps; ) {
    world.step()
    given += world.given[0]
  }
  world.auditLastStep()
  return given
}

/** Springs sink in by 1 mm as they take the load, and one point walks. */
const sinking: readonly string[] = ['penalty', 'penalty-deepest', 'hunt-crossley', 'drake', 'mujoco']
const rigid = dailyModels.filter((name) => !sinking.includes(name))

tellWhatIsNotRun('bodies whose motion is given')
describe.each(dailyModels)('%s', (contactModel) => {
  test('a plate that shakes below g carries a box with it', () => {
    const height = (t: number) => 0.005 * sin(10 * Math.PI * t) // at most 4.9 m/s²
    const world = worldOf(lift(height), { contactModel }, { v: [0, 0, 0, 0, 0, 0.05 * Math.PI] })
    let worst = 0
    for (let k = 0; k < 400; k++) {
      world.step()
      worst = Math.max(worst, Math.abs(world.robots[0].state.q[2] - 0.05 - height(world.state.t[0])))
    }
    world.auditLastStep()
    expect(worst).toBeLessThan(sinking.includes(contactModel) ? 3e-3 : 1e-7)
    expect(world.events).toMatchObject({ failures: 0, energyGains: 0 })
  })

  test('a turntable carries a box round at r omega² < mu g', () => {
    const omega = 2
    const world = worldOf(turntable(omega), { contactModel, dt: 2e-3 }, { v: [0, 0, omega, 0, 0.5 * omega, 0] })
    run(world, 1)
    const { q } = world.robots[0].state
    // mujoco creeps under the 2 m/s² that friction holds; one point walks
    const bound = contactModel === 'penalty-deepest' ? 0.1 : contactModel === 'mujoco' ? 0.02 : 5e-3
    expect(Math.hypot(q[0] + 0.5 - 0.5 * cos(omega), q[1] - 0.5 * sin(omega))).toBeLessThan(bound)
    expect(world.events).toMatchObject({ failures: 0, energyGains: 0 })
  })
})

describe.each(rigid)('%s', (contactModel) => {
  test('the gap at the end of a step is to where the plate will be, however large the step', () => {
    // after 0.1 s at 1 m/s the plate is 0.1 m higher: the impulse is m v + m g h, and the box touches
    const h = 0.1
    const world = worldOf(
      lift((t) => t),
      { contactModel, dt: h },
      { v: [0, 0, 0, 0, 0, 1] },
    )
    world.step()
    const [{ state }] = world.robots
    expect(state.q[2] - 0.05).toBeCloseTo(h, 5)
    expect(state.v[5]).toBeCloseTo(1, 4)
    const { impulse, count } = world.contacts
    let sum = 0
    for (let c = 0; c < count; c++) sum += impulse[3 * c]
    expect(sum / (mass * g * h)).toBeCloseTo(1, 4)
  })
})

test('a box leaves a plate that falls faster than g, and flies', () => {
  const [A, w] = [0.02, 30] // 18 m/s²
  const height = (t: number) => A * sin(w * t)
  const world = worldOf(lift(height), { dt: 2.5e-4 }, { v: [0, 0, 0, 0, 0, A * w] })
  const leaving = Math.asin(g / (A * w * w)) / w
  const flown = 0.06
  run(world, 0.08)
  const t = 0.08 - leaving
  expect(t).toBeGreaterThan(flown)
  const expected = height(leaving) + A * w * cos(w * leaving) * t - 0.5 * g * t * t
  expect(world.robots[0].state.q[2] - 0.05).toBeCloseTo(expected, 4)
  expect(expected - height(0.08)).toBeGreaterThan(5e-3)
})

test('a box slides off a turntable at r omega² > mu g', () => {
  const omega = 4
  const world = worldOf(turntable(omega), {}, { v: [0, 0, omega, 0, 0.5 * omega, 0] })
  run(world, 0.5)
  const { q } = world.robots[0].state
  expect(Math.hypot(q[0] + 0.5, q[1])).toBeGreaterThan(0.6)
})

test('the work of a belt is half the kinetic energy of the box and half its friction', () => {
  for (const contactModel of ['ncp', 'penalty', 'lcp'] as const) {
    const given = run(worldOf(belt(1), { contactModel }), 0.5)
    expect(given / (mass * 1 ** 2)).toBeCloseTo(1, 2)
  }
})

test('the pose is kept whatever pushes, and no effort is left behind', () => {
  const heavy = createFreeBody({ name: 'heavy', shape: { type: 'sphere', radius: 0.1 }, mass: 1e4, position: [0.5, 0, 2] })
  const world = new World({
    robots: [{ robot: heavy }, { robot: plate, motion: turntable(3) }],
    fixtures: [],
    contactModel: 'ncp',
    dt: 1e-3,
  })
  const pose = new Float64Array(7)
  for (let k = 0; k < 800; k++) {
    world.step()
    turntable(3).pose(world.state.t[0], pose)
    expect(world.robots[1].state.q).toEqual(pose)
    expect(world.robots[1].tau.every((effort) => effort === 0)).toBe(true)
  }
  expect(Math.abs(world.robots[0].state.q[2] - 0.1)).toBeLessThan(1e-6)
})

test('plates touch neither the ground nor each other', () => {
  const world = new World({
    robots: [
      { robot: createFreeBody({ name: 'ball', shape: { type: 'sphere', radius: 0.1 }, mass: 1, position: [0, 0, 3] }) },
      { robot: plate, motion: still },
      { robot: plate, motion: belt(1) },
    ],
    contactModel: 'ncp',
    dt: 1e-3,
  })
  world.step()
  expect(world.contacts.count).toBe(0)
})

test('a run that is restored goes on bit for bit, also under rk4 and in divided steps', () => {
  for (const options of [{ contactModel: 'ncp' }, { contactModel: 'penalty', integrator: 'rk4' }] as const) {
    const make = () => worldOf(turntable(2), options, { v: [0, 0, 2, 0, 1, 0] })
    const whole = make()
    run(whole, 0.1)
    const first = make()
    run(first, 0.05)
    const second = make()
    second.restore(first.checkpoint())
    run(second, 0.1)
    expect(second.hash()).toBe(whole.hash())
  }
  const halves = worldOf(turntable(2), {}, { v: [0, 0, 2, 0, 1, 0] })
  halves.subdivide(1)
  run(halves, 0.1)
  const pose = new Float64Array(7)
  turntable(2).pose(halves.state.t[0], pose)
  expect(halves.robots[1].state.q).toEqual(pose)
})

describe('what cannot be is refused', () => {
  const make = (robots: WorldRobot[], options: Partial<WorldOptions> = {}) =>
    new World({ robots, contactModel: 'ncp', dt: 1e-3, ...options } as WorldOptions)
  const moved = { robot: plate, motion: still }

  test.each<[string, () => World, RegExp]>([
    ['a motion of what has a mass', () => make([{ robot: box, motion: still }, moved]), /"box" has a motion; only a body of/],
    ['no motion of what has none', () => make([{ robot: box }, { robot: plate }]), /"plate" has neither a mass nor a motion/],
    ['nothing else', () => make([moved]), /nothing in this world moves by itself/],
    [
      'a pose that is none',
      () => make([{ robot: box }, { robot: plate, motion: lift(() => Number.NaN) }]),
      /"plate" is at 0, 0, NaN.* at t = 0 s; its motion has to give finite numbers/,
    ],
    [
      'a loop',
      () =>
        make([{ robot: box }, moved], {
          loops: [{ kind: 'point', a: { robot: 'box' }, b: { robot: 'plate', point: [0, 0, 0.15] } }] as never,
        }),
      /loop .* is on "plate", whose motion is given/,
    ],
  ])('%s', (_, made, message) => {
    expect(made).toThrow(message)
    expect(made).toThrow(expect.objectContaining({ name: 'WorldError' }))
  })

  test('a pose that is none later ends the run', () => {
    const world = worldOf(lift((t) => (t > 0.0105 ? Number.NaN : 0)))
    expect(() => run(world, 0.1)).toThrow(
      expect.objectContaining({ name: 'SimulationError', message: expect.stringContaining('"plate" is at 0, 0, NaN') }),
    )
    expect(world.stepCount).toBe(10)
  })
})

describe('a ball that meets a bat, with ccd', () => {
  const shape = { type: 'sphere', radius: 0.037 } as const
  const ball = createFreeBody({ name: 'ball', shape, mass: 0.145 })
  const plank = createPrescribedBody({ name: 'bat', shape: { type: 'box', size: [0.06, 2, 0.06] } })
  const speedOff = (speed: number, restitution: number, dt: number, contactModel: (typeof dailyModels)[number]) => {
    const motion: PrescribedMotion = { pose: (t, out) => out.set([speed * t - 0.3, 0, 0, 0, 0, 0, 1]) }
    const robots = [
      { robot: ball, q: [1, 0.2, 0, 0, 0, 0, 1], v: [0, 0, 0, speed - 60, 0, 0] },
      { robot: plank, motion },
    ]
    const world = worldOf(still, { robots, physical: { restitution, friction: 0 }, contactModel, ccd: true, dt })
    run(world, 0.05)
    return world.state.v[3]
  }

  test.each(dailyModels)(
    '%s: it leaves as off one at rest, seen from the bat, and no faster than restitution allows',
    (contactModel) => {
      for (const restitution of [0, 0.5]) {
        for (const [dt, bat] of [1e-3, 5e-3, 1e-2].flatMap((dt) => [0, 20, 45].map((bat) => [dt, bat]))) {
          const off = speedOff(bat, restitution, dt, contactModel)
          // soft laws have a restitution of their own at 60 m/s and these steps: that of mujoco is 0.13
          expect(off).toBeLessThan(bat + 60 * Math.max(restitution, 0.14))
          if (!sinking.includes(contactModel)) expect(off).toBeCloseTo(bat + 60 * restitution, 3)
        }
      }
    },
  )
})

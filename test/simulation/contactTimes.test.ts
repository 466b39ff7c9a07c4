import { describe, expect, test } from 'vitest'
import type { ContactModelName, ContactModelOptions, Integrator } from '../../contact/index.ts'
import { createRandom } from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { createFreeBody } from '../../robots/index.ts'
import { ContactTimes, World, type WorldOptions } from '../../simulation/index.ts'
import { closing, couplerRates, fourbar } from '../contact/loops/linkages.ts'
import { dailyModels } from '../dailyModels.ts'

/*
 * Steps that end at times of contact, `ContactTimes`: a ball dropped by 1 m or less that bounces, against its closed form.
 */

const g = 9.81
const radius = 0.1

const ball = (height: number, name = 'ball', x = 0) =>
  createFreeBody({ name, shape: { type: 'sphere', radius }, mass: 2, position: [x, 0, height + radius] })

interface Fall {
  readonly contactModel: ContactModelName
  readonly contactOptions?: ContactModelOptions
  readonly integrator?: Integrator
}

/** How far off the height to which a ball goes on to rise is from e² times that from which it fell [m]; and the deepest that it was. */
function bounce(fall: Fall, e: number, height: number, dt: number, cut: boolean): { apex: number; depth: number; cuts: number } {
  const world = new World({ robot: ball(height), physical: { restitution: e }, dt, ...fall } as WorldOptions)
  const times = cut ? new ContactTimes(world) : undefined
  const whole = Math.ceil((Math.sqrt((2 * height) / g) * (1 + e / 2)) / dt)
  let depth = 0
  while (world.stepCount < whole) {
    times?.choose()
    world.step()
    depth = Math.max(depth, radius - world.state.q[2])
  }
  expect(world.stepCount).toBe(whole)
  const [z, v] = [world.state.q[2] - radius, world.state.v[5]]
  return { apex: Math.abs(z + (v * v) / (2 * g) - e * e * height), depth, cuts: times?.cuts ?? 0 }
}

/** The worst of falls from heights that end a step at different times before contact. */
function worst(fall: Fall, e: number, dt: number, cut: boolean): number {
  let most = 0
  for (let k = 0; k < 9; k++) most = Math.max(most, bounce(fall, e, 0.95 + 0.0125 * k, dt, cut).apex)
  return most
}

describe('a ball that bounces at 10 ms', () => {
  test.each([
    // what is left is compliance, 5e-6 of the speed
    ['ncp', { contactModel: 'ncp', contactOptions: { step: 'trapezoidal' } }, 2e-5],
    ['anitescu-potra', { contactModel: 'anitescu-potra', contactOptions: { step: 'trapezoidal' } }, 1e-6],
    [
      'impulses one after another',
      { contactModel: 'ncp', contactOptions: { step: 'trapezoidal', impulses: 'sequential' } },
      2e-7,
    ],
    ['springs under Runge-Kutta steps', { contactModel: 'penalty', integrator: 'rk4' }, 2e-7],
  ] as const)('%s: rises to e² of its height, where whole steps err by h v', (_, fall, bound) => {
    expect(worst(fall, 0.5, 1e-2, true)).toBeLessThan(bound)
    expect(worst(fall, 0.5, 1e-2, false)).toBeGreaterThan(1e-2)
  })

  test('under the Euler step an elastic one errs by h v, that of its fall', () => {
    const errors = [1e-2, 5e-3].map((dt) => worst({ contactModel: 'ncp' }, 1, dt, true))
    expect(errors[0]).toBeGreaterThan(1e-2)
    expect(errors[0] / errors[1]).toBeGreaterThan(1.4)
    expect(errors[0] / errors[1]).toBeLessThan(2.8)
  })

  test('one that is held by springs is as deep at its time of contact as the tolerance', () => {
    const { depth, cuts } = bounce({ contactModel: 'penalty', integrator: 'rk4' }, 0.5, 1, 1e-2, true)
    expect(cuts).toBe(1)
    expect(depth).toBeLessThan(1e-7)
  })
})

test('two balls that land within one step are met each at its time', () => {
  const world = new World({
    robots: [
      { name: 'a', robot: ball(1) },
      { name: 'b', robot: ball(1.02, 'b', 1) },
    ],
    physical: { restitution: 0.5 },
    contactModel: 'ncp',
    contactOptions: { step: 'trapezoidal', impulses: 'sequential' },
    dt: 1e-2,
  })
  const times = new ContactTimes(world)
  while (world.stepCount < 60) {
    times.choose()
    world.step()
  }
  expect(times.cuts).toBe(2)
  for (const [k, height] of [
    [0, 1],
    [1, 1.02],
  ]) {
    const { q, v } = world.robots[k].state
    expect(q[2] - radius + v[5] ** 2 / (2 * g)).toBeCloseTo(0.25 * height, 6)
  }
})

test('what rests, and what rolls, is not cut', () => {
  const world = new World({ robot: ball(0), v: [0, 5, 0, 0.5, 0, 0], contactModel: 'ncp', dt: 1e-2 })
  const times = new ContactTimes(world)
  for (let k = 0; k < 50; k++) {
    times.choose()
    world.step()
  }
  expect(times.cuts).toBe(0)
})

test('a ball that comes to rest by ever smaller bounces does so in steps that end', () => {
  const world = new World({
    robot: ball(0.2),
    physical: { restitution: 0.5 },
    contactModel: 'ncp',
    contactOptions: { step: 'trapezoidal' },
    dt: 1e-2,
  })
  const times = new ContactTimes(world)
  while (world.stepCount < 200) {
    times.choose()
    world.step()
  }
  // bounces slower than g h are matters of rest: 2 m/s halved four times is 0.12
  expect(times.cuts).toBeLessThan(8)
  expect(Math.abs(world.state.q[2] - radius)).toBeLessThan(1e-4)
  expect(Math.abs(world.state.v[5])).toBeLessThan(1e-3)
})

test('a humanoid that lands is cut at several times, and every whole step is filled', () => {
  const robot = loadOwnRobot('humanoid')
  const q = robot.home.slice()
  q[2] += 0.1
  const world = new World({ robot, q, contactModel: 'ncp', contactOptions: { step: 'trapezoidal' }, dt: 1e-2 })
  const times = new ContactTimes(world)
  const whole: number[] = []
  while (world.stepCount < 25) {
    times.choose()
    world.step()
    if (Number.isInteger(world.stepCount)) whole.push(world.stepCount)
  }
  expect(whole).toEqual(Array.from({ length: 25 }, (_, k) => k + 1))
  expect(times.cuts).toBeGreaterThan(0)
  expect(world.events.failures).toBe(0)
})

test('a small part of a step takes back no more of a loop than its part of the step, and so at no greater speed', () => {
  const { elbow, swing } = couplerRates(0)
  const world = new World({
    robot: fourbar(),
    v: [6, 6 * elbow, 6 * swing],
    loops: [closing('point')],
    fixtures: [],
    contactModel: 'ncp',
    dt: 5e-3,
  })
  for (let k = 0; k < 10; k++) world.step()
  const before = world.state.v.slice()
  world.shorten(1e-6, true)
  world.step()
  // the loop is open by some 1e-3 m: over 5 ns that would be 1e5 m/s
  expect(Math.max(...world.state.v.map((x, i) => Math.abs(x - before[i])))).toBeLessThan(1)
})

test.each(dailyModels)('%s: a shortened step has the bits that it has without the whole steps before it', (contactModel) => {
  const robots = [0, 1, 2].map((i) => {
    const shape = { type: 'box', size: [0.2, 0.1, 0.1] } as const
    return { robot: createFreeBody({ name: `box ${i}`, shape, mass: 1 + i, position: [i, 0, 0.06 + 0.03 * i] }) }
  })
  const options = { robots, contactModel, dt: 5e-3 } as WorldOptions
  const world = new World(options)
  const random = createRandom(3)
  for (let k = 0; k < world.model.nv; k++) world.state.v[k] = random.between(-2, 2)
  for (let k = 0; k < 14; k++) world.step()
  for (let k = 0; k < 4; k++) {
    world.step()
    const fresh = new World(options)
    fresh.restore(world.checkpoint())
    const snapshot = world.createSnapshot()
    world.save(snapshot)
    for (const one of [world, fresh]) {
      one.shorten(0.5, true)
      one.step()
    }
    expect(world.hash()).toBe(fresh.hash())
    world.rewind(snapshot)
    world.shorten(1, true)
  }
})

import { describe, expect, test } from 'vitest'
import { createFreeBody, createPrescribedBody } from '../../robots/index.ts'
import { World, type WorldOptions, type WorldPush } from '../../simulation/index.ts'

import { dailyModels } from '../dailyModels.ts'

const size = [0.4, 0.2, 0.1]
const mass = 3
const box = createFreeBody({ name: 'box', shape: { type: 'box', size: [0.4, 0.2, 0.1] }, mass, position: [0, 0, 0.05] })
const inertia = [0, 1, 2].map((k) => (mass / 12) * (size[(k + 1) % 3] ** 2 + size[(k + 2) % 3] ** 2))

const worldOf = (push: WorldPush, options: Partial<WorldOptions> = {}) =>
  new World({ robot: box, pushes: [push], contactModel: 'ncp', dt: 1e-3, ...options } as WorldOptions)

function run(world: World, seconds: number): World {
  for (const steps = Math.round(seconds / world.wholeStep); world.stepCount < steps; ) world.step()
  return world
}

const weightless = createFreeBody({
  name: 'box',
  shape: { type: 'box', size: [0.4, 0.2, 0.1] },
  mass,
  position: [0, 0, 0.05],
  gravity: [0, 0, 0],
})

describe('a push at a point of a free body', () => {
  test.each([1e-3, 7e-3, 0.05])('changes its momentum by the impulse and its spin by the lever, at a step of %f s', (dt) => {
    for (const duration of [0, 1e-3, 0.01]) {
      const push = { impulse: [0, 0.6, 0], point: [0.1, 0, 0], at: 0.05, duration }
      const world = run(worldOf(push, { robot: weightless, fixtures: [], dt }), 0.35)
      const { v } = world.state
      expect(Math.hypot(v[3], v[4], v[5])).toBeCloseTo(0.6 / mass, 6)
      // the lever turns with the body during the push: by 0.01 rad at most
      expect(v[2]).toBeCloseTo((0.1 * 0.6) / inertia[2], 4)
    }
  })

  test('is what the energy balance of the run counts as work', () => {
    const world = run(worldOf({ impulse: [0.9, 0, 0], at: 0.1, duration: 0.2 }), 0.5)
    world.auditLastStep()
    expect(world.events.energyGains).toBe(0)
  })
})

test.each(dailyModels)('under %s a pushed box slides v² / (2 mu g) and stops', (contactModel) => {
  const world = worldOf({ impulse: [6, 0, 0], at: 0.2 }, { contactModel, physical: { friction: 0.4 } })
  run(world, 1.2)
  const distance = (6 / mass) ** 2 / (2 * 0.4 * 9.81)
  // springs creep and settle; first-order in the step of 1 ms at 2 m/s
  expect(Math.abs(world.state.q[0] - distance)).toBeLessThan(6e-3)
})

test('a run from a checkpoint within a push has the bits of one that was not stopped', () => {
  const push = { impulse: [3, 1, 0], at: 0.05, duration: 0.1, point: [0, 0.05, 0.02] }
  const whole = run(worldOf(push), 0.3)
  const checkpoint = run(worldOf(push), 0.1).checkpoint()
  const resumed = worldOf(push)
  resumed.restore(checkpoint)
  expect(run(resumed, 0.3).hash()).toBe(whole.hash())
})

test.each([
  [{ impulse: [1, 0], at: 0 }, 'push "push1": impulse is [1, 0]; expected 3 finite numbers'],
  [{ impulse: [1, 0, 0], at: -1 }, 'push "push1": at is -1; expected a finite number of at least 0 [s]'],
  [{ impulse: [1, 0, 0], at: 0, link: 'arm' }, 'push "push1": link: '],
  [{ impulse: [1, 0, 0], at: 0, robot: 'cart' }, 'push "push1": robot is "cart"'],
])('a push that is none is refused: %j', (push, message) => {
  expect(() => worldOf(push)).toThrow(message)
})

test('a body whose motion is given cannot be pushed', () => {
  const plate = createPrescribedBody({ name: 'plate', shape: { type: 'box', size: [1, 1, 0.1] } })
  const robots = [
    { robot: box },
    { robot: plate, motion: { pose: (_: number, out: Float64Array) => out.set([0, 0, -2, 0, 0, 0, 1]) } },
  ]
  expect(
    () => new World({ robots, pushes: [{ robot: 'plate', impulse: [1, 0, 0], at: 0 }], contactModel: 'ncp', dt: 1e-3 }),
  ).toThrow('push "push1" is on "plate", whose motion is given')
})

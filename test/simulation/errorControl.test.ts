import { describe, expect, test } from 'vitest'
import { createFreeBody } from '../../robots/index.ts'
import type { EffortSource } from '../../simulation/index.ts'
import { ErrorControl, World, type WorldOptions } from '../../simulation/index.ts'
import { pendulum } from './robots.ts'

const g = 9.81

/** The world at the end of so many whole steps, whose divisions keep the accuracy. */
function controlled(options: WorldOptions, accuracy: number, wholeSteps: number) {
  const world = new World(options)
  const control = new ErrorControl(world, accuracy, [0.2])
  while (world.stepCount < wholeSteps) {
    control.choose()
    world.step()
  }
  return { world, counts: control.counts }
}

describe('steps under error control', () => {
  for (const contactModel of ['stewart-trinkle', 'penalty', 'peg'] as const) {
    test(`a ball that bounces once under ${contactModel} is where it is to be, to the accuracy`, () => {
      const robot = createFreeBody({ name: 'ball', shape: { type: 'sphere', radius: 0.1 }, mass: 1 })
      const options = { robot, q: [0, 0, 1, 0, 0, 0, 1], dt: 1 / 64, contactModel, physical: { restitution: 0.5 } }
      const { world, counts } = controlled(options, 1e-2, 40)
      const fall = Math.sqrt((2 * 0.9) / g)
      const up = world.state.t[0] - fall
      const exact = 0.1 + 0.5 * g * fall * up - (g * up * up) / 2
      expect(Math.abs(world.state.q[2] - exact) / 0.9).toBeLessThan(1e-2)
      // the impact alone asks for short steps
      expect(counts.smallest).toBeLessThan(counts.largest / 4)
      expect(counts.rejected).toBeGreaterThan(0)
      expect(counts.forced).toBe(0)
    })
  }

  test('a pendulum follows the solution of its equation, the closer the smaller the accuracy', () => {
    const length = 0.4
    const start = 1
    const exact = swing(start, (3 * g) / (4 * length), 1) // a rod of length 2 l: theta'' = -3 g / (4 l) sin(theta)
    const errors = [8e-3, 4e-3, 2e-3].map((accuracy) => {
      const options = { robot: pendulum(2, length), q: [start], dt: 1 / 64, contactModel: 'stewart-trinkle' } as const
      return Math.abs(controlled(options, accuracy, 64).world.state.q[0] - exact)
    })
    errors.forEach((error, i) => {
      expect(error).toBeLessThan(8e-3 / 2 ** i)
    })
    expect(errors[1]).toBeLessThan(0.75 * errors[0])
    expect(errors[2]).toBeLessThan(0.75 * errors[1])
  })

  test('a controller has its turns at its own rate, whatever the steps, and sees the same states again', () => {
    const ticks: number[] = []
    const controller: EffortSource = {
      everySteps: 1,
      start(_, dt) {
        ;(this as { everySteps: number }).everySteps = Math.round(0.05 / dt)
      },
      tick(state, _, tau) {
        ticks.push(state.t[0])
        tau[0] = -2 * state.q[0]
      },
      save: () => null,
      restore: () => {},
    }
    const options = { robot: pendulum(), q: [1], dt: 0.025, contactModel: 'penalty', controller } as const
    const { world, counts } = controlled(options, 1e-2, 8)
    expect(ticks).toEqual([0, 2, 4, 6].map((k) => k * 0.025))
    expect(counts.largest).toBeLessThanOrEqual(0.0125)
    expect(controlled(options, 1e-2, 8).world.hash()).toBe(world.hash())
  })

  test('a world whose step is divided and made whole again goes on as one that never was', () => {
    const options = { robot: pendulum(), q: [1], dt: 0.01, contactModel: 'stewart-trinkle' } as const
    const [plain, divided] = [new World(options), new World(options)]
    const moment = divided.createSnapshot()
    divided.save(moment)
    divided.subdivide(3)
    for (let k = 0; k < 4; k++) divided.step()
    expect(divided.state.t[0]).toBe(0.005)
    expect(() => divided.checkpoint()).toThrow('whole step')
    divided.rewind(moment)
    divided.subdivide(0)
    for (const world of [plain, divided]) for (let k = 0; k < 5; k++) world.step()
    expect(divided.hash()).toBe(plain.hash())
    expect(divided.checkpoint()).toEqual(plain.checkpoint())
  })

  test('refuses an accuracy that is none', () => {
    const world = new World({ robot: pendulum(), dt: 0.01, contactModel: 'penalty' })
    expect(() => new ErrorControl(world, 0, [1])).toThrow('between 0 and 1')
  })
})

/** theta'' = -c sin(theta) from rest, by classical Runge-Kutta steps of 0.1 ms: its error is below 1e-12. */
function swing(theta: number, c: number, duration: number): number {
  const h = 1e-4
  let [x, v] = [theta, 0]
  for (let k = 0; k < Math.round(duration / h); k++) {
    const f = (y: number) => -c * Math.sin(y)
    const [k1, l1] = [v, f(x)]
    const [k2, l2] = [v + (h / 2) * l1, f(x + (h / 2) * k1)]
    const [k3, l3] = [v + (h / 2) * l2, f(x + (h / 2) * k2)]
    const [k4, l4] = [v + h * l3, f(x + h * k3)]
    x += (h / 6) * (k1 + 2 * k2 + 2 * k3 + k4)
    v += (h / 6) * (l1 + 2 * l2 + 2 * l3 + l4)
  }
  return x
}

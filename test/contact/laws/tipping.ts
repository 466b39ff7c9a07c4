import { expect } from 'vitest'
import type { ContactModelOptions } from '../../../contact/index.ts'
import { type Suite, stickSpeed } from './law.ts'
import { box, g, makeWorld, onSlope, pushAt, run, sinkOf, slope, tiltOf, velocityW } from './scenes.ts'

/** Boxes that are pushed, or put on slopes, until they tip or slide. */
export function tippingLaws({ rigid, model, deepest, section, law }: Suite): void {
  section('tipping', () => {
    law('a box on a slope tips at tan = b / c if mu is larger', () => {
      checkTippingOnSlope(model, [0.99, 1.01])
    })

    law('a pushed box slides when F > mu m g, if it is pushed below b / mu, and tips before it slides above', () => {
      const [b, c, mass, mu] = [0.06, 0.1, 10, 0.5]
      // the height at which both happen at once is b / mu = 0.12
      for (const [height, share, slides, tips] of [
        [0.06, 0.99, false, false],
        [0.06, 1.01, true, false],
        [0.115, 1.01, true, false],
        [0.125, 0.97, false, true],
      ] as const) {
        const force = share * mu * mass * g
        const world = makeWorld({
          robot: box([2 * b, 2 * b, 2 * c], mass),
          model,
          physical: { friction: mu, allowedPenetration: 1e-5 },
          q: [0, 0, c - deepest / 100, 0, 0, 0, 1],
          push: (tau, t, q) => pushAt(tau, q, [force * Math.min(t / 0.2, 1), 0, 0], [0, 0, height - c]),
        })
        const early = velocityW(run(world, 0.3))[0]
        const late = velocityW(run(world, 0.4))[0]
        const tilt = tiltOf(world)
        if (tips) expect(tilt).toBeGreaterThan(0.02)
        else {
          expect(tilt).toBeLessThan(1e-3)
          if (slides) expect(Math.abs((late - early) / 0.4 / (0.01 * mu * g) - 1)).toBeLessThan(rigid ? 1e-3 : 0.1)
          else expect(Math.abs(late)).toBeLessThan(stickSpeed)
        }
      }
    })

    law('a box that is about to tip, 9 % of its weight on its upper edge, is held by friction all the same', () => {
      expect(creepNearTipping(model, {})).toBeLessThan(stickSpeed)
    })
  })
}

/** Mean speed of a box that is pushed at its middle with 99 % of mu m g, of which 82 % would tip it [m/s]. */
export function creepNearTipping(model: string, options: ContactModelOptions): number {
  const [b, c, mass, mu] = [0.06, 0.1, 10, 0.5]
  const world = makeWorld({
    robot: box([2 * b, 2 * b, 2 * c], mass),
    model,
    options,
    physical: { friction: mu, allowedPenetration: 1e-4 },
    q: [0, 0, c - sinkOf(model, { allowedPenetration: 1e-4 }), 0, 0, 0, 1],
    push: (tau, t, q) => pushAt(tau, q, [0.99 * mu * mass * g * Math.min(t / 0.2, 1), 0, 0], [0, 0, 0]),
  })
  run(world, 0.6)
  const x = world.state.q[0]
  run(world, 0.4)
  return Math.abs(world.state.q[0] - x) / 0.4
}

/** Puts a box on slopes of these shares of the one on which it tips. */
export function checkTippingOnSlope(model: string, shares: readonly number[]): void {
  const [b, c] = [0.05, 0.1]
  for (const share of shares) {
    const angle = Math.atan((share * b) / c)
    const world = makeWorld({
      robot: box([2 * b, 2 * b, 2 * c]),
      model,
      fixtures: [slope(angle)],
      physical: { friction: 1, allowedPenetration: 1e-5 },
      q: onSlope(c - (sinkOf(model) / 100) * Math.cos(angle), angle),
    })
    run(world, 1)
    const upright = tiltOf(world)
    if (share > 1) expect(upright - angle).toBeGreaterThan(0.05)
    else expect(Math.abs(upright - angle)).toBeLessThan(0.01)
  }
}

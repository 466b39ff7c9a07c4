import { describe, expect, test } from 'vitest'
import { Meter } from '../../compare/measure/metrics.ts'
import { contactModelNamed } from '../../contact/index.ts'
import { sin } from '../../dynamics/index.ts'
import { createFreeBody, createPrescribedBody } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'
import { box, g, makeWorld } from '../contact/laws/scenes.ts'
import { byHand, dt } from './byHand.ts'

const cube = createFreeBody({ name: 'cube', shape: { type: 'box', size: [0.2, 0.2, 0.2] }, mass: 2 })

describe('popping, of motions made up', () => {
  /** A cube `depth` inside that leaves the step at speed u, under a normal impulse p; what follows may be more steps. */
  function popped(depth: number, steps: readonly { readonly u: number; readonly p: number; readonly impact?: boolean }[]) {
    const { world, step, metrics } = byHand(cube)
    world.state.q[2] = 0.1 - depth
    for (const { u, p, impact } of steps) {
      const contact = { impulse: [p, 0, 0], gap: world.state.q[2] - 0.1, impact: [impact ? p : 0, 0, 0] } as const
      step(() => {
        world.state.v[5] = u
        world.state.q[2] += dt * u
      }, [contact])
    }
    return metrics().popping_m as number
  }

  test('is u² / 2g less the overlap that is left', () => {
    // from rest to 0.5 m/s: m u + m g h
    const p = 2 * (0.5 + 9.81 * dt)
    expect(popped(1e-3, [{ u: 0.5, p }])).toBeCloseTo(0.25 / (2 * 9.81) - 0.5e-3, 12)
    expect(popped(20e-3, [{ u: 0.5, p }])).toBe(0)
  })

  test('is no more than the work of the normal force lifts: of a foot that something else lifts nothing is its own', () => {
    expect(popped(1e-3, [{ u: 0.5, p: 0.01 }])).toBeCloseTo((0.01 * 0.25) / (2 * 9.81), 12)
    // a spring that was pressed in gives back what it took
    const pressed = [
      { u: -0.5, p: 1 },
      { u: 0, p: 1 },
    ]
    expect(popped(1e-3, [...pressed, { u: 0.5, p: 1 }])).toBe(0)
  })

  test('of impacts there is none', () => {
    expect(popped(1e-3, [{ u: 0.5, p: 2, impact: true }])).toBe(0)
  })
})

describe('popping, of a box that starts inside of the ground', () => {
  /** What is measured, and how high above the ground the box got in a second [m]. */
  function pop(model: string, depth: number, options = {}) {
    const world = makeWorld({ robot: box([0.2, 0.2, 0.2]), model, options, q: [0, 0, 0.1 - depth, 0, 0, 0, 1] })
    const meter = new Meter(world, [undefined], 1000)
    let top = 0
    for (let k = 0; k < 1000; k++) {
      meter.before()
      world.step()
      meter.after()
      top = Math.max(top, world.state.q[2] - 0.1)
    }
    return { popping: meter.metrics().popping_m as number, top }
  }

  test.each([1e-3, 1e-2])('%d m deep: springs, critical drift terms and projection throw nothing', (depth) => {
    for (const model of ['penalty-deepest', 'penalty', 'hunt-crossley', 'lcp', 'anitescu-potra', 'mujoco', 'drake']) {
      expect(pop(model, depth), model).toEqual({ popping: 0, top: 0 })
    }
  })

  test('a stabilising velocity throws it by no more than its own u² / 2g, whatever the depth', () => {
    for (const depth of [1e-3, 1e-2]) {
      for (const model of ['stewart-trinkle', 'ncp', 'convex']) {
        const { popping, top } = pop(model, depth)
        expect(popping).toBeLessThan((0.1 * 0.1) / (2 * g))
        expect(popping).toBeCloseTo(1.097e-4, 7)
        // a step of semi-implicit flight rises h u / 2 less
        expect(Math.abs(popping - 0.5 * dt * 0.1 - top)).toBeLessThan(2e-6)
      }
    }
    const { popping, top } = pop('stewart-trinkle', 1e-2, { correctionSpeed: 1 })
    expect(popping).toBeCloseTo(0.04697, 5)
    expect(Math.abs(popping - 0.5 * dt - top)).toBeLessThan(1e-4)
  })

  test('an integral that forgets nothing to speak of throws it, and the forgetting factor of 0.85 prevents that', () => {
    const options = { kiRatio: 0.1, lambda: 0.99 }
    const { popping, top } = pop('penalty', 1e-2, options)
    expect(popping).toBeCloseTo(5.91e-4, 6)
    // a little lower where it is last pushed, and corners leave one after another
    expect(Math.abs(popping - top)).toBeLessThan(5e-5)
    expect(pop('penalty', 1e-2, { ...options, lambda: 0.85 })).toEqual({ popping: 0, top: 0 })
  })
})

describe('popping, of a cube on a plate whose motion is prescribed', () => {
  const plate = createPrescribedBody({ name: 'plate', shape: { type: 'box', size: [4, 4, 0.2] } })
  const h = 1e-3

  /** The plate's top is at height(t), a belt if it has a speed; the cube starts `depth` inside, with the plate's velocity [m, m/s]. */
  function popped(contactModel: string, depth: number, height: (t: number) => number, belt = 0): number {
    const motion = {
      pose: (t: number, out: Float64Array) => out.set([0, 0, height(t) - 0.1, 0, 0, 0, 1]),
      surface: (_: number, out: Float64Array) => out.set([belt, 0, 0]),
    }
    const q = [0, 0, height(0) + 0.1 - depth, 0, 0, 0, 1]
    const world = new World({
      robots: [
        { robot: cube, q: Float64Array.from(q), v: Float64Array.of(0, 0, 0, 0, 0, (height(h) - height(0)) / h) },
        { robot: plate, motion },
      ],
      fixtures: [],
      contactModel: contactModelNamed(contactModel),
      dt: h,
    })
    const meter = new Meter(world, [undefined, undefined], 500)
    for (let k = 0; k < 500; k++) {
      meter.before()
      world.step()
      meter.after()
    }
    return meter.metrics().popping_m as number
  }
  const still = () => 0
  const lift = (t: number) => 0.4 * t
  /** Up and down at 2 Hz, with at most 0.8 g. */
  const shaker = (t: number) => ((0.8 * g) / (4 * Math.PI) ** 2) * sin(4 * Math.PI * t)

  test('there is none on a belt, on a lift and on a shaker that it stays on', () => {
    // the soft cone of `mujoco` lifts what a belt slides under, by 0.1 mm
    for (const model of ['penalty', 'stewart-trinkle', 'ncp', 'lcp']) {
      expect([popped(model, 0, still, 1), popped(model, 0, lift), popped(model, 0, shaker)], model).toEqual([0, 0, 0])
    }
  })

  test('5 mm inside, a stabilising velocity of 0.1 m/s throws it by u² / 2g less what is left when that ends, at rest as on a lift', () => {
    // a fifth of the overlap a step, at most u h: below 5 u h the velocity falls, one step beyond 4 u h are left
    const u = 0.1
    const exact = (u * u) / (2 * g) - 4 * u * h
    for (const model of ['stewart-trinkle', 'ncp', 'convex']) {
      for (const height of [still, lift, (t: number) => -lift(t)]) {
        expect(Math.abs(popped(model, 5e-3, height) - exact), model).toBeLessThan(1e-7)
      }
    }
  })
})

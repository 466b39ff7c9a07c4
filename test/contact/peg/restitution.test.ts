/*
 * A cube that hits a fixed block near an edge, where faces of both and pairs of edges are alternatives: it rebounds from the one that it hits.
 * Without gravity and friction, at 1 ms and at 10 ms.
 */
import { describe, expect, test } from 'vitest'
import { createRandom, quaternionOfRotation } from '../../../dynamics/index.ts'
import type { World } from '../../../simulation/index.ts'
import { cross, dot, product, randomRotation, rotation, turned, turnedBack } from '../geometry/poses.ts'
import { box, fixedBox, kineticMeter, makeWorld, rotate, sphere, type Vector } from '../laws/scenes.ts'

/** Its top is z = 0, its side x = 0. */
const block = fixedBox('block', [-0.5, 0, -0.5], [1, 1, 1])
const a = 0.1
const mass = 1
const inertia = (mass * a * a) / 6
const steps = [1e-3, 1e-2]
/** What the compliance leaves of a speed. */
const SOFT = 1e-4

/** The cube with a point of it, in its own axes, at `at`, and with velocity v. */
function flying(R: Float64Array, point: ArrayLike<number>, at: Vector, v: Vector, restitution: number, dt: number): World {
  const q = new Float64Array(7)
  const r = turned(R, point)
  for (let k = 0; k < 3; k++) q[k] = at[k] - r[k]
  quaternionOfRotation(q, 3, R)
  const own = turnedBack(R, v)
  const robot = box([a, a, a], mass, [0, 0, 0])
  const physical = { friction: 0, restitution }
  return makeWorld({ robot, model: 'peg', dt, fixtures: [block], physical, q: [...q], v: [0, 0, 0, ...own] })
}

/** Velocity and angular velocity after an impulse along n at the arm r, which leaves -e times the approach. */
function rebound(v: Vector, r: ArrayLike<number>, n: Vector, e: number): number[] {
  const lever = cross(r, n)
  const p = (-(1 + e) * dot(v, n)) / (1 / mass + dot(lever, lever) / inertia)
  return [...v.map((x, k) => x + (p / mass) * n[k]), ...lever.map((x) => (p / inertia) * x)]
}

const impulses = ({ contacts: { count, impulse } }: World) =>
  Array.from({ length: count }, (_, i) => impulse[3 * i]).reduce((sum, p) => sum + p, 0)

/** Takes so many milliseconds; the velocities in the world's axes. */
function after(world: World, ms: number, dt: number): number[] {
  for (let t = 0; t < ms * 1e-3 - 1e-9; t += dt) {
    world.step()
    expect(world.events).toMatchObject({ fallbacks: 0, failures: 0 })
  }
  const { q, v } = world.state
  return [...rotate(q, 3, [v[3], v[4], v[5]]), ...rotate(q, 3, [v[0], v[1], v[2]])]
}

const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((c) => [c & 1, c & 2, c & 4].map((bit) => (bit > 0 ? a / 2 : -a / 2)))
const lowestOf = (R: Float64Array) => corners.reduce((x, y) => (turned(R, x)[2] < turned(R, y)[2] ? x : y))
/** A corner lowest, by far. */
const onCorner = product(rotation([0, 1, 0], 0.5), rotation([1, 0, 0], -0.6))
const corner = lowestOf(onCorner)

describe('a corner that comes down beside an edge of the block', () => {
  // sideways it is out of the way sooner than upwards; the last rises past the edge before it comes down
  const flights: readonly { readonly at: Vector; readonly v: Vector }[] = [
    { at: [-1e-3, 0.01, 5e-4], v: [0, 0, -1] },
    { at: [-1e-4, 0.01, 5e-4], v: [0, 0, -1] },
    { at: [-1e-3, 0.01, 4e-3], v: [0.05, 0, -1] },
    { at: [2e-3, 0.01, 5e-3], v: [-0.6, 0.2, -1.2] },
  ]
  for (const dt of steps) {
    test(`rebounds from the top by e, at ${1e3 * dt} ms`, () => {
      for (const { at, v } of flights) {
        for (const e of [0.5, 1]) {
          const found = after(flying(onCorner, corner, at, v, e, dt), 10, dt)
          rebound(v, turned(onCorner, corner), [0, 0, 1], e).forEach((x, k) => {
            // the angular velocity is as much larger as the arm is shorter than a metre
            expect(Math.abs(found[k] - x)).toBeLessThan(k < 3 ? SOFT : SOFT / a)
          })
        }
      }
    })
  }
})

describe('an edge that comes down across an edge of the block', () => {
  for (const dt of steps) {
    test(`rebounds across both by e, at ${1e3 * dt} ms`, () => {
      for (const angle of [0.2, 0.5, 1.2]) {
        const R = product(rotation([0, 1, 0], angle), rotation([1, 0, 0], Math.PI / 4))
        const n: Vector = [Math.sin(angle), 0, Math.cos(angle)]
        const point = [0.02, -a / 2, -a / 2] // of an edge along the cube's x axis
        for (const e of [0.5, 1]) {
          const v: Vector = [-0.8 * n[0], 0, -0.8 * n[2]]
          const at: Vector = [1e-3 * n[0], 0, 1e-3 * n[2]]
          const found = after(flying(R, point, at, v, e, dt), 10, dt)
          rebound(v, turned(R, point), n, e).forEach((x, k) => {
            expect(Math.abs(found[k] - x)).toBeLessThan(k < 3 ? SOFT : SOFT / a)
          })
        }
      }
    })
  }
})

test('a ball whose centre is a millimetre inside of an edge rebounds straight up by e', () => {
  for (const dt of steps) {
    for (const e of [0.5, 1]) {
      const world = makeWorld({
        robot: sphere(0.05, 1, [0, 0, 0]),
        model: 'peg',
        dt,
        fixtures: [block],
        physical: { friction: 0, restitution: e },
        q: [-1e-3, 0, 0.054, 0, 0, 0, 1],
        v: [0, 0, 0, 0, 0, -1],
      })
      after(world, 10, dt).forEach((x, k) => {
        expect(Math.abs(x - (k === 2 ? e : 0))).toBeLessThan(SOFT)
      })
    }
  }
})

describe('kinetic energy', () => {
  for (const dt of steps) {
    test(`does not grow where corners hit near an edge, at ${1e3 * dt} ms`, () => {
      const random = createRandom(11)
      let hits = 0
      for (let n = 0; n < 20; n++) {
        const e = n % 2 === 0 ? 0.5 : 1
        const R = randomRotation(random)
        const at: Vector = [random.between(-5e-3, 5e-3), 0, random.between(2e-3, 1e-2)]
        const v: Vector = [random.between(-1, 0.5), random.between(-0.5, 0.5), -1]
        const world = flying(R, lowestOf(R), at, v, e, dt)
        const energy = kineticMeter(world)
        const start = energy()
        let before = start
        let hasHit = false
        for (let t = 0; t < 0.05; t += dt) {
          world.step()
          const now = energy()
          // an edge that slides upon another while it turns is lifted out of what first order leaves, which is no rebound
          expect(now).toBeLessThanOrEqual(before * (1 + (hasHit ? 2e-4 : 1e-12)))
          expect(now).toBeLessThanOrEqual(start * (1 + 1e-12))
          if (impulses(world) > 0) hasHit = true
          before = now
        }
        if (hasHit) hits++
      }
      expect(hits).toBeGreaterThan(10)
    })
  }
})

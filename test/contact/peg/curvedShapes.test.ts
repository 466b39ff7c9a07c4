/*
 * Balls, wheels and capsules under models on feature contacts: what they do on a box in closed form, as the shapes that they are.
 */
import { describe, expect, test } from 'vitest'
import type { PlacedShape, Shape } from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { createFreeBody } from '../../../robots/index.ts'
import { World } from '../../../simulation/index.ts'
import {
  fixedBox,
  g,
  identity,
  makeWorld,
  onSlope,
  roller,
  run,
  slopeRotation,
  sphere,
  unrotate,
  type Vector,
  velocityW,
} from '../laws/scenes.ts'

const models = ['peg', 'lnc'] as const
const radius = 0.05
/** Its top at z = 0. */
const plank = (length: number, middle = 0) => fixedBox('plank', [middle, 0, -0.05], [length, 1, 0.1])

/** Errors at steps of which each is half the one before: halved too, to the share that is not of first order. */
function expectFirstOrder(errors: readonly number[], share = 0.1): void {
  for (let n = 1; n < errors.length; n++) expect(Math.abs(errors[n] / errors[n - 1] - 0.5)).toBeLessThan(share)
}

describe.each(models)('%s', (model) => {
  test('a ball that slides onto a plank rolls on at 5/7 of its speed, and its place converges with the step', () => {
    const [mu, v0, end] = [0.3, 1, 0.5]
    const rolls = (2 * v0) / (7 * mu * g)
    const place = v0 * rolls - 0.5 * mu * g * rolls * rolls + (5 / 7) * v0 * (end - rolls)
    const errors = [4e-3, 2e-3, 1e-3].map((dt) => {
      const q = [0, 0, radius, 0, 0, 0, 1]
      const robot = sphere(radius)
      const world = makeWorld({ robot, model, dt, fixtures: [plank(4)], physical: { friction: mu }, q, v: [0, 0, 0, v0, 0, 0] })
      run(world, end)
      // softness leaves 1e-8 of the weight
      expect(Math.abs(velocityW(world)[0] - (5 / 7) * v0)).toBeLessThan(1e-7)
      expect(Math.abs(world.state.q[2] - radius)).toBeLessThan(1e-8)
      return world.state.q[0] - place
    })
    expectFirstOrder(errors)
  })

  /*
   * About the edge, with the angle a from upright, r² (1 + k) omega²/2 + g r cos a stays, k = 2/5. It leaves where m g cos a = m omega² r:
   * cos a = (v0² / (g r) + 2 / (1 + k)) / (1 + 2 / (1 + k)).
   */
  test('a ball that rolls over the edge of a plank turns about it, leaves it where its weight no longer holds it there, and falls', () => {
    const [v0, k] = [0.3, 0.4]
    const c = ((v0 * v0) / (g * radius) + 2 / (1 + k)) / (1 + 2 / (1 + k))
    const speed = Math.sqrt(c * g * radius)
    const errors = [2e-3, 1e-3, 5e-4].map((dt) => {
      const world = makeWorld({
        robot: sphere(radius),
        model,
        dt,
        fixtures: [plank(1, -0.5)],
        physical: { friction: 20 }, // as it leaves nothing less holds
        q: [-0.02, 0, radius, 0, 0, 0, 1],
        v: [0, v0 / radius, 0, v0, 0, 0],
      })
      run(world, 0.3)
      // from then on its horizontal speed and its spin stay
      return [velocityW(world)[0] - speed * c, world.state.v[1] - speed / radius]
    })
    for (const [e, s] of errors) {
      expect(Math.abs(e)).toBeLessThan(0.02 * speed)
      expect(Math.abs(s)).toBeLessThan((0.02 * speed) / radius)
    }
    // of a step in which it leaves, or not, comes a part that falls without order
    for (const part of [0, 1]) expect(Math.abs(errors[2][part])).toBeLessThan(0.5 * Math.abs(errors[0][part]) + 1e-4 / radius)
  })

  test('a wheel on a plank carries its weight at its ends, and a wheel rolls down a plank at g sin a / (1 + 1/2)', () => {
    const rest = makeWorld({ robot: roller(radius, 0.1), model, fixtures: [plank(1)], q: [0, 0, radius, 0, 0, 0, 1] })
    run(rest, 0.01)
    const { count, impulse } = rest.contacts
    let normal = 0
    for (let i = 0; i < count; i++) normal += impulse[3 * i]
    expect(count).toBe(2)
    expect(normal / (10 * g * 1e-3)).toBeCloseTo(1, 6)
    expect(impulse[0] / normal).toBeCloseTo(0.5, 6)

    const angle = 0.3
    for (const dt of [1e-2, 1e-3]) {
      const R = slopeRotation(angle)
      const board = { ...plank(8), R, p: Float64Array.from([-0.05 * R[2], 0, -0.05 * R[8]]) }
      const world = makeWorld({
        robot: roller(radius, 0.1),
        model,
        dt,
        fixtures: [board],
        physical: { friction: 0.5 },
        q: onSlope(radius, angle),
      })
      run(world, 0.5)
      const speed = Math.hypot(...velocityW(world))
      expect(Math.abs(speed / 0.5 / ((g * Math.sin(angle)) / 1.5) - 1)).toBeLessThan(1e-6)
    }
  })
})

describe('peg', () => {
  const shapes: [string, Shape][] = [
    ['a ball', { type: 'sphere', radius }],
    ['a capsule', { type: 'capsule', radius, length: 0.1 }],
    ['a wheel', { type: 'cylinder', radius, length: 0.1 }],
  ]
  const others: [string, PlacedShape, number][] = [
    ['the edge of a box', fixedBox('box', [-0.5, 0, -0.5], [1, 1, 1]), radius],
    ['a ball', { name: 'ball', body: 0, shape: { type: 'sphere', radius }, R: identity, p: new Float64Array(3) }, 2 * radius],
  ]
  for (const [what, shape] of shapes) {
    for (const [past, fixture, touching] of others) {
      test(`${what} that flies past ${past} at 1 mm is not pushed, however large the step`, () => {
        const random = createRandom(931)
        const s = Math.SQRT1_2
        for (let n = 0; n < 25; n++) {
          const [way, dt] = [random.between(0.02, 0.2), random.between(0.02, 0.3)]
          // across the diagonal from the origin
          const clear = (touching + 1e-3) * s
          const world = flying(shape, [clear - way * s, 0, clear + way * s], [s, 0, -s], fixture, dt)
          for (let k = 0; k < 4; k++) world.step()
          const v = velocityW(world)
          expect(Math.hypot(v[0] - s, v[1], v[2] + s)).toBeLessThan(1e-12)
          expect(world.events).toMatchObject({ failures: 0, fallbacks: 0 })
        }
      })
    }
  }

  test('a ball that a large step would carry into the edge of a box ends in touch with it, and no impulse turns it without friction', () => {
    for (const dt of [0.01, 0.03, 0.1]) {
      // at right angles to its way it is 0.56 radii off the edge
      const aside = 0.4 * radius
      const from = Math.SQRT1_2 * (Math.sqrt(radius * radius - 2 * aside * aside) + 0.3 * dt)
      const world = flying(
        { type: 'sphere', radius },
        [from + aside, 0, from - aside],
        [-Math.SQRT1_2, 0, -Math.SQRT1_2],
        others[0][1],
        dt,
      )
      world.step()
      const [x, , z] = world.state.q
      const distance = Math.hypot(Math.max(x, 0), Math.max(z, 0))
      expect(Math.abs(distance - radius)).toBeLessThan(1e-5)
      expect(Math.hypot(...world.state.v.subarray(0, 3))).toBeLessThan(1e-12)
      expect(world.events).toMatchObject({ failures: 0, fallbacks: 0 })
    }
  })

  test('frictionless balls meet as the closed form of two spheres has it, to first order in the step, with momentum and energy to rounding', () => {
    for (const restitution of [0, 0.5, 1]) {
      const errors = [4e-3, 2e-3, 1e-3, 5e-4].map((dt) => {
        // they meet at t = 0.36 / 1.5 - ..., aside by 0.6 of a diameter
        const aside = 1.2 * radius
        const world = pair(aside, restitution, dt)
        run(world, 0.4)
        const n = [Math.sqrt(1 - 0.36), 0.6]
        const p = ((1 + restitution) / 2) * 1.5 * n[0]
        const [a, b] = [velocityOf(world, 0), velocityOf(world, 1)]
        for (let k = 0; k < 3; k++) expect(Math.abs(a[k] + b[k] - (k === 0 ? 0.5 : 0))).toBeLessThan(1e-12)
        const energy = 0.5 * (square(a) + square(b))
        expect(energy).toBeLessThan(0.625 * (1 + 1e-9))
        // what compliance and the normal at the start of the step leave
        if (restitution === 1) expect(energy / 0.625).toBeCloseTo(1, 4)
        expect(Math.hypot(...world.state.v.subarray(0, 3))).toBeLessThan(1e-12)
        return Math.hypot(a[0] - (1 - p * n[0]), a[1] + p * n[1])
      })
      expect(errors[0]).toBeLessThan(0.1)
      // where in a step they meet varies
      expect(errors[3]).toBeLessThan(0.3 * errors[0] + 1e-4)
    }
  })
})

const square = (v: readonly number[]) => v.reduce((sum, x) => sum + x * x, 0)

function flying(shape: Shape, position: Vector, v: Vector, fixture: PlacedShape, dt: number): World {
  // the axis along y
  const quaternion = [Math.SQRT1_2, 0, 0, Math.SQRT1_2] as const
  const robot = createFreeBody({ name: 'body', shape, mass: 1, position, quaternion, gravity: [0, 0, 0] })
  const world = makeWorld({ robot, model: 'peg', dt, fixtures: [fixture], physical: { friction: 0, restitution: 0 } })
  world.state.v.set(unrotate(world.state.q, 3, v), 3)
  return world
}

/** 1 m/s and -0.5 m/s along x. */
function pair(aside: number, restitution: number, dt: number): World {
  const ball = (name: string, position: Vector) =>
    createFreeBody({ name, shape: { type: 'sphere', radius }, mass: 1, position, gravity: [0, 0, 0] })
  return new World({
    robots: [
      { robot: ball('a', [0, 0, 0]), v: [0, 0, 0, 1, 0, 0] },
      { robot: ball('b', [0.3, aside, 0]), v: [0, 0, 0, -0.5, 0, 0] },
    ],
    fixtures: [],
    contactModel: 'peg',
    physical: { friction: 0, restitution },
    dt,
  })
}

const velocityOf = ({ state: { v } }: World, i: number) => [...v.subarray(6 * i + 3, 6 * i + 6)]

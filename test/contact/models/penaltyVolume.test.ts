import { expect, test } from 'vitest'
import { hullOf } from '../../../contact/geometry/index.ts'
import type { ContactModelOptions } from '../../../contact/index.ts'
import { createControllerLoop, hold } from '../../../control/index.ts'
import { loadOwnRobot } from '../../../robots/files.ts'
import { createFreeBody } from '../../../robots/index.ts'
import { box, energyMeter, g, largestDuring, makeWorld, run, support, type Vector } from '../laws/scenes.ts'

/*
 * Springs spread evenly over the patch, `points: volume`: F = K V / A0, A0 a quarter of the smaller shape's surface.
 */

const options = { points: 'volume', impacts: 'none' }
const quarter = ([x, y, z]: Vector) => (x * y + y * z + z * x) / 2
const frictionless = { friction: 0 }

test('a box sunk flat stands at d0 A0 / A, and does not shake', () => {
  const size: Vector = [0.2, 0.2, 0.05]
  const world = makeWorld({ robot: box(size), model: 'penalty', options, q: [0, 0, 0.0245, 0, 0, 0, 1] })
  run(world, 1)
  expect(Math.abs(0.025 - world.state.q[2] - (1e-3 * quarter(size)) / 0.04)).toBeLessThan(1e-12)
  const fastest = largestDuring(world, 1, ({ state }) => Math.max(...state.v.map(Math.abs)))
  // with the deepest point alone 5.6 mm/s
  expect(fastest).toBeLessThan(1e-12)
})

test('a tilted box is pushed by the weight of the fluid that it displaces, at its centroid', () => {
  // half width a, half height c, width w, tilt t, lower edge d below the plane: a triangle of legs d / tan and d tan along the plane
  const [a, c, w, t, d, kp] = [0.1, 0.05, 0.3, 0.2, 0.004, 1e5]
  const world = makeWorld({
    robot: box([2 * a, w, 2 * c]),
    model: 'penalty',
    dt: 1e-7,
    integrator: 'rk4',
    options: { ...options, kv: 0, kp },
    physical: frictionless,
    q: [0, 0, a * Math.sin(t) + c * Math.cos(t) - d, 0, Math.sin(t / 2), 0, Math.cos(t / 2)],
  })
  world.step()
  const { force, pressure } = support(world)
  const [left, right] = [d / Math.tan(t), d * Math.tan(t)]
  const k = kp / quarter([2 * a, w, 2 * c])
  expect(Math.abs(force / ((k * w * d * (left + right)) / 2) - 1)).toBeLessThan(1e-8)
  expect(Math.abs(pressure[0] - (a * Math.cos(t) - c * Math.sin(t) + (right - left) / 3))).toBeLessThan(1e-9)
})

/** Energy of a tumbling box without friction and dampers in the air, farthest from what it was, over what it had above its rest. */
function energyError(points: string): number {
  const s = Math.sin(0.05)
  const world = makeWorld({
    robot: box([0.2, 0.3, 0.1]),
    model: 'penalty',
    dt: 2e-4,
    integrator: 'rk4',
    options: { points, integral: false, impacts: 'none', kv: 0, kp: 1e5 },
    physical: frictionless,
    q: [0, 0, 0.1, 0.6 * s, 0.8 * s, 0, Math.cos(0.05)],
  })
  const energy = energyMeter(world)
  const start = energy()
  let error = 0
  run(world, 1, ({ contacts }) => {
    if (contacts.count === 0) error = Math.max(error, Math.abs(energy() - start))
  })
  return error / (start - 10 * g * 0.05)
}

test('without dampers it keeps energy, for on a plane its forces have the potential k ∫ d² / 2; points that share a force have none', () => {
  expect(energyError('volume')).toBeLessThan(1e-6)
  // where the number of points that share jumps, half the energy has gone or come
  expect(energyError('bottom')).toBeGreaterThan(0.1)
})

test('a box stands on another, off its middle, but for the creep of regularised friction', () => {
  const robots = [0, 1].map((k) => ({ robot: box([0.2, 0.2, 0.1]), q: [0.02 * k, 0, 0.05 + 0.1 * k, 0, 0, 0, 1] }))
  const world = makeWorld({ robots, model: 'penalty', options })
  run(world, 2)
  const place = world.state.q.slice()
  run(world, 1)
  // 1 cm off the middle of a patch 18 cm wide it leans by 12 d0 0.01 / 0.18², 3.7e-3, and creeps by stickSpeed times that over mu
  for (let k = 0; k < place.length; k++) expect(Math.abs(world.state.q[k] - place[k])).toBeLessThan(1e-6)
  // each pair follows the load that it carries: K d A / A0 = L, where A is the patch
  expect(Math.abs(0.05 - place[2] - 1e-3)).toBeLessThan(1e-4)
})

test('a square that spins on its face is braked at a / √6, where a uniform pressure brakes at 0.3826 a and four corners at 0.707 a', () => {
  const [a, h, mu] = [0.2, 0.05, 0.3]
  const world = makeWorld({
    robot: box([a, a, h]),
    model: 'penalty',
    options,
    physical: { friction: mu },
    q: [0, 0, h / 2 - 7.5e-4, 0, 0, 0, 1],
    v: [0, 0, 20, 0, 0, 0],
  })
  run(world, 0.1)
  const early = world.state.v[2]
  run(world, 0.2)
  const radius = ((early - world.state.v[2]) / 0.2) * ((a * a) / 6 / (mu * g))
  expect(Math.abs(radius / (a / Math.sqrt(6)) - 1)).toBeLessThan(1e-3)
})

test('what is no polyhedron has the points of the bottom: a wheeled robot goes as it does without an integral', () => {
  const robot = loadOwnRobot('diffdrive')
  const settings: ContactModelOptions[] = [{ points: 'volume' }, { integral: false }]
  const [one, other] = settings.map((options) =>
    makeWorld({
      robot,
      model: 'penalty',
      options,
      controller: createControllerLoop(hold(), robot),
      v: robot.home.map(() => 0.1).slice(1),
    }),
  )
  run(one, 1)
  run(other, 1)
  expect(one.state.q).toEqual(other.state.q)
})

test('with patch: uniform a square is braked by 0.3826 a mu m g as it spins, a disc of 24 corners by 2/3 R mu m g', () => {
  const [mu, m, a, R, omega, time] = [0.4, 2, 0.2, 0.1, 6, 0.05]
  const corner = (k: number, z: number): Vector => [R * Math.cos((k * Math.PI) / 12), R * Math.sin((k * Math.PI) / 12), z]
  const points = [-0.02, 0.02].flatMap((z) => Array.from({ length: 24 }, (_, k) => corner(k, z)))
  const mean = (Math.SQRT2 + Math.log(1 + Math.SQRT2)) / 6
  // a polygon of 24 corners reaches less far than its disc, by a part of pi² / 24² and a little: 1 %
  for (const [shape, half, r, tolerance] of [
    [{ type: 'box', size: [a, a, 0.04] }, 0.02, mean * a, 1e-3],
    [{ type: 'hull', polyhedron: hullOf(Float64Array.from(points.flat())) }, 0.02, (2 / 3) * R, 0.012],
  ] as const) {
    const robot = createFreeBody({ name: 'body', shape, mass: m })
    const world = makeWorld({
      robot,
      model: 'penalty',
      dt: 1e-4,
      options: { ...options, patch: 'uniform' },
      physical: { friction: mu },
      q: [0, 0, half - 1e-3, 0, 0, 0, 1],
    })
    run(world, 0.3) // springs of the volume come to rest
    world.state.v[2] = omega
    run(world, time)
    const J = robot.model.I[1][6]
    expect(Math.abs((omega - world.state.v[2]) / ((mu * m * g * r * time) / J) - 1)).toBeLessThan(tolerance)
  }
})

import { describe, expect, test } from 'vitest'
import { largestSeparation } from '../../../contact/geometry/distance/penetration.ts'
import { boxPolyhedron, type Collider, coreDistance, hullOf, type Shape } from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import { bruteForceDistance } from './bruteForce.ts'
import {
  colliderAt,
  distanceOf,
  identity,
  product,
  randomHull,
  randomRotation,
  randomShapes,
  randomUnit,
  rotation,
  scaled,
  separationAlong,
} from './poses.ts'

/** Points on a sphere of radius 0.4, all of them corners. */
function ballHull(seed: number, count: number): Shape {
  const random = createRandom(seed)
  const cloud = new Float64Array(3 * count)
  for (let i = 0; i < count; i++) {
    const n = randomUnit(random)
    for (let k = 0; k < 3; k++) cloud[3 * i + k] = 0.4 * n[k]
  }
  return { type: 'hull', polyhedron: hullOf(cloud, 256) }
}

describe('the growing polytope answers what trying every direction answers', () => {
  test('for hulls of 256 vertices, to 1e-12', () => {
    const random = createRandom(21)
    const shapes = [1, 2, 3, 4].map((seed) => ballHull(seed, 256))
    const found = new Float64Array(4)
    for (let n = 0; n < trials(40); n++) {
      const a = colliderAt(shapes[n % 4], randomRotation(random), [0, 0, 0])
      const way = random.between(0, 0.85)
      const b = colliderAt(shapes[(n + 1 + random.index(3)) % 4], randomRotation(random), scaled(randomUnit(random), way))
      expect(a.core!.vertices.length).toBe(768)
      const d = distanceOf(a, b)[0]
      largestSeparation(a, b, found)
      if (d > 0) expect(found[0]).toBeLessThan(d + 1e-12)
      else expect(Math.abs(d - found[0])).toBeLessThan(1e-12)
    }
  })

  test('for every pair with a cylinder, to 2e-9: where two places are equally deep to that, it may be the other one', () => {
    const random = createRandom(22)
    const found = new Float64Array(4)
    for (const name of ['box', 'hull', 'capsule', 'cylinder']) {
      let exact = 0
      let count = 0
      for (let n = 0; n < (name === 'cylinder' ? 40 : 300); n++) {
        const way = random.between(0, 0.4)
        const a = colliderAt(randomShapes[name](random), randomRotation(random), [0, 0, 0])
        const b = colliderAt(randomShapes.cylinder(random), randomRotation(random), scaled(randomUnit(random), way))
        coreDistance(a, b, new Float64Array(3), new Float64Array(10))
        const d = distanceOf(a, b)[0] + a.rounding + b.rounding
        if (d >= 0) continue
        largestSeparation(a, b, found)
        count++
        if (Math.abs(d - found[0]) < 1e-12) exact++
        expect(found[0] - d).toBeLessThan(2e-9)
        // the search among two cylinders' rims may miss what the polytope does not
        if (name !== 'cylinder') expect(d - found[0]).toBeLessThan(1e-11)
      }
      expect(exact).toBeGreaterThan(0.8 * count)
    }
  })
})

describe('degenerate overlaps', () => {
  const box: Shape = { type: 'box', size: [0.4, 0.6, 0.8] }
  const boxHull: Shape = { type: 'hull', polyhedron: boxPolyhedron([0.4, 0.6, 0.8]) }
  const ball = ballHull(5, 256)
  const can: Shape = { type: 'cylinder', radius: 0.3, length: 0.6 }
  const capsule: Shape = { type: 'capsule', radius: 0.2, length: 0.5 }
  const shapes: Record<string, Shape> = { box, 'box as a hull': boxHull, 'hull of 256': ball, cylinder: can, capsule }

  function expectSound(a: Collider, b: Collider): Float64Array {
    const out = distanceOf(a, b)
    for (const x of out) expect(Number.isFinite(x)).toBe(true)
    expect(Math.abs(Math.hypot(out[1], out[2], out[3]) - 1)).toBeLessThan(1e-12)
    // along the normal they part by just this; between two points of the cores a distance d apart it is off by their rounding over d
    const core = out[0] + a.rounding + b.rounding
    const off = core > 0 ? 1e-14 / core : 0
    expect(Math.abs(separationAlong(a, b, out.slice(1, 4)) - out[0])).toBeLessThan(1e-11 + Math.min(off, 1e-3))
    for (let k = 0; k < 3; k++) expect(Math.abs(out[7 + k] - out[4 + k] - out[0] * out[1 + k])).toBeLessThan(1e-12)
    return out
  }

  test('identical shapes in one place and one pose, turned a little, moved a little: finite, a unit normal, and it parts them', () => {
    const random = createRandom(23)
    for (const shape of Object.values(shapes)) {
      for (const R of [identity, randomRotation(random)]) {
        const a = colliderAt(shape, R, [1, 2, 3])
        for (const step of [0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3]) {
          const turned = product(rotation(randomUnit(random), step), R)
          expectSound(a, colliderAt(shape, R, [1 + step, 2, 3 - step]))
          expectSound(a, colliderAt(shape, turned, [1, 2, 3]))
        }
      }
    }
  })

  test('stacks with no gap, faces flush, half over the edge, edge on edge and corner on corner: the gap to 1e-12', () => {
    for (const gap of [0, 1e-15, -1e-15, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6, 1e-3, -1e-3]) {
      for (const shape of [box, boxHull]) {
        for (const other of [box, boxHull]) {
          const a = colliderAt(shape, identity, [0, 0, 0])
          for (const [x, y] of [
            [0, 0],
            [0.2, 0],
            [0.1, -0.3],
            [1e-9, 1e-13],
          ]) {
            const out = expectSound(a, colliderAt(other, identity, [x, y, 0.8 + gap]))
            expect(Math.abs(out[0] - gap)).toBeLessThan(1e-12)
            expect(out[3]).toBe(1)
          }
          // touching along an edge, and in a corner: apart by the gap in each direction
          if (gap < 0) continue
          const onEdge = expectSound(a, colliderAt(other, identity, [0.4 + gap, 0.1, 0.8 + gap]))
          expect(Math.abs(onEdge[0] - gap * Math.SQRT2)).toBeLessThan(1e-10)
          const onCorner = expectSound(a, colliderAt(other, identity, [0.4 + gap, 0.6 + gap, 0.8 + gap]))
          expect(Math.abs(onCorner[0] - gap * Math.sqrt(3))).toBeLessThan(1e-10)
        }
      }
    }
  })

  test('parallel edges, cylinders on their caps and on their sides, with no gap', () => {
    const edgeUp = rotation([1, 0, 0], Math.PI / 4)
    const cube: Shape = { type: 'box', size: [1, 1, 1] }
    const lying = rotation([1, 0, 0], Math.PI / 2)
    for (const gap of [0, 1e-14, -1e-14, 1e-10, -1e-10, 1e-4, -1e-4]) {
      const edges = expectSound(colliderAt(cube, edgeUp, [0, 0, 0]), colliderAt(cube, edgeUp, [0.3, 0, Math.SQRT2 + gap]))
      expect(Math.abs(edges[0] - gap)).toBeLessThan(gap >= 0 ? 1e-9 : Infinity)
      const stack = expectSound(colliderAt(can, identity, [0, 0, 0]), colliderAt(can, identity, [0, 0, 0.6 + gap]))
      expect(Math.abs(stack[0] - gap)).toBeLessThan(1e-12)
      const beside = expectSound(colliderAt(can, lying, [0, 0, 0]), colliderAt(can, lying, [0, 0.2, 0.6 + gap]))
      expect(Math.abs(beside[0] - gap)).toBeLessThan(1e-12)
      const onBox = expectSound(colliderAt(box, identity, [0, 0, 0]), colliderAt(can, lying, [0.05, 0, 0.7 + gap]))
      expect(Math.abs(onBox[0] - gap)).toBeLessThan(1e-12)
      const standing = expectSound(colliderAt(box, identity, [0, 0, 0]), colliderAt(can, identity, [0.1, 0, 0.7 + gap]))
      expect(Math.abs(standing[0] - gap)).toBeLessThan(1e-12)
      const line = expectSound(colliderAt(capsule, lying, [0, 0, 0]), colliderAt(capsule, lying, [0, 0.1, 0.4 + gap]))
      expect(Math.abs(line[0] - gap)).toBeLessThan(1e-12)
    }
  })

  test('flat hulls, needles and single points are shapes too', () => {
    const random = createRandom(24)
    const plate: Shape = { type: 'hull', polyhedron: hullOf(Float64Array.from([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0])) }
    const needle: Shape = { type: 'hull', polyhedron: hullOf(Float64Array.from([0, 0, 0, 0.3, 0.4, 1])) }
    const dust: Shape = { type: 'hull', polyhedron: hullOf(Float64Array.from([0.1, 0.2, 0.3])) }
    const all = [plate, needle, dust, ...Object.values(shapes)]
    for (const s of [plate, needle, dust]) {
      for (const t of all) {
        for (let n = 0; n < trials(30); n++) {
          const p = n < 2 ? [0, 0, 0] : randomUnit(random)
          const R = n % 2 === 0 ? identity : randomRotation(random)
          expectSound(colliderAt(s, identity, [0, 0, 0]), colliderAt(t, R, p))
        }
      }
    }
  })

  test('sizes from 1e-4 to 1e3 in one pair: as exact as the larger one allows, 1e-13 of it', () => {
    const random = createRandom(25)
    for (let n = 0; n < 400; n++) {
      const [s, t] = [10 ** random.between(-4, 3), 10 ** random.between(-4, 3)]
      const boxOf = (k: number): Shape => ({ type: 'box', size: [0.5 * k, k, 0.8 * k] })
      const grown = (k: number): Shape => {
        const { polyhedron } = randomHull(random, 8) as Extract<Shape, { type: 'hull' }>
        return { type: 'hull', polyhedron: hullOf(polyhedron.vertices.map((x) => k * x)) }
      }
      const a = colliderAt(n % 2 === 0 ? boxOf(s) : grown(s), randomRotation(random), [0, 0, 0])
      const b = colliderAt(n % 3 === 0 ? boxOf(t) : grown(t), randomRotation(random), [0, 0, 0])
      const way = random.between(0.2, 1.2) * (a.radius + b.radius)
      const moved = colliderAt(b.shape, b.R, scaled(randomUnit(random), way))
      const out = distanceOf(a, moved)
      expect(Math.abs(out[0] - bruteForceDistance(a, moved))).toBeLessThan(1e-12 * Math.max(a.radius, b.radius))
      expect(Math.abs(Math.hypot(out[1], out[2], out[3]) - 1)).toBeLessThan(1e-12)
    }
  })
})

import { describe, expect, test } from 'vitest'
import {
  type Collider,
  closestFeatures,
  Feature,
  GeometryError,
  pairMemorySize,
  type Shape,
  signedDistance,
  signedDistanceWarm,
} from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { full, trials } from '../../dailyModels.ts'
import { bruteForceDistance } from './bruteForce.ts'
import { place } from './exactOverlap.ts'
import {
  colliderAt,
  distanceOf,
  dot,
  identity,
  plus,
  product,
  randomHull,
  randomRotation,
  randomShapes,
  randomUnit,
  rotation,
  scaled,
  separationAlong,
  turned,
  unit,
} from './poses.ts'

/** A pair at a random place such that about half of the pairs overlap. */
function randomPair(random: ReturnType<typeof createRandom>, makeA: () => Shape, makeB: () => Shape): [Collider, Collider] {
  const a = colliderAt(makeA(), randomRotation(random), randomUnit(random))
  const way = random.between(0, 1.2)
  const b = colliderAt(makeB(), randomRotation(random), plus(a.p, randomUnit(random), way))
  return [a, b]
}

describe('brute force over features agrees to 1e-9', () => {
  const count = full ? 100_000 : 350
  const random = createRandom(11)
  const box = () => randomShapes.box(random)
  // most hulls small, for what takes long is the brute force; one in 50 has some 25 vertices
  const hull = () => randomHull(random, random.index(50) === 0 ? 40 : 5 + random.index(6))
  const pairs = { 'box and box': [box, box], 'hull and box': [hull, box], 'hull and hull': [hull, hull] } as const
  for (const [name, [makeA, makeB]] of Object.entries(pairs)) {
    test(`${name}, ${count} poses, apart and overlapping`, () => {
      let apart = 0
      let overlapping = 0
      let worst = 0
      for (let n = 0; n < count; n++) {
        const [a, b] = randomPair(random, makeA, makeB)
        const expected = bruteForceDistance(a, b)
        if (expected > 0) apart++
        else overlapping++
        worst = Math.max(worst, Math.abs(distanceOf(a, b)[0] - expected))
      }
      expect(worst).toBeLessThan(1e-9)
      expect(Math.min(apart, overlapping)).toBeGreaterThan(count / 10)
    })
  }
})

describe('each answer carries its own proof', () => {
  // When apart: the two points show that the distance is not larger, the gap along the normal that it is not smaller.
  // When overlapping: the gap along the normal is a move that parts them, and no direction found near or far parts them by less.
  const names = Object.keys(randomShapes)
  for (const nameA of names) {
    for (const nameB of names) {
      test(`${nameA} and ${nameB}`, () => {
        const random = createRandom(names.indexOf(nameA) * 8 + names.indexOf(nameB))
        // of places that tie to 1e-9 a cylinder may take either
        const unbeaten = [nameA, nameB].includes('cylinder') ? 2e-9 : 1e-11
        for (let n = 0; n < trials(60); n++) {
          const [a, b] = randomPair(
            random,
            () => randomShapes[nameA](random),
            () => randomShapes[nameB](random),
          )
          const out = distanceOf(a, b)
          const d = out[0]
          const normal = out.slice(1, 4)
          expect(Math.hypot(...normal)).toBeCloseTo(1, 12)
          for (let k = 0; k < 3; k++) expect(Math.abs(out[7 + k] - out[4 + k] - d * normal[k])).toBeLessThan(1e-12)
          expect(Math.abs(separationAlong(a, b, normal) - d)).toBeLessThan(1e-11)
          expectOnSurface(a, out.slice(4, 7), random)
          expectOnSurface(b, out.slice(7, 10), random)
          let best = -Infinity
          for (let k = 0; k < 400; k++) {
            const spread = k < 200 ? 10 : 10 ** random.between(-6, -1)
            const m = randomUnit(random).map((x, i) => normal[i] + spread * x)
            best = Math.max(best, separationAlong(a, b, unit(m)))
          }
          expect(best - d).toBeLessThan(unbeaten)
        }
      })
    }
  }

  /** No direction has the shape end short of the point, so the point is in the shape. */
  function expectOnSurface(collider: Collider, point: Float64Array, random: ReturnType<typeof createRandom>): void {
    const dust = colliderAt({ type: 'sphere', radius: 0 }, identity, point)
    let most = -Infinity
    for (let k = 0; k < 50; k++) most = Math.max(most, separationAlong(collider, dust, randomUnit(random)))
    expect(most).toBeLessThan(1e-9)
  }
})

test('the distance does not change when both shapes are moved alike, and the normal turns with them', () => {
  const random = createRandom(12)
  const makers = Object.values(randomShapes)
  for (let n = 0; n < trials(1000); n++) {
    const [a, b] = randomPair(
      random,
      () => makers[random.index(5)](random),
      () => makers[random.index(5)](random),
    )
    const before = distanceOf(a, b)
    const R = randomRotation(random)
    const p = randomUnit(random).map((x) => 3 * x)
    for (const c of [a, b]) place(c, product(R, c.R), plus(turned(R, c.p), p))
    const after = distanceOf(a, b)
    const cylinders = [a, b].filter(({ shape }) => shape.type === 'cylinder').length
    // two places of an overlapping cylinder may tie to 1e-9; else rounding
    expect(Math.abs(after[0] - before[0])).toBeLessThan(cylinders > 0 && before[0] < 0 ? 2e-9 : 1e-12)
    // where the distance is long, the normal is as sharp as the points
    if (before[0] < 0.01) continue
    const normal = turned(R, before.slice(1, 4))
    for (let k = 0; k < 3; k++) expect(Math.abs(after[1 + k] - normal[k])).toBeLessThan(1e-9)
  }
})

test('the answer for B and A is that for A and B with the normal turned round, to the last bit', () => {
  const random = createRandom(13)
  const makers = Object.values(randomShapes)
  for (let n = 0; n < trials(2000); n++) {
    const [a, b] = randomPair(
      random,
      () => makers[n % 5](random),
      () => makers[random.index(5)](random),
    )
    const forth = distanceOf(a, b)
    const back = distanceOf(b, a)
    expect(back[0]).toBe(forth[0])
    for (let k = 1; k < 4; k++) expect(back[k] + forth[k]).toBe(0)
    expect([...back.slice(4, 7), ...back.slice(7)]).toEqual([...forth.slice(7), ...forth.slice(4, 7)])
  }
})

test('from where the last query ended the distance is the same to 1e-12, over walks of 50 steps, small and large', () => {
  const random = createRandom(15)
  const makers = [...Object.values(randomShapes), () => randomHull(random, 200)]
  for (let walk = 0; walk < trials(100); walk++) {
    const [a, b] = randomPair(
      random,
      () => makers[walk % 6](random),
      () => makers[random.index(6)](random),
    )
    const memory = new Float64Array(pairMemorySize + 3)
    const warm = new Float64Array(10)
    for (let step = 0; step < 50; step++) {
      const far = step % 10 === 9 ? 1 : 0.01
      const R = product(rotation(randomUnit(random), far * random.between(-1, 1)), b.R)
      place(
        b,
        R,
        b.p.map((x) => x + far * random.between(-0.5, 0.5)),
      )
      // in a place of its own in the memory of many pairs, from either side
      if (step % 3 === 0) signedDistanceWarm(b, a, memory, 3, warm)
      else signedDistanceWarm(a, b, memory, 3, warm)
      expect(Math.abs(warm[0] - distanceOf(a, b)[0])).toBeLessThan(1e-12)
    }
    expect(memory.slice(0, 3)).toEqual(new Float64Array(3))
  }
})

describe('closest features', () => {
  const featuresOf = (a: Collider, b: Collider): number[] => {
    const out = new Int32Array(4)
    closestFeatures(a, b, distanceOf(a, b), out)
    return [...out]
  }
  const { vertex, edge, face, rim, side } = Feature
  const cube: Shape = { type: 'box', size: [2, 2, 2] }
  const a = colliderAt(cube, identity, [0, 0, 0])
  const edgeUp = rotation([1, 0, 0], Math.PI / 4)
  const cornerUp = product(rotation([0, 1, 0], Math.atan(Math.SQRT1_2)), edgeUp)

  test('of boxes: faces, an edge over a face, a corner over a face, crossed edges, two corners', () => {
    // faces as in boxPolyhedron: 4 at -z, 5 at +z; corner i is at +x, +y, +z where bit 0, 1, 2 is set
    for (const gap of [0.5, 1e-9, 0, -0.2]) {
      expect(featuresOf(a, colliderAt(cube, identity, [0.3, 0.2, 2 + gap]))).toEqual([face, 5, face, 4])
      const onEdge = featuresOf(a, colliderAt(cube, edgeUp, [0.1, 0.2, 1 + Math.SQRT2 + gap]))
      expect(onEdge.slice(0, 3)).toEqual([face, 5, edge])
      const onCorner = featuresOf(a, colliderAt(cube, cornerUp, [0.1, 0.2, 1 + Math.sqrt(3) + gap]))
      expect(onCorner.slice(0, 3)).toEqual([face, 5, vertex])
    }
    const lower = colliderAt(cube, edgeUp, [0, 0, 0])
    const crossed = colliderAt(cube, rotation([0, 1, 0], Math.PI / 4), [0.1, 0.2, 2 * Math.SQRT2 + 0.1])
    expect(featuresOf(lower, crossed).map((x, k) => (k % 2 === 0 ? x : 0))).toEqual([edge, 0, edge, 0])
    expect(featuresOf(a, colliderAt(cube, identity, [3, 3, 3]))).toEqual([vertex, 7, vertex, 0])
  })

  test('of round shapes: centre, ends and line of a capsule, cap, rim and side of a cylinder', () => {
    const ball = (p: readonly number[]) => colliderAt({ type: 'sphere', radius: 0.1 }, identity, p)
    const capsule = colliderAt({ type: 'capsule', radius: 0.1, length: 1 }, identity, [0, 0, 0])
    const can = colliderAt({ type: 'cylinder', radius: 1, length: 1 }, identity, [0, 0, 0])
    expect(featuresOf(ball([1, 0, 0]), capsule)).toEqual([vertex, 0, edge, 0])
    expect(featuresOf(ball([1, 0, 2]), capsule)).toEqual([vertex, 0, vertex, 1])
    expect(featuresOf(can, ball([0.2, 0, -2]))).toEqual([face, 0, vertex, 0])
    expect(featuresOf(can, ball([2, 0, 0.1]))).toEqual([side, 0, vertex, 0])
    expect(featuresOf(can, ball([2, 0, 1]))).toEqual([rim, 1, vertex, 0])
    const ground = colliderAt({ type: 'halfspace', normal: [0, 0, 1], offset: -2 }, identity, [0, 0, 0])
    expect(featuresOf(ground, can)).toEqual([face, 0, face, 0])
  })
})

describe('closed forms', () => {
  const random = createRandom(14)
  const half: Shape = { type: 'halfspace', normal: [0, 0, 1], offset: 0.3 }

  test('every bounded shape over a half-space', () => {
    for (let n = 0; n < trials(1000); n++) {
      const R = randomRotation(random)
      const p = randomUnit(random)
      const plane = colliderAt(half, randomRotation(random), randomUnit(random))
      const up = turned(plane.R, [0, 0, 1])
      const height = dot(up, p) - dot(up, plane.p) - 0.3
      // the direction up in the shape's axes
      const [x, y, z] = [0, 1, 2].map((k) => R[k] * up[0] + R[3 + k] * up[1] + R[6 + k] * up[2])
      const [r, l] = [random.between(0.1, 0.5), random.between(0.1, 0.5)]
      const cases: [Shape, number][] = [
        [{ type: 'sphere', radius: r }, r],
        [{ type: 'capsule', radius: r, length: l }, r + 0.5 * l * Math.abs(z)],
        [{ type: 'cylinder', radius: r, length: l }, r * Math.hypot(x, y) + 0.5 * l * Math.abs(z)],
        [{ type: 'box', size: [r, l, 0.4] }, 0.5 * (r * Math.abs(x) + l * Math.abs(y) + 0.4 * Math.abs(z))],
      ]
      for (const [shape, reach] of cases) {
        const out = distanceOf(plane, colliderAt(shape, R, p))
        expect(Math.abs(out[0] - (height - reach))).toBeLessThan(1e-12)
        for (let k = 0; k < 3; k++) expect(Math.abs(out[1 + k] - up[k])).toBeLessThan(1e-12)
        expect(distanceOf(colliderAt(shape, R, p), plane)[1]).toBeCloseTo(-up[0], 12)
      }
    }
  })

  test('shapes whose cores coincide still answer a unit normal', () => {
    const shapes: Shape[] = [
      { type: 'sphere', radius: 0.2 },
      { type: 'capsule', radius: 0.2, length: 0.5 },
      { type: 'box', size: [0.4, 0.4, 0.4] },
      { type: 'cylinder', radius: 0.2, length: 0.4 },
    ]
    // half extents along the shortest way out, both together: with a capsule or cylinder across its axis
    for (const s of shapes) {
      for (const t of shapes) {
        const out = distanceOf(colliderAt(s, identity, [1, 2, 3]), colliderAt(t, identity, [1, 2, 3]))
        expect(out[0]).toBeCloseTo(-0.4, 9)
        expect(Math.hypot(out[1], out[2], out[3])).toBeCloseTo(1, 12)
      }
    }
  })
})

test('two half-spaces are refused', () => {
  const half = colliderAt({ type: 'halfspace', normal: [0, 0, 1], offset: 0 }, identity, [0, 0, 0])
  expect(() => distanceOf(half, half)).toThrow(GeometryError)
})

test('hulls of many edges a rounding apart have their distance, whatever pair was asked for before', () => {
  const random = createRandom(31)
  for (let n = 0; n < 40; n++) {
    const hull = randomHull(random, 20)
    const R = randomRotation(random)
    const out = new Float64Array(10)
    const deep = new Float64Array(10)
    const way = randomUnit(random)
    const at = (distance: number) => colliderAt(hull, R, scaled(way, distance))
    const fixed = colliderAt(hull, identity, [0, 0, 0])
    // along the normal of the deepest overlap they part where that depth ends
    signedDistance(fixed, at(0.01), out)
    const normal = out.slice(1, 4)
    const parted = -out[0] + 2e-11
    const apart = colliderAt(hull, R, plus(scaled(way, 0.01), normal, parted))
    signedDistance(colliderAt(hull, identity, [0.3, 0, 0]), colliderAt(hull, R, [0, 0.1, 0]), deep)
    signedDistance(fixed, apart, out)
    expect(Math.abs(out[0] - 2e-11)).toBeLessThan(2e-12)
  }
})

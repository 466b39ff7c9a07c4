import { describe, expect, test } from 'vitest'
import {
  type Collider,
  GeometryError,
  placeCollider,
  placeCore,
  type Shape,
  signedDistance,
} from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import {
  colliderAt,
  dot,
  identity,
  origin,
  product,
  randomHull,
  randomRotation,
  randomShapes,
  randomUnit,
  rotation,
  separationAlong,
  turned,
} from './poses.ts'

const full = process.env.FEATHERBED_FULL !== undefined
type Vector = readonly [number, number, number]
const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
const cross = (a: Vector, b: Vector): Vector => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]

function measure(a: Collider, b: Collider): Float64Array {
  const out = new Float64Array(10)
  signedDistance(a, b, out)
  return out
}

function corners({ verticesW: v }: Collider): Vector[] {
  return Array.from({ length: v.length / 3 }, (_, i) => [v[3 * i], v[3 * i + 1], v[3 * i + 2]] as const)
}

/** Distance of a point and a triangle's inside; Infinity where the foot of the perpendicular is outside the triangle. */
function pointTriangle(p: Vector, a: Vector, b: Vector, c: Vector): number {
  const n = cross(minus(b, a), minus(c, a))
  const area = dot(n, n)
  if (area < 1e-20) return Infinity
  const inside = (u: Vector, v: Vector) => dot(cross(minus(v, u), minus(p, u)), n) >= 0
  if (!inside(a, b) || !inside(b, c) || !inside(c, a)) return Infinity
  return Math.abs(dot(minus(p, a), n)) / Math.sqrt(area)
}

/** Distance of two segments: both ends against the other segment, and the common perpendicular where it meets both. */
function segmentSegment(p: Vector, q: Vector, r: Vector, s: Vector): number {
  const pointSegment = (x: Vector, a: Vector, b: Vector) => {
    const d = minus(b, a)
    const t = Math.max(0, Math.min(1, dot(minus(x, a), d) / dot(d, d)))
    return Math.hypot(x[0] - a[0] - t * d[0], x[1] - a[1] - t * d[1], x[2] - a[2] - t * d[2])
  }
  let best = Math.min(pointSegment(p, r, s), pointSegment(q, r, s), pointSegment(r, p, q), pointSegment(s, p, q))
  const u = minus(q, p)
  const v = minus(s, r)
  const n = cross(u, v)
  const square = dot(n, n)
  if (square > 1e-20) {
    const w = minus(r, p)
    const t = dot(cross(w, v), n) / square
    const k = dot(cross(w, u), n) / square
    if (t >= 0 && t <= 1 && k >= 0 && k <= 1) best = Math.min(best, Math.abs(dot(w, n)) / Math.sqrt(square))
  }
  return best
}

/** Least distance over all pairs of features of two polyhedra that are apart. */
function featureDistance(a: Collider, b: Collider): number {
  const A = corners(a)
  const B = corners(b)
  let best = Infinity
  const pointsOnFaces = (points: Vector[], collider: Collider, of: Vector[]) => {
    for (const loop of collider.core!.faces) {
      for (let k = 1; k + 1 < loop.length; k++) {
        for (const p of points) best = Math.min(best, pointTriangle(p, of[loop[0]], of[loop[k]], of[loop[k + 1]]))
      }
    }
  }
  pointsOnFaces(A, b, B)
  pointsOnFaces(B, a, A)
  const ea = a.core!.edges
  const eb = b.core!.edges
  for (let i = 0; i < ea.length; i += 2) {
    for (let j = 0; j < eb.length; j += 2) {
      best = Math.min(best, segmentSegment(A[ea[i]], A[ea[i + 1]], B[eb[j]], B[eb[j + 1]]))
    }
  }
  return best
}

/**
 * Penetration depth as the least distance of the origin from the planes through any three points of B - A that have all
 * other points on one side; undefined if the origin is outside.
 */
function depthByAllPlanes(a: Collider, b: Collider): number | undefined {
  const points = corners(a).flatMap((p) => corners(b).map((q) => minus(q, p)))
  const count = points.length
  let depth = Infinity
  for (let i = 0; i < count; i++) {
    for (let j = i + 1; j < count; j++) {
      const u = minus(points[j], points[i])
      for (let k = j + 1; k < count; k++) {
        let n = cross(u, minus(points[k], points[i]))
        const length = Math.sqrt(dot(n, n))
        if (length < 1e-7) continue
        n = [n[0] / length, n[1] / length, n[2] / length]
        const offset = dot(n, points[i])
        let above = false
        let below = false
        for (let l = 0; l < count && !(above && below); l++) {
          const height = dot(n, points[l]) - offset
          if (height > 1e-11) above = true
          if (height < -1e-11) below = true
        }
        if (above && below) continue
        const distance = above ? -offset : offset
        if (distance < 0) return undefined
        depth = Math.min(depth, distance)
      }
    }
  }
  return depth
}

/** A pair at a random place such that about half of the pairs overlap. */
function randomPair(random: ReturnType<typeof createRandom>, makeA: () => Shape, makeB: () => Shape): [Collider, Collider] {
  const a = colliderAt(makeA(), randomRotation(random), randomUnit(random))
  const way = random.between(0, 1.2)
  const b = colliderAt(
    makeB(),
    randomRotation(random),
    randomUnit(random).map((x, k) => a.p[k] + way * x),
  )
  return [a, b]
}

describe('brute force over features agrees to 1e-9', () => {
  const count = full ? 100_000 : 1_000
  const random = createRandom(11)
  const box = () => randomShapes.box(random)
  const hull = () => randomHull(random, 6)
  const pairs = { 'box and box': [box, box], 'hull and box': [hull, box], 'hull and hull': [hull, hull] } as const
  for (const [name, [makeA, makeB]] of Object.entries(pairs)) {
    test(`${name}, ${count} poses, apart and overlapping`, { timeout: 3_600_000 }, () => {
      let apart = 0
      let overlapping = 0
      let worst = 0
      for (let n = 0; n < count; n++) {
        const [a, b] = randomPair(random, makeA, makeB)
        const d = measure(a, b)[0]
        // planes over boxes are many; a third of the poses keeps the test short
        if (d <= 0 && name === 'box and box' && n % 3 > 0 && !full) continue
        const depth = d > 0.05 ? undefined : depthByAllPlanes(a, b)
        if (depth === undefined) apart++
        else overlapping++
        worst = Math.max(worst, Math.abs(d - (depth === undefined ? featureDistance(a, b) : -depth)))
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
        // distances of curved surfaces converge to 1e-8 of the size, two overlapping cylinders are found by search
        const cylinders = [nameA, nameB].filter((name) => name === 'cylinder').length
        const exact = [1e-11, 1e-8, 1e-7][cylinders]
        for (let n = 0; n < 60; n++) {
          const [a, b] = randomPair(
            random,
            () => randomShapes[nameA](random),
            () => randomShapes[nameB](random),
          )
          const out = measure(a, b)
          const d = out[0]
          const normal = out.slice(1, 4)
          expect(Math.hypot(...normal)).toBeCloseTo(1, 12)
          for (let k = 0; k < 3; k++) expect(Math.abs(out[7 + k] - out[4 + k] - d * normal[k])).toBeLessThan(1e-12)
          expect(Math.abs(separationAlong(a, b, normal) - d)).toBeLessThan(exact)
          expectOnSurface(a, out.slice(4, 7), random)
          expectOnSurface(b, out.slice(7, 10), random)
          let best = -Infinity
          for (let k = 0; k < 400; k++) {
            const spread = k < 200 ? 10 : 10 ** random.between(-6, -1)
            const m = randomUnit(random).map((x, i) => normal[i] + spread * x)
            const length = Math.hypot(...m)
            best = Math.max(
              best,
              separationAlong(
                a,
                b,
                m.map((x) => x / length),
              ),
            )
          }
          expect(best - d).toBeLessThan(exact)
        }
      })
    }
  }

  /** No direction has the shape end short of the point, so the point is in the shape. */
  function expectOnSurface(collider: Collider, point: Float64Array, random: ReturnType<typeof createRandom>): void {
    const dust = colliderAt({ type: 'sphere', radius: 0 }, identity, point)
    for (let k = 0; k < 50; k++) expect(separationAlong(collider, dust, randomUnit(random))).toBeLessThan(1e-9)
  }
})

test('the distance does not change when both shapes are moved alike, and the normal turns with them', () => {
  const random = createRandom(12)
  const makers = Object.values(randomShapes)
  for (let n = 0; n < 1000; n++) {
    const [a, b] = randomPair(
      random,
      () => makers[random.index(5)](random),
      () => makers[random.index(5)](random),
    )
    const before = measure(a, b)
    const R = randomRotation(random)
    const p = randomUnit(random).map((x) => 3 * x)
    for (const c of [a, b]) {
      placeCollider(
        c,
        product(R, c.R),
        turned(R, c.p).map((x, k) => x + p[k]),
        identity,
        origin,
      )
      placeCore(c)
    }
    const after = measure(a, b)
    const cylinders = [a, b].filter(({ shape }) => shape.type === 'cylinder').length
    expect(Math.abs(after[0] - before[0])).toBeLessThan([1e-11, 1e-8, 1e-7][cylinders])
  }
})

test('the distance of B and A is that of A and B, with the normal turned round', () => {
  const random = createRandom(13)
  for (let n = 0; n < 500; n++) {
    const [a, b] = randomPair(
      random,
      () => randomShapes.box(random),
      () => randomShapes[['hull', 'cylinder', 'capsule'][n % 3]](random),
    )
    const forth = measure(a, b)
    const back = measure(b, a)
    expect(Math.abs(forth[0] - back[0])).toBeLessThan(b.shape.type === 'cylinder' ? 1e-8 : 1e-11)
    for (let k = 1; k < 4; k++) expect(Math.abs(forth[k] + back[k])).toBeLessThan(1e-5)
  }
})

describe('closed forms', () => {
  const random = createRandom(14)
  const half: Shape = { type: 'halfspace', normal: [0, 0, 1], offset: 0.3 }

  test('every bounded shape over a half-space', () => {
    for (let n = 0; n < 1000; n++) {
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
        const out = measure(plane, colliderAt(shape, R, p))
        expect(Math.abs(out[0] - (height - reach))).toBeLessThan(1e-12)
        for (let k = 0; k < 3; k++) expect(Math.abs(out[1 + k] - up[k])).toBeLessThan(1e-12)
        expect(measure(colliderAt(shape, R, p), plane)[1]).toBeCloseTo(-up[0], 12)
      }
    }
  })

  test('two spheres, and a sphere inside a box by its nearest face', () => {
    const a = colliderAt({ type: 'sphere', radius: 0.2 }, identity, [0, 0, 0])
    const b = colliderAt({ type: 'sphere', radius: 0.3 }, identity, [0.6, 0, 0.8])
    expect(measure(a, b)[0]).toBeCloseTo(0.5, 14)
    const box = colliderAt({ type: 'box', size: [1, 1, 2] }, identity, [0, 0, 0])
    const inside = colliderAt({ type: 'sphere', radius: 0.1 }, identity, [0.4, 0.1, 0.8])
    expect(measure(box, inside)[0]).toBeCloseTo(-0.2, 14)
    expect(measure(box, inside)[1]).toBe(1)
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
        const out = measure(colliderAt(s, identity, [1, 2, 3]), colliderAt(t, identity, [1, 2, 3]))
        expect(out[0]).toBeCloseTo(-0.4, 9)
        expect(Math.hypot(out[1], out[2], out[3])).toBeCloseTo(1, 12)
      }
    }
  })

  test('parallel and crossing capsules', () => {
    const capsule: Shape = { type: 'capsule', radius: 0.1, length: 1 }
    const a = colliderAt(capsule, identity, [0, 0, 0])
    expect(measure(a, colliderAt(capsule, identity, [0.5, 0, 0.3]))[0]).toBeCloseTo(0.3, 14)
    const crossing = measure(a, colliderAt(capsule, rotation([1, 0, 0], Math.PI / 2), [0, 0, 0.2]))
    expect(crossing[0]).toBeCloseTo(-0.2, 14)
    expect(Math.abs(crossing[1])).toBeCloseTo(1, 12)
  })
})

test('two half-spaces are refused', () => {
  const half = colliderAt({ type: 'halfspace', normal: [0, 0, 1], offset: 0 }, identity, [0, 0, 0])
  expect(() => measure(half, half)).toThrow(GeometryError)
})

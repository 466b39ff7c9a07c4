import { expect, test } from 'vitest'
import type { Collider, Shape } from '../../../contact/geometry/index.ts'
import { createRandom, type Random } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import { colliderAt, distanceOf, dot, minus, plus, product, randomRotation, randomUnit, turned } from './poses.ts'

/*
 * Pairs of primitives against closed forms that are worked out here, on the numbers that place the shapes, and not on the code's
 * own: coordinates in the frame of one shape, quadratic programs of one or two variables by their corners.
 */

type Vector = readonly number[]

/** The coordinates of x in the axes of a collider. */
function seenFrom({ R, p }: Collider, x: Vector | Float64Array): number[] {
  const d = minus(x, p)
  return [0, 1, 2].map((k) => R[k] * d[0] + R[3 + k] * d[1] + R[6 + k] * d[2])
}

function ends(capsule: Collider, length: number): [Vector, Vector] {
  const along = turned(capsule.R, [0, 0, 0.5 * length])
  return [minus(capsule.p, along), [...plus(capsule.p, along)]]
}

function toBox([x, y, z]: Vector, [sx, sy, sz]: Vector): number {
  const q = [Math.abs(x) - 0.5 * sx, Math.abs(y) - 0.5 * sy, Math.abs(z) - 0.5 * sz]
  const outside = Math.hypot(...q.map((d) => Math.max(d, 0)))
  return outside > 0 ? outside : Math.max(...q)
}

function toCylinder([x, y, z]: Vector, radius: number, length: number): number {
  const side = Math.hypot(x, y) - radius
  const cap = Math.abs(z) - 0.5 * length
  const outside = Math.hypot(Math.max(side, 0), Math.max(cap, 0))
  return outside > 0 ? outside : Math.max(side, cap)
}

function toSegment(x: Vector | Float64Array, [a, b]: readonly [Vector, Vector]): number {
  const u = minus(b, a)
  const t = Math.max(0, Math.min(1, dot(minus(x, a), u) / dot(u, u)))
  return Math.hypot(...minus(x, plus(a, u, t)))
}

/** Lagrange's identity for the square of the common perpendicular where it meets both, else the ends. */
function betweenSegments(s: readonly [Vector, Vector], t: readonly [Vector, Vector]): number {
  const u = minus(s[1], s[0])
  const v = minus(t[1], t[0])
  const w = minus(t[0], s[0])
  const [uu, vv, uv, uw, vw] = [dot(u, u), dot(v, v), dot(u, v), dot(u, w), dot(v, w)]
  const det = uu * vv - uv * uv
  const x = (vv * uw - uv * vw) / det
  const y = (uv * uw - uu * vw) / det
  const least = Math.min(toSegment(s[0], t), toSegment(s[1], t), toSegment(t[0], s), toSegment(t[1], s))
  if (!(det > 1e-9 * uu * vv && x > 0 && x < 1 && y > 0 && y < 1)) return least
  return Math.hypot(...plus(plus(w, v, y), u, -x))
}

/** Least distance of a segment from a box that it does not meet: a piecewise quadratic function, by its derivative's sign changes. */
function segmentToBox([a, b]: readonly [Vector, Vector], size: Vector): number {
  const u = minus(b, a)
  const places = [0, 1]
  // where the segment passes the planes of the faces; between two of these the distance is a plain quadratic
  for (let k = 0; k < 3; k++) for (const side of [-0.5, 0.5]) places.push((side * size[k] - a[k]) / u[k])
  const sorted = places.filter((t) => t >= 0 && t <= 1).sort((s, t) => s - t)
  const at = (t: number) => toBox([...plus(a, u, t)], size)
  let least = Math.min(...sorted.map(at))
  for (let i = 0; i + 1 < sorted.length; i++) {
    const middle = 0.5 * (sorted[i] + sorted[i + 1])
    // sum over the axes outside of (a_k + t u_k -+ s_k)^2: its root
    let slope = 0
    let offset = 0
    for (let k = 0; k < 3; k++) {
      const x = a[k] + middle * u[k]
      const beyond = Math.abs(x) - 0.5 * size[k]
      if (beyond <= 0) continue
      slope += u[k] * u[k]
      offset += u[k] * (a[k] - Math.sign(x) * 0.5 * size[k])
    }
    const t = -offset / slope
    if (t > sorted[i] && t < sorted[i + 1]) least = Math.min(least, at(t))
  }
  return least
}

const radius = (random: Random) => random.between(0.05, 0.4)
const length = (random: Random) => random.between(0.1, 1)

/** 2,000 pairs, or a third by day, at random places; true where a closed form says so. */
function compare<A extends Shape, B extends Shape>(
  seed: number,
  make: (random: Random) => [A, B],
  expected: (a: Collider, b: Collider, shapeA: A, shapeB: B) => number | undefined,
): void {
  const random = createRandom(seed)
  let compared = 0
  for (let n = 0; n < trials(2000); n++) {
    const [shapeA, shapeB] = make(random)
    const a = colliderAt(shapeA, randomRotation(random), randomUnit(random))
    const way = random.between(0, 1.2)
    const b = colliderAt(shapeB, randomRotation(random), plus(a.p, randomUnit(random), way))
    const d = expected(a, b, shapeA, shapeB)
    if (d === undefined) continue
    compared++
    expect(Math.abs(distanceOf(a, b)[0] - d)).toBeLessThan(1e-12)
    expect(Math.abs(distanceOf(b, a)[0] - d)).toBeLessThan(1e-12)
  }
  expect(compared).toBeGreaterThan(trials(500))
}

const sphere = (radius: number) => ({ type: 'sphere', radius }) as const
const capsule = (radius: number, length: number) => ({ type: 'capsule', radius, length }) as const
const cylinder = (radius: number, length: number) => ({ type: 'cylinder', radius, length }) as const
const box = (random: Random) => ({ type: 'box', size: [length(random), length(random), length(random)] }) as const

test('sphere and sphere', () => {
  compare(
    1,
    (random) => [sphere(radius(random)), sphere(radius(random))],
    (a, b, { radius: r }, { radius: s }) => Math.hypot(...minus(a.p, b.p)) - (r + s),
  )
})

test('sphere and box, the centre outside and inside', () => {
  compare(
    2,
    (random) => [sphere(0.1), box(random)],
    (a, b, _, { size }) => toBox(seenFrom(b, a.p), size) - 0.1,
  )
})

test('sphere and cylinder, the centre outside and inside', () => {
  compare(
    3,
    (random) => [sphere(0.1), cylinder(radius(random), length(random))],
    (a, b, _, { radius: r, length: l }) => toCylinder(seenFrom(b, a.p), r, l) - 0.1,
  )
})

test('sphere and capsule', () => {
  compare(
    4,
    (random) => [sphere(0.1), capsule(radius(random), length(random))],
    (a, b, _, { radius: r, length: l }) => toSegment(a.p, ends(b, l)) - r - 0.1,
  )
})

test('capsule and capsule', () => {
  compare(
    5,
    (random) => [capsule(0.1, length(random)), capsule(0.2, length(random))],
    (a, b, { length: l }, { length: m }) => betweenSegments(ends(a, l), ends(b, m)) - 0.3,
  )
})

test('capsule and box, the line outside', () => {
  compare(
    6,
    (random) => {
      const solid = box(random)
      return [capsule(0.2, length(random)), solid]
    },
    (a, b, { length: l }, { size }) => {
      const [s, t] = ends(a, l)
      const d = segmentToBox([seenFrom(b, s), seenFrom(b, t)], size)
      // where the line enters the box the distance is 0 but for rounding
      return d > 1e-12 ? d - 0.2 : undefined
    },
  )
})

test('capsule and cylinder, along each other, across and end on', () => {
  const random = createRandom(7)
  for (let n = 0; n < 500; n++) {
    const R = randomRotation(random)
    const p = randomUnit(random)
    const [r, l, m] = [radius(random), length(random), length(random)]
    const can = colliderAt({ type: 'cylinder', radius: r, length: l }, R, p)
    const at = (x: Vector) => plus(turned(R, x), p)
    const capsule: Shape = { type: 'capsule', radius: 0.1, length: m }
    const way = random.between(-0.5, 1)
    // side by side, the middles level
    const beside = r + 0.1 + way
    const along = distanceOf(can, colliderAt(capsule, R, at([beside, 0, 0])))[0]
    const shortest = Math.max(beside - r - 0.1, -(0.5 * l + 0.5 * m + 0.1))
    expect(Math.abs(along - (beside > 0 ? shortest : Math.max(-beside - r - 0.1, -(0.5 * l + 0.5 * m + 0.1))))).toBeLessThan(
      1e-12,
    )
    // one above the other
    const above = 0.5 * l + 0.5 * m + 0.1 + Math.max(way, -0.04)
    expect(Math.abs(distanceOf(can, colliderAt(capsule, R, at([0, 0, above])))[0] - Math.max(way, -0.04))).toBeLessThan(1e-12)
  }
})

test('cylinders: parallel, crossed, and one on the other, to 1e-12 apart and overlapping', () => {
  const random = createRandom(8)
  const quarter = Float64Array.from([1, 0, 0, 0, 0, -1, 0, 1, 0]) // z to -y
  for (let n = 0; n < 500; n++) {
    const R = randomRotation(random)
    const p = randomUnit(random)
    const [r, s] = [radius(random), radius(random)]
    const way = random.between(-0.04, 0.5)
    const a = colliderAt({ type: 'cylinder', radius: r, length: 1 }, R, p)
    const at = (x: Vector) => plus(turned(R, x), p)
    const other: Shape = { type: 'cylinder', radius: s, length: 1.2 }
    expect(Math.abs(distanceOf(a, colliderAt(other, R, at([r + s + way, 0, 0.3])))[0] - way)).toBeLessThan(1e-12)
    expect(Math.abs(distanceOf(a, colliderAt(other, R, at([0.01, 0.02, 1.1 + way])))[0] - way)).toBeLessThan(1e-12)
    expect(Math.abs(distanceOf(a, colliderAt(other, product(R, quarter), at([r + s + way, 0.1, 0.2])))[0] - way)).toBeLessThan(
      1e-12,
    )
    // two rims in one plane through both axes, at right angles: corner to corner
    const [x, z] = [random.between(0.01, 0.5), random.between(0.01, 0.5)]
    const corners = distanceOf(a, colliderAt(other, R, at([r + s + x, 0, 1.1 + z])))[0]
    expect(Math.abs(corners - Math.hypot(x, z))).toBeLessThan(1e-12)
  }
})

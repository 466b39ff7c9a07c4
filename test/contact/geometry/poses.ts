import {
  type Collider,
  createCollider,
  hullOf,
  placeCollider,
  placeCore,
  type Shape,
  signedDistance,
  supportPoint,
} from '../../../contact/geometry/index.ts'
import type { Random } from '../../../dynamics/index.ts'

export const identity = Float64Array.from([1, 0, 0, 0, 1, 0, 0, 0, 1])
export const origin = new Float64Array(3)

/** Anywhere in a cube of half width 1. */
export const randomTriple = (random: Random) => [random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)]

export function randomUnit(random: Random): Float64Array {
  for (;;) {
    const v = randomTriple(random)
    const length = Math.hypot(...v)
    if (length > 0.01 && length < 1) return Float64Array.from(v, (x) => x / length)
  }
}

/** A rotation, row-major, by Rodrigues' formula about a random axis. */
export function randomRotation(random: Random): Float64Array {
  return rotation(randomUnit(random), random.between(-Math.PI, Math.PI))
}

export function rotation([x, y, z]: ArrayLike<number> & Iterable<number>, angle: number): Float64Array {
  const c = Math.cos(angle)
  const s = Math.sin(angle)
  const d = 1 - c
  return Float64Array.from([
    c + d * x * x,
    d * x * y - s * z,
    d * x * z + s * y,
    d * x * y + s * z,
    c + d * y * y,
    d * y * z - s * x,
    d * x * z - s * y,
    d * y * z + s * x,
    c + d * z * z,
  ])
}

export function product(A: Float64Array, B: Float64Array): Float64Array {
  return Float64Array.from({ length: 9 }, (_, i) => {
    const r = 3 * Math.floor(i / 3)
    return A[r] * B[i % 3] + A[r + 1] * B[3 + (i % 3)] + A[r + 2] * B[6 + (i % 3)]
  })
}

export function turned(R: Float64Array, v: ArrayLike<number>): Float64Array {
  return Float64Array.from([0, 3, 6], (r) => R[r] * v[0] + R[r + 1] * v[1] + R[r + 2] * v[2])
}

/** Rᵀ v. */
export function turnedBack(R: Float64Array, v: ArrayLike<number>): Float64Array {
  return Float64Array.from([0, 1, 2], (c) => R[c] * v[0] + R[3 + c] * v[1] + R[6 + c] * v[2])
}

/** a + t b. */
export const plus = (a: ArrayLike<number>, b: ArrayLike<number>, t = 1): Float64Array =>
  Float64Array.from([0, 1, 2], (k) => a[k] + t * b[k])

export const scaled = (a: ArrayLike<number>, t: number): Float64Array => Float64Array.from(a, (x) => t * x)

export const unit = (a: ArrayLike<number> & Iterable<number>): Float64Array => {
  const length = Math.hypot(...a)
  return Float64Array.from(a, (x) => x / length)
}

export const randomQuaternion = (random: Random) => unit(Array.from({ length: 4 }, () => random.between(-1, 1)))

export const minus = (a: ArrayLike<number>, b: ArrayLike<number>): [number, number, number] => [
  a[0] - b[0],
  a[1] - b[1],
  a[2] - b[2],
]

export const cross = (a: ArrayLike<number>, b: ArrayLike<number>): [number, number, number] => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
]

export const dot = (a: ArrayLike<number>, b: ArrayLike<number>) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]

export function colliderAt(shape: Shape, R: Float64Array, p: ArrayLike<number>): Collider {
  const collider = createCollider(shape)
  placeCollider(collider, R, Float64Array.from(p), identity, origin)
  placeCore(collider)
  return collider
}

/** Distance, normal and nearest points, as `signedDistance` writes them. */
export function distanceOf(a: Collider, b: Collider): Float64Array {
  const out = new Float64Array(10)
  signedDistance(a, b, out)
  return out
}

/** Shapes between 0.1 m and 1 m across. */
export const randomShapes: Readonly<Record<string, (random: Random) => Shape>> = {
  sphere: (random) => ({ type: 'sphere', radius: random.between(0, 0.4) }),
  capsule: (random) => ({ type: 'capsule', radius: random.between(0.05, 0.3), length: random.between(0.1, 1) }),
  box: (random) => ({ type: 'box', size: [random.between(0.1, 1), random.between(0.1, 1), random.between(0.1, 1)] }),
  cylinder: (random) => ({ type: 'cylinder', radius: random.between(0.05, 0.4), length: random.between(0.1, 1) }),
  hull: (random) => randomHull(random, 20),
  ellipsoid: (random) => ({
    type: 'ellipsoid',
    radii: [random.between(0.05, 0.5), random.between(0.05, 0.5), random.between(0.05, 0.5)],
  }),
  'rounded box': (random) => {
    const size = [random.between(0.1, 1), random.between(0.1, 1), random.between(0.1, 1)] as const
    // one in four has a core without thickness
    return { type: 'box', size, rounding: 0.5 * Math.min(...size) * Math.min(1, random.between(0, 1.33)) }
  },
}

export function randomHull(random: Random, points: number): Shape {
  return { type: 'hull', polyhedron: hullOf(Float64Array.from({ length: 3 * points }, () => random.between(-0.4, 0.4))) }
}

/** How far B starts beyond the end of A along the unit vector n; negative where they overlap. */
export function separationAlong(a: Collider, b: Collider, n: Float64Array): number {
  const endA = new Float64Array(3)
  const startB = new Float64Array(3)
  supportPoint(a.shape, a.R, a.p, n, endA)
  supportPoint(
    b.shape,
    b.R,
    b.p,
    n.map((x) => -x),
    startB,
  )
  return dot(n, startB) - dot(n, endA)
}

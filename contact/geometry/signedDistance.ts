import type { Collider } from './collider.ts'
import { placeCollider, placeCore } from './collider.ts'
import { supportPoint } from './extent.ts'
import { GeometryError } from './geometryError.ts'
import { coreDistance, supportCore } from './gjk.ts'
import { largestSeparation } from './penetration.ts'
import type { PlacedShape } from './placedShape.ts'

/** Cores nearer than this, relative to their size, are also asked for the direction of largest separation. */
const near = 1e-6
/** A separating direction this close to the distance, relative to the size, is the normal: it carries no rounding. */
const agreement = 1e-10
/** The same two for a cylinder, whose distance converges to about 1e-8 and the normal then to its root only. */
const nearCurved = 0.05
const agreementCurved = 1e-8
/** How far apart overlapping cores are moved, relative to their size, to find where they would last touch. */
const apart = 1e-3

const noShift = new Float64Array(3)
const shift = new Float64Array(3)
const separation = new Float64Array(4)
const direction = new Float64Array(3)
const farthest = new Float64Array(3)
const moved = new Float64Array(10)

/**
 * Signed distance of two convex shapes: their distance when apart, and when they overlap minus the length of the shortest
 * move that parts them. Exact to rounding for polyhedra, spheres and capsules; to 1e-8 of the size where a cylinder takes
 * part, and to about 1e-7 for two cylinders that overlap.
 *
 * Where the answer is not unique (a sphere's centre on another's), the normal is one of those that fit, always the same.
 * Both colliders must be placed, with their cores (`placeCollider`, `placeCore`).
 *
 * @param out out, 10: signed distance d [m], unit normal n from A to B, the points a on A and b on B that it
 *            is measured between [m], world axes; b = a + d n
 * @throws GeometryError for two half-spaces
 */
export function signedDistance(a: Collider, b: Collider, out: Float64Array): void {
  if (a.shape.type === 'halfspace') {
    if (b.shape.type === 'halfspace') throw new GeometryError('two half-spaces have no distance; one shape must be bounded')
    overHalfSpace(a, b, 1, out)
    return
  }
  if (b.shape.type === 'halfspace') {
    overHalfSpace(b, a, -1, out)
    return
  }
  const size = Math.max(a.radius + b.radius, Number.MIN_VALUE)
  coreDistance(a, b, noShift, out)
  const curved = a.core === undefined || b.core === undefined
  if (out[0] <= (curved ? nearCurved : near) * size) {
    largestSeparation(a, b, separation)
    const slack = (curved ? agreementCurved : agreement) * size
    if (out[0] === 0 || out[0] - separation[0] <= slack) alongSeparation(a, b, size, out)
  }
  out[0] -= a.rounding + b.rounding
  for (let k = 0; k < 3; k++) {
    out[4 + k] += a.rounding * out[1 + k]
    out[7 + k] = out[4 + k] + out[0] * out[1 + k]
  }
}

/** Takes distance and normal from `separation`, and the points from where the cores would touch when parted along it. */
function alongSeparation(a: Collider, b: Collider, size: number, out: Float64Array): void {
  const d = separation[0]
  for (let k = 0; k < 3; k++) shift[k] = (apart * size - d) * separation[1 + k]
  coreDistance(a, b, shift, moved)
  if (moved[0] > 0) {
    for (let k = 0; k < 3; k++) out[4 + k] = moved[4 + k]
  } else {
    // cores of size 0
    direction.set(shift)
    supportCore(a, direction, farthest)
    for (let k = 0; k < 3; k++) out[4 + k] = farthest[k]
  }
  out[0] = d
  out[1] = separation[1]
  out[2] = separation[2]
  out[3] = separation[3]
}

/** `sign` 1: the half-space is A; -1: it is B. */
function overHalfSpace({ shape, R, p }: Collider, other: Collider, sign: number, out: Float64Array): void {
  if (shape.type !== 'halfspace') return
  const n = shape.normal
  for (let i = 0; i < 3; i++) direction[i] = -(R[3 * i] * n[0] + R[3 * i + 1] * n[1] + R[3 * i + 2] * n[2])
  supportPoint(other.shape, other.R, other.p, direction, farthest)
  let height = -shape.offset
  for (let k = 0; k < 3; k++) height -= direction[k] * (farthest[k] - p[k])
  out[0] = height
  for (let k = 0; k < 3; k++) {
    out[1 + k] = -sign * direction[k]
    const onPlane = farthest[k] + height * direction[k]
    out[4 + k] = sign > 0 ? onPlane : farthest[k]
    out[7 + k] = sign > 0 ? farthest[k] : onPlane
  }
}

/** Puts a collider where a shape sits on a body, ready for `signedDistance`; parameters as in `placeCollider`. */
export function place(collider: Collider, R_WB: Float64Array, p_WB: Float64Array, { R, p }: PlacedShape): void {
  placeCollider(collider, R_WB, p_WB, R, p)
  placeCore(collider)
}

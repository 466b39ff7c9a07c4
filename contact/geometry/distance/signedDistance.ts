import { flushSine, gjkPrecision } from '../../tolerances.ts'
import { type Collider, placeCollider, placeCore } from '../collider.ts'
import { GeometryError } from '../geometryError.ts'
import type { PlacedShape } from '../placedShape.ts'
import { Core, supportPoint } from '../shapes/index.ts'
import { pointToBox, pointToCylinder, pointToPoint, pointToSegment, segmentToSegment } from './closedForms.ts'
import { isOverFace } from './cylinderOverFace.ts'
import { polishApart, polishAround, polishCylindersApart, polishCylindersOverlap, polishOverlap } from './cylinderSeparation.ts'
import { pointOnEllipsoid, polishEllipsoid } from './ellipsoidSeparation.ts'
import { expandPolytope, PolytopeFace, writeDeepest } from './expandingPolytope.ts'
import { finerDistance, partedDistance, roughDistance, Simplex, simplexSize, supportCore, warmDistance } from './gjk.ts'
import { boxSeparation, largestSeparation, nearSeparation, provenSeparation } from './penetration.ts'
import { SeparatingAxis } from './separation.ts'

/** Distance of cores, relative to their size, below which the direction of largest separation is also computed. */
const near = 1e-6
/** A separating direction whose separation equals the distance to this fraction of the size is chosen as normal: it has no rounding. */
const agreement = 1e-10
/**
 * Distance of cores, relative to their size, below which the normal is always the direction of largest separation: the vector between the
 * nearest points would be mostly rounding.
 */
const nearest = 1e-10
/** Distance to which overlapping cores are separated, relative to their size, to find their witness points. */
const apart = 1e-3
/** Separation of boxes along a face normal, relative to their size, above which edges are not tested. */
const clear = Float64Array.from([1e-3])
/** Most pairs of edges for which all separating axes are tested; for more, the expanding polytope is faster. */
const fewEdgePairs = 40

/** Precision, relative to the size, of the search for a cylinder's closest features, at first and after a failure. */
const rough = Float64Array.from([1e-7])
const fine = Float64Array.from([gjkPrecision])
/** Difference of the bounds, relative to the size, at which a distance counts as proven. */
const provenApart = 1e-11
/** A normal from the closest features is chosen if its separation is less by at most this, relative to the size. */
const noise = 1e-14
/** Difference of the bounds, relative to the size, at which a cylinder's expanding polytope stops. */
const provenOverlap = Float64Array.from([1e-9])
const provenCylinders = Float64Array.from([1e-11])

/** Final simplex of GJK, final face of the polytope, and the search for the normal of cylinders. */
const simplex = new Simplex()
const face = new PolytopeFace()
const search = new SeparatingAxis()
const shift = new Float64Array(3)
const separation = new Float64Array(5)
const direction = new Float64Array(3)
const farthest = new Float64Array(3)
const moved = new Float64Array(10)
const index = new Int32Array(1)

/** Entries of a pair's memory for `signedDistanceWarm`. */
export const pairMemorySize = simplexSize + 1
const nothing = new Float64Array(pairMemorySize)

/**
 * Signed distance of two convex shapes: their distance when apart, and when they overlap minus the penetration depth, the length of the
 * minimum translation that separates them. @unchecked
 *
 * Exact to rounding, about 1e-13 of the size of the pair: for polyhedra, spheres and capsules in any combination; for cylinders and
 * ellipsoids separated from any shape; for points in ellipsoids. If a cylinder overlaps any shape but a sphere, the translation along the
 * normal separates them to rounding, and is longer than the minimum by at most 1e-9 of the size; for an ellipsoid, 1e-7.
 *
 * Exchange of A and B only reverses the normal. If it is not unique (concentric spheres), the normal is a fixed choice. Both colliders must
 * be placed, with their cores (`placeCollider`, `placeCore`).
 *
 * @param out out, 10: signed distance d [m], unit normal n from A to B, witness points a on A and b on B [m], world axes; b = a + d n
 * @throws GeometryError for two half-spaces, and for shapes that are not convex
 */
export function signedDistance(a: Collider, b: Collider, out: Float64Array): void {
  nothing[0] = 0
  signedDistanceWarm(a, b, nothing, 0, out)
}

/**
 * `signedDistance`, warm-started from the pair's last query: the same distance to rounding, faster. @unchecked
 *
 * @param memory in and out: the pair's memory, `pairMemorySize` entries from `at` on, zeros at first. Part of a world's state for exact
 * replays.
 */
export function signedDistanceWarm(a: Collider, b: Collider, memory: Float64Array, at: number, out: Float64Array): void {
  withPoints[0] = 1
  limit[0] = Infinity
  inOrder(a, b, memory, at, out)
}

/**
 * `signedDistanceWarm` without the witness points of shapes that need a search of their own: entries 4 to 9 of `out` are then undefined.
 * Beyond a limit, the distance may be a lower bound of it instead, but above the limit. @unchecked
 *
 * @param most 1: the limit [m]
 * @returns whether the points are written
 */
export function separationWarm(
  a: Collider,
  b: Collider,
  most: Float64Array,
  memory: Float64Array,
  at: number,
  out: Float64Array,
): boolean {
  withPoints[0] = 0
  limit[0] = most[0]
  inOrder(a, b, memory, at, out)
  return pointsKnown[0] === 1
}

/** 1 each: whether witness points of overlapping shapes are requested, and whether they were written. */
const withPoints = new Uint8Array(1)
const pointsKnown = new Uint8Array(1)
/** 1: distance beyond which a lower bound suffices [m]. */
const limit = new Float64Array(1)

function inOrder(a: Collider, b: Collider, memory: Float64Array, at: number, out: Float64Array): void {
  pointsKnown[0] = 1
  const swapped = isAfter(a, b) ? 1 : 0
  // a simplex stored for the other order has A and B exchanged
  if (memory[at + simplexSize] !== swapped) memory[at] = 0
  memory[at + simplexSize] = swapped
  if (swapped === 0) {
    measure(a, b, memory, at, out)
    return
  }
  measure(b, a, memory, at, out)
  turnRound(out)
}

/** Whether A comes after B in a fixed order (by kind, size, place), so that tie-breaking does not depend on the arguments' order. */
function isAfter(a: Collider, b: Collider): boolean {
  if (a.kind !== b.kind) return a.kind > b.kind
  if (a.radius !== b.radius) return a.radius > b.radius
  for (let k = 2; k >= 0; k--) if (a.centerW[k] !== b.centerW[k]) return a.centerW[k] > b.centerW[k]
  for (let k = 0; k < 9; k++) if (a.R[k] !== b.R[k]) return a.R[k] > b.R[k]
  return false
}

/** Signed distance for `a` before `b` in the order of `isAfter`. */
function measure(a: Collider, b: Collider, memory: Float64Array, at: number, out: Float64Array): void {
  if (b.kind >= Core.halfspace) {
    if (b.kind === Core.none || a.kind === Core.none) refuse(a, b)
    if (a.kind === Core.halfspace) throw new GeometryError('two half-spaces have no distance; one shape must be bounded')
    overHalfSpace(b, a, -1, out)
    return
  }
  if (a.kind === Core.point) {
    if (b.kind === Core.point) pointToPoint(a, b, out)
    else if (b.kind === Core.segment) pointToSegment(a, b, out)
    else if (b.kind === Core.box) pointToBox(a, b, out)
    else if (b.kind === Core.cylinder) pointToCylinder(a, b, out)
    else if (b.kind === Core.ellipsoid) pointOnEllipsoid(a, b, out)
    else polyhedra(a, b, memory, at, out)
  } else if (b.kind === Core.segment) segmentToSegment(a, b, out)
  else if (b.kind === Core.ellipsoid) withEllipsoid(a, b, out)
  else if (b.kind === Core.cylinder) withCylinder(a, b, out)
  else polyhedra(a, b, memory, at, out)
  addRounding(a, b, out)
}

function refuse(a: Collider, b: Collider): never {
  const { type } = a.kind === Core.none ? a.shape : b.shape
  throw new GeometryError(
    `a ${type} is not convex and has no closest features here; query its convex parts or its distance field`,
  )
}

function polyhedra(a: Collider, b: Collider, memory: Float64Array, at: number, out: Float64Array): void {
  const size = Math.max(a.radius + b.radius, Number.MIN_VALUE)
  if (a.kind === Core.box && b.kind === Core.box) {
    // fifteen separating axes are the fastest test of overlap
    const close = boxSeparation(a, b, clear, separation)
    if (separation[0] <= 0) alongSeparation(a, b, out)
    else {
      warmDistance(a, b, memory, at, simplex, out)
      if (close && (out[0] <= nearest * size || out[0] - separation[0] <= agreement * size)) alongSeparation(a, b, out)
    }
    return
  }
  warmDistance(a, b, memory, at, simplex, out)
  if (out[0] > near * size) return
  const few = a.core!.edges.length * b.core!.edges.length <= 4 * fewEdgePairs
  if (few) largestSeparation(a, b, separation)
  else if (out[0] > nearest * size) nearSeparation(a, b, simplex, out, separation)
  else if (provenSeparation(a, b, simplex, face, separation) && writeDeepest(a, face, out)) {
    for (let k = 0; k < 4; k++) out[k] = separation[k]
    return
  }
  if (out[0] <= nearest * size || out[0] - separation[0] <= agreement * size) alongSeparation(a, b, out)
}

/** Writes distance and normal of `separation`, and, if requested, the points where the cores touch once separated along it. */
function alongSeparation(a: Collider, b: Collider, out: Float64Array): void {
  const size = Math.max(a.radius + b.radius, Number.MIN_VALUE)
  if (separation[0] < apart * size) {
    if (separation[0] > 0 || withPoints[0] === 1) {
      if (!(b.kind === Core.box && isCornerOver(a, b))) writeParted(a, b, out)
      else for (let k = 0; k < 3; k++) out[4 + k] = farthest[k]
    } else pointsKnown[0] = 0
  }
  for (let k = 0; k < 4; k++) out[k] = separation[k]
}

/** 1 - cos of the angle below which a direction counts as that of a box's edge. */
const alongEdge = 1e-12

/**
 * Whether the direction in `separation` is a face normal of the box B, with A's support point above that face. That point, in `farthest`,
 * is then A's witness point.
 */
function isCornerOver(a: Collider, { R, p, core }: Collider): boolean {
  for (let k = 0; k < 3; k++) direction[k] = separation[1 + k]
  let face = -1
  for (let k = 0; k < 3; k++) {
    const cosine = R[k] * direction[0] + R[3 + k] * direction[1] + R[6 + k] * direction[2]
    if (Math.abs(cosine) > 1 - alongEdge) face = k
  }
  if (face < 0) return false
  supportCore(a, direction, 1, farthest, 0, index)
  const half = core!.vertices // its last corner has all three half lengths
  for (let k = 0; k < 3; k++) {
    const along = R[k] * (farthest[0] - p[0]) + R[3 + k] * (farthest[1] - p[1]) + R[6 + k] * (farthest[2] - p[2])
    if (k !== face && Math.abs(along) > half[21 + k]) return false
  }
  return true
}

/** Writes A's nearest point after a slight separation of the cores along the direction in `separation`. */
function writeParted(a: Collider, b: Collider, out: Float64Array): void {
  const way = apart * (a.radius + b.radius) - separation[0]
  for (let k = 0; k < 3; k++) {
    direction[k] = separation[1 + k]
    shift[k] = way * direction[k]
  }
  partedDistance(a, b, shift, direction, moved)
  if (moved[0] > 0) {
    for (let k = 0; k < 3; k++) out[4 + k] = moved[4 + k]
    return
  }
  // cores of size 0
  supportCore(a, direction, 1, farthest, 0, index)
  for (let k = 0; k < 3; k++) out[4 + k] = farthest[k]
}

/**
 * Separation of two bounded convex shapes along a direction: the gap between their projections. At most the signed distance. @unchecked
 *
 * @param n   3: unit, from A to B
 * @param out out, 1 [m]
 */
export function separationAlong(a: Collider, b: Collider, n: Float64Array, out: Float64Array): void {
  search.begin(a, b)
  search.measure(n, 0, 1)
  out[0] = search.found[0] - a.rounding - b.rounding
}

/** Separation along a direction, written like a signed distance: n as normal, and as points those of last contact along n. @unchecked */
export function signedDistanceAlong(a: Collider, b: Collider, n: Float64Array, out: Float64Array): void {
  if (isAfter(a, b)) {
    placeAlong(b, a, n, -1, out)
    turnRound(out)
  } else placeAlong(a, b, n, 1, out)
}

/** Witness points along sign * n, for `a` before `b` in the order of `isAfter`. */
function placeAlong(a: Collider, b: Collider, n: Float64Array, sign: number, out: Float64Array): void {
  search.begin(a, b)
  search.measure(n, 0, sign)
  for (let k = 0; k < 4; k++) separation[k] = search.found[k]
  withPoints[0] = 1
  if (b.kind === Core.cylinder) setPoints(a, b, out)
  else if (b.kind === Core.ellipsoid) setOnEllipsoid(b, out)
  else {
    writeParted(a, b, out)
    for (let k = 0; k < 4; k++) out[k] = separation[k]
  }
  addRounding(a, b, out)
}

/** Converts distance and points of cores to those of shapes. */
function addRounding(a: Collider, b: Collider, out: Float64Array): void {
  out[0] -= a.rounding + b.rounding
  for (let k = 0; k < 3; k++) {
    out[4 + k] += a.rounding * out[1 + k]
    out[7 + k] = out[4 + k] + out[0] * out[1 + k]
  }
}

/** Exchanges A and B in a result. */
function turnRound(out: Float64Array): void {
  for (let k = 1; k < 4; k++) {
    out[k] = -out[k]
    const x = out[3 + k]
    out[3 + k] = out[6 + k]
    out[6 + k] = x
  }
}

/** Result for a segment, polyhedron, cylinder or ellipsoid A and an ellipsoid B. */
function withEllipsoid(a: Collider, b: Collider, out: Float64Array): void {
  const size = a.radius + b.radius
  const { found } = search
  search.begin(a, b)
  roughDistance(a, b, fine, simplex, out)
  if (out[0] > near * size) {
    search.measure(out, 1, 1)
    polishEllipsoid(search, simplex.IA, simplex.count)
  } else {
    if (expandPolytope(a, b, rough, simplex, face, separation) || separation[0] > -Infinity) search.measure(separation, 1, 1)
    else search.measure(upwards, 0, 1)
    polishEllipsoid(search, face.IA, 3)
  }
  for (let k = 0; k < 4; k++) separation[k] = found[k]
  setOnEllipsoid(b, out)
}

const upwards = Float64Array.of(0, 0, 1)

/** Writes distance and normal of `separation`; the points are the ellipsoid's support point and its projection on A. */
function setOnEllipsoid(b: Collider, out: Float64Array): void {
  for (let k = 0; k < 3; k++) direction[k] = separation[1 + k]
  supportCore(b, direction, -1, farthest, 0, index)
  for (let k = 0; k < 3; k++) out[4 + k] = farthest[k] - separation[0] * direction[k]
  for (let k = 0; k < 4; k++) out[k] = separation[k]
}

/** Result for a point, segment, polyhedron or cylinder A and a cylinder B. */
function withCylinder(a: Collider, b: Collider, out: Float64Array): void {
  const size = a.radius + b.radius
  const { found } = search
  if (withPoints[0] === 0 && isOverFace(a, b, limit, separation)) {
    pointsKnown[0] = 0
    for (let k = 0; k < 4; k++) out[k] = separation[k]
    return
  }
  search.begin(a, b)
  roughDistance(a, b, rough, simplex, out)
  if (out[0] > 0) {
    polishFrom(a, b, out)
    if (out[0] - found[0] > provenApart * size) {
      finerDistance(a, b, fine, simplex, out)
      if (out[0] > 0) polishFrom(a, b, out)
    }
  }
  if (out[0] === 0) {
    const relative = a.kind === Core.cylinder ? provenCylinders : provenOverlap
    const grown = expandPolytope(a, b, relative, simplex, face, separation)
    search.hasFoot = false
    if (!grown) largestSeparation(a, b, separation)
    for (let k = 0; k < 4; k++) found[k] = separation[k]
    if (grown) {
      found[0] -= noise * size
      if (a.kind === Core.cylinder) polishCylindersOverlap(search)
      else {
        polishOverlap(search, b, a, face)
        if (separation[4] - found[0] > provenApart * size) polishAround(search, b, a, face)
      }
    }
  }
  for (let k = 0; k < 4; k++) separation[k] = found[k]
  setPoints(a, b, out)
}

function polishFrom(a: Collider, b: Collider, out: Float64Array): void {
  // GJK's distance is an upper bound; the separation along its normal is slightly smaller
  search.measure(out, 1, 1)
  search.found[0] -= noise * (a.radius + b.radius)
  if (a.kind === Core.cylinder) polishCylindersApart(search)
  else polishApart(search, b, a, simplex)
}

/**
 * Writes distance and normal of `separation`. The points are the first available of: the polyhedron's point at which the direction was
 * found; the cylinder's support point, if unique; the touching points of the cores separated along the normal.
 */
function setPoints(a: Collider, b: Collider, out: Float64Array): void {
  if (separation[0] <= 0 && withPoints[0] === 0) {
    pointsKnown[0] = 0
    for (let k = 0; k < 4; k++) out[k] = separation[k]
    return
  }
  for (let k = 0; k < 3; k++) direction[k] = separation[1 + k]
  if (search.hasFoot && isFootOnBoth(a, b)) {
    for (let k = 0; k < 3; k++) out[4 + k] = search.foot[k]
  } else if (hasTip(b, direction)) {
    supportCore(b, direction, -1, farthest, 0, index)
    for (let k = 0; k < 3; k++) out[4 + k] = farthest[k] - separation[0] * direction[k]
  } else if (a.kind === Core.cylinder && hasTip(a, direction)) {
    supportCore(a, direction, 1, farthest, 0, index)
    for (let k = 0; k < 3; k++) out[4 + k] = farthest[k]
  } else writeParted(a, b, out)
  for (let k = 0; k < 4; k++) out[k] = separation[k]
}

/** Tolerance for a point on the surface, relative to the size. */
const footSlack = 1e-10

/** Whether `foot` is a support point of A, and its projection along the normal is on the cylinder B. */
function isFootOnBoth(a: Collider, b: Collider): boolean {
  const { foot } = search
  const { R, p, coreRadius, halfLength } = b
  supportCore(a, direction, 1, farthest, 0, index)
  let height = 0
  for (let k = 0; k < 3; k++) height += direction[k] * (farthest[k] - foot[k])
  for (let k = 0; k < 3; k++) farthest[k] = foot[k] + separation[0] * direction[k] - p[k]
  const x = R[0] * farthest[0] + R[3] * farthest[1] + R[6] * farthest[2]
  const y = R[1] * farthest[0] + R[4] * farthest[1] + R[7] * farthest[2]
  const z = R[2] * farthest[0] + R[5] * farthest[1] + R[8] * farthest[2]
  const slack = footSlack * (a.radius + b.radius)
  return height <= slack && Math.abs(z) <= halfLength + slack && Math.sqrt(x * x + y * y) <= coreRadius + slack
}

function hasTip({ R }: Collider, n: Float64Array): boolean {
  const cosine = R[2] * n[0] + R[5] * n[1] + R[8] * n[2]
  return Math.abs(cosine) > flushSine && cosine * cosine < 1 - flushSine * flushSine
}

/** Result for a half-space and another shape. `sign` 1: the half-space is A; -1: it is B. */
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

/** Places a collider and its core for `signedDistance`; parameters as in `placeCollider`. @unchecked */
export function place(collider: Collider, R_WB: Float64Array, p_WB: Float64Array, { R, p }: PlacedShape): void {
  placeCollider(collider, R_WB, p_WB, R, p)
  placeCore(collider)
}

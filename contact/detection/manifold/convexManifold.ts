import {
  type Collider,
  Core,
  pairMemorySize,
  separationAlong,
  separationWarm,
  signedDistanceAlong,
  supportCore,
  writeNormal,
  writeVertex,
} from '../../geometry/index.ts'
import { bisectEdges } from './alongEdges.ts'
import { reduceHullPoints } from './halfSpaceManifold.ts'
import { type Manifold, reduceManifold } from './manifold.ts'
import { clip, createPolygon, isWithin, type Polygon, setSides } from './polygon.ts'
import { lowerCap, rimFeature, rimPoint, ringX, ringY, steepestOnCap } from './rim.ts'
import { clipToRim, isWithinRim } from './rimClip.ts'

/** Scratch of `convexManifold`. */
export type ManifoldScratch = Readonly<ReturnType<typeof createManifoldScratch>>

/**
 * @unchecked
 * @param capacity at least the vertices of both shapes together, and 16 more
 * @param nearby   distance within which an edge that is nearly in a face's plane lies along the face, relative to the smaller shape; -Infinity for never
 */
export function createManifoldScratch(capacity: number, nearby = 2e-3) {
  return {
    distance: new Float64Array(10),
    /** The reference face, of the core, and its outward unit normal. */
    referenceFace: createPolygon(capacity),
    referenceNormal: new Float64Array(3),
    /** Incident face, feet, side line or edge, clipped to the reference face. */
    clipped: createPolygon(capacity),
    spare: createPolygon(capacity),
    /** 1: distance outside a face up to which a point counts as above it [m] */
    tolerance: new Float64Array(1),
    /** 1: gap up to which the manifold's deepest point agrees with the signed distance [m]. */
    deepEnough: new Float64Array(1),
    /** 1: greatest excess of the signed distance over the separation along last step's normal at which that normal is kept [m]. */
    slack: new Float64Array(1),
    /** 1: greatest difference between the signed distance and the gap of the deepest contact of a leaning face [m]. */
    leeway: new Float64Array(1),
    /** 1: size of the smaller shape [m]. */
    size: new Float64Array(1),
    /** 1: distance within which an edge lies along a face [m]. */
    near: new Float64Array(1),
    /** The same, relative to the smaller shape. */
    nearby,
  }
}

/** 1 - cos of the angle between a face's normal and the contact normal, below which the face is perpendicular to it. */
const flushCosine = 1e-11
/** Two faces count as parallel when 1 + cos of the angle between their normals is below this: 1.1 degrees. */
const facing = 2e-4
/** An edge or side line is in the plane of a face where the direction of the distance is within this of its normal: 0.18 degrees. */
const alongFace = 5e-6
/** Edges count as parallel below this sine of the angle between them. */
const sideBySide = 0.05
/**
 * Distance outside a face up to which a point counts as above it, and largest difference between the manifold's deepest gap and the signed
 * distance: relative to the smaller shape, but at least the rounding of the larger.
 */
const onBorder = 1e-9
const nearlyAsDeep = 1e-7
const sizeRounding = 1e-13
/** Hysteresis: excess separation up to which last step's normal is kept, relative to the smaller shape and to the depth. */
const slackOfSize = 1e-3
const slackOfDepth = 0.02
/**
 * Two nearly parallel faces touch along the normal of one, although the minimum translation has a slightly different direction. The
 * separation along the normal may be less by the first factor times the angle, because of overhanging corners, and the gap of the deepest
 * contact may differ by the second times the squared angle; relative to the smaller shape.
 */
const overhang = 4
const leaning = 4
const leaningAtLeast = 1e-6

/** A cylinder's features beyond its six rim points (see `halfSpaceManifold`): 8 corners inscribed in each cap. */
const cylinderVertices = 22
/** Three lines between the feet on each cap, the side line, 8 sides of each inscribed octagon. */
const cylinderEdges = 23
const sideLine = 6

/** First numbers of features that are neither a vertex nor a crossing of two edges. */
const parallelFeature = 1 << 29
const witnessFeature = 1 << 30

/** Entries of a pair's memory for `convexManifoldWarm`. */
export const manifoldMemorySize = pairMemorySize + 5
const nothing = new Float64Array(manifoldMemorySize)
const endless = Float64Array.of(Infinity)
/**
 * Offsets in the memory, after the entries of the distance: whether there is a last normal; the normal in A's axes; its reference shape.
 */
const hasLast = pairMemorySize
const lastNormal = pairMemorySize + 1
const lastReference = pairMemorySize + 4

/** Codes of the shape with the reference face. */
const noReference = 0
const ofA = 1
const ofB = 2

/**
 * Contact points of two bounded convex shapes: one normal, and @unchecked
 *
 * - where two faces (caps) are parallel: the points of one above the other, along the normal of the larger shape's face;
 * - else where a face or cap of one is normal to the direction of the signed distance, or an edge of the other nearly in its plane makes that
 *   direction lean from its normal: the other's vertices above it, and its nearest face, feet or side line clipped to it;
 * - else, along that direction, or along that of `bisectEdges`: where the two nearest edges are side by side, the ends of their
 *   overlap;
 * - else, or when none of these points is as deep as the signed distance, the nearest or deepest points of both.
 *
 * Feature numbers: B's vertices (corners, or rim points as in `halfSpaceManifold`), then A's vertices, then crossings of an edge of A with
 * one of B. Exchange of A and B gives the same points, with the normal reversed.
 *
 * Both colliders must be placed, with their cores.
 *
 * @param manifold out; its margin and limit are read
 */
export function convexManifold(a: Collider, b: Collider, scratch: ManifoldScratch, manifold: Manifold): void {
  nothing.fill(0)
  convexManifoldWarm(a, b, nothing, 0, scratch, manifold)
}

/**
 * `convexManifold`, warm-started from the last step: faster, and the last normal is kept while its separating translation is hardly longer
 * than the minimum one, so that rounding does not switch between ties.
 *
 * @param memory in and out: `manifoldMemorySize` entries from `at` on, zeros at first. Part of a world's state for exact replays.
 */
export function convexManifoldWarm(
  a: Collider,
  b: Collider,
  memory: Float64Array,
  at: number,
  scratch: ManifoldScratch,
  manifold: Manifold,
): void {
  const { distance, slack } = scratch
  const { normal, margin } = manifold
  manifold.count = 0
  if (isClear(a, b, margin)) {
    for (let i = 0; i < manifoldMemorySize; i++) memory[at + i] = 0
    return
  }
  let known = separationWarm(a, b, memory === nothing ? endless : margin, memory, at, distance)
  if (!(distance[0] <= margin[0])) {
    memory[at + hasLast] = 0
    return
  }
  setTolerances(a, b, scratch)
  if (memory[at + hasLast] === 1) known = keepLastNormal(a, b, memory, at, distance, slack) || known
  for (let k = 0; k < 3; k++) normal[k] = distance[1 + k]

  let owner = noReference
  // balls and ellipsoids touch any shape at one point
  if (a.kind !== Core.point && b.kind !== Core.point && a.kind !== Core.ellipsoid && b.kind !== Core.ellipsoid) {
    owner = addFaceContacts(a, b, memory[at + hasLast] === 1 ? memory[at + lastReference] | 0 : noReference, scratch, manifold)
    if (owner === noReference) addEdgeContacts(a, b, scratch, manifold)
  }
  if (!reaches(manifold, scratch.deepEnough)) {
    if (!known) {
      for (let k = 0; k < 3; k++) last[k] = distance[1 + k]
      signedDistanceAlong(a, b, last, distance)
    }
    addWitnessPoint(a, b, distance, manifold)
  }
  sortByFeature(manifold)
  reduceManifold(manifold)

  memory[at + hasLast] = 1
  memory[at + lastReference] = owner
  const { R } = a
  for (let k = 0; k < 3; k++) memory[at + lastNormal + k] = R[k] * normal[0] + R[3 + k] * normal[1] + R[6 + k] * normal[2]
}

/** Sets the tolerances from the sizes. A separate function, like `reaches`, since numbers that live across the branches above get boxed. */
function setTolerances(
  a: Collider,
  b: Collider,
  { distance, tolerance, deepEnough, slack, size, near, nearby }: ManifoldScratch,
): void {
  // a point contact has no size of its own
  const smaller = a.radius > 0 && (a.radius < b.radius || b.radius === 0) ? a.radius : b.radius
  const noise = sizeRounding * (a.radius + b.radius)
  tolerance[0] = onBorder * smaller + noise
  deepEnough[0] = distance[0] + nearlyAsDeep * smaller + noise
  size[0] = smaller
  near[0] = nearby * smaller
  slack[0] = slackOfSize * smaller + slackOfDepth * Math.abs(distance[0])
}

/** Whether some contact's gap is at most bound[0]. */
function reaches({ count, gap }: Manifold, bound: Float64Array): boolean {
  for (let k = 0; k < count; k++) if (gap[k] <= bound[0]) return true
  return false
}

/** Early out: whether bounding balls or a face of a box separate the shapes by more than the margin. Sufficient, not necessary. */
function isClear(a: Collider, b: Collider, margin: Float64Array): boolean {
  const x = b.centerW[0] - a.centerW[0]
  const y = b.centerW[1] - a.centerW[1]
  const z = b.centerW[2] - a.centerW[2]
  const reach = a.radius + b.radius + margin[0]
  if (x * x + y * y + z * z > reach * reach) return true
  return (a.kind === Core.box && isBeyondFace(a, b, margin)) || (b.kind === Core.box && isBeyondFace(b, a, margin))
}

/** Whether a face of a box separates it from the bounding ball of a shape by more than the margin. */
function isBeyondFace({ R, p, core, rounding }: Collider, { centerW: c, radius }: Collider, margin: Float64Array): boolean {
  const half = core!.vertices // its last corner has all three half lengths
  for (let k = 0; k < 3; k++) {
    const along = R[k] * (c[0] - p[0]) + R[3 + k] * (c[1] - p[1]) + R[6 + k] * (c[2] - p[2])
    if (Math.abs(along) - half[21 + k] - rounding - radius > margin[0]) return true
  }
  return false
}

const last = new Float64Array(3)
const separation = new Float64Array(1)
/** Candidates for the touching faces, of A and of B, with their normals. */
const listA = new Int32Array(512)
const listB = new Int32Array(512)
const normalsA = new Float64Array(3 * 512)
const normalsB = new Float64Array(3 * 512)
/** Numbers of candidates, and the support vertices of A and of B along the direction. */
const counts = new Int32Array(2)
const tips = new Int32Array(2)
const support = new Float64Array(3)
const index = new Int32Array(1)
const faceNormal = new Float64Array(3)
const facePoint = new Float64Array(3)
/** Angle, as 1 - cos, within which a face's normal continues last step's. */
const turnedSince = 1e-3

/**
 * Keeps last step's normal, not the direction of the minimum translation, when the cores overlap, the two differ, and the separating
 * translation along it is longer by no more than the slack. The distance of cores that are apart has one direction, without ties.
 * @returns whether it is kept.
 */
function keepLastNormal(
  a: Collider,
  b: Collider,
  memory: Float64Array,
  at: number,
  distance: Float64Array,
  slack: Float64Array,
): boolean {
  if (!(distance[0] < -a.rounding - b.rounding) || a.kind === Core.ellipsoid || b.kind === Core.ellipsoid) return false
  const { R } = a
  const n = at + lastNormal
  for (let k = 0; k < 3; k++) last[k] = R[3 * k] * memory[n] + R[3 * k + 1] * memory[n + 1] + R[3 * k + 2] * memory[n + 2]
  const cosine = last[0] * distance[1] + last[1] * distance[2] + last[2] * distance[3]
  if (cosine > 1 - turnedSince) return false
  snapToFace(a, 1)
  snapToFace(b, -1)
  separationAlong(a, b, last, separation)
  if (!(separation[0] >= distance[0] - slack[0])) return false
  signedDistanceAlong(a, b, last, distance)
  return true
}

/** Sets `last` to sign times the normal of a face with nearly the same direction. */
function snapToFace(collider: Collider, sign: number): void {
  const count = gatherFaces(collider, last, sign, listA, normalsA)
  for (let i = 0; i < 3 * count; i += 3) {
    const cosine = sign * (normalsA[i] * last[0] + normalsA[i + 1] * last[1] + normalsA[i + 2] * last[2])
    if (!(cosine > 1 - turnedSince)) continue
    for (let k = 0; k < 3; k++) last[k] = sign * normalsA[i + k]
    return
  }
}

/**
 * Lists the faces at the support vertex along sign * n, or the caps of a cylinder (0 at -z, 1 at +z), whose normals are within 45 degrees
 * of it: numbers and outward unit normals. @returns their count
 */
function gatherFaces(collider: Collider, n: Float64Array, sign: number, list: Int32Array, normals: Float64Array): number {
  const { R, vertexFaces, vertexFaceStart } = collider
  if (collider.kind === Core.cylinder) {
    const cosine = R[2] * n[0] + R[5] * n[1] + R[8] * n[2]
    if (!(Math.abs(cosine) > 0.5)) return 0
    const side = sign * cosine > 0 ? 1 : -1
    list[0] = side > 0 ? 1 : 0
    for (let k = 0; k < 3; k++) normals[k] = side * R[3 * k + 2]
    return 1
  }
  supportCore(collider, n, sign, support, 0, index)
  const { faceNormals } = collider.core!
  const x = sign * (R[0] * n[0] + R[3] * n[1] + R[6] * n[2])
  const y = sign * (R[1] * n[0] + R[4] * n[1] + R[7] * n[2])
  const z = sign * (R[2] * n[0] + R[5] * n[1] + R[8] * n[2])
  let count = 0
  for (let k = vertexFaceStart[index[0]]; k < vertexFaceStart[index[0] + 1] && count < list.length; k++) {
    const f = vertexFaces[k]
    if (!(faceNormals[3 * f] * x + faceNormals[3 * f + 1] * y + faceNormals[3 * f + 2] * z > 0.5)) continue
    writeNormal(collider, f, faceNormal)
    for (let d = 0; d < 3; d++) normals[3 * count + d] = faceNormal[d]
    list[count++] = f
  }
  return count
}

function setFaceNormal(collider: Collider, f: number, out: Float64Array): void {
  if (collider.kind === Core.cylinder) {
    const side = f === 0 ? -1 : 1
    for (let k = 0; k < 3; k++) out[k] = side * collider.R[3 * k + 2]
  } else writeNormal(collider, f, out)
}

/** Writes a point on a face. */
function setFacePoint(collider: Collider, f: number, out: Float64Array): void {
  const { R, p, halfLength } = collider
  if (collider.kind === Core.cylinder) {
    const z = f === 0 ? -halfLength : halfLength
    for (let k = 0; k < 3; k++) out[k] = p[k] + R[3 * k + 2] * z
  } else writeVertex(collider, collider.core!.faces[f][0], out, 0)
}

/** Chosen faces of A and of B, -1 for none, and the height of the other shape above each [m]. */
const chosen = new Int32Array(2)
const above = new Float64Array(2)
const height = new Float64Array(1)

/** Adds the contacts of a reference face with the incident shape, if a face touches. @returns the owner of that face */
function addFaceContacts(a: Collider, b: Collider, lastOwner: number, scratch: ManifoldScratch, manifold: Manifold): number {
  const { normal } = manifold
  const { distance } = scratch
  let owner = chooseFacing(a, b, lastOwner, scratch, manifold)
  const paired = owner !== noReference
  let isLeaning = paired
  if (!paired) {
    const alongEdges = setEdgeNormal(a, b, scratch, manifold)
    if (alongEdges) gatherBoth(a, b, manifold)
    owner = chooseFlush(manifold)
    if (owner === noReference && !alongEdges && distance[0] < scratch.near[0]) {
      owner = chooseLeaning(a, b, lastOwner, scratch, manifold)
      isLeaning = true
    }
    if (owner === noReference) return noReference
  }
  const referenceOnA = owner === ofA
  const reference = referenceOnA ? a : b
  const incident = referenceOnA ? b : a
  const face = referenceOnA ? chosen[0] : chosen[1]
  setReferenceFace(reference, face, scratch)
  const { referenceNormal } = scratch
  for (let k = 0; k < 3; k++) normal[k] = referenceOnA ? referenceNormal[k] : -referenceNormal[k]
  addPointsAbove(reference, incident, paired ? (referenceOnA ? chosen[1] : chosen[0]) : -1, a, b, referenceOnA, scratch, manifold)
  if (!isLeaning) return owner
  if (isAsDeep(manifold, scratch)) return owner
  // their projections do not overlap, although their planes are near
  manifold.count = 0
  for (let k = 0; k < 3; k++) normal[k] = distance[1 + k]
  if (paired) setEdgeNormal(a, b, scratch, manifold)
  return noReference
}

/** Where two edges are parallel, replaces the direction of the minimum translation by that of `bisectEdges`. */
function setEdgeNormal(a: Collider, b: Collider, { distance }: ManifoldScratch, { normal }: Manifold): boolean {
  if (!bisectEdges(a, b, distance, tips, normal)) return false
  signedDistanceAlong(a, b, normal, distance)
  return true
}

/** Lists the candidate faces of both along the normal, and their support vertices. */
function gatherBoth(a: Collider, b: Collider, { normal }: Manifold): void {
  counts[0] = gatherFaces(a, normal, 1, listA, normalsA)
  tips[0] = index[0]
  counts[1] = gatherFaces(b, normal, -1, listB, normalsB)
  tips[1] = index[0]
}

/** Whether the deepest contact agrees with the signed distance to the leeway, and so is deep enough. */
function isAsDeep({ count, gap }: Manifold, { distance, leeway, deepEnough }: ManifoldScratch): boolean {
  let reached = false
  for (let k = 0; k < count; k++) {
    if (gap[k] < distance[0] - leeway[0]) return false
    if (gap[k] <= distance[0] + leeway[0]) reached = true
  }
  if (reached) deepEnough[0] = Infinity
  return reached
}

/**
 * Chooses two opposite faces. @returns the owner of the reference face, in this order: last step's, if its separation equals the other's to
 * the slack; that of the larger shape (A if equal), on the same condition; that of the larger separation
 */
function chooseFacing(
  a: Collider,
  b: Collider,
  lastOwner: number,
  { distance, slack, leeway }: ManifoldScratch,
  manifold: Manifold,
): number {
  const smaller = a.radius < b.radius ? a.radius : b.radius
  chosen[0] = -1
  chosen[1] = -1
  let best = -Infinity
  let lean = 0
  gatherBoth(a, b, manifold)
  for (let i = 0; i < counts[0]; i++) {
    for (let j = 0; j < counts[1]; j++) {
      const cosine =
        normalsA[3 * i] * normalsB[3 * j] + normalsA[3 * i + 1] * normalsB[3 * j + 1] + normalsA[3 * i + 2] * normalsB[3 * j + 2]
      if (!(cosine < facing - 1)) continue
      setHeight(a, listA[i], normalsA, i, b)
      const overA = height[0]
      setHeight(b, listB[j], normalsB, j, a)
      const overB = height[0]
      const better = overA > overB ? overA : overB
      if (!(better > best)) continue
      best = better
      lean = 1 + cosine
      chosen[0] = listA[i]
      chosen[1] = listB[j]
      above[0] = overA
      above[1] = overB
    }
  }
  // 1 - cos is half the square of the angle
  const square = lean > 0 ? 2 * lean : 0
  leeway[0] = (leaningAtLeast + leaning * square) * smaller
  if (best >= distance[0] - leeway[0] - overhang * Math.sqrt(square) * smaller) {
    const least = best - slack[0]
    const larger = b.radius > a.radius ? ofB : ofA
    const first = lastOwner === noReference ? larger : lastOwner
    if (first === ofA) return above[0] >= least ? ofA : ofB
    return above[1] >= least ? ofB : ofA
  }
  return noReference
}

/**
 * Chooses a face nearly perpendicular to the direction of the distance, which an edge or a side line nearly in its plane crosses: the distance
 * is that of this edge from one border of the face, and a tilt to the other side would make it that from the opposite one. Between them the two
 * touch along a line. @returns its owner: last step's, if there are two as high to the slack
 */
function chooseLeaning(a: Collider, b: Collider, lastOwner: number, scratch: ManifoldScratch, { normal }: Manifold): number {
  setLeaningFace(a, normal, 1, listA, normalsA, counts[0], b, 0)
  setLeaningFace(b, normal, -1, listB, normalsB, counts[1], a, 1)
  const { slack } = scratch
  const takesA = lastOwner === ofB ? above[0] > above[1] + slack[0] : above[0] >= above[1] - slack[0]
  if (takesA) return isNearlyAsHigh(0, scratch) ? ofA : isNearlyAsHigh(1, scratch) ? ofB : noReference
  return isNearlyAsHigh(1, scratch) ? ofB : isNearlyAsHigh(0, scratch) ? ofA : noReference
}

/** 1 - cos of the angle of the leaning face of A and of B to the direction: half its square. */
const leans = new Float64Array(2)

/** Chooses the face nearest to perpendicular to sign * n, -1 if there is none, with the height of the other shape above it. */
function setLeaningFace(
  collider: Collider,
  n: Float64Array,
  sign: number,
  list: Int32Array,
  normals: Float64Array,
  count: number,
  other: Collider,
  side: number,
): void {
  chosen[side] = -1
  above[side] = -Infinity
  leans[side] = alongFace
  for (let i = 0; i < count; i++) {
    const lean = 1 - sign * (normals[3 * i] * n[0] + normals[3 * i + 1] * n[1] + normals[3 * i + 2] * n[2])
    if (!(lean < leans[side])) continue
    leans[side] = lean > 0 ? lean : 0
    chosen[side] = list[i]
    setHeight(collider, list[i], normals, i, other)
    above[side] = height[0]
  }
}

/** Whether the leaning face of A or of B separates the shapes about as well as the direction of the distance does; sets the leeway. */
function isNearlyAsHigh(side: number, { distance, leeway, size }: ManifoldScratch): boolean {
  const square = 2 * leans[side]
  leeway[0] = (leaningAtLeast + leaning * square) * size[0]
  return above[side] >= distance[0] - leeway[0] - overhang * Math.sqrt(square) * size[0]
}

/** Chooses a face perpendicular to the normal, A's first. @returns its owner */
function chooseFlush({ normal }: Manifold): number {
  chosen[0] = flushFace(normal, 1, listA, normalsA, counts[0])
  if (chosen[0] >= 0) return ofA
  chosen[1] = flushFace(normal, -1, listB, normalsB, counts[1])
  return chosen[1] >= 0 ? ofB : noReference
}

function dot(u: Float64Array, v: Float64Array): number {
  return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
}

/** Sets the height of the other shape's lowest point above a face [m], whose normal is the k-th of a list. */
function setHeight(collider: Collider, f: number, normals: Float64Array, k: number, other: Collider): void {
  setFacePoint(collider, f, facePoint)
  for (let d = 0; d < 3; d++) faceNormal[d] = normals[3 * k + d]
  supportCore(other, faceNormal, -1, support, 0, index)
  let h = -other.rounding - collider.rounding
  for (let d = 0; d < 3; d++) h += faceNormal[d] * (support[d] - facePoint[d])
  height[0] = h
}

/** The face of the list whose outward normal is sign * n; -1 if there is none. */
function flushFace(n: Float64Array, sign: number, list: Int32Array, normals: Float64Array, count: number): number {
  for (let i = 0; i < count; i++) {
    if (sign * (normals[3 * i] * n[0] + normals[3 * i + 1] * n[1] + normals[3 * i + 2] * n[2]) > 1 - flushCosine) return list[i]
  }
  return -1
}

/** Sets face f, or a cap, as the reference face. A cap is set as its octagon, although incident features are clipped by the rim. */
function setReferenceFace(collider: Collider, f: number, { referenceFace, referenceNormal, tolerance }: ManifoldScratch): void {
  setFaceNormal(collider, f, referenceNormal)
  setFacePolygon(collider, f, referenceFace)
  if (collider.kind !== Core.cylinder) setSides(referenceFace, referenceNormal, tolerance)
}

function setFacePolygon(collider: Collider, f: number, out: Polygon): void {
  if (collider.kind === Core.cylinder) setCap(collider, f === 0 ? -1 : 1, out)
  else setFace(collider, f, out)
}

/** The incident face: that of a polyhedron whose normal is most opposed to n; the first of equal ones. */
function mostAgainst({ core, R }: Collider, n: Float64Array): number {
  const { faceNormals } = core!
  const x = R[0] * n[0] + R[3] * n[1] + R[6] * n[2]
  const y = R[1] * n[0] + R[4] * n[1] + R[7] * n[2]
  const z = R[2] * n[0] + R[5] * n[1] + R[8] * n[2]
  let best = -1
  let least = 2
  let face = 0
  for (let f = 0; f < faceNormals.length; f += 3) {
    const cosine = faceNormals[f] * x + faceNormals[f + 1] * y + faceNormals[f + 2] * z
    if (cosine < least - 1e-12) {
      least = cosine
      best = face
    }
    face++
  }
  return best
}

function setFace(collider: Collider, f: number, out: Polygon): void {
  const loop = collider.core!.faces[f]
  const edges = collider.faceEdges[f]
  out.count = loop.length
  out.line = -1
  for (let k = 0; k < loop.length; k++) {
    writeVertex(collider, loop[k], out.x, k)
    out.vertex[k] = loop[k]
    out.edge[k] = edges[k]
  }
}

/** The octagon inscribed in a cap, counter-clockwise seen from outside. */
function setCap({ coreRadius, R, p, halfLength }: Collider, cap: number, out: Polygon): void {
  const number = cap < 0 ? 0 : 8
  out.count = 8
  out.line = -1
  for (let k = 0; k < 8; k++) {
    const angle = cap < 0 ? 7 - k : k
    // the side after corner k leads to corner k + 1; at -z, counted backwards, to k - 1
    const side = cap < 0 ? (angle + 7) % 8 : angle
    const x = coreRadius * ringX[angle]
    const y = coreRadius * ringY[angle]
    for (let d = 0; d < 3; d++) out.x[3 * k + d] = p[d] + R[3 * d] * x + R[3 * d + 1] * y + R[3 * d + 2] * cap * halfLength
    out.vertex[k] = 6 + number + angle
    out.edge[k] = sideLine + 1 + number + side
  }
}

/**
 * Adds the points of the incident shape above the reference face.
 *
 * @param opposite the incident face parallel to it, -1 if there is none
 */
function addPointsAbove(
  reference: Collider,
  incident: Collider,
  opposite: number,
  a: Collider,
  b: Collider,
  referenceOnA: boolean,
  scratch: ManifoldScratch,
  manifold: Manifold,
): void {
  const { referenceNormal: n, clipped } = scratch
  const { kind } = incident
  if (kind === Core.cylinder) {
    if (reference.kind === Core.cylinder && opposite >= 0) {
      setFacePolygon(incident, opposite, clipped)
      clipToReference(reference, scratch)
      addClippedFace(a, b, referenceOnA, false, scratch, manifold)
      addRimPointsBelow(incident, opposite, b, referenceOnA, scratch, manifold)
      return
    }
    setFeet(incident, n, clipped)
    clipToReference(reference, scratch)
    addClippedFace(a, b, referenceOnA, false, scratch, manifold)
    // the side line adds only points that are not feet: its upper end, and its clipped ends
    const lower = rimFeature(lowerCap(incident, n), 0)
    setSideLine(incident, n, clipped)
    clipToReference(reference, scratch)
    const kept = clipped.count
    for (let k = 0; k < kept; k++) if (clipped.vertex[k] !== lower) addClippedPoint(a, b, referenceOnA, k, scratch, manifold)
    return
  }
  if (incident.core!.faces.length === 0) {
    setFirstEdge(incident, clipped)
    clipToReference(reference, scratch)
    addClippedFace(a, b, referenceOnA, false, scratch, manifold)
    return
  }
  addVerticesAbove(reference, incident, b, referenceOnA, scratch, manifold)
  reduceHullPoints(incident, manifold)
  const face = opposite >= 0 ? opposite : mostAgainst(incident, n)
  setFace(incident, face, clipped)
  clipToReference(reference, scratch)
  addClippedFace(a, b, referenceOnA, true, scratch, manifold)
  if (reference.kind === Core.cylinder) addRimPointsBelow(incident, face, b, referenceOnA, scratch, manifold)
}

/** Clips the incident polygon to the reference face, or to a whole cap. */
function clipToReference(reference: Collider, { referenceFace, tolerance, clipped, spare }: ManifoldScratch): void {
  if (reference.kind === Core.cylinder) clipToRim(reference, firstRimSide(referenceFace), tolerance, clipped, spare)
  else clip(referenceFace, clipped, spare)
}

/** Number, as an edge of the cylinder, of the rim's first arc: that of the octagon in the reference face. */
function firstRimSide(referenceFace: Polygon): number {
  return sideLine + 1 + (referenceFace.vertex[0] < 14 ? 0 : 8)
}

function addVerticesAbove(
  reference: Collider,
  incident: Collider,
  b: Collider,
  referenceOnA: boolean,
  { referenceFace, referenceNormal: n, tolerance }: ManifoldScratch,
  manifold: Manifold,
): void {
  const { vertices } = incident.core!
  const { R, p } = incident
  const { point, gap, normal, margin } = manifold
  const balls = reference.rounding + incident.rounding
  // the reference face in the incident shape's axes
  const x = R[0] * n[0] + R[3] * n[1] + R[6] * n[2]
  const y = R[1] * n[0] + R[4] * n[1] + R[7] * n[2]
  const z = R[2] * n[0] + R[5] * n[1] + R[8] * n[2]
  const middle = n[0] * (p[0] - referenceFace.x[0]) + n[1] * (p[1] - referenceFace.x[1]) + n[2] * (p[2] - referenceFace.x[2])
  const count = vertices.length / 3
  for (let v = 0; v < count; v++) {
    const h = middle + x * vertices[3 * v] + y * vertices[3 * v + 1] + z * vertices[3 * v + 2] - balls
    if (!(h <= margin[0])) continue
    const c = manifold.count
    writeVertex(incident, v, point, c)
    if (!(reference.kind === Core.cylinder ? isWithinRim(reference, tolerance, point, c) : isWithin(referenceFace, point, c)))
      continue
    gap[c] = h
    // to the incident surface, and half the distance back to the reference face
    const way = referenceOnA ? -incident.rounding - 0.5 * h : incident.rounding + 0.5 * h
    for (let d = 3 * c; d < 3 * c + 3; d++) point[d] += way * normal[d - 3 * c]
    keep(manifold, referenceOnA ? v : vertexCount(b) + v)
  }
}

const slightly = new Float64Array(1)

/** Adds the points of the reference's rim, at the corners of its octagon, that are below a face or cap of the incident shape. */
function addRimPointsBelow(
  incident: Collider,
  face: number,
  b: Collider,
  referenceOnA: boolean,
  { referenceFace, referenceNormal: n, tolerance, clipped }: ManifoldScratch,
  manifold: Manifold,
): void {
  const { point, gap, normal } = manifold
  setFacePolygon(incident, face, clipped)
  setFaceNormal(incident, face, faceNormal)
  setFacePoint(incident, face, facePoint)
  const down = dot(faceNormal, n)
  // on the rim of a cap of the same size, its own corners represent both
  const onCap = incident.kind === Core.cylinder
  slightly[0] = onCap ? -tolerance[0] : tolerance[0]
  if (!onCap) setSides(clipped, faceNormal, slightly)
  if (!(down < -0.1)) return
  for (let k = 0; k < 8; k++) {
    // straight up to the incident face
    let h = 0
    for (let d = 0; d < 3; d++) h += faceNormal[d] * (facePoint[d] - referenceFace.x[3 * k + d])
    h = (h + incident.rounding) / down
    for (let d = 0; d < 3; d++) support[d] = referenceFace.x[3 * k + d] + h * n[d]
    const inside = onCap ? isWithinRim(incident, slightly, support, 0) : isWithin(clipped, support, 0)
    if (!inside) continue
    const c = manifold.count
    gap[c] = h
    const way = referenceOnA ? 0.5 * h : -0.5 * h
    for (let d = 0; d < 3; d++) point[3 * c + d] = referenceFace.x[3 * k + d] + way * normal[d]
    keep(manifold, referenceOnA ? vertexCount(b) + referenceFace.vertex[k] : referenceFace.vertex[k])
  }
}

/** Keeps the point at index `count`, midway between the surfaces, if its gap is within the margin. */
function keep(manifold: Manifold, feature: number): void {
  const { count, gap, margin } = manifold
  if (!(gap[count] <= margin[0])) return
  manifold.feature[count] = feature
  manifold.count = count + 1
}

const steepest = new Float64Array(2)

/** The three feet of a cylinder on its lower cap along n: the rim's lowest point, and 120 degrees to both sides. */
function setFeet(cylinder: Collider, n: Float64Array, out: Polygon): void {
  const cap = lowerCap(cylinder, n)
  steepestOnCap(cylinder, n, steepest)
  out.count = 3
  out.line = -1
  for (let k = 0; k < 3; k++) {
    const third = k === 2 ? -1 : k
    rimPoint(cylinder, cap, third, steepest, out.x, k)
    out.vertex[k] = rimFeature(cap, third)
    out.edge[k] = (cap < 0 ? 0 : 3) + k
  }
}

/** The line between the lowest points of both rims, from -z to +z. */
function setSideLine(cylinder: Collider, n: Float64Array, out: Polygon): void {
  steepestOnCap(cylinder, n, steepest)
  out.count = 2
  out.line = sideLine
  for (let k = 0; k < 2; k++) {
    rimPoint(cylinder, 2 * k - 1, 0, steepest, out.x, k)
    out.vertex[k] = rimFeature(2 * k - 1, 0)
  }
}

/** The core of a capsule, or of a hull without area. */
function setFirstEdge(collider: Collider, out: Polygon): void {
  const { edges } = collider.core!
  out.count = Math.min(edges.length, 2)
  out.line = 0
  for (let k = 0; k < out.count; k++) {
    const v = edges[k]
    writeVertex(collider, v, out.x, k)
    out.vertex[k] = v
  }
}

function addClippedFace(
  a: Collider,
  b: Collider,
  referenceOnA: boolean,
  withoutVertices: boolean,
  scratch: ManifoldScratch,
  manifold: Manifold,
): void {
  const { clipped } = scratch
  for (let k = 0; k < clipped.count; k++) {
    if (withoutVertices && clipped.vertex[k] >= 0) continue
    addClippedPoint(a, b, referenceOnA, k, scratch, manifold)
  }
}

/** Adds point k of the clipped polygon, with its height above the reference face of A or B. */
function addClippedPoint(
  a: Collider,
  b: Collider,
  referenceOnA: boolean,
  k: number,
  { clipped, referenceFace, referenceNormal: n }: ManifoldScratch,
  manifold: Manifold,
): void {
  const { point, gap, normal, count } = manifold
  const x = 3 * k
  const h =
    n[0] * (clipped.x[x] - referenceFace.x[0]) +
    n[1] * (clipped.x[x + 1] - referenceFace.x[1]) +
    n[2] * (clipped.x[x + 2] - referenceFace.x[2])
  gap[count] = h - a.rounding - b.rounding
  // to the surface of the ball around the incident core, and half the distance on to the reference's
  const way = (referenceOnA ? b.rounding : a.rounding) + 0.5 * gap[count]
  for (let d = 0; d < 3; d++) point[3 * count + d] = clipped.x[x + d] + (referenceOnA ? -way : way) * normal[d]
  keep(manifold, featureOf(a, b, referenceOnA, clipped, k))
}

function vertexCount({ core }: Collider): number {
  return core ? core.vertices.length / 3 : cylinderVertices
}

function edgeCount({ core }: Collider): number {
  return core ? core.edges.length / 2 : cylinderEdges
}

/** The number of a clipped polygon's vertex: a vertex of B or of A, or the crossing of an edge of A with one of B. */
function featureOf(a: Collider, b: Collider, referenceOnA: boolean, clipped: Polygon, k: number): number {
  const countB = vertexCount(b)
  if (clipped.vertex[k] >= 0) return referenceOnA ? clipped.vertex[k] : countB + clipped.vertex[k]
  const after = clipped.edge[k]
  let incident = clipped.line
  let side = -1 - after
  if (clipped.side[k] >= 0) {
    incident = after
    side = clipped.side[k]
  } else if (incident < 0) {
    const before = clipped.edge[k === 0 ? clipped.count - 1 : k - 1]
    if (before < 0 && after < 0) {
      // between two sides of the reference face: its corner
      const corner = sharedVertex(referenceOnA ? a : b, -1 - before, -1 - after)
      return referenceOnA ? countB + corner : corner
    }
    incident = after < 0 ? before : after
    if (after >= 0) side = -1 - before
  }
  const edgeA = referenceOnA ? side : incident
  const edgeB = referenceOnA ? incident : side
  return countB + vertexCount(a) + edgeA * edgeCount(b) + edgeB
}

function sharedVertex({ core }: Collider, e: number, f: number): number {
  // sides of an octagon on a cap run from their own corner to the next
  if (core === undefined) {
    const first = e - sideLine - 1
    const second = f - sideLine - 1
    return 6 + ((first + 1) % 8 === second % 8 ? second : first)
  }
  const { edges } = core
  const shared = edges[2 * e] === edges[2 * f] || edges[2 * e] === edges[2 * f + 1]
  return shared ? edges[2 * e] : edges[2 * e + 1]
}

/** Edges as origin, vector to the other end, and number. */
const edgeA = new Float64Array(6)
const edgeB = new Float64Array(6)
const edge = new Int32Array(2)

/**
 * The edge of the core nearest to the other shape: among those at its farthest vertex along sign * n, the most nearly perpendicular to n.
 * Writes its number to `edge`, -1 if there is none. For a cylinder: its line farthest along sign * n.
 */
function setNearestEdge(
  collider: Collider,
  n: Float64Array,
  sign: number,
  slot: number,
  out: Float64Array,
  { clipped, tolerance }: ManifoldScratch,
): void {
  if (collider.kind === Core.cylinder) {
    for (let d = 0; d < 3; d++) faceNormal[d] = -sign * n[d]
    setSideLine(collider, faceNormal, clipped)
    for (let d = 0; d < 3; d++) {
      out[d] = clipped.x[d]
      out[3 + d] = clipped.x[3 + d] - clipped.x[d]
    }
    edge[slot] = sideLine
    return
  }
  const { core, R, p, vertexFaces, vertexFaceStart, faceEdges } = collider
  edge[slot] = -1
  supportCore(collider, n, sign, support, 0, index)
  // n in the shape's axes
  for (let k = 0; k < 3; k++) across[k] = sign * (R[k] * n[0] + R[3 + k] * n[1] + R[6 + k] * n[2])
  level[0] = sign * (dot(support, n) - dot(p, n)) - tolerance[0]
  slope[0] = Infinity
  if (core!.faces.length === 0) {
    for (let e = 0; 2 * e < core!.edges.length; e++) tryEdge(collider, e, slot)
  } else {
    // other vertices of equal height share a face with this one
    const v = index[0]
    for (let k = vertexFaceStart[v]; k < vertexFaceStart[v + 1]; k++) {
      const list = faceEdges[vertexFaces[k]]
      for (let m = 0; m < list.length; m++) tryEdge(collider, list[m], slot)
    }
  }
  if (edge[slot] < 0) return
  writeVertex(collider, core!.edges[2 * edge[slot]], out, 0)
  writeVertex(collider, core!.edges[2 * edge[slot] + 1], out, 1)
  for (let d = 0; d < 3; d++) out[3 + d] -= out[d]
}

/** 3: direction along which edges are compared; 1: least height of an edge; 1: slope of the best edge so far. */
const across = new Float64Array(3)
const level = new Float64Array(1)
const slope = new Float64Array(1)

/** Chooses edge e if it reaches that height and has less slope than the best so far, or an equal one and a lower number. */
function tryEdge(collider: Collider, e: number, slot: number): void {
  const { edges, vertices } = collider.core!
  const i = 3 * edges[2 * e]
  const j = 3 * edges[2 * e + 1]
  const hi = vertices[i] * across[0] + vertices[i + 1] * across[1] + vertices[i + 2] * across[2]
  const hj = vertices[j] * across[0] + vertices[j + 1] * across[1] + vertices[j + 2] * across[2]
  if ((hi > hj ? hi : hj) < level[0]) return
  const x = vertices[j] - vertices[i]
  const y = vertices[j + 1] - vertices[i + 1]
  const z = vertices[j + 2] - vertices[i + 2]
  const own = Math.abs(hj - hi) / Math.sqrt(x * x + y * y + z * z)
  if (own > slope[0] || (own === slope[0] && e >= edge[slot])) return
  slope[0] = own
  edge[slot] = e
}

/** Adds both ends of the overlap of two nearly parallel edges. */
function addEdgeContacts(a: Collider, b: Collider, scratch: ManifoldScratch, manifold: Manifold): void {
  const { normal: n, point, gap } = manifold
  setNearestEdge(a, n, 1, 0, edgeA, scratch)
  setNearestEdge(b, n, -1, 1, edgeB, scratch)
  if (edge[0] < 0 || edge[1] < 0) return
  const A = edgeA
  const B = edgeB
  const AA = A[3] * A[3] + A[4] * A[4] + A[5] * A[5]
  const BB = B[3] * B[3] + B[4] * B[4] + B[5] * B[5]
  const AB = A[3] * B[3] + A[4] * B[4] + A[5] * B[5]
  if (!(AB * AB > (1 - sideBySide * sideBySide) * AA * BB)) return
  // B's ends along A's edge, in units of its length
  const first = ((B[0] - A[0]) * A[3] + (B[1] - A[1]) * A[4] + (B[2] - A[2]) * A[5]) / AA
  const second = first + AB / AA
  const low = Math.max(0, Math.min(first, second))
  const high = Math.min(1, Math.max(first, second))
  if (!(high > low)) return
  for (let end = 0; end < 2; end++) {
    const t = end === 0 ? low : high
    const s = Math.min(1, Math.max(0, (t - first) / (second - first)))
    const c = manifold.count
    let h = 0
    for (let d = 0; d < 3; d++) h += n[d] * (B[d] + s * B[3 + d] - A[d] - t * A[3 + d])
    gap[c] = h - a.rounding - b.rounding
    // to B's surface, and half the distance on to A's
    const way = b.rounding + 0.5 * gap[c]
    for (let d = 0; d < 3; d++) point[3 * c + d] = B[d] + s * B[3 + d] - way * n[d]
    keep(manifold, parallelFeature + 2 * (edge[0] * edgeCount(b) + edge[1]) + end)
  }
}

/** Adds the midpoint of the nearest or deepest points. */
function addWitnessPoint(a: Collider, b: Collider, distance: Float64Array, manifold: Manifold): void {
  const { count, gap, point } = manifold
  gap[count] = distance[0]
  for (let d = 0; d < 3; d++) point[3 * count + d] = 0.5 * (distance[4 + d] + distance[7 + d])
  keep(manifold, b.kind === Core.point ? 0 : a.kind === Core.point ? vertexCount(b) : witnessFeature)
}

/** Insertion sort; the points come nearly sorted. */
function sortByFeature({ count, feature, gap, point }: Manifold): void {
  for (let k = 1; k < count; k++) {
    for (let j = k; j > 0 && feature[j] < feature[j - 1]; j--) {
      const f = feature[j]
      feature[j] = feature[j - 1]
      feature[j - 1] = f
      const g = gap[j]
      gap[j] = gap[j - 1]
      gap[j - 1] = g
      for (let d = 0; d < 3; d++) {
        const x = point[3 * j + d]
        point[3 * j + d] = point[3 * j - 3 + d]
        point[3 * j - 3 + d] = x
      }
    }
  }
}

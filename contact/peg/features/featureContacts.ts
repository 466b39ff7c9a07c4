import { addWork } from '../../../dynamics/index.ts'
import { type Collider, GeometryError, signedDistance } from '../../geometry/index.ts'
import {
  edgeEdgeApplicability,
  type FeatureBody,
  parallelSine,
  placeFeatures,
  placeNearEdges,
  vertexFaceApplicability,
} from './featureBody.ts'
import { type FeatureContactSet, type FeatureLimits, featureKind } from './featureContactSet.ts'

/**
 * Feature contacts of two convex polyhedra, or of one over a half-space: every pair of vertex and face and of edge and edge that can touch
 * while the bodies move by at most the margin against each other. Williams, Lu and Trinkle, A Complementarity Based Contact Model for
 * Geometrically Accurate Treatment of Polytopes in Simulation (2014). @unchecked
 *
 * The gap of a vertex over a face is its height over the face's plane; of two edges, the distance of their lines along the normal. A
 * contact is listed when its features are within the margin of each other, whatever the sign of the gap; or when they are deeper than the
 * margin, up to `depth`, with a tangential offset of at most the margin.
 *
 * Each applicable pair is a face of the configuration-space obstacle, the positions at which B overlaps A, and its gap the height over that
 * face. So bodies at a distance of up to the margin, or up to `depth` deep, are apart exactly when the greatest gap of the classically
 * applicable contacts is positive, and when they overlap, that gap is minus the depth. Farther apart than the margin there are no contacts.
 * Relaxed contacts may have a positive gap although bodies overlap: their features are not the bodies' ends along the normal.
 *
 * Nearly parallel edges, at a sine below 1e-3, count only when applicable by more than epsilon: their normal is sensitive to the smallest
 * rotation. Their contribution beside the contacts of their ends with the adjacent faces is less than 1e-3 epsilon times their length.
 * Parallel edges never count.
 *
 * The point of two edges is midway between the nearest points of their lines, where their gap changes with the motion of the bodies; if
 * these are farther from an edge than its length, between the nearest points of the edges.
 *
 * @param a, b of `createFeatureBody`; their colliders placed, with their cores
 * @throws GeometryError for two half-spaces
 */
export function featureContacts(a: FeatureBody, b: FeatureBody, limits: FeatureLimits, out: FeatureContactSet): void {
  if (a.topology.vertexCount === 0 && b.topology.vertexCount === 0) {
    throw new GeometryError('two half-spaces have no feature contacts; one shape must be bounded')
  }
  placeFeatures(a)
  placeFeatures(b)
  out.count = 0
  if (findSeparatingPlane(a, b, limits)) nearFeatureContacts(a, b, limits, out)
}

/** Sine of the angle of edges below which they count as parallel unless they face each other well. */
const nearlyParallel = 1e-3

const value = new Float64Array(5)
const normal = new Float64Array(3)
/** 3: the point of the current contact; 1: its gap; 1: the tangential offset of its features. */
const place = new Float64Array(5)
const cut = new Float64Array(6)

/** Relative to coordinates: difference of two orders of summation of a height. */
const rounding = 1e-12

/**
 * Result of `findSeparatingPlane`, 6 [m]: a unit vector from A to B, the maximum of A along it, the minimum of B, and their difference, a
 * lower bound of the distance of the bodies.
 */
export const separatingPlane = new Float64Array(6)
/** 1: nonzero if that difference is exactly the distance, or minus the depth. */
const isExact = new Uint8Array(1)
const measured = new Float64Array(10)

/**
 * Finds the face over which the other body is highest, and writes `separatingPlane`.
 *
 * @param a, b their faces placed (`placeFaces`)
 * @returns false if the bodies are farther apart than the margin
 */
export function findSeparatingPlane(a: FeatureBody, b: FeatureBody, { margin }: FeatureLimits): boolean {
  separatingPlane[5] = -Infinity
  isExact[0] = 0
  tryFaces(a, b, 1, margin)
  if (!(separatingPlane[5] > margin[0])) tryFaces(b, a, -1, margin)
  return !(separatingPlane[5] > margin[0])
}

/**
 * Results of `findNearFaces`: bodies farther apart than the margin; only faces of one and vertices of the other are near; or any features.
 */
export const nearness = { none: 0, faces: 1, any: 2 } as const

/**
 * Tests the faces of one body alone, and whether it has vertices or edges near the other; writes `separatingPlane`. If a small body with
 * many faces lies on a face of a large one with few, only that face is near, and the faces of the small one are not needed.
 *
 * @param a      with its faces, edges and box placed
 * @param b      with its box placed
 * @param side   1 if `a` is A of the contacts, else -1
 * @param limits whose depth is the margin
 * @returns one of `nearness`
 */
export function findNearFaces(a: FeatureBody, b: FeatureBody, side: number, limits: FeatureLimits): number {
  const margin = limits.margin[0]
  separatingPlane[5] = -Infinity
  isExact[0] = 0
  tryFaces(a, b, side, limits.margin)
  if (separatingPlane[5] > margin) return nearness.none
  if (!(separatingPlane[5] >= -margin)) return nearness.any
  if (!findNear(a, b, side, limits)) return nearness.none
  // a point has only its vertex
  return a.near[0] + a.near[1] > 0 && b.offsetW.length > 0 ? nearness.any : nearness.faces
}

/** Lists all contacts of bodies for which `findNearFaces` has returned `nearness.faces`. */
export function faceContacts(a: FeatureBody, b: FeatureBody, side: number, limits: FeatureLimits, out: FeatureContactSet): void {
  out.count = 0
  if (!findNearVertices(b, a, -side, limits)) return
  placeNearEdges(b)
  if (side > 0) faceVertexContacts(a, b, limits, out)
  else vertexFaceContacts(b, a, limits, out)
}

/** Whether one of the body's placed faces separates it by more than the margin from the ball around a collider. */
export function isBeyond(
  { normalW: N, offsetW }: FeatureBody,
  { centerW, radius }: Collider,
  { margin }: FeatureLimits,
): boolean {
  const x = centerW[0]
  const y = centerW[1]
  const z = centerW[2]
  const size = radius + Math.abs(x) + Math.abs(y) + Math.abs(z)
  for (let f = 0; f < offsetW.length; f++) {
    const height = N[3 * f] * x + N[3 * f + 1] * y + N[3 * f + 2] * z - offsetW[f]
    if (height - radius > margin[0] + rounding * (size + Math.abs(offsetW[f]))) return true
  }
  return false
}

/** Separating plane from the signed distance, which need not be that of a face: exact, but slower. */
export function proveSeparatingPlane({ collider: a }: FeatureBody, { collider: b }: FeatureBody): void {
  signedDistance(a, b, measured)
  const x = measured[1]
  const y = measured[2]
  const z = measured[3]
  const V = a.verticesW
  const W = b.verticesW
  let highest = -Infinity
  for (let i = 0; i < V.length; i += 3) {
    const height = x * V[i] + y * V[i + 1] + z * V[i + 2]
    if (height > highest) highest = height
  }
  let lowest = Infinity
  for (let i = 0; i < W.length; i += 3) {
    const height = x * W[i] + y * W[i + 1] + z * W[i + 2]
    if (height < lowest) lowest = height
  }
  separatingPlane[0] = x
  separatingPlane[1] = y
  separatingPlane[2] = z
  separatingPlane[3] = highest
  separatingPlane[4] = lowest
  separatingPlane[5] = measured[0]
  isExact[0] = 1
}

/** @param side 1 if `body` is A, else -1 */
function tryFaces({ normalW: N, offsetW }: FeatureBody, { collider }: FeatureBody, side: number, margin: Float64Array): void {
  const V = collider.verticesW
  if (V.length === 0) return
  // the lowest vertex over the best face so far: faces over which it is no higher are not better
  let last = 0
  for (let f = 0; f < offsetW.length; f++) {
    const x = N[3 * f]
    const y = N[3 * f + 1]
    const z = N[3 * f + 2]
    const most = separatingPlane[5] + offsetW[f]
    if (!(x * V[last] + y * V[last + 1] + z * V[last + 2] > most)) continue
    addWork(V.length, 1, 1)
    let lowest = Infinity
    let at = last
    for (let i = 0; i < V.length; i += 3) {
      const height = x * V[i] + y * V[i + 1] + z * V[i + 2]
      if (!(height < lowest)) continue
      lowest = height
      at = i
    }
    last = at
    if (!(lowest > most)) continue
    separatingPlane[0] = side * x
    separatingPlane[1] = side * y
    separatingPlane[2] = side * z
    separatingPlane[3] = side > 0 ? offsetW[f] : -lowest
    separatingPlane[4] = side > 0 ? lowest : -offsetW[f]
    separatingPlane[5] = lowest - offsetW[f]
    if (separatingPlane[5] > margin[0]) return
  }
}

/** Lists contacts of bodies after `findSeparatingPlane`, with edges placed. */
export function nearFeatureContacts(a: FeatureBody, b: FeatureBody, limits: FeatureLimits, out: FeatureContactSet): void {
  out.count = 0
  if (!findNear(a, b, 1, limits) || !findNear(b, a, -1, limits)) return
  vertexFaceContacts(a, b, limits, out)
  faceVertexContacts(a, b, limits, out)
  edgeEdgeContacts(a, b, limits, out)
  if (!allDeep(limits, out)) return
  if (isExact[0] === 0) proveSeparatingPlane(a, b)
  if (separatingPlane[5] > 0) out.count = 0
}

/**
 * Lists the vertices and edges of a body that reach into the other's box and across `separatingPlane`, both widened by the limits, as all
 * near features do.
 *
 * @param side 1 if `body` is A, else -1
 * @returns false if there are none, so that the bodies are farther apart than the margin
 */
function findNear(body: FeatureBody, other: FeatureBody, side: number, limits: FeatureLimits): boolean {
  if (!findNearVertices(body, other, side, limits)) return false
  if (body.topology.vertexCount > 0 && other.topology.vertexCount > 0) findNearEdges(body)
  return true
}

/** Lists only the vertices; also writes the extent of the other body to `cut` and `reach`. */
function findNearVertices(body: FeatureBody, other: FeatureBody, side: number, { margin, depth }: FeatureLimits): boolean {
  const { collider, topology, nearVertices, near, boxW, reach } = body
  const { vertexCount } = topology
  const V = collider.verticesW
  const far = depth[0] > margin[0] ? depth[0] + margin[0] : margin[0]
  let size = 0
  for (let k = 0; k < 3; k++) {
    cut[k] = other.boxW[k] - far
    cut[3 + k] = other.boxW[3 + k] + far
    size += Math.max(Math.abs(boxW[k]), Math.abs(boxW[3 + k]))
  }
  near[0] = 0
  near[1] = 0
  if (vertexCount === 0) return true
  for (let k = 0; k < 3; k++) if (!(boxW[k] <= cut[3 + k] && boxW[3 + k] >= cut[k])) return false
  const gx = side * separatingPlane[0]
  const gy = side * separatingPlane[1]
  const gz = side * separatingPlane[2]
  // start of the other body along the normal from this one
  const start = (side > 0 ? separatingPlane[4] : -separatingPlane[3]) - far - rounding * size
  let vertices = 0
  for (let v = 0; v < vertexCount; v++) {
    const x = V[3 * v]
    const y = V[3 * v + 1]
    const z = V[3 * v + 2]
    const beyond = gx * x + gy * y + gz * z - start
    reach[v] = beyond
    if (beyond < 0 || x < cut[0] || x > cut[3] || y < cut[1] || y > cut[4] || z < cut[2] || z > cut[5]) continue
    nearVertices[vertices++] = v
  }
  near[0] = vertices
  return true
}

/** Lists the near edges, after `findNearVertices`. */
function findNearEdges({ collider, topology, edgeBox, nearEdges, near, reach }: FeatureBody): void {
  const { edgeCount, edgeVertices } = topology
  const V = collider.verticesW
  let count = 0
  for (let e = 0; e < edgeCount; e++) {
    const v = edgeVertices[2 * e]
    const w = edgeVertices[2 * e + 1]
    const tail = reach[v]
    const head = reach[w]
    if (tail < 0 && head < 0) continue
    const p = 3 * v
    const q = 3 * w
    const at = 6 * count
    // the part of the edge beyond
    const from = tail < 0 ? tail / (tail - head) : 0
    const to = head < 0 ? tail / (tail - head) : 1
    for (let k = 0; k < 3; k++) {
      const along = V[q + k] - V[p + k]
      const x = from > 0 ? V[p + k] + from * along : V[p + k]
      const y = to < 1 ? V[p + k] + to * along : V[q + k]
      edgeBox[at + k] = x < y ? x : y
      edgeBox[at + 3 + k] = x < y ? y : x
    }
    if (edgeBox[at] > cut[3] || edgeBox[at + 1] > cut[4] || edgeBox[at + 2] > cut[5]) continue
    if (edgeBox[at + 3] < cut[0] || edgeBox[at + 4] < cut[1] || edgeBox[at + 5] < cut[2]) continue
    nearEdges[count++] = e
  }
  near[1] = count
}

function vertexFaceContacts(a: FeatureBody, b: FeatureBody, limits: FeatureLimits, out: FeatureContactSet): void {
  const { nearVertices, near } = a
  const N = b.normalW
  const faceCount = b.offsetW.length
  addWork(near[0], faceCount, 20)
  for (let i = 0; i < near[0]; i++) {
    const v = nearVertices[i]
    for (let f = 0; f < faceCount; f++) {
      if (!vertexMeetsFace(a, v, b, f, limits)) continue
      for (let k = 0; k < 3; k++) normal[k] = -N[3 * f + k]
      append(featureKind.vertexFace, v, f, v * faceCount + f, limits.epsilon, out)
    }
  }
}

function faceVertexContacts(a: FeatureBody, b: FeatureBody, limits: FeatureLimits, out: FeatureContactSet): void {
  const { nearVertices, near } = b
  const N = a.normalW
  const faceCount = a.offsetW.length
  const { vertexCount } = b.topology
  const first = a.topology.vertexCount * b.offsetW.length
  addWork(near[0], faceCount, 20)
  for (let f = 0; f < faceCount; f++) {
    for (let i = 0; i < near[0]; i++) {
      const v = nearVertices[i]
      if (!vertexMeetsFace(b, v, a, f, limits)) continue
      for (let k = 0; k < 3; k++) normal[k] = N[3 * f + k]
      append(featureKind.faceVertex, f, v, first + f * vertexCount + v, limits.epsilon, out)
    }
  }
}

/** Whether gap and tangential offset in `place` are within the limits. */
function isNear({ margin, depth }: FeatureLimits): boolean {
  const m = margin[0]
  const gap = place[3]
  const aside = place[4]
  return gap >= -m ? gap * gap + aside * aside <= m * m : gap >= -depth[0] && aside <= m
}

/** Whether there are contacts, all of them deeper than the margin. */
function allDeep({ margin }: FeatureLimits, { count, gap }: FeatureContactSet): boolean {
  for (let i = 0; i < count; i++) if (gap[i] >= -margin[0]) return false
  return count > 0
}

/** Whether a vertex of `body` and a face of `other` are within the limits; writes `place` and `value`. */
function vertexMeetsFace(body: FeatureBody, v: number, other: FeatureBody, f: number, limits: FeatureLimits): boolean {
  const { margin, depth, epsilon, choice } = limits
  const V = body.collider.verticesW
  const N = other.normalW
  const x = V[3 * v]
  const y = V[3 * v + 1]
  const z = V[3 * v + 2]
  const gap = N[3 * f] * x + N[3 * f + 1] * y + N[3 * f + 2] * z - other.offsetW[f]
  if (!(gap <= margin[0] && gap >= -depth[0])) return false
  vertexFaceApplicability(body, v, N, 3 * f, value)
  if (choice === 'applicable' && value[0] < -epsilon[0]) return false
  place[0] = x
  place[1] = y
  place[2] = z
  besideFace(other, f, place)
  place[3] = gap
  if (!isNear(limits)) return false
  place[0] -= 0.5 * gap * N[3 * f]
  place[1] -= 0.5 * gap * N[3 * f + 1]
  place[2] -= 0.5 * gap * N[3 * f + 2]
  return true
}

/**
 * Tangential offset of a point from a face.
 *
 * @param point 5: the point in the first 3; the result in the last
 */
function besideFace(body: FeatureBody, f: number, point: Float64Array): void {
  const { collider, topology, directionW: u, normalW: N } = body
  const { faceStart, faceEdges, faceVertices, edgeVertices, edgeLengths } = topology
  const V = collider.verticesW
  let least = Infinity
  let outside = false
  for (let k = faceStart[f]; k < faceStart[f + 1]; k++) {
    const e = faceEdges[k]
    const tail = edgeVertices[2 * e]
    const from = 3 * tail
    const x = point[0] - V[from]
    const y = point[1] - V[from + 1]
    const z = point[2] - V[from + 2]
    const ux = u[3 * e]
    const uy = u[3 * e + 1]
    const uz = u[3 * e + 2]
    // (u x n) . x is the height over the edge, outwards if the face's loop runs along the edge
    const turn = faceVertices[k] === tail ? 1 : -1
    const beyond =
      turn *
      ((uy * N[3 * f + 2] - uz * N[3 * f + 1]) * x +
        (uz * N[3 * f] - ux * N[3 * f + 2]) * y +
        (ux * N[3 * f + 1] - uy * N[3 * f]) * z)
    if (!(beyond > 0)) continue
    outside = true
    const along = ux * x + uy * y + uz * z
    const past = along < 0 ? -along : along > edgeLengths[e] ? along - edgeLengths[e] : 0
    const squared = beyond * beyond + past * past
    if (squared < least) least = squared
  }
  point[4] = outside ? Math.sqrt(least) : 0
}

function edgeEdgeContacts(a: FeatureBody, b: FeatureBody, limits: FeatureLimits, out: FeatureContactSet): void {
  const { nearEdges: listA, edgeBox: A } = a
  const { nearEdges: listB, edgeBox: B } = b
  const { margin, depth, edgeEpsilon, choice } = limits
  const countA = a.near[1]
  const countB = b.near[1]
  const reach = depth[0] > margin[0] ? depth[0] + margin[0] : margin[0]
  const least = choice === 'all' ? -2 : -edgeEpsilon[0]
  const { edgeCount } = b.topology
  const first = a.topology.vertexCount * b.offsetW.length + a.offsetW.length * b.topology.vertexCount
  for (let i = 0; i < countA; i++) {
    addWork(countB, 30, 1)
    const p = 6 * i
    for (let j = 0; j < countB; j++) {
      const q = 6 * j
      if (A[p] > B[q + 3] + reach || A[p + 1] > B[q + 4] + reach || A[p + 2] > B[q + 5] + reach) continue
      if (B[q] > A[p + 3] + reach || B[q + 1] > A[p + 4] + reach || B[q + 2] > A[p + 5] + reach) continue
      edgeEdgeApplicability(a, listA[i], b, listB[j], value)
      const sine = value[4]
      if (!(sine >= parallelSine && value[0] >= least)) continue
      if (sine < nearlyParallel && !(value[0] > edgeEpsilon[0])) continue
      edgeMeetsEdge(a, listA[i], b, listB[j])
      if (!isNear(limits)) continue
      normal[0] = value[1]
      normal[1] = value[2]
      normal[2] = value[3]
      append(featureKind.edgeEdge, listA[i], listB[j], first + listA[i] * edgeCount + listB[j], edgeEpsilon, out)
    }
  }
}

/**
 * The nearest points of two edges that are not parallel (Ericson, Real-Time Collision Detection, 2005, section 5.1.9), and
 * the gap along the normal in `value`; writes `place`.
 */
function edgeMeetsEdge(a: FeatureBody, edgeA: number, b: FeatureBody, edgeB: number): void {
  const V = a.collider.verticesW
  const W = b.collider.verticesW
  const u = a.directionW
  const w = b.directionW
  const i = 3 * edgeA
  const j = 3 * edgeB
  const p = 3 * a.topology.edgeVertices[2 * edgeA]
  const q = 3 * b.topology.edgeVertices[2 * edgeB]
  const lengthA = a.topology.edgeLengths[edgeA]
  const lengthB = b.topology.edgeLengths[edgeB]
  const rx = V[p] - W[q]
  const ry = V[p + 1] - W[q + 1]
  const rz = V[p + 2] - W[q + 2]
  const cosine = u[i] * w[j] + u[i + 1] * w[j + 1] + u[i + 2] * w[j + 2]
  const c = u[i] * rx + u[i + 1] * ry + u[i + 2] * rz
  const d = w[j] * rx + w[j + 1] * ry + w[j + 2] * rz
  const footA = (cosine * d - c) / (value[4] * value[4])
  const footB = cosine * footA + d
  let s = footA
  s = s < 0 ? 0 : s > lengthA ? lengthA : s
  let t = cosine * s + d
  if (!(t >= 0 && t <= lengthB)) {
    t = t > 0 ? lengthB : 0
    s = cosine * t - c
    s = s < 0 ? 0 : s > lengthA ? lengthA : s
  }
  // from the point on A to that on B
  const x = t * w[j] - s * u[i] - rx
  const y = t * w[j + 1] - s * u[i + 1] - ry
  const z = t * w[j + 2] - s * u[i + 2] - rz
  const gap = value[1] * x + value[2] * y + value[3] * z
  const sx = x - gap * value[1]
  const sy = y - gap * value[2]
  const sz = z - gap * value[3]
  place[3] = gap
  place[4] = Math.sqrt(sx * sx + sy * sy + sz * sz)
  // nearest points of the lines, even beyond the edges: there the gap changes with the motion of the bodies' points
  const isWithinReach = footA >= -lengthA && footA <= 2 * lengthA && footB >= -lengthB && footB <= 2 * lengthB
  const along = isWithinReach ? footA : s
  place[0] = V[p] + along * u[i] + 0.5 * (isWithinReach ? gap * value[1] : x)
  place[1] = V[p + 1] + along * u[i + 1] + 0.5 * (isWithinReach ? gap * value[2] : y)
  place[2] = V[p + 2] + along * u[i + 2] + 0.5 * (isWithinReach ? gap * value[3] : z)
}

function append(
  kind: number,
  featureA: number,
  featureB: number,
  id: number,
  epsilon: Float64Array,
  out: FeatureContactSet,
): void {
  const c = out.count
  if (c === out.capacity) out.reserve(2 * c + 32)
  out.feature[c] = id
  out.kind[c] = kind
  out.featureA[c] = featureA
  out.featureB[c] = featureB
  for (let k = 0; k < 3; k++) {
    out.point[3 * c + k] = place[k]
    out.normal[3 * c + k] = normal[k]
  }
  out.gap[c] = place[3]
  out.aside[c] = place[4]
  out.applicability[c] = value[0]
  out.applicable[c] = value[0] >= 0 ? 2 : value[0] >= -epsilon[0] ? 1 : 0
  out.count = c + 1
}

import { type Collider, signedDistance } from '../geometry/index.ts'
import { reduceHullPoints } from './halfSpaceManifold.ts'
import { type Manifold, take } from './manifold.ts'
import { clip, createPolygon, isWithin, type Polygon } from './polygon.ts'
import { lowerCap, rimFeature, rimPoint, steepestOnCap } from './rim.ts'

/** Scratch of `convexManifold`. */
export interface ManifoldScratch {
  readonly distance: Float64Array
  /** The face that the other shape's points are measured from, and its outward unit normal. */
  readonly frame: Polygon
  readonly frameNormal: Float64Array
  /** What is clipped against it. */
  readonly polygon: Polygon
  readonly spare: Polygon
  /** 1 [m] */
  readonly tolerance: Float64Array
  /** 1: gap up to which the manifold's deepest point counts as the one that the signed distance found [m]. */
  readonly deepEnough: Float64Array
}

/** @param capacity at least the vertices of both shapes together, and 16 more */
export function createManifoldScratch(capacity: number): ManifoldScratch {
  return {
    distance: new Float64Array(10),
    frame: createPolygon(capacity),
    frameNormal: new Float64Array(3),
    polygon: createPolygon(capacity),
    spare: createPolygon(capacity),
    tolerance: new Float64Array(1),
    deepEnough: new Float64Array(1),
  }
}

/** A face is flush with the contact normal when 1 - cos of the angle between them is below this. */
const flush = 1e-11
/** Edges are side by side below this sine of the angle between them. */
const sideBySide = 0.05
/** Relative to the size of the pair: how far outside a face a vertex still counts as above it. */
const onBorder = 1e-9
/** Relative to the size of the pair: the deepest point of the manifold must come this near to the signed distance. */
const nearlyAsDeep = 1e-7

/** A cylinder's features beyond its six rim points (see `halfSpaceManifold`): 8 corners inscribed in each cap. */
const cylinderVertices = 22
/** Three sides between the feet on each cap, the side line, 8 sides of each inscribed octagon. */
const cylinderEdges = 23
const sideLine = 6

/** Numbers of features that are no vertex and no crossing of two edges. */
const parallelFeature = 1 << 29
const witnessFeature = 1 << 30

const sin45 = Math.sqrt(0.5)
const octagonX = Float64Array.from([1, sin45, 0, -sin45, -1, -sin45, 0, sin45])
const octagonY = Float64Array.from([0, sin45, 1, sin45, 0, -sin45, -1, -sin45])

/**
 * Contact points of a robot's shape B against a fixed box or hull A: one normal, that of the signed distance, and
 *
 * - where a face of A is flush with it, B's vertices above the face, and B's nearest face, feet or side line clipped to it;
 * - else where a face or cap of B is flush with it, A's nearest face clipped to that;
 * - else where the two nearest edges are side by side, the ends of their overlap;
 * - else, or when none of these is as deep as the two shapes are, the two points that are nearest or deepest.
 *
 * Features number B's vertices (corners, or rim points as in `halfSpaceManifold`), then A's vertices, then crossings of an
 * edge of A with one of B.
 *
 * Both colliders must be placed, with their cores.
 *
 * @param manifold out; its margin is read
 */
export function convexManifold(a: Collider, b: Collider, scratch: ManifoldScratch, manifold: Manifold): void {
  const { distance, frame, frameNormal, tolerance } = scratch
  const { normal, margin } = manifold
  manifold.count = 0
  if (isClear(a, b, margin)) return
  signedDistance(a, b, distance)
  if (!(distance[0] <= margin[0])) return
  for (let k = 0; k < 3; k++) normal[k] = distance[1 + k]
  setTolerances(a, b, scratch)

  if (b.shape.type !== 'sphere') {
    const faceA = flushFace(a, normal, 1)
    const faceB = faceA < 0 ? flushFace(b, normal, -1) : -1
    const cap = faceA < 0 && b.shape.type === 'cylinder' ? flushCap(b, normal) : 0
    if (faceA >= 0) {
      setFace(a, faceA, frame)
      setNormal(a, faceA, frameNormal)
      for (let k = 0; k < 3; k++) normal[k] = frameNormal[k]
      takeAboveFace(a, b, scratch, manifold)
    } else if (faceB >= 0 || cap !== 0) {
      if (faceB >= 0) {
        setFace(b, faceB, frame)
        setNormal(b, faceB, frameNormal)
      } else setCap(b, cap, frame, frameNormal)
      for (let k = 0; k < 3; k++) normal[k] = -frameNormal[k]
      const incident = facing(a, frameNormal)
      if (incident >= 0) {
        setFace(a, incident, scratch.polygon)
        clip(frame, frameNormal, tolerance, scratch.polygon, scratch.spare)
        takePolygon(a, b, false, false, scratch, manifold)
      }
    } else takeEdges(a, b, scratch, manifold)
  }

  if (!reaches(manifold, scratch.deepEnough)) {
    takeWitness(distance, b.shape.type === 'sphere' ? 0 : witnessFeature, manifold)
  }
  sortByFeature(manifold)
}

/** Both grow with the shapes. A function of its own, as is `reaches`: numbers on the way through the cases above get boxed. */
function setTolerances(a: Collider, b: Collider, { distance, tolerance, deepEnough }: ManifoldScratch): void {
  const size = a.radius + b.radius
  tolerance[0] = onBorder * size
  deepEnough[0] = distance[0] + nearlyAsDeep * size
}

/** Whether some contact's gap is at most bound[0]. */
function reaches({ count, gap }: Manifold, bound: Float64Array): boolean {
  for (let k = 0; k < count; k++) if (gap[k] <= bound[0]) return true
  return false
}

/** Whether the ball around B is beyond the margin from a face of A; it may still be beyond when this is false. */
function isClear({ core, normalsW, verticesW }: Collider, { centerW: c, radius }: Collider, margin: Float64Array): boolean {
  const { faces } = core!
  for (let f = 0; f < faces.length; f++) {
    const v = 3 * faces[f][0]
    const n = 3 * f
    const height =
      normalsW[n] * (c[0] - verticesW[v]) +
      normalsW[n + 1] * (c[1] - verticesW[v + 1]) +
      normalsW[n + 2] * (c[2] - verticesW[v + 2])
    if (height - radius > margin[0]) return true
  }
  return false
}

/** The face whose outward normal is sign * n; -1 if there is none. */
function flushFace({ normalsW }: Collider, n: Float64Array, sign: number): number {
  let face = 0
  for (let f = 0; f < normalsW.length; f += 3) {
    const cosine = sign * (normalsW[f] * n[0] + normalsW[f + 1] * n[1] + normalsW[f + 2] * n[2])
    if (cosine > 1 - flush) return face
    face++
  }
  return -1
}

/** The cap (-1, 1) of a cylinder that looks along -n; 0 if there is none. */
function flushCap({ R }: Collider, n: Float64Array): number {
  const cosine = R[2] * n[0] + R[5] * n[1] + R[8] * n[2]
  if (cosine > 1 - flush) return -1
  return cosine < flush - 1 ? 1 : 0
}

/** The face that looks most against n; -1 for cores without faces. */
function facing({ normalsW }: Collider, n: Float64Array): number {
  let best = -1
  let least = 2
  let face = 0
  for (let f = 0; f < normalsW.length; f += 3) {
    const cosine = normalsW[f] * n[0] + normalsW[f + 1] * n[1] + normalsW[f + 2] * n[2]
    // faces that tie to rounding: the first
    if (cosine < least - 1e-12) {
      least = cosine
      best = face
    }
    face++
  }
  return best
}

function setFace({ core, verticesW, faceEdges }: Collider, f: number, out: Polygon): void {
  const loop = core!.faces[f]
  const edges = faceEdges[f]
  out.count = loop.length
  out.line = -1
  for (let k = 0; k < loop.length; k++) {
    const v = 3 * loop[k]
    out.x[3 * k] = verticesW[v]
    out.x[3 * k + 1] = verticesW[v + 1]
    out.x[3 * k + 2] = verticesW[v + 2]
    out.vertex[k] = loop[k]
    out.edge[k] = edges[k]
  }
}

function setNormal({ normalsW }: Collider, f: number, out: Float64Array): void {
  out[0] = normalsW[3 * f]
  out[1] = normalsW[3 * f + 1]
  out[2] = normalsW[3 * f + 2]
}

/** The octagon inscribed in a cap, counter-clockwise seen from outside. */
function setCap({ shape, R, p, halfLength }: Collider, cap: number, out: Polygon, normal: Float64Array): void {
  if (shape.type !== 'cylinder') return
  const number = cap < 0 ? 0 : 8
  out.count = 8
  out.line = -1
  for (let k = 0; k < 8; k++) {
    const angle = cap < 0 ? 7 - k : k
    // the side from corner k leads to corner k + 1; at -z, walked backwards, to k - 1
    const side = cap < 0 ? (angle + 7) % 8 : angle
    const x = shape.radius * octagonX[angle]
    const y = shape.radius * octagonY[angle]
    for (let d = 0; d < 3; d++) out.x[3 * k + d] = p[d] + R[3 * d] * x + R[3 * d + 1] * y + R[3 * d + 2] * cap * halfLength
    out.vertex[k] = 6 + number + angle
    out.edge[k] = sideLine + 1 + number + side
  }
  for (let d = 0; d < 3; d++) normal[d] = cap * R[3 * d + 2]
}

/** Everything of B that stands above the frame, a face of A. */
function takeAboveFace(a: Collider, b: Collider, scratch: ManifoldScratch, manifold: Manifold): void {
  const { frame, frameNormal: n, polygon, spare, tolerance } = scratch
  if (b.shape.type === 'cylinder') {
    setFeet(b, n, polygon)
    clip(frame, n, tolerance, polygon, spare)
    takePolygon(a, b, true, false, scratch, manifold)
    // of the side line, what the feet do not have: its upper end, and where it is cut
    const lower = rimFeature(lowerCap(b, n), 0)
    setSideLine(b, n, polygon)
    clip(frame, n, tolerance, polygon, spare)
    const kept = polygon.count
    for (let k = 0; k < kept; k++) if (polygon.vertex[k] !== lower) takeOfIncident(a, b, true, k, scratch, manifold)
    return
  }
  if (b.core!.faces.length === 0) {
    setFirstEdge(b, polygon)
    clip(frame, n, tolerance, polygon, spare)
    takePolygon(a, b, true, false, scratch, manifold)
    return
  }
  const V = b.verticesW
  for (let v = 0; v < V.length; v += 3) {
    const gap = n[0] * (V[v] - frame.x[0]) + n[1] * (V[v + 1] - frame.x[1]) + n[2] * (V[v + 2] - frame.x[2])
    if (!(gap <= manifold.margin[0]) || !isWithin(frame, n, tolerance, V, v / 3)) continue
    const c = manifold.count
    manifold.gap[c] = gap
    manifold.point[3 * c] = V[v]
    manifold.point[3 * c + 1] = V[v + 1]
    manifold.point[3 * c + 2] = V[v + 2]
    take(manifold, v / 3)
  }
  reduceHullPoints(b, manifold)
  setFace(b, facing(b, n), polygon)
  clip(frame, n, tolerance, polygon, spare)
  takePolygon(a, b, true, true, scratch, manifold)
}

const steepest = new Float64Array(2)

/** The three feet of a cylinder on the cap that is lower along n: the steepest rim point, and 120 degrees to both sides. */
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

/** The line between the steepest rim points, from -z to +z. */
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
function setFirstEdge({ core, verticesW }: Collider, out: Polygon): void {
  const { edges } = core!
  out.count = Math.min(edges.length, 2)
  out.line = 0
  for (let k = 0; k < out.count; k++) {
    const v = edges[k]
    for (let d = 0; d < 3; d++) out.x[3 * k + d] = verticesW[3 * v + d]
    out.vertex[k] = v
  }
}

function takePolygon(
  a: Collider,
  b: Collider,
  onA: boolean,
  withoutVertices: boolean,
  scratch: ManifoldScratch,
  manifold: Manifold,
): void {
  const { polygon } = scratch
  for (let k = 0; k < polygon.count; k++) {
    if (withoutVertices && polygon.vertex[k] >= 0) continue
    takeOfIncident(a, b, onA, k, scratch, manifold)
  }
}

/** Point k of the clipped polygon, with its height over the frame, which is on A or on B. */
function takeOfIncident(
  a: Collider,
  b: Collider,
  frameOnA: boolean,
  k: number,
  scratch: ManifoldScratch,
  manifold: Manifold,
): void {
  const { polygon, frame, frameNormal: n } = scratch
  const { point, gap, normal, count } = manifold
  const x = 3 * k
  const height =
    n[0] * (polygon.x[x] - frame.x[0]) + n[1] * (polygon.x[x + 1] - frame.x[1]) + n[2] * (polygon.x[x + 2] - frame.x[2])
  gap[count] = height - b.rounding
  // from the incident point to B's surface
  const way = frameOnA ? -b.rounding : gap[count]
  for (let d = 0; d < 3; d++) point[3 * count + d] = polygon.x[x + d] + way * normal[d]
  take(manifold, featureOf(a, b, frameOnA, polygon, k))
}

function vertexCount({ core }: Collider): number {
  return core ? core.vertices.length / 3 : cylinderVertices
}

function edgeCount({ core }: Collider): number {
  return core ? core.edges.length / 2 : cylinderEdges
}

/** The number of a clipped polygon's vertex: a vertex of B or of A, or the crossing of an edge of A with one of B. */
function featureOf(a: Collider, b: Collider, frameOnA: boolean, polygon: Polygon, k: number): number {
  const countB = vertexCount(b)
  if (polygon.vertex[k] >= 0) return frameOnA ? polygon.vertex[k] : countB + polygon.vertex[k]
  const after = polygon.edge[k]
  let incident = polygon.line
  let side = -1 - after
  if (incident < 0) {
    const before = polygon.edge[k === 0 ? polygon.count - 1 : k - 1]
    if (before < 0 && after < 0) {
      // between two sides of the frame: its corner
      const corner = sharedVertex(frameOnA ? a : b, -1 - before, -1 - after)
      return frameOnA ? countB + corner : corner
    }
    incident = after < 0 ? before : after
    if (after >= 0) side = -1 - before
  }
  const edgeA = frameOnA ? side : incident
  const edgeB = frameOnA ? incident : side
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

/** Edges as origin, way to the other end, and number. */
const edgeA = new Float64Array(6)
const edgeB = new Float64Array(6)

/**
 * The edge of the core nearest to the other shape: of those that start or end at its farthest vertex along sign * n, the one
 * most across n. Answers its number, or -1.
 */
function nearestEdge({ core, verticesW, radius }: Collider, n: Float64Array, sign: number, out: Float64Array): number {
  const { edges } = core!
  let highest = -Infinity
  for (let i = 0; i < verticesW.length; i += 3) {
    const height = sign * (verticesW[i] * n[0] + verticesW[i + 1] * n[1] + verticesW[i + 2] * n[2])
    if (height > highest) highest = height
  }
  let best = -1
  let least = Infinity
  for (let e = 0; e < edges.length; e += 2) {
    const i = 3 * edges[e]
    const j = 3 * edges[e + 1]
    const hi = sign * (verticesW[i] * n[0] + verticesW[i + 1] * n[1] + verticesW[i + 2] * n[2])
    const hj = sign * (verticesW[j] * n[0] + verticesW[j + 1] * n[1] + verticesW[j + 2] * n[2])
    if (Math.max(hi, hj) < highest - onBorder * radius) continue
    const x = verticesW[j] - verticesW[i]
    const y = verticesW[j + 1] - verticesW[i + 1]
    const z = verticesW[j + 2] - verticesW[i + 2]
    const slope = Math.abs(hj - hi) / Math.sqrt(x * x + y * y + z * z)
    if (slope >= least) continue
    least = slope
    best = e / 2
    out[0] = verticesW[i]
    out[1] = verticesW[i + 1]
    out[2] = verticesW[i + 2]
    out[3] = x
    out[4] = y
    out[5] = z
  }
  return best
}

/** Both ends of the stretch over which two nearly parallel edges face each other. */
function takeEdges(a: Collider, b: Collider, scratch: ManifoldScratch, manifold: Manifold): void {
  const { normal: n, point, gap } = manifold
  const eA = nearestEdge(a, n, 1, edgeA)
  let eB = sideLine
  if (b.core) eB = nearestEdge(b, n, -1, edgeB)
  else {
    setSideLine(b, n, scratch.polygon)
    const { x } = scratch.polygon
    for (let d = 0; d < 3; d++) {
      edgeB[d] = x[d]
      edgeB[3 + d] = x[3 + d] - x[d]
    }
  }
  if (eA < 0 || eB < 0) return
  const A = edgeA
  const B = edgeB
  const AA = A[3] * A[3] + A[4] * A[4] + A[5] * A[5]
  const BB = B[3] * B[3] + B[4] * B[4] + B[5] * B[5]
  const AB = A[3] * B[3] + A[4] * B[4] + A[5] * B[5]
  if (!(AB * AB > (1 - sideBySide * sideBySide) * AA * BB)) return
  // B's ends along A's edge, in units of it
  const first = ((B[0] - A[0]) * A[3] + (B[1] - A[1]) * A[4] + (B[2] - A[2]) * A[5]) / AA
  const second = first + AB / AA
  const low = Math.max(0, Math.min(first, second))
  const high = Math.min(1, Math.max(first, second))
  if (!(high > low)) return
  for (let end = 0; end < 2; end++) {
    const t = end === 0 ? low : high
    const s = Math.min(1, Math.max(0, (t - first) / (second - first)))
    const c = manifold.count
    let height = 0
    for (let d = 0; d < 3; d++) height += n[d] * (B[d] + s * B[3 + d] - A[d] - t * A[3 + d])
    gap[c] = height - b.rounding
    for (let d = 0; d < 3; d++) point[3 * c + d] = B[d] + s * B[3 + d] - b.rounding * n[d]
    take(manifold, parallelFeature + 2 * (eA * edgeCount(b) + eB) + end)
  }
}

function takeWitness(distance: Float64Array, feature: number, manifold: Manifold): void {
  const { count, gap, point } = manifold
  gap[count] = distance[0]
  for (let d = 0; d < 3; d++) point[3 * count + d] = distance[7 + d]
  take(manifold, feature)
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

/*
 * npm run bench -- walks
 *
 * The closest features of two convex polyhedra by walks from feature to neighbouring feature, as Lin and Canny and Mirtich have them, beside
 * GJK on the same pairs: steps a query, time, failures, with the features of the last query and from a fixed start.
 *
 * Both walks hold a pair of features, and move one of the two to a neighbour whose Voronoi region holds what the test found outside its
 * own. Neighbours: of a vertex its edges, of an edge its ends and faces, of a face its edges.
 *
 * - M. C. Lin and J. F. Canny, A fast algorithm for incremental distance calculation, ICRA 1991: each feature's point nearest to the other
 *   feature has to be in the other's region.
 * - B. Mirtich, V-Clip: fast and robust polyhedral collision detection, ACM TOG 17(3), 1998: edges are clipped to regions, and signs of
 *   derivatives of the distance along what is left decide. It has no tolerances, and tells overlap.
 */

import { median } from '../../compare/measure/statistics.ts'
import {
  boxPolyhedron,
  type Collider,
  createCollider,
  hullOf,
  type Polyhedron,
  pairMemorySize,
  placeCollider,
  placeCore,
  signedDistance,
  signedDistanceWarm,
  type Topology,
  topologyOf,
} from '../../contact/geometry/index.ts'
import { createRandom } from '../../dynamics/index.ts'

const VERTEX = 0
const EDGE = 1
const FACE = 2

export type Ending = 'apart' | 'overlap' | 'endless'
export type Method = 'Lin-Canny' | 'V-Clip'

/** A step's outcome. */
const MOVED = 0
const DONE = 1
const OVERLAP = 2

/** Steps after which a walk counts as endless: those that end take less than a tenth of it. */
const PATIENCE = 500
/** Depth behind a plane of a region that Lin and Canny's tests pass over, relative to the size of the pair. */
const FLARE = 1e-10

/** One body of a walk, and its current feature. Points are three entries of an array, from an index on [m]. */
class Side {
  readonly topology: Topology
  /** In the world: 3 a vertex [m], and 3 a face. */
  x: Float64Array
  n: Float64Array
  kind = VERTEX
  at = 0
  readonly #collider: Collider

  constructor(collider: Collider) {
    this.topology = topologyOf(collider.core!)
    this.#collider = collider
    this.x = collider.verticesW
    this.n = collider.normalsW
  }

  /** Reads where the body was placed. */
  read(): void {
    this.x = this.#collider.verticesW
    this.n = this.#collider.normalsW
  }

  /** Number of planes of the current region; a face's own plane is not among them. */
  get planes(): number {
    const { vertexStart, faceStart } = this.topology
    if (this.kind === EDGE) return 4
    const start = this.kind === VERTEX ? vertexStart : faceStart
    return start[this.at + 1] - start[this.at]
  }

  /** Moves to the neighbour behind plane k of the current region. */
  cross(k: number): void {
    const { vertexStart, vertexEdges, edgeVertices, edgeFaces, faceStart, faceEdges } = this.topology
    if (this.kind === VERTEX) this.set(EDGE, vertexEdges[vertexStart[this.at] + k])
    else if (this.kind === FACE) this.set(EDGE, faceEdges[faceStart[this.at] + k])
    else if (k < 2) this.set(VERTEX, edgeVertices[2 * this.at + k])
    else this.set(FACE, edgeFaces[2 * this.at + k - 2])
  }

  set(kind: number, at: number): void {
    this.kind = kind
    this.at = at
  }

  /** First (0) or second (1) end of the current edge, or the current vertex, as an index into `x`. */
  end(k: number): number {
    return 3 * (this.kind === VERTEX ? this.at : this.topology.edgeVertices[2 * this.at + k])
  }

  /** Height of point i of y over face f [m]. */
  height(f: number, y: Float64Array, i: number): number {
    const { x, n, topology } = this
    const a = 3 * topology.faceVertices[topology.faceStart[f]]
    return n[3 * f] * (y[i] - x[a]) + n[3 * f + 1] * (y[i + 1] - x[a + 1]) + n[3 * f + 2] * (y[i + 2] - x[a + 2])
  }

  /** Distance of point i of y from plane k of the current region, negative outside [m]. */
  inside(k: number, y: Float64Array, i: number): number {
    const { x, n, kind, at, topology: t } = this
    // the plane is through a and across the way to b, or through that way and across face f
    let [a, b, f, sign] = [0, 0, -1, 1]
    if (kind === FACE) {
      const start = t.faceStart[at]
      ;[a, b, f] = [3 * t.faceVertices[start + k], 3 * t.faceVertices[start + ((k + 1) % this.planes)], at]
    } else {
      ;[a, b] = [this.end(k % 2), kind === EDGE ? this.end(1 - (k % 2)) : 3 * t.vertexNeighbours[t.vertexStart[at] + k]]
      if (kind === VERTEX || k >= 2) sign = -1
      if (kind === EDGE && k >= 2) f = t.edgeFaces[2 * at + k - 2]
    }
    let [ux, uy, uz] = [x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]]
    if (f >= 0) {
      // the loop of face f runs from a to b: n x u is into the face
      const [nx, ny, nz] = [n[3 * f], n[3 * f + 1], n[3 * f + 2]]
      ;[ux, uy, uz] = [ny * uz - nz * uy, nz * ux - nx * uz, nx * uy - ny * ux]
    }
    const across = ux * (y[i] - x[a]) + uy * (y[i + 1] - x[a + 1]) + uz * (y[i + 2] - x[a + 2])
    return (sign * across) / Math.sqrt(ux * ux + uy * uy + uz * uz)
  }

  /** The plane of the current region that a point is farthest behind, by more than `flare`; -1 if there is none. */
  violated(y: Float64Array, i: number, flare: number): number {
    let worst = -flare
    let plane = -1
    for (let k = this.planes - 1; k >= 0; k--) {
      const inside = this.inside(k, y, i)
      if (inside < worst) [worst, plane] = [inside, k]
    }
    return plane
  }
}

/** A pair of bodies that is followed. */
export class FeatureWalk {
  readonly method: Method
  /** Moves of the last query. */
  steps = 0
  /** Of the last query that ended apart [m]. */
  distance = 0
  readonly #a: Side
  readonly #b: Side
  readonly #flare: number
  /** 2: part of an edge inside a region; and the plane that ends it there, -1 for the edge's own end. */
  readonly #part = new Float64Array(2)
  readonly #cutBy = new Int32Array(2)
  /** A point of an edge [m]. */
  readonly #point = new Float64Array(3)
  /** 6: nearest points of both features [m]. */
  readonly #near = new Float64Array(6)

  constructor(method: Method, a: Collider, b: Collider) {
    this.method = method
    this.#a = new Side(a)
    this.#b = new Side(b)
    this.#flare = method === 'V-Clip' ? 0 : FLARE * (a.radius + b.radius)
  }

  /** Goes back to the first vertex of each. */
  restart(): void {
    this.#a.set(VERTEX, 0)
    this.#b.set(VERTEX, 0)
  }

  /** Walks from the current features to the closest ones of the placed bodies. */
  query(): Ending {
    this.#a.read()
    this.#b.read()
    for (this.steps = 0; this.steps < PATIENCE; this.steps++) {
      const [a, b] = this.#a.kind <= this.#b.kind ? [this.#a, this.#b] : [this.#b, this.#a]
      const outcome = this.method === 'V-Clip' ? this.#clipStep(a, b) : this.#pointStep(a, b)
      if (outcome === MOVED) continue
      if (outcome === OVERLAP) return 'overlap'
      this.distance = this.#nearest(a, b)
      return 'apart'
    }
    return 'endless'
  }

  /** One step of V-Clip; the features are sorted by kind. */
  #clipStep(a: Side, b: Side): number {
    if (a.kind === VERTEX) {
      if (this.#leaves(b, a)) return MOVED
      if (b.kind === FACE) return this.#overFace(a, b)
      return (b.kind === VERTEX ? this.#leaves(a, b) : this.#clipped(a, b, 0, a.planes)) ? MOVED : DONE
    }
    if (b.kind === FACE) return this.#edgeFace(a, b)
    const moved = [0, 2].some((k) => this.#clipped(a, b, k, k + 2)) || [0, 2].some((k) => this.#clipped(b, a, k, k + 2))
    return moved ? MOVED : DONE
  }

  /** Moves `side` if the vertex of the other is outside its region. */
  #leaves(side: Side, { x, at }: Side): boolean {
    const k = side.violated(x, 3 * at, this.#flare)
    if (k >= 0) side.cross(k)
    return k >= 0
  }

  /** Clips an edge to the planes `first` to `end` of a region. @returns the one plane behind which all of it is, or -1 */
  #clip(region: Side, edge: Side, first: number, end: number): number {
    const [part, cutBy, x] = [this.#part, this.#cutBy, edge.x]
    part[0] = 0
    part[1] = 1
    cutBy.fill(-1)
    for (let k = first; k < end; k++) {
      const [tail, head] = [region.inside(k, x, edge.end(0)), region.inside(k, x, edge.end(1))]
      if (tail < 0 && head < 0) return k
      if (tail >= 0 && head >= 0) continue
      const t = tail / (tail - head)
      if (tail < 0 && t > part[0]) [part[0], cutBy[0]] = [t, k]
      else if (head < 0 && t < part[1]) [part[1], cutBy[1]] = [t, k]
    }
    return -1
  }

  /** The point of an edge at t, from 0 to 1. */
  #pointOn(edge: Side, t: number): Float64Array {
    const [x, tail, head] = [edge.x, edge.end(0), edge.end(1)]
    for (let d = 0; d < 3; d++) this.#point[d] = x[tail + d] + t * (x[head + d] - x[tail + d])
    return this.#point
  }

  /** Moves `region` to where the point of an edge nearest to it lies beyond it. */
  #clipped(region: Side, edge: Side, first: number, end: number): boolean {
    let k = this.#clip(region, edge, first, end)
    for (let s = 0; s < 2 && k < 0; s++) {
      const cut = this.#cutBy[s]
      if (cut >= 0 && (1 - 2 * s) * this.#slope(region, edge, cut, this.#part[s]) > 0) k = cut
    }
    if (k >= 0) region.cross(k)
    return k >= 0
  }

  /** Sign of the derivative, along an edge at t, of its distance from a vertex, or from the neighbour of an edge behind plane k. */
  #slope(region: Side, edge: Side, k: number, t: number): number {
    const [point, tail, head] = [this.#pointOn(edge, t), edge.end(0), edge.end(1)]
    const isOfFace = region.kind === EDGE && k >= 2
    const f = isOfFace ? region.topology.edgeFaces[2 * region.at + k - 2] : 0
    const v = isOfFace ? 0 : region.end(k)
    let rise = 0
    for (let d = 0; d < 3; d++)
      rise += (edge.x[head + d] - edge.x[tail + d]) * (isOfFace ? region.n[3 * f + d] : point[d] - region.x[v + d])
    return isOfFace && region.height(f, point, 0) < 0 ? -rise : rise
  }

  /** A vertex within the sides of a face's region: down along an edge, away from behind the face, or at the end. */
  #overFace(v: Side, face: Side): number {
    const { vertexStart, vertexNeighbours } = v.topology
    const own = face.height(face.at, v.x, 3 * v.at)
    for (let k = 0; k < v.planes; k++) {
      const there = face.height(face.at, v.x, 3 * vertexNeighbours[vertexStart[v.at] + k])
      if (own > 0 ? there >= own : there <= own) continue
      v.cross(k)
      return MOVED
    }
    return own > 0 ? DONE : this.#escape(face, v.x, 3 * v.at)
  }

  /** A point of the other body behind a face of this one: on to the face that it is farthest in front of, if there is one. */
  #escape(side: Side, y: Float64Array, i: number): number {
    let highest = 0
    let best = -1
    for (let f = 0; f < side.topology.faceCount; f++) {
      const height = side.height(f, y, i)
      if (height > highest) [highest, best] = [height, f]
    }
    if (best < 0) return OVERLAP
    side.set(FACE, best)
    return MOVED
  }

  #edgeFace(e: Side, face: Side): number {
    const [part, cutBy] = [this.#part, this.#cutBy]
    if (this.#clip(face, e, 0, face.planes) >= 0 || part[0] > part[1]) {
      this.#toBorder(e, face)
      return MOVED
    }
    const at = (s: number) => face.height(face.at, this.#pointOn(e, part[s]), 0)
    const [low, high] = [at(0), at(1)]
    if (this.method === 'V-Clip' && low * high <= 0) return OVERLAP
    const s = Math.abs(low) <= Math.abs(high) ? 0 : 1
    if (cutBy[s] >= 0) face.cross(cutBy[s])
    else e.cross(s)
    return MOVED
  }

  /** Moves a face to what of its border is nearest to an edge: an edge, or the corner of two. */
  #toBorder(e: Side, face: Side): void {
    const { faceStart, faceEdges } = face.topology
    const f = face.at
    let nearest = Number.POSITIVE_INFINITY
    let best = -1
    for (let k = faceStart[f]; k < faceStart[f + 1]; k++) {
      face.set(EDGE, faceEdges[k])
      const distance = this.#nearest(e, face)
      if (distance < nearest) [nearest, best] = [distance, faceEdges[k]]
    }
    face.set(EDGE, best)
    this.#nearest(e, face)
    const corner = [0, 1].find((k) => [0, 1, 2].every((d) => this.#near[3 + d] === face.x[face.end(k) + d]))
    if (corner !== undefined) face.cross(corner)
  }

  /** One step of Lin and Canny; the features are sorted by kind. */
  #pointStep(a: Side, b: Side): number {
    if (a.kind === EDGE && b.kind === FACE) {
      const [tail, head] = [b.height(b.at, a.x, a.end(0)), b.height(b.at, a.x, a.end(1))]
      if (tail >= 0 || head >= 0) return this.#edgeFace(a, b)
      a.cross(tail > head ? 0 : 1)
      return MOVED
    }
    if (a.kind === VERTEX) {
      if (b.kind === FACE && b.height(b.at, a.x, a.end(0)) < 0) return this.#escape(b, a.x, a.end(0))
      if (this.#leaves(b, a)) return MOVED
    }
    this.#nearest(a, b)
    const near = this.#near
    for (const p of [3, 0]) {
      const side = p === 3 ? a : b
      const k = side.kind === FACE ? -1 : side.violated(near, p, this.#flare)
      if (k < 0) continue
      side.cross(k)
      // from behind, the face is no nearer
      return side.kind === FACE && side.height(side.at, near, p) < 0 ? this.#escape(side, near, p) : MOVED
    }
    return DONE
  }

  /** Finds the nearest points of both features, sorted by kind; an edge's is on its segment, a face's on its plane. @returns their distance [m] */
  #nearest(a: Side, b: Side): number {
    const near = this.#near
    if (b.kind === FACE) {
      const [v, height] = [a.end(0), b.height(b.at, a.x, a.end(0))]
      for (let d = 0; d < 3; d++) {
        near[d] = a.x[v + d]
        near[3 + d] = near[d] - height * b.n[3 * b.at + d]
      }
    } else nearestOnSegments(a, b, near)
    return Math.hypot(near[3] - near[0], near[4] - near[1], near[5] - near[2])
  }
}

/** The nearest points of two segments, either of which may be a point. @param out 6 [m] */
function nearestOnSegments(a: Side, b: Side, out: Float64Array): void {
  const [x, p, q] = [a.x, a.end(0), a.end(1)]
  const [y, r, s] = [b.x, b.end(0), b.end(1)]
  let [aa, ab, bb, ac, bc] = [0, 0, 0, 0, 0]
  for (let d = 0; d < 3; d++) {
    const [u, v, w] = [x[q + d] - x[p + d], y[s + d] - y[r + d], x[p + d] - y[r + d]]
    aa += u * u
    ab += u * v
    bb += v * v
    ac += u * w
    bc += v * w
  }
  const clamp = (t: number) => Math.min(1, Math.max(0, t))
  const denominator = aa * bb - ab * ab
  let t = denominator > 1e-14 * aa * bb ? clamp((ab * bc - bb * ac) / denominator) : 0
  const g = bb > 0 ? clamp((ab * t + bc) / bb) : 0
  if (aa > 0) t = clamp((ab * g - ac) / aa)
  for (let d = 0; d < 3; d++) {
    out[d] = x[p + d] + t * (x[q + d] - x[p + d])
    out[3 + d] = y[r + d] + g * (y[s + d] - y[r + d])
  }
}

/** Of a scene. */
const QUERIES = 400

/** A pair that moves: B's place and turn about the vertical over the queries. */
export type WalkScene = Readonly<ReturnType<typeof passing>>

/** Points at random on a sphere of 1 m, as a hull. */
export function ballHull(seed: number, count: number): Polyhedron {
  const random = createRandom(seed)
  const points: number[] = []
  while (points.length < 3 * count) {
    const p = [0, 1, 2].map(() => random.between(-1, 1))
    const r = Math.hypot(...p)
    if (r > 0.1 && r < 1) points.push(...p.map((x) => x / r))
  }
  return hullOf(Float64Array.from(points))
}

const passing = (name: string, a: Polyhedron, b: Polyhedron, y: number, z: number) => ({
  name,
  a,
  b,
  place: (k: number) => ({ angle: 0.01 * k, p: [-2 + 0.01 * k, y, z] }),
})

/** Hulls that pass each other, hulls that pass through each other, and boxes that slide in parallel. */
export const walkScenes = (counts: readonly number[]): WalkScene[] => [
  ...counts.map((n) => passing(`hulls of ${n}, apart`, ballHull(1, n), ballHull(2, n), 2.1, 0.3)),
  ...counts.map((n) => passing(`hulls of ${n}, through`, ballHull(1, n), ballHull(2, n), 0.8, 0.3)),
  {
    name: 'boxes in parallel, apart',
    a: boxPolyhedron([0.5, 0.4, 0.3]),
    b: boxPolyhedron([0.5, 0.4, 0.3]),
    place: (k) => ({ angle: 0, p: [-2 + 0.01 * k, 0.1, 0.7] }),
  },
]

export interface WalkRow {
  readonly scene: string
  readonly method: Method | 'GJK'
  /** With the features of the last query; or from a fixed start. */
  readonly warm: boolean
  /** Moves a query, mean; of GJK not counted. */
  readonly steps: number
  /** A query, median [µs]; of GJK with the depth of what overlaps. */
  readonly time: number
  /** Queries without an end; queries that tell overlap apart wrongly, beside GJK; and the largest difference of the distance [m]. */
  readonly endless: number
  readonly wrong: number
  readonly error: number
}

/** One method on one scene. Bodies are placed before the clock starts. */
export function walkRow(scene: WalkScene, method: WalkRow['method'], warm: boolean): WalkRow {
  const [a, b] = [scene.a, scene.b].map((polyhedron) => createCollider({ type: 'hull', polyhedron }))
  const identity = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
  const zero = new Float64Array(3)
  const put = (collider: Collider, angle: number, p: readonly number[]) => {
    const [c, s] = [Math.cos(angle), Math.sin(angle)]
    placeCollider(collider, Float64Array.of(c, -s, 0, s, c, 0, 0, 0, 1), Float64Array.from(p), identity, zero)
    placeCore(collider)
    // brings its vertices up to date
    void collider.verticesW
  }
  put(a, 0.3, [0, 0, 0])
  const [memory, out, truth] = [new Float64Array(pairMemorySize), new Float64Array(10), new Float64Array(10)]
  const walk = method === 'GJK' ? undefined : new FeatureWalk(method, a, b)
  let [steps, endless, wrong, error] = [0, 0, 0, 0]
  const times: number[] = []
  for (let k = 0; k < QUERIES; k++) {
    const { angle, p } = scene.place(k)
    put(b, angle, p)
    if (!warm) {
      walk?.restart()
      memory.fill(0)
    }
    const start = performance.now()
    const ending = walk?.query()
    if (walk === undefined) signedDistanceWarm(a, b, memory, 0, out)
    times.push(1e3 * (performance.now() - start))
    signedDistance(a, b, truth)
    if (walk === undefined) {
      error = Math.max(error, Math.abs(out[0] - truth[0]))
      continue
    }
    steps += walk.steps
    if (ending === 'endless') endless++
    else if ((ending === 'overlap') !== truth[0] < 0) wrong++
    else if (ending === 'apart') error = Math.max(error, Math.abs(walk.distance - truth[0]))
  }
  return { scene: scene.name, method, warm, steps: steps / QUERIES, time: median(times), endless, wrong, error }
}

/** The table of docs/geometry.md; the second of two passes is timed. */
export function walkTable(): void {
  console.log('| pair | method | start | steps a query | µs a query | no end | wrong | distance off [m] |')
  console.log('| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |')
  for (const scene of walkScenes([50, 250, 1000])) {
    for (const method of ['V-Clip', 'Lin-Canny', 'GJK'] as const) {
      for (const warm of [true, false]) {
        walkRow(scene, method, warm)
        const { steps, time, endless, wrong, error } = walkRow(scene, method, warm)
        const shown = method === 'GJK' ? '-' : steps.toFixed(2)
        const start = warm ? 'last features' : 'fixed'
        const counts = method === 'GJK' ? ['-', '-'] : [endless, wrong]
        console.log(`| ${[scene.name, method, start, shown, time.toFixed(2), ...counts, error.toExponential(1)].join(' | ')} |`)
      }
    }
  }
}

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

/** One body of a walk, and its current feature. */
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
    if (this.kind === VERTEX) return vertexStart[this.at + 1] - vertexStart[this.at]
    return this.kind === EDGE ? 4 : faceStart[this.at + 1] - faceStart[this.at]
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

  /** First (0) or second (1) end of the current edge, as an index into `x`. */
  end(k: number): number {
    return 3 * this.topology.edgeVertices[2 * this.at + k]
  }

  /** Height of a point over face f [m]. */
  height(f: number, px: number, py: number, pz: number): number {
    const { x, n, topology } = this
    const a = 3 * topology.faceVertices[topology.faceStart[f]]
    return n[3 * f] * (px - x[a]) + n[3 * f + 1] * (py - x[a + 1]) + n[3 * f + 2] * (pz - x[a + 2])
  }

  /** Distance of a point from plane k of the current region, negative outside [m]. */
  inside(k: number, px: number, py: number, pz: number): number {
    const { x, n, topology } = this
    let [a, ux, uy, uz] = [0, 0, 0, 0]
    if (this.kind === VERTEX) {
      a = 3 * this.at
      const w = 3 * topology.vertexNeighbours[topology.vertexStart[this.at] + k]
      ;[ux, uy, uz] = [x[a] - x[w], x[a + 1] - x[w + 1], x[a + 2] - x[w + 2]]
    } else {
      let b = 0
      let f = this.at
      if (this.kind === EDGE) {
        const second = k === 1 || k === 3 ? 1 : 0
        ;[a, b] = [this.end(second), this.end(1 - second)]
        if (k >= 2) f = topology.edgeFaces[2 * this.at + k - 2]
      } else {
        const start = topology.faceStart[f]
        a = 3 * topology.faceVertices[start + k]
        b = 3 * topology.faceVertices[start + k + 1 === topology.faceStart[f + 1] ? start : start + k + 1]
      }
      ;[ux, uy, uz] = [x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]]
      if (this.kind === FACE || k >= 2) {
        // the loop of face f runs from a to b: n x u is into the face
        const side = this.kind === FACE ? 1 : -1
        const [nx, ny, nz] = [side * n[3 * f], side * n[3 * f + 1], side * n[3 * f + 2]]
        ;[ux, uy, uz] = [ny * uz - nz * uy, nz * ux - nx * uz, nx * uy - ny * ux]
      }
    }
    const length = Math.sqrt(ux * ux + uy * uy + uz * uz)
    return (ux * (px - x[a]) + uy * (py - x[a + 1]) + uz * (pz - x[a + 2])) / length
  }

  /** The plane of the current region that a point is farthest behind, by more than `flare`; -1 if there is none. */
  violated(px: number, py: number, pz: number, flare: number): number {
    let worst = -flare
    let plane = -1
    for (let k = this.planes - 1; k >= 0; k--) {
      const inside = this.inside(k, px, py, pz)
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
  readonly #size: number
  /** Current edge of `#along`: its first end and the way to its second [m]. */
  readonly #from = new Float64Array(3)
  readonly #way = new Float64Array(3)
  /** 2: part of the edge inside the region of `#clip`; and the plane that ends it there, -1 for the edge's own end. */
  readonly #part = new Float64Array(2)
  readonly #cutBy = new Int32Array(2)
  /** 6: nearest points of both features [m]. */
  readonly #near = new Float64Array(6)

  constructor(method: Method, a: Collider, b: Collider) {
    this.method = method
    this.#a = new Side(a)
    this.#b = new Side(b)
    this.#size = a.radius + b.radius
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
      this.#nearest(a, b)
      this.distance = this.#apart()
      return 'apart'
    }
    return 'endless'
  }

  /** One step of V-Clip; the features are sorted by kind. */
  #clipStep(a: Side, b: Side): number {
    if (b.kind === VERTEX) return this.#leaves(b, a, 0) ? MOVED : this.#leaves(a, b, 0) ? MOVED : DONE
    if (a.kind === VERTEX && b.kind === EDGE) {
      if (this.#leaves(b, a, 0)) return MOVED
      this.#along(b)
      return this.#clipped(a, 0, a.planes) ? MOVED : DONE
    }
    if (a.kind === VERTEX) {
      if (this.#leaves(b, a, 0)) return MOVED
      return this.#overFace(a, b)
    }
    if (b.kind === FACE) return this.#edgeFace(a, b)
    for (const [x, e] of [
      [a, b],
      [b, a],
    ]) {
      this.#along(e)
      if (this.#clipped(x, 0, 2) || this.#clipped(x, 2, 4)) return MOVED
    }
    return DONE
  }

  /** Moves `side` if the vertex of the other is outside its region. */
  #leaves(side: Side, { x, at }: Side, flare: number): boolean {
    const k = side.violated(x[3 * at], x[3 * at + 1], x[3 * at + 2], flare)
    if (k >= 0) side.cross(k)
    return k >= 0
  }

  #along(edge: Side): void {
    const { x } = edge
    const [tail, head] = [edge.end(0), edge.end(1)]
    for (let d = 0; d < 3; d++) {
      this.#from[d] = x[tail + d]
      this.#way[d] = x[head + d] - x[tail + d]
    }
  }

  /** Clips the edge of `#along` to the planes `first` to `end` of a region. @returns the one plane behind which all of it is, or -1 */
  #clip(region: Side, first: number, end: number): number {
    const [part, cutBy, from, way] = [this.#part, this.#cutBy, this.#from, this.#way]
    part[0] = 0
    part[1] = 1
    cutBy.fill(-1)
    for (let k = first; k < end; k++) {
      const tail = region.inside(k, from[0], from[1], from[2])
      const head = region.inside(k, from[0] + way[0], from[1] + way[1], from[2] + way[2])
      if (tail < 0 && head < 0) return k
      if (tail >= 0 && head >= 0) continue
      const t = tail / (tail - head)
      if (tail < 0 && t > part[0]) [part[0], cutBy[0]] = [t, k]
      else if (head < 0 && t < part[1]) [part[1], cutBy[1]] = [t, k]
    }
    return -1
  }

  /** Moves `region` to where the point of the edge of `#along` nearest to it lies beyond it. */
  #clipped(region: Side, first: number, end: number): boolean {
    const behind = this.#clip(region, first, end)
    if (behind >= 0) {
      region.cross(behind)
      return true
    }
    for (let s = 0; s < 2; s++) {
      const k = this.#cutBy[s]
      if (k < 0) continue
      const slope = this.#slope(region, k, this.#part[s])
      if (s === 0 ? slope > 0 : slope < 0) {
        region.cross(k)
        return true
      }
    }
    return false
  }

  /** Sign of the derivative, along the edge of `#along` at t, of its distance from a vertex, or from the neighbour of an edge behind plane k. */
  #slope(region: Side, k: number, t: number): number {
    const [from, way, { x, n, topology }] = [this.#from, this.#way, region]
    const [px, py, pz] = [from[0] + t * way[0], from[1] + t * way[1], from[2] + t * way[2]]
    if (region.kind === EDGE && k >= 2) {
      const f = topology.edgeFaces[2 * region.at + k - 2]
      const rise = n[3 * f] * way[0] + n[3 * f + 1] * way[1] + n[3 * f + 2] * way[2]
      return region.height(f, px, py, pz) < 0 ? -rise : rise
    }
    const v = region.kind === VERTEX ? 3 * region.at : region.end(k)
    return way[0] * (px - x[v]) + way[1] * (py - x[v + 1]) + way[2] * (pz - x[v + 2])
  }

  /** A vertex within the sides of a face's region: down along an edge, away from behind the face, or at the end. */
  #overFace(v: Side, face: Side): number {
    const { x, topology } = v
    const own = face.height(face.at, x[3 * v.at], x[3 * v.at + 1], x[3 * v.at + 2])
    const { vertexStart, vertexNeighbours } = topology
    for (let k = vertexStart[v.at]; k < vertexStart[v.at + 1]; k++) {
      const w = 3 * vertexNeighbours[k]
      const there = face.height(face.at, x[w], x[w + 1], x[w + 2])
      if (own > 0 ? there < own : there > own) {
        v.cross(k - vertexStart[v.at])
        return MOVED
      }
    }
    return own > 0 ? DONE : this.#escape(face, x, 3 * v.at)
  }

  /** A point of the other body behind a face of this one: on to the face that it is farthest in front of, if there is one. */
  #escape(side: Side, x: Float64Array, i: number): number {
    let highest = 0
    let best = -1
    for (let f = 0; f < side.topology.faceCount; f++) {
      const height = side.height(f, x[i], x[i + 1], x[i + 2])
      if (height > highest) [highest, best] = [height, f]
    }
    if (best < 0) return OVERLAP
    side.set(FACE, best)
    return MOVED
  }

  /** Distance of the nearest points [m]. */
  #apart(): number {
    const near = this.#near
    return Math.hypot(near[3] - near[0], near[4] - near[1], near[5] - near[2])
  }

  #edgeFace(e: Side, face: Side): number {
    this.#along(e)
    const [part, cutBy, from, way] = [this.#part, this.#cutBy, this.#from, this.#way]
    if (this.#clip(face, 0, face.planes) >= 0 || part[0] > part[1]) {
      this.#toBorder(e, face)
      return MOVED
    }
    const at = (t: number) => face.height(face.at, from[0] + t * way[0], from[1] + t * way[1], from[2] + t * way[2])
    const [low, high] = [at(part[0]), at(part[1])]
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
      this.#nearest(e, face)
      const distance = this.#apart()
      if (distance < nearest) [nearest, best] = [distance, faceEdges[k]]
    }
    face.set(EDGE, best)
    this.#nearest(e, face)
    const [, , , x, y, z] = this.#near
    for (let k = 0; k < 2; k++) {
      const v = face.end(k)
      if (x !== face.x[v] || y !== face.x[v + 1] || z !== face.x[v + 2]) continue
      face.cross(k)
      return
    }
  }

  /** One step of Lin and Canny; the features are sorted by kind. */
  #pointStep(a: Side, b: Side): number {
    const flare = FLARE * this.#size
    const height = ({ x }: Side, v: number) => b.height(b.at, x[v], x[v + 1], x[v + 2])
    if (a.kind === EDGE && b.kind === FACE) {
      const [tail, head] = [height(a, a.end(0)), height(a, a.end(1))]
      if (tail >= 0 || head >= 0) return this.#edgeFace(a, b)
      a.cross(tail > head ? 0 : 1)
      return MOVED
    }
    if (a.kind === VERTEX) {
      if (b.kind === FACE && height(a, 3 * a.at) < 0) return this.#escape(b, a.x, 3 * a.at)
      if (this.#leaves(b, a, flare)) return MOVED
    }
    this.#nearest(a, b)
    const near = this.#near
    for (const [side, p] of [
      [a, 3],
      [b, 0],
    ] as const) {
      if (side.kind === FACE) continue
      const k = side.violated(near[p], near[p + 1], near[p + 2], flare)
      if (k < 0) continue
      side.cross(k)
      // from behind, the face is no nearer
      const isBehind = side.kind === FACE && side.height(side.at, near[p], near[p + 1], near[p + 2]) < 0
      return isBehind ? this.#escape(side, near, p) : MOVED
    }
    return DONE
  }

  /** The nearest points of both features, sorted by kind; an edge's part of them are on its segment, a face's on its plane. */
  #nearest(a: Side, b: Side): void {
    const near = this.#near
    if (a.kind === EDGE) {
      nearestOnSegments(a.x, a.end(0), a.end(1), b.x, b.end(0), b.end(1), near)
      return
    }
    const v = 3 * a.at
    for (let d = 0; d < 3; d++) near[d] = a.x[v + d]
    if (b.kind === VERTEX) for (let d = 0; d < 3; d++) near[3 + d] = b.x[3 * b.at + d]
    else if (b.kind === FACE) {
      const height = b.height(b.at, near[0], near[1], near[2])
      for (let d = 0; d < 3; d++) near[3 + d] = near[d] - height * b.n[3 * b.at + d]
    } else nearestOnSegments(a.x, v, v, b.x, b.end(0), b.end(1), near)
  }
}

/** The nearest points of two segments, of which the first may be a point. @param out 6 [m] */
function nearestOnSegments(
  x: Float64Array,
  p: number,
  q: number,
  y: Float64Array,
  r: number,
  s: number,
  out: Float64Array,
): void {
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
  const g = clamp((ab * t + bc) / bb)
  if (aa > 0) t = clamp((ab * g - ac) / aa)
  for (let d = 0; d < 3; d++) {
    out[d] = x[p + d] + t * (x[q + d] - x[p + d])
    out[3 + d] = y[r + d] + g * (y[s + d] - y[r + d])
  }
}

/** A pair that moves: B's place and turn about the vertical over the queries. */
export interface WalkScene {
  readonly name: string
  readonly a: Polyhedron
  readonly b: Polyhedron
  readonly queries: number
  place(k: number): { readonly angle: number; readonly p: readonly [number, number, number] }
}

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

const passing = (name: string, a: Polyhedron, b: Polyhedron, y: number, z: number): WalkScene => ({
  name,
  a,
  b,
  queries: 400,
  place: (k) => ({ angle: 0.01 * k, p: [-2 + 0.01 * k, y, z] }),
})

/** Hulls that pass each other, hulls that pass through each other, and boxes that slide in parallel. */
export const walkScenes = (counts: readonly number[]): WalkScene[] => [
  ...counts.map((n) => passing(`hulls of ${n}, apart`, ballHull(1, n), ballHull(2, n), 2.1, 0.3)),
  ...counts.map((n) => passing(`hulls of ${n}, through`, ballHull(1, n), ballHull(2, n), 0.8, 0.3)),
  {
    name: 'boxes in parallel, apart',
    a: boxPolyhedron([0.5, 0.4, 0.3]),
    b: boxPolyhedron([0.5, 0.4, 0.3]),
    queries: 400,
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
  for (let k = 0; k < scene.queries; k++) {
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
  const { queries } = scene
  return { scene: scene.name, method, warm, steps: steps / queries, time: median(times), endless, wrong, error }
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

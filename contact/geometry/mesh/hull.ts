import { Vector3 } from 'three'
import { ConvexHull, type Face, type HalfEdge } from 'three/addons/math/ConvexHull.js'
import { shapeTolerance } from '../../tolerances.ts'
import { boundsOf, halfExtentOf } from '../extent.ts'
import { GeometryError } from '../geometryError.ts'
import type { Polyhedron, Shape } from '../shapes/index.ts'

/** Bound of the rounds of simplification, which ends long before. */
const maxRounds = 64

/**
 * The convex hull of a cloud of points, with coplanar triangles merged into faces and every vertex a true corner.
 *
 * Vertices are points of the cloud, bit for bit, in the order of the cloud. A cloud with more than `maxVertices` corners is
 * simplified: the support points of an even grid of directions are kept, then those farthest outside. The simplified hull lies
 * inside the full one.
 *
 * Clouds without volume, to `shapeTolerance` of the half extent, give degenerate polyhedra: coplanar points two faces back to back,
 * collinear points two vertices and one edge without faces, coincident points a single vertex.
 *
 * @param points n x 3 [m]
 * @throws GeometryError if there is no point, the length is not a multiple of 3, or a coordinate is not finite
 */
export function hullOf(points: Float64Array, maxVertices = 256): Polyhedron {
  checkCloud(points, maxVertices)
  const box = bounds(points)
  if (!(box.halfExtent > 0)) return pointPolyhedron(points)
  let indices = withoutInside(points, weld(points, box), box)
  const frame = spanOf(points, indices, shapeTolerance * box.halfExtent)
  if (frame.dimension === 0) return pointPolyhedron(points)
  if (frame.dimension === 1) return segmentPolyhedron(points, indices, frame.directions[0])
  if (frame.dimension === 2) return polygonPolyhedron(points, thin(points, indices, maxVertices, box), frame, box)

  // Corners of merged faces are fewer than corners of triangles, and the hull of the corners has cleaner triangles;
  // repeat until nothing more drops out.
  for (let round = 0; round < maxRounds; round++) {
    const mesh = triangulate(points, indices, box)
    const outer = verticesOf(mesh)
    if (outer.length > maxVertices) {
      indices = thin(points, outer, maxVertices, box)
      continue
    }
    const region = mergeCoplanar(mesh, shapeTolerance)
    const corners = cornersOf(mesh, region)
    if (corners.length >= 4 && corners.length < outer.length) {
      indices = corners
      continue
    }
    return assemble(points, outer, facesOf(mesh, region) ?? mesh.triangles.map((t) => Int32Array.from(t)))
  }
  throw new GeometryError(`the hull of ${points.length / 3} points did not settle in ${maxRounds} rounds; is the mesh corrupt?`)
}

/** The box as a polyhedron; corner i has x, y, z at the positive side where bit 0, 1, 2 of i is set. */
export function boxPolyhedron(size: readonly [number, number, number]): Polyhedron {
  const vertices = new Float64Array(24)
  for (let i = 0; i < 8; i++) {
    for (let k = 0; k < 3; k++) vertices[3 * i + k] = ((i >> k) & 1 ? 0.5 : -0.5) * size[k]
  }
  const faces = [
    [0, 4, 6, 2],
    [1, 3, 7, 5],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 2, 3, 1],
    [4, 5, 7, 6],
  ].map((loop) => Int32Array.from(loop))
  const faceNormals = Float64Array.from([-1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1])
  return { vertices, faces, faceNormals, edges: edgesOf(faces) }
}

/**
 * A convex polyhedron from its loops, which run counter-clockwise seen from outside: adds normals and edges.
 *
 * @param vertices n x 3 [m]
 */
export function polyhedronOf(vertices: Float64Array, faces: readonly Int32Array[]): Polyhedron {
  return { vertices, faces, faceNormals: normalsOf(vertices, faces), edges: edgesOf(faces) }
}

const EDGE_KEY = 2 ** 26

/** Key of the edge between two vertices, independent of their order. */
export const edgeKey = (a: number, b: number): number => Math.min(a, b) * EDGE_KEY + Math.max(a, b)

/** Every edge of the loops once, smaller index first, in the order of the loops. */
function edgesOf(faces: readonly Int32Array[]): Int32Array {
  const edges: number[] = []
  const seen = new Set<number>()
  for (const loop of faces) {
    for (let k = 0; k < loop.length; k++) {
      const key = edgeKey(loop[k], loop[(k + 1) % loop.length])
      if (seen.has(key)) continue
      seen.add(key)
      edges.push(Math.floor(key / EDGE_KEY), key % EDGE_KEY)
    }
  }
  return Int32Array.from(edges)
}

function checkCloud(points: Float64Array, maxVertices: number): void {
  if (points.length === 0 || points.length % 3 !== 0) {
    throw new GeometryError(`a hull needs n x 3 coordinates with n >= 1, found ${points.length} numbers`)
  }
  if (!Number.isInteger(maxVertices) || maxVertices < 4) {
    throw new GeometryError(`maxVertices is ${maxVertices}, expected an integer of at least 4`)
  }
  for (let i = 0; i < points.length; i++) {
    if (!Number.isFinite(points[i])) {
      throw new GeometryError(`point ${Math.floor(i / 3)} of the hull has coordinate ${points[i]}, expected a finite number`)
    }
  }
}

interface Bounds {
  readonly center: readonly [number, number, number]
  readonly halfExtent: number
}

function bounds(points: Float64Array): Bounds {
  const [low, high] = boundsOf(points)
  return {
    center: [0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2])],
    halfExtent: halfExtentOf(points),
  }
}

/** Indices of one point, the first, per cell of a grid as fine as the tolerance. */
function weld(points: Float64Array, { center, halfExtent }: Bounds): Int32Array {
  const count = points.length / 3
  const kept = new Int32Array(count)
  let keptCount = 0
  const scale = 1 / (shapeTolerance * halfExtent)
  // a hash table with open addressing: places of kept points, and their cells
  const mask = 2 ** Math.ceil(Math.log2(2 * count + 2)) - 1
  const table = new Int32Array(mask + 1).fill(-1)
  const cells = new Int32Array(3 * count)
  for (let i = 0; i < count; i++) {
    const x = Math.round((points[3 * i] - center[0]) * scale)
    const y = Math.round((points[3 * i + 1] - center[1]) * scale)
    const z = Math.round((points[3 * i + 2] - center[2]) * scale)
    let hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca77) ^ Math.imul(z, 0xc2b2ae3d)
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
    let slot = (hash ^ (hash >>> 13)) & mask
    while (table[slot] >= 0) {
      const c = 3 * table[slot]
      if (cells[c] === x && cells[c + 1] === y && cells[c + 2] === z) break
      slot = (slot + 1) & mask
    }
    if (table[slot] >= 0) continue
    table[slot] = keptCount
    cells[3 * keptCount] = x
    cells[3 * keptCount + 1] = y
    cells[3 * keptCount + 2] = z
    kept[keptCount++] = i
  }
  return kept.slice(0, keptCount)
}

/** Size of clouds below which interior points are not removed before the hull is built. */
const smallCloud = 500
/** Depth inside the hull of some points at which another is safely interior to the hull of all, in units of the half extent. */
const wellInside = 10 * shapeTolerance

/**
 * Removes points well inside the hull of a few extreme ones, which are most of a detailed mesh: in two rounds, the second with more
 * extreme points. The hull of the remaining points is the hull of all.
 */
function withoutInside(points: Float64Array, indices: Int32Array, box: Bounds): Int32Array {
  let left = indices
  for (const grid of [1, 2]) {
    if (left.length < smallCloud) return left
    const some = Int32Array.from(extremes(points, left, grid)).sort()
    if (some.length < 4 || spanOf(points, some, shapeTolerance * box.halfExtent).dimension < 3) return left
    left = outsideOf(planesOf(triangulate(points, some, box)), points, left, box)
  }
  return left
}

const corner = new Vector3()
const side = new Vector3()

/** n = the cross product of two sides of a triangle: outward, with twice the area as length. */
function crossOf(place: HullSurface['place'], [a, b, c]: Triangle, n: Vector3): Vector3 {
  place(a, corner)
  place(c, side).sub(corner)
  return place(b, n).sub(corner).cross(side)
}

/** Outward unit normal and offset of every triangle, 4 each. */
function planesOf({ triangles, place }: HullSurface): Float64Array {
  const planes = new Float64Array(4 * triangles.length)
  triangles.forEach((triangle, t) => {
    const n = crossOf(place, triangle, new Vector3()).normalize()
    n.toArray(planes, 4 * t)
    planes[4 * t + 3] = n.dot(place(triangle[0], corner))
  })
  return planes
}

/** The points that are not well below all planes. */
function outsideOf(planes: Float64Array, points: Float64Array, indices: Int32Array, { center, halfExtent }: Bounds): Int32Array {
  const kept = new Int32Array(indices.length)
  let count = 0
  // spatial coherence: the plane that a point is outside of is tested first for the next
  let first = 0
  for (let k = 0; k < indices.length; k++) {
    const i = indices[k]
    const x = (points[3 * i] - center[0]) / halfExtent
    const y = (points[3 * i + 1] - center[1]) / halfExtent
    const z = (points[3 * i + 2] - center[2]) / halfExtent
    let at = first
    let outside = false
    do {
      outside = planes[at] * x + planes[at + 1] * y + planes[at + 2] * z - planes[at + 3] > -wellInside
      if (outside) break
      at = at + 4 === planes.length ? 0 : at + 4
    } while (at !== first)
    if (!outside) continue
    first = at
    kept[count++] = i
  }
  return kept.slice(0, count)
}

interface Span {
  readonly dimension: number
  /** Orthonormal basis, as many vectors as the dimension, at most two; the third would be their cross product. */
  readonly directions: readonly Vector3[]
}

/** Affine dimension of the points, by the farthest point from a point, a line and a plane in turn. */
function spanOf(points: Float64Array, indices: Int32Array, tolerance: number): Span {
  const origin = pointAt(points, indices[0])
  const directions: Vector3[] = []
  for (let dimension = 0; dimension < 3; dimension++) {
    const { rest } = farthestOff(points, indices, origin, directions)
    if (rest.length() <= tolerance) return { dimension, directions }
    if (dimension < 2) directions.push(rest.normalize())
  }
  return { dimension: 3, directions }
}

/** The point farthest from the span of some orthonormal directions through an origin, and the vector to it from the span. */
function farthestOff(
  points: Float64Array,
  indices: Int32Array,
  { x, y, z }: Vector3,
  directions: readonly Vector3[],
): { readonly index: number; readonly rest: Vector3 } {
  const rest = new Vector3()
  const best = new Vector3()
  let index = indices[0]
  for (const i of indices) {
    rest.set(points[3 * i] - x, points[3 * i + 1] - y, points[3 * i + 2] - z)
    for (const d of directions) rest.addScaledVector(d, -rest.dot(d))
    if (!(rest.lengthSq() > best.lengthSq())) continue
    best.copy(rest)
    index = i
  }
  return { index, rest: best }
}

function pointAt(points: Float64Array, i: number): Vector3 {
  return new Vector3(points[3 * i], points[3 * i + 1], points[3 * i + 2])
}

function gather(points: Float64Array, indices: ArrayLike<number>): Float64Array {
  const out = new Float64Array(3 * indices.length)
  for (let k = 0; k < indices.length; k++) {
    for (let j = 0; j < 3; j++) out[3 * k + j] = points[3 * indices[k] + j]
  }
  return out
}

function pointPolyhedron(points: Float64Array): Polyhedron {
  return { vertices: points.slice(0, 3), faces: [], faceNormals: new Float64Array(0), edges: new Int32Array(0) }
}

function segmentPolyhedron(points: Float64Array, indices: Int32Array, direction: Vector3): Polyhedron {
  let first = indices[0]
  let last = indices[0]
  for (const i of indices) {
    const x = pointAt(points, i).dot(direction)
    if (x < pointAt(points, first).dot(direction)) first = i
    if (x > pointAt(points, last).dot(direction)) last = i
  }
  return {
    vertices: gather(points, [Math.min(first, last), Math.max(first, last)]),
    faces: [],
    faceNormals: new Float64Array(0),
    edges: Int32Array.from([0, 1]),
  }
}

/** Andrew's monotone chain (1979) in the plane of the points; corners flatter than the tolerance are dropped. */
function polygonPolyhedron(points: Float64Array, indices: Int32Array, { directions }: Span, box: Bounds): Polyhedron {
  const [dx, dy] = directions
  const flat = Array.from(indices, (i) => ({ i, x: pointAt(points, i).dot(dx), y: pointAt(points, i).dot(dy) }))
  flat.sort((a, b) => a.x - b.x || a.y - b.y || a.i - b.i)
  type Flat = (typeof flat)[number]
  const tolerance = shapeTolerance * box.halfExtent
  // distance of b to the right of the chord from a to c
  const bulge = (a: Flat, b: Flat, c: Flat) =>
    ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)) / Math.max(Math.hypot(c.x - a.x, c.y - a.y), tolerance)
  const chain = (list: readonly Flat[]) => {
    const out: Flat[] = []
    for (const point of list) {
      while (out.length >= 2 && bulge(out[out.length - 2], out[out.length - 1], point) <= tolerance) out.pop()
      out.push(point)
    }
    out.pop()
    return out
  }
  const corners = [...chain(flat), ...chain([...flat].reverse())]
  const order = Array.from(corners, (corner) => corner.i).sort((a, b) => a - b)
  const loop = Int32Array.from(corners, (corner) => order.indexOf(corner.i))
  const vertices = gather(points, order)
  const faces = [loop, loop.slice().reverse()]
  return polyhedronOf(vertices, faces)
}

/**
 * Reduces the points to at most `maxVertices`: first, the support points along the finest even grid of directions that uses at
 * most half of these; then, in rounds, those farthest outside of the hull of the kept ones.
 */
function thin(points: Float64Array, indices: Int32Array, maxVertices: number, box: Bounds): Int32Array {
  if (indices.length <= maxVertices) return indices
  let kept = new Set<number>([extremeAlong(points, indices, 1, 0, 0)])
  for (let grid = 1; grid <= 32; grid *= 2) {
    const extreme = extremes(points, indices, grid)
    if (extreme.size > maxVertices / 2) break
    kept = extreme
  }
  const sorted = () => Int32Array.from(kept).sort()
  const places = placesOf(points, indices, box)
  const known = new Map<number, Farthest>()
  while (kept.size < maxVertices) {
    const room = maxVertices - kept.size
    const solid = spanOf(points, sorted(), shapeTolerance * box.halfExtent).dimension === 3
    const outside = solid ? standingOut(indices, places, triangulate(points, sorted(), box), known) : []
    if (outside.length === 0) {
      if (solid) break
      kept.add(farthestFrom(points, indices, kept))
      continue
    }
    for (const i of outside.slice(0, Math.max(1, Math.ceil(room / 4)))) kept.add(i)
  }
  return sorted()
}

/** Support points along the directions from the centre of a cube to a lattice of `grid` cells per half side on its surface. */
function extremes(points: Float64Array, indices: Int32Array, grid: number): Set<number> {
  const found = new Set<number>()
  for (let x = -grid; x <= grid; x++) {
    for (let y = -grid; y <= grid; y++) {
      for (let z = -grid; z <= grid; z++) {
        if (Math.max(Math.abs(x), Math.abs(y), Math.abs(z)) === grid) found.add(extremeAlong(points, indices, x, y, z))
      }
    }
  }
  return found
}

/** The point farthest above a triangle, and its height in units of the half extent. */
interface Farthest {
  /** The triangle's third corner. */
  readonly corner: number
  readonly index: number
  readonly height: number
}

/**
 * The point farthest above each triangle, farthest first, each point once.
 *
 * @param known cache of the results for triangles of earlier hulls, most of which persist when a few points are added
 */
function standingOut(indices: Int32Array, places: Float64Array, hull: HullSurface, known: Map<number, Farthest>): number[] {
  const planes = planesOf(hull)
  const excess = new Map<number, number>()
  hull.triangles.forEach(([a, b, c], t) => {
    // one triangle has the side from a to b
    const key = a * hull.pointCount + b
    let found = known.get(key)
    if (found?.corner !== c) {
      found = farthestAbove(planes, 4 * t, c, indices, places)
      known.set(key, found)
    }
    const { index, height } = found
    if (height > shapeTolerance) excess.set(index, Math.max(height, excess.get(index) ?? 0))
  })
  return [...excess].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([i]) => i)
}

function farthestAbove(planes: Float64Array, t: number, corner: number, indices: Int32Array, places: Float64Array): Farthest {
  const x = planes[t]
  const y = planes[t + 1]
  const z = planes[t + 2]
  let best = 0
  let farthest = -Infinity
  for (let k = 0; k < indices.length; k++) {
    const height = x * places[3 * k] + y * places[3 * k + 1] + z * places[3 * k + 2] - planes[t + 3]
    if (height <= farthest) continue
    farthest = height
    best = k
  }
  return { corner, index: indices[best], height: farthest }
}

/** The points in units of the half extent, about the centre of the cloud. */
function placesOf(points: Float64Array, indices: Int32Array, { center, halfExtent }: Bounds): Float64Array {
  const places = new Float64Array(3 * indices.length)
  for (let k = 0; k < indices.length; k++) {
    for (let j = 0; j < 3; j++) places[3 * k + j] = (points[3 * indices[k] + j] - center[j]) / halfExtent
  }
  return places
}

function farthestFrom(points: Float64Array, indices: Int32Array, kept: ReadonlySet<number>): number {
  let best = indices[0]
  let farthest = -1
  for (const i of indices) {
    let distance = Infinity
    for (const j of kept) distance = Math.min(distance, pointAt(points, i).distanceToSquared(pointAt(points, j)))
    if (distance <= farthest) continue
    farthest = distance
    best = i
  }
  return best
}

function extremeAlong(points: Float64Array, indices: Int32Array, x: number, y: number, z: number): number {
  let best = indices[0]
  let highest = -Infinity
  for (let k = 0; k < indices.length; k++) {
    const i = indices[k]
    const height = points[3 * i] * x + points[3 * i + 1] * y + points[3 * i + 2] * z
    if (height > highest) {
      highest = height
      best = i
    }
  }
  return best
}

/** A hull in triangles. Neighbour k of a triangle shares the side from its corner k to the next. */
interface HullSurface {
  /** Number of points of the cloud. */
  readonly pointCount: number
  /** The points in units of the half extent, about the centre of the cloud. */
  readonly place: (i: number, out: Vector3) => Vector3
  readonly triangles: readonly Triangle[]
  /** Computed on demand. */
  readonly neighbours: () => readonly Triangle[]
}

type Triangle = readonly [number, number, number]

/** A point of the cloud with its number there. */
class Node extends Vector3 {
  index = 0
}

function triangulate(points: Float64Array, indices: Int32Array, { center, halfExtent }: Bounds): HullSurface {
  const place = (i: number, out: Vector3) =>
    out.set(
      (points[3 * i] - center[0]) / halfExtent,
      (points[3 * i + 1] - center[1]) / halfExtent,
      (points[3 * i + 2] - center[2]) / halfExtent,
    )
  const nodes: Node[] = []
  for (let k = 0; k < indices.length; k++) {
    const node = new Node()
    node.index = indices[k]
    place(indices[k], node)
    nodes.push(node)
  }
  const { faces } = new ConvexHull().setFromPoints(nodes)
  // a half-edge ends at its vertex, so edge k runs from corner k - 1 to corner k
  const cornerAt = (e: HalfEdge) => (e.vertex.point as Node).index
  const triangles = faces.map(({ edge }): Triangle => [cornerAt(edge), cornerAt(edge.next), cornerAt(edge.next.next)])
  let known: Triangle[] | undefined
  const neighbours = () => {
    if (known) return known
    const numberOf = new Map<Face, number>(faces.map((face, k) => [face, k]))
    const beyond = (e: HalfEdge) => numberOf.get(e.twin.face)!
    known = faces.map(({ edge }): Triangle => [beyond(edge.next), beyond(edge.next.next), beyond(edge)])
    return known
  }
  return { pointCount: points.length / 3, place, triangles, neighbours }
}

function verticesOf({ triangles, pointCount }: HullSurface): Int32Array {
  const used = new Uint8Array(pointCount)
  for (const [a, b, c] of triangles) {
    used[a] = 1
    used[b] = 1
    used[c] = 1
  }
  return markedIn(used)
}

/** Indices of the entries that are not 0. */
function markedIn(marks: Uint8Array): Int32Array {
  let count = 0
  for (let i = 0; i < marks.length; i++) if (marks[i] !== 0) count++
  const out = new Int32Array(count)
  count = 0
  for (let i = 0; i < marks.length; i++) if (marks[i] !== 0) out[count++] = i
  return out
}

/** For every triangle the number of its coplanar region. Regions grow from the largest triangles, in their planes. */
function mergeCoplanar(hull: HullSurface, tolerance: number): Int32Array {
  const { triangles, place } = hull
  const neighbours = hull.neighbours()
  const normal = triangles.map((triangle) => crossOf(place, triangle, new Vector3()))
  const area = normal.map((n) => n.lengthSq())
  const order = triangles.map((_, t) => t).sort((s, t) => area[t] - area[s] || s - t)
  const region = new Int32Array(triangles.length).fill(-1)
  let count = 0
  for (const seed of order) {
    if (region[seed] >= 0) continue
    const n = normal[seed].clone().normalize()
    const offset = n.dot(place(triangles[seed][0], corner))
    const isFlat = (t: number) => triangles[t].every((i) => Math.abs(place(i, corner).dot(n) - offset) <= tolerance)
    // A sliver inside a flat region may have any normal; triangles of some size must face the same direction.
    const looksAlong = (t: number) => normal[t].dot(n) > -tolerance
    region[seed] = count
    const open = [seed]
    while (open.length > 0) {
      for (const t of neighbours[open.pop()!]) {
        if (region[t] >= 0 || !isFlat(t) || !looksAlong(t)) continue
        region[t] = count
        open.push(t)
      }
    }
    count++
  }
  return region
}

/** Vertices shared by three or more regions; the others lie within a face or along an edge. */
function cornersOf({ triangles, pointCount }: HullSurface, region: Int32Array): Int32Array {
  const first = new Int32Array(pointCount).fill(-1)
  const second = new Int32Array(pointCount).fill(-1)
  const isCorner = new Uint8Array(pointCount)
  triangles.forEach((triangle, t) => {
    const r = region[t]
    for (const i of triangle) {
      if (first[i] < 0) first[i] = r
      else if (first[i] !== r && second[i] < 0) second[i] = r
      else if (first[i] !== r && second[i] !== r) isCorner[i] = 1
    }
  })
  return markedIn(isCorner)
}

/** The outline of each region as one loop; undefined where an outline is not one simple loop. */
function facesOf(hull: HullSurface, region: Int32Array): Int32Array[] | undefined {
  const { triangles } = hull
  const neighbours = hull.neighbours()
  const next = new Map<number, Map<number, number>>()
  for (let t = 0; t < triangles.length; t++) {
    const outline = next.get(region[t]) ?? new Map<number, number>()
    next.set(region[t], outline)
    for (let k = 0; k < 3; k++) {
      if (region[neighbours[t][k]] === region[t]) continue
      if (outline.has(triangles[t][k])) return undefined
      outline.set(triangles[t][k], triangles[t][(k + 1) % 3])
    }
  }
  const faces: Int32Array[] = []
  for (const outline of next.values()) {
    const start = outline.keys().next().value
    if (start === undefined) return undefined
    const loop = [start]
    for (let i = outline.get(start); i !== start; i = outline.get(i)) {
      if (i === undefined || loop.length > outline.size) return undefined
      loop.push(i)
    }
    if (loop.length !== outline.size || loop.length < 3) return undefined
    faces.push(Int32Array.from(loop))
  }
  return faces
}

function assemble(points: Float64Array, outer: Int32Array, loops: readonly Int32Array[]): Polyhedron {
  const numberOf = new Map(Array.from(outer, (i, k) => [i, k]))
  const vertices = gather(points, outer)
  const faces = loops.map((loop) => loop.map((i) => numberOf.get(i)!))
  return polyhedronOf(vertices, faces)
}

/** Outward unit normals of faces (Newell), about the loop's first vertex; of triangles as in Williams, Lu and Trinkle (2014), eq. 3. */
function normalsOf(vertices: Float64Array, faces: readonly Int32Array[]): Float64Array {
  const normals = new Float64Array(3 * faces.length)
  faces.forEach((loop, f) => {
    const origin = pointAt(vertices, loop[0])
    const sum = new Vector3()
    for (let k = 1; k + 1 < loop.length; k++) {
      const side = pointAt(vertices, loop[k]).sub(origin)
      sum.add(side.cross(pointAt(vertices, loop[k + 1]).sub(origin)))
    }
    sum.normalize().toArray(normals, 3 * f)
  })
  return normals
}

/** The hull of a mesh; every other shape itself. */
export function convexOf(shape: Shape): Shape {
  if (shape.type !== 'mesh') return shape
  return { type: 'hull', polyhedron: hullOf(shape.mesh.vertices, shape.mesh.vertices.length) }
}

import { shapeTolerance } from '../../tolerances.ts'
import { boundsOf, halfExtentOf } from '../extent.ts'
import { GeometryError } from '../geometryError.ts'
import type { Polyhedron, Shape } from '../shapes/index.ts'
import { crossOfSides, type HullTriangles, quickHull, squareOf } from './quickHull.ts'

/** Most rounds of simplification; far fewer are needed. */
const maxRounds = 64

/**
 * The convex hull of a cloud of points, with coplanar triangles merged into faces and every vertex a true corner. @unchecked
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
  const places = placesOf(points, box)
  let indices = withoutInside(points, places, weld(points, box), box)
  const { dimension, directions } = spanOf(points, indices, box)
  if (dimension === 0) return pointPolyhedron(points)
  if (dimension === 1) return segmentPolyhedron(points, indices, directions[0])
  if (dimension === 2) return polygonPolyhedron(points, thin(points, places, indices, maxVertices, box), directions, box)

  // The hull of the corners alone has fewer, cleaner triangles; repeat until no more points are removed.
  for (let round = 0; round < maxRounds; round++) {
    const mesh = quickHull(places, indices)
    const outer = verticesOf(mesh, places)
    if (outer.length > maxVertices) {
      indices = thin(points, places, outer, maxVertices, box)
      continue
    }
    const region = mergeCoplanar(mesh, places)
    const corners = cornersOf(mesh, region, places)
    if (corners.length >= 4 && corners.length < outer.length) {
      indices = corners
      continue
    }
    return assemble(points, outer, facesOf(mesh, region, places) ?? trianglesOf(mesh))
  }
  throw new GeometryError(`the hull of ${points.length / 3} points did not settle in ${maxRounds} rounds; is the mesh corrupt?`)
}

/** The box as a polyhedron; corner i has x, y, z at the positive side where bit 0, 1, 2 of i is set. @unchecked */
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
 * A convex polyhedron from its loops, which run counter-clockwise seen from outside: adds normals and edges. @unchecked
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
  let most = 0
  for (const loop of faces) most += loop.length
  const edges = new Int32Array(2 * most)
  let count = 0
  // a hash table with open addressing
  const mask = 2 ** Math.ceil(Math.log2(2 * most + 2)) - 1
  const table = new Int32Array(mask + 1).fill(-1)
  for (const loop of faces) {
    for (let k = 0; k < loop.length; k++) {
      const i = loop[k]
      const j = loop[k + 1 === loop.length ? 0 : k + 1]
      const a = i < j ? i : j
      const b = i < j ? j : i
      const hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca77)
      let slot = (hash ^ (hash >>> 15)) & mask
      while (table[slot] >= 0 && (edges[table[slot]] !== a || edges[table[slot] + 1] !== b)) slot = (slot + 1) & mask
      if (table[slot] >= 0) continue
      table[slot] = count
      edges[count++] = a
      edges[count++] = b
    }
  }
  return edges.slice(0, count)
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

type Bounds = Readonly<ReturnType<typeof bounds>>

function bounds(points: Float64Array) {
  const [low, high] = boundsOf(points)
  return {
    center: [0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2])],
    halfExtent: halfExtentOf(points),
  }
}

/** Index of the first point in each cell of a grid as fine as the tolerance. */
function weld(points: Float64Array, { center, halfExtent }: Bounds): Int32Array {
  const count = points.length / 3
  const kept = new Int32Array(count)
  let keptCount = 0
  const scale = 1 / (shapeTolerance * halfExtent)
  // a hash table with open addressing: indices of kept points, and their cells
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

/** Size of a cloud up to which interior points are not removed before the hull is built. */
const smallCloud = 500
/** Depth inside the hull of some points at which a point is surely interior to the hull of all, in units of the half extent. */
const wellInside = 10 * shapeTolerance

/**
 * Removes points well inside the hull of a few extreme ones, the majority in a detailed mesh: in two rounds, the second with more extreme
 * points. The hull of the remaining points is the hull of all.
 */
function withoutInside(points: Float64Array, places: Float64Array, indices: Int32Array, box: Bounds): Int32Array {
  let left = indices
  for (const grid of [1, 2]) {
    if (left.length < smallCloud) return left
    const some = Int32Array.from(extremes(points, left, grid)).sort()
    if (some.length < 4 || spanOf(points, some, box).dimension < 3) return left
    left = outsideOf(planesOf(quickHull(places, some), places), places, left)
  }
  return left
}

/** The points in units of the half extent, about the centre of the cloud. */
function placesOf(points: Float64Array, { center, halfExtent }: Bounds): Float64Array {
  const places = new Float64Array(points.length)
  for (let i = 0; i < points.length; i += 3) {
    for (let j = 0; j < 3; j++) places[i + j] = (points[i + j] - center[j]) / halfExtent
  }
  return places
}

/** 4 a triangle: cross product of two sides, outward, with twice the area as length; and the square of that length. */
function crossesOf({ corners }: HullTriangles, places: Float64Array): Float64Array {
  const crosses = new Float64Array((4 * corners.length) / 3)
  for (let t = 0; 3 * t < corners.length; t++) {
    crossOfSides(crosses, 4 * t, places, corners[3 * t], corners[3 * t + 1], corners[3 * t + 2])
    crosses[4 * t + 3] = squareOf(crosses, 4 * t)
  }
  return crosses
}

/** 4 a triangle: outward unit normal and offset. */
function planesOf(hull: HullTriangles, places: Float64Array): Float64Array {
  const planes = crossesOf(hull, places)
  for (let t = 0; 4 * t < planes.length; t++) {
    const scale = 1 / (Math.sqrt(planes[4 * t + 3]) || 1)
    planes[4 * t + 3] = 0
    for (let j = 0; j < 3; j++) {
      planes[4 * t + j] *= scale
      planes[4 * t + 3] += planes[4 * t + j] * places[3 * hull.corners[3 * t] + j]
    }
  }
  return planes
}

/** The points that are not well below all planes. */
function outsideOf(planes: Float64Array, places: Float64Array, indices: Int32Array): Int32Array {
  const kept = new Int32Array(indices.length)
  let count = 0
  // spatial coherence: the plane that excluded the last point is tested first
  let first = 0
  for (let k = 0; k < indices.length; k++) {
    const i = indices[k]
    const x = places[3 * i]
    const y = places[3 * i + 1]
    const z = places[3 * i + 2]
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
  /** Orthonormal basis of at most two vectors; a third would be their cross product. */
  readonly directions: readonly Float64Array[]
}

/** Affine dimension of the points, from the points farthest from a point, a line and a plane in turn. */
function spanOf(points: Float64Array, indices: Int32Array, { halfExtent }: Bounds): Span {
  const directions: Float64Array[] = []
  for (let dimension = 0; dimension < 3; dimension++) {
    const rest = farthestOff(points, indices, directions)
    const length = Math.sqrt(squareOf(rest, 0))
    if (length <= shapeTolerance * halfExtent) return { dimension, directions }
    directions.push(rest.map((x) => x * (1 / length)))
  }
  return { dimension: 3, directions }
}

/** The greatest vector from the span of at most two orthonormal directions through the first point to one of the points. */
function farthestOff(points: Float64Array, indices: Int32Array, directions: readonly Float64Array[]): Float64Array {
  const o = 3 * indices[0]
  const best = new Float64Array(3)
  let most = 0
  for (let k = 0; k < indices.length; k++) {
    const i = 3 * indices[k]
    let x = points[i] - points[o]
    let y = points[i + 1] - points[o + 1]
    let z = points[i + 2] - points[o + 2]
    for (let n = 0; n < directions.length; n++) {
      const d = directions[n]
      const along = -(x * d[0] + y * d[1] + z * d[2])
      x += d[0] * along
      y += d[1] * along
      z += d[2] * along
    }
    const square = x * x + y * y + z * z
    if (!(square > most)) continue
    most = square
    best[0] = x
    best[1] = y
    best[2] = z
  }
  return best
}

/** Component of a point along a direction. */
const heightOf = (points: Float64Array, i: number, d: Float64Array) =>
  points[3 * i] * d[0] + points[3 * i + 1] * d[1] + points[3 * i + 2] * d[2]

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

function segmentPolyhedron(points: Float64Array, indices: Int32Array, direction: Float64Array): Polyhedron {
  let first = indices[0]
  let last = indices[0]
  for (const i of indices) {
    const x = heightOf(points, i, direction)
    if (x < heightOf(points, first, direction)) first = i
    if (x > heightOf(points, last, direction)) last = i
  }
  return {
    vertices: gather(points, [Math.min(first, last), Math.max(first, last)]),
    faces: [],
    faceNormals: new Float64Array(0),
    edges: Int32Array.from([0, 1]),
  }
}

/** Polygon of coplanar points by Andrew's monotone chain (1979); corners flatter than the tolerance are dropped. */
function polygonPolyhedron(
  points: Float64Array,
  indices: Int32Array,
  [dx, dy]: readonly Float64Array[],
  box: Bounds,
): Polyhedron {
  const flat = Array.from(indices, (i) => ({ i, x: heightOf(points, i, dx), y: heightOf(points, i, dy) }))
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
 * Reduces the points to at most `maxVertices`: first, the support points along the finest even grid of directions that gives at most half
 * as many; then, in rounds, those farthest outside of the hull of the kept ones.
 */
function thin(points: Float64Array, places: Float64Array, indices: Int32Array, maxVertices: number, box: Bounds): Int32Array {
  if (indices.length <= maxVertices) return indices
  let kept = new Set<number>([extremeAlong(points, indices, 1, 0, 0)])
  for (let grid = 1; grid <= 32; grid *= 2) {
    const extreme = extremes(points, indices, grid)
    if (extreme.size > maxVertices / 2) break
    kept = extreme
  }
  const sorted = () => Int32Array.from(kept).sort()
  const known = new Map<number, Farthest>()
  while (kept.size < maxVertices) {
    const room = maxVertices - kept.size
    const solid = spanOf(points, sorted(), box).dimension === 3
    const outside = solid ? standingOut(indices, places, quickHull(places, sorted()), known) : []
    if (outside.length === 0) {
      if (solid) break
      kept.add(farthestFrom(points, indices, kept))
      continue
    }
    for (const i of outside.slice(0, Math.max(1, Math.ceil(room / 4)))) kept.add(i)
  }
  return sorted()
}

/** Support points along directions from the centre of a cube to a lattice of `grid` cells per half side on its surface. */
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
 * @param known cache of results for triangles of earlier hulls, most of which remain when a few points are added
 */
function standingOut(indices: Int32Array, places: Float64Array, hull: HullTriangles, known: Map<number, Farthest>): number[] {
  const planes = planesOf(hull, places)
  const excess = new Map<number, number>()
  for (let t = 0; 3 * t < hull.corners.length; t++) {
    // the side from a to b belongs to exactly one triangle
    const [a, b, c] = hull.corners.subarray(3 * t, 3 * t + 3)
    const key = a * (places.length / 3) + b
    let found = known.get(key)
    if (found?.corner !== c) {
      found = farthestAbove(planes, 4 * t, c, indices, places)
      known.set(key, found)
    }
    const { index, height } = found
    if (height > shapeTolerance) excess.set(index, Math.max(height, excess.get(index) ?? 0))
  }
  return [...excess].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([i]) => i)
}

function farthestAbove(planes: Float64Array, t: number, corner: number, indices: Int32Array, places: Float64Array): Farthest {
  const x = planes[t]
  const y = planes[t + 1]
  const z = planes[t + 2]
  let best = indices[0]
  let farthest = -Infinity
  for (let k = 0; k < indices.length; k++) {
    const i = indices[k]
    const height = x * places[3 * i] + y * places[3 * i + 1] + z * places[3 * i + 2] - planes[t + 3]
    if (height <= farthest) continue
    farthest = height
    best = i
  }
  return { corner, index: best, height: farthest }
}

function farthestFrom(points: Float64Array, indices: Int32Array, kept: ReadonlySet<number>): number {
  let best = indices[0]
  let farthest = -1
  for (const i of indices) {
    let distance = Infinity
    for (const j of kept) {
      const x = points[3 * i] - points[3 * j]
      const y = points[3 * i + 1] - points[3 * j + 1]
      const z = points[3 * i + 2] - points[3 * j + 2]
      distance = Math.min(distance, x * x + y * y + z * z)
    }
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

function verticesOf({ corners }: HullTriangles, places: Float64Array): Int32Array {
  const used = new Uint8Array(places.length / 3)
  for (let k = 0; k < corners.length; k++) used[corners[k]] = 1
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

/** Per triangle: number of its coplanar region. Regions grow from the largest triangles, in their planes. */
function mergeCoplanar({ corners, neighbours }: HullTriangles, places: Float64Array): Int32Array {
  const crosses = crossesOf({ corners, neighbours }, places)
  const region = new Int32Array(corners.length / 3).fill(-1)
  const open: number[] = []
  let count = 0
  for (const seed of largestFirst(crosses)) {
    if (region[seed] >= 0) continue
    const scale = 1 / (Math.sqrt(crosses[4 * seed + 3]) || 1)
    const x = crosses[4 * seed] * scale
    const y = crosses[4 * seed + 1] * scale
    const z = crosses[4 * seed + 2] * scale
    const first = 3 * corners[3 * seed]
    const offset = x * places[first] + y * places[first + 1] + z * places[first + 2]
    region[seed] = count
    open.push(seed)
    while (open.length > 0) {
      const from = 3 * open.pop()!
      for (let k = from; k < from + 3; k++) {
        const t = neighbours[k]
        // a sliver inside a flat region may have any normal; larger triangles must face the same direction
        if (region[t] >= 0 || !(crosses[4 * t] * x + crosses[4 * t + 1] * y + crosses[4 * t + 2] * z > -shapeTolerance)) continue
        let isFlat = true
        for (let j = 3 * t; j < 3 * t + 3 && isFlat; j++) {
          const i = 3 * corners[j]
          isFlat = Math.abs(places[i] * x + places[i + 1] * y + places[i + 2] * z - offset) <= shapeTolerance
        }
        if (!isFlat) continue
        region[t] = count
        open.push(t)
      }
    }
    count++
  }
  return region
}

/** Triangles by falling area, equal ones in their order; a radix sort, since positive doubles are in the order of their bits. */
function largestFirst(crosses: Float64Array): Int32Array {
  const count = crosses.length / 4
  const bits = new Uint32Array(crosses.buffer)
  let order = new Int32Array(count)
  for (let t = 0; t < count; t++) order[t] = t
  let sorted = new Int32Array(count)
  const starts = new Int32Array(2048)
  for (const [word, shift] of digits) {
    starts.fill(0)
    const digitOf = (t: number) => 2047 - ((bits[8 * t + 6 + word] >>> shift) & 2047)
    for (let t = 0; t < count; t++) starts[digitOf(t)]++
    let start = 0
    for (let digit = 0; digit < 2048; digit++) {
      const own = starts[digit]
      starts[digit] = start
      start += own
    }
    for (let k = 0; k < count; k++) sorted[starts[digitOf(order[k])]++] = order[k]
    ;[order, sorted] = [sorted, order]
  }
  return order
}
/** Digits of a double, the lowest first: word, and shift in it. */
const digits = [0, 1].flatMap((word) => [0, 11, 22].map((shift) => [word, shift] as const))

/** Vertices shared by three or more regions; the others lie within a face or along an edge. */
function cornersOf({ corners }: HullTriangles, region: Int32Array, places: Float64Array): Int32Array {
  const pointCount = places.length / 3
  const first = new Int32Array(pointCount).fill(-1)
  const second = new Int32Array(pointCount).fill(-1)
  const isCorner = new Uint8Array(pointCount)
  for (let k = 0; k < corners.length; k++) {
    const i = corners[k]
    const r = region[(k / 3) | 0]
    if (first[i] < 0) first[i] = r
    else if (first[i] !== r && second[i] < 0) second[i] = r
    else if (first[i] !== r && second[i] !== r) isCorner[i] = 1
  }
  return markedIn(isCorner)
}

const trianglesOf = ({ corners }: HullTriangles) =>
  Array.from({ length: corners.length / 3 }, (_, t) => corners.slice(3 * t, 3 * t + 3))

/** The outline of each region as one loop, in the order of their first triangles; undefined if an outline is not a single loop. */
function facesOf({ corners, neighbours }: HullTriangles, region: Int32Array, places: Float64Array): Int32Array[] | undefined {
  const regionCount = 1 + region.reduce((most, r) => Math.max(most, r), -1)
  // the sides of each outline as a linked list, in the order of the triangles
  const firstSide = new Int32Array(regionCount).fill(-1)
  const lastSide = new Int32Array(regionCount)
  const nextSide = new Int32Array(corners.length).fill(-1)
  for (let k = 0; k < corners.length; k++) {
    const r = region[(k / 3) | 0]
    if (region[neighbours[k]] === r) continue
    if (firstSide[r] < 0) firstSide[r] = k
    else nextSide[lastSide[r]] = k
    lastSide[r] = k
  }
  const end = new Int32Array(places.length / 3)
  const startOf = new Int32Array(places.length / 3).fill(-1)
  const faces: Int32Array[] = []
  const seen = new Uint8Array(regionCount)
  for (const r of region) {
    if (seen[r] !== 0) continue
    seen[r] = 1
    let sides = 0
    for (let k = firstSide[r]; k >= 0; k = nextSide[k]) {
      const i = corners[k]
      if (startOf[i] === r) return undefined
      startOf[i] = r
      end[i] = corners[k % 3 === 2 ? k - 2 : k + 1]
      sides++
    }
    if (sides < 3) return undefined
    const loop = new Int32Array(sides)
    let i = corners[firstSide[r]]
    for (let k = 0; k < sides; k++) {
      if (startOf[i] !== r || (k > 0 && i === loop[0])) return undefined
      loop[k] = i
      i = end[i]
    }
    if (i !== loop[0]) return undefined
    faces.push(loop)
  }
  return faces
}

function assemble(points: Float64Array, outer: Int32Array, loops: readonly Int32Array[]): Polyhedron {
  const numberOf = new Int32Array(points.length / 3)
  for (let k = 0; k < outer.length; k++) numberOf[outer[k]] = k
  for (const loop of loops) for (let k = 0; k < loop.length; k++) loop[k] = numberOf[loop[k]]
  return polyhedronOf(gather(points, outer), loops)
}

/** Outward unit normals of faces (Newell), about the loop's first vertex; for triangles as in Williams, Lu and Trinkle (2014), eq. 3. */
function normalsOf(vertices: Float64Array, faces: readonly Int32Array[]): Float64Array {
  const normals = new Float64Array(3 * faces.length)
  const cross = new Float64Array(3)
  for (let f = 0; f < faces.length; f++) {
    const loop = faces[f]
    const n = normals.subarray(3 * f, 3 * f + 3)
    for (let k = 1; k + 1 < loop.length; k++) {
      crossOfSides(cross, 0, vertices, loop[0], loop[k], loop[k + 1])
      for (let j = 0; j < 3; j++) n[j] += cross[j]
    }
    const scale = 1 / (Math.sqrt(squareOf(n, 0)) || 1)
    for (let j = 0; j < 3; j++) n[j] *= scale
  }
  return normals
}

/** The hull of a mesh; every other shape itself. @unchecked */
export function convexOf(shape: Shape): Shape {
  if (shape.type !== 'mesh') return shape
  return { type: 'hull', polyhedron: hullOf(shape.mesh.vertices, shape.mesh.vertices.length) }
}

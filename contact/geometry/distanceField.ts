import { GeometryError } from './geometryError.ts'
import { adjacencyOf, checkClosed } from './mesh.ts'
import { distanceAmong, distanceToSlot, type MeshTree, meshDistanceSlot, meshTreeOf } from './meshDistance.ts'
import type { TriangleMesh } from './shape.ts'

export interface DistanceFieldOptions {
  /** Largest error near the surface, as a fraction of the largest extent: 1e-6 to 0.1; 1e-4 unless given. */
  readonly tolerance?: number
  /** Largest error as a fraction of the distance, which holds where it is more than the tolerance; 0.05 unless given. */
  readonly slope?: number
  /**
   * A cell that interpolation does not serve may name up to so many triangles instead, one of which is nearest from
   * anywhere in it; 32 unless given. 0 leaves interpolation alone, as in the paper, and takes many times the cells.
   */
  readonly maxTriangles?: number
  /** More cells than this are taken for a slip in the options; 4 million unless given. */
  readonly maxCells?: number
}

/**
 * Signed distance from a closed surface, sampled adaptively: an octree over a cube somewhat larger than the surface. After
 * Frisken, Perry, Rockwood and Jones, Adaptively Sampled Distance Fields (2000). Flat arrays and numbers throughout, so it
 * can be stored and sent as it is.
 *
 * Inside the cube, |field - exact| <= max(tolerance, slope |exact|). This is derived for every cell, not tested at points.
 */
export interface DistanceField {
  /** [m] */
  readonly tolerance: number
  readonly slope: number
  /** 3: the cube's corner at least x, y, z [m]. */
  readonly low: Float64Array
  /** 1: length of the cube's edges [m]. */
  readonly edge: Float64Array
  /**
   * c x 2. A parted cell: its first child (child i is that on the greater side of x, y, z where bit 0, 1, 2 of i is set),
   * and -1. A sampled cell: its place in `samples`, and 0. An exact cell: its place in `slots`, and how many.
   */
  readonly cells: Int32Array
  /** s x 8: distances at a cell's corners, numbered like children [m]. */
  readonly samples: Float32Array
  /** Slots of `tree`. */
  readonly slots: Int32Array
  /** What exact cells measure from. */
  readonly tree: MeshTree
  /** Levels of parted cells. */
  readonly depth: number
}

const fields = new WeakMap<TriangleMesh, Map<string, DistanceField>>()

/**
 * The distance field of a closed mesh that does not cut through itself; made once for each mesh object and set of options.
 *
 * A cell is kept as eight samples where one of these holds it within the bound, whatever the surface does between the
 * samples. Let f be the exact distance, T its interpolant, and, for the triangles that can be nearest from somewhere in the
 * cell, p_k the signed distances from their planes and g_k >= 0 the distances from themselves. Each g_k is convex, and
 * interpolation along the axes does not underestimate convex functions.
 *
 * 1. The surface stays away from the cell: |f| = min g_k. For any weights l_k >= 0 of sum 1, |f| - T <= the largest
 *    sum l_k (g_k - |f|) at a corner, and T - |f| <= (h^2 / 8) (3 / least distance), for a g has no second derivative
 *    above 1 / g.
 * 2. All normals lie within an angle a < 45 degrees of one of them: f lies between the least p_k and the greatest, but for
 *    |f| (1 - cos 2a) where an edge or vertex is nearest.
 * 3. No corner of these triangles lies beyond the plane of one of them: f is convex and lies above its tangent planes at the
 *    samples, so 0 <= T - f <= the largest sum l_k (f - tangent k) at a corner. Where none lies within, the same for -f.
 * 4. The cell is so small that |f - T| <= sqrt(3) / 2 h, from f's slope of 1, is enough.
 *
 * @throws GeometryError if the mesh is not closed or is found to cut through itself, an option makes no sense, or `maxCells`
 *         does not suffice
 */
export function distanceFieldOf(mesh: TriangleMesh, options: DistanceFieldOptions = {}): DistanceField {
  const { tolerance = 1e-4, slope = 0.05, maxTriangles = 32, maxCells = 4_000_000 } = options
  if (!(tolerance >= 1e-6 && tolerance <= 0.1)) {
    throw new GeometryError(`the tolerance of a distance field is ${tolerance} of the extent, expected 1e-6 to 0.1`)
  }
  if (!(slope >= 0 && slope < 1)) throw new GeometryError(`the slope of a distance field is ${slope}, expected 0 to below 1`)
  if (!Number.isInteger(maxTriangles) || maxTriangles < 0) {
    throw new GeometryError(`maxTriangles of a distance field is ${maxTriangles}, expected a whole number of 0 or more`)
  }
  const key = `${tolerance} ${slope} ${maxTriangles}`
  const made = fields.get(mesh) ?? new Map<string, DistanceField>()
  fields.set(mesh, made)
  const known = made.get(key)
  if (known) return known
  const field = new FieldBuilder(meshTreeOf(mesh), tolerance, slope, maxTriangles, maxCells).build()
  made.set(key, field)
  return field
}

/** Bytes of a field's own arrays, without the tree of the mesh. */
export function fieldBytes({ low, edge, cells, samples, slots }: DistanceField): number {
  return low.byteLength + edge.byteLength + cells.byteLength + samples.byteLength + slots.byteLength
}

/** Room around the surface on each side, as a fraction of its largest extent. */
const margin = 0.0625
/** Coordinates of samples are whole numbers of these parts of the cube's edge; the smallest cell is two wide. */
const parts = 2097152
/**
 * Exact cells are no larger than the cube's edge over the first of these, so that most of the room is interpolated, and name
 * as many triangles as they may from the second on, but fewer the larger they are.
 */
const exactParts = 16
const fullParts = 64
/** Rounding of distances, and of single precision, relative to the extent and to the distance. */
const rounding = 1e-12
const singlePrecision = 1 / 16777216
/** How much steeper than 1 a distance may seem between samples, relative to the extent. */
const cutSlack = 1e-9
/** Patches of more triangles are not asked whether they are convex. */
const maxPatch = 24

/** Samples by their place: distance, gradient, slot of the nearest triangle. */
class SampleStore {
  distance = new Float64Array(1024)
  gradient = new Float64Array(3 * 1024)
  slot = new Int32Array(1024)
  #place = new Int32Array(3 * 1024)
  #count = 0
  #table = new Int32Array(4096).fill(-1)
  readonly #tree: MeshTree
  readonly #low: Float64Array
  readonly #unit: number
  readonly #x = new Float64Array(3)
  readonly #answer = new Float64Array(7)
  readonly #nearest = new Int32Array(2)

  constructor(tree: MeshTree, low: Float64Array, unit: number) {
    this.#tree = tree
    this.#low = low
    this.#unit = unit
  }

  /** The number of the sample at a place, taken now if it is new. */
  at(x: number, y: number, z: number): number {
    let hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b) ^ Math.imul(z, 0xc2b2ae35)
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
    hash ^= hash >>> 13
    const mask = this.#table.length - 1
    let at = hash & mask
    const place = this.#place
    for (let i = this.#table[at]; i >= 0; i = this.#table[at]) {
      if (place[3 * i] === x && place[3 * i + 1] === y && place[3 * i + 2] === z) return i
      at = (at + 1) & mask
    }
    const i = this.#count++
    this.#table[at] = i
    this.#place[3 * i] = x
    this.#place[3 * i + 1] = y
    this.#place[3 * i + 2] = z
    this.#x[0] = this.#low[0] + x * this.#unit
    this.#x[1] = this.#low[1] + y * this.#unit
    this.#x[2] = this.#low[2] + z * this.#unit
    meshDistanceSlot(this.#tree, this.#x, this.#answer, this.#nearest)
    this.distance[i] = this.#answer[0]
    for (let k = 0; k < 3; k++) this.gradient[3 * i + k] = this.#answer[1 + k]
    this.slot[i] = this.#nearest[0]
    if (this.#count === this.distance.length) this.#grow()
    return i
  }

  #grow(): void {
    const size = 2 * this.#count
    this.distance = grown(this.distance, size)
    this.gradient = grown(this.gradient, 3 * size)
    this.slot = grownInts(this.slot, size)
    this.#place = grownInts(this.#place, 3 * size)
    const table = new Int32Array(4 * size).fill(-1)
    for (const i of this.#table) {
      if (i < 0) continue
      const [x, y, z] = [this.#place[3 * i], this.#place[3 * i + 1], this.#place[3 * i + 2]]
      let hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b) ^ Math.imul(z, 0xc2b2ae35)
      hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
      hash ^= hash >>> 13
      let at = hash & (table.length - 1)
      while (table[at] >= 0) at = (at + 1) & (table.length - 1)
      table[at] = i
    }
    this.#table = table
  }
}

function grown(list: Float64Array, size: number): Float64Array<ArrayBuffer> {
  const out = new Float64Array(size)
  out.set(list)
  return out
}

function grownInts(list: Int32Array, size: number): Int32Array<ArrayBuffer> {
  const out = new Int32Array(size)
  out.set(list)
  return out
}

class FieldBuilder {
  readonly #tree: MeshTree
  readonly #tolerance: number
  readonly #slope: number
  readonly #maxTriangles: number
  readonly #maxCells: number
  readonly #low: Float64Array
  readonly #edge: number
  readonly #unit: number
  readonly #samples: SampleStore
  readonly #convex: boolean
  /** A ball around each slot's triangle: centre and radius. */
  readonly #balls: Float64Array

  #cells = new Int32Array(2048)
  #cellCount = 1
  #kept = new Float32Array(8 * 1024)
  #keptCount = 0
  #exact = new Int32Array(1024)
  #exactCount = 0
  #depth = 0

  /** Lists of slots that can be nearest in the cells on the way down, one after the other. */
  #slots: Int32Array
  /** The samples of the cell at hand: corners, then the middle. */
  readonly #f = new Float64Array(9)
  readonly #n = new Float64Array(27)
  readonly #nearest = new Int32Array(9)
  readonly #x = new Float64Array(27)
  readonly #point = new Float64Array(3)
  readonly #toSlot = new Float64Array(4)
  /** Distances at the corners from up to nine triangles. */
  readonly #rival = new Float64Array(72)
  #rivals = 0
  /** Excesses of up to nine functions over f at the corners. */
  readonly #excess = new Float64Array(72)

  constructor(tree: MeshTree, tolerance: number, slope: number, maxTriangles: number, maxCells: number) {
    this.#tree = tree
    const extent = 2 * tree.halfExtent
    this.#tolerance = tolerance * extent
    this.#slope = slope
    this.#maxTriangles = maxTriangles
    this.#maxCells = maxCells
    this.#edge = (1 + 2 * margin) * extent
    this.#low = Float64Array.from([0, 1, 2], (k) => 0.5 * (tree.bounds[k] + tree.bounds[3 + k] - this.#edge))
    this.#unit = this.#edge / parts
    this.#samples = new SampleStore(tree, this.#low, this.#unit)
    this.#balls = ballsOf(tree)
    this.#convex = isConvex(tree.mesh, rounding * extent)
    this.#slots = Int32Array.from({ length: Math.max(4096, 4 * tree.order.length) }, (_, s) => s)
  }

  build(): DistanceField {
    this.#visit(0, 0, 0, 0, parts, 0, this.#tree.order.length, 0)
    return {
      tolerance: this.#tolerance,
      slope: this.#slope,
      low: this.#low,
      edge: Float64Array.of(this.#edge),
      cells: this.#cells.slice(0, 2 * this.#cellCount),
      samples: this.#kept.slice(0, 8 * this.#keptCount),
      slots: this.#exact.slice(0, this.#exactCount),
      tree: this.#tree,
      depth: this.#depth,
    }
  }

  /** The cell with a corner at x, y, z; `first` and `count` say where its parent's slots are in the list. */
  #visit(cell: number, x: number, y: number, z: number, width: number, first: number, count: number, depth: number): void {
    this.#depth = Math.max(this.#depth, depth)
    this.#take(x, y, z, width)
    const h = width * this.#unit
    const radius = 0.5 * Math.sqrt(3) * h
    const middle = this.#f[8]
    const far = Math.abs(middle) + radius
    const tolerance = Math.max(this.#tolerance, this.#slope * (Math.abs(middle) - radius)) - 2 * singlePrecision * far

    this.#checkSteepness(radius)

    const own = first + count
    const ownCount = this.#gather(first, count, own, Math.abs(middle) + 2 * radius + rounding * this.#edge, h)
    if (this.#isInterpolated(h, radius, tolerance, own, ownCount)) {
      this.#keepSamples(cell)
      return
    }
    if (width * exactParts <= parts && ownCount <= this.#maxTriangles * Math.min(1, parts / (width * fullParts))) {
      this.#keepSlots(cell, own, ownCount)
      return
    }
    if (radius <= tolerance) {
      this.#keepSamples(cell)
      return
    }
    if (this.#cellCount + 8 > this.#maxCells || width <= 2) {
      throw new GeometryError(
        `a distance field to ${this.#tolerance} m takes more than ${this.#maxCells} cells; allow a larger tolerance, slope or maxTriangles`,
      )
    }
    const child = this.#cellCount
    this.#cellCount += 8
    if (2 * this.#cellCount > this.#cells.length) this.#cells = grownInts(this.#cells, 4 * this.#cellCount)
    this.#cells[2 * cell] = child
    this.#cells[2 * cell + 1] = -1
    const half = width / 2
    for (let i = 0; i < 8; i++) {
      const cx = x + (i & 1) * half
      const cy = y + ((i >> 1) & 1) * half
      const cz = z + (i >> 2) * half
      this.#visit(child + i, cx, cy, cz, half, own, ownCount, depth + 1)
    }
  }

  /** A distance changes by no more than one goes. Where its sign jumps, the surface has two sides inside each other. */
  #checkSteepness(radius: number): void {
    for (let i = 0; i < 8; i++) {
      if (Math.abs(this.#f[i] - this.#f[8]) <= radius + cutSlack * this.#edge) continue
      const place = Array.from(this.#x.subarray(24, 27), (x) => x.toPrecision(4)).join(' ')
      throw new GeometryError(
        `the surface cuts through itself near ${place}: inside and outside lie side by side. Join its parts, or take a field of each`,
      )
    }
  }

  #take(x: number, y: number, z: number, width: number): void {
    const samples = this.#samples
    for (let i = 0; i < 9; i++) {
      const sx = i === 8 ? x + width / 2 : x + (i & 1) * width
      const sy = i === 8 ? y + width / 2 : y + ((i >> 1) & 1) * width
      const sz = i === 8 ? z + width / 2 : z + (i >> 2) * width
      const s = samples.at(sx, sy, sz)
      this.#f[i] = samples.distance[s]
      this.#nearest[i] = samples.slot[s]
      for (let k = 0; k < 3; k++) this.#n[3 * i + k] = samples.gradient[3 * s + k]
      this.#x[3 * i] = this.#low[0] + sx * this.#unit
      this.#x[3 * i + 1] = this.#low[1] + sy * this.#unit
      this.#x[3 * i + 2] = this.#low[2] + sz * this.#unit
    }
  }

  /**
   * Writes those of the parent's slots whose triangles can be nearest from somewhere in the cell; how many. A triangle k
   * cannot where its distance is above that of another, j, all over the cell. As distances from triangles are convex, it is
   * enough that the tangent of k's at the middle is above j's at all corners.
   */
  #gather(first: number, count: number, own: number, reach: number, h: number): number {
    if (own + count > this.#slots.length) this.#slots = grownInts(this.#slots, 2 * (own + count))
    const slots = this.#slots
    const balls = this.#balls
    this.#rivals = this.#tabulateNearest()
    const d = this.#toSlot
    const slack = rounding * this.#edge
    for (let k = 0; k < 3; k++) this.#point[k] = this.#x[24 + k]
    const [px, py, pz] = this.#point
    let n = 0
    for (let i = first; i < first + count; i++) {
      const b = 4 * slots[i]
      const x = balls[b] - px
      const y = balls[b + 1] - py
      const z = balls[b + 2] - pz
      const far = reach + balls[b + 3]
      if (x * x + y * y + z * z > far * far) continue
      distanceToSlot(this.#tree, slots[i], this.#point, d)
      if (d[0] > reach || this.#isBeaten(h, slack)) continue
      slots[own + n++] = slots[i]
    }
    return n
  }

  /** The distances at the corners from the triangles that are nearest at the samples; how many triangles. */
  #tabulateNearest(): number {
    let count = 0
    for (let s = 8; s >= 0; s--) {
      let known = false
      for (let r = s + 1; r < 9; r++) known ||= this.#nearest[r] === this.#nearest[s]
      if (known) continue
      for (let i = 0; i < 8; i++) {
        for (let k = 0; k < 3; k++) this.#point[k] = this.#x[3 * i + k]
        distanceToSlot(this.#tree, this.#nearest[s], this.#point, this.#toSlot)
        this.#rival[8 * count + i] = this.#toSlot[0]
      }
      count++
    }
    return count
  }

  /** Whether the distance from the middle in `#toSlot` has a tangent above one of the rivals. */
  #isBeaten(h: number, slack: number): boolean {
    const [middle, gx, gy, gz] = this.#toSlot
    const rival = this.#rival
    const half = 0.5 * h
    for (let r = 0; r < 8 * this.#rivals; r += 8) {
      let i = 0
      while (i < 8) {
        const tangent = middle + half * (((i & 1) === 0 ? -gx : gx) + ((i & 2) === 0 ? -gy : gy) + (i < 4 ? -gz : gz))
        if (tangent <= rival[r + i] + slack) break
        i++
      }
      if (i === 8) return true
    }
    return false
  }

  #keepSamples(cell: number): void {
    if (8 * this.#keptCount + 8 > this.#kept.length) {
      const grown = new Float32Array(2 * this.#kept.length)
      grown.set(this.#kept)
      this.#kept = grown
    }
    for (let i = 0; i < 8; i++) this.#kept[8 * this.#keptCount + i] = this.#f[i]
    this.#cells[2 * cell] = this.#keptCount++
    this.#cells[2 * cell + 1] = 0
  }

  #keepSlots(cell: number, own: number, count: number): void {
    if (this.#exactCount + count > this.#exact.length) {
      this.#exact = grownInts(this.#exact, 2 * (this.#exactCount + count))
    }
    for (let i = 0; i < count; i++) this.#exact[this.#exactCount + i] = this.#slots[own + i]
    this.#cells[2 * cell] = this.#exactCount
    this.#cells[2 * cell + 1] = count
    this.#exactCount += count
  }

  #isInterpolated(h: number, radius: number, tolerance: number, own: number, count: number): boolean {
    const f = this.#f
    let sum = 0
    for (let i = 0; i < 8; i++) sum += f[i]
    // what is beyond the bound at the middle cannot be proved to be within
    if (Math.abs(sum / 8 - f[8]) > tolerance) return false
    const rest = tolerance - rounding * this.#edge
    if (this.#patchIsFlat(h, radius, rest, own, count)) return true
    const side = this.#convex ? 1 : this.#sideOfPatch(own, count)
    if (side !== 0 && this.#tangentsHold(side, rest)) return true
    return Math.abs(f[8]) > radius && this.#distancesHold(h, Math.abs(f[8]) - radius, rest)
  }

  /** Rule 2. */
  #patchIsFlat(h: number, radius: number, tolerance: number, own: number, count: number): boolean {
    const { faceNormals, corners } = this.#tree
    const slots = this.#slots
    const f = this.#f
    const x = this.#x
    const m = 3 * this.#nearest[8]
    const mx = faceNormals[m]
    const my = faceNormals[m + 1]
    const mz = faceNormals[m + 2]
    const offset = mx * corners[3 * m] + my * corners[3 * m + 1] + mz * corners[3 * m + 2]
    let misfit = 0
    for (let i = 0; i < 8; i++) {
      misfit = Math.max(misfit, Math.abs(f[i] - (mx * x[3 * i] + my * x[3 * i + 1] + mz * x[3 * i + 2] - offset)))
    }
    if (misfit > tolerance) return false
    const height = mx * x[24] + my * x[25] + mz * x[26] - offset
    let spread = 0
    let cosine = 1
    for (let i = own; i < own + count; i++) {
      const n = 3 * slots[i]
      const nx = faceNormals[n]
      const ny = faceNormals[n + 1]
      const nz = faceNormals[n + 2]
      const there = nx * (x[24] - corners[3 * n]) + ny * (x[25] - corners[3 * n + 1]) + nz * (x[26] - corners[3 * n + 2])
      const turn = 0.5 * h * (Math.abs(nx - mx) + Math.abs(ny - my) + Math.abs(nz - mz))
      spread = Math.max(spread, Math.abs(there - height) + turn)
      cosine = Math.min(cosine, nx * mx + ny * my + nz * mz)
      if (misfit + spread > tolerance) return false
    }
    const cosineTwice = 2 * cosine * cosine - 1
    if (!(cosine > 0 && cosineTwice > 0)) return false
    return misfit + spread + (Math.abs(f[8]) + radius) * (1 - cosineTwice) <= tolerance
  }

  /** 1 where the slots are part of the surface of one convex body, -1 of a hollow one, 0 otherwise or where there are many. */
  #sideOfPatch(own: number, count: number): number {
    if (count > maxPatch) return 0
    const { faceNormals, corners } = this.#tree
    const slots = this.#slots
    const slack = rounding * this.#edge
    let convex = true
    let hollow = true
    for (let i = own; i < own + count; i++) {
      const n = 3 * slots[i]
      for (let j = own; j < own + count; j++) {
        for (let c = 9 * slots[j]; c < 9 * slots[j] + 9; c += 3) {
          const height =
            faceNormals[n] * (corners[c] - corners[3 * n]) +
            faceNormals[n + 1] * (corners[c + 1] - corners[3 * n + 1]) +
            faceNormals[n + 2] * (corners[c + 2] - corners[3 * n + 2])
          if (height > slack) convex = false
          if (height < -slack) hollow = false
        }
        if (!convex && !hollow) return 0
      }
    }
    return convex ? 1 : -1
  }

  /** Rule 3. */
  #tangentsHold(side: number, tolerance: number): boolean {
    const f = this.#f
    const n = this.#n
    const x = this.#x
    for (let s = 0; s < 9; s++) {
      for (let i = 0; i < 8; i++) {
        let tangent = f[s]
        for (let k = 0; k < 3; k++) tangent += n[3 * s + k] * (x[3 * i + k] - x[3 * s + k])
        this.#excess[8 * s + i] = side * (f[i] - tangent)
      }
    }
    return this.#someMeanIsBelow(9, tolerance)
  }

  /** Rule 1. */
  #distancesHold(h: number, least: number, tolerance: number): boolean {
    if ((3 * h * h) / (8 * least) > tolerance) return false
    const f = this.#f
    for (let r = 0; r < 8 * this.#rivals; r++) this.#excess[r] = this.#rival[r] - Math.abs(f[r % 8])
    return this.#someMeanIsBelow(this.#rivals, tolerance)
  }

  /** Whether one of the functions, or the mean of two, exceeds f by at most the tolerance at all corners. */
  #someMeanIsBelow(count: number, tolerance: number): boolean {
    const excess = this.#excess
    for (let a = 8 * (count - 1); a >= 0; a -= 8) {
      for (let b = a; b >= 0; b -= 8) {
        let most = 0
        for (let i = 0; i < 8; i++) most = Math.max(most, 0.5 * (excess[a + i] + excess[b + i]))
        if (most <= tolerance) return true
      }
    }
    return false
  }
}

/** Per slot, centre and radius of a ball around its triangle. */
function ballsOf({ order, corners }: MeshTree): Float64Array {
  const out = new Float64Array(4 * order.length)
  for (let s = 0; s < order.length; s++) {
    for (let k = 0; k < 3; k++) out[4 * s + k] = (corners[9 * s + k] + corners[9 * s + 3 + k] + corners[9 * s + 6 + k]) / 3
    for (let c = 9 * s; c < 9 * s + 9; c += 3) {
      const r = Math.hypot(corners[c] - out[4 * s], corners[c + 1] - out[4 * s + 1], corners[c + 2] - out[4 * s + 2])
      out[4 * s + 3] = Math.max(out[4 * s + 3], r)
    }
  }
  return out
}

/**
 * Whether a closed mesh is convex: one part, of the sphere's kind, and no neighbour stands out beyond a triangle. (A closed
 * surface that is convex everywhere nearby is convex as a whole; van Heijenoort 1952.)
 */
function isConvex(mesh: TriangleMesh, slack: number): boolean {
  const { vertices, triangles } = mesh
  const { twins, edges } = adjacencyOf(mesh)
  const { componentCount, closed } = checkClosed(mesh)
  if (!closed || componentCount !== 1 || vertices.length / 3 - edges.length / 2 + triangles.length / 3 !== 2) return false
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]]
    const u = [0, 1, 2].map((k) => vertices[b + k] - vertices[a + k])
    const v = [0, 1, 2].map((k) => vertices[c + k] - vertices[a + k])
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    const length = Math.hypot(...n)
    for (let h = t; h < t + 3; h++) {
      const twin = twins[h]
      const other = 3 * triangles[twin % 3 === 0 ? twin + 2 : twin - 1]
      let height = 0
      for (let k = 0; k < 3; k++) height += n[k] * (vertices[other + k] - vertices[a + k])
      if (height > slack * length) return false
    }
  }
  return true
}

/** The point at hand, moved into the cube; then its place in the cell, from 0 to 1. */
const inside = new Float64Array(3)
/** Places from the cell's corner, 3, and how far the point is outside of the cube, 3. */
const place = new Float64Array(3)
const outside = new Float64Array(3)
const found = new Int32Array(1)
const answer = new Float64Array(7)

/**
 * Signed distance by the field: within its bound of the exact one inside its cube. Outside it is the root of the squares of
 * the distances from the cube and, in the field, from the nearest point of the cube, which is never above the exact
 * distance by more than the bound, and at least 0.7 of it. From cell to neighbouring cell the field steps, by no more than
 * twice the bound.
 *
 * @param x   3, in the mesh's axes [m]
 * @param out out, 1 [m]
 */
export function fieldDistance(field: DistanceField, x: Float64Array, out: Float64Array): void {
  descend(field, x)
  const { cells, samples } = field
  const at = cells[2 * found[0]]
  const count = cells[2 * found[0] + 1]
  if (count > 0) {
    distanceAmong(field.tree, inside, field.slots, at, count, answer)
    out[0] = answer[0]
  } else {
    const s = 8 * at
    const u = place[0]
    const v = place[1]
    const w = place[2]
    const a = samples[s] + u * (samples[s + 1] - samples[s])
    const b = samples[s + 2] + u * (samples[s + 3] - samples[s + 2])
    const c = samples[s + 4] + u * (samples[s + 5] - samples[s + 4])
    const d = samples[s + 6] + u * (samples[s + 7] - samples[s + 6])
    const front = a + v * (b - a)
    out[0] = front + w * (c + v * (d - c) - front)
  }
  const square = outside[0] * outside[0] + outside[1] * outside[1] + outside[2] * outside[2]
  if (square > 0) out[0] = Math.sqrt(square + out[0] * out[0])
}

/**
 * The field's distance and its gradient. Where the field interpolates, the gradient is that of the interpolant: of length
 * nearly 1 where one part of the surface is nearest, shorter, down to 0, in cells where two parts are equally near.
 *
 * @param out out, 4: distance [m], gradient
 */
export function fieldGradient(field: DistanceField, x: Float64Array, out: Float64Array): void {
  descend(field, x)
  const { cells, samples, edge } = field
  const at = cells[2 * found[0]]
  const count = cells[2 * found[0] + 1]
  if (count > 0) {
    distanceAmong(field.tree, inside, field.slots, at, count, answer)
    for (let k = 0; k < 4; k++) out[k] = answer[k]
  } else {
    const s = 8 * at
    const u = place[0]
    const v = place[1]
    const w = place[2]
    const da = samples[s + 1] - samples[s]
    const db = samples[s + 3] - samples[s + 2]
    const dc = samples[s + 5] - samples[s + 4]
    const dd = samples[s + 7] - samples[s + 6]
    const a = samples[s] + u * da
    const b = samples[s + 2] + u * db
    const c = samples[s + 4] + u * dc
    const d = samples[s + 6] + u * dd
    const front = a + v * (b - a)
    const back = c + v * (d - c)
    const scale = 1 / (edge[0] * cellSize[0])
    const near = da + v * (db - da)
    out[0] = front + w * (back - front)
    out[1] = scale * (near + w * (dc + v * (dd - dc) - near))
    out[2] = scale * (b - a + w * (d - c - (b - a)))
    out[3] = scale * (back - front)
  }
  const square = outside[0] * outside[0] + outside[1] * outside[1] + outside[2] * outside[2]
  if (square > 0) {
    const f = out[0]
    out[0] = Math.sqrt(square + f * f)
    for (let k = 0; k < 3; k++) out[1 + k] = (outside[k] === 0 ? f * out[1 + k] : outside[k]) / out[0]
  }
}

/** Edge of the cell found, as a fraction of the cube's. */
const cellSize = new Float64Array(1)

/** Finds the cell that holds the point, or its nearest point of the cube: writes `found`, `inside`, `place`, `outside`. */
function descend({ low, edge, cells }: DistanceField, x: Float64Array): void {
  const size = edge[0]
  for (let k = 0; k < 3; k++) {
    const from = x[k] - low[k]
    const held = Math.min(Math.max(from, 0), size)
    outside[k] = from - held
    inside[k] = low[k] + held
    place[k] = held / size
  }
  let u = place[0]
  let v = place[1]
  let w = place[2]
  let width = 1
  let cell = 0
  while (cells[2 * cell + 1] < 0) {
    // doubling and taking away 1 are exact, so that no point falls between cells
    u *= 2
    v *= 2
    w *= 2
    width *= 0.5
    const i = u >= 1 ? 1 : 0
    const j = v >= 1 ? 1 : 0
    const k = w >= 1 ? 1 : 0
    u -= i
    v -= j
    w -= k
    cell = cells[2 * cell] + i + 2 * j + 4 * k
  }
  place[0] = u
  place[1] = v
  place[2] = w
  cellSize[0] = width
  found[0] = cell
}

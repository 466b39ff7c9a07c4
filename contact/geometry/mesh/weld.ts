import { shapeTolerance } from '../../tolerances.ts'
import { boundsOf, halfExtentOf } from '../extent.ts'
import { GeometryError } from '../geometryError.ts'

/**
 * Welds vertices: in the order of the list, each is merged with the first kept vertex within the tolerance, or is kept. So kept vertices
 * are unchanged, bit for bit, and farther apart than the tolerance. @unchecked
 *
 * @param vertices  n x 3 [m]
 * @param tolerance distance [m]; with 0 only equal positions are merged
 * @returns the kept vertices, m x 3, and per given vertex its index among them
 * @throws GeometryError if a coordinate is not finite or the length is not a multiple of 3
 */
export function weldVertices(
  vertices: Float64Array,
  tolerance = shapeTolerance * halfExtentOf(vertices),
): { vertices: Float64Array; kept: Int32Array } {
  checkCoordinates(vertices)
  const count = vertices.length / 3
  const out = new Float64Array(vertices.length)
  const kept = new Int32Array(count)
  // A cell is at least as wide as the tolerance, so that near vertices are in the same or a neighbouring cell, and wide enough that cell
  // numbers are exact.
  const [low, high] = boundsOf(vertices)
  const extent = Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2])
  const width = Math.max(tolerance, extent * leastCell, Number.MIN_VALUE)
  const grid = new Grid(count)
  const square = tolerance * tolerance
  let m = 0
  for (let i = 0; i < count; i++) {
    const x = vertices[3 * i]
    const y = vertices[3 * i + 1]
    const z = vertices[3 * i + 2]
    const cx = Math.floor((x - low[0]) / width)
    const cy = Math.floor((y - low[1]) / width)
    const cz = Math.floor((z - low[2]) / width)
    let joined = m
    for (let n = 0; n < 27; n++) {
      let j = grid.first(cx + (n % 3) - 1, cy + (Math.floor(n / 3) % 3) - 1, cz + Math.floor(n / 9) - 1)
      for (; j >= 0; j = grid.next[j]) {
        const dx = out[3 * j] - x
        const dy = out[3 * j + 1] - y
        const dz = out[3 * j + 2] - z
        if (j < joined && dx * dx + dy * dy + dz * dz <= square) joined = j
      }
    }
    kept[i] = joined
    if (joined < m) continue
    out[3 * m] = x
    out[3 * m + 1] = y
    out[3 * m + 2] = z
    grid.add(cx, cy, cz, m)
    m++
  }
  return { vertices: out.slice(0, 3 * m), kept }
}

/** Least width of a cell, as a fraction of the extent: 2^-30. */
const leastCell = 1 / 1073741824

/** Lists of items by cell of an unbounded grid. Cells whose hashes collide share a list. */
class Grid {
  /** The next item of the same list, -1 at its end. */
  readonly next: Int32Array
  readonly #heads: Int32Array

  constructor(capacity: number) {
    let size = 16
    while (size < 2 * capacity) size *= 2
    this.next = new Int32Array(capacity)
    this.#heads = new Int32Array(size).fill(-1)
  }

  first(x: number, y: number, z: number): number {
    return this.#heads[this.#slot(x, y, z)]
  }

  add(x: number, y: number, z: number, item: number): void {
    const slot = this.#slot(x, y, z)
    this.next[item] = this.#heads[slot]
    this.#heads[slot] = item
  }

  #slot(x: number, y: number, z: number): number {
    let hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b) ^ Math.imul(z, 0xc2b2ae35)
    hash ^= hash >>> 15
    return Math.imul(hash, 0x2c1b3c6d) & (this.#heads.length - 1)
  }
}

function checkCoordinates(vertices: Float64Array): void {
  if (vertices.length % 3 !== 0) {
    throw new GeometryError(`a mesh needs n x 3 coordinates, found ${vertices.length} numbers`)
  }
  const at = vertices.findIndex((x) => !Number.isFinite(x))
  if (at >= 0) {
    throw new GeometryError(`vertex ${Math.floor(at / 3)} of the mesh has coordinate ${vertices[at]}, expected a finite number`)
  }
}

import type { Matrix4 } from './matrix4.ts'
import { MeshError, maxCoordinate, meshMeter } from './meshError.ts'
import type { TextScanner } from './textScanner.ts'

/** The surface of a mesh file; colours, normals and names are dropped. */
export interface Mesh {
  /**
   * n x 3, in metres as far as the format has units; each position once. Where the file has faces, only their corners;
   * else every vertex.
   */
  readonly points: Float64Array
  /**
   * t x 3, indices into the points, anticlockwise as seen from outside where the file keeps to that. Empty when the file
   * has only points. Triangles with two corners in one place are left out.
   */
  readonly triangles: Uint32Array
  /** Ignored or corrected parts of the file, a sentence each. */
  readonly warnings: readonly string[]
}

/** Most warnings of one file. */
const maxWarnings = 20
/** A file with more unreadable lines is of another format. */
const maxStrangeLines = 1000
/** Longest search for an equal position; only positions made to collide come near it. */
const maxProbes = 256

/** Collects points and triangles within the limits, and finally merges points of equal position. */
export class MeshBuilder {
  pointCount = 0
  triangleCount = 0
  readonly meter = meshMeter()
  private coordinates = new Float64Array(3 * 256)
  private corners = new Uint32Array(3 * 256)
  private readonly warnings: string[] = []
  private untold = 0
  private strangeLines = 0

  /** Allocates memory for counts that the caller has checked against the length of the file. @throws MeshError above the limits */
  reserve(points: number, triangles: number): void {
    this.coordinates = this.grown(this.coordinates, 'vertices', this.pointCount, points)
    this.corners = this.grown(this.corners, 'triangles', this.triangleCount, triangles)
  }

  private grown<T extends Float64Array | Uint32Array>(array: T, kind: 'vertices' | 'triangles', count: number, more: number): T {
    const had = array.length / 3
    if (count + more <= had) return array
    const room = Math.max(count + more, Math.min(this.meter.limits[kind], 2 * had))
    this.meter.ask(kind, room - had)
    const grown = new (array.constructor as new (length: number) => T)(3 * room)
    grown.set(array.subarray(0, 3 * count))
    return grown
  }

  /** @throws MeshError if a coordinate is not finite or absurdly large */
  point(x: number, y: number, z: number): void {
    if (!(Math.abs(x) <= maxCoordinate && Math.abs(y) <= maxCoordinate && Math.abs(z) <= maxCoordinate)) {
      throw new MeshError(`vertex ${this.pointCount} is at ${x} ${y} ${z}; expected finite numbers up to ${maxCoordinate}`)
    }
    const at = 3 * this.pointCount
    if (at + 3 > this.coordinates.length) this.reserve(1, 0)
    // adding zero turns -0 into 0, which is the same place
    this.coordinates[at] = x + 0
    this.coordinates[at + 1] = y + 0
    this.coordinates[at + 2] = z + 0
    this.pointCount++
  }

  /** So far: n x 3, with room behind them. */
  get points(): Float64Array {
    return this.coordinates
  }

  /** Corners may be points that come later. */
  triangle(a: number, b: number, c: number): void {
    const at = 3 * this.triangleCount
    if (at + 3 > this.corners.length) this.reserve(0, 1)
    this.corners[at] = a
    this.corners[at + 1] = b
    this.corners[at + 2] = c
    this.triangleCount++
  }

  /** A copy of points and triangles, transformed by m. A mirror image has its triangles reversed, so that outside stays outside. */
  instance(points: Float64Array, triangles: Uint32Array, m: Matrix4): void {
    const first = this.pointCount
    this.reserve(points.length / 3, triangles.length / 3)
    for (let i = 0; i < points.length; i += 3) {
      const x = points[i]
      const y = points[i + 1]
      const z = points[i + 2]
      this.point(
        m[0] * x + m[1] * y + m[2] * z + m[3],
        m[4] * x + m[5] * y + m[6] * z + m[7],
        m[8] * x + m[9] * y + m[10] * z + m[11],
      )
    }
    const determinant =
      m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8])
    const [second, third] = determinant < 0 ? [2, 1] : [1, 2]
    for (let i = 0; i < triangles.length; i += 3) {
      this.triangle(first + triangles[i], first + triangles[i + second], first + triangles[i + third])
    }
  }

  warn(message: string): void {
    if (this.warnings.length < maxWarnings) this.warnings.push(message)
    else this.untold++
  }

  /** For a line that does not start with a keyword of the format. @throws MeshError when there are too many for a file of the format */
  strangeLine(scanner: TextScanner): void {
    this.warn(`line ${scanner.line}: "${scanner.text()}" is no word of this format; passed by`)
    if (++this.strangeLines > maxStrangeLines) {
      throw new MeshError(`line ${scanner.line}: more than ${maxStrangeLines} lines that are not of this format`)
    }
  }

  /** @throws MeshError if there is no point, or a triangle has a corner that is none */
  finish(): Mesh {
    if (this.pointCount === 0) throw new MeshError('it holds no vertices')
    const { coordinates } = this
    const remap = this.usedPoints()
    let kept = 0
    let size = 16
    while (size < 2 * this.pointCount) size *= 2
    const table = new Int32Array(size) // 1 + index of a kept point
    const words = new Int32Array(coordinates.buffer)
    for (let i = 0; i < this.pointCount; i++) {
      if (remap[i] === unused) continue
      const x = coordinates[3 * i]
      const y = coordinates[3 * i + 1]
      const z = coordinates[3 * i + 2]
      let hash = 0
      for (let k = 6 * i; k < 6 * i + 6; k++) {
        hash = Math.imul(hash ^ words[k], 0x9e3779b1)
        hash ^= hash >>> 15
      }
      let slot = hash & (size - 1)
      let known = table[slot]
      for (let probes = 0; known !== 0 && probes < maxProbes; probes++) {
        const at = 3 * (known - 1)
        if (coordinates[at] === x && coordinates[at + 1] === y && coordinates[at + 2] === z) break
        slot = (slot + 1) & (size - 1)
        known = table[slot]
        if (probes === maxProbes - 1) known = 0
      }
      if (known === 0) {
        // a kept point never moves behind where it was read
        coordinates[3 * kept] = x
        coordinates[3 * kept + 1] = y
        coordinates[3 * kept + 2] = z
        known = ++kept
        table[slot] = known
      }
      remap[i] = known - 1
    }
    if (this.untold > 0) this.warnings.push(`and ${this.untold} more such remarks`)
    return { points: coordinates.slice(0, 3 * kept), triangles: this.triangles(remap), warnings: this.warnings }
  }

  /** A table for all points in which those that no triangle touches are marked, if there are triangles. */
  private usedPoints(): Uint32Array {
    const remap = new Uint32Array(this.pointCount)
    if (this.triangleCount === 0) return remap
    remap.fill(unused)
    for (let k = 0; k < 3 * this.triangleCount; k++) {
      const corner = this.corners[k]
      if (corner >= this.pointCount) {
        throw new MeshError(
          `triangle ${Math.floor(k / 3)} has a corner ${corner}; expected one of the ${this.pointCount} vertices from 0`,
        )
      }
      remap[corner] = 0
    }
    this.warnOfStrayPoints(remap)
    return remap
  }

  /** Points inside the surface's bounds have no effect; those outside would have made a hull larger. */
  private warnOfStrayPoints(remap: Uint32Array): void {
    const low = [Infinity, Infinity, Infinity]
    const high = [-Infinity, -Infinity, -Infinity]
    for (let i = 0; i < 3 * this.pointCount; i++) {
      if (remap[(i / 3) | 0] === unused) continue
      low[i % 3] = Math.min(low[i % 3], this.coordinates[i])
      high[i % 3] = Math.max(high[i % 3], this.coordinates[i])
    }
    let stray = 0
    for (let i = 0; i < this.pointCount; i++) {
      if (remap[i] !== unused) continue
      let outside = false
      for (let k = 0; k < 3; k++) {
        const c = this.coordinates[3 * i + k]
        outside ||= c < low[k] || c > high[k]
      }
      if (outside) stray++
    }
    if (stray > 0) this.warn(`vertices outside of all faces that belong to none are left out: ${stray} of ${this.pointCount}`)
  }

  private triangles(remap: Uint32Array): Uint32Array {
    const { corners } = this
    let length = 0
    for (let k = 0; k < 3 * this.triangleCount; k += 3) {
      const a = remap[corners[k]]
      const b = remap[corners[k + 1]]
      const c = remap[corners[k + 2]]
      if (a === b || b === c || c === a) continue
      corners[length] = a
      corners[length + 1] = b
      corners[length + 2] = c
      length += 3
    }
    return corners.slice(0, length)
  }
}

const unused = 0xffffffff

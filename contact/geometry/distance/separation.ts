import type { Collider } from '../collider.ts'
import { Core } from '../shapes/index.ts'
import { supportCore } from './gjk.ts'

const spanA = new Float64Array(2)
const spanB = new Float64Array(2)
const end = new Float64Array(3)
const index = new Int32Array(1)

/**
 * Search for the axis of largest separation of two cores: the candidate, and the best so far.
 *
 * Along a unit n from A to B, separation(n) = min over B of n . x - max over A of n . x.
 */
export class SeparatingAxis {
  /** The pair of colliders, set by `begin`. */
  a!: Collider
  b!: Collider
  /** 3: the candidate direction. */
  readonly axis = new Float64Array(3)
  /** 4: the largest separation so far [m], and its unit normal from A to B. */
  readonly found = new Float64Array(4)
  /** 1: margin by which a candidate must exceed `found` [m], so that noise does not replace a face's normal by an edge's. */
  readonly advantage = new Float64Array(1)
  /** Whether a known point of the polyhedral core, or of a cylinder's axis, supports `found`; and that point [m]. */
  hasFoot = false
  readonly foot = new Float64Array(3)

  begin(a: Collider, b: Collider): void {
    this.a = a
    this.b = b
    this.hasFoot = false
  }

  /** Resets the best direction. */
  clear(): void {
    this.found[0] = -Infinity
    this.advantage[0] = 0
  }

  setAxis(x: Float64Array, i: number): void {
    const { axis } = this
    axis[0] = x[i]
    axis[1] = x[i + 1]
    axis[2] = x[i + 2]
  }

  /** Sets `axis` to column k of R. */
  setColumn(R: Float64Array, k: number): void {
    const { axis } = this
    axis[0] = R[k]
    axis[1] = R[3 + k]
    axis[2] = R[6 + k]
  }

  /** Normalizes `axis`. @returns false if its length is 0 */
  normalize(): boolean {
    const { axis } = this
    const length = Math.sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2])
    if (!(length > 0)) return false
    axis[0] /= length
    axis[1] /= length
    axis[2] /= length
    return true
  }

  /** Tries the unit vector in `axis`, and its opposite. */
  tryBoth(): void {
    const { axis, found, advantage } = this
    project(this.a, axis, spanA)
    project(this.b, axis, spanB)
    const forward = spanB[0] - spanA[1]
    const backward = spanA[0] - spanB[1]
    const separation = forward >= backward ? forward : backward
    if (!(separation > found[0] + advantage[0])) return
    const sign = forward >= backward ? 1 : -1
    found[0] = separation
    for (let k = 0; k < 3; k++) found[1 + k] = sign * axis[k]
  }

  /** Tries sign times the unit vector in `axis`. */
  tryOne(sign: number): void {
    const { axis, found, advantage } = this
    supportCore(this.a, axis, sign, end, 0, index)
    const endA = sign * (axis[0] * end[0] + axis[1] * end[1] + axis[2] * end[2])
    supportCore(this.b, axis, -sign, end, 0, index)
    const separation = sign * (axis[0] * end[0] + axis[1] * end[1] + axis[2] * end[2]) - endA
    if (!(separation > found[0] + advantage[0])) return
    found[0] = separation
    for (let k = 0; k < 3; k++) found[1 + k] = sign * axis[k]
  }

  /** Evaluates the separation along sign * n; n is 3 entries from `at`. */
  measure(n: Float64Array, at: number, sign: number): void {
    for (let k = 0; k < 3; k++) {
      this.axis[k] = sign * n[at + k]
      this.found[1 + k] = this.axis[k]
    }
    this.clear()
    this.tryOne(1)
  }
}

/** Extent of a core along a unit vector; `out` 2: least, greatest. */
export function project(collider: Collider, axis: Float64Array, out: Float64Array): void {
  const { kind, verticesW, R, p, halfLength } = collider
  if (kind === Core.cylinder) {
    const x = axis[1] * R[8] - axis[2] * R[5]
    const y = axis[2] * R[2] - axis[0] * R[8]
    const z = axis[0] * R[5] - axis[1] * R[2]
    const along = axis[0] * R[2] + axis[1] * R[5] + axis[2] * R[8]
    const reach = Math.abs(along) * halfLength + collider.coreRadius * Math.sqrt(x * x + y * y + z * z)
    const middle = axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2]
    out[0] = middle - reach
    out[1] = middle + reach
    return
  }
  if (kind === Core.many || kind === Core.box || kind === Core.ellipsoid) {
    supportCore(collider, axis, -1, end, 0, index)
    out[0] = axis[0] * end[0] + axis[1] * end[1] + axis[2] * end[2]
    supportCore(collider, axis, 1, end, 0, index)
    out[1] = axis[0] * end[0] + axis[1] * end[1] + axis[2] * end[2]
    return
  }
  let low = Infinity
  let high = -Infinity
  for (let i = 0; i < verticesW.length; i += 3) {
    const x = verticesW[i] * axis[0] + verticesW[i + 1] * axis[1] + verticesW[i + 2] * axis[2]
    if (x < low) low = x
    if (x > high) high = x
  }
  out[0] = low
  out[1] = high
}

import { type Collider, Core } from './collider.ts'
import { supportCore } from './gjk.ts'

/*
 * What the searches for a separating direction share: the direction to be tried, the best one so far, and the trial.
 *
 * Along a unit n from A to B, B starts where A ends plus separation(n) = min over B of n . x - max over A of n . x.
 */

/** 3: the direction to be tried. */
export const axis = new Float64Array(3)
/** 4: the largest separation so far [m], and its unit normal from A to B. */
export const found = new Float64Array(4)
/** 1: how much better than what was found a direction must be [m]. Keeps noise from turning a face's normal into an edge's. */
export const advantage = new Float64Array(1)

const spanA = new Float64Array(2)
const spanB = new Float64Array(2)
const end = new Float64Array(3)
const index = new Int32Array(1)

/** Makes `axis` a unit vector; false if it has no direction. */
export function normalizeAxis(): boolean {
  const length = Math.sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2])
  if (!(length > 0)) return false
  axis[0] /= length
  axis[1] /= length
  axis[2] /= length
  return true
}

/** Extent of the core along `axis`. */
export function project(collider: Collider, out: Float64Array): void {
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
  if (kind === Core.many || kind === Core.box) {
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

/** Tries the unit vector in `axis`, and its opposite. */
export function tryAxis(a: Collider, b: Collider): void {
  project(a, spanA)
  project(b, spanB)
  const forward = spanB[0] - spanA[1]
  const backward = spanA[0] - spanB[1]
  const separation = forward >= backward ? forward : backward
  if (!(separation > found[0] + advantage[0])) return
  const sign = forward >= backward ? 1 : -1
  found[0] = separation
  found[1] = sign * axis[0]
  found[2] = sign * axis[1]
  found[3] = sign * axis[2]
}

/** Tries sign times the unit vector in `axis`. */
export function tryAlong(a: Collider, b: Collider, sign: number): void {
  setEnd(a, sign)
  const endA = sign * (axis[0] * end[0] + axis[1] * end[1] + axis[2] * end[2])
  setEnd(b, -sign)
  const separation = sign * (axis[0] * end[0] + axis[1] * end[1] + axis[2] * end[2]) - endA
  if (!(separation > found[0] + advantage[0])) return
  found[0] = separation
  found[1] = sign * axis[0]
  found[2] = sign * axis[1]
  found[3] = sign * axis[2]
}

function setEnd(collider: Collider, sign: number): void {
  supportCore(collider, axis, sign, end, 0, index)
}

/** Sets found[0] to the separation along the normal that stands in `found`. */
export function setAlong(a: Collider, b: Collider): void {
  for (let k = 0; k < 3; k++) axis[k] = found[1 + k]
  found[0] = -Infinity
  advantage[0] = 0
  tryAlong(a, b, 1)
}

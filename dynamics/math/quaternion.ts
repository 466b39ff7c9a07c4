import { angleOf, sincos } from './trig.ts'

/**
 * Unit quaternions [x, y, z, w], a rotation from local to outer axes. Every function takes its result first and reads all inputs before it
 * writes. A quaternion inside a longer array is given by array and offset.
 */

/** out = a b: rotation by b first, then by a. @unchecked */
export function mulQuaternion(
  out: Float64Array,
  outOffset: number,
  a: Float64Array,
  aOffset: number,
  b: Float64Array,
  bOffset: number,
): void {
  const ax = a[aOffset]
  const ay = a[aOffset + 1]
  const az = a[aOffset + 2]
  const aw = a[aOffset + 3]
  const bx = b[bOffset]
  const by = b[bOffset + 1]
  const bz = b[bOffset + 2]
  const bw = b[bOffset + 3]
  out[outOffset] = aw * bx + ax * bw + ay * bz - az * by
  out[outOffset + 1] = aw * by + ay * bw + az * bx - ax * bz
  out[outOffset + 2] = aw * bz + az * bw + ax * by - ay * bx
  out[outOffset + 3] = aw * bw - ax * bx - ay * by - az * bz
}

/** Scales to length 1. A quaternion of length 0 becomes NaN. @unchecked */
export function normalizeQuaternion(q: Float64Array, offset: number): void {
  const x = q[offset]
  const y = q[offset + 1]
  const z = q[offset + 2]
  const w = q[offset + 3]
  const f = 1 / Math.sqrt(x * x + y * y + z * z + w * w)
  q[offset] = x * f
  q[offset + 1] = y * f
  q[offset + 2] = z * f
  q[offset + 3] = w * f
}

/** R (3 x 3 row-major) = the rotation of a quaternion of any length; R is always a rotation. @unchecked */
export function rotationOfQuaternion(R: Float64Array, q: Float64Array, offset: number): void {
  const x = q[offset]
  const y = q[offset + 1]
  const z = q[offset + 2]
  const w = q[offset + 3]
  const s = 2 / (x * x + y * y + z * z + w * w)
  const xx = s * x * x
  const yy = s * y * y
  const zz = s * z * z
  const xy = s * x * y
  const xz = s * x * z
  const yz = s * y * z
  const wx = s * w * x
  const wy = s * w * y
  const wz = s * w * z
  R[0] = 1 - yy - zz
  R[1] = xy - wz
  R[2] = xz + wy
  R[3] = xy + wz
  R[4] = 1 - xx - zz
  R[5] = yz - wx
  R[6] = xz - wy
  R[7] = yz + wx
  R[8] = 1 - xx - yy
}

/**
 * The unit quaternion of a rotation matrix, with w >= 0 (of either sign if w is 0). Divides by the largest of the four, so that no case
 * loses digits (Shepperd, J. Guidance and Control 1(3), 1978). @unchecked
 */
export function quaternionOfRotation(q: Float64Array, offset: number, R: Float64Array): void {
  const trace = R[0] + R[4] + R[8]
  let x: number
  let y: number
  let z: number
  let w: number
  if (trace >= R[0] && trace >= R[4] && trace >= R[8]) {
    w = 1 + trace
    x = R[7] - R[5]
    y = R[2] - R[6]
    z = R[3] - R[1]
  } else if (R[0] >= R[4] && R[0] >= R[8]) {
    w = R[7] - R[5]
    x = 1 + R[0] - R[4] - R[8]
    y = R[1] + R[3]
    z = R[2] + R[6]
  } else if (R[4] >= R[8]) {
    w = R[2] - R[6]
    x = R[1] + R[3]
    y = 1 - R[0] + R[4] - R[8]
    z = R[5] + R[7]
  } else {
    w = R[3] - R[1]
    x = R[2] + R[6]
    y = R[5] + R[7]
    z = 1 - R[0] - R[4] + R[8]
  }
  const f = (w < 0 ? -1 : 1) / Math.sqrt(x * x + y * y + z * z + w * w)
  q[offset] = x * f
  q[offset + 1] = y * f
  q[offset + 2] = z * f
  q[offset + 3] = w * f
}

const half = new Float64Array(1)
const point = new Float64Array(2)
const sc = new Float64Array(2)

/** q = rotation by the rotation vector at r[k..k+2] (axis times angle) [rad]. @unchecked */
export function quaternionOfRotationVector(q: Float64Array, offset: number, r: Float64Array, k: number): void {
  const x = r[k]
  const y = r[k + 1]
  const z = r[k + 2]
  const angle = Math.sqrt(x * x + y * y + z * z)
  half[0] = 0.5 * angle
  sincos(sc, half, 0)
  // sin(angle / 2) / angle -> 1/2; below 1e-8 the next term, angle^2 / 48, is lost in rounding
  const f = angle > 1e-8 ? sc[0] / angle : 0.5
  q[offset] = x * f
  q[offset + 1] = y * f
  q[offset + 2] = z * f
  q[offset + 3] = sc[1]
}

/** r[k..k+2] = the rotation vector (axis times angle, angle <= pi) of a unit quaternion [rad]. @unchecked */
export function rotationVectorOfQuaternion(r: Float64Array, k: number, q: Float64Array, offset: number): void {
  const sign = q[offset + 3] < 0 ? -1 : 1
  const x = sign * q[offset]
  const y = sign * q[offset + 1]
  const z = sign * q[offset + 2]
  const s = Math.sqrt(x * x + y * y + z * z)
  point[0] = sign * q[offset + 3]
  point[1] = s
  angleOf(half, 0, point)
  const f = s > 1e-8 ? (2 * half[0]) / s : 2
  r[k] = x * f
  r[k + 1] = y * f
  r[k + 2] = z * f
}

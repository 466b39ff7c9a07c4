import { cos, sin } from '../../dynamics/index.ts'

/** Sixteen numbers, row by row; its last row is 0 0 0 1. */
export type Matrix4 = readonly number[]

export const identity: Matrix4 = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]

/** Turns axes with y up, as they are drawn on a screen, into axes with z up: x, -z, y. */
export const zUpFromYUp: Matrix4 = [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1]

/** Turns axes with x up (COLLADA's X_UP: right is -y, towards the viewer is z) into axes with z up: -y, -z, x. */
export const zUpFromXUp: Matrix4 = [0, -1, 0, 0, 0, 0, -1, 0, 1, 0, 0, 0, 0, 0, 0, 1]

export function translation(x: number, y: number, z: number): Matrix4 {
  return [1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z, 0, 0, 0, 1]
}

export function scaling(x: number, y: number, z: number): Matrix4 {
  return [x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1]
}

/** Turns by an angle [rad] about an axis of any length; no axis, no turn. */
export function rotationAbout(x: number, y: number, z: number, angle: number): Matrix4 {
  const length = Math.hypot(x, y, z)
  if (length === 0) return identity
  const s = sin(angle / 2) / length
  return rotationOf(s * x, s * y, s * z, cos(angle / 2))
}

/** The rotation of a quaternion x, y, z, w of any length but 0. */
export function rotationOf(x: number, y: number, z: number, w: number): Matrix4 {
  const squared = x * x + y * y + z * z + w * w
  if (squared === 0) return identity
  const k = 2 / squared
  const row0 = [1 - k * (y * y + z * z), k * (x * y - z * w), k * (x * z + y * w)]
  const row1 = [k * (x * y + z * w), 1 - k * (x * x + z * z), k * (y * z - x * w)]
  const row2 = [k * (x * z - y * w), k * (y * z + x * w), 1 - k * (x * x + y * y)]
  return [...row0, 0, ...row1, 0, ...row2, 0, 0, 0, 0, 1]
}

export function multiply(a: Matrix4, b: Matrix4): Matrix4 {
  const product = new Array<number>(16).fill(0)
  for (let i = 0; i < 4; i++) {
    for (let j = 0; j < 4; j++) {
      for (let k = 0; k < 4; k++) product[4 * i + j] += a[4 * i + k] * b[4 * k + j]
    }
  }
  return product
}

/** Vectors of three numbers, for pictures. */
export { crossed as cross } from '../../../dynamics/index.ts'
export type Vector = readonly [number, number, number]

export const at = (list: ArrayLike<number>, i: number): Vector => [list[3 * i], list[3 * i + 1], list[3 * i + 2]]
export const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
export const plus = (a: Vector, b: Vector, times = 1): Vector => [a[0] + times * b[0], a[1] + times * b[1], a[2] + times * b[2]]
export const minus = (a: Vector, b: Vector): Vector => plus(a, b, -1)
export const lengthOf = (a: Vector) => Math.hypot(...a)
export const unit = (a: Vector): Vector => {
  const length = lengthOf(a)
  return [a[0] / length, a[1] / length, a[2] / length]
}
/** Component of a orthogonal to the unit vector n. */
export const across = (a: Vector, n: Vector): Vector => plus(a, n, -dot(a, n))

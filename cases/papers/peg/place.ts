import { at, cross, dot, lengthOf, minus, plus, unit, type Vector } from '../../../compare/inspect/picture/vector.ts'

/** Where a body is: its axes in the world's, row-major, and its origin [m]. */
export interface Place {
  readonly R: readonly number[]
  readonly p: Vector
}

export const placed = (place: Place, v: Vector): Vector =>
  plus([0, 1, 2].map((k) => dot(at(place.R, k), v)) as unknown as Vector, place.p)
export const turnedBack = ({ R }: Place, v: Vector): Vector =>
  [0, 1, 2].map((k) => R[k] * v[0] + R[3 + k] * v[1] + R[6 + k] * v[2]) as unknown as Vector
export const placedBack = (place: Place, v: Vector): Vector => turnedBack(place, minus(v, place.p))

/** Where a point of a body would be at the end with gaps to first order: moved by the body's displacement and small turn. */
export function movedLinearly(start: Place, end: Place, point: Vector): Vector {
  return plus(point, plus(minus(end.p, start.p), cross(turnVector(start, end), minus(point, start.p))))
}

/** The rotation from start to end as a vector [rad]. */
function turnVector(start: Place, end: Place): Vector {
  const R = [0, 1, 2].map((i) =>
    [0, 1, 2].map((j) => [0, 1, 2].reduce((sum, k) => sum + end.R[3 * i + k] * start.R[3 * j + k], 0)),
  )
  const axis: Vector = [R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]]
  const sine = 0.5 * lengthOf(axis)
  if (sine === 0) return [0, 0, 0]
  const angle = Math.atan2(sine, 0.5 * (R[0][0] + R[1][1] + R[2][2] - 1))
  const direction = unit(axis)
  return [direction[0] * angle, direction[1] * angle, direction[2] * angle]
}

/** n . (moved B - moved A) of a contact whose points were on the bodies at the start. */
export function linearGap(
  [startA, startB]: readonly [Place, Place],
  [endA, endB]: readonly [Place, Place],
  onA: Vector,
  onB: Vector,
  normal: Vector,
): number {
  return dot(normal, minus(movedLinearly(startB, endB, onB), movedLinearly(startA, endA, onA)))
}

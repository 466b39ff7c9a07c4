import { checkBody, checkLength } from './checkLength.ts'
import type { Data } from './data.ts'
import type { Model } from './model.ts'

/**
 * Jacobian of a point of a body: its velocity in world axes is J v. Featherstone (2008), section 4.1: column k is
 * v0 + omega x point for SW[k] = [omega; v0].
 *
 * Reads data.SW (`kinematics`).
 *
 * @param point 3: the point now, in world axes from the world's origin [m]
 * @param J     out: 3 x nv row-major; 0 for velocities that do not move the body
 * @throws RangeError if there is no such body, or if J has not 3 nv entries
 */
export function pointJacobian(model: Model, data: Data, body: number, point: Float64Array, J: Float64Array): void {
  const { nb, nv, vOfS, sParent, sLast } = model
  checkBody(body, nb)
  checkLength('J', J, 3 * nv)
  const x = point[0]
  const y = point[1]
  const z = point[2]
  J.fill(0)
  for (let s = sLast[body]; s >= 0; s = sParent[s]) {
    const SW = data.SW[s]
    const k = vOfS[s]
    J[k] += SW[3] + SW[1] * z - SW[2] * y
    J[nv + k] += SW[4] + SW[2] * x - SW[0] * z
    J[2 * nv + k] += SW[5] + SW[0] * y - SW[1] * x
  }
}

/**
 * Jacobian of a body's motion: J v is its spatial velocity [omega; v] in world axes about the world's origin.
 *
 * Reads data.SW (`kinematics`).
 *
 * @param J out: 6 x nv row-major; 0 for velocities that do not move the body
 * @throws RangeError if there is no such body, or if J has not 6 nv entries
 */
export function bodyJacobianW(model: Model, data: Data, body: number, J: Float64Array): void {
  const { nb, nv, vOfS, sParent, sLast } = model
  checkBody(body, nb)
  checkLength('J', J, 6 * nv)
  J.fill(0)
  for (let s = sLast[body]; s >= 0; s = sParent[s]) {
    const SW = data.SW[s]
    for (let r = 0; r < 6; r++) J[r * nv + vOfS[s]] += SW[r]
  }
}

/**
 * Adds sign * direction^T J_point to the nv numbers at row[rowOffset..]: the row that gives a point's speed along a
 * direction, or, transposed, the generalised force of a unit force at the point. Touches only the velocities that move
 * the body, so nothing for the world. A contact's relative speed is one call for each of its two bodies, with the signs
 * +1 and -1.
 *
 * Reads data.SW (`kinematics`).
 *
 * @param points     holds the point at pointOffset..+2, in world axes from the world's origin [m]
 * @param directions holds the direction at directionOffset..+2, in world axes
 * @param sign       +1 or -1
 * @throws RangeError if there is no such body
 */
export function directionRow(
  model: Model,
  data: Data,
  body: number,
  points: Float64Array,
  pointOffset: number,
  directions: Float64Array,
  directionOffset: number,
  sign: number,
  row: Float64Array,
  rowOffset: number,
): void {
  const { nb, vOfS, sParent, sLast } = model
  const { SW } = data
  checkBody(body, nb)
  const x = points[pointOffset]
  const y = points[pointOffset + 1]
  const z = points[pointOffset + 2]
  const dx = sign * directions[directionOffset]
  const dy = sign * directions[directionOffset + 1]
  const dz = sign * directions[directionOffset + 2]
  // d . (v0 + omega x p) = d . v0 + (p x d) . omega: the wrench of d at p
  const nx = y * dz - z * dy
  const ny = z * dx - x * dz
  const nz = x * dy - y * dx
  for (let s = sLast[body]; s >= 0; s = sParent[s]) {
    const Sk = SW[s]
    row[rowOffset + vOfS[s]] += nx * Sk[0] + ny * Sk[1] + nz * Sk[2] + dx * Sk[3] + dy * Sk[4] + dz * Sk[5]
  }
}

import { checkBody, checkLength, checkRoom } from '../model/checkLength.ts'
import type { Data } from '../model/data.ts'
import type { Model } from '../model/model.ts'

/**
 * Jacobian of a point of a body: its velocity in world axes is J v. Column k is v0 + omega x point for SW[k] = [omega; v0] of
 * each joint on the path from the body to the root, its support in Featherstone (2008), section 4.1. @unchecked
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
 * Jacobian of a body's motion: J v is its spatial velocity [omega; v] in world axes about the world's origin. @unchecked
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
 * +1 and -1. @unchecked
 *
 * Reads data.SW (`kinematics`).
 *
 * @param points     holds the point at pointOffset..+2, in world axes from the world's origin [m]
 * @param directions holds the direction at directionOffset..+2, in world axes
 * @param sign       +1 or -1
 * @throws RangeError if there is no such body, or if row has not room for nv numbers
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
  const { nb, nv, vOfS, sParent, sLast } = model
  const { SW } = data
  checkBody(body, nb)
  checkRoom('row', row, rowOffset, nv)
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

/**
 * tau += the sum of J^T f over all bodies: the generalised force of a force on each body. In forward dynamics it is added
 * to the efforts, as in `abaWithForces`; in inverse dynamics it is subtracted from the result of `rnea`. @unchecked
 *
 * Reads data.SW (`kinematics`).
 *
 * @param forcesW nb x 6: per body [moment; force] in world axes about the world's origin [N m, N]; body 0's is not read
 * @param tau     in and out: nv [N m, N]
 * @throws RangeError if forcesW has not 6 nb entries, or tau not nv
 */
export function addBodyForces(model: Model, forcesW: Float64Array, data: Data, tau: Float64Array): void {
  const { nb, nv, vOfS, sParent, sLast } = model
  const { SW } = data
  checkLength('forcesW', forcesW, 6 * nb)
  checkLength('tau', tau, nv)
  for (let i = 1; i < nb; i++) {
    const f = 6 * i
    const nx = forcesW[f]
    const ny = forcesW[f + 1]
    const nz = forcesW[f + 2]
    const fx = forcesW[f + 3]
    const fy = forcesW[f + 4]
    const fz = forcesW[f + 5]
    for (let s = sLast[i]; s >= 0; s = sParent[s]) {
      const Sk = SW[s]
      tau[vOfS[s]] += nx * Sk[0] + ny * Sk[1] + nz * Sk[2] + fx * Sk[3] + fy * Sk[4] + fz * Sk[5]
    }
  }
}

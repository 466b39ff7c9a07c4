import { addScaledCross, rotate3, setZero } from '../math/index.ts'
import { checkBody, checkLength } from '../model/checkLength.ts'
import type { Data } from '../model/data.ts'
import type { Model } from '../model/model.ts'
import type { State } from '../model/state.ts'
import { pointVelocity } from './kinematics.ts'

/** One body's V x S v, a body's acceleration, and its angular and a point's velocity: scratch of the functions below. */
const C = new Float64Array(6)
const A = new Float64Array(6)
const w = new Float64Array(3)
const u = new Float64Array(3)

/**
 * Jdot v of a point of a body: its acceleration at zero generalised acceleration, in world axes [m/s^2]. J is that of `pointJacobian`, and
 * the point moves with the body. @unchecked
 *
 * Walks from the body to the root. For many points of many bodies, `accelerations` at a = 0 and `pointAcceleration` for each are
 * equivalent.
 *
 * Reads state.v, data.S, data.R_WB, data.p_WB (`kinematics`) and data.V (`velocities`).
 *
 * @param point 3: the point now, in world axes from the world's origin [m]
 * @param out   out: 3
 * @throws RangeError if v has not nv entries, if there is no such body, or if out has not 3 entries
 */
export function pointJacobianDotTimesV(
  model: Model,
  { v }: State,
  data: Data,
  body: number,
  point: Float64Array,
  out: Float64Array,
): void {
  checkLength('v', v, model.nv)
  checkBody(body, model.nb)
  checkLength('out', out, 3)
  velocityProducts(model, v, data, body, point)
  rotate3(w, data.R_WB[body], data.V[body])
  pointVelocity(data, body, point, u)
  // the classical acceleration is the spatial one at the point, plus omega x u
  out[0] = A[3] + (w[1] * u[2] - w[2] * u[1])
  out[1] = A[4] + (w[2] * u[0] - w[0] * u[2])
  out[2] = A[5] + (w[0] * u[1] - w[1] * u[0])
}

/**
 * out (3) = Jdot v of a body's angular velocity, in world axes [rad/s^2]: its angular acceleration is J a + this, with J
 * the upper three rows of `bodyJacobianW`. @unchecked
 *
 * Reads and throws as `pointJacobianDotTimesV`.
 */
export function angularJacobianDotTimesV(model: Model, { v }: State, data: Data, body: number, out: Float64Array): void {
  checkLength('v', v, model.nv)
  checkBody(body, model.nb)
  checkLength('out', out, 3)
  velocityProducts(model, v, data, body, data.p_WB[body])
  out[0] = A[0]
  out[1] = A[1]
  out[2] = A[2]
}

/** A = sum of V x S v over the joints on the path from the body to the root, in world axes about the point. */
function velocityProducts(model: Model, v: Float64Array, data: Data, body: number, point: Float64Array): void {
  const { parent, sStart, vOfS } = model
  const { S, V, R_WB, p_WB } = data
  setZero(A)
  for (let i = body; i > 0; i = parent[i]) {
    setZero(C)
    for (let s = sStart[i]; s < sStart[i + 1]; s++) addScaledCross(C, v, vOfS[s], V[i], S[s])
    addMotionAbout(A, R_WB[i], p_WB[i], point, C)
  }
}

/** out += a body's motion vector m in world axes about the point, for the body's pose R, p. */
function addMotionAbout(out: Float64Array, R: Float64Array, p: Float64Array, point: Float64Array, m: Float64Array): void {
  const x = point[0] - p[0]
  const y = point[1] - p[1]
  const z = point[2] - p[2]
  const wx = R[0] * m[0] + R[1] * m[1] + R[2] * m[2]
  const wy = R[3] * m[0] + R[4] * m[1] + R[5] * m[2]
  const wz = R[6] * m[0] + R[7] * m[1] + R[8] * m[2]
  out[0] += wx
  out[1] += wy
  out[2] += wz
  out[3] += R[0] * m[3] + R[1] * m[4] + R[2] * m[5] + (wy * z - wz * y)
  out[4] += R[3] * m[3] + R[4] * m[4] + R[5] * m[5] + (wz * x - wx * z)
  out[5] += R[6] * m[3] + R[7] * m[4] + R[8] * m[5] + (wx * y - wy * x)
}

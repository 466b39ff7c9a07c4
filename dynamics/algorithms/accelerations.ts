import { addScaled, addScaledCross, motionToWorld, mulX, setZero } from '../math/index.ts'
import { checkBody, checkLength } from '../model/checkLength.ts'
import type { Data } from '../model/data.ts'
import type { Model } from '../model/model.ts'
import type { State } from '../model/state.ts'

/**
 * Spatial accelerations of all bodies, A_i = X_i A_p + S_i a_i + V_i x S_i v_i. Featherstone (2008), Table 5.1, first lines, with the world
 * at rest: a body in free fall accelerates, one on the ground does not. (data.A of `rnea` is relative to a frame that accelerates upwards
 * in place of gravity.) @unchecked
 *
 * Reads data.X (`kinematics`), state.v. Writes data.V and data.trueA, each in its own body's axes. `pointAcceleration` and
 * `frameAcceleration` convert them to classical accelerations, such as of an accelerometer's mount.
 *
 * @param a generalised acceleration, nv [rad/s^2, m/s^2]; for a floating, planar or spherical joint the derivative of its v, body axes
 * @throws RangeError if v or a has not nv entries
 */
export function accelerations(model: Model, { v }: State, a: Float64Array, data: Data): void {
  const { nb, nv, parent, sStart, vOfS } = model
  const { X, S, V, trueA: A } = data
  checkLength('v', v, nv)
  checkLength('a', a, nv)

  setZero(V[0])
  setZero(A[0])
  for (let i = 1; i < nb; i++) {
    const p = parent[i]
    mulX(V[i], X[i], V[p])
    mulX(A[i], X[i], A[p])
    for (let s = sStart[i]; s < sStart[i + 1]; s++) addScaled(V[i], v, vOfS[s], S[s]) // V = X Vp + S v
    for (let s = sStart[i]; s < sStart[i + 1]; s++) {
      addScaled(A[i], a, vOfS[s], S[s])
      addScaledCross(A[i], v, vOfS[s], V[i], S[s]) //                                    A = X Ap + S a + V x S v
    }
  }
}

/**
 * Acceleration of the body-fixed point at `point`, in world axes [m/s^2]: the second derivative of its position, the classical acceleration
 * of textbooks. Gravity is not subtracted; an accelerometer there measures this less `model.gravity`. Featherstone (2008), section 2.11. @unchecked
 *
 * Reads data.R_WB, data.p_WB (`kinematics`), data.V and data.trueA (`accelerations`).
 *
 * @param point 3: world axes, from the world's origin [m]
 * @param out   out: 3
 * @throws RangeError if there is no such body, or if out has not 3 entries
 */
export function pointAcceleration(data: Data, body: number, point: Float64Array, out: Float64Array): void {
  checkBody(body, data.V.length)
  checkLength('out', out, 3)
  const V = data.V[body]
  const A = data.trueA[body]
  const R = data.R_WB[body]
  const p = data.p_WB[body]
  const dx = point[0] - p[0]
  const dy = point[1] - p[1]
  const dz = point[2] - p[2]
  // in the body's axes: r from the body's origin, u = v + omega x r
  const x = R[0] * dx + R[3] * dy + R[6] * dz
  const y = R[1] * dx + R[4] * dy + R[7] * dz
  const z = R[2] * dx + R[5] * dy + R[8] * dz
  const ux = V[3] + (V[1] * z - V[2] * y)
  const uy = V[4] + (V[2] * x - V[0] * z)
  const uz = V[5] + (V[0] * y - V[1] * x)
  // A_v + alpha x r + omega x u: a spatial acceleration refers to a fixed place, not to a moving point, hence the last term
  const ax = A[3] + (A[1] * z - A[2] * y) + (V[1] * uz - V[2] * uy)
  const ay = A[4] + (A[2] * x - A[0] * z) + (V[2] * ux - V[0] * uz)
  const az = A[5] + (A[0] * y - A[1] * x) + (V[0] * uy - V[1] * ux)
  out[0] = R[0] * ax + R[1] * ay + R[2] * az
  out[1] = R[3] * ax + R[4] * ay + R[5] * az
  out[2] = R[6] * ax + R[7] * ay + R[8] * az
}

/**
 * Spatial velocity of a body in world axes about the world's origin: [omega; velocity of the body-fixed point at the world's origin]
 * [rad/s, m/s]. It is `bodyJacobianW` times v. For the velocity of a frame's own origin see `frameVelocity`. @unchecked
 *
 * Reads data.R_WB, data.p_WB (`kinematics`) and data.V (`velocities`).
 *
 * @param out out: 6
 * @throws RangeError if there is no such body, or if out has not 6 entries
 */
export function bodyVelocityW(data: Data, body: number, out: Float64Array): void {
  checkBody(body, data.V.length)
  checkLength('out', out, 6)
  motionToWorld(out, data.R_WB[body], data.p_WB[body], data.V[body])
}

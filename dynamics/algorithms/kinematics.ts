import { addScaled, mulX, setZero } from '../math/index.ts'
import { checkBody, checkLength } from '../model/checkLength.ts'
import type { Data } from '../model/data.ts'
import type { Model } from '../model/model.ts'
import type { State } from '../model/state.ts'

export { kinematics } from './fast/kinematics.ts'

/**
 * Spatial velocities, V_i = X_i V_p + S_i v_i. Featherstone (2008), Table 5.1, first lines. @unchecked
 *
 * Reads data.X (`kinematics`), state.v. Writes data.V: [omega; v] in each body's own axes.
 *
 * @throws RangeError if v has not nv entries
 */
export function velocities(model: Model, { v }: State, data: Data): void {
  const { nb, nv, parent, sStart, vOfS } = model
  const { X, S, V } = data
  checkLength('v', v, nv)
  if (data.compiled?.velocities(v) === true) return

  setZero(V[0])
  for (let i = 1; i < nb; i++) {
    mulX(V[i], X[i], V[parent[i]])
    for (let k = sStart[i]; k < sStart[i + 1]; k++) addScaled(V[i], v, vOfS[k], S[k])
  }
}

/**
 * Velocity of the body-fixed point at `point`, in world axes [m/s]. @unchecked
 *
 * Reads data.R_WB, data.p_WB (`kinematics`) and data.V (`velocities`).
 *
 * @param point 3: world axes, from the world's origin [m]
 * @param out   out: 3
 * @throws RangeError if there is no such body, or if out has not 3 entries
 */
export function pointVelocity(data: Data, body: number, point: Float64Array, out: Float64Array): void {
  checkBody(body, data.V.length)
  checkLength('out', out, 3)
  const V = data.V[body]
  const R = data.R_WB[body]
  const p = data.p_WB[body]
  const x = point[0] - p[0]
  const y = point[1] - p[1]
  const z = point[2] - p[2]
  const wx = R[0] * V[0] + R[1] * V[1] + R[2] * V[2]
  const wy = R[3] * V[0] + R[4] * V[1] + R[5] * V[2]
  const wz = R[6] * V[0] + R[7] * V[1] + R[8] * V[2]
  out[0] = R[0] * V[3] + R[1] * V[4] + R[2] * V[5] + (wy * z - wz * y)
  out[1] = R[3] * V[3] + R[4] * V[4] + R[5] * V[5] + (wz * x - wx * z)
  out[2] = R[6] * V[3] + R[7] * V[4] + R[8] * V[5] + (wx * y - wy * x)
}

/** For the compiler: what this file's functions refer to. */
export const velocityParts = () => ({ velocities, addScaled, mulX, setZero, checkLength })

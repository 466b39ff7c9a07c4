import { checkLength } from './checkLength.ts'
import { joints } from './joints.ts'
import type { Model } from './model.ts'

/** One joint's step; no joint has more than 6 velocities. */
const step = new Float64Array(6)

/**
 * out = q (+) v dt: the configuration after moving for the time dt at the constant velocity v, exactly. Revolute and
 * prismatic joints add v dt; the others follow the exponential map of their body velocity, and quaternions are scaled back
 * to length 1. @unchecked
 *
 * @param q   nq
 * @param v   nv [rad/s, m/s]
 * @param dt  time [s]
 * @param out out: nq; may be q itself
 * @throws RangeError if q or out has not nq entries, or v not nv
 */
export function integrateConfiguration(model: Model, q: Float64Array, v: Float64Array, dt: number, out: Float64Array): void {
  const { nb, nq, nv } = model
  checkLength('q', q, nq)
  checkLength('v', v, nv)
  checkLength('out', out, nq)
  for (let i = 1; i < nb; i++) integrateJoint(model, i, q, v, dt, out)
}

/** `integrateConfiguration` for the joint of body i alone. @unchecked */
export function integrateJoint(model: Model, i: number, q: Float64Array, v: Float64Array, dt: number, out: Float64Array): void {
  const { jointType, qStart, vStart } = model
  const first = vStart[i]
  const n = vStart[i + 1] - first
  if (qStart[i + 1] === qStart[i]) return // fixed, or follows another
  for (let k = 0; k < n; k++) step[k] = v[first + k] * dt
  joints[jointType[i]].integrate(out, q, qStart[i], step)
}

/**
 * out = q1 (-) q0: the velocity that leads from q0 to q1 in one unit of time, q0 (+) out = q1. Floating joints
 * give [rotation vector of at most pi; displacement] in the body's axes at q0. @unchecked
 *
 * @param q0  nq
 * @param q1  nq
 * @param out out: nv [rad, m]
 * @throws RangeError if q0 or q1 has not nq entries, or out not nv
 */
export function configurationDifference(model: Model, q0: Float64Array, q1: Float64Array, out: Float64Array): void {
  const { nb, nq, nv, jointType, qStart, vStart } = model
  checkLength('q0', q0, nq)
  checkLength('q1', q1, nq)
  checkLength('out', out, nv)
  for (let i = 1; i < nb; i++) {
    const first = vStart[i]
    const n = vStart[i + 1] - first
    if (n === 0) continue
    joints[jointType[i]].difference(step, q0, q1, qStart[i])
    for (let k = 0; k < n; k++) out[first + k] = step[k]
  }
}

import { addForceToWorld, mulInertia, setZero } from '../math/index.ts'
import { checkLength } from '../model/checkLength.ts'
import type { Data } from '../model/data.ts'
import type { Model } from '../model/model.ts'
import type { State } from '../model/state.ts'
import { addSpringEnergy, addSpringPower, lossPower } from '../passive/joints.ts'

/**
 * out[0] = kinetic energy, 1/2 v^T M v [J]: that of the bodies, 1/2 V . I V, and of the rotors, 1/2 armature v^2. @unchecked
 *
 * Reads data.V (`velocities`, or left by rnea), state.v.
 *
 * @throws RangeError if v has not nv entries
 */
export function kineticEnergy(model: Model, { v }: State, data: Data, out: Float64Array): void {
  const { nb, nv, I, armature } = model
  const { V } = data
  checkLength('v', v, nv)
  const IV = data.scratch.a6
  let twice = 0
  for (let i = 1; i < nb; i++) {
    const Vi = V[i]
    mulInertia(IV, I[i], Vi)
    twice += Vi[0] * IV[0] + Vi[1] * IV[1] + Vi[2] * IV[2] + Vi[3] * IV[3] + Vi[4] * IV[4] + Vi[5] * IV[5]
  }
  for (let k = 0; k < nv; k++) twice += armature[k] * v[k] * v[k]
  out[0] = 0.5 * twice
}

/**
 * out[0] = potential energy [J]: in the field of gravity, - sum of m g . c, 0 with every mass at the world's origin; and in the
 * springs of joints. @unchecked
 *
 * Reads state.q, data.R_WB and data.p_WB (`kinematics`).
 *
 * @throws RangeError if q has not nq entries
 */
export function potentialEnergy(model: Model, { q }: State, data: Data, out: Float64Array): void {
  const { gravity } = model
  const sum = data.scratch.a6
  massMoment(model, data, sum)
  out[0] = -(gravity[3] * sum[1] + gravity[4] * sum[2] + gravity[5] * sum[3])
  addSpringEnergy(model, q, out, 0)
}

/**
 * out (3) = centre of mass of all bodies, in world axes from the world's origin [m]; NaN for a model without mass. @unchecked
 *
 * Reads data.R_WB and data.p_WB (`kinematics`).
 *
 * @throws RangeError if out has not 3 entries
 */
export function centerOfMass(model: Model, data: Data, out: Float64Array): void {
  checkLength('out', out, 3)
  const sum = data.scratch.a6
  massMoment(model, data, sum)
  out[0] = sum[1] / sum[0]
  out[1] = sum[2] / sum[0]
  out[2] = sum[3] / sum[0]
}

/**
 * out (6) = momentum of all bodies, [angular about the world's origin; linear] in world axes [kg m^2/s, kg m/s]. Rotors
 * (`model.armature`) are not included. @unchecked
 *
 * Reads data.V (`velocities`), data.R_WB and data.p_WB (`kinematics`).
 *
 * @throws RangeError if out has not 6 entries
 */
export function momentumW(model: Model, data: Data, out: Float64Array): void {
  const { nb, I } = model
  const { V, R_WB, p_WB } = data
  const IV = data.scratch.a6
  checkLength('out', out, 6)
  setZero(out)
  for (let i = 1; i < nb; i++) {
    mulInertia(IV, I[i], V[i])
    addForceToWorld(out, R_WB[i], p_WB[i], IV)
  }
}

/**
 * Power balance [W]: out[0] = power of the efforts, tau . v; out[1] = power of gravity, the sum
 * of m g . velocity, and of the springs of joints, which is the rate at which potential energy falls; out[2] = power of the
 * joints' losses (damping and dry friction, see `passiveForces`), never above 0. Kinetic energy grows by the sum of all three, mechanical energy by
 * out[0] + out[2]. @unchecked
 *
 * Reads state.q and v, data.R_WB (`kinematics`) and data.V (`velocities`).
 *
 * @param tau the efforts without the forces of the joints themselves, nv [N m, N]
 * @param out out: 3
 * @throws RangeError if q has not nq entries, v or tau not nv, or out not 3
 */
export function power(model: Model, state: State, tau: Float64Array, data: Data, out: Float64Array): void {
  const { nb, nv, I, gravity } = model
  const { v } = state
  const { V, R_WB } = data
  checkLength('v', v, nv)
  checkLength('tau', tau, nv)
  checkLength('out', out, 3)
  lossPower(model, v, out, 2)
  out[0] = 0
  for (let k = 0; k < nv; k++) out[0] += tau[k] * v[k]
  const IV = data.scratch.a6
  let px = 0
  let py = 0
  let pz = 0
  for (let i = 1; i < nb; i++) {
    const R = R_WB[i]
    mulInertia(IV, I[i], V[i])
    px += R[0] * IV[3] + R[1] * IV[4] + R[2] * IV[5]
    py += R[3] * IV[3] + R[4] * IV[4] + R[5] * IV[5]
    pz += R[6] * IV[3] + R[7] * IV[4] + R[8] * IV[5]
  }
  out[1] = gravity[3] * px + gravity[4] * py + gravity[5] * pz
  addSpringPower(model, state, out, 1)
}

/** out = [sum of m, sum of m c (3, world axes)] */
function massMoment(model: Model, data: Data, out: Float64Array): void {
  const { nb, I } = model
  setZero(out)
  for (let i = 1; i < nb; i++) {
    const Ii = I[i]
    const R = data.R_WB[i]
    const p = data.p_WB[i]
    const m = Ii[0]
    out[0] += m
    out[1] += m * p[0] + R[0] * Ii[1] + R[1] * Ii[2] + R[2] * Ii[3]
    out[2] += m * p[1] + R[3] * Ii[1] + R[4] * Ii[2] + R[5] * Ii[3]
    out[3] += m * p[2] + R[6] * Ii[1] + R[7] * Ii[2] + R[8] * Ii[3]
  }
}

import { checkLength } from './checkLength.ts'
import type { Model } from './model.ts'

/*
 * What joints lose: viscous damping d v, and dry (Coulomb) friction f v / max(|v|, stick speed), regularised. Dry friction
 * proper is any force up to f at rest; here it grows in proportion to the speed up to the stick speed and stays f beyond,
 * so that it is a function of velocity. The price is creep: a joint under a load F below its friction does not stand
 * still, it moves at F / f times the stick speed. The inertia of rotors (`model.armature`) loses nothing and is part of M.
 */

/** Below this speed dry joint friction is viscous [rad/s, m/s]; a joint under load less than its friction creeps slower. */
export const JOINT_STICK_SPEED = 1e-3

/**
 * The generalised force of joint damping and dry friction at velocity v, which is against v. rnea and aba leave it out;
 * for forward dynamics with losses add it to tau. Integrated explicitly it limits the step to about
 * 2 inertia * stick speed / f; `implicitDampingEuler` knows no such limit.
 *
 * @param v   nv [rad/s, m/s]
 * @param out out: nv [N m, N]
 * @throws RangeError if v or out has not nv entries
 */
export function passiveForces(model: Model, v: Float64Array, out: Float64Array): void {
  checkLength('out', out, model.nv)
  out.fill(0)
  addPassiveForces(model, v, JOINT_STICK_SPEED, out)
}

/** tau += the same with a stick speed of the caller's [rad/s, m/s]: a larger one creeps faster and is less stiff. */
export function addPassiveForces(model: Model, v: Float64Array, stickSpeed: number, tau: Float64Array): void {
  const { nv, damping, friction } = model
  checkLength('v', v, nv)
  checkLength('tau', tau, nv)
  for (let k = 0; k < nv; k++) tau[k] -= damping[k] * v[k]
  for (let k = 0; k < nv; k++) tau[k] -= (friction[k] * v[k]) / Math.max(Math.abs(v[k]), stickSpeed)
}

/** Whether any joint of the model has a spring. */
export function hasSprings({ stiffness }: Model): boolean {
  return stiffness.some((k) => k !== 0)
}

/**
 * tau -= stiffness (q - springReference): the springs of joints, which lose nothing and which `passiveForces` leaves out.
 *
 * @param q   nq [rad, m]
 * @param tau in and out: nv [N m, N]
 */
export function addSpringForces(
  { nq, nv, qStart, vStart, bodyOfV, stiffness, springReference }: Model,
  q: Float64Array,
  tau: Float64Array,
): void {
  checkLength('q', q, nq)
  checkLength('tau', tau, nv)
  for (let k = 0; k < nv; k++) {
    if (stiffness[k] === 0) continue
    const body = bodyOfV[k]
    tau[k] -= stiffness[k] * (q[qStart[body] + k - vStart[body]] - springReference[k])
  }
}

/** out[outOffset] = power of the joints' losses, `passiveForces` times v, never above 0 [W]. */
export function lossPower({ nv, damping, friction }: Model, v: Float64Array, out: Float64Array, outOffset: number): void {
  checkLength('v', v, nv)
  let sum = 0
  for (let k = 0; k < nv; k++) {
    sum -= damping[k] * v[k] * v[k] + (friction[k] * v[k] * v[k]) / Math.max(Math.abs(v[k]), JOINT_STICK_SPEED)
  }
  out[outOffset] = sum
}

/**
 * Clamps what a controller asks for into what the motors can give, `model.effortLimit`, in both directions.
 *
 * @param tau in and out: nv [N m, N]
 * @throws RangeError if tau has not nv entries
 */
export function clampEfforts({ nv, effortLimit }: Model, tau: Float64Array): void {
  checkLength('tau', tau, nv)
  for (let k = 0; k < nv; k++) {
    if (tau[k] > effortLimit[k]) tau[k] = effortLimit[k]
    else if (tau[k] < -effortLimit[k]) tau[k] = -effortLimit[k]
  }
}

/**
 * Joint losses evaluated at the velocity at the end of a step, so that neither damping nor friction limits the step size:
 * damping d adds dt d to the diagonal of M; friction f adds dt f / stick speed while its joint sticks, and is a constant
 * force against the motion while it slides. What sticks and what slides is guessed, and mended until the velocity that
 * comes of it agrees.
 */
export class JointFriction {
  private readonly model: Model
  private readonly frictional: Int32Array
  /** Per velocity: 0 sticks, +1 and -1 slide that way. */
  private readonly mode: Int8Array

  /** @param dry whether dry friction is among the losses, or seen to elsewhere */
  constructor(model: Model, dry = true) {
    this.model = model
    this.frictional = Int32Array.from(Array.from(model.friction.keys()).filter((k) => dry && model.friction[k] > 0))
    this.mode = new Int8Array(model.nv)
  }

  /** First guess of what sticks and what slides: what did at the start of the step. */
  begin(v: Float64Array): void {
    const { frictional, mode } = this
    for (let i = 0; i < frictional.length; i++) {
      const k = frictional[i]
      mode[k] = Math.abs(v[k]) <= JOINT_STICK_SPEED ? 0 : v[k] > 0 ? 1 : -1
    }
  }

  /** Adds the implicit part to the diagonal of H = M + dt D (nv x nv), and the force at velocity v to f (nv). */
  add(H: Float64Array, f: Float64Array, v: Float64Array, dt: number): void {
    const { frictional, mode, model } = this
    const { nv, damping, friction } = model
    for (let k = 0; k < nv; k++) {
      H[k * nv + k] += dt * damping[k]
      f[k] -= damping[k] * v[k]
    }
    for (let i = 0; i < frictional.length; i++) {
      const k = frictional[i]
      if (mode[k] === 0) {
        const viscous = friction[k] / JOINT_STICK_SPEED
        H[k * nv + k] += dt * viscous
        f[k] -= viscous * v[k]
      } else f[k] -= friction[k] * mode[k]
    }
  }

  /** Compares the guess with the velocity that came of it; true if it was wrong somewhere and has been changed. */
  settle(v: Float64Array): boolean {
    const { frictional, mode } = this
    let changed = false
    for (let i = 0; i < frictional.length; i++) {
      const k = frictional[i]
      if (mode[k] === 0) {
        // a sticking joint that moves faster than the stick speed would be held by more than its friction
        if (Math.abs(v[k]) <= JOINT_STICK_SPEED * (1 + 1e-9)) continue
        mode[k] = v[k] > 0 ? 1 : -1
      } else {
        // friction stops a joint, it does not turn it round
        if (v[k] * mode[k] >= 0) continue
        mode[k] = 0
      }
      changed = true
    }
    return changed
  }

  /** Whether the modes are what `begin` would make of v: the law at v is linear in the way that was assumed. */
  agrees(v: Float64Array): boolean {
    const { frictional, mode } = this
    for (let i = 0; i < frictional.length; i++) {
      const k = frictional[i]
      if (mode[k] === 0) {
        if (Math.abs(v[k]) > JOINT_STICK_SPEED * (1 + 1e-9)) return false
      } else if (v[k] * mode[k] < JOINT_STICK_SPEED * (1 - 1e-9)) return false
    }
    return true
  }
}

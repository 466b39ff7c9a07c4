import { checkLength } from '../model/checkLength.ts'
import type { Data } from '../model/data.ts'
import type { Model } from '../model/model.ts'
import type { State } from '../model/state.ts'

/*
 * Forces of the joints themselves: springs k (q - rest), viscous damping d v, and dry (Coulomb) friction f v / max(|v|, stick speed),
 * regularised. Exact dry friction is any force up to f at rest; here it is proportional to the speed up to the stick speed and f beyond, a
 * function of velocity. Its cost is creep: a joint under a load F below its friction does not stop, it moves at F / f times the stick
 * speed. Implicit steps (`PassiveJoints`) need no more of it than rounding asks for, HOLD_SPEED, and hold. The inertia of rotors
 * (`model.armature`) is part of M.
 */

/** Speed below which dry joint friction is viscous where it is evaluated explicitly [rad/s, m/s]; a load below it creeps slower. */
export const JOINT_STICK_SPEED = 1e-3

/** The same in implicit steps: a joint with a load below its friction stands still, to 1e-10 rad in 10 s [rad/s, m/s]. */
export const HOLD_SPEED = 1e-11

/**
 * The generalised force of the joints' springs, damping and dry friction. rnea and aba do not include it; for forward dynamics add it to
 * tau. Integrated explicitly, friction limits the step to about 2 inertia * stick speed / f, and springs to 2 sqrt(inertia / k);
 * `implicitPassiveEuler` has no such limits. @unchecked
 *
 * @param out out: nv [N m, N]
 * @throws RangeError if q has not nq entries, or v or out not nv
 */
export function passiveForces(model: Model, state: State, out: Float64Array): void {
  checkLength('out', out, model.nv)
  out.fill(0)
  addPassiveForces(model, state, JOINT_STICK_SPEED, out)
}

/** tau += these forces with another stick speed [rad/s, m/s]: a larger one creeps faster and is less stiff. @unchecked */
export function addPassiveForces(model: Model, { q, v }: State, stickSpeed: number, tau: Float64Array): void {
  const { nq, nv, damping, friction, stiffness, springReference } = model
  checkLength('q', q, nq)
  checkLength('v', v, nv)
  checkLength('tau', tau, nv)
  for (let k = 0; k < nv; k++) tau[k] -= damping[k] * v[k]
  const { dampingPolynomial: d } = model
  if (d !== undefined) for (let k = 0; k < nv; k++) tau[k] -= v[k] * Math.abs(v[k]) * (d[2 * k] + d[2 * k + 1] * Math.abs(v[k]))
  for (let k = 0; k < nv; k++) tau[k] -= (friction[k] * v[k]) / Math.max(Math.abs(v[k]), stickSpeed)
  for (let k = 0; k < nv; k++) if (stiffness[k] !== 0) tau[k] -= stiffness[k] * (q[qOfV(model, k)] - springReference[k])
}

/** Index in q of the coordinate of a velocity, for joints of one coordinate, the only ones with springs. */
const qOfV = ({ qStart, vStart, bodyOfV }: Model, k: number) => qStart[bodyOfV[k]] + k - vStart[bodyOfV[k]]

/**
 * tau += sign times the forces that compensate the weight of bodies (`Model.compensation`). A world adds them to the motors' efforts at the start of a
 * step; nothing for a model without. @unchecked
 *
 * Reads data.R_WB, data.p_WB and data.SW (`kinematics`).
 */
export function addGravityCompensation(
  { nb, compensation, gravity, sLast, sParent, vOfS }: Model,
  data: Data,
  tau: Float64Array,
  sign: 1 | -1,
): void {
  if (compensation === undefined) return
  const { moments } = compensation
  for (let i = 1; i < nb; i++) {
    const m = moments[4 * i]
    if (m === 0) continue
    const R = data.R_WB[i]
    const p = data.p_WB[i]
    const a = moments[4 * i + 1]
    const b = moments[4 * i + 2]
    const c = moments[4 * i + 3]
    const x = m * p[0] + R[0] * a + R[1] * b + R[2] * c
    const y = m * p[1] + R[3] * a + R[4] * b + R[5] * c
    const z = m * p[2] + R[6] * a + R[7] * b + R[8] * c
    const gx = -sign * gravity[3]
    const gy = -sign * gravity[4]
    const gz = -sign * gravity[5]
    for (let s = sLast[i]; s >= 0; s = sParent[s]) {
      const S = data.SW[s]
      const moment = (y * gz - z * gy) * S[0] + (z * gx - x * gz) * S[1] + (x * gy - y * gx) * S[2]
      tau[vOfS[s]] += moment + m * (gx * S[3] + gy * S[4] + gz * S[5])
    }
  }
}

/** Clamps the sum of motor and compensation where motors hold the weight. @unchecked @param tau in and out: nv */
export function clampCompensation({ nv, compensation }: Model, tau: Float64Array): void {
  if (compensation === undefined) return
  const { ranges } = compensation
  for (let k = 0; k < nv; k++) {
    if (tau[k] < ranges[2 * k]) tau[k] = ranges[2 * k]
    else if (tau[k] > ranges[2 * k + 1]) tau[k] = ranges[2 * k + 1]
  }
}

/** out[outOffset] += energy in the springs of joints, the sum of k (q - rest)² / 2 [J]. @unchecked */
export function addSpringEnergy(model: Model, q: Float64Array, out: Float64Array, outOffset: number): void {
  const { nq, nv, stiffness, springReference } = model
  checkLength('q', q, nq)
  for (let k = 0; k < nv; k++) {
    if (stiffness[k] === 0) continue
    const stretch = q[qOfV(model, k)] - springReference[k]
    out[outOffset] += 0.5 * stiffness[k] * stretch * stretch
  }
}

/** out[outOffset] += power of the springs of joints, the rate at which their energy falls [W]. @unchecked */
export function addSpringPower(model: Model, { q, v }: State, out: Float64Array, outOffset: number): void {
  const { nq, nv, stiffness, springReference } = model
  checkLength('q', q, nq)
  checkLength('v', v, nv)
  for (let k = 0; k < nv; k++) {
    if (stiffness[k] !== 0) out[outOffset] -= stiffness[k] * (q[qOfV(model, k)] - springReference[k]) * v[k]
  }
}

/** out[outOffset] = power of the joints' damping and friction, never above 0 [W]. @unchecked */
export function lossPower(
  { nv, damping, friction, dampingPolynomial: d }: Model,
  v: Float64Array,
  out: Float64Array,
  outOffset: number,
): void {
  checkLength('v', v, nv)
  let sum = 0
  for (let k = 0; k < nv; k++) {
    const speed = Math.abs(v[k])
    if (d !== undefined) sum -= speed * speed * speed * (d[2 * k] + d[2 * k + 1] * speed)
    sum -= damping[k] * v[k] * v[k] + (friction[k] * v[k] * v[k]) / Math.max(Math.abs(v[k]), JOINT_STICK_SPEED)
  }
  out[outOffset] = sum
}

/**
 * Clamps commanded efforts to the motors' limits, `model.effortLimit`, in both directions. @unchecked
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

/** Servos whose law, tau = kp (q* - q) - kd v within a limit, is taken at the end of a step. nv each; both gains are 0 where there is none. */
export interface Servos {
  /** kp [N m/rad, N/m], kd [N m s/rad, N s/m] and limit [N m, N]. */
  readonly stiffness: Float64Array
  readonly damping: Float64Array
  readonly limit: Float64Array
  /** In: the law at the start of the step, without the limit; out (`PassiveJoints.writeEfforts`): the effort over it [N m, N]. */
  readonly effort: Float64Array
}

/** @unchecked */
export function createServos(nv: number): Servos {
  const [stiffness, damping, limit, effort] = Array.from({ length: 4 }, () => new Float64Array(nv))
  return { stiffness, damping, limit, effort }
}

/**
 * Forces of the joints themselves at the end of a step, so that neither springs nor damping nor friction limit the step size. A spring k
 * and damping d add dt (d + dt k) to the diagonal of M, since the step ends at q + dt v; a mean of start and end with weight theta of the
 * end adds theta dt (d + theta dt k), since the step then ends at q + dt ((1 - theta) v + theta v⁺). Friction f adds theta dt f / stick
 * speed while its joint sticks, and is a constant force against the motion while it slides. The sets of sticking and sliding joints are
 * guessed, and corrected until consistent with the resulting velocity (active-set Newton). Servos (`Servos`) act like springs and dampers on
 * top of their effort at the start, or with the limit of their effort, in the same manner. @unchecked
 */
export class PassiveJoints {
  /** nv: d + theta dt k [N m s/rad, N s/m], and k (q - rest) at the start of the step [N m, N]. */
  readonly viscosity: Float64Array
  readonly spring: Float64Array
  private readonly model: Model
  private readonly frictional: Int32Array
  private readonly sprung: Int32Array
  private readonly qOfSprung: Int32Array
  /** Per velocity: 0 for sticking, +1 and -1 for the direction of sliding; and of a servo 0 within its limit, +1 and -1 at it. */
  private readonly mode: Int8Array
  private readonly full: Int8Array
  private servos: Servos | undefined
  /** Velocity at the start of the step. */
  private start: Float64Array = new Float64Array(0)
  /** 2: theta times the step [s]; output of `findEffort`. */
  private readonly work = new Float64Array(2)
  /** 1: speed up to which friction is viscous [rad/s, m/s]. */
  private readonly stickSpeed: Float64Array
  /** 2: the weight of the end of the step, and that for springs. */
  private readonly theta: Float64Array

  /**
   * @param dry   whether dry friction is included
   * @param theta 1: forces at the end of the step; 1/2: the mean of its start and end
   * @param explicitSprings whether those of springs are at its start
   * @param stickSpeed up to which dry friction is viscous [rad/s, m/s]
   */
  constructor(model: Model, dry = true, theta = 1, explicitSprings = false, stickSpeed = HOLD_SPEED) {
    const velocities = Array.from(model.friction.keys())
    this.model = model
    this.stickSpeed = Float64Array.of(stickSpeed)
    this.theta = Float64Array.of(theta, explicitSprings ? 0 : theta)
    this.viscosity = new Float64Array(model.nv)
    this.spring = new Float64Array(model.nv)
    this.frictional = Int32Array.from(velocities.filter((k) => dry && model.friction[k] > 0))
    this.sprung = Int32Array.from(velocities.filter((k) => model.stiffness[k] !== 0))
    this.qOfSprung = this.sprung.map((k) => qOfV(model, k))
    this.mode = new Int8Array(model.nv)
    this.full = new Int8Array(model.nv)
  }

  /** Sets springs and damping for a step from this state; guesses that joints stick or slide as at its start. */
  begin({ q, v }: State, dt: number, servos?: Servos): void {
    const { model, viscosity, spring, sprung, qOfSprung, theta } = this
    this.servos = servos
    this.start = v
    this.work[0] = theta[0] * dt
    this.full.fill(0)
    viscosity.set(model.damping)
    for (let i = 0; i < sprung.length; i++) {
      const k = sprung[i]
      viscosity[k] += theta[1] * dt * model.stiffness[k]
      spring[k] = model.stiffness[k] * (q[qOfSprung[i]] - model.springReference[k])
    }
    if (model.dampingPolynomial !== undefined) this.linearise(model.dampingPolynomial, v)
    this.guess(v)
  }

  /** Damping by powers of the speed, u (d + d2 |u| + d3 u²), along its tangent at the start of the step. */
  private linearise(d: Float64Array, v: Float64Array): void {
    const { viscosity, spring, sprung } = this
    for (let k = 0; k < v.length; k++) {
      const speed = Math.abs(v[k])
      const slope = speed * (2 * d[2 * k] + 3 * d[2 * k + 1] * speed)
      viscosity[k] += slope
      const tangent = v[k] * (speed * (d[2 * k] + d[2 * k + 1] * speed) - slope)
      if (sprung.includes(k)) spring[k] += tangent
      else spring[k] = tangent
    }
  }

  /** Sets the modes, sticking or sliding, of velocity v. */
  guess(v: Float64Array): void {
    const { frictional, mode } = this
    for (let i = 0; i < frictional.length; i++) {
      const k = frictional[i]
      mode[k] = Math.abs(v[k]) <= this.stickSpeed[0] ? 0 : v[k] > 0 ? 1 : -1
    }
  }

  /** Adds the implicit part to the diagonal of H = M + theta dt D + theta² dt² K (nv x nv), and the force at velocity v to f (nv). */
  add(H: Float64Array, f: Float64Array, v: Float64Array, dt: number): void {
    const { frictional, mode, viscosity, spring, model, theta } = this
    const { nv, friction } = model
    const part = theta[0] * dt
    for (let k = 0; k < nv; k++) {
      H[k * nv + k] += part * viscosity[k]
      f[k] -= viscosity[k] * v[k] + spring[k]
    }
    for (let i = 0; i < frictional.length; i++) {
      const k = frictional[i]
      if (mode[k] === 0) {
        const viscous = friction[k] / this.stickSpeed[0]
        H[k * nv + k] += part * viscous
        f[k] -= viscous * v[k]
      } else f[k] -= friction[k] * mode[k]
    }
    if (this.servos !== undefined) this.addServos(this.servos, H, f, v)
  }

  private addServos({ stiffness, damping, limit, effort }: Servos, H: Float64Array, f: Float64Array, v: Float64Array): void {
    const { full, work } = this
    const nv = full.length
    for (let k = 0; k < nv; k++) {
      if (stiffness[k] === 0 && damping[k] === 0) continue
      if (full[k] !== 0) f[k] += full[k] * limit[k] - effort[k]
      else {
        H[k * nv + k] += work[0] * (damping[k] + work[0] * stiffness[k])
        f[k] -= work[0] * stiffness[k] * v[k]
      }
    }
  }

  /** work[1] = effort by the law of servo k at the end-of-step velocity v, without its limit. */
  private findEffort({ stiffness, damping, effort }: Servos, k: number, v: Float64Array): void {
    const { work, start, theta } = this
    const way = work[0] * stiffness[k]
    work[1] = effort[k] - way * start[k] - theta[0] * (damping[k] + way) * (v[k] - start[k])
  }

  private settleServos(servos: Servos, v: Float64Array): boolean {
    const { full, work } = this
    const { stiffness, damping, limit } = servos
    let changed = false
    for (let k = 0; k < full.length; k++) {
      if (stiffness[k] === 0 && damping[k] === 0) continue
      this.findEffort(servos, k, v)
      const before = full[k]
      if (before * work[1] < limit[k]) full[k] = work[1] > limit[k] * (1 + 1e-9) ? 1 : work[1] < -limit[k] * (1 + 1e-9) ? -1 : 0
      if (full[k] !== before) changed = true
    }
    return changed
  }

  /** Writes the servos' efforts over the step that ends at velocity v. */
  writeEfforts(v: Float64Array): void {
    const { servos, work } = this
    if (servos === undefined) return
    const { stiffness, damping, limit, effort } = servos
    for (let k = 0; k < v.length; k++) {
      if (stiffness[k] === 0 && damping[k] === 0) continue
      this.findEffort(servos, k, v)
      effort[k] = work[1] > limit[k] ? limit[k] : work[1] < -limit[k] ? -limit[k] : work[1]
    }
  }

  /** Compares the guess with the resulting velocity. @returns true if it was wrong for some joint and has been changed */
  settle(v: Float64Array): boolean {
    const { frictional, mode } = this
    let changed = this.servos !== undefined && this.settleServos(this.servos, v)
    for (let i = 0; i < frictional.length; i++) {
      const k = frictional[i]
      if (mode[k] === 0) {
        // a sticking joint above the stick speed would be held by more than its friction
        if (Math.abs(v[k]) <= this.stickSpeed[0] * (1 + 1e-9)) continue
        mode[k] = v[k] > 0 ? 1 : -1
      } else {
        // friction stops a joint, but does not reverse it
        if (v[k] * mode[k] >= 0) continue
        mode[k] = 0
      }
      changed = true
    }
    return changed
  }

  /** Whether `guess` would set the same modes for v, so that the assumed linear law holds at v. */
  agrees(v: Float64Array): boolean {
    const { frictional, mode } = this
    for (let i = 0; i < frictional.length; i++) {
      const k = frictional[i]
      if (mode[k] === 0) {
        if (Math.abs(v[k]) > this.stickSpeed[0] * (1 + 1e-9)) return false
      } else if (v[k] * mode[k] < this.stickSpeed[0] * (1 - 1e-9)) return false
    }
    return true
  }
}

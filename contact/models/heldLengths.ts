import type { Data } from '../../dynamics/index.ts'
import { CLOSING_SPEED, LengthRows } from '../constraints/index.ts'
import type { ContactModelContext, ContactStep } from '../contactModel.ts'
import { RIGID_LENGTH, type StopLaw, stopLaw } from './joints.ts'

/** Share of a coupling's error that one step removes. */
const CLOSED_BY_STEP = 0.2

/** Speed at which an error is removed [m/s, rad/s]. */
const closingSpeed = (error: number, dt: number): number =>
  Math.max(-CLOSING_SPEED, Math.min(CLOSING_SPEED, (-CLOSED_BY_STEP * error) / dt))

/**
 * Limits, dry friction and couplings of lengths for force-level models: as `JointLimits` and `DryJoints` have those of joints, each force is one
 * more unknown of the step's linear system, a spring and damper s (w - J v) along its length with a gain s so large that J v = w:
 *
 *   semi-implicit step   v is that of the end of the step: w stops a length at its limit, or one that slides, and takes back a fifth of the
 *                        error of a coupling, at 1 m/s at most
 *   RK4                  v is the acceleration, and w = -c u - k distance by the rate u, resolved by the stages; J' u is left out, so that
 *                        couplings of lengths that are no linear functions of q are kept to first order
 *
 * A limit pushes and never pulls, and friction has a largest force: both are assumed, and revised until consistent with the solution.
 */
export class HeldLengths {
  readonly rows: LengthRows
  private readonly nv: number
  private readonly law: StopLaw
  /** Per constraint: +1 at its lower limit, -1 at its upper one, 0 at none; of friction the direction of its force where it slides. */
  private readonly mode: Int8Array
  /** Per constraint: J v of the solution, its w, s, and rate at the start. */
  private readonly w: Float64Array
  private readonly target: Float64Array
  private readonly gain: Float64Array
  private readonly rate: Float64Array
  /** Rows of nv numbers each. */
  private readonly J: Float64Array

  constructor(context: ContactModelContext) {
    const { model } = context
    this.rows = new LengthRows(model)
    this.nv = model.nv
    this.law = stopLaw(context)
    const { count } = this.rows
    this.mode = new Int8Array(count)
    this.w = new Float64Array(count)
    this.target = new Float64Array(count)
    this.gain = new Float64Array(count)
    this.rate = new Float64Array(count)
    this.J = new Float64Array(count * model.nv)
  }

  get any(): boolean {
    return this.rows.count > 0
  }

  private build(q: Float64Array, v: Float64Array, data: Data): void {
    const { rows, J, nv, rate } = this
    rows.build(q, data)
    rows.rates(v, rate)
    for (let i = 0; i < rows.count; i++) rows.writeRow(i, J, i * nv)
  }

  /** Assumes the limits that are reached within the step, and that friction holds. Reads what `LengthRows.build` does. */
  begin(q: Float64Array, v: Float64Array, data: Data, dt: number): void {
    const { rows, mode, rate, target } = this
    if (rows.count === 0) return
    this.build(q, v, data)
    for (let i = 0; i < rows.count; i++) {
      const { kind } = rows.constraints[i]
      const next = rows.value[i] + dt * rate[i]
      mode[i] = 0
      target[i] = kind === 'coupling' ? closingSpeed(rows.value[i], dt) : 0
      if (kind !== 'limit') continue
      if (next <= rows.bounds[3 * i]) this.stop(i, 1, dt)
      else if (next >= rows.bounds[3 * i + 1]) this.stop(i, -1, dt)
    }
  }

  /** Makes a limit active, with its rate at the end of the step. */
  private stop(i: number, side: number, dt: number): void {
    const { rows, mode, rate, target, law } = this
    const distance = side * (rows.value[i] - rows.bounds[side < 0 ? 3 * i + 1 : 3 * i])
    const speed = side * rate[i]
    let opening = distance < 0 ? closingSpeed(distance, dt) : -distance / dt
    if (law.restitution > 0 && speed < 0 && -law.restitution * speed > opening) opening = -law.restitution * speed
    mode[i] = side
    target[i] = side * opening
  }

  /** The same for a stage of RK4: limits that are passed. `add` and `settle` then take accelerations, and 1 for dt. */
  reach(q: Float64Array, v: Float64Array, data: Data, dt: number): void {
    const { rows, mode, rate, target, law } = this
    this.build(q, v, data)
    for (let i = 0; i < rows.count; i++) {
      const { kind } = rows.constraints[i]
      const value = rows.value[i]
      const lower = rows.bounds[3 * i]
      const upper = rows.bounds[3 * i + 1]
      mode[i] = kind !== 'limit' ? 0 : value <= lower ? 1 : value >= upper ? -1 : 0
      const most = (CLOSING_SPEED * law.damping) / law.stiffness
      const distance =
        kind === 'coupling'
          ? Math.max(-most, Math.min(most, value))
          : mode[i] > 0
            ? value - lower
            : mode[i] < 0
              ? value - upper
              : 0
      target[i] = kind === 'friction' ? -rate[i] / dt : -law.damping * rate[i] - law.stiffness * distance
    }
  }

  private isHeld(i: number): boolean {
    const { kind } = this.rows.constraints[i]
    return kind === 'coupling' || (kind === 'limit') === (this.mode[i] !== 0)
  }

  /**
   * Adds the implicit part to H, to be factored with the lists' pattern, and the forces at v to f.
   *
   * @param M nv x nv: its diagonal gives the gains
   */
  add(M: Float64Array, H: Float64Array, f: Float64Array, v: Float64Array, dt: number, velocities: Int32Array): void {
    const { rows, J, nv, w, target, gain, mode } = this
    const { first, size, bounds, count } = rows
    rows.rates(v, w)
    for (let i = 0; i < count; i++) {
      const row = i * nv
      const end = first[i] + size[i]
      let mobility = 0
      for (let a = first[i]; a < end; a++) {
        const k = velocities[a]
        mobility += (J[row + k] * J[row + k]) / M[k * nv + k]
      }
      const own = mobility > 0 ? RIGID_LENGTH / mobility : 0
      gain[i] = own / dt
      const held = this.isHeld(i)
      const force = held ? gain[i] * (target[i] - w[i]) : mode[i] * bounds[3 * i + 2]
      if (force === 0 && !held) continue
      for (let a = first[i]; a < end; a++) {
        const k = velocities[a]
        const Jk = J[row + k]
        f[k] += force * Jk
        for (let b = a; b < end && held; b++) H[k * nv + velocities[b]] += own * Jk * J[row + velocities[b]]
      }
    }
  }

  /**
   * Adds the forces of the solution v to `ContactStep.loopForces`.
   *
   * @param weight 1: time for which they act [s]; default: the step
   */
  addForces({ loopForces, dt }: ContactStep, v: Float64Array, weight?: Float64Array): void {
    if (loopForces === undefined) return
    const { rows, w, target, gain, mode } = this
    rows.rates(v, w)
    const first = loopForces.length - rows.count
    for (let i = 0; i < rows.count; i++) {
      const force = this.isHeld(i) ? gain[i] * (target[i] - w[i]) : mode[i] * rows.bounds[3 * i + 2]
      loopForces[first + i] += weight === undefined ? force : (weight[0] / dt) * force
    }
  }

  /**
   * Revises what was assumed by the solution v: releases limits that would pull, adds those that would be passed, lets slide what more than its
   * friction would hold, and holds what friction would turn round.
   *
   * @param adds  whether limits are added, which needs velocities
   * @param holds whether friction may hold again
   * @returns whether anything changed
   */
  settle(v: Float64Array, dt: number, adds: boolean, holds: boolean): boolean {
    const { rows, w, mode, target, gain } = this
    const { constraints, bounds, value, count } = rows
    rows.rates(v, w)
    let changed = false
    for (let i = 0; i < count; i++) {
      const { kind } = constraints[i]
      if (kind === 'coupling') continue
      const short = target[i] - w[i]
      const before = mode[i]
      if (kind === 'friction') {
        if (before === 0 && gain[i] * Math.abs(short) > bounds[3 * i + 2] * (1 + 1e-6)) mode[i] = short > 0 ? 1 : -1
        else if (holds && before * short < 0) mode[i] = 0
      } else if (before !== 0) {
        if (before * short < 0) mode[i] = 0
      } else if (adds) {
        const next = value[i] + dt * w[i]
        if (next < bounds[3 * i] - 1e-12 && value[i] >= bounds[3 * i]) this.stop(i, 1, dt)
        else if (next > bounds[3 * i + 1] + 1e-12 && value[i] <= bounds[3 * i + 1]) this.stop(i, -1, dt)
      }
      if (mode[i] !== before) changed = true
    }
    return changed
  }
}

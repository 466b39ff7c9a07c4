import { crba, type Model } from '../../dynamics/index.ts'
import { type ContactRows, LimitedJoints } from '../constraints/index.ts'
import type { ContactModelContext, ContactStep } from '../contactModel.ts'
import type { HeldLengths } from './heldLengths.ts'
import { dampingRatioOfRestitution, staticFrequency } from './physicalGains.ts'

/** Gain of a limit over the joint's own entry of M: what it yields to any load is this part of what a free joint would. */
const RIGID = 1e9
/** The same along a length, whose gains couple velocities: smaller, so that what it leaves free keeps nine digits. */
export const RIGID_LENGTH = 1e7
/** Distance by which a limit may be missed by rounding, and below which a joint at rest is at its limit [rad, m]. */
const ROUNDING = 1e-12
const AT_LIMIT = 1e-9
/** Rate of return from beyond a limit over the frequency of a contact: a joint without a load leaves the limit at that speed. */
const RETURN = 0.1
/** Under RK4: steps in which a limit takes back how far it was passed; it stops a joint over one. */
const RETURN_STEPS = 50
/** Under RK4: most passes of a stage for limits and dry friction. */
const MOST_PASSES = 20
/** Under RK4, with restitution: frequency of the limit's spring times the step, which the stages resolve. */
const RESOLVED = 0.5

/** Restitution of limits; and under RK4 c [1/s] and k [1/s²] of what holds them. */
export interface StopLaw {
  readonly restitution: number
  readonly damping: number
  readonly stiffness: number
}

export function stopLaw({ physical: { limitRestitution: e = 0 }, dt }: ContactModelContext): StopLaw {
  const spring = RESOLVED / dt
  if (e > 0) return { restitution: e, damping: 2 * dampingRatioOfRestitution(e) * spring, stiffness: spring * spring }
  const stop = 1 / dt
  return { restitution: 0, damping: stop, stiffness: stop * (1 / (RETURN_STEPS * dt)) }
}

/**
 * Limits of joints for force-level models, as unilateral constraints: whatever rests or strikes on them, they are not passed. Their force
 * is one more unknown of the step's linear system, a spring and damper s (w - v_k) with a gain s so large that v_k = w:
 *
 *   semi-implicit step   v_k⁺ = -distance / h: the joint arrives at its limit and stops, at rest relative to it. One that passed it already
 *                        returns at a tenth of its tree's frequency on a contact (`staticFrequency`) times how far, and with a restitution e one that
 *                        arrives at speed u leaves it at e u
 *   RK4                  a_k = -c v_k - k distance while it is passed, c and k resolved by the stages; without restitution nothing rebounds,
 *                        else c and k are those of a spring and damper with that restitution
 *
 * A limit pushes and never pulls: the active limits are assumed, and revised until consistent with the solution.
 */
export class JointLimits {
  private readonly nv: number
  private readonly lower: Float64Array
  private readonly upper: Float64Array
  private readonly joints: LimitedJoints
  /** Per limited joint: rate at which it returns after it was passed [1/s]. */
  private readonly rate: Float64Array
  /** 3: restitution; and under RK4 c [1/s] and k [1/s²]. */
  private readonly law: Float64Array
  /** Per limited joint: +1 at its lower limit, -1 at its upper, 0 at none, 2 if it has no way to move; and its coordinate. */
  private readonly side: Int8Array
  private readonly x: Float64Array
  /** Per limited joint: its velocity at the end of the step, or acceleration, with the limit; and s. */
  private readonly target: Float64Array
  private readonly gain: Float64Array

  constructor(context: ContactModelContext) {
    const { model, trees } = context
    this.nv = model.nv
    this.lower = model.lower
    this.upper = model.upper
    this.joints = new LimitedJoints(model)
    const count = this.joints.v.length
    this.rate = Float64Array.from(
      this.joints.v,
      (k) => RETURN * staticFrequency(context, trees.mass[trees.treeOf[model.bodyOfV[k]]]),
    )
    const { restitution, damping, stiffness } = stopLaw(context)
    this.law = Float64Array.of(restitution, damping, stiffness)
    this.side = new Int8Array(count)
    this.x = new Float64Array(count)
    this.target = new Float64Array(count)
    this.gain = new Float64Array(count)
  }

  /** Assumes the limits that are reached within the step. */
  begin(q: Float64Array, v: Float64Array, dt: number): void {
    const { joints, side, x, lower, upper } = this
    for (let i = 0; i < side.length; i++) {
      const k = joints.v[i]
      x[i] = q[joints.q[i]]
      side[i] = 0
      if (upper[k] - lower[k] <= AT_LIMIT) this.set(i, 2, v, dt)
      else if (x[i] + dt * v[k] <= lower[k] + AT_LIMIT) this.set(i, 1, v, dt)
      else if (x[i] + dt * v[k] >= upper[k] - AT_LIMIT) this.set(i, -1, v, dt)
    }
  }

  /** Assumes the limits that are passed, for a stage of RK4; `add` and `settle` then take accelerations, and 1 for dt. @returns whether any */
  reach(q: Float64Array, v: Float64Array): boolean {
    const { joints, side, x, lower, upper, law, target } = this
    let any = false
    for (let i = 0; i < side.length; i++) {
      const k = joints.v[i]
      x[i] = q[joints.q[i]]
      const isLocked = upper[k] - lower[k] <= AT_LIMIT
      side[i] = isLocked ? 2 : x[i] <= lower[k] ? 1 : x[i] >= upper[k] ? -1 : 0
      if (side[i] === 0) continue
      any = true
      target[i] = -law[1] * v[k] - law[2] * (x[i] - (side[i] < 0 ? upper[k] : lower[k]))
    }
    return any
  }

  /** Makes a limit active, with its velocity at the end of the step. */
  private set(i: number, side: number, v: Float64Array, dt: number): void {
    const { joints, x, lower, upper, rate, law, target } = this
    const k = joints.v[i]
    this.side[i] = side
    const sign = side < 0 ? -1 : 1
    const distance = sign * (x[i] - (side < 0 ? upper[k] : lower[k]))
    const back = rate[i] * dt < 1 ? rate[i] : 1 / dt
    const speed = sign * v[k]
    let opening = distance < 0 ? -back * distance : -distance / dt
    if (law[0] > 0 && side !== 2 && speed < 0 && -law[0] * speed > opening) opening = -law[0] * speed
    target[i] = sign * opening
  }

  /** Adds the implicit part to the diagonal of H, and the force at velocity v to f. */
  add(H: Float64Array, f: Float64Array, v: Float64Array, dt: number): void {
    const { joints, side, target, gain, nv } = this
    for (let i = 0; i < side.length; i++) {
      if (side[i] === 0) continue
      const k = joints.v[i]
      const own = RIGID * H[k * nv + k]
      gain[i] = own / dt
      H[k * nv + k] += own
      f[k] += gain[i] * (target[i] - v[k])
    }
  }

  /**
   * Releases the limits that would pull at the end-of-step velocity v, and adds those that would be passed.
   *
   * @param start velocity at the start of the step; without it limits are released alone
   * @returns whether any changed
   */
  settle(v: Float64Array, dt: number, start?: Float64Array): boolean {
    const { joints, side, target, x, lower, upper } = this
    let changed = false
    for (let i = 0; i < side.length; i++) {
      const k = joints.v[i]
      const before = side[i]
      if (before === 2) continue
      if (before !== 0) {
        if (before * (target[i] - v[k]) < 0) side[i] = 0
      } else if (start !== undefined) {
        const next = x[i] + dt * v[k]
        if (next < lower[k] - ROUNDING && x[i] >= lower[k]) this.set(i, 1, start, dt)
        else if (next > upper[k] + ROUNDING && x[i] <= upper[k]) this.set(i, -1, start, dt)
      }
      if (side[i] !== before) changed = true
    }
    return changed
  }
}

/**
 * Dry friction of joints under RK4: at each stage the force by which a joint would stop within a step, a_k = -v_k / h, as one more unknown of
 * the same system; where that is more than the friction f, f in its direction. So a joint under a load below f stands still.
 */
class DryJoints {
  /** Whether there are any. */
  readonly any: boolean
  private readonly nv: number
  private readonly friction: Float64Array
  private readonly joints: Int32Array
  /** Per joint: direction of the friction of one that slides, 0 for one that is held; and its gain. */
  private readonly mode: Int8Array
  private readonly gain: Float64Array

  constructor({ nv, friction }: Model) {
    this.nv = nv
    this.friction = friction
    this.joints = Int32Array.from(Array.from(friction.keys()).filter((k) => friction[k] > 0))
    this.any = this.joints.length > 0
    this.mode = new Int8Array(this.joints.length)
    this.gain = new Float64Array(this.joints.length)
  }

  begin(): void {
    this.mode.fill(0)
  }

  /** Adds the gains to the diagonal of H, a copy of M, and the forces at acceleration a to f. */
  add(M: Float64Array, H: Float64Array, f: Float64Array, v: Float64Array, a: Float64Array, dt: number): void {
    const { joints, mode, gain, friction, nv } = this
    for (let i = 0; i < joints.length; i++) {
      const k = joints[i]
      gain[i] = RIGID * M[k * nv + k]
      if (mode[i] === 0) H[k * nv + k] += gain[i]
      f[k] += mode[i] === 0 ? gain[i] * (-v[k] / dt - a[k]) : mode[i] * friction[k]
    }
  }

  /** Lets go joints that more than their friction would hold, and holds those that it would turn round. @returns whether any changed */
  settle(v: Float64Array, a: Float64Array, dt: number): boolean {
    const { joints, mode, gain, friction } = this
    let changed = false
    for (let i = 0; i < joints.length; i++) {
      const k = joints[i]
      const short = -v[k] / dt - a[k]
      const before = mode[i]
      if (before === 0 && gain[i] * Math.abs(short) > friction[k] * (1 + 1e-6)) mode[i] = short > 0 ? 1 : -1
      else if (before * short < 0) mode[i] = 0
      if (mode[i] !== before) changed = true
    }
    return changed
  }
}

/** Limits and dry friction of joints and lengths, and couplings, at a stage of RK4. */
export class HeldJoints {
  private readonly limits: JointLimits
  private readonly dry: DryJoints
  private readonly lengths: HeldLengths
  private readonly rows: ContactRows

  /** @param rows with the pattern of M and `lengths` */
  constructor(context: ContactModelContext, lengths: HeldLengths, rows: ContactRows) {
    this.limits = new JointLimits(context)
    this.dry = new DryJoints(context.model)
    this.lengths = lengths
    this.rows = rows
  }

  /** Whether a stage has any. Call before its `hold`. */
  reach({ state: { q, v }, data, dt }: ContactStep): boolean {
    if (this.lengths.any) this.lengths.reach(q, v, data, dt)
    return this.limits.reach(q, v) || this.dry.any || this.lengths.any
  }

  /**
   * Adds their acceleration to a.
   *
   * @param L    nv x nv, out: factor of M with the gains of those that act
   * @param pull nv, out: scratch
   * @param weight 1: time of the step for which the stage counts [s]
   */
  hold(step: ContactStep, a: Float64Array, L: Float64Array, pull: Float64Array, weight: Float64Array): void {
    const { model, data, state, dt, events } = step
    const { limits, dry, lengths, rows } = this
    const { pattern, velocities } = rows
    const { v } = state
    crba(model, data)
    dry.begin()
    let passes = 0
    for (let isSettled = false; !isSettled && passes < MOST_PASSES; passes++) {
      pattern.load(data.M, L)
      pull.fill(0)
      limits.add(L, pull, a, 1)
      dry.add(data.M, L, pull, v, a, dt)
      lengths.add(data.M, L, pull, a, 1, velocities)
      pattern.factorize(L)
      pattern.solve(L, pull)
      for (let k = 0; k < model.nv; k++) pull[k] += a[k]
      isSettled = !limits.settle(pull, 1)
      if (dry.settle(v, pull, dt)) isSettled = false
      if (lengths.settle(pull, 1, false, true)) isSettled = false
    }
    events.iterations += passes
    lengths.addForces(step, pull, weight)
    a.set(pull)
  }
}

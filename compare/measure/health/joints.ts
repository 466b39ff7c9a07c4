import { addBodyForces, JointType, RestFrame, rnea, type State } from '../../../dynamics/index.ts'
import type { World } from '../../../simulation/index.ts'
import type { LawFigure } from '../laws.ts'
import type { MeasuredStep } from '../measuredStep.ts'
import { type Creep, creepSpeed } from '../meters/stickSlip.ts'
import { atTime } from '../meters/worst.ts'

/** Slip at which a dry joint that should stick has a residual of about 1, as contacts have [m/s]; of an angle on a lever of 1 m [rad/s]. */
const SLIP = 0.01
/** Part of the bound of friction below which a joint has to stick, and part of it above which friction acts. */
const INSIDE = 0.95
const ACTS = 0.01
/** Distance to a limit below which its stop may push, besides two steps of travel [rad, m]; and share of a joint's forces that is rounding. */
const NEAR = 1e-4
const ROUNDING = 1e-6
/** Of the inertia of all times the acceleration: what may be left where M a and c cancel. */
const CANCELLED = 1e-12
/** Of what else acts on a joint: less friction is weighed by that, as it decides nothing. */
const FRICTION_PART = 0.1

/** A velocity with dry friction or with limits. */
interface Joint {
  readonly k: number
  readonly q: number
  readonly name: string
  readonly turns: boolean
  /** How far beyond its range at the start [rad, m], NaN without limits; the most since, beyond that, and when [s]. */
  readonly excess: number
  passed: number
  t: number
  /** Sums over the steps in which friction is judged; and over those of the last fifth in which it should stick: way [rad, m], time [s]. */
  residual: number
  weight: number
  way: number
  stuck: number
  rubbed: boolean
  stopped: boolean
}

/**
 * How far joints pass their limits; and their dry friction F and stops, by inverse dynamics: their impulse p in a step h is what is left of
 * h (M a + c - tau - Jᵀ f + K (q - rest) + D v), f being the reported forces of contacts and loops, at the start of the step and in its axes, as
 * semi-implicit steps are, with springs and damping of either end. Coulomb's law is p = clamp(p - rho v, ± h F) for any rho > 0, and the residual of
 * this natural map with rho = h F / SLIP is h F v / SLIP where a joint creeps. As of contacts, v is that of either end. Left out are joints near
 * a limit, steps with an impact or stages, other engines, and models with lengths or with damping by powers of the speed.
 */
export class JointMeter {
  private readonly joints: readonly Joint[]
  private readonly size: number
  /** A bound of any joint's inertia [kg, kg m²]. */
  private readonly inertia: number
  private readonly start: number
  private readonly isKnown: boolean
  private window = 0
  private readonly frame: RestFrame
  /** nv: acceleration; M a + c; Jᵀ f. */
  private readonly a: Float64Array
  private readonly effort: Float64Array
  private readonly given: Float64Array
  private readonly forces: Float64Array

  /** @param size of the world's largest robot or body [m] @param start of the last fifth, in whole steps */
  constructor({ world, v0 }: MeasuredStep, size: number, start: number) {
    const { nb, bodyOfV, qStart, vStart, friction, jointName, jointType, lengths, dampingPolynomial } = world.model
    const zero = { passed: 0, t: 0, residual: 0, weight: 0, way: 0, stuck: 0, rubbed: false, stopped: false }
    const all = Array.from(bodyOfV, (body, k) => {
      const [q, name, turns] = [qStart[body] + k - vStart[body], jointName[body], jointType[body] === JointType.revolute]
      return { ...zero, k, q, name, turns, excess: excessOf({ k, q }, world) }
    })
    this.joints = all.filter(({ k, excess }) => friction[k] > 0 || excess >= 0)
    this.isKnown = !(lengths || dampingPolynomial || world.contactModel.isOutside || world.contactModel.hasStages)
    this.size = size
    this.inertia = world.model.I.reduce((sum, [mass]) => sum + mass, 0) * Math.max(1, size * size)
    this.start = start
    this.frame = new RestFrame(world.model, Infinity)
    this.a = v0.slice()
    this.effort = v0.slice()
    this.given = v0.slice()
    this.forces = new Float64Array(6 * nb)
  }

  /** How far limits were passed, of joints that turn [rad] or slide [m]; null where none of the kind has one. */
  passed(turns: boolean): number | null {
    const own = this.joints.filter((joint) => joint.excess >= 0 && joint.turns === turns)
    return own.length > 0 ? Math.max(...own.map(({ passed }) => passed)) : null
  }

  /** Of the joint that passed its limit the most: the angle [rad], or the length over the size. */
  get limits(): LawFigure {
    const shareOf = ({ passed, turns, excess }: Joint) => (excess >= 0 ? passed / (turns ? 1 : this.size) : -1)
    return figureOf(this.joints, shareOf, ({ t }) => `${atTime(t)}, `)
  }

  /** Of the joint that breaks the law of dry friction the most. */
  get friction(): LawFigure {
    return figureOf(this.joints, ({ residual, weight }) => (weight > 0 ? residual / weight : -1))
  }

  /** Names of the joints whose stop pushed, and of those whose friction acted. */
  get acted() {
    const named = (is: (joint: Joint) => boolean) => this.joints.filter(is).map(({ name }) => name)
    return { limits: named(({ stopped }) => stopped), dryJoints: named(({ rubbed }) => rubbed) }
  }

  /** Of dry joints that should stick over the last fifth. */
  get creeps(): Creep[] {
    const speedOf = ({ way, stuck }: Joint) => creepSpeed(Math.abs(way), stuck, this.window)
    return this.joints.map((joint) => ({ of: joint.name, speed: speedOf(joint), unit: joint.turns ? 'rad/s' : 'm/s' }))
  }

  measure(step: MeasuredStep): void {
    const { joints } = this
    const { world, dt, elapsed } = step
    let isWanted = false
    for (const joint of joints) {
      const passed = excessOf(joint, world) - joint.excess
      if (passed > joint.passed) [joint.passed, joint.t] = [passed, world.state.t[0]]
      isWanted ||= world.model.friction[joint.k] > 0 || isNear(joint, step)
    }
    if (elapsed > this.start) this.window += dt
    if (!(isWanted && this.isKnown) || strikes(step)) return
    this.evaluate(step)
    for (const joint of joints) this.judge(joint, step)
  }

  /** effort := M a + c, given := Jᵀ f. */
  private evaluate({ world, dt, q0, v0, start, turned }: MeasuredStep): void {
    const { frame, a, effort, given, forces } = this
    const { model, contacts, loopForces } = world
    frame.begin(v0, dt)
    for (let k = 0; k < a.length; k++) a[k] = (turned.v[k] - v0[k]) / dt + frame.acceleration[k]
    rnea(model, { q: q0, v: v0 } as State, a, start, effort)
    contacts.writeBodyForces(dt, forces)
    if (loopForces !== undefined) for (let i = 0; i < forces.length; i++) forces[i] += loopForces[i]
    addBodyForces(model, forces, start, given.fill(0))
  }

  private judge(joint: Joint, step: MeasuredStep): void {
    const { k, q } = joint
    const { dt, q0, v0, elapsed, world } = step
    const { v, q: q1 } = world.state
    const { stiffness: K, springReference: rest, damping: D, friction } = world.model
    const effort = dt * this.effort[k]
    const applied = dt * world.applied[k]
    const given = dt * this.given[k]
    const others = Math.max(Math.abs(effort), Math.abs(applied), Math.abs(given))
    // of a free fall nothing is left but the rounding of M a + c, whose parts cancel
    const slack = ROUNDING * others + CANCELLED * dt * Math.abs(this.a[k]) * this.inertia
    const left = effort - applied - given
    const least = left + dt * (K[k] * (Math.min(q0[q], q1[q]) - rest[k]) + D[k] * Math.min(v0[k], v[k])) - slack
    const most = left + dt * (K[k] * (Math.max(q0[q], q1[q]) - rest[k]) + D[k] * Math.max(v0[k], v[k])) + slack
    const bound = dt * friction[k]
    const acting = Math.max(least, -most)
    if (isNear(joint, step)) joint.stopped ||= acting > bound
    if (isNear(joint, step) || !(bound > 0)) return
    joint.residual += Math.min(residualOf(least, most, bound, v0[k]), residualOf(least, most, bound, v[k]))
    joint.weight += Math.max(bound, FRICTION_PART * others)
    joint.rubbed ||= acting > ACTS * bound
    if (!(elapsed > this.start && Math.max(-least, most) < INSIDE * bound)) return
    joint.way += dt * v[k]
    joint.stuck += dt
  }
}

/** @param of negative where it is not judged */
function figureOf(joints: readonly Joint[], of: (joint: Joint) => number, when: (joint: Joint) => string = () => ''): LawFigure {
  const [worst] = joints.filter((joint) => of(joint) >= 0).sort((a, b) => of(b) - of(a))
  if (worst === undefined) return { value: null }
  return { value: of(worst), detail: of(worst) > 0 ? `${when(worst)}joint "${worst.name}"` : undefined }
}

/** How far a joint is beyond its range, 0 inside, NaN without. */
function excessOf({ k, q }: Pick<Joint, 'k' | 'q'>, { model: { lower, upper }, state }: World): number {
  return lower[k] > -Infinity || upper[k] < Infinity ? Math.max(0, lower[k] - state.q[q], state.q[q] - upper[k]) : Number.NaN
}

/** Whether a stop may have pushed. */
function isNear({ k, q }: Joint, { q0, v0, dt, world: { model, state } }: MeasuredStep): boolean {
  const reach = NEAR + 2 * dt * Math.max(Math.abs(v0[k]), Math.abs(state.v[k]))
  return Math.min(q0[q], state.q[q]) - model.lower[k] <= reach || model.upper[k] - Math.max(q0[q], state.q[q]) <= reach
}

/** Whether an impact changed velocities within the step. */
function strikes({ count, active, world: { contacts } }: MeasuredStep): boolean {
  for (let i = 0; i < count; i++) if (contacts.impact[3 * active[i]] !== 0) return true
  return false
}

/** The least of |p - clamp(p - rho v)| for an impulse within an interval. */
function residualOf(least: number, most: number, bound: number, v: number): number {
  const of = (p: number) => Math.abs(p - Math.max(-bound, Math.min(bound, p - (bound * v) / SLIP)))
  return Math.min(of(least), of(most), of(Math.max(least, Math.min(most, v > 0 ? -bound : bound))))
}

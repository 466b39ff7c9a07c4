import { hasFriction, slidingFriction } from '../../constraints/index.ts'
import type { ContactModelContext, ContactStep } from '../../contactModel.ts'
import type { ContactSet } from '../../contactSet.ts'
import type { FrictionOptions } from '../forceLaw.ts'
import { TangentialSprings } from '../friction/index.ts'
import type { ContactForces } from './contactForces.ts'

/** Relative error in a friction force, and in its normal force, that requires another pass. */
export const FORCE_TOLERANCE = 1e-3
/** Passes after which the tolerance of friction in a crowd (many contacts) grows, fourfold with every pass; see `relaxTolerance`. */
const STRICT_PASSES = 4
/** Passes after which contacts of a crowd that alternate between sticking and sliding become dampers. */
const DRAG_PASSES = 5
/** Passes after which the loads of friction in a crowd may only fall, and too little friction is accepted. */
const FALLING_PASSES = 8
/** Upper bound of the relative error accepted in friction. */
const GREATEST_TOLERANCE = 0.1
/** Fraction of the greatest normal force on one of its bodies below which a contact's tolerance is that of this fraction. */
const SMALL_SHARE = 0.1
/** First pass in which released contacts stay released. */
const RETURN_PASSES = 4

/** Speed above which a contact of the linear system slides back, not by rounding [m/s]. */
const ROUNDING = 1e-10
/** Least squared cosine between slip and friction of a contact released by the linear system. */
const STRAIGHT = 1 - 1e-5

// results of the test of a contact's mode at the end of the step
const CONSISTENT = 0
/** Released, but would push. */
const PUSHES = 1
const PULLS = 2
/** Assumed to stick, but faster than the stick speed. */
const SLIPS = 3
/** Assumed to slide, but slides in the opposite direction. */
const REVERSES = 4
/** Friction does not match the resulting normal force. */
const MISMATCH = 5

/** More contacts than this are a crowd, which hardly ever converges to full accuracy. */
const FEW_CONTACTS = 40

// friction modes of a contact
export const FRICTIONLESS = 0
export const STICK = 1
export const SLIDE = 2
/** Friction is a plain damper. */
export const DRAG = 3

// tangential forces of a sticking contact
/** A damper, stiff up to the stick speed. */
export const DAMPER = 0
export const SPRING = 1
/** The force for zero slip, from the linear system. */
export const SYSTEM = 2

/**
 * Active contacts of a semi-implicit step and their friction modes, assumed before each pass and revised after it until all are consistent
 * with the velocity at the end of the step.
 */
export class ActiveSet {
  /** Per contact: FRICTIONLESS, STICK, SLIDE or DRAG; and its kind of sticking force. */
  mode = new Uint8Array(0)
  holding = new Uint8Array(0)
  /** Per contact: its coefficient of dry friction. */
  coefficient = new Float64Array(0)
  /** Per contact: the normal force used for friction [N]. */
  load = new Float64Array(0)
  /** Per contact, 2: direction of sliding; and 1: speed of sliding, or speed up to which sticking friction is viscous [m/s]. */
  direction = new Float64Array(0)
  speed = new Float64Array(0)
  /** Per contact: b of its spring [N s/m]; and 2 a contact: k e / b [m/s], 0 without a spring. */
  stiff = new Float64Array(0)
  stretch = new Float64Array(0)
  /** Whether there are more than FEW_CONTACTS contacts. */
  private isCrowd = false
  /** 1: factor on the tolerance for too little friction; above 1 loads only fall. */
  private readonly shortfall = new Float64Array(1)
  /** Per contact: its assumed slip [m/s]. */
  private slip = new Float64Array(0)
  /** Per contact: its previous load, and the error of the resulting normal force; NaN at first [N]. */
  private oldLoad = new Float64Array(0)
  private loadError = new Float64Array(0)
  /** Per contact: CONSISTENT or another result of the last pass; and the relative error in friction that requires another pass. */
  private verdict = new Uint8Array(0)
  private tolerance = new Float64Array(0)
  /** Per body: the greatest normal force on it [N]. */
  private readonly greatest: Float64Array
  private readonly friction: FrictionOptions
  private readonly springs: TangentialSprings
  private readonly forces: ContactForces

  constructor(context: ContactModelContext, friction: FrictionOptions, memoryStart: number, forces: ContactForces) {
    const { model, pairCount, trees } = context
    this.greatest = new Float64Array(model.nb)
    this.friction = friction
    this.springs = new TangentialSprings(pairCount, trees, friction.tangentialStiffness, memoryStart)
    this.forces = forces
  }

  reserve(capacity: number): void {
    this.mode = new Uint8Array(capacity)
    this.holding = new Uint8Array(capacity)
    this.coefficient = new Float64Array(capacity)
    this.load = new Float64Array(capacity)
    this.direction = new Float64Array(2 * capacity)
    this.speed = new Float64Array(capacity)
    this.stiff = new Float64Array(capacity)
    this.stretch = new Float64Array(2 * capacity)
    this.slip = new Float64Array(capacity)
    this.oldLoad = new Float64Array(capacity)
    this.loadError = new Float64Array(capacity)
    this.verdict = new Uint8Array(capacity)
    this.tolerance = new Float64Array(capacity)
  }

  /** First guess: contacts that slide at the start of the step continue to slide, with the normal force of that time. */
  begin(step: ContactStep): void {
    const { contacts, data, memory, events } = step
    const { mode, holding, load, oldLoad, springs, stretch, friction } = this
    const { selected, spring, damping, u } = this.forces.work
    const hasSprings = friction.kind === 'springs'
    const held = friction.kind === 'solved' ? SYSTEM : DAMPER
    this.shortfall[0] = 1
    this.isCrowd = contacts.count > FEW_CONTACTS
    this.tolerance.fill(FORCE_TOLERANCE)
    if (hasSprings) springs.begin(contacts, data, memory, selected)
    if (springs.left > 0) events.fallbacks++
    for (let i = 0; i < contacts.count; i++) {
      if (selected[i] === 0) continue
      load[i] = Math.max(spring[i] - damping[i] * u[3 * i], 0)
      oldLoad[i] = Number.NaN
      holding[i] = contacts.solvedStatic[i] !== 0 ? SYSTEM : hasSprings && springs.has[i] !== 0 ? SPRING : held
      stretch[2 * i] = 0
      stretch[2 * i + 1] = 0
      mode[i] = FRICTIONLESS
      if (holding[i] === SPRING) this.stretchSpring(i, step)
      if (hasFriction(contacts, i)) this.slideOrStick(i, contacts, u)
    }
  }

  /** Sets the load to the last pass's normal force, without history for the secant of `updateNormalLoad`. */
  private resetLoad(i: number): void {
    this.load[i] = Math.max(this.forces.normal[i], 0)
    this.oldLoad[i] = Number.NaN
  }

  /** Sets sliding along u if that is faster than the sticking force's yield speed, else sticking. */
  private slideOrStick(i: number, contacts: ContactSet, u: Float64Array): void {
    const { holding, load, direction, speed, stiff, stretch, friction } = this
    const x = u[3 * i + 1] + stretch[2 * i]
    const y = u[3 * i + 2] + stretch[2 * i + 1]
    speed[i] = Math.sqrt(x * x + y * y)
    let yieldSpeed = friction.stickSpeed
    if (holding[i] === SYSTEM) yieldSpeed = friction.stickSpeedExplicit
    else if (holding[i] === SPRING) yieldSpeed = (contacts.muStatic[i] * load[i]) / stiff[i] // infinite without stiffness
    if (speed[i] > yieldSpeed) {
      this.mode[i] = SLIDE
      direction[2 * i] = x / speed[i]
      direction[2 * i + 1] = y / speed[i]
      this.setSlip(i, contacts, u)
    } else this.stick(i, contacts)
  }

  private stick(i: number, { muStatic }: ContactSet): void {
    this.mode[i] = STICK
    this.speed[i] = this.friction.stickSpeed
    this.coefficient[i] = muStatic[i]
  }

  /** Releases a contact whose sticking force exceeds friction: it slides against that force. */
  private release(i: number, contacts: ContactSet): void {
    const { normal, uNext, work } = this.forces
    const { direction, speed, stretch, friction } = this
    const { force } = work
    this.mode[i] = SLIDE
    this.load[i] = Math.max(normal[i], 0)
    const held = Math.sqrt(force[3 * i + 1] * force[3 * i + 1] + force[3 * i + 2] * force[3 * i + 2])
    direction[2 * i] = -force[3 * i + 1] / held
    direction[2 * i + 1] = -force[3 * i + 2] / held
    const x = uNext[3 * i + 1] + stretch[2 * i]
    const y = uNext[3 * i + 2] + stretch[2 * i + 1]
    speed[i] = Math.max(Math.sqrt(x * x + y * y), friction.stickSpeed)
    this.setSlip(i, contacts, uNext)
  }

  /** Sets the direction of a sliding contact without damper to that of its sliding in the last pass. */
  private slideOn(i: number, contacts: ContactSet): void {
    const { uNext } = this.forces
    const { direction, speed, stretch, friction } = this
    this.setSlip(i, contacts, uNext)
    const x = uNext[3 * i + 1] + stretch[2 * i]
    const y = uNext[3 * i + 2] + stretch[2 * i + 1]
    const w = Math.sqrt(x * x + y * y)
    if (w < 1e-3 * friction.stickSpeed) return // too slow to have a direction
    direction[2 * i] = x / w
    direction[2 * i + 1] = y / w
    speed[i] = w
  }

  /**
   * Makes friction a plain damper, mu F / |v_t| at the slip of the last pass or the stick speed. If that slip results again it is
   * regularised friction, and the passes converge to it smoothly (Kacanov's method).
   */
  private addDrag(i: number, contacts: ContactSet): void {
    const { normal, uNext, work } = this.forces
    const { mode, load, speed, slip, coefficient, friction, shortfall } = this
    const { force } = work
    const wasDrag = mode[i] === DRAG
    const assumed = coefficient[i]
    this.setSlip(i, contacts, uNext)
    let next = slip[i]
    let slowest = friction.stickSpeed
    if (wasDrag) {
      // a contact beyond the cone by a fraction slides faster by several times that, and would take as many passes
      const cone = assumed * normal[i]
      const beyond = Math.sqrt(force[3 * i + 1] * force[3 * i + 1] + force[3 * i + 2] * force[3 * i + 2])
      if (beyond > cone) next *= beyond < 2 * cone ? (beyond / cone) * (beyond / cone) * (beyond / cone) : 8
      if (shortfall[0] > 1) slowest = speed[i]
    }
    mode[i] = DRAG
    speed[i] = next > slowest ? next : slowest
    if (shortfall[0] === 1 || normal[i] < load[i]) load[i] = Math.max(normal[i], 0)
  }

  /** Makes friction a damper, without a spring, in a step without consistent modes. */
  relax(i: number, contacts: ContactSet): void {
    const { normal, uNext } = this.forces
    const { mode, load, speed, slip, stretch } = this
    load[i] = Math.max(normal[i], 0)
    mode[i] = hasFriction(contacts, i) ? DRAG : FRICTIONLESS
    slip[i] = Math.hypot(uNext[3 * i + 1], uNext[3 * i + 2])
    speed[i] = Math.max(slip[i], this.friction.stickSpeed)
    slidingFriction(this.coefficient, contacts, i, slip)
    stretch[2 * i] = 0
    stretch[2 * i + 1] = 0
  }

  /** Sets the slip of the last pass, and the coefficient of friction at it. */
  private setSlip(i: number, contacts: ContactSet, u: Float64Array): void {
    this.slip[i] = Math.sqrt(u[3 * i + 1] * u[3 * i + 1] + u[3 * i + 2] * u[3 * i + 2])
    slidingFriction(this.coefficient, contacts, i, this.slip)
  }

  /** Sets b and k e / b of a contact on a spring, for the stiffness of the present pass. */
  stretchSpring(i: number, { contacts: { tangent1, tangent2 }, dt }: ContactStep): void {
    const { springs, stiff, stretch } = this
    const { extension: e, stiffness, damping } = springs
    springs.stiffen(i, this.forces.work.slope, i)
    const n = 3 * i
    const k = stiffness[i]
    const b = damping[i] + dt * k
    const rate = b > 0 ? k / b : 0
    stiff[i] = b
    stretch[2 * i] = rate * (e[n] * tangent1[n] + e[n + 1] * tangent1[n + 1] + e[n + 2] * tangent1[n + 2])
    stretch[2 * i + 1] = rate * (e[n] * tangent2[n] + e[n + 1] * tangent2[n + 1] + e[n + 2] * tangent2[n + 2])
  }

  /**
   * Next load of friction: the normal force that resulted from the present one, or, if that is in error again, the secant through both,
   * since friction may change the normal force by more than itself. In a crowd only if the error has grown: otherwise the secant would
   * attribute the effects of other contacts to this one's friction.
   */
  private updateNormalLoad(i: number): void {
    const { load, oldLoad, loadError } = this
    const normal = this.forces.normal[i]
    const error = normal - load[i]
    let next = normal
    const usesSecant = !this.isCrowd || Math.abs(error) > Math.abs(loadError[i])
    if (usesSecant && oldLoad[i] !== load[i] && loadError[i] !== error && !Number.isNaN(oldLoad[i])) {
      const secant = load[i] - (error * (load[i] - oldLoad[i])) / (error - loadError[i])
      if (secant >= 0 && secant < 10 * (normal + load[i] + oldLoad[i])) next = secant
    }
    if (this.shortfall[0] > 1 && next > load[i]) next = load[i]
    oldLoad[i] = load[i]
    loadError[i] = error
    load[i] = Math.max(next, 0)
  }

  /** Stores each spring: extended by its contact's motion, or, if it slips, to the limit of friction at the end of the step. */
  rememberSprings(step: ContactStep): void {
    const { contacts, data, memory, dt } = step
    const { uNext, work } = this.forces
    const { springs, mode, holding, load } = this
    const { active, force } = work
    const { count, tangent1, tangent2, inverse2, viscous } = contacts
    const { extension: e, stiffness } = springs
    if (this.friction.kind !== 'springs') return
    springs.clear(memory)
    for (let i = 0; i < count; i++) {
      const n = 3 * i
      if (active[i] === 0 || holding[i] !== SPRING || !(force[n] > 0) || !(stiffness[i] > 0)) continue
      if (mode[i] !== STICK) {
        const thick = viscous[i] * load[i]
        const e1 = -(force[n + 1] + thick * uNext[n + 1]) / stiffness[i] - dt * uNext[n + 1]
        const e2 = -(force[n + 2] + thick * uNext[n + 2]) / stiffness[i] - dt * uNext[n + 2]
        for (let d = 0; d < 3; d++) e[n + d] = e1 * tangent1[n + d] + e2 * inverse2[i] * tangent2[n + d]
      }
      if (contacts.runs) springs.run(step, i)
      springs.keep(contacts, data, memory, i)
    }
  }

  /** Revises the modes that the end of the step contradicts. @returns whether there were none */
  update(contacts: ContactSet, pass: number): boolean {
    const { verdict } = this
    this.judge(contacts)
    let settled = true
    for (let i = 0; i < contacts.count; i++) {
      if (verdict[i] === CONSISTENT) continue
      if (verdict[i] === PUSHES && pass >= RETURN_PASSES) continue
      if (this.isCrowd && pass >= DRAG_PASSES && this.alternates(i, pass)) this.addDrag(i, contacts)
      else this.revise(i, contacts)
      settled = false
    }
    return settled
  }

  /** Tests all contacts, without branches, like `ContactForces.evaluate`. */
  private judge({ count, viscous }: ContactSet): void {
    const { verdict, tolerance, mode, holding, load, direction, coefficient, stiff, stretch, speed, shortfall } = this
    const { normal, uNext, work } = this.forces
    const { selected, active, force } = work
    const { stickSpeed } = this.friction
    const slowestDrag = stickSpeed * (1 + FORCE_TOLERANCE)
    for (let i = 0; i < count; i++) {
      const n = 3 * i
      const u1 = uNext[n + 1]
      const u2 = uNext[n + 2]
      const fn = normal[i]
      const f1 = force[n + 1]
      const f2 = force[n + 2]
      const slip = u1 * u1 + u2 * u2
      const dry = coefficient[i] * fn
      const error = tolerance[i]
      const shortage = error * shortfall[0]
      const cone = (viscous[i] > 0 ? dry + viscous[i] * Math.sqrt(slip) * fn : dry) * (1 + error)
      const slowest = stickSpeed * (1 + error)
      const x = u1 + stretch[2 * i]
      const y = u2 + stretch[2 * i + 1]
      const held = stiff[i] * stiff[i] * (x * x + y * y)
      const least = dry * (1 - error)
      const excess = coefficient[i] * load[i] - dry
      const isSelected = selected[i] !== 0
      const isActive = isSelected && active[i] !== 0
      const sticks = mode[i] === STICK
      const slides = mode[i] === SLIDE
      const drags = mode[i] === DRAG
      const pushes = fn > 0
      const pulls = fn < 0
      const isSpring = holding[i] === SPRING
      const leavesCone = f1 * f1 + f2 * f2 > cone * cone
      const slips = holding[i] === DAMPER ? slip > slowest * slowest : leavesCone
      const back = x * direction[2 * i] + y * direction[2 * i + 1]
      const reverses = back < (holding[i] === SYSTEM ? -ROUNDING : 0) || (isSpring && held < least * least)
      // a released contact started against its sticking force, and may slide in another direction
      const power = f1 * u1 + f2 * u2
      const strays = holding[i] === SYSTEM && slip > ROUNDING * ROUNDING && power * power < STRAIGHT * (f1 * f1 + f2 * f2) * slip
      const mismatch = strays || excess > error * dry || -excess > shortage * dry
      // a damper computed for a faster slip than resulted
      const made = speed[i] / (1 + shortage)
      const lags = made * made > slip && made > slowestDrag
      let says = CONSISTENT
      if (isSelected && !isActive) says = pushes ? PUSHES : CONSISTENT
      else if (isActive && pulls) says = PULLS
      else if (isActive && sticks) says = slips ? SLIPS : leavesCone ? MISMATCH : CONSISTENT
      else if (isActive && slides) says = reverses ? REVERSES : leavesCone || mismatch ? MISMATCH : CONSISTENT
      else if (isActive && drags) says = leavesCone || lags ? MISMATCH : CONSISTENT
      verdict[i] = says
    }
  }

  private revise(i: number, contacts: ContactSet): void {
    const { verdict, mode, holding, load } = this
    const { uNext, work } = this.forces
    const { active } = work
    switch (verdict[i]) {
      case PUSHES: // it was released too early
        active[i] = 1
        this.resetLoad(i)
        if (mode[i] !== FRICTIONLESS) this.slideOrStick(i, contacts, uNext)
        break
      case PULLS: // perhaps friction of too great a load lifts it: release only if it lifts without friction too
        if (mode[i] !== FRICTIONLESS && load[i] > 0 && !(mode[i] === STICK && holding[i] !== DAMPER)) this.updateNormalLoad(i)
        else active[i] = 0
        break
      case REVERSES: // friction stops a contact, it does not reverse it
        this.stick(i, contacts)
        this.updateNormalLoad(i)
        break
      case SLIPS:
        if (holding[i] === DAMPER) {
          this.updateNormalLoad(i)
          this.slideOrStick(i, contacts, uNext)
        } else this.release(i, contacts)
        break
      case MISMATCH:
        this.updateNormalLoad(i)
        if (mode[i] === SLIDE && holding[i] === DAMPER) this.slideOrStick(i, contacts, uNext)
        else if (mode[i] === SLIDE) this.slideOn(i, contacts)
    }
  }

  /** Whether contact i alternates between sticking and sliding, does not converge, or is a damper in error. */
  private alternates(i: number, pass: number): boolean {
    const { verdict, mode, holding } = this
    if (mode[i] === DRAG) return verdict[i] === MISMATCH
    const turns = verdict[i] === SLIPS || verdict[i] === REVERSES
    return holding[i] === DAMPER && (turns || (verdict[i] === MISMATCH && pass >= FALLING_PASSES))
  }

  /**
   * Raises the tolerance of friction in a crowd with the number of passes: each of hundreds of contacts changes the load of all others, and
   * the error at one is soon less than that of regularised friction. Reads the normal forces of the previous pass.
   */
  relaxTolerance({ count, bodyA, bodyB }: ContactSet, passes: number): void {
    const { greatest, tolerance } = this
    const { normal, work } = this.forces
    const { active } = work
    if (!this.isCrowd || passes < STRICT_PASSES) return
    let error = FORCE_TOLERANCE
    for (let k = STRICT_PASSES; k < passes && error < GREATEST_TOLERANCE; k++) error = Math.min(4 * error, GREATEST_TOLERANCE)
    if (passes >= FALLING_PASSES) this.shortfall[0] = Infinity
    greatest.fill(0)
    for (let i = 0; i < count; i++) {
      if (active[i] === 0) continue
      if (normal[i] > greatest[bodyA[i]]) greatest[bodyA[i]] = normal[i]
      if (normal[i] > greatest[bodyB[i]]) greatest[bodyB[i]] = normal[i]
    }
    greatest[0] = 0 // the world carries all loads
    for (let i = 0; i < count; i++) {
      const small = SMALL_SHARE * Math.max(greatest[bodyA[i]], greatest[bodyB[i]])
      tolerance[i] = normal[i] > 0 && normal[i] < small ? (error * small) / normal[i] : error
    }
  }

  /**
   * Replaces the linear system, which may cycle between holding and releasing points of a body, by dampers, with new modes. @returns false
   * if no contact used it
   */
  regularise({ contacts, events }: ContactStep): boolean {
    const { holding } = this
    const { uNext, work } = this.forces
    const { selected, active } = work
    let held = 0
    for (let i = 0; i < contacts.count; i++) if (selected[i] !== 0 && holding[i] === SYSTEM && hasFriction(contacts, i)) held++
    if (held === 0) return false
    for (let i = 0; i < contacts.count; i++) {
      if (selected[i] === 0) continue
      active[i] = 1
      this.resetLoad(i)
      if (holding[i] === SYSTEM) holding[i] = DAMPER
      if (hasFriction(contacts, i)) this.slideOrStick(i, contacts, uNext)
    }
    events.fallbacks++
    return true
  }
}

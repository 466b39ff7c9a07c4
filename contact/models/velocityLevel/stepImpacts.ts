import { factorize, workOn } from '../../../dynamics/index.ts'
import type { ImpulseProblem, RowTargets } from '../../constraints/index.ts'
import { sources } from '../../constraints/index.ts'
import type { ContactModelContext, ContactStep } from '../../contactModel.ts'
import { ContactSet } from '../../contactSet.ts'
import { grown } from '../../grown.ts'
import { ImpactPhase, type RigidImpactOptions, SimultaneousImpulses } from '../../impacts/index.ts'
import { GroupKind } from '../../solvers/index.ts'
import type { ImpulseStep } from './impulseStep.ts'

/** Least approach speed of an impact without gravity [m/s]. */
const LEAST_APPROACH = 1e-8
/** Fraction of the rebound speed that forces may remove within the step before it is restored. */
const NO_LOSS = 1e-12

/** Most rounds of impacts and detection in a step. */
const MOST_ROUNDS = 20

/** A model's selection of active contacts. */
export interface ActiveContacts {
  /** Per current contact of the step: 1 if it may be active. */
  find(): Uint8Array
}

/** Condition under which a contact has an impact. */
export const impactTrigger = {
  /** Approach faster than by gravity in a step: models whose forces stop no approach. */
  approach: 0,
  /** Restitution, and approach faster than the threshold: models whose step itself resolves inelastic contacts. */
  restitution: 1,
  /** As `approach`, but rebound speeds are not restored: steps with mean forces, where gravity acts equally on the way up and down. */
  smooth: 2,
} as const
type ImpactTrigger = (typeof impactTrigger)[keyof typeof impactTrigger]

/**
 * Impacts of one step of a rigid model, before its own problem: velocities change by M⁻¹ Jᵀ p at the start of the step, without joint
 * damping and friction, whose impulses vanish in an instant. A contact that would close within the step impacts, and with it all contacts
 * coupled to it: simultaneously (`SimultaneousImpulses`), or pair by pair (`ImpactPhase`).
 *
 * A rebounding contact keeps its separation speed over the step: frictionless impulses at its start compensate the speed lost to forces by
 * its end. So gravity does equal work in rise and fall, and an elastic ball keeps its height.
 */
export class StepImpacts {
  private readonly name: string
  private readonly trigger: ImpactTrigger
  private readonly restitutionThreshold: number
  /** 1: least approach speed of an impact [m/s]. */
  private readonly leastApproach: Float64Array
  private readonly simultaneous: SimultaneousImpulses
  private readonly sequential: ImpactPhase | undefined
  /** nv: velocity change by impulses. */
  private readonly change: Float64Array
  // per contact
  /** 3 a contact: impulse of the impact, and of the restored rebound speed, along normal and tangents [N s]. */
  private impact = new Float64Array(0)
  private kept = new Float64Array(0)
  /** Per contact: separation speed if it rebounds, else 0 [m/s]. */
  private bounce = new Float64Array(0)
  private readonly targets: { active: Uint8Array; gap: Float64Array; exact: Uint8Array } & RowTargets = {
    active: new Uint8Array(0),
    gap: new Float64Array(0),
    exact: new Uint8Array(0),
  }
  private hasBounces = false
  /** Contacts with an impulse, of all rounds. */
  private readonly resolved = new ContactSet()
  /** 7 a contact: impact and kept impulse; and the moment about the normal of friction offset from the point (`UniformPatch`). */
  private given = new Float64Array(0)
  // per row, and per group, of an island
  private u = new Float64Array(0)
  private p = new Float64Array(0)
  private restitution = new Float64Array(0)
  private least = new Float64Array(0)

  constructor(
    name: string,
    context: ContactModelContext,
    { impulses, impacts, restitutionThreshold }: RigidImpactOptions,
    trigger: ImpactTrigger,
  ) {
    const { model, gravity, dt } = context
    this.name = name
    this.trigger = trigger
    this.restitutionThreshold = restitutionThreshold
    const isWeak = trigger !== impactTrigger.restitution
    this.leastApproach = Float64Array.of(isWeak ? Math.max(LEAST_APPROACH, gravity * dt) : LEAST_APPROACH)
    this.simultaneous = new SimultaneousImpulses(impacts === 'newton' ? 'newton' : 'poisson')
    this.sequential = impulses === 'sequential' ? new ImpactPhase(context, { impacts, restitutionThreshold }, 0) : undefined
    this.change = new Float64Array(model.nv)
  }

  /** Whether the last `resolve` changed velocities. */
  get any(): boolean {
    return this.resolved.count > 0
  }

  /** Whether some contact approaches fast enough for an impact: a cheap test before any solve. */
  approaches({ contacts: { rows, uStart } }: ImpulseProblem, { count, restitution }: ContactSet): boolean {
    for (let i = 0; i < count; i++) if (rows.size[i] > 0 && this.isFast(uStart, restitution, i)) return true
    return false
  }

  private isFast(uStart: Float64Array, restitution: Float64Array, i: number): boolean {
    if (this.trigger !== impactTrigger.restitution) return uStart[3 * i] < -this.leastApproach[0]
    return this.hasRestitution(uStart, restitution, i)
  }

  private hasRestitution(uStart: Float64Array, restitution: Float64Array, i: number): boolean {
    const un = uStart[3 * i]
    return restitution[i] > 0 && un < -this.restitutionThreshold && un < -this.leastApproach[0]
  }

  /**
   * Changes step.state.v by the impacts. Struck bodies may reach contacts that were too far away to be detected; so detection runs again,
   * and these impact in turn. `impulses` must have begun the step; it is begun again after any impact.
   *
   * @param active 1 for each contact that may be active; default: all
   * @returns whether there was an impact
   */
  resolve(step: ContactStep, impulses: ImpulseStep, active?: ActiveContacts): boolean {
    const { contacts } = step
    this.resolved.count = 0
    for (let round = 0; this.approaches(impulses.problem, contacts); round++) {
      if (round === MOST_ROUNDS) {
        step.events.fallbacks++
        break
      }
      if (!this.resolveOnce(step, impulses, active?.find())) break
      if (this.hasBounces) step.detect()
      impulses.begin(step)
      if (!this.hasBounces) break
    }
    return this.resolved.count > 0
  }

  private resolveOnce(step: ContactStep, impulses: ImpulseStep, active: Uint8Array | undefined): boolean {
    const { contacts, data, state } = step
    const { problem, M, L, vFree } = impulses
    impulses.beginPasses(step)
    impulses.freeVelocity(step)
    problem.contacts.rows.velocity(problem.contacts.uFree, vFree, contacts.count)
    if (!this.begin(problem, step, active)) return false
    const { change, bounce, targets, sequential } = this
    if (sequential !== undefined) {
      sequential.resolveClosing(step, targets.active, problem.contacts.uStart, problem.contacts.uFree)
      sequential.writeImpulses(contacts, this.impact)
      for (let i = 0; i < contacts.count; i++) bounce[i] = sequential.bounced(i) ? Number.POSITIVE_INFINITY : 0
    } else {
      change.fill(0)
      M.set(data.M)
      factorize(step.model, M, L)
      problem.prepare(step, M, L, vFree, targets)
      for (let n = 0; n < problem.islands.count; n++) this.resolveIsland(problem, step, n)
      for (let k = 0; k < change.length; k++) state.v[k] += change[k]
    }
    this.restoreSpeeds(step, impulses)
    this.record(contacts, problem)
    return true
  }

  /** Sets active contacts and their gaps. @returns whether any contact has an impact */
  private begin(problem: ImpulseProblem, { contacts, dt }: ContactStep, given: Uint8Array | undefined): boolean {
    const { count, capacity } = contacts
    const { targets } = this
    let found = false
    if (capacity > this.bounce.length) {
      this.impact = new Float64Array(3 * capacity)
      this.kept = new Float64Array(3 * capacity)
      this.bounce = new Float64Array(capacity)
      targets.active = new Uint8Array(capacity)
      targets.gap = new Float64Array(capacity)
      targets.exact = new Uint8Array(capacity)
    }
    this.impact.fill(0)
    this.kept.fill(0)
    this.bounce.fill(0)
    for (let i = 0; i < count; i++) {
      targets.active[i] = problem.contacts.rows.size[i] > 0 && (given === undefined || given[i] === 1) ? 1 : 0
      // every closing contact is active, whatever the law's active distance
      const closes = this.closes(problem, contacts.gap, dt, i)
      targets.gap[i] = closes && contacts.gap[i] > 0 ? 0 : contacts.gap[i]
      if (targets.active[i] === 1 && closes && this.isFast(problem.contacts.uStart, contacts.restitution, i)) found = true
    }
    return found
  }

  /** Whether contact i closes within the step, and fast enough for an impact. */
  private hits(problem: ImpulseProblem, { contacts: { gap }, dt }: ContactStep, i: number): boolean {
    return problem.contacts.uStart[3 * i] < -this.leastApproach[0] && this.closes(problem, gap, dt, i)
  }

  /** Whether contact i closes within the step at the velocity that moves positions, without impulses. */
  private closes({ contacts: { uStart, uFree } }: ImpulseProblem, gap: Float64Array, dt: number, i: number): boolean {
    const u = this.trigger === impactTrigger.smooth ? 0.5 * (uStart[3 * i] + uFree[3 * i]) : uFree[3 * i]
    return gap[i] + dt * u < 0
  }

  private resolveIsland(problem: ImpulseProblem, step: ContactStep, island: number): void {
    const { system } = problem
    const { events } = step
    problem.build(step, island)
    workOn('impacts', system.contactCount, system.rowCount)
    this.reserve(system.rowCount)
    const { u, p, restitution, least, simultaneous, impact, bounce } = this
    system.velocitiesOf(step.state.v, u)
    if (step.contacts.runs) addRunning(system, step.contacts, u)
    if (!this.setTargets(problem, step)) return
    if (!simultaneous.solve(system, u, restitution, least, p)) this.fail(step)
    if (simultaneous.isFallback) events.fallbacks++
    events.iterations += simultaneous.iterations
    system.addVelocity(p, this.change)
    problem.loops.addIslandForces(system, p, step)
    const { index, contactCount, first } = system
    for (let m = 0; m < contactCount; m++) {
      for (let r = first[m], k = 3 * index[m]; r < first[m + 1]; r++, k++) impact[k] = p[r]
      bounce[index[m]] = restitution[m] > 0 ? Number.POSITIVE_INFINITY : 0
    }
  }

  /** Sets Coulomb's law, restitution, and the least normal velocities without it. @returns whether any contact has an impact */
  private setTargets(problem: ImpulseProblem, step: ContactStep): boolean {
    const { system } = problem
    const { index, contactCount, groupCount, first, kind, limit } = system
    const { least, restitution } = this
    const { gap, restitution: given } = step.contacts
    restitution.fill(0, 0, groupCount)
    this.setJointTargets(problem, step)
    let found = false
    for (let m = 0; m < contactCount; m++) {
      const i = index[m]
      // independent of the friction of the law's forces
      if (first[m + 1] - first[m] === 3) kind[m] = GroupKind.frictional
      limit[m] = problem.contacts.friction[i]
      least[m] = gap[i] > 0 ? -gap[i] / step.dt : 0
      if (!this.hits(problem, step, i)) continue
      if (this.isFast(problem.contacts.uStart, given, i)) found = true
      if (!this.hasRestitution(problem.contacts.uStart, given, i)) continue
      restitution[m] = given[i]
      least[m] = 0 // resolved now, whatever its remaining gap
    }
    return found
  }

  /** Sets the least velocities of joints, from their limits; dry friction and resistances have no impulse in an instant. */
  private setJointTargets({ system, joints }: ImpulseProblem, { dt }: ContactStep): void {
    const { start, index, contactCount, groupCount, kind, limit } = system
    const { least } = this
    least.fill(0, contactCount, groupCount)
    limit.fill(0, start[sources.torsionRolling], groupCount)
    for (let g = start[sources.joint]; g < start[sources.joint + 1]; g++) {
      const distance = joints.distanceToLimit[index[g]]
      if (kind[g] === GroupKind.bounded) limit[g] = 0
      else if (kind[g] === GroupKind.unilateral && distance > 0) least[g] = -distance / dt
    }
  }

  /** Compensates in advance the speed that rebounding contacts lose to forces within the step. */
  private restoreSpeeds(step: ContactStep, impulses: ImpulseStep): void {
    const { contacts, state, data } = step
    const { problem, M, L, vFree } = impulses
    const { bounce, targets, change } = this
    impulses.begin(step)
    impulses.beginPasses(step)
    impulses.freeVelocity(step)
    problem.contacts.rows.velocity(problem.contacts.uFree, vFree, contacts.count)
    let loses = false
    this.hasBounces = false
    for (let i = 0; i < contacts.count; i++) {
      bounce[i] = Math.max(Math.min(bounce[i], problem.contacts.uStart[3 * i]), 0)
      targets.active[i] = bounce[i] > 0 ? 1 : 0
      if (bounce[i] > 0) this.hasBounces = true
      targets.gap[i] = 0
      if (problem.contacts.uFree[3 * i] < bounce[i] * (1 - NO_LOSS)) loses = true
    }
    if (!loses || this.trigger === impactTrigger.smooth) return
    M.set(data.M)
    factorize(step.model, M, L)
    change.fill(0)
    problem.prepare(step, M, L, vFree, targets)
    for (let n = 0; n < problem.islands.count; n++) this.keepIsland(problem, step, n, vFree)
    for (let k = 0; k < change.length; k++) state.v[k] += change[k]
  }

  private keepIsland(problem: ImpulseProblem, step: ContactStep, island: number, vFree: Float64Array): void {
    const { system } = problem
    const { events } = step
    problem.build(step, island)
    const { index, contactCount, first, kind, limit } = system
    if (contactCount === 0) return
    workOn('impacts', contactCount, system.rowCount)
    this.reserve(system.rowCount)
    const { u, p, least, simultaneous, bounce, kept } = this
    system.velocitiesOf(vFree, u)
    this.setJointTargets(problem, step)
    for (let m = 0; m < contactCount; m++) {
      if (first[m + 1] - first[m] === 3) kind[m] = GroupKind.frictional
      limit[m] = 0
      least[m] = bounce[index[m]]
    }
    const found = simultaneous.solveInelastic(system, u, least, p)
    if (!found || simultaneous.isFallback) events.fallbacks++
    events.iterations += simultaneous.iterations
    system.addVelocity(p, this.change)
    problem.loops.addIslandForces(system, p, step)
    for (let m = 0; m < contactCount; m++) kept[3 * index[m]] = p[first[m]]
  }

  private record(contacts: ContactSet, { contacts: { patch } }: ImpulseProblem): void {
    const { impact, kept, sequential, resolved } = this
    const room = 7 * (resolved.count + contacts.count)
    if (room > this.given.length) this.given = grown(this.given, 2 * room)
    for (let i = 0; i < contacts.count; i++) {
      if (impact[3 * i] === 0 && kept[3 * i] === 0) continue
      const n = resolved.count
      resolved.append(contacts, i)
      for (let r = 0; r < 3; r++) {
        this.given[7 * n + r] = impact[3 * i + r]
        this.given[7 * n + 3 + r] = kept[3 * i + r]
      }
      this.given[7 * n + 6] = 0
      // in pairwise impacts friction acts at the points
      if (sequential === undefined) patch?.addMoment(this.given, 7 * n + 6, impact, i)
    }
  }

  /**
   * Adds the impulses of this step's impacts to those of the step itself. The contacts are those of `resolve`, or those detected at the
   * step's end, matched by features. A contact that is no longer detected is appended, since at another point its impulse would have
   * another lever arm.
   */
  report(contacts: ContactSet): void {
    const { given, resolved } = this
    for (let n = 0; n < resolved.count; n++) {
      const found = find(contacts, resolved.pair[n], resolved.feature[n])
      const k = found < 0 ? contacts.count : found
      if (found < 0) {
        contacts.append(resolved, n)
        for (let r = 3 * k; r < 3 * k + 3; r++) {
          contacts.impulse[r] = 0
          contacts.impact[r] = 0
          contacts.moment[r] = 0
        }
      }
      for (let r = 0; r < 3; r++) {
        contacts.impact[3 * k + r] += given[7 * n + r]
        contacts.impulse[3 * k + r] += given[7 * n + r] + given[7 * n + 3 + r]
      }
      contacts.moment[3 * k] += given[7 * n + 6]
    }
  }

  private fail({ events, state }: ContactStep): void {
    events.failures++
    if (events.firstFailure === '') {
      events.firstFailure = `${this.name}: no impulses of impacts were found, at t = ${Number(state.t[0].toPrecision(9))} s; the step was taken without them`
    }
  }

  private reserve(rows: number): void {
    if (rows <= this.p.length) return
    this.u = new Float64Array(2 * rows)
    this.p = new Float64Array(2 * rows)
    this.restitution = new Float64Array(2 * rows)
    this.least = new Float64Array(2 * rows)
  }
}

/** u += the velocity of surfaces that run, of an island's rows. */
function addRunning({ contactCount, index, first }: ImpulseProblem['system'], { running }: ContactSet, u: Float64Array): void {
  for (let m = 0; m < contactCount; m++) for (let r = first[m], k = 3 * index[m]; r < first[m + 1]; r++, k++) u[r] += running[k]
}

/** Index of the contact with this pair and feature, -1 if there is none. */
function find({ count, pair, feature }: ContactSet, ofPair: number, ofFeature: number): number {
  for (let k = 0; k < count; k++) if (pair[k] === ofPair && feature[k] === ofFeature) return k
  return -1
}

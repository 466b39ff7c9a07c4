import type { ImpulseProblem, RowConditions } from '../../constraints/index.ts'
import type { ContactModelContext, ContactStep } from '../../contactModel.ts'
import { GroupKind } from '../../solvers/index.ts'
import type { StageImpulses } from '../stageImpulses.ts'
import { Drift, type DriftChoice } from './drift.ts'
import { PART, RowChange } from './rowChange.ts'

/** Slip below which it has no direction, and friction is static [m/s]. */
const NO_SLIP = 1e-6
/** Slip at the end of the step below which a contact has stopped, not reversed [m/s]. */
const STOPPED = 1e-9
/** Least cosine between slips at start and end that count as having one direction: 4 degrees. */
const ALONG = 0.9976
/**
 * Largest fraction of the slip that contact impulses may change within a step for friction in the next to oppose its initial slip: from 1
 * on, friction along a direction one step old makes slip oscillate.
 */
const STEADY = 0.5
/** Most solves of one step because of turned slips; then all friction opposes the slip of the end. */
const TURN_LIMIT = 6
/** Largest gap of a touching contact [m]. */
const TOUCHING = 1e-9
/** `ContactSource.mode`: friction against the slip of the end. */
const AT_END = 1

/** Reasons for an impulse in place of forces: none exist, or several solutions do. Last entries of a step's solvers. */
export const impulses = ['impulse-inconsistent', 'impulse-indeterminate'] as const
/** Indices of these, counted from the end of the solvers. */
const INCONSISTENT = 2
const INDETERMINATE = 1

/**
 * The conditions of forces f on rows whose unknowns are p = h f and whose velocities are those of the end of the step:
 *
 *   coulomb   a contact that slips at the start of the step has friction mu p_n against that slip, if its slip at the end is within
 *             4 degrees of it; other contacts obey Coulomb's law at the end. `isIndeterminate` tests whether the
 *             solution is one of several; if so, or if there is none, an impulse without collision replaces it
 *   lagged    friction is against the slip of the end, and bounded by mu times p_n of the last step: P. Lötstedt, Numerical simulation of
 *             time-dependent contact and friction problems in rigid body mechanics, SIAM J. Sci. Stat. Comput. 5 (1984), as Baraff's survey
 *             has it in its sections 7.1 and 7.2, with a disc in place of an interval along each of two tangents (Panagiotopoulos,
 *             Ingenieur-Archiv 44, 1975: friction of a given bound). A new contact uses its p_n of this step without
 *             friction
 *
 * Penetrations are corrected by `Drift`.
 *
 * With `integrator: rk4` the conditions are those of a stage, on J a + J̇ v. Each contact of the start of the step has the same target at all
 * stages: the velocity that it is to have removed by the end, and the correction of its gap. J v of a stage, which is of order h², is not
 * removed there: divided by h it would make the step one of order 2.
 */
export class ForceConditions implements RowConditions {
  readonly drift: Drift
  /** Per contact: the bound of lagged friction [N s]. */
  bound = new Float64Array(0)
  private readonly isLagged: boolean
  private readonly choice: DriftChoice
  private readonly h = new Float64Array(1)
  private readonly response = new Float64Array(1)
  private isDeepest = new Uint8Array(0)
  private hasNew = false
  /** J̇ v by differences ahead; with stages ahead and behind, of second order. */
  private readonly changes: readonly RowChange[]
  private readonly stages: StageImpulses | undefined
  /** Per contact of the start of a step with stages: its target, NaN until it is set [m/s]. */
  private target = new Float64Array(0)
  // per row
  private unit = new Float64Array(0)
  private u = new Float64Array(0)

  constructor(context: ContactModelContext, friction: 'coulomb' | 'lagged', choice: DriftChoice, stages?: StageImpulses) {
    this.drift = new Drift(context)
    this.stages = stages
    this.changes = (stages ? [PART, -PART] : [PART]).map((part, _, all) => new RowChange(context.model, part, all.length))
    this.isLagged = friction === 'lagged'
    this.choice = choice
  }

  begin({ contacts, dt }: ContactStep): void {
    if (contacts.capacity > this.bound.length) {
      this.bound = new Float64Array(contacts.capacity)
      this.isDeepest = new Uint8Array(contacts.capacity)
    }
    this.h[0] = dt
    for (let k = 0; k < this.changes.length; k++) this.changes[k].forget()
    if (this.choice === 'deepest-point') this.drift.findDeepest(contacts, this.isDeepest)
  }

  /** Discards the targets of the last step with stages. */
  beginStages({ contacts }: ContactStep): void {
    if (contacts.capacity > this.target.length) this.target = new Float64Array(contacts.capacity)
    this.target.fill(Number.NaN)
  }

  writeContact(out: Float64Array, problem: ImpulseProblem, step: ContactStep, i: number, correct: number): void {
    const { stages, target } = this
    const { gap, pair, feature } = step.contacts
    const { uStart } = problem.contacts
    if (stages === undefined) {
      this.writeTarget(out, problem, step, i, correct)
      if (gap[i] <= TOUCHING && !wasPressed(problem, i)) this.addChange(out, problem, step, i)
      return
    }
    const k = stages.find(pair[i], feature[i])
    const isKnown = k >= 0 && stages.feature[k] === feature[i]
    if (isKnown && !Number.isNaN(target[k])) out[0] = target[k] - uStart[3 * i]
    else this.writeTarget(out, problem, step, i, correct)
    if (isKnown) target[k] = out[0] + uStart[3 * i]
    if (gap[i] <= TOUCHING || wasPressed(problem, i)) this.addChange(out, problem, step, i)
  }

  private addChange(out: Float64Array, problem: ImpulseProblem, step: ContactStep, i: number): void {
    const { changes } = this
    for (let k = 0; k < changes.length; k++) changes[k].add(out, step, i, problem.contacts.uStart)
  }

  /** out[0] := velocity that closes a gap, or corrects a penetration, by the end of the step [m/s]. */
  private writeTarget(
    out: Float64Array,
    problem: ImpulseProblem,
    { contacts, dt }: ContactStep,
    i: number,
    correct: number,
  ): void {
    const gap = contacts.gap[i]
    if (gap >= 0) out[0] = gap / dt
    else if (this.choice === 'pairs' && correct === 1) this.drift.contact(out, contacts, i, problem.contacts.uStart, this.h)
    else out[0] = 0
  }

  writeLimit(out: Float64Array, { joints }: ImpulseProblem, { dt }: ContactStep, j: number, correct: number): void {
    if (joints.distanceToLimit[j] >= 0) out[0] = joints.distanceToLimit[j] / dt
    else if (correct === 1) this.drift.limit(out, joints, j, this.h)
    else out[0] = 0
  }

  setGroups(problem: ImpulseProblem): void {
    const { uStart, guess, mode, friction } = problem.contacts
    const { index, contactCount, kind, limit, corner } = problem.system
    const { bound } = this
    this.hasNew = false
    for (let m = 0; m < contactCount; m++) {
      const i = index[m]
      if (kind[m] !== GroupKind.frictional) continue
      if (this.isLagged) {
        kind[m] = GroupKind.disc
        const before = guess[3 * i]
        if (Number.isNaN(before)) this.hasNew = true
        bound[i] = before > 0 ? friction[i] * before : 0
        limit[m] = bound[i]
        continue
      }
      const x = uStart[3 * i + 1]
      const y = uStart[3 * i + 2]
      const slip = Math.sqrt(x * x + y * y)
      if (slip <= NO_SLIP || mode[i] === AT_END) continue
      kind[m] = GroupKind.sliding
      corner[2 * m] = x / slip
      corner[2 * m + 1] = y / slip
    }
  }

  solve(problem: ImpulseProblem, step: ContactStep): boolean {
    const found = this.isLagged ? this.findLagged(problem, step) : this.findForces(problem, step)
    if (found && this.choice === 'deepest-point') this.superpose(problem, step)
    return found
  }

  private findLagged(problem: ImpulseProblem, step: ContactStep): boolean {
    if (!problem.solver.solveRows(problem, step)) return false
    if (!this.hasNew) return true
    this.hasNew = false
    const { guess, friction } = problem.contacts
    const { index, contactCount, kind, limit, first, p } = problem.system
    for (let m = 0; m < contactCount; m++) {
      const i = index[m]
      if (kind[m] !== GroupKind.disc || !Number.isNaN(guess[3 * i])) continue
      this.bound[i] = friction[i] * p[first[m]]
      limit[m] = this.bound[i]
    }
    return problem.solver.solveRows(problem, step)
  }

  private findForces(problem: ImpulseProblem, step: ContactStep): boolean {
    for (let turn = 1; ; turn++) {
      if (!problem.solver.solveRows(problem, step)) return this.resolve(problem, step, INCONSISTENT)
      if (this.isIndeterminate(problem, step)) return this.resolve(problem, step, INDETERMINATE)
      if (!this.turns(problem, turn === TURN_LIMIT)) break
    }
    this.noteSlips(problem)
    return true
  }

  /** Makes friction oppose the slip of the end where slip has turned, or everywhere. @returns whether any contact changed */
  private turns({ system }: ImpulseProblem, all: boolean): boolean {
    const { contactCount, kind, first, corner, scale, soft, p, w } = system
    let found = false
    for (let m = 0; m < contactCount; m++) {
      const r = first[m]
      if (kind[m] !== GroupKind.sliding || !(p[r] > 0)) continue
      const x = (p[r + 1] - w[r + 1]) * scale[m] - soft[r + 1] * p[r + 1]
      const y = (p[r + 2] - w[r + 2]) * scale[m] - soft[r + 2] * p[r + 2]
      const slip = Math.sqrt(x * x + y * y)
      if (!all && (slip <= STOPPED || corner[2 * m] * x + corner[2 * m + 1] * y >= ALONG * slip)) continue
      kind[m] = GroupKind.frictional
      found = true
    }
    return found
  }

  /** Prepares the next step: contacts with steady slip have friction opposed to the slip of its start. */
  private noteSlips({ system, contacts: { uStart, uFree, mode } }: ImpulseProblem): void {
    const { index, contactCount, kind, first, scale, soft, p, w } = system
    for (let m = 0; m < contactCount; m++) {
      if (kind[m] !== GroupKind.frictional && kind[m] !== GroupKind.sliding) continue
      const i = index[m]
      const r = first[m]
      mode[i] = 0
      if (!(p[r] > 0)) continue
      const x = uStart[3 * i + 1]
      const y = uStart[3 * i + 2]
      const dx = (p[r + 1] - w[r + 1]) * scale[m] - soft[r + 1] * p[r + 1] - uFree[3 * i + 1]
      const dy = (p[r + 2] - w[r + 2]) * scale[m] - soft[r + 2] * p[r + 2] - uFree[3 * i + 2]
      if (dx * dx + dy * dy > STEADY * STEADY * (x * x + y * y)) mode[i] = AT_END
    }
  }

  /**
   * Whether the forces found are one solution of several: their system has the sign of paired solutions (`ContactNewton.orientation`), or a
   * slipping, touching contact is released although a force on it would press it on (Painlevé).
   */
  private isIndeterminate(problem: ImpulseProblem, step: ContactStep): boolean {
    // the sign belongs to the last system solved, not necessarily to the solution
    if (problem.solver.orientation < 0 && problem.solver.solveRows(problem, step) && problem.solver.orientation < 0) return true
    const { index, contactCount, kind, first, limit, corner, p } = problem.system
    for (let m = 0; m < contactCount; m++) {
      const r = first[m]
      const i = index[m]
      if (kind[m] !== GroupKind.sliding || p[r] > 0 || step.contacts.gap[i] > TOUCHING) continue
      if (problem.contacts.uStart[3 * i] > STOPPED && !wasPressed(problem, i)) continue // it separates already
      this.respond(problem, r)
      const { u } = this
      if (u[r] - limit[m] * (corner[2 * m] * u[r + 1] + corner[2 * m + 1] * u[r + 2]) < 0) return true
    }
    return false
  }

  /** u := column r of W. */
  private respond({ system }: ImpulseProblem, r: number): void {
    if (system.rowCount > this.u.length) {
      this.unit = new Float64Array(2 * system.rowCount)
      this.u = new Float64Array(2 * system.rowCount)
    }
    const { unit, u } = this
    unit.fill(0, 0, system.rowCount)
    unit[r] = 1
    system.respond(unit, u)
    u[r] += system.soft[r]
  }

  /** Solves the same contacts with Coulomb's law at the end of the step throughout: an impact without collision, which always exists. */
  private resolve(problem: ImpulseProblem, step: ContactStep, fromLast: number): boolean {
    const { contactCount, kind, rowCount, w } = problem.system
    for (let m = 0; m < contactCount; m++) if (kind[m] === GroupKind.sliding) kind[m] = GroupKind.frictional
    w.fill(Number.NaN, 0, rowCount)
    step.events.fallbacks++
    return problem.solver.solveNewton(problem, step, step.events.solvers.length - fromLast)
  }

  /** Adds each pair's spring and damper at its deepest point; total forces stay non-negative. */
  private superpose(problem: ImpulseProblem, { contacts: set }: ContactStep): void {
    const { uStart } = problem.contacts
    const { index, contactCount, first, p, w } = problem.system
    const { response, isDeepest, drift, h } = this
    for (let m = 0; m < contactCount; m++) {
      const i = index[m]
      const r = first[m]
      if (isDeepest[i] === 0) continue
      this.respond(problem, r)
      response[0] = this.u[r]
      drift.impulse(response, set, i, uStart, h)
      const sum = p[r] + response[0]
      if (sum > 0) w[r] = sum
      p[r] = sum > 0 ? sum : 0
    }
  }
}

/** Whether contact i had a force in the previous step, which made J v of its rows zero, so that J v is now h J̇ v. */
function wasPressed({ contacts }: ImpulseProblem, i: number): boolean {
  return contacts.guess[3 * i] > 0
}

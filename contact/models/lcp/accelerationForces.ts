import type { Data } from '../../../dynamics/index.ts'
import type { ContactModelContext, ContactStep, SolverEvents } from '../../contactModel.ts'
import type { ContactSet } from '../../contactSet.ts'
import { SimultaneousImpulses } from '../../impacts/index.ts'
import { LoopRows } from '../../loops/index.ts'
import type { SavedProblem, SavedRow } from '../../savedProblem.ts'
import {
  BaraffSolver,
  GroupKind,
  LemkeSolver,
  NewtonSolver,
  PyramidSolver,
  pyramidSides,
  type SolverStatus,
  UNKNOWN_MODE,
} from '../../solvers/index.ts'
import { ContactRows } from '../contactRows.ts'
import { Islands } from '../velocityLevel/islands.ts'
import { JointRows } from '../velocityLevel/jointRows.ts'
import { WarmStart } from '../velocityLevel/warmStart.ts'
import { AccelerationProblem } from './accelerationProblem.ts'
import { Drift, type DriftChoice } from './drift.ts'
import { LaggedFriction, laggedSolvers } from './laggedFriction.ts'
import { SlidingProblem } from './slidingProblem.ts'
import { createTreeInertia, type MatrixChoice, type TreeInertia } from './treeInertia.ts'

/** The chains of solvers, in the order in which they are asked; places in `SolverEvents.solvers`. */
export const solverNames = {
  coulomb: ['baraff', 'lemke', 'impulse'],
  lagged: laggedSolvers,
} as const
const BARAFF = 0
const LEMKE = 1
const IMPULSE = 2

/** Sides of the pyramid of impulses. */
const SIDES = 16
/** Approach speed below which there is no impact where there is no gravity [m/s]. */
const LEAST_APPROACH = 1e-8
/** A contact that is no farther apart than this touches [m]. */
const TOUCHING = 1e-9
/** Faster than this softness does not yield unless rows contradict each other [m/s]. */
const LARGEST_YIELD = 1e-3
/** Rows that trouble counts for, when the problem to be shown is chosen. */
const TROUBLE = 1_000_000
/** Part of what a loop has come apart that one step takes away. */
const LOOP_SHARE = 0.2
/** Contacts, limits and loops are remembered for so many in any case, and for so many of each pair of shapes; no more than. */
const LEAST_REMEMBERED = 8
const REMEMBERED_PER_PAIR = 4
const MOST_REMEMBERED = 20_000

export interface AccelerationOptions {
  /** Coulomb's law; or friction bounded by the normal forces of the step before. */
  readonly friction: 'coulomb' | 'lagged'
  readonly compliance: number
  readonly drift: DriftChoice
  readonly restitutionThreshold: number
  /** Whether impacts are met here, all at once. */
  readonly simultaneous: boolean
  readonly matrix: MatrixChoice
}

/**
 * Contact forces at the level of accelerations, island by island, and the impulses that go before them.
 *
 * `begin` once a step; `impacts` at most once, for the matrix of M; `solve` for every guess of what the joints' friction does.
 */
export class AccelerationForces {
  readonly inertia: TreeInertia
  readonly memorySize: number
  private readonly rows: ContactRows
  private readonly nv: number
  private readonly options: AccelerationOptions
  private readonly loops: LoopRows
  private readonly joints: JointRows
  private readonly islands: Islands
  private readonly warm: WarmStart
  private readonly problem: AccelerationProblem
  private readonly drift: Drift
  private readonly baraff = new BaraffSolver()
  private readonly sliding = new SlidingProblem()
  private readonly velocityNewton = new NewtonSolver('pyramid', SIDES)
  private readonly velocityPivoting: PyramidSolver
  private readonly lagged = new LaggedFriction()
  private readonly simultaneous: SimultaneousImpulses
  /** 1: epsilon, the approach speed from which on there are impacts; and the time step. */
  private readonly leastApproach: Float64Array
  private readonly h = new Float64Array(1)
  /** nv: Σ Y f. */
  private readonly column: Float64Array
  /** loops.count x nv. */
  private readonly loopJ: Float64Array

  // per contact, 3: velocity at the start of the step, and at its end without contact; impulse [N s]; and per contact, what it does
  private u = new Float64Array(0)
  private uFree = new Float64Array(0)
  private impulse = new Float64Array(0)
  private impact = new Float64Array(0)
  private mode = new Int8Array(0)
  private isDeepest = new Uint8Array(0)
  private impacted = false
  /** Per contact: the speed at which it has bounced in this step, 0 if it has not [m/s]. */
  private bounce = new Float64Array(0)
  // per row of joints and of loops
  private readonly limitMode: Int8Array
  private readonly noImpulse = new Float64Array(3)
  /** 3 a contact: the forces of the step before along its normal and tangents [N]. */
  private before = new Float64Array(0)

  /** The island that `save` shows, -1 for none, and its rows. */
  private shownIsland = -1
  private shownRows = 0

  // per row, and per group, of the present island
  private f = new Float64Array(0)
  private uRow = new Float64Array(0)
  private added = new Float64Array(0)
  private least = new Float64Array(0)
  private inelastic = new Float64Array(0)
  private groupMode = new Int8Array(0)
  private diagonal = new Float64Array(0)

  constructor(context: ContactModelContext, options: AccelerationOptions) {
    const { model, pairCount } = context
    const { nv } = model
    this.nv = nv
    this.options = options
    this.loops = new LoopRows(model, context.loops)
    this.rows = new ContactRows(model, this.loops)
    this.inertia = createTreeInertia(options.matrix, model, this.rows)
    this.joints = new JointRows(model, false)
    this.islands = new Islands(model, this.rows.pattern, this.joints, this.loops)
    this.loopJ = new Float64Array(this.loops.count * nv)
    this.problem = new AccelerationProblem(this.rows, this.joints, this.loops, this.loopJ, this.inertia, nv, options.compliance)
    this.warm = new WarmStart(
      Math.min(LEAST_REMEMBERED + REMEMBERED_PER_PAIR * pairCount + this.joints.capacity, MOST_REMEMBERED),
    )
    this.memorySize = this.warm.memorySize
    this.drift = new Drift(context)
    this.velocityPivoting = new PyramidSolver(new LemkeSolver(1e-8), pyramidSides(SIDES))
    this.simultaneous = new SimultaneousImpulses(SIDES)
    this.leastApproach = Float64Array.of(Math.max(LEAST_APPROACH, context.gravity * context.dt))
    this.column = new Float64Array(nv)
    this.limitMode = new Int8Array(this.joints.capacity)
  }

  get driftPhysics(): Drift['physics'] {
    return this.drift.physics
  }

  /** Rows and velocities at the start of the step. Reads kinematics in step.data. */
  begin({ data, contacts, state, dt, memory }: ContactStep): void {
    const { rows, loops } = this
    this.reserve(contacts.capacity)
    this.h[0] = dt
    if (this.impacted) this.bounce.fill(0)
    this.impacted = false
    if (loops.count > 0) this.beginLoops(data)
    rows.buildMoving(data, contacts, state.v, this.u)
    const { warm, mode, before } = this
    const { count, pair, feature } = contacts
    for (let i = 0; i < count; i++) {
      mode[i] = rows.size[i] > 0 ? warm.recall(memory, pair[i], feature[i], before, 3 * i) : UNKNOWN_MODE
    }
  }

  private beginLoops(data: Data): void {
    const { loops, loopJ, nv } = this
    loops.build(data)
    for (let r = 0; r < loops.count; r++) loops.writeRow(data, r, loopJ, r * nv)
  }

  private reserve(capacity: number): void {
    if (capacity <= this.mode.length) return
    this.u = new Float64Array(3 * capacity)
    this.before = new Float64Array(3 * capacity)
    this.uFree = new Float64Array(3 * capacity)
    this.impulse = new Float64Array(3 * capacity)
    this.impact = new Float64Array(3 * capacity)
    this.bounce = new Float64Array(capacity)
    this.mode = new Int8Array(capacity)
    this.isDeepest = new Uint8Array(capacity)
  }

  private reserveIsland(): void {
    const { rowCount, groupCount } = this.problem
    if (rowCount > this.f.length) {
      this.f = new Float64Array(2 * rowCount)
      this.uRow = new Float64Array(2 * rowCount)
      this.added = new Float64Array(2 * rowCount)
      this.diagonal = new Float64Array(2 * rowCount)
    }
    if (groupCount > this.groupMode.length) {
      this.groupMode = new Int8Array(2 * groupCount)
      this.least = new Float64Array(2 * groupCount)
      this.inelastic = new Float64Array(2 * groupCount)
    }
  }

  // impacts

  /** Whether anything approaches so fast that it impacts, if the velocity without contact were vFree. */
  hasImpacts({ contacts }: ContactStep, vFree: Float64Array): boolean {
    const { rows, uFree } = this
    if (!this.options.simultaneous) return false
    rows.velocity(uFree, vFree, contacts.count)
    for (let i = 0; i < contacts.count; i++) if (rows.size[i] > 0 && this.hits(contacts, i)) return true
    return false
  }

  /** Whether contact i closes within the step, and faster than what is a matter of forces. */
  private hits({ gap }: ContactSet, i: number): boolean {
    const { u, uFree, leastApproach, h } = this
    return u[3 * i] < -leastApproach[0] && gap[i] + h[0] * uFree[3 * i] < 0
  }

  /**
   * v += M⁻¹ Jᵀ p for all impacts at once; `inertia` is to be M's.
   */
  meetImpacts(step: ContactStep, vFree: Float64Array): void {
    const { contacts, state, events } = step
    const { islands, joints, loops, rows, column, impact, problem, simultaneous, bounce, inertia } = this
    joints.find(step, vFree)
    islands.find(contacts, joints, loops)
    impact.fill(0, 0, 3 * contacts.count)
    column.fill(0)
    for (let n = 0; n < islands.count; n++) {
      problem.gather(contacts, islands, n, this.u, this.u)
      this.reserveIsland()
      if (!this.setImpacts(step)) continue
      problem.build(contacts)
      problem.soften(islands.heaviest, n)
      const { f, uRow, least, inelastic } = this
      if (!simultaneous.solve(problem, uRow, least, inelastic, f)) this.fail(events, step, 'no impulses of impacts were found')
      events.iterations += simultaneous.iterations
      inertia.addForces(problem, f, column)
      problem.scatter(f, impact)
      for (let g = 0; g < problem.contactCount; g++) if (least[g] > 0) bounce[problem.member[g]] = least[g]
    }
    inertia.finish(column)
    for (let k = 0; k < column.length; k++) state.v[k] += column[k]
    rows.velocity(this.u, state.v, contacts.count)
    // it keeps over the step the speed that it leaves with: so gravity has no more of it on the way up than it had on the way down
    for (let i = 0; i < contacts.count; i++) if (bounce[i] > 0) bounce[i] = Math.max(Math.min(bounce[i], this.u[3 * i]), 0)
    this.impacted = true
  }

  /** Velocities of the island's rows before impacts, and what they are to be at least after; whether anything impacts. */
  private setImpacts({ contacts, state }: ContactStep): boolean {
    const { problem, u, uRow, least, inelastic, joints, h, options } = this
    const { member, first, contactCount, limitCount, groupCount } = problem
    const { gap, restitution } = contacts
    let found = false
    for (let g = 0; g < contactCount; g++) {
      const i = member[g]
      const n = first[g]
      const un = u[3 * i]
      uRow[n] = un
      if (first[g + 1] - n === 3) problem.turnTangents(g, u, 3 * i, uRow)
      inelastic[g] = gap[i] > 0 ? -gap[i] / h[0] : 0
      least[g] = inelastic[g]
      if (!this.hits(contacts, i)) continue
      found = true
      if (-un > options.restitutionThreshold && restitution[i] > 0) least[g] = -restitution[i] * un
    }
    for (let g = contactCount; g < groupCount; g++) {
      const i = member[g]
      if (g < contactCount + limitCount) {
        uRow[first[g]] = joints.sign[i] * state.v[joints.velocity[i]]
        inelastic[g] = joints.room[i] > 0 ? -joints.room[i] / h[0] : 0
      } else {
        this.writeLoopVelocity(i, state.v, uRow, first[g])
        inelastic[g] = 0
      }
      least[g] = inelastic[g]
    }
    return found
  }

  /** out[at] := the rate of a loop's row at velocity v. */
  private writeLoopVelocity(r: number, v: Float64Array, out: Float64Array, at: number): void {
    const { loopJ, loops, nv } = this
    const { velocities } = loops
    let sum = 0
    const end = loops.first[r] + loops.size[r]
    for (let a = loops.first[r]; a < end; a++) sum += loopJ[r * nv + velocities[a]] * v[velocities[a]]
    out[at] = sum
  }

  // forces

  /**
   * vNext = vFree + dt M~⁻¹ Jᵀ f; `inertia` is to be M~ = M + dt D.
   *
   * @param vFree nv: velocity at the end of the step without contact
   */
  solve(step: ContactStep, vFree: Float64Array, vNext: Float64Array): void {
    const { contacts, events, memory, dt } = step
    const { rows, islands, joints, loops, column, warm, limitMode, noImpulse, impulse, inertia } = this
    rows.velocity(this.uFree, vFree, contacts.count)
    joints.find(step, vFree)
    for (let j = 0; j < joints.count; j++) {
      limitMode[j] = warm.recall(memory, -1 - joints.velocity[j], joints.feature[j], noImpulse, 0)
    }
    islands.find(contacts, joints, loops)
    if (this.options.drift === 'deepest-point') this.drift.findDeepest(contacts, this.isDeepest)
    impulse.fill(0, 0, 3 * contacts.count)
    column.fill(0)
    this.shownIsland = -1
    this.shownRows = 0
    for (let n = 0; n < islands.count; n++) {
      const before = events.failures + events.fallbacks
      this.solveIsland(step, vFree, n)
      // the one to be shown: that in trouble, else the largest
      const rowCount = this.problem.rowCount + (events.failures + events.fallbacks > before ? TROUBLE : 0)
      if (rowCount <= this.shownRows) continue
      this.shownRows = rowCount
      this.shownIsland = n
    }
    inertia.finish(column)
    for (let k = 0; k < column.length; k++) vNext[k] = vFree[k] + dt * column[k]
  }

  private solveIsland(step: ContactStep, vFree: Float64Array, island: number): void {
    const { contacts, events } = step
    const { problem, islands, options, mode, limitMode, before, inertia } = this
    problem.gather(contacts, islands, island, this.u, options.friction === 'lagged' ? this.uFree : this.u)
    this.reserveIsland()
    const { f, groupMode } = this
    problem.build(contacts)
    problem.soften(islands.heaviest, island)
    const { member, contactCount, limitCount, groupCount } = problem
    for (let g = 0; g < groupCount; g++) {
      groupMode[g] = g < contactCount ? mode[member[g]] : g < contactCount + limitCount ? limitMode[member[g]] : UNKNOWN_MODE
      if (problem.kind[g] === GroupKind.frictional) problem.turnTangents(g, before, 3 * member[g], f)
    }
    this.setRight(step, vFree, 1)
    let solved = this.findForces(step)
    if (solved && this.yields()) {
      // corrections that contradict each other, as in a body squeezed between two walls: this step makes none
      events.fallbacks++
      this.setRight(step, vFree, 0)
      solved = this.findForces(step)
    }
    if (!solved) {
      f.fill(0, 0, problem.rowCount)
      groupMode.fill(UNKNOWN_MODE, 0, groupCount)
    }
    if (options.drift === 'deepest-point') this.superpose(contacts)
    inertia.addForces(problem, f, this.column)
    problem.scatter(f, this.impulse)
    for (let g = 0; g < contactCount + limitCount; g++) {
      if (g < contactCount) mode[member[g]] = groupMode[g]
      else limitMode[member[g]] = groupMode[g]
    }
  }

  /** What every row's acceleration is without forces, less what it is to be at least. Penetrations recede if `correct` is 1. */
  private setRight({ contacts, state }: ContactStep, vFree: Float64Array, correct: number): void {
    const { problem, uFree, u, added, bounce, joints, loops, h, drift, options } = this
    const { right, member, first, contactCount, limitCount, groupCount } = problem
    const { gap } = contacts
    const rate = 1 / h[0]
    const recedes = options.drift === 'pairs' && correct === 1
    for (let g = 0; g < contactCount; g++) {
      const i = member[g]
      const n = first[g]
      if (bounce[i] > 0) added[n] = bounce[i]
      else if (gap[i] >= 0) added[n] = -gap[i] * rate
      else if (recedes) drift.contact(contacts, i, u, h, added, n)
      else added[n] = 0
      right[n] = rate * (uFree[3 * i] - added[n])
      if (first[g + 1] - n !== 3) continue
      problem.turnTangents(g, uFree, 3 * i, right)
      right[n + 1] *= rate
      right[n + 2] *= rate
    }
    for (let g = contactCount; g < groupCount; g++) {
      const i = member[g]
      const n = first[g]
      if (g < contactCount + limitCount) {
        const k = joints.velocity[i]
        drift.limit(joints.room, i, k, joints.sign[i], state.v, h, added, n)
        if (correct === 0 && joints.room[i] < 0) added[n] = 0
        right[n] = rate * (joints.sign[i] * vFree[k] - added[n])
      } else {
        added[n] = -LOOP_SHARE * rate * correct * loops.error[i]
        this.writeLoopVelocity(i, vFree, right, n)
        right[n] = rate * (right[n] - added[n])
      }
    }
  }

  /** Whether some contact or limit is held by softness alone: its rows ask for what cannot be. */
  private yields(): boolean {
    const { problem, f, h } = this
    const { groupCount, first, soft } = problem
    for (let g = 0; g < groupCount; g++) if (h[0] * soft[first[g]] * f[first[g]] > LARGEST_YIELD) return true
    return false
  }

  private findForces(step: ContactStep): boolean {
    const { problem, baraff, sliding, f, groupMode } = this
    const { events } = step
    if (this.options.friction === 'lagged') return this.findLagged(step)
    const status = baraff.solve(problem, problem.slip, f, groupMode)
    events.iterations += baraff.iterations
    if (status === 'solved') {
      if (!this.isIndeterminate(step.contacts)) {
        events.solvers[BARAFF].solved++
        if (baraff.residual[0] > events.residualMax) events.residualMax = baraff.residual[0]
        return true
      }
      events.solvers[BARAFF].failed++
      return this.resolve(step, 'indeterminate')
    }
    events.solvers[BARAFF].failed++
    const pivoted = sliding.solve(problem, problem.slip, f)
    events.iterations += sliding.iterations
    if (pivoted === 'solved') {
      events.solvers[LEMKE].solved++
      noteResidual(events, sliding.residual)
      groupMode.fill(UNKNOWN_MODE, 0, problem.groupCount)
      return true
    }
    events.solvers[LEMKE].failed++
    return this.resolve(step, pivoted)
  }

  private findLagged(step: ContactStep): boolean {
    const { problem, lagged, before, f, groupMode } = this
    const { events } = step
    const { iterations } = lagged
    const solver = lagged.solve(problem, before, f, groupMode)
    events.iterations += lagged.iterations - iterations
    for (let k = 0; k < solverNames.lagged.length && (k <= solver || solver < 0); k++) {
      if (k === solver) events.solvers[k].solved++
      else events.solvers[k].failed++
    }
    if (solver >= 0) noteResidual(events, lagged.residual)
    else this.fail(events, step, `forces with bounded friction were not found on ${problem.rowCount} rows`)
    return solver >= 0
  }

  /**
   * Whether the forces found are one answer of several: their system has the sign that comes in pairs (see `BaraffSolver`), or a contact
   * that slips and touches is let go though a force on it would press it on (Painlevé).
   */
  private isIndeterminate({ gap }: ContactSet): boolean {
    const { problem, baraff, groupMode } = this
    const { contactCount, member, first, slip, limit, W, rowCount } = problem
    if (baraff.orientation < 0) return true
    for (let g = 0; g < contactCount; g++) {
      if (groupMode[g] !== -2 || slip[2 * g] === 0 || gap[member[g]] > TOUCHING) continue
      const n = first[g]
      const at = n * rowCount + n
      if (W[at] - limit[g] * (slip[2 * g] * W[at + 1] + slip[2 * g + 1] * W[at + 2]) < 0) return true
    }
    return false
  }

  /** The same contacts as a problem of velocities at the end of the step: an impact without collision, which always has an answer. */
  private resolve(step: ContactStep, why: SolverStatus | 'indeterminate'): boolean {
    const { problem, velocityNewton, velocityPivoting, f, groupMode } = this
    const { events } = step
    events.fallbacks++
    f.fill(0, 0, problem.rowCount)
    let found = velocityNewton.solve(problem, f, groupMode) === 'solved'
    events.iterations += velocityNewton.iterations
    if (found) noteResidual(events, velocityNewton.residual)
    else {
      f.fill(0, 0, problem.rowCount)
      found = velocityPivoting.solve(problem, f) === 'solved'
      events.iterations += velocityPivoting.iterations
      if (found) noteResidual(events, velocityPivoting.residual)
    }
    groupMode.fill(UNKNOWN_MODE, 0, problem.groupCount)
    if (found) events.solvers[IMPULSE].solved++
    else {
      events.solvers[IMPULSE].failed++
      this.fail(events, step, `forces ended in "${why}" on ${problem.rowCount} rows, and no impulse resolved it`)
    }
    return found
  }

  private fail(events: SolverEvents, { state }: ContactStep, what: string): void {
    events.failures++
    if (events.firstFailure === '') {
      events.firstFailure = `${this.options.friction === 'lagged' ? 'lotstedt' : 'lcp'}: ${what}, at t = ${state.t[0]} s; the step was taken without them`
    }
  }

  /** Adds each pair's spring and damper at its deepest point; what pushes in all pushes still. */
  private superpose(contacts: ContactSet): void {
    const { problem, drift, f, u, h, isDeepest, diagonal, added } = this
    const { contactCount, member, first, W, rowCount } = problem
    for (let r = 0; r < rowCount; r++) diagonal[r] = W[r * rowCount + r]
    for (let g = 0; g < contactCount; g++) {
      const i = member[g]
      if (isDeepest[i] === 0) continue
      const n = first[g]
      drift.force(contacts, i, u, h, diagonal, n, added, n)
      f[n] = f[n] + added[n] > 0 ? f[n] + added[n] : 0
    }
  }

  /** Writes impulses into the contacts, and what each did into the memory. */
  report({ contacts, memory, dt }: ContactStep): void {
    const { impulse, impact, impacted, warm, mode, limitMode, joints, rows, noImpulse } = this
    const { count, pair, feature } = contacts
    for (let i = 0; i < 3 * count; i++) contacts.impulse[i] = dt * impulse[i]
    if (impacted) {
      for (let i = 0; i < 3 * count; i++) {
        contacts.impact[i] = impact[i]
        contacts.impulse[i] += impact[i]
      }
    }
    warm.clear(memory)
    noImpulse.fill(0)
    for (let i = 0; i < count; i++) {
      if (rows.size[i] > 0 && mode[i] !== UNKNOWN_MODE) warm.append(memory, pair[i], feature[i], mode[i], impulse, 3 * i)
    }
    for (let j = 0; j < joints.count; j++) {
      if (limitMode[j] !== UNKNOWN_MODE) {
        warm.append(memory, -1 - joints.velocity[j], joints.feature[j], limitMode[j], noImpulse, 0)
      }
    }
  }

  /**
   * The problem of the last `solve` as plain data, in velocities and impulses: those are its accelerations and forces times the step.
   * Undefined if there was none. The arguments are those of that call; the state may have moved on.
   *
   * @param M nv x nv: M~
   */
  save(step: ContactStep, M: Float64Array, vFree: Float64Array): SavedProblem | undefined {
    if (this.shownIsland < 0) return undefined
    const { contacts, dt, state, events } = step
    const { problem, islands, joints, loopJ, nv, options, before } = this
    problem.gather(contacts, islands, this.shownIsland, this.u, options.friction === 'lagged' ? this.uFree : this.u)
    problem.build(contacts)
    problem.soften(islands.heaviest, this.shownIsland)
    this.setRight(step, vFree, 1)
    const { member, first, limit, soft, contactCount, limitCount, groupCount } = problem
    const { added } = this
    const isLagged = options.friction === 'lagged'
    const list = Array.from(member.subarray(0, contactCount))
    const J = list.flatMap((i) => problem.contactRows(i))
    const tangents = list.flatMap((i, g) =>
      isLagged && limit[g] > 0
        ? [1, 2].map((r): SavedRow => ({ kind: 'bounded', J: J[3 * g + r], added: 0, limit: dt * limit[g] * before[3 * i] }))
        : [],
    )
    const others = Array.from({ length: groupCount - contactCount }, (_, n): SavedRow => {
      const g = contactCount + n
      const own = { added: -added[first[g]] }
      if (n >= limitCount)
        return { kind: 'bilateral', J: Array.from(loopJ.subarray(member[g] * nv, (member[g] + 1) * nv)), ...own }
      const row = Array<number>(nv).fill(0)
      row[joints.velocity[member[g]]] = joints.sign[member[g]]
      return { kind: 'unilateral', J: row, ...own }
    })
    const softOf = (g: number, r: number) => (first[g] + r < first[g + 1] ? soft[first[g] + r] : 0)
    const softTangents = list.flatMap((_, g) => (isLagged && limit[g] > 0 ? [softOf(g, 1), softOf(g, 2)] : []))
    return {
      kind: 'contact',
      M: Array.from({ length: nv }, (_, i) => Array.from(M.subarray(i * nv, (i + 1) * nv))),
      J,
      vFree: Array.from(vFree),
      gap: list.map((i) => contacts.gap[i]),
      mu: list.map((_, g) => (isLagged ? 0 : limit[g])),
      dt,
      allowed: list.map((_, g) => -added[first[g]]),
      rows: [...tangents, ...others],
      softness: [
        ...list.flatMap((_, g) => [0, 1, 2].map((r) => softOf(g, r))),
        ...softTangents,
        ...others.map((_, n) => soft[first[contactCount + n]]),
      ],
      law: 'cone',
      origin: {
        contactModel: isLagged ? 'lotstedt' : 'lcp',
        time: state.t[0],
        solvers: events.solvers.map((count) => ({ ...count })),
      },
    }
  }
}

function noteResidual(events: SolverEvents, residual: Float64Array): void {
  if (residual[0] > events.residualMax) events.residualMax = residual[0]
}

import type { Data } from '../../dynamics/index.ts'
import type { ContactModelContext, ContactStep } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'
import type { SavedProblem } from '../savedProblem.ts'
import { ContactSource } from './contactSource.ts'
import { LengthRows } from './couplings/lengthRows.ts'
import { LoopRows } from './couplings/loopRows.ts'
import { LoopSource } from './couplings/loopSource.ts'
import type { FrictionMethod, ImpulseOptions, RowTargets } from './impulseLaw.ts'
import { IslandSolver, MANY_CONTACTS } from './islandSolver.ts'
import { Islands } from './islands.ts'
import { JointSource } from './jointSource.ts'
import type { RowSource } from './rowSource.ts'
import { IslandToSave, savedProblemOf } from './savedImpulseProblem.ts'
import { TorsionRollingSource } from './torsionRollingSource.ts'
import { VelocitySystem } from './velocitySystem.ts'
import { WarmStart } from './warmStart.ts'

/**
 * Tangential compliance as a fraction of the normal one. Normal compliance distributes the load on many feet; tangential compliance is
 * creep, and only keeps matrices regular.
 */
const TANGENT_SHARE = 0.1
/** Factor on the normal compliance in islands of many contacts, where loads are highly indeterminate; and their tangential fraction. */
const CROWD_FACTOR = 100
const CROWD_TANGENT_SHARE = 0.01
/** Entries of the warm start besides joints and loops: at least, per pair of shapes, and at most. */
const LEAST_REMEMBERED = 8
const REMEMBERED_PER_PAIR = 4
const MOST_REMEMBERED = 20_000

/**
 * Contact problem of one velocity-level step: assembled from contacts, limits and dry friction of joints and lengths, couplings and closed loops, solved, and
 * mapped back to velocities and the contacts' impulses.
 *
 * Rows come from four sources, in the order of `sources`. Each island (`Islands`) is solved by itself: a robot that nothing couples to
 * others gets the same bits as alone.
 *
 * A caller that selects the active contacts itself calls the steps of `solve`: `prepare`, for each island any number of trials by `build`,
 * `solver.solve` and `storeSolution`, then `solveIsland`, and `finish`.
 */
export class ImpulseProblem {
  readonly contacts: ContactSource
  readonly joints: JointSource
  readonly loops: LoopSource
  readonly torsionRolling: TorsionRollingSource
  /** Islands of the last `prepare`. */
  readonly islands: Islands
  /** Rows of the last built island. */
  readonly system: VelocitySystem
  readonly solver: IslandSolver
  /** 1: the model's full step, of which the present one may be a part [s]. */
  readonly wholeStep: Float64Array
  /** 2: a pair's normal compliance times the heaviest tree's mass, and its tangential fraction; of the present island. */
  readonly softness = new Float64Array(2)
  /** 2: fraction of a penetration, and of a loop error, that is corrected, over the step [1/s]. */
  readonly driftRate = new Float64Array(2)
  /** nv: velocity without contact, from the last `prepare`. */
  vFree: Float64Array = new Float64Array(0)
  /** The last built island. */
  island = -1
  private readonly options: ImpulseOptions
  private readonly sources: readonly RowSource[]
  /** Sources with constraints in this step. */
  private readonly present: RowSource[]
  private presentCount = 0
  readonly warm: WarmStart
  /** nv: velocity change by impulses; and by projection, for the velocity that moves positions. */
  private readonly change: Float64Array
  private readonly shift: Float64Array
  private readonly saved: IslandToSave

  constructor(name: string, context: ContactModelContext, method: FrictionMethod, options: ImpulseOptions) {
    const { model, pairCount, dt } = context
    this.options = options
    this.wholeStep = Float64Array.of(dt)
    this.solver = new IslandSolver(name, method, options)
    // of other laws, softness is no part
    const rigid = context.loops?.map(({ softness: _, ...loop }) => loop)
    const loops = new LoopRows(model, options.compliant?.writeLoop ? context.loops : rigid)
    const lengths = new LengthRows(model)
    this.contacts = new ContactSource(context, options, loops, lengths)
    const { rows } = this.contacts
    this.joints = new JointSource(rows, options, lengths, context.physical.limitRestitution)
    this.loops = new LoopSource(rows, loops, options)
    this.torsionRolling = new TorsionRollingSource(this.contacts, loops.count)
    this.sources = [this.contacts, this.joints, this.loops, this.torsionRolling]
    this.present = [...this.sources]
    this.islands = new Islands(model, rows.pattern, this.joints, loops)
    this.system = new VelocitySystem(rows, this.islands)
    const remembered = LEAST_REMEMBERED + REMEMBERED_PER_PAIR * pairCount + this.joints.capacity + loops.count
    this.warm = new WarmStart(Math.min(remembered, MOST_REMEMBERED))
    this.change = new Float64Array(model.nv)
    this.shift = new Float64Array(model.nv)
    this.saved = new IslandToSave(name)
  }

  get memorySize(): number {
    return this.warm.memorySize
  }

  /**
   * Rows of contacts, loops, and torsional and rolling resistance, and the contacts' velocities at the start of the step.
   *
   * @param data  kinematics of the contacts' rows, in place of step.data
   * @param start kinematics of loops and of torsional and rolling rows, at the start of the step like the velocities
   */
  begin(step: ContactStep, data = step.data, start: Data = data): void {
    this.contacts.begin(data, step)
    this.joints.begin(step.state.q, start)
    this.loops.begin(start)
    this.torsionRolling.rows.build(start, step.contacts, this.contacts.rows, step.state.v)
  }

  /**
   * vNext = the velocity at the end of the step; vMove = the velocity that moves positions, different only where projection removes
   * penetrations. Both are vFree if there is no solution.
   *
   * @param M       nv x nv: M~, its lower triangle
   * @param L       its factor
   * @param vFree   nv: velocity at the end of the step without contact
   * @param targets default: all contacts, and their gaps
   */
  solve(
    step: ContactStep,
    M: Float64Array,
    L: Float64Array,
    vFree: Float64Array,
    vNext: Float64Array,
    vMove: Float64Array,
    targets?: RowTargets,
  ): void {
    this.prepare(step, M, L, vFree, targets)
    this.solveIslands(step, vNext, vMove)
  }

  /** Solves the prepared problem again, warm-started from the last solution; `loops.target` may have changed. */
  solveAgain(step: ContactStep, vNext: Float64Array, vMove: Float64Array): void {
    this.clear()
    this.solveIslands(step, vNext, vMove)
  }

  private solveIslands(step: ContactStep, vNext: Float64Array, vMove: Float64Array): void {
    for (let i = 0; i < this.islands.count; i++) this.solveIsland(step, i)
    this.finish(step, vNext, vMove)
  }

  /** Finds islands, joint rows and warm starts, which do not depend on the active contacts. */
  prepare(step: ContactStep, M: Float64Array, L: Float64Array, vFree: Float64Array, targets?: RowTargets): void {
    const { islands, joints, loops, warm } = this
    this.vFree = vFree
    this.contacts.prepare(step.contacts, vFree, targets)
    this.torsionRolling.prepare(step.contacts)
    joints.find(step, vFree)
    this.presentCount = 0
    for (let s = 0; s < this.sources.length; s++) {
      if (this.sources[s].count > 0) this.present[this.presentCount++] = this.sources[s]
    }
    warm.rewind(step.memory)
    for (let s = 0; s < this.presentCount; s++) this.present[s].loadWarmStart(warm, step.memory)
    this.contacts.setFriction(step.contacts)
    this.clear()
    this.saved.begin(step)
    islands.find(step.contacts, joints, loops.loops)
    this.system.begin(M, L)
  }

  private clear(): void {
    this.change.fill(0)
    if (this.options.drift === 'projection') this.shift.fill(0)
    this.saved.clear()
  }

  /** Writes vNext, vMove and the warm start of the next step; call after all islands are solved. */
  finish({ memory }: ContactStep, vNext: Float64Array, vMove: Float64Array): void {
    const { change, shift, vFree, warm } = this
    this.saved.finish()
    warm.clear(memory)
    for (let s = 0; s < this.presentCount; s++) this.present[s].storeWarmStart(warm, memory)
    for (let k = 0; k < vFree.length; k++) {
      vNext[k] = vFree[k] + change[k]
      vMove[k] = vNext[k] + shift[k]
    }
  }

  /** Writes impulses and moments of the last solve into the contacts, replacing earlier ones. */
  report(contacts: ContactSet): void {
    contacts.moment.fill(0, 0, 3 * contacts.count)
    this.contacts.report(contacts)
    this.torsionRolling.report(contacts)
    this.contacts.patch?.report(contacts)
  }

  /** Solves an island with its active contacts; `finish` adds its velocity change. */
  solveIsland(step: ContactStep, island: number): void {
    const { system, change } = this
    const { events } = step
    this.build(step, island)
    if (system.groupCount === 0) return
    const before = events.failures + events.fallbacks
    if (!this.solver.solve(this, step)) {
      system.p.fill(0, 0, system.rowCount)
      system.w.fill(Number.NaN, 0, system.rowCount)
    }
    this.saved.note(island, system.rowCount, events.failures + events.fallbacks > before)
    const { pass } = this.solver.method
    if (pass === undefined) system.addVelocity(system.p, change)
    else pass.propagate(this, step, change)
    this.storeSolution()
    if (this.options.drift === 'projection') this.solver.project(this, step, change, this.shift)
  }

  /** Stores the solution of the last built island as the guess of the next solve. */
  storeSolution(): void {
    for (let s = 0; s < this.presentCount; s++) this.present[s].storeSolution(this.system)
  }

  /** Builds rows, groups, compliance, right-hand side and first guess of an island. @param isSolved as `VelocitySystem.close` */
  build(step: ContactStep, island: number, isSolved = true): void {
    const { system, sources, islands, options } = this
    const { contactStart, jointStart, loopStart } = islands
    this.island = island
    this.saved.present = island
    const joints = jointStart[island + 1] - jointStart[island]
    const loops = loopStart[island + 1] - loopStart[island]
    system.open(island, contactStart[island + 1] - contactStart[island], joints + loops + this.torsionRolling.count)
    for (let s = 0; s < sources.length; s++) {
      if (sources[s].count > 0) sources[s].addRows(this, step, island)
      system.start[s + 1] = system.groupCount
    }
    system.close(isSolved)
    this.setSoftness()
    for (let s = 0; s < this.presentCount; s++) this.present[s].fill(this, step)
    this.setTargets(step, 1)
    options.conditions?.setGroups(this, step)
    for (let s = 0; s < this.presentCount; s++) this.present[s].loadGuess(system)
  }

  private setSoftness(): void {
    const { compliance, softensCrowds } = this.options
    const isMany = this.system.contactCount > MANY_CONTACTS
    this.softness[0] = isMany && softensCrowds ? CROWD_FACTOR * compliance : compliance
    this.softness[1] = isMany ? CROWD_TANGENT_SHARE : TANGENT_SHARE
  }

  /** Sets right-hand sides. Penetrations, passed limits and open loops are corrected if `correct` is 1, kept constant if 0. */
  setTargets(step: ContactStep, correct: number): void {
    const { drift, stabilization, closesLoops } = this.options
    // a shortened step corrects its part of the drift, at the same speed
    this.driftRate[0] = drift === 'baumgarte' ? stabilization / this.wholeStep[0] : 0
    this.driftRate[1] = closesLoops ? 1 / step.dt : this.driftRate[0]
    for (let s = 0; s < this.presentCount; s++) this.present[s].setTargets(this, step, correct)
  }

  /** The step of the last `prepare`. */
  get step(): ContactStep | undefined {
    return this.saved.step
  }

  /**
   * The island that `save` writes: that of an aborted step, else one that failed or fell back, else that with the most rows; -1 for none.
   */
  get savedIsland(): number {
    return this.saved.island
  }

  /**
   * The problem of the last `solve` as plain data, undefined if there was none; tangents are rotated with the pyramids.
   *
   * @param M       nv x nv: M~, its lower triangle, as passed to `solve`, even if the state has changed since
   * @param island  default: one that failed or fell back, else the largest
   * @param targets default: those of the last `solve`
   */
  save(M: Float64Array, island = this.saved.island, targets?: RowTargets): Omit<SavedProblem, 'law'> | undefined {
    const { saved, contacts } = this
    const { step, present } = saved
    if (step === undefined || island < 0) return undefined
    const before = targets && contacts.replaceTargets(targets)
    this.build(step, island)
    const problem = savedProblemOf(this, saved.name, step, M, this.options.compliant)
    if (before !== undefined) contacts.replaceTargets(before)
    saved.present = present
    return problem
  }
}

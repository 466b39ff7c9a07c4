import type { Data } from '../../dynamics/index.ts'
import type { ContactModelContext, ContactStep } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'
import type { SavedProblem } from '../savedProblem.ts'
import { ContactSource } from './contactSource.ts'
import type { FrictionMethod, ImpulseOptions, RowTargets } from './impulseLaw.ts'
import { IslandSolver, MANY_CONTACTS } from './islandSolver.ts'
import { Islands } from './islands.ts'
import { JointSource } from './jointSource.ts'
import { LoopRows } from './loopRows.ts'
import { LoopSource } from './loopSource.ts'
import type { RowSource } from './rowSource.ts'
import { IslandToSave, savedProblemOf } from './savedImpulseProblem.ts'
import { TorsionRollingSource } from './torsionRollingSource.ts'
import { VelocitySystem } from './velocitySystem.ts'
import { WarmStart } from './warmStart.ts'

/**
 * Softness of tangents as a share of that of normals. Normal softness distributes the load on many feet; tangential softness is creep, so
 * it only keeps matrices regular.
 */
const TANGENT_SHARE = 0.1
/** Factor on the softness of normals in islands of many contacts, and tangents as a share of it: loads are highly indeterminate there. */
const CROWD_FACTOR = 100
const CROWD_TANGENT_SHARE = 0.01
/** Capacity of the warm start besides joints and loops: in any case, per pair of shapes, and the largest in all. */
const LEAST_REMEMBERED = 8
const REMEMBERED_PER_PAIR = 4
const MOST_REMEMBERED = 20_000

/**
 * Contact problem of one velocity-level step: assembled from contacts, joint limits, dry friction of joints and closed loops, solved, and
 * mapped back to velocities and the contacts' impulses.
 *
 * Its rows are those of four sources, in the order of `sources`. Uncoupled parts are problems of their own (`Islands`): a robot among many
 * gets the same bits as alone while nothing couples it to others.
 *
 * A caller that selects the active contacts itself replaces `solve` by its steps: `prepare`, for each island any number of trials by
 * `build`, `solver.solve` and `storeSolution`, then `solveIsland`, and `finish`.
 */
export class ImpulseProblem {
  readonly contacts: ContactSource
  readonly joints: JointSource
  readonly loops: LoopSource
  readonly torsionRolling: TorsionRollingSource
  /** Of the last `prepare`. */
  readonly islands: Islands
  /** Rows of the island that was built last. */
  readonly system: VelocitySystem
  readonly solver: IslandSolver
  /** 1: full step of the model, of which a shortened one is a part [s]. */
  readonly wholeStep: Float64Array
  /** 2: softness of a pair's normals times the mass of the heaviest tree, and that of tangents over it, of the present island. */
  readonly softness = new Float64Array(2)
  /** 2: shares of a penetration, and of a loop's opening, that are corrected, over the step [1/s]. */
  readonly driftRate = new Float64Array(2)
  /** nv: velocity without contact of the last `prepare`. */
  vFree: Float64Array = new Float64Array(0)
  /** The island that was built last. */
  island = -1
  private readonly options: ImpulseOptions
  private readonly sources: readonly RowSource[]
  /** Sources with constraints in this step, and their number. */
  private readonly present: RowSource[]
  private presentCount = 0
  readonly warm: WarmStart
  /** nv: velocity change by impulses, and by projection in the velocity that moves positions. */
  private readonly change: Float64Array
  private readonly shift: Float64Array
  private readonly saved: IslandToSave

  constructor(name: string, context: ContactModelContext, method: FrictionMethod, options: ImpulseOptions) {
    const { model, pairCount, dt } = context
    this.options = options
    this.wholeStep = Float64Array.of(dt)
    this.solver = new IslandSolver(name, method, options)
    const loops = new LoopRows(model, context.loops)
    this.contacts = new ContactSource(context, options, loops)
    const { rows } = this.contacts
    this.joints = new JointSource(rows, options)
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
   * @param start kinematics of loops and of torsional and rolling rows: of the start, as the velocities are
   */
  begin(step: ContactStep, data = step.data, start: Data = data): void {
    this.contacts.begin(data, step)
    this.joints.begin()
    this.loops.begin(start)
    this.torsionRolling.rows.build(start, step.contacts, this.contacts.rows, step.state.v)
  }

  /**
   * vNext = the velocity at the end of the step, vMove = the one that moves positions, which differs where penetrations are projected
   * out; where the problem has no solution, vFree.
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

  /** Solves the prepared problem, from the last solution; `loops.target` may have changed. */
  solveAgain(step: ContactStep, vNext: Float64Array, vMove: Float64Array): void {
    this.clear()
    this.solveIslands(step, vNext, vMove)
  }

  private solveIslands(step: ContactStep, vNext: Float64Array, vMove: Float64Array): void {
    for (let i = 0; i < this.islands.count; i++) this.solveIsland(step, i)
    this.finish(step, vNext, vMove)
  }

  /** Finds the islands, joint rows and first guesses; none of it depends on which contacts are active. */
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
    warm.rewind()
    for (let s = 0; s < this.presentCount; s++) this.present[s].loadWarmStart(warm, step.memory)
    this.contacts.setFriction(step.contacts)
    this.clear()
    this.saved.begin(step)
    islands.find(step.contacts, joints, loops.loops)
    this.system.begin(M, L)
  }

  private clear(): void {
    this.change.fill(0)
    this.shift.fill(0)
    this.saved.clear()
  }

  /** After all islands are solved: vNext, vMove, and the warm start of the next step. */
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

  /** Writes impulses and moments of the last solve into the contacts, in place of earlier ones. */
  report(contacts: ContactSet): void {
    contacts.moment.fill(0, 0, 3 * contacts.count)
    this.contacts.report(contacts)
    this.torsionRolling.report(contacts)
    this.contacts.patch?.report(contacts)
  }

  /** Solves an island with its active contacts; its share of the velocity is added by `finish`. */
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

  /** Stores the solution of the island that was built last as the guess of the next solve. */
  storeSolution(): void {
    for (let s = 0; s < this.presentCount; s++) this.present[s].storeSolution(this.system)
  }

  /** Rows, groups, softness, right-hand side and first guess of an island. */
  build(step: ContactStep, island: number): void {
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
    system.close()
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

  /** Right-hand sides. Penetrations, passed limits and open loops are corrected if `correct` is 1, only held if it is 0. */
  setTargets(step: ContactStep, correct: number): void {
    const { drift, stabilization, closesLoops } = this.options
    // a shortened step corrects its part of the drift, at the same speed
    this.driftRate[0] = drift === 'baumgarte' ? stabilization / this.wholeStep[0] : 0
    this.driftRate[1] = closesLoops ? 1 / step.dt : this.driftRate[0]
    for (let s = 0; s < this.presentCount; s++) this.present[s].setTargets(this, step, correct)
  }

  /** The island of `save`: that of an aborted step, else one that failed or fell back, else the one of most rows; -1 for none. */
  get savedIsland(): number {
    return this.saved.island
  }

  /**
   * The problem of the last `solve` as plain data, undefined if there was none; its tangents are rotated as the pyramids are.
   *
   * @param M       nv x nv: M~, its lower triangle, as passed to that call; the state may have moved on
   * @param island  default: one that failed or fell back, else the largest
   * @param targets in place of those of the call
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

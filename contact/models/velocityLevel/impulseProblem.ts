import type { Data } from '../../../dynamics/index.ts'
import type { ContactModelContext, ContactStep } from '../../contactModel.ts'
import type { ContactSet } from '../../contactSet.ts'
import { LoopRows } from '../../loops/index.ts'
import { leaveChoice, type SavedProblem, type SavedRow, savedConstraints } from '../../savedProblem.ts'
import {
  type ContactConstraints,
  type ContactProblem,
  constraintKind,
  GroupKind,
  type SolverStatus,
  UNKNOWN_MODE,
  type WholeConstraints,
} from '../../solvers/index.ts'
import { ContactRows } from '../contactRows.ts'
import { Islands } from './islands.ts'
import { JointRows } from './jointRows.ts'
import type { Projection } from './projection.ts'
import { RowMatrix } from './rowMatrix.ts'
import type { SolverChain } from './solverChain.ts'
import type { StartAxes } from './startAxes.ts'
import type { TreeGuess } from './treeGuess.ts'
import { WarmStart } from './warmStart.ts'

/** Farther than anything gets in a step [m]. */
const OUT_OF_REACH = 1e4
/** Slower than this there is no direction of slip [m/s]. */
const NO_SLIP = 1e-9
/** Faster than this compliance does not yield unless rows contradict each other [m/s]; an impact yields 1e-5 of its speed. */
const LARGEST_YIELD = 1e-3
/**
 * Softness of tangents as a share of that of normals. The load on many feet is what has to be settled; across, softness
 * is creep, so there it only keeps matrices regular.
 */
const TANGENT_SHARE = 0.1
/** The same of loops: some of a loop's rows may say what others say. */
const LOOP_SHARE = 1e-3
/** Contacts, joint rows and loops are remembered for so many in any case, and for so many of each pair of shapes. */
const LEAST_REMEMBERED = 8
const REMEMBERED_PER_PAIR = 4
const MOST_REMEMBERED = 20_000

/** What removes a penetration, and what else has come apart. */
export type Drift = 'baumgarte' | 'projection' | 'none'

export interface ImpulseOptions {
  /** Whether contacts take tangents that are turned into the slip: pyramids err least there. Cones have no need of it. */
  readonly turns: boolean
  /**
   * Up to which gap a contact takes part, as one that touches: Anitescu and Potra [m]. Undefined: all that are near take part, and may
   * close their gap (Stewart and Trinkle).
   */
  readonly activeDistance: number | undefined
  readonly drift: Drift
  /** Baumgarte: the part of a penetration that one step removes, and the fastest speed at which it does [m/s]. */
  readonly stabilization: number
  readonly correctionSpeed: number
  /** Softness of normals times the mass of the island's heaviest tree; tangents have a tenth of it. */
  readonly compliance: number
  /** Approach speed up to which nothing bounces [m/s]. */
  readonly restitutionThreshold: number
  /** Whether dry friction of joints is part of the problem. */
  readonly dryJoints: boolean
  /** Answers of the chain's solvers from this one on count as fallbacks. */
  readonly fallbackFrom: number
}

/** What chooses which contacts of an island are rows, where constraints leave a choice. */
export interface ContactChoice {
  /**
   * Before anything of a step is solved.
   *
   * @param active out, per contact: 1 if it is a row, as far as that is settled
   * @param exact out, per contact: 1 where its gap is reached within the step whatever its sign, and nothing of it left to later steps
   * @param gap in and out, per contact [m]
   */
  begin(step: ContactStep, active: Uint8Array, exact: Uint8Array, gap: Float64Array): void
  /** Whether the choice among the contacts of an island is open: its contacts are members[first] to members[end - 1]. */
  isOpen(members: Int32Array, first: number, end: number): boolean
  /** Per contact of the island chosen for last: gap over the step at its start [m/s]; undefined where the way to its end does not count. */
  readonly startGap: Float64Array | undefined
  /** Settles it in `active`, by means of `problem.tryActive`. */
  choose(problem: ImpulseProblem, step: ContactStep, members: Int32Array, first: number, end: number, active: Uint8Array): void
}

/**
 * The problem of contact of one velocity-level step: builds it from contacts, joint limits, dry friction of joints and closed loops,
 * has a chain of solvers answer it, and turns the answer into velocities and into the contacts' impulses.
 *
 * Its rows are one for each normal, two more for the tangents of a contact with friction, one for each joint limit that is near, each
 * joint with dry friction, and those of loops, in this order; see `RowMatrix`. What does not act upon another is a problem of its
 * own (`Islands`): a robot in a world of many gets the bits that it gets alone while nothing ties it to others (but where the end of a step is looked
 * at, which is that of all).
 */
export class ImpulseProblem implements ContactProblem {
  // the problem of the island at hand
  rowCount = 0
  W = new Float64Array(0)
  right = new Float64Array(0)
  groupCount = 0
  first = new Int32Array(1)
  kind = new Uint8Array(0)
  limit = new Float64Array(0)

  /** Of the contacts; `begin` builds them. */
  readonly rows: ContactRows
  readonly memorySize: number
  /** 1: |v⁺ - v_free|² in M~ of the last `solve`. */
  readonly cost = new Float64Array(1)
  private readonly name: string
  private readonly options: ImpulseOptions
  private readonly chain: SolverChain
  private readonly matrix: RowMatrix
  private readonly joints: JointRows
  private readonly loops: LoopRows
  private readonly islands: Islands
  private readonly warm: WarmStart
  /** Asked before the chain; its count is the first. */
  private readonly tree: TreeGuess | undefined
  private readonly projection: Projection | undefined
  private readonly choice: ContactChoice | undefined
  private readonly nv: number
  /** nv: Σ Y p of all islands; and Σ Y of what projection moves. */
  private readonly column: Float64Array
  /** loops.count x nv: J of the loops. */
  private readonly loopJ: Float64Array

  // per contact
  /** 3: velocity at the start of the step, and without contact, along normal, tangent 1, tangent 2 [m/s]. */
  private uStart = new Float64Array(0)
  private uFree = new Float64Array(0)
  /** 2: cosine and sine of the angle from tangent 1 to the row's. */
  private turn = new Float64Array(0)
  private firstRow = new Int32Array(0)
  private mode = new Int8Array(0)
  /** 1 where the contact is a row. */
  active = new Uint8Array(0)
  /** Per contact of the island at hand: its group. */
  private groupOf = new Int32Array(0)
  /** How far apart it is [m]: what detection says, or what that comes to for a step that is seen from its end (`lookFrom`). */
  private gap = new Float64Array(0)
  /** 3: impulse along its normal and tangents [N s]; before the solve that of the last step. */
  private impulse = new Float64Array(0)
  // per row of joints, and of loops: mode, and 3, of which the first is the impulse
  private readonly jointMode: Int8Array
  private readonly jointImpulse: Float64Array
  private readonly loopMode: Int8Array
  private readonly loopImpulse: Float64Array

  // the island at hand
  private memberCount = 0
  private members = new Int32Array(0)
  private jointCount = 0
  private jointAt = 0
  private jointRow = 0
  private loopCount = 0
  private loopAt = 0
  private loopRow = 0

  // per row of it
  private p = new Float64Array(0)
  /** The first guess of p. */
  private start = new Float64Array(0)
  private isMultiplied = false
  /** What gaps and drift add to the velocity without contact [m/s]; softness; and the diagonal of W without that. */
  private added = new Float64Array(0)
  private soft = new Float64Array(0)
  /** How far each row is from where it begins to act, or is to be: gap, room of a limit, error of a loop [m, rad]. */
  private distance = new Float64Array(0)
  private diagonal = new Float64Array(0)
  /** Per group. */
  private groupMode = new Int8Array(0)

  /** Per contact: 1 where its gap is reached within the step whatever its sign, and nothing of it is left to later steps. */
  private exact = new Uint8Array(0)
  /** The step at hand, for `tryActive`. */
  private L: Float64Array = new Float64Array(0)
  private vFree: Float64Array = new Float64Array(0)
  private island = 0
  /** nv: Y p, and the velocity that comes of it, of one choice of contacts. */
  private readonly triedColumn: Float64Array
  private readonly tried: Float64Array

  /** The island that `save` takes: one that failed or fell back, else the one of most rows; -1 if there was none. */
  private shownIsland = -1
  private shownRows = 0
  private shownFailed = false
  /** What the last `solve` was given. */
  private seen: ContactStep | undefined

  constructor(
    name: string,
    { model, pairCount, loops }: ContactModelContext,
    chain: SolverChain,
    options: ImpulseOptions,
    tree: TreeGuess | undefined,
    projection: Projection | undefined,
    choice: ContactChoice | undefined,
  ) {
    this.name = name
    this.choice = choice
    this.options = options
    this.chain = chain
    this.nv = model.nv
    this.loops = new LoopRows(model, loops)
    this.rows = new ContactRows(model, this.loops)
    this.matrix = new RowMatrix(this.rows, model.nv)
    this.joints = new JointRows(model, options.dryJoints)
    this.islands = new Islands(model, this.rows.pattern, this.joints, this.loops)
    const remembered = LEAST_REMEMBERED + REMEMBERED_PER_PAIR * pairCount + this.joints.capacity + this.loops.count
    this.warm = new WarmStart(Math.min(remembered, MOST_REMEMBERED))
    this.memorySize = this.warm.memorySize
    this.tree = tree
    this.projection = projection
    this.column = new Float64Array(model.nv)
    this.triedColumn = new Float64Array(model.nv)
    this.tried = new Float64Array(model.nv)
    this.loopJ = new Float64Array(this.loops.count * model.nv)
    this.jointMode = new Int8Array(this.joints.capacity)
    this.jointImpulse = new Float64Array(3 * this.joints.capacity)
    this.loopMode = new Int8Array(this.loops.count)
    this.loopImpulse = new Float64Array(3 * this.loops.count)
  }

  /**
   * Rows of contacts and loops, and their velocities at the start of the step.
   *
   * @param data    kinematics of the contacts' rows, in place of step.data
   * @param ofLoops and of the loops', which are those of the start in any case
   */
  begin({ data: own, contacts, state }: ContactStep, data = own, ofLoops = data): void {
    this.reserveContacts(contacts.capacity)
    if (this.loops.count > 0) this.beginLoops(ofLoops)
    this.rows.buildMoving(data, contacts, state.v, this.uStart)
    for (let i = 0; i < contacts.count; i++) this.gap[i] = contacts.gap[i]
    this.exact.fill(0, 0, contacts.count)
  }

  /**
   * After a `begin` with what was found at another configuration of the step, which is reached with velocity vThere: rows are brought into the
   * axes of the start, and gaps to what they come to there by J vThere, so that they are right at that configuration. `target` is the
   * gap that each contact has to reach.
   *
   * @param vThere nv, in axes of the start
   * @param part   how much of the step leads there, 1 for all of it
   */
  lookFrom(
    { contacts, state, dt }: ContactStep,
    axes: StartAxes | undefined,
    vThere: Float64Array,
    target: Float64Array,
    part: number,
  ): void {
    const { rows, uStart, gap } = this
    if (axes !== undefined) axes.turnRows(rows, contacts.count)
    rows.velocity(uStart, vThere, contacts.count)
    for (let i = 0; i < contacts.count; i++) gap[i] = (contacts.gap[i] - target[i]) / part - dt * uStart[3 * i]
    rows.velocity(uStart, state.v, contacts.count)
    this.exact.fill(1, 0, contacts.count)
  }

  /**
   * Leaves rows as they are, and has them meet the gaps that were found where the step would end with vThere.
   *
   * @param gaps per contact: how far it is there from what it has to reach, NaN where that is not known [m]
   */
  meet({ contacts, state, dt }: ContactStep, gaps: Float64Array, vThere: Float64Array, part: number): void {
    const { rows, uStart, gap } = this
    rows.velocity(uStart, vThere, contacts.count)
    for (let i = 0; i < contacts.count; i++) {
      if (Number.isNaN(gaps[i])) continue
      gap[i] = gaps[i] / part - dt * uStart[3 * i]
      this.exact[i] = 1
    }
    rows.velocity(uStart, state.v, contacts.count)
  }

  private beginLoops(data: Data): void {
    const { loops, loopJ, nv } = this
    loops.build(data)
    for (let r = 0; r < loops.count; r++) loops.writeRow(data, r, loopJ, r * nv)
  }

  /**
   * vNext = the velocity at the end of the step, vMove = the one that moves positions, which differs where penetrations are projected
   * out; where the problem has no answer, vFree.
   *
   * @param L     the factor of M~
   * @param vFree nv: velocity at the end of the step without contact
   */
  solve(step: ContactStep, L: Float64Array, vFree: Float64Array, vNext: Float64Array, vMove: Float64Array): void {
    const { contacts, memory } = step
    const { rows, islands, joints, loops, column, projection } = this
    rows.velocity(this.uFree, vFree, contacts.count)
    joints.find(step, vFree)
    this.recall(contacts, memory)
    column.fill(0)
    if (projection !== undefined) projection.begin(step)
    if (this.choice === undefined) this.takeUnilateral(contacts)
    else this.choice.begin(step, this.active, this.exact, this.gap)
    this.L = L
    this.vFree = vFree
    this.seen = step
    islands.find(contacts, joints, loops)
    this.matrix.beginStep()
    this.shownIsland = -1
    this.shownRows = 0
    this.shownFailed = false
    for (let i = 0; i < islands.count; i++) this.solveIsland(step, L, vFree, i)
    this.remember(contacts, memory)
    let squared = 0
    for (let k = 0; k < column.length; k++) squared += column[k] * column[k]
    this.cost[0] = squared
    rows.pattern.solveL(L, column)
    for (let k = 0; k < column.length; k++) {
      vNext[k] = vFree[k] + column[k]
      vMove[k] = vNext[k]
    }
    if (projection !== undefined) projection.addTo(vMove, rows.pattern, L)
  }

  /** How far contact i is apart at the start of the step, as the problem at hand takes it [m]. */
  gapOf(i: number): number {
    return this.gap[i]
  }

  /** Writes the impulses found last into the contacts, in their own tangents. */
  report({ count, impulse }: ContactSet): void {
    const { active } = this
    for (let i = 0; i < count; i++) {
      for (let k = 3 * i; k < 3 * i + 3; k++) impulse[k] = active[i] === 1 ? this.impulse[k] : 0
    }
  }

  private solveIsland(step: ContactStep, L: Float64Array, vFree: Float64Array, island: number): void {
    const { matrix, projection, column, choice, islands } = this
    this.island = island
    if (choice !== undefined) {
      const { contacts, contactStart } = islands
      const start = contactStart[island]
      const end = contactStart[island + 1]
      if (choice.isOpen(contacts, start, end)) choice.choose(this, step, contacts, start, end, this.active)
    }
    this.build(step, L, vFree, island)
    if (this.groupCount === 0) return
    const before = step.events.failures + step.events.fallbacks
    const solved = this.findImpulses(step, vFree, island)
    if (!solved) {
      this.p.fill(0, 0, this.rowCount)
      this.groupMode.fill(UNKNOWN_MODE, 0, this.groupCount)
    }
    const failed = step.events.failures + step.events.fallbacks > before
    if ((failed && !this.shownFailed) || (failed === this.shownFailed && this.rowCount > this.shownRows)) {
      this.shownIsland = island
      this.shownRows = this.rowCount
      this.shownFailed = failed
    }
    matrix.addImpulses(this.p, column)
    this.scatter()
    if (projection !== undefined) {
      // the gaps that the step ends with, over h; islands have no velocities in common, so of `column` its own are read
      const { start, right, added, distance } = this
      matrix.motion(column, start)
      for (let r = 0; r < this.rowCount; r++) start[r] += right[r] - added[r] + distance[r] / step.dt
      if (projection.isNeededFor(this, start)) {
        this.multiply()
        projection.project(this, matrix, start, step.events)
      }
    }
  }

  /**
   * Has the island at hand solved in one, with every contact that is active, and forgets the answer but for who pushes.
   *
   * @param constraints over the contacts of the island
   * @param isAlternative, isSettled per contact: whether a constraint names it, with or without a choice
   * @param impulse out, per contact of the island: normal impulse [N s]
   */
  tryWhole(
    step: ContactStep,
    whole: WholeConstraints,
    constraints: ContactConstraints,
    isAlternative: Uint8Array,
    isSettled: Uint8Array,
    impulse: Float64Array,
  ): SolverStatus {
    const { contacts, contactStart } = this.islands
    const { L, vFree, island, members, groupOf, gap } = this
    const first = contactStart[island]
    const end = contactStart[island + 1]
    for (let m = first; m < end; m++) {
      const i = contacts[m]
      if (isAlternative[i] === 0 && isSettled[i] === 0) gap[i] += OUT_OF_REACH
    }
    this.build(step, L, vFree, island)
    this.multiply()
    for (let m = first; m < end; m++) {
      const i = contacts[m]
      if (isAlternative[i] === 0 && isSettled[i] === 0) gap[i] -= OUT_OF_REACH
    }
    let g = 0
    for (let m = first; m < end; m++) groupOf[m - first] = g < this.memberCount && members[g] === contacts[m] ? g++ : -1
    if (g < end - first) return 'residual'
    const { p } = this
    const status = whole.solve(this, constraints, groupOf.subarray(0, end - first), p)
    for (let m = first; m < end; m++) impulse[m - first] = status === 'solved' ? p[this.first[groupOf[m - first]]] : 0
    return status
  }

  /**
   * What contacts of the island at hand are without any impulse.
   *
   * @param freeGap out, per contact of the island: gap over the step at its end with v_free [m/s]
   * @param own     out, per contact of the island: J_n M~⁻¹ J_nᵀ, without softness [1/kg]
   */
  describe({ dt }: ContactStep, freeGap: Float64Array, own: Float64Array): void {
    const { rows, island, L, tried, nv, gap, uFree } = this
    const { J, first, size, velocities } = rows
    const { contacts, contactStart } = this.islands
    const start = contactStart[island]
    for (let m = start; m < contactStart[island + 1]; m++) {
      const i = contacts[m]
      freeGap[m - start] = gap[i] / dt + uFree[3 * i]
      tried.fill(0)
      for (let c = first[i]; c < first[i] + size[i]; c++) tried[velocities[c]] = J[3 * i * nv + velocities[c]]
      rows.pattern.solveLTransposed(L, tried)
      let sum = 0
      for (let k = 0; k < nv; k++) sum += tried[k] * tried[k]
      own[m - start] = sum
    }
  }

  /**
   * Solves the island at hand with the contacts that are active, and forgets the answer but for the guess of the next attempt.
   *
   * @param endGap out, per contact of the island: gap over the step at its end [m/s]
   * @param impulse out, per contact of the island: normal impulse [N s], 0 for those that are not active
   * @param cost out, 1: |v⁺ - v_free|² in M~
   * @returns false if there is no answer
   */
  tryActive(step: ContactStep, endGap: Float64Array, impulse: Float64Array, cost: Float64Array): boolean {
    const { rows, matrix, triedColumn, tried, island, L, vFree } = this
    const { contacts, contactStart } = this.islands
    this.build(step, L, vFree, island)
    const solved = this.groupCount === 0 || this.findImpulses(step, vFree, island)
    triedColumn.fill(0)
    if (solved && this.groupCount > 0) {
      matrix.addImpulses(this.p, triedColumn)
      this.scatter()
    }
    cost[0] = 0
    for (let k = 0; k < this.nv; k++) {
      cost[0] += triedColumn[k] * triedColumn[k]
      tried[k] = triedColumn[k]
    }
    rows.pattern.solveL(L, tried)
    for (let k = 0; k < this.nv; k++) tried[k] += vFree[k]
    const first = contactStart[island]
    for (let m = first; m < contactStart[island + 1]; m++) {
      const i = contacts[m]
      impulse[m - first] = this.active[i] === 1 ? this.impulse[3 * i] : 0
      const un = rows.normalVelocity(tried, i)
      if (this.active[i] === 1) {
        // what rows ask for, which may be a rebound or part of the way out; what softness makes them yield is no violation
        const slack = un + this.added[this.firstRow[i]]
        endGap[m - first] = slack < 0 ? 0 : slack
      } else endGap[m - first] = this.gap[i] / step.dt + un
    }
    return solved
  }

  /** Rows, W, groups, softness, right-hand side and first guess of an island. */
  private build(step: ContactStep, L: Float64Array, vFree: Float64Array, island: number): void {
    this.gather(island)
    this.buildRows(step.contacts, L)
    this.setGroups(step.contacts)
    this.soften(1, island)
    this.setRight(step, vFree, 1)
    this.guess()
  }

  /** Without a choice, contacts that a unilateral constraint names are rows; all of them where there are no constraints. */
  private takeUnilateral({ count, constraints }: ContactSet): void {
    const { active } = this
    active.fill(constraints.count === 0 ? 1 : 0, 0, count)
    const { kind, memberStart, contactStart, contact } = constraints
    for (let g = 0; g < constraints.count; g++) {
      if (kind[g] === constraintKind.unilateral) active[contact[contactStart[memberStart[g]]]] = 1
    }
  }

  /** What belongs to an island. */
  private gather(island: number): void {
    const { islands, members, options, gap, active } = this
    const { contacts, contactStart, jointStart, loopStart } = islands
    const farthest = options.activeDistance ?? Number.POSITIVE_INFINITY
    let count = 0
    for (let m = contactStart[island]; m < contactStart[island + 1]; m++) {
      const i = contacts[m]
      if (active[i] === 1 && gap[i] <= farthest) members[count++] = i
      else if (active[i] === 1) this.dismiss(i)
    }
    this.memberCount = count
    this.jointAt = jointStart[island]
    this.jointCount = jointStart[island + 1] - this.jointAt
    this.loopAt = loopStart[island]
    this.loopCount = loopStart[island + 1] - this.loopAt
  }

  /** A contact that takes no part in this step. */
  private dismiss(i: number): void {
    this.mode[i] = UNKNOWN_MODE
    for (let r = 3 * i; r < 3 * i + 3; r++) this.impulse[r] = 0
  }

  private buildRows({ mu }: ContactSet, L: Float64Array): void {
    const { rows, joints, loops, islands, matrix, members, memberCount, firstRow, loopJ, nv, options, turn } = this
    let total = 0
    for (let m = 0; m < memberCount; m++) {
      const i = members[m]
      firstRow[i] = total
      total += mu[i] > 0 ? 3 : 1
    }
    this.jointRow = total
    this.loopRow = total + this.jointCount
    this.reserveRows(this.loopRow + this.loopCount)

    for (let m = 0; m < memberCount; m++) {
      const i = members[m]
      if (options.turns) this.setTurn(i)
      matrix.addContact(firstRow[i], mu[i] > 0 ? 3 : 1, rows.J, 3 * i * nv, i, turn, L)
    }
    for (let n = 0; n < this.jointCount; n++) {
      const j = islands.joints[this.jointAt + n]
      matrix.addJoint(this.jointRow + n, joints.velocity[j], joints.sign, j, L)
    }
    for (let n = 0; n < this.loopCount; n++) {
      const r = islands.loops[this.loopAt + n]
      const end = loops.first[r] + loops.size[r]
      matrix.addRow(this.loopRow + n, loopJ, r * nv, loops.velocities, loops.first[r], end, L)
    }
    matrix.diagonal(this.diagonal)
    this.isMultiplied = false
  }

  /** Rows are turned so that the first tangent lies along the slip of the velocity without contact. */
  private setTurn(i: number): void {
    const { uFree, turn } = this
    const u1 = uFree[3 * i + 1]
    const u2 = uFree[3 * i + 2]
    const slip = Math.sqrt(u1 * u1 + u2 * u2)
    turn[2 * i] = slip > NO_SLIP ? u1 / slip : 1
    turn[2 * i + 1] = slip > NO_SLIP ? u2 / slip : 0
  }

  private setGroups({ mu }: ContactSet): void {
    const { members, memberCount, first, kind, limit, joints, islands } = this
    for (let m = 0; m < memberCount; m++) {
      const i = members[m]
      first[m] = this.firstRow[i]
      kind[m] = mu[i] > 0 ? GroupKind.frictional : GroupKind.unilateral
      limit[m] = mu[i]
    }
    let g = memberCount
    for (let n = 0; n < this.jointCount; n++) {
      const j = islands.joints[this.jointAt + n]
      first[g] = this.jointRow + n
      kind[g] = joints.kind[j]
      limit[g++] = joints.limit[j]
    }
    for (let n = 0; n < this.loopCount; n++) {
      first[g] = this.loopRow + n
      kind[g] = GroupKind.bilateral
      limit[g++] = 0
    }
    first[g] = this.rowCount
    this.groupCount = g
  }

  /**
   * Softness of every row, `factor` times the compliance asked for, into the diagonal of W. All contacts of an island are equally
   * soft, as a share of the inverse mass of its heaviest tree: they share a load as equal springs would, and what stands on
   * something light presses it no deeper. A joint's rows, and a loop's, are soft as a share of their own W.
   */
  private soften(factor: number, island: number): void {
    const { options, W, soft, diagonal, rowCount, memberCount, members, firstRow, kind } = this
    const compliance = (factor === 1 ? options.compliance : Math.max(options.compliance, 1e-8)) * factor
    const mass = this.islands.heaviest[island]
    for (let m = 0; m < memberCount; m++) {
      const n = firstRow[members[m]]
      const normal = compliance * (mass > 0 ? 1 / mass : diagonal[n])
      soft[n] = normal
      if (kind[m] !== GroupKind.frictional) continue
      soft[n + 1] = TANGENT_SHARE * normal
      soft[n + 2] = TANGENT_SHARE * normal
    }
    for (let r = this.jointRow; r < this.loopRow; r++) soft[r] = TANGENT_SHARE * compliance * diagonal[r]
    // a row that moves nothing here, as across the plane of a planar linkage, is as soft as the lightest
    let lightest = 0
    for (let r = this.loopRow; r < rowCount; r++) if (diagonal[r] > lightest) lightest = diagonal[r]
    if (lightest === 0) lightest = 1
    for (let r = this.loopRow; r < rowCount; r++) soft[r] = LOOP_SHARE * compliance * (diagonal[r] > 0 ? diagonal[r] : lightest)
    if (this.isMultiplied) for (let r = 0; r < rowCount; r++) W[r * rowCount + r] = diagonal[r] + soft[r]
  }

  /** Fills W, which a good guess does without. */
  private multiply(): void {
    const { matrix, W, rowCount, diagonal, soft } = this
    if (this.isMultiplied) return
    this.isMultiplied = true
    matrix.multiply()
    for (let r = 0; r < rowCount; r++) W[r * rowCount + r] = diagonal[r] + soft[r]
  }

  /** Sets `right`, and `added` in it. What has come too close or apart is corrected if `correct` is 1, only held if it is 0. */
  private setRight({ contacts, dt }: ContactStep, vFree: Float64Array, correct: number): void {
    const {
      right,
      added,
      distance,
      firstRow,
      turn,
      uStart,
      uFree,
      options,
      members,
      memberCount,
      joints,
      loops,
      islands,
      loopJ,
      nv,
      gap,
      exact,
    } = this
    const { mu, restitution } = contacts
    const { correctionSpeed, restitutionThreshold, activeDistance } = options
    const share = options.drift === 'baumgarte' ? (correct * options.stabilization) / dt : 0
    for (let m = 0; m < memberCount; m++) {
      const i = members[m]
      const r = firstRow[i]
      const un = uFree[3 * i]
      const closing = 0 - uStart[3 * i]
      const open = activeDistance === undefined ? gap[i] / dt : 0
      const bounces = restitution[i] > 0 && closing > restitutionThreshold && open + un < 0
      const depth = share * gap[i]
      const corrected = depth > -correctionSpeed ? depth : -correctionSpeed
      const below = exact[i] === 0 ? corrected : correct * open
      const allowed = gap[i] >= 0 ? open : below
      added[r] = bounces ? 0 - restitution[i] * closing : allowed
      right[r] = un + added[r]
      distance[r] = gap[i]
      if (mu[i] === 0) continue
      added[r + 1] = 0
      added[r + 2] = 0
      right[r + 1] = turn[2 * i] * uFree[3 * i + 1] + turn[2 * i + 1] * uFree[3 * i + 2]
      right[r + 2] = turn[2 * i] * uFree[3 * i + 2] - turn[2 * i + 1] * uFree[3 * i + 1]
    }
    for (let n = 0; n < this.jointCount; n++) {
      const j = islands.joints[this.jointAt + n]
      const row = this.jointRow + n
      const room = joints.room[j]
      const depth = share * room
      added[row] = room >= 0 ? room / dt : depth > -correctionSpeed ? depth : -correctionSpeed
      distance[row] = room
      right[row] = joints.sign[j] * vFree[joints.velocity[j]] + added[row]
    }
    for (let n = 0; n < this.loopCount; n++) {
      const r = islands.loops[this.loopAt + n]
      const row = this.loopRow + n
      added[row] = share * loops.error[r]
      let u = added[row]
      const end = loops.first[r] + loops.size[r]
      for (let a = loops.first[r]; a < end; a++) u += loopJ[r * nv + loops.velocities[a]] * vFree[loops.velocities[a]]
      right[row] = u
      distance[row] = loops.error[r]
    }
  }

  /** The first guess of impulses and modes: what the last step found. */
  private guess(): void {
    const { members, memberCount, firstRow, p, groupMode, mode, turn, impulse, kind, islands } = this
    for (let m = 0; m < memberCount; m++) {
      const i = members[m]
      const r = firstRow[i]
      groupMode[m] = mode[i]
      p[r] = impulse[3 * i]
      if (kind[m] !== GroupKind.frictional) continue
      p[r + 1] = turn[2 * i] * impulse[3 * i + 1] + turn[2 * i + 1] * impulse[3 * i + 2]
      p[r + 2] = turn[2 * i] * impulse[3 * i + 2] - turn[2 * i + 1] * impulse[3 * i + 1]
    }
    for (let n = 0; n < this.jointCount; n++) {
      const j = islands.joints[this.jointAt + n]
      groupMode[memberCount + n] = this.jointMode[j]
      p[this.jointRow + n] = this.jointImpulse[3 * j]
    }
    for (let n = 0; n < this.loopCount; n++) {
      const r = islands.loops[this.loopAt + n]
      groupMode[memberCount + this.jointCount + n] = this.loopMode[r]
      p[this.loopRow + n] = this.loopImpulse[3 * r]
    }
  }

  /** What came of the island's contacts, joints and loops. */
  private scatter(): void {
    const { members, memberCount, firstRow, p, turn, impulse, groupMode, mode, kind, islands } = this
    for (let m = 0; m < memberCount; m++) {
      const i = members[m]
      const row = firstRow[i]
      mode[i] = groupMode[m]
      impulse[3 * i] = p[row]
      impulse[3 * i + 1] = 0
      impulse[3 * i + 2] = 0
      if (kind[m] !== GroupKind.frictional) continue
      const cosine = turn[2 * i]
      const sine = turn[2 * i + 1]
      impulse[3 * i + 1] = cosine * p[row + 1] - sine * p[row + 2]
      impulse[3 * i + 2] = sine * p[row + 1] + cosine * p[row + 2]
    }
    for (let n = 0; n < this.jointCount; n++) {
      const j = islands.joints[this.jointAt + n]
      this.jointMode[j] = groupMode[memberCount + n]
      this.jointImpulse[3 * j] = p[this.jointRow + n]
    }
    for (let n = 0; n < this.loopCount; n++) {
      const r = islands.loops[this.loopAt + n]
      this.loopMode[r] = groupMode[memberCount + this.jointCount + n]
      this.loopImpulse[3 * r] = p[this.loopRow + n]
    }
  }

  /**
   * Finds p by the chain of solvers. What is done where that does not serve is declared and counted: no removal of penetrations, if
   * these contradict each other; after a failure of the whole chain more compliance (ten and a hundred times), then no
   * friction. False, and a failure, if nothing has an answer.
   */
  private findImpulses(step: ContactStep, vFree: Float64Array, island: number): boolean {
    let solved = this.ask(step, 0)
    if (solved && this.yields()) {
      // Corrections that contradict each other, as in a body squeezed between two walls: this step makes none.
      step.events.fallbacks++
      this.setRight(step, vFree, 0)
      solved = this.ask(step, 0)
    }
    return solved || this.fallBack(step, island)
  }

  private ask({ events }: ContactStep, from: number): boolean {
    const { tree, p, start, rowCount, chain } = this
    if (tree !== undefined && from === 0) {
      for (let r = 0; r < rowCount; r++) start[r] = p[r]
      const holds = tree.solve(this.matrix, this, this.soft, this.diagonal, p, this.groupMode)
      events.iterations += tree.iterations
      if (holds) {
        events.solvers[0].solved++
        if (tree.residual[0] > events.residualMax) events.residualMax = tree.residual[0]
        return true
      }
      events.solvers[0].failed++
      for (let r = 0; r < rowCount; r++) p[r] = start[r]
    }
    this.multiply()
    const answered = chain.solve(this, p, this.groupMode, from, events)
    if (answered >= this.options.fallbackFrom) events.fallbacks++
    return answered >= 0
  }

  /** Whether some contact or limit is held by compliance alone: its rows ask for what cannot be. */
  private yields(): boolean {
    const { groupCount, first, kind, p, soft } = this
    for (let g = 0; g < groupCount; g++) {
      if (kind[g] > GroupKind.frictional) continue
      if (soft[first[g]] * p[first[g]] > LARGEST_YIELD) return true
    }
    return false
  }

  /** The ways round a failure of all solvers; false if none has an answer. */
  private fallBack(step: ContactStep, island: number): boolean {
    const { events } = step
    const { chain } = this
    const last = chain.names.length > 1 ? 1 : 0
    const status = chain.status
    for (let k = 1; k <= 2; k++) {
      this.soften(k === 1 ? 10 : 100, island)
      if (this.ask(step, last)) {
        events.fallbacks++
        return true
      }
    }
    this.soften(1, island)
    for (let g = 0; g < this.memberCount; g++) this.limit[g] = 0
    if (this.ask(step, last)) {
      events.fallbacks++
      return true
    }
    events.failures++
    if (events.firstFailure === '') {
      events.firstFailure =
        `${this.name}: no solver of ${chain.names.join(', ')} had an answer for ${this.rowCount} rows at t = ${step.state.t[0]} s, ` +
        `the last of them ended in "${status}", without friction in "${chain.status}"; the step was taken without contact impulses`
    }
    return false
  }

  /**
   * The problem of the last `solve` as plain data, undefined if there was none; its rows are turned as they were solved. Where
   * constraints leave a choice it has the contacts that these name, whether they were chosen or not.
   *
   * @param M     nv x nv: M~, its lower triangle
   * @param L     its factor, and vFree, as they were given to that call; the state may have moved on
   */
  save(M: Float64Array, L: Float64Array, vFree: Float64Array): Omit<SavedProblem, 'law'> | undefined {
    // not those of the model's step, which has others by now if it was looked at from its end
    const { seen: step, islands, active, choice } = this
    if (step === undefined) return undefined
    const { contacts: lists, contactStart } = islands
    let island = this.shownIsland
    if (island < 0 && choice !== undefined) {
      // nothing of it has become a row
      let most = 0
      for (let i = 0; i < islands.count; i++) {
        if (contactStart[i + 1] - contactStart[i] <= most) continue
        most = contactStart[i + 1] - contactStart[i]
        island = i
      }
    }
    if (island < 0) return undefined

    const here = Array.from(lists.subarray(contactStart[island], contactStart[island + 1]))
    const { constraints: all } = step.contacts
    const place = new Int32Array(step.contacts.count).fill(-1)
    for (const i of here) place[i] = 0
    const hasChoice = choice !== undefined && leaveChoice(savedConstraints(all, place))
    if (!hasChoice && this.shownIsland < 0) return undefined
    const chosen = active.slice()
    if (hasChoice) {
      const named = new Set(all.contact.subarray(0, all.contactStart[all.memberCount]))
      let count = 0
      for (const i of here) {
        active[i] = named.has(i) ? 1 : 0
        place[i] = named.has(i) ? count++ : -1
      }
    }
    this.matrix.beginStep()
    this.build(step, L, vFree, island)
    active.set(chosen)

    const { members, memberCount, rows, turn, nv, added, soft, loopJ, joints } = this
    const { J, first, size, velocities } = rows
    const { mu } = step.contacts
    const { gap } = this
    const list = Array.from(members.subarray(0, memberCount))
    const contactRows = list.flatMap((i) => {
      const row = (r: number) => {
        const out = Array<number>(nv).fill(0)
        for (let a = first[i]; a < first[i] + size[i]; a++) out[velocities[a]] = J[(3 * i + r) * nv + velocities[a]]
        return out
      }
      const [normal, t1, t2] = [row(0), row(1), row(2)]
      const [c, s] = [turn[2 * i], turn[2 * i + 1]]
      return [normal, t1.map((x, k) => c * x + s * t2[k]), t2.map((x, k) => c * x - s * t1[k])]
    })
    const jointRows = Array.from({ length: this.jointCount }, (_, n): SavedRow => {
      const j = islands.joints[this.jointAt + n]
      const row = Array<number>(nv).fill(0)
      row[joints.velocity[j]] = joints.sign[j]
      const isLimit = joints.kind[j] === GroupKind.unilateral
      const fields = { J: row, added: added[this.jointRow + n] }
      return isLimit ? { kind: 'unilateral', ...fields } : { kind: 'bounded', ...fields, limit: joints.limit[j] }
    })
    const loopRows = Array.from({ length: this.loopCount }, (_, n): SavedRow => {
      const r = islands.loops[this.loopAt + n]
      return { kind: 'bilateral', J: Array.from(loopJ.subarray(r * nv, (r + 1) * nv)), added: added[this.loopRow + n] }
    })
    const softness = list.flatMap((i) => {
      const r = this.firstRow[i]
      return mu[i] > 0 ? [soft[r], soft[r + 1], soft[r + 2]] : [soft[r], 0, 0]
    })
    for (let r = this.jointRow; r < this.rowCount; r++) softness.push(soft[r])
    return {
      kind: 'contact',
      M: Array.from({ length: nv }, (_, i) => Array.from({ length: nv }, (_, j) => M[Math.max(i, j) * nv + Math.min(i, j)])),
      J: contactRows,
      vFree: Array.from(vFree),
      gap: list.map((i) => gap[i]),
      mu: list.map((i) => mu[i]),
      dt: step.dt,
      allowed: list.map((i) => added[this.firstRow[i]]),
      rows: [...jointRows, ...loopRows],
      softness,
      ...(hasChoice
        ? {
            constraints: savedConstraints(all, place),
            path: choice.startGap !== undefined,
            active: list.flatMap((i, k) => (chosen[i] === 1 ? [k] : [])),
          }
        : {}),
      origin: {
        contactModel: this.name,
        time: step.state.t[0],
        solvers: step.events.solvers.map((count) => ({ ...count })),
      },
    }
  }

  private recall({ count, pair, feature }: ContactSet, memory: Float64Array): void {
    const { warm, mode, impulse, rows, joints, loops } = this
    const { size } = rows
    warm.rewind()
    for (let i = 0; i < count; i++) {
      if (size[i] > 0) mode[i] = warm.recall(memory, pair[i], feature[i], impulse, 3 * i)
      else this.dismiss(i)
    }
    for (let j = 0; j < joints.count; j++) {
      this.jointMode[j] = warm.recall(memory, -1 - joints.velocity[j], joints.feature[j], this.jointImpulse, 3 * j)
    }
    for (let r = 0; r < loops.count; r++) {
      this.loopMode[r] = warm.recall(memory, -1 - this.nv - r, 0, this.loopImpulse, 3 * r)
    }
  }

  private remember({ count, pair, feature }: ContactSet, memory: Float64Array): void {
    const { warm, mode, impulse, rows, joints, loops } = this
    const { size } = rows
    warm.clear(memory)
    for (let i = 0; i < count; i++) {
      if (size[i] === 0 || this.active[i] === 0 || (mode[i] === UNKNOWN_MODE && impulse[3 * i] === 0)) continue
      warm.append(memory, pair[i], feature[i], mode[i], impulse, 3 * i)
    }
    for (let j = 0; j < joints.count; j++) {
      warm.append(memory, -1 - joints.velocity[j], joints.feature[j], this.jointMode[j], this.jointImpulse, 3 * j)
    }
    for (let r = 0; r < loops.count; r++) {
      warm.append(memory, -1 - this.nv - r, 0, this.loopMode[r], this.loopImpulse, 3 * r)
    }
  }

  private reserveContacts(capacity: number): void {
    if (capacity <= this.firstRow.length) return
    this.uStart = new Float64Array(3 * capacity)
    this.uFree = new Float64Array(3 * capacity)
    this.turn = new Float64Array(2 * capacity)
    for (let i = 0; i < capacity; i++) this.turn[2 * i] = 1
    this.firstRow = new Int32Array(capacity)
    this.mode = new Int8Array(capacity)
    this.active = new Uint8Array(capacity)
    this.exact = new Uint8Array(capacity)
    this.gap = new Float64Array(capacity)
    this.groupOf = new Int32Array(capacity)
    this.impulse = new Float64Array(3 * capacity)
    this.members = new Int32Array(capacity)
  }

  private reserveRows(rowCount: number): void {
    const { matrix } = this
    matrix.begin(rowCount)
    this.rowCount = rowCount
    this.W = matrix.W
    if (rowCount <= this.right.length) return
    const capacity = 2 * rowCount
    this.right = new Float64Array(capacity)
    this.added = new Float64Array(capacity)
    this.p = new Float64Array(capacity)
    this.start = new Float64Array(capacity)
    this.soft = new Float64Array(capacity)
    this.distance = new Float64Array(capacity)
    this.diagonal = new Float64Array(capacity)
    this.first = new Int32Array(capacity + 1)
    this.kind = new Uint8Array(capacity)
    this.limit = new Float64Array(capacity)
    this.groupMode = new Int8Array(capacity)
  }
}

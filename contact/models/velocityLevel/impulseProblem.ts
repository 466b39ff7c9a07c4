import type { Data } from '../../../dynamics/index.ts'
import type { ContactModelContext, ContactStep } from '../../contactModel.ts'
import type { ContactSet } from '../../contactSet.ts'
import { LoopRows } from '../../loops/index.ts'
import type { SavedProblem, SavedRow } from '../../savedProblem.ts'
import { type ContactProblem, GroupKind, UNKNOWN_MODE } from '../../solvers/index.ts'
import { ContactRows } from '../contactRows.ts'
import { Islands } from './islands.ts'
import { JointRows } from './jointRows.ts'
import type { Projection } from './projection.ts'
import { RowMatrix } from './rowMatrix.ts'
import type { SolverChain } from './solverChain.ts'
import type { TreeGuess } from './treeGuess.ts'
import { WarmStart } from './warmStart.ts'

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

/** Which of a step's contacts are rows, and what gaps they have to meet; each has an entry per contact. */
export interface RowTargets {
  /** 1 if it is a row; the others are left out, and end with the gap that they end with. */
  readonly active: Uint8Array
  /** How far apart it is at the start of the step [m]. */
  readonly gap: Float64Array
  /** 1 where its gap is reached within the step whatever its sign, and nothing of it left to later steps. */
  readonly exact: Uint8Array
}

/**
 * The problem of contact of one velocity-level step: builds it from contacts, joint limits, dry friction of joints and closed loops,
 * has a chain of solvers answer it, and turns the answer into velocities and into the contacts' impulses.
 *
 * Its rows are one for each normal, two more for the tangents of a contact with friction, one for each joint limit that is near, each
 * joint with dry friction, and those of loops, in this order; see `RowMatrix`. What does not act upon another is a problem of its
 * own (`Islands`): a robot in a world of many gets the bits that it gets alone while nothing ties it to others.
 *
 * A caller that chooses which contacts are rows goes the steps of `solve` by itself: `prepare`, for each island `tryIsland` as often as it
 * likes, then `solveIsland`, and `finish`.
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
  /** Of the last `prepare`. */
  readonly islands: Islands
  private readonly warm: WarmStart
  /** Asked before the chain; its count is the first. */
  private readonly tree: TreeGuess | undefined
  private readonly projection: Projection | undefined
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
  /** The targets at hand, see `RowTargets`; and what stands for them where there are none. */
  private active: Uint8Array = new Uint8Array(0)
  private gap: Float64Array = new Float64Array(0)
  private exact: Uint8Array = new Uint8Array(0)
  private all: Uint8Array = new Uint8Array(0)
  private none: Uint8Array = new Uint8Array(0)
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

  /** The step at hand. */
  private L: Float64Array = new Float64Array(0)
  private vFree: Float64Array = new Float64Array(0)
  /** nv: Y p of one attempt. */
  private readonly triedColumn: Float64Array

  /** The island that `save` takes: one that failed or fell back, else the one of most rows; -1 if there was none. */
  private shownIsland = -1
  private shownRows = 0
  private shownFailed = false
  /** What the last `prepare` was given. */
  private seen: ContactStep | undefined

  constructor(
    name: string,
    { model, pairCount, loops }: ContactModelContext,
    chain: SolverChain,
    options: ImpulseOptions,
    tree: TreeGuess | undefined,
    projection: Projection | undefined,
  ) {
    this.name = name
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
  }

  /** After rows were changed from outside: reads their velocities at the start of the step anew. */
  reread({ contacts, state }: ContactStep): void {
    this.rows.velocity(this.uStart, state.v, contacts.count)
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
   * @param L       the factor of M~
   * @param vFree   nv: velocity at the end of the step without contact
   * @param targets default: all contacts, and their gaps
   */
  solve(
    step: ContactStep,
    L: Float64Array,
    vFree: Float64Array,
    vNext: Float64Array,
    vMove: Float64Array,
    targets?: RowTargets,
  ): void {
    this.prepare(step, L, vFree, targets)
    for (let i = 0; i < this.islands.count; i++) this.solveIsland(step, i)
    this.finish(step, vNext, vMove)
  }

  /** Finds the islands, joint rows and first guesses; none of it depends on which contacts are active. */
  prepare(step: ContactStep, L: Float64Array, vFree: Float64Array, targets?: RowTargets): void {
    const { contacts, memory } = step
    const { rows, islands, joints, loops, column, projection } = this
    this.active = targets?.active ?? this.all
    this.gap = targets?.gap ?? contacts.gap
    this.exact = targets?.exact ?? this.none
    rows.velocity(this.uFree, vFree, contacts.count)
    joints.find(step, vFree)
    this.recall(contacts, memory)
    column.fill(0)
    if (projection !== undefined) projection.begin(step)
    this.L = L
    this.vFree = vFree
    this.seen = step
    islands.find(contacts, joints, loops)
    this.matrix.beginStep()
    this.shownIsland = -1
    this.shownRows = 0
    this.shownFailed = false
  }

  /** After all islands are solved: vNext and vMove, and what the next step's guesses begin with. */
  finish(step: ContactStep, vNext: Float64Array, vMove: Float64Array): void {
    const { rows, column, projection, L, vFree } = this
    this.remember(step.contacts, step.memory)
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

  /** What the gap or rebound of active contact i adds to its normal velocity, for a sum that is to be at least 0 [m/s]. */
  addedTo(i: number): number {
    return this.added[this.firstRow[i]]
  }

  /** Normal impulse of contact i as the last attempt or answer has it [N s]. */
  impulseOf(i: number): number {
    return this.active[i] === 1 ? this.impulse[3 * i] : 0
  }

  /** Writes the impulses found last into the contacts, in their own tangents. */
  report({ count, impulse }: ContactSet): void {
    const { active } = this
    for (let i = 0; i < count; i++) {
      for (let k = 3 * i; k < 3 * i + 3; k++) impulse[k] = active[i] === 1 ? this.impulse[k] : 0
    }
  }

  /** Solves an island with the contacts that are active; its share of the velocity is added by `finish`. */
  solveIsland(step: ContactStep, island: number): void {
    const { matrix, projection, column, vFree } = this
    this.build(step, island)
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
   * Solves an island with the contacts that are active, and forgets the answer but for the guess of the next attempt and what `impulseOf`
   * says.
   *
   * @param v    out, nv: the velocity that the step ends with; the free one if there is no answer
   * @param cost out, 1: |v⁺ - v_free|² in M~
   * @returns false if there is no answer
   */
  tryIsland(step: ContactStep, island: number, v: Float64Array, cost: Float64Array): boolean {
    const { rows, matrix, triedColumn, L, vFree } = this
    this.build(step, island)
    const solved = this.groupCount === 0 || this.findImpulses(step, vFree, island)
    triedColumn.fill(0)
    if (solved && this.groupCount > 0) {
      matrix.addImpulses(this.p, triedColumn)
      this.scatter()
    }
    cost[0] = 0
    for (let k = 0; k < this.nv; k++) {
      cost[0] += triedColumn[k] * triedColumn[k]
      v[k] = triedColumn[k]
    }
    rows.pattern.solveL(L, v)
    for (let k = 0; k < this.nv; k++) v[k] += vFree[k]
    return solved
  }

  /** Rows, W, groups, softness, right-hand side and first guess of an island. */
  private build(step: ContactStep, island: number): void {
    const { L, vFree } = this
    this.gather(island)
    this.buildRows(step.contacts, L)
    this.setGroups(step.contacts)
    this.soften(1, island)
    this.setRight(step, vFree, 1)
    this.guess()
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
   * The island of the last step that `save` takes: one that failed or fell back, else the one of most rows; -1 if there was none.
   */
  get savedIsland(): number {
    return this.shownIsland
  }

  /**
   * The problem of the last step as plain data, undefined if there was none; its rows are turned as they were solved.
   *
   * @param M       nv x nv: M~, its lower triangle
   * @param L       its factor, and vFree, as they were given to that call; the state may have moved on
   * @param targets default: those that the step was solved with
   */
  save(
    M: Float64Array,
    L: Float64Array,
    vFree: Float64Array,
    island = this.shownIsland,
    targets: RowTargets = this.taken,
  ): Omit<SavedProblem, 'law'> | undefined {
    // not that of the model, which has other contacts by now if it was looked at from its end
    const { seen: step, islands } = this
    if (step === undefined || island < 0) return undefined
    const before = this.taken
    this.take(targets)
    this.matrix.beginStep()
    this.L = L
    this.vFree = vFree
    this.build(step, island)
    this.take(before)

    const { members, memberCount, rows, turn, nv, added, soft, loopJ, joints } = this
    const { J, first, size, velocities } = rows
    const { mu } = step.contacts
    const { gap } = targets
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
      origin: {
        contactModel: this.name,
        time: step.state.t[0],
        solvers: step.events.solvers.map((count) => ({ ...count })),
      },
    }
  }

  private get taken(): RowTargets {
    return { active: this.active, gap: this.gap, exact: this.exact }
  }

  private take({ active, gap, exact }: RowTargets): void {
    this.active = active
    this.gap = gap
    this.exact = exact
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
    this.all = new Uint8Array(capacity).fill(1)
    this.none = new Uint8Array(capacity)
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

import { solveLTransposed } from '../../dynamics/index.ts'
import type { Drift, ImpulseProblem } from '../models/velocityLevel/impulseProblem.ts'
import { ContactConstraints, constraintKind } from './contactConstraints.ts'
import { contactRole, type FeatureContactSet, type FeatureStep } from './featureContactSet.ts'
import { GapTargets } from './gapTargets.ts'
import { type MemberProblem, MemberSearch } from './memberSearch.ts'

/** Applicability from which on a pair of features may be what parts two bodies, whatever is listed beside. */
export const CLASSICALLY_APPLICABLE = -1e-9
/** Applicability of contacts that are no features, but hold each by itself. */
export const STANDS_ALONE = 1

/** How much of a penetration that a step starts with is removed in it, see `ImpulseOptions`. */
export interface Recovery {
  readonly drift: Drift
  readonly stabilization: number
  /** [m/s] */
  readonly correctionSpeed: number
}

/** Tells what has pushed lately. */
export interface Pushers {
  hasPushed(pair: number, feature: number): boolean
}

/** Deeper than this at the start of a step, bodies have come into each other by something else than first order [m]. */
const DEEP_START = 1e-4
/** What a search without an answer has not to push [m]. */
const FAR_BEHIND = 1e-3
/** What a gap that nobody closes may be below zero, over the step [m/s]. */
const SEARCH_TOLERANCE = 1e-9

/**
 * Chooses which contacts are rows where constraints leave it open: contacts under unilateral constraints always are; of the members of
 * inter-contact constraints `MemberSearch` takes those that leave the velocity nearest to the free one. Where it has no answer, what it
 * came nearest with stands, and counts as a fallback.
 */
export class ConstrainedContacts implements MemberProblem {
  // the island at hand, as `MemberSearch` sees it
  contactCount = 0
  readonly constraints = new ContactConstraints()
  key = new Int32Array(0)
  startGap: Float64Array | undefined
  freeGap = new Float64Array(0)
  own = new Float64Array(0)
  endGap = new Float64Array(0)
  impulse = new Float64Array(0)
  readonly cost = new Float64Array(1)

  /** Per pair that penetrates at the start: its number, and the gap that it is to end with [m]. */
  private recovering = new Int32Array(16)
  /** [m]; the first stands for all pairs that do not penetrate. */
  targets = new Float64Array(16)
  private recoveringCount = 1
  /** Which contacts are rows, and from which gaps. */
  readonly rows = new GapTargets()
  private readonly search: MemberSearch
  private readonly recovery: Recovery
  /** Of the search in `SolverEvents.solvers`. */
  private readonly solverIndex: number
  private followsPath: boolean
  /** Whether penetrations are let out constraint by constraint, and not pair by pair. */
  private readonly aimsEach: boolean
  /** Whether the step is seen from its end. */
  private isThere = false
  private isFrozen = false
  private leavesOut = false
  private readonly pruned = new ContactConstraints()
  /** Whether the last `begin` found a constraint that leaves a choice. */
  hasChoice = false
  /** Per contact: 1 if a constraint with several members names it; its place in the island at hand. */
  private isAlternative = new Uint8Array(0)
  private isSettled = new Uint8Array(0)
  private place = new Int32Array(0)
  /** Per contact of the island. */
  private chosen = new Uint8Array(0)
  private starts = new Float64Array(0)
  // while `choose` runs
  private problem: ImpulseProblem | undefined
  private step: FeatureStep | undefined
  private members: Int32Array = new Int32Array(0)
  private first = 0
  private island = 0
  /** nv: a row's column of L⁻ᵀJᵀ, and the velocity of an attempt. */
  private readonly column: Float64Array
  private readonly v: Float64Array
  /** 3 a contact: velocity without contact. */
  private uFree = new Float64Array(0)

  /**
   * @param nodes    cap on subproblems of a search
   * @param aimsEach whether penetrations are let out constraint by constraint, and not pair by pair
   */
  constructor(nv: number, nodes: number, recovery: Recovery, solverIndex: number, followsPath: boolean, aimsEach: boolean) {
    this.search = new MemberSearch(SEARCH_TOLERANCE, nodes)
    this.column = new Float64Array(nv)
    this.v = new Float64Array(nv)
    this.recovery = recovery
    this.solverIndex = solverIndex
    this.followsPath = followsPath
    this.aimsEach = aimsEach
  }

  /** What comes next is the problem of a step at its start, or seen from its end. */
  look(isThere: boolean): void {
    this.isThere = isThere
  }

  /** While a choice is frozen, the contacts that are rows stay as they are. */
  freeze(isFrozen: boolean): void {
    this.isFrozen = isFrozen
  }

  /** While it leaves out, no contact is a row that constraints leave a choice about. */
  leaveOut(leavesOut: boolean): void {
    this.leavesOut = leavesOut
  }

  /** Whether a contact pushes that constraints leave a choice about. */
  pushesByChoice({ count, impulse }: FeatureContactSet): boolean {
    for (let i = 0; i < count; i++) if (this.isAlternative[i] === 1 && impulse[3 * i] > 0) return true
    return false
  }

  /** Whether what parts a pair has to do so on the straight way from start to end too. */
  followPath(follows: boolean): void {
    this.followsPath = follows
  }

  /**
   * Takes out of the constraints what cannot part its pair at the end of the step, judged there: members of which no classically applicable
   * contact is above its floor.
   *
   * @param floor per contact [m]
   */
  prune({ gap, applicability, constraints }: FeatureContactSet, floor: Float64Array): void {
    const { pruned } = this
    const { count, kind, memberStart, pushing, contactStart, contact } = constraints
    pruned.clear()
    for (let g = 0; g < count; g++) {
      pruned.begin(kind[g])
      const chooses = memberStart[g + 1] - memberStart[g] > 1
      for (let m = memberStart[g]; m < memberStart[g + 1]; m++) {
        let isCandidate = !chooses
        for (let k = contactStart[m]; k < contactStart[m + 1] && !isCandidate; k++) {
          const i = contact[k]
          isCandidate = applicability[i] >= CLASSICALLY_APPLICABLE && gap[i] >= floor[i]
        }
        if (!isCandidate) continue
        pruned.addMember(m < memberStart[g] + pushing[g])
        for (let k = contactStart[m]; k < contactStart[m + 1]; k++) pruned.addContact(contact[k])
      }
    }
    constraints.copy(pruned)
  }

  /**
   * Makes one member of all contacts of a constraint that have pushed lately: those of two members that take turns push together at the corner
   * where both have gap zero.
   */
  unite({ pair, feature, constraints }: FeatureContactSet, ending: Pushers): void {
    const { pruned } = this
    const { count, kind, memberStart, pushing, contactStart, contact } = constraints
    pruned.clear()
    for (let g = 0; g < count; g++) {
      pruned.begin(kind[g])
      const end = memberStart[g] + pushing[g]
      let members = 0
      for (let m = memberStart[g]; m < end; m++) if (this.hasPushed(constraints, m, pair, feature, ending)) members++
      if (members > 1) pruned.addMember(true)
      for (let m = memberStart[g]; m < memberStart[g + 1]; m++) {
        if (members < 2) pruned.addMember(m < end)
        for (let k = contactStart[m]; k < contactStart[m + 1]; k++) {
          const i = contact[k]
          if (members < 2 || (m < end && ending.hasPushed(pair[i], feature[i]))) pruned.addContact(i)
        }
      }
    }
    constraints.copy(pruned)
  }

  private hasPushed(
    { contactStart, contact }: ContactConstraints,
    m: number,
    pair: Int32Array,
    feature: Int32Array,
    ending: Pushers,
  ): boolean {
    for (let k = contactStart[m]; k < contactStart[m + 1]; k++) {
      if (ending.hasPushed(pair[contact[k]], feature[contact[k]])) return true
    }
    return false
  }

  /** Where `targets` has the gap that a pair of shapes is to end with, if it penetrates at the start; 0 for others, where that is 0. */
  targetOf(pair: number): number {
    for (let k = 1; k < this.recoveringCount; k++) if (this.recovering[k] === pair) return k
    return 0
  }

  /** Before anything of a step is solved: sets in `rows` what is settled, and the gaps of what the step begins with in each other. */
  begin({ rows }: ImpulseProblem, { contacts, dt }: FeatureStep, vFree: Float64Array): void {
    if (this.isFrozen) return
    const { active, exact, gap } = this.rows
    const { count, constraints } = contacts
    if (contacts.capacity > this.place.length) this.reserve(contacts.capacity)
    rows.velocity(this.uFree, vFree, count)
    if (!this.isThere) this.pruneDeep(contacts)
    const { isAlternative, isSettled } = this
    isAlternative.fill(0, 0, count)
    isSettled.fill(0, 0, count)
    active.fill(0, 0, count)
    this.hasChoice = false
    for (let g = 0; g < constraints.count; g++) {
      const { memberStart, contactStart, contact } = constraints
      const leavesNone = memberStart[g + 1] === memberStart[g] + 1 && constraints.pushing[g] === 1
      for (let k = contactStart[memberStart[g]]; k < contactStart[memberStart[g + 1]]; k++) {
        if (leavesNone) {
          active[contact[k]] = 1
          isSettled[contact[k]] = 1
        } else isAlternative[contact[k]] = 1
      }
      if (!leavesNone) this.hasChoice = true
    }
    if (this.isThere) return
    this.aim(contacts, dt, exact, gap)
    if (this.aimsEach) this.aimEach(contacts, dt, exact, gap)
  }

  /** What penetrates at the start is let out step by step, pair by pair; contacts that stand by themselves as Stewart-Trinkle's are. */
  private aim(
    { count, pair, gap: found, applicability }: FeatureContactSet,
    dt: number,
    exact: Uint8Array,
    gap: Float64Array,
  ): void {
    const { isAlternative, recovery } = this
    this.recoveringCount = 1
    for (let start = 0, end = 0; start < count; start = end) {
      let value = Number.NEGATIVE_INFINITY
      let least = Number.POSITIVE_INFINITY
      let hasAlternatives = false
      for (end = start; end < count && pair[end] === pair[start]; end++) {
        if (applicability[end] === STANDS_ALONE && found[end] < least) least = found[end]
        if (applicability[end] >= CLASSICALLY_APPLICABLE && found[end] > value) value = found[end]
        if (isAlternative[end] === 1) hasAlternatives = true
      }
      if (least < value) value = least
      let target = 0
      if (value < 0 && value > Number.NEGATIVE_INFINITY) {
        if (recovery.drift === 'none') target = value
        else target = value + Math.min(-recovery.stabilization * value, recovery.correctionSpeed * dt)
        if (this.recoveringCount === this.recovering.length) this.reservePairs()
        this.recovering[this.recoveringCount] = pair[start]
        this.targets[this.recoveringCount++] = target
      }
      if (!hasAlternatives || this.aimsEach) continue
      for (let i = start; i < end; i++) {
        exact[i] = 1
        gap[i] = found[i] - target
      }
    }
  }

  /**
   * Leaves bodies that are deep in each other at the start the nearest way out alone: others would be taken within one step, at whatever
   * speed that asks for.
   */
  private pruneDeep({ gap, constraints }: FeatureContactSet): void {
    const { pruned } = this
    const { count, kind, memberStart, pushing, contactStart, contact } = constraints
    let some = false
    pruned.clear()
    for (let g = 0; g < count; g++) {
      pruned.begin(kind[g])
      let value = Number.NEGATIVE_INFINITY
      let nearest = Number.NEGATIVE_INFINITY
      for (let m = memberStart[g]; m < memberStart[g + 1]; m++) {
        let least = Number.POSITIVE_INFINITY
        for (let k = contactStart[m]; k < contactStart[m + 1]; k++) if (gap[contact[k]] < least) least = gap[contact[k]]
        if (least > value) value = least
        if (m < memberStart[g] + pushing[g] && least > nearest) nearest = least
      }
      const isDeep = value < -DEEP_START && nearest > Number.NEGATIVE_INFINITY && kind[g] === constraintKind.inter
      if (isDeep) some = true
      for (let m = memberStart[g]; m < memberStart[g + 1]; m++) {
        const mayPush = m < memberStart[g] + pushing[g]
        let least = Number.POSITIVE_INFINITY
        for (let k = contactStart[m]; k < contactStart[m + 1]; k++) if (gap[contact[k]] < least) least = gap[contact[k]]
        if (isDeep && !(mayPush && least >= nearest)) continue
        pruned.addMember(mayPush)
        for (let k = contactStart[m]; k < contactStart[m + 1]; k++) pruned.addContact(contact[k])
      }
    }
    if (some) constraints.copy(pruned)
  }

  /** The same constraint by constraint, where a pair has several: one vertex that is in leaves the others where they are. */
  private aimEach({ gap: found, constraints }: FeatureContactSet, dt: number, exact: Uint8Array, gap: Float64Array): void {
    const { recovery } = this
    const { count, kind, memberStart, contactStart, contact } = constraints
    for (let g = 0; g < count; g++) {
      if (kind[g] !== constraintKind.inter) continue
      let value = Number.NEGATIVE_INFINITY
      for (let m = memberStart[g]; m < memberStart[g + 1]; m++) {
        let least = Number.POSITIVE_INFINITY
        for (let k = contactStart[m]; k < contactStart[m + 1]; k++) if (found[contact[k]] < least) least = found[contact[k]]
        if (least > value) value = least
      }
      let target = 0
      if (value < 0) {
        if (recovery.drift === 'none') target = value
        else target = value + Math.min(-recovery.stabilization * value, recovery.correctionSpeed * dt)
      }
      for (let k = contactStart[memberStart[g]]; k < contactStart[memberStart[g + 1]]; k++) {
        const i = contact[k]
        if (this.isAlternative[i] === 0) continue
        exact[i] = 1
        gap[i] = found[i] - target
      }
    }
  }

  private reservePairs(): void {
    const { recovering, targets } = this
    this.recovering = new Int32Array(2 * recovering.length)
    this.recovering.set(recovering)
    this.targets = new Float64Array(2 * targets.length)
    this.targets.set(targets)
  }

  /** Whether the choice among the contacts of an island is open: these are members[first] to members[end - 1]. */
  isOpen(members: Int32Array, first: number, end: number): boolean {
    if (this.isFrozen || this.leavesOut) return false
    for (let m = first; m < end; m++) if (this.isAlternative[members[m]] === 1) return true
    return false
  }

  /**
   * Settles in `rows` which contacts of an island are active.
   *
   * @param L the factor of M~
   */
  choose(problem: ImpulseProblem, step: FeatureStep, island: number, L: Float64Array): void {
    const { place, chosen, key, starts, rows } = this
    const { contacts: members, contactStart } = problem.islands
    const first = contactStart[island]
    const end = contactStart[island + 1]
    if (!this.isOpen(members, first, end)) return
    const { contacts, events, dt } = step
    this.problem = problem
    this.step = step
    this.members = members
    this.first = first
    this.island = island
    this.contactCount = end - first
    place.fill(-1, 0, contacts.count)
    for (let m = first; m < end; m++) {
      const i = members[m]
      place[i] = m - first
      key[m - first] = m - first // contacts are sorted by pair and features, so their place says as much
      starts[m - first] = rows.gap[i] / dt
    }
    this.startGap = this.followsPath ? starts : undefined
    this.localise(contacts.constraints)
    this.describe(problem, step, L)

    const { failures, fallbacks, firstFailure } = events
    const solved = this.ask(step)
    // what failed on the way to the choice is no failure of the step
    events.failures = failures
    events.fallbacks = fallbacks + (solved ? 0 : 1)
    events.firstFailure = firstFailure
    for (let m = first; m < end; m++) rows.active[members[m]] = chosen[m - first]
  }

  /** What contacts of the island are without any impulse. */
  private describe({ rows }: ImpulseProblem, { dt }: FeatureStep, L: Float64Array): void {
    const { members, column, contactCount, freeGap, own, uFree } = this
    const { J, first, size, velocities, entry } = rows
    const nv = column.length
    const { gap } = this.rows
    for (let m = 0; m < contactCount; m++) {
      const i = members[this.first + m]
      freeGap[m] = gap[i] / dt + uFree[3 * i]
      column.fill(0)
      for (let c = 0; c < size[i]; c++) column[velocities[first[i] + c]] = J[3 * (entry[i] + c)]
      solveLTransposed(rows.pattern.model, L, column)
      let sum = 0
      for (let k = 0; k < nv; k++) sum += column[k] * column[k]
      own[m] = sum
    }
  }

  /** Searches; false if there is no answer. */
  private ask({ events, dt }: FeatureStep): boolean {
    const { search, chosen, solverIndex, contactCount } = this
    chosen.fill(0, 0, contactCount)
    const status = search.solve(this, chosen)
    events.iterations += search.nodes
    const count = events.solvers[solverIndex]
    if (status === 'solved') {
      count.solved++
      return true
    }
    count.failed++
    // what is far behind its plane would come out of it in one step, at whatever speed that asks for
    for (let k = 0; k < contactCount; k++) {
      const isFar = !this.isThere && this.isAlternative[this.members[this.first + k]] === 1 && this.starts[k] * dt < -FAR_BEHIND
      if (isFar) chosen[k] = 0
    }
    return false
  }

  solveActive(chosen: Uint8Array): boolean {
    const { problem, step, members, first, endGap, impulse, cost, v } = this
    if (problem === undefined || step === undefined) return false
    const { active, gap } = this.rows
    for (let k = 0; k < this.contactCount; k++) active[members[first + k]] = chosen[k]
    const solved = problem.tryIsland(step, this.island, v, cost)
    for (let k = 0; k < this.contactCount; k++) {
      const i = members[first + k]
      const un = problem.rows.normalVelocity(v, i)
      impulse[k] = problem.impulseOf(i)
      if (active[i] === 1) {
        // what rows ask for, which may be a rebound or part of the way out; what softness makes them yield is no violation
        const slack = un + problem.addedTo(i)
        endGap[k] = slack < 0 ? 0 : slack
      } else endGap[k] = gap[i] / step.dt + un
    }
    return solved
  }

  /** Writes what has become of each contact. */
  report(contacts: FeatureContactSet): void {
    const { isAlternative } = this
    const { active } = this.rows
    for (let i = 0; i < contacts.count; i++) {
      if (active[i] === 1) contacts.role[i] = contactRole.active
      else contacts.role[i] = isAlternative[i] === 1 ? contactRole.passedBy : contactRole.idle
    }
  }

  /** The constraints of the island at hand, over its contacts. */
  private localise(all: ContactConstraints): void {
    const { constraints, place } = this
    const { count, kind, memberStart, pushing, contactStart, contact } = all
    constraints.clear()
    for (let g = 0; g < count; g++) {
      if (memberStart[g] === memberStart[g + 1] || place[contact[contactStart[memberStart[g]]]] < 0) continue
      constraints.begin(kind[g])
      for (let m = memberStart[g]; m < memberStart[g + 1]; m++) {
        constraints.addMember(m < memberStart[g] + pushing[g])
        for (let k = contactStart[m]; k < contactStart[m + 1]; k++) constraints.addContact(place[contact[k]])
      }
    }
  }

  private reserve(capacity: number): void {
    this.isAlternative = new Uint8Array(capacity)
    this.isSettled = new Uint8Array(capacity)
    this.place = new Int32Array(capacity)
    this.key = new Int32Array(capacity)
    this.chosen = new Uint8Array(capacity)
    this.starts = new Float64Array(capacity)
    this.freeGap = new Float64Array(capacity)
    this.own = new Float64Array(capacity)
    this.endGap = new Float64Array(capacity)
    this.impulse = new Float64Array(capacity)
    this.uFree = new Float64Array(3 * capacity)
  }
}

import { addWork, solveLTransposedRange, workOn } from '../../dynamics/index.ts'
import type { Drift, ImpulseProblem } from '../constraints/index.ts'
import { grown } from '../grown.ts'
import { ContactConstraints, constraintKind } from './contactConstraints.ts'
import { CLASSICALLY_APPLICABLE, contactRole, type FeatureContactSet, type FeatureStep } from './features/featureContactSet.ts'
import { GapTargets } from './gapTargets.ts'
import { DisjunctSearch } from './search/disjunctSearch.ts'
import type { DisjunctProblem } from './search/disjunctViolations.ts'

/** Solver name of the search. */
export const SEARCH = 'member-search'

/** Correction of a penetration within a step (`ImpulseOptions`). */
interface Recovery {
  readonly drift: Drift
  readonly stabilization: number
  /** [m/s] */
  readonly correctionSpeed: number
}

/** Settings of the search (`ConstraintLaw`). */
export interface SearchLaw {
  /** Whether a penetration at the start is removed for all contacts of a pair together, or by constraint. */
  readonly recovers: 'pairs' | 'constraints'
  /** Whether a solution counts that is not proven to be the nearest. */
  readonly takesAny?: boolean
}

/** Contacts with impulses in recent evaluations. */
interface RecentImpulses {
  hadImpulse(pair: number, feature: number): boolean
}

/** Choice of active contacts in constraints with several disjuncts. */
export const selection = {
  /** Contacts of the active disjuncts found by `DisjunctSearch`. */
  search: 0,
  /** The contacts of the last solve. */
  keep: 1,
  /** None. */
  none: 2,
} as const

/** Depth at the start of a step beyond which an overlap is not a first-order error [m]. */
const DEEP_START = 1e-4
/** Depth beyond which contacts are inactive if the search has no solution [m]. */
const FAR_BEHIND = 1e-3
/** Tolerance below zero of an inactive contact's gap, over the step [m/s]. */
const SEARCH_TOLERANCE = 1e-9

/**
 * Selects the active contacts. Those under unilateral constraints always are; among the disjuncts of inter-contact constraints
 * `DisjunctSearch` selects those of the velocity nearest to the free one. Without a solution, the set of contacts nearest to one is used,
 * and the step counts as a fallback.
 */
export class ConstrainedContacts implements DisjunctProblem {
  // of the island of `choose`, for `DisjunctSearch`
  contactCount = 0
  readonly constraints = new ContactConstraints()
  key = new Int32Array(0)
  startGap: Float64Array | undefined
  freeGap = new Float64Array(0)
  own = new Float64Array(0)
  endGap = new Float64Array(0)
  impulse = new Float64Array(0)
  readonly cost = new Float64Array(1)

  /** Per pair that penetrates at the start: its number, and its target gap at the end of the step [m]. */
  private recovering = new Int32Array(16)
  /** Target gaps [m]; the first is that of all pairs without penetration. */
  targets = new Float64Array(16)
  private recoveringCount = 1
  /** 2: separation of the current pair (`FeatureContactSet.separationOfPair`) [m]. */
  private readonly separation = new Float64Array(2)
  /** Active contacts, and their gaps. */
  readonly rows = new GapTargets()
  private readonly search: DisjunctSearch
  private readonly recovery: Recovery
  /** Index of the search in `SolverEvents.solvers`. */
  private readonly solverIndex: number
  private readonly law: SearchLaw
  /** Whether the contacts are those of the end of the step; and the `selection`. */
  private isAtEnd = false
  private choice: number = selection.search
  /** Whether the contacts of the last `begin` have a constraint with several disjuncts. */
  hasChoice = false
  /** Per contact: 1 if in a constraint with several disjuncts; and its index in the island. */
  private isAlternative = new Uint8Array(0)
  private place = new Int32Array(0)
  /** Per contact of the island: 1 if active. */
  private chosen = new Uint8Array(0)
  private starts = new Float64Array(0)
  /** Per entry of the constraints' contacts, and per constraint: arguments of `ContactConstraints.keep`; per disjunct: its least gap. */
  private keeps = new Uint8Array(0)
  private joins = new Uint8Array(0)
  private least = new Float64Array(0)
  // while `choose` runs
  private problem: ImpulseProblem | undefined
  private step: FeatureStep | undefined
  private disjuncts: Int32Array = new Int32Array(0)
  private first = 0
  private island = 0
  /** nv: a row's column of L⁻ᵀJᵀ, then the velocity of a trial. */
  private readonly v: Float64Array
  /** 3 a contact: velocity without contact, as of `ImpulseProblem.contacts`. */
  private uFree = new Float64Array(0)

  /** @param nodes most subproblems of a search */
  constructor(nv: number, nodes: number, recovery: Recovery, solverIndex: number, law: SearchLaw) {
    this.search = new DisjunctSearch(SEARCH_TOLERANCE, nodes)
    this.v = new Float64Array(nv)
    this.recovery = recovery
    this.solverIndex = solverIndex
    this.law = law
  }

  /** Whether a contact in a constraint with several disjuncts has an impulse. */
  hasImpulseByChoice({ count, impulse }: FeatureContactSet): boolean {
    for (let i = 0; i < count; i++) if (this.isAlternative[i] === 1 && impulse[3 * i] > 0) return true
    return false
  }

  /**
   * At an evaluated end of the step, drops the disjuncts that cannot separate their pair there: those without a classically applicable
   * contact above its floor.
   *
   * @param floor per contact [m]
   */
  dropDistantDisjuncts({ gap, applicability, constraints }: FeatureContactSet, floor: Float64Array): void {
    const { keeps } = this.beginKeeping(constraints, 0)
    const { count, disjunctStart, contactStart, contact } = constraints
    for (let g = 0; g < count; g++) {
      const isSingle = disjunctStart[g + 1] - disjunctStart[g] === 1
      for (let m = disjunctStart[g]; m < disjunctStart[g + 1]; m++) {
        let isCandidate = isSingle
        for (let k = contactStart[m]; k < contactStart[m + 1] && !isCandidate; k++) {
          const i = contact[k]
          isCandidate = applicability[i] >= CLASSICALLY_APPLICABLE && gap[i] >= floor[i]
        }
        if (isCandidate) keeps.fill(1, contactStart[m], contactStart[m + 1])
      }
    }
    constraints.keep(keeps, this.joins)
  }

  /**
   * Merges all contacts of a constraint that had impulses recently into one disjunct: if two disjuncts alternate, both act together at the
   * corner where both gaps are zero.
   */
  uniteAlternating({ pair, feature, constraints }: FeatureContactSet, recent: RecentImpulses): void {
    const { keeps, joins } = this.beginKeeping(constraints, 1)
    const { count, disjunctStart, pushing, contactStart, contact } = constraints
    for (let g = 0; g < count; g++) {
      const end = disjunctStart[g] + pushing[g]
      let disjuncts = 0
      for (let m = disjunctStart[g]; m < end; m++) {
        let isRecent = false
        for (let k = contactStart[m]; k < contactStart[m + 1]; k++) {
          if (recent.hadImpulse(pair[contact[k]], feature[contact[k]])) isRecent = true
        }
        if (isRecent) disjuncts++
      }
      if (disjuncts < 2) continue
      joins[g] = 1
      for (let k = contactStart[disjunctStart[g]]; k < contactStart[disjunctStart[g + 1]]; k++) {
        keeps[k] = k < contactStart[end] && recent.hadImpulse(pair[contact[k]], feature[contact[k]]) ? 1 : 0
      }
    }
    constraints.keep(keeps, joins)
  }

  /**
   * Keeps only the shortest penetration direction of bodies that overlap deeply at the start: any other would be resolved within one step,
   * at an unbounded speed.
   */
  private keepShortestExits({ gap, constraints }: FeatureContactSet): void {
    const { keeps, least } = this.beginKeeping(constraints, 1)
    const { count, kind, disjunctStart, pushing, contactStart } = constraints
    let some = false
    constraints.leastGaps(gap, least)
    for (let g = 0; g < count; g++) {
      const end = disjunctStart[g] + pushing[g]
      let value = Number.NEGATIVE_INFINITY
      let nearest = Number.NEGATIVE_INFINITY
      for (let m = disjunctStart[g]; m < disjunctStart[g + 1]; m++) {
        if (least[m] > value) value = least[m]
        if (m < end && least[m] > nearest) nearest = least[m]
      }
      if (!(value < -DEEP_START && nearest > Number.NEGATIVE_INFINITY) || kind[g] !== constraintKind.inter) continue
      some = true
      for (let m = disjunctStart[g]; m < disjunctStart[g + 1]; m++) {
        if (m >= end || least[m] < nearest) keeps.fill(0, contactStart[m], contactStart[m + 1])
      }
    }
    if (some) constraints.keep(keeps, this.joins)
  }

  private beginKeeping({ count, disjunctCount, contactStart }: ContactConstraints, all: number): this {
    const entries = contactStart[disjunctCount]
    if (entries > this.keeps.length) this.keeps = new Uint8Array(2 * entries)
    if (count > this.joins.length) this.joins = new Uint8Array(2 * count)
    if (disjunctCount > this.least.length) this.least = new Float64Array(2 * disjunctCount)
    this.keeps.fill(all, 0, entries)
    this.joins.fill(0, 0, count)
    return this
  }

  /** Index in `targets` of the target gap of a pair that penetrates at the start; 0 for other pairs, whose target is 0. */
  targetOf(pair: number): number {
    for (let k = 1; k < this.recoveringCount; k++) if (this.recovering[k] === pair) return k
    return 0
  }

  /**
   * Prepares a step, before `ImpulseProblem.prepare`: sets in `rows` the contacts that are always active, and the targets of pairs that
   * penetrate at the start.
   *
   * @param isAtEnd whether contacts are those of the end of the step
   * @param choice  one of `selection`
   */
  begin(problem: ImpulseProblem, { contacts, dt }: FeatureStep, isAtEnd: boolean, choice: number): void {
    this.isAtEnd = isAtEnd
    this.choice = choice
    if (choice === selection.keep) return
    const { active } = this.rows
    const { count, constraints } = contacts
    if (contacts.capacity > this.place.length) this.reserve(contacts.capacity)
    this.uFree = problem.contacts.uFree
    if (!isAtEnd) this.keepShortestExits(contacts)
    const { isAlternative } = this
    isAlternative.fill(0, 0, count)
    active.fill(0, 0, count)
    this.hasChoice = false
    for (let g = 0; g < constraints.count; g++) {
      const { disjunctStart, contactStart, contact } = constraints
      const isUnilateral = disjunctStart[g + 1] === disjunctStart[g] + 1 && constraints.pushing[g] === 1
      const mark = isUnilateral ? active : isAlternative
      for (let k = contactStart[disjunctStart[g]]; k < contactStart[disjunctStart[g + 1]]; k++) mark[contact[k]] = 1
      if (!isUnilateral) this.hasChoice = true
    }
    if (isAtEnd) return
    this.setTargetsOfPairs(contacts, dt)
    if (this.law.recovers === 'constraints') this.setTargetsOfConstraints(contacts, dt)
  }

  /** Sets targets that remove initial penetrations over several steps, pair by pair; without features as in Stewart and Trinkle's model. */
  private setTargetsOfPairs(contacts: FeatureContactSet, dt: number): void {
    const { isAlternative, separation } = this
    const { count, pair, gap } = contacts
    this.recoveringCount = 1
    for (let start = 0, end = 0; start < count; start = end) {
      end = contacts.separationOfPair(start, separation)
      const value = separation[1] < separation[0] ? separation[1] : separation[0]
      let hasAlternatives = false
      for (let i = start; i < end; i++) if (isAlternative[i] === 1) hasAlternatives = true
      let target = 0
      if (value < 0 && value > Number.NEGATIVE_INFINITY) {
        target = this.recovered(value, dt)
        if (this.recoveringCount === this.recovering.length) {
          this.recovering = grown(this.recovering, 2 * this.recoveringCount)
          this.targets = grown(this.targets, 2 * this.recoveringCount)
        }
        this.recovering[this.recoveringCount] = pair[start]
        this.targets[this.recoveringCount++] = target
      }
      if (!hasAlternatives || this.law.recovers === 'constraints') continue
      for (let i = start; i < end; i++) {
        this.rows.exact[i] = 1
        this.rows.gap[i] = gap[i] - target
      }
    }
  }

  /** Sets such targets by constraint, if a pair has several: a penetrating vertex leaves the others unchanged. */
  private setTargetsOfConstraints({ gap, constraints }: FeatureContactSet, dt: number): void {
    const { least } = this.beginKeeping(constraints, 1)
    const { count, kind, disjunctStart, contactStart, contact } = constraints
    constraints.leastGaps(gap, least)
    for (let g = 0; g < count; g++) {
      if (kind[g] !== constraintKind.inter) continue
      let value = Number.NEGATIVE_INFINITY
      for (let m = disjunctStart[g]; m < disjunctStart[g + 1]; m++) if (least[m] > value) value = least[m]
      const target = value < 0 ? this.recovered(value, dt) : 0
      for (let k = contactStart[disjunctStart[g]]; k < contactStart[disjunctStart[g + 1]]; k++) {
        const i = contact[k]
        if (this.isAlternative[i] === 0) continue
        this.rows.exact[i] = 1
        this.rows.gap[i] = gap[i] - target
      }
    }
  }

  /** Gap that remains of a penetration after a step [m]. */
  private recovered(gap: number, dt: number): number {
    const { drift, stabilization, correctionSpeed } = this.recovery
    return drift === 'none' ? gap : gap + Math.min(-stabilization * gap, correctionSpeed * dt)
  }

  /**
   * Sets the active contacts of an island in `rows`.
   *
   * @param L           the factor of M~
   * @param followsPath whether constraints must hold along the whole step, in which gaps are linear
   */
  choose(problem: ImpulseProblem, step: FeatureStep, island: number, L: Float64Array, followsPath: boolean): void {
    const { place, chosen, key, starts, rows } = this
    const { contacts: disjuncts, contactStart } = problem.islands
    const first = contactStart[island]
    const end = contactStart[island + 1]
    let isOpen = false
    for (let m = first; m < end; m++) if (this.isAlternative[disjuncts[m]] === 1) isOpen = true
    if (!isOpen || this.choice !== selection.search) return
    const { contacts, events, dt } = step
    this.problem = problem
    this.step = step
    this.disjuncts = disjuncts
    this.first = first
    this.island = island
    this.contactCount = end - first
    place.fill(-1, 0, contacts.count)
    for (let m = first; m < end; m++) {
      const i = disjuncts[m]
      place[i] = m - first
      key[m - first] = m - first // contacts are sorted by pair and features, so their index serves as key
      starts[m - first] = rows.gap[i] / dt
    }
    this.startGap = followsPath ? starts : undefined
    workOn(SEARCH, this.contactCount, 0)
    this.constraints.clear()
    this.constraints.take(contacts.constraints, place)
    this.describe(problem, step, L)

    const { failures, fallbacks, firstFailure } = events
    const solved = this.findActive(step)
    // failures of subproblems do not count for the step
    events.failures = failures
    events.fallbacks = fallbacks + (solved ? 0 : 1)
    events.firstFailure = firstFailure
    for (let m = first; m < end; m++) rows.active[disjuncts[m]] = chosen[m - first]
  }

  /** Gaps and effective masses of the island's contacts, without impulses. */
  private describe({ contacts: { rows } }: ImpulseProblem, { dt }: FeatureStep, L: Float64Array): void {
    const { disjuncts, v: column, contactCount, freeGap, own, uFree } = this
    const { J, first, size, velocities, entry } = rows
    const { gap } = this.rows
    for (let m = 0; m < contactCount; m++) {
      const i = disjuncts[this.first + m]
      freeGap[m] = gap[i] / dt + uFree[3 * i]
      // nonzero only at the listed velocities, which include all ancestors of each
      let lowest = column.length
      let end = 0
      for (let c = first[i]; c < first[i] + size[i]; c++) {
        if (velocities[c] < lowest) lowest = velocities[c]
        if (velocities[c] >= end) end = velocities[c] + 1
      }
      for (let k = lowest; k < end; k++) column[k] = 0
      for (let c = 0; c < size[i]; c++) column[velocities[first[i] + c]] = J[3 * (entry[i] + c)]
      addWork(end - lowest, 10, 1)
      if (lowest < end) solveLTransposedRange(rows.pattern.model, L, lowest, end, column)
      let sum = 0
      for (let k = lowest; k < end; k++) sum += column[k] * column[k]
      own[m] = sum
    }
  }

  /** Writes `chosen`. @returns false if the search has no solution */
  private findActive({ events, dt }: FeatureStep): boolean {
    const { search, chosen, solverIndex, contactCount } = this
    chosen.fill(0, 0, contactCount)
    const status = search.solve(this, chosen)
    events.iterations += search.nodes
    const count = events.solvers[solverIndex]
    const isAny = status === 'limit' && search.valid && search.residual[0] === 0
    if (status === 'solved' || (isAny && this.law.takesAny)) {
      count.solved++
      return true
    }
    count.failed++
    // a contact far behind its plane would be pushed out in one step, at an unbounded speed
    for (let k = 0; k < contactCount; k++) {
      const isFar = !this.isAtEnd && this.isAlternative[this.disjuncts[this.first + k]] === 1 && this.starts[k] * dt < -FAR_BEHIND
      if (isFar) chosen[k] = 0
    }
    return false
  }

  solveActive(chosen: Uint8Array): boolean {
    const { problem, step, disjuncts, first, endGap, impulse, v } = this
    if (problem === undefined || step === undefined) return false
    const { active, gap } = this.rows
    for (let k = 0; k < this.contactCount; k++) active[disjuncts[first + k]] = chosen[k]
    const solved = this.tryIsland(problem, step)
    workOn(SEARCH, this.contactCount, 0)
    for (let k = 0; k < this.contactCount; k++) {
      const i = disjuncts[first + k]
      const un = problem.contacts.rows.normalVelocity(v, i)
      impulse[k] = active[i] === 1 ? problem.contacts.impulse[3 * i] : 0
      if (active[i] === 1) {
        // the rows' right-hand side may be part of a recovery; a gap due to compliance is no violation
        const slack = un + problem.system.added[problem.contacts.rowOf[i]]
        endGap[k] = slack < 0 ? 0 : slack
      } else endGap[k] = gap[i] / step.dt + un
    }
    return solved
  }

  /**
   * Solves the island with its active contacts for v, the end-of-step velocity, and `cost`; without a solution v is the free velocity. The
   * solution is the guess of the next trial. @returns whether there is one
   */
  private tryIsland(problem: ImpulseProblem, step: FeatureStep): boolean {
    const { v, cost } = this
    const { system } = problem
    problem.build(step, this.island)
    v.set(problem.vFree)
    cost[0] = 0
    if (system.groupCount === 0) return true
    if (!problem.solver.solve(problem, step)) return false
    system.addVelocity(system.p, v)
    addCost(cost, problem)
    problem.storeSolution()
    return true
  }

  /**
   * If several disjuncts could separate the bodies, these touch at the disjunct that closes last in the free motion, to first order: moves
   * the marks of a constraint to its contacts. Marks stay if no disjunct closes, or all are closed at the start.
   *
   * @param marks per contact: 1 for those with an impulse in the last solve, at the start of the step
   */
  markMet({ gap, constraints }: FeatureContactSet, marks: Uint8Array): void {
    const { count, kind, disjunctStart, pushing, contactStart, contact } = constraints
    for (let g = 0; g < count; g++) {
      const start = disjunctStart[g]
      const end = disjunctStart[g + 1]
      let isMarked = false
      for (let k = contactStart[start]; k < contactStart[end]; k++) if (marks[contact[k]] === 1) isMarked = true
      if (!isMarked || end - start < 2 || kind[g] === constraintKind.cross) continue
      let last = -1
      let latest = 0
      for (let m = start; m < end; m++) {
        let closing = Number.POSITIVE_INFINITY
        for (let k = contactStart[m]; k < contactStart[m + 1]; k++) {
          const i = contact[k]
          const time = gap[i] < 0 ? -1 : this.uFree[3 * i] < 0 ? -gap[i] / this.uFree[3 * i] : Number.POSITIVE_INFINITY
          if (time < closing) closing = time
        }
        if (closing < latest) continue
        last = m
        latest = closing
      }
      if (last < 0 || last >= start + pushing[g] || latest === Number.POSITIVE_INFINITY) continue
      for (let k = contactStart[start]; k < contactStart[end]; k++) marks[contact[k]] = 0
      for (let k = contactStart[last]; k < contactStart[last + 1]; k++) marks[contact[k]] = 1
    }
  }

  /** Writes the role of each contact (`contactRole`). */
  report(contacts: FeatureContactSet): void {
    const { isAlternative } = this
    const { active } = this.rows
    for (let i = 0; i < contacts.count; i++) {
      if (active[i] === 1) contacts.role[i] = contactRole.active
      else contacts.role[i] = isAlternative[i] === 1 ? contactRole.passedBy : contactRole.idle
    }
  }

  private reserve(capacity: number): void {
    this.isAlternative = new Uint8Array(capacity)
    this.place = new Int32Array(capacity)
    this.key = new Int32Array(capacity)
    this.chosen = new Uint8Array(capacity)
    this.starts = new Float64Array(capacity)
    this.freeGap = new Float64Array(capacity)
    this.own = new Float64Array(capacity)
    this.endGap = new Float64Array(capacity)
    this.impulse = new Float64Array(capacity)
  }
}

/** cost[0] += pᵀ W p of the last solved island: |v⁺ - v_free|² in M~. */
export function addCost(cost: Float64Array, { system, solver }: ImpulseProblem): void {
  const { rowCount, p } = system
  const u = solver.scratch(rowCount)
  system.respond(p, u)
  for (let r = 0; r < rowCount; r++) cost[0] += p[r] * u[r]
}

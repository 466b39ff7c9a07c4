import { addWork } from '../../../dynamics/index.ts'
import { type ContactConstraints, constraintKind } from '../contactConstraints.ts'

/**
 * Contact problem under constraints for `DisjunctSearch`: the search selects the active contacts, and the problem is solved for these (that
 * of Stewart and Trinkle, with friction and other rows).
 *
 * Gaps are over the step: psi / h [m/s].
 */
export interface DisjunctProblem {
  readonly contactCount: number
  readonly constraints: ContactConstraints
  /** Per contact: a unique number of its features, for ties. */
  readonly key: Int32Array
  /** Per contact: gap at the start over the step, for path constraints [m/s]; undefined if only the end counts. */
  readonly startGap: Float64Array | undefined
  /** Per contact: psi / h + J_n v_free [m/s]; with `own` it saves most of the search. */
  readonly freeGap?: Float64Array | undefined
  /** Per contact: J_n M⁻¹ J_nᵀ, without compliance [1/kg]. */
  readonly own?: Float64Array | undefined
  /**
   * Solves with the contacts with active[i] = 1 as unilateral rows, and writes `endGap`, `impulse` and `cost`. @returns false if there is
   * no solution
   */
  solveActive(active: Uint8Array): boolean
  /** Per contact, active or not: psi / h + J_n v⁺ [m/s]. */
  readonly endGap: Float64Array
  /** Per contact: its normal impulse, 0 if inactive [N s]. */
  readonly impulse: Float64Array
  /** 1: |v⁺ - v_free|² in M, the objective of the search. */
  readonly cost: Float64Array
}

/** Impulses below this fraction of the largest one count as zero. */
export const PUSHING = 1e-9

/** Violation of a constraint: none; value below zero at the end of the step; value below zero on the path only. */
export const satisfied = 0
const atEnd = 1
export const onPath = 2

/** Violations of the constraints by the velocities in a problem. */
export class DisjunctViolations {
  // per constraint
  state = new Uint8Array(0)
  private value = new Float64Array(0)
  private violation = new Float64Array(0)
  // per disjunct: its least gap, and the interval of the step in which it holds
  least = new Float64Array(0)
  from = new Float64Array(0)
  to = new Float64Array(0)
  private readonly dip = new Float64Array(1)
  /** Per contact: 1 if it may have an impulse. */
  private allowed = new Uint8Array(0)
  /** 1: `DisjunctSearch.residual`. */
  readonly worst = new Float64Array(1)
  /** Whether all constraints hold; and the constraint with an unnecessary impulse, -1 if none. */
  holds = false
  needlessFor = -1
  private readonly tolerance: number
  /**
   * Value above which a constraint holds without an impulse [m/s]: more than the subproblem's errors, by which coplanar contacts differ if
   * only some are active.
   */
  private readonly apart: number

  constructor(tolerance: number) {
    this.tolerance = tolerance
    this.apart = 100 * tolerance
  }

  /** Finds the violation of each constraint by the problem's velocities. */
  evaluate(problem: DisjunctProblem, current: Uint8Array): void {
    this.reserve(problem)
    const { constraints, endGap, startGap } = problem
    const { count, disjunctStart, contactStart, contact } = constraints
    const { state, value, violation, least, worst, tolerance } = this
    worst[0] = 0
    addWork(contactStart[disjunctStart[count]], 5, 1)
    for (let g = 0; g < count; g++) {
      let greatest = Number.NEGATIVE_INFINITY
      let rows = disjunctStart[g] === disjunctStart[g + 1]
      for (let m = disjunctStart[g]; m < disjunctStart[g + 1]; m++) {
        let lowest = Number.POSITIVE_INFINITY
        let all = true
        for (let k = contactStart[m]; k < contactStart[m + 1]; k++) {
          const i = contact[k]
          if (endGap[i] < lowest) lowest = endGap[i]
          if (current[i] === 0) all = false
        }
        least[m] = lowest
        if (lowest > greatest) greatest = lowest
        // active rows hold to within the problem's compliance
        if (all) rows = true
      }
      value[g] = greatest
      state[g] = satisfied
      violation[g] = 0
      if (rows || greatest >= -tolerance) continue
      state[g] = atEnd
      violation[g] = -greatest
      if (violation[g] > worst[0]) worst[0] = violation[g]
    }
    if (startGap !== undefined) this.evaluatePaths(constraints, current, startGap, endGap)
    this.holds = worst[0] === 0
    this.needlessFor = -1
    if (this.holds) this.evaluateImpulses(problem, current)
  }

  /** Finds violations on the path, of the constraints that hold at the end. */
  private evaluatePaths(
    constraints: ContactConstraints,
    current: Uint8Array,
    startGap: Float64Array,
    endGap: Float64Array,
  ): void {
    const { count, disjunctStart, contactStart, contact } = constraints
    const { state, violation, from, to, worst, tolerance } = this
    constraints.leastGaps(startGap, from)
    for (let g = 0; g < count; g++) {
      const first = disjunctStart[g]
      const end = disjunctStart[g + 1]
      if (state[g] !== satisfied || first === end) continue
      let floor = Number.NEGATIVE_INFINITY
      for (let m = first; m < end; m++) if (from[m] > floor) floor = from[m]
      floor = Math.min(floor, 0) - tolerance
      // a disjunct holds between zeros of its lines
      for (let m = first; m < end; m++) {
        from[m] = 0
        to[m] = 1
        for (let k = contactStart[m]; k < contactStart[m + 1]; k++) {
          const i = contact[k]
          const s = startGap[i] - floor
          const e = (current[i] === 1 ? Math.max(endGap[i], 0) : endGap[i]) - floor
          const zero = s / (s - e)
          if (s < 0 && e < 0) to[m] = -1
          else if (s < 0 && zero > from[m]) from[m] = zero
          else if (e < 0 && zero < to[m]) to[m] = zero
        }
      }
      if (this.covers(first, end)) continue
      state[g] = onPath
      this.measureDip(constraints, g, startGap, endGap)
      violation[g] = Math.max(-this.dip[0], tolerance)
      if (violation[g] > worst[0]) worst[0] = violation[g]
    }
  }

  /** Whether the intervals of disjuncts `first` to `end` - 1 cover the step; if not, dip[0] := end of the covered part. */
  private covers(first: number, end: number): boolean {
    const { from, to, dip } = this
    dip[0] = 0
    for (;;) {
      let best = -1
      for (let m = first; m < end; m++) {
        if (from[m] <= dip[0] && to[m] > dip[0] && (best < 0 || to[m] > to[best])) best = m
      }
      if (best < 0) return false
      dip[0] = to[best]
      if (dip[0] >= 1) return true
    }
  }

  /** dip[0] := the value of constraint g at the middle of the uncovered interval, which begins at dip[0]. */
  private measureDip(constraints: ContactConstraints, g: number, startGap: Float64Array, endGap: Float64Array): void {
    const { disjunctStart, contactStart, contact } = constraints
    const { from, to, dip } = this
    let again = 1
    for (let m = disjunctStart[g]; m < disjunctStart[g + 1]; m++) {
      if (from[m] > dip[0] && to[m] > from[m] && from[m] < again) again = from[m]
    }
    const t = 0.5 * (dip[0] + again)
    dip[0] = Number.NEGATIVE_INFINITY
    for (let m = disjunctStart[g]; m < disjunctStart[g + 1]; m++) {
      let lowest = Number.POSITIVE_INFINITY
      for (let k = contactStart[m]; k < contactStart[m + 1]; k++) {
        const at = (1 - t) * startGap[contact[k]] + t * endGap[contact[k]]
        if (at < lowest) lowest = at
      }
      if (lowest > dip[0]) dip[0] = lowest
    }
  }

  /** Finds a constraint with an impulse that holds without it. */
  private evaluateImpulses({ contactCount: n, constraints, impulse, startGap }: DisjunctProblem, current: Uint8Array): void {
    const { count, kind, disjunctStart, pushing, contactStart, contact } = constraints
    const { worst, allowed, least, value, from, tolerance, apart } = this
    let largest = 0
    for (let i = 0; i < n; i++) {
      allowed[i] = 0
      if (impulse[i] > largest) largest = impulse[i]
    }
    for (let g = 0; g < count; g++) {
      if (kind[g] === constraintKind.cross || (value[g] > apart && startGap === undefined)) continue
      for (let m = disjunctStart[g]; m < disjunctStart[g] + pushing[g]; m++) {
        let rows = true
        for (let k = contactStart[m]; k < contactStart[m + 1]; k++) if (current[contact[k]] === 0) rows = false
        if (!rows && least[m] < -tolerance) continue
        // open at the end by another disjunct: did that hold within the whole step?
        let otherwise = false
        for (let other = disjunctStart[g]; value[g] > apart && other < disjunctStart[g + 1]; other++) {
          if (least[other] > apart && from[other] === 0) otherwise = true
        }
        if (otherwise) continue
        for (let k = contactStart[m]; k < contactStart[m + 1]; k++) allowed[contact[k]] = 1
      }
    }
    for (let g = 0; g < count; g++) {
      if (kind[g] === constraintKind.cross) continue
      const end = contactStart[disjunctStart[g] + pushing[g]]
      for (let k = contactStart[disjunctStart[g]]; k < end; k++) {
        const i = contact[k]
        if (allowed[i] === 1 || impulse[i] <= PUSHING * largest || value[g] < worst[0]) continue
        // the value, if the contact is the least of its disjunct; else, or if the disjunct does not hold, at least the tolerance
        worst[0] = Math.max(value[g], tolerance)
        this.needlessFor = g
      }
    }
  }

  /** The most violated constraint; the end has priority over the path, and keys break ties. */
  mostViolated({ constraints, key }: DisjunctProblem): number {
    const { count } = constraints
    const { state, violation, tolerance } = this
    let kind: number = onPath
    for (let g = 0; g < count; g++) if (state[g] === atEnd) kind = atEnd
    let most = 0
    for (let g = 0; g < count; g++) if (state[g] === kind && violation[g] > most) most = violation[g]
    let worst = -1
    for (let g = 0; g < count; g++) {
      if (state[g] !== kind || violation[g] < most - tolerance) continue
      if (worst < 0 || this.comesBefore(constraints, key, g, worst)) worst = g
    }
    return worst
  }

  /** Whether the sorted keys of constraint g precede those of f; for equal contacts the kind decides. */
  private comesBefore(constraints: ContactConstraints, key: Int32Array, g: number, f: number): boolean {
    const { disjunctStart, contactStart, contact, kind } = constraints
    let last = Number.NEGATIVE_INFINITY
    for (;;) {
      let mine = Number.POSITIVE_INFINITY
      let its = Number.POSITIVE_INFINITY
      for (let k = contactStart[disjunctStart[g]]; k < contactStart[disjunctStart[g + 1]]; k++) {
        if (key[contact[k]] > last && key[contact[k]] < mine) mine = key[contact[k]]
      }
      for (let k = contactStart[disjunctStart[f]]; k < contactStart[disjunctStart[f + 1]]; k++) {
        if (key[contact[k]] > last && key[contact[k]] < its) its = key[contact[k]]
      }
      if (mine !== its) return mine < its
      if (mine === Number.POSITIVE_INFINITY) return kind[g] < kind[f]
      last = mine
    }
  }

  private reserve({ contactCount, constraints: { count, disjunctCount } }: DisjunctProblem): void {
    if (contactCount > this.allowed.length) this.allowed = new Uint8Array(2 * contactCount)
    if (count > this.state.length) {
      this.state = new Uint8Array(2 * count)
      this.value = new Float64Array(2 * count)
      this.violation = new Float64Array(2 * count)
    }
    if (disjunctCount > this.least.length) {
      this.least = new Float64Array(2 * disjunctCount)
      this.from = new Float64Array(2 * disjunctCount)
      this.to = new Float64Array(2 * disjunctCount)
    }
  }
}

import { addWork } from '../../dynamics/index.ts'
import { grown } from '../grown.ts'
import type { SolverStatus } from '../solvers/complementarity.ts'
import { type ContactConstraints, constraintKind } from './contactConstraints.ts'

/**
 * Contact problem under constraints for `MemberSearch`: the search selects the contacts that are rows, and the problem is solved for these
 * (that of Stewart and Trinkle, with friction and other rows).
 *
 * Gaps are over the step: psi / h [m/s].
 */
export interface MemberProblem {
  readonly contactCount: number
  readonly constraints: ContactConstraints
  /** Per contact: a unique number of its features, for ties. */
  readonly key: Int32Array
  /** Per contact: the gap at the start of the step over the step, for the path [m/s]; undefined where only the end counts. */
  readonly startGap: Float64Array | undefined
  /** Per contact: psi / h + J_n v_free [m/s]; with `own` it saves most of the search. */
  readonly freeGap?: Float64Array | undefined
  /** Per contact: J_n M⁻¹ J_nᵀ, without softness [1/kg]. */
  readonly own?: Float64Array | undefined
  /**
   * Solves with the contacts of which active[i] is 1 as unilateral rows, and writes `endGap`, `impulse` and `cost`. False if there is no
   * solution.
   */
  solveActive(active: Uint8Array): boolean
  /** Per contact, active or not: psi / h + J_n v⁺ [m/s]. */
  readonly endGap: Float64Array
  /** Per contact: its normal impulse, 0 for those that are not active [N s]. */
  readonly impulse: Float64Array
  /** 1: |v⁺ - v_free|² in M, the objective of the search. */
  readonly cost: Float64Array
}

/** An impulse below this share of the largest one is zero. */
const PUSHING = 1e-9
/** Costs that differ by less than this share of themselves are equal. */
const EQUAL = 1e-9
/** Rounds of the first descent. */
const ROUNDS = 8

const SEVERAL = -1
const NONE = -2

/** Violation of a constraint: none; its value is below zero at the end of the step; it is below zero before. */
const satisfied = 0
const atEnd = 1
const onPath = 2

/**
 * Selects the contacts that are rows, such that the resulting velocities satisfy `ContactConstraints`, impulses included, and are the
 * nearest to the free ones in M of all that do.
 *
 * Branch and bound. A node is a set of active contacts. The root has those of unilateral constraints and of constraints with one
 * member. A node whose velocities violate a constraint branches into one child for each member that can satisfy it, with those contacts of
 * the member added that may push. A child costs at least its parent's cost plus psi_j² / W_jj for every gap psi_j < 0 that it closes; nodes
 * are solved in the order of these bounds, and the search ends when no remaining one can be as cheap as the best solution found.
 *
 * Proof that this solution is the nearest, without friction: a node S is the projection of v_free, in M, on the polyhedron P(S) of
 * velocities with psi_i >= 0 for i in S. So cost grows with S, and all v in P(S) cost at least |v - v_S|²_M more than v_S, hence the bound.
 * Let v* be a solution, and A the contacts that may push and have psi_i(v*) >= 0. All active ones of v* are in A, hence v* = v_S for every
 * S in A that has those, and every other S in A costs less than v* and is solved before the search may end with v* or with more. If v_S
 * violates a constraint, a member of it holds at v*, and if that may push, the child with it is in A again. If it may not, or if v_S is
 * feasible but a contact has an impulse for a constraint that holds without it, every violated contact that may push makes a child: one of
 * those active in v* is among them, or v_S would be the nearest in P(A) too, which is v*. So no solution is missed, and `residual` proves
 * that there is none. Where all constraints are inter or unilateral ones of which every member may push, the nearest feasible velocity is a
 * solution. With friction a node is no projection: the order is a heuristic, and proof is left to `freeGap` below.
 *
 * Ties in cost are broken by the sorted keys of the contacts that may push and are closed, by their first difference; ties in violation,
 * which matter for paths alone, by the keys of the constraint. Places in lists have no influence.
 *
 * Speed. Without alternatives there is one solve. Otherwise the guess is solved first, and if it is no solution, the root and a descent by
 * the nearest member of all violated constraints at once. With `freeGap` and `own` a solution so found may be proven to be the nearest
 * without a search: velocities with psi_j >= 0 cost at least psi_j(v_free)² / W_jj, whatever makes them, friction included; if of a
 * constraint all members but one cost more than the solution, that one has to hold, and if all active ones of the solution have to hold, no
 * feasible velocity is nearer. For bodies at rest this takes one solve.
 *
 * Path. Where `startGap` is given, constraints have to hold along the whole step too, on which each gap is a line:
 * a member holds on an interval, and the intervals of the members have to cover the step, which is exact for any members. The value of
 * a constraint that is violated at the start may not fall within the step. A constraint violated on the path branches into the members that
 * hold at the start, for they hold throughout if they hold at the end; and only such a member makes the impulse of another needless. So
 * alternating members are feasible, but not searched for: the solution is the nearest of velocities that one member a constraint keeps
 * feasible.
 *
 * Nothing is allocated once its lists have grown; nothing is random. A constraint without members is ignored.
 */
export class MemberSearch {
  /** Subproblems solved in the last search. */
  nodes = 0
  /**
   * 1: the largest violation of a constraint by the solution, at the end or before; or without one, the value above zero of a constraint
   * for which a contact has an impulse [m/s].
   */
  readonly residual = new Float64Array(1)
  /** Whether all constraints hold, whatever the status: an impulse may be needless, or a nearer solution may exist. */
  valid = false
  private readonly tolerance: number
  private readonly limit: number
  /**
   * Value above which a constraint holds without an impulse [m/s]: more than the subproblem's errors, which separate contacts in one plane
   * of which only some are rows.
   */
  private readonly apart: number

  // per contact
  private root = new Uint8Array(0)
  private mayPush = new Uint8Array(0)
  /** The node that is solved, and one under construction. */
  private current = new Uint8Array(0)
  private next = new Uint8Array(0)
  private allowed = new Uint8Array(0)
  /** Contacts in the order of their keys. */
  private order = new Int32Array(0)
  private ordered = false

  // per constraint, of the node evaluated
  private state = new Uint8Array(0)
  private value = new Float64Array(0)
  private violation = new Float64Array(0)

  // per member, of the node evaluated
  private least = new Float64Array(0)
  private from = new Float64Array(0)
  private to = new Float64Array(0)
  private readonly dip = new Float64Array(1)

  /** 1: `residual` of the node evaluated. */
  private readonly worst = new Float64Array(1)
  /** Of the node evaluated: whether all constraints hold, and one with an impulse although it would hold without, or -1. */
  private holds = false
  private needlessFor = -1

  // nodes: contacts as bits in the order of keys; a lower bound of the cost; which are open; a hash table of the sets
  private words = 0
  private made = 0
  private sets = new Int32Array(0)
  private bound = new Float64Array(64)
  private open = new Int32Array(64)
  private openCount = 0
  private table = new Int32Array(256)
  private readonly childBound = new Float64Array(1)

  // the best solution, and the node nearest to one: [violation, cost]
  private hasAnswer = false
  private answerIsLast = false
  private answer = new Uint8Array(0)
  /** Contacts that may push and are closed, of the node evaluated, and of the solution. */
  private touching = new Uint8Array(0)
  private answerTouching = new Uint8Array(0)
  private readonly answerCost = new Float64Array(1)
  private hasNearest = false
  private nearest = new Uint8Array(0)
  private readonly nearestCost = new Float64Array(2)

  /**
   * @param tolerance below zero, of gaps over the step [m/s]
   * @param limit     cap on subproblems
   */
  constructor(tolerance = 1e-9, limit = 200) {
    this.tolerance = tolerance
    this.limit = limit
    this.apart = 100 * tolerance
  }

  /**
   * `solved`: the solution as described. `limit`: the cap was reached. `residual`: no node is left, and none was a solution. Then `active`
   * is a solution that may not be the nearest, if one was found, else the node nearest to one: see `valid` and `residual`. The problem
   * holds the velocities of `active` in any case, unless it cannot be solved at all.
   *
   * @param active contactCount; in: a guess, such as the last step's, or zeros; out: the contacts of unilateral constraints, and of others those
   *               that are rows and closed
   */
  solve(problem: MemberProblem, active: Uint8Array): SolverStatus {
    this.nodes = 0
    const n = problem.contactCount
    const alternatives = this.prepare(problem)
    const { current, root, mayPush } = this
    if (!alternatives) {
      for (let i = 0; i < n; i++) {
        current[i] = root[i]
        active[i] = root[i]
      }
      this.valid = this.solveCurrent(problem)
      this.residual[0] = this.valid ? 0 : Number.POSITIVE_INFINITY
      return this.valid ? 'solved' : 'residual'
    }

    let guessed = false
    for (let i = 0; i < n; i++) {
      current[i] = root[i] === 1 || (active[i] === 1 && mayPush[i] === 1) ? 1 : 0
      if (current[i] !== root[i]) guessed = true
    }
    if (guessed && this.visit(problem) && this.hasAnswer && this.certain(problem)) return this.finish(problem, active, 'solved')

    for (let i = 0; i < n; i++) current[i] = root[i]
    const done = this.visit(problem)
    if (done && this.hasAnswer) return this.finish(problem, active, 'solved')
    this.startSearch(problem)
    if (!done) {
      this.expand(problem)
      if (!this.hasAnswer && problem.own !== undefined && this.descend(problem) && this.certain(problem)) {
        return this.finish(problem, active, 'solved')
      }
    }
    for (;;) {
      const node = this.cheapest()
      if (node < 0) return this.finish(problem, active, this.hasAnswer ? 'solved' : 'residual')
      if (this.nodes >= this.limit) return this.finish(problem, active, 'limit')
      this.loadNode(node, n)
      if (!this.visit(problem)) this.expand(problem)
    }
  }

  /** Sizes, the root, and the contacts that may push. True if there are alternatives. */
  private prepare({ contactCount: n, constraints }: MemberProblem): boolean {
    const { count, memberCount, kind, memberStart, pushing, contactStart, contact } = constraints
    this.reserve(n, count, memberCount)
    this.hasAnswer = false
    this.hasNearest = false
    this.ordered = false
    const { root, mayPush } = this
    root.fill(0, 0, n)
    mayPush.fill(0, 0, n)
    for (let g = 0; g < count; g++) {
      if (kind[g] === constraintKind.cross) continue
      const end = contactStart[memberStart[g] + pushing[g]]
      for (let k = contactStart[memberStart[g]]; k < end; k++) mayPush[contact[k]] = 1
    }
    let alternatives = false
    for (let g = 0; g < count; g++) {
      const m = memberStart[g]
      const members = memberStart[g + 1] - m
      if (members > 1) alternatives = true
      if (members !== 1) continue
      for (let k = contactStart[m]; k < contactStart[m + 1]; k++) {
        if (mayPush[contact[k]] === 1) root[contact[k]] = 1
        else alternatives = true // it has no row of its own
      }
    }
    return alternatives
  }

  private reserve(n: number, constraints: number, members: number): void {
    if (n > this.root.length) {
      this.root = new Uint8Array(2 * n)
      this.mayPush = new Uint8Array(2 * n)
      this.current = new Uint8Array(2 * n)
      this.next = new Uint8Array(2 * n)
      this.allowed = new Uint8Array(2 * n)
      this.answer = new Uint8Array(2 * n)
      this.touching = new Uint8Array(2 * n)
      this.answerTouching = new Uint8Array(2 * n)
      this.nearest = new Uint8Array(2 * n)
      this.order = new Int32Array(2 * n)
    }
    if (constraints > this.state.length) {
      this.state = new Uint8Array(2 * constraints)
      this.value = new Float64Array(2 * constraints)
      this.violation = new Float64Array(2 * constraints)
    }
    if (members > this.least.length) {
      this.least = new Float64Array(2 * members)
      this.from = new Float64Array(2 * members)
      this.to = new Float64Array(2 * members)
    }
  }

  private solveCurrent(problem: MemberProblem): boolean {
    addWork(problem.contactCount, 10, 1)
    this.nodes++
    this.answerIsLast = false
    return problem.solveActive(this.current)
  }

  /** Solves for `current`; stores it if it is a solution. True if the node then has no children. */
  private visit(problem: MemberProblem): boolean {
    if (!this.solveCurrent(problem)) return true
    this.evaluate(problem)
    if (this.needlessFor < 0 && this.holds) {
      this.keepAnswer(problem)
      return true
    }
    this.keepNearest(problem)
    return false
  }

  /** Violation of each constraint by the velocities in the problem. */
  private evaluate(problem: MemberProblem): void {
    const { constraints, endGap, startGap } = problem
    const { count, memberStart, contactStart, contact } = constraints
    const { current, state, value, violation, least, worst, tolerance } = this
    worst[0] = 0
    addWork(contactStart[memberStart[count]], 5, 1)
    for (let g = 0; g < count; g++) {
      let greatest = Number.NEGATIVE_INFINITY
      let rows = memberStart[g] === memberStart[g + 1]
      for (let m = memberStart[g]; m < memberStart[g + 1]; m++) {
        let lowest = Number.POSITIVE_INFINITY
        let all = true
        for (let k = contactStart[m]; k < contactStart[m + 1]; k++) {
          const i = contact[k]
          if (endGap[i] < lowest) lowest = endGap[i]
          if (current[i] === 0) all = false
        }
        least[m] = lowest
        if (lowest > greatest) greatest = lowest
        // rows hold within the softness of the problem
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
    if (startGap !== undefined) this.evaluatePaths(constraints, startGap, endGap)
    this.holds = worst[0] === 0
    this.needlessFor = -1
    if (this.holds) this.evaluateImpulses(problem)
  }

  /** The same before the end of the step, of the constraints that hold at its end. */
  private evaluatePaths(constraints: ContactConstraints, startGap: Float64Array, endGap: Float64Array): void {
    const { count, memberStart, contactStart, contact } = constraints
    const { state, violation, from, to, worst, current, tolerance } = this
    constraints.leastGaps(startGap, from)
    for (let g = 0; g < count; g++) {
      const first = memberStart[g]
      const end = memberStart[g + 1]
      if (state[g] !== satisfied || first === end) continue
      let floor = Number.NEGATIVE_INFINITY
      for (let m = first; m < end; m++) if (from[m] > floor) floor = from[m]
      floor = Math.min(floor, 0) - tolerance
      // a member holds between zeros of its lines
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

  /** Whether the intervals of members `first` to `end` - 1 cover the step; if not, dip[0] := end of their cover. */
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
    const { memberStart, contactStart, contact } = constraints
    const { from, to, dip } = this
    let again = 1
    for (let m = memberStart[g]; m < memberStart[g + 1]; m++) {
      if (from[m] > dip[0] && to[m] > from[m] && from[m] < again) again = from[m]
    }
    const t = 0.5 * (dip[0] + again)
    dip[0] = Number.NEGATIVE_INFINITY
    for (let m = memberStart[g]; m < memberStart[g + 1]; m++) {
      let lowest = Number.POSITIVE_INFINITY
      for (let k = contactStart[m]; k < contactStart[m + 1]; k++) {
        const at = (1 - t) * startGap[contact[k]] + t * endGap[contact[k]]
        if (at < lowest) lowest = at
      }
      if (lowest > dip[0]) dip[0] = lowest
    }
  }

  /** Whether an impulse acts for a constraint that holds without it. */
  private evaluateImpulses({ contactCount: n, constraints, impulse, startGap }: MemberProblem): void {
    const { count, kind, memberStart, pushing, contactStart, contact } = constraints
    const { worst, allowed, least, value, current, from, tolerance, apart } = this
    let largest = 0
    for (let i = 0; i < n; i++) {
      allowed[i] = 0
      if (impulse[i] > largest) largest = impulse[i]
    }
    for (let g = 0; g < count; g++) {
      if (kind[g] === constraintKind.cross || (value[g] > apart && startGap === undefined)) continue
      for (let m = memberStart[g]; m < memberStart[g] + pushing[g]; m++) {
        let rows = true
        for (let k = contactStart[m]; k < contactStart[m + 1]; k++) if (current[contact[k]] === 0) rows = false
        if (!rows && least[m] < -tolerance) continue
        // apart at the end by another member: by one that was so within the whole step?
        let otherwise = false
        for (let other = memberStart[g]; value[g] > apart && other < memberStart[g + 1]; other++) {
          if (least[other] > apart && from[other] === 0) otherwise = true
        }
        if (otherwise) continue
        for (let k = contactStart[m]; k < contactStart[m + 1]; k++) allowed[contact[k]] = 1
      }
    }
    for (let g = 0; g < count; g++) {
      if (kind[g] === constraintKind.cross) continue
      const end = contactStart[memberStart[g] + pushing[g]]
      for (let k = contactStart[memberStart[g]]; k < end; k++) {
        const i = contact[k]
        if (allowed[i] === 1 || impulse[i] <= PUSHING * largest || value[g] < worst[0]) continue
        // the value, if the contact is the least of its member; else, or if the member does not hold, at least the tolerance
        worst[0] = Math.max(value[g], tolerance)
        this.needlessFor = g
      }
    }
  }

  /** Stores the node, a solution, if it is nearer than the last one, or as near and first by its keys. */
  private keepAnswer(problem: MemberProblem): void {
    const { contactCount: n, cost, endGap, impulse } = problem
    const { answer, touching, answerTouching, answerCost, root, current, mayPush, tolerance } = this
    const equal = this.hasAnswer && Math.abs(cost[0] - answerCost[0]) <= EQUAL * answerCost[0]
    if (this.hasAnswer && !equal && cost[0] > answerCost[0]) return
    // by the velocities, not by the distribution of loads or the other active contacts
    for (let i = 0; i < n; i++) {
      const closed = endGap[i] <= tolerance && (current[i] === 1 || endGap[i] >= -tolerance)
      touching[i] = mayPush[i] === 1 && (closed || impulse[i] > 0) ? 1 : 0
    }
    if (equal) {
      this.sort(problem)
      if (!this.touchingIsFirst(n)) return
    }
    for (let i = 0; i < n; i++) {
      answerTouching[i] = touching[i]
      // open rows can be left out without a change
      answer[i] = root[i] === 1 || (current[i] === 1 && touching[i] === 1) ? 1 : 0
    }
    if (!equal || cost[0] < answerCost[0]) answerCost[0] = cost[0]
    this.hasAnswer = true
    this.answerIsLast = true
  }

  /** Whether the sorted keys of `touching` come before those of the solution. */
  private touchingIsFirst(n: number): boolean {
    const { touching, answerTouching, order } = this
    let r = 0
    while (r < n && touching[order[r]] === answerTouching[order[r]]) r++
    if (r === n) return false
    const has = touching[order[r]] === 1
    const other = has ? answerTouching : touching
    // one that ends here is first
    for (r++; r < n; r++) if (other[order[r]] === 1) return has
    return !has
  }

  private keepNearest({ contactCount: n, cost }: MemberProblem): void {
    const { nearest, nearestCost, current, worst } = this
    const violation = this.holds ? 0 : worst[0]
    if (this.hasNearest && (violation > nearestCost[0] || (violation === nearestCost[0] && cost[0] >= nearestCost[1]))) return
    this.hasNearest = true
    nearestCost[0] = violation
    nearestCost[1] = cost[0]
    for (let i = 0; i < n; i++) nearest[i] = current[i]
  }

  /** Writes the solution, or the node nearest to one, with its velocities in the problem. */
  private finish(problem: MemberProblem, active: Uint8Array, status: SolverStatus): SolverStatus {
    const { contactCount: n } = problem
    const { answer, nearest, root, current, residual, worst } = this
    const chosen = this.hasAnswer ? answer : this.hasNearest ? nearest : root
    for (let i = 0; i < n; i++) active[i] = chosen[i]
    if (!this.hasAnswer || !this.answerIsLast) {
      for (let i = 0; i < n; i++) current[i] = chosen[i]
      if (!this.solveCurrent(problem)) {
        this.valid = false
        residual[0] = Number.POSITIVE_INFINITY
        return 'residual'
      }
      this.evaluate(problem)
    }
    this.valid = this.holds
    residual[0] = worst[0]
    // where the rows have several solutions, this may be another
    return status === 'solved' && (!this.holds || this.needlessFor >= 0) ? 'residual' : status
  }

  /**
   * Whether the solution just found is proven to be the nearest: all its active contacts belong to the root, or to a member whose
   * alternatives are all farther from the free velocities than the solution.
   */
  private certain({ contactCount: n, constraints, cost, impulse, freeGap, own }: MemberProblem): boolean {
    if (cost[0] === 0) return true
    if (freeGap === undefined || own === undefined) return false
    const { count, memberStart, contactStart, contact } = constraints
    const { allowed, root } = this
    const most = cost[0] * (1 + EQUAL)
    let largest = 0
    for (let i = 0; i < n; i++) {
      allowed[i] = root[i]
      if (impulse[i] > largest) largest = impulse[i]
    }
    for (let g = 0; g < count; g++) {
      let within = -1
      let others = 0
      for (let m = memberStart[g]; m < memberStart[g + 1]; m++) {
        let far = false
        for (let k = contactStart[m]; k < contactStart[m + 1]; k++) {
          const i = contact[k]
          if (freeGap[i] < 0 && freeGap[i] * freeGap[i] > most * own[i]) far = true
        }
        if (far) continue
        others++
        within = m
      }
      if (others !== 1) continue
      for (let k = contactStart[within]; k < contactStart[within + 1]; k++) allowed[contact[k]] = 1
    }
    for (let i = 0; i < n; i++) if (allowed[i] === 0 && impulse[i] > PUSHING * largest) return false
    return true
  }

  /** From the node evaluated, adds the nearest member of each violated constraint at once, until all hold. True if that is a solution. */
  private descend(problem: MemberProblem): boolean {
    const { contactCount: n } = problem
    const { current, next } = this
    for (let round = 0; round < ROUNDS && this.nodes < this.limit; round++) {
      for (let i = 0; i < n; i++) next[i] = current[i]
      if (!this.addNearest(problem)) return false
      for (let i = 0; i < n; i++) current[i] = next[i]
      if (this.visit(problem)) return this.hasAnswer
    }
    return false
  }

  /** next := current and the nearest member of each violated constraint. False if there is none. */
  private addNearest({ constraints, endGap, own }: MemberProblem): boolean {
    const { count, memberStart, contactStart, contact } = constraints
    const { state, next, current, mayPush } = this
    let added = false
    for (let g = 0; g < count; g++) {
      if (state[g] === satisfied) continue
      let best = -1
      let bestDistance = Number.POSITIVE_INFINITY
      for (let m = memberStart[g]; m < memberStart[g + 1]; m++) {
        if (!this.mayHelp(constraints, g, m)) continue
        let distance = 0
        for (let k = contactStart[m]; k < contactStart[m + 1]; k++) {
          const i = contact[k]
          if (current[i] === 1 || endGap[i] >= 0 || own === undefined) continue
          const d = (endGap[i] * endGap[i]) / own[i]
          if (d > distance) distance = d
        }
        if (distance >= bestDistance) continue
        best = m
        bestDistance = distance
      }
      if (best < 0) return false
      for (let k = contactStart[best]; k < contactStart[best + 1]; k++) {
        const i = contact[k]
        if (mayPush[i] === 1) next[i] = 1
      }
      added = true
    }
    return added
  }

  /** Whether a child with member m can satisfy constraint g: one of its contacts may push and is no row yet. */
  private mayHelp({ contactStart, contact }: ContactConstraints, g: number, m: number): boolean {
    const { state, from, to, mayPush, current } = this
    // on the path, those that hold at the start
    if (state[g] === onPath && (from[m] > 0 || to[m] < 0)) return false
    for (let k = contactStart[m]; k < contactStart[m + 1]; k++) {
      if (mayPush[contact[k]] === 1 && current[contact[k]] === 0) return true
    }
    return false
  }

  // --- the tree

  private startSearch(problem: MemberProblem): void {
    this.sort(problem)
    this.words = (problem.contactCount + 31) >>> 5
    this.made = 0
    this.openCount = 0
    this.table.fill(0)
  }

  /** Contacts in the order of their keys. */
  private sort({ contactCount: n, key }: MemberProblem): void {
    if (this.ordered) return
    this.ordered = true
    const { order } = this
    for (let i = 0; i < n; i++) order[i] = i
    for (let gap = n >>> 1; gap > 0; gap = gap === 2 ? 1 : Math.floor(gap / 2.2)) {
      for (let i = gap; i < n; i++) {
        const c = order[i]
        let j = i
        for (; j >= gap && key[order[j - gap]] > key[c]; j -= gap) order[j] = order[j - gap]
        order[j] = c
      }
    }
  }

  /** Children of the node evaluated. */
  private expand(problem: MemberProblem): void {
    const { contactCount: n, constraints, cost } = problem
    const { state, next, current, childBound } = this
    if (this.needlessFor >= 0) {
      this.expandAll(problem)
      return
    }
    // a constraint with one remaining member needs that one
    for (let i = 0; i < n; i++) next[i] = current[i]
    childBound[0] = cost[0]
    let forced = false
    let least = cost[0]
    for (let g = 0; g < constraints.count; g++) {
      if (state[g] === satisfied) continue
      const only = this.onlyMember(problem, g)
      if (only === NONE) return
      if (only < 0) continue
      forced = true
      childBound[0] = cost[0]
      this.addMember(problem, only)
      if (childBound[0] > least) least = childBound[0]
    }
    if (forced) {
      childBound[0] = least
      this.addNode(n)
      return
    }
    const g = this.mostViolated(problem)
    const { memberStart, contactStart, contact } = constraints
    let others = false
    for (let m = memberStart[g]; m < memberStart[g + 1]; m++) {
      for (let k = contactStart[m]; k < contactStart[m + 1]; k++) if (this.mayPush[contact[k]] === 0) others = true
      if (!this.mayHelp(constraints, g, m)) continue
      addWork(n, 1, 1)
      for (let i = 0; i < n; i++) next[i] = current[i]
      childBound[0] = cost[0]
      this.addMember(problem, m)
      if (!this.tooFar()) this.addNode(n)
    }
    if (others) this.expandAll(problem)
  }

  /** The only member that can satisfy g; SEVERAL; NONE if all are farther than the solution found. */
  private onlyMember(problem: MemberProblem, g: number): number {
    const { constraints, cost, endGap, own } = problem
    const { memberStart, contactStart, contact } = constraints
    const { mayPush, current, answerCost } = this
    let possible = 0
    let only = NONE
    for (let m = memberStart[g]; m < memberStart[g + 1]; m++) {
      let far = false
      for (let k = contactStart[m]; k < contactStart[m + 1]; k++) {
        const i = contact[k]
        if (mayPush[i] === 0) return SEVERAL
        if (!this.hasAnswer || own === undefined || current[i] === 1 || endGap[i] >= 0) continue
        if (cost[0] + (endGap[i] * endGap[i]) / own[i] > answerCost[0] * (1 + EQUAL)) far = true
      }
      if (far || !this.mayHelp(constraints, g, m)) continue
      possible++
      only = m
    }
    return possible > 1 ? SEVERAL : only
  }

  /** Adds to `next` the contacts of member m that may push, and raises its bound. */
  private addMember({ constraints, endGap, own }: MemberProblem, m: number): void {
    const { contactStart, contact } = constraints
    const { next, mayPush, current, childBound } = this
    let farthest = 0
    for (let k = contactStart[m]; k < contactStart[m + 1]; k++) {
      const i = contact[k]
      if (mayPush[i] === 0) continue
      next[i] = 1
      if (own === undefined || current[i] === 1 || endGap[i] >= 0) continue
      const distance = (endGap[i] * endGap[i]) / own[i]
      if (distance > farthest) farthest = distance
    }
    childBound[0] += farthest
  }

  private tooFar(): boolean {
    return this.hasAnswer && this.childBound[0] > this.answerCost[0] * (1 + EQUAL)
  }

  /** A child for every member that may push and is violated. */
  private expandAll(problem: MemberProblem): void {
    const { contactCount: n, constraints, cost } = problem
    const { count, kind, memberStart, pushing } = constraints
    const { least, next, current, childBound, tolerance } = this
    for (let g = 0; g < count; g++) {
      if (kind[g] === constraintKind.cross) continue
      for (let m = memberStart[g]; m < memberStart[g] + pushing[g]; m++) {
        if (least[m] >= -tolerance || !this.mayAdd(constraints, m)) continue
        addWork(n, 1, 1)
        for (let i = 0; i < n; i++) next[i] = current[i]
        childBound[0] = cost[0]
        this.addMember(problem, m)
        if (!this.tooFar()) this.addNode(n)
      }
    }
  }

  private mayAdd({ contactStart, contact }: ContactConstraints, m: number): boolean {
    for (let k = contactStart[m]; k < contactStart[m + 1]; k++) if (this.current[contact[k]] === 0) return true
    return false
  }

  /** The constraint violated most; the end goes before the path, and keys break ties. */
  private mostViolated({ constraints, key }: MemberProblem): number {
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

  /** Whether the sorted keys of constraint g come before those of f; with the same contacts the kind decides. */
  private comesBefore(constraints: ContactConstraints, key: Int32Array, g: number, f: number): boolean {
    const { memberStart, contactStart, contact, kind } = constraints
    let last = Number.NEGATIVE_INFINITY
    for (;;) {
      let mine = Number.POSITIVE_INFINITY
      let its = Number.POSITIVE_INFINITY
      for (let k = contactStart[memberStart[g]]; k < contactStart[memberStart[g + 1]]; k++) {
        if (key[contact[k]] > last && key[contact[k]] < mine) mine = key[contact[k]]
      }
      for (let k = contactStart[memberStart[f]]; k < contactStart[memberStart[f + 1]]; k++) {
        if (key[contact[k]] > last && key[contact[k]] < its) its = key[contact[k]]
      }
      if (mine !== its) return mine < its
      if (mine === Number.POSITIVE_INFINITY) return kind[g] < kind[f]
      last = mine
    }
  }

  /** Opens `next` with its bound, unless the same set was made before. */
  private addNode(n: number): void {
    const { words, next, order } = this
    addWork(n, 2, 1)
    this.reserveNode()
    const { sets, bound, table, open, childBound, made } = this
    const at = made * words
    let hash = 0
    for (let w = 0; w < words; w++) {
      let word = 0
      const end = 32 * w + 32 < n ? 32 : n - 32 * w
      for (let bit = 0; bit < end; bit++) if (next[order[32 * w + bit]] === 1) word |= 1 << bit
      sets[at + w] = word
      hash = Math.imul(hash ^ word, 0x9e3779b1)
      hash ^= hash >>> 15
    }
    const mask = table.length - 1
    let slot = hash & mask
    for (; table[slot] !== 0; slot = (slot + 1) & mask) {
      const there = (table[slot] - 1) * words
      let w = 0
      while (w < words && sets[there + w] === sets[at + w]) w++
      if (w === words) return
    }
    table[slot] = made + 1
    bound[made] = childBound[0]
    open[this.openCount++] = made
    this.made = made + 1
  }

  private reserveNode(): void {
    const { made, words } = this
    if ((made + 1) * words > this.sets.length) this.sets = grown(this.sets, 2 * (made + 64) * words)
    if (made + 1 > this.bound.length) {
      this.bound = grown(this.bound, 2 * (made + 1))
      this.open = grown(this.open, 2 * (made + 1))
    }
    if (2 * (made + 1) <= this.table.length) return
    const table = new Int32Array(2 * this.table.length)
    const mask = table.length - 1
    for (let node = 0; node < made; node++) {
      let hash = 0
      for (let w = 0; w < words; w++) {
        hash = Math.imul(hash ^ this.sets[node * words + w], 0x9e3779b1)
        hash ^= hash >>> 15
      }
      let slot = hash & mask
      while (table[slot] !== 0) slot = (slot + 1) & mask
      table[slot] = node + 1
    }
    this.table = table
  }

  /** Removes the open node of least bound from the list, keys breaking ties; -1 if none can be as near as the solution. */
  private cheapest(): number {
    const { open, openCount, bound, answerCost } = this
    let least = Number.POSITIVE_INFINITY
    for (let k = 0; k < openCount; k++) if (bound[open[k]] < least) least = bound[open[k]]
    if (least === Number.POSITIVE_INFINITY || (this.hasAnswer && least > answerCost[0] * (1 + EQUAL))) return -1
    let best = -1
    for (let k = 0; k < openCount; k++) {
      if (bound[open[k]] > least * (1 + EQUAL)) continue
      if (best < 0 || this.nodeIsBefore(open[k], open[best])) best = k
    }
    const node = open[best]
    this.openCount = openCount - 1
    open[best] = open[openCount - 1]
    return node
  }

  private nodeIsBefore(a: number, b: number): boolean {
    const { sets, words } = this
    let w = 0
    while (w < words && sets[a * words + w] === sets[b * words + w]) w++
    if (w === words) return false
    const mine = sets[a * words + w]
    const difference = mine ^ sets[b * words + w]
    const first = difference & -difference
    const has = (mine & first) !== 0
    const other = has ? b : a
    // one that ends here is first
    if ((sets[other * words + w] & ~(first | (first - 1))) !== 0) return has
    for (w++; w < words; w++) if (sets[other * words + w] !== 0) return has
    return !has
  }

  /** current := the node. */
  private loadNode(node: number, n: number): void {
    const { sets, words, current, order } = this
    for (let r = 0; r < n; r++) current[order[r]] = (sets[node * words + (r >>> 5)] >>> (r & 31)) & 1
  }
}

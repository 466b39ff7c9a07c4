import { addWork } from '../../../dynamics/index.ts'
import type { SolverStatus } from '../../solvers/complementarity.ts'
import { type ContactConstraints, constraintKind } from '../contactConstraints.ts'
import { DisjunctTree, EQUAL } from './disjunctTree.ts'
import { type DisjunctProblem, DisjunctViolations, onPath, PUSHING, satisfied } from './disjunctViolations.ts'

/**
 * Contacts beyond which a search ends after a fraction of its subproblems: the first descent has its solution there or none, as each node
 * of the tree changes one of many constraints.
 */
const MANY_CONTACTS = 100
const FRACTION_OF_MANY = 1 / 20
/** Most rounds of the first descent. */
const ROUNDS = 8

const SEVERAL = -1
const NONE = -2

/**
 * Selects the active contacts such that the resulting velocities and impulses satisfy `ContactConstraints`, and are the nearest to the free
 * velocities in M. @unchecked
 *
 * Branch and bound. A node is a set of active contacts. The root has those of unilateral constraints and of constraints with one disjunct.
 * A node whose velocities violate a constraint branches into one child for each disjunct that can satisfy it, with the disjunct's contacts
 * added if they may push. A child costs at least its parent's cost plus psi_j² / W_jj for every gap psi_j < 0 that it closes; nodes are
 * solved in the order of these bounds, and the search ends when no remaining one can be as cheap as the best solution found.
 *
 * Proof that this solution is the nearest, without friction: a node S is the projection of v_free, in M, on the polyhedron P(S) of
 * velocities with psi_i >= 0 for i in S. So cost grows with S, and all v in P(S) cost at least |v - v_S|²_M more than v_S, hence the bound.
 * Let v* be a solution, and A the contacts that may push and have psi_i(v*) >= 0. All active ones of v* are in A, hence v* = v_S for every
 * S in A that has those, and every other S in A costs less than v* and is solved before the search may end with v* or with more. If v_S
 * violates a constraint, a disjunct of it holds at v*, and if that may push, the child with it is in A again. If it may not, or if v_S is
 * feasible but a contact has an impulse for a constraint that holds without it, every violated contact that may push makes a child: one of
 * those active in v* is among them, or v_S would be the nearest in P(A) too, which is v*. So no solution is missed, and `residual` proves
 * that there is none. Where all constraints are inter or unilateral ones of which every disjunct may push, the nearest feasible velocity is
 * a solution. With friction a node is no projection: the order is a heuristic, and proof is left to `freeGap` below.
 *
 * Ties in cost are broken by the sorted keys of the contacts that may push and are closed, by their first difference; ties in violation,
 * which matter for paths alone, by the keys of the constraint. Places in lists have no influence.
 *
 * Speed. Without alternatives there is one solve. Otherwise the guess is solved first, and if it is no solution, the root and a descent by
 * the nearest disjunct of all violated constraints at once. With `freeGap` and `own` a solution so found may be proven to be the nearest
 * without a search: velocities with psi_j >= 0 cost at least psi_j(v_free)² / W_jj, whatever makes them, friction included; if of a
 * constraint all disjuncts but one cost more than the solution, that one has to hold, and if all active ones of the solution have to hold,
 * no feasible velocity is nearer. For bodies at rest this takes one solve.
 *
 * Path. Where `startGap` is given, constraints have to hold along the whole step too, on which each gap is a line: a disjunct holds on an
 * interval, and the intervals of the disjuncts have to cover the step, which is exact for any disjuncts. The value of a constraint that is
 * violated at the start may not fall within the step. A constraint violated on the path branches into the disjuncts that hold at the start,
 * for they hold throughout if they hold at the end; and only such a disjunct makes the impulse of another needless. So alternating
 * disjuncts are feasible, but not searched for: the solution is the nearest of velocities that one disjunct a constraint keeps feasible.
 *
 * Nothing is allocated once its lists have grown; nothing is random. A constraint without disjuncts is ignored.
 */
export class DisjunctSearch {
  /** Number of subproblems solved in the last search. */
  nodes = 0
  /**
   * 1: largest violation of a constraint by the solution, at the end or on the path; if there is none, the positive value of a constraint
   * with an impulse [m/s].
   */
  readonly residual = new Float64Array(1)
  /** Whether all constraints hold, whatever the status: an impulse may be unnecessary, or a nearer solution may exist. */
  valid = false
  private readonly tolerance: number
  private readonly limit: number
  /** Violations at the evaluated node. */
  private readonly violations: DisjunctViolations
  private readonly tree = new DisjunctTree()

  // per contact
  private root = new Uint8Array(0)
  private mayPush = new Uint8Array(0)
  /** The node being solved, and one under construction. */
  private current = new Uint8Array(0)
  private next = new Uint8Array(0)
  private allowed = new Uint8Array(0)
  /** 1: lower bound of the cost of `next`. */
  private readonly childBound = new Float64Array(1)

  // the best solution, and the node nearest to one: [violation, cost]
  private hasAnswer = false
  private answerIsLast = false
  private answer = new Uint8Array(0)
  /** Contacts that may push and are closed: of the evaluated node, and of the solution. */
  private touching = new Uint8Array(0)
  private answerTouching = new Uint8Array(0)
  private readonly answerCost = new Float64Array(1)
  private hasNearest = false
  private nearest = new Uint8Array(0)
  private readonly nearestCost = new Float64Array(2)

  /**
   * @param tolerance below zero, of gaps over the step [m/s]
   * @param limit     most subproblems; a twentieth among many contacts
   */
  constructor(tolerance = 1e-9, limit = 200) {
    this.tolerance = tolerance
    this.limit = limit
    this.violations = new DisjunctViolations(tolerance)
  }

  /**
   * `solved`: the nearest solution. `limit`: the most subproblems were solved. `residual`: no node is left, and none was a solution. With
   * the latter two `active` is a solution that may not be the nearest, if one was found, else the node nearest to one: see `valid` and
   * `residual`. The problem holds the velocities of `active`, unless it cannot be solved at all.
   *
   * @param active contactCount; in: a guess, such as the last step's, or zeros; out: the contacts of unilateral constraints, and of others
   * the active, closed ones
   */
  solve(problem: DisjunctProblem, active: Uint8Array): SolverStatus {
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
    this.tree.begin(problem)
    if (!done) {
      this.expand(problem)
      if (!this.hasAnswer && problem.own !== undefined && this.descend(problem) && this.certain(problem)) {
        return this.finish(problem, active, 'solved')
      }
    }
    for (;;) {
      const node = this.tree.cheapest(this.answerCost)
      if (node < 0) return this.finish(problem, active, this.hasAnswer ? 'solved' : 'residual')
      if (this.isSpent(n)) return this.finish(problem, active, 'limit')
      this.tree.load(node, n, current)
      if (!this.visit(problem)) this.expand(problem)
    }
  }

  /** Sets sizes, the root, and the contacts that may push. @returns whether there are alternatives */
  private prepare({ contactCount: n, constraints }: DisjunctProblem): boolean {
    const { count, kind, disjunctStart, pushing, contactStart, contact } = constraints
    this.reserve(n)
    this.hasAnswer = false
    this.answerCost[0] = Number.POSITIVE_INFINITY
    this.hasNearest = false
    const { root, mayPush } = this
    root.fill(0, 0, n)
    mayPush.fill(0, 0, n)
    for (let g = 0; g < count; g++) {
      if (kind[g] === constraintKind.cross) continue
      const end = contactStart[disjunctStart[g] + pushing[g]]
      for (let k = contactStart[disjunctStart[g]]; k < end; k++) mayPush[contact[k]] = 1
    }
    let alternatives = false
    for (let g = 0; g < count; g++) {
      const m = disjunctStart[g]
      const disjuncts = disjunctStart[g + 1] - m
      if (disjuncts > 1) alternatives = true
      if (disjuncts !== 1) continue
      for (let k = contactStart[m]; k < contactStart[m + 1]; k++) {
        if (mayPush[contact[k]] === 1) root[contact[k]] = 1
        else alternatives = true // it is not active by itself
      }
    }
    return alternatives
  }

  private reserve(n: number): void {
    if (n <= this.root.length) return
    this.root = new Uint8Array(2 * n)
    this.mayPush = new Uint8Array(2 * n)
    this.current = new Uint8Array(2 * n)
    this.next = new Uint8Array(2 * n)
    this.allowed = new Uint8Array(2 * n)
    this.answer = new Uint8Array(2 * n)
    this.touching = new Uint8Array(2 * n)
    this.answerTouching = new Uint8Array(2 * n)
    this.nearest = new Uint8Array(2 * n)
  }

  private solveCurrent(problem: DisjunctProblem): boolean {
    addWork(problem.contactCount, 10, 1)
    this.nodes++
    this.answerIsLast = false
    return problem.solveActive(this.current)
  }

  /** Solves for `current`; stores it if it is a solution. @returns true if the node then has no children */
  private visit(problem: DisjunctProblem): boolean {
    if (!this.solveCurrent(problem)) return true
    const { violations } = this
    violations.evaluate(problem, this.current)
    if (violations.needlessFor < 0 && violations.holds) {
      this.keepAnswer(problem)
      return true
    }
    this.keepNearest(problem)
    return false
  }

  /** Stores the node, a solution, if it is nearer than the last one, or equally near and first by its keys. */
  private keepAnswer(problem: DisjunctProblem): void {
    const { contactCount: n, cost, endGap, impulse } = problem
    const { answer, touching, answerTouching, answerCost, root, current, mayPush, tolerance } = this
    const equal = this.hasAnswer && Math.abs(cost[0] - answerCost[0]) <= EQUAL * answerCost[0]
    if (this.hasAnswer && !equal && cost[0] > answerCost[0]) return
    // by velocities, not by the distribution of loads or the other active contacts
    for (let i = 0; i < n; i++) {
      const closed = endGap[i] <= tolerance && (current[i] === 1 || endGap[i] >= -tolerance)
      touching[i] = mayPush[i] === 1 && (closed || impulse[i] > 0) ? 1 : 0
    }
    if (equal) {
      this.tree.sort(problem)
      if (!this.tree.isFirst(touching, answerTouching, n)) return
    }
    for (let i = 0; i < n; i++) {
      answerTouching[i] = touching[i]
      // open contacts can be removed without a change
      answer[i] = root[i] === 1 || (current[i] === 1 && touching[i] === 1) ? 1 : 0
    }
    if (!equal || cost[0] < answerCost[0]) answerCost[0] = cost[0]
    this.hasAnswer = true
    this.answerIsLast = true
  }

  private keepNearest({ contactCount: n, cost }: DisjunctProblem): void {
    const { nearest, nearestCost, current, violations } = this
    const violation = violations.holds ? 0 : violations.worst[0]
    if (this.hasNearest && (violation > nearestCost[0] || (violation === nearestCost[0] && cost[0] >= nearestCost[1]))) return
    this.hasNearest = true
    nearestCost[0] = violation
    nearestCost[1] = cost[0]
    for (let i = 0; i < n; i++) nearest[i] = current[i]
  }

  /** Writes the solution, or the node nearest to one, with its velocities in the problem. */
  private finish(problem: DisjunctProblem, active: Uint8Array, status: SolverStatus): SolverStatus {
    const { contactCount: n } = problem
    const { answer, nearest, root, current, residual, violations } = this
    const chosen = this.hasAnswer ? answer : this.hasNearest ? nearest : root
    for (let i = 0; i < n; i++) active[i] = chosen[i]
    if (!this.hasAnswer || !this.answerIsLast) {
      for (let i = 0; i < n; i++) current[i] = chosen[i]
      if (!this.solveCurrent(problem)) {
        this.valid = false
        residual[0] = Number.POSITIVE_INFINITY
        return 'residual'
      }
      violations.evaluate(problem, current)
    }
    this.valid = violations.holds
    residual[0] = violations.worst[0]
    // if the rows have several solutions, this may be another
    return status === 'solved' && (!violations.holds || violations.needlessFor >= 0) ? 'residual' : status
  }

  /**
   * Whether the new solution is proven to be the nearest: all its active contacts belong to the root, or to a disjunct whose alternatives
   * are all farther from the free velocities than the solution.
   */
  private certain({ contactCount: n, constraints, cost, impulse, freeGap, own }: DisjunctProblem): boolean {
    if (cost[0] === 0) return true
    if (freeGap === undefined || own === undefined) return false
    const { count, disjunctStart, contactStart, contact } = constraints
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
      for (let m = disjunctStart[g]; m < disjunctStart[g + 1]; m++) {
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

  private isSpent(contactCount: number): boolean {
    return this.nodes >= (contactCount > MANY_CONTACTS ? FRACTION_OF_MANY : 1) * this.limit
  }

  /** From the evaluated node, adds nearest disjuncts of all violated constraints, until all hold. @returns whether that is a solution */
  private descend(problem: DisjunctProblem): boolean {
    const { contactCount: n } = problem
    const { current, next } = this
    for (let round = 0; round < ROUNDS && !this.isSpent(n); round++) {
      for (let i = 0; i < n; i++) next[i] = current[i]
      if (!this.addNearest(problem)) return false
      for (let i = 0; i < n; i++) current[i] = next[i]
      if (this.visit(problem)) return this.hasAnswer
    }
    return false
  }

  /** next := current and the nearest disjunct of each violated constraint. @returns false if there is none */
  private addNearest({ constraints, endGap, own }: DisjunctProblem): boolean {
    const { count, disjunctStart, contactStart, contact } = constraints
    const { next, current, mayPush } = this
    const { state } = this.violations
    let added = false
    for (let g = 0; g < count; g++) {
      if (state[g] === satisfied) continue
      let best = -1
      let bestDistance = Number.POSITIVE_INFINITY
      for (let m = disjunctStart[g]; m < disjunctStart[g + 1]; m++) {
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

  /** Whether a child with disjunct m can satisfy constraint g: one of its contacts may push and is not yet active. */
  private mayHelp({ contactStart, contact }: ContactConstraints, g: number, m: number): boolean {
    const { mayPush, current } = this
    const { state, from, to } = this.violations
    // on the path, disjuncts that hold at the start
    if (state[g] === onPath && (from[m] > 0 || to[m] < 0)) return false
    for (let k = contactStart[m]; k < contactStart[m + 1]; k++) {
      if (mayPush[contact[k]] === 1 && current[contact[k]] === 0) return true
    }
    return false
  }

  /** Adds the children of the evaluated node. */
  private expand(problem: DisjunctProblem): void {
    const { contactCount: n, constraints, cost } = problem
    const { violations, next, current, childBound } = this
    const { state } = violations
    if (violations.needlessFor >= 0) {
      this.expandAll(problem)
      return
    }
    // a constraint with one remaining disjunct needs that disjunct
    for (let i = 0; i < n; i++) next[i] = current[i]
    childBound[0] = cost[0]
    let forced = false
    let least = cost[0]
    for (let g = 0; g < constraints.count; g++) {
      if (state[g] === satisfied) continue
      const only = this.onlyDisjunct(problem, g)
      if (only === NONE) return
      if (only < 0) continue
      forced = true
      childBound[0] = cost[0]
      this.addDisjunct(problem, only)
      if (childBound[0] > least) least = childBound[0]
    }
    if (forced) {
      childBound[0] = least
      this.tree.add(next, n, childBound)
      return
    }
    const g = violations.mostViolated(problem)
    const { disjunctStart, contactStart, contact } = constraints
    let others = false
    for (let m = disjunctStart[g]; m < disjunctStart[g + 1]; m++) {
      for (let k = contactStart[m]; k < contactStart[m + 1]; k++) if (this.mayPush[contact[k]] === 0) others = true
      if (!this.mayHelp(constraints, g, m)) continue
      addWork(n, 1, 1)
      for (let i = 0; i < n; i++) next[i] = current[i]
      childBound[0] = cost[0]
      this.addDisjunct(problem, m)
      if (!this.tooFar()) this.tree.add(next, n, childBound)
    }
    if (others) this.expandAll(problem)
  }

  /** The only disjunct that can satisfy g; SEVERAL; or NONE if all are farther than the solution found. */
  private onlyDisjunct(problem: DisjunctProblem, g: number): number {
    const { constraints, cost, endGap, own } = problem
    const { disjunctStart, contactStart, contact } = constraints
    const { mayPush, current, answerCost } = this
    let possible = 0
    let only = NONE
    for (let m = disjunctStart[g]; m < disjunctStart[g + 1]; m++) {
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

  /** Adds the contacts of disjunct m that may push to `next`, and raises its bound. */
  private addDisjunct({ constraints, endGap, own }: DisjunctProblem, m: number): void {
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

  /** Adds a child for every violated disjunct that may push. */
  private expandAll(problem: DisjunctProblem): void {
    const { contactCount: n, constraints, cost } = problem
    const { count, kind, disjunctStart, pushing } = constraints
    const { next, current, childBound, tolerance } = this
    const { least } = this.violations
    for (let g = 0; g < count; g++) {
      if (kind[g] === constraintKind.cross) continue
      for (let m = disjunctStart[g]; m < disjunctStart[g] + pushing[g]; m++) {
        if (least[m] >= -tolerance || !this.mayAdd(constraints, m)) continue
        addWork(n, 1, 1)
        for (let i = 0; i < n; i++) next[i] = current[i]
        childBound[0] = cost[0]
        this.addDisjunct(problem, m)
        if (!this.tooFar()) this.tree.add(next, n, childBound)
      }
    }
  }

  private mayAdd({ contactStart, contact }: ContactConstraints, m: number): boolean {
    for (let k = contactStart[m]; k < contactStart[m + 1]; k++) if (this.current[contact[k]] === 0) return true
    return false
  }
}

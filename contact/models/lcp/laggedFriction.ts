import {
  type ContactProblem,
  type ContactSolver,
  GroupKind,
  LemkeSolver,
  NewtonSolver,
  PyramidSolver,
  pyramidSides,
  UNKNOWN_MODE,
} from '../../solvers/index.ts'
import type { AccelerationProblem } from './accelerationProblem.ts'

/** The solvers of `LaggedFriction`, in the order in which they are asked. */
export const laggedSolvers = ['newton', 'lemke'] as const

/** Largest relative residual of an answer of Newton's method, and of one where that failed. */
const TOLERANCE = 1e-9
const LOOSE_TOLERANCE = 1e-8
/** The mode of a group whose force is known. */
const KNOWN = 0

/**
 * Friction that is bounded by forces that are known: per contact a normal 0 <= f_n ⟂ w_n >= 0 and, apart from it, two tangents with
 * |f_t| <= mu f_n of the step before each, most power lost. W being symmetric and positive definite, these are the optimality conditions
 * of a strictly convex quadratic program: there is always one answer, and one only.
 *
 * P. Lötstedt, Numerical simulation of time-dependent contact and friction problems in rigid body mechanics, SIAM J. Sci. Stat. Comput. 5
 * (1984), as Baraff's survey describes it in its sections 7.1 and 7.2.
 */
export class LaggedFriction implements ContactProblem {
  rowCount = 0
  W: Float64Array = new Float64Array(0)
  right: Float64Array = new Float64Array(0)
  groupCount = 0
  first = new Int32Array(1)
  kind = new Uint8Array(0)
  limit = new Float64Array(0)
  /** Passes and pivots, of all calls together. */
  iterations = 0
  /** 1 */
  readonly residual = new Float64Array(1)
  /** No group is frictional, so the law of friction does not matter. */
  private readonly solvers: readonly ContactSolver[] = [
    new NewtonSolver('pyramid', 4, TOLERANCE),
    new PyramidSolver(new LemkeSolver(LOOSE_TOLERANCE), pyramidSides(4)),
  ]
  private readonly noModes = new Int8Array(0)
  /** Per contact of the problem. */
  private isNew = new Uint8Array(0)

  /**
   * A contact that is new has no step before; what it presses with in this one without friction of its own is taken for it.
   *
   * @param before 3 a contact: its force in the step before [N]; written for those that are new
   * @param f      rows of `problem`, in: tangential forces of the step before; out: forces
   * @param modes  groups of `problem`, in: UNKNOWN_MODE if a contact is new; out, if an answer was found: `KNOWN`
   * @returns which of `laggedSolvers` answered, -1 if none
   */
  solve(problem: AccelerationProblem, before: Float64Array, f: Float64Array, modes: Int8Array): number {
    const hasNew = this.takeNew(problem, before, modes)
    this.startFromBefore(problem, before, f)
    if (hasNew) {
      const found = this.answer(problem, before, f, modes)
      if (found < 0) return found
      for (let g = 0; g < problem.contactCount; g++) {
        if (this.isNew[g] !== 0) before[3 * problem.member[g]] = f[problem.first[g]]
      }
    }
    return this.answer(problem, before, f, modes)
  }

  /** Sets the force before of new contacts to zero; whether there are any with friction. */
  private takeNew({ contactCount, member, limit }: AccelerationProblem, before: Float64Array, modes: Int8Array): boolean {
    if (contactCount > this.isNew.length) this.isNew = new Uint8Array(2 * contactCount)
    let found = false
    for (let g = 0; g < contactCount; g++) {
      this.isNew[g] = modes[g] === UNKNOWN_MODE ? 1 : 0
      if (this.isNew[g] === 0) continue
      before[3 * member[g]] = 0
      if (limit[g] > 0) found = true
    }
    return found
  }

  /** f := the forces of the step before; of joints and loops none are known. */
  private startFromBefore(problem: AccelerationProblem, before: Float64Array, f: Float64Array): void {
    const { groupCount, contactCount, first, member } = problem
    for (let g = 0; g < groupCount; g++) f[first[g]] = g < contactCount ? before[3 * member[g]] : 0
  }

  private answer(problem: AccelerationProblem, before: Float64Array, f: Float64Array, modes: Int8Array): number {
    this.split(problem, before)
    const { solvers, noModes, residual } = this
    for (let k = 0; k < solvers.length; k++) {
      if (k > 0) f.fill(0, 0, this.rowCount)
      const status = solvers[k].solve(this, f, noModes)
      this.iterations += solvers[k].iterations
      residual[0] = solvers[k].residual[0]
      if (status !== 'solved') continue
      modes.fill(KNOWN, 0, problem.groupCount)
      return k
    }
    return -1
  }

  /** Contacts with friction become three groups each. */
  private split(problem: AccelerationProblem, before: Float64Array): void {
    const { rowCount, groupCount, first, kind, limit, member } = problem
    this.rowCount = rowCount
    this.W = problem.W
    this.right = problem.right
    this.reserve(rowCount)
    let g = 0
    for (let k = 0; k < groupCount; k++) {
      for (let r = first[k]; r < first[k + 1]; r++) {
        this.first[g] = r
        this.kind[g] =
          kind[k] === GroupKind.bilateral ? GroupKind.bilateral : r === first[k] ? GroupKind.unilateral : GroupKind.bounded
        this.limit[g] = r === first[k] ? 0 : limit[k] * before[3 * member[k]]
        g++
      }
    }
    this.first[g] = rowCount
    this.groupCount = g
  }

  private reserve(rows: number): void {
    if (rows <= this.kind.length) return
    this.first = new Int32Array(2 * rows + 1)
    this.kind = new Uint8Array(2 * rows)
    this.limit = new Float64Array(2 * rows)
  }
}

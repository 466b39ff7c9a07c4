import {
  ConeNewton,
  type ContactProblem,
  type ContactSolver,
  FischerBurmeisterNewton,
  GroupKind,
  LemkeSolver,
  ModeGuess,
  PyramidSolver,
  pyramidSides,
  UNKNOWN_MODE,
} from '../../solvers/index.ts'
import type { AccelerationProblem } from './accelerationProblem.ts'

/** The solvers of `LaggedFriction`, in the order in which they are asked. */
export const laggedSolvers = ['mode-guess', 'lemke', 'cone-newton', 'fb-newton'] as const

/** Largest relative residual of an answer that is used. */
const TOLERANCE = 1e-8
/** How many numbers a group's mode may be, from UNKNOWN_MODE up: a contact's three are kept as one. */
const MODES = 5

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
  /** What is asked where the guess has no answer. */
  private readonly others: readonly ContactSolver[] = [
    new PyramidSolver(new LemkeSolver(TOLERANCE), pyramidSides(4)),
    new ConeNewton({ law: 'cone', tolerance: TOLERANCE }),
    new PyramidSolver(new FischerBurmeisterNewton(TOLERANCE), pyramidSides(4)),
  ]
  private readonly guess = new ModeGuess(pyramidSides(4))
  private mode = new Int8Array(0)
  /** Per contact of the problem. */
  private isNew = new Uint8Array(0)

  /**
   * A contact that is new has no step before; what it presses with in this one without friction of its own is taken for it.
   *
   * @param before 3 a contact: its force in the step before [N]; written for those that are new
   * @param f      out: rows of `problem`
   * @param modes  groups of `problem`, in and out
   * @returns which of `laggedSolvers` answered, -1 if none
   */
  solve(problem: AccelerationProblem, before: Float64Array, f: Float64Array, modes: Int8Array): number {
    if (this.takeNew(problem, before, modes)) {
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

  private answer(problem: AccelerationProblem, before: Float64Array, f: Float64Array, modes: Int8Array): number {
    this.split(problem, before, modes)
    const { guess, residual, mode } = this
    const guessed = guess.solve(this, f, mode) === 'solved'
    this.iterations += guess.iterations
    if (guessed) {
      residual[0] = guess.residual[0]
      this.join(problem, modes)
      return 0
    }
    modes.fill(UNKNOWN_MODE, 0, problem.groupCount)
    return this.askOthers(f)
  }

  private askOthers(f: Float64Array): number {
    const { others, mode, residual } = this
    for (let k = 0; k < others.length; k++) {
      f.fill(0, 0, this.rowCount)
      mode.fill(UNKNOWN_MODE, 0, this.groupCount)
      const status = others[k].solve(this, f, mode)
      this.iterations += others[k].iterations
      residual[0] = others[k].residual[0]
      if (status === 'solved') return k + 1
    }
    return -1
  }

  /** Contacts with friction become three groups each. */
  private split(problem: AccelerationProblem, before: Float64Array, modes: Int8Array): void {
    const { rowCount, groupCount, first, kind, limit, member } = problem
    this.rowCount = rowCount
    this.W = problem.W
    this.right = problem.right
    this.reserve(rowCount)
    let g = 0
    for (let k = 0; k < groupCount; k++) {
      let code = modes[k] === UNKNOWN_MODE ? -1 : modes[k]
      for (let r = first[k]; r < first[k + 1]; r++) {
        this.first[g] = r
        this.kind[g] =
          kind[k] === GroupKind.bilateral ? GroupKind.bilateral : r === first[k] ? GroupKind.unilateral : GroupKind.bounded
        this.limit[g] = r === first[k] ? 0 : limit[k] * before[3 * member[k]]
        this.mode[g] = code < 0 ? UNKNOWN_MODE : (code % MODES) + UNKNOWN_MODE
        if (code >= 0) code = Math.floor(code / MODES)
        g++
      }
    }
    this.first[g] = rowCount
    this.groupCount = g
  }

  private reserve(rows: number): void {
    if (rows <= this.mode.length) return
    this.first = new Int32Array(2 * rows + 1)
    this.kind = new Uint8Array(2 * rows)
    this.limit = new Float64Array(2 * rows)
    this.mode = new Int8Array(2 * rows)
  }

  private join({ groupCount, first }: AccelerationProblem, modes: Int8Array): void {
    const { mode } = this
    let g = 0
    for (let k = 0; k < groupCount; k++) {
      let code = 0
      let place = 1
      for (let r = first[k]; r < first[k + 1]; r++) {
        code += place * (mode[g++] - UNKNOWN_MODE)
        place *= MODES
      }
      modes[k] = code
    }
  }
}

import type { SolverStatus } from './complementarity.ts'
import { SweepSolver, sweep } from './projectedGaussSeidel.ts'

/**
 * The iterative method of K. G. Murty, Linear Complementarity, Linear and Nonlinear Programming (1988), chapter 9, which
 * Drumwright, A Fast and Stable Penalty Method for Rigid Body Simulation (2008), names as its solver without saying which of
 * that chapter's methods it is.
 *
 * It is taken to be the scheme of section 9.3, for general symmetric matrices (Mangasarian 1977),
 *
 *   z⁺ = lambda max(0, z - omega E (A z + b + K (z⁺ - z))) + (1 - lambda) z,
 *
 * in the form that the chapter calls projected symmetric over-relaxation: K is the strictly lower triangle of A and its
 * strictly upper one by turns, so that sweeps run forwards and backwards. The reasons: a contact matrix is symmetric and only
 * semidefinite as soon as a body has more contacts than it needs, which rules out section 9.2 (positive definite matrices);
 * and the software that the same laboratory published later under a reference to this book does exactly that, with E = 1.
 * Here E is the inverse of the diagonal, which makes the method independent of units, and lambda = 1: it converges for
 * 0 < omega < 2 where projected Gauss-Seidel does, which is omega = 1 without the way back. With one of 1 it takes fewest sweeps on
 * the corpus of docs/solvers.md.
 *
 * Symmetric positive semidefinite A with an answer; others are 'not-applicable'. Warm start: z.
 */
export class MurtyIterative extends SweepSolver {
  readonly name = 'murty-iterative'

  /**
   * @param limit cap on sweeps
   * @param omega relaxation, above 0 and below 2
   */
  constructor(tolerance = 1e-8, limit = 5000, omega = 1) {
    super(tolerance, limit)
    if (!(omega > 0 && omega < 2)) {
      throw new RangeError(`MurtyIterative: omega is ${omega}; the method converges for values above 0 and below 2`)
    }
    this.setting[1] = omega
  }

  protected override sweeps(n: number, A: Float64Array, b: Float64Array, z: Float64Array): SolverStatus {
    while (this.iterations < this.limit) {
      sweep(n, A, b, z, this.iterations % 2 === 0 ? 1 : -1, this.setting)
      this.iterations++
      if (this.arrived(n, A, b, z)) return 'solved'
    }
    return 'limit'
  }
}

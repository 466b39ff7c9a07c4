import type { SolverStatus } from './complementarity.ts'
import { SweepSolver, sweep } from './projectedGaussSeidel.ts'

/**
 * Nonsmooth nonlinear conjugate gradients on projected Gauss-Seidel: the step of a sweep is taken for a gradient, and added up
 * with Fletcher and Reeves's factor, until a step grows, which starts afresh. Silcowitz-Hansen, Niebe, Erleben, A nonsmooth
 * nonlinear conjugate gradient method for interactive contact force problems, The Visual Computer 26 (2010), algorithm 1.
 *
 * Steps are measured in the norm of A's diagonal, which makes the method independent of units. A sweep more costs n
 * operations; where Gauss-Seidel needs hundreds of sweeps this needs tens. There is no proof that it converges. What is judged
 * is z after a sweep, never after an extrapolation.
 *
 * For symmetric positive semidefinite A; others are 'not-applicable'. Warm start: z.
 */
export class NonsmoothConjugateGradient extends SweepSolver {
  readonly name = 'nncg'
  private before = new Float64Array(0)
  private direction = new Float64Array(0)
  /** 1: square of the last step. */
  private readonly last = new Float64Array(1)

  /** @param limit cap on sweeps */
  constructor(tolerance = 1e-8, limit = 5000) {
    super(tolerance, limit)
  }

  protected override reserveUnilateral(n: number): void {
    super.reserveUnilateral(n)
    this.before = new Float64Array(n)
    this.direction = new Float64Array(n)
  }

  protected override sweeps(n: number, A: Float64Array, b: Float64Array, z: Float64Array): SolverStatus {
    const { before, direction, last, setting } = this
    direction.fill(0, 0, n)
    last[0] = 0
    while (this.iterations < this.limit) {
      for (let i = 0; i < n; i++) before[i] = z[i]
      sweep(n, A, b, z, 1, setting)
      this.iterations++
      if (this.arrived(n, A, b, z)) return 'solved'
      let square = 0
      for (let i = 0; i < n; i++) square += A[i * n + i] * (z[i] - before[i]) * (z[i] - before[i])
      const beta = last[0] > 0 ? square / last[0] : 2
      last[0] = square
      const keeps = beta <= 1
      for (let i = 0; i < n; i++) {
        const step = z[i] - before[i]
        if (keeps) z[i] += beta * direction[i] //  z + beta p
        direction[i] = keeps ? beta * direction[i] + step : 0 // p = beta p - g, g = -step
      }
    }
    return 'limit'
  }
}

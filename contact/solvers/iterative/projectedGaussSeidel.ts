import { addWork } from '../../../dynamics/math/index.ts'
import { looksSemidefinite, type SolverStatus } from '../complementarity.ts'
import { UnilateralSolver } from '../unilateralSolver.ts'

/** Diagonal entries below this fraction of the largest belong to rows of rounding errors, whose z stays unchanged. */
const EMPTY_ROW = 1e-11

/**
 * Projected Gauss-Seidel: each z_i in turn is set to the solution of its own row, or 0. Cottle, Pang, Stone, The Linear Complementarity
 * Problem (1992), section 5.2; Mangasarian, J. Optim. Theory Appl. 22 (1977). @unchecked
 *
 * For symmetric positive semidefinite A it decreases the objective ½ zᵀA z + bᵀz at every step and converges to a solution if there is one,
 * at a linear rate that dependent or badly scaled rows make arbitrarily slow. Others are 'not-applicable': on Murty's P-matrix [1 2 0; 0 1
 * 2; 2 0 1] with b = -1 it cycles for ever. Warm start: z.
 *
 * The residual, which costs as much as a sweep, is evaluated after 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, .. sweeps, at intervals of an eighth.
 */
export class ProjectedGaussSeidel extends UnilateralSolver {
  readonly name = 'pgs'
  private readonly limit: number
  /** 1: diagonal entries up to this are skipped. */
  private readonly empty = new Float64Array(1)

  /** @param limit most sweeps */
  constructor(tolerance = 1e-8, limit = 5000) {
    super(tolerance)
    this.limit = limit
  }

  protected override reserveUnilateral(_n: number): void {}

  protected override solveUnilateral(
    n: number,
    A: Float64Array,
    b: Float64Array,
    start: Float64Array,
    z: Float64Array,
  ): SolverStatus {
    if (!looksSemidefinite(n, A)) return 'not-applicable'
    let largest = 0
    for (let i = 0; i < n; i++) if (A[i * n + i] > largest) largest = A[i * n + i]
    for (let i = 0; i < n; i++) z[i] = start[i] > 0 ? start[i] : 0
    this.empty[0] = EMPTY_ROW * largest
    let nextLook = 1
    while (this.iterations < this.limit) {
      this.sweep(n, A, b, z)
      this.iterations++
      if (this.iterations < nextLook) continue
      nextLook = this.iterations + 1 + (this.iterations >> 3)
      if (this.isAnswer(n, A, b, z)) return 'solved'
    }
    return 'limit'
  }

  /** z_i := max(0, z_i - w_i / A_ii), each w_i computed with the newest z. */
  private sweep(n: number, A: Float64Array, b: Float64Array, z: Float64Array): void {
    const { empty } = this
    addWork(n, n, 1)
    for (let i = 0; i < n; i++) {
      const row = i * n
      const diagonal = A[row + i]
      if (diagonal <= empty[0]) continue
      let w = b[i]
      for (let j = 0; j < n; j++) w += A[row + j] * z[j]
      const next = z[i] - w / diagonal
      z[i] = next > 0 ? next : 0
    }
  }
}

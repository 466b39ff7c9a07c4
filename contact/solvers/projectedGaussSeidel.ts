import type { SolverStatus } from './complementarity.ts'
import { looksSemidefinite } from './looksSemidefinite.ts'
import { UnilateralSolver } from './unilateralSolver.ts'

/** A diagonal entry below this share of the largest one is that of a row of rounding errors, and its z stays as it is. */
const EMPTY_ROW = 1e-11

/**
 * One sweep of projected successive over-relaxation: z_i := max(0, z_i - omega w_i / A_ii), each w_i worked out with the newest z.
 *
 * @param step    1: from the first row to the last; -1: back
 * @param setting 2: diagonal entries up to the first are skipped; omega
 */
export function sweep(n: number, A: Float64Array, b: Float64Array, z: Float64Array, step: number, setting: Float64Array): void {
  for (let k = 0; k < n; k++) {
    const i = step > 0 ? k : n - 1 - k
    const row = i * n
    const diagonal = A[row + i]
    if (diagonal <= setting[0]) continue
    let w = b[i]
    for (let j = 0; j < n; j++) w += A[row + j] * z[j]
    const next = z[i] - (setting[1] * w) / diagonal
    z[i] = next > 0 ? next : 0
  }
}

/**
 * What the three solvers by sweeps share: the classes of matrix that they are for, the first z, and when to look at the
 * residual, which costs as much as a sweep: after 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, .. sweeps, each time an eighth later.
 */
export abstract class SweepSolver extends UnilateralSolver {
  protected readonly limit: number
  private nextLook = 0
  /** What `sweep` takes. */
  protected readonly setting = Float64Array.of(0, 1)

  /** @param limit cap on sweeps */
  constructor(tolerance: number, limit: number) {
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
    this.nextLook = 1
    this.setting[0] = EMPTY_ROW * largest
    return this.sweeps(n, A, b, z)
  }

  protected abstract sweeps(n: number, A: Float64Array, b: Float64Array, z: Float64Array): SolverStatus

  /** Whether it is time to look at z, and z is an answer. */
  protected arrived(n: number, A: Float64Array, b: Float64Array, z: Float64Array): boolean {
    if (this.iterations < this.nextLook) return false
    this.nextLook = this.iterations + 1 + (this.iterations >> 3)
    return this.isAnswer(n, A, b, z)
  }
}

/**
 * Projected Gauss-Seidel: each z_i in turn takes the value that its own row asks for, or 0. Cottle, Pang, Stone, The Linear
 * Complementarity Problem (1992), section 5.2; Mangasarian, J. Optim. Theory Appl. 22 (1977).
 *
 * For symmetric positive semidefinite A it goes down the objective ½ zᵀA z + bᵀz at every step and tends to an answer if there
 * is one, at a linear rate that dependent or badly scaled rows make as slow as one likes. Others are 'not-applicable': on
 * Murty's P-matrix [1 2 0; 0 1 2; 2 0 1] with b = -1 it goes in circles for ever. Warm start: z.
 */
export class ProjectedGaussSeidel extends SweepSolver {
  readonly name = 'pgs'

  /** @param limit cap on sweeps */
  constructor(tolerance = 1e-8, limit = 5000) {
    super(tolerance, limit)
  }

  protected override sweeps(n: number, A: Float64Array, b: Float64Array, z: Float64Array): SolverStatus {
    while (this.iterations < this.limit) {
      sweep(n, A, b, z, 1, this.setting)
      this.iterations++
      if (this.arrived(n, A, b, z)) return 'solved'
    }
    return 'limit'
  }
}

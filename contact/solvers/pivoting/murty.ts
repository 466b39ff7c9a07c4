import type { SolverStatus } from '../complementarity.ts'
import { UnilateralSolver } from '../unilateralSolver.ts'
import { suggestBasis } from './basis.ts'
import { PivotTableau } from './pivotTableau.ts'

/** Entries of the scaled tableau below this count as zero. */
const ZERO = 1e-11
/** Right-hand sides above minus this count as not negative; the check decides on the result. */
const NEGATIVE = 1e-10
/** Most pivots per unknown. */
const PIVOTS = 100
/** Most recomputations of the tableau from the problem after a search without solution. */
const RENEWALS = 3

/**
 * Least-index principal pivoting: the first row with a negative basic variable exchanges its two variables, until there is none. Murty,
 * Note on a Bard-type scheme for solving the complementarity problem, Opsearch 11 (1974). @unchecked
 *
 * For a P-matrix, symmetric or not, it ends with the unique solution from any initial basis: a warm start costs only its pivots. A zero
 * diagonal entry is handled by an exchange of two pairs, again of least index: then the rule is the criss-cross method (den Hertog, Roos,
 * Terlaky, The linear complementarity problem, sufficient matrices and the criss-cross method, Linear Algebra Appl. 187, 1993), which for
 * sufficient matrices, among them positive semidefinite ones with dependent rows, ends with a solution or with 'ray': a row that is
 * negative for all values of its variables. Friction pyramids are not sufficient: there the search may fail ('residual') or cycle
 * ('limit').
 */
export class MurtySolver extends UnilateralSolver {
  readonly name = 'murty'
  /** Row and column i belong to pair i; the parameter is not used. */
  private readonly tableau = new PivotTableau()
  /** 2: factors of A and b, so that their largest entries are 1. */
  private readonly scale = new Float64Array(2)
  /** 1 if z_i is in the basis; and a working copy. */
  private inBasis = new Uint8Array(0)
  private marked = new Uint8Array(0)

  protected override reserveUnilateral(n: number): void {
    this.tableau.reserve(n)
    this.inBasis = new Uint8Array(n)
    this.marked = new Uint8Array(n)
  }

  protected override solveUnilateral(
    n: number,
    A: Float64Array,
    b: Float64Array,
    start: Float64Array,
    z: Float64Array,
  ): SolverStatus {
    const { inBasis } = this
    if (suggestBasis(n, A, b, start, inBasis)) {
      if (this.basis.solve(n, A, b, inBasis, z) && this.isAnswer(n, A, b, z)) return 'solved'
      if (this.searchFrom(n, A, b, z) === 'solved') return 'solved'
      inBasis.fill(0, 0, n)
    }
    return this.searchFrom(n, A, b, z)
  }

  /** Searches from the present basis. */
  private searchFrom(n: number, A: Float64Array, b: Float64Array, z: Float64Array): SolverStatus {
    const { inBasis } = this
    let status: SolverStatus = 'solved'
    for (let round = 0; round <= RENEWALS && status !== 'limit'; round++) {
      this.build(n, A, b)
      const pivots = this.iterations
      status = this.search(n)
      if (status === 'solved' && this.basis.solve(n, A, b, inBasis, z) && this.isAnswer(n, A, b, z)) return 'solved'
      // possibly due to rounding: a recomputed tableau of the same basis confirms it, or the search continues
      if (round > 0 && this.iterations === pivots) break
    }
    this.readOff(n, z)
    if (status === 'solved') status = this.isAnswer(n, A, b, z) ? 'solved' : 'residual'
    return status
  }

  /** Computes the tableau of the present basis, scaled so that the largest entries of A and b are 1; dependent unknowns leave the basis. */
  private build(n: number, A: Float64Array, b: Float64Array): void {
    const { tableau, scale, inBasis, marked } = this
    scale.fill(0)
    for (let k = 0; k < n * n; k++) if (Math.abs(A[k]) > scale[0]) scale[0] = Math.abs(A[k])
    for (let i = 0; i < n; i++) if (Math.abs(b[i]) > scale[1]) scale[1] = Math.abs(b[i])
    for (let k = 0; k < 2; k++) scale[k] = scale[k] > 0 ? 1 / scale[k] : 1
    tableau.load(n, A, b, scale)
    for (let i = 0; i < n; i++) marked[i] = inBasis[i]
    this.iterations += tableau.bringIn(n, marked)
    this.readBasis(n)
  }

  private readBasis(n: number): void {
    const { inBasis, tableau } = this
    for (let i = 0; i < n; i++) inBasis[i] = tableau.basic[i] < n ? 0 : 1
  }

  private search(n: number): SolverStatus {
    const status = this.exchangeNegative(n)
    this.readBasis(n)
    return status
  }

  private exchangeNegative(n: number): SolverStatus {
    const { tableau } = this
    const { T } = tableau
    const width = n + 2
    const end = this.iterations + 50 + PIVOTS * n
    while (this.iterations < end) {
      let k = 0
      while (k < n && T[k * width + n + 1] >= -NEGATIVE) k++
      if (k === n) return 'solved'
      const diagonal = T[k * width + k]
      if (diagonal > ZERO) {
        tableau.exchange(n, k, k)
        this.iterations++
        continue
      }
      if (diagonal < -ZERO) return 'residual'
      let j = 0
      while (j < n && T[k * width + j] <= ZERO) j++
      // y_k = Σ T_kj x_j + T_k(n+1) is negative for all x >= 0
      if (j === n) return 'ray'
      if (Math.abs(T[j * width + k]) <= ZERO) return 'residual'
      tableau.exchangePairs(n, k, j)
      this.iterations += 2
    }
    return 'limit'
  }

  /** z of the tableau. */
  private readOff(n: number, z: Float64Array): void {
    const { tableau, inBasis, scale } = this
    for (let i = 0; i < n; i++) z[i] = inBasis[i] === 1 ? (tableau.T[i * (n + 2) + n + 1] * scale[0]) / scale[1] : 0
  }
}

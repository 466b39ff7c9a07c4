import { suggestBasis } from './basis.ts'
import type { SolverStatus } from './complementarity.ts'
import { UnilateralSolver } from './unilateralSolver.ts'

/** Entries of the scaled tableau below this count as zero. */
const ZERO = 1e-11
/** Right-hand sides above minus this count as not negative; the check judges the answer. */
const NEGATIVE = 1e-10
/** Cap on pivots per unknown. */
const PIVOTS = 100
/** How often the tableau is worked out afresh from the problem where the search ends without an answer. */
const RENEWALS = 3

/**
 * Least-index principal pivoting: the first row whose basic variable is negative exchanges its two variables, until there is
 * none. Murty, Note on a Bard-type scheme for solving the complementarity problem, Opsearch 11 (1974).
 *
 * For a P-matrix, symmetric or not, it ends with the one answer whatever the basis that it starts from: a warm start costs
 * nothing but its pivots. A zero in the diagonal is passed by an exchange of two pairs, again of the least index: with that
 * the rule is the criss-cross method (den Hertog, Roos, Terlaky, The linear complementarity problem, sufficient matrices
 * and the criss-cross method, Linear Algebra Appl. 187, 1993), which for sufficient matrices, positive semidefinite ones
 * with dependent rows among them, ends with an answer or with 'ray': a row that is negative whatever its variables are.
 * Friction pyramids are not sufficient: there the search may end nowhere ('residual') or go in circles ('limit').
 */
export class MurtySolver extends UnilateralSolver {
  readonly name = 'murty'
  /** n x (n + 1): row i gives the basic variable of pair i by the others, y_i = Σ T_ij x_j + T_in. */
  private T = new Float64Array(0)
  /** 1 where z_i is basic. */
  private basic = new Uint8Array(0)

  protected override reserveUnilateral(n: number): void {
    this.T = new Float64Array(n * (n + 1))
    this.basic = new Uint8Array(n)
  }

  protected override solveUnilateral(
    n: number,
    A: Float64Array,
    b: Float64Array,
    start: Float64Array,
    z: Float64Array,
  ): SolverStatus {
    const { basic } = this
    if (suggestBasis(n, A, b, start, basic)) {
      if (this.basis.solve(n, A, b, basic, z) && this.isAnswer(n, A, b, z)) return 'solved'
      if (this.searchFrom(n, A, b, z) === 'solved') return 'solved'
      basic.fill(0, 0, n)
    }
    return this.searchFrom(n, A, b, z)
  }

  /** From the present basis. */
  private searchFrom(n: number, A: Float64Array, b: Float64Array, z: Float64Array): SolverStatus {
    const { basic } = this
    let status: SolverStatus = 'solved'
    for (let round = 0; round <= RENEWALS && status !== 'limit'; round++) {
      this.build(n, A, b)
      const pivots = this.iterations
      status = this.search(n)
      if (status === 'solved' && this.basis.solve(n, A, b, basic, z) && this.isAnswer(n, A, b, z)) return 'solved'
      // Rounding may have led here: a fresh tableau of the same basis says the same, or goes on.
      if (round > 0 && this.iterations === pivots) break
    }
    this.readOff(n, A, b, z)
    if (status === 'solved') status = this.isAnswer(n, A, b, z) ? 'solved' : 'residual'
    return status
  }

  /** The tableau of the present basis, scaled so that the largest entries of A and b are 1; what is singular leaves the basis. */
  private build(n: number, A: Float64Array, b: Float64Array): void {
    const { T, basic } = this
    const width = n + 1
    let largestA = 0
    let largestB = 0
    for (let k = 0; k < n * n; k++) if (Math.abs(A[k]) > largestA) largestA = Math.abs(A[k])
    for (let i = 0; i < n; i++) if (Math.abs(b[i]) > largestB) largestB = Math.abs(b[i])
    const scaleA = largestA > 0 ? 1 / largestA : 1
    const scaleB = largestB > 0 ? 1 / largestB : 1
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) T[i * width + j] = A[i * n + j] * scaleA
      T[i * width + n] = b[i] * scaleB
      basic[i] = basic[i] === 1 ? 2 : 0 // 2: is to come in
    }
    for (;;) {
      let best = -1
      for (let i = 0; i < n; i++) {
        if (basic[i] !== 2) continue
        if (best < 0 || Math.abs(T[i * width + i]) > Math.abs(T[best * width + best])) best = i
      }
      if (best < 0) return
      if (Math.abs(T[best * width + best]) > 1e-6) {
        this.pivot(n, best)
        continue
      }
      if (this.bringPair(n)) continue
      for (let i = 0; i < n; i++) if (basic[i] === 2) basic[i] = 0
      return
    }
  }

  /** Brings in the two whose entries in each other's rows are largest; false if these are zero. */
  private bringPair(n: number): boolean {
    const { T, basic } = this
    const width = n + 1
    let k = -1
    let j = -1
    let most = 1e-12
    for (let i = 0; i < n; i++) {
      if (basic[i] !== 2) continue
      for (let l = 0; l < i; l++) {
        if (basic[l] !== 2) continue
        const product = Math.abs(T[i * width + l] * T[l * width + i])
        if (product <= most) continue
        most = product
        k = i
        j = l
      }
    }
    if (k < 0) return false
    this.exchange(n, k, j)
    return true
  }

  private search(n: number): SolverStatus {
    const { T } = this
    const width = n + 1
    const end = this.iterations + 50 + PIVOTS * n
    while (this.iterations < end) {
      let k = 0
      while (k < n && T[k * width + n] >= -NEGATIVE) k++
      if (k === n) return 'solved'
      const diagonal = T[k * width + k]
      if (diagonal > ZERO) {
        this.pivot(n, k)
        continue
      }
      if (diagonal < -ZERO) return 'residual'
      let j = 0
      while (j < n && T[k * width + j] <= ZERO) j++
      // y_k = Σ T_kj x_j + T_kn is negative for all x >= 0
      if (j === n) return 'ray'
      if (Math.abs(T[j * width + k]) <= ZERO) return 'residual'
      this.exchange(n, k, j)
    }
    return 'limit'
  }

  /** Exchanges the two variables of pair k. */
  private pivot(n: number, k: number): void {
    this.exchangeEntry(n, k, k)
    const { basic } = this
    basic[k] = basic[k] === 1 ? 0 : 1
    this.iterations++
  }

  /** Exchanges the variables of the pairs k and j, whose 2 x 2 block has a zero in its diagonal. */
  private exchange(n: number, k: number, j: number): void {
    const { T, basic } = this
    const width = n + 1
    this.exchangeEntry(n, k, j)
    this.exchangeEntry(n, j, k)
    // row k now gives what pair j has in the basis, and column k is of pair j
    for (let c = 0; c < width; c++) {
      const swap = T[k * width + c]
      T[k * width + c] = T[j * width + c]
      T[j * width + c] = swap
    }
    for (let i = 0; i < n; i++) {
      const swap = T[i * width + k]
      T[i * width + k] = T[i * width + j]
      T[i * width + j] = swap
    }
    basic[k] = basic[k] === 1 ? 0 : 1
    basic[j] = basic[j] === 1 ? 0 : 1
    this.iterations += 2
  }

  /** Solves row r for the variable of column c. */
  private exchangeEntry(n: number, r: number, c: number): void {
    const { T } = this
    const width = n + 1
    const row = r * width
    // x_c = (y_r - Σ T_rj x_j - T_rn) / T_rc
    const inverse = 1 / T[row + c]
    for (let j = 0; j < width; j++) T[row + j] *= -inverse
    T[row + c] = inverse
    for (let i = 0; i < n; i++) {
      if (i === r) continue
      const at = i * width
      const factor = T[at + c]
      if (factor === 0) continue
      T[at + c] = 0
      for (let j = 0; j < width; j++) T[at + j] += factor * T[row + j]
    }
  }

  /** z as the tableau says. */
  private readOff(n: number, A: Float64Array, b: Float64Array, z: Float64Array): void {
    const { T, basic } = this
    let largestA = 0
    let largestB = 0
    for (let k = 0; k < n * n; k++) if (Math.abs(A[k]) > largestA) largestA = Math.abs(A[k])
    for (let i = 0; i < n; i++) if (Math.abs(b[i]) > largestB) largestB = Math.abs(b[i])
    for (let i = 0; i < n; i++) z[i] = basic[i] === 1 ? (T[i * (n + 1) + n] * largestB) / largestA : 0
  }
}

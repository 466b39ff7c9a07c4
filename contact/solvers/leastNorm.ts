import { addWork } from '../../dynamics/math/index.ts'

/** Pivots of Gᵀ S W S G below this fraction of their diagonal entry are rounding. */
const ROUNDING = 1e-13
/** Refinements of a solution; one reduces the residual to rounding. */
const REFINEMENTS = 2

/**
 * Weighted solutions of least norm of symmetric positive semidefinite, mostly singular systems W x = b: of all solutions, that with the
 * least sum of (x_i / s_i)², s_i the scale of unknown i. Unknowns of scale 0 stay 0. @unchecked
 *
 * With z = x / s the matrix is S W S = G Gᵀ, G of full column rank, by pivoted Cholesky factorisation: the next pivot is the row with the
 * greatest remaining fraction of its diagonal entry, until none exceeds `tolerance`. Weaker rows count as dependent: z = G y with Gᵀ S (b -
 * W S G y) = 0. If the rank is full, or deficient only by rounding, this is the pseudoinverse's solution, G (GᵀG)⁻² Gᵀ S b (Courrieu, Fast
 * computation of Moore-Penrose inverse matrices, Neural Inf. Process. 8, 2005).
 *
 * With very different scales, a column of G may be mere rounding in Gᵀ S W S G; it is then not used.
 *
 * Nothing is random or iterated to a tolerance: the same numbers give the same bits.
 */
export class LeastNorm {
  /** Rank of the last system. */
  rank = 0
  private readonly tolerance: number
  /** Column r of G, in row r; and that of S W S G. */
  private G = new Float64Array(0)
  private T = new Float64Array(0)
  /** Lower triangle of Gᵀ S W S G, replaced by its Cholesky factor. */
  private C = new Float64Array(0)
  /** Remaining and initial diagonal entries. */
  private left = new Float64Array(0)
  private full = new Float64Array(0)
  private taken = new Uint8Array(0)
  private y = new Float64Array(0)
  private residual = new Float64Array(0)

  /** @param tolerance fraction of its diagonal entry below which a row counts as dependent; at least 1e-7 */
  constructor(tolerance: number) {
    this.tolerance = tolerance
  }

  /**
   * @param size  number of unknowns
   * @param W     size x size, symmetric, row-major; only read
   * @param b     size
   * @param scale size, 0 or more
   * @param x     out: size
   */
  solve(size: number, W: Float64Array, b: Float64Array, scale: Float64Array, x: Float64Array): void {
    this.reserve(size)
    const { G, y, residual } = this
    this.factorize(size, W, scale)
    this.project(size, W, scale)
    for (let i = 0; i < size; i++) {
      x[i] = 0
      residual[i] = scale[i] * b[i]
    }
    for (let round = 0; ; round++) {
      addWork(size, size, 4)
      this.solveProjected(size)
      for (let r = 0; r < this.rank; r++) for (let i = 0; i < size; i++) x[i] += scale[i] * G[r * size + i] * y[r]
      if (round === REFINEMENTS) return
      for (let i = 0; i < size; i++) {
        let sum = b[i]
        for (let j = 0; j < size; j++) sum -= W[i * size + j] * x[j]
        residual[i] = scale[i] * sum
      }
    }
  }

  private reserve(size: number): void {
    if (size <= this.left.length) return
    this.G = new Float64Array(size * size)
    this.T = new Float64Array(size * size)
    this.C = new Float64Array(size * size)
    this.left = new Float64Array(size)
    this.full = new Float64Array(size)
    this.taken = new Uint8Array(size)
    this.y = new Float64Array(size)
    this.residual = new Float64Array(size)
  }

  /** G and its rank. */
  private factorize(size: number, W: Float64Array, scale: Float64Array): void {
    const { G, left, full, taken, tolerance } = this
    for (let i = 0; i < size; i++) {
      full[i] = scale[i] * scale[i] * W[i * size + i]
      left[i] = full[i]
      taken[i] = full[i] > 0 ? 0 : 1
    }
    let rank = 0
    for (; rank < size; rank++) {
      addWork(size, rank + 2, 1)
      let pivot = -1
      for (let i = 0; i < size; i++) {
        if (taken[i] !== 0) continue
        if (pivot < 0 || left[i] * full[pivot] > left[pivot] * full[i]) pivot = i
      }
      if (pivot < 0 || !(left[pivot] > tolerance * full[pivot])) break
      const column = rank * size
      const inverse = 1 / Math.sqrt(left[pivot])
      for (let i = 0; i < size; i++) {
        G[column + i] = 0
        if (taken[i] !== 0) continue
        let sum = scale[i] * scale[pivot] * W[i * size + pivot]
        for (let r = 0; r < rank; r++) sum -= G[r * size + i] * G[r * size + pivot]
        G[column + i] = sum * inverse
        left[i] -= G[column + i] * G[column + i]
      }
      taken[pivot] = 1
    }
    this.rank = rank
  }

  /** The factor of Gᵀ S W S G. */
  private project(size: number, W: Float64Array, scale: Float64Array): void {
    const { G, T, C, rank } = this
    for (let r = 0; r < rank; r++) {
      addWork(size, size + r, 1)
      for (let i = 0; i < size; i++) {
        let sum = 0
        for (let j = 0; j < size; j++) sum += W[i * size + j] * scale[j] * G[r * size + j]
        T[r * size + i] = scale[i] * sum
      }
      for (let s = 0; s <= r; s++) {
        let sum = 0
        for (let i = 0; i < size; i++) sum += T[r * size + i] * G[s * size + i]
        const least = ROUNDING * sum
        for (let k = 0; k < s; k++) sum -= C[r * size + k] * C[s * size + k]
        // division by an infinite pivot gives 0, here and in `solveProjected`
        C[r * size + s] = s < r ? sum / C[s * size + s] : sum > least ? Math.sqrt(sum) : Number.POSITIVE_INFINITY
      }
    }
  }

  /** y = (Gᵀ S W S G)⁻¹ Gᵀ residual. */
  private solveProjected(size: number): void {
    const { G, C, y, residual, rank } = this
    for (let r = 0; r < rank; r++) {
      let sum = 0
      for (let i = 0; i < size; i++) sum += G[r * size + i] * residual[i]
      for (let k = 0; k < r; k++) sum -= C[r * size + k] * y[k]
      y[r] = sum / C[r * size + r]
    }
    for (let r = rank - 1; r >= 0; r--) {
      for (let k = r + 1; k < rank; k++) y[r] -= C[k * size + r] * y[k]
      y[r] /= C[r * size + r]
    }
  }
}

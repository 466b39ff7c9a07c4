import { addWork } from '../../dynamics/math/index.ts'

/** A pivot of Gᵀ S W S G below this part of its diagonal entry is rounding. */
const ROUNDING = 1e-13
/** Refinements of a solution; one reduces the residual to rounding. */
const REFINEMENTS = 2

/**
 * Solutions of least norm of symmetric positive semidefinite systems W x = b, W being singular as a rule, with weights: of all
 * x that solve the system it takes the one with the least sum of (x_i / s_i)², s_i the scale of unknown i. One with scale 0
 * stays 0.
 *
 * With z = x / s the matrix is S W S = G Gᵀ, G of full column rank, found by the Cholesky factorisation with pivoting: the
 * next pivot is the row that has kept most of its own diagonal entry, until none has kept more than `tolerance` of it. Weaker rows count as
 * dependent: z = G y is sought in the columns of G alone, such that Gᵀ S (b - W S G y) = 0. With a full rank, or with one that is short by
 * rounding alone, this is the pseudoinverse's solution, G (GᵀG)⁻² Gᵀ S b (Courrieu, Fast computation of Moore-Penrose inverse matrices,
 * Neural Inf. Process. 8, 2005).
 *
 * Scales far apart may leave of a column of G, in Gᵀ S W S G, no more than rounding; such a column has no part in the solution.
 *
 * Nothing is random and nothing is iterated to a tolerance: the same numbers give the same bits.
 */
export class LeastNorm {
  /** Rank of the last system. */
  rank = 0
  private readonly tolerance: number
  /** Column r of G is in row r, likewise that of S W S G. */
  private G = new Float64Array(0)
  private T = new Float64Array(0)
  /** The lower triangle of Gᵀ S W S G, and in its place its Cholesky factor. */
  private C = new Float64Array(0)
  /** The remaining diagonal, and the initial one. */
  private left = new Float64Array(0)
  private full = new Float64Array(0)
  private taken = new Uint8Array(0)
  private y = new Float64Array(0)
  private residual = new Float64Array(0)

  /** @param tolerance share of its own diagonal entry below which a row counts as dependent on the others; 1e-7 or more */
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
        // a quotient by an infinite pivot is 0, here and in `solveProjected`
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

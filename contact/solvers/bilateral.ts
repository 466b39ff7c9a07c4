import { addWork } from '../../dynamics/math/index.ts'

/** Pivots or remaining entries below this fraction of the matrix's largest entry count as zero. */
const NEGLIGIBLE = 1e-11
/** Differences below this fraction of their terms count as zero. */
const CANCELLED = 1e-11

/**
 * Eliminates the unknowns that are free of sign from a mixed complementarity problem, by the Schur complement. With u the remaining
 * unknowns and f the free ones, whose w is to be zero,
 *
 *   z_f = -X z_u - x,  X = A_ff⁻¹ A_fu,  x = A_ff⁻¹ b_f;    w_u = (A_uu - A_uf X) z_u + b_u - A_uf x
 *
 * by elimination with complete pivoting. Dependent free rows, such as those of a loop closed twice, are omitted, and their unknowns stay 0;
 * that is exact unless they are coupled to u, which is impossible in a symmetric positive semidefinite A. Contradictory rows are found by
 * the check of the solution.
 *
 * The workspace grows with n; otherwise nothing is allocated.
 */
export class Bilateral {
  /** Number of remaining unknowns. */
  count = 0
  /** The remaining problem: matrix, count x count, row-major; right-hand side; guess. */
  A = new Float64Array(0)
  b = new Float64Array(0)
  start = new Float64Array(0)
  private kept = new Int32Array(0)
  private freeCount = 0
  private free = new Int32Array(0)
  private rank = 0
  /** freeCount x (freeCount + count + 1): A_ff, A_fu, b_f, transformed to 1, X, x in its first `rank` rows. */
  private T = new Float64Array(0)
  /** 1: bound below which an entry of A counts as zero. */
  private readonly least = new Float64Array(1)
  /** Free unknown of each of the first `rank` columns of T. */
  private column = new Int32Array(0)

  reserve(n: number): void {
    if (n <= this.b.length) return
    this.A = new Float64Array(n * n)
    this.b = new Float64Array(n)
    this.start = new Float64Array(n)
    this.kept = new Int32Array(n)
    this.free = new Int32Array(n)
    this.T = new Float64Array(n * (n + 1))
    this.column = new Int32Array(n)
  }

  /**
   * Sets count, A, b and start by reduction of a problem of n unknowns.
   *
   * @param free n: 1 for unknowns free of sign
   * @returns false if dependent free rows are coupled to the remaining unknowns, which prevents the reduction
   */
  eliminate(n: number, A: Float64Array, b: Float64Array, free: Uint8Array, start: Float64Array): boolean {
    const { kept, free: list } = this
    this.count = 0
    this.freeCount = 0
    for (let i = 0; i < n; i++) {
      if (free[i] === 1) list[this.freeCount++] = i
      else kept[this.count++] = i
    }
    this.gather(n, A, b)
    this.pivot()
    if (this.rank < this.freeCount && !this.isClosed(n, A)) return false
    this.reduce(n, A, b, start)
    return true
  }

  /** T := [A_ff A_fu b_f]. */
  private gather(n: number, A: Float64Array, b: Float64Array): void {
    const { count, kept, freeCount, free, T, column } = this
    const width = freeCount + count + 1
    for (let i = 0; i < freeCount; i++) {
      const row = free[i] * n
      for (let j = 0; j < freeCount; j++) T[i * width + j] = A[row + free[j]]
      for (let j = 0; j < count; j++) T[i * width + freeCount + j] = A[row + kept[j]]
      T[i * width + width - 1] = b[free[i]]
      column[i] = i
    }
    let scale = 0
    for (let k = 0; k < n * n; k++) if (Math.abs(A[k]) > scale) scale = Math.abs(A[k])
    this.least[0] = NEGLIGIBLE * scale
  }

  /** Gauss-Jordan elimination of the free columns. */
  private pivot(): void {
    const { count, freeCount: m, T, column, least } = this
    const width = m + count + 1
    this.rank = 0
    for (let k = 0; k < m; k++) {
      addWork(m, width + m, 1)
      let bestRow = k
      let bestColumn = k
      for (let i = k; i < m; i++) {
        for (let j = k; j < m; j++) {
          if (Math.abs(T[i * width + j]) <= Math.abs(T[bestRow * width + bestColumn])) continue
          bestRow = i
          bestColumn = j
        }
      }
      if (!(Math.abs(T[bestRow * width + bestColumn]) > least[0])) return
      if (bestRow !== k) {
        for (let j = 0; j < width; j++) {
          const swap = T[k * width + j]
          T[k * width + j] = T[bestRow * width + j]
          T[bestRow * width + j] = swap
        }
      }
      if (bestColumn !== k) {
        for (let i = 0; i < m; i++) {
          const swap = T[i * width + k]
          T[i * width + k] = T[i * width + bestColumn]
          T[i * width + bestColumn] = swap
        }
        const swap = column[k]
        column[k] = column[bestColumn]
        column[bestColumn] = swap
      }
      const inverse = 1 / T[k * width + k]
      for (let j = k; j < width; j++) T[k * width + j] *= inverse
      for (let i = 0; i < m; i++) {
        const factor = T[i * width + k]
        if (i === k || factor === 0) continue
        for (let j = k; j < width; j++) T[i * width + j] -= factor * T[k * width + j]
      }
      this.rank++
    }
  }

  /** Whether the remaining free rows and columns are uncoupled from u. */
  private isClosed(n: number, A: Float64Array): boolean {
    const { count, kept, freeCount: m, free, rank, T, column, least } = this
    const width = m + count + 1
    for (let i = rank; i < m; i++) {
      for (let j = m; j < width - 1; j++) if (Math.abs(T[i * width + j]) > least[0]) return false
    }
    for (let j = rank; j < m; j++) {
      for (let i = 0; i < count; i++) {
        const row = kept[i] * n
        let sum = A[row + free[column[j]]]
        for (let r = 0; r < rank; r++) sum -= A[row + free[column[r]]] * T[r * width + j]
        if (Math.abs(sum) > least[0]) return false
      }
    }
    return true
  }

  private reduce(n: number, A: Float64Array, b: Float64Array, start: Float64Array): void {
    const { count, kept, freeCount, free, rank, T, column, A: S, b: c, start: guess } = this
    const width = freeCount + count + 1
    addWork(count, count + 1, rank + 1)
    for (let i = 0; i < count; i++) {
      const row = kept[i] * n
      guess[i] = start[kept[i]]
      for (let j = 0; j <= count; j++) {
        let sum = j < count ? A[row + kept[j]] : b[kept[i]]
        let terms = Math.abs(sum)
        for (let r = 0; r < rank; r++) {
          const term = A[row + free[column[r]]] * T[r * width + freeCount + j]
          sum -= term
          terms += Math.abs(term)
        }
        // a row of rounding errors, as of a body fixed by the free rows, would count as a real one
        if (Math.abs(sum) <= CANCELLED * terms) sum = 0
        if (j < count) S[i * count + j] = sum
        else c[i] = sum
      }
    }
  }

  /** Writes z of all unknowns from the remaining ones; zu and z may be the same array only if no unknown is free. */
  expand(zu: Float64Array, z: Float64Array): void {
    const { count, kept, freeCount, free, rank, T, column } = this
    const width = freeCount + count + 1
    for (let i = 0; i < count; i++) z[kept[i]] = zu[i]
    for (let r = 0; r < freeCount; r++) z[free[column[r]]] = 0
    for (let r = 0; r < rank; r++) {
      const at = r * width + freeCount
      let sum = -T[at + count]
      for (let j = 0; j < count; j++) sum -= T[at + j] * zu[j]
      z[free[column[r]]] = sum
    }
  }
}

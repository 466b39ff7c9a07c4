import { addWork } from '../../dynamics/math/index.ts'

/**
 * M = L U with exchange of rows (partial pivoting), or of rows and columns (complete pivoting), which determines the rank. Golub and Van
 * Loan, Matrix Computations (2013), section 3.4. Singularity is a result, not an exception. The remaining matrix is updated row by row,
 * since such updates, unlike sums, are independent of each other. The workspace grows with m; otherwise nothing is allocated.
 */
export class DenseLU {
  /** m x m, row-major in the first entries: M, written by the caller before `factor`; then L without its unit diagonal, and U. */
  LU = new Float64Array(0)
  rank = 0
  private m = 0
  /** Entry (k, l) of L U was entry (rows[k], columns[l]) of M. */
  private rows = new Int32Array(0)
  private columns = new Int32Array(0)
  private y = new Float64Array(0)

  reserve(m: number): void {
    if (m <= this.y.length) return
    this.LU = new Float64Array(m * m)
    this.rows = new Int32Array(m)
    this.columns = new Int32Array(m)
    this.y = new Float64Array(m)
  }

  /**
   * Partial pivoting. After a singular matrix the content is undefined.
   *
   * @param tolerance pivots up to this fraction of M's largest entry count as zero; a constant, since variable ones are boxed
   * @returns the sign of M's determinant, 0 if M is singular
   */
  factor(m: number, tolerance: number): number {
    const { LU } = this
    addWork(m, m, (m >> 1) + 1)
    this.begin(m)
    let sign = 1
    let least = 0
    for (let k = 0; k < m * m; k++) if (Math.abs(LU[k]) > least) least = Math.abs(LU[k])
    least *= tolerance
    for (let k = 0; k < m; k++) {
      let best = k
      for (let i = k + 1; i < m; i++) if (Math.abs(LU[i * m + k]) > Math.abs(LU[best * m + k])) best = i
      if (best !== k) {
        this.exchangeRows(best, k)
        sign = -sign
      }
      if (!(Math.abs(LU[k * m + k]) > least)) return 0
      if (LU[k * m + k] < 0) sign = -sign
      this.eliminate(k)
    }
    this.rank = m
    return sign
  }

  /** Complete pivoting, until the largest remaining entry is no more than `tolerance` times the first pivot. Sets `rank`. */
  factorFully(m: number, tolerance: number): void {
    const { LU } = this
    addWork(m, m, m)
    this.begin(m)
    let least = 0
    for (let k = 0; k < m; k++) {
      let row = k
      let column = k
      let size = 0
      for (let i = k; i < m; i++) {
        for (let j = k; j < m; j++) {
          const entry = Math.abs(LU[i * m + j])
          if (entry <= size) continue
          size = entry
          row = i
          column = j
        }
      }
      if (!(size > least)) return
      if (k === 0) least = tolerance * size
      if (row !== k) this.exchangeRows(row, k)
      if (column !== k) this.exchangeColumns(column, k)
      this.eliminate(k)
      this.rank = k + 1
    }
  }

  /** x := a solution of M x = r; unknowns beyond the rank are 0, equations beyond it are ignored. x may be r. */
  solve(r: Float64Array, x: Float64Array): void {
    const { m, rank, LU, rows, columns, y } = this
    addWork(m, m, 1)
    for (let k = 0; k < rank; k++) {
      let sum = r[rows[k]]
      for (let j = 0; j < k; j++) sum -= LU[k * m + j] * y[j]
      y[k] = sum
    }
    for (let k = rank; k < m; k++) y[k] = 0
    for (let k = rank - 1; k >= 0; k--) {
      let sum = y[k]
      for (let j = k + 1; j < rank; j++) sum -= LU[k * m + j] * y[j]
      y[k] = sum / LU[k * m + k]
    }
    for (let k = 0; k < m; k++) x[columns[k]] = y[k]
  }

  private begin(m: number): void {
    this.m = m
    this.rank = 0
    for (let i = 0; i < m; i++) {
      this.rows[i] = i
      this.columns[i] = i
    }
  }

  private exchangeRows(a: number, b: number): void {
    const { m, LU, rows } = this
    for (let j = 0; j < m; j++) {
      const swap = LU[a * m + j]
      LU[a * m + j] = LU[b * m + j]
      LU[b * m + j] = swap
    }
    const swap = rows[a]
    rows[a] = rows[b]
    rows[b] = swap
  }

  private exchangeColumns(a: number, b: number): void {
    const { m, LU, columns } = this
    for (let i = 0; i < m; i++) {
      const swap = LU[i * m + a]
      LU[i * m + a] = LU[i * m + b]
      LU[i * m + b] = swap
    }
    const swap = columns[a]
    columns[a] = columns[b]
    columns[b] = swap
  }

  /** Computes column k of L, and updates the rows below k. */
  private eliminate(k: number): void {
    const { m, LU } = this
    const inverse = 1 / LU[k * m + k]
    for (let i = k + 1; i < m; i++) {
      const factor = LU[i * m + k] * inverse
      LU[i * m + k] = factor
      if (factor === 0) continue
      for (let j = k + 1; j < m; j++) LU[i * m + j] -= factor * LU[k * m + j]
    }
  }
}

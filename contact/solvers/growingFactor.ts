import { addWork } from '../../dynamics/math/index.ts'

/**
 * L D Lᵀ of a symmetric positive definite matrix that grows and shrinks by single rows and columns of a larger one, each time
 * in n² operations. A row is appended by one forward substitution; when one is removed, the rows below it are updated by a change of rank
 * one. Gill, Golub, Murray, Saunders, Methods for modifying matrix factorizations, Math. Comp. 28 (1974), method C1.
 */
export class GrowingFactor {
  size = 0
  /** Rows of the large matrix, in the order of L. */
  rows = new Int32Array(0)
  private capacity = 0
  /** Row k holds L_k0 .. L_k,k-1. */
  private L = new Float64Array(0)
  private D = new Float64Array(0)
  private column = new Float64Array(0)

  /** Reserves space for n rows; present ones are lost if it must grow. */
  reserve(n: number): void {
    if (n <= this.capacity) return
    this.capacity = n
    this.size = 0
    this.rows = new Int32Array(n)
    this.L = new Float64Array(n * n)
    this.D = new Float64Array(n)
    this.column = new Float64Array(n)
  }

  clear(): void {
    this.size = 0
  }

  /**
   * Appends row i of A, n x n; false, without a change, if only the fraction `dependent` of its diagonal entry, or less, is independent of
   * the rows before it.
   */
  append(i: number, A: Float64Array, n: number, dependent: number): boolean {
    const { size, rows, L, D, capacity } = this
    const at = size * capacity
    addWork(size, size, 1)
    let own = A[i * n + i]
    for (let k = 0; k < size; k++) {
      // L_k · (D y) = a, y the new row of L
      let sum = A[i * n + rows[k]]
      for (let j = 0; j < k; j++) sum -= L[k * capacity + j] * L[at + j]
      L[at + k] = sum
    }
    for (let k = 0; k < size; k++) {
      const sum = L[at + k]
      const entry = sum / D[k]
      L[at + k] = entry
      own -= sum * entry
    }
    if (!(own > dependent * A[i * n + i])) return false
    D[size] = own
    rows[size] = i
    this.size = size + 1
    return true
  }

  /** Removes row i of the large matrix. */
  remove(i: number): void {
    const { size, rows, L, D, column, capacity } = this
    let p = 0
    while (p < size && rows[p] !== i) p++
    if (p === size) return
    addWork(size, size, 1)
    let alpha = D[p]
    for (let k = p + 1; k < size; k++) column[k] = L[k * capacity + p]
    for (let k = p + 1; k < size; k++) {
      rows[k - 1] = rows[k]
      for (let j = 0; j < p; j++) L[(k - 1) * capacity + j] = L[k * capacity + j]
      for (let j = p + 1; j < k; j++) L[(k - 1) * capacity + j - 1] = L[k * capacity + j]
      D[k - 1] = D[k]
      column[k - 1] = column[k]
    }
    this.size = size - 1
    // L D Lᵀ of the rows below, plus alpha column columnᵀ
    for (let k = p; k < size - 1; k++) {
      const part = column[k]
      const next = D[k] + alpha * part * part
      const beta = (alpha * part) / next
      alpha *= D[k] / next
      D[k] = next
      for (let r = k + 1; r < size - 1; r++) {
        column[r] -= part * L[r * capacity + k]
        L[r * capacity + k] += beta * column[r]
      }
    }
  }

  /** x := (L D Lᵀ)⁻¹ rhs, both in the order of `rows`. */
  solve(rhs: Float64Array, x: Float64Array): void {
    const { size, L, D, capacity } = this
    addWork(size, size, 1)
    for (let k = 0; k < size; k++) {
      let sum = rhs[k]
      for (let j = 0; j < k; j++) sum -= L[k * capacity + j] * x[j]
      x[k] = sum
    }
    for (let k = 0; k < size; k++) x[k] /= D[k]
    for (let k = size - 1; k >= 0; k--) {
      const value = x[k]
      for (let j = 0; j < k; j++) x[j] -= L[k * capacity + j] * value
    }
  }
}

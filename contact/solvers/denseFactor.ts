/**
 * Dense factorisations in place, for matrices that stand row-major in the first m * m entries. None allocates; what is singular is
 * said, not thrown.
 */

/**
 * M := L U with exchange of rows, L's unit diagonal left out.
 *
 * @param order out: m, row k of L U was row order[k] of M
 * @returns false if a pivot is smaller than `tolerance` times the largest one before it; then M is of no use any more
 */
export function factorRows(m: number, M: Float64Array, order: Int32Array, tolerance: number): boolean {
  let largest = 0
  for (let i = 0; i < m; i++) order[i] = i
  for (let k = 0; k < m; k++) {
    let best = k
    for (let i = k + 1; i < m; i++) if (Math.abs(M[i * m + k]) > Math.abs(M[best * m + k])) best = i
    if (best !== k) exchangeRows(m, M, order, best, k)
    const size = Math.abs(M[k * m + k])
    if (size > largest) largest = size
    if (!(size > tolerance * largest)) return false
    eliminate(m, M, k)
  }
  return true
}

/** x := M⁻¹ r for the M that `factorRows` was given. r is only read. */
export function solveRows(m: number, M: Float64Array, order: Int32Array, r: Float64Array, x: Float64Array): void {
  for (let k = 0; k < m; k++) {
    let sum = r[order[k]]
    for (let j = 0; j < k; j++) sum -= M[k * m + j] * x[j]
    x[k] = sum
  }
  for (let k = m - 1; k >= 0; k--) {
    let sum = x[k]
    for (let j = k + 1; j < m; j++) sum -= M[k * m + j] * x[j]
    x[k] = sum / M[k * m + k]
  }
}

/**
 * M := L U with exchange of rows and columns, the largest entry that is left being the next pivot, until it is smaller than
 * `tolerance` times the first.
 *
 * @param rows, columns out: m, entry (k, l) of L U was entry (rows[k], columns[l]) of M
 * @returns the rank
 */
export function factorFully(m: number, M: Float64Array, rows: Int32Array, columns: Int32Array, tolerance: number): number {
  let least = 0
  for (let i = 0; i < m; i++) {
    rows[i] = i
    columns[i] = i
  }
  for (let k = 0; k < m; k++) {
    let row = k
    let column = k
    let size = 0
    for (let i = k; i < m; i++) {
      for (let j = k; j < m; j++) {
        const entry = Math.abs(M[i * m + j])
        if (entry <= size) continue
        size = entry
        row = i
        column = j
      }
    }
    if (!(size > least)) return k
    if (k === 0) least = tolerance * size
    if (row !== k) exchangeRows(m, M, rows, row, k)
    if (column !== k) {
      for (let i = 0; i < m; i++) {
        const swap = M[i * m + k]
        M[i * m + k] = M[i * m + column]
        M[i * m + column] = swap
      }
      const swap = columns[k]
      columns[k] = columns[column]
      columns[column] = swap
    }
    eliminate(m, M, k)
  }
  return m
}

/**
 * x := a solution of M x = r for the M that `factorFully` was given; unknowns beyond the rank are 0, equations beyond it are not
 * looked at.
 *
 * @param scratch m
 */
export function solveFully(
  m: number,
  rank: number,
  M: Float64Array,
  rows: Int32Array,
  columns: Int32Array,
  r: Float64Array,
  x: Float64Array,
  scratch: Float64Array,
): void {
  for (let k = 0; k < rank; k++) {
    let sum = r[rows[k]]
    for (let j = 0; j < k; j++) sum -= M[k * m + j] * scratch[j]
    scratch[k] = sum
  }
  for (let k = rank; k < m; k++) scratch[k] = 0
  for (let k = rank - 1; k >= 0; k--) {
    let sum = scratch[k]
    for (let j = k + 1; j < rank; j++) sum -= M[k * m + j] * scratch[j]
    scratch[k] = sum / M[k * m + k]
  }
  for (let k = 0; k < m; k++) x[columns[k]] = scratch[k]
}

/** Lower triangle of M := L, M = L Lᵀ; the upper one is not read. False if M is not positive definite. */
export function factorCholesky(m: number, M: Float64Array): boolean {
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < i; j++) {
      let sum = M[i * m + j]
      for (let k = 0; k < j; k++) sum -= M[i * m + k] * M[j * m + k]
      M[i * m + j] = sum / M[j * m + j]
    }
    let sum = M[i * m + i]
    for (let k = 0; k < i; k++) sum -= M[i * m + k] * M[i * m + k]
    if (!(sum > 0)) return false
    M[i * m + i] = Math.sqrt(sum)
  }
  return true
}

/** x := M⁻¹ x for the M that `factorCholesky` was given. */
export function solveCholesky(m: number, L: Float64Array, x: Float64Array): void {
  for (let i = 0; i < m; i++) {
    let sum = x[i]
    for (let k = 0; k < i; k++) sum -= L[i * m + k] * x[k]
    x[i] = sum / L[i * m + i]
  }
  for (let i = m - 1; i >= 0; i--) {
    let sum = x[i]
    for (let k = i + 1; k < m; k++) sum -= L[k * m + i] * x[k]
    x[i] = sum / L[i * m + i]
  }
}

function exchangeRows(m: number, M: Float64Array, order: Int32Array, a: number, b: number): void {
  for (let j = 0; j < m; j++) {
    const swap = M[a * m + j]
    M[a * m + j] = M[b * m + j]
    M[b * m + j] = swap
  }
  const swap = order[a]
  order[a] = order[b]
  order[b] = swap
}

/** Column k of L, and what is left of the rows below k. */
function eliminate(m: number, M: Float64Array, k: number): void {
  const inverse = 1 / M[k * m + k]
  for (let i = k + 1; i < m; i++) {
    const factor = M[i * m + k] * inverse
    M[i * m + k] = factor
    if (factor === 0) continue
    for (let j = k + 1; j < m; j++) M[i * m + j] -= factor * M[k * m + j]
  }
}

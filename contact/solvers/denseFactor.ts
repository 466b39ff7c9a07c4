import { addWork } from '../../dynamics/math/index.ts'

/*
 * Dense linear systems in place, for row-major matrices in the first m * m entries (Golub and Van Loan, Matrix Computations, 2013, chapters
 * 3 and 4). Nothing is allocated; singularity is returned, not thrown. All update the remaining matrix row by row: unlike sums, these
 * updates do not wait for each other.
 *
 *   factorRows, solveRows            L U, rows exchanged: any regular matrix, several right-hand sides
 *   eliminateRows                    the same for one right-hand side, which saves the lower triangle
 *   factorFully, solveFully          L U, rows and columns exchanged: any matrix, and its rank
 *   factorSymmetric, solveSymmetric  Uᵀ D U of a positive definite matrix, at half the cost
 */

/**
 * M := L U with exchange of rows, L's unit diagonal left out.
 *
 * @param order     out: m, row k of L U was row order[k] of M
 * @param tolerance a pivot of no more than this share of M's largest entry counts as zero; a constant, for variable ones are boxed
 * @returns the sign of M's determinant: 0 if M is singular, whose content is then undefined
 */
export function factorRows(m: number, M: Float64Array, order: Int32Array, tolerance: number): number {
  addWork(m, m, (m >> 1) + 1)
  let sign = 1
  let least = 0
  for (let k = 0; k < m * m; k++) if (Math.abs(M[k]) > least) least = Math.abs(M[k])
  least *= tolerance
  for (let i = 0; i < m; i++) order[i] = i
  for (let k = 0; k < m; k++) {
    let best = k
    for (let i = k + 1; i < m; i++) if (Math.abs(M[i * m + k]) > Math.abs(M[best * m + k])) best = i
    if (best !== k) {
      exchangeRows(m, M, order, best, k)
      sign = -sign
    }
    if (!(Math.abs(M[k * m + k]) > least)) return 0
    if (M[k * m + k] < 0) sign = -sign
    eliminate(m, M, k)
  }
  return sign
}

/** x := M⁻¹ r for the M of `factorRows`. r is only read. */
export function solveRows(m: number, M: Float64Array, order: Int32Array, r: Float64Array, x: Float64Array): void {
  addWork(m, m, 1)
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
 * x := M⁻¹ x by elimination with exchange of rows; M is destroyed.
 *
 * @returns the sign of M's determinant: 0 if M is exactly singular, x then being undefined
 */
export function eliminateRows(m: number, M: Float64Array, x: Float64Array): number {
  addWork(m, m, (m >> 1) + 1)
  let sign = 1
  for (let k = 0; k < m; k++) {
    let best = k
    for (let i = k + 1; i < m; i++) if (Math.abs(M[i * m + k]) > Math.abs(M[best * m + k])) best = i
    if (!(Math.abs(M[best * m + k]) > 0)) return 0
    const pivot = k * m
    if (best !== k) {
      sign = -sign
      for (let j = k; j < m; j++) {
        const swap = M[pivot + j]
        M[pivot + j] = M[best * m + j]
        M[best * m + j] = swap
      }
      const swap = x[k]
      x[k] = x[best]
      x[best] = swap
    }
    if (M[pivot + k] < 0) sign = -sign
    const inverse = 1 / M[pivot + k]
    const xk = x[k]
    for (let i = k + 1; i < m; i++) {
      const row = i * m
      const factor = M[row + k] * inverse
      if (factor === 0) continue
      for (let j = k + 1; j < m; j++) M[row + j] -= factor * M[pivot + j]
      x[i] -= factor * xk
    }
  }
  for (let k = m - 1; k >= 0; k--) {
    let sum = x[k]
    for (let j = k + 1; j < m; j++) sum -= M[k * m + j] * x[j]
    x[k] = sum / M[k * m + k]
  }
  return sign
}

/**
 * M := L U with exchange of rows and columns, the largest remaining entry being the next pivot, until it is smaller than `tolerance` times
 * the first.
 *
 * @param rows, columns out: m, entry (k, l) of L U was entry (rows[k], columns[l]) of M
 * @returns the rank
 */
export function factorFully(m: number, M: Float64Array, rows: Int32Array, columns: Int32Array, tolerance: number): number {
  addWork(m, m, m)
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
 * x := a solution of M x = r for the M of `factorFully`; unknowns beyond the rank are 0, equations beyond it are ignored.
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
  addWork(m, m, 1)
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

/**
 * Upper triangle of M := D U, M = Uᵀ D U with U's unit diagonal left out and 1 / D in its place; the lower triangle is not read. Rows are
 * eliminated from the rest four at a time: each entry is then loaded and stored once for four of them.
 *
 * @returns false if M is not positive definite, whose content is then undefined
 */
export function factorSymmetric(m: number, M: Float64Array): boolean {
  addWork(m, m, (m >> 3) + 1)
  let k = 0
  for (; k + 4 <= m; k += 4) {
    const r0 = k * m
    const r1 = r0 + m
    const r2 = r1 + m
    const r3 = r2 + m
    if (!takeOutOfBlock(m, M, k, k + 4)) return false
    const d0 = M[r0 + k]
    const d1 = M[r1 + k + 1]
    const d2 = M[r2 + k + 2]
    const d3 = M[r3 + k + 3]
    for (let i = k + 4; i < m; i++) {
      const f0 = M[r0 + i] * d0
      const f1 = M[r1 + i] * d1
      const f2 = M[r2 + i] * d2
      const f3 = M[r3 + i] * d3
      const row = i * m
      for (let j = i; j < m; j++) M[row + j] -= f0 * M[r0 + j] + f1 * M[r1 + j] + (f2 * M[r2 + j] + f3 * M[r3 + j])
    }
  }
  return takeOutOfBlock(m, M, k, m)
}

/** Eliminates rows from `begin` to `end` among themselves, and inverts their pivots; false if one is not positive. */
function takeOutOfBlock(m: number, M: Float64Array, begin: number, end: number): boolean {
  for (let k = begin; k < end; k++) {
    const pivot = k * m
    if (!(M[pivot + k] > 0)) return false
    const inverse = 1 / M[pivot + k]
    for (let i = k + 1; i < end; i++) {
      const factor = M[pivot + i] * inverse
      const row = i * m
      for (let j = i; j < m; j++) M[row + j] -= factor * M[pivot + j]
    }
    M[pivot + k] = inverse
  }
  return true
}

/** x := M⁻¹ x for the M of `factorSymmetric`. */
export function solveSymmetric(m: number, M: Float64Array, x: Float64Array): void {
  addWork(m, m, 1)
  for (let k = 0; k < m; k++) {
    const pivot = k * m
    const value = x[k] * M[pivot + k]
    for (let i = k + 1; i < m; i++) x[i] -= M[pivot + i] * value
    x[k] = value
  }
  // x holds D⁻¹ U⁻ᵀ x now, and rows of M are those of D U
  for (let k = m - 1; k >= 0; k--) {
    const pivot = k * m
    let sum = 0
    for (let j = k + 1; j < m; j++) sum += M[pivot + j] * x[j]
    x[k] -= sum * M[pivot + k]
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

/** Column k of L, and the update of the rows below k. */
function eliminate(m: number, M: Float64Array, k: number): void {
  const inverse = 1 / M[k * m + k]
  for (let i = k + 1; i < m; i++) {
    const factor = M[i * m + k] * inverse
    M[i * m + k] = factor
    if (factor === 0) continue
    for (let j = k + 1; j < m; j++) M[i * m + j] -= factor * M[k * m + j]
  }
}

import { addWork } from '../../dynamics/math/index.ts'

/** Ratio of the largest entries of rows, or of columns, above which a matrix is scaled. */
const SPREAD = 1e4
/** Passes; each takes the square root of the remaining ratio: from 36 decimal places to at most a factor of two in seven. */
const PASSES = 10

let rows = new Float64Array(0)
let columns = new Float64Array(0)
const number = new Float64Array(1)
const bits = new Uint32Array(number.buffer)
/** Index of the half of a double that contains its exponent. */
number[0] = 1
const HIGH = bits[1] === 0 ? 0 : 1

/**
 * Positive diagonal R and C such that the largest entry of each row and column of R A C is about 1: Ruiz, A scaling algorithm to
 * equilibrate both rows and columns norms in matrices, RAL-TR-2001-034. For a symmetric A, R = C. All are powers of two.
 *
 * @param R, C out: n; all 1 if the largest entries of rows, and of columns, are already within a factor of 1e4, or not finite
 * @returns whether they are all 1
 */
export function findUnits(n: number, A: Float64Array, R: Float64Array, C: Float64Array): boolean {
  if (n > rows.length) {
    rows = new Float64Array(2 * n)
    columns = new Float64Array(2 * n)
  }
  R.fill(1, 0, n)
  C.fill(1, 0, n)
  if (!findLargest(n, A, R, C) || (isEven(n, rows) && isEven(n, columns))) return true
  for (let pass = 0; pass < PASSES; pass++) {
    for (let i = 0; i < n; i++) {
      if (rows[i] > 0) R[i] /= Math.sqrt(rows[i])
      if (columns[i] > 0) C[i] /= Math.sqrt(columns[i])
    }
    findLargest(n, A, R, C)
  }
  for (let i = 0; i < n; i++) {
    toPowerOfTwo(R, i)
    toPowerOfTwo(C, i)
  }
  return false
}

/** rows and columns := the largest |R_i A_ij C_j| of each. @returns whether all are finite */
function findLargest(n: number, A: Float64Array, R: Float64Array, C: Float64Array): boolean {
  addWork(n, n, 2)
  columns.fill(0, 0, n)
  let zero = 0 // NaN if anything is not finite
  for (let i = 0; i < n; i++) {
    let most = 0
    for (let j = 0; j < n; j++) {
      const size = Math.abs(R[i] * A[i * n + j] * C[j])
      zero += size * 0
      if (size > most) most = size
      if (size > columns[j]) columns[j] = size
    }
    rows[i] = most
  }
  return zero === 0
}

/** Whether sizes are within a factor SPREAD of each other; zeros are ignored. */
function isEven(n: number, sizes: Float64Array): boolean {
  let least = Number.POSITIVE_INFINITY
  let most = 0
  for (let i = 0; i < n; i++) {
    if (sizes[i] > most) most = sizes[i]
    if (sizes[i] > 0 && sizes[i] < least) least = sizes[i]
  }
  return most <= SPREAD * least
}

/** x[i] := the greatest power of two not above x[i]. */
function toPowerOfTwo(x: Float64Array, i: number): void {
  number[0] = x[i]
  bits[HIGH] &= 0x7ff00000
  bits[1 - HIGH] = 0
  x[i] = number[0]
}

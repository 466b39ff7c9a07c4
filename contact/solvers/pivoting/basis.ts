import { DenseLU } from '../denseLU.ts'

/** Pivots below this fraction of the matrix's largest entry count as zero: the basis is singular. */
const SINGULAR = 1e-13

/**
 * The solution z for one complementary basis of the given problem: A z + b = 0 in the rows of the basis, z = 0 in the others. Gaussian
 * elimination with row pivoting and one step of iterative refinement, without the errors that many pivots accumulate.
 *
 * The workspace grows with n; otherwise nothing is allocated.
 */
export class Basis {
  /** Number of unknowns in the last basis, and their indices, rising. */
  size = 0
  rows = new Int32Array(0)
  private readonly lu = new DenseLU()
  private x = new Float64Array(0)
  private rhs = new Float64Array(0)

  reserve(n: number): void {
    if (n <= this.rows.length) return
    this.rows = new Int32Array(n)
    this.lu.reserve(n)
    this.x = new Float64Array(n)
    this.rhs = new Float64Array(n)
  }

  /**
   * @param A  n x n, row-major in the first entries; only read
   * @param b  n
   * @param is n: 1 where z is in the basis
   * @param z  out: n
   * @returns false, with z unchanged, if the basis is singular
   */
  solve(n: number, A: Float64Array, b: Float64Array, is: Uint8Array, z: Float64Array): boolean {
    const { rows, lu, rhs, x } = this
    const { LU } = lu
    let m = 0
    for (let i = 0; i < n; i++) if (is[i] === 1) rows[m++] = i
    this.size = m
    for (let i = 0; i < m; i++) for (let j = 0; j < m; j++) LU[i * m + j] = A[rows[i] * n + rows[j]]
    if (lu.factor(m, SINGULAR) === 0) return false
    for (let i = 0; i < m; i++) rhs[i] = -b[rows[i]]
    lu.solve(rhs, x)
    z.fill(0, 0, n)
    for (let i = 0; i < m; i++) z[rows[i]] = x[i]
    for (let i = 0; i < m; i++) {
      const row = rows[i] * n
      let sum = -b[rows[i]]
      for (let j = 0; j < m; j++) sum -= A[row + rows[j]] * z[rows[j]]
      rhs[i] = sum
    }
    lu.solve(rhs, x)
    for (let i = 0; i < m; i++) z[rows[i]] += x[i]
    return true
  }
}

/**
 * The complementary basis of a guess: its positive unknowns. An unknown with zero diagonal entry, coupled to none of them, cannot be in a
 * basis alone; it brings in the coupled unknown whose w is least by the guess. For a friction pyramid without load that is the side along
 * the slip, with the slip itself.
 *
 * @param is out: n, 1 if z is in the basis
 * @returns whether there is any
 */
export function suggestBasis(n: number, A: Float64Array, b: Float64Array, guess: Float64Array, is: Uint8Array): boolean {
  let any = false
  for (let i = 0; i < n; i++) {
    is[i] = guess[i] > 0 ? 1 : 0
    if (is[i] === 1) any = true
  }
  if (!any) return false
  for (let i = 0; i < n; i++) {
    if (is[i] === 0 || A[i * n + i] !== 0) continue
    let partner = -1
    let least = Number.POSITIVE_INFINITY
    for (let j = 0; j < n; j++) {
      if (A[i * n + j] === 0 || A[j * n + i] === 0) continue
      if (is[j] === 1) {
        partner = -1
        break
      }
      let w = b[j]
      for (let k = 0; k < n; k++) w += A[j * n + k] * guess[k]
      if (w >= least) continue
      least = w
      partner = j
    }
    if (partner >= 0) is[partner] = 1
  }
  return true
}

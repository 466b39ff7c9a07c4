/**
 * How a solve ended.
 * `solved`: the answer holds, checked against the problem as it was given.
 * `ray`: a driving variable could grow for ever; for some classes of matrix (positive semidefinite, copositive-plus) this
 * proves that there is no answer, for others it does not.
 * `limit`: the cap on iterations was reached. `residual`: an end was reached, but its answer does not hold.
 * `not-applicable`: the method is not made for such a problem, and has not tried.
 */
export type SolverStatus = 'solved' | 'ray' | 'limit' | 'residual' | 'not-applicable'

/**
 * A solver of the mixed linear complementarity problem: find z and w = A z + b such that for every i
 *
 *   free[i] = 0:  z_i >= 0, w_i >= 0, z_i w_i = 0;        free[i] = 1:  w_i = 0, z_i of any sign.
 *
 * Its workspace grows when n first exceeds it; otherwise a solve allocates nothing. No solver is random or reads a clock: the
 * same numbers give the same bits.
 */
export interface ComplementaritySolver {
  readonly name: string
  /** The answer, its first n entries; meaningful only after `solved`. */
  readonly z: Float64Array
  /** A z + b for that z. */
  readonly w: Float64Array
  /** Pivots, sweeps or Newton steps of the last solve. */
  readonly iterations: number
  /** 1: what `complementarityResidual` says of z. */
  readonly residual: Float64Array
  /**
   * @param n     number of unknowns
   * @param A     n x n, row-major in the first n * n entries; only read
   * @param b     n
   * @param free  n: 1 where z is free of sign and w is to be zero
   * @param start n: a guess of z, all zero if nothing is known. A good one saves time; none changes what counts as an answer
   * @throws RangeError if an array is shorter than said
   */
  solve(n: number, A: Float64Array, b: Float64Array, free: Uint8Array, start: Float64Array): SolverStatus
}

/** @throws RangeError naming the array that is too short for n unknowns */
export function checkComplementarity(
  name: string,
  n: number,
  A: Float64Array,
  b: Float64Array,
  free: Uint8Array,
  start: Float64Array,
): void {
  if (A.length >= n * n && b.length >= n && free.length >= n && start.length >= n) return
  throw new RangeError(
    `${name}: A has ${A.length}, b ${b.length}, free ${free.length} and start ${start.length} entries; ` +
      `${n} unknowns need at least ${n * n}, ${n}, ${n} and ${n}`,
  )
}

/**
 * w := A z + b, and residual[0] := the largest violation of any row: |min(z_i, w_i)|, or |w_i| of a free one; relative to the largest of
 * the terms that A z + b sums, or of the z that are not free. Infinity if anything is not finite. Independent of the scale of
 * b; for units of z and w that differ, scale A so that its diagonal is about 1.
 */
export function complementarityResidual(
  n: number,
  A: Float64Array,
  b: Float64Array,
  free: Uint8Array,
  z: Float64Array,
  w: Float64Array,
  residual: Float64Array,
): void {
  let worst = 0
  let size = 0
  let finite = true
  for (let i = 0; i < n; i++) {
    let sum = b[i]
    if (Math.abs(b[i]) > size) size = Math.abs(b[i])
    for (let j = 0; j < n; j++) {
      const term = A[i * n + j] * z[j]
      sum += term
      if (Math.abs(term) > size) size = Math.abs(term)
    }
    w[i] = sum
    if (!Number.isFinite(sum) || !Number.isFinite(z[i])) finite = false
    const off = free[i] === 1 ? Math.abs(sum) : Math.abs(z[i] < sum ? z[i] : sum)
    if (off > worst) worst = off
    if (free[i] === 0 && Math.abs(z[i]) > size) size = Math.abs(z[i])
  }
  residual[0] = !finite ? Number.POSITIVE_INFINITY : size > 0 ? worst / size : 0
}

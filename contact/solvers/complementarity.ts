import { addWork } from '../../dynamics/math/index.ts'
import { findUnits } from './units.ts'

/**
 * Outcome of a solve. `solved`: the solution satisfies the given problem. `ray`: a driving variable can grow without bound; for some
 * classes of matrix (positive semidefinite, copositive-plus) this proves that there is no solution. `limit`: the most iterations were
 * reached. `residual`: the method ended, but its result is not a solution. `not-applicable`: the method does not apply to such a problem,
 * and was not tried.
 */
export type SolverStatus = 'solved' | 'ray' | 'limit' | 'residual' | 'not-applicable'

/**
 * A solver of the mixed linear complementarity problem: find z and w = A z + b such that for every i
 *
 *   free[i] = 0:  z_i >= 0, w_i >= 0, z_i w_i = 0;        free[i] = 1:  w_i = 0, z_i of any sign.
 *
 * Its workspace grows when n first exceeds it; otherwise a solve allocates nothing. Solvers are deterministic: the same numbers give the
 * same bits.
 */
export interface ComplementaritySolver {
  readonly name: string
  /** The solution, its first n entries; meaningful only after `solved`. */
  readonly z: Float64Array
  /** A z + b for that z. */
  readonly w: Float64Array
  /** Pivots, sweeps or Newton steps of the last solve. */
  readonly iterations: number
  /** 1: `complementarityResidual` of z. */
  readonly residual: Float64Array
  /**
   * @param n     number of unknowns
   * @param A     n x n, row-major in the first n * n entries; only read
   * @param b     n
   * @param free  n: 1 where z is free of sign and w is to be zero
   * @param start n: a guess of z, all zero if unknown; it affects only the time
   * @throws RangeError if an array is too short
   */
  solve(n: number, A: Float64Array, b: Float64Array, free: Uint8Array, start: Float64Array): SolverStatus
}

/** @unchecked @throws RangeError naming the array that is too short for n unknowns */
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
 * Rounding errors grow with the summed terms, so large terms permit a larger violation, but at most this multiple of that for terms of the
 * size of the right-hand side. Without this bound a problem without solution seems to have one, far out, where opposite impulses of 10^14
 * exceed every violation.
 */
export const MOST_EXCUSE = 100

/** Multiple of a row's own largest term that bounds its divisor, so that large rows do not permit violations of small ones. */
const MOST_OF_OWN = 1e3
/**
 * Violations below this fraction of the largest term A_ij z_j are rounding in other rows. b is computed too, from numbers of that size: a
 * rolling ball slips by 1e-13 of its speed.
 */
const ROUNDING = 2 ** -36

/** Scratch of `complementarityResidual`: units; and per row the divisor of violations and the bound of rounding. */
let R = new Float64Array(0)
let C = new Float64Array(0)
let sizes = new Float64Array(0)
let noises = new Float64Array(0)

/**
 * w := A z + b, and residual[0] := residual of z: the largest violation of any row, divided by the least of: the largest term of A z + b;
 * 100 times the largest |b_i|; 1000 times the largest term of its own row. The criterion of all solvers: z is a solution to a tolerance if
 * the residual does not exceed it; then no row is violated by more than 100 times the tolerance of the largest
 * |b_i|, whatever z, nor by more than 1000 times the tolerance of its own largest term, unless that is rounding. @unchecked
 *
 * A row's violation is |w_i| if z_i is free, else -w_i; if both z_i and w_i are positive it is the lesser of w_i and the most that z_i adds
 * to a row, over that row's divisor (z_i itself if it adds nothing), so that a numerically small z_i cannot hide such a pair. The residual
 * depends neither on the units of b and z nor on those of single rows and columns: rows are compared in the units of `findUnits`.
 *
 * Infinity if anything is not finite, or if b = 0 and z is not an exact solution such as z = 0.
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
  addWork(n, n, 2)
  if (n > sizes.length) {
    R = new Float64Array(2 * n)
    C = new Float64Array(2 * n)
    sizes = new Float64Array(2 * n)
    noises = new Float64Array(2 * n)
  }
  findUnits(n, A, R, C)
  let given = 0
  let largest = 0
  let terms = 0
  let finite = true
  for (let i = 0; i < n; i++) {
    let sum = b[i]
    let size = 0
    if (R[i] * Math.abs(sum) > given) given = R[i] * Math.abs(sum)
    for (let j = 0; j < n; j++) {
      const term = A[i * n + j] * z[j]
      sum += term
      if (Math.abs(term) > size) size = Math.abs(term)
    }
    w[i] = sum
    if (R[i] * size > terms) terms = R[i] * size
    sizes[i] = Math.abs(b[i]) > size ? Math.abs(b[i]) : size
    if (R[i] * sizes[i] > largest) largest = R[i] * sizes[i]
    if (!Number.isFinite(sum) || !Number.isFinite(z[i])) finite = false
  }
  const size = largest > MOST_EXCUSE * given ? MOST_EXCUSE * given : largest
  for (let i = 0; i < n; i++) {
    const own = MOST_OF_OWN * sizes[i]
    noises[i] = (ROUNDING * terms) / R[i]
    sizes[i] = own < size / R[i] ? own : size / R[i]
  }
  let worst = 0
  for (let i = 0; i < n; i++) {
    const off = free[i] === 1 ? Math.abs(w[i]) : -w[i]
    const share = off > 0 ? off / (off <= noises[i] ? size / R[i] : sizes[i]) : 0
    if (share > worst) worst = share
  }
  for (let i = 0; i < n; i++) {
    const zi = z[i]
    if (zi === 0 || free[i] === 1) continue
    const own = w[i] / (w[i] <= noises[i] ? size / R[i] : sizes[i])
    // z > 0 with a w no worse than the worst so far
    if (zi > 0 && own <= worst) continue
    let effect = 0
    let acts = false
    for (let j = 0; j < n; j++) {
      if (A[j * n + i] === 0) continue
      acts = true
      const added = Math.abs(A[j * n + i] * zi)
      const share = added / (added <= noises[j] ? size / R[j] : sizes[j])
      if (share > effect) effect = share
    }
    if (!acts) effect = Math.abs(zi) / (size / R[i])
    const off = zi < 0 || effect < own ? effect : own
    if (off > worst) worst = off
  }
  residual[0] = finite ? worst : Number.POSITIVE_INFINITY
}

/**
 * Cheap necessary tests for a symmetric positive semidefinite A: |A_ij - A_ji| within rounding, no negative diagonal entry, no entry above
 * the root of its two diagonal ones. @unchecked
 */
export function looksSemidefinite(n: number, A: Float64Array): boolean {
  let largest = 0
  for (let i = 0; i < n; i++) {
    if (A[i * n + i] < 0 && -A[i * n + i] > largest) largest = -A[i * n + i]
    else if (A[i * n + i] > largest) largest = A[i * n + i]
  }
  const least = 1e-10 * largest
  for (let i = 0; i < n; i++) {
    const aii = A[i * n + i]
    if (aii < -least) return false
    for (let j = 0; j < i; j++) {
      const aij = A[i * n + j]
      const bound = Math.sqrt(Math.max(0, aii * A[j * n + j]))
      if (Math.abs(aij - A[j * n + i]) > 1e-6 * bound + least) return false
      if (Math.abs(aij) > bound * (1 + 1e-6) + least) return false
    }
  }
  return true
}

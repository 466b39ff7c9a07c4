import { Balance } from './balance.ts'
import { Bilateral } from './bilateral.ts'
import {
  type ComplementaritySolver,
  checkComplementarity,
  complementarityResidual,
  type SolverStatus,
} from './complementarity.ts'
import { Basis } from './pivoting/basis.ts'

/**
 * Base of the solvers for problems without free unknowns: eliminates free ones first; recomputes an inaccurate solution from its basis in
 * the given problem; and returns `solved` only if the result satisfies the whole problem.
 */
export abstract class UnilateralSolver implements ComplementaritySolver {
  abstract readonly name: string
  z = new Float64Array(0)
  w = new Float64Array(0)
  iterations = 0
  readonly residual = new Float64Array(1)
  protected readonly tolerance: number
  private readonly bilateral = new Bilateral()
  private readonly balance = new Balance()
  protected readonly basis = new Basis()
  /** z of the unknowns that are not free; and 1 if z is in the basis, for the whole problem. */
  private zu = new Float64Array(0)
  private shown = new Uint8Array(0)
  /** Zeros: `free` of a problem without free unknowns. */
  protected nothingFree = new Uint8Array(0)
  /** Whether w and residual belong to the present z, and z is a solution. */
  private known = false
  private wu = new Float64Array(0)
  private readonly residualU = new Float64Array(1)

  /** @param tolerance largest `residual` that counts as solved */
  constructor(tolerance = 1e-9) {
    this.tolerance = tolerance
  }

  solve(n: number, A: Float64Array, b: Float64Array, free: Uint8Array, start: Float64Array): SolverStatus {
    checkComplementarity(this.name, n, A, b, free, start)
    this.reserve(n)
    this.iterations = 0
    const freeCount = this.lookAtZero(n, b, free)
    if (!allFinite(n, A, b)) {
      this.residual[0] = Number.POSITIVE_INFINITY
      return 'residual'
    }
    if (this.residual[0] === 0) return 'solved'
    let status: SolverStatus
    this.known = false
    if (freeCount === 0) status = this.solveBalanced(n, A, b, start, this.z)
    else {
      const { bilateral, zu } = this
      if (!bilateral.eliminate(n, A, b, free, start)) return 'not-applicable'
      zu.fill(0, 0, bilateral.count)
      status = this.solveBalanced(bilateral.count, bilateral.A, bilateral.b, bilateral.start, zu)
      bilateral.expand(zu, this.z)
    }
    if (status === 'not-applicable' || (status === 'solved' && this.known)) return status
    // a solution counts, whatever the method's status
    if (this.holds(n, A, b, free)) return 'solved'
    if (status !== 'solved') return status
    return this.refine(n, A, b, free) ? 'solved' : 'residual'
  }

  /** `solveUnilateral` in units with diagonal entries 1, if the given ones differ by orders of magnitude. */
  private solveBalanced(n: number, A: Float64Array, b: Float64Array, start: Float64Array, z: Float64Array): SolverStatus {
    const { balance } = this
    if (!balance.isNeeded(n, A)) return this.solveUnilateral(n, A, b, start, z)
    balance.scale(n, A, b, start)
    const status = this.solveUnilateral(n, balance.A, balance.b, balance.start, balance.z)
    balance.unscale(n, z)
    return status
  }

  /** z := 0, w := b and the `complementarityResidual` of z. @returns number of free unknowns */
  private lookAtZero(n: number, b: Float64Array, free: Uint8Array): number {
    const { z, w, residual } = this
    let freeCount = 0
    let worst = 0
    let largest = 0
    for (let i = 0; i < n; i++) {
      z[i] = 0
      w[i] = b[i]
      const size = Math.abs(b[i])
      if (size > largest) largest = size
      if (free[i] === 1) freeCount++
      else if (b[i] >= 0) continue
      if (size > worst) worst = size
    }
    residual[0] = largest > 0 ? worst / largest : 0
    return freeCount
  }

  /** Reserves space for n unknowns and some more, so that slowly growing problems do not allocate each time. */
  reserve(n: number): void {
    if (n <= this.z.length) return
    const room = Math.max(n, Math.ceil(1.5 * this.z.length))
    this.z = new Float64Array(room)
    this.w = new Float64Array(room)
    this.zu = new Float64Array(room)
    this.shown = new Uint8Array(room)
    this.nothingFree = new Uint8Array(room)
    this.wu = new Float64Array(room)
    this.bilateral.reserve(room)
    this.balance.reserve(room)
    this.basis.reserve(room)
    this.reserveUnilateral(room)
  }

  protected abstract reserveUnilateral(n: number): void

  /**
   * Solves the problem without free unknowns; all numbers are finite.
   *
   * @param z out: n, in: 0; the solution if `solved`, else the best point
   */
  protected abstract solveUnilateral(
    n: number,
    A: Float64Array,
    b: Float64Array,
    start: Float64Array,
    z: Float64Array,
  ): SolverStatus

  /** Clamps z < 0 to 0. @returns whether z solves a problem without free unknowns */
  protected isAnswer(n: number, A: Float64Array, b: Float64Array, z: Float64Array): boolean {
    const { wu, residualU, nothingFree } = this
    if (z === this.z) {
      // the whole problem: its residual is already known
      this.known = this.holds(n, A, b, nothingFree)
      return this.known
    }
    for (let i = 0; i < n; i++) if (z[i] < 0) z[i] = 0
    complementarityResidual(n, A, b, nothingFree, z, wu, residualU)
    return residualU[0] <= this.tolerance
  }

  /** Clamps z < 0 to 0, and sets w and residual. @returns whether z is a solution */
  private holds(n: number, A: Float64Array, b: Float64Array, free: Uint8Array): boolean {
    const { z, w, residual } = this
    for (let i = 0; i < n; i++) if (free[i] === 0 && z[i] < 0) z[i] = 0
    complementarityResidual(n, A, b, free, z, w, residual)
    return residual[0] <= this.tolerance
  }

  /** Recomputes z from its own basis in the given problem. */
  private refine(n: number, A: Float64Array, b: Float64Array, free: Uint8Array): boolean {
    const { z, shown } = this
    for (let i = 0; i < n; i++) shown[i] = free[i] === 1 || z[i] > 0 ? 1 : 0
    return this.basis.solve(n, A, b, shown, z) && this.holds(n, A, b, free)
  }
}

function allFinite(n: number, A: Float64Array, b: Float64Array): boolean {
  for (let i = 0; i < n; i++) if (!Number.isFinite(b[i])) return false
  for (let k = 0; k < n * n; k++) if (!Number.isFinite(A[k])) return false
  return true
}

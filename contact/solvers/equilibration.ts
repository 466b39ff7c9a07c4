import { addWork } from '../../dynamics/math/index.ts'
import { type ComplementaritySolver, complementarityResidual, type SolverStatus } from './complementarity.ts'
import { findUnits } from './units.ts'

/**
 * A solver for problems whose rows and columns may differ by many orders of magnitude, like masses from milligrams to tons. A problem not
 * solved as given is tried again in the units of `findUnits`, if these differ: A' = R A C, b' = R b, z = C z', with the same solutions.
 * `complementarityResidual` rejects a wrong solution in any units.
 *
 * All units are powers of two, so that scaling has no rounding. The workspace grows with n; otherwise nothing is allocated.
 */
export class Equilibrated implements ComplementaritySolver {
  readonly name: string
  readonly residual = new Float64Array(1)
  private readonly solver: ComplementaritySolver
  private R = new Float64Array(0)
  private C = new Float64Array(0)
  private A = new Float64Array(0)
  private b = new Float64Array(0)
  private start = new Float64Array(0)
  private ownZ = new Float64Array(0)
  private ownW = new Float64Array(0)
  /** Whether the last solution is in other units. */
  private isScaled = false
  /** Iterations of the solve in the given units. */
  private tried = 0

  constructor(solver: ComplementaritySolver) {
    this.name = solver.name
    this.solver = solver
  }

  get z(): Float64Array {
    return this.isScaled ? this.ownZ : this.solver.z
  }

  get w(): Float64Array {
    return this.isScaled ? this.ownW : this.solver.w
  }

  get iterations(): number {
    return this.isScaled ? this.tried + this.solver.iterations : this.solver.iterations
  }

  solve(n: number, A: Float64Array, b: Float64Array, free: Uint8Array, start: Float64Array): SolverStatus {
    const { solver, residual } = this
    this.isScaled = false
    const status = solver.solve(n, A, b, free, start)
    residual[0] = solver.residual[0]
    if (status === 'solved') return status
    this.reserve(n)
    if (findUnits(n, A, this.R, this.C)) return status
    const { R, C, ownZ, ownW } = this
    this.tried = solver.iterations
    this.isScaled = true
    addWork(n, n, 1)
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) this.A[i * n + j] = R[i] * A[i * n + j] * C[j]
      this.b[i] = R[i] * b[i]
      this.start[i] = start[i] / C[i]
    }
    const scaled = solver.solve(n, this.A, this.b, free, this.start)
    for (let i = 0; i < n; i++) ownZ[i] = C[i] * solver.z[i]
    complementarityResidual(n, A, b, free, ownZ, ownW, residual)
    // the status of the given problem may be a proof
    return scaled === 'solved' ? scaled : status
  }

  private reserve(n: number): void {
    if (n <= this.b.length) return
    this.R = new Float64Array(n)
    this.C = new Float64Array(n)
    this.A = new Float64Array(n * n)
    this.b = new Float64Array(n)
    this.start = new Float64Array(n)
    this.ownZ = new Float64Array(n)
    this.ownW = new Float64Array(n)
  }
}

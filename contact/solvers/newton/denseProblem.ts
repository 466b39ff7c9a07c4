import type { ContactProblem } from '../contactProblem.ts'
import type { NewtonProblem } from './newtonProblem.ts'

/**
 * A `NewtonProblem` with its W assembled, for solvers that need it: W = J M⁻¹ Jᵀ + S, a column from each response to a unit impulse.
 * Tangents are rotated so that the first corner of each pyramid, its slip, or the axis of its box lies along the first one. @unchecked
 */
export class DenseProblem implements ContactProblem {
  rowCount = 0
  W = new Float64Array(0)
  rhs = new Float64Array(0)
  groupCount = 0
  first: Int32Array = new Int32Array(1)
  kind: Uint8Array = new Uint8Array(0)
  limit: Float64Array = new Float64Array(0)
  private problem: NewtonProblem | undefined
  private unit = new Float64Array(0)
  private u = new Float64Array(0)

  take(problem: NewtonProblem): void {
    this.open(problem)
    const { W, unit, u, rowCount: n } = this
    for (let c = 0; c < n; c++) {
      unit.fill(0, 0, n)
      unit[c] = 1
      this.turn(unit, -1)
      problem.respond(unit, u)
      this.turn(u, 1)
      for (let r = 0; r < n; r++) W[r * n + c] = u[r]
    }
    this.close(problem)
  }

  /** Copies the groups, and reserves space for W, which the caller then writes. */
  open(problem: NewtonProblem): void {
    const { rowCount: n } = problem
    this.problem = problem
    this.rowCount = n
    this.groupCount = problem.groupCount
    this.first = problem.first
    this.kind = problem.kind
    this.limit = problem.limit
    if (n > this.unit.length) {
      this.W = new Float64Array(n * n)
      this.rhs = new Float64Array(n)
      this.unit = new Float64Array(n)
      this.u = new Float64Array(n)
    }
  }

  /** Adds compliance to W, and copies the right-hand side. */
  close(problem: NewtonProblem): void {
    const { W, rhs, rowCount: n } = this
    // symmetric to the last bit
    for (let r = 0; r < n; r++) {
      for (let c = 0; c < r; c++) {
        W[r * n + c] = 0.5 * (W[r * n + c] + W[c * n + r])
        W[c * n + r] = W[r * n + c]
      }
      W[r * n + r] += problem.soft[r]
      rhs[r] = problem.rhs[r]
    }
    this.turn(rhs, 1)
  }

  /** Rotates the tangents of x, one number a row, into the pyramids' axes (way 1) or out of them (way -1). */
  turn(x: Float64Array, way: number): void {
    const { problem } = this
    if (problem === undefined) return
    const { groupCount, first, corner } = problem
    for (let g = 0; g < groupCount; g++) {
      const r = first[g]
      if (first[g + 1] - r !== 3) continue
      const c = corner[2 * g]
      const s = way * corner[2 * g + 1]
      const x1 = x[r + 1]
      const x2 = x[r + 2]
      x[r + 1] = c * x1 + s * x2
      x[r + 2] = c * x2 - s * x1
    }
  }
}

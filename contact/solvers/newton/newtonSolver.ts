import { addWork } from '../../../dynamics/math/index.ts'
import type { SolverStatus } from '../complementarity.ts'
import type { ContactProblem, ContactSolver, FrictionLaw } from '../contactProblem.ts'
import { contactResidual } from '../contactResidual.ts'
import { DenseLU } from '../denseLU.ts'
import { ContactNewton } from './newton.ts'
import type { NewtonProblem } from './newtonProblem.ts'

/** Fraction of W's diagonal used as compliance: every split of W has the same solution, but zero would cause a division by zero. */
const SOFT_SHARE = 1e-6
const NO_PIVOT = 1e-300
/** Ratio of the terms of W p to `rhs` above which `rhs` is rounded away. */
const MOST_TERMS = 1e12

/** `ContactNewton` for problems with an assembled W: J H⁻¹ Jᵀ = W (I + G W)⁻¹, a dense factorisation of the same size. @unchecked */
export class NewtonSolver implements ContactSolver {
  readonly name = 'newton'
  readonly law: FrictionLaw
  iterations = 0
  /** 1: `contactResidual` of the solution. */
  readonly residual = new Float64Array(1)
  private readonly sides: number
  private readonly tolerance: number
  private readonly tolerances: Float64Array
  private readonly newton: ContactNewton
  private readonly dense = new DenseMaps()
  private u = new Float64Array(0)
  private w = new Float64Array(0)

  constructor(law: FrictionLaw, sides = 4, tolerance = 1e-9) {
    this.law = law
    this.sides = sides
    this.tolerance = tolerance
    this.newton = new ContactNewton(law, sides)
    this.tolerances = Float64Array.of(1e-5 * tolerance, tolerance)
  }

  solve(problem: ContactProblem, p: Float64Array, _mode: Int8Array): SolverStatus {
    const { newton, dense, residual, tolerance } = this
    const { rowCount, groupCount, first } = problem
    if (rowCount > this.w.length) {
      this.u = new Float64Array(2 * rowCount)
      this.w = new Float64Array(2 * rowCount)
    }
    const { w, u } = this
    dense.take(problem)
    // velocities of the guess
    contactResidual(problem, this.law, this.sides, p, u, residual)
    for (let g = 0; g < groupCount; g++) {
      for (let r = first[g]; r < first[g + 1]; r++) w[r] = p[r] - u[r] / dense.scale[g]
    }
    newton.solve(dense, w, p, this.tolerances)
    this.iterations = newton.iterations
    contactResidual(problem, this.law, this.sides, p, u, residual)
    return residual[0] <= tolerance && !this.isRoundedAway(problem, p) ? 'solved' : 'residual'
  }

  /** Whether p is so large that `rhs` is rounded away in W p, and any point would pass as a solution. */
  private isRoundedAway({ rowCount: n, W, rhs }: ContactProblem, p: Float64Array): boolean {
    let terms = 0
    let size = 0
    for (let r = 0; r < n; r++) {
      const term = W[r * n + r] * Math.abs(p[r])
      if (term > terms) terms = term
      if (Math.abs(rhs[r]) > size) size = Math.abs(rhs[r])
    }
    return size > 0 && terms > MOST_TERMS * size
  }
}

/** A `ContactProblem` as a `NewtonProblem`. @unchecked */
export class DenseMaps implements NewtonProblem {
  rowCount = 0
  groupCount = 0
  rhs: Float64Array = new Float64Array(0)
  first: Int32Array = new Int32Array(1)
  kind: Uint8Array = new Uint8Array(0)
  limit: Float64Array = new Float64Array(0)
  soft = new Float64Array(0)
  scale = new Float64Array(0)
  /** Pyramids have their first corner along the first tangent. */
  corner = new Float64Array(0)
  springs: Float64Array | undefined
  private W: Float64Array = new Float64Array(0)
  /** I + G W. */
  private readonly lu = new DenseLU()
  private y = new Float64Array(0)

  /** @param like a problem with the same groups, whose scale and compliance, already contained in W, are used */
  take(problem: ContactProblem, like?: NewtonProblem): void {
    const { rowCount: n, groupCount, first, W } = problem
    this.rowCount = n
    this.groupCount = groupCount
    this.rhs = problem.rhs
    this.first = first
    this.kind = problem.kind
    this.limit = problem.limit
    this.springs = problem.springs
    this.W = W
    if (n > this.soft.length) {
      this.soft = new Float64Array(n)
      this.scale = new Float64Array(n)
      this.corner = new Float64Array(2 * n)
      this.lu.reserve(n)
      this.y = new Float64Array(n)
      for (let g = 0; g < n; g++) this.corner[2 * g] = 1
    }
    let mean = 0
    for (let r = 0; r < n; r++) mean += W[r * n + r] / n
    for (let g = 0; g < groupCount; g++) {
      let sum = 0
      for (let r = first[g]; r < first[g + 1]; r++) sum += W[r * n + r]
      this.scale[g] = sum > 0 ? sum / (first[g + 1] - first[g]) : mean > 0 ? mean : 1
      for (let r = first[g]; r < first[g + 1]; r++) this.soft[r] = SOFT_SHARE * this.scale[g]
    }
    if (like === undefined) return
    for (let g = 0; g < groupCount; g++) this.scale[g] = like.scale[g]
    for (let r = 0; r < n; r++) this.soft[r] = like.soft[r]
  }

  respond(p: Float64Array, u: Float64Array): void {
    const { W, rowCount: n, soft } = this
    addWork(n, n, 1)
    for (let r = 0; r < n; r++) {
      let sum = -soft[r] * p[r]
      for (let c = 0; c < n; c++) sum += W[r * n + c] * p[c]
      u[r] = sum
    }
  }

  factor(G: Float64Array): number {
    const { W, lu, rowCount: n, groupCount, first, soft } = this
    const { LU: A } = lu
    addWork(n, n, 3)
    for (let g = 0; g < groupCount; g++) {
      const at = first[g]
      const width = first[g + 1] - at
      for (let r = 0; r < width; r++) {
        const row = (at + r) * n
        for (let c = 0; c < n; c++) {
          let sum = at + r === c ? 1 : 0
          for (let k = 0; k < width; k++) sum += G[9 * g + 3 * r + k] * (W[(at + k) * n + c] - (at + k === c ? soft[c] : 0))
          A[row + c] = sum
        }
      }
    }
    return lu.factor(n, NO_PIVOT)
  }

  respondCoupled(e: Float64Array, u: Float64Array): void {
    const { lu, y } = this
    lu.solve(e, y)
    this.respond(y, u)
  }
}

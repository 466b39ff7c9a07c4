import type { SolverStatus } from './complementarity.ts'
import { type ContactProblem, type ContactSolver, GroupKind } from './contactProblem.ts'
import { contactResidual } from './contactResidual.ts'
import { solveBlock } from './frictionBlock.ts'

/** Sweeps from one look at the residual to the next. */
const SWEEPS = 4

export interface BlockGaussSeidelOptions {
  readonly law: 'cone' | 'associated'
  /** Largest `contactResidual` of an answer. 1e-9. */
  readonly tolerance?: number
  /** Most sweeps. 10,000. */
  readonly limit?: number
}

/**
 * Nonlinear block Gauss-Seidel: the groups in their order, each solved exactly with the others held (Jean, The non-smooth contact
 * dynamics method, 1999; the block's exact solution as in Bonnefon and Daviet, Quartic formulation of Coulomb 3D frictional contact,
 * 2011), see `solveBlock`.
 *
 * Under 'associated' the sweeps descend a convex function and converge for every positive definite W, linearly; under 'cone'
 * they converge in practice unless friction and coupling are strong. A block that is singular is solved with a small proximal
 * term, which moves no answer.
 */
export class BlockGaussSeidel implements ContactSolver {
  readonly name = 'block-gauss-seidel'
  readonly law: 'cone' | 'associated'
  iterations = 0
  readonly residual = new Float64Array(1)
  private readonly tolerance: number
  private readonly limit: number
  private u = new Float64Array(0)
  /** 16, see `solveBlock`. */
  private readonly block = new Float64Array(16)

  constructor({ law, tolerance = 1e-9, limit = 10000 }: BlockGaussSeidelOptions) {
    this.law = law
    this.tolerance = tolerance
    this.limit = limit
  }

  solve(problem: ContactProblem, p: Float64Array, _mode: Int8Array): SolverStatus {
    if (problem.rowCount > this.u.length) this.u = new Float64Array(2 * problem.rowCount)
    this.iterations = 0
    for (;;) {
      contactResidual(problem, this.law, 0, p, this.u, this.residual)
      if (this.residual[0] <= this.tolerance) return 'solved'
      if (this.iterations >= this.limit) return 'limit'
      if (this.residual[0] === Number.POSITIVE_INFINITY) {
        // a guess that is no number, or one that overflows; if even zero does, there is no answer in numbers
        if (this.iterations > 0) return 'residual'
        p.fill(0, 0, problem.rowCount)
      }
      for (let k = 0; k < SWEEPS; k++) sweepBlocks(problem, this.law, p, this.block)
      this.iterations += SWEEPS
    }
  }
}

/**
 * p := p after one sweep of block Gauss-Seidel.
 *
 * @param block 16: scratch
 */
export function sweepBlocks(problem: ContactProblem, law: 'cone' | 'associated', p: Float64Array, block: Float64Array): void {
  const { rowCount: rows, groupCount, W, right, first, kind, limit } = problem
  for (let g = 0; g < groupCount; g++) {
    const n = first[g]
    if (kind[g] === GroupKind.frictional) {
      for (let i = 0; i < 3; i++) {
        const row = (n + i) * rows
        let sum = right[n + i]
        for (let j = 0; j < n; j++) sum += W[row + j] * p[j]
        for (let j = n + 3; j < rows; j++) sum += W[row + j] * p[j]
        block[9 + i] = sum
        block[12 + i] = p[n + i]
        for (let j = 0; j < 3; j++) block[3 * i + j] = W[row + n + j]
      }
      block[15] = limit[g]
      solveBlock(law, block)
      for (let i = 0; i < 3; i++) p[n + i] = block[12 + i]
      continue
    }
    const row = n * rows
    const w = W[row + n]
    if (!(w > 0)) continue
    let sum = right[n]
    for (let j = 0; j < rows; j++) sum += W[row + j] * p[j]
    const to = p[n] - sum / w
    if (kind[g] === GroupKind.unilateral) p[n] = to > 0 ? to : 0
    else if (kind[g] === GroupKind.bilateral) p[n] = to
    else p[n] = to > limit[g] ? limit[g] : to < -limit[g] ? -limit[g] : to
  }
}

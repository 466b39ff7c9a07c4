import { addWork } from '../../../dynamics/index.ts'
import { ImpactLaw } from '../../impacts/index.ts'
import { type ContactProblem, type ContactSolver, contactResidual, GroupKind, type SolverStatus } from '../../solvers/index.ts'

/** Fraction of the fastest approach without impulses below which a group has settled. */
const SETTLED = 1e-6
/** Most impulses of one problem. */
const LIMIT = 100_000

/**
 * Resting contact as trains of collisions: every contact that would close within the step, the fastest first, has a separate impact with a
 * small restitution, until none closes. Impulses accumulate. Mirtich, Impulse-based dynamic simulation of rigid body systems, PhD thesis,
 * Berkeley 1996; the impact law is his, Routh's process with Stronge's hypothesis (`ImpactLaw`), on the responses in W.
 *
 * The impact speed is the approach in excess of the speed that closes the gap, so that a body at rest hovers at e g h² / (1 + e) and
 * receives m g h in each step if e < 1/3; otherwise it chatters.
 */
export class MicroImpulses implements ContactSolver {
  readonly name = 'micro-impulses'
  readonly law = 'cone'
  /** Number of impulses of the last solve. */
  iterations = 0
  readonly residual = new Float64Array(1)
  private readonly impact = new ImpactLaw()
  private u = new Float64Array(0)
  /** 3: the last impulse; 1: speed below which a group has settled. */
  private readonly push = new Float64Array(3)
  private readonly least = new Float64Array(1)

  /** @param restitution 0 to 1 */
  constructor(restitution: number) {
    this.impact.surface[2] = restitution
  }

  solve(problem: ContactProblem, p: Float64Array): SolverStatus {
    const { least, residual } = this
    const { rowCount: rows, rhs } = problem
    if (rows > this.u.length) this.u = new Float64Array(2 * rows)
    const { u } = this
    p.fill(0, 0, rows)
    for (let r = 0; r < rows; r++) u[r] = rhs[r]
    this.iterations = 0
    least[0] = 0
    let next = this.fastest(problem, p)
    least[0] *= SETTLED
    for (; next >= 0 && this.iterations < LIMIT; next = this.fastest(problem, p)) {
      this.strike(problem, next, p)
      this.iterations++
    }
    contactResidual(problem, 'cone', 0, p, u, residual)
    if (residual[0] === Number.POSITIVE_INFINITY) return 'residual'
    return next < 0 ? 'solved' : 'limit'
  }

  /** Group of fastest approach or largest error, -1 if all are settled; speeds over √W, the largest written to a zero `least`. */
  private fastest({ groupCount, rowCount: rows, W, first, kind, limit }: ContactProblem, p: Float64Array): number {
    const { u, least } = this
    addWork(groupCount, 2, 1)
    let found = -1
    let most = least[0]
    for (let g = 0; g < groupCount; g++) {
      const n = first[g]
      const w = W[n * rows + n]
      if (!(w > 0)) continue
      let off = -u[n]
      if (kind[g] === GroupKind.bilateral) off = Math.abs(off)
      else if (kind[g] === GroupKind.bounded) {
        const to = p[n] - u[n] / w
        off = w * Math.abs(p[n] - (to > limit[g] ? limit[g] : to < -limit[g] ? -limit[g] : to))
      }
      off /= Math.sqrt(w)
      if (!(off > most)) continue
      most = off
      found = g
    }
    if (least[0] === 0) least[0] = most
    return found
  }

  private strike({ rowCount: rows, W, first, kind, limit }: ContactProblem, g: number, p: Float64Array): void {
    const { impact, u, push } = this
    const n = first[g]
    const width = first[g + 1] - n
    const w = W[n * rows + n]
    addWork(rows, width, 1)
    if (width === 3) {
      for (let i = 0; i < 3; i++) {
        impact.u[i] = u[n + i]
        for (let j = 0; j < 3; j++) impact.K[3 * i + j] = W[(n + i) * rows + n + j]
      }
      impact.surface[0] = limit[g]
      impact.surface[1] = limit[g]
      impact.solve('stronge')
      for (let i = 0; i < 3; i++) push[i] = impact.impulse[i]
    } else {
      const to = p[n] - u[n] / w
      if (kind[g] === GroupKind.bounded) push[0] = (to > limit[g] ? limit[g] : to < -limit[g] ? -limit[g] : to) - p[n]
      else push[0] = -u[n] / w
      if (kind[g] === GroupKind.unilateral) push[0] *= 1 + impact.surface[2]
    }
    for (let i = 0; i < width; i++) {
      p[n + i] += push[i]
      for (let r = 0; r < rows; r++) u[r] += W[r * rows + n + i] * push[i]
    }
  }
}

/** Steps down by derivatives: Levenberg and Marquardt's method on reweighted residuals. */
import { loadMathjs } from '../../compare/scenario/index.ts'
import type { CaseError } from './evaluation.ts'
import type { Point } from './search.ts'

/** Differences are taken over this part of a range. */
const SHIFT = 2e-3
/** Damping at the start, its factors, and the most of it; and a decrease below this part of the error that ends it. */
const DAMPING = 1e-3
const EASE = 0.2
const HARDEN = 8
const HARDEST = 1e4
const SETTLED = 1e-5

/** All cases at points of the unit cube, with their residuals. */
type Evaluate = (points: readonly (readonly number[])[]) => Promise<readonly (readonly CaseError[])[]>

/** Weighted squares about a point: half the gradient of each part of a case, in their order, and half the Hessian of the sum (Gauss and Newton). */
export interface Squares {
  readonly here: readonly CaseError[]
  readonly gradients: readonly (readonly number[])[]
  readonly A: readonly (readonly number[])[]
}

const errorOf = (cases: readonly CaseError[]) => cases.reduce((sum, { error }) => sum + error, 0) / cases.length

/** @param parts into which the residuals of each case are cut, one after the other in time */
export async function squaresAt(x: readonly number[], evaluate: Evaluate, parts = 1): Promise<Squares> {
  const shifts = x.map((value) => (value > 0.5 ? -SHIFT : SHIFT))
  const [here, ...moved] = await evaluate([x, ...x.map((value, i) => x.with(i, value + shifts[i]))])
  const A = x.map(() => x.map(() => 0))
  const gradients = here.flatMap(({ residuals, weights }, c) => {
    const columns = moved.map((point, i) => point[c].residuals.map((r, j) => (r - residuals[j]) / shifts[i]))
    const own = Array.from({ length: parts }, () => x.map(() => 0))
    for (let i = 0; i < x.length; i++) {
      for (let j = 0; j < residuals.length; j++) {
        const w = weights[j] * columns[i][j]
        own[Math.floor((parts * j) / residuals.length)][i] += w * residuals[j]
        for (let l = 0; l <= i; l++) A[i][l] += w * columns[l][j]
      }
    }
    return own
  })
  for (let i = 0; i < x.length; i++) for (let l = 0; l < i; l++) A[l][i] = A[i][l]
  return { here, gradients, A }
}

/**
 * Marquardt, An algorithm for least-squares estimation of nonlinear parameters, J. SIAM 11 (1963), with weights by which squares have the
 * gradient of the robust error (Huber). Its derivatives are differences of whole runs.
 */
export async function descend(start: Point, evaluate: Evaluate, iterations: number): Promise<Point> {
  const { inv, multiply } = await loadMathjs()
  let best = start
  let damping = DAMPING
  for (let k = 0; k < iterations; k++) {
    const { x } = best
    const { here, gradients, A } = await squaresAt(x, evaluate)
    const g = x.map((_, i) => gradients.reduce((sum, own) => sum + own[i], 0))
    const largest = Math.max(...A.map((row, i) => row[i]))
    if (!(largest > 0)) return best
    const before = errorOf(here)
    let found: Point | undefined
    for (; found === undefined && damping <= HARDEST; damping *= HARDEN) {
      const damped = A.map((row, i) => row.map((a, j) => a + (i === j ? damping * (a + 1e-9 * largest) : 0)))
      const step = multiply(inv(damped), g) as number[]
      const next = x.map((value, i) => Math.min(1, Math.max(0, value - step[i])))
      const error = errorOf((await evaluate([next]))[0])
      if (error < before) found = { x: next, error }
    }
    if (found === undefined) return best
    damping *= EASE / HARDEN
    best = found
    if (before - found.error < SETTLED * before) break
  }
  return best
}

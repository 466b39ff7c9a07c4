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

/**
 * Marquardt, An algorithm for least-squares estimation of nonlinear parameters, J. SIAM 11 (1963), with weights by which squares have the
 * gradient of the robust error (Huber). Its derivatives are differences of whole runs.
 *
 * @param evaluate all cases at points of the unit cube, with their residuals
 */
export async function descend(
  start: Point,
  evaluate: (points: readonly (readonly number[])[]) => Promise<readonly (readonly CaseError[])[]>,
  iterations: number,
): Promise<Point> {
  const { inv, multiply } = await loadMathjs()
  const errorOf = (cases: readonly CaseError[]) => cases.reduce((sum, { error }) => sum + error, 0) / cases.length
  let best = start
  let damping = DAMPING
  for (let k = 0; k < iterations; k++) {
    const { x } = best
    const shifts = x.map((value) => (value > 0.5 ? -SHIFT : SHIFT))
    const [here, ...moved] = await evaluate([x, ...x.map((value, i) => x.with(i, value + shifts[i]))])
    const n = x.length
    const A = x.map(() => x.map(() => 0))
    const g = x.map(() => 0)
    for (const [c, { residuals, weights }] of here.entries()) {
      const columns = moved.map((point, i) => point[c].residuals.map((r, j) => (r - residuals[j]) / shifts[i]))
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < residuals.length; j++) {
          const w = weights[j] * columns[i][j]
          g[i] += w * residuals[j]
          for (let l = 0; l <= i; l++) A[i][l] += w * columns[l][j]
        }
      }
    }
    for (let i = 0; i < n; i++) for (let l = 0; l < i; l++) A[l][i] = A[i][l]
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

/** What errors say about parameters: a paraboloid through a cloud of points about the best, and from it intervals, correlations and refits. */

import { mean } from '../../compare/measure/statistics.ts'
import { loadMathjs } from '../../compare/scenario/index.ts'
import type { Squares } from './leastSquares.ts'

/** Variance of a number that is anywhere in a range of 1. */
const UNKNOWN = 1 / 12
/** A value whose variance is above this part of that is not determined. */
const DETERMINED = 0.5
/** A gradient below this part of the error, over a cloud's spread, is rounding. */
const FLOOR = 2e-3

/** Errors about the best point, in units of the cloud's spreads: gradient of each case, and the Hessian of their mean. */
export interface Paraboloid {
  /** Or of each of `parts` into which every case is cut, times their number. */
  readonly gradients: readonly (readonly number[])[]
  readonly parts?: number
  readonly hessian: readonly (readonly number[])[]
}

/** Numbers of a paraboloid in n parameters. */
export const termsOf = (n: number): number => 1 + n + (n * (n + 1)) / 2

/**
 * Least squares through the errors of all cases at points about the best. Runs part at corners, so that derivatives at one point say little of
 * the next; over a cloud as wide as the interval they say what a fit goes by.
 *
 * @param offsets of the points from the best
 * @param errors  of each point, per case
 */
export async function paraboloidOf(
  offsets: readonly (readonly number[])[],
  errors: readonly (readonly number[])[],
): Promise<Paraboloid> {
  const n = offsets[0].length
  const terms = offsets.map((d) => [1, ...d, ...d.flatMap((x, i) => d.slice(i).map((y, k) => (k === 0 ? 0.5 : 1) * x * y))])
  const { inv } = await loadMathjs()
  const normal = terms[0].map((_, i) =>
    terms[0].map((_, j) => terms.reduce((sum, row) => sum + row[i] * row[j], i === j ? 1e-9 : 0)),
  )
  const inverse = inv(normal) as number[][]
  const fitted = (values: readonly number[]) => {
    const right = terms[0].map((_, i) => terms.reduce((sum, row, p) => sum + row[i] * values[p], 0))
    return inverse.map((row) => row.reduce((sum, a, i) => sum + a * right[i], 0))
  }
  const gradients = errors[0].map((_, c) => fitted(errors.map((point) => point[c])).slice(1, n + 1))
  const [, ...rest] = fitted(errors.map((point) => mean(point)))
  const hessian = offsets[0].map(() => offsets[0].map(() => 0))
  for (let i = 0, at = n; i < n; i++) for (let j = i; j < n; j++, at++) hessian[i][j] = hessian[j][i] = rest[at]
  return { gradients, hessian }
}

/**
 * The same of squares, whose residuals are nearly linear in the parameters: spreads are those over which the error rises by a part of itself.
 *
 * @param A         half the Hessian of the sum over the cases
 * @param gradients half those of each part of each case
 */
export function paraboloidOfSquares(
  { A, gradients, here }: Squares,
  rise: number,
  widest: number,
): { paraboloid: Paraboloid; axes: number[]; spreads: number[]; error: number } {
  const [cases, parts] = [here.length, gradients.length / here.length]
  const error = mean(here.map((one) => one.error))
  const spreads = A.map((row, i) => (row[i] > 0 ? Math.min(widest, Math.sqrt((rise * error * cases) / row[i])) : 0))
  const axes = spreads.flatMap((spread, i) => (spread > 0 ? [i] : []))
  const hessian = axes.map((i) => axes.map((j) => (2 * A[i][j] * spreads[i] * spreads[j]) / cases))
  const scaled = gradients.map((own) => axes.map((i) => 2 * parts * own[i] * spreads[i]))
  return { paraboloid: { gradients: scaled, hessian, parts }, axes, spreads, error }
}

/** Covariance of the best point, and the steps to it from cases that are left out. */
export interface Uncertainty {
  readonly covariance: readonly (readonly number[])[]
  /** Whether the cases say more of a parameter than its range does. */
  readonly isDetermined: readonly boolean[]
  /** Of the cloud, in ranges: over these the error rises. */
  readonly spreads: readonly number[]
  /** Cases, or parts of these, less parameters. */
  readonly freedom: number
  /** The best point of some of the cases alone, as an offset; parameters that are held, or not determined, keep theirs. */
  refit(cases: readonly number[], held?: ReadonlyMap<number, number>): number[]
}

/**
 * Of a minimum of a mean of errors: H⁻¹ S H⁻¹ with S the covariance of the mean gradient, whatever the distribution of errors (the sandwich of
 * Huber, 1967), together with what the ranges say: (H S⁻¹ H + 12 I)⁻¹. A direction in which errors do not rise keeps the variance of its range.
 *
 * @param axes    the parameters of the paraboloid; the others have no effect
 * @param spreads of all parameters, in ranges
 * @param error   at the best point
 */
export async function uncertaintyOf(
  { gradients, hessian, parts = 1 }: Paraboloid,
  axes: readonly number[],
  spreads: readonly number[],
  error: number,
): Promise<Uncertainty> {
  const n = hessian.length
  // of an axis without effect, what its range says
  const covariance = spreads.map((_, i) => spreads.map((_, j) => (i === j ? UNKNOWN : 0)))
  const none = spreads.map(() => false)
  if (n === 0)
    return { covariance, isDetermined: none, spreads, freedom: 1, refit: (_, held) => spreads.map((_, i) => held?.get(i) ?? 0) }
  const { eigs, inv, multiply } = await loadMathjs()
  const freedom = Math.max(1, gradients.length - n)
  const { eigenvectors } = eigs(hessian as number[][]) as unknown as {
    eigenvectors: { value: number; vector: number[] }[]
  }
  // errors do not fall away from a minimum
  const H = hessian.map((_, i) =>
    hessian.map((_, j) => eigenvectors.reduce((sum, { value, vector }) => sum + Math.max(0, value) * vector[i] * vector[j], 0)),
  )
  const middle = hessian.map((_, i) => mean(gradients.map((g) => g[i])))
  const S = hessian.map((_, i) =>
    hessian.map((_, j) => {
      const spread = gradients.reduce((sum, g) => sum + (g[i] - middle[i]) * (g[j] - middle[j]), 0)
      return spread / (gradients.length * freedom) + (i === j ? (FLOOR * error) ** 2 : 0)
    }),
  )
  const information = multiply(multiply(H, inv(S)), H) as number[][]
  const own = inv(
    information.map((row, i) => row.map((x, j) => x + (i === j ? spreads[axes[i]] ** 2 / UNKNOWN : 0))),
  ) as number[][]
  for (const [k, i] of axes.entries()) for (const [l, j] of axes.entries()) covariance[i][j] = own[k][l] * spreads[i] * spreads[j]
  const isDetermined = covariance.map((row, i) => row[i] < DETERMINED * UNKNOWN)
  const refit = (kept: readonly number[], held: ReadonlyMap<number, number> = new Map()) => {
    const free = hessian.map((_, k) => k).filter((k) => isDetermined[axes[k]] && !held.has(axes[k]))
    const g = free.map((k) =>
      mean(kept.map((c) => mean(gradients.slice(parts * c, parts * (c + 1)).map((own) => own[k])) - middle[k])),
    )
    for (const [f, k] of free.entries())
      for (const [j, offset] of held) if (axes.includes(j)) g[f] += (H[k][axes.indexOf(j)] * offset) / spreads[j]
    const damped = free.map((k) => free.map((l) => H[k][l] + (k === l ? FLOOR * error : 0)))
    const step = free.length === 0 ? [] : (multiply(inv(damped), g) as number[])
    return spreads.map(
      (spread, i) => held.get(i) ?? (free.includes(axes.indexOf(i)) ? -step[free.indexOf(axes.indexOf(i))] * spread : 0),
    )
  }
  return { covariance, isDetermined, spreads, freedom, refit }
}

/** Quantile of 95 % of Student's distribution, by the first terms of its expansion about the normal one. */
export const studentOf = (freedom: number): number => 1.96 + 2.37 / freedom + 2.82 / freedom ** 2

/** Search without derivatives, for errors that are rough: runs that hit an edge or a corner first go different ways. */
import type { Random } from '../../compare/scenario/world/random.ts'

/** A point in the unit cube, and its error. */
export interface Point {
  readonly x: readonly number[]
  readonly error: number
}

/** Spread of the first points about the start, as a part of the ranges; and that at which the search ends. */
const FIRST = 0.2
const LAST = 0.004

/** Part of an error by which the luckiest of rough ones may be better than the middle. */
const ROUGH = 0.05

/**
 * Covariance matrix adaptation, (mu/mu_w, lambda)-CMA-ES: N. Hansen, The CMA evolution strategy: a tutorial (2016), arXiv:1604.00772, figure 6
 * and table 1. Points beyond the unit cube are brought to its faces.
 *
 * @param start in the unit cube
 * @param errorsOf points
 * @param generations at most
 */
export async function evolve(
  start: readonly number[],
  errorsOf: (points: readonly (readonly number[])[]) => Promise<readonly number[]>,
  generations: number,
  random: Random,
  spread = FIRST,
): Promise<Point> {
  const n = start.length
  const lambda = 4 + Math.floor(3 * Math.log(n))
  const mu = lambda >> 1
  const raw = Array.from({ length: mu }, (_, i) => Math.log((lambda + 1) / 2) - Math.log(i + 1))
  const total = raw.reduce((sum, w) => sum + w, 0)
  const weights = raw.map((w) => w / total)
  const muW = 1 / weights.reduce((sum, w) => sum + w * w, 0)
  const cSigma = (muW + 2) / (n + muW + 5)
  const damping = 1 + 2 * Math.max(0, Math.sqrt((muW - 1) / (n + 1)) - 1) + cSigma
  const cC = (4 + muW / n) / (n + 4 + (2 * muW) / n)
  const c1 = 2 / ((n + 1.3) ** 2 + muW)
  const cMu = Math.min(1 - c1, (2 * (muW - 2 + 1 / muW)) / ((n + 2) ** 2 + muW))
  const expected = Math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))
  let mean = [...start]
  let sigma = spread
  let C: number[][] = start.map((_, i) => start.map((_, j) => (i === j ? 1 : 0)))
  let pathC: number[] = start.map(() => 0)
  let pathSigma = pathC
  let best: Point = { x: mean, error: (await errorsOf([mean]))[0] }
  for (let g = 1; g <= generations && sigma > LAST; g++) {
    const L = cholesky(C)
    const moved = Array.from({ length: lambda }, () => {
      const z = start.map(() => normal(random))
      const y = L.map((row) => row.reduce((sum, l, j) => sum + l * z[j], 0))
      return { z, y, x: mean.map((m, i) => Math.min(1, Math.max(0, m + sigma * y[i]))) }
    })
    const errors = await errorsOf(moved.map(({ x }) => x))
    const tried = moved.map((one, k) => ({ ...one, error: errors[k] }))
    tried.sort((a, b) => a.error - b.error)
    if (tried[0].error < best.error) best = { x: tried[0].x, error: tried[0].error }
    const middle = (key: 'x' | 'y' | 'z') => start.map((_, i) => weights.reduce((sum, w, k) => sum + w * tried[k][key][i], 0))
    mean = middle('x')
    const [y, z] = [middle('y'), middle('z')]
    pathSigma = pathSigma.map((p, i) => (1 - cSigma) * p + Math.sqrt(cSigma * (2 - cSigma) * muW) * z[i])
    const length = Math.hypot(...pathSigma)
    const isShort = length / Math.sqrt(1 - (1 - cSigma) ** (2 * g)) < (1.4 + 2 / (n + 1)) * expected
    pathC = pathC.map((p, i) => (1 - cC) * p + (isShort ? Math.sqrt(cC * (2 - cC) * muW) * y[i] : 0))
    C = C.map((row, i) =>
      row.map((c, j) => {
        const rank = weights.reduce((sum, w, k) => sum + w * tried[k].y[i] * tried[k].y[j], 0)
        return (1 - c1 - cMu) * c + c1 * pathC[i] * pathC[j] + cMu * rank
      }),
    )
    sigma *= Math.exp((cSigma / damping) * (length / expected - 1))
  }
  // of rough errors the middle of the last points is nearer than the luckiest
  const [error] = await errorsOf([mean])
  return error < (1 + ROUGH) * best.error ? { x: mean, error } : best
}

/** L of A = L Lᵀ. */
function cholesky(A: readonly (readonly number[])[]): number[][] {
  const L = A.map((row) => row.map(() => 0))
  for (let i = 0; i < A.length; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = A[i][j]
      for (let k = 0; k < j; k++) sum -= L[i][k] * L[j][k]
      L[i][j] = i === j ? Math.sqrt(Math.max(sum, 1e-16)) : sum / L[j][j]
    }
  }
  return L
}

/** Of the standard normal distribution (Box and Muller). */
export const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())

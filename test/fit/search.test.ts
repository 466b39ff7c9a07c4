import { describe, expect, test } from 'vitest'
import type { CaseError } from '../../cases/fit/evaluation.ts'
import { descend } from '../../cases/fit/leastSquares.ts'
import { paraboloidOf, uncertaintyOf } from '../../cases/fit/quadratic.ts'
import { evolve, normal } from '../../cases/fit/search.ts'
import { Random } from '../../compare/scenario/world/random.ts'

const least = [0.3, 0.62, 0.45]

describe('the search without derivatives', () => {
  test('finds the minimum of an ellipsoid whose axes differ by a hundred and are turned', async () => {
    const f = (x: readonly number[]) => {
      const [a, b, c] = x.map((value, i) => value - least[i])
      return (a + b) ** 2 + 100 * (a - b) ** 2 + 10 * (c - a) ** 2
    }
    const found = await evolve([0.9, 0.1, 0.1], async (points) => points.map(f), 120, new Random(1))
    for (const [i, x] of found.x.entries()) expect(Math.abs(x - least[i])).toBeLessThan(2e-3)
  })

  test('gets over ripples as high as a tenth of the error', async () => {
    const f = (x: readonly number[]) =>
      x.reduce((sum, value, i) => sum + Math.abs(value - least[i]) * (1 + 0.1 * Math.sin(300 * value)), 0)
    const found = await evolve([0.9, 0.1, 0.1], async (points) => points.map(f), 120, new Random(1))
    for (const [i, x] of found.x.entries()) expect(Math.abs(x - least[i])).toBeLessThan(0.02)
  })
})

describe('steps down by derivatives', () => {
  /** Cases y = x0 exp(-x1 t) + x2 at times of their own. */
  const cases = Array.from({ length: 8 }, (_, c) => [0.1 + 0.3 * c, 0.2 + 0.3 * c])
  const curve = ([a, b, d]: readonly number[], t: number) => a * Math.exp(-3 * b * t) + d
  const evaluate = async (points: readonly (readonly number[])[]) =>
    points.map((x) =>
      cases.map((times): CaseError => {
        const residuals = Float64Array.from(times, (t) => curve(x, t) - curve(least, t))
        const error = residuals.reduce((sum, r) => sum + 0.5 * r * r, 0)
        return { error, residuals, weights: residuals.map(() => 0.5), distances: [], run: undefined }
      }),
    )

  test('find a curve through exact points to 1e-4 of the ranges', async () => {
    const found = await descend({ x: [0.8, 0.2, 0.8], error: Infinity }, evaluate, 20)
    for (const [i, x] of found.x.entries()) expect(Math.abs(x - least[i])).toBeLessThan(1e-4)
  })
})

describe('the paraboloid of a cloud', () => {
  const random = new Random(3)
  const cloud = Array.from({ length: 60 }, () => least.map(() => normal(random)))
  const centres = Array.from({ length: 40 }, () => least.map(() => 0.5 * normal(random)))
  const error = (d: readonly number[], centre: readonly number[]) =>
    (d[0] - centre[0]) ** 2 + 0.5 * (d[1] - centre[1] + d[0]) ** 2 + 1
  const errors = cloud.map((d) => centres.map((centre) => error(d, centre)))

  test('has the gradient of each case and the Hessian of their mean', async () => {
    const { gradients, hessian } = await paraboloidOf(cloud, errors)
    const expected = [
      [3, 1, 0],
      [1, 1, 0],
      [0, 0, 0],
    ]
    for (const [i, row] of expected.entries()) for (const [j, h] of row.entries()) expect(hessian[i][j]).toBeCloseTo(h, 6)
    for (const [c, [x, y]] of centres.entries()) {
      expect(gradients[c][0]).toBeCloseTo(-2 * x - y, 6)
      expect(gradients[c][1]).toBeCloseTo(-y, 6)
    }
  })

  test('gives the standard error of a mean to what the cases determine, and the range to what they do not', async () => {
    const sure = await uncertaintyOf(await paraboloidOf(cloud, errors), [0, 1, 2], [0.01, 0.01, 0.01], 1)
    const spread = (k: number) => {
      const values = centres.map((centre) => (k === 0 ? centre[0] : centre[1] - centre[0]))
      const middle = values.reduce((sum, x) => sum + x, 0) / values.length
      return Math.sqrt(values.reduce((sum, x) => sum + (x - middle) ** 2, 0) / values.length / (values.length - 3))
    }
    for (const k of [0, 1]) {
      const deviation = Math.sqrt(sure.covariance[k][k]) / 0.01
      expect(deviation).toBeGreaterThan(0.95 * spread(k))
      expect(deviation).toBeLessThan(1.05 * spread(k))
    }
    expect(sure.isDetermined).toEqual([true, true, false])
    expect(Math.sqrt(sure.covariance[2][2])).toBeCloseTo(Math.sqrt(1 / 12), 3)
  })

  test('fits again without some cases, and with a parameter held', async () => {
    const sure = await uncertaintyOf(await paraboloidOf(cloud, errors), [0, 1, 2], [0.01, 0.01, 0.01], 1e-6)
    const kept = centres.map((_, c) => c).slice(0, 20)
    const mean = (list: readonly (readonly number[])[], k: number) => list.reduce((sum, x) => sum + x[k], 0) / list.length
    const shift = mean(centres.slice(0, 20), 0) - mean(centres, 0)
    expect(sure.refit(kept)[0]).toBeCloseTo(0.01 * shift, 6)
    // with the second held the minimum of the sum along the first: 3 x + y = 0
    const all = centres.map((_, c) => c)
    expect(sure.refit(all, new Map([[1, 0.03]]))[0]).toBeCloseTo(-0.01, 6)
  })
})

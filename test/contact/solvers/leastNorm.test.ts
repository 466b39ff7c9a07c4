import { describe, expect, test } from 'vitest'
import { LeastNorm } from '../../../contact/index.ts'
import { createRandom } from '../../../dynamics/index.ts'

/** W = A Aᵀ for a random size x rank matrix A, and a right-hand side W t that it has solutions for. */
function singularSystem(seed: number, size: number, rank: number) {
  const random = createRandom(seed)
  const A = Array.from({ length: size }, () => Array.from({ length: rank }, () => random.between(-1, 1)))
  const W = new Float64Array(size * size)
  for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) W[i * size + j] = A[i].reduce((sum, a, r) => sum + a * A[j][r], 0)
  const b = times(
    W,
    Float64Array.from({ length: size }, () => random.between(-1, 1)),
  )
  const scale = Float64Array.from({ length: size }, () => random.between(0.2, 3))
  return { A, W, b, scale, t: Float64Array.from({ length: size }, () => random.between(-1, 1)) }
}

function times(W: Float64Array, x: Float64Array): Float64Array {
  const n = x.length
  return Float64Array.from({ length: n }, (_, i) => x.reduce((sum, xj, j) => sum + W[i * n + j] * xj, 0))
}

const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, x, i) => sum + x * b[i], 0)

/** t less its part in the span of the rows of A's transpose, by Gram and Schmidt, twice: W does nothing to it. */
function inNullSpace(A: readonly (readonly number[])[], t: Float64Array): Float64Array {
  const basis: Float64Array[] = []
  const reduce = (x: Float64Array) => {
    for (let twice = 0; twice < 2; twice++) {
      for (const e of basis) {
        const along = dot(e, x)
        for (let i = 0; i < x.length; i++) x[i] -= along * e[i]
      }
    }
    return x
  }
  for (let r = 0; r < A[0].length; r++) {
    const column = reduce(Float64Array.from(A, (row) => row[r]))
    const length = Math.hypot(...column)
    basis.push(column.map((x) => x / length))
  }
  return reduce(t)
}

describe('systems that are singular', () => {
  test('are solved with the rank that they have, and by the solution of least weighted norm', () => {
    const solver = new LeastNorm(1e-7)
    for (const [size, rank] of [
      [1, 1],
      [4, 4],
      [8, 3],
      [16, 6],
      [24, 5],
    ]) {
      for (let seed = 1; seed <= 20; seed++) {
        const { A, W, b, scale, t } = singularSystem(100 * size + seed, size, rank)
        const x = new Float64Array(size)
        solver.solve(size, W, b, scale, x)
        expect(solver.rank).toBe(rank)
        // of numbers of size 1 to 100, through the square of a condition of up to 1e4
        expect(Math.hypot(...times(W, x).map((y, i) => y - b[i]))).toBeLessThan(1e-10)
        // least: moving along what W does not see makes it no shorter, at first order
        const along = inNullSpace(A, t)
        expect(Math.abs(x.reduce((sum, y, i) => sum + (y * along[i]) / (scale[i] * scale[i]), 0))).toBeLessThan(1e-9)
      }
    }
  })

  test('share a load in proportion to the squares of the scales where all unknowns do the same', () => {
    const x = new Float64Array(3)
    new LeastNorm(1e-7).solve(3, new Float64Array(9).fill(2), Float64Array.of(12, 12, 12), Float64Array.of(1, Math.SQRT2, 0), x)
    expect(x[0]).toBeCloseTo(2, 12)
    expect(x[1]).toBeCloseTo(4, 12)
    expect(x[2]).toBe(0)
  })

  test('have 0 for an answer where nothing moves or nothing is asked', () => {
    const x = Float64Array.of(7, 7)
    const solver = new LeastNorm(1e-7)
    solver.solve(2, new Float64Array(4), Float64Array.of(1, 2), Float64Array.of(1, 1), x)
    expect([...x]).toEqual([0, 0])
    solver.solve(2, Float64Array.of(2, 1, 1, 2), new Float64Array(2), Float64Array.of(1, 1), x)
    expect([...x]).toEqual([0, 0])
  })

  test('what is weaker than the tolerance counts as nothing, however much is asked of it', () => {
    // two points that differ by 1e-6 of what they do together
    const W = Float64Array.of(1 + 1e-6, 1 - 1e-6, 1 - 1e-6, 1 + 1e-6)
    const scale = Float64Array.of(1, 1)
    const x = new Float64Array(2)
    new LeastNorm(1e-4).solve(2, W, Float64Array.of(2.001, 1.999), scale, x)
    expect(x[0]).toBeCloseTo(1, 3)
    expect(x[1]).toBeCloseTo(1, 3)
    new LeastNorm(1e-7).solve(2, W, Float64Array.of(2.001, 1.999), scale, x)
    expect(x[0]).toBeCloseTo(501, 6)
    expect(x[1]).toBeCloseTo(-499, 6)
  })

  test.each([1e-3, 1e-5, 1e-6, 1e-8])('solve the rows of large scale beside others whose scale is %d of theirs', (small) => {
    const W = Float64Array.from({ length: 16 }, (_, k) => (k % 5 === 0 ? 2 : 1))
    const x = new Float64Array(4)
    new LeastNorm(1e-4).solve(4, W, Float64Array.of(1, 2, 3, 4), Float64Array.of(small, small, 1, 1), x)
    expect(x.every(Number.isFinite)).toBe(true)
    for (const i of [2, 3]) expect(x.reduce((sum, y, j) => sum + W[4 * i + j] * y, 0)).toBeCloseTo(i + 1, 8)
  })
})

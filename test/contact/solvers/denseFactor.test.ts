import { describe, expect, test } from 'vitest'
import {
  eliminateRows,
  factorFully,
  factorRows,
  factorSymmetric,
  solveFully,
  solveRows,
  solveSymmetric,
} from '../../../contact/solvers/denseFactor.ts'
import { createRandom } from '../../../dynamics/index.ts'

const random = createRandom(51)
const numbers = (count: number) => Float64Array.from({ length: count }, () => random.between(-1, 1))

/** M x. */
const times = (m: number, M: Float64Array, x: Float64Array) =>
  Float64Array.from({ length: m }, (_, i) => x.reduce((sum, value, j) => sum + M[i * m + j] * value, 0))

/** G Gᵀ with G m x rank. */
function gram(m: number, rank: number): Float64Array {
  const G = numbers(m * rank)
  return Float64Array.from({ length: m * m }, (_, k) => {
    let sum = 0
    for (let r = 0; r < rank; r++) sum += G[Math.floor(k / m) * rank + r] * G[(k % m) * rank + r]
    return sum
  })
}

/** Of M = L U: that of U's diagonal, turned with every exchange of two rows. */
function determinantSign(m: number, LU: Float64Array, order: Int32Array): number {
  let sign = 1
  for (let i = 0; i < m; i++) {
    if (LU[i * m + i] < 0) sign = -sign
    for (let j = 0; j < i; j++) if (order[j] > order[i]) sign = -sign
  }
  return sign
}

const worst = (a: Float64Array, b: Float64Array) => a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0)

describe('dense factorisations', () => {
  test('what they solve, multiplied out, is the right-hand side', () => {
    for (let trial = 0; trial < 50; trial++) {
      const m = 1 + random.index(20)
      const x = new Float64Array(m)
      const r = numbers(m)
      const order = new Int32Array(m)
      const columns = new Int32Array(m)

      const M = numbers(m * m)
      const rows = M.slice()
      const sign = factorRows(m, rows, order, 1e-13)
      expect(sign).toBe(determinantSign(m, rows, order))
      solveRows(m, rows, order, r, x)
      // conditions of up to 1e5 or so
      expect(worst(times(m, M, x), r)).toBeLessThan(1e-9)

      x.set(r)
      expect(eliminateRows(m, M.slice(), x)).toBe(sign)
      expect(worst(times(m, M, x), r)).toBeLessThan(1e-9)

      const whole = M.slice()
      expect(factorFully(m, whole, order, columns, 1e-13)).toBe(m)
      solveFully(m, m, whole, order, columns, r, x, new Float64Array(m))
      expect(worst(times(m, M, x), r)).toBeLessThan(1e-9)

      const P = gram(m, m)
      for (let i = 0; i < m; i++) P[i * m + i] += 0.01
      const U = P.slice()
      expect(factorSymmetric(m, U)).toBe(true)
      x.set(r)
      solveSymmetric(m, U, x)
      expect(worst(times(m, P, x), r)).toBeLessThan(1e-9)
    }
  })

  test('the rank is found, and a right-hand side that has a solution gets one', () => {
    for (let trial = 0; trial < 50; trial++) {
      const m = 2 + random.index(18)
      const rank = 1 + random.index(m - 1)
      const M = gram(m, rank)
      const r = times(m, M, numbers(m))
      const factor = M.slice()
      const [rows, columns] = [new Int32Array(m), new Int32Array(m)]
      expect(factorFully(m, factor, rows, columns, 1e-11)).toBe(rank)
      const x = new Float64Array(m)
      solveFully(m, rank, factor, rows, columns, r, x, new Float64Array(m))
      expect(worst(times(m, M, x), r)).toBeLessThan(1e-8)
      expect(Array.from(x).filter((value) => value === 0)).toHaveLength(m - rank)
    }
  })

  test('singular and indefinite matrices are said to be so', () => {
    expect(factorRows(2, Float64Array.of(1, 2, 2, 4), new Int32Array(2), 1e-13)).toBe(0)
    expect(factorRows(1, Float64Array.of(0), new Int32Array(1), 1e-13)).toBe(0)
    expect(factorFully(2, new Float64Array(4), new Int32Array(2), new Int32Array(2), 1e-13)).toBe(0)
    expect(eliminateRows(2, Float64Array.of(1, 2, 2, 4), new Float64Array(2))).toBe(0)
    expect(eliminateRows(1, Float64Array.of(Number.NaN), new Float64Array(1))).toBe(0)
    expect(factorSymmetric(2, Float64Array.of(1, 2, 0, 1))).toBe(false)
    expect(factorSymmetric(1, Float64Array.of(Number.NaN))).toBe(false)
  })
})

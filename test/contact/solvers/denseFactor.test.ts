import { describe, expect, test } from 'vitest'
import {
  factorCholesky,
  factorFully,
  factorRows,
  solveCholesky,
  solveFully,
  solveRows,
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
      expect(factorRows(m, rows, order, 1e-13)).toBe(true)
      solveRows(m, rows, order, r, x)
      // conditions of up to 1e5 or so
      expect(worst(times(m, M, x), r)).toBeLessThan(1e-9)

      const whole = M.slice()
      expect(factorFully(m, whole, order, columns, 1e-13)).toBe(m)
      solveFully(m, m, whole, order, columns, r, x, new Float64Array(m))
      expect(worst(times(m, M, x), r)).toBeLessThan(1e-9)

      const P = gram(m, m)
      for (let i = 0; i < m; i++) P[i * m + i] += 0.01
      const L = P.slice()
      expect(factorCholesky(m, L)).toBe(true)
      x.set(r)
      solveCholesky(m, L, x)
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
    expect(factorRows(2, Float64Array.of(1, 2, 2, 4), new Int32Array(2), 1e-13)).toBe(false)
    expect(factorRows(1, Float64Array.of(0), new Int32Array(1), 1e-13)).toBe(false)
    expect(factorFully(2, new Float64Array(4), new Int32Array(2), new Int32Array(2), 1e-13)).toBe(0)
    expect(factorCholesky(2, Float64Array.of(1, 0, 2, 1))).toBe(false)
    expect(factorCholesky(1, Float64Array.of(Number.NaN))).toBe(false)
  })
})

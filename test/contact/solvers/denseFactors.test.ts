import { describe, expect, test } from 'vitest'
import { DenseLU } from '../../../contact/solvers/denseLU.ts'
import { GrowingFactor } from '../../../contact/solvers/growingFactor.ts'
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

function factored(M: ArrayLike<number>): DenseLU {
  const lu = new DenseLU()
  lu.reserve(Math.sqrt(M.length))
  lu.LU.set(M)
  return lu
}

const worst = (a: Float64Array, b: Float64Array) => a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0)

describe('dense factorisations', () => {
  test('what they solve, multiplied out, is the right-hand side', () => {
    for (let trial = 0; trial < 50; trial++) {
      const m = 1 + random.index(20)
      const x = new Float64Array(m)
      const r = numbers(m)
      const M = numbers(m * m)
      const lu = factored(M)
      const sign = lu.factor(m, 1e-13)
      const flipped = factored(M.map((value, k) => (k < m ? -value : value)))
      expect(sign * flipped.factor(m, 1e-13)).toBe(-1)
      lu.solve(r, x)
      // conditions of up to 1e5 or so
      expect(worst(times(m, M, x), r)).toBeLessThan(1e-9)

      const whole = factored(M)
      whole.factorFully(m, 1e-13)
      expect(whole.rank).toBe(m)
      x.set(r)
      whole.solve(x, x)
      expect(worst(times(m, M, x), r)).toBeLessThan(1e-9)

      const P = gram(m, m)
      for (let i = 0; i < m; i++) P[i * m + i] += 0.01
      const ldl = new GrowingFactor()
      ldl.reserve(m)
      for (let i = 0; i < m; i++) expect(ldl.append(i, P, m, 0)).toBe(true)
      ldl.solve(r, x)
      expect(worst(times(m, P, x), r)).toBeLessThan(1e-9)
    }
  })

  test('the rank is found, and a right-hand side that has a solution gets one', () => {
    for (let trial = 0; trial < 50; trial++) {
      const m = 2 + random.index(18)
      const rank = 1 + random.index(m - 1)
      const M = gram(m, rank)
      const r = times(m, M, numbers(m))
      const lu = factored(M)
      lu.factorFully(m, 1e-11)
      expect(lu.rank).toBe(rank)
      const x = new Float64Array(m)
      lu.solve(r, x)
      expect(worst(times(m, M, x), r)).toBeLessThan(1e-8)
      expect(Array.from(x).filter((value) => value === 0)).toHaveLength(m - rank)
    }
  })

  test('singular and indefinite matrices are said to be so', () => {
    for (const tolerance of [1e-13, 0]) expect(factored([1, 2, 2, 4]).factor(2, tolerance)).toBe(0)
    for (const number of [0, Number.NaN]) expect(factored([number]).factor(1, 1e-13)).toBe(0)
    const zero = factored([0, 0, 0, 0])
    zero.factorFully(2, 1e-13)
    expect(zero.rank).toBe(0)
    expect(new DenseLU().factor(0, 0)).toBe(1)
    const ldl = new GrowingFactor()
    ldl.reserve(2)
    expect([0, 1].map((i) => ldl.append(i, Float64Array.of(1, 2, 2, 1), 2, 0))).toEqual([true, false])
    expect(ldl.append(0, Float64Array.of(Number.NaN), 1, 0)).toBe(false)
  })
})

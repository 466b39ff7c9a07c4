import { describe, expect, test } from 'vitest'
import { crba, directionRow, factorize, solve, solveL, solveLTransposed, solveLTransposedOnBranch } from '../../dynamics/index.ts'
import { choleskySolve, product, transposedProduct } from '../oracle/dense.ts'
import { randomVector, relativeError } from './randomTree.ts'
import { forEachTree } from './trials.ts'

describe('factorisation', () => {
  test('L^T L x is M x', () => {
    forEachTree(12, ({ random, model, data }) => {
      const x = randomVector(random, model.nv)
      crba(model, data)
      factorize(model, data.M, data.L)
      const L = lowerTriangle(data.L)
      expect(relativeError(transposedProduct(L, product(L, x)), product(data.M, x))).toBeLessThan(1e-13)
    })
  })

  test('L keeps the zeros between branches', () => {
    forEachTree(13, ({ model, data }) => {
      crba(model, data)
      factorize(model, data.M, data.L)
      const { nv, vParent } = model
      for (let k = 0; k < nv; k++) {
        const ancestors = new Set<number>()
        for (let j = k; j >= 0; j = vParent[j]) ancestors.add(j)
        for (let j = 0; j < k; j++) if (!ancestors.has(j)) expect(data.L[k * nv + j]).toBe(0)
      }
    })
  })

  test('solve agrees with a dense Cholesky solution, in place or not', () => {
    forEachTree(14, ({ random, model, data }) => {
      const b = randomVector(random, model.nv)
      crba(model, data)
      const dense = choleskySolve(data.M, b)
      const x = Float64Array.from(b)
      factorize(model, data.M, data.L)
      solve(model, data.L, x)
      // condition numbers reach 1e6
      expect(relativeError(x, dense)).toBeLessThan(1e-9)

      const y = Float64Array.from(b)
      factorize(model, data.M, data.M)
      solve(model, data.M, y)
      expect(y).toEqual(x)
    })
  })

  test('solveL and solveLTransposed undo L and L^T', () => {
    forEachTree(15, ({ random, model, data }) => {
      crba(model, data)
      factorize(model, data.M, data.L)
      const L = lowerTriangle(data.L)
      const b = randomVector(random, model.nv)
      const x = product(L, b)
      solveL(model, data.L, x)
      expect(relativeError(x, b)).toBeLessThan(1e-10)
      const y = transposedProduct(L, b)
      solveLTransposed(model, data.L, y)
      expect(relativeError(y, b)).toBeLessThan(1e-10)
    })
  })

  test('the branch form of solveLTransposed gives the same bits on a Jacobian row', () => {
    forEachTree(16, ({ random, model, data }) => {
      const { nb, nv } = model
      crba(model, data)
      factorize(model, data.M, data.L)
      const body = random.index(nb)
      const rows = new Float64Array(3 * nv)
      const numbers = randomVector(random, 6)
      directionRow(model, data, body, numbers, 0, numbers, 3, 1, rows, nv)
      const whole = rows.slice(nv, 2 * nv)
      solveLTransposed(model, data.L, whole)
      solveLTransposedOnBranch(model, data.L, model.vLast[body], rows, nv)
      expect(rows.slice(nv, 2 * nv)).toEqual(whole)
      expect(rows.slice(0, nv)).toEqual(new Float64Array(nv))
      expect(rows.slice(2 * nv)).toEqual(new Float64Array(nv))
    })
  })
})

/** What of L is written and read. */
function lowerTriangle(L: Float64Array): Float64Array {
  const n = Math.sqrt(L.length)
  return L.map((l, k) => (k % n <= Math.floor(k / n) ? l : 0))
}

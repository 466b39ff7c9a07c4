import { describe, expect, test } from 'vitest'
import { complementarityResidual, complementaritySolvers } from '../../../contact/solvers/index.ts'
import { findUnits } from '../../../contact/solvers/units.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { full } from '../../dailyModels.ts'
import { badlyScaledClasses, badlyScaledProblem, relativeViolation, scaled } from './badlyScaled.ts'
import { corpusProblem, dense, problemClasses } from './corpus.ts'

const count = full ? 2504 : 24
const SEED = 1
/** Of what a row sums: a thousand times the tolerance of the methods that sweep. */
const ALLOWED = 1e-5
const solvers = Object.entries(complementaritySolvers).map(([name, create]) => [name, create()] as const)

describe('problems whose rows and columns differ by up to 18 decimal places', () => {
  test('no wrong answer is called solved, by any solver, in any row', () => {
    const wrong: string[] = []
    let answers = 0
    for (let index = 0; index < count; index++) {
      const { kind, problem } = badlyScaledProblem(SEED, index)
      const { n, A, b, free } = problem
      for (const [name, solver] of solvers) {
        if (solver.solve(n, A, b, free, new Float64Array(n)) !== 'solved') continue
        answers++
        const off = relativeViolation(problem, solver.z.subarray(0, n))
        if (!(off <= ALLOWED)) wrong.push(`${kind} ${index}: ${name}, violated by ${off} of a row`)
      }
    }
    expect(wrong).toEqual([])
    expect(answers).toBeGreaterThan(4 * count)
  })

  test('units of rows and columns cost no answer: lemke, murty, path-following, lmmcp and enumeration solve all that have one', () => {
    const names = ['lemke', 'murty', 'path-following', 'lmmcp', 'enumeration']
    const kinds = Object.keys(badlyScaledClasses).filter((kind) => kind.startsWith('rows and columns'))
    expect(kinds).toHaveLength(4)
    for (let index = 0; index < count; index++) {
      const { kind, problem } = badlyScaledProblem(SEED + 1, index)
      if (!kinds.includes(kind)) continue
      const { n, A, b, free } = problem
      for (const [name, solver] of solvers) {
        if (names.includes(name))
          expect(`${kind} ${index} ${name} ${solver.solve(n, A, b, free, new Float64Array(n))}`).toMatch(/ solved$/)
      }
    }
  })
})

describe('units', () => {
  test('the largest entry of each row and column is within a factor of four of one, all are powers of two, and of symmetric A both are the same', () => {
    const random = createRandom(5)
    for (let trial = 0; trial < 20; trial++) {
      const { n, A } = scaled(random, dense(random, 2 + (trial % 9), 0), trial % 2 === 0)
      const [R, C] = [new Float64Array(n), new Float64Array(n)]
      const spread = Math.max(...A.map(Math.abs)) / Math.min(...A.map(Math.abs))
      if (findUnits(n, A, R, C)) {
        expect(spread).toBeLessThan(1e12)
        continue
      }
      for (const x of [...R, ...C]) expect(Number.isInteger(Math.log2(x))).toBe(true)
      if (trial % 2 === 0) expect(R).toEqual(C)
      for (let i = 0; i < n; i++) {
        const row = Math.max(...C.map((c, j) => Math.abs(R[i] * A[i * n + j] * c)))
        const column = Math.max(...R.map((r, j) => Math.abs(r * A[j * n + i] * C[i])))
        for (const size of [row, column]) {
          expect(size).toBeGreaterThan(1 / 4)
          expect(size).toBeLessThan(4)
        }
      }
    }
  })

  test('are left alone where rows, and columns, are of about one size, or not finite', () => {
    const [R, C] = [new Float64Array(2), new Float64Array(2)]
    for (const A of [
      [1, 2, 3, 4],
      [1e-9, 1e-9, 1e-9, 2e-9],
      [0, 1, 0, 2],
      [Number.NaN, 1, 1, 1e9],
      [1, Number.POSITIVE_INFINITY, 1e-9, 1],
    ]) {
      expect(findUnits(2, Float64Array.from(A), R, C), String(A)).toBe(true)
      expect([...R, ...C]).toEqual([1, 1, 1, 1])
    }
  })

  test('of rows and columns change what is solved, not what is an answer: the judge sees through them', () => {
    const random = createRandom(6)
    const residual = new Float64Array(1)
    for (const kind of Object.keys(problemClasses)) {
      for (let index = 0; index < 10; index++) {
        const { n, A, b, free } = corpusProblem(kind, 65, index)
        const answer = complementaritySolvers['path-following']()
        if (answer.solve(n, A, b, free, new Float64Array(n)) !== 'solved') continue
        const R = Float64Array.from({ length: n }, () => 2 ** (random.index(61) - 30))
        const C = Float64Array.from({ length: n }, () => 2 ** (random.index(61) - 30))
        const A2 = A.map((x, k) => R[Math.floor(k / n)] * x * C[k % n])
        const b2 = b.map((x, i) => R[i] * x)
        const z = Float64Array.from({ length: n }, (_, i) => answer.z[i] / C[i])
        complementarityResidual(n, A2, b2, free, z, new Float64Array(n), residual)
        expect(residual[0], `${kind} ${index}`).toBeLessThan(1e-9)
        // and a row of its own size that is missed is seen, whatever the others are
        const k = b.findIndex((x, i) => free[i] === 0 && x < 0)
        if (k < 0) continue
        complementarityResidual(n, A2, b2, free, new Float64Array(n), new Float64Array(n), residual)
        expect(residual[0]).toBeGreaterThan(9e-4)
      }
    }
  })

  test('a row a billion times smaller than another is not excused by it', () => {
    const judged = (A: number[], b: number[], z: number[]) => {
      const residual = new Float64Array(1)
      complementarityResidual(
        b.length,
        Float64Array.from(A),
        Float64Array.from(b),
        new Uint8Array(2),
        Float64Array.from(z),
        new Float64Array(2),
        residual,
      )
      return residual[0]
    }
    expect(judged([1e9, 0, 0, 1e-9], [-1e9, -1e-9], [1, 1])).toBe(0)
    expect(judged([1e9, 0, 0, 1e-9], [-1e9, -1e-9], [1, 0])).toBeGreaterThan(9e-4)
    expect(judged([1, 0, 0, 1], [-1e9, -1], [1e9, 0])).toBeGreaterThan(9e-4)
    // but what is less than rounding leaves of the larger one
    expect(judged([1, 0, 0, 1], [-1, -1e-17], [1, 0])).toBeLessThan(1e-16)
  })
})

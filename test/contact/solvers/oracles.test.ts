import { createRequire } from 'node:module'
import loadHighs from 'highs'
import { describe, expect, test } from 'vitest'
import { type ComplementaritySolverName, complementaritySolvers } from '../../../contact/solvers/index.ts'
import { full } from '../../dailyModels.ts'
import { corpusProblem, type LcpProblem } from './corpus.ts'

const { solveQP } = createRequire(import.meta.url)('quadprog') as {
  solveQP: (D: number[][], d: number[], A: number[][], b: number[]) => { solution: number[]; message: string }
}

interface Highs {
  solve(problem: string): { readonly Status: string; readonly ObjectiveValue: number }
}
/** Its types say that it is a CommonJS module, which it is not where it is imported. */
const load = loadHighs as unknown as () => Promise<Highs>

const count = full ? 2000 : 15
/** Those that are for symmetric positive semidefinite problems at least. */
const convexSolvers: readonly ComplementaritySolverName[] = ['lemke', 'murty', 'dantzig', 'pgs']

/**
 * x of min ½ xᵀD x + cᵀx with G x >= 0, by the dual method of Goldfarb and Idnani; its arrays count from 1. Null where it
 * calls inequalities inconsistent, as it does some that are equal.
 */
function quadprog(D: number[][], c: readonly number[], G: number[][]): number[] | null {
  const shift = (row: readonly number[]) => [0, ...row]
  // columns are constraints
  const columns = D.map((_, i) => G.map((row) => row[i]))
  const { solution, message } = solveQP(
    [[], ...D.map(shift)],
    shift(c.map((x) => -x)),
    [[], ...columns.map(shift)],
    shift(G.map(() => 0)),
  )
  return message === '' ? solution.slice(1) : null
}

const matrix = (A: Float64Array, rows: number) => {
  const columns = A.length / rows
  return Array.from({ length: rows }, (_, i) => Array.from(A.subarray(i * columns, (i + 1) * columns)))
}
const identity = (n: number) => Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => (i === j ? 1 : 0)))

function solve(name: ComplementaritySolverName, { n, A, b, free }: LcpProblem) {
  const solver = complementaritySolvers[name]()
  const status = solver.solve(n, A, b, free, new Float64Array(n))
  return { status, z: Array.from(solver.z.subarray(0, n)), w: Array.from(solver.w.subarray(0, n)) }
}

const largest = (x: ArrayLike<number>) => Array.from(x, Math.abs).reduce((most, value) => Math.max(most, value), 0)

describe('quadprog', () => {
  test('a positive definite problem has the answer of min ½ zᵀA z + bᵀz, z >= 0', () => {
    for (let index = 0; index < count; index++) {
      const problem = corpusProblem('P-matrix, symmetric', 11, index)
      const { n, A, b } = problem
      const truth = quadprog(matrix(A, n), Array.from(b), identity(n)) as number[]
      for (const name of convexSolvers) {
        const { status, z } = solve(name, problem)
        expect(`${index} ${name} ${status}`).toBe(`${index} ${name} solved`)
        // sweeps stop at a residual of 1e-8, which the condition, up to 1e3, multiplies
        for (let i = 0; i < n; i++) expect(Math.abs(z[i] - truth[i])).toBeLessThan(3e-5 * (1 + largest(truth)))
      }
    }
  })

  test('Gauss: the velocity after the contacts of J is the one nearest to v that they allow', () => {
    // min ½ |u - v|², J u >= 0: then J u = A z + b whichever of the many answers z is
    let known = 0
    for (const kind of ['dependent rows', 'degenerate']) {
      for (let index = 0; index < count; index++) {
        const problem = corpusProblem(kind, 12, index)
        const { n, J, v } = problem as Required<LcpProblem>
        const rows = matrix(J, n)
        const u = quadprog(
          identity(v.length),
          Array.from(v, (x) => -x),
          rows,
        )
        if (u === null) continue
        known++
        for (const name of convexSolvers) {
          const { status, w } = solve(name, problem)
          if (status !== 'solved') {
            // dependent rows may take sweeps longer than they are given
            expect(`${index} ${name} ${status}`).toMatch(/limit/)
            expect(name).toBe('pgs')
            continue
          }
          rows.forEach((row, i) => {
            const expected = row.reduce((sum, x, k) => sum + x * u[k], 0)
            // Of sweeps a residual r of 1e-8 · z is left, z up to 1e3, and |Δu|² <= z · r where rows nearly depend on each other.
            expect(Math.abs(w[i] - expected)).toBeLessThan(name === 'pgs' ? 1e-3 : 1e-6)
          })
        }
      }
    }
    expect(known).toBeGreaterThan(1.2 * count)
  })
})

describe('highs', () => {
  /** The least t such that z >= 0 with A z + b + t >= 0 exists: 0 if and only if the inequalities can be met. */
  function infeasibility(highs: Highs, { n, A, b }: LcpProblem): number {
    const term = (x: number, name: string) => `${x < 0 ? '-' : '+'} ${Math.abs(x).toFixed(17)} ${name}`
    const rows = Array.from({ length: n }, (_, i) => {
      const sum = Array.from({ length: n }, (_, j) => term(A[i * n + j], `z${j}`)).join(' ')
      return ` c${i}: ${sum} + t >= ${(-b[i]).toFixed(17)}`
    })
    const solution = highs.solve(`Minimize\n obj: t\nSubject To\n${rows.join('\n')}\nEnd\n`)
    expect(solution.Status).toBe('Optimal')
    return solution.ObjectiveValue
  }

  test('a ray in a semidefinite problem means that A z + b >= 0 cannot be met, and no ray that it can', async () => {
    const highs = await load()
    const seen = { ray: 0, solved: 0 }
    for (let index = 0; index < 2 * count; index++) {
      const problem = corpusProblem('semidefinite, any b', 13, index)
      const short = infeasibility(highs, problem)
      for (const name of ['lemke', 'murty', 'dantzig'] as const) {
        const { status } = solve(name, problem)
        const place = `${index} ${name}`
        // b is of size 1; highs meets rows to 1e-7
        if (status === 'ray') expect(short, place).toBeGreaterThan(1e-6)
        else if (status === 'solved') expect(short, place).toBeLessThan(1e-6)
        else expect(`${place} ${status}`).toMatch(/murty (residual|limit)/)
        if (status === 'ray' || status === 'solved') seen[status]++
      }
    }
    expect(seen.ray).toBeGreaterThan(count)
    expect(seen.solved).toBeGreaterThan(2 * count)
  })

  test('frictional problems with gaps that are not negative always have an answer: never a ray', () => {
    for (let index = 0; index < 5 * count; index++) {
      expect(`${index} ${solve('lemke', corpusProblem('frictional', 14, index)).status}`).toBe(`${index} solved`)
    }
  })
})

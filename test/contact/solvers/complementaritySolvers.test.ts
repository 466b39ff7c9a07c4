import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  type ComplementaritySolverName,
  complementarityResidual,
  complementaritySolvers,
  Enumeration,
  type SolverStatus,
} from '../../../contact/solvers/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { full, trials } from '../../dailyModels.ts'
import { corpusProblem, frictional, problemClasses, violation } from './corpus.ts'
import { CORPUS_SEED, corpusTable, FULL_COUNT, allSolvers as names, runCorpus } from './corpusTable.ts'

const nothing = (n: number) => new Uint8Array(n)
const zeros = (n: number) => new Float64Array(n)

describe('the corpus', () => {
  for (const kind of Object.keys(problemClasses)) {
    test(`${kind}: no wrong answer is called solved`, () => {
      const count = (full ? FULL_COUNT / 10 : FULL_COUNT / 300) / Object.keys(problemClasses).length
      expect(runCorpus(kind, CORPUS_SEED, 0, Math.ceil(count)).wrong).toEqual([])
    })
  }

  if (full) {
    test('all of it: no wrong answer is called solved, and the table in the docs', () => {
      const { text, wrong } = corpusTable(FULL_COUNT, CORPUS_SEED)
      expect(wrong).toEqual([])
      expect(readFileSync(new URL('../../../docs/solvers.md', import.meta.url), 'utf8')).toContain(text)
    })
  }
})

describe('what theory promises', () => {
  const promised: Record<string, readonly ComplementaritySolverName[]> = {
    'P-matrix, symmetric': ['lemke', 'murty', 'dantzig', 'pgs'],
    'P-matrix, not symmetric': ['lemke', 'murty'],
    'dependent rows': ['lemke', 'dantzig'],
    degenerate: ['lemke', 'dantzig'],
    frictional: ['lemke'],
    'mixed, semidefinite': ['lemke', 'dantzig'],
  }
  for (const [kind, solvers] of Object.entries(promised)) {
    test(`${kind}: ${solvers.join(', ')} solve${solvers.length === 1 ? 's' : ''} every problem`, () => {
      const count = full ? 5000 : 35
      const { tallies } = runCorpus(kind, 2, 0, count)
      for (const name of solvers) expect(`${name} ${tallies[name].solved}`).toBe(`${name} ${count}`)
    })
  }
})

for (const name of names) {
  describe(name, () => {
    test('a good start is an answer, found at once, and a bad one changes no answer', () => {
      let tried = 0
      for (const kind of ['P-matrix, symmetric', 'dependent rows', 'frictional', 'mixed, semidefinite']) {
        for (let index = 0; index < trials(40); index++) {
          const problem = corpusProblem(kind, 21, index)
          const { n, A, b, free } = problem
          const solver = complementaritySolvers[name]()
          if (solver.solve(n, A, b, free, zeros(n)) !== 'solved' || solver.iterations === 0) continue
          const cold = solver.iterations
          const z = solver.z.slice(0, n)
          const again: SolverStatus = solver.solve(n, A, b, free, z)
          expect(`${kind} ${index} ${again}`).toBe(`${kind} ${index} solved`)
          // an answer whose basis is singular, as friction has them, may be sought from nothing again
          if (name !== 'enumeration' && problemClasses[kind].convex)
            expect(solver.iterations).toBeLessThanOrEqual(Math.max(cold, n))
          tried++
          const random = createRandom(index)
          const start = Float64Array.from({ length: n }, () => random.between(-1, 1))
          if (solver.solve(n, A, b, free, start) !== 'solved') continue
          expect(violation(problem, solver.z)).toBeLessThan(2e-6) // what the corpus allows
          if (problemClasses[kind].unique) {
            for (let i = 0; i < n; i++) expect(Math.abs(solver.z[i] - z[i])).toBeLessThan(1e-4 * (1 + Math.abs(z[i])))
          }
        }
      }
      expect(tried).toBeGreaterThan(trials(50))
    })

    test('the same numbers give the same bits, whatever was solved in between', () => {
      const solver = complementaritySolvers[name]()
      for (const kind of Object.keys(problemClasses)) {
        const { n, A, b, free } = corpusProblem(kind, 22, 3)
        const first = solver.solve(n, A, b, free, zeros(n))
        const z = solver.z.slice(0, n)
        const { iterations } = solver
        for (let index = 10; index < 13; index++) {
          const other = corpusProblem(kind, 22, index)
          solver.solve(other.n, other.A, other.b, other.free, zeros(other.n))
        }
        expect(solver.solve(n, A, b, free, zeros(n))).toBe(first)
        expect(solver.z.slice(0, n)).toEqual(z)
        expect(solver.iterations).toBe(iterations)
        const fresh = complementaritySolvers[name]()
        expect(fresh.solve(n, A, b, free, zeros(n))).toBe(first)
        expect(fresh.z.slice(0, n)).toEqual(z)
      }
    })

    test('w and residual belong to z, and the problem is only read', () => {
      for (const kind of Object.keys(problemClasses)) {
        const { n, A, b, free } = corpusProblem(kind, 23, 5)
        const copies = [A.slice(), b.slice(), free.slice()]
        const solver = complementaritySolvers[name]()
        if (solver.solve(n, A, b, free, zeros(n)) !== 'solved') continue
        const w = zeros(n)
        const residual = zeros(1)
        complementarityResidual(n, A, b, free, solver.z, w, residual)
        expect(Array.from(solver.w.subarray(0, n))).toEqual(Array.from(w))
        expect(solver.residual[0]).toBe(residual[0])
        expect([A, b, free]).toEqual(copies)
      }
    })

    test('is known by its name in the registry', () => {
      expect(complementaritySolvers[name]().name).toBe(name)
    })

    test('what is not finite is no answer, and an array that is too short is an error', () => {
      const solver = complementaritySolvers[name]()
      expect(solver.solve(1, Float64Array.of(1), Float64Array.of(Number.NaN), nothing(1), zeros(1))).not.toBe('solved')
      expect(solver.solve(1, Float64Array.of(Number.NaN), Float64Array.of(-1), nothing(1), zeros(1))).not.toBe('solved')
      expect(() => solver.solve(2, zeros(3), zeros(2), nothing(2), zeros(2))).toThrow(/A has 3, b 2/)
    })

    test('walls that close in on a point mass from both sides have no answer, however small their gap', () => {
      // z1 - z2 >= g and z2 - z1 >= g: both impulses grow for ever, and the violation stays g
      const A = Float64Array.of(1, -1, -1, 1)
      for (const g of [1, 1e-6, 1e6]) {
        const solver = complementaritySolvers[name]()
        expect(solver.solve(2, A, Float64Array.of(-g, -g), nothing(2), zeros(2))).not.toBe('solved')
        // not even from a point so far out that g is small beside the terms
        expect(solver.solve(2, A, Float64Array.of(-g, -g), nothing(2), Float64Array.of(1e12 * g, 1e12 * g))).not.toBe('solved')
      }
    })
  })
}

describe('bilateral rows', () => {
  test('a loop closed twice, by the same row, is solved as if it were closed once', () => {
    for (const name of names) {
      // a point mass held along x by two equal bilateral rows, pressed on the ground along y
      const J = [
        [1, 0],
        [1, 0],
        [0.6, 0.8],
      ]
      const v = [0.3, -1]
      const A = Float64Array.from({ length: 9 }, (_, k) => {
        const [r, s] = [J[Math.floor(k / 3)], J[k % 3]]
        return r[0] * s[0] + r[1] * s[1]
      })
      const b = Float64Array.from(J, (r) => r[0] * v[0] + r[1] * v[1])
      const solver = complementaritySolvers[name]()
      expect(`${name} ${solver.solve(3, A, b, Uint8Array.of(1, 1, 0), zeros(3))}`).toBe(`${name} solved`)
      // the velocity after is v + Jᵀ z = 0: the mass can neither go along x nor through the slope
      // sweeps stop at 1e-8
      expect(Math.abs(v[0] + solver.z[0] + solver.z[1] + 0.6 * solver.z[2])).toBeLessThan(1e-7)
      expect(Math.abs(v[1] + 0.8 * solver.z[2])).toBeLessThan(1e-7)
    }
  })

  test('bilateral rows that contradict each other are never called solved', () => {
    for (const name of names) {
      const solver = complementaritySolvers[name]()
      const A = Float64Array.of(1, 1, 0, 1, 1, 0, 0, 0, 1)
      expect(solver.solve(3, A, Float64Array.of(1, 2, -1), Uint8Array.of(1, 1, 0), zeros(3)), name).not.toBe('solved')
    }
  })

  test('free unknowns whose own block has a zero diagonal are eliminated crosswise', () => {
    // z1 = 2 and z0 = z2 + 1 from the free rows; w2 = z2 + z0 - 3 = 2 z2 - 2
    const A = Float64Array.of(0, 1, 0, -1, 0, 1, 1, 0, 1)
    for (const name of ['lemke', 'murty', 'enumeration'] as const) {
      const solver = complementaritySolvers[name]()
      expect(solver.solve(3, A, Float64Array.of(-2, 1, -3), Uint8Array.of(1, 1, 0), zeros(3)), name).toBe('solved')
      for (const [i, x] of [2, 2, 1].entries()) expect(solver.z[i]).toBeCloseTo(x, 12)
    }
  })

  test('a free row without a pivot of its own that acts on the others is not applicable, and not guessed at', () => {
    for (const name of ['lemke', 'murty', 'dantzig', 'pgs', 'enumeration'] as const) {
      const solver = complementaritySolvers[name]()
      expect(solver.solve(2, Float64Array.of(0, 1, -1, 1), Float64Array.of(-1, 1), Uint8Array.of(1, 0), zeros(2)), name).toBe(
        'not-applicable',
      )
    }
  })

  test('rows that are free alone are a linear system', () => {
    for (const name of names) {
      const solver = complementaritySolvers[name]()
      expect(solver.solve(2, Float64Array.of(2, 1, 1, 3), Float64Array.of(-1, 2), Uint8Array.of(1, 1), zeros(2)), name).toBe(
        'solved',
      )
      expect(solver.z[0]).toBeCloseTo(1, 7)
      expect(solver.z[1]).toBeCloseTo(-1, 7)
    }
  })
})

describe('enumeration', () => {
  test('finds all answers, in the order of their bases', () => {
    // Painlevé's rod: A < 0, b > 0 has two, no contact and a wedge
    const solver = new Enumeration()
    expect(solver.solve(1, Float64Array.of(-2), Float64Array.of(4), nothing(1), zeros(1))).toBe('solved')
    expect(solver.z[0]).toBe(0)
    // two of them side by side have four
    const A = Float64Array.of(-2, 0, 0, -1)
    solver.solve(2, A, Float64Array.of(4, -1), nothing(2), zeros(2))
    expect(solver.answerCount).toBe(0)
    const both = new Enumeration()
    expect(both.solve(3, Float64Array.of(-2, 0, 0, 0, -1, 0, 0, 0, 1), Float64Array.of(4, 3, -5), nothing(3), zeros(3))).toBe(
      'solved',
    )
    expect(both.answers.slice(0, both.answerCount).map((z) => Array.from(z.subarray(0, 3)))).toEqual([
      [0, 0, 5],
      [2, 0, 5],
      [0, 3, 5],
      [2, 3, 5],
    ])
  })

  test('finds an answer that no regular basis has', () => {
    // w1 = 0, w2 = z1 - 1: every z1 >= 1 is an answer with z2 = 0, but every basis with z1 in it is singular
    const solver = new Enumeration()
    expect(solver.solve(2, Float64Array.of(0, 0, 1, 0), Float64Array.of(0, -1), nothing(2), zeros(2))).toBe('solved')
    expect(Array.from(solver.z.subarray(0, 2))).toEqual([1, 0])
  })

  test('is not applicable beyond its cap, which free unknowns do not count for', () => {
    const random = createRandom(1)
    const { n, A, b } = frictional(random, 3, 6)
    expect(new Enumeration().solve(n, A, b, nothing(n), zeros(n))).toBe('not-applicable')
    const solver = new Enumeration(1e-9, 2)
    const I = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
    expect(solver.solve(3, I, Float64Array.of(-1, -1, -1), Uint8Array.of(1, 0, 0), zeros(3))).toBe('solved')
    expect(solver.solve(3, I, Float64Array.of(-1, -1, -1), nothing(3), zeros(3))).toBe('not-applicable')
  })
})

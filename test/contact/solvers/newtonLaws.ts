import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import type { ComplementaritySolver } from '../../../contact/solvers/complementarity.ts'
import { complementaritySolvers } from '../../../contact/solvers/registry.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { full } from '../../dailyModels.ts'
import { enumerateAnswers, planarCorners } from '../peg/planarCorners.ts'
import { corpusProblem, frictional, type LcpProblem, problemClasses, violation } from './corpus.ts'

/** Goldfarb and Idnani's dual method: minimises x'Dx/2 - d'x such that A'x >= b, the first of them with equality; arrays begin at 1. */
const { solveQP } = createRequire(import.meta.url)('quadprog') as {
  solveQP(
    D: number[][],
    d: number[],
    A: number[][],
    b: number[],
    equalities: number,
  ): { solution: number[]; Lagrangian: number[]; message: string }
}

const nothingKnown = (problem: LcpProblem) => new Float64Array(problem.n)
const solve = (solver: ComplementaritySolver, p: LcpProblem, start = nothingKnown(p)) =>
  solver.solve(p.n, p.A, p.b, p.free, start)

/** What a check by residuals of 1e-9 leaves of a violation, where terms may be a thousand times as large as b. */
const ALLOWED = 1e-6

/** What holds for every solver for mixed and non-convex problems. `share` of those that have an answer must be solved. */
export function newtonLaws(create: () => ComplementaritySolver, share: number): void {
  const solver = create()

  test('a matrix whose symmetric part is positive definite has one answer, the one that enumeration finds', () => {
    const truth = complementaritySolvers.enumeration()
    for (let index = 0; index < (full ? 3000 : 35); index++) {
      const problem = corpusProblem('P-matrix, not symmetric', 31, index)
      if (problem.n > 10) continue
      expect(solve(solver, problem)).toBe('solved')
      expect(solve(truth, problem)).toBe('solved')
      // conditions of up to 1e4
      for (let i = 0; i < problem.n; i++) expect(Math.abs(solver.z[i] - truth.z[i])).toBeLessThan(1e-6 * (1 + truth.z[i]))
    }
  })

  test('rows that depend on each other, bilateral ones and doubles among them: w is that of the quadratic program', () => {
    let [unsolved, unjudged] = [0, 0]
    const count = full ? 3000 : 35
    for (let index = 0; index < count; index++) {
      const problem = corpusProblem('mixed, semidefinite', 32, index)
      const { n, free, J, v } = problem
      if (solve(solver, problem) !== 'solved') {
        unsolved++
        continue
      }
      // the velocity nearest to v that the rows allow; quadprog wants equalities that do not depend, so each free row is two inequalities
      const dof = v!.length
      const rows: number[][] = []
      for (let i = 0; i < n; i++) {
        const row = Array.from(J!.subarray(i * dof, (i + 1) * dof))
        rows.push(row)
        if (free[i] === 1) rows.push(row.map((x) => -x))
      }
      const D = [[], ...Array.from({ length: dof }, (_, i) => [0, ...Array.from({ length: dof }, (_, j) => (i === j ? 1 : 0))])]
      const A = [[], ...Array.from({ length: dof }, (_, k) => [0, ...rows.map((row) => row[k])])]
      const { solution, message } = solveQP(D, [0, ...v!], A, [0, ...rows.map(() => 0)], 0)
      if (message !== '') {
        unjudged++ // rest is a solution always, but quadprog takes rows that depend on each other for a contradiction
        continue
      }
      for (let i = 0; i < n; i++) {
        let w = 0
        for (let k = 0; k < dof; k++) w += J![i * dof + k] * solution[k + 1]
        expect(Math.abs(solver.w[i] - w)).toBeLessThan(1e-6)
      }
    }
    expect(unsolved).toBeLessThanOrEqual(count * (1 - share))
    expect(unjudged).toBeLessThanOrEqual(count / 100)
  })

  test('friction at up to sixteen contacts, slip rows with an empty diagonal', () => {
    const random = createRandom(33)
    let solved = 0
    let count = 0
    for (const contacts of [1, 1, 2, 2, 4, 4, 8, 16]) {
      for (let trial = 0; trial < (full ? 100 : 3); trial++) {
        const problem = frictional(random, contacts, 6 + contacts)
        count++
        if (solve(solver, problem) !== 'solved') continue
        solved++
        expect(violation(problem, solver.z)).toBeLessThan(ALLOWED)
      }
    }
    expect(solved).toBeGreaterThanOrEqual(count * share)
  })

  test('corners of two bodies (polyhedral exact geometry): the motion found is one of the few that there are', () => {
    const random = createRandom(34)
    let several = 0
    const count = full ? 200 : 2
    for (let trial = 0; trial < count; trial++) {
      const problem = planarCorners(random)
      // impulses of contacts that share a load, and slacks that say nothing of the motion, may be many
      const motions: Float64Array[] = []
      for (const answer of enumerateAnswers(problem)) {
        const motion = answer.slice(0, 6)
        if (!motions.some((other) => distance(motion, other) < 1e-6)) motions.push(motion)
      }
      if (motions.length > 1) several++
      expect(solve(solver, problem)).toBe('solved')
      expect(violation(problem, solver.z)).toBeLessThan(ALLOWED)
      expect(Math.min(...motions.map((motion) => distance(motion, solver.z)))).toBeLessThan(1e-5)
    }
    expect(several).toBeGreaterThan(count / 2)
  })

  test('nothing is called solved that is not, in problems of every class, and nearly all that can be solved are', () => {
    const truth = complementaritySolvers.enumeration()
    for (const name of Object.keys(problemClasses)) {
      let known = 0
      let missed = 0
      for (let index = 0; index < (full ? 3000 : 14); index++) {
        const problem = corpusProblem(name, 35, index)
        const status = solve(solver, problem)
        if (status === 'solved') expect(violation(problem, solver.z), `${name} ${index}`).toBeLessThan(2e-6)
        const small = problem.n <= 8
        if (!problemClasses[name].solvable && !small) continue
        if (!problemClasses[name].solvable && solve(truth, problem) !== 'solved') {
          expect(status, `${name} ${index}`).not.toBe('solved')
          continue
        }
        known++
        if (status !== 'solved') missed++
      }
      expect(missed, name).toBeLessThanOrEqual(known * (1 - share))
    }
  })

  test('no answer: 0 z - 1 >= 0, rows that contradict each other, numbers that are not finite', () => {
    const one = (a: number, b: number) =>
      solver.solve(1, Float64Array.of(a), Float64Array.of(b), Uint8Array.of(0), new Float64Array(1))
    expect(one(0, -1)).not.toBe('solved')
    expect(one(-1, -1)).not.toBe('solved')
    expect(one(1, Number.NaN)).toBe('residual')
    expect(solver.residual[0]).toBe(Number.POSITIVE_INFINITY)
    expect(one(Number.POSITIVE_INFINITY, 1)).toBe('residual')
    // the same free row twice, with two right-hand sides
    expect(
      solver.solve(2, Float64Array.of(1, 1, 1, 1), Float64Array.of(1, 2), Uint8Array.of(1, 1), new Float64Array(2)),
    ).not.toBe('solved')
    expect(() => solver.solve(2, new Float64Array(3), new Float64Array(2), new Uint8Array(2), new Float64Array(2))).toThrow(
      /2 unknowns need at least 4/,
    )
  })

  test('an answer that solves -z + 1 >= 0 is returned, which of the two does not matter', () => {
    expect(solver.solve(1, Float64Array.of(-1), Float64Array.of(1), Uint8Array.of(0), new Float64Array(1))).toBe('solved')
    expect([0, 1]).toContain(solver.z[0])
  })

  test('other units of the impulses and of the velocities change the answer by their factors alone', () => {
    const random = createRandom(36)
    for (let index = 0; index < 20; index++) {
      const { n, A, b, free } = corpusProblem('P-matrix, symmetric', 36, index)
      expect(solve(solver, { n, A, b, free })).toBe('solved')
      const z = solver.z.slice(0, n)
      // D on both sides, as with forces for torques
      const D = Float64Array.from({ length: n }, () => 10 ** Math.floor(random.between(-2, 3)))
      const other: LcpProblem = {
        n,
        A: A.map((x, k) => x * D[Math.floor(k / n)] * D[k % n]),
        b: b.map((x, i) => 1000 * x * D[i]),
        free,
      }
      expect(solve(solver, other)).toBe('solved')
      const same = solver.z.slice(0, n).map((x, i) => (x * D[i]) / 1000)
      // the answer is checked to 1e-9 of the largest term in the given units, whose squares span eight decades, and to 1e-6 of b
      expect(distance(z, same)).toBeLessThan(1e-3 * (1 + Math.max(...z)))
    }
  })

  test('a start at the answer, or at one with the same active set, takes no step', () => {
    for (const name of ['P-matrix, symmetric', 'dependent rows', 'frictional', 'mixed, frictional']) {
      for (let index = 0; index < 10; index++) {
        const problem = corpusProblem(name, 37, index)
        expect(solve(solver, problem)).toBe('solved')
        const z = solver.z.slice(0, problem.n)
        expect(solve(solver, problem, z)).toBe('solved')
        expect(solver.iterations, `${name} ${index}`).toBe(0)
      }
    }
  })

  test('any start leads to an answer', () => {
    const random = createRandom(38)
    for (let index = 0; index < 30; index++) {
      const problem = corpusProblem('P-matrix, not symmetric', 38, index)
      expect(solve(solver, problem)).toBe('solved')
      const z = solver.z.slice(0, problem.n)
      const start = Float64Array.from(z, () => random.between(-1, 1) * 10)
      expect(solve(solver, problem, start)).toBe('solved')
      expect(distance(z, solver.z)).toBeLessThan(1e-6 * (1 + Math.max(...z)))
    }
  })

  test('the same numbers give the same bits, whatever was solved before', () => {
    const problem = planarCorners(createRandom(39))
    solve(solver, problem)
    const z = solver.z.slice(0, problem.n)
    const { iterations } = solver
    for (let index = 0; index < 10; index++) solve(solver, corpusProblem('frictional', 39, index))
    solve(solver, problem)
    expect(solver.z.slice(0, problem.n)).toEqual(z)
    expect(solver.iterations).toBe(iterations)
    const other = create()
    solve(other, problem)
    expect(other.z.slice(0, problem.n)).toEqual(z)
  })
}

function distance(a: Float64Array, b: Float64Array): number {
  let most = 0
  for (let i = 0; i < a.length; i++) most = Math.max(most, Math.abs(a[i] - b[i]))
  return most
}

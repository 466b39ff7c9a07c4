/** The judges of answers: what they measure, and that no size of an impulse makes an answer of what is none. */
import { describe, expect, test } from 'vitest'
import { solveProblem } from '../../../compare/index.ts'
import {
  type ComplementaritySolver,
  type ContactProblem,
  complementarityResidual,
  complementaritySolvers,
  contactResidual,
  contactSolvers,
  GroupKind,
  PyramidSolver,
  pyramidSides,
  UNKNOWN_MODE,
} from '../../../contact/solvers/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { corpusProblem, problemClasses, violation } from './corpus.ts'

function judged(A: readonly number[], b: readonly number[], z: readonly number[], free: readonly number[] = []): number {
  const n = b.length
  const residual = new Float64Array(1)
  const mask = Uint8Array.from({ length: n }, (_, i) => (free.includes(i) ? 1 : 0))
  complementarityResidual(
    n,
    Float64Array.from(A),
    Float64Array.from(b),
    mask,
    Float64Array.from(z),
    new Float64Array(n),
    residual,
  )
  return residual[0]
}

/** A point mass between walls that close in on it from both sides: z1 - z2 >= 1 and z2 - z1 >= 1. */
const walls = { A: [1, -1, -1, 1], b: [-1, -1] }
const wallContacts = (frictional: boolean): ContactProblem => {
  const rows = frictional ? 6 : 2
  const W = new Float64Array(rows * rows)
  const rhs = new Float64Array(rows)
  const step = rows / 2
  for (let a = 0; a < 2; a++) {
    rhs[a * step] = -1
    for (let b = 0; b < 2; b++) {
      for (let k = 0; k < step; k++) W[(a * step + k) * rows + b * step + k] = k === 0 && a !== b ? -1 : 1
    }
  }
  return {
    rowCount: rows,
    W,
    rhs,
    groupCount: 2,
    first: Int32Array.of(0, step, rows),
    kind: new Uint8Array(2).fill(frictional ? GroupKind.frictional : GroupKind.unilateral),
    limit: new Float64Array(2).fill(frictional ? 0.5 : 0),
  }
}

describe('complementarityResidual', () => {
  test('is zero at answers, and the share of b by which a row is violated elsewhere', () => {
    expect(judged([2], [-4], [2])).toBe(0)
    expect(judged([2], [4], [0])).toBe(0)
    expect(judged([2], [-4], [1])).toBe(0.5) // w = -2
    expect(judged([2], [-4], [3])).toBe(2 / 6) // w = 2 beside z > 0, of a term of 6
    expect(judged([2], [4], [-1])).toBe(0.5) // a z that pulls with 2
    expect(judged([2], [-4], [2], [0])).toBe(0)
    expect(judged([-2], [-4], [-2], [0])).toBe(0)
    expect(judged([2], [-4], [1], [0])).toBe(0.5)
    // what acts on nothing counts by itself
    expect(judged([0], [1], [-1])).toBe(1)
    expect(judged([0], [1], [0.5])).toBe(0.5)
  })

  test('walls that close in: a z of 1e14, beside which the violation of 1 is nothing, is refused; so is any other', () => {
    for (const size of [0, 1, 1e6, 1e14, 1e15]) {
      // 1 of a hundred times b
      expect(judged(walls.A, walls.b, [size, size])).toBeGreaterThanOrEqual(0.01)
      expect(judged(walls.A, walls.b, [size, size], [0, 1])).toBeGreaterThanOrEqual(0.01)
    }
    expect(judged(walls.A, [0, 0], [1e14, 1e14])).toBe(0)
    expect(judged([1, -1, -1, 2], [0, 0], [1e-20, 1e-20])).toBe(Number.POSITIVE_INFINITY) // b gives no size, and z = 0 is an answer
  })

  test('a z that is small in number cannot hide a row that lifts off while it is pushed', () => {
    expect(judged([1e9], [1], [1e-9])).toBe(1) // w = 2, half of it by z
    expect(judged([1e-9], [-1], [0.5e9])).toBe(0.5)
  })

  test('the scales of b and z, and of z against w, change nothing', () => {
    const random = createRandom(61)
    for (const kind of Object.keys(problemClasses)) {
      for (let index = 0; index < 20; index++) {
        const { n, A, b, free } = corpusProblem(kind, 61, index)
        const z = Array.from({ length: n }, () => Math.max(0, random.between(-1, 1)))
        const mask = [...free.keys()].filter((i) => free[i] === 1)
        const plain = judged([...A], [...b], z, mask)
        // powers of two: no rounding
        for (const [unit, size] of [
          [1, 2 ** -20],
          [2 ** 20, 1],
          [2 ** -9, 2 ** 9],
        ]) {
          const scaled = judged(
            Array.from(A, (x) => x / unit),
            Array.from(b, (x) => x * size),
            z.map((x) => x * unit * size),
            mask,
          )
          // but of z that act on nothing, which have no unit but their own
          if (Array.from({ length: n }, (_, j) => b.some((_x, i) => A[i * n + j] !== 0)).every(Boolean))
            expect(scaled).toBe(plain)
        }
      }
    }
  })

  test('what it lets pass violates no row by more than a hundred times as much of b, in a measure of its own', () => {
    const random = createRandom(62)
    for (const kind of Object.keys(problemClasses)) {
      for (let index = 0; index < 20; index++) {
        const problem = corpusProblem(kind, 62, index)
        const { n, A, b, free } = problem
        for (const size of [1e-3, 1, 1e6, 1e14]) {
          const z = Array.from({ length: n }, () => size * Math.max(0, random.between(-1, 1)))
          const mask = [...free.keys()].filter((i) => free[i] === 1)
          const residual = judged([...A], [...b], z, mask)
          // the factor is for rounding
          if (b.some((x) => x !== 0)) expect(violation(problem, z)).toBeLessThanOrEqual(100 * residual * (1 + 1e-9))
        }
      }
    }
  })
})

describe('contactResidual', () => {
  test('walls that close in: impulses of any size are refused', () => {
    for (const frictional of [false, true]) {
      const problem = wallContacts(frictional)
      const residual = new Float64Array(1)
      for (const law of ['cone', 'associated', 'pyramid'] as const) {
        for (const size of [0, 1, 1e6, 1e14, 1e15]) {
          const p = new Float64Array(problem.rowCount)
          p[0] = size
          p[problem.rowCount / 2] = size
          contactResidual(problem, law, 4, p, new Float64Array(problem.rowCount), residual)
          expect(residual[0]).toBeGreaterThanOrEqual(0.01)
        }
      }
    }
  })
})

describe('no solver calls the walls solved, from nothing or from impulses of 1e14', () => {
  const free = new Uint8Array(2)
  for (const [name, create] of Object.entries(complementaritySolvers)) {
    test(name, () => {
      for (const size of [0, 1e12, 1e14]) {
        const start = new Float64Array(2).fill(size)
        expect(create().solve(2, Float64Array.from(walls.A), Float64Array.from(walls.b), free, start)).not.toBe('solved')
      }
    })
  }
  const sides = pyramidSides(4)
  const solvers = [
    ...Object.values(contactSolvers).flatMap((create) =>
      (['cone', 'associated', 'pyramid'] as const).flatMap((law) => create(law, 4) ?? []),
    ),
    new PyramidSolver(complementaritySolvers.lemke(), sides),
    new PyramidSolver(complementaritySolvers.lmmcp(), sides),
  ]
  for (const solver of solvers) {
    test(`${solver.name}, ${solver.law}`, () => {
      for (const frictional of [false, true]) {
        const problem = wallContacts(frictional)
        for (const size of [0, 1e14]) {
          const p = new Float64Array(problem.rowCount)
          p[0] = size
          p[problem.rowCount / 2] = size
          expect(solver.solve(problem, p, new Int8Array(2).fill(UNKNOWN_MODE))).not.toBe('solved')
        }
      }
    })
  }

  test('nor does `featherbed solve` where a solver says so', () => {
    const liar: ComplementaritySolver = {
      name: 'liar',
      z: Float64Array.of(1e14, 1e14),
      w: new Float64Array(2),
      iterations: 1,
      residual: new Float64Array(1),
      solve: () => 'solved',
    }
    const A = [walls.A.slice(0, 2), walls.A.slice(2)]
    const { solvers: results } = solveProblem(
      { kind: 'lcp', A, b: walls.b, free: [] },
      { complementarity: { liar: () => liar }, contact: {} },
    )
    expect(results).toHaveLength(1)
    expect(results[0]).toMatchObject({ status: 'failed', reason: 'residual', z: null })
  })
})

import { describe, expect, test } from 'vitest'
import { staticProblem } from '../../../cases/papers/baraff/friction.ts'
import { Random } from '../../../compare/scenario/world/random.ts'
import {
  type ContactProblem,
  contactResidual,
  GroupKind,
  LemkeSolver,
  MurtySolver,
  PyramidProblem,
  PyramidSolver,
  pyramidSides,
  StaggeredPyramid,
} from '../../../contact/solvers/index.ts'

const sides = 8
const staggered = () => new StaggeredPyramid(new MurtySolver(1e-8), pyramidSides(sides), 1e-8)

/** One contact whose tangent 1 is coupled with its normal. */
const coupled = (mu: number): ContactProblem => ({
  rowCount: 3,
  W: Float64Array.of(1, 0.5, 0, 0.5, 1, 0, 0, 0, 1),
  rhs: Float64Array.of(-1, 0.3, 0.2),
  groupCount: 1,
  first: Int32Array.of(0, 3),
  kind: Uint8Array.of(GroupKind.frictional),
  limit: Float64Array.of(mu),
})

describe('why pyramids are no problem for least-index pivots in one piece', () => {
  test('the minor of a normal, the side against its coupling and sigma is W_nn - mu W_nt: from mu = W_nn / W_nt on the matrix is not P0', () => {
    const pyramid = new PyramidProblem(pyramidSides(sides))
    for (const mu of [0.5, 1.9, 2.1, 5]) {
      pyramid.assemble(coupled(mu))
      const { A, size } = pyramid
      // side 4 is along -tangent 1, sigma is last
      const [n, side, sigma] = [0, 1 + sides / 2, size - 1]
      const a = (i: number, j: number) => A[i * size + j]
      const minor =
        a(n, n) * (a(side, side) * a(sigma, sigma) - a(side, sigma) * a(sigma, side)) -
        a(n, side) * (a(side, n) * a(sigma, sigma) - a(side, sigma) * a(sigma, n)) +
        a(n, sigma) * (a(side, n) * a(sigma, side) - a(side, side) * a(sigma, n))
      expect(minor).toBeCloseTo(1 - 0.5 * mu, 12)
    }
  })
})

describe('normals and friction in turn', () => {
  test('one contact at rest is always answered, as by Lemke’s algorithm', () => {
    const random = new Random(3, 1)
    const [own, lemke] = [staggered(), new PyramidSolver(new LemkeSolver(1e-8), pyramidSides(sides))]
    for (let k = 0; k < 200; k++) {
      const problem = staticProblem(random, 1)
      const [p, expected] = [new Float64Array(3), new Float64Array(3)]
      expect([own.solve(problem, p), lemke.solve(problem, expected)]).toEqual(['solved', 'solved'])
    }
  })

  test('of contacts wedged from all sides not all are answered, which is said; what is called solved meets the law of pyramids', () => {
    const solver = staggered()
    const [u, residual] = [new Float64Array(24), new Float64Array(1)]
    const solved = [2, 4, 8].map((n) => {
      const random = new Random(1, n)
      let count = 0
      for (let k = 0; k < 15; k++) {
        const problem = staticProblem(random, n)
        const p = new Float64Array(3 * n)
        const status = solver.solve(problem, p)
        if (status !== 'solved') expect(status).toBe('residual')
        else {
          count++
          contactResidual(problem, 'pyramid', sides, p, u, residual)
          expect(residual[0]).toBeLessThan(1e-5)
        }
      }
      return count / 15
    })
    expect(solved[0]).toBe(1)
    for (const share of solved.slice(1)) {
      expect(share).toBeGreaterThan(0.7)
      expect(share).toBeLessThan(1)
    }
  })

  test('a bounded friction of no contact is not known', () => {
    const problem = { ...coupled(0.5), kind: Uint8Array.of(GroupKind.disc) }
    expect(staggered().solve(problem, new Float64Array(3))).toBe('not-applicable')
  })
})

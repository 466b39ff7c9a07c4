import { describe, expect, test } from 'vitest'
import { PathFollowing } from '../../../contact/solvers/iterative/pathFollowing.ts'
import { LemkeSolver } from '../../../contact/solvers/pivoting/lemke.ts'
import { corpusProblem } from './corpus.ts'
import { newtonLaws } from './newtonLaws.ts'

describe('path-following', () => {
  newtonLaws(() => new PathFollowing(), 0.95)

  test('semidefinite: a ray where Lemke proves that there is no answer, and an answer where he has one', () => {
    const solver = new PathFollowing()
    const lemke = new LemkeSolver()
    const seen = { solved: 0, ray: 0 }
    for (let index = 0; index < 200; index++) {
      const { n, A, b, free } = corpusProblem('semidefinite, any b', 44, index)
      const expected = lemke.solve(n, A, b, free, new Float64Array(n))
      expect(`${index} ${solver.solve(n, A, b, free, new Float64Array(n))}`).toBe(`${index} ${expected}`)
      seen[expected as 'solved' | 'ray']++
    }
    expect(Math.min(seen.solved, seen.ray)).toBeGreaterThan(40)
  })

  test('friction from nothing: one path is enough, as the theory of copositive-plus matrices has it', () => {
    const solver = new PathFollowing()
    for (const name of ['frictional', 'mixed, frictional']) {
      for (let index = 0; index < 100; index++) {
        const { n, A, b, free } = corpusProblem(name, 45, index)
        expect(solver.solve(n, A, b, free, new Float64Array(n))).toBe('solved')
        // the cap of one path
        expect(solver.iterations, `${name} ${index}`).toBeLessThan(50 + 10 * n)
      }
    }
  })

  test('a path from the answer to a neighbouring problem is shorter than one from nothing', () => {
    const solver = new PathFollowing()
    let cold = 0
    let warm = 0
    for (let index = 0; index < 50; index++) {
      const { n, A, b, free } = corpusProblem('P-matrix, not symmetric', 46, index)
      const other = b.map((x, i) => x + 0.1 * Math.sign(((i * 7) % 5) - 2))
      expect(solver.solve(n, A, other, free, new Float64Array(n))).toBe('solved')
      cold += solver.iterations
      const z = solver.z.slice(0, n)
      expect(solver.solve(n, A, b, free, z)).toBe('solved')
      warm += solver.iterations
    }
    expect(warm).toBeLessThan(0.8 * cold)
  })
})

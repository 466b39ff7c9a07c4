import { describe, expect, test } from 'vitest'
import { FischerBurmeisterNewton } from '../../../contact/solvers/fischerBurmeister.ts'
import { corpusProblem } from './corpus.ts'
import { newtonLaws } from './newtonLaws.ts'

describe('fb-newton', () => {
  newtonLaws(() => new FischerBurmeisterNewton(), 0.95)

  test('for P-matrices the first attempt is enough, from zero and from anywhere', () => {
    // no stationary point of the merit is anything but the answer
    const solver = new FischerBurmeisterNewton()
    for (let index = 0; index < 100; index++) {
      for (const name of ['P-matrix, symmetric', 'P-matrix, not symmetric']) {
        const { n, A, b, free } = corpusProblem(name, 41, index)
        expect(solver.solve(n, A, b, free, new Float64Array(n))).toBe('solved')
        expect(solver.iterations).toBeLessThan(30)
        expect(solver.solve(n, A, b, free, new Float64Array(n).fill(100))).toBe('solved')
        expect(solver.iterations).toBeLessThan(30)
      }
    }
  })
})

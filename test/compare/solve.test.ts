import { describe, expect, test } from 'vitest'
import type { Problem } from '../../compare/inspect/problemFile.ts'
import { type SolverResult, type Solvers, solveProblem, solverNames } from '../../compare/inspect/solve.ts'
import { solvers } from '../../compare/inspect/solvers.ts'
import type { ComplementaritySolver, SavedProblem, SolverStatus } from '../../contact/index.ts'
import { example, pointOnGround } from './problems.ts'

/** What the residual of an answer allows, in problems whose numbers are about 1. */
const TOLERANCE = 1e-6

const answersOf = (problem: Problem) => solveProblem(problem, solvers).solvers.filter(({ status }) => status === 'solved')
function expectNear(found: readonly number[] | null | undefined, expected: readonly number[], tolerance = TOLERANCE): void {
  expect(found).toHaveLength(expected.length)
  expected.forEach((x, i) => {
    expect(Math.abs((found as number[])[i] - x), `${found} is not ${expected}`).toBeLessThan(tolerance)
  })
}

describe('an lcp: a string of three points over an obstacle', () => {
  for (const result of answersOf(example('lcp'))) {
    test(result.name, () => {
      expect(result.reason).toBeNull()
      expect(result.microseconds).toBeGreaterThanOrEqual(0) // a coarse clock sees none
      expectNear(result.z, [0.75, 0, 0.25]) // 4 z = 3, 4 z = 1, and w of the middle one 2 - 0.75 - 0.25 = 1
    })
  }
  test('their w agree', () => {
    const { agreement, kind, rows } = solveProblem(example('lcp'), solvers)
    expect({ kind, rows }).toEqual({ kind: 'lcp', rows: 3 })
    expect(agreement).toHaveLength(1)
    expect(agreement[0]).toMatchObject({ law: null, of: 'w', solvers: answersOf(example('lcp')).length })
    expect(agreement[0].largestDifference).toBeLessThan(TOLERANCE)
  })
})

describe('an mlcp: two masses on a rod, the lower one on the ground', () => {
  for (const { name, z } of answersOf(example('mlcp'))) {
    // the rod carries the upper weight for a step of 1 ms, the ground both
    test(name, () => expectNear(z, [9.81e-3, 2 * 9.81e-3], 1e-8))
  }
})

describe('a box that slides on its four corners', () => {
  const weight = 2 * 9.81e-3 // N s over the step
  const all = answersOf(example('box'))
  for (const { name, law, z, velocity } of all.filter((result) => result.law !== 'associated')) {
    test(`${name}, ${law}: friction mu of the weight, and the front corners carry mu h / a more than the rear ones`, () => {
      const [p, v] = [z as number[], velocity as number[]]
      const normals = [0, 3, 6, 9].map((k) => p[k])
      expectNear([normals.reduce((sum, x) => sum + x, 0)], [weight], 1e-7)
      expectNear([p[1] + p[4] + p[7] + p[10]], [-0.5 * weight], 1e-7)
      const [rearLeft, rearRight, frontLeft, frontRight] = normals
      expectNear([frontLeft + frontRight - rearLeft - rearRight], [(0.5 * 0.025 * weight) / 0.1], 1e-7)
      expectNear(v, [0, 0, 0, 0.5 - 0.5 * 9.81e-3, 0, 0], 1e-6)
    })
  }
  test('the associated law lifts what slides by mu times its speed', () => {
    const associated = all.filter(({ law }) => law === 'associated')
    expect(associated.length).toBeGreaterThan(0)
    // u_n = mu |u_t| at each of the corners that carry, for the box does not turn in the plane
    for (const { velocity } of associated) {
      const [, wy, , vx, , vz] = velocity as number[]
      const lowest = vz - Math.abs(wy) * 0.1
      expectNear([lowest], [0.5 * (vx - 0.025 * wy)], 1e-6)
    }
  })
})

describe("Painlevé's rod", () => {
  test('in forces no solver has an answer, and each says so', () => {
    const { solvers: results, agreement } = solveProblem(example('painleve-rod-forces'), solvers)
    expect(results.filter(({ status }) => status === 'solved')).toEqual([])
    for (const { z, reason, status } of results)
      expect({ z, told: status === 'not-applicable' || reason !== null }).toEqual({ z: null, told: true })
    expect(results.find(({ name }) => name === 'lemke')).toMatchObject({ status: 'failed', reason: 'ray' })
    expect(agreement).toEqual([{ law: null, of: 'w', solvers: 0, largestDifference: null }])
  })

  for (const { name, law, z, velocity } of answersOf(example('painleve-rod')).filter((result) => result.law !== 'associated')) {
    test(`in impulses ${name}, ${law}, stops the tip`, () => {
      // the tip's velocity vanishes: 7/4 p_n + 3√3/4 p_t = g h, 3√3/4 p_n + 13/4 p_t = -1; the determinant is 4
      const c = (3 * Math.sqrt(3)) / 4
      const gh = 9.81e-3
      expectNear(z, [(3.25 * gh + c) / 4, (-1.75 - c * gh) / 4, 0])
      const [x, , y, w] = velocity as number[]
      expectNear([x + (Math.sqrt(3) / 2) * w, y + w / 2], [0, 0])
    })
  }
})

/** A solver that says `status` of z = given. */
const saying = (status: SolverStatus, given: readonly number[], residual = 0): (() => ComplementaritySolver) => {
  const z = Float64Array.from(given)
  return () => ({ name: 'saying', z, w: z.slice(), iterations: 7, residual: Float64Array.of(residual), solve: () => status })
}
const only = (create: () => ComplementaritySolver): Solvers => ({ complementarity: { saying: create }, contact: {} })
const first = (problem: Problem, set: Solvers, name?: string): SolverResult => solveProblem(problem, set, name).solvers[0]
const half = { kind: 'lcp', A: [[2]], b: [-1], free: [] } as const

describe('what a solver says is looked at again', () => {
  test('an answer that holds', () => {
    expect(first(half, only(saying('solved', [0.5])))).toMatchObject({ status: 'solved', reason: null, z: [0.5], residual: 0 })
  })
  test('one that does not hold is a failure, with its residual: w = 2 · 0.4 - 1 of the largest term 1', () => {
    const found = first(half, only(saying('solved', [0.4])))
    expect(found).toMatchObject({ status: 'failed', reason: 'residual', z: null })
    expectNear([found.residual as number], [0.2], 1e-15)
  })
  test('NaN is no answer, and JSON has a word for its residual', () => {
    expect(first(half, only(saying('solved', [Number.NaN])))).toMatchObject({ status: 'failed', z: null, residual: null })
  })
  for (const reason of ['ray', 'limit', 'residual'] as const) {
    test(reason, () => {
      const found = first(half, only(saying(reason, [0], 0.25)))
      expect(found).toMatchObject({ status: 'failed', reason, z: null, residual: 0.25, iterations: 7 })
    })
  }
  test('not applicable', () => {
    const found = first(half, only(saying('not-applicable', [0])))
    expect(found).toEqual({
      name: 'saying',
      status: 'not-applicable',
      reason: null,
      z: null,
      residual: null,
      iterations: 0,
      microseconds: null,
    })
  })
  test('answers that differ are told apart', () => {
    // z of any size is an answer of 0 z + 0: what can be compared is w
    const two = { complementarity: { one: saying('solved', [1]), other: saying('solved', [2]) }, contact: {} }
    expect(solveProblem({ kind: 'lcp', A: [[0]], b: [0], free: [] }, two).agreement).toEqual([
      { law: null, of: 'w', solvers: 2, largestDifference: 0 },
    ])
  })
})

describe('one solver by its name', () => {
  test('is asked alone', () => {
    expect(solveProblem(example('lcp'), solvers, 'lemke').solvers.map(({ name }) => name)).toEqual(['lemke'])
    expect(solveProblem(example('box'), solvers, 'lemke').solvers).toMatchObject([{ name: 'lemke', law: 'pyramid' }])
  })
  test('one of contacts does not apply to an lcp', () => {
    expect(first(half, solvers, 'contact-pgs')).toMatchObject({ name: 'contact-pgs', status: 'not-applicable' })
  })
  test('one of contacts is asked under every law that it is made for', () => {
    const laws = solveProblem(example('box'), solvers, 'newton').solvers.map(({ law }) => law)
    expect(laws).toEqual(['pyramid', 'cone', 'associated'])
  })
  test('names are unique', () => {
    const names = solverNames(solvers)
    expect(new Set(names).size).toBe(names.length)
    expect(names).toContain('lemke')
  })
})

describe('a contact problem', () => {
  const point: SavedProblem = { ...pointOnGround, vFree: [0.3, 0.4, -1], mu: [0.1] }
  const lemke = (problem: SavedProblem) => first(problem, solvers, 'lemke')

  test('an open gap leaves the free velocity gap / dt before anything pushes', () => {
    // it closes 1 mm a step; of a gap of 0.4 mm the ground takes 0.6 m/s off 2 kg
    expectNear([lemke({ ...point, gap: [4e-4] }).z?.[0] as number], [2 * 0.6])
    expectNear(lemke({ ...point, gap: [2e-3] }).z, [0, 0, 0])
  })
  test('allowed takes the place of gap / dt', () => {
    expectNear([lemke({ ...point, gap: [1], allowed: [0.25] }).z?.[0] as number], [2 * 0.75])
  })
  test('softness gives way: p (1/m + s) = 1', () => {
    expectNear([lemke({ ...point, softness: [0.5, 0, 0] }).z?.[0] as number], [1])
  })
  test('without friction there is none, and its tangents are there all the same', () => {
    expectNear(lemke({ ...point, mu: [0] }).z, [2, 0, 0])
  })
  test('the first corner of the pyramid is along tangent 1, the law of the problem comes first', () => {
    expectNear(lemke({ ...point, vFree: [0.3, 0, -1] }).z, [2, -0.2, 0])
    const { solvers: cone } = solveProblem({ ...point, law: 'cone' }, solvers)
    expect(cone[0].law).toBe('cone')
    // friction mu p_n against the slip, whose direction is (3, 4) / 5
    expectNear(cone[0].z, [2, -0.2 * 0.6, -0.2 * 0.8])
  })
  test('other rows follow the contacts: a stop, a loop, a joint with dry friction', () => {
    const J = [1, 0, 0]
    const one = (row: NonNullable<SavedProblem['rows']>[number], vx: number) =>
      lemke({ ...point, vFree: [vx, 0, -1], mu: [0], rows: [row] })
    expectNear(one({ kind: 'unilateral', J, added: 0 }, -0.3).z, [2, 0, 0, 0.6])
    expectNear(one({ kind: 'unilateral', J, added: 0.1 }, -0.3).z, [2, 0, 0, 0.4])
    expectNear(one({ kind: 'bilateral', J, added: 0 }, 0.3).z, [2, 0, 0, -0.6])
    expectNear(one({ kind: 'bounded', J, added: 0, limit: 0.5 }, 0.3).z, [2, 0, 0, -0.5])
    expectNear(one({ kind: 'bounded', J, added: 0, limit: 0.7 }, 0.3).z, [2, 0, 0, -0.6])
    expectNear(one({ kind: 'bounded', J, added: 0, limit: 0.7 }, 0.3).velocity, [0, 0, 0])
  })
})

import { describe, expect, test } from 'vitest'
import { paintFor } from '../../compare/cli/terminal.ts'
import { solutionText } from '../../compare/cli/verbs/problems/solve.ts'
import { type SolutionSets, solutionSets } from '../../compare/inspect/solutionSets.ts'
import { type SolverResult, solveProblem } from '../../compare/inspect/solve.ts'
import { solvers } from '../../compare/inspect/solvers.ts'
import {
  ContactDisjunctProblem,
  type ContactProblem,
  LemkeSolver,
  PyramidSolver,
  pathViolation,
  pyramidSides,
  type SavedConstraint,
  type SavedProblem,
} from '../../contact/index.ts'
import { savedConstraints } from '../../contact/peg/savedConstraints.ts'
import { createRandom } from '../../dynamics/index.ts'
import { cornerScene, type DisjunctScene, dip, everyAnswer, sceneOf } from '../contact/peg/disjunctScenes.ts'
import { DenseDisjunctProblem } from '../oracle/denseDisjunctProblem.ts'
import { example } from './problems.ts'

/** 1 kg, above the top of a block (contact 1, z) and left of its right side (contact 0, x); to end 0.01 m and 0.02 m inside. */
const corner = example<SavedProblem>('corner')
const oneOf = (...contacts: number[]): SavedConstraint => ({
  kind: 'inter',
  members: contacts.map((i) => ({ pushes: true, contacts: [i] })),
})
const solve = (problem: SavedProblem, name = 'all') => solveProblem(problem, solvers, name)
const byName = (problem: SavedProblem, name: string) => solve(problem, name).solvers[0]
const whole = ['path-following', 'lmmcp', 'lemke']
const apart = (a: readonly number[] | null | undefined, b: readonly number[]) =>
  a?.length === b.length ? Math.max(...a.map((x, i) => Math.abs(x - b[i]))) : Number.NaN

describe('a point over a corner', () => {
  test('is pushed the nearer way, by all', () => {
    const { solvers: results, nearest, constraints, agreement } = solve(corner)
    expect(constraints).toBe(1)
    expect(results.map(({ name }) => name)).toEqual(['member-search', ...whole])
    for (const { status, cost, pushing, velocity, z, constraintViolation, law } of results) {
      expect({ status, law, pushing }).toEqual({
        status: 'solved',
        law: 'pyramid',
        pushing: [{ constraint: 0, member: 0, contacts: [0] }],
      })
      // 0.01 m in 0.1 s, of 1 kg
      expect(cost).toBeCloseTo(0.1, 8)
      expect(apart(z, [0.1, 0, 0, 0, 0, 0])).toBeLessThan(1e-8)
      expect(apart(velocity, [0.5, 0, -0.4])).toBeLessThan(1e-8)
      expect(constraintViolation).toBeLessThan(1e-8)
    }
    expect(nearest).toEqual(results.map(({ name }) => name))
    expect(agreement[0].largestDifference).toBeLessThan(1e-8)
  })
  test('is pushed up if its way counts: the way to the right leads through the block', () => {
    const { solvers: results, nearest } = solve({ ...corner, path: true })
    expect(nearest).toEqual(['member-search'])
    const [search, ...others] = results
    expect(search).toMatchObject({ status: 'solved', pushing: [{ constraint: 0, member: 1, contacts: [1] }] })
    expect(search.cost).toBeCloseTo(0.2, 12)
    expect(apart(search.velocity, [0.4, 0, -0.2])).toBeLessThan(1e-12)
    for (const { status, reason, z, constraintViolation } of others) {
      expect({ status, reason, z }).toEqual({ status: 'failed', reason: 'path', z: null })
      // x = -0.5 + t/2, z = 0.2 - 0.4 t over the step: lowest where both are -1/9
      expect(constraintViolation).toBeCloseTo(1 / 9, 8)
    }
  })
  test('may be pushed on the way although the end is apart by another way', () => {
    // x ends at +0.01 m
    const passing = { ...corner, vFree: [0.6, 0, -0.4] }
    expect(byName(passing, 'member-search')).toMatchObject({ status: 'solved', cost: 0, pushing: [] })
    const pushed = byName({ ...passing, path: true }, 'member-search')
    expect(pushed).toMatchObject({ status: 'solved', pushing: [{ constraint: 0, member: 1, contacts: [1] }] })
    expect(pushed.cost).toBeCloseTo(0.2, 12)
  })
  test('is not pushed where one of the ways is open', () => {
    for (const { status, cost, pushing } of solve({ ...corner, vFree: [0.6, 0, -0.4] }).solvers) {
      expect(status).toBe('solved')
      expect(pushing).toEqual([])
      expect(cost).toBeLessThan(1e-9)
    }
  })
  test('with friction is held back by mu times the push', () => {
    // nearer is up: 0.1 N s, and 0.05 N s against the slip of 0.4 m/s along x; the other two velocities are as they were
    const found = byName({ ...corner, vFree: [0.2, 0, -0.3], mu: [0.5, 0.5] }, 'member-search')
    expect(found).toMatchObject({ status: 'solved', pushing: [{ constraint: 0, member: 1, contacts: [1] }] })
    expect(apart(found.velocity, [0.15, 0, -0.2])).toBeLessThan(1e-12)
    expect(apart(found.z, [0, 0, 0, 0.1, -0.05, 0])).toBeLessThan(1e-12)
    expect(found.cost).toBeCloseTo(Math.hypot(0.1, 0.05), 12)
  })
  test('takes what the file says was chosen, and says what that lacks', () => {
    const saved = solve({ ...corner, active: [1] })
    expect(saved.nearest).not.toContain('as-saved')
    expect(saved.solvers.find(({ name }) => name === 'as-saved')).toMatchObject({ status: 'solved', iterations: 1 })
    expect(byName({ ...corner, active: [1] }, 'as-saved').cost).toBeCloseTo(0.2, 12)
    // nothing pushes, and it ends 0.01 m inside at best
    const lacking = byName({ ...corner, active: [] }, 'as-saved')
    expect(lacking).toMatchObject({ status: 'failed', reason: 'constraints', z: null, cost: null, pushing: null })
    expect(lacking.constraintViolation).toBeCloseTo(0.1, 12)
    expect(byName(corner, 'as-saved')).toMatchObject({ status: 'not-applicable' })
  })
  test('finds no way where nobody may push', () => {
    const members = oneOf(0, 1).members.map(({ contacts }) => ({ pushes: false, contacts }))
    for (const { status, z } of solve({ ...corner, constraints: [{ kind: 'cross', members }] }).solvers) {
      expect({ status, z }).toEqual({ status: 'failed', z: null })
    }
  })
  test('members and their order in the file are told as the file has them', () => {
    const [right, up] = oneOf(0, 1).members
    const constraints = [{ kind: 'inter', members: [{ ...up, pushes: false }, right] }] as const
    expect(byName({ ...corner, constraints }, 'member-search').pushing).toEqual([{ constraint: 0, member: 1, contacts: [0] }])
  })
})

describe('without a choice it is the ordinary problem', () => {
  const plain: SavedProblem = { ...corner, gap: [0.02, 0.02], vFree: [-0.4, 0.1, -0.4], mu: [0.3, 0.3] }
  const velocity = byName({ ...plain, constraints: undefined, path: undefined }, 'lemke').velocity as readonly number[]
  const up: SavedConstraint = { kind: 'unilateral', members: [{ pushes: true, contacts: [1] }] }
  test.each([
    ['each contact has its own constraint', [oneOf(0), up]],
    ['what is named by none stands by itself', [up]],
  ] as const)('%s', (_, constraints) => {
    for (const result of solve({ ...plain, constraints }).solvers) {
      expect(result.status, result.name).toBe('solved')
      // semismooth Newton ends at 1e-9
      expect(apart(result.velocity, velocity)).toBeLessThan(1e-7)
    }
  })
  test('solvers of other problems say that this is none of theirs', () => {
    expect(byName(corner, 'contact-pgs')).toMatchObject({ name: 'contact-pgs', status: 'not-applicable' })
    expect(byName({ ...plain, constraints: undefined, path: undefined }, 'member-search')).toMatchObject({
      name: 'member-search',
      status: 'not-applicable',
    })
  })
})

describe('all solutions of a problem', () => {
  const list = (problem: SavedProblem) => solve(problem).solutions as SolutionSets
  test('a point over a corner may go right, up, or to the corner itself', () => {
    const { sets, complete } = list(corner)
    expect(complete).toBe(true)
    expect(sets.map(({ pushing, dimension }) => [pushing, dimension])).toEqual([
      [[0], 0],
      [[1], 0],
      [[0, 1], 0],
    ])
    // 0.1 m/s to the right, 0.2 m/s up, and both
    for (const [k, cost] of [0.1, 0.2, Math.hypot(0.1, 0.2)].entries()) expect(sets[k].cost).toBeCloseTo(cost, 7)
  })
  test('with a cross constraint that asks for the top as well, two of the three are left', () => {
    const cross: SavedConstraint = { kind: 'cross', members: [{ pushes: false, contacts: [1] }] }
    expect(list({ ...corner, constraints: [oneOf(0, 1), cross] }).sets.map(({ pushing }) => pushing)).toEqual([[1], [0, 1]])
  })
  test('a contact that is there twice leaves the load open in one direction, but not the velocity', () => {
    const twice = (rows: readonly (readonly number[])[]) => [...rows, ...rows.slice(0, 3)]
    const { J, gap, mu } = corner
    const both = {
      ...corner,
      J: twice(J),
      gap: [...gap, gap[0]],
      mu: [...mu, 0],
      allowed: undefined,
      softness: undefined,
      active: undefined,
    }
    const { sets } = list({ ...both, constraints: [oneOf(0, 1, 2)] })
    expect(sets.map(({ pushing, dimension }) => [pushing, dimension])).toEqual([
      [[0, 2], 1],
      [[1], 0],
      [[0, 1, 2], 1],
    ])
  })
  test('where nothing may push there is none; with friction that is not said', () => {
    const members = oneOf(0, 1).members.map(({ contacts }) => ({ pushes: false, contacts }))
    expect(list({ ...corner, constraints: [{ kind: 'cross', members }] }).sets).toEqual([])
    expect(solve({ ...corner, mu: [0.5, 0.5] }).solutions).toBe('solutions are listed without friction alone')
    const text = solutionText(corner, solve(corner), paintFor({ isTTY: false }, {}))
    expect(text).toContain('All solutions at the end of the step: 3 velocities')
  })
  test('two corners that meet have two solutions, apart from each other; which one LMMCP finds is a matter of the order', () => {
    const problem = example<SavedProblem>('two-corners')
    const { sets } = list(problem)
    expect(sets.map(({ pushing }) => pushing)).toEqual([[0], [3]])
    const reversed = { ...problem, constraints: problem.constraints?.toReversed() }
    for (const [k, one] of [problem, reversed].entries()) expect(byName(one, 'lmmcp').cost).toBeCloseTo(sets[k].cost, 8)
  })
  test('a list that would take too long says so', () => {
    expect(solutionSets(corner, 10)).toMatchObject({ complete: false })
  })
})

/** A scene as a file would hold it. */
function savedScene({ n, rhs, startGap, constraints, J, mass, v }: DisjunctScene, h: number, path: boolean): SavedProblem {
  const none = mass.map(() => 0)
  return {
    kind: 'contact',
    M: mass.map((m, i) => mass.map((_, j) => (i === j ? m : 0))),
    J: J.flatMap((row) => [row, none, none]),
    vFree: v,
    gap: [...startGap].map((psi) => psi * h),
    allowed: [...rhs].map((psi, i) => psi - J[i].reduce((sum, x, k) => sum + x * v[k], 0)),
    mu: J.map(() => 0),
    dt: h,
    constraints: savedConstraints(
      constraints,
      Array.from({ length: n }, (_, i) => i),
    ),
    path,
  }
}

describe('random corners', () => {
  const scenes = (seed: number, count: number) => {
    const random = createRandom(seed)
    return Array.from({ length: count }, () => {
      const { scene, constraints } = cornerScene(random, {
        groups: 2,
        bodies: 2,
        members: [2, 3],
        contacts: 2,
        unilateral: 1,
        silent: 0.3,
      })
      return sceneOf(scene, constraints)
    })
  }
  for (const path of [false, true]) {
    test(`the search finds the nearest of all answers, ${path ? 'on the way too' : 'at the end'}`, () => {
      let pushed = 0
      for (const scene of scenes(3, 25)) {
        const answers = everyAnswer(scene, path)
        const result = byName(savedScene(scene, 0.5, path), 'member-search')
        if (answers.length === 0) {
          expect(result.status).toBe('failed')
          continue
        }
        expect(result.status).toBe('solved')
        expect((result.cost as number) ** 2).toBeCloseTo(answers[0].cost, 8)
        const closest = Math.min(...answers.map(({ v }) => apart(result.velocity, v)))
        expect(closest).toBeLessThan(1e-7)
        const contacts = result.pushing?.flatMap((member) => member.contacts).toSorted((a, b) => a - b)
        const one = answers.find(({ v }) => apart(result.velocity, v) < 1e-7)
        expect(contacts).toEqual(one?.pushing.toSorted((a, b) => a - b))
        if (contacts?.length) pushed++
      }
      expect(pushed).toBeGreaterThan(15)
    })
  }
  test('all solutions are those that trying every set of contacts finds', () => {
    let several = 0
    for (const scene of scenes(17, 40)) {
      const answers = everyAnswer(scene)
      const list = solutionSets(savedScene(scene, 0.5, false)) as SolutionSets
      expect([list.complete, list.sets.length]).toEqual([true, answers.length])
      for (const { velocity, cost, pushing } of list.sets) {
        const one = answers.find(({ v }) => apart(velocity, v) < 1e-6)
        expect(cost ** 2).toBeCloseTo(one?.cost ?? Number.NaN, 6)
        expect(pushing).toEqual(one?.pushing.toSorted((a, b) => a - b))
      }
      if (answers.length > 1) several++
    }
    expect(several).toBeGreaterThan(10)
  })
  test('what solvers of the whole call solved is an answer', () => {
    let found = 0
    for (const scene of scenes(5, 6)) {
      const answers = everyAnswer(scene)
      for (const result of solve(savedScene(scene, 0.5, false)).solvers) {
        if (result.status !== 'solved') continue
        found++
        // answers may differ, but there are no others; residuals of 1e-9 in impulses of about 1
        expect(Math.min(...answers.map(({ v }) => apart(result.velocity, v))), result.name).toBeLessThan(1e-5)
      }
    }
    expect(found).toBeGreaterThan(12)
  })
  test('the way is lowest where the exact lines say, and no place that is looked at is lower', () => {
    const random = createRandom(9)
    for (const scene of scenes(7, 20)) {
      const end = Float64Array.from(scene.startGap, () => random.between(-1, 1))
      const { constraints, startGap } = scene
      let sampled = 0
      for (let g = 0; g < constraints.count; g++) {
        const atStart = dip({ ...scene, startGap }, startGap, g)
        sampled = Math.max(sampled, Math.min(0, atStart) - dip(scene, end, g))
      }
      const exact = pathViolation(constraints, startGap, end)
      expect(exact).toBeGreaterThanOrEqual(sampled - 1e-12)
      // a thousandth of the way at the slope of the steepest line, 4 m/s over the step
      expect(exact).toBeLessThan(sampled + 4e-3)
    }
  })
  test('subsets of contacts, by Lemke on pyramids and by Dantzig on normals, have the same gaps, impulses and costs', () => {
    const random = createRandom(11)
    for (const { n, W, rhs, constraints } of scenes(13, 20)) {
      const first = Int32Array.from({ length: n + 1 }, (_, i) => i)
      const problem: ContactProblem = {
        rowCount: n,
        W,
        rhs,
        groupCount: n,
        first,
        kind: new Uint8Array(n),
        limit: new Float64Array(n),
      }
      const lemke = [new PyramidSolver(new LemkeSolver(1e-12), pyramidSides(4))]
      const mine = new ContactDisjunctProblem(problem, constraints, n, new Float64Array(n), undefined, lemke)
      const other = new DenseDisjunctProblem(W, rhs, constraints)
      const active = Uint8Array.from({ length: n }, () => random.index(2))
      expect(mine.solveActive(active)).toBe(true)
      expect(other.solveActive(active)).toBe(true)
      expect(apart([...mine.endGap], [...other.endGap])).toBeLessThan(1e-10)
      expect(mine.cost[0]).toBeCloseTo(other.cost[0], 10)
    }
  })
})

describe('what a person reads', () => {
  const text = (problem: SavedProblem) => solutionText(problem, solve(problem), paintFor({ isTTY: false }, {}))
  test('a row a solver, who pushes, and which answer is nearest', () => {
    const shown = text(corner)
    expect(shown).toContain('contact  2 contacts, 1 constraint; 3 velocities')
    expect(shown).toMatch(/^ {2}member-search +solved +\S+ +\S+ +0\.1 +0\.0 +2 +\S+ µs$/m)
    expect(shown).toMatch(/^nearest to the velocity without contact, by 0\.1: member-search, path-following, /m)
    expect(shown).toContain('Answer of member-search: the contacts that push')
  })
  test('answers that are farther are counted', () => {
    const { solvers: results, nearest = [] } = solve(example<SavedProblem>('block-corner'))
    const solved = results.filter(({ status }: SolverResult) => status === 'solved')
    expect(nearest).toContain('member-search')
    expect(nearest).toContain('as-saved')
    expect(solved.length).toBeGreaterThan(nearest.length)
    expect(text(example<SavedProblem>('block-corner'))).toMatch(/; the other( \d)? (is|are) farther$/m)
  })
})

import { describe, expect, test } from 'vitest'
import { constraintViolation, type DisjunctProblem, DisjunctSearch } from '../../../contact/index.ts'
import { createRandom, type Random } from '../../../dynamics/index.ts'
import { full, trials } from '../../dailyModels.ts'
import { DenseDisjunctProblem } from '../../oracle/denseDisjunctProblem.ts'
import {
  constraintsOf,
  cornerGroups,
  cornerScene,
  cross,
  type DisjunctScene,
  dip,
  everyAnswer,
  frictionalDisjuncts,
  frictionalProblem,
  type Group,
  inter,
  type SceneOptions,
  sceneOf,
  unilateral,
  unionGroup,
  velocityAfter,
} from './disjunctScenes.ts'
import { planarScene } from './planarCorners.ts'

const corners = (options: SceneOptions) => (random: Random) => {
  const { scene, constraints } = cornerScene(random, options)
  return sceneOf(scene, constraints)
}
const scenes = {
  'two planar corners, all contacts as one group': [2000, (random) => sceneOf(planarScene(random), constraintsOf(unionGroup))],
  'two planar corners with cross-contact groups': [2000, (random) => sceneOf(planarScene(random), constraintsOf(cornerGroups))],
  'a group of 2 to 8': [2000, corners({ groups: 1, bodies: 1, members: [2, 8] })],
  'two groups on one body': [2000, corners({ groups: 2, bodies: 1, members: [2, 4] })],
  'three groups of flat members on two bodies, and a unilateral contact': [
    300,
    corners({ groups: 3, bodies: 2, members: [2, 3], contacts: 2, unilateral: 1 }),
  ],
  'members that may not push': [2000, corners({ groups: 3, bodies: 1, members: [2, 3], silent: 0.4 })],
  'cross-contact groups': [2000, corners({ groups: 3, bodies: 1, members: [2, 3], cross: 2 })],
} satisfies Record<string, [number, (random: Random) => DisjunctScene]>

const problemOf = ({ W, rhs, constraints, key }: DisjunctScene, startGap?: Float64Array) =>
  new DenseDisjunctProblem(W, rhs, constraints, startGap, key)

/** Without what bounds are made of. */
function blind(problem: DenseDisjunctProblem): DisjunctProblem {
  const { contactCount, constraints, key, startGap, endGap, impulse, cost } = problem
  return { contactCount, constraints, key, startGap, endGap, impulse, cost, solveActive: (active) => problem.solveActive(active) }
}

/** The largest difference of two velocities. */
const apart = (a: readonly number[], b: readonly number[]) => Math.max(...a.map((x, d) => Math.abs(x - b[d])))

describe('of all answers that there are, the nearest to the free velocity is chosen', () => {
  for (const [name, [count, make]] of Object.entries(scenes)) {
    test(name, () => {
      const random = createRandom(5)
      const search = new DisjunctSearch()
      let several = 0
      let capped = 0
      const scenesHere = full ? count : count / 120
      for (let k = 0; k < scenesHere; k++) {
        const scene = make(random)
        const answers = everyAnswer(scene)
        const problem = problemOf(scene)
        const active = new Uint8Array(scene.n)
        const status = search.solve(problem, active)
        if (answers.length > 1) several++
        if (status === 'limit') {
          capped++
          continue
        }
        // no answer: proven, not given up
        expect(status).toBe(answers.length > 0 ? 'solved' : 'residual')
        if (answers.length === 0) continue
        // two eliminations of up to nine rows
        expect(apart(velocityAfter(scene, problem.impulse), answers[0].v)).toBeLessThan(1e-8)
        expect(problem.cost[0]).toBeCloseTo(answers[0].cost, 9)
        expect(search.valid).toBe(true)
        expect(search.residual[0]).toBe(0)
        for (const i of answers[0].pushing) expect(active[i]).toBe(1)
      }
      expect(several).toBeGreaterThan(0.3 * scenesHere)
      // one of 2,000, where cross-contact groups allow answers that are far from the nearest legal velocity only
      expect(capped).toBeLessThan(0.001 * scenesHere + 0.5)
    })
  }
})

/** The same scene with contacts, constraints, members and their contacts in other places. */
function permuted(scene: DisjunctScene, random: Random): { other: DisjunctScene; at: Int32Array } {
  const { n, W, rhs, startGap, key, constraints, J, mass, v } = scene
  const shuffled = <T>(list: T[]) => {
    for (let i = list.length - 1; i > 0; i--) {
      const j = random.index(i + 1)
      ;[list[i], list[j]] = [list[j], list[i]]
    }
    return list
  }
  const at = Int32Array.from(shuffled(Array.from({ length: n }, (_, i) => i)))
  const groups: Group[] = []
  for (let g = 0; g < constraints.count; g++) {
    const members: number[][] = []
    for (let m = constraints.disjunctStart[g]; m < constraints.disjunctStart[g + 1]; m++) {
      const contacts = constraints.contact.slice(constraints.contactStart[m], constraints.contactStart[m + 1])
      members.push(shuffled(Array.from(contacts, (i) => at[i])))
    }
    const pushing = members.splice(0, constraints.pushing[g])
    groups.push([constraints.kind[g], shuffled(pushing), shuffled(members)])
  }
  const other = {
    n,
    W: new Float64Array(n * n),
    rhs: new Float64Array(n),
    startGap: new Float64Array(n),
    key: new Int32Array(n),
    constraints: constraintsOf(shuffled(groups)),
    J: new Array<number[]>(n),
    mass,
    v,
  }
  for (let i = 0; i < n; i++) {
    other.rhs[at[i]] = rhs[i]
    other.startGap[at[i]] = startGap[i]
    other.key[at[i]] = key[i]
    other.J[at[i]] = J[i]
    for (let j = 0; j < n; j++) other.W[at[i] * n + at[j]] = W[i * n + j]
  }
  return { other, at }
}

/** A point that has come between two walls, each of which may be left: as far to the one as to the other, in every direction. */
function symmetric(): DisjunctScene {
  const J = [0, 1, 2].flatMap((d) => [1, -1].map((sign) => [0, 1, 2].map((k) => (k === d ? sign : 0))))
  const groups = [0, 2, 4].map((i): Group => [inter, [[i], [i + 1]]])
  return sceneOf({ h: 0.5, gaps: J.map(() => -0.1), J, mass: [1, 1, 1], v: [0, 0, 0] }, constraintsOf(groups))
}

describe('the order of contacts, members and constraints changes nothing', () => {
  for (const [name, make] of [
    ...Object.entries(scenes).map(([key, [, create]]) => [key, create] as const),
    ['eight answers of one cost', symmetric] as const,
  ]) {
    test(name, () => {
      const random = createRandom(8)
      const search = new DisjunctSearch()
      for (let k = 0; k < trials(20); k++) {
        const scene = make(random)
        const problem = problemOf(scene)
        const active = new Uint8Array(scene.n)
        const status = search.solve(problem, active)
        const v = velocityAfter(scene, problem.impulse)
        for (let order = 0; order < 3; order++) {
          const { other, at } = permuted(scene, random)
          const same = problemOf(other)
          const activeThere = new Uint8Array(scene.n)
          expect(search.solve(same, activeThere)).toBe(status)
          if (status !== 'solved') continue
          // rounding of sums in another order
          expect(apart(velocityAfter(other, same.impulse), v)).toBeLessThan(1e-11)
          for (let i = 0; i < scene.n; i++) expect(activeThere[at[i]]).toBe(active[i])
        }
      }
    })
  }
})

test('what is equally near is decided by the least keys', () => {
  const scene = symmetric()
  const search = new DisjunctSearch()
  const active = new Uint8Array(6)
  for (const { keys, chosen } of [
    { keys: [1, 2, 3, 4, 5, 6], chosen: [0, 2, 4] },
    { keys: [6, 5, 4, 3, 2, 1], chosen: [1, 3, 5] },
    { keys: [9, 2, 3, 4, 8, 6], chosen: [1, 2, 5] },
  ]) {
    active.fill(0)
    expect(search.solve(problemOf({ ...scene, key: Int32Array.from(keys) }), active)).toBe('solved')
    expect([...active].flatMap((x, i) => (x === 1 ? [i] : []))).toEqual(chosen)
  }
})

test('a guess, and whether bounds are given, change the number of solves and not the answer', () => {
  const random = createRandom(9)
  const search = new DisjunctSearch()
  let spared = 0
  for (const [, make] of Object.values(scenes)) {
    for (let k = 0; k < trials(20); k++) {
      const scene = make(random)
      const problem = problemOf(scene)
      const active = new Uint8Array(scene.n)
      if (search.solve(problem, active) !== 'solved') continue
      const v = velocityAfter(scene, problem.impulse)
      const nodes = search.nodes
      const guess = active.slice()
      expect(search.solve(problem, guess)).toBe('solved')
      expect(guess).toEqual(active)
      if (search.nodes < nodes) spared++
      for (let i = 0; i < scene.n; i++) guess[i] = random.index(2)
      expect(search.solve(problem, guess)).toBe('solved')
      expect(apart(velocityAfter(scene, problem.impulse), v)).toBeLessThan(1e-11)
      guess.fill(0)
      const patient = new DisjunctSearch(1e-9, 2000)
      expect(patient.solve(blind(problem), guess)).toBe('solved')
      expect(apart(velocityAfter(scene, problem.impulse), v)).toBeLessThan(1e-11)
    }
  }
  expect(spared).toBeGreaterThan(trials(40))
})

test('what rests on the guess is solved once', () => {
  // a box on four corners upon a table, each of which could also pass the table's side, half a metre away
  const J: number[][] = []
  const gaps: number[] = []
  const groups: Group[] = []
  const h = 0.01
  for (const [x, y] of [-1, 1].flatMap((y) => [-1, 1].map((x) => [x, y]))) {
    J.push([0, 0, 1, y, -x, 0], [1, 0, 0, 0, 0, -y])
    gaps.push(0, -0.5)
    groups.push([inter, [[J.length - 2], [J.length - 1]]])
  }
  const mass = [1, 1, 1, 0.3, 0.3, 0.3]
  const scene = sceneOf({ h, gaps, J, mass, v: [0, 0, -9.81 * h, 0, 0, 0] }, constraintsOf(groups))
  const search = new DisjunctSearch()
  const active = new Uint8Array(8)
  expect(search.solve(problemOf(scene), active)).toBe('solved')
  expect([...active]).toEqual([1, 0, 1, 0, 1, 0, 1, 0])
  expect(search.nodes).toBe(2) // the root, and all four
  expect(search.solve(problemOf(scene), active)).toBe('solved')
  expect(search.nodes).toBe(1)
})

test('unilateral constraints alone are one solve', () => {
  const scene = corners({ groups: 1, bodies: 1, members: [3, 3] })(createRandom(2))
  const constraints = constraintsOf([0, 1, 2].map((i) => [unilateral, [[i]]] as const))
  const problem = problemOf({ ...scene, constraints })
  const search = new DisjunctSearch()
  const active = new Uint8Array(3)
  expect(search.solve(problem, active)).toBe('solved')
  expect(search.nodes).toBe(1)
  expect([...active]).toEqual([1, 1, 1])
})

test('a body does not pass through what has room behind it', () => {
  // a point before a wall from 0 to -0.2, fast enough to end behind it
  const J = [[1], [-1]]
  const constraints = constraintsOf([[inter, [[0], [1]]]])
  const scene = sceneOf({ h: 0.5, gaps: [0.1, -0.3], J, mass: [2], v: [-2] }, constraints)
  const search = new DisjunctSearch()
  const active = new Uint8Array(2)
  const jumping = problemOf(scene)
  expect(search.solve(jumping, active)).toBe('solved')
  expect(velocityAfter(scene, jumping.impulse)).toEqual([-2])
  const stopped = problemOf(scene, scene.startGap)
  active.fill(0)
  expect(search.solve(stopped, active)).toBe('solved')
  // it stops where it touches
  expect(velocityAfter(scene, stopped.impulse)[0]).toBeCloseTo(-0.2, 12)
  expect([...active]).toEqual([1, 0])
})

test('what begins inside comes out, and not deeper in on its way', () => {
  // a slab from 0 to -0.2, a point 0.05 inside, fast enough to come out behind: 0.15 deep on its way
  const J = [[1], [-1]]
  const constraints = constraintsOf([[inter, [[0], [1]]]])
  const scene = sceneOf({ h: 0.5, gaps: [-0.05, -0.15], J, mass: [2], v: [-2] }, constraints)
  const problem = problemOf(scene, scene.startGap)
  const search = new DisjunctSearch()
  expect(search.solve(problem, new Uint8Array(2))).toBe('solved')
  // out to the side that it is nearest to, within the step
  expect(velocityAfter(scene, problem.impulse)[0]).toBeCloseTo(0.1, 12)
})

describe('with paths every constraint holds from the start to the end, and the nearest answer is found', () => {
  for (const name of [
    'two planar corners, all contacts as one group',
    'a group of 2 to 8',
    'two groups on one body',
    'three groups of flat members on two bodies, and a unilateral contact',
  ] as const) {
    test(name, () => {
      const [count, make] = scenes[name]
      const random = createRandom(6)
      const search = new DisjunctSearch()
      const all = full ? count / 4 : count / 150
      let mattered = 0
      let farther = 0
      for (let k = 0; k < all; k++) {
        const scene = make(random)
        const answers = everyAnswer(scene, true)
        const problem = problemOf(scene, scene.startGap)
        expect(search.solve(problem, new Uint8Array(scene.n))).toBe('solved')
        // a thousand places miss no dip that the tolerance of 1e-9 m/s lets through
        for (let g = 0; g < scene.constraints.count; g++) expect(dip(scene, problem.endGap, g)).toBeGreaterThan(-1e-8)
        const v = velocityAfter(scene, problem.impulse)
        const found = answers.findIndex((answer) => apart(answer.v, v) < 1e-7)
        expect(found).toBeGreaterThanOrEqual(0)
        // where members take turns
        if (found > 0) farther++
        const ends = problemOf(scene)
        search.solve(ends, new Uint8Array(scene.n))
        if (apart(velocityAfter(scene, ends.impulse), v) > 1e-6) mattered++
      }
      if (all > 100 || name.startsWith('two planar')) expect(mattered).toBeGreaterThan(0)
      expect(farther).toBeLessThan(0.01 * all + 1)
    })
  }
})

test('with friction the answer obeys the constraints, and is mostly the cheapest that any set of rows gives', () => {
  const random = createRandom(17)
  const search = new DisjunctSearch()
  const all = full ? 400 : 20
  let cheapest = 0
  let found = 0
  for (let k = 0; k < all; k++) {
    const { scene, constraints } = cornerScene(random, { groups: 2, bodies: 1, members: [2, 3] })
    const n = scene.gaps.length
    const problem = frictionalDisjuncts(frictionalProblem(scene, random, 0.5), constraints, n)
    const legal = () => constraintViolation(constraints, problem.endGap, problem.impulse) < 1e-7
    let least = Number.POSITIVE_INFINITY
    for (let mask = 0; mask < 1 << n; mask++) {
      const active = Uint8Array.from({ length: n }, (_, i) => (mask >> i) & 1)
      if (problem.solveActive(active) && legal()) least = Math.min(least, problem.cost[0])
    }
    const status = search.solve(problem, new Uint8Array(n))
    // what is given up has no answer in any set of rows
    expect(status === 'solved').toBe(least < Number.POSITIVE_INFINITY)
    if (status !== 'solved') continue
    found++
    expect(legal()).toBe(true)
    if (problem.cost[0] <= least * (1 + 1e-9)) cheapest++
  }
  expect(found).toBeGreaterThan(0.95 * all)
  // costs may fall along a branch with friction
  expect(cheapest).toBeGreaterThan(0.97 * found)
})

test('what has no answer comes nearest to one, and says so', () => {
  // both sides of a point are walls, and it is in both
  const J = [[1], [-1]]
  const scene = sceneOf(
    { h: 1, gaps: [-0.1, -0.1], J, mass: [1], v: [0] },
    constraintsOf([
      [cross, [], [[0]]],
      [inter, [[1]]],
    ]),
  )
  const search = new DisjunctSearch()
  const active = new Uint8Array(2)
  const problem = problemOf(scene)
  expect(search.solve(problem, active)).toBe('residual')
  expect(search.valid).toBe(false)
  expect(search.residual[0]).toBeCloseTo(0.2, 12)
  expect(problem.endGap[1]).toBeCloseTo(0, 12)
})

test('at the cap the best answer so far is handed back as such', () => {
  const random = createRandom(31)
  const search = new DisjunctSearch(1e-9, 3)
  let limits = 0
  for (let k = 0; k < trials(60); k++) {
    const scene = corners({ groups: 3, bodies: 1, members: [2, 3] })(random)
    const problem = problemOf(scene)
    const active = new Uint8Array(scene.n)
    const status = search.solve(problem, active)
    // the cap, and once more to leave the problem as the answer has it
    expect(search.nodes).toBeLessThanOrEqual(4)
    if (status !== 'limit') continue
    limits++
    const check = problemOf(scene)
    check.solveActive(active)
    expect(apart(velocityAfter(scene, check.impulse), velocityAfter(scene, problem.impulse))).toBeLessThan(1e-12)
  }
  expect(limits).toBeGreaterThan(0)
})

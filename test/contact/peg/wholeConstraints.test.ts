import { describe, expect, test } from 'vitest'
import {
  type ContactProblem,
  complementarityResidual,
  constraintViolation,
  DisjunctSearch,
  LemkeSolver,
  LevenbergMarquardtMcp,
  PathFollowing,
  PyramidProblem,
  pyramidSides,
  WholeConstraints,
} from '../../../contact/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { full } from '../../dailyModels.ts'
import { DenseDisjunctProblem } from '../../oracle/denseDisjunctProblem.ts'
import {
  constraintsOf,
  cornerGroups,
  cornerScene,
  type DisjunctScene,
  everyAnswer,
  frictionalProblem,
  sceneOf,
  unilateral,
  unionGroup,
  velocityAfter,
} from './disjunctScenes.ts'
import { enumerateAnswers, planarCorners, planarScene } from './planarCorners.ts'

const sides = pyramidSides(4)
const apart = (a: readonly number[], b: readonly number[]) => Math.max(...a.map((x, d) => Math.abs(x - b[d])))
const identity = (n: number) => Int32Array.from({ length: n }, (_, i) => i)

function contactProblem({ n, W, rhs }: DisjunctScene): ContactProblem {
  const first = identity(n + 1)
  return { rowCount: n, W, rhs, groupCount: n, first, kind: new Uint8Array(n), limit: new Float64Array(n) }
}

test('with members of one contact it is equations 29 to 32, velocities eliminated', () => {
  const random = createRandom(1)
  const again = createRandom(1)
  // of 29 to 32: c, e, d1, d2, p1, p2 of both inter-contact groups, then c, e of both cross-contact groups, behind six velocities
  const theirs = [10, 11, 16, 17, 6, 7, 8, 9, 12, 13, 14, 15, 18, 19, 20, 21]
  for (let k = 0; k < 20; k++) {
    const lcp = planarCorners(random)
    const scene = sceneOf(planarScene(again), constraintsOf(cornerGroups))
    const whole = new WholeConstraints(contactProblem(scene), scene.constraints, sides)
    expect(whole.size).toBe(16)
    for (let i = 0; i < 16; i++) {
      // the scaled impulse, and its row
      const row = i < 4 ? Math.sqrt(scene.W[5 * i]) : 1
      const at = 22 * theirs[i]
      // rows of v: -M v + Jᵀ p + M v_free = 0
      const eliminated = (column: number) => {
        let sum = lcp.A[at + column]
        for (let d = 0; d < 6; d++) sum += (lcp.A[at + d] * lcp.A[22 * d + column]) / scene.mass[d]
        return sum
      }
      let b = lcp.b[theirs[i]]
      for (let d = 0; d < 6; d++) b += lcp.A[at + d] * scene.v[d]
      expect(whole.b[i] * row).toBeCloseTo(b, 12)
      for (let j = 0; j < 16; j++) {
        const column = j < 4 ? Math.sqrt(scene.W[5 * j]) : 1
        expect(whole.A[16 * i + j] * row * column).toBeCloseTo(eliminated(theirs[j]), 12)
      }
    }
  }
})

test('with unilateral constraints alone it is the problem of Stewart and Trinkle to the bit', () => {
  const random = createRandom(3)
  const plain = new PyramidProblem(sides)
  for (let k = 0; k < 10; k++) {
    const { scene } = cornerScene(random, { groups: 2, bodies: 2, members: [2, 4] })
    const problem = frictionalProblem(scene, random, 0.5)
    const constraints = constraintsOf(scene.gaps.map((_, i) => [unilateral, [[i]]] as const))
    const whole = new WholeConstraints(problem, constraints, sides)
    plain.assemble(problem)
    expect(whole.size).toBe(plain.size)
    expect(whole.A.slice(0, plain.size ** 2)).toEqual(plain.A.slice(0, plain.size ** 2))
    expect(whole.b.slice(0, plain.size)).toEqual(plain.b.slice(0, plain.size))
  }
})

describe('what the search finds answers the whole problem, slacks included', () => {
  for (const [name, make] of [
    ['planar corners', (random) => sceneOf(planarScene(random), constraintsOf(cornerGroups))],
    ['planar corners, one group', (random) => sceneOf(planarScene(random), constraintsOf(unionGroup))],
    ...(
      [
        ['groups of 2 to 8', { groups: 1, bodies: 1, members: [2, 8] }],
        ['flat members', { groups: 2, bodies: 2, members: [2, 4], contacts: 4, unilateral: 1 }],
        ['members that may not push', { groups: 2, bodies: 1, members: [2, 4], silent: 0.3 }],
        ['cross-contact groups', { groups: 3, bodies: 1, members: [2, 3], cross: 1 }],
      ] as const
    ).map(
      ([key, options]) =>
        [
          key,
          (random: ReturnType<typeof createRandom>) => {
            const { scene, constraints } = cornerScene(random, options)
            return sceneOf(scene, constraints)
          },
        ] as const,
    ),
  ] as readonly (readonly [string, (random: ReturnType<typeof createRandom>) => DisjunctScene])[]) {
    test(name, () => {
      const random = createRandom(4)
      const search = new DisjunctSearch()
      const residual = new Float64Array(1)
      for (let k = 0; k < (full ? 500 : 30); k++) {
        const scene = make(random)
        const members = new DenseDisjunctProblem(scene.W, scene.rhs, scene.constraints)
        if (search.solve(members, new Uint8Array(scene.n)) !== 'solved') continue
        const whole = new WholeConstraints(contactProblem(scene), scene.constraints, sides)
        const z = whole.fold(members.impulse)
        const { size, A, b, free } = whole
        complementarityResidual(size, A, b, free, z, new Float64Array(size), residual)
        // the rows of an elimination
        expect(residual[0]).toBeLessThan(1e-10)
        const { endGap, impulse } = members
        expect(constraintViolation(scene.constraints, endGap, impulse)).toBeLessThan(1e-10)
        const p = new Float64Array(scene.n)
        whole.unfold(z, p)
        for (let i = 0; i < scene.n; i++) expect(p[i]).toBeCloseTo(impulse[i], 12)
      }
    })
  }
})

test('its complementary bases hold the answers that sets of pushing contacts give, with members of several contacts too', () => {
  const random = createRandom(12)
  let several = 0
  for (let k = 0; k < (full ? 200 : 10); k++) {
    const { scene: corners, constraints } = cornerScene(random, { groups: 1, bodies: 1, members: [2, 2], contacts: 2 })
    const scene = sceneOf(corners, constraints)
    const whole = new WholeConstraints(contactProblem(scene), constraints, sides)
    const n = whole.size
    const p = new Float64Array(scene.n)
    const bases = enumerateAnswers({ n, A: whole.A.slice(0, n * n), b: whole.b.slice(0, n), free: whole.free.slice(0, n) }).map(
      (z) => {
        whole.unfold(z, p)
        return velocityAfter(scene, p)
      },
    )
    const answers = everyAnswer(scene)
    for (const { v } of answers) expect(bases.some((other) => apart(v, other) < 1e-8)).toBe(true)
    for (const v of bases) expect(answers.some((other) => apart(v, other.v) < 1e-8)).toBe(true)
    if (answers.length > 1) several++
  }
  expect(several).toBeGreaterThan(2)
})

test('solvers of mixed problems answer it, and what they answer satisfies the constraints', () => {
  const random = createRandom(14)
  const count = full ? 200 : 20
  const scenes = Array.from({ length: count }, () => sceneOf(planarScene(random), constraintsOf(cornerGroups)))
  for (const solver of [new PathFollowing(), new LevenbergMarquardtMcp()]) {
    let solved = 0
    for (const scene of scenes) {
      const p = new Float64Array(scene.n)
      const problem = contactProblem(scene)
      if (new WholeConstraints(problem, scene.constraints, sides).solve(solver, p) !== 'solved') continue
      solved++
      const psi = scene.rhs.map((rhs, i) => p.reduce((sum, x, j) => sum + scene.W[i * scene.n + j] * x, rhs))
      expect(constraintViolation(scene.constraints, psi, p)).toBeLessThan(1e-6)
      // one of the answers that there are
      const v = velocityAfter(scene, p)
      expect(everyAnswer(scene).some((answer) => apart(answer.v, v) < 1e-6)).toBe(true)
    }
    // both answer all of 500
    expect(solved).toBe(count)
  }
})

test('friction, stops and dry joints beside the constraints: the pyramid law holds of the answer', () => {
  const random = createRandom(15)
  const solver = new PathFollowing()
  const plain = new PyramidProblem(sides)
  const residual = new Float64Array(1)
  let solved = 0
  for (let k = 0; k < 20; k++) {
    const { scene, constraints } = cornerScene(random, { groups: 1, bodies: 1, members: [2, 4] })
    const problem = frictionalProblem(scene, random, 0.5, 2)
    const contacts = scene.gaps.length
    const p = new Float64Array(problem.rowCount)
    if (new WholeConstraints(problem, constraints, sides).solve(solver, p) !== 'solved') continue
    solved++
    // with the contacts that push as the only ones it is Stewart and Trinkle's, and has the same answer
    const normal = (i: number) => p[problem.first[i]]
    const open = problem.rhs.slice()
    for (let i = 0; i < contacts; i++) if (normal(i) === 0) open[problem.first[i]] = 1e3
    plain.assemble({ ...problem, rhs: open })
    const pushing = Array.from({ length: contacts }, (_, i) => i).filter((i) => normal(i) > 0)
    const again = new LemkeSolver()
    const { size, A, b, free } = plain
    expect(again.solve(size, A, b, free, new Float64Array(size))).toBe('solved')
    const q = new Float64Array(problem.rowCount)
    plain.unfold(problem, again.z, q)
    complementarityResidual(size, A, b, free, again.z, new Float64Array(size), residual)
    expect(residual[0]).toBeLessThan(1e-9)
    if (pushing.length > 0) for (let r = 0; r < problem.rowCount; r++) expect(q[r]).toBeCloseTo(p[r], 6)
  }
  expect(solved).toBeGreaterThan(15)
})

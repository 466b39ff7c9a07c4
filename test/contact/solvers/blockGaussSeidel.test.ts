import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { BlockGaussSeidel, type ContactProblem, GroupKind } from '../../../contact/solvers/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { oneContact, randomContacts, velocities, violation } from './contactProblems.ts'

/** Goldfarb and Idnani's dual method: minimises x'Dx/2 - d'x such that A'x >= b; arrays begin at 1. */
const { solveQP } = createRequire(import.meta.url)('quadprog') as {
  solveQP(D: number[][], d: number[], A: number[][], b: number[]): { solution: number[]; message: string }
}

const noModes = new Int8Array(0)
const laws = ['cone', 'associated'] as const
const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1]

test('a block under a pull: apart, sticking and sliding as the closed forms say', () => {
  const p = new Float64Array(3)
  const solve = (law: (typeof laws)[number], right: number[]) => {
    p.fill(0)
    expect(new BlockGaussSeidel({ law, tolerance: 1e-14 }).solve(oneContact(identity, right, 0.5), p, noModes)).toBe('solved')
    return p
  }
  for (const law of laws) {
    expect(Array.from(solve(law, [1, 0.3, 0]))).toEqual([0, 0, 0])
    for (const [i, x] of [1, -0.3, 0.1].entries()) expect(solve(law, [-1, 0.3, -0.1])[i]).toBeCloseTo(x, 8) // proximal term 1e-9
  }
  // mu p_n = 0.5 against the pull (3, 4) / 5
  for (const [i, x] of [1, -0.3, -0.4].entries()) expect(solve('cone', [-1, 3, 4])[i]).toBeCloseTo(x, 12)
  // rises by mu |u_t|: (1 + mu²) p_n = 1 + mu 5, and |u_t| = 5 - mu p_n
  const pn = 3.5 / 1.25
  for (const [i, x] of [pn, -0.3 * pn, -0.4 * pn].entries()) expect(solve('associated', [-1, 3, 4])[i]).toBeCloseTo(x, 12)
  // apart, but so fast that what is associated still pushes: -0.5 + 0.5 * 5 > 0
  expect(Array.from(solve('cone', [0.5, 3, 4]))).toEqual([0, 0, 0])
  expect(solve('associated', [0.5, 3, 4])[0]).toBeCloseTo(2 / 1.25, 12)
})

test('a rod that slides: p_n with the coupling of friction and normal, as its mechanics say', () => {
  // u_n = W_nn p_n + W_nt p_t + b_n = 0 with p_t = -mu p_n: p_n = -b_n / (W_nn - mu W_nt)
  const problem = oneContact([1, 0.6, 0, 0.6, 2, 0, 0, 0, 1], [-1, 8, 0], 0.4)
  const p = new Float64Array(3)
  expect(new BlockGaussSeidel({ law: 'cone', tolerance: 1e-14 }).solve(problem, p, noModes)).toBe('solved')
  const pn = 1 / (1 - 0.4 * 0.6)
  expect(p[0]).toBeCloseTo(pn, 12)
  expect(p[1]).toBeCloseTo(-0.4 * pn, 12)
})

test.each(laws)('%s: one block of any shape is solved exactly', (law) => {
  const random = createRandom(11)
  const solver = new BlockGaussSeidel({ law, tolerance: 1e-11 }) // condition to 1e3
  for (let k = 0; k < 2000; k++) {
    // eigenvalues from 1e-3 to 1, friction up to 2
    const g = Array.from({ length: 9 }, () => random.between(-1, 1))
    const W = new Array<number>(9).fill(0)
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) for (let m = 0; m < 3; m++) W[3 * i + j] += g[3 * i + m] * g[3 * j + m]
      W[4 * i] += 1e-3
    }
    const right = [random.between(-1, 1), random.between(-3, 3), random.between(-3, 3)]
    const problem = oneContact(W, right, random.between(0, 2))
    const p = new Float64Array(3)
    expect(solver.solve(problem, p, noModes)).toBe('solved')
    expect(solver.iterations).toBeLessThanOrEqual(8) // the proximal term wants a second sweep, and looks come every fourth
    expect(violation(problem, law, p)).toBeLessThan(1e-10)
  }
})

test('without friction: the impulses of the quadratic program', () => {
  const solver = new BlockGaussSeidel({ law: 'cone', tolerance: 1e-12, limit: 100000 })
  let compared = 0
  for (let seed = 0; seed < 40; seed++) {
    const problem = randomContacts(seed, 2 + (seed % 7), { soft: 1e-2, spread: 0.5 })
    problem.limit.forEach((_, g) => {
      if (problem.kind[g] === GroupKind.frictional) problem.limit[g] = 0
    })
    const p = new Float64Array(problem.rowCount)
    expect(solver.solve(problem, p, noModes)).toBe('solved')
    const expected = byQuadraticProgram(problem, 0)
    if (expected === undefined) continue
    compared++
    const size = Math.max(...expected.map(Math.abs))
    for (let r = 0; r < problem.rowCount; r++) expect(Math.abs(p[r] - expected[r])).toBeLessThan(1e-7 * size) // condition 1e4
  }
  expect(compared).toBe(40)
})

test('associated friction: quadratic programs with polygons about the circle close in on it with the square of their sides', () => {
  const solver = new BlockGaussSeidel({ law: 'associated', tolerance: 1e-13, limit: 200000 })
  let coarse = 0
  let fine = 0
  for (let seed = 0; seed < 12; seed++) {
    const problem = randomContacts(seed, 1 + (seed % 4), { soft: 1e-2, spread: 0.3 })
    const p = new Float64Array(problem.rowCount)
    expect(solver.solve(problem, p, noModes)).toBe('solved')
    const energy = energyOf(problem, p)
    const size = Math.max(...p.map(Math.abs), 1e-9)
    for (const sides of [32, 256]) {
      const q = Float64Array.from(byQuadraticProgram(problem, sides) ?? [])
      // there is room for p in the polygons, so it cannot do better
      const more = (energy - energyOf(problem, q)) / Math.abs(energy || 1)
      expect(more).toBeGreaterThan(-1e-9) // the quadratic program's own rounding
      if (sides === 32) coarse += more
      else fine += more
      // friction goes to the nearest corner, pi/N off at most, times what W magnifies
      for (let r = 0; r < problem.rowCount; r++) expect(Math.abs(q[r] - p[r])).toBeLessThan((5 / sides) * size)
    }
  }
  expect(coarse).toBeGreaterThan(0.001) // there is a difference
  expect(fine / coarse).toBeLessThan(1 / 30) // 1/64 on average over how corners happen to lie
})

test.each(laws)('%s: what is called solved holds every condition of the law; most problems are', (law) => {
  const solver = new BlockGaussSeidel({ law, tolerance: 1e-10, limit: 4000 })
  let solved = 0
  const count = 100
  for (let seed = 0; seed < count; seed++) {
    const problem = randomContacts(seed, 1 + (seed % 20))
    const p = new Float64Array(problem.rowCount)
    if (solver.solve(problem, p, noModes) !== 'solved') continue
    solved++
    expect(violation(problem, law, p)).toBeLessThan(1e-8) // the same violations, some measured by a product instead of a distance
  }
  expect(solved).toBeGreaterThan(0.9 * count)
})

test('a table on four legs without softness: weight and moments are carried, whatever the legs share', () => {
  // unit mass, four corners at (±1, ±1): W has rank 3
  const corners = [
    [1, 1],
    [1, -1],
    [-1, -1],
    [-1, 1],
  ]
  const W = Float64Array.from(corners.flatMap(([x, y]) => corners.map(([X, Y]) => 1 + x * X + y * Y)))
  const problem: ContactProblem = {
    rowCount: 4,
    W,
    right: Float64Array.of(-1, -1, -1, -1),
    groupCount: 4,
    first: Int32Array.of(0, 1, 2, 3, 4),
    kind: new Uint8Array(4),
    limit: new Float64Array(4),
  }
  const p = new Float64Array(4)
  expect(new BlockGaussSeidel({ law: 'cone', tolerance: 1e-12 }).solve(problem, p, noModes)).toBe('solved')
  expect(p[0] + p[1] + p[2] + p[3]).toBeCloseTo(1, 10)
  expect(p[0] + p[1] - p[2] - p[3]).toBeCloseTo(0, 10)
})

test('started from the answer it says so without a sweep, and the same numbers give the same bits', () => {
  const solver = new BlockGaussSeidel({ law: 'cone' })
  const problem = randomContacts(5, 8)
  const p = new Float64Array(problem.rowCount)
  expect(solver.solve(problem, p, noModes)).toBe('solved')
  const again = new Float64Array(problem.rowCount)
  new BlockGaussSeidel({ law: 'cone' }).solve(problem, again, noModes)
  expect(again).toEqual(p)
  expect(solver.solve(problem, p, noModes)).toBe('solved')
  expect(solver.iterations).toBe(0)
  expect(p).toEqual(again)
})

test('rows that contradict each other end at the limit, and numbers that are none are no answer', () => {
  const problem: ContactProblem = {
    rowCount: 2,
    W: Float64Array.of(1, 1, 1, 1), // the same row twice, asked for 1 and for 2
    right: Float64Array.of(-1, -2),
    groupCount: 2,
    first: Int32Array.of(0, 1, 2),
    kind: Uint8Array.of(GroupKind.bilateral, GroupKind.bilateral),
    limit: new Float64Array(2),
  }
  const solver = new BlockGaussSeidel({ law: 'cone', limit: 100 })
  expect(solver.solve(problem, new Float64Array(2), noModes)).toBe('limit')
  problem.right[0] = Number.NaN
  expect(solver.solve(problem, new Float64Array(2), noModes)).toBe('residual')
  problem.right[0] = -2
  const p = Float64Array.of(Number.NaN, 0) // of a guess that is none nothing is left
  expect(solver.solve(problem, p, noModes)).toBe('solved')
  for (const u of velocities(problem, p)) expect(u).toBeCloseTo(0, 8)
})

/** p'Wp/2 + right'p. */
function energyOf(problem: ContactProblem, p: Float64Array): number {
  return velocities(problem, p).reduce((sum, u, r) => sum + (p[r] * (u + problem.right[r])) / 2, 0)
}

/** The least of p'Wp/2 + right'p with cones replaced by polygons of so many sides about them; 0: without friction. */
function byQuadraticProgram(problem: ContactProblem, sides: number): number[] | undefined {
  const { rowCount: rows, W, right, first, kind, limit } = problem
  const at = (r: number, x: number) => Array.from({ length: rows }, (_, j) => (j === r ? x : 0))
  const constraints: { row: number[]; least: number }[] = []
  const inactive = new Set<number>()
  for (let g = 0; g < problem.groupCount; g++) {
    const n = first[g]
    if (kind[g] === GroupKind.bounded) constraints.push({ row: at(n, 1), least: -limit[g] }, { row: at(n, -1), least: -limit[g] })
    else if (kind[g] !== GroupKind.bilateral) constraints.push({ row: at(n, 1), least: 0 })
    if (kind[g] !== GroupKind.frictional) continue
    if (sides === 0) for (const r of [n + 1, n + 2]) inactive.add(r)
    for (let k = 0; k < sides; k++) {
      const angle = (2 * Math.PI * (k + 0.3)) / sides
      const row = at(n, limit[g])
      row[n + 1] = -Math.cos(angle)
      row[n + 2] = -Math.sin(angle)
      constraints.push({ row, least: 0 })
    }
  }
  const used = Array.from({ length: rows }, (_, r) => r).filter((r) => !inactive.has(r))
  const count = constraints.length
  if (count === 0) constraints.push({ row: at(0, 0), least: -1 })
  const { solution, message } = solveQP(
    [[], ...used.map((r) => [0, ...used.map((s) => W[r * rows + s])])],
    [0, ...used.map((r) => -right[r])],
    [[], ...used.map((r) => [0, ...constraints.map(({ row }) => row[r])])],
    [0, ...constraints.map(({ least }) => least)],
  )
  if (message !== '') return undefined
  const p = new Array<number>(rows).fill(0)
  for (const [i, r] of used.entries()) p[r] = solution[i + 1]
  return p
}

import { expect, test } from 'vitest'
import {
  type ContactProblem,
  contactResidual,
  GroupKind,
  LemkeSolver,
  ModeGuess,
  pyramidSides,
  UNKNOWN_MODE,
} from '../../../contact/solvers/index.ts'
import { oneContact, randomContacts } from './contactProblems.ts'

const unknown = (groups: number) => new Int8Array(groups).fill(UNKNOWN_MODE)

function residualOf(problem: ContactProblem, sides: number, p: Float64Array): number {
  const residual = new Float64Array(1)
  contactResidual(problem, 'pyramid', sides, p, new Float64Array(problem.rowCount), residual)
  return residual[0]
}

test('what the guess calls solved meets the law of the pyramid, contacts, stops, loops and dry joints alike', () => {
  const solved: number[] = []
  for (const sides of [4, 8]) {
    const guess = new ModeGuess(pyramidSides(sides))
    let count = 0
    for (let seed = 0; seed < 1000; seed++) {
      const problem = randomContacts(seed, 1 + (seed % 8))
      const p = new Float64Array(problem.rowCount)
      if (guess.solve(problem, p, unknown(problem.groupCount)) !== 'solved') continue
      count++
      expect(residualOf(problem, sides, p)).toBeLessThanOrEqual(1e-9)
    }
    solved.push(count)
  }
  // it is a guess, but one that mostly succeeds
  for (const count of solved) expect(count).toBeGreaterThan(850)
})

test('without friction it agrees with Lemke, for the answer is then unique', () => {
  const guess = new ModeGuess(pyramidSides(4))
  const lemke = new LemkeSolver()
  let both = 0
  for (let seed = 0; seed < 300; seed++) {
    const n = 1 + (seed % 7)
    const full = randomContacts(seed, 3 * n, { soft: 1e-3, frictionalAlone: true })
    // the normals of the first n contacts
    const at = (k: number) => full.first[k]
    const W = Float64Array.from({ length: n * n }, (_, k) => full.W[at(Math.floor(k / n)) * full.rowCount + at(k % n)])
    const right = Float64Array.from({ length: n }, (_, k) => full.right[at(k)])
    const problem: ContactProblem = {
      rowCount: n,
      W,
      right,
      groupCount: n,
      first: Int32Array.from({ length: n + 1 }, (_, k) => k),
      kind: new Uint8Array(n).fill(GroupKind.unilateral),
      limit: new Float64Array(n),
    }
    const p = new Float64Array(n)
    if (guess.solve(problem, p, unknown(n)) !== 'solved') continue
    expect(lemke.solve(n, W, right)).toBe('solved')
    const largest = Math.max(...Array.from(p, Math.abs))
    for (let i = 0; i < n; i++) expect(Math.abs(p[i] - lemke.z[i])).toBeLessThan(1e-7 * (1 + largest)) // condition 1e3 to 1e6
    both++
  }
  expect(both).toBeGreaterThan(280)
})

test('a block pulled below its friction sticks, and above it slides against the pull', () => {
  // one contact of a unit mass: normal -g h, pull t; W the identity
  const guess = new ModeGuess(pyramidSides(4))
  const p = new Float64Array(3)
  const solve = (pull: number) => {
    const problem = oneContact([1, 0, 0, 0, 1, 0, 0, 0, 1], [-1, pull, 0], 0.5)
    expect(guess.solve(problem, p, unknown(1))).toBe('solved')
    return Array.from(p, (x) => x + 0) // no -0
  }
  expect(solve(0.4)).toEqual([1, -0.4, 0])
  expect(solve(0.6)).toEqual([1, -0.5, 0])
})

test('a dry joint holds up to its limit, and gives its limit against the motion beyond it', () => {
  const guess = new ModeGuess(pyramidSides(4))
  const p = new Float64Array(1)
  const solve = (right: number) => {
    const problem: ContactProblem = {
      rowCount: 1,
      W: Float64Array.of(2),
      right: Float64Array.of(right),
      groupCount: 1,
      first: Int32Array.of(0, 1),
      kind: Uint8Array.of(GroupKind.bounded),
      limit: Float64Array.of(0.3),
    }
    expect(guess.solve(problem, p, unknown(1))).toBe('solved')
    return p[0]
  }
  expect(solve(0.5)).toBe(-0.25)
  expect(solve(0.7)).toBe(-0.3)
  expect(solve(-0.7)).toBe(0.3)
})

test('from the modes of an answer one pass finds it again, whoever found it', () => {
  const guess = new ModeGuess(pyramidSides(4))
  let solved = 0
  for (let seed = 0; seed < 500; seed++) {
    const problem = randomContacts(seed, 1 + (seed % 8))
    const { rowCount, groupCount } = problem
    const p = new Float64Array(rowCount)
    const modes = unknown(groupCount)
    if (guess.solve(problem, p, modes) !== 'solved') continue
    solved++
    const again = new Float64Array(rowCount)
    expect(guess.solve(problem, again, modes)).toBe('solved')
    expect(guess.iterations).toBe(1)
    expect(again).toEqual(p) // the same system of equations

    // as an answer of another solver: nothing but p is known
    const adopted = unknown(groupCount)
    guess.adopt(problem, p, adopted)
    expect(guess.solve(problem, again, adopted)).toBe('solved')
    expect(guess.iterations).toBe(1)
    const largest = Math.max(...Array.from(p, Math.abs))
    for (let r = 0; r < rowCount; r++) expect(Math.abs(again[r] - p[r])).toBeLessThan(1e-6 * (1 + largest)) // condition to 1e7
  }
  expect(solved).toBeGreaterThan(430)
})

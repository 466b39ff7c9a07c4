import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { answersOf, certificatesOf } from '../../../compare/answers/answers.ts'
import { ContactSystem } from '../../../compare/answers/contactSystem.ts'
import { lemkeEnd, manyStarts } from '../../../compare/answers/manyStarts.ts'
import type { LinearProblem } from '../../../compare/inspect/problemFile.ts'
import { contactSolvers, LinearProgram, type SavedProblem, UNKNOWN_MODE } from '../../../contact/index.ts'
import { example } from '../../compare/problems.ts'
import { type BruteSet, bruteForceAnswers } from '../../oracle/bruteForceAnswers.ts'
import { systemOf } from '../../problems/corpus.ts'
import { randomProblem } from './randomProblems.ts'

/** Problems, of which every `FEATHERBED_FULL=1` run takes all. */
const full = process.env.FEATHERBED_FULL !== undefined
const count = full ? 10_000 : 400

const bruteOf = (problem: SavedProblem): BruteSet[] => {
  const { n, W, rhs, groups } = systemOf(problem)
  return bruteForceAnswers(n, W, rhs, groups)
}
/** Equal to a part; infinite ends are equal alone. */
const areNear = (a: ArrayLike<number>, b: ArrayLike<number>, part: number) =>
  Array.from(a).every((x, i) => x === b[i] || Math.abs(x - b[i]) <= part * (1 + Math.abs(b[i])))

describe('all answers of a problem', () => {
  test('are those of brute force: as many connected sets, with the same ranges of velocities and impulses', () => {
    const seen = { several: 0, none: 0, continua: 0, rays: 0 }
    for (let seed = 0; seed < count; seed++) {
      const problem = randomProblem(seed)
      const brute = bruteOf(problem)
      const { sets, complete } = answersOf(problem)
      expect([seed, complete, sets.length]).toEqual([seed, true, brute.length])
      for (const { velocity, impulse } of sets) {
        const same = brute.filter(
          (one) =>
            areNear(velocity.min, one.velocity.min, 1e-5) &&
            areNear(velocity.max, one.velocity.max, 1e-5) &&
            areNear(impulse.min, one.impulse.min, 1e-4) &&
            areNear(impulse.max, one.impulse.max, 1e-4),
        )
        expect([seed, same.length]).toEqual([seed, 1])
      }
      if (brute.length > 1) seen.several++
      if (brute.length === 0) seen.none++
      if (brute.some(({ velocity: { min, max } }) => min.some((x, i) => max[i] - x > 1e-5))) seen.continua++
      if (brute.some(({ impulse: { max } }) => max.includes(Number.POSITIVE_INFINITY))) seen.rays++
    }
    // each of the hard kinds is there
    for (const [kind, many] of Object.entries(seen)) expect(many, kind).toBeGreaterThan(count / 100)
  })
  test('under the cone hold what solvers find, and mostly are proved by intervals where they are isolated', () => {
    const seen = { isolated: 0, verified: 0, solved: 0 }
    for (let seed = 0; seed < (full ? 2000 : 100); seed++) {
      const problem: SavedProblem = { ...randomProblem(seed), law: 'cone' }
      const { sets, complete } = answersOf(problem, 20_000)
      if (!complete) continue
      for (const { velocityDimension, impulseDimension, isVerified } of sets) {
        if (velocityDimension + impulseDimension > 0) continue
        seen.isolated++
        if (isVerified) seen.verified++
      }
      const { problem: own } = new ContactSystem(problem)
      const p = new Float64Array(own.rowCount)
      const solver = contactSolvers.newton('cone', 4)
      if (solver.solve(own, p, new Int8Array(own.groupCount).fill(UNKNOWN_MODE)) !== 'solved') continue
      seen.solved++
      const u = own.rhs.map((x, r) => p.reduce((sum, value, c) => sum + own.W[r * own.rowCount + c] * value, x))
      const isIn = sets.some(({ velocity: { min, max } }) => u.every((x, r) => x >= min[r] - 1e-5 && x <= max[r] + 1e-5))
      expect([seed, isIn]).toEqual([seed, true])
    }
    expect(seen.solved).toBeGreaterThan(50)
    expect(seen.verified).toBeGreaterThan(0.9 * seen.isolated)
  })
})

describe('certificates', () => {
  const folder = mkdtempSync(join(tmpdir(), 'featherbed-answers-'))
  const file = join(folder, 'certificates.json')
  const check = (document: unknown): string => {
    writeFileSync(file, JSON.stringify(document))
    try {
      return execFileSync('node', ['docs/examples/answers/check.mjs', file], { encoding: 'utf8' })
    } catch (error) {
      return (error as { stdout: string }).stdout
    }
  }
  test('of every empty mode are confirmed by a program of its own in exact arithmetic', () => {
    for (let seed = 0; seed < (full ? 1000 : 12); seed++)
      expect(check(certificatesOf(randomProblem(seed))), String(seed)).toMatch(/, 0 open, 0 wrong$/m)
    for (const name of ['box', 'lcp', 'mlcp', 'painleve-rod', 'painleve-rod-forces', 'painleve-rod-several', 'fingers'])
      expect(check(certificatesOf(example(name))), name).toMatch(/, 0 open, 0 wrong$/m)
    rmSync(folder, { recursive: true })
  })
  test('that are changed are refused', () => {
    const copy = mkdtempSync(join(tmpdir(), 'featherbed-answers-'))
    const refuse = (change: (text: string) => string) => {
      const text = change(JSON.stringify(certificatesOf(example('painleve-rod'))))
      writeFileSync(join(copy, 'c.json'), text)
      expect(() => execFileSync('node', ['docs/examples/answers/check.mjs', join(copy, 'c.json')], { stdio: 'pipe' })).toThrow()
    }
    // another condition, another sign, a mode left out, a rod that moves otherwise
    refuse((text) => text.replace('"least":-1', '"least":2'))
    refuse((text) => text.replace(/"amount":"/, '"amount":"-'))
    refuse((text) => text.replace(/"parts":\[\{.*?\},\{/, '"parts":[{'))
    refuse((text) => text.replace(/"vFree":\[[^\]]*\]/, '"vFree":[5,5,5]'))
    rmSync(copy, { recursive: true })
  })
})

describe('known problems', () => {
  test('a box between two fingers falls at any speed from rest to free fall, and may be squeezed without bound', () => {
    const { sets } = answersOf(example('fingers'))
    expect(sets.length).toBe(1)
    const [{ velocity, impulse, velocityDimension }] = sets
    expect(velocityDimension).toBe(1)
    expect(velocity.min[1]).toBeCloseTo(-0.00981, 8)
    expect(velocity.max[1]).toBeCloseTo(0, 8)
    expect([impulse.min[0], impulse.max[0]]).toEqual([expect.closeTo(0, 8), Number.POSITIVE_INFINITY])
  })
  test('a table on four legs has one velocity; a leg carries from nothing to half of the weight', () => {
    const { sets } = answersOf(example('table'))
    expect(sets.map((set) => [set.velocityDimension, set.impulseDimension])).toEqual([[0, 6]])
    // twelve impulses less the rank of six velocities
    for (const r of [0, 3, 6, 9])
      expect([sets[0].impulse.min[r], sets[0].impulse.max[r]]).toEqual([expect.closeTo(0, 7), expect.closeTo(0.04905, 7)])
  })
  test("Painlevé's rod with a force as the unknown has two answers if its tip is lifted, none if it is pressed", () => {
    expect(answersOf(example('painleve-rod-forces')).sets).toEqual([])
    const { sets } = answersOf(example('painleve-rod-several'))
    // z = 0, and w = 0 at z = 2.19 / 0.718
    expect(sets.map(({ p }) => p[0])).toEqual([expect.closeTo(3.05014, 4), 0])
  })
})

describe('where the search does not end', () => {
  test('random starts find all three answers of a thrown arm, and state the share of what they have not seen', () => {
    const problem = example<SavedProblem>('thrown-panda')
    expect(answersOf(problem, 20).complete).toBe(false)
    const { velocities, starts, solved, unseen } = manyStarts(problem)
    expect([velocities.length, solved]).toEqual([3, starts])
    // Good's estimate: velocities that were seen once
    expect(unseen).toBe(velocities.filter(({ count }) => count === 1).length / solved)
    const { sets, faces } = answersOf(problem)
    const found = sets.map(({ p }) => new ContactSystem(problem).velocity(p))
    for (const { velocity } of velocities)
      expect(found.some((v) => v.every((x, i) => Math.abs(x - velocity[i]) < 1e-5 * faces.scale + 1e-6 * Math.abs(x)))).toBe(true)
  })
  test("a ray of Lemke's algorithm is a proof for a semidefinite matrix alone", () => {
    const lcp = (A: number[][], b: number[]): LinearProblem => ({ kind: 'lcp', A, b, free: [] })
    // w = -1 whatever z
    expect(lemkeEnd(lcp([[0]], [-1]))).toEqual({ status: 'ray', isProof: true })
    expect(lemkeEnd(example<LinearProblem>('painleve-rod-forces'))).toMatchObject({ isProof: false })
    expect(lemkeEnd(example<LinearProblem>('lcp'))).toEqual({ status: 'solved', isProof: false })
  })
})

describe('the linear program', () => {
  test('reaches the greatest value at a corner, and infinity along a ray', () => {
    const program = new LinearProgram()
    // x + y <= 4, x - y <= 2, -x <= -1
    program.begin(2, 3)
    for (const [row, a, b, bound] of [
      [0, 1, 1, 4],
      [1, 1, -1, 2],
      [2, -1, 0, -1],
    ]) {
      program.set(row, 0, a)
      program.set(row, 1, b)
      program.setBound(row, bound)
    }
    expect(program.solve()).toBe(0)
    expect(program.maximize([2, 1])).toBeCloseTo(7, 9)
    expect([program.x[0], program.x[1]]).toEqual([expect.closeTo(3, 9), expect.closeTo(1, 9)])
    expect(program.maximize([-1, 0])).toBeCloseTo(-1, 9)
    program.begin(1, 1)
    program.set(0, 0, -1)
    program.setBound(0, 1)
    expect(program.solve()).toBe(0)
    expect(program.maximize([1])).toBe(Number.POSITIVE_INFINITY)
  })
  test('of rows without a common solution has weights that show it', () => {
    const program = new LinearProgram()
    // x <= 1, -x <= -3
    program.begin(1, 2)
    program.set(0, 0, 1)
    program.setBound(0, 1)
    program.set(1, 0, -1)
    program.setBound(1, -3)
    expect(program.solve()).toBeCloseTo(1, 9)
    expect([...program.farkas()]).toEqual([expect.closeTo(0.5, 12), expect.closeTo(0.5, 12)])
  })
})

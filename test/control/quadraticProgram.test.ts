import { describe, expect, test } from 'vitest'
import {
  createQuadraticProgram,
  forgetActiveRows,
  type QuadraticProgram,
  solveQuadraticProgram,
} from '../../control/math/quadraticProgram.ts'
import { createRandom } from '../../dynamics/index.ts'
import { full } from '../dailyModels.ts'
import { quadprogForm, solveByQuadprog } from '../oracle/quadprog.ts'
import { optimality } from './optimality.ts'

const count = full ? 10_000 : 100

type Random = () => number

/** Random rows around a known point, so that there is an answer: `equalities` first, then one-sided and two-sided ones. */
function randomProgram(random: Random, n: number, m: number, equalities: number, rank = n): QuadraticProgram {
  const program = createQuadraticProgram(n, m)
  const { H, g, C, lower, upper } = program
  const A = Float64Array.from({ length: rank * n }, () => random() - 0.5)
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) for (let k = 0; k < rank; k++) H[i * n + j] += A[k * n + i] * A[k * n + j]
    H[i * n + i] += 1e-3
    g[i] = 4 * (random() - 0.5)
  }
  const inside = Float64Array.from({ length: n }, () => random() - 0.5)
  for (let row = 0; row < m; row++) {
    let value = 0
    for (let j = 0; j < n; j++) {
      C[row * n + j] = random() < 0.3 ? 0 : random() - 0.5
      value += C[row * n + j] * inside[j]
    }
    lower[row] = row < equalities ? value : value - random() * 0.3
    upper[row] = row < equalities ? value : random() < 0.5 ? Infinity : value + random() * 0.3
  }
  return program
}

const solved = (program: QuadraticProgram, label: unknown) =>
  expect(`${label}: ${solveQuadraticProgram(program)}`).toBe(`${label}: solved`)

describe('random programs', () => {
  test('meet the conditions of Karush, Kuhn and Tucker, and have the answer of another implementation', () => {
    const { next: random } = createRandom(1)
    for (let k = 0; k < count; k++) {
      const n = 1 + Math.floor(random() * 30)
      const equalities = Math.floor(random() * Math.min(n, 8))
      const program = randomProgram(random, n, equalities + Math.floor(random() * 50), equalities)
      solved(program, k)
      expect(optimality(program)).toBeLessThan(1e-9)
      const truth = solveByQuadprog(quadprogForm(program))
      // condition of H up to 1e4
      if (truth)
        for (let i = 0; i < n; i++) expect(Math.abs(program.x[i] - truth[i])).toBeLessThan(1e-6 * (1 + Math.abs(truth[i])))
    }
  })

  test('with a cost of low rank and rows that stand twice still meet them', () => {
    const { next: random } = createRandom(2)
    for (let k = 0; k < count; k++) {
      const n = 4 + Math.floor(random() * 20)
      const program = randomProgram(random, n, 24, 2, 3)
      const { C, lower, upper } = program
      for (let row = 12; row < 22; row++) {
        C.copyWithin(row * n, (row - 10) * n, (row - 9) * n)
        lower[row] = lower[row - 10]
        upper[row] = upper[row - 10]
      }
      solved(program, k)
      expect(optimality(program)).toBeLessThan(1e-9)
    }
  })

  test('that change a little from one solve to the next have the same answer warm as cold, with fewer changes of the active set', () => {
    const { next: random } = createRandom(3)
    let [warmChanges, coldChanges] = [0, 0]
    for (let k = 0; k < count / 10; k++) {
      const warm = randomProgram(random, 20, 40, 4)
      for (let tick = 0; tick < 10; tick++) {
        for (let i = 0; i < 20; i++) warm.g[i] += 0.1 * (random() - 0.5)
        const cold = structuredClone(warm)
        forgetActiveRows(cold)
        solved(warm, `${k}, ${tick}, warm`)
        solved(cold, `${k}, ${tick}, cold`)
        expect(optimality(warm)).toBeLessThan(1e-9)
        for (let i = 0; i < 20; i++) expect(Math.abs(warm.x[i] - cold.x[i])).toBeLessThan(1e-7 * (1 + Math.abs(cold.x[i])))
        if (tick === 0) continue
        warmChanges += warm.counts.added + warm.counts.dropped
        coldChanges += cold.counts.added + cold.counts.dropped
      }
    }
    expect(warmChanges).toBeLessThan(coldChanges / 3)
  })
})

test('the nearest point of a box is the point cut to it, and its multipliers are how far it was cut', () => {
  const program = createQuadraticProgram(3, 3)
  program.H.set([1, 0, 0, 0, 1, 0, 0, 0, 1])
  program.C.set([1, 0, 0, 0, 1, 0, 0, 0, 1])
  program.g.set([-2, 0.5, 3])
  program.lower.fill(-1)
  program.upper.fill(1)
  expect(solveQuadraticProgram(program)).toBe('solved')
  expect(Array.from(program.x)).toEqual([1, -0.5, -1])
  expect(Array.from(program.u)).toEqual([-1, 0, 2])
})

test('a program that no x meets is infeasible, and a row of those that contradict each other is named', () => {
  const program = createQuadraticProgram(2, 4)
  program.H.set([1, 0, 0, 1])
  program.C.set([1, -1, 1, 0, 0, 1, 1, 1])
  program.upper.set([Infinity, 1, 1, Infinity])
  program.lower.set([-1, -Infinity, -Infinity, 3])
  expect(solveQuadraticProgram(program)).toBe('infeasible')
  // x <= 1, y <= 1 and x + y >= 3; x - y >= -1 is none of them
  expect([1, 2, 3]).toContain(program.counts.infeasible)
})

test('a cost that is not convex is refused', () => {
  const program = createQuadraticProgram(2, 0)
  program.H.set([1, 0, 2, 1])
  expect(solveQuadraticProgram(program)).toBe('indefinite')
})

test('what cannot be a size is refused', () => {
  expect(() => createQuadraticProgram(0, 1)).toThrow('n is 0')
  expect(() => createQuadraticProgram(1, -1)).toThrow('m is -1')
})

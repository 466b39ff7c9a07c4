import { describe, expect, test } from 'vitest'
import { GrowingFactor } from '../../../contact/solvers/growingFactor.ts'
import { DantzigSolver, LemkeSolver, MurtySolver, type SolverStatus } from '../../../contact/solvers/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import { corpusProblem, frictional, gram, numbers } from './corpus.ts'

const nothing = (n: number) => new Uint8Array(n)
const zeros = (n: number) => new Float64Array(n)
/** Murty's matrix, a P-matrix on which rules without care for ties or order go in circles; with b = -1 the answer is 1/3 each. */
const circle = Float64Array.of(1, 2, 0, 0, 1, 2, 2, 0, 1)
const minusOne = Float64Array.of(-1, -1, -1)

describe('lemke', () => {
  test('the lexicographic order ends where taking the first of equal rows cycles', () => {
    expect(lemkeWithFirstOfEqualRows(circle, minusOne, 1000)).toBe('cycle')
    const solver = new LemkeSolver()
    expect(solver.solve(3, circle, minusOne)).toBe('solved')
    for (let i = 0; i < 3; i++) expect(solver.z[i]).toBeCloseTo(1 / 3, 12)
  })

  test('the answer of the step before is a start that saves most pivots', () => {
    const random = createRandom(5)
    const solver = new LemkeSolver()
    let cold = 0
    let warm = 0
    let untouched = 0
    for (let trial = 0; trial < 100; trial++) {
      const { n, A, b, free } = frictional(random, 8, 12)
      expect(solver.solve(n, A, b, free, zeros(n))).toBe('solved')
      const start = solver.z.slice(0, n)
      cold += solver.iterations
      // the next step: the velocities of all rows a thousandth larger or smaller, opposite sides alike
      const next = b.map((x, i) => x * (1 + (i < 8 ? 1e-3 : -1e-3)))
      expect(`${trial} ${solver.solve(n, A, next, free, start)}`).toBe(`${trial} solved`)
      warm += solver.iterations
      if (solver.iterations === 0) untouched++
    }
    expect(untouched).toBeGreaterThan(90)
    expect(warm).toBeLessThan(cold / 10)
  })

  test('without free rows and start it is the pure problem from nothing', () => {
    const { n, A, b, free } = corpusProblem('P-matrix, not symmetric', 3, 4)
    const solver = new LemkeSolver()
    expect(solver.solve(n, A, b)).toBe('solved')
    const z = solver.z.slice(0, n)
    expect(solver.solve(n, A, b, free, zeros(n))).toBe('solved')
    expect(solver.z.slice(0, n)).toEqual(z)
  })
})

describe('murty', () => {
  test('the least index ends where pivots on the row that is violated least go in circles', () => {
    expect(leastViolated(circle, minusOne, 1000)).toBe('limit')
    const solver = new MurtySolver()
    expect(solver.solve(3, circle, minusOne, nothing(3), zeros(3))).toBe('solved')
    for (let i = 0; i < 3; i++) expect(solver.z[i]).toBeCloseTo(1 / 3, 12)
  })

  test('his worst-case family takes 2ⁿ - 1 pivots from nothing, and none from the answer', () => {
    // Murty (1978): ones in the diagonal, twos above it, b = -1; the answer is 1 in the last row
    const n = 6
    const A = zeros(n * n)
    for (let i = 0; i < n; i++) for (let j = i; j < n; j++) A[i * n + j] = i === j ? 1 : 2
    const b = zeros(n).fill(-1)
    const solver = new MurtySolver()
    expect(solver.solve(n, A, b, nothing(n), zeros(n))).toBe('solved')
    expect(solver.iterations).toBe(2 ** n - 1)
    expect(Array.from(solver.z.subarray(0, n))).toEqual([0, 0, 0, 0, 0, 1])
    const z = solver.z.slice(0, n)
    expect(solver.solve(n, A, b, nothing(n), z)).toBe('solved')
    expect(solver.iterations).toBe(0)
  })

  test('an exchange of two pairs passes a zero in the diagonal', () => {
    // min x² / 2 - 3 x such that x <= 1: [1 1; -1 0], b = (-3, 1); x = 1, its price 2
    const solver = new MurtySolver()
    expect(solver.solve(2, Float64Array.of(1, 1, -1, 0), Float64Array.of(-3, 1), nothing(2), zeros(2))).toBe('solved')
    expect(Array.from(solver.z.subarray(0, 2))).toEqual([1, 2])
  })

  test('a row that nothing can help is a ray', () => {
    const solver = new MurtySolver()
    expect(solver.solve(2, Float64Array.of(1, -1, -1, 1), Float64Array.of(-1, -1), nothing(2), zeros(2))).toBe('ray')
    expect(solver.solve(1, Float64Array.of(0), Float64Array.of(-1), nothing(1), zeros(1))).toBe('ray')
  })
})

describe('dantzig', () => {
  test('a positive definite matrix on which a rule without ratios runs out of rows has its known answer', () => {
    const A = Float64Array.of(60, 26, 37, 26, 36, 29, 37, 29, 30)
    const solver = new DantzigSolver()
    expect(solver.solve(3, A, minusOne, nothing(3), zeros(3))).toBe('solved')
    // z2 and z3 from 36 z2 + 29 z3 = 1 = 29 z2 + 30 z3
    expect(solver.z[0]).toBe(0)
    expect(solver.z[1]).toBeCloseTo(1 / 239, 12)
    expect(solver.z[2]).toBeCloseTo(7 / 239, 12)
  })

  test('the legs of a table carry its weight, on no more legs than it takes', () => {
    // a square table, its load off the middle: any three legs could do it
    const legs = [
      [1, 1],
      [1, -1],
      [-1, -1],
      [-1, 1],
    ]
    const A = zeros(16)
    const b = zeros(4)
    for (let i = 0; i < 4; i++) {
      const [x, y] = legs[i]
      for (let j = 0; j < 4; j++) A[i * 4 + j] = 1 + x * legs[j][0] + y * legs[j][1]
      b[i] = -1 - 0.3 * x - 0.2 * y // the velocity that a load at (0.3, 0.2) gives the corner
    }
    const solver = new DantzigSolver()
    expect(solver.solve(4, A, b, nothing(4), zeros(4))).toBe('solved')
    const z = Array.from(solver.z.subarray(0, 4))
    expect(z.reduce((sum, x) => sum + x, 0)).toBeCloseTo(1, 12)
    expect(z.reduce((sum, x, i) => sum + x * legs[i][0], 0)).toBeCloseTo(0.3, 12)
    expect(z.reduce((sum, x, i) => sum + x * legs[i][1], 0)).toBeCloseTo(0.2, 12)
    expect(z.filter((x) => x > 0).length).toBe(3)
  })

  test('what is not symmetric, or not semidefinite at first sight, is not tried', () => {
    const solver = new DantzigSolver()
    const status = (...A: number[]): SolverStatus =>
      solver.solve(2, Float64Array.from(A), Float64Array.of(-1, -1), nothing(2), zeros(2))
    expect(status(1, 0.5, 0.4, 1)).toBe('not-applicable')
    expect(status(1, 2, 2, 1)).toBe('not-applicable')
    expect(status(-1, 0, 0, 1)).toBe('not-applicable')
    expect(status(0, 1, 1, 0)).toBe('not-applicable')
    expect(solver.iterations).toBe(0)
    expect(status(1, 0.5, 0.5, 1)).toBe('solved')
  })

  test('a start that pulls is cut down to what pushes', () => {
    for (let index = 0; index < 200; index++) {
      const { n, A, b, free } = corpusProblem('dependent rows', 4, index)
      const solver = new DantzigSolver()
      expect(`${index} ${solver.solve(n, A, b, free, zeros(n).fill(1))}`).toBe(`${index} solved`)
    }
  })
})

describe('the growing factor', () => {
  test('after any appending and removing it solves with the rows that it holds', () => {
    const random = createRandom(9)
    const n = 20
    const A = gram(numbers(random, n * n), n)
    for (let i = 0; i < n; i++) A[i * n + i] += 0.1
    const factor = new GrowingFactor()
    factor.reserve(n)
    const held = new Set<number>()
    for (let round = 0; round < trials(2000); round++) {
      const i = random.index(n)
      if (held.has(i)) {
        factor.remove(i)
        held.delete(i)
      } else {
        expect(factor.append(i, A, n, 1e-10)).toBe(true)
        held.add(i)
      }
      const rows = Array.from(factor.rows.subarray(0, factor.size))
      expect(new Set(rows)).toEqual(held)
      const x = zeros(n)
      const right = Float64Array.from({ length: n }, () => random.between(-1, 1))
      factor.solve(right, x)
      // condition up to 1e3, and 2000 changes that none undo
      rows.forEach((row, k) => {
        const product = rows.reduce((sum, column, l) => sum + A[row * n + column] * x[l], 0)
        expect(Math.abs(product - right[k])).toBeLessThan(1e-9)
      })
    }
  })

  test('a row that the others explain is refused', () => {
    const A = Float64Array.of(1, 1, 0, 1, 1, 0, 0, 0, 2)
    const factor = new GrowingFactor()
    factor.reserve(3)
    expect(factor.append(0, A, 3, 1e-10)).toBe(true)
    expect(factor.append(1, A, 3, 1e-10)).toBe(false)
    expect(factor.append(2, A, 3, 1e-10)).toBe(true)
    factor.remove(0)
    expect(factor.append(1, A, 3, 1e-10)).toBe(true)
    expect(Array.from(factor.rows.subarray(0, factor.size))).toEqual([2, 1])
  })
})

/** Lemke's algorithm with the covering vector of ones that takes the first of rows whose ratios are equal. */
function lemkeWithFirstOfEqualRows(A: Float64Array, b: Float64Array, cap: number): 'solved' | 'ray' | 'cycle' | 'limit' {
  const n = b.length
  const T = Array.from(b, (right, i) => {
    const row = new Array<number>(2 * n + 2).fill(0)
    row[i] = 1
    for (let j = 0; j < n; j++) row[n + j] = -A[i * n + j]
    row[2 * n] = -1
    row[2 * n + 1] = right
    return row
  })
  const basic = Array.from(b, (_, i) => i)
  const exchange = (r: number, c: number): number => {
    const pivot = T[r][c]
    T[r] = T[r].map((x) => x / pivot)
    for (let i = 0; i < n; i++) {
      const factor = T[i][c]
      if (i !== r) T[i] = T[i].map((x, j) => x - factor * T[r][j])
    }
    const left = basic[r]
    basic[r] = c
    return left
  }
  let left = exchange(b.indexOf(Math.min(...b)), 2 * n)
  const seen = new Set<string>()
  for (let pivot = 0; pivot < cap; pivot++) {
    const entering = left < n ? left + n : left - n
    let row = -1
    for (let i = 0; i < n; i++) {
      if (T[i][entering] <= 1e-12) continue
      if (row < 0 || T[i][2 * n + 1] / T[i][entering] < T[row][2 * n + 1] / T[row][entering] - 1e-12) row = i
    }
    if (row < 0) return 'ray'
    left = exchange(row, entering)
    if (left === 2 * n) return 'solved'
    const key = `${[...basic].sort((x, y) => x - y)} ${left}`
    if (seen.has(key)) return 'cycle'
    seen.add(key)
  }
  return 'limit'
}

/** Principal pivots on the negative row that is nearest to 0. */
function leastViolated(A: Float64Array, b: Float64Array, cap: number): 'solved' | 'limit' {
  const n = b.length
  const basis = new Set<number>()
  for (let pivot = 0; pivot < cap; pivot++) {
    // the basic variables, by elimination with the whole diagonal system: z in the basis, w outside
    const M = Array.from({ length: n }, (_, i) => [
      ...Array.from({ length: n }, (_, j) => (basis.has(j) ? A[i * n + j] : i === j ? -1 : 0)),
      -b[i],
    ])
    for (let k = 0; k < n; k++) {
      let best = k
      for (let i = k + 1; i < n; i++) if (Math.abs(M[i][k]) > Math.abs(M[best][k])) best = i
      ;[M[k], M[best]] = [M[best], M[k]]
      for (let i = 0; i < n; i++) {
        if (i === k) continue
        const factor = M[i][k] / M[k][k]
        for (let j = k; j <= n; j++) M[i][j] -= factor * M[k][j]
      }
    }
    const x = M.map((row, k) => row[n] / row[k])
    let next = -1
    for (let i = 0; i < n; i++) if (x[i] < -1e-9 && (next < 0 || x[i] > x[next])) next = i
    if (next < 0) return 'solved'
    if (basis.has(next)) basis.delete(next)
    else basis.add(next)
  }
  return 'limit'
}

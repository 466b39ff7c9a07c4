import { describe, expect, test } from 'vitest'
import { LemkeSolver } from '../../../contact/solvers/index.ts'
import { createRandom, type Random } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import { product } from '../../oracle/dense.ts'
import { dense, gram, type LcpProblem, numbers, times } from './corpus.ts'

type Problem = Pick<LcpProblem, 'n' | 'A' | 'b'>

/** J Jᵀ z + J v >= 0 has the answer of a unilateral contact problem, however dependent the rows of J are. */
function dependentRows(random: Random, n: number): Problem {
  const rank = 1 + Math.floor(random.next() * (n / 2))
  const J = Float64Array.from({ length: n * rank }, () => Math.round(random.between(-2, 2)))
  const v = numbers(random, rank)
  return { n, A: gram(J, n), b: times(J, v, n) }
}

/** Contacts of the velocity-level frictional problem, each with a normal, two opposite tangents and a slack row. */
function frictional(random: Random, contacts: number, dof: number, degenerate: boolean): Problem {
  const number = () => (degenerate ? Math.round(random.between(-1, 1)) : random.between(-1, 1))
  const normals = Array.from({ length: contacts * dof }, number)
  const tangents = Array.from({ length: contacts * dof }, number)
  const v = Array.from({ length: dof }, number)
  const rows: number[][] = []
  for (let i = 0; i < contacts; i++) rows.push(normals.slice(i * dof, (i + 1) * dof))
  for (let i = 0; i < contacts; i++) {
    const t = tangents.slice(i * dof, (i + 1) * dof)
    rows.push(
      t,
      t.map((x) => -x),
    )
  }
  const n = 4 * contacts
  const A = new Float64Array(n * n)
  const b = new Float64Array(n)
  rows.forEach((r, i) => {
    rows.forEach((s, j) => {
      A[i * n + j] = r.reduce((sum, x, k) => sum + x * s[k], 0)
    })
    b[i] = r.reduce((sum, x, k) => sum + x * v[k], 0)
  })
  for (let i = 0; i < contacts; i++) {
    const slack = 3 * contacts + i
    const mu = degenerate ? 1 : random.between(0.1, 1.2)
    A[slack * n + i] = mu
    for (let k = 0; k < 2; k++) {
      A[slack * n + contacts + 2 * i + k] = -1
      A[(contacts + 2 * i + k) * n + slack] = 1
    }
  }
  return { n, A, b }
}

/** Every complementary basis in turn, each solved by elimination; null if none holds. The truth for small problems. */
function enumerate({ n, A, b }: Problem, tolerance = 1e-9): Float64Array | null {
  for (let mask = 0; mask < 1 << n; mask++) {
    const set: number[] = []
    for (let i = 0; i < n; i++) if (mask & (1 << i)) set.push(i)
    const part = gauss(
      set.map((i) => set.map((j) => A[i * n + j])),
      set.map((i) => -b[i]),
    )
    if (part === null || part.some((x) => x < -tolerance)) continue
    const z = new Float64Array(n)
    set.forEach((i, k) => {
      z[i] = part[k]
    })
    if (naturalResidual({ n, A, b }, z) < tolerance) return z
  }
  return null
}

function gauss(M: number[][], r: number[]): number[] | null {
  const m = r.length
  const rows = M.map((row, i) => [...row, r[i]])
  for (let k = 0; k < m; k++) {
    let best = k
    for (let i = k + 1; i < m; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[best][k])) best = i
    if (Math.abs(rows[best][k]) < 1e-10) return null
    ;[rows[k], rows[best]] = [rows[best], rows[k]]
    for (let i = k + 1; i < m; i++) {
      const factor = rows[i][k] / rows[k][k]
      for (let j = k; j <= m; j++) rows[i][j] -= factor * rows[k][j]
    }
  }
  const x = new Array<number>(m).fill(0)
  for (let k = m - 1; k >= 0; k--) {
    let sum = rows[k][m]
    for (let j = k + 1; j < m; j++) sum -= rows[k][j] * x[j]
    x[k] = sum / rows[k][k]
  }
  return x
}

/** max |min(z, A z + b)|: zero if and only if z answers the problem. */
function naturalResidual({ n, A, b }: Problem, z: ArrayLike<number>): number {
  let worst = 0
  for (let i = 0; i < n; i++) {
    let w = b[i]
    for (let j = 0; j < n; j++) w += A[i * n + j] * z[j]
    worst = Math.max(worst, Math.abs(Math.min(z[i], w)))
  }
  return worst
}

describe('lemke', () => {
  const solver = new LemkeSolver()

  test('a P-matrix has one answer, the one that enumeration finds', () => {
    const random = createRandom(1)
    for (let trial = 0; trial < 200; trial++) {
      const problem = dense(random, 1 + (trial % 8), 1)
      expect(solver.solve(problem.n, problem.A, problem.b)).toBe('solved')
      const truth = enumerate(problem) as Float64Array
      // both are exact up to rounding on entries of size 1
      for (let i = 0; i < problem.n; i++) expect(Math.abs(solver.z[i] - truth[i])).toBeLessThan(1e-8)
    }
  })

  test('with dependent rows the answer is not unique, but the accelerations A z are', () => {
    const random = createRandom(2)
    for (let trial = 0; trial < 200; trial++) {
      const problem = dependentRows(random, 2 + (trial % 8))
      expect(solver.solve(problem.n, problem.A, problem.b)).toBe('solved')
      const truth = enumerate(problem) as Float64Array
      const ours = product(problem.A, solver.z.subarray(0, problem.n))
      const theirs = product(problem.A, truth)
      // Cottle: A z is unique for symmetric positive semidefinite A; rounding on entries up to 4 n
      for (let i = 0; i < problem.n; i++) expect(Math.abs(ours[i] - theirs[i])).toBeLessThan(1e-7)
    }
  })

  test('frictional contact problems are solved, as Stewart and Trinkle and lexicographic Lemke promise', () => {
    const random = createRandom(3)
    for (let trial = 0; trial < trials(3000); trial++) {
      const problem = frictional(random, 1 + (trial % 12), 2 + (trial % 7), trial % 2 === 0)
      const status = solver.solve(problem.n, problem.A, problem.b)
      expect(`${trial} ${status}`).toBe(`${trial} solved`)
      // entries are of size 1 to 10; an answer may be some hundreds
      expect(naturalResidual(problem, solver.z)).toBeLessThan(1e-6)
    }
  })

  test('frictional problems of one or two contacts have an answer by enumeration too', () => {
    const random = createRandom(4)
    for (let trial = 0; trial < 60; trial++) {
      const problem = frictional(random, 1 + (trial % 2), 2 + (trial % 3), false)
      expect(solver.solve(problem.n, problem.A, problem.b)).toBe('solved')
      expect(enumerate(problem)).not.toBeNull()
    }
  })

  test('what is called solved is an answer, and what has no answer is not called solved, on any matrix', () => {
    const random = createRandom(5)
    const seen = { solved: 0, ray: 0, limit: 0, residual: 0, 'not-applicable': 0 }
    let missed = 0
    for (let trial = 0; trial < trials(4000); trial++) {
      const n = 1 + (trial % 6)
      const integer = trial % 3 === 0
      const number = () => (integer ? Math.round(random.between(-2, 2)) : random.between(-1, 1))
      const problem = { n, A: Float64Array.from({ length: n * n }, number), b: Float64Array.from({ length: n }, number) }
      const status = solver.solve(n, problem.A, problem.b)
      seen[status]++
      const truth = enumerate(problem)
      if (status === 'solved') {
        // relative to the largest of the terms, as `residual` is defined
        const size = Math.max(1, ...solver.z.subarray(0, n).map((z) => 6 * Math.abs(z)))
        expect(naturalResidual(problem, solver.z)).toBeLessThan(1e-8 * size)
        expect(Math.min(...solver.z.subarray(0, n))).toBeGreaterThanOrEqual(0)
      } else if (truth !== null) missed++
    }
    expect(seen.solved).toBeGreaterThan(trials(1000))
    expect(seen.ray).toBeGreaterThan(trials(500))
    // a ray is no proof of infeasibility for a matrix of no class; it may not end in a limit or a wrong answer
    expect(seen.limit + seen.residual).toBe(0)
    expect(missed).toBeLessThan(seen.ray)
  })

  test('an infeasible semidefinite problem ends in a ray', () => {
    // two opposite walls that close in on a point mass: z1 - z2 >= 1 and z2 - z1 >= 1
    const A = Float64Array.from([1, -1, -1, 1])
    expect(solver.solve(2, A, Float64Array.from([-1, -1]))).toBe('ray')
    expect(solver.solve(1, Float64Array.from([0]), Float64Array.from([-1]))).toBe('ray')
    expect(solver.residual[0]).toBeGreaterThan(0.5)
  })

  test('Murty: the pivots on his worst-case family do not cycle, and the answer is the known one', () => {
    // Murty (1978): A lower-triangular of ones below twos, b = -1; the answer is 0 but for the first, which is 1
    const n = 6 // takes 2^n - 1 pivots, within the default cap
    const A = new Float64Array(n * n)
    for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) A[i * n + j] = i === j ? 1 : 2
    expect(solver.solve(n, A, new Float64Array(n).fill(-1))).toBe('solved')
    expect(Array.from(solver.z.subarray(0, n))).toEqual([1, 0, 0, 0, 0, 0])
  })

  test('scaling b scales the answer and leaves the residual alone', () => {
    const random = createRandom(6)
    const problem = dense(random, 6, 1)
    expect(solver.solve(6, problem.A, problem.b)).toBe('solved')
    const z = solver.z.slice(0, 6)
    const small = problem.b.map((x) => 1e-9 * x)
    expect(solver.solve(6, problem.A, small)).toBe('solved')
    for (let i = 0; i < 6; i++) expect(Math.abs(solver.z[i] - 1e-9 * z[i])).toBeLessThan(1e-20)
  })
})

import { describe, expect, test } from 'vitest'
import { DantzigSolver, ProjectedGaussSeidel } from '../../../contact/solvers/index.ts'
import { createRandom } from '../../../dynamics/index.ts'

const nothing = (n: number) => new Uint8Array(n)
const zeros = (n: number) => new Float64Array(n)

test('sweeps go in circles on the P-matrix of Murty, which is why what is not symmetric is not tried', () => {
  const A = [
    [1, 2, 0],
    [0, 1, 2],
    [2, 0, 1],
  ]
  // from 0: each row asks for 1 less twice what the next one has
  const z = [0, 0, 0]
  const seen: string[] = []
  for (let sweep = 0; sweep < 12; sweep++) {
    for (let i = 0; i < 3; i++) z[i] = Math.max(0, z[i] - (A[i].reduce((sum, x, j) => sum + x * z[j], 0) - 1))
    seen.push(z.join())
  }
  expect(seen.slice(0, 3)).toEqual(['1,1,0', '0,1,1', '0,0,1'])
  expect(new Set(seen.slice(6))).toEqual(new Set(seen.slice(0, 6)))
  const solver = new ProjectedGaussSeidel()
  expect(solver.solve(3, Float64Array.from(A.flat()), Float64Array.of(-1, -1, -1), nothing(3), zeros(3))).toBe('not-applicable')
  expect(solver.iterations).toBe(0)
})

test('Gauss-Seidel does in each sweep what its formula says', () => {
  // [2 1; 1 2] z = (3, 3): z1 = 1.5, z2 = 0.75, z1 = 1.125, ..; the error to 1 falls by a quarter a sweep
  const A = Float64Array.of(2, 1, 1, 2)
  const b = Float64Array.of(-3, -3)
  const solver = new ProjectedGaussSeidel(1e-8, 3)
  expect(solver.solve(2, A, b, nothing(2), zeros(2))).toBe('limit')
  expect(solver.iterations).toBe(3)
  expect(solver.z[0]).toBe(1 + 1 / 2 / 16)
  expect(solver.z[1]).toBe(1 - 1 / 4 / 16)
})

test('under a mass of a million times its own: Gauss-Seidel runs out of sweeps, and says so; pivots do not', () => {
  // a block of mass 1 on the ground and one of 1e6 on top of it; gravity takes both down alike
  const A = Float64Array.of(1, -1, -1, 1 + 1e-6)
  const b = Float64Array.of(-1, 0)
  const plain = new ProjectedGaussSeidel()
  expect(plain.solve(2, A, b, nothing(2), zeros(2))).not.toBe('solved')
  const pivoting = new DantzigSolver()
  expect(pivoting.solve(2, A, b, nothing(2), zeros(2))).toBe('solved')
  // the ground carries both, the lower block the upper one; 1e-16 of rounding times a condition of 4e6
  expect(Math.abs(pivoting.z[0] / (1e6 + 1) - 1)).toBeLessThan(1e-8)
  expect(Math.abs(pivoting.z[1] / 1e6 - 1)).toBeLessThan(1e-8)
})

describe('a stack of twenty boxes', () => {
  // W of a stack of equal masses: 2 in the diagonal, -1 beside it, 1 for the lowest, on fixed ground; box i carries 20 - i of them
  const n = 20
  const A = zeros(n * n)
  for (let i = 0; i < n; i++) {
    A[i * n + i] = i === 0 ? 1 : 2
    if (i > 0) A[i * n + i - 1] = A[(i - 1) * n + i] = -1
  }
  const b = zeros(n)
  b[0] = -1

  test('carries its weight', () => {
    const solver = new ProjectedGaussSeidel()
    expect(solver.solve(n, A, b, nothing(n), zeros(n))).toBe('solved')
    for (let i = 0; i < n; i++) expect(Math.abs(solver.z[i] - (n - i))).toBeLessThan(1e-3) // 1e-8 · 20, times a condition of 650
  })

  test('a start near the answer saves sweeps', () => {
    const solver = new ProjectedGaussSeidel()
    solver.solve(n, A, b, nothing(n), zeros(n))
    const cold = solver.iterations
    const random = createRandom(1)
    const start = Float64Array.from({ length: n }, (_, i) => n - i + random.between(-1e-4, 1e-4))
    expect(solver.solve(n, A, b, nothing(n), start)).toBe('solved')
    expect(solver.iterations).toBeLessThan(0.8 * cold)
  })
})

import { expect, test } from 'vitest'
import { linearQuadraticRegulator, riccatiStep } from '../../control/index.ts'

const h = 0.05
const doubleIntegrator = { n: 2, m: 1, A: [1, h, 0, 1], B: [(h * h) / 2, h], Q: [h, 0, 0, 2 * h], R: [0.1 * h] }

test('the cost of the closed loop is xᵀP x', () => {
  const { K, P } = linearQuadraticRegulator(doubleIntegrator)
  const { A, B, Q, R } = doubleIntegrator
  let [x, v] = [0.7, -0.3]
  const expected = P[0] * x * x + 2 * P[1] * x * v + P[3] * v * v
  let cost = 0
  for (let k = 0; k < 5000; k++) {
    const u = -(K[0] * x + K[1] * v)
    cost += Q[0] * x * x + Q[3] * v * v + R[0] * u * u
    ;[x, v] = [A[0] * x + A[1] * v + B[0] * u, A[3] * v + B[1] * u]
  }
  expect(Math.abs(cost / expected - 1)).toBeLessThan(1e-9)
})

test('the gains of a double integrator tend to sqrt(q1 / r) and sqrt((q2 + 2 sqrt(q1 r)) / r) as the step shrinks', () => {
  const miss = [1e-2, 1e-3].map((h) => {
    const { K } = linearQuadraticRegulator({
      n: 2,
      m: 1,
      A: [1, h, 0, 1],
      B: [(h * h) / 2, h],
      Q: [h, 0, 0, 2 * h],
      R: [0.1 * h],
    })
    const closed = [Math.sqrt(10), Math.sqrt((2 + 2 * Math.sqrt(0.1)) / 0.1)]
    return Math.max(...closed.map((k, i) => Math.abs(K[i] / k - 1)))
  })
  expect(miss[1]).toBeLessThan(5e-3)
  expect(miss[1] / miss[0]).toBeCloseTo(0.1, 1) // of first order in the step
})

test('a gain of one input is the closed form of the scalar Riccati equation', () => {
  // p = q + a² p r / (r + b² p)
  const [a, b, q, r] = [1.3, 0.5, 2, 0.7]
  const c = r - a * a * r - b * b * q
  const p = (-c + Math.sqrt(c * c + 4 * b * b * q * r)) / (2 * b * b)
  const { K, P } = linearQuadraticRegulator({ n: 1, m: 1, A: [a], B: [b], Q: [q], R: [r] })
  expect(Math.abs(P[0] / p - 1)).toBeLessThan(1e-12)
  expect(Math.abs(K[0] / ((a * b * p) / (r + b * b * p)) - 1)).toBeLessThan(1e-12)
})

test('of finite time, the first step from the price of the last state is that of least squares; what cannot be steadied is refused', () => {
  const P = Float64Array.of(3)
  const K = new Float64Array(1)
  riccatiStep({ n: 1, m: 1, A: [2], B: [1], Q: [1], R: [1] }, P, K)
  expect(K[0]).toBe(1.5) // min u² + 3 (2 x + u)²
  expect(P[0]).toBe(4)
  expect(() => linearQuadraticRegulator({ n: 1, m: 1, A: [2], B: [0], Q: [1], R: [1] })).toThrow(/does not converge/)
})

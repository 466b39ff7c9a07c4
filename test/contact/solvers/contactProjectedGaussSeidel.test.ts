import { expect, test } from 'vitest'
import { ContactProjectedGaussSeidel, contactResidual, NewtonSolver } from '../../../contact/solvers/index.ts'
import { pulledBlock, pulledBlockProblem, randomContacts, tower, violation, wedgedRod } from './contactProblems.ts'

const noModes = new Int8Array(0)
const accelerations = ['none', 'anderson'] as const
const laws = ['cone', 'associated', 'pyramid'] as const

test.each(laws)('%s: a block pulled at an angle comes to the closed form', (law) => {
  const { mass, dt, mu, pull } = pulledBlock
  const problem = pulledBlockProblem()
  const rising = (mass * 9.81 * dt + mu * pull * dt) / (1 + mu * mu)
  const weight = mass * 9.81 * dt
  const edge = 0.9 * dt - (mu * weight) / 2 // what remains along each axis on the pyramid's edge
  const expected = {
    cone: [weight, (mu * weight) / pull, (-0.8 * mu * weight) / pull],
    associated: [rising, (mu * rising) / pull, (-0.8 * mu * rising) / pull],
    pyramid: [weight, dt - edge, -(0.8 * dt - edge)],
  }[law]
  for (const acceleration of accelerations) {
    const p = new Float64Array(3)
    expect(new ContactProjectedGaussSeidel({ law, acceleration, tolerance: 1e-13 }).solve(problem, p, noModes)).toBe('solved')
    for (let r = 0; r < 3; r++) expect(p[r]).toBeCloseTo(expected[r], 11)
  }
})

test('plain and accelerated sweeps end at the impulses of Newton’s method where there is one answer', () => {
  const newton = new NewtonSolver('associated', 4, 1e-12)
  let compared = 0
  for (let seed = 0; seed < 40; seed++) {
    const problem = randomContacts(seed, 1 + (seed % 8), { soft: 1e-1, spread: 0.5 })
    const q = new Float64Array(problem.rowCount)
    if (newton.solve(problem, q, noModes) !== 'solved') continue
    const size = Math.max(...q.map(Math.abs), 1e-6)
    for (const acceleration of accelerations) {
      const p = new Float64Array(problem.rowCount)
      const solver = new ContactProjectedGaussSeidel({ law: 'associated', acceleration, tolerance: 1e-11, limit: 50000 })
      if (solver.solve(problem, p, noModes) !== 'solved') continue
      compared++
      for (let r = 0; r < problem.rowCount; r++) expect(Math.abs(p[r] - q[r])).toBeLessThanOrEqual(1e-8 * size) // condition to 1e3
    }
  }
  expect(compared).toBeGreaterThan(76)
})

test.each(laws)('%s: what is called solved is an answer, most problems are solved, and acceleration spares sweeps', (law) => {
  const sweeps = { none: 0, anderson: 0 }
  const residual = new Float64Array(1)
  const count = 60
  for (const acceleration of accelerations) {
    const solver = new ContactProjectedGaussSeidel({ law, acceleration, tolerance: 1e-8, limit: 3000 })
    let solved = 0
    for (let seed = 0; seed < count; seed++) {
      const problem = randomContacts(seed, 1 + (seed % 12), { spread: 0.5 })
      const p = new Float64Array(problem.rowCount)
      const status = solver.solve(problem, p, noModes)
      sweeps[acceleration] += solver.iterations
      if (status !== 'solved') continue
      solved++
      contactResidual(problem, law, 4, p, new Float64Array(problem.rowCount), residual)
      expect(residual[0]).toBeLessThanOrEqual(1e-8)
      if (law !== 'pyramid') expect(violation(problem, law, p)).toBeLessThan(1e-6) // products of what the residual measures as distances
    }
    expect(solved).toBeGreaterThan(0.9 * count)
  }
  expect(sweeps.anderson).toBeLessThan(sweeps.none / 2)
})

test('a light body under a heavy one: sweeps stop at the limit and say so, with impulses inside the cone', () => {
  // 1 g under 1 kg, both falling at 1 m/s: light and ground, heavy and light
  const problem = {
    rowCount: 2,
    W: Float64Array.of(1000, -1000, -1000, 1001),
    rhs: Float64Array.of(-1, 0),
    groupCount: 2,
    first: Int32Array.of(0, 1, 2),
    kind: new Uint8Array(2),
    limit: new Float64Array(2),
  }
  const p = new Float64Array(2)
  const solver = new ContactProjectedGaussSeidel({ law: 'cone', limit: 40 })
  expect(solver.solve(problem, p, noModes)).toBe('limit')
  expect(p[0]).toBeGreaterThan(0)
  expect(p[0]).toBeLessThan(1.001)
  // what makes up for it: with two unknowns, two differences tell everything
  for (const acceleration of ['anderson'] as const) {
    const q = new Float64Array(2)
    const fast = new ContactProjectedGaussSeidel({ law: 'cone', limit: 40, acceleration })
    expect(fast.solve(problem, q, noModes)).toBe('solved')
    expect(q[0]).toBeCloseTo(1.001, 5)
    expect(q[1]).toBeCloseTo(1, 5)
  }
})

test.each(laws)('%s: a rod that its own friction wedges into the ground (Painlevé) comes to rest, accelerated or not', (law) => {
  // as sweeps begin they grow, and a combination of them leads back
  const { problem, expected } = wedgedRod()
  for (const acceleration of accelerations) {
    const p = new Float64Array(3)
    const solver = new ContactProjectedGaussSeidel({ law, acceleration, tolerance: 1e-11 })
    expect(solver.solve(problem, p, noModes)).toBe('solved')
    expect(solver.iterations).toBeLessThan(200)
    for (let r = 0; r < 3; r++) expect(p[r]).toBeCloseTo(expected[r], 9)
  }
})

test.each(laws)(
  "%s: towers at rest, which do not determine their contacts' loads: Anderson's acceleration answers them",
  (law) => {
    const solver = new ContactProjectedGaussSeidel({ law, acceleration: 'anderson', tolerance: 1e-8, limit: 5000 })
    for (let seed = 0; seed < 15; seed++) {
      const problem = tower(4 + 4 * (seed % 3), 0.01 * (seed % 5))
      expect(solver.solve(problem, new Float64Array(problem.rowCount), noModes)).toBe('solved')
    }
  },
)

test('numbers that are none are no answer', () => {
  for (const acceleration of accelerations) {
    const problem = randomContacts(3, 4)
    const solver = new ContactProjectedGaussSeidel({ law: 'cone', acceleration })
    const p = new Float64Array(problem.rowCount).fill(Number.NaN)
    expect(solver.solve(problem, p, noModes)).toBe('solved')
    problem.rhs[0] = Number.NaN
    expect(solver.solve(problem, p, noModes)).toBe('residual')
  }
})

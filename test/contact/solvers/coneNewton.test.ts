import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BlockGaussSeidel, ConeNewton, type ContactProblem, GroupKind, UNKNOWN_MODE } from '../../../contact/solvers/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { bundled, type OwnProcess, type WindowedAllocation, windowFlags } from '../../ownProcess.ts'
import { oneContact, randomContacts, velocities, violation } from './contactProblems.ts'

const full = process.env.FEATHERBED_FULL !== undefined
const laws = ['cone', 'associated'] as const
const unknown = (problem: ContactProblem) => new Int8Array(problem.groupCount).fill(UNKNOWN_MODE)
const nothing = (problem: ContactProblem) => new Float64Array(problem.rowCount)

test('force at an angle: a block goes along its pull, and under the associated law rises by mu times its slip', () => {
  const [mass, dt, mu, pull] = [0.2, 0.5, 0.3, Math.hypot(1, 0.8)]
  const problem = oneContact(
    [1 / mass, 0, 0, 0, 1 / mass, 0, 0, 0, 1 / mass],
    [-9.81 * dt, (-1 * dt) / mass, (0.8 * dt) / mass],
    mu,
  )
  for (const law of laws) {
    const p = nothing(problem)
    expect(new ConeNewton({ law, tolerance: 1e-14 }).solve(problem, p, unknown(problem))).toBe('solved')
    const u = velocities(problem, p)
    if (law === 'cone') {
      expect(u[1]).toBeCloseTo(-1.351, 4) // the published figures of this case
      expect(u[2]).toBeCloseTo(1.0808, 4)
      expect(u[0]).toBeCloseTo(0, 13)
      continue
    }
    const pn = (mass * 9.81 * dt + mu * pull * dt) / (1 + mu * mu)
    const slip = (pull * dt - mu * pn) / mass
    expect(p[0]).toBeCloseTo(pn, 13)
    expect(u[0]).toBeCloseTo(mu * slip, 13)
    expect(u[1]).toBeCloseTo(-slip / pull, 13)
    expect(u[2]).toBeCloseTo((0.8 * slip) / pull, 13)
  }
})

describe.each(laws)('%s', (law) => {
  test('what is called solved holds every condition of the law, and from nothing nearly all are solved', () => {
    const solver = new ConeNewton({ law, tolerance: 1e-10 })
    const count = full ? 20000 : 400
    let solved = 0
    for (let seed = 0; seed < count; seed++) {
      const problem = randomContacts(seed, 1 + (seed % 30))
      const p = nothing(problem)
      if (solver.solve(problem, p, unknown(problem)) !== 'solved') continue
      solved++
      expect(violation(problem, law, p)).toBeLessThan(1e-8) // the same violations, some measured by a product instead of a distance
    }
    expect(solved).toBeGreaterThanOrEqual(0.99 * count)
  })

  test('with friction up to 2 too', () => {
    const solver = new ConeNewton({ law, tolerance: 1e-10 })
    const count = full ? 5000 : 200
    let solved = 0
    for (let seed = 0; seed < count; seed++) {
      const problem = randomContacts(seed, 1 + (seed % 12), { mu: 2 })
      const p = nothing(problem)
      if (solver.solve(problem, p, unknown(problem)) !== 'solved') continue
      solved++
      expect(violation(problem, law, p)).toBeLessThan(1e-8)
    }
    expect(solved).toBeGreaterThanOrEqual(0.98 * count)
  })

  test('it agrees with block Gauss-Seidel run to the last digits', () => {
    const newton = new ConeNewton({ law, tolerance: 1e-12 })
    const sweeps = new BlockGaussSeidel({ law, tolerance: 1e-13, limit: 20000 })
    let compared = 0
    for (let seed = 0; seed < 100; seed++) {
      // with little friction Coulomb's law has one answer too
      const problem = randomContacts(seed, 1 + (seed % 10), { soft: 1e-2, mu: law === 'cone' ? 0.2 : 1, spread: 0.5 })
      const p = nothing(problem)
      const q = nothing(problem)
      if (sweeps.solve(problem, q, unknown(problem)) !== 'solved') continue
      if (newton.solve(problem, p, unknown(problem)) !== 'solved') continue
      compared++
      const size = Math.max(...q.map(Math.abs))
      for (let r = 0; r < problem.rowCount; r++) expect(Math.abs(p[r] - q[r])).toBeLessThanOrEqual(1e-8 * size) // condition to 1e4
    }
    expect(compared).toBeGreaterThan(95)
  })

  test('while contacts stick one solution suffices, while they slide a few, and the modes of the answer are kept', () => {
    const solver = new ConeNewton({ law })
    const random = createRandom(2)
    let sticking = 0
    let sliding = 0
    for (let seed = 0; seed < 300; seed++) {
      const problem = randomContacts(seed, 1 + (seed % 8), { soft: 1e-2, mu: 0.5 })
      const p = nothing(problem)
      const mode = unknown(problem)
      if (solver.solve(problem, p, mode) !== 'solved') continue
      const before = mode.slice()
      // the next step: nearly the same velocities
      for (let r = 0; r < problem.rowCount; r++) problem.right[r] *= 1 + 1e-3 * random.between(-1, 1)
      expect(solver.solve(problem, p, mode)).toBe('solved')
      if (mode.some((m, g) => m !== before[g])) continue // something changed indeed
      const slides = mode.some((m, g) => problem.kind[g] === GroupKind.frictional && m === 2)
      if (slides) {
        sliding++
        expect(solver.iterations).toBeLessThanOrEqual(4)
      } else {
        sticking++
        expect(solver.iterations).toBe(1)
      }
    }
    expect(sticking).toBeGreaterThan(20)
    expect(sliding).toBeGreaterThan(100)
  })

  test('an answer that another solver found is taken as it is, and its neighbour found from it', () => {
    const newton = new ConeNewton({ law })
    const sweeps = new BlockGaussSeidel({ law, tolerance: 1e-10 })
    let tried = 0
    for (let seed = 0; seed < 100; seed++) {
      const problem = randomContacts(seed, 1 + (seed % 8), { soft: 1e-2, mu: 0.5 })
      const p = nothing(problem)
      if (sweeps.solve(problem, p, unknown(problem)) !== 'solved') continue
      tried++
      const q = p.slice()
      const mode = unknown(problem)
      expect(newton.solve(problem, q, mode)).toBe('solved')
      expect(newton.iterations).toBe(0)
      expect(q).toEqual(p)
      expect(mode.every((m) => m !== UNKNOWN_MODE)).toBe(true)
      for (let r = 0; r < problem.rowCount; r++) problem.right[r] *= 1 + 1e-6
      expect(newton.solve(problem, q, mode)).toBe('solved')
      expect(newton.iterations).toBeLessThanOrEqual(3)
    }
    expect(tried).toBeGreaterThan(90)
  })

  test('rows that depend on each other without any softness are carried by some of them', () => {
    // a unit mass on four legs with friction at (±1, ±1), pushed sideways and turned: 12 rows of rank 6
    const corners = [
      [1, 1],
      [1, -1],
      [-1, -1],
      [-1, 1],
    ]
    const J = corners.flatMap(([x, y]) => [
      [0, 0, 1, y, -x, 0],
      [1, 0, 0, 0, -0.5, -y],
      [0, 1, 0, 0.5, 0, x],
    ])
    const v = [0.2, 0.1, -1, 0, 0, 0.05]
    const problem: ContactProblem = {
      rowCount: 12,
      W: Float64Array.from(J.flatMap((r) => J.map((s) => r.reduce((sum, x, k) => sum + x * s[k], 0)))),
      right: Float64Array.from(J, (r) => r.reduce((sum, x, k) => sum + x * v[k], 0)),
      groupCount: 4,
      first: Int32Array.of(0, 3, 6, 9, 12),
      kind: new Uint8Array(4).fill(GroupKind.frictional),
      limit: new Float64Array(4).fill(0.8),
    }
    const p = nothing(problem)
    expect(new ConeNewton({ law }).solve(problem, p, unknown(problem))).toBe('solved')
    expect(violation(problem, law, p)).toBeLessThan(1e-8)
    // it stays: all momentum is taken
    for (let k = 0; k < 6; k++) expect(J.reduce((sum, r, i) => sum + r[k] * p[i], v[k])).toBeCloseTo(0, 8)
  })

  test('without an answer it ends at the limit with finite impulses and nothing known', () => {
    const problem: ContactProblem = {
      rowCount: 5,
      W: new Float64Array(25),
      right: Float64Array.of(-1, -2, -1, 0.5, 0),
      groupCount: 3,
      first: Int32Array.of(0, 1, 2, 5),
      kind: Uint8Array.of(GroupKind.bilateral, GroupKind.bilateral, GroupKind.frictional),
      limit: Float64Array.of(0, 0, 0.5),
    }
    problem.W.set([1, 1], 0) // the same row twice, asked for 1 and for 2
    problem.W.set([1, 1], 5)
    for (let r = 2; r < 5; r++) problem.W[6 * r] = 1
    const p = nothing(problem)
    const mode = unknown(problem)
    const solver = new ConeNewton({ law })
    expect(solver.solve(problem, p, mode)).toBe('limit')
    expect(solver.residual[0]).toBeGreaterThan(1e-3) // the less the larger the impulses with which it tried
    expect(p.every(Number.isFinite)).toBe(true)
    expect(mode.every((m) => m === UNKNOWN_MODE)).toBe(true)
    problem.right[0] = Number.NaN
    expect(solver.solve(problem, p, mode)).toBe('limit')
    expect(solver.residual[0]).toBe(Number.POSITIVE_INFINITY)
    // and is none the worse for it
    problem.right[0] = -2
    p.fill(Number.NaN)
    mode.fill(77)
    expect(solver.solve(problem, p, mode)).toBe('solved')
    expect(violation(problem, law, p)).toBeLessThan(1e-8)
  })
})

describe('in a process of its own', () => {
  const solves = 2000
  let script: OwnProcess
  beforeAll(async () => {
    script = await bundled(new URL('./conesAllocation.run.ts', import.meta.url))
  })
  afterAll(() => script.delete())

  for (const name of ['cone-newton', 'block-gauss-seidel', 'contact-pgs', 'contact-pgs-anderson', 'contact-nncg']) {
    test(`${name}: warm solves allocate nothing`, () => {
      const measured = script.run(windowFlags, [name, '12000', `${solves}`]) as WindowedAllocation
      expect(measured.quietest).toBe(0)
      // one boxed number a solve would be 16 bytes in every window
      expect(measured.middle).toBeLessThan(1.6 * solves)
      expect(measured.growthAfterCollection / (10 * solves)).toBeLessThan(1)
    })
  }
})

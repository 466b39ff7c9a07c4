import { describe, expect, test } from 'vitest'
import {
  type ContactProblem,
  contactResidual,
  GroupKind,
  LemkeSolver,
  NewtonSolver,
  PyramidSolver,
  pyramidSides,
} from '../../../contact/solvers/index.ts'
import { associated, bilateral, bounded, cone, projectionsOf, unilateral } from '../../../contact/solvers/newton/localLaw.ts'
import { type Projection, slot } from '../../../contact/solvers/newton/slot.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { full, trials } from '../../dailyModels.ts'
import {
  oneContact,
  oneRow,
  pulledBlock,
  pulledBlockProblem,
  randomContacts,
  velocities,
  violation,
  wedgedRod,
} from './contactProblems.ts'

const noModes = new Int8Array(0)
const nothing = (problem: ContactProblem) => new Float64Array(problem.rowCount)
const laws = ['pyramid', 'cone', 'associated'] as const

// the laws as projections

const frictional = (sides: number) => projectionsOf('pyramid', sides)[GroupKind.frictional]
const projections: Readonly<Record<string, { readonly law: Projection; readonly width: 1 | 3 }>> = {
  unilateral: { law: unilateral, width: 1 },
  bilateral: { law: bilateral, width: 1 },
  bounded: { law: bounded, width: 1 },
  'pyramid of 4 sides': { law: frictional(4), width: 3 },
  'pyramid of 8 sides': { law: frictional(8), width: 3 },
  cone: { law: cone, width: 3 },
  associated: { law: associated, width: 3 },
  sliding: { law: projectionsOf('cone', 4)[GroupKind.sliding], width: 3 },
  disc: { law: projectionsOf('cone', 4)[GroupKind.disc], width: 3 },
}

/** P and D of a law at w. */
function project(law: Projection, w: readonly number[], parameter: number, smoothing: number, angle = 0) {
  const b = new Float64Array(2 * slot.size).fill(Number.NaN)
  const o = slot.size // an offset, so that writes before it would show
  for (let k = 0; k < 3; k++) b[o + slot.w + k] = w[k] ?? 0
  b[o + slot.parameter] = parameter
  b[o + slot.smoothing] = smoothing
  b[o + slot.cosine] = Math.cos(angle)
  b[o + slot.sine] = Math.sin(angle)
  law(b, o)
  expect(b.subarray(0, o).every(Number.isNaN)).toBe(true)
  return { P: Array.from(b.subarray(o + slot.P, o + slot.D)), D: Array.from(b.subarray(o + slot.D, o + slot.parameter)) }
}

describe.each(Object.entries(projections))('%s', (name, { law, width }) => {
  const random = createRandom(71)
  const draw = () => ({
    w: Array.from({ length: width }, () => random.between(-2, 2)),
    parameter: random.between(0.1, 1.5),
    angle: random.between(0, 6),
  })

  test.each([0, 1e-3, 0.3])('D is the derivative of P, by differences, with a smoothing of %s', (smoothing) => {
    const e = 1e-6
    let compared = 0
    for (let n = 0; n < trials(400); n++) {
      const { w, parameter, angle } = draw()
      const { D } = project(law, w, parameter, smoothing, angle)
      for (let c = 0; c < width; c++) {
        const at = (h: number) =>
          project(
            law,
            w.map((x, k) => (k === c ? x + h : x)),
            parameter,
            smoothing,
            angle,
          )
        const [low, high] = [at(-e), at(e)]
        // none of a difference across a kink
        if (high.D.some((x, k) => Math.abs(x - low.D[k]) > 0.01)) continue
        compared++
        for (let r = 0; r < width; r++) {
          // second differences, of curvature up to 1 / smoothing, and rounding over e
          expect(Math.abs((high.P[r] - low.P[r]) / (2 * e) - D[3 * r + c])).toBeLessThan(1e-5)
        }
      }
    }
    expect(compared).toBeGreaterThan(trials(390) * width)
  })

  test('what is admissible stays as it is, and what P says is admissible', () => {
    for (let n = 0; n < trials(400); n++) {
      const { w, parameter, angle } = draw()
      const { P } = project(law, w, parameter, 0, angle)
      const again = project(law, P.slice(0, width), parameter, 0, angle).P
      for (let k = 0; k < width; k++) expect(Math.abs(again[k] - P[k])).toBeLessThan(1e-14)
      if (width === 3) {
        expect(P[0]).toBeGreaterThanOrEqual(-1e-15)
        const [c, s] = [Math.cos(angle), Math.sin(angle)]
        const [along, across] = [c * P[1] + s * P[2], c * P[2] - s * P[1]]
        if (name === 'disc') expect(Math.hypot(P[1], P[2])).toBeLessThanOrEqual(parameter + 1e-14)
        else expect(Math.hypot(P[1], P[2])).toBeLessThanOrEqual(parameter * P[0] + 1e-14)
        if (name === 'sliding') expect(Math.abs(along + parameter * P[0]) + Math.abs(across)).toBeLessThan(1e-14)
      }
    }
  })

  test('little smoothing changes P little', () => {
    for (let n = 0; n < trials(400); n++) {
      const { w, parameter, angle } = draw()
      const exact = project(law, w, parameter, 0, angle).P
      const smooth = project(law, w, parameter, 1e-12, angle).P
      // of a kink the square root of s; a polygon of 8 sides is smoothed as the cone
      if (name === 'pyramid of 8 sides') continue
      for (let k = 0; k < width; k++) expect(Math.abs(smooth[k] - exact[k])).toBeLessThan(1e-5)
    }
  })
})

test('smoothed, a unilateral constraint is on the central path: p (p - w) = s', () => {
  for (const s of [1e-12, 1e-4, 0.1, 3]) {
    for (const w of [-40, -2, -1e-3, 0, 1e-3, 1, 7]) {
      const [p] = project(unilateral, [w], 0, s).P
      expect(p).toBeGreaterThan(0)
      // p - w loses the digits that they share
      expect(Math.abs(p * (p - w) - s)).toBeLessThan(1e-14 * (s + p * Math.max(p, Math.abs(w))))
    }
  }
})

test('friction is against the slip, and as much as the law has', () => {
  for (const [law, w, expected] of [
    [cone, [1, 30, 40], [1, 0.3, 0.4]],
    [frictional(4), [1, 0.3, 0.55], [1, 0.125, 0.375]], // on the edge x + y = 1/2
  ] as const) {
    const { P } = project(law, w, 0.5, 0)
    for (let k = 0; k < 3; k++) expect(P[k]).toBeCloseTo(expected[k], 14)
  }
  // without load there is none
  for (const law of [cone, frictional(4), frictional(8)]) expect(project(law, [-1, 30, 40], 0.5, 0).P).toEqual([0, 0, 0])
  // the associated law is pulled on by its tangents
  expect(project(associated, [-0.1, 3, 4], 0.5, 0).P[0]).toBeCloseTo((-0.1 + 0.5 * 5) / 1.25, 14)
})

// problems

test('force at an angle: a block goes along its pull, and under the associated law rises by mu times its slip', () => {
  const { mass, dt, mu, pull } = pulledBlock
  const problem = pulledBlockProblem()
  for (const law of ['cone', 'associated'] as const) {
    const p = nothing(problem)
    expect(new NewtonSolver(law, 4, 1e-13).solve(problem, p, noModes)).toBe('solved')
    const u = velocities(problem, p)
    if (law === 'cone') {
      expect(u[1]).toBeCloseTo(-1.351, 4) // the published figures of this case
      expect(u[2]).toBeCloseTo(1.0808, 4)
      expect(u[0]).toBeCloseTo(0, 12)
      continue
    }
    const pn = (mass * 9.81 * dt + mu * pull * dt) / (1 + mu * mu)
    const slip = (pull * dt - mu * pn) / mass
    expect(p[0]).toBeCloseTo(pn, 12)
    expect(u[0]).toBeCloseTo(mu * slip, 12)
    expect(u[1]).toBeCloseTo(-slip / pull, 12)
    expect(u[2]).toBeCloseTo((0.8 * slip) / pull, 12)
  }
})

test('a rod that slides: p_n with the coupling of friction and normal, as its mechanics say', () => {
  // u_n = W_nn p_n + W_nt p_t + b_n = 0 with p_t = -mu p_n: p_n = -b_n / (W_nn - mu W_nt)
  const problem = oneContact([1, 0.6, 0, 0.6, 2, 0, 0, 0, 1], [-1, 8, 0], 0.4)
  for (const law of ['cone', 'pyramid'] as const) {
    const p = nothing(problem)
    expect(new NewtonSolver(law, 4, 1e-13).solve(problem, p, noModes)).toBe('solved')
    const pn = 1 / (1 - 0.4 * 0.6)
    expect(p[0]).toBeCloseTo(pn, 12)
    expect(p[1]).toBeCloseTo(-0.4 * pn, 12)
  }
})

test('a rod that its own friction wedges into the ground (Painlevé) comes to rest', () => {
  const { problem, expected } = wedgedRod()
  for (const law of laws) {
    const p = nothing(problem)
    expect(new NewtonSolver(law, 4, 1e-12).solve(problem, p, noModes)).toBe('solved')
    for (let r = 0; r < 3; r++) expect(p[r]).toBeCloseTo(expected[r], 9)
  }
})

test('a dry joint holds up to its limit, and gives its limit against the motion beyond it', () => {
  const solve = (rhs: number) => {
    const p = new Float64Array(1)
    expect(new NewtonSolver('pyramid').solve(oneRow(GroupKind.bounded, 2, rhs, 0.3), p, noModes)).toBe('solved')
    return p[0]
  }
  expect(solve(0.5)).toBeCloseTo(-0.25, 12)
  expect(solve(0.7)).toBe(-0.3)
  expect(solve(-0.7)).toBe(0.3)
})

const methods = [
  { law: 'pyramid', sides: 4, share: 0.99 },
  { law: 'pyramid', sides: 8, share: 0.95 }, // smoothed it is the cone, and the path ends beside it
  { law: 'cone', sides: 4, share: 0.99 },
  { law: 'associated', sides: 4, share: 0.99 },
] as const

describe.each(methods)('$law, $sides sides', ({ law, sides, share }) => {
  const residual = new Float64Array(1)

  test('what is called solved holds every condition of the law, and from nothing nearly all are solved', () => {
    const solver = new NewtonSolver(law, sides)
    const count = full ? 10_000 : 100
    let solved = 0
    for (let seed = 0; seed < count; seed++) {
      const problem = randomContacts(seed, 1 + (seed % 30))
      const p = nothing(problem)
      if (solver.solve(problem, p, noModes) !== 'solved') continue
      solved++
      contactResidual(problem, law, sides, p, nothing(problem), residual)
      expect(residual[0]).toBeLessThanOrEqual(1e-9)
      expect(solver.residual[0]).toBe(residual[0])
      // the same violations, some measured by a product instead of a distance
      if (law !== 'pyramid') expect(violation(problem, law, p)).toBeLessThan(1e-7)
    }
    expect(solved).toBeGreaterThanOrEqual(share * count)
  })

  test('with friction up to 2 too', () => {
    const solver = new NewtonSolver(law, sides)
    const count = full ? 5000 : 70
    let solved = 0
    for (let seed = 0; seed < count; seed++) {
      const problem = randomContacts(seed, 1 + (seed % 12), { mu: 2 })
      const p = nothing(problem)
      if (solver.solve(problem, p, noModes) === 'solved') solved++
    }
    expect(solved).toBeGreaterThanOrEqual((share - 0.01) * count)
  })

  test('from its own answer one step finds it again', () => {
    const solver = new NewtonSolver(law, sides)
    for (let seed = 0; seed < 100; seed++) {
      const problem = randomContacts(seed, 1 + (seed % 8), { soft: 1e-2, mu: 0.7, spread: 0.5 })
      const p = nothing(problem)
      if (solver.solve(problem, p, noModes) !== 'solved') continue
      const again = p.slice()
      expect(solver.solve(problem, again, noModes)).toBe('solved')
      expect(solver.iterations).toBeLessThanOrEqual(2)
    }
  })

  test('without an answer it says so, and is none the worse for it', () => {
    const problem: ContactProblem = {
      rowCount: 2,
      W: Float64Array.of(1, 1, 1, 1), // the same row twice, asked for 1 and for 2
      rhs: Float64Array.of(-1, -2),
      groupCount: 2,
      first: Int32Array.of(0, 1, 2),
      kind: Uint8Array.of(GroupKind.bilateral, GroupKind.bilateral),
      limit: new Float64Array(2),
    }
    const solver = new NewtonSolver(law, sides)
    expect(solver.solve(problem, new Float64Array(2), noModes)).not.toBe('solved')
    problem.rhs[0] = Number.NaN
    expect(solver.solve(problem, new Float64Array(2), noModes)).not.toBe('solved')
    problem.rhs[0] = -2
    problem.W[0] += 1e-6 // with some softness
    problem.W[3] += 1e-6
    const p = new Float64Array(2)
    expect(solver.solve(problem, p, noModes)).toBe('solved')
    for (const u of velocities(problem, p)) expect(u).toBeCloseTo(0, 8)
  })
})

test.each([4, 8])('with little friction, where there is one answer, it is that of Lemke, on %i sides', (sides) => {
  const newton = new NewtonSolver('pyramid', sides, 1e-11)
  const lemke = new PyramidSolver(new LemkeSolver(1e-12), pyramidSides(sides))
  let both = 0
  for (let seed = 0; seed < 100; seed++) {
    const problem = randomContacts(seed, 1 + (seed % 10), { soft: 1e-2, mu: 0.2, spread: 0.5 })
    const p = nothing(problem)
    const q = nothing(problem)
    if (newton.solve(problem, p, noModes) !== 'solved' || lemke.solve(problem, q) !== 'solved') continue
    both++
    const size = Math.max(...q.map(Math.abs), 1e-6)
    for (let r = 0; r < problem.rowCount; r++) expect(Math.abs(p[r] - q[r])).toBeLessThanOrEqual(1e-7 * size) // condition to 1e4
  }
  expect(both).toBeGreaterThan(95)
})

import { describe, expect, test } from 'vitest'
import { ContactSystem } from '../../../compare/answers/contactSystem.ts'
import { contactResidual, NewtonSolver } from '../../../contact/index.ts'
import { g, makeWorld, run, slider } from '../laws/scenes.ts'
import {
  type Approximation,
  approximations,
  type Contact,
  collectSteps,
  dot,
  endOf,
  impulseOf,
  potentialOf,
  type Step,
  sizeOf,
  type Triple,
  velocityAt,
} from './drakeProblems.ts'

/** What the law makes of contact i: from gap, velocity at the start, M and J, and the stiffness of a pair over a number of its points. */
function contactOf({ law, saved, v0, options, masses, allowedPenetration }: Step, i: number): Contact {
  const { gap, mu, dt } = saved
  const w = sizeOf(saved, i)
  /** The weight of a tree over the allowed penetration, shared among so many points. */
  const checkShare = (k: number) => {
    const points = masses.map((mass) => (mass * g) / allowedPenetration / k)
    expect(Math.min(...points.map((n) => (n > 0.5 ? Math.abs(n - Math.round(n)) : 1)))).toBeLessThan(1e-9)
  }
  if (law === 'sap') {
    const [Rn, Rt] = [saved.softness?.[3 * i] as number, saved.softness?.[3 * i + 1] as number]
    const time = dt + (options.relaxationTime as number)
    const rigid = ((options.beta as number) ** 2 * w) / (4 * Math.PI ** 2)
    expect(Math.abs(Rt / (1e-3 * w) - 1)).toBeLessThan(1e-12)
    if (Math.abs(Rn / rigid - 1) > 1e-12) {
      expect(Rn).toBeGreaterThan(rigid)
      checkShare(1 / (dt * time * Rn))
    }
    return { mu: mu[i], sap: [Rn, Rt, -gap[i] / time] }
  }
  const springs = saved.springs?.[i] as readonly number[]
  const [a, b, d, before, e] = springs
  checkShare(b / (dt * dt))
  expect(d).toBe(options.dissipation)
  expect(Math.abs(a + (gap[i] * b) / dt)).toBeLessThan(1e-12 * a)
  expect(Math.abs(before - a * Math.max(0, 1 - d * velocityAt(saved, v0, i)[0]))).toBeLessThan(1e-12 * a)
  const soft = law === 'tamsi' ? 0 : mu[i] * 1e-3 * w * before
  expect(Math.abs(e / Math.max(options.stictionTolerance as number, soft) - 1)).toBeLessThan(1e-12)
  return { mu: mu[i], springs }
}

describe.each(approximations)('%s on 200 steps of thrown robots', (law) => {
  const steps = collectSteps(law, 200, 5)
  const impulsesAt = (step: Step, v: ArrayLike<number>) =>
    step.impulses.map((_, i) => impulseOf(law, contactOf(step, i), velocityAt(step.saved, v, i)))

  test('impulses are what its paper says at the velocity that they lead to, to 1e-10: 4e-11 at worst', () => {
    let [contacts, sliding, sticking] = [0, 0, 0]
    for (const step of steps) {
      const { saved, impulses } = step
      const expected = impulsesAt(step, endOf(saved, impulses))
      const size = Math.max(...expected.map((p) => Math.hypot(...p)))
      impulses.forEach((p, i) => {
        expect(Math.hypot(...p.map((x, k) => x - expected[i][k]))).toBeLessThanOrEqual(1e-10 * size)
        contacts++
        if (Math.hypot(p[1], p[2]) > 0.99 * saved.mu[i] * p[0]) sliding++
        else sticking++
      })
    }
    expect(contacts).toBeGreaterThan(400)
    expect(Math.min(sliding, sticking)).toBeGreaterThan(50)
  })

  test('momentum balances there, M (v - v*) = Jᵀ p at the law of J v (of a potential: its primal gradient is zero), to 1e-10 of its terms', () => {
    for (const step of steps) {
      const { M, J, vFree } = step.saved
      const v = endOf(step.saved, step.impulses)
      const expected = impulsesAt(step, v)
      const change = v.map((x, k) => x - vFree[k])
      const inertial = M.map((row) => dot(row, change))
      const pushed = M.map((_, k) =>
        expected.reduce((sum, p, i) => sum + J[3 * i][k] * p[0] + J[3 * i + 1][k] * p[1] + J[3 * i + 2][k] * p[2], 0),
      )
      const size = Math.hypot(...inertial) + Math.hypot(...pushed)
      expect(Math.hypot(...inertial.map((x, k) => x - pushed[k]))).toBeLessThanOrEqual(1e-10 * size)
    }
  })

  test.runIf(law !== 'tamsi')('impulses are the negative gradient of its potential, by differences', () => {
    if (law === 'tamsi') return
    let compared = 0
    for (const step of steps) {
      const v = endOf(step.saved, step.impulses)
      step.impulses.forEach((p, i) => {
        const contact = contactOf(step, i)
        const u = velocityAt(step.saved, v, i)
        const size = Math.hypot(...p)
        if (size === 0) return
        for (let k = 0; k < 3; k++) {
          // small beside the scale on which the law bends
          const h =
            law === 'sap' ? 1e-3 * (contact.sap as Triple)[k === 0 ? 0 : 1] * size : 1e-3 * (contact.springs as number[])[4]
          const moved = (x: number) => u.map((y, n) => (n === k ? y + x : y)) as unknown as Triple
          const at = (x: number) => potentialOf(law, contact, moved(x))
          // none of a difference across where the contact opens
          if ([h, -h].some((x) => impulseOf(law, contact, moved(x))[0] === 0)) continue
          compared++
          // second differences are a millionth of the law, rounding of the potential over h as much
          expect(Math.abs((at(h) - at(-h)) / (2 * h) + p[k])).toBeLessThan(2e-5 * size)
        }
      })
    }
    expect(compared).toBeGreaterThan(1000)
  })

  test('a step saved as a problem has the same answer for the solver of saved problems', () => {
    for (const { saved, impulses } of steps.slice(0, 40)) {
      expect([saved.law, saved.springs?.length]).toEqual(law === 'sap' ? ['associated', undefined] : [law, impulses.length])
      const system = new ContactSystem(structuredClone(saved))
      const { problem } = system
      const solver = new NewtonSolver(saved.law ?? 'pyramid')
      const p = new Float64Array(problem.rowCount)
      expect(solver.solve(problem, p, new Int8Array(0))).toBe('solved')
      const v = system.velocity(p)
      const expected = endOf(saved, impulses)
      for (let k = 0; k < v.length; k++) expect(Math.abs(v[k] - expected[k])).toBeLessThan(1e-7)
      // and the judge of saved problems sees one that is not an answer
      const u = new Float64Array(problem.rowCount)
      const residual = new Float64Array(1)
      p[0] += 1e-3
      contactResidual(problem, solver.law, 4, p, u, residual)
      expect(residual[0]).toBeGreaterThan(1e-6)
    }
  })
})

// what the laws do, in closed form

const [mass, mu] = [2, 0.5]

describe('a block that slides to rest', () => {
  /** How much farther than v0² / (2 mu g) it goes, at 2, 1 and 0.5 ms, from 0.5 m/s. */
  const excess = (approximation: Approximation, options: Record<string, number>) =>
    [2e-3, 1e-3, 5e-4].map((dt) => {
      const world = makeWorld({
        robot: slider([0.2, 0.2, 0.1], mass),
        model: 'drake',
        dt,
        physical: { friction: 0.3 },
        options: { approximation, ...options },
        q: [0, 0, 0.049],
        v: [0.5, 0, 0],
      })
      run(world, 0.5 / (0.3 * g) + 0.3)
      return world.state.q[0] - 0.25 / (0.6 * g)
    })

  test("under lagged goes implicit Euler's v0 h / 2 less far: order 1", () => {
    const far = excess('lagged', { stictionTolerance: 1e-6 })
    far.forEach((x, k) => {
      expect(Math.abs(x / (-0.25 * (2e-3 / 2 ** k)) - 1)).toBeLessThan(2e-3)
    })
  })

  test.each([
    ['similar', { dissipation: 0, stictionTolerance: 1e-6 }],
    ['sap', { relaxationTime: 0 }],
  ] as const)('under %s without its damper the same to first order', (approximation, options) => {
    const far = excess(approximation, options)
    for (let k = 1; k < 3; k++) expect(Math.abs(Math.log2(far[k - 1] / far[k]) - 1)).toBeLessThan(0.05)
  })

  test.each([
    ['similar', 5.6e-5],
    ['sap', 1.1e-4],
  ] as const)('under %s with a damper that sees the slip it stays short at any step, by %s m', (approximation, offset) => {
    const far = excess(approximation, approximation === 'similar' ? { stictionTolerance: 1e-6 } : {})
    for (let k = 1; k < 3; k++) {
      const dt = 2e-3 / 2 ** k
      expect(Math.abs((-far[k] - 0.25 * dt) / offset - 1)).toBeLessThan(0.1)
    }
  })
})

test('under lagged the friction of an impact comes a step late', () => {
  const world = (approximation: Approximation) =>
    makeWorld({
      robot: slider([0.2, 0.2, 0.1], mass),
      model: 'drake',
      dt: 1e-3,
      physical: { friction: mu },
      options: { approximation },
      q: [0, 0, 0.05 - 1e-9],
      v: [3, 0, -1],
    })
  // 1e-9 m inside, so that the spring has pushed with next to nothing by the start of the step
  const [lagged, similar] = [world('lagged'), world('similar')]
  lagged.step()
  similar.step()
  const load = (w: typeof lagged) =>
    w.contacts.impulse.filter((_, k) => k % 3 === 0 && k < 3 * w.contacts.count).reduce((a, b) => a + b)
  expect(load(lagged)).toBeGreaterThan(1e-2 * mass)
  expect(3 - lagged.state.v[0]).toBeLessThan(1e-6)
  expect(Math.abs((mass * (3 - similar.state.v[0])) / (mu * load(similar)) - 1)).toBeLessThan(1e-6)
})

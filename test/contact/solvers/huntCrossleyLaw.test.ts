import { describe, expect, test } from 'vitest'
import { spring } from '../../../contact/index.ts'
import { compliantNormal, lagged, similar, tamsi } from '../../../contact/solvers/newton/huntCrossleyLaw.ts'
import { type Projection, slot } from '../../../contact/solvers/newton/slot.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import { impulseOf, type Triple } from '../models/drakeProblems.ts'

/** P and D of a law at w. */
function project(law: Projection, w: readonly number[], mu: number, springs: readonly number[]) {
  const b = new Float64Array(2 * slot.size).fill(Number.NaN)
  const o = slot.size // an offset, so that writes before it would show
  for (let k = 0; k < 3; k++) b[o + slot.w + k] = w[k]
  b[o + slot.parameter] = mu
  b.set(springs, o + slot.spring)
  law(b, o)
  expect(b.subarray(0, o).every(Number.isNaN)).toBe(true)
  return { P: Array.from(b.subarray(o + slot.P, o + slot.D)), D: Array.from(b.subarray(o + slot.D, o + slot.parameter)) }
}

/** Springs from soft to as stiff as a step of 10 ms makes them, slips from far above to far below epsilon. */
function draw(random: ReturnType<typeof createRandom>) {
  const power = (low: number, high: number) => 10 ** random.between(low, high)
  const springs = new Array<number>(spring.size)
  springs[spring.impulse] = power(-4, 1)
  springs[spring.stiffness] = power(-3, 4)
  springs[spring.dissipation] = random.next() < 0.2 ? 0 : power(-3, 2)
  springs[spring.before] = power(-4, 1)
  springs[spring.slip] = power(-5, -1)
  const size = power(-4, 1)
  return { springs, mu: random.between(0, 1.5), w: Array.from({ length: 3 }, () => size * random.between(-1, 1)) }
}

describe.each([
  ['lagged', lagged],
  ['similar', similar],
  ['tamsi', tamsi],
] as const)('%s as a projection', (name, law) => {
  test('P(w) is the impulse of the velocity u = P(w) - w, to rounding', () => {
    const random = createRandom(3)
    let [pushes, open] = [0, 0]
    for (let n = 0; n < trials(500); n++) {
      const { springs, mu, w } = draw(random)
      const { P } = project(law, w, mu, springs)
      const u = P.map((p, k) => p - w[k]) as unknown as Triple
      const expected = impulseOf(name, { mu, springs }, u)
      // u is rounded by 1e-16 of w, which the law's slope makes larger
      const slope = 1 + Math.hypot(springs[1], springs[0] * springs[2]) * (1 + springs[2] * Math.hypot(...w)) * (1 + mu * mu)
      const steep = slope + (2 * mu * Math.max(springs[3], P[0])) / springs[4]
      const size = Math.hypot(...w) + Math.hypot(...expected)
      for (let k = 0; k < 3; k++) expect(Math.abs(P[k] - expected[k])).toBeLessThan(1e-14 * steep * size)
      expect(P[0]).toBeGreaterThanOrEqual(0)
      if (P[0] > 0) pushes++
      else open++
    }
    expect(Math.min(pushes, open)).toBeGreaterThan(trials(50))
  })

  test('D is the derivative of P, from 0 to 1, and symmetric if the law has a potential', () => {
    const random = createRandom(4)
    let compared = 0
    for (let n = 0; n < trials(500); n++) {
      const { springs, mu, w } = draw(random)
      const { D } = project(law, w, mu, springs)
      if (name === 'tamsi') {
        // friction follows the normal, and the normal no slip
        expect([D[1], D[2]].map(Math.abs)).toEqual([0, 0])
        expect(D[5]).toBe(D[7])
      } else expect([D[1], D[2], D[5]]).toEqual([D[3], D[6], D[7]])
      const x = Array.from({ length: 3 }, () => random.between(-1, 1))
      const quadratic = x.reduce((sum, a, i) => sum + a * (D[3 * i] * x[0] + D[3 * i + 1] * x[1] + D[3 * i + 2] * x[2]), 0)
      if (name !== 'tamsi') {
        expect(quadratic).toBeGreaterThanOrEqual(-1e-14)
        expect(quadratic).toBeLessThanOrEqual(x.reduce((sum, a) => sum + a * a, 0) * (1 + 1e-14))
      }
      const h = 1e-4 * Math.min(springs[spring.slip], Math.hypot(...w))
      for (let c = 0; c < 3; c++) {
        const [low, high] = [-h, h].map((by) =>
          project(
            law,
            w.map((y, k) => (k === c ? y + by : y)),
            mu,
            springs,
          ),
        )
        // none of a difference across where the contact opens
        if (high.D.some((y, k) => Math.abs(y - low.D[k]) > 0.01)) continue
        compared++
        for (let r = 0; r < 3; r++) {
          const rounding = (1e-15 * Math.hypot(...w)) / h
          expect(Math.abs((high.P[r] - low.P[r]) / (2 * h) - D[3 * r + c])).toBeLessThan(1e-4 + rounding)
        }
      }
    }
    expect(compared).toBeGreaterThan(trials(1450))
  })
})

test('without friction all are the normal alone', () => {
  const random = createRandom(5)
  for (let n = 0; n < 200; n++) {
    const { springs, w } = draw(random)
    const [normal] = project(compliantNormal, w, 0, springs).P
    for (const law of [lagged, similar, tamsi]) expect(project(law, w, 0, springs).P.map(Math.abs)).toEqual([normal, 0, 0])
  }
})

import { describe, expect, test } from 'vitest'
import { ImpactLaw } from '../../../contact/index.ts'
import { createRandom, type Random } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import { hypotheses } from './scene.ts'

/*
 * The law of one impact at one point, against closed forms and against the process of impact integrated by brute force.
 */

interface Problem {
  readonly K: Float64Array
  readonly u: Float64Array
}

/** A positive definite K = Aᵀ A and a velocity u = K y that approaches; of rank less than 3 now and then, u in its range. */
function randomProblem(random: Random, n: number): Problem {
  for (;;) {
    const A = Float64Array.from({ length: 9 }, () => random.between(-1, 1))
    // every seventh nearly singular, every eleventh of rank 1, as a pendulum's
    if (n % 7 === 0) for (let k = 6; k < 9; k++) A[k] *= 1e-3
    if (n % 11 === 0) A.fill(0, 3)
    const K = new Float64Array(9)
    for (let r = 0; r < 3; r++)
      for (let c = 0; c < 3; c++) for (let k = 0; k < 3; k++) K[3 * r + c] += A[3 * k + r] * A[3 * k + c]
    const u = times(
      K,
      [0, 0, 0].map(() => random.between(-3, 3)),
    )
    if (u[0] > 0) for (let r = 0; r < 3; r++) u[r] = -u[r]
    // impulses of one size: what is nearly immovable along its normal, or hardly approaches, is a matter of scale
    if (K[0] > 0.05 && u[0] < -0.05) return { K, u }
  }
}

const times = (K: Float64Array, p: ArrayLike<number>): Float64Array =>
  Float64Array.from({ length: 3 }, (_, r) => K[3 * r] * p[0] + K[3 * r + 1] * p[1] + K[3 * r + 2] * p[2])

function solve(law: ImpactLaw, { K, u }: Problem, surface: readonly number[], hypothesis: (typeof hypotheses)[number]) {
  law.K.set(K)
  law.u.set(u)
  law.surface.set(surface)
  const found = law.solve(hypothesis)
  const impulse = law.impulse.slice()
  const change = times(K, impulse)
  let gained = 0
  for (let r = 0; r < 3; r++) gained += impulse[r] * (u[r] + 0.5 * change[r])
  return { found, impulse, after: u.map((x, r) => x + change[r]), gained }
}

/** (1 + e) un / K_nn */
const frictionless = ({ K, u }: Problem, e: number) => (-(1 + e) * u[0]) / K[0]

describe('one impact', () => {
  test('without friction the three hypotheses agree: (1 + e) of the approach over the inertia', () => {
    const random = createRandom(81)
    const law = new ImpactLaw()
    for (let n = 0; n < 200; n++) {
      const problem = randomProblem(random, n)
      const e = random.next()
      for (const hypothesis of hypotheses) {
        const { impulse } = solve(law, problem, [0, 0, e], hypothesis)
        expect(Math.abs(impulse[0] / frictionless(problem, e) - 1)).toBeLessThan(1e-14)
        expect([impulse[1], impulse[2]]).toEqual([0, 0])
      }
    }
  })

  test('a ball that strikes obliquely rolls off with 5/7 of its speed if mu >= 2 vt / (7 (1 + e) vn), and slides below that', () => {
    const law = new ImpactLaw()
    const [mass, vn, vt, angle] = [3, 2, 1.5, 0.7]
    const [x, y] = [vt * Math.cos(angle), vt * Math.sin(angle)]
    // K_tt = 1/m + r² / (2/5 m r²)
    const problem = {
      K: Float64Array.of(1 / mass, 0, 0, 0, 3.5 / mass, 0, 0, 0, 3.5 / mass),
      u: Float64Array.of(-vn, x, y),
    }
    for (const e of [0, 0.4, 1]) {
      const least = (2 * vt) / (7 * (1 + e) * vn)
      for (const mu of [0.3 * least, 0.999 * least, 1.001 * least, 5 * least]) {
        for (const hypothesis of hypotheses) {
          const { impulse } = solve(law, problem, [mu, mu, e], hypothesis)
          // of the ball's own centre; central, so all hypotheses agree
          const speed = mu > least ? (5 / 7) * vt : vt - mu * (1 + e) * vn
          expect(Math.abs(impulse[0] / mass - (1 + e) * vn)).toBeLessThan(1e-13)
          expect(Math.abs(x + impulse[1] / mass - speed * Math.cos(angle))).toBeLessThan(1e-13)
          expect(Math.abs(y + impulse[2] / mass - speed * Math.sin(angle))).toBeLessThan(1e-13)
        }
      }
    }
  })

  test('it pushes, inside the cone of friction, and does not leave bodies approaching; Newton parts them at e of the approach', () => {
    const random = createRandom(82)
    const law = new ImpactLaw()
    let slides = 0
    for (let n = 0; n < trials(2000); n++) {
      const problem = randomProblem(random, n)
      const mu = random.between(0, 2)
      const surface = [mu, mu * (n % 2 === 0 ? 1 : 1.2), n % 5 === 0 ? 0 : random.next()]
      for (const hypothesis of hypotheses) {
        const { impulse, after } = solve(law, problem, surface, hypothesis)
        expect(impulse[0]).toBeGreaterThan(0)
        expect(Math.hypot(impulse[1], impulse[2])).toBeLessThanOrEqual(surface[1] * impulse[0] * (1 + 1e-12))
        // the process ends within its tolerance of 1e-10, and every impulse rounds by 1e-16 of the condition of K
        expect(after[0] / -problem.u[0]).toBeGreaterThan(-1e-9)
        // Newton's single step may need large impulses, whose rounding K returns
        if (hypothesis === 'newton') {
          expect(Math.abs(after[0] / -problem.u[0] - surface[2])).toBeLessThan(1e-15 * (1 + problem.K[0] * impulse[0]) * 1e3)
        }
      }
      if (law.steps > 0) slides++
    }
    expect(slides).toBeGreaterThan(trials(500))
  })

  test("energy never grows with Stronge's hypothesis, and without friction it loses 1 - e² of what approaches", () => {
    const random = createRandom(83)
    const law = new ImpactLaw()
    for (let n = 0; n < 2000; n++) {
      const problem = randomProblem(random, n)
      const mu = n % 3 === 0 ? 0 : random.between(0, 2)
      const e = n % 5 === 0 ? 1 : random.next()
      const { gained } = solve(law, problem, [mu, mu, e], 'stronge')
      const approach = (problem.u[0] * problem.u[0]) / (2 * problem.K[0])
      expect(gained).toBeLessThan(1e-12 * approach)
      if (mu === 0) expect(Math.abs(gained / approach + 1 - e * e)).toBeLessThan(1e-12)
    }
  })

  test('slip that turns follows the process of impact as tiny impulses make it', () => {
    const random = createRandom(84)
    const law = new ImpactLaw()
    let checked = 0
    for (let n = 1; checked < trials(12); n++) {
      if (n % 7 === 0 || n % 11 === 0) continue
      const problem = randomProblem(random, n)
      const mu = random.between(0.1, 1.5)
      const e = random.next()
      for (const hypothesis of ['poisson', 'stronge'] as const) {
        const { impulse, found } = solve(law, problem, [mu, mu, e], hypothesis)
        if (law.steps === 0) continue
        checked++
        expect(found).toBe(true)
        const expected = bruteForce(problem, mu, e, hypothesis)
        // explicit steps of 1e-5 of the impulse, of first order where the slip stops
        for (let r = 0; r < 3; r++) expect(Math.abs(impulse[r] - expected[r]) / expected[0]).toBeLessThan(3e-4)
      }
    }
  })

  test('slip that turns and does not stop comes to what 4000 steps of fourth order come to, to 1e-9', () => {
    const random = createRandom(86)
    const law = new ImpactLaw()
    let checked = 0
    for (let n = 1; checked < trials(20); n++) {
      if (n % 7 === 0 || n % 11 === 0) continue
      const problem = randomProblem(random, n)
      const mu = random.between(0.1, 1)
      const { impulse, after } = solve(law, problem, [mu, mu, 0], 'stronge')
      if (law.steps === 0) continue
      const { u, least } = slideFor(problem, mu, impulse[0])
      // near a stop of the slip these steps of one length are the less exact of the two
      if (least < -0.1 * problem.u[0]) continue
      checked++
      expect(Math.abs(after[0] / problem.u[0])).toBeLessThan(1e-9)
      for (let r = 0; r < 3; r++) expect(Math.abs((after[r] - u[r]) / problem.u[0])).toBeLessThan(1e-9)
    }
  })

  test('planar impacts of a rod by Poisson: sliding, and sticking and reversed sliding from compression and from restitution', () => {
    const law = new ImpactLaw()
    const seen = new Set<string>()
    const random = createRandom(85)
    for (let n = 0; n < 2000; n++) {
      // a uniform rod of half-length 1, mass 1, leaning by theta: lever arms of its tip
      const theta = random.between(0.05, 1.5)
      const [c, s] = [Math.cos(theta), Math.sin(theta)]
      const problem = {
        K: Float64Array.of(1 + 3 * c * c, 3 * s * c, 0, 3 * s * c, 1 + 3 * s * s, 0, 0, 0, 1),
        u: Float64Array.of(-1, random.between(-2, 2), 0),
      }
      const mu = random.between(0.02, 1.5)
      const e = random.next()
      const { mode, impulse: expected } = routh(problem, mu, e)
      seen.add(mode)
      const { impulse } = solve(law, problem, [mu, mu, e], 'poisson')
      for (let r = 0; r < 3; r++) expect(Math.abs(impulse[r] - expected[r])).toBeLessThan(1e-11)
    }
    expect([...seen].sort()).toEqual([
      'reversed in compression',
      'reversed in restitution',
      'slides',
      'sticks in compression',
      'sticks in restitution',
    ])
  })

  test('where static friction is greater, slip that has stopped stays stopped, and steady sliding is the same', () => {
    const law = new ImpactLaw()
    const K = Float64Array.of(1, -0.5, 0, -0.5, 1.2, 0, 0, 0, 1.2)
    // sticking asks for 0.5 / 1.2 = 0.417 of the normal impulse
    const problem = { K, u: Float64Array.of(-1, 0.05, 0) }
    const stuck = solve(law, problem, [0.3, 0.45, 0.5], 'stronge')
    const free = solve(law, problem, [0.3, 0.3, 0.5], 'stronge')
    expect(Math.abs(stuck.after[1])).toBeLessThan(1e-12)
    expect(free.after[1]).toBeLessThan(-0.05)
    const fast = { K, u: Float64Array.of(-1, 5, 0) }
    expect(solve(law, fast, [0.3, 0.45, 0.5], 'stronge').impulse).toEqual(solve(law, fast, [0.3, 0.3, 0.5], 'stronge').impulse)
  })
})

/** du = K [1; -mu u_t / |u_t|] dp up to p = impulse, by the classical method of Runge and Kutta; and the least slip on the way. */
function slideFor({ K, u }: Problem, mu: number, impulse: number): { u: number[]; least: number } {
  const dp = impulse / 4000
  const slope = (v: readonly number[]) => {
    const speed = Math.hypot(v[1], v[2])
    return [...times(K, [1, (-mu * v[1]) / speed, (-mu * v[2]) / speed])]
  }
  const moved = (v: readonly number[], k: readonly number[], length: number) => v.map((x, r) => x + length * k[r])
  let now = [...u]
  let least = Infinity
  for (let n = 0; n < 4000; n++) {
    const k1 = slope(now)
    const k2 = slope(moved(now, k1, dp / 2))
    const k3 = slope(moved(now, k2, dp / 2))
    const k4 = slope(moved(now, k3, dp))
    now = now.map((x, r) => x + (dp / 6) * (k1[r] + 2 * k2[r] + 2 * k3[r] + k4[r]))
    least = Math.min(least, Math.hypot(now[1], now[2]))
  }
  return { u: now, least }
}

/** The process du = K [1; -mu u_t / |u_t|] dp in 1e5 steps; where a step would turn the slip round, the friction that stops it. */
function bruteForce({ K, u }: Problem, mu: number, e: number, hypothesis: 'poisson' | 'stronge'): number[] {
  const dp = (1e-5 * -u[0]) / K[0]
  const impulse = [0, 0, 0]
  let now = u.slice()
  let work = 0
  let least = 0
  let compressed = Infinity
  for (;;) {
    const speed = Math.hypot(now[1], now[2])
    // friction that makes the slip zero at the end of this step, if the cone has it
    const [a, b, d] = [K[4], K[5], K[8]]
    const rx = -(now[1] + K[3] * dp)
    const ry = -(now[2] + K[6] * dp)
    const det = a * d - b * b
    let fx = (d * rx - b * ry) / det
    let fy = (a * ry - b * rx) / det
    const size = Math.hypot(fx, fy)
    if (size > mu * dp) {
      if (speed > 1e-3 * -u[0]) {
        fx = (-mu * dp * now[1]) / speed
        fy = (-mu * dp * now[2]) / speed
      } else {
        // implicit in the direction, which is what one that draws the slip asks for
        let [sx, sy] = [fx / size, fy / size]
        for (let k = 0; k < 50; k++) {
          const x = now[1] + K[3] * dp + mu * dp * (a * sx + b * sy)
          const y = now[2] + K[6] * dp + mu * dp * (b * sx + d * sy)
          const next = Math.hypot(x, y)
          sx = 0.5 * (sx - x / next)
          sy = 0.5 * (sy - y / next)
          const unit = Math.hypot(sx, sy)
          sx /= unit
          sy /= unit
        }
        fx = mu * dp * sx
        fy = mu * dp * sy
      }
    }
    const before = now[0]
    const change = times(K, [dp, fx, fy])
    now = now.map((x, r) => x + change[r])
    impulse[0] += dp
    impulse[1] += fx
    impulse[2] += fy
    work += 0.5 * (before + now[0]) * dp
    least = Math.min(least, work)
    if (now[0] < 0) compressed = Infinity
    else if (compressed === Infinity) compressed = impulse[0]
    if (now[0] >= 0 && (hypothesis === 'poisson' ? impulse[0] >= (1 + e) * compressed : work >= (1 - e * e) * least))
      return impulse
  }
}

/** Routh's graphical method for a planar impact, by Poisson's hypothesis (Wang and Mason, J. Appl. Mech. 59, 1992): lines in (pn, pt). */
function routh({ K, u }: Problem, mu: number, e: number): { mode: string; impulse: number[] } {
  const [kn, kc, kt] = [K[0], K[1], K[4]]
  const s = Math.sign(u[1])
  const sticking = -kc / kt
  // up the line of friction pt = -mu s pn, to where slip or compression ends
  const untilSlipEnds = -u[1] / (kc - mu * s * kt)
  const stops = untilSlipEnds > 0 ? untilSlipEnds : Infinity
  const slowing = kn - mu * s * kc
  const compression = slowing > 0 ? -u[0] / slowing : Infinity
  const sticks = Math.abs(sticking) <= mu
  // friction opposes the slip that begins against the old one
  const later = sticks ? sticking : mu * s
  if (stops > compression) {
    const end = (1 + e) * compression
    if (stops >= end) return { mode: 'slides', impulse: [end, -mu * s * end, 0] }
    const pt = -mu * s * stops + later * (end - stops)
    return { mode: sticks ? 'sticks in restitution' : 'reversed in restitution', impulse: [end, pt, 0] }
  }
  const rest = -(u[0] + slowing * stops) / (kn + later * kc)
  const end = (1 + e) * (stops + rest)
  const pt = -mu * s * stops + later * (end - stops)
  return { mode: sticks ? 'sticks in compression' : 'reversed in compression', impulse: [end, pt, 0] }
}

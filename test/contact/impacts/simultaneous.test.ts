import { describe, expect, test } from 'vitest'
import { type ContactProblem, DenseMaps, GroupKind, SimultaneousImpulses } from '../../../contact/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'

/*
 * Impulses of all impacts at once, from numbers alone.
 */

interface Impact extends ContactProblem {
  readonly u: Float64Array
  readonly least: Float64Array
  readonly inelastic: Float64Array
  readonly restitution: Float64Array
}

/** W = J M⁻¹ Jᵀ with a little softness, velocities before, and restitution e where a normal approaches. */
function impactOf(
  J: readonly (readonly number[])[],
  inverseMass: readonly number[],
  v: readonly number[],
  mu: number,
  e: number,
): Impact {
  const rows = J.length
  const width = mu > 0 ? 3 : 1
  const groups = rows / width
  const W = Float64Array.from({ length: rows * rows }, (_, at) => {
    const [i, j] = [Math.floor(at / rows), at % rows]
    return J[i].reduce((sum, x, k) => sum + x * inverseMass[k] * J[j][k], 0) + (i === j ? 1e-9 : 0)
  })
  const u = Float64Array.from(J, (row) => row.reduce((sum, x, k) => sum + x * v[k], 0))
  return {
    rowCount: rows,
    groupCount: groups,
    W,
    rhs: new Float64Array(rows),
    first: Int32Array.from({ length: groups + 1 }, (_, g) => width * g),
    kind: new Uint8Array(groups).fill(mu > 0 ? GroupKind.frictional : GroupKind.unilateral),
    limit: new Float64Array(groups).fill(mu),
    u,
    least: Float64Array.from({ length: groups }, (_, g) => Math.max(-e * u[width * g], 0)),
    inelastic: new Float64Array(groups),
    restitution: new Float64Array(groups).fill(e),
  }
}

/** Velocities of all rows after impulses p, and the energy that these add. */
function after({ rowCount, W, u }: Impact, p: Float64Array) {
  const change = Array.from(u, (_, r) => p.reduce((sum, x, s) => sum + W[r * rowCount + s] * x, 0))
  const gained = p.reduce((sum, x, r) => sum + x * (u[r] + 0.5 * change[r]), 0)
  return { u: change.map((x, r) => x + u[r]), gained }
}

function solve(impact: Impact, hypothesis: 'newton' | 'poisson' = 'newton') {
  const solver = new SimultaneousImpulses(hypothesis)
  const maps = new DenseMaps()
  maps.take(impact)
  const p = new Float64Array(impact.rowCount)
  expect(solver.solve(maps, impact.u, impact.restitution, impact.inelastic, p)).toBe(true)
  return { p, share: solver.share[0], ...after(impact, p) }
}

/** Contacts of a disc-like body of six freedoms at random points, normals up. */
function randomImpact(seed: number, mu: number, e: number): Impact {
  const random = createRandom(seed)
  const count = 1 + (seed % 4)
  const J: number[][] = []
  for (let k = 0; k < count; k++) {
    const [x, y, z] = [random.between(-1, 1), random.between(-1, 1), random.between(-1, -0.2)]
    // velocity of the point: v + omega × r, along z, x, y
    J.push([0, 0, 1, y, -x, 0])
    if (mu > 0) J.push([1, 0, 0, 0, z, -y], [0, 1, 0, -z, 0, x])
  }
  const inertia = [1, 1, 1, 3, 5, 2]
  return impactOf(
    J,
    inertia,
    [random.between(-2, 2), random.between(-2, 2), -3, ...[0, 0, 0].map(() => random.between(-2, 2))],
    mu,
    e,
  )
}

describe('without friction', () => {
  test("Newton's cradle of three: all impact at once, so that the balls leave at (-1, 2, 2) / 3 of the first one's speed", () => {
    const J = [
      [-1, 1, 0],
      [0, -1, 1],
    ]
    const { u, p, gained } = solve(impactOf(J, [1, 1, 1], [1, 0, 0], 0, 1))
    expect(gained).toBeLessThan(1e-8)
    const v = [1 - p[0], p[0] - p[1], p[1]]
    ;[-1 / 3, 2 / 3, 2 / 3].forEach((x, k) => {
      expect(Math.abs(v[k] - x)).toBeLessThan(1e-8)
    })
    expect(Math.abs(u[0] - 1)).toBeLessThan(1e-8)
  })

  test('a box that falls flat stops with a quarter of its momentum at each corner', () => {
    const J = [1, -1].flatMap((x) => [1, -1].map((y) => [1, y, -x]))
    const { p, u } = solve(impactOf(J, [0.5, 1, 1], [-4, 0, 0], 0, 0))
    // of the four, rounding over the softness of 1e-9 is left
    for (const x of p) expect(Math.abs(x - 2)).toBeLessThan(1e-6)
    for (const x of u) expect(Math.abs(x)).toBeLessThan(1e-7)
  })

  test.each([0, 0.5, 1])('0 <= p ⟂ u⁺ + e u⁻ >= 0 at random impacts with e = %d, and no energy is gained', (e) => {
    for (let seed = 1; seed <= trials(200); seed++) {
      const impact = randomImpact(seed, 0, e)
      const { p, u, gained, share } = solve(impact)
      expect(gained).toBeLessThan(1e-10)
      expect(share).toBe(1)
      for (let g = 0; g < impact.groupCount; g++) {
        expect(p[g]).toBeGreaterThanOrEqual(0)
        expect(u[g] - impact.least[g]).toBeGreaterThan(-1e-9)
        expect(Math.abs(p[g] * (u[g] - impact.least[g]))).toBeLessThan(1e-8)
      }
    }
  })
})

describe('with friction', () => {
  test.each([0, 0.5, 1])('at random impacts with e = %d signs and cones hold, and energy is never gained', (e) => {
    let limited = 0
    for (let seed = 1; seed <= trials(200); seed++) {
      const impact = randomImpact(seed, 0.2 + 0.1 * (seed % 10), e)
      const { p, u, gained, share } = solve(impact)
      const before = impact.u.reduce((most, x) => Math.max(most, x * x), 0)
      expect(gained).toBeLessThan(1e-9 * before)
      if (share < 1) limited++
      for (let g = 0; g < impact.groupCount; g++) {
        expect(p[3 * g]).toBeGreaterThanOrEqual(0)
        expect(u[3 * g]).toBeGreaterThan(-1e-8)
        expect(Math.hypot(p[3 * g + 1], p[3 * g + 2])).toBeLessThanOrEqual(impact.limit[g] * p[3 * g] * (1 + 1e-9) + 1e-12)
      }
    }
    // Newton's rule by itself gains energy at some of these
    if (e === 0) expect(limited).toBe(0)
    if (e === 1) expect(limited).toBeGreaterThan(0)
  })

  test('a sphere that strikes a plane obliquely leaves rolling if mu >= 2 vt / (7 (1 + e) vn), and slips below', () => {
    // m = 1, r = 1: rows n = z, t = x; v = (x, z, omega r about y)
    const [vt, vn, e] = [2, 3, 0.5]
    const J = [
      [0, 1, 0],
      [1, 0, -1],
      [0, 0, 0],
    ]
    for (const mu of [0.9, 1.1].map((share) => (share * 2 * vt) / (7 * (1 + e) * vn))) {
      const { p, u } = solve(impactOf(J, [1, 1, 2.5], [vt, -vn, 0], mu, e))
      expect(Math.abs(p[0] - (1 + e) * vn)).toBeLessThan(1e-7)
      const sticks = mu > (2 * vt) / (7 * (1 + e) * vn)
      expect(Math.abs(p[1] + (sticks ? (2 * vt) / 7 : mu * (1 + e) * vn))).toBeLessThan(1e-7)
      if (sticks) expect(Math.abs(u[1])).toBeLessThan(1e-7)
    }
  })

  test('an elastic rod that Newton would throw up with more energy than it came with rebounds with as much', () => {
    // a rod of half-length 1 at 40 degrees falls on its end, mu = 0.5: Kane and Levinson's kind of impact
    const angle = (40 * Math.PI) / 180
    const [x, z] = [Math.cos(angle), -Math.sin(angle)]
    const J = [
      [0, 1, -x],
      [1, 0, z],
      [0, 0, 0],
    ]
    let limited = 0
    for (const slip of [-2, -1, -0.5, -0.2, 0.2, 0.5, 1, 2]) {
      const { gained, share } = solve(impactOf(J, [1, 1, 3], [slip, -1, 0], 0.5, 1))
      expect(gained).toBeLessThan(1e-9)
      if (share < 1) limited++
    }
    expect(limited).toBeGreaterThan(0)
  })
})

describe("by Poisson's hypothesis", () => {
  test.each([0, 0.5, 1])(
    'at random impacts with e = %d restitution gives at least e of compression, cones hold, nothing is gained',
    (e) => {
      let limited = 0
      for (let seed = 1; seed <= trials(200); seed++) {
        const impact = randomImpact(seed, 0.2 + 0.1 * (seed % 10), e)
        const compression = solve({ ...impact, restitution: new Float64Array(impact.groupCount) }).p
        const { p, u, gained, share } = solve(impact, 'poisson')
        const before = impact.u.reduce((most, x) => Math.max(most, x * x), 0)
        expect(gained).toBeLessThan(1e-9 * before)
        if (share < 1) limited++
        const size = Math.max(...compression)
        for (let g = 0; g < impact.groupCount; g++) {
          expect(p[3 * g]).toBeGreaterThanOrEqual((1 + share * e) * compression[3 * g] - 1e-9 * size)
          expect(u[3 * g]).toBeGreaterThan(-1e-8)
          expect(Math.hypot(p[3 * g + 1], p[3 * g + 2])).toBeLessThanOrEqual(impact.limit[g] * p[3 * g] * (1 + 1e-9) + 1e-12)
          // what leaves got no more than its share
          if (u[3 * g] > 1e-6 && share === 1) expect(p[3 * g]).toBeLessThan((1 + e) * compression[3 * g] + 1e-6 * size)
        }
      }
      expect(limited).toBe(0)
    },
  )

  test('without friction, one contact: both hypotheses are one', () => {
    for (let seed = 4; seed <= trials(200); seed += 4) {
      const impact = randomImpact(seed, 0, 0.6)
      const [newton, poisson] = [solve(impact), solve(impact, 'poisson')]
      expect(impact.groupCount).toBe(1)
      expect(Math.abs(poisson.p[0] - newton.p[0])).toBeLessThan(1e-9 * newton.p[0] + 1e-12)
    }
  })

  test('two contacts of different restitution, by hand: a light bar on two points gets 1 + e of what stops it at each', () => {
    // a bar of mass 1 and moment 1/2 that falls flat on its ends x = ±1: W = [3, -1; -1, 3], compression 1/2 at each
    const J = [1, -1].map((x) => [1, x])
    const impact = impactOf(J, [1, 2], [-1, 0], 0, 0)
    impact.restitution.set([0.2, 0.8])
    const { p, u } = solve(impact, 'poisson')
    // 0.6 and 0.9 leave it with u = W p - 1 = (-0.1, 1.1): the first has to give more, until it stands
    expect(Math.abs(p[1] - 0.9)).toBeLessThan(1e-8)
    expect(Math.abs(p[0] - 1.9 / 3)).toBeLessThan(1e-8)
    expect(Math.abs(u[0])).toBeLessThan(1e-8)
    expect(Math.abs(u[1] - (2.7 - 1.9 / 3 - 1))).toBeLessThan(1e-8)
  })
})

test('a problem of four times the size, and the first again: the same bits', () => {
  const solver = new SimultaneousImpulses('newton')
  const maps = new DenseMaps()
  const run = (impact: Impact) => {
    maps.take(impact)
    const p = new Float64Array(impact.rowCount)
    solver.solve(maps, impact.u, impact.restitution, impact.inelastic, p)
    return [...p]
  }
  const small = run(randomImpact(4, 0.5, 0.5))
  run(randomImpact(7, 0.5, 0.5))
  expect(run(randomImpact(4, 0.5, 0.5))).toEqual(small)
})

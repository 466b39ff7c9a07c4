import { createRequire } from 'node:module'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BaraffReproduction, reproduceBaraff } from '../../cases/papers/baraff/experiments.ts'
import { freedomOf, missOf, staticProblem, sticking, tippedLimit } from '../../cases/papers/baraff/friction.ts'
import { randomProblem } from '../../cases/papers/baraff/frictionless.ts'
import {
  energyOf,
  hypotheses,
  leastEnergy,
  lossBounds,
  randomRods,
  rodImpact,
  rodInTurn,
  routh,
} from '../../cases/papers/baraff/impacts.ts'
import { baraffIteration, featherstone, leastConstraint, leastProduct, planarMiss } from '../../cases/papers/baraff/methods.ts'
import { fittedOrder, solveDense } from '../../cases/papers/baraff/numerics.ts'
import {
  allForces,
  arbitraryChoices,
  choiceClaim,
  kindOf,
  starts,
  stoppingImpulse,
  tipProblem,
} from '../../cases/papers/baraff/painleve.ts'
import { exactPath, releaseAngle, slideTime } from '../../cases/papers/baraff/particle.ts'
import { constrainedMinimum, optimisationClaim, penalised, shape } from '../../cases/papers/baraff/penalty.ts'
import { coherence, coherenceClaim, pivotClaim, pivotGrowth, worstPivots } from '../../cases/papers/baraff/pivots.ts'
import { reportOfBaraff } from '../../cases/papers/baraff/report.ts'
import { overview } from '../../cases/papers/index.ts'
import { eigenvalues } from '../../compare/inspect/eigenvalues.ts'
import { Random } from '../../compare/scenario/world/random.ts'
import { featherbed } from '../compare/command.ts'
import { full } from '../dailyModels.ts'

const { solveQP } = createRequire(import.meta.url)('quadprog') as {
  solveQP(D: number[][], d: number[], A: number[][], b: number[]): { solution: number[]; message: string }
}
/** For quadprog, whose arrays begin at 1. */
const padded = (rows: number[][]) => [[], ...rows.map((row) => [0, ...row])]

/*
 * Baraff, Non-penetrating Rigid Body Simulation, Eurographics '93 State of the Art Reports.
 */
describe('what models are compared with', () => {
  test('the particle leaves the sphere at cos θ = 2/3 cos θ0, and no energy is lost on the way', () => {
    const { left, moments } = exactPath([Math.sin(releaseAngle), 0, Math.cos(releaseAngle), 0, 0, 0], slideTime)
    expect(left?.y[2]).toBeCloseTo((2 / 3) * Math.cos(releaseAngle), 12)
    const energy = ([, , z, ...v]: readonly number[]) => 9.81 * z + 0.5 * (v[0] ** 2 + v[1] ** 2 + v[2] ** 2)
    for (const { y } of [moments[5000], moments[moments.length - 1]]) expect(energy(y)).toBeCloseTo(energy(moments[0].y), 11)
  })

  test('held to the sphere it goes on as an inverted pendulum: f_N = g cos θ - v², below 0 past that place', () => {
    const { moments } = exactPath([Math.sin(releaseAngle), 0, Math.cos(releaseAngle), 0, 0, 0], slideTime, true)
    const { y, force } = moments[moments.length - 1]
    // v² = 2 g (cos θ0 - cos θ)
    expect(force).toBeCloseTo(9.81 * (3 * y[2] - 2 * Math.cos(releaseAngle)), 9)
    expect(force).toBeLessThan(-10)
  })

  test('Routh’s method without friction: p = (1 + e) m v / (1 + 3 cos² θ), under every hypothesis', () => {
    for (const hypothesis of hypotheses) {
      const found = routh(rodImpact(0.7, [-1.3, 0.4], 0, 0.6), hypothesis)
      expect(found?.P[0]).toBeCloseTo((1.6 * 1.3) / (1 + 3 * Math.cos(0.7) ** 2), 12)
      expect(found?.P[1]).toBeCloseTo(0, 15)
      expect(found?.mode).toBe('sliding')
    }
  })

  test('Routh’s method keeps what each hypothesis says, and friction in its cone', () => {
    for (const impact of randomRods(200)) {
      const { K, u, mu, e } = impact
      for (const hypothesis of hypotheses) {
        const { P, mode } = routh(impact, hypothesis) as NonNullable<ReturnType<typeof routh>>
        expect(Math.abs(P[1])).toBeLessThanOrEqual(mu * P[0] * (1 + 1e-12))
        const un = u[0] + K[0] * P[0] + K[1] * P[1]
        const ut = u[1] + K[1] * P[0] + K[2] * P[1]
        if (hypothesis === 'newton') expect(un).toBeCloseTo(-e * u[0], 12)
        if (hypothesis === 'stronge') expect(energyOf(impact, P)).toBeLessThan(0)
        if (mode.endsWith('sticking')) expect(Math.abs(ut)).toBeLessThan(1e-12)
        if (mode.endsWith('reversed')) expect(ut * u[1]).toBeLessThan(0)
        if (mode === 'sliding') expect(ut * u[1]).toBeGreaterThan(0)
      }
    }
  })

  test('Painlevé’s rod: no force, one or two, and the impulse of the figures printed', () => {
    for (const [kind, start] of Object.entries(starts)) {
      expect(kindOf(start)).toBe(kind)
      const { A, b, answers } = tipProblem(start)
      for (const f of answers) expect(Math.min(f, A * f + b)).toBeCloseTo(0, 12)
    }
    const [normal, along] = stoppingImpulse(starts.inconsistent)
    expect([normal, along].map((x) => Number(x.toFixed(4)))).toEqual([0.3248, -0.4375])
  })

  test('the check of static friction refuses forces that pull, are beyond the cone, or drive the slip', () => {
    const problem = staticProblem(new Random(1), 1)
    const { W, rhs, limit } = problem
    // what holds the point, at any friction
    const hold = solveDense(
      [0, 1, 2].map((r) => Array.from(W.subarray(3 * r, 3 * r + 3))),
      Array.from(rhs, (x) => -x),
    )
    const enough = { ...problem, limit: Float64Array.of((1.01 * Math.hypot(hold[1], hold[2])) / Math.abs(hold[0])) }
    expect(missOf(enough, hold) < 1e-12).toBe(hold[0] > 0)
    expect(missOf(enough, [-1, 0, 0])).toBeGreaterThan(1e-3)
    expect(missOf({ ...problem, limit: Float64Array.of(0.1) }, hold)).toBeGreaterThan(1e-3)
    expect(limit[0]).toBeGreaterThan(0)
    // equation 19 ends at arccos(1 / F) and not before or behind
    expect(freedomOf(2).angle).toBeCloseTo(Math.PI / 3, 10)
  })

  test('the program of forces: its least value and accelerations beside another program’s, and none where nothing can be met', () => {
    const random = new Random(11)
    for (let k = 0; k < 40; k++) {
      const problem = randomProblem(random, 1 + (k % 6))
      const { M, J, free } = problem
      // Gauss's principle by the dual method of Goldfarb and Idnani: min aᵀ M a / 2 - dᵀ a with J a >= 0; arrays begin at 1
      const { solution, message } = solveQP(
        padded(M.map((row) => [...row])),
        [0, ...M.map((row) => row.reduce((sum, x, i) => sum + x * free[i], 0))],
        padded(M.map((_, i) => J.map((row) => row[i]))),
        [0, ...J.map(() => 0)],
      )
      expect(message).toBe('')
      const own = leastConstraint(problem) as number[]
      const size = Math.max(...free.map(Math.abs))
      for (const [i, x] of own.entries()) expect(Math.abs(x - solution[i + 1]) / size).toBeLessThan(1e-9)
      const f = leastProduct(problem) as number[]
      const after = solveDense(
        M,
        free.map((_, i) => J.reduce((sum, row, r) => sum + row[i] * f[r], 0)),
      ).map((x, i) => x + free[i])
      for (const [i, x] of after.entries()) expect(Math.abs(x - solution[i + 1]) / size).toBeLessThan(1e-9)
    }
    const squeezed = [
      [1, -1],
      [-1, 1],
    ]
    expect(leastProduct({ A: squeezed, b: [-1, -1] })).toBeUndefined()
  })

  test('the heuristic of 4.1.2: two contacts of which one would pull; a pair of equal rows is singular', () => {
    const A = [
      [2, 1.5],
      [1.5, 2],
    ]
    expect(featherstone({ A, b: [-2, -1] })).toEqual({ end: 'solved', f: [1, 0], systems: 2 })
    const equal = [
      [1, 1],
      [1, 1],
    ]
    expect(featherstone({ A: equal, b: [-1, -1] }).end).toBe('singular')
  })

  test('programs in turn settle on a block that is held, mu 1/2 under a pull of 0.4 of its weight, and on one that slips under 0.7', () => {
    const block = (pull: number) => ({
      W: [
        [1, 0],
        [0, 1],
      ],
      rhs: [-1, pull],
      mu: [0.5],
    })
    expect(baraffIteration(block(0.4))).toMatchObject({ settled: true, f: [1, -0.4] })
    expect(baraffIteration(block(0.7))).toMatchObject({ settled: true, f: [1, -0.5] })
    // and the check is none that everything passes
    expect(planarMiss(block(0.7), [1, 0.5])).toBeGreaterThan(0.1)
    expect(planarMiss(block(0.7), [1, -0.4])).toBeGreaterThan(0.09)
    expect(planarMiss(block(0.4), [1.2, -0.4])).toBeGreaterThan(0.1)
  })

  test('a rod met at one end after the other: e = 1 ends as all at once, e = 1/2 with 13/32 and 17/64', () => {
    expect(rodInTurn(1)).toEqual([1, 1])
    expect(rodInTurn(0.5)).toEqual([13 / 32, 17 / 64])
  })

  test('the loss of an impact is pᵀ W p / 2: a cube that comes down flat without slip or turning loses all, by normals alone', () => {
    const impact = { mu: 0.5, v: [0, 0, 0, 0, 0, -1] }
    expect(leastEnergy(impact)).toBeLessThan(1e-6)
    const { corner, frictionless, stopped } = lossBounds(impact)
    expect(frictionless).toBeCloseTo(0.5, 6)
    expect(stopped).toBe(0.5)
    // u_n² / (2 W_nn) of one corner: W_nn = 1 + 2 (side / 2)² / (side² / 6) = 4
    expect(corner).toBeCloseTo(1 / 8, 12)
  })

  test('the numerical methods: eigenvalues, a fitted order', () => {
    const [low, high] = eigenvalues([
      [2, 1],
      [1, 2],
    ])
    expect([low, high].map((x) => Number(x.toFixed(12)))).toEqual([1, 3])
    expect(fittedOrder([1, 2, 5], [3, 12, 75])).toBeCloseTo(2, 12)
  })
})

test('static friction of a box ends at 0.6 of its weight under a load at its foot, from 0.6 / 1.1 on under one at its middle', () => {
  expect(tippedLimit).toBeCloseTo(0.6 / 1.1, 12)
  const { breaks, breaksTipped } = sticking('lcp')
  expect(Math.abs(breaks - 0.6)).toBeLessThan(0.02)
  expect(breaksTipped).toBeGreaterThan(tippedLimit)
  expect(breaksTipped).toBeLessThan(tippedLimit + 0.02)
})

describe('solvers', () => {
  test('equation 10: r (r² - 1) = s / (4 k) of its minimum, 2 k g tends to λ as 1 / k, and Newton’s steps do not grow with k', () => {
    const ks = [10, 1e3, 1e5]
    const done = penalised(ks.slice(0, 2))
    for (const [i, { z, force, newton }] of done.entries()) {
      const r = z[0] / constrainedMinimum[0]
      expect(z.map((x, d) => x / constrainedMinimum[d] / r)).toEqual([1, 1, 1].map((x) => expect.closeTo(x, 8)))
      expect(r * (r * r - 1)).toBeCloseTo(shape / (4 * ks[i]), 8)
      expect(force).toBeCloseTo(shape / (2 * r), 6)
      expect(newton).toBeLessThan(7)
    }
    expect(done[1].descent / done[0].descent).toBeGreaterThan(30)
    expect(optimisationClaim([10, 100, 1000]).judgement).toBe('reproduced')
  })

  test('two contacts with three sets of forces; and a choice that the covering vector makes', () => {
    // f_1 or f_2 or both or none, by hand
    const both = [
      [-1, 0],
      [0, -1],
    ]
    expect(allForces(both, [1, 2])).toEqual([
      [0, 0],
      [1, 0],
      [0, 2],
      [1, 2],
    ])
    expect(allForces(both, [-1, 2])).toEqual([])
    const [none, , several] = arbitraryChoices(6, 60).counts
    expect(none.problems).toBeGreaterThan(10)
    expect(none.rayAlone).toBe(none.problems)
    expect(several.several).toBeGreaterThan(0)
    expect(choiceClaim(60).judgement).toBe('reproduced')
  })

  test('Murty’s order takes 2ⁿ - 1 pivots at worst, Lemke’s 2ⁿ, all three about n on bodies that touch at random', () => {
    expect([1, 3, 5, 7].map((n) => worstPivots('murty', n))).toEqual([1, 7, 31, 127])
    expect([1, 3, 5].map((n) => worstPivots('lemke', n))).toEqual([2, 8, 32])
    const { rows, exponents } = pivotGrowth(8)
    for (const x of exponents) expect(x).toBeLessThan(1.2)
    for (const { failed, apart } of rows.flat()) expect([failed, apart < 1e-9]).toEqual([0, true])
    expect(pivotClaim(8, 20).judgement).toBe('reproduced')
  })

  test('from the last step’s answer a stack costs Murty’s order no pivot past the first, and half the work', () => {
    const { rows } = coherence('stack of 5 boxes', 20)
    const [{ method, cold, warm }] = rows
    expect([method, warm.iterations < 0.1 * cold.iterations, warm.work < 0.5 * cold.work]).toEqual(['murty', true, true])
    expect(coherenceClaim(20, ['diffdrive', 'box that tumbles']).judgement).toBe('reproduced')
  })
})

describe.runIf(full)('the whole', () => {
  let reproduction: BaraffReproduction
  let html: string
  beforeAll(() => {
    reproduction = reproduceBaraff()
    html = reportOfBaraff(reproduction, 'npx featherbed reproduce baraff')
  })

  test('each judgement is what its figures say; three are not reproduced as they stand', () => {
    const others = reproduction.claims.filter(({ judgement }) => judgement !== 'reproduced')
    expect(others.map(({ where, claim, judgement }) => [where, claim.slice(0, 36), judgement])).toEqual([
      ['Equation 8', 'as printed: because A is positive se', 'not reproduced'],
      ['Section 6 (Wang and Mason)', 'the same by Newton’s hypothesis', 'not reproduced'],
      ['Section 6 (Lötstedt)', 'simultaneous frictional impulses tha', 'order reproduced'],
    ])
  })

  test('every section and equation that can be tried has a claim', () => {
    const where = reproduction.claims.map((claim) => claim.where).join('; ')
    for (const place of [
      'Equations 1, 3 to 5',
      'Equation 2',
      'Section 2.1.3',
      'Section 3.1',
      'Section 3.2',
      'Section 4.1.1',
      'Equation 5',
    ])
      expect(where).toContain(place)
    for (const place of [
      'Equation 6',
      'Equation 8',
      'Figure 3',
      'Equation 11',
      'Section 4.2',
      'Equations 14 to 17',
      'Equations 18 and 19',
    ])
      expect(where).toContain(place)
    for (const place of ['Equation 19', 'Section 5.1', 'Section 6', 'Section 7.1', 'Section 7.2']) expect(where).toContain(place)
  })

  test('the slide off the sphere: first order under every model, within 2 steps of the place where it lets go under lcp', () => {
    for (const list of reproduction.slides) {
      const [coarse, middle, fine] = list.map(({ errorEnd }) => errorEnd)
      expect([list[0].model, coarse / middle > 1.7 && middle / fine > 1.7]).toEqual([list[0].model, true])
    }
    const lcp = reproduction.slides.flat().filter(({ model }) => model === 'lcp')
    for (const { leaves, dt } of lcp)
      expect(Math.abs(leaves - Math.acos((2 / 3) * Math.cos(releaseAngle)))).toBeLessThan(5.2 * dt)
  })

  test('impulses one after another are Routh’s to rounding, by Poisson’s and by Stronge’s hypothesis, in all five modes', () => {
    for (const { name, hypothesis, modes } of reproduction.impacts) {
      if (hypothesis === 'newton' || name.includes('all at once')) continue
      for (const { count, worst } of Object.values(modes)) {
        expect(count).toBeGreaterThan(0)
        expect(worst).toBeLessThan(1e-12)
      }
    }
    // one algebraic step cannot reverse
    const newton = reproduction.impacts.find(({ hypothesis }) => hypothesis === 'newton')
    expect(newton?.modes['C-reversed'].agree).toBe(0)
    expect(newton?.modes.sliding.worst).toBeLessThan(1e-12)
  })

  test('no impact of any model gains energy', () => {
    for (const { gains, mostGained } of reproduction.impacts) expect([gains, mostGained < 1e-5]).toEqual([0, true])
  })

  test('all models take a step of each rod', () => {
    for (const list of reproduction.branches) for (const { failures } of list) expect(failures).toBe(0)
  })

  test('with ccd no bullet passes; without, springs let nine in ten through in steps of 1 ms', () => {
    for (const { model, ccd, through, shots, told } of reproduction.shots) {
      expect(told).toBe(through)
      if (ccd) expect([model, through]).toEqual([model, 0])
      else if (model.startsWith('penalty')) expect(through).toBeGreaterThanOrEqual(0.9 * shots)
    }
  })

  test('the report shows every claim and all figures, and asks no server for anything', () => {
    const words = html.replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
    for (const { claim, found, why } of reproduction.claims) for (const text of [claim, found, why]) expect(words).toContain(text)
    expect(html).not.toMatch(/(src|href)="https?:/)
    expect(html).not.toMatch(/NaN|undefined|Infinity/)
    for (const { id } of reproduction.figures) expect(html).toContain(`clip-figure-${id}`)
  })

  test('the page over all papers links to their reports, and counts each judgement', () => {
    const { claims } = reproduction
    const text = overview([{ name: 'baraff', claims }], 'npx featherbed reproduce all')
    expect(text).toContain('href="baraff/report.html"')
    expect(text).toContain(`Of ${claims.length} figures and claims ${claims.length - 3} are reproduced, 1 in their order`)
    expect(text.match(/class="tag failed"/g)?.length).toBe(2)
  })
})

describe('featherbed reproduce all', () => {
  test('a paper that is none is refused with what there is; exit code 2', async () => {
    const { code, stderr } = await featherbed(['reproduce', 'baraf'])
    expect(code).toBe(2)
    expect(stderr).toContain('baraff, drumwright, peg, all')
  })

  test.runIf(full)(
    'one document holds all papers, their claims and how many are of each judgement; exit code 1 while one is not reproduced',
    async () => {
      const { code, stdout } = await featherbed([
        'reproduce',
        'all',
        '--json',
        '--quiet',
        ...['--seeds', '1', '--bodies', '6', '--settle', '1', '--watch', '1'],
      ])
      expect(code).toBe(1)
      const { counts, papers } = JSON.parse(stdout)
      expect(Object.keys(papers)).toEqual(['baraff', 'drumwright', 'peg'])
      expect(papers.drumwright.options).toEqual({ seeds: 1, scan: 1, bodies: 6, settle: 1, watch: 1 })
      const claims = Object.values<{ claims: { judgement: string }[]; table?: unknown[] }>(papers)
      const total = claims.reduce((sum, { claims: list, table = [] }) => sum + list.length + table.length, 0)
      expect(Object.values<number>(counts).reduce((sum, n) => sum + n, 0)).toBe(total)
    },
  )
})

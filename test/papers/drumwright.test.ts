import { beforeAll, describe, expect, test } from 'vitest'
import { fadingPushes, penetratingBlock, perturbedBlock, pushedSteps, staticDepth } from '../../papers/drumwright/block.ts'
import {
  besideAlgebra,
  energyJudgement,
  lcpJudgement,
  median,
  type Reproduction,
  reproduceDrumwright,
} from '../../papers/drumwright/experiments.ts'
import { reportOfDrumwright } from '../../papers/drumwright/report.ts'

/*
 * Drumwright, A Fast and Stable Penalty Method for Rigid Body Simulation (2008), section IV, with the gains that it states.
 */
describe('the block that penetrates a plane', () => {
  const seeds = Array.from({ length: 10 }, (_, k) => k + 1)

  test.each(seeds)(
    'figure 8, seed %i: several points leave less than a tenth of the kinetic energy that one point leaves',
    (seed) => {
      const quiet = (method: 'penalty' | 'penalty-deepest') => median(penetratingBlock(method, seed, 3000).kinetic.slice(-1000))
      expect(quiet('penalty')).toBeLessThan(0.1 * quiet('penalty-deepest'))
    },
  )

  test.each(seeds)('figure 9, seed %i: after 10 s the depth is W / (kp + ki / (1 - lambda)) to 1 %%', (seed) => {
    const { depth } = penetratingBlock('penalty', seed, 10_000)
    expect(Math.abs(depth[9999] / staticDepth('penalty', 10) - 1)).toBeLessThan(0.01)
  })

  test('the static depth of the stated gains: 98 N on 5000 + 100 / 0.15 N/m', () => {
    expect(staticDepth('penalty', 10)).toBeCloseTo(98 / (5000 + 100 / 0.15), 12)
  })

  test('the same seed gives the same bits', () => {
    expect(penetratingBlock('penalty', 3, 200).hash).toBe(penetratingBlock('penalty', 3, 200).hash)
    expect(penetratingBlock('penalty', 3, 200).hash).not.toBe(penetratingBlock('penalty', 4, 200).hash)
  })
})

test('the block under forces is pressed deeper while one acts', () => {
  const { depth } = perturbedBlock('penalty', 1)
  const free = depth[999]
  const pressed = depth[pushedSteps - 1]
  expect(pressed).toBeGreaterThan(depth[0])
  expect(free).toBeLessThan(pressed)
})

test.each([1, 2, 3])('the block under forces, seed %i: the gains alone tell its depth and its energy when it is free', (seed) => {
  const [run, fading] = [perturbedBlock('penalty', seed), fadingPushes('penalty', seed)]
  const mean = (x: Float64Array) => x.reduce((sum, value) => sum + value, 0) / x.length
  // the corners that lift under a force near the edge
  expect(Math.abs(mean(run.depth) / mean(fading.depth) - 1)).toBeLessThan(0.03)
  const ends = (x: Float64Array) => median(x.filter((_, k) => k % 1000 >= 900))
  expect(Math.abs(Math.log(ends(run.kinetic) / ends(fading.kinetic)))).toBeLessThan(Math.log(2))
})

test.each([1, 2, 3])(
  'the block under forces, seed %i: with the LCP it is 1.5e-4 m deep in the mean, as the paper has it, at most',
  (seed) => {
    const { depth } = perturbedBlock('lcp', seed)
    expect(depth.reduce((sum, value) => sum + value, 0) / depth.length).toBeLessThan(1.5e-4)
  },
)

test('what a judgement compares can fail: figures that neither the paper nor the gains have are not reproduced', () => {
  expect(besideAlgebra(5.9e-3, 2.6e-2, 2.6e-2)).toBe('cannot follow')
  expect(besideAlgebra(5.9e-3, 6e-3, 2.6e-2)).toBe('reproduced')
  expect(besideAlgebra(5.9e-3, 1.2e-2, 2.6e-2)).toBe('not reproduced')
  expect(besideAlgebra(5.9e-3, 1.2e-2, 5.9e-3)).toBe('not reproduced')
  expect(energyJudgement(1e-6, 1e-4, 1e-4)).toBe('reproduced')
  expect(energyJudgement(5e-5, 1e-4, 1e-4)).toBe('order reproduced')
  expect(energyJudgement(1.5e-4, 1e-4, 1e-4)).toBe('cannot follow')
  expect(energyJudgement(3e-4, 1e-4, 1e-4)).toBe('not reproduced')
  expect(lcpJudgement(1.5e-4, 1e-2)).toBe('reproduced')
  expect(lcpJudgement(1.6e-4, 1e-2)).toBe('order reproduced')
  expect(lcpJudgement(1.5e-4, 1e-3)).toBe('not reproduced')
})

describe('the whole, made small', () => {
  let reproduction: Reproduction
  beforeAll(() => {
    reproduction = reproduceDrumwright({ seeds: 2, bodies: 6, settle: 1, watch: 0.5 })
  }, 120_000)

  test('every claim of section IV is judged beside the number of the paper', () => {
    const where = reproduction.claims.map(({ where }) => where)
    for (const figure of ['Figure 7', 'Figure 8', 'Figure 10', 'Figure 11', 'Figure 13', 'Equation 3', 'Section IV-D'])
      expect(where).toContain(figure)
    expect(reproduction.figures.map(({ id }) => id)).toEqual(['6', '8', '9', '10', '11'])
  })

  test('each judgement is what its figures say', () => {
    const judged = reproduction.claims.map(({ where, claim, judgement }) => [where, claim.slice(0, 26), judgement])
    // but for computing times, which are the machine's, and the pile, which is not at rest after a second
    expect(judged.filter(([where]) => where !== 'Section IV-D' && where !== 'Figure 13')).toEqual([
      ['Figure 7', 'depth after 300 and after ', 'reproduced'],
      ['Figure 8', 'kinetic energy of the bloc', 'reproduced'],
      ['Equation 3', 'depth after 10 s, penalty', 'reproduced'],
      ['Figure 10', 'kinetic energy at the end ', 'order reproduced'],
      ['Figure 11', 'mean penetration of severa', 'cannot follow'],
      ['Figure 11', 'mean penetration of the de', 'cannot follow'],
      ['Figure 11', 'mean penetration with the ', 'reproduced'],
    ])
  })

  test('both robots go all 2,500 steps with the LCP, with ten points a wheel at most and an answer at every step', () => {
    const runs = reproduction.robots.filter(({ model }) => model === 'lcp')
    expect(runs.map(({ robot, failures }) => [robot, failures])).toEqual([
      ['diffdrive', 0],
      ['humanoid', 0],
    ])
    for (const { pointsPerBody } of runs) {
      expect(pointsPerBody).toBeGreaterThan(0)
      expect(pointsPerBody).toBeLessThanOrEqual(10)
    }
  })

  test('figure 6: the integral under a constant depth is d (1 - lambda^t) / (1 - lambda)', () => {
    const [{ curves }] = reproduction.figures
    const depths = [0.02, 0.05, 0.1, 0.2]
    curves.forEach(({ y }, k) => {
      y.forEach((value, t) => {
        expect(value).toBeCloseTo((depths[k] * (1 - 0.85 ** t)) / 0.15, 12)
      })
    })
  })

  test('the report shows every finding and asks no server for anything', () => {
    const html = reportOfDrumwright(reproduction, 'npx featherbed reproduce drumwright')
    for (const { where } of reproduction.claims) expect(html).toContain(where)
    expect(html).toContain('6 bodies: boxes')
    expect(html).not.toMatch(/(src|href)="https?:/)
    expect(html.match(/<svg /g)?.length).toBeGreaterThanOrEqual(5)
  })
})

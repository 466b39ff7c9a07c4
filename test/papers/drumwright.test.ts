import { beforeAll, describe, expect, test } from 'vitest'
import { fittedOrder } from '../../cases/papers/baraff/numerics.ts'
import {
  fadingPushes,
  penetratingBlock,
  perturbedBlock,
  pushedSteps,
  staticDepth,
  worldOf,
} from '../../cases/papers/drumwright/block.ts'
import { bottomPoints, testForces } from '../../cases/papers/drumwright/complexity.ts'
import {
  besideAlgebra,
  energyJudgement,
  lcpJudgement,
  type Reproduction,
  ratioJudgement,
  reproduceDrumwright,
  stagesClaims,
} from '../../cases/papers/drumwright/experiments.ts'
import { better, type GainTrial, sensitivity, trial } from '../../cases/papers/drumwright/gains.ts'
import { chainInMotion, JointMultipliers, multiplierClaim, multipliersOf } from '../../cases/papers/drumwright/multipliers.ts'
import { graze, plank } from '../../cases/papers/drumwright/points.ts'
import { carriedDepth, rest } from '../../cases/papers/drumwright/related.ts'
import { reportOfDrumwright } from '../../cases/papers/drumwright/report.ts'
import {
  columnStands,
  explicitBound,
  type LargestStep,
  restDepths,
  type StackGains,
  stack,
  stackJudgement,
  standsByItsSprings,
} from '../../cases/papers/drumwright/stacks.ts'
import { median } from '../../compare/measure/statistics.ts'
import { daily, full } from '../dailyModels.ts'

/*
 * Drumwright, A Fast and Stable Penalty Method for Rigid Body Simulation (2008), section IV, with the gains that it states.
 */
describe('the block that penetrates a plane', () => {
  const seeds = daily(
    Array.from({ length: 10 }, (_, k) => k + 1),
    2,
  )

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

describe('multipliers of joints in maximal coordinates', () => {
  test('a tree that branches: accelerations of aba, and the joint forces of rnea', () => {
    const { model, state, data } = chainInMotion(9, [0, 1, 2, 2, 4, 1, 6, 7, 7])
    const joints = new JointMultipliers(model, data)
    const right = joints.load(state)
    const x = joints.solve(right)
    expect(joints.residual(x, right)).toBeLessThan(1e-13)
    for (let i = 1; i < model.nb; i++) {
      const force = joints.transmitted(x, i)
      for (let d = 0; d < 6; d++) {
        expect(x[joints.first(i) + d]).toBeCloseTo(data.A[i][d], 9)
        expect(force[d]).toBeCloseTo(data.F[i][d], 9)
      }
    }
  })

  test('the multiply-adds of a chain grow by the same with every link, those of the factor of M do not', () => {
    const [eight, sixteen, more] = [8, 16, 32].map(multipliersOf)
    const added = sixteen.multipliers.count - eight.multipliers.count
    expect(more.multipliers.count - sixteen.multipliers.count).toBe(2 * added)
    expect(more.factor.count / sixteen.factor.count).toBeGreaterThan(3.5)
    expect(multiplierClaim([8, 16]).judgement).toBe('reproduced')
  })
})

test('the block under forces is pressed deeper while one acts', () => {
  const { depth } = perturbedBlock('penalty', 1)
  const free = depth[999]
  const pressed = depth[pushedSteps - 1]
  expect(pressed).toBeGreaterThan(depth[0])
  expect(free).toBeLessThan(pressed)
})

test.each(daily([1, 2, 3], 1))(
  'the block under forces, seed %i: the gains alone tell its depth and its energy when it is free',
  (seed) => {
    const [run, fading] = [perturbedBlock('penalty', seed), fadingPushes('penalty', seed)]
    const mean = (x: Float64Array) => x.reduce((sum, value) => sum + value, 0) / x.length
    // the corners that lift under a force near the edge
    expect(Math.abs(mean(run.depth) / mean(fading.depth) - 1)).toBeLessThan(0.03)
    const ends = (x: Float64Array) => median(x.filter((_, k) => k % 1000 >= 900))
    expect(Math.abs(Math.log(ends(run.kinetic) / ends(fading.kinetic)))).toBeLessThan(Math.log(2))
  },
)

test.each(daily([1, 2, 3], 1))(
  'the block under forces, seed %i: with the LCP it is 1.5e-4 m deep in the mean, as the paper has it, at most',
  (seed) => {
    const { depth } = perturbedBlock('lcp', seed)
    expect(depth.reduce((sum, value) => sum + value, 0) / depth.length).toBeLessThan(1.5e-4)
  },
)

test.runIf(full)(
  'the block under forces lies flat, and bears on its corners whether its faces have Steiner points or not',
  () => {
    const [corners, steiner] = (['penalty', 'steiner'] as const).map((method) => perturbedBlock(method, 1))
    steiner.depth.forEach((depth, k) => {
      expect(Math.abs(depth - corners.depth[k])).toBeLessThan(1e-6)
    })
  },
)

test('what a judgement compares can fail: figures that neither the paper nor the gains have are not reproduced', () => {
  expect(besideAlgebra(5.9e-3, 2.6e-2, 2.6e-2)).toBe('cannot follow')
  expect(besideAlgebra(5.9e-3, 6e-3, 2.6e-2)).toBe('reproduced')
  expect(besideAlgebra(5.9e-3, 1.2e-2, 2.6e-2)).toBe('not reproduced')
  expect(besideAlgebra(5.9e-3, 1.2e-2, 5.9e-3)).toBe('not reproduced')
  expect(energyJudgement([0.009, 0.001], [0, 0.01])).toBe('reproduced')
  expect(energyJudgement([0.9, 0.001], [0, 0.01])).toBe('not reproduced')
  expect(energyJudgement([0.05, 1], [0.1, 10])).toBe('not reproduced')
  expect(ratioJudgement([0.09, 0.01], 0.1)).toBe('reproduced')
  expect(ratioJudgement([0.11, 0.01], 0.1)).toBe('order reproduced')
  expect(ratioJudgement([1.1, 0.01], 0.1)).toBe('not reproduced')
  expect(lcpJudgement(1.5e-4, 1e-2)).toBe('reproduced')
  expect(lcpJudgement(1.6e-4, 1e-2)).toBe('order reproduced')
  expect(lcpJudgement(1.5e-4, 1e-3)).toBe('not reproduced')
})

test('figure 8, 50 kg: the energy of several points is not a tenth of that of one, and above it with seed 5', () => {
  const ratio = (seed: number) => {
    const [several, one] = (['penalty', 'penalty-deepest'] as const).map((method) =>
      median(penetratingBlock(method, seed, 3000, 50).kinetic.slice(-1000)),
    )
    return several / one
  }
  expect(ratio(2)).toBeGreaterThan(0.1)
  expect(ratio(5)).toBeGreaterThan(1)
})

test('section IV-A: the energy on one point stays near m (g h)² / 2, whatever the gains; the depth follows kp + ki / (1 - lambda)', () => {
  const stated = trial({ kp: 6000, kv: 3000, ki: 200 }, 1)
  const stiff = trial({ kp: 6000, kv: 3000, ki: 2000 }, 1)
  const soft = trial({ kp: 60, kv: 300, ki: 200 }, 1)
  const popping = trial({ kp: 60_000, kv: 3000, ki: 200 }, 1)
  const floor = 0.5 * 10 * 9.8e-3 ** 2
  for (const { energy } of [stated, stiff, soft, popping]) {
    expect(energy).toBeGreaterThan(floor / 4)
    expect(energy).toBeLessThan(floor)
  }
  expect(stated.depth / stiff.depth).toBeGreaterThan(2)
  expect([stated.off, stiff.off, soft.off]).toEqual([0, 0, 0])
  expect(popping.off).toBeGreaterThan(100)
  expect(trial({ kp: 6000, kv: 30_000, ki: 200 }, 1).energy).toBeGreaterThan(1)
  const { own, energy, depth, both } = better([stated, stiff, soft, popping])
  expect([own, energy, depth, both]).toEqual([stated, [], [stiff], []])
  const quieter: GainTrial = { ...stiff, energy: 0.4 * stated.energy }
  expect(better([stated, quieter]).both).toEqual([quieter])
})

test('section III-C: d ln depth / d ln kp is -kp / (kp + ki / (1 - lambda)), and -1 without the integral; of the rate, their opposites', () => {
  for (const [ki, law] of [
    [100, 5000 / (5000 + 100 / 0.15)],
    [0, 1],
  ]) {
    const { depth, rate } = sensitivity(ki)
    expect(Math.abs(depth + law)).toBeLessThan(1e-3)
    // of two poles: the slow one is off kp / kv by m kp / kv², 1 %
    expect(Math.abs(rate - law)).toBeLessThan(0.02)
  }
})

test('section IV-B: the Runge-Kutta step under the LCP is of order 4', () => {
  expect(stagesClaims([0.04, 0.02]).map(({ judgement }) => judgement)).toEqual(['reproduced', 'not reproduced'])
})

test('appendix I-A: a plank across another bears on Steiner points in the middles of the sides of the square, not on its corners', () => {
  for (const points of ['bottom', 'steiner'] as const) {
    const { load, off, rests } = plank(points, 0)
    expect(Math.abs(load - 1)).toBeLessThan(1e-9)
    expect(off).toBeLessThan(1e-9)
    expect(rests).toBe(true)
  }
  // 7 cm along both axes: within the square of 10 cm, outside of |x| + |y| = 10 cm
  expect(plank('bottom', 0.07).rests).toBe(true)
  expect(plank('steiner', 0.07).rests).toBe(false)
  expect(plank('steiner', 0.03).rests).toBe(true)
})

test('appendix I-A: a cube on its corner bears on Steiner points of its faces as well, flat on its four corners alone', () => {
  const points = (method: 'penalty' | 'steiner', height: number, quaternion?: [number, number, number, number]) => {
    const world = worldOf(method, 10, height, { quaternion })
    world.step()
    return world.contacts.count
  }
  // x, y, z of the corner all along the vertical: turned by acos(1 / sqrt 3) about (1, -1, 0)
  const half = Math.acos(1 / Math.sqrt(3)) / 2
  const upright = [Math.sin(half) / Math.sqrt(2), -Math.sin(half) / Math.sqrt(2), 0, Math.cos(half)] as [
    number,
    number,
    number,
    number,
  ]
  expect(points('penalty', Math.sqrt(3) / 2 - 0.3, upright)).toBe(1)
  expect(points('steiner', Math.sqrt(3) / 2 - 0.3, upright)).toBeGreaterThan(3)
  expect(points('penalty', 0.49)).toBe(4)
  expect(points('steiner', 0.49)).toBe(4)
})

test('a graze within one step is no contact for springs, whatever ccd does; one of several steps is, and has its impulse by its time of contact', () => {
  for (const method of ['penalty-deepest', 'penalty'] as const) {
    for (const ccd of [false, true, 'time-of-contact'] as const) expect(graze(method, 50, ccd)).toBe(0)
    expect(graze(method, 5, false)).toBeGreaterThan(0.8)
    expect(Math.abs(graze(method, 5, 'time-of-contact') - 1)).toBeLessThan(1e-4)
  }
  expect(graze('lcp', 50, false)).toBeGreaterThan(0.5)
})

test('a column of blocks on springs stands up to the stiffness of Greenhill’s column, k = m g height n³ / 7.84, in the limit of many', () => {
  const n = 200
  const stands = (k: number) => columnStands(Array<number>(n).fill(1), Array<number>(n).fill(k), 1)
  const greenhill = n ** 3 / 7.8373
  expect(stands(0.98 * greenhill)).toBe(false)
  expect(stands(1.02 * greenhill)).toBe(true)
  // one block on its spring: k against m g height / 2
  expect(columnStands([1], [0.49], 1)).toBe(false)
  expect(columnStands([1], [0.51], 1)).toBe(true)
})

test('by the paper’s gains at most two equal cubes stand, and four by those of its block', () => {
  const most = (gains: StackGains) =>
    [1, 2, 3, 4, 5, 10, 20].filter((boxes) => standsByItsSprings({ boxes, load: 'equal', gains })).pop()
  expect([most('rule'), most('block')]).toEqual([2, 4])
})

describe('growth', () => {
  test('of test forces: with the joints, with contacts that are few beside them, and with their square where they are many', () => {
    const of = (x: readonly number[], sizes: readonly (readonly [number, number])[]) => fittedOrder(x, testForces(sizes).count)
    expect(of([16, 64], [[16, 1], [64, 1]])).toBeCloseTo(1, 1) // biome-ignore format: short
    expect(of([4, 16], [[64, 4], [64, 16]])).toBeLessThan(1.1) // biome-ignore format: short
    expect(of([128, 256], [[8, 128], [8, 256]])).toBeGreaterThan(1.8) // biome-ignore format: short
  })

  test.each(['cloud', 'bowl'] as const)('of the choice of points on the bottom of a %s: no faster than N lg N', (kind) => {
    const sizes = [64, 1024]
    expect(fittedOrder(sizes.map((n) => n * Math.log2(n)), bottomPoints(kind, sizes).count)).toBeLessThan(1) // biome-ignore format: short
  })
})

describe.runIf(full)('the whole, made small', () => {
  let reproduction: Reproduction
  beforeAll(() => {
    reproduction = reproduceDrumwright({ seeds: 2, scanSeeds: 1, bodies: 6, settle: 1, watch: 0.5, boxes: 2 })
  })

  test('every claim of section IV is judged beside the number of the paper', () => {
    const where = reproduction.claims.map(({ where }) => where)
    for (const figure of ['Figure 7', 'Figure 8', 'Figure 10', 'Figure 11', 'Figure 13', 'Equation 3', 'Section IV-D'])
      expect(where).toContain(figure)
    expect(reproduction.figures.map(({ id }) => id)).toEqual(['6', '8', '9', '10', '11', 'stacks', 'contacts'])
  })

  test('each judgement is what its figures say', () => {
    const judged = reproduction.claims.map(({ where, claim, judgement }) => [where, claim.slice(0, 26), judgement])
    // but for computing times, which are the machine's, and the pile, which is not at rest after a second
    expect(judged.filter(([where]) => where !== 'Section IV-D' && where !== 'Figure 13')).toEqual([
      ['Figure 7', 'depth after 300 and after ', 'reproduced'],
      ['Figure 8', 'kinetic energy of the bloc', 'order reproduced'],
      ['Figure 9', 'mean depth of the block of', 'cannot follow'],
      ['Figure 7', 'depth after 300 and after ', 'reproduced'],
      ['Figure 8', 'kinetic energy of the bloc', 'not reproduced'],
      ['Figure 9', 'mean depth of the block of', 'cannot follow'],
      ['Equation 3', 'depth after 10 s, penalty', 'reproduced'],
      ['Section III-C', 'd ln depth / d ln kp and d', 'reproduced'],
      ['Section III-C', 'depth at rest with a quart', 'cannot follow'],
      ...[10, 50].flatMap(() => [
        ['Section IV-A', 'kinetic energy on the deep', 'reproduced'],
        ['Section IV-A', 'penetration on the deepest', 'not reproduced'],
      ]),
      ...[10, 50].flatMap(() => [
        ['Figure 10', 'kinetic energy at the end ', 'not reproduced'],
        ['Figure 10', 'kinetic energy at the end ', 'not reproduced'],
        ['Figure 11', 'mean penetration of severa', 'cannot follow'],
        ['Figure 11', 'mean penetration of the de', 'not reproduced'],
        ['Figure 11', 'mean penetration with the ', 'reproduced'],
      ]),
      ['Section IV-B', 'order in the step of a sli', 'reproduced'],
      ['Section IV-B', 'order in the step of a sli', 'not reproduced'],
      ['Appendix I-A', 'planks of 20 cm across eac', 'not reproduced'],
      ['Equations 1 to 3', 'share of the impulse of a ', 'reproduced'],
      ['Section III-B', 'stacks of cubes of 1 m and', 'cannot follow'],
      ['Section III-B', 'the same by the gains of t', 'cannot follow'],
      ['Section III-B', 'equal stacks that settle w', 'cannot follow'],
      ['Section III-B', 'the same stacks by the gai', 'order reproduced'],
      ['Section IV-C', 'the largest step, of 2/n, ', 'not reproduced'],
      ['Footnote 2 (Hahn)', 'a cube at rest whose conta', 'reproduced'],
      ['Appendix I (Fisher and Lin)', 'depth in a stretched ball ', 'reproduced'],
      ['Section II-B', 'multiply-adds of the multi', 'reproduced'],
      ['Section II-B', 'multiply-adds of the matri', 'order reproduced'],
      ['Section III-A', 'what the choice of the poi', 'reproduced'],
    ])
  })

  test('a stack settles at the depth that its gains ask for, or falls where they ask for what cannot stand', () => {
    const { runs } = reproduction.stacks
    const three = stack({ boxes: 3, load: 'equal', gains: 'rule', integral: true, dt: 1e-3 })
    const printed = [...runs.filter(({ gains }) => gains === 'rule' || gains === 'block'), three]
    const stands = printed.filter(({ outcome }) => outcome === 'settled')
    expect(stands.map(({ gains, load, boxes, integral }) => [gains, load, boxes, integral])).toEqual([
      ['rule', 'equal', 2, true],
      ['rule', 'heavy below', 2, true],
      ['block', 'equal', 2, true],
      ['rule', 'equal', 2, false],
      ['block', 'equal', 2, false],
    ])
    for (const run of stands) expect(Math.abs(run.depth / Math.max(...restDepths(run)) - 1)).toBeLessThan(0.02)
    expect(three.outcome).toBe('off its place')
    expect(stackJudgement(printed)).toBe('cannot follow')
    expect(stackJudgement(stands)).toBe('reproduced')
    expect(stackJudgement(printed.map((run) => ({ ...run, outcome: 'moving' })))).toBe('not reproduced')
    expect(runs.filter(({ gains }) => gains === 'physical').map(({ outcome }) => outcome)).toEqual(Array(3).fill('settled'))
  })

  test('the largest explicit step of a stack is that which its dampers allow, of steps each half of the last', () => {
    const { dt } = reproduction.stacks.largest.find(({ gains, boxes }) => gains === 'block' && boxes === 2) as LargestStep
    expect(dt).toBeLessThan(explicitBound(2))
    expect(2 * dt).toBeGreaterThan(explicitBound(2))
  })

  test('both robots go all 2,500 steps with the LCP, with ten points a wheel and an answer at every step', () => {
    const runs = reproduction.robots.filter(({ method, pointsPerWheel }) => method !== 'penalty' && pointsPerWheel === 10)
    expect(runs.map(({ robot, method, failures, pointsPerBody }) => [robot, method, failures, pointsPerBody])).toEqual(
      ['diffdrive', 'humanoid'].flatMap((robot) =>
        ['lcp, warm', 'lcp, cold', 'lcp, cold, friction'].map((method) => [robot, method, 0, 10]),
      ),
    )
    // Murty's method answers every problem, with friction in turn with normal forces
    for (const { answered } of runs) expect(answered).toBe(1)
  })

  test('of work that is counted, the LCP from nothing takes more the more contacts a wheel has', () => {
    for (const robot of ['diffdrive', 'humanoid']) {
      const own = reproduction.robots.filter((run) => run.robot === robot && run.method === 'lcp, cold')
      const work = [2, 6, 10].map((points) => own.find(({ pointsPerWheel }) => pointsPerWheel === points)?.work ?? 0)
      expect(work[1]).toBeGreaterThan(work[0])
      expect(work[2]).toBeGreaterThan(work[1])
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
    expect(html).toContain('ki = 2000: kp, then kv')
    expect(html).not.toMatch(/(src|href)="https?:/)
    expect(html.match(/<svg /g)?.length).toBeGreaterThanOrEqual(5)
  })
})

describe('what Drumwright names beside his own method', () => {
  test('a cube whose contacts are collisions alone sinks with g h / (1 + e)', () => {
    for (const e of [0, 0.5, 1]) expect(rest(e).sunk / (9.8e-3 / (1 + e))).toBeCloseTo(1, 2)
  })

  test('a distance field that a stretch of 10 % carries along errs by less than the strain, by its square if divided by its gradient', () => {
    const { carried, scaled } = carriedDepth(1.1)
    expect(carried).toBeGreaterThan(0.01)
    expect(carried).toBeLessThan(0.1)
    expect(scaled).toBeLessThan(1e-3)
  })
})

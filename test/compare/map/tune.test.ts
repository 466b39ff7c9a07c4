import { describe, expect, test } from 'vitest'
import { checkScenario, type RawScenario } from '../../../compare/scenario/index.ts'
import { prepareWorld, type RobotCache, subjectsOf } from '../../../compare/scenario/world/files.ts'
import { Grid } from '../../../compare/studies/grid.ts'
import { type GainFigure, MOST_RUNS, searched, type TuneResult, tuneOf } from '../../../compare/studies/tune.ts'
import { TestForceMatrix } from '../../../contact/index.ts'
import { createControllerLoop, defaultControllerFor } from '../../../control/index.ts'
import { loadOwnRobot, type OwnRobot } from '../../../robots/files.ts'
import { World } from '../../../simulation/index.ts'
import { whole } from '../../dailyModels.ts'
import { dataAt, filled } from '../../dynamics/at.ts'

async function tuned(raw: RawScenario, name: 'penalty' | 'penalty-deepest' = 'penalty'): Promise<TuneResult> {
  const scenario = await checkScenario({ dt: 1e-3, duration: 0.3, models: [name], ...raw })
  const robots: RobotCache = new Map()
  const [robot] = subjectsOf(scenario)
  const prepared = await prepareWorld(scenario, robot, robots)
  const grid = new Grid({ patience: scenario.patience, threads: 0, robots })
  return tuneOf(scenario, robot, { model: scenario.models[0], prepared, grid })
}

const sphere = { type: 'sphere', radius: 0.1 }
const crate = { type: 'box', size: [0.2, 0.2, 0.1] }
const body = (shape: object, height: number, name = 'body') => ({ name, shape, mass: 2, position: [0, 0, height] })

describe('the ultimate gain of a free body on one pair of shapes', () => {
  // |R(i w h)| = 1 of RK4 at (w h)² = 8, R = -1/3 - i sqrt(8/9); the four corners of the box share the one spring of their pair
  for (const [name, shape, height, dt] of [
    ['ball', sphere, 0.1, 1e-3],
    ['box', crate, 0.05, 5e-3],
  ] as const) {
    test(`under rk4 is 8 m / h² and its period 2 pi h / acos(-1/3): a ${name} at ${dt * 1e3} ms`, async () => {
      const { ultimate } = await tuned({ bodies: [body(shape, height)], integrator: 'rk4', dt, duration: 0.1 })
      expect(ultimate).toHaveLength(1)
      const [{ kp, period_s, theory, beyond }] = ultimate
      const exact = (8 * 2) / dt ** 2
      expect(beyond).toBe(false)
      expect((theory as number) / exact).toBeCloseTo(1, 8)
      expect(Math.abs((kp as number) / exact - 1)).toBeLessThan(0.02) // that of the bisection
      // just below the limit it turns a little faster: by 3 % at 2 %
      expect(Math.abs((period_s as number) / ((2 * Math.PI * dt) / Math.acos(-1 / 3)) - 1)).toBeLessThan(0.04)
    })
  }

  test('does not exist under the semi-implicit step, which takes the spring at its end', async () => {
    const { ultimate, integrator } = await tuned({ bodies: [body(sphere, 0.1)], duration: 0.1 })
    expect(integrator).toBe('semi-implicit-euler')
    expect(ultimate[0]).toMatchObject({ integrator, beyond: true, period_s: null, theory: null })
    expect(ultimate[1]).toMatchObject({ integrator: 'rk4', beyond: false })
  })

  test('of a box on its deepest point alone is not that of one spring: it chatters from corner to corner long before', async () => {
    const { ultimate } = await tuned({ bodies: [body(crate, 0.05)], integrator: 'rk4', duration: 0.1 }, 'penalty-deepest')
    const [{ kp, theory }] = ultimate
    expect(kp as number).toBeLessThan(0.25 * (theory as number))
  })
})

/**
 * Of a robot that stands on springs kp, each shared among the r points of its pair: 1 over the largest eigenvalue of R^-1/2 W R^-1/2, W the
 * Delassus matrix of the normals [kg]. By power iteration.
 */
function massOnSprings(name: OwnRobot): number {
  const robot = loadOwnRobot(name)
  const controller = createControllerLoop(defaultControllerFor(robot), robot)
  const world = new World({ robot, controller, contactModel: 'penalty', dt: 1e-3 })
  for (let n = 0; n < 30; n++) world.step()
  const { model, state, contacts } = world
  const data = dataAt(model, state)
  const touching = Array.from({ length: contacts.count }, (_, i) => i).filter((i) => contacts.gap[i] < 0)
  const points = touching.map((i) => touching.filter((j) => contacts.pair[j] === contacts.pair[i]).length)
  const m = touching.length
  const matrix = new TestForceMatrix(model)
  matrix.begin(data, new Float64Array(model.nv))
  for (const i of touching) matrix.addForce(contacts.bodyA[i], contacts.bodyB[i], contacts.point, i, contacts.normal, i)
  const W = filled(m * m, (out) => matrix.build(out))
  let x = points.map((_, i) => Math.sqrt(i + 1))
  let largest = 0
  for (let k = 0; k < 1000; k++) {
    const y = x.map((_, i) => x.reduce((sum, xj, j) => sum + (W[i * m + j] * xj) / Math.sqrt(points[i] * points[j]), 0))
    largest = Math.hypot(...y)
    x = y.map((yi) => yi / largest)
  }
  return 1 / largest
}

test.each(['diffdrive', 'humanoid'] as const)(
  'the ultimate gain of the %s under rk4 without friction is 8 / (h² times the largest eigenvalue of W)',
  async (name) => {
    const { ultimate } = await tuned({ robots: [name], integrator: 'rk4', duration: 0.05, physical: { friction: 0 } })
    expect(Math.abs((ultimate[0].kp as number) / (8e6 * massOnSprings(name)) - 1)).toBeLessThan(0.02) // that of the bisection
  },
)

whole('rules of a robot have costs, the mass rule the most, and the search is no worse than any, twice the same', async () => {
  const result = await tuned({ robots: ['diffdrive'] })
  const { rules, search, kass } = result
  expect(rules.map(({ rule }) => rule)).toEqual(['physical', 'mass rule', 'Ziegler-Nichols PD', 'Ziegler-Nichols PID'])
  const costs = rules.map(({ cost }) => cost as number)
  for (const { cost, depthMax_m, motion } of rules)
    expect(cost).toBeCloseTo((depthMax_m as number) / 1e-3 + (motion as number) / 0.01, 9)
  expect(Math.max(...costs)).toBe(costs[1]) // 100 m of a spring under the weight sinks by g / 100, 9.8 cm
  expect(search.springAndDamper?.cost as number).toBeLessThanOrEqual(Math.min(...costs))
  expect(search.found?.cost as number).toBeLessThanOrEqual(search.springAndDamper?.cost as number)
  expect(search.runs).toBeLessThanOrEqual(MOST_RUNS[1])
  expect(kass).toEqual({ bodies: 1, largest_s: 1 })
  expect(JSON.stringify(await tuned({ robots: ['diffdrive'] }))).toBe(JSON.stringify(result))
})

whole("Kass's bound is one over the height of the highest stack", async () => {
  const stack = [0, 1, 2].map((i) => body(crate, 0.05 + 0.1 * i, `box${i}`))
  const beside = { ...body(crate, 0.05, 'beside'), position: [1, 0, 0.05] }
  const { kass } = await tuned({ bodies: [...stack, beside], duration: 0.1, dt: 5e-3 })
  expect(kass).toEqual({ bodies: 3, largest_s: 1 / 3 })
})

whole("within Kass's bound of 0.2 s five boxes on springs for their weight fail under rk4, at a twentieth of it", async () => {
  const stack = [0, 1, 2, 3, 4].map((i) => ({
    ...body({ type: 'box', size: [0.2, 0.2, 0.2] }, 0.1 + 0.2 * i, `box${i}`),
    mass: 1,
  }))
  const { kass, rules } = await tuned({ bodies: stack, integrator: 'rk4', dt: 1e-2, duration: 2 })
  expect(kass).toEqual({ bodies: 5, largest_s: 0.2 })
  expect(rules[0]).toMatchObject({ rule: 'physical', holds: false, cost: null })
})

whole('there is no ultimate gain of what touches nothing in its first 500 steps, and so no rule from it', async () => {
  const { ultimate, rules } = await tuned({ bodies: [body(sphere, 0.25)], dt: 2e-4, duration: 0.3 })
  expect(ultimate).toEqual([])
  expect(rules.map(({ rule }) => rule)).toEqual(['physical', 'mass rule'])
})

test('where nothing touches there are no gains to find', async () => {
  await expect(tuned({ bodies: [body(sphere, 9)], duration: 0.1 })).rejects.toThrow('nothing touches anything')
})

describe('the search', () => {
  const log2 = (x: unknown) => Math.log2(x as number)
  /** Figures of least cost at kp 2^20, kv 2^10, ki 2^14 and a memory of 2^5 steps; without an integral 30 more. */
  const figureOf = ({ options }: { options: Record<string, unknown> }) => {
    const { kp, kv, ki, lambda, integral } = options
    const ofSum = integral ? (log2(ki) - 14) ** 2 + (-log2(1 - (lambda as number)) - 5) ** 2 : 30
    const cost = 1 + (log2(kp) - 20) ** 2 + (log2(kv) - 10) ** 2 + ofSum
    return { rule: '', options, kp, kv, ki: integral ? ki : null, lambda: integral ? lambda : null, cost } as GainFigure
  }
  const search = (options: Record<string, unknown>) =>
    searched([figureOf({ options })], async (rules) => rules.map((rule) => figureOf(rule)))

  test('finds the least of a quadratic cost in all four gains, and over kp and kv alone that of those two', async () => {
    const start = { kp: 2 ** 15, kv: 2 ** 12, ki: 2 ** 10, lambda: 0.875, integral: true }
    const { springAndDamper, found, runs } = await search(start)
    expect(springAndDamper).toMatchObject({ kp: 2 ** 20, kv: 2 ** 10, ki: 2 ** 10, lambda: 0.875, cost: 1 + 4 ** 2 + 2 ** 2 })
    expect(found).toMatchObject({ kp: 2 ** 20, kv: 2 ** 10, ki: 2 ** 14, lambda: 1 - 1 / 32, cost: 1 })
    expect(runs).toBeLessThanOrEqual(MOST_RUNS[1])
  })

  test('tries an integral where the best rule has none', async () => {
    const { springAndDamper, found } = await search({ kp: 2 ** 18, kv: 2 ** 10, ki: 0, integral: false })
    expect(springAndDamper).toMatchObject({ kp: 2 ** 20, kv: 2 ** 10, lambda: null, cost: 31 })
    // its axes begin at ki = kp / 50 and lambda = 0.85, and steps end at a quarter
    expect(found?.cost as number).toBeLessThan(1 + 4 * 0.125 ** 2)
  })

  test('returns the rule itself where its gains as numbers for all pairs cost more', async () => {
    const rule = { ...figureOf({ options: { kp: 1, kv: 1, integral: false } }), cost: 0.5 }
    const { found, springAndDamper } = await searched([rule], async (rules) => rules.map((one) => figureOf(one)))
    expect([found, springAndDamper]).toEqual([rule, rule])
  })
})

import { describe, expect, test } from 'vitest'
import { errorsOf } from '../../../compare/judge/reference.ts'
import { stanceOf } from '../../../compare/measure/stance.ts'
import { doJob } from '../../../compare/run/run.ts'
import { checkScenario, type RawScenario } from '../../../compare/scenario/index.ts'
import { prepareWorld, type RobotCache, subjectsOf } from '../../../compare/scenario/world/files.ts'
import { predictabilityPage, sensitivityPage, transferPage } from '../../../compare/studies/charts.ts'
import { domainInputsOf } from '../../../compare/studies/domain.ts'
import { Grid } from '../../../compare/studies/grid.ts'
import { predictabilityOf } from '../../../compare/studies/predictability.ts'
import { sensitivityOf } from '../../../compare/studies/sensitivity.ts'
import { transferOf } from '../../../compare/studies/transfer.ts'
import { type ControllerLoop, delayed } from '../../../control/index.ts'
import { whole } from '../../dailyModels.ts'
import { blockUrdf, temporaryFolder } from '../command.ts'

const folder = temporaryFolder()

async function opened(raw: RawScenario) {
  const scenario = await checkScenario(raw)
  const robots: RobotCache = new Map()
  const [robot] = subjectsOf(scenario)
  const prepared = await prepareWorld(scenario, robot, robots)
  return { scenario, robot, prepared, grid: new Grid({ patience: scenario.patience, threads: 0, robots }) }
}

/** A rod of 80 cm that stands on a hinge: theta'' = 3 g / (4 l) sin(theta), l being half its length. */
const rod = () =>
  folder.write(
    'rod.urdf',
    '<robot name="rod"><link name="world"/><link name="rod"><inertial><origin xyz="0 0 0.4"/><mass value="2"/><inertia ixx="0.10667" iyy="0.10667" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>' +
      '<joint name="hinge" type="continuous"><parent link="world"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>',
  )

test('sensitivity: how far a block slides hangs on friction and not on its mass', async () => {
  const { scenario, robot, ...rest } = await opened({
    bodies: [
      {
        name: 'block',
        shape: { type: 'box', size: [0.3, 0.3, 0.1] },
        mass: 2,
        position: [0, 0, 0.05],
        linearVelocity: [1, 0, 0],
      },
    ],
    models: ['stewart-trinkle', 'penalty'],
    dt: 5e-3,
    duration: 0.3,
  })
  const result = await sensitivityOf(scenario, robot, { part: 0.1, ...rest })
  for (const { model, rows } of result.models) {
    expect(rows[0].input).toBe('friction')
    // it stops after v² / (2 mu g), a tenth farther by and by
    expect(rows[0].less?.motion as number).toBeGreaterThan(0.05)
    expect(rows[0].less?.motion as number).toBeLessThan(0.1)
    expect(rows.map(({ input }) => input)).not.toContain('delay') // nothing is controlled
    if (model === 'stewart-trinkle') expect(rows.find(({ input }) => input === 'mass')?.more.motion).toBeLessThan(1e-6)
  }
  expect(sensitivityPage(result, 'a command')).toContain('which input matters')
})

describe('predictability', () => {
  test('of a rod that stands on its hinge is cosh(omega t)', async () => {
    const { scenario, robot, ...rest } = await opened({
      robots: [rod()],
      base: 'fixed',
      ground: false,
      controller: 'none',
      models: ['stewart-trinkle'],
      dt: 2e-3,
      duration: 1,
    })
    const [{ growth, log10, meaning }] = (await predictabilityOf(scenario, robot, rest)).spreads
    const exact = Math.cosh(Math.sqrt((3 * 9.81) / (4 * 0.4)))
    expect(Math.abs((growth as number) / exact - 1)).toBeLessThan(0.02) // the step's own error
    expect(log10).toBeCloseTo(Math.log10(growth as number), 12)
    expect(meaning).toBe('sound')
  })

  test('of a fall is 1: differences of starts stay as they are', async () => {
    const { scenario, robot, ...rest } = await opened({
      bodies: [{ name: 'ball', shape: { type: 'sphere', radius: 0.1 }, mass: 1, position: [0, 0, 9] }],
      models: ['penalty'],
      dt: 1e-2,
      duration: 0.2,
    })
    const result = await predictabilityOf(scenario, robot, rest)
    expect(result.spreads[0].growth).toBeCloseTo(1, 6)
    expect(result.spreads[0].spread[0]).toBeGreaterThan(0.5e-6)
    expect(predictabilityPage(result, 'a command')).toContain('polyline')
  })
})

describe('transfer', () => {
  /** A block that stays where friction holds it on a slope of 20 degrees, and a controller that takes periods of up to 4.1 ms. */
  const slope = () => ({
    robots: [folder.write('block.urdf', blockUrdf)],
    gravity: [9.81 * Math.sin(Math.PI / 9), 0, -9.81 * Math.cos(Math.PI / 9)],
    physical: { friction: 0.8 },
    models: ['ncp'],
    dt: 1e-3,
    duration: 0.5,
    controller: folder.write(
      'watching.mjs',
      `export default {
        rate: 1000,
        init: ({ period }) => {
          if (period > 0.0041) throw new Error('too long a period')
          return {}
        },
        update: ({ q }) => {
          if (q[0] > 1e-3) throw new Error('slips')
          return []
        },
      }`,
    ),
  })

  test('says who tracks and who breaks off', async () => {
    const hold = folder.write(
      'good.mjs',
      'export default { rate: 500, init: () => ({}), update({ q, v, target }) { target.joints[0] = 0; return [-200 * q[0] - 10 * v[0]] } }\n',
    )
    const bad = folder.write(
      'bad.mjs',
      'export default { rate: 500, init: () => ({}), update: ({ t }) => [t > 0.05 ? Number.NaN : 0] }\n',
    )
    const raw = {
      robots: [rod()],
      base: 'fixed',
      ground: false,
      start: { joints: { hinge: 0.1 } },
      models: ['stewart-trinkle', 'penalty'],
      dt: 2e-3,
      duration: 0.2,
    }
    const { robot, scenario, prepared, grid } = await opened({ ...raw, controller: hold })
    const other = await checkScenario({ ...raw, controller: bad })
    const result = await transferOf(
      new Map([
        ['good', scenario],
        ['bad', other],
      ]),
      robot,
      { prepared, grid },
    )
    expect(result.cells.map(({ controller, survives }) => [controller, survives])).toEqual([
      ['good', true],
      ['good', true],
      ['bad', false],
      ['bad', false],
    ])
    expect(result.cells[0].trackingRms_rad).toBeGreaterThan(0)
    expect(result.cells[2].failure).toContain('NaN')
    expect(transferPage(result, 'a command')).toContain('failed')
  })

  whole('searches for the friction, the step and the delay that break a controller', async () => {
    const { robot, scenario, prepared, grid } = await opened(slope())
    const { limits } = await transferOf(new Map([['watching', scenario]]), robot, { prepared, grid, limits: true })
    const [friction, step, delay] = ['friction', 'step', 'delay'].map((input) => limits.find((limit) => limit.input === input)!)
    const limit = Math.tan(Math.PI / 9) / 0.8
    expect(friction.survives).toBeGreaterThan(limit)
    expect(friction.survives).toBeLessThan(1.07 * limit)
    expect(friction.fails).toBeLessThan(1.02 * limit)
    expect(step.survives).toBeLessThan(4.1)
    expect(step.fails).toBeGreaterThan(4.1)
    expect(step.fails! / step.survives!).toBeLessThan(1.06)
    expect(delay).toMatchObject({ survives: 32, fails: null })
  })

  whole('maps the friction and the step within which a controller holds', async () => {
    const { robot, scenario, prepared, grid } = await opened(slope())
    const scenarios = new Map([['watching', scenario]])
    const { domains } = await transferOf(scenarios, robot, { prepared, grid, domain: domainInputsOf('friction,step') })
    expect(domains).toHaveLength(1)
    const [frictions, steps] = domains[0].values
    const limit = Math.tan(Math.PI / 9) / 0.8
    expect(domains[0].survives).toEqual(steps.map((step) => frictions.map((factor) => factor > limit && step < 4.1)))
    expect(domains[0].survives[0].filter((held) => held)).toHaveLength(2)
    expect(() => domainInputsOf('friction,slope')).toThrow('expected two of friction, step, delay')
  })

  test('runs each controller from as many starts as there are seeds, at each friction', async () => {
    const odd = folder.write(
      'odd.mjs',
      `export default {
        init: ({ options }) => ({ seed: options.seed }),
        update: ({ memory }) => {
          if (memory.seed % 2 === 0) throw new Error('even')
          return []
        },
      }`,
    )
    const { robot, scenario, prepared, grid } = await opened({ ...slope(), controller: odd, seeds: 5, perturb: { joints: 0.01 } })
    const result = await transferOf(new Map([['odd', scenario]]), robot, { prepared, grid, friction: [1, 0.5] })
    expect(result.cells).toMatchObject([
      { friction: 1, runs: 5, survived: 3, survives: false, ended: false },
      { friction: 0.5, runs: 5, survived: 3 },
    ])
    expect(transferPage(result, 'a command')).toContain('3 of 5')
  })

  test('a base that tilts by more than 45° from its start, or sinks below half its height, has fallen', () => {
    const turn = (angle: number) => [Math.sin(angle / 2), 0, 0, Math.cos(angle / 2)]
    const path = (angles: number[], heights: number[]) => ({
      t: angles.map((_, i) => i / 10),
      position: heights.flatMap((z) => [0, 0, z]),
      orientation: angles.flatMap(turn),
      ...{ name: '', joints: [], turns: [], angles: [], kinetic: [], potential: [], others: [] },
    })
    expect(stanceOf(path([0.2, 0.5, 0.9], [1, 1, 1]), 0)).toMatchObject({ fell: null, tilt: expect.closeTo(0.7, 12) })
    expect(stanceOf(path([0.2, 0.5, 1.1], [1, 1, 1]), 0).fell).toBe(0.2)
    expect(stanceOf(path([0, 0, 0], [1.5, 1.1, 0.9]), 0.5)).toMatchObject({ fell: 0.2, height: expect.closeTo(0.4, 12) })
  })
})

test('a delayed controller gives each effort so many periods late, a restored one too', () => {
  let count = 0
  const loop = {
    target: { joints: new Float64Array(0), base: new Float64Array(3) },
    everySteps: 1,
    start: () => {},
    tick: (_: unknown, __: unknown, tau: Float64Array) => tau.fill(++count),
    save: () => count,
    restore: (saved: unknown) => {
      count = saved as number
    },
    metrics: () => ({}),
  } as unknown as ControllerLoop
  const late = delayed(loop, 2)
  const ticks = (n: number) =>
    Array.from({ length: n }, () => {
      const tau = new Float64Array(1)
      late.tick(undefined as never, undefined as never, tau, undefined as never)
      return tau[0]
    })
  expect(ticks(4)).toEqual([1, 1, 1, 2])
  const saved = structuredClone(late.save())
  expect(ticks(2)).toEqual([3, 4])
  late.restore(saved)
  expect(ticks(2)).toEqual([3, 4])
})

test('a run for an accuracy keeps it, and is measured as any other', async () => {
  const scenario = await checkScenario({
    bodies: [{ name: 'ball', shape: { type: 'sphere', radius: 0.1 }, mass: 1, position: [0, 0, 1] }],
    physical: { restitution: 0.5 },
    models: ['stewart-trinkle'],
    duration: 0.625,
    exact: {
      x: '0',
      y: '0',
      z: 't < sqrt(1.8 / 9.81) ? 1 - 9.81 / 2 * t^2 : 0.1 + 9.81 / 2 * sqrt(1.8 / 9.81) * (t - sqrt(1.8 / 9.81)) - 9.81 / 2 * (t - sqrt(1.8 / 9.81))^2',
    },
  })
  const [model] = scenario.models
  const run = await doJob({ kind: 'run', scenario, robot: '', model, dt: 1e-3, accuracy: 1e-2 })
  const { trajectory, stepCounts, metrics } = run
  if (trajectory === null || stepCounts === null || metrics === null) throw new Error(run.failure ?? '')
  expect(errorsOf(trajectory, trajectory, { size: 0.35, weight: 9.81 }, scenario.exact).error.tracking).toBeLessThan(1e-2)
  expect(stepCounts.taken).toBe(run.steps)
  expect(metrics.impacts).toBe(1)
  expect(metrics.momentumError).toBeLessThan(1e-6)
  // a mean over time, most of which is spent in the air, and not over steps, most of which surround the impact
  expect(metrics.penetrationMean_m).toBeLessThan(1e-4)
})

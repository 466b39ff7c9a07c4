import { describe, expect, test } from 'vitest'
import { checkScenario, type RawScenario, ScenarioError } from '../../../compare/scenario/index.ts'
import { prepareWorld, type RobotCache, subjectsOf } from '../../../compare/scenario/world/files.ts'
import { axesOf } from '../../../compare/studies/axes.ts'
import { firstBracket, stabilityLimit } from '../../../compare/studies/border.ts'
import { mapPage } from '../../../compare/studies/draw.ts'
import { Grid } from '../../../compare/studies/grid.ts'
import { type MapResult, mapOf } from '../../../compare/studies/map.ts'
import { whole } from '../../dailyModels.ts'
import { temporaryFolder } from '../command.ts'

const folder = temporaryFolder()

async function mapped(raw: RawScenario, over: string, chosen = 1e-3): Promise<MapResult> {
  const axes = await axesOf(over, 1e4)
  const scenario = await checkScenario({ ...raw, dt: axes[0].values, sweep: { [axes[1].path]: axes[1].values } })
  const robots: RobotCache = new Map()
  const [robot] = subjectsOf(scenario)
  const prepared = await prepareWorld(scenario, robot, robots)
  const grid = new Grid({ patience: scenario.patience, threads: 0, robots })
  return mapOf(scenario, robot, { axes, chosen, prepared, grid })
}

/** A ball of 1 kg that rests on the spring k of its contact under 100 m/s², 30 µm off: near enough never to leave it. */
const ball = (model: string, k: number): RawScenario => ({
  bodies: [
    { name: 'ball', shape: { type: 'sphere', radius: 0.1 }, mass: 1, position: [0, 0, 0.1 - 100 / k + 3e-5], friction: 0 },
  ],
  gravity: 100,
  models: [{ name: model, integral: false, impacts: 'none' }],
  physical: { damping: 0 },
  duration: 6,
})

describe('the largest stable step of a mass on a spring', () => {
  test('under rk4 is 2 sqrt(2) over its frequency, on the spring of a contact as on any, to 1 %', async () => {
    const k = 1e4
    const raw: RawScenario = { ...ball('penalty', k), integrator: 'rk4' }
    const { models } = await mapped(raw, `dt=10ms..50ms/3,stiffness=${k}..${1.001 * k}/2`)
    for (const { value, stable, theory } of models[0].columns) {
      const limit = Math.sqrt(8 / value)
      expect(theory).toBeCloseTo(limit, 6)
      expect(stable.largest as number).toBeGreaterThan(limit / 1.01)
      expect(stable.largest as number).toBeLessThan(limit * 1.01)
    }
  })

  test('on a contact that is solved at the end of the step has no limit', async () => {
    for (const k of [1e4, 1e6]) {
      const { models } = await mapped(ball('penalty', k), `dt=10ms..1/3,stiffness=${k}..${1.001 * k}/2`)
      for (const { stable, isUnlimited } of models[0].columns) {
        expect(isUnlimited).toBe(true)
        expect(stable).toMatchObject({ largest: 1, beyond: true })
      }
    }
  })

  whole(
    'on the spring of a controller, which symplectic Euler integrates, is 2 over its frequency, to 1 %, and so says brute force',
    async () => {
      const robot = folder.write(
        'slider.urdf',
        '<robot name="slider"><link name="world"/><link name="mass"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>' +
          '<joint name="slide" type="prismatic"><parent link="world"/><child link="mass"/><axis xyz="1 0 0"/><limit lower="-1e6" upper="1e6" effort="1e12" velocity="1e6"/></joint></robot>',
      )
      const file = folder.write(
        'spring.mjs',
        'export default { rate: 1000, init: ({ options }) => options, update: ({ q, memory }) => [-memory.k * q[0]] }\n',
      )
      const raw = {
        robots: [robot],
        controller: { file, options: { k: 2e4 } },
        start: { joints: { slide: 0.1 } },
        ground: false,
        models: ['penalty'],
        duration: 1,
      }
      const { models } = await mapped(raw, 'dt=10ms..40ms/3,friction=0.5..1/2')
      const limit = 2 / Math.sqrt(2e4 / 2)
      for (const { columns } of models) {
        const { largest } = columns[0].stable
        expect(largest as number).toBeGreaterThan(limit / 1.01)
        expect(largest as number).toBeLessThan(limit * 1.01)
      }
      const brute = await mapped(raw, 'dt=19ms..21ms/4,friction=0.5..1/2')
      for (const [m, { columns }] of brute.models.entries()) {
        const border = models[m].columns[0].stable.largest as number
        for (const { dt, stable } of columns[0].cells)
          if (Math.abs(Math.log(dt / border)) > 0.01) expect(stable).toBe(dt < border)
      }
    },
  )

  test('in theory falls from 2 sqrt(2) to 2.785 with critical damping, where R(-x) = 1', () => {
    expect(stabilityLimit('rk4', 0)).toBeCloseTo(Math.sqrt(8), 5)
    expect(stabilityLimit('rk4', 1)).toBeCloseTo(2.785293563405282, 5) // Hairer and Wanner, table 2.1
    expect(stabilityLimit('semi-implicit-euler', 0)).toBe(Infinity)
  })
})

describe('the safe region', () => {
  test('ends where brute force says, and its margin is over the chosen step', async () => {
    // free fall: semi-implicit Euler is off by g dt t / 2
    const raw = {
      bodies: [{ name: 'ball', shape: { type: 'sphere', radius: 0.1 }, mass: 1, position: [0, 0, 10] }],
      exact: { z: '10 - 9.81 * t^2 / 2', energy: '0' },
      models: ['stewart-trinkle', 'penalty'],
      duration: 1,
    }
    const { models } = await mapped(raw, 'dt=1ms..100ms/3,stiffness=1e4..1e6/2', 2e-3)
    const brute = await mapped(raw, 'dt=8ms..16ms/12,stiffness=1e4..1e6/2')
    for (const [m, { columns, varies }] of models.entries()) {
      expect(varies).toBe(false) // it touches nothing: no stiffness makes a difference
      for (const [c, { safe }] of columns.entries()) {
        const border = safe.largest as number
        for (const { dt, safe: fits } of brute.models[m].columns[c].cells)
          if (Math.abs(Math.log(dt / border)) > 0.01) expect(fits).toBe(dt < border)
        expect(safe.margin).toBeCloseTo(border / 2e-3, 12)
      }
    }
    expect(mapPage(models.length > 0 ? await mapped(raw, 'dt=1ms..100ms/2,stiffness=1e4..1e6/2') : brute, 'a command')).toContain(
      '<g data-run="safe"><polygon class="area"',
    )
  })

  test('is what holds from the smallest step on; an island beyond it is named', () => {
    expect(firstBracket([1, 2, 4, 8], [true, true, false, true])).toEqual({ inside: 2, outside: 4, again: true })
    expect(firstBracket([1, 2], [false, true])).toBeNull()
  })
})

test('axes that cannot be are refused with a remedy', async () => {
  for (const [over, words] of [
    ['stiffness', 'expected dt and one more'],
    ['dt,models.penalty.lambda', 'or a field and its range, models.penalty.lambda=FROM..TO'],
    ['dt,stiffness=5..1', 'two rising numbers'],
    ['dt=1 kg..2 kg,stiffness', 'unit does not fit'],
  ] as const)
    await expect(axesOf(over, 1e4)).rejects.toThrow(words)
  await expect(axesOf('dt', 1)).rejects.toBeInstanceOf(ScenarioError)
})

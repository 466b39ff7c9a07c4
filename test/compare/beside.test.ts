/** Engines from outside beside the contact models (`compare --beside`). */
import { describe, expect, test } from 'vitest'
import { besideOf, besideWords } from '../../compare/judge/beside.ts'
import type { Outcome } from '../../compare/run/run.ts'
import { featherbed, onlyComparison, refusal, temporaryFolder } from './command.ts'

const folder = temporaryFolder()
const hopper = folder.write(
  'hopper.xml',
  `<mujoco><option timestep="0.004" cone="elliptic" iterations="200" tolerance="1e-12"/><worldbody><geom type="plane" size="5 5 1"/>
    <body pos="0 0 0.6"><joint type="slide" axis="0 0 1"/><joint type="slide" axis="1 0 0"/><geom size="0.08" mass="2"/>
      <body><joint name="hip" axis="0 1 0" range="-30 40"/><geom type="capsule" fromto="0 0 0 0.1 0 -0.4" size="0.03" mass="1"/></body></body></worldbody>
    <actuator><position joint="hip" kp="20" kv="1"/></actuator></mujoco>`,
)
const swing = (output: string) =>
  folder.write(
    `${output}.ts`,
    `export default { output: '${output}', rate: 250, init: () => ({}), update: ({ t, robot }) => (${output === 'ctrl' ? '[0.4 * t]' : '[0, 0, 1 - 3 * t]'}) }`,
  )

describe('compare --beside mujoco --their-importer', () => {
  test.each([
    ['motors at rest', []],
    ['a controller of ctrl', ['--controller', swing('ctrl')]],
    ['a controller of efforts', ['--controller', swing('efforts')]],
  ])('has a run of the real engine, where our mujoco moves alike, under %s', async (_, more) => {
    const words = [
      'compare',
      hopper,
      '--beside',
      'mujoco',
      '--their-importer',
      '--models',
      'mujoco,ncp',
      '--duration',
      '0.4',
      '--no-timing',
      '--json',
    ]
    const { stdout, code } = await featherbed([...words, ...more])
    expect(code).toBe(0)
    const { runs } = onlyComparison(stdout)
    const [own, , real] = runs
    expect(runs.map(({ model, dt }) => [model, dt])).toEqual([
      ['mujoco', 0.004],
      ['ncp', 0.004],
      ['MuJoCo, by its own reader', 0.004],
    ])
    expect(own.metrics!.penetrationMax_m).toBeGreaterThan(1e-4)
    for (const key of ['penetrationMax_m', 'penetrationMean_m', 'torqueRms_Nm'] as const)
      expect(Math.abs(real.metrics![key]! - own.metrics![key]!)).toBeLessThan(1e-8)
    expect(real.laws).toEqual([])
  })
})

describe('compare --beside', () => {
  const words = ['compare', 'diffdrive', '--models', 'ncp,lcp', '--dt', '2 ms', '--duration', '0.1', '--no-timing', '--json']

  test('translates the robot for engines, compares their motion with that of the exact laws, and leaves all else as it is', async () => {
    const alone = onlyComparison((await featherbed(words)).stdout)
    const { stdout, code } = await featherbed([...words, '--beside', 'mujoco:manual,rapier,jolt'])
    expect(code).toBe(0)
    const { runs, verdicts, truths, beside = [] } = onlyComparison(stdout)
    expect(runs.slice(0, 2)).toEqual(alone.runs)
    expect(verdicts).toEqual(alone.verdicts)
    expect(alone.beside).toBeUndefined()
    expect(truths[0].kind).toBe(alone.truths[0].kind)
    expect(beside.map(({ engine }) => engine)).toEqual(['MuJoCo, manual', 'Rapier', 'Jolt'])
    for (const { state, motion, laws, fell_s, robot } of beside) {
      expect(['with', 'parts']).toContain(state)
      expect(laws).toEqual(['ncp', 'lcp'])
      expect(motion).toBeGreaterThan(0)
      expect(motion).toBeLessThan(0.5)
      expect([fell_s, robot]).toEqual([null, 'diffdrive'])
    }
  })

  test('has gears of joints that follow others, in MuJoCo', async () => {
    const { stdout } = await featherbed(['compare', 'gripper', ...words.slice(2), '--beside', 'mujoco'])
    const { beside = [] } = onlyComparison(stdout)
    expect(beside.map(({ state }) => state)).toEqual(['with'])
  })

  test('says which engines there are, and how to get what is not there', async () => {
    const robot = ['compare', 'diffdrive', '--beside']
    expect(await refusal([...robot, 'bullet'])).toMatch(
      /--beside found "bullet", expected cannon, jolt, mujoco, rapier, mujoco-native, drake, newton, .*exudyn/,
    )
    expect(await refusal([...robot, 'mujoco:elliptic'])).toMatch(/mujoco has the settings manual/)
    const before = process.env.FEATHERBED_ENGINES
    process.env.FEATHERBED_ENGINES = folder.path
    try {
      expect(await refusal([...robot, 'drake'])).toMatch(/drake is not installed: featherbed engines drake/)
    } finally {
      if (before === undefined) delete process.env.FEATHERBED_ENGINES
      else process.env.FEATHERBED_ENGINES = before
    }
    expect(await refusal(['compare', 'diffdrive', '--their-importer'])).toMatch(/is of --beside ENGINES; name some/)
  })
})

describe('an engine beside the exact laws', () => {
  const scales = { quantities: [{ name: 'slide', unit: 'm' as const, scale: 1 }], energy_J: 1 }
  /** A slide at `speed` from `from` on. */
  const run = (model: string, speed: number, from = 0, status: 'ok' | 'failed' = 'ok') => {
    const t = Array.from({ length: 101 }, (_, k) => k / 100)
    const part = { name: 'x', joints: ['slide'], turns: [false], position: [], orientation: [] }
    const zero = t.map(() => 0)
    const angles = t.map((time) => 0.1 * time + speed * Math.max(0, time - from))
    const trajectory = { ...part, t, kinetic: zero, potential: zero, others: [], angles }
    return {
      model,
      dt: 1e-3,
      outcome: { status, failure: status === 'ok' ? null : 'it broke', trajectory, outcome: null } as unknown as Outcome,
    }
  }
  const world = { scales, limits: { penetration: 1e-3, tracking: 0.01, energy: 0.01 }, ground: 0 }

  test('goes with them within three times their spread, parts when it is beyond, and is nearest to one of ours', () => {
    const runs = [
      run('ncp', 0),
      run('lcp', 0.04),
      run('mujoco', 0.3),
      run('A', 0.08),
      run('B', 0.4, 0.5),
      run('C', 0, 0, 'failed'),
    ]
    const [a, b, c] = besideOf(runs, world)
    // the median of two is half-way, and the root mean square of a ramp its end over the root of three
    expect(a).toMatchObject({ state: 'with', laws: ['ncp', 'lcp'], nearest: { model: 'lcp' }, t: null })
    expect(a.bound).toBeCloseTo((3 * 0.02) / Math.sqrt(3), 2)
    expect(a.motion).toBeCloseTo(0.06 / Math.sqrt(3), 2)
    expect(b).toMatchObject({ state: 'parts', of: 'slide', farthest: { t: 1, unit: 'm' } })
    expect(b.t).toBeGreaterThan(0.5)
    expect(c).toMatchObject({ state: 'failed', failure: 'it broke' })
    expect(besideWords(c)).toBe('C at 1 ms failed: it broke')
    expect(besideWords(b)).toMatch(
      /^B at 1 ms parts from ncp, lcp at 0\.\d+ s: off by [\d.]+ % of the motion of slide, at most \d+ mm at 1 s/,
    )
  })

  test('is compared with nothing where no exact law came to its end', () => {
    expect(besideOf([run('ncp', 0, 0, 'failed'), run('mujoco', 0), run('A', 0)], world)[0].state).toBe('unknown')
  })
})

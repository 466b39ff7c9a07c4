/** The real MuJoCo beside the contact models (`compare --beside mujoco`). */
import { describe, expect, test } from 'vitest'
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

describe('compare --beside mujoco', () => {
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
      [expect.stringMatching(/^MuJoCo 3\.14/), 0.004],
    ])
    expect(own.metrics!.penetrationMax_m).toBeGreaterThan(1e-4)
    for (const key of ['penetrationMax_m', 'penetrationMean_m', 'torqueRms_Nm'] as const)
      expect(Math.abs(real.metrics![key]! - own.metrics![key]!)).toBeLessThan(1e-8)
    expect(real.laws).toEqual([])
  })

  test('says how to get what is not there', async () => {
    const words = ['compare', hopper, '--beside', 'mujoco', '--mujoco-python', '/no/python']
    expect(await refusal(words)).toMatch(/--beside: there is no Python \/no\/python \(ENOENT\)/)
    expect(await refusal(['compare', hopper, '--beside', 'bullet'])).toMatch(/--beside found "bullet", expected mujoco/)
    expect(await refusal(['compare', 'humanoid', '--beside', 'mujoco'])).toMatch(/"humanoid" is no MJCF/)
  })
})

/** Scenarios that take what they leave out from an MJCF file (`asMujoco`), beside MuJoCo. */
import { describe, expect, test } from 'vitest'
import { parseScenario } from '../../compare/scenario/index.ts'
import { createWorld, prepare, resolvePaths, subjectsOf, takenFromFile } from '../../compare/scenario/world/files.ts'
import { mjcfModelOf } from '../oracle/mjcf.ts'
import { featherbed, temporaryFolder } from './command.ts'

const folder = temporaryFolder()
const walker = (option: string) => `<mujoco><option ${option}/><worldbody><geom type="plane" size="5 5 1" pos="0 0 -0.2"/>
  <body pos="0 0 0.3"><joint name="z" type="slide" axis="0 0 1" ref="0.3"/><joint name="hip" axis="0 1 0" range="20 60"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.05" mass="1"/></body></worldbody>
  <actuator><position joint="hip" kp="5" kv="0.3"/></actuator>
  <keyframe><key name="low" qpos="0.1 0.5" ctrl="0.4"/></keyframe></mujoco>`

async function scenarioOf(text: string, stated: Record<string, unknown> = {}) {
  folder.write('walker.xml', text)
  const file = `${folder.path}/a.yaml`
  const raw = JSON.stringify({ robot: 'walker.xml', asMujoco: true, ...stated })
  return takenFromFile(resolvePaths(await parseScenario(raw, file), file))
}

describe('asMujoco', () => {
  test.each([
    ['timestep="0.004" integrator="RK4" cone="elliptic" impratio="3"', {}],
    ['timestep="0.003" integrator="implicitfast"', {}],
    ['', { start: { pose: 'low' } }],
  ])('runs a file of <option %s> as MuJoCo does', async (option, stated) => {
    const text = walker(`${option} iterations="500" tolerance="0"`)
    const scenario = await scenarioOf(text, stated)
    const prepared = await prepare(scenario, subjectsOf(scenario)[0])
    const { world } = createWorld(scenario, prepared, scenario.models[0], scenario.dt[0])
    const { mj, model } = await mjcfModelOf(text)
    const data = new mj.MjData(model)
    if ('start' in stated) mj.mj_resetDataKeyframe(model, data, 0)
    expect(world.dt).toBe(model.opt.timestep)
    let worst = 0
    for (let n = 0; n <= 200; n++) {
      for (let k = 0; k < model.nq; k++) worst = Math.max(worst, Math.abs(data.qpos[k] - world.state.q[k]))
      world.step()
      mj.mj_step(model, data)
    }
    expect(worst).toBeLessThan(1e-9)
    data.delete()
    model.delete()
  })

  test('leaves what is stated, and says what it takes', async () => {
    const stated = { dt: 0.001, models: ['ncp', { name: 'mujoco', impratio: 7 }], ground: { friction: 0.3 }, controller: 'hold' }
    const { dt, models, ground, controller, defaults } = await scenarioOf(walker('integrator="RK4" cone="elliptic"'), stated)
    expect(dt).toEqual([0.001])
    expect(models).toEqual([
      { name: 'ncp', options: {} },
      { name: 'mujoco', options: { integrator: 'rk4', cone: 'elliptic', impratio: 7 } },
    ])
    expect(ground?.friction).toBe(0.3)
    expect(controller?.builtIn).toBe('hold')
    expect(defaults.find(({ field }) => field === 'start')?.why).toMatch(/qpos0/)
  })

  test('is refused for a robot that is no MJCF', async () => {
    const file = `${folder.path}/b.yaml`
    const scenario = await parseScenario('robot: humanoid\nasMujoco: true\n', file)
    await expect(takenFromFile(scenario)).rejects.toThrow(/asMujoco: "humanoid" is no MJCF/)
  })

  test('on the command line says what it takes', async () => {
    const path = folder.write('walker.xml', walker('timestep="0.004" integrator="RK4"'))
    const { stdout, stderr, code } = await featherbed(['run', path, '--as-mujoco', '--duration', '0.1', '--json', '--no-timing'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ model: 'mujoco', dt: 0.004 })
    expect(stderr).toMatch(/as MuJoCo: .*dt 0.004 s \(timestep of the file\).*integrator RK4, cone pyramidal and impratio 1/)
  })
})

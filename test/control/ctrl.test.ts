import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadController } from '../../control/files.ts'
import { type Controller, createControllerLoop, delayed } from '../../control/index.ts'
import { loadRobot, type Robot } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'
import { temporaryFolder } from '../compare/command.ts'
import { mjcfModelOf } from '../oracle/mjcf.ts'
import { writeOnnx } from './policy/writeOnnx.ts'

/* Controllers that give ctrl, MuJoCo's inputs of actuators, beside MuJoCo at the same sequence. */

const dt = 1e-3
const folder = temporaryFolder()

const arm = (actuators: string, more = '') => `<mujoco><compiler angle="radian"/><option timestep="0.001"/>${more}<worldbody>
  <body pos="0 0 1"><joint name="j" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.02" mass="1"/><site name="tip" pos="0.4 0 0"/>
    <body pos="0.4 0 0"><joint name="k" axis="0 1 0" actuatorfrcrange="-3 1.5"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="0.5"/>
      <body pos="0.3 0 0"><joint name="s" type="slide" axis="1 0 0"/><geom type="box" size="0.05 0.03 0.03" mass="0.2"/></body></body></body></worldbody>
  <tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon><actuator>${actuators}</actuator>
  <sensor><actuatorfrc name="first" actuator="a"/><actuatorpos name="long" actuator="a"/><jointactuatorfrc name="pull" joint="k"/></sensor></mujoco>`

const mixed = `<position name="a" joint="j" kp="60" kv="3" gear="2"/><motor name="b" joint="k" gear="4" ctrlrange="-1 1"/>
  <general name="c" joint="k" gainprm="3" dyntype="filterexact" dynprm="0.02"/><intvelocity name="d" joint="s" kp="40" kv="2" actrange="-0.2 0.2"/>`

const load = (text: string): Robot => loadRobot(text, { file: 'm.xml', ground: false })

/** Input k at time t. */
const input = (k: number, t: number) => 0.8 * Math.sin(7 * t + 1.3 * k) + 0.3 * k * t

/** Largest differences of joint efforts and of positions from MuJoCo's in half a second. */
async function differences(
  text: string,
  controllerOf: (robot: Robot) => Controller | Promise<Controller>,
  gaps: readonly number[] = [],
) {
  const robot = load(text)
  const loop = createControllerLoop(await controllerOf(robot), robot)
  const world = new World({ robot, dt, contactModel: 'mujoco', fixtures: [], controller: loop })
  const { mj, model } = await mjcfModelOf(text)
  const data = new mj.MjData(model)
  expect(robot.controls?.length).toBe(model.nu)
  const worst = { efforts: 0, positions: 0 }
  for (let n = 0; n < 500; n++) {
    if (n % 2 === 0) for (let k = 0; k < model.nu; k++) data.ctrl[k] = gaps.includes(k) ? 0 : input(k, n * dt)
    world.step()
    mj.mj_step(model, data)
    data.qfrc_actuator.forEach((x: number, k: number) => {
      worst.efforts = Math.max(worst.efforts, Math.abs(x - world.tau[k]))
    })
    data.qpos.forEach((x: number, k: number) => {
      worst.positions = Math.max(worst.positions, Math.abs(x - world.state.q[k]))
    })
  }
  data.delete()
  model.delete()
  return worst
}

const sequence: Controller = {
  rate: 500,
  output: 'ctrl',
  init: ({ robot }) => new Float64Array(robot.controls?.length ?? 0),
  update: ({ t, memory }) => (memory as Float64Array).map((_, k) => input(k, t)),
}

describe('a controller that gives ctrl moves a robot as MuJoCo does:', () => {
  test.each([
    ['motors, servos, filters and integrators', mixed, []],
    [
      'a muscle and a motor of a tendon between them',
      `<muscle name="m" joint="j" lengthrange="0 1"/>${mixed}<motor name="e" tendon="t"/><motor name="f" joint="s"/>`,
      [],
    ],
    [
      'a pid of a position and a speed',
      '<pid name="a" joint="j" kp="80" kv="4" posrange="-0.5 0.5" velrange="-1 1"/><motor joint="k"/>',
      [],
    ],
    [
      'a pid of its integral',
      '<pid name="a" joint="j" kp="80" kv="4" ki="300" imax="0.02" input="pos"/><pid joint="k" kp="20" ki="9"/>',
      [],
    ],
    ['a pid of a bounded rate', '<pid name="a" joint="j" kp="80" kv="4" slewmax="0.7" input="pos ff" ffrange="-0.4 0.3"/>', []],
    ['a pid of a feedforward alone', '<pid name="a" joint="j" kv="2" input="ff"/>', []],
    ['a pid of the range of its joint', '<pid name="a" joint="s" kp="80" inheritrange="0.6"/>', []],
    ['a filter that acts early', '<general name="a" joint="j" gainprm="8" dyntype="filter" dynprm="0.03" actearly="true"/>', []],
  ] as const)('%s', async (_, actuators, gaps) => {
    const text = arm(actuators).replace(
      'type="slide"',
      actuators.includes('inheritrange') ? 'type="slide" range="-0.2 0.6"' : 'type="slide"',
    )
    const { efforts, positions } = await differences(text, () => sequence, gaps)
    expect(efforts).toBeLessThan(1e-6)
    expect(positions).toBeLessThan(1e-6)
  })

  test('in a file, and in a sandbox', async () => {
    const script = `export default { rate: 500, output: 'ctrl', init: ({ robot }) => new Float64Array(robot.controls.length),
      update: ({ t, memory }) => { for (let k = 0; k < memory.length; k++) memory[k] = 0.8 * Math.sin(7 * t + 1.3 * k) + 0.3 * k * t; return memory } }`
    const path = folder.write('ctrl.js', script)
    for (const limits of [undefined, { patience: 1, memory: 1e8 }]) {
      const { efforts, positions } = await differences(arm(mixed), () => loadController(path, limits))
      expect(Math.max(efforts, positions)).toBeLessThan(1e-6)
    }
  })

  test('in the guide', async () => {
    const guide = readFileSync('docs/controllers.md', 'utf8')
    const [, script] = /## Controllers that give ctrl[\s\S]*?```ts\n([\s\S]*?)```/.exec(guide) ?? []
    const controller = await loadController(folder.write('guide.ts', script))
    const robot = load(arm('<position name="a" joint="j" kp="60" kv="3"/><position name="b" joint="k" kp="60" kv="3"/>'))
    const world = new World({ robot, dt, contactModel: 'ncp', fixtures: [], controller: createControllerLoop(controller, robot) })
    for (let n = 0; n < 2000; n++) world.step()
    const [j] = world.state.q
    expect(j).toBeGreaterThan(0.2)
    expect(j).toBeLessThan(0.6)
  })

  test('as a policy, which may observe sensors', async () => {
    // ctrl k = 0.1 + 2 (half of what it observes in place k)
    const bytes = writeOnnx({
      nodes: [{ op: 'MatMul', inputs: ['x', 'w'], outputs: ['y'] }],
      weights: { w: { shape: [4, 2], data: [0.5, 0, 0, 0.5, 0, 0, 0, 0] } },
      inputs: { x: [1, 4] },
      outputs: { y: [1, 2] },
    })
    writeFileSync(join(folder.path, 'own.onnx'), bytes)
    const described = (more: object) =>
      folder.write(
        'own.yaml',
        JSON.stringify({ network: 'own.onnx', output: 'ctrl', rate: 500, actionScale: 2, actionOffset: 0.1, ...more }),
      )
    const observations = [{ name: 'long', size: 1 }, { name: 'joint_vel' }]
    const path = described({ joints: ['j', 'k', 's'], observations })
    const robot = load(arm('<motor name="a" joint="j" gear="3"/><motor name="b" joint="k"/>'))
    const seen: number[] = []
    const controller = await loadController(path)
    const watched: Controller = {
      ...controller,
      update(state, period) {
        const answer = controller.update(state, period)
        seen.push(...Array.from(answer), state.sensors.long[0], state.v[0])
        return answer
      },
    }
    const world = new World({ robot, dt, contactModel: 'ncp', fixtures: [], controller: createControllerLoop(watched, robot) })
    for (let n = 0; n < 50; n++) world.step()
    for (let n = 0; n < seen.length; n += 4) {
      expect(seen[n]).toBeCloseTo(0.1 + seen[n + 2], 5)
      expect(seen[n + 1]).toBeCloseTo(0.1 + seen[n + 3], 5)
    }
    expect(seen.at(-1)).not.toBe(0)
    const run = async (file: string, own = robot) =>
      new World({
        robot: own,
        dt,
        contactModel: 'ncp',
        fixtures: [],
        controller: createControllerLoop(await loadController(file), own),
      }).step()
    await expect(run(path, load(arm('<motor name="a" joint="j"/>')))).rejects.toThrow(
      'gives 2 numbers of ctrl, and the actuators of "" have 1 inputs: a',
    )
    const other = described({ joints: ['j', 'k', 's'], observations: [{ name: 'short', size: 1 }, { name: 'joint_vel' }] })
    await expect(run(other)).rejects.toThrow('observes a sensor "short" of size 1; the robot has first, long, pull')
  })
})

describe('ctrl of a controller', () => {
  test('acts through motors whose forces sensors show, at the last step', async () => {
    const text = arm(mixed)
    const robot = load(text)
    const shown: number[][] = []
    const watching: Controller = {
      ...sequence,
      rate: 1000,
      update(state) {
        shown.push(['first', 'pull'].map((name) => state.sensors[name][0]))
        return Float64Array.from(robot.controls!, (_, k) => input(k, state.t))
      },
    }
    const world = new World({
      robot,
      dt,
      contactModel: 'mujoco',
      fixtures: [],
      controller: createControllerLoop(watching, robot),
    })
    const { mj, model } = await mjcfModelOf(text)
    const data = new mj.MjData(model)
    for (let n = 0; n < 50; n++) {
      for (let k = 0; k < model.nu; k++) data.ctrl[k] = input(k, n * dt)
      world.step()
      if (n > 0) for (const [i, at] of [0, 2].entries()) expect(shown[n][i]).toBeCloseTo(data.sensordata[at], 6)
      mj.mj_step(model, data)
    }
    data.delete()
    model.delete()
  })

  test('delayed, acts so many of its periods later, and servos see the state as it is', () => {
    const robot = load(arm('<position name="a" joint="j" kp="60" kv="3"/>'))
    const stepped: Controller = { ...sequence, rate: 100, update: ({ t }) => Float64Array.of(t < 0.005 ? 0 : 0.5) }
    const at = (n: number, periods: number) => {
      const loop = createControllerLoop(stepped, robot)
      const controller = periods > 0 ? delayed(loop, periods) : loop
      const world = new World({ robot, dt, contactModel: 'ncp', fixtures: [], controller })
      for (let k = 0; k < n; k++) world.step()
      return world.tau[0]
    }
    expect(at(11, 0) - at(10, 0)).toBeGreaterThan(25)
    expect(at(30, 2) - at(29, 2)).toBeLessThan(1)
    expect(at(31, 2) - at(30, 2)).toBeGreaterThan(25)
  })

  test('goes on after a checkpoint with the same bits', () => {
    const worldOf = () => {
      const robot = load(arm(`${mixed}<pid joint="j" kp="9" ki="4"/>`))
      return new World({ robot, dt, contactModel: 'ncp', fixtures: [], controller: createControllerLoop(sequence, robot) })
    }
    const [whole, half, again] = [worldOf(), worldOf(), worldOf()]
    for (let n = 0; n < 77; n++) for (const world of [whole, half]) world.step()
    again.restore(structuredClone(half.checkpoint()))
    for (let n = 0; n < 77; n++) for (const world of [whole, again]) world.step()
    expect(again.hash()).toBe(whole.hash())
  })

  test('of a wrong count, of no number, or of a robot without actuators is an error that lists the inputs', () => {
    const step = (answer: ArrayLike<number>, text: string) => () => {
      const robot = load(text)
      const controller = createControllerLoop({ ...sequence, update: () => answer }, robot, { name: 'mine' })
      new World({ robot, dt, contactModel: 'ncp', fixtures: [], controller }).step()
    }
    const two = arm('<motor name="a" joint="j"/><pid name="b" joint="k" input="vel"/>')
    expect(step([1], two)).toThrow('ctrl, one number for each of the 2 inputs of the actuators of "": a, b/vel')
    expect(step([1, Number.NaN], two)).toThrow('update returned NaN in entry 1, ctrl of "b/vel"')
    expect(step([], two.replace(/<(actuator|sensor)>.*/gs, '</mujoco>'))).toThrow(
      'controller "mine": gives ctrl, and "" has no actuators that act',
    )
    const path = folder.write('wrong.js', "export default { output: 'control', init() {}, update: () => [] }")
    return expect(loadController(path)).rejects.toThrow("its output is neither 'efforts' nor 'ctrl'")
  })
})

import { describe, expect, test } from 'vitest'
import { contactModelNames } from '../../contact/index.ts'
import { createControllerLoop, hold, Motors } from '../../control/index.ts'
import { createData, gravityForces, kinematics } from '../../dynamics/index.ts'
import { examineRobot, loadRobot, type Robot, separated, writeMjcf } from '../../robots/index.ts'
import { World, type WorldOptions } from '../../simulation/index.ts'
import { mjcfModelOf } from '../oracle/mjcf.ts'

/* `gravcomp` of bodies and `actuatorgravcomp` of joints beside MuJoCo's Euler, half a second in the air. */

const dt = 1e-3
const arm = (
  body = '',
  joint = '',
  inner = '',
  more = '',
) => `<mujoco><compiler angle="radian"/><option timestep="0.001"/><worldbody>
  <body name="a" pos="0 0 1" ${body}><joint name="j" axis="0 1 0" ${joint}/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.02" mass="1"/>
    <body name="b" pos="0.4 0 0" euler="0 0.3 0" ${inner}><joint name="k" axis="0 1 0"/><geom type="box" size="0.1 0.05 0.03" pos="0.1 0.02 0" mass="0.5"/></body></body></worldbody>${more}</mujoco>`
const load = (text: string): Robot => loadRobot(text, { file: 'm.xml', ground: false })

function worldOf(robot: Robot, more: Partial<WorldOptions> = {}): World {
  return new World({ robot, dt, contactModel: 'ncp', fixtures: [], ...more } as WorldOptions)
}

async function difference(text: string, ctrl: readonly number[] = []): Promise<number> {
  const robot = load(text)
  // whose flight is MuJoCo's Euler
  const world = worldOf(robot, { controller: new Motors(robot, ctrl), contactModel: 'mujoco' })
  const { mj, model } = await mjcfModelOf(text)
  const data = new mj.MjData(model)
  data.ctrl.set(ctrl)
  let worst = 0
  for (let n = 0; n < 500; n++) {
    world.step()
    mj.mj_step(model, data)
    const ours = robot.floating ? [...world.state.q.subarray(0, 3), ...world.state.q.subarray(7)] : [...world.state.q]
    const theirs = robot.floating ? [...data.qpos.slice(0, 3), ...data.qpos.slice(7)] : [...data.qpos]
    ours.forEach((x, k) => {
      worst = Math.max(worst, Math.abs(x - theirs[k]))
    })
  }
  data.delete()
  model.delete()
  return worst
}

describe('gravcomp holds weights as in MuJoCo:', () => {
  test.each([
    ['all of one body', arm('gravcomp="1"'), []],
    ['part of both', arm('gravcomp="0.4"', '', 'gravcomp="0.9"'), []],
    ['more than the weight', arm('', '', 'gravcomp="2.5"'), []],
    [
      'of a body welded to another',
      arm().replace('<joint name="k" axis="0 1 0"/>', '').replace('name="b"', 'name="b" gravcomp="1"'),
      [],
    ],
    ['of a floating body with an arm', arm('gravcomp="0.7"').replace('<joint name="j" axis="0 1 0" />', '<freejoint/>'), []],
    ['under another gravity', arm('gravcomp="0.6"').replace('timestep=', 'gravity="1 2 -4" timestep='), []],
    [
      'by the motor of a joint',
      arm('gravcomp="1"', 'actuatorgravcomp="true"', '', '<actuator><motor joint="j"/></actuator>'),
      [0.3],
    ],
    [
      'by it within its range',
      arm(
        'gravcomp="1"',
        'actuatorgravcomp="true" actuatorfrcrange="-1.2 0.7"',
        'gravcomp="1"',
        '<actuator><motor joint="j" gear="2"/></actuator>',
      ),
      [0.2],
    ],
  ] as const)('%s', async (_, text, ctrl) => {
    expect(load(text).diagnostics.filter(({ repaired }) => repaired)).toEqual([])
    expect(await difference(text, ctrl)).toBeLessThan(text.includes('freejoint') ? 1e-5 : 1e-9)
  })
})

describe('a robot whose weight is held', () => {
  test.each(contactModelNames)('stays where it is under %s, and its energy is accounted for', (contactModel) => {
    const world = worldOf(load(arm('gravcomp="1"', '', 'gravcomp="1"')), { contactModel })
    for (let n = 0; n < 200; n++) world.step()
    world.auditLastStep()
    expect(Math.max(...world.state.q.map(Math.abs), ...world.state.v.map(Math.abs))).toBeLessThan(1e-9)
  })

  test('is not held twice by controllers that feed gravity forward', () => {
    const robot = load(arm('gravcomp="0.8"', '', 'gravcomp="1"'))
    const data = createData(robot.model)
    kinematics(robot.model, worldOf(robot).state, data)
    const own = new Float64Array(2)
    gravityForces(robot.model, worldOf(robot).state, data, own)
    const all = new Float64Array(2)
    const bare = load(arm())
    kinematics(bare.model, worldOf(bare).state, data)
    gravityForces(bare.model, worldOf(bare).state, data, all)
    // the outer body is held whole; of the inner one a fifth is left at its own moment
    expect(own[1]).toBeCloseTo(0, 12)
    expect(own[0]).toBeCloseTo(0.2 * -9.81 * 0.2, 12)
    expect(all[1]).not.toBeCloseTo(0, 3)
    const world = worldOf(robot, { controller: createControllerLoop(hold(), robot) })
    for (let n = 0; n < 500; n++) world.step()
    expect(Math.max(...world.state.q.map(Math.abs))).toBeLessThan(1e-3)
  })

  test('is that of a robot and of objects beside it', () => {
    const cube = '<body name="cube" pos="1 0 1" gravcomp="1"><freejoint/><geom size="0.1"/></body></worldbody>'
    const text = arm('gravcomp="1"', '', 'gravcomp="1"').replace('</worldbody>', cube)
    const { rest, objects } = separated(load(text))
    const world = new World({ robots: [rest, ...objects].map((robot) => ({ robot })), dt, contactModel: 'ncp', fixtures: [] })
    for (let n = 0; n < 100; n++) world.step()
    expect(Math.max(...world.state.v.map(Math.abs))).toBeLessThan(1e-9)
  })

  test('is one of several in a world, and is written back', async () => {
    const text = arm('gravcomp="1"', 'actuatorgravcomp="true" actuatorfrcrange="-9 8"', 'gravcomp="0.5"')
    const robot = load(text.replaceAll('gravcomp="0.5"', 'gravcomp="1"').replace('pos="0 0 1"', 'pos="0 3 1"'))
    const robots = [
      { name: 'a', robot: load(arm()) },
      { name: 'b', robot },
    ]
    const world = new World({ robots, dt, contactModel: 'ncp', fixtures: [] })
    for (let n = 0; n < 100; n++) world.step()
    expect(Math.abs(world.state.q[0])).toBeGreaterThan(0.01)
    expect(Math.max(Math.abs(world.state.q[2]), Math.abs(world.state.q[3]))).toBeLessThan(1e-9)
    const written = writeMjcf(examineRobot(text, { file: 'm.xml' }).description, {}).text
    expect(load(written).model.compensation).toEqual(load(text).model.compensation)
  })
})

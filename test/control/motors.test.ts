import { describe, expect, test } from 'vitest'
import { Motors } from '../../control/index.ts'
import { loadRobot } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'
import { mjcfModelOf } from '../oracle/mjcf.ts'

/* Actuators of a file at constant control inputs, for 0.4 s beside MuJoCo's Euler: no contact, no limit, so that they are all that acts. */

const tree = (attributes = '') => `<compiler angle="radian"/><option timestep="0.001"/><worldbody>
  <body pos="0 0 1"><joint name="j" axis="0 1 0" ref="0.2" ${attributes}/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.02" mass="1"/>
    <body pos="0.4 0 0"><joint name="k" type="slide" axis="1 0 0" damping="1"/><geom type="box" size="0.1 0.05 0.05" mass="0.5" pos="0.1 0 0"/></body></body></worldbody>`
const dt = 1e-3

async function paths(inside: string, ctrl: readonly number[], steps = 400) {
  const text = `<mujoco>${inside}</mujoco>`
  const robot = loadRobot(text, { file: 'm.xml', ground: false })
  const world = new World({ robot, dt, contactModel: 'mujoco', fixtures: [], controller: new Motors(robot, ctrl) })
  const { mj, model } = await mjcfModelOf(text)
  const data = new mj.MjData(model)
  ctrl.forEach((u, k) => {
    data.ctrl[k] = u
  })
  for (let n = 0; n < steps; n++) {
    world.step()
    mj.mj_step(model, data)
  }
  const [ours, theirs] = [[...world.state.q], [...data.qpos]]
  data.delete()
  model.delete()
  return { ours, theirs }
}

const actuators: readonly (readonly [string, string, readonly number[], string?])[] = [
  ['motor', '<motor joint="j" gear="3"/>', [0.4]],
  ['motor beyond its range', '<motor joint="j" ctrlrange="-0.5 0.5"/>', [4]],
  ['motor at a range of 0 0', '<motor joint="j" ctrlrange="0 0"/>', [2]],
  ['position', '<position joint="j" kp="50" kv="2"/>', [0.3]],
  ['position of a force range', '<position joint="j" kp="50" kv="2" forcerange="-1 1"/>', [0.9]],
  ['position by a damping ratio', '<position joint="j" kp="50" dampratio="0.7" gear="2"/>', [0.3]],
  ['position through a filter', '<position joint="j" kp="50" kv="2" timeconst="0.05"/>', [0.3]],
  ['position in the range of its joint', '<position joint="j" kp="50" kv="2" inheritrange="0.5"/>', [9], 'range="-2 1.5"'],
  ['velocity', '<velocity joint="k" kv="20"/>', [0.5]],
  ['velocity behind a gear', '<velocity joint="j" kv="5" gear="-2"/>', [0.5]],
  ['integrated velocity', '<intvelocity joint="j" kp="80" kv="3" actrange="-0.1 0.1"/>', [0.7]],
  ['damper', '<damper joint="j" kv="2" ctrlrange="0 1"/>', [0.8]],
  ['cylinder', '<cylinder joint="k" area="2" timeconst="0.1" bias="0.1 0.2 -0.3"/>', [0.8]],
  ['cylinder by its diameter', '<cylinder joint="k" diameter="0.5" timeconst="0.02"/>', [5]],
  ['general', '<general joint="j" gaintype="affine" gainprm="3 0.5 -0.2" biastype="affine" biasprm="0.1 -4 -0.6"/>', [0.6]],
  ['general with a filter', '<general joint="j" gainprm="8" dyntype="filter" dynprm="0.03"/>', [0.4]],
  ['general without a class', '<general joint="j" gainprm="20"/>', [0.1]],
  ['armature and damping of its own', '<motor joint="j" gear="5" armature="0.01" damping="0.03"/>', [0.2]],
  ['range of the joint', '<motor joint="j" gear="10"/><position joint="j" kp="30"/>', [1, 0.2], 'actuatorfrcrange="-2 2"'],
  [
    'two at a joint and one at another',
    '<motor joint="j"/><position joint="j" kp="30" kv="1"/><motor joint="k"/>',
    [1, 0.2, -0.5],
  ],
  ['in its parent', '<motor jointinparent="j" gear="2"/>', [0.3]],
]

describe('motors of a file do as in MuJoCo:', () => {
  test.each(actuators.map(([name, text, ctrl, joint = '']) => ({ name, text, ctrl, joint })))(
    '$name',
    async ({ text, ctrl, joint }) => {
      const { ours, theirs } = await paths(`${tree(joint)}<actuator>${text}</actuator>`, ctrl)
      ours.forEach((x, k) => {
        expect(Math.abs(x - theirs[k])).toBeLessThan(1e-9)
      })
    },
  )

  test.each([
    ['a motor of the class of a servo', '<motor class="servo" joint="j" gear="10"/>', [0.1]],
    ['a general of the class of a servo', '<general class="servo" joint="j" gear="10"/>', [0.1]],
    ['a position of the class of a motor', '<position class="motor" joint="j"/>', [0.4]],
    ['a servo of its own stiffness', '<position class="servo" joint="j" kp="9"/>', [0.4]],
  ])('%s', async (_, text, ctrl) => {
    const classes =
      '<default><default class="servo"><position kp="50" kv="1" ctrlrange="-1 1"/></default><default class="motor"><motor gear="3" ctrlrange="-1 1"/></default></default>'
    const { ours, theirs } = await paths(`${classes}${tree()}<actuator>${text}</actuator>`, ctrl)
    ours.forEach((x, k) => {
      expect(Math.abs(x - theirs[k])).toBeLessThan(1e-9)
    })
  })

  test('a damping ratio is of the inertia at a joint whose neighbours move freely, as in MuJoCo from 3.15 on', () => {
    const { actuators } = loadRobot(
      `<mujoco><worldbody><body><joint name="s" axis="0 1 0" armature=".02"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
        <body pos=".3 0 0"><joint name="e" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 .1" size=".02"/></body></body></worldbody>
        <actuator><position joint="s" kp="40" dampratio=".7" gear="3"/><pid joint="e" kp="30" dampratio="1.2" gear="-2"/></actuator></mujoco>`,
      { file: 'm.xml' },
    )
    // of native MuJoCo 4.0.0; 3.14 has -1.11905326 for the first
    const native = [-0.75213925, -0.54187977]
    actuators!.forEach(({ bias }, k) => {
      expect(bias[2]).toBeCloseTo(native[k], 7)
    })
  })

  test('an actuator of a joint that follows acts on the one that it follows', () => {
    const robot = loadRobot(
      `<mujoco>${tree()}<equality><joint joint1="k" joint2="j" polycoef="0.1 0.5 0 0 0"/></equality><actuator><position joint="k" kp="10"/></actuator></mujoco>`,
      { file: 'm.xml' },
    )
    expect(robot.actuators).toMatchObject([{ joint: 'k', multiplier: 0.5, vIndex: 0 }])
    const motors = new Motors(robot, [0.4])
    motors.start(robot.model, dt)
    const [{ offset }] = robot.actuators!
    const tau = new Float64Array(1)
    motors.tick({ q: Float64Array.of(0.6), v: new Float64Array(1) } as never, undefined as never, tau, tau)
    expect(tau[0]).toBeCloseTo(0.5 * 10 * (0.4 - (0.5 * 0.6 + offset)), 12)
  })

  test('what has no counterpart is told by name, and a wrong count of inputs refused', () => {
    const robot = loadRobot(
      `<mujoco>${tree()}<actuator><dcmotor joint="j"/><motor name="m" joint="j"/><motor joint="j" delay=".01" nsample="3"/></actuator></mujoco>`,
      { file: 'm.xml' },
    )
    expect(robot.actuators!.map(({ name }) => name)).toEqual(['m'])
    expect(robot.diagnostics.filter(({ code }) => code === 'mjcf-unsupported').length).toBe(2)
    expect(() => new Motors(robot, [1, 2])).toThrow('ctrl has 2 numbers')
  })

  test('its memory can be saved and restored', () => {
    const robot = loadRobot(`<mujoco>${tree()}<actuator><intvelocity joint="j" kp="80"/></actuator></mujoco>`, { file: 'm.xml' })
    const [a, b] = [new Motors(robot, [1]), new Motors(robot, [1])]
    const state = { q: Float64Array.of(0.2, 0), v: new Float64Array(2) } as never
    const [one, two] = [new Float64Array(2), new Float64Array(2)]
    for (const motors of [a, b]) motors.start(robot.model, dt)
    for (let n = 0; n < 5; n++) a.tick(state, undefined as never, one, one)
    b.restore(a.save())
    a.tick(state, undefined as never, one, one)
    b.tick(state, undefined as never, two, two)
    expect(two).toEqual(one)
  })
})

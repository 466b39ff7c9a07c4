import { describe, expect, test } from 'vitest'
import { Motors } from '../../../control/index.ts'
import { loadRobot } from '../../../robots/index.ts'
import { World } from '../../../simulation/index.ts'
import { mjcfModelOf } from '../../oracle/mjcf.ts'

/* MuJoCo's integrators under its law: with contacts, limits, dry friction and servos, beside MuJoCo itself. */

const dt = 0.005
const leg = (
  integrator: string,
) => `<mujoco><compiler angle="radian"/><option timestep="${dt}" integrator="${integrator}" iterations="500" tolerance="0"/>
<worldbody><geom name="floor" type="plane" size="5 5 1"/>
  <body pos="0 0 0.62"><joint name="z" type="slide" axis="0 0 1" damping="0.2"/><joint name="x" type="slide" axis="1 0 0"/><geom type="sphere" size="0.08" mass="2"/>
    <body><joint name="hip" axis="0 1 0" range="-0.5 0.3" frictionloss="0.2" armature="0.01" stiffness="3"/><geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.03" mass="1"/>
      <body pos="0 0 -0.3"><joint name="knee" axis="0 1 0" damping="0.4"/><geom type="capsule" fromto="0 0 0 0.1 0 -0.28" size="0.03" mass="0.6"/>
        <body pos="0.1 0 -0.28"><geom size="0.04" mass="0.2" margin="0.01"/></body></body></body></body></worldbody>
<actuator><position joint="hip" kp="60" kv="3" forcerange="-15 15" gear="1.2"/><velocity joint="knee" kv="4"/><general joint="knee" dyntype="filter" dynprm="0.05" gainprm="3"/>
  <damper joint="x" kv="2" ctrlrange="0 1"/></actuator></mujoco>`

const options = { Euler: 'euler', implicitfast: 'implicitfast', RK4: 'rk4' } as const

describe('a leg that hops on servos moves as in MuJoCo:', () => {
  test.each(Object.entries(options))('%s', async (theirs, integrator) => {
    const text = leg(theirs)
    const robot = loadRobot(text, { file: 'leg.xml', ground: false })
    const ctrl = [0.4, -2, 1, 0.7]
    const world = new World({
      robot,
      dt,
      contactModel: 'mujoco',
      contactOptions: { cone: 'pyramidal', integrator },
      fixtures: robot.surroundings,
      controller: new Motors(robot, ctrl),
    })
    const { mj, model } = await mjcfModelOf(text)
    const data = new mj.MjData(model)
    data.ctrl.set(ctrl)
    let [worst, touched] = [0, 0]
    for (let n = 0; n < 200; n++) {
      world.step()
      mj.mj_step(model, data)
      touched += world.contacts.count > 0 ? 1 : 0
      for (let k = 0; k < model.nq; k++) worst = Math.max(worst, Math.abs(data.qpos[k] - world.state.q[k]))
    }
    expect(touched).toBeGreaterThan(50)
    // rounding, which contacts enlarge
    expect(worst).toBeLessThan(1e-9)
    data.delete()
    model.delete()
  })
})

test('a tumbling tree on the ground under rk4 ends where MuJoCo 4.0.0 has it', () => {
  const text = `<mujoco><option timestep="0.01" integrator="RK4"/><worldbody><geom type="plane" size="5 5 1"/><body name="b" pos="0 0 0.5"><freejoint name="f"/>
    <geom type="box" size="0.1 0.2 0.3" pos="0.05 0.02 0.01" mass="2"/><body name="c" pos="0.2 0 0"><joint name="j" axis="0 1 0" damping="0.1"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.04" mass="1"/>
    <body name="e" pos="0.4 0 0"><geom size="0.06" mass="0.3"/></body></body></body></worldbody></mujoco>`
  const robot = loadRobot(text, { file: 'tree.xml', ground: false })
  const world = new World({
    robot,
    v: [4, -3, 2, 0.3, -0.2, 0.7, 2],
    dt: 0.01,
    contactModel: 'mujoco',
    contactOptions: { cone: 'pyramidal', integrator: 'rk4' },
    fixtures: robot.surroundings,
  })
  for (let n = 0; n < 60; n++) world.step()
  // qpos of native MuJoCo 4.0.0 after 60 steps, whose rotations in RK4 are those of rotation vectors from version 4 on
  const [x, y, z, qw, qx, qy, qz, j] = [
    0.19489728566931, 0.0637295788010817, 0.0785773512616476, 0.54483565002173, 0.496920290722623, -0.497745407449425,
    0.456589365290682, 2.18614340298071,
  ]
  const theirs = [x, y, z, qx, qy, qz, qw, j]
  theirs.forEach((value, k) => {
    expect(Math.abs(world.state.q[k] - value)).toBeLessThan(1e-9)
  })
})

test('a foot that is welded to its shank has the softness of its own weight, as in MuJoCo', async () => {
  const text = `<mujoco><option timestep="0.002" iterations="500" tolerance="0"/><worldbody><geom type="plane" size="5 5 1"/>
    <body pos="0 0 0.6"><joint type="slide" axis="0 0 1"/><joint type="slide" axis="1 0 0"/><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.05 0 -0.5" size="0.03" mass="3"/>
      <body pos="0.05 0 -0.5"><geom type="sphere" size="0.06" mass="0.2"/></body></body></worldbody></mujoco>`
  const robot = loadRobot(text, { file: 'foot.xml', ground: false })
  const contactOptions = { cone: 'pyramidal' } as const
  const world = new World({ robot, dt: 0.002, contactModel: 'mujoco', contactOptions, fixtures: robot.surroundings })
  const { mj, model } = await mjcfModelOf(text)
  const data = new mj.MjData(model)
  let worst = 0
  for (let n = 0; n < 150; n++) {
    world.step()
    mj.mj_step(model, data)
    for (let k = 0; k < model.nq; k++) worst = Math.max(worst, Math.abs(data.qpos[k] - world.state.q[k]))
  }
  expect(world.contacts.count).toBeGreaterThan(0)
  expect(worst).toBeLessThan(1e-11)
  data.delete()
  model.delete()
})

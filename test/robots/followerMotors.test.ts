import { describe, expect, test } from 'vitest'
import { Motors } from '../../control/index.ts'
import { loadRobot, type Robot, writeUrdf } from '../../robots/index.ts'
import { loadExamined } from '../../robots/load.ts'
import { World } from '../../simulation/index.ts'

/* Motors at joints that follow others: the coordinate of the leader feels |multiplier| times their effort, q = multiplier q' + offset. */

const slide = (name: string, mass: number, more = '') =>
  `<body name="${name}"><joint name="${name}" type="slide" axis="1 0 0" ${more}/><geom size="0.01" mass="${mass}" contype="0" conaffinity="0"/></body>`
const coupled = (pairs: string, actuators: string, more = '') =>
  loadRobot(
    `<mujoco><option gravity="0 0 0"/><worldbody>${slide('a', 0.2, more)}${slide('b', 0.2)}${slide('c', 0.1)}</worldbody><equality>${pairs}</equality><actuator>${actuators}</actuator></mujoco>`,
    { file: 'm.xml', ground: false },
  )
const follows = (one: string, other: string, slope = 1) =>
  `<joint joint1="${one}" joint2="${other}" polycoef="0 ${slope} 0 0 0"/>`
const limitOf = ({ joints, model }: Robot, name: string) => model.effortLimit[joints.find((joint) => joint.name === name)!.vIndex]

describe('MJCF', () => {
  test.each([
    ['at the leader', follows('b', 'a', 2), '<motor joint="a" ctrlrange="-20 20"/>', 20],
    ['at the follower', follows('b', 'a', 2), '<motor joint="b" ctrlrange="-20 20"/>', 40],
    ['at the follower of a follower', follows('c', 'b', -3) + follows('b', 'a', 2), '<motor joint="c" ctrlrange="-5 5"/>', 30],
    ['at both', follows('b', 'a', 2), '<motor joint="b" ctrlrange="-5 5"/><motor joint="a" ctrlrange="-4 4"/>', 14],
    ['behind a gear', follows('b', 'a', -2), '<motor joint="b" gear="3" ctrlrange="-5 5"/>', 30],
    ['servo of a bounded force', follows('b', 'a', 0.5), '<position joint="b" kp="100" forcerange="-8 8"/>', 4],
    ['nowhere near', follows('b', 'a', 0.5), '<motor joint="c" ctrlrange="-5 5"/>', 0],
  ])('effort limit of the leader with a motor %s', (_, pairs, actuators, limit) => {
    expect(limitOf(coupled(pairs, actuators), 'a')).toBeCloseTo(limit, 12)
  })

  test('the bound of efforts at a follower is that of its own motors, as in MuJoCo, not of its leader', () => {
    const robot = coupled(
      follows('a', 'b', 2),
      '<motor joint="a" ctrlrange="-20 20"/><motor joint="b"/>',
      'actuatorfrcrange="-3 3"',
    )
    const world = new World({ robot, dt: 1e-3, contactModel: 'ncp', fixtures: [], controller: new Motors(robot, [9, 1]) })
    world.step()
    // 2 times 3 N and 1 N move 0.2 kg and, at twice the speed, another 0.2 kg
    expect(world.state.v[robot.joints[0].vIndex]).toBeCloseTo((1e-3 * (2 * 3 + 1)) / (0.2 + 4 * 0.2), 12)
  })

  test('a motor at the last of a chain moves all of it', () => {
    const robot = coupled(follows('c', 'b', -3) + follows('b', 'a', 2), '<motor joint="c" ctrlrange="-5 5"/>')
    const world = new World({ robot, dt: 1e-3, contactModel: 'ncp', fixtures: [], controller: new Motors(robot, [1]) })
    for (let n = 0; n < 100; n++) world.step()
    // multipliers 1, 2, -6: inertia 0.2 + 4 * 0.2 + 36 * 0.1, force -6 N; v = a t
    expect(world.state.v[0]).toBeCloseTo((-6 / 4.6) * 0.1, 12)
  })
})

const link = (name: string) =>
  `<link name="${name}_link"><inertial><mass value="0.2"/><inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial></link>`
const finger = (name: string, limits: string, more = '') =>
  `${link(name)}<joint name="${name}" type="prismatic"><parent link="world"/><child link="${name}_link"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" ${limits}/>${more}</joint>`
const gripper = (leader: string, follower: string, multiplier = -2) =>
  loadRobot(
    `<robot name="g"><link name="world"/>${finger('a', leader)}${finger('b', follower, `<mimic joint="a" multiplier="${multiplier}"/>`)}</robot>`,
    { file: 'g.urdf' },
  )

describe('URDF', () => {
  test.each([
    ['effort of the leader counts, where it states one', 'effort="10" velocity="9"', 'effort="30" velocity="9"', 10, 4.5],
    ['a leader of effort 0 has the motor of its follower', 'effort="0" velocity="1"', 'effort="30" velocity="9"', 60, 1],
    ['neither states one', 'effort="0" velocity="1"', 'effort="0" velocity="9"', Infinity, 1],
  ])('%s; the slower of both bounds the speed', (_, leader, follower, effort, speed) => {
    const { model } = gripper(leader, follower)
    expect([model.effortLimit[0], model.velocityLimit[0]]).toEqual([effort, speed])
  })
})

describe('springs and rotors in <dynamics> of URDF', () => {
  const sprung = (dynamics: string, more = '') =>
    `<robot name="r"><link name="world"/>${finger('a', 'effort="9" velocity="9"', `<dynamics ${dynamics}/>`)}${more}</robot>`
  const gazebo = '<gazebo reference="a"><springStiffness>7</springStiffness></gazebo>'

  test.each([
    ['spring', 'spring_stiffness="40" spring_reference="0.1"', '', [40, 0.1, 0]],
    ['spring about 0', 'spring_stiffness="40"', '', [40, 0, 0]],
    ['rotor', 'armature="0.3"', '', [0, 0, 0.3]],
    ['spring that pushes', 'spring_stiffness="-40"', '', [0, 0, 0]],
    ['spring where Gazebo has another', 'spring_stiffness="40" spring_reference="0.1"', gazebo, [7, 0, 0]],
    ['gains of other tools', 'D="1" K="7000" mu_viscous="16"', '', [0, 0, 0]],
  ])('%s', (_, dynamics, more, wanted) => {
    const { model } = loadRobot(sprung(dynamics, more), { file: 'r.urdf' })
    expect([model.stiffness[0], model.springReference[0], model.armature[0]]).toEqual(wanted)
  })

  test('are written back', () => {
    const { examined, robot } = loadExamined(sprung('spring_stiffness="40" spring_reference="0.1" armature="0.3"'), {
      file: 'r.urdf',
    })
    for (const source of [undefined, examined.root]) {
      const { model } = loadRobot(writeUrdf(examined.repaired, { source }), { file: 'r.urdf' })
      expect([model.stiffness[0], model.springReference[0], model.armature[0]]).toEqual([40, 0.1, 0.3])
      expect(model.armature).toEqual(robot.model.armature)
    }
  })

  test('a load of m hangs at the reference less m g / k, and a rotor falls with g m / (m + armature)', () => {
    const text = (dynamics: string) => sprung(dynamics).replace('xyz="1 0 0"', 'xyz="0 0 1"')
    const hang = new World({
      robot: loadRobot(text('damping="5" spring_stiffness="40" spring_reference="0.1"'), { file: 'r.urdf' }),
      ...{ dt: 1e-3, contactModel: 'ncp', fixtures: [] },
    })
    for (let n = 0; n < 3000; n++) hang.step()
    expect(hang.state.q[0]).toBeCloseTo(0.1 - (0.2 * 9.81) / 40, 6)
    const fall = new World({
      robot: loadRobot(text('armature="0.3"'), { file: 'r.urdf' }),
      dt: 1e-3,
      contactModel: 'ncp',
      fixtures: [],
    })
    for (let n = 0; n < 100; n++) fall.step()
    expect(fall.state.v[0]).toBeCloseTo((-0.1 * 9.81 * 0.2) / 0.5, 10)
  })
})

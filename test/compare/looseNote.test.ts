import { expect, test } from 'vitest'
import { floatingNotice, limitsNote } from '../../compare/scenario/world/start.ts'
import { loadOwnRobot, OWN_ROBOTS } from '../../robots/files.ts'
import { loadRobot } from '../../robots/index.ts'

/** An arm of one joint whose root is a plate, with or without collision shapes. */
const arm = (hasShapes: boolean) => {
  const link = (name: string, size: string, z: number) => `<link name="${name}">
    <inertial><origin xyz="0 0 ${z}"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    ${hasShapes ? `<collision><origin xyz="0 0 ${z}"/><geometry><box size="${size}"/></geometry></collision>` : ''}</link>`
  return loadRobot(
    `<robot name="arm">${link('plate', '0.3 0.3 0.02', 0.01)}${link('boom', '0.05 0.05 0.5', 0.3)}
    <joint name="hinge" type="revolute"><parent link="plate"/><child link="boom"/><origin xyz="0 0 0.05"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="1"/></joint></robot>`,
    { file: 'arm.urdf' },
  )
}

test('a robot that stands on its root alone, or on nothing, is said to float, with the remedy', () => {
  const standing = arm(true)
  expect(floatingNotice(standing, standing.home, undefined)).toMatch(
    /^"arm" lies loose on the ground .*"plate" to no world.*--fixed/,
  )
  const bare = arm(false)
  expect(floatingNotice(bare, bare.home, undefined)).toMatch(/^"arm" has nothing to stand on: .*--fixed/)
})

test('nothing is said of a base that was stated, of one that is fixed, and of robots on wheels or feet', () => {
  const standing = arm(true)
  expect(floatingNotice(standing, standing.home, 'floating')).toBeNull()
  for (const name of OWN_ROBOTS) {
    const robot = loadOwnRobot(name)
    expect(floatingNotice(robot, robot.home, undefined)).toBeNull()
  }
})

test('joints that start beyond their limits are named with position, limits and remedy; those at a limit are not', () => {
  const robot = arm(true)
  const [{ qIndex }] = robot.joints
  const at = (angle: number) => limitsNote(robot, robot.home.with(qIndex, angle))
  expect(at(1.4)).toMatch(/^"arm" starts with hinge at 1\.4 rad, beyond its limits -1 to 1 rad\. Give it other start\.joints/)
  expect(at(-1.4)).toMatch(/hinge at -1\.4 rad/)
  expect([-1, 0, 1].map(at)).toEqual([null, null, null])
  for (const name of OWN_ROBOTS) {
    const own = loadOwnRobot(name)
    expect(limitsNote(own, own.home)).toBeNull()
  }
})

import { expect, test } from 'vitest'
import { loadRobot } from '../../robots/index.ts'
import { ballAround } from '../../viewer/stage/ballAround.ts'
import { RobotView } from '../../viewer/stage/robotView.ts'

test('a robot that was never drawn is framed where it stands', () => {
  const ball = '<collision><origin xyz="0 0 1"/><geometry><sphere radius="0.1"/></geometry></collision>'
  const inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
  const foot = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
  const robot = loadRobot(`<robot name="r"><link name="a">${inertial}${ball}${foot}</link></robot>`, { file: 'r.urdf' })
  const { center, radius } = ballAround(new RobotView(robot, [], '#888', 0, 0.01).group) ?? { center: undefined, radius: 0 }
  // two balls of 0.1, one at 0.1 over the ground and one a metre above it: a box of 0.2 x 0.2 x 1.2
  expect(center?.z).toBeCloseTo(0.6, 2)
  expect(radius).toBeCloseTo(Math.hypot(0.1, 0.1, 0.6), 2)
})

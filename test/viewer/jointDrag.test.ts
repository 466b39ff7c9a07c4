import { Ray, Vector3 } from 'three'
import { expect, test } from 'vitest'
import { loadOwnRobot } from '../../robots/files.ts'
import { dragJoint, jointOf } from '../../viewer/interaction/jointDrag.ts'
import { RobotView } from '../../viewer/stage/robotView.ts'

const robot = loadOwnRobot('humanoid')
const view = new RobotView(robot, [], '#fff', 0, 0.01)
const elbow = robot.joints.find(({ name }) => name === 'left_elbow_joint') as (typeof robot.joints)[number]
const wrist = new Vector3(0, 0, -0.2) // in the forearm's axes

/** A ray from afar through the wrist, as it is with the elbow at this angle. */
function rayThrough(angle: number): Ray {
  const q = robot.home.slice()
  q[elbow.qIndex] = angle
  view.pose(q)
  const direction = new Vector3(0.2, -1, -0.1).normalize()
  return new Ray(view.placeOf(elbow.body, wrist).addScaledVector(direction, -3), direction)
}

test('a link that is dragged turns its joint until the point under the pointer is on the line of sight', () => {
  const ray = rayThrough(-0.8)
  const q = robot.home.slice()
  for (let move = 0; move < 3; move++) dragJoint(robot, view, q, elbow.body, wrist, ray)
  expect(q[elbow.qIndex]).toBeCloseTo(-0.8, 4)
  expect(q.filter((value, k) => value !== robot.home[k]).length).toBe(1)
})

test('it stops at the limit of the joint, and a link without a joint of its own moves by the next towards the base', () => {
  const q = robot.home.slice()
  for (let move = 0; move < 20; move++) dragJoint(robot, view, q, elbow.body, wrist, rayThrough(-3.1))
  expect(q[elbow.qIndex]).toBeGreaterThanOrEqual(robot.model.lower[elbow.vIndex])
  expect(jointOf(robot, 1)).toBe(undefined)
  expect(jointOf(robot, elbow.body)?.name).toBe('left_elbow_joint')
})

import { type ExaminedRobot, type Robot, type RobotDescription, writeUrdf } from '../../robots/index.ts'
import { type Mujoco, mujocoOfUrdf } from './mujoco.ts'

/**
 * The robot inside MuJoCo by a URDF written from its repaired description, without shapes: two readers of one file. What the
 * repair did is in the file; what reading, merging of links and resolving of mimic joints did is not.
 */
export function mujocoOfRobot({ robot, examined }: { robot: Robot; examined: ExaminedRobot }): Promise<Mujoco> {
  const { repaired } = examined
  const text = writeUrdf(withoutBalls(repaired), { visuals: false, collisions: false, declareWorld: true })
  const children = new Map(repaired.joints.map(({ name, child }) => [name, child]))
  // the joint of a base that floats by itself stands in no file
  return mujocoOfUrdf(text, robot.model, (joint) => children.get(joint) ?? repaired.root)
}

/** Joints of several coordinates as fixed ones: MuJoCo's URDF reader knows them at most at the root. */
function withoutBalls(description: RobotDescription): RobotDescription {
  const single = new Set(['revolute', 'continuous', 'prismatic', 'fixed'])
  return {
    ...description,
    joints: description.joints.map((joint) => (single.has(joint.type) ? joint : { ...joint, type: 'fixed' })),
  }
}

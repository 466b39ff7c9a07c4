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

/** Joints of several coordinates as fixed ones, which MuJoCo's URDF reader knows at most at the root; links of the least mass that it reads. */
function withoutBalls(description: RobotDescription): RobotDescription {
  const single = new Set(['revolute', 'continuous', 'prismatic', 'fixed'])
  const least = { origin: { xyz: [0, 0, 0], rpy: [0, 0, 0] }, mass: 1e-13, inertia: [1e-14, 1e-14, 1e-14, 0, 0, 0] } as const
  return {
    ...description,
    links: description.links.map((link) =>
      (link.inertial?.mass ?? 0) > 0 ? link : { ...link, inertial: { ...least, place: link.place, inertiaPlace: link.place } },
    ),
    joints: description.joints.map((joint) => (single.has(joint.type) ? joint : { ...joint, type: 'fixed' })),
  }
}

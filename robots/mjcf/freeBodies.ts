import { placeOf, poseOfOrigin } from '../compile/pose.ts'
import type { ActuatorDescription, FreeBodies, JointDescription, TendonDescription } from '../description.ts'

/**
 * The robot among what a file lets move, and its objects. The robot's base is fixed where joints attach some of it to the world, and floats
 * on a free joint whose body carries joints; of several such trees the one with the most actuators decides, of equal ones that on the
 * world, then the first. A file whose only free body is all that moves has that as its robot. Other free bodies without joints of their
 * own are objects. A free joint that is not the base's gets coordinates in the world, and its pose in the file as `initial`.
 */
export function readFreeBodies(
  joints: { -readonly [K in keyof JointDescription]: JointDescription[K] }[],
  actuators: readonly ActuatorDescription[],
  tendons: readonly TendonDescription[],
): FreeBodies {
  const above = new Map(joints.map((joint) => [joint.child, joint]))
  const driven = new Set(actuators.map(({ joint }) => joint))
  const free = joints.filter(({ type }) => type === 'floating')
  /** Actuators of each tree that has joints, by its free joint; undefined is the world. */
  const trees = new Map<JointDescription | undefined, number>()
  for (const joint of joints) {
    if (joint.type === 'fixed' || joint.type === 'floating') continue
    let root = above.get(joint.parent)
    // a body inside one of its name, which is an error, is its own parent
    for (let n = 0; root && root.type !== 'floating'; n++) root = n < joints.length ? above.get(root.parent) : undefined
    trees.set(root, (trees.get(root) ?? 0) + (driven.has(joint.name) ? 1 : 0))
  }
  const most = Math.max(...trees.values())
  const base =
    trees.size > 0 ? [undefined, ...free].find((root) => trees.get(root) === most) : free.length === 1 ? free[0] : undefined
  for (const joint of free) {
    if (joint === base) continue
    joint.initial = placeOf(poseOfOrigin(joint.origin))
    joint.origin = { xyz: [0, 0, 0], rpy: [0, 0, 0] }
  }
  const others = free.filter((joint) => joint !== base)
  // what a tendon or an actuator reaches is of the robot
  const reached = new Set(
    [...tendons.map(({ parts }) => parts), ...actuators.flatMap(({ lengths = [] }) => lengths)]
      .flatMap((parts) => parts.flatMap(({ joint, at, other }) => [joint, at?.link, other?.link]))
      .concat(actuators.map(({ attracts }) => attracts)),
  )
  return {
    ...(base && { base: base.name }),
    objects: others
      .filter((joint) => !trees.has(joint) && !reached.has(joint.child) && !reached.has(joint.name))
      .map(({ name }) => name),
    isPlaced: others.length > 0 || joints.some(({ mocap }) => mocap),
  }
}

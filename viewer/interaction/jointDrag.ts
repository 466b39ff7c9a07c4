import type { Ray, Vector3 } from 'three'
import type { Robot } from '../../robots/index.ts'
import type { RobotView } from '../stage/robotView.ts'

/** Difference by which a joint's effect on a point is measured [rad or m]. */
const STEP = 1e-4
/** Steps of Gauss and Newton after each move of the pointer. */
const STEPS = 4

/** The joint with a coordinate that moves a body: its own, or that of the nearest body towards the base. */
export function jointOf({ joints, model }: Robot, body: number): Robot['joints'][number] | undefined {
  for (let at = body; at > 0; at = model.parent[at]) {
    const joint = joints.find((one) => one.body === at)
    if (joint) return joint
  }
  return undefined
}

/**
 * Turns or slides one joint so that a point of a body comes nearest to a ray, within the joint's limits: least squares in one unknown.
 *
 * @param view is posed on the way @param q the configuration (nq), changed @param own the point in the body's axes [m]
 */
export function dragJoint(robot: Robot, view: RobotView, q: Float64Array, body: number, own: Vector3, ray: Ray): void {
  const joint = jointOf(robot, body)
  if (!joint) return
  const { qIndex, vIndex } = joint
  /** From the ray to the point, across the ray [m]. */
  const aside = (value: number) => {
    q[qIndex] = value
    view.pose(q)
    const from = view.placeOf(body, own).sub(ray.origin)
    return from.addScaledVector(ray.direction, -from.dot(ray.direction))
  }
  const [low, high] = [robot.model.lower[vIndex], robot.model.upper[vIndex]]
  let value = q[qIndex]
  for (let k = 0; k < STEPS; k++) {
    const error = aside(value)
    const effect = aside(value + STEP)
      .sub(error)
      .divideScalar(STEP)
    const strength = effect.lengthSq()
    if (strength < 1e-12) break // it points along the line of sight
    const by = -effect.dot(error) / strength
    value = Math.min(high, Math.max(low, value + Math.max(-0.3, Math.min(0.3, by))))
  }
  aside(value)
}

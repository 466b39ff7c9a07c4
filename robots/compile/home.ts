import { lowestPoint } from '../../contact/geometry/index.ts'
import { createState, type Data, JointType, kinematics, type Model, quaternionOfRotation } from '../../dynamics/index.ts'
import type { CollisionShape } from '../robot.ts'
import { compose, type Pose } from './pose.ts'

/**
 * nq: each joint of one coordinate at zero or, where its limits exclude that, at the limit nearest to it; joints of several
 * coordinates at identity.
 *
 * @param base    pose of a floating base: its position and orientation in the world
 * @param initial of the joint under each body, where the file states its position
 */
export function zeroPose(
  model: Model,
  base: Pose | undefined,
  initial: readonly (readonly number[] | undefined)[] = [],
): Float64Array {
  const { q } = createState(model)
  for (let body = 1; body < model.nb; body++) {
    const type = model.jointType[body]
    const k = model.qStart[body]
    const stated = initial[body]
    if (stated && stated.length > 1) q.set(stated, k)
    if ((type !== JointType.revolute && type !== JointType.prismatic) || model.qStart[body + 1] === k) continue
    const v = model.vStart[body]
    q[k] = Math.min(Math.max(stated?.[0] ?? 0, model.lower[v]), model.upper[v])
  }
  if (base) {
    q.set(base.p)
    quaternionOfRotation(q, 3, base.R)
  }
  return q
}

/**
 * Moves a floating base up or down until the lowest collision point of its tree is at z = 0, if there is one. @unchecked
 *
 * @param data scratch of this model
 */
export function setOnGround(model: Model, q: Float64Array, shapes: readonly CollisionShape[], data: Data): void {
  const state = createState(model)
  state.q.set(q)
  kinematics(model, state, data)
  const lowest = new Float64Array(3)
  let height = Infinity
  for (const { shape, body, R, p } of shapes) {
    if (treeOf(model, body) !== 1) continue
    const placed = compose({ R: data.R_WB[body], p: data.p_WB[body] }, { R, p })
    lowestPoint(shape, placed.R, placed.p, lowest)
    height = Math.min(height, lowest[2])
  }
  if (height < Infinity) q[2] -= height
}

/** The root body of the tree of a body; 0 for the world. */
function treeOf({ parent }: Model, body: number): number {
  let root = body
  while (root > 0 && parent[root] > 0) root = parent[root]
  return root
}

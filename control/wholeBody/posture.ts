import type { Robot } from '../../robots/index.ts'
import { trajectoriesOf } from '../controllers/computedTorque.ts'
import type { JointTrajectory } from '../controllers/jointTrajectories.ts'
import { given } from '../expected.ts'
import { type Response, type Task, type TaskRows, taskRows } from './task.ts'

export interface PostureOptions extends Response {
  /** Of joints that keep their pose, and of those that follow the trajectory. */
  readonly weight?: number
  readonly following?: number
  /** Reference of the joints. Default, and where it is NaN: the pose at the first tick. */
  readonly trajectory?: (robot: Robot) => JointTrajectory
}

interface PostureMemory extends TaskRows {
  /** Of each joint: at the first tick, NaN before it; and now, with its derivatives. */
  readonly held: Float64Array
  readonly q: Float64Array
  readonly v: Float64Array
  readonly a: Float64Array
}

/** Every joint keeps its position, or follows its trajectory: a row a joint, a = a_ref + 2 zeta omega (v_ref - v) + omega² (q_ref - q). */
export function posture(options: PostureOptions = {}): Task<PostureMemory> {
  const { omega = 8, damping = 1, weight = 0.02, following = 10, trajectory } = given('posture', options)
  const trajectories = trajectory && trajectoriesOf(trajectory)
  return {
    init({ robot: { joints }, model: { nv } }) {
      const rows = taskRows(joints.length, nv)
      joints.forEach(({ vIndex }, j) => {
        rows.J[j * nv + vIndex] = 1
      })
      const room = () => new Float64Array(joints.length)
      return { ...rows, held: room().fill(NaN), q: room(), v: room(), a: room() }
    },
    write({ wanted, weight: price, held, q, v, a }, seen) {
      const { joints } = seen.robot
      q.fill(NaN)
      trajectories?.(seen.robot).sample(seen.state.t, q, v, a)
      for (let j = 0; j < joints.length; j++) {
        const { qIndex, vIndex } = joints[j]
        if (Number.isNaN(held[j])) held[j] = seen.q[qIndex]
        const follows = !Number.isNaN(q[j])
        price[j] = follows ? following : weight
        const place = follows ? q[j] : held[j]
        wanted[j] = omega * (omega * (place - seen.q[qIndex]) - 2 * damping * seen.v[vIndex])
        if (follows) wanted[j] += a[j] + 2 * damping * omega * v[j]
        seen.target.joints[j] = place
      }
    },
  }
}

import type { Robot } from '../../robots/index.ts'
import type { JointTrajectory } from '../controllers/jointTrajectories.ts'
import { smoothStep } from '../paths.ts'
import { knotsOf, segmentAt, type Waypoint } from './waypoints.ts'

/**
 * From waypoint to waypoint at rest by the quintic 10 s^3 - 15 s^4 + 6 s^5, which has no speed and no acceleration at either end
 * (Craig, Introduction to Robotics, section 7.3). Before the first and after the last it is at rest.
 *
 * @throws ControllerError as `knotsOf` does
 */
export function quinticTrajectory(robot: Robot, waypoints: readonly Waypoint[]): JointTrajectory {
  const { n, times, q: knots } = knotsOf(robot, waypoints, true)
  const local = new Float64Array(1)
  const step = new Float64Array(4)
  return {
    sample(t, q, v, a) {
      const i = segmentAt(times, t[0])
      local[0] = t[0] - times[i]
      smoothStep(local, times[i + 1] - times[i], step)
      for (let j = 0; j < n; j++) {
        const start = knots[i * n + j]
        const length = knots[(i + 1) * n + j] - start
        q[j] = step[0] === 1 ? knots[(i + 1) * n + j] : start + length * step[0]
        v[j] = length * step[2]
        a[j] = length * step[3]
      }
    },
  }
}

import type { Robot } from '../../robots/index.ts'
import type { JointTrajectory } from '../controllers/jointTrajectories.ts'
import { given } from '../expected.ts'
import { knotsOf, refused, segmentAt, type Waypoint } from './waypoints.ts'

export interface TrapezoidalOptions {
  /** Share of the joints' stated speed limits that is used. Default 0.5. */
  readonly speedShare?: number
  /** Speed of joints that state no limit [rad/s, m/s], and acceleration of all [rad/s², m/s²]. Default 1, 2. */
  readonly speed?: number
  readonly acceleration?: number
}

/**
 * From waypoint to waypoint at rest, all joints along one straight line in joint space, with a trapezoidal velocity: constant
 * acceleration up to the greatest speed, which is kept, and the same back (Craig, section 7.3; a triangle for short distances). Each
 * segment takes the least time that the limits of speed and acceleration of its slowest joint allow. Starts at t = 0.
 *
 * @throws ControllerError as `knotsOf` does, and for limits that are not positive
 */
export function trapezoidalTrajectory(
  robot: Robot,
  waypoints: readonly Waypoint[],
  options: TrapezoidalOptions = {},
): JointTrajectory {
  const { speedShare = 0.5, speed = 1, acceleration = 2 } = given('trapezoidal', options)
  const { n, times, q: knots } = knotsOf(robot, waypoints, false)
  const segments = times.length - 1
  // of s from 0 to 1: greatest rate, and its rate of change
  const rate = new Float64Array(segments)
  const growth = new Float64Array(segments)
  for (let i = 0; i < segments; i++) {
    rate[i] = Infinity
    growth[i] = Infinity
    robot.joints.forEach(({ vIndex }, j) => {
      const length = Math.abs(knots[(i + 1) * n + j] - knots[i * n + j])
      if (!(length > 0)) return
      const stated = robot.model.velocityLimit[vIndex]
      rate[i] = Math.min(rate[i], (Number.isFinite(stated) ? speedShare * stated : speed) / length)
      growth[i] = Math.min(growth[i], acceleration / length)
    })
    if (rate[i] === Infinity) throw refused(`waypoints ${i} and ${i + 1} are the same; leave one out`)
    rate[i] = Math.min(rate[i], Math.sqrt(growth[i]))
    times[i + 1] = times[i] + 1 / rate[i] + rate[i] / growth[i]
  }
  return {
    sample(t, q, v, a) {
      const i = segmentAt(times, t[0])
      const whole = times[i + 1] - times[i]
      const now = Math.min(whole, Math.max(0, t[0] - times[i]))
      const left = whole - now
      const rise = rate[i] / growth[i]
      let s: number
      let ds = rate[i]
      let dds = 0
      if (now < rise) {
        s = 0.5 * growth[i] * now * now
        ds = growth[i] * now
        dds = now > 0 ? growth[i] : 0
      } else if (left < rise) {
        s = 1 - 0.5 * growth[i] * left * left
        ds = growth[i] * left
        dds = left > 0 ? -growth[i] : 0
      } else s = rate[i] * (now - 0.5 * rise)
      for (let j = 0; j < n; j++) {
        const start = knots[i * n + j]
        const length = knots[(i + 1) * n + j] - start
        q[j] = left <= 0 ? knots[(i + 1) * n + j] : start + length * s
        v[j] = length * ds
        a[j] = length * dds
      }
    },
  }
}

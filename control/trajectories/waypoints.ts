import type { Robot } from '../../robots/index.ts'
import { ControllerError } from '../controllerError.ts'
import { given } from '../expected.ts'

/** Target of named joints. Joints that no waypoint names stay at home, continuous ones without reference. */
export interface Waypoint {
  /** Time at which it is passed [s]; rises from one waypoint to the next. Not read where speed limits determine the times. */
  readonly t?: number
  /** One of the robot's named poses (a group state of its SRDF, a keyframe), as `name` or `group/name`, or `home`. */
  readonly pose?: string
  /** Positions by joint name [rad, m]; they override the pose's. */
  readonly joints?: Readonly<Record<string, number>>
}

/** Waypoints as numbers: times, and n positions each. */
export interface Knots {
  readonly n: number
  readonly times: Float64Array
  /** times x n, row-major; NaN for joints without reference. */
  readonly q: Float64Array
}

/**
 * A joint that a waypoint leaves out keeps its position of the one before, at the first that of home.
 *
 * @param timed whether the waypoints' times are used
 * @throws ControllerError for fewer than two waypoints, times that do not rise, and unknown names
 */
export function knotsOf(robot: Robot, waypoints: readonly Waypoint[], timed: boolean): Knots {
  given('waypoints', waypoints, 'waypoints')
  const { joints, home, model } = given('robot', robot, 'robot')
  const n = joints.length
  if (waypoints.length < 2) throw refused(`there are ${waypoints.length} waypoints; state two or more`)
  const named = new Set(
    waypoints.flatMap(({ pose, joints: given }) => (pose === undefined ? Object.keys(given ?? {}) : joints.map((j) => j.name))),
  )
  const times = new Float64Array(waypoints.length)
  const q = new Float64Array(waypoints.length * n)
  waypoints.forEach(({ t, pose, joints: given = {} }, i) => {
    if (timed) {
      if (t === undefined || !Number.isFinite(t)) throw refused(`waypoint ${i} has the time ${t}; state a number of seconds`)
      if (i > 0 && !(t > times[i - 1])) throw refused(`waypoint ${i} is at ${t} s, which is not after ${times[i - 1]} s`)
      times[i] = t
    }
    for (const name of Object.keys(given))
      if (!joints.some((joint) => joint.name === name))
        throw refused(
          `waypoint ${i} names "${name}", but "${robot.name}" has no such moving joint; it has ${joints.map((j) => j.name).join(', ')}`,
        )
    const from = pose === undefined ? undefined : poseNamed(robot, pose)
    joints.forEach(({ name, qIndex, type }, j) => {
      const free = type === 'continuous' && !named.has(name)
      const before = i === 0 ? (free ? NaN : home[qIndex]) : q[(i - 1) * n + j]
      const place = Object.hasOwn(given, name) ? given[name] : from === undefined ? before : from[qIndex]
      const k = joints[j].vIndex
      if (!Number.isNaN(place) && !(place >= model.lower[k] - 1e-9 && place <= model.upper[k] + 1e-9))
        throw refused(`waypoint ${i} puts "${name}" at ${place}, outside its limits, ${model.lower[k]} to ${model.upper[k]}`)
      q[i * n + j] = place
    })
  })
  return { n, times, q }
}

/** nq of a named pose. @throws ControllerError with the names there are */
export function poseNamed(of: Robot, wanted: string): Float64Array {
  const { name: robot, poses, home } = given('robot', of, 'robot')
  const found = poses.find(({ name, group }) => wanted === name || wanted === `${group}/${name}`)
  if (found !== undefined) return found.q
  if (wanted === 'home') return home
  const known = ['home', ...poses.map(({ name, group }) => `${group}/${name}`)].join(', ')
  throw refused(`"${robot}" has no pose "${wanted}"; it has ${known}. Poses stand in the robot's SRDF file`)
}

/** Index of the segment that holds t: of the last knot that is not after it, at most the last but one. */
export function segmentAt(times: Float64Array, t: number): number {
  let low = 0
  let high = times.length - 1
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (times[middle] <= t) low = middle
    else high = middle
  }
  return low
}

export const refused = (message: string) => new ControllerError('trajectory', message)

import type { Robot } from '../../robots/index.ts'
import type { JointTrajectory } from '../controllers/jointTrajectories.ts'
import { knotsOf, segmentAt, type Waypoint } from './waypoints.ts'

/**
 * The cubic spline through the waypoints that starts and ends at rest: position, velocity and acceleration are continuous between
 * the first and the last (de Boor, A Practical Guide to Splines, chapter IV, the complete spline). Before and after it is at rest.
 *
 * @throws ControllerError as `knotsOf` does
 */
export function cubicSpline(robot: Robot, waypoints: readonly Waypoint[]): JointTrajectory {
  const { n, times, q: knots } = knotsOf(robot, waypoints, true)
  const slopes = slopesOf(times, knots, n)
  const last = times.length - 1
  return {
    sample(t, q, v, a) {
      const i = segmentAt(times, t[0])
      const h = times[i + 1] - times[i]
      const s = Math.min(h, Math.max(0, t[0] - times[i]))
      const moves = t[0] >= times[0] && t[0] <= times[last]
      for (let j = 0; j < n; j++) {
        const start = knots[i * n + j]
        const end = knots[(i + 1) * n + j]
        const m0 = slopes[i * n + j]
        const m1 = slopes[(i + 1) * n + j]
        const mean = (end - start) / h
        // Newton's form: q = start + s (m0 + s (c + s d))
        const d = (m0 + m1 - 2 * mean) / (h * h)
        const c = (mean - m0) / h - d * h
        q[j] = s === h ? end : start + s * (m0 + s * (c + s * d))
        v[j] = moves ? m0 + s * (2 * c + 3 * s * d) : 0
        a[j] = moves ? 2 * c + 6 * s * d : 0
      }
    },
  }
}

/** Slopes at the knots, from the tridiagonal equations of a continuous second derivative; zero at both ends. */
function slopesOf(times: Float64Array, knots: Float64Array, n: number): Float64Array {
  const count = times.length
  const m = new Float64Array(count * n)
  const pivot = new Float64Array(count)
  const h = (i: number) => times[i + 1] - times[i]
  for (let i = 1; i < count - 1; i++) {
    // h_i m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_{i-1} m_{i+1} = 3 (h_i mean_{i-1} + h_{i-1} mean_i)
    const factor = i === 1 ? 0 : h(i) / pivot[i - 1]
    pivot[i] = 2 * (h(i - 1) + h(i)) - (i === 1 ? 0 : factor * h(i - 2))
    for (let j = 0; j < n; j++) {
      const before = (knots[i * n + j] - knots[(i - 1) * n + j]) / h(i - 1)
      const after = (knots[(i + 1) * n + j] - knots[i * n + j]) / h(i)
      m[i * n + j] = 3 * (h(i) * before + h(i - 1) * after) - factor * m[(i - 1) * n + j]
    }
  }
  for (let i = count - 2; i > 0; i--)
    for (let j = 0; j < n; j++) m[i * n + j] = (m[i * n + j] - h(i - 1) * m[(i + 1) * n + j]) / pivot[i]
  return m
}

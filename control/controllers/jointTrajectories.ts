import { cos, sin } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import { driveWheels } from '../driveWheels.ts'
import { given } from '../expected.ts'
import { smoothStep } from '../paths.ts'

/** Reference positions of joints over time. `sample` writes one entry a moving joint; q is NaN for joints without reference. */
export interface JointTrajectory {
  sample(t: Float64Array, q: Float64Array, v: Float64Array, a: Float64Array): void
}

export interface WaveOptions {
  /** Largest amplitude of a joint [rad, m]. Never above this share of its distance to the nearer limit. */
  readonly amplitude?: number
  readonly shareOfRange?: number
  /** Slowest and fastest joint [Hz]; the others lie between. */
  readonly slowest?: number
  readonly fastest?: number
  /** Time to reach the full amplitude [s]. */
  readonly ramp?: number
}

/**
 * Every joint but the drive wheels swings about the middle of its free range near home, each at a frequency of its own:
 * q = home + A r(t) sin(w t), with r the smooth start of `smoothStep`, and its exact derivatives. A is cut so that the
 * joint stays within its limits, and its peak speed A w within half of its stated speed limit.
 */
export function wave(robot: Robot, options: WaveOptions = {}): JointTrajectory {
  const { amplitude = 0.35, shareOfRange = 0.8, slowest = 0.25, fastest = 0.6, ramp = 1 } = given('wave', options)
  const { joints, model, home } = given('robot', robot, 'robot')
  const wheels = driveWheels(robot)
  const driven = new Set([...(wheels?.left ?? []), ...(wheels?.right ?? [])].map(({ joint }) => joint))
  const n = joints.length
  const center = new Float64Array(n).fill(NaN)
  const swing = new Float64Array(n)
  const omega = new Float64Array(n)
  joints.forEach(({ qIndex, vIndex }, j) => {
    if (driven.has(j)) return
    // neighbours differ, and left and right too: 0.618 spreads them over the range without a pattern
    const share = (0.618033988749895 * j) % 1
    omega[j] = 2 * Math.PI * (slowest + (fastest - slowest) * share)
    center[j] = home[qIndex]
    const room = Math.min(home[qIndex] - model.lower[vIndex], model.upper[vIndex] - home[qIndex])
    swing[j] = Math.min(amplitude, shareOfRange * Math.max(0, room), model.velocityLimit[vIndex] / (2 * omega[j]))
  })

  const start = new Float64Array(4)
  return {
    sample(t, q, v, a) {
      smoothStep(t, ramp, start)
      const r = start[0]
      const dr = start[2]
      const ddr = start[3]
      for (let j = 0; j < n; j++) {
        const w = omega[j]
        const s = sin(w * t[0])
        const c = cos(w * t[0])
        q[j] = center[j] + swing[j] * r * s
        v[j] = swing[j] * (dr * s + r * w * c)
        a[j] = swing[j] * (ddr * s + 2 * dr * w * c - r * w * w * s)
      }
    },
  }
}

import { describe, expect, test } from 'vitest'
import {
  cubicSpline,
  type JointTrajectory,
  quinticTrajectory,
  trapezoidalTrajectory,
  type Waypoint,
} from '../../control/index.ts'
import { arm } from '../simulation/robots.ts'

const robot = arm()
const waypoints: Waypoint[] = [
  { t: 0, pose: 'home' },
  { t: 0.7, joints: { joint0: 1, joint2: -0.5 } },
  { t: 1, joints: { joint0: 0.2, joint4: 1.5 } },
  { t: 2.5, pose: 'home' },
]
const n = robot.joints.length

function at(trajectory: JointTrajectory, t: number) {
  const [q, v, a] = [0, 0, 0].map(() => new Float64Array(n))
  trajectory.sample(Float64Array.of(t), q, v, a)
  return { q, v, a }
}

/** The largest difference of two samples' positions, velocities and accelerations. */
const apart = (x: Float64Array, y: Float64Array) => Math.max(...x.map((value, k) => Math.abs(value - y[k])))

/** v and a are the derivatives of q and v, away from the times at which a jumps: central differences, error h² times the fifth derivative. */
function expectDerivatives(trajectory: JointTrajectory, end: number, jumps: readonly number[] = []): void {
  const h = 1e-5
  for (let k = 1; k < 200; k++) {
    const t = (end * (k + 0.31)) / 200
    if (jumps.some((jump) => Math.abs(jump - t) < 2 * h)) continue
    const [before, now, after] = [t - h, t, t + h].map((time) => at(trajectory, time))
    expect(
      apart(
        now.v,
        after.q.map((q, j) => (q - before.q[j]) / (2 * h)),
      ),
    ).toBeLessThan(1e-6)
    expect(
      apart(
        now.a,
        after.v.map((v, j) => (v - before.v[j]) / (2 * h)),
      ),
    ).toBeLessThan(1e-5)
  }
}

describe('trajectories through waypoints', () => {
  const passed = [
    robot.home,
    robot.home.map((q, j) => [1, q, -0.5, q, q, q][j]),
    robot.home.map((q, j) => [0.2, q, -0.5, q, 1.5, q][j]),
    robot.home,
  ]
  test.each([
    ['quintic', quinticTrajectory(robot, waypoints)],
    ['cubic spline', cubicSpline(robot, waypoints)],
  ])('a %s passes them exactly, with continuous velocity and acceleration, from rest to rest', (name, trajectory) => {
    waypoints.forEach(({ t }, i) => {
      expect(apart(at(trajectory, t ?? NaN).q, passed[i])).toBeLessThan(1e-15)
    })
    for (const t of [0, 2.5]) expect(Math.max(...at(trajectory, t).v.map(Math.abs))).toBeLessThan(1e-14)
    expect(Math.max(...at(trajectory, 3).v.map(Math.abs))).toBe(0)
    expectDerivatives(trajectory, 2.5)
    for (const t of [0.7, 1]) {
      const [before, after] = [t - 1e-9, t + 1e-9].map((time) => at(trajectory, time))
      expect(apart(before.q, after.q)).toBeLessThan(1e-7)
      expect(apart(before.v, after.v)).toBeLessThan(1e-6)
      expect(apart(before.a, after.a)).toBeLessThan(1e-5)
      if (name === 'quintic') expect(Math.max(...at(trajectory, t).a.map(Math.abs))).toBeLessThan(1e-12)
    }
  })

  test('a cubic spline through points of a cubic that rests at both ends is that cubic', () => {
    const cubic = (t: number) => 0.3 * t * t * (3 - 2 * t)
    const points = [0, 0.2, 0.5, 0.9, 1].map((t) => ({ t, joints: { joint3: cubic(t) } }))
    const spline = cubicSpline(robot, points)
    for (let k = 0; k <= 50; k++) expect(Math.abs(at(spline, k / 50).q[3] - cubic(k / 50))).toBeLessThan(1e-14)
  })

  test('a trapezoid takes the least time: v / a + length / v, or 2 sqrt(length / a), and keeps to its limits', () => {
    const long = trapezoidalTrajectory(robot, [{ pose: 'home' }, { joints: { joint0: 2 } }], { speed: 1, acceleration: 4 })
    const whole = 1 / 4 + 2 / 1
    expect(at(long, whole).q[0]).toBe(2)
    expect(at(long, whole - 1e-3).q[0]).toBeCloseTo(2 - 0.5 * 4 * 1e-6, 12)
    expect(at(long, whole / 2).v[0]).toBeCloseTo(1, 14)
    expectDerivatives(long, whole, [0.25, 2])
    const short = trapezoidalTrajectory(robot, [{ pose: 'home' }, { joints: { joint0: 0.09 } }], { speed: 1, acceleration: 4 })
    expect(at(short, 0.15).v[0]).toBeCloseTo(0.6, 12) // of the time 2 sqrt(0.09 / 4) = 0.3
    expect(at(short, 0.3).q[0]).toBe(0.09)
    for (let k = 0; k <= 300; k++) {
      const { v, a } = at(long, (whole * k) / 300)
      expect(Math.max(...v.map(Math.abs))).toBeLessThanOrEqual(1 + 1e-12)
      expect(Math.max(...a.map(Math.abs))).toBeLessThanOrEqual(4 + 1e-12)
    }
  })

  test.each<[Waypoint[], RegExp]>([
    [[{ t: 0 }], /there are 1 waypoints/],
    [[{ t: 1 }, { t: 1 }], /waypoint 1 is at 1 s, which is not after 1 s/],
    [[{ t: 0 }, {}], /waypoint 1 has the time undefined/],
    [[{ t: 0 }, { t: 1, joints: { elbow: 1 } }], /waypoint 1 names "elbow".*it has joint0/],
    [[{ t: 0 }, { t: 1, joints: { joint1: 3 } }], /puts "joint1" at 3, outside its limits, -2.5 to 2.5/],
    [[{ t: 0 }, { t: 1, pose: 'ready' }], /has no pose "ready"; it has home/],
  ])('%j is refused', (given, message) => {
    expect(() => quinticTrajectory(robot, given)).toThrow(message)
  })
})

import type { Trajectory } from './trajectory.ts'

/** A robot has fallen whose base is below this part of its height at the start, or tilted farther from it than this [rad]. */
const LOW = 0.5
const TILT = Math.PI / 4

/** How the base stood over the run, and when it first stood no more. */
export function stanceOf(
  { t, position, orientation }: Trajectory,
  ground: number,
): { height: number; tilt: number; fell: number | null } {
  const start = position[2] - ground
  /** The world's vertical in the base's axes: the third row of its rotation. */
  const up = (row: number) => {
    const [x, y, z, w] = orientation.slice(4 * row, 4 * row + 4)
    return [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]
  }
  const first = up(0)
  let [height, tilt, fell] = [1, 0, null as number | null]
  t.forEach((time, row) => {
    const now = up(row)
    const part = start > 0 ? (position[3 * row + 2] - ground) / start : 1
    const angle = Math.acos(Math.max(-1, Math.min(1, now[0] * first[0] + now[1] * first[1] + now[2] * first[2])))
    height = Math.min(height, part)
    tilt = Math.max(tilt, angle)
    if (fell === null && (part < LOW || angle > TILT)) fell = time
  })
  return { height, tilt, fell }
}

/** The motion in the middle of several. */
import { angleBetween, type Trajectory, type TrajectoryPart } from '../measure/trajectory.ts'

/**
 * The median of motions with rows at the same times: of positions, joints and energies coordinate by coordinate, of orientations the one
 * among them with the least sum of angles to all others. Where some end earlier, so does the median.
 *
 * @throws RangeError without any
 */
export function medianMotion(motions: readonly Trajectory[]): Trajectory {
  if (motions.length === 0) throw new RangeError('found no motion, expected at least one')
  const rows = Math.min(...motions.map(({ t }) => t.length))
  const [first] = motions
  const parts = (i: number) => motions.map((motion) => (i < 0 ? motion : motion.others[i]))
  return {
    t: first.t.slice(0, rows),
    kinetic: medians(
      motions.map(({ kinetic }) => kinetic),
      rows,
    ),
    potential: medians(
      motions.map(({ potential }) => potential),
      rows,
    ),
    ...medianPart(parts(-1), rows),
    others: first.others.map((_, i) => medianPart(parts(i), rows)),
  }
}

function medianPart(parts: readonly TrajectoryPart[], rows: number): TrajectoryPart {
  const [{ name, joints, turns, position }] = parts
  const floats = position.length > 0
  return {
    name,
    joints,
    turns,
    position: medians(
      parts.map((part) => part.position),
      floats ? 3 * rows : 0,
    ),
    orientation: floats
      ? medoids(
          parts.map((part) => part.orientation),
          rows,
        )
      : [],
    angles: medians(
      parts.map((part) => part.angles),
      joints.length * rows,
    ),
  }
}

function medians(values: readonly (readonly number[])[], count: number): number[] {
  const n = values.length
  const sorted = new Float64Array(n)
  const out: number[] = new Array(count)
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < n; k++) sorted[k] = values[k][i]
    sorted.sort()
    out[i] = n % 2 === 1 ? sorted[n >> 1] : 0.5 * (sorted[n / 2 - 1] + sorted[n / 2])
  }
  return out
}

function medoids(orientations: readonly (readonly number[])[], rows: number): number[] {
  const out: number[] = []
  for (let row = 0; row < rows; row++) {
    let [best, least] = [0, Infinity]
    orientations.forEach((own, k) => {
      const sum = orientations.reduce((total, other) => total + (other === own ? 0 : angleBetween(own, row, other, row)), 0)
      if (sum < least) [best, least] = [k, sum]
    })
    for (let i = 0; i < 4; i++) out.push(orientations[best][4 * row + i])
  }
  return out
}

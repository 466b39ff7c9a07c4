/**
 * How far two motions are from each other: root mean square over time of each quantity, as a fraction of a scale that all runs of a
 * world share.
 */

import { angleBetween, place, type Trajectory, type TrajectoryPart } from '../measure/trajectory.ts'
import type { ErrorSeries } from '../recording/replay/series.ts'
import type { ClosedForm } from '../scenario/index.ts'
import type { RobotScale } from '../scenario/world/assemble.ts'
import { withClosedForm } from './closedForm.ts'

/** Parts of a robot's size, a right angle and its weight below which no scale falls, so that rest is not judged on noise. */
const SMALLEST_LENGTH = 0.1 // of the robot's size
const SMALLEST_ANGLE = 0.1 // rad
const SMALLEST_HEIGHT = 0.01 // of the robot's size, times its weight: an energy

/**
 * Scales of distances in a world. Quantities are the position of each floating base, its orientation and each joint, of
 * the robot first and then of the others in their order.
 */
export interface Scales {
  readonly quantities: readonly Quantity[]
  /** Largest kinetic energy plus the range of the potential energy, floored [J]. */
  readonly energy_J: number
}

/** Differences up to these do not count: see `slackOf`. */
export type Slack = Readonly<ReturnType<typeof slackOf>>

export interface Quantity {
  /** `base position`, `base orientation` or a joint's name; of the others with their name and a slash before it. */
  readonly name: string
  readonly unit: 'm' | 'rad'
  /** Largest distance from its start, floored. */
  readonly scale: number
}

/** The distance of one motion from another. */
export type Difference = Readonly<ReturnType<typeof differenceOf>>

/** The largest distance of a quantity at any time. */
export interface Farthest {
  /** [s] */
  readonly t: number
  /** In the quantity's unit. */
  readonly distance: number
  readonly unit: 'm' | 'rad'
  /** Of a base's position its part along z, upwards [m]; null of all else. */
  readonly up_m: number | null
}

/**
 * The scales of a motion: of a base's position its largest distance from its start, at least a tenth of the robot's size; of its
 * orientation the largest rotation from its start, at least 0.1 rad; of a joint its largest distance from its start, at least 0.1 rad,
 * or a tenth of the size if it slides; of the energy the largest kinetic energy plus the range of the potential energy, at least the
 * weight lifted by a hundredth of the robot's size.
 */
export function scalesOf(motion: Trajectory, { size, weight, others = [] }: RobotScale): Scales {
  const rows = motion.t.length
  const quantities = [
    ...scalesOfPart(motion, rows, size, ''),
    ...motion.others.flatMap((part, i) => scalesOfPart(part, rows, others[i] ?? size, `${part.name}/`)),
  ]
  let [fastest, highest, lowest] = [0, -Infinity, Infinity]
  for (const e of motion.kinetic) fastest = Math.max(fastest, e)
  for (const e of motion.potential) {
    highest = Math.max(highest, e)
    lowest = Math.min(lowest, e)
  }
  const floor = weight * SMALLEST_HEIGHT * size
  return { quantities, energy_J: Math.max(fastest + Math.max(0, highest - lowest), floor > 0 ? floor : Number.MIN_VALUE) }
}

function scalesOfPart(part: TrajectoryPart, rows: number, size: number, prefix: string): Quantity[] {
  const ranges = rangesOfPart(part, rows)
  const length = SMALLEST_LENGTH * size
  const quantity = (name: string, unit: 'm' | 'rad', range: number): Quantity => ({
    name: prefix + name,
    unit,
    scale: Math.max(unit === 'm' ? length : SMALLEST_ANGLE, range),
  })
  const base = part.position.length > 0 ? 2 : 0
  return [
    ...(base > 0 ? [quantity('base position', 'm', ranges[0]), quantity('base orientation', 'rad', ranges[1])] : []),
    ...part.joints.map((name, j) => quantity(name, part.turns[j] ? 'rad' : 'm', ranges[base + j])),
  ]
}

/** The largest distance of each quantity from its start, in the order of `Scales` [m, rad]. */
export const rangesOf = (motion: Trajectory): number[] =>
  [motion, ...motion.others].flatMap((part) => rangesOfPart(part, motion.t.length))

function rangesOfPart({ position: p, orientation, angles, joints }: TrajectoryPart, rows: number): number[] {
  const largest = (of: (row: number) => number) => {
    let most = 0
    for (let row = 0; row < rows; row++) most = Math.max(most, of(row))
    return most
  }
  const n = joints.length
  return [
    ...(p.length > 0
      ? [
          largest((row) => Math.hypot(p[3 * row] - p[0], p[3 * row + 1] - p[1], p[3 * row + 2] - p[2])),
          largest((row) => angleBetween(orientation, row, orientation, 0)),
        ]
      : []),
    ...joints.map((_, j) => largest((row) => Math.abs(angles[n * row + j] - angles[j]))),
  ]
}

/**
 * By how much motions may differ where one of them sinks so deep: penetration is judged by itself, and is no error of the motion too. A
 * length may be off by it, an angle by it over half the size, the energy by the weight lifted by it.
 */
export function slackOf({ quantities }: Scales, penetration: number, { size, weight }: RobotScale) {
  return {
    /** Of each quantity, in its unit. */
    quantities: quantities.map(({ unit }) => (unit === 'm' ? penetration : (2 * penetration) / size)),
    energy_J: weight * penetration,
  }
}

export interface DifferenceOptions {
  /** Later rows do not count [s]. */
  readonly until?: number
  /** Only every so-manieth row is compared. */
  readonly every?: number
  readonly slack?: Slack
}

/**
 * The distance of a motion from another, at the rows of the first; the other is taken linearly between its rows.
 */
export function differenceOf(
  run: Trajectory,
  other: Trajectory,
  scales: Scales,
  { until = Infinity, every = 1, slack }: DifferenceOptions = {},
) {
  const { quantities, energy_J } = scales
  const parts = [run, ...run.others]
  const others = [other, ...other.others]
  const at = new Float64Array(quantities.length)
  const sums = new Float64Array(quantities.length)
  const series = { t: [] as number[], tracking: [] as number[], energy: [] as number[] }
  const most = new Float64Array(quantities.length)
  const mostAt = new Int32Array(quantities.length)
  let [energySum, count] = [0, 0]
  for (let row = 0; row < run.t.length; row += every) {
    const found = place(other.t, run.t[row])
    if (found === undefined) continue
    let k = 0
    for (let i = 0; i < parts.length; i++) k = differences(parts[i], row, others[i], found.row, found.fraction, at, k)
    let worst = 0
    for (let i = 0; i < at.length; i++) {
      at[i] = beyond(at[i], slack?.quantities[i]) / quantities[i].scale
      worst = Math.max(worst, at[i])
    }
    const energyApart = Math.abs(energyAt(run, row, 0) - energyAt(other, found.row, found.fraction))
    const energy = beyond(energyApart, slack?.energy_J) / energy_J
    series.t.push(run.t[row])
    series.tracking.push(worst)
    series.energy.push(energy)
    if (run.t[row] > until) continue
    for (let i = 0; i < at.length; i++) {
      sums[i] += at[i] * at[i]
      if (at[i] > most[i]) {
        most[i] = at[i]
        mostAt[i] = row
      }
    }
    energySum += energy * energy
    count++
  }
  const rms = Array.from(sums, (sum) => Math.sqrt(sum / count))
  const worst = rms.reduce(
    (best, value, i) => (value > rms[best] || (Number.isNaN(value) && !Number.isNaN(rms[best])) ? i : best),
    0,
  )
  return {
    /** Root mean square of each quantity over its scale. */
    rms,
    /** The largest of them; 0 where nothing moves, null where the two share no time. */
    motion: count === 0 ? null : (rms[worst] ?? 0),
    /** Which one that is; undefined where nothing moves. */
    worst: count === 0 ? undefined : quantities[worst],
    /** Where that one is farthest off. */
    farthest: most[worst] > 0 ? farthestOf(run, other, worst, quantities[worst], mostAt[worst], most[worst]) : null,
    /** Root mean square of the mechanical energy over its scale. */
    energy: count === 0 ? null : Math.sqrt(energySum / count),
    series,
  }
}

function farthestOf(
  run: Trajectory,
  other: Trajectory,
  index: number,
  { scale, unit }: Quantity,
  row: number,
  most: number,
): Farthest {
  const t = run.t[row]
  const at = place(other.t, t)
  const distance = most * scale
  const parts = [run, ...run.others]
  let [first, i] = [0, 0]
  const countOf = ({ position, joints }: TrajectoryPart) => (position.length > 0 ? 2 : 0) + joints.length
  while (index >= first + countOf(parts[i])) first += countOf(parts[i++])
  const [a, b] = [parts[i], [other, ...other.others][i]]
  if (at === undefined || index !== first || a.position.length === 0) return { t, distance, unit, up_m: null }
  return { t, distance, unit, up_m: a.position[3 * row + 2] - between(b.position, 3, 2, at.row, at.fraction) }
}

const beyond = (distance: number, slack = 0) => Math.max(0, distance - slack)

/** Writes the distance of each quantity of a part to out, from k on. @returns the k behind them */
function differences(
  a: TrajectoryPart,
  row: number,
  b: TrajectoryPart,
  other: number,
  fraction: number,
  out: Float64Array,
  from: number,
): number {
  let k = from
  if (a.position.length > 0) {
    let sum = 0
    for (let i = 0; i < 3; i++) sum += (a.position[3 * row + i] - between(b.position, 3, i, other, fraction)) ** 2
    out[k++] = Math.sqrt(sum)
    let norm = 0
    for (let i = 0; i < 4; i++) {
      blended[i] = between(b.orientation, 4, i, other, fraction)
      norm += blended[i] * blended[i]
    }
    norm = Math.sqrt(norm)
    for (let i = 0; i < 4; i++) blended[i] /= norm
    out[k++] = angleBetween(a.orientation, row, blended, 0)
  }
  const n = a.joints.length
  for (let j = 0; j < n; j++) out[k++] = Math.abs(a.angles[n * row + j] - between(b.angles, n, j, other, fraction))
  return k
}

const blended = new Float64Array(4)

function between(values: readonly number[], width: number, k: number, row: number, fraction: number): number {
  const here = values[width * row + k]
  return fraction === 0 ? here : here + fraction * (values[width * (row + 1) + k] - here)
}

const energyAt = ({ kinetic, potential }: Trajectory, row: number, fraction: number) =>
  between(kinetic, 1, 0, row, fraction) + between(potential, 1, 0, row, fraction)

/** Errors of one run. null where there was nothing to compare with; `note` says why, or why the run has no cost. */
export interface RunError {
  /** Absolute maximum, as in the metrics [m]: the exact answer of rigid bodies is zero. */
  readonly penetration_m: number
  /** Judged by the verdict: the larger of the step's error and the model's, of its worst quantity, as a fraction of its scale. */
  readonly tracking: number | null
  /** Which quantity that was. */
  readonly trackingOf: string
  readonly trackingScale: number
  readonly trackingUnit: 'm' | 'rad'
  /** Likewise of the mechanical energy. */
  readonly energy: number | null
  readonly energyScale_J: number
  /** Basis of the model's own error; `reference` where nothing but the model itself was there to judge it by. */
  readonly against: 'reference' | 'consensus' | 'closed form'
  readonly parts: ErrorParts
  /** The largest of the parts of the motion error; null where it is not known. */
  readonly source: keyof ErrorParts | null
  /** Errors are of the time up to here [s]. */
  readonly until_s: number
  readonly note: string
}

/** Parts of an error. One that was not taken is null. */
export interface ErrorParts {
  /** The run against the same model at the reference's step, under a controller at the same rate. */
  readonly integrator: Part | null
  /** The same model at a fine step: under a controller at the run's rate, against the controller at its own. */
  readonly controllerRate: Part | null
  /** The model at the reference's step against the consensus of models that keep the laws, or the closed form. */
  readonly contact: Part | null
}

export interface Part {
  readonly motion: number
  /** Which quantity. */
  readonly of: string
  /** Where it is farthest off. */
  readonly farthest: Farthest | null
  readonly energy: number
}

/** The distance of a run from its reference, or from the closed form where that states something, in the reference's scales. @unchecked */
export function errorsOf(
  run: Trajectory,
  reference: Trajectory,
  scale: RobotScale,
  exact?: ClosedForm,
): {
  error: Pick<RunError, 'tracking' | 'trackingOf' | 'trackingScale' | 'trackingUnit' | 'energy' | 'energyScale_J' | 'against'>
  series: ErrorSeries
} {
  const scales = scalesOf(reference, scale)
  const { motion, worst, energy, series } = differenceOf(run, withClosedForm(reference, exact), scales)
  const error = {
    tracking: motion,
    trackingOf: worst?.name ?? '',
    trackingScale: worst?.scale ?? 0,
    trackingUnit: worst?.unit ?? ('m' as const),
    energy,
    energyScale_J: scales.energy_J,
    against: exact ? ('closed form' as const) : ('reference' as const),
  }
  return { error, series }
}

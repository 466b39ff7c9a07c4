/**
 * How wrong a run is: its distance from the same model's own solution at a much finer step, or from the exact solution
 * where the scenario states one. Root mean square over time, as a fraction of a stated scale.
 */
import { evaluator, type Program } from './expression.ts'
import type { ClosedForm } from './scenario.ts'
import { angleBetween, place, type Trajectory, type TrajectoryPart } from './trajectory.ts'

/** The reference step is the smallest of the scenario's steps over this. */
export const REFERENCE_REFINEMENT = 16

/** Parts of a robot's size, a right angle and its weight below which no scale falls, so that rest is not judged on noise. */
const SMALLEST_LENGTH = 0.1 // of the robot's size
const SMALLEST_ANGLE = 0.1 // rad
const SMALLEST_HEIGHT = 0.01 // of the robot's size, times its weight: an energy

export interface RobotScale {
  /** Diagonal of the box around the robot's collision shapes at its start [m]. */
  readonly size: number
  /** Of everything that moves [N]. */
  readonly weight: number
  /** Sizes of the others in the world, in their order [m]. */
  readonly others?: readonly number[]
}

/** Errors of one run. null where there was nothing to compare with; `note` says why. */
export interface RunError {
  /** Absolute maximum, as in the metrics [m]: the exact answer of rigid bodies is zero. */
  readonly penetration_m: number
  /** Largest, over all tracked quantities, of the root mean square difference over the quantity's scale. */
  readonly tracking: number | null
  /** Which quantity that was: `base position`, `base orientation` or a joint's name; of the others with their name and a slash before it. */
  readonly trackingOf: string
  /** Root mean square difference of the mechanical energy over its scale. */
  readonly energy: number | null
  /** What the scales were. */
  readonly trackingScale: number
  readonly trackingUnit: 'm' | 'rad'
  readonly energyScale_J: number
  readonly against: 'reference' | 'closed form'
  readonly note: string
}

/** A run's errors over time, for plots: of the worst quantity, and of the energy, each as a fraction of its scale. */
export interface ErrorSeries {
  readonly t: readonly number[]
  readonly tracking: readonly number[]
  readonly energy: readonly number[]
}

interface Quantity {
  readonly name: string
  readonly unit: 'm' | 'rad'
  /** Its scale: the largest distance from its start in the reference, floored. */
  readonly scale: number
  /** Difference between a row of the run and the reference at a place between two rows. */
  difference(row: number, refRow: number, fraction: number): number
}

/**
 * Compares a run with its reference at the run's own samples.
 *
 * Tracked quantities and their scales: the base's position (largest distance from its start in the reference, at least a
 * tenth of the robot's size), its orientation (largest rotation from its start, at least 0.1 rad), and each joint
 * (largest distance from its start, at least 0.1 rad, or a tenth of the size if it slides); the same of each companion and body
 * in the world. The energy's scale is the largest kinetic energy plus the range of the potential energy in the reference, at
 * least the weight lifted by a hundredth of the robot's size.
 */
export function errorsOf(
  run: Trajectory,
  reference: Trajectory,
  scale: RobotScale,
  exact?: ClosedForm,
): { error: Omit<RunError, 'penetration_m'>; series: ErrorSeries } {
  const quantities = quantitiesOf(run, reference, scale, exact)
  const sums = new Float64Array(quantities.length)
  const energyOf = energyDifference(run, reference, exact?.energy)
  const energyScale = energyScaleOf(reference, scale)
  const series = { t: [] as number[], tracking: [] as number[], energy: [] as number[] }
  let energySum = 0
  let count = 0
  for (let row = 0; row < run.t.length; row++) {
    const at = place(reference.t, run.t[row])
    if (at === undefined) continue
    let worst = 0
    quantities.forEach((quantity, i) => {
      const e = quantity.difference(row, at.row, at.fraction) / quantity.scale
      sums[i] += e * e
      worst = Math.max(worst, Math.abs(e))
    })
    const energy = energyOf(row, at.row, at.fraction)
    energySum += energy * energy
    series.t.push(run.t[row])
    series.tracking.push(worst)
    series.energy.push(Math.abs(energy) / energyScale)
    count++
  }
  const rms = Array.from(sums, (sum) => Math.sqrt(sum / count))
  const worst = rms.reduce((best, value, i) => (value > rms[best] ? i : best), 0)
  const against = exact ? 'closed form' : 'reference'
  const error = {
    tracking: quantities.length > 0 && count > 0 ? rms[worst] : count > 0 ? 0 : null,
    trackingOf: quantities[worst]?.name ?? '',
    trackingScale: quantities[worst]?.scale ?? 0,
    trackingUnit: quantities[worst]?.unit ?? ('m' as const),
    energy: count > 0 ? Math.sqrt(energySum / count) / energyScale : null,
    energyScale_J: energyScale,
    against: against as RunError['against'],
    note: '',
  }
  return { error, series }
}

function quantitiesOf(run: Trajectory, reference: Trajectory, { size, others = [] }: RobotScale, exact?: ClosedForm): Quantity[] {
  const rows = reference.t.length
  const own = quantitiesOfPart(run, reference, { rows, size, prefix: '', times: run.t, exact })
  const rest = reference.others.map((part, i) =>
    quantitiesOfPart(run.others[i], part, { rows, size: others[i] ?? size, prefix: `${part.name}/`, times: run.t }),
  )
  return [...own, ...rest.flat()]
}

interface PartContext {
  readonly rows: number
  readonly size: number
  readonly prefix: string
  /** Of the run's rows. */
  readonly times: readonly number[]
  readonly exact?: ClosedForm
}

function quantitiesOfPart(
  run: TrajectoryPart,
  reference: TrajectoryPart,
  { rows, size, prefix, times, exact }: PartContext,
): Quantity[] {
  const quantities: Quantity[] = []
  const largest = (of: (row: number) => number) => {
    let most = 0
    for (let row = 0; row < rows; row++) most = Math.max(most, of(row))
    return most
  }
  if (reference.position.length > 0) {
    const { position, orientation } = reference
    const coordinates = [exact?.x, exact?.y, exact?.z].map((program) => program && evaluator(program))
    const difference = new Float64Array(3)
    quantities.push({
      name: `${prefix}base position`,
      unit: 'm',
      scale: Math.max(
        SMALLEST_LENGTH * size,
        largest((row) =>
          Math.hypot(position[3 * row] - position[0], position[3 * row + 1] - position[1], position[3 * row + 2] - position[2]),
        ),
      ),
      difference: (row, refRow, fraction) => {
        for (let k = 0; k < 3; k++) {
          const right = coordinates[k]?.(times[row]) ?? between(position, 3, k, refRow, fraction)
          difference[k] = run.position[3 * row + k] - right
        }
        return Math.hypot(difference[0], difference[1], difference[2])
      },
    })
    const blended = new Float64Array(4)
    quantities.push({
      name: `${prefix}base orientation`,
      unit: 'rad',
      scale: Math.max(
        SMALLEST_ANGLE,
        largest((row) => angleBetween(orientation, row, orientation, 0)),
      ),
      difference: (row, refRow, fraction) => {
        for (let k = 0; k < 4; k++) blended[k] = between(orientation, 4, k, refRow, fraction)
        const norm = Math.hypot(blended[0], blended[1], blended[2], blended[3])
        for (let k = 0; k < 4; k++) blended[k] /= norm
        return angleBetween(run.orientation, row, blended, 0)
      },
    })
  }
  const n = reference.joints.length
  reference.joints.forEach((name, j) => {
    const program = exact && Object.hasOwn(exact.joints, name) ? exact.joints[name] : undefined
    const right = program && evaluator(program)
    const { angles } = reference
    quantities.push({
      name: prefix + name,
      unit: reference.turns[j] ? 'rad' : 'm',
      scale: Math.max(
        reference.turns[j] ? SMALLEST_ANGLE : SMALLEST_LENGTH * size,
        largest((row) => Math.abs(angles[n * row + j] - angles[j])),
      ),
      difference: (row, refRow, fraction) =>
        run.angles[n * row + j] - (right?.(times[row]) ?? between(angles, n, j, refRow, fraction)),
    })
  })
  return quantities
}

function between(values: readonly number[], width: number, k: number, row: number, fraction: number): number {
  const here = values[width * row + k]
  return fraction === 0 ? here : here + fraction * (values[width * (row + 1) + k] - here)
}

function energyDifference(run: Trajectory, reference: Trajectory, exact?: Program) {
  const start = run.kinetic[0] + run.potential[0]
  const right = exact && evaluator(exact)
  return (row: number, refRow: number, fraction: number) => {
    const now = run.kinetic[row] + run.potential[row]
    if (right) return now - start - right(run.t[row])
    return now - between(reference.kinetic, 1, 0, refRow, fraction) - between(reference.potential, 1, 0, refRow, fraction)
  }
}

function energyScaleOf({ kinetic, potential }: Trajectory, { size, weight }: RobotScale): number {
  let [fastest, highest, lowest] = [0, -Infinity, Infinity]
  for (const e of kinetic) fastest = Math.max(fastest, e)
  for (const e of potential) {
    highest = Math.max(highest, e)
    lowest = Math.min(lowest, e)
  }
  const floor = weight * SMALLEST_HEIGHT * size
  return Math.max(fastest + Math.max(0, highest - lowest), floor > 0 ? floor : Number.MIN_VALUE)
}

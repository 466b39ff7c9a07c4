import type { World } from '../../simulation/index.ts'
import { TorqueRanges } from './torqueRanges.ts'

/** Steps between those with ranges, and joints without a motor. */
export interface RangesChoice {
  readonly every: number
  readonly motorless: readonly string[]
}

/** Ranges of a run, of its steps that have them. Structured-cloneable. */
export interface RunRanges {
  readonly steps: number
  /** Steps in which contact forces of the model are outside their cones, and the farthest [N]. */
  readonly outside: number
  readonly outsideMax_N: number
  /** Steps without any admissible forces, and the largest of the least distances outside the cones [N]. */
  readonly relaxed: number
  readonly relaxationMax_N: number
  readonly joints: readonly JointRange[]
}

/** Of one motor; null where it is unbounded. */
export interface JointRange {
  readonly joint: string
  readonly unit: 'Nm' | 'N'
  /** Greatest size of the model's torque, and of all that explain its motion. */
  readonly model: number
  readonly greatest: number | null
  /** Largest width of a range: the part of a torque that the motion leaves open. */
  readonly width: number | null
}

/** Moments for charts: of each motor the model's torque, the least and the greatest since the moment before. */
export interface RangeSeries {
  readonly t: number[]
  readonly torque: readonly number[][]
  readonly least: readonly number[][]
  readonly greatest: readonly number[][]
}

const LENGTH = 500

/** Computes the ranges of every n-th step of a world. */
export class RangesMeter {
  readonly ranges: TorqueRanges
  /** The world's step count at the end of the last step that has ranges. */
  at = Number.NaN
  readonly series: RangeSeries
  private readonly every: number
  private readonly stride: number
  private taken = 0
  private measured = 0
  private readonly counts = { outside: 0, outsideMax_N: 0, relaxed: 0, relaxationMax_N: 0 }
  /** Per motor: greatest size of the model's torque and of all, largest width; and the ends since the last moment of the series. */
  private readonly sizes: { model: number; greatest: number; width: number; low: number; high: number }[]

  /** @param steps of the run, about */
  constructor(world: World, { every, motorless }: RangesChoice, steps: number) {
    this.ranges = new TorqueRanges(world, motorless)
    this.every = every
    this.stride = Math.max(1, Math.round(steps / every / LENGTH))
    this.sizes = this.ranges.motors.map(() => ({ model: 0, greatest: 0, width: 0, low: Infinity, high: -Infinity }))
    const [torque, least, greatest] = [0, 1, 2].map(() => this.sizes.map((): number[] => []))
    this.series = { t: [], torque, least, greatest }
  }

  before(): void {
    if (this.taken % this.every === 0) this.ranges.before()
  }

  after(): void {
    if (this.taken++ % this.every !== 0) return
    const { ranges, sizes, series, counts } = this
    const { world, torque, least, greatest } = ranges
    ranges.after()
    this.at = world.stepCount
    if (ranges.excess > 0) counts.outside++
    if (ranges.relaxation > 0) counts.relaxed++
    counts.outsideMax_N = Math.max(counts.outsideMax_N, ranges.excess)
    counts.relaxationMax_N = Math.max(counts.relaxationMax_N, ranges.relaxation)
    const isMoment = this.measured++ % this.stride === 0
    if (isMoment) series.t.push(world.state.t[0])
    sizes.forEach((own, i) => {
      own.model = Math.max(own.model, Math.abs(torque[i]))
      own.greatest = Math.max(own.greatest, -least[i], greatest[i])
      own.width = Math.max(own.width, greatest[i] - least[i])
      own.low = Math.min(own.low, least[i])
      own.high = Math.max(own.high, greatest[i])
      if (!isMoment) return
      series.torque[i].push(torque[i])
      series.least[i].push(own.low)
      series.greatest[i].push(own.high)
      own.low = Infinity
      own.high = -Infinity
    })
  }

  summary(): RunRanges {
    const bounded = (x: number) => (Number.isFinite(x) ? x : null)
    const joints = this.ranges.motors.map(({ name: joint, unit }, i) => {
      const { model, greatest, width } = this.sizes[i]
      return { joint, unit, model, greatest: bounded(greatest), width: bounded(width) }
    })
    return { steps: this.measured, ...this.counts, joints }
  }
}

import type { ControllerLoop } from '../../../control/index.ts'
import type { Data } from '../../../dynamics/index.ts'
import { sizeOf } from '../../../robots/index.ts'
import type { RobotInWorld, World } from '../../../simulation/index.ts'
import type { MeasuredStep } from '../measuredStep.ts'

/** How well one robot of the world followed its controller's targets; null where it has none of the kind. */
export interface RobotTracking {
  readonly robot: string
  readonly trackingRms_rad: number | null
  readonly trackingRms_m: number | null
}

/** A target that was missed. */
export interface MissedTarget {
  readonly joint: string
  readonly distance: number
  readonly unit: 'rad' | 'm'
  readonly robot: string
}

/** What counts as missed: an angle [rad], as forearms under 3 kg sag by 0.053; a length over the size; of a base, which drifts, times as much. */
const MISS = { rad: 0.07, m: 1 / 20 }
const DRIFT = 10

/** A joint, or the base's position or heading, as a target has it. */
interface Aim {
  readonly joint: string
  readonly unit: 'rad' | 'm'
  /** A number that changes with the target; NaN without one. Of the start of the last fifth, and whether it has changed since. */
  readonly goal: () => number
  still?: number
  moved?: boolean
  /** Distance from the target. */
  readonly off: (q: Float64Array, data: Data) => number
}

/** One robot and its controller's targets. */
interface Tracked {
  readonly member: RobotInWorld
  readonly loop: ControllerLoop
  readonly aims: readonly Aim[]
  readonly size: number
  readonly rad: { sum: number; count: number }
  readonly m: { sum: number; count: number }
}

/** Distances of robots from their controllers' targets, compared where these are set: at the start of the steps of their ticks. */
export class TrackingMeter {
  private readonly tracked: readonly Tracked[]
  private readonly compared: string
  private readonly start: number

  /** @param start of the last fifth, in whole steps */
  constructor({ robots }: World, loops: readonly (ControllerLoop | undefined)[], start: number) {
    this.compared = robots[0].name
    this.start = start
    this.tracked = robots.flatMap((member, i) => trackedOf(member, loops[i]))
  }

  /** Whether any target moved in the last fifth, or leaves out a joint. */
  get moves(): boolean {
    return this.tracked.some(({ aims }) => aims.some((aim) => aim.moved || (aim.joint !== 'base' && Number.isNaN(aim.still))))
  }

  measure({ startCount, q0, start, elapsed }: MeasuredStep): void {
    for (const own of this.tracked) {
      for (const aim of own.aims) {
        const goal = aim.goal()
        if (elapsed >= this.start && !Object.is(goal, (aim.still ??= goal))) aim.moved = true
        if (startCount % own.loop.everySteps !== 0 || Number.isNaN(goal)) continue
        const off = aim.off(q0, start)
        own[aim.unit].sum += off * off
        own[aim.unit].count++
      }
    }
  }

  /** The joint or 'base' that is farthest, over what counts as missed, from a target that stands still; null where all are reached. */
  missed({ end, world: { state } }: MeasuredStep): MissedTarget | null {
    let most = 1
    let found: MissedTarget | null = null
    for (const { member, aims, size } of this.tracked) {
      for (const { joint, unit, off, still, moved } of aims) {
        const distance = still === undefined || moved ? 0 : Math.abs(off(state.q, end))
        const times = distance / (MISS[unit] * (unit === 'm' ? size : 1) * (joint === 'base' ? DRIFT : 1))
        if (!(times > most)) continue
        most = times
        found = { joint, distance, unit, robot: member.name }
      }
    }
    return found
  }

  get own(): RobotTracking | undefined {
    return this.figures().find(({ robot }) => robot === this.compared)
  }

  /** Of every robot that a controller drives, the compared one first. */
  figures(): RobotTracking[] {
    return this.tracked.map(({ member, rad, m }) => ({ robot: member.name, trackingRms_rad: rms(rad), trackingRms_m: rms(m) }))
  }
}

function trackedOf(member: RobotInWorld, loop: ControllerLoop | undefined): Tracked[] {
  if (loop === undefined) return []
  const { robot, start, state } = member
  const { joints, base } = loop.target
  const aims: Aim[] = robot.joints.map(({ name: joint, qIndex, type }, i) => {
    const off = (q: Float64Array) => q[start.q + qIndex] - joints[i]
    const unit = type === 'prismatic' ? 'm' : 'rad'
    return { joint, unit, goal: () => joints[i], off: type === 'continuous' ? (q) => wrap(off(q)) : off }
  })
  const place = (q: Float64Array) => Math.hypot(q[start.q] - base[0], q[start.q + 1] - base[1])
  const heading = ([x, , , y]: Float64Array) => wrap(Math.atan2(y, x) - base[2])
  if (robot.floating) {
    aims.push({ joint: 'base', unit: 'm', goal: () => base[0] + Math.PI * base[1], off: place })
    aims.push({ joint: 'base', unit: 'rad', goal: () => base[2], off: (_, { R_WB }) => heading(R_WB[start.body + 1]) })
  }
  const none = () => ({ sum: 0, count: 0 })
  return [{ member, loop, aims, size: sizeOf(robot, state.q), rad: none(), m: none() }]
}

const rms = ({ sum, count }: Tracked['m']) => (count > 0 ? Math.sqrt(sum / count) : null)

/** An angle brought to -pi to pi. */
export function wrap(angle: number): number {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI))
}

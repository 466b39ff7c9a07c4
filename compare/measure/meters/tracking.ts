import type { ControllerLoop } from '../../../control/index.ts'
import type { RobotInWorld, World } from '../../../simulation/index.ts'
import type { MeasuredStep } from '../measuredStep.ts'

/** How well one robot of the world followed its controller's targets; null where it has none of the kind. */
export interface RobotTracking {
  readonly robot: string
  readonly trackingRms_rad: number | null
  readonly trackingRms_m: number | null
}

interface Sum {
  sum: number
  count: number
}

/** The joints of one robot and its controller's targets. */
interface Tracked {
  readonly member: RobotInWorld
  readonly loop: ControllerLoop
  /** Index of q among that of the world, and of the joint among the robot's. */
  readonly turning: readonly { readonly q: number; readonly joint: number; readonly wraps: boolean }[]
  readonly sliding: readonly { readonly q: number; readonly joint: number }[]
  readonly rad: Sum
  readonly metres: Sum
}

/** Distances of robots from their controllers' targets, compared where these are set: at the start of the steps of their ticks. */
export class TrackingMeter {
  private readonly tracked: readonly Tracked[]
  private readonly compared: string

  constructor({ robots }: World, loops: readonly (ControllerLoop | undefined)[]) {
    this.compared = robots[0].name
    this.tracked = robots.flatMap((member, i) => trackedOf(member, loops[i]))
  }

  measure({ startCount, q0, start }: MeasuredStep): void {
    for (const { member, loop, turning, sliding, rad, metres } of this.tracked) {
      if (startCount % loop.everySteps !== 0) continue
      const { joints, base } = loop.target
      for (const { q, wraps, joint } of turning) {
        if (Number.isNaN(joints[joint])) continue
        const difference = q0[q] - joints[joint]
        add(rad, wraps ? wrap(difference) : difference)
      }
      for (const { q, joint } of sliding) if (!Number.isNaN(joints[joint])) add(metres, q0[q] - joints[joint])
      if (!member.robot.floating) continue
      const { q: at, body } = member.start
      const R = start.R_WB[body + 1]
      if (!Number.isNaN(base[0]) && !Number.isNaN(base[1])) add(metres, Math.hypot(q0[at] - base[0], q0[at + 1] - base[1]))
      if (!Number.isNaN(base[2])) add(rad, wrap(Math.atan2(R[3], R[0]) - base[2]))
    }
  }

  get own(): RobotTracking | undefined {
    return this.figures().find(({ robot }) => robot === this.compared)
  }

  /** Of every robot that a controller drives, the compared one first. */
  figures(): RobotTracking[] {
    return this.tracked.map(({ member, rad, metres }) => ({
      robot: member.name,
      trackingRms_rad: rms(rad),
      trackingRms_m: rms(metres),
    }))
  }
}

function trackedOf(member: RobotInWorld, loop: ControllerLoop | undefined): Tracked[] {
  if (loop === undefined) return []
  const { robot, start } = member
  const joints = robot.joints.map(({ qIndex, type }, joint) => ({
    q: start.q + qIndex,
    joint,
    type,
    wraps: type === 'continuous',
  }))
  return [
    {
      member,
      loop,
      turning: joints.filter(({ type }) => type !== 'prismatic'),
      sliding: joints.filter(({ type }) => type === 'prismatic'),
      rad: { sum: 0, count: 0 },
      metres: { sum: 0, count: 0 },
    },
  ]
}

const rms = ({ sum, count }: Sum) => (count > 0 ? Math.sqrt(sum / count) : null)

function add(sum: Sum, difference: number): void {
  sum.sum += difference * difference
  sum.count++
}

/** An angle brought to -pi to pi. */
export function wrap(angle: number): number {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI))
}

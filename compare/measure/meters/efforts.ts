import type { ControllerLoop } from '../../../control/index.ts'
import type { MeasuredStep } from '../measuredStep.ts'

/** Of its limit, an effort that stands at it. */
const AT_LIMIT = 1 - 1e-9

/** Efforts of the compared robot's turning joints, and of all controlled joints those at their limit. */
export class EffortMeter {
  private readonly motors: Int32Array
  private readonly limited: readonly { readonly k: number; readonly joint: string; readonly limit: number; steps: number }[]
  private sum = 0

  constructor({ world: { robots } }: MeasuredStep, loops: readonly (ControllerLoop | undefined)[]) {
    const [{ robot, start }] = robots
    this.motors = Int32Array.from(robot.joints.filter(({ type }) => type !== 'prismatic').map(({ vIndex }) => start.v + vIndex))
    this.limited = robots.flatMap(({ robot: { joints, model }, start }, i) =>
      (loops[i] ? joints : []).map(({ name, vIndex: v }) => ({
        k: start.v + v,
        joint: name,
        limit: model.effortLimit[v],
        steps: 0,
      })),
    )
  }

  measure({ world: { tau }, part }: MeasuredStep): void {
    for (const v of this.motors) this.sum += part * tau[v] * tau[v]
    for (const motor of this.limited) if (motor.limit > 0 && Math.abs(tau[motor.k]) >= AT_LIMIT * motor.limit) motor.steps += part
  }

  /** The joint that stood at its limit for the longest, and the part of the run; null if none did. */
  saturated(elapsed: number): { joint: string; part: number } | null {
    const { joint, steps } = this.limited.reduce((a, b) => (b.steps > a.steps ? b : a), { joint: '', steps: 0 })
    return steps > 0 ? { joint, part: steps / elapsed } : null
  }

  /** Root mean square [N m]; null without turning joints. */
  rms(steps: number): number | null {
    if (this.motors.length === 0) return null
    return Math.sqrt(steps > 0 ? this.sum / steps / this.motors.length : 0)
  }
}

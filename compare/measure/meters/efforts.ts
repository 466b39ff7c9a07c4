import type { MeasuredStep } from '../measuredStep.ts'

/** Efforts of the compared robot's turning joints. */
export class EffortMeter {
  private readonly motors: Int32Array
  private sum = 0

  constructor({ world }: MeasuredStep) {
    const [{ robot, start }] = world.robots
    this.motors = Int32Array.from(robot.joints.filter(({ type }) => type !== 'prismatic').map(({ vIndex }) => start.v + vIndex))
  }

  measure({ world: { tau }, part }: MeasuredStep): void {
    for (const v of this.motors) this.sum += part * tau[v] * tau[v]
  }

  /** Root mean square [N m]; null without turning joints. */
  rms(steps: number): number | null {
    if (this.motors.length === 0) return null
    return Math.sqrt(steps > 0 ? this.sum / steps / this.motors.length : 0)
  }
}

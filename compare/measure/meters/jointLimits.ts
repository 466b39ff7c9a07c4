import { LimitedJoints } from '../../../contact/index.ts'
import { JointType } from '../../../dynamics/index.ts'
import type { MeasuredStep } from '../measuredStep.ts'
import { atTime } from './worst.ts'

/** How far joints pass the limits of their range, beyond what they had passed them by at the start. */
export class JointLimitMeter {
  /** Of joints that turn [rad], and of those that slide [m]; null where none of the kind has a limit. */
  angle: number | null = null
  length: number | null = null
  /** The largest angle, or length over the size of what moves. */
  private most = 0
  private t = 0
  private worst = -1
  private readonly joints: LimitedJoints
  private readonly turns: readonly boolean[]
  private readonly start: readonly number[]
  private readonly size: number

  /** @param size of the world's largest robot or body [m] */
  constructor({ world }: MeasuredStep, size: number) {
    const { model } = world
    this.joints = new LimitedJoints(model)
    this.size = size
    this.turns = Array.from(this.joints.v, (k) => model.jointType[model.bodyOfV[k]] === JointType.revolute)
    this.start = this.turns.map((_, i) => this.excess(world, i))
    if (this.turns.includes(true)) this.angle = 0
    if (this.turns.includes(false)) this.length = 0
  }

  /** null without limits. */
  get value(): number | null {
    return this.turns.length > 0 ? this.most : null
  }

  detail({ world }: MeasuredStep): string | undefined {
    return this.worst < 0
      ? undefined
      : `${atTime(this.t)}, joint "${world.model.jointName[world.model.bodyOfV[this.joints.v[this.worst]]]}"`
  }

  measure({ world }: MeasuredStep): void {
    for (let i = 0; i < this.turns.length; i++) {
      const passed = this.excess(world, i) - this.start[i]
      if (!(passed > 0)) continue
      if (this.turns[i]) this.angle = Math.max(this.angle ?? 0, passed)
      else this.length = Math.max(this.length ?? 0, passed)
      const share = this.turns[i] ? passed : passed / this.size
      if (!(share > this.most)) continue
      this.most = share
      this.t = world.state.t[0]
      this.worst = i
    }
  }

  /** How far joint i is beyond its range, 0 inside. */
  private excess({ model, state }: MeasuredStep['world'], i: number): number {
    const k = this.joints.v[i]
    const x = state.q[this.joints.q[i]]
    return Math.max(0, model.lower[k] - x, x - model.upper[k])
  }
}

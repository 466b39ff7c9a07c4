import type { LoopClosure } from '../../../contact/index.ts'
import { type Data, JointType } from '../../../dynamics/index.ts'
import type { MeasuredStep } from '../measuredStep.ts'
import { atTime } from './worst.ts'

/** How far closed loops open, beyond their opening at the start; but for those by which a mocap body pulls another, which lag by design, and those on at times only. */
export class LoopMeter {
  /** [m] */
  most = 0
  /** Time [s] and place of the loop where it was the most. */
  private t = 0
  private worst: LoopClosure | undefined
  private readonly loops: readonly LoopClosure[]
  private readonly start: readonly number[]

  constructor({ world, end }: MeasuredStep) {
    const { jointType } = world.model
    const isMocap = (body: number) => jointType[body] === JointType.mocap
    this.loops = world.loops.filter(({ bodyA, bodyB, switch: own }) => !own && !isMocap(bodyA) && !isMocap(bodyB))
    this.start = this.loops.map((loop) => opening(loop, end))
  }

  /** null without loops. */
  get value(): number | null {
    return this.loops.length > 0 ? this.most : null
  }

  get detail(): string | undefined {
    return this.worst && `${atTime(this.t)}, loop "${this.worst.name}"`
  }

  measure({ world, end }: MeasuredStep): void {
    for (let l = 0; l < this.loops.length; l++) {
      const open = opening(this.loops[l], end) - this.start[l]
      if (!(open > this.most)) continue
      this.most = open
      this.t = world.state.t[0]
      this.worst = this.loops[l]
    }
  }
}

/** Distance between the points of a loop's two ends [m]. */
function opening({ bodyA, bodyB, pointA, pointB }: LoopClosure, { R_WB, p_WB }: Data): number {
  const [RA, RB, pA, pB] = [R_WB[bodyA], R_WB[bodyB], p_WB[bodyA], p_WB[bodyB]]
  let square = 0
  for (let k = 0; k < 3; k++) {
    const a = pA[k] + RA[3 * k] * pointA[0] + RA[3 * k + 1] * pointA[1] + RA[3 * k + 2] * pointA[2]
    const b = pB[k] + RB[3 * k] * pointB[0] + RB[3 * k + 1] * pointB[1] + RB[3 * k + 2] * pointB[2]
    square += (a - b) * (a - b)
  }
  return Math.sqrt(square)
}

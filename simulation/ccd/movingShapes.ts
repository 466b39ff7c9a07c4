import { type Collider, type MovingPair, type PlacedShape, place } from '../../contact/geometry/index.ts'
import type { StepMotion } from './stepMotion.ts'

/** Two placed shapes, reused for each pair, that move with their bodies until the end of each one's motion. */
export class MovingShapes implements MovingPair {
  a!: Collider
  b!: Collider
  placedA!: PlacedShape
  placedB!: PlacedShape
  /** 2: greatest distance of each core's points from its body's origin [m]. */
  readonly reach = new Float64Array(2)
  /** 2: fraction of the step at which the motion of each ends. */
  readonly ends = new Float64Array(2)
  private readonly motion: StepMotion
  private readonly at = new Float64Array(2)
  private readonly speed = new Float64Array(1)

  constructor(motion: StepMotion) {
    this.motion = motion
  }

  place(s: Float64Array): void {
    const { at, ends, motion, placedA, placedB } = this
    const { R_WB, p_WB } = motion.data
    for (let k = 0; k < 2; k++) at[k] = s[0] < ends[k] ? s[0] : ends[k]
    // shapes of the world do not move
    if (placedA.body > 0) {
      motion.place(placedA.body, at, 0)
      place(this.a, R_WB[placedA.body], p_WB[placedA.body], placedA)
    }
    if (placedB.body > 0) {
      motion.place(placedB.body, at, 1)
      place(this.b, R_WB[placedB.body], p_WB[placedB.body], placedB)
    }
  }

  approach(s: Float64Array, n: Float64Array, out: Float64Array): void {
    out[0] = 0
    this.addSpeed(this.placedA.body, s, 0, n, 1, out)
    this.addSpeed(this.placedB.body, s, 1, n, -1, out)
  }

  private addSpeed(body: number, s: Float64Array, k: number, n: Float64Array, sign: number, out: Float64Array): void {
    const { ends, speed, reach, motion } = this
    if (body === 0 || s[0] >= ends[k]) return
    speed[0] = 0
    motion.addSpeed(body, reach, k, n, sign, speed)
    // a shape that stops within the step recedes no further
    if (speed[0] > 0 || ends[k] === 1) out[0] += speed[0]
  }
}

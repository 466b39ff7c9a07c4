import type { World } from '../../../simulation/index.ts'
import { PenetrationMeter } from '../../scenario/world/penetration.ts'
import type { MeasuredStep } from '../measuredStep.ts'

/** Depth of the deepest pair of shapes at the start and at the end of each step; see `PenetrationMeter`. */
export class DeepestMeter {
  private readonly world: World
  private readonly depth: PenetrationMeter
  private pair = -1
  /** The largest so far [m], and its time [s]. */
  max = 0
  t = 0
  /** Of steps, each weighed by its length [m]. */
  sum = 0

  constructor({ world, end }: MeasuredStep) {
    this.world = world
    this.depth = new PenetrationMeter(world)
    this.evaluate(end)
  }

  /** At the end of the last step [m]. */
  get now(): number {
    return this.depth.deepest[0]
  }

  /** Which shapes were deepest in each other; null if nothing penetrated. */
  get deepestPair(): { a: string; b: string } | null {
    return this.pair < 0 ? null : this.depth.namesOf(this.pair)
  }

  measure({ end, part }: MeasuredStep): void {
    this.evaluate(end)
    this.sum += part * this.now
  }

  private evaluate(end: MeasuredStep['end']): void {
    this.depth.measure(end)
    if (!(this.now > this.max)) return
    this.max = this.now
    this.pair = this.depth.deepestPair[0]
    this.t = this.world.state.t[0]
  }
}

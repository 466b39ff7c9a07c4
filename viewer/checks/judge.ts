import { ignoredInputs, type LawCheck, lawsOf, Meter } from '../../compare/measure/index.ts'
import { penetrationLimit } from '../../compare/scenario/index.ts'
import type { ControllerLoop } from '../../control/index.ts'
import type { World } from '../../simulation/index.ts'

/**
 * Checks a running world by the laws of a comparison's runs, by the same meters and limits. Figures that need another run are no part of
 * it: the errors of motion and of energy, and the cost. Call `before` and `after` around each step.
 */
export class Judge {
  private readonly meter: Meter
  private readonly dropped: readonly string[]

  /** @param loops the controller of each of the world's robots, if any */
  constructor(world: World, loops: readonly (ControllerLoop | undefined)[]) {
    this.meter = new Meter(world, loops, Number.POSITIVE_INFINITY)
    this.dropped = ignoredInputs(world)
  }

  before(): void {
    this.meter.before()
  }

  after(): void {
    this.meter.after()
  }

  /** The figures so far, in the order of `lawNames`. */
  laws(): LawCheck[] {
    return lawsOf(this.meter.laws(), { penetration: penetrationLimit() }, this.dropped)
  }
}

/** Of each law its value, NaN where there is nothing to measure. */
export const lawValues = (laws: readonly LawCheck[]): Float64Array => Float64Array.from(laws, ({ value }) => value ?? Number.NaN)

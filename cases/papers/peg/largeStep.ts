import { depthOf, momentum, planarMotions } from './measures.ts'
import { models } from './models.ts'
import { figure11, gapAt, trianglesAt } from './scenes.ts'
import { run } from './step.ts'

/** The triangles of figure 11 at one step size, with the gap in proportion to it. */
export interface LargeStep {
  readonly dt: number
  readonly gap: number
  readonly ends: readonly LargeStepEnd[]
}

export interface LargeStepEnd {
  readonly model: string
  /** Whether the geometry is that of the start alone, or that of the end is read anew. */
  readonly passes: 'none' | 'until it holds'
  /** Overlap at the end [m]. */
  readonly depth: number
  /** Relative change of the angular momentum about the red corner's start. */
  readonly turning: number
  readonly fallbacks: number
}

export interface LargeSteps {
  readonly steps: readonly LargeStep[]
  /** How PEG's depth falls with the step, d ~ h^order, between neighbouring steps. */
  readonly orders: readonly number[]
}

const stepSizes = [figure11.dt, figure11.dt / 10, figure11.dt / 100]

/** Overlap by first order at the end of a step, and that left after re-linearising at the end. */
export function largeSteps(): LargeSteps {
  const tried = [[models.literal, 'none'] as const, [models.peg, 'until it holds'] as const]
  const steps = stepSizes.map((dt): LargeStep => {
    const scene = trianglesAt(dt)
    const ends = tried.map(([model, passes]): LargeStepEnd => {
      const outcome = run(scene, model)
      const motions = planarMotions(scene, outcome)
      const [before, after] = (['before', 'after'] as const).map((when) => momentum(motions, when)[2])
      return {
        model: model.short,
        passes,
        depth: depthOf(outcome),
        turning: Math.abs(after / before - 1),
        fallbacks: outcome.fallbacks,
      }
    })
    return { dt, gap: gapAt(dt), ends }
  })
  const depths = steps.map(({ ends: [{ depth }] }) => depth)
  return {
    steps,
    orders: depths.slice(1).map((depth, k) => Math.log(depths[k] / depth) / Math.log(stepSizes[k] / stepSizes[k + 1])),
  }
}

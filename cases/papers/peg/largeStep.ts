import { depthOf, impulsesPerManifold, momentum, planarMotions } from './measures.ts'
import { models, withPasses } from './models.ts'
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
  /** How many act, those at one point in one direction being one. */
  readonly impulses: number
  readonly fallbacks: number
}

export interface LargeSteps {
  readonly steps: readonly LargeStep[]
  /** Of each model without passes: how the depth falls with the step, d ~ h^order, between neighbouring steps. */
  readonly orders: readonly { readonly model: string; readonly orders: readonly number[] }[]
}

const stepSizes = [figure11.dt, figure11.dt / 10, figure11.dt / 100]

/** Overlap by first order at the end of a step, and that left after re-linearising at the end. */
export function largeSteps(): LargeSteps {
  const ids = ['peg', 'literal'] as const
  const steps = stepSizes.map((dt): LargeStep => {
    const scene = trianglesAt(dt)
    const ends = ids.flatMap((id) =>
      (['none', 'until it holds'] as const).map((passes): LargeStepEnd => {
        const outcome = run(scene, withPasses(id, passes))
        const motions = planarMotions(scene, outcome)
        const [before, after] = (['before', 'after'] as const).map((when) => momentum(motions, when)[2])
        return {
          model: models[id].short,
          passes,
          depth: depthOf(outcome),
          turning: Math.abs(after / before - 1),
          impulses: impulsesPerManifold(scene, outcome).distinct,
          fallbacks: outcome.fallbacks,
        }
      }),
    )
    return { dt, gap: gapAt(dt), ends }
  })
  return {
    steps,
    orders: ids.map((id) => {
      const depths = steps.map(
        (step) => step.ends.find(({ model, passes }) => model === models[id].short && passes === 'none')!.depth,
      )
      return {
        model: models[id].short,
        orders: depths.slice(1).map((depth, k) => Math.log(depths[k] / depth) / Math.log(stepSizes[k] / stepSizes[k + 1])),
      }
    }),
  }
}

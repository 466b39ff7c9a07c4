import { depthOf, momentum, planarMotions } from './measures.ts'
import { models } from './models.ts'
import { figure11, gapAt, trianglesAt } from './scenes.ts'
import { run } from './step.ts'

const stepSizes = [figure11.dt, figure11.dt / 10, figure11.dt / 100]

/**
 * The triangles of figure 11 at several steps, with the gap in proportion: overlap by first order at the end of a step, and that left after
 * re-linearising at the end [m]. `turning`: relative change of the angular momentum about the red corner's start. `orders`: how the paper's depth falls with
 * the step, d ~ h^order, between neighbouring steps.
 */
export function largeSteps() {
  const tried = [[models.literal, 'none'] as const, [models.peg, 'until it holds'] as const]
  const steps = stepSizes.map((dt) => {
    const scene = trianglesAt(dt)
    const ends = tried.map(([model, passes]) => {
      const outcome = run(scene, model)
      const { before, after } = momentum(planarMotions(scene, outcome))
      const turning = Math.abs(after[2] / before[2] - 1)
      return { model: model.short, passes, depth: depthOf(outcome), turning, fallbacks: outcome.fallbacks }
    })
    return { dt, gap: gapAt(dt), ends }
  })
  const depths = steps.map(({ ends: [{ depth }] }) => depth)
  return {
    steps,
    orders: depths.slice(1).map((depth, k) => Math.log(depths[k] / depth) / Math.log(stepSizes[k] / stepSizes[k + 1])),
  }
}

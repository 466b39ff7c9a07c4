import { modelIds, models } from './models.ts'
import { blocksOfFigure12, figure11, figure12, type Scene, trianglesOfFigure11 } from './scenes.ts'
import { deepestOver } from './step.ts'
import { prevented } from './table.ts'

export type StepScan = ReturnType<typeof scanSteps>[number]

const seconds = 0.5
/** Whole parts of that time. */
const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500].map((n) => seconds / n)

/**
 * Figures 11 and 12 at other steps, from the largest down [s], with gaps and speeds as they are there: up to which step is it a reasonable one, as table 1
 * has it?
 *
 * @returns of each model the deepest overlap at each step over the way that free motion goes beyond the gap, and the largest step that prevents overlap
 *   as all smaller ones do, null if the smallest does not [s]
 */
export function scanSteps() {
  const scan = (scene: Scene, way: number) => ({
    scene: scene.id,
    seconds,
    steps,
    models: modelIds.map((model) => {
      const depths = steps.map((dt) => deepestOver({ ...scene, dt }, models[model], seconds) / way)
      const tooLarge = depths.findLastIndex((depth) => depth > prevented)
      return { model, depths, reasonable: steps[tooLarge + 1] ?? null }
    }),
  })
  return [
    scan(trianglesOfFigure11(), figure11.speed * seconds - figure11.gap),
    scan(blocksOfFigure12(false), 0.5 * figure12.gravity * seconds ** 2 - figure12.gap),
  ]
}

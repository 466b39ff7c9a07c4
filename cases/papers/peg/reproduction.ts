import { claimsOf, type SceneResult } from './claims.ts'
import { largeSteps } from './largeStep.ts'
import { modelIds, models } from './models.ts'
import { blocksOfFigure12, congruentTriangles, cornerOfFigure1, type Scene, trianglesOfFigure11 } from './scenes.ts'
import { solutionClaims, solutionsOfFigures } from './solutions.ts'
import { stackClaims, stackRuns } from './stack.ts'
import { type Outcome, run } from './step.ts'
import { scanSteps } from './stepScan.ts'
import { tableOf } from './table.ts'

type Progress = (what: string, fraction: number) => void

/** One step of figures 1, 11 and 12 under every model. */
export function sceneResults(progress?: Progress): SceneResult[] {
  const scenes = [
    cornerOfFigure1(false),
    cornerOfFigure1(true),
    trianglesOfFigure11(),
    congruentTriangles(),
    blocksOfFigure12(false),
    blocksOfFigure12(true),
  ]
  return scenes.map((scene, k) => {
    progress?.(scene.title, k / scenes.length)
    return { scene, outcomes: Object.fromEntries(modelIds.map((id) => [id, run(scene, models[id])])) as SceneResult['outcomes'] }
  })
}

/** Figures 1, 11 and 12, table 1 and the stack of the background of Williams, Lu and Trinkle (2014). The same numbers at every call. */
export function reproducePeg(progress?: Progress) {
  const results = sceneResults(progress)
  // springs act on the first step's overlap
  const springs = results.map(
    ({ scene, outcomes }): SceneResult => ({ scene, outcomes: { ...outcomes, pm: run(scene, models.pm, 2) } }),
  )
  progress?.('what a large step does', 0.5)
  const byId = (id: string) => results.find(({ scene }) => scene.id === id) as SceneResult
  const steps = largeSteps()
  const scans = scanSteps()
  progress?.('a stack of congruent cubes', 0.75)
  const runs = stackRuns()
  const solutions = solutionsOfFigures()
  return {
    results,
    claims: [...claimsOf(byId), ...solutionClaims(solutions), ...stackClaims(runs)],
    table: tableOf(results.filter(isOfPaper), springs.filter(isOfPaper), scans),
    largeSteps: steps,
    scans,
    stack: runs,
    solutions,
  }
}

export type PegReproduction = ReturnType<typeof reproducePeg>

/** Two triangles of one size are not in the paper. */
const isOfPaper = ({ scene }: SceneResult) => scene.id !== '11-congruent'

/** Entry of a scene in `--json`. */
export function sceneSummary({ scene, outcomes }: SceneResult) {
  const { id, title, dt, gravity, a, b, push } = scene
  const body = ({ name, mass, inertia, q, v, polygon, robot }: Scene['a']) => ({
    name,
    mass,
    inertia,
    q,
    v,
    polygon,
    fixed: robot === undefined,
  })
  return {
    id,
    title,
    dt,
    gravity,
    push: push ?? 0,
    a: body(a),
    b: body(b),
    outcomes: modelIds.map((model): Outcome => outcomes[model]),
  }
}

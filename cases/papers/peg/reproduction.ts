import type { Choice } from '../page.ts'
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

/** Open points of the paper, and the choices. */
export const choices: readonly Choice[] = [
  {
    what: 'The coordinates of figures 9 to 12: sizes, masses, gaps and speeds are not stated.',
    choice:
      'Figure 11: isosceles triangles of 1 kg on one line y = 0, red 1.6 m wide and 3.2 m high at rest, blue 0.6 times as large, 0.1 m to its right and at 1 m/s to the left, no gravity, h = 0.5 s. ' +
      'Figure 12: cubes of 3 m and 1 kg, exactly above each other, 0.04 m apart, at rest, 9.81 m/s², h = 0.25 s.',
  },
  {
    what: 'Whether the “similar” triangles of figure 9 are of one size.',
    choice:
      'They are not: red is the larger one. Bases on one line, as those of bodies that lie on one surface, give LNC its wrong answer; but of two of one size Stewart-Trinkle then turns neither (in closed form, and below), while the caption has it turn both.',
  },
  {
    what: 'Figure 1 has no numbers and is of one corner.',
    choice:
      'A square of 3 m that is as good as fixed, 1,000 t, and the tip of a triangle of 1 kg that starts 0.1 m beside and 0.05 m above its corner, at 1 m/s.',
  },
  {
    what: 'Which penalty method.',
    choice:
      'The deepest point of the pair pushes (penalty-deepest), gains 100, 50 and 2 times the mass. Its springs act from the second step on, and of table 1 that is the one looked at.',
  },
  {
    what: 'Which of several valid answers a solver finds (LNC, PEG).',
    choice: 'The one whose velocity is nearest to free motion in the metric of the mass matrix; ties by feature numbers.',
  },
  {
    what: 'How near contacts have to be for AP to hold them.',
    choice: 'Within 0.2 m: those of the corners that are to meet. ST holds every contact that is open, two steps ahead.',
  },
  {
    what: 'How constraints are put together: equations 17, 21 and 24 are damaged or ambiguous.',
    choice:
      'PEG: the paper’s own constraints (`constraints: literal` of peg), mended where they are damaged. Beside it ours (`exact`): one inter-contact constraint a pair of bodies, over all ways in which it can be apart.',
  },
  {
    what: 'The guarantee of the paper is one of gaps to first order.',
    choice:
      'PEG: to first order, and overlap is measured in the true geometry. Ours: the step is solved again with the geometry of its end until the true gaps hold to 1e-9 m.',
  },
]

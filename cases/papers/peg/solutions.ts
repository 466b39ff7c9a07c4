import { asAWhole, solveConstrained } from '../../../compare/inspect/constrained.ts'
import { type SolutionSet, solutionSets } from '../../../compare/inspect/solutionSets.ts'
import { significant } from '../../../compare/measure/numbers.ts'
import { complementaritySolvers, type SavedProblem } from '../../../contact/index.ts'
import { RestFrame } from '../../../dynamics/index.ts'
import { judged } from '../page.ts'
import { millimetre, type PanelClaim } from './claims.ts'
import { type ModelId, models, type PaperModel } from './models.ts'
import { blocksOfFigure12, figure11, figure12, type Scene, trianglesOfFigure11 } from './scenes.ts'
import { placesOf, separationOf, worldOf } from './step.ts'

/** Every solution of a step, not only the one that the model takes. */
export interface Solutions {
  readonly scene: string
  readonly model: ModelId
  readonly complete: boolean
  /** Separation of the bodies at the end of the step [m]. */
  readonly sets: readonly (SolutionSet & { readonly separation: number })[]
  /** Distance from the free velocity of LMMCP's solution, with the constraints as listed and in reverse; null without one. */
  readonly lmmcp: readonly (number | null)[]
}

/** All solutions of the first step of figures 11 and 12, by LNC's constraints and the paper's. */
export const solutionsOfFigures = (): Solutions[] =>
  [trianglesOfFigure11(), blocksOfFigure12(false)].flatMap((scene) =>
    (['lnc', 'literal'] as const).map((id) => solutionsOf(scene, models[id])),
  )

function solutionsOf(scene: Scene, model: PaperModel): Solutions {
  const world = worldOf(scene, model)
  const bodies = [scene.a, scene.b] as const
  const start = world.state.q.slice()
  world.step()
  const problem = world.contactModel.problem?.()
  const found = problem === undefined ? 'no problem' : solutionSets(problem)
  if (problem === undefined || typeof found === 'string') throw new Error(`${model.short}: ${found}`)
  const frame = new RestFrame(world.model)
  const sets = found.sets.map((set) => {
    const q = start.slice()
    frame.finish(q, new Float64Array(set.velocity.length), Float64Array.from(set.velocity), scene.dt)
    return { ...set, separation: separationOf(bodies, placesOf(world, bodies, q)) }
  })
  const lmmcp = [problem, { ...problem, constraints: problem.constraints?.toReversed() }].map(costByLmmcp)
  return { scene: scene.id, model: model.id, complete: found.complete, sets, lmmcp }
}

function costByLmmcp(problem: SavedProblem): number | null {
  const [{ cost }] = solveConstrained(problem, [['lmmcp', asAWhole(complementaritySolvers.lmmcp)]], () => {})
  return cost ?? null
}

/** True geometry at the end, and how many contacts push. */
const setWords = ({ separation, pushing, dimension }: Solutions['sets'][number]) =>
  `${separation < -1e-8 ? `overlap ${millimetre(-separation)}` : separation < 1e-8 ? 'touching' : `separation ${millimetre(separation)}`}, ` +
  (pushing.length === 0
    ? 'none pushes'
    : `${pushing.length} ${dimension === 0 ? 'push' : `may push, loads indeterminate in ${dimension} directions`}`)

/** Distances from the free velocity that differ by less are one [kg^1/2 m/s]. */
const one = 1e-6

/** Captions 11 (d), (e) and 12 (d), (e), and the discussion, about all solutions that there are. */
export function solutionClaims(solutions: readonly Solutions[]): PanelClaim[] {
  const claim = (d: Solutions, where: string, words: string, holds: boolean, why: string, more = ''): PanelClaim => ({
    where: `${where}, ${models[d.model].short}`,
    scene: d.scene,
    model: d.model,
    claim: words,
    found: `${d.sets.length === 1 ? '1 velocity' : `${d.sets.length} velocities apart from each other`}${d.complete ? '' : ' at least'}, the nearest to free motion first: ${d.sets.map(setWords).join('; ')}${more}`,
    figures: Object.fromEntries(d.sets.map(({ separation }, k) => [`separation${k + 1}_m`, separation])),
    judgement: judged(holds && d.complete),
    why,
  })
  const free = { '11': figure11.speed * figure11.dt, '12': figure12.gravity * figure12.dt * figure12.dt }
  const captions = solutions.map((d) => {
    // deeper than first order explains: a tenth of the way of free motion
    const through = d.sets.filter(({ separation }) => separation < -0.1 * free[d.scene as '11' | '12'])
    const isLnc = d.model === 'lnc'
    return claim(
      d,
      `Figure ${d.scene} (${isLnc ? 'd' : 'e'})`,
      isLnc
        ? 'free motion, which overlaps, is a valid solution beside feasible ones'
        : 'no solution takes the bodies through each other',
      isLnc ? through.some(({ cost }) => cost < one) && through.length < d.sets.length : through.length === 0,
      'All choices of pushing contacts and of holding disjuncts are tried, gaps to first order; overlap is that of the true geometry.',
    )
  })
  const peg = solutions.find(({ scene, model }) => scene === '11' && model === 'literal') as Solutions
  const [forth, back] = peg.lmmcp
  const shown = (cost: number | null) => (cost === null ? 'none' : `that at ${significant(cost, 4)} from free motion`)
  const order = claim(
    peg,
    'Discussion',
    'there may be several distinct solutions, and re-ordering the constraints may change which one a solver takes',
    peg.sets.length > 1 && forth !== null && back !== null && Math.abs(forth - back) > one,
    'Figure 11, solved as one complementarity problem. The models here take the nearest one, whatever the order.',
    `; LMMCP takes ${shown(forth)}, with the constraints in reverse ${shown(back)}`,
  )
  return [...captions, order]
}

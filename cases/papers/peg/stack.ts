import { createGround, World } from '../../../simulation/index.ts'
import { boxOf, type Vector } from '../baraff/scene.ts'
import { judged } from '../page.ts'
import { millimetre, type PanelClaim } from './claims.ts'
import { type ModelId, modelIds, models } from './models.ts'

/** A stack of congruent cubes, flush at every edge and corner, dropped by a gap each [m, s]. */
export const stack = { count: 5, size: 0.2, gap: 1e-3, dt: 0.01, seconds: 2 } as const

export type StackRun = ReturnType<typeof stackRuns>[number]

/**
 * The degenerate case of the paper's background: every corner of a cube is on a corner, every edge on an edge, in one plane.
 *
 * @returns how far below its place the lowest-lying cube ends, and how far beside it any ends [m]
 */
export function stackRuns() {
  const { count, size, gap, dt, seconds } = stack
  return modelIds.map((model) => {
    const at = (i: number): Vector => [0, 0, (i + 0.5) * size + (i + 1) * gap]
    const world = new World({
      robots: Array.from({ length: count }, (_, i) => ({ robot: boxOf(`cube${i + 1}`, [size, size, size], 1, at(i)) })),
      fixtures: [createGround()],
      contactModel: models[model].inSpace,
      contactOptions: models[model].contactOptions,
      physical: { friction: 0, restitution: 0 },
      dt,
    })
    for (let k = Math.round(seconds / dt); k > 0; k--) world.step()
    const ends = world.robots.map(({ state: { q } }) => q)
    return {
      model,
      sunk: Math.max(...ends.map((q, i) => (i + 0.5) * size - q[2])),
      aside: Math.max(...ends.map((q) => Math.hypot(q[0], q[1]))),
      failures: world.events.failures,
      fallbacks: world.events.fallbacks,
    }
  })
}

/** A stack stands if nothing sinks or shifts by more [m]. */
const stands = 1e-6

/** The background's good test for degeneracy, and figure 12's claims on each model. */
export function stackClaims(runs: readonly StackRun[]): PanelClaim[] {
  const { count, size } = stack
  const collapsed = (count - 1) * size
  const claim = (model: ModelId, words: string, holds: (run: StackRun) => boolean, why: string): PanelClaim => {
    const run = runs.find((one) => one.model === model) as StackRun
    const { sunk, aside, failures, fallbacks } = run
    return {
      where: `Background, ${models[model].short}`,
      scene: 'stack',
      model,
      claim: words,
      found: `a cube sinks by ${millimetre(sunk)} at most and shifts by ${millimetre(aside)}; ${failures} failures, ${fallbacks} fallbacks`,
      figures: { sunk_m: sunk, aside_m: aside, failures, fallbacks },
      judgement: judged(holds(run)),
      why,
    }
  }
  const standsByItself = ({ sunk, aside, failures, fallbacks }: StackRun) =>
    sunk < stands && aside < stands && failures + fallbacks === 0
  return [
    claim('st', 'a stack of identical polyhedra stands, since it fits into the trap', standsByItself, 'Judged by 1 µm.'),
    claim(
      'lnc',
      'it falls through, as the block of figure 12 does',
      ({ sunk }) => Math.abs(sunk - collapsed) < stands,
      `Judged by all cubes ending in one: the highest sinks by ${collapsed} m.`,
    ),
    ...(['literal', 'peg'] as const).map((model) =>
      claim(
        model,
        'it stands, though every corner meets a corner and every edge an edge',
        standsByItself,
        `Judged by 1 µm, and by no fallback.${model === 'peg' ? ' Ours, not the paper’s.' : ''}`,
      ),
    ),
  ]
}

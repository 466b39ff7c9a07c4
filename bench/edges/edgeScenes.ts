/*
 * npm run bench -- edges
 *
 * Robots at edges and corners (docs/results.md) under `stewart-trinkle`, `peg` and `lnc`, each beside MuJoCo's mj_step with the same shapes,
 * friction, joint damping, limits and step, semi-implicit Euler in both. All are timed at the same moments: `stewart-trinkle`
 * runs the scene under its controller, and from each of `MOMENTS` states along that run every engine takes `STEPS` steps, with the efforts of
 * that moment held and nothing remembered of the steps before. A name's row is a whole pass over all moments; what the robot does at the edge
 * is a part of it, as it is of the run.
 *
 * Times are processor time of the process, the least of several passes in turns: the machine may be shared.
 */
import { edgeScenes, edgeSteps } from '../../test/compare/edgeScenes.ts'
import { inItsOwnProcess, type Row } from '../measure.ts'

export const timedModels = ['stewart-trinkle', 'lnc', 'peg'] as const

export const edgeRowName = (scene: string, dt: number, model: string): string => `edges ${scene} ${dt * 1e3} ms ${model}`

export const edgeRowNames: readonly string[] = edgeScenes.flatMap(({ name }) =>
  edgeSteps.flatMap((dt) => timedModels.map((model) => edgeRowName(name, dt, model))),
)

/** Each scene in a process of its own: once the memory of MuJoCo's WASM has grown, V8 watches every typed array of that process. */
export async function edgeSceneRows(wanted: string, say: (row: Row) => void): Promise<void> {
  for (const { name } of edgeScenes) {
    if (!edgeRowNames.some((row) => row.startsWith(`edges ${name} `) && row.includes(wanted))) continue
    await inItsOwnProcess(new URL('timeEdgeScene.ts', import.meta.url), [name, wanted], say, `the scene "${name}"`)
  }
}

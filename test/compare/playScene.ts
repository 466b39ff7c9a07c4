import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseScenario, type RawScenario } from '../../compare/scenario/index.ts'
import { createWorld, prepare, resolvePaths, subjectsOf } from '../../compare/scenario/world/files.ts'
import type { World } from '../../simulation/index.ts'

export const examples = fileURLToPath(new URL('../../docs/examples/', import.meta.url))
export const degree = Math.PI / 180

/**
 * A scene of docs/examples under one model at one step, to its end.
 *
 * @param watch called after each step
 * @param more  fields in place of the file's
 * @param steps in place of those that the scenario's duration takes
 */
export async function playScene(
  scene: string,
  model: string,
  dt: number,
  watch: (world: World) => void = () => {},
  more: RawScenario = {},
  steps?: number,
): Promise<World> {
  const file = `${examples}${scene}.yaml`
  const scenario = resolvePaths(await parseScenario(readFileSync(file, 'utf8'), file, { models: [model], ...more }), file)
  const prepared = await prepare(scenario, subjectsOf(scenario)[0])
  const { world } = createWorld(scenario, prepared, scenario.models[0], dt)
  for (let k = 0; k < (steps ?? Math.round(scenario.duration / dt)); k++) {
    world.step()
    watch(world)
  }
  return world
}

export const yawOf = ({ state: { q } }: World) => 2 * Math.atan2(q[5], q[6])
/** Between the base's z axis and the vertical. */
export const tiltOf = ({ state: { q } }: World) => Math.acos(1 - 2 * (q[3] * q[3] + q[4] * q[4]))

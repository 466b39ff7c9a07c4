import { createWorld, mapPaths, type Prepared, prepare, prepareWorld, subjectsOf } from '../../compare/assemble.ts'
import { parseScenario, type Scenario } from '../../compare/scenario/index.ts'
import type { PhysicalInputs } from '../../contact/index.ts'
import type { ControllerLoop } from '../../control/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { World } from '../../simulation/index.ts'
import { isOwnRobot } from '../robotSource.ts'
import { beside, type Files, memorySources } from './sources.ts'

/** A scenario file with all that it names, as plain data. */
export interface Scene {
  /** Path of the scenario among the files. */
  readonly file: string
  readonly files: Files
}

/** What a run states in place of its scenario. */
export interface SceneChoice {
  readonly contactModel: string
  readonly dt: number
  readonly physical?: Partial<PhysicalInputs>
}

/** @throws ScenarioError with file and line of all that is wrong */
export async function readScene({ file, files }: Scene, more: Record<string, unknown> = {}): Promise<Scenario> {
  const bytes = files.get(file)
  if (bytes === undefined) throw new Error(`${file} is not among the files`)
  const scenario = await parseScenario(new TextDecoder().decode(bytes), file, more)
  return mapPaths(scenario, {
    robot: (source) => (isOwnRobot(source) && !files.has(beside(file, source)) ? source : beside(file, source)),
    file: (path) => beside(file, path),
    folder: (path) => beside(file, path),
  })
}

/** What is seen of a scene before it runs: all that moves as one robot, where it starts, and what stands around. No controller is loaded. */
export interface SceneAtRest {
  readonly scenario: Scenario
  readonly world: World
  /** Of each member: its name in the world, and its own robot. */
  readonly members: readonly { readonly name: string; readonly robot: Robot }[]
}

/** @throws as `readScene`; SetupError, RobotError */
export async function sceneAtRest(scene: Scene): Promise<SceneAtRest> {
  const scenario = await readScene(scene)
  const prepared = await prepareWorld(memorySources(scene.files), scenario, subjectsOf(scenario)[0])
  const still: Prepared = { ...prepared, controllers: prepared.members.map(() => undefined) }
  const { world } = createWorld(scenario, still, scenario.models[0], scenario.dt[0])
  return { scenario, world, members: world.robots.map(({ name, robot }) => ({ name, robot })) }
}

/** The world of a run, with its controllers, as the command line makes it. @throws as `sceneAtRest`; ControllerError */
export async function openScene(scene: Scene, choice: SceneChoice): Promise<{ world: World; loop: ControllerLoop | undefined }> {
  const read = await readScene(scene)
  const scenario = choice.physical ? { ...read, physical: { ...read.physical, ...choice.physical } } : read
  const stated = scenario.models.find(({ name }) => name === choice.contactModel)
  const model = stated ?? ({ name: choice.contactModel, options: {} } as Scenario['models'][number])
  const prepared = await prepare(memorySources(scene.files), scenario, subjectsOf(scenario)[0])
  return createWorld(scenario, prepared, model, choice.dt)
}

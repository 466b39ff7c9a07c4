import { parseScenario, type Scenario } from '../../compare/scenario/index.ts'
import {
  asMujoco,
  createWorld,
  mapPaths,
  type Prepared,
  prepareWorld,
  subjectsOf,
  withoutTrust,
} from '../../compare/scenario/world/index.ts'
import { type ContactModelName, contactModelNamed, type PhysicalInputs } from '../../contact/index.ts'
import type { ControllerLoop } from '../../control/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { World } from '../../simulation/index.ts'
import { isOwnRobot } from '../robots/robotSource.ts'
import { beside, type Files, memorySources } from './sources.ts'

/** A scenario file with all that it names, as plain data. */
export interface Scene {
  /** Path of the scenario among the files. */
  readonly file: string
  readonly files: Files
  readonly origin: Origin
}

/** Whose a scene is: the page's or trusted by its user, whose scripts run as the page's own code does; or anybody's, whose run in the sandbox. */
export type Origin = 'own' | 'stranger'

/** Overrides of a run for its scenario. */
export interface SceneChoice {
  readonly contactModel: string
  /** Time step [s]. */
  readonly dt: number
  /** In place of the scenario's; default its own. */
  readonly physical?: Partial<PhysicalInputs>
  /** 3: in world axes [m/s^2]; default the scenario's, or the robot file's. */
  readonly gravity?: readonly [number, number, number]
  /** Factor on the efforts of the first robot's controller; default 1. */
  readonly gain?: number
}

/** @throws ScenarioError with file and line of all that is wrong */
export async function readScene({ file, files, origin }: Scene, more: Record<string, unknown> = {}): Promise<Scenario> {
  const bytes = files.get(file)
  if (bytes === undefined) throw new Error(`${file} is not among the files`)
  const stated = await parseScenario(new TextDecoder().decode(bytes), file, more)
  const placed = mapPaths(stated, {
    robot: (source) => (isOwnRobot(source) && !files.has(beside(file, source)) ? source : beside(file, source)),
    file: (path) => beside(file, path),
    folder: (path) => beside(file, path),
  })
  const scenario = origin === 'own' ? placed : withoutTrust(placed)
  return asMujoco(scenario, (source) => memorySources(files).robot(source, scenario))
}

/** Picture of a scene before it runs. No controller is loaded. */
export type SceneAtRest = Readonly<Awaited<ReturnType<typeof sceneAtRest>>>

/** @throws as `readScene`; SetupError, RobotError, WorldError */
export async function sceneAtRest(scene: Scene) {
  const scenario = await readScene(scene)
  const subject = subjectsOf(scenario)[0]
  const prepared = await prepareWorld(memorySources(scene.files), scenario, subject)
  const still: Prepared = { ...prepared, controllers: prepared.members.map(() => undefined) }
  const { world } = createWorld(scenario, still, scenario.models[0], scenario.dt[0])
  return {
    scenario,
    /** All that moves as one robot, whose home is where it starts. */
    robot: { ...world.robot, home: world.state.q.slice() } as Robot,
    fixtures: world.fixtures,
    /** Of each member: prefix of its links' names in `robot`, its own robot, the source of that, if it was read, and the first member of that file. */
    members: world.robots.map(({ name, robot }, i) => ({
      prefix: world.robots.length > 1 ? `${name}/` : '',
      robot,
      source: prepared.members[i].source,
      fileOf: prepared.members[i].fileOf ?? name,
    })),
  }
}

/** A scene with its controllers, from which any number of worlds can be made. */
export interface PreparedScene {
  readonly scenario: Scenario
  readonly prepared: Prepared
  /** Paths of the files that it was made of. */
  readonly read: ReadonlySet<string>
}

/** The world of a run, as the command line makes it. @throws SetupError, WorldError, ControllerError */
export function worldOfScene(
  { scenario, prepared }: PreparedScene,
  { contactModel, dt, physical, gravity, gain }: SceneChoice,
): { readonly world: World; readonly loop: ControllerLoop | undefined } {
  const stated = scenario.models.find(({ name }) => name === contactModel)
  const model = stated ?? { name: contactModelName(contactModel), options: {} }
  const own = physical === undefined ? scenario : { ...scenario, physical: { ...scenario.physical, ...physical } }
  const members =
    gravity === undefined
      ? prepared.members
      : prepared.members.map((member) => {
          const { robot } = member
          return { ...member, robot: { ...robot, model: { ...robot.model, gravity: Float64Array.of(0, 0, 0, ...gravity) } } }
        })
  const controllers = prepared.controllers.map((driver, i) => (driver && i === 0 ? { ...driver, gain } : driver))
  return createWorld(own, { ...prepared, members, controllers }, model, dt)
}

/** @throws RangeError for a name that is none */
function contactModelName(name: string): ContactModelName {
  contactModelNamed(name)
  return name as ContactModelName
}

import type { PlacedShape } from '../../contact/geometry/index.ts'
import type { Robot } from '../../robots/index.ts'
import { RobotFiles } from '../robots/robotFiles.ts'
import { isOwnRobot, loadOwnRobot, loadRobotFile } from '../robots/robotSource.ts'
import { type Scene, type SceneAtRest, sceneAtRest } from '../scenes/scene.ts'
import { visualsOfScene } from '../scenes/visuals.ts'
import { readVisuals, type Visuals } from '../stage/visuals.ts'
import type { RecordedRun } from './read.ts'

/** All that moves in a recording, and its visuals. */
interface RobotOfRecording {
  readonly robot: Robot
  readonly seen: Visuals
  /** Of a scenario, and its surroundings. */
  readonly scene?: Scene
  readonly fixtures?: readonly PlacedShape[]
  readonly members?: SceneAtRest['members']
}

/**
 * The robot that a recording was made of: of the scenario that it holds, one of our own, one that it holds as text, or one among the files.
 *
 * @throws Error where there is none, with the files to add; as `sceneAtRest`
 */
export async function robotOfRecording(
  name: string,
  { robots, scenario, files }: RecordedRun,
  dropped: RobotFiles,
  loads: (change: 1 | -1) => void,
): Promise<RobotOfRecording> {
  const encoder = new TextEncoder()
  const held = files.map((file) => [file.name, encoder.encode(file.text)] as const)
  const all = new RobotFiles(new Map([...dropped.all, ...held]) as typeof dropped.all, dropped.all.read)
  if (scenario !== undefined) {
    const scene: Scene = { file: scenario.name, files: all.all, origin: 'stranger' }
    const rest = await sceneAtRest(scene)
    const { robot, fixtures, members } = rest
    return { robot, seen: await visualsOfScene(rest, all, loads), scene, fixtures, members }
  }
  const [robot, ...others] = robots
  if (others.length === 0 && isOwnRobot(robot)) {
    const loaded = loadOwnRobot(robot)
    return { robot: loaded.robot, seen: await readVisuals(loaded.examined, loaded.files, loads) }
  }
  for (const path of all.robots) {
    const loaded = nothingOnError(() => loadRobotFile(all, path, ''))
    if (others.length > 0 || loaded?.robot.name !== robot) continue
    return { robot: loaded.robot, seen: await readVisuals(loaded.examined, all, loads) }
  }
  throw new Error(
    `${name} was recorded of ${robots.map((one) => `"${one}"`).join(', ')}, and holds numbers alone: drop the robot's folder together with it.`,
  )
}

/** Files beside a robot may be no robots themselves. */
function nothingOnError<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

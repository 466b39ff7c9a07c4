/** From a scenario to a world, with its files on disk. */
import { existsSync, statSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import { loadController } from '../../../control/files.ts'
import * as is from '../../../dynamics/math/arguments.ts'
import { isNamedRobot, isOwnRobot, loadOwnRobot, loadRobotFile, pathWithin, readRegularFile } from '../../../robots/files.ts'
import type { Robot } from '../../../robots/index.ts'
import { type Scenario, ScenarioError } from '../index.ts'
import { asMujoco, takenText } from './asMujoco.ts'
import * as assemble from './assemble.ts'
import { mapPaths, type Prepared, type PreparedWorld, type RobotCache, type Sources, withoutTrust } from './assemble.ts'
import { readLog } from './logFile.ts'

export {
  BODIES_ONLY,
  checkWorlds,
  controllerPeriod,
  createWorld,
  type Drive,
  everyScenario,
  isOutside,
  type Member,
  mapPaths,
  type OutsideModel,
  type Prepared,
  type PreparedController,
  type PreparedWorld,
  type RobotCache,
  SetupError,
  scriptsOf,
  subjectsOf,
  withoutTrust,
} from './assemble.ts'
export { takenText }

/**
 * A robot by path, or by name if it is one of our own.
 *
 * @param xacroArgs values of xacro's arguments
 * @param roots     folders that may be read beside its own
 * @param srdf      path of its SRDF file
 * @param concave   whether closed collision meshes stay as concave as they are, or to what error of their distance [m]
 * @param within    folders below which all of its files have to lie; default: anywhere
 */
export async function loadRobotBySource(
  source: string,
  base?: 'floating' | 'fixed',
  xacroArgs: Readonly<Record<string, string>> = {},
  roots: readonly string[] = [],
  concave: boolean | number = false,
  srdf?: string,
  within?: readonly string[],
): Promise<Robot> {
  is.check(source, is.text, 'robot')
  is.check(roots, is.listOf(is.text), 'roots')
  return isOwnRobot(source)
    ? loadOwnRobot(source, { base, xacroArgs, concave, srdf })
    : loadRobotFile(source, { base, xacroArgs, roots, concave, srdf, within })
}

/** Paths in a scenario file are relative to that file; names of our own robots stay names. */
function resolveBeside(file: string | undefined, source: string): string {
  if (file === undefined || isAbsolute(source) || isOwnRobot(source)) return source
  if (isNamedRobot(source) && !existsSync(resolve(dirname(file), source))) return source
  return resolve(dirname(file), source)
}

/** The scenario of a file with every path in it made absolute, those of its variants too. @unchecked */
export function resolvePaths(scenario: Scenario, file: string): Scenario {
  return mapPaths(scenario, {
    robot: (source) => resolveBeside(file, source),
    file: (path) => resolve(dirname(file), path),
    folder: (path) => resolve(dirname(file), path),
  })
}

/** A scenario's files on disk, within its border. */
function disk({ border }: Scenario): Sources {
  const bounded = (file: string) => (border === undefined ? file : pathWithin(file, border))
  return {
    robot: (source, { base, xacro, roots, concave, srdf }) =>
      loadRobotBySource(source, base, xacro, roots, concave, srdf, border),
    controller: (file, limits) => loadController(file, limits, border),
    mesh: (file) => ({ stamp: statSync(file).mtimeMs, bytes: () => readRegularFile(bounded(file)) }),
    table: (file) => readLog(bounded(file)),
  }
}

/**
 * The scenario as someone else's: its scripts run in sandboxes, and what it names lies in these folders.
 *
 * @throws ScenarioError with every path that lies elsewhere
 */
export function strangers(scenario: Scenario, folders: readonly string[]): Scenario {
  const problems = new Set<string>()
  const check = (path: string) => {
    try {
      pathWithin(path, folders)
    } catch (error) {
      problems.add(`${path}: ${(error as Error).message}`)
    }
    return path
  }
  const isName = (source: string) => isOwnRobot(source) || (isNamedRobot(source) && !existsSync(source))
  mapPaths(scenario, { robot: (source) => (isName(source) ? source : check(source)), file: check, folder: check })
  if (problems.size > 0) throw new ScenarioError([...problems])
  return withoutTrust(scenario, folders)
}

/** `asMujoco` of files on disk. */
export const takenFromFile = (scenario: Scenario): Promise<Scenario> =>
  asMujoco(scenario, (source) => disk(scenario).robot(source, scenario))

/** `assemble.prepareWorld` of files on disk. @unchecked */
export const prepareWorld = (scenario: Scenario, source: string, cache?: RobotCache): Promise<PreparedWorld> =>
  assemble.prepareWorld(disk(scenario), scenario, source, cache)

/** `assemble.logNotes` of files on disk. */
export const logNotes = (scenario: Scenario, prepared: PreparedWorld): Promise<string[]> =>
  assemble.logNotes(disk(scenario), prepared)

/** `assemble.prepare` of files on disk. @unchecked */
export const prepare = (scenario: Scenario, source: string, cache?: RobotCache): Promise<Prepared> =>
  assemble.prepare(disk(scenario), scenario, source, cache)

/** `assemble.withControllers` of files on disk. */
export const withControllers = (scenario: Scenario, prepared: PreparedWorld): Promise<Prepared> =>
  assemble.withControllers(disk(scenario), scenario, prepared)

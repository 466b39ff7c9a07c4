/** From a scenario to a world, with its files on disk. */

import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import { loadController } from '../../../control/files.ts'
import * as is from '../../../dynamics/math/arguments.ts'
import { isNamedRobot, isOwnRobot, loadOwnRobot, loadRobotFile } from '../../../robots/files.ts'
import type { Robot } from '../../../robots/index.ts'
import type { Scenario } from '../index.ts'
import { asMujoco, takenText } from './asMujoco.ts'
import * as assemble from './assemble.ts'
import { mapPaths, type Prepared, type PreparedWorld, type RobotCache, type Sources } from './assemble.ts'
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
 */
export async function loadRobotBySource(
  source: string,
  base?: 'floating' | 'fixed',
  xacroArgs: Readonly<Record<string, string>> = {},
  roots: readonly string[] = [],
  concave: boolean | number = false,
  srdf?: string,
): Promise<Robot> {
  is.check(source, is.text, 'robot')
  is.check(roots, is.listOf(is.text), 'roots')
  return isOwnRobot(source)
    ? loadOwnRobot(source, { base, xacroArgs, concave, srdf })
    : loadRobotFile(source, { base, xacroArgs, roots, concave, srdf })
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

const disk: Sources = {
  robot: (source, { base, xacro, roots, concave, srdf }) => loadRobotBySource(source, base, xacro, roots, concave, srdf),
  controller: loadController,
  mesh: (file) => ({ stamp: statSync(file).mtimeMs, bytes: () => readFileSync(file) }),
  table: readLog,
}

/** `asMujoco` of files on disk. */
export const takenFromFile = (scenario: Scenario): Promise<Scenario> =>
  asMujoco(scenario, (source) => disk.robot(source, scenario))

/** `assemble.prepareWorld` of files on disk. @unchecked */
export const prepareWorld = (scenario: Scenario, source: string, cache?: RobotCache): Promise<PreparedWorld> =>
  assemble.prepareWorld(disk, scenario, source, cache)

/** `assemble.prepare` of files on disk. @unchecked */
export const prepare = (scenario: Scenario, source: string, cache?: RobotCache): Promise<Prepared> =>
  assemble.prepare(disk, scenario, source, cache)

/** `assemble.withControllers` of files on disk. */
export const withControllers = (scenario: Scenario, prepared: PreparedWorld): Promise<Prepared> =>
  assemble.withControllers(disk, scenario, prepared)

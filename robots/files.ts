/** Robots from a disk; the only part of `robots/` that needs Node. */

import { existsSync, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { asset } from '../assets.ts'
import { didYouMean } from '../dynamics/index.ts'
import * as is from '../dynamics/math/arguments.ts'
import { MeshStore } from './compile/meshStore.ts'
import type { LinkDescription } from './description.ts'
import { robotError } from './diagnostics.ts'
import { diskResolver, ownFolders, pathWithin, readRegularFile, slashes, UnreadableFile } from './files/disk.ts'
import { locateIn, namedRobots } from './files/named.ts'
import { withPackages } from './files/resolve.ts'
import { type LoadOptions, loadExamined, loadFields } from './load.ts'
import type { Robot } from './robot.ts'
import { isSecret } from './xacro/index.ts'
import { decodeXml, xmlLimits } from './xml.ts'

export { diskResolver, ownFolders, pathWithin, type ReadableFolder, readRegularFile } from './files/disk.ts'

/** Of a robot's own file and its SRDF; a character has up to four [bytes]. */
const maxTextBytes = 4 * xmlLimits.maxLength

export interface RobotFileOptions extends Omit<LoadOptions, 'file' | 'resolver' | 'srdf'> {
  /** Folders that may be read and are searched for packages, besides the robot's own package and those next to it. */
  readonly roots?: readonly string[]
  /** Folders of packages by their names, for those that are not to be searched for. */
  readonly packages?: Readonly<Record<string, string>>
  /** Path of the robot's SRDF file. Default: none. */
  readonly srdf?: string
  /** Folders below which all of its files have to lie, links followed: of a robot that someone else's file names. Default: anywhere. */
  readonly within?: readonly string[]
  /** Called with the absolute path of each file that is read. */
  readonly onRead?: (file: string) => void
}

const paths = is.listOf(is.text)
const others = { packages: is.byName(is.text), srdf: is.text, onRead: is.callback }
const fileKind = is.options<RobotFileOptions>({ ...loadFields, ...others, roots: paths, within: paths })

export { type ConvexCutter, rapierCutter } from './compile/convexParts.ts'
export { isNamedRobot, type NamedRobot, namedRobots } from './files/named.ts'

/** Robots that come with the package. */
export const OWN_ROBOTS = ['diffdrive', 'humanoid', 'quadruped', 'gripper', 'wrist-gripper', 'mecanum'] as const
export type OwnRobot = (typeof OWN_ROBOTS)[number]

/** `. Did you mean NAME?` for the robot whose name is nearest, or ''. @unchecked */
export const nearestRobot = (name: string) => didYouMean(name, [...OWN_ROBOTS, ...namedRobots.map((robot) => robot.name)])

/** Files that a robot was read from. */
export interface FilesRead {
  /** Absolute path of the robot's own file. */
  readonly file: string
  /** The folder above the robot's package, and the further roots. */
  readonly roots: readonly string[]
  /** Absolute paths of all files, the robot's own first; those of packages (package.xml) among them. */
  readonly files: readonly string[]
  /** Its links as repaired, and access to their meshes, for pictures. */
  readonly links: readonly LinkDescription[]
  meshes(): MeshStore
}

const filesRead = new WeakMap<Robot, FilesRead>()

/** The files that a robot of `loadRobotFile` was read from. @unchecked */
export const filesOf = (robot: Robot): FilesRead | undefined => filesRead.get(robot)

/** Loads a robot from a URDF, xacro, MJCF or SDF file. @throws RobotError */
export function loadRobotFile(path: string, options: RobotFileOptions = {}): Robot {
  const files = new Set<string>()
  is.check(options, fileKind, 'options of a robot file: ')
  const { text, options: loading, above } = openRobotFile(path, { ...options, onRead: (file) => files.add(file) })
  const { robot, examined } = loadExamined(text, loading)
  const roots = [above, ...(options.roots ?? []).map((root) => slashes(resolve(root)))]
  const meshes = () => new MeshStore(loading.file, loading.resolver, loading.upAxis)
  filesRead.set(robot, { file: loading.file, roots, files: [...files], links: examined.repaired.links, meshes })
  return robot
}

/**
 * The text of a robot file, by its path or by a name of `namedRobots`, with the options to load or examine it: a resolver over the disk,
 * the text of the SRDF file, and for xacro the environment of the process but for variables that are named like secrets.
 *
 * @throws RobotError if a file is not there
 */
export function openRobotFile(
  path: string,
  options: RobotFileOptions = {},
): { readonly text: string; readonly options: LoadOptions; readonly above: string } {
  is.check(path, is.text, 'path of a robot')
  is.check(options, fileKind, 'options of a robot file: ')
  const { roots = [], packages = {}, srdf, within, onRead = () => {}, ...others } = options
  const known = existsSync(path) ? undefined : locateRobot(path)
  const bounds = known === undefined ? within : undefined // a name of `namedRobots` is looked up, and no path of the scenario's author
  const { text, file } = readText(
    known ?? path,
    bounds,
    `Give the path of a URDF, xacro, MJCF or SDF file, or one of ${OWN_ROBOTS.join(', ')}${nearestRobot(path) || '.'}`,
  )
  onRead(file)
  for (const root of roots) {
    if (statSync(root, { throwIfNoEntry: false })?.isDirectory()) continue
    throw robotError('file-missing', { file: root, line: 0 }, '', 'there is no such folder.', 'Give a folder as a root.')
  }
  const { folders: own, above } = ownFolders(file)
  if (srdf !== undefined) onRead(slashes(resolve(srdf)))
  const folders = Object.fromEntries(Object.entries(packages).map(([name, folder]) => [name, slashes(resolve(folder))]))
  // what xacro reads of a file can become a name
  const ours = own.filter(({ byPath }) => !byPath || !text.includes('xacro'))
  const resolver = diskResolver([...ours, ...roots, ...Object.values(folders)], onRead, bounds)
  const description = slashes(resolve(own[0].folder, 'package.xml'))
  if (own[0].isPackage && resolver.exists(description)) onRead(description)
  return {
    text,
    above: slashes(above),
    options: {
      environment: bounds === undefined ? withoutSecrets(process.env) : {},
      ...others,
      file,
      resolver: withPackages(resolver, folders),
      srdf: srdf === undefined ? undefined : readText(srdf, bounds, 'Give the path of an SRDF file.'),
    },
  }
}

const withoutSecrets = (environment: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !isSecret(name)))

/** Locates a robot by a name of `namedRobots`; see `locateIn`. @throws RobotError if it is not found */
export function locateRobot(
  name: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
  from = process.cwd(),
): string | undefined {
  is.check(name, is.text, 'name of a robot')
  const list = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])
  return locateIn({ exists: existsSync, list }, name, { HOME: homedir(), ...environment }, slashes(resolve(from)))
}

/** @unchecked */
export function isOwnRobot(name: string): name is OwnRobot {
  return (OWN_ROBOTS as readonly string[]).includes(name)
}

/** The path of one of our own robots' URDF. */
export function ownRobotPath(name: OwnRobot): string {
  is.check(name, is.oneOf(...OWN_ROBOTS), 'name of a robot')
  return fileURLToPath(asset(`robots/own/${name}/${name}.urdf`))
}

/** Loads one of our own robots. */
export function loadOwnRobot(name: OwnRobot, options: Omit<RobotFileOptions, 'roots'> = {}): Robot {
  return loadRobotFile(ownRobotPath(name), options)
}

function readText(path: string, within: readonly string[] | undefined, remedy: string): { text: string; file: string } {
  const file = slashes(resolve(path))
  try {
    if (within !== undefined) pathWithin(file, within)
    return { text: decodeXml(readRegularFile(file, maxTextBytes), file), file }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    throw robotError(error.code, { file: path, line: 0 }, '', error.message, remedy)
  }
}

/** Robots from a disk; the only part of `robots/` that needs Node. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { didYouMean } from '../dynamics/index.ts'
import { robotError } from './diagnostics.ts'
import { type LoadOptions, loadRobot } from './load.ts'
import { maxMeshBytes } from './meshes/index.ts'
import { locateIn, namedRobots } from './named.ts'
import { type Resolver, withPackages } from './resolve.ts'
import type { Robot } from './robot.ts'
import { decodeXml } from './xml.ts'

export interface RobotFileOptions extends Omit<LoadOptions, 'file' | 'resolver' | 'srdf'> {
  /**
   * Folders that hold packages, and outside of which nothing is read. Default: the folder that holds the package of the
   * file (above the nearest package.xml), or without a package.xml the folder two above the file.
   */
  readonly roots?: readonly string[]
  /** Folders of packages by their names, for those that are not to be searched for. They may lie outside the roots. */
  readonly packages?: Readonly<Record<string, string>>
  /** Path of the robot's SRDF file. Default: none. */
  readonly srdf?: string
  /** Called with the absolute path of each file that is read. */
  readonly onRead?: (file: string) => void
}

export { type ConvexCutter, rapierCutter } from './convexParts.ts'
export { isNamedRobot, type NamedRobot, namedRobots } from './named.ts'

/** Robots that come with the package. */
export const OWN_ROBOTS = ['diffdrive', 'humanoid', 'quadruped', 'gripper'] as const
export type OwnRobot = (typeof OWN_ROBOTS)[number]

/** `. Did you mean NAME?` for the robot whose name is nearest, or ''. */
export const nearestRobot = (name: string) => didYouMean(name, [...OWN_ROBOTS, ...namedRobots.map((robot) => robot.name)])

/** What a robot was read from. */
export interface FilesRead {
  /** Absolute path of the robot's own file. */
  readonly file: string
  /** The first folder outside of which nothing was read. */
  readonly root: string
  /** Absolute paths of all files, the robot's own first; those of packages (package.xml) among them. */
  readonly files: readonly string[]
}

const filesRead = new WeakMap<Robot, FilesRead>()

/** What a robot of `loadRobotFile` was read from. */
export const filesOf = (robot: Robot): FilesRead | undefined => filesRead.get(robot)

/** Loads a robot from a URDF, xacro, MJCF or SDF file. @throws RobotError */
export function loadRobotFile(path: string, options: RobotFileOptions = {}): Robot {
  const files = new Set<string>()
  const { text, options: loading } = openRobotFile(path, { ...options, onRead: (file) => files.add(file) })
  const robot = loadRobot(text, loading)
  filesRead.set(robot, { file: loading.file, root: loading.resolver?.roots[0] ?? dirname(loading.file), files: [...files] })
  return robot
}

/**
 * The text of a robot file, by its path or by a name of `namedRobots`, and with what to load or examine it: a resolver over the disk, the text of the SRDF file, and
 * the environment of the process for xacro.
 *
 * @throws RobotError if a file is not there
 */
export function openRobotFile(
  path: string,
  options: RobotFileOptions = {},
): { readonly text: string; readonly options: LoadOptions } {
  const { roots, packages = {}, srdf, onRead = () => {}, ...others } = options
  const known = existsSync(path) ? undefined : locateRobot(path)
  const { text, file } = readText(
    known ?? path,
    `Give the path of a URDF, xacro, MJCF or SDF file, or one of ${OWN_ROBOTS.join(', ')}${nearestRobot(path) || '.'}`,
  )
  onRead(file)
  const own = ownPackage(file)
  if (own !== undefined) onRead(`${own}/package.xml`)
  if (srdf !== undefined) onRead(slashes(resolve(srdf)))
  const folders = Object.fromEntries(Object.entries(packages).map(([name, folder]) => [name, slashes(resolve(folder))]))
  const resolver = diskResolver([...(roots ?? defaultRoots(file)), ...Object.values(folders)], onRead)
  return {
    text,
    options: {
      environment: process.env,
      ...others,
      file,
      resolver: withPackages(resolver, folders),
      srdf: srdf === undefined ? undefined : readText(srdf, 'Give the path of an SRDF file.'),
    },
  }
}

/** Where a robot of a name of `namedRobots` is; see `locateIn`. @throws RobotError if it is nowhere */
export function locateRobot(
  name: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
  from = process.cwd(),
): string | undefined {
  const list = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])
  return locateIn({ exists: existsSync, list }, name, { HOME: homedir(), ...environment }, slashes(resolve(from)))
}

export function isOwnRobot(name: string): name is OwnRobot {
  return (OWN_ROBOTS as readonly string[]).includes(name)
}

/** The path of one of our own robots' URDF. */
export function ownRobotPath(name: OwnRobot): string {
  return fileURLToPath(new URL(`./own/${name}/${name}.urdf`, import.meta.url))
}

/** Loads one of our own robots. */
export function loadOwnRobot(name: OwnRobot, options: Omit<RobotFileOptions, 'roots'> = {}): Robot {
  const path = ownRobotPath(name)
  return loadRobotFile(path, { ...options, roots: [dirname(path)] })
}

function readText(path: string, remedy: string): { text: string; file: string } {
  const file = slashes(resolve(path))
  let bytes: Uint8Array
  try {
    bytes = readFileSync(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const message =
      code === 'ENOENT' ? 'there is no such file.' : code === 'EISDIR' ? 'this is a folder.' : `it cannot be read (${code}).`
    throw robotError('file-missing', { file: path, line: 0 }, '', message, remedy)
  }
  return { text: decodeXml(bytes, file), file }
}

/** A resolver over the disk. Links are followed, and what they lead to has to lie under a root too. */
export function diskResolver(roots: readonly string[], onRead: (file: string) => void = () => {}): Resolver {
  const real = roots.flatMap((root) => (existsSync(root) ? [realpathSync(root)] : []))
  const allowed = (path: string): boolean => {
    if (!existsSync(path)) return false
    const target = realpathSync(path)
    return real.some((root) => target === root || target.startsWith(root.endsWith(sep) ? root : root + sep))
  }
  return {
    roots: roots.map((root) => slashes(resolve(root))),
    read: (path) => {
      if (!allowed(path)) return undefined
      const stats = statSync(path)
      if (!stats.isFile() || stats.size > maxMeshBytes) return undefined
      onRead(slashes(resolve(path)))
      return readFileSync(path)
    },
    exists: allowed,
    list: (folder) => (allowed(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : []),
  }
}

/** The nearest folder above a file that holds a package.xml. */
function ownPackage(file: string): string | undefined {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(`${folder}/package.xml`)) return folder
  return undefined
}

function defaultRoots(file: string): string[] {
  const own = dirname(file)
  const folder = ownPackage(file)
  if (folder !== undefined) return [notTheDisk(dirname(folder), folder)]
  return [notTheDisk(dirname(dirname(own)), notTheDisk(dirname(own), own))]
}

/** The whole disk is no root that anyone declared. */
function notTheDisk(folder: string, otherwise: string): string {
  return folder === dirname(folder) ? otherwise : folder
}

function slashes(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/')
}

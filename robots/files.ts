/** Robots from a disk; the only part of `robots/` that needs Node. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DOMParser } from '@xmldom/xmldom'
import { robotError } from './diagnostics.ts'
import { type LoadOptions, loadRobot, loadRobotOrXacro } from './load.ts'
import { maxMeshBytes } from './meshes/index.ts'
import type { Resolver } from './resolve.ts'
import type { Robot } from './robot.ts'
import type { DomParserClass } from './xacro.ts'

export interface RobotFileOptions extends Omit<LoadOptions, 'file' | 'resolver'> {
  /**
   * Folders that hold packages, and outside of which nothing is read. Default: the folder that holds the package of the
   * file (above the nearest package.xml), or without a package.xml the folder two above the file.
   */
  readonly roots?: readonly string[]
  /** What `key:=value` gives xacro. */
  readonly xacroArgs?: Readonly<Record<string, string>>
}

/** Robots that come with the package. */
export const OWN_ROBOTS = ['diffdrive', 'humanoid'] as const
export type OwnRobot = (typeof OWN_ROBOTS)[number]

/** Loads a robot from a URDF or xacro file. Rejects with a RobotError. */
export async function loadRobotFile(path: string, options: RobotFileOptions = {}): Promise<Robot> {
  const { text, file, resolver } = open(path, options)
  return loadRobotOrXacro(text, { ...options, file, resolver, domParser: DOMParser as unknown as DomParserClass })
}

/** The same at once, for URDF only. @throws RobotError, for xacro too */
export function loadRobotFileSync(path: string, options: RobotFileOptions = {}): Robot {
  const { text, file, resolver } = open(path, options)
  return loadRobot(text, { ...options, file, resolver })
}

export function isOwnRobot(name: string): name is OwnRobot {
  return (OWN_ROBOTS as readonly string[]).includes(name)
}

/** The path of one of our own robots' URDF. */
export function ownRobotPath(name: OwnRobot): string {
  return fileURLToPath(new URL(`./own/${name}/${name}.urdf`, import.meta.url))
}

/** Loads one of our own robots. */
export function loadOwnRobot(name: OwnRobot, options: Omit<RobotFileOptions, 'roots' | 'xacroArgs'> = {}): Robot {
  const path = ownRobotPath(name)
  return loadRobotFileSync(path, { ...options, roots: [dirname(path)] })
}

function open(path: string, { roots }: RobotFileOptions): { text: string; file: string; resolver: Resolver } {
  const file = slashes(resolve(path))
  let bytes: Uint8Array
  try {
    bytes = readFileSync(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const message =
      code === 'ENOENT' ? 'there is no such file.' : code === 'EISDIR' ? 'this is a folder.' : `it cannot be read (${code}).`
    throw robotError(
      'file-missing',
      { file: path, line: 0 },
      '',
      message,
      `Give the path of a URDF or xacro file, or one of ${OWN_ROBOTS.join(', ')}.`,
    )
  }
  return { text: new TextDecoder().decode(bytes), file, resolver: diskResolver(roots ?? defaultRoots(file)) }
}

/** A resolver over the disk. Links are followed, and what they lead to has to lie under a root too. */
export function diskResolver(roots: readonly string[]): Resolver {
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
      return stats.isFile() && stats.size <= maxMeshBytes ? readFileSync(path) : undefined
    },
    exists: allowed,
    list: (folder) => (allowed(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : []),
  }
}

function defaultRoots(file: string): string[] {
  const own = dirname(file)
  for (let folder = own; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(`${folder}/package.xml`)) return [notTheDisk(dirname(folder), folder)]
  }
  return [notTheDisk(dirname(dirname(own)), notTheDisk(dirname(own), own))]
}

/** The whole disk is no root that anyone declared. */
function notTheDisk(folder: string, otherwise: string): string {
  return folder === dirname(folder) ? otherwise : folder
}

function slashes(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/')
}

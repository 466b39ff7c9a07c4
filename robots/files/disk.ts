/** Files of a robot on a disk, and the limits of reading them. */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, realpathSync, type Stats, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { maxMeshBytes } from '../meshes/index.ts'
import { isInside, type Resolver } from './resolve.ts'

/** A folder that may be read, but for hidden files and folders in it. */
export interface ReadableFolder {
  readonly folder: string
  /** Only files of the kinds that robots consist of. */
  readonly robotFiles?: boolean
  /** Only files directly in it. */
  readonly flat?: boolean
  /** It has a package.xml, which counts as read when anything in it is. */
  readonly isPackage?: boolean
  /** Only XML and meshes, by references with `..` that lead there: nothing in it is searched for. */
  readonly byPath?: boolean
}

/** Folders that may be read for a robot file by default. */
export interface OwnFolders {
  readonly folders: readonly ReadableFolder[]
  /** The folder above them all. */
  readonly above: string
}

/** The reason why a file is not read, as the text of a finding. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile'
  readonly code: 'file-missing' | 'file-kind' | 'file-size' | 'file-outside'

  constructor(code: UnreadableFile['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** Most folders beside a package that are searched. */
const mostNeighbours = 2000
/** Folders of a robot that has no package.xml, beside the folder of its file or one above. */
const partsOfRobots =
  /^(?:mesh(?:es)?|assets|visuals?|collisions?|urdf|xacro|robots|models|sdf|mjcf|stl|dae|obj|materials|textures|media|.+_(?:description|support))$/i
const robotFiles =
  /\.(?:urdf|xacro|xml|sdf|world|srdf|mjcf|gazebo|trans|transmission|material|materials|inc|ya?ml|stl|obj|mtl|dae|ply|gltf|glb|bin|msh|png|jpe?g|tiff?|bmp|tga)$/i

const xmlAndMeshes = /\.(?:xml|mjcf|stl|obj|mtl|dae|ply|gltf|glb|bin|msh)$/i

/**
 * The bytes of a regular file. Of a device, a pipe, a socket or a file that is too large nothing is read.
 *
 * @param most largest size [bytes]
 * @throws UnreadableFile
 */
export function readRegularFile(path: string, most = maxMeshBytes): Uint8Array {
  try {
    checkKind(statSync(path), most) // before it is opened, which some devices act on
    // a pipe that has replaced the file since would block
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const stats = fstatSync(file)
      checkKind(stats, most)
      const bytes = new Uint8Array(stats.size)
      let length = 0
      for (let more = -1; more !== 0 && length < bytes.length; length += more) {
        more = readSync(file, bytes, length, bytes.length - length, null)
      }
      return bytes.subarray(0, length)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (error instanceof UnreadableFile) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new UnreadableFile('file-missing', reasons[code ?? ''] ?? `it cannot be read (${code}).`)
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file.',
  ENOTDIR: 'there is no such file.',
  ELOOP: 'its links lead in a circle.',
  ERR_INVALID_ARG_VALUE: 'no file has such a name.',
}

function checkKind(stats: Stats, most: number): void {
  if (stats.isDirectory()) throw new UnreadableFile('file-missing', 'this is a folder.')
  if (!stats.isFile()) throw new UnreadableFile('file-kind', 'this is no regular file but a device, a pipe or a socket.')
  if (stats.size > most) throw new UnreadableFile('file-size', `it has ${stats.size} bytes; at most ${most} are read.`)
}

/**
 * The real path of a file, links followed, that lies in one of these folders and whose way there has no name that begins with a dot.
 *
 * @throws UnreadableFile for any other
 */
export function pathWithin(path: string, folders: readonly string[]): string {
  const target = realPath(path)
  if (target === undefined) throw new UnreadableFile('file-missing', reasons.ENOENT)
  if (!folders.some((folder) => isOpenIn(realPath(folder), target)))
    throw new UnreadableFile(
      'file-outside',
      `it is hidden, or not below ${folders.join(' or ')}: what came from someone else is read from its own folder; --allow DIR opens another.`,
    )
  return target
}

/** Whether a real path lies in a real folder, on a way without names that begin with a dot. */
function isOpenIn(folder: string | undefined, target: string): boolean {
  if (folder === undefined) return false
  const inside = relative(folder, target)
  return resolve(folder, inside) === target && inside.split(sep).every((part) => !part.startsWith('.'))
}

/**
 * A resolver over the disk. Links are followed, and their targets have to lie in one of the folders too. Nothing is read whose
 * name, or that of a folder above it, begins with a dot.
 *
 * @param onRead called with the absolute path of each file that is read @param within the folders below which all of it has to lie
 */
export function diskResolver(
  folders: readonly (string | ReadableFolder)[],
  onRead: (file: string) => void = () => {},
  within?: readonly string[],
): Resolver {
  const bounds = within?.map(realPath)
  const all = folders.map((folder) => (typeof folder === 'string' ? { folder } : folder))
  const real = all.flatMap((folder) => {
    const path = realPath(folder.folder)
    return path === undefined ? [] : [{ ...folder, path }]
  })
  /** The real path, and the folder by which it may be read. */
  const allowed = (path: string) => {
    const target = realPath(path)
    if (target === undefined || bounds?.every((folder) => !isOpenIn(folder, target))) return undefined
    const isFolder = statSync(target, { throwIfNoEntry: false })?.isDirectory() ?? false
    const by = real.find((folder) => {
      if (!isOpenIn(folder.path, target) || (folder.flat && dirname(target) !== folder.path && target !== folder.path))
        return false
      return isFolder || (folder.byPath ? xmlAndMeshes.test(target) : !folder.robotFiles || robotFiles.test(target))
    })
    return by && { target, by, isFolder }
  }
  return {
    roots: all.flatMap(({ folder, byPath }) => (byPath ? [] : [slashes(resolve(folder))])),
    above: all.flatMap(({ folder, byPath }) => (byPath ? [slashes(resolve(folder))] : [])),
    read: (path) => {
      const found = allowed(path)
      if (found === undefined || found.isFolder) return undefined
      try {
        const bytes = readRegularFile(found.target)
        // whose package.xml is read is not yet used
        if (basename(path) !== 'package.xml') {
          if (found.by.isPackage) onRead(slashes(resolve(found.by.folder, 'package.xml')))
          onRead(slashes(resolve(path)))
        }
        return bytes
      } catch (error) {
        if (error instanceof UnreadableFile) return undefined
        throw error
      }
    },
    exists: (path) => allowed(path) !== undefined,
    hides: (path) => {
      const target = realPath(path)
      const found = allowed(path)
      if (target === undefined || !robotFiles.test(target) || (found && !found.by.byPath)) return false
      return statSync(target, { throwIfNoEntry: false })?.isFile() ?? false
    },
    list: (folder) => {
      const found = allowed(folder)
      if (!found?.isFolder || found.by.byPath) return []
      try {
        return readdirSync(found.target)
      } catch {
        return []
      }
    },
  }
}

/**
 * The folders of a robot: its package, which is the nearest folder above the file that holds a package.xml, and of the packages
 * beside that the files of kinds that robots consist of. Without a package.xml, files of these kinds in the folder of the file, and in
 * packages and folders such as `meshes` of the two above it; and what references lead to in the folder above. A robot's own folder is
 * never the home folder or one above it: for a file there only files beside it are read.
 */
export function ownFolders(file: string, home = homedir()): OwnFolders {
  const isWide = (folder: string) => folder === dirname(folder) || isInside(slashes(home), slashes(folder))
  const own = packageAbove(file, isWide)
  if (own !== undefined) {
    const workspace = dirname(own)
    const folders: ReadableFolder[] = [{ folder: own, isPackage: true }, ...linkedPackage(file, isWide)]
    if (isWide(workspace)) return { folders, above: own }
    return { folders: [...folders, ...neighbours(workspace, own, isPackage)], above: workspace }
  }
  const folder = dirname(file)
  const folders: ReadableFolder[] = [
    { folder, robotFiles: true, flat: isWide(folder) },
    ...linkedPackage(file, isWide),
    ...(isWide(folder) ? neighbours(folder, '', isPart) : []),
  ]
  let above = folder
  for (let k = 0; k < 2 && !isWide(dirname(above)); k++) {
    const from = above
    above = dirname(above)
    folders.push(...neighbours(above, from, (path) => isPackage(path) || isPart(path)))
  }
  if (!isWide(dirname(folder))) folders.push({ folder: dirname(folder), byPath: true })
  return { folders, above }
}

const isPart = (folder: string) => partsOfRobots.test(basename(folder))

const isPackage = (folder: string) => statSync(join(folder, 'package.xml'), { throwIfNoEntry: false })?.isFile() ?? false

function packageAbove(file: string, isWide: (folder: string) => boolean): string | undefined {
  for (let folder = dirname(file); !isWide(folder); folder = dirname(folder)) if (isPackage(folder)) return folder
  return undefined
}

/** The package of the target of a link, as colcon installs them. */
function linkedPackage(file: string, isWide: (folder: string) => boolean): ReadableFolder[] {
  const real = realPath(file)
  const folder = real === undefined || real === file ? undefined : packageAbove(real, isWide)
  return folder === undefined ? [] : [{ folder, isPackage: true }]
}

/** Folders in a folder that are of a kind. */
function neighbours(folder: string, except: string, isWanted: (folder: string) => boolean): ReadableFolder[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.isFile() && !entry.name.startsWith('.'))
      .slice(0, mostNeighbours)
      .map(({ name }) => join(folder, name))
      .filter((path) => path !== except && isWanted(path) && (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false))
      .map((path) => ({ folder: path, robotFiles: true, isPackage: isPackage(path) }))
  } catch {
    return []
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined // missing, a cycle of links, or an impossible name
  }
}

export function slashes(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/')
}

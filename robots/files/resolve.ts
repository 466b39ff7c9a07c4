import * as is from '../../dynamics/math/arguments.ts'
/**
 * Resolves references in robot files to files. Paths are strings with `/` between names; the storage behind them, a disk
 * or a set of dropped files, is left to the resolver.
 */
export interface Resolver {
  /** Folders that are searched for packages, and outside of which nothing is read. Absolute or not, as the files are. */
  readonly roots: readonly string[]
  /** Folders that references with `..` may lead to; nothing is searched for in them. */
  readonly above?: readonly string[]
  /** Folders of the packages of these names, which are then not searched for. */
  readonly packages?: ReadonlyMap<string, string>
  /** The file's bytes, or undefined if there is none or it may not be read. */
  read(path: string): Uint8Array | undefined
  /** Whether a file or a folder exists (and may be read). */
  exists(path: string): boolean
  /** Whether a file of a robot's kind is there that may not be read. */
  hides?(path: string): boolean
  /** Names in a folder; without it, letter case is not forgiven. */
  list?(folder: string): readonly string[]
}

export interface Resolved {
  readonly path: string
  /** Set when the file was only found in another letter case. */
  readonly caseChanged: boolean
}

/** A resolver without files: every mesh is missing. */
export const noFiles: Resolver = { roots: [], read: () => undefined, exists: () => false }

/** A resolver over files that are in memory, such as those dropped onto a page; keys are their paths. */
export function memoryResolver(files: ReadonlyMap<string, Uint8Array>): Resolver {
  is.check(files, is.made('a map of files', 'get', 'keys'), 'memoryResolver: files')
  const byPath = new Map<string, string>()
  const folders = new Map<string, Set<string>>([['', new Set()]])
  for (const path of files.keys()) {
    const clean = normalizePath(path).replace(/^\/+/, '')
    byPath.set(clean, path)
    for (let child = clean; child !== ''; child = folderOf(child)) {
      const folder = folderOf(child)
      if (!folders.has(folder)) folders.set(folder, new Set())
      folders.get(folder)!.add(fileName(child))
    }
  }
  const clean = (path: string) => normalizePath(path).replace(/^\/+/, '')
  return {
    roots: ['', '/'],
    read: (path) => files.get(byPath.get(clean(path)) ?? ''),
    exists: (path) => byPath.has(clean(path)) || folders.has(clean(path)),
    list: (folder) => [...(folders.get(clean(folder)) ?? [])],
  }
}

/**
 * The same resolver with known folders of packages. These count as roots; a resolver over a disk has to allow them too. @unchecked
 *
 * @param packages folders by the names of packages
 */
export function withPackages(resolver: Resolver, packages: Readonly<Record<string, string>>): Resolver {
  const known = new Map(resolver.packages)
  for (const [name, folder] of Object.entries(packages)) known.set(name, normalizePath(folder.replaceAll('\\', '/')))
  return {
    roots: [...new Set([...resolver.roots, ...known.values()])],
    above: resolver.above,
    packages: known,
    read: (path) => resolver.read(path),
    exists: (path) => resolver.exists(path),
    list: resolver.list && ((folder) => resolver.list!(folder)),
    hides: resolver.hides && ((path) => resolver.hides!(path)),
  }
}

/** No path of a system is longer. */
const longestReference = 4096

/**
 * Finds the file of a reference, without ROS. The first of these that exists: @unchecked
 *
 * - `package://name/rest` and `model://name/rest`: if the resolver knows the package, `rest` in its folder and nowhere else.
 *   Else `name/rest` in each root, or `rest` in a root called `name`; `rest` in a folder above the file that is called
 *   `name`; `name/rest` beside the file or a folder above it; `rest` in a folder above the file whose package.xml gives this
 *   name; and at last `rest` in the folders above the file, as if there were no name;
 * - `file:///path`, `file://localhost/path` and absolute paths: as they are;
 * - `file://word/rest`: as a relative path first, by common usage, then `/rest`, by the standard;
 * - everything else: from the file's folder, then from the folders above it.
 *
 * Then the same with escapes such as `%20` undone, then with backslashes for slashes, and at last all of it once more in any
 * letter case.
 *
 * `..` is resolved before the search, and anything outside the resolver's roots, and the folders above that it allows, is then not found. Remote
 * references are not followed.
 */
export function resolveReference(reference: string, file: string, resolver: Resolver): Resolved | undefined {
  if (reference.length > longestReference) return undefined
  const tried = new Set<string>()
  for (const spelling of spellingsOf(reference)) {
    for (const path of candidatesOf(spelling, file, resolver)) {
      if (tried.has(path)) continue
      tried.add(path)
      if (resolver.exists(path)) return { path, caseChanged: false }
    }
  }
  for (const path of tried) {
    const found = anyCase(path, resolver)
    if (found !== undefined) return { path: found, caseChanged: true }
  }
  return undefined
}

/** The file of a reference that is there and may not be read, for it lies outside of the resolver's roots. */
export function hiddenReference(reference: string, file: string, resolver: Resolver): string | undefined {
  if (!resolver.hides || reference.length > longestReference) return undefined
  for (const spelling of spellingsOf(reference)) {
    for (const path of pathsOf(spelling, file, resolver)) if (resolver.hides(normalizePath(path))) return normalizePath(path)
  }
  return undefined
}

/** Remedy for a file that `resolveReference` does not find: where it lies, if it is there and may not be read. */
export function whereToFind(reference: string, file: string, resolver: Resolver, otherwise: string): string {
  const hidden = hiddenReference(reference, file, resolver)
  return hidden === undefined ? otherwise : `It lies outside of the robot's folders; allow it with --root ${folderOf(hidden)}`
}

/** Most files and folders that are listed in search of a mesh, and how deep. */
const mostListed = 20_000
const deepest = 12

/**
 * The files around a robot, for unresolved references: packages inside others, folders that were moved. The result is the
 * file that has the longest part of the reference's path in common with it, counted from its end; it has to be unique.
 */
export class NearbyFiles {
  private readonly file: string
  private readonly resolver: Resolver
  private byName: Map<string, string[]> | undefined

  constructor(file: string, resolver: Resolver) {
    this.file = file
    this.resolver = resolver
  }

  find(reference: string): string | undefined {
    const wanted = tailOf(reference)
    const name = wanted.at(-1)
    if (name === undefined || isRemote(reference) || this.leadsOut(reference)) return undefined
    this.byName ??= this.listed()
    let best: string[] = []
    let longest = 0
    for (const path of this.byName.get(name) ?? []) {
      const parts = path.toLowerCase().split('/')
      let common = 1
      while (common < Math.min(parts.length, wanted.length) && parts.at(-1 - common) === wanted.at(-1 - common)) common++
      if (common > longest) best = []
      if (common < longest) continue
      longest = common
      best.push(path)
    }
    return best.length === 1 ? best[0] : undefined
  }

  /** Whether `..` leads a reference out of all readable folders. */
  private leadsOut(reference: string): boolean {
    return reference.includes('..') && !isInRoots(normalizePath(join(folderOf(this.file), reference)), this.resolver)
  }

  /**
   * Breadth first below the highest folder above the file that may be read, and below the other roots, so that near files are
   * listed if not all can be.
   */
  private listed(): Map<string, string[]> {
    const { file, resolver } = this
    const byName = new Map<string, string[]>()
    const top = foldersAbove(file).findLast((folder) => isInRoots(folder, resolver))
    if (!resolver.list || top === undefined) return byName
    let left = mostListed
    const others = resolver.roots.map(normalizePath).filter((root) => root !== '/' && !isInside(root, top))
    let level = [...new Set([top, ...others])]
    for (let depth = 0; depth < deepest && level.length > 0; depth++) {
      const next: string[] = []
      for (const folder of level) {
        for (const name of [...resolver.list(folder)].sort()) {
          if (name.startsWith('.') || name === 'node_modules') continue
          if (left-- <= 0) return byName
          const path = join(folder, name)
          if (!/\.[a-z0-9]{1,5}$/i.test(name)) next.push(path)
          else {
            const key = name.toLowerCase()
            const others = byName.get(key)
            if (others) others.push(path)
            else byName.set(key, [path])
          }
        }
      }
      level = next
    }
    return byName
  }
}

/** The names in the path of a file, small letters, without a scheme and `..`. */
function tailOf(reference: string): string[] {
  const path = reference
    .replace(/^[a-z]+:\/\//i, '')
    .replaceAll('\\', '/')
    .toLowerCase()
  return path.split('/').filter((part) => part !== '' && part !== '.' && part !== '..')
}

/** Reads files referred to by a path from a file's own folder, such as the buffers of a glTF file; nothing outside the roots. @unchecked */
export function readerBeside(file: string, resolver: Resolver): (path: string) => Uint8Array | undefined {
  return (path) => {
    if (path.includes('\0') || path.startsWith('/')) return undefined
    const beside = normalizePath(join(folderOf(normalizePath(file)), path))
    return isInRoots(beside, resolver) ? resolver.read(beside) : undefined
  }
}

/** The folder of a package, by the same rules; undefined if there is none. */
export function findPackage(name: string, file: string, resolver: Resolver): string | undefined {
  if (name === '' || name === '.' || name === '..' || name.includes('/')) return undefined
  return resolveReference(`package://${name}`, file, resolver)?.path
}

/** @unchecked */
export function isRemote(reference: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(reference) && !/^(package|model|file):\/\//i.test(reference)
}

/** The reference unchanged, with its escapes decoded, and with backslashes as slashes. */
function* spellingsOf(reference: string): Generator<string> {
  if (isRemote(reference) || reference.includes('\0')) return
  yield reference
  let plain = reference
  try {
    plain = decodeURIComponent(reference)
  } catch {
    // a per cent sign that escapes nothing is literal
  }
  if (plain.includes('\0')) return
  if (plain !== reference) yield plain
  if (plain.includes('\\')) yield plain.replaceAll('\\', '/')
}

function* candidatesOf(reference: string, file: string, resolver: Resolver): Generator<string> {
  for (const path of pathsOf(reference, file, resolver)) {
    const clean = normalizePath(path)
    const leads = reference.includes('..') && resolver.above?.some((folder) => isInside(clean, folder))
    if (leads || isInRoots(clean, resolver)) yield clean
  }
}

/** Lazily, since the later rules cost more. */
function* pathsOf(reference: string, file: string, resolver: Resolver): Generator<string> {
  const inPackage = /^(?:package|model):\/\/+([^/\\]+)[/\\]?(.*)$/is.exec(reference)
  if (inPackage) yield* pathsInPackage(inPackage[1], inPackage[2], file, resolver)
  else if (/^file:/i.test(reference)) {
    const path = reference.slice(5)
    const withHost = /^\/\/([^/]*)(.*)$/s.exec(path)
    if (!withHost) yield* pathsFrom(path, file)
    else if (withHost[1] === '' || /^localhost$/i.test(withHost[1])) yield* pathsFrom(withHost[2], file)
    else {
      yield* pathsFrom(path.slice(2), file)
      yield withHost[2]
    }
  } else yield* pathsFrom(reference, file)
}

function* pathsFrom(path: string, file: string): Generator<string> {
  if (/^\/[a-z]:/i.test(path)) yield path.slice(1) // file:///C:/robots
  if (isAbsolute(path)) yield path
  else for (const folder of foldersAbove(file)) yield join(folder, path)
}

function* pathsInPackage(name: string, rest: string, file: string, resolver: Resolver): Generator<string> {
  const known = resolver.packages?.get(name)
  if (known !== undefined) {
    yield join(known, rest)
    return
  }
  const folders = foldersAbove(file)
  for (const root of resolver.roots) {
    if (fileName(normalizePath(root)) === name) yield join(root, rest)
    yield join(root, `${name}/${rest}`)
  }
  for (const folder of folders) if (fileName(folder) === name) yield join(folder, rest)
  for (const folder of folders) yield join(folder, `${name}/${rest}`)
  for (const folder of new Set([...folders, ...resolver.roots]))
    if (packageNameOf(folder, resolver) === name) yield join(folder, rest)
  if (rest !== '') for (const folder of folders) yield join(folder, rest)
}

const packageNames = new WeakMap<Resolver, Map<string, string | undefined>>()

/** The package name in the package.xml of a folder; a checkout may have another. */
function packageNameOf(folder: string, resolver: Resolver): string | undefined {
  let known = packageNames.get(resolver)
  if (!known) {
    known = new Map()
    packageNames.set(resolver, known)
  }
  if (!known.has(folder)) known.set(folder, readPackageName(folder, resolver))
  return known.get(folder)
}

function readPackageName(folder: string, resolver: Resolver): string | undefined {
  const path = join(folder, 'package.xml')
  if (!isInRoots(path, resolver) || !resolver.exists(path)) return undefined
  const bytes = resolver.read(path)
  if (!bytes) return undefined
  const text = new TextDecoder().decode(bytes.subarray(0, 65_536))
  return /<name>\s*([^<\s]+)\s*<\/name>/.exec(text)?.[1]
}

/** The file's own folder first, then those above it. */
function foldersAbove(file: string): string[] {
  const folders: string[] = []
  let folder = folderOf(normalizePath(file))
  for (;;) {
    folders.push(folder)
    if (folder === '' || folder === '/') return folders
    folder = folderOf(folder)
  }
}

/** At most this many folders that differ only in letter case are followed at once. */
const maxTwins = 64

/** The existing path in another letter case; the first in alphabetical order if there are several. */
function anyCase(path: string, resolver: Resolver): string | undefined {
  if (!resolver.list) return undefined
  const root = resolver.roots.map(normalizePath).find((candidate) => isInside(path, candidate))
  if (root === undefined) return undefined
  let found = [root]
  const rest = root === '' ? path : path.slice(root.length)
  for (const part of rest.split('/')) {
    if (part === '') continue
    const wanted = part.toLowerCase()
    const next: string[] = []
    for (const folder of found) {
      for (const name of resolver.list(folder)) if (name.toLowerCase() === wanted) next.push(join(folder, name))
    }
    if (next.length === 0) return undefined
    found = next.sort().slice(0, maxTwins)
  }
  return found.find((candidate) => resolver.exists(candidate))
}

function isInRoots(path: string, resolver: Resolver): boolean {
  return resolver.roots.some((root) => isInside(path, root))
}

/** The relative path from a file to another. */
export function relativePath(from: string, to: string): string {
  const folders = normalizePath(folderOf(from)).split('/')
  const parts = normalizePath(to).split('/')
  let common = 0
  while (common < Math.min(folders.length, parts.length - 1) && folders[common] === parts[common]) common++
  const up = folders.slice(common).filter((part) => part !== '')
  return [...up.map(() => '..'), ...parts.slice(common)].join('/')
}

function isAbsolute(path: string): boolean {
  return /^(?:[/\\]|[a-z]:[/\\])/i.test(path)
}

export function isInside(path: string, root: string): boolean {
  const folder = normalizePath(root)
  if (path.startsWith('..')) return false
  if (folder === '') return !path.startsWith('/')
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

/** A part that is empty or made of points alone, of a path with more than its root. */
const unsettled = /\/\/|.\/$|(^|\/)\.\.?(\/|$)/s

/** Removes `.`, empty parts and parts before a `..`; a `..` that leads out of a relative path stays at its front. */
export function normalizePath(path: string): string {
  if (!unsettled.test(path)) return path
  const absolute = path.startsWith('/')
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..' && parts.length > 0 && parts[parts.length - 1] !== '..') parts.pop()
    else if (part !== '..' || !absolute) parts.push(part)
  }
  return (absolute ? '/' : '') + parts.join('/')
}

export function join(folder: string, path: string): string {
  if (folder === '') return path
  return folder.endsWith('/') ? folder + path : `${folder}/${path}`
}

export function folderOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash < 0 ? '' : slash === 0 ? (path === '/' ? '' : '/') : path.slice(0, slash)
}

export function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

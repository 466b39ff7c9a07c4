/**
 * How references in robot files become files. Paths are strings with `/` between names; what is behind them, a disk or a
 * set of dropped files, is the resolver's affair.
 */
export interface Resolver {
  /** Folders in which packages are looked for and outside of which nothing is read. Absolute or not, as the files are. */
  readonly roots: readonly string[]
  /** The file's bytes, or undefined if there is none or it may not be read. */
  read(path: string): Uint8Array | undefined
  /** Whether a file or a folder is there (and may be read). */
  exists(path: string): boolean
  /** Names in a folder; without it, letter case is not forgiven. */
  list?(folder: string): readonly string[]
}

export interface Resolved {
  readonly path: string
  /** Set when only another letter case fits what is there. */
  readonly caseChanged: boolean
}

/** A resolver without files: every mesh is missing. */
export const noFiles: Resolver = { roots: [], read: () => undefined, exists: () => false }

/** A resolver over files that are in memory, such as those dropped onto a page; keys are their paths. */
export function memoryResolver(files: ReadonlyMap<string, Uint8Array>): Resolver {
  const byPath = new Map<string, Uint8Array>()
  const folders = new Map<string, Set<string>>([['', new Set()]])
  for (const [path, bytes] of files) {
    const clean = normalizePath(path).replace(/^\/+/, '')
    byPath.set(clean, bytes)
    for (let child = clean; child !== ''; child = folderOf(child)) {
      const folder = folderOf(child)
      if (!folders.has(folder)) folders.set(folder, new Set())
      folders.get(folder)!.add(baseOf(child))
    }
  }
  const clean = (path: string) => normalizePath(path).replace(/^\/+/, '')
  return {
    roots: ['', '/'],
    read: (path) => byPath.get(clean(path)),
    exists: (path) => byPath.has(clean(path)) || folders.has(clean(path)),
    list: (folder) => [...(folders.get(clean(folder)) ?? [])],
  }
}

/**
 * Finds the file that a reference means, without ROS:
 *
 * - `package://name/rest`, `model://name/rest`: in each root, then in each folder above the file, as `name/rest`, or as
 *   `rest` if that folder is called `name`; then without the package's name in the folders above the file;
 * - `file:///path` and absolute paths: as they are;
 * - everything else: from the file's folder, then from the folders above it;
 * - at last the same again in another letter case.
 *
 * Whatever leaves the resolver's roots is not found. Remote references are not followed.
 */
export function resolveReference(reference: string, file: string, resolver: Resolver): Resolved | undefined {
  const candidates = candidatesOf(reference, file, resolver)
  for (const path of candidates) {
    if (resolver.exists(path)) return { path, caseChanged: false }
  }
  for (const path of candidates) {
    const found = anyCase(path, resolver)
    if (found !== undefined) return { path: found, caseChanged: true }
  }
  return undefined
}

/** The folder of a package, by the same rules; undefined if there is none. */
export function findPackage(name: string, file: string, resolver: Resolver): string | undefined {
  if (name === '' || name === '.' || name === '..' || name.includes('/')) return undefined
  return resolveReference(`package://${name}`, file, resolver)?.path
}

export function isRemote(reference: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(reference) && !/^(package|model|file):\/\//i.test(reference)
}

function candidatesOf(reference: string, file: string, resolver: Resolver): string[] {
  if (isRemote(reference)) return []
  const folders = foldersAbove(file)
  const paths: string[] = []
  const inPackage = /^(?:package|model):\/\/+([^/]+)\/?(.*)$/is.exec(reference)
  if (inPackage) {
    const [, name, rest] = inPackage
    for (const folder of [...resolver.roots, ...folders]) {
      if (baseOf(normalizePath(folder)) === name) paths.push(join(folder, rest))
      paths.push(join(folder, `${name}/${rest}`))
    }
    if (rest !== '') for (const folder of folders) paths.push(join(folder, rest))
  } else if (/^file:/i.test(reference)) {
    const path = reference.replace(/^file:(\/\/)?/i, '')
    if (path.startsWith('/')) paths.push(path)
    else for (const folder of folders) paths.push(join(folder, path))
  } else if (reference.startsWith('/')) paths.push(reference)
  else for (const folder of folders) paths.push(join(folder, reference))

  const inside = paths.map(normalizePath).filter((path) => resolver.roots.some((root) => isInside(path, root)))
  return [...new Set(inside)]
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

function anyCase(path: string, resolver: Resolver): string | undefined {
  if (!resolver.list) return undefined
  const root = resolver.roots.map(normalizePath).find((candidate) => isInside(path, candidate))
  if (root === undefined) return undefined
  let found = root
  const rest = root === '' ? path : path.slice(root.length)
  for (const part of rest.split('/')) {
    if (part === '') continue
    const wanted = part.toLowerCase()
    const match = resolver.list(found).find((name) => name.toLowerCase() === wanted)
    if (match === undefined) return undefined
    found = join(found, match)
  }
  return resolver.exists(found) ? found : undefined
}

export function isInside(path: string, root: string): boolean {
  const folder = normalizePath(root)
  if (path.startsWith('..')) return false
  if (folder === '') return !path.startsWith('/')
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

/** Removes `.`, empty parts and what `..` undoes; a `..` that leads out of a relative path stays at its front. */
export function normalizePath(path: string): string {
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

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

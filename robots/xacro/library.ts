import { once } from '../elements/index.ts'
import { Includes } from '../files/includes.ts'
import { findPackage, folderOf, isInside, join, resolveReference } from '../files/resolve.ts'

/** Most files that a pattern such as `*.xacro` may match. */
const maxMatches = 500

/** The files that xacro includes and the YAML that it loads, found by the rules of `resolveReference` and kept once read. */
export class Library extends Includes {
  private readonly folders = new Map<string, string | undefined>()

  /** The folder of a package as an absolute path where the resolver has such; undefined if it is missing. */
  packageFolder(name: string, file: string): string | undefined {
    return once(this.folders, JSON.stringify([name, file]), () => this.findFolder(name, file))
  }

  private findFolder(name: string, file: string): string | undefined {
    const folder = findPackage(name, file, this.resolver)
    if (folder === undefined || folder.startsWith('/')) return folder
    return this.resolver.roots.some((root) => isInside(`/${folder}`, root)) ? `/${folder}` : folder
  }

  /** The files that match a pattern with `*` and `?` in its last part, in alphabetical order. */
  matches(pattern: string, from: readonly string[]): readonly string[] {
    const folder = folderOf(pattern)
    const name = pattern.slice(pattern.lastIndexOf('/') + 1)
    for (const file of new Set(from)) {
      const base = folder === '' ? folderOf(file) : resolveReference(folder, file, this.resolver)?.path
      if (base === undefined || !this.resolver.list) continue
      const names = this.resolver.list(base).filter((candidate) => fits(candidate, name))
      const paths = names
        .sort()
        .slice(0, maxMatches)
        .map((candidate) => join(base, candidate))
      return paths.filter((path) => this.read(path)) // folders have names, too
    }
    return []
  }

  /** The text of a file that `find` has found. */
  text(path: string): string {
    return new TextDecoder().decode(this.read(path))
  }
}

/** The package that a reference names, if it is missing. */
export function missingPackage(reference: string, file: string, library: Library): string | undefined {
  const name = /^(?:package|model):\/\/+([^/\\]+)/i.exec(reference)?.[1]
  return name !== undefined && library.packageFolder(name, file) === undefined ? name : undefined
}

export const giveTheFolder = 'Give the folder that holds it as a root, or its own folder by its name.'

/** The reason why a reference cannot be resolved, and the remedy. */
export function whyMissing(reference: string, file: string, library: Library): { message: string; remedy: string } {
  const name = missingPackage(reference, file, library)
  if (name === undefined)
    return { message: `"${reference}" was not found.`, remedy: 'Check the path, or add its folder to the roots.' }
  return { message: `"${reference}" was not found: the package "${name}" is not here.`, remedy: giveTheFolder }
}

/** Whether a name matches a pattern in which `*` is any text and `?` one character. */
function fits(name: string, pattern: string): boolean {
  let at = 0
  let star = -1
  let retry = 0
  let p = 0
  while (at < name.length) {
    if (p < pattern.length && (pattern[p] === '?' || (pattern[p] === name[at] && pattern[p] !== '*'))) {
      at++
      p++
    } else if (pattern[p] === '*') {
      star = p++
      retry = at
    } else if (star >= 0) {
      p = star + 1
      at = ++retry
    } else return false
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}

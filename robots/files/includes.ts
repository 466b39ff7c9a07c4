import { Meter } from '../../dynamics/index.ts'
import { robotError } from '../diagnostics.ts'
import { once } from '../elements/index.ts'
import { decodeXml, parseXml, type XmlElement, xmlLimits } from '../xml.ts'
import { noFiles, type Resolved, type Resolver, resolveReference, whereToFind } from './resolve.ts'

/** Of all files that a robot includes, each counted once. */
const limits = { bytes: 64 * 1024 * 1024, characters: xmlLimits.maxLength, elements: xmlLimits.maxElements }
/** In the names of files that a message lists. */
const mostListed = 6

/** The files that a robot's file includes: each is located, read and parsed once, within bounds for all together. */
export class Includes {
  protected readonly resolver: Resolver
  private readonly found = new Map<string, Resolved | undefined>()
  private readonly bytes = new Map<string, Uint8Array | undefined>()
  private readonly trees = new Map<string, XmlElement>()
  private readonly meter = new Meter(limits, (kind, most) => new RangeError(`more than ${most} ${kind}`))

  constructor(resolver: Resolver = noFiles) {
    this.resolver = resolver
  }

  /** The target of a reference, relative to the first of these files for which there is one. @throws RobotError beyond the bounds */
  find(reference: string, from: readonly string[]): Resolved | undefined {
    for (const file of new Set(from)) {
      const found = once(this.found, JSON.stringify([reference, file]), () => {
        const target = resolveReference(reference, file, this.resolver)
        return target && this.read(target.path) ? target : undefined
      })
      if (found) return found
    }
    return undefined
  }

  /** Remedy for a reference that `find` does not find. */
  remedyFor(reference: string, from: readonly string[], otherwise: string): string {
    return from.reduce((remedy, file) => whereToFind(reference, file, this.resolver, remedy), otherwise)
  }

  /** A file's bytes; undefined if it does not exist, is a folder or may not be read. @throws RobotError beyond the bounds */
  read(path: string): Uint8Array | undefined {
    return once(this.bytes, path, () => {
      const bytes = this.resolver.read(path)
      this.meter.ask('bytes', bytes?.length ?? 0, tooMuch(path))
      return bytes
    })
  }

  /** The elements of a file that `find` has found. @throws RobotError if it is no XML, or beyond the bounds */
  tree(path: string): XmlElement {
    return once(this.trees, path, () => {
      const text = decodeXml(this.read(path)!, path)
      this.meter.ask('characters', text.length, tooMuch(path))
      const tree = parseXml(text, path)
      this.meter.ask('elements', countOf(tree), tooMuch(path))
      return tree
    })
  }
}

const tooMuch = (path: string) => (kind: string, most: number) => {
  const message = `with this one, the files that the robot includes have more than ${most} ${kind}.`
  return robotError('xml-limit', { file: path, line: 1 }, '', message, 'Include fewer or smaller files.')
}

/** Number of an element and all in it, or of those of one name. */
export function countOf(root: XmlElement, name?: string): number {
  let count = 0
  const stack = [root]
  for (let element = stack.pop(); element; element = stack.pop()) {
    if (name === undefined || element.name === name) count++
    for (const child of element.children) stack.push(child)
  }
  return count
}

/** `a.xacro includes b.xacro includes c.xacro`: files that include each other, by their names, the outermost first. */
export function chainOf(files: readonly string[]): string {
  const names = files.map((file) => file.slice(file.lastIndexOf('/') + 1))
  if (names.length <= mostListed) return names.join(' includes ')
  return [...names.slice(0, 2), '...', ...names.slice(2 - mostListed)].join(' includes ')
}

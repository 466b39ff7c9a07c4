import { Parser } from 'xml2js'
import { RobotError, robotError } from './diagnostics.ts'
import type { Place } from './robot.ts'

/** An element with its place. Children stand in the order of the file. */
export interface XmlElement extends Place {
  readonly name: string
  /** Without a prototype, so that any name is just a name. */
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  /** Character data directly inside, trimmed. */
  readonly text: string
}

export interface XmlLimits {
  /** Largest file, in characters. */
  readonly maxLength: number
  readonly maxDepth: number
  readonly maxElements: number
}

/** Far above any robot known, far below what hurts. */
export const xmlLimits: XmlLimits = { maxLength: 10 * 1024 * 1024, maxDepth: 200, maxElements: 200_000 }

/** What xml2js makes of an element with `explicitChildren` and `preserveChildrenOrder`. */
interface RawElement {
  readonly '#name': string
  readonly $?: Record<string, string>
  readonly $$?: readonly RawElement[]
  readonly _?: string
}

/** The part of the sax parser inside xml2js that tells where in the text it is. */
interface SaxParser {
  line: number
  startTagPosition: number
  onopentag: (node: { name: string }) => void
  onclosetag: (name: string) => void
  ondoctype: (doctype: string) => void
}

interface MutableElement extends Place {
  name: string
  attributes: Record<string, string>
  children: XmlElement[]
  text: string
}

/**
 * Reads XML text into a tree whose elements know their line (of the `<`, counted from 1).
 *
 * Text from strangers is expected: a document type, a second root, and anything beyond `limits` is refused. Nothing
 * here recurses, so depth cannot overflow the stack.
 *
 * @throws RobotError codes `xml-syntax`, `xml-doctype`, `xml-second-root`, `xml-limit`, `xml-empty`
 */
export function parseXml(source: string, file: string, limits: XmlLimits = xmlLimits): XmlElement {
  if (source.length > limits.maxLength) {
    throw robotError(
      'xml-limit',
      { file, line: 1 },
      '',
      `the file has ${source.length} characters; at most ${limits.maxLength} are read.`,
      'Split it or check that it is the right file.',
    )
  }
  const text = withoutFraming(source)
  const lineAt = lineFinder(text)
  const parser = new Parser({ async: false, explicitChildren: true, preserveChildrenOrder: true })
  const sax = (parser as unknown as { saxParser: SaxParser }).saxParser

  const lines: number[] = []
  let depth = 0
  let rootLine = 0
  const open = sax.onopentag
  const close = sax.onclosetag
  sax.onopentag = (node) => {
    const line = lineAt(sax.startTagPosition - 1)
    const place = { file, line }
    if (depth === 0) {
      if (rootLine > 0) {
        throw robotError(
          'xml-second-root',
          place,
          `<${node.name}>`,
          `a second root element; the first is at line ${rootLine}.`,
          'An XML file has one root: remove the other, or put both into one.',
        )
      }
      rootLine = line
    }
    depth++
    if (depth > limits.maxDepth) {
      throw robotError(
        'xml-limit',
        place,
        `<${node.name}>`,
        `nested ${depth} deep; at most ${limits.maxDepth}.`,
        'Flatten the file.',
      )
    }
    if (lines.length >= limits.maxElements) {
      throw robotError('xml-limit', place, `<${node.name}>`, `more than ${limits.maxElements} elements.`, 'Split the file.')
    }
    lines.push(line)
    open(node)
  }
  sax.onclosetag = (name) => {
    depth--
    close(name)
  }
  sax.ondoctype = () => {
    throw robotError(
      'xml-doctype',
      { file, line: sax.line + 1 },
      '<!DOCTYPE>',
      'document types and the entities they declare are refused.',
      'Remove the <!DOCTYPE ...> and write the values out.',
    )
  }

  let root: RawElement | undefined
  let failure: unknown
  let failureLine = 0
  const fail = (error: unknown) => {
    if (failure !== undefined) return
    failure = error
    failureLine = sax.line + 1
  }
  try {
    parser.parseString(text, (error: Error | null, result: Record<string, RawElement> | null) => {
      if (error) fail(error)
      else if (result && root === undefined) root = Object.values(result)[0]
    })
  } catch (error) {
    fail(error) // xml2js forgets its listeners at the end of the first root; what comes later arrives here
  }
  if (failure instanceof RobotError) throw failure
  if (failure !== undefined) {
    const message = String(failure instanceof Error ? failure.message : failure)
    throw robotError(
      'xml-syntax',
      { file, line: failureLine },
      '',
      `not well-formed XML: ${message.split('\n')[0].replace(/\.$/, '')}.`,
      'Open the file in an editor that checks XML.',
    )
  }
  if (root === undefined) {
    throw robotError('xml-empty', { file, line: 1 }, '', 'the file holds no XML element.', 'Check that it is the right file.')
  }
  return buildTree(root, file, lines)
}

/** A byte order mark before and NULs or white space after or before the document are no mistake of the robot's. */
function withoutFraming(text: string): string {
  let start = 0
  let end = text.length
  if (text.charCodeAt(0) === 0xfeff) start = 1
  while (end > start && (text.charCodeAt(end - 1) === 0 || isBlank(text.charCodeAt(end - 1)))) end--
  return text.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d
}

/** Line of a position in the text, for positions that only grow. */
function lineFinder(text: string): (position: number) => number {
  let line = 1
  let next = text.indexOf('\n')
  return (position) => {
    while (next !== -1 && next < position) {
      line++
      next = text.indexOf('\n', next + 1)
    }
    return line
  }
}

/** Elements open in the order in which a walk in document order meets them, so `lines` is read off in that order. */
function buildTree(rawRoot: RawElement, file: string, lines: readonly number[]): XmlElement {
  let opened = 0
  const make = (raw: RawElement): MutableElement => {
    const attributes: Record<string, string> = Object.create(null)
    for (const [key, value] of Object.entries(raw.$ ?? {})) attributes[key] = value
    return { name: raw['#name'], attributes, children: [], text: (raw._ ?? '').trim(), file, line: lines[opened++] }
  }
  const root = make(rawRoot)
  const stack = [{ raw: rawRoot, element: root, next: 0 }]
  while (stack.length > 0) {
    const top = stack[stack.length - 1]
    const children = top.raw.$$ ?? []
    if (top.next === children.length) {
      stack.pop()
      continue
    }
    const raw = children[top.next++]
    const element = make(raw)
    top.element.children.push(element)
    stack.push({ raw, element, next: 0 })
  }
  return root
}

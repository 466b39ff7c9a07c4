import { Parser } from 'xml2js'
import { Meter } from '../dynamics/index.ts'
import * as is from '../dynamics/math/arguments.ts'
import { type RobotError, robotError } from './diagnostics.ts'
import type { Place } from './robot.ts'

/** An element with its place. Children are in the order of the file. */
export interface XmlElement extends Place {
  readonly name: string
  /** Without a prototype, so that any name is just a name. */
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  /** Character data directly inside, trimmed. */
  readonly text: string
  /** Character data, untrimmed, and children in the order of the file: where there are both. */
  readonly content?: readonly (string | XmlElement)[]
}

export interface XmlLimits {
  /** Largest file, in characters. */
  readonly maxLength: number
  readonly maxDepth: number
  readonly maxElements: number
}

/** Far above any known robot, far below harmful sizes. */
export const xmlLimits: XmlLimits = { maxLength: 10 * 1024 * 1024, maxDepth: 200, maxElements: 200_000 }

/** On one element. */
const maxAttributes = 1000

/** The sax parser inside xml2js. The tree of xml2js itself has no places, and hides attributes that are stated twice. */
interface SaxParser {
  line: number
  startTagPosition: number
  onopentagstart: (node: { attributes: Record<string, string> }) => void
  onattribute: (attribute: { name: string; value: string }) => void
  onopentag: (node: { name: string }) => void
  onclosetag: () => void
  ontext: (text: string) => void
  oncdata: (text: string) => void
  ondoctype: (doctype: string) => void
  onerror: (error: Error) => void
  error: Error | null
  write(text: string): { close(): void }
}

/** An element that is being read, and its character data and children in the order of the file. */
interface Open {
  readonly element: { -readonly [K in keyof XmlElement]: XmlElement[K] } & { readonly children: XmlElement[] }
  readonly content: (string | XmlElement)[]
}

/**
 * Reads XML text into a tree whose elements know their line (of the `<`, counted from 1).
 *
 * Text may be untrusted: a document type, a second root, an attribute stated twice, and anything beyond `limits` is
 * refused. Nothing here recurses, so depth cannot overflow the stack. Common and unambiguous errors are accepted: white
 * space before the declaration, NULs at the end, prefixes without a namespace, and comments with `--` in them.
 *
 * @throws RobotError codes `xml-syntax`, `xml-doctype`, `xml-second-root`, `xml-attribute-twice`, `xml-limit`, `xml-empty`,
 *   `xml-encoding`
 */
export function parseXml(source: string, file: string, limits: XmlLimits = xmlLimits): XmlElement {
  is.check(source, is.text, 'parseXml: text')
  if (source.length > limits.maxLength) {
    throw robotError(
      'xml-limit',
      { file, line: 1 },
      '',
      `the file has ${source.length} characters; at most ${limits.maxLength} are read.`,
      'Split it or check that it is the right file.',
    )
  }
  if (source.slice(0, 4).includes('\0')) throw badEncoding(file, 'the text is not what its encoding says: it holds NULs.')
  const root = new TreeReader(withoutComments(withoutFraming(source)), file, limits).read()
  if (root === undefined) {
    throw robotError('xml-empty', { file, line: 1 }, '', 'the file holds no XML element.', 'Check that it is the right file.')
  }
  return root
}

/** Makes the tree of the parser's events, and throws as soon as a text is refused. */
class TreeReader {
  private readonly sax = (new Parser() as unknown as { saxParser: SaxParser }).saxParser
  private readonly text: string
  private readonly file: string
  private readonly limits: XmlLimits
  private readonly lineAt: (position: number) => number
  /** The open elements around the current place, the innermost last. */
  private readonly inside: Open[] = []
  private root: XmlElement | undefined
  private readonly meter: Meter<'elements'>
  /** Of the current tag, and their number. */
  private attributes: Record<string, string> = Object.create(null)
  private stated = 0

  constructor(text: string, file: string, limits: XmlLimits) {
    this.text = text
    this.file = file
    this.limits = limits
    this.lineAt = lineFinder(text)
    this.meter = new Meter({ elements: limits.maxElements }, (_, most) => new RangeError(`more than ${most} elements`))
  }

  read(): XmlElement | undefined {
    const { sax, inside } = this
    let parserAttributes: Record<string, string> = {}
    sax.onopentagstart = (node) => {
      this.attributes = Object.create(null)
      this.stated = 0
      parserAttributes = node.attributes
    }
    sax.onattribute = ({ name, value }) => {
      // the parser keeps attributes in a plain object, whose own methods a file may overwrite, and drops repetitions
      delete parserAttributes[name]
      this.addAttribute(name, value)
    }
    sax.onopentag = ({ name }) => this.openElement(name)
    sax.onclosetag = () => {
      const { element, content } = inside.pop()!
      element.text = element.text.trim()
      if (element.text !== '' && element.children.length > 0) element.content = content
    }
    const addText = (data: string) => {
      const parent = inside.at(-1)
      if (parent === undefined) return
      parent.element.text += data
      parent.content.push(data)
    }
    sax.ontext = addText
    sax.oncdata = addText
    sax.ondoctype = () => {
      throw robotError(
        'xml-doctype',
        { file: this.file, line: sax.line + 1 },
        '<!DOCTYPE>',
        'document types and the entities they declare are refused.',
        'Remove the <!DOCTYPE ...> and write the values out.',
      )
    }
    sax.onerror = ({ message }) => {
      // readers in C, MuJoCo's and ROS', take attributes without a blank between them
      if (message.startsWith('No whitespace between attributes')) {
        sax.error = null
        return
      }
      throw robotError(
        'xml-syntax',
        { file: this.file, line: sax.line + 1 },
        '',
        `not well-formed XML: ${message.split('\n')[0].replace(/\.$/, '')}.`,
        'Open the file in an editor that checks XML.',
      )
    }
    sax.write(this.text).close()
    return this.root
  }

  /** Start of the current tag. */
  private get place(): Place {
    return { file: this.file, line: this.lineAt(this.sax.startTagPosition - 1) }
  }

  private addAttribute(name: string, value: string): void {
    const { attributes } = this
    if (name in attributes) {
      const [first, second] = [attributes[name].slice(0, 60), value.slice(0, 60)]
      throw robotError(
        'xml-attribute-twice',
        this.place,
        '',
        `not well-formed XML: a tag states the attribute ${name} twice, "${first}" and "${second}".`,
        'Remove one of the two.',
      )
    }
    if (++this.stated > maxAttributes) {
      throw robotError('xml-limit', this.place, '', `a tag with more than ${maxAttributes} attributes.`, 'Remove some.')
    }
    attributes[name] = value
  }

  private openElement(name: string): void {
    const { inside, attributes, place, limits } = this
    const what = `<${name}>`
    if (inside.length === 0 && this.root !== undefined) {
      const message = `a second root element; the first is at line ${this.root.line}.`
      const remedy = 'An XML file has one root: remove the other, or put both into one.'
      throw robotError('xml-second-root', place, what, message, remedy)
    }
    if (inside.length >= limits.maxDepth) {
      const message = `nested ${inside.length + 1} deep; at most ${limits.maxDepth}.`
      throw robotError('xml-limit', place, what, message, 'Flatten the file.')
    }
    this.meter.ask('elements', 1, (_, most) =>
      robotError('xml-limit', place, what, `more than ${most} elements.`, 'Split the file.'),
    )
    const element = { name, attributes, children: [], text: '', ...place }
    this.root ??= element
    const parent = inside.at(-1)
    parent?.element.children.push(element)
    parent?.content.push(element)
    inside.push({ element, content: [] })
  }
}

/**
 * The text of an XML file: UTF-16 where the first bytes show it, else in the encoding that the file declares, else UTF-8.
 *
 * @throws RobotError code `xml-encoding` for one that is not known here
 */
export function decodeXml(bytes: Uint8Array, file: string): string {
  is.check(bytes, is.instance(Uint8Array), 'decodeXml: bytes')
  const [a, b, c, d] = bytes
  if ((a === 0 && b === 0) || (a === 0xff && b === 0xfe && c === 0 && d === 0)) {
    throw badEncoding(file, 'the text is in UTF-32, which is not read here.')
  }
  if ((a === 0xff && b === 0xfe) || (a === 0x3c && b === 0)) return new TextDecoder('utf-16le').decode(bytes)
  if ((a === 0xfe && b === 0xff) || (a === 0 && b === 0x3c)) return new TextDecoder('utf-16be').decode(bytes)
  const head = String.fromCharCode(...bytes.subarray(0, 200))
  const declared = /<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._:-]+)["']/.exec(head)?.[1].toLowerCase()
  // text that could be read this far is not in UTF-16, whatever it declares
  if (declared === undefined || declared.startsWith('utf')) return new TextDecoder().decode(bytes)
  return decoderOf(declared, file).decode(bytes)
}

function decoderOf(encoding: string, file: string) {
  try {
    return new TextDecoder(encoding)
  } catch {
    throw badEncoding(file, `the encoding "${encoding}" is unknown.`)
  }
}

function badEncoding(file: string, message: string): RobotError {
  return robotError('xml-encoding', { file, line: 1 }, '', message, 'Save the file as UTF-8.')
}

/** Removes a byte order mark before, and NULs or white space after or before the document. */
function withoutFraming(text: string): string {
  let start = 0
  let end = text.length
  if (text.charCodeAt(0) === 0xfeff) start = 1
  while (end > start && (text.charCodeAt(end - 1) === 0 || isBlank(text.charCodeAt(end - 1)))) end--
  return text.slice(start, end)
}

/** Blanks in place of comments, so that every position and line stays; some have `--` inside, which parsers refuse. */
function withoutComments(text: string): string {
  let kept = ''
  let done = 0
  for (let at = text.indexOf('<'); at !== -1; ) {
    let end = at + 1
    if (text.startsWith('<!--', at)) {
      const close = text.indexOf('-->', at + 4)
      if (close === -1) break // the parser reports where
      end = close + 3
      kept += text.slice(done, at) + text.slice(at, end).replace(/[^\r\n]/g, ' ')
      done = end
    } else if (text.startsWith('<![CDATA[', at)) end = after(text, ']]>', at)
    else if (text.startsWith('<?', at)) end = after(text, '?>', at)
    at = text.indexOf('<', end)
  }
  return kept + text.slice(done)
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at === -1 ? text.length : at + mark.length
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

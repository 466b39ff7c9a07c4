import { XacroParser } from 'xacro-parser'
import { cos, sin } from '../dynamics/index.ts'
import { Findings, RobotError, robotError } from './diagnostics.ts'
import { findPackage, folderOf, isInside, noFiles, normalizePath, type Resolver, resolveReference } from './resolve.ts'
import type { Diagnostic, Place } from './robot.ts'
import { parseXml, type XmlElement, xmlLimits } from './xml.ts'

/** What is needed of a DOM parser: the browser's, or that of a library where there is none. */
export type DomParserClass = new () => { parseFromString(text: string, type: 'text/xml'): unknown }

export interface XacroOptions {
  readonly file: string
  readonly resolver?: Resolver
  /** What `key:=value` gives on a command line. */
  readonly xacroArgs?: Readonly<Record<string, string>>
  /** Most elements that the expansion may make. Default: as many as a file may have. */
  readonly maxElements?: number
  /** Default: the global `DOMParser`. Web workers have none. */
  readonly domParser?: DomParserClass
}

export interface ExpandedXacro {
  readonly root: XmlElement
  readonly diagnostics: readonly Diagnostic[]
}

/** Part of the DOM that the expansion is read back through. */
interface DomNode {
  readonly nodeType: number
  readonly nodeName: string
  readonly nodeValue: string | null
  readonly childNodes: ArrayLike<DomNode>
  readonly attributes?: ArrayLike<{ readonly name: string; readonly value: string }>
}

const elementNode = 1
const textNodes: ReadonlySet<number> = new Set([3, 4])

/** Carries an element's file and line through the expansion; `$(featherbed-at ...)` also counts what comes out. */
const placeAttribute = 'featherbed-at'
/** Stands as text in the body of each macro and counts the calls; expands to nothing. */
const callMark = 'featherbed-call'

/**
 * The first element that only xacro understands: one with the prefix `xacro`, or an expression in a file that declares
 * xacro's namespace. Undefined for plain URDF.
 */
export function isXacro(root: XmlElement): XmlElement | undefined {
  const declared = root.attributes['xmlns:xacro'] !== undefined
  const stack = [root]
  for (let element = stack.pop(); element; element = stack.pop()) {
    if (element.name.startsWith('xacro:')) return element
    if (declared && Object.values(element.attributes).some((value) => value.includes('${') || value.includes('$(')))
      return element
    for (let k = element.children.length - 1; k >= 0; k--) stack.push(element.children[k])
  }
  return undefined
}

/**
 * Expands xacro by the library xacro-parser. Every element of the result has the file and line at which it is written: in
 * a macro's body, the line there, not that of the call.
 *
 * `$(optenv NAME default)` gives the default: nothing is read from the environment. Not supported are YAML files, Python
 * beyond arithmetic and comparisons, `xacro:element`, `xacro:attribute`, and name spaces of includes.
 *
 * Rejects with a RobotError, codes `xacro-include`, `xacro-expression`, `xacro-limit`, `xacro-dom`, or that of an included
 * file that is no XML.
 */
export async function expandXacro(text: string, options: XacroOptions): Promise<ExpandedXacro> {
  const domParser = options.domParser ?? (globalThis as { DOMParser?: DomParserClass }).DOMParser
  if (!domParser) {
    throw robotError(
      'xacro-dom',
      { file: options.file, line: 1 },
      '',
      'expanding xacro needs a DOM parser, and there is none here.',
      'Give one as `domParser`, or load the expanded file.',
    )
  }
  return new Expansion(options).run(text, domParser)
}

class Expansion {
  private readonly options: XacroOptions
  private readonly resolver: Resolver
  /** The files read so far; a place names its file by its index here. */
  private readonly files: { readonly path: string; readonly root: XmlElement }[] = []
  private expanded = 0
  private readonly missingPackages = new Set<string>()
  private readonly findings = new Findings()
  /** The cause of a failure, kept because the library wraps what is thrown inside it. */
  private cause: RobotError | undefined

  constructor(options: XacroOptions) {
    this.options = options
    this.resolver = options.resolver ?? noFiles
  }

  async run(text: string, domParser: DomParserClass): Promise<ExpandedXacro> {
    const { file, xacroArgs = {} } = this.options
    const parser = new XacroParser()
    parser.inOrder = true
    parser.requirePrefix = true
    parser.localProperties = true
    parser.workingPath = folderOf(file)
    parser.arguments = Object.assign(Object.create(null), xacroArgs)
    // the types of the library forget that a command may leave the answer to it
    parser.rospackCommands = (command, ...words) => this.substitute(command, words) as string
    parser.getFileContents = async (path) => this.include(path)
    useOwnArithmetic(parser)
    const source = this.annotate(text, file)
    let document: unknown
    try {
      document = await withDomParser(domParser, () => parser.parse(source))
    } catch (error) {
      throw this.cause ?? this.explain(error instanceof Error ? error.message : String(error))
    }
    this.checkArguments(xacroArgs)
    return { root: this.readBack(document as DomNode), diagnostics: this.findings.list }
  }

  // Into the library

  private include(path: string): string {
    const { resolver } = this
    const missing = [...this.missingPackages].find((name) => path.startsWith(`/${name}/`))
    if (missing !== undefined) return '<robot/>' // reported; its macros, if anything calls them, will be
    const clean = path.includes('://') ? (resolveReference(path, this.options.file, resolver)?.path ?? path) : normalizePath(path)
    const bytes = resolver.roots.some((root) => isInside(clean, root)) ? resolver.read(clean) : undefined
    if (!bytes) {
      const name = clean.slice(clean.lastIndexOf('/') + 1)
      const place = this.locate(
        (element) => element.name === 'xacro:include' && (element.attributes.filename ?? '').endsWith(name),
      )
      throw this.fail(
        'xacro-include',
        place,
        '<xacro:include>',
        `"${clean}" was not found.`,
        'Check the path, or add its folder to the roots.',
      )
    }
    try {
      return this.annotate(new TextDecoder().decode(bytes), clean)
    } catch (error) {
      if (error instanceof RobotError) this.cause ??= error
      throw error
    }
  }

  private substitute(command: string, words: readonly string[]): string | undefined {
    switch (command) {
      case placeAttribute:
      case callMark: {
        const { maxElements = xmlLimits.maxElements } = this.options
        if (++this.expanded > maxElements) {
          const message = `the expansion exceeds ${maxElements} elements and calls of macros.`
          throw this.fail('xacro-limit', this.start(), '', message, 'Check for a macro that calls itself without end.')
        }
        return words[0] ?? ''
      }
      case 'arg':
        return undefined // the library knows the defaults
      case 'find': {
        const folder = findPackage(words[0] ?? '', this.options.file, this.resolver)
        if (folder !== undefined) return folder.startsWith('/') ? folder : `/${folder}`
        return this.packageMissing(words[0] ?? '')
      }
      case 'optenv':
        return words.slice(1).join(' ')
      case 'anon':
        return words.join('_')
      default: {
        const place = this.locate((element) => mentions(element, `$(${command}`))
        throw this.fail('xacro-expression', place, `$(${command} ...)`, 'this substitution is not supported.', expandElsewhere)
      }
    }
  }

  /**
   * Files that include whole catalogues of sensors name packages that few have. Going without them is a warning; what
   * needs them after all, a macro or a mesh, is then missing by name.
   */
  private packageMissing(name: string): string {
    if (!this.missingPackages.has(name)) {
      this.missingPackages.add(name)
      const place = this.locate((element) => mentions(element, `$(find ${name})`))
      const message = `the package "${name}" was not found.`
      this.findings.warning(
        'xacro-package',
        place,
        `$(find ${name})`,
        message,
        'Gone without; add the folder that holds it to the roots.',
      )
    }
    return `/${name}`
  }

  /** The text with every element's place as an attribute, and with name spaces for prefixes that declare none. */
  private annotate(text: string, path: string): string {
    const root = parseXml(text, path)
    const index = this.files.push({ path, root }) - 1
    return writeXml(root, (element) => ` ${placeAttribute}="$(${placeAttribute} ${index}:${element.line})"`)
  }

  // Out of the library

  private readBack(document: DomNode): XmlElement {
    const rootNode = Array.from(document.childNodes).find((node) => node.nodeType === elementNode)
    if (!rootNode) {
      throw this.fail('xacro-expression', this.start(), '', 'the expansion is empty.', 'Check the root element.')
    }
    const root = this.element(rootNode, this.start())
    const stack = [{ node: rootNode, element: root }]
    for (let top = stack.pop(); top; top = stack.pop()) {
      const { node, element } = top
      for (const child of Array.from(node.childNodes)) {
        if (textNodes.has(child.nodeType)) element.text += child.nodeValue ?? ''
        if (child.nodeType !== elementNode) continue
        const made = this.element(child, element)
        element.children.push(made)
        stack.push({ node: child, element: made })
      }
      element.text = element.text.trim()
    }
    return root
  }

  private element(node: DomNode, outer: Place) {
    const attributes: Record<string, string> = Object.create(null)
    let { file, line } = outer
    for (const { name, value } of Array.from(node.attributes ?? [])) {
      if (name !== placeAttribute) attributes[name] = value
      else {
        const colon = value.indexOf(':')
        file = this.files[Number(value.slice(0, colon))]?.path ?? file
        line = Number(value.slice(colon + 1)) || line
      }
    }
    return { name: node.nodeName, attributes, children: [] as XmlElement[], text: '', file, line }
  }

  // What went wrong

  private explain(message: string): RobotError {
    const brief = message
      .replaceAll('XacroParser: ', '')
      .replace(/\s*\n\s*/g, ' ')
      .trim()
    const expression = /Failed to process expression "([\s\S]*?)"\. \n/.exec(message)?.[1]
    const macro = /Cannot find macro "([^"]*)"/.exec(message)?.[1]
    const tag = /(xacro:\w+) tags? (?:name spaces )?not supported/.exec(message)?.[1]
    let place: Place = { file: this.options.file, line: 0 }
    if (expression !== undefined) place = this.locate((element) => mentions(element, expression))
    else if (macro !== undefined) place = this.locate((element) => element.name === `xacro:${macro}`)
    else if (message.includes('pass-through')) place = this.locate((element) => (element.attributes.params ?? '').includes(':=^'))
    else if (tag !== undefined) place = this.locate((element) => element.name === tag)
    const said = brief.replace(/ ?Cannot read propert.*$/, ' This expression is not supported').replace(/\.*$/, '.')
    return robotError('xacro-expression', place, 'xacro', said, expandElsewhere)
  }

  private fail(code: string, place: Place, element: string, message: string, remedy: string): RobotError {
    const error = robotError(code, place, element, message, remedy)
    this.cause ??= error
    return error
  }

  private start(): Place {
    return { file: this.options.file, line: 1 }
  }

  /** The first element of the files read so far for which this holds; line 0 if there is none. */
  private locate(holds: (element: XmlElement) => boolean): Place {
    for (const { root } of this.files) {
      const stack = [root]
      for (let element = stack.pop(); element; element = stack.pop()) {
        if (holds(element)) return element
        for (let k = element.children.length - 1; k >= 0; k--) stack.push(element.children[k])
      }
    }
    return { file: this.options.file, line: 0 }
  }

  private checkArguments(given: Readonly<Record<string, string>>): void {
    for (const name of Object.keys(given)) {
      if (this.locate((element) => element.name === 'xacro:arg' && element.attributes.name === name).line > 0) continue
      const message = 'the file declares no such argument.'
      this.findings.warning('xacro-argument', this.start(), `${name}:=${given[name]}`, message, 'Check the spelling.')
    }
  }
}

const expandElsewhere = "Expand the file with ROS' xacro and load the result."

function mentions(element: XmlElement, text: string): boolean {
  return element.text.includes(text) || Object.values(element.attributes).some((value) => value.includes(text))
}

/** The part of the library's expression parser that decides what functions mean. */
interface Arithmetic {
  readonly functions: Record<string, unknown>
  readonly binaryOps: Record<string, unknown>
  evaluate(expression: string, values: unknown): unknown
}

function truthOf(quoted: string): string {
  return quoted.toLowerCase().includes('true') ? '1' : '0'
}

/**
 * Sines, cosines and powers that have the same last bit in every engine, and comparisons as Python has them after xacro
 * has read `True`, `false` and `1.0` out of the text of parameters.
 */
function useOwnArithmetic(parser: XacroParser): void {
  const { expressionParser } = parser as unknown as { expressionParser: Arithmetic }
  const { functions, binaryOps } = expressionParser
  const evaluate = expressionParser.evaluate.bind(expressionParser)
  // the library puts the text of properties into expressions as strings, and "false" as a string would count as true
  expressionParser.evaluate = (expression, values) => {
    const value = evaluate(expression.replace(/(["'])(true|false)\1/gi, truthOf), values)
    if (value === undefined || value === null || Number.isNaN(value)) throw new Error('The expression has no value')
    return value
  }
  functions.sin = (x: number) => sin(Number(x))
  functions.cos = (x: number) => cos(Number(x))
  functions.pow = power
  functions.upper = (text: unknown) => String(text).toUpperCase()
  functions.lower = (text: unknown) => String(text).toLowerCase()
  binaryOps['^'] = power
  binaryOps['=='] = (a: unknown, b: unknown) => literal(a) === literal(b)
  binaryOps['!='] = (a: unknown, b: unknown) => literal(a) !== literal(b)
}

/** What xacro makes of a value: a number where it reads as one, 1 or 0 where it reads as true or false. */
function literal(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value !== 'string') return value
  const text = value.trim()
  if (text === 'True' || text === 'true') return 1
  if (text === 'False' || text === 'false') return 0
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : value
}

function power(base: number, exponent: number): number {
  const x = Number(base)
  const n = Number(exponent)
  if (!Number.isInteger(n) || Math.abs(n) > 1024) return n === 0.5 ? Math.sqrt(x) : Math.exp(n * Math.log(x))
  let result = 1
  let square = x
  for (let k = Math.abs(n); k > 0; k = Math.floor(k / 2)) {
    if (k % 2 === 1) result *= square
    square *= square
  }
  return n < 0 ? 1 / result : result
}

/** The library takes its DOM parser from the global scope. Expansions queue up, so that each finds its own there. */
let queue: Promise<unknown> = Promise.resolve()

function withDomParser<T>(domParser: DomParserClass, work: () => Promise<T>): Promise<T> {
  const run = async () => {
    const scope = globalThis as { DOMParser?: DomParserClass }
    const before = scope.DOMParser
    scope.DOMParser = domParser
    try {
      return await work()
    } finally {
      if (before) scope.DOMParser = before
      else delete scope.DOMParser
    }
  }
  const result = queue.then(run)
  queue = result.catch(() => undefined)
  return result
}

/** XML text of a tree. Text stands before the children, which is where URDF has it. */
function writeXml(root: XmlElement, extra: (element: XmlElement) => string): string {
  const declared = new Set(Object.keys(root.attributes).filter((name) => name.startsWith('xmlns:')))
  const missing = new Set<string>()
  const parts: string[] = []
  const stack: (XmlElement | string)[] = [root]
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (typeof top === 'string') {
      parts.push(top)
      continue
    }
    const isMacro = top.name === 'xacro:macro'
    const attributes = Object.entries(top.attributes).map(([name, value]) => {
      const written = isMacro && name === 'params' ? withoutCarets(value) : withOurSpelling(value)
      return ` ${name}="${escapeXml(written)}"`
    })
    for (const name of [top.name, ...Object.keys(top.attributes)]) {
      const colon = name.indexOf(':')
      if (colon <= 0) continue
      const prefix = name.slice(0, colon)
      if (prefix !== 'xmlns' && prefix !== 'xml' && !declared.has(`xmlns:${prefix}`)) missing.add(prefix)
    }
    parts.push(`<${top.name}${attributes.join('')}${extra(top)}`)
    if (parts.length === 1) parts.push('') // name spaces found missing go here
    parts.push('>', escapeXml(top.text), isMacro ? `$(${callMark})` : '')
    stack.push(`</${top.name}>`)
    for (let k = top.children.length - 1; k >= 0; k--) stack.push(top.children[k])
  }
  parts[1] = [...missing].map((prefix) => ` xmlns:${prefix}="${namespaceOf(prefix)}"`).join('')
  return parts.join('')
}

/** `name:=^` takes the value that the name has where the macro is called, which the library knows as a default. */
function withoutCarets(parameters: string): string {
  return parameters
    .split(/\s+/)
    .map((parameter) => (parameter.endsWith(':=^') ? `${parameter.slice(0, -1)}\${${parameter.slice(0, -3)}}` : parameter))
    .join(' ')
}

/** Expressions in the form in which the library takes them: `upper(name)` for `name.upper()`, `^` for `**`. */
function withOurSpelling(value: string): string {
  let out = ''
  let done = 0
  for (;;) {
    const start = value.indexOf('${', done)
    const end = start < 0 ? -1 : value.indexOf('}', start)
    if (end < 0) return out + value.slice(done)
    const expression = value.slice(start, end)
    out += value.slice(done, start)
    out += expression.replaceAll('**', '^').replace(/(?<!\w)([A-Za-z_]\w*)\.(upper|lower)\(\)/g, '$2($1)')
    done = end
  }
}

function namespaceOf(prefix: string): string {
  return prefix === 'xacro' ? 'http://www.ros.org/wiki/xacro' : `undeclared:${prefix}`
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"\n\r\t]/g, (character) => `&#${character.charCodeAt(0)};`)
}

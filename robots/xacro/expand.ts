import { Meter, shortened } from '../../dynamics/index.ts'
import { RobotError } from '../diagnostics.ts'
import { quote, shorten } from '../elements/index.ts'
import { chainOf } from '../files/includes.ts'
import type { Resolver } from '../files/resolve.ts'
import type { Diagnostic, Place } from '../robot.ts'
import { type XmlElement, xmlLimits } from '../xml.ts'
import { isName } from './expression/parse.ts'
import { didYouMean } from './failures.ts'
import { giveTheFolder, Library, missingPackage, whyMissing } from './library.ts'
import { bindParameters, type MacroCall } from './macroCall.ts'
import { type Parameter, parseParameters } from './parameters.ts'
import { labelOf, Report } from './report.ts'
import type { Scope } from './scope.ts'
import { Texts } from './texts.ts'

export interface XacroOptions {
  /** The file's path for the resolver. */
  readonly file: string
  /** Source of included files, packages and YAML. Default: there are none. */
  readonly resolver?: Resolver
  /** The arguments `key:=value` of a command line. */
  readonly xacroArgs?: Readonly<Record<string, string>>
  /** Most elements, macro calls and includes that the expansion may make. Default: as many as a file may have elements. */
  readonly maxElements?: number
  /** Variables for `$(env NAME)` and `$(optenv NAME default)`. Default: none is set. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

export interface ExpandedXacro {
  /** Plain elements, each with its file and line. */
  readonly root: XmlElement
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Expands xacro as the tool of ROS does (version 1.14 and later): elements are processed in the order of the file,
 * properties are evaluated at first use, and a macro has access to the properties at its call. Expressions are Python's,
 * parsed and evaluated here; nothing in a file is ever run by the engine. @unchecked
 *
 * Beyond the tool: brackets and quotation marks may be nested in `${...}` and `$(...)`; files and packages are found by
 * the rules of `resolveReference`; `xacro:attribute` works inside of `xacro:if` and of macros; a missing package is
 * skipped, with a warning, until a macro of it is called, and stays as `package://name` in references.
 *
 * @throws RobotError with every error, codes `xacro-expression`, `xacro-include`, `xacro-macro`, `xacro-element`,
 *   `xacro-argument`, `xacro-limit`, or those of an included file that is no XML
 */
export function expandXacro(root: XmlElement, options: XacroOptions): ExpandedXacro {
  return new Expansion(root, options).run()
}

interface MutableElement extends Place {
  readonly name: string
  readonly attributes: Record<string, string>
  readonly children: XmlElement[]
  text: string
}

/** An element under construction. */
interface Output {
  readonly element: MutableElement
  readonly depth: number
}

type Handler = (element: XmlElement, scope: Scope, output: Output) => void

/** Deepest nesting of elements, calls and includes while expanding. */
const maxNesting = 700
const maxIncludeDepth = 40
const maxIncludes = 1000

class Expansion {
  private readonly root: XmlElement
  private readonly meter: Meter<'elements' | 'characters' | 'includes'>
  private readonly documents: Library
  private readonly report = new Report()
  private readonly texts: Texts
  private readonly parameters = new Map<XmlElement, readonly Parameter[]>()
  private nesting = 0

  /** Handlers of xacro's own elements. */
  private readonly handlers: ReadonlyMap<string, Handler> = new Map<string, Handler>([
    ['xacro:property', (element, scope) => this.defineProperty(element, scope)],
    ['xacro:arg', (element, scope) => this.declareArgument(element, scope)],
    ['xacro:macro', (element, scope) => this.defineMacro(element, scope)],
    ['xacro:call', (element, scope, output) => this.callByName(element, scope, output)],
    ['xacro:insert_block', (element, scope, output) => this.insertBlock(element, scope, output)],
    ['xacro:include', (element, scope, output) => this.include(element, scope, output)],
    ['xacro:if', (element, scope, output) => this.expandChoice(element, scope, output, true)],
    ['xacro:unless', (element, scope, output) => this.expandChoice(element, scope, output, false)],
    ['xacro:element', (element, scope, output) => this.expandNamedElement(element, scope, output)],
    ['xacro:attribute', (element, scope, output) => this.addAttribute(element, scope, output)],
  ])

  constructor(root: XmlElement, options: XacroOptions) {
    this.root = root
    const { maxElements: elements = xmlLimits.maxElements } = options
    const limits = { elements, characters: xmlLimits.maxLength, includes: maxIncludes }
    this.meter = new Meter(limits, (kind, most) => new RangeError(`more than ${most} ${kind}`))
    this.documents = new Library(options.resolver)
    this.texts = new Texts(root, this.documents, this.report, options)
  }

  run(): ExpandedXacro {
    const { root, report, texts } = this
    const output = this.open(root, undefined)
    try {
      this.copyAttributes(root, texts.top, output)
      this.expandContent(root, texts.top, output)
    } catch (error) {
      // the limits keep clear of the end of the stack, unless it is smaller than usual
      if (error instanceof RangeError) report.stop(root, `<${root.name}>`, 'the expansion is nested too deep.', 'Flatten it.')
      throw error
    }
    output.element.text = output.element.text.trim()
    for (const name of texts.unusedArguments()) {
      const names = [...texts.declared.keys()]
      const declared = names.length === 0 ? 'none' : shortened(names, 12, ', ...')
      const remedy = didYouMean(name, names, `It declares ${declared}.`)
      report.warning(root, `${name}:=${texts.given.get(name)}`, 'xacro-argument', 'the file declares no such argument.', remedy)
    }
    texts.reportVariables()
    report.throwIfWrong()
    return { root: output.element, diagnostics: report.list }
  }

  // Elements

  private expandElement(element: XmlElement, scope: Scope, output: Output): void {
    const handler = this.handlers.get(element.name)
    if (handler) {
      this.count(element)
      handler(element, scope, output)
    } else if (element.name.startsWith('xacro:')) {
      this.callMacro(element.name.slice('xacro:'.length), element, scope, output)
    } else {
      const inner = this.open(element, output)
      this.copyAttributes(element, scope, inner)
      this.expandContent(element, scope, inner)
      inner.element.text = inner.element.text.trim()
    }
  }

  private open(element: XmlElement, parent: Output | undefined): Output {
    this.count(element)
    const depth = (parent?.depth ?? 0) + 1
    if (depth > xmlLimits.maxDepth) {
      this.report.stop(
        element,
        `<${element.name}>`,
        `the expansion is nested ${depth} deep; at most ${xmlLimits.maxDepth}.`,
        'Flatten it.',
      )
    }
    const made = emptyElement(element)
    parent?.element.children.push(made)
    return { element: made, depth }
  }

  private expandContent(element: XmlElement, scope: Scope, output: Output): void {
    if (++this.nesting > maxNesting) {
      const call = this.report.calls.at(-1)
      const message = `elements, calls of macros and includes are nested more than ${maxNesting} deep.`
      const remedy = call ? `Check whether the macro "${call.name}" calls itself without end.` : 'Flatten the file.'
      const outermost = call?.element ?? element
      this.report.stop(outermost, `<${outermost.name}>`, message, remedy)
    }
    for (const part of contentOf(element)) {
      if (typeof part !== 'string') this.expandElement(part, scope, output)
      else {
        const text = this.texts.attempt(element, `<${element.name}>`, () => this.texts.textOf(part, scope)) ?? ''
        this.countText(element, text)
        output.element.text += text
      }
    }
    this.nesting--
  }

  private copyAttributes(from: XmlElement, scope: Scope, { element }: Output): void {
    for (const name of Object.keys(from.attributes)) {
      if (name === 'xmlns:xacro' || name.startsWith('xacro:')) continue
      const value = this.texts.attribute(from, name, scope)
      if (value === undefined) continue
      this.countText(from, value)
      element.attributes[name] = value
    }
  }

  private expandNamedElement(element: XmlElement, scope: Scope, output: Output): void {
    if (!this.hasAttributes(element, ['xacro:name'])) return
    const name = this.texts.attribute(element, 'xacro:name', scope)
    if (name === '')
      this.report.error(element, labelOf(element, 'xacro:name'), 'xacro-element', 'the name is empty.', 'Give one.')
    // as the tool has it, the name may be one of xacro's own
    else if (name !== undefined) this.expandElement(without(element, 'xacro:name', name), scope, output)
  }

  private addAttribute(element: XmlElement, scope: Scope, output: Output): void {
    if (!this.hasAttributes(element, ['name', 'value'], [])) return
    const name = this.texts.attribute(element, 'name', scope)
    const value = this.texts.attribute(element, 'value', scope)
    if (name === '') this.report.error(element, labelOf(element, 'name'), 'xacro-element', 'the name is empty.', 'Give one.')
    else if (name !== undefined && value !== undefined) output.element.attributes[name] = value
  }

  private expandChoice(element: XmlElement, scope: Scope, output: Output, wanted: boolean): void {
    if (!this.hasAttributes(element, ['value'], [])) return
    if (this.texts.condition(element, 'value', scope) === wanted) this.expandContent(element, scope, output)
  }

  // Properties and arguments

  private defineProperty(element: XmlElement, scope: Scope): void {
    if (!this.hasAttributes(element, ['name'], ['value', 'default', 'remove', 'scope', 'lazy_eval'])) return
    const { attributes } = element
    const name = this.texts.attribute(element, 'name', scope)
    const remove = this.texts.condition(element, 'remove', scope, false)
    const lazy = this.texts.condition(element, 'lazy_eval', scope, true)
    if (name === undefined || remove === undefined || lazy === undefined) return
    if ([attributes.value !== undefined, attributes.default !== undefined, remove].filter(Boolean).length > 1) {
      const message = `of value, default and remove="true" the property ${quote(name)} has more than one.`
      this.report.error(element, labelOf(element, 'name'), 'xacro-element', message, 'Keep one.')
    } else if (remove) {
      scope.remove(name)
    } else if (attributes.value === undefined && attributes.default === undefined) {
      scope.setBlock(name, { element, contentOnly: true })
    } else if (attributes.value !== undefined || !scope.has(name)) {
      this.setProperty(name, element, scope, lazy)
    }
  }

  private setProperty(name: string, element: XmlElement, scope: Scope, lazy: boolean): void {
    const { attributes } = element
    const attribute = attributes.value === undefined ? 'default' : 'value'
    if (!isName(name)) {
      const message = `${quote(name)} is no name that an expression can use.`
      const remedy = 'Use letters, digits and underscores.'
      this.report.warning(element, labelOf(element, 'name'), 'xacro-property', message, remedy)
    }
    const target = this.targetOf(element, scope)
    if (lazy && target === scope && attributes.scope !== 'global') {
      scope.set(name, attributes[attribute], element, true)
      return
    }
    const value = this.texts.attributeValue(element, attribute, scope)
    if (value === undefined) target.fail(name, element)
    else target.set(name, value, element, false)
  }

  /** The scope that an attribute `scope` means. */
  private targetOf(element: XmlElement, scope: Scope): Scope {
    const where = element.attributes.scope
    if (where === undefined) return scope
    if (where === 'global') return scope.top()
    const outer = where === 'parent' ? scope.outer() : undefined
    if (outer) return outer
    const message = where === 'parent' ? 'no scope is around this one.' : `the scope ${quote(where)} is not known.`
    const remedy = where === 'parent' ? 'It is set here.' : 'It is set here; there are parent and global.'
    this.report.warning(element, labelOf(element, 'scope'), 'xacro-property', message, remedy)
    return scope
  }

  private declareArgument(element: XmlElement, scope: Scope): void {
    if (!this.hasAttributes(element, ['name'], ['default'])) return
    const { declared, given } = this.texts
    const name = element.attributes.name
    if (declared.has(name)) return
    const known = given.get(name)
    if (known === undefined && element.attributes.default === undefined) {
      const message = `the argument ${quote(name)} has no default, and no value is given.`
      this.report.error(element, labelOf(element, 'name'), 'xacro-argument', message, `Give ${name}:=...`)
    }
    const text = known ?? this.texts.attribute(element, 'default', scope)
    if (text !== undefined) declared.set(name, text)
    else this.report.incomplete = true
  }

  // Macros and blocks

  private defineMacro(element: XmlElement, scope: Scope): void {
    if (!this.hasAttributes(element, ['name'], ['params'])) return
    const name = element.attributes.name.replace(/^xacro:/, '')
    if (name !== 'call' && name !== '' && !name.includes('.')) scope.macros.set(name, element)
    else {
      const message = `a macro cannot be called ${quote(name)}.`
      this.report.error(element, labelOf(element, 'name'), 'xacro-macro', message, 'Choose another name, without a dot.')
    }
  }

  private callByName(element: XmlElement, scope: Scope, output: Output): void {
    if (!this.hasAttributes(element, ['macro'])) return
    const name = this.texts.attribute(element, 'macro', scope)
    if (name !== undefined) this.callMacro(name, without(element, 'macro', element.name), scope, output)
  }

  private callMacro(name: string, element: XmlElement, scope: Scope, output: Output): void {
    this.count(element)
    const found = scope.findMacro(name)
    if (!found) {
      const remedy = didYouMean(name, scope.macroNames(), 'Include the file that defines it before.')
      this.report.unknown(element, `<${element.name}>`, 'xacro-macro', `there is no macro ${quote(name)}.`, remedy)
      return
    }
    const { macro, scope: home } = found
    const parameters = this.parametersOf(macro)
    if (!parameters) return
    // the elements inside a call are expanded in the scope of the call
    const holder = { element: emptyElement(element), depth: output.depth }
    this.expandContent(element, home, holder)
    const call: MacroCall = { name, element, macro, parameters, home, blocks: holder.element.children }
    const inner = bindParameters(call, this.texts, this.report)
    if (!inner) return
    this.report.calls.push({ name, element })
    importNamespaces(macro, output)
    this.expandContent(macro, inner, output)
    this.report.calls.pop()
  }

  private parametersOf(macro: XmlElement): readonly Parameter[] | undefined {
    let parameters = this.parameters.get(macro)
    if (!parameters) {
      parameters = this.texts.attempt(macro, labelOf(macro, 'params'), () => parseParameters(macro.attributes.params ?? ''))
      if (parameters) this.parameters.set(macro, parameters)
    }
    return parameters
  }

  private insertBlock(element: XmlElement, scope: Scope, output: Output): void {
    if (!this.hasAttributes(element, ['name'], [])) return
    const name = this.texts.attribute(element, 'name', scope)
    if (name === undefined) return
    const block = scope.block(name)
    if (block?.contentOnly) this.expandContent(block.element, scope, output)
    else if (block) this.expandElement(block.element, scope, output)
    else {
      const otherwise = `A macro takes it by params="*${name}", and <xacro:property> may hold one.`
      const remedy = didYouMean(name, scope.blockNames(), otherwise)
      this.report.unknown(element, labelOf(element, 'name'), 'xacro-macro', `there is no block ${quote(name)}.`, remedy)
    }
  }

  // Files

  private include(element: XmlElement, scope: Scope, output: Output): void {
    if (!this.hasAttributes(element, ['filename'], ['ns', 'optional'])) return
    const reference = this.texts.attribute(element, 'filename', scope)
    const space = this.texts.attribute(element, 'ns', scope)
    const optional = this.texts.condition(element, 'optional', scope, false)
    this.meter.ask('includes', 1, (_, most) => {
      const message = `more than ${most} includes; this one is in ${chainOf(this.texts.files)}.`
      return this.report.stop(element, labelOf(element, 'filename'), message, 'Include each file once.')
    })
    if (reference === undefined || space === undefined || optional === undefined) {
      this.report.incomplete = true
      return
    }
    const home = space === '' ? scope : scope.addNamespace(space, element)
    for (const path of this.pathsOf(reference, element, optional)) this.includeFile(path, element, home, output)
  }

  private pathsOf(reference: string, element: XmlElement, optional: boolean): readonly string[] {
    const label = labelOf(element, 'filename')
    const from = [this.texts.files.at(-1)!, element.file]
    const found = this.documents.find(reference, from)
    if (found?.caseChanged) {
      const message = `"${shorten(reference)}" was not found, but "${found.path}" was.`
      this.report.warning(element, label, 'xacro-case', message, 'Correct the letter case.')
    }
    if (found) return [found.path]
    if (/[*?]/.test(reference)) {
      const paths = this.documents.matches(reference, from)
      if (paths.length === 0) this.report.warning(element, label, 'xacro-include', 'no file fits.', 'Nothing is included.')
      return paths
    }
    if (!optional) this.includeMissing(reference, element)
    return []
  }

  /**
   * Files that include whole catalogues of sensors name rarely installed packages, so a missing package is skipped; a call
   * of a macro of it is an error. A missing file of an existing package is one at once.
   */
  private includeMissing(reference: string, element: XmlElement): void {
    const label = labelOf(element, 'filename')
    const file = this.texts.files.at(-1)!
    const name = missingPackage(reference, file, this.documents)
    if (name !== undefined) {
      const what = `the package ${quote(name)}`
      this.report.goWithout(element, label, what, `${what} was not found.`, `Gone without. ${giveTheFolder}`)
      return
    }
    const { message, remedy } = whyMissing(reference, file, this.documents)
    this.report.error(element, label, 'xacro-include', message, `${remedy} With optional="true" it may be missing.`)
    this.report.incomplete = true
  }

  private includeFile(path: string, element: XmlElement, scope: Scope, output: Output): void {
    const { files } = this.texts
    if (files.length >= maxIncludeDepth) {
      const remedy = files.includes(path) ? 'This file includes itself.' : 'Flatten them.'
      const message = `files include each other more than ${maxIncludeDepth} deep: ${chainOf([...files, path])}.`
      this.report.stop(element, labelOf(element, 'filename'), message, remedy)
    }
    const root = this.read(path, element)
    if (!root) return
    files.push(path)
    importNamespaces(root, output)
    this.expandContent(root, scope, output)
    files.pop()
  }

  private read(path: string, element: XmlElement): XmlElement | undefined {
    try {
      return this.documents.tree(path)
    } catch (error) {
      if (!(error instanceof RobotError)) throw error
      this.report.incomplete = true
      for (const { code, file, line, element: label, message, remedy } of error.diagnostics) {
        this.report.error({ ...element, file, line }, label, code, message, remedy)
      }
      return undefined
    }
  }

  // Checks

  private count(element: XmlElement): void {
    this.meter.ask('elements', 1, (_, most) => {
      const message = `the expansion exceeds ${most} elements and calls of macros.`
      const outermost = this.report.calls[0]?.element ?? element
      return this.report.stop(outermost, `<${outermost.name}>`, message, 'Check for a macro that calls itself without end.')
    })
  }

  private countText(element: XmlElement, { length }: string): void {
    this.meter.ask('characters', length, (_, most) => {
      const message = `the expansion exceeds ${most} characters; this is in ${chainOf(this.texts.files)}.`
      return this.report.stop(element, `<${element.name}>`, message, 'Check for large texts that are repeated.')
    })
  }

  /** Whether all required attributes are there; reports missing ones, and unknown ones unless any others are allowed. */
  private hasAttributes(element: XmlElement, required: readonly string[], optional?: readonly string[]): boolean {
    const names = Object.keys(element.attributes)
    const known = [...required, ...(optional ?? names)]
    for (const name of names) {
      if (known.includes(name) || name.startsWith('xmlns:')) continue
      const remedy = didYouMean(name, known, 'It does nothing.')
      this.report.warning(element, labelOf(element, name), 'xacro-attribute', 'this attribute is not known.', remedy)
    }
    const missing = required.filter((name) => element.attributes[name] === undefined)
    for (const name of missing) {
      const message = `the attribute ${quote(name)} is missing.`
      this.report.error(element, `<${element.name}>`, 'xacro-element', message, `Write ${name}="...".`)
    }
    return missing.length === 0
  }
}

/** Text and children in their order. */
function contentOf({ text, children, content }: XmlElement): readonly (string | XmlElement)[] {
  return content ?? (text === '' ? children : [text, ...children])
}

function emptyElement({ name, file, line }: XmlElement): MutableElement {
  return { name, attributes: Object.create(null), children: [], text: '', file, line }
}

/** The element under another name and without an attribute. */
function without(element: XmlElement, attribute: string, name: string): XmlElement {
  const attributes: Record<string, string> = Object.assign(Object.create(null), element.attributes)
  delete attributes[attribute]
  return { ...element, name, attributes }
}

/** Copies namespace prefixes declared by a macro or an included file to the element that receives their content. */
function importNamespaces(from: XmlElement, { element }: Output): void {
  for (const [name, value] of Object.entries(from.attributes)) {
    if (name.startsWith('xmlns:') && name !== 'xmlns:xacro') element.attributes[name] ??= value
  }
}

import { closest, Meter } from '../../dynamics/index.ts'
import type { Triple } from '../description.ts'
import { Findings, robotError } from '../diagnostics.ts'
import type { Diagnostic, Place } from '../robot.ts'
import { type XmlElement, xmlLimits } from '../xml.ts'
import { type NumberProblem, parseNumbers } from './numbers.ts'
import { quote, shorten } from './spelling.ts'
import { Account } from './tags.ts'

/** A finding that a file may cause many times, and that is reported once. */
interface Note {
  readonly place: Place
  readonly element: string
  readonly message: string
  readonly remedy: string
  readonly severity: 'info' | 'warning'
  count: number
}

/** What one robot's files may ask for: what classes, copies and includes make of them counts each time. */
const limits = {
  /** Of attributes, as often as they are read, weighted by cost. Each read once, also as numbers, is within it. */
  characters: 8 * xmlLimits.maxLength,
  elements: xmlLimits.maxElements,
  /** Given by classes. */
  attributes: 2_000_000,
  /** Actuators, sensors, equalities, tendons and the places on their paths: each is worked out at every step. */
  relations: 10_000,
  /** Of height fields. */
  points: 4_000_000,
}

/**
 * Reads single values of elements: texts, numbers, flags. An invalid value is a finding that names the attribute, its
 * text and the expected form, and is then undefined. `what` is the name of the element in findings.
 */
export class Reader {
  readonly findings = new Findings()
  readonly account = new Account()
  private readonly notes = new Map<string, Note>()
  private readonly meter = new Meter(limits, (kind, most) => new RangeError(`more than ${most} ${kind}`))

  constructor(earlier: readonly Diagnostic[] = []) {
    this.findings.take(earlier)
  }

  /** A finding that is made once for each code, with the first place and the number of the others. */
  note(
    code: string,
    place: Place,
    element: string,
    message: string,
    remedy: string,
    severity: 'info' | 'warning' = 'info',
  ): void {
    const note = this.notes.get(code)
    if (note) note.count++
    else this.notes.set(code, { place, element, message, remedy, severity, count: 1 })
  }

  /**
   * Ends the reading: adds the notes and puts all findings in the order of the file; of several files, one after the other.
   *
   * @throws RobotError if there is an error among the findings
   */
  finish(): void {
    for (const [code, { place, element, message, remedy, severity, count }] of this.notes) {
      const more = count === 1 ? '' : ` So with ${count - 1} more.`
      this.findings[severity](code, place, element, `${message}${more}`, remedy)
    }
    this.notes.clear()
    const { list } = this.findings
    const files = new Map<string, number>()
    for (const { file } of list) if (!files.has(file)) files.set(file, files.size)
    list.sort((a, b) => files.get(a.file)! - files.get(b.file)! || a.line - b.line)
    this.findings.throwIfWrong()
  }

  /** The first child of a name; a finding if there are several. */
  only(element: XmlElement, name: string, what: string): XmlElement | undefined {
    let first: XmlElement | undefined
    for (const child of element.children) {
      if (child.name !== name) continue
      if (first) {
        const message = `there is one already, at line ${first.line}.`
        this.findings.repair('repeated-element', child, `<${name}> of ${what}`, message, 'The first is used; remove one of them.')
        return first
      }
      first = child
    }
    return first
  }

  /** An attribute's text; undefined if it is not there or still holds an expression, which is an error. */
  attribute(element: XmlElement, name: string, what: string): string | undefined {
    const text = element.attributes[name]
    if (text !== undefined) this.ask('characters', text.length, element, what)
    if (text === undefined || this.refusesExpression(text, `${name}=`, element, what)) return undefined
    return text
  }

  /** Asks for work that is about to be done. @throws RobotError beyond the limit, which it names */
  ask(kind: keyof typeof limits, amount: number, element: Place, what: string): void {
    this.meter.ask(kind, amount, (_, most) => {
      const message = `more than ${most} ${kind}, each counted as often as it is included, copied or read.`
      return robotError('xml-limit', element, what, message, 'Make fewer.')
    })
  }

  /** An attribute that has to be there; it may be empty. */
  required(element: XmlElement, name: string, what: string, example = '...'): string | undefined {
    if (element.attributes[name] === undefined) this.missing(element, name, what, example)
    return this.attribute(element, name, what)
  }

  /** The name that an element has to have. */
  name(element: XmlElement): string | undefined {
    const name = this.attribute(element, 'name', `<${element.name}>`)
    if (name !== undefined && name !== '') return name
    if (name === '' || element.attributes.name === undefined) {
      const meant = name === '' ? undefined : misspelt(element, 'name')
      if (meant !== undefined) this.account.guess(element)
      const message = meant === undefined ? 'it has no name.' : `it has no name; ${meant}="..." may be meant.`
      this.findings.error('name-missing', element, `<${element.name}>`, message, 'Add name="...".')
    }
    return undefined
  }

  number(element: XmlElement, attribute: string, what: string): number | undefined {
    return this.numbers(element, attribute, 1, what)?.[0]
  }

  /** An optional number. Undefined only if it is stated and cannot be read. */
  optional(element: XmlElement, attribute: string, what: string, otherwise: number): number | undefined {
    return element.attributes[attribute] === undefined ? otherwise : this.number(element, attribute, what)
  }

  triple(element: XmlElement, attribute: string, what: string): Triple | undefined {
    return this.numbers(element, attribute, 3, what) as Triple | undefined
  }

  /** An attribute of so many numbers, which has to be there. */
  numbers(element: XmlElement, attribute: string, count: number | undefined, what: string): number[] | undefined {
    const text = this.required(element, attribute, what, count === 1 ? '...' : count === 3 ? 'x y z' : '... ...')
    if (text === undefined) return undefined
    if (count === undefined) this.ask('characters', 7 * text.length, element, what)
    const numbers = parseNumbers(text, count)
    if (Array.isArray(numbers)) return numbers
    this.problem(numbers, `${attribute}="${shorten(text)}"`, count, element, what)
    return undefined
  }

  /**
   * The number in an element, either `<kp value="1"/>` or `<kp>1</kp>`.
   *
   * @param severity of the finding if there is none: a warning where nothing depends on it
   */
  value(element: XmlElement, what: string, severity: 'error' | 'warning' = 'error'): number | undefined {
    const text = this.valueText(element, what)
    if (text === undefined) return undefined
    const numbers = parseNumbers(text, 1)
    if (Array.isArray(numbers)) return numbers[0]
    this.problem(numbers, quote(text), 1, element, what, severity)
    return undefined
  }

  /** `true`, `false`, `1` or `0` in an element; anything else is a finding, and ignored. */
  flag(element: XmlElement, what: string): boolean | undefined {
    return this.flagOf(this.valueText(element, what), element, what)
  }

  flagAttribute(element: XmlElement, attribute: string, what: string): boolean | undefined {
    return this.flagOf(this.attribute(element, attribute, what), element, what)
  }

  private flagOf(text: string | undefined, element: XmlElement, what: string): boolean | undefined {
    if (text === undefined) return undefined
    const word = text.trim().toLowerCase()
    if (word === 'true' || word === '1') return true
    if (word === 'false' || word === '0') return false
    this.findings.warning('flag', element, what, `${quote(text)} is neither true nor false.`, 'Passed by.')
    return undefined
  }

  /** Reports a missing attribute, and a present one that may be its misspelling. */
  missing(element: XmlElement, attribute: string, what: string, example = '...'): void {
    const meant = misspelt(element, attribute)
    if (meant !== undefined) this.account.guess(element)
    const message = meant === undefined ? `${attribute} is missing.` : `${attribute} is missing; ${meant}="..." may be meant.`
    this.findings.error('attribute-missing', element, what, message, `Add ${attribute}="${example}".`)
  }

  private valueText(element: XmlElement, what: string): string | undefined {
    const { value } = element.attributes
    const text = value ?? element.text
    return this.refusesExpression(text, value === undefined ? '' : 'value=', element, what) ? undefined : text
  }

  private refusesExpression(text: string, prefix: string, place: Place, what: string): boolean {
    if (!text.includes('${') && !text.includes('$(')) return false
    this.findings.error(
      'xacro-leftover',
      place,
      what,
      `${prefix}${quote(text)} is a xacro expression that was not expanded.`,
      'Expand the file with xacro, or declare xmlns:xacro in its <robot> if it is xacro.',
    )
    return true
  }

  private problem(
    { code, message }: NumberProblem,
    text: string,
    count: number | undefined,
    place: Place,
    what: string,
    severity: 'error' | 'warning' = 'error',
  ): void {
    const wanted =
      count === 1 ? 'a number' : count === undefined ? 'numbers separated by blanks' : `${count} numbers separated by blanks`
    this.findings[severity](code, place, what, `${text}: ${message}.`, `Expected ${wanted}.`)
  }
}

/** The attribute of an element with the name nearest to the missing one. */
function misspelt(element: XmlElement, attribute: string): string | undefined {
  for (const name in element.attributes) if (closest(name, [attribute]) !== undefined) return name
  return undefined
}

import { Findings, RobotError } from '../diagnostics.ts'
import { quote, shorten } from '../elements/index.ts'
import type { Diagnostic, Place } from '../robot.ts'
import type { XmlElement } from '../xml.ts'
import { type ExpressionError, UnknownName } from './failures.ts'

/** A call of a macro in progress. */
export interface Call {
  readonly name: string
  readonly element: XmlElement
}

/** Most errors reported. */
const maxErrors = 20
/** Most messages of the file's own. */
const maxMessages = 100

/** Collects the errors of a file, each once, with the calls of macros that led to it. */
export class Report {
  /** How many errors there were, repetitions counted. */
  errors = 0
  /** A file is missing, so that undefined names from now on may be in it and are no errors of their own. */
  incomplete = false
  /** Skipped files, in words that follow "perhaps in"; undefined names from now on may be in them. */
  readonly missing: string[] = []
  /** The calls in progress, the innermost last. */
  readonly calls: Call[] = []
  private readonly findings = new Findings()
  private readonly seen = new Set<string>()
  private errorsListed = 0
  private messages = 0

  get list(): readonly Diagnostic[] {
    return this.findings.list
  }

  /** @throws RobotError if there is an error */
  throwIfWrong(): void {
    this.findings.throwIfWrong()
  }

  /** One error a place and message, however often a macro repeats it. @throws RobotError after many */
  error(element: XmlElement, label: string, code: string, message: string, remedy: string): void {
    this.errors++
    if (this.isRepeated(element, label, message)) return
    this.findings.error(code, element, label, message + this.trace(element), remedy)
    if (++this.errorsListed >= maxErrors) throw new RobotError(this.findings.list)
  }

  failure(error: ExpressionError, element: XmlElement, label: string, more = ''): void {
    if (error instanceof UnknownName) this.unknown(element, label, 'xacro-expression', error.message + more, error.remedy)
    else this.error(element, label, 'xacro-expression', error.message + more, error.remedy)
  }

  /** Something that is not defined: no error of its own after a file could not be read. */
  unknown(element: XmlElement, label: string, code: string, message: string, remedy: string): void {
    if (this.incomplete) return
    const [first, ...others] = this.missing
    const more = others.length === 0 ? '' : `, or in one of ${others.length} others that were not found`
    this.error(element, label, code, message, first === undefined ? remedy : `${remedy} Perhaps it is in ${first}${more}.`)
  }

  /** Skips a missing file. */
  goWithout(element: XmlElement, label: string, what: string, message: string, remedy: string): void {
    if (this.isRepeated(element, label, message)) return
    this.missing.push(`${what} (${placeOf(element)})`)
    this.findings.repair('xacro-package', element, label, message + this.trace(element), remedy)
  }

  warning(element: XmlElement, label: string, code: string, message: string, remedy: string): void {
    if (!this.isRepeated(element, label, message))
      this.findings.warning(code, element, label, message + this.trace(element), remedy)
  }

  info(element: XmlElement, label: string, code: string, message: string, remedy: string): void {
    this.findings.info(code, element, label, message, remedy)
  }

  /** A message of the file itself. */
  say(element: XmlElement, severity: 'info' | 'warning', text: string): void {
    if (this.messages >= maxMessages || this.isRepeated(element, 'say', text)) return
    this.messages++
    this.findings[severity]('xacro-message', element, `<${element.name}>`, `the file says: ${shorten(text)}`, '')
  }

  /** Ends the expansion. @throws RobotError */
  stop(element: XmlElement, label: string, message: string, remedy: string): never {
    this.findings.error('xacro-limit', element, label, message + this.trace(element), remedy)
    throw new RobotError(this.findings.list)
  }

  private isRepeated({ file, line }: Place, label: string, message: string): boolean {
    const key = `${file}:${line} ${label} ${message}`
    if (this.seen.has(key)) return true
    this.seen.add(key)
    return false
  }

  /** The calls that led to an element in a macro's body, the innermost first. */
  private trace(element: XmlElement): string {
    const calls = this.calls.filter((call) => call.element !== element).slice(-3)
    if (calls.length === 0) return ''
    const steps = calls.reverse().map((call) => `${quote(call.name)}, called at ${placeOf(call.element)}`)
    return ` (In macro ${steps.join(', in ')}.)`
  }
}

/** `leg.xacro:12`. */
export function placeOf({ file, line }: Place): string {
  return `${file.slice(file.lastIndexOf('/') + 1)}:${line}`
}

/** `<origin> xyz="${a} 0 0"`, as messages call an attribute. */
export function labelOf(element: XmlElement, attribute: string): string {
  const value = element.attributes[attribute]
  return value === undefined ? `<${element.name}>` : `<${element.name}> ${attribute}="${shorten(value)}"`
}

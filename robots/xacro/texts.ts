import { quote, shorten } from '../elements/index.ts'
import { folderOf, join, normalizePath } from '../files/resolve.ts'
import type { XmlElement } from '../xml.ts'
import { type CommandHost, isSecret, runCommand, secretRemedy } from './commands.ts'
import { Budget } from './expression/budget.ts'
import { furtherNames, globalNames } from './expression/builtins.ts'
import { evaluate } from './expression/evaluate.ts'
import { conditionValue } from './expression/literals.ts'
import { toFloat } from './expression/numbers.ts'
import { type Node, parseExpression } from './expression/parse.ts'
import { asNumber, toText, type Value } from './expression/values.ts'
import { AlreadyReported, ExpressionError, LimitError } from './failures.ts'
import { type Library, whyMissing } from './library.ts'
import { labelOf, placeOf, type Report } from './report.ts'
import { type Globals, Scope } from './scope.ts'
import { type Piece, splitSubstitutions } from './substitution.ts'
import { xacroNames } from './xacroModule.ts'
import { readYaml } from './yaml.ts'

const mostVariables = 20
const variableLabel = (name: string) => `$(env ${shorten(name)})`

/** Most texts whose parts are kept. */
const maxRemembered = 20_000

/** Evaluates the texts of a file and of those that it includes: attributes, character data, properties. */
export class Texts implements CommandHost {
  readonly budget = new Budget()
  /** The current file, behind those that include it. */
  readonly files: string[]
  /** The scope of the file, with predefined names. */
  readonly top: Scope
  /** The arguments declared so far. */
  readonly declared = new Map<string, string>()
  /** Those that the user gives. */
  readonly given: ReadonlyMap<string, string>
  private readonly asked = new Set<string>()
  /** The variables of the environment that were read, and where first. */
  private readonly variables = new Map<string, XmlElement>()
  private readonly environment: Readonly<Record<string, string | undefined>>
  private readonly documents: Library
  private readonly report: Report
  private readonly globals: Globals
  private readonly yaml = new Map<string, Value>()
  private readonly pieces = new Map<string, readonly Piece[]>()
  private readonly nodes = new Map<string, Node>()
  /** The element of the current text. */
  private at: XmlElement

  constructor(
    root: XmlElement,
    library: Library,
    report: Report,
    options: {
      readonly file: string
      readonly xacroArgs?: Readonly<Record<string, string>>
      readonly environment?: Readonly<Record<string, string | undefined>>
    },
  ) {
    this.at = root
    this.documents = library
    this.report = report
    this.files = [options.file]
    this.given = new Map(Object.entries(options.xacroArgs ?? {}))
    this.environment = options.environment ?? {}
    const own = xacroNames({
      loadYaml: (reference) => this.loadYaml(reference),
      absolutePath: (reference) =>
        reference.startsWith('/') ? reference : normalizePath(join(folderOf(this.files.at(-1)!), reference)),
      argument: (name) => runCommand(`arg ${name}`, this.top, this),
      say: (severity, message) => report.say(this.at, severity, message),
    })
    this.globals = { known: new Map([...globalNames, ...own]), further: furtherNames }
    this.top = new Scope('top', {
      globals: this.globals,
      evaluateProperty: (text, scope, element) => this.propertyValue(text, scope, element),
    })
  }

  /** Arguments given by the user but used by no file. */
  unusedArguments(): readonly string[] {
    return [...this.given.keys()].filter((name) => !this.declared.has(name) && !this.asked.has(name))
  }

  // Evaluation with reports: undefined where it failed

  /** An attribute as text. */
  attribute(element: XmlElement, name: string, scope: Scope): string | undefined {
    const text = element.attributes[name]
    return this.attempt(element, labelOf(element, name), () => this.textOf(text ?? '', scope))
  }

  /** An attribute as the value of its text. */
  attributeValue(element: XmlElement, name: string, scope: Scope): Value | undefined {
    const text = element.attributes[name]
    return this.attempt(element, labelOf(element, name), () => this.valueOf(text ?? '', scope))
  }

  /** An attribute as a condition. */
  condition(element: XmlElement, name: string, scope: Scope, otherwise?: boolean): boolean | undefined {
    const text = element.attributes[name]
    if (text === undefined && otherwise !== undefined) return otherwise
    return this.attempt(element, labelOf(element, name), () => conditionValue(this.valueOf(text ?? '', scope)))
  }

  /** The result of `compute`. @throws RobotError beyond a limit */
  attempt<T>(element: XmlElement, label: string, compute: () => T): T | undefined {
    this.at = element
    try {
      return compute()
    } catch (error) {
      this.budget.depth = 0
      if (error instanceof AlreadyReported) return undefined
      if (error instanceof LimitError) {
        this.report.stop(this.at, this.at === element ? label : `<${this.at.name}>`, error.message, error.remedy)
      }
      if (!(error instanceof ExpressionError)) throw error
      this.report.failure(error, element, label)
      return undefined
    }
  }

  // Evaluation that throws

  textOf(text: string, scope: Scope): string {
    return toText(this.valueOf(text, scope), this.budget)
  }

  /** The value of a text: of a single substitution its value, else text. */
  valueOf(text: string, scope: Scope): Value {
    if (!text.includes('$')) return text
    this.budget.text(text.length)
    const pieces = remembered(this.pieces, text, splitSubstitutions)
    if (pieces.length === 1) return this.pieceValue(pieces[0], scope)
    let joined = ''
    for (const piece of pieces) {
      const part = toText(this.pieceValue(piece, scope), this.budget)
      // file://$(find name) of a missing package
      if (part.startsWith('package://') && joined.endsWith('file://')) joined = joined.slice(0, -'file://'.length)
      joined += part
    }
    this.budget.text(joined.length)
    return joined
  }

  private pieceValue({ kind, source }: Piece, scope: Scope): Value {
    if (kind === 'text') return source
    const inner = source.includes('$') ? this.nestedText(source, scope) : source
    if (kind === 'command') return runCommand(inner, scope, this)
    return evaluate(remembered(this.nodes, inner, parseExpression), scope, this.budget)
  }

  /** Substitutions inside of one. */
  private nestedText(text: string, scope: Scope): string {
    this.budget.enter()
    const inner = this.textOf(text, scope)
    this.budget.leave()
    return inner
  }

  /** A property's value at its first use; its errors are reported at its definition, once. */
  private propertyValue(text: string, scope: Scope, element: XmlElement): Value {
    const user = this.at
    this.at = element
    this.budget.enter()
    let value: Value
    try {
      value = this.valueOf(text, scope)
    } catch (error) {
      if (!(error instanceof ExpressionError) || error instanceof LimitError) throw error
      const used = user === element ? '' : ` It is used at ${placeOf(user)}.`
      this.report.failure(error, element, labelOf(element, element.attributes.value === undefined ? 'default' : 'value'), used)
      throw new AlreadyReported()
    }
    this.budget.leave()
    this.at = user
    return value
  }

  // Services for expressions and commands

  get file(): string {
    return this.at.file
  }

  argument(name: string): string | undefined {
    this.asked.add(name)
    return this.declared.get(name) ?? this.given.get(name)
  }

  *argumentNames(): Iterable<string> {
    yield* this.declared.keys()
    yield* this.given.keys()
  }

  environmentVariable(name: string): string | undefined {
    if (!this.variables.has(name)) this.variables.set(name, this.at)
    return Object.hasOwn(this.environment, name) ? this.environment[name] : undefined
  }

  /** Reports the variables of the environment that were read, by name: the robot depends on them. */
  reportVariables(): void {
    const unset: string[] = []
    for (const [name, at] of this.variables) {
      if (Object.hasOwn(this.environment, name) && this.environment[name] !== undefined) {
        const message = 'this variable of the environment is part of the robot.'
        this.report.warning(
          at,
          variableLabel(name),
          'xacro-environment',
          message,
          'Results may hold it; results elsewhere may differ.',
        )
      } else if (isSecret(name)) {
        const message = 'a variable of the environment that is named like a secret is not read.'
        this.report.warning(at, variableLabel(name), 'xacro-secret', message, secretRemedy)
      } else unset.push(name)
    }
    if (unset.length === 0) return
    const message = `variables of the environment that are not set: ${unset.slice(0, mostVariables).join(', ')}${unset.length > mostVariables ? ', ...' : ''}.`
    const [first] = this.variables.values()
    this.report.info(first, '$(optenv)', 'xacro-environment', message, 'Their defaults are used.')
  }

  findPackage(name: string): string {
    const folder = this.documents.packageFolder(name, this.files.at(-1)!) ?? this.documents.packageFolder(name, this.file)
    return folder ?? `package://${name}`
  }

  private loadYaml(reference: string): Value {
    const from = [this.files.at(-1)!, this.file]
    const found = this.documents.find(reference, from)
    if (!found) {
      const { message, remedy } = whyMissing(reference, from[0], this.documents)
      throw new ExpressionError(message, remedy)
    }
    let value = this.yaml.get(found.path)
    if (value === undefined) {
      try {
        value = readYaml(this.documents.text(found.path), (text) => this.unitValue(text), this.budget)
      } catch (error) {
        if (!(error instanceof ExpressionError)) throw error
        const message = `"${found.path}": ${error.message}`
        throw error instanceof LimitError ? new LimitError(message, error.remedy) : new ExpressionError(message, error.remedy)
      }
      this.yaml.set(found.path, value)
    }
    return value
  }

  private unitValue(text: string): number {
    const names = { lookup: (name: string) => this.globals.known.get(name), names: () => this.globals.known.keys() }
    const value = asNumber(evaluate(parseExpression(text), names, this.budget))
    if (value === undefined) throw new ExpressionError(`${quote(text)} behind a unit is no number.`)
    return toFloat(value)
  }
}

/** A result kept by its text; the texts of a macro return with every call. */
function remembered<T>(known: Map<string, T>, text: string, compute: (text: string) => T): T {
  let value = known.get(text)
  if (value === undefined) {
    value = compute(text)
    if (known.size >= maxRemembered) known.clear()
    known.set(text, value)
  }
  return value
}

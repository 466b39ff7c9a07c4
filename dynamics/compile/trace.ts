import { type Node, parse } from 'acorn'
import { Expression, Graph, type Scalar } from './graph.ts'

/**
 * Runs the algorithms as they are written, once, with expressions in place of the numbers that a state changes.
 *
 * An algorithm's text is what its function says of itself (`toString`), so that there is no second form of it to keep. Arrays in
 * `memory` are symbolic: each element is what was last written to it, or a load. All others, and all control flow, are the model's
 * and known. Where a known condition is lacking both branches run, and a select joins them; a branch that throws, or calls a function
 * of `refused`, becomes a guard, at whose failure the readable code runs in place of the emitted.
 */

/** What an algorithm uses of its module: its functions and constants by name. Bundlers rename in both alike. */
export type Parts = () => Readonly<Record<string, unknown>>

/** A construct of the source that the tracer has no meaning for. */
export class TraceError extends Error {
  override readonly name = 'TraceError'
}

interface Syntax extends Node {
  // biome-ignore lint/suspicious/noExplicitAny: the nodes of a parser, told apart by `type`
  readonly [property: string]: any
}
type Value = unknown
type Names = Map<string, Value>
/** A lexical scope: the innermost map first. */
type Scope = readonly Names[]
type TypedArray = Float64Array | Int32Array | Uint8Array | Int8Array

const BREAK = { is: 'break' }
const CONTINUE = { is: 'continue' }
const THROWN = { is: 'throw' }
/** Thrown by `?.` of what is not there. */
const ABSENT = { is: 'absent' }
class Returned {
  readonly value: Value
  constructor(value: Value) {
    this.value = value
  }
}
type Completion = undefined | typeof BREAK | Returned

export interface Traced {
  readonly graph: Graph
  /** Final values by address, of elements that were written. */
  readonly stores: ReadonlyMap<number, Scalar>
  /** Conditions that must hold. */
  readonly guards: readonly Expression[]
  /** Multiply-adds that the algorithms count. */
  readonly work: number
}

export interface TraceOptions {
  /** Buffer whose arrays are symbolic, and those of them that are constant. */
  readonly memory: ArrayBufferLike
  readonly constants: readonly Float64Array[]
  /** Those that others refer to come before them. */
  readonly parts: readonly Parts[]
  /** Functions without effect on results; and those whose call is a guard. */
  readonly ignored: ReadonlySet<unknown>
  readonly refused: ReadonlySet<unknown>
  /** Function whose arguments' product is summed as work. */
  readonly counted: unknown
}

export class Tracer {
  private readonly options: TraceOptions
  /** Names that a function refers to. */
  private readonly scopes = new Map<unknown, Scope>()
  private graph = new Graph()
  private work = 0
  private guards: Expression[] = []
  /** Conditions of the branches that are being run. */
  private path: Expression[] = []
  /** Elements written, by buffer and address; and which of `memory` in the present trace. */
  private readonly cells = new Map<ArrayBufferLike, Map<number, Value>>()
  private written = new Set<number>()
  private readonly constant = new Set<number>()
  /** Old values of what a branch writes. */
  private journal: [Map<unknown, Value>, unknown, Value][] | undefined

  constructor(options: TraceOptions) {
    this.options = options
    for (const parts of options.parts) this.read(parts)
    for (const array of options.constants) for (let k = 0; k < array.length; k++) this.constant.add(array.byteOffset + 8 * k)
  }

  /** Runs one function, after those that have run in this trace. */
  run(algorithm: unknown, args: readonly unknown[]): void {
    try {
      this.call(algorithm, args)
    } catch (error) {
      if (error !== THROWN) throw error
    }
  }

  /** Ends a trace: what it computes. The next one sees the constants that it leaves in memory; all else are loads again. */
  finish(): Traced {
    const { memory } = this.options
    const cells = this.cellsOf(memory)
    const stores = new Map<number, Scalar>()
    for (const address of this.written) stores.set(address, cells.get(address) as Scalar)
    for (const [address, value] of cells) if (value instanceof Expression) cells.delete(address)
    this.cells.clear()
    this.cells.set(memory, cells)
    const traced = { graph: this.graph, stores, guards: this.guards, work: this.work }
    this.graph = new Graph()
    this.work = 0
    this.guards = []
    this.written = new Set()
    return traced
  }

  // Sources

  private read(parts: Parts): void {
    const values = parts()
    const names: Names = new Map()
    const scope: Scope = [names]
    const body = syntaxOf(parts)
    const record = (body.body.type === 'ObjectExpression' ? body.body : body.body.body[0].argument) as Syntax
    for (const { key, value } of record.properties) {
      const at = values[key.name]
      names.set(printed(value), at)
      for (const one of functionsIn(at)) if (!this.scopes.has(one)) this.scopes.set(one, scope)
    }
  }

  private call(what: unknown, args: readonly unknown[]): Value {
    const { ignored, refused, counted } = this.options
    if (ignored.has(what)) return undefined
    if (what === counted) {
      this.work += (args as number[]).reduce((a, b) => a * b)
      return undefined
    }
    if (refused.has(what)) return this.refuse()
    const outer = this.scopes.get(what)
    if (outer === undefined) throw new TraceError(`no source of ${(what as { name?: string })?.name ?? String(what)}`)
    const names: Names = new Map()
    const { params, body } = syntaxOf(what as object)
    for (const [k, parameter] of (params as Syntax[]).entries()) this.bind(parameter, args[k], names)
    const scope = [names, ...outer]
    if (body.type !== 'BlockStatement') return this.evaluate(body, scope)
    const completion = this.execute(body, scope)
    return completion instanceof Returned ? completion.value : undefined
  }

  /** The present path must not be taken. */
  private refuse(): never {
    const { graph, path } = this
    const never = graph.compare('lt', 0, 0)
    this.guards.push(path.length === 0 ? never : graph.not(path.reduce((a, b) => graph.node('and', [a, b]))))
    throw THROWN
  }

  // Statements

  private execute(statement: Syntax, scope: Scope): Completion {
    switch (statement.type) {
      case 'BlockStatement': {
        const inner = [new Map(), ...scope]
        for (const one of statement.body) {
          const completion = this.execute(one, inner)
          if (completion !== undefined) return completion
        }
        return undefined
      }
      case 'ExpressionStatement':
        this.evaluate(statement.expression, scope)
        return undefined
      case 'VariableDeclaration':
        for (const { id, init } of statement.declarations)
          this.bind(id, init === null ? undefined : this.evaluate(init, scope), scope[0])
        return undefined
      case 'IfStatement':
        return this.runIf(statement, scope)
      case 'ForStatement':
        return this.runFor(statement, scope)
      case 'WhileStatement':
        return this.runFor({ ...statement, init: null, update: null } as Syntax, scope)
      case 'BreakStatement':
        return BREAK
      case 'ContinueStatement':
        return CONTINUE
      case 'ReturnStatement':
        return new Returned(statement.argument === null ? undefined : this.evaluate(statement.argument, scope))
      case 'ThrowStatement':
        return this.refuse()
      case 'EmptyStatement':
        return undefined
    }
    throw new TraceError(`statement ${statement.type}`)
  }

  private runFor({ init, test, update, body }: Syntax, outer: Scope): Completion {
    const scope = [new Map(), ...outer]
    if (init !== null) {
      if (init.type === 'VariableDeclaration') this.execute(init, scope)
      else this.evaluate(init, scope)
    }
    while (test === null || this.goesOn(this.evaluate(test, scope))) {
      const completion = this.execute(body, scope)
      if (completion === BREAK) break
      if (completion instanceof Returned) return completion
      if (update !== null) this.evaluate(update, scope)
    }
    return undefined
  }

  private runIf({ test, consequent, alternate }: Syntax, scope: Scope): Completion {
    const condition = this.evaluate(test, scope)
    if (!(condition instanceof Expression)) {
      if (condition) return this.execute(consequent, scope)
      return alternate === null ? undefined : this.execute(alternate, scope)
    }
    this.either(
      condition,
      () => this.mustNotEnd(this.execute(consequent, scope)),
      () => alternate !== null && this.mustNotEnd(this.execute(alternate, scope)),
    )
    return undefined
  }

  private mustNotEnd(completion: Completion): void {
    if (completion !== undefined) throw new TraceError('a branch on a number of the state leaves its loop or function')
  }

  /** Runs both, and joins what they have written. */
  private either(condition: Expression, then: () => void, otherwise: () => void): void {
    const { graph } = this
    const a = this.branch(condition, then)
    const b = this.branch(graph.not(condition), otherwise)
    if (a === undefined || b === undefined) {
      for (const [map, key, value] of (a ?? b)?.values() ?? []) this.write(map, key, value)
      return
    }
    for (const [place, [map, key, value]] of a) {
      const other = b.get(place)
      this.write(map, key, this.joined(condition, value, other === undefined ? map.get(key) : other[2]))
    }
    for (const [place, [map, key, value]] of b)
      if (!a.has(place)) this.write(map, key, this.joined(condition, map.get(key), value))
  }

  private joined(condition: Expression, a: Value, b: Value): Value {
    if (a === b) return a
    return this.graph.select(condition, a as Scalar, b as Scalar)
  }

  /** What a branch writes, each place with its last value, undone again; undefined if it must not be taken. */
  private branch(condition: Expression, run: () => void): Map<string, [Map<unknown, Value>, unknown, Value]> | undefined {
    const outer = this.journal
    const journal: [Map<unknown, Value>, unknown, Value][] = []
    this.journal = journal
    this.path.push(condition)
    let isRefused = false
    try {
      run()
    } catch (error) {
      if (error !== THROWN) throw error
      isRefused = true
    }
    this.path.pop()
    this.journal = outer
    const places = new Map<string, [Map<unknown, Value>, unknown, Value]>()
    for (const [map, key] of journal) places.set(`${numberOf(map)} ${String(key)}`, [map, key, map.get(key)])
    for (const [map, key, old] of journal.reverse()) map.set(key, old)
    return isRefused ? undefined : places
  }

  private write(map: Map<unknown, Value>, key: unknown, value: Value): void {
    this.journal?.push([map, key, map.get(key)])
    map.set(key, value)
  }

  // Expressions

  private evaluate(e: Syntax, scope: Scope): Value {
    switch (e.type) {
      case 'Literal':
        return e.value
      case 'TemplateLiteral':
        return e.quasis[0].value.cooked // names in messages
      case 'Identifier':
        return this.lookUp(e.name, scope)
      case 'SequenceExpression':
        return e.expressions.reduce((_: Value, one: Syntax) => this.evaluate(one, scope), undefined)
      case 'BinaryExpression':
        return this.binary(e.operator, this.evaluate(e.left, scope), this.evaluate(e.right, scope))
      case 'LogicalExpression':
        return this.logical(e, scope)
      case 'UnaryExpression':
        return this.unary(e.operator, this.evaluate(e.argument, scope))
      case 'ConditionalExpression':
        return this.conditional(e, scope)
      case 'MemberExpression':
        return this.member(e, scope)
      case 'ChainExpression':
        try {
          return this.evaluate(e.expression, scope)
        } catch (error) {
          if (error !== ABSENT) throw error
          return undefined
        }
      case 'AssignmentExpression':
        return this.assignment(e, scope)
      case 'UpdateExpression': {
        const old = this.evaluate(e.argument, scope)
        const next = this.binary(e.operator[0], old, 1)
        this.assign(e.argument, next, scope)
        return e.prefix ? next : old
      }
      case 'CallExpression':
        return this.callExpression(e, scope)
      case 'NewExpression': {
        const args = e.arguments.map((one: Syntax) => this.evaluate(one, scope))
        if (e.callee.name === 'Int32Array') return new Int32Array(args[0])
        if (e.callee.name === 'Float64Array') return new Float64Array(args[0])
      }
    }
    throw new TraceError(`expression ${e.type}`)
  }

  private lookUp(name: string, scope: Scope): Value {
    for (const names of scope) if (names.has(name)) return names.get(name)
    if (name === 'undefined') return undefined
    if (name === 'Infinity' || name === 'NaN') return Number(name)
    throw new TraceError(`the name "${name}"`)
  }

  private binary(operator: string, a: Value, b: Value): Value {
    const { graph } = this
    const isKnown = !(a instanceof Expression) && !(b instanceof Expression)
    if (isKnown && operator in known) return known[operator](a as number, b as number)
    if (!isKnown && operator in symbolic) return symbolic[operator](graph, a as Scalar, b as Scalar)
    // of an integer: its rest by 4
    if (operator === '&' && b === 3) {
      const x = a as Expression
      return graph.sub(x, graph.mul(4, graph.unary('floor', graph.mul(x, 0.25))))
    }
    throw new TraceError(`operator ${operator}`)
  }

  private logical({ operator, left, right }: Syntax, scope: Scope): Value {
    const a = this.evaluate(left, scope)
    if (!(a instanceof Expression)) {
      if (operator === '??' ? a !== null && a !== undefined : Boolean(a) === (operator === '||')) return a
      return this.evaluate(right, scope)
    }
    // minified code has it for an if: what the right side writes is joined
    let b: Value
    const run = () => {
      b = this.evaluate(right, scope)
    }
    if (operator === '&&') this.either(a, run, () => undefined)
    else this.either(a, () => undefined, run)
    if (typeof b === 'boolean') return b === (operator === '&&') ? a : b
    return b instanceof Expression ? this.graph.node(operator === '&&' ? 'and' : 'or', [a, b]) : undefined
  }

  private unary(operator: string, a: Value): Value {
    if (operator === 'void') return undefined
    if (a instanceof Expression) {
      if (operator === '-') return this.graph.neg(a)
      if (operator === '+') return a
      if (operator === '!') return this.graph.not(a)
    } else if (operator === '-') return -(a as number)
    else if (operator === '+') return Number(a)
    else if (operator === '!') return !a
    throw new TraceError(`unary ${operator}`)
  }

  private conditional({ test, consequent, alternate }: Syntax, scope: Scope): Value {
    const condition = this.evaluate(test, scope)
    if (!(condition instanceof Expression)) return this.evaluate(condition ? consequent : alternate, scope)
    const results: Names = new Map()
    this.either(
      condition,
      () => this.write(results as Map<unknown, Value>, 'value', this.evaluate(consequent, scope)),
      () => this.write(results as Map<unknown, Value>, 'value', this.evaluate(alternate, scope)),
    )
    return results.get('value')
  }

  private member(e: Syntax, scope: Scope): Value {
    // modules under test: imports are properties of a module object
    const text = e.object.type === 'Identifier' && !e.computed ? `${e.object.name}.${e.property.name}` : ''
    for (const names of scope) if (names.has(text)) return names.get(text)
    const object = this.evaluate(e.object, scope)
    if (e.optional && (object === undefined || object === null)) throw ABSENT
    const key = e.computed ? this.evaluate(e.property, scope) : e.property.name
    return isTyped(object) && typeof key === 'number'
      ? this.element(object, key)
      : (object as Record<string, Value>)[key as string]
  }

  private element(array: TypedArray, index: number): Value {
    const address = array.byteOffset + array.BYTES_PER_ELEMENT * index
    if (index < 0 || index >= array.length) throw new TraceError(`element ${index} of ${array.length}`)
    const cells = this.cellsOf(array.buffer)
    if (cells.has(address)) return cells.get(address)
    return array.buffer === this.options.memory && !this.constant.has(address) ? this.graph.load(address) : array[index]
  }

  private setElement(array: TypedArray, index: number, value: Value): void {
    const address = array.byteOffset + array.BYTES_PER_ELEMENT * index
    if (index < 0 || index >= array.length) throw new TraceError(`element ${index} of ${array.length}`)
    if (array.buffer === this.options.memory) this.written.add(address)
    const cells = this.cellsOf(array.buffer) as Map<unknown, Value>
    if (this.journal !== undefined && !cells.has(address)) cells.set(address, this.element(array, index))
    this.write(cells, address, value)
  }

  private cellsOf(buffer: ArrayBufferLike): Map<number, Value> {
    let cells = this.cells.get(buffer)
    if (cells === undefined) this.cells.set(buffer, (cells = new Map()))
    return cells
  }

  private assignment({ operator, left, right }: Syntax, scope: Scope): Value {
    const b = this.evaluate(right, scope)
    const value = operator === '=' ? b : this.binary(operator.slice(0, -1), this.evaluate(left, scope), b)
    this.assign(left, value, scope)
    return value
  }

  private assign(target: Syntax, value: Value, scope: Scope): void {
    if (target.type === 'Identifier') {
      const names = scope.find((one) => one.has(target.name))
      if (names === undefined) throw new TraceError(`the name "${target.name}"`)
      this.write(names as Map<unknown, Value>, target.name, value)
      return
    }
    const array = target.type === 'MemberExpression' && this.evaluate(target.object, scope)
    if (!isTyped(array)) throw new TraceError(`assignment to ${target.type}`)
    this.setElement(array, this.evaluate(target.property, scope) as number, value)
  }

  private callExpression({ callee, arguments: given }: Syntax, scope: Scope): Value {
    const called = callee.type === 'SequenceExpression' ? callee.expressions.at(-1) : callee
    const args = () => given.map((one: Syntax) => this.evaluate(one, scope))
    if (called.type === 'MemberExpression' && !called.computed) {
      const name = called.property.name
      if (called.object.name === 'Math') return this.math(name, args())
      const object = scope.some((names) => names.has(printed(called))) ? undefined : this.evaluate(called.object, scope)
      if (called.optional && (object === undefined || object === null)) throw ABSENT
      if (isTyped(object)) return this.arrayMethod(object, name, args())
    }
    return this.call(this.evaluate(called, scope), args())
  }

  private math(name: string, args: readonly Value[]): Value {
    if (args.every((one) => typeof one === 'number')) return (Math[name as 'max'] as (...x: number[]) => number)(...args)
    if (name === 'abs' || name === 'sqrt' || name === 'floor') return this.graph.unary(name, args[0] as Scalar)
    throw new TraceError(`Math.${name}`)
  }

  private arrayMethod(array: TypedArray, name: string, args: readonly Value[]): Value {
    if (name === 'subarray') return array.subarray(args[0] as number, args[1] as number)
    if (name === 'fill') for (let k = 0; k < array.length; k++) this.setElement(array, k, args[0])
    else if (name === 'set') {
      const from = args[0] as TypedArray
      for (let k = 0; k < from.length; k++) this.setElement(array, k + ((args[1] as number) ?? 0), this.element(from, k))
    } else throw new TraceError(`method ${name} of an array`)
    return undefined
  }

  private bind(pattern: Syntax, value: Value, names: Names): void {
    if (pattern.type === 'Identifier') names.set(pattern.name, value)
    else if (pattern.type === 'ObjectPattern')
      for (const { key, value: inner } of pattern.properties) this.bind(inner, (value as Record<string, Value>)[key.name], names)
    else throw new TraceError(`pattern ${pattern.type}`)
  }

  private goesOn(condition: Value): boolean {
    if (condition instanceof Expression) throw new TraceError('a loop that ends by a number of the state')
    return Boolean(condition)
  }
}

const isTyped = (x: unknown): x is TypedArray => ArrayBuffer.isView(x)

/** Operators on numbers that are known. */
const known: Readonly<Record<string, (a: number, b: number) => Value>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '===': (a, b) => a === b,
  '!==': (a, b) => a !== b,
  '&': (a, b) => a & b,
  '>>': (a, b) => a >> b,
}

/** Operators on numbers of the state. */
const symbolic: Readonly<Record<string, (graph: Graph, a: Scalar, b: Scalar) => Scalar>> = {
  '+': (graph, a, b) => graph.add(a, b),
  '-': (graph, a, b) => graph.sub(a, b),
  '*': (graph, a, b) => graph.mul(a, b),
  '/': (graph, a, b) => graph.div(a, b),
  '<': (graph, a, b) => graph.compare('lt', a, b),
  '<=': (graph, a, b) => graph.compare('le', a, b),
  '>': (graph, a, b) => graph.compare('lt', b, a),
  '>=': (graph, a, b) => graph.compare('le', b, a),
  '===': (graph, a, b) => graph.compare('eq', a, b),
  '!==': (graph, a, b) => graph.not(graph.compare('eq', a, b)),
}

/** Functions of a part: itself, or those in a table of objects. */
function functionsIn(part: unknown): unknown[] {
  if (typeof part === 'function') return [part]
  if (!Array.isArray(part)) return []
  return part.flatMap((row) => Object.values(row).filter((one) => typeof one === 'function'))
}

const syntaxes = new WeakMap<object, Syntax>()
function syntaxOf(of: object): Syntax {
  let syntax = syntaxes.get(of)
  if (syntax === undefined) {
    syntax = parsed(of)
    syntaxes.set(of, syntax)
  }
  return syntax
}

/** A function's syntax, from its text; methods' texts are parts of an object's. */
function parsed(of: object): Syntax {
  const text = Function.prototype.toString.call(of)
  for (const candidate of [`(${text})`, `({${text}})`]) {
    try {
      const program = parse(candidate, { ecmaVersion: 2023 }) as Syntax
      const { expression } = program.body[0]
      return expression.type === 'ObjectExpression' ? expression.properties[0].value : expression
    } catch {}
  }
  throw new TraceError(`the text of a function: ${text.slice(0, 40)}`)
}

/** A name, or a property of a module. */
const printed = (e: Syntax): string =>
  e.type === 'MemberExpression' ? `${printed(e.object)}.${e.property.name}` : (e.name ?? '')

const numbers = new WeakMap<object, number>()
let last = 0
/** A number of an object's own. */
function numberOf(of: object): number {
  let number = numbers.get(of)
  if (number === undefined) numbers.set(of, (number = ++last))
  return number
}

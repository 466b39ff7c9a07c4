/**
 * Numbers as people write them in files: `0.3`, `"10 cm"`, `"2*pi/3"`, `"0.2*sin(2*pi*t/5)"`.
 *
 * mathjs parses the text and its units. The parse is turned, once, into a short postfix program of our own, so
 * that sums, products, roots, sines and whole powers are the same to the last bit in every engine (`Math.sin` and `Math.pow` are not;
 * neither are `tan`, `exp`, `log` and the inverse functions, which are the engine's) and so that a program can
 * be sent to a worker, which then needs no parser. mathjs is loaded when the first text turns up and not before.
 */

import type { AccessorNode, MathNode } from 'mathjs'
import { cos, didYouMean, sin } from '../../dynamics/index.ts'
import * as is from '../../dynamics/math/arguments.ts'

/** A parsed expression: structured-cloneable, run by `evaluator`, or by `evaluatorOf` where it has more than two variables. */
export interface Program {
  readonly text: string
  /** Operation codes in postfix order; `constant` is followed by an index into `constants`, `variable` by that of the variable. */
  readonly ops: readonly number[]
  readonly constants: readonly number[]
  /** How many numbers the program holds at once. */
  readonly depth: number
  /** Whether the value changes with a variable. */
  readonly varies: boolean
  /** Exponents of mathjs' base units (mass, length, time, ...), angle left out; undefined where the text contains a variable. */
  readonly dimensions: readonly number[] | undefined
}

/** The units of a field. Plain numbers are always SI. */
export const kinds = {
  number: { unit: '', like: '' },
  fraction: { unit: '', like: '1 %' },
  length: { unit: 'm', like: '10 cm' },
  duration: { unit: 's', like: '5 s' },
  angle: { unit: 'rad', like: '30 deg' },
  speed: { unit: 'm/s', like: '0.3 m/s' },
  rate: { unit: 'Hz', like: '200 Hz' },
  slowness: { unit: 's/m', like: '0.1 s/m' },
  angularSpeed: { unit: 'rad/s', like: '90 deg/s' },
  stiffness: { unit: 'N/m', like: '50 kN/m' },
  damping: { unit: 'N s/m', like: '200 N s/m' },
  energy: { unit: 'J', like: '2 J' },
  mass: { unit: 'kg', like: '500 g' },
  density: { unit: 'kg/m^3', like: '700 kg/m^3' },
  acceleration: { unit: 'm/s^2', like: '9.81 m/s^2' },
  force: { unit: 'N', like: '20 N' },
  impulse: { unit: 'N s', like: '30 N s' },
} as const
export type Kind = keyof typeof kinds

export class ExpressionError extends Error {
  override name = 'ExpressionError'
}

/** Codes of a program; those of `operations` follow. */
const Op = { constant: 0, first: 1, second: 2, variable: 3, select: 4, operations: 5 } as const

type Operation = (a: number, b: number) => number

/** Operators by mathjs's names of them. */
const operators: Readonly<Record<string, Operation>> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  divide: (a, b) => a / b,
  pow: power,
  mod: (a, b) => a - b * Math.floor(a / b),
  smaller: (a, b) => (a < b ? 1 : 0),
  smallerEq: (a, b) => (a <= b ? 1 : 0),
  larger: (a, b) => (a > b ? 1 : 0),
  largerEq: (a, b) => (a >= b ? 1 : 0),
  equal: (a, b) => (a === b ? 1 : 0),
  unequal: (a, b) => (a !== b ? 1 : 0),
  and: (a, b) => (a !== 0 && b !== 0 ? 1 : 0),
  or: (a, b) => (a !== 0 || b !== 0 ? 1 : 0),
}

/** Functions that may be called, each with its arguments. */
const functions: Readonly<Record<string, Operation>> = {
  ...{ sin, cos, tan: Math.tan, asin: Math.asin, acos: Math.acos },
  atan: (x) => Math.atan2(x, 1),
  ...{ atan2: Math.atan2, sqrt: Math.sqrt, abs: Math.abs, exp: Math.exp, log: Math.log },
  ...{ min: Math.min, max: Math.max, floor: Math.floor, ceil: Math.ceil, sign: Math.sign, mod: operators.mod },
}

const signs: Readonly<Record<string, Operation>> = { unaryMinus: (x) => -x, not: (x) => (x === 0 ? 1 : 0) }

const operations: readonly Operation[] = [...Object.values(operators), ...Object.values(functions), ...Object.values(signs)]
const codeOf = (operation: Operation): number => Op.operations + operations.indexOf(operation)

const symbols: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E }
const longestText = 500
const mostListed = 60

type Mathjs = typeof import('mathjs')
let loading: Promise<Mathjs> | undefined
/** The parser and the units, or its matrices, loaded when the first text turns up. */
export function loadMathjs(): Promise<Mathjs> {
  // in one file: 0.2 s, where the thousand files of its module take 1.1 s
  // @ts-expect-error it has no types of its own
  loading ??= import('mathjs/lib/browser/math.js').then((module) => module.default as Mathjs)
  return loading
}

/** Variables are plain numbers in SI units: the time, a place on the ground, or other inputs of an expression. A name may have parts: `box.x`. */
export type Variables = readonly string[]

/**
 * Parses one expression. Units multiply (`10 cm` is 0.1); `%` behind a number is a hundredth.
 *
 * @throws ExpressionError that says which part is not understood
 */
export async function parseExpression(text: string, variables: Variables = []): Promise<Program> {
  is.check(text, is.text, 'expression')
  is.check(variables, is.listOf(is.text), 'variables of an expression')
  if (text.length > longestText) throw new ExpressionError(`is ${text.length} characters long; at most ${longestText} are read`)
  const mathjs = await loadMathjs()
  let tree: MathNode
  try {
    tree = mathjs.parse(text)
  } catch (error) {
    const remedy = text.startsWith('=')
      ? '; an expression begins with "=" in the options of a script alone'
      : text.split('(').length > text.split(')').length
        ? '; if a comma comes next, put the whole text in quotes: within { } of YAML a comma ends it'
        : ''
    throw new ExpressionError(`is no expression: ${(error as Error).message}${remedy}`)
  }
  return new Compiler(mathjs, text, variables).program(tree)
}

function isProgram(value: object): value is Program {
  const { ops, constants, text } = value as Partial<Program>
  return Array.isArray(ops) && Array.isArray(constants) && typeof text === 'string'
}

/** The value of an expression without variables, in SI units. */
export function constantOf(program: Program): number {
  return evaluator(program)(0)
}

/** Options as a controller gets them: an expression is a number, or a function of t [s] if it varies. */
export function materialize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(materialize)
  if (typeof value !== 'object' || value === null) return value
  if (isProgram(value)) return value.varies ? evaluator(value) : constantOf(value)
  return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, materialize(v)]))
}

/** Whether a constant's units fit a field; a plain number fits every field. */
export async function fits(program: Program, kind: Kind): Promise<boolean> {
  const { dimensions } = program
  if (!dimensions || dimensions.every((d) => d === 0)) return true
  const { unit } = kinds[kind]
  if (unit === '') return false
  const mathjs = await loadMathjs()
  const wanted = dimensionsOf(mathjs, mathjs.unit(1, unit))
  return dimensions.every((d, i) => d === wanted[i])
}

/** Exponents of the base units; a radian is a plain number to us, so angle counts as none. */
function dimensionsOf({ Unit }: Mathjs, unit: object): number[] {
  const { BASE_DIMENSIONS } = Unit as unknown as { BASE_DIMENSIONS: string[] }
  return (unit as { dimensions: number[] }).dimensions.map((d, i) => (BASE_DIMENSIONS[i] === 'ANGLE' ? 0 : d))
}

interface Value {
  readonly dimensions: readonly number[] | undefined
  readonly varies: boolean
}

class Compiler {
  private readonly mathjs: Mathjs
  private readonly text: string
  private readonly variables: Variables
  private readonly ops: number[] = []
  private readonly constants: number[] = []
  private height = 0
  private depth = 0

  constructor(mathjs: Mathjs, text: string, variables: Variables) {
    this.mathjs = mathjs
    this.text = text
    this.variables = variables
  }

  program(tree: MathNode): Program {
    const value = this.visit(tree)
    return { text: this.text, ops: this.ops, constants: this.constants, depth: this.depth, ...value }
  }

  private visit(node: MathNode): Value {
    const { mathjs } = this
    if (mathjs.isParenthesisNode(node)) return this.visit(node.content)
    if (mathjs.isConstantNode(node)) {
      if (typeof node.value !== 'number' || !Number.isFinite(node.value))
        throw new ExpressionError(`holds "${node.value}", which is no number`)
      return this.push(node.value, this.plain())
    }
    if (mathjs.isSymbolNode(node)) return this.symbol(node.name)
    if (mathjs.isAccessorNode(node)) return this.symbol(dotted(mathjs, node))
    if (mathjs.isConditionalNode(node)) {
      const parts = [this.visit(node.condition), this.visit(node.trueExpr), this.visit(node.falseExpr)]
      this.emit(Op.select, 3)
      this.agree('?:', parts[1], parts[2])
      return { dimensions: parts.some((p) => p.varies) ? undefined : parts[1].dimensions, varies: parts.some((p) => p.varies) }
    }
    if (mathjs.isFunctionNode(node)) return this.call(node.fn.name, node.args)
    if (mathjs.isOperatorNode(node)) return this.operator(node.fn as string, node.op as string, node.args)
    throw new ExpressionError(`uses a ${node.type.replace('Node', '').toLowerCase()}, which numbers here cannot hold`)
  }

  private plain(): number[] {
    return dimensionsOf(this.mathjs, this.mathjs.unit(1, 'rad'))
  }

  private symbol(name: string): Value {
    const variable = this.variables.indexOf(name)
    if (variable >= 0) {
      this.emit(variable === 0 ? Op.first : variable === 1 ? Op.second : Op.variable, 0)
      if (variable > 1) this.ops.push(variable)
      return { dimensions: undefined, varies: true }
    }
    if (name === 't' && this.variables.length === 0) throw new ExpressionError('changes with t, but this number must be constant')
    if (Object.hasOwn(symbols, name)) return this.push(symbols[name], this.plain())
    if (this.mathjs.Unit.isValuelessUnit(name)) {
      const unit = new this.mathjs.Unit(1, name)
      const offset = (unit as unknown as { units: { unit: { offset: number } }[] }).units.some((u) => u.unit.offset !== 0)
      if (offset) throw new ExpressionError(`uses the unit "${name}", whose zero is not at zero`)
      return this.push((unit as unknown as { value: number }).value, dimensionsOf(this.mathjs, unit))
    }
    const known = [...Object.keys(functions), ...Object.keys(symbols), ...this.variables]
    throw new ExpressionError(
      `holds "${name}", which is neither a unit nor one of ${known.slice(0, mostListed).join(', ')}${didYouMean(name, known)}`,
    )
  }

  private call(name: string, args: MathNode[]): Value {
    if (!Object.hasOwn(functions, name))
      throw new ExpressionError(`calls "${name}"; known are ${Object.keys(functions).join(', ')}`)
    const { length: arity } = functions[name]
    if (args.length !== arity) throw new ExpressionError(`calls ${name} with ${args.length} arguments; it takes ${arity}`)
    const values = args.map((arg) => this.visit(arg))
    this.emit(codeOf(functions[name]), arity)
    const varies = values.some((v) => v.varies)
    if (varies) return { dimensions: undefined, varies }
    if (name === 'abs') return values[0]
    if (arity === 2) this.agree(name, values[0], values[1])
    if (name === 'min' || name === 'max' || name === 'mod') return values[0]
    if (name === 'sqrt') return { dimensions: values[0].dimensions?.map((d) => d / 2), varies }
    if (arity === 1 && values[0].dimensions?.some((d) => d !== 0))
      throw new ExpressionError(`takes ${name} of something that has a unit`)
    return { dimensions: this.plain(), varies }
  }

  private operator(fn: string, sign: string, args: MathNode[]): Value {
    if (fn === 'unaryPlus' || Object.hasOwn(signs, fn)) {
      const value = this.visit(args[0])
      if (fn !== 'unaryPlus') this.emit(codeOf(signs[fn]), 1)
      return value
    }
    const name = fn === 'dotMultiply' ? 'multiply' : fn === 'dotDivide' ? 'divide' : fn
    if (!Object.hasOwn(operators, name) || args.length !== 2)
      throw new ExpressionError(`uses "${sign}", which numbers here cannot hold`)
    const left = this.visit(args[0])
    const right = this.visit(args[1])
    this.emit(codeOf(operators[name]), 2)
    const varies = left.varies || right.varies
    if (varies || !left.dimensions || !right.dimensions) return { dimensions: undefined, varies }
    const [a, b] = [left.dimensions, right.dimensions]
    if (name === 'multiply') return { dimensions: a.map((d, i) => d + b[i]), varies }
    if (name === 'divide') return { dimensions: a.map((d, i) => d - b[i]), varies }
    if (name === 'pow') return { dimensions: this.powerOf(a, args[1]), varies }
    this.agree(sign, left, right)
    return { dimensions: ['add', 'subtract', 'mod'].includes(name) ? a : this.plain(), varies }
  }

  private powerOf(dimensions: readonly number[], exponent: MathNode): number[] {
    if (dimensions.every((d) => d === 0)) return [...dimensions]
    const n = evaluator(new Compiler(this.mathjs, this.text, []).program(exponent))(0)
    return dimensions.map((d) => d * n)
  }

  private agree(what: string, a: Value, b: Value): void {
    if (a.dimensions && b.dimensions && a.dimensions.some((d, i) => d !== b.dimensions?.[i])) {
      throw new ExpressionError(`puts two different kinds of unit on the sides of "${what}"`)
    }
  }

  private push(value: number, dimensions: number[]): Value {
    this.ops.push(Op.constant, this.constants.length)
    this.constants.push(value)
    this.height++
    this.depth = Math.max(this.depth, this.height)
    return { dimensions, varies: false }
  }

  private emit(op: number, takes: number): void {
    this.ops.push(op)
    this.height += 1 - takes
    this.depth = Math.max(this.depth, this.height)
  }
}

/** The program as a function of its variables, at most two. Allocates its stack once. @unchecked */
export function evaluator(program: Program): (first: number, second?: number) => number {
  const run = evaluatorOf(program)
  const variables = new Float64Array(2)
  return (first, second = 0) => {
    variables[0] = first
    variables[1] = second
    return run(variables)
  }
}

/** The program as a function of the values of its variables. Allocates its stack once. */
export function evaluatorOf({ ops, constants, depth }: Program): (variables: Float64Array) => number {
  const code = Int32Array.from(ops)
  const numbers = Float64Array.from(constants)
  const stack = new Float64Array(Math.max(1, depth))
  return (variables) => {
    let top = -1
    for (let i = 0; i < code.length; i++) {
      const op = code[i]
      if (op === Op.constant) {
        stack[++top] = numbers[code[++i]]
      } else if (op === Op.first) {
        stack[++top] = variables[0]
      } else if (op === Op.second) {
        stack[++top] = variables[1]
      } else if (op === Op.variable) {
        stack[++top] = variables[code[++i]]
      } else if (op === Op.select) {
        top -= 2
        stack[top] = stack[top] !== 0 ? stack[top + 1] : stack[top + 2]
      } else {
        const operation = operations[op - Op.operations]
        if (operation.length === 2) top--
        stack[top] = operation(stack[top], stack[top + 1])
      }
    }
    return stack[0]
  }
}

/** Indices of the variables that a program holds, each once. */
export function variablesOf({ ops }: Program): number[] {
  const found = new Set<number>()
  for (let i = 0; i < ops.length; i++) {
    if (ops[i] === Op.constant) i++
    else if (ops[i] === Op.first) found.add(0)
    else if (ops[i] === Op.second) found.add(1)
    else if (ops[i] === Op.variable) found.add(ops[++i])
  }
  return [...found]
}

/** `a.b.c` as one name. */
function dotted(mathjs: Mathjs, { object, name }: AccessorNode): string {
  const parent = mathjs.isAccessorNode(object) ? dotted(mathjs, object) : mathjs.isSymbolNode(object) ? object.name : ''
  if (parent === '' || name === '') throw new ExpressionError('uses brackets or dots otherwise than in a name such as box.x')
  return `${parent}.${name}`
}

/** a^b by repeated multiplication for whole b, else exp(b log a): `Math.pow` has other last bits in other engines. */
function power(a: number, b: number): number {
  if (!Number.isInteger(b) || Math.abs(b) > 1024) return Math.exp(b * Math.log(a))
  let result = 1
  for (let base = a, n = Math.abs(b); n > 0; n = Math.floor(n / 2), base *= base) if (n % 2 === 1) result *= base
  return b < 0 ? 1 / result : result
}

/**
 * Values of expressions: Python's, as far as robot files use them. All are immutable, so that a value may be shared
 * freely.
 */

import { ExpressionError } from '../failures.ts'
import type { Budget } from './budget.ts'
import { floatRepr } from './numbers.ts'

export type Value = null | boolean | bigint | number | string | List | Tuple | Dict | Callable | Names

export class List {
  readonly items: readonly Value[]
  constructor(items: readonly Value[]) {
    this.items = items
  }
}

export class Tuple {
  readonly items: readonly Value[]
  constructor(items: readonly Value[]) {
    this.items = items
  }
}

/** Keys compare as in Python: 1, 1.0 and True are one key. Order is that of insertion. */
export class Dict {
  private readonly entries: ReadonlyMap<string, readonly [Value, Value]>

  constructor(entries: Iterable<readonly [Value, Value]>) {
    const map = new Map<string, readonly [Value, Value]>()
    for (const [key, value] of entries) {
      const id = keyOf(key)
      map.set(id, [map.get(id)?.[0] ?? key, value])
    }
    this.entries = map
  }

  get size(): number {
    return this.entries.size
  }

  get(key: Value): Value | undefined {
    return this.entries.get(keyOf(key))?.[1]
  }

  pairs(): readonly (readonly [Value, Value])[] {
    return [...this.entries.values()]
  }
}

export type Arguments = readonly Value[]
export type NamedArguments = ReadonlyMap<string, Value>

/** A function, or a type, which is a function that makes its values. */
export class Callable {
  readonly name: string
  readonly call: (args: Arguments, named: NamedArguments, budget: Budget) => Value
  constructor(name: string, call: (args: Arguments, named: NamedArguments, budget: Budget) => Value) {
    this.name = name
    this.call = call
  }
}

/** Names behind a dot: a module such as `math`, or the properties of an include with `ns`. */
export class Names {
  readonly name: string
  readonly get: (name: string) => Value | undefined
  readonly all: () => Iterable<string>
  constructor(name: string, get: (name: string) => Value | undefined, all: () => Iterable<string>) {
    this.name = name
    this.get = get
    this.all = all
  }
}

export function moduleOf(name: string, members: ReadonlyMap<string, Value>): Names {
  return new Names(
    name,
    (member) => members.get(member),
    () => members.keys(),
  )
}

/** Equal keys of a dict have equal texts. @throws ExpressionError for a value that cannot be a key */
function keyOf(value: Value): string {
  if (value === null) return 'None'
  switch (typeof value) {
    case 'string':
      return `s${value}`
    case 'boolean':
      return value ? 'n1' : 'n0'
    case 'bigint':
      return `n${value}`
    case 'number':
      return Number.isInteger(value) ? `n${BigInt(value)}` : `n${value}`
  }
  if (value instanceof Tuple) {
    const keys = value.items.map(keyOf)
    return `(${keys.map((key) => `${key.length}:${key}`).join('')})`
  }
  throw new ExpressionError(`a ${typeName(value)} cannot be the key of a dict.`)
}

/** The type's name in Python. */
export function typeName(value: Value): string {
  if (value === null) return 'NoneType'
  switch (typeof value) {
    case 'string':
      return 'str'
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int'
    case 'number':
      return 'float'
  }
  if (value instanceof List) return 'list'
  if (value instanceof Tuple) return 'tuple'
  if (value instanceof Dict) return 'dict'
  return value instanceof Callable ? 'function' : 'module'
}

export function isTrue(value: Value): boolean {
  if (value === null) return false
  switch (typeof value) {
    case 'string':
      return value !== ''
    case 'boolean':
      return value
    case 'bigint':
      return value !== 0n
    case 'number':
      return value !== 0
  }
  if (value instanceof List || value instanceof Tuple) return value.items.length > 0
  return value instanceof Dict ? value.size > 0 : true
}

/** The number of a value in arithmetic, in which True is 1; undefined for other values. */
export function asNumber(value: Value): bigint | number | undefined {
  if (typeof value === 'boolean') return value ? 1n : 0n
  return typeof value === 'bigint' || typeof value === 'number' ? value : undefined
}

/** Python's `==`. */
export function isEqual(a: Value, b: Value, budget: Budget): boolean {
  budget.step(1)
  const x = asNumber(a)
  const y = asNumber(b)
  if (x !== undefined && y !== undefined) return x <= y && x >= y
  if ((a instanceof List && b instanceof List) || (a instanceof Tuple && b instanceof Tuple)) {
    return a.items.length === b.items.length && a.items.every((item, k) => isEqual(item, b.items[k], budget))
  }
  if (a instanceof Dict && b instanceof Dict) {
    return (
      a.size === b.size &&
      a.pairs().every(([key, value]) => {
        const other = b.get(key)
        return other !== undefined && isEqual(value, other, budget)
      })
    )
  }
  return a === b
}

/** Negative, zero or positive as Python orders them; NaN where none holds. @throws ExpressionError without an order */
export function order(a: Value, b: Value, budget: Budget): number {
  budget.step(1)
  const x = asNumber(a)
  const y = asNumber(b)
  if (x !== undefined && y !== undefined) return x < y ? -1 : x > y ? 1 : x <= y ? 0 : Number.NaN
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0
  if ((a instanceof List && b instanceof List) || (a instanceof Tuple && b instanceof Tuple)) {
    const count = Math.min(a.items.length, b.items.length)
    for (let k = 0; k < count; k++) {
      if (!isEqual(a.items[k], b.items[k], budget)) return order(a.items[k], b.items[k], budget)
    }
    return a.items.length - b.items.length
  }
  throw new ExpressionError(`${described(a)} and ${described(b)} have no order.`)
}

/** The items of an iterable. @throws ExpressionError for other values */
export function itemsOf(value: Value): readonly Value[] {
  if (value instanceof List || value instanceof Tuple) return value.items
  if (value instanceof Dict) return value.pairs().map(([key]) => key)
  if (typeof value === 'string') return [...value]
  throw new ExpressionError(`${described(value)} has no items to go through.`)
}

/** Python's `str`. */
export function toText(value: Value, budget: Budget): string {
  return typeof value === 'string' ? value : toRepr(value, budget)
}

/** Python's `repr`. */
export function toRepr(value: Value, budget: Budget): string {
  const text = reprOf(value, budget)
  budget.text(text.length)
  return text
}

function reprOf(value: Value, budget: Budget): string {
  if (value === null) return 'None'
  switch (typeof value) {
    case 'string':
      return quote(value)
    case 'boolean':
      return value ? 'True' : 'False'
    case 'bigint':
      return value.toString()
    case 'number':
      return floatRepr(value)
  }
  const all = (items: readonly Value[]) => items.map((item) => toRepr(item, budget)).join(', ')
  if (value instanceof List) return `[${all(value.items)}]`
  if (value instanceof Tuple) return value.items.length === 1 ? `(${all(value.items)},)` : `(${all(value.items)})`
  if (value instanceof Dict) {
    return `{${value
      .pairs()
      .map(([key, item]) => `${toRepr(key, budget)}: ${toRepr(item, budget)}`)
      .join(', ')}}`
  }
  return value instanceof Callable ? `<function ${value.name}>` : `<module '${value.name}'>`
}

function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'"
  const inner = text.replace(/[\\\n\r\t]/g, (character) => escapes.get(character)!)
  return mark + (mark === "'" ? inner.replaceAll("'", "\\'") : inner) + mark
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

/** A value in a message: its type, and itself where it is short. */
export function described(value: Value): string {
  if (typeof value === 'string') return `the string ${quote(value.length > 40 ? `${value.slice(0, 40)}...` : value)}`
  if (typeof value === 'number') return floatRepr(value)
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (value === null) return 'None'
  if (typeof value === 'bigint') return String(value).slice(0, 40)
  if (value instanceof Callable) return `the function ${value.name}`
  return value instanceof Names ? `the module ${value.name}` : `a ${typeName(value)}`
}

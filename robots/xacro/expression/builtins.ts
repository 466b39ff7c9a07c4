/** Predefined functions and constants of expressions. */
import { cos, sin } from '../../../dynamics/index.ts'
import { ExpressionError } from '../failures.ts'
import type { Budget } from './budget.ts'
import { formatValue } from './format.ts'
import { readFloat, readInt, roundTo, roundToInt, toFloat } from './numbers.ts'
import { applyBinary, power } from './operators.ts'
import {
  type Arguments,
  asNumber,
  Callable,
  Dict,
  described,
  isTrue,
  itemsOf,
  List,
  moduleOf,
  type NamedArguments,
  order,
  Tuple,
  toRepr,
  toText,
  typeName,
  type Value,
} from './values.ts'

type Call = (args: Arguments, named: NamedArguments, budget: Budget) => Value

const noNames: NamedArguments = new Map()

function number(name: string, value: Value | undefined): bigint | number {
  const x = value === undefined ? undefined : asNumber(value)
  if (x !== undefined) return x
  if (value === undefined) throw new ExpressionError(`${name}() wants more arguments.`)
  throw new ExpressionError(
    `${name}() wants a number and gets ${described(value)}.`,
    typeof value === 'string' ? 'float(x) reads a number from text.' : '',
  )
}

function float(name: string, value: Value | undefined): number {
  return toFloat(number(name, value))
}

function int(name: string, value: Value | undefined): bigint {
  const x = number(name, value)
  if (typeof x !== 'bigint') throw new ExpressionError(`${name}() wants an integer and gets ${described(x)}.`)
  return x
}

// math

/** A function of floats: NaN is a domain error, infinity an overflow. */
function mathFunction(name: string, count: number, compute: (...x: number[]) => number): [string, Value] {
  return [
    name,
    new Callable(name, (args) => {
      if (args.length !== count) throw new ExpressionError(`${name}() wants ${count} arguments and gets ${args.length}.`)
      const x = args.map((arg) => float(name, arg))
      const result = compute(...x)
      if (x.every(Number.isFinite) && !Number.isFinite(result)) {
        throw new ExpressionError(`${name}(${args.map((arg) => described(arg)).join(', ')}) has no value that is a number.`)
      }
      return result
    }),
  ]
}

function toWhole(name: string, compute: (x: number) => number): [string, Value] {
  return [
    name,
    new Callable(name, (args) => {
      const x = number(name, args[0])
      if (typeof x === 'bigint') return x
      if (!Number.isFinite(x)) throw new ExpressionError(`${name}() of ${described(x)}.`)
      return BigInt(compute(x))
    }),
  ]
}

/** Functions that JavaScript has by the same name. */
const likeMath = [
  ...(['tan', 'asin', 'acos', 'atan', 'atan2', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh'] as const),
  ...(['sqrt', 'cbrt', 'exp', 'expm1', 'log1p', 'log2', 'log10'] as const),
]

const mathNames: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['pi', Math.PI],
  ['e', Math.E],
  ['tau', 2 * Math.PI],
  ['inf', Number.POSITIVE_INFINITY],
  ['nan', Number.NaN],
  ...likeMath.map((name) => mathFunction(name, Math[name].length, Math[name])),
  mathFunction('sin', 1, sin),
  mathFunction('cos', 1, cos),
  mathFunction('pow', 2, power),
  mathFunction('fabs', 1, Math.abs),
  mathFunction('fmod', 2, (x, y) => x % y),
  mathFunction('degrees', 1, (x) => x * (180 / Math.PI)),
  mathFunction('radians', 1, (x) => x * (Math.PI / 180)),
  mathFunction('copysign', 2, (x, y) => (y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x))),
  toWhole('floor', Math.floor),
  toWhole('ceil', Math.ceil),
  toWhole('trunc', Math.trunc),
  define('hypot', (args) => Math.hypot(...args.slice(0, 100).map((arg) => float('hypot', arg)))),
  define('log', (args) => {
    const logarithm = (value: Value | undefined) => {
      const x = float('log', value)
      if (!(x > 0)) throw new ExpressionError(`log(${described(x)}) has no value that is a number.`)
      return Math.log(x)
    }
    return args.length < 2 ? logarithm(args[0]) : logarithm(args[0]) / logarithm(args[1])
  }),
  define('fsum', (args) => itemsOf(args[0] ?? null).reduce<number>((sum, item) => sum + float('fsum', item), 0)),
  define('isnan', (args) => Number.isNaN(float('isnan', args[0]))),
  define('isinf', (args) => Math.abs(float('isinf', args[0])) === Number.POSITIVE_INFINITY),
  define('isfinite', (args) => Number.isFinite(float('isfinite', args[0]))),
  define('isclose', (args, named) => {
    const [a, b] = [float('isclose', args[0]), float('isclose', args[1])]
    const relative = float('isclose', named.get('rel_tol') ?? 1e-9)
    return (
      a === b || Math.abs(a - b) <= Math.max(relative * Math.max(Math.abs(a), Math.abs(b)), float('', named.get('abs_tol') ?? 0))
    )
  }),
  define('gcd', (args) => {
    let [a, b] = [int('gcd', args[0]), int('gcd', args[1])]
    while (b !== 0n) [a, b] = [b, a % b]
    return a < 0n ? -a : a
  }),
  define('factorial', (args, _, budget) => {
    let result: Value = 1n
    for (let k = int('factorial', args[0]); k > 1n; k--) result = applyBinary('*', result, k, budget)
    return result
  }),
])

function define(name: string, call: Call): [string, Value] {
  return [name, new Callable(name, call)]
}

// Python's own

function extreme(name: 'min' | 'max'): [string, Value] {
  return define(name, (args, named, budget) => {
    const items = args.length === 1 ? itemsOf(args[0]) : args
    const key = named.get('key')
    if (items.length === 0) {
      const otherwise = named.get('default')
      if (otherwise !== undefined) return otherwise
      throw new ExpressionError(`${name}() of nothing.`)
    }
    const keyed = items.map((item) => [item, key instanceof Callable ? key.call([item], noNames, budget) : item] as const)
    let best = keyed[0]
    for (const candidate of keyed) {
      const sign = order(candidate[1], best[1], budget)
      if (name === 'min' ? sign < 0 : sign > 0) best = candidate
    }
    return best[0]
  })
}

function range(args: Arguments, budget: Budget): List {
  const [first, second, third] = args.map((arg) => int('range', arg))
  if (first === undefined) throw new ExpressionError('range() wants an end.')
  const from = second === undefined ? 0n : first
  const to = second === undefined ? first : second
  const step = third ?? 1n
  if (step === 0n) throw new ExpressionError('range() with step 0.')
  const count = step > 0n ? (to - from + step - 1n) / step : (from - to - step - 1n) / -step
  budget.items(count < 0n ? 0 : Number(count))
  const items: bigint[] = []
  for (let k = from; step > 0n ? k < to : k > to; k += step) items.push(k)
  return new List(items)
}

function sorted(args: Arguments, named: NamedArguments, budget: Budget): List {
  const key = named.get('key')
  const keyed = itemsOf(args[0] ?? null).map(
    (item) => [item, key instanceof Callable ? key.call([item], noNames, budget) : item] as const,
  )
  budget.items(keyed.length)
  const sign = isTrue(named.get('reverse') ?? false) ? -1 : 1
  return new List(keyed.sort((a, b) => sign * order(a[1], b[1], budget)).map(([item]) => item))
}

function toInt(args: Arguments): bigint {
  const [value = 0n, base] = args
  if (typeof value === 'string') {
    const result = base === undefined ? readInt(value.replaceAll('_', '')) : inBase(value.trim().toLowerCase(), int('int', base))
    if (result === undefined) throw new ExpressionError(`int() cannot read ${described(value)}.`)
    return result
  }
  const x = number('int', value)
  if (typeof x === 'bigint') return x
  if (!Number.isFinite(x)) throw new ExpressionError(`int() of ${described(x)}.`)
  return BigInt(Math.trunc(x))
}

function inBase(text: string, base: bigint): bigint | undefined {
  const digits = text.replace(/^[-+]?0[xob]/, (prefix) => prefix.slice(0, -2))
  const size = Number.parseInt(digits, Number(base))
  return Number.isSafeInteger(size) && size.toString(Number(base)) === digits.replace(/^\+?0*(?=.)/, '')
    ? BigInt(size)
    : undefined
}

function toDict(args: Arguments, named: NamedArguments): Dict {
  const [source] = args
  const pairs: (readonly [Value, Value])[] = []
  if (source instanceof Dict) pairs.push(...source.pairs())
  else if (source !== undefined) {
    for (const item of itemsOf(source)) {
      const [key, value, extra] = itemsOf(item)
      if (value === undefined || extra !== undefined) throw new ExpressionError('dict() wants pairs.')
      pairs.push([key, value])
    }
  }
  return new Dict([...pairs, ...named])
}

const isOfType: ReadonlyMap<string, (value: Value) => boolean> = new Map<string, (value: Value) => boolean>([
  ['str', (value) => typeof value === 'string'],
  ['int', (value) => typeof value === 'bigint' || typeof value === 'boolean'],
  ['float', (value) => typeof value === 'number'],
  ['bool', (value) => typeof value === 'boolean'],
  ['list', (value) => value instanceof List],
  ['tuple', (value) => value instanceof Tuple],
  ['dict', (value) => value instanceof Dict],
])

function isInstance(value: Value, type: Value): boolean {
  if (type instanceof Tuple) return type.items.some((item) => isInstance(value, item))
  const test = type instanceof Callable ? isOfType.get(type.name) : undefined
  if (!test) throw new ExpressionError(`isinstance() wants a type and gets ${described(type)}.`)
  return test(value)
}

const pythonNames: ReadonlyMap<string, Value> = new Map<string, Value>([
  define('str', (args, _, budget) => (args.length === 0 ? '' : toText(args[0], budget))),
  define('int', toInt),
  define('float', (args) => {
    const [value = 0] = args
    const x = typeof value === 'string' ? readFloat(value.replaceAll('_', '')) : float('float', value)
    if (x === undefined) throw new ExpressionError(`float() cannot read ${described(value)}.`)
    return x
  }),
  define('bool', (args) => isTrue(args[0] ?? false)),
  define('list', (args, _, budget) => {
    const items = args.length === 0 ? [] : itemsOf(args[0])
    budget.items(items.length)
    return new List(items)
  }),
  define('tuple', (args, _, budget) => {
    const items = args.length === 0 ? [] : itemsOf(args[0])
    budget.items(items.length)
    return new Tuple(items)
  }),
  define('dict', (args, named, budget) => {
    const dict = toDict(args, named)
    budget.items(dict.size)
    return dict
  }),
  define('len', (args) => BigInt(itemsOf(args[0] ?? null).length)),
  extreme('min'),
  extreme('max'),
  define('round', (args) => {
    const x = number('round', args[0])
    if (args.length < 2 || args[1] === null) return typeof x === 'bigint' ? x : roundToInt(x)
    const rounded = roundTo(Number(x), Number(int('round', args[1])))
    return typeof x === 'bigint' ? (args[1] !== undefined && Number(args[1]) < 0 ? BigInt(rounded) : x) : rounded
  }),
  define('abs', (args) => {
    const x = number('abs', args[0])
    return typeof x === 'bigint' ? (x < 0n ? -x : x) : Math.abs(x)
  }),
  define('sum', (args, _, budget) =>
    itemsOf(args[0] ?? null).reduce<Value>((sum, item) => applyBinary('+', sum, item, budget), args[1] ?? 0n),
  ),
  define('any', (args) => itemsOf(args[0] ?? null).some(isTrue)),
  define('all', (args) => itemsOf(args[0] ?? null).every(isTrue)),
  define('sorted', sorted),
  define('range', (args, _, budget) => range(args, budget)),
  define('reversed', (args, _, budget) => {
    const items = itemsOf(args[0] ?? null)
    budget.items(items.length)
    return new List([...items].reverse())
  }),
  define('enumerate', (args, named, budget) => {
    const items = itemsOf(args[0] ?? null)
    const start = int('enumerate', args[1] ?? named.get('start') ?? 0n)
    budget.items(items.length)
    return new List(items.map((item, k) => new Tuple([start + BigInt(k), item])))
  }),
  define('zip', (args, _, budget) => {
    const columns = args.map(itemsOf)
    const count = columns.length === 0 ? 0 : Math.min(...columns.map((column) => column.length))
    budget.items(count * columns.length)
    return new List(Array.from({ length: count }, (_each, k) => new Tuple(columns.map((column) => column[k]))))
  }),
  define('map', (args, _, budget) => {
    const [f, ...lists] = args
    if (!(f instanceof Callable) || lists.length === 0) throw new ExpressionError('map() wants a function and a list.')
    const columns = lists.map(itemsOf)
    const count = Math.min(...columns.map((column) => column.length))
    budget.items(count)
    return new List(
      Array.from({ length: count }, (_each, k) =>
        f.call(
          columns.map((column) => column[k]),
          noNames,
          budget,
        ),
      ),
    )
  }),
  define('filter', (args, _, budget) => {
    const [f = null, list = null] = args
    if (f !== null && !(f instanceof Callable)) throw new ExpressionError('filter() wants a function and a list.')
    const items = itemsOf(list)
    budget.items(items.length)
    return new List(items.filter((item) => isTrue(f === null ? item : f.call([item], noNames, budget))))
  }),
  define('divmod', (args, _, budget) => {
    const [a = null, b = null] = args
    return new Tuple([applyBinary('//', a, b, budget), applyBinary('%', a, b, budget)])
  }),
  define('repr', (args, _, budget) => toRepr(args[0] ?? null, budget)),
  define('format', (args, _, budget) => formatValue(args[0] ?? null, String(args[1] ?? ''), budget)),
  define('ord', (args) => BigInt(String(args[0] ?? '').codePointAt(0) ?? 0)),
  define('chr', (args) => {
    const code = int('chr', args[0])
    if (code < 0n || code > 0x10ffffn) throw new ExpressionError(`chr(${code}): there is no such character.`)
    return String.fromCodePoint(Number(code))
  }),
  define('isinstance', (args) => isInstance(args[0] ?? null, args[1] ?? null)),
  define('type', (args) => pythonNames.get(typeName(args[0] ?? null)) ?? typeName(args[0] ?? null)),
])

/** Names that ROS' xacro knows outside of any module. */
const knownToXacro = ['list', 'dict', 'map', 'len', 'str', 'float', 'int', 'min', 'max', 'round', 'sorted', 'range']

/** Names predefined by ROS' xacro; a property's default does not replace these. */
export const globalNames: ReadonlyMap<string, Value> = new Map<string, Value>([
  ...mathNames,
  ...knownToXacro.map((name): [string, Value] => [name, pythonNames.get(name)!]),
  ['math', moduleOf('math', mathNames)],
  ['python', moduleOf('python', pythonNames)],
])

/** The rest of Python's functions, which ROS' xacro knows only behind `python.`; properties of these names come first. */
export const furtherNames: ReadonlyMap<string, Value> = pythonNames

/** Splits text at any of the characters of `sep`: xacro.tokenize. */
export function tokenizeText(args: Arguments, named: NamedArguments, budget: Budget): List {
  const [text = null, sep = named.get('sep') ?? ',; ', skip = named.get('skip_empty') ?? true] = args
  if (typeof text !== 'string' || typeof sep !== 'string') throw new ExpressionError('xacro.tokenize() wants a string.')
  budget.text(text.length)
  const parts: string[] = []
  let part = ''
  for (const character of text) {
    if (!sep.includes(character)) part += character
    else {
      parts.push(part)
      part = ''
    }
  }
  parts.push(part)
  budget.items(parts.length)
  return new List(isTrue(skip) ? parts.filter((item) => item !== '') : parts)
}

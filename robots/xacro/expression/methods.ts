/** The non-mutating methods of Python's strings, lists and dicts. */

import { ExpressionError } from '../failures.ts'
import type { Budget } from './budget.ts'
import { formatBraces } from './format.ts'
import {
  type Arguments,
  Dict,
  described,
  isEqual,
  itemsOf,
  List,
  type NamedArguments,
  Tuple,
  typeName,
  type Value,
} from './values.ts'

type Method<Self> = (self: Self, args: Arguments, named: NamedArguments, budget: Budget) => Value

/** Calls a method; undefined if the value has none of this name. */
export function callMethod(self: Value, name: string, args: Arguments, named: NamedArguments, budget: Budget): Value | undefined {
  if (typeof self === 'string') {
    budget.text(self.length)
    const result = stringMethods.get(name)?.(self, args, named, budget)
    if (typeof result === 'string') budget.text(result.length)
    if (result instanceof List) budget.items(result.items.length)
    return result
  }
  if (self instanceof Dict) {
    budget.items(self.size)
    return dictMethods.get(name)?.(self, args, named, budget)
  }
  if (self instanceof List || self instanceof Tuple) {
    budget.items(self.items.length)
    if (changing.has(name)) {
      throw new ExpressionError(`a ${typeName(self)} cannot be changed here by ${name}().`, 'Make a new one: list + [item].')
    }
    return listMethods.get(name)?.(self.items, args, named, budget)
  }
  return undefined
}

/** The names of a value's methods. */
export function methodNames(self: Value): Iterable<string> {
  if (typeof self === 'string') return stringMethods.keys()
  if (self instanceof Dict) return dictMethods.keys()
  return self instanceof List || self instanceof Tuple ? listMethods.keys() : []
}

const changing: ReadonlySet<string> = new Set(['append', 'clear', 'extend', 'insert', 'pop', 'remove', 'reverse', 'sort'])

const strings = (items: readonly string[]) => new List(items)

const stringMethods: ReadonlyMap<string, Method<string>> = new Map<string, Method<string>>([
  ['lower', (s) => s.toLowerCase()],
  ['upper', (s) => s.toUpperCase()],
  ['casefold', (s) => s.toLowerCase()],
  ['capitalize', (s) => s.slice(0, 1).toUpperCase() + s.slice(1).toLowerCase()],
  ['title', (s) => s.toLowerCase().replace(/\p{L}+/gu, (word) => word[0].toUpperCase() + word.slice(1))],
  [
    'swapcase',
    (s) => [...s].map((letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase())).join(''),
  ],
  ['strip', (s, args) => stripEnd(stripStart(s, args[0]), args[0])],
  ['lstrip', (s, args) => stripStart(s, args[0])],
  ['rstrip', (s, args) => stripEnd(s, args[0])],
  ['split', (s, args, named) => strings(split(s, args[0] ?? named.get('sep'), whole(args[1] ?? named.get('maxsplit'), -1)))],
  [
    'rsplit',
    (s, args, named) => strings(splitRight(s, args[0] ?? named.get('sep'), whole(args[1] ?? named.get('maxsplit'), -1))),
  ],
  ['splitlines', (s) => strings(s.replace(/\r\n|\r|\n$/g, (end) => (end === '\r' || end === '\r\n' ? '\n' : '')).split('\n'))],
  ['join', (s, args, _, budget) => join(s, itemsOf(argument('join', args, 0)), budget)],
  ['replace', (s, args) => replace(s, string('replace', args, 0), string('replace', args, 1), whole(args[2], -1))],
  ['startswith', (s, args) => choices('startswith', args).some((start) => s.startsWith(start))],
  ['endswith', (s, args) => choices('endswith', args).some((end) => s.endsWith(end))],
  ['removeprefix', (s, args) => (s.startsWith(string('removeprefix', args, 0)) ? s.slice(string('', args, 0).length) : s)],
  [
    'removesuffix',
    (s, args) => {
      const end = string('removesuffix', args, 0)
      return end !== '' && s.endsWith(end) ? s.slice(0, -end.length) : s
    },
  ],
  ['find', (s, args) => BigInt(s.indexOf(string('find', args, 0), whole(args[1], 0)))],
  ['rfind', (s, args) => BigInt(s.lastIndexOf(string('rfind', args, 0)))],
  ['index', (s, args) => found(s.indexOf(string('index', args, 0)), args[0])],
  ['count', (s, args) => BigInt(string('count', args, 0) === '' ? s.length + 1 : s.split(string('count', args, 0)).length - 1)],
  ['partition', (s, args) => partition(s, string('partition', args, 0), s.indexOf(string('partition', args, 0)), false)],
  ['rpartition', (s, args) => partition(s, string('rpartition', args, 0), s.lastIndexOf(string('rpartition', args, 0)), true)],
  ['zfill', (s, args, _, budget) => zeroFill(s, wide(args[0], budget))],
  ['ljust', (s, args, _, budget) => s.padEnd(wide(args[0], budget), filler(args[1]))],
  ['rjust', (s, args, _, budget) => s.padStart(wide(args[0], budget), filler(args[1]))],
  ['center', (s, args, _, budget) => center(s, wide(args[0], budget), filler(args[1]))],
  ['format', (s, args, named, budget) => formatBraces(s, args, named, budget)],
  ['isdigit', (s) => /^\p{Nd}+$/u.test(s)],
  ['isdecimal', (s) => /^\p{Nd}+$/u.test(s)],
  ['isnumeric', (s) => /^\p{N}+$/u.test(s)],
  ['isalpha', (s) => /^\p{L}+$/u.test(s)],
  ['isalnum', (s) => /^[\p{L}\p{N}]+$/u.test(s)],
  ['isspace', (s) => /^\s+$/u.test(s)],
  ['islower', (s) => s !== s.toUpperCase() && s === s.toLowerCase()],
  ['isupper', (s) => s !== s.toLowerCase() && s === s.toUpperCase()],
])

const dictMethods: ReadonlyMap<string, Method<Dict>> = new Map<string, Method<Dict>>([
  ['get', (dict, args) => dict.get(argument('get', args, 0)) ?? args[1] ?? null],
  ['keys', (dict) => new List(dict.pairs().map(([key]) => key))],
  ['values', (dict) => new List(dict.pairs().map(([, value]) => value))],
  ['items', (dict) => new List(dict.pairs().map((pair) => new Tuple(pair)))],
  ['copy', (dict) => dict],
])

const listMethods: ReadonlyMap<string, Method<readonly Value[]>> = new Map<string, Method<readonly Value[]>>([
  [
    'index',
    (items, args, _, budget) =>
      found(
        items.findIndex((item) => isEqual(item, argument('index', args, 0), budget)),
        args[0],
      ),
  ],
  ['count', (items, args, _, budget) => BigInt(items.filter((item) => isEqual(item, argument('count', args, 0), budget)).length)],
  ['copy', (items) => new List(items)],
])

function argument(method: string, args: Arguments, index: number): Value {
  if (index >= args.length) throw new ExpressionError(`${method}() wants ${index + 1} arguments and gets ${args.length}.`)
  return args[index]
}

function text(method: string, value: Value): string {
  if (typeof value !== 'string') {
    throw new ExpressionError(`${method}() wants strings and gets ${described(value)}.`, 'str(x) makes one of it.')
  }
  return value
}

function string(method: string, args: Arguments, index: number): string {
  return text(method, argument(method, args, index))
}

function choices(method: string, args: Arguments): readonly string[] {
  const given = argument(method, args, 0)
  return given instanceof Tuple ? given.items.map((item) => text(method, item)) : [text(method, given)]
}

function whole(value: Value | undefined, otherwise: number): number {
  if (value === undefined || value === null) return otherwise
  if (typeof value !== 'bigint') throw new ExpressionError(`an integer is wanted, not ${described(value)}.`)
  return Number(value)
}

function wide(value: Value | undefined, budget: Budget): number {
  const width = whole(value, 0)
  budget.text(Math.max(0, width))
  return Math.max(0, width)
}

function filler(value: Value | undefined): string {
  return typeof value === 'string' && value.length === 1 ? value : ' '
}

function join(separator: string, items: readonly Value[], budget: Budget): string {
  const parts = items.map((item) => text('join', item))
  budget.text(parts.reduce((sum, part) => sum + part.length + separator.length, 0))
  return parts.join(separator)
}

/** Of an odd number of places Python puts one more to the left where the width is odd. */
function center(s: string, width: number, fill: string): string {
  const missing = Math.max(0, width - s.length)
  const left = Math.floor(missing / 2) + (missing % 2) * (width % 2)
  return s.padStart(s.length + left, fill).padEnd(width, fill)
}

function zeroFill(s: string, width: number): string {
  const sign = /^[-+]/.exec(s)?.[0] ?? ''
  return sign + s.slice(sign.length).padStart(width - sign.length, '0')
}

function found(index: number, what: Value): bigint {
  if (index < 0) throw new ExpressionError(`${described(what)} is not there.`)
  return BigInt(index)
}

function stripStart(s: string, characters: Value | undefined): string {
  if (typeof characters !== 'string') return s.trimStart()
  let start = 0
  while (start < s.length && characters.includes(s[start])) start++
  return s.slice(start)
}

function stripEnd(s: string, characters: Value | undefined): string {
  if (typeof characters !== 'string') return s.trimEnd()
  let end = s.length
  while (end > 0 && characters.includes(s[end - 1])) end--
  return s.slice(0, end)
}

/** Without a separator, at white space, of which none is left; `limit` counts the cuts, below zero without end. */
function split(s: string, separator: Value | undefined, limit: number): string[] {
  const byBlank = typeof separator !== 'string'
  if (separator === '') throw new ExpressionError('split() by an empty string.')
  const parts: string[] = []
  let rest = byBlank ? s.trimStart() : s
  if (byBlank && rest === '') return parts
  while (limit < 0 || parts.length < limit) {
    const cut = byBlank ? rest.search(/\s/) : rest.indexOf(separator)
    if (cut < 0) break
    parts.push(rest.slice(0, cut))
    rest = byBlank ? rest.slice(cut).trimStart() : rest.slice(cut + separator.length)
    if (byBlank && rest === '') return parts
  }
  parts.push(byBlank && (limit < 0 || parts.length < limit) ? rest.trimEnd() : rest)
  return parts
}

function splitRight(s: string, separator: Value | undefined, limit: number): string[] {
  if (limit < 0) return split(s, separator, limit)
  const mirror = (part: string) => [...part].reverse().join('')
  return split(mirror(s), typeof separator === 'string' ? mirror(separator) : separator, limit)
    .map(mirror)
    .reverse()
}

function replace(s: string, old: string, by: string, limit: number): string {
  if (limit < 0 && s.length * (by.length + 1) <= 1_000_000) return s.replaceAll(old, () => by)
  const most = limit < 0 ? Number.POSITIVE_INFINITY : limit
  let out = ''
  let done = 0
  for (let count = 0; count < most; count++) {
    const at = s.indexOf(old, done)
    if (at < 0 || (old === '' && at >= s.length)) break
    out += s.slice(done, at) + by + (old === '' ? s[at] : '')
    done = at + Math.max(1, old.length)
    if (out.length > 1_000_000) break // the caller refuses it
  }
  return out + s.slice(done)
}

function partition(s: string, separator: string, at: number, fromRight: boolean): Tuple {
  if (at < 0) return new Tuple(fromRight ? ['', '', s] : [s, '', ''])
  return new Tuple([s.slice(0, at), separator, s.slice(at + separator.length)])
}

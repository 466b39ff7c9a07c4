/** Python's two ways to put values into text: `'%.3f' % x` and `'{:.3f}'.format(x)`. */

import { ExpressionError, LimitError } from '../failures.ts'
import type { Budget } from './budget.ts'
import { exponentDigits, fixedDigits, generalDigits, toFloat } from './numbers.ts'
import {
  type Arguments,
  asNumber,
  Dict,
  described,
  List,
  type NamedArguments,
  Tuple,
  toRepr,
  toText,
  type Value,
} from './values.ts'

interface Spec {
  readonly fill: string
  readonly align: string
  readonly sign: string
  readonly alternate: boolean
  readonly width: number
  readonly grouping: string
  readonly precision?: number
  readonly type: string
}

/** `format % values`. @throws ExpressionError as Python */
export function formatPercent(format: string, values: Value, budget: Budget): string {
  const list = values instanceof Tuple ? values.items : [values]
  let used = 0
  const next = (): Value => {
    if (used === list.length) throw new ExpressionError(`the format ${described(format)} wants more values than there are.`)
    return list[used++]
  }
  const text = format.replace(
    /%(?:\(([^)]*)\))?([-+ #0]*)(\d+|\*)?(?:\.(\d+|\*))?([a-zA-Z%]?)/g,
    (whole, key?: string, flags = '', width?: string, precision?: string, type = '') => {
      if (type === '%') return '%'
      const size = (part: string | undefined) =>
        part === undefined ? undefined : checkWidth(part === '*' ? next() : part, budget)
      const minimum = size(width) ?? 0
      const digits = size(precision)
      if (!'diufFeEgGsrxXoc'.includes(type) || type === '') throw unknownFormat(whole)
      const value = key === undefined ? next() : named(values, key)
      const spec: Spec = {
        fill: flags.includes('0') && !flags.includes('-') && !'src'.includes(type) ? '0' : ' ',
        align: flags.includes('-') ? '<' : flags.includes('0') && !'src'.includes(type) ? '=' : '>',
        sign: flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '-',
        alternate: flags.includes('#'),
        width: minimum,
        grouping: '',
        precision: digits,
        type: type === 'i' || type === 'u' ? 'd' : type,
      }
      if (type === 'r') return align(clip(toRepr(value, budget), spec), spec)
      if (type === 's') return align(clip(toText(value, budget), spec), spec)
      const number = asNumber(value)
      // unlike '{:d}', '%d' cuts a float
      const printed =
        spec.type === 'd' && typeof number === 'number' && Number.isFinite(number) ? BigInt(Math.trunc(number)) : value
      return formatNumber(printed, spec, whole)
    },
  )
  if (used < list.length && !(values instanceof Dict) && !(values instanceof List)) {
    throw new ExpressionError(`the format ${described(format)} does not use all values.`)
  }
  budget.text(text.length)
  return text
}

function named(values: Value, key: string): Value {
  const value = values instanceof Dict ? values.get(key) : undefined
  if (value === undefined) throw new ExpressionError(`the format wants the key "${key}", which is not there.`)
  return value
}

/** `format.format(...)`. @throws ExpressionError as Python */
export function formatBraces(format: string, args: Arguments, namedArgs: NamedArguments, budget: Budget): string {
  let automatic = 0
  let done = 0
  let out = ''
  const pattern = /\{\{|\}\}|\{([^{}:!]*)(?:!([rs]))?(?::([^{}]*))?\}|[{}]/g
  for (const found of format.matchAll(pattern)) {
    const [whole, field = '', conversion, spec = ''] = found
    out += format.slice(done, found.index)
    done = found.index + whole.length
    if (whole === '{{' || whole === '}}') out += whole[0]
    else if (whole.length === 1) throw new ExpressionError(`a single "${whole}" in the format ${described(format)}.`)
    else {
      const path = /^(\w*)((?:\.\w+|\[\w+\])*)$/.exec(field)
      if (!path) throw unknownFormat(whole)
      const key = path[1] === '' ? String(automatic++) : path[1]
      let value = /^\d+$/.test(key) ? args[Number(key)] : namedArgs.get(key)
      for (const step of path[2].match(/\w+/g) ?? []) value = part(value, step)
      if (value === undefined) throw new ExpressionError(`the format ${described(format)} wants "${key}", which is not given.`)
      const converted = conversion === 'r' ? toRepr(value, budget) : conversion === 's' ? toText(value, budget) : value
      out += formatValue(converted, spec, budget)
    }
    budget.text(whole.length)
  }
  out += format.slice(done)
  budget.text(out.length)
  return out
}

function part(value: Value | undefined, step: string): Value | undefined {
  if (value instanceof Dict) return value.get(step)
  return value instanceof List || value instanceof Tuple ? value.items[Number(step)] : undefined
}

/** Python's `format(value, spec)`. @throws ExpressionError as Python */
export function formatValue(value: Value, text: string, budget: Budget): string {
  if (text === '') return toText(value, budget)
  const found = /^(?:(.)?([<>=^]))?([-+ ])?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/su.exec(text)
  if (!found) throw unknownFormat(text)
  const [, fill, alignment, sign = '-', alternate, zero, width = '0', grouping = '', precision, type = ''] = found
  const number = typeof value === 'string' ? undefined : asNumber(value)
  const spec: Spec = {
    fill: fill ?? (zero ? '0' : ' '),
    align: alignment ?? (zero && number !== undefined ? '=' : number === undefined ? '<' : '>'),
    sign,
    alternate: alternate !== undefined,
    width: checkWidth(width, budget),
    grouping,
    precision: precision === undefined ? undefined : checkWidth(precision, budget),
    type,
  }
  if (number === undefined) {
    if (typeof value !== 'string' || (type !== '' && type !== 's'))
      throw new ExpressionError(`the format "${text}" is not for ${described(value)}.`)
    return align(clip(toText(value, budget), spec), spec)
  }
  if (type === '' && typeof number === 'number' && spec.precision === undefined) {
    return align(signed(toText(number, budget), spec), spec)
  }
  if (type === 'd' && typeof number === 'number') throw new ExpressionError(`the format "${text}" is not for a float.`)
  return formatNumber(number, { ...spec, type: type === '' ? (typeof number === 'bigint' ? 'd' : 'g') : type }, text)
}

function formatNumber(value: Value, spec: Spec, written: string): string {
  if (spec.type === 'c')
    return align(typeof value === 'string' ? value : String.fromCodePoint(Number(asNumber(value) ?? 0)), spec)
  const number = asNumber(value)
  if (number === undefined) throw new ExpressionError(`the format "${written}" is not for ${described(value)}.`)
  const { type, precision = 6, alternate } = spec
  const lower = type.toLowerCase()
  let text: string
  if ('dxob'.includes(lower)) {
    if (typeof number !== 'bigint') throw new ExpressionError(`the format "${written}" is not for ${described(value)}.`)
    const base = lower === 'x' ? 16 : lower === 'o' ? 8 : lower === 'b' ? 2 : 10
    const digits = (number < 0n ? -number : number).toString(base)
    text = (number < 0n ? '-' : '') + (alternate && base !== 10 ? `0${lower}` : '') + digits
  } else {
    const x = toFloat(number) * (type === '%' ? 100 : 1)
    if (!Number.isFinite(x)) text = Number.isNaN(x) ? 'nan' : x > 0 ? 'inf' : '-inf'
    else if (precision > 100) throw new LimitError(`the format "${written}" asks for ${precision} digits; at most 100.`)
    else if (lower === 'f' || type === '%') text = fixedDigits(x, precision) + (type === '%' ? '%' : '')
    else if (lower === 'e') text = exponentDigits(x, precision)
    else if (lower === 'g') text = generalDigits(x, precision, alternate)
    else throw unknownFormat(written)
  }
  if (type !== lower) text = text.toUpperCase()
  if (spec.grouping !== '') text = text.replace(/^(-?)(\d+)/, (_, minus, digits) => minus + grouped(digits, spec.grouping))
  return align(signed(text, spec), spec)
}

function grouped(digits: string, separator: string): string {
  const first = digits.length % 3 || 3
  return [digits.slice(0, first), ...(digits.slice(first).match(/\d{3}/g) ?? [])].join(separator)
}

function signed(text: string, { sign }: Spec): string {
  return sign === '-' || text.startsWith('-') ? text : sign + text
}

function clip(text: string, { precision }: Spec): string {
  return precision === undefined ? text : text.slice(0, precision)
}

function align(text: string, { fill, align: side, width }: Spec): string {
  const missing = width - text.length
  if (missing <= 0) return text
  if (side === '<') return text + fill.repeat(missing)
  if (side === '^') return fill.repeat(Math.floor(missing / 2)) + text + fill.repeat(Math.ceil(missing / 2))
  const prefix = side === '=' ? (/^[-+ ]?(?:0[xob])?/i.exec(text)?.[0] ?? '') : ''
  return prefix + fill.repeat(missing) + text.slice(prefix.length)
}

function checkWidth(value: Value, budget: Budget): number {
  const width = Number(typeof value === 'string' ? value : (asNumber(value) ?? Number.NaN))
  if (Number.isNaN(width)) throw new ExpressionError(`a width of ${described(value)}.`)
  budget.text(Math.max(0, width))
  return Math.max(0, width)
}

function unknownFormat(text: string): ExpressionError {
  return new ExpressionError(`"${text}" is no format that is known here.`)
}

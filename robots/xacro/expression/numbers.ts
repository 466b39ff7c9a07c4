/**
 * Python's numbers: how they are read from text, how they print, how they round. An int is a bigint here and a float a
 * number, so that `1` and `1.0` stay apart.
 */

import { ExpressionError, LimitError } from '../failures.ts'
import { maxBits } from './budget.ts'

/** Python's `repr` of a float: the fewest digits that read back as the same number. */
export function floatRepr(x: number): string {
  if (Number.isNaN(x)) return 'nan'
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : '-inf'
  if (x === 0) return Object.is(x, -0) ? '-0.0' : '0.0'
  const text = x.toExponential()
  const exponent = Number(text.slice(text.indexOf('e') + 1))
  if (exponent < -4 || exponent >= 16) return withPaddedExponent(text)
  const fixed = String(x)
  return fixed.includes('.') ? fixed : `${fixed}.0`
}

/** JavaScript writes `1e-5` where Python writes `1e-05`. */
function withPaddedExponent(text: string): string {
  const e = text.indexOf('e')
  const digits = text.slice(e + 2)
  return text.slice(0, e + 2) + (digits.length < 2 ? `0${digits}` : digits)
}

/** As Python's `int(text)` without underscores; undefined if the text is no integer. */
export function readInt(text: string): bigint | undefined {
  if (!/^\s*[-+]?\d+\s*$/.test(text)) return undefined
  const trimmed = text.trim()
  return checkSize(trimmed.startsWith('+') ? BigInt(trimmed.slice(1)) : BigInt(trimmed))
}

/** As Python's `float(text)` without underscores; undefined if the text is no number. */
export function readFloat(text: string): number | undefined {
  const trimmed = text.trim()
  if (/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/.test(trimmed)) return Number(trimmed)
  const word = /^([-+]?)(inf|infinity|nan)$/i.exec(trimmed)
  if (!word) return undefined
  const size = word[2].toLowerCase() === 'nan' ? Number.NaN : Number.POSITIVE_INFINITY
  return word[1] === '-' ? -size : size
}

/** @throws LimitError for an integer beyond the limit */
export function checkSize(x: bigint): bigint {
  if (x > largest || x < -largest) throw new LimitError(`an integer of more than ${maxBits} bits.`, 'Check the exponent.')
  return x
}
const largest = 1n << BigInt(maxBits)

/** @throws ExpressionError for an integer that no float can hold */
export function toFloat(x: bigint | number): number {
  const float = Number(x)
  if (typeof x === 'bigint' && !Number.isFinite(float)) throw new ExpressionError('this integer is too large for a float.')
  return float
}

/** The decimal digits of x with so many after the point, of two equally near the even one, as C's printf. */
export function fixedDigits(x: number, digits: number): string {
  if (Object.is(x, -0)) return `-${fixedDigits(0, digits)}`
  if (Math.abs(x) >= 1e21) return `${BigInt(x)}${digits > 0 ? `.${'0'.repeat(digits)}` : ''}`
  const text = x.toFixed(digits)
  // toFixed rounds a tie away from zero; a tie has a 5 and then nothing behind the digits
  if (digits >= 99 || !/^50*$/.test(x.toFixed(100).slice(digits - 100))) return text
  const down = x.toFixed(digits + 1).slice(0, digits === 0 ? -2 : -1)
  return Number(down.at(-1)) % 2 === 0 ? down : text
}

export function exponentDigits(x: number, digits: number): string {
  return withPaddedExponent(x.toExponential(digits))
}

/** Python's `%g` with that many significant digits; `keepZeros` is the flag `#`. */
export function generalDigits(x: number, precision: number, keepZeros = false): string {
  const significant = Math.max(precision, 1)
  const scientific = x.toExponential(significant - 1)
  const exponent = Number(scientific.slice(scientific.indexOf('e') + 1))
  const strip = (text: string) => (keepZeros || !text.includes('.') ? text : text.replace(/\.?0+$/, ''))
  if (exponent >= -4 && exponent < significant) return strip(fixedDigits(x, significant - 1 - exponent))
  const padded = withPaddedExponent(scientific)
  const e = padded.indexOf('e')
  return strip(padded.slice(0, e)) + padded.slice(e)
}

/** Python's `round(x)`: the nearest integer, of two the even one. */
export function roundToInt(x: number): bigint {
  if (!Number.isFinite(x)) throw new ExpressionError(`${floatRepr(x)} cannot be rounded to an integer.`)
  const floor = Math.floor(x)
  const rest = x - floor
  const up = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0)
  return BigInt(up ? floor + 1 : floor)
}

/** Python's `round(x, digits)` of a float. */
export function roundTo(x: number, digits: number): number {
  if (!Number.isFinite(x) || digits > 98 || Math.abs(x) >= 1e21) return x
  if (digits >= 0) return Number(fixedDigits(x, digits))
  const sign = x < 0 || Object.is(x, -0) ? -1 : 1
  if (digits < -20) return sign * 0
  const unit = BigInt(`1${'0'.repeat(-digits)}`)
  return sign * Number(roundToInt(Math.abs(x) / Number(unit)) * unit)
}

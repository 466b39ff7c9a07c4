/** Python's arithmetic on Python's values. */

import { ExpressionError, LimitError } from '../failures.ts'
import { type Budget, maxBits } from './budget.ts'
import { formatPercent } from './format.ts'
import { checkSize, toFloat } from './numbers.ts'
import type { BinaryOperator } from './parse.ts'
import { asNumber, described, List, Tuple, typeName, type Value } from './values.ts'

/** @throws ExpressionError where Python raises an error */
export function applyBinary(operator: BinaryOperator, a: Value, b: Value, budget: Budget): Value {
  const x = asNumber(a)
  const y = asNumber(b)
  if (x !== undefined && y !== undefined) {
    return typeof x === 'bigint' && typeof y === 'bigint' ? onInts(operator, x, y) : onFloats(operator, toFloat(x), toFloat(y))
  }
  if (operator === '+') {
    if (typeof a === 'string' && typeof b === 'string') {
      budget.text(a.length + b.length)
      return a + b
    }
    if (a instanceof List && b instanceof List) return new List(joined(a.items, b.items, budget))
    if (a instanceof Tuple && b instanceof Tuple) return new Tuple(joined(a.items, b.items, budget))
  }
  if (operator === '*') {
    if (typeof y === 'bigint') return repeated(a, y, budget)
    if (typeof x === 'bigint') return repeated(b, x, budget)
  }
  if (operator === '%' && typeof a === 'string') return formatPercent(a, b, budget)
  throw new ExpressionError(
    `"${operator}" between ${described(a)} and ${described(b)} has no meaning.`,
    typeof a === 'string' || typeof b === 'string' ? 'str(x) makes text of a number, float(x) a number of text.' : '',
  )
}

export function applyUnary(operator: '-' | '+' | '~', value: Value): Value {
  const x = asNumber(value)
  if (x === undefined) throw new ExpressionError(`"${operator}" before ${described(value)} has no meaning.`)
  if (operator === '+') return x
  if (operator === '-') return -x
  if (typeof x !== 'bigint') throw new ExpressionError(`"~" before ${described(value)} has no meaning.`)
  return ~x
}

function onInts(operator: BinaryOperator, x: bigint, y: bigint): bigint | number {
  switch (operator) {
    case '+':
      return checkSize(x + y)
    case '-':
      return checkSize(x - y)
    case '*':
      return checkSize(x * y)
    case '/':
      checkDivisor(y)
      return toFloat(x) / toFloat(y)
    case '//':
      checkDivisor(y)
      return (x - floorRemainder(x, y)) / y
    case '%':
      checkDivisor(y)
      return floorRemainder(x, y)
    case '**':
      return y < 0n ? power(toFloat(x), toFloat(y)) : intPower(x, y)
    case '&':
      return x & y
    case '|':
      return x | y
    case '^':
      return x ^ y
    case '<<':
    case '>>':
      if (y < 0n) throw new ExpressionError('a shift by a negative number.')
      if (y > BigInt(maxBits)) throw new LimitError(`a shift by more than ${maxBits} bits.`, 'Check the number.')
      return operator === '<<' ? checkSize(x << y) : x >> y
  }
}

function onFloats(operator: BinaryOperator, x: number, y: number): number {
  switch (operator) {
    case '+':
      return x + y
    case '-':
      return x - y
    case '*':
      return x * y
    case '/':
      checkDivisor(y)
      return x / y
    case '//':
      checkDivisor(y)
      return floorQuotient(x, y)
    case '%':
      checkDivisor(y)
      return remainderOf(x, y)
    case '**':
      return power(x, y)
    default:
      throw new ExpressionError(`"${operator}" is for integers.`, operator === '^' ? 'A power is written **.' : '')
  }
}

function checkDivisor(y: bigint | number): void {
  if (y === 0n || y === 0) throw new ExpressionError('division by zero.')
}

/** The remainder with the divisor's sign. */
function floorRemainder(x: bigint, y: bigint): bigint {
  const rest = x % y
  return rest !== 0n && rest < 0n !== y < 0n ? rest + y : rest
}

/** The remainder with the divisor's sign, also where it is zero. */
function remainderOf(x: number, y: number): number {
  const rest = x % y
  if (rest === 0) return y < 0 ? -0 : 0
  return rest < 0 !== y < 0 ? rest + y : rest
}

/** The integer below x / y, found through the exact remainder: x / y itself may be rounded up to one. */
function floorQuotient(x: number, y: number): number {
  const quotient = Math.round((x - remainderOf(x, y)) / y)
  return quotient === 0 ? (x < 0 !== y < 0 ? -0 : 0) : quotient
}

function intPower(base: bigint, exponent: bigint): bigint {
  const bits = BigInt(base.toString(2).length)
  if (base !== 0n && base !== 1n && base !== -1n && bits * exponent > BigInt(2 * maxBits)) {
    throw new LimitError(`an integer of more than ${maxBits} bits.`, 'Check the exponent.')
  }
  if (base === 1n || exponent === 0n) return 1n
  if (base === -1n) return exponent % 2n === 0n ? 1n : -1n
  if (base === 0n) return 0n
  let result = 1n
  for (let square = base, rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result *= square
    if (rest > 1n) square *= square
  }
  return checkSize(result)
}

/**
 * x to the power y, the same on every engine: by repeated squaring for the nearest integer n, by the root for a half, and
 * otherwise by exp((y - n) log x), whose relative error is about |(y - n) log x| units in the last place.
 *
 * @throws ExpressionError where the result is complex or infinite
 */
export function power(x: number, y: number): number {
  if (y === 0 || x === 1) return 1
  if (x === 0 && y < 0) throw new ExpressionError('zero cannot be raised to a negative power.')
  if (x < 0 && Number.isFinite(x) && Number.isFinite(y) && !Number.isInteger(y)) {
    throw new ExpressionError('a fractional power of a negative number is complex, and complex numbers are not known here.')
  }
  const result = powerOf(x, y)
  if (!Number.isFinite(result) && Number.isFinite(x) && Number.isFinite(y)) throw new ExpressionError('the power is too large.')
  return result
}

function powerOf(x: number, y: number): number {
  const isOdd = Math.abs(y % 2) === 1
  if (x === 0) return isOdd ? x : 0
  const size = Math.abs(x)
  const sign = x < 0 && isOdd ? -1 : 1
  if (size === Number.POSITIVE_INFINITY || Math.abs(y) > 1024) return sign * Math.exp(y * Math.log(size))
  let n = Math.trunc(y)
  if (Math.abs(y - n) > 0.5) n += Math.sign(y)
  const rest = y - n
  const whole = n < 0 ? inversePower(size, -n) : wholePower(size, n)
  const root = rest === 0.5 ? Math.sqrt(size) : rest === -0.5 ? 1 / Math.sqrt(size) : Math.exp(rest * Math.log(size))
  return sign * whole * (rest === 0 ? 1 : root)
}

/** One over a power; the power may overflow where its inverse is still a number. */
function inversePower(x: number, n: number): number {
  return 1 / wholePower(x, n) || wholePower(1 / x, n)
}

function wholePower(x: number, n: number): number {
  let result = 1
  for (let square = x, rest = n; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result *= square
    square *= square
  }
  return result
}

function joined(a: readonly Value[], b: readonly Value[], budget: Budget): readonly Value[] {
  budget.items(a.length + b.length)
  return [...a, ...b]
}

function repeated(value: Value, times: bigint, budget: Budget): Value {
  // beyond every limit is beyond every limit: no need to carry an integer of any size
  const count = times < 0n ? 0 : Math.min(Number(times), Number.MAX_SAFE_INTEGER)
  if (typeof value === 'string') {
    budget.text(value.length * count)
    return value.repeat(value === '' ? 0 : count)
  }
  if (value instanceof List || value instanceof Tuple) {
    budget.items(value.items.length * count)
    const items: Value[] = []
    if (value.items.length > 0) for (let k = 0; k < count; k++) items.push(...value.items)
    return value instanceof List ? new List(items) : new Tuple(items)
  }
  throw new ExpressionError(`a ${typeName(value)} cannot be multiplied.`)
}

/**
 * exp, exp(x) - 1, log, tanh, the logistic function and softplus from + - * / and Math.floor alone, so that every engine gives
 * the same bits; no two need agree on the last one of Math.exp, Math.log, Math.tanh and Math.expm1.
 *
 * Accuracy: within 4e-15 of the value, so that it is rounded once to single precision. Beyond |x| = 708 the value is that
 * at 708, in single precision equal to the limit. NaN for NaN.
 *
 * Method: x = k ln 2 + r with |r| <= ln(2)/2, ln 2 in two parts of which k times the first is exact (Cody and Waite, Software
 * Manual for the Elementary Functions, 1980, ch. 6), then Taylor's series of e^r - 1 to r^13.
 *
 * All work in place on x[k], for no number then crosses a call, which could box it.
 */

const LARGEST = 708
const LOG2_E = Math.LOG2E
// ln 2 = LN2_HIGH + LN2_LOW; the first has 32 bits
const LN2_HIGH = 0.6931471803691238
const LN2_LOW = 1.9082149292705877e-10

/** powers[k + 1023] = 2^k; products by 2 and 1/2 are exact. */
const powers = new Float64Array(2047)
powers[1023] = 1
for (let k = 1; k <= 1023; k++) {
  powers[1023 + k] = 2 * powers[1022 + k]
  powers[1023 - k] = 0.5 * powers[1024 - k]
}

/** 1/n!, n from 0 to 13. */
const C = new Float64Array(14)
C[0] = 1
for (let n = 1; n < C.length; n++) C[n] = C[n - 1] / n

/** 2^n, and e^r - 1, of the last argument. */
const parts = new Float64Array(2)

function split(x: Float64Array, k: number): void {
  const y = Math.max(-LARGEST, Math.min(LARGEST, x[k]))
  if (Number.isNaN(y)) {
    parts.fill(NaN)
    return
  }
  const n = Math.floor(y * LOG2_E + 0.5)
  const r = y - n * LN2_HIGH - n * LN2_LOW
  let sum = C[13]
  for (let i = 12; i > 0; i--) sum = C[i] + r * sum
  parts[0] = powers[1023 + n]
  parts[1] = r * sum
}

/** x[k] = e^x[k]. */
export function exp(x: Float64Array, k: number): void {
  split(x, k)
  x[k] = parts[0] + parts[0] * parts[1]
}

/** x[k] = e^x[k] - 1, without loss near 0. */
export function expMinusOne(x: Float64Array, k: number): void {
  split(x, k)
  x[k] = parts[0] * parts[1] + (parts[0] - 1)
}

/** x[k] = log x[k], for x[k] > 0: of m 2^n with m next to 1, n log 2 + 2 artanh((m - 1) / (m + 1)). */
export function log(x: Float64Array, k: number): void {
  let m = x[k]
  if (!(m > 0 && m < Infinity)) {
    x[k] = m === 0 ? -Infinity : m > 0 ? m : NaN
    return
  }
  let n = 0
  for (; m > Math.SQRT2; n++) m *= 0.5
  for (; m < Math.SQRT1_2; n--) m *= 2
  const s = (m - 1) / (m + 1) // at most 0.172: 11 terms are enough for double precision
  let sum = 0
  for (let i = 10; i >= 0; i--) sum = 1 / (2 * i + 1) + s * s * sum
  x[k] = 2 * s * sum + n * LN2_LOW + n * LN2_HIGH
}

/** x[k] = 1 / (1 + e^-x[k]). */
export function sigmoid(x: Float64Array, k: number): void {
  x[k] = -x[k]
  exp(x, k)
  x[k] = 1 / (1 + x[k])
}

/** x[k] = tanh x[k], as m / (m + 2) with m = e^2|x| - 1. */
export function tanh(x: Float64Array, k: number): void {
  const sign = x[k] < 0 ? -1 : 1
  x[k] = 2 * sign * x[k]
  expMinusOne(x, k)
  x[k] = (sign * x[k]) / (x[k] + 2)
}

/** x[k] = log(1 + e^x[k]), as max(x, 0) + 2 artanh(u / (2 + u)) with u = e^-|x|. */
export function softplus(x: Float64Array, k: number): void {
  const linear = x[k] > 0 ? x[k] : 0
  x[k] = x[k] > 0 ? -x[k] : x[k]
  exp(x, k)
  const s = x[k] / (2 + x[k]) // at most 1/3: 17 terms are enough for double precision
  let sum = 0
  for (let n = 16; n >= 0; n--) sum = 1 / (2 * n + 1) + s * s * sum
  x[k] = linear + 2 * s * sum
}

import { expect, test } from 'vitest'
import { angleOf, cos, createRandom, sin, sincos } from '../../dynamics/index.ts'
import { trials } from '../dailyModels.ts'

/*
 * The reference: whole numbers of 2^-BITS. Doubles are whole multiples of a power of two, so that the angle is exact; pi
 * comes from Machin's formula, sine and cosine from their series after halving the angle to within [0, pi/4].
 */
const BITS = 320n
const ONE = 1n << BITS

function arctanOfInverse(n: bigint): bigint {
  let power = (ONE << 32n) / n
  let sum = power
  for (let k = 3n, sign = -1n; power > 0n; k += 2n, sign = -sign) {
    power /= n * n
    sum += (sign * power) / k
  }
  return sum >> 32n
}

const HALF_PI = (16n * arctanOfInverse(5n) - 4n * arctanOfInverse(239n)) / 2n

function fixedOf(x: number): bigint {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, x)
  const bits = view.getBigUint64(0)
  const exponent = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & ((1n << 52n) - 1n)
  const whole = exponent === 0 ? fraction : fraction | (1n << 52n)
  const shift = BITS + BigInt((exponent === 0 ? 1 : exponent) - 1075)
  const size = shift >= 0n ? whole << shift : whole >> -shift
  return x < 0 ? -size : size
}

/** [sin, cos] of a double, in units of 2^-BITS. */
function reference(x: number): [bigint, bigint] {
  const angle = fixedOf(x)
  let n = angle / HALF_PI
  let r = angle - n * HALF_PI
  if (r < 0n) {
    r += HALF_PI
    n -= 1n
  }
  let s = 0n
  let c = 0n
  for (let k = 0n, term = ONE; term !== 0n; k++, term = (term * r) / (ONE * k)) {
    if (k % 4n === 0n) c += term
    else if (k % 4n === 1n) s += term
    else if (k % 4n === 2n) c -= term
    else s -= term
  }
  const quadrant = ((n % 4n) + 4n) % 4n
  if (quadrant === 0n) return [s, c]
  if (quadrant === 1n) return [c, -s]
  if (quadrant === 2n) return [-s, -c]
  return [-c, s]
}

/** |y - exact| in units in the last place of the double nearest to the exact value. */
function ulps(y: number, exact: bigint): number {
  const size = exact < 0n ? -exact : exact
  const exponent = BigInt(size.toString(2).length) - BITS // 2^(exponent - 1) <= |exact| < 2^exponent
  const ulp = 1n << (exponent - 53n + BITS)
  const error = fixedOf(y) - exact
  return Number(((error < 0n ? -error : error) * 1000n) / ulp) / 1000
}

function neighbours(x: number): number[] {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, x)
  const bits = view.getBigInt64(0)
  return [-2n, -1n, 0n, 1n, 2n].map((d) => {
    view.setBigInt64(0, bits + d)
    return view.getFloat64(0)
  })
}

function worstError(points: number[]): number {
  let worst = 0
  for (const x of points) {
    const [s, c] = reference(x)
    const error = Math.max(ulps(sin(x), s), ulps(cos(x), c))
    if (!(error <= worst)) worst = error
  }
  return worst
}

test('sine and cosine are within 1 ulp over the range of joints and wheels, |x| <= 1e6', () => {
  const random = createRandom(1)
  const points: number[] = []
  for (let n = 0; n < trials(6000); n++) points.push(random.between(-4, 4))
  for (let n = 0; n < trials(4000); n++) points.push(random.between(-1e6, 1e6))
  for (let n = 0; n < trials(4000); n++)
    points.push((random.next() < 0.5 ? -1 : 1) * Math.exp(random.between(-40, Math.log(1e6))))
  // beside multiples of pi/2, where the reduction loses most, and of pi/4, where the series change over
  for (let n = 0; n < trials(800); n++) points.push(...neighbours(((n + 1) * Math.PI) / 4))
  for (let n = 0; n < trials(800); n++) points.push(...neighbours(((1 + random.index(636618)) * Math.PI) / 2))
  expect(points.length).toBeGreaterThan(trials(20_000))
  expect(worstError(points)).toBeLessThanOrEqual(1)
})

test('the double below 1e6 that comes nearest to a multiple of pi/2 is no exception', () => {
  // every multiple is tried: Number(bigint) rounds to the nearest double
  let nearest = HALF_PI
  let worst = 0
  const halfPi = HALF_PI >> (BITS - 160n)
  for (let k = 1n; k <= 636619n; k++) {
    const x = Number(k * halfPi) / 2 ** 160
    const distance = (fixedOf(x) >> (BITS - 160n)) - k * halfPi
    const size = distance < 0n ? -distance : distance
    if (size < nearest) {
      nearest = size
      worst = x
    }
  }
  expect(Number(nearest) / 2 ** 160).toBeLessThan(1e-16) // so there is something to lose
  expect(worstError(neighbours(worst))).toBeLessThanOrEqual(1)
})

test('beyond 1e6 the error stays below |x| 2^-104 and 1 ulp of 1', () => {
  const random = createRandom(2)
  for (let n = 0; n < 2000; n++) {
    const x = Math.exp(random.between(Math.log(1e6), Math.log(1e30)))
    const bound = x * 2 ** -104 + 2 ** -53
    const [s, c] = reference(x)
    expect(Math.abs(Number(fixedOf(sin(x)) - s) / Number(ONE))).toBeLessThan(bound)
    expect(Math.abs(Number(fixedOf(cos(x)) - c) / Number(ONE))).toBeLessThan(bound)
  }
  for (const x of [1e100, 1.7e308, -1.7e308]) {
    expect(Math.abs(sin(x))).toBeLessThanOrEqual(1)
    expect(Math.abs(cos(x))).toBeLessThanOrEqual(1)
  }
})

test('special values', () => {
  expect(sin(0)).toBe(0)
  expect(Object.is(sin(-0), -0)).toBe(true)
  expect(cos(0)).toBe(1)
  for (const x of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    expect(sin(x)).toBeNaN()
    expect(cos(x)).toBeNaN()
  }
})

test('sine is odd, cosine even, to the last bit', () => {
  const random = createRandom(3)
  for (let n = 0; n < 1000; n++) {
    const x = random.between(0, 100)
    expect(sin(-x)).toBe(-sin(x))
    expect(cos(-x)).toBe(cos(x))
  }
})

test('sincos gives what sin and cos give', () => {
  const x = Float64Array.of(9, 0.3, -1234.5)
  const out = new Float64Array(2)
  sincos(out, x, 2)
  expect([...out]).toEqual([sin(-1234.5), cos(-1234.5)])
})

test('angleOf gives the angle of a point within 2 ulp of the engine, in all quadrants and on the axes', () => {
  const random = createRandom(3)
  const out = new Float64Array(1)
  const angle = (x: number, y: number) => {
    angleOf(out, 0, Float64Array.of(x, y))
    return out[0]
  }
  for (let k = 0; k < trials(20000); k++) {
    const scale = 10 ** (20 * random.next() - 10)
    const x = scale * (random.next() - 0.5)
    const y = random.next() - 0.5
    const expected = Math.atan2(y, x)
    expect(Math.abs(angle(x, y) - expected)).toBeLessThanOrEqual(2 ** -51 * Math.abs(expected))
  }
  expect([angle(1, 0), angle(0, 1), angle(-1, 0), angle(0, -1)]).toEqual([0, Math.PI / 2, Math.PI, -Math.PI / 2])
  expect(angle(0, 0)).toBe(0)
  expect(angle(NaN, 1)).toBeNaN()
})

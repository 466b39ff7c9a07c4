/**
 * Sine and cosine from + - * and Math.floor alone, so that every engine gives the same bits; the engines' own Math.sin and Math.cos differ
 * in the last place.
 *
 * Accuracy: within 1 unit in the last place for |x| <= 1e6. Beyond, the result is that of an angle with an error of
 * |x| 2^-104 rad, which is still below 1e-16 at |x| = 1e15. NaN for NaN and the infinities.
 *
 * Method: x = k pi/2 + r with |r| <= pi/4 and r an unevaluated sum of two doubles, pi/2 being split into parts whose multiples are exact
 * (Cody and Waite, Software Manual for the Elementary Functions, 1980, ch. 8) and added by Knuth's exact two-sum; then Taylor's series,
 * whose first omitted term is below 1/50 ulp.
 */

const QUARTER_PI = 0.7853981633974483
const TWO_OVER_PI = 0.6366197723675814

// pi/2 = P1 + P2 + P3 + P4 to 2^-155. The first three have at most 33 bits, so that k times each is exact for
// an integer k of up to 20 bits.
const P1 = 1.5707963267341256
const P2 = 6.077100506303966e-11
const P3 = 2.0222662487111665e-21
const P4 = 8.4784276603689e-32

/** Angle up to which k has at most 20 bits. */
const LARGE = 1e6
const TWO_POW_20 = 1048576

// Taylor's coefficients, 1/n!
const S3 = -1 / 6
const S5 = 1 / 120
const S7 = -1 / 5040
const S9 = 1 / 362880
const S11 = -1 / 39916800
const S13 = 1 / 6227020800
const S15 = -1 / 1307674368000
const S17 = 1 / 355687428096000
const C4 = 1 / 24
const C6 = -1 / 720
const C8 = 1 / 40320
const C10 = -1 / 3628800
const C12 = 1 / 479001600
const C14 = -1 / 87178291200
const C16 = 1 / 20922789888000

/** An angle as the sum of two doubles, during the reduction of large ones. */
const reduced = new Float64Array(2)
const argument = new Float64Array(1)
const answer = new Float64Array(2)

/** out[0] = sin x[k], out[1] = cos x[k]. For hot code: the call passes no numbers. @unchecked */
export function sincos(out: Float64Array, x: Float64Array, k: number): void {
  let high = x[k]
  let low = 0
  let quadrant = 0
  if (!(Math.abs(high) <= QUARTER_PI)) {
    if (!(Math.abs(high) <= LARGE)) {
      reduceLarge(high)
      high = reduced[0]
      low = reduced[1]
    }
    const n = Math.floor(high * TWO_OVER_PI + 0.5)
    quadrant = n & 3
    const a = high - n * P1 // exact

    // b + (error of b) = a - n P2, and the same with P3: two-sums
    const t2 = -n * P2
    const b = a + t2
    const b2 = b - a
    const errorB = a - (b - b2) + (t2 - b2)
    const t3 = -n * P3
    const c = b + t3
    const c2 = c - b
    const errorC = b - (c - c2) + (t3 - c2)

    const tail = low + (errorB + errorC - n * P4)
    high = c + tail
    low = c - high + tail
  }

  const z = high * high
  const zz = z * z
  // in pairs (Estrin's scheme), with fewer dependent operations than Horner's
  const rs = S5 + z * S7 + zz * (S9 + z * S11 + zz * (S13 + z * S15 + zz * S17))
  const rc = C4 + z * C6 + zz * (C8 + z * C10 + zz * (C12 + z * C14 + zz * C16))
  // sin(high + low) and cos(high + low) to first order in low; the large term is added last
  const cube = z * high
  const s = high - (z * (0.5 * low - cube * rs) - low - cube * S3)
  const half = 0.5 * z
  const w = 1 - half
  const c = w + (1 - w - half + (zz * rc - high * low))

  if (quadrant === 0) {
    out[0] = s
    out[1] = c
  } else if (quadrant === 1) {
    out[0] = c
    out[1] = -s
  } else if (quadrant === 2) {
    out[0] = -s
    out[1] = -c
  } else {
    out[0] = -c
    out[1] = s
  }
}

/** Sine [rad]. Its result may be boxed: in code of every step use `sincos`. @unchecked */
export function sin(x: number): number {
  argument[0] = x
  sincos(answer, argument, 0)
  return answer[0]
}

/** Cosine [rad]; see `sin`. @unchecked */
export function cos(x: number): number {
  argument[0] = x
  sincos(answer, argument, 0)
  return answer[1]
}

/** reduced[0] + reduced[1] = x less a multiple of 2 pi, at most 1e6: subtracts multiples of 2^20m pi/2, largest first. */
export function reduceLarge(x: number): void {
  let high = x
  let low = 0
  if (x - x === 0) {
    while (Math.abs(high) > LARGE) {
      let scale = TWO_POW_20
      while (Math.abs(high) / scale > LARGE) scale *= TWO_POW_20
      const n = Math.floor((high / scale) * TWO_OVER_PI + 0.5) * scale
      const a = high - n * P1
      const t2 = -n * P2
      const b = a + t2
      const b2 = b - a
      const errorB = a - (b - b2) + (t2 - b2)
      const t3 = -n * P3
      const c = b + t3
      const c2 = c - b
      const errorC = b - (c - c2) + (t3 - c2)
      const tail = low + (errorB + errorC - n * P4)
      high = c + tail
      low = c - high + tail
    }
  } else {
    high = Number.NaN
  }
  reduced[0] = high
  reduced[1] = low
}

/**
 * out[k] = angle of the point (xy[0], xy[1]) in [-pi, pi] [rad], from + - * / and the square root alone, for equal bits in every engine; 0
 * at the origin. Within 2 units in the last place: two steps of a <- a + d + d^3 / 6 with d = sin(angle - a), from a polynomial that is
 * within 0.005. For hot code: the call passes no numbers. @unchecked
 */
export function angleOf(out: Float64Array, k: number, xy: Float64Array): void {
  const x = xy[0]
  const y = xy[1]
  const length = Math.sqrt(x * x + y * y)
  if (!(length > 0)) {
    out[k] = length // 0, or NaN
    return
  }
  const ax = Math.abs(x)
  const ay = Math.abs(y)
  const ratio = ax < ay ? ax / ay : ay / ax
  let angle = ratio * (QUARTER_PI + 0.273 * (1 - ratio))
  if (ax < ay) angle = 2 * QUARTER_PI - angle
  for (let step = 0; step < 2; step++) {
    argument[0] = angle
    sincos(answer, argument, 0)
    const d = (ay * answer[1] - ax * answer[0]) / length
    angle += d + (d * d * d) / 6
  }
  if (x < 0) angle = 4 * QUARTER_PI - angle
  out[k] = y < 0 ? -angle : angle
}

/** For the compiler: what this file's functions refer to. */
// biome-ignore format: a list
export const trigParts = () => ({
  sincos, reduceLarge, reduced, QUARTER_PI, TWO_OVER_PI, LARGE, P1, P2, P3, P4,
  S3, S5, S7, S9, S11, S13, S15, S17, C4, C6, C8, C10, C12, C14, C16,
})

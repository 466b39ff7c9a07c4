/**
 * Section 3.1's interval analysis: bounds of a function over an interval of time, and with them the first root of which none comes
 * before. Snyder, Interval Analysis for Computer Graphics (1992). Bounds are rounded to the nearest number, not outwards, so that
 * their proofs hold but for the last digits.
 */
import { sin } from '../../../dynamics/index.ts'

/** Least and greatest value. */
export type Interval = readonly [number, number]

export const plus = ([a, b]: Interval, [c, d]: Interval): Interval => [a + c, b + d]

export const times = ([a, b]: Interval, k: number): Interval => (k < 0 ? [k * b, k * a] : [k * a, k * b])

export function squared([a, b]: Interval): Interval {
  const [p, q] = [a * a, b * b]
  return a <= 0 && b >= 0 ? [0, Math.max(p, q)] : [Math.min(p, q), Math.max(p, q)]
}

/** Of the sine over angles within a half turn about 0. */
export function sineOf([a, b]: Interval): Interval {
  const half = Math.PI / 2
  if (!(a >= -Math.PI && b <= Math.PI))
    throw new RangeError(`the sine over ${a} to ${b} rad was asked for, expected within pi of 0`)
  const [p, q] = [sin(a), sin(b)]
  return [a <= -half && b >= -half ? -1 : Math.min(p, q), a <= half && b >= half ? 1 : Math.max(p, q)]
}

/**
 * The earliest part of an interval, narrower than asked, over which f may come down to 0: before it f is positive. Halves are looked at
 * from the left, and left out where the bounds exclude them.
 *
 * @returns undefined if f is positive all over; and how often f was asked
 */
export function firstRoot(
  f: (t: Interval) => Interval,
  within: Interval,
  width: number,
): { readonly first: Interval | undefined; readonly asked: number } {
  const open: Interval[] = [within]
  let asked = 0
  while (open.length > 0) {
    const part = open.pop() as Interval
    asked++
    if (f(part)[0] > 0) continue
    const [low, high] = part
    if (high - low <= width) return { first: part, asked }
    const middle = 0.5 * (low + high)
    open.push([middle, high], [low, middle])
  }
  return { first: undefined, asked }
}

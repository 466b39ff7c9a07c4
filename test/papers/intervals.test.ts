import { describe, expect, test } from 'vitest'
import { firstRoot, type Interval, plus, sineOf, squared, times } from '../../cases/papers/baraff/intervals.ts'
import { enclosure, firstContacts } from '../../cases/papers/baraff/timeOfContact.ts'
import { createRandom } from '../../dynamics/index.ts'

describe('bounds over an interval', () => {
  const random = createRandom(3)
  const intervals = Array.from({ length: 200 }, (): Interval => {
    const [a, b] = [random.between(-3, 3), random.between(-3, 3)]
    return [Math.min(a, b), Math.max(a, b)]
  })
  const bounds: Record<string, [(t: Interval) => Interval, (t: number) => number]> = {
    square: [squared, (t) => t * t],
    sine: [sineOf, Math.sin],
    multiple: [(t) => times(t, -2), (t) => -2 * t],
    sum: [(t) => plus(t, squared(t)), (t) => t + t * t],
  }
  for (const [name, [bound, f]] of Object.entries(bounds)) {
    test(`${name}: no value in it is outside of them, and of one function alone they are no wider than its values`, () => {
      for (const t of intervals) {
        const [low, high] = bound(t)
        const values = Array.from({ length: 401 }, (_, i) => f(t[0] + ((t[1] - t[0]) * i) / 400))
        expect(Math.min(...values)).toBeGreaterThanOrEqual(low - 1e-12)
        expect(Math.max(...values)).toBeLessThanOrEqual(high + 1e-12)
        if (name === 'sum') continue
        // the extremes lie within half a spacing of a sample
        const spacing = (t[1] - t[0]) / 400
        expect(Math.min(...values)).toBeLessThan(low + 6 * spacing * spacing + 1e-12)
        expect(Math.max(...values)).toBeGreaterThan(high - 6 * spacing * spacing - 1e-12)
      }
    })
  }

  test('angles beyond a half turn are refused', () => {
    expect(() => sineOf([0, 4])).toThrow(RangeError)
  })
})

test('the first of several roots is found, also a grazing one, and none where there is none', () => {
  // (t - 0.3)² (0.7 - t): it grazes 0 before it crosses
  const f = (t: Interval): Interval => {
    const square = squared(plus(t, [-0.3, -0.3]))
    const other: Interval = [0.7 - t[1], 0.7 - t[0]]
    const products = square.flatMap((a) => other.map((b) => a * b))
    return [Math.min(...products), Math.max(...products)]
  }
  expect(firstRoot(f, [0, 1], 1e-9).first?.[0]).toBeCloseTo(0.3, 8)
  expect(firstRoot((t) => plus(f(t), [1e-3, 1e-3]), [0, 1], 1e-9).first?.[0]).toBeGreaterThan(0.7)
  expect(firstRoot((t) => plus(squared(t), [0.1, 0.1]), [-1, 1], 1e-9)).toMatchObject({ first: undefined })
})

test('first contacts on known paths are enclosed', () => {
  for (const { enclosed, expected } of firstContacts()) {
    expect(enclosed[1] - enclosed[0]).toBeLessThanOrEqual(enclosure)
    expect(expected).toBeGreaterThanOrEqual(enclosed[0] - enclosure)
    expect(expected).toBeLessThanOrEqual(enclosed[1] + enclosure)
  }
})

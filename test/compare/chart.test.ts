import { describe, expect, test } from 'vitest'
import { linearRange, logRange, tickLabel, ticksOf } from '../../compare/report/chart.ts'

describe('charts', () => {
  test('have round ticks', () => {
    expect(ticksOf({ label: '', log: false, range: [0, 5] })).toEqual([0, 1, 2, 3, 4, 5])
    expect(ticksOf({ label: '', log: true, range: [1e-3, 1] })).toEqual([1e-3, 1e-2, 1e-1, 1])
    expect(ticksOf({ label: '', log: true, range: [0.5, 20] })).toEqual([0.5, 1, 2, 5, 10, 20])
    expect(tickLabel(0.001)).toBe('0.001')
    expect(tickLabel(1e-5)).toContain('10<tspan')
  })
  test('end logarithmic axes on 1, 2 or 5 times a decade around what is positive and finite', () => {
    expect(logRange([0, 3e-4, Number.NaN, 0.2, Infinity], 1e-9)).toEqual([2e-4, 0.5])
    expect(logRange([0, 0], 1e-9)).toEqual([1e-9, 1e-8])
  })
  test('are not flattened by one run that blows up', () => {
    expect(
      linearRange([
        [0, 1],
        [0, 1.2],
        [0, 1e20],
      ])[1],
    ).toBeLessThan(2)
  })
})

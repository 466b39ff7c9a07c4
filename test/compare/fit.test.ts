import { describe, expect, test } from 'vitest'
import { fitOf } from '../../cases/fit/fit.ts'
import { ScenarioError } from '../../compare/scenario/index.ts'

/** Blocks that slide to rest, as logged with friction 0.37. */
const logged = (friction: number | string, cases = '[{ v: 1 }, { v: 1.5 }, { v: 2 }, { v: 1.2 }]') => `
title: Blocks
nature: as logged
source: a log
parameters: { mu: 0.5, e: 0.2 }
cases: ${cases}
scenario:
  bodies: [{ name: block, shape: { type: box, size: [0.2, 0.2, 0.05] }, mass: 1, position: [0, 0, 0.025], linearVelocity: [$v, 0, 0] }]
  physical: { friction: $mu, restitution: $e }
  duration: 0.6 s
  dt: 5 ms
measures:
  - { name: way, unit: m, of: block.x, nature: "$v^2/(2*${friction}*9.81)", within: 0.01 }
`
/** A block that is let go on a slope of atan(0.3), and stays. */
const held = logged(1, '[{ v: 0 }, { v: 0 }]').replace('scenario:', 'scenario:\n  gravity: [2.818, 0, -9.396]')
const mu = { name: 'mu', from: 0.1, to: 0.7 }
const e = { name: 'e', from: 0, to: 0.6 }
const fitted = (source: string, ...vary: (typeof mu)[]) =>
  fitOf({ source, file: 'blocks.yaml', vary: [mu, ...vary], column: 'stewart-trinkle', dt: 5e-3, generations: 12 })

describe('a fit', () => {
  test('finds the friction of a log, with an interval that holds it, and predicts ways that it has not seen', async () => {
    const { values, intervals, isDetermined, error, errorBefore, means, meansBefore, meansUnseen } = await fitted(logged(0.37))
    // steps of 5 ms are off by some millimetres of way
    expect(Math.abs(values[0] - 0.37)).toBeLessThan(0.005)
    const [low, high] = intervals[0]
    // what the step is off by is the same in all cases
    expect(low).toBeLessThan(0.373)
    expect(high).toBeGreaterThan(0.367)
    expect(high - low).toBeLessThan(0.06)
    expect(isDetermined).toEqual([true])
    expect(errorBefore).toBeGreaterThan(0.8)
    expect(error).toBeLessThan(0.2)
    expect(means[0]).toBeLessThan(0.1 * meansBefore[0])
    expect(meansUnseen[0]).toBeLessThan(0.2 * meansBefore[0])
  })

  test('is never farther off than the scene as it stands', async () => {
    const { error, errorBefore } = await fitted(logged(0.5))
    expect(error).toBeLessThanOrEqual(errorBefore)
  })

  test('stays within its range where the scene stands nearer outside', async () => {
    const { values } = await fitOf({
      source: logged(0.5),
      file: 'blocks.yaml',
      vary: [{ ...mu, to: 0.4 }],
      column: 'lcp',
      dt: 5e-3,
    })
    expect(values[0]).toBeCloseTo(0.4, 6)
  })

  test('has the interval of a mean of scattered cases', async () => {
    const frictions = Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? 0.32 : 0.42))
    const cases = frictions.map((f, i) => `{ v: ${1 + 1e-4 * i}, f: ${f} }`)
    // far below its bound an error is a square, so that the fit is the mean of the ways
    const source = logged('$f', `[${cases.join(', ')}]`).replace('within: 0.01', 'within: 0.5')
    const { intervals, values } = await fitted(source)
    // d mu = mu^2 2 g / v^2 d way, and the ways lie 19 mm to either side of their mean of 140 mm
    const expected = (2.2 * values[0] ** 2 * 2 * 9.81 * 0.019) / Math.sqrt(11)
    const half = 0.5 * (intervals[0][1] - intervals[0][0])
    expect(half).toBeGreaterThan(0.7 * expected)
    expect(half).toBeLessThan(1.5 * expected)
  })

  test('has no interval of a single case', async () => {
    const { intervals, isDetermined } = await fitted(logged(0.37, '[{ v: 1 }]'))
    expect(intervals).toEqual([[NaN, NaN]])
    expect(isDetermined).toEqual([true])
  })

  test('refuses a parameter without effect, and finds the other one all the same', async () => {
    const { values, isDetermined, intervals, worth } = await fitted(logged(0.37), e)
    expect(isDetermined).toEqual([true, false])
    expect(intervals[1]).toEqual([0, 0.6])
    expect(Math.abs(values[0] - 0.37)).toBeLessThan(0.005)
    expect(worth[0].rise).toBeGreaterThan(2 * worth[0].deviation)
    expect(worth[1].rise).toBe(0)
  })

  test('of a block that sticks stands above the tangent of the slope', async () => {
    const { values, error } = await fitted(held)
    expect(values[0]).toBeGreaterThan(0.2999)
    expect(error).toBeLessThan(1e-3)
  })

  test('of a scene that cannot be is refused', async () => {
    await expect(fitted(logged(0.37).replace('friction: $mu', 'friction: -$mu'))).rejects.toThrow(ScenarioError)
  })
})

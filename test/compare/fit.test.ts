import { describe, expect, test } from 'vitest'
import { fitOf } from '../../cases/fit.ts'
import { ScenarioError } from '../../compare/scenario/index.ts'

/** Blocks that slide to rest, as logged with friction 0.37. */
const logged = (friction: number | string, cases = '[{ v: 1 }, { v: 1.5 }, { v: 2 }]') => `
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
  fitOf({ source, file: 'blocks.yaml', vary: [mu, ...vary], column: 'stewart-trinkle', dt: 5e-3 })

describe('a fit', () => {
  test('finds the friction of a log, to the spacing of its search', async () => {
    const { values, deviations, error, errorBefore, medians, mediansBefore } = await fitted(logged(0.37))
    expect(Math.abs(values[0] - 0.37)).toBeLessThan(0.0125)
    // of what is anywhere in the last grid's spacing, 0.1 / 2^3
    expect(deviations[0]).toBeGreaterThanOrEqual(0.0125 / Math.sqrt(12) - 1e-12)
    expect(deviations[0]).toBeLessThan(0.02)
    expect(errorBefore).toBeGreaterThan(0.8)
    expect(error).toBeLessThan(0.5)
    expect(medians[0]).toBeLessThan(0.1 * mediansBefore[0])
  })

  test('is never farther off than the scene as it stands', async () => {
    const { values, error, errorBefore } = await fitted(logged(0.5))
    expect(Math.abs(values[0] - 0.5)).toBeLessThan(0.0126)
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
    expect(values[0]).toBe(0.4)
  })

  test('has the standard deviation of a mean of scattered cases', async () => {
    const cases = [0.32, 0.42, 0.32, 0.42, 0.32, 0.42, 0.32, 0.42].map((f) => `{ v: 1, f: ${f} }`)
    // far below its bound an error is a square, so that the fit is the mean of the ways
    const source = logged('$f', `[${cases.join(', ')}]`).replace('within: 0.01', 'within: 0.5')
    const { deviations } = await fitted(source)
    // d mu = mu^2 2 g / v^2 d way, and the ways lie 19 mm to either side of their mean of 140 mm
    const expected = (0.363 ** 2 * 2 * 9.81 * 0.019) / Math.sqrt(8)
    expect(deviations[0]).toBeGreaterThan(0.7 * expected)
    expect(deviations[0]).toBeLessThan(1.4 * expected)
  })

  test('has no uncertainty of a single case', async () => {
    const { deviations } = await fitted(logged(0.37, '[{ v: 1 }]'))
    expect(deviations).toEqual([NaN])
  })

  test('finds the whole range of a parameter without effect alike, and the other one all the same', async () => {
    const { values, alike } = await fitted(logged(0.37, '[{ v: 1 }]'), e)
    expect(alike[1]).toEqual([0, 0.6])
    expect(alike[0]).toEqual([values[0], values[0]])
    expect(Math.abs(values[0] - 0.37)).toBeLessThan(0.0125)
  })

  test('of a block that sticks says of its friction that it is above the tangent of the slope, and no more', async () => {
    const { deviations, alike } = await fitted(held)
    const [low, high] = alike[0]
    // a grid's value of 0.3 lies at the slope itself
    expect(low).toBeGreaterThan(0.2999)
    expect(low).toBeLessThan(0.41)
    expect(high).toBe(0.7)
    expect(deviations[0]).toBeGreaterThan(0.3 / Math.sqrt(12) - 1e-12)
  })

  test('of a scene that cannot be is refused', async () => {
    await expect(fitted(logged(0.37).replace('friction: $mu', 'friction: -$mu'))).rejects.toThrow(ScenarioError)
  })
})

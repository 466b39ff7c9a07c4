import { describe, expect, test } from 'vitest'
import { fitOf } from '../../compare/phenomena/fit.ts'
import { ScenarioError } from '../../compare/scenario/index.ts'

/** Blocks that slide to rest, as logged with friction 0.37. */
const logged = (friction: number) => `
title: Blocks
nature: as logged
source: a log
parameters: { mu: 0.5 }
cases: [{ v: 1 }, { v: 1.5 }, { v: 2 }]
scenario:
  bodies: [{ name: block, shape: { type: box, size: [0.2, 0.2, 0.05] }, mass: 1, position: [0, 0, 0.025], linearVelocity: [$v, 0, 0] }]
  physical: { friction: $mu }
  duration: 1.5 s
  dt: 5 ms
measures:
  - { name: way, unit: m, of: block.x, nature: "$v^2/(2*${friction}*9.81)", within: 0.01 }
`
const mu = { name: 'mu', from: 0.1, to: 0.7 }
const fitted = (source: string) => fitOf({ source, file: 'blocks.yaml', vary: [mu], column: 'stewart-trinkle', dt: 5e-3 })

describe('a fit', () => {
  test('finds the friction of a log, to the spacing of its search', async () => {
    const { values, deviations, error, errorBefore, medians, mediansBefore } = await fitted(logged(0.37))
    expect(Math.abs(values[0] - 0.37)).toBeLessThan(0.0125)
    expect(deviations[0]).toBeGreaterThan(1e-3)
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

  test('of a scene that cannot be is refused', async () => {
    await expect(fitted(logged(0.37).replace('friction: $mu', 'friction: -$mu'))).rejects.toThrow(ScenarioError)
  })
})

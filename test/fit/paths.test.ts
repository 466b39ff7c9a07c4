import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { evaluate } from '../../cases/fit/evaluation.ts'
import { fitOf } from '../../cases/fit/fit.ts'
import { phasesOf } from '../../cases/fit/phases.ts'
import { parseScene } from '../../cases/scene.ts'
import { Random } from '../../compare/scenario/world/random.ts'
import { type Cube, sceneOf, tossed } from './syntheticTosses.ts'

const folder = mkdtempSync(join(tmpdir(), 'featherbed-films-'))
afterAll(() => rmSync(folder, { recursive: true }))

const cube: Cube = { mu: 0.3, cx: 0.003, cz: -0.004, s: 0.985, I: 0.9e-3, r: 0.003 }
const log = join(folder, 'tosses.jsonl')
const source = sceneOf(log)
const stated = { mu: 0.3, cx: 0.003, cz: -0.004, s: 0.985, I: 0.9e-3, r: 0.003 }
const file = 'synthetic.yaml'
await tossed(log, cube, 'ncp', 6, 0.12, new Random(5))

describe('a film of a toss', () => {
  test('is met within its noise in flight, from a start that is fitted, and off by a centre of mass that is not its own', async () => {
    const errors = async (values: Record<string, number>) => {
      const cases = await evaluate({ source, file, column: 'ncp', dt: 1 / (14 * 148), values, isFull: true })
      if ('problems' in cases) throw new Error(cases.problems.join())
      const distances = cases.flatMap(({ run }) => {
        const { differences, free } = run as NonNullable<typeof run>
        return Array.from({ length: free - 1 }, (_, i) => 0.1048 * Math.hypot(...differences.subarray(6 * i, 6 * i + 3)))
      })
      return Math.sqrt(distances.reduce((sum, d) => sum + d * d, 0) / distances.length)
    }
    const right = await errors(stated)
    // three axes of 0.05 mm
    expect(right).toBeLessThan(1.2 * Math.sqrt(3) * 5e-5)
    expect(await errors({ ...stated, cz: 0.006 })).toBeGreaterThan(1.5 * right)
    expect(await errors({ ...stated, s: 1.03 })).toBeGreaterThan(1.5 * right)
  })

  test('tells in which phases runs part from it, and shares that add up to one', async () => {
    const cases = await evaluate({ source, file, column: 'ncp', dt: 2e-3, values: { ...stated, mu: 0.15 }, isFull: true })
    if ('problems' in cases) throw new Error(cases.problems.join())
    const { phases, course } = phasesOf(
      cases,
      (await parseScene(source, file)).cases.map(({ path }) => path as NonNullable<typeof path>),
    )
    for (const m of [0, 1]) expect(phases.reduce((sum, { share }) => sum + share[m], 0)).toBeCloseTo(1, 6)
    const touching = phases.filter(({ touch }) => touch !== 'in flight').reduce((sum, { share }) => sum + share[0], 0)
    expect(touching).toBeGreaterThan(0.3)
    expect(course.distances[0].at(-1)).toBeGreaterThan(10 * course.distances[0][0])
  })

  test('gives friction and scale with intervals that hold the truth, and no mass', async () => {
    const vary = [
      { name: 'mu', from: 0.1, to: 0.5 },
      { name: 's', from: 0.95, to: 1.05 },
      { name: 'mass', from: 0.2, to: 0.6 },
    ]
    const { cx, cz, I, r } = cube
    const fitted = await fitOf({ source, file, vary, column: 'ncp', dt: 2e-3, fixed: { cx, cz, I, r }, generations: 4 })
    for (const [i, truth] of [cube.mu, cube.s].entries()) {
      const [low, high] = fitted.intervals[i]
      expect(low).toBeLessThan(truth)
      expect(high).toBeGreaterThan(truth)
      expect(fitted.isDetermined[i]).toBe(true)
    }
    expect(Math.abs(fitted.values[0] - cube.mu)).toBeLessThan(0.02)
    expect(fitted.isDetermined[2]).toBe(false)
    expect(fitted.error).toBeLessThan(0.8 * fitted.errorBefore)
  })

  test.each([
    ['rows: $samples', 'rows: [[1, 2]]', 'columns 0 to 1'],
    ['time: 148', 'time: -1', 'time found -1'],
    ['columns: [0, 1, 2]', 'columns: [0, 1]', '"place" compares 3 quantities with 2 columns'],
    ['isTurn: true', 'isTurn: yes please', 'isTurn'],
  ])('%s as %s is refused with its place', async (from, to, message) => {
    await expect(parseScene(source.replace(from, to), file)).rejects.toThrow(message)
  })
})

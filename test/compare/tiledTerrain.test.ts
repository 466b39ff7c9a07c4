import { describe, expect, test } from 'vitest'
import type { RawScenario } from '../../compare/scenario/index.ts'
import { hasRobots } from '../dailyModels.ts'
import { playScene } from './playScene.ts'

/* Flush tiles of a terrain carry robots as one field does. */

const [length, width] = [6, 3]
const isHere = hasRobots('A1 on tiles')

/** A terrain of this many tiles along x and y, its height a function of x and y. */
function terrain(columns: number, rows: number, height: (x: string, y: string) => string): RawScenario {
  const size = [length / columns, width / rows]
  const obstacles = Array.from({ length: columns * rows }, (_, n) => {
    const x = ((n % columns) + 0.5) * size[0] - length / 2
    const y = (Math.floor(n / columns) + 0.5) * size[1] - width / 2
    const heights = height(`(x + ${x})`, `(y + ${y})`)
    return { type: 'heightfield', name: `tile${n}`, heights, size, spacing: 0.1, position: [x, y, 0] }
  })
  return { ground: false, obstacles }
}

const grounds = {
  flat: () => '0*x',
  waves: (x: string, y: string) => `0.008*cos(2*pi*${x}/1.2)*cos(2*pi*${y}/1.5)`,
}

/** Positions of the base after each step. */
async function pathOver(scene: string, dt: number, steps: number, more: RawScenario): Promise<number[][]> {
  const path: number[][] = []
  await playScene(scene, 'ncp', dt, ({ state: { q } }) => path.push([q[0], q[1], q[2]]), more, steps)
  return path
}

const apart = (a: number[], b: number[]) => Math.hypot(...a.map((x, k) => x - b[k]))
const lengthOf = (path: number[][]) => path.reduce((sum, at, k) => sum + (k === 0 ? 0 : apart(at, path[k - 1])), 0)

/** Greatest distance of two paths at one time, over the length of the first. */
const difference = (one: number[][], other: number[][]) => Math.max(...one.map((at, k) => apart(at, other[k]))) / lengthOf(one)

describe.each(Object.entries(grounds))('%s', (_, height) => {
  test('diffdrive drives over 2, 50 and 100 tiles as over one field', async () => {
    const over = (columns: number, rows: number) => pathOver('terrain', 2e-3, 1000, terrain(columns, rows, height))
    const one = await over(1, 1)
    expect(lengthOf(one)).toBeGreaterThan(0.4)
    for (const [columns, rows] of [
      [2, 1],
      [10, 5],
      [20, 5],
    ])
      expect(difference(one, await over(columns, rows)), `${columns} x ${rows}`).toBeLessThan(0.01)
  })

  test.runIf(isHere)('the A1 trots over 50 tiles as over one field', async () => {
    const over = (columns: number, rows: number) => pathOver('real/trot-a1', 2e-3, 1000, terrain(columns, rows, height))
    const one = await over(1, 1)
    expect(lengthOf(one)).toBeGreaterThan(0.4)
    expect(difference(one, await over(10, 5))).toBeLessThan(0.01)
  })
})

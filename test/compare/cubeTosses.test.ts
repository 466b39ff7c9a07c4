import { describe, expect, test } from 'vitest'
import { caseOf, tossesIn } from '../../bench/cubeTosses.ts'
import { sceneFiles } from '../../cases/phenomena.ts'
import { parseScene } from '../../cases/scene.ts'

const path = process.env.FEATHERBED_TOSSES
if (path === undefined)
  console.log('not run: the twelve tosses of cube-tosses against the film; set FEATHERBED_TOSSES to its folder')

describe('a toss as a case', () => {
  test('has its angular velocity in world axes, and the axis that ends up', () => {
    const half = Math.SQRT1_2
    // turned by 90 degrees about z, then at rest by 90 degrees about x: its y points up
    const samples = [
      [1, 2, 3, 0, 0, half, half, 4, 5, 6, 7, 8, 9],
      [1.1, 2.1, 0.05, half, 0, 0, half, 0, 0, 0, 0, 0, 0],
    ]
    expect(caseOf({ toss: 2, samples })).toEqual({
      toss: 2,
      at: [1, 2, 3],
      turn: [0, 0, 1.5708],
      v: [4, 5, 6],
      w: [-8, 7, 9],
      T: 0.0067568,
      x: 1.1,
      y: 2.1,
      face: 'cos(cube.pitch)*sin(cube.roll)',
      sign: 1,
    })
  })

  test.runIf(path !== undefined)('is what the scene has of every 24th', async () => {
    const [{ file, source }] = sceneFiles(['cube-tosses'])
    const { cases } = await parseScene(source, file)
    const all = tossesIn(path as string).map(caseOf)
    expect(all).toHaveLength(285)
    expect(cases.map(({ values }) => values)).toEqual(all.filter((_, i) => i % 24 === 0))
  })
})

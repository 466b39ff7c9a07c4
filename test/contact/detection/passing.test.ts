import { describe, expect, test } from 'vitest'
import type { Shape } from '../../../contact/geometry/index.ts'
import { identity, rotation } from '../geometry/poses.ts'
import { contactsOf, fixedBox, Scene } from './scene.ts'

/** Two tiles that are flush, the seam at x = 0.15 m, and something that moves along x over the first, 4 mm before the seam. */
const tiles = [fixedBox('here', [0.3, 1, 0.1], [0, 0, -0.05]), fixedBox('there', [0.3, 1, 0.1], [0.3, 0, -0.05])]
const box: Shape = { type: 'box', size: [0.1, 0.1, 0.05] }
const ball: Shape = { type: 'sphere', radius: 0.05 }
const horizon = 2e-3

/** Normals of the contacts, as texts; with the velocity in the body's axes, angular part first. */
function normalsOf(
  shape: Shape,
  position: readonly number[],
  velocity: readonly number[],
  R: Float64Array = identity,
  fixtures = tiles,
): Set<string> {
  const scene = new Scene(shape, fixtures)
  scene.data.V[1].set(velocity)
  return new Set(
    contactsOf(scene.detect(R, position, horizon)).map(({ normal }) => normal.map((x) => Number(x.toFixed(6)) || 0).join(' ')),
  )
}
const up = '0 0 1'

describe('passing a seam', () => {
  test('a box that slides touches the tops alone, sunk by as much as rigid models let it', () => {
    for (const sunk of [0, 1e-9, 1e-8, -1e-9])
      expect(normalsOf(box, [0.096, 0, 0.025 - sunk], [0, 0, 0, 3, 0, 0])).toEqual(new Set([up]))
  })

  test('so does one that is turned, whose velocity is in its own axes', () => {
    const turn = 0.3
    const R = rotation([0, 0, 1], turn)
    const reach = 0.05 * (Math.cos(turn) + Math.sin(turn))
    const velocity = [0, 0, 0, 3 * Math.cos(turn), -3 * Math.sin(turn), 0]
    expect(normalsOf(box, [0.146 - reach, 0, 0.025], velocity, R)).toEqual(new Set([up]))
  })

  test('a ball that rolls touches the top below it alone', () => {
    expect(normalsOf(ball, [0.145, 0, 0.05 - 1e-9], [0, 40, 0, 2, 0, 0])).toEqual(new Set([up]))
  })

  test('a box that has sunk by 0.1 mm, as springs let it, touches the tops alone: the sides are buried', () => {
    expect(normalsOf(box, [0.096, 0, 0.0249], [0, 0, 0, 3, 0, 0])).toEqual(new Set([up]))
    expect(normalsOf(box, [0.096, 0, 0.025], [0, 5, 0, 3, 0, 0])).toEqual(new Set([up]))
  })

  test('a box that is 0.1 mm too low for the next tile meets its side', () => {
    const step = [tiles[0], fixedBox('there', [0.3, 1, 0.1], [0.3, 0, -0.0499])]
    expect(normalsOf(box, [0.096, 0, 0.025], [0, 0, 0, 3, 0, 0], identity, step)).toContain('-1 0 0')
  })

  test('a box that comes down over the edge of one tile meets it', () => {
    const scene = new Scene(box, [tiles[1]])
    scene.data.V[1].set([0, 0, 0, 3, 0, -1])
    expect(scene.detect(identity, [0.098, 0, 0.026], horizon).count).toBeGreaterThan(0)
  })
})

import { expect, test } from 'vitest'
import { RayTarget, type Shape } from '../../../contact/geometry/index.ts'
import { identity } from './poses.ts'

const turned = Float64Array.of(0, -1, 0, 1, 0, 0, 0, 0, 1)

/** How far a ray of at most 10 m goes; the shape's body is turned by 90 degrees about z and at (1, 2, 3). */
function cast(shape: Shape, origin: number[], direction: number[]): number {
  const target = new RayTarget({ name: 'shape', body: 0, shape, R: identity, p: new Float64Array(3) })
  target.place(turned, Float64Array.of(1, 2, 3))
  const size = Math.hypot(...direction)
  const out = Float64Array.of(10)
  target.cast(
    Float64Array.from(origin),
    Float64Array.from(direction, (x) => x / size),
    out,
    0,
  )
  return out[0]
}

test('a ray ends on the face of a box, turned with its body; is 0 inside, and the range where it passes', () => {
  const box: Shape = { type: 'box', size: [0.4, 1, 0.6] } // 1 m along the world's x
  expect(cast(box, [-1, 2, 3], [1, 0, 0])).toBeCloseTo(1.5, 8)
  expect(cast(box, [1, -1, 3], [0, 1, 0])).toBeCloseTo(2.8, 8)
  // aslant onto the face x = 0.5
  expect(cast(box, [-0.5, 1, 3], [1, 0.9, 0])).toBeCloseTo(Math.hypot(1, 0.9), 8)
  expect(cast(box, [1, 2, 3], [1, 0, 0])).toBe(0)
  expect(cast(box, [-1, 2.21, 3], [1, 0, 0])).toBe(10)
  expect(cast(box, [-1, 2, 3], [-1, 0, 0])).toBe(10)
})

test('a ray ends on a half-space exactly, also where it grazes, and not behind it or from below', () => {
  const plane: Shape = { type: 'halfspace', normal: [0, 0, 1], offset: -3 } // the world's z = 0
  expect(cast(plane, [0, 0, 3], [4, 0, -3])).toBe(5)
  expect(cast(plane, [0, 0, 1e-3], [1, 0, -1e-3])).toBeCloseTo(Math.hypot(1, 1e-3), 12)
  expect(cast(plane, [0, 0, 1], [0, 0, 1])).toBe(10)
  expect(cast(plane, [0, 0, -1], [0, 0, 1])).toBe(0)
})

test('a ray ends on the slope of a height field where the plane of the slope is', () => {
  // height 0.5 y' in the field's axes, whose y' is the world's -x about x = 1, at z = 3
  const [rows, columns] = [21, 21]
  const heights = Float64Array.from({ length: rows * columns }, (_, k) => 0.5 * 0.1 * (Math.floor(k / columns) - 10))
  const field = { type: 'heightfield', rows, columns, spacing: [0.1, 0.1], heights } as const satisfies Shape
  expect(cast(field, [1.4, 2, 4], [0, 0, -1])).toBeCloseTo(1.2, 8)
  // level along x from the high side is inside; from the low side it meets z = 3.2 at x = 0.6
  expect(cast(field, [1.9, 2, 3.2], [-1, 0, 0])).toBeCloseTo(1.3, 8)
  expect(cast(field, [1.9, 2, 3.2], [1, 0, 0])).toBe(10)
})

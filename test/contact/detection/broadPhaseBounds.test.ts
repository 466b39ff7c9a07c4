import { expect, test } from 'vitest'
import {
  boxPolyhedron,
  meshOfPolyhedron,
  type Shape,
  supportPoint,
  writeBounds,
  writeShapeBounds,
} from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import { colliderAt, identity, origin, randomRotation, randomShapes, randomUnit } from '../geometry/poses.ts'

test('the box around a shape ends where its farthest points along the axes are, and a margin beyond', () => {
  const random = createRandom(71)
  const kinds: Record<string, (r: typeof random) => Shape> = {
    ...randomShapes,
    mesh: () => ({ type: 'mesh', mesh: meshOfPolyhedron(boxPolyhedron([0.3, 0.5, 0.7])) }),
  }
  const out = new Float64Array(8)
  const margin = Float64Array.of(0, 0.25)
  const point = new Float64Array(3)
  for (const [kind, make] of Object.entries(kinds)) {
    for (let n = 0; n < trials(50); n++) {
      const shape = make(random)
      const R = randomRotation(random)
      const p = randomUnit(random)
      for (const k of [0, 1]) {
        const ways = [() => writeShapeBounds(shape, R, p, margin, k, out, 1)]
        if (kind !== 'mesh') ways.push(() => writeBounds(colliderAt(shape, R, p), margin, k, out, 1))
        for (const write of ways) {
          out.fill(7)
          write()
          for (let side = 0; side < 6; side++) {
            const sign = side < 3 ? -1 : 1
            supportPoint(
              shape,
              R,
              p,
              Float64Array.from([0, 1, 2], (axis) => (axis === side % 3 ? sign : 0)),
              point,
            )
            // rounding of sums of about 1 m
            expect(Math.abs(out[1 + side] - point[side % 3] - sign * margin[k])).toBeLessThan(1e-15)
          }
          expect([out[0], out[7]]).toEqual([7, 7])
        }
      }
    }
  }
})

test('half-spaces have no end, height fields none below', () => {
  const out = new Float64Array(6)
  const none = new Float64Array(1)
  const halfSpace: Shape = { type: 'halfspace', normal: [0, 0, 1], offset: 2 }
  writeBounds(colliderAt(halfSpace, identity, origin), none, 0, out, 0)
  expect(Array.from(out)).toEqual([-Infinity, -Infinity, -Infinity, Infinity, Infinity, Infinity])
  const heights = Float64Array.of(0, 1, 2, 3, 4, 5)
  const field: Shape = { type: 'heightfield', rows: 2, columns: 3, spacing: [0.5, 2], heights }
  writeShapeBounds(field, identity, Float64Array.of(10, 20, 30), none, 0, out, 0)
  expect(Array.from(out)).toEqual([9.5, 19, -Infinity, 10.5, 21, 35])
})

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

/** A hall, 10 m along the world's x, open to the top: floor at the world's z = 3, walls 1 m high. In the axes of the body. */
function hall(): Shape {
  const boxes = [
    [-2, 2, -5, 5, -0.1, 0],
    [-2, 2, -5.2, -5, -0.1, 1],
    [-2, 2, 5, 5.2, -0.1, 1],
  ]
  const vertices: number[] = []
  const triangles: number[] = []
  for (const [x0, x1, y0, y1, z0, z1] of boxes) {
    const at = vertices.length / 3
    for (let k = 0; k < 8; k++) vertices.push(k & 1 ? x1 : x0, k & 2 ? y1 : y0, k & 4 ? z1 : z0)
    for (const [a, b, c, d] of [
      [0, 2, 3, 1],
      [4, 5, 7, 6],
      [0, 1, 5, 4],
      [2, 6, 7, 3],
      [0, 4, 6, 2],
      [1, 3, 7, 5],
    ])
      triangles.push(at + a, at + b, at + c, at + a, at + c, at + d)
  }
  return { type: 'mesh', mesh: { vertices: Float64Array.from(vertices), triangles: Int32Array.from(triangles) } }
}

test.each([1e-6, 1e-4, 5e-3, 0.02, 0.5])('a ray %d m above the floor of a mesh meets the wall behind it', (height) => {
  expect(cast(hall(), [0, 2, 3 + height], [1, 0, 0])).toBeCloseTo(6, 9)
  expect(cast(hall(), [0, 2, 3 + height], [-1, 0, 0])).toBeCloseTo(4, 9)
})

test('rays that come down slowly meet boxes, cylinders, ellipsoids, meshes and fields where they should', () => {
  const flat = { type: 'heightfield', rows: 3, columns: 3, spacing: [10, 10], heights: new Float64Array(9) } as const
  const shapes: Shape[] = [{ type: 'box', size: [4, 40, 0] }, { type: 'cylinder', radius: 9, length: 0 }, flat].map((shape) =>
    shape.type === 'box' ? { ...shape, size: [4, 40, 1e-9] } : shape.type === 'cylinder' ? { ...shape, length: 1e-9 } : shape,
  ) as Shape[]
  for (const shape of [...shapes, hall()])
    for (const slope of [0.1, 0.01, 1e-3]) {
      const length = 4 * Math.hypot(1, slope)
      expect(Math.abs(cast(shape, [0, 2, 3 + 4 * slope], [1, 0, -slope]) - length)).toBeLessThan(1e-6)
    }
  // an ellipsoid, grazed 0.1 mm below its top: half axes 1, 2 (the world's x), 0.5
  const ellipsoid: Shape = { type: 'ellipsoid', radii: [1, 2, 0.5] }
  const under = 1 - 1e-4 / 0.5
  expect(cast(ellipsoid, [-5, 2, 3.5 - 1e-4], [1, 0, 0])).toBeCloseTo(6 - 2 * Math.sqrt(1 - under * under), 7)
  expect(cast(ellipsoid, [-5, 2, 3.5 + 1e-9], [1, 0, 0])).toBe(10)
})

test('a ray that crosses the tip of a thin ridge of a field meets it', () => {
  // a ridge along the world's y, one cell of 0.1 m to each side, 0.2 m high
  const [rows, columns] = [41, 11]
  const heights = Float64Array.from({ length: rows * columns }, (_, k) => (Math.floor(k / columns) === 20 ? 0.2 : 0))
  const field = { type: 'heightfield', rows, columns, spacing: [0.1, 0.1], heights } as const satisfies Shape
  for (const below of [1e-6, 1e-4, 1e-2, 0.1])
    expect(cast(field, [0.05, 2.01, 3.2 - below], [1, 0, 0])).toBeCloseTo(0.95 - below / 2, 9)
  expect(cast(field, [0.05, 2.01, 3.2 + 1e-9], [1, 0, 0])).toBe(10)
  // along a grid line, a diagonal and straight down on a corner of cells
  expect(cast(field, [0.1, 2, 3.1], [1, 0, 0])).toBeCloseTo(0.85, 9)
  expect(cast(field, [0.5, 1.5, 3.1], [1, 1, 0])).toBeCloseTo(0.45 * Math.SQRT2, 9)
  expect(cast(field, [1, 2, 4], [0, 0, -1])).toBeCloseTo(0.8, 9)
})

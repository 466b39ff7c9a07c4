import { expect, test } from 'vitest'
import { createFieldShape } from '../../../contact/detection/index.ts'
import {
  boundingRadius,
  checkShape,
  createCollider,
  GeometryError,
  lowestPoint,
  type Shape,
  supportPoint,
} from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { createFreeBody } from '../../../robots/index.ts'
import { trials } from '../../dailyModels.ts'
import { dot, identity, origin, randomRotation, randomShapes, randomUnit, turned } from './poses.ts'

/** A point of the shape's surface, in its own axes, drawn at random. */
function surfacePoint(shape: Shape, random: ReturnType<typeof createRandom>): number[] {
  const u = randomUnit(random)
  const angle = random.between(-Math.PI, Math.PI)
  switch (shape.type) {
    case 'sphere':
      return Array.from(u, (x) => shape.radius * x)
    case 'ellipsoid':
      return Array.from(u, (x, k) => shape.radii[k] * x)
    case 'capsule':
      return [shape.radius * u[0], shape.radius * u[1], shape.radius * u[2] + (random.index(2) - 0.5) * shape.length]
    case 'cylinder':
      return [shape.radius * Math.cos(angle), shape.radius * Math.sin(angle), (random.index(2) - 0.5) * shape.length]
    case 'box':
      return shape.size.map((s, k) => (random.index(2) - 0.5) * (s - 2 * (shape.rounding ?? 0)) + (shape.rounding ?? 0) * u[k])
    case 'hull': {
      const i = 3 * random.index(shape.polyhedron.vertices.length / 3)
      return Array.from(shape.polyhedron.vertices.subarray(i, i + 3))
    }
    default:
      return []
  }
}

test('no point of a shape lies beyond its support point or its bounding radius, and some come near', () => {
  const random = createRandom(21)
  for (const [name, make] of Object.entries(randomShapes)) {
    for (let n = 0; n < trials(50); n++) {
      const shape = make(random)
      const R = randomRotation(random)
      const p = randomUnit(random)
      const direction = randomUnit(random)
      const support = new Float64Array(3)
      supportPoint(shape, R, p, direction, support)
      const lowest = new Float64Array(3)
      lowestPoint(shape, R, p, lowest)
      let reach = -Infinity
      let bottom = Infinity
      let radius = 0
      for (let k = 0; k < 2000; k++) {
        const x = turned(R, surfacePoint(shape, random)).map((value, i) => value + p[i])
        reach = Math.max(reach, dot(direction, x))
        bottom = Math.min(bottom, x[2])
        radius = Math.max(radius, Math.hypot(...x))
      }
      // 2,000 draws come within some hundredths of a metre of the extreme point of surfaces up to 1 m across
      const coarse = 0.06
      for (const [bound, drawn] of [
        [dot(direction, support), reach],
        [-lowest[2], -bottom],
        [boundingRadius(shape, R, p), radius],
      ]) {
        expect(drawn - bound, name).toBeLessThan(1e-12)
        expect(bound - drawn, name).toBeLessThan(coarse)
      }
    }
  }
})

test('the lowest point of a cylinder on its side is below its axis, of a standing one on its lower cap', () => {
  const cylinder: Shape = { type: 'cylinder', radius: 0.3, length: 1 }
  const out = new Float64Array(3)
  lowestPoint(cylinder, Float64Array.from([1, 0, 0, 0, 0, -1, 0, 1, 0]), Float64Array.from([0, 0, 2]), out)
  expect(out[2]).toBeCloseTo(1.7, 14)
  lowestPoint(cylinder, identity, origin, out)
  expect(out[2]).toBe(-0.5)
})

test('a half-space has no support point', () => {
  const half: Shape = { type: 'halfspace', normal: [0, 0, 1], offset: 0 }
  expect(() => lowestPoint(half, identity, origin, new Float64Array(3))).toThrow(GeometryError)
  expect(boundingRadius(half, identity, origin)).toBe(Infinity)
})

test('numbers that no shape has are refused by name', () => {
  const bad: Shape[] = [
    { type: 'sphere', radius: -1 },
    { type: 'box', size: [1, 0, 1] },
    { type: 'cylinder', radius: Number.NaN, length: 1 },
    { type: 'capsule', radius: 0.1, length: -1 },
    { type: 'halfspace', normal: [0, 0, 2], offset: 0 },
  ]
  for (const shape of bad) expect(() => checkShape(shape, 'left foot')).toThrow(/"left foot"/)
})

// As a caller in plain JavaScript may have it: what a field is, and what is to be done, stands in the error of every type.
const odd: readonly (readonly [unknown, string])[] = [
  [undefined, 'shape "foot" is missing; expected an object with a type'],
  [{ radius: 1 }, 'shape "foot".type is missing; expected one of sphere'],
  [{ type: 'cone' }, 'shape "foot".type is "cone"; expected one of sphere'],
  [{ type: 'sphere' }, 'shape "foot" (sphere): radius is missing'],
  [{ type: 'sphere', radius: '0.1' }, 'shape "foot" (sphere): radius is "0.1"'],
  [{ type: 'box' }, 'shape "foot" (box): size is missing; expected a list of 3'],
  [{ type: 'box', size: 1 }, 'shape "foot" (box): size is 1'],
  [{ type: 'box', size: [1, 1] }, 'shape "foot" (box): size is [1, 1]; expected a list of 3'],
  [{ type: 'box', size: [1, Number.NaN, 1] }, 'shape "foot" (box): size[1] is NaN; expected a positive number [m]'],
  [{ type: 'capsule', length: 1 }, 'shape "foot" (capsule): radius is missing'],
  [{ type: 'cylinder', radius: 1 }, 'shape "foot" (cylinder): length is missing'],
  [
    { type: 'hull', points: [[0, 0, 0]] },
    'shape "foot" (hull): polyhedron is missing; expected that of its points; hullOf makes it',
  ],
  [{ type: 'hull', polyhedron: { vertices: [0, 0, 0] } }, 'polyhedron.vertices is [0, 0, 0], expected a Float64Array of n x 3'],
  [{ type: 'hull', polyhedron: { vertices: new Float64Array(3) } }, 'polyhedron.edges is missing'],
  [
    { type: 'mesh', file: 'foot.stl' },
    'shape "foot" (mesh): mesh is missing; expected its vertices and triangles; closedMesh makes it',
  ],
  [{ type: 'mesh', mesh: { vertices: new Float64Array(9) } }, 'mesh.triangles is missing'],
  [
    { type: 'mesh', mesh: { vertices: new Float64Array(9), triangles: Int32Array.of(0, 1, 3) } },
    'not below the number of vertices, 3',
  ],
  [{ type: 'halfspace', offset: 0 }, 'shape "foot" (halfspace): normal is missing'],
  [{ type: 'halfspace', normal: [0, 0, 1] }, 'shape "foot" (halfspace): offset is missing'],
  [{ type: 'heightfield', rows: 2, columns: 2 }, 'shape "foot" (heightfield): spacing is missing'],
  [{ type: 'heightfield', rows: 2, columns: 2, spacing: [1, 1] }, 'shape "foot" (heightfield): heights is missing'],
]

test('a shape with a field missing or of another type is refused by name, and so are a body, a query and a field of it', () => {
  for (const [shape, message] of odd) {
    expect(() => checkShape(shape as Shape, 'foot')).toThrow(GeometryError)
    expect(() => checkShape(shape as Shape, 'foot')).toThrow(message)
    expect(() => createFreeBody({ name: 'foot', shape: shape as Shape, mass: 1 })).toThrow(message)
    expect(() => createCollider(shape as Shape)).toThrow(GeometryError)
    if (shape !== undefined) expect(() => createFieldShape(shape as Shape)).toThrow(GeometryError)
  }
})

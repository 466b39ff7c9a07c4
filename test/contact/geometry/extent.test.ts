import { expect, test } from 'vitest'
import {
  boundingRadius,
  checkShape,
  GeometryError,
  lowestPoint,
  type Shape,
  supportPoint,
} from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
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
      return shape.size.map((s) => (random.index(2) - 0.5) * s)
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
    for (let n = 0; n < 50; n++) {
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

import { expect, test } from 'vitest'
import { type ConvexShape, GeometryError, hullOf, type Polyhedron, polyhedralVersion } from '../../../contact/geometry/index.ts'
import { daily } from '../../dailyModels.ts'
import { polyhedronFaults } from './polyhedronFaults.ts'

const shapes: readonly ConvexShape[] = [
  { type: 'cylinder', radius: 0.3, length: 0.1 },
  { type: 'sphere', radius: 0.3 },
  { type: 'capsule', radius: 0.3, length: 0.5 },
  { type: 'capsule', radius: 0.3, length: 0 },
]
const counts = [3, 4, 7, 16, 30, 64]

/** Signed distance of a point from a shape with radius 0.3, in closed form. */
function distanceFrom(shape: ConvexShape, [x, y, z]: ArrayLike<number> & Iterable<number>): number {
  if (shape.type === 'sphere') return Math.hypot(x, y, z) - 0.3
  if (shape.type === 'capsule') return Math.hypot(x, y, Math.max(0, Math.abs(z) - 0.5 * shape.length)) - 0.3
  return Math.max(Math.hypot(x, y) - 0.3, Math.abs(z) - 0.05)
}

/** Least distance of the planes of the faces from the shape's surface at their sides: below 0 a plane cuts the shape. */
function clearance(shape: ConvexShape, { vertices, faces, faceNormals }: Polyhedron): number[] {
  return faces.map(([i], f) => {
    const n = faceNormals.subarray(3 * f, 3 * f + 3)
    const offset = n[0] * vertices[3 * i] + n[1] * vertices[3 * i + 1] + n[2] * vertices[3 * i + 2]
    if (shape.type === 'sphere') return offset - 0.3
    if (shape.type === 'capsule') return offset - 0.3 - 0.5 * shape.length * Math.abs(n[2])
    return offset - 0.3 * Math.hypot(n[0], n[1]) - 0.05 * Math.abs(n[2])
  })
}

const corners = ({ vertices }: Polyhedron) =>
  Array.from({ length: vertices.length / 3 }, (_, i) => vertices.subarray(3 * i, 3 * i + 3))

for (const shape of shapes) {
  const name = shape.type === 'capsule' ? `capsule of length ${shape.length}` : shape.type
  test(`${name}: inscribed vertices are on the surface, circumscribed faces touch or clear it, and both are true polyhedra`, () => {
    for (const sides of daily(counts, 5)) {
      const inner = polyhedralVersion(shape, { sides })
      const outer = polyhedralVersion(shape, { sides, fit: 'circumscribed' })
      expect(polyhedronFaults(inner)).toEqual([])
      expect(polyhedronFaults(outer)).toEqual([])
      // roundings of lengths below 1 m
      for (const corner of corners(inner)) expect(Math.abs(distanceFrom(shape, corner))).toBeLessThan(4e-16)
      const gaps = clearance(shape, outer)
      expect(Math.abs(Math.min(...gaps))).toBeLessThan(4e-16)
      if (shape.type === 'cylinder') expect(Math.max(...gaps)).toBeLessThan(4e-16)
    }
  })

  test(`${name}: four times the sides are more than ten times nearer`, () => {
    const deviation = (sides: number) =>
      Math.max(...corners(polyhedralVersion(shape, { sides, fit: 'circumscribed' })).map((c) => distanceFrom(shape, c)))
    // the error falls with the square of the sides, and ends of capsules and triangles of spheres are not all alike
    expect(deviation(64)).toBeLessThan(deviation(16) / 10)
  })
}

test('a prism deviates by r (1 - cos(pi / n)) inside and r (1 / cos(pi / n) - 1) outside', () => {
  for (const sides of counts) {
    const cylinder = shapes[0]
    const c = Math.cos(Math.PI / sides)
    const inner = clearance(cylinder, polyhedralVersion(cylinder, { sides }))
    expect(Math.min(...inner)).toBeCloseTo(0.3 * (c - 1), 14)
    const outer = polyhedralVersion(cylinder, { sides, fit: 'circumscribed' })
    for (const corner of corners(outer)) expect(Math.hypot(corner[0], corner[1])).toBeCloseTo(0.3 / c, 14)
    expect([outer.faces.length, outer.vertices.length / 3, outer.edges.length / 2]).toEqual([sides + 2, 2 * sides, 3 * sides])
  }
})

test('a sphere is quartered until a great circle crosses as many triangles as sides were asked for', () => {
  for (const [sides, faces] of [
    [3, 20],
    [10, 20],
    [11, 80],
    [20, 80],
    [21, 320],
  ]) {
    expect(polyhedralVersion({ type: 'sphere', radius: 1 }, { sides }).faces.length).toBe(faces)
  }
})

test('boxes and hulls are what they are; a sphere without radius is a point', () => {
  const polyhedron = hullOf(Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1))
  expect(polyhedralVersion({ type: 'hull', polyhedron })).toBe(polyhedron)
  expect(polyhedralVersion({ type: 'box', size: [1, 2, 3] }).faces.length).toBe(6)
  expect(polyhedralVersion({ type: 'sphere', radius: 0 }).vertices).toEqual(new Float64Array(3))
})

test('numbers of sides that make no polyhedron are refused', () => {
  for (const sides of [2, 3.5, Number.NaN, 5000]) expect(() => polyhedralVersion(shapes[0], { sides })).toThrow(GeometryError)
})

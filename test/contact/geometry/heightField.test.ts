import { expect, test } from 'vitest'
import {
  boundingRadius,
  checkShape,
  GeometryError,
  type HeightField,
  heightAt,
  heightFieldSurface,
  supportPoint,
  trianglesUnder,
} from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import { dot, identity, origin } from './poses.ts'

const random = createRandom(81)
const field: HeightField = {
  type: 'heightfield',
  rows: 7,
  columns: 5,
  spacing: [0.25, 0.5],
  heights: Float64Array.from({ length: 35 }, () => random.between(-0.2, 0.3)),
}
const [halfX, halfY] = [0.5, 1.5]

/** Height over (x, y) of the triangle's plane, and whether (x, y) is in the triangle, by barycentric coordinates. */
function over(corners: Float64Array, x: number, y: number) {
  const [ax, ay, az, bx, by, bz, cx, cy, cz] = corners
  const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
  const b = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / area
  const c = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / area
  return { height: az + b * (bz - az) + c * (cz - az), inside: Math.min(1 - b - c, b, c) >= -1e-12, area }
}

const triangleCount = 2 * 6 * 4

const surface = heightFieldSurface(field)

/** The corners of a triangle as `trianglesUnder` numbers them. */
function setCorners(t: number, out: Float64Array): void {
  const { vertices, triangles } = surface
  for (let i = 0; i < 9; i++) out[i] = vertices[3 * triangles[3 * t + Math.floor(i / 3)] + (i % 3)]
}

test('the surface over a point is that of the triangle it falls into, and the normal is the triangle’s', () => {
  const [out, corners] = [new Float64Array(4), new Float64Array(9)]
  for (let n = 0; n < trials(2000); n++) {
    const x = Float64Array.of(random.between(-halfX, halfX), random.between(-halfY, halfY), 7)
    heightAt(field, x, out)
    let hits = 0
    let off = 0
    for (let t = 0; t < triangleCount; t++) {
      setCorners(t, corners)
      const { height, inside, area } = over(corners, x[0], x[1])
      off = Math.max(off, Math.abs(area - 0.125)) // twice that of half a cell, positive: counter-clockwise from above
      if (!inside) continue
      hits++
      expect(out[0]).toBeCloseTo(height, 12)
      const normal = out.subarray(1)
      expect(Math.hypot(...normal)).toBeCloseTo(1, 14)
      expect(out[3]).toBeGreaterThan(0)
      for (const k of [3, 6]) {
        expect(
          dot(
            normal,
            [0, 1, 2].map((d) => corners[k + d] - corners[d]),
          ),
        ).toBeCloseTo(0, 12)
      }
    }
    expect(off).toBeLessThan(5e-15)
    expect(hits).toBe(1)
  }
})

test('grid points have their heights, also at the rim; beside the field there is nothing', () => {
  const out = new Float64Array(4)
  for (let j = 0; j < 7; j++) {
    for (let i = 0; i < 5; i++) {
      heightAt(field, Float64Array.of(-halfX + 0.25 * i, -halfY + 0.5 * j, 0), out)
      expect(out[0]).toBeCloseTo(field.heights[5 * j + i], 14)
    }
  }
  for (const [x, y] of [
    [0.51, 0],
    [-0.51, 0],
    [0, 1.51],
    [0, -1.51],
    [Number.NaN, 0],
  ]) {
    heightAt(field, Float64Array.of(x, y, 0), out)
    expect([...out]).toEqual([-Infinity, 0, 0, 1])
  }
})

test('the triangles under a rectangle are those whose cells it touches', () => {
  const [triangles, count, corners] = [new Int32Array(triangleCount), new Int32Array(1), new Float64Array(9)]
  for (let n = 0; n < 500; n++) {
    const low = Float64Array.of(random.between(-0.8, 0.6), random.between(-2, 1.8))
    const high = Float64Array.of(low[0] + random.between(0, 0.6), low[1] + random.between(0, 1))
    trianglesUnder(field, low, high, triangles, count)
    const expected: number[] = []
    for (let t = 0; t < triangleCount; t++) {
      setCorners(t, corners)
      const [left, right] = [Math.min(corners[0], corners[3], corners[6]), Math.max(corners[0], corners[3], corners[6])]
      const [front, back] = [Math.min(corners[1], corners[4], corners[7]), Math.max(corners[1], corners[4], corners[7])]
      if (low[0] <= right && high[0] >= left && low[1] <= back && high[1] >= front) expected.push(t)
    }
    expect([...triangles.subarray(0, count[0])]).toEqual(expected)
  }
  const few = new Int32Array(3)
  trianglesUnder(field, Float64Array.of(-1, -2), Float64Array.of(1, 2), few, count)
  expect([count[0], ...few]).toEqual([triangleCount, 0, 1, 2])
})

test('the surface as a mesh has the same triangles', () => {
  const { vertices, triangles } = heightFieldSurface(field)
  const corners = new Float64Array(9)
  expect(triangles.length / 3).toBe(triangleCount)
  for (let t = 0; t < triangleCount; t++) {
    setCorners(t, corners)
    const own = [...triangles.subarray(3 * t, 3 * t + 3)].flatMap((i) => [...vertices.subarray(3 * i, 3 * i + 3)])
    expect(own).toEqual([...corners])
  }
})

test('height fields have no end below, and their numbers are checked', () => {
  expect(() => supportPoint(field, identity, origin, Float64Array.of(0, 0, 1), new Float64Array(3))).toThrow(GeometryError)
  expect(boundingRadius(field, identity, origin)).toBe(Infinity)
  expect(() => checkShape(field, 'field')).not.toThrow()
  for (const [bad, what] of [
    [{ ...field, rows: 1 }, /rows is 1; expected a whole number from 2 up/],
    [{ ...field, spacing: [0, 1] }, /spacing\[0\] is 0; expected a positive number/],
    [{ ...field, columns: 6 }, /35 heights, expected 7 x 6/],
    [{ ...field, heights: field.heights.map((h, i) => (i === 3 ? Number.NaN : h)) }, /a height is not finite/],
  ] as const) {
    expect(() => checkShape(bad as HeightField, 'field')).toThrow(what)
  }
})

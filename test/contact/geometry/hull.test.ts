import { Vector3 } from 'three'
import { ConvexHull } from 'three/addons/math/ConvexHull.js'
import { describe, expect, test } from 'vitest'
import { boxPolyhedron, GeometryError, hullOf, type Polyhedron } from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import { dot, randomRotation, turned } from './poses.ts'

const counts = ({ vertices, edges, faces }: Polyhedron) => [vertices.length / 3, edges.length / 2, faces.length]
const corner = ({ vertices }: Polyhedron, i: number) => vertices.subarray(3 * i, 3 * i + 3)
const normal = ({ faceNormals }: Polyhedron, f: number) => faceNormals.subarray(3 * f, 3 * f + 3)

/** How far the farthest of the points is outside of the polyhedron's face planes. */
function excess(hull: Polyhedron, points: Float64Array): number {
  let worst = -Infinity
  hull.faces.forEach((loop, f) => {
    const offset = dot(normal(hull, f), corner(hull, loop[0]))
    for (let i = 0; i < points.length; i += 3) {
      worst = Math.max(worst, dot(normal(hull, f), points.subarray(i, i + 3)) - offset)
    }
  })
  return worst
}

/** Volume by the divergence theorem over the fans of the faces: positive only if loops run counter-clockwise from outside. */
function volume(hull: Polyhedron): number {
  let sum = 0
  for (const loop of hull.faces) {
    for (let k = 1; k + 1 < loop.length; k++) {
      const [a, b, c] = [corner(hull, loop[0]), corner(hull, loop[k]), corner(hull, loop[k + 1])]
      sum += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6
    }
  }
  return sum
}

/** Every edge has exactly two faces, which walk it in opposite directions. */
function expectClosed(hull: Polyhedron): void {
  const walked = new Map<string, number>()
  for (const loop of hull.faces) {
    loop.forEach((a, k) => {
      const key = `${a} ${loop[(k + 1) % loop.length]}`
      walked.set(key, (walked.get(key) ?? 0) + 1)
    })
  }
  expect(walked.size).toBe(hull.edges.length)
  for (let e = 0; e < hull.edges.length; e += 2) {
    const [a, b] = [hull.edges[e], hull.edges[e + 1]]
    expect([walked.get(`${a} ${b}`), walked.get(`${b} ${a}`)]).toEqual([1, 1])
  }
}

/** A lattice of points that fills a box, turned. */
function lattice(size: readonly number[], steps: number, R: Float64Array): Float64Array {
  const out: number[] = []
  for (let i = 0; i <= steps; i++) {
    for (let j = 0; j <= steps; j++) {
      for (let k = 0; k <= steps; k++) {
        out.push(...turned(R, [(i / steps - 0.5) * size[0] + 1, (j / steps - 0.5) * size[1], (k / steps - 0.5) * size[2] - 3]))
      }
    }
  }
  return Float64Array.from(out)
}

test('a lattice in a box has the 8 vertices, 12 edges and 6 faces of the box, however it is turned and rounded', () => {
  const random = createRandom(1)
  const size = [0.3, 0.2, 0.7]
  for (let n = 0; n < 20; n++) {
    const exact = lattice(size, 5, randomRotation(random))
    // mesh files hold single precision: 3.3e-7 m at 3 m, 5e-7 of the size
    for (const points of [exact, Float64Array.from(Float32Array.from(exact))]) {
      const hull = hullOf(points)
      expect(counts(hull)).toEqual([8, 12, 6])
      expect(hull.faces.map((loop) => loop.length)).toEqual([4, 4, 4, 4, 4, 4])
      expectClosed(hull)
      expect(volume(hull)).toBeCloseTo(0.3 * 0.2 * 0.7, 6)
    }
  }
})

test('a prism keeps its ends as single faces', () => {
  const points: number[] = []
  for (let i = 0; i < 64; i++) {
    for (const z of [-0.1, 0.05, 0.1]) points.push(0.3 * Math.cos((i * Math.PI) / 32), 0.3 * Math.sin((i * Math.PI) / 32), z)
  }
  const hull = hullOf(Float64Array.from(points))
  expect(counts(hull)).toEqual([128, 192, 66])
  expect(hull.faces.map((loop) => loop.length).sort((a, b) => b - a)).toEqual([64, 64, ...new Array(64).fill(4)])
  expectClosed(hull)
})

test('hulls of random clouds hold every point, close, obey Euler, and have outward unit normals', () => {
  const random = createRandom(2)
  for (let n = 0; n < trials(200); n++) {
    const points = Float64Array.from({ length: 3 * (4 + random.index(60)) }, () => random.between(-1, 1))
    const hull = hullOf(points)
    const [V, E, F] = counts(hull)
    expect(V - E + F).toBe(2)
    expectClosed(hull)
    expect(volume(hull)).toBeGreaterThan(0)
    // merged faces may deviate by the tolerance of 1e-6 of the half extent
    expect(excess(hull, points)).toBeLessThan(3e-6)
    for (let f = 0; f < F; f++) expect(Math.hypot(...normal(hull, f))).toBeCloseTo(1, 12)
    // vertices are points of the cloud, bit for bit
    const cloud = new Set(Array.from({ length: points.length / 3 }, (_, i) => points.subarray(3 * i, 3 * i + 3).join()))
    for (let i = 0; i < V; i++) expect(cloud.has(corner(hull, i).join())).toBe(true)
  }
})

test("the triangles of clouds without coplanar points are those of three's ConvexHull", () => {
  const random = createRandom(12)
  /** Each triangle by its corners, from the least on. */
  const named = (triangles: readonly (readonly string[])[]) =>
    triangles.map((names) => [0, 1, 2].map((k) => [0, 1, 2].map((j) => names[(k + j) % 3]).join(' ')).sort()[0]).sort()
  for (let n = 0; n < trials(40); n++) {
    const points = Float64Array.from({ length: 3 * (4 + random.index(n % 8 === 0 ? 2000 : 100)) }, () => random.between(-1, 1))
    const hull = hullOf(points, points.length)
    const nodes = Array.from({ length: points.length / 3 }, (_, i) => new Vector3().fromArray(points, 3 * i))
    const theirs = new ConvexHull().setFromPoints(nodes).faces.map(({ edge }) => [edge, edge.next, edge.next.next])
    expect(named(hull.faces.map((loop) => Array.from(loop, (i) => corner(hull, i).join())))).toEqual(
      named(theirs.map((edges) => edges.map(({ vertex }) => vertex.point.toArray().join()))),
    )
  }
})

test('plates of lattice points stay closed and enclosing at any level of noise', () => {
  const random = createRandom(3)
  for (let n = 0; n < trials(200); n++) {
    const noise = 10 ** random.between(-9, -3)
    const R = randomRotation(random)
    const points: number[] = []
    for (let i = 20 + random.index(200); i > 0; i--) {
      const place = [random.index(7) / 6, random.index(7) / 6, random.index(2) * 0.03]
      points.push(...turned(R, place).map((x) => x + noise * random.between(-0.5, 0.5)))
    }
    const cloud = Float64Array.from(points)
    const hull = hullOf(cloud)
    const [V, E, F] = counts(hull)
    expect(V - E + F).toBe(2)
    expectClosed(hull)
    expect(excess(hull, cloud)).toBeLessThan(1e-5)
  }
})

test('a cloud on a sphere is thinned to the number asked for, evenly', () => {
  const random = createRandom(4)
  const points: number[] = []
  while (points.length < 3 * trials(4000)) {
    const v = [random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)]
    const length = Math.hypot(...v)
    if (length > 0.1 && length < 1) points.push(...v.map((x) => x / length))
  }
  const cloud = Float64Array.from(points)
  const hull = hullOf(cloud, 256)
  expect(counts(hull)[0]).toBe(256)
  expectClosed(hull)
  // 256 even points leave triangles about 0.24 wide, which stand off a unit sphere by about 0.24^2 / 6 = 0.01
  expect(excess(hull, cloud)).toBeLessThan(0.03)
  expect(counts(hullOf(cloud, 32))[0]).toBe(32)
})

describe('clouds without volume', () => {
  const random = createRandom(5)
  const R = randomRotation(random)

  test('points in a plane make two faces back to back', () => {
    const points = lattice([0.4, 0.6, 0], 4, R)
    const hull = hullOf(points)
    expect(counts(hull)).toEqual([4, 4, 2])
    expect(dot(normal(hull, 0), normal(hull, 1))).toBeCloseTo(-1, 12)
    expect(Math.abs(dot(normal(hull, 0), turned(R, [0, 0, 1])))).toBeCloseTo(1, 12)
  })

  test('points on a line make one edge from end to end', () => {
    const hull = hullOf(lattice([0, 0.6, 0], 7, R))
    expect(counts(hull)).toEqual([2, 1, 0])
    expect(Math.hypot(...corner(hull, 0).map((x, k) => x - corner(hull, 1)[k]))).toBeCloseTo(0.6, 12)
  })

  test('one place, however often, makes one vertex', () => {
    expect(counts(hullOf(lattice([0, 0, 0], 2, R)))).toEqual([1, 0, 0])
    expect(counts(hullOf(Float64Array.from([1, 2, 3])))).toEqual([1, 0, 0])
  })
})

test('what is no cloud is refused with what was found', () => {
  expect(() => hullOf(new Float64Array(0))).toThrow(GeometryError)
  expect(() => hullOf(new Float64Array(4))).toThrow('found 4 numbers')
  expect(() => hullOf(Float64Array.from([0, 0, 0, 1, Number.NaN, 0]))).toThrow('point 1')
  expect(() => hullOf(new Float64Array(12), 3)).toThrow('at least 4')
})

test('the polyhedron of a box is the hull of its corners', () => {
  const box = boxPolyhedron([0.2, 0.4, 0.6])
  expectClosed(box)
  expect(volume(box)).toBeCloseTo(0.2 * 0.4 * 0.6, 15)
  expect(counts(box)).toEqual(counts(hullOf(box.vertices)))
  expect(excess(box, box.vertices)).toBeCloseTo(0, 15)
})

test('points well inside change nothing, however many: the hull is that of the outer ones alone', () => {
  const random = createRandom(6)
  for (const stretch of [1, 0.01]) {
    const all: number[] = []
    const outer: number[] = []
    for (let i = 0; i < 4000; i++) {
      const point = [random.between(-1, 1), random.between(-1, 1), stretch * random.between(-1, 1)]
      all.push(...point)
      // every corner of the hull of so many points is near a face of the box that they fill
      if (Math.max(Math.abs(point[0]), Math.abs(point[1]), Math.abs(point[2]) / stretch) > 0.8) outer.push(...point)
    }
    const hull = hullOf(Float64Array.from(all), 1000)
    const expected = hullOf(Float64Array.from(outer), 1000)
    expect(outer.length).toBeLessThan(0.6 * all.length)
    expect(hull.vertices).toEqual(expected.vertices)
    expect(counts(hull)).toEqual(counts(expected))
    expect(volume(hull)).toBeCloseTo(volume(expected), 12)
  }
})

import { describe, expect, test } from 'vitest'
import {
  adjacencyOf,
  boundingRadius,
  checkClosed,
  checkShape,
  closedMesh,
  GeometryError,
  mendMesh,
  meshOfPolyhedron,
  meshVolume,
  refineMesh,
  solidOf,
  supportPoint,
  type TriangleMesh,
  weldVertices,
} from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { angle, boxMesh, cylinderMesh, hollowBox, moved, soup, together, torus, turnedRound } from './meshes.ts'
import { randomHull, randomRotation, randomUnit } from './poses.ts'

const noisy = ({ vertices, triangles }: TriangleMesh, noise: number, seed = 5): TriangleMesh => {
  const random = createRandom(seed)
  return { vertices: vertices.map((x) => x + random.between(-noise, noise)), triangles }
}
const without = ({ vertices, triangles }: TriangleMesh, t: number): TriangleMesh => ({
  vertices,
  triangles: triangles.filter((_, h) => Math.floor(h / 3) !== t),
})
const areaOf = ({ vertices, triangles }: TriangleMesh, t: number) => {
  const [a, b, c] = [0, 1, 2].map((k) => vertices.subarray(3 * triangles[3 * t + k], 3 * triangles[3 * t + k] + 3))
  const [u, v] = [b.map((x, k) => x - a[k]), c.map((x, k) => x - a[k])]
  return 0.5 * Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
}
const areas = (mesh: TriangleMesh) => Array.from({ length: mesh.triangles.length / 3 }, (_, t) => areaOf(mesh, t))

describe('welding', () => {
  test('kept vertices are farther apart than the tolerance, and each vertex is within it of the one that it became', () => {
    const random = createRandom(3)
    const points = Float64Array.from({ length: 3000 }, () => random.between(-0.5, 0.5))
    const tolerance = 0.05
    const { vertices, kept } = weldVertices(points, tolerance)
    const distance = (a: Float64Array, i: number, b: Float64Array, j: number) =>
      Math.hypot(a[3 * i] - b[3 * j], a[3 * i + 1] - b[3 * j + 1], a[3 * i + 2] - b[3 * j + 2])
    const count = vertices.length / 3
    expect(count).toBeGreaterThan(100)
    expect(count).toBeLessThan(1000)
    for (let i = 0; i < 1000; i++) expect(distance(points, i, vertices, kept[i])).toBeLessThanOrEqual(tolerance)
    let least = Infinity
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < i; j++) least = Math.min(least, distance(vertices, i, vertices, j))
    }
    expect(least).toBeGreaterThan(tolerance)
  })

  test('a soup of triangles with the noise of single precision becomes the closed mesh that it was', () => {
    for (const [mesh, vertexCount] of [
      [boxMesh(0.4, 0.3, 0.2), 8],
      [angle, 12],
      [torus(0.3, 0.1, 24, 12), 288],
    ] as const) {
      const { mesh: mended, repairs } = mendMesh(...parts(noisy(soup(mesh), 3e-8)))
      expect(checkClosed(mended).faults).toEqual([])
      expect(mended.vertices.length / 3).toBe(vertexCount)
      expect(repairs.welded).toBe(mesh.triangles.length - vertexCount)
      // noise of 3e-8 on lengths below 1 m
      expect(meshVolume(mended)).toBeCloseTo(meshVolume(mesh), 7)
    }
  })

  test('tiny and huge meshes weld alike', () => {
    for (const scale of [1e-6, 1, 1e6]) {
      const { vertices, triangles } = soup(boxMesh(0.4 * scale, 0.3 * scale, 0.2 * scale))
      expect(closedMesh(vertices, triangles).vertices.length).toBe(24)
    }
  })
})

const parts = ({ vertices, triangles }: TriangleMesh) => [vertices, triangles] as const

describe('closed or not', () => {
  test('boxes, angles, rings and cavities are closed, with the volumes of solid geometry', () => {
    expect(meshVolume(boxMesh(0.4, 0.3, 0.2))).toBeCloseTo(0.024, 15)
    expect(meshVolume(angle)).toBeCloseTo((0.6 * 0.2 + 0.2 * 0.3) * 0.3, 15)
    expect(meshVolume(hollowBox)).toBeCloseTo(0.5 * 0.4 * 0.3 - 0.2 * 0.25 * 0.1, 15)
    // a ring of polygons: Pappus' theorem holds for each, so the volume falls short of the torus' by both polygons' ratios
    const [n, m] = [48, 24]
    const polygon = (k: number) => (Math.sin((2 * Math.PI) / k) * k) / (2 * Math.PI)
    expect(meshVolume(torus(0.3, 0.1, n, m))).toBeCloseTo(2 * Math.PI ** 2 * 0.3 * 0.01 * polygon(n) * polygon(m), 4)
    for (const mesh of [boxMesh(1, 1, 1), angle, hollowBox, torus(0.3, 0.1, 24, 12)]) expect(checkClosed(mesh).closed).toBe(true)
    expect([...checkClosed(hollowBox).volumes].map((v) => Number(v.toFixed(12)))).toEqual([0.06, -0.005])
  })

  test('a triangle left out opens its three edges, and the error names the first', () => {
    const open = without(boxMesh(1, 1, 1), 5)
    const [a, b, c] = boxMesh(1, 1, 1).triangles.slice(15, 18)
    const edges = [
      [a, b],
      [b, c],
      [c, a],
    ].map((pair) => pair.sort().join(' '))
    const { openEdges } = checkClosed(open)
    expect([0, 2, 4].map((e) => `${openEdges[e]} ${openEdges[e + 1]}`).sort()).toEqual(edges.sort())
    expect(() => closedMesh(...parts(open))).toThrow(GeometryError)
    expect(() => closedMesh(...parts(open))).toThrow(/edges with one triangle only: 3, the first from vertex \d/)
    expect(() => checkShape({ type: 'mesh', mesh: open }, 'lid')).toThrow(/shape "lid" \(mesh\): edges with one triangle only: 3/)
  })

  test('a triangle turned round is found, and mended', () => {
    const { vertices, triangles } = boxMesh(1, 1, 1)
    const turned = triangles.slice()
    turned.set([triangles[4], triangles[3], triangles[5]], 3)
    const { turnedEdges, faults } = checkClosed({ vertices, triangles: turned })
    expect(turnedEdges.length / 2).toBe(3)
    expect(faults).toHaveLength(1)
    const { mesh, repairs } = mendMesh(vertices, turned)
    expect(repairs.turned).toBe(1)
    expect(meshVolume(mesh)).toBeCloseTo(1, 14)
  })

  test('a surface that is inside out is turned; cavities stay cavities, buried parts go', () => {
    expect(checkClosed(turnedRound(angle)).faults.join()).toMatch(/inside out/)
    expect(meshVolume(closedMesh(...parts(turnedRound(angle))))).toBeCloseTo(meshVolume(angle), 14)
    expect(meshVolume(closedMesh(...parts(hollowBox)))).toBeCloseTo(0.055, 14)
    expect(meshVolume(closedMesh(...parts(turnedRound(hollowBox))))).toBeCloseTo(0.055, 14)
    const buried = together(boxMesh(0.5, 0.4, 0.3), boxMesh(0.2, 0.2, 0.1))
    expect(mendMesh(...parts(buried)).repairs.removed).toBe(12)
    expect(meshVolume(closedMesh(...parts(buried)))).toBeCloseTo(0.06, 14)
    const oneTurned = together(boxMesh(1, 1, 1), moved(turnedRound(boxMesh(1, 1, 1)), [3, 0, 0]))
    expect(meshVolume(closedMesh(...parts(oneTurned)))).toBeCloseTo(2, 13)
    // a solid in the cavity
    const nested = together(hollowBox, moved(boxMesh(0.1, 0.1, 0.05), [0.05, 0, 0.02]))
    expect(meshVolume(closedMesh(...parts(nested)))).toBeCloseTo(0.0555, 14)
  })

  test('solids that touch along an edge or in a corner become two', () => {
    for (const [by, vertexCount] of [
      [[1, 1, 0], 16],
      [[1, 1, 1], 16],
    ] as const) {
      const touching = together(boxMesh(1, 1, 1), moved(boxMesh(1, 1, 1), by))
      const { vertices, kept } = weldVertices(touching.vertices)
      const welded = { vertices, triangles: touching.triangles.map((i) => kept[i]) }
      expect(checkClosed(welded).closed).toBe(false)
      const mesh = closedMesh(...parts(touching))
      expect(mesh.vertices.length / 3).toBe(vertexCount)
      expect(checkClosed(mesh).componentCount).toBe(2)
      expect(meshVolume(mesh)).toBeCloseTo(2, 13)
    }
  })

  test('triangles without height go, and the surface stays closed', () => {
    // a corner on an edge of the box, of which only one of both faces makes use, and a triangle without height in the crack
    const { vertices, triangles } = boxMesh(1, 1, 1)
    const [a, b, c] = triangles
    const middle = [0, 1, 2].map((k) => 0.5 * (vertices[3 * a + k] + vertices[3 * b + k]))
    const m = 8
    const cracked = Int32Array.of(...triangles.subarray(3), a, m, c, m, b, c, a, b, m)
    const all = Float64Array.of(...vertices, ...middle)
    expect(checkClosed({ vertices: all, triangles: cracked }).closed).toBe(true)
    const { mesh, repairs } = mendMesh(all, cracked)
    expect(repairs.flipped).toBe(1)
    expect(checkClosed(mesh).faults).toEqual([])
    expect(Math.min(...areas(mesh))).toBeGreaterThan(0.1)
    expect(meshVolume(mesh)).toBeCloseTo(1, 14)
  })

  test('triangles given twice and folds count once or not at all', () => {
    const { vertices, triangles } = boxMesh(1, 1, 1)
    const twice = Int32Array.of(...triangles, ...triangles.subarray(0, 6))
    expect(closedMesh(vertices, twice).triangles.length / 3).toBe(12)
    const flap = Int32Array.of(...triangles, 0, 1, 7, 7, 1, 0)
    expect(closedMesh(vertices, flap).triangles.length / 3).toBe(12)
  })

  test('indices and numbers that make no sense are named', () => {
    const { vertices } = boxMesh(1, 1, 1)
    expect(() => closedMesh(vertices, [0, 1, 9])).toThrow(/triangle 0 has corner 9, expected one of the 8 vertices/)
    expect(() =>
      closedMesh(
        vertices.map((x, i) => (i === 4 ? Number.NaN : x)),
        [0, 1, 2],
      ),
    ).toThrow(/vertex 1 of the mesh has coordinate NaN/)
    expect(() => closedMesh(vertices, [])).toThrow(/no triangles/)
  })
})

test('adjacency: twins run back along the same edge, and a vertex knows its triangles', () => {
  for (const mesh of [angle, torus(0.3, 0.1, 12, 8), cylinderMesh(0.2, 0.3)]) {
    const { triangles } = mesh
    const { twins, edgeOf, edges, edgeTriangles, vertexStart, vertexTriangles } = adjacencyOf(mesh)
    const end = (h: number) => triangles[h % 3 === 2 ? h - 2 : h + 1]
    expect(edges.length).toBe(triangles.length)
    for (let h = 0; h < triangles.length; h++) {
      const g = twins[h]
      expect([twins[g], triangles[g], end(g), edgeOf[g]]).toEqual([h, end(h), triangles[h], edgeOf[h]])
      const e = edgeOf[h]
      const t = Math.floor(h / 3)
      expect(edgeTriangles[triangles[h] === edges[2 * e] ? 2 * e : 2 * e + 1]).toBe(t)
      expect(vertexTriangles.subarray(vertexStart[triangles[h]], vertexStart[triangles[h] + 1])).toContain(t)
    }
    expect(vertexTriangles.length).toBe(triangles.length)
  }
})

describe('refinement', () => {
  const solids = { box: boxMesh(0.4, 0.3, 0.2), angle, cylinder: cylinderMesh(0.2, 0.3), ring: torus(0.3, 0.1, 12, 8) }
  for (const [name, mesh] of Object.entries(solids)) {
    test(`${name}: every triangle is below the area, and the surface stays closed and the same`, () => {
      const before = areas(mesh).reduce((sum, a) => sum + a, 0)
      for (const maxArea of [5e-3, 3e-4]) {
        const fine = refineMesh(mesh, maxArea)
        const list = areas(fine)
        expect(Math.max(...list)).toBeLessThanOrEqual(maxArea)
        expect(checkClosed(fine).faults).toEqual([])
        expect(fine.vertices.subarray(0, mesh.vertices.length)).toEqual(mesh.vertices)
        // sums of some thousand roundings
        expect(list.reduce((sum, a) => sum + a, 0)).toBeCloseTo(before, 12)
        expect(meshVolume(fine)).toBeCloseTo(meshVolume(mesh), 12)
        // halving may leave triangles a quarter of the area on their way, and neighbours are halved along
        expect(list.length).toBeLessThan((8 * before) / maxArea + mesh.triangles.length)
      }
    })
  }

  test('the faces of a box keep their coordinates to the last bit', () => {
    const size = [0.4, 0.3, 0.2]
    const { vertices } = refineMesh(boxMesh(0.4, 0.3, 0.2), 1e-4)
    for (let i = 0; i < vertices.length; i += 3) {
      expect(size.some((s, k) => Math.abs(vertices[i + k]) === 0.5 * s)).toBe(true)
      expect(size.every((s, k) => Math.abs(vertices[i + k]) <= 0.5 * s)).toBe(true)
    }
  })

  test('an area that takes too many triangles is refused', () => {
    expect(() => refineMesh(boxMesh(1, 1, 1), 1e-3, 1000)).toThrow(
      'triangles of at most 0.001 m^2 take more than 1000; ask for a larger area',
    )
    for (const area of [0, -1, Number.NaN]) expect(() => refineMesh(boxMesh(1, 1, 1), area)).toThrow(/expected a positive area/)
  })
})

describe('as a shape', () => {
  test('a convex mesh has the support, the radius, the volume and the inertia of its hull', () => {
    const random = createRandom(9)
    for (let n = 0; n < 20; n++) {
      const hull = randomHull(random, 30)
      if (hull.type !== 'hull') throw new Error('a hull was asked for')
      const shape = { type: 'mesh', mesh: refineMesh(meshOfPolyhedron(hull.polyhedron), 0.02) } as const
      const [R, p] = [randomRotation(random), randomUnit(random)]
      const [a, b] = [new Float64Array(3), new Float64Array(3)]
      for (let k = 0; k < 10; k++) {
        const direction = randomUnit(random)
        supportPoint(hull, R, p, direction, a)
        supportPoint(shape, R, p, direction, b)
        for (let d = 0; d < 3; d++) expect(b[d]).toBeCloseTo(a[d], 14)
      }
      expect(boundingRadius(shape, R, p)).toBeCloseTo(boundingRadius(hull, R, p), 14)
      const [solid, meshed] = [solidOf(hull), solidOf(shape)]
      expect(meshed.volume).toBeCloseTo(solid.volume, 13)
      for (let k = 0; k < 3; k++) expect(meshed.centroid[k]).toBeCloseTo(solid.centroid[k], 13)
      for (let k = 0; k < 6; k++) expect(meshed.inertia[k]).toBeCloseTo(solid.inertia[k], 13)
    }
  })

  test('the inertia of a hollow box is that of the box less that of the cavity', () => {
    const at = (mesh: TriangleMesh) => solidOf({ type: 'mesh', mesh })
    const [outer, cavity, hollow] = [at(boxMesh(0.5, 0.4, 0.3)), at(boxMesh(0.2, 0.25, 0.1)), at(hollowBox)]
    const volume = outer.volume - cavity.volume
    const x = (-0.05 * cavity.volume) / volume
    const z = (-0.02 * cavity.volume) / volume
    expect(hollow.centroid[0]).toBeCloseTo(x, 14)
    expect(hollow.centroid[2]).toBeCloseTo(z, 14)
    const yy = outer.inertia[1] - cavity.inertia[1] - cavity.volume * (0.05 * 0.05 + 0.02 * 0.02) - volume * (x * x + z * z)
    expect(hollow.inertia[1]).toBeCloseTo(yy, 14)
  })
})

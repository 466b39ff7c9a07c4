import { describe, expect, test } from 'vitest'
import {
  boxPolyhedron,
  GeometryError,
  hullOf,
  type Polyhedron,
  polyhedralVersion,
  polyhedronOf,
  topologyOf,
} from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { polyhedronFaults } from './polyhedronFaults.ts'
import { cross, dot } from './poses.ts'

const random = createRandom(71)
const cloud = (n: number) => Float64Array.from({ length: 3 * n }, () => random.between(-0.4, 0.4))
const solids: readonly (readonly [string, Polyhedron])[] = [
  ['box', boxPolyhedron([0.4, 0.3, 0.2])],
  ...[4, 8, 20, 60, 200].map((n) => [`hull of ${n} points`, hullOf(cloud(n))] as const),
  // lattices have many coplanar points, which the hull has to merge
  ['lattice', hullOf(Float64Array.from({ length: 3 * 125 }, (_, i) => Math.floor(i / 3 / [1, 5, 25][i % 3]) % 5))],
  ['prism', polyhedralVersion({ type: 'cylinder', radius: 0.2, length: 0.1 }, { sides: 12 })],
  ['capsule', polyhedralVersion({ type: 'capsule', radius: 0.2, length: 0.1 }, { sides: 12 })],
  ['sphere', polyhedralVersion({ type: 'sphere', radius: 0.2 }, { sides: 30 })],
]

const at = (list: Float64Array, i: number) => list.subarray(3 * i, 3 * i + 3)

describe.each(solids)('%s', (_, solid) => {
  const topology = topologyOf(solid)
  const { edgeCount, faceCount, vertexCount, edgeFaces, edgeVertices, faceStart, faceVertices, faceEdges } = topology

  test('vertices - edges + faces = 2, and each edge is in two loops', () => {
    expect(vertexCount - edgeCount + faceCount).toBe(2)
    expect(faceVertices.length).toBe(2 * edgeCount)
    expect(topologyOf(solid)).toBe(topology)
  })

  test('it is convex, with outward normals, merged faces and true corners', () => {
    expect(polyhedronFaults(solid)).toEqual([])
  })

  test('f1 runs along the edge and f2 back', () => {
    for (let f = 0; f < faceCount; f++) {
      for (let k = faceStart[f]; k < faceStart[f + 1]; k++) {
        const next = k + 1 < faceStart[f + 1] ? k + 1 : faceStart[f]
        const e = faceEdges[k]
        const along = edgeVertices[2 * e] === faceVertices[k]
        expect([edgeVertices[2 * e + (along ? 0 : 1)], edgeVertices[2 * e + (along ? 1 : 0)]]).toEqual([
          faceVertices[k],
          faceVertices[next],
        ])
        expect(edgeFaces[2 * e + (along ? 0 : 1)]).toBe(f)
      }
    }
  })

  test('edges, neighbours and faces around a vertex follow each other counter-clockwise seen from outside', () => {
    const { vertexStart, vertexEdges, vertexNeighbours, vertexFaces } = topology
    for (let i = 0; i < vertexCount; i++) {
      const [first, end] = [vertexStart[i], vertexStart[i + 1]]
      for (let k = first; k < end; k++) {
        const next = k + 1 < end ? k + 1 : first
        const ends = [...edgeVertices.subarray(2 * vertexEdges[k], 2 * vertexEdges[k] + 2)]
        expect(ends.sort()).toEqual([i, vertexNeighbours[k]].sort())
        const loop = solid.faces[vertexFaces[k]]
        expect(loop).toContain(vertexNeighbours[k])
        expect(loop).toContain(vertexNeighbours[next])
        const to = (j: number) => at(solid.vertices, j).map((x, d) => x - solid.vertices[3 * i + d])
        const turn = cross(to(vertexNeighbours[k]), to(vertexNeighbours[next]))
        expect(dot(turn, at(solid.faceNormals, vertexFaces[k]))).toBeGreaterThan(0)
      }
    }
  })
})

test('polygons have two faces, segments and points none', () => {
  const square = topologyOf(hullOf(Float64Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0)))
  expect([square.vertexCount, square.edgeCount, square.faceCount]).toEqual([4, 4, 2])
  expect([...square.vertexStart]).toEqual([0, 2, 4, 6, 8])
  const segment = topologyOf(hullOf(Float64Array.of(0, 0, 0, 2, 0, 0)))
  expect([segment.vertexCount, segment.edgeCount, segment.faceCount]).toEqual([2, 1, 0])
  expect([...segment.vertexNeighbours]).toEqual([1, 0])
  expect([...segment.edgeFaces]).toEqual([-1, -1])
  expect([...segment.edgeDirections, ...segment.edgeLengths]).toEqual([1, 0, 0, 2])
  expect(topologyOf(hullOf(Float64Array.of(0, 0, 0))).vertexStart).toEqual(Int32Array.of(0, 0))
})

test('what is no convex polyhedron is told by what is wrong', () => {
  const box = boxPolyhedron([1, 1, 1])
  const open = polyhedronOf(box.vertices, box.faces.slice(1))
  expect(() => topologyOf(open)).toThrow(/has one face only, expected two/)
  const turned = polyhedronOf(box.vertices, [box.faces[0].slice().reverse(), ...box.faces.slice(1)])
  expect(() => topologyOf(turned)).toThrow(GeometryError)
  expect(() => topologyOf(turned)).toThrow(/both run from vertex/)
  const parted = box.faces.flatMap(([a, b, c, d]) => [Int32Array.of(a, b, c), Int32Array.of(a, c, d)])
  expect(polyhedronFaults(polyhedronOf(box.vertices, parted)).filter((fault) => fault.endsWith('are one plane')).length).toBe(6)
  const dented = polyhedronOf(
    box.vertices.map((x, i) => (i < 3 ? 0.5 * x : x)),
    parted,
  )
  expect(polyhedronFaults(dented).join()).toMatch(/beyond face/)
  const inward = { ...box, faceNormals: box.faceNormals.map((x) => -x) }
  expect(polyhedronFaults(inward).join()).toMatch(/has product -1 with its loop's/)
})

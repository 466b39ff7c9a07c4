import {
  adjacencyOf,
  type ConvexShape,
  meshOfPolyhedron,
  type Polyhedron,
  polyhedralVersion,
  type Shape,
  topologyOf,
  writeShapeBounds,
} from '../../../contact/geometry/index.ts'
import type { PairBody } from '../pairFile.ts'
import { across, at, cross, dot, lengthOf, minus, plus, unit, type Vector } from './vector.ts'

/** A body as lines and faces in the world. */
export interface Solid {
  readonly vertices: readonly Vector[]
  /** Loops of vertices; each is flat and convex. */
  readonly faces: readonly Int32Array[]
  readonly normals: readonly Vector[]
  readonly edges: readonly SolidEdge[]
  /** A piece of a plane that has no end, solid below it. */
  readonly isPlane: boolean
}

export interface SolidEdge {
  readonly ends: readonly [number, number]
  /** On both sides; -1 where there is none. */
  readonly faces: readonly [number, number]
  /** Whether it is an edge of the body, and not one of the facets that stand for a curve. */
  readonly isSharp: boolean
}

/** Curves are drawn as polyhedra of so many sides, or of 80. */
const curveSides: Readonly<Partial<Record<Shape['type'], number>>> = { capsule: 48, cylinder: 96 }
/** Facets that meet at a smaller angle, as its cosine, stand for a curve: 20 degrees. */
const smooth = 0.94
/** A hull of more faces stands for a curve at such angles. */
const fewFaces = 100
/** A plane is drawn this much wider than bodies on it. */
const planeMargin = 1.3

export function solidOf(body: PairBody, other: PairBody, along: Vector): Solid {
  const { shape, convex, R, p } = body
  if (shape.type === 'halfspace') return planeUnder(body, other, along)
  const place = (v: Float64Array): Vector[] =>
    Array.from({ length: v.length / 3 }, (_, i) => {
      const [x, y, z] = at(v, i)
      return [0, 1, 2].map((k) => p[k] + R[3 * k] * x + R[3 * k + 1] * y + R[3 * k + 2] * z) as unknown as Vector
    })
  if (convex === undefined && shape.type === 'mesh') return solidOfMesh(place(shape.mesh.vertices), shape.mesh)
  const polyhedron = polyhedralVersion(convex as ConvexShape, { sides: curveSides[convex!.type] ?? 80 })
  const vertices = place(polyhedron.vertices)
  const normals = polyhedron.faces.map((loop) => normalOf(vertices, loop))
  if (polyhedron.faces.length === 0) {
    return { vertices, faces: [], normals, edges: edgesWithoutFaces(polyhedron), isPlane: false }
  }
  const isFlat = convex!.type === 'box' || (convex!.type === 'hull' && polyhedron.faces.length <= fewFaces)
  const { edgeVertices, edgeFaces, edgeCount } = topologyOf(polyhedron)
  const edges = Array.from({ length: edgeCount }, (_, e): SolidEdge => {
    const faces = [edgeFaces[2 * e], edgeFaces[2 * e + 1]] as const
    const isSharp = isFlat || dot(normals[faces[0]], normals[faces[1]]) < smooth
    return { ends: [edgeVertices[2 * e], edgeVertices[2 * e + 1]], faces, isSharp }
  })
  return { vertices, faces: polyhedron.faces, normals, edges, isPlane: false }
}

function edgesWithoutFaces({ edges }: Polyhedron): SolidEdge[] {
  return Array.from({ length: edges.length / 2 }, (_, e) => ({
    ends: [edges[2 * e], edges[2 * e + 1]],
    faces: [-1, -1],
    isSharp: true,
  }))
}

/** Of a flat loop of vertices, seen from where it turns to the left; zero of one without area. */
export function normalOf(vertices: readonly Vector[], loop: Int32Array): Vector {
  let sum: Vector = [0, 0, 0]
  for (let k = 2; k < loop.length; k++) {
    const [o, a, b] = [vertices[loop[0]], vertices[loop[k - 1]], vertices[loop[k]]]
    sum = plus(sum, cross(minus(a, o), minus(b, o)))
  }
  return lengthOf(sum) > 0 ? unit(sum) : [0, 0, 0]
}

function solidOfMesh(vertices: readonly Vector[], mesh: Extract<Shape, { type: 'mesh' }>['mesh']): Solid {
  const { triangles } = mesh
  const faces = Array.from({ length: triangles.length / 3 }, (_, t) => triangles.slice(3 * t, 3 * t + 3))
  const normals = faces.map((loop) => normalOf(vertices, loop))
  const { edges, edgeTriangles } = adjacencyOf(mesh)
  return {
    vertices,
    faces,
    normals,
    edges: Array.from({ length: edges.length / 2 }, (_, e): SolidEdge => {
      const [f, g] = [edgeTriangles[2 * e], edgeTriangles[2 * e + 1]]
      return {
        ends: [edges[2 * e], edges[2 * e + 1]],
        faces: [f, g],
        isSharp: f < 0 || g < 0 || dot(normals[f], normals[g]) < smooth,
      }
    }),
    isPlane: false,
  }
}

/** A rectangle of a half-space's plane under (or over) the other body. */
function planeUnder({ shape, R, p }: PairBody, other: PairBody, along: Vector): Solid {
  if (shape.type !== 'halfspace') throw new TypeError('expected a half-space')
  const n = [0, 1, 2].map((i) => R[3 * i] * shape.normal[0] + R[3 * i + 1] * shape.normal[1] + R[3 * i + 2] * shape.normal[2])
  const normal = n as unknown as Vector
  const offset = shape.offset + dot(normal, at(p, 0))
  const u = unit(across(along, normal))
  const w = cross(normal, u)
  const points = cornersOf(other)
  const reach = (axis: Vector) => {
    const heights = points.map((point) => dot(axis, point))
    return [Math.min(...heights), Math.max(...heights)]
  }
  const [u0, u1] = reach(u)
  const [w0, w1] = reach(w)
  const border = (planeMargin - 1) * Math.max(u1 - u0, w1 - w0)
  const corner = (x: number, y: number) => plus(plus([offset * normal[0], offset * normal[1], offset * normal[2]], u, x), w, y)
  return {
    vertices: [
      corner(u0 - border, w0 - border),
      corner(u1 + border, w0 - border),
      corner(u1 + border, w1 + border),
      corner(u0 - border, w1 + border),
    ],
    faces: [Int32Array.from([0, 1, 2, 3])],
    normals: [normal],
    edges: [0, 1, 2, 3].map((i) => ({ ends: [i, (i + 1) % 4], faces: [0, -1], isSharp: true })),
    isPlane: true,
  }
}

/** Vertices, or of a curved shape the corners of the box around it. */
export function cornersOf({ shape, R, p }: PairBody): Vector[] {
  if (shape.type === 'hull' || shape.type === 'mesh' || shape.type === 'box') {
    const { vertices } = shape.type === 'mesh' ? shape.mesh : shape.type === 'hull' ? shape.polyhedron : polyhedralVersion(shape)
    return Array.from({ length: vertices.length / 3 }, (_, i) => {
      const v = at(vertices, i)
      return [0, 1, 2].map((k) => p[k] + R[3 * k] * v[0] + R[3 * k + 1] * v[1] + R[3 * k + 2] * v[2]) as unknown as Vector
    })
  }
  const box = new Float64Array(6)
  writeShapeBounds(shape, R, p, new Float64Array(1), 0, box, 0)
  return Array.from({ length: 8 }, (_, i) => [0, 1, 2].map((k) => box[k + ((i >> k) & 1 ? 3 : 0)]) as unknown as Vector)
}

/** The triangles of a solid's faces. */
export function trianglesOf({ vertices, faces }: Solid): (readonly [Vector, Vector, Vector])[] {
  const polyhedron = {
    vertices: new Float64Array(3 * vertices.length),
    faces,
    faceNormals: new Float64Array(0),
    edges: new Int32Array(0),
  }
  const { triangles } = meshOfPolyhedron(polyhedron)
  return Array.from({ length: triangles.length / 3 }, (_, t) => [
    vertices[triangles[3 * t]],
    vertices[triangles[3 * t + 1]],
    vertices[triangles[3 * t + 2]],
  ])
}

/** Where the surfaces of two solids cut through each other: pieces of straight lines. */
export function crossings(a: Solid, b: Solid): (readonly [Vector, Vector])[] {
  const out: (readonly [Vector, Vector])[] = []
  const boundsB = b.faces.map((loop) => boundsOf(b, loop))
  a.faces.forEach((loopA, i) => {
    const box = boundsOf(a, loopA)
    b.faces.forEach((loopB, j) => {
      const other = boundsB[j]
      for (let k = 0; k < 3; k++) if (box[k] > other[3 + k] || other[k] > box[3 + k]) return
      const line = cross(a.normals[i], b.normals[j])
      if (lengthOf(line) < 1e-9) return
      const direction = unit(line)
      const [s, t] = [onLine(a, loopA, b, loopB, j, direction), onLine(b, loopB, a, loopA, i, direction)]
      if (s === undefined || t === undefined) return
      const low = s[0].at > t[0].at ? s[0] : t[0]
      const high = s[1].at < t[1].at ? s[1] : t[1]
      if (high.at > low.at) out.push([low.point, high.point])
    })
  })
  return out
}

function boundsOf({ vertices }: Solid, loop: Int32Array): number[] {
  const box = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity]
  for (const i of loop) {
    for (let k = 0; k < 3; k++) {
      box[k] = Math.min(box[k], vertices[i][k])
      box[3 + k] = Math.max(box[3 + k], vertices[i][k])
    }
  }
  return box
}

/** The two places at which a face's outline passes the plane of another's, in order along the line where the planes meet. */
function onLine(solid: Solid, loop: Int32Array, other: Solid, otherLoop: Int32Array, face: number, direction: Vector) {
  const normal = other.normals[face]
  const offset = dot(normal, other.vertices[otherLoop[0]])
  const places: { at: number; point: Vector }[] = []
  loop.forEach((from, k) => {
    const p = solid.vertices[from]
    const q = solid.vertices[loop[(k + 1) % loop.length]]
    const [h, g] = [dot(normal, p) - offset, dot(normal, q) - offset]
    if (h > 0 === g > 0) return
    const point = plus(p, minus(q, p), h / (h - g))
    places.push({ at: dot(direction, point), point })
  })
  if (places.length !== 2) return undefined
  return places[0].at <= places[1].at ? places : [places[1], places[0]]
}

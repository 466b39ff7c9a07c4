import * as is from '../../../dynamics/math/arguments.ts'
import { halfExtentOf } from '../extent.ts'
import { meshOfPolyhedron } from '../mesh/mesh.ts'
import type { Polyhedron } from '../mesh/polyhedron.ts'
import { solidOfFaces } from './mesh.ts'
import {
  Core,
  checkIndices,
  checkVertices,
  farthestOfPoints,
  type Require,
  reachOfPoints,
  type ShapeKind,
  supportOfPoints,
} from './shapeKind.ts'

/** The convex hull of points. */
export interface Hull {
  readonly type: 'hull'
  readonly polyhedron: Polyhedron
}

export const hull: ShapeKind<Hull> = {
  expected: is.fields<Hull>({ type: is.text, polyhedron: is.made('that of its points; hullOf makes it') }, {}),
  check: ({ polyhedron }, require) => checkPolyhedron(polyhedron, require),
  support({ polyhedron }, d, out) {
    supportOfPoints(polyhedron.vertices, d, out)
  },
  reach({ polyhedron }, d, out, at) {
    reachOfPoints(polyhedron.vertices, d, out, at)
  },
  farthest: ({ polyhedron }, R, p) => farthestOfPoints(polyhedron.vertices, R, p),
  /** 0 for points and flat hulls. */
  thickness({ polyhedron: { vertices, faces, faceNormals } }) {
    if (faces.length < 4) return 0
    let least = Infinity
    const ends = new Float64Array(4)
    for (let f = 0; f < faceNormals.length; f += 3) {
      reachOfPoints(vertices, faceNormals.subarray(f, f + 3), ends, 0)
      least = Math.min(least, ends[3] - ends[0])
    }
    return least
  },
  halfExtent: ({ polyhedron }) => halfExtentOf(polyhedron.vertices),
  solid: ({ polyhedron }) => solidOfFaces(polyhedron.vertices, polyhedron.faces),
  core: ({ polyhedron }) => ({ kind: Core.few, polyhedron }),
  polyhedral: ({ polyhedron }) => polyhedron,
  corners: ({ polyhedron }) => polyhedron.vertices,
  surface: ({ polyhedron }) => meshOfPolyhedron(polyhedron),
}

function checkPolyhedron(polyhedron: Polyhedron, require: Require): void {
  const { vertices, faces, faceNormals, edges } = polyhedron
  checkVertices(vertices, 'polyhedron.vertices', require)
  const count = vertices.length / 3
  checkIndices(edges, 'polyhedron.edges', count, 2, require)
  require(Array.isArray(faces), `polyhedron.faces is ${is.quoted(faces)}, expected a list of loops; hullOf makes it`)
  for (const loop of faces) checkIndices(loop, 'polyhedron.faces[]', count, 1, require)
  const normals =
    faceNormals instanceof Float64Array && faceNormals.length === 3 * faces.length && faceNormals.every(Number.isFinite)
  require(normals, `polyhedron.faceNormals is ${is.quoted(faceNormals)}, expected a Float64Array of ${faces.length} x 3`)
}

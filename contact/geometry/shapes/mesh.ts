import * as is from '../../../dynamics/math/arguments.ts'
import { halfExtentOf } from '../extent.ts'
import { checkClosed } from '../mesh/mesh.ts'
import type { TriangleMesh } from '../mesh/polyhedron.ts'
import {
  checkIndices,
  checkVertices,
  farthestOfPoints,
  reachOfPoints,
  type ShapeKind,
  type Solid,
  supportOfPoints,
} from './shapeKind.ts'

/** The solid bounded by a closed triangle mesh; it need not be convex, and may have several parts and cavities. */
export interface MeshShape {
  readonly type: 'mesh'
  readonly mesh: TriangleMesh
  /** Error of an adaptively sampled distance field (`SampledField`) that replaces the exact distance [m]. Default: exact. */
  readonly sampled?: number
}

export const mesh: ShapeKind<MeshShape> = {
  expected: is.fields<MeshShape>(
    { type: is.text, mesh: is.made('its vertices and triangles; closedMesh makes it') },
    { sampled: is.positive(' [m]') },
  ),
  check({ mesh }, require) {
    checkVertices(mesh.vertices, 'mesh.vertices', require)
    checkIndices(mesh.triangles, 'mesh.triangles', mesh.vertices.length / 3, 3, require)
    const fault = checkClosed(mesh).faults[0]
    require(fault === undefined, `${fault}; weld and orient it with closedMesh`)
  },
  support({ mesh }, d, out) {
    supportOfPoints(mesh.vertices, d, out)
  },
  reach({ mesh }, d, out, at) {
    reachOfPoints(mesh.vertices, d, out, at)
  },
  farthest: ({ mesh }, R, p) => farthestOfPoints(mesh.vertices, R, p),
  thickness: () => Infinity,
  halfExtent: ({ mesh }) => halfExtentOf(mesh.vertices),
  solid({ mesh: { vertices, triangles } }) {
    const faces = Array.from({ length: triangles.length / 3 }, (_, t) => triangles.subarray(3 * t, 3 * t + 3))
    return solidOfFaces(vertices, faces)
  },
  corners: ({ mesh }) => mesh.vertices,
  surface: ({ mesh }) => mesh,
}

/**
 * Sums signed tetrahedra from the first vertex to a fan of each face. The second moments of a tetrahedron with corners
 * 0, a, b, c are V/20 (a a' + b b' + c c' + s s') with s = a + b + c.
 */
export function solidOfFaces(vertices: Float64Array, faces: readonly Int32Array[]): Solid {
  const [ox, oy, oz] = vertices
  const corner = (k: number) => [vertices[3 * k] - ox, vertices[3 * k + 1] - oy, vertices[3 * k + 2] - oz]
  let volume = 0
  const first = [0, 0, 0]
  const second = new Float64Array(9)
  for (const face of faces) {
    const a = corner(face[0])
    for (let k = 1; k + 1 < face.length; k++) {
      const b = corner(face[k])
      const c = corner(face[k + 1])
      const cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]]
      const v = (a[0] * cross[0] + a[1] * cross[1] + a[2] * cross[2]) / 6
      volume += v
      const s = [a[0] + b[0] + c[0], a[1] + b[1] + c[1], a[2] + b[2] + c[2]]
      for (let i = 0; i < 3; i++) {
        first[i] += (v * s[i]) / 4
        for (let j = 0; j < 3; j++) second[3 * i + j] += (v * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + s[i] * s[j])) / 20
      }
    }
  }
  if (!(volume > 0)) return { volume: 0, centroid: [ox, oy, oz], inertia: [0, 0, 0, 0, 0, 0] }
  const [x, y, z] = [first[0] / volume, first[1] / volume, first[2] / volume]
  const xx = second[0] - volume * x * x
  const yy = second[4] - volume * y * y
  const zz = second[8] - volume * z * z
  return {
    volume,
    centroid: [ox + x, oy + y, oz + z],
    inertia: [yy + zz, xx + zz, xx + yy, volume * x * y - second[1], volume * x * z - second[2], volume * y * z - second[5]],
  }
}

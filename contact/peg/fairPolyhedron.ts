import { cos, sin } from '../../dynamics/index.ts'
import { type Capsule, type Cylinder, type Polyhedron, polyhedralVersion, type Sphere, topologyOf } from '../geometry/index.ts'

/** Shapes that are no polyhedra. */
export type RoundShape = Sphere | Cylinder | Capsule

/**
 * The polyhedron that stands for a curved shape where features are read: as wide as the shape in the mean over all directions,
 * across the axis for cylinders and capsules. So a wheel of n sides, rolling over its corners, goes 2 pi r a turn, which is what
 * odometry takes it for. By how much it differs elsewhere, in parts of the radius:
 *
 *     corners stand out by (pi / n) / sin(pi / n) - 1, middles of sides lie within by 1 - (pi / n) / tan(pi / n)
 *
 * that is 0.6 % and 1.3 % at 16 sides; inscribed, the wheel would be 0.6 % short a turn, circumscribed 1.3 % long.
 *
 * A cylinder has the middles of its first side at +x, so that a wheel at angle zero, with its x axis up, down or level and sides in
 * fours, stands on a flat and begins above a floor that its circle touches.
 *
 * @throws GeometryError as `polyhedralVersion`
 */
export function fairPolyhedron(shape: RoundShape, sides: number): Polyhedron {
  if (shape.type === 'sphere') {
    const inscribed = polyhedralVersion(shape, { sides })
    return inscribed.faces.length === 0 ? inscribed : scaled(inscribed, (2 * shape.radius) / meanWidth(inscribed))
  }
  const half = Math.PI / sides
  const version = polyhedralVersion({ ...shape, radius: (shape.radius * half) / sin(half) }, { sides })
  return shape.type === 'cylinder' ? turned(version, half) : version
}

/** The sum over the edges of length times angle between the normals beside them is 4 pi times the mean width (Cauchy, Minkowski). */
function meanWidth(polyhedron: Polyhedron): number {
  const { edgeCount, edgeFaces, edgeLengths } = topologyOf(polyhedron)
  const N = polyhedron.faceNormals
  let sum = 0
  for (let e = 0; e < edgeCount; e++) {
    const f = 3 * edgeFaces[2 * e]
    const g = 3 * edgeFaces[2 * e + 1]
    const cosine = N[f] * N[g] + N[f + 1] * N[g + 1] + N[f + 2] * N[g + 2]
    sum += edgeLengths[e] * Math.acos(Math.max(-1, Math.min(1, cosine)))
  }
  return sum / (4 * Math.PI)
}

function scaled({ vertices, faces, faceNormals, edges }: Polyhedron, factor: number): Polyhedron {
  return { vertices: vertices.map((x) => factor * x), faces, faceNormals, edges }
}

/** About z. */
function turned({ vertices, faces, faceNormals, edges }: Polyhedron, angle: number): Polyhedron {
  const c = cos(angle)
  const s = sin(angle)
  const turn = (v: Float64Array) => v.map((x, i) => (i % 3 === 0 ? c * x - s * v[i + 1] : i % 3 === 1 ? s * v[i - 1] + c * x : x))
  return { vertices: turn(vertices), faces, faceNormals: turn(faceNormals), edges }
}

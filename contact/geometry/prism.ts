import { cos, sin } from '../../dynamics/index.ts'
import { GeometryError } from './geometryError.ts'
import { boxPolyhedron, polyhedronOf } from './hull.ts'
import type { ConvexShape, Polyhedron } from './shape.ts'

export interface PolyhedralOptions {
  /** Sides around an axis, at least 3. */
  readonly sides?: number
  /** Inside the shape with its vertices on the surface, or around the shape with faces that touch it. */
  readonly fit?: 'inscribed' | 'circumscribed'
}

/** More sides than any polyhedral contact model could use. */
const maxSides = 1024

/**
 * A convex shape as a polyhedron, in the shape's axes.
 *
 * - box, hull: exact;
 * - cylinder: a prism with n sides, the first vertex at +x. Inscribed, its vertices are on the rim and its sides lie
 *   r (1 - cos(pi / n)) within; circumscribed, its sides touch at their middles and its edges stand out by
 *   r (1 / cos(pi / n) - 1). The length is exact;
 * - sphere: an icosahedron, its triangles quartered until a great circle crosses at least n of them. Inscribed, its vertices
 *   are on the sphere; circumscribed, it is the inscribed one made larger until the face that was deepest touches;
 * - ellipsoid: that of the unit sphere, stretched along its axes;
 * - capsule: a prism with n sides, closed by domes of ceil(n / 4) rounds each and a vertex at each end. Inscribed, its
 *   vertices are on the surface; circumscribed, its radius is made larger until the face that was deepest touches.
 *
 * Touching is to rounding, 1e-15 of the radius. Spheres without radius give one vertex, capsules without length a sphere's
 * rounds about one centre.
 *
 * @throws GeometryError if `sides` is not a whole number from 3 to 1024, or a hull of a curved shape has no volume
 */
export function polyhedralVersion(shape: ConvexShape, { sides = 16, fit = 'inscribed' }: PolyhedralOptions = {}): Polyhedron {
  if (!Number.isInteger(sides) || sides < 3 || sides > maxSides) {
    throw new GeometryError(`a polyhedral version with ${sides} sides was asked for, expected 3 to ${maxSides}`)
  }
  switch (shape.type) {
    case 'box':
      return boxPolyhedron(shape.size)
    case 'hull':
      return shape.polyhedron
    case 'cylinder': {
      if (!(shape.length > 0))
        throw new GeometryError(`a cylinder of length ${shape.length} has no polyhedral version; use a hull`)
      return prism(fit === 'inscribed' ? shape.radius : shape.radius / cos(Math.PI / sides), shape.length, sides)
    }
    case 'sphere': {
      if (shape.radius === 0) return polyhedronOf(new Float64Array(3), [])
      const inscribed = icosphere(shape.radius, sides)
      return fit === 'inscribed' ? inscribed : scaled(inscribed, shape.radius / nearestFace(inscribed, 0))
    }
    case 'ellipsoid': {
      const { vertices, faces } = polyhedralVersion({ type: 'sphere', radius: 1 }, { sides, fit })
      return polyhedronOf(
        vertices.map((x, i) => shape.radii[i % 3] * x),
        [...faces],
      )
    }
    case 'capsule': {
      const inscribed = domedPrism(shape.radius, shape.length, sides)
      if (fit === 'inscribed') return inscribed
      return domedPrism((shape.radius * shape.radius) / nearestFace(inscribed, 0.5 * shape.length), shape.length, sides)
    }
  }
}

/** Ring of n vertices at height z, the first at +x. */
function ring(out: number[], radius: number, z: number, n: number): void {
  for (let k = 0; k < n; k++) {
    const angle = (2 * Math.PI * k) / n
    out.push(radius * cos(angle), radius * sin(angle), z)
  }
}

function prism(radius: number, length: number, n: number): Polyhedron {
  const vertices: number[] = []
  ring(vertices, radius, -0.5 * length, n)
  ring(vertices, radius, 0.5 * length, n)
  const around = Array.from({ length: n }, (_, k) => k)
  const faces = [
    ...around.map((k) => [k, (k + 1) % n, n + ((k + 1) % n), n + k]),
    around.map((k) => n - 1 - k),
    around.map((k) => n + k),
  ]
  return polyhedronOf(Float64Array.from(vertices), asLoops(faces))
}

const asLoops = (faces: readonly (readonly number[])[]): Int32Array[] => faces.map((loop) => Int32Array.from(loop))

function domedPrism(radius: number, length: number, n: number): Polyhedron {
  const rounds = Math.ceil(n / 4)
  const vertices: number[] = [0, 0, -0.5 * length - radius]
  const dome = (side: number, j: number) => {
    const latitude = (0.5 * Math.PI * j) / rounds
    ring(vertices, radius * cos(latitude), side * (0.5 * length + radius * sin(latitude)), n)
  }
  for (let j = rounds - 1; j > 0; j--) dome(-1, j)
  dome(-1, 0)
  if (length > 0) dome(1, 0)
  for (let j = 1; j < rounds; j++) dome(1, j)
  const top = vertices.length / 3
  vertices.push(0, 0, 0.5 * length + radius)
  const rings = (top - 1) / n
  const at = (j: number, k: number) => 1 + j * n + (k % n)
  const faces: number[][] = []
  for (let k = 0; k < n; k++) faces.push([0, at(0, k + 1), at(0, k)])
  for (let j = 0; j + 1 < rings; j++) {
    for (let k = 0; k < n; k++) faces.push([at(j, k), at(j, k + 1), at(j + 1, k + 1), at(j + 1, k)])
  }
  for (let k = 0; k < n; k++) faces.push([at(rings - 1, k), at(rings - 1, k + 1), top])
  return polyhedronOf(Float64Array.from(vertices), asLoops(faces))
}

function icosphere(radius: number, sides: number): Polyhedron {
  const golden = (1 + Math.sqrt(5)) / 2
  const corners: number[][] = []
  for (const a of [-1, 1]) for (const b of [-golden, golden]) corners.push([0, a, b], [a, b, 0], [b, 0, a])
  const distance = (i: number, j: number) => Math.hypot(...corners[i].map((x, k) => x - corners[j][k]))
  let faces: number[][] = []
  for (let i = 0; i < 12; i++) {
    for (let j = i + 1; j < 12; j++) {
      for (let k = j + 1; k < 12; k++) {
        // edges of this icosahedron are 2 long, the next longer distance is 3.2
        if (distance(i, j) < 2.5 && distance(j, k) < 2.5 && distance(k, i) < 2.5) faces.push(facingOut(corners, i, j, k))
      }
    }
  }
  // a great circle crosses about ten triangles of the icosahedron, and twice as many after each quartering
  for (let n = 10; n < sides; n *= 2) faces = quartered(corners, faces)
  const vertices = Float64Array.from(corners.flatMap((c) => c.map((x) => (radius * x) / Math.hypot(...c))))
  return polyhedronOf(vertices, asLoops(faces))
}

function facingOut(corners: readonly number[][], i: number, j: number, k: number): number[] {
  const [a, b, c] = [corners[i], corners[j], corners[k]]
  const volume = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
  return volume > 0 ? [i, j, k] : [i, k, j]
}

/** Each triangle as four, with the middles of its sides moved out to the sphere; adds these to the corners. */
function quartered(corners: number[][], faces: readonly number[][]): number[][] {
  const middles = new Map<string, number>()
  const middle = (i: number, j: number) => {
    const key = i < j ? `${i} ${j}` : `${j} ${i}`
    const known = middles.get(key)
    if (known !== undefined) return known
    const sum = corners[i].map((x, k) => x / Math.hypot(...corners[i]) + corners[j][k] / Math.hypot(...corners[j]))
    corners.push(sum)
    middles.set(key, corners.length - 1)
    return corners.length - 1
  }
  return faces.flatMap(([i, j, k]) => {
    const [a, b, c] = [middle(i, j), middle(j, k), middle(k, i)]
    return [
      [i, a, c],
      [a, j, b],
      [c, b, k],
      [a, b, c],
    ]
  })
}

/** The least distance of a face's plane from the segment between z = -reach and z = reach. */
function nearestFace({ vertices, faces, faceNormals }: Polyhedron, reach: number): number {
  let least = Infinity
  faces.forEach(([i], f) => {
    let offset = -Math.abs(faceNormals[3 * f + 2]) * reach
    for (let k = 0; k < 3; k++) offset += faceNormals[3 * f + k] * vertices[3 * i + k]
    least = Math.min(least, offset)
  })
  return least
}

function scaled({ vertices, faces, faceNormals, edges }: Polyhedron, factor: number): Polyhedron {
  return { vertices: vertices.map((x) => factor * x), faces, faceNormals, edges }
}

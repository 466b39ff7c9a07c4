import { GeometryError } from './geometryError.ts'
import { checkClosed } from './mesh.ts'
import type { Ellipsoid, Polyhedron, Shape } from './shape.ts'

/**
 * The point of a placed shape that lies farthest along a direction. Exact for every type. Where a face, an edge or a
 * rim ties, one of its points is returned, always the same one.
 *
 * @param R         9, row-major: turns the shape's axes into those of `direction` and `out`
 * @param p         3: the shape's origin in those axes [m]
 * @param direction 3: of any length
 * @param out       out: 3 [m]
 * @throws GeometryError for half-spaces and height fields, which have no end
 */
export function supportPoint(shape: Shape, R: Float64Array, p: Float64Array, direction: Float64Array, out: Float64Array): void {
  // the direction in the shape's axes
  const x = R[0] * direction[0] + R[3] * direction[1] + R[6] * direction[2]
  const y = R[1] * direction[0] + R[4] * direction[1] + R[7] * direction[2]
  const z = R[2] * direction[0] + R[5] * direction[1] + R[8] * direction[2]
  let sx = 0
  let sy = 0
  let sz = 0
  switch (shape.type) {
    case 'sphere':
    case 'capsule': {
      const length = Math.sqrt(x * x + y * y + z * z)
      const scale = length > 0 ? shape.radius / length : 0
      sx = scale * x
      sy = scale * y
      sz = scale * z
      if (shape.type === 'capsule') sz += z < 0 ? -0.5 * shape.length : 0.5 * shape.length
      break
    }
    case 'ellipsoid': {
      const [a, b, c] = shape.radii
      const length = Math.sqrt(a * a * x * x + b * b * y * y + c * c * z * z)
      sx = length > 0 ? (a * a * x) / length : a
      sy = length > 0 ? (b * b * y) / length : 0
      sz = length > 0 ? (c * c * z) / length : 0
      break
    }
    case 'box':
      sx = x < 0 ? -0.5 * shape.size[0] : 0.5 * shape.size[0]
      sy = y < 0 ? -0.5 * shape.size[1] : 0.5 * shape.size[1]
      sz = z < 0 ? -0.5 * shape.size[2] : 0.5 * shape.size[2]
      break
    case 'cylinder': {
      const length = Math.sqrt(x * x + y * y)
      sx = length > 0 ? (shape.radius * x) / length : shape.radius
      sy = length > 0 ? (shape.radius * y) / length : 0
      sz = z < 0 ? -0.5 * shape.length : 0.5 * shape.length
      break
    }
    case 'hull':
    case 'mesh': {
      const { vertices } = shape.type === 'hull' ? shape.polyhedron : shape.mesh
      let highest = -Infinity
      for (let i = 0; i < vertices.length; i += 3) {
        const height = vertices[i] * x + vertices[i + 1] * y + vertices[i + 2] * z
        if (height <= highest) continue
        highest = height
        sx = vertices[i]
        sy = vertices[i + 1]
        sz = vertices[i + 2]
      }
      break
    }
    case 'halfspace':
      throw new GeometryError('a half-space has no farthest point; ask for the support of a bounded shape')
    case 'heightfield':
      throw new GeometryError('a height field has no farthest point below; ask for the support of a bounded shape')
  }
  out[0] = p[0] + R[0] * sx + R[1] * sy + R[2] * sz
  out[1] = p[1] + R[3] * sx + R[4] * sy + R[5] * sz
  out[2] = p[2] + R[6] * sx + R[7] * sy + R[8] * sz
}

const down = Float64Array.from([0, 0, -1])

/** The lowest point, along -z, of a placed shape; parameters as in `supportPoint`. */
export function lowestPoint(shape: Shape, R: Float64Array, p: Float64Array, out: Float64Array): void {
  supportPoint(shape, R, p, down, out)
}

/**
 * Distance of a shape's farthest point from the origin of the axes in which R and p place it [m]; Infinity for
 * half-spaces and height fields. For making things, not for the step.
 */
export function boundingRadius(shape: Shape, R: Float64Array, p: Float64Array): number {
  const farthestOf = (points: readonly (readonly [number, number, number])[], rounding: number) => {
    let farthest = 0
    for (const [x, y, z] of points) {
      const wx = p[0] + R[0] * x + R[1] * y + R[2] * z
      const wy = p[1] + R[3] * x + R[4] * y + R[5] * z
      const wz = p[2] + R[6] * x + R[7] * y + R[8] * z
      farthest = Math.max(farthest, Math.hypot(wx, wy, wz))
    }
    return farthest + rounding
  }
  switch (shape.type) {
    case 'sphere':
      return farthestOf([[0, 0, 0]], shape.radius)
    case 'ellipsoid':
      return farthestOnEllipsoid(shape, R, p)
    case 'capsule':
      return farthestOf(
        [
          [0, 0, -0.5 * shape.length],
          [0, 0, 0.5 * shape.length],
        ],
        shape.radius,
      )
    case 'box': {
      const [x, y, z] = [0.5 * shape.size[0], 0.5 * shape.size[1], 0.5 * shape.size[2]]
      return farthestOf(
        [-x, x].flatMap((a) => [-y, y].flatMap((b) => [-z, z].map((c) => [a, b, c] as const))),
        0,
      )
    }
    case 'cylinder': {
      // the origin in the cylinder's axes is -R^T p; the farthest rim point lies opposite to it
      const x = R[0] * p[0] + R[3] * p[1] + R[6] * p[2]
      const y = R[1] * p[0] + R[4] * p[1] + R[7] * p[2]
      const z = R[2] * p[0] + R[5] * p[1] + R[8] * p[2]
      return Math.hypot(Math.hypot(x, y) + shape.radius, Math.abs(z) + 0.5 * shape.length)
    }
    case 'hull':
    case 'mesh': {
      const { vertices } = shape.type === 'hull' ? shape.polyhedron : shape.mesh
      return farthestOf(
        Array.from(
          { length: vertices.length / 3 },
          (_, i) => [vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]] as const,
        ),
        0,
      )
    }
    case 'halfspace':
    case 'heightfield':
      return Infinity
  }
}

/** Each step from a point to the one farthest along the way to it from the origin leads farther out. */
const farthestSteps = 500

/** From the end of each axis, uphill: where the outward normal leads to the point from the origin. */
function farthestOnEllipsoid(shape: Ellipsoid, R: Float64Array, p: Float64Array): number {
  const point = new Float64Array(3)
  let farthest = 0
  for (let start = 0; start < 6; start++) {
    const direction = Float64Array.from([0, 3, 6], (row) => (start < 3 ? 1 : -1) * R[row + (start % 3)])
    for (let step = 0; step < farthestSteps; step++) {
      supportPoint(shape, R, p, direction, point)
      direction.set(point)
    }
    farthest = Math.max(farthest, Math.hypot(point[0], point[1], point[2]))
  }
  return farthest
}

/**
 * The least extent of a shape between two parallel planes [m], for hulls along the normals of their faces; 0 for points and flat hulls,
 * Infinity for what has no other side: half-spaces, height fields and surfaces of meshes. For making things, not for the step.
 */
export function thicknessOf(shape: Shape): number {
  switch (shape.type) {
    case 'sphere':
    case 'capsule':
      return 2 * shape.radius
    case 'cylinder':
      return Math.min(2 * shape.radius, shape.length)
    case 'ellipsoid':
      return 2 * Math.min(...shape.radii)
    case 'box':
      return Math.min(...shape.size)
    case 'hull': {
      const { vertices, faces, faceNormals } = shape.polyhedron
      if (faces.length < 4) return 0
      let least = Infinity
      for (let f = 0; f < faceNormals.length; f += 3) {
        let low = Infinity
        let high = -Infinity
        for (let i = 0; i < vertices.length; i += 3) {
          const height =
            faceNormals[f] * vertices[i] + faceNormals[f + 1] * vertices[i + 1] + faceNormals[f + 2] * vertices[i + 2]
          low = Math.min(low, height)
          high = Math.max(high, height)
        }
        least = Math.min(least, high - low)
      }
      return least
    }
    default:
      return Infinity
  }
}

/**
 * Checks the numbers of a shape.
 *
 * @throws GeometryError that names the shape and the number
 */
export function checkShape(shape: Shape, name: string): void {
  if (typeof shape !== 'object' || shape === null || typeof shape.type !== 'string') {
    throw new GeometryError(
      `shape "${name}" is ${found(shape)}, expected an object with a type, such as { type: 'sphere', radius: 0.1 }`,
    )
  }
  const require = (good: boolean, what: string) => {
    if (!good) throw new GeometryError(`shape "${name}" (${shape.type}): ${what}`)
  }
  switch (shape.type) {
    case 'sphere':
      require(isLength(shape.radius) && shape.radius >= 0, `radius is ${found(shape.radius)}, expected a length of 0 or more`)
      break
    case 'ellipsoid':
      require(areLengths(shape.radii, 3) &&
        shape.radii.every((s) => s > 0), `radii are ${found(shape.radii)}, expected three positive lengths`)
      break
    case 'capsule':
    case 'cylinder':
      require(isLength(shape.radius) && shape.radius > 0, `radius is ${found(shape.radius)}, expected a positive length`)
      require(isLength(shape.length) && shape.length >= 0, `length is ${found(shape.length)}, expected 0 or more`)
      break
    case 'box': {
      const positive = areLengths(shape.size, 3) && shape.size.every((s) => s > 0)
      require(positive, `size is ${found(shape.size)}, expected three positive lengths`)
      break
    }
    case 'hull':
      checkPolyhedron(shape.polyhedron, require)
      break
    case 'halfspace': {
      require(areLengths(shape.normal, 3), `normal is ${found(shape.normal)}, expected three numbers of length 1`)
      const length = Math.hypot(...shape.normal)
      require(Math.abs(length - 1) < 1e-9, `normal has length ${length}, expected 1`)
      require(isLength(shape.offset), `offset is ${found(shape.offset)}, expected a finite length`)
      break
    }
    case 'mesh': {
      const { mesh } = shape
      require(isObject(mesh), `mesh is ${found(mesh)}, expected its vertices and triangles; closedMesh makes it`)
      checkVertices(mesh.vertices, 'mesh.vertices', require)
      checkIndices(mesh.triangles, 'mesh.triangles', mesh.vertices.length / 3, 3, require)
      const fault = checkClosed(mesh).faults[0]
      require(fault === undefined, `${fault}; weld and orient it with closedMesh`)
      require(shape.sampled === undefined ||
        shape.sampled > 0, `its field is sampled to ${shape.sampled} m, expected a positive length`)
      break
    }
    case 'heightfield': {
      const { rows, columns, spacing, heights } = shape
      const counts = Number.isInteger(rows) && Number.isInteger(columns) && rows >= 2 && columns >= 2
      require(counts, `${found(rows)} rows and ${found(columns)} columns, expected at least 2 of each`)
      const positive = areLengths(spacing, 2) && spacing.every((s) => s > 0)
      require(positive, `spacing is ${found(spacing)}, expected two positive lengths`)
      require(heights instanceof Float64Array, `heights is ${found(heights)}, expected a Float64Array`)
      require(heights.length === rows * columns, `${heights.length} heights, expected ${rows} x ${columns}`)
      require(heights.every(Number.isFinite), 'a height is not finite, expected lengths')
      break
    }
    default:
      throw new GeometryError(`shape "${name}" has the type "${(shape as Shape).type}", which is none of ours`)
  }
}

type Require = (good: boolean, what: string) => void

const isObject = (value: unknown) => typeof value === 'object' && value !== null
const isLength = (value: unknown) => typeof value === 'number' && Number.isFinite(value)
const areLengths = (value: unknown, count: number) => Array.isArray(value) && value.length === count && value.every(isLength)

/** What stands where something else is expected, in a few words. */
function found(value: unknown): string {
  if (value === undefined) return 'missing'
  if (Array.isArray(value)) return value.join(' ')
  if (isObject(value))
    return `an object of ${
      Object.keys(value as object)
        .slice(0, 4)
        .join(', ') || 'nothing'
    }`
  return typeof value === 'string' ? `"${value}"` : String(value)
}

function checkPolyhedron(polyhedron: Polyhedron, require: Require): void {
  require(isObject(polyhedron), `polyhedron is ${found(polyhedron)}, expected that of its points; hullOf makes it`)
  const { vertices, faces, faceNormals, edges } = polyhedron
  checkVertices(vertices, 'polyhedron.vertices', require)
  const count = vertices.length / 3
  checkIndices(edges, 'polyhedron.edges', count, 2, require)
  require(Array.isArray(faces), `polyhedron.faces is ${found(faces)}, expected a list of loops; hullOf makes it`)
  for (const loop of faces) checkIndices(loop, 'polyhedron.faces[]', count, 1, require)
  const normals =
    faceNormals instanceof Float64Array && faceNormals.length === 3 * faces.length && faceNormals.every(Number.isFinite)
  require(normals, `polyhedron.faceNormals is ${found(faceNormals)}, expected a Float64Array of ${faces.length} x 3`)
}

function checkVertices(vertices: Float64Array, name: string, require: Require): void {
  require(vertices instanceof Float64Array, `${name} is ${found(vertices)}, expected a Float64Array of n x 3`)
  require(vertices.length >= 3, 'no vertices, expected at least one')
  require(vertices.length % 3 === 0, `${name} has ${vertices.length} numbers, expected three a vertex`)
  require(vertices.every(Number.isFinite), `${name}: a coordinate is not finite, expected lengths`)
}

function checkIndices(indices: Int32Array, name: string, count: number, each: number, require: Require): void {
  require(indices instanceof Int32Array &&
    indices.length % each === 0, `${name} is ${found(indices)}, expected an Int32Array, ${each} a piece`)
  require(indices.every((i) => i >= 0 && i < count), `${name}: an index is not below the number of vertices, ${count}`)
}

/** The smallest and the largest coordinate of points along each axis. */
export function boundsOf(points: Float64Array): [Float64Array, Float64Array] {
  const low = new Float64Array(3).fill(Infinity)
  const high = new Float64Array(3).fill(-Infinity)
  for (let i = 0; i < points.length; i++) {
    const k = i % 3
    low[k] = Math.min(low[k], points[i])
    high[k] = Math.max(high[k], points[i])
  }
  return [low, high]
}

/** Half the largest extent of points along an axis; 0 of none. */
export function halfExtentOf(points: Float64Array): number {
  const [low, high] = boundsOf(points)
  return points.length === 0 ? 0 : 0.5 * Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2])
}

import * as is from '../../../dynamics/math/arguments.ts'
import type { Polyhedron, TriangleMesh } from '../mesh/polyhedron.ts'

/**
 * Interface of one kind of shape, in its own axes. `shapes/index.ts` lists the kinds, and is the entry point for other files. Only the
 * queries made for every pair in each step are elsewhere, by kind of core: contact points on half-spaces (`detection/halfSpaceManifold`,
 * `halfSpaceBottom`) and distances (`signedDistance`).
 */
export interface ShapeKind<S> {
  /** Expected fields; and a check of what these do not say. */
  readonly expected: is.Kind
  check?(shape: S, require: Require): void
  /**
   * Support point along d, of any length. If a face, an edge or a rim is farthest, one of its points, a fixed choice.
   *
   * @param d   3; an array, as bare numbers would be boxed in calls through the table of kinds
   * @param out out: 3 [m]
   * @throws GeometryError for half-spaces and height fields, which are unbounded
   */
  support(shape: S, d: Float64Array, out: Float64Array): void
  /** Extent from the origin along the unit vector d: least to out[at], greatest to out[at + 3] [m]. */
  reach(shape: S, d: Float64Array, out: Float64Array, at: number): void
  /** Distance of the farthest point from the origin of the axes in which R (9, row-major) and p (3) are the shape's pose [m]. */
  farthest(shape: S, R: Float64Array, p: Float64Array): number
  /** Least extent between two parallel planes [m]; for hulls, along the normals of their faces; Infinity if unbounded or open. */
  thickness(shape: S): number
  /** Half the largest extent along an axis; 0 for half-spaces [m]. */
  halfExtent(shape: S): number
  /** Volume, centroid and inertia; volume 0 for thin shapes and points and, by convention, unbounded shapes. */
  solid(shape: S): Solid
  /** Dimensions for penetration queries: radius; radius and half length; radii; or half edges and radius of a box [m]. Undefined for shapes with faces. */
  size?(shape: S): Float64Array
  /** Core of bounded convex shapes and half-spaces. */
  core?(shape: S): ShapeCore
  /** Polyhedron of a convex shape, as in `polyhedralVersion`. */
  polyhedral?(shape: S, sides: number, fit: 'inscribed' | 'circumscribed'): Polyhedron
  /** Corners of polyhedral shapes, n x 3 [m]. */
  corners?(shape: S): Float64Array | undefined
  /** Surface of shapes given by triangles or faces. */
  surface?(shape: S): TriangleMesh
}

export type Require = (good: boolean, what: string) => void

/** Volume, centroid and inertia at unit density. */
export interface Solid {
  /** [m³] */
  readonly volume: number
  /** [m] */
  readonly centroid: [number, number, number]
  /** About the centroid: xx, yy, zz, xy, xz, yz; products are matrix entries (xy = -∫ x y) [m⁵]. */
  readonly inertia: readonly [number, number, number, number, number, number]
}

/** Kinds of cores, each with its own support function, in the order by which `signedDistance` sorts a pair. */
export const Core = {
  point: 0,
  segment: 1,
  box: 2,
  /** Polyhedra of few vertices: support by exhaustive search. */
  few: 3,
  /** Polyhedra of many vertices: support by hill climbing. */
  many: 4,
  cylinder: 5,
  ellipsoid: 6,
  halfspace: 7,
  /** Shapes that are not convex; they have no core. */
  none: 8,
} as const

/**
 * A bounded convex shape as the Minkowski sum of a core and a ball: the core is a polyhedron (a point for spheres, a segment for
 * capsules, a smaller box for rounded boxes) or a cylinder or ellipsoid.
 */
export interface ShapeCore {
  /** One of `Core`; the collider distinguishes `many` from `few`. */
  readonly kind: number
  readonly polyhedron?: Polyhedron
  /** Radius of the ball [m]. */
  readonly rounding?: number
  /** Radius of a cylinder [m]. */
  readonly radius?: number
  /** Radii of an ellipsoid [m]. */
  readonly radii?: readonly number[]
  /** Half the length of capsules and cylinders [m]. */
  readonly halfLength?: number
  /** Radius of the bounding ball about the origin, for cores without polyhedron [m]. */
  readonly bound?: number
}

export const noSolid: Solid = { volume: 0, centroid: [0, 0, 0], inertia: [0, 0, 0, 0, 0, 0] }

export function checkVertices(vertices: Float64Array, name: string, require: Require): void {
  require(vertices instanceof Float64Array, `${name} is ${is.quoted(vertices)}, expected a Float64Array of n x 3`)
  require(vertices.length >= 3, 'no vertices, expected at least one')
  require(vertices.length % 3 === 0, `${name} has ${vertices.length} numbers, expected three a vertex`)
  require(vertices.every(Number.isFinite), `${name}: a coordinate is not finite, expected lengths`)
}

export function checkIndices(indices: Int32Array, name: string, count: number, each: number, require: Require): void {
  require(indices instanceof Int32Array &&
    indices.length % each === 0, `${name} is ${is.quoted(indices)}, expected an Int32Array, ${each} a piece`)
  require(indices.every((i) => i >= 0 && i < count), `${name}: an index is not below the number of vertices, ${count}`)
}

/** `ShapeKind.support` of points, n x 3. */
export function supportOfPoints(vertices: Float64Array, d: Float64Array, out: Float64Array): void {
  const x = d[0]
  const y = d[1]
  const z = d[2]
  let highest = -Infinity
  for (let i = 0; i < vertices.length; i += 3) {
    const height = vertices[i] * x + vertices[i + 1] * y + vertices[i + 2] * z
    if (height <= highest) continue
    highest = height
    out[0] = vertices[i]
    out[1] = vertices[i + 1]
    out[2] = vertices[i + 2]
  }
}

/** `ShapeKind.reach` of points, n x 3. */
export function reachOfPoints(vertices: Float64Array, d: Float64Array, out: Float64Array, at: number): void {
  const x = d[0]
  const y = d[1]
  const z = d[2]
  let low = Infinity
  let high = -Infinity
  for (let i = 0; i < vertices.length; i += 3) {
    const height = x * vertices[i] + y * vertices[i + 1] + z * vertices[i + 2]
    if (height < low) low = height
    if (height > high) high = height
  }
  out[at] = low
  out[at + 3] = high
}

/** `ShapeKind.farthest` of points, n x 3. */
export function farthestOfPoints(vertices: ArrayLike<number>, R: Float64Array, p: Float64Array): number {
  let farthest = 0
  for (let i = 0; i < vertices.length; i += 3) {
    const [x, y, z] = [vertices[i], vertices[i + 1], vertices[i + 2]]
    const wx = p[0] + R[0] * x + R[1] * y + R[2] * z
    const wy = p[1] + R[3] * x + R[4] * y + R[5] * z
    const wz = p[2] + R[6] * x + R[7] * y + R[8] * z
    farthest = Math.max(farthest, Math.hypot(wx, wy, wz))
  }
  return farthest
}

import * as is from '../../../dynamics/math/arguments.ts'
import { GeometryError } from '../geometryError.ts'
import { meshOfPolyhedron } from '../mesh/mesh.ts'
import type { Polyhedron, TriangleMesh } from '../mesh/polyhedron.ts'
import { type Box, box } from './box.ts'
import { type Capsule, capsule } from './capsule.ts'
import { type Cylinder, cylinder } from './cylinder.ts'
import { type Ellipsoid, ellipsoid } from './ellipsoid.ts'
import { type HalfSpace, halfspace } from './halfspace.ts'
import { type HeightField, heightfield } from './heightfield.ts'
import { type Hull, hull } from './hull.ts'
import { type MeshShape, mesh } from './mesh.ts'
import type { ShapeCore, ShapeKind, Solid } from './shapeKind.ts'
import { type Sphere, sphere } from './sphere.ts'

export type { Polyhedron, TriangleMesh } from '../mesh/polyhedron.ts'
export { Core, type Solid } from './shapeKind.ts'
export type { Box, Capsule, Cylinder, Ellipsoid, HalfSpace, HeightField, Hull, MeshShape, Sphere }

/** Collision shapes. All are solid. Lengths in metres, each shape in its own axes. */
export type Shape = ConvexShape | HalfSpace | MeshShape | HeightField

/** Convex and bounded. */
export type ConvexShape = Sphere | Ellipsoid | Box | Cylinder | Capsule | Hull

const kinds: { readonly [T in Shape['type']]: ShapeKind<Extract<Shape, { readonly type: T }>> } = {
  sphere,
  ellipsoid,
  box,
  cylinder,
  capsule,
  hull,
  halfspace,
  mesh,
  heightfield,
}
const kindOf = (shape: Shape): ShapeKind<Shape> => kinds[shape.type]

const ofAnyType = Object.fromEntries(Object.keys(kinds).map((type) => [type, () => '']))
const typed = is.variants('type', ofAnyType)

/**
 * Checks the numbers of a shape.
 *
 * @throws GeometryError with the name of the shape and the number
 */
export function checkShape(shape: Shape, name: string): void {
  const problem = typed(shape, `shape "${name}"`) || kindOf(shape).expected(shape, `shape "${name}" (${shape.type}): `)
  if (problem !== '') throw new GeometryError(problem)
  kindOf(shape).check?.(shape, (good, what) => {
    if (!good) throw new GeometryError(`shape "${name}" (${shape.type}): ${what}`)
  })
}

/** 3 each, in the shape's axes: a direction and a point. */
const along = new Float64Array(3)
const own = new Float64Array(3)

/**
 * Support point of a placed shape along a direction. Exact for every type. If a face, an edge or a rim is farthest, one of its points, a
 * fixed choice. @unchecked
 *
 * @param R         9, row-major: turns the shape's axes into those of `direction` and `out`
 * @param p         3: the shape's origin in those axes [m]
 * @param direction 3: of any length
 * @param out       out: 3 [m]
 * @throws GeometryError for half-spaces and height fields, which are unbounded
 */
export function supportPoint(shape: Shape, R: Float64Array, p: Float64Array, direction: Float64Array, out: Float64Array): void {
  along[0] = R[0] * direction[0] + R[3] * direction[1] + R[6] * direction[2]
  along[1] = R[1] * direction[0] + R[4] * direction[1] + R[7] * direction[2]
  along[2] = R[2] * direction[0] + R[5] * direction[1] + R[8] * direction[2]
  kindOf(shape).support(shape, along, own)
  const sx = own[0]
  const sy = own[1]
  const sz = own[2]
  out[0] = p[0] + R[0] * sx + R[1] * sy + R[2] * sz
  out[1] = p[1] + R[3] * sx + R[4] * sy + R[5] * sz
  out[2] = p[2] + R[6] * sx + R[7] * sy + R[8] * sz
}

const down = Float64Array.from([0, 0, -1])

/** The lowest point, along -z, of a placed shape; parameters as in `supportPoint`. @unchecked */
export function lowestPoint(shape: Shape, R: Float64Array, p: Float64Array, out: Float64Array): void {
  supportPoint(shape, R, p, down, out)
}

/**
 * The axis-aligned bounding box of a shape, widened by a margin on all sides. Half-spaces fill all of space, height fields are
 * unbounded downwards. For placed colliders `writeBounds` is faster. @unchecked
 *
 * @param R      9, row-major: turns the shape's axes into the world's
 * @param p      3: the shape's origin in the world [m]
 * @param margin its k-th entry: the margin [m]
 * @param out    out, 6 from entry `at`: least x, y, z, greatest x, y, z in world axes [m]
 */
export function writeShapeBounds(
  shape: Shape,
  R: Float64Array,
  p: Float64Array,
  margin: Float64Array,
  k: number,
  out: Float64Array,
  at: number,
): void {
  const kind = kindOf(shape)
  for (let axis = 0; axis < 3; axis++) {
    along[0] = R[3 * axis]
    along[1] = R[3 * axis + 1]
    along[2] = R[3 * axis + 2]
    kind.reach(shape, along, out, at + axis)
    out[at + axis] += p[axis] - margin[k]
    out[at + 3 + axis] += p[axis] + margin[k]
  }
}

/**
 * Distance of a shape's farthest point from the origin of the axes in which R and p place it [m]; Infinity for
 * half-spaces and height fields. For construction, not for the step. @unchecked
 */
export const boundingRadius = (shape: Shape, R: Float64Array, p: Float64Array): number => kindOf(shape).farthest(shape, R, p)

/**
 * The least extent of a shape between two parallel planes [m]; for hulls, along the normals of their faces. 0 for points and flat hulls,
 * Infinity for unbounded shapes and mesh surfaces. For construction, not for the step. @unchecked
 */
export const thicknessOf = (shape: Shape): number => kindOf(shape).thickness(shape)

/** Half the largest extent of a shape along its axes; 0 for half-spaces [m]. @unchecked */
export const halfExtentOfShape = (shape: Shape): number => kindOf(shape).halfExtent(shape)

/** Volume, centroid and inertia of a solid shape of unit density. @unchecked */
export const solidOf = (shape: Shape): Solid => kindOf(shape).solid(shape)

/** Radius; radius and half length; radii; or half edges of a box's core and its rounding [m]; empty for shapes with faces. */
export const sizeOf = (shape: Shape): Float64Array => kindOf(shape).size?.(shape) ?? new Float64Array(0)

/** Corners, n x 3 [m]; undefined for curved and unbounded shapes. @unchecked */
export const cornersOf = (shape: Shape): Float64Array | undefined => kindOf(shape).corners?.(shape)

/** The triangles of hulls, meshes and height fields; undefined for other shapes. @unchecked */
export const surfaceOf = (shape: Shape): TriangleMesh | undefined => kindOf(shape).surface?.(shape)

/** Triangulation of a shape; a curved shape's is that of `polyhedralVersion`. @unchecked */
export const trianglesOf = (shape: Exclude<Shape, HalfSpace>): TriangleMesh =>
  surfaceOf(shape) ?? meshOfPolyhedron(polyhedralVersion(shape as ConvexShape))

/** @throws GeometryError for a shape that is not convex */
export function coreOf(shape: Shape): ShapeCore {
  const core = kindOf(shape).core?.(shape)
  if (core === undefined)
    throw new GeometryError(`a ${shape.type} has no convex core; queries of pairs take convex shapes and half-spaces`)
  return core
}

export interface PolyhedralOptions {
  /** Number of sides around an axis, at least 3. */
  readonly sides?: number
  /** Inside the shape, with vertices on its surface; or around the shape, with faces that touch it. */
  readonly fit?: 'inscribed' | 'circumscribed'
}

const polyhedralKind = is.options<PolyhedralOptions>({ sides: () => '', fit: is.oneOf('inscribed', 'circumscribed') })

/** Most sides; no polyhedral contact model could use more. */
const maxSides = 1024

/**
 * A convex shape as a polyhedron, in the shape's axes.
 *
 * - box, hull: exact;
 * - rounded box: the hull of points on its corners, in ceil(n / 4) rounds; circumscribed, the box without rounding;
 * - cylinder: a prism with n sides, the first vertex at +x. Inscribed, its vertices are on the rim and its sides lie
 *   r (1 - cos(pi / n)) within; circumscribed, its sides touch at their middles and its edges stand out by
 *   r (1 / cos(pi / n) - 1). The length is exact;
 * - sphere: an icosahedron, its triangles quartered until a great circle crosses at least n of them. Inscribed, its vertices
 *   are on the sphere; circumscribed, the inscribed one is enlarged until its deepest face touches;
 * - ellipsoid: that of the unit sphere, stretched along its axes;
 * - capsule: a prism with n sides, closed by domes of ceil(n / 4) rounds each and a vertex at each end. Inscribed, its
 *   vertices are on the surface; circumscribed, its radius is enlarged until its deepest face touches.
 *
 * Touching is to rounding, 1e-15 of the radius. Spheres without radius give one vertex, capsules without length a sphere's rounds about one
 * centre.
 *
 * @throws GeometryError if `sides` is not a whole number from 3 to 1024, or a hull of a curved shape has no volume
 */
export function polyhedralVersion(shape: ConvexShape, options: PolyhedralOptions = {}): Polyhedron {
  is.check(options, polyhedralKind, 'polyhedral version: ')
  const { sides = 16, fit = 'inscribed' } = options
  checkShape(shape, 'of a polyhedral version')
  if (!Number.isInteger(sides) || sides < 3 || sides > maxSides) {
    throw new GeometryError(`a polyhedral version with ${sides} sides was asked for, expected 3 to ${maxSides}`)
  }
  return kindOf(shape).polyhedral!(shape, sides, fit)
}

/**
 * Shapes as contact sees them. All are solid. Lengths in metres, each shape in its own axes.
 */
export type Shape = ConvexShape | HalfSpace | MeshShape | HeightField

/** Convex and bounded. */
export type ConvexShape = Sphere | Ellipsoid | Box | Cylinder | Capsule | Hull

/** Centred at the origin. Radius 0 is a contact point. */
export interface Sphere {
  readonly type: 'sphere'
  readonly radius: number
}

/** Centred at the origin, semi-axes along x, y, z, all positive. */
export interface Ellipsoid {
  readonly type: 'ellipsoid'
  readonly radii: readonly [number, number, number]
}

/** Centred at the origin; `size` is the full edge length along x, y, z. */
export interface Box {
  readonly type: 'box'
  readonly size: readonly [number, number, number]
}

/** Centred at the origin, axis along z; `length` is the full height. */
export interface Cylinder {
  readonly type: 'cylinder'
  readonly radius: number
  readonly length: number
}

/** Centred at the origin, axis along z; `length` is without the caps. */
export interface Capsule {
  readonly type: 'capsule'
  readonly radius: number
  readonly length: number
}

/** The convex hull of points. */
export interface Hull {
  readonly type: 'hull'
  readonly polyhedron: Polyhedron
}

/** Solid where normal . x < offset. Only fixed things are half-spaces. */
export interface HalfSpace {
  readonly type: 'halfspace'
  readonly normal: readonly [number, number, number]
  readonly offset: number
}

/** What a closed surface of triangles encloses; it need not be convex, and may have several parts and cavities. */
export interface MeshShape {
  readonly type: 'mesh'
  readonly mesh: TriangleMesh
  /** Its distance is read from an adaptively sampled field of this error [m] (`SampledField`). Default: it is exact. */
  readonly sampled?: number
}

/**
 * Solid from its surface downwards, along -z, without end, over a rectangle centred at the origin; beside the rectangle
 * there is nothing. Only fixed things are height fields.
 *
 * Each cell of the grid is two triangles, parted by the diagonal from its corner at least x and y to that at most x and y.
 */
export interface HeightField {
  readonly type: 'heightfield'
  /** Grid points along y, at least 2. */
  readonly rows: number
  /** Grid points along x, at least 2. */
  readonly columns: number
  /** Between grid points along x and y. */
  readonly spacing: readonly [number, number]
  /** z of the grid points, rows x columns: row by row towards greater y, each row towards greater x [m]. */
  readonly heights: Float64Array
}

/** A surface of triangles. */
export interface TriangleMesh {
  /** n x 3 [m]. */
  readonly vertices: Float64Array
  /** t x 3: indices of vertices, counter-clockwise seen from outside. */
  readonly triangles: Int32Array
}

/** A convex polyhedron with its faces as loops of vertices, coplanar triangles merged. */
export interface Polyhedron {
  /** n x 3 [m]. */
  readonly vertices: Float64Array
  /** Loops of vertex indices, counter-clockwise seen from outside. */
  readonly faces: readonly Int32Array[]
  /** One outward unit normal a face, f x 3. */
  readonly faceNormals: Float64Array
  /** Pairs of vertex indices, each edge once, e x 2. */
  readonly edges: Int32Array
}

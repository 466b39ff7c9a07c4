/**
 * Shapes as contact sees them. All are convex and solid. Lengths in metres, each shape in its own axes.
 */
export type Shape = Sphere | Box | Cylinder | Capsule | Hull | HalfSpace

/** Centred at the origin. Radius 0 is a contact point. */
export interface Sphere {
  readonly type: 'sphere'
  readonly radius: number
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

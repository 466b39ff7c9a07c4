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

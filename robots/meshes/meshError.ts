/** A mesh file that cannot be read: the message states the text found, its place, and the expected form. */
export class MeshError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MeshError'
  }
}

/** Largest mesh file read [bytes]. */
export const maxMeshBytes = 64 * 1024 * 1024
/** Most triangles of a collision mesh; a limit against files that state false sizes. */
export const maxTriangles = 5_000_000
/** Vertices, each copy of an instanced part counted. */
export const maxPoints = 5_000_000
/** Largest coordinate [m or the file's unit]: its sixth power, as in an inertia, is still far from infinity. */
export const maxCoordinate = 1e9

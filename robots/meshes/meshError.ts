/** A mesh file that cannot be read: the message says what was found, where, and what was expected. */
export class MeshError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MeshError'
  }
}

/** Largest mesh file read [bytes]. */
export const maxMeshBytes = 64 * 1024 * 1024
/** Above this a mesh is no collision mesh; a limit against files that claim more than they should. */
export const maxTriangles = 5_000_000
/** Vertices, each copy of an instanced part counted. */
export const maxPoints = 5_000_000
/** Largest coordinate [m or the file's unit]: its sixth power, as in an inertia, is still far from infinity. */
export const maxCoordinate = 1e9

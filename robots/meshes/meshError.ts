import { Meter } from '../../dynamics/index.ts'

/** A mesh file that cannot be read: the message states the text found, its place, and the expected form. */
export class MeshError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MeshError'
  }
}

/** Largest mesh file read [bytes]. */
export const maxMeshBytes = 64 * 1024 * 1024
/** Of a collision mesh; limits against files that state false sizes. */
export const maxTriangles = 5_000_000
/** Vertices, each copy of an instanced part counted. */
export const maxPoints = 5_000_000
/** What one file may ask for; operations are those of cutting faces into triangles. */
const limits = { vertices: maxPoints, triangles: maxTriangles, operations: 50_000_000 }
export type MeshMeter = Meter<keyof typeof limits>
export const meshMeter = (): MeshMeter =>
  new Meter(limits, (kind, most) => new MeshError(`more than ${most} ${kind}, the most that are read`))
/** Largest coordinate [m or the file's unit]: its sixth power, as in an inertia, is still far from infinity. */
export const maxCoordinate = 1e9

/** A mesh file that cannot be read: the message says what was found and what was expected. */
export class MeshError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MeshError'
  }
}

/** Above this a mesh is no collision mesh; a limit against files that claim more than they should. */
export const maxTriangles = 2_000_000
/** Largest mesh file read [bytes]. */
export const maxMeshBytes = 64 * 1024 * 1024

/** @throws MeshError if a coordinate is not finite or there is no point */
export function checkPoints(points: Float64Array): Float64Array {
  if (points.length === 0) throw new MeshError('it holds no vertices')
  for (let i = 0; i < points.length; i++) {
    if (!Number.isFinite(points[i]))
      throw new MeshError(`vertex ${Math.floor(i / 3)} has a coordinate that is not a finite number`)
  }
  return points
}

/** A list of points that grows. */
export class PointList {
  private data = new Float64Array(3 * 256)
  private length = 0

  push(x: number, y: number, z: number): void {
    if (this.length + 3 > this.data.length) {
      if (this.length >= 9 * maxTriangles) throw new MeshError(`more than ${maxTriangles} triangles' worth of vertices`)
      const grown = new Float64Array(2 * this.data.length)
      grown.set(this.data)
      this.data = grown
    }
    this.data[this.length++] = x
    this.data[this.length++] = y
    this.data[this.length++] = z
  }

  points(): Float64Array {
    return this.data.slice(0, this.length)
  }
}

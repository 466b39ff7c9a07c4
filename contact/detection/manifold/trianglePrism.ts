import { type Collider, createCollider, type PlacedShape, polyhedronOf } from '../../geometry/index.ts'
import type { FlushSurfaces } from './flushSurfaces.ts'
import { longestSide, type SurfaceTriangles } from './surfaceTriangles.ts'

/** Faces of a triangle's prism: corners are those of the triangle, then those below. */
const prismFaces = [
  [0, 1, 2],
  [3, 5, 4],
  [0, 3, 4, 1],
  [1, 4, 5, 2],
  [2, 5, 3, 0],
].map((loop) => Int32Array.from(loop))

/** Weights of the corners in the point to which a prism's lower face shrinks; by the open sides, bit k of corner k: others stay upright. */
const undercutTo = [
  [0, 0, 0],
  [0, 0, 1],
  [1, 0, 0],
  [0.5, 0, 0.5],
  [0, 1, 0],
  [0, 0.5, 0.5],
  [0.5, 0.5, 0],
  [1 / 3, 1 / 3, 1 / 3],
].map((weights) => Float64Array.from(weights))

/** The solid below a triangle of a fixed mesh or height field, in world axes. */
export class TrianglePrism {
  readonly collider: Collider
  /** 1 [m]. */
  readonly thickness: Float64Array
  readonly #surface: SurfaceTriangles
  readonly #openSides: Uint8Array
  /** Unit vector downwards of a height field. */
  readonly #fall: Float64Array | undefined
  readonly #down = new Float64Array(3)

  constructor({ shape, R }: PlacedShape, { triangles, openSides }: FlushSurfaces, thickness: number) {
    this.thickness = Float64Array.of(thickness)
    this.#surface = triangles
    this.#openSides = openSides
    this.#fall = shape.type === 'heightfield' ? Float64Array.of(-R[2], -R[5], -R[8]) : undefined
    // at least as large as that of any triangle
    const side = longestSide(triangles.mesh) + thickness
    const corners = Float64Array.from([0, 0, 0, side, 0, 0, 0, side, 0, 0, 0, -side, side, 0, -side, 0, side, -side])
    this.collider = createCollider({ type: 'hull', polyhedron: polyhedronOf(corners, prismFaces) })
  }

  /** Sets the prism to triangle t of unit normal n, extruded straight down for a height field, against its normal for a mesh. */
  place(t: number, n: Float64Array): void {
    const { verticesW: x, normalsW: m, centerW } = this.collider
    const { mesh, verticesW } = this.#surface
    const { triangles } = mesh
    const fall = this.#fall
    const down = this.#down
    const depth = this.thickness[0]
    for (let d = 0; d < 3; d++) down[d] = fall === undefined ? -n[d] : fall[d]
    centerW.fill(0)
    for (let k = 0; k < 3; k++) {
      const v = 3 * triangles[3 * t + k]
      for (let d = 0; d < 3; d++) {
        x[3 * k + d] = verticesW[v + d]
        x[9 + 3 * k + d] = x[3 * k + d] + depth * down[d]
        centerW[d] += (x[3 * k + d] + x[9 + 3 * k + d]) / 6
      }
    }
    const isOpen = this.#openSides[t] !== 0
    if (isOpen) this.#undercut(t, x)
    for (let d = 0; d < 3; d++) {
      m[d] = n[d]
      m[3 + d] = -n[d]
    }
    for (let k = 0; k < 3; k++) {
      const a = 3 * k
      const b = k === 2 ? 0 : a + 3
      const ex = x[b] - x[a]
      const ey = x[b + 1] - x[a + 1]
      const ez = x[b + 2] - x[a + 2]
      if (isOpen) for (let d = 0; d < 3; d++) down[d] = x[9 + a + d] - x[a + d]
      const nx = ez * down[1] - ey * down[2]
      const ny = ex * down[2] - ez * down[0]
      const nz = ey * down[0] - ex * down[1]
      const scale = 1 / Math.sqrt(nx * nx + ny * ny + nz * nz)
      m[6 + a] = scale * nx
      m[7 + a] = scale * ny
      m[8 + a] = scale * nz
    }
    // the prism's axes are those of the world
    const { vertices, faceNormals } = this.collider.core!
    vertices.set(x)
    faceNormals.set(m)
  }

  /** Shrinks the lower face of a prism by half, away from its open sides, which are then no walls and touch at their edges alone. */
  #undercut(t: number, x: Float64Array): void {
    const weights = undercutTo[this.#openSides[t]]
    for (let d = 9; d < 12; d++) {
      const to = weights[0] * x[d] + weights[1] * x[3 + d] + weights[2] * x[6 + d]
      for (let k = d; k < 18; k += 3) x[k] = 0.5 * (x[k] + to)
    }
  }
}

import { addWork } from '../../../dynamics/index.ts'
import {
  type Collider,
  createCollider,
  type HeightField,
  heightFieldSurface,
  type MeshTree,
  meshTreeOf,
  type PlacedShape,
  polyhedronOf,
  type TriangleMesh,
  trianglesUnder,
} from '../../geometry/index.ts'

const bothSides = [Int32Array.of(0, 1, 2), Int32Array.of(0, 2, 1)]

/** The triangles of one fixed mesh or height field, in the world, with queries by box. @unchecked */
export class SurfaceTriangles {
  readonly mesh: TriangleMesh
  /** 3 a vertex [m]. */
  readonly verticesW: Float64Array
  /** 3 a triangle: unit normals, zeros for triangles without area. */
  readonly normalsW: Float64Array
  /** Result of `findNear`. */
  near = new Int32Array(256)
  readonly nearCount = new Int32Array(1)
  readonly #field: HeightField | undefined
  readonly #tree: MeshTree | undefined
  readonly #R: Float64Array
  readonly #p: Float64Array
  readonly #flat: Collider
  /** Stack of tree nodes to visit. */
  readonly #stack = new Int32Array(128)
  /** The queried box in the surface's axes: least x, y, z; greatest x, y, z. */
  readonly #low = new Float64Array(3)
  readonly #high = new Float64Array(3)

  constructor({ shape, R, p }: PlacedShape) {
    this.#field = shape.type === 'heightfield' ? shape : undefined
    this.mesh = shape.type === 'mesh' ? shape.mesh : heightFieldSurface(shape as HeightField)
    this.#tree = shape.type === 'mesh' ? meshTreeOf(shape.mesh) : undefined
    this.#R = R
    this.#p = p
    this.verticesW = inWorld(this.mesh.vertices, R, p)
    this.normalsW = normalsOf(this.verticesW, this.mesh.triangles)
    const side = longestSide(this.mesh)
    const corners = Float64Array.of(0, 0, 0, side, 0, 0, 0, side, 0)
    this.#flat = createCollider({ type: 'hull', polyhedron: polyhedronOf(corners, bothSides) })
  }

  /** A triangle as a placed flat shape; one object, reused. */
  colliderOf(t: number): Collider {
    const { verticesW: x, normalsW: n, centerW, core } = this.#flat
    const { triangles } = this.mesh
    for (let d = 0; d < 3; d++) {
      centerW[d] = 0
      for (let k = 0; k < 3; k++) {
        x[3 * k + d] = this.verticesW[3 * triangles[3 * t + k] + d]
        centerW[d] += x[3 * k + d] / 3
      }
      n[d] = this.normalsW[3 * t + d]
      n[3 + d] = -n[d]
    }
    // its axes are those of the world
    core!.vertices.set(x)
    core!.faceNormals.set(n)
    return this.#flat
  }

  /** Finds the triangles near a box. @param bounds the box in the world, 6 from entry `at` */
  findNear(bounds: Float64Array, at: number): void {
    const R = this.#R
    const p = this.#p
    const low = this.#low
    const high = this.#high
    for (let k = 0; k < 3; k++) {
      let middle = 0
      let reach = 0
      for (let d = 0; d < 3; d++) {
        middle += R[3 * d + k] * (0.5 * (bounds[at + d] + bounds[at + 3 + d]) - p[d])
        reach += Math.abs(R[3 * d + k]) * 0.5 * (bounds[at + 3 + d] - bounds[at + d])
      }
      low[k] = middle - reach
      high[k] = middle + reach
    }
    const count = this.nearCount
    if (this.#field !== undefined) trianglesUnder(this.#field, low, high, this.near, count)
    else this.#searchTree()
    if (count[0] <= this.near.length) return
    this.near = new Int32Array(2 * count[0])
    if (this.#field !== undefined) trianglesUnder(this.#field, low, high, this.near, count)
    else this.#searchTree()
  }

  /** Distance of the k-th point from half-edge h, projected along the triangle's normal, positive on the triangle's side [m]. */
  distanceToSide(h: number, point: Float64Array, k: number): number {
    const { triangles } = this.mesh
    const n = this.normalsW
    const y = this.verticesW
    const t = h - (h % 3)
    const a = 3 * triangles[h]
    const b = 3 * triangles[h % 3 === 2 ? h - 2 : h + 1]
    const ex = y[b] - y[a]
    const ey = y[b + 1] - y[a + 1]
    const ez = y[b + 2] - y[a + 2]
    const x = n[t + 1] * ez - n[t + 2] * ey
    const w = n[t + 2] * ex - n[t] * ez
    const z = n[t] * ey - n[t + 1] * ex
    const height = x * (point[3 * k] - y[a]) + w * (point[3 * k + 1] - y[a + 1]) + z * (point[3 * k + 2] - y[a + 2])
    return height / Math.sqrt(x * x + w * w + z * z)
  }

  /** Whether the k-th point, projected along the normal, is in the triangle, its border included to within a tolerance [m]. */
  isOver(t: number, point: Float64Array, k: number, tolerance: number): boolean {
    for (let h = 3 * t; h < 3 * t + 3; h++) if (this.distanceToSide(h, point, k) < -tolerance) return false
    return true
  }

  #searchTree(): void {
    const { bounds, links, order } = this.#tree!
    const low = this.#low
    const high = this.#high
    const stack = this.#stack
    let count = 0
    let visited = 0
    let open = 1
    stack[0] = 0
    while (open > 0) {
      const node = stack[--open]
      visited++
      const b = 6 * node
      if (
        bounds[b] > high[0] ||
        bounds[b + 3] < low[0] ||
        bounds[b + 1] > high[1] ||
        bounds[b + 4] < low[1] ||
        bounds[b + 2] > high[2] ||
        bounds[b + 5] < low[2]
      )
        continue
      const first = links[2 * node]
      const slots = links[2 * node + 1]
      if (slots === 0) {
        stack[open++] = first + 1
        stack[open++] = first
      }
      for (let slot = first; slot < first + slots; slot++) {
        if (count < this.near.length) this.near[count] = order[slot]
        count++
      }
    }
    addWork(visited, 10, 1)
    this.nearCount[0] = count
  }
}

function inWorld(vertices: Float64Array, R: Float64Array, p: Float64Array): Float64Array {
  return vertices.map((_, i) => {
    const v = i - (i % 3)
    const row = 3 * (i % 3)
    return p[i % 3] + R[row] * vertices[v] + R[row + 1] * vertices[v + 1] + R[row + 2] * vertices[v + 2]
  })
}

function normalsOf(x: Float64Array, triangles: Int32Array): Float64Array {
  const out = new Float64Array(triangles.length)
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]]
    const u = [0, 1, 2].map((d) => x[b + d] - x[a + d])
    const v = [0, 1, 2].map((d) => x[c + d] - x[a + d])
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    const length = Math.hypot(...n)
    for (let d = 0; d < 3; d++) out[t + d] = length > 0 ? n[d] / length : 0
  }
  return out
}

/** The longest side of the triangles of a mesh [m]. */
export function longestSide({ vertices, triangles }: TriangleMesh): number {
  let longest = 0
  for (let h = 0; h < triangles.length; h++) {
    const a = 3 * triangles[h]
    const b = 3 * triangles[h % 3 === 2 ? h - 2 : h + 1]
    longest = Math.max(
      longest,
      Math.hypot(vertices[a] - vertices[b], vertices[a + 1] - vertices[b + 1], vertices[a + 2] - vertices[b + 2]),
    )
  }
  return longest
}

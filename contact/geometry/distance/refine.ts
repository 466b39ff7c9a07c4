import { GeometryError } from '../geometryError.ts'
import { adjacencyOf, nextInTriangle, triangleArea } from '../mesh/mesh.ts'
import type { TriangleMesh } from '../shapes/index.ts'

/** Most triangles; an area that needs more counts as an error. */
const maxRefinedTriangles = 1_000_000

/**
 * Longest-edge bisection of triangles until none has more than a given area. The surface stays the same set of points and stays closed:
 * both triangles at an edge are bisected together, after a neighbour with a longer edge has been bisected there (Rivara, New longest-edge
 * algorithms for the refinement of unstructured meshes, 1997: the propagation path of a triangle runs over ever longer edges and so ends).
 * Angles stay above half the smallest one given. @unchecked
 *
 * The given vertices come first, in their order. A midpoint is half the sum of its ends, so that coordinates common to all vertices of a
 * face are preserved to the last bit.
 *
 * @param maxArea [m^2]
 * @throws GeometryError if the area is not positive, or takes more than `maxTriangles`
 */
export function refineMesh(mesh: TriangleMesh, maxArea: number, maxTriangles = maxRefinedTriangles): TriangleMesh {
  if (!(maxArea > 0)) throw new GeometryError(`triangles of at most ${maxArea} m^2 were asked for, expected a positive area`)
  const work = new Refinement(mesh, maxArea, maxTriangles)
  for (let t = 0; t < work.count; t++) while (work.areaOf(t) > maxArea) work.halveTowards(t)
  return work.result()
}

/** A growing mesh. Half-edges as in `MeshAdjacency`. */
class Refinement {
  count: number
  #vertexCount: number
  #vertices: Float64Array
  #triangles: Int32Array
  #twins: Int32Array
  readonly #maxArea: number
  readonly #maxTriangles: number

  constructor(mesh: TriangleMesh, maxArea: number, maxTriangles: number) {
    this.count = mesh.triangles.length / 3
    this.#vertexCount = mesh.vertices.length / 3
    this.#vertices = mesh.vertices.slice()
    this.#triangles = mesh.triangles.slice()
    this.#twins = adjacencyOf(mesh).twins.slice()
    this.#maxArea = maxArea
    this.#maxTriangles = maxTriangles
  }

  areaOf(t: number): number {
    return triangleArea(this.#vertices, this.#triangles, t)
  }

  /** Follows the propagation path from triangle t to an edge that is longest in both triangles, or open, and bisects these. */
  halveTowards(t: number): void {
    let h = this.#longest(t)
    for (;;) {
      const twin = this.#twins[h]
      if (twin < 0) break
      const there = this.#longest(Math.floor(twin / 3))
      if (there === twin) break
      h = there
    }
    this.#halve(h)
  }

  /** The longest edge; of equals the one with the smaller vertices, so that both sides agree. */
  #longest(t: number): number {
    let best = 3 * t
    for (let h = 3 * t + 1; h < 3 * t + 3; h++) if (this.#isLonger(h, best)) best = h
    return best
  }

  #isLonger(h: number, g: number): boolean {
    const [a, b] = this.#ends(h)
    const [c, d] = this.#ends(g)
    const lh = this.#squareLength(a, b)
    const lg = this.#squareLength(c, d)
    return lh > lg || (lh === lg && (a < c || (a === c && b < d)))
  }

  #ends(h: number): [number, number] {
    const a = this.#triangles[h]
    const b = this.#triangles[nextInTriangle(h)]
    return a < b ? [a, b] : [b, a]
  }

  #squareLength(a: number, b: number): number {
    const v = this.#vertices
    const x = v[3 * b] - v[3 * a]
    const y = v[3 * b + 1] - v[3 * a + 1]
    const z = v[3 * b + 2] - v[3 * a + 2]
    return x * x + y * y + z * z
  }

  #halve(h: number): void {
    const twin = this.#twins[h]
    const middle = this.#addVertex(this.#triangles[h], this.#triangles[nextInTriangle(h)])
    const outer = this.#split(h, middle)
    if (twin < 0) return
    const inner = this.#split(twin, middle)
    // h and twin now end at the midpoint, where the new half-edges start
    this.#link(h, inner)
    this.#link(twin, outer)
  }

  /**
   * Splits triangle (a, b, c), h from a to b, into (a, m, c), which keeps its number, and (m, b, c), appended.
   *
   * @returns the new half-edge from m to b
   */
  #split(h: number, m: number): number {
    this.#makeRoom()
    const hb = nextInTriangle(h)
    const hc = nextInTriangle(hb)
    const b = this.#triangles[hb]
    const c = this.#triangles[hc]
    const added = 3 * this.count++
    this.#triangles[added] = m
    this.#triangles[added + 1] = b
    this.#triangles[added + 2] = c
    this.#link(added + 1, this.#twins[hb])
    this.#triangles[hb] = m
    this.#link(hb, added + 2)
    this.#twins[added] = -1
    this.#twins[h] = -1
    return added
  }

  #link(h: number, g: number): void {
    this.#twins[h] = g
    if (g >= 0) this.#twins[g] = h
  }

  #addVertex(a: number, b: number): number {
    if (3 * this.#vertexCount + 3 > this.#vertices.length) {
      const grown = new Float64Array(2 * this.#vertices.length + 3)
      grown.set(this.#vertices)
      this.#vertices = grown
    }
    const v = this.#vertices
    const m = this.#vertexCount++
    for (let k = 0; k < 3; k++) v[3 * m + k] = 0.5 * (v[3 * a + k] + v[3 * b + k])
    return m
  }

  #makeRoom(): void {
    if (this.count >= this.#maxTriangles) {
      throw new GeometryError(
        `triangles of at most ${this.#maxArea} m^2 take more than ${this.#maxTriangles}; ask for a larger area`,
      )
    }
    if (3 * this.count + 3 <= this.#triangles.length) return
    const triangles = new Int32Array(2 * this.#triangles.length + 3)
    const twins = new Int32Array(triangles.length)
    triangles.set(this.#triangles)
    twins.set(this.#twins)
    this.#triangles = triangles
    this.#twins = twins
  }

  result(): TriangleMesh {
    return { vertices: this.#vertices.slice(0, 3 * this.#vertexCount), triangles: this.#triangles.slice(0, 3 * this.count) }
  }
}

import {
  adjacencyOf,
  type Collider,
  type HeightField,
  type PlacedShape,
  signedDistanceAlong,
  supportPoint,
  type TriangleMesh,
} from '../../geometry/index.ts'
import { PointsByNormal } from '../penetration/pointsByNormal.ts'
import { convexManifold, type ManifoldScratch } from './convexManifold.ts'
import { type FlushSurfaces, flushReach } from './flushSurfaces.ts'
import { halfSpaceManifold } from './halfSpaceManifold.ts'
import type { Manifold } from './manifold.ts'
import type { SurfaceTriangles } from './surfaceTriangles.ts'
import { TrianglePrism } from './trianglePrism.ts'

/** A normal counts as that of a triangle when 1 - cos of the angle between them is below this. */
const alongNormal = 1e-9
/** Distance from an edge within which a point counts as on it, relative to the size of the other shape. */
const onEdge = 1e-7
/** Number of vertices of a cylinder in `convexManifold`. */
const cylinderVertices = 22
/** First number of features that are neither vertices of the other shape nor of the surface: hashes. */
const hashedFeature = 1 << 30

/**
 * Contacts of convex shapes with one fixed triangle mesh or height field.
 *
 * Every triangle near the shape is extruded to a solid prism below it, and tested as a convex shape. The normal is the triangle's own, or
 * another one if the touched point is on a convex edge or corner, farthest along that normal among all its neighbours. Elsewhere (an edge
 * inside a flat or concave part, the side of a prism), the triangle acts as a half-space, with the contact points above the triangle. This
 * avoids ghost collisions at the seams between triangles.
 *
 * A mesh triangle touches only shapes whose bounding ball is centred on the outer side; a height field
 * pushes out what has sunk into it (`FlushSurfaces.isOverField`).
 *
 * Points are numbered by the shape's vertices (corners, rim points) where these touch, which keep their numbers from triangle to triangle;
 * then by the surface's vertices; then by hashes of the crossing features. Points of one normal are reduced to eight.
 */
export class SurfaceContacts {
  /** Result of the last `find`. */
  readonly points = new PointsByNormal()
  readonly #surface: SurfaceTriangles
  readonly #flush: FlushSurfaces
  /** Whether the centre of the shape is over a height field, or sunk into one. */
  #isOver = false
  readonly #mesh: TriangleMesh
  readonly #field: HeightField | undefined
  readonly #twins: Int32Array
  readonly #vertexStart: Int32Array
  readonly #vertexTriangles: Int32Array
  /** Vertices in world axes. */
  readonly #verticesW: Float64Array
  /** Unit normals of triangles in the world, 0 for those without area. */
  readonly #normalsW: Float64Array
  readonly #prism: TrianglePrism
  /** 1: height of the shape's lowest point above the triangle [m]. */
  readonly #height = new Float64Array(1)
  readonly #scratch: ManifoldScratch
  readonly #manifold: Manifold
  readonly #plane = new Float64Array(4)
  readonly #farthest = new Float64Array(3)
  readonly #back = new Float64Array(3)
  readonly #touched = new Float64Array(3)

  /**
   * @param placed    a mesh or height field on the world, and what is flush with it
   * @param radius    bounding radius of the largest shape that may touch it [m]
   * @param scratch   sized for the largest shape and a prism, as is `manifold`, whose margin is read
   */
  constructor(placed: PlacedShape, flush: FlushSurfaces, radius: number, scratch: ManifoldScratch, manifold: Manifold) {
    const surface = flush.triangles
    this.#surface = surface
    this.#flush = flush
    this.#field = placed.shape.type === 'heightfield' ? placed.shape : undefined
    this.#mesh = surface.mesh
    const { twins, vertexStart, vertexTriangles } = adjacencyOf(this.#mesh)
    this.#twins = twins
    this.#vertexStart = vertexStart
    this.#vertexTriangles = vertexTriangles
    this.#verticesW = surface.verticesW
    this.#normalsW = surface.normalsW
    this.#scratch = scratch
    this.#manifold = manifold
    this.#prism = new TrianglePrism(placed, flush, 2 * radius)
  }

  /**
   * Finds the contact points of a shape within the manifold's margin.
   *
   * @param bounds the shape's AABB, widened by the margin, 6 from entry `at`
   * @param collider placed, with its core
   */
  find(collider: Collider, bounds: Float64Array, at: number): void {
    const { triangles } = this.#mesh
    const n = this.#plane
    this.points.clear()
    this.points.extent[0] = collider.radius
    this.#isOver = this.#field !== undefined && this.#flush.isOverField(collider.centerW)
    const surface = this.#surface
    surface.findNear(bounds, at)
    for (let k = 0; k < surface.nearCount[0]; k++) {
      const t = surface.near[k]
      const v = 3 * triangles[3 * t]
      for (let d = 0; d < 3; d++) n[d] = this.#normalsW[3 * t + d]
      if (n[0] === 0 && n[1] === 0 && n[2] === 0) continue
      n[3] = n[0] * this.#verticesW[v] + n[1] * this.#verticesW[v + 1] + n[2] * this.#verticesW[v + 2]
      this.#touch(t, collider)
    }
  }

  #touch(t: number, collider: Collider): void {
    const manifold = this.#manifold
    const n = this.#plane
    const back = this.#back
    const farthest = this.#farthest
    for (let d = 0; d < 3; d++) back[d] = -n[d]
    supportPoint(collider.shape, collider.R, collider.p, back, farthest)
    const height = this.#height
    height[0] = n[0] * farthest[0] + n[1] * farthest[1] + n[2] * farthest[2] - n[3]
    if (height[0] > manifold.margin[0]) return
    const { centerW: c } = collider
    const isRim = this.#flush.openSides[t] !== 0
    // below the surface nothing is touched, unless the shape has sunk into a height field
    const pushes = n[0] * c[0] + n[1] * c[1] + n[2] * c[2] - n[3] >= 0 || this.#isOver
    if (!pushes && !isRim) return
    const isSeam = this.#flush.isSeam[t] === 1
    const isSunk = height[0] <= -0.5 * this.#prism.thickness[0]
    if (!isSunk || !pushes) {
      this.#prism.place(t, n)
      convexManifold(this.#prism.collider, collider, this.#scratch, manifold)
      if (manifold.count === 0 || (isSeam && this.#flush.buriesAll(t, manifold, collider))) return
      if ((pushes && this.#isAlong(manifold.normal)) || this.#standsOut(t, collider)) {
        for (let k = 0; k < manifold.count; k++) this.#add(k, this.#featureOf(t, manifold.feature[k], collider))
        return
      }
    }
    if (!pushes) return
    halfSpaceManifold(collider, n, manifold)
    const deepest = this.#field === undefined || this.#isOver ? -Infinity : -flushReach * collider.radius
    for (let k = 0; k < manifold.count; k++) {
      if (manifold.gap[k] < deepest || !this.#surface.isOver(t, manifold.point, k, onEdge * collider.radius)) continue
      if (isSeam && this.#flush.buries(t, manifold.gap, manifold.point, k, n, collider)) continue
      if (isSunk || !this.#leavesElsewhere(t, k)) this.#add(k, manifold.feature[k])
    }
  }

  /** Whether the k-th point of a shape, in the triangle's half-space, is nearer to a face across a convex edge or corner of the triangle. */
  #leavesElsewhere(t: number, k: number): boolean {
    const { triangles } = this.#mesh
    const { gap, point } = this.#manifold
    const n = this.#plane
    const m = this.#normalsW
    const y = this.#verticesW
    const x = this.#touched
    for (let d = 0; d < 3; d++) x[d] = point[3 * k + d] + 0.5 * gap[k] * n[d]
    for (let h = 3 * t; h < 3 * t + 3; h++) {
      const v = triangles[h]
      for (let i = this.#vertexStart[v]; i < this.#vertexStart[v + 1]; i++) {
        const s = 3 * this.#vertexTriangles[i]
        const over = m[s] * (x[0] - y[3 * v]) + m[s + 1] * (x[1] - y[3 * v + 1]) + m[s + 2] * (x[2] - y[3 * v + 2])
        if (over > gap[k] && this.#isConvex(t, s, v)) return true
      }
    }
    return false
  }

  /** Whether triangle t is behind the plane of another one, from half-edge s on, with which it shares vertex v, and that one behind its own. */
  #isConvex(t: number, s: number, v: number): boolean {
    const { triangles } = this.#mesh
    const m = this.#normalsW
    const y = this.#verticesW
    const n = this.#plane
    const cosine = n[0] * m[s] + n[1] * m[s + 1] + n[2] * m[s + 2]
    if (cosine > 1 - alongNormal) return false
    for (let k = 0; k < 3; k++) {
      const a = 3 * triangles[3 * t + k]
      const b = 3 * triangles[s + k]
      let ofOwn = 0
      let ofOther = 0
      for (let d = 0; d < 3; d++) {
        ofOwn += m[s + d] * (y[a + d] - y[3 * v + d])
        ofOther += n[d] * (y[b + d] - y[3 * v + d])
      }
      const tolerance = onEdge * this.#prism.thickness[0]
      if (ofOwn > tolerance || ofOther > tolerance) return false
    }
    return true
  }

  /** Adds the manifold's k-th point, unless a neighbouring triangle has already added it. */
  #add(k: number, feature: number): void {
    const { gap, point, normal } = this.#manifold
    this.points.add(feature, gap, point, k, normal)
  }

  /** Whether a normal is that of the current triangle. */
  #isAlong(normal: Float64Array): boolean {
    const n = this.#plane
    return normal[0] * n[0] + normal[1] * n[1] + normal[2] * n[2] > 1 - alongNormal
  }

  /** Whether the touched point is on an edge or corner, and no neighbouring vertex lies farther along the normal. */
  #standsOut(t: number, collider: Collider): boolean {
    const { triangles } = this.#mesh
    const { normal } = this.#manifold
    const x = this.#touched
    const witness = this.#scratch.distance
    signedDistanceAlong(this.#prism.collider, collider, normal, witness)
    for (let d = 0; d < 3; d++) x[d] = witness[4 + d]
    const tolerance = onEdge * collider.radius
    const n = this.#plane
    if (Math.abs(n[0] * x[0] + n[1] * x[1] + n[2] * x[2] - n[3]) > tolerance) return false
    for (let h = 3 * t; h < 3 * t + 3; h++) if (this.#isBeyond(triangles[h], x, normal, tolerance)) return false
    let sides = 0
    for (let h = 3 * t; h < 3 * t + 3; h++) {
      if (this.#surface.distanceToSide(h, x, 0) > tolerance) continue
      sides++
      const twin = this.#twins[h]
      if (twin >= 0 && this.#isBeyond(triangles[twin % 3 === 0 ? twin + 2 : twin - 1], x, normal, tolerance)) return false
    }
    if (sides === 0 || (this.#flush.isSeam[t] === 1 && this.#flush.covers(x, normal))) return false
    if (sides === 1) return true
    // at a corner: all triangles around it
    for (let h = 3 * t; h < 3 * t + 3; h++) {
      const v = triangles[h]
      const y = this.#verticesW
      const way = Math.abs(y[3 * v] - x[0]) + Math.abs(y[3 * v + 1] - x[1]) + Math.abs(y[3 * v + 2] - x[2])
      if (way > 10 * tolerance) continue
      for (let k = this.#vertexStart[v]; k < this.#vertexStart[v + 1]; k++) {
        const first = 3 * this.#vertexTriangles[k]
        for (let g = first; g < first + 3; g++) if (this.#isBeyond(triangles[g], x, normal, tolerance)) return false
      }
    }
    return true
  }

  /** Whether a vertex of the surface lies farther along the normal than a point. */
  #isBeyond(vertex: number, x: Float64Array, n: Float64Array, tolerance: number): boolean {
    const y = this.#verticesW
    const v = 3 * vertex
    return n[0] * (y[v] - x[0]) + n[1] * (y[v + 1] - x[1]) + n[2] * (y[v + 2] - x[2]) > tolerance
  }

  /** Feature number of a contact for the manifold's feature of the prism, numbered as in the class comment. */
  #featureOf(t: number, feature: number, { core }: Collider): number {
    const vertices = core ? core.vertices.length / 3 : cylinderVertices
    if (feature < vertices) return feature
    if (feature < vertices + 3) return vertices + this.#mesh.triangles[3 * t + feature - vertices]
    const mixed = Math.imul(t + 1, 0x9e3779b1) ^ Math.imul(feature + 1, 0x85ebca6b)
    return hashedFeature | ((mixed ^ (mixed >>> 15)) & (hashedFeature - 1))
  }
}

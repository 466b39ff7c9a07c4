import { addWork } from '../../../dynamics/index.ts'
import { addDistanceIntegral, type Collider } from '../../geometry/index.ts'
import { grown } from '../../grown.ts'

/** Work to clip an edge, in multiply-adds. */
const EDGE = 12

/** A closed surface of flat faces. Each face is a list of directed edges in any order, counter-clockwise seen from outside. */
class Surface {
  faceCount = 0
  /** Edges of face f: from start[f] up to start[f + 1]. */
  start = new Int32Array(64)
  /** 6 an edge: its two ends [m]. */
  edges = new Float64Array(6 * 128)

  reserve(faces: number, edges: number): void {
    if (faces + 1 > this.start.length) this.start = grown(this.start, 2 * (faces + 1))
    if (6 * edges > this.edges.length) this.edges = grown(this.edges, 12 * edges)
  }
}

/**
 * The intersection of convex polyhedra, and its integrals: one is clipped by the planes of the other's faces, and a new face closes each
 * cut. The surface stays closed even where faces are coplanar to rounding, because an edge is cut at the same point, to the last bit, in
 * both of its faces: volumes then err only by rounding times an area.
 *
 * Coordinates are relative to `origin`, so that their rounding is that of the shapes' size.
 */
export class ConvexOverlap {
  /** 3: world [m]; written by `begin`. */
  readonly origin = new Float64Array(3)
  /** 1: volume [m³]. */
  readonly volume = new Float64Array(1)
  /** 3: centroid of the volume along u and v, and along n the midpoint between both surfaces at the patch's centroid [m]. */
  readonly centroid = new Float64Array(3)
  /** 1: area of the patch, the projection of the polyhedron along n [m²]. */
  readonly area = new Float64Array(1)
  /** 2: the centroid of the patch along u and v [m]; and 3: second moments uu, uv, vv about it, divided by the area [m²]. */
  readonly middle = new Float64Array(2)
  readonly spread = new Float64Array(3)
  /** 1: the mean distance of the patch from its centroid [m]. */
  readonly reach = new Float64Array(1)
  /** Per face: 1 if it is on the upper side of the patch. */
  #above = new Uint8Array(64)
  #surface = new Surface()
  #other = new Surface()
  /** 3 a cut edge of the current face: the points where the edge leaves the half-space, and where it enters. */
  #out = new Float64Array(3 * 128)
  #in = new Float64Array(3 * 128)
  /** 1: normal · x of the clipping plane, relative to the origin [m]. */
  readonly #offset = new Float64Array(1)
  /** Integrals over a face projected along n: of 1, x, y, z, x², x y, y²; and over all faces: of z, z x, z y, and of z over upper faces. */
  readonly #ofFace = new Float64Array(7)
  /** Ends of an edge along u and v, relative to the centroid of the patch. */
  readonly #edge = new Float64Array(4)
  readonly #sum = new Float64Array(4)

  /** Whether the intersection is empty. */
  get isEmpty(): boolean {
    return this.#surface.faceCount === 0
  }

  /** Starts with a whole placed polyhedron. @param collider with a core that has faces */
  begin({ core, centerW, verticesW }: Collider): void {
    const { origin } = this
    const surface = this.#surface
    const { faces, edges } = core!
    surface.reserve(faces.length, edges.length)
    for (let d = 0; d < 3; d++) origin[d] = centerW[d]
    let e = 0
    for (let f = 0; f < faces.length; f++) {
      const loop = faces[f]
      surface.start[f] = e
      for (let k = 0; k < loop.length; k++, e++) {
        const from = 3 * loop[k]
        const to = 3 * loop[k + 1 === loop.length ? 0 : k + 1]
        for (let d = 0; d < 3; d++) {
          surface.edges[6 * e + d] = verticesW[from + d] - origin[d]
          surface.edges[6 * e + 3 + d] = verticesW[to + d] - origin[d]
        }
      }
    }
    surface.start[faces.length] = e
    surface.faceCount = faces.length
  }

  /** Clips to another placed polyhedron. */
  cutByFaces({ core, normalsW, verticesW }: Collider): void {
    const { faces } = core!
    const { origin } = this
    for (let f = 0; f < faces.length && !this.isEmpty; f++) {
      const v = 3 * faces[f][0]
      this.#offset[0] = 0
      for (let d = 0; d < 3; d++) this.#offset[0] += normalsW[3 * f + d] * (verticesW[v + d] - origin[d])
      this.#cut(normalsW, 3 * f)
    }
  }

  /** Clips to a half-space. @param plane 4: outward unit normal and offset [m] in the world */
  cutByPlane(plane: Float64Array): void {
    const { origin } = this
    this.#offset[0] = plane[3]
    for (let d = 0; d < 3; d++) this.#offset[0] -= plane[d] * origin[d]
    this.#cut(plane, 0)
  }

  #cut(normals: Float64Array, at: number): void {
    const offset = this.#offset[0]
    const nx = normals[at]
    const ny = normals[at + 1]
    const nz = normals[at + 2]
    const { faceCount, start, edges } = this.#surface
    const edgeCount = start[faceCount]
    addWork(edgeCount, EDGE, 1)
    let outside = 0
    for (let e = 0; e < 6 * edgeCount; e += 6) {
      if (nx * edges[e] + ny * edges[e + 1] + nz * edges[e + 2] - offset > 0) outside++
    }
    if (outside === 0) return
    if (outside === edgeCount) {
      this.#surface.faceCount = 0
      return
    }
    const next = this.#other
    // every cut edge adds half an edge to its face and half an edge to the closing face
    next.reserve(faceCount + 1, 2 * edgeCount)
    if (3 * edgeCount > this.#out.length) {
      this.#out = new Float64Array(6 * edgeCount)
      this.#in = new Float64Array(6 * edgeCount)
    }
    const leaving = this.#out
    const entering = this.#in
    let faces = 0
    let kept = 0
    // edges of the closing face are collected from the end of the list
    let closing = 2 * edgeCount
    for (let f = 0; f < faceCount; f++) {
      const first = kept
      let outs = 0
      let ins = 0
      for (let e = 6 * start[f]; e < 6 * start[f + 1]; e += 6) {
        const from = nx * edges[e] + ny * edges[e + 1] + nz * edges[e + 2] - offset
        const to = nx * edges[e + 3] + ny * edges[e + 4] + nz * edges[e + 5] - offset
        if (from > 0 && to > 0) continue
        const k = 6 * kept++
        for (let d = 0; d < 6; d++) next.edges[k + d] = edges[e + d]
        if (!(from > 0) && !(to > 0)) continue
        // from the inner end, so that both faces of the edge get the same point
        const enters = from > 0
        const inner = enters ? e + 3 : e
        const outer = enters ? e : e + 3
        const end = enters ? k : k + 3
        const t = enters ? to / (to - from) : from / (from - to)
        const points = enters ? entering : leaving
        const c = 3 * (enters ? ins++ : outs++)
        for (let d = 0; d < 3; d++) {
          const x = edges[inner + d] + t * (edges[outer + d] - edges[inner + d])
          next.edges[end + d] = x
          points[c + d] = x
        }
      }
      // a face's loop leaves as often as it enters
      for (let c = 0; c < 3 * outs; c += 3) {
        const k = 6 * kept++
        const m = 6 * --closing
        for (let d = 0; d < 3; d++) {
          next.edges[k + d] = leaving[c + d]
          next.edges[k + 3 + d] = entering[c + d]
          next.edges[m + d] = entering[c + d]
          next.edges[m + 3 + d] = leaving[c + d]
        }
      }
      if (kept > first) next.start[faces++] = first
    }
    next.start[faces++] = kept
    const count = 2 * edgeCount - closing
    for (let k = 0; k < 6 * count; k++) next.edges[6 * kept + k] = next.edges[6 * closing + k]
    next.start[faces] = kept + count
    next.faceCount = faces
    this.#other = this.#surface
    this.#surface = next
  }

  /**
   * Integrates over the polyhedron and over its projection along n, the patch.
   *
   * @param n,u,v 3 each: orthogonal unit vectors
   */
  integrate(n: Float64Array, u: Float64Array, v: Float64Array): void {
    const { volume, centroid, area, middle, spread } = this
    const { faceCount, start, edges } = this.#surface
    const sum = this.#sum
    const face = this.#ofFace
    sum.fill(0)
    area[0] = 0
    middle.fill(0)
    spread.fill(0)
    if (faceCount > this.#above.length) this.#above = new Uint8Array(2 * faceCount)
    for (let f = 0; f < faceCount; f++) {
      face.fill(0)
      const o = 6 * start[f]
      const x0 = u[0] * edges[o] + u[1] * edges[o + 1] + u[2] * edges[o + 2]
      const y0 = v[0] * edges[o] + v[1] * edges[o + 1] + v[2] * edges[o + 2]
      const z0 = n[0] * edges[o] + n[1] * edges[o + 1] + n[2] * edges[o + 2]
      for (let e = o; e < 6 * start[f + 1]; e += 6) {
        const x1 = u[0] * edges[e] + u[1] * edges[e + 1] + u[2] * edges[e + 2]
        const y1 = v[0] * edges[e] + v[1] * edges[e + 1] + v[2] * edges[e + 2]
        const z1 = n[0] * edges[e] + n[1] * edges[e + 1] + n[2] * edges[e + 2]
        const x2 = u[0] * edges[e + 3] + u[1] * edges[e + 4] + u[2] * edges[e + 5]
        const y2 = v[0] * edges[e + 3] + v[1] * edges[e + 4] + v[2] * edges[e + 5]
        const z2 = n[0] * edges[e + 3] + n[1] * edges[e + 4] + n[2] * edges[e + 5]
        // over the projected triangle with corners 0, 1, 2: ∫ a b = area / 12 (Σa Σb + Σab)
        const twice = (x1 - x0) * (y2 - y0) - (y1 - y0) * (x2 - x0)
        const x = x0 + x1 + x2
        const y = y0 + y1 + y2
        const z = z0 + z1 + z2
        sum[0] += (twice / 6) * z
        sum[1] += (twice / 24) * (x * z + x0 * z0 + x1 * z1 + x2 * z2)
        sum[2] += (twice / 24) * (y * z + y0 * z0 + y1 * z1 + y2 * z2)
        face[0] += twice / 2
        face[1] += (twice / 6) * x
        face[2] += (twice / 6) * y
        face[3] += (twice / 6) * z
        face[4] += (twice / 24) * (x * x + x0 * x0 + x1 * x1 + x2 * x2)
        face[5] += (twice / 24) * (x * y + x0 * y0 + x1 * y1 + x2 * y2)
        face[6] += (twice / 24) * (y * y + y0 * y0 + y1 * y1 + y2 * y2)
      }
      this.#above[f] = face[0] > 0 ? 1 : 0
      if (!(face[0] > 0)) continue
      area[0] += face[0]
      middle[0] += face[1]
      middle[1] += face[2]
      sum[3] += face[3]
      for (let k = 0; k < 3; k++) spread[k] += face[4 + k]
    }
    volume[0] = sum[0]
    const A = area[0]
    middle[0] /= A
    middle[1] /= A
    spread[0] = spread[0] / A - middle[0] * middle[0]
    spread[1] = spread[1] / A - middle[0] * middle[1]
    spread[2] = spread[2] / A - middle[1] * middle[1]
    centroid[0] = sum[1] / sum[0]
    centroid[1] = sum[2] / sum[0]
    centroid[2] = (sum[3] - 0.5 * sum[0]) / A
    this.#integrateDistance(u, v)
  }

  /** Integrates the mean distance of the patch from its centroid. Edges between two faces of the patch cancel. */
  #integrateDistance(u: Float64Array, v: Float64Array): void {
    const { reach, middle, area } = this
    const edge = this.#edge
    const { faceCount, start, edges } = this.#surface
    reach[0] = 0
    for (let f = 0; f < faceCount; f++) {
      if (this.#above[f] === 0) continue
      for (let e = 6 * start[f]; e < 6 * start[f + 1]; e += 6) {
        edge[0] = u[0] * edges[e] + u[1] * edges[e + 1] + u[2] * edges[e + 2] - middle[0]
        edge[1] = v[0] * edges[e] + v[1] * edges[e + 1] + v[2] * edges[e + 2] - middle[1]
        edge[2] = u[0] * edges[e + 3] + u[1] * edges[e + 4] + u[2] * edges[e + 5] - middle[0]
        edge[3] = v[0] * edges[e + 3] + v[1] * edges[e + 4] + v[2] * edges[e + 5] - middle[1]
        addDistanceIntegral(reach, 0, edge)
      }
    }
    reach[0] /= area[0]
  }
}

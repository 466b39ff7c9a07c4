import { addWork } from '../../../dynamics/index.ts'
import { IntersectionVolume, intersectionVolume } from '../penetration/intersectionVolume.ts'
import { PointsByNormal } from '../penetration/pointsByNormal.ts'
import { FieldKind, type FieldShape, isBallApart, pointDistance, relativePose } from './fieldShape.ts'
import { type SharpEdges, sharpEdgesOf } from './sharpEdges.ts'

/** Slope of the distance along an edge, per metre, below which the edge lies on a face: an angle of 6 degrees. */
const leaning = 0.1
/** Normals belong to one face when 1 - cos of the angle between them is below this. */
const sameFace = 1e-6
/** Bisections of an edge in the search for a point on it. */
const halvings = 30
/** Distance within which a point is on a corner or edge of the other shape, and step to test normals; relative to half the extent. */
const flush = 1e-6
const probe = 1e-3
/** Depth beyond which a point is pushed out any way, relative to the smaller shape's half extent. */
const deep = 0.03
/** Work of a point's distance query, in multiply-adds, for shapes that count none. */
const POINT = 50
/** Stack of tree nodes to visit: at most one a level, in balanced trees. */
const stack = new Int32Array(64)

/** Relative pose of the shapes, x_other = Q x + s; and an edge's origin and direction in the other's axes. */
const Q = new Float64Array(9)
const s = new Float64Array(3)
const from = new Float64Array(3)
const along = new Float64Array(3)
/** State of the search on an edge; an array, since numbers passed to or from functions are boxed. */
const edge = new Float64Array(9)
/** In `edge`: length and margin [m]; fraction along it, 0 to 1; slope of the distance there, at its start and at its end. */
const [LENGTH, MARGIN, PART, SLOPE, FIRST, LAST] = [0, 1, 2, 3, 4, 5] as const
/** The slope sought, and the fractions that bracket it. */
const [SOUGHT, LEFT, RIGHT] = [6, 7, 8] as const
const x = new Float64Array(3)
const distance = new Float64Array(4)
const facet = new Int32Array(1)
/** Distance and gradient at the lowest point of an edge. */
const lowest = new Float64Array(4)
const gap = new Float64Array(1)
const point = new Float64Array(3)
const normal = new Float64Array(3)
/** The direction against `normal`, in the axes of the shape that has the point. */
const outward = new Float64Array(3)

/**
 * Contacts of two solids, convex or not: the vertices (and running points, `FieldShape.stationCount`) of each in the signed distance of the
 * other, as in Guendelman, Bridson and Fedkiw (2003), section 5; and, beyond their method, the points on sharp edges of each that are
 * nearest to the other. @unchecked
 *
 * The gap is the distance, the normal its gradient, one for each contact; contacts of one normal are reduced to eight. Where an edge lies
 * along a face, the contacts are the points where it leaves the face. A point that is deeper than half the thickness of a wall is pushed
 * out of the wall's other side.
 */
export class ConcaveContacts {
  /** Result of the last `find`. */
  readonly points = new PointsByNormal()
  readonly #volume = new IntersectionVolume()

  /**
   * Finds the contact points within a margin. Normals point from A to B.
   *
   * @param a, b    placed
   * @param margin 1 [m]
   */
  find(a: FieldShape, b: FieldShape, margin: Float64Array): void {
    const volume = this.#volume
    this.points.clear()
    this.points.extent[0] = Math.min(a.halfExtent, b.halfExtent)
    volume.tolerance[0] = margin[0]
    intersectionVolume(a, b, volume)
    for (let i = 0; i < volume.count; i++) {
      if (volume.side[i] === 0) this.#addVertex(i, a, b, margin)
      else this.#addVertex(i, b, a, margin)
    }
    edge[MARGIN] = margin[0]
    this.#addEdges(a, b, 0, margin)
    this.#addEdges(b, a, 1, margin)
    this.#addCore(a, b, 0)
    this.#addCore(b, a, 1)
  }

  #addVertex(i: number, own: FieldShape, other: FieldShape, margin: Float64Array): void {
    if (hasCore(own)) return
    const { depth, exit, side, feature, point: from } = this.#volume
    for (let k = 0; k < 3; k++) point[k] = from[3 * i + k]
    gap[0] = -depth[i]
    for (let k = 0; k < 3; k++) normal[k] = exit[3 * i + k]
    const isNear = Math.abs(gap[0]) < flush * other.halfExtent
    if ((other.kind === FieldKind.polyhedron && gap[0] > 0) || isNear) {
      // outside a hull, its depth is only a lower bound
      intoAxes(other, point, x)
      pointDistance(other, x, distance, facet)
      if (distance[0] > margin[0]) return
      gap[0] = distance[0]
      if (isNear && facet[0] < 0) this.#leanOnFacet(own, feature[i], other)
      for (let k = 0; k < 3; k++) {
        const { R } = other
        normal[k] = R[3 * k] * distance[1] + R[3 * k + 1] * distance[2] + R[3 * k + 2] * distance[3]
      }
    }
    if (this.#isDeep() || !isBehindNeighbours(own, feature[i])) this.#add(4 * feature[i] + side[i], side[i])
  }

  /**
   * At a corner or edge of the other shape, where the gradient is not unique: chooses as normal that of a facet of its own shape that
   * points straight out of the other, if any. `distance` and `x` hold the result of the query at the point.
   */
  #leanOnFacet(own: FieldShape, vertex: number, other: FieldShape): void {
    const { facetNormals: n, vertexFacets, vertexFacetStart, R: RO } = own
    const { R } = other
    if (vertex + 1 >= vertexFacetStart.length) return
    const far = probe * other.halfExtent
    for (let k = 0; k < 3; k++) from[k] = x[k]
    for (let k = 0; k < 4; k++) lowest[k] = distance[k]
    for (let at = vertexFacetStart[vertex]; at < vertexFacetStart[vertex + 1]; at++) {
      const f = 3 * vertexFacets[at]
      for (let k = 0; k < 3; k++) normal[k] = -(RO[3 * k] * n[f] + RO[3 * k + 1] * n[f + 1] + RO[3 * k + 2] * n[f + 2])
      for (let k = 0; k < 3; k++) along[k] = R[k] * normal[0] + R[3 + k] * normal[1] + R[6 + k] * normal[2]
      for (let k = 0; k < 3; k++) x[k] = from[k] + far * along[k]
      pointDistance(other, x, distance, facet)
      // beside a height field there is no distance
      if (!(distance[0] - lowest[0] > far * (1 - 1e-6)) || distance[0] === Infinity) continue
      for (let k = 0; k < 3; k++) distance[1 + k] = along[k]
      return
    }
    for (let k = 0; k < 4; k++) distance[k] = lowest[k]
  }

  /** Whether the point is so deep that any way out will do, in or out of the cone of its own shape's normals. */
  #isDeep(): boolean {
    return gap[0] < -deep * this.points.extent[0]
  }

  /** Adds `point` of a shape's surface; `normal` leads out of the other one. */
  #add(feature: number, side: number): void {
    for (let k = 0; k < 3; k++) point[k] -= 0.5 * gap[0] * normal[k]
    if (side === 0) for (let k = 0; k < 3; k++) normal[k] = -normal[k]
    this.points.add(feature, gap, point, 0, normal)
  }

  /** Spheres and capsules: adds points of their cores, with the lowest between the ends, at the distance less the radius. */
  #addCore(own: FieldShape, other: FieldShape, side: number): void {
    if (!hasCore(own)) return
    const { size, stationCount } = own
    relativePose(own, other, Q, s)
    edge[LENGTH] = own.kind === FieldKind.capsule ? 2 * size[1] : 0
    for (let k = 0; k < 3; k++) {
      along[k] = Q[3 * k + 2]
      from[k] = s[k] - 0.5 * edge[LENGTH] * along[k]
    }
    for (let station = 0; station < stationCount; station++) {
      edge[PART] = stationCount === 1 ? 0 : station / (stationCount - 1)
      at(other)
      if (station === 0) edge[FIRST] = edge[SLOPE]
      this.#addOnEdge(4 * station + side, other, side, own)
    }
    if (stationCount === 1 || edge[FIRST] >= 0 || edge[SLOPE] <= 0) return
    edge[SOUGHT] = 0
    search(other)
    moveToLowest(other)
    this.#addOnEdge(4 * stationCount + side, other, side, own)
  }

  #addEdges(own: FieldShape, other: FieldShape, side: number, margin: Float64Array): void {
    if (own.edgeEnds.length === 0 || own.shape.type === 'heightfield') return
    const edges = sharpEdgesOf(own)
    const { balls, links, order } = edges
    if (order.length === 0) return
    relativePose(own, other, Q, s)
    stack[0] = 0
    let depth = 1
    while (depth > 0) {
      const node = stack[--depth]
      addWork(POINT, 1, 1)
      for (let k = 0; k < 3; k++) {
        const c = 4 * node
        x[k] = s[k] + Q[3 * k] * balls[c] + Q[3 * k + 1] * balls[c + 1] + Q[3 * k + 2] * balls[c + 2]
      }
      pointDistance(other, x, distance, facet)
      if (isBallApart(other, x, balls, 4 * node + 3, margin, distance)) continue
      const first = links[2 * node]
      const count = links[2 * node + 1]
      if (count === 0) {
        stack[depth++] = first + 1
        stack[depth++] = first
        continue
      }
      for (let k = first; k < first + count; k++) this.#addEdge(own, other, side, order[k], edges)
    }
  }

  /** Adds the nearest point on an edge, if between the ends, and the points where the edge leaves the face on which it lies. */
  #addEdge(own: FieldShape, other: FieldShape, side: number, e: number, { ends, normals }: SharpEdges): void {
    setEdge(own, ends, e)
    edge[PART] = 0.5
    at(other)
    if (distance[0] > 0.5 * edge[LENGTH] + edge[MARGIN]) return
    edge[PART] = 0
    at(other)
    edge[FIRST] = edge[SLOPE]
    for (let k = 0; k < 4; k++) lowest[k] = distance[k]
    edge[PART] = 1
    at(other)
    edge[LAST] = edge[SLOPE]
    const feature = 4 * (own.vertices.length / 3 + own.stationCount * 8 + 3 * e) + side
    if (edge[FIRST] < 0) {
      for (let k = 0; k < 4; k++) lowest[k] = distance[k]
      if (edge[LAST] > 0) {
        edge[SOUGHT] = 0
        search(other)
        moveToLowest(other)
        for (let k = 0; k < 4; k++) lowest[k] = distance[k]
        this.#addOnEdge(feature, other, side, own, normals, e)
      }
    }
    if (lowest[0] > edge[MARGIN]) return
    if (edge[FIRST] < -leaning && edge[LAST] >= -leaning) {
      edge[SOUGHT] = -leaning
      search(other)
      edge[PART] = edge[RIGHT]
      at(other)
      if (isOnFace()) this.#addOnEdge(feature + 4, other, side, own, normals, e)
    }
    if (edge[LAST] > leaning && edge[FIRST] <= leaning) {
      edge[SOUGHT] = leaning
      search(other)
      edge[PART] = edge[LEFT]
      at(other)
      if (isOnFace()) this.#addOnEdge(feature + 8, other, side, own, normals, e)
    }
  }

  /** Adds the point `x`, with its query result in `distance`; for a core, the surface point below it; for edge e, if its facets do not go on beyond. */
  #addOnEdge(feature: number, other: FieldShape, side: number, own: FieldShape, facets?: Float64Array, e = 0): void {
    const radius = hasCore(own) ? own.size[0] : 0
    if (distance[0] - radius > edge[MARGIN]) return
    const { R, p } = other
    gap[0] = distance[0] - radius
    for (let k = 0; k < 3; k++) {
      normal[k] = R[3 * k] * distance[1] + R[3 * k + 1] * distance[2] + R[3 * k + 2] * distance[3]
      point[k] = p[k] + R[3 * k] * x[0] + R[3 * k + 1] * x[1] + R[3 * k + 2] * x[2] - radius * normal[k]
    }
    if (facets === undefined || this.#isDeep() || !isBehindFacets(own, facets, e)) this.#add(feature, side)
  }
}

const hasCore = ({ kind }: FieldShape) => kind === FieldKind.sphere || kind === FieldKind.capsule

function intoAxes({ R, p }: FieldShape, y: Float64Array, out: Float64Array): void {
  for (let k = 0; k < 3; k++) out[k] = R[k] * (y[0] - p[0]) + R[3 + k] * (y[1] - p[1]) + R[6 + k] * (y[2] - p[2])
}

/** Transforms an edge into the other shape's axes: `from`, the unit vector `along`, and edge[LENGTH], its length. */
function setEdge({ vertices: v }: FieldShape, ends: Int32Array, e: number): void {
  const i = 3 * ends[2 * e]
  const j = 3 * ends[2 * e + 1]
  edge[LENGTH] = 0
  for (let k = 0; k < 3; k++) {
    from[k] = s[k] + Q[3 * k] * v[i] + Q[3 * k + 1] * v[i + 1] + Q[3 * k + 2] * v[i + 2]
    along[k] = Q[3 * k] * (v[j] - v[i]) + Q[3 * k + 1] * (v[j + 1] - v[i + 1]) + Q[3 * k + 2] * (v[j + 2] - v[i + 2])
    edge[LENGTH] += along[k] * along[k]
  }
  edge[LENGTH] = Math.sqrt(edge[LENGTH])
  for (let k = 0; k < 3; k++) along[k] /= edge[LENGTH]
}

/** Writes `distance` at edge[PART] of the edge, and edge[SLOPE]. */
function at(other: FieldShape): void {
  const way = edge[PART] * edge[LENGTH]
  for (let k = 0; k < 3; k++) x[k] = from[k] + way * along[k]
  addWork(POINT, 1, 1)
  pointDistance(other, x, distance, facet)
  edge[SLOPE] = distance[1] * along[0] + distance[2] * along[1] + distance[3] * along[2]
}

/** Bisects the edge for the point where the slope of the distance crosses edge[SOUGHT] upwards. */
function search(other: FieldShape): void {
  edge[LEFT] = 0
  edge[RIGHT] = 1
  for (let round = 0; round < halvings; round++) {
    edge[PART] = 0.5 * (edge[LEFT] + edge[RIGHT])
    at(other)
    edge[edge[SLOPE] < edge[SOUGHT] ? LEFT : RIGHT] = edge[PART]
  }
}

/** After a search for slope 0: evaluates the point found; at a kink, on the face along which the edge rises less. */
function moveToLowest(other: FieldShape): void {
  edge[PART] = edge[LEFT]
  at(other)
  const onLeft = Math.abs(edge[SLOPE])
  edge[PART] = edge[RIGHT]
  at(other)
  if (onLeft >= Math.abs(edge[SLOPE])) return
  edge[PART] = edge[LEFT]
  at(other)
}

/** Whether `distance` is to the face of the lowest point. */
function isOnFace(): boolean {
  return distance[1] * lowest[1] + distance[2] * lowest[2] + distance[3] * lowest[3] > 1 - sameFace
}

/** `outward` := the direction against `normal`, in the shape's axes. */
function setOutward({ R }: FieldShape): void {
  for (let k = 0; k < 3; k++) outward[k] = -(R[k] * normal[0] + R[3 + k] * normal[1] + R[6 + k] * normal[2])
}

/** Whether a facet of edge e, a convex one, goes on beyond it, against `normal`: 6 entries of `facets` an edge, the normals of both. */
function isBehindFacets(own: FieldShape, facets: Float64Array, e: number): boolean {
  setOutward(own)
  let cosine = 0
  for (let k = 6 * e; k < 6 * e + 3; k++) cosine += facets[k] * facets[k + 3]
  const least = -leaning * Math.sqrt(1 - cosine * cosine)
  for (let f = 0; f < 6; f += 3) {
    let rise = 0
    for (let d = 0; d < 3; d++) rise += outward[d] * (facets[6 * e + f + d] - cosine * facets[6 * e + 3 - f + d])
    if (rise < least) return true
  }
  return false
}

/**
 * Whether the own shape goes on beyond one of its vertices, against `normal`, along some edge: a grid point in a flat or concave part is no
 * corner to be caught on.
 */
function isBehindNeighbours(own: FieldShape, vertex: number): boolean {
  const { vertices: v, edgeStart, edgeEnds } = own
  if (vertex + 1 >= edgeStart.length) return false
  setOutward(own)
  for (let k = edgeStart[vertex]; k < edgeStart[vertex + 1]; k++) {
    let square = 0
    let beyond = 0
    for (let d = 0; d < 3; d++) {
      const e = v[3 * edgeEnds[k] + d] - v[3 * vertex + d]
      square += e * e
      beyond += e * outward[d]
    }
    if (beyond > 0 && beyond * beyond > leaning * leaning * square) return true
  }
  return false
}

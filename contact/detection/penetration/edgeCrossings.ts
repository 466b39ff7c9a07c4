import { uprightProduct } from '../../tolerances.ts'
import { FieldKind, type FieldShape } from '../manifold/fieldShape.ts'
import { exitAlong } from './exitAlong.ts'
import type { IntersectionVolume } from './intersectionVolume.ts'

/** Both ends of an edge, and a point between, in the other shape's axes. */
const from = new Float64Array(3)
const to = new Float64Array(3)
const x = new Float64Array(3)
const way = new Float64Array(3)
const far = new Float64Array(1)
/** Point where the edge leaves the other shape, as a fraction of its length. */
const fraction = new Float64Array(1)

/**
 * Appends to the points of a volume the crossings at which edges of one shape leave the other, for edges with one end among the points and
 * on a facet that faces the other shape along the normal. The footprint of a box that overhangs another thus ends at the border of the
 * lower box, not at the last Steiner point before.
 *
 * The new points have depth 0, since they are on both surfaces.
 *
 * @param side    0 if `own` is A, 1 if it is B
 * @param normals a normal in the axes of A and of B, 3 each; a facet faces along `sign` times it
 */
export function addCrossings(
  own: FieldShape,
  other: FieldShape,
  side: number,
  normals: Float64Array,
  sign: number,
  volume: IntersectionVolume,
): void {
  // edges leave a half-space in its plane, at zero thickness of the volume
  if (other.kind === FieldKind.halfspace || own.marks.length === 0) return
  const { marks, edgeStart, edgeEnds, edgeFacets } = own
  const corners = marks.length
  const { count } = volume
  for (let i = 0; i < count; i++) {
    if (volume.side[i] === side && volume.feature[i] < corners) marks[volume.feature[i]] = 1
  }
  for (let i = 0; i < count; i++) {
    const vertex = volume.feature[i]
    if (volume.side[i] !== side || vertex >= corners) continue
    for (let e = edgeStart[vertex]; e < edgeStart[vertex + 1]; e++) {
      // edges within a facet, from its triangulation, have no corners of the footprint
      if (marks[edgeEnds[e]] !== 0 || edgeFacets[2 * e] === edgeFacets[2 * e + 1]) continue
      if (
        !faces(own, edgeFacets[2 * e], normals, 3 * side, sign) &&
        !faces(own, edgeFacets[2 * e + 1], normals, 3 * side, sign)
      ) {
        continue
      }
      intoOther(own, other, vertex, from)
      intoOther(own, other, edgeEnds[e], to)
      if (leaves(other, volume.tolerance)) push(other, side, -2 - e, volume)
    }
  }
  for (let i = 0; i < count; i++) {
    if (volume.side[i] === side && volume.feature[i] < corners) marks[volume.feature[i]] = 0
  }
}

function faces({ facetNormals: n }: FieldShape, f: number, normals: Float64Array, at: number, sign: number): boolean {
  if (f < 0) return false
  const product = n[3 * f] * normals[at] + n[3 * f + 1] * normals[at + 1] + n[3 * f + 2] * normals[at + 2]
  return sign * product > uprightProduct
}

function intoOther({ vertices, R: RO, p: pO }: FieldShape, { R, p }: FieldShape, vertex: number, out: Float64Array): void {
  const vx = vertices[3 * vertex]
  const vy = vertices[3 * vertex + 1]
  const vz = vertices[3 * vertex + 2]
  const dx = pO[0] - p[0] + RO[0] * vx + RO[1] * vy + RO[2] * vz
  const dy = pO[1] - p[1] + RO[3] * vx + RO[4] * vy + RO[5] * vz
  const dz = pO[2] - p[2] + RO[6] * vx + RO[7] * vy + RO[8] * vz
  for (let k = 0; k < 3; k++) out[k] = R[k] * dx + R[3 + k] * dy + R[6 + k] * dz
}

/** Whether the edge leaves the other shape between its ends, away from both; writes `fraction`. */
function leaves(other: FieldShape, tolerance: Float64Array): boolean {
  const dx = to[0] - from[0]
  const dy = to[1] - from[1]
  const dz = to[2] - from[2]
  const length = Math.sqrt(dx * dx + dy * dy + dz * dz)
  way[0] = dx / length
  way[1] = dy / length
  way[2] = dz / length
  exitAlong(other, from, way, 0, 1, tolerance, far)
  fraction[0] = far[0] / length
  return far[0] > tolerance[0] && far[0] < length
}

function push({ R, p }: FieldShape, side: number, feature: number, volume: IntersectionVolume): void {
  const i = volume.count + volume.crossingCount++
  if (i >= volume.capacity) volume.reserve(2 * volume.capacity)
  const t = fraction[0]
  for (let k = 0; k < 3; k++) x[k] = from[k] + t * (to[k] - from[k])
  for (let k = 0; k < 3; k++) volume.point[3 * i + k] = p[k] + R[3 * k] * x[0] + R[3 * k + 1] * x[1] + R[3 * k + 2] * x[2]
  volume.side[i] = side
  volume.feature[i] = feature
  volume.depth[i] = 0
  volume.facet[i] = -1
  volume.cap[i] = -1
}

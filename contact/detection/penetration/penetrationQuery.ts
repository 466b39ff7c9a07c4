import { lengthRounding, shapeTolerance, uprightProduct } from '../../tolerances.ts'
import { areBallsApart, type FieldShape } from '../manifold/fieldShape.ts'
import { BottomPoints, selectBottom, setPlaneDirections } from './bottomPoints.ts'
import {
  type ContactPlane,
  closestPlane,
  contactPlane,
  createContactPlane,
  NormalPath,
  normalMemorySize,
} from './contactNormal.ts'
import { addCrossings } from './edgeCrossings.ts'
import { exitAlong } from './exitAlong.ts'
import { IntersectionVolume, intersectionVolume } from './intersectionVolume.ts'

/** Entries of a pair's memory for penetration queries, 0 at first; part of a world's state. */
export const penaltyMemorySize = normalMemorySize

/** `touching`: overlapping by no more than rounding. */
export type PenaltyStatus = 'apart' | 'touching' | 'overlapping'

/**
 * Penetration query for penalty methods: depth and normal of the overlap of two shapes, and the points on the bottom of the volume of
 * intersection. Positions and directions in world axes. After Drumwright, A Fast and Stable Penalty Method for Rigid Body Simulation
 * (2008), section III-A and appendix I; docs/geometry.md lists the guarantees of each part. @unchecked
 *
 * A depth is the thickness of the volume at a point, along the normal. If the contact plane is that of B's facet, it runs from points on
 * A's surface to the plane, and from points on B's down to A's surface; and vice versa.
 *
 * Overwritten by `penaltyReading`, which replaces the arrays of the bottom when they grow.
 */
export class PenetrationQuery {
  status: PenaltyStatus = 'apart'
  /** 3, unit, from A to B; 0 when apart. */
  readonly normal = new Float64Array(3)
  /** 1: greatest depth on the bottom, along the normal [m]. */
  readonly depth = new Float64Array(1)
  /** 3 and 3: deepest point of the bottom, on its shape's surface, and the opposite point on the other's [m]. */
  readonly pointA = new Float64Array(3)
  readonly pointB = new Float64Array(3)
  /** 1: greatest signed-distance depth of a surface point in the other shape, a lower bound of separating translations [m]. */
  readonly distanceDepth = new Float64Array(1)
  /** Number of surface points in the volume. */
  volumeCount = 0
  /** Search that found the normal: one of `NormalPath`. */
  path: number = NormalPath.fast
  /** Whether last step's facet was kept although another one has slightly less travel. */
  kept = false
  /** Number of queries with contact for each `NormalPath`. */
  readonly paths = new Float64Array(3)

  /** Points on the bottom: entry i of each array is point i, for i < bottomCount; the deepest first. */
  bottomCount = 0
  /** 0: of A's surface; 1: of B's. */
  bottomSide!: Uint8Array
  /** Number of the vertex or running point, as in `IntersectionVolume`; -1 for the contact of the closest features. */
  bottomFeature!: Int32Array
  /** [m] */
  bottomDepth!: Float64Array
  /** 3 a point [m]: on its shape's surface. */
  bottomPoint!: Float64Array
  /** 3 a point [m]: midway to the other surface, along the normal. */
  bottomMiddle!: Float64Array

  readonly volume = new IntersectionVolume()
  readonly plane: ContactPlane = createContactPlane()
  /** Scratch: points that face the other shape; `source` is their index in `volume`. */
  readonly facing = new BottomPoints()
  #capacity = 0

  constructor() {
    this.reserve(this.volume.capacity)
  }

  /** Reserves space for `capacity` points on the bottom; present ones are lost. */
  reserve(capacity: number): void {
    if (capacity <= this.#capacity) return
    this.#capacity = capacity
    this.bottomSide = new Uint8Array(capacity)
    this.bottomFeature = new Int32Array(capacity)
    this.bottomDepth = new Float64Array(capacity)
    this.bottomPoint = new Float64Array(3 * capacity)
    this.bottomMiddle = new Float64Array(3 * capacity)
    this.facing.reserve(capacity)
  }
}

/** Rounding error of lengths, relative to the larger half extent and to the distance from the origin. */
const ofLarger = 1e-14
const ofPlace = 1e-15

/** The plane's normal in the axes of A and of B, 3 each. */
const normals = new Float64Array(6)
/** Directions of the contact plane in world axes. */
const u = new Float64Array(3)
const v = new Float64Array(3)
const x = new Float64Array(3)
const thickness = new Float64Array(1)

/**
 * Queries a pair of placed shapes. Exchange of A and B only reverses the normal. @unchecked
 *
 * @param memory in and out: `penaltyMemorySize` entries of this pair, from `at` on, zeros at first
 * @param steiner whether the bottom of two polyhedra has their Steiner points, as in the paper, in place of the crossings of their edges
 */
export function penaltyReading(
  a: FieldShape,
  b: FieldShape,
  memory: Float64Array,
  at: number,
  out: PenetrationQuery,
  steiner = false,
): void {
  const { volume, plane } = out
  setTolerance(a, b, volume.tolerance)
  intersectionVolume(a, b, volume)
  out.volumeCount = volume.count
  if (volume.count === 0) {
    memory[at] = 0
    if (mayCross(a, b) && closestPlane(a, b, volume.tolerance, plane)) readClosest(out)
    else clear(out)
    return
  }
  contactPlane(a, b, volume, memory, at, plane)
  let deepest = 0
  for (let i = 1; i < volume.count; i++) if (volume.depth[i] > volume.depth[deepest]) deepest = i
  out.distanceDepth[0] = volume.depth[deepest]
  if (plane.path === NormalPath.closest) {
    readClosest(out)
    return
  }
  out.reserve(volume.capacity)
  setDirections(a, b, plane)
  gatherFacing(a, b, out, steiner)
  out.facing.tolerance[0] = volume.tolerance[0]
  out.facing.tolerance[1] = Math.max(volume.tolerance[0], shapeTolerance * smallerExtent(a, b))
  selectBottom(out.facing)
  writeBottom(out, deepest)
}

function setTolerance(a: FieldShape, b: FieldShape, tolerance: Float64Array): void {
  const larger = Math.max(a.halfExtent, b.halfExtent)
  let far = 0
  for (let k = 0; k < 3; k++) far = Math.max(far, Math.abs(a.p[k]), Math.abs(b.p[k]))
  tolerance[0] = lengthRounding * smallerExtent(a, b) + ofLarger * larger + ofPlace * far
}

/** The smaller half extent of the two, disregarding half-spaces and points. */
function smallerExtent({ halfExtent: a }: FieldShape, { halfExtent: b }: FieldShape): number {
  return a > 0 && b > 0 ? Math.min(a, b) : Math.max(a, b)
}

/** Whether shapes with no point inside the other may overlap: both convex and bounded, with overlapping bounding balls. */
function mayCross(a: FieldShape, b: FieldShape): boolean {
  if (a.collider === undefined || b.collider === undefined) return false
  return a.collider.radius + b.collider.radius < Infinity && !areBallsApart(a, b)
}

function clear(out: PenetrationQuery): void {
  out.status = 'apart'
  out.kept = false
  out.bottomCount = 0
  out.depth[0] = 0
  out.distanceDepth[0] = 0
  for (let k = 0; k < 3; k++) {
    out.normal[k] = 0
    out.pointA[k] = 0
    out.pointB[k] = 0
  }
}

/** Writes the one contact of the closest features. */
function readClosest(out: PenetrationQuery): void {
  const { plane, volume } = out
  const { closest } = plane
  if (volume.count === 0) out.distanceDepth[0] = 0
  out.depth[0] = -closest[0]
  out.bottomCount = 1
  out.bottomSide[0] = 0
  out.bottomFeature[0] = -1
  out.bottomDepth[0] = -closest[0]
  for (let k = 0; k < 3; k++) {
    out.normal[k] = closest[1 + k]
    out.pointA[k] = closest[4 + k]
    out.pointB[k] = closest[7 + k]
    out.bottomPoint[k] = closest[4 + k]
    out.bottomMiddle[k] = 0.5 * (closest[4 + k] + closest[7 + k])
  }
  finish(out)
}

function finish(out: PenetrationQuery): void {
  out.status = out.depth[0] > out.volume.tolerance[0] ? 'overlapping' : 'touching'
  out.path = out.plane.path
  out.kept = out.plane.kept
  out.paths[out.path]++
}

/** Writes the plane's normal in both shapes' axes, and two directions in the plane, fixed in the shape that owns its facet. */
function setDirections(a: FieldShape, b: FieldShape, { owner, normal }: ContactPlane): void {
  for (let k = 0; k < 3; k++) {
    normals[k] = a.R[k] * normal[0] + a.R[3 + k] * normal[1] + a.R[6 + k] * normal[2]
    normals[3 + k] = b.R[k] * normal[0] + b.R[3 + k] * normal[1] + b.R[6 + k] * normal[2]
  }
  setPlaneDirections((owner === 0 ? a : b).R, normals, 3 * owner, normal, u, v)
}

/** Lists the points on surfaces that face the other shape along the normal, with their depths. */
function gatherFacing(a: FieldShape, b: FieldShape, out: PenetrationQuery, steiner: boolean): void {
  const { volume, plane, facing } = out
  const { owner, normal } = plane
  facing.count = 0
  for (let i = 0; i < volume.count; i++) {
    const from = volume.side[i]
    if (faces(from === 0 ? a : b, volume, i, from === owner ? 1 : -1, normal)) takeFacing(a, b, out, i, false)
  }
  if (steiner && a.stationCount === 0 && b.stationCount === 0) return
  addCrossings(a, b, 0, normals, owner === 0 ? 1 : -1, volume)
  addCrossings(b, a, 1, normals, owner === 1 ? 1 : -1, volume)
  out.reserve(volume.capacity)
  // no force where the volume has no thickness
  const end = volume.count + volume.crossingCount
  for (let i = volume.count; i < end; i++) takeFacing(a, b, out, i, true)
  if (a.stationCount === 0 && b.stationCount === 0) leaveOut(a, b, out, isSteiner)
  else if ((a.collider === undefined) !== (b.collider === undefined)) leaveOut(a, b, out, isGridPoint)
}

type Choice = (shape: FieldShape, feature: number) => boolean

/** Of two polyhedra, whose corners are vertices and edge crossings. Where a side enters the other shape, they would appear and vanish. */
const isSteiner: Choice = ({ cornerCount }, feature) => feature >= cornerCount

/**
 * Of a mesh or height field under a round shape, whose running points are the lowest. Where it rolls onto one, that point of the round shape
 * moves down: a damper there brakes it, and none pushes where it rolls off.
 */
const isGridPoint: Choice = ({ collider }) => collider === undefined

/** Drops chosen points from the bottom, which would change the other points' shares; they stay if one is deeper than all others. */
function leaveOut(a: FieldShape, b: FieldShape, { volume, facing }: PenetrationQuery, isChosen: Choice): void {
  const { side, feature } = volume
  const { depth, source, x, y, count } = facing
  let others = -Infinity
  let chosen = -Infinity
  for (let k = 0; k < count; k++) {
    const i = source[k]
    if (isChosen(side[i] === 0 ? a : b, feature[i])) chosen = Math.max(chosen, depth[k])
    else others = Math.max(others, depth[k])
  }
  if (chosen > others + volume.tolerance[0]) return
  let next = 0
  for (let k = 0; k < count; k++) {
    const i = source[k]
    if (isChosen(side[i] === 0 ? a : b, feature[i])) continue
    x[next] = x[k]
    y[next] = y[k]
    depth[next] = depth[k]
    source[next] = i
    next++
  }
  facing.count = next
}

/** Adds a point if its depth is not negative, or, for a crossing, not 0. */
function takeFacing(
  a: FieldShape,
  b: FieldShape,
  { volume, plane, facing }: PenetrationQuery,
  i: number,
  crossing: boolean,
): void {
  const { point, side } = volume
  const { owner, normal, offset } = plane
  const px = point[3 * i]
  const py = point[3 * i + 1]
  const pz = point[3 * i + 2]
  const own = owner === 0 ? a : b
  if (side[i] === owner) measureThickness(owner === 0 ? b : a, 3 - 3 * owner, -1, point, 3 * i, volume.tolerance)
  else if (plane.facet >= 0 && own.collider !== undefined) {
    thickness[0] = offset[0] - (normal[0] * px + normal[1] * py + normal[2] * pz)
  } else measureThickness(own, 3 * owner, 1, point, 3 * i, volume.tolerance)
  if (!(thickness[0] >= (crossing ? volume.tolerance[0] : -volume.tolerance[0]))) return
  const k = facing.count++
  facing.x[k] = u[0] * px + u[1] * py + u[2] * pz
  facing.y[k] = v[0] * px + v[1] * py + v[2] * pz
  facing.depth[k] = thickness[0]
  facing.source[k] = i
}

/** Whether the surface at point i has an outward normal with a positive product with `sign` times the plane's normal. */
function faces(
  own: FieldShape,
  { side, feature, outward, cap }: IntersectionVolume,
  i: number,
  sign: number,
  normal: Float64Array,
) {
  const { facetNormals: n, vertexFacetStart, vertexFacets } = own
  const at = 3 * side[i]
  const vertex = feature[i]
  if (vertex < vertexFacetStart.length - 1) {
    for (let k = vertexFacetStart[vertex]; k < vertexFacetStart[vertex + 1]; k++) {
      const f = 3 * vertexFacets[k]
      const product = n[f] * normals[at] + n[f + 1] * normals[at + 1] + n[f + 2] * normals[at + 2]
      if (sign * product > uprightProduct) return true
    }
    return false
  }
  if (cap[i] >= 0) {
    const f = 3 * cap[i]
    const product = n[f] * normals[at] + n[f + 1] * normals[at + 1] + n[f + 2] * normals[at + 2]
    if (sign * product > uprightProduct) return true
  }
  const product = outward[3 * i] * normal[0] + outward[3 * i + 1] * normal[1] + outward[3 * i + 2] * normal[2]
  return sign * product > uprightProduct
}

/** Thickness of a shape from a world point along `sign` times the plane's normal, stored from `at` on in `normals`. */
function measureThickness(
  within: FieldShape,
  at: number,
  sign: number,
  point: Float64Array,
  i: number,
  tolerance: Float64Array,
): void {
  const { R, p } = within
  const dx = point[i] - p[0]
  const dy = point[i + 1] - p[1]
  const dz = point[i + 2] - p[2]
  for (let k = 0; k < 3; k++) x[k] = R[k] * dx + R[3 + k] * dy + R[6 + k] * dz
  exitAlong(within, x, normals, at, sign, tolerance, thickness)
}

function writeBottom(out: PenetrationQuery, deepest: number): void {
  const { volume, plane, facing } = out
  const { owner, normal } = plane
  // the deepest point alone represents a volume without a bottom
  const count = Math.max(facing.chosenCount, 1)
  for (let j = 0; j < count; j++) {
    const k = facing.chosen[j]
    const i = facing.chosenCount > 0 ? facing.source[k] : deepest
    const depth = facing.chosenCount > 0 ? facing.depth[k] : volume.depth[deepest]
    const half = 0.5 * depth * (volume.side[i] === owner ? -1 : 1)
    out.bottomSide[j] = volume.side[i]
    out.bottomFeature[j] = volume.feature[i]
    out.bottomDepth[j] = depth
    for (let d = 0; d < 3; d++) {
      out.bottomPoint[3 * j + d] = volume.point[3 * i + d]
      out.bottomMiddle[3 * j + d] = volume.point[3 * i + d] + half * normal[d]
    }
  }
  out.bottomCount = count
  out.depth[0] = out.bottomDepth[0]
  const ofA = out.bottomSide[0] === 0
  for (let d = 0; d < 3; d++) {
    const here = out.bottomPoint[d]
    const there = 2 * out.bottomMiddle[d] - here
    out.normal[d] = owner === 0 ? normal[d] + 0 : 0 - normal[d] // and no -0
    out.pointA[d] = ofA ? here : there
    out.pointB[d] = ofA ? there : here
  }
  finish(out)
}

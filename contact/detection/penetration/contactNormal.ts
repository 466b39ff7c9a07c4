import { signedDistance } from '../../geometry/index.ts'
import { type FieldShape, reachAlong } from '../manifold/fieldShape.ts'
import { exitAlong } from './exitAlong.ts'
import type { IntersectionVolume } from './intersectionVolume.ts'

/** Search that found a contact plane. */
export const NormalPath = {
  /** The facet nearest to the deepest point, if no point is deeper below it. */
  fast: 0,
  /** Eq. (4) over all facets. */
  full: 1,
  /** The plane between the closest features, by `signedDistance`. */
  closest: 2,
} as const

/** The plane of the contact normal: that of a facet of one shape, the owner, out of which the other shape is to be moved. */
export type ContactPlane = ReturnType<typeof createContactPlane>

export function createContactPlane() {
  return {
    /** 0: A's facet; 1: B's. */
    owner: 0,
    /** The owner's facet, or -1 if its surface is curved there. */
    facet: -1,
    /** One of `NormalPath`. */
    path: NormalPath.fast as number,
    /** Whether last step's facet was kept although another one has slightly less travel. */
    kept: false,
    /** 3, unit, world axes: out of the owner. */
    normal: new Float64Array(3),
    /** 1: normal . x of the plane [m]. */
    offset: new Float64Array(1),
    /** 1: separating translation of the other shape along the normal, by eq. (4) [m]. */
    travel: new Float64Array(1),
    /** 10, with path `closest`: the result of `signedDistance`. */
    closest: new Float64Array(10),
  }
}

/** Entries of a pair's memory: 0 without a last facet, 1 + f for facet f of A, -1 - f for one of B. */
export const normalMemorySize = 1

/** Last step's facet is kept while its travel exceeds the least by no more than this fraction. */
const hysteresis = 0.01
/** A normal's travel counts as equal to the deepest point's depth up to this fraction. */
const asDeep = 1e-6
/** The closest features decide only if their normal's travel is less than that of all facets by more than this fraction. */
const clearlyLess = 1e-3

/** The candidate plane. */
const N = new Float64Array(3)
const offset = new Float64Array(1)
const travel = new Float64Array(1)
/** 1: travel that a better plane must undercut [m]. */
const bar = new Float64Array(1)
const direction = new Float64Array(3)
const x = new Float64Array(3)
const reach = new Float64Array(1)
/** 2: greatest depths of A's and of B's points [m]. */
const depths = new Float64Array(2)
const deepest = new Int32Array(2)
/** 1: depth of the deepest point, a lower bound of every separating translation [m]. */
const least = new Float64Array(1)
const distance = new Float64Array(10)

/**
 * The contact normal by Drumwright (2008), eq. (4), taken as an argmin: of the facets of both shapes, the one whose plane has the least
 * travel. Travel is the translation that moves the other shape out of the plane: the greatest distance of its points from the plane. The
 * facet nearest to the deepest point is tried first, and chosen if no other point is deeper below it: no translation shorter than the
 * deepest point's depth separates the shapes.
 *
 * Three cases that the equation leaves open:
 *
 * - With few contact points their greatest distance says little, and between two stacked boxes a micrometre out of line it
 *   picks a side wall. For two convex shapes the travel is therefore that of the whole other shape, which its contact points
 *   never exceed; else, that of the contact points, no less than the depth of the deepest, and enough for the owner's own deepest point to
 *   leave the other shape: a grid point of a height field on the end of a wheel is no way out for the wheel.
 * - For shapes that are not convex, the candidate facets (intersecting or inside of the other shape) are those nearest to a
 *   contact point and those with a contact point as a corner. For convex shapes all facets are candidates, since each of their
 *   travels separates the shapes.
 * - Curved surfaces have as facets the tangent planes at the deepest points and the plane between the closest features (`signedDistance`).
 *
 * Ties go to the nearest facet of the deepest point, then to the first; the facet of the last step is kept if its travel is longer by no
 * more than 1 %.
 *
 * @param volume not empty
 * @param memory in and out: entry `at` is this pair's, 0 at first
 */
export function contactPlane(
  a: FieldShape,
  b: FieldShape,
  volume: IntersectionVolume,
  memory: Float64Array,
  at: number,
  out: ContactPlane,
): void {
  const convex = a.collider !== undefined && b.collider !== undefined
  findDeepest(volume)
  const tolerance = volume.tolerance[0]
  // of equally deep points, one below a flat facet is preferred
  const tied = Math.abs(depths[1] - depths[0]) <= tolerance
  const side = tied ? (volume.facet[deepest[0]] < 0 && volume.facet[deepest[1]] >= 0 ? 1 : 0) : depths[1] > depths[0] ? 1 : 0
  const owner = 1 - side
  least[0] = Math.max(depths[0], depths[1], 0)
  out.kept = false

  bar[0] = Infinity
  tangentPlane(owner === 0 ? a : b, volume, deepest[side])
  measure(a, b, volume, owner, convex)
  take(out, owner, volume.facet[deepest[side]], NormalPath.fast)
  if (travel[0] > least[0] * (1 + asDeep) + tolerance) {
    out.path = NormalPath.full
    for (let k = 0; k < 2; k++) {
      const from = k === 0 ? owner : side
      if (convex) tryFacets(from === 0 ? a : b, a, b, volume, from, out)
      else tryNearFacets(from === 0 ? a : b, a, b, volume, from, out)
    }
    if (convex && !(a.polyhedral && b.polyhedral)) tryClosest(a, b, volume, out)
  }
  keepLast(a, b, volume, convex, memory, at, out)
  memory[at] = out.facet < 0 ? 0 : out.owner === 0 ? 1 + out.facet : -1 - out.facet
}

function findDeepest({ count, side, depth }: IntersectionVolume): void {
  depths[0] = -Infinity
  depths[1] = -Infinity
  for (let i = 0; i < count; i++) {
    const from = side[i]
    if (!(depth[i] > depths[from])) continue
    depths[from] = depth[i]
    deepest[from] = i
  }
}

/** The owner's plane nearest to point i of the other shape. */
function tangentPlane(owner: FieldShape, { facet, exit, point, depth }: IntersectionVolume, i: number): void {
  if (facet[i] >= 0) {
    facetPlane(owner, facet[i])
    return
  }
  for (let k = 0; k < 3; k++) N[k] = exit[3 * i + k]
  offset[0] = N[0] * point[3 * i] + N[1] * point[3 * i + 1] + N[2] * point[3 * i + 2] + depth[i]
}

function facetPlane({ facetNormals: n, facetOffsets, R, p }: FieldShape, f: number): void {
  const x = n[3 * f]
  const y = n[3 * f + 1]
  const z = n[3 * f + 2]
  for (let k = 0; k < 3; k++) N[k] = R[3 * k] * x + R[3 * k + 1] * y + R[3 * k + 2] * z
  offset[0] = facetOffsets[f] + N[0] * p[0] + N[1] * p[1] + N[2] * p[2]
}

/** Writes the travel of the current plane, or a value not below `bar`. */
function measure(a: FieldShape, b: FieldShape, volume: IntersectionVolume, owner: number, convex: boolean): void {
  const { count, side, point } = volume
  const limit = bar[0]
  let most = -Infinity
  for (let i = 0; i < count && most < limit; i++) {
    if (side[i] === owner) continue
    const d = offset[0] - (N[0] * point[3 * i] + N[1] * point[3 * i + 1] + N[2] * point[3 * i + 2])
    // distance on either side of the plane; a convex shape is on one side of each of its planes
    most = Math.max(most, convex ? d : Math.abs(d))
  }
  if (convex && most < limit) {
    const other = owner === 0 ? b : a
    const { R, p } = other
    for (let k = 0; k < 3; k++) direction[k] = -(R[k] * N[0] + R[3 + k] * N[1] + R[6 + k] * N[2])
    reachAlong(other, direction, reach)
    most = offset[0] - (N[0] * p[0] + N[1] * p[1] + N[2] * p[2]) + reach[0]
  }
  if (!convex && most < limit && depths[owner] > volume.tolerance[0]) {
    exitOfDeepest(owner === 0 ? b : a, volume, deepest[owner])
    most = Math.max(most, reach[0])
  }
  travel[0] = most === -Infinity ? Infinity : Math.max(most, least[0])
}

/** `reach` := translation against the plane's normal after which the owner's point i, inside the other shape, is out of it. */
function exitOfDeepest(other: FieldShape, { point, tolerance }: IntersectionVolume, i: number): void {
  const { R, p } = other
  for (let k = 0; k < 3; k++) {
    direction[k] = -(R[k] * N[0] + R[3 + k] * N[1] + R[6 + k] * N[2])
    x[k] = R[k] * (point[3 * i] - p[0]) + R[3 + k] * (point[3 * i + 1] - p[1]) + R[6 + k] * (point[3 * i + 2] - p[2])
  }
  exitAlong(other, x, direction, 0, 1, tolerance, reach)
}

function take(out: ContactPlane, owner: number, facet: number, path: number): void {
  out.owner = owner
  out.facet = facet
  out.path = path
  for (let k = 0; k < 3; k++) out.normal[k] = N[k]
  out.offset[0] = offset[0]
  out.travel[0] = travel[0]
}

function tryPlane(
  a: FieldShape,
  b: FieldShape,
  volume: IntersectionVolume,
  owner: number,
  convex: boolean,
  facet: number,
  out: ContactPlane,
): void {
  bar[0] = out.travel[0] - volume.tolerance[0]
  measure(a, b, volume, owner, convex)
  if (travel[0] < bar[0]) take(out, owner, facet, NormalPath.full)
}

function tryFacets(
  from: FieldShape,
  a: FieldShape,
  b: FieldShape,
  volume: IntersectionVolume,
  owner: number,
  out: ContactPlane,
): void {
  for (let f = 0; f < from.facetOffsets.length; f++) {
    facetPlane(from, f)
    tryPlane(a, b, volume, owner, true, f, out)
  }
  const i = deepest[1 - owner]
  if (from.polyhedral || depths[1 - owner] === -Infinity) return
  tangentPlane(from, volume, i)
  tryPlane(a, b, volume, owner, true, volume.facet[i], out)
}

/** Tries the candidate facets of shapes that are not convex: at or nearest to a contact point. */
function tryNearFacets(
  from: FieldShape,
  a: FieldShape,
  b: FieldShape,
  volume: IntersectionVolume,
  owner: number,
  out: ContactPlane,
): void {
  const { vertexFacetStart, vertexFacets } = from
  const corners = vertexFacetStart.length - 1
  let last = -1
  for (let i = 0; i < volume.count; i++) {
    if (volume.side[i] !== owner) {
      const facet = volume.facet[i]
      if (facet >= 0 && facet === last) continue
      last = facet
      tangentPlane(from, volume, i)
      tryPlane(a, b, volume, owner, false, facet, out)
    } else if (volume.feature[i] < corners) {
      const vertex = volume.feature[i]
      for (let k = vertexFacetStart[vertex]; k < vertexFacetStart[vertex + 1]; k++) {
        facetPlane(from, vertexFacets[k])
        tryPlane(a, b, volume, owner, false, vertexFacets[k], out)
      }
    }
  }
}

function tryClosest(a: FieldShape, b: FieldShape, { tolerance }: IntersectionVolume, out: ContactPlane): void {
  signedDistance(a.collider!, b.collider!, distance)
  if (!(-distance[0] < out.travel[0] * (1 - clearlyLess) - tolerance[0]) || distance[0] > tolerance[0]) return
  takeClosest(out)
}

function takeClosest(out: ContactPlane): void {
  // B's plane through the point on B, which faces A
  for (let k = 0; k < 10; k++) out.closest[k] = distance[k]
  for (let k = 0; k < 3; k++) N[k] = -distance[1 + k]
  offset[0] = N[0] * distance[7] + N[1] * distance[8] + N[2] * distance[9]
  travel[0] = -distance[0]
  take(out, 1, -1, NormalPath.closest)
}

/**
 * Contact plane of overlapping convex shapes of which neither has a point inside the other, as at crossing edges.
 *
 * @returns whether they overlap
 */
export function closestPlane(a: FieldShape, b: FieldShape, tolerance: Float64Array, out: ContactPlane): boolean {
  if (a.collider === undefined || b.collider === undefined) return false
  signedDistance(a.collider, b.collider, distance)
  if (!(distance[0] <= tolerance[0])) return false
  out.kept = false
  takeClosest(out)
  return true
}

function keepLast(
  a: FieldShape,
  b: FieldShape,
  volume: IntersectionVolume,
  convex: boolean,
  memory: Float64Array,
  at: number,
  out: ContactPlane,
): void {
  const code = memory[at]
  if (code === 0) return
  const owner = code > 0 ? 0 : 1
  const facet = Math.abs(code) - 1
  const from = owner === 0 ? a : b
  if (out.path === NormalPath.closest || (owner === out.owner && facet === out.facet)) return
  if (facet >= from.facetOffsets.length || !(convex || isNear(from, volume, owner, facet))) return
  facetPlane(from, facet)
  bar[0] = Infinity
  measure(a, b, volume, owner, convex)
  if (!(travel[0] <= out.travel[0] * (1 + hysteresis) + volume.tolerance[0])) return
  take(out, owner, facet, out.path)
  out.kept = true
}

function isNear(
  { vertexFacetStart, vertexFacets }: FieldShape,
  volume: IntersectionVolume,
  owner: number,
  facet: number,
): boolean {
  const corners = vertexFacetStart.length - 1
  for (let i = 0; i < volume.count; i++) {
    const vertex = volume.feature[i]
    if (volume.side[i] !== owner) {
      if (volume.facet[i] === facet) return true
    } else if (vertex < corners) {
      for (let k = vertexFacetStart[vertex]; k < vertexFacetStart[vertex + 1]; k++) if (vertexFacets[k] === facet) return true
    }
  }
  return false
}

import type { Collider } from '../../geometry/index.ts'
import type { Polygon } from './polygon.ts'

/** Two points projected along the axis of a cylinder, relative to the axis. */
const seen = new Float64Array(4)

function see({ R, p }: Collider, x: Float64Array, k: number, slot: number): void {
  const dx = x[3 * k] - p[0]
  const dy = x[3 * k + 1] - p[1]
  const dz = x[3 * k + 2] - p[2]
  seen[2 * slot] = R[0] * dx + R[3] * dy + R[6] * dz
  seen[2 * slot + 1] = R[1] * dx + R[4] * dy + R[7] * dz
}

/** Whether point k of a list, projected along the axis, lies inside a cylinder's rim, to the tolerance. */
export function isWithinRim(cylinder: Collider, tolerance: Float64Array, points: Float64Array, k: number): boolean {
  see(cylinder, points, k, 0)
  return Math.sqrt(seen[0] * seen[0] + seen[1] * seen[1]) <= cylinder.coreRadius + tolerance[0]
}

/**
 * Clips a polygon or segment to a cylinder's rim, projected along its axis: vertices inside are kept, and each edge adds the points where
 * it enters and leaves. Arcs of the rim between these are omitted.
 *
 * A new vertex counts as the crossing with edge `first` of the frame if its edge enters there, with `first` + 1 if it leaves.
 */
export function clipToRim(cylinder: Collider, first: number, tolerance: Float64Array, polygon: Polygon, spare: Polygon): void {
  const r = cylinder.coreRadius
  const { count, x } = polygon
  const open = polygon.line >= 0
  spare.count = 0
  for (let k = 0; k < count; k++) {
    if (isWithinRim(cylinder, tolerance, x, k)) put(polygon, k, k, 0, polygon.vertex[k], polygon.edge[k], spare)
    if (open && k === count - 1) break
    const next = k + 1 === count ? 0 : k + 1
    see(cylinder, x, k, 0)
    see(cylinder, x, next, 1)
    const ux = seen[2] - seen[0]
    const uy = seen[3] - seen[1]
    // |s + t u| = r
    const uu = ux * ux + uy * uy
    const us = ux * seen[0] + uy * seen[1]
    const ss = seen[0] * seen[0] + seen[1] * seen[1] - r * r
    const root = us * us - uu * ss
    if (!(root > 0 && uu > 0)) continue
    const half = Math.sqrt(root)
    for (let way = 0; way < 2; way++) {
      place[0] = (way === 0 ? -us - half : -us + half) / uu
      // ends that count as inside are already added
      const end = way === 0 ? k : next
      if (!(place[0] > 0 && place[0] < 1) || isWithinRim(cylinder, tolerance, x, end)) continue
      put(polygon, k, next, 1, -1, open ? -1 - first - way : polygon.edge[k], spare)
      if (!open) spare.side[spare.count - 1] = first + way
    }
  }
  polygon.count = spare.count
  for (let k = 0; k < spare.count; k++) {
    polygon.vertex[k] = spare.vertex[k]
    polygon.edge[k] = spare.edge[k]
    polygon.side[k] = spare.side[k]
  }
  for (let k = 0; k < 3 * spare.count; k++) x[k] = spare.x[k]
}

/** 1: along an edge, 0 to 1. */
const place = new Float64Array(1)

/** Adds vertex k, or (`along` 1) the point between vertices k and `next` at fraction `place`. */
function put(from: Polygon, k: number, next: number, along: number, vertex: number, edge: number, to: Polygon): void {
  const c = to.count
  const t = along === 1 ? place[0] : 0
  for (let d = 0; d < 3; d++) to.x[3 * c + d] = from.x[3 * k + d] + t * (from.x[3 * next + d] - from.x[3 * k + d])
  to.vertex[c] = vertex
  to.edge[c] = edge
  to.side[c] = -1
  to.count = c + 1
}

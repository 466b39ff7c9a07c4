/**
 * A convex polygon in space while it is clipped, or a segment. Scratch: made once, filled anew.
 *
 * `vertex[k]` is the shape's number of vertex k, or -1 where clipping made it. `edge[k]` leads from vertex k to the next: the
 * shape's number of the edge, or -1 - e along edge e of the frame that it was clipped against. A segment keeps its own edge
 * in `line`, and `edge[k]` is -1 - e where edge e of the frame cut it at vertex k.
 */
export interface Polygon {
  count: number
  /** -1 for polygons; for segments the shape's number of the edge. */
  line: number
  readonly x: Float64Array
  readonly vertex: Int32Array
  readonly edge: Int32Array
}

export function createPolygon(capacity: number): Polygon {
  return {
    count: 0,
    line: -1,
    x: new Float64Array(3 * capacity),
    vertex: new Int32Array(capacity),
    edge: new Int32Array(capacity),
  }
}

/** 4: the side plane that clips, outward normal (not of unit length) and offset. */
const side = new Float64Array(4)
/** Signed distances from the side plane, of a vertex and the next, and how far outside still counts as inside. */
const beyond = new Float64Array(3)

/** Side m of the polygon `frame` with unit normal n, as the plane that stands on it. */
function setSide(frame: Polygon, n: Float64Array, m: number, tolerance: Float64Array): void {
  const { x, count } = frame
  const a = 3 * m
  const b = 3 * (m + 1 === count ? 0 : m + 1)
  const dx = x[b] - x[a]
  const dy = x[b + 1] - x[a + 1]
  const dz = x[b + 2] - x[a + 2]
  side[0] = dy * n[2] - dz * n[1]
  side[1] = dz * n[0] - dx * n[2]
  side[2] = dx * n[1] - dy * n[0]
  side[3] = side[0] * x[a] + side[1] * x[a + 1] + side[2] * x[a + 2]
  beyond[2] = tolerance[0] * Math.sqrt(dx * dx + dy * dy + dz * dz)
}

/**
 * Cuts away what of a polygon lies outside the sides of `frame`, seen along the frame's normal (Sutherland and Hodgman, 1974).
 * A segment is cut as a segment.
 *
 * @param n         3: unit normal of the frame, about which its vertices run counter-clockwise
 * @param tolerance 1: vertices up to this far outside stay [m]
 * @param polygon   in and out
 * @param spare     scratch
 */
export function clip(frame: Polygon, n: Float64Array, tolerance: Float64Array, polygon: Polygon, spare: Polygon): void {
  for (let m = 0; m < frame.count && polygon.count > 0; m++) {
    setSide(frame, n, m, tolerance)
    spare.count = 0
    const { count, x } = polygon
    const open = polygon.line >= 0
    const last = open ? count - 1 : count
    for (let k = 0; k < last; k++) {
      const next = k + 1 === count ? 0 : k + 1
      measure(x, k, 0)
      measure(x, next, 1)
      const inside = beyond[0] <= beyond[2]
      const nextInside = beyond[1] <= beyond[2]
      if (inside) keep(polygon, k, spare)
      if (inside !== nextInside) cross(polygon, k, next, inside || open ? -1 - frame.edge[m] : polygon.edge[k], spare)
      if (open && nextInside) keep(polygon, next, spare)
    }
    polygon.count = spare.count
    for (let k = 0; k < spare.count; k++) {
      polygon.vertex[k] = spare.vertex[k]
      polygon.edge[k] = spare.edge[k]
    }
    for (let k = 0; k < 3 * spare.count; k++) x[k] = spare.x[k]
  }
}

/** Whether point k of a list lies inside all sides of the frame, to the tolerance. */
export function isWithin(frame: Polygon, n: Float64Array, tolerance: Float64Array, points: Float64Array, k: number): boolean {
  for (let m = 0; m < frame.count; m++) {
    setSide(frame, n, m, tolerance)
    measure(points, k, 0)
    if (beyond[0] > beyond[2]) return false
  }
  return true
}

function measure(x: Float64Array, k: number, slot: number): void {
  beyond[slot] = side[0] * x[3 * k] + side[1] * x[3 * k + 1] + side[2] * x[3 * k + 2] - side[3]
}

function keep(from: Polygon, k: number, to: Polygon): void {
  const c = to.count
  to.x[3 * c] = from.x[3 * k]
  to.x[3 * c + 1] = from.x[3 * k + 1]
  to.x[3 * c + 2] = from.x[3 * k + 2]
  to.vertex[c] = from.vertex[k]
  to.edge[c] = from.edge[k]
  to.count = c + 1
}

/** The point where the edge from k to `next` passes the side plane; `edge` leads on from it. */
function cross(from: Polygon, k: number, next: number, edge: number, to: Polygon): void {
  const { x } = from
  const c = to.count
  const t = Math.min(1, Math.max(0, beyond[0] / (beyond[0] - beyond[1])))
  for (let d = 0; d < 3; d++) to.x[3 * c + d] = x[3 * k + d] + t * (x[3 * next + d] - x[3 * k + d])
  to.vertex[c] = -1
  to.edge[c] = edge
  to.count = c + 1
}

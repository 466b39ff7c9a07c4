/**
 * A convex polygon in space, or a segment, for clipping. Scratch: made once, overwritten for each use.
 *
 * `vertex[k]` is the shape's number of vertex k, or -1 if clipping made it. `edge[k]` leads from vertex k to the next: the shape's number
 * of the edge, or -1 - e along edge e of the frame that clipped it. A segment keeps its own edge in `line`; its `edge[k]` is -1 - e if edge
 * e of the frame cut it at vertex k. `side[k]` is the edge of a round frame that cut edge `edge[k]` at vertex k, else -1.
 */
export interface Polygon {
  count: number
  /** -1 for polygons; for segments the shape's number of the edge. */
  line: number
  readonly x: Float64Array
  readonly vertex: Int32Array
  readonly edge: Int32Array
  readonly side: Int32Array
  /** 5 a side: outward normal of its side plane (not of unit length), offset, and the tolerance in the same units. */
  readonly sides: Float64Array
}

export function createPolygon(capacity: number): Polygon {
  return {
    count: 0,
    line: -1,
    x: new Float64Array(3 * capacity),
    vertex: new Int32Array(capacity),
    edge: new Int32Array(capacity),
    side: new Int32Array(capacity).fill(-1),
    sides: new Float64Array(5 * capacity),
  }
}

/** Signed distances from the side plane of a vertex and of the next; and the distance up to which a point counts as inside. */
const beyond = new Float64Array(3)

/**
 * Writes the side planes, for `clip` and `isWithin`, of a polygon with unit normal n, about which its vertices run counter-clockwise:
 * orthogonal to the polygon, through its sides.
 *
 * @param tolerance 1: points up to this far outside count as inside [m]
 */
export function setSides(frame: Polygon, n: Float64Array, tolerance: Float64Array): void {
  const { x, count, sides } = frame
  for (let m = 0; m < count; m++) {
    const a = 3 * m
    const b = m + 1 === count ? 0 : a + 3
    const dx = x[b] - x[a]
    const dy = x[b + 1] - x[a + 1]
    const dz = x[b + 2] - x[a + 2]
    const s = 5 * m
    sides[s] = dy * n[2] - dz * n[1]
    sides[s + 1] = dz * n[0] - dx * n[2]
    sides[s + 2] = dx * n[1] - dy * n[0]
    sides[s + 3] = sides[s] * x[a] + sides[s + 1] * x[a + 1] + sides[s + 2] * x[a + 2]
    sides[s + 4] = tolerance[0] * Math.sqrt(dx * dx + dy * dy + dz * dz)
  }
}

/**
 * Clips a polygon to the sides of `frame`, projected along the frame's normal (Sutherland and Hodgman, 1974). A segment stays a
 * segment.
 *
 * @param frame   with `setSides`
 * @param polygon in and out
 * @param spare   scratch
 */
export function clip(frame: Polygon, polygon: Polygon, spare: Polygon): void {
  const { sides } = frame
  for (let m = 0; m < frame.count && polygon.count > 0; m++) {
    if (isInside(polygon, sides, m)) continue
    spare.count = 0
    const { count, x } = polygon
    const open = polygon.line >= 0
    const last = open ? count - 1 : count
    for (let k = 0; k < last; k++) {
      const next = k + 1 === count ? 0 : k + 1
      measure(sides, m, x, k, 0)
      measure(sides, m, x, next, 1)
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
  for (let k = 0; k < polygon.count; k++) polygon.side[k] = -1
}

/** Whether all of a polygon is on the inner side of side m. */
function isInside({ count, x }: Polygon, sides: Float64Array, m: number): boolean {
  for (let k = 0; k < count; k++) {
    measure(sides, m, x, k, 0)
    if (beyond[0] > beyond[2]) return false
  }
  return true
}

/** Whether point k of a list lies inside all sides of the frame, to the tolerance. */
export function isWithin({ count, sides }: Polygon, points: Float64Array, k: number): boolean {
  for (let m = 0; m < count; m++) {
    measure(sides, m, points, k, 0)
    if (beyond[0] > beyond[2]) return false
  }
  return true
}

/** Writes the signed distance of point k from side m to a slot of `beyond`. */
function measure(sides: Float64Array, m: number, x: Float64Array, k: number, slot: number): void {
  const s = 5 * m
  beyond[slot] = sides[s] * x[3 * k] + sides[s + 1] * x[3 * k + 1] + sides[s + 2] * x[3 * k + 2] - sides[s + 3]
  beyond[2] = sides[s + 4]
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

/** Adds the intersection of a side plane and the edge from k to `next`; `edge` is the edge that follows it. */
function cross(from: Polygon, k: number, next: number, edge: number, to: Polygon): void {
  const { x } = from
  const c = to.count
  const t = Math.min(1, Math.max(0, beyond[0] / (beyond[0] - beyond[1])))
  for (let d = 0; d < 3; d++) to.x[3 * c + d] = x[3 * k + d] + t * (x[3 * next + d] - x[3 * k + d])
  to.vertex[c] = -1
  to.edge[c] = edge
  to.count = c + 1
}

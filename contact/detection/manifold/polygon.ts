/**
 * A convex polygon in space, or a segment, for clipping. Scratch: made once, overwritten for each use.
 *
 * `vertex[k]` is the shape's number of vertex k, or -1 if clipping made it. `edge[k]` leads from vertex k to the next: the shape's number
 * of the edge, or -1 - e along edge e of the frame that clipped it. A segment keeps its own edge in `line`; its `edge[k]` is -1 - e if edge
 * e of the frame cut it at vertex k. `side[k]` is the edge of a round frame that cut edge `edge[k]` at vertex k, else -1.
 */
export type Polygon = ReturnType<typeof createPolygon>

export function createPolygon(capacity: number) {
  return {
    count: 0,
    /** -1 for polygons; for segments the shape's number of the edge. */
    line: -1,
    x: new Float64Array(3 * capacity),
    vertex: new Int32Array(capacity),
    edge: new Int32Array(capacity),
    side: new Int32Array(capacity).fill(-1),
    /** 5 a side: outward normal of its side plane (not of unit length), offset, and the tolerance in the same units. */
    sides: new Float64Array(5 * capacity),
  }
}

/** 1: fraction of an edge at which it crosses a side plane. */
const part = new Float64Array(1)

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
    const p = 5 * m
    let height = sides[p] * x[0] + sides[p + 1] * x[1] + sides[p + 2] * x[2] - sides[p + 3]
    for (let k = 0; k < last; k++) {
      const next = k + 1 === count ? 0 : k + 1
      const n = 3 * next
      const nextHeight = sides[p] * x[n] + sides[p + 1] * x[n + 1] + sides[p + 2] * x[n + 2] - sides[p + 3]
      const inside = height <= sides[p + 4]
      const nextInside = nextHeight <= sides[p + 4]
      if (inside) keep(polygon, k, spare)
      if (inside !== nextInside) {
        part[0] = Math.min(1, Math.max(0, height / (height - nextHeight)))
        cross(polygon, k, next, inside || open ? -1 - frame.edge[m] : polygon.edge[k], spare)
      }
      if (open && nextInside) keep(polygon, next, spare)
      height = nextHeight
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
  const p = 5 * m
  const nx = sides[p]
  const ny = sides[p + 1]
  const nz = sides[p + 2]
  for (let k = 0; k < 3 * count; k += 3) if (nx * x[k] + ny * x[k + 1] + nz * x[k + 2] - sides[p + 3] > sides[p + 4]) return false
  return true
}

/** Whether point k of a list lies inside all sides of the frame, to the tolerance. */
export function isWithin({ count, sides }: Polygon, points: Float64Array, k: number): boolean {
  const x = points[3 * k]
  const y = points[3 * k + 1]
  const z = points[3 * k + 2]
  for (let p = 0; p < 5 * count; p += 5)
    if (sides[p] * x + sides[p + 1] * y + sides[p + 2] * z - sides[p + 3] > sides[p + 4]) return false
  return true
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
  const t = part[0]
  for (let d = 0; d < 3; d++) to.x[3 * c + d] = x[3 * k + d] + t * (x[3 * next + d] - x[3 * k + d])
  to.vertex[c] = -1
  to.edge[c] = edge
  to.count = c + 1
}

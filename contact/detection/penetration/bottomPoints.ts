import { grown } from '../../grown.ts'
import { axisTie } from '../../tolerances.ts'

/**
 * Points projected along a contact normal: entry i of each array is point i, for i < count. Holds the caller's points, and scratch and
 * result of `selectBottom`. Capacity grows when a count first exceeds it. @unchecked
 */
export class BottomPoints {
  /** In: number of points. */
  count = 0
  capacity = 0
  /** In: coordinates in the contact plane [m]. */
  x = new Float64Array(0)
  y = new Float64Array(0)
  /** In: depth from the contact plane [m]. */
  depth = new Float64Array(0)
  /** For the caller's use: the source of each point. */
  source = new Int32Array(0)
  /** In, 2: tolerance for equal lengths, and for coplanar depths [m]. */
  readonly tolerance = new Float64Array(2)
  /** Out: count and indices of the chosen points: the comparator, then the others counter-clockwise around it. */
  chosenCount = 0
  chosen = new Int32Array(0)

  // scratch
  /** Angle from the y axis to the vector from the comparator, counter-clockwise, in (-pi, pi] [rad]. */
  angle = new Float64Array(0)
  /** Length of that vector [m]. */
  length = new Float64Array(0)
  /** Tolerance of angles within which points are collinear with the comparator [rad]. */
  inLine = new Float64Array(0)
  order = new Int32Array(0)

  constructor(capacity = 64) {
    this.reserve(capacity)
  }

  /** Reserves space for `capacity` points, keeping the present ones. */
  reserve(capacity: number): void {
    if (capacity <= this.capacity) return
    this.x = grown(this.x, capacity)
    this.y = grown(this.y, capacity)
    this.depth = grown(this.depth, capacity)
    this.source = grown(this.source, capacity)
    this.chosen = new Int32Array(capacity)
    this.angle = new Float64Array(capacity)
    this.length = new Float64Array(capacity)
    this.inLine = new Float64Array(capacity)
    this.order = new Int32Array(capacity)
    this.capacity = capacity
  }
}

/**
 * Two directions in a plane: the axis of R most nearly perpendicular to the normal (the first of equals), projected into the plane; and the
 * normal x that.
 *
 * @param inR    the normal in the axes R: 3 entries from `at` on
 * @param normal 3, in world axes
 * @param u, v   out, 3 each, in world axes
 */
export function setPlaneDirections(
  R: Float64Array,
  inR: Float64Array,
  at: number,
  normal: Float64Array,
  u: Float64Array,
  v: Float64Array,
): void {
  let least = 0
  for (let k = 1; k < 3; k++) if (Math.abs(inR[at + k]) < Math.abs(inR[at + least]) - axisTie) least = k
  const along = inR[at + least]
  let square = 0
  for (let k = 0; k < 3; k++) {
    u[k] = R[3 * k + least] - along * normal[k]
    square += u[k] * u[k]
  }
  const scale = 1 / Math.sqrt(square)
  for (let k = 0; k < 3; k++) u[k] *= scale
  v[0] = normal[1] * u[2] - normal[2] * u[1]
  v[1] = normal[2] * u[0] - normal[0] * u[2]
  v[2] = normal[0] * u[1] - normal[1] * u[0]
}

/**
 * Chooses the points on the bottom of a volume of intersection: those that form a polygon around all others, projected along
 * the normal, the lowest first. Drumwright (2008), section III-A and figure 5, in O(N log N) comparisons: @unchecked
 *
 * 1. sort the points by depth, the deepest first;
 * 2. the comparator is the deepest; of several the one least along y, of these the one greatest along x;
 * 3. sort the others by their angle around it: here by insertion of each in its turn;
 * 4. one by one, find the wedge between two corners of the polygon that holds a point, by bisection, and insert it as a new
 *    corner if it lies outside.
 *
 * Cases that the paper leaves open:
 *
 * - of equally deep points the farther from the comparator comes first, of these the one at the greater angle;
 * - the comparator may have the others all around it. A wedge of half a turn or more holds no side of the polygon, whose
 *   boundary runs through the comparator there;
 * - a corner that a later point leaves inside of the polygon or on its boundary stays, since it is on the bottom, unless it
 *   is no deeper than the triangle there of the comparator and two corners, and so redundant. A flat face, level or inclined,
 *   thus has its corners and no Steiner points;
 * - points on the boundary, on the comparator and on each other are not outside.
 */
export function selectBottom(points: BottomPoints): void {
  const { count, depth, order, chosen, tolerance } = points
  points.chosenCount = 0
  if (count === 0) return
  for (let i = 0; i < count; i++) order[i] = i
  sortDescending(order, 0, count, depth)
  const levels = tolerance[0]
  const c = findComparator(points)
  measureFrom(points, c)
  chosen[0] = c
  points.chosenCount = 1
  let first = 0
  while (first < count) {
    const least = depth[order[first]] - levels
    let end = first + 1
    while (end < count && depth[order[end]] >= least) end++
    if (end > first + 1) {
      sortDescending(order, first, end, points.length)
      sortRuns(points, first, end)
    }
    for (let k = first; k < end; k++) if (order[k] !== c) offer(points, order[k])
    first = end
  }
}

/** Sorts runs of points equally far from the comparator by angle, so that rounding does not change the order. */
function sortRuns({ order, length, angle, tolerance }: BottomPoints, first: number, end: number): void {
  let start = first
  while (start < end) {
    const least = length[order[start]] - tolerance[0]
    let next = start + 1
    while (next < end && length[order[next]] >= least) next++
    if (next > start + 1) sortDescending(order, start, next, angle)
    start = next
  }
}

function findComparator({ count, x, y, depth, order, tolerance }: BottomPoints): number {
  const slack = tolerance[0]
  let best = order[0]
  const least = depth[best] - slack
  for (let k = 1; k < count && depth[order[k]] >= least; k++) {
    const i = order[k]
    if (y[i] < y[best] - slack || (y[i] <= y[best] + slack && x[i] > x[best] + slack)) best = i
  }
  return best
}

function measureFrom({ count, x, y, angle, length, inLine, tolerance }: BottomPoints, c: number): void {
  for (let i = 0; i < count; i++) {
    // straight below is at pi, whatever the rounding
    const across = x[i] - x[c]
    const dx = Math.abs(across) <= tolerance[0] ? 0 : across
    const dy = y[i] - y[c]
    length[i] = Math.sqrt(dx * dx + dy * dy)
    angle[i] = Math.atan2(0 - dx, dy)
    inLine[i] = tolerance[0] / length[i]
  }
}

/** Inserts point i as a corner if it lies outside of the polygon. */
function offer(points: BottomPoints, i: number): void {
  const { angle, length, inLine, tolerance, chosen } = points
  if (length[i] <= tolerance[0]) return
  // corners 1 to last are sorted by angle; `low` counts those before the point or collinear with it
  const last = points.chosenCount - 1
  let low = 0
  let high = last
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (angle[chosen[middle]] <= angle[i] + inLine[i]) low = middle
    else high = middle - 1
  }
  if (last > 0) {
    const before = low === 0 ? last : low
    const after = low === last ? 1 : low + 1
    if (isOpen(points, before, after)) {
      if (isOn(points, chosen[before], i) || isOn(points, chosen[after], i)) return
    } else if (!isRightOf(points, chosen[before], chosen[after], i)) return
  }
  for (let k = last; k > low; k--) chosen[k + 1] = chosen[k]
  chosen[low + 1] = i
  points.chosenCount++
  dropBeside(points, dropBeside(points, low + 1, 1), -1)
}

/** Whether the wedge counter-clockwise from the corner at index `from` to that at `to` is half a turn or more, to rounding. */
function isOpen({ angle, inLine, chosen }: BottomPoints, from: number, to: number): boolean {
  const i = chosen[from]
  const j = chosen[to]
  return angle[j] - angle[i] + (to <= from ? 2 * Math.PI : 0) >= Math.PI - inLine[i] - inLine[j]
}

/** Whether point i is on the line from the comparator to a corner. */
function isOn({ x, y, length, chosen, tolerance }: BottomPoints, corner: number, i: number): boolean {
  const c = chosen[0]
  const ux = x[corner] - x[c]
  const uy = y[corner] - y[c]
  const wx = x[i] - x[c]
  const wy = y[i] - y[c]
  const slack = tolerance[0] * length[corner]
  const along = ux * wx + uy * wy
  return Math.abs(ux * wy - uy * wx) <= slack && along > 0 && along <= length[corner] * length[corner] + slack
}

/** Whether point i is to the right of the line between two points, by more than the tolerance. */
function isRightOf({ x, y, tolerance }: BottomPoints, from: number, to: number, i: number): boolean {
  const ux = x[to] - x[from]
  const uy = y[to] - y[from]
  return ux * (y[i] - y[from]) - uy * (x[i] - x[from]) < -tolerance[0] * Math.sqrt(ux * ux + uy * uy)
}

/**
 * Drops corners next to the new one, counter-clockwise (`step` 1) or clockwise (-1), while they are redundant.
 *
 * @param place index of the new corner; the result is its index afterwards
 */
function dropBeside(points: BottomPoints, place: number, step: number): number {
  const { chosen } = points
  const i = chosen[place]
  while (points.chosenCount > 2) {
    const last = points.chosenCount - 1
    const beside = wrap(place + step, last)
    const next = wrap(beside + step, last)
    const corner = chosen[beside]
    if (step > 0 ? isOpen(points, place, beside) : isOpen(points, beside, place)) return place
    // in an open wedge the boundary runs to the comparator: a corner is redundant only on the line to it
    const atEnd = step > 0 ? isOpen(points, beside, next) : isOpen(points, next, beside)
    const far = atEnd ? chosen[0] : chosen[next]
    if (atEnd) {
      if (!isOn(points, i, corner)) return place
    } else if (step > 0) {
      if (isOpen(points, place, next) || isRightOf(points, i, far, corner)) return place
    } else if (isOpen(points, next, place) || isRightOf(points, far, i, corner)) return place
    if (standsOut(points, corner, i, far)) return place
    for (let k = beside; k < last; k++) chosen[k] = chosen[k + 1]
    points.chosenCount--
    if (beside < place) place--
  }
  return place
}

/** Whether a corner is deeper than the triangle of the comparator, i and j (or the line from the comparator to i) below it. */
function standsOut({ x, y, depth, length, chosen, tolerance }: BottomPoints, corner: number, i: number, j: number): boolean {
  const c = chosen[0]
  const ax = x[i] - x[c]
  const ay = y[i] - y[c]
  const bx = x[j] - x[c]
  const by = y[j] - y[c]
  const px = x[corner] - x[c]
  const py = y[corner] - y[c]
  const area = ax * by - ay * bx
  const flat = Math.abs(area) <= tolerance[0] * Math.max(length[i], length[j])
  // along the longer side of a degenerate triangle
  const s = flat ? (length[i] >= length[j] ? length[corner] / length[i] : 0) : (px * by - py * bx) / area
  const t = flat ? (length[i] >= length[j] ? 0 : length[corner] / length[j]) : (ax * py - ay * px) / area
  return depth[corner] > depth[c] + s * (depth[i] - depth[c]) + t * (depth[j] - depth[c]) + tolerance[1]
}

/** Cyclic index in 1 to last. */
function wrap(place: number, last: number): number {
  return place < 1 ? last : place > last ? 1 : place
}

/** Count below which insertion sort is used. */
const few = 32

/** Heapsort of order[first] to order[end - 1] by falling keys; equal keys by rising numbers. */
function sortDescending(order: Int32Array, first: number, end: number, key: Float64Array): void {
  const count = end - first
  if (count < few) {
    for (let k = first + 1; k < end; k++) {
      const moved = order[k]
      let at = k
      for (; at > first && isAfter(order[at - 1], moved, key); at--) order[at] = order[at - 1]
      order[at] = moved
    }
    return
  }
  for (let root = (count >> 1) - 1; root >= 0; root--) sift(order, first, root, count, key)
  for (let size = count - 1; size > 0; size--) {
    const top = order[first]
    order[first] = order[first + size]
    order[first + size] = top
    sift(order, first, 0, size, key)
  }
}

/** Sifts down in a heap whose root comes last in the order. */
function sift(order: Int32Array, first: number, start: number, size: number, key: Float64Array): void {
  let root = start
  const moved = order[first + root]
  for (;;) {
    let child = 2 * root + 1
    if (child >= size) break
    if (child + 1 < size && isAfter(order[first + child + 1], order[first + child], key)) child++
    if (!isAfter(order[first + child], moved, key)) break
    order[first + root] = order[first + child]
    root = child
  }
  order[first + root] = moved
}

function isAfter(i: number, j: number, key: Float64Array): boolean {
  return key[i] < key[j] || (key[i] === key[j] && i > j)
}

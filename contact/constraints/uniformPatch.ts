import type { Data } from '../../dynamics/index.ts'
import type { ContactModelContext, ReportedParameter } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'
import { VolumeContacts } from '../detection/index.ts'
import { addDistanceIntegral } from '../geometry/index.ts'
import { options as rows } from '../modelOptions.ts'
import { type OptionReader, shown } from '../options.ts'
import type { ContactRows } from './contactRows.ts'

/** Points of action of friction on lines and faces: the ends and corners, or points equivalent to uniform pressure. */
export type PatchChoice = 'corners' | 'uniform'

export const readPatch = (reader: OptionReader): PatchChoice => reader.read(rows.patch.patch)

export const shownPatch = (value: PatchChoice): ReportedParameter => shown(rows.patch.patch, value)

/** Largest difference in depth between points of a patch, relative to its size: a tilt of 1 mrad. */
const FLAT = 1e-3
/** Area over length squared below which a patch is a line. */
const NO_AREA = 1e-6
/** Relative tolerance of the distance from the middle for points on a circle. */
const ON_CIRCLE = 0.02
/** Least cosine between the normals of one patch. */
const SAME_NORMAL = 1 - 1e-9

/**
 * Friction of lines and faces under uniform pressure. A patch, the touching contacts of a pair with one normal, carries its load at its
 * ends and corners; friction there would double the moment that a line needs to turn, mu N L / 2 for mu N L / 4, and nearly that of a
 * square. Here the friction of each point acts at
 *
 *   x' = c + s (x - c),   s = r / mean |x - c|, at most 1,
 *
 * c the centroid of the line or of the polygon that the points span, r the mean distance from c over it: L / 4 of a line, 0.3826 a of a
 * square, 2 R / 3 of a disc. Normals stay where they are, and with them support, tipping and rocking; sliding without spin has the same
 * friction; spin about c has exactly that of uniform pressure, and combined sliding and spin has the same limits.
 *
 * Where friction has directions (`FrictionAxes`) all of this holds in the coordinates (r x1, x2), x1 along tangent 1 and x2 across it,
 * where the slip of a spin about c has the length of x - c; a disc is then the polygon of its points.
 *
 * The row of a tangent t at x + d is that at x plus (d x t) · n times the row of spin about n, d being across n.
 */
export class UniformPatch {
  /** 2 a contact: d along tangents 1 and 2, the first times the friction ratio r [m]. */
  private offset = new Float64Array(0)
  /** Points of the current patch, in its plane, in the order of their angle. */
  private x = new Float64Array(0)
  private y = new Float64Array(0)
  private angle = new Float64Array(0)
  private readonly caps: Float64Array | undefined
  /** 3: centroid and mean distance. */
  private readonly shape = new Float64Array(3)
  /** 4: ends of an edge from the centroid. */
  private readonly edge = new Float64Array(4)

  /** @param caps per pair of shapes: `ContactModelContext.caps` */
  constructor({ caps }: ContactModelContext) {
    this.caps = caps
  }

  /**
   * Moves the tangents' rows to the points of action of friction.
   *
   * @param v nv
   * @param u out: J v with the moved rows [m/s]
   */
  move(data: Data, contacts: ContactSet, rows: ContactRows, v: Float64Array, u: Float64Array): void {
    if (!this.find(contacts)) return
    const { offset } = this
    for (let i = 0; i < contacts.count; i++) {
      if (offset[2 * i] !== 0 || offset[2 * i + 1] !== 0) rows.moveTangents(data, contacts, i, offset)
    }
    rows.velocity(u, v, contacts.count)
  }

  /** Computes the offsets of friction alone. @returns whether any differs from zero */
  find(contacts: ContactSet): boolean {
    const { count, pair, normal } = contacts
    if (2 * count > this.offset.length) {
      this.offset = new Float64Array(2 * contacts.capacity)
      this.x = new Float64Array(contacts.capacity)
      this.y = new Float64Array(contacts.capacity)
      this.angle = new Float64Array(contacts.capacity)
    }
    this.offset.fill(0, 0, 2 * count)
    let moved = false
    for (let i = 0; i < count; ) {
      let end = i + 1
      const n = 3 * i
      while (end < count && pair[end] === pair[i]) {
        const m = 3 * end
        if (normal[n] * normal[m] + normal[n + 1] * normal[m + 1] + normal[n + 2] * normal[m + 2] < SAME_NORMAL) break
        end++
      }
      if (contacts instanceof VolumeContacts && contacts.share[i] > 0) {
        this.takeOffsets(contacts, i, end)
        moved = true
      } else if (end - i > 1 && this.findOffsets(contacts, i, end)) moved = true
      i = end
    }
    return moved
  }

  /** moment[3 i] += moment of the friction at x' about the normal through x, where `impulse` acts. */
  report({ count, impulse, moment }: ContactSet): void {
    for (let i = 0; i < count; i++) this.addMoment(moment, 3 * i, impulse, i)
  }

  /** out[at] += that moment of contact i for the given impulses [N m s]. @param impulse 3 a contact */
  addMoment(out: Float64Array, at: number, impulse: Float64Array, i: number): void {
    const { offset } = this
    out[at] += offset[2 * i] * impulse[3 * i + 2] - offset[2 * i + 1] * impulse[3 * i + 1]
  }

  /** Sets d of the points of a volume from the offset of its whole patch. */
  private takeOffsets({ drawn, tangent1, tangent2, inverse2 }: VolumeContacts, start: number, end: number): void {
    for (let i = 3 * start, k = 2 * start; i < 3 * end; i += 3, k += 2) {
      const unit = Math.sqrt(inverse2[i / 3]) // times tangent2 it is of length 1
      this.offset[k] = (drawn[i] * tangent1[i] + drawn[i + 1] * tangent1[i + 1] + drawn[i + 2] * tangent1[i + 2]) / unit
      this.offset[k + 1] = (drawn[i] * tangent2[i] + drawn[i + 1] * tangent2[i + 1] + drawn[i + 2] * tangent2[i + 2]) * unit
    }
  }

  /** Sets d of contacts `start` to `end` - 1. @returns whether any is nonzero */
  private findOffsets(contacts: ContactSet, start: number, end: number): boolean {
    const { point, tangent1, tangent2, inverse2, gap, pair } = contacts
    const { x, y, offset, shape } = this
    const n = 3 * start
    const unit = Math.sqrt(inverse2[start])
    let deepest = gap[start]
    let size = 0
    for (let i = start; i < end; i++) {
      if (gap[i] < deepest) deepest = gap[i]
      let square = 0
      for (let d = 0; d < 3; d++) square += (point[3 * i + d] - point[n + d]) * (point[3 * i + d] - point[n + d])
      if (square > size) size = square
    }
    const farthest = Math.max(0, deepest + FLAT * Math.sqrt(size))
    let points = 0
    for (let i = start; i < end; i++) {
      if (gap[i] > farthest) continue
      const a = point[3 * i] - point[n]
      const b = point[3 * i + 1] - point[n + 1]
      const c = point[3 * i + 2] - point[n + 2]
      x[points] = (a * tangent1[n] + b * tangent1[n + 1] + c * tangent1[n + 2]) / unit
      y[points++] = (a * tangent2[n] + b * tangent2[n + 1] + c * tangent2[n + 2]) * unit
    }
    if (points < 2) return false
    this.measure(points, this.caps === undefined ? 0 : this.caps[pair[start]])
    let sum = 0
    for (let k = 0; k < points; k++)
      sum += Math.sqrt((x[k] - shape[0]) * (x[k] - shape[0]) + (y[k] - shape[1]) * (y[k] - shape[1]))
    if (!(sum > 0)) return false
    const draw = Math.min((shape[2] * points) / sum, 1) - 1
    for (let i = start; i < end; i++) {
      if (gap[i] > farthest) continue
      const a = point[3 * i] - point[n]
      const b = point[3 * i + 1] - point[n + 1]
      const c = point[3 * i + 2] - point[n + 2]
      offset[2 * i] = draw * ((a * tangent1[n] + b * tangent1[n + 1] + c * tangent1[n + 2]) / unit - shape[0])
      offset[2 * i + 1] = draw * ((a * tangent2[n] + b * tangent2[n + 1] + c * tangent2[n + 2]) * unit - shape[1])
    }
    return true
  }

  /**
   * shape := centroid, and mean distance from it, of the line or polygon of the first `points` points, or of their disc of radius `radius`.
   */
  private measure(points: number, radius: number): void {
    const { x, y, shape, edge } = this
    this.sort(points)
    let area = 0
    let cx = 0
    let cy = 0
    let length = 0
    for (let k = 0; k < points; k++) {
      const l = (k + 1) % points
      const cross = (x[k] - x[0]) * (y[l] - y[0]) - (x[l] - x[0]) * (y[k] - y[0])
      area += 0.5 * cross
      cx += (cross * (x[k] + x[l] + x[0])) / 6
      cy += (cross * (y[k] + y[l] + y[0])) / 6
      for (let m = 0; m < k; m++) {
        const square = (x[k] - x[m]) * (x[k] - x[m]) + (y[k] - y[m]) * (y[k] - y[m])
        if (square <= length) continue
        length = square
        shape[0] = 0.5 * (x[k] + x[m])
        shape[1] = 0.5 * (y[k] + y[m])
      }
    }
    shape[2] = 0.25 * Math.sqrt(length)
    if (!(area > NO_AREA * length)) return
    shape[0] = cx / area
    shape[1] = cy / area
    let onCircle = radius > 0
    for (let k = 0; k < points; k++) {
      const square = (x[k] - shape[0]) * (x[k] - shape[0]) + (y[k] - shape[1]) * (y[k] - shape[1])
      if (Math.abs(Math.sqrt(square) - radius) > ON_CIRCLE * radius) onCircle = false
    }
    if (onCircle) shape[2] = (2 / 3) * radius
    else {
      shape[2] = 0
      for (let k = 0; k < points; k++) {
        const l = (k + 1) % points
        edge[0] = x[k] - shape[0]
        edge[1] = y[k] - shape[1]
        edge[2] = x[l] - shape[0]
        edge[3] = y[l] - shape[1]
        addDistanceIntegral(shape, 2, edge)
      }
      shape[2] /= area
    }
  }

  /** Sorts the points by their angle about their mean. */
  private sort(points: number): void {
    const { x, y, angle } = this
    let mx = 0
    let my = 0
    for (let k = 0; k < points; k++) {
      mx += x[k] / points
      my += y[k] / points
    }
    for (let k = 0; k < points; k++) {
      const a = x[k] - mx
      const b = y[k] - my
      const share = a / (Math.abs(a) + Math.abs(b) + 1e-300)
      // increases with the angle, from -2 to 2
      const key = b >= 0 ? 1 - share : share - 1
      const px = x[k]
      const py = y[k]
      let at = k
      for (; at > 0 && angle[at - 1] > key; at--) {
        angle[at] = angle[at - 1]
        x[at] = x[at - 1]
        y[at] = y[at - 1]
      }
      angle[at] = key
      x[at] = px
      y[at] = py
    }
  }
}

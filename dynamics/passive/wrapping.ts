import { angleOf, mulMatrix3, rotate3, rotateTransposed3, sincos } from '../math/index.ts'

/*
 * The shortest path between two points round a sphere or a cylinder, as a tendon takes it: straight to a point of contact, along the
 * surface, straight on. The path lies in a plane through the centre, or, after unrolling, round the circle of the cylinder's section. With
 * a side site the path goes round as a string would that is drawn through it, so also where the straight span would miss the surface on the other
 * side (MuJoCo 4.0.0; before, a side point alone decided by its half-plane). Inside the surface it makes the path touch the inside, at one point.
 */

/** Below this, lengths of 1 m are rounding [m]. */
const TINY = 1e-15
/** Bisections of an angle of at most pi to rounding. */
const BISECTIONS = 56

/** Scratch and result of one wrapped span. */
export class Wrapping {
  /** 3 each, world axes [m]: points at which the path meets and leaves the surface. */
  readonly first = new Float64Array(3)
  readonly last = new Float64Array(3)
  /** 1: length of the path between them [m]. */
  readonly along = new Float64Array(1)
  /** 3 each, in the surface's axes: end points, side point. */
  private readonly from = new Float64Array(3)
  private readonly to = new Float64Array(3)
  private readonly side = new Float64Array(3)
  /** 9: plane of the circle, its columns two axes and the normal. */
  private readonly plane = new Float64Array(9)
  /** 2 each, in the plane: ends, direction of the side, and points of contact. */
  private readonly a = new Float64Array(2)
  private readonly b = new Float64Array(2)
  private readonly s = new Float64Array(2)
  private readonly pa = new Float64Array(2)
  private readonly pb = new Float64Array(2)
  private readonly angle = new Float64Array(2)
  private readonly work = new Float64Array(9)

  /**
   * Finds the path from `from` to `to`, world axes [m].
   *
   * @param R       9: axes of the surface in the world, z along a cylinder's axis
   * @param center  3: its centre in the world [m]
   * @param radius  1 [m]
   * @param side    3: side point in the world [m]; not read without `hasSide`
   * @returns whether it touches the surface
   */
  find(
    from: Float64Array,
    to: Float64Array,
    R: Float64Array,
    center: Float64Array,
    radius: Float64Array,
    isCylinder: boolean,
    side: Float64Array,
    hasSide: boolean,
  ): boolean {
    this.toSurface(this.from, from, R, center)
    this.toSurface(this.to, to, R, center)
    if (isZero(this.from) || isZero(this.to)) return false
    this.setPlane(isCylinder)
    this.project(this.a, this.from)
    this.project(this.b, this.to)
    let inside = false
    if (hasSide) {
      this.toSurface(this.side, side, R, center)
      const p = this.side
      inside = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] < radius[0] * radius[0]
      this.project(this.s, this.side)
      normalize2(this.s)
    }
    if (!(inside ? this.touchInside(radius) : this.goRound(radius, hasSide))) return false
    this.toWorld(R, center, isCylinder)
    return true
  }

  private toSurface(out: Float64Array, point: Float64Array, R: Float64Array, center: Float64Array): void {
    for (let d = 0; d < 3; d++) out[d] = point[d] - center[d]
    rotateTransposed3(out, R, out)
  }

  /** Of a cylinder x and y; of a sphere the plane through the centre and both ends, any one if all are on a line. */
  private setPlane(isCylinder: boolean): void {
    const { plane, from, to } = this
    plane.fill(0)
    if (isCylinder) {
      plane[0] = plane[4] = plane[8] = 1
      return
    }
    const l = Math.sqrt(from[0] * from[0] + from[1] * from[1] + from[2] * from[2])
    const x = from[0] / l
    const y = from[1] / l
    const z = from[2] / l
    let nx = y * to[2] - z * to[1]
    let ny = z * to[0] - x * to[2]
    let nz = x * to[1] - y * to[0]
    let n = Math.sqrt(nx * nx + ny * ny + nz * nz)
    if (n < TINY) {
      // across the largest component of the direction
      const largest = Math.abs(y) > Math.abs(x) && Math.abs(y) > Math.abs(z) ? 1 : Math.abs(z) > Math.abs(x) ? 2 : 0
      const ox = largest === 0 ? 0 : 1
      const oy = largest === 1 ? 0 : 1
      const oz = largest === 2 ? 0 : 1
      nx = y * oz - z * oy
      ny = z * ox - x * oz
      nz = x * oy - y * ox
      n = Math.sqrt(nx * nx + ny * ny + nz * nz)
    }
    nx /= n
    ny /= n
    nz /= n
    plane[0] = x
    plane[3] = y
    plane[6] = z
    plane[1] = ny * z - nz * y
    plane[4] = nz * x - nx * z
    plane[7] = nx * y - ny * x
    plane[2] = nx
    plane[5] = ny
    plane[8] = nz
  }

  private project(out: Float64Array, p: Float64Array): void {
    const { plane } = this
    out[0] = plane[0] * p[0] + plane[3] * p[1] + plane[6] * p[2]
    out[1] = plane[1] * p[0] + plane[4] * p[1] + plane[7] * p[2]
  }

  /** Round the circle from tangent to tangent, in the direction of the side or else the shorter one. */
  private goRound(radius: Float64Array, hasSide: boolean): boolean {
    const { a, b, pa, pb, angle } = this
    const r = radius[0]
    if (a[0] * a[0] + a[1] * a[1] < r * r || b[0] * b[0] + b[1] * b[1] < r * r || r < TINY) return false
    const dx = b[0] - a[0]
    const dy = b[1] - a[1]
    const dd = dx * dx + dy * dy
    if (dd < TINY) return false
    // the point of the straight span nearest to the centre
    const share = Math.min(1, Math.max(0, -(dx * a[0] + dy * a[1]) / dd))
    const x = a[0] + share * dx
    const y = a[1] + share * dy
    const isClear = x * x + y * y > r * r
    let turn = 0
    if (hasSide) {
      this.windThroughSide()
      if (isClear && Math.abs(angle[0]) < Math.PI) return false
      turn = angle[0] > 0 ? -1 : 1
      this.tangents(turn, radius)
    } else {
      if (isClear) return false
      turn = this.shorterTurn(radius)
      this.tangents(turn, radius)
      if (doCross(a, pa, b, pb)) return false
    }
    this.setArc(turn, radius)
    return true
  }

  /** angle[0] = the angle about the centre by which a path from a to b turns that goes through the side point: its direction is the way round, beyond pi past the centre [rad]. */
  private windThroughSide(): void {
    const { a, b, s, angle, work } = this
    work[0] = a[0] * s[0] + a[1] * s[1]
    work[1] = a[0] * s[1] - a[1] * s[0]
    angleOf(angle, 0, work)
    work[0] = s[0] * b[0] + s[1] * b[1]
    work[1] = s[0] * b[1] - s[1] * b[0]
    angleOf(angle, 1, work)
    angle[0] += angle[1]
  }

  /** The direction round the circle whose points of contact are nearer to each other. */
  private shorterTurn(radius: Float64Array): number {
    const { a, b, pa, pb } = this
    let best = -Infinity
    let turn = 1
    for (let sign = 1; sign >= -1; sign -= 2) {
      this.tangents(sign, radius)
      const gx = pa[0] - pb[0]
      const gy = pa[1] - pb[1]
      const good = doCross(a, pa, b, pb) ? -10000 : -(gx * gx + gy * gy)
      if (good <= best) continue
      best = good
      turn = sign
    }
    return turn
  }

  /** pa and pb: where tangents of both ends touch a circle that is passed with the centre on one side. */
  private tangents(sign: number, radius: Float64Array): void {
    const r = radius[0]
    const { a, b, pa, pb } = this
    const aa = a[0] * a[0] + a[1] * a[1]
    const bb = b[0] * b[0] + b[1] * b[1]
    const ha = sign * r * Math.sqrt(aa - r * r)
    const hb = -sign * r * Math.sqrt(bb - r * r)
    pa[0] = (r * r * a[0] + ha * a[1]) / aa
    pa[1] = (r * r * a[1] - ha * a[0]) / aa
    pb[0] = (r * r * b[0] + hb * b[1]) / bb
    pb[1] = (r * r * b[1] - hb * b[0]) / bb
  }

  /** The arc from pa to pb: clockwise for a sign of 1. */
  private setArc(sign: number, radius: Float64Array): void {
    const r = radius[0]
    const { pa, pb, angle, along, work } = this
    const cross = pa[0] * pb[1] - pa[1] * pb[0]
    work[0] = pa[0] * pb[0] + pa[1] * pb[1]
    work[1] = Math.abs(cross)
    angleOf(angle, 0, work)
    const isLong = sign > 0 ? cross > 0 : cross < 0
    along[0] = r * (isLong ? 2 * Math.PI - angle[0] : angle[0])
  }

  /** The shortest path that touches the inside of the circle: at equal angles with its tangent. */
  private touchInside(radius: Float64Array): boolean {
    const { a, b, pa, pb, angle, work, along } = this
    const r = radius[0]
    const la = Math.sqrt(a[0] * a[0] + a[1] * a[1])
    const lb = Math.sqrt(b[0] * b[0] + b[1] * b[1])
    if (la <= r || lb <= r || r < TINY) return false
    const dx = b[0] - a[0]
    const dy = b[1] - a[1]
    const dd = dx * dx + dy * dy
    const share = dd > TINY ? -(dx * a[0] + dy * a[1]) / dd : 0
    const x = a[0] + share * dx
    const y = a[1] + share * dy
    if (share > 0 && share < 1 && x * x + y * y <= r * r) return false
    angleOf(angle, 0, a)
    angleOf(angle, 1, b)
    const start = angle[0]
    let span = angle[1] - start
    if (span > Math.PI) span -= 2 * Math.PI
    else if (span < -Math.PI) span += 2 * Math.PI
    let low = 0
    let high = 1
    for (let n = 0; n < BISECTIONS; n++) {
      const middle = (low + high) / 2
      work[2] = start + middle * span
      sincos(work, work, 2)
      const sine = work[0]
      const cosine = work[1]
      const ax = a[0] - r * cosine
      const ay = a[1] - r * sine
      const bx = b[0] - r * cosine
      const by = b[1] - r * sine
      const na = Math.sqrt(ax * ax + ay * ay)
      const nb = Math.sqrt(bx * bx + by * by)
      // how far the point has to move along the circle for a shorter path
      const pull = -sine * (ax / na + bx / nb) + cosine * (ay / na + by / nb)
      if (pull * span > 0) low = middle
      else high = middle
      pa[0] = pb[0] = r * cosine
      pa[1] = pb[1] = r * sine
    }
    along[0] = 0
    return true
  }

  /** Maps pa and pb to the world; on a cylinder the path rises evenly over its unrolled length. */
  private toWorld(R: Float64Array, center: Float64Array, isCylinder: boolean): void {
    const { first, last, from, to, a, b, pa, pb, plane, along, work } = this
    first[0] = pa[0]
    first[1] = pa[1]
    last[0] = pb[0]
    last[1] = pb[1]
    first[2] = last[2] = 0
    if (isCylinder) {
      const before = length2(a[0] - pa[0], a[1] - pa[1])
      const after = length2(b[0] - pb[0], b[1] - pb[1])
      const all = before + along[0] + after
      first[2] = from[2] + ((to[2] - from[2]) * before) / all
      last[2] = from[2] + ((to[2] - from[2]) * (before + along[0])) / all
      const rise = last[2] - first[2]
      along[0] = Math.sqrt(along[0] * along[0] + rise * rise)
    }
    mulMatrix3(work, R, plane)
    rotate3(first, work, first)
    rotate3(last, work, last)
    for (let d = 0; d < 3; d++) {
      first[d] += center[d]
      last[d] += center[d]
    }
  }
}

function isZero(p: Float64Array): boolean {
  return p[0] * p[0] + p[1] * p[1] + p[2] * p[2] < TINY * TINY
}

function normalize2(s: Float64Array): void {
  const l = Math.sqrt(s[0] * s[0] + s[1] * s[1])
  s[0] = l < TINY ? 1 : s[0] / l
  s[1] = l < TINY ? 0 : s[1] / l
}

/** Whether the segments from a to b and from c to d have a point in common, in the plane. */
function doCross(a: Float64Array, b: Float64Array, c: Float64Array, d: Float64Array): boolean {
  const ux = b[0] - a[0]
  const uy = b[1] - a[1]
  const wx = d[0] - c[0]
  const wy = d[1] - c[1]
  const det = wy * ux - wx * uy
  if (Math.abs(det) < TINY) return false
  const s = (wx * (a[1] - c[1]) - wy * (a[0] - c[0])) / det
  const t = (ux * (a[1] - c[1]) - uy * (a[0] - c[0])) / det
  return s >= 0 && s <= 1 && t >= 0 && t <= 1
}

const length2 = (x: number, y: number) => Math.sqrt(x * x + y * y)

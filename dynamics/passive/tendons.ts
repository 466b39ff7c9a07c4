import {
  mulMatrix3,
  mulQuaternion,
  place3,
  quaternionOfRotation,
  rotate3,
  rotateTransposed3,
  rotationVectorOfQuaternion,
} from '../math/index.ts'
import { checkLength } from '../model/checkLength.ts'
import type { Data } from '../model/data.ts'
import type { Model } from '../model/model.ts'
import { Wrapping } from './wrapping.ts'

type Triple = readonly [number, number, number]

/** A point of a body, in its axes; of body 0 in the world [m]. */
export interface BodyPoint {
  readonly body: number
  readonly point: Triple
}

/** A frame of a body: a point and the rotation of its axes in the body's, row-major. */
export interface BodyFrame extends BodyPoint {
  readonly rotation: readonly number[]
}

/**
 * One part of a length:
 * - `joint`: factor times the coordinate of a hinge or slide;
 * - `turn`: the angle of a spherical joint, or of a floating one's rotation, from `reference` (x, y, z, w), 0 to pi;
 * - `axis`: the rotation vector of such a joint along `axis`, in the body's axes, or the parent's where `inParent`;
 * - `site`: a point of a path; straight from the one before, unless that is a pulley, by which all behind it counts 1 / divisor;
 * - `wrap`: a sphere or a cylinder (along its z) between two sites that the path goes round, on the side of `side` or the shorter one;
 * - `wrench`: no length, but a force and a moment on a frame, in its axes, or in the world's at its origin where `inWorld`;
 * - `offset`: position and rotation of a frame in that of `from`, times force and moment as in `wrench`;
 * - `crank`: the way of a slider along its z axis, connected with a crank's pin by a rod [m].
 */
export type LengthPart =
  | { readonly type: 'joint'; readonly body: number; readonly factor: number }
  | { readonly type: 'turn'; readonly body: number; readonly reference: readonly [number, number, number, number] }
  | { readonly type: 'axis'; readonly body: number; readonly axis: Triple; readonly inParent: boolean }
  | ({ readonly type: 'site' } & BodyPoint)
  | { readonly type: 'pulley'; readonly divisor: number }
  | ({ readonly type: 'wrap'; readonly isCylinder: boolean; readonly radius: number; readonly side?: BodyPoint } & BodyFrame)
  | ({ readonly type: 'wrench'; readonly force: Triple; readonly moment: Triple; readonly inWorld: boolean } & BodyFrame)
  | ({ readonly type: 'offset'; readonly force: Triple; readonly moment: Triple; readonly from: BodyFrame } & BodyFrame)
  | ({ readonly type: 'crank'; readonly rod: number; readonly pin: BodyPoint } & BodyFrame)

/** Polynomial of a spring or damper: coefficients of x, of the next, and of the third power [N/m, N/m², N/m³ of a spring along a path]. */
export type Polynomial = readonly [number, number, number]

/**
 * A length with forces along it (MuJoCo's tendon): with x beyond its free range and its rate u,
 * f = -x (k0 + k1 x + k2 x²) - u (d0 + d1 |u| + d2 u²). Joints whose springs are no linear ones, and springs of ball joints, are tendons of one part.
 */
export interface Tendon {
  readonly name: string
  readonly parts: readonly LengthPart[]
  readonly stiffness: Polynomial
  readonly damping: Polynomial
  /** Range of lengths without a force of the spring [m, rad]. */
  readonly free: readonly [number, number]
  /** Deflection beyond which a spring yields for good, at either end; none where it does not [m, rad]. */
  readonly yield?: number
}

/** Entries below this share of their terms are rounding: of motions that move both ends of a span alike. */
const ROUNDING = 1e-14

/** Lengths of tendons with their Jacobians; owns its scratch. @unchecked */
export class TendonLengths {
  readonly count: number
  /** Per tendon [m, rad]; of several forces in one, of no meaning. */
  readonly length: Float64Array
  /** Per tendon, of the velocities that may change it: their indices, ascending. */
  readonly velocities: readonly Int32Array[]
  /** Per tendon: the rate of its length by each of these. */
  readonly J: readonly Float64Array[]
  private readonly model: Model
  private readonly parts: readonly (readonly LengthPart[])[]
  private readonly compiled: readonly (readonly CompiledPart[])[]
  /** nv: one row, and the sum of the sizes of its terms. */
  private readonly row: Float64Array
  private readonly size: Float64Array
  private readonly wrapping = new Wrapping()
  private readonly path: SpanEnds = { a: new Float64Array(3), b: new Float64Array(3), along: new Float64Array(3) }
  private readonly frame = { R: new Float64Array(9), p: new Float64Array(3), S: new Float64Array(9), o: new Float64Array(3) }
  private readonly side = new Float64Array(3)
  private readonly turn = new Float64Array(8)
  private readonly vector = new Float64Array(3)
  private readonly sum = new Float64Array(2)
  /** Pieces of the way that is being drawn. */
  private drawn: number[] | undefined

  constructor(model: Model, tendons: readonly Pick<Tendon, 'parts'>[] = model.tendons ?? []) {
    this.model = model
    this.count = tendons.length
    this.length = new Float64Array(this.count)
    this.parts = tendons.map(({ parts }) => parts)
    this.compiled = tendons.map(({ parts }) => parts.map((part) => compiled(model, part)))
    this.velocities = tendons.map(({ parts }) => velocitiesOf(model, parts))
    this.J = this.velocities.map(({ length }) => new Float64Array(length))
    this.row = new Float64Array(model.nv)
    this.size = new Float64Array(model.nv)
  }

  /** Bodies whose motion changes a length. */
  bodies(tendon: number): number[] {
    return [...new Set(this.parts[tendon].flatMap(bodiesOf))].filter((body) => body > 0)
  }

  /** Writes lengths and J. Reads data.R_WB, data.p_WB and data.SW (`kinematics`). @throws RangeError if q has not nq entries */
  evaluate(q: Float64Array, data: Data): void {
    checkLength('q', q, this.model.nq)
    for (let t = 0; t < this.count; t++) this.evaluateOne(q, data, t)
  }

  /** The way of a tendon for drawings: points in world axes [m], 6 numbers a straight piece of it. Arcs are polygons. Allocates. */
  drawing(q: Float64Array, data: Data, tendon: number): number[] {
    this.drawn = []
    this.evaluateOne(q, data, tendon)
    const pieces = this.drawn
    this.drawn = undefined
    return pieces
  }

  /** out[k] = the rate of a length, J v. */
  speed(tendon: number, v: Float64Array, out: Float64Array, k: number): void {
    const J = this.J[tendon]
    const list = this.velocities[tendon]
    out[k] = 0
    for (let c = 0; c < list.length; c++) out[k] += J[c] * v[list[c]]
  }

  /** tau += J^T force[k]. */
  addForce(tendon: number, force: Float64Array, k: number, tau: Float64Array): void {
    const J = this.J[tendon]
    const list = this.velocities[tendon]
    for (let c = 0; c < list.length; c++) tau[list[c]] += J[c] * force[k]
  }

  private evaluateOne(q: Float64Array, data: Data, t: number): void {
    const { row, size, sum, length } = this
    const list = this.velocities[t]
    const J = this.J[t]
    for (let c = 0; c < list.length; c++) row[list[c]] = size[list[c]] = 0
    sum[0] = 0 // the length
    sum[1] = 1 // what a span of the path counts
    const parts = this.compiled[t]
    for (let n = 0; n < parts.length; n++) this.add(parts, n, q, data)
    length[t] = sum[0]
    for (let c = 0; c < list.length; c++) {
      const k = list[c]
      J[c] = Math.abs(row[k]) > ROUNDING * size[k] ? row[k] : 0
    }
  }

  private add(parts: readonly CompiledPart[], n: number, q: Float64Array, data: Data): void {
    const part = parts[n]
    switch (part.type) {
      case 'joint':
        this.addJoint(part, q)
        break
      case 'turn':
        this.addTurn(part, q)
        break
      case 'axis':
        this.addAxis(part, q)
        break
      case 'pulley':
        this.sum[1] = 1 / part.numbers[0]
        break
      case 'site':
        this.addSpan(parts, n, data)
        break
      case 'wrench':
      case 'offset':
        this.addFrameForces(part, data)
        break
      case 'crank':
        this.addCrank(part, data)
        break
    }
  }

  /** Of a joint that follows another too. */
  private addJoint({ body, numbers }: CompiledPart, q: Float64Array): void {
    const { qStart, sStart, vOfS, follows, multiplier, offset } = this.model
    const leader = follows[body]
    const own = leader < 0 ? q[qStart[body]] : multiplier[body] * q[qStart[leader]] + offset[body]
    this.sum[0] += numbers[0] * own
    this.enter(vOfS[sStart[body]], numbers[0] * (leader < 0 ? 1 : multiplier[body]))
  }

  private enter(k: number, entry: number): void {
    this.row[k] += entry
    this.size[k] += Math.abs(entry)
  }

  /** Index in q of the quaternion of a spherical or floating joint. */
  private quaternionAt(body: number): number {
    return this.model.qStart[body + 1] - 4
  }

  private addTurn({ body, numbers }: CompiledPart, q: Float64Array): void {
    const { turn, vector, sum } = this
    for (let d = 0; d < 3; d++) turn[d] = -numbers[d]
    turn[3] = numbers[3]
    mulQuaternion(turn, 0, turn, 0, q, this.quaternionAt(body))
    rotationVectorOfQuaternion(vector, 0, turn, 0)
    const angle = Math.sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2])
    sum[0] += angle
    if (angle === 0) return
    const k = this.model.vStart[body]
    for (let d = 0; d < 3; d++) this.enter(k + d, vector[d] / angle)
  }

  private addAxis({ body, numbers }: CompiledPart, q: Float64Array): void {
    const { turn, vector, sum } = this
    const at = this.quaternionAt(body)
    rotationVectorOfQuaternion(vector, 0, q, at)
    for (let d = 0; d < 3; d++) this.side[d] = numbers[d]
    if (numbers[3] === 1) {
      // the parent's axes in the body's: q* axis q
      for (let d = 0; d < 3; d++) {
        turn[d] = numbers[d]
        turn[4 + d] = -q[at + d]
      }
      turn[3] = 0
      turn[7] = q[at + 3]
      mulQuaternion(turn, 0, turn, 4, turn, 0)
      mulQuaternion(turn, 0, turn, 0, q, at)
      for (let d = 0; d < 3; d++) this.side[d] = turn[d]
    }
    const k = this.model.vStart[body]
    for (let d = 0; d < 3; d++) {
      sum[0] += vector[d] * this.side[d]
      this.enter(k + d, this.side[d])
    }
  }

  /** The span from the site or surface before to this site, if there is one. */
  private addSpan(parts: readonly CompiledPart[], n: number, data: Data): void {
    const { a, b } = this.path
    const end = parts[n]
    const before = n > 0 ? parts[n - 1] : end
    if (n === 0 || before.type === 'pulley') return
    place3(b, data.R_WB[end.body], data.p_WB[end.body], end.point)
    const start = before.type === 'wrap' ? parts[n - 2] : before
    place3(a, data.R_WB[start.body], data.p_WB[start.body], start.point)
    if (before.type !== 'wrap' || !this.isWrapped(before, data)) {
      this.addStraight(data, start.body, a, end.body, b)
      return
    }
    const { first, last, along } = this.wrapping
    this.addStraight(data, start.body, a, before.body, first)
    this.sum[0] += this.sum[1] * along[0]
    if (this.drawn !== undefined) drawArc(this.drawn, first, last, this.frame, before)
    this.addStraight(data, before.body, last, end.body, b)
  }

  private isWrapped(
    { body, point, rotation, numbers, isCylinder, hasSide, sideBody, sidePoint }: CompiledPart,
    data: Data,
  ): boolean {
    const { frame, side, path } = this
    mulMatrix3(frame.R, data.R_WB[body], rotation)
    place3(frame.p, data.R_WB[body], data.p_WB[body], point)
    if (hasSide) place3(side, data.R_WB[sideBody], data.p_WB[sideBody], sidePoint)
    return this.wrapping.find(path.a, path.b, frame.R, frame.p, numbers, isCylinder, side, hasSide)
  }

  /** A straight span: its length, and along its direction the speed of its end less that of its start. */
  private addStraight(data: Data, bodyA: number, a: Float64Array, bodyB: number, b: Float64Array): void {
    const { sum, path } = this
    const { along } = path
    if (this.drawn !== undefined) this.drawn.push(a[0], a[1], a[2], b[0], b[1], b[2])
    for (let d = 0; d < 3; d++) along[d] = b[d] - a[d]
    const length = Math.sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2])
    sum[0] += sum[1] * length
    if (bodyA === bodyB || length === 0) return
    for (let d = 0; d < 3; d++) along[d] *= sum[1] / length
    this.addPush(data, bodyB, b, along, 1)
    this.addPush(data, bodyA, a, along, -1)
  }

  /** Adds sign times the row of a force at a point of a body. */
  private addPush(data: Data, body: number, point: Float64Array, force: Float64Array, sign: number): void {
    const { row, size, model } = this
    const { vOfS, sParent, sLast } = model
    const fx = sign * force[0]
    const fy = sign * force[1]
    const fz = sign * force[2]
    const nx = point[1] * fz - point[2] * fy
    const ny = point[2] * fx - point[0] * fz
    const nz = point[0] * fy - point[1] * fx
    for (let s = sLast[body]; s >= 0; s = sParent[s]) {
      const S = data.SW[s]
      const moment = nx * S[0] + ny * S[1] + nz * S[2]
      const push = fx * S[3] + fy * S[4] + fz * S[5]
      row[vOfS[s]] += moment + push
      size[vOfS[s]] += Math.abs(moment) + Math.abs(push)
    }
  }

  /** The same of a couple. @param stop motion at which to end, the first that both bodies of an offset share; -1 for none */
  private addWrench(
    data: Data,
    body: number,
    point: Float64Array,
    force: Float64Array,
    moment: Float64Array,
    sign: number,
    stop: number,
  ): void {
    const { row, size, model } = this
    const { vOfS, sParent, sLast } = model
    const nx = sign * (moment[0] + point[1] * force[2] - point[2] * force[1])
    const ny = sign * (moment[1] + point[2] * force[0] - point[0] * force[2])
    const nz = sign * (moment[2] + point[0] * force[1] - point[1] * force[0])
    for (let s = sLast[body]; s >= 0 && s !== stop; s = sParent[s]) {
      const S = data.SW[s]
      const entry = nx * S[0] + ny * S[1] + nz * S[2] + sign * (force[0] * S[3] + force[1] * S[4] + force[2] * S[5])
      row[vOfS[s]] += entry
      size[vOfS[s]] += Math.abs(entry)
    }
  }

  /** Force and moment on a frame, against those on the other one of an offset. */
  private addFrameForces(
    { type, body, point, rotation, numbers, inWorld, sideBody, sidePoint, sideRotation, shared }: CompiledPart,
    data: Data,
  ): void {
    const { frame, path, vector, side, sum, turn } = this
    const { R, p, S, o } = frame
    place3(p, data.R_WB[body], data.p_WB[body], point)
    mulMatrix3(R, data.R_WB[body], rotation)
    const isOffset = type === 'offset'
    if (isOffset) {
      place3(o, data.R_WB[sideBody], data.p_WB[sideBody], sidePoint)
      mulMatrix3(S, data.R_WB[sideBody], sideRotation)
    } else S.set(R)
    for (let d = 0; d < 3; d++) {
      path.along[d] = numbers[d]
      vector[d] = numbers[3 + d]
    }
    if (isOffset) {
      for (let d = 0; d < 3; d++) side[d] = p[d] - o[d]
      rotateTransposed3(side, S, side)
      for (let d = 0; d < 3; d++) sum[0] += side[d] * numbers[d]
      rotationBetween(turn, S, R)
      for (let d = 0; d < 3; d++) sum[0] += turn[d] * numbers[3 + d]
    }
    if (!inWorld) {
      rotate3(path.along, S, path.along)
      rotate3(vector, S, vector)
    }
    this.addWrench(data, body, p, path.along, vector, 1, shared)
    if (isOffset) this.addWrench(data, sideBody, o, path.along, vector, -1, shared)
  }

  /** With the pin at w from the slider and its axis a: l = a w - sqrt((a w)² + rod² - w²). Beyond the rod's reach l = a w. */
  private addCrank({ body, point, rotation, numbers, sideBody, sidePoint }: CompiledPart, data: Data): void {
    const { frame, path, vector, side, sum } = this
    const { R, p } = frame
    const { a: w, along, b: pin } = path
    place3(p, data.R_WB[body], data.p_WB[body], point)
    mulMatrix3(R, data.R_WB[body], rotation)
    place3(pin, data.R_WB[sideBody], data.p_WB[sideBody], sidePoint)
    for (let d = 0; d < 3; d++) {
      w[d] = pin[d] - p[d]
      side[d] = R[3 * d + 2]
    }
    const aw = side[0] * w[0] + side[1] * w[1] + side[2] * w[2]
    const left = aw * aw + numbers[0] * numbers[0] - (w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    const root = left > 0 ? Math.sqrt(left) : 0
    const share = left > 0 ? 1 - aw / root : 1
    sum[0] += aw - root
    // dl/dw along, dl/da as a moment a x dl/da on the slider
    for (let d = 0; d < 3; d++) along[d] = share * side[d] + (left > 0 ? w[d] / root : 0)
    vector[0] = share * (side[1] * w[2] - side[2] * w[1])
    vector[1] = share * (side[2] * w[0] - side[0] * w[2])
    vector[2] = share * (side[0] * w[1] - side[1] * w[0])
    this.addPush(data, sideBody, pin, along, 1)
    this.addPush(data, body, p, along, -1)
    along.fill(0)
    this.addWrench(data, body, p, along, vector, 1, -1)
  }
}

interface SpanEnds {
  readonly a: Float64Array
  readonly b: Float64Array
  readonly along: Float64Array
}

/** A part with the same fields whatever its type, so that reading it is monomorphic. */
type CompiledPart = Readonly<ReturnType<typeof compiled>>

function compiled(model: Model, part: LengthPart) {
  const frame: (BodyPoint & Partial<BodyFrame>) | undefined = 'point' in part ? part : undefined
  const other: (BodyPoint & Partial<BodyFrame>) | undefined =
    part.type === 'wrap' ? part.side : part.type === 'offset' ? part.from : part.type === 'crank' ? part.pin : undefined
  return {
    type: part.type,
    body: part.type === 'pulley' ? 0 : part.body,
    point: Float64Array.from(frame?.point ?? [0, 0, 0]),
    rotation: Float64Array.from(frame?.rotation ?? unturned),
    /** Factor, divisor, radius or rod; a reference; an axis and 1 if it is the parent's; force and moment. */
    numbers: Float64Array.from(numbersOf(part)),
    isCylinder: part.type === 'wrap' && part.isCylinder,
    inWorld: part.type === 'wrench' && part.inWorld,
    hasSide: other !== undefined,
    sideBody: other?.body ?? 0,
    sidePoint: Float64Array.from(other?.point ?? [0, 0, 0]),
    sideRotation: Float64Array.from(other?.rotation ?? unturned),
    /** First motion that both bodies of an offset share, -1 if there is none. */
    shared: part.type === 'offset' ? firstShared(model, part.body, part.from.body) : -1,
  }
}

/** The motion nearest to the bodies that moves both, -1 if there is none. */
function firstShared({ sLast, sParent }: Model, a: number, b: number): number {
  const ofA = new Set<number>()
  for (let s = sLast[a]; s >= 0; s = sParent[s]) ofA.add(s)
  let s = sLast[b]
  while (s >= 0 && !ofA.has(s)) s = sParent[s]
  return s
}

const unturned = [1, 0, 0, 0, 1, 0, 0, 0, 1]

function numbersOf(part: LengthPart): readonly number[] {
  switch (part.type) {
    case 'joint':
      return [part.factor]
    case 'turn':
      return part.reference
    case 'axis':
      return [...part.axis, part.inParent ? 1 : 0]
    case 'pulley':
      return [part.divisor]
    case 'wrap':
      return [part.radius]
    case 'wrench':
    case 'offset':
      return [...part.force, ...part.moment]
    case 'crank':
      return [part.rod]
    case 'site':
      return []
  }
}

/** Bodies of a part that its length or its forces depend on. */
export function bodiesOf(part: LengthPart): number[] {
  switch (part.type) {
    case 'pulley':
      return []
    case 'offset':
      return [part.body, part.from.body]
    case 'crank':
      return [part.body, part.pin.body]
    default:
      return [part.body]
  }
}

function velocitiesOf(model: Model, parts: readonly LengthPart[]): Int32Array {
  const { sLast, sParent, vOfS, sStart, vStart } = model
  const all = new Set<number>()
  for (const part of parts) {
    if (part.type === 'joint') all.add(vOfS[sStart[part.body]])
    else if (part.type === 'turn' || part.type === 'axis') for (let d = 0; d < 3; d++) all.add(vStart[part.body] + d)
    else for (const body of bodiesOf(part)) for (let s = sLast[body]; s >= 0; s = sParent[s]) all.add(vOfS[s])
  }
  return Int32Array.from(all).sort()
}

/** An arc of at most half a circle as a polygon on the surface; longer ones are cut short. */
function drawArc(
  out: number[],
  first: Float64Array,
  last: Float64Array,
  { R, p }: { R: Float64Array; p: Float64Array },
  part: CompiledPart,
): void {
  const radius = part.numbers[0]
  let before = Array.from(first)
  for (let n = 1; n <= 8; n++) {
    const point = [0, 1, 2].map((d) => first[d] + (n / 8) * (last[d] - first[d]) - p[d])
    const height = part.isCylinder ? R[2] * point[0] + R[5] * point[1] + R[8] * point[2] : 0
    const off = point.map((x, d) => x - height * R[3 * d + 2])
    const size = Math.sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]) || 1
    const end = off.map((x, d) => p[d] + height * R[3 * d + 2] + (x * radius) / size)
    out.push(...before, ...end)
    before = end
  }
}

const first4 = new Float64Array(4)
const second4 = new Float64Array(4)

/** out[0..2] = the rotation vector from the axes S to the axes R, in S. */
function rotationBetween(out: Float64Array, S: Float64Array, R: Float64Array): void {
  quaternionOfRotation(first4, 0, S)
  quaternionOfRotation(second4, 0, R)
  for (let d = 0; d < 3; d++) first4[d] = 0 - first4[d]
  mulQuaternion(second4, 0, first4, 0, second4, 0)
  rotationVectorOfQuaternion(out, 0, second4, 0)
}

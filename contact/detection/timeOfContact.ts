import { sincos } from '../../dynamics/index.ts'
import {
  boundingRadius,
  type Collider,
  closestFeatures,
  createCollider,
  GeometryError,
  type PlacedShape,
  placeCollider,
  placeCore,
  signedDistance,
} from '../geometry/index.ts'

/** A shape on a body that moves at constant velocity, spinning about its own origin at constant angular velocity. */
export interface MovingShape {
  readonly placed: PlacedShape
  readonly collider: Collider
  /** Radius about the body's origin [m]; 0 for half-spaces, which may not spin. */
  readonly radius: number
  /** Written by the caller: the body's place at the start, 9 row-major and 3. */
  readonly R_WB: Float64Array
  readonly p_WB: Float64Array
  /** 6, written by the caller: angular velocity, and velocity of the body's origin, world axes. */
  readonly twist: Float64Array
}

/** At rest at the world's origin, until its arrays are written. @throws GeometryError for meshes and height fields */
export function createMovingShape(placed: PlacedShape): MovingShape {
  const { shape, R, p, name } = placed
  if (shape.type === 'mesh' || shape.type === 'heightfield') {
    throw new GeometryError(
      `shape "${name}" is a ${shape.type}; times of contact are known between convex shapes and half-spaces`,
    )
  }
  return {
    placed,
    collider: createCollider(shape),
    radius: shape.type === 'halfspace' ? 0 : boundingRadius(shape, R, p),
    R_WB: Float64Array.from([1, 0, 0, 0, 1, 0, 0, 0, 1]),
    p_WB: new Float64Array(3),
    twist: new Float64Array(6),
  }
}

/**
 * The constant twist that takes a body from one place to another within a time; of two ways to turn, the shorter.
 *
 * @param R0    9, and `p0` 3: the place at the start; `R1` and `p1` at the end
 * @param dt    1 [s]
 * @param twist out, 6: angular velocity, velocity of the origin, world axes
 */
export function twistBetween(
  R0: Float64Array,
  p0: Float64Array,
  R1: Float64Array,
  p1: Float64Array,
  dt: Float64Array,
  twist: Float64Array,
): void {
  // the turn from one to the other, R = R1 R0ᵀ
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++)
      turn[3 * i + j] = R1[3 * i] * R0[3 * j] + R1[3 * i + 1] * R0[3 * j + 1] + R1[3 * i + 2] * R0[3 * j + 2]
  }
  // twice the sine times the axis, and twice the cosine
  const x = turn[7] - turn[5]
  const y = turn[2] - turn[6]
  const z = turn[3] - turn[1]
  const sine = Math.sqrt(x * x + y * y + z * z)
  const cosine = turn[0] + turn[4] + turn[8] - 1
  const angle = Math.atan2(sine, cosine)
  if (sine > 1e-6 || cosine > 0) {
    const scale = (sine > 0 ? angle / sine : 0.5) / dt[0]
    twist[0] = scale * x
    twist[1] = scale * y
    twist[2] = scale * z
  } else {
    // half a turn: R = 2 a aᵀ - 1, of which the column with the longest diagonal gives the axis a best
    const k = turn[0] >= turn[4] && turn[0] >= turn[8] ? 0 : turn[4] >= turn[8] ? 1 : 2
    for (let d = 0; d < 3; d++) twist[d] = turn[3 * d + k] + (d === k ? 1 : 0)
    const length = Math.sqrt(twist[0] * twist[0] + twist[1] * twist[1] + twist[2] * twist[2])
    const side = twist[0] * x + twist[1] * y + twist[2] * z < 0 ? -1 : 1
    for (let d = 0; d < 3; d++) twist[d] *= (side * angle) / (length * dt[0])
  }
  for (let d = 0; d < 3; d++) twist[3 + d] = (p1[d] - p0[d]) / dt[0]
}

export interface TimeOfContactOptions {
  /** Distance at which shapes touch [m]. Default 1e-6. */
  readonly tolerance?: number
  /** Default 1000. */
  readonly maxIterations?: number
}

export interface TimeOfContact {
  /**
   * `contact`: they touch, first at `time`. `none`: not within the step. `limit`: not before `time`; what comes after was not found
   * out within the iterations, as when two bodies roll over each other hardly farther apart than the tolerance.
   */
  status: 'contact' | 'none' | 'limit'
  iterations: number
  /** 1 [s]: from the start of the step. */
  readonly time: Float64Array
  /**
   * 10, at that time, as from `signedDistance`: the distance, the unit normal from A to B, the nearest points on A and on B,
   * world axes. At 'none' those of the last query.
   */
  readonly distance: Float64Array
  /** 4, at 'contact': which features touch, as from `closestFeatures`. */
  readonly features: Int32Array
}

export function createTimeOfContact(): TimeOfContact {
  return { status: 'none', iterations: 0, time: new Float64Array(1), distance: new Float64Array(10), features: new Int32Array(4) }
}

/**
 * The first time in a step at which two shapes are within a tolerance of each other, by conservative advancement (Mirtich,
 * Impulse-based Dynamic Simulation of Rigid Body Systems, 1996, section 2.3): from the distance d along the normal n,
 * and a bound of the speed at which the gap along n can close,
 *
 *   n·(vA - vB) + |omegaA × n| rA + |omegaB × n| rB,
 *
 * follows a time before which they cannot touch; from there on again. A body that spins about n alone, or moves along the
 * other's surface, closes nothing. The bound holds at all later times too, so that nothing is passed over however
 * fast or thin the shapes are, and where it is not positive they never touch. Each move ends where, at that bound, half the
 * tolerance would be left: the time found is before the shapes overlap, and later than when they came within the tolerance by
 * at most the time that closing half of it takes.
 *
 * Shapes that are within the tolerance, or overlap, at the start touch at time 0.
 *
 * @param dt  1: length of the step [s]
 * @param out out; `collider` of both shapes is left as placed at the last query
 * @throws GeometryError for two half-spaces, or one that spins
 */
export function timeOfContact(
  a: MovingShape,
  b: MovingShape,
  dt: Float64Array,
  out: TimeOfContact,
  options: TimeOfContactOptions = defaults,
): void {
  const { tolerance = 1e-6, maxIterations = 1000 } = options
  const { time, distance } = out
  checkSpin(a)
  checkSpin(b)
  time[0] = 0
  for (out.iterations = 1; out.iterations <= maxIterations; out.iterations++) {
    placeAt(a, time)
    placeAt(b, time)
    signedDistance(a.collider, b.collider, distance)
    if (distance[0] <= tolerance) {
      out.status = 'contact'
      closestFeatures(a.collider, b.collider, distance, out.features)
      return
    }
    closing[0] = 0
    addClosing(a, distance, 1)
    addClosing(b, distance, -1)
    time[0] += closing[0] > 0 ? (distance[0] - 0.5 * tolerance) / closing[0] : Infinity
    if (!(time[0] <= dt[0])) {
      time[0] = dt[0]
      out.status = 'none'
      return
    }
  }
  out.iterations = maxIterations
  out.status = 'limit'
}

const defaults: TimeOfContactOptions = {}
const turn = new Float64Array(9)
const closing = new Float64Array(1)
const angle = new Float64Array(1)
const sineCosine = new Float64Array(2)
const R_WB = new Float64Array(9)
const p_WB = new Float64Array(3)

function checkSpin({ placed, twist }: MovingShape): void {
  if (placed.shape.type !== 'halfspace' || (twist[0] === 0 && twist[1] === 0 && twist[2] === 0)) return
  throw new GeometryError(`half-space "${placed.name}" spins; far away it would move without limit. Use a wide box`)
}

/** Adds how fast the shape can come nearer along the normal at distance[1], by sign. */
function addClosing({ twist: V, radius }: MovingShape, n: Float64Array, sign: number): void {
  const x = V[1] * n[3] - V[2] * n[2]
  const y = V[2] * n[1] - V[0] * n[3]
  const z = V[0] * n[2] - V[1] * n[1]
  closing[0] += sign * (V[3] * n[1] + V[4] * n[2] + V[5] * n[3]) + Math.sqrt(x * x + y * y + z * z) * radius
}

/** Puts the collider where the shape is at a time: the body turned by Rodrigues' formula, exp(omega t) R. */
function placeAt({ placed, collider, R_WB: R, p_WB: p, twist: V }: MovingShape, time: Float64Array): void {
  const t = time[0]
  const speed = Math.sqrt(V[0] * V[0] + V[1] * V[1] + V[2] * V[2])
  angle[0] = speed * t
  sincos(sineCosine, angle, 0)
  const s = sineCosine[0]
  const c = sineCosine[1]
  const scale = speed > 0 ? 1 / speed : 0
  const x = scale * V[0]
  const y = scale * V[1]
  const z = scale * V[2]
  for (let k = 0; k < 3; k++) {
    p_WB[k] = p[k] + t * V[3 + k]
    const along = (1 - c) * (x * R[k] + y * R[3 + k] + z * R[6 + k])
    R_WB[k] = c * R[k] + s * (y * R[6 + k] - z * R[3 + k]) + along * x
    R_WB[3 + k] = c * R[3 + k] + s * (z * R[k] - x * R[6 + k]) + along * y
    R_WB[6 + k] = c * R[6 + k] + s * (x * R[3 + k] - y * R[k]) + along * z
  }
  placeCollider(collider, R_WB, p_WB, placed.R, placed.p)
  placeCore(collider)
}

import {
  mulMatrix3,
  mulQuaternion,
  normalizeQuaternion,
  quaternionOfRotationVector,
  rotationOfQuaternion,
  rotationVectorOfQuaternion,
  sincos,
} from '../math/index.ts'
import { JointType, type Model } from './model.ts'

/** Joint model of a joint type. Algorithms use joints only through `X` and `S`; all other properties of a type are in this table. */
export interface Joint {
  readonly name: string
  readonly nq: number
  readonly nv: number
  /** X = XJ(q) XT for the joint under body i, with coordinates at q[k..]: from the parent to the body. */
  transform(X: Float64Array, model: Model, i: number, q: Float64Array, k: number): void
  /** S[first..], one for each velocity of the joint under body i, in the body's axes; constant for every type. */
  subspace(S: readonly Float64Array[], first: number, model: Model, i: number): void
  /** out = q (+) step: the configuration from `qStart` on in out after motion along `step` (nv numbers) from that of q. */
  integrate(out: Float64Array, q: Float64Array, qStart: number, step: Float64Array): void
  /** step = q1 (-) q0, the inverse of `integrate`: q0 (+) step = q1, a planar joint's angle modulo a full turn. */
  difference(step: Float64Array, q0: Float64Array, q1: Float64Array, qStart: number): void
}

/** Squared angle below which series replace closed forms with cancellation; omitted terms are below 1e-17. */
const SERIES_BELOW = 0.03

const sc = new Float64Array(2)
const EJ = new Float64Array(9)
const R = new Float64Array(9)
const turn = new Float64Array(4)
const inverse = new Float64Array(4)

/**
 * E := EJ ET for an axis along a coordinate axis: EJ mixes two rows of ET, which start at `a` and `b`, and keeps the third, at `left`.
 * axis[k] is 1 or -1, and sc = [sin q, cos q].
 */
function turnRows(E: Float64Array, ET: Float64Array, a: number, b: number, left: number, axis: Float64Array, k: number): void {
  const s = axis[k] * sc[0]
  const c = sc[1]
  const a0 = ET[a]
  const a1 = ET[a + 1]
  const a2 = ET[a + 2]
  const b0 = ET[b]
  const b1 = ET[b + 1]
  const b2 = ET[b + 2]
  E[a] = c * a0 + s * b0
  E[a + 1] = c * a1 + s * b1
  E[a + 2] = c * a2 + s * b2
  E[b] = c * b0 - s * a0
  E[b + 1] = c * b1 - s * a1
  E[b + 2] = c * b2 - s * a2
  E[left] = ET[left]
  E[left + 1] = ET[left + 1]
  E[left + 2] = ET[left + 2]
}

/** E := EJ ET, EJ = c 1 - s a~ + (1 - c) a a^T: axes rotated about a, at axis[k..k+2] (Rodrigues). */
function turnAbout(E: Float64Array, ET: Float64Array, axis: Float64Array, k: number): void {
  const x = axis[k]
  const y = axis[k + 1]
  const z = axis[k + 2]
  const s = sc[0]
  const c = sc[1]
  const tx = (1 - c) * x
  const ty = (1 - c) * y
  const tz = (1 - c) * z
  EJ[0] = c + tx * x
  EJ[1] = tx * y + s * z
  EJ[2] = tx * z - s * y
  EJ[3] = ty * x - s * z
  EJ[4] = c + ty * y
  EJ[5] = ty * z + s * x
  EJ[6] = tz * x + s * y
  EJ[7] = tz * y - s * x
  EJ[8] = c + tz * z
  mulMatrix3(E, EJ, ET)
}

/** E := EJ ET, EJ the transpose of the rotation of the quaternion at q[k..k+3]. */
function turnByQuaternion(E: Float64Array, ET: Float64Array, q: Float64Array, k: number): void {
  rotationOfQuaternion(R, q, k)
  EJ[0] = R[0]
  EJ[1] = R[3]
  EJ[2] = R[6]
  EJ[3] = R[1]
  EJ[4] = R[4]
  EJ[5] = R[7]
  EJ[6] = R[2]
  EJ[7] = R[5]
  EJ[8] = R[8]
  mulMatrix3(E, EJ, ET)
}

const fixed: Joint = {
  name: 'fixed',
  nq: 0,
  nv: 0,
  transform(X, model, i) {
    X.set(model.XT[i])
  },
  subspace() {},
  integrate() {},
  difference() {},
}

const revolute: Joint = {
  name: 'revolute',
  nq: 1,
  nv: 1,
  transform(X, { jointAxis, XT }, i, q, k) {
    sincos(sc, q, k)
    const x = jointAxis[3 * i]
    const y = jointAxis[3 * i + 1]
    const z = jointAxis[3 * i + 2]
    const T = XT[i]
    X[9] = T[9]
    X[10] = T[10]
    X[11] = T[11]
    // tests zeros, not an entry of 1, which a unit axis also has beside 1e-8
    if (x === 0 && y === 0) turnRows(X, T, 0, 3, 6, jointAxis, 3 * i + 2)
    else if (x === 0 && z === 0) turnRows(X, T, 6, 0, 3, jointAxis, 3 * i + 1)
    else if (y === 0 && z === 0) turnRows(X, T, 3, 6, 0, jointAxis, 3 * i)
    else turnAbout(X, T, jointAxis, 3 * i)
  },
  subspace(S, first, { jointAxis }, i) {
    const Sk = S[first]
    Sk[0] = jointAxis[3 * i]
    Sk[1] = jointAxis[3 * i + 1]
    Sk[2] = jointAxis[3 * i + 2]
    Sk[3] = 0
    Sk[4] = 0
    Sk[5] = 0
  },
  integrate(out, q, k, step) {
    out[k] = q[k] + step[0]
  },
  difference(step, q0, q1, k) {
    step[0] = q1[k] - q0[k]
  },
}

const prismatic: Joint = {
  name: 'prismatic',
  nq: 1,
  nv: 1,
  transform(X, { jointAxis, XT }, i, q, k) {
    const T = XT[i]
    const d = q[k]
    const x = d * jointAxis[3 * i]
    const y = d * jointAxis[3 * i + 1]
    const z = d * jointAxis[3 * i + 2]
    X[0] = T[0]
    X[1] = T[1]
    X[2] = T[2]
    X[3] = T[3]
    X[4] = T[4]
    X[5] = T[5]
    X[6] = T[6]
    X[7] = T[7]
    X[8] = T[8]
    X[9] = T[9] + T[0] * x + T[3] * y + T[6] * z
    X[10] = T[10] + T[1] * x + T[4] * y + T[7] * z
    X[11] = T[11] + T[2] * x + T[5] * y + T[8] * z
  },
  subspace(S, first, { jointAxis }, i) {
    const Sk = S[first]
    Sk[0] = 0
    Sk[1] = 0
    Sk[2] = 0
    Sk[3] = jointAxis[3 * i]
    Sk[4] = jointAxis[3 * i + 1]
    Sk[5] = jointAxis[3 * i + 2]
  },
  integrate(out, q, k, step) {
    out[k] = q[k] + step[0]
  },
  difference(step, q0, q1, k) {
    step[0] = q1[k] - q0[k]
  },
}

/** Position in the joint's axes on the parent, quaternion from the body's axes to those; velocity in the body's axes. */
const floating: Joint = {
  name: 'floating',
  nq: 7,
  nv: 6,
  transform(X, { XT }, i, q, k) {
    const T = XT[i]
    turnByQuaternion(X, T, q, k + 3)
    X[9] = T[9] + T[0] * q[k] + T[3] * q[k + 1] + T[6] * q[k + 2]
    X[10] = T[10] + T[1] * q[k] + T[4] * q[k + 1] + T[7] * q[k + 2]
    X[11] = T[11] + T[2] * q[k] + T[5] * q[k + 1] + T[8] * q[k + 2]
  },
  subspace(S, first) {
    for (let k = 0; k < 6; k++) {
      const Sk = S[first + k]
      for (let j = 0; j < 6; j++) Sk[j] = j === k ? 1 : 0
    }
  },

  /**
   * The exponential map of SE(3): with step = [t; d], R1 = R0 exp(t~) and p1 = p0 + R0 V d,
   * V = 1 + (1 - cos a)/a^2 t~ + (a - sin a)/a^3 t~^2, a = |t| (Murray, Li, Sastry, A Mathematical Introduction to
   * Robotic Manipulation, 1994, section 2.3). Exact for a constant body velocity; the quaternion is scaled to length 1.
   */
  integrate(out, q, k, step) {
    rotationOfQuaternion(R, q, k + 3)
    const tx = step[0]
    const ty = step[1]
    const tz = step[2]
    const dx = step[3]
    const dy = step[4]
    const dz = step[5]
    const aa = tx * tx + ty * ty + tz * tz
    quaternionOfRotationVector(turn, 0, step, 0)
    let f1: number
    let f2: number
    if (aa < SERIES_BELOW) {
      f1 = 1 / 2 - aa * (1 / 24 - aa * (1 / 720 - aa * (1 / 40320 - aa * (1 / 3628800 - aa / 479001600))))
      f2 = 1 / 6 - aa * (1 / 120 - aa * (1 / 5040 - aa * (1 / 362880 - aa * (1 / 39916800 - aa / 6227020800))))
    } else {
      // from the half angle, turn = [sin(a/2) t/a; cos(a/2)]: 1 - cos a = 2 sin^2(a/2)
      const a = Math.sqrt(aa)
      const s = (turn[0] * tx + turn[1] * ty + turn[2] * tz) / a
      f1 = (2 * s * s) / aa
      f2 = (1 - (2 * s * turn[3]) / a) / aa
    }
    const ux = ty * dz - tz * dy
    const uy = tz * dx - tx * dz
    const uz = tx * dy - ty * dx
    const mx = dx + f1 * ux + f2 * (ty * uz - tz * uy)
    const my = dy + f1 * uy + f2 * (tz * ux - tx * uz)
    const mz = dz + f1 * uz + f2 * (tx * uy - ty * ux)
    out[k] = q[k] + R[0] * mx + R[1] * my + R[2] * mz
    out[k + 1] = q[k + 1] + R[3] * mx + R[4] * my + R[5] * mz
    out[k + 2] = q[k + 2] + R[6] * mx + R[7] * my + R[8] * mz
    mulQuaternion(out, k + 3, q, k + 3, turn, 0)
    normalizeQuaternion(out, k + 3)
  },

  /**
   * The logarithm of SE(3), angle at most pi: t from the quaternion q0^-1 q1, d = V^-1 R0^T (p1 - p0),
   * V^-1 = 1 - t~/2 + (1 - (a/2) cot(a/2))/a^2 t~^2.
   */
  difference(step, q0, q1, k) {
    rotationOfQuaternion(R, q0, k + 3)
    turnBetween(step, q0, q1, k + 3)
    const tx = step[0]
    const ty = step[1]
    const tz = step[2]
    const aa = tx * tx + ty * ty + tz * tz
    let f: number
    if (aa < SERIES_BELOW) {
      // series of (1 - (a/2) cot(a/2))/a^2, by Bernoulli's numbers
      f = 1 / 12 + aa * (1 / 720 + aa * (1 / 30240 + aa * (1 / 1209600 + aa * (1 / 47900160 + (aa * 691) / 1307674368000))))
    } else {
      const halfAngle = 0.5 * Math.sqrt(aa)
      const s = Math.sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2])
      f = (1 - (halfAngle * Math.abs(turn[3])) / s) / aa
    }
    const x = q1[k] - q0[k]
    const y = q1[k + 1] - q0[k + 1]
    const z = q1[k + 2] - q0[k + 2]
    const px = R[0] * x + R[3] * y + R[6] * z
    const py = R[1] * x + R[4] * y + R[7] * z
    const pz = R[2] * x + R[5] * y + R[8] * z
    const ux = ty * pz - tz * py
    const uy = tz * px - tx * pz
    const uz = tx * py - ty * px
    step[3] = px - 0.5 * ux + f * (ty * uz - tz * uy)
    step[4] = py - 0.5 * uy + f * (tz * ux - tx * uz)
    step[5] = pz - 0.5 * uz + f * (tx * uy - ty * ux)
  },
}

/** Position x, y in the plane, along `planeAxis` and normal x `planeAxis`, and angle about the normal; velocity in the body's axes. */
const planar: Joint = {
  name: 'planar',
  nq: 3,
  nv: 3,
  transform(X, { jointAxis, planeAxis, XT }, i, q, k) {
    const T = XT[i]
    sincos(sc, q, k + 2)
    turnAbout(X, T, jointAxis, 3 * i)
    const nx = jointAxis[3 * i]
    const ny = jointAxis[3 * i + 1]
    const nz = jointAxis[3 * i + 2]
    const ax = planeAxis[3 * i]
    const ay = planeAxis[3 * i + 1]
    const az = planeAxis[3 * i + 2]
    // d = x a + y (n x a)
    const dx = q[k] * ax + q[k + 1] * (ny * az - nz * ay)
    const dy = q[k] * ay + q[k + 1] * (nz * ax - nx * az)
    const dz = q[k] * az + q[k + 1] * (nx * ay - ny * ax)
    X[9] = T[9] + T[0] * dx + T[3] * dy + T[6] * dz
    X[10] = T[10] + T[1] * dx + T[4] * dy + T[7] * dz
    X[11] = T[11] + T[2] * dx + T[5] * dy + T[8] * dz
  },
  subspace(S, first, { jointAxis, planeAxis }, i) {
    const n = jointAxis.subarray(3 * i, 3 * i + 3)
    const a = planeAxis.subarray(3 * i, 3 * i + 3)
    S[first].set([0, 0, 0, a[0], a[1], a[2]])
    S[first + 1].set([0, 0, 0, n[1] * a[2] - n[2] * a[1], n[2] * a[0] - n[0] * a[2], n[0] * a[1] - n[1] * a[0]])
    S[first + 2].set([n[0], n[1], n[2], 0, 0, 0])
  },

  /** The exponential map of SE(2): p1 = p0 + R0 V d, V = [[sin a, cos a - 1], [1 - cos a, sin a]] / a. */
  integrate(out, q, k, step) {
    sincos(sc, q, k + 2)
    const dx = step[0]
    const dy = step[1]
    const a = step[2]
    const aa = a * a
    turn[0] = 0.5 * a
    sincos(turn, turn, 0) // [sin(a/2), cos(a/2)]
    // sin a / a and (1 - cos a) / a; the first needs a series only at 0
    const f = aa < SERIES_BELOW ? 1 - aa * (1 / 6 - aa * (1 / 120 - aa * (1 / 5040 - aa * (1 / 362880 - aa / 39916800)))) : 0
    const along = aa < SERIES_BELOW ? f : (2 * turn[0] * turn[1]) / a
    const g = aa < SERIES_BELOW ? 1 / 2 - aa * (1 / 24 - aa * (1 / 720 - aa * (1 / 40320 - aa / 3628800))) : 0
    const across = aa < SERIES_BELOW ? g * a : (2 * turn[0] * turn[0]) / a
    const mx = along * dx - across * dy
    const my = across * dx + along * dy
    out[k] = q[k] + sc[1] * mx - sc[0] * my
    out[k + 1] = q[k + 1] + sc[0] * mx + sc[1] * my
    out[k + 2] = q[k + 2] + a
  },

  /** The logarithm of SE(2), angle at most pi, without whole turns: d = V^-1 R0^T (p1 - p0). */
  difference(step, q0, q1, k) {
    sincos(sc, q0, k + 2)
    const whole = q1[k + 2] - q0[k + 2]
    const a = whole - 2 * Math.PI * Math.round(whole / (2 * Math.PI))
    const aa = a * a
    turn[0] = 0.5 * a
    sincos(turn, turn, 0)
    // (a/2) cot(a/2)
    const h =
      aa < SERIES_BELOW
        ? 1 - aa * (1 / 12 + aa * (1 / 720 + aa * (1 / 30240 + aa * (1 / 1209600 + aa / 47900160))))
        : (0.5 * a * turn[1]) / turn[0]
    const x = q1[k] - q0[k]
    const y = q1[k + 1] - q0[k + 1]
    const px = sc[1] * x + sc[0] * y
    const py = -sc[0] * x + sc[1] * y
    step[0] = h * px + 0.5 * a * py
    step[1] = h * py - 0.5 * a * px
    step[2] = a
  },
}

/** Spherical joint: quaternion from the body's axes to the joint's; angular velocity in the body's axes. */
const spherical: Joint = {
  name: 'spherical',
  nq: 4,
  nv: 3,
  transform(X, { XT }, i, q, k) {
    const T = XT[i]
    turnByQuaternion(X, T, q, k)
    X[9] = T[9]
    X[10] = T[10]
    X[11] = T[11]
  },
  subspace(S, first) {
    for (let k = 0; k < 3; k++) {
      const Sk = S[first + k]
      for (let j = 0; j < 6; j++) Sk[j] = j === k ? 1 : 0
    }
  },
  integrate(out, q, k, step) {
    quaternionOfRotationVector(turn, 0, step, 0)
    mulQuaternion(out, k, q, k, turn, 0)
    normalizeQuaternion(out, k)
  },
  difference(step, q0, q1, k) {
    turnBetween(step, q0, q1, k)
  },
}

/** step[0..2] = the rotation vector, of length at most pi, from the quaternion at q0[k..] to that at q1[k..]; also left in `turn`. */
function turnBetween(step: Float64Array, q0: Float64Array, q1: Float64Array, k: number): void {
  inverse[0] = -q0[k]
  inverse[1] = -q0[k + 1]
  inverse[2] = -q0[k + 2]
  inverse[3] = q0[k + 3]
  mulQuaternion(turn, 0, inverse, 0, q1, k)
  normalizeQuaternion(turn, 0)
  rotationVectorOfQuaternion(step, 0, turn, 0)
}

/** Coordinates as of a floating joint, which no motion changes. */
const mocap: Joint = {
  name: 'mocap',
  nq: 7,
  nv: 0,
  transform: floating.transform,
  subspace() {},
  integrate(out, q, k) {
    for (let at = k; at < k + 7; at++) out[at] = q[at]
  },
  difference() {},
}

/** Indexed by `JointType`. */
export const joints: readonly Joint[] = [fixed, revolute, prismatic, floating, planar, spherical, mocap]
if (joints.length !== Object.keys(JointType).length) throw new Error('a joint type has no row in the table of joints')

/** For the compiler: what this file's functions refer to. */
// biome-ignore format: a list
export const jointParts = () => ({
  joints, sincos, mulMatrix3, rotationOfQuaternion, turnRows, turnAbout, turnByQuaternion, sc, EJ, R,
})

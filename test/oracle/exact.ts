import { JointType, type Model, type State } from '../../dynamics/index.ts'

/*
 * Rigid-body dynamics in fixed-point numbers of 256 binary places, rounded to doubles at the very end: what the answers of
 * a mechanism are when nothing is lost on the way. Written from the laws of Newton and Euler for each body about its centre
 * of mass in world axes, M = sum of m Jv^T Jv + Jw^T Ic Jw, and not recursively inward, so that it shares neither rounding
 * nor formulas with the algorithms that it judges. Slow: the work grows as nv^2 times the number of bodies.
 */

const PLACES = 256n
const ONE = 1n << PLACES

type Vector = [bigint, bigint, bigint]
/** Row-major. */
type Matrix = bigint[]

/** Answers in our coordinates and our order of velocities. */
export interface ExactAnswers {
  /** nv x nv row-major */
  readonly M: Float64Array
  readonly bias: Float64Array
  /** tau that gives the acceleration asked for */
  readonly inverse: Float64Array
  /** acceleration under the tau asked for */
  readonly forward: Float64Array
}

/** The answers for numbers taken as they stand in `model`, `state`, `a` and `tau`. */
export function exactDynamics(model: Model, state: State, a: Float64Array, tau: Float64Array): ExactAnswers {
  const { nv } = model
  const bodies = bodiesAt(model, state)
  const M: bigint[][] = Array.from({ length: nv }, () => new Array<bigint>(nv).fill(0n))
  const c = new Array<bigint>(nv).fill(0n)
  const gravity = vector(model.gravity, 3)

  for (let i = 1; i < model.nb; i++) {
    const { mass, inertia, columns, omega, alpha, acceleration } = bodies[i]
    for (const [l, second] of columns) {
      const p = scale(mass, second.v)
      const h = times(inertia, second.w)
      for (const [k, first] of columns) M[k][l] += dot(first.v, p) + dot(first.w, h)
    }
    // f = m (a - g), n = Ic alpha + omega x Ic omega
    const f = scale(mass, minus(acceleration, gravity))
    const n = plus(times(inertia, alpha), cross(omega, times(inertia, omega)))
    for (const [k, { w, v }] of columns) c[k] += dot(v, f) + dot(w, n)
  }
  for (let k = 0; k < nv; k++) M[k][k] += fixed(model.armature[k])

  const acceleration = Array.from(a, fixed)
  const inverse = c.map((bias, k) => M[k].reduce((sum, m, l) => sum + mul(m, acceleration[l]), bias))
  const forward = eliminate(
    M,
    c.map((bias, k) => fixed(tau[k]) - bias),
  )
  return { M: Float64Array.from(M.flat(), double), bias: doubles(c), inverse: doubles(inverse), forward: doubles(forward) }
}

interface Column {
  /** What one unit of a velocity gives the body: angular velocity, and velocity of the centre of mass. */
  readonly w: Vector
  readonly v: Vector
}

interface Body {
  readonly R: Matrix
  readonly p: Vector
  readonly mass: bigint
  /** About the centre of mass, world axes. */
  readonly inertia: Matrix
  readonly columns: ReadonlyMap<number, Column>
  readonly omega: Vector
  readonly originVelocity: Vector
  /** At generalised acceleration 0, without gravity: angular, of the origin, of the centre of mass. */
  readonly alpha: Vector
  readonly originAcceleration: Vector
  readonly acceleration: Vector
  /** Motions on the way to the root: the velocity that drives each, angular velocity, velocity of the point `at`. */
  readonly motions: readonly { readonly k: number; readonly w: Vector; readonly v: Vector; readonly at: Vector }[]
}

function bodiesAt(model: Model, { q, v }: State): Body[] {
  const zero: Vector = [0n, 0n, 0n]
  const identity: Matrix = [ONE, 0n, 0n, 0n, ONE, 0n, 0n, 0n, ONE]
  const bodies: Body[] = [
    {
      R: identity,
      p: zero,
      mass: 0n,
      inertia: new Array<bigint>(9).fill(0n),
      columns: new Map(),
      omega: zero,
      originVelocity: zero,
      alpha: zero,
      originAcceleration: zero,
      acceleration: zero,
      motions: [],
    },
  ]
  for (let i = 1; i < model.nb; i++) {
    const parent = bodies[model.parent[i]]
    const { turn, shift, motions } = jointAt(model, i, q)
    const E = Array.from(model.XT[i].subarray(0, 9), fixed)
    const joint = product(parent.R, transposed(E))
    const p = plus(parent.p, plus(times(parent.R, vector(model.XT[i], 9)), times(joint, shift)))
    const R = product(joint, turn)

    let omegaOwn = zero
    let velocityOwn = zero
    const all = [...parent.motions]
    for (const { k, w, v: u } of motions) {
      const speed = fixed(v[k])
      const wW = times(R, w)
      const uW = times(R, u)
      omegaOwn = plus(omegaOwn, scale(speed, wW))
      velocityOwn = plus(velocityOwn, scale(speed, uW))
      all.push({ k, w: wW, v: uW, at: p })
    }
    // the joint's motion is constant in the body's axes, and those turn with omega
    const arm = minus(p, parent.p)
    const omega = plus(parent.omega, omegaOwn)
    const originVelocity = plus(parent.originVelocity, plus(cross(parent.omega, arm), velocityOwn))
    const alpha = plus(parent.alpha, cross(omega, omegaOwn))
    const originAcceleration = plus(
      plus(parent.originAcceleration, cross(parent.alpha, arm)),
      plus(cross(parent.omega, minus(originVelocity, parent.originVelocity)), cross(omega, velocityOwn)),
    )

    const I = model.I[i]
    const mass = fixed(I[0])
    const c: Vector = I[0] === 0 ? zero : (vector(I, 1).map((h) => div(h, mass)) as Vector)
    const cW = times(R, c)
    const acceleration = plus(originAcceleration, plus(cross(alpha, cW), cross(omega, cross(omega, cW))))
    const center = plus(p, cW)
    const columns = new Map<number, Column>()
    for (const { k, w, v: u, at } of all) {
      const old = columns.get(k) ?? { w: zero, v: zero }
      columns.set(k, { w: plus(old.w, w), v: plus(old.v, plus(u, cross(w, minus(center, at)))) })
    }
    const inertia = product(product(R, inertiaAboutCenter(I, mass, c)), transposed(R))
    bodies.push({
      ...{ R, p, mass, inertia, columns, omega, originVelocity, alpha, originAcceleration, acceleration },
      motions: all,
    })
  }
  return bodies
}

/** Steiner backwards: Ic = I - m (c.c 1 - c c^T). */
function inertiaAboutCenter(I: Float64Array, mass: bigint, [x, y, z]: Vector): Matrix {
  const [xx, yy, zz, xy, xz, yz] = Array.from(I.subarray(4, 10), fixed)
  const m = (a: bigint, b: bigint) => mul(mass, mul(a, b))
  const XX = xx - m(y, y) - m(z, z)
  const YY = yy - m(x, x) - m(z, z)
  const ZZ = zz - m(x, x) - m(y, y)
  const XY = xy + m(x, y)
  const XZ = xz + m(x, z)
  const YZ = yz + m(y, z)
  return [XX, XY, XZ, XY, YY, YZ, XZ, YZ, ZZ]
}

interface JointAt {
  /** Turns the body's axes into the joint's. */
  readonly turn: Matrix
  /** The body's origin from the joint's, in the joint's axes. */
  readonly shift: Vector
  /** In the body's axes. */
  readonly motions: readonly { readonly k: number; readonly w: Vector; readonly v: Vector }[]
}

function jointAt(model: Model, i: number, q: Float64Array): JointAt {
  const zero: Vector = [0n, 0n, 0n]
  const master = model.follows[i] < 0 ? i : model.follows[i]
  const k = model.vStart[master]
  const start = model.qStart[master]
  const factor = fixed(model.multiplier[i])
  const position = mul(factor, fixed(q[start] ?? 0)) + fixed(model.offset[i])
  const axis = vector(model.jointAxis, 3 * i)
  const identity: Matrix = [ONE, 0n, 0n, 0n, ONE, 0n, 0n, 0n, ONE]
  const units: Vector[] = [
    [ONE, 0n, 0n],
    [0n, ONE, 0n],
    [0n, 0n, ONE],
  ]
  switch (model.jointType[i]) {
    case JointType.revolute:
      return { turn: turnAbout(axis, position), shift: zero, motions: [{ k, w: scale(factor, axis), v: zero }] }
    case JointType.prismatic:
      return { turn: identity, shift: scale(position, axis), motions: [{ k, w: zero, v: scale(factor, axis) }] }
    case JointType.floating:
      return {
        turn: turnOf(q, start + 3),
        shift: vector(q, start),
        motions: [...units.map((w, j) => ({ k: k + j, w, v: zero })), ...units.map((v, j) => ({ k: k + 3 + j, w: zero, v }))],
      }
    case JointType.spherical:
      return { turn: turnOf(q, start), shift: zero, motions: units.map((w, j) => ({ k: k + j, w, v: zero })) }
    case JointType.planar: {
      const x = vector(model.planeAxis, 3 * i)
      const y = cross(axis, x)
      return {
        turn: turnAbout(axis, fixed(q[start + 2])),
        shift: plus(scale(fixed(q[start]), x), scale(fixed(q[start + 1]), y)),
        motions: [
          { k, w: zero, v: x },
          { k: k + 1, w: zero, v: y },
          { k: k + 2, w: axis, v: zero },
        ],
      }
    }
    default:
      return { turn: identity, shift: zero, motions: [] }
  }
}

/** c 1 + s a~ + (1 - c) a a^T (Rodrigues). */
function turnAbout([x, y, z]: Vector, angle: bigint): Matrix {
  const s = sine(angle)
  const c = cosine(angle)
  const t = ONE - c
  const m = (a: bigint, b: bigint) => mul(t, mul(a, b))
  return [
    ...[c + m(x, x), m(x, y) - mul(s, z), m(x, z) + mul(s, y)],
    ...[m(x, y) + mul(s, z), c + m(y, y), m(y, z) - mul(s, x)],
    ...[m(x, z) - mul(s, y), m(y, z) + mul(s, x), c + m(z, z)],
  ]
}

/** The rotation of the quaternion x, y, z, w at q[k..], of any length. */
function turnOf(q: Float64Array, k: number): Matrix {
  const [x, y, z, w] = [0, 1, 2, 3].map((j) => fixed(q[k + j]))
  const s = div(2n * ONE, mul(x, x) + mul(y, y) + mul(z, z) + mul(w, w))
  const m = (a: bigint, b: bigint) => mul(s, mul(a, b))
  return [
    ...[ONE - m(y, y) - m(z, z), m(x, y) - m(w, z), m(x, z) + m(w, y)],
    ...[m(x, y) + m(w, z), ONE - m(x, x) - m(z, z), m(y, z) - m(w, x)],
    ...[m(x, z) - m(w, y), m(y, z) + m(w, x), ONE - m(x, x) - m(y, y)],
  ]
}

/** A^-1 b by elimination; A is symmetric and positive definite, so that it needs no pivots. */
function eliminate(A: readonly (readonly bigint[])[], b: readonly bigint[]): bigint[] {
  const n = b.length
  const rows = A.map((row, r) => [...row, b[r]])
  for (let k = 0; k < n; k++) {
    for (let r = k + 1; r < n; r++) {
      if (rows[r][k] === 0n) continue
      const factor = div(rows[r][k], rows[k][k])
      for (let c = k; c <= n; c++) rows[r][c] -= mul(factor, rows[k][c])
    }
  }
  const x = new Array<bigint>(n).fill(0n)
  for (let k = n - 1; k >= 0; k--) {
    let sum = rows[k][n]
    for (let c = k + 1; c < n; c++) sum -= mul(rows[k][c], x[c])
    x[k] = div(sum, rows[k][k])
  }
  return x
}

const bits = new DataView(new ArrayBuffer(8))

/** Exact down to the last of the places. */
export function fixed(x: number): bigint {
  if (x === 0) return 0n
  if (!Number.isFinite(x)) throw new RangeError(`${x} has no fixed-point number`)
  bits.setFloat64(0, x)
  const raw = bits.getBigUint64(0)
  const exponent = (raw >> 52n) & 0x7ffn
  const mantissa = (raw & 0xfffffffffffffn) | (exponent === 0n ? 0n : 1n << 52n)
  const shift = (exponent === 0n ? 1n : exponent) - 1075n + PLACES
  const size = shift >= 0n ? mantissa << shift : mantissa >> -shift
  return x < 0 ? -size : size
}

/** The nearest double. */
export function double(x: bigint): number {
  return Number(x) / Number(ONE) // both correctly rounded, and the divisor is a power of two
}

function doubles(x: readonly bigint[]): Float64Array {
  return Float64Array.from(x, double)
}

function mul(a: bigint, b: bigint): bigint {
  return (a * b) >> PLACES
}

function div(a: bigint, b: bigint): bigint {
  return (a << PLACES) / b
}

/** Taylor's series, summed until a term is 0. */
export function sine(x: bigint): bigint {
  return series(x, x, 1n)
}

export function cosine(x: bigint): bigint {
  return series(ONE, x, 0n)
}

function series(first: bigint, x: bigint, power: bigint): bigint {
  const xx = mul(x, x)
  let sum = 0n
  let term = first
  // a floor of a negative number never reaches 0
  for (let n = power; term !== 0n && term !== -1n; n += 2n) {
    sum += term
    term = -mul(term, xx) / ((n + 1n) * (n + 2n))
  }
  return sum
}

function vector(x: ArrayLike<number>, k: number): Vector {
  return [fixed(x[k]), fixed(x[k + 1]), fixed(x[k + 2])]
}

function plus(a: Vector, b: Vector): Vector {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

function minus(a: Vector, b: Vector): Vector {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

function scale(s: bigint, a: Vector): Vector {
  return [mul(s, a[0]), mul(s, a[1]), mul(s, a[2])]
}

function dot(a: Vector, b: Vector): bigint {
  return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) >> PLACES
}

function cross(a: Vector, b: Vector): Vector {
  return [(a[1] * b[2] - a[2] * b[1]) >> PLACES, (a[2] * b[0] - a[0] * b[2]) >> PLACES, (a[0] * b[1] - a[1] * b[0]) >> PLACES]
}

function times(A: Matrix, x: Vector): Vector {
  return [0, 3, 6].map((r) => (A[r] * x[0] + A[r + 1] * x[1] + A[r + 2] * x[2]) >> PLACES) as Vector
}

function product(A: Matrix, B: Matrix): Matrix {
  const C = new Array<bigint>(9)
  for (let r = 0; r < 9; r += 3) {
    for (let c = 0; c < 3; c++) C[r + c] = (A[r] * B[c] + A[r + 1] * B[3 + c] + A[r + 2] * B[6 + c]) >> PLACES
  }
  return C
}

function transposed(A: Matrix): Matrix {
  return [A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]]
}

import { mulQuaternion, normalizeQuaternion, rotationVectorOfQuaternion } from '../math/index.ts'

/** Newton steps of one solve; three suffice for a body's rotation in a step of usual size. */
const STEPS = 8
/** Relative change of the angular velocity that is rounding. */
const ROUNDING = 1e-15
/** Gyroscopic torque, relative to |omega| |I omega|, that is rounding: the body rotates about a principal axis. */
const NO_TORQUE = 1e-14

/** Largest rotation in one part of a step [rad], and most parts. */
const PART_TURN = 0.1
const MOST_PARTS = 64

/**
 * Torque-free rotation of a rigid body, I domega/dt + omega x I omega = 0 about its centre of mass, over one step by implicit midpoint,
 *
 *   I (omega1 - omega0) + k dt w x I w = 0,   w = (omega0 + omega1) / 2,   R1 = R0 Cay(k dt w),
 *
 * in parts of at most `PART_TURN`. It conserves the energy omega . I omega and the angular momentum R I omega in space at every step size, as
 * I omega1 = Cay(-k dt w) I omega0, Cay(x) being the rotation by 2 atan(|x| / 2) about x (Hairer, Lubich, Wanner, Geometric Numerical
 * Integration, 2006, section IV.2.1; Austin, Krishnaprasad and Wang, J. Comput. Phys. 107, 1993). k = tan(x) / x of x = |omega0| dt / 2
 * makes a rotation about a principal axis exact. With the gyroscopic torque of the start alone a tumbling body gains energy without bound,
 * some (omega dt)^2 of it a step.
 */
export class FreeRotation {
  /** 3: the rate (omega1 - omega0) / dt, body axes [rad/s^2]; and the rate by the torque at the start. */
  readonly rate = new Float64Array(3)
  readonly explicitRate = new Float64Array(3)
  /** 3: rotation vector of R0^T R1 over dt, less omega1 [rad/s]. */
  readonly shift = new Float64Array(3)
  /** 3: centre of mass in the body's frame [m]. */
  readonly center = new Float64Array(3)
  private readonly explicitTurn: number
  /** 9: inertia about the centre of mass. */
  private readonly I = new Float64Array(9)
  private readonly w = new Float64Array(3)
  /** 3: angular velocity at the start of a part; and 4 each: rotation so far, and in a part. */
  private readonly w0 = new Float64Array(3)
  private readonly turned = new Float64Array(4)
  private readonly part = new Float64Array(4)
  private readonly L = new Float64Array(3)
  private readonly torque = new Float64Array(3)
  private readonly J = new Float64Array(9)
  private readonly d = new Float64Array(3)

  /**
   * @param inertia      [m, m c (3), Ixx, Iyy, Izz, Ixy, Ixz, Iyz] about the body's origin, as `Model.I`
   * @param explicitTurn rotation in a step up to which the torque at its start is used unchanged [rad]
   */
  constructor(inertia: Float64Array, explicitTurn: number) {
    this.explicitTurn = explicitTurn
    const [m, hx, hy, hz, xx, yy, zz, xy, xz, yz] = inertia
    const shift = (a: number, b: number) => (m > 0 ? (a * b) / m : 0)
    for (let d = 0; d < 3; d++) this.center[d] = m > 0 ? inertia[1 + d] / m : 0
    this.I.set([
      xx - shift(hy, hy) - shift(hz, hz),
      xy + shift(hx, hy),
      xz + shift(hx, hz),
      xy + shift(hx, hy),
      yy - shift(hx, hx) - shift(hz, hz),
      yz + shift(hy, hz),
      xz + shift(hx, hz),
      yz + shift(hy, hz),
      zz - shift(hx, hx) - shift(hy, hy),
    ])
  }

  /**
   * Writes `rate`, `explicitRate` and `shift` for omega = v[k..k+2].
   *
   * @returns false, without writing, if it rotates by at most `explicitTurn`, or about a principal axis, or the solve fails
   */
  solve(v: Float64Array, k: number, dt: number): boolean {
    const { I, w, L, torque, rate, explicitRate, shift, turned, part, explicitTurn } = this
    for (let i = 0; i < 3; i++) w[i] = v[k + i]
    const turn = Math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * dt
    if (!(turn > explicitTurn)) return false
    this.findTorque()
    const energy = w[0] * L[0] + w[1] * L[1] + w[2] * L[2]
    const size = Math.sqrt((w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * (L[0] * L[0] + L[1] * L[1] + L[2] * L[2]))
    if (!(Math.abs(torque[0]) + Math.abs(torque[1]) + Math.abs(torque[2]) > NO_TORQUE * size)) return false
    for (let i = 0; i < 3; i++) explicitRate[i] = -torque[i]
    if (!solve3(I, explicitRate)) return false

    const parts = Math.min(Math.ceil(turn / PART_TURN), MOST_PARTS)
    for (let i = 0; i < 4; i++) turned[i] = i < 3 ? 0 : 1
    for (let n = 0; n < parts; n++) {
      part[3] = dt / parts
      this.takePart()
    }
    // energy is conserved even without convergence
    const now = w[0] * L[0] + w[1] * L[1] + w[2] * L[2]
    const scale = now > 0 ? Math.sqrt(energy / now) : 1
    rotationVectorOfQuaternion(shift, 0, turned, 0)
    for (let i = 0; i < 3; i++) {
      rate[i] = (scale * w[i] - v[k + i]) / dt
      shift[i] = shift[i] / dt - scale * w[i]
    }
    return Number.isFinite(rate[0] + rate[1] + rate[2])
  }

  /** One part of the step, of part[3] seconds: w at its end, and its rotation onto `turned`. Reads L and torque of w. */
  private takePart(): void {
    const { I, w, w0, L, torque, J, d, turned, part } = this
    for (let i = 0; i < 3; i++) w0[i] = w[i]
    this.halve()
    const half = part[3]
    // Newton's method for w: I (w - omega0) + half w x I w = 0
    for (let step = 0; step < STEPS; step++) {
      for (let i = 0; i < 3; i++) {
        d[i] = -half * torque[i]
        for (let j = 0; j < 3; j++) {
          d[i] -= I[3 * i + j] * (w[j] - w0[j])
          const i1 = (i + 1) % 3
          const i2 = (i + 2) % 3
          // derivative of (w x I w)_i = w_i1 L_i2 - w_i2 L_i1
          let slope = w[i1] * I[3 * i2 + j] - w[i2] * I[3 * i1 + j]
          if (j === i1) slope += L[i2]
          if (j === i2) slope -= L[i1]
          J[3 * i + j] = I[3 * i + j] + half * slope
        }
      }
      if (!solve3(J, d)) break
      for (let i = 0; i < 3; i++) w[i] += d[i]
      this.findTorque()
      const change = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
      if (!(change > ROUNDING * ROUNDING * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]))) break
    }
    for (let i = 0; i < 3; i++) part[i] = half * w[i]
    part[3] = 1
    normalizeQuaternion(part, 0)
    mulQuaternion(turned, 0, turned, 0, part, 0)
    for (let i = 0; i < 3; i++) w[i] = 2 * w[i] - w0[i]
    this.findTorque()
  }

  /** part[3] := k dt / 2 of dt = part[3]; k = 1 in parts that turn by more than a radian, if `MOST_PARTS` are too few. */
  private halve(): void {
    const { w0, part } = this
    const half = 0.5 * part[3]
    const xx = half * half * (w0[0] * w0[0] + w0[1] * w0[1] + w0[2] * w0[2])
    // series of tan(x) / x
    part[3] = xx < 0.25 ? half * (1 + xx * (1 / 3 + xx * (2 / 15 + xx * (17 / 315 + (xx * 62) / 2835)))) : half
  }

  /** L := I w, torque := w x L. */
  private findTorque(): void {
    const { I, w, L, torque } = this
    for (let i = 0; i < 3; i++) L[i] = I[3 * i] * w[0] + I[3 * i + 1] * w[1] + I[3 * i + 2] * w[2]
    torque[0] = w[1] * L[2] - w[2] * L[1]
    torque[1] = w[2] * L[0] - w[0] * L[2]
    torque[2] = w[0] * L[1] - w[1] * L[0]
  }
}

/** x := A^-1 x of its first three entries, by Cramer's rule. @returns false, with x unchanged, if A is singular */
export function solve3(A: Float64Array, x: Float64Array): boolean {
  const c0 = A[4] * A[8] - A[5] * A[7]
  const c1 = A[5] * A[6] - A[3] * A[8]
  const c2 = A[3] * A[7] - A[4] * A[6]
  const det = A[0] * c0 + A[1] * c1 + A[2] * c2
  if (!(Math.abs(det) > 0)) return false
  const x0 = x[0]
  const x1 = x[1]
  const x2 = x[2]
  x[0] = (x0 * c0 + x1 * (A[2] * A[7] - A[1] * A[8]) + x2 * (A[1] * A[5] - A[2] * A[4])) / det
  x[1] = (x0 * c1 + x1 * (A[0] * A[8] - A[2] * A[6]) + x2 * (A[2] * A[3] - A[0] * A[5])) / det
  x[2] = (x0 * c2 + x1 * (A[1] * A[6] - A[0] * A[7]) + x2 * (A[0] * A[4] - A[1] * A[3])) / det
  return true
}

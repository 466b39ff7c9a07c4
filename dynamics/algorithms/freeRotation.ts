/** Newton steps of one solve; three suffice for a body's rotation in a step of usual size. */
const STEPS = 8
/** Relative change of the angular velocity that is rounding. */
const ROUNDING = 1e-15
/** Gyroscopic torque, relative to |omega| |I omega|, that is rounding: the body rotates about a principal axis. */
const NO_TORQUE = 1e-14

/**
 * Torque-free rotation of a rigid body, I domega/dt + omega x I omega = 0 about its centre of mass, over one step by implicit midpoint,
 *
 *   I (omega1 - omega0) + dt w x I w = 0,   w = (omega0 + omega1) / 2,
 *
 * which conserves the energy omega . I omega at every step size (Hairer, Lubich, Wanner, Geometric Numerical Integration, 2006, section
 * IV.2.1). With the gyroscopic torque of the start alone a tumbling body gains energy without bound, some (omega dt)² of it a step.
 */
export class FreeRotation {
  /** 3: the rate (omega1 - omega0) / dt, body axes [rad/s^2]; and the rate by the torque at the start. */
  readonly rate = new Float64Array(3)
  readonly explicitRate = new Float64Array(3)
  /** 3: centre of mass in the body's frame [m]. */
  readonly center = new Float64Array(3)
  private readonly explicitTurn: number
  /** 9: inertia about the centre of mass. */
  private readonly I = new Float64Array(9)
  private readonly w = new Float64Array(3)
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
   * Writes `rate` and `explicitRate` for omega = v[k..k+2].
   *
   * @returns false, without writing, if it rotates by at most `explicitTurn`, or about a principal axis, or the solve fails
   */
  solve(v: Float64Array, k: number, dt: number): boolean {
    const { I, w, L, torque, rate, explicitRate, J, d, explicitTurn } = this
    for (let i = 0; i < 3; i++) w[i] = v[k + i]
    if (!((w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * dt * dt > explicitTurn * explicitTurn)) return false
    const energy = this.findTorque()
    const size = Math.sqrt((w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * (L[0] * L[0] + L[1] * L[1] + L[2] * L[2]))
    if (!(Math.abs(torque[0]) + Math.abs(torque[1]) + Math.abs(torque[2]) > NO_TORQUE * size)) return false
    for (let i = 0; i < 3; i++) explicitRate[i] = -torque[i]
    if (!solve3(I, explicitRate)) return false

    // Newton's method for w: I (w - omega0) + dt/2 w x I w = 0
    for (let step = 0; step < STEPS; step++) {
      const half = 0.5 * dt
      for (let i = 0; i < 3; i++) {
        d[i] = -half * torque[i]
        for (let j = 0; j < 3; j++) {
          d[i] -= I[3 * i + j] * (w[j] - v[k + j])
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
    for (let i = 0; i < 3; i++) w[i] = 2 * w[i] - v[k + i]
    // energy is conserved even without convergence
    const now = this.findTorque()
    const scale = now > 0 ? Math.sqrt(energy / now) : 1
    for (let i = 0; i < 3; i++) rate[i] = (scale * w[i] - v[k + i]) / dt
    return Number.isFinite(rate[0] + rate[1] + rate[2])
  }

  /** L := I w, torque := w x L. @returns w . L */
  private findTorque(): number {
    const { I, w, L, torque } = this
    for (let i = 0; i < 3; i++) L[i] = I[3 * i] * w[0] + I[3 * i + 1] * w[1] + I[3 * i + 2] * w[2]
    torque[0] = w[1] * L[2] - w[2] * L[1]
    torque[1] = w[2] * L[0] - w[0] * L[2]
    torque[2] = w[0] * L[1] - w[1] * L[0]
    return w[0] * L[0] + w[1] * L[1] + w[2] * L[2]
  }
}

/** x := A^-1 x of three rows, by Cramer's rule. @returns false, with x unchanged, if A is singular */
function solve3(A: Float64Array, x: Float64Array): boolean {
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

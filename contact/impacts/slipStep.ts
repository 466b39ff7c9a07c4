/*
 * One step of sliding through an impact, by the method of Dormand and Prince (1980), order 5 with an error estimate of order 4.
 *
 * Everything is scaled so that one unit of normal impulse changes the normal velocity by one (see `ImpactLaw`). The variable is the
 * normal impulse p; tangent axes are the principal ones of the tangential inertia, which is diag(a1, a2) there:
 *
 *   qx' = -mu x / |(x, y)|,  qy' = -mu y / |(x, y)|     friction's impulse opposes the slip
 *   W'  = un                                            work of the normal impulse
 *   x = x0 + b1 p + a1 qx,  y = y0 + b2 p + a2 qy,  un = un0 + p + b1 qx + b2 qy
 *
 * so the velocities are always exactly those that the impulses cause, and only the impulses carry an error.
 */

/** Places in `Slip.problem`. */
export const A1 = 0
export const A2 = 1
export const B1 = 2
export const B2 = 3
export const X0 = 4
export const Y0 = 5
export const UN0 = 6
export const MU = 7

/** Places in a state: normal impulse, friction's impulse, normal work. */
export const P = 0
export const QX = 1
export const QY = 2
export const WORK = 3

// Nodes, coefficients row by row, and the difference of both solutions.
const NODE = Float64Array.of(0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1)
const ROW = [
  Float64Array.of(),
  Float64Array.of(1 / 5),
  Float64Array.of(3 / 40, 9 / 40),
  Float64Array.of(44 / 45, -56 / 15, 32 / 9),
  Float64Array.of(19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
  Float64Array.of(9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
  Float64Array.of(35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
]
const ERROR = Float64Array.of(71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
const STAGES = 7

export class SlipStep {
  /** 8: a1, a2, b1, b2, x0, y0, un0, mu. */
  readonly problem = new Float64Array(8)
  /** 4: where the step ends. */
  readonly end = new Float64Array(4)
  /** 1: estimate of the error that the step makes in velocities and in work. */
  readonly error = new Float64Array(1)
  private readonly slope = new Float64Array(3 * STAGES)

  /**
   * From `start` on by the normal impulse length[0].
   *
   * @param start 4
   */
  take(start: Float64Array, length: Float64Array): void {
    const { problem, end, error, slope } = this
    const a1 = problem[A1]
    const a2 = problem[A2]
    const b1 = problem[B1]
    const b2 = problem[B2]
    const mu = problem[MU]
    const dp = length[0]
    let qx = 0
    let qy = 0
    let work = 0
    for (let stage = 0; stage < STAGES; stage++) {
      const row = ROW[stage]
      qx = 0
      qy = 0
      work = 0
      for (let k = 0; k < stage; k++) {
        qx += row[k] * slope[3 * k]
        qy += row[k] * slope[3 * k + 1]
        work += row[k] * slope[3 * k + 2]
      }
      qx = start[QX] + dp * qx
      qy = start[QY] + dp * qy
      work = start[WORK] + dp * work
      const p = start[P] + NODE[stage] * dp
      const x = problem[X0] + b1 * p + a1 * qx
      const y = problem[Y0] + b2 * p + a2 * qy
      // where a stage falls on no slip at all it has no direction; the error estimate then rejects the step
      const pull = mu / Math.max(Math.sqrt(x * x + y * y), 1e-300)
      slope[3 * stage] = -pull * x
      slope[3 * stage + 1] = -pull * y
      slope[3 * stage + 2] = problem[UN0] + p + b1 * qx + b2 * qy
    }
    // the last stage stands at the end of the step
    end[P] = start[P] + dp
    end[QX] = qx
    end[QY] = qy
    end[WORK] = work
    let ex = 0
    let ey = 0
    let ew = 0
    for (let k = 0; k < STAGES; k++) {
      ex += ERROR[k] * slope[3 * k]
      ey += ERROR[k] * slope[3 * k + 1]
      ew += ERROR[k] * slope[3 * k + 2]
    }
    const inVelocity = Math.max((a1 + Math.abs(b1)) * Math.abs(ex), (a2 + Math.abs(b2)) * Math.abs(ey))
    error[0] = dp * Math.max(inVelocity, Math.abs(ew))
  }
}

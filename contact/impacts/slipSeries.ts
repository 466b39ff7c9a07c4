/*
 * A step of sliding through an impact, by a Taylor series of order 16.
 *
 * Units are such that one unit of normal impulse changes the normal velocity by one (see `ImpactLaw`). Tangent axes are the principal axes
 * of the tangential inverse inertia, diag(a1, a2). The variable is s with dp = r ds, p being the normal impulse and r = |(x, y)| the slip:
 * so slip stops only as s tends to infinity, and no step crosses the singularity at zero slip.
 *
 *   p' = r,  qx' = -mu x,  qy' = -mu y                  friction's impulse opposes the slip
 *   W' = un r                                           work of the normal impulse
 *   x = x0 + b1 p + a1 qx,  y = y0 + b2 p + a2 qy,  un = un0 + p + b1 qx + b2 qy
 *
 * Only r² = x² + y² and the work are not linear, and the product of two series is a sum of products of coefficients. Velocities follow
 * exactly from the impulses; only the impulses have an error.
 */

/** Indices of `SlipSeries.problem`. */
export const A1 = 0
export const A2 = 1
export const B1 = 2
export const B2 = 3
export const X0 = 4
export const Y0 = 5
export const UN0 = 6
export const MU = 7

/** Indices of a state: normal impulse, friction's impulse, normal work. */
export const P = 0
export const QX = 1
export const QY = 2
export const WORK = 3

const ORDER = 16
/** Bound of each of the last two terms of a step, relative to the tolerance; truncated terms are smaller. */
const SHARE = 0.5

const ZERO = new Float64Array(1)

export class SlipSeries {
  /** 8: a1, a2, b1, b2, x0, y0, un0, mu. */
  readonly problem = new Float64Array(8)
  /** 1: length in s within which the series keeps the tolerance, possibly shortened to an event. */
  readonly length = new Float64Array(1)
  /** 4: state at the end of the step. */
  readonly end = new Float64Array(4)
  /** Coefficients by powers of s, constants first: of slip, its magnitude and normal velocity; and of the four numbers of a state. */
  private readonly x = new Float64Array(ORDER + 1)
  private readonly y = new Float64Array(ORDER + 1)
  private readonly r = new Float64Array(ORDER + 1)
  private readonly un = new Float64Array(ORDER + 1)
  private readonly p = new Float64Array(ORDER + 1)
  private readonly qx = new Float64Array(ORDER + 1)
  private readonly qy = new Float64Array(ORDER + 1)
  private readonly work = new Float64Array(ORDER + 1)

  /**
   * Computes the series about `start`, where slip is not zero, and its length.
   *
   * @param start     4
   * @param tolerance 1: error of a step in velocities and in work
   */
  expand(start: Float64Array, tolerance: Float64Array): void {
    const { problem, length, x, y, r, un, p, qx, qy, work } = this
    const a1 = problem[A1]
    const a2 = problem[A2]
    const b1 = problem[B1]
    const b2 = problem[B2]
    const mu = problem[MU]
    p[0] = start[P]
    qx[0] = start[QX]
    qy[0] = start[QY]
    work[0] = start[WORK]
    x[0] = problem[X0] + b1 * p[0] + a1 * qx[0]
    y[0] = problem[Y0] + b2 * p[0] + a2 * qy[0]
    un[0] = problem[UN0] + p[0] + b1 * qx[0] + b2 * qy[0]
    r[0] = Math.sqrt(x[0] * x[0] + y[0] * y[0])
    const half = 0.5 / r[0]
    for (let k = 1; k <= ORDER; k++) {
      const part = 1 / k
      let sum = 0
      for (let i = 0; i < k; i++) sum += un[i] * r[k - 1 - i]
      work[k] = part * sum
      p[k] = part * r[k - 1]
      qx[k] = -mu * part * x[k - 1]
      qy[k] = -mu * part * y[k - 1]
      x[k] = b1 * p[k] + a1 * qx[k]
      y[k] = b2 * p[k] + a2 * qy[k]
      un[k] = p[k] + b1 * qx[k] + b2 * qy[k]
      // 2 r0 rk = remainder of r² = x² + y² at this power
      sum = 2 * (x[0] * x[k] + y[0] * y[k])
      let i = 1
      for (; 2 * i < k; i++) sum += 2 * (x[i] * x[k - i] + y[i] * y[k - i] - r[i] * r[k - i])
      if (2 * i === k) sum += x[i] * x[i] + y[i] * y[i] - r[i] * r[i]
      r[k] = half * sum
    }
    const allowed = SHARE * tolerance[0]
    const last = Math.max(Math.abs(x[ORDER]), Math.abs(y[ORDER]), Math.abs(un[ORDER]), Math.abs(work[ORDER]), 1e-200)
    const other = Math.max(
      Math.abs(x[ORDER - 1]),
      Math.abs(y[ORDER - 1]),
      Math.abs(un[ORDER - 1]),
      Math.abs(work[ORDER - 1]),
      1e-200,
    )
    length[0] = Math.exp(Math.min(Math.log(allowed / last) / ORDER, Math.log(allowed / other) / (ORDER - 1)))
  }

  /** Evaluates the state `end` at s = length[0]. */
  go(): void {
    const { length, end, p, qx, qy, work } = this
    const s = length[0]
    let atP = p[ORDER]
    let atX = qx[ORDER]
    let atY = qy[ORDER]
    let atWork = work[ORDER]
    for (let k = ORDER - 1; k >= 0; k--) {
      atP = p[k] + s * atP
      atX = qx[k] + s * atX
      atY = qy[k] + s * atY
      atWork = work[k] + s * atWork
    }
    end[P] = atP
    end[QX] = atX
    end[QY] = atY
    end[WORK] = atWork
  }

  /** Shortens length[0] to the zero of the normal velocity. */
  stopAtRest(): void {
    this.findLevel(this.un, ZERO)
  }

  /** Shortens length[0] to where the normal impulse reaches a level. */
  stopAtImpulse(level: Float64Array): void {
    this.findLevel(this.p, level)
  }

  /** Shortens length[0] to where the work reaches a level. */
  stopAtWork(level: Float64Array): void {
    this.findLevel(this.work, level)
  }

  /** Newton's method, safeguarded by a shrinking bracket. */
  private findLevel(series: Float64Array, level: Float64Array): void {
    const { length } = this
    let low = 0
    let high = length[0]
    let s = high
    for (let n = 0; n < 60; n++) {
      let value = series[ORDER]
      let slope = 0
      for (let k = ORDER - 1; k >= 0; k--) {
        slope = value + s * slope
        value = series[k] + s * value
      }
      value -= level[0]
      if (value === 0) break
      if (value < 0) low = s
      else high = s
      let next = s - value / slope
      if (!(next > low && next < high)) next = 0.5 * (low + high)
      const change = Math.abs(next - s)
      s = next
      if (change <= 1e-15 * high) break
    }
    length[0] = s
  }
}

import { addWork } from '../../dynamics/index.ts'
import { A1, A2, B1, B2, MU, P, QX, QY, SlipSeries, UN0, WORK, X0, Y0 } from './slipSeries.ts'

/** Hypotheses of restitution. */
export type ImpactHypothesis = 'newton' | 'poisson' | 'stronge'

/** Error tolerance of a velocity in one step of sliding, relative to the approach speed. */
const TOLERANCE = 1e-10
/** Slip below which it counts as zero, relative to the approach speed. */
const NO_SLIP = 1e-9
/** Inverse inertia below which it counts as zero, relative to that along the normal. */
const NO_INERTIA = 1e-12
/** Rate of rotation of the slip, relative, below which sliding is straight. */
const STRAIGHT = 1e-12
/** Difference of the slip from an attracting direction, relative to the approach speed, below which it has that direction. */
const DRAWN = 1e-9
/** Least inverse inertia with sticking, relative to that along the normal; below, bodies are locked, and Newton's step does not stick. */
const LEAST_STICKING = 1e-6
/** Least ratio of a normal impulse's effect on the normal velocity with and without sliding friction, in Newton's single step. */
const LEAST_RATE = 0.1
/** Most steps and events of one impact. */
const STEP_LIMIT = 500
/** Cost of a step, in multiply-adds. */
const SLIP_STEP = 500

/** Indices of `ImpactLaw.stretch`. */
const UN = 0
const RATE = 1
const LENGTH = 2

/** Indices of `ImpactLaw.surface`. */
const SLIDING = 0
const STATIC = 1
const RESTITUTION = 2

const COMPRESSION = 0
const RESTITUTION_PHASE = 1

/**
 * The impulse of one impact at one point with dry friction, by three hypotheses of restitution: @unchecked
 *
 *  newton   un+ = -e un-. One algebraic step: the impulse that also stops the slip; if that is outside the cone of
 *           friction, the one with friction mu pn against the slip at the start. Moore and Wilhelms, SIGGRAPH 1988; Hahn, SIGGRAPH
 *           1988; Guendelman, Bridson and Fedkiw, SIGGRAPH 2003, section 4.
 *  poisson  The normal impulse of restitution is e times that of compression.
 *  stronge  The normal work recovered in restitution is e² times the work of compression. Stronge, Rigid body collisions with
 *           friction, Proc. R. Soc. A 431 (1990).
 *
 * For the latter two the impulse grows from zero while Coulomb's law holds at each moment (Routh's process; Mirtich, Impulse-based dynamic
 * simulation of rigid body systems, PhD thesis, Berkeley 1996, chapter 3): with u the velocity of B's point relative to A's,
 *
 *   du / dpn = K [1; -mu u_t / |u_t|] while it slides,  du / dpn = K [1; f], f = -K_tt^-1 K_tn, while it sticks,
 *
 * from the moment the slip stops if |f| is at most static friction; else it slides along the one direction in which slip can grow from
 * rest. Straight sliding and sticking have closed forms. Sliding with a changing direction is integrated by Taylor series, each with an
 * estimated error of at most 1e-10 of the approach speed; their number depends only on the arguments.
 *
 * Internally velocities are in units of the approach speed, impulses in units of the frictionless impulse that stops it, and tangents are
 * rotated into the principal axes of K_tt.
 */
export class ImpactLaw {
  // in
  /** 9 row-major: change of u per impulse [1/kg], in the axes normal, tangent 1, tangent 2; symmetric, K[0] > 0. */
  readonly K = new Float64Array(9)
  /** 3: u before [m/s]; u[0] < 0. */
  readonly u = new Float64Array(3)
  /** 3: friction in sliding; static friction, at least as large; restitution, 0 to 1. */
  readonly surface = new Float64Array(3)
  // out
  /** 3: the impulse on B [N s]. */
  readonly impulse = new Float64Array(3)
  /** Number of integration steps of sliding. */
  steps = 0

  private readonly slip = new SlipSeries()
  /** 4: current p, qx, qy, work. */
  private readonly now = new Float64Array(4)
  private readonly tolerance = Float64Array.of(TOLERANCE)
  /** 2: cosine and sine of the rotation from the tangents to the principal axes. */
  private readonly turn = new Float64Array(2)
  /** 2: normal impulse and work at the end of compression. */
  private readonly compressed = new Float64Array(2)
  /** 2: friction per normal impulse. */
  private readonly direction = new Float64Array(2)
  /** 3: normal velocity at the start of a stretch of constant friction direction, its rate per normal impulse, length as normal impulse. */
  private readonly stretch = new Float64Array(3)
  /** 1: work or normal impulse at the end of restitution. */
  private readonly level = new Float64Array(1)

  /** @returns whether the step limit sufficed; if not, the rest of the impulse has no friction */
  solve(hypothesis: ImpactHypothesis): boolean {
    const { K, u, surface, impulse, now, turn } = this
    this.steps = 0
    now.fill(0)
    this.scale()
    let found = true
    if (surface[SLIDING] === 0 && surface[STATIC] === 0) now[P] = 1 + surface[RESTITUTION]
    else if (hypothesis === 'newton') this.newton()
    else found = this.process(hypothesis === 'stronge')

    const unit = -u[0] / K[0]
    impulse[0] = unit * now[P]
    impulse[1] = unit * (turn[0] * now[QX] - turn[1] * now[QY])
    impulse[2] = unit * (turn[1] * now[QX] + turn[0] * now[QY])
    return found
  }

  /** Sets the principal axes of K_tt, and the dimensionless problem. */
  private scale(): void {
    const { K, u, surface, turn, slip } = this
    const { problem } = slip
    const k = 1 / K[0]
    const mean = 0.5 * k * (K[4] + K[8])
    const half = 0.5 * k * (K[4] - K[8])
    const off = k * K[5]
    const radius = Math.sqrt(half * half + off * off)
    // half the angle of the vector (half, off) gives the axis of the larger eigenvalue
    let c = 1
    let s = 0
    if (radius > 0) {
      c = Math.sqrt(0.5 * (1 + Math.abs(half) / radius))
      s = (0.5 * off) / (radius * c)
      if (half < 0) {
        const other = c
        c = Math.abs(s)
        s = off < 0 ? -other : other
      }
    }
    turn[0] = c
    turn[1] = s
    const a1 = mean + radius
    const a2 = mean - radius
    const none = NO_INERTIA * Math.max(1, a1)
    const v = -1 / u[0]
    problem[A1] = a1 > none ? a1 : 0
    problem[A2] = a2 > none ? a2 : 0
    problem[B1] = a1 > none ? k * (c * K[1] + s * K[2]) : 0
    problem[B2] = a2 > none ? k * (c * K[2] - s * K[1]) : 0
    problem[X0] = v * (c * u[1] + s * u[2])
    problem[Y0] = v * (c * u[2] - s * u[1])
    problem[UN0] = -1
    problem[MU] = surface[SLIDING]
  }

  private newton(): void {
    const { surface, slip, now, direction } = this
    const { problem } = slip
    const a1 = problem[A1]
    const a2 = problem[A2]
    const b1 = problem[B1]
    const b2 = problem[B2]
    const x = problem[X0]
    const y = problem[Y0]
    const mu = problem[MU]
    const change = 1 + surface[RESTITUTION]
    // A q + b p = -(x, y) and p + b . q = 1 + e
    const i1 = a1 > 0 ? 1 / a1 : 0
    const i2 = a2 > 0 ? 1 / a2 : 0
    const inertia = 1 - (b1 * b1 * i1 + b2 * b2 * i2)
    const p = inertia > LEAST_STICKING ? (change + b1 * i1 * x + b2 * i2 * y) / inertia : 0
    const qx = -i1 * (x + b1 * p)
    const qy = -i2 * (y + b2 * p)
    const q = Math.sqrt(qx * qx + qy * qy)
    now[P] = p
    now[QX] = qx
    now[QY] = qy
    if (p > 0 && q <= surface[STATIC] * p) return

    // Friction opposes the slip; or is along the sticking impulse if there is no slip, or if friction against the slip would nearly lock
    // the bodies, with an unbounded impulse.
    const speed = Math.sqrt(x * x + y * y)
    const slides = speed > NO_SLIP
    direction[0] = slides ? -x / speed : 0
    direction[1] = slides ? -y / speed : 0
    let rate = 1 + mu * (b1 * direction[0] + b2 * direction[1])
    if ((!slides || rate < LEAST_RATE) && p > 0 && q > 0) {
      direction[0] = qx / q
      direction[1] = qy / q
      rate = 1 + mu * (b1 * direction[0] + b2 * direction[1])
    }
    if (rate < LEAST_RATE) {
      direction[0] = 0
      direction[1] = 0
      rate = 1
    }
    now[P] = change / rate
    now[QX] = mu * now[P] * direction[0]
    now[QY] = mu * now[P] * direction[1]
  }

  /** Integrates compression and restitution, by Stronge's hypothesis or Poisson's. */
  private process(energetic: boolean): boolean {
    const { surface, slip, now, compressed, direction, stretch, tolerance, level } = this
    const { problem } = slip
    const a1 = problem[A1]
    const a2 = problem[A2]
    const b1 = problem[B1]
    const b2 = problem[B2]
    const mu = problem[MU]
    const e = surface[RESTITUTION]
    let phase = COMPRESSION
    let stopped = false
    compressed[0] = 0
    compressed[1] = 0

    for (let count = 0; count < STEP_LIMIT; count++) {
      addWork(SLIP_STEP, 1, 1)
      const un = -1 + now[P] + b1 * now[QX] + b2 * now[QY]
      const x = problem[X0] + b1 * now[P] + a1 * now[QX]
      const y = problem[Y0] + b2 * now[P] + a2 * now[QY]
      const speed = Math.sqrt(x * x + y * y)
      if (phase === RESTITUTION_PHASE && un < -TOLERANCE) phase = COMPRESSION

      if (stopped || speed <= NO_SLIP) {
        this.leaveRest()
        this.finish(phase, energetic)
        return true
      }
      let sx = x / speed
      let sy = y / speed
      // rate of rotation of the slip per normal impulse, times speed; and its derivative by the slip's direction
      const turning = b2 * sx - b1 * sy + mu * (a1 - a2) * sx * sy
      const stiffness = mu * (a1 - a2) * (sx * sx - sy * sy) - b1 * sx - b2 * sy
      const angle = stiffness < 0 ? -turning / stiffness : 0
      // whether the slip has converged to an attracting direction
      const isDrawn = stiffness < 0 && Math.abs(angle) < 0.01 && Math.abs(angle) * speed <= DRAWN
      if (isDrawn) {
        const along = 1 / Math.sqrt(1 + angle * angle)
        const old = sx
        sx = along * (sx - angle * sy)
        sy = along * (sy + angle * old)
      }
      // rates of the slip speed and of the normal velocity, per normal impulse
      const growth = b1 * sx + b2 * sy - mu * (a1 * sx * sx + a2 * sy * sy)
      const rate = 1 - mu * (b1 * sx + b2 * sy)
      const untilRest = growth < 0 ? -speed / growth : Infinity

      if (isDrawn || Math.abs(turning) <= STRAIGHT * (Math.abs(b1) + Math.abs(b2) + mu * a1)) {
        direction[0] = -mu * sx
        direction[1] = -mu * sy
        stretch[UN] = un
        stretch[RATE] = rate
        this.measureStretch(phase, energetic)
        if (stretch[LENGTH] === Infinity && untilRest === Infinity) return true
        stopped = untilRest <= stretch[LENGTH]
        if (stopped) stretch[LENGTH] = untilRest
        this.goStraight()
        if (stopped) continue
      } else {
        slip.expand(now, tolerance)
        slip.go()
        this.steps++
        const { end } = slip
        if (phase === COMPRESSION) {
          if (-1 + end[P] + b1 * end[QX] + b2 * end[QY] < 0) {
            now.set(end)
            continue
          }
          slip.stopAtRest()
        } else if (energetic) {
          level[0] = (1 - e * e) * compressed[1]
          if (end[WORK] < level[0]) {
            now.set(end)
            continue
          }
          slip.stopAtWork(level)
        } else {
          level[0] = (1 + e) * compressed[0]
          if (end[P] < level[0]) {
            now.set(end)
            continue
          }
          slip.stopAtImpulse(level)
        }
        slip.go()
        now.set(end)
      }

      // end of compression or of restitution
      if (phase === COMPRESSION) {
        phase = RESTITUTION_PHASE
        compressed[0] = now[P]
        compressed[1] = Math.min(now[WORK], compressed[1])
        if (e === 0) return true
      } else if (-1 + now[P] + b1 * now[QX] + b2 * now[QY] >= -TOLERANCE) return true
    }
    // step limit reached: no further friction, which adds no energy
    direction[0] = 0
    direction[1] = 0
    this.finish(phase, energetic)
    return false
  }

  /** Sets the stretch's length: normal impulse to the end of the phase, infinite if not reached. */
  private measureStretch(phase: number, energetic: boolean): void {
    const { now, compressed, surface, stretch } = this
    const e = surface[RESTITUTION]
    const un = stretch[UN]
    const rate = stretch[RATE]
    stretch[LENGTH] = Infinity
    if (phase === COMPRESSION) {
      if (un >= 0) stretch[LENGTH] = 0
      else if (rate > NO_INERTIA) stretch[LENGTH] = -un / rate
    } else if (energetic) {
      // un dp + rate dp² / 2 = work still to be recovered
      const missing = (1 - e * e) * compressed[1] - now[WORK]
      const rest = missing > 0 ? missing : 0
      const root = un * un + 2 * rate * rest
      if (root < 0) return
      const sum = un + Math.sqrt(root)
      stretch[LENGTH] = sum > 0 ? (2 * rest) / sum : 0
    } else {
      const missing = (1 + e) * compressed[0] - now[P]
      stretch[LENGTH] = missing > 0 ? missing : 0
    }
  }

  /** Advances to the end of the stretch with the friction per normal impulse in `direction`. */
  private goStraight(): void {
    const { now, direction, stretch } = this
    const dp = stretch[LENGTH]
    now[P] += dp
    now[QX] += direction[0] * dp
    now[QY] += direction[1] * dp
    now[WORK] += dp * (stretch[UN] + 0.5 * stretch[RATE] * dp)
  }

  /** Sets friction per normal impulse once slip has stopped: sticking, or sliding along the one direction in which slip grows. */
  private leaveRest(): void {
    const { slip, surface, direction } = this
    const { problem } = slip
    const a1 = problem[A1]
    const a2 = problem[A2]
    const b1 = problem[B1]
    const b2 = problem[B2]
    const mu = problem[MU]
    const fx = a1 > 0 ? -b1 / a1 : 0
    const fy = a2 > 0 ? -b2 / a2 : 0
    direction[0] = fx
    direction[1] = fy
    if (fx * fx + fy * fy <= surface[STATIC] * surface[STATIC]) return
    if (mu === 0) {
      direction[0] = 0
      direction[1] = 0
      return
    }
    // (mu K_tt + g) s = K_tn with |s| = 1: |s| falls with g, so one g > 0 exists; Newton's steps from below stay below it
    let g = 0
    let sx = 0
    let sy = 0
    for (let k = 0; k < 100; k++) {
      const d1 = mu * a1 + g
      const d2 = mu * a2 + g
      sx = d1 > 0 ? b1 / d1 : 0
      sy = d2 > 0 ? b2 / d2 : 0
      const length = Math.sqrt(sx * sx + sy * sy)
      if (!(length > 1 + 1e-15)) break
      // on 1 / |s|, which is concave
      const slope = (d1 > 0 ? (sx * sx) / d1 : 0) + (d2 > 0 ? (sy * sy) / d2 : 0)
      g += (length * length * (length - 1)) / slope
    }
    const length = Math.sqrt(sx * sx + sy * sy)
    direction[0] = (-mu * sx) / length
    direction[1] = (-mu * sy) / length
  }

  /** Advances to the end of the impact with constant friction per normal impulse in `direction`. */
  private finish(phase: number, energetic: boolean): void {
    const { slip, now, direction, compressed, stretch } = this
    const { problem } = slip
    stretch[UN] = -1 + now[P] + problem[B1] * now[QX] + problem[B2] * now[QY]
    stretch[RATE] = 1 + problem[B1] * direction[0] + problem[B2] * direction[1]
    // locked by friction: no normal impulse changes the normal velocity
    if (stretch[RATE] <= NO_INERTIA) return
    if (phase === COMPRESSION) {
      this.measureStretch(COMPRESSION, energetic)
      this.goStraight()
      stretch[UN] = Math.max(stretch[UN], 0)
      compressed[0] = now[P]
      compressed[1] = Math.min(now[WORK], compressed[1])
    }
    this.measureStretch(RESTITUTION_PHASE, energetic)
    this.goStraight()
  }
}

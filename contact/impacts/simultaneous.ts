import { ContactNewton, DenseProblem, LemkeSolver, type NewtonProblem, PyramidSolver, pyramidSides } from '../solvers/index.ts'

/** Of the energy before: a gain that is rounding. */
const ROUNDING = 1e-12
/** Largest residuals of an answer of Newton's method, the second where the first is not met: what it leaves is not to count as energy. */
const tolerance = Float64Array.of(2e-14, 1e-12)
/** The same where contacts are many, as for their forces; and of an answer that is used there for want of a better one. */
const MANY_GROUPS = 40
const toleranceOfMany = Float64Array.of(1e-9, 1e-6)
const POOR_OF_MANY = 1e-2
/** Sides of the pyramid where Newton's method has no answer, and most rows that it is written out for. */
const SIDES = 16
const MOST_DENSE_ROWS = 300

/**
 * All impacts of one moment at once: impulses p with u⁺ = W p + u⁻ and, per contact,
 *
 *   0 <= p_n ⟂ u_n⁺ - least >= 0,   least = -e u_n⁻ for what impacts, at most 0 for what touches or is near
 *
 * and friction in the cone against the slip at the end of the impact. Without friction this is Newton's rule as a complementarity
 * problem: Baraff, Analytical methods for dynamic simulation of non-penetrating rigid bodies, SIGGRAPH 1989, section 8; with friction, the
 * global law of Schmidl and Milenkovic, A fast impulsive contact suite for rigid body simulation, IEEE TVCG 10 (2004), solved as one problem.
 *
 * Newton's rule with friction may gain energy (Kane and Levinson 1985). So where p would, it is p0 + s (p - p0): p0 without any
 * restitution, which never gains, and s the largest share that gains nothing. The rebound is then s e of the approach; signs and cones
 * hold, for they are convex.
 *
 * Knows numbers only.
 */
export class SimultaneousImpulses {
  /** Steps and pivots of the last call. */
  iterations = 0
  /** Whether the last call used another solver than Newton's method, or a poor answer. */
  isFallback = false
  /** 1: share of restitution that the last call kept. */
  readonly share = new Float64Array(1)
  private readonly newton = new ContactNewton('cone', SIDES)
  private readonly pivoting = new PyramidSolver(new LemkeSolver(), pyramidSides(SIDES))
  private readonly dense = new DenseProblem()
  private without = new Float64Array(0)
  private change = new Float64Array(0)
  private response = new Float64Array(0)
  private w = new Float64Array(0)
  /** 3: energy that impulses add, linear and square in them. */
  private readonly gain = new Float64Array(3)

  /**
   * @param problem   its `right` is written
   * @param u         rowCount: velocities before
   * @param least     groupCount: what each normal velocity is to be at least
   * @param inelastic groupCount: the same without restitution, at most 0
   * @param p         out: rowCount
   * @returns whether impulses were found; if not, p is zero
   */
  solve(problem: NewtonProblem, u: Float64Array, least: Float64Array, inelastic: Float64Array, p: Float64Array): boolean {
    const { groupCount: groups, rowCount: rows } = problem
    if (rows > this.without.length) {
      this.without = new Float64Array(2 * rows)
      this.change = new Float64Array(2 * rows)
      this.response = new Float64Array(2 * rows)
      this.w = new Float64Array(2 * rows)
    }
    this.iterations = 0
    this.share[0] = 1
    this.isFallback = false
    if (!this.attempt(problem, u, least, p)) {
      p.fill(0, 0, rows)
      return false
    }
    let bounces = false
    for (let g = 0; g < groups; g++) if (least[g] !== inelastic[g]) bounces = true
    if (bounces && this.energyGained(problem, u, p)) this.limitEnergy(problem, u, inelastic, p)
    return true
  }

  private attempt(problem: NewtonProblem, u: Float64Array, least: Float64Array, p: Float64Array): boolean {
    const { newton, pivoting, dense, w } = this
    const { groupCount: groups, rowCount: rows, first, right } = problem
    for (let r = 0; r < rows; r++) right[r] = u[r]
    for (let g = 0; g < groups; g++) right[first[g]] -= least[g]
    w.fill(Number.NaN, 0, rows)
    const found = newton.solve(problem, w, p, groups > MANY_GROUPS ? toleranceOfMany : tolerance)
    this.iterations += newton.iterations
    if (found) return true
    this.isFallback = true
    if (groups > MANY_GROUPS && newton.residual[0] <= POOR_OF_MANY) return true
    if (rows > MOST_DENSE_ROWS) return false
    dense.take(problem)
    p.fill(0, 0, rows)
    const pivoted = pivoting.solve(dense, p) === 'solved'
    this.iterations += pivoting.iterations
    dense.turn(p, -1)
    return pivoted
  }

  /** gain := [p·u + p·W p / 2, p·u, p·W p]; whether the first is more than rounding. */
  private energyGained(problem: NewtonProblem, u: Float64Array, p: Float64Array): boolean {
    const { gain, response } = this
    this.respond(problem, p)
    gain[1] = 0
    gain[2] = 0
    for (let r = 0; r < problem.rowCount; r++) {
      gain[1] += p[r] * u[r]
      gain[2] += p[r] * response[r]
    }
    gain[0] = gain[1] + 0.5 * gain[2]
    return gain[0] > ROUNDING * gain[2]
  }

  /** response := W p. */
  private respond(problem: NewtonProblem, p: Float64Array): void {
    const { response } = this
    problem.respond(p, response)
    for (let r = 0; r < problem.rowCount; r++) response[r] += problem.soft[r] * p[r]
  }

  /** p := the part of it on the way from what has no restitution that gains no energy. */
  private limitEnergy(problem: NewtonProblem, u: Float64Array, inelastic: Float64Array, p: Float64Array): void {
    const { without, change, response, gain, share } = this
    const { rowCount: rows } = problem
    if (!this.attempt(problem, u, inelastic, without)) without.fill(0, 0, rows)
    this.energyGained(problem, u, without)
    const constant = Math.min(gain[0], 0)
    // E(s) = constant + linear s + square s² / 2 along p0 + s (p - p0)
    let linear = 0
    let square = 0
    for (let r = 0; r < rows; r++) {
      change[r] = p[r] - without[r]
      linear += change[r] * (u[r] + response[r])
    }
    this.respond(problem, change)
    for (let r = 0; r < rows; r++) square += change[r] * response[r]
    const root = Math.sqrt(Math.max(linear * linear - 2 * square * constant, 0))
    const s = linear > 0 ? (-2 * constant) / (linear + root) : square > 0 ? (root - linear) / square : 1
    share[0] = Math.min(Math.max(s, 0), 1)
    for (let r = 0; r < rows; r++) p[r] = without[r] + share[0] * change[r]
  }
}

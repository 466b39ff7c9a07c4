import { type ContactProblem, LemkeSolver, NewtonSolver, PyramidSolver, pyramidSides } from '../solvers/index.ts'

/** Of the energy before: a gain that is rounding. */
const ROUNDING = 1e-12
/** Largest residual of an answer of Newton's method: what it leaves is not to count as energy. */
const TOLERANCE = 1e-12

/**
 * All impacts of one moment at once: impulses p with u⁺ = W p + u⁻ and, per contact,
 *
 *   0 <= p_n ⟂ u_n⁺ - least >= 0,   least = -e u_n⁻ for what impacts, at most 0 for what touches or is near
 *
 * and friction in a pyramid against the slip at the end of the impact. Without friction this is Newton's rule as a complementarity
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
  /** Pivots and passes of the last call. */
  iterations = 0
  /** 1: share of restitution that the last call kept. */
  readonly share = new Float64Array(1)
  private readonly newton: NewtonSolver
  private readonly pivoting: PyramidSolver
  private readonly noModes = new Int8Array(0)
  private without = new Float64Array(0)
  /** 3: energy that impulses add, linear and square in them. */
  private readonly gain = new Float64Array(3)

  constructor(sides: number) {
    this.newton = new NewtonSolver('pyramid', sides, TOLERANCE)
    this.pivoting = new PyramidSolver(new LemkeSolver(), pyramidSides(sides))
  }

  /**
   * @param problem   its `right` is written
   * @param u         rowCount: velocities before
   * @param least     groupCount: what each normal velocity is to be at least
   * @param inelastic groupCount: the same without restitution, at most 0
   * @param p         out: rowCount
   * @returns whether impulses were found; if not, p is zero
   */
  solve(problem: ContactProblem, u: Float64Array, least: Float64Array, inelastic: Float64Array, p: Float64Array): boolean {
    const { groupCount: groups, rowCount: rows } = problem
    if (rows > this.without.length) this.without = new Float64Array(2 * rows)
    this.iterations = 0
    this.share[0] = 1
    if (!this.attempt(problem, u, least, p)) {
      p.fill(0, 0, rows)
      return false
    }
    let bounces = false
    for (let g = 0; g < groups; g++) if (least[g] !== inelastic[g]) bounces = true
    if (bounces && this.energyGained(problem, u, p)) this.limitEnergy(problem, u, inelastic, p)
    return true
  }

  private attempt(problem: ContactProblem, u: Float64Array, least: Float64Array, p: Float64Array): boolean {
    const { newton, pivoting, noModes } = this
    const { groupCount: groups, rowCount: rows, first, right } = problem
    for (let r = 0; r < rows; r++) right[r] = u[r]
    for (let g = 0; g < groups; g++) right[first[g]] -= least[g]
    p.fill(0, 0, rows)
    const found = newton.solve(problem, p, noModes) === 'solved'
    this.iterations += newton.iterations
    if (found) return true
    p.fill(0, 0, rows)
    const pivoted = pivoting.solve(problem, p) === 'solved'
    this.iterations += pivoting.iterations
    return pivoted
  }

  /** gain := [p·u + p·W p / 2, p·u, p·W p]; whether the first is more than rounding. */
  private energyGained({ rowCount: rows, W }: ContactProblem, u: Float64Array, p: Float64Array): boolean {
    const { gain } = this
    gain[1] = 0
    gain[2] = 0
    for (let r = 0; r < rows; r++) {
      if (p[r] === 0) continue
      gain[1] += p[r] * u[r]
      for (let s = 0; s < rows; s++) gain[2] += p[r] * W[r * rows + s] * p[s]
    }
    gain[0] = gain[1] + 0.5 * gain[2]
    return gain[0] > ROUNDING * gain[2]
  }

  /** p := the part of it on the way from what has no restitution that gains no energy. */
  private limitEnergy(problem: ContactProblem, u: Float64Array, inelastic: Float64Array, p: Float64Array): void {
    const { without, gain, share } = this
    const { rowCount: rows, W } = problem
    if (!this.attempt(problem, u, inelastic, without)) without.fill(0, 0, rows)
    this.energyGained(problem, u, without)
    const constant = Math.min(gain[0], 0)
    // E(s) = constant + linear s + square s² / 2 along p0 + s (p - p0)
    let linear = 0
    let square = 0
    for (let r = 0; r < rows; r++) {
      const change = p[r] - without[r]
      let w = u[r]
      let turn = 0
      for (let s = 0; s < rows; s++) {
        w += W[r * rows + s] * without[s]
        turn += W[r * rows + s] * (p[s] - without[s])
      }
      linear += change * w
      square += change * turn
    }
    const root = Math.sqrt(Math.max(linear * linear - 2 * square * constant, 0))
    const s = linear > 0 ? (-2 * constant) / (linear + root) : square > 0 ? (root - linear) / square : 1
    share[0] = Math.min(Math.max(s, 0), 1)
    for (let r = 0; r < rows; r++) p[r] = without[r] + share[0] * (p[r] - without[r])
  }
}

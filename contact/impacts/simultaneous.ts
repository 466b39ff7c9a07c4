import {
  ContactNewton,
  DenseProblem,
  GroupKind,
  LemkeSolver,
  type NewtonProblem,
  PyramidSolver,
  pyramidSides,
} from '../solvers/index.ts'

/** Energy gains, relative to the energy exchanged, that are rounding. */
const ROUNDING = 1e-12
/** Largest residuals of a solution of Newton's method, preferred and acceptable: too small to appear as energy. */
const tolerance = Float64Array.of(2e-14, 1e-12)
/** Number of contacts above which the tolerances of forces apply; and the residual accepted there for lack of a better solution. */
const MANY_GROUPS = 40
const toleranceOfMany = Float64Array.of(1e-9, 1e-6)
const POOR_OF_MANY = 1e-2
/** Sides of the friction pyramid after a failure of Newton's method, and most rows of that problem. */
const SIDES = 16
const MOST_DENSE_ROWS = 300

/** Hypotheses of restitution of simultaneous impacts. */
export type SimultaneousHypothesis = 'poisson' | 'newton'

/**
 * Simultaneous impacts: impulses p with u⁺ = W p + u⁻, friction in the cone and opposed to the slip at the end of the impact, and @unchecked
 *
 *   newton    0 <= p_n ⟂ u_n⁺ - least >= 0,  least = -e u_n⁻ for impacts, at most 0 for resting and near contacts. Without friction:
 *             Baraff, Analytical methods for dynamic simulation of non-penetrating rigid bodies, SIGGRAPH 1989, section 8; with it: Schmidl
 *             and Milenkovic, A fast impulsive contact suite for rigid body simulation, IEEE TVCG 10 (2004)
 *   poisson   compression c: as newton with e = 0. Then 0 <= p_n - (1 + e) c_n ⟂ u_n⁺ - least >= 0, least at most 0: restitution gives
 *             at least e times the impulse of compression. Glocker and Pfeiffer, Multiple impacts with friction in rigid multibody
 *             systems, Nonlinear Dynamics 7 (1995); Anitescu and Potra, Nonlinear Dynamics 14 (1997); both with separate friction in
 *             each phase, here with friction bounded by the whole impulse
 *
 * Either may gain energy with friction (Kane and Levinson 1985), and Poisson's if e differs between contacts. Then p is replaced by p0 + s
 * (p - p0): p0 without restitution, which never gains energy, and s the largest fraction without a gain. Restitution is then s e; signs and
 * cones still hold, since they are convex.
 *
 * Purely numeric, without bodies or contacts.
 */
export class SimultaneousImpulses {
  /** Newton steps and pivots of the last call. */
  iterations = 0
  /** Whether the last call used another solver than Newton's method, or a poor solution. */
  isFallback = false
  /** 1: fraction of restitution kept by the last call. */
  readonly share = new Float64Array(1)
  private readonly hypothesis: SimultaneousHypothesis
  private readonly newton = new ContactNewton('cone', SIDES)
  private readonly pivoting = new PyramidSolver(new LemkeSolver(), pyramidSides(SIDES))
  private readonly dense = new DenseProblem()
  private without = new Float64Array(0)
  private change = new Float64Array(0)
  private response = new Float64Array(0)
  private w = new Float64Array(0)
  private least = new Float64Array(0)
  /** 3: energy added by the impulses, and its linear and quadratic terms. */
  private readonly gain = new Float64Array(3)

  constructor(hypothesis: SimultaneousHypothesis) {
    this.hypothesis = hypothesis
  }

  /**
   * @param problem     its `rhs` is written; under `poisson` its kinds, limits and corners too
   * @param u           rowCount: velocities before
   * @param restitution groupCount: coefficient of impacting contacts, else 0
   * @param inelastic   groupCount: least normal velocities without restitution, at most 0
   * @param p           out: rowCount
   * @returns whether impulses were found; if not, p is zero
   */
  solve(problem: NewtonProblem, u: Float64Array, restitution: Float64Array, inelastic: Float64Array, p: Float64Array): boolean {
    const { groupCount: groups, rowCount: rows } = problem
    this.reserve(rows)
    this.share[0] = 1
    let bounces = false
    for (let g = 0; g < groups; g++) if (restitution[g] > 0) bounces = true
    if (!this.solveInelastic(problem, u, inelastic, p)) return false
    if (!bounces) return true
    for (let r = 0; r < rows; r++) this.without[r] = p[r]
    const found =
      this.hypothesis === 'newton'
        ? this.rebound(problem, u, restitution, inelastic, p)
        : this.restore(problem, u, restitution, inelastic, p)
    if (!found) this.prolong(problem, restitution, p)
    if (this.energyGained(problem, u, p)) this.limitEnergy(problem, u, p)
    return true
  }

  /** Solves without restitution; `inelastic`, the least normal velocities, may be above 0. */
  solveInelastic(problem: NewtonProblem, u: Float64Array, inelastic: Float64Array, p: Float64Array): boolean {
    this.reserve(problem.rowCount)
    this.iterations = 0
    this.isFallback = false
    if (this.attempt(problem, u, inelastic, p)) return true
    p.fill(0, 0, problem.rowCount)
    return false
  }

  /** Newton's hypothesis. */
  private rebound(
    problem: NewtonProblem,
    u: Float64Array,
    restitution: Float64Array,
    inelastic: Float64Array,
    p: Float64Array,
  ): boolean {
    const { least } = this
    const { groupCount: groups, first } = problem
    for (let g = 0; g < groups; g++) {
      const rebound = -restitution[g] * u[first[g]]
      least[g] = restitution[g] > 0 && rebound > inelastic[g] ? rebound : inelastic[g]
    }
    return this.attempt(problem, u, least, p)
  }

  /** Restitution by Poisson's hypothesis. @param p in: impulses of compression; out: of the whole impact */
  private restore(
    problem: NewtonProblem,
    u: Float64Array,
    restitution: Float64Array,
    inelastic: Float64Array,
    p: Float64Array,
  ): boolean {
    const { groupCount: groups, first, kind, limit, corner } = problem
    for (let g = 0; g < groups; g++) {
      if (kind[g] !== GroupKind.frictional && kind[g] !== GroupKind.unilateral) continue
      if (kind[g] === GroupKind.unilateral) limit[g] = 0
      kind[g] = GroupKind.pressed
      corner[2 * g] = (1 + restitution[g]) * p[first[g]]
      corner[2 * g + 1] = 0
    }
    this.setRhs(problem, u, inelastic)
    return this.askNewton(problem, p)
  }

  /**
   * Fallback: p := (1 + e) times the impulses of compression, with their friction. With one e for all contacts this gains no energy: p0·u
   * is at most 0 after compression, and the gain along p0 is largest at twice its length, where it is 2 p0·(u + W p0).
   */
  private prolong({ groupCount, first }: NewtonProblem, restitution: Float64Array, p: Float64Array): void {
    this.isFallback = true
    for (let g = 0; g < groupCount; g++) {
      for (let r = first[g]; r < first[g + 1]; r++) p[r] = (1 + restitution[g]) * this.without[r]
    }
  }

  private setRhs({ rowCount, groupCount, first, rhs }: NewtonProblem, u: Float64Array, least: Float64Array): void {
    for (let r = 0; r < rowCount; r++) rhs[r] = u[r]
    for (let g = 0; g < groupCount; g++) rhs[first[g]] -= least[g]
  }

  private askNewton(problem: NewtonProblem, p: Float64Array): boolean {
    const { newton, w } = this
    const isMany = problem.groupCount > MANY_GROUPS
    w.fill(Number.NaN, 0, problem.rowCount)
    const found = newton.solve(problem, w, p, isMany ? toleranceOfMany : tolerance)
    this.iterations += newton.iterations
    if (found) return true
    this.isFallback = true
    return isMany && newton.residual[0] <= POOR_OF_MANY
  }

  private attempt(problem: NewtonProblem, u: Float64Array, least: Float64Array, p: Float64Array): boolean {
    const { pivoting, dense } = this
    this.setRhs(problem, u, least)
    if (this.askNewton(problem, p)) return true
    if (problem.rowCount > MOST_DENSE_ROWS) return false
    dense.take(problem)
    p.fill(0, 0, problem.rowCount)
    const pivoted = pivoting.solve(dense, p) === 'solved'
    this.iterations += pivoting.iterations
    dense.turn(p, -1)
    return pivoted
  }

  /** gain := [p·u + p·W p / 2, p·u, p·W p]. @returns whether the first is more than rounding */
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

  /** p := p0 + s (p - p0) with the largest s that gains no energy, p0 being the impulse without restitution. */
  private limitEnergy(problem: NewtonProblem, u: Float64Array, p: Float64Array): void {
    const { without, change, response, gain, share } = this
    const { rowCount: rows } = problem
    // an inaccurate p0 may itself gain energy, and is then scaled down
    if (this.energyGained(problem, u, without)) {
      const part = Math.min(Math.max((-2 * gain[1]) / gain[2], 0), 1)
      for (let r = 0; r < rows; r++) without[r] *= part
      this.energyGained(problem, u, without)
    }
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

  private reserve(rows: number): void {
    if (rows <= this.without.length) return
    this.without = new Float64Array(2 * rows)
    this.change = new Float64Array(2 * rows)
    this.response = new Float64Array(2 * rows)
    this.w = new Float64Array(2 * rows)
    this.least = new Float64Array(2 * rows)
  }
}

import { workOn } from '../../dynamics/index.ts'
import type { ContactStep } from '../contactModel.ts'
import { ContactNewton, DenseMaps, DenseProblem, GroupKind, UNKNOWN_MODE } from '../solvers/index.ts'
import type { FrictionMethod, ImpulseOptions } from './impulseLaw.ts'
import type { ImpulseProblem } from './impulseProblem.ts'
import { sources } from './rowSource.ts'

/**
 * Largest relative residual of an accepted solution, as a fraction of the compliance, and its bounds. Compliance settles indeterminate
 * loads, and is small beside the rest of W: at a residual of 1e-8 a cart on wheels between two casters loaded its wheels 60 % more than its
 * springs would.
 */
const TOLERANCE_OF_COMPLIANCE = 2e-7
const LEAST_TOLERANCE = 2e-14
const LARGEST_TOLERANCE = 1e-12
/** Residual still accepted if Newton's method does not reach that tolerance. */
const LOOSE = 1e-9
/** Islands of more contacts have their own tolerance: digits cost most and matter least there. Beyond LOOSE they are counted. */
export const MANY_CONTACTS = 40
const TOLERANCE_OF_MANY = 1e-9
const LOOSE_OF_MANY = 1e-6
const tolerancesOfMany = Float64Array.of(TOLERANCE_OF_MANY, LOOSE_OF_MANY)
const tolerancesOfProjection = Float64Array.of(1e-8, 1e-6)
/** Residual accepted in such an island as a fallback. */
const POOR_OF_MANY = 1e-2
/** First in `SolverEvents.solvers`: Newton's method, then its solutions beyond LOOSE. Solvers of a `FrictionMethod` follow. */
export const newtonNames = ['newton', 'newton-loose'] as const
const NEWTON = 0
const NEWTON_LOOSE = 1
/** Most rows for which other solvers are tried: beyond, they would take minutes. */
const MOST_DENSE_ROWS = 300
/**
 * Largest velocity that compliance absorbs in a row unless rows contradict each other [m/s]; in an impact it is 1e-5 of the speed. And its
 * ratio to the compliance, for large compliances.
 */
const LARGEST_YIELD = 1e-3
const YIELD_OF_COMPLIANCE = 100
/** Gap above which a penetration alone triggers no projection [m]. */
const LEFT_ALONE = -1e-9
/** Solves of a step after which the bounds of torsional and rolling moments stay fixed. */
const BOUND_LIMIT = 12

/** Solves the rows of an island: by Newton's method, other solvers, or a problem without position correction or friction. */
export class IslandSolver {
  /** `ContactNewton.orientation` of the last solution; 1 from other solvers. */
  orientation = 1
  private readonly name: string
  private readonly options: ImpulseOptions
  readonly method: FrictionMethod
  readonly newton: ContactNewton
  private readonly dense = new DenseProblem()
  private readonly maps = new DenseMaps()
  /** 2: see `ContactNewton.solve`. */
  private readonly tolerances: Float64Array
  // per group, and per row
  private denseMode = new Int8Array(0)
  private u = new Float64Array(0)

  constructor(name: string, method: FrictionMethod, options: ImpulseOptions) {
    this.name = name
    this.options = options
    this.method = method
    this.newton = new ContactNewton(method.friction, method.sides ?? 4)
    const tolerance = Math.max(TOLERANCE_OF_COMPLIANCE * options.compliance, LEAST_TOLERANCE)
    this.tolerances = Float64Array.of(Math.min(tolerance, LARGEST_TOLERANCE), LOOSE)
  }

  /**
   * Solves for p and w. Fallbacks, which are counted: without position correction if penetrations contradict each other; without friction
   * if all solvers fail. @returns false, counted as a failure, if these have no solution either
   */
  solve(problem: ImpulseProblem, step: ContactStep): boolean {
    const { events } = step
    const { system } = problem
    let solved = this.solveBounded(problem, step)
    if (solved && this.contradicts(problem)) {
      // contradicting corrections, as of a body squeezed between two walls: none in this step
      events.fallbacks++
      problem.setTargets(step, 0)
      solved = this.solveBounded(problem, step)
    }
    if (solved) return true
    for (let g = 0; g < system.contactCount; g++) system.limit[g] = 0
    system.w.fill(Number.NaN, 0, system.rowCount)
    solved = this.solveBounded(problem, step)
    if (solved) {
      events.fallbacks++
      return true
    }
    events.failures++
    if (events.firstFailure === '') {
      events.firstFailure =
        `${this.name}: no answer for ${system.rowCount} rows at t = ${Number(step.state.t[0].toPrecision(9))} s: Newton's method ended at a residual of ` +
        `${this.newton.residual[0]}, without friction too; the step was taken without contact impulses`
    }
    return false
  }

  /** Solves under the model's `RowConditions`, again while the bounds of torsional and rolling moments change. */
  private solveBounded(problem: ImpulseProblem, step: ContactStep): boolean {
    const { conditions } = this.options
    const { system, torsionRolling } = problem
    for (let n = 1; ; n++) {
      if (!(conditions === undefined ? this.solveRows(problem, step) : conditions.solve(problem, step))) return false
      const isBounded = system.start[sources.torsionRolling] < system.groupCount
      if (!isBounded || !torsionRolling.updateBounds(system)) return true
      if (n < BOUND_LIMIT) continue
      step.events.fallbacks++
      return true
    }
  }

  /** Solves with the initial solver of `method`, if any, then Newton's method, then the other solvers. */
  solveRows(problem: ImpulseProblem, step: ContactStep): boolean {
    const { solvers, initialSolver } = this.method
    if (initialSolver >= 0 && this.solveDense(initialSolver, problem, step)) return true
    if (this.solveNewton(problem, step, NEWTON)) return true
    for (let n = 0; n < solvers.length; n++) {
      if (n === initialSolver || !this.solveDense(n, problem, step)) continue
      step.events.fallbacks++
      return true
    }
    return false
  }

  /** Newton's method; its outcome is counted under solver `as`. */
  solveNewton(problem: ImpulseProblem, step: ContactStep, as: number): boolean {
    const { events } = step
    const { newton } = this
    const { system } = problem
    const isMany = system.contactCount > MANY_CONTACTS
    workOn(newtonNames[NEWTON], system.contactCount, system.rowCount)
    const tolerances = isMany ? tolerancesOfMany : this.tolerances
    const isWritten = this.method.matrix !== undefined
    const solved = isWritten ? this.solveWritten(problem, step, tolerances) : newton.solve(system, system.w, system.p, tolerances)
    events.iterations += newton.iterations
    this.orientation = newton.orientation
    if (!solved) events.solvers[as].failed++
    else if (as !== NEWTON || newton.residual[0] <= LOOSE) events.solvers[as].solved++
    else events.solvers[NEWTON_LOOSE].solved++
    if (!solved && !(isMany && newton.residual[0] <= POOR_OF_MANY)) return false
    if (!solved) events.fallbacks++
    if (newton.residual[0] > events.residualMax) events.residualMax = newton.residual[0]
    return true
  }

  /** Newton's method on the assembled W. */
  private solveWritten(problem: ImpulseProblem, step: ContactStep, tolerances: Float64Array): boolean {
    const { dense, maps, newton } = this
    const { p, w } = problem.system
    this.assemble(problem, step)
    maps.take(dense, problem.system)
    dense.turn(w, 1)
    const solved = newton.solve(maps, w, p, tolerances)
    dense.turn(w, -1)
    dense.turn(p, -1)
    return solved
  }

  private assemble(problem: ImpulseProblem, step: ContactStep): void {
    const { dense, method } = this
    if (method.matrix === undefined) dense.take(problem.system)
    else {
      dense.open(problem.system)
      method.matrix.write(problem, step, dense.W)
      dense.close(problem.system)
    }
  }

  /** Solver n, on the assembled W. */
  private solveDense(n: number, problem: ImpulseProblem, step: ContactStep): boolean {
    const { events } = step
    const { dense, method } = this
    const { system } = problem
    const { rowCount, groupCount, first, scale, rhs, soft, p, w } = system
    if (rowCount > (method.mostRows ?? MOST_DENSE_ROWS)) return false
    const solver = method.solvers[n]
    workOn(solver.name, system.contactCount, rowCount)
    this.assemble(problem, step)
    if (groupCount > this.denseMode.length) this.denseMode = new Int8Array(2 * groupCount)
    p.fill(0, 0, rowCount)
    this.denseMode.fill(UNKNOWN_MODE, 0, groupCount)
    const status = solver.solve(dense, p, this.denseMode)
    events.iterations += solver.iterations
    if (status !== 'solved') {
      events.solvers[NEWTON_LOOSE + 1 + n].failed++
      return false
    }
    events.solvers[NEWTON_LOOSE + 1 + n].solved++
    this.orientation = solver.orientation ?? 1
    if (solver.residual[0] > events.residualMax) events.residualMax = solver.residual[0]
    dense.turn(p, -1)
    // w = p - u / scale
    system.respond(p, w)
    for (let g = 0; g < groupCount; g++) {
      for (let r = first[g]; r < first[g + 1]; r++) w[r] = p[r] - (w[r] + rhs[r] + soft[r] * p[r]) / scale[g]
    }
    return true
  }

  /** Whether compliance alone carries some contact or limit, so that its rows contradict each other. */
  private contradicts({ system, softness }: ImpulseProblem): boolean {
    const { compliant } = this.options
    const { contactCount, groupCount, first, kind, soft, p } = system
    if (compliant?.writeJoint !== undefined) return false
    const most = Math.max(LARGEST_YIELD, YIELD_OF_COMPLIANCE * softness[0])
    for (let g = compliant === undefined ? 0 : contactCount; g < groupCount; g++) {
      if (kind[g] > GroupKind.disc) continue
      if (soft[first[g]] * p[first[g]] > most) return true
    }
    return false
  }

  /** Scratch of one number a row, valid until the next call. */
  scratch(rows: number): Float64Array {
    if (rows > this.u.length) this.u = new Float64Array(2 * rows)
    return this.u
  }

  /**
   * Post-stabilisation: positions, but not velocities, are moved by the least motion in the metric of M that makes end-of-step gaps, to
   * first order, non-negative, and the errors of loops zero:
   *
   *   0 <= gap + h J v⁺ + J dq ⟂ lambda >= 0,  dq = M⁻¹ Jᵀ lambda,
   *
   * the step's problem once more without friction, with dq = h v, v being added to the velocity that moves positions. Cline and Pai,
   * Post-stabilization for rigid body simulation with contact and constraints, ICRA 2003.
   *
   * @param change nv: velocity change of the island by its impulses
   * @param shift  nv, out: the velocity added
   */
  project({ system }: ImpulseProblem, { dt, events }: ContactStep, change: Float64Array, shift: Float64Array): void {
    const { newton } = this
    const { rowCount, groupCount, first, kind, limit, rhs, added, distance, p, w } = system
    const u = this.scratch(rowCount)
    system.velocitiesOf(change, u)
    let isNeeded = false
    for (let g = 0; g < groupCount; g++) {
      const r = first[g]
      const end = u[r] + rhs[r] - added[r] + distance[r] / dt
      if (kind[g] === GroupKind.bilateral || (kind[g] !== GroupKind.bounded && end < LEFT_ALONE / dt)) isNeeded = true
    }
    if (!isNeeded) return
    // a row without a distance, of what springs hold, is not moved
    for (let r = 0; r < rowCount; r++) rhs[r] = Number.isNaN(distance[r]) ? 0 : u[r] + rhs[r] - added[r] + distance[r] / dt
    for (let g = 0; g < groupCount; g++) limit[g] = 0
    w.fill(Number.NaN, 0, rowCount)
    workOn('projection', system.contactCount, rowCount)
    const solved = newton.solve(system, w, p, tolerancesOfProjection)
    events.iterations += newton.iterations
    if (solved) system.addVelocity(p, shift)
    else events.fallbacks++ // // penetrations are not corrected in this step
  }
}

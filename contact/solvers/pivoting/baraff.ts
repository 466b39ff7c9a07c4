import { addWork } from '../../../dynamics/math/index.ts'
import type { SolverStatus } from '../complementarity.ts'
import { type ContactProblem, type ContactSolver, GroupKind, UNKNOWN_MODE } from '../contactProblem.ts'
import { DenseLU } from '../denseLU.ts'
import { GrowingFactor } from '../growingFactor.ts'

/** Passes with changes of modes from a guess, before the search starts from zero. */
const PASS_LIMIT = 25
/** First passes in which all contradicted groups change together; later one at a time, so that they do not oscillate. */
const TOGETHER = 15
/** Times that a group at its limit may change the direction of its friction to oppose its slip. */
const TURN_LIMIT = 6
/** Least cosine of the angle to the slip at which a direction is kept: 0.8 degrees; and at which the initial slip's is: 4 degrees. */
const STRAIGHT = 0.9999
const KEPT = 0.9976
/** Least squared cosine between a group's sticking force and its slip, for friction to oppose that slip. */
const ALONG = 0.8
/** Relative size below which an acceleration or force of the wrong sign is rounding. */
const ROUNDING = 1e-12
/** Relative tolerance of the squared limit of friction. */
const OVER = 1e-10
/** Largest relative residual of a solution's equations. */
const TOLERANCE = 1e-8

const OUT = -2
const STICK = -1
/** Dynamic friction, against the present slip. */
const SLIDE = 0
/** Static friction at its limit, in its own direction. */
const BREAK = 1
/** While the normal is driven: a normal force without friction. */
const NORMAL = 2

/**
 * Contact forces with dynamic and static friction, at the level of accelerations: w = W f + rhs, per group @unchecked
 *
 *   normal            0 <= f_n ⟂ w_n >= 0
 *   dynamic friction  f_t = -mu f_n slip, for a sliding group, along its first tangent: W's column is n - mu slip, and the active matrix is
 *                     neither symmetric nor, as a rule, a P-matrix (eqs. 15 to 17 of Baraff's survey)
 *   static friction   |f_t| <= mu f_n; w_t = 0, or |f_t| = mu f_n and f_t · w_t <= 0, that is, friction at its limit opposes at least in
 *                     part (eqs. 18 and 19)
 *
 * by the incremental pivoting of D. Baraff, Fast contact force computation for nonpenetrating rigid bodies, SIGGRAPH 1994: groups are added
 * one after another; the force of the new group is driven until its acceleration is zero, first along the normal, then along both tangents,
 * while the forces of the others keep their accelerations; whenever one of them reaches a bound (a force or an acceleration at zero,
 * friction at its limit) its mode changes and the drive continues. Tangents are driven as a vector, so that the limit is the cone and not a
 * box. If only a pulling force of the new group would reduce its acceleration, the configuration is inconsistent or nearly so (Painlevé),
 * and the status is `ray`.
 *
 * Before that a few passes start from a guess, usually the modes of the last step: solve the equations of these modes, change those that
 * the result contradicts, and repeat. A result without contradiction is a solution.
 *
 * Initial and final slip may differ: if the tangential rows of `rhs` contain slip over the step, w_t times the step is the final slip. A
 * group whose friction would act along its final slip sticks instead, and one whose slip turns by more than 4 degrees gets friction against
 * that slip: slow slip would otherwise oscillate from step to step.
 */
export class BaraffSolver implements ContactSolver {
  readonly name = 'baraff'
  readonly law = 'cone'
  /** Number of systems solved by the last call. */
  iterations = 0
  /** 1: largest residual of the equations of the last solution, relative to the terms summed. */
  readonly residual = new Float64Array(1)
  /**
   * Sign of the determinant of the last solution's system. -1 means that there are other solutions: signs add up to 1 over all solutions if
   * a large enough `rhs` has only one (f = 0).
   */
  orientation = 1

  /** Per group: 1 if sticking has exceeded its limit; its number of changes of direction; 2: direction of its friction. */
  private tried = new Uint8Array(0)
  private turns = new Uint8Array(0)
  private direction = new Float64Array(0)
  /** Per group: 1 once added by the incremental search. */
  private taken = new Uint8Array(0)
  private earlier = new Int8Array(0)
  private mode: Int8Array = new Int8Array(0)

  // the system: row and group of each unknown
  private unknowns = 0
  private symmetric = true
  private row = new Int32Array(0)
  private group = new Int32Array(0)
  /** Factors of that system: symmetric, and unsymmetric. */
  private readonly symmetricFactor = new GrowingFactor()
  private readonly lu = new DenseLU()
  private x = new Float64Array(0)
  // per row
  private w = new Float64Array(0)
  private size = new Float64Array(0)
  private df = new Float64Array(0)
  private dw = new Float64Array(0)
  /** 2: length of the present drive, 0 to 1, and distance of the tested bound; and the group of that bound. */
  private readonly reach = new Float64Array(2)
  private event = -1
  private eventMode = OUT

  /**
   * @param problem unilateral, frictional (static), sliding (dynamic) and bilateral groups
   * @param f       rowCount, in: a guess, for directions of friction; out: the solution, if `solved`
   * @param mode    groupCount, in and out: a guess, or UNKNOWN_MODE
   */
  solve(problem: ContactProblem, f: Float64Array, mode: Int8Array): SolverStatus {
    const { groupCount: groups, rowCount: rows, kind } = problem
    this.reserve(groups, rows)
    this.mode = mode
    this.iterations = 0
    this.orientation = 1
    for (let g = 0; g < groups; g++) if (kind[g] === GroupKind.bounded || kind[g] === GroupKind.disc) return 'not-applicable'
    if (this.search(problem, f, true)) return 'solved'
    const status = this.incremental(problem, f)
    if (status !== 'solved') return status
    // recomputed from the given problem, which is also the check
    return this.search(problem, f, false) ? 'solved' : 'residual'
  }

  private reserve(groups: number, rows: number): void {
    if (groups > this.tried.length) {
      this.tried = new Uint8Array(2 * groups)
      this.turns = new Uint8Array(2 * groups)
      this.taken = new Uint8Array(2 * groups)
      this.earlier = new Int8Array(2 * groups)
      this.direction = new Float64Array(4 * groups)
    }
    if (rows <= this.x.length) return
    const capacity = 2 * rows
    this.row = new Int32Array(capacity)
    this.group = new Int32Array(capacity)
    this.symmetricFactor.reserve(capacity)
    this.lu.reserve(capacity)
    this.x = new Float64Array(capacity)
    this.w = new Float64Array(capacity)
    this.size = new Float64Array(capacity)
    this.df = new Float64Array(capacity)
    this.dw = new Float64Array(capacity)
  }

  /** Passes from the present modes. */
  private search(problem: ContactProblem, f: Float64Array, isGuess: boolean): boolean {
    const { mode, tried, turns, earlier } = this
    const { groupCount: groups, first, kind, rhs } = problem
    for (let g = 0; g < groups; g++) {
      tried[g] = 0
      turns[g] = isGuess ? 0 : TURN_LIMIT
      earlier[g] = UNKNOWN_MODE
      if (kind[g] === GroupKind.bilateral) mode[g] = STICK
      else if (mode[g] === UNKNOWN_MODE) mode[g] = rhs[first[g]] < 0 ? this.entering(kind[g]) : OUT
      else if (mode[g] === SLIDE || mode[g] === NORMAL) mode[g] = this.entering(kind[g])
      else if (mode[g] === BREAK && isGuess) {
        if (f[first[g] + 1] !== 0 || f[first[g] + 2] !== 0) this.breakAway(g, first[g], f)
        else mode[g] = this.entering(kind[g])
      }
    }
    for (let pass = 1; pass <= PASS_LIMIT; pass++) {
      this.iterations++
      this.setDirections(problem)
      this.number(problem)
      for (let a = 0; a < this.unknowns; a++) this.x[a] = -rhs[this.row[a]]
      if (!this.solveSystem(problem)) return false
      this.spread(problem, f)
      this.accelerations(problem, f)
      if (this.holds(problem, f, pass > TOGETHER)) return this.residual[0] <= TOLERANCE
      if (pass > TOGETHER && this.circles(groups, pass)) return false
    }
    return false
  }

  /** Mode of a newly added group. */
  private entering(kind: number): number {
    return kind === GroupKind.sliding ? SLIDE : STICK
  }

  /** Whether the present modes are those of an earlier pass (compared at twice the distance each time: R. P. Brent, 1980). */
  private circles(groups: number, pass: number): boolean {
    const { mode, earlier } = this
    let same = true
    for (let g = 0; g < groups; g++) if (earlier[g] !== mode[g] || mode[g] === BREAK) same = false
    if (same) return true
    if ((pass & (pass - 1)) === 0) for (let g = 0; g < groups; g++) earlier[g] = mode[g]
    return false
  }

  private setDirections({ groupCount: groups }: ContactProblem): void {
    const { mode, direction } = this
    for (let g = 0; g < groups; g++) {
      if (mode[g] !== SLIDE) continue
      direction[2 * g] = -1
      direction[2 * g + 1] = 0
    }
  }

  /** Numbers the unknowns of the present modes. */
  private number({ groupCount: groups, first }: ContactProblem): void {
    const { mode, row, group } = this
    let m = 0
    let symmetric = true
    for (let g = 0; g < groups; g++) {
      if (mode[g] === OUT) continue
      const n = first[g]
      row[m] = n
      group[m++] = g
      if (mode[g] === STICK) {
        for (let r = n + 1; r < first[g + 1]; r++) {
          row[m] = r
          group[m++] = g
        }
      } else if (mode[g] !== NORMAL) symmetric = false
    }
    this.unknowns = m
    this.symmetric = symmetric
  }

  /** x := H⁻¹ x, and the sign of det H. @returns false if H is singular */
  private solveSystem({ W, rowCount: rows, limit }: ContactProblem): boolean {
    const { unknowns: m, row, group, mode, direction, symmetricFactor, lu, x } = this
    addWork(m, m, 1)
    if (this.symmetric) {
      this.orientation = 1
      symmetricFactor.clear()
      for (let a = 0; a < m; a++) if (!symmetricFactor.append(row[a], W, rows, 0)) return false
      symmetricFactor.solve(x, x)
      return true
    }
    const { LU: H } = lu
    for (let a = 0; a < m; a++) {
      const at = row[a] * rows
      for (let b = 0; b < m; b++) {
        const k = at + row[b]
        const g = group[b]
        H[a * m + b] = W[k]
        if (mode[g] === SLIDE || mode[g] === BREAK)
          H[a * m + b] += limit[g] * (direction[2 * g] * W[k + 1] + direction[2 * g + 1] * W[k + 2])
      }
    }
    this.orientation = lu.factor(m, 0)
    if (this.orientation === 0) return false
    lu.solve(x, x)
    return true
  }

  /** f := the forces of x. */
  private spread({ rowCount: rows, limit }: ContactProblem, f: Float64Array): void {
    const { unknowns: m, row, group, mode, direction, x } = this
    f.fill(0, 0, rows)
    for (let a = 0; a < m; a++) {
      const g = group[a]
      const r = row[a]
      f[r] = x[a]
      if (mode[g] !== SLIDE && mode[g] !== BREAK) continue
      f[r + 1] = limit[g] * direction[2 * g] * x[a]
      f[r + 2] = limit[g] * direction[2 * g + 1] * x[a]
    }
  }

  /** w := W f + rhs, and the size of its terms. */
  private accelerations({ rowCount: rows, W, rhs }: ContactProblem, f: Float64Array): void {
    const { w, size } = this
    addWork(rows, rows, 1)
    for (let r = 0; r < rows; r++) {
      let sum = rhs[r]
      let terms = Math.abs(rhs[r])
      for (let s = 0; s < rows; s++) {
        const term = W[r * rows + s] * f[s]
        sum += term
        terms += Math.abs(term)
      }
      w[r] = sum
      size[r] = terms
    }
  }

  /**
   * Whether the result contradicts no mode; changes contradicted ones, or only the first if `single`. One loop with all rare cases: a
   * rarely called method runs uncompiled, and boxes its numbers.
   */
  private holds(problem: ContactProblem, f: Float64Array, single: boolean): boolean {
    const { groupCount: groups, rowCount: rows, first, kind, limit, W } = problem
    const { mode, w, size, residual, tried, turns, direction } = this
    let held = true
    residual[0] = 0
    for (let g = 0; g < groups; g++) {
      if (!held && single) return false
      const n = first[g]
      if (mode[g] === OUT) {
        if (w[n] >= -ROUNDING * size[n]) continue
        mode[g] = this.entering(kind[g])
        held = false
        continue
      }
      this.note(n)
      if (kind[g] === GroupKind.bilateral) continue
      const pulls = !(f[n] >= 0)
      if (first[g + 1] - n !== 3) {
        if (!pulls) continue
        mode[g] = OUT
        held = false
        continue
      }
      const x = f[n + 1]
      const y = f[n + 2]
      const square = x * x + y * y
      const most = limit[g] * f[n]
      if (mode[g] === STICK) {
        this.note(n + 1)
        this.note(n + 2)
        // friction beyond its limit: opposite to the slip if about along the sticking force, else along that force
        const length = Math.sqrt(square)
        const against = kind[g] === GroupKind.sliding ? -x : 0
        const isAlong = against > 0 && against * against > ALONG * square
        direction[2 * g] = length > 0 ? x / length : 1
        direction[2 * g + 1] = length > 0 ? y / length : 0
        if (!pulls && square <= most * most * (1 + OVER)) continue
        // a group may pull because of friction above its limit
        if (pulls && (tried[g] !== 0 || square === 0)) mode[g] = OUT
        else mode[g] = tried[g] === 0 && isAlong ? SLIDE : BREAK
        tried[g] = 1
        held = false
        continue
      }
      // at its limit: does it oppose the slip?
      const wx = w[n + 1]
      const wy = w[n + 2]
      const along = direction[2 * g] * wx + direction[2 * g + 1] * wy
      const terms = ROUNDING * (size[n + 1] > size[n + 2] ? size[n + 1] : size[n + 2])
      const length = Math.sqrt(wx * wx + wy * wy)
      const straight = (mode[g] === SLIDE ? KEPT : STRAIGHT) * length
      // opposite to the slip that would result without this group's own friction
      const own = 0.5 * (W[(n + 1) * rows + n + 1] + W[(n + 2) * rows + n + 2])
      const dx = own * x - wx
      const dy = own * y - wy
      const free = Math.sqrt(dx * dx + dy * dy)
      if (pulls) mode[g] = OUT
      else if (along > terms && square > 0) mode[g] = STICK
      else if (length <= terms || -along >= straight || turns[g] >= TURN_LIMIT) continue
      else {
        turns[g]++
        mode[g] = BREAK
        direction[2 * g] = dx / free
        direction[2 * g + 1] = dy / free
      }
      held = false
    }
    return held
  }

  private breakAway(g: number, n: number, f: Float64Array): void {
    const { mode, direction } = this
    const length = Math.sqrt(f[n + 1] * f[n + 1] + f[n + 2] * f[n + 2])
    mode[g] = BREAK
    direction[2 * g] = length > 0 ? f[n + 1] / length : 1
    direction[2 * g + 1] = length > 0 ? f[n + 2] / length : 0
  }

  private note(r: number): void {
    const { w, size, residual } = this
    const relative = size[r] > 0 ? Math.abs(w[r]) / size[r] : 0
    if (!(relative <= residual[0])) residual[0] = relative
  }

  // incremental search from zero

  private incremental(problem: ContactProblem, f: Float64Array): SolverStatus {
    const { mode, taken, w, size } = this
    const { groupCount: groups, rowCount: rows, first, kind } = problem
    const limit = this.iterations + 30 + 4 * groups
    f.fill(0, 0, rows)
    for (let g = 0; g < groups; g++) {
      mode[g] = OUT
      taken[g] = 0
    }
    // bilateral constraints first: no group is released for them
    for (let turn = 0; turn < 2; turn++) {
      for (let g = 0; g < groups; g++) {
        if ((kind[g] === GroupKind.bilateral) !== (turn === 0)) continue
        this.accelerations(problem, f)
        taken[g] = 1
        const n = first[g]
        if (kind[g] === GroupKind.bilateral) mode[g] = STICK
        else if (w[n] >= -ROUNDING * size[n]) continue
        else if (kind[g] === GroupKind.frictional) mode[g] = NORMAL
        else mode[g] = this.entering(kind[g])
        const status = this.drive(problem, f, g, limit)
        if (status !== 'solved') return status
        if (mode[g] !== NORMAL) continue
        mode[g] = STICK
        const ended = this.drive(problem, f, g, limit)
        if (ended !== 'solved') return ended
      }
    }
    return 'solved'
  }

  /** Drives the acceleration of group g to zero in all its rows, and keeps those of the others at zero. */
  private drive(problem: ContactProblem, f: Float64Array, g: number, limit: number): SolverStatus {
    const { mode, row, x, w, df, dw, reach } = this
    const { rowCount: rows, W, groupCount: groups } = problem
    while (this.iterations < limit) {
      this.iterations++
      this.accelerations(problem, f)
      this.setDirections(problem)
      this.number(problem)
      // accelerations of the others are zero, except if a group has just changed to sticking
      for (let a = 0; a < this.unknowns; a++) x[a] = -w[row[a]]
      if (!this.solveSystem(problem)) return 'limit'
      this.spread(problem, df)
      addWork(rows, rows, 1)
      for (let r = 0; r < rows; r++) {
        let sum = 0
        for (let s = 0; s < rows; s++) sum += W[r * rows + s] * df[s]
        dw[r] = sum
      }
      reach[0] = 1
      this.event = -1
      for (let k = 0; k < groups; k++) this.findBorder(problem, f, k)
      if (this.event === g && reach[0] === 0 && this.eventMode === OUT) return 'ray'
      for (let r = 0; r < rows; r++) f[r] += reach[0] * df[r]
      if (this.event < 0) return 'solved'
      const n = problem.first[this.event]
      // a new group needs friction, but has none yet
      if (this.eventMode === BREAK) this.breakAway(this.event, n, f[n + 1] !== 0 || f[n + 2] !== 0 ? f : df)
      else mode[this.event] = this.eventMode
      if (this.eventMode === OUT) {
        for (let r = n; r < problem.first[this.event + 1]; r++) f[r] = 0
      }
    }
    return 'limit'
  }

  /** Shortens the drive to the first bound of group k. */
  private findBorder({ first, kind, limit }: ContactProblem, f: Float64Array, k: number): void {
    const { mode, taken, w, dw, df, direction, reach } = this
    if (taken[k] === 0 || kind[k] === GroupKind.bilateral) return
    const n = first[k]
    if (mode[k] === OUT) {
      if (dw[n] < 0) {
        reach[1] = (w[n] > 0 ? w[n] : 0) / -dw[n]
        this.shorten(k, this.entering(kind[k]))
      }
      return
    }
    if (df[n] < 0) {
      reach[1] = (f[n] > 0 ? f[n] : 0) / -df[n]
      this.shorten(k, OUT)
    }
    if (mode[k] === BREAK || mode[k] === SLIDE) {
      const along = direction[2 * k] * w[n + 1] + direction[2 * k + 1] * w[n + 2]
      const rate = direction[2 * k] * dw[n + 1] + direction[2 * k + 1] * dw[n + 2]
      if (rate > 0) {
        reach[1] = (along < 0 ? -along : 0) / rate
        this.shorten(k, STICK)
      }
      return
    }
    if (mode[k] !== STICK || first[k + 1] - n !== 3) return
    // |f_t + s df_t|² = mu² (f_n + s df_n)²
    const mu = limit[k]
    const a = df[n + 1] * df[n + 1] + df[n + 2] * df[n + 2] - mu * mu * df[n] * df[n]
    const b = f[n + 1] * df[n + 1] + f[n + 2] * df[n + 2] - mu * mu * f[n] * df[n]
    const c = f[n + 1] * f[n + 1] + f[n + 2] * f[n + 2] - mu * mu * f[n] * f[n]
    if (c > 0) {
      reach[1] = 0
      if (a + 2 * b > 0) this.shorten(k, BREAK)
      return
    }
    if (a + 2 * b + c <= 0) return // inside at the end, and so throughout, since the cone is convex
    const root = Math.sqrt(Math.max(b * b - a * c, 0))
    reach[1] = b > 0 ? -c / (b + root) : (root - b) / a
    this.shorten(k, BREAK)
  }

  /** Shortens the drive to reach[1], where group k changes to `mode`, if that is less than reach[0]. */
  private shorten(k: number, mode: number): void {
    const { reach } = this
    if (!(reach[1] < reach[0])) return
    reach[0] = reach[1]
    this.event = k
    this.eventMode = mode
  }
}

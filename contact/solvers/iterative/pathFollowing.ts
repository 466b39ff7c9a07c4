import { addWork } from '../../../dynamics/math/index.ts'
import { looksSemidefinite, type SolverStatus } from '../complementarity.ts'
import { PivotTableau } from '../pivoting/pivotTableau.ts'
import { ScaledComplementarity } from './scaledComplementarity.ts'

/** Pivots into the first basis below this fraction of the largest mean that the basis is singular. */
const SINGULAR = 1e-9
/** Greatest violation of a row at which a path may end at parameter zero; the check decides on the result. */
const END_TOLERANCE = Float64Array.of(1e-10)
/** Proximal terms for a singular first basis, tried in turn, in units of the scaled problem. */
const PROXIMAL = Float64Array.of(1e-7, 1e-5, 1e-3)
/** Paths of one attempt with a proximal term, each centred at the end of the last. */
const ROUNDS = 12
/** Covering entries are 1 plus a fraction of this multiple of the row's number; equal at first. */
const UNEVEN = Float64Array.of(0, 0.6180339887498949, 0.4142135623730951, 0.7320508075688772)
/** Least value of basic variables at the start of a path from a point. */
const LEAST_COVER = 0.01

const UNSCALED = Float64Array.of(1, 1)

const ARRIVED = 0
const RAY = 1
const LIMIT = 2
const NO_BASIS = 3
const ASTRAY = 4

/**
 * A path-following method for mixed linear complementarity problems, of the kind of PATH: Dirkse and Ferris, The PATH solver: a
 * non-monotone stabilization scheme for mixed complementarity problems, Optim. Methods Softw. 5 (1995); Ralph, Global convergence of damped
 * Newton's method for nonsmooth equations via the path search, Math. Oper. Res. 19 (1994). @unchecked
 *
 * The problem is a zero of the normal map, F(x) = A x₊ + b - x₋ with z = x₊ and w = x₋ (a free x stands for itself), which is affine on
 * each orthant. From a point x0 the zeros of F(x) = t F(x0) are followed from t = 1 towards t = 0 by pivots, as Lemke does: along a piece
 * until a component of x changes its sign, then along the next piece, where its complement enters; the lexicographic order resolves
 * degenerate steps. For an affine problem a path that reaches t = 0 is the whole Newton iteration.
 *
 * The first basis holds the active set of the guess and the free unknowns, brought in by pivots, the largest first. If their matrix is
 * singular, as with dependent bilateral rows, A + epsilon 1 is followed instead (a proximal step), and again from the end of that path,
 * until its active set solves the given problem. The path starts at infinity, with a covering vector of ones. So Lemke's guarantees hold
 * for the problem that is left when the free unknowns are eliminated: from an empty active set for positive semidefinite and
 * copositive-plus matrices, from any for positive semidefinite ones.
 *
 * A path that ends in a ray (or at its cap of 50 + 10 n pivots) is followed by others, whatever their residuals: from the empty active set;
 * from the active set at the least t of earlier paths, with an uneven covering; then from the active sets of a fixed sequence of points, in
 * turn from infinity and from the point itself. The status is `ray` when all of them ended in one; if A seems symmetric positive
 * semidefinite, when the first ones did.
 */
export class PathFollowing extends ScaledComplementarity {
  readonly name = 'path-following'
  private readonly attempts: number
  private readonly tableau = new PivotTableau()
  private active = new Uint8Array(0)
  /** Active set at the least t of all paths. */
  private bestActive = new Uint8Array(0)
  private x = new Float64Array(0)
  private centre = new Float64Array(0)
  /** Per unknown: the value of its basic variable at the start of the path, 0 for a start at infinity. */
  private cover = new Float64Array(0)
  /** 2: current t, and the least t of all paths; 1: proximal term. */
  private readonly parameter = new Float64Array(2)
  private readonly epsilon = new Float64Array(1)

  /**
   * @param tolerance largest `complementarityResidual` of a solution
   * @param attempts  most first bases besides the guess
   */
  constructor(tolerance = 1e-9, attempts = 96) {
    super(tolerance)
    this.attempts = attempts
  }

  protected override search(n: number, given: Float64Array): SolverStatus {
    const { free, active, bestActive, x, parameter, epsilon } = this
    parameter[1] = Number.POSITIVE_INFINITY
    this.multiply(this.start, x)
    let guessed = false
    for (let i = 0; i < n; i++) {
      active[i] = free[i] === 1 || this.start[i] > x[i] ? 1 : 0
      bestActive[i] = free[i]
    }
    if (this.settle(active, this.start)) return 'solved'
    // the path begins with the unknowns known to be positive; merely violated ones may not belong to the solution
    for (let i = 0; i < n; i++) {
      if (this.start[i] <= 0) active[i] = free[i]
      if (active[i] > free[i]) guessed = true
    }
    const convex = looksSemidefinite(n, given)
    let rays = true
    let limit = false
    for (let attempt = guessed ? 0 : 1; attempt <= this.attempts; attempt++) {
      this.firstSet(n, attempt)
      const end = this.follow(n, attempt)
      if (end === ARRIVED) return 'solved'
      // with a proximal term a solution always exists, and a ray is rounding
      if (end !== RAY || epsilon[0] > 0) rays = false
      // here a ray from infinity proves that there is no solution; two exclude rounding
      if (attempt >= 2 && rays && convex) return 'ray'
      if (end === LIMIT) limit = true
    }
    this.accept(x)
    return rays ? 'ray' : limit ? 'limit' : 'residual'
  }

  protected override reserveSearch(n: number): void {
    this.tableau.reserve(n)
    this.active = new Uint8Array(n)
    this.bestActive = new Uint8Array(n)
    this.x = new Float64Array(n)
    this.centre = new Float64Array(n)
    this.cover = new Float64Array(n)
  }

  /** Sets active set, centre, proximal term and covering of an attempt. A cover of 0 means a start at infinity. */
  private firstSet(n: number, attempt: number): void {
    const { free, active, bestActive, centre, cover, epsilon, x } = this
    epsilon[0] = 0
    cover.fill(0, 0, n)
    if (attempt < 3) {
      for (let i = 0; i < n; i++) {
        centre[i] = this.start[i]
        if (attempt > 0) active[i] = attempt === 1 ? free[i] : bestActive[i]
      }
      return
    }
    this.spread(attempt, x)
    let middle = 0
    for (let i = 0; i < n; i++) if (free[i] === 0 && x[i] > 2 * middle) middle = x[i] / 2
    for (let i = 0; i < n; i++) {
      active[i] = free[i] === 1 || x[i] > middle ? 1 : 0
      centre[i] = active[i] === 0 ? 0 : free[i] === 1 ? x[i] : x[i] - middle
      if (attempt % 2 === 1) cover[i] = Math.abs(x[i] - middle) + LEAST_COVER
    }
  }

  /** Follows the path of an attempt, and with a proximal term those after it. @returns ARRIVED only with a solution */
  private follow(n: number, attempt: number): number {
    const { active, x, centre, epsilon } = this
    const { T, basic } = this.tableau
    for (let round = 0; round < ROUNDS; round++) {
      let raised = 0
      while (!this.enterFirst(n)) {
        if (raised === PROXIMAL.length) return NO_BASIS
        epsilon[0] += PROXIMAL[raised++]
      }
      this.coverRows(n, attempt)
      const end = this.pivots(n)
      if (end !== ARRIVED) return end
      active.fill(0, 0, n)
      x.fill(0, 0, n)
      for (let i = 0; i < n; i++) {
        if (basic[i] < n || basic[i] === 2 * n) continue
        active[basic[i] - n] = 1
        x[basic[i] - n] = T[i * (n + 2) + n + 1]
      }
      if (this.settle(active, x)) return ARRIVED
      if (epsilon[0] === 0) return ASTRAY
      for (let i = 0; i < n; i++) centre[i] = x[i]
    }
    return LIMIT
  }

  /** Builds the tableau with the active set and the free unknowns in the basis. @returns false if their matrix is singular */
  private enterFirst(n: number): boolean {
    const { A, b, free, tableau, active, centre, epsilon } = this
    const { T, basic, nonbasic } = tableau
    const width = n + 2
    tableau.load(n, A, b, UNSCALED)
    let wanted = 0
    for (let i = 0; i < n; i++) {
      T[i * width + i] += epsilon[0]
      T[i * width + n + 1] -= epsilon[0] * centre[i]
      if (active[i] === 1) wanted++
    }
    let first = 0
    for (let k = 0; k < wanted; k++) {
      addWork(wanted - k, n, 1)
      let size = 0
      let row = -1
      let column = -1
      for (let i = 0; i < n; i++) {
        if (basic[i] >= n || active[basic[i]] === 0) continue
        for (let j = 0; j < n; j++) {
          if (nonbasic[j] < n || active[nonbasic[j] - n] === 0) continue
          const entry = Math.abs(T[i * width + j])
          if (entry <= size) continue
          size = entry
          row = i
          column = j
        }
      }
      if (k === 0) first = size
      if (row < 0 || !(size > SINGULAR * first)) return false
      tableau.exchange(n, row, column)
      this.iterations++
    }
    // free unknowns never leave the basis, and their w never re-enter
    let last = n - 1
    for (let i = n - 1; i >= 0; i--) if (basic[i] >= n && free[basic[i] - n] === 1) tableau.swapRows(n, i, last--)
    tableau.rowCount = last + 1
    last = n - 1
    for (let j = n - 1; j >= 0; j--) if (nonbasic[j] < n && free[nonbasic[j]] === 1) tableau.swapColumns(n, j, last--)
    tableau.columnCount = last + 1
    return true
  }

  /** The column of t. */
  private coverRows(n: number, attempt: number): void {
    const { cover } = this
    const { T, basic, rowCount } = this.tableau
    const width = n + 2
    const uneven = UNEVEN[attempt % UNEVEN.length]
    for (let i = 0; i < rowCount; i++) {
      const given = cover[basic[i] % n]
      T[i * width + n] = given > 0 ? given - T[i * width + n + 1] : 1 + ((i * uneven) % 1)
    }
  }

  /** Follows the path to t = 0. */
  private pivots(n: number): number {
    const { tableau, parameter } = this
    const { T, basic, nonbasic, where } = tableau
    const width = n + 2
    let row = tableau.startRow(n)
    if (row < 0) return ARRIVED
    let leaving = basic[row]
    tableau.exchange(n, row, n)
    const limit = ++this.iterations + 50 + 10 * n
    while (this.iterations < limit) {
      parameter[0] = T[(-1 - where[2 * n]) * width + n + 1]
      if (parameter[0] < parameter[1]) this.note(n)
      const column = where[leaving < n ? leaving + n : leaving - n]
      row = tableau.ratioTest(n, column, END_TOLERANCE, 0)
      // so near the end, matrix and right-hand side have elimination errors: the check decides
      if (row < 0) return parameter[0] <= END_TOLERANCE[0] ? ARRIVED : RAY
      leaving = basic[row]
      tableau.exchange(n, row, column)
      this.iterations++
      if (leaving === 2 * n) return ARRIVED
    }
    return nonbasic[n] === 2 * n ? ARRIVED : LIMIT
  }

  /** Stores the active set as that of the least t. */
  private note(n: number): void {
    const { bestActive, parameter } = this
    const { basic } = this.tableau
    parameter[1] = parameter[0]
    bestActive.fill(0, 0, n)
    for (let i = 0; i < n; i++) if (basic[i] >= n && basic[i] < 2 * n) bestActive[basic[i] - n] = 1
  }
}

import type { ComplementaritySolver, SolverStatus } from './complementarity.ts'
import { factorCholesky, factorRows, solveCholesky, solveRows } from './denseFactor.ts'
import { ScaledComplementarity } from './scaledComplementarity.ts'
import { looksSemidefinite } from './unilateralSolver.ts'

/** Newton steps of one attempt. */
const STEP_LIMIT = 30
/** Steps of the last one, which goes on from the best point of all. */
const LAST_LIMIT = 300
/** Starts of the sequence for a matrix that seems semidefinite: only rounding can stop a descent away from an answer there. */
const FEW = 4
/** A pivot of the Newton matrix below this share of the largest makes it singular. */
const SINGULAR = 1e-13
/** Shift of the matrix of the normal equations when the Newton matrix is singular, relative to the merit's root. */
const SHIFT = 1e-3
/** Share of the decrease that the slope promises which a step must keep; trials of a step, each half as long as the one before. */
const SHARE = 1e-4
const HALVINGS = 30
/** A step may end above the present merit, but not above the largest of so many last ones. */
const MEMORY = 4
/** A direction must descend by so much of its squared length. */
const DESCENT = 1e-10
/** Nearer than this to 0 both z_i and w_i count as 0, where phi has a corner. */
const CORNER = 1e-14
/** Attempts end where the slope of the merit is so flat, relative to the merit: a stationary point that is no answer. */
const FLAT = 1e-9
/** A merit (half the squared norm of the scaled system) below this is as near to 0 as rounding lets it come. */
const ROUNDING = 1e-30

/**
 * A damped semismooth Newton method for mixed linear complementarity problems. The pair z_i >= 0, w_i >= 0, z_i w_i = 0 is the
 * equation phi(z_i, w_i) = 0 with phi(a, c) = sqrt(a² + c²) - a - c (Fischer 1992, after Burmeister), and a free unknown brings
 * its equation w_i = 0 as it is. Each step solves the linear system of an element of the C-subdifferential (De Luca, Facchinei
 * and Kanzow, A semismooth equation approach to the solution of nonlinear complementarity problems, Math. Program. 75, 1996,
 * with their element where z_i = w_i = 0), then searches along it, not monotonically (Grippo, Lampariello and Lucidi 1986), on the
 * merit: half the squared norm, which is smooth. Where the matrix is singular or its direction does not descend, a regularised
 * least-squares step is taken, and where that fails, the gradient's.
 *
 * Fast and local: the merit falls to a stationary point. That is an answer if A is a P0-matrix and nothing is free, and may
 * be none otherwise. Then the next start is tried: the caller's guess, zero, and `attempts` points of a fixed sequence (four, if
 * A seems semidefinite), 30 steps each, and at last the best point of all for 300 more. As soon as the active set repeats itself,
 * its linear system is solved at once, and where an attempt ends, or the guess is new, up to twelve sets in turn, each the one that the
 * answer of the last suggests (`ScaledComplementarity.walk`). So what is returned is mostly the answer of a linear system and
 * not the limit of a sequence.
 */
export class FischerBurmeisterNewton implements ComplementaritySolver {
  readonly name = 'fb-newton'
  iterations = 0
  private readonly problem: ScaledComplementarity
  private readonly attempts: number
  private x = new Float64Array(0)
  /** A x + b. */
  private wx = new Float64Array(0)
  private phi = new Float64Array(0)
  private da = new Float64Array(0)
  private dc = new Float64Array(0)
  private gradient = new Float64Array(0)
  private d = new Float64Array(0)
  /** A d. */
  private Ad = new Float64Array(0)
  private V = new Float64Array(0)
  private H = new Float64Array(0)
  private order = new Int32Array(0)
  private active = new Uint8Array(0)
  private best = new Float64Array(0)
  /** The last merits. 4: merit, norm of its gradient, the best merit of all attempts, length of the step. */
  private readonly merits = new Float64Array(MEMORY)
  private readonly number = new Float64Array(4)

  /**
   * @param tolerance largest `complementarityResidual` of an answer
   * @param attempts  starts beyond the guess and zero before it gives up
   */
  constructor(tolerance = 1e-9, attempts = 24) {
    this.problem = new ScaledComplementarity(tolerance)
    this.attempts = attempts
  }

  get z(): Float64Array {
    return this.problem.z
  }
  get w(): Float64Array {
    return this.problem.w
  }
  get residual(): Float64Array {
    return this.problem.residual
  }

  solve(n: number, A: Float64Array, b: Float64Array, free: Uint8Array, start: Float64Array): SolverStatus {
    this.iterations = 0
    const { problem, number } = this
    if (!problem.load(this.name, n, A, b, free, start)) return 'residual'
    this.reserve(n)
    const { x, wx, active, best } = this
    number[2] = Number.POSITIVE_INFINITY
    const attempts = looksSemidefinite(n, A) ? Math.min(FEW, this.attempts) : this.attempts
    let limit = false
    let guessed = false
    for (let i = 0; i < n; i++) if (problem.start[i] !== 0) guessed = true
    for (let attempt = guessed ? -2 : -1; attempt <= attempts; attempt++) {
      const last = attempt === attempts
      if (attempt === -2) {
        for (let i = 0; i < n; i++) x[i] = problem.start[i]
        problem.multiply(x, wx)
        for (let i = 0; i < n; i++) active[i] = x[i] > wx[i] ? 1 : 0
        if (problem.walk(active, x)) return 'solved'
      } else if (attempt === -1) x.fill(0, 0, n)
      else if (last) for (let i = 0; i < n; i++) x[i] = best[i]
      else problem.spread(attempt, x)
      const status = this.attempt(n, last ? LAST_LIMIT : STEP_LIMIT)
      if (status === 'solved' || problem.walk(active, x)) return 'solved'
      if (status === 'limit') limit = true
    }
    problem.accept(best)
    return limit ? 'limit' : 'residual'
  }

  private reserve(n: number): void {
    if (n <= this.x.length) return
    this.x = new Float64Array(n)
    this.wx = new Float64Array(n)
    this.phi = new Float64Array(n)
    this.da = new Float64Array(n)
    this.dc = new Float64Array(n)
    this.gradient = new Float64Array(n)
    this.d = new Float64Array(n)
    this.Ad = new Float64Array(n)
    this.V = new Float64Array(n * n)
    this.H = new Float64Array(n * n)
    this.order = new Int32Array(n)
    this.active = new Uint8Array(n)
    this.best = new Float64Array(n)
  }

  /** From x until an answer, a stationary point or the cap. */
  private attempt(n: number, limit: number): SolverStatus {
    const { problem, x, wx, active, best, merits, number } = this
    merits.fill(0)
    problem.multiply(x, wx)
    for (let step = 0; ; step++) {
      let changed = step === 0
      for (let i = 0; i < n; i++) {
        const on = x[i] > wx[i] ? 1 : 0
        if (active[i] !== on) changed = true
        active[i] = on
      }
      this.evaluate(n)
      if (number[0] < number[2]) {
        number[2] = number[0]
        for (let i = 0; i < n; i++) best[i] = x[i]
      }
      // the first point's set too: after a good guess that is all there is to do
      if ((step === 0 || !changed) && problem.settle(active, x)) return 'solved'
      if (number[0] < ROUNDING) return problem.accept(x) ? 'solved' : 'residual'
      if (step === limit) return 'limit'
      this.iterations++
      merits[step % MEMORY] = number[0]
      this.linearize(n)
      if (!(number[1] > FLAT * number[0])) return 'residual'
      if (!this.newton(n) && !this.leastSquares(n) && !this.steepest(n)) return 'residual'
    }
  }

  /** phi and number[0], the merit, of x and wx. */
  private evaluate(n: number): void {
    const { problem, x, wx, phi, number } = this
    const { free } = problem
    let merit = 0
    for (let i = 0; i < n; i++) {
      const c = wx[i]
      // for a > 0 and c > 0 the difference cancels, the quotient does not
      const a = x[i]
      const r = Math.sqrt(a * a + c * c)
      const value = free[i] === 1 ? c : a > 0 && c > 0 ? (-2 * a * c) / (r + a + c) : r - a - c
      phi[i] = value
      merit += value * value
    }
    number[0] = merit / 2
  }

  /** The weights of V = diag(da) + diag(dc) A, the gradient Vᵀ phi, and number[1], its norm. */
  private linearize(n: number): void {
    const { problem, x, wx, phi, da, dc, gradient, d, Ad, number } = this
    const { A, free } = problem
    let corners = 0
    for (let i = 0; i < n; i++) {
      const r = Math.sqrt(x[i] * x[i] + wx[i] * wx[i])
      const corner = free[i] === 0 && !(r > CORNER)
      d[i] = corner ? 1 : 0
      if (corner) corners++
      da[i] = free[i] === 1 ? 0 : corner ? -1 : x[i] / r - 1
      dc[i] = free[i] === 1 ? 1 : corner ? -1 : wx[i] / r - 1
    }
    if (corners > 0) {
      this.along(n)
      for (let i = 0; i < n; i++) {
        if (d[i] === 0) continue
        const r = Math.sqrt(1 + Ad[i] * Ad[i])
        da[i] = 1 / r - 1
        dc[i] = Ad[i] / r - 1
      }
    }
    for (let j = 0; j < n; j++) gradient[j] = da[j] * phi[j]
    for (let i = 0; i < n; i++) {
      const weight = dc[i] * phi[i]
      if (weight !== 0) for (let j = 0; j < n; j++) gradient[j] += weight * A[i * n + j]
    }
    let sum = 0
    for (let j = 0; j < n; j++) sum += gradient[j] * gradient[j]
    number[1] = Math.sqrt(sum)
  }

  private newton(n: number): boolean {
    const { problem, phi, da, dc, d, V, order } = this
    const { A } = problem
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) V[i * n + j] = dc[i] * A[i * n + j]
      V[i * n + i] += da[i]
    }
    if (!factorRows(n, V, order, SINGULAR)) return false
    solveRows(n, V, order, phi, d)
    for (let i = 0; i < n; i++) d[i] = -d[i]
    return this.search(n)
  }

  /** (VᵀV + shift) d = -gradient. */
  private leastSquares(n: number): boolean {
    const { problem, da, dc, gradient, d, V, H, number } = this
    const { A } = problem
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) V[i * n + j] = dc[i] * A[i * n + j]
      V[i * n + i] += da[i]
    }
    H.fill(0, 0, n * n)
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        const factor = V[i * n + j]
        if (factor !== 0) for (let k = 0; k <= j; k++) H[j * n + k] += factor * V[i * n + k]
      }
    }
    const shift = SHIFT * Math.min(Math.sqrt(number[0]), 1) + SINGULAR
    for (let j = 0; j < n; j++) {
      H[j * n + j] += shift
      d[j] = -gradient[j]
    }
    if (!factorCholesky(n, H)) return false
    solveCholesky(n, H, d)
    return this.search(n)
  }

  private steepest(n: number): boolean {
    const { gradient, d } = this
    for (let j = 0; j < n; j++) d[j] = -gradient[j]
    return this.search(n)
  }

  /** Ad := A d. */
  private along(n: number): void {
    const { d, Ad } = this
    const { A } = this.problem
    for (let i = 0; i < n; i++) {
      let sum = 0
      for (let j = 0; j < n; j++) sum += A[i * n + j] * d[j]
      Ad[i] = sum
    }
  }

  /** Moves x and wx along d as far as the merit falls enough. False, and they stay, if it does not or d does not descend. */
  private search(n: number): boolean {
    const { x, wx, d, Ad, gradient, merits, number } = this
    let slope = 0
    let size = 0
    for (let i = 0; i < n; i++) {
      slope += gradient[i] * d[i]
      size += d[i] * d[i]
    }
    if (!(slope < -DESCENT * size)) return false
    let reference = 0
    for (let k = 0; k < MEMORY; k++) if (merits[k] > reference) reference = merits[k]
    this.along(n)
    number[3] = 1
    for (let i = 0; i < n; i++) {
      x[i] += d[i]
      wx[i] += Ad[i]
    }
    for (let halving = 0; ; halving++) {
      this.evaluate(n)
      if (number[0] <= reference + SHARE * number[3] * slope) break
      const back = halving === HALVINGS ? number[3] : number[3] / 2
      for (let i = 0; i < n; i++) {
        x[i] -= back * d[i]
        wx[i] -= back * Ad[i]
      }
      if (halving === HALVINGS) return false
      number[3] -= back
    }
    // what the sums have lost
    this.problem.multiply(x, wx)
    return true
  }
}

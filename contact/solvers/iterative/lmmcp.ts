import { addWork } from '../../../dynamics/math/index.ts'
import { looksSemidefinite, type SolverStatus } from '../complementarity.ts'
import { GrowingFactor } from '../growingFactor.ts'
import { ScaledComplementarity } from './scaledComplementarity.ts'

/** Steps of one attempt. */
const STEP_LIMIT = 30
/** Most steps of the last attempt, from the best point of all. */
const LAST_LIMIT = 300
/** Number of starts if the matrix seems semidefinite: only rounding can then stop a descent away from a solution. */
const FEW = 4
/** Sufficient decrease, as a fraction of that predicted by the slope; and most trials of a step, each half as long as the last. */
const SHARE = 1e-4
const HALVINGS = 30
/** Least descent of a direction, relative to its squared length. */
const DESCENT = 1e-10
/** Gradient, relative to the merit, below which an attempt ends: a stationary point that is no solution. */
const FLAT = 1e-9
/** Merit that is zero to rounding, in units of the scaled problem. */
const ROUNDING = 1e-30

/** Weights of both parts of the residual: Fischer-Burmeister's function, and the products a₊ c₊, which penalise a gap. */
const FISCHER = 0.1
const GAP = 0.9
/** First steps of an attempt that may be projected ones accepted by the filter. */
const PROJECTED = 20
/** A point passes the filter if one of its norms is less than that of each entry by this fraction of the point's whole norm. */
const MARGIN = 1e-3
/** Changes of the merit at which the radius is doubled, 0.95 of the norm, and halved, 4.75 times the norm; and the least radius. */
const FALLS = 0.95 ** 2
const GROWS = 4.75 ** 2
const RADIUS_LEAST = 1
/** Levenberg's parameter: this times the norm of the residual, and at least the second number. */
const DAMPING = 1e-8
const DAMPING_LEAST = 1e-12
/** Number of past merits in the non-monotone search. */
const MEMORY = 5
/** Magnitude below which both z_i and w_i count as 0, at the corner of Fischer-Burmeister's function. */
const CORNER = 1e-14
/** Norms of the filter: of Fischer-Burmeister's part, of the gap's part, and of the equations of free unknowns. */
const NORMS = 3

/**
 * A Levenberg-Marquardt method for mixed linear complementarity problems. Kanzow and Petra, On a semismooth least squares formulation of
 * complementarity problems with gap reduction, Optim. Methods Softw. 19 (2004): each pair a = z_i, c = w_i has two residuals, @unchecked
 *
 *   0.1 (sqrt(a² + c²) - a - c)   and   0.9 max(a, 0) max(c, 0),
 *
 * and a free unknown its equation w_i = 0. The second is zero at a solution and large for large z and w, where the first alone is flat.
 * There are more residuals than unknowns, so a step minimises the linearised ones in the least-squares sense, with a damping that goes to
 * zero with their norm: quadratic near a solution, and defined everywhere, whatever the rank of A.
 *
 * The first steps of an attempt are taken in full and projected to z >= 0 if a filter accepts them: the point must be better than every one
 * before it in one of three norms (after Kanzow and Petra, Projected filter trust region methods for a semismooth least squares formulation
 * of mixed complementarity problems, Optim. Methods Softw. 22, 2007), within a box if `radius` is given. If not, and in later steps, a
 * non-monotone line search on half the squared norm follows the same direction, or the gradient if rounding leaves none.
 *
 * The merit falls to a stationary point, which need not be a solution. Then the next start is tried: the caller's guess, zero, and
 * `attempts` points of a fixed sequence (four, if A seems semidefinite), 30 steps each, and at last the best point of all for 300 more. As
 * soon as the active set repeats, its linear system is solved; at the end of an attempt, or for a new guess, up to twelve sets in turn,
 * each from the solution of the last (`ScaledComplementarity.walk`). So the result is mostly the solution of a linear system, not the limit
 * of a sequence. The search is not monotone (Grippo, Lampariello and Lucidi 1986): a step may end above the present merit, but not above
 * the largest of the last few.
 */
export class LevenbergMarquardtMcp extends ScaledComplementarity {
  readonly name = 'lmmcp'
  private readonly attempts: number
  /** The point, and A x + b. */
  private x = new Float64Array(0)
  private wx = new Float64Array(0)
  private gradient = new Float64Array(0)
  /** The direction, and A d. */
  private d = new Float64Array(0)
  private Ad = new Float64Array(0)
  /** 6: merit, norm of its gradient, best merit of all attempts, length of the step, radius of the trust region, and at the start. */
  private readonly number = new Float64Array(6)
  private active = new Uint8Array(0)
  private best = new Float64Array(0)
  /** The last merits. */
  private readonly merits = new Float64Array(MEMORY)
  /** Per row: the first residual, or that of a free unknown. */
  private phi = new Float64Array(0)
  private before = new Float64Array(0)
  /** Per row: products of the weights of e_i and A_i in its lines of the Jacobian; and the weight of A_i in the gradient. */
  private own = new Float64Array(0)
  private mixed = new Float64Array(0)
  private through = new Float64Array(0)
  private weight = new Float64Array(0)
  private H = new Float64Array(0)
  private readonly factor = new GrowingFactor()
  /** Norms of the points that have passed in this attempt. */
  private readonly filter = new Float64Array(NORMS * PROJECTED)
  private readonly norms = new Float64Array(NORMS)

  /**
   * @param tolerance largest `complementarityResidual` of a solution
   * @param attempts  most starts besides the guess and zero
   * @param radius    of the trust region of projected steps, a box, in scaled units: 5 in their program; without one by default, for it solves
   * no more (lmmcp.test.ts)
   */
  constructor(tolerance = 1e-9, attempts = 24, radius = Number.POSITIVE_INFINITY) {
    super(tolerance)
    this.attempts = attempts
    this.number[5] = radius
  }

  protected override search(n: number, given: Float64Array): SolverStatus {
    const { number } = this
    const { x, wx, active, best } = this
    number[2] = Number.POSITIVE_INFINITY
    const attempts = looksSemidefinite(n, given) ? Math.min(FEW, this.attempts) : this.attempts
    let limit = false
    let guessed = false
    for (let i = 0; i < n; i++) if (this.start[i] !== 0) guessed = true
    for (let attempt = guessed ? -2 : -1; attempt <= attempts; attempt++) {
      const last = attempt === attempts
      if (attempt === -2) {
        for (let i = 0; i < n; i++) x[i] = this.start[i]
        this.multiply(x, wx)
        for (let i = 0; i < n; i++) active[i] = x[i] > wx[i] ? 1 : 0
        if (this.walk(active, x)) return 'solved'
      } else if (attempt === -1) x.fill(0, 0, n)
      else if (last) for (let i = 0; i < n; i++) x[i] = best[i]
      else this.spread(attempt, x)
      const status = this.attempt(n, last ? LAST_LIMIT : STEP_LIMIT)
      if (status === 'solved' || this.walk(active, x)) return 'solved'
      if (status === 'limit') limit = true
    }
    this.accept(best)
    return limit ? 'limit' : 'residual'
  }

  protected override reserveSearch(n: number): void {
    this.x = new Float64Array(n)
    this.wx = new Float64Array(n)
    this.gradient = new Float64Array(n)
    this.d = new Float64Array(n)
    this.Ad = new Float64Array(n)
    this.active = new Uint8Array(n)
    this.best = new Float64Array(n)
    this.phi = new Float64Array(n)
    this.before = new Float64Array(n)
    this.own = new Float64Array(n)
    this.mixed = new Float64Array(n)
    this.through = new Float64Array(n)
    this.weight = new Float64Array(n)
    this.H = new Float64Array(n * n)
    this.factor.reserve(n)
  }

  /** Descends from x to a solution, a stationary point or the limit. */
  private attempt(n: number, limit: number): SolverStatus {
    const { x, wx, active, best, gradient, merits, number } = this
    merits.fill(0)
    number[4] = number[5]
    this.multiply(x, wx)
    this.evaluate(n)
    for (let step = 0; ; step++) {
      let changed = step === 0
      for (let i = 0; i < n; i++) {
        const on = x[i] > wx[i] ? 1 : 0
        if (active[i] !== on) changed = true
        active[i] = on
      }
      if (number[0] < number[2]) {
        number[2] = number[0]
        for (let i = 0; i < n; i++) best[i] = x[i]
      }
      // the first point's set too: after a good guess it suffices
      if ((step === 0 || !changed) && this.settle(active, x)) return 'solved'
      if (number[0] < ROUNDING) return this.accept(x) ? 'solved' : 'residual'
      if (step === limit) return 'limit'
      this.iterations++
      merits[step % merits.length] = number[0]
      this.linearize(n)
      let square = 0
      for (let i = 0; i < n; i++) square += gradient[i] * gradient[i]
      number[1] = Math.sqrt(square)
      if (!(number[1] > FLAT * number[0])) return 'residual'
      if (!this.advance(n, step)) return 'residual'
    }
  }

  /** d := -gradient. */
  private descend(n: number): void {
    const { gradient, d } = this
    for (let i = 0; i < n; i++) d[i] = -gradient[i]
  }

  /** Ad := A d. */
  private along(n: number): void {
    const { d, Ad } = this
    const { A } = this
    for (let i = 0; i < n; i++) {
      let sum = 0
      for (let j = 0; j < n; j++) sum += A[i * n + j] * d[j]
      Ad[i] = sum
    }
  }

  /** Line search: moves x and wx along d for a sufficient decrease of the merit. @returns false, without a move, if there is none */
  private lineSearch(n: number): boolean {
    const { x, wx, d, Ad, gradient, merits, number } = this
    let slope = 0
    let size = 0
    for (let i = 0; i < n; i++) {
      slope += gradient[i] * d[i]
      size += d[i] * d[i]
    }
    if (!(slope < -DESCENT * size)) return false
    let reference = 0
    for (let k = 0; k < merits.length; k++) if (merits[k] > reference) reference = merits[k]
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
    // removes the rounding of the sums
    this.multiply(x, wx)
    this.evaluate(n)
    return true
  }

  /** Computes phi, the norms of x and wx, and the merit number[0]. */
  private evaluate(n: number): void {
    const { free, x, wx, phi, norms, number } = this
    addWork(n, 20, 1)
    let fischer = 0
    let gap = 0
    let equations = 0
    for (let i = 0; i < n; i++) {
      const a = x[i]
      const c = wx[i]
      if (free[i] === 1) {
        phi[i] = c
        equations += c * c
        continue
      }
      const r = Math.sqrt(a * a + c * c)
      if (a > 0 && c > 0) {
        // r - a - c would cancel
        phi[i] = (-2 * FISCHER * a * c) / (r + a + c)
        gap += a * c * (a * c)
      } else phi[i] = FISCHER * (r - a - c)
      fischer += phi[i] * phi[i]
    }
    norms[0] = Math.sqrt(fischer)
    norms[1] = GAP * Math.sqrt(gap)
    norms[2] = Math.sqrt(equations)
    number[0] = (norms[0] * norms[0] + norms[1] * norms[1] + norms[2] * norms[2]) / 2
  }

  /** Computes the weights of the Jacobian, and the gradient. */
  private linearize(n: number): void {
    const { A, free, x, wx, phi, own, mixed, through, weight, gradient, d, Ad } = this
    let corners = 0
    addWork(n, n + 20, 1)
    for (let i = 0; i < n; i++) {
      d[i] = free[i] === 0 && Math.abs(x[i]) <= CORNER && Math.abs(wx[i]) <= CORNER ? 1 : 0
      if (d[i] !== 0) corners++
    }
    if (corners > 0) this.along(n)
    for (let i = 0; i < n; i++) {
      if (free[i] === 1) {
        own[i] = 0
        mixed[i] = 0
        through[i] = 1
        gradient[i] = 0
        weight[i] = phi[i]
        continue
      }
      if (d[i] !== 0) {
        // limit along z = d, w = A d; both residuals are zero
        const r = Math.sqrt(1 + Ad[i] * Ad[i])
        own[i] = FISCHER * (1 / r - 1)
        mixed[i] = FISCHER * (Ad[i] / r - 1)
      } else {
        const r = Math.sqrt(x[i] * x[i] + wx[i] * wx[i])
        own[i] = FISCHER * (x[i] / r - 1)
        mixed[i] = FISCHER * (wx[i] / r - 1)
      }
      const da = own[i]
      const dc = mixed[i]
      own[i] = da * da
      mixed[i] = da * dc
      through[i] = dc * dc
      gradient[i] = da * phi[i]
      weight[i] = dc * phi[i]
      if (x[i] > 0 && wx[i] > 0) {
        const ga = GAP * wx[i]
        const gc = GAP * x[i]
        const product = ga * x[i]
        own[i] += ga * ga
        mixed[i] += ga * gc
        through[i] += gc * gc
        gradient[i] += ga * product
        weight[i] += gc * product
      }
    }
    for (let i = 0; i < n; i++) {
      if (weight[i] === 0) continue
      for (let j = 0; j < n; j++) gradient[j] += weight[i] * A[i * n + j]
    }
  }

  /**
   * Moves x and wx, and evaluates there.
   *
   * @param step of this attempt, from 0 up
   * @returns false if no direction descends
   */
  private advance(n: number, step: number): boolean {
    const mayProject = step < PROJECTED
    if (mayProject) for (let k = 0; k < NORMS; k++) this.filter[NORMS * step + k] = this.norms[k]
    if (!this.direction(n)) this.descend(n)
    else if (mayProject && this.projected(n, step + 1)) return true
    return this.lineSearch(n)
  }

  /** d := -(JᵀJ + damping)⁻¹ gradient. @returns false if rounding makes the matrix indefinite */
  private direction(n: number): boolean {
    const { A, own, mixed, through, d, H, factor, number } = this
    addWork(n, n, (n >> 1) + 1)
    H.fill(0, 0, n * n)
    for (let i = 0; i < n; i++) {
      const row = i * n
      for (let j = 0; j < n; j++) {
        const share = through[i] * A[row + j]
        if (share !== 0) for (let k = 0; k <= j; k++) H[j * n + k] += share * A[row + k]
      }
      if (mixed[i] !== 0) {
        for (let k = 0; k <= i; k++) H[row + k] += mixed[i] * A[row + k]
        for (let k = i + 1; k < n; k++) H[k * n + i] += mixed[i] * A[row + k]
        H[row + i] += mixed[i] * A[row + i]
      }
      H[row + i] += own[i]
    }
    const shift = DAMPING * Math.sqrt(2 * number[0]) + DAMPING_LEAST
    for (let j = 0; j < n; j++) H[j * n + j] += shift
    this.descend(n)
    factor.clear()
    for (let i = 0; i < n; i++) if (!factor.append(i, H, n, 0)) return false
    factor.solve(d, d)
    return true
  }

  /** Whether the present norms pass the first `count` entries of the filter. */
  private passes(count: number): boolean {
    const { filter, norms, number } = this
    const margin = MARGIN * Math.sqrt(2 * number[0])
    for (let entry = 0; entry < count; entry++) {
      let better = false
      for (let k = 0; k < NORMS; k++) if (norms[k] < filter[NORMS * entry + k] - margin) better = true
      if (!better) return false
    }
    return true
  }

  /** Moves x by d, projected, if the filter accepts that point; otherwise x stays. */
  private projected(n: number, passed: number): boolean {
    const { free, x, wx, before, d, number } = this
    const merit = number[0]
    for (let i = 0; i < n; i++) {
      before[i] = x[i]
      x[i] += Math.max(-number[4], Math.min(number[4], d[i]))
      if (free[i] === 0 && x[i] < 0) x[i] = 0
    }
    this.multiply(x, wx)
    this.evaluate(n)
    if (number[0] <= FALLS * merit) number[4] *= 2
    else if (number[0] > GROWS * merit) number[4] = Math.max(RADIUS_LEAST, number[4] / 2)
    if (this.passes(passed)) return true
    for (let i = 0; i < n; i++) x[i] = before[i]
    this.multiply(x, wx)
    this.evaluate(n)
    return false
  }
}

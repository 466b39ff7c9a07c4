import { factorSymmetric, solveSymmetric } from './denseFactor.ts'
import { MeritDescent } from './meritDescent.ts'

/** Weights of the two halves of the residual: Fischer-Burmeister's function, and the products a₊ c₊ that penalise a gap. */
const FISCHER = 0.1
const GAP = 0.9
/** The first steps of an attempt may be projected ones that the filter lets pass. */
const PROJECTED = 20
/** A point passes the filter if one of its norms is less than that of each entry by so much of the point's whole norm. */
const MARGIN = 1e-3
/** Levenberg's parameter is this times the norm of the residual, and never less than the other. */
const DAMPING = 1e-8
const DAMPING_LEAST = 1e-12
/** Merits that the search looks back on. */
const MEMORY = 5
/** Nearer than this to 0 both z_i and w_i count as 0, where Fischer-Burmeister's function has a corner. */
const CORNER = 1e-14
/** Norms by which the filter judges: Fischer-Burmeister's half, the gap's half, the equations of the free unknowns. */
const NORMS = 3

/**
 * A Levenberg-Marquardt method for mixed linear complementarity problems. Kanzow and Petra, On a semismooth least squares
 * formulation of complementarity problems with gap reduction, Optim. Methods Softw. 19 (2004): each pair a = z_i, c = w_i brings
 * two residuals,
 *
 *   0.1 (sqrt(a² + c²) - a - c)   and   0.9 max(a, 0) max(c, 0),
 *
 * and a free unknown its equation w_i = 0. The second is zero at an answer and large where z and w are both far inside, which
 * is where the first alone is flat. There are more residuals than unknowns, so a step minimises the linearised ones in the
 * least-squares sense, with a damping that goes to zero with their norm: quadratic near an answer, and defined everywhere,
 * whatever the rank of A.
 *
 * The first steps of an attempt are taken in full and projected to z >= 0 if a filter lets them pass: the point must be better
 * than every one before it in one of three norms (after Kanzow and Petra, Projected filter trust region methods for a semismooth
 * least squares formulation of mixed complementarity problems, Optim. Methods Softw. 22, 2007; here without a trust region).
 * Where it does not, and later, a non-monotone line search on half the squared norm follows the same direction, or the
 * gradient if rounding leaves none.
 *
 * The merit falls to a stationary point; which need not be an answer. What is done then, and the
 * starts, are those of `MeritDescent`.
 */
export class LevenbergMarquardtMcp extends MeritDescent {
  readonly name = 'lmmcp'
  /** Per row the first residual, or that of a free unknown. */
  private phi = new Float64Array(0)
  private before = new Float64Array(0)
  /** Per row the products of the weights of e_i and A_i in its lines of the Jacobian, and the weight of A_i in the gradient. */
  private own = new Float64Array(0)
  private mixed = new Float64Array(0)
  private through = new Float64Array(0)
  private weight = new Float64Array(0)
  private H = new Float64Array(0)
  /** Norms of the points that have passed in this attempt. */
  private readonly filter = new Float64Array(NORMS * PROJECTED)
  private readonly norms = new Float64Array(NORMS)

  /**
   * @param tolerance largest `complementarityResidual` of an answer
   * @param attempts  starts beyond the guess and zero before it gives up
   */
  constructor(tolerance = 1e-9, attempts = 24) {
    super(tolerance, attempts, MEMORY)
  }

  protected override reserveEquations(n: number): void {
    this.phi = new Float64Array(n)
    this.before = new Float64Array(n)
    this.own = new Float64Array(n)
    this.mixed = new Float64Array(n)
    this.through = new Float64Array(n)
    this.weight = new Float64Array(n)
    this.H = new Float64Array(n * n)
  }

  /** phi, the norms of x and wx, and number[0], the merit. */
  protected override evaluate(n: number): void {
    const { problem, x, wx, phi, norms, number } = this
    const { free } = problem
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

  /** The weights of the Jacobian, and the gradient. */
  protected override linearize(n: number): void {
    const { problem, x, wx, phi, own, mixed, through, weight, gradient, d, Ad } = this
    const { A, free } = problem
    let corners = 0
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
        // the limit from where z = d, w = A d; both residuals are zero
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

  protected override advance(n: number, step: number): boolean {
    const mayProject = step < PROJECTED
    if (mayProject) for (let k = 0; k < NORMS; k++) this.filter[NORMS * step + k] = this.norms[k]
    if (!this.direction(n)) this.descend(n)
    else if (mayProject && this.projected(n, step + 1)) return true
    return this.search(n)
  }

  /** d := -(JᵀJ + damping)⁻¹ gradient; false if rounding makes the matrix indefinite. */
  private direction(n: number): boolean {
    const { problem, own, mixed, through, d, H, number } = this
    const { A } = problem
    H.fill(0, 0, n * n)
    for (let i = 0; i < n; i++) {
      const row = i * n
      for (let j = 0; j < n; j++) {
        const factor = through[i] * A[row + j]
        if (factor !== 0) for (let k = j; k < n; k++) H[j * n + k] += factor * A[row + k]
      }
      if (mixed[i] !== 0) {
        for (let k = 0; k < i; k++) H[k * n + i] += mixed[i] * A[row + k]
        for (let k = i; k < n; k++) H[row + k] += mixed[i] * A[row + k]
        H[row + i] += mixed[i] * A[row + i]
      }
      H[row + i] += own[i]
    }
    const shift = DAMPING * Math.sqrt(2 * number[0]) + DAMPING_LEAST
    for (let j = 0; j < n; j++) H[j * n + j] += shift
    this.descend(n)
    if (!factorSymmetric(n, H)) return false
    solveSymmetric(n, H, d)
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

  /** Moves x by d, projected, if the filter lets that point pass; otherwise x stays. */
  private projected(n: number, passed: number): boolean {
    const { problem, x, wx, before, d } = this
    const { free } = problem
    for (let i = 0; i < n; i++) {
      before[i] = x[i]
      x[i] += d[i]
      if (free[i] === 0 && x[i] < 0) x[i] = 0
    }
    problem.multiply(x, wx)
    this.evaluate(n)
    if (this.passes(passed)) return true
    for (let i = 0; i < n; i++) x[i] = before[i]
    problem.multiply(x, wx)
    this.evaluate(n)
    return false
  }
}

import { factorRows, factorSymmetric, solveRows, solveSymmetric } from './denseFactor.ts'
import { MeritDescent } from './meritDescent.ts'

/** A pivot of the Newton matrix below this share of its largest entry makes it singular. */
const SINGULAR = 1e-13
/** Shift of the matrix of the normal equations when the Newton matrix is singular, relative to the merit's root. */
const SHIFT = 1e-3
/** Merits that the search looks back on. */
const MEMORY = 4
/** Nearer than this to 0 both z_i and w_i count as 0, where phi has a corner. */
const CORNER = 1e-14

/**
 * A damped semismooth Newton method for mixed linear complementarity problems. The pair z_i >= 0, w_i >= 0, z_i w_i = 0 is the
 * equation phi(z_i, w_i) = 0 with phi(a, c) = sqrt(a² + c²) - a - c (Fischer 1992, after Burmeister), and a free unknown brings
 * its equation w_i = 0 as it is. Each step solves the linear system of an element of the C-subdifferential (De Luca, Facchinei
 * and Kanzow, A semismooth equation approach to the solution of nonlinear complementarity problems, Math. Program. 75, 1996,
 * with their element where z_i = w_i = 0), then searches along it on the merit: half the squared norm, which is smooth. Where the
 * matrix is singular or its direction does not descend, a regularised least-squares step is taken, and where that fails, the
 * gradient's.
 *
 * Fast and local: the merit falls to a stationary point, which is an answer if A is a P0-matrix and nothing is free, and may be none
 * otherwise. What is done then, and the starts, are those of `MeritDescent`.
 */
export class FischerBurmeisterNewton extends MeritDescent {
  readonly name = 'fb-newton'
  private phi = new Float64Array(0)
  private da = new Float64Array(0)
  private dc = new Float64Array(0)
  private V = new Float64Array(0)
  private H = new Float64Array(0)
  private order = new Int32Array(0)

  /**
   * @param tolerance largest `complementarityResidual` of an answer
   * @param attempts  starts beyond the guess and zero before it gives up
   */
  constructor(tolerance = 1e-9, attempts = 24) {
    super(tolerance, attempts, MEMORY)
  }

  protected override reserveEquations(n: number): void {
    this.phi = new Float64Array(n)
    this.da = new Float64Array(n)
    this.dc = new Float64Array(n)
    this.V = new Float64Array(n * n)
    this.H = new Float64Array(n * n)
    this.order = new Int32Array(n)
  }

  /** phi and number[0], the merit, of x and wx. */
  protected override evaluate(n: number): void {
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

  /** The weights of V = diag(da) + diag(dc) A, and the gradient Vᵀ phi. */
  protected override linearize(n: number): void {
    const { problem, x, wx, phi, da, dc, gradient, d, Ad } = this
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
  }

  protected override advance(n: number, _step: number): boolean {
    if (this.newton(n) || this.leastSquares(n)) return true
    this.descend(n)
    return this.search(n)
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
    const { problem, da, dc, d, V, H, number } = this
    const { A } = problem
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) V[i * n + j] = dc[i] * A[i * n + j]
      V[i * n + i] += da[i]
    }
    H.fill(0, 0, n * n)
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        const factor = V[i * n + j]
        if (factor !== 0) for (let k = j; k < n; k++) H[j * n + k] += factor * V[i * n + k]
      }
    }
    const shift = SHIFT * Math.min(Math.sqrt(number[0]), 1) + SINGULAR
    for (let j = 0; j < n; j++) H[j * n + j] += shift
    this.descend(n)
    if (!factorSymmetric(n, H)) return false
    solveSymmetric(n, H, d)
    return this.search(n)
  }
}

import { addWork } from '../../../dynamics/math/index.ts'
import { looksSemidefinite, type SolverStatus } from '../complementarity.ts'
import { GrowingFactor } from '../growingFactor.ts'
import { UnilateralSolver } from '../unilateralSolver.ts'

/** Fraction of its diagonal entry below which a row's part independent of the basis counts as zero. */
const DEPENDENT = 1e-10
/** w above minus this fraction of the largest term of A z + b counts as not negative. */
const NEGATIVE = 1e-11
/** A drive that would stop short of its end by less than this fraction of its step ends there. */
const TIE = 1e-9
/** Multiple of that bound up to which the violation of a row dependent on the basis is rounding. */
const LACKING = 100
/** Most pivots per unknown. */
const PIVOTS = 50
/** Times that pulling rows are removed from a guess before the search starts from zero. */
const CUTS = 20

/**
 * Principal pivoting for symmetric positive semidefinite A: each z of a violated row in turn is driven up until that row's w is zero, while
 * the basis follows so that satisfied rows stay satisfied. Dantzig and Cottle, Positive (semi-)definite programming (1967); Cottle, Pang,
 * Stone, The Linear Complementarity Problem (1992), chapter 4; in the form that Baraff, Fast contact force computation for nonpenetrating
 * rigid bodies (1994), gave it for contacts. @unchecked
 *
 * The basis is kept as its factor L D Lᵀ, to which rows are appended and from which they are removed (`GrowingFactor`), so that a pivot
 * takes n² operations, n the size of the basis. Ties are resolved by the least index. The most violated row is driven next.
 *
 * In a semidefinite A a row that depends on the basis never stops a drive, and driving it changes no w: either some z of the basis falls to
 * zero and leaves, or none does, which proves that there is no solution: 'ray'. Matrices that are not symmetric semidefinite are
 * 'not-applicable'. Warm start: the basis, reduced to the rows with z > 0.
 */
export class DantzigSolver extends UnilateralSolver {
  readonly name = 'dantzig'
  private readonly factor = new GrowingFactor()
  /** 1 if z is in the basis. */
  private inBasis = new Uint8Array(0)
  private wNow = new Float64Array(0)
  /** 1: bound of the rounding errors of w. */
  private readonly noise = new Float64Array(1)
  /** Rates per unit of the driven z. */
  private dz = new Float64Array(0)
  private dw = new Float64Array(0)
  /** 1 for a row so nearly dependent on the basis that it is omitted; the check decides on the result. */
  private aside = new Uint8Array(0)
  private rhs = new Float64Array(0)
  private x = new Float64Array(0)

  protected override reserveUnilateral(n: number): void {
    this.factor.reserve(n)
    this.inBasis = new Uint8Array(n)
    this.aside = new Uint8Array(n)
    this.wNow = new Float64Array(n)
    this.dz = new Float64Array(n)
    this.dw = new Float64Array(n)
    this.rhs = new Float64Array(n)
    this.x = new Float64Array(n)
  }

  protected override solveUnilateral(
    n: number,
    A: Float64Array,
    b: Float64Array,
    start: Float64Array,
    z: Float64Array,
  ): SolverStatus {
    if (!looksSemidefinite(n, A)) return 'not-applicable'
    this.begin(n, A, b, start, z)
    this.velocities(n, A, b, z)
    const end = 50 + PIVOTS * n
    let exact = true
    while (this.iterations < end) {
      const d = this.mostViolated(n, A)
      if (d < 0 && exact) return 'solved'
      if (d < 0) {
        // z and w were updated by all drives so far: recompute them from the problem
        this.settle(n, A, b, z)
        this.velocities(n, A, b, z)
        exact = true
        continue
      }
      const status = this.drive(n, A, d, end, z)
      if (status !== 'solved') return status
      exact = false
      this.raiseNoise(n, A, z)
    }
    return 'limit'
  }

  /** Raises the bound of w's rounding errors, which grow with z and the terms of A z + b. */
  private raiseNoise(n: number, A: Float64Array, z: Float64Array): void {
    const { noise, factor } = this
    for (let k = 0; k < factor.size; k++) {
      const i = factor.rows[k]
      const term = NEGATIVE * Math.abs(A[i * n + i] * z[i])
      if (term > noise[0]) noise[0] = term
    }
  }

  /** Sets the basis of the guess, and its z >= 0. */
  private begin(n: number, A: Float64Array, b: Float64Array, start: Float64Array, z: Float64Array): void {
    const { factor, inBasis } = this
    factor.clear()
    inBasis.fill(0, 0, n)
    this.aside.fill(0, 0, n)
    for (let i = 0; i < n; i++) {
      if (start[i] > 0 && factor.append(i, A, n, DEPENDENT)) inBasis[i] = 1
    }
    this.iterations += factor.size
    for (let cut = 0; factor.size > 0; cut++) {
      this.settle(n, A, b, z)
      let negative = false
      for (let k = factor.size - 1; k >= 0; k--) {
        const i = factor.rows[k]
        if (z[i] > 0 && cut < CUTS) continue
        negative = true
        this.leave(i, z)
      }
      if (!negative) return
    }
  }

  /** Computes z of the basis from the right-hand side. */
  private settle(n: number, A: Float64Array, b: Float64Array, z: Float64Array): void {
    const { factor, rhs, x } = this
    const { rows, size } = factor
    addWork(size, size, 1)
    for (let k = 0; k < size; k++) rhs[k] = -b[rows[k]]
    factor.solve(rhs, x)
    for (let k = 0; k < size; k++) z[rows[k]] = x[k]
    // one refinement by the residual
    for (let k = 0; k < size; k++) {
      const row = rows[k] * n
      let sum = -b[rows[k]]
      for (let l = 0; l < size; l++) sum -= A[row + rows[l]] * z[rows[l]]
      rhs[k] = sum
    }
    factor.solve(rhs, x)
    for (let k = 0; k < size; k++) z[rows[k]] += x[k]
  }

  /** Computes w of z, by rows of the symmetric A. */
  private velocities(n: number, A: Float64Array, b: Float64Array, z: Float64Array): void {
    const { factor, wNow, noise } = this
    const { rows, size } = factor
    addWork(n, size, 1)
    let largest = 0
    for (let i = 0; i < n; i++) {
      wNow[i] = b[i]
      if (Math.abs(b[i]) > largest) largest = Math.abs(b[i])
    }
    for (let k = 0; k < size; k++) {
      const row = rows[k] * n
      const value = z[rows[k]]
      for (let i = 0; i < n; i++) {
        const term = A[row + i] * value
        wNow[i] += term
        if (Math.abs(term) > largest) largest = Math.abs(term)
      }
    }
    noise[0] = NEGATIVE * largest
  }

  /** The most violated row outside the basis, in units of its diagonal entry's root; -1 if there is none. */
  private mostViolated(n: number, A: Float64Array): number {
    const { wNow, noise, inBasis, aside } = this
    let worst = -1
    let most = 0
    for (let i = 0; i < n; i++) {
      if (inBasis[i] === 1 || aside[i] === 1 || wNow[i] >= -noise[0]) continue
      const own = A[i * n + i]
      const measure = (wNow[i] * wNow[i]) / (own > Number.MIN_VALUE ? own : Number.MIN_VALUE)
      if (measure <= most) continue
      most = measure
      worst = i
    }
    return worst
  }

  /** Drives z_d up until w_d = 0. @returns 'solved' if that is reached */
  private drive(n: number, A: Float64Array, d: number, end: number, z: Float64Array): SolverStatus {
    const { factor, inBasis, aside, wNow, noise, dz, dw } = this
    while (this.iterations < end) {
      this.direction(n, A, d)
      const { rows, size } = factor
      const own = dw[d]
      const depends = own <= DEPENDENT * A[d * n + d]
      const whole = depends ? Number.POSITIVE_INFINITY : -wNow[d] / own
      let step = whole
      let stopper = d
      for (let k = 0; k < size; k++) {
        const j = rows[k]
        if (!(dz[j] < 0)) continue
        const reach = z[j] > 0 ? -z[j] / dz[j] : 0
        if (reach < step || (reach === step && j < stopper)) {
          step = reach
          stopper = j
        }
      }
      if (!depends) {
        for (let i = 0; i < n; i++) {
          // skips rows that are negative themselves, and those that depend on the basis, which do not move
          if (inBasis[i] === 1 || aside[i] === 1 || i === d || wNow[i] < -noise[0]) continue
          if (!(dw[i] < -DEPENDENT * Math.sqrt(A[i * n + i] * A[d * n + d]))) continue
          const reach = wNow[i] > 0 ? -wNow[i] / dw[i] : 0
          if (reach < step || (reach === step && i < stopper)) {
            step = reach
            stopper = i
          }
        }
      }
      if (step === Number.POSITIVE_INFINITY) {
        if (-wNow[d] > LACKING * noise[0]) return 'ray'
        this.setAside(n, A, d, z)
        return 'solved'
      }
      if (step >= whole * (1 - TIE)) {
        step = whole
        stopper = d
      }
      this.iterations++
      z[d] += step
      for (let k = 0; k < size; k++) z[rows[k]] += step * dz[rows[k]]
      for (let i = 0; i < n; i++) if (inBasis[i] === 0) wNow[i] += step * dw[i]
      if (inBasis[stopper] === 1) this.leave(stopper, z)
      else if (factor.append(stopper, A, n, DEPENDENT)) {
        inBasis[stopper] = 1
        if (stopper === d) return 'solved'
      } else {
        // so nearly dependent that its motion is rounding
        aside[stopper] = 1
        if (stopper === d) return 'residual'
      }
    }
    return 'limit'
  }

  /** Computes the rates of z of the basis and w of the rest as z_d rises. */
  private direction(n: number, A: Float64Array, d: number): void {
    const { factor, dz, dw, rhs, x } = this
    const { rows, size } = factor
    addWork(n, size + 1, 1)
    for (let k = 0; k < size; k++) rhs[k] = -A[rows[k] * n + d]
    factor.solve(rhs, x)
    for (let k = 0; k < size; k++) dz[rows[k]] = x[k]
    for (let i = 0; i < n; i++) dw[i] = A[d * n + i]
    for (let k = 0; k < size; k++) {
      const row = rows[k] * n
      const value = x[k]
      for (let i = 0; i < n; i++) dw[i] += A[row + i] * value
    }
  }

  /** Reduces z_d, which changes no w, to 0, or until a z of the basis is 0, which z_d replaces. */
  private setAside(n: number, A: Float64Array, d: number, z: Float64Array): void {
    const { factor, inBasis, aside, dz } = this
    aside[d] = 1
    const { rows, size } = factor
    let step = z[d]
    let stopper = d
    for (let k = 0; k < size; k++) {
      const j = rows[k]
      if (!(dz[j] > 0) || z[j] >= step * dz[j]) continue
      step = z[j] / dz[j]
      stopper = j
    }
    z[d] -= step
    for (let k = 0; k < size; k++) z[rows[k]] -= step * dz[rows[k]]
    if (stopper === d) {
      z[d] = 0
      return
    }
    this.leave(stopper, z)
    if (factor.append(d, A, n, DEPENDENT)) inBasis[d] = 1
    else z[d] = 0
  }

  private leave(i: number, z: Float64Array): void {
    this.factor.remove(i)
    this.inBasis[i] = 0
    this.wNow[i] = 0
    z[i] = 0
  }
}

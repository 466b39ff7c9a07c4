import { addWork } from '../../../dynamics/math/index.ts'
import type { SolverStatus } from '../complementarity.ts'
import { UnilateralSolver } from '../unilateralSolver.ts'

/** Most unknowns that are not free: with more there are too many bases. */
const MOST = 14
/** Relative difference below which solutions count as equal. */
const SAME = 1e-7
/** Entries below this count as zero in the tableau of a singular basis, scaled to entries of 1. */
const ZERO = 1e-10

/**
 * Every complementary basis in turn, 2ⁿ of them, each solved by elimination: all solutions that are unique in their basis, in the order of
 * their bases, counted as binary numbers with unknown 0 as last digit. `z` is the first. @unchecked
 *
 * A singular basis has no solution or a whole face of them. If no regular basis has any, the singular ones are searched too, in the same
 * order, for one corner of that face, by the first phase of the simplex method with Bland's rule: so a solution is missed only where
 * rounding decides. Where none is found there is none, and the status is 'residual'.
 *
 * For at most 14 unknowns besides free ones; 'not-applicable' beyond. A start has no effect.
 */
export class Enumeration extends UnilateralSolver {
  readonly name = 'enumeration'
  /** Number of solutions of the last solve, and the unknowns of each, without free ones. */
  answerCount = 0
  answers: Float64Array[] = []
  private readonly most: number
  private inBasis = new Uint8Array(0)
  private trial = new Float64Array(0)
  /** Tableau of a singular basis: n rows of its m unknowns, the slacks of the other rows, artificial variables, and the right-hand side. */
  private T = new Float64Array(0)
  private basicOf = new Int32Array(0)

  /** @param most most unknowns besides free ones; with more it is not applicable */
  constructor(tolerance?: number, most = MOST) {
    super(tolerance)
    this.most = most
  }

  protected override reserveUnilateral(n: number): void {
    this.inBasis = new Uint8Array(n)
    this.trial = new Float64Array(n)
    const small = Math.min(n, this.most)
    this.T = new Float64Array((small + 1) * (2 * small + 1))
    this.basicOf = new Int32Array(small)
  }

  protected override solveUnilateral(
    n: number,
    A: Float64Array,
    b: Float64Array,
    _start: Float64Array,
    z: Float64Array,
  ): SolverStatus {
    this.answerCount = 0
    if (n > this.most) return 'not-applicable'
    const { basis, inBasis, trial } = this
    const bases = 2 ** n
    for (let count = 0; count < bases; count++) {
      for (let i = 0; i < n; i++) inBasis[i] = (count >> i) & 1
      this.iterations++
      if (basis.solve(n, A, b, inBasis, trial) && isNearlyPositive(n, trial) && this.isAnswer(n, A, b, trial)) this.keep(n, trial)
    }
    for (let count = 1; count < bases && this.answerCount === 0; count++) {
      for (let i = 0; i < n; i++) inBasis[i] = (count >> i) & 1
      if (basis.solve(n, A, b, inBasis, trial)) continue
      this.iterations++
      if (this.corner(n, A, b) && this.isAnswer(n, A, b, trial)) this.keep(n, trial)
    }
    if (this.answerCount === 0) return 'residual'
    const first = this.answers[0]
    for (let i = 0; i < n; i++) z[i] = first[i]
    return 'solved'
  }

  /** Stores a solution unless it is known already. */
  private keep(n: number, z: Float64Array): void {
    const { answers, answerCount } = this
    for (let k = 0; k < answerCount; k++) {
      let largest = 0
      let off = 0
      for (let i = 0; i < n; i++) {
        if (Math.abs(z[i]) > largest) largest = Math.abs(z[i])
        if (Math.abs(answers[k][i]) > largest) largest = Math.abs(answers[k][i])
        if (Math.abs(z[i] - answers[k][i]) > off) off = Math.abs(z[i] - answers[k][i])
      }
      if (off <= SAME * largest) return
    }
    if (answerCount === answers.length) answers.push(new Float64Array(this.z.length))
    if (answers[answerCount].length < n) answers[answerCount] = new Float64Array(this.z.length)
    for (let i = 0; i < n; i++) answers[answerCount][i] = z[i]
    this.answerCount++
  }

  /**
   * trial := a corner of the face z >= 0 in the basis, A z + b = 0 in its rows, A z + b >= 0 in the others. @returns false if there is
   * none. Columns: n, the unknown or, for a row outside the basis, its slack w; n artificial variables; right-hand side.
   */
  private corner(n: number, A: Float64Array, b: Float64Array): boolean {
    const { T, basicOf, inBasis, trial } = this
    const width = 2 * n + 1
    const cost = n * width
    T.fill(0, 0, (n + 1) * width)
    let scale = 0
    for (let k = 0; k < n * n; k++) if (Math.abs(A[k]) > scale) scale = Math.abs(A[k])
    let scaleB = 0
    for (let i = 0; i < n; i++) if (Math.abs(b[i]) > scaleB) scaleB = Math.abs(b[i])
    for (let i = 0; i < n; i++) {
      // A z - w = -b, with signs such that the right-hand side is not negative
      const sign = b[i] <= 0 ? 1 : -1
      for (let j = 0; j < n; j++) if (inBasis[j] === 1) T[i * width + j] = (sign * A[i * n + j]) / scale
      if (inBasis[i] === 0) T[i * width + i] = -sign
      T[i * width + n + i] = 1
      T[i * width + 2 * n] = Math.abs(b[i]) / scaleB
      basicOf[i] = n + i
    }
    for (let j = 0; j < width; j++) {
      if (j >= n && j < 2 * n) continue
      for (let i = 0; i < n; i++) T[cost + j] += T[i * width + j]
    }
    for (let pivot = 0; pivot < 50 * n; pivot++) {
      addWork(n + 1, width, 1)
      let entering = 0
      while (entering < n && T[cost + entering] <= ZERO) entering++
      if (entering === n) break
      let row = -1
      let least = Number.POSITIVE_INFINITY
      for (let i = 0; i < n; i++) {
        const entry = T[i * width + entering]
        if (entry <= ZERO) continue
        const ratio = T[i * width + 2 * n] / entry
        if (ratio < least || (ratio === least && basicOf[i] < basicOf[row])) {
          least = ratio
          row = i
        }
      }
      if (row < 0) return false
      const inverse = 1 / T[row * width + entering]
      for (let j = 0; j < width; j++) T[row * width + j] *= inverse
      for (let i = 0; i <= n; i++) {
        const factor = T[i * width + entering]
        if (i === row || factor === 0) continue
        for (let j = 0; j < width; j++) T[i * width + j] -= factor * T[row * width + j]
      }
      basicOf[row] = entering
    }
    if (T[cost + 2 * n] > 1e-8) return false
    trial.fill(0, 0, n)
    for (let i = 0; i < n; i++) {
      const j = basicOf[i]
      if (j < n && inBasis[j] === 1) trial[j] = (T[i * width + 2 * n] * scaleB) / scale
    }
    return true
  }
}

/** Cheap test before the computation of w: whether no z is clearly negative. */
function isNearlyPositive(n: number, z: Float64Array): boolean {
  let largest = 0
  let least = 0
  for (let i = 0; i < n; i++) {
    if (z[i] > largest) largest = z[i]
    if (z[i] < least) least = z[i]
  }
  return least >= -1e-9 * largest
}

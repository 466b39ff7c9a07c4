import type { SolverStatus } from '../complementarity.ts'
import { UnilateralSolver } from '../unilateralSolver.ts'
import { suggestBasis } from './basis.ts'
import { PivotTableau } from './pivotTableau.ts'

/**
 * Covering vectors of the attempts: ones, then ones with an uneven part of 0 to 1 (multiples of the golden ratio), for another path. And
 * greatest violation of a row in the last step, in which z0 leaves; the check decides on the result.
 */
const UNEVEN = Float64Array.of(0, 0.6180339887498949, 0.4142135623730951)
const LAST_TOLERANCE = Float64Array.of(1e-9, 1e-12, 1e-10)

/**
 * The linear complementarity problem: find z >= 0 with w = A z + b >= 0 and zᵀw = 0, by Lemke's algorithm. Lemke (1965); Cottle, Pang,
 * Stone, The Linear Complementarity Problem (1992), algorithm 4.4.5, with the covering vector of ones and the lexicographic minimum ratio
 * of their section 4.9, so that degenerate problems do not cycle. Unknowns free of sign are eliminated first. @unchecked
 *
 * A problem whose first attempt ends without a solution is tried again from another covering vector: if rounding misled the first path, the
 * second mostly succeeds.
 *
 * Warm start: the unknowns that are positive in the guess. If they are the basis of a solution, one elimination suffices. If not, they
 * enter by principal pivots, which gives an equivalent problem, and the covering vector is applied to that; this takes few pivots if the
 * guess is nearly right. It need not end with a solution, because a principal pivot may lead out of the class for which the algorithm is
 * guaranteed, the copositive matrices of friction for one: then z = 0 is the start, and its status is returned.
 */
export class LemkeSolver extends UnilateralSolver {
  readonly name = 'lemke'
  /** 2: the largest entry of A, and of b; and their inverses. */
  private readonly size = new Float64Array(2)
  private readonly scale = new Float64Array(2)
  /** The tableau; its parameter is z0. */
  private readonly tableau = new PivotTableau()
  /** Per pair: 1 if the search starts with z, 0 if with w; and a working copy. */
  private startsWithZ = new Uint8Array(0)
  private inBasis = new Uint8Array(0)
  private readonly limit: number
  private nothingKnown = new Float64Array(0)

  /**
   * @param tolerance largest `residual` that counts as solved
   * @param capacity  unknowns for which space is reserved at first
   * @param limit     most pivots of one attempt, per unknown
   */
  constructor(tolerance = 1e-9, capacity = 0, limit = 20) {
    super(tolerance)
    this.limit = limit
    this.reserve(capacity)
  }

  protected override reserveUnilateral(n: number): void {
    this.tableau.reserve(n)
    this.startsWithZ = new Uint8Array(n)
    this.inBasis = new Uint8Array(n)
    this.nothingKnown = new Float64Array(n)
  }

  /** As in `ComplementaritySolver`; without `free` no unknown is free, without `start` there is no guess. */
  override solve(n: number, A: Float64Array, b: Float64Array, free?: Uint8Array, start?: Float64Array): SolverStatus {
    this.reserve(n)
    return super.solve(n, A, b, free ?? this.nothingFree, start ?? this.nothingKnown)
  }

  protected override solveUnilateral(
    n: number,
    A: Float64Array,
    b: Float64Array,
    start: Float64Array,
    z: Float64Array,
  ): SolverStatus {
    const { size, scale, startsWithZ } = this
    size.fill(0)
    let leastB = 0
    for (let i = 0; i < n; i++) {
      if (Math.abs(b[i]) > size[1]) size[1] = Math.abs(b[i])
      if (b[i] < leastB) leastB = b[i]
    }
    for (let k = 0; k < n * n; k++) if (Math.abs(A[k]) > size[0]) size[0] = Math.abs(A[k])
    if (leastB >= 0) return 'solved' // z = 0
    if (size[0] === 0) return 'ray'
    scale[0] = 1 / size[0]
    scale[1] = 1 / size[1]

    if (suggestBasis(n, A, b, start, startsWithZ)) {
      if (this.basis.solve(n, A, b, startsWithZ, z) && this.isAnswer(n, A, b, z)) return 'solved'
      if (this.attempt(n, A, b, 0, true, z) === 'solved') return 'solved'
      startsWithZ.fill(0, 0, n)
    }
    let first: SolverStatus = 'residual'
    for (let attempt = 0; attempt < UNEVEN.length; attempt++) {
      const status = this.attempt(n, A, b, attempt, false, z)
      if (status === 'solved') return status
      if (attempt === 0) first = status
    }
    return first
  }

  /** One search from the basis of `startsWithZ`, within the limit of pivots. */
  private attempt(n: number, A: Float64Array, b: Float64Array, attempt: number, warm: boolean, z: Float64Array): SolverStatus {
    const { tableau, size, scale, startsWithZ, inBasis } = this
    const { T, basic } = tableau
    tableau.load(n, A, b, scale)
    inBasis.set(startsWithZ)
    for (let i = 0; i < n; i++) this.iterations += startsWithZ[i]
    tableau.bringIn(n, inBasis)
    const status = this.follow(n, attempt, warm)
    z.fill(0, 0, n)
    if (status !== 'solved') return status
    inBasis.fill(0, 0, n)
    for (let i = 0; i < n; i++) {
      if (basic[i] < n) continue
      inBasis[basic[i] - n] = 1
      z[basic[i] - n] = (T[i * (n + 2) + n + 1] * size[1]) / size[0]
    }
    if (this.isAnswer(n, A, b, z)) return 'solved'
    // Pivots have accumulated rounding: solve for the same basis from the given problem.
    return this.basis.solve(n, A, b, inBasis, z) && this.isAnswer(n, A, b, z) ? 'solved' : 'residual'
  }

  /**
   * Applies the covering vector to the tableau and drives z0 to zero. From a guess it covers only negative rows, so that the path begins
   * near the guess.
   */
  private follow(n: number, attempt: number, warm: boolean): SolverStatus {
    const { tableau } = this
    const { T, basic, where } = tableau
    const width = n + 2
    const uneven = UNEVEN[attempt]
    for (let i = 0; i < n; i++) T[i * width + n] = warm && T[i * width + n + 1] >= 0 ? 0 : 1 + ((i * uneven) % 1)
    const first = tableau.startRow(n)
    if (first < 0) return 'solved'
    let leaving = basic[first]
    tableau.exchange(n, first, n)
    const limit = ++this.iterations + 50 + this.limit * n
    while (this.iterations < limit) {
      // the complement of the variable that left enters
      const column = where[leaving < n ? leaving + n : leaving - n]
      const row = tableau.ratioTest(n, column, LAST_TOLERANCE, attempt)
      if (row < 0) return 'ray'
      leaving = basic[row]
      tableau.exchange(n, row, column)
      this.iterations++
      if (leaving === 2 * n) return 'solved'
    }
    return 'limit'
  }
}

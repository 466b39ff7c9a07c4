import { suggestBasis } from './basis.ts'
import type { SolverStatus } from './complementarity.ts'
import { lexicographicLeast, TIE_TOLERANCE } from './lexicographic.ts'
import { UnilateralSolver } from './unilateralSolver.ts'

/** Entries of the scaled tableau below this count as zero for a pivot (the largest of the matrix and of b are 1). */
const PIVOT_TOLERANCE = 1e-11
/**
 * Attempts differ in two things. Covering vector: ones, then ones with an uneven part of 0 to 1 (by multiples of the
 * golden ratio), which takes another path. Last step: one that takes z0 out is taken if it leaves no row further below
 * zero than this, and the check judges the answer.
 */
const UNEVEN = Float64Array.of(0, 0.6180339887498949, 0.4142135623730951)
const LAST_TOLERANCE = Float64Array.of(1e-9, 1e-12, 1e-10)
/** A guess's unknowns come into the basis by pivots no smaller than this. */
const START_TOLERANCE = 1e-6

/**
 * The linear complementarity problem: find z >= 0 with w = A z + b >= 0 and zᵀw = 0, by Lemke's algorithm.
 * Lemke (1965); Cottle, Pang, Stone, The Linear Complementarity Problem (1992), algorithm 4.4.5, with the covering
 * vector of ones and the lexicographic minimum ratio of their section 4.9, so that degenerate problems do not cycle.
 * Unknowns that are free of sign are eliminated first.
 *
 * The tableau is condensed: its columns are the variables outside the basis alone (n + 1 and the right-hand side), and
 * a pivot exchanges two names. The columns of the inverse basis that the lexicographic order reads are those of the
 * variables that the search started with: a stored column while such a one is outside the basis, a unit vector while it is
 * inside.
 *
 * A problem whose first attempt ends without an answer is tried again from another covering vector: where rounding misled
 * the first path, the second mostly arrives.
 *
 * Warm start: the unknowns that are positive in the guess. If they are the basis of an answer, one elimination shows it. If
 * not, they are brought in by principal pivots, which turns the problem into an equivalent one, and the covering vector is
 * laid over that; this takes few pivots if the guess is nearly right. It need not end with an answer, because a principal
 * pivot may lead out of the class that the algorithm is sure of, the copositive matrices of friction for one: then z = 0 is
 * the start, and what that ends in is what is said.
 */
export class LemkeSolver extends UnilateralSolver {
  readonly name = 'lemke'
  /** 2: the largest entry of A, and of b. */
  private readonly scale = new Float64Array(2)
  private tableau = new Float64Array(0)
  /**
   * Per row the variable in the basis, per column the one outside: 0..n-1 are the ones that the search starts with, one of
   * each pair, n..2n-1 their complements, 2n is z0.
   */
  private basic = new Int32Array(0)
  private nonbasic = new Int32Array(0)
  /** Per variable of the start: its column while outside the basis, else -1 - (its row). */
  private where = new Int32Array(0)
  /** Per pair: 1 if the search starts with z, 0 if with w. */
  private startsWithZ = new Uint8Array(0)
  /** Per pair: 1 if z is to come into the basis; and at the end, if it is there. */
  private inBasis = new Uint8Array(0)
  private candidates = new Int32Array(0)
  /** 0, 1, 2, ..: the lexicographic order. */
  private order = new Int32Array(0)
  private readonly limit: number
  private nothingKnown = new Float64Array(0)

  /**
   * @param tolerance largest `residual` that counts as solved
   * @param capacity  unknowns that there is room for from the start
   * @param limit     cap on the pivots of one attempt, per unknown
   */
  constructor(tolerance = 1e-9, capacity = 0, limit = 20) {
    super(tolerance)
    this.limit = limit
    this.reserve(capacity)
  }

  protected override reserveUnilateral(n: number): void {
    this.tableau = new Float64Array(n * (n + 2))
    this.basic = new Int32Array(n)
    this.nonbasic = new Int32Array(n + 1)
    this.where = new Int32Array(n)
    this.startsWithZ = new Uint8Array(n)
    this.inBasis = new Uint8Array(n)
    this.candidates = new Int32Array(n)
    this.order = new Int32Array(n)
    for (let i = 0; i < n; i++) this.order[i] = i
    this.nothingKnown = new Float64Array(n)
  }

  /** As `ComplementaritySolver` has it; without `free` nothing is free, without `start` nothing is known. */
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
    const { scale, startsWithZ } = this
    scale.fill(0)
    let leastB = 0
    for (let i = 0; i < n; i++) {
      if (Math.abs(b[i]) > scale[1]) scale[1] = Math.abs(b[i])
      if (b[i] < leastB) leastB = b[i]
    }
    for (let k = 0; k < n * n; k++) if (Math.abs(A[k]) > scale[0]) scale[0] = Math.abs(A[k])
    if (leastB >= 0) return 'solved' // z = 0
    if (scale[0] === 0) return 'ray'

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

  /** One search from the basis that `startsWithZ` says. */
  private attempt(n: number, A: Float64Array, b: Float64Array, attempt: number, warm: boolean, z: Float64Array): SolverStatus {
    const { tableau, basic, scale, startsWithZ, inBasis } = this
    this.build(n, A, b)
    let status: SolverStatus = 'solved'
    if (this.cover(n, attempt, warm)) status = this.pivots(n, this.iterations + 50 + this.limit * n, attempt)
    z.fill(0, 0, n)
    if (status !== 'solved') return status
    inBasis.fill(0, 0, n)
    for (let i = 0; i < n; i++) {
      const pair = basic[i] < n ? basic[i] : basic[i] - n
      if ((startsWithZ[pair] === 1) !== basic[i] < n) continue
      inBasis[pair] = 1
      z[pair] = (tableau[i * (n + 2) + n + 1] * scale[1]) / scale[0]
    }
    if (this.isAnswer(n, A, b, z)) return 'solved'
    // Rounding has piled up over the pivots: solve for the same basis afresh from the problem as given.
    return this.basis.solve(n, A, b, inBasis, z) && this.isAnswer(n, A, b, z) ? 'solved' : 'residual'
  }

  /** The tableau of w - A z = b, scaled, then taken to the basis that `startsWithZ` says, as far as there are pivots for it. */
  private build(n: number, A: Float64Array, b: Float64Array): void {
    const scaleA = 1 / this.scale[0]
    const scaleB = 1 / this.scale[1]
    const { tableau, basic, nonbasic, where, startsWithZ, inBasis } = this
    const width = n + 2
    let waiting = 0
    for (let i = 0; i < n; i++) {
      const row = i * width
      for (let j = 0; j < n; j++) tableau[row + j] = -A[i * n + j] * scaleA
      tableau[row + n] = 0
      tableau[row + n + 1] = b[i] * scaleB
      basic[i] = i
      nonbasic[i] = n + i
      where[i] = -1 - i
      inBasis[i] = startsWithZ[i]
      waiting += startsWithZ[i]
    }
    nonbasic[n] = 2 * n
    if (waiting === 0) return
    const pivots = this.iterations
    this.bringIn(n)
    // From here on a variable is named after its being in this basis or outside, whether it is a z or a w.
    for (let i = 0; i < n; i++) {
      startsWithZ[i] = 0
      where[i] = -1 - i
    }
    for (let i = 0; i < n; i++) {
      const pair = basic[i] < n ? basic[i] : basic[i] - n
      if (basic[i] >= n) startsWithZ[pair] = 1
      basic[i] = pair
      where[pair] = -1 - i
      nonbasic[i] = n + (nonbasic[i] < n ? nonbasic[i] : nonbasic[i] - n)
    }
    this.iterations = pivots + waiting
  }

  /** Brings in the z that `inBasis` says, by the largest pivots of the diagonal, or of two rows in each other's columns. */
  private bringIn(n: number): void {
    const { tableau, inBasis } = this
    const width = n + 2
    for (;;) {
      let best = -1
      for (let i = 0; i < n; i++) {
        if (inBasis[i] === 0) continue
        if (best < 0 || Math.abs(tableau[i * width + i]) > Math.abs(tableau[best * width + best])) best = i
      }
      if (best < 0) return
      if (Math.abs(tableau[best * width + best]) > START_TOLERANCE) {
        this.exchange(n, best, best)
        inBasis[best] = 0
        continue
      }
      let k = -1
      let l = -1
      let most = START_TOLERANCE * START_TOLERANCE
      for (let i = 0; i < n; i++) {
        if (inBasis[i] === 0) continue
        for (let j = 0; j < i; j++) {
          if (inBasis[j] === 0) continue
          const product = Math.abs(tableau[i * width + j] * tableau[j * width + i])
          if (product <= most) continue
          most = product
          k = i
          l = j
        }
      }
      if (k < 0) return
      this.exchange(n, k, l)
      this.exchange(n, l, k)
      inBasis[k] = 0
      inBasis[l] = 0
      // rows k and l hold each other's z, and their columns each other's w: back to where the diagonal is looked for
      this.swap(n, k, l)
    }
  }

  /** Rows k and l of the tableau change places with their names. */
  private swap(n: number, k: number, l: number): void {
    const { tableau, basic, nonbasic } = this
    const width = n + 2
    for (let j = 0; j < width; j++) {
      const entry = tableau[k * width + j]
      tableau[k * width + j] = tableau[l * width + j]
      tableau[l * width + j] = entry
    }
    const name = basic[k]
    basic[k] = basic[l]
    basic[l] = name
    for (let i = 0; i < n; i++) {
      const entry = tableau[i * width + k]
      tableau[i * width + k] = tableau[i * width + l]
      tableau[i * width + l] = entry
    }
    const other = nonbasic[k]
    nonbasic[k] = nonbasic[l]
    nonbasic[l] = other
  }

  /**
   * Lays the covering vector over the tableau, and brings z0 in for the row that needs most of it; false if none does. From a
   * guess it covers only the rows that are negative, so that the path begins near the guess.
   */
  private cover(n: number, attempt: number, warm: boolean): boolean {
    const uneven = UNEVEN[attempt]
    const { tableau } = this
    const width = n + 2
    for (let i = 0; i < n; i++) tableau[i * width + n] = warm && tableau[i * width + n + 1] >= 0 ? 0 : -1 - ((i * uneven) % 1)
    // among equals the last row leaves the rest lexicographically positive
    let least = -1
    for (let i = 0; i < n; i++) {
      const row = i * width
      if (tableau[row + n + 1] >= 0) continue
      if (least < 0 || tableau[row + n + 1] * tableau[least * width + n] >= tableau[least * width + n + 1] * tableau[row + n])
        least = i
    }
    if (least < 0) return false
    this.exchange(n, least, n)
    return true
  }

  private pivots(n: number, limit: number, attempt: number): SolverStatus {
    const { basic, nonbasic } = this
    const z0 = 2 * n
    let column = n // where z0 was, the variable that left stands now
    while (this.iterations < limit) {
      // the complement of what left comes in
      const left = nonbasic[column]
      const entering = left < n ? left + n : left - n
      column = 0
      while (nonbasic[column] !== entering) column++
      const row = this.ratioTest(n, column, attempt)
      if (row < 0) return 'ray'
      const leaving = basic[row]
      this.exchange(n, row, column)
      if (leaving === z0) return 'solved'
    }
    return 'limit'
  }

  /** The row whose [right-hand side, row of the inverse basis] over its pivot is lexicographically least; -1 if none. */
  private ratioTest(n: number, column: number, attempt: number): number {
    const { tableau, basic, where, order, candidates } = this
    const width = n + 2
    let least = Number.POSITIVE_INFINITY
    for (let i = 0; i < n; i++) {
      const pivot = tableau[i * width + column]
      if (pivot > PIVOT_TOLERANCE) {
        const ratio = tableau[i * width + n + 1] / pivot
        if (ratio < least) least = ratio
      }
    }
    if (least === Number.POSITIVE_INFINITY) return -1
    // Ties are told in the rows' own units, not by their ratios, whose rounding errors small pivots blow up.
    let count = 0
    for (let i = 0; i < n; i++) {
      const pivot = tableau[i * width + column]
      if (pivot > PIVOT_TOLERANCE && isTie(tableau[i * width + n + 1], least * pivot)) candidates[count++] = i
    }
    if (count > 1 || basic[candidates[0]] !== 2 * n) {
      const row = this.rowOfZ0(n, column, attempt)
      if (row >= 0) return row
    }
    return lexicographicLeast(tableau, width, column, 1, order, n, where, candidates, count)
  }

  /** The row of z0 if z0 may leave now, which ends the search: then no row falls below zero; -1 otherwise. */
  private rowOfZ0(n: number, column: number, attempt: number): number {
    const { tableau, basic } = this
    const width = n + 2
    let row = 0
    while (basic[row] !== 2 * n) row++
    const pivot = tableau[row * width + column]
    if (!(pivot > PIVOT_TOLERANCE)) return -1
    const ratio = tableau[row * width + n + 1] / pivot
    for (let i = 0; i < n; i++) {
      if (tableau[i * width + n + 1] - ratio * tableau[i * width + column] < -LAST_TOLERANCE[attempt]) return -1
    }
    return row
  }

  /** Exchanges the variable of a row with that of a column. */
  private exchange(n: number, row: number, column: number): void {
    const { tableau, basic, nonbasic, where } = this
    const width = n + 2
    const pivotRow = row * width
    const inverse = 1 / tableau[pivotRow + column]
    for (let j = 0; j < width; j++) tableau[pivotRow + j] *= inverse
    tableau[pivotRow + column] = inverse
    for (let i = 0; i < n; i++) {
      if (i === row) continue
      const at = i * width
      const factor = tableau[at + column]
      if (factor === 0) continue
      tableau[at + column] = 0
      for (let j = 0; j < width; j++) tableau[at + j] -= factor * tableau[pivotRow + j]
    }
    const enters = nonbasic[column]
    const leaves = basic[row]
    basic[row] = enters
    nonbasic[column] = leaves
    if (enters < n) where[enters] = -1 - row
    if (leaves < n) where[leaves] = column
    this.iterations++
  }
}

const isTie = (value: number, bound: number): boolean => value - bound <= TIE_TOLERANCE * (1 + Math.abs(bound))

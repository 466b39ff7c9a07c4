/**
 * How a solve ended.
 * `solved`: z is an answer, checked against the problem as it was given.
 * `ray`: the driving variable could grow for ever; for some classes of matrix (positive semidefinite,
 * copositive-plus) this proves that there is no answer, for others it does not.
 * `limit`: the cap on pivots was reached. `residual`: an end was reached, but its answer does not hold.
 */
export type LemkeStatus = 'solved' | 'ray' | 'limit' | 'residual'

/** Entries of the scaled tableau below this count as zero for a pivot (the largest of the matrix and of b are 1). */
const PIVOT_TOLERANCE = 1e-11
/** Rows that a step would leave within this of zero tie, and the lexicographic order decides; see `ratioTest`. */
const TIE_TOLERANCE = 1e-11
/**
 * Attempts differ in two things. Covering vector: ones, then ones with an uneven part of 0 to 1 (by multiples of the
 * golden ratio), which takes another path. Last step: one that takes z0 out is taken if it leaves no row further below
 * zero than this, and the check judges the answer.
 */
const UNEVEN = Float64Array.of(0, 0.6180339887498949, 0.4142135623730951)
const LAST_TOLERANCE = Float64Array.of(1e-9, 1e-12, 1e-10)

/**
 * The linear complementarity problem: find z >= 0 with w = A z + b >= 0 and zᵀw = 0, by Lemke's algorithm.
 * Lemke (1965); Cottle, Pang, Stone, The Linear Complementarity Problem (1992), algorithm 4.4.5, with the covering
 * vector of ones and the lexicographic minimum ratio of their section 4.9, so that degenerate problems do not cycle.
 *
 * The tableau is condensed: its columns are the variables outside the basis alone (n + 1 and the right-hand side), and
 * a pivot exchanges two names. The columns of the inverse basis that the lexicographic order reads are those of w: a
 * stored column while that w is outside the basis, a unit vector while it is inside.
 *
 * A problem whose first attempt ends without an answer is tried again from another covering vector: where rounding misled
 * the first path, the second mostly arrives.
 *
 * The workspace grows when n first exceeds it; otherwise a solve allocates nothing.
 */
export class LemkeSolver {
  /** The answer, its first n entries; meaningful only after `solved`. */
  z = new Float64Array(0)
  /** A z + b for that z. */
  w = new Float64Array(0)
  /** Pivots of the last solve, all attempts together. */
  iterations = 0
  /**
   * 1: max_i |min(z_i, w_i)| of the last solve, relative to the largest of the terms that A z + b sums (or of z).
   * Independent of the scale of b; for units of z and w that differ, scale A so that its diagonal is about 1.
   */
  readonly residual = new Float64Array(1)

  private capacity = 0
  /** 2: the largest entry of A, and of b. */
  private readonly scale = new Float64Array(2)
  private tableau = new Float64Array(0)
  /** Per row the variable in the basis, per column the one outside: 0..n-1 are w, n..2n-1 are z, 2n is z0. */
  private basic = new Int32Array(0)
  private nonbasic = new Int32Array(0)
  /** Per w: its column while outside the basis, else -1 - (its row). */
  private whereW = new Int32Array(0)
  private candidates = new Int32Array(0)
  private readonly tolerance: number

  /** @param tolerance largest `residual` that counts as solved */
  constructor(tolerance = 1e-9, capacity = 0) {
    this.tolerance = tolerance
    this.reserve(capacity)
  }

  reserve(n: number): void {
    if (n <= this.capacity) return
    this.capacity = n
    this.z = new Float64Array(n)
    this.w = new Float64Array(n)
    this.tableau = new Float64Array(n * (n + 2))
    this.basic = new Int32Array(n)
    this.nonbasic = new Int32Array(n + 1)
    this.whereW = new Int32Array(n)
    this.candidates = new Int32Array(n)
  }

  /**
   * @param n number of unknowns
   * @param A n x n, row-major in the first n * n entries
   * @param b n
   * @param limit cap on the pivots of one attempt
   */
  solve(n: number, A: Float64Array, b: Float64Array, limit = 50 + 20 * n): LemkeStatus {
    if (A.length < n * n || b.length < n) {
      throw new RangeError(`LemkeSolver.solve: A has ${A.length} and b ${b.length} entries, expected at least ${n * n} and ${n}`)
    }
    this.reserve(n)
    this.iterations = 0
    this.residual[0] = 0
    const { z, w } = this

    let largestA = 0
    let largestB = 0
    let leastB = 0
    let finite = true
    for (let i = 0; i < n; i++) {
      if (!Number.isFinite(b[i])) finite = false
      if (Math.abs(b[i]) > largestB) largestB = Math.abs(b[i])
      if (b[i] < leastB) leastB = b[i]
      z[i] = 0
      w[i] = b[i]
    }
    for (let k = 0; k < n * n; k++) {
      if (!Number.isFinite(A[k])) finite = false
      if (Math.abs(A[k]) > largestA) largestA = Math.abs(A[k])
    }
    if (!finite) {
      this.residual[0] = Number.POSITIVE_INFINITY
      return 'residual'
    }
    if (leastB >= 0) return 'solved' // z = 0
    if (largestA === 0) {
      this.residual[0] = -leastB / largestB
      return 'ray'
    }

    this.scale[0] = largestA
    this.scale[1] = largestB
    let first: LemkeStatus = 'residual'
    for (let attempt = 0; attempt < UNEVEN.length; attempt++) {
      const status = this.attempt(n, A, b, attempt, limit)
      if (status === 'solved') return status
      if (attempt === 0) first = status
    }
    return first
  }

  private attempt(n: number, A: Float64Array, b: Float64Array, attempt: number, limit: number): LemkeStatus {
    const { z, tableau, basic, scale } = this
    this.start(n, A, b, attempt)
    const status = this.pivots(n, this.iterations + limit, attempt)
    z.fill(0, 0, n)
    if (status === 'solved') {
      for (let i = 0; i < n; i++) {
        const variable = basic[i]
        if (variable >= n && variable < 2 * n) z[variable - n] = (tableau[i * (n + 2) + n + 1] * scale[1]) / scale[0]
      }
    }
    if (this.check(n, A, b) || status !== 'solved') return status
    // Rounding has piled up over the pivots: solve for the same basis afresh from the problem as given.
    return this.refine(n, A, b) && this.check(n, A, b) ? 'solved' : 'residual'
  }

  /** The tableau of w - A z - d z0 = b, scaled, after z0 has entered for the row that needs most of it. */
  private start(n: number, A: Float64Array, b: Float64Array, attempt: number): void {
    const scaleA = 1 / this.scale[0]
    const scaleB = 1 / this.scale[1]
    const uneven = UNEVEN[attempt]
    const { tableau, basic, nonbasic, whereW } = this
    const width = n + 2
    for (let i = 0; i < n; i++) {
      const row = i * width
      for (let j = 0; j < n; j++) tableau[row + j] = -A[i * n + j] * scaleA
      tableau[row + n] = -1 - ((i * uneven) % 1)
      tableau[row + n + 1] = b[i] * scaleB
      basic[i] = i
      nonbasic[i] = n + i
      whereW[i] = -1 - i
    }
    nonbasic[n] = 2 * n
    // among equals the last row leaves the rest lexicographically positive
    let least = 0
    for (let i = 1; i < n; i++) {
      const row = i * width
      if (tableau[row + n + 1] * tableau[least * width + n] >= tableau[least * width + n + 1] * tableau[row + n]) least = i
    }
    this.exchange(n, least, n)
  }

  private pivots(n: number, limit: number, attempt: number): LemkeStatus {
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
    const { tableau, basic, whereW, candidates } = this
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

    for (let k = 0; k < n && count > 1; k++) {
      const where = whereW[k]
      if (where < 0) {
        // a unit column: positive in its own row, zero in the others, which are therefore less
        for (let c = 0; c < count; c++) {
          if (candidates[c] === -1 - where) {
            candidates[c] = candidates[--count]
            break
          }
        }
        continue
      }
      least = Number.POSITIVE_INFINITY
      for (let c = 0; c < count; c++) {
        const row = candidates[c] * width
        const ratio = tableau[row + where] / tableau[row + column]
        if (ratio < least) least = ratio
      }
      let kept = 0
      for (let c = 0; c < count; c++) {
        const row = candidates[c] * width
        if (isTie(tableau[row + where], least * tableau[row + column])) candidates[kept++] = candidates[c]
      }
      count = kept
    }
    return candidates[0]
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
    const { tableau, basic, nonbasic, whereW } = this
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
    if (enters < n) whereW[enters] = -1 - row
    if (leaves < n) whereW[leaves] = column
    this.iterations++
  }

  /** Clips z, works out w and the residual from the problem as given, and says whether the answer holds. */
  private check(n: number, A: Float64Array, b: Float64Array): boolean {
    const { z, w } = this
    let scale = 0
    let worst = 0
    for (let i = 0; i < n; i++) if (-z[i] > worst) worst = -z[i]
    for (let i = 0; i < n; i++) {
      let sum = b[i]
      let size = Math.abs(b[i])
      for (let j = 0; j < n; j++) {
        const term = A[i * n + j] * z[j]
        sum += term
        size += Math.abs(term)
      }
      w[i] = sum
      if (size > scale) scale = size
      if (Math.abs(z[i]) > scale) scale = Math.abs(z[i])
      const gap = Math.abs(Math.min(z[i], sum))
      if (!(gap <= worst)) worst = gap // a NaN lands here too
    }
    for (let i = 0; i < n; i++) if (z[i] < 0) z[i] = 0
    this.residual[0] = scale === 0 ? 0 : worst / scale
    return this.residual[0] <= this.tolerance
  }

  /** z of the final basis by Gaussian elimination with row pivoting on the original numbers; false if it is singular. */
  private refine(n: number, A: Float64Array, b: Float64Array): boolean {
    const { tableau, basic, candidates: set, z } = this
    let m = 0
    for (let i = 0; i < n; i++) if (basic[i] >= n && basic[i] < 2 * n) set[m++] = basic[i] - n
    const width = m + 1
    for (let i = 0; i < m; i++) {
      for (let j = 0; j < m; j++) tableau[i * width + j] = A[set[i] * n + set[j]]
      tableau[i * width + m] = -b[set[i]]
    }
    for (let k = 0; k < m; k++) {
      let best = k
      for (let i = k + 1; i < m; i++) {
        if (Math.abs(tableau[i * width + k]) > Math.abs(tableau[best * width + k])) best = i
      }
      if (tableau[best * width + k] === 0) return false
      for (let j = k; j < width; j++) {
        const swap = tableau[k * width + j]
        tableau[k * width + j] = tableau[best * width + j]
        tableau[best * width + j] = swap
      }
      for (let i = k + 1; i < m; i++) {
        const factor = tableau[i * width + k] / tableau[k * width + k]
        if (factor !== 0) for (let j = k; j < width; j++) tableau[i * width + j] -= factor * tableau[k * width + j]
      }
    }
    for (let k = m - 1; k >= 0; k--) {
      let sum = tableau[k * width + m]
      for (let j = k + 1; j < m; j++) sum -= tableau[k * width + j] * z[set[j]]
      z[set[k]] = sum / tableau[k * width + k]
    }
    return true
  }
}

const isTie = (value: number, bound: number): boolean => value - bound <= TIE_TOLERANCE * (1 + Math.abs(bound))

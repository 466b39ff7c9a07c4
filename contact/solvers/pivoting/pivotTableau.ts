import { addWork } from '../../../dynamics/math/index.ts'

/** Entries below this are not used as pivots; the largest ones are about 1. */
const PIVOT_TOLERANCE = 1e-11
/** Rows tie if a step leaves both within this of zero. */
const TIE_TOLERANCE = 1e-11
/** Least pivot by which unknowns of a guess enter the basis. */
const START_TOLERANCE = 1e-6

/**
 * The condensed tableau of w = A z + b and a parameter t: each row expresses a basic variable by the nonbasic ones,
 *
 *   basic_i = Σ_j T_ij nonbasic_j + T_in t + T_i(n+1)
 *
 * and a pivot exchanges two variables. Variables 0..n-1 are w, n..2n-1 are z, 2n is t. Cottle, Pang, Stone, The Linear Complementarity
 * Problem (1992), sections 2.3 and 4.4.
 *
 * `ratioTest` settles degenerate steps by the lexicographic order, so that they do not cycle (section 4.9 there). It reads the columns of
 * the inverse basis that belong to the variables in the basis at the start of the search: a stored column if such a variable is nonbasic, a
 * unit vector if it is basic.
 */
export class PivotTableau {
  /** n x (n + 2). */
  T = new Float64Array(0)
  /** The first `rowCount` rows may leave, `columnCount` columns may enter. */
  rowCount = 0
  columnCount = 0
  /** Variable of each row and column. */
  basic = new Int32Array(0)
  nonbasic = new Int32Array(0)
  /** Per variable: its column while nonbasic, else -1 - (its row). */
  where = new Int32Array(0)
  /** The basic variables at the start of the search, in the lexicographic order. */
  private order = new Int32Array(0)
  private candidates = new Int32Array(0)

  reserve(n: number): void {
    if (n <= this.basic.length) return
    this.T = new Float64Array(n * (n + 2))
    this.basic = new Int32Array(n)
    this.nonbasic = new Int32Array(n + 1)
    this.where = new Int32Array(2 * n + 1)
    this.order = new Int32Array(n)
    this.candidates = new Int32Array(n)
  }

  /** Loads the basis of all w, with A and b times the factors in `scale`; the column of t is 0. */
  load(n: number, A: Float64Array, b: Float64Array, scale: Float64Array): void {
    const { T, basic, nonbasic, where } = this
    const width = n + 2
    addWork(n, n, 1)
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) T[i * width + j] = A[i * n + j] * scale[0]
      T[i * width + n] = 0
      T[i * width + n + 1] = b[i] * scale[1]
      basic[i] = i
      nonbasic[i] = n + i
      where[i] = -1 - i
      where[n + i] = i
    }
    nonbasic[n] = 2 * n
    where[2 * n] = n
    this.rowCount = n
    this.columnCount = n
  }

  /** Exchanges the variable of a row with that of a column. */
  exchange(n: number, row: number, column: number): void {
    const { T, basic, nonbasic, where } = this
    const columns = this.columnCount
    const width = n + 2
    const at = row * width
    // the row solved for the column's variable
    addWork(n, columns + 8, 1)
    const inverse = 1 / T[at + column]
    for (let j = 0; j < columns; j++) T[at + j] *= -inverse
    T[at + n] *= -inverse
    T[at + n + 1] *= -inverse
    T[at + column] = inverse
    for (let i = 0; i < n; i++) {
      if (i === row) continue
      const to = i * width
      const factor = T[to + column]
      if (factor === 0) continue
      T[to + column] = 0
      for (let j = 0; j < columns; j++) T[to + j] += factor * T[at + j]
      T[to + n] += factor * T[at + n]
      T[to + n + 1] += factor * T[at + n + 1]
    }
    const enters = nonbasic[column]
    const leaves = basic[row]
    basic[row] = enters
    nonbasic[column] = leaves
    where[enters] = -1 - row
    where[leaves] = column
  }

  swapRows(n: number, a: number, b: number): void {
    const { T, basic, where } = this
    if (a === b) return
    const width = n + 2
    for (let j = 0; j < width; j++) {
      const swap = T[a * width + j]
      T[a * width + j] = T[b * width + j]
      T[b * width + j] = swap
    }
    const swap = basic[a]
    basic[a] = basic[b]
    basic[b] = swap
    where[basic[a]] = -1 - a
    where[basic[b]] = -1 - b
  }

  swapColumns(n: number, a: number, b: number): void {
    const { T, nonbasic, where } = this
    if (a === b) return
    const width = n + 2
    for (let i = 0; i < n; i++) {
      const swap = T[i * width + a]
      T[i * width + a] = T[i * width + b]
      T[i * width + b] = swap
    }
    const swap = nonbasic[a]
    nonbasic[a] = nonbasic[b]
    nonbasic[b] = swap
    where[nonbasic[a]] = a
    where[nonbasic[b]] = b
  }

  /** Exchanges the variables of two pairs at indices k and l, whose 2 x 2 block has a zero diagonal. */
  exchangePairs(n: number, k: number, l: number): void {
    this.exchange(n, k, l)
    this.exchange(n, l, k)
    // rows k and l hold each other's variables: swap them back
    this.swapRows(n, k, l)
    this.swapColumns(n, k, l)
  }

  /**
   * Principal pivots for the marked pairs, by the largest diagonal entry, or by two off-diagonal entries, as long as such entries exist.
   * Marks of pairs brought in are cleared.
   *
   * @returns number of pivots
   */
  bringIn(n: number, marked: Uint8Array): number {
    const { T } = this
    const width = n + 2
    for (let pivots = 0; ; ) {
      let best = -1
      for (let i = 0; i < n; i++) {
        if (marked[i] === 0) continue
        if (best < 0 || Math.abs(T[i * width + i]) > Math.abs(T[best * width + best])) best = i
      }
      if (best < 0) return pivots
      if (Math.abs(T[best * width + best]) > START_TOLERANCE) {
        this.exchange(n, best, best)
        marked[best] = 0
        pivots++
        continue
      }
      let k = -1
      let l = -1
      let most = START_TOLERANCE * START_TOLERANCE
      for (let i = 0; i < n; i++) {
        if (marked[i] === 0) continue
        for (let j = 0; j < i; j++) {
          if (marked[j] === 0) continue
          const product = Math.abs(T[i * width + j] * T[j * width + i])
          if (product <= most) continue
          most = product
          k = i
          l = j
        }
      }
      if (k < 0) return pivots
      this.exchangePairs(n, k, l)
      marked[k] = 0
      marked[l] = 0
      pivots += 2
    }
  }

  /** Starts a search along t from the present basis. @returns the row that t must replace first, -1 if none */
  startRow(n: number): number {
    const { T, order, basic } = this
    const width = n + 2
    let row = -1
    for (let i = 0; i < this.rowCount; i++) {
      order[i] = basic[i]
      const value = T[i * width + n + 1]
      const slope = T[i * width + n]
      if (!(slope > 0 && value < 0)) continue
      // among equals, the last row leaves the rest lexicographically positive
      if (row < 0 || value * T[row * width + n] <= T[row * width + n + 1] * slope) row = i
    }
    return row
  }

  /**
   * The leaving row for an entering column: that of t if t may leave now, which ends the search; else the one whose [value, row of the
   * inverse basis], divided by its decrease, is lexicographically least; -1 if none decreases.
   *
   * @param tolerance greatest violation of a row when t leaves: its entry `at`
   */
  ratioTest(n: number, column: number, tolerance: Float64Array, at: number): number {
    const { T, candidates } = this
    const width = n + 2
    const rows = this.rowCount
    let least = Number.POSITIVE_INFINITY
    for (let i = 0; i < rows; i++) {
      const decrease = -T[i * width + column]
      if (decrease > PIVOT_TOLERANCE) {
        const ratio = T[i * width + n + 1] / decrease
        if (ratio < least) least = ratio
      }
    }
    if (least === Number.POSITIVE_INFINITY) return -1
    const end = this.rowOfParameter(n, column, tolerance, at)
    if (end >= 0) return end
    // ties are tested in the rows' own units, not by ratios, in which small pivots magnify rounding
    let count = 0
    for (let i = 0; i < rows; i++) {
      const decrease = -T[i * width + column]
      if (!(decrease > PIVOT_TOLERANCE)) continue
      const bound = least * decrease
      if (T[i * width + n + 1] - bound <= TIE_TOLERANCE * (1 + Math.abs(bound))) candidates[count++] = i
    }
    return this.lexicographicLeast(n, column, count)
  }

  /** The row of t if t may leave without a row falling below zero; -1 otherwise. */
  private rowOfParameter(n: number, column: number, tolerance: Float64Array, at: number): number {
    const { T, where } = this
    const width = n + 2
    const row = -1 - where[2 * n]
    const decrease = -T[row * width + column]
    if (!(decrease > PIVOT_TOLERANCE)) return -1
    const ratio = T[row * width + n + 1] / decrease
    for (let i = 0; i < this.rowCount; i++) {
      if (T[i * width + n + 1] + ratio * T[i * width + column] < -tolerance[at]) return -1
    }
    return row
  }

  /** Among the first `count` candidates, which tie, the one whose row of the inverse basis, divided by its pivot, is least. */
  private lexicographicLeast(n: number, column: number, count: number): number {
    const { T, order, where, candidates } = this
    const width = n + 2
    for (let k = 0; k < this.rowCount && count > 1; k++) {
      const at = where[order[k]]
      if (at < 0) {
        // a unit column: positive in its own row, zero in the others, which are therefore less
        for (let c = 0; c < count; c++) {
          if (candidates[c] === -1 - at) {
            candidates[c] = candidates[--count]
            break
          }
        }
        continue
      }
      let least = Number.POSITIVE_INFINITY
      for (let c = 0; c < count; c++) {
        const row = candidates[c] * width
        const ratio = T[row + at] / T[row + column]
        if (ratio < least) least = ratio
      }
      let kept = 0
      for (let c = 0; c < count; c++) {
        const row = candidates[c] * width
        const bound = -least * T[row + column]
        if (-T[row + at] - bound <= TIE_TOLERANCE * (1 + Math.abs(bound))) candidates[kept++] = candidates[c]
      }
      count = kept
    }
    return candidates[0]
  }
}

/** Entries of the dictionary below this count as zero; rows are to be of norm 1. */
const PIVOT = 1e-10
/** Largest violation of a row that is rounding. */
const ROUNDING = 1e-11
/** Pivots, over rows and columns, until the first column and row are chosen in place of the steepest, which cannot cycle. */
const BEFORE_BLAND = 5
const MOST = 100

const OBJECTIVE = -1

/**
 * The greatest value of linear functions over planes a · z <= b, to which more are added between: the simplex method on a dictionary whose
 * coordinates z are free, and the dual one after each addition (Chvatal, Linear Programming, 1983, chapters 2, 3 and 10). The planes of
 * the start hold at z = 0 and enclose a bounded set. @unchecked
 */
export class CuttingPlanes {
  /** 1: n coordinates, of the last vertex. */
  z = new Float64Array(0)
  pivots = 0
  private n = 0
  /** (rows) x (n + 1), the last column the right-hand side: basic = right-hand side - row · nonbasic; row 0 is the objective. */
  private T = new Float64Array(0)
  /** Unknown of each row and column: a coordinate by its number; n is the slack of a plane of the start, n + 1 of an added one, n + 2 of the limit. */
  private basic: number[] = []
  private nonbasic: number[] = []
  /** Per coordinate: its row, or -1. */
  private rowOf: number[] = []

  begin(n: number): void {
    this.n = n
    this.basic = [OBJECTIVE]
    this.nonbasic = Array.from({ length: n }, (_, j) => j)
    this.rowOf = this.nonbasic.map(() => -1)
    this.z = new Float64Array(n)
    this.pivots = 0
    if (this.T.length < n + 1) this.T = new Float64Array(64 * (n + 1))
  }

  /** Adds a plane: a cut, which `forget` may drop again, or the one that stands for no limit, see `slope`. */
  add(a: Float64Array, bound: number, kind: 'start' | 'cut' | 'limit'): void {
    const { n, basic } = this
    const at = basic.length * (n + 1)
    if (at + n + 1 > this.T.length) {
      const grown = new Float64Array(2 * this.T.length)
      grown.set(this.T)
      this.T = grown
    }
    basic.push(n + ['start', 'cut', 'limit'].indexOf(kind))
    this.express(at, a, 1)
    this.T[at + n] += bound
  }

  /** Drops added planes that do not touch the last vertex. */
  forget(): void {
    const { n, basic, rowOf, T } = this
    for (let i = basic.length - 1; i > 0; i--) {
      if (basic[i] !== n + 1) continue
      const last = basic.length - 1
      T.copyWithin(i * (n + 1), last * (n + 1), (last + 1) * (n + 1))
      basic[i] = basic[last]
      if (i < last && basic[i] < n) rowOf[basic[i]] = i
      basic.pop()
    }
  }

  /** The greatest c · z over the present planes, from the last vertex; Infinity along a ray. */
  maximize(c: Float64Array): number {
    const { n, nonbasic } = this
    for (let k = 0; k < n; k++) {
      if (nonbasic[k] >= n) continue
      // along a free coordinate to the nearest plane, in whichever direction
      const row = this.nearest(k, 1) || this.nearest(k, -1)
      if (row > 0) this.pivot(row, k)
    }
    this.express(0, c, -1)
    return this.climb() ? this.value() : Number.POSITIVE_INFINITY
  }

  /** The same after planes were added that the last vertex violates. */
  restore(): number {
    const { n, T, basic, nonbasic } = this
    const width = n + 1
    const limit = basic.length + n
    for (let count = 0; count < MOST * limit; count++) {
      let row = 0
      for (let i = 1; i < basic.length; i++) {
        const b = T[i * width + n]
        if (basic[i] < n || b >= -ROUNDING) continue
        if (row === 0 || (count < BEFORE_BLAND * limit && b < T[row * width + n])) row = i
      }
      if (row === 0) break
      let column = -1
      let least = Number.POSITIVE_INFINITY
      for (let k = 0; k < n; k++) {
        const entry = -T[row * width + k]
        if (nonbasic[k] < n || entry <= PIVOT) continue
        const ratio = Math.max(0, T[k]) / entry
        if (ratio > least + ROUNDING || (ratio > least - ROUNDING && entry < -T[row * width + column])) continue
        least = Math.min(least, ratio)
        column = k
      }
      if (column < 0) break
      this.pivot(row, column)
    }
    return this.value()
  }

  /** How much the greatest value grows with the bound of the limit. */
  get slope(): number {
    const column = this.nonbasic.indexOf(this.n + 2)
    return column < 0 ? 0 : this.T[column]
  }

  private value(): number {
    const { n, z, rowOf, T } = this
    for (let j = 0; j < n; j++) z[j] = rowOf[j] < 0 ? 0 : T[rowOf[j] * (n + 1) + n]
    return T[n]
  }

  /** Row from `at` on := that of the unknown -sign * a · z. */
  private express(at: number, a: Float64Array, sign: number): void {
    const { n, T, rowOf, nonbasic } = this
    for (let k = 0; k < n; k++) T[at + k] = nonbasic[k] < n ? sign * a[nonbasic[k]] : 0
    T[at + n] = 0
    for (let j = 0; j < n; j++) {
      if (rowOf[j] < 0 || a[j] === 0) continue
      const from = rowOf[j] * (n + 1)
      for (let k = 0; k <= n; k++) T[at + k] -= sign * a[j] * T[from + k]
    }
  }

  /** The row that ends the growth of a nonbasic unknown, or with sign -1 its fall; 0 if none does. */
  private nearest(column: number, sign: number): number {
    const { n, T, basic } = this
    const width = n + 1
    let row = 0
    let least = Number.POSITIVE_INFINITY
    for (let i = 1; i < basic.length; i++) {
      const entry = sign * T[i * width + column]
      if (basic[i] < n || entry <= PIVOT) continue
      const ratio = Math.max(0, T[i * width + n]) / entry
      if (ratio > least + ROUNDING || (ratio > least - ROUNDING && entry < sign * T[row * width + column])) continue
      least = Math.min(least, ratio)
      row = i
    }
    return row
  }

  /** The simplex method. @returns false along an unbounded ray */
  private climb(): boolean {
    const { n, T, basic, nonbasic } = this
    const limit = basic.length + n
    for (let count = 0; count < MOST * limit; count++) {
      let column = -1
      for (let k = 0; k < n; k++) {
        if (nonbasic[k] < n || T[k] >= -PIVOT) continue
        if (column < 0 || (count < BEFORE_BLAND * limit && T[k] < T[column])) column = k
      }
      if (column < 0) return true
      const row = this.nearest(column, 1)
      if (row === 0) return false
      this.pivot(row, column)
    }
    return true
  }

  private pivot(row: number, column: number): void {
    const { n, T, basic, nonbasic, rowOf } = this
    const width = n + 1
    const r = row * width
    const inverse = 1 / T[r + column]
    for (let k = 0; k < width; k++) T[r + k] *= inverse
    T[r + column] = inverse
    for (let i = 0; i < basic.length; i++) {
      const at = i * width
      const factor = T[at + column]
      if (i === row || factor === 0) continue
      for (let k = 0; k < width; k++) T[at + k] -= factor * T[r + k]
      T[at + column] = -factor * inverse
    }
    const leaving = basic[row]
    basic[row] = nonbasic[column]
    nonbasic[column] = leaving
    if (basic[row] < n) rowOf[basic[row]] = row
    if (leaving >= 0 && leaving < n) rowOf[leaving] = -1
    this.pivots++
  }
}

/** Entries of the dictionary below this count as zero; the problem is to be scaled to entries near 1. */
const PIVOT = 1e-9
/** Costs above this, below zero, count as zero. */
const COST = 1e-12
/** By how much every row is relaxed, so that solutions are no vertices that rounding decides about. */
const ROUNDING = 1e-11
/** By how much a pivot may violate a row for the sake of a larger entry. */
const SLIP = 1e-13
/** Pivots after which the dictionary is computed anew from the rows as given, against the growth of rounding. */
const FRESH = 24
/** Pivots per row and column by the largest cost before Bland's rule takes over, which cannot cycle. */
const BEFORE_BLAND = 10
const MOST = 200

/**
 * Linear program A x <= b, x >= 0, by the simplex method on a dense dictionary (Chvatal, Linear Programming, 1983, chapters 2 and 3): first
 * with one artificial unknown x0, subtracted in every row, whose least value is the least violation that all rows can share; then any
 * number of objectives, each from the last vertex. Small problems, some 100 rows. @unchecked
 */
export class LinearProgram {
  /** Unknowns. */
  n = 0
  /** Rows. */
  m = 0
  /** (m + 1) x (n + 2): rows of the dictionary, the last of the objective; columns of the nonbasic unknowns, the last the right-hand side. */
  private T = new Float64Array(0)
  /** m x (n + 2): the rows as given, with the column of x0. */
  private given = new Float64Array(0)
  private sinceFresh = 0
  /** Unknowns by number: x below n, then the slacks of the rows, then x0. */
  readonly basic: number[] = []
  readonly nonbasic: number[] = []
  /** n: the vertex of the last solve. */
  x = new Float64Array(0)

  /** Starts a problem of n unknowns and m rows, whose entries are 0. */
  begin(n: number, m: number): void {
    this.n = n
    this.m = m
    const size = (m + 1) * (n + 2)
    if (this.T.length < size) {
      this.T = new Float64Array(2 * size)
      this.given = new Float64Array(2 * size)
    } else this.T.fill(0, 0, size)
    if (this.x.length < n) this.x = new Float64Array(2 * n)
  }

  set(row: number, column: number, value: number): void {
    this.T[row * (this.n + 2) + column] = value
  }

  setBound(row: number, value: number): void {
    this.T[row * (this.n + 2) + this.n + 1] = value
  }

  /** Lowers every entry of A by an amount, so that a proof of no solution has room for rounding. */
  lower(amount: number): void {
    const { n, m, T } = this
    for (let i = 0; i < m; i++) for (let j = 0; j < n; j++) T[i * (n + 2) + j] -= amount
  }

  /** Least violation that all rows can share, 0 if there is an x, which then is in `x`. Where there is none, `farkas` has the proof. */
  solve(): number {
    const { n, m, T } = this
    const width = n + 2
    const x0 = n + m
    this.basic.length = 0
    this.nonbasic.length = 0
    for (let i = 0; i < m; i++) this.basic.push(n + i)
    for (let j = 0; j < n; j++) this.nonbasic.push(j)
    this.nonbasic.push(x0)
    let row = 0
    for (let i = 0; i < m; i++) {
      T[i * width + n] = -1
      if (T[i * width + n + 1] < T[row * width + n + 1]) row = i
    }
    for (let i = 0; i < m; i++) T[i * width + n + 1] += ROUNDING
    this.given.set(T.subarray(0, m * width))
    this.sinceFresh = 0
    if (m === 0 || T[row * width + n + 1] >= 0) return this.finish()
    T[m * width + n] = 1
    this.pivot(row, n)
    this.optimize(-1)
    const at = this.basic.indexOf(x0)
    if (at < 0) return this.finish()
    let column = 0
    for (let j = 1; j <= n; j++) if (Math.abs(T[at * width + j]) > Math.abs(T[at * width + column])) column = j
    const least = T[at * width + n + 1]
    if (least > ROUNDING * Math.abs(T[at * width + column])) {
      // the objective -x0 in the rows as they are without rounding
      this.refresh()
      for (let j = 0; j <= n + 1; j++) T[m * width + j] = -T[at * width + j]
      return least
    }
    this.pivot(at, column)
    return this.finish()
  }

  /** Of rows without a common solution: y >= 0, m, of sum 1, with yᵀ A >= 0 and yᵀ b < 0. */
  farkas(): Float64Array {
    const { n, m, T, nonbasic } = this
    const y = new Float64Array(m)
    for (let j = 0; j <= n; j++) {
      const slack = nonbasic[j] - n
      if (slack >= 0 && slack < m) y[slack] = Math.max(0, T[m * (n + 2) + j])
    }
    return y
  }

  /** The greatest value of c . x, Infinity along a ray; after `solve` has found an x. `x` is where it is reached, or the ray's start. */
  maximize(c: ArrayLike<number>): number {
    const { n, m, T, basic, nonbasic } = this
    const width = n + 2
    T.fill(0, m * width, (m + 1) * width)
    for (let j = 0; j <= n; j++) if (nonbasic[j] < n) T[m * width + j] = -c[nonbasic[j]]
    for (let i = 0; i < m; i++) {
      const weight = basic[i] < n ? c[basic[i]] : 0
      if (weight === 0) continue
      for (let j = 0; j <= n + 1; j++) T[m * width + j] += weight * T[i * width + j]
    }
    const bounded = this.optimize(n + m)
    this.finish()
    return bounded ? T[m * width + n + 1] : Number.POSITIVE_INFINITY
  }

  private finish(): number {
    const { n, m, T, basic, x } = this
    if (this.sinceFresh > 0) this.refresh()
    x.fill(0)
    for (let i = 0; i < m; i++) if (basic[i] < n) x[basic[i]] = Math.max(0, T[i * (n + 2) + n + 1])
    return 0
  }

  /** @param banned an unknown that may not enter @returns false along an unbounded ray */
  private optimize(banned: number): boolean {
    const { n, m, T, basic, nonbasic } = this
    const width = n + 2
    const bland = BEFORE_BLAND * (n + m)
    for (let count = 0; count < MOST * (n + m); count++) {
      if (this.sinceFresh >= FRESH) this.refresh()
      let column = -1
      for (let j = 0; j <= n; j++) {
        const cost = T[m * width + j]
        if (cost >= -COST || nonbasic[j] === banned) continue
        if (column < 0) column = j
        else if (count < bland ? cost < T[m * width + column] : nonbasic[j] < nonbasic[column]) column = j
      }
      if (column < 0) return true
      // of the rows that are reached first, but for rounding, x0's, else that of the largest pivot, or by Bland's rule of the first unknown (Harris 1973)
      let most = Number.POSITIVE_INFINITY
      for (let i = 0; i < m; i++) {
        const entry = T[i * width + column]
        if (entry > PIVOT) most = Math.min(most, (Math.max(0, T[i * width + n + 1]) + SLIP) / entry)
      }
      let row = -1
      for (let i = 0; i < m; i++) {
        const entry = T[i * width + column]
        if (entry <= PIVOT || Math.max(0, T[i * width + n + 1]) > most * entry) continue
        if (row >= 0 && basic[row] === n + m) continue
        if (row < 0 || basic[i] === n + m || (count < bland ? entry > T[row * width + column] : basic[i] < basic[row])) row = i
      }
      if (row < 0) return false
      this.pivot(row, column)
    }
    return true
  }

  private pivot(row: number, column: number): void {
    const { n, m, T, basic, nonbasic } = this
    const width = n + 2
    const r = row * width
    const inverse = 1 / T[r + column]
    for (let j = 0; j < width; j++) T[r + j] *= inverse
    T[r + column] = inverse
    for (let i = 0; i <= m; i++) {
      const k = i * width
      const factor = T[k + column]
      if (i === row || factor === 0) continue
      for (let j = 0; j < width; j++) T[k + j] -= factor * T[r + j]
      T[k + column] = -factor * inverse
    }
    const leaving = basic[row]
    basic[row] = nonbasic[column]
    nonbasic[column] = leaving
    this.sinceFresh++
  }

  /** Computes the rows of the dictionary from those given and the basis, by Gauss-Jordan elimination; the objective's row stays. */
  private refresh(): void {
    const { n, m, T, given, basic, nonbasic } = this
    const width = n + 2
    const all = m + width
    // [basic columns | nonbasic columns, right-hand side]
    const D = new Float64Array(m * all)
    const entry = (i: number, k: number) => (k < n ? given[i * width + k] : k === n + m ? -1 : k === n + i ? 1 : 0)
    for (let i = 0; i < m; i++) {
      for (let k = 0; k < m; k++) D[i * all + k] = entry(i, basic[k])
      for (let j = 0; j <= n; j++) D[i * all + m + j] = entry(i, nonbasic[j])
      D[i * all + all - 1] = given[i * width + n + 1]
    }
    const rowOf = new Int32Array(m)
    const used = new Uint8Array(m)
    for (let k = 0; k < m; k++) {
      let row = -1
      for (let i = 0; i < m; i++) if (used[i] === 0 && (row < 0 || Math.abs(D[i * all + k]) > Math.abs(D[row * all + k]))) row = i
      used[row] = 1
      rowOf[k] = row
      const inverse = 1 / D[row * all + k]
      for (let j = k; j < all; j++) D[row * all + j] *= inverse
      for (let i = 0; i < m; i++) {
        const factor = D[i * all + k]
        if (i === row || factor === 0) continue
        for (let j = k; j < all; j++) D[i * all + j] -= factor * D[row * all + j]
      }
    }
    for (let k = 0; k < m; k++) for (let j = 0; j < width; j++) T[k * width + j] = D[rowOf[k] * all + m + j]
    this.sinceFresh = 0
  }
}

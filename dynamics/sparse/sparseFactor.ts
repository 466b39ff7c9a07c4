import { addWork } from '../math/index.ts'
import { type SparsePattern, WIDTH } from './sparsePattern.ts'

/**
 * Numeric factorisation of the groups (supernodes) of a `SparsePattern`: H = Lᵀ L; or H = L U without pivoting; or, for symmetric H, H = L
 * D Lᵀ with half of the work. Left-looking: a group receives the updates of the earlier ones with which it shares columns.
 *
 * A group's part is a panel of six numbers a column: U[row r, column] and L[column, row r] at 6 column + r; 0 for absent rows of a group.
 */
export class SparseFactor {
  upper = new Float64Array(0)
  private lower = new Float64Array(0)
  /** Six a group: 1 / U[k, k] of its rows, 0 for absent ones. */
  private inverse = new Float64Array(0)
  private readonly pattern: SparsePattern
  /** Whether the factor is Lᵀ L, so that lower and upper factor are equal. */
  private readonly isCholesky: boolean
  /** nv: index of each column in the current group. */
  private readonly place: Int32Array
  /** 36: the triangle of the current group, 0 for absent rows; 6: ones, the factors of unscaled rows. */
  private readonly triangle = new Float64Array(WIDTH * WIDTH)
  private readonly ones = new Float64Array(WIDTH).fill(1)
  private readonly y = new Float64Array(WIDTH)

  constructor(pattern: SparsePattern, isCholesky: boolean) {
    this.pattern = pattern
    this.isCholesky = isCholesky
    this.place = new Int32Array(pattern.model.nv)
  }

  /** Reserves space for the present pattern. */
  reserve(): void {
    const { groupCount, columnStart } = this.pattern
    const total = WIDTH * columnStart[groupCount]
    if (total > this.upper.length) {
      this.upper = new Float64Array(2 * total)
      this.lower = this.isCholesky ? this.upper : new Float64Array(2 * total)
    }
    if (WIDTH * groupCount > this.inverse.length) this.inverse = new Float64Array(2 * WIDTH * groupCount)
  }

  /**
   * Factors group g, after the earlier ones.
   *
   * @param H nv x nv: only rows are read if `isSymmetric`
   * @returns the sign of its determinant; 0 if it is singular, or if `isSymmetric` and it is not positive definite
   */
  factorize(H: Float64Array, g: number, isSymmetric: boolean): number {
    this.gather(H, g, isSymmetric)
    this.subtractSources(g, isSymmetric)
    const sign = this.finishTriangle(g, isSymmetric)
    if (sign !== 0) this.finishColumns(g, isSymmetric)
    return sign
  }

  /** Copies rows of H, and columns if it is not symmetric, into the panel of group g. Entries below its diagonal are never read. */
  private gather(H: Float64Array, g: number, isSymmetric: boolean): void {
    const { upper, lower, place } = this
    const { columns, columnStart, width, model } = this.pattern
    const { nv } = model
    const start = columnStart[g]
    const end = columnStart[g + 1]
    const rows = width[g]
    for (let c = start; c < end; c++) place[columns[c]] = c - start
    for (let r = 0; r < rows; r++) {
      const k = columns[start + r]
      for (let c = start; c < end; c++) upper[WIDTH * c + r] = H[k * nv + columns[c]]
      if (isSymmetric) continue
      for (let c = start; c < end; c++) lower[WIDTH * c + r] = H[columns[c] * nv + k]
    }
    for (let r = rows; r < WIDTH; r++) {
      for (let c = start; c < end; c++) {
        upper[WIDTH * c + r] = 0
        lower[WIDTH * c + r] = 0
      }
    }
  }

  /** Subtracts the updates of earlier groups from group g: L[i, k] U[k, j], summed over their rows k, for each row i of g. */
  private subtractSources(g: number, isSymmetric: boolean): void {
    const { upper, lower, place } = this
    const { sources, sourceStart, columnStart, columns } = this.pattern
    const target = WIDTH * columnStart[g]
    const last = 3 * sourceStart[g + 1]
    let work = columnStart[g + 1] - columnStart[g]
    for (let s = 3 * sourceStart[g]; s < last; s += 3) {
      const end = columnStart[sources[s] + 1]
      const endOfRows = sources[s + 2]
      let i = sources[s + 1]
      work += (endOfRows - i) * (end - i)
      for (; i + 1 < endOfRows; i += 2) {
        subtractTwoRows(lower, upper, columns, place, i, end, target)
        if (!isSymmetric) subtractTwoRows(upper, lower, columns, place, i, end, target)
      }
      if (i < endOfRows) {
        subtractRow(lower, upper, columns, place, i, end, target)
        if (!isSymmetric) subtractRow(upper, lower, columns, place, i, end, target)
      }
    }
    addWork(work, WIDTH, isSymmetric ? 1 : 2)
  }

  /** Dense factor of the diagonal block of group g. @returns as `factorize` */
  private finishTriangle(g: number, isSymmetric: boolean): number {
    const { upper: U, lower: L, inverse, isCholesky } = this
    const { columnStart, width } = this.pattern
    const rows = width[g]
    const at = WIDTH * columnStart[g]
    let sign = 1
    for (let r = 0; r < WIDTH; r++) inverse[WIDTH * g + r] = 0
    for (let r = 0; r < rows; r++) {
      const diagonal = at + WIDTH * r + r
      const pivot = U[diagonal]
      const size = isSymmetric ? pivot : Math.abs(pivot)
      if (!(size > 0 && (isCholesky || size < Number.POSITIVE_INFINITY))) return 0
      if (pivot < 0) sign = -sign
      if (isCholesky) U[diagonal] = Math.sqrt(pivot)
      const scale = 1 / U[diagonal]
      inverse[WIDTH * g + r] = scale
      for (let c = r + 1; c < rows; c++) {
        const p = at + WIDTH * c + r
        L[p] = (isSymmetric ? U[p] : L[p]) * scale
      }
      for (let q = r + 1; q < rows; q++) {
        const l = L[at + WIDTH * q + r]
        const u = U[at + WIDTH * q + r]
        for (let c = q; c < rows; c++) {
          U[at + WIDTH * c + q] -= l * U[at + WIDTH * c + r]
          if (!isSymmetric) L[at + WIDTH * c + q] -= u * L[at + WIDTH * c + r]
        }
      }
    }
    return sign
  }

  /** Solves for these rows and columns at all later columns. */
  private finishColumns(g: number, isSymmetric: boolean): void {
    const { upper, lower, inverse, isCholesky, ones } = this
    const { columnStart, width } = this.pattern
    const rows = width[g]
    const from = WIDTH * (columnStart[g] + rows)
    const end = WIDTH * columnStart[g + 1]
    const d = WIDTH * g
    this.copyTriangle(lower, g)
    if (isCholesky) this.solveColumns(upper, from, end, inverse, d)
    else this.solveColumns(upper, from, end, ones, 0)
    if (!isSymmetric) {
      this.copyTriangle(upper, g)
      this.solveColumns(lower, from, end, inverse, d)
    } else if (!isCholesky) {
      for (let p = from; p < end; p += WIDTH) for (let r = 0; r < rows; r++) lower[p + r] = upper[p + r] * inverse[d + r]
    }
  }

  private copyTriangle(P: Float64Array, g: number): void {
    const { triangle } = this
    const { columnStart, width } = this.pattern
    const at = WIDTH * columnStart[g]
    triangle.fill(0)
    for (let c = 1; c < width[g]; c++) for (let r = 0; r < c; r++) triangle[WIDTH * c + r] = P[at + WIDTH * c + r]
  }

  /** Forward substitution with the triangle, and the factors scale[d..], of each column of P from `from` on. */
  private solveColumns(P: Float64Array, from: number, end: number, scale: Float64Array, d: number): void {
    const { triangle: T } = this
    const d0 = scale[d]
    const d1 = scale[d + 1]
    const d2 = scale[d + 2]
    const d3 = scale[d + 3]
    const d4 = scale[d + 4]
    const d5 = scale[d + 5]
    const t10 = T[6]
    const t20 = T[12]
    const t21 = T[13]
    const t30 = T[18]
    const t31 = T[19]
    const t32 = T[20]
    const t40 = T[24]
    const t41 = T[25]
    const t42 = T[26]
    const t43 = T[27]
    const t50 = T[30]
    const t51 = T[31]
    const t52 = T[32]
    const t53 = T[33]
    const t54 = T[34]
    for (let p = from; p < end; p += WIDTH) {
      const x0 = P[p] * d0
      const x1 = (P[p + 1] - t10 * x0) * d1
      const x2 = (P[p + 2] - t20 * x0 - t21 * x1) * d2
      const x3 = (P[p + 3] - t30 * x0 - t31 * x1 - t32 * x2) * d3
      const x4 = (P[p + 4] - t40 * x0 - t41 * x1 - t42 * x2 - t43 * x3) * d4
      const x5 = (P[p + 5] - t50 * x0 - t51 * x1 - t52 * x2 - t53 * x3 - t54 * x4) * d5
      P[p] = x0
      P[p + 1] = x1
      P[p + 2] = x2
      P[p + 3] = x3
      P[p + 4] = x4
      P[p + 5] = x5
    }
  }

  /** Forward substitution with the rows of group g from row `from` on, which updates later entries of x; earlier rows of the group are 0. */
  forward(g: number, from: number, x: Float64Array, offset: number): void {
    const { lower: P, inverse, isCholesky, y } = this
    const { columnStart, columns, width } = this.pattern
    const start = columnStart[g]
    const end = columnStart[g + 1]
    const rows = width[g]
    addWork(end - start, WIDTH, 2)
    for (let r = 0; r < WIDTH; r++) y[r] = 0
    for (let r = from; r < rows; r++) {
      const k = offset + columns[start + r]
      const p = WIDTH * (start + r)
      let value = x[k]
      for (let q = from; q < r; q++) value -= P[p + q] * y[q]
      if (isCholesky) value *= inverse[WIDTH * g + r]
      y[r] = value
      x[k] = value
    }
    const y0 = y[0]
    const y1 = y[1]
    const y2 = y[2]
    const y3 = y[3]
    const y4 = y[4]
    const y5 = y[5]
    for (let c = start + rows; c < end; c++) {
      const p = WIDTH * c
      x[offset + columns[c]] -= P[p] * y0 + P[p + 1] * y1 + P[p + 2] * y2 + (P[p + 3] * y3 + P[p + 4] * y4 + P[p + 5] * y5)
    }
  }

  /** Back substitution with the rows of group g, given the later entries of x. */
  backward(g: number, x: Float64Array): void {
    const { upper: P, inverse, y } = this
    const { columnStart, columns, width } = this.pattern
    const start = columnStart[g]
    const end = columnStart[g + 1]
    const rows = width[g]
    let s0 = 0
    let s1 = 0
    let s2 = 0
    let s3 = 0
    let s4 = 0
    let s5 = 0
    for (let c = start + rows; c < end; c++) {
      const p = WIDTH * c
      const value = x[columns[c]]
      s0 += P[p] * value
      s1 += P[p + 1] * value
      s2 += P[p + 2] * value
      s3 += P[p + 3] * value
      s4 += P[p + 4] * value
      s5 += P[p + 5] * value
    }
    y[0] = s0
    y[1] = s1
    y[2] = s2
    y[3] = s3
    y[4] = s4
    y[5] = s5
    for (let r = rows - 1; r >= 0; r--) {
      const k = columns[start + r]
      let value = x[k] - y[r]
      for (let c = r + 1; c < rows; c++) value -= P[WIDTH * (start + c) + r] * x[columns[start + c]]
      x[k] = value * inverse[WIDTH * g + r]
    }
  }
}

/** Subtracts columns i and i + 1 of `X` times each column of `Y` from i to `end` - 1 from the target's rows and columns in Y. */
function subtractTwoRows(
  X: Float64Array,
  Y: Float64Array,
  columns: Int32Array,
  place: Int32Array,
  i: number,
  end: number,
  target: number,
): void {
  const x = WIDTH * i
  const x0 = X[x]
  const x1 = X[x + 1]
  const x2 = X[x + 2]
  const x3 = X[x + 3]
  const x4 = X[x + 4]
  const x5 = X[x + 5]
  const z0 = X[x + 6]
  const z1 = X[x + 7]
  const z2 = X[x + 8]
  const z3 = X[x + 9]
  const z4 = X[x + 10]
  const z5 = X[x + 11]
  const rowX = target + place[columns[i]]
  const rowZ = target + place[columns[i + 1]]
  for (let j = i; j < end; j++) {
    const p = WIDTH * j
    const at = WIDTH * place[columns[j]]
    const p0 = Y[p]
    const p1 = Y[p + 1]
    const p2 = Y[p + 2]
    const p3 = Y[p + 3]
    const p4 = Y[p + 4]
    const p5 = Y[p + 5]
    Y[rowX + at] -= x0 * p0 + x1 * p1 + x2 * p2 + (x3 * p3 + x4 * p4 + x5 * p5)
    Y[rowZ + at] -= z0 * p0 + z1 * p1 + z2 * p2 + (z3 * p3 + z4 * p4 + z5 * p5)
  }
}

/** Subtracts column i of `X` in the same manner. */
function subtractRow(
  X: Float64Array,
  Y: Float64Array,
  columns: Int32Array,
  place: Int32Array,
  i: number,
  end: number,
  target: number,
): void {
  const x = WIDTH * i
  const x0 = X[x]
  const x1 = X[x + 1]
  const x2 = X[x + 2]
  const x3 = X[x + 3]
  const x4 = X[x + 4]
  const x5 = X[x + 5]
  const row = target + place[columns[i]]
  for (let j = i; j < end; j++) {
    const p = WIDTH * j
    Y[row + WIDTH * place[columns[j]]] -=
      x0 * Y[p] + x1 * Y[p + 1] + x2 * Y[p + 2] + (x3 * Y[p + 3] + x4 * Y[p + 4] + x5 * Y[p + 5])
  }
}

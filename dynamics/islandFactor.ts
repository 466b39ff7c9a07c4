import { type Elimination, subtractRow, subtractTwoRows, WIDTH } from './elimination.ts'
import { factorizeRange, solveLRange, solveLTransposedRange } from './factorization.ts'
import { addWork } from './math/index.ts'

/**
 * Factors H = L U island by island. H has the pattern of an `Elimination` and may be unsymmetric: M + Jᵀ G J, with G from the laws of
 * sliding contacts. No pivoting: elimination goes from the tips of the trees to their roots.
 * Where H is symmetric, half of the work is saved; and a single tree without couplings is factored in place as H = Lᵀ L.
 *
 * An island is a list of trees without couplings to others. Its results are independent of other islands to the bit.
 *
 * H is nv x nv, row-major. Of a symmetric H, row k is read at the velocities that are eliminated after k; of others, these rows and columns.
 */
export class IslandFactor {
  private readonly pattern: Elimination
  /** The groups of each island: those of island i from groupStart[i] on. */
  private groupStart = new Int32Array(0)
  private groups = new Int32Array(0)
  private readonly islandOfTree: Int32Array
  /** WIDTH numbers a column: U[row r, column] and L[column, row r] at WIDTH column + r; 0 for absent rows of a group. */
  private upper = new Float64Array(0)
  private lower = new Float64Array(0)
  /** WIDTH a group: 1 / U[k, k]. */
  private inverse = new Float64Array(0)
  private readonly place: Int32Array
  private readonly y = new Float64Array(WIDTH)
  /** Whether the island factored last is stored in place as Lᵀ L. */
  private isCholesky = false

  constructor(pattern: Elimination) {
    this.pattern = pattern
    this.place = new Int32Array(pattern.model.nv)
    this.islandOfTree = new Int32Array(pattern.treeCount)
  }

  /** Sets the islands, with the current pattern: the trees of island i are trees[treeStart[i]] to trees[treeStart[i + 1] - 1]. */
  begin(count: number, trees: Int32Array, treeStart: Int32Array): void {
    const { pattern, islandOfTree } = this
    const { groupCount, columnStart, columns, treeOfV } = pattern
    if (groupCount === 0) return
    const total = columnStart[groupCount]
    if (WIDTH * total > this.upper.length) {
      this.upper = new Float64Array(2 * WIDTH * total)
      this.lower = new Float64Array(2 * WIDTH * total)
    }
    if (groupCount > this.groups.length) {
      this.groups = new Int32Array(2 * groupCount)
      this.inverse = new Float64Array(2 * WIDTH * groupCount)
    }
    if (count + 2 > this.groupStart.length) this.groupStart = new Int32Array(2 * count + 2)
    const { groupStart, groups } = this
    islandOfTree.fill(-1)
    for (let i = 0; i < count; i++) for (let t = treeStart[i]; t < treeStart[i + 1]; t++) islandOfTree[trees[t]] = i
    groupStart.fill(0, 0, count + 2)
    for (let g = 0; g < groupCount; g++) {
      const i = islandOfTree[treeOfV[columns[columnStart[g]]]]
      if (i >= 0) groupStart[i + 2]++
    }
    for (let i = 1; i < count; i++) groupStart[i + 1] += groupStart[i]
    for (let g = 0; g < groupCount; g++) {
      const i = islandOfTree[treeOfV[columns[columnStart[g]]]]
      if (i >= 0) groups[groupStart[i + 1]++] = g
    }
  }

  /**
   * Sets H to M on the entries of the island's trees, and to 0 on those of couplings and fill-in.
   *
   * @param trees the island's, from `first` to `end` - 1
   */
  load(M: Float64Array, H: Float64Array, island: number, trees: Int32Array, first: number, end: number): void {
    const { pattern, groupStart, groups } = this
    const { model, treeStart, velocitiesOfTrees, groupCount, columns, columnStart, width } = pattern
    const { nv, vParent } = model
    if (groupCount > 0) {
      for (let i = groupStart[island]; i < groupStart[island + 1]; i++) {
        const g = groups[i]
        const start = columnStart[g]
        const last = columnStart[g + 1]
        for (let r = start; r < start + width[g]; r++) {
          const row = columns[r] * nv
          for (let c = r; c < last; c++) {
            H[row + columns[c]] = 0
            H[columns[c] * nv + columns[r]] = 0
          }
        }
      }
    }
    for (let t = first; t < end; t++) {
      const last = treeStart[trees[t] + 1]
      for (let i = treeStart[trees[t]]; i < last; i++) {
        const k = velocitiesOfTrees[i]
        const row = k * nv
        for (let j = k; j >= 0; j = vParent[j]) {
          H[row + j] = M[row + j]
          H[j * nv + k] = M[row + j]
        }
      }
    }
  }

  /**
   * Factors H of an island.
   *
   * @returns the sign of det H; 0 if H is singular, or is to be symmetric and is not positive definite
   */
  factorize(H: Float64Array, island: number, trees: Int32Array, first: number, end: number, isSymmetric: boolean): number {
    const { pattern, groupStart, groups } = this
    let sign = 1
    if (!pattern.couplesTree(trees[first])) {
      // before `factorizeTree`, which treats any error there as a singular matrix
      for (let t = first; t < end; t++) addWork(pattern.factorWork[trees[t]], isSymmetric ? 1 : 2, 1)
      this.isCholesky = isSymmetric
      for (let t = first; t < end; t++) sign *= this.factorizeTree(H, trees[t], isSymmetric)
      return sign
    }
    this.isCholesky = false
    for (let i = groupStart[island]; i < groupStart[island + 1]; i++) {
      const g = groups[i]
      this.gather(H, g, isSymmetric)
      this.subtractSources(g, isSymmetric)
      const of = this.finishTriangle(g, isSymmetric)
      if (of === 0) return 0
      sign *= of
      this.finishColumns(g, isSymmetric)
    }
    return sign
  }

  /** x := H⁻¹ x on the island's velocities. */
  solve(H: Float64Array, island: number, trees: Int32Array, first: number, end: number, x: Float64Array): void {
    const { pattern, groupStart, groups } = this
    if (!pattern.couplesTree(trees[first])) {
      for (let t = first; t < end; t++) this.solveTree(H, trees[t], x)
      return
    }
    for (let i = groupStart[island]; i < groupStart[island + 1]; i++) this.forward(groups[i], x)
    for (let i = groupStart[island + 1] - 1; i >= groupStart[island]; i--) this.backward(groups[i], x)
  }

  // a tree without couplings

  private factorizeTree(H: Float64Array, tree: number, isSymmetric: boolean): number {
    const { model, treeStart, velocitiesOfTrees } = this.pattern
    const { nv, vParent } = model
    const start = treeStart[tree]
    const end = treeStart[tree + 1]
    if (isSymmetric) {
      try {
        // runs of consecutive velocities of this tree: a range may not begin within a chain
        for (let i = start; i < end; ) {
          const from = i
          while (i + 1 < end && velocitiesOfTrees[i + 1] === velocitiesOfTrees[i] - 1) i++
          factorizeRange(model, H, velocitiesOfTrees[i], velocitiesOfTrees[from] + 1)
          i++
        }
      } catch {
        return 0
      }
      return 1
    }
    let sign = 1
    for (let i = start; i < end; i++) {
      const k = velocitiesOfTrees[i]
      const pivot = H[k * nv + k]
      if (!(Math.abs(pivot) > 0 && Math.abs(pivot) < Number.POSITIVE_INFINITY)) return 0
      if (pivot < 0) sign = -sign
      const inverse = 1 / pivot
      for (let a = vParent[k]; a >= 0; a = vParent[a]) {
        const l = H[a * nv + k] * inverse
        H[a * nv + k] = l
        if (l === 0) continue
        for (let b = vParent[k]; b >= 0; b = vParent[b]) H[a * nv + b] -= l * H[k * nv + b]
      }
    }
    return sign
  }

  private solveTree(H: Float64Array, tree: number, x: Float64Array): void {
    const { model, treeStart, velocitiesOfTrees } = this.pattern
    const { nv, vParent } = model
    const start = treeStart[tree]
    const end = treeStart[tree + 1]
    if (this.isCholesky) {
      solveTreeOfFactor(this.pattern, H, tree, x)
      return
    }
    addWork(this.pattern.solveWork[tree], 2, 1)
    for (let i = start; i < end; i++) {
      const k = velocitiesOfTrees[i]
      const value = x[k]
      for (let a = vParent[k]; a >= 0; a = vParent[a]) x[a] -= H[a * nv + k] * value
    }
    for (let i = end - 1; i >= start; i--) {
      const k = velocitiesOfTrees[i]
      let value = x[k]
      for (let a = vParent[k]; a >= 0; a = vParent[a]) value -= H[k * nv + a] * x[a]
      x[k] = value / H[k * nv + k]
    }
  }

  // coupled trees

  private gather(H: Float64Array, g: number, isSymmetric: boolean): void {
    const { upper, lower, place } = this
    const { columns, columnStart, width, model } = this.pattern
    const { nv } = model
    const start = columnStart[g]
    const end = columnStart[g + 1]
    const rows = width[g]
    for (let c = start; c < end; c++) place[columns[c]] = c - start
    for (let r = 0; r < rows; r++) {
      const row = columns[start + r] * nv
      for (let c = start; c < end; c++) upper[WIDTH * c + r] = H[row + columns[c]]
      if (isSymmetric) continue
      const k = columns[start + r]
      for (let c = start; c < end; c++) lower[WIDTH * c + r] = H[columns[c] * nv + k]
    }
    for (let r = rows; r < WIDTH; r++) {
      for (let c = start; c < end; c++) {
        upper[WIDTH * c + r] = 0
        lower[WIDTH * c + r] = 0
      }
    }
  }

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

  /** Dense LU of the diagonal block of group g. @returns the sign of its determinant, 0 as of `factorize` */
  private finishTriangle(g: number, isSymmetric: boolean): number {
    const { upper: U, lower: L, inverse } = this
    const { columnStart, width } = this.pattern
    const rows = width[g]
    const at = WIDTH * columnStart[g]
    let sign = 1
    for (let r = 0; r < WIDTH; r++) inverse[WIDTH * g + r] = 0
    for (let r = 0; r < rows; r++) {
      const pivot = U[at + WIDTH * r + r]
      const size = isSymmetric ? pivot : Math.abs(pivot)
      if (!(size > 0 && size < Number.POSITIVE_INFINITY)) return 0
      if (pivot < 0) sign = -sign
      const scale = 1 / pivot
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

  /** Solves for the same rows and columns at all later ones. */
  private finishColumns(g: number, isSymmetric: boolean): void {
    const { upper: U, lower: L, inverse } = this
    const { columnStart, width } = this.pattern
    const rows = width[g]
    const at = WIDTH * columnStart[g]
    const end = WIDTH * columnStart[g + 1]
    const d = WIDTH * g
    for (let p = at + WIDTH * rows; p < end; p += WIDTH) {
      for (let r = 1; r < rows; r++) {
        let x = U[p + r]
        for (let q = 0; q < r; q++) x -= L[at + WIDTH * r + q] * U[p + q]
        U[p + r] = x
      }
      if (isSymmetric) {
        for (let r = 0; r < rows; r++) L[p + r] = U[p + r] * inverse[d + r]
        continue
      }
      for (let r = 0; r < rows; r++) {
        let z = L[p + r]
        for (let q = 0; q < r; q++) z -= L[p + q] * U[at + WIDTH * r + q]
        L[p + r] = z * inverse[d + r]
      }
    }
  }

  private forward(g: number, x: Float64Array): void {
    const { lower: L, y } = this
    const { columnStart, columns, width } = this.pattern
    const start = columnStart[g]
    const end = columnStart[g + 1]
    const rows = width[g]
    addWork(end - start, WIDTH, 2)
    for (let r = 0; r < WIDTH; r++) y[r] = 0
    for (let r = 0; r < rows; r++) {
      const p = WIDTH * (start + r)
      let value = x[columns[start + r]]
      for (let q = 0; q < r; q++) value -= L[p + q] * y[q]
      y[r] = value
      x[columns[start + r]] = value
    }
    const y0 = y[0]
    const y1 = y[1]
    const y2 = y[2]
    const y3 = y[3]
    const y4 = y[4]
    const y5 = y[5]
    for (let c = start + rows; c < end; c++) {
      const p = WIDTH * c
      x[columns[c]] -= L[p] * y0 + L[p + 1] * y1 + L[p + 2] * y2 + (L[p + 3] * y3 + L[p + 4] * y4 + L[p + 5] * y5)
    }
  }

  private backward(g: number, x: Float64Array): void {
    const { upper: U, inverse, y } = this
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
      s0 += U[p] * value
      s1 += U[p + 1] * value
      s2 += U[p + 2] * value
      s3 += U[p + 3] * value
      s4 += U[p + 4] * value
      s5 += U[p + 5] * value
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
      for (let c = r + 1; c < rows; c++) value -= U[WIDTH * (start + c) + r] * x[columns[start + c]]
      x[k] = value * inverse[WIDTH * g + r]
    }
  }
}

/** x := (Lᵀ L)⁻¹ x on the velocities of one tree, with L as `factorizeRange` leaves it. */
export function solveTreeOfFactor(pattern: Elimination, L: Float64Array, tree: number, x: Float64Array): void {
  const { model, treeStart, velocitiesOfTrees } = pattern
  const start = treeStart[tree]
  const end = treeStart[tree + 1]
  addWork(pattern.solveWork[tree], 2, 1)
  for (let i = start; i < end; ) {
    const from = i
    while (i + 1 < end && velocitiesOfTrees[i + 1] === velocitiesOfTrees[i] - 1) i++
    solveLTransposedRange(model, L, velocitiesOfTrees[i], velocitiesOfTrees[from] + 1, x)
    i++
  }
  for (let i = end - 1; i >= start; ) {
    const from = i
    while (i - 1 >= start && velocitiesOfTrees[i - 1] === velocitiesOfTrees[i] + 1) i--
    solveLRange(model, L, velocitiesOfTrees[from], velocitiesOfTrees[i] + 1, x)
    i--
  }
}

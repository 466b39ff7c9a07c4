import { addWork } from '../math/index.ts'
import { solveLRange, solveLTransposedRange } from './factorization.ts'
import { SparseFactor } from './sparseFactor.ts'
import type { SparsePattern } from './sparsePattern.ts'

/**
 * Factors H = L U island by island. H has the given pattern and may be unsymmetric: M + Jᵀ G J, with G from the laws of sliding contacts.
 * No pivoting: elimination goes from the leaves of the trees to their roots. A symmetric H takes half of the work. @unchecked
 *
 * An island is a list of trees with couplings among them, and none to others. Its results are independent of other islands to the bit.
 *
 * H is nv x nv, row-major. For each k, row k of a symmetric H is read at the velocities eliminated after k; of others, also the column.
 */
export class IslandFactor {
  private readonly pattern: SparsePattern
  private readonly factor: SparseFactor
  /** The groups of each island: those of island i start at groupStart[i]. */
  private groupStart = new Int32Array(0)
  private groups = new Int32Array(0)
  private readonly islandOfTree: Int32Array

  constructor(pattern: SparsePattern) {
    this.pattern = pattern
    this.factor = new SparseFactor(pattern, false)
    this.islandOfTree = new Int32Array(pattern.treeCount)
  }

  /** Sets the islands, with the current pattern: the trees of island i are trees[treeStart[i]] to trees[treeStart[i + 1] - 1]. */
  begin(count: number, trees: Int32Array, treeStart: Int32Array): void {
    const { pattern, islandOfTree } = this
    const { groupCount, columnStart, columns, treeOfV } = pattern
    if (groupCount === 0) return
    this.factor.reserve()
    if (groupCount > this.groups.length) this.groups = new Int32Array(2 * groupCount)
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
    const { model, treeStart, velocitiesOfTrees } = pattern
    const { nv, vParent } = model
    for (let i = groupStart[island]; i < groupStart[island + 1]; i++) pattern.clear(H, groups[i], true)
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
   * @returns the sign of det H; 0 if H is singular, or if `isSymmetric` and H is not positive definite
   */
  factorize(H: Float64Array, island: number, isSymmetric: boolean): number {
    const { factor, groupStart, groups } = this
    if (!(groupStart[island] < groupStart[island + 1])) throw new Error(`island ${island} has no couplings; expected some.`)
    let sign = 1
    for (let i = groupStart[island]; i < groupStart[island + 1] && sign !== 0; i++)
      sign *= factor.factorize(H, groups[i], isSymmetric)
    return sign
  }

  /** x := H⁻¹ x on the island's velocities. */
  solve(island: number, x: Float64Array): void {
    const { factor, groupStart, groups } = this
    for (let i = groupStart[island]; i < groupStart[island + 1]; i++) factor.forward(groups[i], 0, x, 0)
    for (let i = groupStart[island + 1] - 1; i >= groupStart[island]; i--) factor.backward(groups[i], x)
  }
}

/** x := (Lᵀ L)⁻¹ x on the velocities of one tree, with L from `factorizeRange`. @unchecked */
export function solveTreeOfFactor(pattern: SparsePattern, L: Float64Array, tree: number, x: Float64Array): void {
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

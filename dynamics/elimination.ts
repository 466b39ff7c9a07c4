import { checkLength, checkRoom } from './checkLength.ts'
import {
  factorizeRange,
  notPositive,
  solveLRange,
  solveLTransposedOnBranch,
  solveLTransposedRange,
  solve as solveTree,
} from './factorization.ts'
import { addWork } from './math/index.ts'
import type { Model } from './model.ts'

/** Most rows of a group (supernode): the velocities of a free body. Each column of a panel has this many numbers. */
export const WIDTH = 6

/**
 * Sparse Cholesky factorisation H = Lᵀ L of a matrix that has, besides the branch-induced entries of M, entries between
 * coupled bodies on no common branch: M + h Σ Jᵀ B J with contacts among moving bodies. Any two velocities that move
 * either of two coupled bodies may have an entry in H.
 *
 * Trees without couplings are factored in place by `factorize`, bit for bit as if they were alone. The others are
 * eliminated tree by tree in minimum-degree order, each from its tips to its root, so that a coupled pair of trees costs
 * no more than its fill-in. The order and the symbolic factorisation depend on the set of coupled pairs alone, not on
 * earlier sets nor on the order in which pairs are listed.
 *
 * The method is the left-looking one with supernodes (Davis, Direct Methods for Sparse Linear Systems, 2006, chapter 4; Ng
 * and Peyton, Block sparse Cholesky algorithms on advanced uniprocessor computers, SIAM J. Sci. Comput. 14(5), 1993), in the
 * mirrored form of Featherstone (2008), section 6.5. Up to six consecutive velocities of equal structure, such as those of
 * a free body, form a group (supernode); a group's part of L is a panel of six numbers a column.
 *
 * H is nv x nv, row-major; row k is written and read at `position`s from that of k on, that is at the ancestors of k, and at
 * velocities coupled to k and eliminated after it, in either triangle.
 */
export class Elimination {
  readonly model: Model
  /** Velocities of trees with couplings; 0 if H has no entries but those of M. */
  coupledCount = 0
  /** nv: when each velocity of a tree with couplings is eliminated, from 0 up; in all other trees nv - 1 - velocity. */
  readonly position: Int32Array
  /** nv: the elimination tree: the first velocity after k with an entry in row k of L, -1 if none. `model.vParent` without couplings. */
  readonly next: Int32Array

  /** nv: the tree of each velocity, from 0 up in the order of their first velocities. Bodies welded to the world connect none. */
  readonly treeOfV: Int32Array
  readonly treeCount: number

  // trees
  /** The velocities of each tree, falling: those of tree t from treeStart[t] on. */
  readonly treeStart: Int32Array
  readonly velocitiesOfTrees: Int32Array
  /** Per tree, multiply-adds of half a solve and of the factorisation; and the sums of both. */
  readonly solveWork: Int32Array
  readonly factorWork: Int32Array
  private allSolveWork = 0
  private allFactorWork = 0
  /** Whether copying all of M costs less than its non-zeros alone. */
  private readonly isDense: boolean

  // the couplings: the last velocity of the branch of each of the two bodies, as listed
  private pairCount = 0
  private pairs = new Int32Array(0)
  private listed = new Int32Array(64)

  // their symbolic factorisation
  /** Runs [first, end) of velocities of trees without couplings. */
  private runCount = 0
  private readonly runs: Int32Array
  private readonly isCoupled: Uint8Array
  /** Per coupled tree, in the order of their indices: which tree, its degree in velocities, -1 once eliminated; adjacency. */
  private readonly graphTree: Int32Array
  private readonly nodeOfTree: Int32Array
  private readonly degree: Int32Array
  private readonly neighbours: Int32Array
  private adjacent = new Uint8Array(0)
  /** By position: the velocity, and the structure of its row of L, a bit for each position. */
  private readonly velocityAt: Int32Array
  private bits = new Int32Array(0)
  private readonly rowSize: Int32Array
  groupCount = 0
  /** Per velocity: its group, and its row in the group. */
  private readonly groupOfV: Int32Array
  private readonly rowOfV: Int32Array
  /** Per group: its number of rows; and where its columns start, the first of which are its own rows. */
  readonly width: Int32Array
  readonly columnStart: Int32Array
  columns = new Int32Array(0)
  /** Per group: the earlier groups that have some of its rows among their columns, [group, first column, end of these]. */
  readonly sourceStart: Int32Array
  sources = new Int32Array(0)

  // its numbers
  /** Six a column: L[row r, column] at 6 column + r; 0 for absent rows of a group. */
  private panels = new Float64Array(0)
  /** Six a group: 1 / L[k, k] of its rows; 0 for absent rows. */
  private readonly inverse: Float64Array
  /** nv: index of each column in the current group. */
  private readonly place: Int32Array
  private readonly triangle = new Float64Array(WIDTH * WIDTH)
  private readonly y = new Float64Array(WIDTH)

  constructor(model: Model) {
    const { nv, vParent } = model
    this.model = model
    this.position = new Int32Array(nv)
    this.next = new Int32Array(nv)
    this.treeOfV = new Int32Array(nv)
    let trees = 0
    let entries = 0
    const depth = new Int32Array(nv)
    for (let k = 0; k < nv; k++) {
      const p = vParent[k]
      this.treeOfV[k] = p < 0 ? trees++ : this.treeOfV[p]
      depth[k] = p < 0 ? 1 : depth[p] + 1
      entries += depth[k]
    }
    this.treeCount = trees
    this.isDense = 8 * entries >= nv * nv
    this.treeStart = new Int32Array(trees + 1)
    for (let k = 0; k < nv; k++) this.treeStart[this.treeOfV[k] + 1]++
    for (let t = 0; t < trees; t++) this.treeStart[t + 1] += this.treeStart[t]
    this.velocitiesOfTrees = new Int32Array(nv)
    const end = this.treeStart.slice(0, trees)
    for (let k = nv - 1; k >= 0; k--) this.velocitiesOfTrees[end[this.treeOfV[k]]++] = k
    this.solveWork = new Int32Array(trees)
    this.factorWork = new Int32Array(trees)
    for (let k = 0; k < nv; k++) {
      const t = this.treeOfV[k]
      this.solveWork[t] += depth[k] + 1
      this.factorWork[t] += ((depth[k] + 2) * (depth[k] + 2)) >> 1
      this.allSolveWork += depth[k] + 1
      this.allFactorWork += ((depth[k] + 2) * (depth[k] + 2)) >> 1
    }

    this.runs = new Int32Array(2 * nv)
    this.isCoupled = new Uint8Array(trees)
    this.graphTree = new Int32Array(trees)
    this.nodeOfTree = new Int32Array(trees)
    this.degree = new Int32Array(trees)
    this.neighbours = new Int32Array(trees)
    this.velocityAt = new Int32Array(nv)
    this.rowSize = new Int32Array(nv)
    this.groupOfV = new Int32Array(nv)
    this.rowOfV = new Int32Array(nv)
    this.width = new Int32Array(nv)
    this.columnStart = new Int32Array(nv + 1)
    this.sourceStart = new Int32Array(nv + 2)
    this.inverse = new Float64Array(WIDTH * nv)
    this.place = new Int32Array(nv)
    this.analyse()
  }

  /**
   * Sets the coupled bodies: bodyA[i] with bodyB[i] for i < count. Pairs with a fixed body or with both on one branch are
   * skipped, for they add no entries to those of M. Costs a pass over the pairs while the list stays the same, and a
   * symbolic factorisation when it changes.
   */
  couple(bodyA: Int32Array, bodyB: Int32Array, count: number): void {
    const { vLast } = this.model
    let n = 0
    for (let i = 0; i < count; i++) {
      const a = vLast[bodyA[i]]
      const b = vLast[bodyB[i]]
      if (a < 0 || b < 0 || this.onOneBranch(a, b)) continue
      const { listed } = this
      const low = a < b ? a : b
      const high = a < b ? b : a
      if (n > 0 && listed[2 * n - 2] === low && listed[2 * n - 1] === high) continue
      if (2 * n === listed.length) this.reserveListed()
      this.listed[2 * n] = low
      this.listed[2 * n + 1] = high
      n++
    }
    if (!this.isListed(n)) this.adopt(n)
  }

  /** Whether one branch contains the other; a and b are their last velocities. */
  onOneBranch(a: number, b: number): boolean {
    const { treeOfV } = this
    if (treeOfV[a] !== treeOfV[b]) return false
    const { vParent } = this.model
    const end = a < b ? a : b
    let k = a < b ? b : a
    while (k > end) k = vParent[k]
    return k === end
  }

  /** H := M on the entries of M, and 0 on those of couplings and fill-in alone. The rest is left unchanged. */
  load(M: Float64Array, H: Float64Array): void {
    const { nv } = this.model
    checkLength('M', M, nv * nv)
    checkLength('H', H, nv * nv)
    if (this.coupledCount > 0) this.clear(H)
    this.copyBranches(M, H)
  }

  /** H := M where two velocities are on one branch, the lower triangle; elsewhere H is left unchanged or set to M too. Both nv x nv. */
  copyBranches(M: Float64Array, H: Float64Array): void {
    const { nv, vParent } = this.model
    if (this.coupledCount === 0 && this.isDense) {
      H.set(M)
      return
    }
    for (let k = 0; k < nv; k++) {
      const row = k * nv
      for (let j = k; j >= 0; j = vParent[j]) H[row + j] = M[row + j]
    }
  }

  /**
   * Factors H. The factor of trees without couplings replaces H in place, that of the others is stored here.
   *
   * @param H in and out: nv x nv
   * @throws RangeError if H has not nv x nv entries
   * @throws Error if H is not positive definite
   */
  factorize(H: Float64Array): void {
    const { model, runs, runCount, groupCount } = this
    checkLength('H', H, model.nv * model.nv)
    addWork(this.allFactorWork, 1, 1)
    for (let r = runCount - 1; r >= 0; r--) factorizeRange(model, H, runs[2 * r], runs[2 * r + 1])
    for (let g = 0; g < groupCount; g++) {
      this.gather(H, g)
      this.subtractSources(g)
      this.finishTriangle(g)
      this.finishColumns(g)
    }
  }

  /**
   * x := H⁻¹ x, in place; likewise the two halves below, x := L⁻ᵀ x and x := L⁻¹ x.
   *
   * @param H as left by `factorize`
   * @param x nv
   * @throws RangeError if H has not nv x nv entries, or x not nv
   */
  solve(H: Float64Array, x: Float64Array): void {
    addWork(this.allSolveWork, 2, 1)
    if (this.coupledCount === 0) solveTree(this.model, H, x)
    else {
      this.solveLTransposed(H, x)
      this.solveL(H, x)
    }
  }

  solveLTransposed(H: Float64Array, x: Float64Array): void {
    const { model, runs, runCount, groupCount } = this
    checkLength('H', H, model.nv * model.nv)
    checkLength('x', x, model.nv)
    for (let r = runCount - 1; r >= 0; r--) solveLTransposedRange(model, H, runs[2 * r], runs[2 * r + 1], x)
    for (let g = 0; g < groupCount; g++) this.forward(g, 0, x, 0)
  }

  solveL(H: Float64Array, x: Float64Array): void {
    const { model, runs, runCount, groupCount } = this
    checkLength('H', H, model.nv * model.nv)
    checkLength('x', x, model.nv)
    for (let r = 0; r < runCount; r++) solveLRange(model, H, runs[2 * r], runs[2 * r + 1], x)
    for (let g = groupCount - 1; g >= 0; g--) this.backward(g, x)
  }

  /**
   * x := L⁻ᵀ x for nv numbers at x[offset..] that are 0 but on `path(first)`, as is the row of a contact whose list of
   * velocities starts with `first`. The result is 0 elsewhere too, where x is left unchanged.
   *
   * @param first a velocity, or -1 for none
   * @throws RangeError if H has not nv x nv entries, or if x has not room for nv numbers
   */
  solveLTransposedOnPath(H: Float64Array, first: number, x: Float64Array, offset: number): void {
    const { model, treeOfV, isCoupled, groupOfV, rowOfV, width, columnStart, columns, next } = this
    if (first < 0 || isCoupled[treeOfV[first]] === 0) {
      solveLTransposedOnBranch(model, H, first, x, offset)
      return
    }
    checkRoom('x', x, offset, model.nv)
    for (let k = first; k >= 0; ) {
      const g = groupOfV[k]
      this.forward(g, rowOfV[k], x, offset)
      k = next[columns[columnStart[g] + width[g] - 1]]
    }
  }

  /** Whether the tree of velocity k has couplings, so that its factor is stored here and not in place of H. */
  couples(k: number): boolean {
    return this.isCoupled[this.treeOfV[k]] !== 0
  }

  /** The same of a tree. */
  couplesTree(tree: number): boolean {
    return this.isCoupled[tree] !== 0
  }

  /** out := first, next[first] and so on: all velocities at which L⁻ᵀ x is not 0 if x is 0 but there. Returns how many. */
  path(first: number, out: Int32Array): number {
    const { next } = this
    let n = 0
    for (let k = first; k >= 0; k = next[k]) out[n++] = k
    return n
  }

  /** Number of non-zeros of L in the trees with couplings, diagonals included. */
  get fill(): number {
    let sum = 0
    for (let p = 0; p < this.coupledCount; p++) sum += 1 + this.rowSize[p]
    return sum
  }

  // couplings

  private reserveListed(): void {
    const grown = new Int32Array(2 * this.listed.length)
    grown.set(this.listed)
    this.listed = grown
  }

  private isListed(n: number): boolean {
    const { listed, pairs } = this
    if (n !== this.pairCount) return false
    for (let i = 0; i < 2 * n; i++) if (listed[i] !== pairs[i]) return false
    return true
  }

  private adopt(n: number): void {
    if (this.pairs.length < this.listed.length) this.pairs = new Int32Array(this.listed.length)
    const { listed, pairs } = this
    for (let i = 0; i < 2 * n; i++) pairs[i] = listed[i]
    this.pairCount = n
    this.analyse()
  }

  // symbolic

  /** Symbolic factorisation for the set of couplings. */
  private analyse(): void {
    this.separate()
    if (this.coupledCount === 0) return
    this.connect()
    this.order()
    this.fillIn()
    this.group()
    this.listColumns()
    this.listSources()
  }

  /** Marks the trees with couplings, and lists the velocities of the others in runs. */
  private separate(): void {
    const { model, pairs, pairCount, isCoupled, treeOfV, runs, position, next } = this
    const { nv, vParent } = model
    isCoupled.fill(0)
    for (let i = 0; i < 2 * pairCount; i++) isCoupled[treeOfV[pairs[i]]] = 1
    this.runCount = 0
    this.coupledCount = 0
    this.groupCount = 0
    for (let k = 0; k < nv; k++) {
      position[k] = nv - 1 - k
      next[k] = vParent[k]
      if (isCoupled[treeOfV[k]] !== 0) this.coupledCount++
      else if (this.runCount > 0 && runs[2 * this.runCount - 1] === k) runs[2 * this.runCount - 1] = k + 1
      else {
        runs[2 * this.runCount] = k
        runs[2 * this.runCount + 1] = k + 1
        this.runCount++
      }
    }
  }

  /** Builds the graph of the coupled trees. */
  private connect(): void {
    const { pairs, pairCount, isCoupled, treeOfV, graphTree, nodeOfTree, degree } = this
    let nodes = 0
    for (let t = 0; t < isCoupled.length; t++) {
      if (isCoupled[t] === 0) continue
      nodeOfTree[t] = nodes
      degree[nodes] = 0
      graphTree[nodes++] = t
    }
    if (this.adjacent.length < nodes * nodes) this.adjacent = new Uint8Array(2 * nodes * nodes)
    this.adjacent.fill(0, 0, nodes * nodes)
    for (let i = 0; i < pairCount; i++) {
      this.join(nodes, nodeOfTree[treeOfV[pairs[2 * i]]], nodeOfTree[treeOfV[pairs[2 * i + 1]]])
    }
  }

  private join(nodes: number, m: number, n: number): void {
    const { adjacent, degree, graphTree, treeStart } = this
    if (m === n || adjacent[m * nodes + n] !== 0) return
    adjacent[m * nodes + n] = 1
    adjacent[n * nodes + m] = 1
    degree[m] += treeStart[graphTree[n] + 1] - treeStart[graphTree[n]]
    degree[n] += treeStart[graphTree[m] + 1] - treeStart[graphTree[m]]
  }

  /** Minimum-degree order: next is the tree with the fewest adjacent velocities, the first of several; its neighbours become adjacent. */
  private order(): void {
    const { adjacent, degree, graphTree, treeStart, velocitiesOfTrees, velocityAt, position, isCoupled, neighbours } = this
    let nodes = 0
    for (let t = 0; t < isCoupled.length; t++) nodes += isCoupled[t]
    let p = 0
    for (let step = 0; step < nodes; step++) {
      addWork(nodes, 2, 1)
      let least = -1
      for (let n = 0; n < nodes; n++) if (degree[n] >= 0 && (least < 0 || degree[n] < degree[least])) least = n
      degree[least] = -1
      const start = treeStart[graphTree[least]]
      const end = treeStart[graphTree[least] + 1]
      for (let i = start; i < end; i++) {
        velocityAt[p] = velocitiesOfTrees[i]
        position[velocitiesOfTrees[i]] = p++
      }
      let count = 0
      for (let n = 0; n < nodes; n++) {
        if (adjacent[least * nodes + n] === 0 || degree[n] < 0) continue
        neighbours[count++] = n
        degree[n] -= end - start
      }
      addWork(count, count, 2)
      for (let m = 0; m < count; m++) for (let n = 0; n < m; n++) this.join(nodes, neighbours[m], neighbours[n])
    }
  }

  /** The structure of each row of L: its own entries of H, and those of the row's children in the elimination tree. */
  private fillIn(): void {
    const { coupledCount, pairs, pairCount, position, velocityAt, next, rowSize } = this
    const { vParent } = this.model
    const words = (coupledCount + 31) >> 5
    if (this.bits.length < coupledCount * words) this.bits = new Int32Array(2 * coupledCount * words)
    const { bits } = this
    addWork(coupledCount, words, 3)
    bits.fill(0, 0, coupledCount * words)
    for (let p = 0; p < coupledCount; p++) this.meet(p, words, vParent[velocityAt[p]])
    // For each coupling the row that is eliminated first is enough: elimination passes its entries on to the others.
    for (let i = 0; i < pairCount; i++) {
      const a = pairs[2 * i]
      const b = pairs[2 * i + 1]
      if (position[a] < position[b]) this.meet(position[a], words, b)
      else this.meet(position[b], words, a)
    }
    for (let p = 0; p < coupledCount; p++) {
      const row = p * words
      let first = -1
      let size = 0
      for (let w = p >> 5; w < words; w++) {
        const word = bits[row + w]
        if (word === 0) continue
        if (first < 0) first = 32 * w + (31 - Math.clz32(word & -word))
        size += bitCount(word)
      }
      rowSize[p] = size
      next[velocityAt[p]] = first < 0 ? -1 : velocityAt[first]
      if (first < 0) continue
      const target = first * words
      for (let w = first >> 5; w < words; w++) bits[target + w] |= bits[row + w]
      bits[target + (first >> 5)] &= ~(1 << (first & 31))
    }
  }

  /** Adds to the structure of row p the branch that ends in velocity `last`, as far as it is eliminated after p. */
  private meet(p: number, words: number, last: number): void {
    const { bits, position } = this
    const { vParent } = this.model
    for (let k = last; k >= 0; k = vParent[k]) {
      const q = position[k]
      if (q > p) bits[p * words + (q >> 5)] |= 1 << (q & 31)
    }
  }

  /** Forms the groups (supernodes): consecutive rows of the same structure but for each other. */
  private group(): void {
    const { coupledCount, velocityAt, next, rowSize, groupOfV, rowOfV, width } = this
    let g = -1
    for (let p = 0; p < coupledCount; p++) {
      const k = velocityAt[p]
      const joins = p > 0 && next[velocityAt[p - 1]] === k && rowSize[p - 1] === rowSize[p] + 1 && width[g] < WIDTH
      if (!joins) width[++g] = 0
      groupOfV[k] = g
      rowOfV[k] = width[g]++
    }
    this.groupCount = g + 1
  }

  private listColumns(): void {
    const { coupledCount, groupCount, velocityAt, rowSize, width, columnStart, bits } = this
    const words = (coupledCount + 31) >> 5
    let p = 0
    let total = 0
    for (let g = 0; g < groupCount; g++) {
      columnStart[g] = total
      p += width[g]
      total += width[g] + rowSize[p - 1]
    }
    columnStart[groupCount] = total
    if (this.columns.length < total) {
      this.columns = new Int32Array(2 * total)
      this.panels = new Float64Array(2 * total * WIDTH)
    }
    const { columns } = this
    p = 0
    for (let g = 0; g < groupCount; g++) {
      let c = columnStart[g]
      for (let r = 0; r < width[g]; r++) columns[c++] = velocityAt[p++]
      const row = (p - 1) * words
      for (let w = p >> 5; w < words; w++) {
        for (let word = bits[row + w]; word !== 0; word &= word - 1) {
          columns[c++] = velocityAt[32 * w + (31 - Math.clz32(word & -word))]
        }
      }
    }
  }

  private listSources(): void {
    const { groupCount, columns, columnStart, width, groupOfV, sourceStart } = this
    sourceStart.fill(0, 0, groupCount + 2)
    // counting sort: counts are kept two places on, then starts one place on, which move to their own while entries are written
    for (let pass = 0; pass < 2; pass++) {
      for (let g = 0; g < groupCount; g++) {
        const end = columnStart[g + 1]
        for (let c = columnStart[g] + width[g]; c < end; ) {
          const target = groupOfV[columns[c]]
          const first = c
          while (c < end && groupOfV[columns[c]] === target) c++
          if (pass === 0) sourceStart[target + 2]++
          else {
            const at = 3 * sourceStart[target + 1]++
            this.sources[at] = g
            this.sources[at + 1] = first
            this.sources[at + 2] = c
          }
        }
      }
      if (pass > 0) break
      for (let g = 0; g < groupCount; g++) sourceStart[g + 2] += sourceStart[g + 1]
      const total = sourceStart[groupCount + 1]
      if (this.sources.length < 3 * total) this.sources = new Int32Array(6 * total)
    }
  }

  // numeric

  private clear(H: Float64Array): void {
    const { groupCount, columns, columnStart, width } = this
    const { nv } = this.model
    for (let g = 0; g < groupCount; g++) {
      const start = columnStart[g]
      const end = columnStart[g + 1]
      for (let r = start; r < start + width[g]; r++) {
        const row = columns[r] * nv
        for (let c = r; c < end; c++) H[row + columns[c]] = 0
      }
    }
  }

  /** Copies rows of H into the panel of group g. Entries below its diagonal are never read. */
  private gather(H: Float64Array, g: number): void {
    const { columns, columnStart, width, panels, place } = this
    const { nv } = this.model
    const start = columnStart[g]
    const end = columnStart[g + 1]
    const rows = width[g]
    for (let c = start; c < end; c++) place[columns[c]] = c - start
    for (let r = 0; r < rows; r++) {
      const row = columns[start + r] * nv
      for (let c = start; c < end; c++) panels[WIDTH * c + r] = H[row + columns[c]]
    }
    for (let r = rows; r < WIDTH; r++) for (let c = start; c < end; c++) panels[WIDTH * c + r] = 0
  }

  /** Subtracts the updates of earlier groups from group g: L[k, i] L[k, j], summed over their rows k, for each row i of g. */
  private subtractSources(g: number): void {
    const { sources, sourceStart, columnStart, columns, panels, place } = this
    const target = WIDTH * columnStart[g]
    const last = 3 * sourceStart[g + 1]
    let work = columnStart[g + 1] - columnStart[g]
    for (let s = 3 * sourceStart[g]; s < last; s += 3) {
      const end = columnStart[sources[s] + 1]
      const endOfRows = sources[s + 2]
      let i = sources[s + 1]
      work += (endOfRows - i) * (end - i)
      for (; i + 1 < endOfRows; i += 2) subtractTwoRows(panels, panels, columns, place, i, end, target)
      if (i < endOfRows) subtractRow(panels, panels, columns, place, i, end, target)
    }
    addWork(work, WIDTH, 1)
  }

  /** Dense Cholesky of the diagonal block of group g; and a copy of its triangle, with zeros for absent rows. */
  private finishTriangle(g: number): void {
    const { columnStart, columns, width, panels: P, triangle: T, inverse, model } = this
    const start = columnStart[g]
    const rows = width[g]
    const at = WIDTH * start
    for (let r = 0; r < WIDTH; r++) inverse[WIDTH * g + r] = 0
    for (let r = 0; r < WIDTH * WIDTH; r++) T[r] = 0
    for (let r = 0; r < rows; r++) {
      const pivot = P[at + WIDTH * r + r]
      if (!(pivot > 0)) throw notPositive(model, columns[start + r], pivot)
      const root = Math.sqrt(pivot)
      const scale = 1 / root
      inverse[WIDTH * g + r] = scale
      P[at + WIDTH * r + r] = root
      for (let c = r + 1; c < rows; c++) {
        P[at + WIDTH * c + r] *= scale
        T[WIDTH * c + r] = P[at + WIDTH * c + r]
      }
      for (let q = r + 1; q < rows; q++) {
        const x = T[WIDTH * q + r]
        for (let c = q; c < rows; c++) P[at + WIDTH * c + q] -= x * T[WIDTH * c + r]
      }
    }
  }

  /** Solves for the same rows at all later columns. */
  private finishColumns(g: number): void {
    const { columnStart, width, panels: P, triangle: T, inverse } = this
    const d = WIDTH * g
    const d0 = inverse[d]
    const d1 = inverse[d + 1]
    const d2 = inverse[d + 2]
    const d3 = inverse[d + 3]
    const d4 = inverse[d + 4]
    const d5 = inverse[d + 5]
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
    const end = WIDTH * columnStart[g + 1]
    for (let p = WIDTH * (columnStart[g] + width[g]); p < end; p += WIDTH) {
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

  /** Solves the rows of group g from row `from` on with Lᵀ, and updates later entries of x; earlier rows of the group are 0. */
  private forward(g: number, from: number, x: Float64Array, offset: number): void {
    const { columnStart, columns, width, panels: P, inverse, y } = this
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
      value *= inverse[WIDTH * g + r]
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

  /** Solves the rows of group g with L, given the later entries of x. */
  private backward(g: number, x: Float64Array): void {
    const { columnStart, columns, width, panels: P, inverse, y } = this
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
export function subtractTwoRows(
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

/** The same for column i alone. */
export function subtractRow(
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

/** Number of set bits of a 32-bit word. */
function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

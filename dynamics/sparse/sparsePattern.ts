import { addWork } from '../math/index.ts'
import { checkLength } from '../model/checkLength.ts'
import type { Model } from '../model/model.ts'

/** Most rows of a group (supernode): the velocities of a free body. Also the numbers per column of a panel. */
export const WIDTH = 6

/**
 * Symbolic factorisation of a matrix H that has, besides the branch-induced entries of M, entries between coupled bodies on no common
 * branch: M + h Σ Jᵀ B J with contacts among moving bodies. Any two velocities that move either of two coupled bodies may have an entry in
 * H.
 *
 * The trees with couplings are eliminated tree by tree in minimum-degree order, each from its leaves to its root, so that a coupled pair of
 * trees adds only its fill-in. The order and the structure of the factor depend on the set of coupled pairs alone, not on earlier sets nor
 * on the order in which pairs are listed.
 *
 * Up to six consecutive velocities of equal structure, such as those of a free body, form a group (supernode). Ng and Peyton, Block sparse
 * Cholesky algorithms on advanced uniprocessor computers, SIAM J. Sci. Comput. 14(5), 1993; Davis, Direct Methods for Sparse Linear Systems
 * (2006), chapter 4.
 *
 * H is nv x nv, row-major; row k is used at `position`s from that of k on: at its ancestors, and at velocities coupled to k and eliminated
 * after it, in either triangle.
 */
export class SparsePattern {
  readonly model: Model
  /** Number of velocities of trees with couplings; 0 if H has only the entries of M. */
  coupledCount = 0
  /** nv: position in the elimination order of each velocity of trees with couplings; in other trees nv - 1 - velocity. */
  readonly position: Int32Array
  /** nv: the elimination tree: the first velocity after k with an entry in row k of L, -1 if none. `model.vParent` without couplings. */
  readonly next: Int32Array

  /** nv: the tree of each velocity, from 0 up in the order of their first velocities. Bodies fixed to the world connect none. */
  readonly treeOfV: Int32Array
  readonly treeCount: number

  // trees
  /** The velocities of all trees, falling in each; tree t starts at treeStart[t]. */
  readonly treeStart: Int32Array
  readonly velocitiesOfTrees: Int32Array
  /** Per tree: cost of half a solve in multiply-adds; and sums of these, and of the factorisation. */
  readonly solveWork: Int32Array
  protected allSolveWork = 0
  protected allFactorWork = 0
  /** Whether copying all of M is faster than copying its nonzeros. */
  private readonly isDense: boolean

  // the couplings: last velocities of both bodies' branches, as listed
  private pairCount = 0
  private pairs = new Int32Array(0)
  private listed = new Int32Array(64)

  // their symbolic factorisation
  /** Runs [first, end) of velocities of trees without couplings. */
  protected runCount = 0
  protected readonly runs: Int32Array
  protected readonly isCoupled: Uint8Array
  /** Per coupled tree, in the order of their indices: the tree; its degree in velocities, -1 once eliminated; its adjacency. */
  private readonly graphTree: Int32Array
  private readonly nodeOfTree: Int32Array
  private readonly degree: Int32Array
  private readonly neighbours: Int32Array
  private adjacent = new Uint8Array(0)
  /** By position: the velocity, and the structure of its row of L, one bit per position. */
  private readonly velocityAt: Int32Array
  private bits = new Int32Array(0)
  private readonly rowSize: Int32Array
  groupCount = 0
  /** Per velocity: its group, and its row in the group. */
  protected readonly groupOfV: Int32Array
  protected readonly rowOfV: Int32Array
  /** Per group: its number of rows; and the start of its columns, first of which are its own rows. */
  readonly width: Int32Array
  readonly columnStart: Int32Array
  columns = new Int32Array(0)
  /** Per group: the earlier groups with some of its rows among their columns, as [group, first column, end]. */
  readonly sourceStart: Int32Array
  sources = new Int32Array(0)

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
    for (let k = 0; k < nv; k++) {
      this.solveWork[this.treeOfV[k]] += depth[k] + 1
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
    this.analyse()
  }

  /**
   * Sets the coupled bodies: bodyA[i] with bodyB[i] for i < count. Pairs with a fixed body or with both on one branch are skipped, since
   * they add no entries to M. Takes a pass over the pairs if the list is unchanged, else a symbolic factorisation.
   */
  setCouplings(bodyA: Int32Array, bodyB: Int32Array, count: number): void {
    const { vLast } = this.model
    let n = 0
    for (let i = 0; i < count; i++) {
      const a = vLast[bodyA[i]]
      const b = vLast[bodyB[i]]
      if (a < 0 || b < 0 || this.onSamePath(a, b)) continue
      const { listed } = this
      const low = a < b ? a : b
      const high = a < b ? b : a
      if (n > 0 && listed[2 * n - 2] === low && listed[2 * n - 1] === high) continue
      if (2 * n === listed.length) this.reserveListed()
      this.listed[2 * n] = low
      this.listed[2 * n + 1] = high
      n++
    }
    if (!this.isListed(n)) this.useCouplings(n)
  }

  /** Whether one branch contains the other; a and b are their last velocities. */
  onSamePath(a: number, b: number): boolean {
    const { treeOfV } = this
    if (treeOfV[a] !== treeOfV[b]) return false
    const { vParent } = this.model
    const end = a < b ? a : b
    let k = a < b ? b : a
    while (k > end) k = vParent[k]
    return k === end
  }

  /** H := M at the entries of M, and 0 at entries of couplings or fill-in alone. The rest is unchanged. */
  load(M: Float64Array, H: Float64Array): void {
    const { nv } = this.model
    checkLength('M', M, nv * nv)
    checkLength('H', H, nv * nv)
    for (let g = 0; g < this.groupCount; g++) this.clear(H, g, false)
    this.copyBranches(M, H)
  }

  /** H := M for pairs of velocities on one branch, lower triangle; other entries are unchanged, or also set to M. Both nv x nv. */
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

  /** Whether the tree of velocity k has couplings, so that its factor is stored here, not in H. */
  couples(k: number): boolean {
    return this.isCoupled[this.treeOfV[k]] !== 0
  }

  /** Whether a tree has couplings. */
  couplesTree(tree: number): boolean {
    return this.isCoupled[tree] !== 0
  }

  /** out := first, next[first] and so on: the nonzeros of L⁻ᵀ x if x is nonzero only at `first`. @returns their number */
  path(first: number, out: Int32Array): number {
    const { next } = this
    let n = 0
    for (let k = first; k >= 0; k = next[k]) out[n++] = k
    return n
  }

  /** Number of nonzeros of L in the trees with couplings, diagonals included. */
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

  private useCouplings(n: number): void {
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
    this.buildGraph()
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
  private buildGraph(): void {
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
      this.addEdge(nodes, nodeOfTree[treeOfV[pairs[2 * i]]], nodeOfTree[treeOfV[pairs[2 * i + 1]]])
    }
  }

  private addEdge(nodes: number, m: number, n: number): void {
    const { adjacent, degree, graphTree, treeStart } = this
    if (m === n || adjacent[m * nodes + n] !== 0) return
    adjacent[m * nodes + n] = 1
    adjacent[n * nodes + m] = 1
    degree[m] += treeStart[graphTree[n] + 1] - treeStart[graphTree[n]]
    degree[n] += treeStart[graphTree[m] + 1] - treeStart[graphTree[m]]
  }

  /** Minimum-degree order: the tree with the fewest adjacent velocities is next, the first of equals; its neighbours become adjacent. */
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
      for (let m = 0; m < count; m++) for (let n = 0; n < m; n++) this.addEdge(nodes, neighbours[m], neighbours[n])
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
    for (let p = 0; p < coupledCount; p++) this.addPath(p, words, vParent[velocityAt[p]])
    // the first eliminated row of each coupling suffices: elimination passes its entries on to the others
    for (let i = 0; i < pairCount; i++) {
      const a = pairs[2 * i]
      const b = pairs[2 * i + 1]
      if (position[a] < position[b]) this.addPath(position[a], words, b)
      else this.addPath(position[b], words, a)
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

  /** Adds to the structure of row p the velocities eliminated after p on the branch that ends in velocity `last`. */
  private addPath(p: number, words: number, last: number): void {
    const { bits, position } = this
    const { vParent } = this.model
    for (let k = last; k >= 0; k = vParent[k]) {
      const q = position[k]
      if (q > p) bits[p * words + (q >> 5)] |= 1 << (q & 31)
    }
  }

  /** Forms the groups (supernodes): consecutive rows of equal structure, apart from each other's columns. */
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
    if (this.columns.length < total) this.columns = new Int32Array(2 * total)
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
    // counting sort: counts are stored two places ahead, then starts one place ahead, which move into place as entries are written
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

  /** Sets the used entries of the rows of group g to 0, and with `both` those of the columns. */
  clear(H: Float64Array, g: number, both: boolean): void {
    const { columns, columnStart, width } = this
    const { nv } = this.model
    const start = columnStart[g]
    const end = columnStart[g + 1]
    for (let r = start; r < start + width[g]; r++) {
      const row = columns[r] * nv
      for (let c = r; c < end; c++) {
        H[row + columns[c]] = 0
        if (both) H[columns[c] * nv + columns[r]] = 0
      }
    }
  }
}

/** Number of set bits of a 32-bit word. */
function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

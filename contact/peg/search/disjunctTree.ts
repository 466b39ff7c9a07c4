import { addWork } from '../../../dynamics/index.ts'
import { grown } from '../../grown.ts'
import type { DisjunctProblem } from './disjunctViolations.ts'

/** Relative difference below which costs are equal. */
export const EQUAL = 1e-9

/** Nodes of a branch and bound: sets of contacts as bits in the order of their keys, each with a lower bound of its cost. */
export class DisjunctTree {
  /** Contacts in the order of their keys. */
  private order = new Int32Array(0)
  private words = 0
  private made = 0
  private sets = new Int32Array(0)
  private bound = new Float64Array(64)
  private open = new Int32Array(64)
  private openCount = 0
  /** Hash table of the sets. */
  private table = new Int32Array(256)

  /** Starts without nodes. */
  begin(problem: DisjunctProblem): void {
    this.sort(problem)
    this.words = (problem.contactCount + 31) >>> 5
    this.made = 0
    this.openCount = 0
    this.table.fill(0)
  }

  /** Sorts the contacts by their keys. */
  sort({ contactCount: n, key }: DisjunctProblem): void {
    if (n > this.order.length) this.order = new Int32Array(2 * n)
    const { order } = this
    for (let i = 0; i < n; i++) order[i] = i
    for (let gap = n >>> 1; gap > 0; gap = gap === 2 ? 1 : Math.floor(gap / 2.2)) {
      for (let i = gap; i < n; i++) {
        const c = order[i]
        let j = i
        for (; j >= gap && key[order[j - gap]] > key[c]; j -= gap) order[j] = order[j - gap]
        order[j] = c
      }
    }
  }

  /** Whether the sorted keys of one set of contacts precede those of another. */
  isFirst(set: Uint8Array, than: Uint8Array, n: number): boolean {
    const { order } = this
    let r = 0
    while (r < n && set[order[r]] === than[order[r]]) r++
    if (r === n) return false
    const has = set[order[r]] === 1
    const other = has ? than : set
    // the set that ends here is first
    for (r++; r < n; r++) if (other[order[r]] === 1) return has
    return !has
  }

  /** Opens a node with its bound, unless its set exists already. @param next per contact: 1 if in the set */
  add(next: Uint8Array, n: number, nodeBound: Float64Array): void {
    const { words, order } = this
    addWork(n, 2, 1)
    this.reserveNode()
    const { sets, bound, table, open, made } = this
    const at = made * words
    let hash = 0
    for (let w = 0; w < words; w++) {
      let word = 0
      const end = 32 * w + 32 < n ? 32 : n - 32 * w
      for (let bit = 0; bit < end; bit++) if (next[order[32 * w + bit]] === 1) word |= 1 << bit
      sets[at + w] = word
      hash = Math.imul(hash ^ word, 0x9e3779b1)
      hash ^= hash >>> 15
    }
    const mask = table.length - 1
    let slot = hash & mask
    for (; table[slot] !== 0; slot = (slot + 1) & mask) {
      const there = (table[slot] - 1) * words
      let w = 0
      while (w < words && sets[there + w] === sets[at + w]) w++
      if (w === words) return
    }
    table[slot] = made + 1
    bound[made] = nodeBound[0]
    open[this.openCount++] = made
    this.made = made + 1
  }

  private reserveNode(): void {
    const { made, words } = this
    if ((made + 1) * words > this.sets.length) this.sets = grown(this.sets, 2 * (made + 64) * words)
    if (made + 1 > this.bound.length) {
      this.bound = grown(this.bound, 2 * (made + 1))
      this.open = grown(this.open, 2 * (made + 1))
    }
    if (2 * (made + 1) <= this.table.length) return
    const table = new Int32Array(2 * this.table.length)
    const mask = table.length - 1
    for (let node = 0; node < made; node++) {
      let hash = 0
      for (let w = 0; w < words; w++) {
        hash = Math.imul(hash ^ this.sets[node * words + w], 0x9e3779b1)
        hash ^= hash >>> 15
      }
      let slot = hash & mask
      while (table[slot] !== 0) slot = (slot + 1) & mask
      table[slot] = node + 1
    }
    this.table = table
  }

  /** Removes the open node of least bound from the list; of equals the first by keys. -1 if none costs as little as `most`. */
  cheapest(most: Float64Array): number {
    const { open, openCount, bound } = this
    let least = Number.POSITIVE_INFINITY
    for (let k = 0; k < openCount; k++) if (bound[open[k]] < least) least = bound[open[k]]
    if (least === Number.POSITIVE_INFINITY || least > most[0] * (1 + EQUAL)) return -1
    let best = -1
    for (let k = 0; k < openCount; k++) {
      if (bound[open[k]] > least * (1 + EQUAL)) continue
      if (best < 0 || this.nodeIsBefore(open[k], open[best])) best = k
    }
    const node = open[best]
    this.openCount = openCount - 1
    open[best] = open[openCount - 1]
    return node
  }

  private nodeIsBefore(a: number, b: number): boolean {
    const { sets, words } = this
    let w = 0
    while (w < words && sets[a * words + w] === sets[b * words + w]) w++
    if (w === words) return false
    const mine = sets[a * words + w]
    const difference = mine ^ sets[b * words + w]
    const first = difference & -difference
    const has = (mine & first) !== 0
    const other = has ? b : a
    // the set that ends here is first
    if ((sets[other * words + w] & ~(first | (first - 1))) !== 0) return has
    for (w++; w < words; w++) if (sets[other * words + w] !== 0) return has
    return !has
  }

  /** current := the node. */
  load(node: number, n: number, current: Uint8Array): void {
    const { sets, words, order } = this
    for (let r = 0; r < n; r++) current[order[r]] = (sets[node * words + (r >>> 5)] >>> (r & 31)) & 1
  }
}

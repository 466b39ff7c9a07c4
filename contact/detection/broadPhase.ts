import { addWork } from '../../dynamics/index.ts'
import { grown } from '../grown.ts'

/** Filter of the pairs that a broad phase reports; called with the smaller number first. */
export interface PairFilter {
  allows(a: number, b: number): boolean
}

/** Counters of a broad phase over all its updates. */
export interface BroadPhaseStatistics {
  readonly updates: number
  /** Comparisons of boxes and of their positions in the sorted order; swaps of neighbours in it. */
  readonly compares: number
  readonly swaps: number
  /** Number of times that a box left its fat AABB (a somewhat larger box that is swept in its place). */
  readonly refits: number
  /** Pairs whose fat boxes began to overlap, and pairs whose fat boxes ceased to. */
  readonly added: number
  readonly removed: number
  /** Updates that sorted all boxes: the first, those with too many swaps, and those in which boxes became finite or infinite. */
  readonly rebuilds: number
}

/** Indices of these counters. They are doubles, since a long run exceeds small integers. */
const UPDATES = 0
const COMPARES = 1
const SWAPS = 2
const ADDED = 3
const REMOVED = 4
const REBUILDS = 5
const REFITS = 6

/** Swaps in an update, per box, beyond which sorting all boxes is cheaper. */
const mostSwaps = 64
/**
 * A fat box extends ahead by the motion of `lead` updates, one more for each next box up to about twice as many, so that not all boxes
 * leave in one update; at most by `mostAhead` times its extent. `leastAround` times the extent is added on all sides.
 */
const lead = 16
const leads = 17
const mostAhead = 0.5
const leastAround = 0.02
/** Size classes, each from one power of two to the next; the last is for infinite extents. */
const sizes = 32
/** Most strips along the second axis per size class; and their width, in extents of the class's largest box. */
const strips = 64
const stripWidth = 1
/** Initial capacity of pairs. */
const leastPairs = 256

/**
 * Sweep and prune over axis-aligned boxes: the pairs whose boxes overlap, touching included. @unchecked
 *
 * The sweep is over fat AABBs: somewhat larger than the boxes themselves, and extended ahead of moving boxes. They are kept sorted by their
 * lower ends along one axis, grouped by size class and strip. A box that leaves its fat box gets a new one, which moves to its place in the
 * order by a few swaps (temporal coherence: Baraff, Dynamic Simulation of Non-Penetrating Rigid Bodies, 1992, section 2.3), and is swept
 * against the fat boxes whose lower ends lie between its own, less the greatest extent, and its upper end. Pairs of fat boxes are reported
 * if the boxes themselves overlap. So the cost of an update is proportional to the number of boxes, and of pairs, if little changes between
 * updates; after large changes all boxes are sorted again. Boxes that are infinite on all six sides are not sorted: each overlaps all
 * others.
 *
 * One axis is swept, not three: in a crowd, ends pass each other far more often than boxes begin to overlap.
 *
 * The result depends on the current boxes alone. Memory grows only when there are more overlapping pairs than ever before; otherwise
 * `update` allocates nothing.
 */
export class BroadPhase {
  readonly count: number
  /** 6 a box, written by the caller before `update`: least x, y, z, greatest x, y, z. */
  readonly bounds: Float64Array
  /** The pairs: a < b, ordered by a, then b; `pairCount` entries are valid. `update` may replace the arrays by larger ones. */
  pairA: Int32Array
  pairB: Int32Array
  pairCount = 0

  readonly #counts = new Float64Array(7)
  readonly #filter: PairFilter | undefined
  /** Per box: 1 if any of its sides is finite. */
  readonly #finite: Uint8Array
  #finiteCount = -1
  /** The fat boxes, laid out as `bounds`. */
  readonly #fat: Float64Array
  /** Per box: its least x, y, z at its last refit, and the number of that update. */
  readonly #since: Float64Array
  /** Per box: its greatest extent so far along any axis, its size class, and its group, size * strips + strip. */
  readonly #extent: Float64Array
  readonly #size: Int32Array
  readonly #group: Int32Array
  /** Per size class: 1 if in use; the greatest extents along both axes; start of the first strip, and 1 / width. */
  readonly #sizeUsed = new Uint8Array(sizes)
  readonly #sizeExtent = new Float64Array(2 * sizes)
  readonly #sizeStrip = new Float64Array(2 * sizes)
  /** Per group: its start in the sorted order; then the end of the last group. */
  readonly #groupStart = new Int32Array(sizes * strips + 1)
  /** The axis along which fat boxes are sorted, and the axis that is divided into strips. */
  #axis = 0
  #second = 1
  /** Boxes in sorted order, the lower ends of their fat boxes, and per box its position in this order. */
  readonly #boxes: Int32Array
  readonly #begins: Float64Array
  readonly #places: Int32Array
  /** Per box: 1 if refitted in this update. */
  readonly #moved: Uint8Array
  /** Scratch of merge sort. */
  readonly #spareBoxes: Int32Array
  /** Pairs of fat boxes, unordered, and a hash table of them with open addressing: entry + 1, 0 for none. */
  #a: Int32Array
  #b: Int32Array
  #pairs = 0
  #table: Int32Array
  #changed = true
  /** Number of boxes + 1: the number of pairs whose first box this is, then the index of the first such pair. */
  readonly #start: Int32Array
  #order: Int32Array
  /** Pairs of fat boxes in the order of `pairA` and `pairB`. */
  #fatA: Int32Array
  #fatB: Int32Array

  /**
   * @param count  number of boxes
   * @param filter pairs to report; default all
   */
  constructor(count: number, filter?: PairFilter) {
    this.count = count
    this.bounds = new Float64Array(6 * count)
    this.#filter = filter
    this.#finite = new Uint8Array(count)
    this.#fat = new Float64Array(6 * count)
    this.#since = new Float64Array(4 * count)
    this.#extent = new Float64Array(count)
    this.#size = new Int32Array(count)
    this.#group = new Int32Array(count)
    this.#boxes = new Int32Array(count)
    this.#begins = new Float64Array(count)
    this.#places = new Int32Array(count)
    this.#moved = new Uint8Array(count)
    this.#spareBoxes = new Int32Array(count)
    const capacity = Math.max(leastPairs, 4 * count)
    this.pairA = new Int32Array(capacity)
    this.pairB = new Int32Array(capacity)
    this.#fatA = new Int32Array(capacity)
    this.#fatB = new Int32Array(capacity)
    this.#a = new Int32Array(capacity)
    this.#b = new Int32Array(capacity)
    this.#order = new Int32Array(capacity)
    this.#table = new Int32Array(powerOfTwo(2 * capacity))
    this.#start = new Int32Array(count + 1)
  }

  get statistics(): BroadPhaseStatistics {
    const [updates, compares, swaps, added, removed, rebuilds, refits] = this.#counts
    return { updates, compares, swaps, refits, added, removed, rebuilds }
  }

  /**
   * Finds the overlapping pairs of the current `bounds`.
   *
   * @throws RangeError for a box whose least end is above its greatest or not a number
   */
  update(): void {
    this.#counts[UPDATES]++
    if (this.#sortOut() || !this.#refitLeavers()) this.#rebuild()
    else this.#dropParted()
    if (this.#changed) this.#list()
    this.#changed = false
    this.#report()
  }

  /** Checks the boxes and marks the finite ones. @returns true if these have changed, so that all must be sorted again */
  #sortOut(): boolean {
    const { bounds, count } = this
    const finite = this.#finite
    let anew = this.#finiteCount < 0
    let finiteCount = 0
    for (let i = 0; i < count; i++) {
      const k = 6 * i
      if (!(bounds[k] <= bounds[k + 3] && bounds[k + 1] <= bounds[k + 4] && bounds[k + 2] <= bounds[k + 5])) this.#refuse(i)
      const ends = bounds[k] > -Infinity || bounds[k + 3] < Infinity || someEnd(bounds, k) ? 1 : 0
      if (finite[i] !== ends) anew = true
      finite[i] = ends
      finiteCount += ends
    }
    this.#finiteCount = finiteCount
    return anew
  }

  #refuse(i: number): never {
    const six = Array.from(this.bounds.subarray(6 * i, 6 * i + 6))
    throw new RangeError(
      `bounds of box ${i} are [${six.join(', ')}]; expected least x, y, z, then greatest x, y, z, not below them`,
    )
  }

  /** Refits the boxes that have left their fat boxes. @returns false if this takes too many swaps */
  #refitLeavers(): boolean {
    const { bounds, count } = this
    const fat = this.#fat
    const finite = this.#finite
    const moved = this.#moved
    const counts = this.#counts
    const most = counts[SWAPS] + mostSwaps * this.#finiteCount
    counts[COMPARES] += count
    for (let i = 0; i < count; i++) {
      const k = 6 * i
      const stays =
        bounds[k] >= fat[k] &&
        bounds[k + 1] >= fat[k + 1] &&
        bounds[k + 2] >= fat[k + 2] &&
        bounds[k + 3] <= fat[k + 3] &&
        bounds[k + 4] <= fat[k + 4] &&
        bounds[k + 5] <= fat[k + 5]
      moved[i] = stays || finite[i] === 0 ? 0 : 1
      if (moved[i] === 0) continue
      counts[REFITS]++
      this.#fatten(i)
      this.#moveBegin(i)
      if (counts[SWAPS] > most) return false
    }
    // after all have reached their places
    for (let i = 0; i < count; i++) if (moved[i] === 1) this.#sweep(i, 0)
    return true
  }

  /** Sets the fat box of a box: its bounds with a margin, extended along its motion since its last fat box. */
  #fatten(i: number): void {
    const { bounds } = this
    const fat = this.#fat
    const since = this.#since
    const updates = this.#counts[UPDATES]
    const ahead = (lead + (i % leads)) / Math.max(updates - since[4 * i + 3], 1)
    since[4 * i + 3] = updates
    for (let axis = 0; axis < 3; axis++) {
      const low = bounds[6 * i + axis]
      const high = bounds[6 * i + axis + 3]
      const extent = high - low
      const most = extent < Infinity ? mostAhead * extent : 0
      const around = extent < Infinity ? leastAround * extent : 0
      const way = extent < Infinity ? ahead * (low - since[4 * i + axis]) : 0
      since[4 * i + axis] = low
      if (extent > this.#extent[i]) this.#extent[i] = extent
      fat[6 * i + axis] = low - around + Math.max(Math.min(way, 0), -most)
      fat[6 * i + axis + 3] = high + around + Math.min(Math.max(way, 0), most)
    }
    this.#widen(i)
  }

  /** Raises the greatest extents of the fat boxes of the box's size class, which bound how far back a sweep begins. */
  #widen(i: number): void {
    const fat = this.#fat
    const extent = this.#sizeExtent
    const k = 2 * this.#size[i]
    const first = fat[6 * i + 3 + this.#axis] - fat[6 * i + this.#axis]
    const second = fat[6 * i + 3 + this.#second] - fat[6 * i + this.#second]
    if (first > extent[k]) extent[k] = first
    if (second > extent[k + 1]) extent[k + 1] = second
  }

  /** The strip of a size class that holds a coordinate along the second axis, clamped to the first and last. */
  #stripAt(size: number, x: Float64Array, k: number, back: number): number {
    const strip = (x[k] - back - this.#sizeStrip[2 * size]) * this.#sizeStrip[2 * size + 1]
    return strip >= strips ? strips - 1 : strip > 0 ? strip | 0 : 0
  }

  /** Moves a fat box to its group, and to its sorted position there. */
  #moveBegin(i: number): void {
    const boxes = this.#boxes
    const begins = this.#begins
    const places = this.#places
    const start = this.#groupStart
    const size = this.#size[i]
    const group = size * strips + this.#stripAt(size, this.#fat, 6 * i + this.#second, 0)
    const old = this.#group[i]
    this.#group[i] = group
    const from = places[i]
    let k = from
    // passes all groups between, to the start or end of the new one
    for (const last = start[group] - 1; k < last; k++) this.#shift(k + 1, k)
    for (const first = start[group + 1]; k > first; k--) this.#shift(k - 1, k)
    for (let g = old + 1; g <= group; g++) start[g]--
    for (let g = old; g > group; g--) start[g]++

    const begin = this.#fat[6 * i + this.#axis]
    for (const first = start[group]; k > first && begins[k - 1] > begin; k--) this.#shift(k - 1, k)
    for (const last = start[group + 1] - 1; k < last && begins[k + 1] < begin; k++) this.#shift(k + 1, k)
    begins[k] = begin
    boxes[k] = i
    places[i] = k
    const swaps = Math.abs(k - from)
    this.#counts[SWAPS] += swaps
    this.#counts[COMPARES] += swaps + 2
  }

  #shift(from: number, to: number): void {
    const box = this.#boxes[from]
    this.#begins[to] = this.#begins[from]
    this.#boxes[to] = box
    this.#places[box] = to
  }

  /** Adds the pairs of a fat box with the fat boxes that it overlaps, from number `least` up. */
  #sweep(i: number, least: number): void {
    const boxes = this.#boxes
    const begins = this.#begins
    const fat = this.#fat
    const groupStart = this.#groupStart
    const axis = this.#axis
    const begin = fat[6 * i + axis]
    const end = fat[6 * i + 3 + axis]
    // The other two axes first: they separate most fat boxes, the swept axis about half. An axis separates two fat boxes if one of two
    // differences is negative (never both are); the sign of their product saves an unpredictable branch. If the product is -0 or NaN, from
    // a tiny difference or 0 times infinity, fat boxes count as overlapping: no pair is lost.
    const second = this.#second
    const third = 3 - axis - second
    const low2 = fat[6 * i + second]
    const high2 = fat[6 * i + 3 + second]
    const low3 = fat[6 * i + third]
    const high3 = fat[6 * i + 3 + third]
    let compares = 0
    for (let size = 0; size < sizes; size++) {
      if (this.#sizeUsed[size] === 0) continue
      const from = begin - this.#sizeExtent[2 * size]
      const firstStrip = this.#stripAt(size, fat, 6 * i + second, this.#sizeExtent[2 * size + 1])
      const lastStrip = this.#stripAt(size, fat, 6 * i + 3 + second, 0)
      for (let group = size * strips + firstStrip; group <= size * strips + lastStrip; group++) {
        const last = groupStart[group + 1]
        let k = groupStart[group]
        // bisection for the first that may reach this one
        for (let high = last; k < high; compares++) {
          const middle = (k + high) >> 1
          if (begins[middle] < from) k = middle + 1
          else high = middle
        }
        const start = k
        for (; k < last && begins[k] <= end; k++) {
          const j = boxes[k]
          const t = 6 * j
          if (
            !((high2 - fat[t + second]) * (fat[t + 3 + second] - low2) < 0) &&
            !((high3 - fat[t + third]) * (fat[t + 3 + third] - low3) < 0) &&
            fat[t + 3 + axis] >= begin &&
            j !== i &&
            j >= least
          )
            this.#add(i < j ? i : j, i < j ? j : i)
        }
        compares += k - start
      }
    }
    this.#counts[COMPARES] += compares
    addWork(compares, 10, 1)
  }

  /** Removes the pairs whose fat boxes have ceased to overlap. */
  #dropParted(): void {
    const fat = this.#fat
    const moved = this.#moved
    // backwards, since the last pair takes the place of a removed one
    for (let k = this.#pairs - 1; k >= 0; k--) {
      const i = this.#a[k]
      const j = this.#b[k]
      if (moved[i] === 0 && moved[j] === 0) continue
      const s = 6 * i
      const t = 6 * j
      if (
        fat[s] > fat[t + 3] ||
        fat[t] > fat[s + 3] ||
        fat[s + 1] > fat[t + 4] ||
        fat[t + 1] > fat[s + 4] ||
        fat[s + 2] > fat[t + 5] ||
        fat[t + 2] > fat[s + 5]
      )
        this.#remove(i, j)
    }
    this.#counts[COMPARES] += this.#pairs
  }

  /** Sorts all boxes, along the axes of greatest variance, and finds all pairs. */
  #rebuild(): void {
    const { bounds, count } = this
    const finite = this.#finite
    this.#counts[REBUILDS]++
    this.#table.fill(0)
    this.#pairs = 0
    this.#changed = true
    for (let i = 0; i < count; i++) {
      // boxes may have been teleported, so their motion is unknown
      for (let axis = 0; axis < 3; axis++) this.#since[4 * i + axis] = bounds[6 * i + axis]
      this.#fatten(i)
    }
    this.#axis = this.#widestAxis(-1)
    this.#second = this.#widestAxis(this.#axis)
    this.#sortByGroup()
    for (let i = 0; i < count; i++) if (finite[i] === 1) this.#sweep(i, i + 1)
    for (let i = 0; i < count; i++) {
      if (finite[i] === 1) continue
      for (let j = 0; j < count; j++) if (finite[j] === 1 || j > i) this.#add(i < j ? i : j, i < j ? j : i)
    }
  }

  /** The axis, other than `but`, along which the centres of the boxes have the greatest variance. */
  #widestAxis(but: number): number {
    const { bounds, count } = this
    let widest = 0
    let most = -1
    for (let axis = 0; axis < 3; axis++) {
      let n = 0
      let mean = 0
      let squares = 0
      for (let i = 0; i < count; i++) {
        const middle = 0.5 * (bounds[6 * i + axis] + bounds[6 * i + 3 + axis])
        if (!(Math.abs(middle) < Infinity)) continue
        n++
        const off = middle - mean
        mean += off / n
        squares += off * (middle - mean)
      }
      if (axis === but || squares <= most) continue
      most = squares
      widest = axis
    }
    return widest
  }

  /** Assigns size classes and strips, and sorts each group along the axis. */
  #sortByGroup(): void {
    const { count } = this
    const finite = this.#finite
    const size = this.#size
    const group = this.#group
    const start = this.#groupStart
    const fat = this.#fat
    const used = this.#sizeUsed
    const strip = this.#sizeStrip
    let least = Infinity
    for (let i = 0; i < count; i++) if (this.#extent[i] > 0 && this.#extent[i] < least) least = this.#extent[i]
    start.fill(0)
    used.fill(0)
    this.#sizeExtent.fill(0)
    for (let k = 0; k < sizes; k++) {
      strip[2 * k] = Infinity
      strip[2 * k + 1] = 0
    }
    for (let i = 0; i < count; i++) {
      size[i] = 0
      if (finite[i] === 0) continue
      for (let bound = least; size[i] < sizes - 1 && bound < this.#extent[i]; bound *= 2) size[i]++
      used[size[i]] = 1
      this.#widen(i)
      const low = fat[6 * i + this.#second]
      if (low < strip[2 * size[i]]) strip[2 * size[i]] = low
    }
    for (let k = 0; k < sizes; k++) {
      // one strip for infinite boxes, and for boxes without extent
      const width = stripWidth * this.#sizeExtent[2 * k + 1]
      if (width > 0 && Math.abs(strip[2 * k]) < Infinity) strip[2 * k + 1] = 1 / width
      else strip[2 * k] = 0
    }
    for (let i = 0; i < count; i++) {
      if (finite[i] === 0) continue
      group[i] = size[i] * strips + this.#stripAt(size[i], fat, 6 * i + this.#second, 0)
      start[group[i] + 1]++
    }
    const groups = sizes * strips
    for (let g = 0; g < groups; g++) start[g + 1] += start[g]
    for (let i = 0; i < count; i++) if (finite[i] === 1) this.#boxes[start[group[i]]++] = i
    for (let g = groups; g > 0; g--) start[g] = start[g - 1]
    start[0] = 0
    for (let g = 0; g < groups; g++) this.#mergeSort(start[g], start[g + 1])
    for (let k = 0; k < start[groups]; k++) {
      this.#places[this.#boxes[k]] = k
      this.#begins[k] = fat[6 * this.#boxes[k] + this.#axis]
    }
  }

  /** Sorts the boxes at positions `from` to `to`, exclusive, by the lower ends of their fat boxes. */
  #mergeSort(from: number, to: number): void {
    const fat = this.#fat
    const boxes = this.#boxes
    const spare = this.#spareBoxes
    const axis = this.#axis
    for (let width = 1; width < to - from; width *= 2) {
      for (let first = from; first < to; first += 2 * width) {
        const middle = Math.min(first + width, to)
        const last = Math.min(first + 2 * width, to)
        let i = first
        let j = middle
        for (let k = first; k < last; k++) {
          const takeLeft = j >= last || (i < middle && fat[6 * boxes[i] + axis] <= fat[6 * boxes[j] + axis])
          spare[k] = boxes[takeLeft ? i++ : j++]
        }
        this.#counts[COMPARES] += last - first
      }
      for (let k = from; k < to; k++) boxes[k] = spare[k]
    }
  }

  /** Adds a pair, a < b, unless it is present or filtered out. */
  #add(a: number, b: number): void {
    const filter = this.#filter
    const mask = this.#table.length - 1
    let slot = hashOf(a, b) & mask
    for (let entry = this.#table[slot]; entry !== 0; entry = this.#table[slot]) {
      if (this.#a[entry - 1] === a && this.#b[entry - 1] === b) return
      slot = (slot + 1) & mask
    }
    if (filter !== undefined && !filter.allows(a, b)) return
    if (this.#pairs === this.#a.length) {
      this.#grow()
      this.#add(a, b)
      return
    }
    this.#a[this.#pairs] = a
    this.#b[this.#pairs] = b
    this.#table[slot] = ++this.#pairs
    this.#changed = true
    this.#counts[ADDED]++
  }

  #remove(a: number, b: number): void {
    const table = this.#table
    const A = this.#a
    const B = this.#b
    const mask = table.length - 1
    let slot = hashOf(a, b) & mask
    let entry = table[slot]
    while (entry !== 0 && !(A[entry - 1] === a && B[entry - 1] === b)) {
      slot = (slot + 1) & mask
      entry = table[slot]
    }
    if (entry === 0) return
    // close the gap: entries displaced by collisions move up
    for (let next = (slot + 1) & mask; table[next] !== 0; next = (next + 1) & mask) {
      const home = hashOf(A[table[next] - 1], B[table[next] - 1]) & mask
      if (((next - home) & mask) < ((next - slot) & mask)) continue
      table[slot] = table[next]
      slot = next
    }
    table[slot] = 0
    // the last pair takes the place of the removed one
    const last = this.#pairs--
    if (entry !== last) {
      const i = A[last - 1]
      const j = B[last - 1]
      let at = hashOf(i, j) & mask
      while (table[at] !== last) at = (at + 1) & mask
      table[at] = entry
      A[entry - 1] = i
      B[entry - 1] = j
    }
    this.#changed = true
    this.#counts[REMOVED]++
  }

  #grow(): void {
    const capacity = 2 * this.#a.length
    this.#a = grown(this.#a, capacity)
    this.#b = grown(this.#b, capacity)
    this.#order = new Int32Array(capacity)
    this.pairA = new Int32Array(capacity)
    this.pairB = new Int32Array(capacity)
    this.#fatA = new Int32Array(capacity)
    this.#fatB = new Int32Array(capacity)
    this.#table = new Int32Array(powerOfTwo(2 * capacity))
    const mask = this.#table.length - 1
    for (let entry = 1; entry <= this.#pairs; entry++) {
      let slot = hashOf(this.#a[entry - 1], this.#b[entry - 1]) & mask
      while (this.#table[slot] !== 0) slot = (slot + 1) & mask
      this.#table[slot] = entry
    }
  }

  /** Writes the pairs of fat boxes in order: a stable counting sort by b, then by a. */
  #list(): void {
    const start = this.#start
    const order = this.#order
    const fatA = this.#fatA
    const fatB = this.#fatB
    const a = this.#a
    const b = this.#b
    const size = this.#pairs
    countStarts(b, size, start)
    for (let k = 0; k < size; k++) order[start[b[k]]++] = k
    countStarts(a, size, start)
    for (let k = 0; k < size; k++) {
      const from = order[k]
      const at = start[a[from]]++
      fatA[at] = a[from]
      fatB[at] = b[from]
    }
  }

  /** Reports the pairs of fat boxes whose boxes overlap. */
  #report(): void {
    const { bounds, pairA, pairB } = this
    const fatA = this.#fatA
    const fatB = this.#fatB
    const size = this.#pairs
    let count = 0
    for (let k = 0; k < size; k++) {
      const s = 6 * fatA[k]
      const t = 6 * fatB[k]
      if (
        bounds[s] <= bounds[t + 3] &&
        bounds[t] <= bounds[s + 3] &&
        bounds[s + 1] <= bounds[t + 4] &&
        bounds[t + 1] <= bounds[s + 4] &&
        bounds[s + 2] <= bounds[t + 5] &&
        bounds[t + 2] <= bounds[s + 5]
      ) {
        pairA[count] = fatA[k]
        pairB[count] = fatB[k]
        count++
      }
    }
    this.#counts[COMPARES] += size
    this.pairCount = count
  }
}

/** Whether some side of the box at bounds[k] is finite. */
function someEnd(bounds: Float64Array, k: number): boolean {
  for (let side = k; side < k + 6; side++) if (Math.abs(bounds[side]) < Infinity) return true
  return false
}

/** start[value] = number of entries of `values` below value. */
function countStarts(values: Int32Array, size: number, start: Int32Array): void {
  start.fill(0)
  for (let k = 0; k < size; k++) start[values[k] + 1]++
  for (let i = 1; i < start.length; i++) start[i] += start[i - 1]
}

/** Hash of two numbers, all of whose bits affect the low bits of the hash (the finaliser of MurmurHash3). */
function hashOf(a: number, b: number): number {
  let h = Math.imul(a, 0x9e3779b1) ^ b
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

function powerOfTwo(least: number): number {
  let power = 1
  while (power < least) power *= 2
  return power
}

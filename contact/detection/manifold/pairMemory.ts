/**
 * Temporal coherence of detection: values per pair of shapes, kept from one call to the next in an array of the caller: a count, and for
 * each near pair its number and a few values, in rising order of the numbers. Entries after these are zero, so that pairs which are not
 * near leave no trace, and equal histories give equal memories.
 *
 * A memory has a fixed capacity; further pairs are not stored, and start cold in every call.
 */
export class PairMemory {
  /** Entries of the caller's array, all zero at first. */
  readonly size: number
  readonly #width: number
  readonly #capacity: number
  /** The caller's array, from `begin` to `end`. */
  values: Float64Array = new Float64Array(0)
  /** Copy of the list at the start of the call. */
  readonly #last: Float64Array
  #lastCount = 0
  /** Next entry of the previous list to search from; pairs keep their order between calls. */
  #cursor = 0
  #count = 0

  /**
   * @param values   entries per pair
   * @param capacity most pairs that are stored at a time
   */
  constructor(values: number, capacity: number) {
    this.#width = 1 + values
    this.#capacity = capacity
    // one extra, scratch for pairs beyond the capacity
    this.size = capacity > 0 ? 1 + (capacity + 1) * this.#width : 0
    this.#last = new Float64Array(this.size)
  }

  begin(memory: Float64Array): void {
    this.values = memory
    const end = 1 + memory[0] * this.#width
    for (let i = 1; i < end; i++) this.#last[i] = memory[i]
    this.#lastCount = memory[0]
    this.#cursor = 0
    this.#count = 0
  }

  /** Offset in `values` of a pair's entries: those of the last call, or zeros. Call in rising order of pairs. */
  open(pair: number): number {
    const memory = this.values
    const last = this.#last
    const width = this.#width
    while (this.#cursor < this.#lastCount && last[1 + this.#cursor * width] < pair) this.#cursor++
    const from = 1 + this.#cursor * width
    const at = 1 + this.#count * width
    const known = this.#cursor < this.#lastCount && last[from] === pair
    memory[at] = pair
    for (let i = 1; i < width; i++) memory[at + i] = known ? last[from + i] : 0
    return at + 1
  }

  /** Stores the entries of the last opened pair, unless all are zero. */
  close(): void {
    const memory = this.values
    const at = 1 + this.#count * this.#width
    let kept = 0
    for (let i = 1; i < this.#width; i++) if (memory[at + i] !== 0) kept = 1
    if (this.#count < this.#capacity) this.#count += kept
  }

  end(): void {
    const memory = this.values
    const width = this.#width
    const stop = 1 + Math.min(Math.max(this.#count, this.#lastCount) + 1, this.#capacity + 1) * width
    for (let i = 1 + this.#count * width; i < stop; i++) memory[i] = 0
    memory[0] = this.#count
  }
}

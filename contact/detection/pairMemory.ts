/**
 * What detection remembers of pairs of shapes from one call to the next, in an array that belongs to the caller: a count, and for
 * each pair that was near its number and a few values, in rising order of the pairs. What is behind is zero, so a
 * pair that is not near leaves no trace, and two equal histories have equal memories.
 *
 * A memory has a fixed size; of more pairs than it has room for the last are remembered by nothing, and read as if they were new.
 */
export class PairMemory {
  /** Numbers in the caller's array, all zero at first. */
  readonly size: number
  readonly #width: number
  readonly #capacity: number
  /** The caller's array, from `begin` to `end`. */
  values: Float64Array = new Float64Array(0)
  /** The list as it was when the call began. */
  readonly #last: Float64Array
  #lastCount = 0
  /** Next entry of the last list to look at; pairs come in the same order in every call. */
  #cursor = 0
  #count = 0

  /**
   * @param values   how many are remembered of a pair
   * @param capacity of pairs that are near at the same time
   */
  constructor(values: number, capacity: number) {
    this.#width = 1 + values
    this.#capacity = capacity
    // one more, for pairs beyond the capacity to write to
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

  /** Where in `values` a pair's are now: those of the last call, or zeros. Pairs have to come in rising order. */
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

  /** Keeps what has been written of the pair that was opened last, unless it is all zero. */
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

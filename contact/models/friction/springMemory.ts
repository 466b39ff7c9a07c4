/** Numbers an entry: pair, feature, and two points. */
const WIDTH = 8

/**
 * Two points for each contact of the last step, by pair and feature, in a part of a contact model's memory: a count, then that many entries
 * [pair, feature, 6 numbers]. A step reads old entries, then rewrites all, so that ended contacts are dropped. The hash index is rebuilt at
 * the start of each step, so that the memory alone determines the next step.
 *
 * The number of entries is limited, since a memory has a fixed size.
 */
export class SpringMemory {
  readonly capacity: number
  readonly memorySize: number
  /** Index of this part in the model's memory. */
  private readonly offset: number
  /** Chained hashing: first entry of each bucket, next of each entry; -1 for none. */
  private readonly bucket: Int32Array
  private readonly next: Int32Array

  constructor(capacity: number, offset: number) {
    this.capacity = capacity
    this.offset = offset
    this.memorySize = memorySizeFor(capacity)
    let buckets = 16
    while (buckets < capacity) buckets *= 2
    this.bucket = new Int32Array(buckets)
    this.next = new Int32Array(capacity)
  }

  /** Builds the index of the last step's entries for `find`. */
  open(memory: Float64Array): void {
    const { offset, bucket, next } = this
    const count = memory[offset] | 0
    bucket.fill(-1)
    for (let n = 0; n < count; n++) {
      const at = offset + 1 + WIDTH * n
      const b = this.bucketOf(memory[at] | 0, memory[at + 1] | 0)
      next[n] = bucket[b]
      bucket[b] = n
    }
  }

  /** Index in the memory of the points of a contact, -1 if there are none. */
  find(memory: Float64Array, pair: number, feature: number): number {
    const { offset, bucket, next } = this
    for (let n = bucket[this.bucketOf(pair, feature)]; n >= 0; n = next[n]) {
      const at = offset + 1 + WIDTH * n
      if (memory[at] === pair && memory[at + 1] === feature) return at + 2
    }
    return -1
  }

  /** Forgets all entries. */
  clear(memory: Float64Array): void {
    memory[this.offset] = 0
  }

  /** Appends an entry, within the capacity. @returns the index of its points */
  append(memory: Float64Array, pair: number, feature: number): number {
    const { offset } = this
    const at = offset + 1 + WIDTH * (memory[offset] | 0) // a small integer for the engine, which boxes other numbers
    memory[offset]++
    memory[at] = pair
    memory[at + 1] = feature
    return at + 2
  }

  private bucketOf(pair: number, feature: number): number {
    return ((Math.imul(pair, 0x9e3779b1) ^ Math.imul(feature, 0x85ebca6b)) >>> 7) & (this.bucket.length - 1)
  }
}

/** Memory size of `capacity` entries, in numbers. */
export const memorySizeFor = (capacity: number): number => 1 + WIDTH * capacity

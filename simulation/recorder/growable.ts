/** A column of numbers that grows by doubling, so that recording n numbers copies less than 2 n. */
export class GrowableDoubles {
  length = 0
  private values: Float64Array

  constructor(capacity = 1024) {
    this.values = new Float64Array(capacity)
  }

  /** Appends values[0] to values[count - 1]. */
  append(values: ArrayLike<number>, count = values.length): void {
    const needed = this.length + count
    if (needed > this.values.length) {
      const grown = new Float64Array(Math.max(needed, 2 * this.values.length))
      grown.set(this.values)
      this.values = grown
    }
    for (let i = 0; i < count; i++) this.values[this.length + i] = values[i]
    this.length = needed
  }

  /** A view of the numbers so far; later calls of `append` may invalidate it. */
  view(): Float64Array {
    return this.values.subarray(0, this.length)
  }
}

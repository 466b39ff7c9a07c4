/**
 * The 64-bit FNV-1a hash (Fowler, Noll and Vo 1991) over the bytes of numbers, on two 32-bit lanes: the prime is 2^40 + 0x1b3, so that hash
 * * prime is two small products and a shift. Numbers are hashed as little-endian bytes on every machine. Every bit counts, but 0 and -0 are alike:
 * compiled dynamics leave out sums with 0, which decide on its sign. @unchecked
 */
export class Fnv1a {
  private high = 0xcbf29ce4 | 0
  private low = 0x84222325 | 0
  private readonly view = new DataView(new ArrayBuffer(8))

  byte(value: number): void {
    const low = (this.low ^ value) >>> 0
    const product = low * 0x1b3 // below 2^41, so exact
    this.high = (Math.imul(this.high, 0x1b3) + Math.floor(product / 2 ** 32) + (low << 8)) | 0
    this.low = product | 0
  }

  /** Hashes each number as the eight bytes of its double. */
  doubles(values: ArrayLike<number>): void {
    for (let i = 0; i < values.length; i++) {
      this.view.setFloat64(0, values[i] + 0, true)
      for (let k = 0; k < 8; k++) this.byte(this.view.getUint8(k))
    }
  }

  /** 16 hexadecimal digits. */
  digest(): string {
    const hex = (lane: number) => (lane >>> 0).toString(16).padStart(8, '0')
    return hex(this.high) + hex(this.low)
  }
}

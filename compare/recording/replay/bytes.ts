/** Numbers as bytes that compress well, little-endian. Pure: the page reads them too. */

const LEVELS = 65_535

const before = (i: number) => i - 1

/** Zigzag: small numbers of either sign become small ones. */
const folded = (x: number) => ((x << 1) ^ (x >> 31)) & 0xffff
const unfolded = (x: number) => (x >>> 1) ^ -(x & 1)

export class Writer {
  private readonly parts: Uint8Array[] = []

  counts(...values: number[]): void {
    this.parts.push(new Uint8Array(Uint32Array.from(values).buffer))
  }

  /** In single precision. */
  floats(values: ArrayLike<number>): void {
    this.parts.push(new Uint8Array(Float32Array.from(values).buffer))
  }

  /**
   * Finite values in 16 bits over their range, low bytes and high bytes apart, as differences.
   *
   * @param from which earlier value each is the difference from; -1 for none
   */
  column(n: number, at: (i: number) => number, from = before): void {
    let [low, high] = [Infinity, -Infinity]
    for (let i = 0; i < n; i++) {
      low = Math.min(low, at(i))
      high = Math.max(high, at(i))
    }
    if (n === 0) [low, high] = [0, 0]
    this.floats([low, high])
    const scale = high > low ? LEVELS / (high - low) : 0
    const planes = new Uint8Array(2 * n)
    const levels = new Int32Array(n)
    for (let i = 0; i < n; i++) {
      levels[i] = Math.round((at(i) - low) * scale)
      const change = folded(((levels[i] - (levels[from(i)] ?? 0)) << 16) >> 16)
      planes[i] = change & 0xff
      planes[n + i] = change >> 8
    }
    this.parts.push(planes)
  }

  /** Single precision less its last 16 bits: three digits, NaN included; high bytes and low bytes apart. */
  short(values: ArrayLike<number>): void {
    const n = values.length
    const bits = new Uint32Array(Float32Array.from(values).buffer)
    const planes = new Uint8Array(2 * n)
    for (let i = 0; i < n; i++) {
      const top = Number.isNaN(values[i]) ? 0x7fc0 : (bits[i] + 0x8000) >>> 16
      planes[i] = top >> 8
      planes[n + i] = top & 0xff
    }
    this.parts.push(planes)
  }

  bytes(): Uint8Array {
    const out = new Uint8Array(this.parts.reduce((sum, part) => sum + part.length, 0))
    let at = 0
    for (const part of this.parts) {
      out.set(part, at)
      at += part.length
    }
    return out
  }
}

export class Reader {
  private readonly all: Uint8Array
  private at = 0

  constructor(bytes: Uint8Array) {
    this.all = bytes
  }

  counts(n: number): Int32Array {
    return Int32Array.from(new Uint32Array(this.taken(4 * n).buffer))
  }

  floats(n: number): Float64Array {
    return Float64Array.from(new Float32Array(this.taken(4 * n).buffer))
  }

  column(n: number, put: (i: number, value: number) => void, from = before): void {
    const [low, high] = this.floats(2)
    const planes = this.taken(2 * n)
    const levels = new Int32Array(n)
    for (let i = 0; i < n; i++) {
      levels[i] = ((levels[from(i)] ?? 0) + unfolded(planes[i] | (planes[n + i] << 8))) & 0xffff
      put(i, low + ((high - low) * levels[i]) / LEVELS)
    }
  }

  short(n: number): Float64Array {
    const planes = this.taken(2 * n)
    const bits = Uint32Array.from({ length: n }, (_, i) => ((planes[i] << 24) | (planes[n + i] << 16)) >>> 0)
    return Float64Array.from(new Float32Array(bits.buffer))
  }

  /** A copy, which begins at an even address. */
  private taken(n: number): Uint8Array<ArrayBuffer> {
    const part = this.all.slice(this.at, this.at + n) as Uint8Array<ArrayBuffer>
    if (part.length < n) throw new RangeError('the replay ends too early')
    this.at += n
    return part
  }
}

/**
 * Numbers evenly over [0, 1), the same for a seed on every machine: 32-bit sfc (Doty-Humphrey, PractRand), whose state is three
 * words and a counter. Both words of the seed are mixed in, and twelve numbers thrown away. Unlike `createRandom` it takes seeds of
 * 53 bits and has streams; one for both would change every perturbed start and every figure that follows from it.
 */
export class Random {
  private a: number
  private b: number
  private c = 0x9e3779b9 | 0
  private counter = 1

  /** @param stream numbers that have nothing to do with those of another stream of the same seed */
  constructor(seed: number, stream = 0) {
    this.a = seed | 0
    this.b = Math.floor(seed / 2 ** 32) ^ Math.imul(stream + 1, 0x85ebca6b)
    for (let i = 0; i < 12; i++) this.word()
  }

  private word(): number {
    const t = (this.a + this.b + this.counter) | 0
    this.counter = (this.counter + 1) | 0
    this.a = this.b ^ (this.b >>> 9)
    this.b = (this.c + (this.c << 3)) | 0
    this.c = ((this.c << 21) | (this.c >>> 11)) + t
    this.c |= 0
    return t >>> 0
  }

  next(): number {
    return this.word() / 2 ** 32
  }

  /** Evenly from -reach to reach. */
  within(reach: number): number {
    return reach * (2 * this.next() - 1)
  }
}

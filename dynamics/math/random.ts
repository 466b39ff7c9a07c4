import * as is from './arguments.ts'
/** A stream of seeded random numbers, the same in every engine. For tests and seeds. */
export type Random = ReturnType<typeof createRandom>

/**
 * xoshiro128++ (Blackman and Vigna, Scrambled Linear Pseudorandom Number Generators, 2021), its 128 bits filled from the seed by a Weyl
 * sequence through MurmurHash3's finaliser.
 *
 * @param seed a whole number, of which the lower 32 bits are used
 */
export function createRandom(seed: number) {
  is.check(seed, is.finite, 'seed')
  const s = new Uint32Array(4)
  for (let i = 0; i < 4; i++) {
    let z = (seed + Math.imul(i + 1, 0x9e3779b9)) >>> 0
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b)
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35)
    s[i] = z ^ (z >>> 16)
  }
  if (s[0] === 0 && s[1] === 0 && s[2] === 0 && s[3] === 0) s[0] = 1 // the fixed point of xoshiro

  function next(): number {
    const sum = s[0] + s[3]
    const result = (((sum << 7) | (sum >>> 25)) + s[0]) >>> 0
    const t = s[1] << 9
    s[2] ^= s[0]
    s[3] ^= s[1]
    s[1] ^= s[2]
    s[0] ^= s[3]
    s[2] ^= t
    s[3] = (s[3] << 11) | (s[3] >>> 21)
    return result / 4294967296
  }
  return {
    /** Uniform in [0, 1), a multiple of 2^-32. */
    next,
    /** Uniform in [low, high). */
    between: (low: number, high: number) => low + (high - low) * next(),
    /** A whole number from 0 to count - 1. */
    index: (count: number) => Math.floor(count * next()),
  }
}

/** Intervals of a probability from successes among trials. */
import { normalQuantile } from '../scenario/index.ts'

export interface Interval {
  readonly low: number
  readonly high: number
}

/** Wilson's score interval (Wilson, J. Am. Stat. Assoc. 22, 1927). @param n trials, at least one */
export function proportion(successes: number, n: number, confidence: number): Interval {
  const z = normalQuantile((1 + confidence) / 2)
  const p = successes / n
  const spread = z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n))
  const middle = p + (z * z) / (2 * n)
  const scale = 1 + (z * z) / n
  return { low: successes === 0 ? 0 : (middle - spread) / scale, high: successes === n ? 1 : (middle + spread) / scale }
}

/** The probabilities that the test of `Decision` does not refuse: an interval that holds at any time at which one stops to look. */
export function sequential(successes: number, n: number, confidence: number): Interval {
  const failures = n - successes
  let beta = -Math.log(n + 1) // of s! f! / (n + 1)!
  for (let k = 1; k <= Math.min(successes, failures); k++) beta += Math.log(k / (n + 1 - k))
  const enough = -Math.log(1 - confidence)
  const isRefused = (p: number) =>
    beta - (successes > 0 ? successes * Math.log(p) : 0) - (failures > 0 ? failures * Math.log(1 - p) : 0) >= enough
  const middle = successes / n
  const border = (end: number) => {
    let [inside, outside] = [middle, end]
    for (let k = 0; k < 60; k++) {
      const p = (inside + outside) / 2
      if (isRefused(p)) outside = p
      else inside = p
    }
    return outside
  }
  return { low: successes === 0 ? 0 : border(0), high: failures === 0 ? 1 : border(1) }
}

/** Whether a probability is above or below a bound, asked after every trial: the answer is wrong at most as often as it may be. */

/**
 * A bound of a probability as a test that may be looked at after each trial (Ville's inequality for the mixture of all alternatives;
 * Robbins, Ann. Math. Statist. 41, 1970): the likelihood of the trials under an unknown probability, even over [0, 1], over that under
 * the bound, exceeds 1 / (1 - confidence) once or more with probability 1 - confidence at most.
 */
export class Decision {
  trials = 0
  successes = 0
  private readonly bound: number
  private readonly enough: number
  /** s! f! / (n + 1)! / (p^s (1 - p)^f) */
  private ratio = 1

  constructor({ success, confidence }: { readonly success: number; readonly confidence: number }) {
    this.bound = success
    this.enough = 1 / (1 - confidence)
  }

  /** @returns whether it is decided now */
  isDecidedBy(success: boolean): boolean {
    const { trials, successes, bound } = this
    const [counted, probability] = success ? [successes, bound] : [trials - successes, 1 - bound]
    this.ratio *= (counted + 1) / (trials + 2) / probability
    this.trials++
    if (success) this.successes++
    return this.state !== 'open'
  }

  get state(): 'above' | 'below' | 'open' {
    if (this.ratio < this.enough) return 'open'
    return this.successes > this.bound * this.trials ? 'above' : 'below'
  }
}

/** The probabilities that the test of `Decision` does not refuse: an interval that holds at any time at which one stops to look. */
export function sequential(successes: number, n: number, confidence: number): readonly [number, number] {
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
  return [successes === 0 ? 0 : border(0), failures === 0 ? 1 : border(1)]
}

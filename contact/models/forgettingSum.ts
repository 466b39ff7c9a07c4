import type { ContactSet } from '../contactSet.ts'

/**
 * The integral term of Drumwright's penalty method (eq. 2): per pair of shapes the sum of each step's largest depth,
 * forgotten by a factor lambda a step and cleared when the pair separates. Recursively I_t = lambda I_(t-1) + d_(t-1): the
 * present depth does not count yet.
 *
 * The paper sums per pair of bodies; a body of several shapes has one sum for each of them here. The memory holds two
 * numbers a pair: the sum, and the largest depth of the last step.
 */
export class ForgettingSum {
  readonly memorySize: number
  private readonly lambda: number
  private readonly deepest: Float64Array

  constructor(pairCount: number, lambda: number) {
    this.memorySize = 2 * pairCount
    this.lambda = lambda
    this.deepest = new Float64Array(pairCount)
  }

  /** Once a step, with the contacts at its start. */
  advance({ count, pair, gap }: ContactSet, memory: Float64Array): void {
    const { deepest, lambda } = this
    deepest.fill(0)
    for (let i = 0; i < count; i++) if (-gap[i] > deepest[pair[i]]) deepest[pair[i]] = -gap[i]
    for (let p = 0; p < deepest.length; p++) {
      memory[2 * p] = deepest[p] > 0 ? lambda * memory[2 * p] + memory[2 * p + 1] : 0
      memory[2 * p + 1] = deepest[p]
    }
  }
}

import type { ContactSet } from '../contactSet.ts'

/**
 * The integral term of Drumwright's penalty method (eq. 2): per pair of shapes the sum of each step's largest depth, which decays by a
 * factor lambda a step and is cleared when the pair separates: I_t = lambda I_(t-1) + d_(t-1), without the present depth.
 *
 * The paper sums per pair of bodies; a body of several shapes has one sum for each of them here. The memory holds two numbers a pair, the
 * sum and the largest depth of the last step, then the list of pairs in contact in the last step: a step visits only these and the present
 * ones.
 */
export class ForgettingSum {
  readonly memorySize: number
  private readonly lambda: number
  /** Index of the list in the memory: a count, then the pairs. */
  private readonly list: number
  /** Per pair: its largest depth, 0 between steps [m]; and the pairs in contact. */
  private readonly deepest: Float64Array
  private readonly touching: Int32Array

  constructor(pairCount: number, lambda: number) {
    this.memorySize = memorySizeOfSum(pairCount)
    this.lambda = lambda
    this.list = 2 * pairCount
    this.deepest = new Float64Array(pairCount)
    this.touching = new Int32Array(pairCount)
  }

  /** Advances the sums by a step, given the contacts at its start. */
  advance({ count, pair, gap }: ContactSet, memory: Float64Array): void {
    const { deepest, touching, lambda, list } = this
    let now = 0
    for (let i = 0; i < count; i++) {
      const p = pair[i]
      if (!(gap[i] < 0)) continue
      if (deepest[p] === 0) touching[now++] = p
      if (-gap[i] > deepest[p]) deepest[p] = -gap[i]
    }
    const before = memory[list]
    for (let k = 1; k <= before; k++) {
      const p = memory[list + k]
      if (deepest[p] > 0) continue
      memory[2 * p] = 0
      memory[2 * p + 1] = 0
    }
    for (let k = 0; k < now; k++) {
      const p = touching[k]
      memory[2 * p] = lambda * memory[2 * p] + memory[2 * p + 1]
      memory[2 * p + 1] = deepest[p]
      memory[list + 1 + k] = p
      deepest[p] = 0
    }
    for (let k = now; k < before; k++) memory[list + 1 + k] = 0
    memory[list] = now
  }
}

/** Memory size of the sums of `pairCount` pairs, in numbers. */
export const memorySizeOfSum = (pairCount: number): number => 3 * pairCount + 1

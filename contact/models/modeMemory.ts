import { UNKNOWN_MODE } from '../solvers/index.ts'

/**
 * What each contact and joint limit did in the last step, as `ModeGuess` numbers it: where the next step starts to search.
 * Kept in a contact model's memory, so that a restored run takes the same path: a count, and then [pair, feature, mode].
 *
 * Room is limited, for a memory has a fixed size; a contact beyond it starts each step as if it were new.
 */
export class ModeMemory {
  readonly memorySize: number
  private readonly capacity: number
  /** Where the last contact stood. Contacts come in the same order in every step, so the next one mostly stands behind it. */
  private cursor = 0

  constructor(capacity: number) {
    this.capacity = capacity
    this.memorySize = 1 + 3 * capacity
  }

  clear(memory: Float64Array): void {
    memory[0] = 0
    this.cursor = 0
  }

  recall(memory: Float64Array, pair: number, feature: number): number {
    const count = memory[0]
    for (let n = 0; n < count; n++) {
      if (this.cursor >= count) this.cursor = 0
      const at = 1 + 3 * this.cursor++
      if (memory[at] === pair && memory[at + 1] === feature) return memory[at + 2]
    }
    return UNKNOWN_MODE
  }

  append(memory: Float64Array, pair: number, feature: number, mode: number): void {
    const count = memory[0]
    if (count === this.capacity) return
    const at = 1 + 3 * count
    memory[at] = pair
    memory[at + 1] = feature
    memory[at + 2] = mode
    memory[0] = count + 1
  }
}

import { addWork } from '../../dynamics/index.ts'
import { UNKNOWN_MODE } from '../solvers/index.ts'

/** Numbers stored per group: pair, feature, mode, and impulse along normal and tangents [N s]. */
const WIDTH = 6

/**
 * Warm start of the solvers: mode and impulse of each contact and joint row in the last step. Stored in a contact model's memory, so that a
 * restored run continues identically: a count, then `WIDTH` numbers for each.
 *
 * A memory has a fixed size; contacts beyond it start each step cold.
 */
export class WarmStart {
  readonly memorySize: number
  private readonly capacity: number
  /** Entry of the contact found last. Contacts keep their order between steps, so the next one mostly follows it. */
  private cursor = 0

  constructor(capacity: number) {
    this.capacity = capacity
    this.memorySize = 1 + WIDTH * capacity
  }

  /** Resets the cursor before the first `recall` of a step, so that results do not depend on the last step. */
  rewind(): void {
    this.cursor = 0
  }

  clear(memory: Float64Array): void {
    memory[0] = 0
    this.cursor = 0
  }

  /** Returns the mode of an entry, and impulse[at..at + 2] := its impulse; UNKNOWN_MODE and zeros if there is no entry. */
  recall(memory: Float64Array, pair: number, feature: number, impulse: Float64Array, at: number): number {
    const count = memory[0]
    for (let n = 0; n < count; n++) {
      if (this.cursor >= count) this.cursor = 0
      const found = 1 + WIDTH * this.cursor++
      if (memory[found] !== pair || memory[found + 1] !== feature) continue
      impulse[at] = memory[found + 3]
      impulse[at + 1] = memory[found + 4]
      impulse[at + 2] = memory[found + 5]
      return memory[found + 2]
    }
    addWork(count, 1, 1)
    impulse[at] = 0
    impulse[at + 1] = 0
    impulse[at + 2] = 0
    return UNKNOWN_MODE
  }

  /** The first number (pair) of entry n; and entry n appended to another memory. */
  pairOf(memory: Float64Array, n: number): number {
    return memory[1 + WIDTH * n]
  }

  appendFrom(memory: Float64Array, other: Float64Array, n: number): void {
    const from = 1 + WIDTH * n
    this.append(memory, other[from], other[from + 1], other[from + 2], other, from + 3)
  }

  append(memory: Float64Array, pair: number, feature: number, mode: number, impulse: Float64Array, at: number): void {
    const count = memory[0]
    if (count === this.capacity) return
    const next = 1 + WIDTH * count
    memory[next] = pair
    memory[next + 1] = feature
    memory[next + 2] = mode
    memory[next + 3] = impulse[at]
    memory[next + 4] = impulse[at + 1]
    memory[next + 5] = impulse[at + 2]
    memory[0] = count + 1
  }
}

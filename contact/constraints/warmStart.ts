import { addWork } from '../../dynamics/index.ts'
import { UNKNOWN_MODE } from '../solvers/index.ts'

/** Numbers stored per group: pair, feature, mode, and impulse along normal and tangents [N s]. */
const WIDTH = 6
/** Entries up to which all are compared with a key, and bits of the filter of keys for more. */
const FEW = 16
const FILTER = 2048

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
  /** Bits of the hashes of all keys, of more than `FEW`: of many feature contacts, few had an impulse. */
  private readonly filter = new Uint32Array(FILTER / 32)

  constructor(capacity: number) {
    this.capacity = capacity
    this.memorySize = 1 + WIDTH * capacity
  }

  /** Starts the `recall`s of a step; resets the cursor, so that results do not depend on the last step. */
  rewind(memory: Float64Array): void {
    const { filter } = this
    const count = memory[0]
    this.cursor = 0
    if (count <= FEW) return
    filter.fill(0)
    for (let at = 1; at < WIDTH * count; at += WIDTH) {
      const h = hashOf(memory[at], memory[at + 1])
      filter[h >> 5] |= 1 << (h & 31)
    }
  }

  clear(memory: Float64Array): void {
    memory[0] = 0
    this.cursor = 0
  }

  /** Returns the mode of an entry, and impulse[at..at + 2] := its impulse; UNKNOWN_MODE and zeros if there is no entry. */
  recall(memory: Float64Array, pair: number, feature: number, impulse: Float64Array, at: number): number {
    const h = hashOf(pair, feature)
    const count = memory[0] > FEW && (this.filter[h >> 5] & (1 << (h & 31))) === 0 ? 0 : memory[0]
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

/** Hash of a key, below `FILTER`. */
const hashOf = (pair: number, feature: number): number => (Math.imul(pair, 0x9e3779b1) ^ Math.imul(feature, 0x85ebca6b)) >>> 21

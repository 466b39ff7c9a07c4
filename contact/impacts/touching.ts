import type { ContactModelContext } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'

/**
 * Contact state of pairs of bodies in the previous step: the states none and resting of Drumwright's figure 2 (the state impact is
 * instantaneous). Stored in a contact model's memory, so that it is restored with a run: the number of the step, counted from 1, and for
 * each pair of bodies the last step in which it touched, and whether it has rebounded since. So separating pairs need no update, and the
 * cost of a step is proportional to its contacts.
 *
 * Pairs of bodies are those of `ContactModelContext.bodyPairs`: two moving bodies, or one and a fixture, with all their shapes. If another
 * shape or edge of a standing body touches, that is no impact. By default each pair of shapes is a pair of bodies.
 */
export class TouchingPairs {
  readonly memorySize: number
  /** Per pair of bodies that touches now: 1 if it did not touch in the previous step. */
  readonly fresh: Uint8Array
  private readonly bodyPairs: Int32Array
  private readonly offset: number
  /** The memory of the current step. */
  private memory: Float64Array = new Float64Array(0)

  /** @param offset index of this part in the model's memory */
  constructor({ pairCount, bodyPairs }: ContactModelContext, offset: number) {
    this.bodyPairs = bodyPairs ?? Int32Array.from({ length: pairCount }, (_, pair) => pair)
    let count = 0
    for (const pair of this.bodyPairs) count = Math.max(count, pair + 1)
    this.fresh = new Uint8Array(count)
    this.offset = offset
    this.memorySize = 1 + 2 * count
  }

  get count(): number {
    return this.fresh.length
  }

  /** The pair of bodies of contact i. */
  of(contacts: ContactSet, i: number): number {
    return this.bodyPairs[contacts.pair[i]]
  }

  /** Advances to the next step, given the contacts at its start. @returns the number of contacts of newly touching pairs */
  advance({ count, pair }: ContactSet, memory: Float64Array): number {
    const { bodyPairs, fresh, offset } = this
    this.memory = memory
    const step = memory[offset] + 1
    memory[offset] = step
    let contacts = 0
    for (let i = 0; i < count; i++) {
      const k = bodyPairs[pair[i]]
      const at = offset + 1 + k
      const last = memory[at]
      if (last !== step) {
        // 0: never touched, even before the first step
        fresh[k] = last === 0 || last !== step - 1 ? 1 : 0
        if (fresh[k] === 1) memory[at + this.count] = 0
        memory[at] = step
      }
      contacts += fresh[k]
    }
    return contacts
  }

  /** Whether the pair of contact i, which may have been detected within the step, touched at its start. */
  touches({ pair }: ContactSet, i: number): boolean {
    const { memory, offset } = this
    return memory[offset + 1 + this.bodyPairs[pair[i]]] === memory[offset]
  }

  /** Sets whether the pair of bodies k has rebounded. */
  setBounced(k: number, bounced: boolean): void {
    this.memory[this.offset + 1 + this.count + k] = bounced ? 1 : 0
  }

  /** Whether the pair of contact i has rebounded and still separates. */
  hasBounced({ pair }: ContactSet, i: number): boolean {
    return this.memory[this.offset + 1 + this.count + this.bodyPairs[pair[i]]] === 1
  }
}

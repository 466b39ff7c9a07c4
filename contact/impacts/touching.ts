import type { ContactModelContext } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'

/**
 * Which pairs of bodies touched in the step before: the states none and resting of Drumwright's figure 2 (the state impact lasts for
 * no time). In a contact model's memory, so that a restored run knows it too: the number of the step, counted from 1, and for each
 * pair of bodies the step in which it touched last, and whether it has bounced since it began to touch. So a pair that parts needs no visit,
 * and a step costs what touches in it.
 *
 * A pair of bodies is what `ContactModelContext.bodyPairs` says: two bodies that move, or one and a fixture, with all their shapes. A
 * second shape, edge or sole of a body that stands already is no impact. Where the context says nothing, each pair of shapes counts.
 */
export class TouchingPairs {
  readonly memorySize: number
  /** Per pair of bodies that touches now: 1 if it did not in the step before. */
  readonly fresh: Uint8Array
  private readonly bodyPairs: Int32Array
  private readonly offset: number
  /** Of the step at hand. */
  private memory: Float64Array = new Float64Array(0)

  /** @param offset where in the model's memory its numbers start */
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

  /** Once a step, with the contacts at its start. @returns how many contacts are of pairs that did not touch before */
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
        // 0: it never touched, not even before the first step
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

  /** Says that the pair of bodies k has bounced, or bounces no more. */
  setBounced(k: number, bounced: boolean): void {
    this.memory[this.offset + 1 + this.count + k] = bounced ? 1 : 0
  }

  /** Whether the pair of contact i has bounced and leaves. */
  hasBounced({ pair }: ContactSet, i: number): boolean {
    return this.memory[this.offset + 1 + this.count + this.bodyPairs[pair[i]]] === 1
  }
}

import type { SolverEvents } from '../contactModel.ts'
import { FeatureContactSet } from './features/featureContactSet.ts'

/** A velocity at the end of a step that a search may return to, and the contacts that it was solved with. */
export class Iterate {
  /** nv. */
  readonly v: Float64Array
  readonly contacts = new FeatureContactSet()
  /** Per contact: 1 for those that are rows. */
  private active = new Uint8Array(0)
  /** 1: largest error of a gap at its end [m]. */
  readonly violation = new Float64Array(1)
  /** 1: |v - v_free|² in M~ [J]. */
  readonly cost = new Float64Array(1)
  /** Fallbacks counted by then. */
  fallbacks = 0
  /** Whether the current step has it. */
  isKnown = false

  constructor(nv: number) {
    this.v = new Float64Array(nv)
  }

  copyFrom(v: Float64Array, contacts: FeatureContactSet): void {
    this.v.set(v)
    this.contacts.copy(contacts)
    this.isKnown = true
  }

  copyTo(v: Float64Array, contacts: FeatureContactSet): void {
    v.set(this.v)
    contacts.copy(this.contacts)
  }

  copyActive(active: Uint8Array): void {
    const { capacity, count } = this.contacts
    if (capacity > this.active.length) this.active = new Uint8Array(capacity)
    for (let i = 0; i < count; i++) this.active[i] = active[i]
  }

  restoreActive(active: Uint8Array): void {
    for (let i = 0; i < this.contacts.count; i++) active[i] = this.active[i]
  }
}

/** Counts of a step to return to: fallbacks and failures of a discarded solve are none of the step's. */
export class EventMark {
  fallbacks = 0
  failures = 0

  set({ fallbacks, failures }: SolverEvents): void {
    this.fallbacks = fallbacks
    this.failures = failures
  }

  restore(events: SolverEvents): void {
    events.fallbacks = this.fallbacks
    events.failures = this.failures
  }
}

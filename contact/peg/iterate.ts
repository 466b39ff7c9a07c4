import type { SolverEvents } from '../contactModel.ts'
import { FeatureContactSet } from './features/featureContactSet.ts'

/** An end-of-step velocity to which a search may return, with the contacts that gave it. */
export class Iterate {
  /** nv. */
  readonly v: Float64Array
  readonly contacts = new FeatureContactSet()
  /** Per contact: 1 if active. */
  private active = new Uint8Array(0)
  /** 1: largest gap error at the end of its step [m]. */
  readonly violation = new Float64Array(1)
  /** 1: |v - v_free|² in M~ [J]. */
  readonly cost = new Float64Array(1)
  /** Fallbacks counted by then. */
  fallbacks = 0
  /** Whether it is valid for the current step. */
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

/** Event counts to be restored, since fallbacks and failures of a discarded solve do not count for the step. */
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

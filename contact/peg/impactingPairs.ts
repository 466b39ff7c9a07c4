import type { ActiveContacts } from '../models/velocityLevel/stepImpacts.ts'
import type { ConstrainedStep, StepSolver } from './constrainedStep.ts'
import { FeatureContactSet, type FeatureStep } from './features/featureContactSet.ts'
import { EventMark } from './iterate.ts'

/**
 * Contacts that may have an impact before the step: a pair impacts if in a step without restitution it has an impulse to first order,
 * and still has one in the solution. It impacts at the contacts of `markMet`, since the velocity nearest to the free one may let bodies pass each other where
 * they would have touched earlier.
 */
export class ImpactingPairs implements ActiveContacts {
  /** The step whose impacts are to be found. */
  step: FeatureStep | undefined
  private readonly solver: StepSolver
  private readonly once: ConstrainedStep
  private readonly start = new FeatureContactSet()
  private readonly before = new EventMark()
  /** Per contact of `start`: 1 if it may have an impact; and the same per contact of the part solved. */
  private isImpacting = new Uint8Array(0)
  private marks = new Uint8Array(0)

  constructor(solver: StepSolver, once: ConstrainedStep) {
    this.solver = solver
    this.once = once
  }

  /** Solves the step, then restores the contacts of its start. @returns per contact: 1 if it may have an impact */
  find(): Uint8Array {
    const { step, start, before, once } = this
    if (step === undefined) return this.isImpacting
    const { contacts, events } = step
    if (contacts.capacity > this.isImpacting.length) this.isImpacting = new Uint8Array(contacts.capacity)
    const { isImpacting } = this
    before.set(events)
    start.copy(contacts)
    isImpacting.fill(0)
    this.solver.solve(step, this)
    for (let i = 0; i < start.count; i++) if (isImpacting[i] === 1 && !touches(contacts, start.pair[i])) isImpacting[i] = 0
    contacts.copy(start)
    contacts.impulse.fill(0, 0, 3 * contacts.count)
    before.restore(events)
    once.impulses.begin(step)
    return isImpacting
  }

  /** Marks the contacts with impulses. @param contacts all contacts of the start, or those of a part, in the same order */
  mark(contacts: FeatureContactSet): void {
    const { start, isImpacting } = this
    const { count, pair, feature, impulse } = contacts
    if (count > this.marks.length) this.marks = new Uint8Array(contacts.capacity)
    const { marks } = this
    for (let i = 0; i < count; i++) marks[i] = impulse[3 * i] > 0 ? 1 : 0
    this.once.choice.markMet(contacts, marks)
    for (let i = 0, at = 0; i < count; i++, at++) {
      while (start.pair[at] !== pair[i] || start.feature[at] !== feature[i]) at++
      isImpacting[at] = marks[i]
    }
  }
}

/** Whether a pair has an impulse. */
function touches({ count, pair, impulse }: FeatureContactSet, of: number): boolean {
  for (let k = 0; k < count; k++) if (pair[k] === of && impulse[3 * k] > 0) return true
  return false
}

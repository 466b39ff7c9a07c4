import type { ImpulseProblem, RowTargets } from '../constraints/index.ts'
import type { ContactStep } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'
import type { StartAxes } from './startAxes.ts'

/** Active contacts and their gap constraints, written by `ConstrainedContacts` and from evaluations of the end of the step. */
export class GapTargets implements RowTargets {
  active: Uint8Array = new Uint8Array(0)
  gap: Float64Array = new Float64Array(0)
  exact: Uint8Array = new Uint8Array(0)
  /** 3 a contact: velocities of rows. */
  private u = new Float64Array(0)

  /** Starts with the detected gaps. */
  begin({ capacity, count, gap }: ContactSet): void {
    if (capacity > this.active.length) {
      this.active = new Uint8Array(capacity)
      this.gap = new Float64Array(capacity)
      this.exact = new Uint8Array(capacity)
      this.u = new Float64Array(3 * capacity)
    }
    for (let i = 0; i < count; i++) this.gap[i] = gap[i]
    this.exact.fill(0, 0, count)
  }

  /**
   * Relinearises after a `begin` of the problem with contacts of a configuration that is reached with velocity v: rows are transformed into
   * the axes of the start, and gaps reduced by J v, so that they are exact at that configuration. `target` is the target gap of each
   * contact.
   *
   * @param v    nv, in axes of the start
   * @param part fraction of the step up to that configuration
   */
  relinearise(
    problem: ImpulseProblem,
    step: ContactStep,
    axes: StartAxes | undefined,
    v: Float64Array,
    target: Float64Array,
    part: number,
  ): void {
    const { contacts, dt } = step
    const { rows } = problem.contacts
    this.begin(contacts)
    const { u, gap } = this
    if (axes !== undefined) axes.turnRows(rows, contacts.count)
    rows.velocity(u, v, contacts.count)
    for (let i = 0; i < contacts.count; i++) gap[i] = (contacts.gap[i] - target[i]) / part - dt * u[3 * i]
    rows.velocity(problem.contacts.uStart, step.state.v, step.contacts.count)
    this.exact.fill(1, 0, contacts.count)
  }

  /**
   * Keeps the rows, and corrects their gaps by those at the end of the step with v.
   *
   * @param gaps per contact: its gap at the end less its target, NaN if unknown [m]
   */
  correct(
    { contacts: { rows } }: ImpulseProblem,
    { contacts, dt }: ContactStep,
    gaps: Float64Array,
    v: Float64Array,
    part: number,
  ): void {
    const { u, gap, exact } = this
    rows.velocity(u, v, contacts.count)
    for (let i = 0; i < contacts.count; i++) {
      if (Number.isNaN(gaps[i])) continue
      gap[i] = gaps[i] / part - dt * u[3 * i]
      exact[i] = 1
    }
  }
}

import type { ContactSet } from '../contactSet.ts'

/**
 * Impulses of a step of several stages, at the contacts of its start: the stages' forces with their weights. Contacts are matched from stage
 * to stage by pair and feature; the impulse of a feature that is absent at the start of the step is added to another of its pair. That of
 * a pair that begins to touch within the step is not reported, since it has no contact.
 */
export class StageImpulses {
  /** Of the contacts at the start. */
  pair = new Int32Array(0)
  feature = new Int32Array(0)
  /** Per contact of the present stage: its index at the start, or -1. */
  startOf = new Int32Array(0)
  /** 3 a contact at the start, in world axes: impulse [N s] and moment [N m s]. */
  given = new Float64Array(0)
  givenMoment = new Float64Array(0)
  /** Mean forces of loops over the step, as `ContactStep.loopForces`. */
  readonly loopForces: Float64Array
  private count = 0

  /** @param loopForces entries of `ContactStep.loopForces` */
  constructor(loopForces = 0) {
    this.loopForces = new Float64Array(loopForces)
  }

  begin(contacts: ContactSet): void {
    const { capacity, count } = contacts
    if (capacity > this.pair.length) {
      this.pair = new Int32Array(capacity)
      this.feature = new Int32Array(capacity)
      this.given = new Float64Array(3 * capacity)
      this.givenMoment = new Float64Array(3 * capacity)
    }
    this.count = count
    for (let i = 0; i < count; i++) {
      this.pair[i] = contacts.pair[i]
      this.feature[i] = contacts.feature[i]
    }
    this.given.fill(0)
    this.givenMoment.fill(0)
    this.loopForces.fill(0)
  }

  /** Index at the start of a contact of this feature, else of another of its pair; -1 for none. */
  find(pair: number, feature: number): number {
    let found = -1
    for (let i = 0; i < this.count; i++) {
      if (this.pair[i] !== pair) continue
      if (this.feature[i] === feature) return i
      if (found < 0) found = i
    }
    return found
  }

  /**
   * Adds the forces of a stage.
   *
   * @param force  3 a contact: along normal and tangents
   * @param active per contact: 0 for one without a force
   * @param weight 1: of the stage
   */
  add(contacts: ContactSet, force: Float64Array, active: Int8Array | Uint8Array, weight: Float64Array): void {
    const { count, capacity, pair, feature, normal, tangent1, tangent2 } = contacts
    const { given } = this
    if (capacity > this.startOf.length) this.startOf = new Int32Array(capacity)
    for (let i = 0; i < count; i++) {
      this.startOf[i] = -1
      if (active[i] === 0) continue
      const n = 3 * i
      const start = this.find(pair[i], feature[i])
      this.startOf[i] = start
      if (start < 0) continue
      for (let d = 0; d < 3; d++) {
        const along = force[n] * normal[n + d] + force[n + 1] * tangent1[n + d] + force[n + 2] * tangent2[n + d]
        given[3 * start + d] += weight[0] * along
      }
    }
  }

  /** Takes the forces of loops in a stage, of which it leaves none. */
  addLoops(forces: Float64Array | undefined, weight: Float64Array): void {
    if (forces === undefined) return
    for (let k = 0; k < forces.length; k++) this.loopForces[k] += weight[0] * forces[k]
    forces.fill(0)
  }

  /** Sets the impulses, and adds to the moments, of the contacts of the start, which are detected again. */
  report({ count, impulse, moment, normal, tangent1, tangent2, inverse2 }: ContactSet): void {
    const { given, givenMoment } = this
    for (let i = 0; i < count; i++) {
      const n = 3 * i
      impulse[n] = given[n] * normal[n] + given[n + 1] * normal[n + 1] + given[n + 2] * normal[n + 2]
      impulse[n + 1] = given[n] * tangent1[n] + given[n + 1] * tangent1[n + 1] + given[n + 2] * tangent1[n + 2]
      impulse[n + 2] = inverse2[i] * (given[n] * tangent2[n] + given[n + 1] * tangent2[n + 1] + given[n + 2] * tangent2[n + 2])
      for (let d = 0; d < 3; d++) {
        moment[n] += givenMoment[n + d] * normal[n + d]
        moment[n + 1] += givenMoment[n + d] * tangent1[n + d]
        moment[n + 2] += givenMoment[n + d] * tangent2[n + d] * inverse2[i]
      }
    }
  }
}

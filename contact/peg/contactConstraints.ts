import { grown } from '../grown.ts'

/** Kind of a constraint, after Williams, Lu and Trinkle (2014), equations 8 to 16. */
export const constraintKind = {
  /** The gap of one contact must not be negative (U, equations 8 and 9). */
  unilateral: 0,
  /** Of several contacts one must have no negative gap; that one may have an impulse (I, equations 10 to 15). */
  inter: 1,
  /** Of several contacts one must have no negative gap; none has an impulse for it (X, equation 16). */
  cross: 2,
} as const

/**
 * Joint constraints on the contacts of one configuration, as flat lists: constraints have disjuncts, disjuncts have contacts. @unchecked
 *
 *   value of a disjunct      the least gap of its contacts
 *   value of a constraint  the greatest value of its disjuncts, to be at least 0 at the end of the step
 *
 * A contact has an impulse only for an inter or unilateral constraint, in a disjunct that may push (the paper's C_iota; the other disjuncts
 * are its C_kappa), only at gap zero, as the least of its disjunct, and only while the constraint's value is zero: there is no impulse if
 * another disjunct separates the bodies. In the paper each disjunct is one contact. A disjunct of several is a flat face on another: its
 * contacts have one normal, and none may have a negative gap.
 *
 * Every contact that may push is in one unilateral or inter constraint; cross constraints may contain it too. Capacity grows when a count
 * first exceeds it; growing replaces the arrays.
 */
export class ContactConstraints {
  count = 0
  /** Disjuncts of all constraints. */
  disjunctCount = 0
  /** One of `constraintKind` a constraint. */
  kind = new Uint8Array(16)
  /** Constraint g has the disjuncts disjunctStart[g] to disjunctStart[g + 1] - 1, the first pushing[g] of which may push. */
  disjunctStart = new Int32Array(17)
  pushing = new Int32Array(16)
  /** Disjunct m has the contacts contact[contactStart[m]] to contact[contactStart[m + 1] - 1]. */
  contactStart = new Int32Array(33)
  contact = new Int32Array(64)

  clear(): void {
    this.count = 0
    this.disjunctCount = 0
    this.disjunctStart[0] = 0
    this.contactStart[0] = 0
  }

  /** Starts a constraint without disjuncts, which `addDisjunct` and `addContact` extend: first the disjuncts that may push. */
  begin(kind: number): void {
    const g = this.count
    if (g === this.kind.length) {
      this.kind = grown(this.kind, 2 * g)
      this.pushing = grown(this.pushing, 2 * g)
      this.disjunctStart = grown(this.disjunctStart, 2 * g + 1)
    }
    this.kind[g] = kind
    this.pushing[g] = 0
    this.disjunctStart[g + 1] = this.disjunctCount
    this.count = g + 1
  }

  /** Starts the next disjunct of the last constraint. */
  addDisjunct(mayPush: boolean): void {
    const m = this.disjunctCount
    if (m + 2 > this.contactStart.length) this.contactStart = grown(this.contactStart, 2 * this.contactStart.length)
    this.contactStart[m + 1] = this.contactStart[m]
    this.disjunctCount = m + 1
    this.disjunctStart[this.count] = m + 1
    if (mayPush) this.pushing[this.count - 1]++
  }

  /** Adds a contact to the last disjunct. */
  addContact(i: number): void {
    const end = this.contactStart[this.disjunctCount]
    if (end === this.contact.length) this.contact = grown(this.contact, 2 * end)
    this.contact[end] = i
    this.contactStart[this.disjunctCount] = end + 1
  }

  /** Adds a unilateral constraint on one contact. */
  addUnilateral(i: number): void {
    this.begin(constraintKind.unilateral)
    this.addDisjunct(true)
    this.addContact(i)
  }

  /** least[m] := the least gap of the contacts of disjunct m. */
  leastGaps(gap: Float64Array, least: Float64Array): void {
    const { disjunctCount, contactStart, contact } = this
    for (let m = 0; m < disjunctCount; m++) {
      let lowest = Number.POSITIVE_INFINITY
      for (let k = contactStart[m]; k < contactStart[m + 1]; k++) if (gap[contact[k]] < lowest) lowest = gap[contact[k]]
      least[m] = lowest
    }
  }

  /**
   * Drops contacts from disjuncts, and disjuncts without contacts.
   *
   * @param keeps per entry of `contact`: 1 if it stays
   * @param joins per constraint: 1 if all remaining contacts become one disjunct
   */
  keep(keeps: Uint8Array, joins: Uint8Array): void {
    const { count, disjunctStart, pushing, contactStart, contact } = this
    // in place: writes never overtake reads
    let from = 0
    let slot = 0
    let slots = 0
    let disjuncts = 0
    for (let g = 0; g < count; g++) {
      const end = disjunctStart[g + 1]
      const mayPush = from + pushing[g]
      const first = disjuncts
      pushing[g] = 0
      for (let m = from; m < end; m++) {
        const slotEnd = contactStart[m + 1]
        const before = slots
        for (; slot < slotEnd; slot++) if (keeps[slot] === 1) contact[slots++] = contact[slot]
        if (slots === before) continue
        if (disjuncts === first || joins[g] === 0) {
          disjuncts++
          if (m < mayPush) pushing[g]++
        }
        contactStart[disjuncts] = slots
      }
      disjunctStart[g] = first
      disjunctStart[g + 1] = disjuncts
      from = end
    }
    this.disjunctCount = disjuncts
  }

  /**
   * Appends the constraints of another set.
   *
   * @param place per contact there: its index here, -1 to omit its constraints
   */
  take(other: ContactConstraints, place: Int32Array): void {
    for (let g = 0; g < other.count; g++) {
      const start = other.contactStart[other.disjunctStart[g]]
      if (start < other.contactStart[other.disjunctStart[g + 1]] && place[other.contact[start]] < 0) continue
      this.begin(other.kind[g])
      for (let m = other.disjunctStart[g]; m < other.disjunctStart[g + 1]; m++) {
        this.addDisjunct(m < other.disjunctStart[g] + other.pushing[g])
        for (let k = other.contactStart[m]; k < other.contactStart[m + 1]; k++) this.addContact(place[other.contact[k]])
      }
    }
  }
}

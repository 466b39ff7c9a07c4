import { grown } from '../grown.ts'

/** Kind of a constraint, after Williams, Lu and Trinkle (2014), equations 8 to 16. */
export const constraintKind = {
  /** One contact that stays apart (U, equations 8 and 9). */
  unilateral: 0,
  /** Of several contacts one stays apart, and that one may push (I, equations 10 to 15). */
  inter: 1,
  /** Of several contacts one stays apart; none of them pushes on behalf of it (X, equation 16). */
  cross: 2,
} as const

/**
 * Joint constraints on the contacts of one configuration, as flat lists: constraints have members (disjuncts), members have contacts.
 *
 *   value of a member      the least gap of its contacts
 *   value of a constraint  the greatest value of its members, to be at least 0 at the end of the step
 *
 * A contact pushes only for an inter or unilateral constraint, as one of a member that may push (the paper's C_iota; the other members
 * are its C_kappa), only at gap zero, as the least of its member, and only while the constraint's value is zero: no impulse acts where
 * another member separates the bodies. In the paper each member is one contact. A member of several is a flat face on another: all of its
 * contacts have one normal and stay apart together.
 *
 * Every contact that may push is in one unilateral or inter constraint; cross constraints name it again. Capacity grows when a count first
 * exceeds it; growing replaces the arrays.
 */
export class ContactConstraints {
  count = 0
  /** Members of all constraints. */
  memberCount = 0
  /** One of `constraintKind` a constraint. */
  kind = new Uint8Array(16)
  /** Constraint g has the members memberStart[g] to memberStart[g + 1] - 1, of which the first pushing[g] may push. */
  memberStart = new Int32Array(17)
  pushing = new Int32Array(16)
  /** Member m has the contacts contact[contactStart[m]] to contact[contactStart[m + 1] - 1]. */
  contactStart = new Int32Array(33)
  contact = new Int32Array(64)

  clear(): void {
    this.count = 0
    this.memberCount = 0
    this.memberStart[0] = 0
    this.contactStart[0] = 0
  }

  /** Starts a constraint without members; `addMember` and `addContact` fill it, members that may push first. */
  begin(kind: number): void {
    const g = this.count
    if (g === this.kind.length) {
      this.kind = grown(this.kind, 2 * g)
      this.pushing = grown(this.pushing, 2 * g)
      this.memberStart = grown(this.memberStart, 2 * g + 1)
    }
    this.kind[g] = kind
    this.pushing[g] = 0
    this.memberStart[g + 1] = this.memberCount
    this.count = g + 1
  }

  /** Starts the next member of the last constraint. */
  addMember(mayPush: boolean): void {
    const m = this.memberCount
    if (m + 2 > this.contactStart.length) this.contactStart = grown(this.contactStart, 2 * this.contactStart.length)
    this.contactStart[m + 1] = this.contactStart[m]
    this.memberCount = m + 1
    this.memberStart[this.count] = m + 1
    if (mayPush) this.pushing[this.count - 1]++
  }

  /** Adds a contact to the last member. */
  addContact(i: number): void {
    const end = this.contactStart[this.memberCount]
    if (end === this.contact.length) this.contact = grown(this.contact, 2 * end)
    this.contact[end] = i
    this.contactStart[this.memberCount] = end + 1
  }

  /** A unilateral constraint on one contact. */
  addUnilateral(i: number): void {
    this.begin(constraintKind.unilateral)
    this.addMember(true)
    this.addContact(i)
  }

  /** least[m] := the least gap of the contacts of member m. */
  leastGaps(gap: Float64Array, least: Float64Array): void {
    const { memberCount, contactStart, contact } = this
    for (let m = 0; m < memberCount; m++) {
      let lowest = Number.POSITIVE_INFINITY
      for (let k = contactStart[m]; k < contactStart[m + 1]; k++) if (gap[contact[k]] < lowest) lowest = gap[contact[k]]
      least[m] = lowest
    }
  }

  /**
   * Drops contacts from members, and members without contacts.
   *
   * @param keeps per entry of `contact`: 1 if it stays
   * @param joins per constraint: 1 if all that stay become one member
   */
  keep(keeps: Uint8Array, joins: Uint8Array): void {
    const { count, memberStart, pushing, contactStart, contact } = this
    // in place: writes never overtake reads
    let from = 0
    let slot = 0
    let slots = 0
    let members = 0
    for (let g = 0; g < count; g++) {
      const end = memberStart[g + 1]
      const mayPush = from + pushing[g]
      const first = members
      pushing[g] = 0
      for (let m = from; m < end; m++) {
        const slotEnd = contactStart[m + 1]
        const before = slots
        for (; slot < slotEnd; slot++) if (keeps[slot] === 1) contact[slots++] = contact[slot]
        if (slots === before) continue
        if (members === first || joins[g] === 0) {
          members++
          if (m < mayPush) pushing[g]++
        }
        contactStart[members] = slots
      }
      memberStart[g] = first
      memberStart[g + 1] = members
      from = end
    }
    this.memberCount = members
  }

  /**
   * Adds the constraints of another set.
   *
   * @param place per contact there: its number here, -1 for one whose constraints are left out
   */
  take(other: ContactConstraints, place: Int32Array): void {
    for (let g = 0; g < other.count; g++) {
      const start = other.contactStart[other.memberStart[g]]
      if (start < other.contactStart[other.memberStart[g + 1]] && place[other.contact[start]] < 0) continue
      this.begin(other.kind[g])
      for (let m = other.memberStart[g]; m < other.memberStart[g + 1]; m++) {
        this.addMember(m < other.memberStart[g] + other.pushing[g])
        for (let k = other.contactStart[m]; k < other.contactStart[m + 1]; k++) this.addContact(place[other.contact[k]])
      }
    }
  }
}

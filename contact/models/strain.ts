import type { ContactModel, ContactModelContext, ContactStep } from '../contactModel.ts'

/** Multiple of the allowed penetration beyond which a spring of derived stiffness has yielded. */
const MOST_PRESSED = 10

/** Depth beyond which springs of derived stiffness have yielded [m]; infinite if one stiffness is stated for all. */
export function depthOfStrain({ unused }: Pick<ContactModel['parameters'], 'unused'>, { physical }: ContactModelContext): number {
  return unused.includes('allowedPenetration') ? Number.POSITIVE_INFINITY : MOST_PRESSED * physical.allowedPenetration
}

/** Counts steps in which springs have yielded: some contact is deeper than `most` [m]. */
export class Strain {
  private readonly name: string
  private readonly limit: string
  private readonly most: Float64Array

  /** @param limit description of `most` */
  constructor(name: string, most: number, limit = `${MOST_PRESSED} times the allowed penetration`) {
    this.name = name
    this.limit = limit
    this.most = Float64Array.of(most)
  }

  count({ contacts: { count, gap, stiffness }, events, state }: ContactStep): void {
    const { most } = this
    for (let i = 0; i < count; i++) {
      if (!(-gap[i] > most[0]) || !Number.isNaN(stiffness[i])) continue
      events.strained++
      if (events.firstStrain !== '') return
      events.firstStrain =
        `${this.name}: a contact was pressed in by ${(-1e3 * gap[i]).toPrecision(3)} mm at t = ${Number(state.t[0].toPrecision(9))} s, more than ` +
        `${this.limit}; its springs are made for a weight that is less than this`
      return
    }
  }
}

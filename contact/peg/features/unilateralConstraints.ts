import type { ContactConstraints } from '../contactConstraints.ts'
import type { ConstraintRule } from './constraintRules.ts'
import { CLASSICALLY_APPLICABLE, type FeatureContactSet } from './featureContactSet.ts'

/** Gap above which a contact is open: less is rounding of bodies that rest on each other [m]. */
const open = -1e-9
/** Cosine of the angle below which contacts share one normal: 1e-3 rad. */
const oneNormal = 1 - 5e-7
/** Tangential offset of two features above which they do not touch [m]. */
const touching = 1e-6

/**
 * Every contact without penetration at the start keeps a non-negative gap, also that of a vertex with a face that it cannot touch: bodies
 * stay behind planes that extend beyond the faces. Overlapping bodies have only the contact with the least depth, and those of equal normal
 * whose features touch. Contacts without a constraint are dropped, since models without constraints use all contacts.
 */
export const unilateralRule: ConstraintRule = {
  choice: 'partners',
  constrain: (_a, _b, contacts, _limits, offset, out) => constrainEach(contacts, offset, out),
}

function constrainEach(contacts: FeatureContactSet, offset: number, out: ContactConstraints): void {
  const { count, gap, normal, aside, applicability, applicable } = contacts
  let best = -1
  for (let i = 0; i < count; i++) {
    if (applicability[i] >= CLASSICALLY_APPLICABLE && (best < 0 || gap[i] > gap[best])) best = i
  }
  const overlaps = best >= 0 && gap[best] < open
  const [nx, ny, nz] = overlaps ? normal.slice(3 * best, 3 * best + 3) : [0, 0, 0]
  let kept = 0
  for (let i = 0; i < count; i++) {
    const along = normal[3 * i] * nx + normal[3 * i + 1] * ny + normal[3 * i + 2] * nz
    const parts = i === best || (applicable[i] > 0 && aside[i] <= touching && along >= oneNormal)
    if (overlaps ? !parts : gap[i] < open) continue
    out.addUnilateral(offset + kept)
    contacts.keep(i, kept++)
  }
  contacts.count = kept
}

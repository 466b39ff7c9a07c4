import type { ContactConstraints } from '../contactConstraints.ts'
import type { ConstraintRule } from './constraintRules.ts'
import { CLASSICALLY_APPLICABLE, type FeatureContactSet } from './featureContactSet.ts'

/** A gap from here on is open: what rounding takes from bodies that rest on each other [m]. */
const open = -1e-9
/** Cosine of the angle up to which contacts have one normal: 1e-3 rad. */
const oneNormal = 1 - 5e-7
/** Contacts that miss each other by more are not between surfaces [m]. */
const touching = 1e-6

/**
 * Every contact that is open at the start stays so, also that of a vertex with a face that it cannot touch: bodies are kept behind planes
 * that reach beyond the faces. Of bodies that overlap, only the contact along which they part soonest, with those of the same normal
 * whose features do meet. Contacts without a constraint are left out, for models that know none take all that are there.
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

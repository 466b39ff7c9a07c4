import type { ContactConstraints } from './contactConstraints.ts'
import type { FeatureContacts } from './featureSet.ts'

/** A gap from here on is open: what rounding takes from bodies that rest on each other [m]. */
const open = -1e-9
/** Applicability from here on is classical. */
const classical = -1e-9
/** Cosine of the angle up to which contacts have one normal: 1e-3 rad. */
const oneNormal = 1 - 5e-7
/** Contacts that miss each other by more are not between surfaces [m]. */
const touching = 1e-6

/**
 * Every contact that is open at the start stays so, also that of a vertex with a face that it cannot touch: bodies are kept behind planes
 * that reach beyond the faces. Of bodies that overlap, only the contact along which they part soonest, with those of the same normal
 * whose features do meet.
 */
export function constrainEach(contacts: FeatureContacts, offset: number, out: ContactConstraints): void {
  const { count, gap, normal, aside, applicability, applicable, dimension } = contacts
  let best = -1
  for (let i = 0; i < count; i++) {
    if (applicability[i] >= classical && (best < 0 || gap[i] > gap[best])) best = i
  }
  if (best < 0 || gap[best] >= open) {
    for (let i = 0; i < count; i++) if (gap[i] >= open) out.addUnilateral(offset + i)
    return
  }
  for (let i = 0; i < count; i++) {
    let along = 0
    for (let d = 0; d < dimension; d++) along += normal[dimension * i + d] * normal[dimension * best + d]
    if (i === best || (applicable[i] > 0 && aside[i] <= touching && along >= oneNormal)) out.addUnilateral(offset + i)
  }
}

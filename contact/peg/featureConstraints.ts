import type { ContactConstraints } from './contactConstraints.ts'
import { constrainExactly, constrainPlanarExactly } from './exactConstraints.ts'
import type { FeatureBody } from './featureBody.ts'
import type { ConstraintRule } from './featureReading.ts'
import type { FeatureContacts, FeatureLimits } from './featureSet.ts'
import { constrainLiterally } from './literalConstraints.ts'
import { constrainPlanarLiterally } from './planarConstraints.ts'
import type { PlanarBody } from './planarFeatures.ts'
import { constrainEach } from './unilateralConstraints.ts'
import { constrainVertices } from './vertexConstraints.ts'

/**
 * Adds the constraints that a rule puts on the feature contacts of one pair of polyhedra, or of one over a half-space. Contacts that no
 * constraint names take no part.
 *
 * @param a, b     placed, as they were for `featureContacts`
 * @param contacts of a and b
 * @param limits   that they were found with
 * @param offset   the constraints name contact i as offset + i
 * @param out      added to
 */
export function constrainFeatures(
  a: FeatureBody,
  b: FeatureBody,
  contacts: FeatureContacts,
  rule: ConstraintRule,
  limits: FeatureLimits,
  offset: number,
  out: ContactConstraints,
): void {
  if (contacts.count === 0) return
  if (a.topology.vertexCount === 0 || b.topology.vertexCount === 0) {
    for (let i = 0; i < contacts.count; i++) if (contacts.applicable[i] > 0) out.addUnilateral(offset + i)
    return
  }
  if (rule === 'exact') constrainExactly(a, b, contacts, limits, offset, out)
  else if (rule === 'literal') constrainLiterally(a, b, contacts, limits, offset, out)
  else if (rule === 'lnc') constrainVertices(contacts, offset, out)
  else constrainEach(contacts, offset, out)
}

/** The same for two polygons in the plane and `planarFeatureContacts`. */
export function constrainPlanarFeatures(
  a: PlanarBody,
  b: PlanarBody,
  contacts: FeatureContacts,
  rule: ConstraintRule,
  limits: FeatureLimits,
  offset: number,
  out: ContactConstraints,
): void {
  if (contacts.count === 0) return
  if (rule === 'exact') constrainPlanarExactly(a, b, contacts, limits, offset, out)
  else if (rule === 'literal') constrainPlanarLiterally(a, b, contacts, limits, offset, out)
  else if (rule === 'lnc') constrainVertices(contacts, offset, out)
  else constrainEach(contacts, offset, out)
}

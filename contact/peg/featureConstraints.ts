import type { ContactConstraints } from './contactConstraints.ts'
import type { FeatureBody } from './featureBody.ts'
import type { ConstraintRule } from './featureReading.ts'
import type { FeatureContacts, FeatureLimits } from './featureSet.ts'

/**
 * The constraints that a rule puts on two polyhedra (`ConstraintRule.constrain`); over a half-space every applicable vertex has a
 * unilateral constraint of its own.
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
  if (a.topology.vertexCount > 0 && b.topology.vertexCount > 0) rule.constrain(a, b, contacts, limits, offset, out)
  else for (let i = 0; i < contacts.count; i++) if (contacts.applicable[i] > 0) out.addUnilateral(offset + i)
}

import type { ContactConstraints } from './contactConstraints.ts'
import type { FeatureBody } from './featureBody.ts'
import type { FeatureChoice, FeatureContacts, FeatureLimits } from './featureSet.ts'

/** Rule that combines the feature contacts of two bodies into constraints. */
export interface ConstraintRule {
  /** The near contacts that are its input. */
  readonly choice: FeatureChoice
  /**
   * Adds the constraints on the feature contacts of one pair of polyhedra. Contacts that no constraint names are inactive.
   *
   * @param a, b     placed, as for `featureContacts`
   * @param contacts of a and b; the rule may drop some (`FeatureContacts.keep`)
   * @param limits   that they were found with
   * @param offset   the constraints name contact i as offset + i
   * @param out      added to
   */
  constrain(
    a: FeatureBody,
    b: FeatureBody,
    contacts: FeatureContacts,
    limits: FeatureLimits,
    offset: number,
    out: ContactConstraints,
  ): void
}

/** Options of the feature narrow phase. */
export interface FeatureReading {
  readonly rule: ConstraintRule
  /** Tolerance of applicability, a sine. */
  readonly epsilon: number
}

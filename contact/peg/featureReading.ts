import type { ContactConstraints } from './contactConstraints.ts'
import type { FeatureBody } from './featureBody.ts'
import type { FeatureChoice, FeatureContacts, FeatureLimits } from './featureSet.ts'

/** How the feature contacts of two bodies are put together to constraints. */
export interface ConstraintRule {
  /** Which of the near contacts it is given. */
  readonly choice: FeatureChoice
  /**
   * Adds the constraints on the feature contacts of one pair of polyhedra. Contacts that no constraint names take no part.
   *
   * @param a, b     placed, as they were for `featureContacts`
   * @param contacts of a and b; the rule may leave some out (`FeatureContacts.keep`)
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

/** How two shapes are read as pairs of features. */
export interface FeatureReading {
  readonly rule: ConstraintRule
  /** Sine of the angle by which features may miss applicability and still count. */
  readonly epsilon: number
}

import { defaultEpsilon } from './featureSet.ts'

/**
 * How feature contacts are put together to constraints.
 *
 * - `exact`: of each pair of bodies one inter-contact constraint over all directions in which they can be apart.
 * - `literal`: the paper's unilateral, inter-contact and cross-contact constraints (equations 17 to 24, corrected).
 * - `lnc`: locally non-convex (Nguyen, 2011): one inter-contact constraint a vertex, over the faces near it; edges are not seen.
 * - `unilateral`: every contact that is open at the start stays so (Stewart and Trinkle, Anitescu and Potra on features).
 */
export type ConstraintRule = 'exact' | 'literal' | 'lnc' | 'unilateral'

/** What the reading 'features' takes of two shapes. */
export interface FeatureReading {
  readonly rule: ConstraintRule
  /** Sides that stand for curved shapes: of a prism around a cylinder's axis, of the great circles of a sphere. */
  readonly sides: number
  /** Whether curved shapes lie on half-spaces as they are, by their manifold, or as their polyhedral versions do too. */
  readonly roundOnPlanes: 'exact' | 'prism'
  /** Sine of the angle by which features may miss applicability and still count. */
  readonly epsilon: number
}

/** What is taken where a reading of features is asked for and nothing is said of it. */
export const defaultFeatureReading: FeatureReading = {
  rule: 'exact',
  sides: 16,
  roundOnPlanes: 'exact',
  epsilon: defaultEpsilon,
}

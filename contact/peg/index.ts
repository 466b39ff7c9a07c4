export { createConstrainedModel } from './constrainedModel.ts'
export * from './contactConstraints.ts'
export * from './contactMoment.ts'
export * from './features/constraintRules.ts'
export {
  createFeatureBody,
  edgeEdgeApplicability,
  type FeatureBody,
  parallelSine,
  vertexFaceApplicability,
} from './features/featureBody.ts'
export {
  contactRole,
  defaultEpsilon,
  type FeatureChoice,
  FeatureContactSet,
  type FeatureLimits,
  type FeatureOptions,
  featureKind,
  featureLimits,
  featuresOf,
} from './features/featureContactSet.ts'
export { featureContacts } from './features/featureContacts.ts'
export { type FeatureReading, readFeatures } from './features/featureNarrowphase.ts'
export * from './features/literalConstraints.ts'
export { unilateralRule } from './features/unilateralConstraints.ts'
export { lnc } from './lnc.ts'
export { peg } from './peg.ts'
export * from './search/constraintViolation.ts'
export * from './search/contactDisjunctProblem.ts'
export { DisjunctSearch } from './search/disjunctSearch.ts'
export type { DisjunctProblem } from './search/disjunctViolations.ts'
export { WholeConstraints } from './search/wholeConstraints.ts'

export { type AnswerSet, answerEnds, answerSets, type Range } from './answerSets.ts'
export { type Certificate, Certifier } from './certificate.ts'
export { type ExactRows, exactLinear, exactRows } from './exact.ts'
export {
  ANSWER_TOLERANCE,
  associatedGroup,
  type Condition,
  coneGroup,
  contactGroup,
  directionsOf,
  type Face,
  type FaceGroup,
  type FaceProblem,
  FINEST_SLIP,
  powerOfTwo,
  rowGroup,
} from './faces.ts'
export * from './forceRanges.ts'
export { LinearProgram } from './linearProgram.ts'
export { FacePolyhedron, FaceSearch, type SearchNode } from './search.ts'
export { isVerified } from './verify.ts'

export { ContactRows } from './contactRows.ts'
export type { ContactSource } from './contactSource.ts'
export { LengthRows } from './couplings/lengthRows.ts'
export { type LoopClosure, type LoopKind, LoopRows } from './couplings/loopRows.ts'
export { type LoopSource, mocapSpring } from './couplings/loopSource.ts'
export type {
  CompliantContact,
  Drift,
  FrictionMethod,
  ImpulseOptions,
  ImpulsePass,
  RowConditions,
  RowTargets,
  WrittenMatrix,
} from './impulseLaw.ts'
export { ImpulseProblem } from './impulseProblem.ts'
export { newtonNames } from './islandSolver.ts'
export { Islands } from './islands.ts'
export { CLOSING_SPEED, type JointSource, LimitedJoints } from './jointSource.ts'
export { sources } from './rowSource.ts'
export { frictionAt, hasFriction, slidingFriction, slipSpeed } from './slipLaw.ts'
export { resistedMotion, TorsionRollingRows } from './torsionRollingRows.ts'
export { type PatchChoice, readPatch, shownPatch, UniformPatch } from './uniformPatch.ts'

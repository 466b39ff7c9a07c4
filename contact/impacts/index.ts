export { type ImpactHypothesis, ImpactLaw } from './impactLaw.ts'
export {
  type ImpactChoice,
  type ImpactOptions,
  type Impulses,
  noImpacts,
  type RigidImpactOptions,
  readImpactOptions,
  readRigidImpacts,
  shownImpacts,
  shownRigidImpacts,
} from './impactOptions.ts'
export { ImpactPhase } from './impactPhase.ts'
export { PairImpulse } from './pairImpulse.ts'
export { SimultaneousImpulses } from './simultaneous.ts'

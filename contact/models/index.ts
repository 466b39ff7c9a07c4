import type { CreateContactModel } from '../contactModel.ts'
import { lnc, peg } from '../peg/index.ts'
import { huntCrossley } from './huntCrossley.ts'
import { lcp } from './lcp/lcp.ts'
import { lotstedt } from './lotstedt.ts'
import { penalty } from './penalty.ts'
import { penaltyDeepest } from './penaltyDeepest.ts'
import { anitescuPotra } from './velocityLevel/anitescuPotra.ts'
import { convex, ncp } from './velocityLevel/cones.ts'
import { drake } from './velocityLevel/drake.ts'
import { mujoco } from './velocityLevel/mujoco.ts'
import { stewartTrinkle } from './velocityLevel/stewartTrinkle.ts'

/** Every contact model there is. The keys are the type, the menu, the command line's choice and the shared tests' list. */
export const contactModels = {
  'penalty-deepest': penaltyDeepest,
  penalty,
  'hunt-crossley': huntCrossley,
  lcp,
  lotstedt,
  'stewart-trinkle': stewartTrinkle,
  'anitescu-potra': anitescuPotra,
  convex,
  ncp,
  mujoco,
  drake,
  lnc,
  peg,
} satisfies Record<string, CreateContactModel>

export type ContactModelName = keyof typeof contactModels

export { dampingRatioOfRestitution, defaultPhysicalInputs, restitutionOfDampingRatio } from './physicalGains.ts'

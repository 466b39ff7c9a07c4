import type { CreateContactModel } from '../contactModel.ts'
import { huntCrossley } from './huntCrossley.ts'
import { penalty } from './penalty.ts'
import { penaltyDeepest } from './penaltyDeepest.ts'
import { stewartTrinkle } from './stewartTrinkle.ts'

/** Every contact model there is. The keys are the type, the menu, the command line's choice and the shared tests' list. */
export const contactModels = {
  'penalty-deepest': penaltyDeepest,
  penalty,
  'hunt-crossley': huntCrossley,
  'stewart-trinkle': stewartTrinkle,
} satisfies Record<string, CreateContactModel>

export type ContactModelName = keyof typeof contactModels

export { dampingRatioOfRestitution, defaultPhysicalInputs, restitutionOfDampingRatio } from './physicalGains.ts'

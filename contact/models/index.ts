import { didYouMean } from '../../dynamics/index.ts'
import * as is from '../../dynamics/math/arguments.ts'
import type { ContactModelOptions, CreateContactModel } from '../contactModel.ts'
import { lnc, peg } from '../peg/index.ts'
import { huntCrossley } from './huntCrossley.ts'
import { lcp } from './lcp/lcp.ts'
import { lotstedt } from './lotstedt.ts'
import { type ContactModelName, contactModelNames } from './names.ts'
import { penalty } from './penalty.ts'
import { penaltyDeepest } from './penaltyDeepest.ts'
import { anitescuPotra } from './velocityLevel/anitescuPotra.ts'
import { convex, ncp } from './velocityLevel/cones.ts'
import { drake } from './velocityLevel/drake.ts'
import { mujoco } from './velocityLevel/mujoco.ts'
import { stewartTrinkle } from './velocityLevel/stewartTrinkle.ts'

/** Registry of contact models, by their names. */
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
} satisfies Record<ContactModelName, CreateContactModel<never>>

/** The options of one contact model. */
export type OptionsOf<Name extends ContactModelName> = NonNullable<Parameters<(typeof contactModels)[Name]>[1]>

/** A contact model with its options; or a model outside the registry. */
export type ContactChoice =
  | { [Name in ContactModelName]: { readonly contactModel: Name; readonly contactOptions?: OptionsOf<Name> } }[ContactModelName]
  | { readonly contactModel: CreateContactModel; readonly contactOptions?: ContactModelOptions }

/** The registered contact model of a name. @throws RangeError for an unknown name, with the nearest one */
export function contactModelNamed(name: string): ContactModelName {
  if (Object.hasOwn(contactModels, name)) return name as ContactModelName
  throw new RangeError(
    `there is no contact model "${name}"; choose one of ${contactModelNames.join(', ')}${didYouMean(name, contactModelNames)}`,
  )
}

/** A contact model and options from user input; the model rejects unknown options. @throws RangeError for an unknown name */
export function contactChoice(name: string, contactOptions?: ContactModelOptions): ContactChoice {
  is.check(contactOptions ?? {}, is.made("a model's options"), 'contactOptions')
  return { contactModel: contactModelNamed(name), contactOptions } as ContactChoice
}

export type * from '../modelOptions.ts'
export { refinedOptions } from '../modelOptions.ts'
export { TestForceMatrix } from './lcp/testForceMatrix.ts'
export { type ContactModelName, contactModelNames } from './names.ts'
export { dampingRatioOfRestitution, defaultPhysicalInputs, restitutionOfDampingRatio } from './physicalGains.ts'

import * as is from '../../../dynamics/math/arguments.ts'
import { ByApproach } from './byApproach.ts'
import { ByFeature, type FeatureFactors } from './byFeature.ts'
import { BySlip } from './bySlip.ts'
import type { LocalLaw } from './localLaw.ts'

export type { LocalLaw } from './localLaw.ts'

/** Parameters of the local laws by name: meaning, unit, least value and default. */
export const localLaws = {
  'by-feature': {
    cornerFriction: ['factor of friction where one point touches', '', 0, 1],
    cornerRestitution: ['factor of restitution there', '', 0, 1],
    edgeFriction: ['factor of friction where two points touch', '', 0, 1],
    edgeRestitution: ['factor of restitution there', '', 0, 1],
    faceFriction: ['factor of friction where more points touch', '', 0, 1],
    faceRestitution: ['factor of restitution there', '', 0, 1],
  },
  'by-slip': {
    rise: ['friction is multiplied by 1 + rise speed/(speed + slip)', '', -1, 0],
    speed: ['of slip', 'm/s', 1e-6, 0.1],
  },
  'by-approach': {
    fall: ['restitution is multiplied by 1 - fall v/(v + speed), v the speed of approach', '', -10, 0],
    slip: ['friction is multiplied by 1 - slip v/(v + speed)', '', -10, 0],
    speed: ['of approach', 'm/s', 1e-6, 0.5],
  },
} as const satisfies Record<string, Record<string, readonly [string, string, number, number]>>

/** A local law by its name, with values for its parameters; those that are left out have their defaults. */
export type LocalLawChoice = { readonly law: keyof typeof localLaws } & Readonly<Record<string, number | string>>

/** Whether a law changes anything: one whose factors are 1 and whose slopes are 0 does not. @unchecked */
export const isEffective = ({ law, ...stated }: LocalLawChoice): boolean =>
  Object.entries(localLaws[law]).some(
    ([name, [, unit, , otherwise]]) => unit === '' && Number(stated[name] ?? otherwise) !== otherwise,
  )

/** @unchecked @throws RangeError for an unknown law or parameter, or a value below its least */
export function createLocalLaw({ law, ...stated }: LocalLawChoice): LocalLaw {
  is.check(law, is.oneOf(...Object.keys(localLaws)), 'law of contacts')
  const known: Record<string, readonly [string, string, number, number]> = localLaws[law]
  const values: Record<string, number> = {}
  for (const [name, [, , , otherwise]] of Object.entries(known)) values[name] = Number(stated[name] ?? otherwise)
  for (const name of Object.keys(stated)) is.check(name, is.oneOf(...Object.keys(known)), `parameter of ${law}`)
  for (const [name, [, unit, least]] of Object.entries(known)) is.check(values[name], is.number(least, unit), `${law}: ${name}`)
  if (law === 'by-feature') return new ByFeature(values as unknown as FeatureFactors)
  if (law === 'by-slip') return new BySlip(values as { rise: number; speed: number })
  return new ByApproach(values as { fall: number; slip: number; speed: number })
}

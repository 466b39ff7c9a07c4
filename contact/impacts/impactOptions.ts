import type { ShownParameter } from '../contactModel.ts'
import type { OptionReader } from '../options.ts'
import type { ImpactHypothesis } from './impactLaw.ts'

export type ImpactChoice = ImpactHypothesis | 'none'

export interface ImpactOptions {
  /** 'none': the springs meet impacts. */
  readonly impacts: ImpactChoice
  /** Approach speed below which an impact has no restitution [m/s]. */
  readonly restitutionThreshold: number
}

export const noImpacts: ImpactOptions = { impacts: 'none', restitutionThreshold: 0 }

const choices: readonly ImpactChoice[] = ['stronge', 'newton', 'poisson', 'none']

/** Options of force-level models: impacts, restitutionThreshold. */
export function readImpactOptions(options: OptionReader, byDefault: ImpactChoice = 'stronge'): ImpactOptions {
  const impacts = options.choice('impacts', byDefault, choices)
  return { impacts, restitutionThreshold: impacts === 'none' ? 0 : options.number('restitutionThreshold', 0.01, 0, Infinity) }
}

/** What `parameters.used` says of impacts. */
export function shownImpacts({ impacts, restitutionThreshold }: ImpactOptions): ShownParameter[] {
  const choice: ShownParameter = {
    name: 'impacts',
    value: impacts,
    unit: '',
    meaning:
      impacts === 'none'
        ? 'springs and dampers meet impacts'
        : 'hypothesis of restitution of impulses at the centroid of what begins to touch',
  }
  if (impacts === 'none') return [choice]
  const meaning = 'approach speed below which an impact has no restitution'
  return [choice, { name: 'restitutionThreshold', value: restitutionThreshold, unit: 'm/s', meaning }]
}

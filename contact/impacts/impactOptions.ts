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

export type Impulses = 'simultaneous' | 'sequential'

/** Of rigid models. */
export interface RigidImpactOptions {
  /** All impacts of a moment at once, or one pair after another. */
  readonly impulses: Impulses
  readonly impacts: ImpactHypothesis
  /** Approach speed up to which nothing bounces [m/s]. */
  readonly restitutionThreshold: number
}

/** Options of rigid models: impulses, impacts, restitutionThreshold. */
export function readRigidImpacts(options: OptionReader): RigidImpactOptions {
  const impulses = options.choice<Impulses>('impulses', 'simultaneous', ['simultaneous', 'sequential'])
  const impacts =
    impulses === 'sequential'
      ? options.choice<ImpactHypothesis>('impacts', 'stronge', ['stronge', 'poisson', 'newton'])
      : options.choice<ImpactHypothesis>('impacts', 'poisson', ['poisson', 'newton'])
  return { impulses, impacts, restitutionThreshold: options.number('restitutionThreshold', 0.01, 0, 10) }
}

/** What `parameters.used` says of them. */
export function shownRigidImpacts({ impulses, impacts, restitutionThreshold }: RigidImpactOptions): ShownParameter[] {
  return [
    {
      name: 'impulses',
      value: impulses,
      unit: '',
      meaning:
        impulses === 'simultaneous'
          ? 'all impacts at once, one problem'
          : 'impacts one after another, the first and fastest first',
    },
    { name: 'impacts', value: impacts, unit: '', meaning: 'hypothesis of restitution' },
    {
      name: 'restitutionThreshold',
      value: restitutionThreshold,
      unit: 'm/s',
      meaning: 'approach speed up to which nothing bounces',
    },
  ]
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

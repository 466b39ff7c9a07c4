import type { ReportedParameter } from '../contactModel.ts'
import { options as rows } from '../modelOptions.ts'
import { type OptionReader, shown } from '../options.ts'
import type { ImpactHypothesis } from './impactLaw.ts'

export type ImpactChoice = ImpactHypothesis | 'none'

export interface ImpactOptions {
  /** 'none': springs alone resolve impacts. */
  readonly impacts: ImpactChoice
  /** Approach speed below which restitution is 0 [m/s]. */
  readonly restitutionThreshold: number
}

export const noImpacts: ImpactOptions = { impacts: 'none', restitutionThreshold: 0 }

/** Options of force-level models: impacts, restitutionThreshold. @unchecked */
export function readImpactOptions(options: OptionReader): ImpactOptions {
  const impacts = options.read(rows.springs.impacts)
  return { impacts, restitutionThreshold: impacts === 'none' ? 0 : options.read(rows.springs.restitutionThreshold) }
}

export type Impulses = 'simultaneous' | 'sequential'

/** Impact options of rigid models. */
export interface RigidImpactOptions {
  /** Simultaneous impacts, or one pair after another. */
  readonly impulses: Impulses
  readonly impacts: ImpactHypothesis
  /** Approach speed up to which restitution is 0 [m/s]. */
  readonly restitutionThreshold: number
}

/** Options of rigid models: impulses, impacts, restitutionThreshold. @unchecked */
export function readRigidImpacts(options: OptionReader): RigidImpactOptions {
  const { rigidImpacts } = rows
  const impulses = options.read(rigidImpacts.impulses)
  const impacts = options.read(
    rigidImpacts.impacts,
    impulses === 'sequential'
      ? { default: 'stronge', choices: ['stronge', 'poisson', 'newton'] }
      : { choices: ['poisson', 'newton'] },
  )
  return { impulses, impacts, restitutionThreshold: options.read(rigidImpacts.restitutionThreshold) }
}

/** Entries of `parameters.used` for rigid impacts. @unchecked */
export function shownRigidImpacts({ impulses, impacts, restitutionThreshold }: RigidImpactOptions): ReportedParameter[] {
  const { rigidImpacts } = rows
  const oneAfterAnother = 'impacts one after another, the first and fastest first'
  return [
    shown(rigidImpacts.impulses, impulses, impulses === 'sequential' ? oneAfterAnother : undefined),
    shown(rigidImpacts.impacts, impacts),
    shown(rigidImpacts.restitutionThreshold, restitutionThreshold),
  ]
}

/** Entries of `parameters.used` for impacts. @unchecked */
export function shownImpacts({ impacts, restitutionThreshold }: ImpactOptions): ReportedParameter[] {
  const { springs } = rows
  if (impacts === 'none') return [shown(springs.impacts, impacts, 'springs and dampers meet impacts')]
  return [shown(springs.impacts, impacts), shown(springs.restitutionThreshold, restitutionThreshold)]
}

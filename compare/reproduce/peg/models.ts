import { type ContactModelOptions, type CreateContactModel, contactModels, onFeatures } from '../../../contact/index.ts'

/** The models of figures 11 and 12, in the order of table 1; PEG by our exact rule, and as the paper has it beside it. */
export type ModelId = 'pm' | 'st' | 'ap' | 'lnc' | 'peg' | 'literal'

export interface PaperModel {
  readonly id: ModelId
  /** As the paper abbreviates it. */
  readonly short: string
  readonly title: string
  readonly contactModel: CreateContactModel
  readonly contactOptions: ContactModelOptions
}

/** So that what is exact in closed form comes out as exact: softness that settles loads, relative to the mass that is held. */
const compliance = 1e-10
/** Twice the widest gap between corners that are to meet: these are held, and what is farther is not [m]. */
const activeDistance = 0.2
/** Overlap that a step may end with [m]. */
const gapTolerance = 1e-9

/** Looks at the end of a step, where they are asked for. */
const mostPasses = 200

export const models: Readonly<Record<ModelId, PaperModel>> = {
  pm: {
    id: 'pm',
    short: 'PM',
    title: 'Penalty method',
    contactModel: contactModels['penalty-deepest'],
    contactOptions: { gains: 'paper', impacts: 'none' },
  },
  st: {
    id: 'st',
    short: 'ST',
    title: 'Stewart-Trinkle',
    contactModel: onFeatures(contactModels['stewart-trinkle']),
    contactOptions: { compliance },
  },
  ap: {
    id: 'ap',
    short: 'AP',
    title: 'Anitescu-Potra',
    contactModel: onFeatures(contactModels['anitescu-potra']),
    contactOptions: { activeDistance, compliance },
  },
  lnc: { id: 'lnc', short: 'LNC', title: 'Locally non-convex', contactModel: contactModels.lnc, contactOptions: { compliance } },
  peg: {
    id: 'peg',
    short: 'PEG',
    title: 'Polygonally exact geometry',
    contactModel: contactModels.peg,
    contactOptions: { compliance, gapTolerance },
  },
  literal: {
    id: 'literal',
    short: 'PEG, literal',
    title: 'The paper’s constraints, to first order',
    contactModel: contactModels.peg,
    contactOptions: { rule: 'literal', passes: 0, compliance, gapTolerance },
  },
}

export const modelIds = Object.keys(models) as ModelId[]
/** Of the columns of table 1. */
export const columns = ['pm', 'st', 'ap', 'lnc', 'peg'] as const satisfies readonly ModelId[]

/** PEG with the geometry of the start of the step alone, as the paper has it, or with that of the end read anew until true gaps hold. */
export const withPasses = (id: 'peg' | 'literal', passes: 'none' | 'until it holds'): PaperModel => ({
  ...models[id],
  contactOptions: { ...models[id].contactOptions, passes: passes === 'none' ? 0 : mostPasses },
})

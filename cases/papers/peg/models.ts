import {
  type ConstraintRule,
  type ContactModelOptions,
  type CreateContactModel,
  contactModels,
  createConstrainedModel,
  defaultEpsilon,
  exactRule,
  inPlane,
  literalRule,
  literalRuleInPlane,
  readFeatures,
  unilateralRule,
  vertexRule,
} from '../../../contact/index.ts'

/** The models of figures 11 and 12, in the order of table 1; PEG by our exact rule, and as the paper has it beside it. */
export type ModelId = 'pm' | 'st' | 'ap' | 'lnc' | 'peg' | 'literal'

export interface PaperModel {
  readonly id: ModelId
  /** As the paper abbreviates it. */
  readonly short: string
  readonly title: string
  /** For polyhedra, and for prisms that stand for polygons. */
  readonly inSpace: CreateContactModel
  readonly inPlane: CreateContactModel
  readonly contactOptions: ContactModelOptions
}

/** So that exact closed forms come out as exact: softness that settles loads, relative to the mass that is held. */
const compliance = 1e-10
/** Twice the widest gap between corners that are to touch: these are held, farther ones are not [m]. */
const activeDistance = 0.2
/** Overlap that a step may end with [m]. */
const gapTolerance = 1e-9

/** Evaluations of the end of a step, where there are any. */
const mostPasses = 200

/** A contact model on pairs of features, in place of its own narrow phase: one without constraints takes every contact that is there. */
export const onFeatures =
  (create: CreateContactModel, rule: ConstraintRule = unilateralRule): CreateContactModel =>
  (context, options) => ({
    ...create(context, options),
    reading: 'features',
    features: readFeatures({ rule, epsilon: defaultEpsilon }),
  })

/** `peg` with the paper's constraints in place of ours, and to first order as it stands there. */
export const literalPeg: CreateContactModel = (context, options) =>
  createConstrainedModel(context, options, {
    name: 'peg',
    rule: literalRule,
    recovers: 'constraints',
    followsPath: false,
    passes: 0,
    touches: false,
  })

const on = (create: CreateContactModel, rule: ConstraintRule, ruleInPlane = inPlane(rule)) => ({
  inSpace: onFeatures(create, rule),
  inPlane: onFeatures(create, ruleInPlane),
})

export const models: Readonly<Record<ModelId, PaperModel>> = {
  pm: {
    id: 'pm',
    short: 'PM',
    title: 'Penalty method',
    inSpace: contactModels['penalty-deepest'],
    inPlane: contactModels['penalty-deepest'],
    contactOptions: { gains: 'paper', impacts: 'none' },
  },
  st: {
    id: 'st',
    short: 'ST',
    title: 'Stewart-Trinkle',
    ...on(contactModels['stewart-trinkle'], unilateralRule),
    contactOptions: { compliance },
  },
  ap: {
    id: 'ap',
    short: 'AP',
    title: 'Anitescu-Potra',
    ...on(contactModels['anitescu-potra'], unilateralRule),
    contactOptions: { activeDistance, compliance },
  },
  lnc: {
    id: 'lnc',
    short: 'LNC',
    title: 'Locally non-convex',
    ...on(contactModels.lnc, vertexRule),
    contactOptions: { compliance },
  },
  peg: {
    id: 'peg',
    short: 'PEG',
    title: 'Polygonally exact geometry',
    ...on(contactModels.peg, exactRule),
    contactOptions: { compliance, gapTolerance },
  },
  literal: {
    id: 'literal',
    short: 'PEG, literal',
    title: 'The paper’s constraints, to first order',
    ...on(literalPeg, literalRule, literalRuleInPlane),
    contactOptions: { passes: 0, compliance, gapTolerance },
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

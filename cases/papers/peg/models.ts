import {
  type ConstraintRule,
  type ContactModelOptions,
  type CreateContactModel,
  contactModels,
  defaultEpsilon,
  exactRule,
  inPlane,
  literalRuleAsPrinted,
  readFeatures,
  unilateralRule,
  vertexRule,
} from '../../../contact/index.ts'

/** The models of figures 11 and 12, in the order of table 1: PEG by the paper's constraints is `literal`; ours, `peg`, stands beside it. */
export type ModelId = 'pm' | 'st' | 'ap' | 'lnc' | 'literal' | 'peg'

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

/** A contact model on pairs of features, in place of its own narrow phase: one without constraints takes every contact that is there. */
export const onFeatures =
  (create: CreateContactModel, rule: ConstraintRule = unilateralRule): CreateContactModel =>
  (context, options) => ({
    ...create(context, options),
    reading: 'features',
    features: readFeatures({ rule, epsilon: defaultEpsilon }),
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
  literal: {
    id: 'literal',
    short: 'PEG',
    title: 'Polygonally exact geometry, by the paper’s constraints',
    inSpace: contactModels.peg,
    inPlane: (context, options) => contactModels.peg(context, { ...options, constraints: 'literal-planar' }),
    contactOptions: { constraints: 'literal' },
  },
  peg: {
    id: 'peg',
    short: 'peg, ours',
    title: 'Our constraints, evaluated at the end of the step',
    ...on(contactModels.peg, exactRule),
    contactOptions: { compliance, gapTolerance },
  },
}

/** The paper's constraints with equations 22 and 23 as printed: all faces at a corner may push. */
export const printed: PaperModel = {
  ...models.literal,
  title: 'The paper’s constraints, equations 22 and 23 as printed',
  ...on((context, options) => contactModels.peg(context, options), literalRuleAsPrinted),
}

export const modelIds = Object.keys(models) as ModelId[]

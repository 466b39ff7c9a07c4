import type { CreateContactModel } from '../contactModel.ts'
import type { LncOptions } from '../modelOptions.ts'
import { createConstrainedModel } from './constrainedModel.ts'
import { vertexRule } from './features/constraintRules.ts'

/**
 * Locally non-convex contact: each vertex near several faces of a convex body must stay in front of one of them, independently of other
 * vertices. Nguyen, Locally non-convex contact models and solution methods for accurate physical simulation in robotics, Rensselaer
 * Polytechnic Institute (2011), as Williams, Lu and Trinkle (2014) compare it. It has no pairs of edges, and two corners may pass through
 * each other while each vertex is in front of some face, which `peg` excludes. @unchecked
 */
export const lnc: CreateContactModel<LncOptions> = (context, options) =>
  createConstrainedModel(context, options, 'lnc', () => ({
    rule: vertexRule,
    recovers: 'constraints',
    followsPath: false,
    touches: false,
  }))

import type { CreateContactModel } from '../contactModel.ts'
import type { PegOptions } from '../modelOptions.ts'
import { createConstrainedModel } from './constrainedModel.ts'
import { exactRule } from './features/constraintRules.ts'

/**
 * Polygonally exact geometry: rigid contact as `stewartTrinkle`, but between bodies, not between planes of their faces. Constraints over
 * feature contacts (`ContactConstraints`) are disjunctions of the planes around a corner; a plane that a corner has passed has zero
 * impulse. Williams, Lu and Trinkle, A complementarity based contact model for geometrically accurate treatment of polytopes in simulation,
 * DETC2014-35231 (2014), extended to generalised velocities and friction.
 *
 * Of several solutions the velocity nearest to the free one in the metric of M is used (`DisjunctSearch`). The paper's guarantee is one of
 * gaps to first order; here the geometry is evaluated at the end of the step, and the step solved again from its start, until the true gaps
 * hold (`EndOfStep`).
 */
export const peg: CreateContactModel<PegOptions> = (context, options) =>
  createConstrainedModel(context, options, {
    name: 'peg',
    rule: exactRule,
    recovers: 'pairs',
    followsPath: true,
    passes: 200,
    touches: true,
  })

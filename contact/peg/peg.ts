import { JointType } from '../../dynamics/index.ts'
import type { CreateContactModel } from '../contactModel.ts'
import { type PegOptions, options as rows } from '../modelOptions.ts'
import { shown } from '../options.ts'
import { type ConstraintLaw, createConstrainedModel } from './constrainedModel.ts'
import { exactRule } from './features/constraintRules.ts'
import { literalRule, literalRuleInPlane } from './features/literalConstraints.ts'

/**
 * Polygonally exact geometry: rigid contact as `stewartTrinkle`, but between bodies, not between planes of their faces. Constraints over
 * feature contacts (`ContactConstraints`) are disjunctions of the planes around a corner; a plane that a corner has passed has zero
 * impulse. Williams, Lu and Trinkle, A complementarity based contact model for geometrically accurate treatment of polytopes in simulation,
 * DETC2014-35231 (2014), extended to generalised velocities and friction. @unchecked
 *
 * Of several solutions the velocity nearest to the free one in the metric of M is used (`DisjunctSearch`). The paper's guarantee is one of
 * gaps to first order; here the geometry is evaluated at the end of the step, and the step solved again from its start, until the true gaps
 * hold (`EndOfStep`).
 *
 * `constraints: literal` is the paper's own model: its constraints (`literalRule`), gaps to first order from the start of the step, no
 * conditions on the way; `literal-planar` of polygons. A step without a solution is a fallback. Contacts are rigid to 1e-12: a cross constraint has no impulse, and
 * would be violated by as much as softer contacts beside it give way.
 *
 * @throws RangeError for `literal-planar` and a joint that is not planar
 */
export const peg: CreateContactModel<PegOptions> = (context, options) =>
  createConstrainedModel(context, options, 'peg', (reader) => {
    const constraints = reader.read(rows.passes.constraints)
    const { jointType, nb } = context.model
    if (
      constraints === 'literal-planar' &&
      jointType.slice(1, nb).some((type) => type !== JointType.planar && type !== JointType.fixed)
    )
      throw new RangeError('contact model "peg": constraints "literal-planar" needs bodies on planar joints alone; use "literal"')
    return { ...laws[constraints], used: [shown(rows.passes.constraints, constraints)] }
  })

const rigid = { recovers: 'constraints', takesAny: true, compliance: 1e-12 } as const
const first = { ...rigid, followsPath: false, passes: 0, touches: false } as const
const laws = {
  exact: { rule: exactRule, recovers: 'pairs', followsPath: true, passes: 200, touches: true },
  literal: { ...first, rule: literalRule },
  'literal-planar': { ...first, rule: literalRuleInPlane },
} as const satisfies Record<string, ConstraintLaw>

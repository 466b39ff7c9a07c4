import type { CreateContactModel } from '../contactModel.ts'
import { readPyramid } from '../models/velocityLevel/frictionOptions.ts'
import { OptionReader } from '../options.ts'
import { createConstrainedModel } from './constrainedModel.ts'
import { readFeatureOptions } from './featureOption.ts'
import type { ConstraintRule } from './featureReading.ts'

/**
 * Polygonally exact geometry: rigid contact as `stewartTrinkle`, but what stays apart are bodies and not the planes of their faces.
 * Constraints over feature contacts (`ContactConstraints`) say which of the planes around a corner has to hold; one that a corner has
 * found its way round carries nothing. Williams, Lu and Trinkle, A complementarity based contact model for geometrically accurate
 * treatment of polytopes in simulation, DETC2014-35231 (2014), carried to generalised velocities and friction.
 *
 * Of several answers the velocity nearest to the free one in the metric of M is taken (`MemberSearch`). The paper's guarantee is one of gaps
 * to first order; here the geometry is read anew where the step would end, and the step solved again from its start, until the true
 * gaps hold (`EndOfStep`).
 *
 * Options: rule ('exact', one constraint a pair over all ways in which it can be apart; 'literal', the paper's), passes (looks at the end
 * of a step, 0 for the paper's first order), gapTolerance [m], nodes, shapeSides, roundOnPlanes, epsilon, and those of
 * `stewartTrinkle`.
 */
export const peg: CreateContactModel = (context, given) => {
  const name = 'peg'
  const reader = new OptionReader(name, given)
  const rule = reader.choice<ConstraintRule>('rule', 'exact', ['exact', 'literal'])
  const passes = reader.integer('passes', rule === 'exact' ? 200 : 0, 0, 10_000)
  const gapTolerance = reader.number('gapTolerance', 1e-5, 1e-12, 1)
  const nodes = reader.integer('nodes', 200, 1, 1e6)
  const { features, used } = readFeatureOptions(reader, rule)
  const method = readPyramid(reader)
  const law = {
    name,
    ...method,
    turns: true,
    activeDistance: undefined,
    drift: 'baumgarte',
    compliance: 5e-6,
    softensCrowds: false,
    used: [
      { name: 'rule', value: rule, unit: '', meaning: 'one constraint a pair of bodies, or the paper’s several' },
      { name: 'passes', value: passes, unit: '1', meaning: 'times that the end of a step is looked at for overlap' },
      { name: 'gapTolerance', value: gapTolerance, unit: 'm', meaning: 'overlap that a step may end with' },
      ...used,
      ...method.used,
    ],
  } as const
  return createConstrainedModel(context, reader, law, {
    features,
    nodes,
    followsPath: rule === 'exact',
    passes,
    tolerances: { gap: gapTolerance, surface: gapTolerance, touch: rule === 'exact' },
  })
}

import type { CreateContactModel } from '../contactModel.ts'
import { readPyramid } from '../models/velocityLevel/frictionOptions.ts'
import { OptionReader } from '../options.ts'
import { createConstrainedModel } from './constrainedModel.ts'
import { readFeatureOptions } from './featureOption.ts'

/**
 * Locally non-convex contact: a vertex near several faces of a convex body has to stay in front of one of them, and each vertex chooses for
 * itself. Nguyen, Locally non-convex contact models and solution methods for accurate physical simulation in robotics, Rensselaer
 * Polytechnic Institute (2011), as Williams, Lu and Trinkle (2014) compare it. It knows no pairs of edges, and two corners may
 * pass through each other while each of the two vertices has a face that it is in front of: the trap that `peg` closes.
 *
 * Options: nodes, shapeSides, roundOnPlanes, epsilon, and those of `stewartTrinkle`.
 */
export const lnc: CreateContactModel = (context, given) => {
  const name = 'lnc'
  const reader = new OptionReader(name, given)
  const nodes = reader.integer('nodes', 200, 1, 1e6)
  const { features, used } = readFeatureOptions(reader, 'lnc')
  const method = readPyramid(reader)
  const law = {
    name,
    ...method,
    turns: true,
    activeDistance: undefined,
    drift: 'baumgarte',
    compliance: 5e-6,
    softensCrowds: false,
    used: [...used, ...method.used],
  } as const
  const tolerances = { gap: 0, surface: 0, touch: false }
  return createConstrainedModel(context, reader, law, { features, nodes, followsPath: false, passes: 0, tolerances })
}

import type { CreateContactModel } from '../contactModel.ts'
import { readFeatures } from './featureNarrowphase.ts'
import { defaultFeatureReading } from './featureReading.ts'

/**
 * Another contact model on pairs of features in place of manifolds: each that is open at the start has to stay so. The models that
 * `peg` is compared with are taken so, and fall into the traps that it closes.
 */
export const onFeatures =
  (create: CreateContactModel): CreateContactModel =>
  (context, options) => ({
    ...create(context, options),
    reading: 'features',
    features: readFeatures({ ...defaultFeatureReading, rule: 'unilateral', sides: 32 }),
  })

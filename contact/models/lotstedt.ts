import type { CreateContactModel } from '../contactModel.ts'
import { createAccelerationLevelModel } from './lcp/accelerationModel.ts'

/**
 * `lcp` with the law of friction that Lötstedt modified so that forces always exist and are unique: friction is bounded by mu times the
 * normal force of the step before, along each of two tangents, the first along the slip. See `ForceConditions`. The price: friction lags
 * behind the load by a step, and across the slip at 45 degrees a box lets it have up to √2 of what the cone does.
 */
export const lotstedt: CreateContactModel = (context, given) => createAccelerationLevelModel(context, given, 'lotstedt', 'lagged')

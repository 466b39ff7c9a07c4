import type { CreateContactModel } from '../contactModel.ts'
import type { LcpOptions } from '../modelOptions.ts'
import { createAccelerationLevelModel } from './lcp/accelerationModel.ts'

/**
 * `lcp` with the law of friction that Lötstedt modified so that forces always exist and are unique: friction is against the slip at the end
 * of the step and bounded by mu times the normal force of the step before, a strictly convex minimum. See `ForceConditions`. Its cost:
 * friction lags the load by a step.
 */
export const lotstedt: CreateContactModel<LcpOptions> = (context, given) =>
  createAccelerationLevelModel(context, given, 'lotstedt', 'lagged')

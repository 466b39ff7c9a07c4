/** Limits of the laws of mechanics and contact that a scenario may state; measure/laws.ts defines the laws. */

/** In the order in which a run is judged by them. */
export const lawNames = [
  'energyGain',
  'signorini',
  'dissipation',
  'cone',
  'restitution',
  'loopOpening',
  'jointLimits',
  'jointFriction',
  'linearMomentum',
  'angularMomentum',
  'offSurface',
  'tunnelling',
  'penetration',
  'inputs',
  'solver',
] as const
export type LawName = (typeof lawNames)[number]

/**
 * The limit of penetration of a scenario that states none, over the depth to which its weight may press: a load that is laid on a spring
 * at once goes twice as deep as the same load at rest.
 */
const LIMIT_OVER_ALLOWED = 2

/** @param allowed depth to which the weight may press one pair [m] */
export const penetrationLimit = (allowed = 1e-3): number => LIMIT_OVER_ALLOWED * allowed

/** Limits as a scenario states them. */
export interface LawLimits {
  /** Largest penetration [m]. */
  readonly penetration: number
  /** Override the default limits of `lawDefinitions`. */
  readonly laws?: Readonly<Partial<Record<LawName, number>>>
}

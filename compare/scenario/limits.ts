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

/** The limit of penetration of a scenario that states none [m]. */
export const defaultPenetrationLimit = 1e-3

/** Limits as a scenario states them. */
export interface LawLimits {
  /** Largest penetration [m]. */
  readonly penetration: number
  /** Override the default limits of `lawDefinitions`. */
  readonly laws?: Readonly<Partial<Record<LawName, number>>>
}

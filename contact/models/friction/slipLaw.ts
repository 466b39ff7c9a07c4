import type { ContactSet } from '../../contactSet.ts'

/**
 * out[i] = the dry part of contact i's coefficient of friction while it slides at speed[i],
 * mu + (muStatic - mu) exp(-(speed / stribeck)²); the whole of it is `frictionAtSpeed`, with viscous · speed besides. Where
 * static friction is that of sliding, as it is unless a surface says otherwise, this is mu itself to the bit.
 *
 * @param speed per contact [m/s]
 */
export function slidingFriction(out: Float64Array, { mu, muStatic, stribeck }: ContactSet, i: number, speed: Float64Array): void {
  const excess = muStatic[i] - mu[i]
  out[i] = mu[i]
  if (!(excess > 0)) return
  if (stribeck[i] > 0) {
    const x = speed[i] / stribeck[i]
    out[i] += excess * Math.exp(-x * x)
  } else if (!(speed[i] > 0)) out[i] += excess
}

/** Whether contact i has any friction. */
export function hasFriction({ muStatic, viscous }: ContactSet, i: number): boolean {
  return muStatic[i] > 0 || viscous[i] > 0
}

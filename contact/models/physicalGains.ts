import type { ContactModelContext, PhysicalInputs } from '../contactModel.ts'

/** What holds where nothing else is said: the weight may press 1 mm deep, dry friction 0.8, no bounce. */
export const defaultPhysicalInputs: PhysicalInputs = { allowedPenetration: 1e-3, friction: 0.8, restitution: 0 }

/** Where there is no gravity, stiffness still needs a weight to be derived from [m/s²]. */
const STANDARD_GRAVITY = 9.80665

/** Normal stiffness of one pair of shapes [N/m]: as given, or the robot's weight over the allowed penetration. */
export function staticStiffness({ physical, mass, gravity }: ContactModelContext): number {
  return physical.stiffness ?? (mass * (gravity > 0 ? gravity : STANDARD_GRAVITY)) / physical.allowedPenetration
}

/**
 * Rebound speed over approach speed of a mass on a linear spring and damper that push but never pull, without gravity,
 * for damping ratio zeta: the contact ends when the force reaches zero, before the spring is at its rest length.
 *
 *   e = exp(-zeta / s (pi - atan2(2 zeta s, 1 - 2 zeta²))), s = sqrt(1 - zeta²), for zeta < 1;
 *   e = exp(-2) at 1; above, with s = sqrt(zeta² - 1), e = exp(-zeta / s ln((zeta + s) / (zeta - s))).
 *
 * From x'' + 2 zeta x' + x = 0, x(0) = 0, x'(0) = -1, left when 2 zeta x' + x = 0 for the first time.
 */
export function restitutionOfDampingRatio(zeta: number): number {
  if (Math.abs(zeta - 1) < 1e-9) return Math.exp(-2)
  if (zeta < 1) {
    const s = Math.sqrt(1 - zeta * zeta)
    return Math.exp((-zeta / s) * (Math.PI - Math.atan2(2 * zeta * s, 1 - 2 * zeta * zeta)))
  }
  const s = Math.sqrt(zeta * zeta - 1)
  return Math.exp((-zeta / s) * Math.log((zeta + s) * (zeta + s)))
}

/**
 * The damping ratio that gives a restitution, by bisection on the closed form. Restitution 0 means "does not bounce
 * visibly" and gets critical damping (whose own rebound is exp(-2) = 0.135 of the approach); others get the exact ratio,
 * from 0 for an elastic contact up to 50.
 */
export function dampingRatioOfRestitution(restitution: number): number {
  if (restitution <= 0) return 1
  if (restitution >= 1) return 0
  let low = 0
  let high = 50
  for (let k = 0; k < 60; k++) {
    const middle = 0.5 * (low + high)
    if (restitutionOfDampingRatio(middle) > restitution) low = middle
    else high = middle
  }
  return 0.5 * (low + high)
}

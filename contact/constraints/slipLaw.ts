import type { ContactSet } from '../contactSet.ts'
import { frictionAtSpeed } from '../detection/index.ts'

/**
 * out[i] = coefficient of dry friction of contact i sliding at speed[i], mu + (muStatic - mu) exp(-(speed / stribeck)²); `frictionAtSpeed`
 * adds viscous · speed. With muStatic = mu, the default, this is mu to the bit.
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

/** Slip speed below which a contact that bore no load in the last step counts as sticking [m/s]. */
const AT_REST = 1e-4

/** How a contact with friction ended the last step: without a load, or new; sticking; or slipping. */
export const lastSlip = { unknown: 0, stuck: 1, slid: 2 } as const

/**
 * out[i] = the coefficient of contact i over a step that starts with slip u: static friction if it stuck in the last step, else
 * `frictionAtSpeed`. So static friction is let go a step after its limit, at any slip speed. The coefficient is constant over the step, so that
 * friction stays a cone that opposes the slip, and dissipates at any step size, even if it falls with speed.
 *
 * @param u    3 a contact: along its normal and tangents [m/s]
 * @param last per contact: one of `lastSlip`
 */
export function frictionOverStep(out: Float64Array, contacts: ContactSet, i: number, u: Float64Array, last: Int8Array): void {
  const { mu, muStatic, viscous, stribeck } = contacts
  out[i] = mu[i]
  if (muStatic[i] === mu[i] && viscous[i] === 0) return
  const slip = slipSpeed(contacts, u[3 * i + 1], u[3 * i + 2], i)
  if (last[i] === lastSlip.stuck) out[i] = muStatic[i]
  else if (last[i] === lastSlip.slid) out[i] = frictionAtSpeed(mu[i], muStatic[i], viscous[i], stribeck[i], slip)
  else out[i] = frictionAt(contacts, i, slip)
}

/** Slip speed of contact i [m/s] from the products u1, u2 of slip and tangents. */
export function slipSpeed({ inverse2 }: ContactSet, u1: number, u2: number, i: number): number {
  return Math.sqrt(u1 * u1 + u2 * u2 * inverse2[i])
}

/** Static friction at zero `slip`, else `frictionAtSpeed`. */
export function frictionAt({ mu, muStatic, viscous, stribeck }: ContactSet, i: number, slip: number): number {
  return slip > AT_REST ? frictionAtSpeed(mu[i], muStatic[i], viscous[i], stribeck[i], slip) : muStatic[i]
}

/** Whether contact i has any friction. */
export function hasFriction({ muStatic, viscous }: ContactSet, i: number): boolean {
  return muStatic[i] > 0 || viscous[i] > 0
}

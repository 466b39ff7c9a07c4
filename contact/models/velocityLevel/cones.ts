import type { CreateContactModel } from '../../contactModel.ts'
import { OptionReader } from '../../options.ts'
import { readCone } from './frictionOptions.ts'
import { createVelocityLevelModel } from './velocityLevel.ts'

/**
 * The convex relaxation of contact with friction: with K the cone |p_t| <= mu p_n and K* its dual,
 *
 *   K ∋ p ⟂ J v⁺ + [psi/h; 0; 0] ∈ K*,        that is      psi/h + J_n v⁺ >= mu |J_t v⁺|,
 *
 * the conditions of a strictly convex minimum, so that there is one v⁺ and descent finds it. Anitescu, Optimization-based simulation of
 * nonsmooth rigid multibody dynamics, Math. Program. 105 (2006), with the cone smooth in place of its pyramid (Tasora and
 * Anitescu 2011). MuJoCo's and Drake's laws are of its kind, with softness.
 *
 * The price: what slides steadily at speed s floats at a gap of h mu s; and what touches when its slip begins, let go at s, struck or landed, is
 * thrown: the velocity (0, s) is projected on K*, which gives the normal mu s / (1 + mu²) whatever h is, and a height of
 * (mu s / (1 + mu²))² / 2g, 303 mm at 5 m/s and mu 0.8. So smaller steps converge to a motion that hops. In wedges it creeps.
 *
 * Options: solver, and those of `createVelocityLevelModel`.
 */
export const convex: CreateContactModel = (context, given) => {
  const name = 'convex'
  const reader = new OptionReader(name, given)
  const method = readCone(reader, 'associated')
  return createVelocityLevelModel(context, reader, {
    name,
    ...method,
    turns: false,
    activeDistance: undefined,
    drift: 'baumgarte',
    compliance: 5e-6,
  })
}

/**
 * Signorini's and Coulomb's laws as they are, on the exact cone, at the level of velocities: `stewartTrinkle` without the pyramid,
 *
 *   0 <= psi/h + J_n v⁺ ⟂ p_n >= 0,   |p_t| <= mu p_n,   J_t v⁺ = -s p_t with s >= 0, s = 0 inside the cone.
 *
 * A nonlinear complementarity problem; it need have no more than one answer only where friction is moderate. Jean, The non-smooth contact
 * dynamics method, Comput. Methods Appl. Mech. Eng. 177 (1999).
 *
 * Options: solver, and those of `createVelocityLevelModel`.
 */
export const ncp: CreateContactModel = (context, given) => {
  const name = 'ncp'
  const reader = new OptionReader(name, given)
  const method = readCone(reader, 'cone')
  return createVelocityLevelModel(context, reader, {
    name,
    ...method,
    turns: false,
    activeDistance: undefined,
    drift: 'baumgarte',
    compliance: 5e-6,
  })
}

import type { CreateContactModel } from '../../contactModel.ts'
import type { ConeOptions, NcpOptions } from '../../modelOptions.ts'
import { OptionReader } from '../../options.ts'
import { readCone } from './frictionOptions.ts'
import { createVelocityLevelModel, type VelocityLevelLaw } from './velocityLevel.ts'

/** Separation speed above which friction has thrown an active contact without restitution, beyond the lift by growing slip [m/s]. */
const THROWN = 0.01

/**
 * The convex relaxation of contact with friction: with K the cone |p_t| <= mu p_n and K* its dual,
 *
 *   K ∋ p ⟂ J v⁺ + [psi/h; 0; 0] ∈ K*,        that is      psi/h + J_n v⁺ >= mu |J_t v⁺|,
 *
 * the conditions of a strictly convex minimum, so that there is one v⁺ and descent finds it. Anitescu, Optimization-based simulation of
 * nonsmooth rigid multibody dynamics, Math. Program. 105 (2006), with the cone smooth in place of its pyramid (Tasora and Anitescu 2011).
 * MuJoCo's and Drake's laws are of its kind, with softness.
 *
 * Its cost: a contact that slides steadily at speed s floats at a gap of h mu s; one that touches when its slip s begins (released, struck
 * or landed) is thrown: the projection of the velocity (0, s) on K* has the normal component mu s / (1 + mu²) for any h, hence a height of
 * (mu s / (1 + mu²))² / 2g, 303 mm at 5 m/s and mu 0.8. So smaller steps converge to a motion that hops. In wedges it creeps.
 *
 * Steps in which contacts are thrown faster than 1 cm/s are counted (`SolverEvents.strained`).
 *
 * Options: solver, and those of `createVelocityLevelModel`.
 */
export const convex: CreateContactModel<ConeOptions> = (context, given) => {
  const name = 'convex'
  const reader = new OptionReader(name, given)
  const method = readCone(reader, 'associated')
  return createVelocityLevelModel(context, reader, {
    name,
    ...method,
    turns: false,
    activeDistance: undefined,
    conclude: thrownCounter(),
  })
}

function thrownCounter(): NonNullable<VelocityLevelLaw['conclude']> {
  let u = new Float64Array(0)
  return ({ contacts, events, state, dt }, { contacts: { rows } }, vNext) => {
    const { count, capacity, impulse, gap, restitution } = contacts
    if (u.length < 3 * capacity) u = new Float64Array(3 * capacity)
    rows.velocity(u, vNext, count)
    for (let i = 0; i < count; i++) {
      const isHeld = impulse[3 * i] > 0 && restitution[i] === 0
      // a penetrating contact is meant to separate
      if (!isHeld || u[3 * i] <= THROWN || gap[i] < -THROWN * dt) continue
      events.strained++
      if (events.firstStrain !== '') return
      events.firstStrain =
        `convex: friction threw a contact up at ${u[3 * i].toPrecision(3)} m/s at t = ${Number(state.t[0].toPrecision(9))} s; under this law what slides at v ` +
        'leaves the ground at up to mu v / (1 + mu²), whatever the step'
      return
    }
  }
}

/**
 * Signorini's and Coulomb's laws on the exact cone, at the level of velocities: `stewartTrinkle` without the pyramid,
 *
 *   0 <= psi/h + J_n v⁺ ⟂ p_n >= 0,   |p_t| <= mu p_n,   J_t v⁺ = -s p_t with s >= 0, s = 0 inside the cone.
 *
 * A nonlinear complementarity problem; its solution is guaranteed to be unique only for moderate friction. Jean, The non-smooth contact
 * dynamics method, Comput. Methods Appl. Mech. Eng. 177 (1999).
 *
 * Options: solver, and those of `createVelocityLevelModel`.
 */
export const ncp: CreateContactModel<NcpOptions> = (context, given) => {
  const name = 'ncp'
  const reader = new OptionReader(name, given)
  const method = readCone(reader, 'cone')
  return createVelocityLevelModel(context, reader, {
    name,
    ...method,
    turns: false,
    activeDistance: undefined,
  })
}

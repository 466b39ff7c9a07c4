import type { CreateContactModel } from '../../contactModel.ts'
import type { StewartTrinkleOptions } from '../../modelOptions.ts'
import { OptionReader } from '../../options.ts'
import { readPyramid } from './frictionOptions.ts'
import { createVelocityLevelModel } from './velocityLevel.ts'

/**
 * Rigid contact with Coulomb friction at the level of velocities and impulses, one linear complementarity problem a step:
 *
 *   0 <= psi/h + J_n v⁺       ⟂ p_n  >= 0
 *   0 <= J_D v⁺ + E sigma      ⟂ beta >= 0
 *   0 <= mu p_n - Eᵀ beta      ⟂ sigma >= 0
 *
 * Stewart and Trinkle, An implicit time-stepping scheme for rigid body dynamics with inelastic collisions and Coulomb friction, Int. J.
 * Numer. Meth. Eng. 39 (1996). A near contact may close its gap, but not more.
 *
 * The cone is a pyramid inscribed in it: `sides` directions, the first along the slip of v_f (a fixed tangent without slip), so that its
 * error, at worst 1 - cos(pi / sides), is least for sliding.
 *
 * Options: sides, solver, and those of `createVelocityLevelModel`.
 */
export const stewartTrinkle: CreateContactModel<StewartTrinkleOptions> = (context, given) => {
  const name = 'stewart-trinkle'
  const reader = new OptionReader(name, given)
  const method = readPyramid(reader)
  return createVelocityLevelModel(context, reader, {
    name,
    ...method,
    turns: true,
    activeDistance: undefined,
    used: method.used,
  })
}

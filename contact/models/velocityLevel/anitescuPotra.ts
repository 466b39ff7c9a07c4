import type { CreateContactModel } from '../../contactModel.ts'
import { type AnitescuPotraOptions, options as rows } from '../../modelOptions.ts'
import { OptionReader, shown } from '../../options.ts'
import { readPyramid } from './frictionOptions.ts'
import { createVelocityLevelModel } from './velocityLevel.ts'

/**
 * Rigid contact at the level of velocities without gaps: a contact nearer than `activeDistance` may not close further,
 *
 *   0 <= J_n v⁺ ⟂ p_n >= 0,
 *
 * and one farther away is inactive. Friction as `stewartTrinkle`. Anitescu and Potra, Formulating dynamic multi-rigid-body contact problems
 * with friction as solvable linear complementarity problems, Nonlinear Dynamics 14 (1997).
 *
 * The problem has a solution whatever the data, and v⁺ = 0 is always feasible. Its cost: an active contact stops at its present gap, up to
 * `activeDistance`, and hovers there: approaching at v it stops between activeDistance - h v and activeDistance, or, if h v is larger, up
 * to h v - activeDistance deep. Penetrations remain unless removed, by default by a projection of positions after the step. `drift:
 * 'baumgarte'`, with a `correctionSpeed` too large to bind, is the stabilisation of Anitescu and Hart, Int. J. Numer. Meth. Eng. 60 (2004):
 * stabilization · psi / h + J_n v⁺ >= 0 of penetrating contacts.
 *
 * Options: activeDistance [m], sides, solver, and those of `createVelocityLevelModel`.
 */
export const anitescuPotra: CreateContactModel<AnitescuPotraOptions> = (context, given) => {
  const name = 'anitescu-potra'
  const reader = new OptionReader(name, given)
  const activeDistance = reader.read(rows.anitescuPotra.activeDistance)
  const method = readPyramid(reader)
  return createVelocityLevelModel(context, reader, {
    name,
    ...method,
    turns: true,
    activeDistance,
    softensCrowds: false,
    used: [shown(rows.anitescuPotra.activeDistance, activeDistance), ...method.used],
  })
}

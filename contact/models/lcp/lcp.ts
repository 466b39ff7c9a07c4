import type { CreateContactModel } from '../../contactModel.ts'
import type { LcpOptions } from '../../modelOptions.ts'
import { createAccelerationLevelModel } from './accelerationModel.ts'

/**
 * Rigid contact with Coulomb friction at the level of accelerations and forces: Baraff's problem in generalised coordinates (his survey,
 * eqs. 4 to 8 and 14 to 19).
 *
 *   0 <= f_n ⟂ a_n - d >= 0,   a = A f + b,   A = J M⁻¹ Jᵀ,   b = J a0 + J̇ v,   friction static or dynamic
 *
 * In this order: impacts change velocities (`StepImpacts`, or `ImpactPhase` pair by pair); forces are found for the velocities after them,
 * as impulses h f on the rows of the velocity-level models (`ForceConditions`, `ImpulseStep`); if there are none, or several, an impulse
 * replaces them (Painlevé's impact without collision); drift is the term d that penetrations add to the required accelerations. The step is
 * v⁺ = v + h (a0 + M⁻¹ Jᵀ f) in axes fixed over it (`RestFrame`).
 *
 * J̇ v is the rate at which the rows change as contacts are detected. It includes the rotation of normals and the travel of contact points,
 * whatever the shapes, unlike a formula for material points: of a rolling ball it is zero, and not omega² r. For a contact with a force in
 * the previous step it is J v / h, since that force made J v zero; it is then a step late, and also stops a small remaining approach. For a
 * contact without one, as at first touch, it is computed at the start of the step (`RowChange`).
 *
 * With `integrator: rk4` forces are solved for at the four stages of a Runge-Kutta step (`ConstrainedRungeKutta`), J̇ v of
 * a contact that touches being computed at each.
 *
 * Options: impulses, impacts, drift, compliance, restitutionThreshold, solver, matrix. See docs/contact-models.md.
 */
export const lcp: CreateContactModel<LcpOptions> = (context, given) =>
  createAccelerationLevelModel(context, given, 'lcp', 'coulomb')

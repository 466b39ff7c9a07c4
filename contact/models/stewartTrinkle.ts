import { crbaOnBranches, JointFriction, RestFrame, rnea } from '../../dynamics/index.ts'
import type { ContactModel, ContactStep, CreateContactModel, PhysicalInputs } from '../contactModel.ts'
import { OptionReader } from '../options.ts'
import { ContactRows } from './contactRows.ts'
import { ImpulseProblem, type ImpulseProblemOptions } from './impulseProblem.ts'

/** Times that the joints' stick and slide may be guessed anew in one step. */
const JOINT_PASSES = 4

/**
 * Rigid contact with Coulomb friction at the level of velocities and impulses, one linear complementarity problem a step:
 *
 *   M~ v⁺ = M~ v_f + J_nᵀ p_n + J_Dᵀ beta,        M~ = M + h D, v_f the velocity without contact
 *   0 <= psi/h + J_n v⁺       ⟂ p_n  >= 0
 *   0 <= J_D v⁺ + E sigma      ⟂ beta >= 0
 *   0 <= mu p_n - Eᵀ beta      ⟂ sigma >= 0
 *
 * Stewart and Trinkle, An implicit time-stepping scheme for rigid body dynamics with inelastic collisions and Coulomb
 * friction, Int. J. Numer. Meth. Eng. 39 (1996), with velocities in axes that stand still over the step (`RestFrame`),
 * eliminated to the impulses by M~ = LᵀL: W = (L⁻ᵀJᵀ)ᵀ(L⁻ᵀJᵀ).
 *
 * The cone is a pyramid inscribed in it: `sides` directions, the first along the slip that v_f would have (a fixed tangent
 * where there is none), so that its error, at worst 1 - cos(pi / sides), is least for sliding.
 *
 * A penetrating contact is pushed out with gamma |psi| / h at most (`stabilization`), and no faster than
 * `correctionSpeed`. A contact with restitution e that would close within the step, and closes faster than
 * `restitutionThreshold` at its start, bounces by Newton's rule, J_n v⁺ >= -e J_n v. Joint limits are unilateral rows
 * like normals. Joint damping and dry friction are implicit in M~.
 *
 * `compliance`, relative to the diagonal (its mean over a pair of shapes), is added to normals, a tenth of it to tangents:
 * where the load of a body on many points is indeterminate, it picks the answer that spreads it as equal springs would, and
 * it keeps the solver off singular bases. A body at rest under it sinks by compliance · g h² / stabilization, 5e-10 m at
 * 1 ms, and creeps down a slope by a tenth of compliance · g h, 1e-8 m/s. At 1e-6 the split of a wheel's load over its line
 * of contact was lost in rounding at steps below 0.1 ms, and a differential drive turned otherwise there.
 */
export const stewartTrinkle: CreateContactModel = (context, given) => {
  const reader = new OptionReader('stewart-trinkle', given)
  const options: ImpulseProblemOptions = {
    sides: reader.choice('sides', 4, [4, 6, 8, 12, 16]),
    stabilization: reader.number('stabilization', 0.2, 0, 1),
    correctionSpeed: reader.number('correctionSpeed', 0.1, 0, 100),
    compliance: reader.number('compliance', 1e-5, 0, 1e-2),
    restitutionThreshold: reader.number('restitutionThreshold', 0.01, 0, 10),
  }
  reader.finish()

  const { model, physical } = context
  const { nv } = model
  const frame = new RestFrame(model)
  const rows = new ContactRows(model)
  const joints = new JointFriction(model)
  const problem = new ImpulseProblem(context, rows, options)
  const c = new Float64Array(nv)
  const L = new Float64Array(nv * nv)
  const vFree = new Float64Array(nv)
  const vNext = new Float64Array(nv)

  /** L := the factor of M + h D, and v_f = v + (M + h D)⁻¹ h (tau - c - passive). */
  function freeVelocity({ data, state, tau, dt }: ContactStep): void {
    rows.pattern.load(data.M, L)
    for (let k = 0; k < nv; k++) vFree[k] = tau[k] - c[k]
    joints.add(L, vFree, state.v, dt)
    rows.pattern.factorize(L)
    for (let k = 0; k < nv; k++) vFree[k] *= dt
    rows.pattern.solve(L, vFree)
    for (let k = 0; k < nv; k++) vFree[k] += state.v[k]
  }

  return {
    name: 'stewart-trinkle',
    level: 'velocity',
    lookAhead: 2, // what speeds up within the step is still heard of in time
    reading: 'manifold',
    memorySize: problem.memorySize,
    solvers: ['mode-guess', 'lemke'],
    parameters: shownParameters(options, physical),

    advance(step) {
      const { state, data, contacts, dt } = step
      const { q, v } = state
      crbaOnBranches(model, data)
      frame.begin(v)
      rnea(model, state, frame.acceleration, data, c)
      rows.build(data, contacts)
      joints.begin(v)
      for (let pass = 1; ; pass++) {
        freeVelocity(step)
        problem.solve(step, L, vFree, vNext)
        // dry joint friction was computed for a guess of what sticks; where it was wrong, once more
        if (!joints.settle(vNext) || pass === JOINT_PASSES) break
      }
      problem.report(contacts)
      frame.finish(q, v, vNext, dt)
    },
  }
}

function shownParameters(options: ImpulseProblemOptions, physical: PhysicalInputs): ContactModel['parameters'] {
  return {
    used: [
      { name: 'friction', value: physical.friction, unit: '1', meaning: 'Coulomb friction of surfaces that state none' },
      { name: 'restitution', value: physical.restitution, unit: '1', meaning: "Newton's, of surfaces that state none" },
      { name: 'sides', value: options.sides, unit: '1', meaning: 'sides of the friction pyramid' },
      {
        name: 'stabilization',
        value: options.stabilization,
        unit: '1',
        meaning: 'part of a penetration that one step removes',
      },
      {
        name: 'correctionSpeed',
        value: options.correctionSpeed,
        unit: 'm/s',
        meaning: 'fastest speed at which a penetration is removed',
      },
      {
        name: 'compliance',
        value: options.compliance,
        unit: '1',
        meaning: 'softness relative to J M⁻¹ Jᵀ, which settles indeterminate loads',
      },
      {
        name: 'restitutionThreshold',
        value: options.restitutionThreshold,
        unit: 'm/s',
        meaning: 'approach speed up to which nothing bounces',
      },
    ],
    derived: [],
    unused: ['allowedPenetration', 'stiffness', 'damping'],
  }
}

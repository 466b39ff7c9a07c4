import type { CompliantContact, FrictionMethod, ImpulseProblem } from '../../constraints/index.ts'
import type { ContactModel, ContactModelContext, ContactStep, ReportedParameter } from '../../contactModel.ts'
import { readRigidImpacts, shownRigidImpacts } from '../../impacts/index.ts'
import type { OptionReader } from '../../options.ts'
import { impulseParameters, readImpulseOptions, readStepEnds } from './impulseOptions.ts'
import { ImpulseStep, type StepLaw } from './impulseStep.ts'
import { impactTrigger, StepImpacts } from './stepImpacts.ts'

/** Settings by which velocity-level models differ. */
export interface VelocityLevelLaw extends FrictionMethod, StepLaw {
  readonly turns: boolean
  readonly activeDistance: number | undefined
  /** Whether islands of many contacts are softer, see `ImpulseProblem`; not where no gap constraint limits creep. Default true. */
  readonly softensCrowds?: boolean
  /** Of a law with springs; `unused` are the physical inputs without effect in it. */
  readonly compliant?: CompliantContact
  readonly unused?: readonly string[]
  /** Called with the velocity that the step ends with, in the rows' axes, to count events of the law. */
  readonly conclude?: (step: ContactStep, problem: ImpulseProblem, vNext: Float64Array) => void
  /** Parameters of its own. */
  readonly used: readonly ReportedParameter[]
}

/**
 * Contact model solved for the velocities at the end of the step:
 *
 *   M~ v⁺ = M~ v_f + Jᵀ p,        M~ = M + h D + h² K, v_f the velocity without contact,
 *
 * with impulses p that satisfy the law's conditions on u = J v⁺, velocities in axes fixed over the step (`RestFrame`). See `ImpulseProblem`
 * for its rows, and `ContactNewton` for how they are solved.
 *
 * Options that all of them share:
 *
 *   drift               'baumgarte': a penetrating contact is pushed out with `stabilization` |gap| / h, no faster than
 *                       `correctionSpeed`, and keeps that speed. 'projection': positions are corrected after the step, velocities not
 *                       (`Projection`). 'none': penetrations and open loops are held as they are.
 *   compliance          softness of normals over the mass of the heaviest tree that they hold up; a tenth of it for tangents and joints.
 *                       Where the load of a body on many points is indeterminate, the solution is the one that equal springs
 *                       would give, and solvers are kept off singular bases. A body at rest on n points sinks by
 *                       compliance · g h² / (n stabilization), 1e-10 m at 1 ms, and creeps down a slope by a tenth of compliance · g h / n,
 *                       1e-8 m/s.
 *   impulses, impacts, restitutionThreshold  Where a contact with restitution would close within the step, and closes faster than the
 *                       threshold at its start, impacts come before the step, which then starts with the velocities after them
 *                       (`StepImpacts`). Not of laws with springs, which resolve impacts by these.
 *   jointFriction       'exact': dry friction of joints is a row of the same problem, so that they stick. 'regularised': it is viscous up to
 *                       1 mrad/s, and costs nothing.
 *
 *   loops               'tangent': a loop is closed along its tangent at the start. 'end-of-step': so that it is closed at the end (`LoopEnds`).
 *   step                'euler': q moves by v⁺, forces of joints are those of the end. 'trapezoidal': by (v + v⁺) / 2, and all forces are the
 *                       mean of start and end (`TrapezoidalDynamics`). Any approach faster than g h is an impact before the
 *                       step, with or without restitution: q would go on by half of the stopped motion. An open contact may close its
 *                       gap by the mean velocity; all other rows are of v⁺, which would oscillate about a target of the mean.
 *
 * Joint springs K and damping D are implicit in M~, linearised at the start: the stiff step of Anitescu and Potra, Int. J. Numer. Meth. Eng. 55 (2002). Joint limits are unilateral rows like normals.
 */
export function createVelocityLevelModel(
  context: ContactModelContext,
  reader: OptionReader,
  law: VelocityLevelLaw,
): ContactModel {
  // a penetration that springs hold must not be projected out
  const drifts = law.compliant === undefined ? (['baumgarte', 'projection', 'none'] as const) : (['baumgarte', 'none'] as const)
  const impacts = law.compliant === undefined ? readRigidImpacts(reader) : undefined
  const options = readImpulseOptions(reader, law, drifts, readStepEnds(reader, law))
  const impulses = new ImpulseStep(context, law, options)
  const stepImpacts =
    impacts && new StepImpacts(law.name, context, impacts, options.trapezoidal ? impactTrigger.smooth : impactTrigger.restitution)
  const { nv } = context.model
  const vNext = new Float64Array(nv)
  const vMove = new Float64Array(nv)

  return {
    name: law.name,
    level: 'velocity',
    // contacts that speed up within the step are still detected in time
    lookAhead: 2,
    range: law.activeDistance,
    reading: 'manifold',
    memorySize: impulses.memorySize,
    solvers: impulses.solvers,
    parameters: impulseParameters(options, law, context, impacts === undefined ? [] : shownRigidImpacts(impacts)),

    advance(step) {
      const { events } = step
      const { failures, fallbacks } = events
      impulses.begin(step)
      stepImpacts?.resolve(step, impulses)
      impulses.solve(step, step, vNext, vMove)
      // steps are counted, not islands, nor passes of one step
      events.failures = Math.min(events.failures, failures + 1)
      events.fallbacks = Math.min(events.fallbacks, fallbacks + 1)
      law.conclude?.(step, impulses.problem, vNext)
      stepImpacts?.report(step.contacts)
      impulses.finish(step, vNext, vMove)
    },

    problem: () => impulses.save(),
  }
}

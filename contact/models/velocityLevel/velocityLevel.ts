import type { CompliantContact, FrictionMethod, ImpulseProblem } from '../../constraints/index.ts'
import type { ContactModel, ContactModelContext, ContactStep, ReportedParameter } from '../../contactModel.ts'
import { readRigidImpacts, shownRigidImpacts } from '../../impacts/index.ts'
import type { OptionReader } from '../../options.ts'
import { impulseParameters, readImpulseOptions, readStepEnds } from './impulseOptions.ts'
import { ImpulseStep, type StepLaw } from './impulseStep.ts'
import { impactTrigger, StepImpacts } from './stepImpacts.ts'
import { StepTangent } from './stepTangent.ts'

/** Settings by which velocity-level models differ. */
export interface VelocityLevelLaw extends FrictionMethod, StepLaw {
  readonly turns: boolean
  readonly activeDistance: number | undefined
  readonly tethers?: boolean
  /** Whether islands of many contacts have more compliance (`ImpulseProblem`); false if no gap constraint limits creep. Default true. */
  readonly softensCrowds?: boolean
  /** Spring-damper law, if any; `unused` are the physical inputs without effect in it. */
  readonly compliant?: CompliantContact
  readonly unused?: readonly string[]
  /** Called with the end-of-step velocity, in the rows' axes, to count events of the law. */
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
 * for its rows, and `ContactNewton` for their solution.
 *
 * Options shared by all such models:
 *
 *   drift               'baumgarte': a penetrating contact separates at `stabilization` |gap| / h, at most `correctionSpeed`, and keeps
 *                       that speed. 'projection': positions, but not velocities, are corrected after the step (`Projection`).
 *                       'none': penetrations and open loops are kept constant.
 *   compliance          of normals, times the mass of the heaviest tree that they support; a tenth of it for tangents and joints.
 *                       Settles the indeterminate load of a body on many points as equal springs would, and keeps solvers off
 *                       singular bases. A body at rest on n points sinks by compliance · g h² / (n stabilization), 1e-10 m at 1 ms,
 *                       and creeps down a slope at a tenth of compliance · g h / n, 1e-8 m/s.
 *   impulses, impacts, restitutionThreshold  A contact with restitution that would close within the step, at a speed above the
 *                       threshold, has an impact before the step, which starts with the velocities after it (`StepImpacts`). Not
 *                       for compliant laws, whose springs resolve impacts.
 *   jointFriction       'exact': dry friction of joints is a row of the same problem, so that they stick. 'regularised': it is
 *                       viscous up to 1 mrad/s, and takes no time.
 *
 *   loops               'tangent': loops are closed to first order at the start. 'end-of-step': they are closed at the end (`LoopEnds`).
 *   step                'euler': q moves by v⁺, with joint forces of the end. 'trapezoidal': by (v + v⁺) / 2, with the mean of all
 *                       forces at start and end (`TrapezoidalDynamics`). Any approach faster than g h is an impact before the
 *                       step, with or without restitution, since q would continue by half of the stopped motion. An open contact
 *                       may close its gap by the mean velocity; other rows constrain v⁺, which would oscillate about a mean target.
 *
 * Joint springs K and damping D are implicit in M~, linearised at the start: the stiff step of Anitescu and Potra, Int. J. Numer. Meth.
 * Eng. 55 (2002). Joint limits are unilateral rows like normals.
 */
export function createVelocityLevelModel(
  context: ContactModelContext,
  reader: OptionReader,
  law: VelocityLevelLaw,
): ContactModel {
  // projection must not remove penetrations that springs hold
  const drifts = law.compliant === undefined ? (['baumgarte', 'projection', 'none'] as const) : (['baumgarte', 'none'] as const)
  const impacts = law.compliant === undefined ? readRigidImpacts(reader) : undefined
  const options = readImpulseOptions(reader, law, drifts, readStepEnds(reader, law))
  const impulses = new ImpulseStep(context, law, options)
  const stepImpacts =
    impacts && new StepImpacts(law.name, context, impacts, options.trapezoidal ? impactTrigger.smooth : impactTrigger.restitution)
  const { nv } = context.model
  const vNext = new Float64Array(nv)
  const vMove = new Float64Array(nv)
  let tangent: StepTangent | undefined

  return {
    name: law.name,
    level: 'velocity',
    // contacts that accelerate within the step are still detected in time
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
      // counts steps, not islands or passes of one step
      events.failures = Math.min(events.failures, failures + 1)
      events.fallbacks = Math.min(events.fallbacks, fallbacks + 1)
      law.conclude?.(step, impulses.problem, vNext)
      stepImpacts?.report(step.contacts)
      impulses.finish(step, vNext, vMove)
    },

    accelerate(step, a) {
      impulses.begin(step)
      impulses.solve(step, step, vNext, vMove)
      law.conclude?.(step, impulses.problem, vNext)
      impulses.problem.loops.addForces(step)
      for (let k = 0; k < nv; k++) a[k] = (vNext[k] - step.state.v[k]) / step.dt
    },

    problem: () => impulses.save(),
    tangent: () => {
      tangent ??= new StepTangent(context, impulses, stepImpacts, vNext, law, options)
      return tangent
    },
  }
}

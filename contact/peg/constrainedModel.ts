import type { ContactModel, ContactModelContext, ReportedParameter } from '../contactModel.ts'
import { readRigidImpacts, shownRigidImpacts } from '../impacts/index.ts'
import { options as rows } from '../modelOptions.ts'
import { readPyramid } from '../models/velocityLevel/frictionOptions.ts'
import { impulseParameters, readImpulseOptions } from '../models/velocityLevel/impulseOptions.ts'
import { ImpulseStep } from '../models/velocityLevel/impulseStep.ts'
import { impactTrigger, StepImpacts } from '../models/velocityLevel/stepImpacts.ts'
import type { VelocityLevelLaw } from '../models/velocityLevel/velocityLevel.ts'
import { OptionReader, shown } from '../options.ts'
import { ConstrainedContacts, SEARCH, type SearchLaw } from './constrainedContacts.ts'
import { ConstrainedStep } from './constrainedStep.ts'
import { EndOfStep } from './endOfStep.ts'
import type { ConstraintRule } from './features/constraintRules.ts'
import { featureStep } from './features/featureContactSet.ts'
import { readFeatures } from './features/featureNarrowphase.ts'
import { ImpactingPairs } from './impactingPairs.ts'
import { PartSearch } from './partSearch.ts'
import { StepSearch, searchNames } from './stepSearch.ts'

/** Settings by which models with constraints over features differ. */
export interface ConstraintLaw extends SearchLaw {
  readonly rule: ConstraintRule
  /** Whether constraints must hold along the whole step, not only at its end. */
  readonly followsPath: boolean
  /** Default number of evaluations of the geometry at the end of a step; undefined: none, without such an option. */
  readonly passes?: number
  /** Whether a contact with an impulse must touch at the end of the step. */
  readonly touches: boolean
  /** Default compliance, where it is not that of other models. */
  readonly compliance?: number
  /** Parameters of its own. */
  readonly used?: readonly ReportedParameter[]
}

const fixed = { turns: true, activeDistance: undefined, softensCrowds: false } as const

/**
 * A velocity-level model (`createVelocityLevelModel`) over feature contacts under constraints: a search (`ConstrainedContacts`) selects the
 * active ones; if the law evaluates the end of the step, the step is solved again, linearised there, until the true gaps hold. @unchecked
 *
 * Options: nodes (subproblems that one search may solve), epsilon, those of `stewartTrinkle`, and, for laws with passes, passes
 * (evaluations of the end of a step, 0: first order alone) and gapTolerance (overlap allowed at the end of a step [m]).
 *
 * @param lawOf reads the law's own options
 */
export function createConstrainedModel(
  context: ContactModelContext,
  given: object | undefined,
  name: string,
  lawOf: (reader: OptionReader) => ConstraintLaw,
): ContactModel {
  const reader = new OptionReader(name, given)
  const own = lawOf(reader)
  const nodes = reader.read(rows.search.nodes)
  const epsilon = reader.read(rows.search.epsilon)
  const method = readPyramid(reader)
  const used: ReportedParameter[] = [...(own.used ?? []), shown(rows.search.epsilon, epsilon), ...method.used]
  let [passes, gapTolerance] = [0, 0]
  if (own.passes !== undefined) {
    passes = reader.read(rows.passes.passes, { default: own.passes })
    gapTolerance = reader.read(rows.passes.gapTolerance)
    used.unshift(shown(rows.passes.passes, passes), shown(rows.passes.gapTolerance, gapTolerance))
  }
  const law: VelocityLevelLaw = { ...method, ...fixed, evaluatesEnd: passes > 0, name, used }
  const impacts = readRigidImpacts(reader)
  // the end of a step is evaluated where velocities lead, so positions must follow these
  const options = readImpulseOptions(reader, law, ['baumgarte', 'none'], {}, own.compliance)
  const impulses = new ImpulseStep(context, law, options)
  const searchIndex = impulses.solvers.length
  const choice = new ConstrainedContacts(context.model.nv, nodes, options, searchIndex, own)
  const once = new ConstrainedStep(context, impulses, choice, own.followsPath)
  const end = () => new EndOfStep(context.model, gapTolerance, own.touches)
  const solver = passes > 0 ? new PartSearch(new StepSearch(once, end(), passes, searchIndex + 1)) : once
  const impacting = new ImpactingPairs(solver, once)
  const stepImpacts = new StepImpacts(name, context, impacts, impactTrigger.restitution)

  return {
    name,
    level: 'velocity',
    // detects contacts reached only by acceleration within the step, unless its end is evaluated anyway
    lookAhead: solver === once ? 2 : 1,
    reading: 'features',
    features: readFeatures({ rule: own.rule, epsilon }),
    memorySize: impulses.problem.memorySize,
    solvers: [...impulses.solvers, SEARCH, ...searchNames],
    parameters: withoutAdhesion(impulseParameters(options, law, context, shownRigidImpacts(impacts)), context),

    advance(anyStep) {
      const step = featureStep(anyStep)
      const { events } = step
      const { failures, fallbacks } = events
      impulses.begin(step)
      impacting.step = step
      stepImpacts.resolve(step, impulses, impacting)
      solver.solve(step)
      stepImpacts.report(step.contacts)
      // counts steps, not islands or passes of one step
      events.failures = Math.min(events.failures, failures + 1)
      events.fallbacks = Math.min(events.fallbacks, fallbacks + 1)
      impulses.finish(step, solver.v, solver.v)
    },

    problem: () => solver.problem(),
  }
}

/** Of the pairs of features that are listed, not all touch. */
function withoutAdhesion(
  parameters: ContactModel['parameters'],
  { adhesionRange }: ContactModelContext,
): ContactModel['parameters'] {
  return adhesionRange === undefined ? parameters : { ...parameters, unused: [...parameters.unused, 'adhesion of a surface'] }
}

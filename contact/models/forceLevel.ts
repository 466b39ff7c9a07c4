import type { ContactModel, ContactModelContext, ContactStep } from '../contactModel.ts'
import { type ImpactOptions, ImpactPhase, noImpacts, shownImpacts } from '../impacts/index.ts'
import type { ForceLaw, FrictionOptions } from './forceLaw.ts'
import { RungeKuttaForces } from './rungeKuttaForces.ts'
import { SemiImplicitForces } from './semiImplicitForces.ts'
import { depthOfStrain, Strain } from './strain.ts'

/**
 * Contact model of a force law: impulses resolve new contacts, if `impacts` is set; then the law gives the normal forces, and one of two
 * steppers integrates the motion. Impulses do not act through loops, whose springs respond to them. Behind the law's memory lies that of
 * friction, then that of impacts.
 */
export function createForceLevelModel(
  context: ContactModelContext,
  law: ForceLaw,
  friction: FrictionOptions,
  impacts: ImpactOptions = noImpacts,
): ContactModel {
  const { name } = law
  const memorySize = law.memorySize + friction.memorySize
  const stepper = (resting: ForceLaw) =>
    context.integrator === 'rk4'
      ? new RungeKuttaForces(context, resting, friction)
      : new SemiImplicitForces(context, resting, friction)
  const parametersOf = ({ loops }: RungeKuttaForces | SemiImplicitForces) => ({
    ...law.parameters,
    used: [...law.parameters.used, ...friction.used],
    derived: [...law.parameters.derived, ...loops.shown],
  })
  const strain = new Strain(law.name, depthOfStrain(law.parameters, context))
  const model = { name, level: 'force', lookAhead: 0, reading: 'manifold', solvers: [] } as const
  if (impacts.impacts === 'none') {
    const forces = stepper(law)
    const advance = (step: ContactStep) => {
      strain.count(step)
      forces.advance(step)
      law.conclude(step.contacts, step.memory)
    }
    const parameters = parametersOf(forces)
    const shown = { ...parameters, used: [...parameters.used, ...shownImpacts(impacts)] }
    return { ...model, memorySize, parameters: shown, advance }
  }

  const phase = new ImpactPhase(context, impacts, memorySize)
  // Contacts that begin within the step, at one of its stages, are resolved by the next step's impulses and not by springs.
  const hasStages = context.integrator === 'rk4'
  const forces = stepper({
    ...law,
    select(contacts, selected) {
      law.select(contacts, selected)
      for (let i = 0; i < contacts.count; i++) {
        if (phase.leaves(contacts, i) || (hasStages && !phase.touches(contacts, i))) selected[i] = 0
      }
    },
  })
  return {
    ...model,
    memorySize: memorySize + phase.memorySize,
    parameters: withImpacts(parametersOf(forces), context, impacts),
    advance(step) {
      strain.count(step)
      phase.resolve(step)
      forces.advance(step)
      law.conclude(step.contacts, step.memory)
      phase.report(step.contacts)
    },
  }
}

/** A model with impacts uses restitution, whatever its forces. */
function withImpacts(
  { used, derived, unused }: ContactModel['parameters'],
  { physical: { restitution } }: ContactModelContext,
  impacts: ImpactOptions,
): ContactModel['parameters'] {
  const own = used.filter(({ name }) => name !== 'restitution')
  const meaning = 'of impacts on surfaces that state none'
  return {
    used: [...own, { name: 'restitution', value: restitution, unit: '1', meaning }, ...shownImpacts(impacts)],
    derived,
    unused: unused.filter((name) => name !== 'restitution'),
  }
}

import type { ContactModel, ContactModelContext } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'
import { type ImpactOptions, ImpactPhase, noImpacts, shownImpacts } from '../impacts/index.ts'
import type { ForceLaw, FrictionOptions } from './forceLaw.ts'
import { shownLimitRestitution } from './physicalGains.ts'
import { RungeKuttaForces } from './rungeKuttaForces.ts'
import { SemiImplicitForces } from './semiImplicit/index.ts'
import { depthOfStrain, Strain } from './strain.ts'

/**
 * Contact model of a force law: impulses resolve new contacts, if `impacts` is set; then the law gives the normal forces, and one of two
 * steppers integrates the motion. Loops transmit no impulses; their springs respond later. The memory holds that of the law, of friction,
 * and of impacts.
 */
export function createForceLevelModel(
  context: ContactModelContext,
  law: ForceLaw,
  friction: FrictionOptions,
  impacts: ImpactOptions = noImpacts,
): ContactModel {
  const { name } = law
  const memorySize = law.memorySize + friction.memorySize
  const isExplicit = context.integrator === 'rk4'
  const phase = impacts.impacts === 'none' ? undefined : new ImpactPhase(context, impacts, memorySize)
  // Contacts that begin at a stage within the step are resolved by the next step's impulses, not by springs.
  const select = (contacts: ContactSet, selected: Uint8Array) => {
    law.select(contacts, selected)
    for (let i = 0; i < contacts.count && phase !== undefined; i++) {
      if (phase.leaves(contacts, i) || (isExplicit && !phase.touches(contacts, i))) selected[i] = 0
    }
  }
  const resting: ForceLaw = { ...law, select }
  const forces = isExplicit
    ? new RungeKuttaForces(context, resting, friction)
    : new SemiImplicitForces(context, resting, friction)
  const strain = new Strain(name, depthOfStrain(law.parameters, context))
  const parameters = {
    ...law.parameters,
    used: [...law.parameters.used, ...friction.used, ...shownLimitRestitution(context.physical)],
    derived: [...law.parameters.derived, ...forces.loops.shown],
    // springs act, and are detected, on penetration alone
    unused: [...law.parameters.unused, ...(context.adhesionRange ? ['adhesionRange of a surface'] : [])],
  }
  return {
    ...{ name, level: 'force', lookAhead: 0, reading: 'manifold', solvers: [] },
    memorySize: memorySize + (phase?.memorySize ?? 0),
    hasStages: isExplicit,
    parameters: phase
      ? withImpacts(parameters, context, impacts)
      : { ...parameters, used: [...parameters.used, ...shownImpacts(impacts)] },
    advance(step) {
      strain.count(step)
      phase?.resolve(step)
      forces.advance(step)
      law.conclude(step.contacts, step.memory)
      phase?.report(step.contacts)
    },
  }
}

/** Gives a model with impacts restitution, whatever its force law. */
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

import type { ContactModel, ContactModelContext } from '../contactModel.ts'
import type { ForceLaw, FrictionOptions } from './forceLaw.ts'
import { RungeKuttaForces } from './rungeKuttaForces.ts'
import { SemiImplicitForces } from './semiImplicitForces.ts'

/** The contact model of a force law: the law says who pushes and how hard, one of two steppers turns that into motion. */
export function createForceLevelModel(context: ContactModelContext, law: ForceLaw, friction: FrictionOptions): ContactModel {
  const { name, memorySize, parameters } = law
  const stepper =
    context.integrator === 'rk4' ? new RungeKuttaForces(context, law, friction) : new SemiImplicitForces(context, law, friction)
  return { name, level: 'force', lookAhead: 0, reading: 'manifold', memorySize, parameters, advance: (step) => stepper.advance(step) }
}

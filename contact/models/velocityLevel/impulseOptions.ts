import type { ContactModel, ContactModelContext, ShownParameter } from '../../contactModel.ts'
import type { OptionReader } from '../../options.ts'
import { readPatch, shownPatch } from '../friction/index.ts'
import type { Drift, ImpulseOptions } from './impulseLaw.ts'
import type { VelocityLevelLaw } from './velocityLevel.ts'

/** How a step ends: `ImpulseOptions.closesLoops` and `trapezoidal`. */
export type StepEnds = Pick<ImpulseOptions, 'closesLoops' | 'trapezoidal'>

/** Of models whose step has one start and one end. @throws RangeError for loops that are to be closed by the mean of two velocities */
export function readStepEnds(reader: OptionReader, { name, compliant }: VelocityLevelLaw): StepEnds {
  const closesLoops = reader.choice('loops', 'tangent', ['tangent', 'end-of-step']) === 'end-of-step'
  // springs of contacts have an implicit step of their own
  const trapezoidal = compliant === undefined && reader.choice('step', 'euler', ['euler', 'trapezoidal']) === 'trapezoidal'
  if (closesLoops && trapezoidal)
    throw new RangeError(
      `contact model "${name}": loops "end-of-step" needs step "euler": closed by the mean of two velocities a loop would ring`,
    )
  return { closesLoops, trapezoidal }
}

/** The options that all velocity-level models share, see `createVelocityLevelModel`; the last that are read. */
export function readImpulseOptions(
  reader: OptionReader,
  law: VelocityLevelLaw,
  drifts: readonly Drift[],
  ends: StepEnds = {},
): ImpulseOptions {
  const options: ImpulseOptions = {
    ...ends,
    drift: reader.choice<Drift>('drift', law.drift, drifts),
    turns: law.turns,
    activeDistance: law.activeDistance,
    softensCrowds: law.softensCrowds ?? true,
    compliant: law.compliant,
    patch: readPatch(reader),
    stabilization: reader.number('stabilization', 0.2, 0, 1),
    correctionSpeed: reader.number('correctionSpeed', 0.1, 0, 100),
    compliance: reader.number('compliance', law.compliance, 1e-12, 1e-2),
    dryJoints: reader.choice('jointFriction', 'exact', ['exact', 'regularised']) === 'exact',
  }
  reader.finish()
  return options
}

export function impulseParameters(
  options: ImpulseOptions,
  law: VelocityLevelLaw,
  { physical, trees }: ContactModelContext,
  impacts: readonly ShownParameter[],
): ContactModel['parameters'] {
  const { drift } = options
  const used: ShownParameter[] = [
    { name: 'friction', value: physical.friction, unit: '1', meaning: 'Coulomb friction of surfaces that state none' },
    { name: 'restitution', value: physical.restitution, unit: '1', meaning: 'of impacts on surfaces that state none' },
    ...impacts,
    ...law.used,
    shownPatch(options.patch),
    { name: 'drift', value: drift, unit: '', meaning: 'what removes penetrations and opened loops' },
  ]
  if (drift === 'baumgarte') {
    used.push(
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
    )
  }
  used.push(
    {
      name: 'compliance',
      value: options.compliance,
      unit: '1',
      meaning: 'softness of a contact times the mass it holds, which settles indeterminate loads',
    },
    {
      name: 'jointFriction',
      value: options.dryJoints ? 'exact' : 'regularised',
      unit: '',
      meaning: 'dry friction of joints: rows of the problem, or viscous near rest',
    },
  )
  if (options.closesLoops !== undefined) {
    const value = options.closesLoops ? 'end-of-step' : 'tangent'
    used.push({
      name: 'loops',
      value,
      unit: '',
      meaning: 'where loops are closed: along their tangent at the start, or at the end',
    })
  }
  if (options.trapezoidal !== undefined && law.compliant === undefined) {
    const value = options.trapezoidal ? 'trapezoidal' : 'euler'
    used.push({ name: 'step', value, unit: '', meaning: 'of second order in smooth motion, or of first' })
  }
  let heaviest = 0
  for (const mass of trees.mass) heaviest = Math.max(heaviest, mass)
  const meaning = 'of a contact that holds up the heaviest: velocity per impulse that it yields by'
  return {
    used,
    derived: heaviest > 0 ? [{ name: 'softness', value: options.compliance / heaviest, unit: '1/kg', meaning }] : [],
    unused: law.unused ?? ['allowedPenetration', 'stiffness', 'damping'],
  }
}

import { type Drift, type ImpulseOptions, readPatch, shownPatch } from '../../constraints/index.ts'
import type { ContactModel, ContactModelContext, ReportedParameter } from '../../contactModel.ts'
import { options as rows } from '../../modelOptions.ts'
import { type OptionReader, shown } from '../../options.ts'
import { shownLimitRestitution } from '../physicalGains.ts'
import type { VelocityLevelLaw } from './velocityLevel.ts'

/** Conditions at the end of a step: `ImpulseOptions.closesLoops` and `trapezoidal`. */
export type StepEnds = Pick<ImpulseOptions, 'closesLoops' | 'trapezoidal'>

/** Reads the conditions at the end of the step. @throws RangeError if loops are to be closed in a trapezoidal step */
export function readStepEnds(reader: OptionReader, { name, compliant }: VelocityLevelLaw): StepEnds {
  const closesLoops = reader.read(rows.loops.loops) === 'end-of-step'
  // compliant contacts have an implicit step of their own
  const trapezoidal = compliant === undefined && reader.read(rows.step.step) === 'trapezoidal'
  if (closesLoops && trapezoidal)
    throw new RangeError(
      `contact model "${name}": loops "end-of-step" needs step "euler": closed by the mean of two velocities a loop would ring`,
    )
  return { closesLoops, trapezoidal }
}

/** Reads the options shared by all velocity-level models (`createVelocityLevelModel`); call last. @param compliance default of a law of its own */
export function readImpulseOptions(
  reader: OptionReader,
  law: VelocityLevelLaw,
  drifts: readonly Drift[],
  ends: StepEnds = {},
  compliance?: number,
): ImpulseOptions {
  const options: ImpulseOptions = {
    ...ends,
    drift: reader.read(rows.velocityLevel.drift, { choices: drifts }),
    turns: law.turns,
    activeDistance: law.activeDistance,
    tethers: law.tethers,
    softensCrowds: law.softensCrowds ?? true,
    compliant: law.compliant,
    patch: readPatch(reader),
    stabilization: reader.read(rows.velocityLevel.stabilization),
    correctionSpeed: reader.read(rows.velocityLevel.correctionSpeed),
    compliance: reader.read(rows.velocityLevel.compliance, compliance === undefined ? {} : { default: compliance }),
    dryJoints: reader.read(rows.velocityLevel.jointFriction) === 'exact',
  }
  reader.finish()
  return options
}

export function impulseParameters(
  options: ImpulseOptions,
  law: VelocityLevelLaw,
  { physical, trees }: ContactModelContext,
  impacts: readonly ReportedParameter[],
): ContactModel['parameters'] {
  const { drift } = options
  const used: ReportedParameter[] = [
    { name: 'friction', value: physical.friction, unit: '1', meaning: 'Coulomb friction of surfaces that state none' },
    { name: 'restitution', value: physical.restitution, unit: '1', meaning: 'of impacts on surfaces that state none' },
    ...impacts,
    ...law.used,
    ...shownLimitRestitution(physical),
    shownPatch(options.patch),
    shown(rows.velocityLevel.drift, drift),
  ]
  if (drift === 'baumgarte') {
    used.push(shown(rows.velocityLevel.stabilization, options.stabilization))
    used.push(shown(rows.velocityLevel.correctionSpeed, options.correctionSpeed))
  }
  used.push(shown(rows.velocityLevel.compliance, options.compliance))
  used.push(shown(rows.velocityLevel.jointFriction, options.dryJoints ? 'exact' : 'regularised'))
  if (options.closesLoops !== undefined) used.push(shown(rows.loops.loops, options.closesLoops ? 'end-of-step' : 'tangent'))
  if (options.trapezoidal !== undefined && law.compliant === undefined)
    used.push(shown(rows.step.step, options.trapezoidal ? 'trapezoidal' : 'euler'))
  let heaviest = 0
  for (const mass of trees.mass) heaviest = Math.max(heaviest, mass)
  const meaning = 'of a contact that holds up the heaviest: velocity per impulse that it yields by'
  return {
    used,
    derived: heaviest > 0 ? [{ name: 'softness', value: options.compliance / heaviest, unit: '1/kg', meaning }] : [],
    unused: law.unused ?? ['allowedPenetration', 'stiffness', 'damping'],
  }
}

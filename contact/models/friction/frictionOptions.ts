import { readPatch, shownPatch } from '../../constraints/index.ts'
import type { ContactModelContext, ReportedParameter } from '../../contactModel.ts'
import { options as rows } from '../../modelOptions.ts'
import { type OptionReader, shown } from '../../options.ts'
import { memorySizeFor } from './springMemory.ts'
import { springCapacity } from './tangentialSprings.ts'

/** Tangential force of sticking contacts. */
export type FrictionKind = 'regularised' | 'springs' | 'solved'

/** Friction options of all force-level models. */
export type FrictionOptions = Readonly<ReturnType<typeof readFrictionOptions>>

/**
 * Reads the options on friction that all force-level models share. Explicit integration of the viscous part is stable while mu N dt /
 * (stick speed · effective mass) stays below 2.8; a stick speed of dt g satisfies this for a body's own weight down to the effective mass
 * of a rolling sphere.
 */
export function readFrictionOptions(options: OptionReader, { dt, gravity, pairCount }: ContactModelContext) {
  const stickSpeed = options.read(rows.springs.stickSpeed)
  const kind: FrictionKind = options.read(rows.springs.friction)
  const tangentialStiffness = kind === 'springs' ? options.read(rows.springs.tangentialStiffness) : 0
  const patch = readPatch(options)
  if (patch === 'uniform' && kind === 'springs')
    throw new RangeError(
      'friction "springs" is anchored at the points of contact; patch "uniform" needs "regularised" or "solved"',
    )
  const used: ReportedParameter[] = [shownPatch(patch), { ...shown(rows.springs.friction, kind), name: 'frictionKind' }]
  if (kind === 'springs') used.push(shown(rows.springs.tangentialStiffness, tangentialStiffness))
  return {
    /** Default, for contacts without solved static friction. */
    kind,
    /** Slip speed up to which friction is viscous in the semi-implicit update [m/s]. */
    stickSpeed,
    /** That speed for RK4, whose step must resolve it [m/s]. */
    stickSpeedExplicit: Math.max(stickSpeed, gravity * dt),
    patch,
    /** Ratio of tangential to normal stiffness of springs. */
    tangentialStiffness,
    /** Memory size of friction, in numbers after those of the force law. */
    memorySize: kind === 'springs' ? memorySizeFor(springCapacity(pairCount)) : 0,
    used,
  }
}

export function shownFriction({ stickSpeed, stickSpeedExplicit }: FrictionOptions, integrator: string): ReportedParameter {
  return shown(rows.springs.stickSpeed, integrator === 'rk4' ? stickSpeedExplicit : stickSpeed)
}

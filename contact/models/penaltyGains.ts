import type { ContactModel, ContactModelContext, ShownParameter } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'
import type { OptionReader } from './options.ts'
import { dampingRatioOfRestitution, staticStiffness } from './physicalGains.ts'

/**
 * The gains of F = kp d - kv vn + ki I for one pair of shapes, from the physical inputs or by the mass rule of Drumwright's
 * paper. With an integral term I = Σ lambda^j d the spring's share is lowered so that the static stiffness
 * kp + ki / (1 - lambda) is still the one that was asked for.
 */
export interface PenaltyGains {
  readonly integral: boolean
  /** What I keeps of itself from step to step. */
  readonly lambda: number
  readonly parameters: ContactModel['parameters']
  /** out = [kp, kv, ki] of contact i [N/m, N s/m, N/m; the integral counts metres times steps]. */
  write(out: Float64Array, contacts: ContactSet, i: number): void
}

/** Options: integral, lambda, kiRatio, gains ('physical' or 'paper'). */
export function readPenaltyGains(
  options: OptionReader,
  context: ContactModelContext,
  integralByDefault: boolean,
  shownFriction: ShownParameter,
): PenaltyGains {
  const integral = options.choice('integral', integralByDefault, [true, false])
  const lambda = integral ? options.number('lambda', 0.85, 0, 0.999) : 0
  const kiRatio = integral ? options.number('kiRatio', 0.02, 0, 1) : 0
  const rule = options.choice('gains', 'physical', ['physical', 'paper'])
  const used: ShownParameter[] = [
    { name: 'friction', value: context.physical.friction, unit: '1', meaning: 'Coulomb friction of surfaces that state none' },
    { name: 'gains', value: rule, unit: '', meaning: 'physical: from the physical inputs; paper: 100, 50 and 2 times the mass' },
  ]
  if (integral) {
    used.push(
      { name: 'lambda', value: lambda, unit: '1', meaning: 'what the integral term keeps of itself from step to step' },
      { name: 'kiRatio', value: kiRatio, unit: '1', meaning: 'integral gain over proportional gain' },
    )
  }
  return rule === 'paper'
    ? paperGains(context, integral, lambda, used, shownFriction)
    : physicalGains(context, integral, lambda, kiRatio, used, shownFriction)
}

function memoryTime(lambda: number, dt: number): ShownParameter {
  return {
    name: 'integralMemory',
    value: dt / (1 - lambda),
    unit: 's',
    meaning: 'time over which the integral term forgets, dt / (1 - lambda)',
  }
}

function physicalGains(
  context: ContactModelContext,
  integral: boolean,
  lambda: number,
  kiRatio: number,
  used: ShownParameter[],
  shownFriction: ShownParameter,
): PenaltyGains {
  const { physical, mass, dt } = context
  const { stiffness, damping: givenDamping, allowedPenetration, restitution } = physical
  const K = staticStiffness(context)
  const critical = 2 * Math.sqrt(K * mass)
  const kp = K / (1 + kiRatio / (1 - lambda))
  const ki = integral ? kiRatio * kp : 0
  const unused: string[] = []
  if (stiffness === undefined) {
    used.push({
      name: 'allowedPenetration',
      value: allowedPenetration,
      unit: 'm',
      meaning: 'how deep the weight may press one pair',
    })
  } else {
    used.push({ name: 'stiffness', value: stiffness, unit: 'N/m', meaning: 'static stiffness of one pair' })
    unused.push('allowedPenetration')
  }
  const zeta = givenDamping === undefined ? dampingRatioOfRestitution(restitution) : givenDamping / critical
  if (givenDamping === undefined) {
    used.push({ name: 'restitution', value: restitution, unit: '1', meaning: 'rebound over approach speed of a free impact' })
  } else {
    used.push({ name: 'damping', value: givenDamping, unit: 'N s/m', meaning: 'normal damping of one pair' })
    unused.push('restitution')
  }

  const derived: ShownParameter[] = [
    { name: 'staticStiffness', value: K, unit: 'N/m', meaning: 'load over depth at rest' },
    { name: 'kp', value: kp, unit: 'N/m', meaning: 'spring of one pair' },
    { name: 'kv', value: zeta * critical, unit: 'N s/m', meaning: 'damper of one pair that states no restitution of its own' },
    { name: 'dampingRatio', value: zeta, unit: '1', meaning: 'kv over critical for the mass on the static stiffness' },
  ]
  if (integral) {
    derived.push({ name: 'ki', value: ki, unit: 'N/m', meaning: 'integral gain, on depth summed over steps' })
    derived.push(memoryTime(lambda, dt))
  }
  derived.push(shownFriction)

  // Contacts of a pair share one restitution, and pairs few: the last value asked for is nearly always the next.
  const cache = Float64Array.of(restitution, zeta * critical)
  return {
    integral,
    lambda,
    parameters: { used, derived, unused },
    write(out, contacts, i) {
      if (givenDamping === undefined && contacts.restitution[i] !== cache[0]) {
        cache[0] = contacts.restitution[i]
        cache[1] = dampingRatioOfRestitution(cache[0]) * critical
      }
      out[0] = kp
      out[1] = cache[1]
      out[2] = ki
    },
  }
}

/** kp = 100 (m1 + m2), kv = 50 (m1 + m2), ki = 2 (m1 + m2); fixed things count as massless. */
function paperGains(
  { model, dt }: ContactModelContext,
  integral: boolean,
  lambda: number,
  used: ShownParameter[],
  shownFriction: ShownParameter,
): PenaltyGains {
  const mass = Float64Array.from(model.I, (I) => I[0])
  mass[0] = 0
  const heaviest = Math.max(...mass)
  const derived: ShownParameter[] = [
    { name: 'kp', value: 100 * heaviest, unit: 'N/m', meaning: 'spring of the heaviest body; others in proportion to mass' },
    { name: 'kv', value: 50 * heaviest, unit: 'N s/m', meaning: 'damper of the heaviest body' },
  ]
  if (integral) {
    derived.push({ name: 'ki', value: 2 * heaviest, unit: 'N/m', meaning: 'integral gain of the heaviest body' })
    derived.push(memoryTime(lambda, dt))
  }
  derived.push(shownFriction)
  return {
    integral,
    lambda,
    parameters: { used, derived, unused: ['allowedPenetration', 'stiffness', 'damping', 'restitution'] },
    write(out, { bodyA, bodyB }, i) {
      const m = mass[bodyA[i]] + mass[bodyB[i]]
      out[0] = 100 * m
      out[1] = 50 * m
      out[2] = integral ? 2 * m : 0
    },
  }
}

import type { ContactModel, ContactModelContext, CreateContactModel, ReportedParameter } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'
import { readImpactOptions } from '../impacts/index.ts'
import { type HuntCrossleyOptions, options as rows } from '../modelOptions.ts'
import { OptionReader, shown } from '../options.ts'
import { countActive, readFrictionOptions, shownFriction } from './forceLaw.ts'
import { createForceLevelModel } from './forceLevel.ts'
import { lessOnePower, PairLoads } from './pairLoads.ts'
import { PairPhysics } from './physicalGains.ts'

/**
 * Compliant contact with a damper that grows with depth, so that the force begins and ends at zero: f = k dⁿ (1 + 3/2 alpha ḋ), never below
 * 0, shared equally among the active points of a pair's manifold, and regularised friction. Hunt and Crossley, Coefficient of Restitution
 * Interpreted as Damping in Vibroimpact (1975), eqs. 8 and 14, whose damper is lambda = 3/2 alpha k.
 *
 * `k` is such that the pair's static stiffness K (`PairPhysics`) is the load over the depth at the allowed penetration d0: k = K d0^(1 -
 * n). `alpha` is such that a free impact at `referenceSpeed` has the pair's restitution (`dissipationOfRestitution`); slower impacts
 * rebound with more of their speed, faster ones with less, like real materials. Restitution 0, or a stated damping c, applies at rest: 3/2
 * alpha K d0 = c, or critical for the load on k dⁿ about d0.
 *
 * Options: exponent n (1.5, as between spheres; 1 for a spring), referenceSpeed [m/s]; and those of friction and impacts.
 */
export const huntCrossley: CreateContactModel<HuntCrossleyOptions> = (context, given) => {
  const name = 'hunt-crossley'
  const options = new OptionReader(name, given)
  const friction = readFrictionOptions(options, context)
  // its damper gives restitution
  const impacts = readImpactOptions(options)
  const exponent = options.read(rows.huntCrossley.exponent)
  const referenceSpeed = options.read(rows.huntCrossley.referenceSpeed)
  options.finish()
  const gains = new Gains(context, exponent, referenceSpeed, impacts.impacts !== 'none')
  const sharing = new Float64Array(context.pairCount)
  const gain = new Float64Array(3)
  const stickSpeed = shownFriction(friction, context.integrator)

  return createForceLevelModel(
    context,
    {
      name,
      memorySize: gains.loads?.memorySize ?? 0,
      parameters: gains.shown(context, stickSpeed),
      remember(contacts, memory) {
        gains.loads?.begin(contacts, memory)
      },
      conclude(contacts, memory) {
        gains.loads?.end(contacts, memory)
      },
      select({ count, gap }, selected) {
        for (let i = 0; i < count; i++) selected[i] = gap[i] < 0 ? 1 : 0
      },
      coefficients(contacts, memory, { selected, active, spring, slope, damping, u }) {
        const { count, pair, gap } = contacts
        countActive(sharing, contacts, active)
        for (let i = 0; i < count; i++) {
          if (selected[i] === 0) continue
          const r = Math.max(sharing[pair[i]], 1)
          gains.write(gain, contacts, i, memory)
          const depth = 0 - gap[i]
          const stiffness = (gain[0] * lessOnePower(depth, exponent)) / r
          spring[i] = stiffness * depth
          slope[i] = exponent * stiffness
          damping[i] = spring[i] * gain[1]
        }
        gains.loads?.take(contacts, active, damping, u)
      },
    },
    friction,
    impacts,
  )
}

/**
 * y = 3/2 alpha v, from which a free impact at speed v has the restitution e: the root of y - ln(1 + y) = -e y - ln(1 - e y), the exact
 * relation of f = k dⁿ (1 + 3/2 alpha ḋ) whatever n and k are, from ∫ v dv / (1 + 3/2 alpha v) = 0 between approach and rebound (Marhefka
 * and Orin, A Compliant Contact Model with Nonlinear Damping for Simulation of Robotic Systems, 1999). For small y it is Hunt and
 * Crossley's e = 1 - alpha v.
 *
 * @param restitution above 0, up to 1
 */
export function dissipationOfRestitution(restitution: number): number {
  // for small y the logarithm loses digits; this series has a relative error of 1e-3 y
  if (restitution > 0.999) return (1.5 * (1 - restitution * restitution)) / (1 + restitution * restitution * restitution)
  let low = 0
  let high = 1 / restitution
  for (let k = 0; k < 80; k++) {
    const y = 0.5 * (low + high)
    if (y - Math.log(1 + y) + restitution * y + Math.log(1 - restitution * y) > 0) low = y
    else high = y
  }
  return 0.5 * (low + high)
}

/** The gains k and 3/2 alpha of the pairs. */
class Gains {
  /** Loads of the pairs; undefined if a stiffness is stated for all. */
  readonly loads: PairLoads | undefined
  private readonly exponent: number
  private readonly referenceSpeed: number
  private readonly impulsive: boolean
  private readonly pairs: PairPhysics
  /** 3: d0, d0^(1 - n), and the reference speed. */
  private readonly scale: Float64Array
  /** 2 a pair: its restitution, and the 3/2 alpha computed from it; NaN until computed. */
  private readonly known: Float64Array

  constructor(context: ContactModelContext, exponent: number, referenceSpeed: number, impulsive: boolean) {
    const { physical, pairCount } = context
    const d0 = physical.allowedPenetration
    this.exponent = exponent
    this.referenceSpeed = referenceSpeed
    this.impulsive = impulsive
    this.loads = physical.stiffness === undefined ? new PairLoads(context, 0, impulsive ? undefined : exponent) : undefined
    this.pairs = new PairPhysics(context, impulsive, Number.NaN, this.loads)
    this.scale = Float64Array.of(d0, Math.exp((1 - exponent) * Math.log(d0)), referenceSpeed)
    this.known = new Float64Array(2 * pairCount).fill(Number.NaN)
  }

  /** out = [k, 3/2 alpha] of contact i [N/mⁿ, s/m]; 3 entries. */
  write(out: Float64Array, contacts: ContactSet, i: number, memory: Float64Array): void {
    const { scale, known } = this
    this.pairs.writeStated(out, contacts, i, memory)
    const at = 2 * contacts.pair[i]
    if (known[at] !== contacts.restitution[i]) this.find(at, contacts, i)
    const K = out[0]
    const damping = Number.isNaN(out[1]) ? 2 * Math.sqrt(this.exponent * K * out[2]) : out[1]
    const bounces = Number.isNaN(out[1]) && known[at + 1] >= 0
    const atRest = K > 0 ? damping / (K * scale[0]) : 0
    out[0] = K * scale[1]
    out[1] = bounces ? known[at + 1] : atRest
  }

  /** Computes `known`; -1 if restitution does not determine the damper. */
  private find(at: number, { restitution }: ContactSet, i: number): void {
    const e = restitution[i]
    this.known[at] = e
    this.known[at + 1] = e > 0 && !this.impulsive ? dissipationOfRestitution(e) / this.scale[2] : -1
  }

  shown({ physical }: ContactModelContext, stickSpeed: ReportedParameter): ContactModel['parameters'] {
    const { exponent, referenceSpeed, scale } = this
    const { friction, allowedPenetration, stiffness, damping, restitution } = physical
    const { mass, stiffness: K } = this.pairs.heaviest
    const bounces = damping === undefined && restitution > 0 && !this.impulsive
    const atRest = damping ?? 2 * Math.sqrt(exponent * K * mass)
    const rate = bounces ? dissipationOfRestitution(restitution) / referenceSpeed : K > 0 ? atRest / (K * scale[0]) : 0
    const used: ReportedParameter[] = [
      { name: 'friction', value: friction, unit: '1', meaning: 'Coulomb friction of surfaces that state none' },
      shown(rows.huntCrossley.exponent, exponent),
      {
        name: 'allowedPenetration',
        value: allowedPenetration,
        unit: 'm',
        meaning: 'depth at which load over depth is the static stiffness of a pair',
      },
    ]
    if (stiffness !== undefined)
      used.push({ name: 'stiffness', value: stiffness, unit: 'N/m', meaning: 'static stiffness of one pair' })
    if (damping !== undefined)
      used.push({
        name: 'damping',
        value: damping,
        unit: 'N s/m',
        meaning: 'normal damping of one pair at the allowed penetration',
      })
    else if (!this.impulsive)
      used.push({
        name: 'restitution',
        value: restitution,
        unit: '1',
        meaning: 'of a free impact at the reference speed; at 0 none',
      })
    if (bounces) used.push(shown(rows.huntCrossley.referenceSpeed, referenceSpeed))
    return {
      used,
      derived: [
        { name: 'staticStiffness', value: K, unit: 'N/m', meaning: 'load over depth at the allowed penetration' },
        { name: 'k', value: K * scale[1], unit: 'N/m^n', meaning: 'stiffness of the heaviest on something fixed' },
        { name: 'alpha', value: (2 / 3) * rate, unit: 's/m', meaning: 'dissipation of the heaviest on something fixed' },
        stickSpeed,
      ],
      unused: damping !== undefined || this.impulsive ? ['restitution'] : [],
    }
  }
}

import type { ContactModelContext, PhysicalInputs, ReportedParameter } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'
import type { PairLoads } from './pairLoads.ts'

/** Defaults: 1 mm of penetration under the weight, dry friction 0.8, no restitution. */
export const defaultPhysicalInputs: PhysicalInputs = { allowedPenetration: 1e-3, friction: 0.8, restitution: 0 }

/** Gravity from which stiffness is derived in worlds without gravity [m/s²]. */
const STANDARD_GRAVITY = 9.80665

/**
 * Angular frequency of a tree of `mass` [kg] on the stiffness of one pair [rad/s]: the stated stiffness, or the tree's weight over the
 * allowed penetration. The latter frequency also applies to mass 0.
 */
export function staticFrequency({ physical, gravity }: ContactModelContext, mass: number): number {
  const { stiffness, allowedPenetration } = physical
  if (!(mass > 0)) return Math.sqrt(weightPerMass(gravity) / allowedPenetration)
  return Math.sqrt((stiffness ?? (mass * weightPerMass(gravity)) / allowedPenetration) / mass)
}

/** `PhysicalInputs.limitRestitution` among the parameters used, if it is stated. */
export const shownLimitRestitution = ({ limitRestitution }: PhysicalInputs): readonly ReportedParameter[] =>
  limitRestitution === undefined
    ? []
    : [{ name: 'limitRestitution', value: limitRestitution, unit: '1', meaning: 'of the limits of joints' }]

export const weightPerMass = (gravity: number) => (gravity > 0 ? gravity : STANDARD_GRAVITY)

/**
 * Static stiffness and damping of a contact's pair. Stiffness is the first stated of: the surfaces', the physical inputs', K = L /
 * allowedPenetration, L being the load of `PairLoads`, at least the weight of the heavier tree. Damping likewise: the surfaces'; the
 * inputs'; zeta 2 sqrt(K m), m being the reduced mass of the two trees and zeta the damping ratio that gives the pair's restitution, or 1
 * if impulses give restitution.
 *
 * If K follows the load, m is the mass carried by the pair, if that is greater: with the reduced mass, ten tons on light bodies would have
 * the damping of those. Not under RK4, for which such a damper on a light body is unstable.
 *
 * Fixed bodies have no weight and do not move: with one, m is the moving tree's mass; within one tree, that tree's.
 */
export class PairPhysics {
  readonly parameters: { readonly used: readonly ReportedParameter[]; readonly unused: readonly string[] }
  /** Values for the heaviest tree on a fixed body. */
  readonly heaviest: { readonly mass: number; readonly stiffness: number; readonly damping: number }
  private readonly treeOf: Int32Array
  private readonly masses: Float64Array
  /** 1: mass of the damper [kg]. */
  private readonly mass = new Float64Array(1)
  /** Stated inputs, NaN if absent; stiffness per mass [N/(m kg)]; stiffness for all pairs, if any; stiffness per load [1/m]. */
  private readonly given: Float64Array
  private readonly impulsive: boolean
  private readonly isExplicit: boolean
  private readonly loads: PairLoads | undefined
  /** 2 a pair: its restitution, and the damping ratio computed from it; NaN until computed. */
  private readonly known: Float64Array

  /**
   * @param forAll a stiffness that overrides all others, NaN for none [N/m]
   * @param loads  loads of the pairs, for models that store them
   */
  constructor(
    { physical, trees, gravity, pairCount, integrator }: ContactModelContext,
    impulsive: boolean,
    forAll = Number.NaN,
    loads?: PairLoads,
  ) {
    const { stiffness = Number.NaN, damping = Number.NaN, allowedPenetration, restitution } = physical
    this.treeOf = trees.treeOf
    this.masses = trees.mass
    this.impulsive = impulsive
    this.isExplicit = integrator === 'rk4'
    this.loads = loads
    this.given = Float64Array.of(stiffness, damping, weightPerMass(gravity) / allowedPenetration, forAll, 1 / allowedPenetration)
    this.known = new Float64Array(2 * pairCount).fill(Number.NaN)
    const mass = Math.max(0, ...trees.mass)
    const byInputs = Number.isNaN(stiffness) ? mass * this.given[2] : stiffness
    const K = Number.isNaN(forAll) ? byInputs : forAll
    const zeta = impulsive ? 1 : dampingRatioOfRestitution(restitution)
    this.heaviest = { mass, stiffness: K, damping: Number.isNaN(damping) ? zeta * 2 * Math.sqrt(K * mass) : damping }

    const used: ReportedParameter[] = []
    const unused: string[] = []
    if (!Number.isNaN(forAll)) {
      unused.push('allowedPenetration')
      if (!Number.isNaN(stiffness)) unused.push('stiffness')
    } else if (Number.isNaN(stiffness)) {
      const meaning = loads
        ? 'how deep a pair may be pressed by the load it carries'
        : 'how deep the heavier of two that meet may press one pair by its weight'
      used.push({ name: 'allowedPenetration', value: allowedPenetration, unit: 'm', meaning })
    } else {
      used.push({ name: 'stiffness', value: stiffness, unit: 'N/m', meaning: 'static stiffness of one pair' })
      unused.push('allowedPenetration')
    }
    if (!Number.isNaN(damping)) {
      used.push({ name: 'damping', value: damping, unit: 'N s/m', meaning: 'normal damping of one pair' })
      unused.push('restitution')
    } else if (impulsive) unused.push('restitution')
    else
      used.push({ name: 'restitution', value: restitution, unit: '1', meaning: 'rebound over approach speed of a free impact' })
    this.parameters = { used, unused }
  }

  /** out = [static stiffness, damping, reduced mass] of contact i [N/m, N s/m, kg]. */
  write(out: Float64Array, contacts: ContactSet, i: number, memory?: Float64Array): void {
    this.writeStated(out, contacts, i, memory)
    if (!Number.isNaN(out[1])) return
    const { loads, impulsive, isExplicit, known, mass } = this
    mass[0] = out[2]
    if (loads && memory && !isExplicit && Number.isNaN(contacts.stiffness[i])) loads.writeMass(mass, memory, contacts.pair[i])
    out[1] = 2 * Math.sqrt(out[0] * mass[0])
    if (impulsive) return
    const at = 2 * contacts.pair[i]
    if (known[at] !== contacts.restitution[i]) this.find(at, contacts, i)
    out[1] *= known[at + 1]
  }

  /** `write`, but NaN for a damping that neither surfaces nor inputs state. */
  writeStated(out: Float64Array, contacts: ContactSet, i: number, memory?: Float64Array): void {
    const { treeOf, masses: mass, given, loads } = this
    const a = treeOf[contacts.bodyA[i]]
    const b = treeOf[contacts.bodyB[i]]
    const ma = a < 0 ? 0 : mass[a]
    const mb = b < 0 ? 0 : mass[b]
    const heavier = ma > mb ? ma : mb
    const two = a !== b && ma > 0 && mb > 0
    const ofSurfaces = contacts.stiffness[i]
    const byWeight = given[2] * heavier
    out[0] = 0
    if (loads && memory) loads.write(out, 0, memory, contacts.pair[i])
    const byLoad = given[4] * out[0]
    const derived = byLoad > byWeight ? byLoad : byWeight
    const ofInputs = Number.isNaN(given[0]) ? derived : given[0]
    const ofPair = Number.isNaN(ofSurfaces) ? ofInputs : ofSurfaces
    const damping = contacts.damping[i]
    out[0] = Number.isNaN(given[3]) ? ofPair : given[3]
    out[1] = Number.isNaN(damping) ? given[1] : damping
    out[2] = two ? (ma * mb) / (ma + mb) : heavier
  }

  private find(at: number, { restitution }: ContactSet, i: number): void {
    this.known[at] = restitution[i]
    this.known[at + 1] = dampingRatioOfRestitution(restitution[i])
  }
}

/**
 * Rebound speed over approach speed of a mass on a linear spring and damper that push but never pull, without gravity, for damping ratio
 * zeta: the contact ends when the force reaches zero, before the spring is at its rest length. @unchecked
 *
 *   e = exp(-zeta / s (pi - atan2(2 zeta s, 1 - 2 zeta²))), s = sqrt(1 - zeta²), for zeta < 1;
 *   e = exp(-2) at 1; above, with s = sqrt(zeta² - 1), e = exp(-zeta / s ln((zeta + s) / (zeta - s))).
 *
 * From x'' + 2 zeta x' + x = 0, x(0) = 0, x'(0) = -1, up to the first time at which 2 zeta x' + x = 0.
 */
export function restitutionOfDampingRatio(zeta: number): number {
  if (Math.abs(zeta - 1) < 1e-9) return Math.exp(-2)
  if (zeta < 1) {
    const s = Math.sqrt(1 - zeta * zeta)
    return Math.exp((-zeta / s) * (Math.PI - Math.atan2(2 * zeta * s, 1 - 2 * zeta * zeta)))
  }
  const s = Math.sqrt(zeta * zeta - 1)
  return Math.exp((-zeta / s) * Math.log((zeta + s) * (zeta + s)))
}

/**
 * The damping ratio for a restitution, by bisection on the closed form. Restitution 0 means "no visible rebound" and has critical damping
 * (whose rebound is exp(-2) = 0.135 of the approach); others the exact ratio, from 0 for an elastic contact up to 50. @unchecked
 */
export function dampingRatioOfRestitution(restitution: number): number {
  if (restitution <= 0) return 1
  if (restitution >= 1) return 0
  let low = 0
  let high = 50
  for (let k = 0; k < 60; k++) {
    const middle = 0.5 * (low + high)
    if (restitutionOfDampingRatio(middle) > restitution) low = middle
    else high = middle
  }
  return 0.5 * (low + high)
}

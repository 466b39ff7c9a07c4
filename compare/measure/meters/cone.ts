import type { MeasuredStep } from '../measuredStep.ts'
import { Worst } from './worst.ts'

/** Excess of contact forces, impacts and moments over the friction bounds. */
export class ConeMeter {
  /** Largest distance of a contact's mean force outside its cone, impacts left out [N]. */
  force = 0
  /** Steps with an impact; the largest along its normal, and the largest distance of one outside its cone [N s]. */
  impacts = 0
  impactMax = 0
  impactOutside = 0
  readonly worst = new Worst()
  /** Sum of impulses outside of the cone, and of the normal impulses [N s]. */
  private outside = 0
  private normal = 0
  /** Whether friction under uniform pressure adds moments that no lever of a contact bounds. */
  private readonly hasPatches: boolean

  constructor({ world }: MeasuredStep) {
    this.hasPatches = world.contactModel.parameters.used.some(({ name, value }) => name === 'patch' && value === 'uniform')
  }

  /** Impulse outside of the cones over normal impulse; null where nothing was passed on. */
  get value(): number | null {
    return this.normal > 0 ? this.outside / this.normal : this.outside > 0 ? Number.POSITIVE_INFINITY : null
  }

  measure(step: MeasuredStep): void {
    const { world, count, active, friction, dt } = step
    const { impulse, impact, pair } = world.contacts
    let hit = false
    for (let i = 0; i < count; i++) {
      const c = active[i]
      const k = 3 * c
      // the force over the step, and apart from it the impact
      const fn = (impulse[k] - impact[k]) / dt
      const ft = Math.hypot(impulse[k + 1] - impact[k + 1], impulse[k + 2] - impact[k + 2]) / dt
      const force = Math.max(ft - friction[i] * Math.max(fn, 0), -fn)
      this.force = Math.max(this.force, force)
      let outside = dt * Math.max(0, force)
      const impactTangent = Math.hypot(impact[k + 1], impact[k + 2])
      if (impact[k] !== 0 || impactTangent !== 0) {
        hit = true
        this.impactMax = Math.max(this.impactMax, impact[k])
        const beyond = Math.max(impactTangent - friction[i] * Math.max(impact[k], 0), -impact[k])
        this.impactOutside = Math.max(this.impactOutside, beyond)
        outside += Math.max(0, beyond)
      }
      outside += this.momentOutside(step, c)
      this.outside += outside
      this.normal += Math.max(0, impulse[k])
      this.worst.note(outside, world.state.t[0], pair[c])
    }
    if (hit) this.impacts++
  }

  /**
   * Excess of torsional friction and rolling resistance over their bounds, as an impulse at their own levers: |m_n| ≤ mu R p_n, and
   * |m_t| ≤ √2 l p_n, since models bound it along two axes. Viscous torsion, and moments of patches, are left out.
   */
  private momentOutside({ world: { contacts } }: MeasuredStep, c: number): number {
    const { moment, torsion, rolling, mu, muStatic, viscous, impulse } = contacts
    if (this.hasPatches) return 0
    const k = 3 * c
    const pn = Math.max(0, impulse[k])
    let outside = 0
    if (torsion[c] > 0 && viscous[c] === 0)
      outside += Math.max(0, Math.abs(moment[k]) / torsion[c] - Math.max(mu[c], muStatic[c]) * pn)
    if (rolling[c] > 0) outside += Math.max(0, Math.hypot(moment[k + 1], moment[k + 2]) / rolling[c] - Math.SQRT2 * pn)
    return outside
  }
}

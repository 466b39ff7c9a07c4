import type { MeasuredStep } from '../measuredStep.ts'

/** More than the values of an Int32Array. */
const FEATURES = 0x1_0000_0000
const INSIDE_CONE = 0.95

/** Slip of each contact point over the steps in which its force lay well inside its cone. */
export class StickSlipMeter {
  private readonly slip = new Map<number, number>()

  /** Of the point with the largest sum [m]. */
  get most(): number {
    return [...this.slip.values()].reduce((most, slip) => Math.max(most, slip), 0)
  }

  measure({ world, count, active, slipEnd, dt }: MeasuredStep): void {
    const { impulse, impact, mu, pair, feature } = world.contacts
    for (let i = 0; i < count; i++) {
      const c = active[i]
      const k = 3 * c
      const fn = (impulse[k] - impact[k]) / dt
      const ft = Math.hypot(impulse[k + 1] - impact[k + 1], impulse[k + 2] - impact[k + 2]) / dt
      if (!(impulse[k] > 0 && fn > 0 && ft < INSIDE_CONE * mu[c] * fn)) continue
      const key = pair[c] * FEATURES + feature[c]
      this.slip.set(key, (this.slip.get(key) ?? 0) + slipEnd[i] * dt)
    }
  }
}

import type { MeasuredStep } from '../measuredStep.ts'

/** Which pairs of shapes pass on a force. */
export class TouchingMeter {
  /** How often a pair began or ceased to pass on force. */
  changes = 0
  /** Whether anything passed on a force so far. */
  ever = false
  /** Sum of the normal forces of the step, impacts left out [N]. */
  force = 0
  private readonly now: Uint8Array
  private readonly before: Uint8Array

  constructor({ world }: MeasuredStep) {
    this.now = new Uint8Array(world.pairs.count)
    this.before = new Uint8Array(world.pairs.count)
  }

  measure({ world, count, active, dt, taken }: MeasuredStep): void {
    const { now, before } = this
    const { impulse, impact, pair } = world.contacts
    before.set(now)
    now.fill(0)
    this.force = 0
    for (let i = 0; i < count; i++) {
      const c = active[i]
      if (!(impulse[3 * c] > 0)) continue
      now[pair[c]] = 1
      this.force += (impulse[3 * c] - impact[3 * c]) / dt
    }
    for (let i = 0; i < now.length; i++) {
      if (now[i] !== before[i] && taken > 1) this.changes++
      if (now[i]) this.ever = true
    }
  }
}

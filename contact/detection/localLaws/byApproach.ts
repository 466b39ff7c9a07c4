import type { Data } from '../../../dynamics/index.ts'
import type { ContactSet } from '../../contactSet.ts'
import { type LocalLaw, scaleFriction, speedsOf } from './localLaw.ts'

/**
 * Impacts by their speed v of approach, with v / (v + speed) as the part of them that is fast: restitution times 1 - fall of that, as of
 * materials that yield; friction times 1 - slip of that. @unchecked
 */
export class ByApproach implements LocalLaw {
  private readonly fall: number
  private readonly slip: number
  private readonly speed: number
  private readonly speeds = new Float64Array(2)
  private readonly factor = new Float64Array(1)

  constructor({ fall, slip, speed }: { readonly fall: number; readonly slip: number; readonly speed: number }) {
    this.fall = fall
    this.slip = slip
    this.speed = speed
  }

  write(data: Data, contacts: ContactSet): void {
    const { fall, slip, speed, speeds, factor } = this
    const { restitution } = contacts
    for (let i = 0; i < contacts.count; i++) {
      speedsOf(data, contacts, i, speeds)
      const fast = speeds[0] > 0 ? speeds[0] / (speeds[0] + speed) : 0
      factor[0] = Math.max(0, 1 - slip * fast)
      scaleFriction(contacts, i, factor, 0)
      restitution[i] = Math.min(1, Math.max(0, restitution[i] * (1 - fall * fast)))
    }
  }
}

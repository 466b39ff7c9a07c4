import type { Data } from '../../../dynamics/index.ts'
import type { ContactSet } from '../../contactSet.ts'
import { type LocalLaw, scaleFriction, speedsOf } from './localLaw.ts'

/** Friction times 1 + rise s / (s + slip), s a speed [m/s]: it falls with the speed of slip for a positive rise. @unchecked */
export class BySlip implements LocalLaw {
  private readonly rise: number
  private readonly speed: number
  private readonly speeds = new Float64Array(2)
  private readonly factor = new Float64Array(1)

  constructor({ rise, speed }: { readonly rise: number; readonly speed: number }) {
    this.rise = rise
    this.speed = speed
  }

  write(data: Data, contacts: ContactSet): void {
    const { rise, speed, speeds, factor } = this
    for (let i = 0; i < contacts.count; i++) {
      speedsOf(data, contacts, i, speeds)
      factor[0] = 1 + (rise * speed) / (speed + speeds[1])
      scaleFriction(contacts, i, factor, 0)
    }
  }
}

import type { MeasuredStep } from '../measuredStep.ts'
import { SurfaceMeter } from './surfaces.ts'
import { Worst } from './worst.ts'

/** Impulses of contacts that pushed beside a surface (`SurfaceMeter`). */
export class OffSurfaceMeter {
  readonly surfaces: SurfaceMeter
  /** Sum of their normal impulses, and of all [N s]. */
  impulse = 0
  normal = 0
  readonly worst = new Worst()

  constructor({ world }: MeasuredStep) {
    this.surfaces = new SurfaceMeter(world)
  }

  /** null where nothing was passed on. */
  get value(): number | null {
    return this.normal > 0 ? this.impulse / this.normal : null
  }

  measure({ world, start, end, count, active }: MeasuredStep): void {
    const { contacts, state } = world
    for (let i = 0; i < count; i++) {
      const c = active[i]
      const pn = contacts.impulse[3 * c]
      if (!(pn > 0)) continue
      this.normal += pn
      if (!this.surfaces.isOff(contacts, c, start, end)) continue
      this.impulse += pn
      this.worst.note(pn, state.t[0], contacts.pair[c])
    }
  }
}

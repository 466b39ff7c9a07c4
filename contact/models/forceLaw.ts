import type { ContactModel } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'

export { type FrictionOptions, readFrictionOptions, shownFriction } from './friction/index.ts'

/**
 * Normal force law of a force-level model: active contacts and coefficients. The normal force of contact i is max(spring - damping vn, 0),
 * where vn is the speed of separation; `slope` is the spring force's increase per metre of depth.
 */
export interface ForceLaw {
  readonly name: string
  readonly memorySize: number
  readonly parameters: ContactModel['parameters']
  /** Updates the memory for the contacts at the start of a step. Called once a step. */
  remember(contacts: ContactSet, memory: Float64Array): void
  /** Updates the memory with the impulses of the step. Called once a step. */
  conclude(contacts: ContactSet, memory: Float64Array): void
  /** Writes 1 to `selected` for each contact whose force may be nonzero, else 0. */
  select(contacts: ContactSet, selected: Uint8Array): void
  /**
   * Writes spring [N], slope [N/m] and damping [N s/m] of every selected contact to the workspace. There `active` marks the contacts with
   * nonzero force, which a law that shares its force among them counts, and `u` is the velocity at the start of the step or stage.
   */
  coefficients(contacts: ContactSet, memory: Float64Array, work: ForceWorkspace): void
}

/** Writes the number of active contacts of each pair to `out`; entries of pairs without contacts are kept. */
export function countActive(out: Float64Array, { count, pair }: ContactSet, active: Uint8Array): void {
  for (let i = 0; i < count; i++) out[pair[i]] = 0
  for (let i = 0; i < count; i++) if (active[i] !== 0) out[pair[i]]++
}

/** Per-contact workspaces of a force law, grown with the contact set. */
export class ForceWorkspace {
  selected = new Uint8Array(0)
  active = new Uint8Array(0)
  spring = new Float64Array(0)
  slope = new Float64Array(0)
  damping = new Float64Array(0)
  /** 3 a contact: velocity of B's point relative to A's along normal, tangent 1, tangent 2. */
  u = new Float64Array(0)
  /** 3 a contact: force on B along normal, tangent 1, tangent 2. */
  force = new Float64Array(0)

  reserve(capacity: number): boolean {
    if (capacity <= this.selected.length) return false
    this.selected = new Uint8Array(capacity)
    this.active = new Uint8Array(capacity)
    this.spring = new Float64Array(capacity)
    this.slope = new Float64Array(capacity)
    this.damping = new Float64Array(capacity)
    this.u = new Float64Array(3 * capacity)
    this.force = new Float64Array(3 * capacity)
    return true
  }
}

import { ContactSet } from '../contactSet.ts'
import { grown } from '../grown.ts'

/** Contacts some of which stand for a part of the area of a patch. */
export class VolumeContacts extends ContactSet {
  /** Area that a contact stands for over the pair's own (`VolumeNarrowphase`); 0 for contacts that are points. */
  share = new Float64Array(this.capacity)

  override reserve(capacity: number): void {
    if (capacity <= this.capacity) return
    super.reserve(capacity)
    this.share = grown(this.share, capacity)
  }

  override append(other: ContactSet, k: number): void {
    const i = this.count
    super.append(other, k)
    this.share[i] = other instanceof VolumeContacts ? other.share[k] : 0
  }
}

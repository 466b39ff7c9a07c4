import { ContactSet } from '../../contactSet.ts'
import { grown } from '../../grown.ts'

/** Contacts, some of which represent a part of a patch's area. @unchecked */
export class VolumeContacts extends ContactSet {
  /** Area that a contact represents, relative to the pair's own area (`VolumeNarrowphase`); 0 for point contacts. */
  share = new Float64Array(this.capacity)
  /** 3 a contact: offset from its point of the friction that has the moment of uniform pressure on the patch, in world axes [m]. */
  drawn = new Float64Array(3 * this.capacity)

  override reserve(capacity: number): void {
    if (capacity <= this.capacity) return
    super.reserve(capacity)
    this.share = grown(this.share, capacity)
    this.drawn = grown(this.drawn, 3 * capacity)
  }

  override append(other: ContactSet, k: number): void {
    const i = this.count
    super.append(other, k)
    const isVolume = other instanceof VolumeContacts
    this.share[i] = isVolume ? other.share[k] : 0
    for (let d = 0; d < 3; d++) this.drawn[3 * i + d] = isVolume ? other.drawn[3 * k + d] : 0
  }
}

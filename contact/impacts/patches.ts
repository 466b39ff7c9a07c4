import type { ContactSet } from '../contactSet.ts'
import type { TouchingPairs } from './touching.ts'

/** Greatest difference between gaps of contacts in one patch of a rigid pair, and greatest gap of a touching patch [m]. */
const FLAT = 1e-5
/** Least cosine of the angle between the normals of a pair's contacts in one patch: 1.4e-3 rad. */
const SAME_NORMAL = 1 - 1e-6

const RESTING = 0
const ELIGIBLE = 1
const RETIRED = 2

/**
 * Contact patches, at which impulses act: all contacts of one pair of bodies with one normal. A patch's centroid, friction and restitution
 * are the means over its contacts. A pair that touches on several sides has a patch for each.
 *
 * Entry p of each array is patch p.
 */
export class ContactPatches {
  count = 0
  /** Number of patches that are or were eligible for impacts. */
  eligibleCount = 0
  pair = new Int32Array(0)
  bodyA = new Int32Array(0)
  bodyB = new Int32Array(0)
  /** Number of its contacts. */
  size = new Int32Array(0)
  /** 3 a patch [m], and 9: normal, tangent 1, tangent 2; both in world axes. */
  centroid = new Float64Array(0)
  axes = new Float64Array(0)
  /** 3 a patch: sliding friction, static friction, restitution. */
  friction = new Float64Array(0)
  /** 3 a patch: velocity of B's centroid relative to A's along the axes [m/s]. */
  u = new Float64Array(0)
  /** Per patch: its normal velocity before all impulses of the step [m/s]. */
  unBefore = new Float64Array(0)
  /** 9 a patch: response of u to an impulse; and 1 if that is computed. */
  K = new Float64Array(0)
  known = new Uint8Array(0)
  /** Per patch: 1 if it had an impulse with restitution. */
  bounced = new Uint8Array(0)
  /** 3 a patch: total impulse on B; and the first 3 of 9: the last impulse. Both in world axes [N s]. */
  total = new Float64Array(0)
  push = new Float64Array(0)
  /** Per contact: its patch. */
  patchOf = new Int32Array(0)

  /** Per rigid patch, whose impacts precede touch: gap [m], and change of the normal velocity by forces in the step [m/s]. */
  private gap = new Float64Array(0)
  private drift = new Float64Array(0)
  /** Per patch: `ContactSet.inverse2`. */
  private inverse2 = new Float64Array(0)

  private readonly touching: TouchingPairs
  private readonly leastApproach: Float64Array
  private readonly dt: Float64Array
  private isRigid = false
  /** Per patch: RESTING, ELIGIBLE or RETIRED; and the next patch of its pair, -1 after the last. */
  private stage = new Uint8Array(0)
  private next = new Int32Array(0)
  /** Per pair of bodies: its first patch; valid only if that patch currently is of this pair. */
  private readonly firstOfPair: Int32Array

  /**
   * @param leastApproach 1: least approach speed of an impact [m/s]
   * @param dt            1: time step [s]
   */
  constructor(touching: TouchingPairs, leastApproach: Float64Array, dt: Float64Array) {
    this.dt = dt
    this.touching = touching
    this.leastApproach = leastApproach
    this.firstOfPair = new Int32Array(touching.count)
  }

  /** Groups contacts into patches; those of newly touching pairs may impact. */
  build(contacts: ContactSet): void {
    this.isRigid = false
    this.begin(contacts)
    for (let i = 0; i < contacts.count; i++) this.enter(contacts, i)
    this.average()
  }

  /**
   * `build` for contacts that may still be apart: all that would close within the step may impact, whether or not they touched before.
   *
   * @param active        per contact: 1 to include it
   * @param uStart, uFree 3 a contact: its velocity at the start of the step, and at its end without contact
   */
  buildRigid(contacts: ContactSet, active: Uint8Array, uStart: Float64Array, uFree: Float64Array): void {
    this.isRigid = true
    this.begin(contacts)
    const { gap, drift, size, patchOf } = this
    for (let i = 0; i < contacts.count; i++) {
      patchOf[i] = -1
      if (active[i] === 1) this.enter(contacts, i)
    }
    for (let i = 0; i < contacts.count; i++) {
      const p = patchOf[i]
      if (p >= 0) drift[p] += (uFree[3 * i] - uStart[3 * i]) / size[p]
    }
    for (let p = 0; p < this.count; p++) if (gap[p] <= FLAT) gap[p] = 0
    this.eligibleCount = this.count
    this.average()
  }

  private begin({ capacity }: ContactSet): void {
    this.reserve(capacity)
    this.count = 0
    this.eligibleCount = 0
  }

  private enter(contacts: ContactSet, i: number): void {
    let p = this.find(contacts, i)
    if (p < 0) p = this.open(contacts, i)
    this.patchOf[i] = p
    this.add(contacts, i, p)
  }

  private average(): void {
    const { size, centroid, friction } = this
    for (let p = 0; p < this.count; p++) {
      const part = 1 / size[p]
      for (let d = 0; d < 3; d++) {
        centroid[3 * p + d] *= part
        friction[3 * p + d] *= part
      }
    }
  }

  /** The eligible patch with the fastest approach, if faster than `leastApproach`, else -1; the first of equals. */
  fastest(): number {
    const { count, stage, u, leastApproach } = this
    let found = -1
    let speed = -leastApproach[0]
    for (let p = 0; p < count; p++) {
      if (stage[p] !== ELIGIBLE || !(u[3 * p] < speed)) continue
      found = p
      speed = u[3 * p]
    }
    return found
  }

  /**
   * For rigid contacts: the patch that closes first among those that would close within the step and approach faster than `leastApproach`;
   * of equals, such as touching patches, the fastest; -1 if there is none.
   */
  first(): number {
    const { count, stage, u, gap, drift, leastApproach } = this
    const dt = this.dt[0]
    let found = -1
    let speed = -leastApproach[0]
    let after = Number.POSITIVE_INFINITY
    for (let p = 0; p < count; p++) {
      const un = u[3 * p]
      if (stage[p] === RETIRED || !(un < -leastApproach[0]) || !(gap[p] + dt * (un + drift[p]) <= 0)) continue
      const time = gap[p] / -un
      if (!(time < after || (time === after && un < speed))) continue
      found = p
      speed = un
      after = time
    }
    return found
  }

  /** Makes a resting patch eligible if impulses have increased its approach speed by more than `leastApproach`. */
  admitJolted(p: number): void {
    const { stage, u, unBefore, leastApproach } = this
    if (stage[p] !== RESTING || !(u[3 * p] < unBefore[p] - leastApproach[0])) return
    stage[p] = ELIGIBLE
    this.eligibleCount++
  }

  /** Excludes a patch from the rest of this step. */
  retire(p: number): void {
    this.stage[p] = RETIRED
  }

  private find(contacts: ContactSet, i: number): number {
    const { pair, bodyA, bodyB, axes, next, firstOfPair } = this
    const { normal, tangent1, inverse2 } = contacts
    const k = this.touching.of(contacts, i)
    const first = firstOfPair[k]
    if (first >= this.count || pair[first] !== k) return -1
    for (let p = first; p >= 0; p = next[p]) {
      const cosine = axes[9 * p] * normal[3 * i] + axes[9 * p + 1] * normal[3 * i + 1] + axes[9 * p + 2] * normal[3 * i + 2]
      // links joined by fixed joints count as one body of a pair, but have numbers of their own
      if (!(cosine >= SAME_NORMAL) || bodyA[p] !== contacts.bodyA[i] || bodyB[p] !== contacts.bodyB[i]) continue
      if (inverse2[i] !== this.inverse2[p] || (inverse2[i] !== 1 && !this.isAlong(tangent1, i, p))) continue
      if (!this.isRigid || Math.abs(contacts.gap[i] - this.gap[p]) <= FLAT) return p
    }
    return -1
  }

  /** Whether contact i has the friction axes of patch p: a patch may join several shapes with surfaces of their own. */
  private isAlong(tangent1: Float64Array, i: number, p: number): boolean {
    let cosine = 0
    for (let d = 0; d < 3; d++) cosine += this.axes[9 * p + 3 + d] * tangent1[3 * i + d]
    return Math.abs(cosine) >= SAME_NORMAL
  }

  private open(contacts: ContactSet, i: number): number {
    const { pair, bodyA, bodyB, size, centroid, axes, friction, known, total, stage, next, firstOfPair } = this
    const { normal, tangent1, tangent2 } = contacts
    const p = this.count++
    const k = this.touching.of(contacts, i)
    const first = firstOfPair[k]
    next[p] = first < p && pair[first] === k ? first : -1
    firstOfPair[k] = p
    pair[p] = k
    bodyA[p] = contacts.bodyA[i]
    bodyB[p] = contacts.bodyB[i]
    size[p] = 0
    known[p] = 0
    this.bounced[p] = 0
    this.gap[p] = contacts.gap[i]
    this.drift[p] = 0
    this.inverse2[p] = contacts.inverse2[i]
    stage[p] = this.touching.fresh[k] !== 0 ? ELIGIBLE : RESTING
    this.eligibleCount += stage[p]
    for (let d = 0; d < 3; d++) {
      centroid[3 * p + d] = 0
      friction[3 * p + d] = 0
      total[3 * p + d] = 0
      axes[9 * p + d] = normal[3 * i + d]
      axes[9 * p + 3 + d] = tangent1[3 * i + d]
      axes[9 * p + 6 + d] = tangent2[3 * i + d]
    }
    return p
  }

  /** u += the mean velocity of surfaces that run along each patch's tangents. */
  addRunning({ count, tangent1, tangent2, inverse2, running }: ContactSet): void {
    const { patchOf, size, axes, u } = this
    for (let i = 0; i < count; i++) {
      const p = patchOf[i]
      if (p < 0) continue
      for (let d = 0; d < 3; d++) {
        const n = 3 * i
        const w = running[n + 1] * tangent1[n + d] + running[n + 2] * inverse2[i] * tangent2[n + d]
        u[3 * p + 1] += (w * axes[9 * p + 3 + d]) / size[p]
        u[3 * p + 2] += (w * axes[9 * p + 6 + d]) / size[p]
      }
    }
  }

  private add({ point, mu, muStatic, restitution }: ContactSet, i: number, p: number): void {
    const { size, centroid, friction } = this
    size[p]++
    for (let d = 0; d < 3; d++) centroid[3 * p + d] += point[3 * i + d]
    friction[3 * p] += mu[i]
    friction[3 * p + 1] += Math.max(mu[i], muStatic[i])
    friction[3 * p + 2] += restitution[i]
  }

  private reserve(capacity: number): void {
    if (capacity <= this.size.length) return
    this.pair = new Int32Array(capacity)
    this.bodyA = new Int32Array(capacity)
    this.bodyB = new Int32Array(capacity)
    this.size = new Int32Array(capacity)
    this.centroid = new Float64Array(3 * capacity)
    this.axes = new Float64Array(9 * capacity)
    this.friction = new Float64Array(3 * capacity)
    this.u = new Float64Array(3 * capacity)
    this.unBefore = new Float64Array(capacity)
    this.gap = new Float64Array(capacity)
    this.drift = new Float64Array(capacity)
    this.inverse2 = new Float64Array(capacity)
    this.K = new Float64Array(9 * capacity)
    this.known = new Uint8Array(capacity)
    this.bounced = new Uint8Array(capacity)
    this.total = new Float64Array(3 * capacity)
    this.push = new Float64Array(9 * capacity)
    this.patchOf = new Int32Array(capacity)
    this.stage = new Uint8Array(capacity)
    this.next = new Int32Array(capacity)
  }
}

import type { Elimination, Model } from '../../dynamics/index.ts'
import type { ContactSet } from '../contactSet.ts'

/**
 * Which contacts and joint limits act upon one another: those of one tree do, and those of trees that contacts lead
 * between. What fixed bodies touch they do not tie together. Islands come in the order of their first contacts, then of
 * their first limits; the contacts of an island keep their order, so do its limits.
 */
export class Islands {
  count = 0
  /** Island i has contacts[contactStart[i]] to contacts[contactStart[i + 1] - 1]; contacts that move nothing are in none. */
  contacts = new Int32Array(0)
  contactStart = new Int32Array(0)
  /** The same for limits. */
  limits = new Int32Array(0)
  limitStart = new Int32Array(0)

  private readonly treeOfV: Int32Array
  private readonly treeOfBody: Int32Array
  /** Per tree: another of its island, in the end the lowest of these. */
  private readonly leader: Int32Array
  /** Per tree: the number of the island that it leads, -1 if none yet. */
  private readonly numberOf: Int32Array
  /** Per contact, and per limit: its island, or -1. */
  private ofContact = new Int32Array(0)
  private ofLimit = new Int32Array(0)

  constructor({ nb, vLast }: Model, { treeOfV, treeCount }: Elimination) {
    this.treeOfV = treeOfV
    this.treeOfBody = Int32Array.from({ length: nb }, (_, i) => (vLast[i] < 0 ? -1 : treeOfV[vLast[i]]))
    this.leader = new Int32Array(treeCount)
    this.numberOf = new Int32Array(treeCount)
    this.contactStart = new Int32Array(treeCount + 1)
    this.limitStart = new Int32Array(treeCount + 1)
  }

  /** @param limitVelocity the velocity of each of `limitCount` joint limits */
  find({ capacity, count, bodyA, bodyB }: ContactSet, limitCount: number, limitVelocity: Int32Array): void {
    this.reserve(capacity, limitVelocity.length)
    const { treeOfBody, treeOfV, leader, numberOf, ofContact, ofLimit } = this
    for (let t = 0; t < leader.length; t++) {
      leader[t] = t
      numberOf[t] = -1
    }
    for (let i = 0; i < count; i++) {
      const a = treeOfBody[bodyA[i]]
      const b = treeOfBody[bodyB[i]]
      if (a >= 0 && b >= 0 && a !== b) this.join(a, b)
    }
    this.count = 0
    for (let i = 0; i < count; i++) {
      const a = treeOfBody[bodyA[i]]
      const b = treeOfBody[bodyB[i]]
      const tree = a > b ? a : b // either, if both move
      ofContact[i] = tree < 0 ? -1 : this.number(tree)
    }
    for (let l = 0; l < limitCount; l++) ofLimit[l] = this.number(treeOfV[limitVelocity[l]])
    sortInto(this.contacts, this.contactStart, ofContact, count, this.count)
    sortInto(this.limits, this.limitStart, ofLimit, limitCount, this.count)
  }

  private reserve(contacts: number, limits: number): void {
    if (contacts > this.contacts.length) {
      this.contacts = new Int32Array(contacts)
      this.ofContact = new Int32Array(contacts)
    }
    if (limits > this.limits.length) {
      this.limits = new Int32Array(limits)
      this.ofLimit = new Int32Array(limits)
    }
  }

  private leaderOf(tree: number): number {
    const { leader } = this
    let t = tree
    while (leader[t] !== t) {
      leader[t] = leader[leader[t]]
      t = leader[t]
    }
    return t
  }

  private join(a: number, b: number): void {
    const x = this.leaderOf(a)
    const y = this.leaderOf(b)
    if (x < y) this.leader[y] = x
    else this.leader[x] = y
  }

  private number(tree: number): number {
    const leader = this.leaderOf(tree)
    if (this.numberOf[leader] < 0) this.numberOf[leader] = this.count++
    return this.numberOf[leader]
  }
}

/** Lists 0 to count - 1 by their islands, each in the order that they have. */
function sortInto(list: Int32Array, start: Int32Array, island: Int32Array, count: number, islands: number): void {
  for (let i = 0; i <= islands; i++) start[i] = 0
  for (let n = 0; n < count; n++) if (island[n] >= 0) start[island[n] + 1]++
  for (let i = 0; i < islands; i++) start[i + 1] += start[i]
  for (let n = 0; n < count; n++) if (island[n] >= 0) list[start[island[n]]++] = n
  // each start stands now where the next one belongs
  for (let i = islands; i > 0; i--) start[i] = start[i - 1]
  start[0] = 0
}

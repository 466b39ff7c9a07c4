import type { Model, SparseCholesky } from '../../dynamics/index.ts'
import type { ContactSet } from '../contactSet.ts'
import type { LoopRows } from './couplings/loopRows.ts'
import type { JointSource } from './jointSource.ts'

/**
 * Islands of coupled contacts, joint rows and loop rows: those of one tree, and those of trees connected by contacts or loops. Fixed bodies
 * couple nothing. Islands come in the order of their first contacts, then of their first joint rows, then of their first loop rows; within
 * an island the order is kept.
 */
export class Islands {
  count = 0
  /** Island i has contacts[contactStart[i]] to contacts[contactStart[i + 1] - 1]. Contacts between fixed bodies are in none. */
  contacts = new Int32Array(0)
  contactStart = new Int32Array(0)
  /** Joint rows and loop rows of the islands, indexed like `contacts`. */
  joints = new Int32Array(0)
  jointStart = new Int32Array(0)
  loops = new Int32Array(0)
  loopStart = new Int32Array(0)
  /** Trees of island i: trees[treeStart[i]] to trees[treeStart[i + 1] - 1]. */
  readonly trees: Int32Array
  readonly treeStart: Int32Array
  /** Per island: the mass of its heaviest tree [kg]. */
  readonly heaviest: Float64Array

  private readonly treeOfV: Int32Array
  /** Per body: its tree, -1 if it is fixed. */
  readonly treeOfBody: Int32Array
  /** Per tree: its parent in the union-find, whose roots are the lowest trees of their islands. */
  private readonly leader: Int32Array
  /** Per tree: number of the island whose union-find root it is, -1 if none yet. */
  private readonly numberOf: Int32Array
  /** Per contact, joint row and loop row: its island, -1 if none. */
  private ofContact = new Int32Array(0)
  private readonly ofJoint: Int32Array
  private readonly ofTree: Int32Array
  private readonly ofLoop: Int32Array
  private readonly massOfTree: Float64Array

  constructor({ nb, vLast, I }: Model, { treeOfV, treeCount }: SparseCholesky, joints: JointSource, loops: LoopRows) {
    this.treeOfV = treeOfV
    this.treeOfBody = Int32Array.from({ length: nb }, (_, i) => (vLast[i] < 0 ? -1 : treeOfV[vLast[i]]))
    this.leader = new Int32Array(treeCount)
    this.numberOf = new Int32Array(treeCount)
    this.trees = new Int32Array(treeCount)
    this.treeStart = new Int32Array(treeCount + 1)
    this.ofTree = new Int32Array(treeCount)
    this.contactStart = new Int32Array(treeCount + 1)
    this.jointStart = new Int32Array(treeCount + 1)
    this.loopStart = new Int32Array(treeCount + 1)
    this.joints = new Int32Array(joints.capacity)
    this.ofJoint = new Int32Array(joints.capacity)
    this.loops = new Int32Array(loops.count)
    this.ofLoop = new Int32Array(loops.count)
    this.heaviest = new Float64Array(treeCount)
    this.massOfTree = new Float64Array(treeCount)
    for (let i = 1; i < nb; i++) if (this.treeOfBody[i] >= 0) this.massOfTree[this.treeOfBody[i]] += I[i][0]
  }

  find({ capacity, count, bodyA, bodyB }: ContactSet, joints: JointSource, loops: LoopRows): void {
    if (capacity > this.contacts.length) this.reserve(capacity)
    const { treeOfBody, treeOfV, leader, numberOf, ofContact, ofJoint, ofLoop } = this
    for (let t = 0; t < leader.length; t++) {
      leader[t] = t
      numberOf[t] = -1
    }
    for (let i = 0; i < count; i++) {
      const a = treeOfBody[bodyA[i]]
      const b = treeOfBody[bodyB[i]]
      if (a >= 0 && b >= 0 && a !== b) this.join(a, b)
    }
    for (let r = 0; r < loops.count; r++) {
      const a = treeOfBody[loops.bodyA[r]]
      const b = treeOfBody[loops.bodyB[r]]
      if (a >= 0 && b >= 0 && a !== b && loops.isOn(loops.loop[r])) this.join(a, b)
    }
    if (joints.lengths.count > 0) this.joinLengths(joints)
    this.count = 0
    for (let i = 0; i < count; i++) {
      const a = treeOfBody[bodyA[i]]
      const b = treeOfBody[bodyB[i]]
      const tree = a > b ? a : b // either, if both move
      ofContact[i] = tree < 0 ? -1 : this.number(tree)
    }
    for (let j = 0; j < joints.count; j++) ofJoint[j] = this.number(treeOfV[joints.velocity[j]])
    for (let r = 0; r < loops.count; r++) {
      const a = treeOfBody[loops.bodyA[r]]
      const b = treeOfBody[loops.bodyB[r]]
      ofLoop[r] = loops.isOn(loops.loop[r]) ? this.number(a > b ? a : b) : -1
    }
    sortInto(this.contacts, this.contactStart, ofContact, count, this.count)
    sortInto(this.joints, this.jointStart, ofJoint, joints.count, this.count)
    sortInto(this.loops, this.loopStart, ofLoop, loops.count, this.count)
    this.weigh()
    sortInto(this.trees, this.treeStart, this.ofTree, this.ofTree.length, this.count)
  }

  /** Joins the trees of each length that has a row. */
  private joinLengths({ lengths, coordinate, count }: JointSource): void {
    const { treeOfV } = this
    for (let j = 0; j < count; j++) {
      if (coordinate[j] < treeOfV.length) continue
      const list = lengths.velocitiesOf(coordinate[j] - treeOfV.length)
      for (let c = 1; c < list.length; c++)
        if (treeOfV[list[c]] !== treeOfV[list[0]]) this.join(treeOfV[list[0]], treeOfV[list[c]])
    }
  }

  private weigh(): void {
    const { heaviest, massOfTree, leader, numberOf, ofTree, count } = this
    heaviest.fill(0, 0, count)
    for (let t = 0; t < leader.length; t++) {
      const island = numberOf[this.leaderOf(t)]
      ofTree[t] = island
      if (island >= 0 && massOfTree[t] > heaviest[island]) heaviest[island] = massOfTree[t]
    }
  }

  private reserve(contacts: number): void {
    this.contacts = new Int32Array(contacts)
    this.ofContact = new Int32Array(contacts)
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

/** Stable counting sort of 0 to count - 1 by island. */
function sortInto(list: Int32Array, start: Int32Array, island: Int32Array, count: number, islands: number): void {
  for (let i = 0; i <= islands; i++) start[i] = 0
  for (let n = 0; n < count; n++) if (island[n] >= 0) start[island[n] + 1]++
  for (let i = 0; i < islands; i++) start[i + 1] += start[i]
  for (let n = 0; n < count; n++) if (island[n] >= 0) list[start[island[n]]++] = n
  // each start is now that of the next island
  for (let i = islands; i > 0; i--) start[i] = start[i - 1]
  start[0] = 0
}

import type { ImpulseProblem } from '../constraints/index.ts'
import type { ContactModelContext } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'

/**
 * Parts of a world that are solved one after another: trees connected by contacts or loops, the `Islands` at the start of the step. Trees
 * without contacts form the last part.
 */
export class Partition {
  /** Number of parts with contacts. */
  count = 0
  /** Part per tree, and per body; -1 for fixed bodies. */
  readonly ofTree: Int32Array
  readonly ofBody: Int32Array
  private readonly treeOf: Int32Array

  constructor({ trees }: ContactModelContext) {
    this.treeOf = trees.treeOf
    this.ofTree = new Int32Array(trees.mass.length)
    this.ofBody = new Int32Array(trees.treeOf.length)
  }

  find({ islands, joints, loops }: ImpulseProblem, contacts: ContactSet): void {
    const { ofTree } = this
    islands.find(contacts, joints, loops.loops)
    const { contactStart, trees, treeStart } = islands
    ofTree.fill(-1)
    this.count = 0
    for (let i = 0; i < islands.count; i++) {
      if (contactStart[i] === contactStart[i + 1]) continue
      for (let t = treeStart[i]; t < treeStart[i + 1]; t++) ofTree[trees[t]] = this.count
      this.count++
    }
    for (let t = 0; t < ofTree.length; t++) if (ofTree[t] < 0) ofTree[t] = this.count
    this.writeBodies()
  }

  /** Joins the parts of two bodies; the second body's part becomes empty. */
  join(bodyA: number, bodyB: number): void {
    const { ofTree, ofBody } = this
    const kept = Math.min(ofBody[bodyA], ofBody[bodyB])
    const gone = Math.max(ofBody[bodyA], ofBody[bodyB])
    for (let t = 0; t < ofTree.length; t++) if (ofTree[t] === gone) ofTree[t] = kept
    this.writeBodies()
  }

  private writeBodies(): void {
    const { treeOf, ofTree, ofBody } = this
    for (let i = 0; i < ofBody.length; i++) ofBody[i] = treeOf[i] < 0 ? -1 : ofTree[treeOf[i]]
  }
}

import { bodiesOn, FreeTree, JointType, type RestFrame } from '../../dynamics/index.ts'
import { LengthRows, type LoopClosure } from '../constraints/index.ts'
import type { ContactModelContext, ContactStep } from '../contactModel.ts'

/** Of a tree that a loop that is on now holds. */
const BY_LOOP = 3

/**
 * Free flight in the steps of all contact models: what nothing touches moves as `FreeTree` and `FreeRotation` say, whose velocity over
 * the step is not that at its end. All else moves by the velocity at its end, for which the rows of contacts and loops were solved: what has a
 * loop, or a length that its floating root changes; trees with a contact in the step's list, which for rigid models begins two steps before touching; and single bodies with one that gives
 * them an impulse.
 */
export class FreeFlight {
  private readonly frame: RestFrame
  private readonly staysHeld: boolean
  private readonly treeOf: Int32Array
  /** Per tree: its root, if it floats, else 0; and its flight, if it has several bodies. */
  private readonly roots: Int32Array
  private readonly flights: readonly (FreeTree | undefined)[]
  /** Per tree: 1 with a loop or a length outside it; and 1 with one or a contact in this step. */
  private readonly hasLoop: Uint8Array
  private readonly switched: readonly LoopClosure[]
  private readonly isHeld: Uint8Array
  /** Per tree: 1 if its `FreeTree` flies in this step. */
  private readonly isFlying: Uint8Array

  /**
   * @param flies     whether trees of several bodies do
   * @param staysHeld whether bodies with a contact in the list do not, whatever it gives them; else `settle` decides
   */
  constructor({ model, trees, loops = [] }: ContactModelContext, frame: RestFrame, flies: boolean, staysHeld: boolean) {
    const { treeOf, mass } = trees
    this.frame = frame
    this.staysHeld = staysHeld
    this.treeOf = treeOf
    this.hasLoop = new Uint8Array(mass.length)
    this.switched = loops.filter((loop) => loop.switch)
    for (const body of loops.flatMap((loop) => (loop.switch ? [] : [loop.bodyA, loop.bodyB]))) {
      if (treeOf[body] >= 0) this.hasLoop[treeOf[body]] = 1
    }
    const lengths = new LengthRows(model)
    for (const k of lengths.constraints.flatMap((_, i) => [...lengths.velocitiesOf(i)])) {
      const body = model.bodyOfV[k]
      if (model.jointType[body] === JointType.floating) this.hasLoop[treeOf[body]] = 1
    }
    this.isHeld = new Uint8Array(mass.length)
    this.isFlying = new Uint8Array(mass.length)
    this.roots = new Int32Array(mass.length)
    for (const body of bodiesOn(model, JointType.floating)) if (model.parent[body] === 0) this.roots[treeOf[body]] = body
    this.flights = Array.from(this.roots, (root, tree) => {
      let end = root
      while (end < model.nb && treeOf[end] === tree) end++
      const isOne = flies && this.hasLoop[tree] === 0 && treeOf.lastIndexOf(tree) < end && FreeTree.isOne(model, root, end)
      return isOne ? new FreeTree(model, root, end) : undefined
    })
  }

  /** Changes `acceleration` and `shift` of the frame after its `begin`. */
  begin({ model, state, contacts, dt }: ContactStep): void {
    const { frame, treeOf, roots, flights, hasLoop, isHeld, isFlying, staysHeld } = this
    const { count, bodyA, bodyB } = contacts
    for (let tree = 0; tree < roots.length; tree++) {
      isHeld[tree] = hasLoop[tree]
      isFlying[tree] = 0
    }
    for (let l = 0; l < this.switched.length; l++) this.holdBySwitched(l)
    for (let i = 0; i < count; i++) {
      if (treeOf[bodyA[i]] >= 0) isHeld[treeOf[bodyA[i]]] |= 1
      if (treeOf[bodyB[i]] >= 0) isHeld[treeOf[bodyB[i]]] |= 1
    }
    for (let tree = 0; tree < roots.length; tree++) {
      const at = model.vStart[roots[tree]]
      if (roots[tree] === 0) continue
      const flight = flights[tree]
      if (isHeld[tree] !== 0 && (staysHeld || hasLoop[tree] === 1 || isHeld[tree] === BY_LOOP)) this.hold(at)
      if (isHeld[tree] !== 0 || flight === undefined) continue
      isFlying[tree] = 1
      flight.fly(state.q, model.qStart[roots[tree]], state.v, at, dt)
      const { correction, shift } = flight
      for (let k = 0; k < shift.length; k++) {
        frame.acceleration[at + k] += correction[k]
        frame.shift[at + k] = shift[k]
      }
    }
  }

  /** Of bodies with a contact in the list, those that it gave nothing fly too. Call before the frame's `finish`. */
  settle({ model }: ContactStep, vFree: Float64Array, vNext: Float64Array): void {
    const { roots, isHeld } = this
    for (let tree = 0; tree < roots.length; tree++) {
      if (roots[tree] === 0 || isHeld[tree] === 0) continue
      const at = model.vStart[roots[tree]]
      let isFree = true
      for (let k = at; k < at + 6; k++) if (vNext[k] !== vFree[k]) isFree = false
      if (!isFree) this.hold(at)
    }
  }

  /** Holds the trees of a loop that is on now. */
  private holdBySwitched(l: number): void {
    const { bodyA, bodyB, switch: own } = this.switched[l]
    if (own?.state[0] !== 1) return
    for (let end = 0; end < 2; end++) {
      const tree = this.treeOf[end === 0 ? bodyA : bodyB]
      if (tree >= 0) this.isHeld[tree] = BY_LOOP
    }
  }

  private hold(at: number): void {
    for (let d = 0; d < 6; d++) this.frame.shift[at + d] = 0
  }

  /** Restores momentum after the frame's `finish`. */
  end({ model, state, tau, dt }: ContactStep): void {
    const { roots, flights, isFlying } = this
    for (let tree = 0; tree < roots.length; tree++) {
      if (isFlying[tree] === 0) continue
      flights[tree]?.land(state.q, model.qStart[roots[tree]], state.v, model.vStart[roots[tree]], tau, dt)
    }
  }
}

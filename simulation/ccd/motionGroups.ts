import type { LoopClosure } from '../../contact/index.ts'
import type { State } from '../../dynamics/index.ts'
import type { StepMotion } from './stepMotion.ts'

/** Groups of bodies that stop together in a step: trees, with those connected by loops counted as one. */
export class MotionGroups {
  /** Per body: its group; -1 for the world. */
  readonly of: Int32Array
  /** Per group: fraction of the step in which it moves. */
  readonly part: Float64Array
  /** Per group: 1 if its motion is given; and the body of given motion that carries it on from the end of its own, 0 without one. */
  private readonly isGiven: Uint8Array
  private readonly carrier: Int32Array

  /** @param treeOf, loops, isGiven as in `TunnellingScene` */
  constructor(treeOf: Int32Array, loops: readonly LoopClosure[], isGiven: (body: number) => boolean) {
    const nb = treeOf.length
    this.of = groupsOf(treeOf, loops)
    this.part = new Float64Array(nb)
    this.isGiven = new Uint8Array(nb)
    for (let i = 1; i < nb; i++) if (this.of[i] >= 0 && isGiven(i)) this.isGiven[this.of[i]] = 1
    this.carrier = new Int32Array(nb)
  }

  /** All move through the whole step. */
  begin(): void {
    this.part.fill(1)
    this.carrier.fill(0)
  }

  /** Ends the motion of a body's group at s, unless it ended before or is given. @param other the body that it meets there */
  stop(body: number, s: number, other: number): void {
    const { of, part, isGiven, carrier } = this
    const group = of[body]
    if (group < 0 || isGiven[group] === 1 || part[group] <= s) return
    part[group] = s
    carrier[group] = of[other] >= 0 && isGiven[of[other]] === 1 ? other : 0
  }

  /** Whether group x carries group y. */
  carries(x: number, y: number): boolean {
    return x >= 0 && y >= 0 && this.of[this.carrier[y]] === x
  }

  /** Shortens the motion. @param state in and out: at the end of the step */
  end(motion: StepMotion, { q, v }: State): void {
    const { of, part, carrier } = this
    for (let i = 1; i < of.length; i++) {
      const g = of[i]
      if (g < 0 || part[g] === 1) continue
      motion.cutJoint(i, part, g, q, v)
      if (carrier[g] > 0) motion.carryJoint(i, carrier[g], part, g, q, v)
    }
  }
}

/** Per body: its tree, with trees connected by loops counted as one; -1 for the world. */
function groupsOf(treeOf: Int32Array, loops: readonly LoopClosure[]): Int32Array {
  const groups = treeOf.slice()
  for (const { bodyA, bodyB } of loops) {
    const [kept, merged] = [groups[bodyA], groups[bodyB]]
    if (kept < 0 || merged < 0) continue
    groups.forEach((group, i) => {
      if (group === merged) groups[i] = kept
    })
  }
  return groups
}

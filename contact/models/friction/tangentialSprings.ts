import { type Data, place3, rotateTransposed3 } from '../../../dynamics/index.ts'
import type { ContactStep, Trees } from '../../contactModel.ts'
import type { ContactSet } from '../../contactSet.ts'
import { SpringMemory } from './springMemory.ts'

/** Most stored points: per pair of shapes, and in total. */
const POINTS_A_PAIR = 16
const MOST_POINTS = 4096

/** Most points in the memory of the springs of `pairCount` pairs. */
export const springCapacity = (pairCount: number): number => Math.min(POINTS_A_PAIR * Math.max(pairCount, 1), MOST_POINTS)

/**
 * A tangential spring and damper at each contact point, f_t = -k e - c v_t, e being the slip of the point since it stuck: Hwang, Inohira,
 * Konno and Uchiyama, An order n dynamic simulator for a humanoid robot with a virtual spring-damper contact model (ICRA 2003); Yamane and
 * Nakamura, Stable penalty-based model of frictional contacts (ICRA 2006). Beyond the friction limit the anchor slides, so that the spring
 * stays at the limit.
 *
 * A spring is stored as its anchor, in the axes of body A, and its attached point, in those of body B. Both move with the bodies; the
 * vector between them is e. At the end of a step both are reset at the contact point of its start, with the same e. So e grows with slip
 * alone: a rolling wheel stretches no spring while its contact point moves, and a body on a turning one turns with it.
 *
 * k is a fraction of the normal stiffness (Mindlin 1949: 2 (1 - nu) / (2 - nu), 0.82 for steel), and c is critical for the tree's mass, the
 * reduced mass of two trees, shared by the pair's points.
 */
export class TangentialSprings {
  /** Per contact: 1 if it has a spring; none beyond the capacity. */
  has = new Uint8Array(0)
  /** 3 a contact: e at the start of the step, in world axes, orthogonal to the normal [m]. */
  extension = new Float64Array(0)
  /** Per contact: stiffness [N/m] and damping [N s/m], set by `stiffen`. */
  stiffness = new Float64Array(0)
  damping = new Float64Array(0)
  /** Number of contacts of the last `begin` beyond the capacity. */
  left = 0
  private readonly memory: SpringMemory
  /** 1: ratio of tangential to normal stiffness. */
  private readonly ratio: Float64Array
  private readonly trees: Trees
  /** Per contact: its part of the pair's mass [kg]. */
  private mass = new Float64Array(0)
  /** 3: an anchor, and its attached point. */
  private readonly anchor = new Float64Array(3)
  private readonly hook = new Float64Array(3)
  /** Per pair: number of its active points. */
  private readonly sharing: Int32Array

  /**
   * @param ratio  tangential over normal stiffness
   * @param offset index of the springs' part in the model's memory
   */
  constructor(pairCount: number, trees: Trees, ratio: number, offset: number) {
    this.memory = new SpringMemory(springCapacity(pairCount), offset)
    this.ratio = Float64Array.of(ratio)
    this.trees = trees
    this.sharing = new Int32Array(pairCount)
  }

  /** Finds the springs of the selected contacts, and their extensions. */
  begin(contacts: ContactSet, data: Data, memory: Float64Array, selected: Uint8Array): void {
    const { has, extension, sharing } = this.reserve(contacts.capacity)
    const { count, pair, feature } = contacts
    this.memory.open(memory)
    this.left = 0
    sharing.fill(0)
    let room = this.memory.capacity
    for (let i = 0; i < count; i++) {
      has[i] = 0
      extension[3 * i] = 0
      extension[3 * i + 1] = 0
      extension[3 * i + 2] = 0
      if (selected[i] === 0) continue
      sharing[pair[i]]++
      if (room === 0) {
        this.left++
        continue
      }
      room--
      has[i] = 1
      const at = this.memory.find(memory, pair[i], feature[i])
      if (at >= 0) this.recall(contacts, data, memory, at, i)
    }
    for (let i = 0; i < count; i++) if (has[i] !== 0) this.weigh(contacts, i)
  }

  /** e = the attached point less the anchor, without the part along the normal. */
  private recall({ bodyA, bodyB, normal }: ContactSet, { R_WB, p_WB }: Data, memory: Float64Array, at: number, i: number): void {
    const { extension, anchor, hook } = this
    for (let d = 0; d < 3; d++) {
      anchor[d] = memory[at + d]
      hook[d] = memory[at + 3 + d]
    }
    place3(anchor, R_WB[bodyA[i]], p_WB[bodyA[i]], anchor)
    place3(hook, R_WB[bodyB[i]], p_WB[bodyB[i]], hook)
    const n = 3 * i
    const x = hook[0] - anchor[0]
    const y = hook[1] - anchor[1]
    const z = hook[2] - anchor[2]
    const along = x * normal[n] + y * normal[n + 1] + z * normal[n + 2]
    extension[n] = x - along * normal[n]
    extension[n + 1] = y - along * normal[n + 1]
    extension[n + 2] = z - along * normal[n + 2]
  }

  private weigh({ bodyA, bodyB, pair }: ContactSet, i: number): void {
    const { treeOf, mass } = this.trees
    const a = treeOf[bodyA[i]]
    const b = treeOf[bodyB[i]]
    const ma = a < 0 ? 0 : mass[a]
    const mb = b < 0 ? 0 : mass[b]
    const two = a !== b && ma > 0 && mb > 0
    this.mass[i] = (two ? (ma * mb) / (ma + mb) : ma > mb ? ma : mb) / this.sharing[pair[i]]
  }

  /** Sets stiffness and damping of contact i from the slope of its normal force, slope[at] [N/m]. */
  stiffen(i: number, slope: Float64Array, at: number): void {
    const k = this.ratio[0] * slope[at]
    this.stiffness[i] = k
    this.damping[i] = 2 * Math.sqrt(k * this.mass[i])
  }

  /** Removes the springs of the last step; `keep` stores those of this one. */
  clear(memory: Float64Array): void {
    this.memory.clear(memory)
  }

  /** Adds the motion of a surface that runs, over the step, to the extension of contact i: its anchor stays where it is in the body. */
  run({ contacts: { running, tangent1, tangent2, inverse2 }, dt }: ContactStep, i: number): void {
    const n = 3 * i
    for (let d = n; d < n + 3; d++)
      this.extension[d] += dt * (running[n + 1] * tangent1[d] + running[n + 2] * inverse2[i] * tangent2[d])
  }

  /**
   * Stores extension[3 i..] as the spring of contact i. It is the extension at the start of the step; of a slipping contact, that at the
   * end less the step's increment. Reads `kinematics` of the start of the step in data.
   */
  keep({ pair, feature, bodyA, bodyB, point }: ContactSet, { R_WB, p_WB }: Data, memory: Float64Array, i: number): void {
    const { extension, anchor, hook } = this
    const at = this.memory.append(memory, pair[i], feature[i])
    for (let d = 0; d < 3; d++) {
      const x = point[3 * i + d]
      hook[d] = x - p_WB[bodyB[i]][d]
      anchor[d] = x - extension[3 * i + d] - p_WB[bodyA[i]][d]
    }
    rotateTransposed3(anchor, R_WB[bodyA[i]], anchor)
    rotateTransposed3(hook, R_WB[bodyB[i]], hook)
    for (let d = 0; d < 3; d++) {
      memory[at + d] = anchor[d]
      memory[at + 3 + d] = hook[d]
    }
  }

  private reserve(capacity: number): this {
    if (capacity <= this.has.length) return this
    this.has = new Uint8Array(capacity)
    this.extension = new Float64Array(3 * capacity)
    this.stiffness = new Float64Array(capacity)
    this.damping = new Float64Array(capacity)
    this.mass = new Float64Array(capacity)
    return this
  }
}

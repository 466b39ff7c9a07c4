import {
  type ArticulatedInertias,
  articulatedInertias,
  createArticulatedInertias,
  type Data,
  JointType,
  type Model,
} from '../../dynamics/index.ts'
import { RowKind, type RowSet } from './rowSet.ts'

/**
 * Whether the matrices based on articulated inertias support this model: no joint follows another, and all floating joints are at
 * roots.
 */
export function isArticulated({ nb, nv, ns, parent, jointType }: Model): boolean {
  for (let i = 1; i < nb; i++) if (jointType[i] === JointType.floating && parent[i] !== 0) return false
  return ns === nv
}

/**
 * Common part of the two matrices based on the articulated-body algorithm: the inertias, and the sides of the rows, as
 * wrenches. A joint with several velocities is a chain of joints with one each, so that the tree is one of velocities:
 * velocity k moves a node of its own relative to that of `next[k]`, and a body is the node of its last velocity.
 */
export class ArticulatedResponse {
  readonly model: Model
  readonly inertias: ArticulatedInertias
  private begunWith: Data | undefined

  // sides
  /**
   * Each entry has a side at each of its moving bodies, and a joint's row has one at either end of the joint; those of
   * entry i are sideStart[i] to sideStart[i + 1] - 1.
   */
  sideCount = 0
  sideStart = new Int32Array(1)
  /** Per side: its velocity; and 18, the wrench [moment; force] of each row's unit impulse about the tree's center. */
  velocity = new Int32Array(0)
  wrench = new Float64Array(0)

  constructor(model: Model, user: string) {
    if (!isArticulated(model)) throw notArticulated(model, user)
    this.model = model
    this.inertias = createArticulatedInertias(model)
  }

  begin(data: Data, added: Float64Array): void {
    articulatedInertias(this.model, data, this.inertias, added)
    this.begunWith = data
  }

  get data(): Data {
    if (this.begunWith === undefined)
      throw new Error('the contact matrix has no configuration yet; call begin(data, added) first.')
    return this.begunWith
  }

  /** Lists the sides of all entries. */
  listSides(rows: RowSet): void {
    const { count, kind, bodyA, bodyB, joint } = rows
    const { vLast } = this.model
    const { next } = this.inertias
    const { data } = this
    this.reserve(count)
    const { sideStart } = this
    this.sideCount = 0
    for (let i = 0; i < count; i++) {
      sideStart[i] = this.sideCount
      if (kind[i] === RowKind.joint) {
        this.addJointSides(rows, i, joint[i], next[joint[i]])
        continue
      }
      const a = vLast[bodyA[i]]
      const b = vLast[bodyB[i]]
      if (a === b) continue
      if (b >= 0) this.addSide(rows, i, b, data, bodyB[i], 1)
      if (a >= 0) this.addSide(rows, i, a, data, bodyA[i], -1)
    }
    sideStart[count] = this.sideCount
  }

  private reserve(count: number): void {
    if (count < this.sideStart.length) return
    const capacity = Math.max(count, 2 * this.sideStart.length)
    this.sideStart = new Int32Array(capacity + 1)
    this.velocity = new Int32Array(2 * capacity)
    this.wrench = new Float64Array(36 * capacity)
  }

  /**
   * A unit effort in a joint is a wrench F on its child, and -F on its parent, with S . F = 1: on any other joint's motion the work
   * of both cancels.
   */
  private addJointSides({ sign }: RowSet, i: number, k: number, next: number): void {
    const { velocity, wrench } = this
    const { flatS: S } = this.inertias
    const j = 6 * k
    let square = 0
    for (let c = 0; c < 6; c++) square += S[j + c] * S[j + c]
    const scale = sign[i] / square
    for (let end = 0; end < 2; end++) {
      const to = end === 0 ? k : next
      if (to === this.model.nv) continue
      const side = this.sideCount++
      velocity[side] = to
      const w = 18 * side
      const f = end === 0 ? scale : -scale
      for (let c = 0; c < 6; c++) {
        wrench[w + c] = f * S[j + c]
        wrench[w + 6 + c] = 0
        wrench[w + 12 + c] = 0
      }
    }
  }

  private addSide(rows: RowSet, i: number, k: number, data: Data, body: number, sign: number): void {
    const { velocity, wrench } = this
    const { kind, width, point, axes } = rows
    const side = this.sideCount++
    velocity[side] = k
    const c = 3 * data.center[body]
    const { p_WB } = data.flat
    const couple = kind[i] === RowKind.couple
    const x = point[3 * i] - p_WB[c]
    const y = point[3 * i + 1] - p_WB[c + 1]
    const z = point[3 * i + 2] - p_WB[c + 2]
    for (let r = 0; r < 3; r++) {
      const w = 18 * side + 6 * r
      const t = 9 * i + 3 * r
      const f = r < width[i] ? sign : 0
      const dx = f * axes[t]
      const dy = f * axes[t + 1]
      const dz = f * axes[t + 2]
      if (!couple) {
        wrench[w] = y * dz - z * dy
        wrench[w + 1] = z * dx - x * dz
        wrench[w + 2] = x * dy - y * dx
        wrench[w + 3] = dx
        wrench[w + 4] = dy
        wrench[w + 5] = dz
      } else {
        wrench[w] = dx
        wrench[w + 1] = dy
        wrench[w + 2] = dz
        wrench[w + 3] = 0
        wrench[w + 4] = 0
        wrench[w + 5] = 0
      }
    }
  }
}

function notArticulated({ name }: Model, user: string): RangeError {
  return new RangeError(
    `${user}: model "${name}" has joints that follow others, or a floating joint inside a tree; ` +
      'expected neither. Such a model takes no matrix of this kind.',
  )
}

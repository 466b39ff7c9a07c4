import type { Model } from '../../../dynamics/index.ts'
import type { ContactStep } from '../../contactModel.ts'
import { GroupKind } from '../../solvers/index.ts'
import { LimitedJoints } from '../joints.ts'

/** Distance within which a joint limit is a row, besides the joint's travel in a step [rad, m]. */
const LIMIT_SLACK = 1e-4

/**
 * Joint rows of one step: limits that are near, and dry friction. Each acts on one velocity, with the sign of its row; its key from step to
 * step is -1 - velocity for a pair and 1, -1 (limit) or 0 (friction) for a feature.
 */
export class JointRows {
  count = 0
  readonly kind: Uint8Array
  readonly velocity: Int32Array
  /** +1 at a lower limit and for friction, -1 at an upper limit. */
  readonly sign: Int8Array
  readonly feature: Int8Array
  /** Distance to the limit, negative beyond it [rad, m]; 0 for friction. */
  readonly room: Float64Array
  /** Largest friction impulse over the step [N m s, N s]; 0 for limits. */
  readonly limit: Float64Array
  /** Opening speed of the row at the start of the step [rad/s, m/s]. */
  readonly speed: Float64Array
  /** Most rows that there can be. */
  readonly capacity: number
  private readonly model: Model
  private readonly limited: LimitedJoints
  private readonly frictional: Int32Array
  /** 2: distance below which a limit is a row, and the number of steps of travel that is added to it. */
  private readonly reach: Float64Array

  /**
   * @param dry   whether dry friction is part of the problem
   * @param early whether limits that may be reached within the step are rows; else only those passed at its start
   */
  constructor(model: Model, dry: boolean, early = true) {
    this.model = model
    this.reach = early ? Float64Array.of(LIMIT_SLACK, 2) : Float64Array.of(-Number.MIN_VALUE, 0)
    this.limited = new LimitedJoints(model)
    const { friction } = model
    this.frictional = Int32Array.from(Array.from(friction.keys()).filter((k) => dry && friction[k] > 0))
    this.capacity = 2 * this.limited.v.length + this.frictional.length
    this.kind = new Uint8Array(this.capacity)
    this.velocity = new Int32Array(this.capacity)
    this.sign = new Int8Array(this.capacity)
    this.feature = new Int8Array(this.capacity)
    this.room = new Float64Array(this.capacity)
    this.limit = new Float64Array(this.capacity)
    this.speed = new Float64Array(this.capacity)
  }

  /** Joint limits that are passed or can be reached within the step, at twice the larger speed of v and vFree; and all dry friction. */
  find({ state, dt }: ContactStep, vFree: Float64Array): void {
    const { limited, frictional, model, room, limit, speed, reach } = this
    const { lower, upper, friction } = model
    const { q, v } = state
    this.count = 0
    for (let i = 0; i < limited.v.length; i++) {
      const k = limited.v[i]
      const x = q[limited.q[i]]
      const above = x - lower[k]
      const below = upper[k] - x
      const least = v[k] < vFree[k] ? v[k] : vFree[k]
      const most = v[k] > vFree[k] ? v[k] : vFree[k]
      if (above <= reach[0] - (least < 0 ? reach[1] * dt * least : 0)) {
        room[this.count] = above
        limit[this.count] = 0
        speed[this.count] = v[k]
        this.add(GroupKind.unilateral, k, 1, 1)
      }
      if (below <= reach[0] + (most > 0 ? reach[1] * dt * most : 0)) {
        room[this.count] = below
        limit[this.count] = 0
        speed[this.count] = -v[k]
        this.add(GroupKind.unilateral, k, -1, -1)
      }
    }
    for (let i = 0; i < frictional.length; i++) {
      const k = frictional[i]
      room[this.count] = 0
      limit[this.count] = dt * friction[k]
      speed[this.count] = v[k]
      this.add(GroupKind.bounded, k, 1, 0)
    }
  }

  private add(kind: GroupKind, k: number, sign: number, feature: number): void {
    this.kind[this.count] = kind
    this.velocity[this.count] = k
    this.sign[this.count] = sign
    this.feature[this.count++] = feature
  }
}

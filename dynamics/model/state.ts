import type { Model } from './model.ts'
import { JointType } from './model.ts'

/** Complete state of a mechanism: configuration, velocity, time. A checkpoint saves exactly this. */
export interface State {
  /** nq: configuration [rad, m, unit quaternions x, y, z, w]. */
  readonly q: Float64Array
  /** nv: velocity [rad/s, m/s]. */
  readonly v: Float64Array
  /** 1: time [s]. An array, since a number in a field is boxed at every write. */
  readonly t: Float64Array
}

/** The state with every joint at zero, every quaternion the identity, and zero velocity. @unchecked */
export function createState(model: Model): State {
  const state = { q: new Float64Array(model.nq), v: new Float64Array(model.nv), t: new Float64Array(1) }
  for (let i = 1; i < model.nb; i++) {
    const at = quaternionStart(model, i)
    if (at >= 0) state.q[at + 3] = 1
  }
  return state
}

/** Index in q of the quaternion (x, y, z, w) of the joint under body i; -1 if it has none. @unchecked */
export function quaternionStart({ jointType, qStart }: Model, i: number): number {
  if (jointType[i] === JointType.floating || jointType[i] === JointType.mocap) return qStart[i] + 3
  return jointType[i] === JointType.spherical ? qStart[i] : -1
}

import {
  integrateConfiguration,
  JointType,
  type Model,
  rotate3,
  rotateTransposed3,
  rotationOfQuaternion,
} from '../../dynamics/index.ts'

/**
 * The semi-implicit step of floating joints in axes that stand still.
 *
 * A floating joint's velocity is stored in axes that turn with the body. An Euler step in turning axes lets the speed of
 * a spinning body grow (by a factor sqrt(1 + (omega dt)²) a step, in free flight too), and would press a rolling ball
 * along a curve into the ground. So a step is taken in the axes that the body had at its start, held fixed: there the
 * velocity's rate is a + [0; omega × v], which makes the bias force c(q, v) - M [0; omega × v], that is, inverse dynamics
 * at the acceleration -[0; omega × v]; the origin moves along a straight line, dt times the new velocity; and the new
 * velocity is turned into the body's new axes. Free flight then keeps the velocity of the base's origin to rounding.
 * Jacobians at the start of the step multiply exactly this velocity.
 */
export class RestFrame {
  /** nv: -[0; omega × v] of each floating joint, 0 for all others. What `rnea` takes as the acceleration. */
  readonly acceleration: Float64Array

  private readonly model: Model
  private readonly floating: Int32Array
  /** Per floating joint, 9: its rotation at the start of the step. */
  private readonly R0: Float64Array[]
  private readonly p0: Float64Array[]
  private readonly R1 = new Float64Array(9)
  private readonly a3 = new Float64Array(3)
  private readonly b3 = new Float64Array(3)

  constructor(model: Model) {
    this.model = model
    this.acceleration = new Float64Array(model.nv)
    this.floating = Int32Array.from(
      Array.from(model.jointType.keys()).filter((i) => i > 0 && model.jointType[i] === JointType.floating),
    )
    this.R0 = Array.from(this.floating, () => new Float64Array(9))
    this.p0 = Array.from(this.floating, () => new Float64Array(3))
  }

  /** Sets `acceleration` for velocity v. */
  begin(v: Float64Array): void {
    const { model, floating, acceleration: a } = this
    for (let f = 0; f < floating.length; f++) {
      const k = model.vStart[floating[f]]
      a[k + 3] = v[k + 2] * v[k + 4] - v[k + 1] * v[k + 5]
      a[k + 4] = v[k] * v[k + 5] - v[k + 2] * v[k + 3]
      a[k + 5] = v[k + 1] * v[k + 3] - v[k] * v[k + 4]
    }
  }

  /** q and v at the end of the step, from the new velocity vNext in the axes of its start. */
  finish(q: Float64Array, v: Float64Array, vNext: Float64Array, dt: number): void {
    const { model, floating, R0, p0, R1, a3, b3 } = this
    for (let f = 0; f < floating.length; f++) {
      const at = model.qStart[floating[f]]
      rotationOfQuaternion(R0[f], q, at + 3)
      for (let d = 0; d < 3; d++) p0[f][d] = q[at + d]
    }
    integrateConfiguration(model, q, vNext, dt, q)
    v.set(vNext)
    for (let f = 0; f < floating.length; f++) {
      const at = model.qStart[floating[f]]
      const k = model.vStart[floating[f]]
      for (let d = 0; d < 3; d++) a3[d] = vNext[k + 3 + d]
      rotate3(a3, R0[f], a3)
      for (let d = 0; d < 3; d++) q[at + d] = p0[f][d] + dt * a3[d]
      rotationOfQuaternion(R1, q, at + 3)
      rotateTransposed3(b3, R1, a3)
      for (let d = 0; d < 3; d++) v[k + 3 + d] = b3[d]
    }
  }
}

import { integrateConfiguration } from './integrateConfiguration.ts'
import { rotate3, rotateTransposed3, rotationOfQuaternion, sincos } from './math/index.ts'
import { JointType, type Model } from './model.ts'

/**
 * The semi-implicit step of floating and planar joints in axes that stand still.
 *
 * A floating joint's velocity is stored in axes that turn with the body. An Euler step in turning axes lets the speed of
 * a spinning body grow (by a factor sqrt(1 + (omega dt)²) a step, in free flight too), and would press a rolling ball
 * along a curve into the ground. So a step is taken in the axes that the body had at its start, held fixed: there the
 * velocity's rate is a + [0; omega × v], which makes the bias force c(q, v) - M [0; omega × v], that is, inverse dynamics
 * at the acceleration -[0; omega × v]; the origin moves along a straight line, dt times the new velocity; and the new
 * velocity is turned into the body's new axes. Free flight then keeps the velocity of the base's origin to rounding.
 * Jacobians at the start of the step multiply exactly this velocity. A planar joint is the same in its plane.
 */
export class RestFrame {
  /** nv: -[0; omega × v] of each floating and planar joint, 0 for all others. What `rnea` takes as the acceleration. */
  readonly acceleration: Float64Array

  private readonly model: Model
  private readonly floating: Int32Array
  /** Per floating joint, 9: its rotation at the start of the step. */
  private readonly R0: Float64Array[]
  private readonly p0: Float64Array[]
  private readonly planar: Int32Array
  /** Per planar joint, 3: its x, y and angle at the start of the step. */
  private readonly start: Float64Array[]
  /** 2: sine and cosine. */
  private readonly sc = new Float64Array(2)
  private readonly R1 = new Float64Array(9)
  private readonly a3 = new Float64Array(3)
  private readonly b3 = new Float64Array(3)

  constructor(model: Model) {
    this.model = model
    this.acceleration = new Float64Array(model.nv)
    this.floating = bodiesOn(model, JointType.floating)
    this.planar = bodiesOn(model, JointType.planar)
    this.R0 = Array.from(this.floating, () => new Float64Array(9))
    this.p0 = Array.from(this.floating, () => new Float64Array(3))
    this.start = Array.from(this.planar, () => new Float64Array(3))
  }

  /** Sets `acceleration` for velocity v. */
  begin(v: Float64Array): void {
    const { model, floating, planar, acceleration: a } = this
    for (let f = 0; f < planar.length; f++) {
      const k = model.vStart[planar[f]]
      a[k] = v[k + 2] * v[k + 1]
      a[k + 1] = -v[k + 2] * v[k]
    }
    for (let f = 0; f < floating.length; f++) {
      const k = model.vStart[floating[f]]
      a[k + 3] = v[k + 2] * v[k + 4] - v[k + 1] * v[k + 5]
      a[k + 4] = v[k] * v[k + 5] - v[k + 2] * v[k + 3]
      a[k + 5] = v[k + 1] * v[k + 3] - v[k] * v[k + 4]
    }
  }

  /** q and v at the end of the step, from the new velocity vNext in the axes of its start. */
  finish(q: Float64Array, v: Float64Array, vNext: Float64Array, dt: number): void {
    const { model, floating, planar, R0, p0, start, R1, a3, b3, sc } = this
    for (let f = 0; f < planar.length; f++) for (let d = 0; d < 3; d++) start[f][d] = q[model.qStart[planar[f]] + d]
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
    for (let f = 0; f < planar.length; f++) {
      const at = model.qStart[planar[f]]
      const k = model.vStart[planar[f]]
      sincos(sc, start[f], 2)
      const vx = sc[1] * vNext[k] - sc[0] * vNext[k + 1]
      const vy = sc[0] * vNext[k] + sc[1] * vNext[k + 1]
      q[at] = start[f][0] + dt * vx
      q[at + 1] = start[f][1] + dt * vy
      sincos(sc, q, at + 2)
      v[k] = sc[1] * vx + sc[0] * vy
      v[k + 1] = -sc[0] * vx + sc[1] * vy
    }
  }
}

function bodiesOn({ jointType }: Model, type: JointType): Int32Array {
  return Int32Array.from(Array.from(jointType.keys()).filter((i) => i > 0 && jointType[i] === type))
}

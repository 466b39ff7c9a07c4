import {
  mulQuaternion,
  normalizeQuaternion,
  quaternionOfRotationVector,
  rotate3,
  rotateTransposed3,
  rotationOfQuaternion,
  sincos,
} from '../math/index.ts'
import { checkLength } from '../model/checkLength.ts'
import { integrateJoint } from '../model/integrateConfiguration.ts'
import { JointType, type Model } from '../model/model.ts'
import { FreeRotation } from './freeRotation.ts'

/**
 * The semi-implicit step of floating and planar joints in axes held fixed.
 *
 * A floating joint's velocity is stored in axes that turn with the body. An Euler step in turning axes lets the speed of a spinning body
 * grow (by a factor sqrt(1 + (omega dt)²) a step, in free flight too), and would press a rolling ball along a curve into the ground. So a
 * step uses the body's axes at its start, held fixed: in these the velocity's rate is a + [0; omega × v], which makes the bias force c(q,
 * v) - M [0; omega × v], that is, inverse dynamics at the acceleration -[0; omega × v]; the origin moves along a straight line, dt times
 * the new velocity; and the new velocity is turned into the body's new axes. Free flight then keeps the velocity of the base's origin to
 * rounding. Jacobians at the start of the step multiply exactly this velocity. A planar joint is treated likewise in its plane.
 *
 * A floating body that carries no other rotates by `FreeRotation`, by any angle in a step without a gain of energy.
 */
export class RestFrame {
  /**
   * nv: -[0; omega × v] of each floating and planar joint, plus, for a free body by itself, the difference of `FreeRotation` from the
   * torque at the start; 0 for all others. Passed to `rnea` as the acceleration.
   */
  readonly acceleration: Float64Array

  private readonly model: Model
  /** Bodies on floating and on planar joints. */
  private readonly floating: Int32Array
  private readonly planar: Int32Array
  private readonly spherical: Int32Array
  /** Per hinge or slide that follows no other: its index in q and in v. */
  private readonly simpleQ: Int32Array
  private readonly simpleV: Int32Array
  /** Torque-free rotation of each floating joint's body, if it carries no other. */
  private readonly rotations: readonly (FreeRotation | undefined)[]
  /** 3: x, y and angle of a planar joint at the start of the step. */
  private readonly start = new Float64Array(3)
  /** 2: sine and cosine. */
  private readonly sc = new Float64Array(2)
  private readonly R = new Float64Array(9)
  private readonly R1 = new Float64Array(9)
  private readonly a3 = new Float64Array(3)
  /** 4: a rotation vector, then its quaternion. */
  private readonly turn = new Float64Array(4)

  /** @param explicitTurn of `FreeRotation` [rad]; Infinity: free bodies rotate by the torque at the start */
  constructor(model: Model, explicitTurn = 0) {
    this.model = model
    this.acceleration = new Float64Array(model.nv)
    this.floating = bodiesOn(model, JointType.floating)
    this.planar = bodiesOn(model, JointType.planar)
    const carries = new Set(model.parent)
    this.rotations = Array.from(this.floating, (i) =>
      explicitTurn === Infinity || model.parent[i] !== 0 || carries.has(i)
        ? undefined
        : new FreeRotation(model.I[i], explicitTurn),
    )
    this.spherical = bodiesOn(model, JointType.spherical)
    const simple = [JointType.revolute, JointType.prismatic]
      .flatMap((type) => [...bodiesOn(model, type)])
      .filter((i) => model.vStart[i + 1] > model.vStart[i])
    this.simpleQ = Int32Array.from(simple, (i) => model.qStart[i])
    this.simpleV = Int32Array.from(simple, (i) => model.vStart[i])
  }

  /** Sets `acceleration` for velocity v at the start of a step of dt. */
  begin(v: Float64Array, dt: number): void {
    const { model, floating, planar, rotations, acceleration: a } = this
    for (let f = 0; f < planar.length; f++) {
      const k = model.vStart[planar[f]]
      a[k] = v[k + 2] * v[k + 1]
      a[k + 1] = -v[k + 2] * v[k]
    }
    for (let f = 0; f < floating.length; f++) {
      const k = model.vStart[floating[f]]
      const rotation = rotations[f]
      for (let d = 0; d < 3; d++) a[k + d] = 0
      a[k + 3] = v[k + 2] * v[k + 4] - v[k + 1] * v[k + 5]
      a[k + 4] = v[k] * v[k + 5] - v[k + 2] * v[k + 3]
      a[k + 5] = v[k + 1] * v[k + 3] - v[k] * v[k + 4]
      if (rotation?.solve(v, k, dt)) addTurning(a, k, rotation)
    }
  }

  /**
   * q and v at the end of the step, from the new velocity vNext in the axes of its start.
   *
   * @param vMove velocity that moves q in place of vNext, if positions are corrected but velocities are not
   */
  finish(q: Float64Array, v: Float64Array, vNext: Float64Array, dt: number, vMove: Float64Array = vNext): void {
    const { model, floating, planar, simpleQ, simpleV, spherical } = this
    checkLength('q', q, model.nq)
    v.set(vNext)
    for (let f = 0; f < simpleQ.length; f++) q[simpleQ[f]] += vMove[simpleV[f]] * dt
    for (let f = 0; f < spherical.length; f++) integrateJoint(model, spherical[f], q, vMove, dt, q)
    for (let f = 0; f < floating.length; f++) {
      this.finishFloating(model.qStart[floating[f]], model.vStart[floating[f]], q, v, vMove, dt)
    }
    for (let f = 0; f < planar.length; f++) this.finishPlanar(planar[f], q, v, vNext, vMove, dt)
  }

  /** Rotates v, a velocity that `finish` wrote at q1, into the axes of q0, the start of its step. */
  turnBack(q0: Float64Array, q1: Float64Array, v: Float64Array): void {
    const { model, floating, planar, R, R1, a3, start, sc } = this
    const { qStart, vStart } = model
    for (const body of floating) {
      rotationOfQuaternion(R, q0, qStart[body] + 3)
      rotationOfQuaternion(R1, q1, qStart[body] + 3)
      for (let k = vStart[body]; k < vStart[body] + 6; k += 3) {
        for (let d = 0; d < 3; d++) a3[d] = v[k + d]
        rotate3(a3, R1, a3)
        rotateTransposed3(a3, R, a3)
        for (let d = 0; d < 3; d++) v[k + d] = a3[d]
      }
    }
    for (const body of planar) {
      const k = vStart[body]
      start[2] = q1[qStart[body] + 2] - q0[qStart[body] + 2]
      sincos(sc, start, 2)
      const [x, y] = [v[k], v[k + 1]]
      v[k] = sc[1] * x - sc[0] * y
      v[k + 1] = sc[0] * x + sc[1] * y
    }
  }

  /** q[at..at + 6] and v[k..k + 5], which is still in the axes of the start. */
  private finishFloating(at: number, k: number, q: Float64Array, v: Float64Array, vMove: Float64Array, dt: number): void {
    const { R, a3, turn } = this
    rotationOfQuaternion(R, q, at + 3)
    for (let d = 0; d < 3; d++) a3[d] = vMove[k + 3 + d]
    rotate3(a3, R, a3)
    for (let d = 0; d < 3; d++) q[at + d] += dt * a3[d]
    if (vMove[k + 3] !== v[k + 3] || vMove[k + 4] !== v[k + 4] || vMove[k + 5] !== v[k + 5]) {
      for (let d = 0; d < 3; d++) a3[d] = v[k + 3 + d]
      rotate3(a3, R, a3)
    }
    for (let d = 0; d < 3; d++) turn[d] = vMove[k + d] * dt
    quaternionOfRotationVector(turn, 0, turn, 0)
    mulQuaternion(q, at + 3, q, at + 3, turn, 0)
    normalizeQuaternion(q, at + 3)
    rotationOfQuaternion(R, q, at + 3)
    rotateTransposed3(a3, R, a3)
    for (let d = 0; d < 3; d++) v[k + 3 + d] = a3[d]
  }

  private finishPlanar(
    body: number,
    q: Float64Array,
    v: Float64Array,
    vNext: Float64Array,
    vMove: Float64Array,
    dt: number,
  ): void {
    const { model, start, sc } = this
    const at = model.qStart[body]
    const k = model.vStart[body]
    for (let d = 0; d < 3; d++) start[d] = q[at + d]
    integrateJoint(model, body, q, vMove, dt, q)
    sincos(sc, start, 2)
    q[at] = start[0] + dt * (sc[1] * vMove[k] - sc[0] * vMove[k + 1])
    q[at + 1] = start[1] + dt * (sc[0] * vMove[k] + sc[1] * vMove[k + 1])
    const vx = sc[1] * vNext[k] - sc[0] * vNext[k + 1]
    const vy = sc[0] * vNext[k] + sc[1] * vNext[k + 1]
    sincos(sc, q, at + 2)
    v[k] = sc[1] * vx + sc[0] * vy
    v[k + 1] = -sc[0] * vx + sc[1] * vy
  }
}

/** Adds the correction of the angular acceleration of v[k..], to be subtracted; a couple without force at the centre of mass. */
function addTurning(a: Float64Array, k: number, { rate, explicitRate, center: c }: FreeRotation): void {
  for (let d = 0; d < 3; d++) a[k + d] = explicitRate[d] - rate[d]
  a[k + 3] -= a[k + 1] * c[2] - a[k + 2] * c[1]
  a[k + 4] -= a[k + 2] * c[0] - a[k] * c[2]
  a[k + 5] -= a[k] * c[1] - a[k + 1] * c[0]
}

/** Bodies whose joints are of a type, ascending. */
export function bodiesOn({ jointType }: Model, type: JointType): Int32Array {
  return Int32Array.from(Array.from(jointType.keys()).filter((i) => i > 0 && jointType[i] === type))
}

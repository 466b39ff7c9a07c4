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
 * The semi-implicit step of floating and planar joints in axes held fixed. @unchecked
 *
 * A floating joint's velocity is stored in axes that turn with the body. An Euler step in turning axes lets the speed of a spinning body
 * grow (by a factor sqrt(1 + (omega dt)²) a step, in free flight too), and would press a rolling ball along a curve into the ground. So a
 * step uses the body's axes at its start, held fixed: in these the velocity's rate is a + [0; omega × v], which makes the bias force c(q,
 * v) - M [0; omega × v], that is, inverse dynamics at the acceleration -[0; omega × v]; the origin moves along a straight line, dt times
 * the new velocity; and the new velocity is turned into the body's new axes. Jacobians at the start of the step multiply exactly this
 * velocity. A planar joint is treated likewise in its plane.
 *
 * Of a floating body that carries no other it is the centre of mass, at c in the body's frame, that moves along a straight line, and v + omega
 * × c, its velocity, that is held: the acceleration is -[0; omega × (v + omega × c)], the origin is c's new place less R c with the rotation
 * R at the end, and its velocity is that of c less omega × c there. So the body moves in the same way wherever its frame has its origin,
 * and free flight keeps its momentum to rounding. It rotates by `FreeRotation`, which keeps energy and angular momentum at any angle in a step.
 *
 * `acceleration` and `shift` may be changed between `begin` and `finish` by a better free motion (`FreeTree`).
 */
export class RestFrame {
  /**
   * nv: -[0; omega × v] of each floating and planar joint, of v at the centre of mass of a free body by itself, plus for that the
   * difference of `FreeRotation` from the torque at the start; 0 for all others. Passed to `rnea` as the acceleration.
   */
  readonly acceleration: Float64Array
  /** nv: velocity that moves positions less that at the end of a step without forces; set by `begin`, 0 before it. */
  readonly shift: Float64Array

  private readonly model: Model
  /** Bodies on floating and on planar joints. */
  private readonly floating: Int32Array
  private readonly planar: Int32Array
  private readonly spherical: Int32Array
  /** Per hinge or slide that follows no other: its index in q and in v. */
  private readonly simpleQ: Int32Array
  private readonly simpleV: Int32Array
  /** Torque-free rotation of each floating joint's body, if it carries no other; and 3 each: the point that moves straight. */
  private readonly rotations: readonly (FreeRotation | undefined)[]
  private readonly center: Float64Array
  /** nv: velocity that moves positions. */
  private readonly move: Float64Array
  /** 3: x, y and angle of a planar joint at the start of the step. */
  private readonly start = new Float64Array(3)
  /** 2: sine and cosine. */
  private readonly sc = new Float64Array(2)
  private readonly R = new Float64Array(9)
  private readonly R1 = new Float64Array(9)
  private readonly a3 = new Float64Array(3)
  /** 4: a rotation vector, then its quaternion. */
  private readonly turn = new Float64Array(4)

  /**
   * @param explicitTurn of `FreeRotation` [rad], for free bodies whose frame's origin moves straight, as in MuJoCo's Euler; Infinity: they
   *                     rotate by the torque at the start. Default: none, and their centre of mass moves straight
   */
  constructor(model: Model, explicitTurn?: number) {
    this.model = model
    this.acceleration = new Float64Array(model.nv)
    this.shift = new Float64Array(model.nv)
    this.move = new Float64Array(model.nv)
    this.floating = bodiesOn(model, JointType.floating)
    this.planar = bodiesOn(model, JointType.planar)
    const carries = new Set(model.parent)
    this.rotations = Array.from(this.floating, (i) =>
      explicitTurn === Infinity || model.parent[i] !== 0 || carries.has(i)
        ? undefined
        : new FreeRotation(model.I[i], explicitTurn ?? 0),
    )
    this.center = new Float64Array(3 * this.floating.length)
    this.rotations.forEach((rotation, f) => {
      if (rotation !== undefined && explicitTurn === undefined) this.center.set(rotation.center, 3 * f)
    })
    this.spherical = bodiesOn(model, JointType.spherical)
    const simple = [JointType.revolute, JointType.prismatic]
      .flatMap((type) => [...bodiesOn(model, type)])
      .filter((i) => model.vStart[i + 1] > model.vStart[i])
    this.simpleQ = Int32Array.from(simple, (i) => model.qStart[i])
    this.simpleV = Int32Array.from(simple, (i) => model.vStart[i])
  }

  /** Sets `acceleration` and `shift` for velocity v at the start of a step of dt. */
  begin(v: Float64Array, dt: number): void {
    const { model, floating, planar, rotations, center: c, acceleration: a, shift } = this
    a.fill(0)
    shift.fill(0)
    for (let f = 0; f < planar.length; f++) {
      const k = model.vStart[planar[f]]
      a[k] = v[k + 2] * v[k + 1]
      a[k + 1] = -v[k + 2] * v[k]
    }
    for (let f = 0; f < floating.length; f++) {
      const k = model.vStart[floating[f]]
      const n = 3 * f
      const rotation = rotations[f]
      const x = v[k + 3] + v[k + 1] * c[n + 2] - v[k + 2] * c[n + 1]
      const y = v[k + 4] + v[k + 2] * c[n] - v[k] * c[n + 2]
      const z = v[k + 5] + v[k] * c[n + 1] - v[k + 1] * c[n]
      a[k + 3] = v[k + 2] * y - v[k + 1] * z
      a[k + 4] = v[k] * z - v[k + 2] * x
      a[k + 5] = v[k + 1] * x - v[k] * y
      if (rotation?.solve(v, k, dt)) this.addTurning(k, rotation)
    }
  }

  /** Adds the correction of the angular acceleration of v[k..], to be subtracted; a couple without force at the centre of mass. */
  private addTurning(k: number, { rate, explicitRate, shift, center: c }: FreeRotation): void {
    const { acceleration: a } = this
    for (let d = 0; d < 3; d++) {
      a[k + d] = explicitRate[d] - rate[d]
      this.shift[k + d] = shift[d]
    }
    a[k + 3] -= a[k + 1] * c[2] - a[k + 2] * c[1]
    a[k + 4] -= a[k + 2] * c[0] - a[k] * c[2]
    a[k + 5] -= a[k] * c[1] - a[k + 1] * c[0]
  }

  /**
   * q and v at the end of the step, from the new velocity vNext in the axes of its start.
   *
   * @param vMove velocity that moves q in place of vNext, if positions are corrected but velocities are not; `shift` is added
   */
  finish(q: Float64Array, v: Float64Array, vNext: Float64Array, dt: number, vMove: Float64Array = vNext): void {
    const { model, floating, planar, simpleQ, simpleV, spherical, shift } = this
    checkLength('q', q, model.nq)
    v.set(vNext)
    // only floating joints have a shift
    if (floating.length > 0) for (let k = 0; k < shift.length; k++) this.move[k] = vMove[k] + shift[k]
    const move = floating.length > 0 ? this.move : vMove
    for (let f = 0; f < simpleQ.length; f++) q[simpleQ[f]] += move[simpleV[f]] * dt
    for (let f = 0; f < spherical.length; f++) integrateJoint(model, spherical[f], q, move, dt, q)
    for (let f = 0; f < floating.length; f++) this.finishFloating(f, q, v, vMove, dt)
    for (let f = 0; f < planar.length; f++) this.finishPlanar(planar[f], q, v, vNext, move, dt)
  }

  /** Maps v, a velocity that `finish` wrote at q1, back to that in the axes of q0, the start of its step. */
  turnBack(q0: Float64Array, q1: Float64Array, v: Float64Array): void {
    const { model, floating, planar, R, R1, a3, start, sc } = this
    const { qStart, vStart } = model
    for (let f = 0; f < floating.length; f++) {
      const at = qStart[floating[f]] + 3
      const first = vStart[floating[f]]
      rotationOfQuaternion(R, q0, at)
      rotationOfQuaternion(R1, q1, at)
      this.setAtCenter(v, first, 3 * f, 1)
      for (let k = first + 3; k >= first; k -= 3) {
        for (let d = 0; d < 3; d++) a3[d] = k > first ? a3[d] : v[k + d]
        rotate3(a3, R1, a3)
        rotateTransposed3(a3, R, a3)
        for (let d = 0; d < 3; d++) v[k + d] = a3[d]
      }
      this.setAtCenter(v, first, 3 * f, -1)
      for (let d = 0; d < 3; d++) v[first + 3 + d] = a3[d]
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

  /** q and v of a floating joint, of which v is still in the axes of the start. The new angular velocity is the same in those of the end. */
  private finishFloating(f: number, q: Float64Array, v: Float64Array, vMove: Float64Array, dt: number): void {
    const { model, center: c, shift, R, a3, turn } = this
    const at = model.qStart[this.floating[f]]
    const k = model.vStart[this.floating[f]]
    const n = 3 * f
    const isAtOrigin = c[n] === 0 && c[n + 1] === 0 && c[n + 2] === 0
    rotationOfQuaternion(R, q, at + 3)
    this.setAtCenter(vMove, k, n, 1)
    for (let d = 0; d < 3; d++) a3[d] += shift[k + 3 + d]
    rotate3(a3, R, a3)
    for (let d = 0; d < 3; d++) q[at + d] += dt * a3[d]
    if (!isAtOrigin) this.moveCenter(q, at, n, 1)
    this.setAtCenter(v, k, n, 1)
    rotate3(a3, R, a3)
    for (let d = 0; d < 3; d++) turn[d] = (vMove[k + d] + shift[k + d]) * dt
    quaternionOfRotationVector(turn, 0, turn, 0)
    mulQuaternion(q, at + 3, q, at + 3, turn, 0)
    normalizeQuaternion(q, at + 3)
    rotationOfQuaternion(R, q, at + 3)
    rotateTransposed3(a3, R, a3)
    for (let d = 0; d < 3; d++) v[k + 3 + d] = a3[d]
    if (isAtOrigin) return
    this.setAtCenter(v, k, n, -1)
    for (let d = 0; d < 3; d++) v[k + 3 + d] = a3[d]
    this.moveCenter(q, at, n, -1)
  }

  /** a3 := v[k+3..] + sign v[k..] × c, from the velocity of the origin to that of the centre, or back. */
  private setAtCenter(v: Float64Array, k: number, n: number, sign: number): void {
    const { center: c, a3 } = this
    a3[0] = v[k + 3] + sign * (v[k + 1] * c[n + 2] - v[k + 2] * c[n + 1])
    a3[1] = v[k + 4] + sign * (v[k + 2] * c[n] - v[k] * c[n + 2])
    a3[2] = v[k + 5] + sign * (v[k] * c[n + 1] - v[k + 1] * c[n])
  }

  /** q[at..at+2] += sign R c. */
  private moveCenter(q: Float64Array, at: number, n: number, sign: number): void {
    const { center: c, R } = this
    for (let d = 0; d < 3; d++) {
      q[at + d] += sign * (R[3 * d] * c[n] + R[3 * d + 1] * c[n + 1] + R[3 * d + 2] * c[n + 2])
    }
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

/** Bodies whose joints are of a type, ascending. @unchecked */
export function bodiesOn({ jointType }: Model, type: JointType): Int32Array {
  return Int32Array.from(Array.from(jointType.keys()).filter((i) => i > 0 && jointType[i] === type))
}

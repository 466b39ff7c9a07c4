import { rotationOfQuaternion, sincos } from '../math/index.ts'
import { createData, type Data } from '../model/data.ts'
import { JointType, type Model } from '../model/model.ts'
import { createState, type State } from '../model/state.ts'
import { crbaOnBranches } from './fast/crba.ts'
import { kinematics } from './kinematics.ts'
import { RestFrame } from './restFrame.ts'
import { rnea } from './rnea.ts'

/**
 * M and c of a linearly implicit trapezoidal step. Potra, Anitescu, Gavrea and Trinkle, A linearly implicit trapezoidal method for
 * integrating stiff multibody dynamics with contact, joints, and friction, Int. J. Numer. Meth. Eng. 66 (2006), there in maximal
 * coordinates, whose M is constant; here in generalised ones. For M(q) dv/dt = k(q, v) + Jᵀ f, dq/dt = v the trapezoidal rule is @unchecked
 *
 *   q⁺ = q + h (v + v⁺) / 2,    (M + M⁺) / 2 · (v⁺ - v) = h (k + k⁺) / 2 + Jᵀ p
 *
 * (to its order, h³ a step, one may as well average M as M⁻¹ k). k = tau - c(q, v) - K (q - rest) - D v. Springs and damping are linearised
 * about the start, k⁺ = k - K (q⁺ - q) - D (v⁺ - v) with q⁺ - q = h v + h (v⁺ - v) / 2, which leaves one linear system,
 *
 *   (M~ + h D / 2 + h² K / 4) (v⁺ - v) = h (tau - c~ - K (q - rest) - D v) - h² K v / 2 + Jᵀ p,
 *
 * as `PassiveJoints` adds with theta = 1/2. M and c have no stiffness, so that M~ = (M + M⁺) / 2 and c~ = (c + c⁺) / 2 may use a predicted
 * end, whose v_p has an error of h² and q_p = q + h (v + v_p) / 2: it solves the same system with M and c of the start, and p of the last
 * step. If p jumps, because a contact begins, slips or ends, the step is of first order.
 *
 * The linear velocity of a floating or planar joint is in the axes of the start, held fixed (`RestFrame`): quantities in axes of the end
 * are rotated back, M⁺ and c⁺ by the congruence of v_end = T v_start.
 */
export class TrapezoidalDynamics {
  /** nv x nv, nv: M~ and c~ of the last `average`. */
  readonly M: Float64Array
  readonly c: Float64Array
  /** Kinematics of the predicted end. */
  readonly data: Data
  private readonly model: Model
  private readonly end: State
  private readonly frame: RestFrame
  private readonly mean: Float64Array
  /** Bodies on floating and planar joints. */
  private readonly turning: Int32Array
  private readonly R0 = new Float64Array(9)
  private readonly R1 = new Float64Array(9)
  /** 9: rotation from axes of the end to those of the start; and 3 entries to be rotated. */
  private readonly R = new Float64Array(9)
  private readonly x = new Float64Array(3)

  constructor(model: Model) {
    const { nv, jointType } = model
    this.model = model
    this.M = new Float64Array(nv * nv)
    this.c = new Float64Array(nv)
    this.mean = new Float64Array(nv)
    this.end = createState(model)
    this.data = createData(model)
    this.frame = new RestFrame(model, Infinity)
    this.turning = Int32Array.from(
      Array.from(jointType.keys()).filter(
        (i) => i > 0 && (jointType[i] === JointType.floating || jointType[i] === JointType.planar),
      ),
    )
  }

  /**
   * Sets M and c to the means over the step.
   *
   * @param start of the step
   * @param frame used for the end of the step
   * @param v     nv: the predicted velocity at its end, in axes of its start
   * @param M     nv x nv, c nv: at its start
   */
  average({ q, v: vStart }: State, dt: number, frame: RestFrame, v: Float64Array, M: Float64Array, c: Float64Array): void {
    const { model, end, data, mean, M: outM, c: outC, turning } = this
    end.q.set(q)
    mean.set(v)
    this.meanVelocity(vStart, v, mean)
    frame.finish(end.q, end.v, v, dt, mean)
    kinematics(model, end, data)
    crbaOnBranches(model, data)
    this.frame.begin(end.v, dt)
    rnea(model, end, this.frame.acceleration, data, outC)
    outM.set(data.M)
    for (let i = 0; i < turning.length; i++) this.turnMatrix(turning[i], q)
    this.turnBack(outC, 0, q)
    for (let k = 0; k < outM.length; k++) outM[k] = 0.5 * (outM[k] + M[k])
    for (let k = 0; k < outC.length; k++) outC[k] = 0.5 * (outC[k] + c[k])
  }

  /** vMove += (v - vNext) / 2, which moves positions by the mean of both. */
  meanVelocity(v: Float64Array, vNext: Float64Array, vMove: Float64Array): void {
    for (let k = 0; k < vMove.length; k++) vMove[k] += 0.5 * (v[k] - vNext[k])
  }

  /** Rotates a[at..at + nv - 1], a force or a row of J, from axes of the end to those of the start at q. */
  turnBack(a: Float64Array, at: number, q: Float64Array): void {
    const { turning } = this
    for (let n = 0; n < turning.length; n++) this.turn(a, at + this.setTurn(turning[n], q), 1)
  }

  /** Rotates the rows and columns of M for the linear velocity of the joint under body i in the same manner. */
  private turnMatrix(i: number, q: Float64Array): void {
    const { M } = this
    const { nv } = this.model
    const k = this.setTurn(i, q)
    for (let j = 0; j < nv; j++) this.turn(M, k * nv + j, nv)
    for (let j = 0; j < nv; j++) this.turn(M, j * nv + k, 1)
  }

  /** R := rotation from the axes of the joint under body i at q_p to those at q. @returns the first velocity that it rotates */
  private setTurn(i: number, q: Float64Array): number {
    const { qStart, vStart, jointType } = this.model
    if (jointType[i] === JointType.floating) {
      this.setTurnInSpace(q, qStart[i] + 3)
      return vStart[i] + 3
    }
    this.setTurnInPlane(q, qStart[i] + 2)
    return vStart[i]
  }

  /** R := R(q)ᵀ R(q_p) of the quaternions at `at`. */
  private setTurnInSpace(q: Float64Array, at: number): void {
    const { R0, R1, R } = this
    rotationOfQuaternion(R0, q, at)
    rotationOfQuaternion(R1, this.end.q, at)
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) R[3 * i + j] = R0[i] * R1[j] + R0[3 + i] * R1[3 + j] + R0[6 + i] * R1[6 + j]
    }
  }

  /** R := rotation between the planar joint's angles; the third entry of its velocity is their rate. */
  private setTurnInPlane(q: Float64Array, at: number): void {
    const { R, x } = this
    x[0] = this.end.q[at] - q[at]
    sincos(x, x, 0)
    R.fill(0)
    R[0] = x[1]
    R[1] = -x[0]
    R[3] = x[0]
    R[4] = x[1]
    R[8] = 1
  }

  /** a[at], a[at + stride], a[at + 2 stride] := R times them. */
  private turn(a: Float64Array, at: number, stride: number): void {
    const { R, x } = this
    for (let d = 0; d < 3; d++) x[d] = a[at + d * stride]
    for (let d = 0; d < 3; d++) a[at + d * stride] = R[3 * d] * x[0] + R[3 * d + 1] * x[1] + R[3 * d + 2] * x[2]
  }
}

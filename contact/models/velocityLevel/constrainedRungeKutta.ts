import {
  bodiesOn,
  integrateJoint,
  JointType,
  type Model,
  mulQuaternion,
  normalizeQuaternion,
  quaternionOfRotationVector,
  rotate3,
  rotateTransposed3,
  rotationOfQuaternion,
  sincos,
} from '../../../dynamics/index.ts'
import type { ContactModelContext, ContactStep } from '../../contactModel.ts'
import type { ContactSet } from '../../contactSet.ts'
import { StageImpulses } from '../stageImpulses.ts'

/** Time of each stage, and its weight, in steps. */
const TIME = [0, 0.5, 0.5, 1]
const WEIGHT = [1 / 6, 1 / 3, 1 / 3, 1 / 6]

/**
 * The classical Runge-Kutta step of accelerations with contacts, as MuJoCo has it: each of the four stages detects contacts and solves for
 * their forces. Of order 4 between changes of contacts.
 *
 *   x_i = x_0 + h t_i a_{i-1},   q_i = q_0 (+) h t_i r_{i-1};     x = x_0 + h sum w_i a_i,   q = q_0 (+) h sum w_i r_i
 *
 * Of a floating joint x is MuJoCo's velocity, [angular in the body's axes; linear of its origin in world axes], of the others v. The rate r
 * is x, but for rotations that of the rotation vector theta of the stage from the start (Munthe-Kaas, Appl. Numer. Math. 29 (1999)),
 *
 *   theta' = w + 1/2 theta x w + c theta x (theta x w),     c = (1 - |theta|/2 cot(|theta|/2)) / |theta|²
 *
 * So steps have MuJoCo's truncation error too.
 *
 * The impulses reported are those of the stages with their weights, at the contacts of the start.
 */
export class ConstrainedRungeKutta {
  private readonly model: Model
  private readonly floating: Int32Array
  /** Bodies on other joints that have a velocity; and the first velocity of each rotation. */
  private readonly others: Int32Array
  private readonly turning: Int32Array
  readonly impulses: StageImpulses
  /** nq; nv: configuration and velocity x at the start; x, rate and acceleration of the last stage; weighted sums of the last two. */
  private readonly q: Float64Array
  private readonly start: Float64Array
  private readonly x: Float64Array
  private readonly rate: Float64Array
  private readonly a: Float64Array
  private readonly rateSum: Float64Array
  private readonly aSum: Float64Array
  /** nv: efforts at the start of the step, and their weighted mean, which is reported. */
  private readonly applied: Float64Array
  private readonly mean: Float64Array
  /** Per contact: whether it has an impulse. */
  private active = new Uint8Array(0)
  /** 2: weight of the stage, and its time from the start [s]. */
  private readonly weight = new Float64Array(2)
  private readonly R = new Float64Array(9)
  private readonly a3 = new Float64Array(3)
  /** 4: a rotation vector, then its quaternion; 2: sine and cosine. */
  private readonly turn = new Float64Array(4)
  private readonly sc = new Float64Array(2)

  constructor({ model, loops = [] }: ContactModelContext) {
    const { nq, nv, nb, jointType, vStart, lengths = [] } = model
    this.model = model
    this.impulses = new StageImpulses(6 * (nb + loops.length) + lengths.length)
    this.floating = bodiesOn(model, JointType.floating)
    this.others = Int32Array.from(
      Array.from({ length: nb }, (_, i) => i).filter(
        (i) => i > 0 && jointType[i] !== JointType.floating && vStart[i + 1] > vStart[i],
      ),
    )
    this.turning = Int32Array.from([...this.floating, ...bodiesOn(model, JointType.spherical)], (i) => vStart[i]).sort()
    this.q = new Float64Array(nq)
    this.start = new Float64Array(nv)
    this.x = new Float64Array(nv)
    this.a = new Float64Array(nv)
    this.applied = new Float64Array(nv)
    this.mean = new Float64Array(nv)
    this.rate = new Float64Array(nv)
    this.rateSum = new Float64Array(nv)
    this.aSum = new Float64Array(nv)
  }

  /** @param accelerate writes the acceleration at the state of the step, in the axes there, and the contacts' impulses of a step of it */
  advance(step: ContactStep, accelerate: (step: ContactStep, a: Float64Array) => void): void {
    const { state, data, tau, dt, contacts } = step
    const { impulses, q, start, x, rate, a, rateSum, aSum, weight, applied, mean } = this
    const { nv } = this.model
    const follows = step.actuate !== undefined || step.elements !== undefined
    if (follows) {
      applied.set(tau)
      mean.set(tau)
    }
    impulses.begin(contacts)
    q.set(state.q)
    x.set(state.v)
    this.turnVelocity(state.q, x, 1)
    start.set(x)
    rateSum.fill(0)
    aSum.fill(0)
    for (let stage = 0; stage < 4; stage++) {
      weight[0] = WEIGHT[stage]
      weight[1] = dt * TIME[stage]
      if (stage > 0) {
        this.move(state.q, rate)
        for (let k = 0; k < nv; k++) x[k] = start[k] + weight[1] * a[k]
        state.v.set(x)
        this.turnVelocity(state.q, state.v, -1)
        step.detect()
        if (follows) {
          tau.set(applied)
          step.actuate?.(stage)
          step.elements?.addChange(state, data, tau)
          for (let k = 0; k < nv; k++) mean[k] += WEIGHT[stage] * (tau[k] - applied[k])
        }
      }
      this.setRate()
      accelerate(step, a)
      this.turnVelocity(state.q, a, 1)
      for (let k = 0; k < nv; k++) {
        rateSum[k] += WEIGHT[stage] * rate[k]
        aSum[k] += WEIGHT[stage] * a[k]
      }
      impulses.addLoops(step.loopForces, weight)
      this.addImpulses(contacts)
    }
    if (follows) tau.set(mean)
    // contacts of this step are those at its start: detect them again, to report there
    state.q.set(q)
    state.v.set(start)
    this.turnVelocity(q, state.v, -1)
    step.detectStart()
    impulses.report(contacts)
    step.loopForces?.set(impulses.loopForces)
    weight[1] = dt
    this.move(state.q, rateSum)
    for (let k = 0; k < nv; k++) state.v[k] = start[k] + dt * aSum[k]
    this.turnVelocity(state.q, state.v, -1)
  }

  private addImpulses(contacts: ContactSet): void {
    const { impulses, weight } = this
    const { count, capacity, impulse, moment, normal, tangent1, tangent2 } = contacts
    if (capacity > this.active.length) this.active = new Uint8Array(capacity)
    for (let i = 0; i < count; i++) this.active[i] = impulse[3 * i] !== 0 ? 1 : 0
    impulses.add(contacts, impulse, this.active, weight)
    for (let i = 0; i < count; i++) {
      const start = 3 * impulses.startOf[i]
      const n = 3 * i
      if (start < 0) continue
      for (let d = 0; d < 3; d++) {
        const along = moment[n] * normal[n + d] + moment[n + 1] * tangent1[n + d] + moment[n + 2] * tangent2[n + d]
        impulses.givenMoment[start + d] += weight[0] * along
      }
    }
  }

  /** Turns the linear velocities or accelerations of floating joints to world axes, or with sign -1 back. */
  private turnVelocity(q: Float64Array, x: Float64Array, sign: number): void {
    const { model, floating, R, a3 } = this
    for (let f = 0; f < floating.length; f++) {
      const k = model.vStart[floating[f]] + 3
      rotationOfQuaternion(R, q, model.qStart[floating[f]] + 3)
      for (let d = 0; d < 3; d++) a3[d] = x[k + d]
      if (sign > 0) rotate3(a3, R, a3)
      else rotateTransposed3(a3, R, a3)
      for (let d = 0; d < 3; d++) x[k + d] = a3[d]
    }
  }

  /** rate := that of x, where the rate of the stage before led here in the stage's time. */
  private setRate(): void {
    const time = this.weight[1]
    const { x, rate, turning, turn, a3, sc } = this
    for (let t = 0; t < turning.length; t++) {
      const k = turning[t]
      for (let d = 0; d < 3; d++) turn[d] = time === 0 ? 0 : time * rate[k + d]
      const square = turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]
      turn[3] = Math.sqrt(square) / 2
      sincos(sc, turn, 3)
      const c = square < 1e-4 ? 1 / 12 + square / 720 + (square * square) / 30240 : (1 - (turn[3] * sc[1]) / sc[0]) / square
      // theta × w, then w + 1/2 theta × w + c theta × (theta × w)
      for (let d = 0; d < 3; d++) {
        const e = (d + 1) % 3
        const f = (d + 2) % 3
        a3[d] = turn[e] * x[k + f] - turn[f] * x[k + e]
      }
      for (let d = 0; d < 3; d++) {
        const e = (d + 1) % 3
        const f = (d + 2) % 3
        rate[k + d] = x[k + d] + 0.5 * a3[d] + c * (turn[e] * a3[f] - turn[f] * a3[e])
      }
    }
    for (let k = 0, t = 0; k < x.length; k++) {
      if (t < turning.length && k === turning[t] + 3) t++
      if (t === turning.length || k < turning[t]) rate[k] = x[k]
    }
  }

  /** out := the configuration at the start, moved by x over the stage's time. */
  private move(out: Float64Array, x: Float64Array): void {
    const time = this.weight[1]
    const { model, floating, others, q, turn } = this
    out.set(q)
    for (let i = 0; i < others.length; i++) integrateJoint(model, others[i], q, x, time, out)
    for (let f = 0; f < floating.length; f++) {
      const at = model.qStart[floating[f]]
      const k = model.vStart[floating[f]]
      for (let d = 0; d < 3; d++) {
        out[at + d] = q[at + d] + time * x[k + 3 + d]
        turn[d] = time * x[k + d]
      }
      quaternionOfRotationVector(turn, 0, turn, 0)
      mulQuaternion(out, at + 3, q, at + 3, turn, 0)
      normalizeQuaternion(out, at + 3)
    }
  }
}

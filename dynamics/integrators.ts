import { checkLength } from './checkLength.ts'
import { joints } from './joints.ts'
import { crossMotion } from './math/index.ts'
import { JointType, type Model } from './model.ts'
import { createState, type State } from './state.ts'

/** One joint's step; no joint has more than 6 velocities. */
const step = new Float64Array(6)

/**
 * out = q (+) v dt: the configuration after moving for the time dt at the constant velocity v, exactly. Revolute and
 * prismatic joints add v dt; a floating joint follows the exponential map of its body velocity, and its quaternion is
 * scaled back to length 1.
 *
 * @param q   nq
 * @param v   nv [rad/s, m/s]
 * @param dt  time [s]
 * @param out out: nq; may be q itself
 * @throws RangeError if q or out has not nq entries, or v not nv
 */
export function integrateConfiguration(model: Model, q: Float64Array, v: Float64Array, dt: number, out: Float64Array): void {
  const { nb, nq, nv, jointType, qStart, vStart } = model
  checkLength('q', q, nq)
  checkLength('v', v, nv)
  checkLength('out', out, nq)
  for (let i = 1; i < nb; i++) {
    const first = vStart[i]
    const n = vStart[i + 1] - first
    for (let k = 0; k < n; k++) step[k] = v[first + k] * dt
    joints[jointType[i]].integrate(out, q, qStart[i], step)
  }
}

/**
 * out = q1 (-) q0: what has to be integrated from q0 for one unit of time to reach q1, q0 (+) out = q1. Floating joints
 * give [rotation vector of at most pi; displacement] in the body's axes at q0.
 *
 * @param q0  nq
 * @param q1  nq
 * @param out out: nv [rad, m]
 * @throws RangeError if q0 or q1 has not nq entries, or out not nv
 */
export function configurationDifference(model: Model, q0: Float64Array, q1: Float64Array, out: Float64Array): void {
  const { nb, nq, nv, jointType, qStart, vStart } = model
  checkLength('q0', q0, nq)
  checkLength('q1', q1, nq)
  checkLength('out', out, nv)
  for (let i = 1; i < nb; i++) {
    const first = vStart[i]
    const n = vStart[i + 1] - first
    joints[jointType[i]].difference(step, q0, q1, qStart[i])
    for (let k = 0; k < n; k++) out[first + k] = step[k]
  }
}

/**
 * Semi-implicit (symplectic) Euler, of order 1: v := v + a dt, then q := q (+) v dt with the new v. Advancing state.t is
 * the caller's.
 *
 * @param a  acceleration at the start of the step, nv [rad/s^2, m/s^2]
 * @param dt [s]
 */
export function semiImplicitEuler(model: Model, state: State, a: Float64Array, dt: number): void {
  const { q, v } = state
  checkLength('a', a, model.nv)
  for (let k = 0; k < model.nv; k++) v[k] += a[k] * dt
  integrateConfiguration(model, q, v, dt, q)
}

/** What answers the acceleration of a state. An object, so that it can own its workspaces. */
export interface Acceleration {
  /** a (nv, out) = acceleration at this q, v and t. `state` is not to be changed, nor kept. */
  evaluate(state: State, a: Float64Array): void
}

/** When each of the four stages is, in steps, and what it weighs, in sixths. */
const STAGE_TIME = Float64Array.of(0, 0.5, 0.5, 1)
const STAGE_WEIGHT = Float64Array.of(1, 2, 2, 1)

/** Scratch of `rk4`, made once for a model. */
export interface Rk4Workspace {
  readonly stage: State
  readonly theta: Float64Array
  readonly slope: Float64Array
  readonly slopeSum: Float64Array
  readonly a: Float64Array
  readonly aSum: Float64Array
}

export function createRk4Workspace(model: Model): Rk4Workspace {
  const nv = () => new Float64Array(model.nv)
  return { stage: createState(model), theta: nv(), slope: nv(), slopeSum: nv(), a: nv(), aSum: nv() }
}

/**
 * The classical Runge-Kutta method of order 4 on the configuration manifold: with q = q0 (+) theta it integrates
 * theta' = dexpinv_theta(v) and v' = a(q, v, t) (Munthe-Kaas, High order Runge-Kutta methods on manifolds, Applied
 * Numerical Mathematics 29, 1999). Leaving out dexpinv would leave order 2 for a floating base. `acceleration` is asked
 * four times, with t at the stage's time; advancing state.t is the caller's.
 *
 * @param state in and out: q and v
 * @param dt    [s]
 */
export function rk4(model: Model, state: State, acceleration: Acceleration, dt: number, workspace: Rk4Workspace): void {
  const { nv } = model
  const { q, v, t } = state
  const { stage, theta, slope, slopeSum, a, aSum } = workspace

  stage.q.set(q)
  stage.v.set(v)
  stage.t[0] = t[0]
  acceleration.evaluate(stage, a)
  for (let k = 0; k < nv; k++) {
    slope[k] = v[k]
    slopeSum[k] = v[k]
    aSum[k] = a[k]
  }

  for (let s = 1; s < 4; s++) {
    const h = dt * STAGE_TIME[s] // not a choice between 0.5 * dt and dt, which V8 would box
    const weight = STAGE_WEIGHT[s]
    for (let k = 0; k < nv; k++) {
      theta[k] = slope[k] * h
      stage.v[k] = v[k] + a[k] * h
    }
    integrateConfiguration(model, q, theta, 1, stage.q)
    stage.t[0] = t[0] + h
    acceleration.evaluate(stage, a)
    dexpinv(model, theta, stage.v, slope)
    for (let k = 0; k < nv; k++) {
      slopeSum[k] += slope[k] * weight
      aSum[k] += a[k] * weight
    }
  }

  const sixth = dt / 6
  for (let k = 0; k < nv; k++) {
    theta[k] = slopeSum[k] * sixth
    v[k] += aSum[k] * sixth
  }
  integrateConfiguration(model, q, theta, 1, q)
}

const T = new Float64Array(6)
const W = new Float64Array(6)
const B = new Float64Array(6)

/**
 * slope = the rate of theta at which q0 (+) theta moves with the body velocity v: v + 1/2 theta x v +
 * 1/12 theta x (theta x v) for a floating joint, v for the others, whose motions commute. The next term is of order
 * theta^4, beyond what order 4 needs.
 */
function dexpinv(model: Model, theta: Float64Array, v: Float64Array, slope: Float64Array): void {
  const { nb, nv, jointType, vStart } = model
  for (let k = 0; k < nv; k++) slope[k] = v[k]
  for (let i = 1; i < nb; i++) {
    if (jointType[i] !== JointType.floating) continue
    const first = vStart[i]
    for (let k = 0; k < 6; k++) {
      T[k] = theta[first + k]
      W[k] = v[first + k]
    }
    crossMotion(B, T, W)
    for (let k = 0; k < 6; k++) slope[first + k] += 0.5 * B[k]
    crossMotion(W, T, B)
    for (let k = 0; k < 6; k++) slope[first + k] += W[k] / 12
  }
}

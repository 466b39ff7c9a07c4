import { crossMotion } from '../math/index.ts'
import { checkLength } from '../model/checkLength.ts'
import type { Data } from '../model/data.ts'
import { integrateConfiguration } from '../model/integrateConfiguration.ts'
import { JointType, type Model } from '../model/model.ts'
import { createState, type State } from '../model/state.ts'
import { HOLD_SPEED, PassiveJoints } from '../passive/joints.ts'
import { factorize, solve } from '../sparse/factorization.ts'
import { crba } from './fast/crba.ts'
import { RestFrame } from './restFrame.ts'
import { rnea } from './rnea.ts'

/** Scratch of `semiImplicitEuler`, made once for a model. */
export type EulerWorkspace = Readonly<ReturnType<typeof createEulerWorkspace>>

/** @unchecked */
export function createEulerWorkspace(model: Model) {
  return { frame: new RestFrame(model), vNext: new Float64Array(model.nv) }
}

/**
 * Semi-implicit (symplectic) Euler, of order 1: v := v + a dt, then q := q (+) v dt with the new v. Floating and planar
 * joints take the step in axes held fixed (`RestFrame`), so that a body in free flight keeps its linear momentum.
 * The caller advances state.t. @unchecked
 *
 * @param state in and out: q and v
 * @param a     acceleration at the start of the step, nv [rad/s^2, m/s^2], as `aba` gives it
 * @param dt    [s]
 * @throws RangeError if q has not nq entries, or v or a not nv
 */
export function semiImplicitEuler(model: Model, state: State, a: Float64Array, dt: number, workspace: EulerWorkspace): void {
  const { nv } = model
  const { q, v } = state
  const { frame, vNext } = workspace
  checkLength('v', v, nv)
  checkLength('a', a, nv)
  frame.begin(v, dt)
  for (let k = 0; k < nv; k++) vNext[k] = v[k] + dt * (a[k] - frame.acceleration[k])
  frame.finish(q, v, vNext, dt)
}

/** Passes of `implicitPassiveEuler` with whole steps, and with shortened ones after that. */
const PASS_LIMIT = 8
const SHORT_PASS_LIMIT = 100
/** Halvings in the search for the length of a step. */
const HALVINGS = 50

/** Scratch of `implicitPassiveEuler`, made once for a model. */
export type ImplicitPassiveWorkspace = Readonly<ReturnType<typeof createImplicitPassiveWorkspace>>

/** @unchecked */
export function createImplicitPassiveWorkspace(model: Model) {
  const nv = () => new Float64Array(model.nv)
  return {
    frame: new RestFrame(model),
    joints: new PassiveJoints(model),
    H: new Float64Array(model.nv * model.nv),
    c: nv(),
    dv: nv(),
    vNext: nv(),
    vHere: nv(),
    along: new Float64Array(1),
    /** 1: number of steps in which no set of sticking and sliding joints was consistent with the velocity. */
    unsettled: new Float64Array(1),
  }
}

/**
 * Semi-implicit Euler with the forces of the joints themselves (`passive.ts`) at the end of the step, of order 1: @unchecked
 *
 *   (M + dt D + dt² K) (v1 - v0) = dt (tau - c - K (q0 + dt v0 - rest) - D v0 - friction(v1)),   q1 = q0 (+) v1 dt,
 *
 * K and D the diagonals of joint stiffness and damping, to which a joint that sticks adds friction / stick speed. So neither springs nor
 * damping nor dry friction limit the step: a joint with any damping and inertia decays by 1 / (1 + dt d / I) a step, and one with any
 * spring settles. An oscillator of frequency w has an additional damping ratio of about w dt / 2. All else is evaluated at the start of the
 * step, as in `semiImplicitEuler`. MuJoCo's Euler integrator treats joint damping in this manner, and springs explicitly (Todorov, Erez,
 * Tassa, MuJoCo: A physics engine for model-based control, IROS 2012; its documentation, Computation, Numerical integration).
 *
 * The step is solved again while a sticking joint would exceed the stick speed or friction would reverse a sliding one: semismooth Newton.
 * It may cycle if many joints slow each other; then an exact line search, on the convex function with this equation as gradient, shortens
 * the steps, which always terminates. `workspace.unsettled` counts the steps in which 100 such passes were too few; the last is used then.
 *
 * Reads data of `kinematics` for this q. Writes the outputs of `crba` and `rnea`. The caller advances state.t.
 *
 * @param state in and out: q and v
 * @param tau   generalised force without that of the joints themselves, constant over the step, nv [N m, N]
 * @param dt    [s]
 * @throws RangeError if q has not nq entries, or v or tau not nv
 * @throws Error if M is not positive definite
 */
export function implicitPassiveEuler(
  model: Model,
  state: State,
  tau: Float64Array,
  dt: number,
  data: Data,
  workspace: ImplicitPassiveWorkspace,
): void {
  const { nv } = model
  const { q, v } = state
  const { frame, joints, c: f, dv, vNext, vHere, along, unsettled } = workspace
  checkLength('tau', tau, nv)
  frame.begin(v, dt)
  joints.begin(state, dt)
  rnea(model, state, frame.acceleration, data, f)
  for (let k = 0; k < nv; k++) f[k] = tau[k] - f[k]
  crba(model, data)

  let settled = false
  for (let pass = 0; pass < PASS_LIMIT && !settled; pass++) {
    solveStep(model, v, dt, data, workspace)
    settled = !joints.settle(vNext)
  }
  if (!settled) {
    vHere.set(v)
    for (let pass = 0; pass < SHORT_PASS_LIMIT && !settled; pass++) {
      joints.guess(vHere)
      solveStep(model, v, dt, data, workspace)
      settled = joints.agrees(vNext)
      for (let k = 0; k < nv; k++) dv[k] = vNext[k] - vHere[k]
      shorten(model, data.M, v, dt, workspace)
      for (let k = 0; k < nv; k++) vHere[k] += along[0] * dv[k]
    }
  }
  unsettled[0] += settled ? 0 : 1
  frame.finish(q, v, vNext, dt)
}

/** vNext of the equation above, for the assumed sticking and sliding joints; f = tau - c is in workspace.c. */
function solveStep(
  model: Model,
  v: Float64Array,
  dt: number,
  { M }: Data,
  { joints, H, c: f, dv, vNext }: ImplicitPassiveWorkspace,
): void {
  const { nv } = model
  H.set(M)
  dv.set(f)
  joints.add(H, dv, v, dt)
  for (let k = 0; k < nv; k++) dv[k] *= dt
  factorize(model, H, H)
  solve(model, H, dv)
  for (let k = 0; k < nv; k++) vNext[k] = v[k] + dv[k]
}

/**
 * along[0] = step length from vHere along dv, between 0 and 1, at which the slope of
 * 1/2 (x - v)^T M (x - v) + dt (1/2 x^T (D + dt K) x - (f - K (q - rest))^T x + sum of friction's integral) vanishes. The slope rises.
 */
function shorten(
  { nv, friction }: Model,
  M: Float64Array,
  v: Float64Array,
  dt: number,
  { joints, c: f, dv, vHere, along }: ImplicitPassiveWorkspace,
): void {
  const { viscosity, spring } = joints
  let slope = 0
  let curvature = 0
  for (let r = 0; r < nv; r++) {
    let rate = dt * (viscosity[r] * vHere[r] + spring[r] - f[r])
    let change = dt * viscosity[r] * dv[r]
    for (let c = 0; c < nv; c++) {
      rate += M[r * nv + c] * (vHere[c] - v[c])
      change += M[r * nv + c] * dv[c]
    }
    slope += dv[r] * rate
    curvature += dv[r] * change
  }
  let low = 0
  let high = 1
  for (let n = 0; n < HALVINGS; n++) {
    // the whole step first
    const x = n === 0 ? 1 : 0.5 * (low + high)
    let at = slope + x * curvature
    for (let k = 0; k < nv; k++) {
      const speed = vHere[k] + x * dv[k]
      at += (dt * friction[k] * dv[k] * speed) / Math.max(Math.abs(speed), HOLD_SPEED)
    }
    if (at > 0) high = x
    else low = x
  }
  along[0] = low
}

/** The acceleration as a function of the state. An object, so that it can own its workspaces. */
export interface Acceleration {
  /** a (nv, out) = acceleration at this q, v and t. `state` must not be changed or stored. */
  evaluate(state: State, a: Float64Array): void
}

/** Time of each of the four stages, in steps, and its weight, in sixths. */
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

/** @unchecked */
export function createRk4Workspace(model: Model): Rk4Workspace {
  const nv = () => new Float64Array(model.nv)
  return { stage: createState(model), theta: nv(), slope: nv(), slopeSum: nv(), a: nv(), aSum: nv() }
}

/**
 * The classical Runge-Kutta method of order 4 on the configuration manifold: with q = q0 (+) theta it integrates theta' = dexpinv_theta(v)
 * and v' = a(q, v, t) (Munthe-Kaas, High order Runge-Kutta methods on manifolds, Applied Numerical Mathematics 29, 1999). Without dexpinv a
 * floating base would have order 2. `acceleration` is evaluated four times, with t at the stage's time; the caller advances state.t. @unchecked
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
 * 1/12 theta x (theta x v) for joints of several velocities, v for the others, whose motions commute. The next term is of
 * order theta^4, beyond what order 4 needs.
 */
function dexpinv(model: Model, theta: Float64Array, v: Float64Array, slope: Float64Array): void {
  const { nb, nv, jointType, vStart } = model
  for (let k = 0; k < nv; k++) slope[k] = v[k]
  for (let i = 1; i < nb; i++) {
    const places = placesInTwist[jointType[i]]
    if (places.length === 0) continue
    const first = vStart[i]
    for (let k = 0; k < 6; k++) {
      T[k] = 0
      W[k] = 0
    }
    for (let k = 0; k < places.length; k++) {
      T[places[k]] = theta[first + k]
      W[places[k]] = v[first + k]
    }
    crossMotion(B, T, W)
    for (let k = 0; k < places.length; k++) slope[first + k] += 0.5 * B[places[k]]
    crossMotion(W, T, B)
    for (let k = 0; k < places.length; k++) slope[first + k] += W[places[k]] / 12
  }
}

/** Indices in [omega; v] of the velocities of a joint type; a planar joint's in the axes of its plane. None for commuting motions. */
const placesInTwist: readonly Int32Array[] = Object.values(JointType).map((type) => {
  if (type === JointType.floating) return Int32Array.of(0, 1, 2, 3, 4, 5)
  if (type === JointType.planar) return Int32Array.of(3, 4, 2)
  return type === JointType.spherical ? Int32Array.of(0, 1, 2) : new Int32Array(0)
})

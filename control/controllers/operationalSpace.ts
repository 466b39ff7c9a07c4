import {
  addGravityCompensation,
  crba,
  factorize,
  frameJacobian,
  frameJacobianDotTimesV,
  framePose,
  frameVelocity,
  mulMatrix3,
  quaternionOfRotation,
  quaternionOfRotationVector,
  rnea,
  rotationOfQuaternion,
  rotationVectorOfQuaternion,
  solve,
  velocities,
} from '../../dynamics/index.ts'
import type { Controller, ControllerSetup, ControllerState } from '../controller.ts'
import { ControllerError } from '../controllerError.ts'
import { given } from '../expected.ts'
import { frameNamed } from '../frameNamed.ts'

/** Motion of a frame from its pose at the first tick: rotation by an angle about a fixed axis, and translation. */
export interface FrameTrajectory {
  /** 3, unit length, in world axes. */
  readonly axis: readonly number[]
  /** Writes [angle, x, y, z] in world axes and its first two derivatives, 4 each [rad, m]. */
  sample(t: Float64Array, s: Float64Array, ds: Float64Array, dds: Float64Array): void
}

export interface OperationalSpaceOptions {
  /** A link, or another of the robot's named frames. */
  readonly link: string
  /** Default: the frame stays where it is at the first tick. */
  readonly trajectory?: FrameTrajectory
  /** Natural frequency [rad/s], at most 0.2 / period, and damping ratio with which an error of the task dies out. Default 20, 1. */
  readonly omega?: number
  readonly damping?: number
  /** The same of the posture, which the null space keeps as at the first tick. Default 5 rad/s, 1. */
  readonly postureOmega?: number
  readonly postureDamping?: number
}

export type OperationalSpaceMemory = ReturnType<typeof createOperationalSpace>

/** Share of a row's own mobility below which it counts as dependent on those before it: a singular pose of the arm. */
const SINGULAR = 1e-4

const R_d = new Float64Array(9)
const R_e = new Float64Array(9)
const quaternion = new Float64Array(4)
const turn = new Float64Array(3)

/**
 * Operational space control of a frame's pose with a posture in its null space. Khatib, "A unified approach for motion and force
 * control of robot manipulators" (1987), eqs. 24, 43 and 51:
 *
 *   tau = c(q, v) + Jᵀ Lambda (a* - Jdot v) + (1 - Jᵀ Lambda J M⁻¹) M a_0,   Lambda = (J M⁻¹ Jᵀ)⁻¹
 *
 * written as inverse dynamics: tau = M a + c(q, v) with a = a_0 + M⁻¹ Jᵀ Lambda (a* - Jdot v - J a_0), so that J a + Jdot v = a*
 * for any a_0 of the posture. a* = a_d + kd (v_d - v) + kp e: each error is that of one damped oscillator; e is the rotation vector
 * from the frame's orientation to the wanted one, and the displacement, in world axes. In a singular pose the rows of the task that
 * depend on others are left out, angular ones last.
 *
 * @throws ControllerError at `init` for an unknown link, or a floating base
 */
export function operationalSpace(options: OperationalSpaceOptions): Controller<OperationalSpaceMemory> {
  const { trajectory } = given('operational-space', options)
  return {
    rate: 1000,
    init: (setup) => createOperationalSpace(setup, options),
    update(seen) {
      const { memory } = seen
      measureTask(memory, seen, trajectory)
      writeAcceleration(memory)
      writeTaskEfforts(memory, seen)
      return memory.efforts
    },
  }
}

/** @unchecked */
export function createOperationalSpace(
  { robot, model, period }: ControllerSetup,
  { link, omega = 20, damping = 1, postureOmega = 5, postureDamping = 1 }: OperationalSpaceOptions,
) {
  if (robot.floating)
    throw new ControllerError('operational space', `the base of robot "${robot.name}" floats; bolt it down with base: fixed`)
  const w = Math.min(omega, 0.2 / period)
  const w0 = Math.min(postureOmega, 0.2 / period)
  const room = (size: number) => new Float64Array(size)
  return {
    frame: frameNamed(robot.frames, link, 'operational space'),
    /** [kp, kd] of the task, [kp, kd] of the posture. */
    gains: Float64Array.of(w * w, 2 * damping * w, w0 * w0, 2 * postureDamping * w0),
    /** At the first tick, NaN before it: the frame's pose, and nq. */
    heldR: room(9).fill(NaN),
    heldP: room(3),
    heldQ: room(model.nq),
    R: room(9),
    p: room(3),
    /** 6, [angular; linear] in world axes: velocity, Jdot v, error and its rate, and the wanted acceleration. */
    velocity: room(6),
    bias: room(6),
    error: room(6),
    rate: room(6),
    wanted: room(6),
    /** 4 each: sample of the trajectory. */
    s: room(4),
    ds: room(4),
    dds: room(4),
    /** 6 x nv: J, and rows of J M^-1. */
    J: room(6 * model.nv),
    JMinv: room(6 * model.nv),
    /** 6 x 6, the inverse of Lambda; 6. */
    LambdaInv: room(36),
    force: room(6),
    /** nv. */
    a: room(model.nv),
    tau: room(model.nv),
    work: room(model.nv),
    efforts: room(robot.joints.length),
  }
}

/** The frame's motion, J, Jdot v, and the error with its rate; in `wanted` the trajectory's acceleration. @unchecked */
export function measureTask(
  memory: OperationalSpaceMemory,
  { q, model, state, data }: ControllerState<unknown>,
  trajectory: FrameTrajectory | undefined,
): void {
  const { frame, heldR, heldP, heldQ, R, p, velocity, bias, error, rate, wanted, s, ds, dds, J } = memory
  velocities(model, state, data)
  framePose(data, frame, R, p)
  if (Number.isNaN(heldR[0])) {
    heldR.set(R)
    heldP.set(p)
    heldQ.set(q)
  }
  frameVelocity(data, frame, velocity)
  frameJacobian(model, data, frame, J)
  frameJacobianDotTimesV(model, state, data, frame, bias)
  trajectory?.sample(state.t, s, ds, dds)
  for (let k = 0; k < 3; k++) {
    const axis = trajectory === undefined ? 0 : trajectory.axis[k]
    turn[k] = axis * s[0]
    rate[k] = axis * ds[0] - velocity[k]
    wanted[k] = axis * dds[0]
    error[3 + k] = heldP[k] + s[1 + k] - p[k]
    rate[3 + k] = ds[1 + k] - velocity[3 + k]
    wanted[3 + k] = dds[1 + k]
  }
  quaternionOfRotationVector(quaternion, 0, turn, 0)
  rotationOfQuaternion(R_e, quaternion, 0)
  mulMatrix3(R_d, R_e, heldR)
  rotationError(R_d, R, error)
}

/** out[0..2] = rotation vector of R_d Rᵀ, which turns R into R_d, in world axes [rad]. @unchecked */
export function rotationError(R_d: Float64Array, R: Float64Array, out: Float64Array): void {
  for (let r = 0; r < 3; r++)
    for (let c = 0; c < 3; c++)
      R_e[3 * r + c] = R_d[3 * r] * R[3 * c] + R_d[3 * r + 1] * R[3 * c + 1] + R_d[3 * r + 2] * R[3 * c + 2]
  quaternionOfRotation(quaternion, 0, R_e)
  rotationVectorOfQuaternion(out, 0, quaternion, 0)
}

/** wanted += kd times the error's rate + kp times the error - Jdot v @unchecked */
export function writeAcceleration({ gains, error, rate, bias, wanted }: OperationalSpaceMemory): void {
  for (let k = 0; k < 6; k++) wanted[k] += gains[1] * rate[k] + gains[0] * error[k] - bias[k]
}

/** The efforts for the task's acceleration `wanted`, with the posture in its null space. @unchecked */
export function writeTaskEfforts(
  { gains, heldQ, J, JMinv, LambdaInv, force, wanted, a, tau, work, efforts }: OperationalSpaceMemory,
  { robot, model, state, data, q, v, target }: ControllerState<unknown>,
): void {
  const { nv } = model
  const { joints } = robot
  crba(model, data)
  factorize(model, data.M, data.L)
  a.fill(0)
  for (let j = 0; j < joints.length; j++) {
    const { qIndex, vIndex } = joints[j]
    a[vIndex] = gains[2] * (heldQ[qIndex] - q[qIndex]) - gains[3] * v[vIndex]
    target.joints[j] = NaN // the frame is followed, not the joints
  }
  // linear rows first: they are the last to be left out
  for (let r = 0; r < 6; r++) {
    const row = (r + 3) % 6
    for (let k = 0; k < nv; k++) work[k] = J[row * nv + k]
    solve(model, data.L, work)
    force[r] = wanted[row]
    for (let k = 0; k < nv; k++) {
      JMinv[r * nv + k] = work[k]
      force[r] -= J[row * nv + k] * a[k]
    }
    for (let c = 0; c <= r; c++) {
      const other = (c + 3) % 6
      LambdaInv[6 * r + c] = 0
      for (let k = 0; k < nv; k++) LambdaInv[6 * r + c] += work[k] * J[other * nv + k]
    }
  }
  solveSemidefinite(LambdaInv, force, SINGULAR)
  for (let r = 0; r < 6; r++) for (let k = 0; k < nv; k++) a[k] += JMinv[r * nv + k] * force[r]
  rnea(model, state, a, data, tau)
  addGravityCompensation(model, data, tau, -1)
  for (let j = 0; j < joints.length; j++) {
    const { qIndex, vIndex: k } = joints[j]
    efforts[j] = tau[k] + model.damping[k] * v[k] + model.stiffness[k] * (q[qIndex] - model.springReference[k])
  }
}

/**
 * Solves A x = b in b by Cholesky as `solvePositive` does; a row whose pivot is below `share` of its diagonal depends on those
 * before it: it is left out, and its x is 0. @unchecked
 */
export function solveSemidefinite(A: Float64Array, b: Float64Array, share: number): void {
  const n = b.length
  for (let i = 0; i < n; i++) {
    const least = share * A[i * n + i]
    for (let j = 0; j <= i; j++) {
      let sum = A[i * n + j]
      for (let k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k]
      if (i !== j) A[i * n + j] = A[j * n + j] > 0 ? sum / A[j * n + j] : 0
      else A[i * n + i] = sum > least ? Math.sqrt(sum) : 0
    }
    for (let k = 0; k < i; k++) b[i] -= A[i * n + k] * b[k]
    b[i] = A[i * n + i] > 0 ? b[i] / A[i * n + i] : 0
  }
  for (let i = n - 1; i >= 0; i--) {
    if (A[i * n + i] === 0) continue
    for (let k = i + 1; k < n; k++) b[i] -= A[k * n + i] * b[k]
    b[i] /= A[i * n + i]
  }
}

import { mulMatrix3, place3, rotate3, rotateTransposed3, shiftMotion } from '../math/index.ts'
import { editDistance } from '../math/nearest.ts'
import { checkBody, checkLength } from '../model/checkLength.ts'
import type { Data } from '../model/data.ts'
import type { Model } from '../model/model.ts'
import type { State } from '../model/state.ts'
import { pointAcceleration } from './accelerations.ts'
import { angularJacobianDotTimesV, pointJacobianDotTimesV } from './jacobianDerivatives.ts'
import { pointVelocity } from './kinematics.ts'

/*
 * Frames attached to bodies. The motion of a frame is [omega; velocity of its origin]: `frame...` in world axes,
 * `frame...Local` in the frame's own axes (Pinocchio's LOCAL_WORLD_ALIGNED and LOCAL, angular part first).
 */

/** A link, or another named frame. A link merged into another body keeps its name and index. */
export interface Frame {
  readonly name: string
  /** Body to which it is attached (0 is the world). */
  readonly body: number
  /** 9, row-major: turns the frame's axes into the body's. */
  readonly R: Float64Array
  /** 3: the frame's origin in the body's axes [m]. */
  readonly p: Float64Array
}

const origin = new Float64Array(3)
const R_WF = new Float64Array(9)
const a3 = new Float64Array(3)
const b3 = new Float64Array(3)
const a6 = new Float64Array(6)

/** A frame at each body's own origin, in the order of the bodies, the world first. @unchecked */
export function bodyFrames(model: Model): Frame[] {
  return model.bodyName.map((name, body) => ({
    name,
    body,
    R: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
    p: new Float64Array(3),
  }))
}

/**
 * Index of the frame of this name in the list; the first, if several have it. @unchecked
 *
 * @throws RangeError if there is none; names those nearest to it
 */
export function frameIndex(frames: readonly Frame[], name: string): number {
  const index = frames.findIndex((frame) => frame.name === name)
  if (index < 0) throw noSuchFrame(frames, name)
  return index
}

/**
 * Pose of a frame: R turns its axes into the world's, p is its origin from the world's origin in world axes [m]. @unchecked
 *
 * Reads data.R_WB and data.p_WB (`kinematics`).
 *
 * @param R out: 9, row-major
 * @param p out: 3
 * @throws RangeError if there is no such body, if R has not 9 entries or p not 3
 */
export function framePose(data: Data, frame: Frame, R: Float64Array, p: Float64Array): void {
  const { body } = frame
  checkBody(body, data.R_WB.length)
  checkLength('R', R, 9)
  checkLength('p', p, 3)
  place3(p, data.R_WB[body], data.p_WB[body], frame.p)
  mulMatrix3(R, data.R_WB[body], frame.R)
}

/**
 * Velocity of a frame: [omega; velocity of its origin] in world axes [rad/s, m/s]. @unchecked
 *
 * Reads data.R_WB, data.p_WB (`kinematics`) and data.V (`velocities`).
 *
 * @param out out: 6
 * @throws RangeError if there is no such body, or if out has not 6 entries
 */
export function frameVelocity(data: Data, frame: Frame, out: Float64Array): void {
  const { body } = frame
  checkBody(body, data.R_WB.length)
  checkLength('out', out, 6)
  place3(origin, data.R_WB[body], data.p_WB[body], frame.p)
  rotate3(out, data.R_WB[body], data.V[body])
  pointVelocity(data, body, origin, a3)
  out[3] = a3[0]
  out[4] = a3[1]
  out[5] = a3[2]
}

/** `frameVelocity` in the frame's own axes: the frame's spatial velocity as Featherstone writes a body's. @unchecked */
export function frameVelocityLocal(data: Data, frame: Frame, out: Float64Array): void {
  frameVelocity(data, frame, out)
  toFrameAxes(data, frame, out)
}

/**
 * Acceleration of a frame: [angular acceleration; second derivative of its origin's position] in world axes
 * [rad/s^2, m/s^2], which is the derivative of `frameVelocity`. @unchecked
 *
 * Reads data.R_WB, data.p_WB (`kinematics`), data.V and data.trueA (`accelerations`).
 *
 * @param out out: 6
 * @throws RangeError if there is no such body, or if out has not 6 entries
 */
export function frameAcceleration(data: Data, frame: Frame, out: Float64Array): void {
  const { body } = frame
  checkBody(body, data.R_WB.length)
  checkLength('out', out, 6)
  place3(origin, data.R_WB[body], data.p_WB[body], frame.p)
  rotate3(out, data.R_WB[body], data.trueA[body])
  pointAcceleration(data, body, origin, a3)
  out[3] = a3[0]
  out[4] = a3[1]
  out[5] = a3[2]
}

/**
 * Jacobian of a frame: J v is `frameVelocity`, [omega; velocity of its origin] in world axes. @unchecked
 *
 * Reads data.R_WB, data.p_WB and data.SW (`kinematics`).
 *
 * @param J out: 6 x nv row-major; 0 for velocities that do not move the frame
 * @throws RangeError if there is no such body, or if J has not 6 nv entries
 */
export function frameJacobian(model: Model, data: Data, frame: Frame, J: Float64Array): void {
  const { nb, nv, vOfS, sParent, sLast } = model
  const { body } = frame
  checkBody(body, nb)
  checkLength('J', J, 6 * nv)
  place3(origin, data.R_WB[body], data.p_WB[body], frame.p)
  const x = origin[0]
  const y = origin[1]
  const z = origin[2]
  J.fill(0)
  for (let s = sLast[body]; s >= 0; s = sParent[s]) {
    const SW = data.SW[s]
    const k = vOfS[s]
    J[k] += SW[0]
    J[nv + k] += SW[1]
    J[2 * nv + k] += SW[2]
    J[3 * nv + k] += SW[3] + SW[1] * z - SW[2] * y
    J[4 * nv + k] += SW[4] + SW[2] * x - SW[0] * z
    J[5 * nv + k] += SW[5] + SW[0] * y - SW[1] * x
  }
}

/** `frameJacobian` in the frame's own axes: J v is `frameVelocityLocal`. @unchecked */
export function frameJacobianLocal(model: Model, data: Data, frame: Frame, J: Float64Array): void {
  const { nb, nv, vOfS, sParent, sLast } = model
  const { body } = frame
  checkBody(body, nb)
  checkLength('J', J, 6 * nv)
  place3(origin, data.R_WB[body], data.p_WB[body], frame.p)
  mulMatrix3(R_WF, data.R_WB[body], frame.R)
  J.fill(0)
  for (let s = sLast[body]; s >= 0; s = sParent[s]) {
    shiftMotion(a6, data.SW[s], origin)
    turnMotion(a6, R_WF)
    const k = vOfS[s]
    for (let r = 0; r < 6; r++) J[r * nv + k] += a6[r]
  }
}

/**
 * Jdot v of a frame, 6, in world axes: with J of `frameJacobian`, `frameAcceleration` is J a + Jdot v [rad/s^2, m/s^2]. @unchecked
 *
 * Reads state.v, data.S, data.R_WB, data.p_WB (`kinematics`) and data.V (`velocities`).
 *
 * @param out out: 6
 * @throws RangeError if v has not nv entries, if there is no such body, or if out has not 6 entries
 */
export function frameJacobianDotTimesV(model: Model, state: State, data: Data, frame: Frame, out: Float64Array): void {
  const { body } = frame
  checkBody(body, model.nb)
  checkLength('out', out, 6)
  place3(origin, data.R_WB[body], data.p_WB[body], frame.p)
  angularJacobianDotTimesV(model, state, data, body, a3)
  pointJacobianDotTimesV(model, state, data, body, origin, b3)
  for (let r = 0; r < 3; r++) {
    out[r] = a3[r]
    out[3 + r] = b3[r]
  }
}

/**
 * Jdot v for the J of `frameJacobianLocal`: J a + Jdot v is the derivative of `frameVelocityLocal`, the frame's spatial
 * acceleration. Its axes turn, so it is `frameJacobianDotTimesV` less omega x the origin's velocity. @unchecked
 */
export function frameJacobianLocalDotTimesV(model: Model, state: State, data: Data, frame: Frame, out: Float64Array): void {
  frameJacobianDotTimesV(model, state, data, frame, out)
  const { body } = frame
  place3(origin, data.R_WB[body], data.p_WB[body], frame.p)
  pointVelocity(data, body, origin, a3)
  rotate3(b3, data.R_WB[body], data.V[body])
  out[3] -= b3[1] * a3[2] - b3[2] * a3[1]
  out[4] -= b3[2] * a3[0] - b3[0] * a3[2]
  out[5] -= b3[0] * a3[1] - b3[1] * a3[0]
  toFrameAxes(data, frame, out)
}

/** Turns m (6) from world axes into the frame's. */
function toFrameAxes(data: Data, frame: Frame, m: Float64Array): void {
  mulMatrix3(R_WF, data.R_WB[frame.body], frame.R)
  turnMotion(m, R_WF)
}

/** m (6) := [R^T omega; R^T v] */
function turnMotion(m: Float64Array, R: Float64Array): void {
  rotateTransposed3(b3, R, m)
  a3[0] = m[3]
  a3[1] = m[4]
  a3[2] = m[5]
  rotateTransposed3(a3, R, a3)
  m[0] = b3[0]
  m[1] = b3[1]
  m[2] = b3[2]
  m[3] = a3[0]
  m[4] = a3[1]
  m[5] = a3[2]
}

/** Most names listed in an error. */
const NEAR = 5

function noSuchFrame(frames: readonly Frame[], name: string): RangeError {
  if (frames.length === 0) return new RangeError(`there is no frame "${name}": the list of frames is empty`)
  const near = frames
    .map((frame) => ({ name: frame.name, distance: editDistance(frame.name.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, NEAR)
    .map((frame) => `"${frame.name}"`)
  return new RangeError(`there is no frame "${name}" among ${frames.length}; the nearest names are ${near.join(', ')}`)
}

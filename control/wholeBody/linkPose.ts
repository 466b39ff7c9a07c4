import { type Frame, frameJacobian, frameJacobianDotTimesV, framePose, frameVelocity } from '../../dynamics/index.ts'
import { given } from '../expected.ts'
import { frameNamed } from '../frameNamed.ts'
import { type Response, type Task, type TaskRows, taskRows } from './task.ts'

export interface LinkPoseOptions extends Response {
  /** A link, or another of the robot's named frames. */
  readonly link: string
  /** Weights of its orientation and of its position; 0 leaves it free. */
  readonly turning?: number
  readonly moving?: number
}

interface LinkPoseMemory extends TaskRows {
  readonly frame: Frame
  /** 9 and 3: at the first tick, NaN before it; and now. */
  readonly heldR: Float64Array
  readonly heldP: Float64Array
  readonly R: Float64Array
  readonly p: Float64Array
  /** 6: [omega; v], and Jdot v. */
  readonly velocity: Float64Array
  readonly bias: Float64Array
}

/** A link keeps its orientation and position in the world. @throws ControllerError at `init` for an unknown link */
export function linkPose(options: LinkPoseOptions): Task<LinkPoseMemory> {
  const { link, omega = 10, damping = 1, turning = 10, moving = 0 } = given('link pose', options)
  return {
    init({ robot: { frames }, model: { nv } }) {
      const rows = taskRows(6, nv)
      rows.weight.fill(turning, 0, 3).fill(moving, 3)
      const room = (size: number) => new Float64Array(size)
      const held = { heldR: room(9).fill(NaN), heldP: room(3) }
      return {
        ...rows,
        frame: frameNamed(frames, link, 'whole body'),
        ...held,
        R: room(9),
        p: room(3),
        velocity: room(6),
        bias: room(6),
      }
    },
    write({ J, wanted, frame, heldR, heldP, R, p, velocity, bias }, { model, state, data }) {
      framePose(data, frame, R, p)
      if (Number.isNaN(heldR[0])) {
        heldR.set(R)
        heldP.set(p)
      }
      frameVelocity(data, frame, velocity)
      frameJacobian(model, data, frame, J)
      frameJacobianDotTimesV(model, state, data, frame, bias)
      turnTo(R, heldR, wanted)
      for (let k = 0; k < 3; k++) wanted[3 + k] = heldP[k] - p[k]
      for (let k = 0; k < 6; k++) wanted[k] = omega * (omega * wanted[k] - 2 * damping * velocity[k]) - bias[k]
    },
  }
}

/** out[0..2] = half the sum over axes of R's axis x the wanted one, in world axes: the rotation error, while it is small [rad]. @unchecked */
export function turnTo(R: Float64Array, wanted: Float64Array, out: Float64Array): void {
  for (let k = 0; k < 3; k++) {
    const l = 3 * ((k + 1) % 3)
    const m = 3 * ((k + 2) % 3)
    out[k] = 0
    for (let c = 0; c < 3; c++) out[k] += 0.5 * (R[l + c] * wanted[m + c] - R[m + c] * wanted[l + c])
  }
}

import type { Data } from '../../dynamics/index.ts'
import type { Controller, ControllerSetup, ControllerState } from '../controller.ts'
import { ControllerError } from '../controllerError.ts'
import { driveWheels } from '../driveWheels.ts'
import { given } from '../expected.ts'
import { homeData } from '../homeData.ts'
import { PATH_SIZE, type Path } from '../paths.ts'
import { followCommand } from './command.ts'
import { createWheelServo, driveWheelServo } from './wheelServo.ts'

export interface UnicycleOptions {
  /** Gains of the follower: along the path [1/s], across it [1/m^2], in heading [1/m]. */
  readonly along?: number
  readonly across?: number
  readonly heading?: number
}

/** Memory of the path follower besides its wheels. */
export type FollowerMemory = Readonly<ReturnType<typeof createFollower>>

/**
 * Follows a path with two wheels, from the axle's position and heading as the state has them (Kanayama, Kimura, Miyazaki
 * and Noguchi, "A stable tracking control method for an autonomous mobile robot", ICRA 1990). With the path's
 * error (ex, ey) in the robot's axes, e = its heading less the robot's, and the path's own speed vr and turn wr,
 *
 *   v = vr cos e + kx ex,   w = wr + vr (ky ey + kt sin e)
 *
 * realised by the wheels (`createWheelServo`). The path starts at the robot's pose at the first tick. Joints that
 * are no wheels get no effort. Fills target.base. While the user drives (`ControllerState.command`) there is no path.
 */
export function unicycle(
  path: Path,
  options: UnicycleOptions = {},
): Controller<{ follower: FollowerMemory; efforts: Float64Array }> {
  given('path', path)
  given('unicycle', options)
  return {
    init(setup) {
      return {
        follower: createFollower(setup, homeData(setup.robot), options),
        efforts: new Float64Array(setup.robot.joints.length),
      }
    },
    update(state) {
      const { follower, efforts } = state.memory
      follow(follower, path, state, efforts)
      return efforts
    },
  }
}

/** @unchecked @throws ControllerError for a robot without a wheel on each side, or that does not float */
export function createFollower(
  setup: ControllerSetup,
  home: Data,
  { along = 3, across = 12, heading = 5 }: UnicycleOptions = {},
) {
  const wheels = driveWheels(setup.robot)
  if (wheels === undefined || !setup.robot.floating) {
    const remedy = 'a path follower needs a floating base with a continuous wheel joint on each side; use hold instead'
    throw new ControllerError('unicycle', `robot "${setup.robot.name}" has no drive wheels; ${remedy}`)
  }
  return {
    servo: createWheelServo(setup, wheels, home),
    /** Start of the path: x, y of the axle's middle [m], and the unit heading; written by the first tick. */
    start: new Float64Array(4).fill(NaN),
    /** Base's origin ahead of the axle's middle [m]. */
    ahead: Float64Array.of(-wheels.axleX),
    gains: Float64Array.of(along, across, heading),
    /** Last result of `Path.sample`, and the wanted speed and rate of turn. */
    sample: new Float64Array(PATH_SIZE),
    motion: new Float64Array(2),
  }
}

/** One tick of the follower: writes the wheels' entries of efforts and the base's target. @unchecked */
export function follow(memory: FollowerMemory, path: Path, seen: ControllerState<unknown>, efforts: Float64Array): void {
  const { start, ahead, gains, sample, motion } = memory
  const { state, v, data, target, command } = seen
  if (followCommand(command, motion, 1, memory.servo.period, 0)) {
    target.base.fill(NaN)
    driveWheelServo(memory.servo, motion, v, efforts)
    return
  }
  const R = data.R_WB[1]
  const p = data.p_WB[1]
  // heading: the base's x axis projected to the ground
  const length = Math.sqrt(R[0] * R[0] + R[3] * R[3])
  const hx = length > 0 ? R[0] / length : 1
  const hy = length > 0 ? R[3] / length : 0
  const x = p[0] - ahead[0] * hx
  const y = p[1] - ahead[0] * hy
  if (Number.isNaN(start[0])) {
    start[0] = x
    start[1] = y
    start[2] = hx
    start[3] = hy
  }

  path.sample(state.t, sample)
  const rx = start[0] + start[2] * sample[0] - start[3] * sample[1]
  const ry = start[1] + start[3] * sample[0] + start[2] * sample[1]
  const gx = start[2] * sample[8] - start[3] * sample[9]
  const gy = start[3] * sample[8] + start[2] * sample[9]
  target.base[0] = rx + ahead[0] * gx
  target.base[1] = ry + ahead[0] * gy
  target.base[2] = Math.atan2(gy, gx)

  const ex = hx * (rx - x) + hy * (ry - y)
  const ey = hx * (ry - y) - hy * (rx - x)
  const cosine = hx * gx + hy * gy
  const sine = hx * gy - hy * gx
  motion[0] = sample[6] * cosine + gains[0] * ex
  motion[1] = sample[7] + sample[6] * (gains[1] * ey + gains[2] * sine)
  driveWheelServo(memory.servo, motion, v, efforts)
}

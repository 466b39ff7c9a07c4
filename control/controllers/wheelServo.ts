import type { Data } from '../../dynamics/index.ts'
import type { ControllerSetup } from '../controller.ts'
import type { DriveWheel, DriveWheels } from '../driveWheels.ts'
import { jointInertia } from '../jointInertia.ts'

/** Parameters and memory of the velocity servo of the drive wheels. Entries: left wheels, then right ones. */
export type WheelServoMemory = Readonly<ReturnType<typeof createWheelServo>>

/** Bandwidth of a wheel's speed control, if the loop's rate allows [rad/s]. */
const BANDWIDTH = 20
/** Share of the dead-beat gain, which removes the whole error of a wheel in the air within one period; above 2 the error would grow. */
const SHARE_OF_DEADBEAT = 0.5

/**
 * A servo for the wheels' speeds w against wanted speeds w*: @unchecked
 *
 *   tau = J (dw*)' + d w* + kp (w* - w) + ki integral(w* - w)
 *
 * with d the joint's damping and J = J_free + m r^2 / n, the wheel's inertia and its share of the robot's mass. kp is
 * J * 20 rad/s, but at most half of J_free / period, so that a wheel off the ground is stable too; ki = kp * 5 rad/s. The
 * integral stops growing where the effort is at its limit.
 */
export function createWheelServo({ robot, model, period }: ControllerSetup, wheels: DriveWheels, home: Data) {
  const all: DriveWheel[] = [...wheels.left, ...wheels.right]
  const inertia = jointInertia(robot, home)
  const free = all.map(({ joint }) => inertia[joint])
  const load = all.map(({ radius }, i) => free[i] + (robot.massUsed * radius * radius) / all.length)
  const kp = all.map((_, i) => Math.min(BANDWIDTH * load[i], (SHARE_OF_DEADBEAT * free[i]) / period))
  const vIndex = Int32Array.from(all, ({ joint }) => robot.joints[joint].vIndex)
  return {
    /** Index of each wheel's joint, its place in v, its radius [m] and its sign; how many of them are left ones. */
    joint: Int32Array.from(all, ({ joint }) => joint),
    vIndex,
    radius: Float64Array.from(all, ({ radius }) => radius),
    sign: Float64Array.from(all, ({ sign }) => sign),
    leftCount: wheels.left.length,
    track: Float64Array.of(wheels.track),
    /** Inertia at one wheel with the robot standing on it [kg m^2]. */
    load: Float64Array.from(load),
    /** Gains [N m s/rad, N m/rad] and limit of the effort [N m]. */
    kp: Float64Array.from(kp),
    ki: Float64Array.from(kp, (gain) => 5 * gain),
    limit: Float64Array.from(vIndex, (k) => model.effortLimit[k]),
    damping: Float64Array.from(vIndex, (k) => model.damping[k]),
    /** Wanted speed [rad/s] at the last tick, NaN before the first, and the integral of the error [rad]. */
    wanted: new Float64Array(all.length).fill(NaN),
    integral: new Float64Array(all.length),
    /** Period of the loop [s]. */
    period: Float64Array.of(period),
  }
}

/**
 * Writes the wheels' entries of efforts. @unchecked
 *
 * @param motion 2: forward speed of the axle's middle [m/s], rate of turn [rad/s]
 */
export function driveWheelServo(memory: WheelServoMemory, motion: Float64Array, v: Float64Array, efforts: Float64Array): void {
  const { joint, vIndex, radius, sign, leftCount, track, load, kp, ki, limit, damping, wanted, integral, period } = memory
  for (let i = 0; i < joint.length; i++) {
    const side = i < leftCount ? -0.5 : 0.5
    const speed = (sign[i] * (motion[0] + side * track[0] * motion[1])) / radius[i]
    const change = Number.isNaN(wanted[i]) ? 0 : (speed - wanted[i]) / period[0]
    wanted[i] = speed
    const error = speed - v[vIndex[i]]
    const effort = load[i] * change + damping[i] * speed + kp[i] * error + ki[i] * integral[i]
    if (Math.abs(effort) < limit[i] || error * integral[i] < 0) integral[i] += error * period[0]
    efforts[joint[i]] = effort
  }
}

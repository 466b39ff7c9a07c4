import type { Controller } from 'featherbed/control'

/** Drives straight on at a speed that falls with the distance that the rays see, and stops at `options.clearance` [m]. */
const controller: Controller<{ clearance: number }> = {
  rate: 200,
  log: ['distance', 'speed', 'acceleration'],
  init: ({ options }) => ({ clearance: Number(options.clearance ?? 0.5) }),
  update({ sensors: { ahead, imu }, robot, log, memory }) {
    const distance = Math.min(...ahead)
    const speed = Math.max(-0.5, Math.min(0.5, 1.5 * (distance - memory.clearance)))
    log.distance = distance
    log.speed = speed
    log.acceleration = imu[7]
    return robot.joints.map(() => speed / 0.1) // [rad/s]: the actuators take velocities, of wheels of 10 cm
  },
}

export default controller

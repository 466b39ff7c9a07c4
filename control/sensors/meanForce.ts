import {
  mulQuaternion,
  quaternionOfRotationVector,
  rotateTransposed3,
  rotationOfQuaternion,
  rotationVectorOfQuaternion,
} from '../../dynamics/index.ts'

/** Start of the sum of specific forces of ticks [m/s^2], and index of their number, behind velocity and orientation at the last tick. */
const SUM = 7
const COUNT = 10

/**
 * Mean of the specific force (acceleration less gravity) of a sensor, in axes that turn with it.
 *
 * Over each tick T the sensor turns by theta about a fixed axis. With R its orientation halfway, the mean of R(t)' x of a vector x fixed in the
 * world is R' x, its part across the axis times s = sinc(theta / 2); and a specific force f fixed in the sensor's axes changes the velocity by
 * T R f, its part across the axis likewise times s. So gravity counts times s, and the change of velocity, mostly by turning, over s. This is
 * exact for gravity and a steady spin, and to theta² / 12 for what else is fixed in the world.
 */
export class MeanForce {
  /** Index of the orientation at the last tick in the memory, NaN before the first. */
  static readonly orientation = 3
  static readonly memorySize = 11
  private readonly gravity: Float64Array
  /** 4: rotation since the last tick; 3: its unit axis in the sensor's axes; 9: R. */
  private readonly turn = new Float64Array(4)
  private readonly axis = new Float64Array(3)
  private readonly R = new Float64Array(9)
  /** 1: sinc(theta / 2). */
  private readonly sinc = new Float64Array(1)
  private readonly change = new Float64Array(3)
  private readonly down = new Float64Array(3)

  /** @param gravity 6, of the model */
  constructor(gravity: Float64Array) {
    this.gravity = gravity
  }

  /**
   * Adds a tick.
   *
   * @param orientation 4, of the sign nearer to that before
   * @param velocity 6: [angular; linear] in world axes
   * @param tick since the tick before [s]
   */
  add(orientation: Float64Array, velocity: Float64Array, tick: number, memory: Float64Array): void {
    const { axis, R, change, down, gravity } = this
    if (Number.isNaN(memory[COUNT])) memory.fill(0, SUM)
    else {
      this.turnTo(orientation, memory)
      const shrunk = this.sinc[0]
      for (let k = 0; k < 3; k++) {
        change[k] = (velocity[3 + k] - memory[k]) / tick
        down[k] = gravity[3 + k]
      }
      rotateTransposed3(change, R, change)
      rotateTransposed3(down, R, down)
      const along = axis[0] * change[0] + axis[1] * change[1] + axis[2] * change[2]
      const downAlong = axis[0] * down[0] + axis[1] * down[1] + axis[2] * down[2]
      for (let k = 0; k < 3; k++) {
        const across = (change[k] - along * axis[k]) / shrunk - shrunk * (down[k] - downAlong * axis[k])
        memory[SUM + k] += axis[k] * (along - downAlong) + across
      }
      memory[COUNT]++
    }
    for (let k = 0; k < 3; k++) memory[k] = velocity[3 + k]
    memory.set(orientation, MeanForce.orientation)
  }

  /** out = the mean since the last call; at the first that of rest. @param R_WS 9: the sensor's orientation */
  write(R_WS: Float64Array, memory: Float64Array, out: Float64Array): void {
    const count = memory[COUNT]
    for (let k = 0; k < 3; k++) out[k] = -this.gravity[3 + k]
    rotateTransposed3(out, R_WS, out)
    if (count > 0) for (let k = 0; k < 3; k++) out[k] = memory[SUM + k] / count
    memory.fill(0, SUM)
  }

  /** Sets `axis`, R and `sinc`. */
  private turnTo(orientation: Float64Array, memory: Float64Array): void {
    const { turn, axis, R, change } = this
    for (let d = 0; d < 3; d++) turn[d] = -memory[MeanForce.orientation + d]
    turn[3] = memory[MeanForce.orientation + 3]
    mulQuaternion(turn, 0, turn, 0, orientation, 0)
    rotationVectorOfQuaternion(axis, 0, turn, 0)
    const theta = Math.sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2])
    const sine = Math.sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2])
    for (let d = 0; d < 3; d++) {
      change[d] = 0.5 * axis[d]
      axis[d] = theta > 0 ? axis[d] / theta : 0
    }
    quaternionOfRotationVector(turn, 0, change, 0)
    mulQuaternion(turn, 0, memory, MeanForce.orientation, turn, 0)
    rotationOfQuaternion(R, turn, 0)
    this.sinc[0] = theta > 0 ? sine / (0.5 * theta) : 1
  }
}

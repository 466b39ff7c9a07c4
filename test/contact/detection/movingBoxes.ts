import { createRandom, type Random } from '../../../dynamics/index.ts'

/** Boxes of 0.5 m to 1 m that fly about in a cubic room and bounce off its walls. Seeded. */
export class MovingBoxes {
  readonly count: number
  /** Edge of the room [m]: so many that a box overlaps another about every second one. */
  readonly room: number
  readonly center: Float64Array
  readonly half: Float64Array
  /** Up to 1 m/s along each axis. */
  readonly velocity: Float64Array
  readonly #random: Random

  constructor(count: number, seed: number) {
    this.count = count
    this.room = 1.6 * Math.cbrt(count)
    const random = createRandom(seed)
    this.#random = random
    this.center = new Float64Array(3 * count)
    this.half = Float64Array.from({ length: 3 * count }, () => random.between(0.25, 0.5))
    this.velocity = Float64Array.from({ length: 3 * count }, () => random.between(-1, 1))
    for (let i = 0; i < count; i++) this.place(i)
  }

  /** Puts a box anywhere. */
  place(i: number): void {
    for (let k = 0; k < 3; k++) this.center[3 * i + k] = this.#random.between(0, this.room)
  }

  move(dt: number): void {
    const { center, velocity, room } = this
    for (let k = 0; k < center.length; k++) {
      center[k] += dt * velocity[k]
      if (center[k] < 0) velocity[k] = Math.abs(velocity[k])
      if (center[k] > room) velocity[k] = -Math.abs(velocity[k])
    }
  }

  /** As `BroadPhase.bounds` wants them. */
  write(bounds: Float64Array): void {
    const { center, half, count } = this
    for (let i = 0; i < count; i++) {
      for (let k = 0; k < 3; k++) {
        bounds[6 * i + k] = center[3 * i + k] - half[3 * i + k]
        bounds[6 * i + 3 + k] = center[3 * i + k] + half[3 * i + k]
      }
    }
  }
}

import type { Data } from '../../dynamics/index.ts'
import { type Frame, place3 } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { Surroundings } from '../../simulation/index.ts'
import { ControllerError } from '../controllerError.ts'
import { frameNamed } from '../frameNamed.ts'

/** The other side of a contact: a fixture by its index, or a range of bodies of the world by their indices, ends included. */
interface Other {
  readonly fixture: number
  readonly first: number
  readonly last: number
}

/**
 * Contact forces by name: mean over the last step, at the poses of its start. Zero at the first tick. Links merged into one body
 * (fixed joints) share their contact forces. @unchecked
 */
export class ContactsSeen {
  readonly #robot: Robot
  readonly #forces: Float64Array
  readonly #surroundings: Surroundings | undefined
  readonly #sum = new Float64Array(6)
  readonly #origin = new Float64Array(3)
  /** Frames of the names used so far: a search would make a closure at every tick. */
  readonly #frames = new Map<string, Frame>()
  readonly #others = new Map<string, Other>()
  #data: Data | undefined

  /** @param forces 6 a body, as `ControllerState.contactForces` */
  constructor(robot: Robot, forces: Float64Array, surroundings: Surroundings | undefined) {
    this.#robot = robot
    this.#forces = forces
    this.#surroundings = surroundings
  }

  /** For the loop: kinematics of this tick. */
  see(data: Data): void {
    this.#data = data
  }

  /**
   * The force of contacts on a link, [moment about the link's origin; force] in world axes [N m, N].
   *
   * @param out   out: 6
   * @param other other side: a fixture, such as `ground`; another robot or body; `ROBOT/LINK`; or a link of this robot. Default: all
   * @throws ControllerError for unknown names
   */
  force(link: string, out: Float64Array, other?: string): Float64Array {
    const frame = this.#frameOf(link)
    this.#aboutWorld(frame.body, other)
    const sum = this.#sum
    out.set(sum)
    if (this.#data === undefined) return out
    const p = this.#origin
    place3(p, this.#data.R_WB[frame.body], this.#data.p_WB[frame.body], frame.p)
    out[0] -= p[1] * sum[5] - p[2] * sum[4]
    out[1] -= p[2] * sum[3] - p[0] * sum[5]
    out[2] -= p[0] * sum[4] - p[1] * sum[3]
    return out
  }

  /** Whether contacts, or those with `other`, exerted a net force on the link over the last step. */
  touches(link: string, other?: string): boolean {
    this.#aboutWorld(this.#frameOf(link).body, other)
    return this.#sum[3] !== 0 || this.#sum[4] !== 0 || this.#sum[5] !== 0
  }

  /**
   * Point of a level plane about which the contact force on a link has no moment about level axes (Vukobratovic's zero-moment point) [m].
   *
   * @param out    out: 3, world axes; NaN where the net force is not upwards
   * @param height of the plane [m]
   * @returns whether the net force is upwards
   */
  centerOfPressure(link: string, out: Float64Array, height = 0, other?: string): boolean {
    this.#aboutWorld(this.#frameOf(link).body, other)
    const sum = this.#sum
    if (!(sum[5] > 0)) {
      out.fill(NaN)
      return false
    }
    out[0] = (height * sum[3] - sum[1]) / sum[5]
    out[1] = (height * sum[4] + sum[0]) / sum[5]
    out[2] = height
    return true
  }

  #frameOf(link: string): Frame {
    let frame = this.#frames.get(link)
    if (frame === undefined) {
      frame = frameNamed(this.#robot.frames, link, 'contacts')
      this.#frames.set(link, frame)
    }
    return frame
  }

  /** Into `sum`: about the world's origin. */
  #aboutWorld(body: number, other: string | undefined): void {
    const sum = this.#sum
    const surroundings = this.#surroundings
    if (other === undefined) {
      for (let k = 0; k < 6; k++) sum[k] = this.#forces[6 * body + k]
      return
    }
    sum.fill(0)
    if (surroundings === undefined) return
    const { world, index } = surroundings
    const own = world.robots[index].start.body + body
    const { fixture, first, last } = this.#otherNamed(other, world.robots[index].start.body)
    const { stepBefore, fixtures, shapes } = world
    for (let i = 0; i < stepBefore.count; i++) {
      const a = stepBefore.bodyA[i]
      const b = stepBefore.bodyB[i]
      if (a !== own && b !== own) continue
      const met = a === own ? b : a
      const pair = stepBefore.pair[i]
      // pairs with fixtures come first, see `World.shapes`
      const isMeant =
        fixture >= 0
          ? pair < shapes.length * fixtures.length && pair % fixtures.length === fixture
          : met !== 0 && met >= first && met <= last
      if (!isMeant) continue
      const sign = b === own ? 1 : -1
      for (let k = 0; k < 6; k++) sum[k] += sign * stepBefore.force[6 * i + k]
    }
  }

  #otherNamed(name: string, ownStart: number): Other {
    let other = this.#others.get(name)
    if (other === undefined) {
      other = this.#findOther(name, ownStart)
      this.#others.set(name, other)
    }
    return other
  }

  // a function of its own, for one that makes closures allocates when it is entered
  #findOther(name: string, ownStart: number): Other {
    const { world } = this.#surroundings as Surroundings
    const bodies = (first: number, last: number): Other => ({ fixture: -1, first, last })
    const fixture = world.fixtures.findIndex((one) => one.name === name)
    if (fixture >= 0) return { fixture, first: 0, last: 0 }
    for (const { name: own, robot, start } of world.robots) {
      if (own === name) return bodies(start.body + 1, start.body + robot.model.nb - 1)
      const frame = robot.frames.find((one) => `${own}/${one.name}` === name)
      if (frame !== undefined) return bodies(start.body + frame.body, start.body + frame.body)
    }
    const frame = this.#robot.frames.find((one) => one.name === name)
    if (frame !== undefined) return bodies(ownStart + frame.body, ownStart + frame.body)
    const names = [...world.fixtures.map((one) => one.name), ...world.robots.map((one) => one.name)]
    throw new ControllerError(
      'contacts',
      `there is no "${name}" that could touch; there are ${names.join(', ')}, and their links as NAME/LINK`,
    )
  }
}

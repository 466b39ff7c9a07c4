import { addBodyForces, type Data, type Frame, type Model, place3 } from '../dynamics/index.ts'
import type { Robot } from '../robots/index.ts'
import { linkFrame } from './loops.ts'

/** A push from outside: an impulse at a point of a link, spread evenly over a time. */
export interface WorldPush {
  /** For messages. Default: push1, push2, ... */
  readonly name?: string
  /** Which robot, by its name in the world. Default: the first. */
  readonly robot?: string
  /** A link of it, or another of its named frames. Default: its only one, as of a free body. */
  readonly link?: string
  /** 3: in the link's axes from its origin [m]. Default: the origin. */
  readonly point?: readonly number[]
  /** 3: in world axes [N s]. */
  readonly impulse: readonly number[]
  /** When it begins [s]. */
  readonly at: number
  /** How long it lasts [s]; 0, the default, for all of it within the step that holds `at`. */
  readonly duration?: number
}

interface Push {
  readonly name: string
  readonly body: number
  /** 3: in the body's axes [m]. */
  readonly point: Float64Array
  readonly impulse: Float64Array
  readonly at: number
  readonly duration: number
}

/** The pushes of a world. Each step gets the part of each impulse that falls into it, so that the whole is the same at every step size. */
export class Pushes {
  readonly any: boolean
  private readonly model: Model
  readonly list: readonly Push[]
  private readonly forces: Float64Array
  private readonly place = new Float64Array(3)

  /** @param names of the robots that make up `robot` @throws RangeError for what is no push, or of no link of this world */
  constructor(robot: Robot, names: readonly string[], pushes: readonly WorldPush[]) {
    this.any = pushes.length > 0
    this.model = robot.model
    this.list = pushes.map((push, i) => pushOn(robot, names, push, push.name ?? `push${i + 1}`))
    this.forces = new Float64Array(this.any ? 6 * robot.model.nb : 0)
  }

  /**
   * Adds the generalised force of the pushes over a step, their mean, to tau (nv).
   *
   * Reads data.R_WB, data.p_WB and data.SW (`kinematics`) of the start of the step.
   *
   * @param step 2: its start, and how long it is [s]
   */
  add(step: Float64Array, data: Data, tau: Float64Array): void {
    const { forces, place } = this
    const from = step[0]
    const to = from + step[1]
    let acts = false
    for (const { body, point, impulse, at, duration } of this.list) {
      const overlap = Math.min(to, at + duration) - Math.max(from, at)
      // a rounding error before a step's end is the next one's start
      const share = duration > 0 ? overlap / duration : at < to - ROUNDING * step[1] && at >= from - ROUNDING * step[1] ? 1 : 0
      if (!(share > 0)) continue
      if (!acts) forces.fill(0)
      acts = true
      place3(place, data.R_WB[body], data.p_WB[body], point)
      for (let k = 0; k < 3; k++) {
        const [l, m] = [(k + 1) % 3, (k + 2) % 3]
        forces[6 * body + k] += (share * (place[l] * impulse[m] - place[m] * impulse[l])) / step[1]
        forces[6 * body + 3 + k] += (share * impulse[k]) / step[1]
      }
    }
    if (acts) addBodyForces(this.model, forces, data, tau)
  }
}

/** Share of a step by which products of a step size may miss the time that they stand for. */
const ROUNDING = 1e-6

function pushOn(robot: Robot, names: readonly string[], push: WorldPush, name: string): Push {
  const where = `push "${name}": `
  const { point = [0, 0, 0], impulse, at, duration = 0 } = push
  for (const [field, vector] of Object.entries({ point, impulse }))
    if (vector?.length !== 3 || !Array.from(vector).every(Number.isFinite))
      throw new RangeError(`${where}${field} is [${Array.from(vector ?? []).join(', ')}]; expected three finite numbers`)
  for (const [field, time] of Object.entries({ at, duration }))
    if (!(typeof time === 'number' && time >= 0 && time < Infinity))
      throw new RangeError(`${where}${field} is ${String(time)}; expected a time of at least 0 s`)
  const frame = linkFrame(robot, names, push, where)
  if (frame.body === 0) throw new RangeError(`${where}"${frame.name}" stands still; push a link that can move`)
  return { name, body: frame.body, point: inBody(frame, point), impulse: Float64Array.from(impulse), at, duration }
}

function inBody({ R, p }: Frame, point: readonly number[]): Float64Array {
  const own = new Float64Array(3)
  place3(own, R, p, Float64Array.from(point))
  return own
}

import { addBodyForces, type Data, type Model, PassiveElements, place3 } from '../../dynamics/index.ts'
import * as is from '../../dynamics/math/arguments.ts'
import type { Robot } from '../../robots/index.ts'
import { linkFrame } from '../loops/loops.ts'
import { addForceAt, addPull, type Pull, pointInBody, pullOn, type WorldPull } from './pulls.ts'

/** An external push: an impulse at a point of a link, constant force over a time. */
export interface WorldPush extends Pick<WorldPull, 'robot' | 'link' | 'point'> {
  /** Name in messages. Default: push1, push2, ... */
  readonly name?: string
  /** 3: in world axes [N s]. */
  readonly impulse: readonly number[]
  /** When it begins [s]. */
  readonly at: number
  /** Duration [s]; with 0, the default, the whole impulse acts within the step that contains `at`. */
  readonly duration?: number
}

const others = { name: is.text, robot: is.text, link: is.text, point: is.numbers(3), duration: is.number(0, 's') }
const pushKind = is.fields<WorldPush>({ impulse: is.numbers(3), at: is.number(0, 's') }, others)
export const pushAction = is.fields<Omit<WorldPush, 'at'> & { type: 'push' }>({ type: is.text, impulse: is.numbers(3) }, others)

interface Push {
  readonly name: string
  readonly body: number
  /** 3: in the body's axes [m]. */
  readonly point: Float64Array
  readonly impulse: Float64Array
  readonly at: number
  readonly duration: number
}

/** Pushes and pulls added during a run, unchanged, for checkpoints. */
export interface LiveForces {
  readonly pushes: readonly WorldPush[]
  readonly pulls: readonly WorldPull[]
}

/** Pushes and pulls of a world: those of its options, and those added since (`live`). Replaced, never changed. */
export interface ActingForces {
  readonly list: readonly Push[]
  readonly pulls: readonly Pull[]
  readonly live: LiveForces
}

/**
 * External loads on a world. Each step has the part of each push within it, so that the total is the same at every step size; pulls act
 * until released.
 */
export class Pushes {
  private readonly model: Model
  private readonly robot: Robot
  private readonly names: readonly string[]
  /** Forces that the model carries: of tendons and a medium; undefined where it has none. */
  readonly elements: PassiveElements | undefined
  /** Those of the present world of a batch, else of the only one. */
  acting: ActingForces
  private readonly scheduled: readonly Push[]
  /** 6 a body: mean force over the last step, [moment; force] in world axes about the world's origin [N m, N]. */
  readonly forces: Float64Array
  /** 2: start and length of the current step [s], for `add`. */
  readonly span = new Float64Array(2)
  /** Whether any acted in the last step. */
  private acted = false
  private readonly place = new Float64Array(3)
  private readonly force = new Float64Array(3)

  /** @param names of the robots that make up `robot` @throws RangeError for an invalid push, or one that names no link of this world */
  constructor(robot: Robot, names: readonly string[], pushes: readonly WorldPush[]) {
    this.model = robot.model
    this.robot = robot
    this.names = names
    this.scheduled = pushes.map((push, i) => pushOn(robot, names, push, push.name ?? `push${i + 1}`))
    this.acting = { list: this.scheduled, pulls: [], live: { pushes: [], pulls: [] } }
    this.forces = new Float64Array(6 * robot.model.nb)
    this.elements = PassiveElements.areIn(robot.model) ? new PassiveElements(robot.model) : undefined
  }

  /** Adds a push. @throws RangeError as the constructor */
  push(push: WorldPush, dt: number): void {
    const { live } = this.acting
    this.restore({ ...live, pushes: [...live.pushes, push] }, dt)
  }

  /** Replaces the pull of this name, if there is one. @throws RangeError for an invalid pull */
  pull(pull: WorldPull, dt: number): void {
    this.restore({ ...this.acting.live, pulls: [...this.without(pull.name), pull] }, dt)
  }

  release(name: string | undefined, dt: number): void {
    this.restore({ ...this.acting.live, pulls: this.without(name) }, dt)
  }

  private without(name = 'pull'): WorldPull[] {
    return this.acting.live.pulls.filter((pull) => (pull.name ?? 'pull') !== name)
  }

  save(): LiveForces {
    return this.acting.live
  }

  restore(live: LiveForces = { pushes: [], pulls: [] }, dt: number): void {
    const { robot, names } = this
    const pushes = live.pushes.map((push, i) => pushOn(robot, names, push, push.name ?? `live push${i + 1}`))
    // a pull that stays keeps its stiffness, whose computation takes a factorisation
    const pulls = live.pulls.map((pull) => {
      const old = this.acting.live.pulls.indexOf(pull)
      return old < 0 ? pullOn(robot, names, pull, dt) : this.acting.pulls[old]
    })
    this.acting = { list: [...this.scheduled, ...pushes], pulls, live }
  }

  /**
   * Adds the mean generalised force over a step to tau (nv).
   *
   * Reads kinematics and velocities in data, at the start of the step.
   *
   * @param step 2: its start and length [s]
   */
  add(step: Float64Array, data: Data, tau: Float64Array): void {
    const { model, forces, place, force } = this
    const from = step[0]
    const to = from + step[1]
    let acts = this.acting.pulls.length > 0
    if (this.acted) forces.fill(0)
    for (const { body, point, impulse, at, duration } of this.acting.list) {
      const overlap = Math.min(to, at + duration) - Math.max(from, at)
      // a time just before a step's end, by rounding, belongs to the next step
      const share = duration > 0 ? overlap / duration : at < to - ROUNDING * step[1] && at >= from - ROUNDING * step[1] ? 1 : 0
      if (!(share > 0)) continue
      acts = true
      place3(place, data.R_WB[body], data.p_WB[body], point)
      for (let k = 0; k < 3; k++) force[k] = (share * impulse[k]) / step[1]
      addForceAt(forces, body, place, force)
    }
    for (const pull of this.acting.pulls) addPull(pull, data, forces)
    if (acts) addBodyForces(model, forces, data, tau)
    this.acted = acts
  }
}

/** Error of multiples of a step size, relative to the step, that is rounding. */
const ROUNDING = 1e-6

function pushOn(robot: Robot, names: readonly string[], push: WorldPush, name: string): Push {
  const where = `push "${name}": `
  is.check(push, pushKind, where)
  const { point = [0, 0, 0], impulse, at, duration = 0 } = push
  const frame = linkFrame(robot, names, push, where)
  if (frame.body === 0) throw new RangeError(`${where}"${frame.name}" stands still; push a link that can move`)
  return { name, body: frame.body, point: pointInBody(frame, point), impulse: Float64Array.from(impulse), at, duration }
}

import * as is from '../../dynamics/math/arguments.ts'
import type { World } from '../world.ts'
import { GrowableDoubles } from './growable.ts'
import { allEntries, createFrame, FrameSource, growContacts, type RecordingFrame } from './recordingFrame.ts'
import { contactRows, contactsHeader, stateHeader, stateRow } from './recordingTable.ts'

export interface RecorderOptions {
  /** Records steps whose count is a multiple of this. Default 1. */
  readonly every?: number
  /** Also record kinetic and potential energy, from separate kinematics. Default true. */
  readonly energy?: boolean
}

/** A recording in JSON. Columns have one frame after another. */
export type Recording = Readonly<ReturnType<Recorder['toJSON']>>

const list = (column: GrowableDoubles) => Array.from(column.view())

/**
 * Keeps every n-th frame of a world in memory. Call `record` after construction and after each step; it keeps every n-th. A frame holds the
 * state at its time, and the efforts and contacts of the step that ended there.
 */
export class Recorder {
  readonly every: number
  frames = 0
  readonly #source: FrameSource
  readonly #energy: boolean
  readonly #columns = {
    step: new GrowableDoubles(),
    t: new GrowableDoubles(),
    q: new GrowableDoubles(),
    v: new GrowableDoubles(),
    tau: new GrowableDoubles(),
    energy: new GrowableDoubles(),
    solver: new GrowableDoubles(),
    log: new GrowableDoubles(),
    start: new GrowableDoubles(),
    bodies: new GrowableDoubles(),
    shapes: new GrowableDoubles(),
    point: new GrowableDoubles(),
    normal: new GrowableDoubles(),
    gap: new GrowableDoubles(),
    force: new GrowableDoubles(),
    impulse: new GrowableDoubles(),
    impact: new GrowableDoubles(),
    moment: new GrowableDoubles(),
  }
  readonly #scratch = new Float64Array(4)

  /** @throws RangeError unless `every` is a whole number of at least 1 */
  constructor(world: World, options: RecorderOptions = {}) {
    is.check(options, optionsKind, 'Recorder: ')
    const { every = 1, energy = true } = options
    this.every = every
    this.#energy = energy
    this.#source = new FrameSource(world, energy)
    this.#columns.start.append(this.#scratch, 1)
  }

  record(): void {
    if (this.#source.world.stepCount % this.every !== 0) return
    const frame = this.#source.read()
    const columns = this.#columns
    const scratch = this.#scratch
    scratch[0] = frame.step
    columns.step.append(scratch, 1)
    columns.t.append(frame.t)
    columns.q.append(frame.q)
    columns.v.append(frame.v)
    columns.tau.append(frame.tau)
    columns.energy.append(frame.energy)
    columns.solver.append(frame.solver)
    columns.log.append(frame.log)
    const { contacts } = frame
    const { count } = contacts
    for (let c = 0; c < count; c++) {
      scratch[0] = contacts.bodyA[c]
      scratch[1] = contacts.bodyB[c]
      scratch[2] = contacts.pair[c]
      scratch[3] = contacts.feature[c]
      columns.bodies.append(scratch, 4)
      scratch[0] = contacts.shapeA[c]
      scratch[1] = contacts.shapeB[c]
      columns.shapes.append(scratch, 2)
    }
    columns.point.append(contacts.point, 3 * count)
    columns.normal.append(contacts.normal, 3 * count)
    columns.gap.append(contacts.gap, count)
    columns.force.append(contacts.force, 3 * count)
    columns.impulse.append(contacts.impulse, 3 * count)
    columns.impact.append(contacts.impact, 3 * count)
    columns.moment.append(contacts.moment, 3 * count)
    scratch[0] = columns.gap.length
    columns.start.append(scratch, 1)
    this.frames++
  }

  /**
   * Writes the configuration of frame i, nq numbers, for display.
   *
   * @throws RangeError if there is no such frame
   */
  readConfiguration(i: number, q: Float64Array): void {
    const { nq } = this.#source.world.model
    this.#checkFrame(i)
    const values = this.#columns.q.view()
    for (let k = 0; k < nq; k++) q[k] = values[i * nq + k]
  }

  /** @throws RangeError if there is no such frame */
  frame(i: number): RecordingFrame {
    this.#checkFrame(i)
    const { model } = this.#source.world
    const columns = this.#columns
    const frame = createFrame(model, this.#source.channels.length)
    const row = (column: GrowableDoubles, out: Float64Array) =>
      out.set(column.view().subarray(i * out.length, (i + 1) * out.length))
    frame.step = columns.step.view()[i]
    for (const name of ['t', 'q', 'v', 'tau', 'energy', 'solver', 'log'] as const) row(columns[name], frame[name])
    const first = columns.start.view()[i]
    const count = columns.start.view()[i + 1] - first
    const { contacts } = frame
    growContacts(contacts, count)
    contacts.count = count
    const bodies = columns.bodies.view().subarray(4 * first)
    const shapes = columns.shapes.view().subarray(2 * first)
    for (let c = 0; c < count; c++) {
      contacts.bodyA[c] = bodies[4 * c]
      contacts.bodyB[c] = bodies[4 * c + 1]
      contacts.pair[c] = bodies[4 * c + 2]
      contacts.feature[c] = bodies[4 * c + 3]
      contacts.shapeA[c] = shapes[2 * c]
      contacts.shapeB[c] = shapes[2 * c + 1]
    }
    contacts.gap.set(columns.gap.view().subarray(first, first + count))
    for (const name of ['point', 'normal', 'force', 'impulse', 'impact', 'moment'] as const)
      contacts[name].set(columns[name].view().subarray(3 * first, 3 * (first + count)))
    return frame
  }

  #checkFrame(i: number): void {
    if (!(i >= 0 && i < this.frames)) throw new RangeError(`frame ${i} is not one of the ${this.frames} recorded`)
  }

  toJSON() {
    const { every, frames } = this
    const { world } = this.#source
    const columns = this.#columns
    const energy = list(columns.energy)
    const { q, v } = allEntries(this.#source)
    return {
      robot: world.robot.name,
      robots: world.robots.map(({ name }) => name),
      contactModel: world.contactModel.name,
      dt: world.dt,
      /** Steps between frames. */
      every,
      frames,
      nq: world.model.nq,
      nv: world.model.nv,
      /** Names of the columns of q, and of those of v and tau: a floating base's `base/wx` to `base/vz`, then the joints. */
      coordinateNames: q.map(({ name }) => name),
      velocityNames: v.map(({ name }) => name),
      /** frames: steps completed, and time [s]. */
      step: list(columns.step),
      t: list(columns.t),
      /** frames x nq, frames x nv, frames x nv. */
      q: list(columns.q),
      v: list(columns.v),
      tau: list(columns.tau),
      /** frames: kinetic and potential energy [J]; empty if not recorded. */
      kinetic: this.#energy ? energy.filter((_, i) => i % 2 === 0) : [],
      potential: this.#energy ? energy.filter((_, i) => i % 2 === 1) : [],
      /** 4 a frame: iterations, failures and fallbacks since the last frame; largest residual of the run so far. */
      solver: list(columns.solver),
      /** Names of the controllers' channels, and frames x channels of their values; null before the first value. */
      channelNames: this.#source.channels,
      log: list(columns.log).map((value) => (Number.isFinite(value) ? value : null)),
      contacts: this.#contacts(),
      /** Hash of the world at the end. */
      hash: world.hash(),
    }
  }

  /** `RecordedContacts` describes frame and instant. */
  #contacts() {
    const { shapes } = this.#source
    const columns = this.#columns
    return {
      /** frames + 1: frame i has contacts start[i] to start[i + 1] - 1. */
      start: list(columns.start),
      /** Names of the shapes indexed by `shapes`, and of their links. */
      shapeNames: shapes.map(({ name }) => name),
      linkNames: shapes.map(({ link }) => link),
      /** Per contact: body A, body B, pair, feature. */
      bodies: list(columns.bodies),
      /** Per contact: shape A, shape B. */
      shapes: list(columns.shapes),
      /** Per contact, 3: point and normal in world axes [m, 1]. */
      point: list(columns.point),
      normal: list(columns.normal),
      /** Per contact [m]. */
      gap: list(columns.gap),
      /** Per contact, 3: on body B in world axes: mean force without impacts [N], impulse, the impact in it [N s], and moment [N m s]. */
      force: list(columns.force),
      impulse: list(columns.impulse),
      impact: list(columns.impact),
      moment: list(columns.moment),
    }
  }

  /** A row per frame; see recordingTable.ts. */
  toCSV(): string {
    return stateHeader(this.#source) + this.#rows(stateRow)
  }

  /** A row per contact; see recordingTable.ts. */
  contactsCSV(): string {
    return contactsHeader + this.#rows((frame) => contactRows(this.#source, frame))
  }

  #rows(of: (frame: RecordingFrame) => string): string {
    return Array.from({ length: this.frames }, (_, i) => of(this.frame(i))).join('')
  }
}

const optionsKind = is.options<RecorderOptions>({ every: is.whole(1), energy: is.flag })

/** @throws RangeError unless it is a whole number of at least 1 */
export function checkEvery(every: number): void {
  is.check(every, is.whole(1), 'every')
}

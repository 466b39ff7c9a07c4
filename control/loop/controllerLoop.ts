import { createState, type Data, didYouMean, type Model, type State, shortened } from '../../dynamics/index.ts'
import * as is from '../../dynamics/math/arguments.ts'
import type { Robot } from '../../robots/index.ts'
import { robotKind } from '../../robots/robot.ts'
import type { EffortSource, LogChannels, Surroundings } from '../../simulation/index.ts'
import { Motors } from '../actuators/motors.ts'
import type { Controller, ControllerState } from '../controller.ts'
import { ControllerError, describe } from '../controllerError.ts'
import { given } from '../expected.ts'
import { fileSensors, type SensorOptions, Sensors, type Sight } from '../sensors/index.ts'
import { ContactsSeen } from './contactsSeen.ts'
import { JointSeen } from './jointSeen.ts'
import { channelsInto, kind } from './logChannels.ts'
import { loopsOf } from './loopsSeen.ts'
import { missingRead } from './missingReads.ts'
import { MocapPoses } from './mocapPoses.ts'
import { type Remote, remote } from './remote.ts'
import { SurfaceSpeeds } from './surfaceSpeeds.ts'

export interface ControllerLoopOptions {
  /** Name of the controller in errors. Default 'controller'. */
  readonly name?: string
  /** Passed to the controller's `init`. */
  readonly options?: Readonly<Record<string, unknown>>
  /** Overrides the controller's own rate [Hz]. */
  readonly rate?: number
  /** Sensors by name, beside those of the robot's file; one of the same name takes its place. */
  readonly sensors?: Readonly<Record<string, SensorOptions>>
  /** Of a controller that gives `ctrl`: as in `Motors`. */
  readonly act?: readonly number[]
  /** Of the sensors' noise. Default 1. */
  readonly seed?: number
  /**
   * One shared integer (an Int32Array over a SharedArrayBuffer) by which another thread can detect a controller that
   * never returns: k + 1 inside the tick of step k, -1 inside `init`, `IN_METRICS` inside `metrics`,
   * `IN_SAVE` while its memory is saved, 0 outside the controller.
   */
  readonly heartbeat?: Int32Array
}

export interface ControllerLoop extends EffortSource {
  /** The controller's target as of its last tick; NaN where it follows none. See `ControllerState`. */
  readonly target: { readonly joints: Float64Array; readonly base: Float64Array }
  /** The controller's own figures; empty if it has none. */
  metrics(): Record<string, number>
}

/** See `ControllerLoopOptions.heartbeat`. */
export const IN_METRICS = -3
/** See `ControllerLoopOptions.heartbeat`. */
export const IN_SAVE = -4

/** Of a controller that states none [Hz]. */
export const DEFAULT_RATE = 500

/** See `ControllerState.command`. */
const COMMAND_SIZE = 2

interface Saved {
  readonly memory: unknown
  readonly state: { readonly q: Float64Array; readonly v: Float64Array; readonly t: Float64Array }
  readonly joints: Float64Array
  readonly base: Float64Array
  /** Older checkpoints have none: zero. */
  readonly contactForces?: Float64Array
  /** Likewise: nothing. */
  readonly command?: Float64Array
  /** None where there are no sensors, no log. */
  readonly sensors?: ReturnType<Sensors['save']>
  readonly log?: Float64Array
}

/**
 * Runs one controller at its own rate for one world. The controller gets copies of all data, so that nothing that it writes
 * affects the simulation but the efforts that it returns.
 *
 * @throws RangeError for a rate that is not positive
 */
export function createControllerLoop(controller: Controller, robot: Robot, stated: ControllerLoopOptions = {}): ControllerLoop {
  const { name = 'controller', options = {}, heartbeat, sensors, act, seed } = given('controller loop', stated)
  given('controller', controller, `controller "${name}"`)
  is.check(robot, robotKind, `controller "${name}": robot`)
  const { rate = controller.rate ?? DEFAULT_RATE } = stated
  const loop = new Loop(controller, robot, name, options, rate, heartbeat, sensors, seed)
  return controller.output === 'ctrl' ? new Motors(robot, [], loop, loop, act) : loop
}

/** Steps between two ticks: the period of a rate [Hz], rounded to whole steps of dt [s]. @unchecked */
export const stepsPerTick = (rate: number, dt: number): number => Math.max(1, Math.round(1 / (rate * dt)))

class Loop implements ControllerLoop {
  readonly target: { readonly joints: Float64Array; readonly base: Float64Array }
  readonly command = new Float64Array(COMMAND_SIZE).fill(NaN)
  /** Copy of it for the controller. */
  private readonly commandCopy = new Float64Array(COMMAND_SIZE)
  everySteps = 1
  private readonly controller: Controller & { readonly [remote]?: Remote }
  private readonly robot: Robot
  private readonly name: string
  private readonly options: Readonly<Record<string, unknown>>
  private readonly rate: number
  private readonly heartbeat: Int32Array | undefined
  /** Copy of `robot` for the controller. */
  private readonly ownRobot: Robot
  /** Has the arrays of the view, where they may be replaced; the object itself is not shared. */
  private readonly copy: State
  private readonly contactForces: Float64Array
  /** Mocap poses and surface velocities set by the controller, besides efforts. */
  private readonly written: { readonly mocaps: MocapPoses; readonly surfaces: SurfaceSpeeds }
  /** Index of each number of its answer, of an effort in tau. */
  private readonly places: Int32Array
  private view: View | undefined
  /** Source of the arrays of `view.data`. */
  private seen: Data | undefined
  private readonly sensorOptions: ControllerLoopOptions['sensors']
  private readonly seed: number | undefined
  /** The controller's channels, and behind them from the start on the numbers of sensors. */
  log: LogChannels
  private sensors: Sensors | undefined
  /** Their last input: a world passes the same objects at every tick. */
  private sight: Sight | undefined
  /** nv: the efforts that act, as of the last tick; and the forces of actuators, where it gives their inputs. */
  readonly efforts: Float64Array
  readonly forces: Float64Array
  private readonly isCtrl: boolean
  private surroundings: Surroundings | undefined
  private dt = 0
  /** [s]. Null before the start, so that V8 keeps the number as an object: passing it on then boxes nothing. */
  private period: number | null = null

  constructor(
    controller: Controller,
    robot: Robot,
    name: string,
    options: Readonly<Record<string, unknown>>,
    rate: number,
    heartbeat: Int32Array | undefined,
    sensors: ControllerLoopOptions['sensors'],
    seed: number | undefined,
  ) {
    this.sensorOptions = sensors
    this.seed = seed
    const names = controller.log ?? []
    this.log = { names, values: new Float64Array(names.length).fill(NaN) }
    this.controller = controller
    this.robot = robot
    this.ownRobot = copyOf(asPlainData(robot)) as Robot
    this.name = name
    this.options = plainCopy(options).copy as Readonly<Record<string, unknown>> // may have functions of t
    this.rate = rate
    this.heartbeat = heartbeat
    this.target = { joints: new Float64Array(robot.joints.length).fill(NaN), base: new Float64Array(3).fill(NaN) }
    this.copy = createState(robot.model)
    this.contactForces = new Float64Array(6 * robot.model.nb)
    this.written = { mocaps: new MocapPoses(robot), surfaces: new SurfaceSpeeds(robot) }
    this.efforts = new Float64Array(robot.model.nv)
    this.isCtrl = controller.output === 'ctrl'
    this.forces = new Float64Array(this.isCtrl ? (robot.actuators?.length ?? 0) : 0)
    this.places = this.isCtrl
      ? Int32Array.from(robot.controls ?? [], (_, k) => k)
      : Int32Array.from(robot.joints, (joint) => joint.vIndex)
  }

  start(model: Model, dt: number, surroundings?: Surroundings): void {
    if (model !== this.robot.model)
      throw new ControllerError(
        this.name,
        `was made for robot "${this.robot.name}" but is started on another model ("${model.name}")`,
      )
    if (this.isCtrl && this.forces.length === 0)
      throw new ControllerError(
        this.name,
        `gives ctrl, and "${model.name}" has no actuators that act; an MJCF file states them, else give efforts`,
        0,
      )
    if (surroundings && this.surroundings && surroundings.world !== this.surroundings.world)
      throw new ControllerError(this.name, 'drives another world; make a loop for each', 0)
    this.dt = dt
    this.everySteps = stepsPerTick(this.rate, dt)
    const period = this.everySteps * dt
    this.period = period
    this.target.joints.fill(NaN)
    this.target.base.fill(NaN)
    this.surroundings = surroundings
    if (surroundings) this.written.surfaces.connect(this.robot, surroundings)
    this.sensors = this.sensorsOf(period)
    const sensors = this.sensors?.shown ?? {}
    const loops = loopsOf(surroundings?.world.switches)
    this.mark(-1)
    let memory: unknown
    let isPromise: boolean
    try {
      const { ownRobot: robot, options } = this
      memory = this.controller.init({ robot, model: robot.model, period, options, sensors, loops: { ...loops } })
      isPromise = typeof (memory as PromiseLike<unknown> | undefined)?.then === 'function'
    } catch (error) {
      throw new ControllerError(this.name, `init threw: ${describe(error)}`, 0, error)
    } finally {
      this.mark(0)
    }
    if (isPromise) {
      const remedy = 'return the memory itself, and await what takes time at the top level of the file'
      throw new ControllerError(this.name, `init returned a promise; ${remedy}`, 0)
    }
    this.command.fill(NaN)
    const own = this.controller.log ?? []
    const names = [...own, ...(this.sensors?.channels ?? [])]
    this.log = { names, values: new Float64Array(names.length).fill(NaN) }
    this.sight = undefined
    this.view = new View(this.ownRobot, { ...this.copy }, this.contactForces, { ...this.target }, memory, {
      contacts: new ContactsSeen(this.robot, this.contactForces, surroundings),
      sensors,
      loops,
      log: channelsInto(own, this.log.values),
      command: this.commandCopy,
      mocap: this.written.mocaps.poses,
      surfaces: this.written.surfaces.speeds,
      efforts: this.efforts,
      name: this.name,
      own: this.robot,
    })
  }

  private sensorsOf(period: number): Sensors | undefined {
    const { sensorOptions: stated = {}, robot } = this
    const named = Object.entries(fileSensors(robot)).filter(([name]) => !Object.hasOwn(stated, name))
    const all = { ...stated, ...Object.fromEntries(named) }
    if (Object.keys(all).length === 0) return undefined
    try {
      return new Sensors(robot, all, period, this.seed, this.surroundings)
    } catch (error) {
      throw new ControllerError(this.name, (error as Error).message, 0, error)
    }
  }

  tick(state: State, data: Data, tau: Float64Array, contactForces: Float64Array): void {
    const { copy, view } = this
    if (view === undefined) throw new ControllerError(this.name, 'ticked before it was started')
    // with ctrl they are those of the motors
    if (!this.isCtrl) this.efforts.set(tau)
    this.see(view, state, data, contactForces)
    tau.fill(0)
    if (this.heartbeat !== undefined) this.mark(Math.round(state.t[0] / this.dt) + 1)
    // the returned object may run code too: a getter may throw, or never return
    try {
      const answer: unknown = this.controller.update(view, this.period as number)
      if (answer instanceof Float64Array) this.takeTyped(answer, tau)
      else this.takeAny(answer, tau)
      const misplaced = this.written.mocaps.write(state.q) || this.written.surfaces.write()
      if (misplaced !== '') throw new Unusable(`at t = ${seconds(copy)}, ${misplaced}`)
    } catch (error) {
      if (Unusable.is(error)) throw new ControllerError(this.name, error.message, copy.t[0])
      throw new ControllerError(this.name, `update threw at t = ${seconds(copy)}: ${describe(error)}`, copy.t[0], error)
    } finally {
      this.mark(0)
    }
  }

  private see(view: View, state: State, data: Data, contactForces: Float64Array): void {
    const { copy, written } = this
    const { mocaps, surfaces } = written
    // writing to a detached array throws
    if (
      copy.q.length !== state.q.length ||
      copy.v.length !== state.v.length ||
      copy.t.length !== 1 ||
      this.commandCopy.length !== COMMAND_SIZE ||
      mocaps.poses.length !== mocaps.length ||
      surfaces.speeds.length !== surfaces.length ||
      this.contactForces.length !== contactForces.length
    )
      throw new ControllerError(this.name, 'it gave away (transferred) an array that it was handed; pass on a copy', state.t[0])
    copy.q.set(state.q)
    copy.v.set(state.v)
    copy.t.set(state.t)
    this.contactForces.set(contactForces)
    this.commandCopy.set(this.command)
    mocaps.read(state.q)
    surfaces.read()
    if (data !== this.seen) {
      this.seen = data
      view.data = withOwnLists({ ...data, compiled: undefined })
      view.contacts.see(view.data)
    }
    if (this.sensors === undefined) return
    const { robot, surroundings, efforts, forces, log } = this
    if (this.sight?.data !== data || this.sight.state !== state || this.sight.contactForces !== contactForces)
      this.sight = { robot, state, data, contactForces, efforts, forces, surroundings }
    this.sensors.see(this.sight)
    this.sensors.writeChannels(log.values)
  }

  // Two functions, so that the one used by all built-in controllers has one type of array and boxes nothing.
  private takeTyped(efforts: Float64Array, tau: Float64Array): void {
    const { places } = this
    if (efforts.length !== places.length) throw this.wrongLength(efforts)
    for (let j = 0; j < places.length; j++) {
      if (efforts[j] - efforts[j] !== 0) throw this.notFinite(efforts, j)
      tau[places[j]] = efforts[j]
    }
  }

  private takeAny(answer: unknown, tau: Float64Array): void {
    const { places } = this
    const efforts = answer as ArrayLike<number> | null | undefined
    if (typeof efforts !== 'object' || efforts === null || efforts.length !== places.length) throw this.wrongLength(answer)
    for (let j = 0; j < places.length; j++) {
      const effort = efforts[j] // read once: a getter may return another next time
      if (!Number.isFinite(effort)) throw this.notFinite(efforts, j)
      tau[places[j]] = effort
    }
  }

  private wrongLength(answer: unknown): Unusable {
    const n = this.places.length
    const { name, controls = [] } = this.robot
    const expected = this.isCtrl
      ? `ctrl, one number for each of the ${n} inputs of the actuators of "${name}": ${shortened(controls, 20)}`
      : `one effort for each of the ${n} moving joints of "${name}", in the order of robot.joints`
    return new Unusable(`update returned ${kind(answer)} at t = ${seconds(this.copy)}; it must return ${expected}`)
  }

  private notFinite(efforts: ArrayLike<unknown>, j: number): Unusable {
    const meant = this.isCtrl ? `ctrl of "${this.robot.controls?.[j]}"` : `the effort of joint "${this.robot.joints[j].name}"`
    const found = typeof efforts[j] === 'number' ? String(efforts[j]) : kind(efforts[j])
    const where = `entry ${j}, ${meant}`
    const { controller, view, period } = this
    const missing = controller[remote]
      ? controller[remote].missing(view?.memory)
      : missingRead(view as View, (state) => controller.update(state, period as number))
    const remedy = missing === undefined ? 'it must be a finite number' : `it read ${missing}`
    return new Unusable(`update returned ${found} in ${where}, at t = ${seconds(this.copy)}; ${remedy}`)
  }

  private mark(value: number): void {
    if (this.heartbeat !== undefined) Atomics.store(this.heartbeat, 0, value)
  }

  save(): Saved {
    const { joints, base } = this.target
    this.mark(IN_SAVE) // getters in it run
    try {
      const own = this.view?.memory
      const memory = this.controller[remote] ? this.controller[remote].save(own) : own
      const { contactForces, command, copy: state, log } = this
      return structuredClone({
        memory,
        state,
        joints,
        base,
        contactForces,
        command,
        sensors: this.sensors?.save(),
        log: log.values,
      })
    } catch (error) {
      const remedy = 'let init return numbers, strings, arrays, typed arrays and plain objects only'
      throw new ControllerError(this.name, `its memory cannot be saved (${describe(error)}); ${remedy}`, this.copy.t[0], error)
    } finally {
      this.mark(0)
    }
  }

  restore(saved: unknown): void {
    if (this.view === undefined) throw new ControllerError(this.name, 'restored before it was started')
    const zero = new Float64Array(this.contactForces.length)
    const none = new Float64Array(COMMAND_SIZE).fill(NaN)
    const {
      memory,
      state,
      contactForces = zero,
      command = none,
      sensors,
      log,
      ...target
    } = (copyOf(saved) ?? {}) as Partial<Saved>
    const isLog = log === undefined || log instanceof Float64Array
    if (!isLog || !isLike(state, this.copy) || !isLike([contactForces, command], [zero, none]) || !isLike(target, this.target))
      throw new ControllerError(this.name, 'the checkpoint is not of a controller of this robot; use one of its own')
    const far = this.controller[remote]
    this.view.memory = far ? far.restore(this.view.memory, memory) : memory
    this.copy.q.set(state.q)
    this.copy.v.set(state.v)
    this.copy.t.set(state.t)
    this.contactForces.set(contactForces)
    this.command.set(command)
    this.target.joints.set(target.joints)
    this.target.base.set(target.base)
    if (sensors !== undefined) this.sensors?.restore(sensors)
    // of an older checkpoint without those of sensors
    if (log !== undefined) this.log.values.set(log.subarray(0, this.log.values.length))
  }

  metrics(): Record<string, number> {
    if (this.view === undefined || this.controller.metrics === undefined) return {}
    const { t } = this.copy
    this.mark(IN_METRICS)
    try {
      const metrics: unknown = this.controller.metrics(this.view)
      if (typeof metrics !== 'object' || metrics === null || typeof (metrics as PromiseLike<unknown>).then === 'function')
        throw new Unusable(`metrics returned ${kind(metrics, 'metrics')}; it must return an object of numbers by name`)
      return numbersOf(metrics)
    } catch (error) {
      if (Unusable.is(error)) throw new ControllerError(this.name, error.message, t[0])
      throw new ControllerError(this.name, `metrics threw: ${describe(error)}`, t[0], error)
    } finally {
      this.mark(0)
    }
  }
}

/** Whether it has the same arrays of as many numbers. */
function isLike<T extends { readonly [key in keyof T]: Float64Array }>(saved: object | undefined, own: T): saved is T {
  return Object.entries<Float64Array>(own).every(([key, { length }]) => {
    const values: unknown = saved?.[key as never]
    return values instanceof Float64Array && values.length === length
  })
}

/** An unusable return value of a controller, with the reason. */
class Unusable extends Error {
  readonly #own = true

  /** `instanceof` would query the thrown value, which may be a proxy. */
  static is(error: unknown): error is Unusable {
    return typeof error === 'object' && error !== null && #own in error && error.#own
  }
}

/** Most figures in a report. */
const MOST_METRICS = 1000
const LONGEST_NAME = 100

function numbersOf(metrics: object): Record<string, number> {
  const names = Object.keys(metrics)
  if (names.length > MOST_METRICS)
    throw new Unusable(`metrics returned ${names.length} numbers; there is room for ${MOST_METRICS} in a report`)
  const numbers: [string, number][] = []
  for (const name of names) {
    const value = (metrics as Record<string, unknown>)[name]
    if (name.length > LONGEST_NAME)
      throw new Unusable(
        `metrics returned a name of ${name.length} characters, "${name.slice(0, 20)}..."; ${LONGEST_NAME} is the most`,
      )
    if (typeof value !== 'number') throw new Unusable(`metrics returned a ${typeof value} as "${name}"; it must be a number`)
    numbers.push([name, value])
  }
  return Object.fromEntries(numbers)
}

/** The same arrays of numbers in separate objects and lists: removing them from these does not affect the computation. */
function withOwnLists<T>(data: T): T {
  if (typeof data !== 'object' || data === null || ArrayBuffer.isView(data)) return data
  if (Array.isArray(data)) return data.map(withOwnLists) as T
  const own = { ...data } // of the same shape, as in `plainCopy`
  for (const key in own) own[key] = withOwnLists(own[key])
  return own
}

/** The parts of a view provided by its loop. */
interface Seen
  extends Pick<ControllerState<unknown>, 'contacts' | 'sensors' | 'loops' | 'log' | 'command' | 'mocap' | 'surfaces'> {
  readonly efforts: Float64Array
  readonly name: string
  /** Not the controller's copy, which it may change. */
  readonly own: Robot
}

/** The controller's view of the state. Made once; its numbers are in arrays, because a number in a field is boxed at each write. */
class View implements ControllerState<unknown> {
  readonly robot: Robot
  readonly model: Model
  readonly state: State
  readonly q: Float64Array
  readonly v: Float64Array
  readonly contactForces: Float64Array
  readonly target: { readonly joints: Float64Array; readonly base: Float64Array }
  readonly contacts: ContactsSeen
  readonly sensors: Readonly<Record<string, Float64Array>>
  readonly loops: Record<string, number>
  readonly log: Record<string, number>
  readonly command: Float64Array
  readonly mocap: Float64Array
  readonly surfaces: Float64Array
  data!: Data
  memory: unknown
  readonly #time: Float64Array
  readonly #name: string
  readonly #joints = new Map<string, JointSeen>()

  constructor(
    robot: Robot,
    state: State,
    contactForces: Float64Array,
    target: View['target'],
    memory: unknown,
    { contacts, sensors, loops, log, command, mocap, surfaces, efforts, name, own }: Seen,
  ) {
    this.command = command
    this.mocap = mocap
    this.surfaces = surfaces
    this.contacts = contacts
    this.sensors = sensors
    this.loops = loops
    this.log = log
    this.#name = name
    for (const joint of own.joints) this.#joints.set(joint.name, new JointSeen(joint, own.model, state, efforts))
    this.robot = robot
    this.model = robot.model
    this.state = state
    this.#time = state.t
    this.q = state.q
    this.v = state.v
    this.contactForces = contactForces
    this.target = target
    this.memory = memory
  }

  get t(): number {
    return this.#time[0]
  }

  joint(name: string): JointSeen {
    const joint = this.#joints.get(name)
    if (joint === undefined)
      throw new ControllerError(
        this.#name,
        `"${this.robot.name}" has no moving joint "${name}"${didYouMean(name, [...this.#joints.keys()])}`,
      )
    return joint
  }
}

/** A robot without the functions of time of its surfaces, which cannot be copied. */
function asPlainData(robot: Robot): Robot {
  const isFunction = ({ surfaceVelocity }: Robot['shapes'][number]) => typeof surfaceVelocity === 'function'
  if (!robot.shapes.some(isFunction)) return robot
  return {
    ...robot,
    shapes: robot.shapes.map((shape) => (isFunction(shape) ? { ...shape, surfaceVelocity: [0, 0, 0, 0, 0, 0] } : shape)),
  }
}

/** A deep copy of a result of `structuredClone`. Made here where possible, for Node's takes 0.3 ms. */
function copyOf(saved: unknown): unknown {
  const { copy, isWhole } = plainCopy(saved)
  return isWhole ? copy : structuredClone(saved)
}

/** Copies plain objects, arrays and whole typed arrays; other values are shared with the copy, which then is not whole. */
function plainCopy(original: unknown): { copy: unknown; isWhole: boolean } {
  const copies = new Map<object, unknown>()
  let isWhole = true
  const copyOne = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const known = copies.get(value)
    if (known !== undefined) return known
    const prototype = Object.getPrototypeOf(value)
    if (ArrayBuffer.isView(value) && !(value instanceof DataView) && value.byteLength === value.buffer.byteLength) {
      // several views of one buffer are to share the copy's too
      if (copies.has(value.buffer)) isWhole = false
      const array = (value as Float64Array).slice()
      copies.set(value.buffer, array.buffer)
      copies.set(value, array)
      return array
    }
    if (prototype !== Object.prototype && prototype !== Array.prototype) {
      isWhole = false
      return value
    }
    // of the same shape, so that code used with both stays as fast
    const out = (Array.isArray(value) ? value.slice() : { ...value }) as Record<string, unknown>
    copies.set(value, out)
    for (const key of Object.keys(value)) out[key] = copyOne((value as Record<string, unknown>)[key])
    return out
  }
  const copy = copyOne(original)
  return { copy, isWhole }
}

const seconds = (state: State) => `${state.t[0].toPrecision(6)} s`

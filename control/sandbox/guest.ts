/** The inner side of a sandbox: `host.ts` bundles it with the script, and calls these functions. */
import { createData, createState, type Data, kinematics, type Model, type State, velocities } from '../../dynamics/index.ts'
import { problemOf } from '../checkedModule.ts'
import type { Controller, ControllerSetup, ControllerState } from '../controller.ts'
import { describe } from '../controllerError.ts'
import { ContactsSeen } from '../loop/contactsSeen.ts'
import { JointSeen } from '../loop/jointSeen.ts'
import { loopsSeen } from '../loop/loopsSeen.ts'
import { missingRead } from '../loop/missingReads.ts'
import { type Packed, pack, unpack } from '../packed.ts'
import { answersOf, type Box, boxOf, writtenIn } from './box.ts'
import { host } from './globals.ts'

/** Nothing on success; the text of an error; or data. */
type Reply = undefined | string | readonly [text: string, bytes: ArrayBufferLike]

/** Input of `open`. */
export interface Opening extends Omit<ControllerSetup, 'model'> {
  /** Not the script's copy, which it may change. */
  readonly model: Model
}

const guarded =
  <Arguments extends unknown[]>(action: (...given: Arguments) => Reply) =>
  (...given: Arguments): Reply => {
    try {
      return action(...given)
    } catch (error) {
      return describe(error)
    }
  }

const data = (value: unknown): Reply => {
  const { text, bytes } = pack(value)
  return [text, bytes.buffer]
}

const packed = (text: string, buffer: ArrayBuffer): Packed => ({ text, bytes: new Uint8Array(buffer) })

export function serve(script: Readonly<Record<string, unknown>>) {
  const controller = script.default as Controller
  return {
    load: guarded(() => {
      const problem = problemOf(script)
      if (problem !== undefined) return data({ problem })
      const { rate, output, log, metrics } = controller
      return data({ rate, output, log, hasMetrics: Boolean(metrics) })
    }),
    open: (text: string, bytes: ArrayBuffer) => open(controller, packed(text, bytes)),
  }
}

// the script comes later, and may replace the language's
const Numbers = Float64Array

/** Kinematics of a tick's state, computed when read: few scripts do, and it costs more than most of them. */
class OwnData {
  readonly data: Data
  private readonly model: Model
  private readonly state: State

  constructor(model: Model) {
    this.model = model
    this.state = createState(model)
    this.data = createData(model)
  }

  find(box: Float64Array, { q, v }: Box): void {
    const { model, state, data } = this
    for (let k = 0; k < model.nq; k++) state.q[k] = box[q + k]
    for (let k = 0; k < model.nv; k++) state.v[k] = box[v + k]
    state.t[0] = box[0]
    kinematics(model, state, data)
    velocities(model, state, data)
  }
}

function open(controller: Controller, opening: Packed) {
  const functions = new Proxy([], { get: (_, index) => (t: number) => host.call(Number(index), +t) })
  const { robot, model, period, options, sensors = {}, loops = {} } = unpack(opening, functions) as Opening
  const answers = answersOf(robot, controller.output)
  const [shown, switched] = [Object.values(sensors), Object.keys(loops)]
  const asked = new Numbers(switched.length) // NaN for those that the script leaves as they are
  const channels = controller.log ?? []
  const at = boxOf(robot, answers, shown, switched.length, channels.length)
  let box = new Numbers(at.length)
  /** Results of a tick for the host, at the same offsets. */
  const out = new Numbers(at.length)
  const { nq, nv, nb } = model
  const own = new OwnData(model)
  const handed = { q: new Float64Array(nq), v: new Float64Array(nv), t: new Float64Array(1) }
  const contactForces = new Float64Array(6 * nb)
  const contacts = new ContactsSeen(robot, contactForces, undefined)
  const n = robot.joints.length
  /** Applied efforts are not passed to a sandbox. */
  const unknownEfforts = new Float64Array(nv).fill(NaN)
  const command = new Float64Array(2)
  const written = writtenIn(at, channels)
  const target = { joints: new Float64Array(n).fill(NaN), base: new Float64Array(3).fill(NaN) }
  let isFresh = false
  const view = {
    q: handed.q,
    v: handed.v,
    get t() {
      return handed.t[0]
    },
    memory: undefined as unknown,
    robot,
    model: robot.model,
    state: handed,
    get data() {
      if (!isFresh) own.find(box, at)
      isFresh = true
      return own.data
    },
    contactForces,
    get contacts() {
      contacts.see(view.data)
      return contacts
    },
    joint(name: string) {
      const joint = robot.joints.find((one) => one.name === name)
      if (joint === undefined) throw new Error(`"${robot.name}" has no moving joint "${name}"`)
      return new JointSeen(joint, model, handed, unknownEfforts)
    },
    sensors,
    loops: loopsSeen(
      switched,
      (l) => box[at.loops + l],
      (l, isOn) => asked.fill(Number(isOn), l, l + 1),
    ),
    command,
    ...written.handed,
    target,
  } satisfies ControllerState<unknown>

  const see = (numbers: ArrayBuffer) => {
    box = new Numbers(numbers)
    if (handed.q.length !== nq || handed.v.length !== nv || contactForces.length !== 6 * nb)
      throw new Error('it gave away (transferred) an array that it was handed; pass on a copy')
    isFresh = false
    handed.t[0] = box[0]
    for (let k = 0; k < nq; k++) handed.q[k] = box[at.q + k]
    for (let k = 0; k < nv; k++) handed.v[k] = box[at.v + k]
    for (let k = 0; k < 6 * nb; k++) contactForces[k] = box[at.contactForces + k]
    for (let k = 0; k < 2; k++) command[k] = box[at.command + k]
    asked.fill(NaN)
    for (let k = 0; k < written.all.length; k++) written.all[k] = box[at.mocap + k]
    for (let j = 0; j < n; j++) target.joints[j] = box[at.joints + j]
    for (let k = 0; k < 3; k++) target.base[k] = box[at.base + k]
    for (let i = 0, from = at.sensors; i < shown.length; from += shown[i++].length)
      for (let k = 0; k < shown[i].length; k++) shown[i][k] = box[from + k]
  }
  return {
    out: out.buffer,
    init: guarded(() => {
      const memory: unknown = controller.init({ robot, model: robot.model, period, options, sensors, loops: { ...loops } })
      view.memory = memory
      // promises are passed to the host as such
      return typeof (memory as PromiseLike<unknown> | undefined)?.then === 'function' ? data(memory) : undefined
    }),
    /** Answers are written into the box, or returned where they are invalid. */
    tick: guarded((numbers: ArrayBuffer) => {
      see(numbers)
      const answer: unknown = controller.update(view, period)
      for (let j = 0; j < n; j++) out[at.joints + j] = target.joints[j]
      for (let k = 0; k < 3; k++) out[at.base + k] = target.base[k]
      for (let k = 0; k < written.all.length; k++) out[at.mocap + k] = written.all[k]
      for (let l = 0; l < switched.length; l++) out[at.loops + l] = asked[l]
      const answered = answer as ArrayLike<number>
      if (typeof answered !== 'object' || answered === null || answered.length !== answers) return data(answer)
      for (let j = 0; j < answers; j++) {
        const effort = answered[j]
        if (typeof effort !== 'number') return data(Array.from(answered))
        out[at.answer + j] = effort
      }
      return undefined
    }),
    metrics: guarded((numbers: ArrayBuffer) => {
      see(numbers)
      return data(controller.metrics?.(view))
    }),
    missing: guarded(() => data(missingRead(view, (state) => controller.update(state, period)))),
    save: guarded(() => data(view.memory)),
    restore: guarded((text: string, bytes: ArrayBuffer) => {
      view.memory = unpack(packed(text, bytes))
      return undefined
    }),
  }
}

export type Guest = ReturnType<typeof serve>

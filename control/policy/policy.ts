/** Trained policies as controllers: observations, actions, and a servo at each joint. */

import { sincos } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { Controller, ControllerSetup, ControllerState } from '../controller.ts'
import { ControllerError } from '../controllerError.ts'
import { createNetwork, type Network, type Numbers } from './network.ts'
import type { Graph } from './onnx.ts'

/** One term of a policy's observation. */
export interface ObservationTerm {
  /** A key of `observations`; with a size, a sensor of the robot. */
  readonly name: string
  /** Of a sensor, how many numbers it shows. */
  readonly size?: number
  /** Factor, one for all or one a number. Default 1. */
  readonly scale?: number | readonly number[]
  /** Bound on the size of each number, or least and largest, before the factor. */
  readonly clip?: number | readonly [number, number]
  /** Number of last ticks that are observed, oldest first. Default 1. */
  readonly history?: number
}

export interface PolicyDescription {
  /** Of the policy [Hz], an integer divisor of the servos'. Default 50. The nearest one if its period is no multiple of the step. */
  readonly rate?: number
  /** Of the servos at the joints [Hz], at most once a step. Default 500. */
  readonly servoRate?: number
  /** Actions are of joints, in their order; or inputs of the actuators of the robot's file, MuJoCo's `ctrl`, in its order. */
  readonly output?: 'joints' | 'ctrl'
  /** Actions of joints are targets of its own servos, positions (default) or speeds of `damping` alone; or efforts. */
  readonly actionType?: 'position' | 'velocity' | 'effort'
  /** Joints in the policy's order. What is said of joints may be left out with `output: 'ctrl'`. */
  readonly joints: readonly string[]
  /** One for all, or one a joint: stiffness [N m/rad] and damping [N m s/rad] of the servos, pose to which actions are added [rad, m]. */
  readonly stiffness: number | readonly number[]
  readonly damping: number | readonly number[]
  readonly pose: number | readonly number[]
  /** Position, speed, effort or input by an action of 1; one for all or one an action. */
  readonly actionScale: number | readonly number[]
  /** That of an action of 0. Default: of positions and inputs the pose, else 0. */
  readonly actionOffset?: number | readonly number[]
  /** Bound on the size of an action. */
  readonly actionClip?: number
  readonly observations: readonly ObservationTerm[]
  /** Order of observed ticks: of each term all, or of each tick all terms, oldest first; then all have one `history`. Default 'terms'. */
  readonly historyOrder?: 'terms' | 'frames'
  /** Period of the phase that it observes [s]. Default 1. */
  readonly phasePeriod?: number
  /** 3: forward, to the left [m/s], turn to the left [rad/s]; the command unless the options state one. Default zeros. */
  readonly command?: readonly number[]
}

interface PolicyMemory {
  /** 3: forward, to the left [m/s], turn to the left [rad/s]; the policy's command. */
  readonly command: Float64Array
  /** Ticks of the servos since the network was last evaluated; -1 before the first. */
  readonly ticks: Int32Array
  readonly actions: Float64Array
  /** Per term: the last ticks, oldest first. */
  readonly histories: readonly Float32Array[]
  /** Of a recurrent network, from one tick to the next, in the order of its inputs. */
  readonly states: readonly Numbers[]
  /** Indices into robot.joints. */
  readonly joints: Int32Array
  /** Efforts, or inputs of the file's actuators. */
  readonly answer: Float64Array
}

/** Numbers of a description, one a joint. */
interface Plan {
  readonly pose: Float64Array
  /** [s] */
  readonly phasePeriod: number
}

/** Writes `size` numbers of an observation from out[at] on. */
type Writer = (out: Float32Array, at: number, seen: ControllerState<PolicyMemory>, plan: Plan) => void

const angle = new Float64Array(1)
const sinCos = new Float64Array(2)

/** Observations by their names in Isaac Lab, mjlab and legged_gym; all of the base in its own axes. */
const observations: Readonly<Record<string, { size: (joints: number, actions: number) => number; write: Writer }>> = {
  base_lin_vel: { size: () => 3, write: (out, at, { v }) => copy(out, at, v, 3, 3) },
  base_ang_vel: { size: () => 3, write: (out, at, { v }) => copy(out, at, v, 0, 3) },
  projected_gravity: {
    size: () => 3,
    write: (out, at, { data }) => {
      for (let k = 0; k < 3; k++) out[at + k] = -data.R_WB[1][6 + k]
    },
  },
  velocity_commands: { size: () => 3, write: (out, at, { memory }) => copy(out, at, memory.command, 0, 3) },
  joint_pos: {
    size: (joints) => joints,
    write: (out, at, { q, robot, memory }, { pose }) => {
      for (let j = 0; j < pose.length; j++) out[at + j] = q[robot.joints[memory.joints[j]].qIndex] - pose[j]
    },
  },
  joint_vel: {
    size: (joints) => joints,
    write: (out, at, { v, robot, memory }, { pose }) => {
      for (let j = 0; j < pose.length; j++) out[at + j] = v[robot.joints[memory.joints[j]].vIndex]
    },
  },
  actions: {
    size: (_, actions) => actions,
    write: (out, at, { memory }) => copy(out, at, memory.actions, 0, memory.actions.length),
  },
  phase: {
    size: () => 2,
    write: (out, at, { state }, { phasePeriod }) => {
      angle[0] = (2 * Math.PI * state.t[0]) / phasePeriod
      sincos(sinCos, angle, 0)
      copy(out, at, sinCos, 0, 2)
    },
  },
}
/** Terms that the base of a robot has, if it moves. */
const ofBase = ['base_lin_vel', 'base_ang_vel', 'projected_gravity']

/** The numbers of a sensor. */
const sensed = (name: string, size: number, file: string): (typeof observations)[string] => ({
  size: () => size,
  write: (out, at, { sensors }) => {
    const own = sensors[name] as Float64Array | undefined
    if (own?.length !== size) {
      const found =
        own === undefined ? `the robot has ${Object.keys(sensors).join(', ') || 'no sensors'}` : `it shows ${own.length} numbers`
      throw new ControllerError(file, `observes a sensor "${name}" of size ${size}; ${found}`)
    }
    copy(out, at, own, 0, size)
  },
})

const aliases: Readonly<Record<string, string>> = {
  command: 'velocity_commands',
  commands: 'velocity_commands',
  generated_commands: 'velocity_commands',
  joint_pos_rel: 'joint_pos',
  joint_vel_rel: 'joint_vel',
  last_action: 'actions',
}

/**
 * A controller that evaluates a network at `rate` for actions: joint targets about a pose, which servos track by stiffness and damping
 * within the motors' limits, speeds, efforts, or inputs of the file's own servos. Its command is the option `command: [forward, left, turn]`, numbers or functions of t. Fills target.joints.
 *
 * @param file for messages @throws ControllerError for a description that contradicts the network, and at `init` for another robot
 */
export function policy(graph: Graph, description: PolicyDescription, file: string): Controller<PolicyMemory> {
  const { rate = 50, servoRate = 500, joints = [], observations: terms } = description
  if (!(rate > 0) || Math.abs(Math.round(servoRate / rate) * rate - servoRate) > 1e-6 * servoRate)
    throw new ControllerError(file, `rate ${rate} Hz is no whole part of servoRate ${servoRate} Hz`)
  const network = createNetwork(graph, file)
  const { input, output, states } = endsOf(network, graph, file)
  const observer = observerOf(description, input, output.length, file)
  const actions = actionsOf(description, output.length, file)
  const actionClip = description.actionClip ?? Infinity
  const isCtrl = description.output === 'ctrl'
  let asked: readonly ((t: number) => number)[] = []

  const act = (seen: ControllerState<PolicyMemory>) => {
    const { memory } = seen
    observer.write(seen)
    for (let k = 0; k < states.length; k++) states[k].from.set(memory.states[k])
    network.run()
    for (let k = 0; k < states.length; k++) memory.states[k].set(states[k].to)
    for (let j = 0; j < output.length; j++) memory.actions[j] = Math.max(-actionClip, Math.min(actionClip, output[j]))
  }

  return {
    rate: servoRate,
    ...(isCtrl && { output: 'ctrl' as const }),
    init(setup) {
      checkRobot(setup.robot, isCtrl ? output.length : undefined, terms, file)
      asked = commandOf(setup.options.command ?? description.command ?? [0, 0, 0], file)
      return {
        command: new Float64Array(3),
        ticks: Int32Array.of(-1),
        actions: new Float64Array(output.length),
        histories: observer.sizes.map((size) => new Float32Array(size)),
        states: states.map(({ from }) => from.slice().fill(0)),
        joints: jointsOf(setup, joints, file),
        answer: new Float64Array(isCtrl ? output.length : setup.robot.joints.length),
      }
    },
    update(seen, dt) {
      const { memory, state } = seen
      for (let k = 0; k < 3; k++) memory.command[k] = asked[k](state.t[0])
      // the loop rounds its period to whole steps, so that ticks are counted by the actual period
      const every = Math.max(1, Math.round(1 / (rate * dt)))
      if (memory.ticks[0] < 0 || memory.ticks[0] >= every) {
        act(seen)
        memory.ticks[0] = 0
      }
      memory.ticks[0]++
      actions.write(seen)
      return memory.answer
    },
  }
}

/** Writes the input of a network; `sizes` are those of its histories. @throws ControllerError */
function observerOf(description: PolicyDescription, input: Numbers, actions: number, file: string) {
  const { joints = [], observations: terms } = description
  const sizes = terms.map(({ name, size, history = 1 }) => {
    const term = observations[aliases[name] ?? name] ?? (size === undefined ? undefined : sensed(name, size, file))
    if (term === undefined)
      throw new ControllerError(
        file,
        `observes "${name}", which is not known; there are ${Object.keys(observations).join(', ')}, and sensors with their size`,
      )
    return { own: term.size(joints.length, actions), history, write: term.write }
  })
  const wanted = sizes.reduce((sum, { own, history }) => sum + own * history, 0)
  if (input.length !== wanted)
    throw new ControllerError(
      file,
      `observes ${wanted} numbers (${terms.map(({ name }, k) => `${name} ${sizes[k].own * sizes[k].history}`).join(', ')}), and its network takes ${input.length}`,
    )
  const frames = frameOrder(description, sizes, file)
  const pose = listOf(description.pose ?? 0, joints.length, 'pose', file)
  const plan = { pose, phasePeriod: description.phasePeriod ?? 1 }
  const scales = terms.map(({ scale = 1, name }, k) => listOf(scale, sizes[k].own, `the scale of ${name}`, file))
  const bounds = terms.map(({ clip = Infinity }) => (typeof clip === 'number' ? [-clip, clip] : clip))
  const write = (seen: ControllerState<PolicyMemory>) => {
    const { memory } = seen
    let at = 0
    for (let k = 0; k < terms.length; k++) {
      const { own, history, write } = sizes[k]
      const past = memory.histories[k]
      const now = past.length - own
      past.copyWithin(0, own)
      write(past, now, seen, plan)
      for (let i = 0; i < own; i++) past[now + i] = Math.max(bounds[k][0], Math.min(bounds[k][1], past[now + i])) * scales[k][i]
      // values before the start are those at the start
      if (memory.ticks[0] < 0) for (let n = 0; n < history - 1; n++) past.copyWithin(n * own, now)
      if (frames === undefined) input.set(past, at)
      else for (let i = 0; i < past.length; i++) input[frames[at + i]] = past[i]
      at += past.length
    }
  }
  return { sizes: sizes.map(({ own, history }) => own * history), write }
}

/** Writes the answer of its last actions. @throws ControllerError */
function actionsOf(description: PolicyDescription, count: number, file: string) {
  const { joints = [], actionType, pose } = description
  const isCtrl = description.output === 'ctrl'
  if (isCtrl && actionType !== undefined)
    throw new ControllerError(
      file,
      `has actionType: ${actionType} of joints, and output: ctrl, which goes to the file's actuators`,
    )
  if (!isCtrl && count !== joints.length)
    throw new ControllerError(file, `moves ${joints.length} joints, and its network gives ${count} actions`)
  const isEffort = actionType === 'effort'
  const isSpeed = actionType === 'velocity'
  const perJoint = (key: 'stiffness' | 'damping') => listOf(description[key] ?? 0, joints.length, key, file)
  const [stiffness, damping] = [perJoint('stiffness'), perJoint('damping')]
  if ((isSpeed || isEffort) && stiffness.some((k) => k !== 0))
    throw new ControllerError(file, `has a stiffness, which actionType: ${actionType} has no use for; leave it out, or state 0`)
  if (isSpeed && !damping.every((d) => d > 0))
    throw new ControllerError(
      file,
      'has actionType: velocity, and no damping, by which its servos track speeds; state it [N m s/rad]',
    )
  const scale = listOf(description.actionScale, count, 'actionScale', file)
  const offset = listOf(description.actionOffset ?? (isSpeed || isEffort ? 0 : (pose ?? 0)), count, 'actionOffset', file)
  const write = ({ memory, robot, q, v, target }: ControllerState<PolicyMemory>) => {
    for (let j = 0; j < count; j++) {
      const place = offset[j] + scale[j] * memory.actions[j]
      if (isCtrl) {
        memory.answer[j] = place
        continue
      }
      const index = memory.joints[j]
      const { qIndex, vIndex } = robot.joints[index]
      if (isEffort) memory.answer[index] = place
      else if (isSpeed) memory.answer[index] = damping[j] * (place - v[vIndex])
      else {
        target.joints[index] = place
        memory.answer[index] = stiffness[j] * (place - q[qIndex]) - damping[j] * v[vIndex]
      }
    }
  }
  return { write }
}

/** One number for all, or one each. @throws ControllerError for another length */
function listOf(value: number | readonly number[], length: number, key: string, file: string): Float64Array {
  if (typeof value === 'number') return new Float64Array(length).fill(value)
  if (value.length !== length) throw new ControllerError(file, `has ${value.length} numbers of ${key}, and takes 1 or ${length}`)
  return Float64Array.from(value)
}

/** Places in the input of the observations of term after term, for those of tick after tick; undefined where they are the same. */
function frameOrder(
  { historyOrder, observations: terms }: PolicyDescription,
  sizes: readonly { readonly own: number; readonly history: number }[],
  file: string,
): Int32Array | undefined {
  if (historyOrder !== 'frames') return undefined
  const whole = sizes.reduce((sum, { own }) => sum + own, 0)
  const { history } = sizes[0]
  if (sizes.some((one) => one.history !== history))
    throw new ControllerError(
      file,
      `has historyOrder: frames and the histories ${terms.map(({ name }, k) => `${name} ${sizes[k].history}`).join(', ')}; a frame has all terms, so state one history for all`,
    )
  const order: number[] = []
  let start = 0
  for (const { own } of sizes) {
    for (let n = 0; n < history; n++) for (let i = 0; i < own; i++) order.push(n * whole + start + i)
    start += own
  }
  return Int32Array.from(order)
}

function copy(out: Float32Array, at: number, from: Float64Array, start: number, count: number): void {
  for (let k = 0; k < count; k++) out[at + k] = from[start + k]
}

/** The observation and the action, and pairs of inputs and outputs for the state of a recurrent network. */
function endsOf({ inputs, outputs }: Network, graph: Graph, file: string) {
  const [input, ...from] = inputs.values()
  const [output, ...to] = outputs.values()
  if (input === undefined || output === undefined) throw new ControllerError(file, 'has a network without an input or an output')
  if (from.length !== to.length || from.some(({ length }, k) => length !== to[k].length))
    throw new ControllerError(
      file,
      `has a network with the inputs ${[...inputs.keys()].join(', ')} and the outputs ${[...outputs.keys()].join(', ')}; beside the first of each there is an output for each input, of its size, which is handed on`,
    )
  const [observed] = graph.inputs.values()
  if (/^(int|bool)/.test(observed.type))
    throw new ControllerError(file, `has a network that observes numbers of type ${observed.type}; observations are fractions`)
  return { input, output, states: from.map((value, k) => ({ from: value, to: to[k] })) }
}

/** @param inputs that it gives in place of joint targets @throws ControllerError for a robot that it cannot drive */
function checkRobot(
  { name, floating, controls = [] }: Robot,
  inputs: number | undefined,
  terms: PolicyDescription['observations'],
  file: string,
): void {
  if (inputs !== undefined && inputs !== controls.length)
    throw new ControllerError(
      file,
      `gives ${inputs} numbers of ctrl, and the actuators of "${name}" have ${controls.length} inputs: ${controls.join(', ')}`,
    )
  if (!floating && terms.some((term) => ofBase.includes(term.name)))
    throw new ControllerError(file, `observes a base that moves; that of robot "${name}" is fixed`)
}

function jointsOf({ robot }: ControllerSetup, names: readonly string[], file: string): Int32Array {
  const missing = names.filter((name) => !robot.joints.some((joint) => joint.name === name))
  if (missing.length > 0)
    throw new ControllerError(
      file,
      `moves ${missing.join(', ')}, which robot "${robot.name}" does not have; it has ${robot.joints.map(({ name }) => name).join(', ')}`,
    )
  return Int32Array.from(names, (name) => robot.joints.findIndex((joint) => joint.name === name))
}

function commandOf(list: unknown, file: string): ((t: number) => number)[] {
  const isGood = (value: unknown) => typeof value === 'number' || typeof value === 'function'
  if (!Array.isArray(list) || list.length !== 3 || !list.every(isGood))
    throw new ControllerError(
      file,
      'options.command is [forward, left, turn], each a number or a function of t such as "=0.3*min(1, t)"',
    )
  return (list as (number | ((t: number) => number))[]).map((value) => (typeof value === 'number' ? () => value : value))
}

/**
 * A description from mjlab's metadata in a network: joint_names, joint_stiffness, joint_damping, default_joint_pos, action_scale,
 * observation_names and, in files of similar programs, observation_history_lengths; each separated by commas. `stated` overrides it.
 */
export function describedBy({ metadata }: Graph, stated: Partial<PolicyDescription>, file: string): PolicyDescription {
  const words = (key: string) =>
    metadata
      .get(key)
      ?.split(',')
      .map((word) => word.trim())
  const numbers = (key: string) => {
    const list = words(key)?.map(Number)
    if (list?.some((value) => !Number.isFinite(value))) throw new ControllerError(file, `has a ${key} that is no list of numbers`)
    return list?.length === 1 ? list[0] : list
  }
  const names = words('observation_names')
  const histories = listOf(numbers('observation_history_lengths') ?? 1, names?.length ?? 1, 'observation_history_lengths', file)
  const bad = histories.find((length) => !(Number.isInteger(length) && length >= 0))
  if (bad !== undefined)
    throw new ControllerError(file, `has ${bad} among its observation_history_lengths, which are whole numbers`)
  const found = {
    joints: words('joint_names'),
    stiffness: numbers('joint_stiffness'),
    damping: numbers('joint_damping'),
    pose: numbers('default_joint_pos'),
    actionScale: numbers('action_scale'),
    observations: names?.map((name, k) => ({ name, history: Math.max(1, histories[k]) })), // 0 means the current one alone
  }
  const whole = { ...found, ...stated }
  // servos of the file have their own, and only positions have a pose
  const [ofServos, isOfPositions] = [['stiffness', 'damping'], (whole.actionType ?? 'position') === 'position']
  const unneeded = whole.output === 'ctrl' ? ['joints', 'pose', ...ofServos] : isOfPositions ? [] : ['pose', ...ofServos]
  const missing = Object.entries(whole).flatMap(([key, value]) => (value === undefined && !unneeded.includes(key) ? [key] : []))
  if (missing.length > 0)
    throw new ControllerError(
      file,
      `says nothing of ${missing.join(', ')}; state them in a YAML file beside \`network: FILE.onnx\``,
    )
  return whole as PolicyDescription
}

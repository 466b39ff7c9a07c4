/**
 * Robots and scenes in MJCF beside native MuJoCo: whether a file loads without a finding that changes its motion, its constants, the terms of its
 * equation of motion, forces of its motors, and half a second of motion from its own start under the law `mujoco`.
 */
import { Motors } from '../../control/index.ts'
import {
  addGravityCompensation,
  biasForces,
  crba,
  createData,
  createRandom,
  createState,
  integrateConfiguration,
  JointType,
  kinematics,
  type Model,
  PassiveElements,
  passiveForces,
  velocities,
} from '../../dynamics/index.ts'
import { openRobotFile } from '../../robots/files.ts'
import { loadExamined, type Robot, RobotError } from '../../robots/index.ts'
import { createGround, World } from '../../simulation/index.ts'
import type { Ask, Corpus, CorpusFile } from './corpus.ts'

const modes = ['air', 'limits', 'ground'] as const
type Mode = (typeof modes)[number]

/** Of the file in MuJoCo. */
interface Opened {
  readonly error?: string
  readonly joints?: number
  readonly cone?: 'elliptic' | 'pyramidal'
  readonly impratio?: number
  /** Whether the world has a plane or a height field that touches. */
  readonly ground?: boolean
  /** Coordinates of qpos0 of each joint, quaternions xyzw. */
  readonly start?: readonly (readonly number[])[]
  readonly features?: Readonly<Record<string, number>>
}

/** Largest difference of qpos and of the centre of mass [m], beside the lengths of their paths. */
interface Run {
  readonly error?: string | number
  readonly path?: number
  readonly off?: number
  readonly way?: number
  /** Step at which MuJoCo's own run is not finite. */
  readonly unstable?: number
  /** What ended our run, or why there is none. */
  readonly ours?: string
}

interface Answer {
  readonly error?: string
  readonly unmatched?: object
  readonly constants?: readonly string[]
  /** Distance of our start from the file's, by joint. */
  readonly start?: Readonly<Record<string, number>>
  /** Whether a joint follows another. */
  readonly follows?: boolean
  readonly M?: number
  readonly bias?: number
  readonly passive?: number
  readonly motors?: number
  readonly runs?: Readonly<Partial<Record<Mode, Run>>>
}

interface Row {
  readonly package: string
  readonly file: string
  /** MuJoCo compiles it and it has a joint. */
  readonly counts: boolean
  readonly error?: string
  readonly features?: Readonly<Record<string, number>>
  readonly ours?: { readonly error?: string; readonly untyped?: true; readonly seconds: number; readonly told: readonly string[] }
  readonly answer?: Answer
}

/** Relative differences up to which terms are equal: of rounding in another order, and of inertias of meshes, whose axes MuJoCo turns by up to 6e-8. */
const equal = { terms: 1e-9, ofMeshes: 1e-7 }

export const mjcf: Corpus<Row> = {
  wheels: [
    { name: 'dm_control', version: '1.0.50' },
    { name: 'gymnasium', version: '1.4.0' },
    { name: 'gymnasium-robotics', version: '1.4.2' },
    { name: 'robosuite', version: '1.5.2' },
    { name: 'robosuite_models', version: '1.0.0' },
    { name: 'mjlab', version: '1.6.0' },
    { name: 'playground', version: '0.2.0' },
    { name: 'myosuite', version: '3.0.0' },
    { name: 'gym-hil', version: '0.1.14' },
    { name: 'gym-xarm', version: '0.1.1' },
    { name: 'gym-aloha', version: '0.1.5' },
    { name: 'dm-robotics-moma', version: '0.10.0' },
  ],
  tools: ['mujoco==4.0.0'],
  script: './mujocoFiles.py',
  isFile: (name) => /\.(xml|mjcf)$/.test(name),
  row,
  table,
  faults,
}

async function row(file: CorpusFile, ask: Ask): Promise<Row> {
  const own = { package: file.package, file: file.name }
  const opened = (await ask({ file: file.path })) as Opened
  if (opened.error !== undefined) return { ...own, counts: false, error: opened.error }
  if (opened.joints === 0) return { ...own, counts: false }
  const features = opened.features
  const start = process.cpuUsage()
  const seconds = () => Math.round((process.cpuUsage(start).user + process.cpuUsage(start).system) / 1e4) / 100
  try {
    const { text, options } = openRobotFile(file.path, { roots: [file.root], maxLinks: 5000 })
    const { robot, examined } = loadExamined(text, { ...options, ground: false })
    const ours = {
      seconds: seconds(),
      told: examined.findings
        .filter(({ repaired }) => repaired)
        .map(({ code, element, message }) => `${code} ${element}: ${message}`),
    }
    const joints = examined.repaired.joints.filter(({ type }) => type !== 'fixed').map(({ name }) => name)
    const onGround = opened.ground || !robot.floating ? robot : grounded(text, options)
    const question = {
      ...questionOf(robot, joints),
      runs: Object.fromEntries(modes.map((mode) => [mode, motion(mode, mode === 'ground' ? onGround : robot, opened, joints)])),
    }
    const answer = (await ask({ file: file.path, ...question })) as Answer
    const runs = Object.fromEntries(modes.map((mode) => [mode, { ours: question.runs[mode].ours, ...answer.runs?.[mode] }]))
    return { ...own, counts: true, features, ours, answer: { ...answer, follows: robot.mimics.length > 0, runs } }
  } catch (error) {
    const untyped = error instanceof RobotError ? {} : { untyped: true as const }
    return {
      ...own,
      counts: true,
      features,
      ours: { error: String(error).slice(0, 900), ...untyped, seconds: seconds(), told: [] },
    }
  }
}

/** The robot set down on a plane that its file does not have. */
const grounded = (text: string, options: ReturnType<typeof openRobotFile>['options']) =>
  loadExamined(text.replace(/<\/mujoco>\s*$/, '<worldbody><geom type="plane" size="0 0 1"/></worldbody></mujoco>'), options).robot

/** Coordinates by the names of joints. */
function byJoint({ jointName, qStart, vStart, nb }: Model, q: Float64Array): Record<string, number[]> {
  const bodies = Array.from({ length: nb - 1 }, (_, i) => i + 1)
  const moving = bodies.filter((i) => vStart[i + 1] > vStart[i])
  return Object.fromEntries(moving.map((i) => [jointName[i], [...q.slice(qStart[i], qStart[i + 1])]]))
}

const numberOf: Readonly<Record<number, number>> = {
  [JointType.floating]: 0,
  [JointType.spherical]: 1,
  [JointType.prismatic]: 2,
  [JointType.revolute]: 3,
}

/** What MuJoCo needs for the file's constants and three states of it. */
function questionOf(robot: Robot, order: readonly string[]) {
  const { model, actuators = [] } = robot
  const { jointName, jointType, follows, multiplier, offset, vStart, lower, upper } = model
  const bound = (x: number) => (Number.isFinite(x) ? x : null)
  return {
    nv: model.nv,
    joints: order.map((name) => {
      const i = jointName.indexOf(name)
      const [type, k, leads] = [numberOf[jointType[i]], vStart[i], follows.includes(i)]
      if (follows[i] >= 0) return { name, type, follows: [jointName[follows[i]], multiplier[i], offset[i]] }
      // ranges and dry friction of joints that follow are part of those that they follow
      const own = type < 2 || leads ? undefined : { range: [bound(lower[k]), bound(upper[k])], frictionloss: model.friction[k] }
      return { name, type, first: k, ...own }
    }),
    actuators: actuators.map(({ name, joint, orientation }) => [name, joint, orientation ? 3 : 1]),
    states: statesOf(robot),
    start: byJoint(model, robot.home),
    mass: model.I.reduce((sum, I, i) => sum + (i > 0 ? I[0] : 0), 0),
    gravity: [...model.gravity.slice(3)],
  }
}

/** Terms of the equation of motion and forces of motors near home and at two random states. */
function statesOf(robot: Robot) {
  const { model, home, actuators = [] } = robot
  const { nv } = model
  const random = createRandom(1)
  const data = createData(model)
  return [0.3, 1, 1].map((scale) => {
    const state = createState(model)
    const some = () => Float64Array.from({ length: nv }, () => scale * random.between(-1, 1))
    integrateConfiguration(model, home, some(), 1, state.q)
    state.v.set(some())
    kinematics(model, state, data)
    velocities(model, state, data)
    crba(model, data)
    const [bias, passive, efforts] = [new Float64Array(nv), new Float64Array(nv), new Float64Array(nv)]
    biasForces(model, state, data, bias)
    passiveForces({ ...model, friction: new Float64Array(nv) }, state, passive)
    new PassiveElements(model).begin(state, data, true, passive)
    // the added mass of a free body, which MuJoCo has in its bias
    const added = new Float64Array(nv)
    new PassiveElements({ ...model, tendons: undefined, fluid: undefined }).begin(state, data, true, added)
    for (let k = 0; k < nv; k++) {
      passive[k] -= added[k]
      bias[k] -= added[k]
    }
    if (model.compensation?.ranges.every(Number.isNaN)) addGravityCompensation(model, data, passive, 1)
    const [ctrl, act] = [actuators.map(() => random.between(-1, 1)), actuators.map(() => random.between(-1, 1))]
    const inputs = new Float64Array(robot.controls?.length ?? 0)
    actuators.forEach(({ input }, k) => {
      inputs[input] = ctrl[k]
    })
    const filtered = act.filter((_, k) => actuators[k].dynamics !== 'none')
    const motors = new Motors(robot, inputs, undefined, undefined, filtered)
    motors.start(model, 1e-3)
    motors.tick(state, data, efforts, new Float64Array(6 * model.nb))
    const M = Array.from({ length: nv }, (_, i) => [...data.M.slice(i * nv, (i + 1) * nv)])
    const terms = { M, bias: [...bias], passive: [...passive], motors: [...efforts] }
    return { q: byJoint(model, state.q), v: [...state.v], ctrl, act, ...terms }
  })
}

/** Coordinates of the file's start; of joints that follow none. */
function startOf({ model, home }: Robot, joints: readonly string[], start: readonly (readonly number[])[]): Float64Array {
  const q = home.slice()
  for (let i = 1; i < model.nb; i++)
    if (model.vStart[i + 1] > model.vStart[i]) q.set(start[joints.indexOf(model.jointName[i])], model.qStart[i])
  return q
}

/** Half a second of ours from home with its motors on: coordinates at each of 50 samples, or what ended it. */
function motion(
  mode: Mode,
  robot: Robot,
  { cone, impratio, ground, start }: Opened,
  joints: readonly string[],
): { ours?: string; q?: object[]; every: number; ground: boolean } {
  const { model } = robot
  const every = 10
  const added = mode === 'ground' && !ground && robot.floating
  const free = {
    ...model,
    lower: model.lower.map(() => -Infinity),
    upper: model.upper.map(() => Infinity),
    friction: new Float64Array(model.nv),
  }
  const q = added ? robot.home : startOf(robot, joints, start!)
  const body = { ...robot, ...(mode === 'air' && { model: free }), ...(mode !== 'ground' && { shapes: [] }) }
  const fixtures = mode === 'ground' ? (robot.surroundings ?? [createGround()]) : []
  const loops = mode === 'air' ? [] : (robot.loops ?? [])
  const began = performance.now()
  try {
    const world = new World({
      robot: body,
      loops,
      q,
      dt: 1e-3,
      contactModel: 'mujoco',
      contactOptions: { cone, impratio },
      controller: new Motors(body),
      fixtures,
    })
    const samples = [byJoint(model, world.state.q)]
    for (let n = 1; n <= 500; n++) {
      world.step()
      if (performance.now() - began > 60_000) return { ours: `slow: 60 s for ${n} steps`, every, ground: added }
      if (n % every === 0) samples.push(byJoint(model, world.state.q))
    }
    return { q: samples, every, ground: added }
  } catch (error) {
    return { ours: String(error).slice(0, 400), every, ground: added }
  }
}

// Results

type Outcome = 'equal' | 'told' | 'differs' | 'none'

function outcome(one: Row, key: 'M' | 'bias' | 'passive' | 'motors' | 'constants' | Mode): Outcome {
  const { answer, ours } = one
  if (!answer || answer.error !== undefined || answer.unmatched) return 'none'
  const of = (isEqual: boolean): Outcome => (isEqual ? 'equal' : (ours?.told.length ?? 0) > 0 ? 'told' : 'differs')
  if (key === 'constants') return of(answer.constants!.length === 0)
  if (key === 'M' || key === 'bias') return of(answer[key]! <= (one.features?.meshes ? equal.ofMeshes : equal.terms))
  const byAxes = one.features?.meshes && one.features.fluid
  if (key === 'passive' || key === 'motors')
    return of(answer[key]! <= (key === 'passive' && byAxes ? equal.ofMeshes : equal.terms))
  const run = answer.runs?.[key]
  // joints that follow are held by an equality there
  if (!run || run.unstable !== undefined || (key === 'air' && answer.follows)) return 'none'
  if (run.ours !== undefined || typeof run.error !== 'number') return of(false)
  if (key === 'air') return of(run.error <= 1e-6)
  if (key === 'limits') return of(run.error <= Math.max(0.05 * run.path!, 1e-4))
  return of(run.off! <= Math.max(0.002, 0.02 * run.way!))
}

const columns = ['constants', 'M', 'bias', 'passive', 'motors', ...modes] as const

function table(rows: readonly Row[]): string {
  const packages = [...new Set(rows.map((one) => one.package))]
  const lines = [...packages, 'all'].map((name) => {
    const own = rows.filter((one) => one.counts && (name === 'all' || one.package === name))
    const count = (is: (one: Row) => boolean) => `${own.filter(is).length}`
    const version = mjcf.wheels.find((wheel) => wheel.name === name)?.version ?? ''
    return [
      `${name} ${version}`.trim(),
      `${own.length}`,
      count((one) => one.ours?.error === undefined),
      count((one) => one.ours?.error === undefined && one.ours?.told.length === 0),
      ...columns.map(
        (key) => `${count((one) => outcome(one, key) === 'equal')} + ${count((one) => outcome(one, key) === 'told')}`,
      ),
    ]
  })
  const head = ['package', 'files', 'load', 'without a word', ...columns]
  return [head, head.map((_, k) => (k === 0 ? '---' : '---:')), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function faults(rows: readonly Row[]): string[] {
  return rows.flatMap((one) => {
    if (!one.counts) return []
    const fault = (text: string) => `${one.package} ${one.file}: ${text}`
    const { ours, answer } = one
    if (ours?.untyped) return [fault(`an error without a type: ${ours.error}`)]
    if (ours?.error !== undefined) return [fault(`refused: ${ours.error}`)]
    if (answer?.error !== undefined) return [fault(answer.error)]
    if (answer?.unmatched) return [fault(`other joints: ${JSON.stringify(answer.unmatched).slice(0, 300)}`)]
    const detail = (key: (typeof columns)[number]) =>
      key === 'air' || key === 'limits' || key === 'ground' ? answer?.runs?.[key] : answer?.[key]
    return columns
      .filter((key) => outcome(one, key) === 'differs')
      .map((key) => fault(`${key}: ${JSON.stringify(detail(key))}`.slice(0, 400)))
  })
}

/**
 * Robots in URDF, xacro and SDF, beside Pinocchio, Drake and xacro: which of them read a file, and whether mass matrix, bias and gravity
 * are theirs. The base floats where it does by our reading. Joint armatures, which Pinocchio's reader leaves out, are not compared with it.
 */
import { crba, createData, createRandom, createState, integrateConfiguration, kinematics, rnea } from '../../dynamics/index.ts'
import { openRobotFile } from '../../robots/files.ts'
import { loadExamined, type Robot, RobotError } from '../../robots/index.ts'
import type { Ask, Corpus, CorpusFile } from './corpus.ts'

type Kind = 'urdf' | 'xacro' | 'sdf'

/** A tool's answer: largest relative differences of ours, or why they are not known. */
export interface Answer {
  readonly error?: string
  /** Names of joints that one side alone moves. */
  readonly unmatched?: object
  readonly difference?: { readonly M: number; readonly bias: number; readonly gravity: number }
  /** M is singular with the file's own inertias. */
  readonly singular?: boolean
  /**
   * Bodies whose inertia is not the one that the file gives them, links behind fixed joints counted in; joint '' is the base's. Numbers: mass [kg],
   * distance of its centre from the joint [m], principal moments about the centre [kg m^2], ascending.
   */
  readonly changed?: readonly {
    readonly joint: string
    readonly own: 'proper' | 'missing' | 'impossible'
    readonly before: readonly number[]
    readonly after: readonly number[]
  }[]
}

export interface Row {
  readonly package: string
  readonly file: string
  readonly kind: Kind
  readonly ours: {
    readonly error?: string
    /** The loader failed otherwise than by a RobotError. */
    readonly untyped?: true
    readonly velocities?: number
    readonly floating?: boolean
    /** Processor time of loading. */
    readonly seconds: number
    /** Findings that change the motion. */
    readonly repairs: readonly string[]
  }
  readonly pinocchio?: Answer
  readonly drake?: Answer
  /** Whether the expansion of xacro's own tool is the same robot, to the bit. */
  readonly xacro?: { readonly error?: string; readonly same?: boolean }
}

/** Relative difference up to which results are equal: of rounding in another order. */
export const equal = 1e-9
/** Files whose bodies' own inertias are impossible or missing [files], and processor time of loading [s]: at most. */
const most = { changed: 44, seconds: 2 }

/** One of a hundred of a thousand files that one program made. */
const isSampled = (name: string) => !/random_urdfs\/(?!\d00\/)/.test(name)

export const urdf: Corpus<Row> = {
  wheels: [
    { name: 'example-robot-data', version: '6.0.0' },
    { name: 'pybullet', version: '3.2.7', only: 'pybullet_data/' },
    { name: 'icub-models', version: '3.2.0' },
    { name: 'drake', version: '1.51.1', only: 'pydrake/share/' },
    { name: 'robosuite', version: '1.5.2' },
    { name: 'gym-ignition-models', version: '1.1.1' },
    { name: 'armar', version: '1.1.0' },
  ],
  tools: ['pin==4.1.0', 'drake==1.51.1', 'xacro==2.1.1', 'scipy==1.17.1', 'mujoco==4.0.0'],
  script: './rigidBody.py',
  isFile: (name) => /\.(urdf|xacro|sdf|world)$/.test(name) && isSampled(name),
  row,
  table,
  faults,
}

/** Loads the file, or another text in its place. */
function load({ path, root }: CorpusFile, text?: string): { readonly robot?: Robot; readonly ours: Row['ours'] } {
  const start = process.cpuUsage()
  const seconds = () => {
    const { user, system } = process.cpuUsage(start)
    return Math.round((user + system) / 1e4) / 100
  }
  try {
    const opened = openRobotFile(path, { roots: [root] })
    const { robot, examined } = loadExamined(text ?? opened.text, opened.options)
    const repairs = examined.findings
      .filter(({ repaired }) => repaired)
      .map(({ code, element, message }) => `${code} ${element}: ${message}`)
    return { robot, ours: { velocities: robot.model.nv, floating: robot.floating, seconds: seconds(), repairs } }
  } catch (error) {
    const untyped = error instanceof RobotError ? {} : { untyped: true as const }
    return { ours: { error: String(error).slice(0, 600), ...untyped, seconds: seconds(), repairs: [] } }
  }
}

async function row(file: CorpusFile, ask: Ask): Promise<Row> {
  const { path, root, name } = file
  const kind: Kind = /\.xacro$/.test(name) ? 'xacro' : /\.urdf$/.test(name) ? 'urdf' : 'sdf'
  const { robot, ours } = load(file)
  const own = { package: file.package, file: name, kind, ours }
  const expanded: { error?: string; text?: string } = kind === 'xacro' ? await ask({ tool: 'xacro', file: path, root }) : {}
  if (expanded.error !== undefined) return { ...own, xacro: expanded }
  const { text } = expanded
  const question = { file: path, root, text, ...questionOf(robot) }
  return {
    ...own,
    pinocchio: kind === 'sdf' ? undefined : await ask({ tool: 'pinocchio', ...question }),
    drake: await ask({ tool: 'drake', ...question }),
    xacro:
      text === undefined
        ? undefined
        : { same: JSON.stringify(questionOf(load(file, text).robot)) === JSON.stringify(questionOf(robot)) },
  }
}

const sizes = { floating: [7, 6], planar: [3, 3], spherical: [4, 3], revolute: [1, 1], continuous: [1, 1], prismatic: [1, 1] }

/** A robot's joints, bodies, and terms of its equation of motion in the home pose at rest and in two random states, as the Python side has them. */
export function questionOf(robot: Robot | undefined): object {
  if (robot === undefined) return { floating: false, joints: [], followers: [], armature: [], bodies: {}, states: [] }
  const { model, floating, mimics, home } = robot
  const { nv } = model
  const joints = [...robot.joints, ...robot.freeJoints].sort((a, b) => a.vIndex - b.vIndex)
  const random = createRandom(1)
  const data = createData(model)
  const states = [0, 1, 1].map((scale) => {
    const state = createState(model)
    const someVelocity = () => Float64Array.from({ length: nv }, () => scale * random.between(-1, 1))
    integrateConfiguration(model, home, someVelocity(), 1, state.q)
    state.v.set(someVelocity())
    kinematics(model, state, data)
    crba(model, data)
    const M = Array.from({ length: nv }, (_, i) => [...data.M.slice(i * nv, (i + 1) * nv)])
    const forcesAt = (v: Float64Array) => {
      const tau = new Float64Array(nv)
      rnea(model, { ...state, v }, new Float64Array(nv), data, tau)
      return [...tau]
    }
    return {
      base: [...state.q.slice(0, 7)],
      q: Object.fromEntries(joints.map(({ name, type, qIndex: k }) => [name, [...state.q.slice(k, k + sizes[type][0])]])),
      v: [...state.v],
      ...{ M, bias: forcesAt(state.v), gravity: forcesAt(new Float64Array(nv)) },
    }
  })
  return {
    floating,
    joints: joints.map(({ name, type }) => [name, sizes[type][1]]),
    followers: mimics.map(({ name, follows, multiplier, offset }) => [name, follows, multiplier, offset]),
    armature: [...model.armature],
    bodies: Object.fromEntries(
      [...joints, ...mimics, { name: '', body: 1 }].map(({ name, body }) => [name, [...(model.I[body] ?? [])]]),
    ),
    states,
  }
}

const isEqual = ({ ours }: Row, { difference }: Answer = {}) =>
  ours.error === undefined && difference !== undefined && Math.max(...Object.values(difference)) <= equal

/** Reasons why a file's numbers are not Pinocchio's, by the bodies that we gave another inertia than their own: the first that fits. */
const reasons = {
  proper: 'proper',
  impossible: 'impossible',
  singular: 'missing, M singular',
  regular: 'missing, M regular',
  other: 'unchanged',
} as const

function reasonOf(one: Row): keyof typeof reasons | undefined {
  const { changed = [], difference, singular } = one.pinocchio ?? {}
  if (difference === undefined || one.ours.error !== undefined || isEqual(one, one.pinocchio)) return undefined
  if (changed.length === 0) return 'other'
  if (changed.some(({ own }) => own === 'proper')) return 'proper'
  if (changed.some(({ own }) => own === 'impossible')) return 'impossible'
  return singular ? 'singular' : 'regular'
}

function table(rows: readonly Row[]): string {
  const packages = [...new Set(rows.map((one) => one.package))]
  const lines = [...packages, 'all'].map((name) => {
    const own = rows.filter((one) => name === 'all' || one.package === name)
    const count = (is: (one: Row) => boolean) => `${own.filter(is).length}`
    const read = (tool: 'pinocchio' | 'drake') =>
      `${count((one) => one[tool]?.error === undefined && one[tool] !== undefined)} of ${count((one) => one[tool] !== undefined)}`
    const version = urdf.wheels.find((wheel) => wheel.name === name)?.version ?? ''
    return [
      `${name} ${version}`.trim(),
      `${own.length}`,
      count((one) => one.ours.error === undefined),
      read('pinocchio'),
      read('drake'),
      count((one) => isEqual(one, one.pinocchio)),
      ...Object.keys(reasons).map((reason) => count((one) => reasonOf(one) === reason)),
      count((one) => isEqual(one, one.drake)),
      `${Math.max(...own.map((one) => one.ours.seconds))} s`,
    ]
  })
  const head = ['package', 'files', 'we read', 'Pinocchio reads', 'Drake reads', 'as Pinocchio', ...Object.values(reasons)]
  const all = [[...head, 'as Drake', 'slowest'], lines[0].map((_, k) => (k === 0 ? '---' : '---:')), ...lines]
  return all.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function faults(rows: readonly Row[]): string[] {
  const out: string[] = []
  for (const one of rows) {
    const { pinocchio, drake, ours, kind, xacro } = one
    const fault = (text: string) => out.push(`${one.package} ${one.file}: ${text}`)
    const reason = reasonOf(one)
    if (ours.untyped) fault(`an error without a type: ${ours.error}`)
    if (ours.error !== undefined && pinocchio !== undefined && pinocchio.error === undefined)
      fault(`Pinocchio reads it, we do not: ${ours.error}`)
    if (ours.error !== undefined && kind === 'sdf' && drake?.error === undefined)
      fault(`Drake reads it, we do not: ${ours.error}`)
    if (reason === 'proper' || reason === 'regular' || reason === 'other')
      fault(`differs from Pinocchio by ${JSON.stringify(pinocchio?.difference)}: ${reasons[reason]}`)
    if (pinocchio?.unmatched) fault(`other joints than Pinocchio's: ${JSON.stringify(pinocchio.unmatched)}`)
    if (xacro?.same === false) fault('not the robot of xacro to the bit')
    if (ours.seconds > most.seconds) fault(`${ours.seconds} s of processor time to load; at most ${most.seconds}`)
  }
  const changed = rows.filter((one) => reasonOf(one) !== undefined).length
  if (changed > most.changed) out.push(`${changed} files differ from Pinocchio; at most ${most.changed}`)
  return out
}

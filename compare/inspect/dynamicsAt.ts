/**
 * The dynamics of a robot at one state, in the coordinates of the command line: a joint of several coordinates, the
 * floating base first of all, moves by velocities in the axes that the joint has on its parent (the world's, for the
 * base), and accelerations are plain time derivatives of those.
 *
 * Our own v has these velocities in the axes of the body that moves. With R from the body's axes to the joint's,
 * u = T v, where T has a block a joint: R, R for a floating one (angular, linear), R for a spherical one, the turn of the
 * plane for a planar one, 1 for the others. So u' = T v' + T' v, forces are f_u = T f_v (T is orthogonal), M_u = T M T'.
 */

import * as z from 'zod'
import {
  aba,
  bodyJacobianW,
  crba,
  createData,
  createState,
  type Data,
  kinematics,
  passiveForces,
  rnea,
  rotationOfQuaternion,
  type State,
  shortened,
  sincos,
} from '../../dynamics/index.ts'
import * as is from '../../dynamics/math/arguments.ts'
import type { Robot, RobotFreeJoint } from '../../robots/index.ts'
import { robotKind } from '../../robots/robot.ts'
import { parseJson, unknownFields } from '../scenario/fileFields.ts'
import { shown } from '../scenario/index.ts'
import { ruleOf } from './mimicRule.ts'

/** Output of `featherbed dynamics --json`. */
export type DynamicsAt = Readonly<ReturnType<typeof dynamicsAt>>

/** A state file. Every part may be left out, and every joint: zero, or the identity. */
export interface StateFile {
  /**
   * By joint [rad, m]. `base` and floating joints are [x, y, z, qx, qy, qz, qw], planar ones [x, y, angle], spherical ones
   * [qx, qy, qz, qw].
   */
  readonly q?: Readonly<Record<string, Entry>>
  /**
   * By joint [rad/s, m/s]. `base` is [wx, wy, wz, vx, vy, vz] in world axes, floating joints the same in the joint's axes;
   * planar ones are [vx, vy, w], spherical ones [wx, wy, wz], in the joint's axes too. Or a list, as `velocityNames` says.
   */
  readonly v?: Readonly<Record<string, Entry>> | readonly number[]
  /** Like v: accelerations for inverse dynamics. */
  readonly a?: Readonly<Record<string, Entry>> | readonly number[]
  /** Like v: forces for forward dynamics. */
  readonly tau?: Readonly<Record<string, Entry>> | readonly number[]
}
type Entry = number | readonly number[]

export class StateFileError extends Error {
  override name = 'StateFileError'
}

const entry = z.union([z.number(), z.array(z.number())], {
  error: ({ input }) => `found ${shown(input)}, expected a number, or a list of numbers for a joint of several coordinates`,
})
const byName = z.record(z.string(), entry, { error: ({ input }) => `found ${shown(input)}, expected an object with joint names` })
const vector = z.union([z.array(z.number()), byName], {
  error: ({ input }) => `found ${shown(input)}, expected an object with joint names or a list of numbers`,
})
const schema = z.strictObject(
  { q: byName.optional(), v: vector.optional(), a: vector.optional(), tau: vector.optional() },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? unknownFields(issue.keys, 'q, v, a, tau')
        : `found ${shown(issue.input)}, expected an object with q, v, a and tau`,
  },
)

/** Reported problems. */
const MOST_PROBLEMS = 100

/** @throws StateFileError that names the file, the field, what was found and what was expected */
export function parseStateFile(text: string, file: string): StateFile {
  const result = schema.safeParse(parseJson(text, file, StateFileError))
  if (result.success) return result.data
  const problems = result.error.issues.slice(0, MOST_PROBLEMS).flatMap((issue) => {
    // a vector is a list or an object: for an object, the mistake inside it says more
    const inner = issue.code === 'invalid_union' ? issue.errors.flat().filter(({ path }) => path.length > 0) : []
    const said = inner.length > 0 ? inner.map((i) => ({ path: [...issue.path, ...i.path], message: i.message })) : [issue]
    return said.map(({ path, message }) => `${file}: ${path.length > 0 ? `${path.map(String).join('.')} ` : ''}${message}`)
  })
  throw new StateFileError(problems.join('\n'))
}

/** One joint of the state file. */
interface Entrance {
  readonly name: string
  readonly kind: 'base' | RobotFreeJoint['type'] | 'single'
  readonly qIndex: number
  readonly vIndex: number
}

/** Names of a joint's velocities, and meaning of entries in q and in v, a, tau. */
const kinds = {
  base: {
    suffixes: ['/wx', '/wy', '/wz', '/vx', '/vy', '/vz'],
    position: ['x', 'y', 'z', 'qx', 'qy', 'qz', 'qw'],
    rate: 'six numbers, angular then linear, in world axes',
  },
  floating: {
    suffixes: ['/0', '/1', '/2', '/3', '/4', '/5'],
    position: ['x', 'y', 'z', 'qx', 'qy', 'qz', 'qw'],
    rate: "six numbers, angular then linear, in the joint's axes",
  },
  planar: { suffixes: ['/0', '/1', '/2'], position: ['x', 'y', 'angle'], rate: 'three numbers, for x, y and the angle' },
  spherical: {
    suffixes: ['/0', '/1', '/2'],
    position: ['qx', 'qy', 'qz', 'qw'],
    rate: "three numbers, angular, in the joint's axes",
  },
  single: { suffixes: [''], position: ['q'], rate: 'one finite number' },
} as const

/** All joints with coordinates of their own, in the model's order. */
function entrancesOf({ floating, joints, freeJoints }: Robot): Entrance[] {
  const all: Entrance[] = floating ? [{ name: 'base', kind: 'base', qIndex: 0, vIndex: 0 }] : []
  for (const { name, qIndex, vIndex } of joints) all.push({ name, kind: 'single', qIndex, vIndex })
  for (const { name, type, qIndex, vIndex } of freeJoints) all.push({ name, kind: type, qIndex, vIndex })
  return all.sort((a, b) => a.vIndex - b.vIndex)
}

const entries = is.either(is.made('entries by joint'), is.array)

/** Names of the velocities, in the model's order. */
export function velocityNames(robot: Robot): string[] {
  is.check(robot, robotKind, 'robot')
  return entrancesOf(robot).flatMap(({ name, kind }) => kinds[kind].suffixes.map((suffix) => name + suffix))
}

/**
 * All of a robot's dynamics at one state.
 *
 * @param links   links whose Jacobians are wanted
 * @param passive lets the joints' springs, damping and dry friction act, as `passiveForces` has them
 * @throws StateFileError for a name or a length that does not fit the robot
 */
export function dynamicsAt(robot: Robot, given: StateFile, links: readonly string[] = [], passive = false) {
  is.check(robot, robotKind, 'robot')
  is.check(given, is.options<StateFile>({ q: entries, v: entries, a: entries, tau: entries }), 'state')
  is.check(links, is.listOf(is.text), 'links')
  is.check(passive, is.flag, 'passive')
  const { model } = robot
  const { nv } = model
  const state = createState(model)
  const data = createData(model)
  readConfiguration(robot, given, state)
  kinematics(model, state, data)
  const axes = new JointAxes(robot, state.q)

  const u = readVector(robot, 'v', given.v)
  const velocityTerm = axes.accelerationTerm(u)
  state.v.set(axes.toBody(u))
  const passiveForce = new Float64Array(nv)
  if (passive) passiveForces(model, state, passiveForce)

  /** Forces at accelerations, both as the state file has them. */
  const inverse = (acceleration: Float64Array, at: State, coriolis: Float64Array, loss: Float64Array) => {
    const a = axes.toBody(acceleration.map((x, i) => x - coriolis[i]))
    const tau = new Float64Array(nv)
    rnea(model, at, a, data, tau)
    return axes.toJoint(tau.map((x, i) => x - loss[i]))
  }
  const forward = () => {
    const tau = axes.toBody(readVector(robot, 'tau', given.tau)).map((x, i) => x + passiveForce[i])
    const a = new Float64Array(nv)
    aba(model, state, tau, data, a)
    return axes.toJoint(a).map((x, i) => x + velocityTerm[i])
  }
  const none = new Float64Array(nv)
  const rest = { ...state, v: none }
  const bias = inverse(none, state, velocityTerm, passiveForce)
  const gravityTerm = inverse(none, rest, none, none)
  const inverseDynamics = inverse(readVector(robot, 'a', given.a), state, velocityTerm, passiveForce)
  const forwardDynamics = forward()
  kinematics(model, state, data)
  crba(model, data)
  return {
    velocityNames: velocityNames(robot),
    /** nv rows of nv. */
    massMatrix: axes.matrixToJoint(data.M, nv),
    bias: [...bias],
    gravityTerm: [...gravityTerm],
    /** At the acceleration of the state file. */
    inverseDynamics: [...inverseDynamics],
    /** At the forces of the state file. */
    forwardDynamics: [...forwardDynamics],
    /** By link: 6 rows of nv, angular then linear, at the link's origin in world axes. */
    jacobians: jacobiansOf(robot, links, data, axes),
  }
}

/** A block of T: n rows of n from `start` on; the axes of the body in those of the joint. */
interface Block {
  readonly start: number
  readonly n: 2 | 3
  readonly R: Float64Array
}

/** Turns the numbers of joints of several coordinates between the moving body's axes and the joint's; leaves others alone. */
class JointAxes {
  private readonly blocks: readonly Block[]
  private readonly entrances: readonly Entrance[]

  constructor(robot: Robot, q: Float64Array) {
    this.entrances = entrancesOf(robot)
    this.blocks = this.entrances.flatMap(({ kind, qIndex, vIndex }): Block[] => {
      switch (kind) {
        case 'single':
          return []
        case 'planar': {
          const sc = new Float64Array(2)
          sincos(sc, q, qIndex + 2)
          return [{ start: vIndex, n: 2, R: Float64Array.of(sc[1], -sc[0], sc[0], sc[1]) }]
        }
        case 'spherical': {
          const R = new Float64Array(9)
          rotationOfQuaternion(R, q, qIndex)
          return [{ start: vIndex, n: 3, R }]
        }
        default: {
          const R = new Float64Array(9)
          rotationOfQuaternion(R, q, qIndex + 3)
          return [
            { start: vIndex, n: 3, R },
            { start: vIndex + 3, n: 3, R },
          ]
        }
      }
    })
  }

  /** T x. */
  toJoint(x: Float64Array): Float64Array {
    const out = x.slice()
    for (const { start, n, R } of this.blocks) {
      for (let i = 0; i < n; i++) {
        out[start + i] = 0
        for (let j = 0; j < n; j++) out[start + i] += R[n * i + j] * x[start + j]
      }
    }
    return out
  }

  /** T' x. */
  toBody(x: Float64Array): Float64Array {
    const out = x.slice()
    for (const { start, n, R } of this.blocks) {
      for (let i = 0; i < n; i++) {
        out[start + i] = 0
        for (let j = 0; j < n; j++) out[start + i] += R[n * j + i] * x[start + j]
      }
    }
    return out
  }

  /**
   * Acceleration at constant velocity coordinates in body axes: T' v. The velocity is carried round
   * with the body: w x vel, which is nothing for the angular velocity itself.
   */
  accelerationTerm(u: Float64Array): Float64Array {
    const out = new Float64Array(u.length)
    for (const { kind, vIndex: k } of this.entrances) {
      if (kind === 'base' || kind === 'floating') {
        out[k + 3] = u[k + 1] * u[k + 5] - u[k + 2] * u[k + 4]
        out[k + 4] = u[k + 2] * u[k + 3] - u[k] * u[k + 5]
        out[k + 5] = u[k] * u[k + 4] - u[k + 1] * u[k + 3]
      } else if (kind === 'planar') {
        out[k] = -u[k + 2] * u[k + 1]
        out[k + 1] = u[k + 2] * u[k]
      }
    }
    return out
  }

  /** T M T', as rows. */
  matrixToJoint(M: Float64Array, nv: number): number[][] {
    const columns = Array.from({ length: nv }, (_, j) => this.toJoint(Float64Array.from({ length: nv }, (_, i) => M[i * nv + j])))
    return Array.from({ length: nv }, (_, i) => [...this.toJoint(Float64Array.from(columns, (column) => column[i]))])
  }
}

function jacobiansOf(
  robot: Robot,
  links: readonly string[],
  data: Data,
  axes: JointAxes,
): Readonly<Record<string, readonly (readonly number[])[]>> {
  const { model, frames } = robot
  const { nv } = model
  const out = Object.create(null) as Record<string, number[][]>
  for (const name of links) {
    const frame = frames.find((f) => f.name === name)
    if (frame === undefined) {
      throw new StateFileError(
        `--link ${name}: "${robot.name}" has no link "${name}"; it has ${nearestNames(
          name,
          frames.map((f) => f.name),
        )}`,
      )
    }
    const J = new Float64Array(6 * nv)
    bodyJacobianW(model, data, frame.body, J)
    const R = data.R_WB[frame.body]
    const [x, y, z] = [0, 1, 2].map(
      (i) => data.p_WB[frame.body][i] + R[3 * i] * frame.p[0] + R[3 * i + 1] * frame.p[1] + R[3 * i + 2] * frame.p[2],
    )
    // from the world's origin to the link's: v + w x p
    for (let k = 0; k < nv; k++) {
      const [wx, wy, wz] = [J[k], J[nv + k], J[2 * nv + k]]
      J[3 * nv + k] += wy * z - wz * y
      J[4 * nv + k] += wz * x - wx * z
      J[5 * nv + k] += wx * y - wy * x
    }
    // J v = J T' u: row by row, (T J')'
    out[name] = Array.from({ length: 6 }, (_, i) => [...axes.toJoint(J.slice(i * nv, (i + 1) * nv))])
  }
  return out
}

function readConfiguration(robot: Robot, { q = {} }: StateFile, state: State): void {
  for (const [name, value] of Object.entries(q)) {
    const { kind, qIndex } = entranceOf(robot, 'q', name, value)
    if (kind === 'single') {
      state.q[qIndex] = numberOf('q', name, value)
      continue
    }
    const { position } = kinds[kind]
    const numbers = listOf('q', name, value, position.length, `[${position.join(', ')}]`)
    state.q.set(numbers, qIndex)
    if (kind === 'planar') continue
    const start = position.length - 4
    const norm = Math.hypot(...numbers.slice(start))
    if (!(Math.abs(norm - 1) < 1e-6))
      throw new StateFileError(`q.${name}: the quaternion has length ${norm}, expected 1, in the order x, y, z, w`)
    for (let k = start; k < start + 4; k++) state.q[qIndex + k] /= norm
  }
}

function readVector(robot: Robot, field: 'v' | 'a' | 'tau', given: StateFile['v']): Float64Array {
  const { nv } = robot.model
  const out = new Float64Array(nv)
  if (given === undefined) return out
  if (Array.isArray(given)) {
    if (given.length !== nv)
      throw new StateFileError(`${field}: found ${given.length} numbers, expected ${nv}: ${velocityNames(robot).join(', ')}`)
    out.set(given)
    return out
  }
  for (const [name, value] of Object.entries(given as Record<string, Entry>)) {
    const { kind, vIndex } = entranceOf(robot, field, name, value)
    if (kind === 'single') out[vIndex] = numberOf(field, name, value)
    else out.set(listOf(field, name, value, kinds[kind].suffixes.length, kinds[kind].rate), vIndex)
  }
  return out
}

/** The joint that an entry is for. A joint may be called `base` although the robot's base floats: it takes a number. */
function entranceOf(robot: Robot, field: string, name: string, value: Entry): Entrance {
  const entrances = entrancesOf(robot)
  const found = entrances.filter((entrance) => entrance.name === name)
  const fitting = found.find(({ kind }) => (kind === 'single') === (typeof value === 'number')) ?? found[0]
  if (fitting) return fitting
  const mimic = robot.mimics.find((joint) => joint.name === name)
  if (mimic) {
    throw new StateFileError(
      `${field}.${name}: "${name}" has no coordinate of its own, it follows "${mimic.follows}" (${ruleOf(mimic)}); give ${field}.${mimic.follows}`,
    )
  }
  if (name === 'base') {
    throw new StateFileError(
      `${field}.base: the base of "${robot.name}" is fixed and has no entry; leave it out, or let it float with --floating`,
    )
  }
  const known = entrances.map((entrance) => entrance.name)
  throw new StateFileError(`${field}.${name}: "${robot.name}" has no moving joint "${name}"; it has ${nearestNames(name, known)}`)
}

/** At most twenty names, those first that begin like the one searched. */
function nearestNames(wanted: string, names: readonly string[]): string {
  const start = wanted.slice(0, 3).toLowerCase()
  const alike = (name: string) => name.toLowerCase().startsWith(start)
  const sorted = [...names.filter(alike), ...names.filter((name) => !alike(name))]
  return shortened(sorted, 20, ', ...') || 'none'
}

function numberOf(field: string, name: string, value: Entry): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new StateFileError(`${field}.${name}: found ${shown(value)}, expected one finite number`)
}

function listOf(field: string, name: string, value: Entry, length: number, expected: string): readonly number[] {
  if (typeof value !== 'number' && value.length === length && value.every(Number.isFinite)) return value
  throw new StateFileError(`${field}.${name}: found ${shown(value)}, expected ${expected}`)
}

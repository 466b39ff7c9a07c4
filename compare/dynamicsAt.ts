/**
 * The dynamics of a robot at one state, in the coordinates of the command line: a floating base moves by the angular and
 * linear velocity of its link's origin in WORLD axes, and accelerations are plain time derivatives of those.
 *
 * Our own v has the base's velocity in the base's axes. With R the base's rotation, u = T v, T = blkdiag(R, R, 1), so for
 * accelerations u' = T v' + [0; w x vel; 0] (w and vel in world axes; R w has the derivative R w', since w x w = 0), for
 * forces f_u = T f_v, and M_u = T M T'.
 */
import * as z from 'zod'
import { aba, bodyJacobianW, crba, createData, createState, kinematics, type Model, rnea, type State } from '../dynamics/index.ts'
import type { Robot } from '../robots/index.ts'
import { shown } from './fields.ts'

/** What `featherbed dynamics --json` prints. */
export interface DynamicsAt {
  readonly velocityNames: readonly string[]
  /** nv rows of nv. */
  readonly massMatrix: readonly (readonly number[])[]
  readonly bias: readonly number[]
  readonly gravityTerm: readonly number[]
  /** At the acceleration of the state file. */
  readonly inverseDynamics: readonly number[]
  /** At the forces of the state file. */
  readonly forwardDynamics: readonly number[]
  /** By link: 6 rows of nv, angular then linear, at the link's origin in world axes. */
  readonly jacobians: Readonly<Record<string, readonly (readonly number[])[]>>
}

/** A state file. Every part may be left out, and every joint: zero, or the identity. */
export interface StateFile {
  /** By joint [rad, m]; `base` is [x, y, z, qx, qy, qz, qw]. */
  readonly q?: Readonly<Record<string, Entry>>
  /** By joint [rad/s, m/s]; `base` is [wx, wy, wz, vx, vy, vz] in world axes. */
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
  error: ({ input }) => `found ${shown(input)}, expected a number, or a list of numbers for the base`,
})
const byName = z.record(z.string(), entry, { error: ({ input }) => `found ${shown(input)}, expected an object with joint names` })
const vector = z.union([z.array(z.number()), byName], {
  error: ({ input }) => `found ${shown(input)}, expected an object with joint names or a list of numbers`,
})
const schema = z.strictObject(
  { q: byName.optional(), v: vector.optional(), a: vector.optional(), tau: vector.optional() },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? `has the unknown field ${issue.keys.join(', ')}; known are q, v, a, tau` : undefined,
  },
)

/** @throws StateFileError that names the file, the field, what was found and what was expected */
export function parseStateFile(text: string, file: string): StateFile {
  let raw: unknown
  try {
    raw = JSON.parse(text)
  } catch (error) {
    throw new StateFileError(`${file}: is no JSON: ${(error as Error).message}`)
  }
  const result = schema.safeParse(raw)
  if (result.success) return result.data
  const problems = result.error.issues.map(
    ({ path, message }) => `${file}: ${path.length > 0 ? `${path.map(String).join('.')} ` : ''}${message}`,
  )
  throw new StateFileError(problems.join('\n'))
}

/** Names of the velocities, in the model's order. */
export function velocityNames({ floating, joints }: Robot): string[] {
  const names = floating ? ['wx', 'wy', 'wz', 'vx', 'vy', 'vz'].map((axis) => `base/${axis}`) : []
  for (const { name, vIndex } of joints) names[vIndex] = name
  return names
}

/**
 * All of a robot's dynamics at one state.
 *
 * @param links   links whose Jacobians are wanted
 * @param passive adds the joints' damping and dry friction to the forces: damping v + friction sign(v)
 * @throws StateFileError for a name or a length that does not fit the robot
 */
export function dynamicsAt(robot: Robot, given: StateFile, links: readonly string[] = [], passive = false): DynamicsAt {
  const { model } = robot
  const { nv } = model
  const state = createState(model)
  const data = createData(model)
  readConfiguration(robot, given, state)
  kinematics(model, state, data)
  const base = new BaseAxes(robot, data.R_WB[1])

  const u = readVector(robot, 'v', given.v)
  const velocityTerm = base.accelerationTerm(u)
  state.v.set(base.toBody(u))
  const losses = Float64Array.from({ length: nv }, (_, k) =>
    passive ? model.damping[k] * state.v[k] + model.friction[k] * Math.sign(state.v[k]) : 0,
  )

  /** Forces, in world axes, at accelerations in world axes. */
  const inverse = (acceleration: Float64Array, at: State, coriolis: Float64Array, loss: Float64Array) => {
    const a = base.toBody(acceleration.map((x, i) => x - coriolis[i]))
    const tau = new Float64Array(nv)
    rnea(model, at, a, data, tau)
    return base.toWorld(tau.map((x, i) => x + loss[i]))
  }
  const forward = () => {
    const tau = base.toBody(readVector(robot, 'tau', given.tau)).map((x, i) => x - losses[i])
    const a = new Float64Array(nv)
    aba(model, state, tau, data, a)
    return base.toWorld(a).map((x, i) => x + velocityTerm[i])
  }
  const none = new Float64Array(nv)
  const rest = { ...state, v: none }
  const bias = inverse(none, state, velocityTerm, losses)
  const gravityTerm = inverse(none, rest, none, none)
  const inverseDynamics = inverse(readVector(robot, 'a', given.a), state, velocityTerm, losses)
  const forwardDynamics = forward()
  kinematics(model, state, data)
  crba(model, data)
  return {
    velocityNames: velocityNames(robot),
    massMatrix: base.matrixToWorld(data.M, model),
    bias: [...bias],
    gravityTerm: [...gravityTerm],
    inverseDynamics: [...inverseDynamics],
    forwardDynamics: [...forwardDynamics],
    jacobians: jacobiansOf(robot, links, data, base),
  }
}

/** Turns the six numbers of a floating base between its own axes and the world's, and leaves the joints' alone. */
class BaseAxes {
  private readonly floating: boolean
  private readonly R: Float64Array

  constructor({ floating }: Robot, R: Float64Array) {
    this.floating = floating
    this.R = R.slice()
  }

  /** T x, T = blkdiag(R, R, 1). */
  toWorld(x: Float64Array): Float64Array {
    return this.turned(x, (i, j) => this.R[3 * i + j])
  }

  /** T' x. */
  toBody(x: Float64Array): Float64Array {
    return this.turned(x, (i, j) => this.R[3 * j + i])
  }

  private turned(x: Float64Array, element: (i: number, j: number) => number): Float64Array {
    const out = x.slice()
    if (!this.floating) return out
    for (const start of [0, 3]) {
      for (let i = 0; i < 3; i++)
        out[start + i] = element(i, 0) * x[start] + element(i, 1) * x[start + 1] + element(i, 2) * x[start + 2]
    }
    return out
  }

  /** What of the acceleration in world axes is there although the numbers in body axes stand still: [0; w x vel; 0]. */
  accelerationTerm(u: Float64Array): Float64Array {
    const out = new Float64Array(u.length)
    if (!this.floating) return out
    const [wx, wy, wz, vx, vy, vz] = u
    out[3] = wy * vz - wz * vy
    out[4] = wz * vx - wx * vz
    out[5] = wx * vy - wy * vx
    return out
  }

  /** T M T', as rows. */
  matrixToWorld(M: Float64Array, { nv }: Model): number[][] {
    const columns = Array.from({ length: nv }, (_, j) => this.toWorld(Float64Array.from({ length: nv }, (_, i) => M[i * nv + j])))
    return Array.from({ length: nv }, (_, i) => [...this.toWorld(Float64Array.from(columns, (column) => column[i]))])
  }
}

function jacobiansOf(
  robot: Robot,
  links: readonly string[],
  data: ReturnType<typeof createData>,
  base: BaseAxes,
): DynamicsAt['jacobians'] {
  const { model, frames } = robot
  const { nv } = model
  const out = Object.create(null) as Record<string, number[][]>
  for (const name of links) {
    const frame = frames.find((f) => f.name === name)
    if (frame === undefined) {
      const known = frames.map((f) => f.name)
      throw new StateFileError(
        `--link ${name}: "${robot.name}" has no link "${name}"; it has ${known.slice(0, 20).join(', ')}${known.length > 20 ? ', ...' : ''}`,
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
    out[name] = Array.from({ length: 6 }, (_, i) => [...base.toWorld(J.slice(i * nv, (i + 1) * nv))])
  }
  return out
}

function readConfiguration(robot: Robot, { q = {} }: StateFile, state: State): void {
  for (const [name, value] of Object.entries(q)) {
    if (name === 'base' && robot.floating) {
      if (!Array.isArray(value) || value.length !== 7)
        throw new StateFileError(`q.base: found ${shown(value)}, expected [x, y, z, qx, qy, qz, qw]`)
      const norm = Math.hypot(...value.slice(3))
      if (!(Math.abs(norm - 1) < 1e-6))
        throw new StateFileError(`q.base: the quaternion has length ${norm}, expected 1, in the order x, y, z, w`)
      state.q.set(value)
      for (let k = 3; k < 7; k++) state.q[k] /= norm
      continue
    }
    state.q[jointOf(robot, 'q', name).qIndex] = numberOf('q', name, value)
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
    if (name === 'base' && robot.floating) {
      if (!Array.isArray(value) || value.length !== 6)
        throw new StateFileError(`${field}.base: found ${shown(value)}, expected six numbers, angular then linear, in world axes`)
      out.set(value)
      continue
    }
    out[jointOf(robot, field, name).vIndex] = numberOf(field, name, value)
  }
  return out
}

function jointOf(robot: Robot, field: string, name: string) {
  const joint = robot.joints.find((j) => j.name === name)
  if (joint) return joint
  const known = [...(robot.floating ? ['base'] : []), ...robot.joints.map((j) => j.name)]
  throw new StateFileError(
    `${field}.${name}: "${robot.name}" has no moving joint "${name}"; it has ${known.join(', ') || 'none'}`,
  )
}

function numberOf(field: string, name: string, value: Entry): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new StateFileError(`${field}.${name}: found ${shown(value)}, expected one finite number`)
}

import {
  crba,
  type Data,
  type Frame,
  factorize,
  place3,
  pointJacobian,
  pointVelocity,
  solveLTransposed,
} from '../../dynamics/index.ts'
import * as is from '../../dynamics/math/arguments.ts'
import { placesAt, type Robot } from '../../robots/index.ts'
import { linkFrame } from '../loops/loops.ts'

/** A spring and damper from a point of a link to a point of the world, such as a pulling hand: f = k (to - x) - c dx/dt. */
export interface WorldPull {
  /** A pull replaces the one with its name. Default 'pull'. */
  readonly name?: string
  /** The robot, by its name in the world. Default: the first. */
  readonly robot?: string
  /** Link or other named frame of the robot. Default: its only one, for example of a free body. */
  readonly link?: string
  /** 3: point in the link's axes from its origin [m]. Default: the origin. */
  readonly point?: readonly number[]
  /** 3: in world axes [m]. */
  readonly to: readonly number[]
  /** [N/m]. Default: the mass of the link's whole tree times (10 rad/s)^2, less for a light point at a long step. */
  readonly stiffness?: number
  /** [N s/m]. Default: critical for that mass, less for a light point at a long step. */
  readonly damping?: number
}

const others = {
  ...{ name: is.text, robot: is.text, link: is.text, point: is.numbers(3) },
  stiffness: is.number(0, 'N/m'),
  damping: is.number(0, 'N s/m'),
}
const pullKind = is.fields<WorldPull>({ to: is.numbers(3) }, others)
export const pullAction = is.fields<WorldPull & { type: 'pull' }>({ type: is.text, to: is.numbers(3) }, others)

/** Frequency of the pulled mass on the spring [rad/s]: it follows in a third of a second, and hangs 0.1 m below the hand. */
const OMEGA = 10
/** Largest k dt² / m and c dt / m for the effective mass m of a point; the force is explicit, and unstable at 4 and 2. */
const STABLE = { stiffness: 0.1, damping: 0.25 }

/** An active pull, with its force and points in the last step. */
export interface Pull {
  readonly name: string
  readonly body: number
  /** 3: in the body's axes [m]. */
  readonly own: Float64Array
  /** The held point at the start of the last step, and the target [m]. */
  readonly point: Float64Array
  readonly to: Float64Array
  /** Force on the body over the last step, in world axes [N]. */
  readonly force: Float64Array
  readonly stiffness: number
  readonly damping: number
}

/** @throws RangeError for an invalid pull, or one that names no moving link of this world */
export function pullOn(robot: Robot, names: readonly string[], pull: WorldPull, dt: number): Pull {
  const name = pull.name ?? 'pull'
  const where = `pull "${name}": `
  is.check(pull, pullKind, where)
  const { point = [0, 0, 0], to } = pull
  const frame = linkFrame(robot, names, pull, where)
  const { body } = frame
  if (body === 0) throw new RangeError(`${where}"${frame.name}" stands still; pull a link that can move`)
  const own = pointInBody(frame, point)
  const { whole, light } = massesAt(robot, body, own)
  const stiffness = pull.stiffness ?? Math.min(whole * (OMEGA * OMEGA), (STABLE.stiffness * light) / (dt * dt))
  const damping = pull.damping ?? Math.min(2 * Math.sqrt(stiffness * whole), (STABLE.damping * light) / dt)
  const zero = () => new Float64Array(3)
  return { name, body, own, point: zero(), to: Float64Array.from(to), force: zero(), stiffness, damping }
}

/**
 * Adds the force of a pull, from the body's position and velocity at the start of the step, to that on its body among 6 nb. Reads kinematics
 * and velocities in data.
 */
export function addPull(pull: Pull, data: Data, forces: Float64Array): void {
  const { body, own, point, to, force, stiffness, damping } = pull
  place3(point, data.R_WB[body], data.p_WB[body], own)
  pointVelocity(data, body, point, force)
  for (let k = 0; k < 3; k++) force[k] = stiffness * (to[k] - point[k]) - damping * force[k]
  addForceAt(forces, body, point, force)
}

/** Adds a force at a point to the [moment; force] about the world's origin of a body among 6 nb, all in world axes. */
export function addForceAt(forces: Float64Array, body: number, point: Float64Array, force: Float64Array): void {
  const k = 6 * body
  forces[k] += point[1] * force[2] - point[2] * force[1]
  forces[k + 1] += point[2] * force[0] - point[0] * force[2]
  forces[k + 2] += point[0] * force[1] - point[1] * force[0]
  forces[k + 3] += force[0]
  forces[k + 4] += force[1]
  forces[k + 5] += force[2]
}

export function pointInBody({ R, p }: Frame, point: readonly number[]): Float64Array {
  const own = new Float64Array(3)
  place3(own, R, p, Float64Array.from(point))
  return own
}

/**
 * Masses at a point of a body in the home pose, equal in every world of a robot [kg]: of its whole tree; and a lower bound of the point's
 * effective mass in any direction, 1 / trace(J M^-1 J').
 */
function massesAt(robot: Robot, body: number, own: Float64Array): { whole: number; light: number } {
  const { model } = robot
  const data = placesAt(robot, robot.home)
  crba(model, data)
  factorize(model, data.M, data.L)
  const point = new Float64Array(3)
  place3(point, data.R_WB[body], data.p_WB[body], own)
  const J = new Float64Array(3 * model.nv)
  pointJacobian(model, data, body, point, J)
  let trace = 0
  for (let k = 0; k < 3; k++) {
    const row = J.slice(k * model.nv, (k + 1) * model.nv)
    solveLTransposed(model, data.L, row) // M = L' L, so j M^-1 j' = |L'^-1 j'|^2
    trace += row.reduce((sum, x) => sum + x * x, 0)
  }
  const rootOf = (i: number): number => (model.parent[i] === 0 ? i : rootOf(model.parent[i]))
  const root = rootOf(body)
  let whole = 0
  for (let i = 1; i < model.nb; i++) if (rootOf(i) === root) whole += model.I[i][0]
  return { whole, light: 1 / trace }
}

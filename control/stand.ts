import { type Data, directionRow, type Model, rnea } from '../dynamics/index.ts'
import { restingContacts } from '../simulation/index.ts'
import type { Controller, ControllerState } from './controller.ts'
import { ControllerError } from './controllerError.ts'
import { solvePositive } from './solvePositive.ts'

export interface StandOptions {
  /** Natural frequency [rad/s] and damping ratio with which base and joints return. */
  readonly omega?: number
  readonly damping?: number
}

export interface StandMemory {
  /** [1/s^2], [1/s] */
  readonly gains: Float64Array
  /** Configuration at the first tick, and then the base's rotation; empty before it. */
  q: Float64Array
  R: Float64Array
  /** The points that it stands on: body, and place in the body's axes [m]. */
  body: Int32Array
  point: Float64Array
  /** 3 rows of nv a point. */
  J: Float64Array
  /** 3 a point [N]. */
  force: Float64Array
  readonly active: number[]
  readonly a: Float64Array
  readonly tau: Float64Array
  readonly normal: Float64Array
  readonly y: Float64Array
  readonly place: Float64Array
  readonly efforts: Float64Array
}

/** Softness of the least squares that share the load, in a unit matrix. */
const SOFTNESS = 1e-6
/** Points that would pull are left out, and the rest share again, at most so often. */
const MOST_SHARES = 6
const axes = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)

/**
 * Stands in the pose in which it starts, on the points that touch the ground z = 0 there. Base and joints are to return to it as damped
 * springs would; inverse dynamics says which wrench that takes at the base (`rnea`), the points share it, f = J_b (J_b' J_b)^-1 tau_b,
 * without those that would pull, and the efforts are less J' f (inverse dynamics control of a floating base: Mistry, Buchli and Schaal,
 * ICRA 2010, with least forces in place of least efforts). Fills target.joints.
 */
export function stand({ omega = 10, damping = 1 }: StandOptions = {}): Controller<StandMemory> {
  return {
    rate: 500,
    init({ robot, model: { nv }, period }) {
      if (!robot.floating)
        throw new ControllerError(
          'stand',
          `the base of robot "${robot.name}" is fixed, so that it cannot stand; use hold instead`,
        )
      const frequency = Math.min(omega, 0.2 / period)
      return {
        gains: Float64Array.of(frequency * frequency, 2 * damping * frequency),
        q: new Float64Array(0),
        R: new Float64Array(9),
        body: new Int32Array(0),
        point: new Float64Array(0),
        J: new Float64Array(0),
        force: new Float64Array(0),
        active: [],
        a: new Float64Array(nv),
        tau: new Float64Array(nv),
        normal: new Float64Array(36),
        y: new Float64Array(6),
        place: new Float64Array(3),
        efforts: new Float64Array(robot.joints.length),
      }
    },
    update(seen) {
      const { memory, robot, model, state, data, target } = seen
      if (memory.q.length === 0) begin(memory, seen)
      const { q, J, force, a, tau, efforts } = memory
      returning(memory, seen)
      rnea(model, state, a, data, tau)
      place(memory, model, data)
      share(memory, model.nv)
      for (let j = 0; j < efforts.length; j++) {
        const k = robot.joints[j].vIndex
        efforts[j] = tau[k]
        for (let r = 0; r < force.length; r++) efforts[j] -= J[r * model.nv + k] * force[r]
        target.joints[j] = q[robot.joints[j].qIndex]
      }
      return efforts
    },
  }
}

/** The first tick: the pose, and what carries it. @throws ControllerError for a robot that touches nothing */
function begin(memory: StandMemory, { robot, q, data, model }: ControllerState<unknown>): void {
  const contacts = restingContacts(robot, data)
  if (contacts.count === 0)
    throw new ControllerError('stand', `robot "${robot.name}" touches no ground at z = 0 where it starts; set it down`)
  memory.q = q.slice()
  memory.R.set(data.R_WB[1])
  memory.body = Int32Array.from({ length: contacts.count }, (_, i) => contacts.bodyB[i])
  memory.point = new Float64Array(3 * contacts.count)
  memory.J = new Float64Array(3 * contacts.count * model.nv)
  memory.force = new Float64Array(3 * contacts.count)
  memory.body.forEach((body, i) => {
    const R = data.R_WB[body]
    const p = data.p_WB[body]
    for (let c = 0; c < 3; c++)
      for (let r = 0; r < 3; r++) memory.point[3 * i + c] += R[3 * r + c] * (contacts.point[3 * i + r] - p[r])
  })
}

/** Accelerations of base (in its own axes) and joints towards where they were. */
function returning({ gains, q: wanted, R: Rd, a }: StandMemory, { robot, data, q, v }: ControllerState<unknown>): void {
  const R = data.R_WB[1]
  for (let k = 0; k < 3; k++) {
    // in the base's axes: half the sum of each of its axes times where that was, and the way back
    const [m, n] = [(k + 1) % 3, (k + 2) % 3]
    let turn = 0
    let way = 0
    for (let r = 0; r < 3; r++) {
      turn += 0.5 * (R[3 * r + n] * Rd[3 * r + m] - R[3 * r + m] * Rd[3 * r + n])
      way += R[3 * r + k] * (wanted[r] - q[r])
    }
    a[k] = gains[0] * turn - gains[1] * v[k]
    a[3 + k] = gains[0] * way - gains[1] * v[3 + k]
  }
  for (let j = 0; j < robot.joints.length; j++) {
    const { qIndex, vIndex } = robot.joints[j]
    a[vIndex] = gains[0] * (wanted[qIndex] - q[qIndex]) - gains[1] * v[vIndex]
  }
}

/** Jacobians of the points where they are now. */
function place({ body, point, J, place: p }: StandMemory, model: Model, data: Data): void {
  J.fill(0)
  for (let i = 0; i < body.length; i++) {
    const R = data.R_WB[body[i]]
    for (let r = 0; r < 3; r++) {
      p[r] = data.p_WB[body[i]][r]
      for (let c = 0; c < 3; c++) p[r] += R[3 * r + c] * point[3 * i + c]
    }
    for (let r = 0; r < 3; r++) directionRow(model, data, body[i], p, 0, axes, 3 * r, 1, J, (3 * i + r) * model.nv)
  }
}

/** The points' forces, which give the base what inverse dynamics asks for. */
function share({ body, J, force, active, tau, normal, y }: StandMemory, nv: number): void {
  active.length = 0
  for (let i = 0; i < body.length; i++) active.push(i)
  for (let shares = 0; shares < MOST_SHARES; shares++) {
    normal.fill(0)
    for (const i of active)
      for (let r = 3 * i * nv; r < (3 * i + 3) * nv; r += nv)
        for (let k = 0; k < 6; k++) for (let l = 0; l <= k; l++) normal[6 * k + l] += J[r + k] * J[r + l]
    for (let k = 0; k < 6; k++) {
      normal[7 * k] += SOFTNESS
      y[k] = tau[k]
    }
    solvePositive(normal, y)
    force.fill(0)
    let kept = 0
    for (const i of active) {
      for (let r = 3 * i; r < 3 * i + 3; r++) for (let k = 0; k < 6; k++) force[r] += J[r * nv + k] * y[k]
      if (force[3 * i + 2] >= 0) active[kept++] = i
    }
    if (kept === active.length || kept < 3) return
    active.length = kept
  }
}

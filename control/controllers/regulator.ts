import {
  aba,
  addGravityCompensation,
  addPassiveForces,
  createData,
  createState,
  type Data,
  kinematics,
  type Model,
  rnea,
  type State,
} from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { Controller } from '../controller.ts'
import { ControllerError } from '../controllerError.ts'
import { type LinearQuadraticProblem, linearQuadraticRegulator, riccatiStep } from '../math/riccati.ts'
import { trajectoriesOf } from './computedTorque.ts'
import type { JointTrajectory } from './jointTrajectories.ts'

export interface RegulatorOptions {
  /** Weights of a squared error of a joint's position and velocity, and of a squared effort, a second. */
  readonly position?: number
  readonly velocity?: number
  readonly effort?: number
  /** Joints that have a motor; default: all. The others get no effort. */
  readonly motors?: readonly string[]
  /** The reference, and its duration [s]; default: the home pose, without end. */
  readonly trajectory?: (robot: Robot) => JointTrajectory
  readonly duration?: number
}

/** Gains, one tick after another: m x 2n, row-major; a single one without a trajectory. Cost matrix of the first state, 2n x 2n. */
export interface Gains {
  readonly K: Float64Array
  readonly P: Float64Array
}

/** Gains along a trajectory, in all: 400 MB. */
const MOST_GAINS = 5e7
/** [rad, m, N m, N], for central differences. */
const DIFFERENCE = 1e-6

/**
 * Linear quadratic regulator of a robot with a fixed base, about its home or along a trajectory: u = u_ref - K (x - x_ref), x = [q; v],
 * with the gains of the Riccati recursion for the dynamics linearised at each tick (Anderson and Moore, Optimal Control, 1990;
 * time-varying along a trajectory, with the cost of staying at its end as terminal cost). u_ref is by inverse dynamics; joints without a
 * motor have to be able to follow the reference by themselves. Fills target.joints.
 */
export function regulator(options: RegulatorOptions = {}): Controller<{ efforts: Float64Array }> {
  const trajectories = options.trajectory && trajectoriesOf(options.trajectory)
  let last: { readonly robot: Robot; readonly period: number; readonly plan: Plan } | undefined
  // depends on the robot alone, so that it is no memory
  const planOf = (robot: Robot, period: number): Plan => {
    if (last?.robot !== robot || last.period !== period)
      last = { robot, period, plan: new Plan(robot, period, options, trajectories?.(robot)) }
    return last.plan
  }
  return {
    rate: 500,
    init({ robot, period }) {
      planOf(robot, period)
      return { efforts: new Float64Array(robot.joints.length) }
    },
    update({ robot, t, q, v, target, memory: { efforts } }, period) {
      planOf(robot, period).answer(t, q, v, target.joints, efforts)
      return efforts
    },
  }
}

/** References and gains of one robot. */
export class Plan {
  readonly gains: Gains
  private readonly robot: Robot
  private readonly model: Model
  private readonly period: number
  private readonly trajectory: JointTrajectory | undefined
  private readonly ticks: number
  /** Entries of v of the joints with a motor, and each one's place in `robot.joints`. */
  private readonly driven: readonly number[]
  private readonly state: State
  private readonly data: Data
  private readonly tau: Float64Array
  private readonly time = new Float64Array(1)
  private readonly wanted: { readonly q: Float64Array; readonly v: Float64Array; readonly a: Float64Array }
  private readonly u: Float64Array

  /** @throws ControllerError for a floating base, joints of several coordinates, or unknown motors */
  constructor(robot: Robot, period: number, options: RegulatorOptions, trajectory: JointTrajectory | undefined) {
    const { model, joints } = robot
    const { position = 100, velocity = 1, effort = 0.01, motors, duration = 10 } = options
    if (robot.floating || joints.length !== model.nv)
      throw new ControllerError(
        'lqr',
        `robot "${robot.name}" is not bolted down, or a joint of it has several coordinates; set base: fixed`,
      )
    const unknown = motors?.find((name) => !joints.some((joint) => joint.name === name))
    if (unknown !== undefined)
      throw new ControllerError(
        'lqr',
        `motors names "${unknown}"; "${robot.name}" has ${joints.map(({ name }) => name).join(', ')}`,
      )
    this.robot = robot
    this.model = model
    this.period = period
    this.trajectory = trajectory
    this.ticks = trajectory === undefined ? 1 : Math.max(1, Math.round(duration / period))
    this.driven = joints.flatMap(({ name }, j) => (motors === undefined || motors.includes(name) ? [j] : []))
    this.state = createState(model)
    this.data = createData(model)
    this.tau = new Float64Array(model.nv)
    const room = () => new Float64Array(joints.length)
    this.wanted = { q: room(), v: room(), a: room() }
    this.u = room()
    try {
      this.gains = this.solve(position, velocity, effort)
    } catch (error) {
      throw new ControllerError('lqr', (error as Error).message, 0, error)
    }
  }

  private solve(position: number, velocity: number, effort: number): Gains {
    const { period, ticks, driven } = this
    const n = this.model.nv
    const m = driven.length
    const price = { n: 2 * n, m, Q: new Float64Array(4 * n * n), R: new Float64Array(m * m) }
    for (let k = 0; k < n; k++) {
      price.Q[k * 2 * n + k] = position * period
      price.Q[(n + k) * 2 * n + n + k] = velocity * period
    }
    for (let k = 0; k < m; k++) price.R[k * m + k] = effort * period
    const at = (tick: number): LinearQuadraticProblem => ({ ...price, ...this.linearised(tick * period) })
    const end = linearQuadraticRegulator(at(ticks - 1))
    if (this.trajectory === undefined) return end
    const P = end.P.slice()
    if (ticks * m * 2 * n > MOST_GAINS)
      throw new RangeError(
        `${ticks} ticks of ${m} motors and ${2 * n} states have ${ticks * m * 2 * n} gains, more than ${MOST_GAINS}; shorten the run, or lower the rate`,
      )
    const K = new Float64Array(ticks * m * 2 * n)
    for (let tick = ticks - 1; tick >= 0; tick--) riccatiStep(at(tick), P, K.subarray(tick * m * 2 * n, (tick + 1) * m * 2 * n))
    return { K, P }
  }

  /** Reference positions and velocities of the joints, and efforts of their motors, into `wanted` and `u`. */
  private refer(t: number): void {
    const { robot, model, trajectory, wanted, state, data, tau, u, time } = this
    time[0] = t
    wanted.v.fill(0)
    wanted.a.fill(0)
    robot.joints.forEach(({ qIndex }, j) => {
      wanted.q[j] = robot.home[qIndex]
    })
    trajectory?.sample(time, wanted.q, wanted.v, wanted.a)
    robot.joints.forEach(({ qIndex, vIndex }, j) => {
      if (Number.isNaN(wanted.q[j])) wanted.q[j] = robot.home[qIndex]
      state.q[qIndex] = wanted.q[j]
      state.v[vIndex] = Number.isNaN(wanted.v[j]) ? 0 : wanted.v[j]
      tau[vIndex] = Number.isNaN(wanted.a[j]) ? 0 : wanted.a[j]
    })
    const a = tau.slice()
    kinematics(model, state, data)
    rnea(model, state, a, data, tau)
    addGravityCompensation(model, data, tau, -1)
    robot.joints.forEach(({ qIndex, vIndex }, j) => {
      const stretch = state.q[qIndex] - model.springReference[vIndex]
      u[j] = this.driven.includes(j)
        ? tau[vIndex] + model.damping[vIndex] * state.v[vIndex] + model.stiffness[vIndex] * stretch
        : 0
    })
  }

  /** A, 2n x 2n, and B, 2n x m, of a tick at the reference: v + h a, and q + h of that. */
  private linearised(t: number): Pick<LinearQuadraticProblem, 'A' | 'B'> {
    const { model, robot, period: h, driven } = this
    this.refer(t)
    const n = model.nv
    const m = driven.length
    const { q, v } = { q: this.state.q.slice(), v: this.state.v.slice() }
    const u = this.u.slice()
    const A = new Float64Array(4 * n * n)
    const B = new Float64Array(2 * n * m)
    const change = (move: (by: number) => void): Float64Array => {
      const at = (by: number) => {
        this.state.q.set(q)
        this.state.v.set(v)
        this.u.set(u)
        move(by)
        return this.acceleration()
      }
      const [more, less] = [at(DIFFERENCE), at(-DIFFERENCE)]
      return more.map((a, k) => (a - less[k]) / (2 * DIFFERENCE))
    }
    for (let c = 0; c < n; c++) {
      // joints have one coordinate each, so that a position has the column of its velocity
      const joint = robot.joints.find(({ vIndex }) => vIndex === c) as Robot['joints'][number]
      const byPosition = change((by) => (this.state.q[joint.qIndex] += by))
      const bySpeed = change((by) => (this.state.v[c] += by))
      for (let r = 0; r < n; r++) {
        const isOwn = r === c ? 1 : 0
        A[(n + r) * 2 * n + c] = h * byPosition[r]
        A[(n + r) * 2 * n + n + c] = isOwn + h * bySpeed[r]
        A[r * 2 * n + c] = isOwn + h * h * byPosition[r]
        A[r * 2 * n + n + c] = h * (isOwn + h * bySpeed[r])
      }
    }
    driven.forEach((j, c) => {
      const byEffort = change((by) => (this.u[j] += by))
      for (let r = 0; r < n; r++) {
        B[(n + r) * m + c] = h * byEffort[r]
        B[r * m + c] = h * h * byEffort[r]
      }
    })
    return { A, B }
  }

  private acceleration(): Float64Array {
    const { model, robot, state, data, tau, u, period } = this
    robot.joints.forEach(({ vIndex }, j) => {
      tau[vIndex] = u[j]
    })
    kinematics(model, state, data)
    addPassiveForces(model, state, period, tau)
    const a = new Float64Array(model.nv)
    aba(model, state, tau, data, a)
    return a
  }

  answer(t: number, q: Float64Array, v: Float64Array, target: Float64Array, efforts: Float64Array): void {
    const { robot, model, driven, gains, ticks, period, wanted, u } = this
    this.refer(t)
    const n = model.nv
    const m = driven.length
    const at = Math.min(ticks - 1, Math.round(t / period)) * m * 2 * n
    efforts.set(u)
    robot.joints.forEach(({ qIndex, vIndex }, j) => {
      target[j] = wanted.q[j]
      const off = q[qIndex] - wanted.q[j]
      const fast = v[vIndex] - (Number.isNaN(wanted.v[j]) ? 0 : wanted.v[j])
      for (let i = 0; i < m; i++) {
        const row = at + i * 2 * n
        efforts[driven[i]] -= gains.K[row + vIndex] * off + gains.K[row + n + vIndex] * fast
      }
    })
  }
}

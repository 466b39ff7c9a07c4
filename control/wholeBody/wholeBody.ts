import { addGravityCompensation, crba, pointJacobianDotTimesV, rnea, velocities } from '../../dynamics/index.ts'
import type { ControllerSetup, ControllerState } from '../controller.ts'
import { ControllerError } from '../controllerError.ts'
import { placePoints, type StandingPoints, standingPoints } from '../controllers/standingPoints.ts'
import { given } from '../expected.ts'
import { createQuadraticProgram, type QuadraticProgram, solveQuadraticProgram } from '../math/quadraticProgram.ts'
import { type Task, type TaskRows, taskRows } from './task.ts'

export interface WholeBodyOptions {
  readonly tasks: readonly Task[]
  /** Friction coefficient assumed for the forces. Default 0.5. */
  readonly friction?: number
}

export type WholeBodyMemory = ReturnType<typeof createWholeBody>

/** Weight of a squared force in shares of the robot's weight, and of a squared acceleration [1/(m/s²)²]; tasks have 1 and more. */
const SOFTNESS = { force: 1e-4, acceleration: 1e-6 }
/** Of the rows that keep the points at rest, and decay rate of their remaining velocity [1/s]. */
const STANDING = { weight: 1e4, rate: 10 }
/** Periods in which a joint may be led to its limit. */
const AHEAD = 20

/**
 * Whole-body inverse dynamics: the optimal accelerations a and contact forces f for the tasks, and with them the efforts, @unchecked
 *
 *   min  sum of w |J a + Jdot v - wanted|²   over tasks and standing bodies
 *   with M a + c - J_cᵀ f = [0; tau]   the base's six rows of it, and |tau| within the motors' limits in the joints' rows
 *        |f_x|, |f_y| <= mu f_z / sqrt 2   a pyramid within the cone, at each point
 *        q + v T + a T² / 2 within the joints' limits,   T the time of some ticks
 *
 * (Escande, Mansard and Wieber 2014; Herzog and others, "Momentum control with hierarchical inverse dynamics on a torque-controlled
 * humanoid", 2016, sections II and III, with weights in place of priorities). Efforts are no variables: the joints' rows give them.
 *
 * It stands on the points that touch the level ground at the first tick. There is always a solution without the rows of joint limits
 * (zero force, zero effort); where those contradict the motors' they are left out for the tick, and that is counted.
 */
export function createWholeBody(setup: ControllerSetup, options: WholeBodyOptions) {
  const { tasks, friction = 0.5 } = given('whole body', options)
  const { robot, model, period } = setup
  if (!robot.floating)
    throw new ControllerError('whole body', `the base of robot "${robot.name}" is fixed, so that it cannot stand`)
  const gravity = Math.abs(model.gravity[5])
  return {
    rows: tasks.map((task) => task.init(setup)),
    /** The contact points that carry the robot, and the rows that keep them at rest; made at the first tick. */
    standing: undefined as TaskRows | undefined,
    ground: undefined as StandingPoints | undefined,
    /** Of each point: 1 where it carries, 0 while it is in the air. */
    carries: undefined as Float64Array | undefined,
    program: undefined as QuadraticProgram | undefined,
    /** nv: c(q, v) and the forces of springs and dampers in joints. */
    bias: new Float64Array(model.nv),
    /** nv, zero. */
    rest: new Float64Array(model.nv),
    /** Columns of a row that are not zero. */
    columns: new Int32Array(model.nv),
    /** [force of a variable of 1 [N], friction along an axis, period [s]] */
    scale: Float64Array.of(0.1 * robot.massUsed * gravity, friction * Math.SQRT1_2, period),
    efforts: new Float64Array(robot.joints.length),
    /** [ticks that dropped joint limits, ticks without solution that kept the last efforts] */
    counts: new Float64Array(2),
  }
}

/** The contact points at their current positions; at the first tick those that touch the ground. */
export function standOn(memory: WholeBodyMemory, seen: ControllerState<unknown>): StandingPoints {
  if (memory.program === undefined) begin(memory, seen)
  const ground = memory.ground as unknown as StandingPoints
  placePoints(ground, seen.model, seen.data)
  return ground
}

/** The efforts of one tick, in memory.efforts. @unchecked */
export function solveWholeBody(memory: WholeBodyMemory, seen: ControllerState<unknown>, tasks: readonly Task[]): Float64Array {
  const { model, data } = seen
  const ground = standOn(memory, seen)
  const program = memory.program as unknown as QuadraticProgram
  crba(model, data)
  writeBias(memory, seen)
  program.H.fill(0)
  program.g.fill(0)
  for (let i = 0; i < tasks.length; i++) {
    tasks[i].write(memory.rows[i], seen)
    addRows(memory, program, memory.rows[i], model.nv)
  }
  const standing = memory.standing as unknown as TaskRows
  writeStanding(standing, ground, memory.carries as unknown as Float64Array, seen)
  addRows(memory, program, standing, model.nv)
  soften(program, model.nv)
  writeMotion(memory, program, ground, seen)
  writeLimits(memory, program, seen)
  let status = solveQuadraticProgram(program)
  if (status !== 'solved') {
    memory.counts[0]++
    openLimits(program, seen.robot.joints.length)
    status = solveQuadraticProgram(program)
  }
  if (status === 'solved') writeEfforts(memory, program, seen)
  else memory.counts[1]++
  return memory.efforts
}

/** The first tick: finds the contact points and the size of the program. */
function begin(memory: WholeBodyMemory, { robot, model, state, data }: ControllerState<unknown>): void {
  const ground = standingPoints(robot, data, 'whole body')
  velocities(model, state, data) // `standingPoints` computed those of a robot at rest
  memory.ground = ground
  const { length: joints } = robot.joints
  const points = ground.body.length
  memory.standing = { ...taskRows(3 * points, model.nv), J: ground.J }
  memory.carries = new Float64Array(points).fill(1)
  memory.program = createQuadraticProgram(model.nv + 3 * points, 6 + 2 * joints + 4 * points)
}

const point = new Float64Array(3)
const drift = new Float64Array(3)

/** Rows that bring the points to rest at any position: J a + Jdot v = -rate J v. */
function writeStanding(
  { J, wanted, weight }: TaskRows,
  { body, place }: StandingPoints,
  carries: Float64Array,
  { model, state, data, v }: ControllerState<unknown>,
): void {
  const { nv } = model
  for (let i = 0; i < body.length; i++) {
    for (let k = 0; k < 3; k++) point[k] = place[3 * i + k]
    pointJacobianDotTimesV(model, state, data, body[i], point, drift)
    for (let k = 0; k < 3; k++) {
      const row = 3 * i + k
      weight[row] = STANDING.weight * carries[i]
      wanted[row] = -drift[k]
      for (let l = 0; l < nv; l++) wanted[row] -= STANDING.rate * J[row * nv + l] * v[l]
    }
  }
}

/** c + d v + k (q - q0): motors also supply the efforts of the joints' own springs and dampers. */
function writeBias({ bias, rest }: WholeBodyMemory, { model, state, data, robot, q, v }: ControllerState<unknown>): void {
  rnea(model, state, rest, data, bias)
  addGravityCompensation(model, data, bias, -1)
  for (const { qIndex, vIndex } of robot.joints)
    bias[vIndex] += model.damping[vIndex] * v[vIndex] + model.stiffness[vIndex] * (q[qIndex] - model.springReference[vIndex])
}

/** H += w JᵀJ, g -= w Jᵀ wanted. */
function addRows({ columns }: WholeBodyMemory, { n, H, g }: QuadraticProgram, { J, wanted, weight }: TaskRows, nv: number): void {
  for (let r = 0; r < wanted.length; r++) {
    if (weight[r] === 0) continue
    let count = 0
    for (let k = 0; k < nv; k++) if (J[r * nv + k] !== 0) columns[count++] = k
    for (let a = 0; a < count; a++) {
      const i = columns[a]
      const price = weight[r] * J[r * nv + i]
      g[i] -= price * wanted[r]
      for (let b = 0; b <= a; b++) H[i * n + columns[b]] += price * J[r * nv + columns[b]]
    }
  }
}

function soften({ n, H }: QuadraticProgram, nv: number): void {
  for (let k = 0; k < n; k++) H[k * n + k] += k < nv ? SOFTNESS.acceleration : SOFTNESS.force
}

/** Rows 0 to 5: M_b a - J_bᵀ f = -c_b; then a row a joint: |M_j a + c_j - J_jᵀ f| within its motor's limit. */
function writeMotion(
  { bias, scale, carries }: WholeBodyMemory,
  { n, C, lower, upper }: QuadraticProgram,
  { J }: StandingPoints,
  { robot, model, data }: ControllerState<unknown>,
): void {
  const { nv, effortLimit } = model
  const forces = n - nv
  const share = carries as unknown as Float64Array
  for (let row = 0; row < 6 + robot.joints.length; row++) {
    const k = row < 6 ? row : robot.joints[row - 6].vIndex
    const start = row * n
    for (let l = 0; l < nv; l++) C[start + l] = data.M[k * nv + l]
    // a force in the air has no effect, and its cost makes it zero
    for (let c = 0; c < forces; c++) C[start + nv + c] = -scale[0] * share[(c / 3) | 0] * J[c * nv + k]
    const limit = row < 6 ? 0 : effortLimit[k]
    lower[row] = -limit - bias[k]
    upper[row] = limit - bias[k]
  }
}

/** A row a joint for its limits, then four a point: mu f_z +- f_x >= 0, mu f_z +- f_y >= 0. */
function writeLimits(
  { scale }: WholeBodyMemory,
  { n, m, C, lower, upper }: QuadraticProgram,
  { robot, model, q, v }: ControllerState<unknown>,
): void {
  const { nv } = model
  const joints = robot.joints.length
  const time = AHEAD * scale[2]
  const factor = 2 / (time * time)
  for (let j = 0; j < joints; j++) {
    const { qIndex, vIndex } = robot.joints[j]
    const row = 6 + joints + j
    C[row * n + vIndex] = 1
    const coasted = q[qIndex] + v[vIndex] * time
    lower[row] = factor * (model.lower[vIndex] - coasted)
    upper[row] = factor * (model.upper[vIndex] - coasted)
  }
  for (let row = 6 + 2 * joints, p = 0; row < m; row += 4, p++) {
    for (let side = 0; side < 4; side++) {
      const start = (row + side) * n + nv + 3 * p
      C[start + (side >> 1)] = side % 2 === 0 ? 1 : -1
      C[start + 2] = scale[1]
      lower[row + side] = 0
    }
  }
}

function openLimits({ lower, upper }: QuadraticProgram, joints: number): void {
  lower.fill(-Infinity, 6 + joints, 6 + 2 * joints)
  upper.fill(Infinity, 6 + joints, 6 + 2 * joints)
}

/** tau = M a + c - Jᵀ f of the joints. */
function writeEfforts(
  { bias, efforts }: WholeBodyMemory,
  { n, C, x }: QuadraticProgram,
  { robot }: ControllerState<unknown>,
): void {
  for (let j = 0; j < efforts.length; j++) {
    efforts[j] = bias[robot.joints[j].vIndex]
    for (let k = 0; k < n; k++) efforts[j] += C[(6 + j) * n + k] * x[k]
  }
}

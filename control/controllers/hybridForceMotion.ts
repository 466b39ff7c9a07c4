import type { Controller, ControllerState } from '../controller.ts'
import { given } from '../expected.ts'
import {
  createOperationalSpace,
  measureTask,
  type OperationalSpaceMemory,
  type OperationalSpaceOptions,
  writeAcceleration,
  writeTaskEfforts,
} from './operationalSpace.ts'

export interface HybridForceMotionOptions extends OperationalSpaceOptions {
  /** 3, in world axes: the direction in which the link presses. Default down. */
  readonly direction?: readonly number[]
  /** Contact force at time t [N]. */
  readonly force: (t: number) => number
  /** Coefficient of friction for feed-forward along the surface, in the direction of the wanted motion. Default 0. */
  readonly friction?: number
  /** Gain of the force's integral [1/s]. Default 20. */
  readonly integral?: number
  /** Speed at which it moves through free space with that force [m/s]. Default 0.05. */
  readonly approach?: number
}

export interface HybridForceMotionMemory {
  readonly task: OperationalSpaceMemory
  /** 3: unit length. */
  readonly direction: Float64Array
  /** 1 a body: whether it is in the link's subtree. */
  readonly carried: Uint8Array
  /** [integral of the force's error [N], measured force [N]; since SETTLED: its sum [N], ticks, largest relative error; time of contact [s]]. */
  readonly force: Float64Array
}

/** First part of the contact time, excluded from the force metrics [s]. */
const SETTLED = 0.5

/** Speed below which the friction feed-forward falls to zero [m/s]. */
const STILL = 1e-3

const wantedVelocity = new Float64Array(6)

/**
 * Hybrid control of force and motion: a link presses along a direction with a force, and follows its trajectory in all others
 * (Raibert and Craig 1981; in operational space, Khatib 1987, section VII). Along the direction n
 *
 *   f = f_d + ki ∫ (f_d - f_m) dt - |f_d| v_n / approach
 *
 * is added to the efforts as Jᵀ n f. f_m is the mean contact force on the link and its subtree over the last step
 * (`contactForces`). The integral is zero without contact, and at most f_d / 2. The last term damps the approach.
 *
 * Metrics: mean and largest relative error of f_m from half a second of contact on.
 *
 * @throws RangeError at `init` for a direction without length; else as `operationalSpace`
 */
export function hybridForceMotion(options: HybridForceMotionOptions): Controller<HybridForceMotionMemory> {
  const { trajectory, force: wantedForce, friction = 0, integral = 20, approach = 0.05 } = given('hybrid-force-motion', options)
  return {
    rate: 1000,
    init(setup) {
      const task = createOperationalSpace(setup, options)
      const direction = Float64Array.from(options.direction ?? [0, 0, -1])
      const length = Math.hypot(...direction)
      if (!(length > 0)) throw new RangeError(`direction is [${direction}]; it must have a length`)
      return {
        task,
        direction: direction.map((x) => x / length),
        carried: carriedBodies(setup.model.parent, task.frame.body),
        force: new Float64Array(6),
      }
    },
    update(seen, dt) {
      const { task, direction, carried, force } = seen.memory
      const { nv } = seen.model
      measureTask(task, seen, trajectory)
      removeAlong(direction, task.error)
      removeAlong(direction, task.rate)
      removeAlong(direction, task.wanted)
      const goal = wantedForce(seen.t)
      force[1] = forceAlong(direction, carried, seen)
      const error = clamp(goal - force[1], Math.abs(goal)) // impacts are not integrated
      force[0] = force[1] > 0 ? clamp(force[0] + integral * dt * error, Math.abs(goal) / 2) : 0
      record(force, goal, dt)
      writeAcceleration(task)
      writeTaskEfforts(task, seen)
      const { joints } = seen.robot
      const speed = direction[0] * task.velocity[3] + direction[1] * task.velocity[4] + direction[2] * task.velocity[5]
      // the wanted velocity: the error's rate plus the velocity, without the part along the direction
      let drag = 0
      for (let k = 3; k < 6; k++) {
        wantedVelocity[k] = task.rate[k] + task.velocity[k] - speed * direction[k - 3]
        drag += wantedVelocity[k] * wantedVelocity[k]
      }
      drag = (friction * Math.abs(goal)) / Math.sqrt(drag + STILL * STILL)
      const push = goal + force[0] - (Math.abs(goal) / approach) * speed
      for (let j = 0; j < joints.length; j++)
        for (let k = 0; k < 3; k++)
          task.efforts[j] += task.J[(3 + k) * nv + joints[j].vIndex] * (direction[k] * push + drag * wantedVelocity[3 + k])
      return task.efforts
    },
    metrics: ({ memory: { force } }) => ({
      meanForce_N: force[3] > 0 ? force[2] / force[3] : 0,
      largestForceError: force[4],
      contactTime_s: force[5],
    }),
  }
}

/** The linear part of m (6), less its part along n. */
function removeAlong(n: Float64Array, m: Float64Array): void {
  const along = n[0] * m[3] + n[1] * m[4] + n[2] * m[5]
  for (let k = 0; k < 3; k++) m[3 + k] -= along * n[k]
}

const clamp = (x: number, most: number) => Math.max(-most, Math.min(most, x))

/** 1 for the body and its descendants. */
function carriedBodies(parent: ArrayLike<number>, body: number): Uint8Array {
  const carried = new Uint8Array(parent.length)
  carried[body] = 1
  for (let i = body + 1; i < parent.length; i++) if (carried[parent[i]] === 1) carried[i] = 1
  return carried
}

/** Force of the link on its contacts along n [N]. */
function forceAlong(n: Float64Array, carried: Uint8Array, { contactForces }: ControllerState<unknown>): number {
  let sum = 0
  for (let i = 1; i < carried.length; i++)
    if (carried[i] === 1) for (let k = 0; k < 3; k++) sum -= n[k] * contactForces[6 * i + 3 + k]
  return sum
}

function record(force: Float64Array, goal: number, dt: number): void {
  if (force[1] > 0) force[5] += dt
  if (force[5] < SETTLED || goal === 0) return
  force[2] += force[1]
  force[3]++
  force[4] = Math.max(force[4], Math.abs(force[1] / goal - 1))
}

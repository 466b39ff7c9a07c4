import { addGravityCompensation, rnea } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { Controller, ControllerSetup, ControllerState } from '../controller.ts'
import { ControllerError } from '../controllerError.ts'
import { given } from '../expected.ts'
import { type JointTrajectory, wave } from './jointTrajectories.ts'

export interface ComputedTorqueOptions {
  /** The reference. Default: `wave`. */
  readonly trajectory?: (robot: Robot) => JointTrajectory
  /** Natural frequency [rad/s] and damping ratio with which an error dies out. The frequency is at most 0.2 / period. */
  readonly omega?: number
  readonly damping?: number
  /** Joints with a prescribed effort instead, such as gripping fingers, by name: effort at time t [N m, N]. */
  readonly efforts?: Readonly<Record<string, (t: number) => number>>
}

/** Memory of computed torque: its gains, and scratch arrays. */
export type ComputedTorqueMemory = Readonly<ReturnType<typeof createTracker>>

/**
 * Computed torque, also called inverse dynamics control (Luh, Walker and Paul, "Resolved-acceleration control of
 * mechanical manipulators", 1980): the joints' rows of
 *
 *   tau = M(q) a + c(q, v),   a = a_ref + kd (v_ref - v) + kp (q_ref - q)
 *
 * by the recursive Newton-Euler algorithm, plus each joint's own damping and spring. kp = omega^2 and kd = 2 damping omega, so that
 * with an exact model every joint's error is that of one oscillator.
 *
 * A floating base is assumed not to accelerate in its own axes (a = 0 there), and no contact force is assumed on any body
 * that hangs on a controlled joint. Both hold for the upper body of a robot that stands or drives steadily; the base's
 * acceleration when driving off or turning is a disturbance left to the feedback.
 *
 * Joints that the trajectory leaves alone get no effort, those with an effort of their own get that. Fills target.joints.
 */
export function computedTorque(
  options: ComputedTorqueOptions = {},
): Controller<{ tracker: ComputedTorqueMemory; efforts: Float64Array }> {
  const { efforts: pushes } = given('computed-torque', options)
  const trajectories = trajectoriesOf(options.trajectory ?? ((robot) => wave(robot)))
  return {
    init(setup) {
      for (const name of Object.keys(pushes ?? {})) {
        if (!setup.robot.joints.some((joint) => joint.name === name))
          throw new ControllerError(
            'computed-torque',
            `efforts names "${name}", but "${setup.robot.name}" has no such moving joint`,
          )
      }
      return { tracker: createTracker(setup, options), efforts: new Float64Array(setup.robot.joints.length) }
    },
    update(state) {
      const { tracker, efforts } = state.memory
      track(tracker, trajectories(state.robot), state, efforts)
      const { joints } = state.robot
      for (let j = 0; j < joints.length; j++) {
        const push = pushes?.[joints[j].name]
        if (push === undefined) continue
        efforts[j] = push(state.t)
        state.target.joints[j] = NaN
      }
      return efforts
    },
  }
}

/** A trajectory depends on the robot alone, so it is no memory: made at the first tick for a robot, and kept. @unchecked */
export function trajectoriesOf(create: (robot: Robot) => JointTrajectory): (robot: Robot) => JointTrajectory {
  let last: Robot | undefined
  let trajectory: JointTrajectory | undefined
  return (robot) => {
    if (trajectory === undefined || robot !== last) {
      last = robot
      trajectory = create(robot)
    }
    return trajectory
  }
}

/** @unchecked */
export function createTracker({ robot, model, period }: ControllerSetup, options: ComputedTorqueOptions) {
  const { joints } = robot
  const omega = Math.min(options.omega ?? 20, 0.2 / period)
  return {
    /** omega^2 [1/s^2], 2 damping omega [1/s]. */
    gains: Float64Array.of(omega * omega, 2 * (options.damping ?? 1) * omega),
    /** One entry a moving joint: place in v and q. */
    vIndex: Int32Array.from(joints, ({ vIndex }) => vIndex),
    qIndex: Int32Array.from(joints, ({ qIndex }) => qIndex),
    /** One entry a moving joint: reference. */
    qRef: new Float64Array(joints.length),
    vRef: new Float64Array(joints.length),
    aRef: new Float64Array(joints.length),
    /** nv. */
    a: new Float64Array(model.nv),
    tau: new Float64Array(model.nv),
  }
}

/** One tick: writes the entries of efforts of those joints that the trajectory moves, and their targets. @unchecked */
export function track(
  memory: ComputedTorqueMemory,
  trajectory: JointTrajectory,
  { state, q, v, data, model, target }: ControllerState<unknown>,
  efforts: Float64Array,
): void {
  const { gains, vIndex, qIndex, qRef, vRef, aRef, a, tau } = memory
  trajectory.sample(state.t, qRef, vRef, aRef)
  a.fill(0)
  for (let j = 0; j < vIndex.length; j++) {
    if (Number.isNaN(qRef[j])) continue
    const k = vIndex[j]
    a[k] = aRef[j] + gains[1] * (vRef[j] - v[k]) + gains[0] * (qRef[j] - q[qIndex[j]])
  }
  rnea(model, state, a, data, tau)
  addGravityCompensation(model, data, tau, -1)
  for (let j = 0; j < vIndex.length; j++) {
    if (Number.isNaN(qRef[j])) continue
    const k = vIndex[j]
    const stretch = q[qIndex[j]] - model.springReference[k]
    efforts[j] = tau[k] + model.damping[k] * v[k] + model.stiffness[k] * stretch
    target.joints[j] = qRef[j]
  }
}

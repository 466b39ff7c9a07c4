import type { Controller, ControllerSetup, ControllerState } from '../controller.ts'
import { ControllerError } from '../controllerError.ts'
import { given } from '../expected.ts'
import { homeData } from '../homeData.ts'
import { jointInertia } from '../jointInertia.ts'
import { type ComputedTorqueOptions, createTracker, track, trajectoriesOf } from './computedTorque.ts'
import { type JointTrajectory, wave } from './jointTrajectories.ts'

export interface GripOptions extends Omit<ComputedTorqueOptions, 'efforts'> {
  /** Joints of the fingers; positive closes. */
  readonly fingers: readonly string[]
  /** Force, or torque, of each finger at time t [N, N m]; negative opens. */
  readonly force: (t: number) => number
  /** Speed of closing without an object between the fingers [m/s, rad/s]. Default 0.1. */
  readonly speed?: number
  /** Natural frequency with which the fingers stay level with each other [rad/s]; 0: they do not. Default 50, at most 0.2 / period. */
  readonly follow?: number
}

export type GripMemory = Readonly<ReturnType<typeof createMemory>>

/** Bound on the damper that sets the closing speed: d period / inertia, stable below 2 in a loop of explicit steps. */
const LARGEST_DAMPING = 0.5

function createMemory(setup: ControllerSetup, options: GripOptions) {
  const { robot, period } = setup
  const inertia = jointInertia(robot, homeData(robot))
  const finger = fingerIndices(robot.joints, options.fingers, robot.name)
  return {
    tracker: createTracker(setup, options),
    efforts: new Float64Array(robot.joints.length),
    /** One entry a finger: index into robot.joints; effective inertia at its motor [kg, kg m^2]. */
    finger,
    inertia: Float64Array.from(finger, (j) => inertia[j]),
    period: Float64Array.of(period),
  }
}

/**
 * Fingers close with a force and stay level with each other, while the other joints move by computed torque. Finger i gives
 *
 *   f - |f| v_mean / speed + I omega^2 (q_mean - q_i) + 2 I omega (v_mean - v_i)
 *
 * beside its weight, springs and dampers: at rest each holds f where all are level, and their sum is always that of the forces.
 * The damper is limited to the stable range of a loop of this period, so that in a slow one fingers close faster than `speed`.
 *
 * @throws ControllerError at `init` for a finger that is no moving joint
 */
export function grip(options: GripOptions): Controller<GripMemory> {
  const { fingers, force, speed = 0.1, follow = 50 } = given('grip', options)
  const create = options.trajectory ?? ((robot) => wave(robot))
  const trajectories = trajectoriesOf((robot) => without(create(robot), fingerIndices(robot.joints, fingers, robot.name)))
  return {
    rate: 1000,
    init: (setup) => createMemory(setup, options),
    update(seen) {
      const { tracker, efforts } = seen.memory
      track(tracker, trajectories(seen.robot), seen, efforts)
      close(seen, force(seen.t), speed, follow)
      return efforts
    },
  }
}

function close(
  { memory, model, robot, q, v, target }: ControllerState<GripMemory>,
  force: number,
  speed: number,
  follow: number,
): void {
  const { tracker, efforts, finger, inertia, period } = memory
  const n = finger.length
  const omega = Math.min(follow, 0.2 / period[0])
  let place = 0
  let rate = 0
  for (let i = 0; i < n; i++) {
    const { qIndex, vIndex } = robot.joints[finger[i]]
    place += q[qIndex] / n
    rate += v[vIndex] / n
  }
  for (let i = 0; i < n; i++) {
    const j = finger[i]
    const { qIndex, vIndex: k } = robot.joints[j]
    const damper = Math.min(Math.abs(force) / speed, (LARGEST_DAMPING * inertia[i]) / period[0])
    const level = omega * (omega * (place - q[qIndex]) + 2 * (rate - v[k]))
    const passive = model.damping[k] * v[k] + model.stiffness[k] * (q[qIndex] - model.springReference[k])
    efforts[j] = tracker.tau[k] + passive + force - damper * rate + inertia[i] * level
    target.joints[j] = NaN
  }
}

function fingerIndices(joints: readonly { readonly name: string }[], fingers: readonly string[], robot: string): Int32Array {
  return Int32Array.from(fingers, (name) => {
    const j = joints.findIndex((joint) => joint.name === name)
    if (j >= 0) return j
    const known = joints.map((joint) => joint.name).join(', ')
    throw new ControllerError('grip', `fingers names "${name}", but "${robot}" has no such moving joint; it has ${known}`)
  })
}

/** The same trajectory, which leaves these joints alone. */
function without({ sample }: JointTrajectory, left: Int32Array): JointTrajectory {
  return {
    sample(t, q, v, a) {
      sample(t, q, v, a)
      for (let i = 0; i < left.length; i++) q[left[i]] = NaN
    },
  }
}

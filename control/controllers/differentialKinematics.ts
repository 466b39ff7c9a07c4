import { addGravityCompensation, rnea } from '../../dynamics/index.ts'
import type { Controller } from '../controller.ts'
import { ControllerError } from '../controllerError.ts'
import { given } from '../expected.ts'
import { createQuadraticProgram, type QuadraticProgram, solveQuadraticProgram } from '../math/quadraticProgram.ts'
import {
  createOperationalSpace,
  measureTask,
  type OperationalSpaceMemory,
  type OperationalSpaceOptions,
} from './operationalSpace.ts'

export interface DifferentialKinematicsOptions extends OperationalSpaceOptions {
  /** Weight of rotation relative to that of translation of the frame [m^2]; 0 follows positions alone. Default 0.1. */
  readonly turning?: number
  /** Speed limit of joints that state none [rad/s, m/s]. Default 3. */
  readonly fastest?: number
}

export interface DifferentialKinematicsMemory extends OperationalSpaceMemory {
  readonly program: QuadraticProgram
  /** Rate at which limits of position are approached, and that of the velocity servo [1/s]. */
  readonly rates: Float64Array
}

/** Weight of a joint's speed, for redundant joints. */
const SOFTNESS = 1e-6
/** Weight of the posture, for redundant joints. */
const POSTURE = 1e-4

/**
 * A frame follows its trajectory by the joints' velocities, within their limits of position and speed:
 *
 *   min |J v - (v_d + omega e)|² + small prices of speed and posture,   |v| <= limit,   (lower - q) rate <= v <= (upper - q) rate
 *
 * (a quadratic program a tick; Kanoun, Lamiraux and Wieber, "Kinematic control of redundant manipulators", IEEE Transactions on Robotics
 * 27, 2011), realised by a servo with inverse dynamics. Unreachable targets are approached as far as the limits allow.
 *
 * @throws ControllerError at `init` for an unknown link, or a floating base
 */
export function differentialKinematics(options: DifferentialKinematicsOptions): Controller<DifferentialKinematicsMemory> {
  const { trajectory, omega = 10, turning = 0.1, fastest = 3, postureOmega = 1 } = given('differential-kinematics', options)
  return {
    rate: 1000,
    init(setup) {
      const { model, robot, period } = setup
      const program = createQuadraticProgram(model.nv, model.nv)
      for (let k = 0; k < model.nv; k++) program.C[k * model.nv + k] = 1
      if (robot.joints.length !== model.nv)
        throw new ControllerError('differential kinematics', `a joint of "${robot.name}" has several coordinates`)
      return {
        ...createOperationalSpace(setup, options),
        program,
        rates: Float64Array.of(0.1 / period, Math.min(100, 0.2 / period)),
      }
    },
    update(seen) {
      const { memory, robot, model, state, data, q, v, target } = seen
      const { program, rates, J, velocity, rate, error, heldQ, wanted, a, tau, efforts } = memory
      const { nv } = model
      const { H, g, lower, upper, x } = program
      measureTask(memory, seen, trajectory)
      for (let k = 0; k < 6; k++) wanted[k] = velocity[k] + rate[k] + omega * error[k]
      for (let i = 0; i < nv; i++) {
        g[i] = 0
        for (let j = 0; j <= i; j++) H[i * nv + j] = i === j ? SOFTNESS + POSTURE : 0
        for (let r = 0; r < 6; r++) {
          const price = (r < 3 ? turning : 1) * J[r * nv + i]
          g[i] -= price * wanted[r]
          for (let j = 0; j <= i; j++) H[i * nv + j] += price * J[r * nv + j]
        }
      }
      for (const { qIndex, vIndex: k } of robot.joints) {
        g[k] -= POSTURE * postureOmega * (heldQ[qIndex] - q[qIndex])
        const most = Math.min(model.velocityLimit[k], fastest)
        // a joint that is beyond a limit comes back
        lower[k] = Math.min(most, Math.max(-most, (model.lower[k] - q[qIndex]) * rates[0]))
        upper[k] = Math.max(-most, Math.min(most, (model.upper[k] - q[qIndex]) * rates[0]))
      }
      const status = solveQuadraticProgram(program)
      if (status !== 'solved') x.fill(0)
      for (let k = 0; k < nv; k++) a[k] = rates[1] * (x[k] - v[k])
      rnea(model, state, a, data, tau)
      addGravityCompensation(model, data, tau, -1)
      robot.joints.forEach(({ qIndex, vIndex: k }, j) => {
        efforts[j] = tau[k] + model.damping[k] * v[k] + model.stiffness[k] * (q[qIndex] - model.springReference[k])
        target.joints[j] = NaN // the frame is followed, not the joints
      })
      return efforts
    },
  }
}

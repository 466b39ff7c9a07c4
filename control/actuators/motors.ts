import type { Data, Model, State } from '../../dynamics/index.ts'
import type { Robot, RobotActuator } from '../../robots/index.ts'
import type { ControllerLoop } from '../loop/controllerLoop.ts'
import { expMinusOne } from '../policy/exponential.ts'

/**
 * The motors and servos of a robot's own file at constant control inputs, as MuJoCo has them: each step the force of each is computed of
 * the state at its start (`ActuatorDescription`), clamped to its range, and their sum at a joint to the joint's effort limit.
 *
 * @param ctrl of each actuator, in the order of the file
 * @param act  filtered or integrated inputs at the start, of the actuators that have them, in that order; default 0
 */
export class Motors implements ControllerLoop {
  readonly everySteps = 1
  readonly target: ControllerLoop['target']
  private readonly robot: Robot
  private readonly actuators: readonly RobotActuator[]
  private readonly ctrl: Float64Array
  /** Filtered or integrated inputs; unused where an actuator has neither. */
  private readonly activation: Float64Array
  /** Of each, the part of its rate that a step adds to its activation [s]. */
  private readonly share: Float64Array

  constructor(robot: Robot, ctrl: ArrayLike<number> = [], act: ArrayLike<number> = []) {
    this.robot = robot
    this.actuators = robot.actuators ?? []
    if (ctrl.length > 0 && ctrl.length !== this.actuators.length)
      throw new RangeError(`ctrl has ${ctrl.length} numbers; "${robot.name}" has ${this.actuators.length} actuators of joints`)
    this.ctrl = Float64Array.from(this.actuators, ({ control: [low, high] }, k) => Math.min(Math.max(ctrl[k] ?? 0, low), high))
    const stateful = this.actuators.flatMap(({ dynamics }, k) => (dynamics === 'none' ? [] : [k]))
    if (act.length > 0 && act.length !== stateful.length)
      throw new RangeError(`act has ${act.length} numbers; "${robot.name}" has ${stateful.length} actuators of joints with one`)
    this.activation = new Float64Array(this.actuators.length)
    stateful.forEach((k, n) => {
      this.activation[k] = act[n] ?? 0
    })
    this.share = new Float64Array(this.actuators.length)
    this.target = { joints: new Float64Array(robot.joints.length).fill(NaN), base: new Float64Array(7).fill(NaN) }
  }

  start(_: Model, dt: number): void {
    const { share } = this
    this.actuators.forEach(({ dynamics, timeConstant }, k) => {
      share[k] = -dt / timeConstant
      if (dynamics === 'filterexact') expMinusOne(share, k)
      share[k] = dynamics === 'filterexact' ? -timeConstant * share[k] : dt
    })
  }

  tick({ q, v }: State, _: Data, tau: Float64Array): void {
    const { actuators, ctrl, activation, share } = this
    tau.fill(0)
    for (let k = 0; k < actuators.length; k++) {
      const {
        gear,
        gain,
        bias,
        force,
        dynamics,
        timeConstant,
        activation: range,
        qIndex,
        vIndex,
        multiplier,
        offset,
      } = actuators[k]
      const length = gear * (multiplier * q[qIndex] + offset)
      const speed = gear * multiplier * v[vIndex]
      const u = dynamics === 'none' ? ctrl[k] : activation[k]
      const pull = (gain[0] + gain[1] * length + gain[2] * speed) * u + bias[0] + bias[1] * length + bias[2] * speed
      tau[vIndex] += gear * multiplier * Math.min(Math.max(pull, force[0]), force[1])
      if (dynamics === 'none') continue
      // the input of the next step
      const rate = dynamics === 'integrator' ? ctrl[k] : (ctrl[k] - activation[k]) / Math.max(timeConstant, 1e-15)
      activation[k] = Math.min(Math.max(activation[k] + rate * share[k], range[0]), range[1])
    }
    const { effortLimit } = this.robot.model
    for (const { vIndex } of this.robot.joints)
      tau[vIndex] = Math.min(Math.max(tau[vIndex], -effortLimit[vIndex]), effortLimit[vIndex])
  }

  save(): unknown {
    return this.activation.slice()
  }

  restore(memory: unknown): void {
    this.activation.set(memory as Float64Array)
  }

  metrics(): Record<string, number> {
    return {}
  }
}

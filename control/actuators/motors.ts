import { type Data, type Model, type State, TendonLengths } from '../../dynamics/index.ts'
import type { Robot, RobotActuator } from '../../robots/index.ts'
import type { LogChannels, Surroundings } from '../../simulation/index.ts'
import type { ControllerLoop } from '../loop/controllerLoop.ts'
import { Activations } from './activations.ts'
import { addMuscleForce, muscleRate } from './muscle.ts'
import { orientationMoment } from './orientationServo.ts'

/** Efforts and forces of actuators of the last step, where a controller sees them. */
export interface Acting {
  /** nv [N m, N]. */
  readonly efforts: Float64Array
  /** Of each actuator, before its gear. */
  readonly forces: Float64Array
}

/**
 * The motors and servos of a robot's own file as MuJoCo has them: each step the force of each is computed of the state at its start
 * (`ActuatorDescription`), clamped to its range, and their sum at a joint to the joint's range of efforts; a joint that follows passes it
 * on times its multiplier. @unchecked
 *
 * @param ctrl   control inputs in the order of `Robot.controls`, none for zeros; those of actuators that do not act here have no effect
 * @param source a controller's loop that writes them at its ticks in place of efforts
 * @param act    filtered or integrated inputs at the start, of the actuators that have them, in that order; default 0
 */
export class Motors implements ControllerLoop {
  readonly everySteps = 1
  readonly target: ControllerLoop['target']
  readonly robot: Robot
  readonly source: ControllerLoop | undefined
  readonly acting: Acting
  /** nv: how much the efforts fall per velocity, of forces within their ranges [N m s/rad, N s/m]. */
  readonly rates: Float64Array
  private readonly actuators: readonly RobotActuator[]
  private readonly ctrl: Float64Array
  private readonly activations: Activations
  /** Of each, the first actuator at its joint, at which the sum of their efforts stands; and that sum [N m, N]. */
  private readonly first: Int32Array
  private readonly sum: Float64Array
  /** 4: length, speed and input of an actuator; and the rate of its activation. */
  private readonly at = new Float64Array(4)
  /** Lengths that actuators act on besides joints, and the first of each actuator, -1 of those at a joint. */
  private readonly lengths: TendonLengths
  private readonly lengthOf: Int32Array
  /** Per body: the attraction of its contacts, from the start on [N]. */
  private attraction: Float64Array = new Float64Array(0)
  /** 3 each, of an orientation. */
  private readonly turn = new Float64Array(3)
  private readonly spin = new Float64Array(3)
  private dt = 0

  constructor(robot: Robot, ctrl: ArrayLike<number> = [], source?: ControllerLoop, acting?: Acting, act: ArrayLike<number> = []) {
    const { actuators = [], controls = [] } = robot
    this.robot = robot
    this.source = source
    this.actuators = actuators
    if (ctrl.length > 0 && ctrl.length !== controls.length)
      throw new RangeError(
        `ctrl has ${ctrl.length} numbers; the actuators of "${robot.name}" have ${controls.length} inputs: ${controls.join(', ')}`,
      )
    this.ctrl = Float64Array.from(controls, (_, k) => ctrl[k] ?? 0)
    this.activations = new Activations(actuators, act, robot.name)
    this.first = Int32Array.from(actuators, (own, k) =>
      own.lengths ? -1 - k : actuators.findIndex(({ joint }) => joint === own.joint),
    )
    let count = 0
    this.lengthOf = Int32Array.from(actuators, ({ lengths }) => {
      count += lengths?.length ?? 0
      return lengths ? count - lengths.length : -1
    })
    this.lengths = new TendonLengths(
      robot.model,
      actuators.flatMap(({ lengths = [] }) => lengths.map((parts) => ({ parts }))),
    )
    this.sum = new Float64Array(actuators.length)
    this.rates = new Float64Array(robot.model.nv)
    this.acting = acting ?? { efforts: new Float64Array(robot.model.nv), forces: new Float64Array(actuators.length) }
    const none = { joints: new Float64Array(robot.joints.length).fill(NaN), base: new Float64Array(7).fill(NaN) }
    this.target = source?.target ?? none
  }

  /** Inputs of the file's actuators, in the order of `Robot.controls`. */
  get inputs(): Float64Array {
    return this.ctrl
  }

  get log(): LogChannels | undefined {
    return this.source?.log
  }

  get command(): Float64Array | undefined {
    return this.source?.command
  }

  start(model: Model, dt: number, surroundings?: Surroundings): void {
    this.dt = dt
    this.activations.begin(dt)
    this.acting.efforts.fill(0)
    this.acting.forces.fill(0)
    if (surroundings) this.attraction = surroundings.world.attractionOf(surroundings.index)
    this.source?.start(model, dt, surroundings)
  }

  tick(state: State, data: Data, tau: Float64Array, contactForces: Float64Array): void {
    const { ctrl, source, dt } = this
    if (source !== undefined && Math.round(state.t[0] / dt) % source.everySteps === 0)
      source.tick(state, data, ctrl, contactForces)
    this.activations.beginStep()
    this.evaluate(state, data, tau, true)
  }

  /** Filtered and integrated inputs are advanced with the state; those of a `<pid>` are of the start of the step. */
  stage(state: State, data: Data, stage: number, tau: Float64Array): void {
    this.activations.beginStage(stage)
    this.evaluate(state, data, tau, false)
    this.activations.endStage(stage)
  }

  /** Writes the efforts at a state, of the activations of the stage. @param isTick whether activations advance by the step */
  private evaluate({ q, v }: State, data: Data, tau: Float64Array, isTick: boolean): void {
    const { actuators, acting, at, first, sum, rates, lengthOf } = this
    const { efforts, forces } = acting
    efforts.fill(0)
    sum.fill(0)
    rates.fill(0)
    this.attraction.fill(0)
    if (this.lengths.count > 0) this.lengths.evaluate(q, data)
    for (let k = 0; k < actuators.length; k++) {
      const { gear, gain, bias, force, pid, qIndex, vIndex, multiplier, offset, muscle, orientation, attracts } = actuators[k]
      const length = lengthOf[k]
      if (orientation !== undefined) {
        this.turnTo(k, orientation, v)
        continue
      }
      if (length < 0) {
        at[0] = gear * (multiplier * q[qIndex] + offset)
        at[1] = gear * multiplier * v[vIndex]
      } else {
        at[0] = gear * this.lengths.length[length]
        this.lengths.speed(length, v, at, 1)
        at[1] *= gear
      }
      at[2] = 0
      forces[k] = bias[0] + bias[1] * at[0] + bias[2] * at[1]
      if (pid !== undefined) this.addSetpoints(k, pid, isTick)
      else {
        this.setInput(k, isTick)
        forces[k] += (gain[0] + gain[1] * at[0] + gain[2] * at[1]) * at[2]
        if (muscle !== undefined) addMuscleForce(muscle, at, forces, k)
      }
      const slope = bias[2] + gain[2] * at[2]
      if (slope !== 0 && length < 0 && forces[k] > force[0] && forces[k] < force[1])
        rates[vIndex] -= gear * gear * multiplier * multiplier * slope
      forces[k] = Math.min(Math.max(forces[k], force[0]), force[1])
      if (attracts !== undefined && this.attraction.length > 0) this.attraction[attracts] += gear * forces[k]
      if (length < 0) sum[first[k]] += gear * forces[k]
      else {
        at[0] = gear * forces[k]
        this.lengths.addForce(length, at, 0, efforts)
      }
    }
    for (let k = 0; k < actuators.length; k++) {
      if (first[k] !== k) continue
      const { jointForce, vIndex, multiplier } = actuators[k]
      if (jointForce !== undefined) sum[k] = Math.min(Math.max(sum[k], jointForce[0]), jointForce[1])
      efforts[vIndex] += multiplier * sum[k]
    }
    const { effortLimit } = this.robot.model
    for (const { vIndex } of this.robot.joints)
      efforts[vIndex] = Math.min(Math.max(efforts[vIndex], -effortLimit[vIndex]), effortLimit[vIndex])
    tau.set(efforts)
  }

  /** The three forces of a servo of an orientation. */
  private turnTo(k: number, orientation: NonNullable<RobotActuator['orientation']>, v: Float64Array): void {
    const { lengths, lengthOf, turn, spin, ctrl, acting, actuators, at } = this
    const first = lengthOf[k]
    const { input, control } = actuators[k]
    for (let d = 0; d < 3; d++) {
      turn[d] = lengths.length[first + d]
      lengths.speed(first + d, v, spin, d)
    }
    for (let n = input; n < input + (orientation.isQuaternion ? 4 : 3); n++) {
      ctrl[n] = Math.min(Math.max(ctrl[n], control[0]), control[1])
    }
    orientationMoment(orientation, turn, spin, ctrl, input)
    for (let d = 0; d < 3; d++) {
      at[0] = turn[d]
      lengths.addForce(first + d, at, 0, acting.efforts)
    }
  }

  /** Sets at[2], the input that acts now, and the rate of the activation, which a tick advances to the end of the step. */
  private setInput(k: number, isTick: boolean): void {
    const { activations, ctrl, at } = this
    const { dynamics, input, control, timeConstant, early } = this.actuators[k]
    at[2] = Math.min(Math.max(ctrl[input], control[0]), control[1])
    if (dynamics === 'none') return
    const now = activations.stage[2 * k]
    if (dynamics === 'integrator') at[3] = at[2]
    else if (dynamics === 'muscle') muscleRate(this.actuators[k].muscle!, at, activations.stage, 2 * k)
    else at[3] = (at[2] - now) / Math.max(timeConstant, 1e-15)
    activations.rate[k] = at[3]
    if (isTick) activations.advance(k)
    at[2] = early ? activations.values[2 * k] : now
  }

  /** Adds to the force of a `<pid>` the parts of its inputs and of the integral, which advances. */
  private addSetpoints(
    k: number,
    { inputs, ranges, integral, windup, slew }: NonNullable<RobotActuator['pid']>,
    isTick: boolean,
  ): void {
    const { ctrl, at, dt } = this
    const { values, stage } = this.activations
    const { forces } = this.acting
    const { input, bias } = this.actuators[k]
    const sum = stage[2 * k]
    forces[k] += integral * sum
    for (let i = 0; i < inputs.length; i++) {
      let u = Math.min(Math.max(ctrl[input + i], ranges[i][0]), ranges[i][1])
      if (inputs[i] === 'pos') {
        const before = stage[2 * k + 1]
        if (slew > 0) u = Math.min(Math.max(u, before - slew * dt), before + slew * dt)
        if (isTick) values[2 * k + 1] = u
        const error = u - at[0]
        const isFull = windup > 0 && Math.abs(sum) >= windup && sum * error > 0
        if (isTick && integral !== 0 && !isFull) values[2 * k] = sum + dt * error
        forces[k] -= bias[1] * u
      } else forces[k] += inputs[i] === 'vel' ? -bias[2] * u : u
    }
  }

  save(): unknown {
    const { ctrl, source } = this
    const activation = this.activations.values
    const { efforts, forces } = this.acting
    return structuredClone({ activation, ctrl, acting: { efforts, forces }, source: source?.save() })
  }

  restore(memory: unknown): void {
    const { activation, ctrl, acting, source } = memory as {
      activation: Float64Array
      ctrl: Float64Array
      acting: Acting
      source: unknown
    }
    this.activations.values.set(activation)
    this.ctrl.set(ctrl)
    this.acting.efforts.set(acting.efforts)
    this.acting.forces.set(acting.forces)
    this.source?.restore(source)
  }

  metrics(): Record<string, number> {
    return this.source?.metrics() ?? {}
  }
}

import type { Data, Model, Servos, State } from '../dynamics/index.ts'
import type { World } from './world.ts'

/** The surroundings of a robot, for controllers that perceive more than their own state: the world, and the robot's index in its `robots`. */
export interface Surroundings {
  readonly world: World
  readonly index: number
}

/** Numbers that a controller logs at each tick; recordings have a column for each. */
export interface LogChannels {
  readonly names: readonly string[]
  /** NaN before the first value. */
  readonly values: Float64Array
}

/**
 * Interface between the world and the controllers of `control/`: source of motor efforts, which are constant until the next call.
 *
 * A tick happens at step k if k is a multiple of `everySteps`, before the step's contacts are detected.
 */
export interface EffortSource {
  /** Called once when the world is made. @param surroundings undefined without a world, as in tests */
  start(model: Model, dt: number, surroundings?: Surroundings): void
  readonly log?: LogChannels
  /**
   * Live command of the user of a running simulation; NaN for none. Saved and restored by the source. For driving controllers: forward
   * speed [m/s], yaw rate [rad/s].
   */
  readonly command?: Float64Array
  readonly everySteps: number
  /** Servos that a step takes at its end: gains and limits from `start` on, the law at its start from each tick. */
  readonly servos?: Servos
  /** nv: how much efforts fall per velocity since the last tick, for steps that take it (`ContactModel.takesRates`) [N m s/rad, N s/m]. */
  readonly rates?: Float64Array
  /**
   * Reads the state (and `kinematics` for it in data), writes nv efforts to tau; a floating base's six are left at zero. contactForces: 6 a
   * body of the robot, the mean force of contacts over the step that has just ended (`ContactSet.writeBodyForces`); zero before the first
   * step; entries of body 0 are undefined.
   * @throws ControllerError if the controller throws, or returns a wrong length or numbers that are not finite
   */
  tick(state: State, data: Data, tau: Float64Array, contactForces: Float64Array): void
  /** Efforts at a later stage (1 to 3) of the classical Runge-Kutta step that began with the last tick, of sources that have the state's. */
  stage?(state: State, data: Data, stage: number, tau: Float64Array): void
  /** The source's memory, as plain data that structuredClone copies; `restore` accepts such a copy. */
  save(): unknown
  restore(memory: unknown): void
}

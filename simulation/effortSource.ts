import type { Data, Model, State } from '../dynamics/index.ts'
import type { World } from './world.ts'

/** The surroundings of a robot, for controllers that perceive more than their own state: the world, and the robot's index in its `robots`. */
export interface Surroundings {
  readonly world: World
  readonly index: number
}

/** Numbers that a controller writes down at each tick; recordings have a column of each. */
export interface LogChannels {
  readonly names: readonly string[]
  /** NaN where nothing was written yet. */
  readonly values: Float64Array
}

/**
 * Where motor efforts come from, as the world sees it; `control/` implements it. The efforts hold until the next call.
 *
 * A tick happens at step k when k is a multiple of `everySteps`, before the step's contacts are detected.
 */
export interface EffortSource {
  /** Called once when the world is made. @param surroundings undefined where there is no world, as in a test */
  start(model: Model, dt: number, surroundings?: Surroundings): void
  readonly log?: LogChannels
  /**
   * What the user of a running simulation wants of it now; NaN where nothing is wanted. Saved and restored by the source. Of controllers that
   * drive: speed ahead [m/s], rate of turn [rad/s].
   */
  readonly command?: Float64Array
  readonly everySteps: number
  /**
   * Reads the state (and `kinematics` for it in data), writes nv efforts to tau; a floating base's six are left at zero.
   * contactForces: 6 a body of the robot, the mean force of contacts over the step that has just ended (`ContactSet.writeBodyForces`);
   * zero before the first step, and body 0's means nothing.
   * @throws ControllerError if the controller throws, or answers the wrong length or something that is not finite
   */
  tick(state: State, data: Data, tau: Float64Array, contactForces: Float64Array): void
  /** All that the source remembers, as something that structuredClone copies; `restore` takes such a copy back. */
  save(): unknown
  restore(memory: unknown): void
}

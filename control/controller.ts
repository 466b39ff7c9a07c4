import type { Data, Model, State } from '../dynamics/index.ts'
import type { Robot } from '../robots/index.ts'
import type { ContactsSeen } from './loop/contactsSeen.ts'
import type { JointSeen } from './loop/jointSeen.ts'

/** Input of a controller's `init`, once at the start. */
export interface ControllerSetup {
  readonly robot: Robot
  readonly model: Model
  /** Period of the controller loop [s]. */
  readonly period: number
  /** Options from the scenario file or the caller. */
  readonly options: Readonly<Record<string, unknown>>
  /** Those of `ControllerState`, without values yet. */
  readonly sensors?: Readonly<Record<string, Float64Array>>
  /** Loops of the world that are on at times only, by their names: 1 for one that is on, else 0. */
  readonly loops?: Readonly<Record<string, number>>
}

/** State passed to a controller at each tick. All arrays are owned by the loop: read them, do not keep them. */
export interface ControllerState<Memory> {
  /** Time [s]. */
  readonly t: number
  /** nq and nv, in the model's order; see `Model`. */
  readonly q: Float64Array
  readonly v: Float64Array
  /** Result of `init`; change it in place to store values. A checkpoint clones it (structuredClone). */
  readonly memory: Memory
  readonly robot: Robot
  readonly model: Model
  /** `kinematics` has been run for q; use it as `data` of the dynamics functions. */
  readonly state: State
  readonly data: Data
  /**
   * 6 a body: the mean force of contacts on it over the last step, [moment; force] in world axes about the world's origin [N m, N], as
   * `addBodyForces` takes it. Impacts of that step are included. Zero at the first tick; the entries of body 0 are meaningless.
   */
  readonly contactForces: Float64Array
  /** The same by name, in total or by the other body. */
  readonly contacts: ContactsSeen
  /** Position, velocity, effort and limits of a moving joint by its name. @throws ControllerError if there is none */
  joint(name: string): JointSeen
  /** Measurements of the robot's sensors, by their names, in the order of their parts; see `SensorOptions`. */
  readonly sensors: Readonly<Record<string, Float64Array>>
  /**
   * Current command of the user of a running simulation: forward speed [m/s], yaw rate [rad/s]; NaN where there is none (`World.act`).
   * `unicycle`, `driveAndWave`, `hold` on wheels and `trot` follow it.
   */
  readonly command: Float64Array
  /**
   * 7 a body that is placed from outside (`robot.mocaps`, in their order): position [m] and unit quaternion x, y, z, w in the world. What is
   * written here is where it stands from this step on.
   */
  readonly mocap: Float64Array
  /**
   * Loops of the world that are on at times only (`WorldLoop.active`, `from`, `until`, `maxForce`), by their names: 1 for one that is on, else 0.
   * Write 1 or 0 to ask for it, or not to, from this step on; a weld holds the pose of that moment. One that let go of too large a load is
   * off until it was asked not to be on.
   */
  readonly loops: Record<string, number>
  /**
   * 3 a link whose surface runs, such as a track, in the order in which the robot's shapes name them: its velocity in the link's axes [m/s].
   * Writable: a new value holds from this step on.
   */
  readonly surfaces: Float64Array
  /** The controller's own channels (`Controller.log`), NaN at first; written to recordings. */
  readonly log: Record<string, number>
  /**
   * The controller's own target, written by it so that tracking can be measured; optional. One entry per moving joint in
   * the order of `robot.joints` [rad, m]; NaN means that this joint follows no target. Starts as all NaN.
   */
  readonly target: {
    readonly joints: Float64Array /** x, y, yaw of the base in the world [m, m, rad], or NaN. */
    readonly base: Float64Array
  }
}

/**
 * A controller: the default export of a script. `update` returns one effort per moving joint, in the order of
 * `robot.joints` [N m, N]; or, with `output: 'ctrl'`, the inputs of the actuators of the robot's file, in the order of `robot.controls`.
 */
export interface Controller<Memory = unknown> {
  /** Ticks per second [Hz]; rounded so that a period is a whole number of steps. Default 500. */
  readonly rate?: number
  /** Meaning of what `update` returns: efforts, by default, or inputs of the file's motors and servos, MuJoCo's `ctrl`. */
  readonly output?: 'efforts' | 'ctrl'
  /** Names of its channels: `state.log` has these and no others. */
  readonly log?: readonly string[]
  init(setup: ControllerSetup): Memory
  update(state: ControllerState<Memory>, dt: number): ArrayLike<number>
  /** Figures of the controller's own, read at the end of a run. */
  metrics?(state: ControllerState<Memory>): Record<string, number>
}

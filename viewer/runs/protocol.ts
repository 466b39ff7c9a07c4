import type { LawCheck } from '../../compare/measure/index.ts'
import type { RecordingInfo } from '../../compare/recording/index.ts'
import type { PlacedShape } from '../../contact/geometry/index.ts'
import type { FeatureMoment, PhysicalInputs } from '../../contact/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { Checkpoint, Input } from '../../simulation/index.ts'
import type { ControllerName } from '../controllers.ts'
import type { TapedFile, TapeFormat } from '../recordings/tape.ts'
import type { Scene, SceneChoice } from '../scenes/scene.ts'

/** Messages between the page and a simulation worker. All of it is plain data that structuredClone copies. */

/** Setup of one run; the runs of one comparison differ in `contactModel` alone. */
export interface RunSetup extends Omit<SceneChoice, 'physical'> {
  readonly robot: Robot
  readonly controller: ControllerName
  readonly physical: Partial<PhysicalInputs>
  /** Surroundings; default the ground. */
  readonly fixtures?: readonly PlacedShape[]
  /** Where to go on from: a checkpoint of a run of the same robot; default the start. */
  readonly from?: Checkpoint
  /** Gains of the controller, by the names of `gainsOf`; default its own. */
  readonly options?: Readonly<Record<string, number>>
  /** Whether the run is held to the laws of docs/verdict.md as it goes. */
  readonly judged?: boolean
  /** The scenario that is run, with its own robots, surroundings and controllers; `robot` and `fixtures` then are its picture. */
  readonly scene?: Scene
  /** A recording that is played, and how it ended; nothing is simulated. */
  readonly recorded?: { readonly snapshots: readonly Snapshot[]; readonly end: string }
}

/** Numbers a contact takes in `Snapshot.contacts`: point (3), normal (3), force (3), gap. */
export const contactStride = 10

/** The run as it stood after one step. */
export interface Snapshot {
  readonly step: number
  /** [s] */
  readonly t: number
  /** nq */
  readonly q: Float64Array
  /**
   * `contactStride` numbers a contact, in world axes: point [m], unit normal, mean force on the robot over the step that
   * ended here [N], gap at the start of that step [m]. For pictures only, hence single precision.
   */
  readonly contacts: Float32Array
  /** Deepest overlap of the contacts [m], and the magnitude of their forces' sum [N]. */
  readonly penetration: number
  /** NaN, as the penetration, before the first step. */
  readonly force: number
  /** `World.hash` here. */
  readonly hash: string
  /** Mean computing time of a step of late [µs]; NaN before the first. */
  readonly stepTime: number
  /** Steps of the run so far whose solver gave no answer, or a fallback's. */
  readonly solverFailures: number
  readonly fallbacks: number
  /** How often two shapes passed through each other so far. */
  readonly tunnelled: number
  /** nv each: the velocities, and the efforts that acted over the step that ended here. */
  readonly v: Float64Array
  readonly tau: Float64Array
  /** Two a contact: the bodies A and B; the force in `contacts` acts on B. */
  readonly contactBodies: Int32Array
  /** Kinetic and potential energy together [J]. */
  readonly energy: number
  /** Controller's target as of its last tick: each of the robot's joints, then the base's x, y and heading; NaN where at nothing. */
  readonly target: Float64Array
  /** How far the run broke each law until here, in the order of `lawNames`; NaN where there is nothing to measure. */
  readonly laws?: Float64Array
  /** Likewise, of laws that were broken before the worst; the page adds it. */
  readonly worst?: Float64Array
  /** 9, while something is pulled: where it is held and where it is pulled to [m], the force on it [N], in world axes. */
  readonly pull?: Float64Array
  /** One a contact: Coulomb's coefficient of its pair; NaN where it is not known. */
  readonly mu: Float32Array
}

/** Action on a run between two steps. */
export type RunAction = Input<RunSetup>['action']

/** The feature contacts of one step; none where they are not known. */
export interface FeaturesAt {
  readonly step: number
  readonly moment: FeatureMoment | undefined
}

/** Moments of feature contacts that are kept of a run: ten seconds at 60 a second. */
export const featureCapacity = 600

/** Snapshots that are kept of a run: two minutes at 60 a second; of a longer one, fewer of old steps. */
export const snapshotCapacity = 7200

export type ToWorker =
  | { readonly type: 'start'; readonly run: number; readonly setup: RunSetup }
  /** Simulate up to step `toStep` and take a snapshot at every multiple of `every` and at the end. */
  | { readonly type: 'advance'; readonly run: number; readonly toStep: number; readonly every: number }
  /** Go back to the snapshot at step `from`, take one after every step up to `to`, and return to where the run was. */
  | { readonly type: 'refine'; readonly run: number; readonly from: number; readonly to: number }
  /** Whether the feature contacts of every snapshot are wanted. For all runs to come. */
  | { readonly type: 'watch-features'; readonly wanted: boolean }
  /** The feature contacts of one step of the record. */
  | { readonly type: 'features'; readonly run: number; readonly step: number }
  /** A run of its own, as fast as it goes; with `restoreAt` it goes back to that step's checkpoint once, half way on. */
  | { readonly type: 'hash'; readonly setup: RunSetup; readonly steps: number; readonly restoreAt?: number }
  | { readonly type: 'hash-trigonometry'; readonly count: number }
  /** All that the run's next step depends on, as of one step of the record. */
  | { readonly type: 'checkpoint'; readonly run: number; readonly step: number }
  /**
   * Do something before the step that leads on from `step`. Where the run is beyond it, it goes back there, and later steps are gone;
   * from here on it is run number `run`.
   */
  | { readonly type: 'act'; readonly run: number; readonly step: number; readonly action: RunAction }
  /** The run from its start to a step, as the files of a recording. */
  | {
      readonly type: 'tape'
      readonly run: number
      readonly toStep: number
      readonly format: TapeFormat
      readonly info: RecordingInfo
    }
  /** Actions on the run, for a test or an export. */
  | { readonly type: 'record' }

export type FromWorker =
  | { readonly type: 'tape'; readonly run: number; readonly files: readonly TapedFile[]; readonly problem?: string }
  /** The run has a world; `readsFeatures` is whether its contact model takes feature contacts, `read` the files that its scene was made of. */
  | { readonly type: 'started'; readonly run: number; readonly readsFeatures: boolean; readonly read?: ReadonlySet<string> }
  | {
      readonly type: 'snapshots'
      readonly run: number
      readonly snapshots: readonly Snapshot[]
      /** Of these steps, while they are watched. */
      readonly features: readonly FeaturesAt[]
      /** As of the last of them, with where and when each law was broken the most; of runs that are judged, while they go on. */
      readonly laws?: readonly LawCheck[]
    }
  /** As requested. */
  | ({ readonly type: 'features'; readonly run: number } & FeaturesAt)
  /** The run is over; its steps until then stay valid. */
  | { readonly type: 'failed'; readonly run: number; readonly message: string; readonly t: number }
  | { readonly type: 'hash'; readonly hash: string }
  | { readonly type: 'error'; readonly message: string }
  /** As requested; undefined if that step is not on record. */
  | { readonly type: 'checkpoint'; readonly run: number; readonly step: number; readonly checkpoint: Checkpoint | undefined }
  | { readonly type: 'record'; readonly record: readonly Input<RunSetup>[] }

/** One run: a robot and what is around it, a contact model, a step; what came of it. */

import type { ShownParameter } from '../contact/index.ts'
import { createData, kinematics, kineticEnergy, potentialEnergy, velocities } from '../dynamics/index.ts'
import { type Checkpoint, SimulationError, type World } from '../simulation/index.ts'
import { Meter, type Metrics, type RobotTracking, type Series } from './metrics.ts'
import { type DiskRecording, openRecording, RecordingError, type RecordingInfo } from './recording/index.ts'
import { REFERENCE_REFINEMENT } from './reference.ts'
import { type SavedStep, StepKeeper } from './savedSteps.ts'
import type { ModelChoice, Scenario } from './scenario.ts'
import { createWorld, type Prepared, prepareWorld, type RobotCache, SetupError, withControllers } from './setup.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'
import type { SolverOutcome } from './solverOutcomes.ts'
import { type Trajectory, TrajectoryRecorder } from './trajectory.ts'

/**
 * A piece of work that a thread can do by itself. `run` measures everything, `reference` only the trajectory at the
 * reference's step, `timing` only the computing time.
 */
export interface Job {
  readonly kind: 'run' | 'reference' | 'timing'
  /** Its seed is that of the run. */
  readonly scenario: Scenario
  /** One of `subjectsOf(scenario)`. */
  readonly robot: string
  readonly model: ModelChoice
  /** [s]; of a reference, the smallest of the scenario's steps. */
  readonly dt: number
  /** Of timings: all the steps to take the time of, in one thread and so with one warm-up; default: dt [s]. */
  readonly steps?: readonly number[]
  /** Of runs: pictures of the middle and the end are wanted. */
  readonly snapshots?: boolean
  /** Of runs: where to write everything down, see `openRecording`. */
  readonly record?: { readonly path: string; readonly info?: RecordingInfo }
  /** Of runs: the time whose checkpoint is wanted [s]. */
  readonly checkpointAt?: number
  /** Of runs: the end of the step whose problem is wanted [s]. */
  readonly problemAt?: number
  /** Of runs: the end of the step that is drawn [s]. */
  readonly pictureAt?: number
  /** Of runs: where to go on from, until the scenario's duration. */
  readonly from?: Checkpoint
}

/** What came of a job. Structured-cloneable. */
export interface Outcome {
  readonly status: 'ok' | 'failed'
  /** One line that says what went wrong; '' if nothing did. */
  readonly failure: string
  /** Steps taken since the start, those before a checkpoint included. */
  readonly steps: number
  /** The world's hash at the end of the run, or where it broke off. '' if there was no world. */
  readonly hash: string
  readonly robotName: string
  readonly controller: string
  /** Period of the controller loop [s]; 0 where nothing is controlled. */
  readonly controllerPeriod: number
  readonly controllerMetrics: Readonly<Record<string, number>>
  readonly metrics: Metrics | null
  /** Of every robot that a controller drives. */
  readonly tracking: readonly RobotTracking[]
  /** Whether anything passed on a force. */
  readonly touched: boolean
  /** Which shapes were deepest in each other, by name. */
  readonly deepestPair: { readonly a: string; readonly b: string } | null
  readonly series: Series | null
  readonly trajectory: Trajectory | null
  readonly snapshots: readonly Snapshot[]
  /** Of the step that was to be drawn; null where none was, or the run did not come so far. */
  readonly picture: Snapshot | null
  readonly parameters: Parameters | null
  readonly physical: Readonly<Record<string, number>>
  /** First failure of the solver in words, or ''. */
  readonly solverFailure: string
  /** The first step in which the law of contact was strained, in words, or ''. */
  readonly firstStrain: string
  /** The first two shapes that passed through each other, in words, or ''. */
  readonly tunnelling: string
  /** How often each solver of the model's chain was asked, in the chain's order; of runs. */
  readonly solvers: readonly SolverOutcome[]
  /** The first steps whose solver failed, the first that a fallback answered, and the one that was asked for; of runs. */
  readonly problems: readonly SavedStep[]
  /** Whether the model can tell the problem of a step at all. */
  readonly tellsProblems: boolean
  /** Computing time of a step [s], one for each of the job's steps; of timing jobs. */
  readonly stepTimes: readonly number[]
  readonly checkpoint: Checkpoint | null
  /** Files of the recording, and what kept it from being written to its end, or ''. */
  readonly recorded: readonly string[]
  readonly recordingFailure: string
}

export interface Parameters {
  readonly used: readonly ShownParameter[]
  readonly derived: readonly ShownParameter[]
  readonly unused: readonly string[]
}

export interface RunHooks {
  /** See `ControllerLoopOptions.heartbeat`. */
  readonly heartbeat?: Int32Array
  /** Robots that were read for earlier jobs. */
  readonly robots?: RobotCache
  /** Called now and then with the part of the run that is done, 0 to 1. */
  readonly progress?: (fraction: number) => void
}

const empty: Outcome = {
  status: 'failed',
  failure: '',
  steps: 0,
  hash: '',
  robotName: '',
  controller: '',
  controllerPeriod: 0,
  controllerMetrics: {},
  metrics: null,
  tracking: [],
  touched: false,
  deepestPair: null,
  series: null,
  trajectory: null,
  snapshots: [],
  picture: null,
  parameters: null,
  physical: {},
  solverFailure: '',
  firstStrain: '',
  tunnelling: '',
  solvers: [],
  problems: [],
  tellsProblems: false,
  stepTimes: [],
  checkpoint: null,
  recorded: [],
  recordingFailure: '',
}

/** What the heartbeat shows while a controller is loaded; the loop itself shows -1 in init and k + 1 in step k. */
export const LOADING = -2

/** The outcome of a job that could not be begun or was broken off from outside. */
export function failed(failure: string): Outcome {
  return { ...empty, failure }
}

/** Does a job. Never throws: whatever goes wrong is the outcome of this job and of no other. */
export async function doJob(job: Job, hooks: RunHooks = {}): Promise<Outcome> {
  try {
    // a script sees the robot and might change it: each run gets a copy of its own
    const { controller, companions } = job.scenario
    const script = [controller, ...companions.map((companion) => companion.controller)].some(
      (choice) => choice?.file !== undefined,
    )
    const world = await prepareWorld(job.scenario, job.robot, hooks.robots, script)
    // loading a controller file runs its top level, and so may never return either
    if (hooks.heartbeat) Atomics.store(hooks.heartbeat, 0, LOADING)
    const prepared = await withControllers(job.scenario, world)
    if (hooks.heartbeat) Atomics.store(hooks.heartbeat, 0, 0)
    if (job.kind === 'timing') return { ...empty, status: 'ok', stepTimes: timeSteps(job, prepared, hooks) }
    return simulate(job, prepared, hooks)
  } catch (error) {
    return failed(oneLine(error))
  }
}

export function oneLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s*\n\s*/g, '; ')
}

/** How many whole steps a run of this duration has. */
export function stepsOf(duration: number, dt: number): number {
  return Math.max(1, Math.round(duration / dt))
}

/** Samples a trajectory has, about: enough for a root mean square, few enough to send between threads. */
const SAMPLES = 1000

/** Steps between the rows of a run's trajectory. */
const sampleEvery = (steps: number) => Math.max(1, Math.round(steps / SAMPLES))

/** Rows that a reference keeps at most, about. */
const MOST_ROWS = 20_000

/**
 * Steps between the rows of a reference: as few rows as have one at every sample of every run, or close neighbours where the
 * steps are no multiples of each other.
 */
function referenceEvery({ dt, duration }: Scenario, refinement: number, steps: number): number {
  const [smallest] = dt
  const samples = dt.map((step) => (sampleEvery(stepsOf(duration, step)) * step) / smallest)
  const isWhole = (x: number) => Math.abs(x - Math.round(x)) < 1e-6
  let k = sampleEvery(stepsOf(duration, smallest))
  while (k > 1 && !samples.every((sample) => isWhole(sample / k))) k--
  return refinement * Math.max(k, Math.floor(steps / refinement / MOST_ROWS))
}

function simulate(job: Job, prepared: Prepared, { heartbeat, progress }: RunHooks): Outcome {
  const { kind, scenario, model: choice } = job
  const reference = kind === 'reference'
  const dt = reference ? job.dt / REFERENCE_REFINEMENT : job.dt
  const { world, loop, loops } = createWorld(scenario, prepared, choice, dt, heartbeat)
  if (job.from) goOnFrom(world, job.from)
  const first = world.stepCount
  const steps = stepsOf(scenario.duration, dt)
  if (steps <= first)
    throw new SetupError(
      `the checkpoint is of t = ${first * dt} s, and the run ends at ${scenario.duration} s; take a longer --duration`,
    )
  const recorder = new TrajectoryRecorder(
    world,
    reference ? referenceEvery(scenario, REFERENCE_REFINEMENT, steps) : sampleEvery(steps),
  )
  const meter = reference ? undefined : new Meter(world, loops, steps - first)
  const asked = job.problemAt === undefined ? -1 : Math.max(1, Math.round(job.problemAt / dt))
  const keeper = reference ? undefined : new StepKeeper(world, asked)
  const disk = job.record && new Tape(openRecording(job.record.path, world, { info: job.record.info }))
  const energies = energyReader(world)
  const snapshots: Snapshot[] = []
  const drawn = job.pictureAt === undefined ? -1 : Math.max(1, Math.round(job.pictureAt / dt))
  let picture: Snapshot | null = null
  const middle = Math.floor((first + steps) / 2)
  const wanted = job.checkpointAt === undefined ? -1 : Math.round(job.checkpointAt / dt)
  let checkpoint = wanted === first ? world.checkpoint() : null
  const record = () => {
    const [kinetic, potential] = energies()
    recorder.record(kinetic, potential)
  }

  record()
  disk?.record()
  let failure = ''
  try {
    const report = Math.max(1, Math.min(2000, Math.floor(steps / 50))) // often enough to count as a sign of life
    for (let k = first; k < steps; k++) {
      meter?.before()
      world.step()
      meter?.after()
      keeper?.after()
      disk?.record()
      if (recorder.wants(world.stepCount)) record()
      if (job.snapshots && world.stepCount === middle) snapshots.push(takeSnapshot(world))
      if (world.stepCount === drawn) picture = takeSnapshot(world)
      if (world.stepCount === wanted) checkpoint = world.checkpoint()
      if (progress && k % report === 0) progress((k - first) / (steps - first))
    }
    if (job.snapshots) snapshots.push(takeSnapshot(world))
  } catch (error) {
    if (!(error instanceof SimulationError) && world.failure === undefined) throw error
    failure = oneLine(error)
    keeper?.after()
  } finally {
    disk?.close()
  }
  const { parameters } = world.contactModel
  return {
    ...empty,
    status: failure === '' ? 'ok' : 'failed',
    failure,
    steps: world.stepCount,
    hash: world.hash(),
    robotName: world.robots[0].name,
    controller: prepared.members[0].drive?.name ?? 'none',
    controllerPeriod: loop ? loop.everySteps * dt : 0,
    controllerMetrics: reference || failure !== '' || !loop ? {} : loop.metrics(),
    metrics: meter?.metrics() ?? null,
    tracking: meter?.tracking() ?? [],
    touched: meter?.touched ?? false,
    deepestPair: meter?.deepestPair ?? null,
    series: meter?.plots() ?? null,
    trajectory: recorder.trajectory(),
    snapshots,
    picture,
    parameters: {
      used: [...parameters.used],
      derived: [...parameters.derived],
      unused: [...parameters.unused, ...unreadMaterial(world)],
    },
    physical: { ...world.physical } as Record<string, number>,
    solverFailure: world.events.firstFailure,
    firstStrain: world.events.firstStrain,
    tunnelling: world.events.firstTunnelling,
    solvers: keeper?.solvers() ?? [],
    problems: keeper?.steps ?? [],
    tellsProblems: world.contactModel.problem !== undefined,
    checkpoint,
    recorded: disk?.files ?? [],
    recordingFailure: disk?.failure ?? '',
  }
}

/** A recording that ends quietly when the disk takes no more: the run goes on, and its outcome says so. */
class Tape {
  readonly files: readonly string[]
  failure = ''
  private readonly recording: DiskRecording

  constructor(recording: DiskRecording) {
    this.recording = recording
    this.files = recording.files
  }

  record(): void {
    if (this.failure === '') this.attempt(() => this.recording.record())
  }

  close(): void {
    this.attempt(() => this.recording.close())
  }

  private attempt(action: () => void): void {
    try {
      action()
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error
      if (this.failure === '') this.failure = oneLine(error)
    }
  }
}

/** The same bits under the contact model and step of the checkpoint; under others the state alone is taken over. */
function goOnFrom(world: World, checkpoint: Checkpoint): void {
  try {
    if (checkpoint.contactModel === world.contactModel.name && checkpoint.dt === world.dt) world.restore(checkpoint)
    else world.adopt(checkpoint)
  } catch (error) {
    if (error instanceof RangeError) throw new SetupError(`--from: ${error.message}`)
    throw error
  }
}

function energyReader(world: World): () => readonly [number, number] {
  const data = createData(world.model)
  const out = new Float64Array(1)
  return () => {
    kinematics(world.model, world.state, data)
    velocities(world.model, world.state, data)
    kineticEnergy(world.model, world.state, data, out)
    const kinetic = out[0]
    potentialEnergy(world.model, world.state, data, out)
    return [kinetic, out[0]]
  }
}

const WARM_UP = 0.25 // s of computing, for the compiler
const TIMED = 0.15 // s of computing at most, per repetition
const REPETITIONS = 3

/**
 * Mean computing time of a step over the whole run [s], or over its first part where the whole takes longer than `TIMED`, for
 * each of the job's steps: the least of three repetitions, since whatever else the machine does can only add.
 */
function timeSteps(
  { scenario, model, dt, steps: sizes = [dt] }: Job,
  prepared: Prepared,
  { heartbeat, progress }: RunHooks,
): number[] {
  const pass = (size: number, budget: number) => {
    const steps = stepsOf(scenario.duration, size)
    const { world } = createWorld(scenario, prepared, model, size, heartbeat)
    const start = performance.now()
    const chunk = Math.max(1, Math.floor(steps / 100))
    let elapsed = 0
    let k = 0
    while (k < steps && elapsed < budget * 1e3) {
      const end = Math.min(steps, k + chunk)
      for (; k < end; k++) world.step()
      elapsed = performance.now() - start
    }
    return { perStep: elapsed / 1e3 / k, elapsed: elapsed / 1e3 }
  }
  // all sizes in turn, so that the compiler has seen what each of them does
  for (let warm = 0, count = 0; warm < WARM_UP && count < 50; count++)
    warm += pass(sizes[count % sizes.length], WARM_UP / sizes.length).elapsed
  return sizes.map((size, i) => {
    let best = Infinity
    for (let n = 0; n < REPETITIONS; n++) {
      best = Math.min(best, pass(size, TIMED).perStep)
      progress?.((i + (n + 1) / REPETITIONS) / sizes.length)
    }
    return best
  })
}

/** What surfaces state and a velocity-level model has no use for: its contacts are rigid, and its static friction always solved for. */
const velocityLevelIgnores = ['stiffness', 'damping', 'solvedStaticFriction'] as const

function unreadMaterial({ robot, fixtures, contactModel }: World): string[] {
  if (contactModel.level === 'force') return []
  const surfaces = [...robot.shapes, ...fixtures]
  return velocityLevelIgnores
    .filter((property) => surfaces.some((surface) => surface[property] !== undefined))
    .map((property) => `${property} of a surface`)
}

/** One run: a robot in its surroundings, a contact model, a step; and the outcome. */

import { resolve } from 'node:path'
import type { ReportedParameter } from '../../contact/index.ts'
import { DEFAULT_RATE } from '../../control/index.ts'
import { compilation } from '../../dynamics/index.ts'
import { outsideModel } from '../../engines/index.ts'
import { isOwnRobot, locateRobot, ownRobotPath } from '../../robots/files.ts'
import {
  type Checkpoint,
  ContactTimes,
  ErrorControl,
  SimulationError,
  type StepCounts,
  type World,
} from '../../simulation/index.ts'
import { type AnswersChoice, type AnswersFound, AnswersWatch, answersWords } from '../answers/watch.ts'
import type { RunHealth } from '../measure/health.ts'
import { ignoredInputs } from '../measure/ignoredInputs.ts'
import { type LawCheck, lawsOf } from '../measure/laws.ts'
import { Meter, type Metrics, type PairLoad, type RobotTracking, type RunOutcome, type Series } from '../measure/metrics.ts'
import { type RangeSeries, type RangesChoice, RangesMeter, type RunRanges } from '../measure/rangesMeter.ts'
import { type Trajectory, TrajectoryRecorder } from '../measure/trajectory.ts'
import type { DiskRecording, McapNames, RecordingInfo } from '../recording/files.ts'
import { type ReplayFrames, ReplayRecorder, sceneText } from '../recording/replay/index.ts'
import type { ControllerChoice, ModelChoice, Scenario } from '../scenario/index.ts'
import {
  controllerPeriod,
  createWorld,
  isOutside,
  type Prepared,
  prepareWorld,
  type RobotCache,
  SetupError,
  withControllers,
} from '../scenario/world/files.ts'
import { type Variation, varied } from '../scenario/world/vary.ts'
import { type ChunkResult, doChunk, planOf } from './chunk.ts'
import { type StepTime, timeSteps, type Work } from './cost.ts'
import { LEAVING, LOADING } from './heartbeat.ts'
import { type Observer, oneLine, Saver, Tape, WorkCounter } from './observers.ts'
import { type SavedStep, StepKeeper } from './savedSteps.ts'
import type { SolverOutcome } from './solverOutcomes.ts'
import type { SweepSpec } from './sweepPlan.ts'

/** The reference step is the smallest of the scenario's steps over this. */
export const REFERENCE_REFINEMENT = 16

/** A piece of work that a thread can do by itself. */
export type Job = WorldJob | TimingJob | ChunkJob
/** Of one world. */
export type WorldJob = RunJob | ReferenceJob
export const isWorld = (job: Job): job is WorldJob => job.kind === 'run' || job.kind === 'reference'

/** A robot in a scenario under a model, and a step. */
interface Subject {
  /** Its seed is that of the run. */
  readonly scenario: Scenario
  /** One of `subjectsOf(scenario)`. */
  readonly robot: string
  readonly model: ModelChoice
  /** [s]; of a reference, the smallest of the scenario's steps. */
  readonly dt: number
}

/** Makes the rows of one chunk of a large sweep. */
export interface ChunkJob {
  readonly kind: 'chunk'
  readonly spec: SweepSpec
  readonly chunk: number
  /** The sweep's base, whose limits hold and whose scripts are run. */
  readonly scenario: Scenario
}

/** Takes the computing time of all these runs, in turns. */
export interface TimingJob {
  readonly kind: 'timing'
  readonly runs: readonly TimedRun[]
}

/** A run to take the time of; runs of one scenario object share its inputs. */
export interface TimedRun extends Subject {
  /** See `RunJob.from`. */
  readonly from?: Checkpoint
}

/** Measures the trajectory alone, at the reference's step. */
export interface ReferenceJob extends Subject {
  readonly kind: 'reference'
  /**
   * The step of the run whose controllers' periods it keeps, and that is refined, in place of the smallest [s]. Nothing is run, and there is
   * no trajectory, where these periods are those of the reference.
   */
  readonly rateStep?: number
}

/** Measures everything. */
export interface RunJob extends Subject {
  readonly kind: 'run'
  /** Initial shift of each base, along the ground, and of each joint, in the order of `Scales`. */
  readonly nudge?: readonly number[]
  /** It is to be played again in a page. */
  readonly replay?: boolean
  /** Where to write everything down, see `openRecording`. */
  readonly record?: { readonly path: string; readonly info?: RecordingInfo } & McapNames
  /** The time whose checkpoint is wanted [s]. */
  readonly checkpointAt?: number
  /** The end of the step whose problem is wanted [s]. */
  readonly problemAt?: number
  /** Inputs that are off by a factor. */
  readonly vary?: Variation
  /** Steps whose contact problem is searched for all its answers. */
  readonly answers?: AnswersChoice
  /** Ranges of torques and contact forces, see `TorqueRanges`. */
  readonly ranges?: RangesChoice
  /** The accuracy that steps are chosen for, see `ErrorControl`; `dt` is then not read. */
  readonly accuracy?: number
  /** Where to go on from, until the scenario's duration. */
  readonly from?: Checkpoint
}

/** The record of a run, as results have it; `compare` adds data unknown to a single run. Structured-cloneable. */
export interface RunRecord {
  readonly status: 'ok' | 'failed'
  /** Failure, in one line, or null. */
  readonly failure: string | null
  /** The world's hash at the end of the run, or where it broke off. '' if there was no world. */
  readonly hash: string
  readonly controller: string
  /** Period of the controller loop: its rate is rounded to whole steps [s]; 0 where nothing is controlled. */
  readonly controllerPeriod_s: number
  readonly controllerMetrics: Readonly<Record<string, number>>
  readonly metrics: Metrics | null
  /** How far it broke each law of mechanics and of contact, in the order of `lawDefinitions`. */
  readonly laws: readonly LawCheck[]
  /** What a verdict must know beside these; null if nothing was run. */
  readonly health: RunHealth | null
  /** The scenario's own measures, and whether it succeeded; null where it states none. */
  readonly outcome: RunOutcome | null
  /** The load of each pair of shapes, the largest first. */
  readonly loads: readonly PairLoad[]
  /** How well each robot of the world followed its controller; the compared one first. */
  readonly tracking: readonly RobotTracking[]
  /** Whether anything passed on a force. */
  readonly touched: boolean
  /** Which shapes were deepest in each other, by name; null if nothing penetrated. */
  readonly deepestPair: { readonly a: string; readonly b: string } | null
  readonly parameters: Parameters | null
  readonly physical: Readonly<Record<string, number>>
  /** The solver's first failure in words, or null. */
  readonly solverFailure: string | null
  /** The first step at whose end there was energy that nothing accounts for, in words, or null. */
  readonly firstEnergyGain: string | null
  /** The first step in which the law of contact was strained, in words, or null. */
  readonly firstStrain: string | null
  /** The first loop that let go under its largest force, in words, or null. */
  readonly firstLetGo: string | null
  /** The first joint that its controller shakes, in words, or null. */
  readonly firstShaking: string | null
  /** The first two shapes that passed through each other, in words, or null. */
  readonly tunnelling: string | null
  /** Of a run that searched for them: steps with several velocities or none, in words. */
  readonly answers?: string | null
  /** How often each solver of the model's chain was asked, in the chain's order. */
  readonly solvers: readonly SolverOutcome[]
  /** Counted work, a step. */
  readonly work: Work | null
}

/** Outcome of a job. Structured-cloneable. */
export interface Outcome extends RunRecord {
  /** Steps taken since the start, those before a checkpoint included. */
  readonly steps: number
  /** Of runs whose steps were chosen for an accuracy. */
  readonly stepCounts: StepCounts | null
  readonly robotName: string
  readonly series: Series | null
  readonly trajectory: Trajectory | null
  /** Null where not requested. */
  readonly ranges: RunRanges | null
  readonly rangeSeries: RangeSeries | null
  /** A replay for a page, and the text of its scene; null where not requested. */
  readonly replay: Replay | null
  /** The first steps whose solver failed, the first that a fallback answered, and the one that was asked for; of runs. */
  readonly problems: readonly SavedStep[]
  /** Whether the model can report the problem of a step. */
  readonly tellsProblems: boolean
  /** Of each run of a timing job; null where one broke off. */
  readonly stepTimes: readonly (StepTime | null)[]
  readonly checkpoint: Checkpoint | null
  /** Of a run that searched for answers. */
  readonly answersFound: AnswersFound | null
  /** Of a chunk of a sweep. */
  readonly chunk: ChunkResult | null
  /** Files of the recording, and the error that cut it short, or ''. */
  readonly recorded: readonly string[]
  readonly recordingFailure: string
}

export interface Replay {
  /** `sceneText` */
  readonly scene: string
  readonly frames: ReplayFrames
}

export interface Parameters {
  readonly used: readonly ReportedParameter[]
  readonly derived: readonly ReportedParameter[]
  readonly unused: readonly string[]
}

export interface RunHooks {
  /** See `ControllerLoopOptions.heartbeat`. */
  readonly heartbeat?: Int32Array
  /** Robots that were read for earlier jobs. */
  readonly robots?: RobotCache
  /** Asked behind each step: whether the run is to stop there. */
  readonly isStopped?: () => boolean
  /** Called now and then with the part of the run that is done, 0 to 1. */
  readonly progress?: (fraction: number) => void
}

const emptyRecord: RunRecord = {
  status: 'failed',
  failure: null,
  hash: '',
  controller: '',
  controllerPeriod_s: 0,
  controllerMetrics: {},
  metrics: null,
  laws: [],
  health: null,
  outcome: null,
  loads: [],
  tracking: [],
  touched: false,
  deepestPair: null,
  parameters: null,
  physical: {},
  solverFailure: null,
  firstEnergyGain: null,
  firstStrain: null,
  firstLetGo: null,
  firstShaking: null,
  tunnelling: null,
  answers: undefined,
  solvers: [],
  work: null,
}

const empty: Outcome = {
  ...emptyRecord,
  steps: 0,
  stepCounts: null,
  robotName: '',
  series: null,
  trajectory: null,
  ranges: null,
  rangeSeries: null,
  replay: null,
  problems: [],
  tellsProblems: false,
  stepTimes: [],
  checkpoint: null,
  answersFound: null,
  chunk: null,
  recorded: [],
  recordingFailure: '',
}

/** Entry of an outcome in results. */
export function recordOf(outcome: Outcome): RunRecord {
  const keys = Object.keys(emptyRecord) as (keyof RunRecord)[]
  return Object.fromEntries(keys.map((key) => [key, outcome[key]])) as unknown as RunRecord
}

/** The failure of a run that was stopped from outside. */
export const INTERRUPTED = 'interrupted'

/** The outcome of a job that could not be begun or was broken off from outside. */
export function failed(failure: string): Outcome {
  return { ...empty, failure }
}

/** Does a job. Never throws: whatever goes wrong is the outcome of this job and of no other. @unchecked */
export async function doJob(job: Job, hooks: RunHooks = {}): Promise<Outcome> {
  try {
    if (job.kind === 'chunk') {
      const plan = await planOf(job.spec)
      const run = (own: RunJob) => doJob(own, { ...hooks, progress: undefined })
      return { ...empty, status: 'ok', chunk: await doChunk(plan, job.chunk, run, hooks.progress) }
    }
    if (job.kind !== 'timing' && stepsOf(job.scenario.duration, stepOf(job)) > compilation.after / 8) await compilation.load()
    if (job.kind === 'timing') return await timeRuns(job, hooks)
    const prepared = await preparedFor(job, hooks)
    try {
      return await doneWith(job, prepared, hooks)
    } finally {
      prepared.outside?.delete()
    }
  } catch (error) {
    return failed(oneLine(error))
  } finally {
    // from here on leftovers of a controller, such as a global of another meaning, may keep the thread
    if (hooks.heartbeat && runsScript(job)) Atomics.store(hooks.heartbeat, 0, LEAVING)
  }
}

async function doneWith(job: WorldJob, prepared: Prepared, hooks: RunHooks): Promise<Outcome> {
  if (job.kind === 'reference') {
    const isKept = job.rateStep !== undefined && keepsRate(prepared, job.rateStep, job.dt)
    return isKept ? { ...empty, status: 'ok' } : reference(job, prepared, hooks)
  }
  const placed = job.nudge === undefined ? prepared : nudged(prepared, job.nudge)
  if (job.vary === undefined) return simulate(job, placed, hooks)
  const own = varied(job.scenario, placed, job.vary)
  return simulate({ ...job, scenario: own.scenario }, own.prepared, hooks)
}

/** Whether all controllers have the same period at a run's step as in the reference. */
function keepsRate({ controllers }: Prepared, step: number, finest: number): boolean {
  return controllers.every((driver) => {
    if (driver === undefined) return true
    const period = controllerPeriod(driver, finest / REFERENCE_REFINEMENT)
    return Math.abs(controllerPeriod(driver, step) - period) < 1e-9 * period
  })
}

/** Members that start aside, every other one to the other side. */
function nudged(prepared: Prepared, by: readonly number[]): Prepared {
  let k = 0
  const members = prepared.members.map((member, i) => {
    const { robot } = member
    const q = Float64Array.from(member.q)
    const side = i % 2 === 0 ? 1 : -1
    if (robot.floating) {
      const aside = by[k] * side
      q[0] += 0.8 * aside
      q[1] += 0.6 * aside
      k += 2
    }
    for (const { qIndex } of robot.joints) q[qIndex] += by[k++] * side
    return { ...member, q }
  })
  return { ...prepared, members }
}

/** Whether a job runs a script. */
export function runsScript(job: Job): boolean {
  return (job.kind === 'timing' ? job.runs : [job]).some(({ scenario }) => scriptsOf(scenario).length > 0)
}

/** The controllers of a scenario that are scripts. */
export const scriptsOf = ({ controller, companions }: Scenario): readonly ControllerChoice[] =>
  [controller, ...companions.map((companion) => companion.controller)].filter(
    (choice) => choice?.file !== undefined,
  ) as ControllerChoice[]

/** For readers in other processes, which have other folders. */
const pathOfRobot = (robot: string) => (isOwnRobot(robot) ? ownRobotPath(robot) : resolve(locateRobot(robot) ?? robot))

async function preparedFor(
  { scenario, robot, model }: Pick<RunJob, 'scenario' | 'robot' | 'model'>,
  { heartbeat, robots }: RunHooks,
): Promise<Prepared> {
  const world = await prepareWorld(scenario, robot, robots)
  const outside = isOutside(model.name) ? await outsideModel(model.name, pathOfRobot(robot)) : undefined
  // loading a controller file runs its top level, and so may never return either
  if (heartbeat) Atomics.store(heartbeat, 0, LOADING)
  try {
    return { ...(await withControllers(scenario, world)), outside }
  } finally {
    if (heartbeat) Atomics.store(heartbeat, 0, 0)
  }
}

async function timeRuns({ runs }: TimingJob, hooks: RunHooks): Promise<Outcome> {
  const read = new Map<Scenario, Prepared>()
  const outside = new Map<TimedRun, Prepared>()
  for (const run of runs) {
    if (isOutside(run.model.name)) outside.set(run, await preparedFor(run, hooks))
    else if (!read.has(run.scenario)) read.set(run.scenario, await preparedFor(run, hooks))
  }
  const timed = runs.map((run) => ({
    create: () => {
      const prepared = (outside.get(run) ?? read.get(run.scenario)) as Prepared
      const { world } = createWorld(run.scenario, prepared, run.model, run.dt, hooks.heartbeat)
      if (run.from) goOnFrom(world, run.from)
      return world
    },
    steps: stepsOf(run.scenario.duration, run.dt),
  }))
  try {
    return { ...empty, status: 'ok', stepTimes: timeSteps(timed, hooks.progress) }
  } finally {
    for (const own of outside.values()) own.outside?.delete()
  }
}

/** The step that a run or a reference takes [s]; not of runs with `accuracy`. */
export function stepOf(job: WorldJob): number {
  return job.kind === 'reference' ? (job.rateStep ?? job.dt) / REFERENCE_REFINEMENT : job.dt
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

/** The trajectory at the reference's step. */
function reference(job: ReferenceJob, prepared: Prepared, hooks: RunHooks): Outcome {
  const { scenario, model, rateStep } = job
  const { world } = createWorld(scenario, prepared, model, stepOf(job), hooks.heartbeat, rateStep)
  const steps = stepsOf(scenario.duration, stepOf(job))
  const every =
    rateStep === undefined
      ? referenceEvery(scenario, REFERENCE_REFINEMENT, steps)
      : REFERENCE_REFINEMENT * sampleEvery(stepsOf(scenario.duration, rateStep))
  const recorder = new TrajectoryRecorder(world, every)
  const { failure } = advance({ world, first: 0, steps, observers: [recorder] }, hooks)
  return { ...empty, ...endOf(world, failure), trajectory: recorder.trajectory() }
}

async function simulate(job: RunJob, prepared: Prepared, hooks: RunHooks): Promise<Outcome> {
  // formats of recordings are a tenth of all code, and few runs are recorded
  const files = job.record && (await import('../recording/files.ts'))
  const { path, info, ...names } = job.record ?? { path: '' }
  const format = await files?.mcapFormat(names)
  const record = files && ((world: World, ranges?: RangesMeter) => files.openRecording(path, world, { info, ranges, ...format }))
  const run = begin(job, prepared, hooks.heartbeat, record)
  let ended: ReturnType<typeof advance> | undefined
  try {
    ended = advance(run, hooks)
  } finally {
    run.tape?.close(ended?.stopped) // before the outcome: closing may fail too
  }
  const { failure, stopped } = ended
  if (failure !== '' && stopped === undefined) run.keeper.after() // the step that threw
  const { world, player } = run
  const sources = prepared.members.map(({ source }) => source)
  const replay = player ? { scene: await sceneText(world, sources), frames: player.frames() } : null
  return { ...outcomeOf(job, prepared, run, failure), replay }
}

/** A run at its start, with its step choice and its observers. */
function begin(
  job: RunJob,
  prepared: Prepared,
  heartbeat: RunHooks['heartbeat'],
  record: ((world: World, ranges?: RangesMeter) => DiskRecording) | undefined,
) {
  const { scenario, model: choice } = job
  const dt = job.accuracy !== undefined ? wholeStepOf(prepared) : stepOf(job)
  const { world, loop, loops } = createWorld(scenario, prepared, choice, dt, heartbeat)
  if (job.from) goOnFrom(world, job.from)
  const { size, others = [] } = prepared.scale
  const control = job.accuracy === undefined ? undefined : new ErrorControl(world, job.accuracy, [size, ...others])
  const contactTimes = scenario.ccd === 'time-of-contact' ? new ContactTimes(world) : undefined
  if (control !== undefined && contactTimes !== undefined)
    throw new SetupError('ccd: time-of-contact cuts steps, and an accuracy chooses them; give one of the two')
  const first = world.stepCount
  const steps = stepsOf(scenario.duration, dt)
  if (steps <= first)
    throw new SetupError(
      `the checkpoint is of t = ${Number((first * dt).toPrecision(9))} s, and the run ends at ${scenario.duration} s; take a longer --duration`,
    )
  const asked = job.problemAt === undefined ? -1 : Math.max(1, Math.round(job.problemAt / dt))
  const wanted = job.checkpointAt === undefined ? -1 : Math.round(job.checkpointAt / dt)
  const meter = new Meter(world, loops, steps - first, scenario)
  const keeper = new StepKeeper(world, asked)
  const ranges = job.ranges === undefined ? undefined : new RangesMeter(world, job.ranges, steps - first)
  const tape = record && new Tape(record(world, ranges))
  const recorder = new TrajectoryRecorder(world, sampleEvery(steps))
  const player = job.replay ? new ReplayRecorder(world, steps - first) : undefined
  const saver = new Saver(world, wanted)
  const counter = new WorkCounter(world)
  const watch = job.answers && new AnswersWatch(world, job.answers)
  const observers = [meter, counter, keeper, ranges, tape, recorder, player, saver, watch].filter((one) => one !== undefined)
  return {
    ...{ world, dt, loop, control, contactTimes, first, steps, observers },
    ...{ meter, keeper, ranges, tape, recorder, player, saver, counter, watch },
  }
}
type Run = ReturnType<typeof begin>

/**
 * Takes the steps of a run.
 *
 * @returns why it broke off, '' where it came to its end; and the same as an error where it was stopped from outside
 */
function advance(
  {
    world,
    first,
    steps,
    observers,
    control,
    contactTimes,
  }: Pick<Run, 'world' | 'first' | 'steps'> & {
    readonly observers: readonly Observer[]
  } & Partial<Pick<Run, 'control' | 'contactTimes'>>,
  { progress, isStopped }: RunHooks,
): { failure: string; stopped?: Error } {
  try {
    const report = Math.max(1, Math.min(2000, Math.floor(steps / 50))) // often enough to count as a sign of life
    while (world.stepCount < steps) {
      const k = world.stepCount
      control?.choose()
      contactTimes?.choose()
      for (const observer of observers) observer.before?.()
      world.step()
      for (const observer of observers) observer.after?.()
      if (isStopped?.()) {
        const stopped = new Error(`${INTERRUPTED} at t = ${Number(world.state.t[0].toPrecision(9))} s`)
        for (const observer of observers) observer.stop?.()
        world.auditLastStep()
        return { failure: stopped.message, stopped }
      }
      if (progress && k % report === 0) progress((k - first) / (steps - first))
    }
    world.auditLastStep()
    return { failure: '' }
  } catch (error) {
    if (!(error instanceof SimulationError) && world.failure === undefined) throw error
    return { failure: oneLine(error) }
  }
}

/** How a world ended. */
const endOf = (world: World, failure: string) =>
  ({
    status: failure === '' ? 'ok' : 'failed',
    failure: failure || null,
    hash: world.hash(),
    tunnelling: world.events.firstTunnelling || null,
  }) as const

function outcomeOf({ scenario }: RunJob, prepared: Prepared, run: Run, failure: string): Outcome {
  const { world, dt, loop, control, recorder, meter, keeper, ranges, tape, saver, counter, watch } = run
  const answersFound = watch?.found() ?? null
  const { parameters } = world.contactModel
  return {
    ...empty,
    ...endOf(world, failure),
    robotName: prepared.name,
    steps: control?.counts.taken ?? world.stepCount,
    stepCounts: control?.counts ?? null,
    controller: prepared.members[0].drive?.name ?? 'none',
    controllerPeriod_s: loop ? loop.everySteps * dt : 0,
    controllerMetrics: failure !== '' || !loop ? {} : loop.metrics(),
    metrics: meter.metrics(),
    outcome: meter.outcome(failure === ''),
    laws: prepared.outside ? [] : lawsOf(meter.laws(), scenario.limits, ignoredInputs(world)),
    health: meter.health(),
    loads: meter.loads(),
    tracking: meter.tracking(),
    touched: meter.touched,
    deepestPair: meter.deepestPair,
    series: meter.plots(),
    ranges: ranges?.summary() ?? null,
    rangeSeries: ranges?.series ?? null,
    trajectory: recorder.trajectory(),
    parameters: {
      used: [...parameters.used],
      derived: [...parameters.derived],
      unused: [...parameters.unused, ...unreadMaterial(world)],
    },
    physical: { ...world.physical } as Record<string, number>,
    solverFailure: world.events.firstFailure || null,
    firstEnergyGain: world.events.firstEnergyGain || null,
    firstStrain: world.events.firstStrain || null,
    firstLetGo: world.events.firstLetGo || null,
    firstShaking: world.events.firstShaking || null,
    solvers: keeper.solvers(),
    problems: keeper.steps,
    tellsProblems: world.contactModel.problem !== undefined,
    work: counter.work(),
    checkpoint: saver.checkpoint,
    answers: answersFound === null ? undefined : answersWords(answersFound),
    answersFound,
    recorded: tape?.files ?? [],
    recordingFailure: tape?.failure ?? '',
  }
}

/** Where no controller sets the pace, steps are chosen from this one down [s]. */
const LONGEST = 1 / 64

/** The step that error control divides: the period of the fastest controller, so that each has its turns when it is due [s]. */
function wholeStepOf({ controllers }: Prepared): number {
  return Math.min(...controllers.map((driver) => (driver ? 1 / (driver.controller.rate ?? DEFAULT_RATE) : LONGEST)))
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

/** Surface inputs unused by a velocity-level model: its contacts are rigid, and its static friction always solved for. */
const velocityLevelIgnores = ['stiffness', 'damping', 'solvedStaticFriction'] as const

function unreadMaterial({ robot, fixtures, contactModel }: World): string[] {
  if (contactModel.level === 'force') return []
  const surfaces = [...robot.shapes, ...fixtures]
  return velocityLevelIgnores
    .filter((property) => surfaces.some((surface) => surface[property] !== undefined))
    .map((property) => `${property} of a surface`)
}

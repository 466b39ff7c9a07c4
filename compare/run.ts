/** One run: a robot, a controller, a contact model, a step; what came of it. */

import type { ShownParameter } from '../contact/index.ts'
import { createData, kinematics, kineticEnergy, potentialEnergy, velocities } from '../dynamics/index.ts'
import { SimulationError, type World } from '../simulation/index.ts'
import { Meter, type Metrics, type Series } from './metrics.ts'
import { REFERENCE_REFINEMENT } from './reference.ts'
import type { ModelChoice, Scenario } from './scenario.ts'
import { createWorld, type Prepared, prepareController, prepareRobot, type RobotCache } from './setup.ts'
import { type Trajectory, TrajectoryRecorder } from './trajectory.ts'

/**
 * A piece of work that a thread can do by itself. `run` measures everything, `reference` only the trajectory at the
 * reference's step, `timing` only the computing time.
 */
export interface Job {
  readonly kind: 'run' | 'reference' | 'timing'
  readonly scenario: Scenario
  readonly robot: string
  readonly model: ModelChoice
  /** [s]; of a reference, the smallest of the scenario's steps. */
  readonly dt: number
}

/** What came of a job. Structured-cloneable. */
export interface Outcome {
  readonly status: 'ok' | 'failed'
  /** One line that says what went wrong; '' if nothing did. */
  readonly failure: string
  /** Steps taken. */
  readonly steps: number
  /** The world's hash at the end of the run, or where it broke off. '' if there was no world. */
  readonly hash: string
  readonly robotName: string
  readonly controller: string
  /** Period of the controller loop [s]. */
  readonly controllerPeriod: number
  readonly controllerMetrics: Readonly<Record<string, number>>
  readonly metrics: Metrics | null
  readonly series: Series | null
  readonly trajectory: Trajectory | null
  readonly parameters: Parameters | null
  readonly physical: Readonly<Record<string, number>>
  /** First failure of the solver in words, or ''. */
  readonly solverFailure: string
  /** Computing time of a step [s]; of timing jobs. */
  readonly stepTime: number | null
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
  series: null,
  trajectory: null,
  parameters: null,
  physical: {},
  solverFailure: '',
  stepTime: null,
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
    // a script sees the robot and might change it: no other run gets the same one
    const script = job.scenario.controller?.file !== undefined
    const robot = await prepareRobot(job.scenario, job.robot, script ? undefined : hooks.robots)
    // loading a controller file runs its top level, and so may never return either
    if (hooks.heartbeat) Atomics.store(hooks.heartbeat, 0, LOADING)
    const prepared = { ...robot, controller: await prepareController(job.scenario, robot.robot) }
    if (hooks.heartbeat) Atomics.store(hooks.heartbeat, 0, 0)
    if (job.kind === 'timing') return { ...empty, status: 'ok', stepTime: timeSteps(job, prepared, hooks) }
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

function simulate(
  { kind, scenario, model: choice, dt: jobStep }: Job,
  prepared: Prepared,
  { heartbeat, progress }: RunHooks,
): Outcome {
  const reference = kind === 'reference'
  const dt = reference ? jobStep / REFERENCE_REFINEMENT : jobStep
  const { world, loop } = createWorld(scenario, prepared, choice, dt, heartbeat)
  const steps = stepsOf(scenario.duration, dt)
  // a reference keeps enough rows for the samples of every step size to fall on them, or between close neighbours
  const every = reference
    ? REFERENCE_REFINEMENT * Math.max(1, Math.floor(steps / REFERENCE_REFINEMENT / 20000))
    : Math.max(1, Math.round(steps / SAMPLES))
  const recorder = new TrajectoryRecorder(world, every)
  const meter = reference ? undefined : new Meter(world, loop, steps)
  const energies = energyReader(world)
  const record = () => {
    const [kinetic, potential] = energies()
    recorder.record(kinetic, potential)
  }

  record()
  let failure = ''
  try {
    const report = Math.max(1, Math.min(2000, Math.floor(steps / 50))) // often enough to count as a sign of life
    for (let k = 0; k < steps; k++) {
      meter?.before()
      world.step()
      meter?.after()
      if (recorder.wants(world.stepCount)) record()
      if (progress && k % report === 0) progress(k / steps)
    }
  } catch (error) {
    if (!(error instanceof SimulationError) && world.failure === undefined) throw error
    failure = oneLine(error)
  }
  const { parameters } = world.contactModel
  return {
    ...empty,
    status: failure === '' ? 'ok' : 'failed',
    failure,
    steps: world.stepCount,
    hash: world.hash(),
    robotName: world.robot.name,
    controller: prepared.controller.name,
    controllerPeriod: loop.everySteps * dt,
    controllerMetrics: reference || failure !== '' ? {} : loop.metrics(),
    metrics: meter?.metrics() ?? null,
    series: meter?.plots() ?? null,
    trajectory: recorder.trajectory(),
    parameters: {
      used: [...parameters.used],
      derived: [...parameters.derived],
      unused: [...parameters.unused, ...unreadMaterial(world)],
    },
    physical: { ...world.physical } as Record<string, number>,
    solverFailure: world.events.firstFailure,
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
    potentialEnergy(world.model, data, out)
    return [kinetic, out[0]]
  }
}

const WARM_UP = 0.3 // s of computing, for the compiler
const TIMED = 0.5 // s of computing at most, per repetition
const REPETITIONS = 3

/**
 * Mean computing time of a step over the whole run [s], or over its first part where the whole takes longer than half a
 * second: the least of three repetitions, since whatever else the machine does can only add.
 */
function timeSteps({ scenario, model, dt }: Job, prepared: Prepared, { heartbeat, progress }: RunHooks): number {
  const steps = stepsOf(scenario.duration, dt)
  const pass = (budget: number) => {
    const { world } = createWorld(scenario, prepared, model, dt, heartbeat)
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
  for (let warm = 0, count = 0; warm < WARM_UP && count < 50; count++) warm += pass(WARM_UP).elapsed
  let best = Infinity
  for (let i = 0; i < REPETITIONS; i++) {
    best = Math.min(best, pass(TIMED).perStep)
    progress?.((i + 1) / REPETITIONS)
  }
  return best
}

/** What surfaces state, such as static friction or a stiffness, that no contact model reads: they know one sliding friction. */
function unreadMaterial({ robot, fixtures }: World): string[] {
  const properties = ['staticFriction', 'viscousFriction', 'stribeckVelocity', 'stiffness', 'damping'] as const
  const surfaces = [...robot.shapes, ...fixtures]
  return properties
    .filter((property) => surfaces.some((surface) => surface[property] !== undefined))
    .map((property) => `${property} of a surface`)
}

/** The comparison: every robot, every model, every step of a scenario; errors, costs and a verdict a robot. */
import { contactModels } from '../contact/index.ts'
import type { Metrics, Series } from './metrics.ts'
import { canUseThreads, runJobs } from './pool.ts'
import { type ErrorSeries, errorsOf, REFERENCE_REFINEMENT, type RobotScale, type RunError } from './reference.ts'
import type { Job, Outcome, Parameters } from './run.ts'
import type { ModelChoice, Scenario } from './scenario.ts'
import { checkModels, controllerName, type Prepared, prepareRobot, startPenetration } from './setup.ts'
import { judge, type Missed, millimetres, missedLimits, type Verdict } from './verdict.ts'

/** Grows when the shape of the results changes. */
export const RESULTS_VERSION = 1

/** The result of a comparison, as `--json` prints it and `results.json` holds it. */
export interface Results {
  readonly version: number
  readonly scenario: ShownScenario
  readonly robots: readonly ShownRobot[]
  readonly verdicts: readonly Verdict[]
  readonly runs: readonly RunResult[]
  /** What made these results, and the machine that took the times. */
  readonly machine: { readonly featherbed: string; readonly node: string; readonly platform: string; readonly processor: string }
}

/** A scenario as results show it: expressions as their text. */
export type ShownScenario = Readonly<Record<string, unknown>>

export interface ShownRobot {
  readonly robot: string
  readonly source: string
  readonly floating: boolean
  readonly joints: number
  readonly mass: number
  /** Diagonal of the box around its collision shapes at the start [m]; see `errorsOf`. */
  readonly size: number
  /** How deep it stands in its surroundings before the first step [m]; no contact model can make that good. */
  readonly startPenetration_m: number
  readonly controller: string
  readonly controllerOptions: Readonly<Record<string, unknown>>
  readonly controllerWhy: string
  readonly warnings: number
}

/** What to do about a robot that starts inside the ground or a box, in a sentence. */
export function startNote({ floating, startPenetration_m }: ShownRobot): string {
  const remedy = floating
    ? 'give it another start.position'
    : 'give it other start.joints, lower the ground (ground: {height: ...}) or leave it out (ground: false)'
  return `Before the first step it stands ${millimetres(startPenetration_m)} deep in its surroundings, whatever the model: in a scenario file, ${remedy}.`
}

export interface RunResult {
  readonly robot: string
  readonly controller: string
  /** [s]: the controller's rate is rounded to whole steps. */
  readonly controllerPeriod_s: number
  readonly model: string
  readonly dt: number
  readonly seed: number
  readonly status: 'ok' | 'failed'
  /** What went wrong, or null. */
  readonly failure: string | null
  readonly hash: string
  readonly metrics: Metrics | null
  readonly controllerMetrics: Readonly<Record<string, number>>
  readonly error: RunError | null
  /** Computing time per simulated second [s]. */
  readonly cost: number | null
  /** The limits that this run missed. */
  readonly missed: Missed['limits']
  readonly parameters: Parameters | null
  readonly physical: Readonly<Record<string, number>>
  /** The solver's first failure in words, or null. */
  readonly solverFailure: string | null
}

/** What the report plots of a run besides its result. */
export interface RunPlots {
  readonly series: Series | null
  readonly tracking: ErrorSeries | null
}

export interface Comparison {
  readonly results: Results
  /** Of run i of the results. */
  readonly plots: readonly RunPlots[]
}

export interface CompareOptions {
  /** See `PoolOptions.threads`. */
  readonly threads?: number
  /** What is being done, and the part of it that is done, 0 to 1. */
  readonly progress?: (stage: string, fraction: number) => void
  /** Processor and this package's version, for the results. */
  readonly processor?: string
  readonly version?: string
}

/**
 * Runs a scenario to its verdicts. Runs and references in parallel, then the times one after the other.
 *
 * @throws RobotError or SetupError if a robot cannot be had at all
 */
export async function compare(
  scenario: Scenario,
  { threads, progress, processor = '', version = '' }: CompareOptions = {},
): Promise<Comparison> {
  const robots: { source: string; prepared: Omit<Prepared, 'controller'>; controller: { name: string; why: string } }[] = []
  for (const source of scenario.robots) {
    const prepared = await prepareRobot(scenario, source)
    checkModels(scenario, prepared)
    robots.push({ source, prepared, controller: controllerName(scenario, prepared.robot) })
  }

  const names = uniqueNames(robots)
  const pairs = scenario.robots.flatMap((robot) =>
    scenario.models.flatMap((model) => scenario.dt.map((dt) => ({ robot, model, dt }))),
  )
  const smallest = scenario.dt[0]
  const runJob = pairs.map((pair): Job => ({ kind: 'run', scenario, ...pair }))
  const referenceJob = scenario.robots.flatMap((robot) =>
    scenario.models.map((model): Job => ({ kind: 'reference', scenario, robot, model, dt: smallest })),
  )
  const { patience } = scenario
  const outcomes = await runJobs([...runJob, ...referenceJob], {
    threads,
    patience,
    progress: (f) => progress?.('simulating', f),
  })
  const runs = outcomes.slice(0, runJob.length)
  const references = outcomes.slice(runJob.length)

  const timed = runJob.flatMap((job, i) => (runs[i].status === 'ok' ? [{ i, job: { ...job, kind: 'timing' as const } }] : []))
  const oneThread = threads === 0 || !canUseThreads() ? 0 : 1
  const times = await runJobs(
    timed.map(({ job }) => job),
    { threads: oneThread, patience, fresh: true, progress: (f) => progress?.('timing', f) },
  )
  const stepTime = new Array<number | null>(runJob.length).fill(null)
  timed.forEach(({ i }, k) => {
    stepTime[i] = times[k].stepTime
  })

  const judged = pairs.map(({ robot, model, dt }, i) => {
    const r = scenario.robots.indexOf(robot)
    const { prepared, controller } = robots[r]
    const reference = references[referenceJob.findIndex((job) => job.robot === robot && job.model === model)]
    return result(scenario, names[r], controller.name, model, dt, runs[i], reference, stepTime[i], prepared.scale)
  })
  const registry = Object.keys(contactModels)
  const verdicts = robots.map((_, r) => {
    const own = judged.filter((_, i) => pairs[i].robot === scenario.robots[r]).map(({ run }) => run)
    return judge(names[r], own, scenario.limits, registry)
  })
  const results: Results = {
    version: RESULTS_VERSION,
    scenario: showScenario(scenario),
    robots: robots.map(({ source, prepared, prepared: { robot, scale }, controller }, r) => ({
      robot: names[r],
      source,
      floating: robot.floating,
      joints: robot.joints.length,
      mass: robot.massUsed,
      size: scale.size,
      startPenetration_m: startPenetration(prepared),
      controller: controller.name,
      controllerOptions: (plain(scenario.controller?.options) ?? {}) as Record<string, unknown>,
      controllerWhy: controller.why,
      warnings: robot.diagnostics.filter(({ severity }) => severity !== 'info').length,
    })),
    verdicts,
    runs: judged.map(({ run }) => run),
    machine: { featherbed: version, node: process.version, platform: `${process.platform} ${process.arch}`, processor },
  }
  return { results, plots: judged.map(({ plots }) => plots) }
}

/** Files may call different robots the same; results tell them apart by their source. */
function uniqueNames(
  robots: readonly { readonly source: string; readonly prepared: { readonly robot: { readonly name: string } } }[],
): string[] {
  const names = robots.map(({ prepared }) => prepared.robot.name)
  return robots.map(({ source }, r) =>
    names.indexOf(names[r]) === names.lastIndexOf(names[r]) ? names[r] : `${names[r]} (${source})`,
  )
}

function result(
  scenario: Scenario,
  robot: string,
  controller: string,
  { name: model }: ModelChoice,
  dt: number,
  run: Outcome,
  reference: Outcome,
  stepTime: number | null,
  scale: RobotScale,
): { run: RunResult; plots: RunPlots } {
  const { status, hash, metrics } = run
  const cost = stepTime === null ? null : stepTime / dt
  const timedMetrics = metrics && {
    ...metrics,
    step_us: stepTime === null ? null : stepTime * 1e6,
    realTimeFactor: cost === null ? null : 1 / cost,
  }
  const { error, tracking } = errorOf(scenario, run, reference, scale)
  const judged = { model, dt, status, cost, error }
  return {
    run: {
      robot,
      controller,
      controllerPeriod_s: run.controllerPeriod,
      model,
      dt,
      seed: scenario.seed,
      status,
      failure: run.failure || null,
      hash,
      metrics: timedMetrics && (finite(timedMetrics) as Metrics),
      controllerMetrics: run.controllerMetrics,
      error,
      cost,
      missed: missedLimits(judged, scenario.limits),
      parameters: run.parameters,
      physical: run.physical,
      solverFailure: run.solverFailure || null,
    },
    plots: { series: run.series, tracking },
  }
}

function errorOf(
  { exact, dt }: Scenario,
  run: Outcome,
  reference: Outcome,
  scale: RobotScale,
): { error: RunError | null; tracking: ErrorSeries | null } {
  if (!run.trajectory || !run.metrics || run.status === 'failed') return { error: null, tracking: null }
  const penetration_m = run.metrics.penetrationMax_m
  if (reference.status === 'failed' || !reference.trajectory) {
    const step = dt[0] / REFERENCE_REFINEMENT
    const note = `the reference run at ${step} s failed: ${reference.failure}`
    const nothing = {
      tracking: null,
      trackingOf: '',
      energy: null,
      trackingScale: 0,
      trackingUnit: 'm' as const,
      energyScale_J: 0,
    }
    return { error: { penetration_m, ...nothing, against: 'reference', note }, tracking: null }
  }
  const { error, series } = errorsOf(run.trajectory, reference.trajectory, scale, exact)
  return { error: { penetration_m, ...error }, tracking: series }
}

/** JSON has no NaN and no Infinity: a figure that is neither finite nor meaningful is null. */
function finite(metrics: Metrics): unknown {
  return Object.fromEntries(Object.entries(metrics).map(([key, value]) => [key, Number.isFinite(value) ? value : null]))
}

/** A scenario for people: programs as their text, undefined left out. */
export function showScenario(scenario: Scenario): ShownScenario {
  return plain(scenario) as ShownScenario
}

function plain(value: unknown): unknown {
  if (typeof value === 'function') return 'function of t'
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const { ops, text } = value as { ops?: unknown; text?: unknown }
  if (Array.isArray(ops) && typeof text === 'string') return text
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, v]) => v !== undefined)
      .map(([key, v]) => [key, plain(v)]),
  )
}

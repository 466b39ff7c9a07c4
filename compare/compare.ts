/** The comparison: every robot, variant, seed, model and step of a scenario; errors, costs and a verdict a robot. */
import { contactModels, type SavedProblem } from '../contact/index.ts'
import { lacksOf } from '../robots/index.ts'
import type { Metrics, RobotTracking, Series } from './metrics.ts'
import type { Overlap } from './penetration.ts'
import { canUseThreads, type PoolOptions, runJobs } from './pool.ts'
import { type ErrorSeries, errorsOf, REFERENCE_REFINEMENT, type RobotScale, type RunError } from './reference.ts'
import type { Job, Outcome, Parameters } from './run.ts'
import { problemFile, type ShownStep } from './savedSteps.ts'
import type { ModelChoice, Scenario, Variant } from './scenario.ts'
import { BODIES_ONLY, checkWorlds, type PreparedWorld, prepareWorld, type RobotCache, subjectsOf } from './setup.ts'
import type { Snapshot } from './snapshot.ts'
import type { SolverOutcome } from './solverOutcomes.ts'
import { judge, type Missed, millimetres, missedLimits, type Verdict, withheld } from './verdict.ts'

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
  /** How deep the deepest pair of shapes overlaps before the first step [m]; no contact model can make that good. */
  readonly startPenetration_m: number
  /** Every pair that overlaps then, deepest first; of the first seed, without what a sweep varies. */
  readonly startOverlaps: readonly { readonly a: string; readonly b: string; readonly depth_m: number }[]
  /** Height of the ground in its world, which nobody stated where it is not that of the scenario [m]; null without ground. */
  readonly groundHeight_m: number | null
  /** Names of the companions and bodies in its world. */
  readonly others: readonly string[]
  readonly controller: string
  readonly controllerOptions: Readonly<Record<string, unknown>>
  readonly controllerWhy: string
  readonly warnings: number
}

/** What to do about a robot that starts inside the ground, an obstacle or another robot, in a sentence or two. */
export function startNote({ floating, startPenetration_m, startOverlaps, others }: ShownRobot): string {
  const deep = millimetres(startPenetration_m)
  const [first, ...rest] = startOverlaps
  if (others.length > 0 && first !== undefined) {
    const more =
      rest.length === 0 ? '' : rest.length === 1 ? ', and one more pair overlaps' : `, and ${rest.length} more pairs overlap`
    return `Before the first step "${first.a}" and "${first.b}" are ${deep} deep in each other, whatever the model${more}: move them apart in the scenario file.`
  }
  const remedy = floating
    ? 'give it another start.position'
    : 'give it other start.joints, lower the ground (ground: {height: ...}) or leave it out (ground: false)'
  return `Before the first step it stands ${deep} deep in its surroundings, whatever the model: in a scenario file, ${remedy}.`
}

export interface RunResult {
  readonly robot: string
  readonly controller: string
  /** [s]: the controller's rate is rounded to whole steps. */
  readonly controllerPeriod_s: number
  readonly model: string
  readonly dt: number
  readonly seed: number
  /** What the sweep gave this run, by the path of the field; null without a sweep. */
  readonly variant: Readonly<Record<string, unknown>> | null
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
  /** The first step in which the law of contact was strained, in words. */
  readonly firstStrain: string | null
  /** The first two shapes that passed through each other, in words, or null. */
  readonly tunnelling: string | null
  /** How often each solver of the model's chain was asked, in the chain's order. */
  readonly solvers: readonly SolverOutcome[]
  /** Steps whose problems were saved: the first that failed, and the first that a fallback answered. */
  readonly problems: readonly ShownStep[]
  /** How well each robot of the world followed its controller; the compared one first. */
  readonly tracking: readonly RobotTracking[]
  /** Whether anything passed on a force. */
  readonly touched: boolean
  /** Which shapes were deepest in each other, by name; null if nothing penetrated. */
  readonly deepestPair: { readonly a: string; readonly b: string } | null
}

/** What the report draws of a run besides its result; empty but for the first seed of the first few hundred runs. */
export interface RunPlots {
  readonly series: Series | null
  readonly tracking: ErrorSeries | null
  /** The middle and the end of the run. */
  readonly snapshots: readonly Snapshot[]
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
  /** Called with each problem that is to be saved, and the name that results give its file. Without it none is named. */
  readonly save?: (file: string, problem: SavedProblem) => void
  /** Processor and this package's version, for the results. */
  readonly processor?: string
  readonly version?: string
}

/** More runs than this are not drawn. */
const MOST_PLOTS = 300

/** A robot in its world, as every variant of the scenario has it. */
interface Subject {
  readonly source: string
  readonly prepared: PreparedWorld
  readonly overlaps: readonly Overlap[]
  readonly variants: readonly { readonly variant: Variant; readonly scale: RobotScale }[]
}

/** Runs that share a reference: a robot, a variant, a seed, a model; one run a step. */
interface Group {
  readonly subject: number
  readonly variant: Variant
  readonly scale: RobotScale
  readonly scenario: Scenario
  readonly robot: string
  readonly model: ModelChoice
  readonly isDrawn: boolean
  /** The same for groups that take the same time: those that differ in the seed alone. */
  readonly timing: string
  /** Indices of their jobs. */
  readonly runs: readonly number[]
  readonly reference: number
}

/**
 * Runs a scenario to its verdicts. Runs and references in parallel, then the times one after the other.
 *
 * @throws RobotError or SetupError if a robot cannot be had at all
 */
export async function compare(
  scenario: Scenario,
  { threads, progress, save, processor = '', version = '' }: CompareOptions = {},
): Promise<Comparison> {
  const cache: RobotCache = new Map()
  const subjects = await subjectsOfScenario(scenario, cache)
  const names = uniqueNames(subjects, scenario)
  const robots = subjects.map((subject, s) => shownRobot(scenario, subject, names[s]))
  const { groups, jobs } = groupsOf(scenario, subjects)
  const { patience } = scenario

  // Each group is judged as soon as its last outcome is there, so that not all trajectories are kept at a time.
  const waiting = new Map<number, Outcome>()
  const judged: (Drawn | undefined)[] = new Array(jobs.length)
  const groupOf = new Map(groups.flatMap((group) => [...group.runs, group.reference].map((index) => [index, group] as const)))
  const runOf = new Map(groups.flatMap((group) => group.runs).map((job, run) => [job, run] as const))
  const shownSteps = (index: number, { problems }: Outcome): ShownStep[] =>
    problems.map(({ problem, ...step }) => {
      const file = save ? problemFile(runOf.get(index) as number, step.step) : null
      if (save && file) save(file, problem)
      return { ...step, file }
    })
  const finish = (index: number, outcome: Outcome) => {
    waiting.set(index, outcome)
    const group = groupOf.get(index) as Group
    const indices = [...group.runs, group.reference]
    if (!indices.every((i) => waiting.has(i))) return
    const reference = waiting.get(group.reference) as Outcome
    for (const i of group.runs) {
      const run = waiting.get(i) as Outcome
      judged[i] = drawnRun(group, jobs[i], run, shownSteps(i, run), reference, robots[group.subject])
    }
    for (const i of indices) waiting.delete(i)
  }
  await runJobs(jobs, { threads, patience, robots: cache, progress: (f) => progress?.('simulating', f), done: finish })
  const runs = groups.flatMap((group) => group.runs.map((i) => ({ group, drawn: judged[i] as Drawn })))

  const stepTimes = await timesOf(scenario, groups, judged, { threads, robots: cache, progress: (f) => progress?.('timing', f) })
  const timed = runs.map(({ group, drawn }) => ({
    group,
    plots: drawn.plots,
    run: withCost(drawn.run, stepTimes(group, drawn.run.dt), scenario),
  }))
  const registry = Object.keys(contactModels)
  const verdicts = subjects.map((_, s) => {
    const own = timed.filter(({ group }) => group.subject === s).map(({ run }) => run)
    const lacks = subjects[s].prepared.members.flatMap(({ robot }) => lacksOf(robot))
    if (lacks.length > 0) return withheld(names[s], lacks, scenario.limits)
    return judge(names[s], own, scenario.limits, registry)
  })
  const results: Results = {
    version: RESULTS_VERSION,
    scenario: showScenario(scenario),
    robots,
    verdicts,
    runs: timed.map(({ run }) => run),
    machine: { featherbed: version, node: process.version, platform: `${process.platform} ${process.arch}`, processor },
  }
  return { results, plots: timed.map(({ plots }) => plots) }
}

/** Reads every robot and builds every world once, so that what is wrong with one is said before anything runs. */
async function subjectsOfScenario(scenario: Scenario, robots: RobotCache): Promise<Subject[]> {
  const variants: readonly Variant[] = scenario.variants.length > 0 ? scenario.variants : [{ values: {}, scenario }]
  const subjects: Subject[] = []
  for (const source of subjectsOf(scenario)) {
    const prepared = await prepareWorld(scenario, source, robots)
    const overlaps = checkWorlds(scenario, prepared)
    const scaled: { variant: Variant; scale: RobotScale }[] = []
    for (const variant of variants) {
      const own = scenario.variants.length > 0 ? await prepareWorld(variant.scenario, source, robots) : prepared
      if (own !== prepared) checkWorlds(variant.scenario, own)
      // of the start as it is stated: what errors are measured by does not hang on which seeds there are
      const { perturb } = variant.scenario
      const still = perturb ? await prepareWorld({ ...variant.scenario, perturb: undefined }, source, robots) : own
      scaled.push({ variant, scale: still.scale })
    }
    subjects.push({ source, prepared, overlaps, variants: scaled })
  }
  return subjects
}

/** The jobs of each group follow each other, its reference last. */
function groupsOf(scenario: Scenario, subjects: readonly Subject[]): { groups: Group[]; jobs: Job[] } {
  const jobs: Job[] = []
  const groups: Group[] = []
  let runs = 0
  subjects.forEach(({ source, variants }, subject) => {
    for (const [v, { variant, scale }] of variants.entries()) {
      for (const model of variant.scenario.models) {
        for (const seed of scenario.seeds) {
          // a job's scenario is its own: without the variants, which would be sent along with every job
          const own: Scenario = { ...variant.scenario, seed, variants: [], sweep: {} }
          const isDrawn = seed === scenario.seeds[0] && runs < MOST_PLOTS
          const job = { scenario: own, robot: source, model }
          const first = jobs.length
          for (const dt of scenario.dt) jobs.push({ kind: 'run', ...job, dt, snapshots: isDrawn })
          jobs.push({ kind: 'reference', ...job, dt: scenario.dt[0] })
          runs += scenario.dt.length
          const reference = first + scenario.dt.length
          const timing = JSON.stringify([subject, v, model.name])
          const runsOfGroup = scenario.dt.map((_, i) => first + i)
          groups.push({ subject, variant, scale, isDrawn, timing, ...job, runs: runsOfGroup, reference })
        }
      }
    }
  })
  return { groups, jobs }
}

/** Takes the time of each model in each variant's world at each step that came to its end, under the first seed. */
async function timesOf(
  scenario: Scenario,
  groups: readonly Group[],
  judged: readonly (Drawn | undefined)[],
  options: Pick<PoolOptions, 'threads' | 'robots' | 'progress'>,
): Promise<(group: Group, dt: number) => number | null> {
  const completed = new Map<string, { group: Group; steps: Set<number> }>()
  for (const group of groups) {
    const entry = completed.get(group.timing) ?? { group, steps: new Set<number>() }
    completed.set(group.timing, entry)
    for (const i of group.runs) {
      const { run } = judged[i] as Drawn
      if (run.status === 'ok') entry.steps.add(run.dt)
    }
  }
  const entries = [...completed].filter(([, { steps }]) => steps.size > 0)
  const jobs = entries.map(([, { group, steps }]): Job => {
    const { scenario: own, model, robot } = group
    return { kind: 'timing', scenario: own, robot, model, dt: scenario.dt[0], steps: [...steps] }
  })
  const oneThread = options.threads === 0 || !canUseThreads() ? 0 : 1
  const times = new Map<string, number>()
  const done = (index: number, { stepTimes }: Outcome) => {
    const [key] = entries[index]
    jobs[index].steps?.forEach((dt, i) => {
      if (stepTimes[i] !== undefined) times.set(`${key} ${dt}`, stepTimes[i])
    })
  }
  await runJobs(jobs, { ...options, threads: oneThread, patience: scenario.patience, fresh: true, done })
  return (group, dt) => times.get(`${group.timing} ${dt}`) ?? null
}

function shownRobot(scenario: Scenario, { source, prepared, overlaps }: Subject, name: string): ShownRobot {
  const [{ robot, drive }, ...others] = prepared.members
  return {
    robot: name,
    source,
    floating: robot.floating,
    joints: robot.joints.length,
    mass: robot.massUsed,
    size: prepared.scale.size,
    startPenetration_m: overlaps[0]?.depth ?? 0,
    startOverlaps: overlaps.map(({ a, b, depth }) => ({ a, b, depth_m: depth })),
    groundHeight_m: prepared.groundHeight ?? null,
    others: others.map((other) => other.name ?? other.robot.name),
    controller: drive?.name ?? 'none',
    controllerOptions: (plain(scenario.controller?.options) ?? {}) as Record<string, unknown>,
    controllerWhy: drive?.why ?? 'free bodies have none',
    warnings: robot.diagnostics.filter(({ severity }) => severity !== 'info').length,
  }
}

/** Files may call different robots the same; results tell them apart by their source. A world of bodies has the scenario's name. */
function uniqueNames(subjects: readonly Subject[], { name }: Scenario): string[] {
  const names = subjects.map(({ source, prepared }) => (source === BODIES_ONLY ? name : prepared.robot.name))
  return subjects.map(({ source }, r) =>
    names.indexOf(names[r]) === names.lastIndexOf(names[r]) ? names[r] : `${names[r]} (${source})`,
  )
}

/** A run's result without its cost, and what is drawn of it. */
interface Drawn {
  readonly run: RunResult
  readonly plots: RunPlots
}

function drawnRun(
  group: Group,
  job: Job,
  run: Outcome,
  problems: readonly ShownStep[],
  reference: Outcome,
  { robot: name, controller }: ShownRobot,
): Drawn {
  const { variant, scale, scenario, isDrawn } = group
  const { error, tracking } = errorOf(scenario, run, reference, scale)
  return {
    run: {
      robot: name,
      controller: run.controller || controller,
      controllerPeriod_s: run.controllerPeriod,
      model: job.model.name,
      dt: job.dt,
      seed: scenario.seed,
      variant: Object.keys(variant.values).length > 0 ? variant.values : null,
      status: run.status,
      failure: run.failure || null,
      hash: run.hash,
      metrics: run.metrics && (finite(run.metrics) as Metrics),
      controllerMetrics: run.controllerMetrics,
      error,
      cost: null,
      missed: [],
      parameters: run.parameters,
      physical: run.physical,
      solverFailure: run.solverFailure || null,
      firstStrain: run.firstStrain || null,
      tunnelling: run.tunnelling || null,
      solvers: run.solvers,
      problems,
      tracking: run.tracking,
      touched: run.touched,
      deepestPair: run.deepestPair,
    },
    plots: isDrawn ? { series: run.series, tracking, snapshots: run.snapshots } : { series: null, tracking: null, snapshots: [] },
  }
}

function withCost(run: RunResult, stepTime: number | null, { limits }: Scenario): RunResult {
  const known = run.status === 'ok' && stepTime !== null
  const cost = known ? stepTime / run.dt : null
  const metrics = run.metrics && {
    ...run.metrics,
    step_us: known ? stepTime * 1e6 : null,
    realTimeFactor: cost === null ? null : 1 / cost,
  }
  const timed = { ...run, metrics, cost }
  return { ...timed, missed: missedLimits(timed, limits) }
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

/** A scenario for people: programs as their text, undefined left out; a sweep by its values and not by each combination. */
export function showScenario({ variants: _, ...scenario }: Scenario): ShownScenario {
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

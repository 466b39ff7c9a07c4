/** The comparison: every robot, variant, seed, model and step of a scenario; errors, costs and a verdict a robot. */

import { availableParallelism, loadavg } from 'node:os'
import type { SavedProblem } from '../../contact/index.ts'
import * as is from '../../dynamics/math/arguments.ts'
import { lacksOf, type Robot } from '../../robots/index.ts'
import type { Metrics, Series } from '../measure/metrics.ts'
import { millimetres } from '../measure/numbers.ts'
import type { ErrorSeries } from '../recording/replay/series.ts'
import { type Cost, type Load, type StepTime, speedOf } from '../run/cost.ts'
import { canUseThreads, IdleThreads, type PoolOptions, runJobs } from '../run/pool.ts'
import { type Job, type Outcome, type Replay, type RunJob, type RunRecord, recordOf, type TimedRun } from '../run/run.ts'
import { problemFile, type ReportedStep } from '../run/savedSteps.ts'
import type { RowName } from '../run/sweepRows.ts'
import type { Scenario, Variant } from '../scenario/index.ts'
import type { RobotScale } from '../scenario/world/assemble.ts'
import {
  BODIES_ONLY,
  checkWorlds,
  isOutside,
  logNotes,
  prepareWorld,
  type RobotCache,
  subjectsOf,
} from '../scenario/world/files.ts'
import { floatingNotice, limitsNote } from '../scenario/world/start.ts'
import { answered } from './answer.ts'
import { type Beside, besideOf } from './beside.ts'
import type { Divergence } from './divergence.ts'
import { type Bars, barsOf } from './errorBars.ts'
import type { Judgement } from './judgeWorld.ts'
import { type Group, groupsOf, judgeWorlds, type Subject, worldOf } from './judgeWorlds.ts'
import type { RunError } from './reference.ts'
import { shownTruth, type ReportedTruth as TruthFigures } from './truth.ts'
import { judge, type Missed, missedLimits, type Verdict, withheld } from './verdict.ts'

/** Grows when the shape of the results changes. */
export const RESULTS_VERSION = 3

/** Content of `--json` and `results.json`: one comparison a scenario. */
export interface ResultsFile {
  readonly version: number
  readonly comparisons: readonly Results[]
  readonly machine: Machine
  /** Repeats these results. */
  readonly command: string
}

/** Software of the results, and machine that took the times. */
export interface Machine extends Load {
  readonly featherbed: string
  readonly node: string
  readonly platform: string
  readonly processor: string
}

/** How busy the machine is now. */
export const loadNow = (): Load => ({ processors: availableParallelism(), load: loadavg()[0] })

/** @unchecked @param processor its name @param featherbed version of this package @param load before any of this work */
export function resultsFile(
  comparisons: readonly Comparison[],
  { command, processor = '', featherbed = '', load }: { command: string; processor?: string; featherbed?: string; load: Load },
): ResultsFile {
  const machine = { featherbed, node: process.version, platform: `${process.platform} ${process.arch}`, processor, ...load }
  return { version: RESULTS_VERSION, comparisons: comparisons.map(({ results }) => results), machine, command }
}

/** The result of one comparison. */
export interface Results {
  readonly scenario: ReportedScenario
  readonly robots: readonly ReportedRobot[]
  readonly verdicts: readonly Verdict[]
  /** The truth of each world: of a robot, a seed, and a sweep's values but the models' options. */
  readonly truths: readonly ReportedTruth[]
  readonly runs: readonly RunResult[]
  /** Engines from outside, a line a run; missing without any. */
  readonly beside?: readonly BesideInWorld[]
}

/** With the world that it is of. */
export type BesideInWorld = Beside & Pick<ReportedTruth, 'robot' | 'seed' | 'variant'>

/** A scenario as results show it: expressions as their text. */
export type ReportedScenario = Readonly<Record<string, unknown>>

export type ReportedRobot = Readonly<ReturnType<typeof shownRobot>>

/** Advice on a robot that starts inside the ground, an obstacle or another robot, as a clause. */
function startNotice({ floating, startPenetration_m, startOverlaps, others }: ReportedRobot): string {
  const deep = millimetres(startPenetration_m)
  const [first, ...rest] = startOverlaps
  if (others.length > 0 && first !== undefined) {
    const more =
      rest.length === 0 ? '' : rest.length === 1 ? ', and one more pair overlaps' : `, and ${rest.length} more pairs overlap`
    return `before the first step "${first.a}" and "${first.b}" are ${deep} deep in each other under every model${more}: move them apart in the scenario file`
  }
  const remedy = floating
    ? 'give it another start.position'
    : 'give it other start.joints, lower the ground (ground: {height: ...}) or leave it out (ground: false)'
  return `before the first step it stands ${deep} deep in its surroundings under every model: in a scenario file, ${remedy}`
}

/** The truth that the runs of one world were judged by. */
export interface ReportedTruth extends TruthFigures {
  readonly robot: string
  readonly seed: number
  /** The sweep's values for this world; null without one. */
  readonly variant: Readonly<Record<string, unknown>> | null
  /** Where the motion forgets its start, so that later no model can be judged; null where it does not. */
  readonly divergence: Divergence | null
}

/** A run's record, and its comparison's data on it. */
export interface RunResult extends RunRecord, Pick<RowName, 'robot' | 'model' | 'dt' | 'seed'> {
  /** The sweep's values for this run, by the path of the field; null without a sweep. */
  readonly variant: Readonly<Record<string, unknown>> | null
  readonly error: RunError | null
  /** Of a simulated second; null if it could not be taken. */
  readonly cost: Cost | null
  /** The limits that this run missed. */
  readonly missed: Missed['limits']
  /** Steps whose problems were saved: the first that failed, and the first that a fallback answered. */
  readonly problems: readonly ReportedStep[]
  /** With `CompareOptions.errorBars`, of a run that came to its end. */
  readonly bars?: Bars
}

/** A run's plots in the report; empty but for the first seed of the first few hundred runs. */
export interface RunPlots {
  readonly series: Series | null
  readonly tracking: ErrorSeries | null
  readonly replay: Replay | null
}

export interface Comparison {
  readonly results: Results
  /** Of run i of the results. */
  readonly plots: readonly RunPlots[]
}

export interface CompareOptions extends Pick<PoolOptions, 'threads' | 'robots' | 'idle' | 'store'> {
  /** Whether to take computing times; no verdict hangs on them. Default: true. */
  readonly timing?: boolean
  /** Whether to run refinements of each run, for error bars on its figures. Default: false. */
  readonly errorBars?: boolean
  /** Called before anything is run, with each notice on the start of a robot. */
  readonly notice?: (text: string) => void
  /** The current stage, and the part of it that is done, 0 to 1. */
  readonly progress?: (stage: string, fraction: number) => void
  /** Called with each problem that is to be saved, and the name that results give its file. Without it none is named. */
  readonly save?: (file: string, problem: SavedProblem) => void
  /** Of several comparisons which one this is; files of its problems are named after it. Default: the only one. */
  readonly number?: number
}

const calls = { notice: is.callback, progress: is.callback, save: is.callback }
const made = { robots: is.instance(Map), idle: is.made('idle threads'), store: is.made('a store of jobs') }
const optionsKind = is.options<CompareOptions>({
  ...calls,
  ...made,
  timing: is.flag,
  errorBars: is.flag,
  threads: is.whole(0),
  number: is.whole(0),
})

/**
 * Runs a scenario to its verdicts. Runs and references in parallel, then the times one after the other.
 *
 * @throws RobotError or SetupError if a robot cannot be had at all
 */
export async function compare(scenario: Scenario, options: CompareOptions = {}): Promise<Comparison> {
  is.check(scenario, is.made('a scenario, of checkScenario', 'variants', 'models', 'duration'), 'scenario')
  is.check(options, optionsKind, 'compare: ')
  if (options.idle) return compareOn(scenario, { ...options, idle: options.idle })
  const idle = new IdleThreads()
  try {
    return await compareOn(scenario, { ...options, idle })
  } finally {
    await idle.end()
  }
}

async function compareOn(
  scenario: Scenario,
  { timing = true, errorBars, threads, progress, notice, save, number, robots: cache = new Map(), store, idle }: CompareOptions,
): Promise<Comparison> {
  const subjects = await subjectsOfScenario(scenario, cache)
  const names = uniqueNames(subjects, scenario)
  const robots = subjects.map((subject, s) => shownRobot(scenario, subject, names[s]))
  const overlapOf = (robot: ReportedRobot) => (robot.startPenetration_m > scenario.limits.penetration ? startNotice(robot) : null)
  for (const robot of robots) if (overlapOf(robot)) notice?.(`${robot.robot}: ${overlapOf(robot)}`)
  for (const { prepared } of subjects) for (const text of await logNotes(scenario, prepared)) notice?.(text)
  const { groups, jobs } = groupsOf(scenario, subjects, errorBars)
  const pool = { threads, patience: scenario.patience, robots: cache, store, idle }
  const [judged, truths, beside]: [Drawn[], ReportedTruth[], BesideInWorld[][]] = [[], [], []]
  const runOf = new Map(groups.flatMap((group) => group.runs).map((job, run) => [job, run] as const))
  const shownSteps = (index: number, { problems }: Outcome): ReportedStep[] =>
    problems.map(({ problem, ...step }) => {
      const file = save ? problemFile(runOf.get(index) as number, step.step, number) : null
      if (save && file) save(file, problem)
      return { ...step, file }
    })
  const simulating = { ...pool, progress: (f: number) => progress?.('simulating', f) }
  await judgeWorlds(groups, jobs, simulating, ({ place, groups: own, outcome, judgement: { truth, errors }, divergence }) => {
    const robot = robots[own[0].subject]
    own.forEach((group, g) => {
      group.runs.forEach((i, r) => {
        const bars = barsOf([i, ...group.finer[r]].map(outcome), errors[g][0].error)
        judged[i] = drawnRun(group, jobs[i] as RunJob, outcome(i), shownSteps(i, outcome(i)), { ...errors[g][r], bars }, robot)
      })
    })
    beside[place] = besideIn(own, jobs, outcome, { scales: truth?.scales, until: divergence?.t }, robot)
    if (truth) truths[place] = { robot: robot.robot, ...worldOf(own[0]), ...shownTruth(truth), divergence }
  })
  const runs = groups.flatMap((group) => group.runs.map((i) => ({ group, drawn: judged[i] })))

  const stepTimes = timing
    ? await timesOf(groups, judged, { ...pool, progress: (f: number) => progress?.('timing', f) })
    : () => UNTIMED
  const timed = runs.map(({ group, drawn }) => ({
    group,
    plots: drawn.plots,
    run: withCost(drawn, stepTimes(group, drawn.run.dt), scenario),
  }))
  const verdicts = subjects.map((_, s) => {
    const own = timed.filter(({ group, run }) => group.subject === s && !isOutside(run.model)).map(({ run }) => run)
    const lacks = subjects[s].prepared.members.flatMap(({ robot, motion }) => (motion ? [] : lacksOf(robot)))
    if (lacks.length > 0) return withheld(names[s], lacks, scenario.limits)
    const known = truths.filter(({ robot }) => robot === names[s])
    const scene = { duration: scenario.duration, overlap: overlapOf(robots[s]) }
    return answered(judge(names[s], own, scenario.limits, known, scene), own)
  })
  const results: Results = {
    scenario: showScenario(scenario),
    robots,
    verdicts,
    truths: truths.filter(Boolean), // a world without any motion has none
    runs: timed.map(({ run }) => run),
    ...(beside.some((own) => own.length > 0) && { beside: beside.flat() }),
  }
  return { results, plots: timed.map(({ plots }) => plots) }
}

/** The engines from outside of one world. */
function besideIn(
  groups: readonly Group[],
  jobs: readonly Job[],
  outcome: (index: number) => Outcome,
  world: Pick<Parameters<typeof besideOf>[1], 'scales' | 'until'>,
  { robot, groundHeight_m }: ReportedRobot,
): BesideInWorld[] {
  const [{ scenario }] = groups
  const runs = groups.flatMap(({ runs: own, model }) =>
    own.map((i) => ({ model: model.name, dt: (jobs[i] as RunJob).dt, outcome: outcome(i) })),
  )
  const compared = besideOf(runs, { ...world, limits: scenario.limits, ground: groundHeight_m ?? 0 })
  return compared.map((one) => ({ robot, ...worldOf(groups[0]), ...one }))
}

/** Reads every robot and builds every world once, so that their mistakes are reported before anything runs. */
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
      // of the start as it is stated: scales of errors do not depend on which seeds there are
      const { perturb } = variant.scenario
      const still = perturb ? await prepareWorld({ ...variant.scenario, perturb: undefined }, source, robots) : own
      scaled.push({ variant, scale: still.scale })
    }
    subjects.push({ source, prepared, overlaps, variants: scaled })
  }
  return subjects
}

/** Takes the times of each model in each variant's world at each step that came to its end, under the first seed, in one thread; or why there is none. */
async function timesOf(
  groups: readonly Group[],
  judged: readonly Drawn[],
  options: PoolOptions,
): Promise<(group: Group, dt: number) => StepTime | string> {
  const keys: string[] = []
  const timed = groups.flatMap(({ scenario, robot, model, timing, isTimed, runs }) =>
    runs.flatMap((i): TimedRun[] => {
      const { run } = judged[i]
      if (run.status === 'failed' || !isTimed) return []
      keys.push(`${timing} ${run.dt}`)
      return [{ scenario, robot, model, dt: run.dt }]
    }),
  )
  const oneThread = options.threads === 0 || !canUseThreads() ? 0 : 1
  const take = (jobs: TimedRun[][]) =>
    runJobs(
      jobs.map((runs): Job => ({ kind: 'timing', runs })),
      { ...options, threads: oneThread },
    )
  const [all] = timed.length === 0 ? [] : await take([timed])
  // in turns, a controller may end its process, or leave something there, and take the times of others: those are taken by themselves
  const missing = timed.flatMap((_, i) => (all.stepTimes[i] ? [] : [i]))
  const alone = await take(missing.map((i) => [timed[i]]))
  return ({ timing }, dt) => {
    const index = keys.indexOf(`${timing} ${dt}`)
    if (index < 0) return 'it is that of the first seed, whose run failed'
    const time = all.stepTimes[index]
    if (time) return time
    const { stepTimes, failure } = alone[missing.indexOf(index)]
    return stepTimes[0] ?? failure ?? 'a step failed that had not failed before'
  }
}

function shownRobot(scenario: Scenario, { source, prepared, overlaps }: Subject, name: string) {
  const [{ robot, drive }, ...others] = prepared.members
  return {
    robot: name,
    source,
    floating: robot.floating,
    joints: robot.joints.length,
    mass: robot.massUsed,
    /** Diagonal of the box around its collision shapes at the start [m]; see `scalesOf`. */
    size: prepared.scale.size,
    /** How deep the deepest pair of shapes overlaps before the first step [m]; no contact model can make that good. */
    startPenetration_m: overlaps[0]?.depth ?? 0,
    /** Every pair that overlaps then, deepest first; of the first seed, without a sweep's values. */
    startOverlaps: overlaps.map(({ a, b, depth }) => ({ a, b, depth_m: depth })),
    /** Height of the ground in its world, a default where it is not that of the scenario [m]; null without ground. */
    groundHeight_m: prepared.groundHeight ?? null,
    /** Names of the companions and bodies in its world. */
    others: others.map((other) => other.name ?? other.robot.name),
    controller: drive?.name ?? 'none',
    controllerWhy: drive?.why ?? 'free bodies have none',
    warnings: robot.diagnostics.filter(({ severity }) => severity !== 'info').length,
    /** Names of the environment's variables that are part of it, by `$(env)` of xacro. */
    environment: variablesOf(robot),
    /** Advice where it floats and has nothing but its root to stand on, in a sentence or two; or null. */
    floatingNotice: floatingNotice(robot, prepared.members[0].q, scenario.base),
    /** Advice where joints, of it or of its companions, start beyond their limits: a sentence or two a robot. */
    limitsNotes: prepared.members.flatMap((member) => limitsNote(member.robot, member.q) ?? []),
  }
}

/** Variables of the environment that its file read, by name. */
const variablesOf = ({ diagnostics }: Robot) =>
  diagnostics.flatMap(({ code, severity, element }) =>
    code === 'xacro-environment' && severity === 'warning' ? element.slice('$(env '.length, -1) : [],
  )

/** Files may call different robots the same; results tell them apart by their source. A world of bodies has the scenario's name. */
function uniqueNames(subjects: readonly Subject[], { name }: Scenario): string[] {
  const names = subjects.map(({ source, prepared }) => (source === BODIES_ONLY ? name : prepared.name))
  return subjects.map(({ source }, r) =>
    names.indexOf(names[r]) === names.lastIndexOf(names[r]) ? names[r] : `${names[r]} (${source})`,
  )
}

/** A run's result without its cost, and its plots. */
interface Drawn {
  readonly run: RunResult
  readonly plots: RunPlots
}

function drawnRun(
  group: Group,
  job: RunJob,
  run: Outcome,
  problems: readonly ReportedStep[],
  { error, series: tracking, bars }: Judgement['errors'][0][0] & { readonly bars: Bars | null },
  { robot: name, controller }: ReportedRobot,
): Drawn {
  const { variant, scenario, isDrawn } = group
  return {
    run: {
      robot: name,
      model: job.model.name,
      dt: job.dt,
      seed: scenario.seed,
      variant: Object.keys(variant.values).length > 0 ? variant.values : null,
      ...recordOf(run),
      controller: run.controller || controller,
      metrics: run.metrics && (finite(run.metrics) as Metrics),
      error,
      cost: null,
      missed: [],
      problems,
      ...(bars && { bars }),
    },
    plots: isDrawn ? { series: run.series, tracking, replay: run.replay } : { series: null, tracking: null, replay: null },
  }
}

const UNTIMED = 'no times were to be taken'

/** @param time or why there is none */
function withCost({ run }: Drawn, time: StepTime | string, { limits }: Scenario): RunResult {
  const isTimed = run.status === 'ok' && typeof time !== 'string'
  const cost = isTimed ? { perSecond: time.seconds / run.dt, spread: time.spread } : null
  const metrics = run.metrics && { ...run.metrics, ...speedOf(cost, run.dt) }
  const isKnown = cost !== null || time === UNTIMED || run.error === null || run.error.note !== ''
  const error = isKnown ? run.error : { ...run.error, note: `its cost could not be taken: ${time}` }
  const timed = { ...run, metrics, cost, error }
  return { ...timed, missed: missedLimits(timed, limits) }
}

/** JSON has no NaN and no Infinity: a figure that is neither finite nor meaningful is null. */
function finite(metrics: Metrics): unknown {
  return Object.fromEntries(Object.entries(metrics).map(([key, value]) => [key, Number.isFinite(value) ? value : null]))
}

/** A scenario for people: programs as their text, undefined left out; a sweep by its values and not by each combination. */
function showScenario({ variants: _, ...scenario }: Scenario): ReportedScenario {
  return plain(scenario) as ReportedScenario
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

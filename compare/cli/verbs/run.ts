import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { contactModels } from '../../../contact/index.ts'
import type { Checkpoint } from '../../../simulation/index.ts'
import { problemText } from '../../inspect/problemFile.ts'
import { inputsWords } from '../../judge/health.ts'
import { isKept, lawSentence } from '../../measure/laws.ts'
import { metricDefinitions } from '../../measure/metricDefinitions.ts'
import type { Metrics } from '../../measure/metrics.ts'
import { millimetres, milliseconds, significant } from '../../measure/numbers.ts'
import { outcomeWords } from '../../measure/outcomes.ts'
import type { RangesChoice, RunRanges } from '../../measure/rangesMeter.ts'
import { checkpointText, parseCheckpoint } from '../../recording/checkpointFile.ts'
import { RecordingError } from '../../recording/recordingError.ts'
import { reportOfRun } from '../../report/report.ts'
import { type StepTime, speedOf } from '../../run/cost.ts'
import { canUseThreads, IdleThreads, runJobs, waitForCompiler } from '../../run/pool.ts'
import { looksOfRobots } from '../../run/robotLooks.ts'
import { type Outcome, type RunJob, recordOf, runsScript } from '../../run/run.ts'
import { problemFile, type ReportedStep } from '../../run/savedSteps.ts'
import { chainText } from '../../run/solverOutcomes.ts'
import type { Scenario } from '../../scenario/index.ts'
import {
  BODIES_ONLY,
  checkWorlds,
  logNotes,
  prepareWorld,
  type RobotCache,
  subjectsOf,
  takenText,
} from '../../scenario/world/files.ts'
import { floatingNotice, limitsNote } from '../../scenario/world/start.ts'
import { codeOf, whenInterrupted } from '../atEnd.ts'
import { commandLine } from '../commandLine.ts'
import { exitCodes, UsageError } from '../errors.ts'
import { readInput } from '../input.ts'
import { io } from '../io.ts'
import { growingFile, outputFile, outputFolder, reportUnwritten, writeAll, writeOutput } from '../output.ts'
import {
  durationOf,
  isScenarioFile,
  readScenarioFile,
  type ScenarioFlags,
  scenarioFlags,
  scenarioOf,
} from '../scenarioArguments.ts'
import { left, note, Progress, paintFor, right, table } from '../terminal.ts'
import type { FlagsOf, Verb } from '../verb.ts'
import { version } from '../version.ts'
import { onlyXacro } from '../words.ts'
import { portOf } from './view.ts'

const flags = {
  ...scenarioFlags,
  '--model <name>': "a contact model (default: the scenario's first)",
  '--out <dir>': 'write run.json, with the trajectory, into this folder, and the problems of failed steps',
  '--dt <time>': 'time step, such as 1e-3 or "1 ms" (default: the scenario\'s smallest)',
  '--accuracy <part>': 'choose steps by error: the relative error of the motion in a second, such as 1e-3, in place of --dt',
  '--record <file.mcap|file.csv|dir>': 'record every step: MCAP for Foxglove and programs, or tables',
  '--profile <name>': 'profile of an MCAP recording: ros2, messages for ros2 bag, rosbags and rviz (default: own topics)',
  '--compression <name>': 'compression of an MCAP recording: zstd, lz4 or none (default)',
  '--live <port>':
    'after the run, stream the recording to Foxglove (ws://127.0.0.1:PORT) at the pace of simulated time, repeated until Ctrl+C',
  '--checkpoint <file>': 'write the state at the end, or at --at, from which --from continues',
  '--problem <file>': 'write the contact problem of the last step, or of the step that ends at --at, for featherbed solve',
  '--report <page.html>': 'write a page that plays the run: the scene in 3D with its contact forces, and charts',
  '--ranges <n>':
    "at every n-th step, such as 1: the range of each motor's torque and each contact's force over all forces within the friction cones that explain the same motion",
  '--motorless <joint>': { meaning: 'with --ranges: a joint without a motor; may be repeated', isRepeated: true },
  '--at <time>': 'time of the checkpoint and the problem (default: the end)',
  '--answers <n>': 'search the contact problem of every n-th step for all its answers, and list steps with several or none',
  '--fork': 'with --answers: from the first such step, run every other answer to the end too',
  '--from <file>': 'continue from a checkpoint, until --duration',
  '--no-timing': 'leave out the second pass, which measures the computing time of a step',
} as const
type RunFlags = FlagsOf<typeof flags>

export const verb: Verb = {
  example:
    '  featherbed run humanoid --model stewart-trinkle --dt 1e-3 --duration 2\n' +
    '  featherbed run docs/examples/crate.yaml --record crate.mcap\n' +
    '  featherbed run humanoid --checkpoint middle.json --at 1 --duration 2\n' +
    '  featherbed run humanoid --from middle.json --model penalty --duration 2\n' +
    '  featherbed run humanoid --model stewart-trinkle --problem step.json --at 1\n\n' +
    'A run that continues from a checkpoint under the same model and step has the same bits as one without interruption.\n' +
    'Under others it continues from the same state. Exit code 0 if the run came to its end, 1 if it failed or a file could\n' +
    'not be written, 2 if the command or a file it names is wrong.',
  flags,
  run,
}

async function run(target: string, xacroArguments: readonly string[], flags: RunFlags): Promise<void> {
  const from =
    flags.from === undefined
      ? undefined
      : parseCheckpoint(readInput(flags.from, { flag: '--from', remedy: 'name a file that --checkpoint wrote' }), flags.from)
  const scenario = await scenarioOf([target, ...onlyXacro(xacroArguments)], goingOn(flags, from))
  const job = await jobOf(target, scenario, flags, from)
  // one run alone: it is simulated and timed in one thread, which loads its code while this one reads the robot
  const own = io.idle === undefined && canUseThreads() && !runsScript(job) ? new IdleThreads() : undefined
  if (own) waitForCompiler(true)
  own?.begin()
  try {
    await runJob(scenario, job, flags, own)
  } finally {
    await own?.end()
  }
  if (flags.live !== undefined) await stream(flags.record as string, flags)
}

/** Streams a recording until the command is interrupted. @throws UsageError where the port is taken */
async function stream(file: string, { live, quiet }: RunFlags): Promise<void> {
  const { streamLive } = await import('../../recording/live.ts')
  const { url, close } = await streamLive(file, readFileSync(file), portOf('--live', live)).catch((error: Error) => {
    throw new UsageError(`--live ${live}: ${error.message}`)
  })
  io.stdout.write(`${url}\n`)
  if (!quiet) note('In Foxglove: Open connection, Foxglove WebSocket, with this address. Ctrl+C ends the stream.')
  await new Promise<unknown>((resolve) => whenInterrupted(resolve))
  close()
}

async function runJob(scenario: Scenario, job: RunJob, flags: RunFlags, own: IdleThreads | undefined): Promise<void> {
  const folder = flags.out === undefined ? undefined : await outputFolder(flags.out)
  const checkpointFile = flags.checkpoint === undefined ? undefined : await outputFile('--checkpoint', flags.checkpoint)
  const askedFile = flags.problem === undefined ? undefined : await outputFile('--problem', flags.problem)
  const reportFile = flags.report === undefined ? undefined : await outputFile('--report', flags.report)
  const progress = new Progress(flags.quiet === true)
  const robots: RobotCache = new Map()
  notes(scenario, await checkStart(job, robots), flags.quiet === true, job.accuracy !== undefined)

  const show = (stage: string) => (fraction: number) => progress.show(`${stage} ${job.model.name} at ${stepText(job)}`, fraction)
  const stopping = new AbortController()
  let ended: NodeJS.Signals | undefined
  whenInterrupted((signal) => {
    ended = signal
    stopping.abort()
  })
  const options = {
    threads: canUseThreads() ? 1 : 0,
    patience: scenario.patience,
    robots,
    stop: stopping.signal,
    idle: own ?? io.idle,
    timesInIdle: own !== undefined,
  }
  const [outcome] = await runJobs([job], { ...options, progress: show('simulating') })
  const [timing] =
    outcome.status === 'ok' && flags.timing !== false && job.accuracy === undefined && ended === undefined
      ? await runJobs([{ kind: 'timing', runs: [job] }], {
          ...options,
          progress: show('timing'),
        })
      : []
  const forks = await forksOf(job, outcome, { ...options, progress: show('forking') })
  progress.end()

  const named = { ...outcome, robotName: job.robot === BODIES_ONLY ? scenario.name : outcome.robotName || job.robot } // a run that was never set up has no name
  const result = { ...resultOf(named, job, timing?.stepTimes[0] ?? null, folder !== undefined), ...answersPart(outcome, forks) }
  const failures = await keep(outcome, result, scenario, { folder, checkpointFile, askedFile, reportFile, robots })
  io.stdout.write(flags.json ? `${JSON.stringify(result, null, 2)}\n` : summary(result, scenario.duration, outcome, flags.out))
  if (outcome.status === 'failed') io.exitCode = exitCodes.failed
  reportUnwritten(failures)
  if (ended !== undefined) io.exitCode = codeOf(ended)
}

async function jobOf(target: string, scenario: Scenario, flags: RunFlags, from: Checkpoint | undefined): Promise<RunJob> {
  const { seed } = scenario
  const accuracy = flags.accuracy === undefined ? undefined : Number(flags.accuracy)
  if (accuracy !== undefined && !(accuracy > 0 && accuracy < 1))
    throw new UsageError(`--accuracy found "${flags.accuracy}", expected a part of the motion between 0 and 1, such as 1e-3`)
  if (accuracy !== undefined && flags.dt !== undefined)
    throw new UsageError('--accuracy chooses the steps, and --dt states one; give one of the two')
  const at = flags.at === undefined ? undefined : await durationOf('--at', flags.at)
  if (at !== undefined && [flags.checkpoint, flags.problem].every((file) => file === undefined))
    throw new UsageError('--at says when the checkpoint or the problem is taken; name its file with --checkpoint or --problem')
  if (flags.record === undefined && (flags.profile ?? flags.compression) !== undefined)
    throw new UsageError('--profile and --compression are of a recording; name its file with --record')
  if (flags.live !== undefined && !flags.record?.endsWith('.mcap'))
    throw new UsageError('--live streams a recording; name its file with --record FILE.mcap')
  portOf('--live', flags.live)
  if (at !== undefined && at > scenario.duration)
    throw new UsageError(`--at ${at} s is behind the end of the run, ${scenario.duration} s; take a longer --duration`)
  return {
    kind: 'run',
    scenario: { ...scenario, variants: [], sweep: {} },
    robot: subjectsOf(scenario)[0],
    model: scenario.models[0],
    dt: scenario.dt[0],
    ...(flags.record === undefined ? {} : { record: await recordingOf(flags.record, flags, seed, target) }),
    ...(flags.checkpoint === undefined ? {} : { checkpointAt: at ?? scenario.duration }),
    ...(flags.problem === undefined ? {} : { problemAt: at ?? scenario.duration }),
    ...(flags.report === undefined ? {} : { replay: true }),
    ...(flags.answers === undefined ? {} : { answers: { every: everyOf(flags), fork: flags.fork === true } }),
    ...(from === undefined ? {} : { from }),
    ...(accuracy === undefined ? {} : { accuracy }),
    ...((flags.ranges ?? flags.motorless) === undefined ? {} : { ranges: rangesOf(flags) }),
  }
}

/** @throws UsageError */
function everyOf({ answers }: RunFlags): number {
  const every = Number(answers)
  if (Number.isInteger(every) && every > 0) return every
  throw new UsageError(`--answers found "${answers}", expected a whole number of steps above 0, such as 10`)
}

/** Runs each answer of the first step with several of them to the end. */
async function forksOf(job: RunJob, { answersFound }: Outcome, options: Parameters<typeof runJobs>[1]): Promise<Outcome[]> {
  const { problemAt: _, answers: __, record: ___, checkpointAt: ____, ...rest } = job
  return runJobs(
    (answersFound?.forks ?? []).map((from) => ({ ...rest, replay: false, from })),
    options,
  )
}

/** How each of them ended. */
const forkRows = (forks: readonly Outcome[]) =>
  forks.map((one) => {
    const { status, failure, hash, laws, metrics } = recordOf(one)
    const success = one.outcome?.success ?? null
    return { status, failure, hash, success, broken: laws.filter((check) => !isKept(check)).map(({ law }) => law), metrics }
  })

function rangesOf({ ranges, profile, motorless = [] }: RunFlags): RangesChoice {
  const every = Number(ranges)
  if (!(every >= 1 && Number.isInteger(every)))
    throw new UsageError(`--ranges found "${ranges}", expected a whole number of steps, such as 1 for each`)
  if (profile !== undefined)
    throw new UsageError('--ranges has a topic of its own, which a bag of ROS 2 lacks; leave out --profile')
  return { every, motorless }
}

async function recordingOf(
  path: string,
  { profile, compression }: RunFlags,
  seed: number,
  target: string,
): Promise<NonNullable<RunJob['record']>> {
  const { mcapFormat, recordingKind } = await import('../../recording/files.ts')
  try {
    const kind = recordingKind(path)
    await mcapFormat({ profile, compression })
    if (kind !== 'mcap' && (profile ?? compression) !== undefined)
      throw new RangeError(`${path}: --profile and --compression are of recordings that end in .mcap`)
    if (kind === 'folder') await outputFolder(path, '--record')
    else await growingFile('--record', path)
  } catch (error) {
    throw error instanceof RecordingError || error instanceof RangeError ? new UsageError(`--record ${error.message}`) : error
  }
  const scenario = isScenarioFile(target) ? { name: basename(target), text: readScenarioFile(target) } : undefined
  return { path, profile, compression, info: { command: commandLine(io.args), version, seed, scenario } }
}

/** A run that goes on keeps its model and step unless flags say otherwise. */
function goingOn(flags: RunFlags, from: Checkpoint | undefined): ScenarioFlags {
  if (from === undefined) return flags
  const known = Object.hasOwn(contactModels, from.contactModel)
  return { ...flags, model: flags.model ?? (known ? from.contactModel : undefined), dt: flags.dt ?? String(from.dt) }
}

/** Notes on its start; builds the world once, so that its mistakes are reported before anything runs. */
async function checkStart({ scenario, robot, model, dt }: RunJob, robots: RobotCache) {
  const prepared = await prepareWorld(scenario, robot, robots)
  const overlaps = checkWorlds({ ...scenario, models: [model], dt: [dt] }, prepared)
  return {
    overlaps,
    logged: await logNotes(scenario, prepared),
    loose: floatingNotice(prepared.robot, prepared.members[0].q, scenario.base),
    beyond: prepared.members.flatMap(({ robot, q }) => limitsNote(robot, q) ?? []),
  }
}

function notes(
  scenario: Scenario,
  { overlaps, logged, loose, beyond }: Awaited<ReturnType<typeof checkStart>>,
  quiet: boolean,
  isChosen: boolean,
): void {
  if (quiet) return
  const { variants, seeds, seed, robots, models, dt, limits, defaults } = scenario
  const stated = (field: string) => defaults.every((one) => one.field !== field)
  if (variants.length > 0) note('run makes one run and leaves the sweep out; compare makes all of them')
  if (seeds.length > 1) note(`run makes one run, of seed ${seed}; --seed chooses another`)
  if (robots.length > 1) note(`run makes one run, of ${robots[0]}`)
  if (models.length > 1 && stated('models')) note(`run makes one run, of ${models[0].name}; --model chooses another`)
  if (dt.length > 1 && stated('dt') && !isChosen) note(`run makes one run, at ${milliseconds(dt[0])}; --dt chooses another`)
  const taken = takenText(scenario)
  if (taken !== undefined) note(taken)
  logged.forEach(note)
  if (loose !== null) note(loose)
  beyond.forEach(note)
  const [deepest] = overlaps
  if (deepest && deepest.depth > limits.penetration)
    note(`before the first step "${deepest.a}" and "${deepest.b}" are ${millimetres(deepest.depth)} deep in each other`)
}

/** Paths of kept files, as far as requested. */
interface Places {
  readonly folder: string | undefined
  readonly checkpointFile: string | undefined
  readonly askedFile: string | undefined
  readonly reportFile: string | undefined
  /** For their looks in the report. */
  readonly robots: RobotCache
}

/** @returns failed writes */
async function keep(
  outcome: Outcome,
  result: ReturnType<typeof resultOf>,
  scenario: Scenario,
  { folder, checkpointFile, askedFile, reportFile, robots }: Places,
): Promise<string[]> {
  const { checkpoint, series, trajectory, recordingFailure, problems, replay, ranges, rangeSeries } = outcome
  const more = rangeSeries === null ? {} : { rangeSeries }
  const whole = () => `${JSON.stringify({ ...result, series, ...more, trajectory }, null, 2)}\n`
  const plots = { series, tracking: null, replay }
  const charts = ranges && rangeSeries ? ([ranges, rangeSeries] as const) : undefined
  const replayed = async () => reportOfRun(result, plots, scenario, commandLine(io.args), await looksOfRobots(robots), charts)
  const asked = problems.find(({ reason }) => reason === 'asked')
  const failed = folder === undefined ? [] : problems.filter(({ reason }) => reason !== 'asked')
  const failures = await writeAll([
    folder !== undefined && (() => writeOutput(join(folder, 'run.json'), whole())),
    checkpointFile !== undefined && checkpoint !== null && (async () => writeOutput(checkpointFile, checkpointText(checkpoint))),
    askedFile !== undefined && asked !== undefined && (() => writeOutput(askedFile, problemText(asked.problem))),
    reportFile !== undefined && replay !== null && (async () => writeOutput(reportFile, await replayed())),
    ...failed.map(
      ({ step, problem }) =>
        () =>
          writeOutput(join(folder as string, problemFile(RUN, step)), problemText(problem)),
    ),
  ])
  if (checkpointFile !== undefined && checkpoint === null)
    failures.push('--checkpoint: the run ended before the time of the checkpoint, so there is none')
  if (askedFile !== undefined && asked === undefined) failures.push(`--problem: ${noProblem(result.model, outcome)}`)
  if (reportFile !== undefined && replay === null)
    failures.push('--report: the run was never set up, so there is nothing to play')
  if (recordingFailure !== '') failures.push(`--record: ${recordingFailure}`)
  return failures
}

/** Of a run that searched for answers. */
function answersPart({ answersFound }: Outcome, forks: readonly Outcome[]) {
  if (answersFound === null) return {}
  const { forks: _, ...counts } = answersFound
  return { answersFound: counts, forks: forkRows(forks) }
}

/** A step, or the accuracy that it is chosen for. */
const stepText = ({ dt, accuracy }: { dt: number; accuracy?: number | null }) =>
  typeof accuracy === 'number' ? `an accuracy of ${significant(accuracy, 3)}` : milliseconds(dt)

/** The one run that this command makes, as file names count them. */
const RUN = 0

/** Why a step that was asked for has no problem. */
function noProblem(model: string, { status, tellsProblems, solvers }: Outcome): string {
  if (status === 'failed') return 'the run ended before that step, so there is none'
  if (tellsProblems) return 'nothing was in contact in that step, so there is none; --at chooses another'
  const why = solvers.length === 0 ? 'solves no problem of contact' : 'cannot tell the problems that it solves'
  return `${model} ${why}; --model chooses one that does, such as stewart-trinkle`
}

function resultOf(
  outcome: Outcome,
  { model, dt: stated, accuracy, scenario }: RunJob,
  time: StepTime | null,
  keepsFiles: boolean,
) {
  const { robotName: robot, steps, recorded, problems, stepCounts, ranges } = outcome
  const record = recordOf(outcome)
  const dt = stepCounts?.largest ?? stated
  const cost = time && { perSecond: time.seconds / dt, spread: time.spread }
  return {
    robot,
    model: model.name,
    dt,
    accuracy: accuracy ?? null,
    stepCounts,
    seed: scenario.seed,
    steps,
    cost,
    ...record,
    metrics: record.metrics && { ...record.metrics, ...speedOf(cost, dt) },
    problems: problems
      .filter(({ reason }) => reason !== 'asked')
      .map(({ step, t, reason }): ReportedStep => ({ step, t, reason, file: keepsFiles ? problemFile(RUN, step) : null })),
    recorded,
    ...(ranges === null ? {} : { ranges }),
  }
}

/** A row a motor: its greatest torque, that of all that explain the motion, and the part that it leaves open. */
function rangesTable({ steps, outside, outsideMax_N, relaxed, relaxationMax_N, joints }: RunRanges): string {
  const cell = (x: number | null, unit: string) => ({ text: x === null ? 'no bound' : `${significant(x, 4)} ${unit}` })
  const rows = joints.map((own) => [{ text: own.joint }, ...[own.model, own.greatest, own.width].map((x) => cell(x, own.unit))])
  const columns = [left('joint'), ...['of the model', 'that explains', 'left open'].map((title) => right(title))]
  const out =
    outside === 0 ? '' : `, in ${outside} with contact forces outside their cones, by ${significant(outsideMax_N, 3)} N at most`
  const none =
    relaxed === 0 ? '' : `, in ${relaxed} without admissible ones, short by ${significant(relaxationMax_N, 3)} N at most`
  return `\nGreatest torques over ${steps} steps${out}${none}\n${table(columns, rows)}`
}

function summary(
  result: ReturnType<typeof resultOf> & Partial<ReturnType<typeof answersPart>>,
  duration: number,
  { recorded, recordingFailure }: Outcome,
  folder = '',
): string {
  const { robot, controller, model, metrics, stepCounts, solvers, deepestPair } = result
  const { bold, dim, bad } = paintFor(io.stdout)
  const under = controller === '' || controller === 'none' ? '' : `under ${controller}, `
  const lines = [`${bold(robot)} ${dim(`${under}${model} at ${stepText(result)}, ${duration} s`)}`]
  const width = 2 + Math.max(...Object.values(metricDefinitions).map(({ label }) => label.length))
  const line = (label: string, value: string) => lines.push(`  ${dim(label.padEnd(width))}${value}`)
  if (stepCounts) {
    const { taken, rejected, forced, smallest, largest, estimate } = stepCounts
    const over = forced === 0 ? '' : `, ${forced} of them too long but the shortest there are`
    line('Steps', `${taken} from ${milliseconds(smallest)} to ${milliseconds(largest)}, ${rejected} rejected${over}`)
    line('Estimated error', `${significant(estimate, 3)} of the motion, all steps together`)
  }
  for (const [key, { label, unit }] of Object.entries(metricDefinitions)) {
    const value = metrics?.[key as keyof Metrics]
    if (value === null || value === undefined) continue
    if (key.startsWith('impact') && metrics?.impacts === 0) continue
    const between = key === 'penetrationMax_m' && deepestPair ? `  ${deepestPair.a} in ${deepestPair.b}` : ''
    line(label, `${significant(value, 6)} ${unit}`.trimEnd() + dim(between))
  }
  for (const { robot: other, trackingRms_rad: rad, trackingRms_m: m } of result.tracking.slice(1)) {
    const parts = [rad === null ? '' : `${significant(rad, 6)} rad`, m === null ? '' : `${significant(m, 6)} m`]
    const value = parts.filter((part) => part !== '').join(', ')
    if (value !== '') line(`Tracking of ${other}`, value)
  }
  for (const [name, value] of Object.entries(result.controllerMetrics))
    line(name, `${significant(value, 6)}  (by the controller)`)
  for (const { name, words } of outcomeWords([result])) line(name, words)
  const dropped = inputsWords([result])
  if (dropped !== null) line('Dropped', dropped)
  for (const check of result.laws)
    if (check.law !== 'inputs' && !isKept(check)) line('Broken law', `${model} ${lawSentence(check)}`)
  if (result.hash) line('State hash at the end', result.hash)
  if (solvers.length > 0) line('Solvers', chainText(solvers))
  if (result.solverFailure) line('Solver', result.solverFailure)
  if (result.firstEnergyGain) line('Energy', result.firstEnergyGain)
  if (result.firstStrain) line('Strained', result.firstStrain)
  if (result.firstLetGo) line('Let go', result.firstLetGo)
  if (result.firstShaking) line('Shakes', result.firstShaking)
  if (result.tunnelling) line('First pass through', result.tunnelling)
  if (result.answers) line('Answers', result.answers)
  result.forks?.forEach(({ status, failure, success, broken, hash }, i) => {
    const task = success === null ? '' : success ? ', success' : ', no success'
    const laws = broken.length === 0 ? 'no law broken' : `broken: ${broken.join(', ')}`
    line(`Answer ${i + 1} to the end`, `${status === 'ok' ? 'ok' : `failed: ${failure}`}${task}, ${laws}, hash ${hash}`)
  })
  for (const { step, t, reason, file } of result.problems) {
    const where = file === null ? dim('  --out DIR saves its problem') : `  ${dim('problem in')} ${join(folder, file)}`
    line(reason === 'failure' ? 'Failed step' : 'First step by fallback', `${step}, t = ${significant(t, 6)} s${where}`)
  }
  if (recorded.length > 0 && recordingFailure === '') line('Recorded', recorded.join(', '))
  if (result.status === 'failed') lines.push(bad(`failed: ${result.failure}`))
  if (result.ranges) lines.push(rangesTable(result.ranges))
  return `${lines.join('\n')}\n`
}

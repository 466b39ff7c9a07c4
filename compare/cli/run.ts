import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { contactModels } from '../../contact/index.ts'
import type { Checkpoint } from '../../simulation/index.ts'
import { checkpointText, parseCheckpoint } from '../checkpointFile.ts'
import { metricDefinitions } from '../metricDefinitions.ts'
import type { Metrics } from '../metrics.ts'
import { robotSheet } from '../picture/robotSheet.ts'
import { canUseThreads, runJobs } from '../pool.ts'
import { problemText } from '../problemFile.ts'
import type { Job, Outcome } from '../run.ts'
import { problemFile, type ShownStep } from '../savedSteps.ts'
import type { Scenario } from '../scenario.ts'
import { BODIES_ONLY, checkWorlds, prepareWorld, type RobotCache, subjectsOf } from '../setup.ts'
import type { Snapshot } from '../snapshot.ts'
import { chainText } from '../solverOutcomes.ts'
import { millimetres, milliseconds, significant } from '../verdict.ts'
import { commandLine } from './commandLine.ts'
import { exitCodes, UsageError } from './errors.ts'
import type { CommonFlags } from './main.ts'
import { outputFile, outputFolder, reportUnwritten, writeAll, writeOutput } from './output.ts'
import { durationOf, isScenarioFile, type ScenarioFlags, scenarioOf } from './scenarioArguments.ts'
import { Progress, paintFor } from './terminal.ts'
import { version } from './version.ts'
import { onlyXacro } from './words.ts'

export interface RunFlags extends CommonFlags, ScenarioFlags {
  readonly out?: string
  readonly record?: string
  readonly checkpoint?: string
  readonly problem?: string
  readonly picture?: string
  readonly at?: string
  readonly from?: string
  /** false: --no-timing. */
  readonly timing?: boolean
}

/** `featherbed run`. */
export async function run(target: string, xacroArguments: readonly string[], flags: RunFlags): Promise<void> {
  const from = flags.from === undefined ? undefined : await readCheckpoint(flags.from)
  const scenario = await scenarioOf([target, ...onlyXacro(xacroArguments)], goingOn(flags, from))
  const job = await jobOf(target, scenario, flags, from)
  const folder = flags.out === undefined ? undefined : await outputFolder(flags.out)
  const checkpointFile = flags.checkpoint === undefined ? undefined : await outputFile('--checkpoint', flags.checkpoint)
  const askedFile = flags.problem === undefined ? undefined : await outputFile('--problem', flags.problem)
  const pictureFile = flags.picture === undefined ? undefined : await outputFile('--picture', flags.picture)
  const progress = new Progress(flags.quiet === true)
  const robots: RobotCache = new Map()
  notes(scenario, await checkStart(job, robots), flags.quiet === true)

  const show = (stage: string) => (fraction: number) =>
    progress.show(`${stage} ${job.model.name} at ${milliseconds(job.dt)}`, fraction)
  const options = { threads: canUseThreads() ? 1 : 0, patience: scenario.patience, robots }
  const [outcome] = await runJobs([job], { ...options, progress: show('simulating') })
  const { record: _, from: __, ...same } = job
  const timing =
    outcome.status === 'ok' && flags.timing !== false
      ? await runJobs([{ ...same, kind: 'timing' }], { ...options, progress: show('timing') })
      : []
  progress.end()

  const named = { ...outcome, robotName: job.robot === BODIES_ONLY ? scenario.name : outcome.robotName || job.robot } // a run that was never set up has no name
  const result = resultOf(named, job, timing[0]?.stepTimes[0] ?? null, folder !== undefined)
  const failures = await keep(outcome, result, { folder, checkpointFile, askedFile, pictureFile })
  process.stdout.write(
    flags.json ? `${JSON.stringify(result, null, 2)}\n` : summary(result, scenario.duration, outcome, flags.out),
  )
  if (outcome.status === 'failed') process.exitCode = exitCodes.failed
  reportUnwritten(failures)
}

async function jobOf(target: string, scenario: Scenario, flags: RunFlags, from: Checkpoint | undefined): Promise<Job> {
  const { seed } = scenario
  const at = flags.at === undefined ? undefined : await durationOf('--at', flags.at)
  if (at !== undefined && [flags.checkpoint, flags.problem, flags.picture].every((file) => file === undefined))
    throw new UsageError(
      '--at says when the checkpoint, the problem or the picture is taken; name its file with --checkpoint, --problem or --picture',
    )
  if (at !== undefined && at > scenario.duration)
    throw new UsageError(`--at ${at} s is behind the end of the run, ${scenario.duration} s; take a longer --duration`)
  return {
    kind: 'run',
    scenario: { ...scenario, variants: [], sweep: {} },
    robot: subjectsOf(scenario)[0],
    model: scenario.models[0],
    dt: scenario.dt[0],
    ...(flags.record === undefined ? {} : { record: await recordingOf(flags.record, seed, target) }),
    ...(flags.checkpoint === undefined ? {} : { checkpointAt: at ?? scenario.duration }),
    ...(flags.problem === undefined ? {} : { problemAt: at ?? scenario.duration }),
    ...(flags.picture === undefined ? {} : { pictureAt: at ?? scenario.duration }),
    ...(from === undefined ? {} : { from }),
  }
}

async function recordingOf(path: string, seed: number, target: string): Promise<NonNullable<Job['record']>> {
  if (/\.(mcap|csv)$/i.test(path)) await outputFile('--record', path)
  else await outputFolder(path, '--record')
  const scenario = isScenarioFile(target) ? { name: basename(target), text: await readFile(target, 'utf8') } : undefined
  return { path, info: { command: commandLine(process.argv.slice(2)), version, seed, scenario } }
}

/** A run that goes on keeps its model and step unless flags say otherwise. */
function goingOn(flags: RunFlags, from: Checkpoint | undefined): ScenarioFlags {
  if (from === undefined) return flags
  const known = Object.hasOwn(contactModels, from.contactModel)
  return { ...flags, model: flags.model ?? (known ? from.contactModel : undefined), dt: flags.dt ?? String(from.dt) }
}

async function readCheckpoint(file: string): Promise<Checkpoint> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(
      `--from ${file}: cannot be read (${(error as NodeJS.ErrnoException).code}); name a file that --checkpoint wrote`,
    )
  }
  return parseCheckpoint(text, file)
}

/** Builds the world once, so that what is wrong with it is said before anything runs; what overlaps in it at the start. */
async function checkStart({ scenario, robot, model, dt }: Job, robots: RobotCache) {
  return checkWorlds({ ...scenario, models: [model], dt: [dt] }, await prepareWorld(scenario, robot, robots))
}

function notes(scenario: Scenario, overlaps: ReturnType<typeof checkWorlds>, quiet: boolean): void {
  if (quiet) return
  const say = (text: string) => process.stderr.write(`${paintFor(process.stderr).warn('note:')} ${text}\n`)
  const { variants, seeds, seed, robots, models, dt, limits, defaults } = scenario
  const stated = (field: string) => defaults.every((one) => one.field !== field)
  if (variants.length > 0) say('run makes one run and leaves the sweep out; compare makes all of them')
  if (seeds.length > 1) say(`run makes one run, of seed ${seed}; --seed chooses another`)
  if (robots.length > 1) say(`run makes one run, of ${robots[0]}`)
  if (models.length > 1 && stated('models')) say(`run makes one run, of ${models[0].name}; --model chooses another`)
  if (dt.length > 1 && stated('dt')) say(`run makes one run, at ${milliseconds(dt[0])}; --dt chooses another`)
  const [deepest] = overlaps
  if (deepest && deepest.depth > limits.penetration)
    say(`before the first step "${deepest.a}" and "${deepest.b}" are ${millimetres(deepest.depth)} deep in each other`)
}

/** Where what is kept goes, as far as it was asked for. */
interface Places {
  readonly folder: string | undefined
  readonly checkpointFile: string | undefined
  readonly askedFile: string | undefined
  readonly pictureFile: string | undefined
}

/** @returns what could not be kept */
async function keep(
  outcome: Outcome,
  result: ReturnType<typeof resultOf>,
  { folder, checkpointFile, askedFile, pictureFile }: Places,
): Promise<string[]> {
  const { checkpoint, series, trajectory, recordingFailure, problems, picture } = outcome
  const whole = () => `${JSON.stringify({ ...result, series, trajectory }, null, 2)}\n`
  const asked = problems.find(({ reason }) => reason === 'asked')
  const failures = await writeAll([
    ...(folder === undefined ? [] : [() => writeOutput(join(folder, 'run.json'), whole())]),
    ...(checkpointFile === undefined || checkpoint === null
      ? []
      : [async () => writeOutput(checkpointFile, checkpointText(checkpoint))]),
    ...(askedFile === undefined || asked === undefined ? [] : [() => writeOutput(askedFile, problemText(asked.problem))]),
    ...(pictureFile === undefined || picture === null ? [] : [() => writeOutput(pictureFile, sheetOf(result, picture))]),
    ...(folder === undefined
      ? []
      : problems
          .filter(({ reason }) => reason !== 'asked')
          .map(
            ({ step, problem }) =>
              () =>
                writeOutput(join(folder, problemFile(RUN, step)), problemText(problem)),
          )),
  ])
  if (checkpointFile !== undefined && checkpoint === null)
    failures.push('--checkpoint: the run ended before the time of the checkpoint, so there is none')
  if (askedFile !== undefined && asked === undefined) failures.push(`--problem: ${noProblem(result.model, outcome)}`)
  if (pictureFile !== undefined && picture === null)
    failures.push('--picture: the run did not take the step that was to be drawn, so there is none')
  if (recordingFailure !== '') failures.push(`--record: ${recordingFailure}`)
  return failures
}

function sheetOf({ robot, model, dt }: ReturnType<typeof resultOf>, picture: Snapshot): string {
  return robotSheet(picture, robot, `${model} at ${milliseconds(dt)}, the step that ends at t = ${significant(picture.t, 6)} s`)
    .svg
}

/** The one run that this command makes, as file names count them. */
const RUN = 0

/** Why a step that was asked for has no problem. */
function noProblem(model: string, { status, tellsProblems, solvers }: Outcome): string {
  if (status === 'failed') return 'the run ended before that step, so there is none'
  if (tellsProblems) return 'nothing was in contact in that step, so there is none; --at chooses another'
  const why = solvers.length === 0 ? 'solves no problem of contact' : 'cannot tell the problems that it solves'
  return `${model} ${why}; --model chooses one that does, such as stewart-trinkle`
}

function resultOf(outcome: Outcome, { model, dt, scenario }: Job, stepTime: number | null, keepsFiles: boolean) {
  const {
    robotName: robot,
    controller,
    controllerPeriod,
    status,
    failure,
    hash,
    steps,
    metrics,
    controllerMetrics,
    parameters,
    physical,
    solverFailure,
    firstStrain,
    tunnelling,
    tracking,
    touched,
    deepestPair,
    recorded,
    solvers,
    problems,
  } = outcome
  const timed = metrics && {
    ...metrics,
    step_us: stepTime === null ? null : stepTime * 1e6,
    realTimeFactor: stepTime === null ? null : dt / stepTime,
  }
  return {
    robot,
    controller,
    controllerPeriod_s: controllerPeriod,
    model: model.name,
    dt,
    seed: scenario.seed,
    status,
    failure: failure || null,
    hash,
    steps,
    metrics: timed,
    controllerMetrics,
    parameters,
    physical,
    solverFailure: solverFailure || null,
    firstStrain: firstStrain || null,
    tunnelling: tunnelling || null,
    solvers,
    problems: problems
      .filter(({ reason }) => reason !== 'asked')
      .map(({ step, t, reason }): ShownStep => ({ step, t, reason, file: keepsFiles ? problemFile(RUN, step) : null })),
    tracking,
    touched,
    deepestPair,
    recorded,
  }
}

function summary(
  {
    robot,
    controller,
    model,
    dt,
    status,
    failure,
    hash,
    metrics,
    controllerMetrics,
    solverFailure,
    firstStrain,
    tunnelling,
    solvers,
    problems,
    tracking,
    deepestPair,
  }: ReturnType<typeof resultOf>,
  duration: number,
  { recorded, recordingFailure }: Outcome,
  folder = '',
): string {
  const { bold, dim, bad } = paintFor(process.stdout)
  const under = controller === '' || controller === 'none' ? '' : `under ${controller}, `
  const lines = [`${bold(robot)} ${dim(`${under}${model} at ${milliseconds(dt)}, ${duration} s`)}`]
  const line = (label: string, value: string) => lines.push(`  ${dim(label.padEnd(26))}${value}`)
  for (const [key, { label, unit }] of Object.entries(metricDefinitions)) {
    const value = metrics?.[key as keyof Metrics]
    if (value === null || value === undefined) continue
    if (key.startsWith('impact') && metrics?.impacts === 0) continue
    const between = key === 'penetrationMax_m' && deepestPair ? `  ${deepestPair.a} in ${deepestPair.b}` : ''
    line(label, `${significant(value, 6)} ${unit}`.trimEnd() + dim(between))
  }
  for (const { robot: other, trackingRms_rad: rad, trackingRms_m: m } of tracking.slice(1)) {
    const parts = [rad === null ? '' : `${significant(rad, 6)} rad`, m === null ? '' : `${significant(m, 6)} m`]
    const value = parts.filter((part) => part !== '').join(', ')
    if (value !== '') line(`Tracking of ${other}`, value)
  }
  for (const [name, value] of Object.entries(controllerMetrics)) line(name, `${significant(value, 6)}  (by the controller)`)
  if (hash) line('State hash at the end', hash)
  if (solvers.length > 0) line('Solvers', chainText(solvers))
  if (solverFailure) line('Solver', solverFailure)
  if (firstStrain) line('Strained', firstStrain)
  if (tunnelling) line('First pass through', tunnelling)
  for (const { step, t, reason, file } of problems) {
    const where = file === null ? dim('  --out DIR saves its problem') : `  ${dim('problem in')} ${join(folder, file)}`
    line(reason === 'failure' ? 'Failed step' : 'First step by fallback', `${step}, t = ${significant(t, 6)} s${where}`)
  }
  if (recorded.length > 0 && recordingFailure === '') line('Recorded', recorded.join(', '))
  if (status === 'failed') lines.push(bad(`failed: ${failure}`))
  return `${lines.join('\n')}\n`
}

import { rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join, relative } from 'node:path'
import type { SavedProblem } from '../../../contact/index.ts'
import { shortened } from '../../../dynamics/index.ts'
import { visible } from '../../../robots/index.ts'
import { problemText } from '../../inspect/problemFile.ts'
import { besideLines } from '../../judge/beside.ts'
import { bundleOf, packBundle } from '../../judge/bundle.ts'
import {
  type Comparison,
  compare,
  loadNow,
  RESULTS_VERSION,
  type Results,
  type ResultsFile,
  type RunResult,
  resultsFile,
} from '../../judge/compare.ts'
import { barOf, barsKey, withBar } from '../../judge/errorBars.ts'
import type { Verdict, VerdictState } from '../../judge/verdict.ts'
import { nameOf, valueText, worldWords } from '../../judge/verdictWords.ts'
import { grouped } from '../../measure/grouped.ts'
import { isKept, type LawCheck, lawDefinitions, shownValue } from '../../measure/laws.ts'
import { counted, milliseconds, significant } from '../../measure/numbers.ts'
import { writeWhole } from '../../recording/wholeFile.ts'
import { columns as figureColumns, measuredWords } from '../../report/columns.ts'
import { reportOf } from '../../report/report.ts'
import { isChoice } from '../../report/subject.ts'
import { summaryFiles, verdictsOf } from '../../report/summary.ts'
import { JobStore } from '../../run/jobStore.ts'
import { IdleThreads } from '../../run/pool.ts'
import { looksOfRobots } from '../../run/robotLooks.ts'
import { chainText } from '../../run/solverOutcomes.ts'
import type { Limits, Scenario } from '../../scenario/index.ts'
import { type SharedFiles, sizesOf } from '../../scenario/sharedRun.ts'
import { isOutside, type RobotCache, subjectsOf } from '../../scenario/world/files.ts'
import { codeOf, whenInterrupted } from '../atEnd.ts'
import { commandLine } from '../commandLine.ts'
import { exitCodes, UsageError } from '../errors.ts'
import { io } from '../io.ts'
import { outputFolder, reportUnwritten, writeAll, writeOutput } from '../output.ts'
import { type Again, compareEnds, type Reopened, reopen, reopenFlags } from '../reopen.ts'
import { besideFlag, besideModels, isScenarioFile, scenarioFlags, scenariosOf } from '../scenarioArguments.ts'
import { type Cell, type Column, left, note, type Paint, Progress, paintFor, right, table } from '../terminal.ts'
import { type FlagsOf, jobFlags, type Verb } from '../verb.ts'
import { version } from '../version.ts'

export const NO_FOLDER = '--resume continues the runs in the folder of --out DIR; name that folder'

const flags = {
  ...scenarioFlags,
  ...reopenFlags,
  '--models <a,b|all>': 'contact models (default: all)',
  '--dt <a,b>': 'time steps (default: 1e-3,1e-2)',
  ...besideFlag,
  '--their-importer': 'engines of --beside read the robot file themselves; of MJCF it implies --as-mujoco',
  '--shard <i/n>': 'compute a sweep of any size without references, as one of n machines, as featherbed sweep --shard does',
  '--map <axes>': 'draw a map in place of the comparison, as featherbed map --over does: dt,stiffness',
  '--out <dir>': 'write results.json and report.html into this folder, and the problems of failed steps',
  '--error-bars':
    'run each pair twice more, at halves and quarters of its step, stiffer and nearer to the cone, and put ± on its figures',
  '--no-timing': 'leave out the computing times; the verdicts are the same',
  '--fail-on <state>':
    'none: exit code 1 if a robot has no pair to take (nothing fits, or the scene is at fault); undecided: also if models contradict each other',
  '--summary <junit|markdown>': 'write the verdicts into the folder of --out as well, as summary.xml or summary.md',
  ...jobFlags,
} as const
export type CompareFlags = FlagsOf<typeof flags>

export const verb: Verb = {
  example:
    '  featherbed compare diffdrive humanoid --models all --dt 1e-3,1e-2 --duration 5 --out results\n' +
    '  featherbed compare docs/examples/slide.yaml docs/examples/pile.yaml --out results\n\n' +
    'A scenario file is a comparison of its own; robots named beside it are compared with each other.\n' +
    'The verdict names the pairs of model and step that keep the laws of mechanics and contact, with penetration, motion and\n' +
    "energy errors within the limits (2 mm, 1 %, 1 %, or the scenario's own), at the least counted work. It is undecided where\n" +
    'such models contradict each other. Exit code 0 if every robot has a verdict, also one that takes nothing, unless\n' +
    '--fail-on is given; 1 if no run of a robot came to its end; 2 if the command or a file is wrong.',
  arguments: { 'robot|scenario': 'robots, with name:=value for the arguments of xacro files, and scenario files' },
  flags,
  run: async (targets: string[], flags: CompareFlags) => {
    if (flags.map !== undefined) return (await import('./map.ts')).map(targets, { ...flags, over: flags.map })
    if (flags.shard === undefined) return compareCommand(targets, flags)
    const { out } = flags
    if (targets.length !== 1 || out === undefined)
      throw new UsageError('--shard computes chunks of one scenario file into --out DIR')
    return (await import('./sweeps/sweep.ts')).sweep(targets[0], { ...flags, out })
  },
}

async function compareCommand(targets: readonly string[], flags: CompareFlags): Promise<void> {
  const reopened = await reopen(targets, flags)
  if (reopened === undefined) return compareScenarios(await withBeside(targets, flags), targets.filter(isScenarioFile), flags)
  try {
    if (!flags.quiet) for (const text of reopened.notes) note(text)
    await compareScenarios(reopened.scenarios, [], flags, reopened)
  } finally {
    await rm(reopened.folder, { recursive: true, force: true })
  }
}

/** The scenarios, with engines from outside as further models where they are asked for. @throws UsageError where one cannot be had */
async function withBeside(targets: readonly string[], flags: CompareFlags): Promise<Scenario[]> {
  const { theirImporter = false } = flags
  const outside = await besideModels(flags, theirImporter)
  if (theirImporter && outside.length === 0) throw new UsageError('--their-importer is of --beside ENGINES; name some')
  // what a file of MuJoCo's states of its step is a part of it
  const asMujoco = flags.asMujoco || (theirImporter && targets.every((target) => target.endsWith('.xml')))
  const scenarios = await scenariosOf(targets, { ...flags, asMujoco })
  const swept = scenarios.find(({ variants }) => variants.length > 0)
  if (theirImporter && swept)
    throw new UsageError(`--their-importer: ${swept.name} has a sweep, which a file cannot follow; leave one of the two out`)
  return scenarios.map((scenario) => ({ ...scenario, models: [...scenario.models, ...outside] }))
}

/** @param sources scenario files, which the bundle keeps @param reopened page or results they came from, if any */
async function compareScenarios(
  scenarios: readonly Scenario[],
  sources: readonly string[],
  flags: CompareFlags,
  reopened?: Reopened,
): Promise<void> {
  const [failing, summaryFile] = [failingStates(flags), summaryOf(flags)]
  const folder = flags.out === undefined ? undefined : await outputFolder(flags.out)
  if (flags.resume && folder === undefined) throw new UsageError(NO_FOLDER)
  const store = folder === undefined ? undefined : new JobStore(join(folder, '.partial'), version, flags.resume === true)
  const progress = new Progress(flags.quiet === true)
  const kept = store && keepFinished(store, folder as string, progress, flags.resume === true)
  // written as they come: those of many bodies are too large to be kept
  const saving: Promise<string[]>[] = []
  const save = (file: string, problem: SavedProblem) => {
    saving.push(writeAll([() => writeOutput(join(folder as string, file), problemText(problem))]))
  }
  const threads = threadsOf(flags)
  const robots: RobotCache = new Map()
  const comparisons: Comparison[] = []
  const load = loadNow()
  const idle = io.idle ?? new IdleThreads()
  try {
    for (const [i, scenario] of scenarios.entries()) {
      const several = scenarios.length > 1
      const place = several ? `${scenario.name}, ${i + 1} of ${scenarios.length}: ` : ''
      comparisons.push(
        await compare(scenario, {
          ...{ timing: flags.timing, errorBars: flags.errorBars },
          save: folder === undefined ? undefined : save,
          threads,
          number: several ? i : undefined,
          robots,
          store,
          idle,
          progress: (stage, fraction) => progress.show(place + stageLine(stage, scenario, flags.errorBars), fraction),
          notice: (text) => flags.quiet || note(place + text),
        }),
      )
    }
  } finally {
    if (idle !== io.idle) await idle.end()
  }
  progress.end()

  const command = reopened?.bundle.command ?? commandLine(io.args)
  const document = resultsFile(comparisons, { command, processor: cpus()[0]?.model.trim(), featherbed: version, load })
  const plots = comparisons.map((comparison) => comparison.plots)
  const again = reopened?.ends && compareEnds(reopened.ends, document.comparisons)
  const bundle =
    folder === undefined
      ? undefined
      : reopened
        ? { ...reopened.bundle, featherbed: version }
        : await bundleOf(scenarios, document.comparisons, robots, { sources, command, featherbed: version })
  const packed = bundle && { ...bundle, text: packBundle(bundle) }
  if (bundle && bundle.files.size > 0 && !flags.quiet) note(heldText(bundle.files))
  // the figures before the report: if the disk takes no more, or the report fails, they are kept
  const failures =
    folder === undefined || packed === undefined
      ? []
      : await writeAll([
          () => writeOutput(join(folder, 'results.json'), `${JSON.stringify({ ...document, bundle: packed.text }, null, 2)}\n`),
          async () => writeOutput(join(folder, 'report.html'), reportOf(document, plots, packed, await looksOfRobots(robots))),
          ...(summaryFile ? [async () => writeOutput(join(folder, summaryFile.name), summaryFile.text(document, failing))] : []),
        ])
  failures.push(...(await Promise.all(saving)).flat())
  if (store?.failure) failures.push(store.failure)
  if (failures.length === 0) {
    store?.remove()
    kept?.remove()
  }
  const written = failures.length === 0 ? folder : undefined
  io.stdout.write(
    flags.json
      ? `${JSON.stringify({ ...document, ...(again && { again }) }, null, 2)}\n`
      : summary(comparisons, scenarios, written, folder) + (again && reopened ? againText(again, reopened) : ''),
  )
  if (isFailure(document, failing) || (again && again.same < again.runs)) io.exitCode = exitCodes.failed
  reportUnwritten(failures)
}

/** Most files that a note names. */
const NAMED = 10

/** What goes out with a report. */
function heldText(files: SharedFiles): string {
  const held = sizesOf(files)
  const named = held.slice(0, NAMED).map(({ name, size }) => `${visible(name)} (${size})`)
  return `report.html and results.json hold ${named.join(', ')}${held.length > NAMED ? ` and ${held.length - NAMED} smaller` : ''}`
}

/** Writing every finished run anew is cheap up to this many of them; with more, the file may lag by so much [ms]. */
const FEW_RUNS = 100
const PERIOD = 1000

/**
 * Keeps the figures of the finished runs in the folder, for whatever ends the command. A signal ends it with all of them.
 *
 * @returns its cleanup
 */
function keepFinished(store: JobStore, folder: string, progress: Progress, resumes: boolean): { remove(): void } {
  const file = join(folder, 'results.partial.json')
  if (!resumes) rmSync(file, { force: true })
  const { runs } = store
  const write = () => writeWhole(file, `${JSON.stringify({ version: RESULTS_VERSION, finished: runs }, null, 2)}\n`)
  let last = 0
  store.onKept = () => {
    if (runs.length > FEW_RUNS && performance.now() - last < PERIOD) return
    last = performance.now()
    try {
      write()
    } catch (error) {
      store.failure = (error as Error).message
    }
  }
  const calm = whenInterrupted((signal) => {
    progress.end()
    try {
      write()
      io.stderr.write(
        `Interrupted. ${runs.length} finished ${runs.length === 1 ? 'run is' : 'runs are'} in ${relative(process.cwd(), file)}, without errors and costs; the same command with --resume goes on from here.\n`,
      )
    } catch (error) {
      io.stderr.write(`Interrupted. ${(error as Error).message}\n`)
    }
    process.exit(codeOf(signal))
  })
  return {
    remove: () => {
      calm()
      rmSync(file, { force: true })
    },
  }
}

/** Whether runs ended as they did where a bundle was made. */
function againText({ runs, same, different }: Again, { file, bundle }: Reopened): string {
  const { good, bad } = paintFor(io.stdout)
  if (same === runs) return `${good(`${same} of ${runs} runs end in the same bits as in ${file}.`)}\n`
  const all = different
    .slice(0, 12)
    .map(({ robot, model, dt, seed }) => `${robot}, ${model} at ${milliseconds(dt)}, seed ${seed}`)
  const more = different.length > all.length ? ` and ${different.length - all.length} more` : ''
  const versions = bundle.featherbed === version ? '' : ` It was made by Featherbed ${bundle.featherbed}; this is ${version}.`
  return `${bad(`${same} of ${runs} runs end in the same bits as in ${file}; others end differently: ${all.join('; ')}${more}.${versions}`)}\n`
}

function stageLine(stage: string, scenario: Scenario, hasBars = false): string {
  const { dt, seeds, variants, models } = scenario
  const chosen = variants.length > 0 ? variants.reduce((sum, variant) => sum + variant.scenario.models.length, 0) : models.length
  const groups = subjectsOf(scenario).length * chosen
  const runs = groups * dt.length * seeds.length
  return stage === 'timing'
    ? `timing ${groups * dt.length} pairs of model and step, in turns`
    : `simulating ${runs} runs${hasBars ? `, ${2 * runs} refinements` : ''} and ${groups * seeds.length} references`
}

const failingWords: Readonly<Record<string, readonly VerdictState[]>> = {
  none: ['none', 'unhealthy', 'withheld'],
  undecided: ['none', 'unhealthy', 'withheld', 'undecided'],
}

/** The states of a verdict that end the command with exit code 1. @throws UsageError */
function failingStates({ failOn }: CompareFlags): readonly VerdictState[] {
  if (failOn === undefined) return []
  if (!Object.hasOwn(failingWords, failOn)) throw new UsageError(`--fail-on found "${failOn}", expected none or undecided`)
  return failingWords[failOn]
}

/** Whether no run of a robot came to its end, or a verdict has one of these states. */
function isFailure(file: ResultsFile, failing: readonly VerdictState[]): boolean {
  const isStranded = ({ robots, runs }: Results) =>
    robots.some(({ robot }) => runs.every((run) => run.robot !== robot || run.status === 'failed'))
  return file.comparisons.some(isStranded) || verdictsOf(file).some(({ verdict }) => failing.includes(verdict.state))
}

/** The file that --summary names. @throws UsageError */
function summaryOf({ summary: form, out }: CompareFlags): (typeof summaryFiles)['junit'] | undefined {
  if (form === undefined) return undefined
  if (!Object.hasOwn(summaryFiles, form)) throw new UsageError(`--summary found "${form}", expected junit or markdown`)
  if (out === undefined) throw new UsageError('--summary writes into the folder of --out; name that folder')
  return summaryFiles[form as keyof typeof summaryFiles]
}

/** How many runs at a time the flags ask for. @throws UsageError */
export function threadsOf({ serial, threads }: Pick<CompareFlags, 'serial' | 'threads'>): number | undefined {
  if (serial) return 1
  if (threads === undefined) return undefined
  if (!/^[1-9]\d?$/.test(threads)) throw new UsageError(`--threads found "${threads}", expected a whole number from 1 to 99`)
  return Number(threads)
}

/** Text for the terminal. */
function summary(
  comparisons: readonly Comparison[],
  scenarios: readonly Scenario[],
  written: string | undefined,
  asked: string | undefined,
): string {
  const paint = paintFor(io.stdout)
  const parts = comparisons.flatMap(({ results }, i) => [
    ...(comparisons.length > 1 ? [`${i + 1}. ${paint.bold(scenarios[i].name)}`, ''] : []),
    ...comparisonLines(results, scenarios[i], paint),
  ])
  parts.push(...nextLines(comparisons, scenarios, paint))
  if (written !== undefined) {
    const shownPath = relative(process.cwd(), written) || '.'
    parts.push(`Written: ${join(shownPath, 'report.html')} and ${join(shownPath, 'results.json')}`)
  } else if (asked === undefined) parts.push(paint.dim('--out DIR writes a report with plots, and results.json.'))
  return `${parts.join('\n')}\n`
}

/** Of one robot by itself without a controller of its own: what was run, and the commands that come next. */
function nextLines(comparisons: readonly Comparison[], scenarios: readonly Scenario[], { bold, dim }: Paint): string[] {
  const [{ results }] = comparisons
  const [scenario] = scenarios
  const [robot] = results.robots
  const isBare = scenario.controller === undefined && scenario.companions.length + scenario.bodies.length === 0
  if (scenarios.length > 1 || results.robots.length > 1 || !isBare || io.args.some(isScenarioFile)) return []
  const { source, floating, joints, mass, controller, controllerWhy, groundHeight_m, warnings } = robot
  const path = relative('.', source)
  const name = path !== '' && path.length < source.length ? path : source
  const what = `${floating ? 'a floating base' : 'a fixed base'}, ${counted(joints, 'joint')}, ${significant(mass, 3)} kg`
  const where = groundHeight_m === null ? 'without ground' : 'on level ground'
  const commands = [
    [`featherbed inspect ${name} --joints`, warnings > 0 ? 'its joints; without --joints the findings' : 'its joints and limits'],
    ['featherbed new controller my_controller.ts', 'a controller to begin with'],
    [`featherbed compare ${name} --controller my_controller.ts --out results`, 'your controller, with a report'],
  ]
  return [
    `What was run: ${robot.robot} (${what}) ${where} for ${significant(scenario.duration, 3)} s under ${controller} (${controllerWhy}).`,
    bold('Next:'),
    ...commands.map(([command, why]) => `  ${command}  ${dim(`# ${why}`)}`),
    '',
  ]
}

function comparisonLines(results: Results, { limits, duration, ground, seeds }: Scenario, paint: Paint): string[] {
  const { bold, dim, good, warn } = paint
  const parts: string[] = []
  results.robots.forEach((shown, r) => {
    const { robot, controller, warnings, groundHeight_m, others } = shown
    const verdict = results.verdicts[r]
    const runs = results.runs.filter((run) => run.robot === robot)
    const file = warnings === 0 ? '' : `; ${warnings} warning${warnings === 1 ? '' : 's'} in its file, see featherbed inspect`
    const beside = others.length === 0 ? '' : `beside ${others.length > 4 ? `${others.length} others` : others.join(', ')}, `
    const under = controller === 'none' ? '' : `under ${controller}, `
    const worst = seeds.length > 1 ? `, the worst of ${seeds.length} seeds` : ''
    parts.push(
      `${bold(robot)} ${dim(`${beside}${under}${duration} s${worst}${file}`)}`,
      runTable(runs, limits, verdict, paint),
      ...(runs.some(({ bars }) => bars) ? [dim(`  ${barsKey}`)] : []),
      ...byText(runs, ({ status, failure }) => (status === 'failed' ? failure : null)).map(warn),
      ...byText(runs, ({ status, solverFailure }) => (status === 'failed' ? null : solverFailure)).map(dim),
      ...byText(runs, ({ firstStrain }) => firstStrain).map(dim),
      ...byText(runs, ({ firstLetGo }) => firstLetGo).map(dim),
      ...byText(runs, ({ firstShaking }) => firstShaking).map(warn),
      ...byText(runs, ({ tunnelling, metrics }) => tunnellingText(metrics?.tunnelled ?? 0, tunnelling)).map(warn),
      ...byText(runs, ({ cost, error }) => (cost === null ? (error?.note ?? null) : null)).map(dim),
      ...byText(runs, fallbackText).map(dim),
      ...byText(runs, ({ problems }) => savedText(problems)).map(dim),
    )
    if (shown.floatingNotice !== null) parts.push(warn(`  ${shown.floatingNotice}`))
    parts.push(...shown.limitsNotes.map((note) => warn(`  ${note}`)))
    if (groundHeight_m !== null && groundHeight_m !== ground?.height)
      parts.push(dim(`  The ground lies at z = ${significant(groundHeight_m, 3)} m: higher, and the robot would start in it.`))
    const isOver = runs.every(({ status }) => status === 'failed')
    const sentence = isOver ? `${robot}: no verdict, because every run failed.` : verdict.sentence
    const answers = verdict.answer?.lines.filter((line) => !sentence.includes(line)) ?? []
    const lines = isOver ? [] : [...answers, ...verdict.reasons].map((line) => `  ${line}`)
    parts.push('', (verdict.set.length > 0 ? good : warn)(sentence), ...lines, '')
    const engines = besideLines((results.beside ?? []).filter((one) => one.robot === robot))
    if (engines.length > 0) parts.push(...engines.map((line) => `  ${line}`), '')
  })
  return parts
}

/** One line a text, with all the runs that say the same. */
function byText(runs: readonly RunResult[], textOf: (run: RunResult) => string | null): string[] {
  return [...grouped(runs, textOf)].flatMap(([text, same]) => {
    if (text === null || text === '') return []
    const who = [...new Set(same.map((run) => `${nameOf(run)} at ${milliseconds(run.dt)}${worldText(run, runs)}`))]
    return `  ${same.length === runs.length && who.length > 1 ? 'every run' : shortened(who, MOST_NAMES, ` and ${who.length - MOST_NAMES} more, which report.html of --out names`)}: ${text}`
  })
}

/** Runs that are named before one text. */
const MOST_NAMES = 6

/** The world of a run, where there are several: `, physical.friction 0.5, seed 2`. */
function worldText(run: RunResult, runs: readonly RunResult[]): string {
  const seeds = new Set(runs.map(({ seed }) => seed)).size > 1 ? `seed ${run.seed}` : ''
  return [worldWords(run), seeds].map((words) => words && `, ${words}`).join('')
}

/** How often shapes passed through each other, and the first time; or null. */
const tunnellingText = (count: number, first: string | null): string | null =>
  count === 0 ? null : `${first}${count > 1 ? `, the first of ${count} such passes` : ''}`

/** How many steps a fallback answered, and which solvers were asked, where the model has any; or null. */
function fallbackText({ solvers, metrics }: RunResult): string | null {
  if (metrics === null || (metrics.fallbacks === 0 && metrics.solverFailures === 0)) return null
  const { fallbacks } = metrics
  const steps = fallbacks === 0 ? [] : [`${fallbacks} ${fallbacks === 1 ? 'step' : 'steps'} by a fallback`]
  return [...steps, ...(solvers.length > 0 ? [chainText(solvers)] : [])].join('; ')
}

/** Which problems of a run were saved, or null. */
function savedText(problems: RunResult['problems']): string | null {
  const files = problems.flatMap(({ file }) => file ?? [])
  return files.length === 0 ? null : `problems for featherbed solve in ${files.join(', ')}`
}

/** Sweep values of a run, in a word or two: the last part of each path, and the value. */
function variantText({ variant }: RunResult): string {
  return Object.entries(variant ?? {})
    .map(([path, value]) => `${path.split('.').at(-1)} ${valueText(value)}`)
    .join(', ')
}

/** Errors beyond this multiple of their limit are shown as "lost": the figure itself means nothing. */
const DIVERGED = 1e4

/** The largest figure of some runs; null where one has none. */
function largest(runs: readonly RunResult[], of: (run: RunResult) => number | null | undefined): number | null {
  const values = runs.map(of)
  return values.some((value) => value === null || value === undefined) ? null : Math.max(...(values as number[]))
}

type Bar = ReturnType<typeof barOf>

function runTable(runs: readonly RunResult[], limits: Limits, verdict: Verdict, { bad, bold, dim }: Paint): string {
  const figures = figureColumns.flatMap(({ short, ...column }) => (short ? [{ ...column, ...short }] : []))
  const measured = measuredWords(runs).map(({ name }) => name)
  const columns: Column[] = [
    left('\nmodel'),
    left('\nvariant'),
    right('\nstep'),
    ...figures.map(({ title, print, limit, dispensable }) =>
      right(limit === undefined ? title : `${title}  \n<= ${print(limits[limit])}  `, dispensable),
    ),
    left('worst\nlaw'),
    ...measured.map((name) => ({ ...left(`\n${name}`), dispensable: name === 'success' ? undefined : 3 })),
    left(''),
  ]
  const limited = (value: number | null | undefined, limit: number, print: (x: number) => string, bar: Bar): Cell => {
    if (value === null || value === undefined) return { text: '-  ' }
    const within = value <= limit
    const text = value <= DIVERGED * limit ? withBar(value, bar, print) : 'lost'
    return { text: `${text} ${within ? ' ' : '!'}`, paint: within ? undefined : bad }
  }
  const plain = (value: number | null | undefined, print: (x: number) => string, bar: Bar): Cell => ({
    text: value === null || value === undefined ? '-' : withBar(value, bar, print),
  })
  // those that differ in the seed alone are one row
  const groups = grouped(runs, ({ variant, model, dt }) => JSON.stringify([variant, model, dt]))
  const rows = [...groups.values()].map((group): Cell[] => {
    const [{ model, dt }] = group
    const isBest = isChoice(group[0], verdict)
    const failed = group.filter(({ status }) => status === 'failed').length
    const fits = group.every(({ missed }) => missed.length === 0)
    return [
      { text: model, paint: isBest ? bold : undefined },
      { text: variantText(group[0]) || '-' },
      { text: milliseconds(dt) },
      ...figures.map(({ key, read, print, limit }) => {
        const [value, bar] = [largest(group, read), barOf(group, key)]
        return limit === undefined ? plain(value, print, bar) : limited(value, limits[limit], print, bar)
      }),
      lawCell(group, bad),
      ...measured.map((name) => ({ text: measuredWords(group).find((own) => own.name === name)?.words ?? '-' })),
      failed > 0
        ? { text: failed === group.length ? 'failed' : `${failed} of ${group.length} failed`, paint: bad }
        : isBest
          ? { text: 'take this', paint: bold }
          : {
              text:
                fits && !isOutside(model) ? (verdict.set.some((choice) => isChoice(group[0], choice)) ? 'or this' : 'fits') : '',
              paint: dim,
            },
    ]
  })
  // a figure that has no meaning for any run of this robot needs no column
  const told = columns.map((_, i) => i === 0 || i === 2 || rows.some((row) => row[i].text.trim() !== '-'))
  return table(
    columns.filter((_, i) => told[i]),
    rows.map((row) => row.filter((_, i) => told[i])),
    io.stdout.isTTY ? io.stdout.columns : Infinity,
  )
}

/** The law that some runs broke the most, of those that count by themselves and not as a column. */
function lawCell(runs: readonly RunResult[], bad: (text: string) => string): Cell {
  if (runs.every(({ laws, status }) => laws.length === 0 && status === 'ok')) return { text: 'not measured' }
  const broken = runs.flatMap(({ laws }) => laws.filter((check) => check.law !== 'penetration' && !isKept(check)))
  const excess = ({ value, limit }: LawCheck) => (value as number) / (limit === 0 ? Number.MIN_VALUE : limit)
  const [first] = broken.toSorted((a, b) => excess(b) - excess(a))
  if (first === undefined) return { text: 'kept' }
  return { text: `${lawDefinitions[first.law].label} ${shownValue(first.law, first.value as number)} !`, paint: bad }
}

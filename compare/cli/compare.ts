import { cpus } from 'node:os'
import { join, relative } from 'node:path'
import type { SavedProblem } from '../../contact/index.ts'
import { compare, type Results, type RunResult, startNote } from '../compare.ts'
import type { Metrics } from '../metrics.ts'
import { problemText } from '../problemFile.ts'
import { reportOf } from '../report/report.ts'
import type { Limits, Scenario } from '../scenario.ts'
import { subjectsOf } from '../setup.ts'
import { chainText } from '../solverOutcomes.ts'
import { millimetres, milliseconds, percent, significant, type Verdict } from '../verdict.ts'
import { commandLine } from './commandLine.ts'
import { exitCodes, UsageError } from './errors.ts'
import type { CommonFlags } from './main.ts'
import { outputFolder, reportUnwritten, writeAll, writeOutput } from './output.ts'
import { type ScenarioFlags, scenarioOf } from './scenarioArguments.ts'
import { type Cell, type Column, type Paint, Progress, paintFor, table } from './terminal.ts'
import { version } from './version.ts'

export interface CompareFlags extends CommonFlags, ScenarioFlags {
  readonly out?: string
  readonly serial?: boolean
  readonly threads?: string
}

/** `featherbed compare`. */
export async function compareCommand(targets: readonly string[], flags: CompareFlags): Promise<void> {
  const scenario = await scenarioOf(targets, flags)
  const folder = flags.out === undefined ? undefined : await outputFolder(flags.out)
  const progress = new Progress(flags.quiet === true)
  // written as they come: those of many bodies are too large to be kept
  const saving: Promise<string[]>[] = []
  const save = (file: string, problem: SavedProblem) => {
    saving.push(writeAll([() => writeOutput(join(folder as string, file), problemText(problem))]))
  }
  const { results, plots } = await compare(scenario, {
    save: folder === undefined ? undefined : save,
    threads: threadsOf(flags),
    processor: cpus()[0]?.model.trim() ?? '',
    version,
    progress: (stage, fraction) => progress.show(stageLine(stage, scenario), fraction),
  })
  progress.end()

  const document = { ...results, command: commandLine(process.argv.slice(2)) }
  // the figures before the report: if the disk takes no more, or the report fails, they are kept
  const failures =
    folder === undefined
      ? []
      : await writeAll([
          () => writeOutput(join(folder, 'results.json'), `${JSON.stringify(document, null, 2)}\n`),
          async () => writeOutput(join(folder, 'report.html'), reportOf(results, plots, document.command)),
        ])
  failures.push(...(await Promise.all(saving)).flat())
  const written = failures.length === 0 ? folder : undefined
  process.stdout.write(flags.json ? `${JSON.stringify(document, null, 2)}\n` : summary(results, scenario, written, folder))
  const stranded = results.robots.some(({ robot }) =>
    results.runs.filter((run) => run.robot === robot).every(({ status }) => status === 'failed'),
  )
  if (stranded) process.exitCode = exitCodes.failed
  reportUnwritten(failures)
}

function stageLine(stage: string, scenario: Scenario): string {
  const { dt, seeds, variants, models } = scenario
  const chosen = variants.length > 0 ? variants.reduce((sum, variant) => sum + variant.scenario.models.length, 0) : models.length
  const groups = subjectsOf(scenario).length * chosen
  return stage === 'timing'
    ? `timing ${groups * dt.length} pairs of model and step, one after the other`
    : `simulating ${groups * dt.length * seeds.length} runs and ${groups * seeds.length} references`
}

function threadsOf({ serial, threads }: CompareFlags): number | undefined {
  if (serial) return 1
  if (threads === undefined) return undefined
  if (!/^[1-9]\d?$/.test(threads)) throw new UsageError(`--threads found "${threads}", expected a whole number from 1 to 99`)
  return Number(threads)
}

/** What a person reads on the terminal. */
function summary(results: Results, { limits, duration, ground, seeds }: Scenario, written?: string, asked?: string): string {
  const paint = paintFor(process.stdout)
  const { bold, dim, good, warn } = paint
  const parts: string[] = []
  results.robots.forEach((shown, r) => {
    const { robot, controller, warnings, startPenetration_m, groundHeight_m, others } = shown
    const verdict = results.verdicts[r]
    const runs = results.runs.filter((run) => run.robot === robot)
    const file = warnings === 0 ? '' : `; ${warnings} warning${warnings === 1 ? '' : 's'} in its file, see featherbed inspect`
    const beside = others.length === 0 ? '' : `beside ${others.length > 4 ? `${others.length} others` : others.join(', ')}, `
    const under = controller === 'none' ? '' : `under ${controller}, `
    const worst = seeds.length > 1 ? `, the worst of ${seeds.length} seeds` : ''
    parts.push(
      `${bold(robot)} ${dim(`${beside}${under}${duration} s${worst}${file}`)}`,
      runTable(runs, limits, verdict, paint),
      ...byText(runs, ({ status, failure }) => (status === 'failed' ? failure : null)).map(warn),
      ...byText(runs, ({ status, solverFailure }) => (status === 'failed' ? null : solverFailure)).map(dim),
      ...byText(runs, ({ firstStrain }) => firstStrain).map(dim),
      ...byText(runs, ({ tunnelling, metrics }) => tunnellingText(metrics?.tunnelled ?? 0, tunnelling)).map(warn),
      ...byText(runs, ({ solvers, metrics }) =>
        metrics !== null && (metrics.fallbacks > 0 || metrics.solverFailures > 0) ? chainText(solvers) : null,
      ).map(dim),
      ...byText(runs, ({ problems }) => savedText(problems)).map(dim),
    )
    if (startPenetration_m > limits.penetration) parts.push(warn(`  ${startNote(shown)}`))
    if (groundHeight_m !== null && groundHeight_m !== ground?.height)
      parts.push(dim(`  The ground lies at z = ${significant(groundHeight_m, 3)} m: higher, and the robot would start in it.`))
    parts.push('', verdict.model === null ? warn(shortened(verdict, runs)) : good(verdict.sentence), '')
  })
  if (written !== undefined) {
    const shownPath = relative(process.cwd(), written) || '.'
    parts.push(`Written: ${join(shownPath, 'report.html')} and ${join(shownPath, 'results.json')}`)
  } else if (asked === undefined) parts.push(dim('--out DIR writes a report with plots, and results.json.'))
  return `${parts.join('\n')}\n`
}

/** One line a text, with all the runs that say the same. */
function byText(runs: readonly RunResult[], textOf: (run: RunResult) => string | null): string[] {
  const texts = [...new Set(runs.map(textOf))].filter((text) => text !== null)
  return texts.map((text) => {
    const who = runs.filter((run) => textOf(run) === text).map(({ model, dt }) => `${model} at ${milliseconds(dt)}`)
    return `  ${who.length === runs.length && who.length > 1 ? 'every run' : who.join(', ')}: ${text}`
  })
}

/** How often shapes passed through each other, and the first time; or null. */
const tunnellingText = (count: number, first: string | null): string | null =>
  count === 0 ? null : `${first}${count > 1 ? `, the first of ${count} such passes` : ''}`

/** Which problems of a run were saved, or null. */
function savedText(problems: RunResult['problems']): string | null {
  const files = problems.flatMap(({ file }) => file ?? [])
  return files.length === 0 ? null : `problems for featherbed solve in ${files.join(', ')}`
}

/** The table says what each pair missed, so the sentence need not. */
function shortened({ robot, closest, sentence }: Verdict, runs: readonly RunResult[]): string {
  if (runs.every(({ status }) => status === 'failed')) return `${robot}: no verdict, because every run failed.`
  const remarks = sentence.match(/ (?:Each pair ran|Nothing was touched).*$/)?.[0] ?? ''
  const nearest = closest === null ? '' : ` Closest comes ${closest.model} at ${milliseconds(closest.dt)}.`
  return `${robot}: no pair of model and step is within the limits; ! marks what each one missed.${nearest}${remarks}`
}

/** What a sweep gave a run, in a word or two: the last part of each path, and the value. */
function variantText({ variant }: RunResult): string {
  return Object.entries(variant ?? {})
    .map(([path, value]) => `${path.split('.').at(-1)} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ')
}

/** Runs that differ in the seed alone are one row. */
function rowsOf(runs: readonly RunResult[]): RunResult[][] {
  const rows = new Map<string, RunResult[]>()
  for (const run of runs) {
    const key = JSON.stringify([run.variant, run.model, run.dt])
    rows.set(key, [...(rows.get(key) ?? []), run])
  }
  return [...rows.values()]
}

/** The largest figure of some runs; null where one has none. */
function largest(runs: readonly RunResult[], of: (run: RunResult) => number | null | undefined): number | null {
  const values = runs.map(of)
  return values.some((value) => value === null || value === undefined) ? null : Math.max(...(values as number[]))
}

function runTable(runs: readonly RunResult[], limits: Limits, verdict: Verdict, { bad, bold, dim }: Paint): string {
  const right = (title: string, dispensable?: number) => ({ title, align: 'right' as const, dispensable })
  const columns: Column[] = [
    { title: '\nmodel', align: 'left' },
    { title: '\nvariant', align: 'left' },
    right('\nstep'),
    right(`\npenetration  \n<= ${millimetres(limits.penetration)}  `),
    right(`motion  \nerror  \n<= ${percent(limits.tracking)}  `),
    right(`energy  \nerror  \n<= ${percent(limits.energy)}  `),
    right('energy\nat rest', 3),
    right('energy\ngained', 2),
    right('contact\nchanges', 4),
    right('time\nper step', 1),
    right('real\ntime'),
    { title: '', align: 'left' },
  ]
  const limited = (value: number | null | undefined, limit: number, print: (x: number) => string): Cell => {
    if (value === null || value === undefined) return { text: '-  ' }
    const within = value <= limit
    return { text: `${print(value)} ${within ? ' ' : '!'}`, paint: within ? undefined : bad }
  }
  const plain = (value: number | null | undefined, print: (x: number) => string): Cell => ({
    text: value === null || value === undefined ? '-' : print(value),
  })
  const joules = (x: number) => `${significant(x, 2)} J`
  const rows = rowsOf(runs).map((group): Cell[] => {
    const [{ model, dt }] = group
    const isBest = model === verdict.model && dt === verdict.dt && hasOptions(group[0], verdict)
    const worst = (of: (metrics: Metrics) => number | null) => largest(group, ({ metrics }) => metrics && of(metrics))
    const failed = group.filter(({ status }) => status === 'failed').length
    const fits = group.every(({ missed }) => missed.length === 0)
    return [
      { text: model, paint: isBest ? bold : undefined },
      { text: variantText(group[0]) || '-' },
      { text: milliseconds(dt) },
      limited(
        worst((m) => m.penetrationMax_m),
        limits.penetration,
        millimetres,
      ),
      limited(
        largest(group, ({ error }) => error?.tracking),
        limits.tracking,
        percent,
      ),
      limited(
        largest(group, ({ error }) => error?.energy),
        limits.energy,
        percent,
      ),
      plain(
        worst((m) => m.restKineticEnergy_J),
        joules,
      ),
      plain(
        worst((m) => m.energyGain_J),
        joules,
      ),
      plain(
        worst((m) => m.contactChanges_Hz),
        (x) => `${significant(x, 3)}/s`,
      ),
      plain(
        worst((m) => m.step_us),
        (x) => `${significant(x, 3)} \u00b5s`,
      ),
      plain(
        worst((m) => m.realTimeFactor),
        (x) => `${significant(x, 3)} x`,
      ),
      failed > 0
        ? { text: failed === group.length ? 'failed' : `${failed} of ${group.length} failed`, paint: bad }
        : isBest
          ? { text: 'take this', paint: bold }
          : { text: fits ? 'fits' : '', paint: dim },
    ]
  })
  // a figure that has no meaning for any run of this robot needs no column
  const told = columns.map((_, i) => i === 0 || i === 2 || rows.some((row) => row[i].text.trim() !== '-'))
  return table(
    columns.filter((_, i) => told[i]),
    rows.map((row) => row.filter((_, i) => told[i])),
    process.stdout.isTTY ? process.stdout.columns : Infinity,
  )
}

/** Whether a run has the model's options that the verdict chose. */
function hasOptions({ variant }: RunResult, { variant: chosen }: Verdict): boolean {
  return Object.entries(chosen ?? {}).every(([path, value]) => JSON.stringify(variant?.[path]) === JSON.stringify(value))
}

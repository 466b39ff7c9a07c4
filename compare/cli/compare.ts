import { writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join, relative } from 'node:path'
import { compare, type Results, type RunResult, startNote } from '../compare.ts'
import { reportOf } from '../report/report.ts'
import type { Limits, Scenario } from '../scenario.ts'
import { millimetres, milliseconds, percent, significant, type Verdict } from '../verdict.ts'
import { exitCodes, UsageError } from './errors.ts'
import type { CommonFlags } from './main.ts'
import { outputFolder, type ScenarioFlags, scenarioOf } from './scenarioArguments.ts'
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
  const { results, plots } = await compare(scenario, {
    threads: threadsOf(flags),
    processor: cpus()[0]?.model.trim() ?? '',
    version,
    progress: (stage, fraction) => progress.show(stageLine(stage, scenario), fraction),
  })
  progress.end()

  const document = { ...results, command: commandLine(process.argv.slice(2)) }
  if (folder !== undefined) {
    await writeFile(join(folder, 'results.json'), `${JSON.stringify(document, null, 2)}\n`)
    await writeFile(join(folder, 'report.html'), reportOf(results, plots, document.command))
  }
  process.stdout.write(flags.json ? `${JSON.stringify(document, null, 2)}\n` : summary(results, scenario, folder))
  const stranded = results.robots.some(({ robot }) =>
    results.runs.filter((run) => run.robot === robot).every(({ status }) => status === 'failed'),
  )
  if (stranded) process.exitCode = exitCodes.failed
}

function stageLine(stage: string, { robots, models, dt }: Scenario): string {
  const pairs = robots.length * models.length * dt.length
  return stage === 'timing'
    ? `timing ${pairs} runs, one after the other`
    : `simulating ${pairs} runs and ${robots.length * models.length} references`
}

function threadsOf({ serial, threads }: CompareFlags): number | undefined {
  if (serial) return 1
  if (threads === undefined) return undefined
  if (!/^[1-9]\d?$/.test(threads)) throw new UsageError(`--threads found "${threads}", expected a whole number from 1 to 99`)
  return Number(threads)
}

/** The command that makes these results again. */
function commandLine(args: readonly string[]): string {
  const quoted = args.map((arg) => (/^[\w./:=,+@%-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`))
  return ['npx featherbed', ...quoted].join(' ')
}

/** What a person reads on the terminal. */
function summary(results: Results, { limits, duration }: Scenario, folder: string | undefined): string {
  const paint = paintFor(process.stdout)
  const { bold, dim, good, warn } = paint
  const parts: string[] = []
  results.robots.forEach((shown, r) => {
    const { robot, controller, warnings, startPenetration_m } = shown
    const verdict = results.verdicts[r]
    const runs = results.runs.filter((run) => run.robot === robot)
    const file = warnings === 0 ? '' : `; ${warnings} warning${warnings === 1 ? '' : 's'} in its file, see featherbed inspect`
    parts.push(
      `${bold(robot)} ${dim(`under ${controller}, ${duration} s${file}`)}`,
      runTable(runs, limits, verdict, paint),
      ...byText(runs, ({ status, failure }) => (status === 'failed' ? failure : null)).map(warn),
      ...byText(runs, ({ status, solverFailure }) => (status === 'failed' ? null : solverFailure)).map(dim),
    )
    if (startPenetration_m > limits.penetration) parts.push(warn(`  ${startNote(shown)}`))
    parts.push('', verdict.model === null ? warn(shortened(verdict, runs)) : good(verdict.sentence), '')
  })
  if (folder !== undefined) {
    const shownPath = relative(process.cwd(), folder) || '.'
    parts.push(`Written: ${join(shownPath, 'report.html')} and ${join(shownPath, 'results.json')}`)
  } else parts.push(dim('--out DIR writes a report with plots, and results.json.'))
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

/** The table says what each pair missed, so the sentence need not. */
function shortened({ robot }: Verdict, runs: readonly RunResult[]): string {
  return runs.every(({ status }) => status === 'failed')
    ? `${robot}: no verdict, because every run failed.`
    : `${robot}: no pair of model and step is within the limits; ! marks what each one missed.`
}

function runTable(
  runs: readonly RunResult[],
  limits: Limits,
  best: { model: string | null; dt: number | null },
  { bad, bold, dim }: Paint,
): string {
  const right = (title: string, dispensable?: number) => ({ title, align: 'right' as const, dispensable })
  const columns: Column[] = [
    { title: '\nmodel', align: 'left' },
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
  const rows = runs.map(({ model, dt, metrics, error, status, missed }): Cell[] => {
    const isBest = model === best.model && dt === best.dt
    const joules = (x: number) => `${significant(x, 2)} J`
    return [
      { text: model, paint: isBest ? bold : undefined },
      { text: milliseconds(dt) },
      limited(metrics?.penetrationMax_m, limits.penetration, millimetres),
      limited(error?.tracking, limits.tracking, percent),
      limited(error?.energy, limits.energy, percent),
      plain(metrics?.restKineticEnergy_J, joules),
      plain(metrics?.energyGain_J, joules),
      plain(metrics?.contactChanges_Hz, (x) => `${significant(x, 3)}/s`),
      plain(metrics?.step_us, (x) => `${significant(x, 3)} \u00b5s`),
      plain(metrics?.realTimeFactor, (x) => `${significant(x, 3)} x`),
      status === 'failed'
        ? { text: 'failed', paint: bad }
        : isBest
          ? { text: 'take this', paint: bold }
          : { text: missed.length === 0 ? 'fits' : '', paint: dim },
    ]
  })
  // a figure that has no meaning for any run of this robot needs no column
  const told = columns.map((_, i) => i < 2 || rows.some((row) => row[i].text.trim() !== '-'))
  return table(
    columns.filter((_, i) => told[i]),
    rows.map((row) => row.filter((_, i) => told[i])),
    process.stdout.isTTY ? process.stdout.columns : Infinity,
  )
}

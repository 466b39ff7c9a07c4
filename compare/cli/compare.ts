import { writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join, relative } from 'node:path'
import { compare, type Results, type RunResult } from '../compare.ts'
import { reportOf } from '../report/report.ts'
import type { Limits, Scenario } from '../scenario.ts'
import { millimetres, milliseconds, percent, significant } from '../verdict.ts'
import { exitCodes, UsageError } from './errors.ts'
import type { CommonFlags } from './main.ts'
import { outputFolder, type ScenarioFlags, scenarioOf } from './scenarioArguments.ts'
import { type Cell, type Paint, Progress, paintFor, table } from './terminal.ts'

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
export function commandLine(args: readonly string[]): string {
  const quoted = args.map((arg) => (/^[\w./:=,+@%-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`))
  return ['npx featherbed', ...quoted].join(' ')
}

/** What a person reads on the terminal. */
function summary(results: Results, { limits, duration }: Scenario, folder: string | undefined): string {
  const paint = paintFor(process.stdout)
  const { bold, dim, good, warn } = paint
  const parts: string[] = []
  for (const { robot, controller } of results.robots) {
    const verdict = results.verdicts.find((v) => v.robot === robot)
    const runs = results.runs.filter((run) => run.robot === robot)
    parts.push(
      `${bold(robot)} ${dim(`under ${controller}, ${duration} s`)}`,
      runTable(runs, limits, verdict ?? { model: null, dt: null }, paint),
    )
    for (const { model, dt, failure, solverFailure } of runs) {
      if (failure) parts.push(warn(`  ${model} at ${milliseconds(dt)}: ${failure}`))
      else if (solverFailure) parts.push(dim(`  ${model} at ${milliseconds(dt)}: ${solverFailure}`))
    }
    if (verdict) parts.push('', (verdict.model === null ? warn : good)(verdict.sentence))
    parts.push('')
  }
  if (folder !== undefined) {
    const shownPath = relative(process.cwd(), folder) || '.'
    parts.push(`Written: ${join(shownPath, 'report.html')} and ${join(shownPath, 'results.json')}`)
  } else parts.push(dim('--out DIR writes a report with plots.'))
  return `${parts.join('\n')}\n`
}

function runTable(
  runs: readonly RunResult[],
  limits: Limits,
  best: { model: string | null; dt: number | null },
  { bad, bold, dim }: Paint,
): string {
  const columns = [
    'model',
    'step',
    'penetration',
    'motion',
    'energy',
    'at rest',
    'invented',
    'changes',
    'a step',
    'real time',
    '',
  ].map((title, i) => ({
    title,
    align: i === 0 || i === 10 ? ('left' as const) : ('right' as const),
  }))
  const limited = (value: number | null | undefined, limit: number, print: (x: number) => string): Cell =>
    value === null || value === undefined ? { text: '-' } : { text: print(value), paint: value <= limit ? undefined : bad }
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
      plain(metrics?.step_us, (x) => `${significant(x, 3)} us`),
      plain(metrics?.realTimeFactor, (x) => `${significant(x, 3)} x`),
      status === 'failed'
        ? { text: 'failed', paint: bad }
        : isBest
          ? { text: 'take this', paint: bold }
          : { text: missed.length === 0 ? 'fits' : '', paint: dim },
    ]
  })
  return table(columns, rows)
}

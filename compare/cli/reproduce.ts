import { writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { type Finding, reproduceDrumwright } from '../reproduce/drumwright/experiments.ts'
import { choicesFor } from '../reproduce/drumwright/paper.ts'
import { reportOfDrumwright } from '../reproduce/drumwright/report.ts'
import { exitCodes, UsageError } from './errors.ts'
import type { CommonFlags } from './main.ts'
import { outputFolder } from './scenarioArguments.ts'
import { Progress, paintFor } from './terminal.ts'
import { version } from './version.ts'

export interface ReproduceFlags extends CommonFlags {
  readonly out?: string
  readonly seeds?: string
  readonly bodies?: string
  readonly settle?: string
  readonly watch?: string
}

/** Papers whose experiments can be run again. */
export const papers = ['drumwright'] as const

/** `featherbed reproduce`. */
export async function reproduce(paper: string, flags: ReproduceFlags): Promise<void> {
  if (!papers.includes(paper as (typeof papers)[number])) {
    throw new UsageError(`found "${paper}", expected the name of a paper: ${papers.join(', ')}`)
  }
  const options = {
    seeds: wholeNumber('--seeds', flags.seeds, 10, 1000),
    bodies: wholeNumber('--bodies', flags.bodies, 100, 1000),
    settle: wholeNumber('--settle', flags.settle, 10, 1000),
    watch: wholeNumber('--watch', flags.watch, 10, 10_000),
  }
  const folder = flags.out === undefined ? undefined : await outputFolder(flags.out)
  const progress = new Progress(flags.quiet === true)
  const reproduction = reproduceDrumwright({ ...options, progress: (what, fraction) => progress.show(what, fraction) })
  progress.end()

  const command = `npx featherbed reproduce ${paper} --seeds ${options.seeds} --bodies ${options.bodies} --settle ${options.settle} --watch ${options.watch}`
  const choices = choicesFor(options.bodies)
  const document = { version, paper, options, choices, command, ...reproduction }
  const text = `${JSON.stringify(document, null, 2)}\n`
  if (folder !== undefined) {
    await writeFile(join(folder, 'results.json'), text)
    await writeFile(join(folder, 'report.html'), reportOfDrumwright(reproduction, command))
  }
  process.stdout.write(flags.json ? text : summary(reproduction.findings, choices, folder))
  if (reproduction.findings.some(({ judgement }) => judgement === 'not reproduced')) process.exitCode = exitCodes.failed
}

function wholeNumber(flag: string, given: string | undefined, byDefault: number, most: number): number {
  if (given === undefined) return byDefault
  const value = Number(given)
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new UsageError(`${flag} found "${given}", expected a whole number from 1 to ${most}`)
  return value
}

function summary(findings: readonly Finding[], choices: ReturnType<typeof choicesFor>, folder: string | undefined): string {
  const { bold, dim, good, bad, warn } = paintFor(process.stdout)
  const colour = { reproduced: good, 'order reproduced': good, 'not reproduced': bad, 'cannot follow': warn }
  const lines = findings.flatMap(({ where, quantity, paper, ours, judgement, why }) => [
    `${bold(where)}: ${quantity}`,
    `  paper: ${paper}`,
    `  here:  ${ours}  ${colour[judgement](`[${judgement}]`)}`,
    `  ${dim(why)}`,
    '',
  ])
  lines.push(
    dim('What the paper leaves open, and what was chosen:'),
    ...choices.map(({ what, choice }) => dim(`  ${what} -> ${choice}`)),
    '',
  )
  const path = folder === undefined ? undefined : relative(process.cwd(), folder) || '.'
  lines.push(
    path === undefined
      ? dim('--out DIR writes a report with figures, and results.json.')
      : `Written: ${join(path, 'report.html')} and ${join(path, 'results.json')}`,
  )
  return `${lines.join('\n')}\n`
}

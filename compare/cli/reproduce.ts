import { writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { type Finding, reproduceDrumwright } from '../reproduce/drumwright/experiments.ts'
import { choicesFor } from '../reproduce/drumwright/paper.ts'
import { reportOfDrumwright } from '../reproduce/drumwright/report.ts'
import type { Claim } from '../reproduce/peg/claims.ts'
import { modelIds, models } from '../reproduce/peg/models.ts'
import { reportOfPeg } from '../reproduce/peg/report.ts'
import { choices as choicesOfPeg, type PegReproduction, reproducePeg, sceneSummary } from '../reproduce/peg/reproduction.ts'
import { columnNames } from '../reproduce/peg/table.ts'
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
export const papers = ['drumwright', 'peg'] as const

/** What a paper's experiments came to, in every form in which it is shown. */
interface Reproduced {
  readonly document: Readonly<Record<string, unknown>>
  readonly html: string
  readonly summary: readonly string[]
  /** Whether everything that could have come out did. */
  readonly isReproduced: boolean
}

/** `featherbed reproduce`. */
export async function reproduce(paper: string, flags: ReproduceFlags): Promise<void> {
  if (!papers.includes(paper as (typeof papers)[number])) {
    throw new UsageError(`found "${paper}", expected the name of a paper: ${papers.join(', ')}`)
  }
  const run = paper === 'peg' ? pegWith(flags) : drumwrightWith(flags)
  const folder = flags.out === undefined ? undefined : await outputFolder(flags.out)
  const progress = new Progress(flags.quiet === true)
  const { document, html, summary, isReproduced } = run(progress)
  progress.end()

  const text = `${JSON.stringify({ version, paper, ...document }, null, 2)}\n`
  if (folder !== undefined) {
    await writeFile(join(folder, 'results.json'), text)
    await writeFile(join(folder, 'report.html'), html)
  }
  process.stdout.write(flags.json ? text : `${[...summary, written(folder)].join('\n')}\n`)
  if (!isReproduced) process.exitCode = exitCodes.failed
}

/** @throws UsageError before anything is run */
function drumwrightWith(flags: ReproduceFlags): (progress: Progress) => Reproduced {
  const options = {
    seeds: wholeNumber('--seeds', flags.seeds, 10, 1000),
    bodies: wholeNumber('--bodies', flags.bodies, 100, 1000),
    settle: wholeNumber('--settle', flags.settle, 10, 1000),
    watch: wholeNumber('--watch', flags.watch, 10, 10_000),
  }
  const command = `npx featherbed reproduce drumwright --seeds ${options.seeds} --bodies ${options.bodies} --settle ${options.settle} --watch ${options.watch}`
  const choices = choicesFor(options.bodies)
  return (progress) => {
    const reproduction = reproduceDrumwright({ ...options, progress: (what, fraction) => progress.show(what, fraction) })
    return {
      document: { options, choices, command, ...reproduction },
      html: reportOfDrumwright(reproduction, command),
      summary: [...reproduction.findings.flatMap(findingLines), ...choiceLines(choices)],
      isReproduced: reproduction.findings.every(({ judgement }) => judgement !== 'not reproduced'),
    }
  }
}

/** @throws UsageError for a flag of another paper's */
function pegWith(flags: ReproduceFlags): (progress: Progress) => Reproduced {
  for (const flag of ['seeds', 'bodies', 'settle', 'watch'] as const) {
    if (flags[flag] !== undefined)
      throw new UsageError(`--${flag} is of the paper drumwright; peg has nothing to choose but --out`)
  }
  const command = 'npx featherbed reproduce peg'
  return (progress) => {
    const reproduction = reproducePeg((what, fraction) => progress.show(what, fraction))
    const { results, claims, table, largeSteps } = reproduction
    return {
      document: {
        choices: choicesOfPeg,
        command,
        models: modelIds.map((id) => models[id]),
        claims,
        table,
        largeSteps,
        scenes: results.map(sceneSummary),
      },
      html: reportOfPeg(reproduction, command),
      summary: [...claims.flatMap(claimLines), ...tableLines(reproduction), ...choiceLines(choicesOfPeg)],
      isReproduced: claims.every(({ judgement }) => judgement !== 'not seen'),
    }
  }
}

function wholeNumber(flag: string, given: string | undefined, byDefault: number, most: number): number {
  if (given === undefined) return byDefault
  const value = Number(given)
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new UsageError(`${flag} found "${given}", expected a whole number from 1 to ${most}`)
  return value
}

function findingLines({ where, quantity, paper, ours, judgement, why }: Finding): string[] {
  const { bold, dim, good, bad, warn } = paintFor(process.stdout)
  const colour = { reproduced: good, 'order reproduced': good, 'not reproduced': bad, 'cannot follow': warn }
  return [
    `${bold(where)}: ${quantity}`,
    `  paper: ${paper}`,
    `  here:  ${ours}  ${colour[judgement](`[${judgement}]`)}`,
    `  ${dim(why)}`,
    '',
  ]
}

function claimLines({ where, claim, found, judgement, why }: Claim): string[] {
  const { bold, dim, good, bad, warn } = paintFor(process.stdout)
  const colour = { seen: good, 'not seen': bad, 'cannot follow': warn }
  return [`${bold(where)}: ${claim}`, `  found: ${found}  ${colour[judgement](`[${judgement}]`)}`, `  ${dim(why)}`, '']
}

function tableLines({ table }: PegReproduction): string[] {
  const { bold, dim, good, bad } = paintFor(process.stdout)
  return table.flatMap(({ attribute, cells }, k) => [
    `${bold(`Table 1, ${k + 1}`)}: ${attribute}`,
    ...cells.map(({ text, follows, paper, note }, c) => {
      const tick = follows ? good('yes') : bad('no')
      return `  ${columnNames[c].padEnd(4)} ${tick}, paper ${paper ? 'yes' : 'no'}: ${text}${note === '' ? '' : `  ${dim(note)}`}`
    }),
    '',
  ])
}

function choiceLines(choices: readonly { readonly what: string; readonly choice: string }[]): string[] {
  const { dim } = paintFor(process.stdout)
  return [
    dim('What the paper leaves open, and what was chosen:'),
    ...choices.map(({ what, choice }) => dim(`  ${what} -> ${choice}`)),
    '',
  ]
}

function written(folder: string | undefined): string {
  if (folder === undefined) return paintFor(process.stdout).dim('--out DIR writes a report with figures, and results.json.')
  const path = relative(process.cwd(), folder) || '.'
  return `Written: ${join(path, 'report.html')} and ${join(path, 'results.json')}`
}

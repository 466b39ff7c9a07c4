import { join, relative } from 'node:path'
import { didYouMean } from '../../dynamics/index.ts'
import { type Choice, type Claim, columnNames, papers, type TableRow } from '../../papers/index.ts'
import { commandLine } from './commandLine.ts'
import { exitCodes, UsageError } from './errors.ts'
import type { CommonFlags } from './main.ts'
import { outputFolder, reportUnwritten, writeAll, writeOutput } from './output.ts'
import { Progress, paintFor } from './terminal.ts'
import { version } from './version.ts'

export interface ReproduceFlags extends CommonFlags {
  readonly out?: string
  readonly seeds?: string
  readonly bodies?: string
  readonly settle?: string
  readonly watch?: string
}

/** `featherbed reproduce`. */
export async function reproduce(name: string, flags: ReproduceFlags): Promise<void> {
  const names = Object.keys(papers)
  if (!names.includes(name))
    throw new UsageError(`found "${name}", expected the name of a paper: ${names.join(', ')}${didYouMean(name, names)}`)
  const paper = papers[name as keyof typeof papers]
  const options = optionsOf(name, paper.options, flags)
  const command = commandLine(['reproduce', name, ...Object.entries(options).flatMap(([key, n]) => [`--${key}`, `${n}`])])
  const folder = flags.out === undefined ? undefined : await outputFolder(flags.out)
  const progress = new Progress(flags.quiet === true)
  const { document, claims, choices, html } = paper.run(options, command, (what, fraction) => progress.show(what, fraction))
  progress.end()

  const text = `${JSON.stringify({ version, paper: name, options, choices, command, claims, ...document }, null, 2)}\n`
  const failures =
    folder === undefined
      ? []
      : await writeAll([
          () => writeOutput(join(folder, 'results.json'), text),
          () => writeOutput(join(folder, 'report.html'), html),
        ])
  const { table = [] } = document as { table?: readonly TableRow[] }
  const summary = [...claims.flatMap(claimLines), ...tableLines(table), ...choiceLines(choices), written(folder)]
  process.stdout.write(flags.json ? text : `${summary.join('\n')}\n`)
  if (claims.some(({ judgement }) => judgement === 'not reproduced')) process.exitCode = exitCodes.failed
  reportUnwritten(failures)
}

/** @throws UsageError before anything is run, for a flag of another paper's too */
function optionsOf(name: string, options: (typeof papers)['peg']['options'], flags: ReproduceFlags): Record<string, number> {
  const out: Record<string, number> = {}
  for (const flag of ['seeds', 'bodies', 'settle', 'watch'] as const) {
    const given = flags[flag]
    if (options[flag] === undefined) {
      if (given !== undefined)
        throw new UsageError(`--${flag} is of the paper ${ownerOf(flag)}; ${name} has nothing to choose but --out`)
      continue
    }
    const [fallback, most] = options[flag]
    out[flag] = given === undefined ? fallback : Number(given)
    if (!Number.isInteger(out[flag]) || out[flag] < 1 || out[flag] > most)
      throw new UsageError(`--${flag} found "${given}", expected a whole number from 1 to ${most}`)
  }
  return out
}

const ownerOf = (flag: string) => Object.entries(papers).find(([, { options }]) => flag in options)?.[0]

function claimLines({ where, claim, paper, found, judgement, why }: Claim): string[] {
  const { bold, dim, good, bad, warn } = paintFor(process.stdout)
  const colour = { reproduced: good, 'order reproduced': good, 'not reproduced': bad, 'cannot follow': warn }
  return [
    `${bold(where)}: ${claim}`,
    ...(paper === undefined ? [] : [`  paper: ${paper}`]),
    `  found: ${found}  ${colour[judgement](`[${judgement}]`)}`,
    `  ${dim(why)}`,
    '',
  ]
}

function tableLines(table: readonly TableRow[]): string[] {
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

function choiceLines(choices: readonly Choice[]): string[] {
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

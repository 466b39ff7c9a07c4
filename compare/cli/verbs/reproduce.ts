import { join, relative } from 'node:path'
import {
  type Choice,
  type Claim,
  columnNames,
  counted,
  judgements,
  overview,
  papers,
  type TableRow,
} from '../../../cases/papers/index.ts'
import { didYouMean } from '../../../dynamics/index.ts'
import { commandLine } from '../commandLine.ts'
import { exitCodes, UsageError } from '../errors.ts'
import { io } from '../io.ts'
import { outputFolder, reportUnwritten, writeAll, writeOutput } from '../output.ts'
import { left, Progress, paintFor, table } from '../terminal.ts'
import type { FlagsOf, Verb } from '../verb.ts'
import { version } from '../version.ts'

type PaperName = keyof typeof papers
const paperNames = Object.keys(papers) as PaperName[]

const flags = {
  '--out <dir>': 'write results.json and report.html into this folder; for all, into one folder for each paper, with index.html',
  '--seeds <n>': 'drumwright: repetitions of each experiment on the block (default: 10)',
  '--scan <n>': 'drumwright: repetitions of the scan of gains, of 100 combinations each (default: 1)',
  '--bodies <n>': 'drumwright: bodies in the pile (default: 100)',
  '--settle <seconds>': 'drumwright: time that the pile has to come to rest (default: 10)',
  '--watch <seconds>': 'drumwright: time that it is then watched (default: 10)',
} as const
type ReproduceFlags = FlagsOf<typeof flags>

export const verb: Verb = {
  example:
    '  featherbed reproduce drumwright --out results\n' +
    '  featherbed reproduce peg --out results\n' +
    '  featherbed reproduce all --out results\n\n' +
    'baraff: Non-penetrating Rigid Body Simulation (Eurographics 1993 State of the Art Reports), sections 2 to 7.\n' +
    'drumwright: A Fast and Stable Penalty Method for Rigid Body Simulation (2008), section IV.\n' +
    'peg: A Complementarity Based Contact Model for Geometrically Accurate Treatment of Polytopes in Simulation (2014), figures 1,\n' +
    '11 and 12 and table 1.\n' +
    'all: each in turn, with one line a claim, and an index of the three reports. Exit code 1 if a claim of a paper is not\n' +
    'reproduced.',
  arguments: { paper: `${paperNames.join(', ')} or all` },
  flags,
  run: reproduce,
}

/** `featherbed reproduce`. @param name of a paper, or all */
async function reproduce(name: string, flags: ReproduceFlags): Promise<void> {
  const names = [...paperNames, 'all']
  if (!names.includes(name))
    throw new UsageError(`found "${name}", expected the name of a paper: ${names.join(', ')}${didYouMean(name, names)}`)
  if (name === 'all') return reproduceAll(flags)
  const options = optionsOf(name as PaperName, flags)
  const folder = flags.out === undefined ? undefined : await outputFolder(flags.out)
  const { claims, choices, document, html } = run(name as PaperName, options, flags)

  const text = textOf(document)
  const failures = folder === undefined ? [] : await writeAll(writesOf(folder, document, html))
  const { table: rows = [] } = document as { table?: readonly TableRow[] }
  const summary = [...claims.flatMap(claimLines), ...tableLines(rows), ...choiceLines(choices), written(folder)]
  io.stdout.write(flags.json ? text : `${summary.join('\n')}\n`)
  conclude(claims, failures)
}

/** Every paper in turn, one line a claim; each with a folder of its own, and a page over them. */
async function reproduceAll(flags: ReproduceFlags): Promise<void> {
  const options = paperNames.map((name) => optionsOf(name, flags, true))
  const folder = flags.out === undefined ? undefined : await outputFolder(flags.out)
  const folders = folder === undefined ? [] : await Promise.all(paperNames.map((name) => outputFolder(join(folder, name))))
  const runs = paperNames.map((name, k) => {
    const one = run(name, options[k], flags)
    const { table: rows = [] } = one.document as { table?: readonly TableRow[] }
    return { name, ...one, claims: [...one.claims, ...rows.map(tableClaim)] }
  })
  const claims = runs.flatMap((one) => one.claims)

  const command = commandOf('all', Object.assign({}, ...options))
  const writes = folders.flatMap((path, k) => writesOf(path, runs[k].document, runs[k].html))
  if (folder !== undefined) writes.push(() => writeOutput(join(folder, 'index.html'), overview(runs, command)))
  const failures = await writeAll(writes)
  const counts = Object.fromEntries(judgements.map((judgement) => [judgement, counted(claims, judgement)]))
  const document = { version, command, counts, papers: Object.fromEntries(runs.map((one) => [one.name, one.document])) }
  const { bold, dim } = paintFor(io.stdout)
  const summary = [
    ...runs.flatMap((one) => [bold(one.name), shortTable(one.claims), '']),
    judgements.map((judgement) => `${counts[judgement]} ${judgement}`).join(', '),
    folder === undefined
      ? dim('--out DIR writes a page over all, and each report with figures and results.json.')
      : `Written: ${join(relative(process.cwd(), folder) || '.', 'index.html')}`,
  ]
  io.stdout.write(flags.json ? textOf(document) : `${summary.join('\n')}\n`)
  conclude(claims, failures)
}

function run(name: PaperName, options: Readonly<Record<string, number>>, flags: ReproduceFlags) {
  const command = commandOf(name, options)
  const progress = new Progress(flags.quiet === true)
  const reproduced = papers[name].run(options, command, (what, fraction) => progress.show(what, fraction))
  progress.end()
  const { claims, choices, html } = reproduced
  return { claims, choices, html, document: { version, paper: name, options, choices, command, claims, ...reproduced.document } }
}

const commandOf = (name: string, options: Readonly<Record<string, number>>) =>
  commandLine(['reproduce', name, ...Object.entries(options).flatMap(([key, n]) => [`--${key}`, `${n}`])])
const textOf = (document: object) => `${JSON.stringify(document, null, 2)}\n`

const writesOf = (folder: string, document: object, html: string) => [
  () => writeOutput(join(folder, 'results.json'), textOf(document)),
  () => writeOutput(join(folder, 'report.html'), html),
]

function conclude(claims: readonly Claim[], failures: readonly string[]): void {
  if (counted(claims, 'not reproduced') > 0) io.exitCode = exitCodes.failed
  reportUnwritten(failures)
}

/** @param others whether flags of other papers are theirs to read @throws UsageError before anything is run, for a flag of another paper's too */
function optionsOf(name: PaperName, flags: ReproduceFlags, others = false): Record<string, number> {
  const { options } = papers[name]
  const out: Record<string, number> = {}
  for (const flag of ['seeds', 'scan', 'bodies', 'settle', 'watch'] as const) {
    const given = flags[flag]
    if (options[flag] === undefined) {
      if (given !== undefined && !others)
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

function colours() {
  const { good, bad, warn } = paintFor(io.stdout)
  return { reproduced: good, 'order reproduced': good, 'not reproduced': bad, 'cannot follow': warn }
}

function shortTable(claims: readonly Claim[]): string {
  const colour = colours()
  const columns = ['where', 'judgement', 'found'].map((title) => left(title))
  const rows = claims.map(({ where, judgement, found }) => [
    { text: where },
    { text: judgement, paint: colour[judgement] },
    { text: found },
  ])
  return table(columns, rows)
}

function claimLines({ where, claim, paper, found, judgement, why }: Claim): string[] {
  const { bold, dim } = paintFor(io.stdout)
  return [
    `${bold(where)}: ${claim}`,
    ...(paper === undefined ? [] : [`  paper: ${paper}`]),
    `  found: ${found}  ${colours()[judgement](`[${judgement}]`)}`,
    `  ${dim(why)}`,
    '',
  ]
}

/** A row of table 1 in one line, as a claim. */
function tableClaim({ attribute, measure, cells }: TableRow, k: number): Claim {
  const of = (tick: boolean) => cells.flatMap(({ follows }, c) => (follows === tick ? [columnNames[c]] : [])).join(', ')
  return {
    where: `Table 1, ${k + 1}`,
    claim: attribute,
    found: `yes: ${of(true)}; no: ${of(false)}`,
    judgement: cells.every(({ follows, paper }) => paper === null || follows === paper) ? 'reproduced' : 'not reproduced',
    why: measure,
  }
}

function tableLines(rows: readonly TableRow[]): string[] {
  const { bold, dim, good, bad } = paintFor(io.stdout)
  return rows.flatMap(({ attribute, measure, cells }, k) => [
    `${bold(`Table 1, ${k + 1}`)}: ${attribute}`,
    `  ${dim(measure)}`,
    ...cells.map(({ text, follows, paper, note }, c) => {
      const tick = follows ? good('yes') : bad('no')
      return `  ${columnNames[c].padEnd(9)} ${tick}${paper === null ? '' : `, paper ${paper ? 'yes' : 'no'}`}: ${text}${note === '' ? '' : `  ${dim(note)}`}`
    }),
    '',
  ])
}

function choiceLines(choices: readonly Choice[]): string[] {
  const { dim } = paintFor(io.stdout)
  return [
    dim('Choices where the paper leaves a value open:'),
    ...choices.map(({ what, choice }) => dim(`  ${what} -> ${choice}`)),
    '',
  ]
}

function written(folder: string | undefined): string {
  if (folder === undefined) return paintFor(io.stdout).dim('--out DIR writes a report with figures, and results.json.')
  const path = relative(process.cwd(), folder) || '.'
  return `Written: ${join(path, 'report.html')} and ${join(path, 'results.json')}`
}

import { join, relative } from 'node:path'
import { didYouMean } from '../../../../dynamics/index.ts'
import { effectsOf, type Row, type Rows } from '../../../sweeps/effects.ts'
import { sweepPage } from '../../../sweeps/page.ts'
import { readRows, type SweepTable } from '../../../sweeps/parquet.ts'
import { commandLine } from '../../commandLine.ts'
import { UsageError } from '../../errors.ts'
import { io } from '../../io.ts'
import { outputFolder, reportUnwritten, writeAll, writeOutput } from '../../output.ts'
import type { FlagsOf, Verb } from '../../verb.ts'

const flags = {
  '--figures <a,b>': "columns to show (default: success, the scenario's measures, and penetration)",
  '--out <dir>': 'folder of the page (default: that of the results)',
} as const

type ReportFlags = FlagsOf<typeof flags>

export const verb: Verb = {
  example:
    '  featherbed report results\n' +
    '  featherbed report results --figures slipMax_m,energyDrift_J\n\n' +
    'Reads runs.parquet, which featherbed sweep and featherbed merge write, in parts: memory does not grow with the number of runs.',
  arguments: { dir: 'a folder with runs.parquet' },
  flags,
  run: report,
}

/** Figures of a page where none are asked for. */
const MOST_FIGURES = 5

async function report(dir: string, flags: ReportFlags): Promise<void> {
  const path = join(dir, 'runs.parquet')
  const table = await readRows(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    throw new UsageError(`${path}: is not there; name a folder that featherbed sweep or featherbed merge wrote`)
  })
  const folder = await outputFolder(flags.out ?? dir)
  const figures = figuresOf(table, flags.figures)
  const counts = { runs: 0, failed: 0, lawful: 0 }
  for await (const rows of table.rows(['status', 'brokenLaws']))
    for (const row of rows) {
      counts.runs++
      if (row.status === 'failed') counts.failed++
      if (row.brokenLaws === '') counts.lawful++
    }
  const inputs = table.columns.slice(table.columns.indexOf('dt'), table.columns.indexOf('seed'))
  const summary = {
    name: table.about.sweep ?? 'sweep',
    ...counts,
    units: table.units,
    figures: await effectsOf(numeric(table), inputs, figures),
  }
  const command = commandLine(io.args)
  const failures = await writeAll([async () => writeOutput(join(folder, 'report.html'), sweepPage(summary, command))])
  const place = relative('.', join(folder, 'report.html'))
  io.stdout.write(flags.json ? `${JSON.stringify({ ...summary, command }, null, 2)}\n` : `Written: ${place}\n`)
  reportUnwritten(failures)
}

/** Success counts as 1 or 0. */
const numeric = ({ rows }: SweepTable): Rows =>
  async function* (columns) {
    for await (const group of rows(columns))
      yield group.map((row) => (typeof row.success === 'boolean' ? { ...row, success: row.success ? 1 : 0 } : row) as Row)
  }

/** @throws UsageError */
function figuresOf({ columns }: SweepTable, asked: string | undefined): readonly string[] {
  const known = columns.slice(columns.indexOf('hash') + 1).filter((name) => name !== 'brokenLaws' && name !== 'controllerMetrics')
  if (asked === undefined) {
    const parts = known.filter((name) => /^measure\.[^.]+$/.test(name))
    return ['success', ...parts, 'penetrationMax_m'].slice(0, MOST_FIGURES)
  }
  const names = asked.split(',').map((name) => name.trim())
  const strange = names.find((name) => !known.includes(name))
  if (strange !== undefined)
    throw new UsageError(`--figures found "${strange}", expected some of ${known.join(', ')}${didYouMean(strange, known)}`)
  return names
}

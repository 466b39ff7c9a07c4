/** Merges the chunks of a sweep into a table of runs and a table of cells, in the order of the plan. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from '../recording/wholeFile.ts'
import type { SweepRow } from '../run/sweepRows.ts'
import { type CellRow, cellColumns, cellOf } from './cells.ts'
import { type SweepFolder, SweepFolderError, type SweepHead } from './folder.ts'
import { parquetFile } from './parquet.ts'

/** Runs of which results are written as JSON too. */
const SMALL = 10_000
/** Rows of a group in a file; one group is in memory at a time. */
const GROUP = 10_000

/** Chunks of one sweep in several folders. @throws SweepFolderError where they are of different sweeps, or chunks are missing */
export class Merged {
  readonly head: SweepHead
  private readonly folderOf = new Map<number, SweepFolder>()

  constructor(folders: readonly SweepFolder[]) {
    const [{ head }, ...others] = folders
    const other = others.find((folder) => folder.head.digest !== head.digest)
    if (other)
      throw new SweepFolderError(
        `"${head.name}" and "${other.head.name}" are of different sweeps, scenarios or versions; merge folders of one`,
      )
    this.head = head
    for (const folder of folders) for (const chunk of folder.done()) this.folderOf.set(chunk, folder)
    const missing: number[] = []
    for (let chunk = 0; chunk < head.chunks; chunk++) if (!this.folderOf.has(chunk)) missing.push(chunk)
    if (missing.length > 0) {
      const named = missing.slice(0, 10).join(', ')
      throw new SweepFolderError(
        `${missing.length} of ${head.chunks} chunks are missing (${named}${missing.length > 10 ? ', ...' : ''}); run their shards again with --resume, or name their folders`,
      )
    }
  }

  /** Every row, in the order of cells and seeds. */
  *rows(): Generator<SweepRow> {
    for (let chunk = 0; chunk < this.head.chunks; chunk++) yield* (this.folderOf.get(chunk) as SweepFolder).rows(chunk)
  }

  /** The rows of each cell. */
  *cells(): Generator<readonly SweepRow[]> {
    const at = this.head.columns.findIndex(({ name }) => name === 'cell')
    let cell: SweepRow[] = []
    for (const row of this.rows()) {
      if (cell.length > 0 && cell[0][at] !== row[at]) {
        yield cell
        cell = []
      }
      cell.push(row)
    }
    if (cell.length > 0) yield cell
  }

  /** Of computing, all chunks [s]. */
  get seconds(): number {
    let sum = 0
    for (let chunk = 0; chunk < this.head.chunks; chunk++) sum += (this.folderOf.get(chunk) as SweepFolder).seconds(chunk)
    return sum
  }
}

/** Summary of a merge. */
export interface Written {
  readonly files: readonly string[]
  readonly runs: number
  readonly cells: number
  readonly failed: number
}

/**
 * Writes `runs.parquet` and `cells.parquet`, as JSON too where there are few, and `times.json`, which alone says anything of machines.
 *
 * @throws ParquetMissing where its package is not installed
 */
export async function writeMerged(merged: Merged, folder: string, machine: object): Promise<Written> {
  const { head } = merged
  const columnsOfCells = cellColumns(head)
  const about = { sweep: head.name, digest: head.digest, featherbed: head.featherbed }
  const [runs, cells] = await Promise.all([
    parquetFile(join(folder, 'runs.parquet'), head.columns, about),
    parquetFile(join(folder, 'cells.parquet'), columnsOfCells, about),
  ])
  const status = head.columns.findIndex(({ name }) => name === 'status')
  const small: { runs: SweepRow[]; cells: CellRow[] } = { runs: [], cells: [] }
  let [count, cellCount, failed] = [0, 0, 0]
  const group: { runs: SweepRow[]; cells: CellRow[] } = { runs: [], cells: [] }
  const flush = (least: number) => {
    if (group.runs.length >= least) runs.write(group.runs.splice(0))
    if (group.cells.length >= least) cells.write(group.cells.splice(0))
  }
  for (const rows of merged.cells()) {
    const cell = cellOf(head, rows)
    group.runs.push(...rows)
    group.cells.push(cell)
    count += rows.length
    cellCount++
    failed += rows.filter((row) => row[status] === 'failed').length
    if (count <= SMALL) {
      small.runs.push(...rows)
      small.cells.push(cell)
    } else small.runs = small.cells = []
    flush(GROUP)
  }
  flush(1)
  runs.end()
  cells.end()
  const files = ['runs.parquet', 'cells.parquet', 'times.json']
  const json = (columns: readonly { readonly name: string }[], rows: readonly SweepRow[]) =>
    `${JSON.stringify({ ...about, columns, rows }, null, 0)}\n`
  for (const name of ['runs', 'cells'] as const) {
    const path = join(folder, `${name}.json`)
    if (count <= SMALL) {
      writeWhole(path, json(name === 'runs' ? head.columns : columnsOfCells, small[name]))
      files.push(`${name}.json`)
    } else await rm(path, { force: true })
  }
  writeWhole(join(folder, 'times.json'), `${JSON.stringify({ seconds: merged.seconds, runs: count, machine }, null, 1)}\n`)
  return { files, runs: count, cells: cellCount, failed }
}

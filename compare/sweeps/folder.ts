/** The folder of a large sweep: its plan, and a file for each chunk that is done. What lies there is what is done. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OutputError, reasonOf, writeWhole } from '../recording/wholeFile.ts'
import type { ChunkResult } from '../run/chunk.ts'
import type { SweepPlan } from '../run/sweepPlan.ts'
import { columnsOf, type SweepRow } from '../run/sweepRows.ts'

/** Grows when the shape of the files changes. */
const VERSION = 1
/** Chunk files of one folder. */
const FILES = 1000

/** Content of `sweep.json`: what the rows of its chunks are, the same in each shard. */
export type SweepHead = Readonly<ReturnType<typeof headOf>>

export function headOf(plan: SweepPlan, featherbed: string) {
  const { base, spec, cells, cellsPerChunk, chunks } = plan
  const { name, seeds, decide = null } = base
  return {
    version: VERSION,
    name,
    featherbed,
    /** Hash of all that a run's outcome depends on, but for the values of its cell and its seed. */
    digest: spec.digest,
    cells,
    seeds,
    cellsPerChunk,
    chunks,
    /** The question that ends a cell, or null. */
    decide,
    columns: columnsOf(plan),
  }
}

/** A folder that is no part of this sweep, or of any. */
export class SweepFolderError extends Error {
  override readonly name = 'SweepFolderError'
}

/** Chunks of one sweep on disk. */
export class SweepFolder {
  readonly head: SweepHead
  private readonly folder: string

  private constructor(folder: string, head: SweepHead) {
    this.folder = folder
    this.head = head
  }

  /**
   * For chunks of this sweep.
   *
   * @throws SweepFolderError where those of another lie, or of this one and they are not to be continued; OutputError
   */
  static make(folder: string, head: SweepHead, resumes: boolean): SweepFolder {
    const path = join(folder, 'sweep.json')
    if (existsSync(path)) {
      const found = SweepFolder.open(folder)
      if (found.head.digest !== head.digest)
        throw new SweepFolderError(
          `${folder}: holds chunks of another sweep ("${found.head.name}"): its scenario, a file or Featherbed changed; take another --out, or remove it`,
        )
      const count = found.done().length
      if (!resumes && count > 0)
        throw new SweepFolderError(`${folder}: holds ${count} chunks of this sweep; --resume goes on from there`)
      return found
    }
    writeWhole(path, `${JSON.stringify(head, null, 1)}\n`)
    return new SweepFolder(folder, head)
  }

  /** @throws SweepFolderError */
  static open(folder: string): SweepFolder {
    const path = join(folder, 'sweep.json')
    try {
      const head = JSON.parse(readFileSync(path, 'utf8')) as SweepHead
      if (head.version !== VERSION)
        throw new SweepFolderError(`${path}: is of version ${head.version}, and this Featherbed reads version ${VERSION}`)
      return new SweepFolder(folder, head)
    } catch (error) {
      if (error instanceof SweepFolderError) throw error
      throw new SweepFolderError(
        `${path}: cannot be read (${reasonOf(error)}); name a folder that featherbed sweep or compare --shard wrote`,
      )
    }
  }

  has(chunk: number): boolean {
    return existsSync(this.fileOf(chunk))
  }

  /** The chunks that lie here. */
  done(): number[] {
    const chunks: number[] = []
    for (let first = 0; first < this.head.chunks; first += FILES) {
      const folder = this.folderOf(first)
      if (!existsSync(folder)) continue
      for (const file of readdirSync(folder)) if (/^\d+\.json$/.test(file)) chunks.push(Number.parseInt(file, 10))
    }
    return chunks
  }

  /** @throws OutputError */
  write(chunk: number, { rows, seconds }: ChunkResult): void {
    this.writeText(chunk, chunkText(rows), seconds)
  }

  /** A chunk as text, and its computing time beside it [s]. @throws OutputError */
  writeText(chunk: number, text: string, seconds: number): void {
    const folder = this.folderOf(chunk)
    try {
      mkdirSync(folder, { recursive: true })
    } catch (error) {
      throw new OutputError(`${folder}: cannot be made (${reasonOf(error)})`, { cause: error })
    }
    // its time first: the chunk is done when its own file is there
    writeWhole(join(folder, `${chunk}.time`), `${seconds}\n`, false)
    writeWhole(this.fileOf(chunk), text, false)
  }

  /** @throws SweepFolderError for a file that was changed */
  rows(chunk: number): SweepRow[] {
    return rowsOf(readFileSync(this.fileOf(chunk), 'utf8'), this.head, this.fileOf(chunk))
  }

  seconds(chunk: number): number {
    try {
      return Number(readFileSync(join(this.folderOf(chunk), `${chunk}.time`), 'utf8'))
    } catch {
      return 0
    }
  }

  private fileOf(chunk: number): string {
    return join(this.folderOf(chunk), `${chunk}.json`)
  }

  private folderOf(chunk: number): string {
    return join(this.folder, 'chunks', String(Math.floor(chunk / FILES)))
  }
}

/** A line a row, and one that says that it is whole. */
export const chunkText = (rows: readonly SweepRow[]) =>
  `${[...rows.map((row) => JSON.stringify(row)), JSON.stringify({ rows: rows.length })].join('\n')}\n`

/** @throws SweepFolderError */
export function rowsOf(text: string, { columns }: SweepHead, where: string): SweepRow[] {
  try {
    const lines = text.trimEnd().split('\n')
    const { rows: count } = JSON.parse(lines.pop() as string) as { rows: number }
    const rows = lines.map((line) => JSON.parse(line) as SweepRow)
    if (count === rows.length && rows.every(({ length }) => length === columns.length)) return rows
  } catch {}
  throw new SweepFolderError(`${where}: is no whole chunk; remove it, and run its shard again with --resume`)
}

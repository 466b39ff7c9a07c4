/** Parquet files, a group of rows at a time, with the unit of each column in its metadata. */
import { renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ownName } from '../../control/ownFiles.ts'
import type { SweepColumn, SweepRow } from '../run/sweepRows.ts'

/** The package that writes Parquet is not installed. */
export class ParquetMissing extends Error {
  override readonly name = 'ParquetMissing'
  constructor(cause: unknown) {
    super('Parquet is written by a package of its own, which is not installed: npm install hyparquet-writer', { cause })
  }
}

type Column = Pick<SweepColumn, 'name' | 'type' | 'unit'>

export type ParquetFile = Awaited<ReturnType<typeof parquetFile>>

/** @throws ParquetMissing */
export async function parquetFile(path: string, columns: readonly Column[], about: Readonly<Record<string, string>>) {
  const { ParquetWriter, fileWriter, schemaFromColumnData } = await import('hyparquet-writer').catch((error: unknown) => {
    throw new ParquetMissing(error)
  })
  const part = join(dirname(path), `.${ownName('.part')}`)
  const schema = schemaFromColumnData({ columnData: columns.map(({ name, type }) => ({ name, type, data: [], nullable: true })) })
  const units = columns.filter(({ unit }) => unit !== '').map(({ name, unit }) => ({ key: `unit:${name}`, value: unit }))
  const described = Object.entries(about).map(([key, value]) => ({ key, value }))
  const writer = new ParquetWriter({
    writer: fileWriter(part),
    schema,
    kvMetadata: [...described, ...units],
    createdBy: `featherbed ${about.featherbed}`,
  })
  return {
    write(rows: readonly SweepRow[]) {
      const columnData = columns.map(({ name, type }, c) => ({
        name,
        data: rows.map((row) => (type === 'INT64' && row[c] !== null ? BigInt(row[c] as number) : row[c])),
      }))
      writer.write({ columnData, rowGroupSize: rows.length })
      const { columns: chunks } = writer.row_groups[writer.row_groups.length - 1]
      columns.forEach(({ unit }, c) => {
        const { meta_data } = chunks[c]
        if (unit !== '' && meta_data) meta_data.key_value_metadata = [{ key: 'unit', value: unit }]
      })
    },
    /** The file is there from then on. */
    end() {
      writer.finish()
      renameSync(part, path)
    },
  }
}

/** A table that is read in parts. */
export type SweepTable = Readonly<Awaited<ReturnType<typeof readRows>>>

/** @throws ParquetMissing, or the system's error where there is no such file */
export async function readRows(path: string) {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } = await import('hyparquet').catch((error: unknown) => {
    throw new ParquetMissing(error)
  })
  const file = await asyncBufferFromFile(path)
  const metadata = await parquetMetadataAsync(file)
  const pairs = (metadata.key_value_metadata ?? []).map(({ key, value = '' }) => [key, value] as const)
  const units = pairs.flatMap(([key, value]) => (key.startsWith('unit:') ? [[key.slice(5), value] as const] : []))
  return {
    columns: metadata.schema.slice(1).map(({ name }) => name),
    units: Object.fromEntries(units),
    about: Object.fromEntries(pairs.filter(([key]) => !key.startsWith('unit:'))),
    /** All rows in their order, a group of the file at a time. */
    rows: async function* (columns: readonly string[]) {
      let rowStart = 0
      for (const { num_rows } of metadata.row_groups) {
        const rowEnd = rowStart + Number(num_rows)
        const group = await parquetReadObjects({ file, metadata, columns: [...columns], rowStart, rowEnd })
        yield group.map((row) =>
          Object.fromEntries(
            Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
          ),
        )
        rowStart = rowEnd
      }
    },
  }
}

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

export interface ParquetFile {
  write(rows: readonly SweepRow[]): void
  /** The file is there from then on. */
  end(): void
}

/** @throws ParquetMissing */
export async function parquetFile(
  path: string,
  columns: readonly Column[],
  about: Readonly<Record<string, string>>,
): Promise<ParquetFile> {
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
    write(rows) {
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
    end() {
      writer.finish()
      renameSync(part, path)
    },
  }
}

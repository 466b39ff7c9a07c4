/** A row for each cell of a sweep: how often it succeeded, and the mean and spread of each figure over its seeds. */

import { mean, wilson } from '../measure/statistics.ts'
import { Decision, sequential } from '../run/decision.ts'
import type { SweepColumn, SweepRow } from '../run/sweepRows.ts'
import type { SweepHead } from './folder.ts'

export type CellRow = SweepRow
type Column = Pick<SweepColumn, 'name' | 'type' | 'unit'>

const named = new Set(['cell', 'robot', 'model'])
const isKept = ({ name, role }: SweepColumn) => named.has(name) || role === 'input'

/** Cell and inputs; counts and the interval of the probability of success; mean, standard deviation, least and largest of each figure. */
export function cellColumns({ columns }: SweepHead): Column[] {
  const counts = ['runs', 'failed', 'lawful', 'successes'].map((name) => ({ name, type: 'INT64', unit: '' }) as const)
  const rates = ['success', 'success.low', 'success.high'].map((name) => ({ name, type: 'DOUBLE', unit: '' }) as const)
  const figures = columns.filter(({ role }) => role === 'figure')
  return [
    ...columns.filter(isKept),
    ...counts,
    ...rates,
    { name: 'decided', type: 'STRING', unit: '' },
    ...figures.flatMap(({ name, unit }) =>
      ['mean', 'sd', 'min', 'max'].map((of) => ({ name: `${name}.${of}`, type: 'DOUBLE', unit }) as const),
    ),
  ]
}

/** @param rows of one cell, in the order of its seeds */
export function cellOf({ columns, decide }: SweepHead, rows: readonly SweepRow[]): CellRow {
  const at = (column: string) => columns.findIndex(({ name }) => name === column)
  const [status, success, laws] = [at('status'), at('success'), at('brokenLaws')]
  const failed = rows.filter((row) => row[status] === 'failed').length
  const lawful = rows.filter((row) => row[laws] === '').length
  const isAsked = rows.some((row) => row[success] !== null)
  const successes = isAsked ? rows.filter((row) => row[success] === true).length : null
  // a cell that ended early has an interval that holds whenever it ends
  const interval =
    successes === null
      ? [null, null]
      : decide
        ? sequential(successes, rows.length, decide.confidence)
        : wilson(successes, rows.length)
  return [
    ...columns.flatMap((column, c) => (isKept(column) ? [rows[0][c]] : [])),
    ...[rows.length, failed, lawful, successes],
    ...[successes === null ? null : successes / rows.length, ...interval],
    decide && isAsked ? decisionOf(decide, rows, success) : null,
    ...columns.flatMap(({ role }, c) => (role === 'figure' ? momentsOf(rows, c) : [])),
  ]
}

function decisionOf(decide: NonNullable<SweepHead['decide']>, rows: readonly SweepRow[], success: number): string {
  const decision = new Decision(decide)
  for (const row of rows) decision.isDecidedBy(row[success] === true)
  return decision.state
}

function momentsOf(rows: readonly SweepRow[], c: number): (number | null)[] {
  const values = rows.flatMap((row) => (typeof row[c] === 'number' ? row[c] : []))
  const n = values.length
  if (n === 0) return [null, null, null, null]
  const middle = mean(values)
  const sd = n > 1 ? Math.sqrt(values.reduce((sum, x) => sum + (x - middle) ** 2, 0) / (n - 1)) : null
  return [middle, sd, Math.min(...values), Math.max(...values)]
}

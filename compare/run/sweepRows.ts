/** Rows of a large sweep's results, one a run: the columns, their types and units, and the values of a run. */
import * as z from 'zod'
import { isKept } from '../measure/laws.ts'
import { type Metrics, metricDefinitions } from '../measure/metricDefinitions.ts'
import { inner, kinds, measureParts, notesOf, scenarioFields } from '../scenario/index.ts'
import type { Outcome } from './run.ts'
import type { SweepPlan } from './sweepPlan.ts'

export type ColumnType = 'STRING' | 'DOUBLE' | 'INT64' | 'BOOLEAN'

export type SweepColumn = Readonly<ReturnType<typeof column>>

const column = (name: string, type: ColumnType, role: 'name' | 'input' | 'result' | 'figure', unit = '') => ({
  name,
  type,
  unit,
  /** Identifier of the run, swept input, outcome, or numeric result. */
  role,
})

/** Computing times are no part of a result. */
const isTimed = (key: string) => key === 'step_us' || key === 'realTimeFactor'
const figures = (Object.keys(metricDefinitions) as (keyof Metrics)[]).filter((key) => !isTimed(key))

/** Units of a measure's own value and of its parts. */
const units: Readonly<Record<string, string>> = { slipped: 'm', angle: 'rad', t: 's' }

/** The columns of a sweep's results. */
export function columnsOf({ combinations, base }: SweepPlan): SweepColumn[] {
  const { over } = combinations
  const isNumeric = (path: string) => {
    const own = over?.[path]
    const values = own === undefined ? combinations.sweep[path] : 'values' in own ? own.values : []
    return values.every((value) => typeof value === 'number')
  }
  return [
    column('run', 'STRING', 'name'),
    column('cell', 'INT64', 'name'),
    column('robot', 'STRING', 'name'),
    column('model', 'STRING', 'name'),
    column('dt', 'DOUBLE', 'input', 's'),
    ...combinations.paths.map((path) => column(path, isNumeric(path) ? 'DOUBLE' : 'STRING', 'input', unitOf(path))),
    column('seed', 'INT64', 'name'),
    column('status', 'STRING', 'result'),
    column('failure', 'STRING', 'result'),
    column('hash', 'STRING', 'result'),
    column('success', 'BOOLEAN', 'result'),
    column('brokenLaws', 'STRING', 'result'),
    ...Object.entries(base.measure).flatMap(([name, { kind }]) => [
      column(`measure.${name}`, 'DOUBLE', 'figure', units[kind] ?? ''),
      ...measureParts[kind].map((part) => column(`measure.${name}.${part}`, 'DOUBLE', 'figure', units[part] ?? '')),
    ]),
    column('controllerMetrics', 'STRING', 'result'),
    ...figures.map((key) => column(key, 'DOUBLE', 'figure', metricDefinitions[key].unit)),
  ]
}

export type SweepRow = readonly (string | number | boolean | null)[]

/** Which run a row is of. */
export interface RowName {
  readonly run: string
  readonly cell: number
  readonly robot: string
  readonly model: string
  readonly dt: number
  readonly values: Readonly<Record<string, unknown>>
  readonly seed: number
}

/** The row of a run, in the order of the columns. */
export function rowOf({ base, combinations }: SweepPlan, name: RowName, outcome: Outcome): SweepRow {
  const { run, cell, robot, model, dt, values, seed } = name
  const { status, failure, hash, laws, metrics, controllerMetrics } = outcome
  const measures = Object.entries(base.measure).flatMap(([key, { kind }]) =>
    ['value', ...measureParts[kind]].map((part) => finite(outcome.outcome?.measures[key]?.[part])),
  )
  const broken = laws.filter((check) => !isKept(check)).map(({ law }) => law)
  return [
    ...[run, cell, robot, model, dt],
    ...combinations.paths.map((path) => plain(values[path])),
    ...[seed, status, failure, hash, outcome.outcome?.success ?? null, status === 'ok' ? broken.join(' ') : null],
    ...measures,
    Object.keys(controllerMetrics).length > 0 ? JSON.stringify(controllerMetrics) : null,
    ...figures.map((key) => finite(metrics?.[key])),
  ]
}

const finite = (value: number | null | undefined) => (Number.isFinite(value) ? (value as number) : null)
const plain = (value: unknown) =>
  typeof value === 'number' || typeof value === 'string' ? value : value === undefined ? null : JSON.stringify(value)

/** The unit of a scenario's field, '' where there is none. */
function unitOf(path: string): string {
  let schema: z.core.$ZodType | undefined = new z.ZodObject({ type: 'object', shape: scenarioFields })
  for (const key of path.split('.')) {
    const own: z.core.$ZodType | undefined = schema && inner(schema)
    schema = own instanceof z.ZodObject ? (own.shape as Record<string, z.core.$ZodType>)[key] : undefined
  }
  const kind = schema && notesOf(schema).kind
  return kind === undefined ? '' : kinds[kind].unit
}

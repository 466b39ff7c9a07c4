/** Columns of tables with a row a run, on the terminal and in the report: metrics, and the errors that the verdict judges. */
import type { RunResult } from '../judge/compare.ts'
import { type MetricColumn, type MetricDefinition, metricDefinitions } from '../measure/metricDefinitions.ts'
import type { Metrics } from '../measure/metrics.ts'
import { percent } from '../measure/numbers.ts'
import { energyText, motionText } from './words.ts'

/** `text`: the meaning of the figure, shown at its title. */
export interface Column extends MetricColumn, Pick<MetricDefinition, 'text' | 'better'> {
  readonly read: (run: RunResult) => number | null | undefined
}

const error = (limit: 'tracking' | 'energy', title: string, text: string): Column => ({
  group: 'judged by the verdict',
  title,
  unit: '%',
  scale: 100,
  limit,
  short: { title: title.replace(' ', '  \n'), print: percent },
  text,
  better: 'low',
  read: ({ error }) => error?.[limit],
})

const ofMetrics = Object.entries(metricDefinitions).flatMap(([key, { column, text, better }]): Column[] =>
  column ? [{ ...column, text, better, read: ({ metrics }) => metrics?.[key as keyof Metrics] }] : [],
)
const isJudged = ({ group }: Column) => group === 'judged by the verdict'

export const columns: readonly Column[] = [
  ...ofMetrics.filter(isJudged),
  error('tracking', 'motion error', motionText),
  error('energy', 'energy error', energyText),
  ...ofMetrics.filter((column) => !isJudged(column)),
]

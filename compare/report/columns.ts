/** Columns of tables with a row a run, on the terminal and in the report: metrics, and the errors that the verdict judges. */
import type { RunResult } from '../judge/compare.ts'
import { barOf, withBar } from '../judge/errorBars.ts'
import { type MetricColumn, type MetricDefinition, metricDefinitions } from '../measure/metricDefinitions.ts'
import type { Metrics } from '../measure/metrics.ts'
import { millimetres, percent } from '../measure/numbers.ts'
import { outcomeWords } from '../measure/outcomes.ts'
import { REFERENCE_REFINEMENT } from '../run/run.ts'

/** `text`: the meaning of the figure, shown at its title. */
export interface Column extends MetricColumn, Pick<MetricDefinition, 'text' | 'better'> {
  /** See `Bars`. */
  readonly key: string
  readonly read: (run: RunResult) => number | null | undefined
}

export const motionText = `The root mean square difference of each tracked quantity (the base's position, its orientation, every joint) from its reference: the same model's run at a ${REFERENCE_REFINEMENT}th of the smallest step. It is divided by the quantity's scale: its largest distance from the start in the reference, at least a tenth of the robot's size, or 0.1 rad. The worst quantity counts. Where the scenario states the exact solution, that is the reference.`
export const energyText =
  "The root mean square difference of the mechanical energy from the reference, over a scale. The scale is the largest kinetic energy plus the range of the potential energy in the reference, at least the robot's weight lifted by a hundredth of its size."

const error = (limit: 'tracking' | 'energy', title: string, text: string): Column => ({
  group: 'judged by the verdict',
  title,
  unit: '%',
  scale: 100,
  limit,
  short: { title: title.replace(' ', '  \n'), print: percent },
  text,
  better: 'low',
  key: limit,
  read: ({ error }) => error?.[limit],
})

const ofMetrics = Object.entries(metricDefinitions).flatMap(([key, { column, text, better }]): Column[] =>
  column ? [{ ...column, text, better, key, read: ({ metrics }) => metrics?.[key as keyof Metrics] }] : [],
)
const isJudged = ({ group }: Column) => group === 'judged by the verdict'

export const columns: readonly Column[] = [
  ...ofMetrics.filter(isJudged),
  error('tracking', 'motion error', motionText),
  error('energy', 'energy error', energyText),
  ...ofMetrics.filter((column) => !isJudged(column)),
]

/** Measures of the scenario's own, of runs of one scenario, in words with their bars. */
export const measuredWords = (runs: readonly Pick<RunResult, 'outcome' | 'bars'>[]): { name: string; words: string }[] =>
  outcomeWords(runs).map(({ name, words }) => {
    const bar = barOf(runs, `measures.${name}`)
    if (bar === undefined) return { name, words }
    const value = runs.length === 1 ? runs[0].outcome?.measures[name]?.value : undefined
    if (typeof value === 'number') return { name, words: withBar(value, bar, millimetres) }
    return { name, words: bar === null ? `${words}, no bar` : `${words} ± ${millimetres(bar)}` }
  })

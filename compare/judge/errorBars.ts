/**
 * Error bars by Richardson extrapolation: a figure at a run's step and parameters, and at two refinements of all of these at once, towards
 * the limits in which a model is rigid contact with Coulomb friction. Roache, Verification and Validation in Computational Science and
 * Engineering (1998), grid convergence index. docs/verdict.md#error-bars.
 */
import { refinedOptions } from '../../contact/index.ts'
import { metricDefinitions } from '../measure/metricDefinitions.ts'
import { type Outcome, REFERENCE_REFINEMENT, type RunJob } from '../run/run.ts'
import type { RunError } from './reference.ts'

/** Halvings of the step that refinements have. */
export const HALVINGS = [1, 2] as const

/** Differences up to this share of the scale are rounding. */
export const ROUNDING = 1e-9
/** Safety on the extrapolated error where differences fall about like the step or faster (Roache's 1.25), and elsewhere (his 3). */
const SAFE = 1.25
const CAREFUL = 3
/** Ratios of successive differences: of order one, the largest that is near it, and that of order 1/4, from which on nothing converges. */
const ORDER_ONE = 0.5
const NEAR_ONE = 0.6
const SLOWEST = 0.84

/**
 * Bound of |f(h) - f(0)| from the values of a figure at h, h/2 and h/4; null if they show no order. A faster decrease than order one counts
 * as order one, the formal order of all models; differences of alternating sign are an error without a series.
 *
 * @param scale of the figure; its rounding is a share of it
 */
export function errorBar([a, b, c]: readonly [number, number, number], scale: number): number | null {
  const [first, second] = [Math.abs(a - b), Math.abs(b - c)]
  const rounding = ROUNDING * scale
  if (Math.max(first, second) <= rounding) return rounding + CAREFUL * Math.max(first, second)
  const ratio = second / first
  if (!(ratio < SLOWEST)) return null
  if ((a - b) * (b - c) < 0) return rounding + CAREFUL * first
  return rounding + ((ratio <= NEAR_ONE ? SAFE : CAREFUL) * first) / (1 - Math.max(ratio, ORDER_ONE))
}

/**
 * The same run nearer to its limits: the step halved so many times, stiffness and options of the model as `Option.limit` has it. The softness
 * that geoms of MuJoCo state is theirs, and stays.
 */
export function refined(job: RunJob, halvings: number, hasGeoms: boolean): RunJob {
  const { model, dt } = job
  const options = refinedOptions(model.name, model.options, halvings)
  if (hasGeoms && model.options.timeConstant === undefined) delete options.timeConstant
  const nearer = { ...model, options } as RunJob['model']
  return { ...job, model: nearer, dt: dt / 2 ** halvings, vary: { stiffness: 4 ** halvings }, replay: false }
}

/** Bars of a run's figures: by the key of the metric, `tracking`, `energy`, or `measures.NAME`; null: no order, no bar. */
export type Bars = Readonly<Record<string, number | null>>

type Level = Pick<Outcome, 'status' | 'metrics' | 'outcome'>

/**
 * Bars of the figures of a run, and of its two errors. These are distances from a truth, whose own error bounds theirs; it is bounded by the
 * distance of the finest run from its reference, as for order 1/2.
 *
 * @param levels the run, and its refinements, without which there are none @param finest error of the run at the smallest step
 * @returns null too if the run failed
 */
export function barsOf([run, ...finer]: readonly Level[], finest: Pick<RunError, 'parts'> | null): Bars | null {
  if (finer.length === 0 || run.status === 'failed') return null
  const [known, ...others] = [figuresOf(run), ...finer.map(figuresOf)]
  const bars = Object.entries(known).flatMap(([key, value]): [string, number | null][] => {
    if (!isNumber(value)) return []
    const values = [value, ...others.map((figures) => figures[key])]
    return [[key, values.every(isNumber) ? errorBar(values as [number, number, number], Math.max(1, Math.abs(value))) : null]]
  })
  const step = finest?.parts.integrator
  const ofError = (distance = Number.NaN) =>
    isNumber(distance) ? ROUNDING + distance / (Math.sqrt(REFERENCE_REFINEMENT) - 1) : null
  return { ...Object.fromEntries(bars), tracking: ofError(step?.motion), energy: ofError(step?.energy) }
}

const isNumber = (x: unknown): x is number => typeof x === 'number' && Number.isFinite(x)

/** Metrics of tables with a row a run, but for computing times, and lengths that the scenario measures; none of a run that failed. */
function figuresOf({ status, metrics, outcome }: Level): Record<string, number | null | undefined> {
  if (status === 'failed') return {}
  const columns = Object.entries(metricDefinitions).filter(([, { column }]) => column && column.group !== 'cost')
  const lengths = Object.entries(outcome?.measures ?? {}).filter(([, { t }]) => t === undefined)
  return {
    ...Object.fromEntries(columns.map(([key]) => [key, metrics?.[key as keyof typeof metrics]])),
    ...Object.fromEntries(lengths.map(([name, { value }]) => [`measures.${name}`, value])),
  }
}

/** The largest bar of some runs; null if one has none, undefined where none were asked for. */
export function barOf(runs: readonly { readonly bars?: Bars }[], key: string): number | null | undefined {
  const bars = runs.map((run) => run.bars?.[key])
  if (bars.some((bar) => bar === null)) return null
  return bars.every((bar) => bar === undefined) ? undefined : Math.max(...bars.map((bar) => bar ?? 0))
}

/** `1.31 ± 0.02 mm`, or `1.31 mm, no bar`; without bars `1.31 mm`. A bar is rounded up, to no less than the rounding of the shown value. */
export function withBar(value: number, bar: number | null | undefined, print: (x: number) => string): string {
  const text = print(value)
  if (bar === undefined) return text
  if (bar === null) return `${text}, no bar`
  const digits = (x: number) => 10 ** Math.floor(Math.log10(x))
  const least = value === 0 ? bar : Math.max(bar, 0.005 * digits(Math.abs(value)))
  const unit = least > 0 ? digits(least) / 10 : 1
  const width = print(Math.ceil(least / unit - 1e-9) * unit)
  const [number, ends] = [text, width].map((words) => /^\S*?[\d.](?=$|[ /])/.exec(words)?.[0])
  return number === undefined || ends === undefined ? `${text} ± ${width}` : `${number} ± ${ends}${text.slice(number.length)}`
}

/** Below a table of figures with bars. */
export const barsKey =
  '± bounds the distance of a figure from its limit: short steps, stiff contacts, the cone of friction; of an error, that of its reference. No order, no bar.'

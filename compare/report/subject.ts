/** Subject of a section of the report: one robot (or world of several), its pairs of model and step, the runs of each. */
import type { ReportedTruth, Results, RunPlots, RunResult } from '../judge/compare.ts'
import type { LimitName, MissedLimit as MissedOfRun, Verdict } from '../judge/verdict.ts'
import { nameOf, valueText, worldWords } from '../judge/verdictWords.ts'
import { milliseconds } from '../measure/numbers.ts'
import { median } from '../measure/statistics.ts'
import type { Limits } from '../scenario/index.ts'

/** Plots of a run; the replay need not have been kept. */
export type ReportPlots = Omit<RunPlots, 'replay'> & Partial<Pick<RunPlots, 'replay'>>

/** How one pair of model and step is drawn, the same in every chart: a colour a model, a stroke pattern a step. */
export type Look = Readonly<ReturnType<typeof lookOf>>

export interface Shown {
  readonly run: RunResult
  readonly plots: ReportPlots
}

/** One model at one step: a row of the table. */
export interface Pair {
  /** Its name; where a sweep varies its options, with their values. */
  readonly model: string
  readonly dt: number
  readonly look: Look
  /** One a seed and variant of the world. */
  readonly runs: readonly Shown[]
  readonly isChosen: boolean
  /** Limits that any of its runs missed, with the worst value of each and how many runs it was. */
  readonly missed: readonly MissedLimit[]
  /** Mean of its runs; null unless all have one [s a simulated second]. */
  readonly cost: number | null
  /** How far the cost of any run may be off, as a part of it: see `Cost.spread`. */
  readonly spread: number
}

export interface MissedLimit extends MissedOfRun {
  readonly runs: number
}

export type Truth = ReportedTruth

export type Subject = ReturnType<typeof subjectsOf>[number]

/** Hues in the style sheet. */
export const colors = 13
const dashes = ['', '6 4', '2 3', '10 3 2 3', '12 5', '1 5']

const lookOf = (model: string, m: number, dt: number, s: number) => ({
  name: `${model}, ${milliseconds(dt)}`,
  /** Of the style sheet's hues. */
  hue: m % colors,
  color: `var(--c${m % colors})`,
  /** Of the steps, rising. */
  stroke: s,
  dash: dashes[s % dashes.length],
})

/**
 * @param first  index of the first subject on its page
 * @param isOnly whether these are all results of the page
 */
export function subjectsOf(
  { scenario, robots, verdicts, truths, runs, beside = [] }: Results,
  plots: readonly ReportPlots[],
  first = 0,
  isOnly = true,
) {
  const { duration, limits } = scenario as unknown as { duration: number; limits: Limits }
  const models = [...new Set(runs.map(nameOf))]
  const modelCount = new Set(runs.map(({ model }) => model)).size
  const steps = [...new Set(runs.map(({ dt }) => dt))].sort((a, b) => a - b)
  return robots.map((robot, place) => {
    const index = first + place
    const own = runs.flatMap((run, i) => (run.robot === robot.robot ? [{ run, plots: plots[i] }] : []))
    const verdict = verdicts[place]
    const pairs = models.flatMap((model, m) =>
      steps.flatMap((dt, s): Pair[] => {
        const these = own.filter(({ run }) => nameOf(run) === model && run.dt === dt)
        if (these.length === 0) return []
        const spreads = these.map(({ run }) => run.cost?.spread ?? 0)
        const costs = these.flatMap(({ run }) => (run.cost === null ? [] : [run.cost.perSecond]))
        return [
          {
            model,
            dt,
            look: lookOf(model, m, dt, s),
            runs: these,
            isChosen: isChoice(these[0].run, verdict),
            missed: missedOf(these),
            cost: costs.length === these.length ? costs.reduce((sum, cost) => sum + cost, 0) / costs.length : null,
            spread: Math.max(...spreads),
          },
        ]
      }),
    )
    const seeds = [...new Set(own.map(({ run }) => run.seed))]
    const worlds = [...new Set(own.map(({ run }) => worldWords(run)))].filter((words) => words !== '')
    const name = String(scenario.name)
    const title = robots.length === 1 || name === robot.robot ? name : isOnly ? robot.robot : `${name}: ${robot.robot}`
    return {
      index,
      /** Unlike that of any other on the page. */
      title,
      scenario,
      robot,
      verdict,
      /** References of the runs of each of its worlds. */
      truths: truths.filter((truth) => truth.robot === robot.robot),
      beside: beside.filter((one) => one.robot === robot.robot),
      pairs,
      /** Names as in the pairs, one a line of the charts. */
      models,
      /** How many contact models there are, whatever a sweep varies. */
      modelCount,
      /** Rising. */
      steps,
      seeds,
      /** Sweep values except the models' options, in words; empty without one. */
      worlds,
      limits,
      duration,
    }
  })
}

type Choice = Pick<Verdict, 'model' | 'dt' | 'variant'>

/** A verdict states the options that it chose; other sweep values hold for all of a pair's runs and are not in it. */
export function isChoice(run: RunResult, { model, dt, variant = {} }: Choice): boolean {
  const agrees = ([path, value]: readonly [string, unknown]) => valueText(run.variant?.[path]) === valueText(value)
  return run.model === model && run.dt === dt && Object.entries(variant).every(agrees)
}

/** Whether a verdict's choice is of this pair. */
export const isPairOf = ({ runs }: Pick<Pair, 'runs'>, choice: Choice): boolean => isChoice(runs[0].run, choice)

function missedOf(runs: readonly Shown[]): MissedLimit[] {
  const worst = new Map<LimitName, MissedLimit>()
  for (const one of runs.flatMap(({ run }) => run.missed)) {
    const known = worst.get(one.limit)
    const larger = known !== undefined && (known.value ?? -Infinity) >= (one.value ?? -Infinity) ? known : one
    worst.set(one.limit, { ...larger, runs: (known?.runs ?? 0) + 1 })
  }
  return [...worst.values()]
}

/** The pair that the verdict names. */
export const chosenOf = ({ pairs }: Subject) => pairs.find(({ isChosen }) => isChosen)

/** A figure of a pair: the median over its runs, and its range. */
export interface Figure {
  readonly median: number
  readonly low: number
  readonly high: number
  readonly runs: number
}

export function figureOf({ runs }: Pair, read: (run: RunResult) => number | null | undefined): Figure | null {
  const values = runs
    .map(({ run }) => read(run))
    .filter((value): value is number => typeof value === 'number' && Number.isFinite(value))
  if (values.length === 0) return null
  return { median: median(values), low: Math.min(...values), high: Math.max(...values), runs: values.length }
}

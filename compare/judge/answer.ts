/** The answer of repeated runs: how often each pair of model and step succeeds, and where in a sweep it does, with the border. */
import { listed } from '../../dynamics/index.ts'
import { grouped } from '../measure/grouped.ts'
import { milliseconds, percent } from '../measure/numbers.ts'
import type { RunOutcome } from '../measure/outcomes.ts'
import { wilson } from '../measure/statistics.ts'
import type { Verdict } from './verdict.ts'
import { isOption, nameOf, valueText } from './verdictWords.ts'

/** The part of a run that an answer reads. */
export interface AnsweredRun {
  readonly model: string
  readonly dt: number
  readonly variant?: Readonly<Record<string, unknown>> | null
  readonly outcome?: RunOutcome | null
  readonly missed: readonly unknown[]
}

/** A swept quantity of the world. */
export interface SweptAxis {
  readonly path: string
  /** As short as it can be told from the others: `friction`, `bar.mass`. */
  readonly name: string
  /** Rising, where they are numbers, or numbers of one unit; else in the order of the sweep. */
  readonly values: readonly unknown[]
  readonly isNumeric: boolean
}

/** Runs of one pair in one world: how many there are, one a seed, and how many succeed, or keep the limits where no success is stated. */
export interface AnswerCell {
  readonly good: number
  readonly runs: number
}

/** Pairs that do the same everywhere. */
export interface AnswerGroup {
  /** With a model's swept options in its name. */
  readonly pairs: readonly { readonly model: string; readonly dt: number }[]
  /** One a combination of the values, the last axis fastest. */
  readonly cells: readonly AnswerCell[]
}

export interface Answer {
  /** `succeed`, or `hold`: keep every law and limit. */
  readonly verb: 'succeed' | 'hold'
  readonly axes: readonly SweptAxis[]
  readonly groups: readonly AnswerGroup[]
  /** In words: rates of success, or the borders of the sweep. */
  readonly lines: readonly string[]
}

/** A number, or one with a unit; NaN for anything else. */
export const numberOf = (value: unknown): number => Number.parseFloat(String(value))
const unitOf = (value: unknown) => String(value).replace(/^[\d.e+-]*/, '')

/** The answer of all runs of a robot; null where nothing is swept and no success is stated. @unchecked */
export function answerOf(runs: readonly AnsweredRun[]): Answer | null {
  const asks = runs.some(({ outcome }) => typeof outcome?.success === 'boolean')
  const axes = axesOf(runs)
  if (!asks && axes.length === 0) return null
  const worlds = product(axes.map(({ values }) => values))
  const isGood = ({ outcome, missed }: AnsweredRun) => (asks ? outcome?.success === true : missed.length === 0)
  const pairs = [...grouped(runs, (run) => JSON.stringify([nameOf(run), run.dt])).values()].map((own) => {
    const byWorld = grouped(own, ({ variant }) => JSON.stringify(axes.map(({ path }) => variant?.[path])))
    const cells = worlds.map((world): AnswerCell => {
      const here = byWorld.get(JSON.stringify(world)) ?? []
      return { good: here.filter(isGood).length, runs: here.length }
    })
    return { model: nameOf(own[0]), dt: own[0].dt, cells }
  })
  const groups = [...grouped(pairs, ({ cells }) => JSON.stringify(cells)).values()].map((same) => ({
    pairs: same.map(({ model, dt }) => ({ model, dt })),
    cells: same[0].cells,
  }))
  const sorted = groups.sort((a, b) => share(b.cells) - share(a.cells))
  const answer = { verb: asks ? 'succeed' : 'hold', axes, groups: sorted } as const
  return { ...answer, lines: axes.length === 0 ? rateLines(answer) : borderLines(answer) }
}

/** The cell of a combination of values, one an axis. */
export const cellAt = ({ cells }: AnswerGroup, axes: readonly SweptAxis[], world: readonly unknown[]): AnswerCell =>
  cells[axes.reduce((index, { values }, i) => index * values.length + values.indexOf(world[i]), 0)]

const rateLines = ({ verb, groups }: Omit<Answer, 'lines'>) =>
  groups.map((group) => pairsWords(group, verb) + rateWords(group.cells[0]))

/** The verdict with its answer, and the line of the pair to take, or else the first, in its sentence. */
export function answered(verdict: Verdict, runs: readonly AnsweredRun[]): Verdict {
  const answer = answerOf(runs)
  if (answer === null) return verdict
  const name = verdict.model === null ? '' : nameOf({ model: verdict.model, variant: verdict.variant })
  const chosen = answer.groups.findIndex(({ pairs }) => pairs.some(({ model, dt }) => model === name && dt === verdict.dt))
  return { ...verdict, answer, sentence: `${verdict.sentence} Answer: ${answer.lines[Math.max(0, chosen)]}.` }
}

/** `lcp and ncp at 1 ms succeed `. */
export function pairsWords({ pairs }: AnswerGroup, verb?: Answer['verb']): string {
  const bySteps = [...grouped(pairs, ({ dt }) => dt)].map(([dt, own]) => {
    const names = own.map(({ model }) => model)
    return { names: listed(names, MOST_NAMES), step: milliseconds(dt) }
  })
  const same = [...grouped(bySteps, ({ names }) => names)]
  const words = same.map(([names, own]) => `${names} at ${listed(own.map(({ step }) => step))}`)
  return words.join(', and ') + (verb === undefined ? '' : ` ${verb}${pairs.length > 1 ? '' : 's'} `)
}
const MOST_NAMES = 8

const share = (cells: readonly AnswerCell[]) => cells.reduce((sum, { good, runs }) => sum + good / Math.max(1, runs), 0)

function axesOf(runs: readonly AnsweredRun[]): SweptAxis[] {
  const values = new Map<string, Map<string, unknown>>()
  for (const { variant } of runs)
    for (const [path, value] of Object.entries(variant ?? {}))
      if (!isOption([path, value])) values.set(path, (values.get(path) ?? new Map()).set(valueText(value), value))
  return [...values].flatMap(([path, found]) => {
    if (found.size < 2) return []
    const all = [...found.values()]
    const isNumeric = all.every((value) => Number.isFinite(numberOf(value)) && unitOf(value) === unitOf(all[0]))
    const nameOfLast = (n: number) => path.split('.').slice(-n).join('.')
    const isAlone = [...values.keys()].every((other) => other === path || !other.endsWith(`.${nameOfLast(1)}`))
    const sorted = isNumeric ? all.sort((a, b) => numberOf(a) - numberOf(b)) : all
    return [{ path, name: nameOfLast(isAlone ? 1 : 2), values: sorted, isNumeric }]
  })
}

export const product = (lists: readonly (readonly unknown[])[]): unknown[][] =>
  lists.reduce<unknown[][]>((all, list) => all.flatMap((one) => list.map((value) => [...one, value])), [[]])

/** `in 19 of 20 runs (76 to 99 %)`: with the interval of Wilson, of 95 %. */
export function rateWords({ good, runs }: AnswerCell): string {
  if (runs < 2) return good === runs ? 'in the one run' : 'in no run'
  const [low, high] = wilson(good, runs)
  return `in ${good} of ${runs} runs (${Math.round(100 * low)} to ${percent(Math.round(100 * high) / 100)})`
}

/** Where each group holds, along the axis that says it in the fewest words. */
function borderLines({ verb, axes, groups }: Omit<Answer, 'lines'>): string[] {
  const told = axes.map((along, k) => {
    const rest = axes.filter((axis) => axis !== along)
    return groups.map((group) => {
      if (group.cells.every(({ good, runs }) => good === runs)) return `${pairsWords(group, verb)}everywhere`
      const rows = grouped(product(rest.map(({ values }) => values)), (other) =>
        partWords(
          along,
          along.values.map((value) => cellAt(group, axes, [...other.slice(0, k), value, ...other.slice(k)])),
        ),
      )
      const where = [...rows].map(([words, own]) => words + (rows.size === 1 ? '' : otherWords(rest, own)))
      return pairsWords(group, verb) + where.join('; ')
    })
  })
  const length = (lines: readonly string[]) => lines.join('').length
  return told.reduce((best, lines) => (length(lines) < length(best) ? lines : best))
}

/** Values of an axis at which a rate is told. */
const MOST_RATES = 4

/** `for friction >= 0.35 (0.3 fails), in 3 of 5 runs (23 to 88 %) at friction 0.3`. */
function partWords({ name, values }: SweptAxis, row: readonly AnswerCell[]): string {
  const holds = row.map(({ good, runs }) => runs > 0 && good === runs)
  const [first, last] = [holds.indexOf(true), holds.lastIndexOf(true)]
  const value = (i: number) => valueText(values[i])
  const partly = row.flatMap((cell, i) => (cell.good > 0 && !holds[i] ? [`${rateWords(cell)} at ${name} ${value(i)}`] : []))
  if (first < 0) return partly.length === 0 ? 'nowhere' : listed(partly, MOST_RATES)
  const some = partly.length === 0 ? '' : `, ${listed(partly, MOST_RATES)}`
  const isOneRange = holds.slice(first, last + 1).every(Boolean)
  if (first === 0 && last === holds.length - 1 && isOneRange) return `for every ${name}`
  if (!isOneRange) return `for ${name} ${listed(holds.flatMap((is, i) => (is ? [value(i)] : [])))}${some}`
  if (last === holds.length - 1) return `for ${name} >= ${value(first)} (not at ${value(first - 1)})${some}`
  if (first === 0) return `for ${name} <= ${value(last)} (not at ${value(last + 1)})${some}`
  return `for ${name} ${first === last ? value(first) : `from ${value(first)} to ${value(last)}`}${some}`
}

function otherWords(axes: readonly SweptAxis[], worlds: readonly (readonly unknown[])[]): string {
  const values = (world: readonly unknown[]) => world.map((value, i) => `${i > 0 ? `${axes[i].name} ` : ''}${valueText(value)}`)
  return ` at ${axes[0].name} ${listed(
    worlds.map((world) => values(world).join(' with ')),
    6,
  )}`
}

/** The answer of a sweep or of repeated runs, which opens a report: a curve over what was swept, or a map; and the borders in words. */
import {
  type Answer,
  type AnswerGroup,
  cellAt,
  numberOf,
  pairsWords,
  product,
  rateWords,
  type SweptAxis,
} from '../judge/answer.ts'
import { judge } from '../judge/verdict.ts'
import { nameOf, valueText } from '../judge/verdictWords.ts'
import { counted, milliseconds } from '../measure/numbers.ts'
import { median } from '../measure/statistics.ts'
import { cellMap, chart, type Line, linearRange } from './chart.ts'
import { bound, swatch } from './format.ts'
import { escapeHtml } from './html.ts'
import type { Pair, Shown, Subject } from './subject.ts'

/** Maps that are drawn. */
const MOST_MAPS = 32
const MOST_CURVES = 16

export function sweepSection(subject: Subject): string {
  const { answer } = subject.verdict
  if (answer === undefined) return ''
  const { lines, axes } = answer
  const words = lines.map((line) => `<li>${escapeHtml(bound(line))}</li>`).join('')
  const pictures =
    axes.length === 0 ? '' : axes.length === 1 ? curves(subject, axes[0]) + maps(subject, answer) : maps(subject, answer)
  return `<section class="answer" aria-label="The answer"><h3>${axes.length === 0 ? 'How often it succeeds' : `Over ${escapeHtml(axes.map(({ name }) => name).join(' and '))}`}</h3><ul>${words}</ul>${pictures}</section>`
}

/** The first two axes across and upwards, the others a map each; before all others the pair to take in each world. */
function maps(subject: Subject, { axes, groups, verb }: Answer): string {
  const [along, up, ...rest] = axes
  const rows = up ? [...up.values].reverse() : [undefined]
  const shown = (axis: SweptAxis, value: unknown) => `${axis.name} ${valueText(value)}`
  const all = product(rest.map(({ values }) => values)).flatMap((others) => {
    const at = (column: number, row: number) => [along.values[column], ...(up ? [rows[row]] : []), ...others]
    const where = others.map((value, i) => shown(rest[i], value)).join(', ')
    const title = (column: number, row: number) =>
      at(column, row)
        .map((value, i) => shown(axes[i], value))
        .join(', ')
    const names = { columns: along.values.map(valueText), rows: rows.map((value) => (up ? valueText(value) : '')) }
    const figure = (caption: string, picture: string) =>
      `<figure class="card"><figcaption>${escapeHtml(bound(caption))}${where === '' ? '' : `<span>${escapeHtml(where)}</span>`}</figcaption>${picture}<p class="note">${up ? `${escapeHtml(up.name)} over ` : ''}${escapeHtml(along.name)}</p></figure>`
    const take = cellMap({ ...names, label: 'The pair to take', width: 96 }, (column, row) => {
      const words = takenAt(subject, axes, at(column, row))
      const isTaken = words.includes(' ms')
      return { text: words, fill: isTaken ? 'var(--good)' : 'var(--bad)', opacity: 0.2, title: `${title(column, row)}: ${words}` }
    })
    const ofGroup = (group: AnswerGroup) =>
      figure(
        pairsWords(group),
        cellMap({ ...names, label: pairsWords(group) }, (column, row) => {
          const cell = cellAt(group, axes, at(column, row))
          const { good, runs } = cell
          if (runs === 0) return undefined
          const part = good / runs
          const text = runs > 1 ? `${good}/${runs}` : good === 1 ? 'yes' : 'no'
          const look =
            part > 0.5 ? { fill: 'var(--good)', opacity: 0.2 + 0.5 * part } : { fill: 'var(--bad)', opacity: 0.6 - 0.5 * part }
          return { ...look, text, title: `${title(column, row)}: ${verb}s ${rateWords(cell)}` }
        }),
      )
    return [figure('The pair to take', take), ...groups.map(ofGroup)]
  })
  const left =
    all.length > MOST_MAPS
      ? `<p class="note">${counted(all.length - MOST_MAPS, 'further map')} left out; the lines above say the same of all.</p>`
      : ''
  return `<div class="maps">${all.slice(0, MOST_MAPS).join('')}</div>${left}`
}

/** The pair that the verdict on one world alone would name. */
function takenAt(
  { robot, pairs, limits, truths, duration }: Subject,
  axes: readonly SweptAxis[],
  world: readonly unknown[],
): string {
  const isIn = (variant: Readonly<Record<string, unknown>> | null) =>
    axes.every(({ path }, i) => valueText(variant?.[path]) === valueText(world[i]))
  const runs = pairs.flatMap((pair) => pair.runs.flatMap(({ run }) => (isIn(run.variant) ? [run] : [])))
  const own = truths.filter(({ variant }) => isIn(variant))
  const { model, dt, state, variant } = judge(robot.robot, runs, limits, own, { duration, overlap: null })
  return model === null || dt === null ? state : `${nameOf({ model, variant })} ${milliseconds(dt)}`
}

/** Figures over one swept quantity, by model and step: what the scenario measures, or else the errors. */
function curves({ index, pairs }: Subject, axis: SweptAxis): string {
  const place = (value: unknown) => (axis.isNumeric ? numberOf(value) : axis.values.indexOf(value))
  const [first] = pairs.flatMap(({ runs }) => runs.flatMap(({ run }) => run.outcome ?? []))
  const ofMeasure = (title: string, part: string, unit: string) => [
    { title, unit, read: ({ run }: Shown) => 1e3 * (run.outcome?.measures[title][part] ?? Number.NaN) },
  ]
  const measured = Object.entries(first?.measures ?? {}).flatMap(([name, figures]) =>
    'angle' in figures ? ofMeasure(name, 'value', 'mm') : 'distance' in figures ? ofMeasure(name, 'distance', 'mm or mrad') : [],
  )
  const errors = [
    { title: 'Motion error', unit: '%', read: ({ run }: Shown) => 100 * (run.error?.tracking ?? Number.NaN) },
    { title: 'Penetration', unit: 'mm', read: ({ run }: Shown) => 1e3 * (run.error?.penetration_m ?? Number.NaN) },
  ]
  const rate = { title: 'Success', unit: '%', read: ({ run }: Shown) => (run.outcome?.success ? 100 : 0) }
  const repeats = pairs.some(({ runs }) => runs.length > axis.values.length) && typeof first?.success === 'boolean'
  const shown = pairs.slice(0, MOST_CURVES)
  const figures = [...(repeats ? [rate] : []), ...(measured.length > 0 ? measured : errors)].map(({ title, unit, read }, f) => {
    const lines = shown.map((pair): Line => {
      const y = axis.values.map((value) => {
        const own = pair.runs.filter(({ run }) => valueText(run.variant?.[axis.path]) === valueText(value)).map(read)
        return title === rate.title ? own.reduce((sum, x) => sum + x, 0) / own.length : median(own)
      })
      const { name, color, dash } = pair.look
      const labels = y.map((value) => `${name}: ${value.toPrecision(3)} ${unit}`)
      return {
        ...{ id: name, x: axis.values.map(place), y, color, dash },
        ...{ marker: 'circle', sizes: y.map(() => 3), labels },
      }
    })
    const x = { label: axis.name, log: false, range: [Math.min(...lines[0].x), Math.max(...lines[0].x)] } as const
    const y = { label: `${title} [${unit}]`, log: false, range: linearRange(lines.map((line) => line.y)) }
    return `<figure class="card"><figcaption>${escapeHtml(title)} [${unit}]</figcaption>${chart({ id: `answer-${index}-${f}`, x, y, lines, title, size: { width: 460, height: 280 } })}</figure>`
  })
  const key = shown.map(({ look }: Pair) => `<span>${swatch(look)}${escapeHtml(look.name)}</span>`)
  const more = pairs.length > shown.length ? ` ${counted(pairs.length - shown.length, 'further pair')} in the table below.` : ''
  return `<div class="charts two">${figures.join('')}</div><p class="values">${key.join('')}${more}</p>`
}

/** Error against cost over the step sizes: one line a model, both axes logarithmic. */
import type { RunResult } from '../compare.ts'
import { REFERENCE_REFINEMENT } from '../reference.ts'
import { millimetres, milliseconds, percent, seconds, significant } from '../verdict.ts'
import { chart, type Line, logRange, markerPath, narrow, wide } from './chart.ts'
import { bound, scaled } from './format.ts'
import { escapeHtml } from './html.ts'
import { figureOf, type Look, type Pair, type Subject } from './subject.ts'

interface Panel {
  readonly id: string
  readonly title: string
  readonly label: string
  readonly read: (run: RunResult) => number | null | undefined
  readonly limit: number
  readonly words: string
  readonly floor: number
}

/** More lines than this want wider charts. */
const mostNarrow = 6

export function workPrecision(subject: Subject): string {
  const { pairs, models, steps, limits, index } = subject
  const timed = pairs.filter(({ cost, runs }) => cost !== null && runs.some(({ run }) => run.error !== null))
  if (timed.length === 0) return '<p class="note">No run came to its end, so there is nothing to draw.</p>'
  const costs = logRange(
    timed.map(({ cost }) => cost as number),
    1e-9,
  )
  const panels: Panel[] = [
    {
      id: 'penetration',
      title: 'Penetration',
      label: 'deepest penetration [mm]',
      read: ({ error }) => error && 1e3 * error.penetration_m,
      limit: 1e3 * limits.penetration,
      words: `limit ${millimetres(limits.penetration)}`,
      floor: 1e-6,
    },
    {
      id: 'motion',
      title: 'Motion',
      label: 'motion error [%]',
      read: ({ error }) => scaled(error?.tracking),
      limit: 100 * limits.tracking,
      words: `limit ${percent(limits.tracking)}`,
      floor: 1e-6,
    },
    {
      id: 'energy',
      title: 'Energy',
      label: 'energy error [%]',
      read: ({ error }) => scaled(error?.energy),
      limit: 100 * limits.energy,
      words: `limit ${percent(limits.energy)}`,
      floor: 1e-6,
    },
  ]
  const lookOf = (model: string) => (pairs.find((pair) => pair.model === model) as Pair).look
  const sizeOf = (dt: number) => 3.6 + (3.4 * steps.indexOf(dt)) / Math.max(1, steps.length - 1)
  const isWide = models.length > mostNarrow
  const figures = panels.map(({ id, title, label, read, limit, words, floor }) => {
    const values = timed.map((pair) => figureOf(pair, read)?.median).filter((v) => v !== undefined)
    const lines = models.flatMap((model): Line[] => {
      const own = timed.filter((pair) => pair.model === model && figureOf(pair, read) !== null)
      if (own.length === 0) return []
      const chosen = own.findIndex(({ isChosen }) => isChosen)
      const { color, marker } = lookOf(model)
      const y = own.map((pair) => figureOf(pair, read)?.median as number)
      return [
        {
          id: String(models.indexOf(model)),
          x: own.map(({ cost }) => cost as number),
          y,
          color,
          dash: '',
          marker,
          labels: own.map(
            ({ dt, cost }, i) =>
              `${model} at ${milliseconds(dt)}: ${significant(y[i], 3)} ${label.slice(label.indexOf('[') + 1, -1)} for ${seconds(cost as number)} per simulated second`,
          ),
          sizes: own.map(({ dt }) => sizeOf(dt)),
          chosen: chosen < 0 ? undefined : chosen,
        },
      ]
    })
    const range = logRange([...values, limit], floor)
    const svg = chart({
      id: `work-${index}-${id}`,
      x: { label: 'computing time per simulated second [s]', log: true, range: costs },
      y: { label, log: true, range },
      lines,
      limit: { value: limit, label: words },
      title: `${title} error against cost. ${spoken(timed, read)}`,
      size: isWide ? wide : narrow,
      guides: id === 'penetration' || steps.length < 2 ? [] : firstOrder(costs, range),
    })
    return `<figure class="card"><figcaption>${title}</figcaption>${svg}</figure>`
  })
  const legend = models.map(
    (model, m) =>
      `<button type="button" aria-pressed="true" data-model="${m}">${markerSwatch(lookOf(model))}${escapeHtml(model)}</button>`,
  )
  const markers =
    steps.length > 1
      ? ` The larger the marker, the larger the step (${steps.map((dt) => bound(milliseconds(dt))).join(', ')}).`
      : ''
  const ring = subject.verdict.model === null ? '' : ' The ring marks the verdict.'
  const spread = pairs.some(({ runs }) => runs.length > 1) ? ' Each point is the median error and the mean cost of its runs.' : ''
  return `<p class="note">Each line is a model, each point a step size.${markers} Left is cheaper, down more accurate; the shaded part keeps the limit.${ring}${spread} ${referenceWords(subject)}</p>
<div class="legend" role="group" aria-label="Models that are shown">${legend.join('')}</div><div class="charts${isWide ? ' two' : ''}">${figures.join('')}</div>`
}

/** What errors were taken against. */
function referenceWords({ pairs, steps }: Subject): string {
  const against = new Set(pairs.flatMap(({ runs }) => runs.flatMap(({ run }) => (run.error ? [run.error.against] : []))))
  const finest = bound(milliseconds(steps[0] / REFERENCE_REFINEMENT))
  const words = [
    ...(against.has('reference') ? [`each model's own run at ${finest}, a ${REFERENCE_REFINEMENT}th of the smallest step`] : []),
    ...(against.has('closed form') ? ['the closed form that the scenario states'] : []),
  ]
  return words.length === 0 ? '' : `Reference of the motion and energy errors: ${words.join(', or ')}. Of the penetration: zero.`
}

/** The points in words, for those who listen. */
function spoken(pairs: readonly Pair[], read: Panel['read']): string {
  return pairs
    .slice(0, 12)
    .flatMap((pair) => {
      const figure = figureOf(pair, read)
      return figure === null
        ? []
        : [`${pair.model} at ${milliseconds(pair.dt)}: ${significant(figure.median, 3)} for ${seconds(pair.cost as number)}`]
    })
    .join('; ')
}

/** A line along which half the error costs twice as much: first order in the step. In the lower left corner, out of the way. */
function firstOrder(x: readonly [number, number], y: readonly [number, number]) {
  const [decades, tall] = [Math.log10(x[1] / x[0]), Math.log10(y[1] / y[0])]
  const run = Math.min(0.28 * decades, 0.5 * tall)
  const start = x[0] * 10 ** (0.06 * decades)
  const top = y[0] * 10 ** (0.06 * tall + run)
  return [{ x: [start, start * 10 ** run], y: [top, top / 10 ** run], label: '1st order' }]
}

function markerSwatch({ color, marker }: Look): string {
  return `<svg class="swatch" viewBox="0 0 24 12" aria-hidden="true"><line x1="0" x2="24" y1="6" y2="6" style="stroke:${color}"/><g style="fill:${color}">${markerPath(marker, 12, 6, 4)}</g></svg>`
}

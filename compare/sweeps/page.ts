/** The page of a sweep: how often it succeeds, and of each figure its distribution, what it depends on, and a map. */
import { percent, significant } from '../measure/numbers.ts'
import { wilson } from '../measure/statistics.ts'
import { cellMap, chart } from '../report/chart.ts'
import { escapeHtml } from '../report/html.ts'
import { colors } from '../report/subject.ts'
import { studyPage } from '../studies/draw.ts'
import type { FigureEffects } from './effects.ts'

export interface SweepSummary {
  readonly name: string
  readonly runs: number
  readonly failed: number
  readonly lawful: number
  readonly units: Readonly<Record<string, string>>
  readonly figures: readonly FigureEffects[]
}

/** Inputs of a tornado chart. */
const MOST_BARS = 8

const titleOf = (figure: string) => figure.replace(/^measure\./, '')
const withUnit = (name: string, units: SweepSummary['units']) => titleOf(name) + (units[name] ? ` [${units[name]}]` : '')

/** @param command makes the page again */
export function sweepPage({ name, runs, failed, lawful, units, figures }: SweepSummary, command: string): string {
  const names = [...new Set(figures.map(({ figure }) => figure))]
  const intro = `${runs} runs; ${failed === 0 ? 'none broke off' : `${failed} broke off`}; ${percent(lawful / runs)} keep every law of mechanics and contact. A share is the part of a figure's variance that an input explains by itself.`
  const parts = names.map((figure, f) => {
    const own = figures.filter((one) => one.figure === figure)
    const panels = own.map((one) => `${tornado(one, units)}${map(one, units)}`)
    return `<h2>${escapeHtml(withUnit(figure, units))}</h2>${figure === 'success' ? rates(own) : histogram(own, f, units)}<div class="panels">${panels.join('')}</div>`
  })
  return studyPage(name, `<p>${escapeHtml(intro)}</p>${parts.join('')}`, command)
}

/** Success by model with its interval. */
function rates(figures: readonly FigureEffects[]): string {
  const rows = figures.map(({ model, count, mean }) => {
    const [low, high] = wilson(Math.round(mean * count), count)
    return `<tr><td>${escapeHtml(model)}</td><td>${percent(mean)}</td><td>${percent(low)} to ${percent(high)}</td><td>${count}</td></tr>`
  })
  return `<table cellpadding="6"><thead><tr><th>model</th><th>success</th><th>95 % interval</th><th>runs</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

function histogram(figures: readonly FigureEffects[], f: number, units: SweepSummary['units']): string {
  const { edges } = figures[0].distribution
  const [low, high] = [edges[0], edges[edges.length - 1]]
  const key = figures.map(({ model }, i) => `<li style="color:var(--c${i % colors})">${escapeHtml(model)}</li>`).join('')
  const said = figures.map(
    ({ model, mean, sd, count }) =>
      `${model}: ${significant(mean, 3)} ± ${significant(sd, 2)} (mean, standard deviation) of ${count}`,
  )
  if (!(high > low)) return `<p>${escapeHtml(said.join('; '))}</p>`
  const lines = figures.map(({ model, distribution: { counts }, count }, i) => {
    const [x, y]: number[][] = [[], []]
    counts.forEach((n, k) => {
      x.push(edges[k], edges[k + 1])
      y.push(n / count, n / count)
    })
    return { id: model, x, y, color: `var(--c${i % colors})`, dash: '' }
  })
  const most = Math.max(...lines.flatMap(({ y }) => y))
  const picture = chart({
    id: `histogram-${f}`,
    x: { label: withUnit(figures[0].figure, units), log: false, range: [low, high] },
    y: { label: 'part of runs', log: false, range: [0, most || 1] },
    lines,
    title: `distribution of ${titleOf(figures[0].figure)}`,
    size: { width: 560, height: 240 },
  })
  return `<figure style="max-width:44rem">${picture}<ul class="key">${key}</ul></figure><p>${escapeHtml(said.join('; '))}</p>`
}

/** The mean of the figure at the parts of each input, the input that explains most on top. */
function tornado({ figure, model, effects, mean }: FigureEffects, units: SweepSummary['units']): string {
  const shown = effects.slice(0, MOST_BARS)
  const known = shown.flatMap(({ parts }) => parts.filter(({ count }) => count > 0).map((part) => part.mean))
  const [low, high] = [Math.min(...known), Math.max(...known)]
  // of a figure that is the same in every run there is nothing to say
  if (!(high > low)) return ''
  const [left, width, height] = [150, 210, 26]
  const at = (y: number) => left + ((y - low) / (high - low)) * width
  const bars = shown.map(({ input, share, parts }, i) => {
    const means = parts.filter(({ count }) => count > 0)
    const ends = [Math.min(...means.map((part) => part.mean)), Math.max(...means.map((part) => part.mean))]
    const y = i * height + 8
    const title = means.map((part) => `${part.label}: ${significant(part.mean, 3)} of ${part.count}`).join('; ')
    return `<g><title>${escapeHtml(`${input}: ${title}`)}</title><text x="${left - 8}" y="${y + 14}" text-anchor="end">${escapeHtml(input)}</text><rect class="stable" x="${at(ends[0]).toFixed(1)}" y="${y}" width="${Math.max(1, at(ends[1]) - at(ends[0])).toFixed(1)}" height="${height - 8}"/><text x="${left + width + 8}" y="${y + 14}">${percent(share)}</text></g>`
  })
  const bottom = shown.length * height + 8
  const axis = `<line class="chosen" x1="${at(mean).toFixed(1)}" x2="${at(mean).toFixed(1)}" y1="4" y2="${bottom}" stroke="var(--ink)"/><text x="${left}" y="${bottom + 16}">${significant(low, 3)}</text><text x="${left + width}" y="${bottom + 16}" text-anchor="end">${significant(high, 3)}</text>`
  const size = [left + width + 56, bottom + 24]
  const caption = `${model}: mean of ${withUnit(figure, units)} by input, with its share`
  return `<figure><figcaption>${escapeHtml(caption)}</figcaption><svg viewBox="0 0 ${size[0]} ${size[1]}" width="${size[0]}" role="img" aria-label="${escapeHtml(caption)}">${bars.join('')}${axis}</svg></figure>`
}

function map({ figure, model, map: own }: FigureEffects, units: SweepSummary['units']): string {
  if (own === null) return ''
  const { x, y, cells } = own
  const known = cells.flat().filter(({ count }) => count > 0)
  const [low, high] = [Math.min(...known.map(({ mean }) => mean)), Math.max(...known.map(({ mean }) => mean))]
  const rising = [...y.labels.keys()].reverse()
  if (!(high > low)) return ''
  const names = {
    columns: x.labels,
    rows: rising.map((r) => y.labels[r]),
    label: `${model}: ${titleOf(figure)} by ${x.input} and ${y.input}`,
    width: 52,
  }
  const picture = cellMap(names, (column, row) => {
    const { count, mean } = cells[rising[row]][column]
    if (count === 0) return undefined
    const opacity = 0.1 + (0.7 * (mean - low)) / (high - low)
    const text = figure === 'success' ? percent(mean) : significant(mean, 2)
    return {
      text,
      fill: 'var(--safe)',
      opacity,
      title: `${x.input} ${x.labels[column]}, ${y.input} ${names.rows[row]}: ${significant(mean, 4)} of ${count} runs`,
    }
  })
  return `<figure><figcaption>${escapeHtml(`${model}: ${withUnit(figure, units)}, ${y.input} over ${x.input}`)}</figcaption>${picture}</figure>`
}

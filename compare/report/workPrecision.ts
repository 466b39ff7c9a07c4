/** Error against cost: a line a model, a mark a step. */
import { significant } from '../measure/numbers.ts'
import { chart, type Line, logRange } from './chart.ts'
import { swatch } from './format.ts'
import { escapeHtml } from './html.ts'
import { figureOf, type Pair, type Subject } from './subject.ts'

const panels = [
  { title: 'Penetration', unit: 'mm', scale: 1e3, limit: 'penetration', read: ({ error }) => error?.penetration_m },
  { title: 'Motion error', unit: '%', scale: 100, limit: 'tracking', read: ({ error }) => error?.tracking },
  { title: 'Energy error', unit: '%', scale: 100, limit: 'energy', read: ({ error }) => error?.energy },
] as const satisfies readonly { readonly read: Parameters<typeof figureOf>[1]; readonly [key: string]: unknown }[]

/** Smaller ones are drawn there, in the unit. */
const FLOOR = 1e-6

export function workPrecision({ index, pairs, models, limits }: Subject): string {
  const timed = pairs.filter(({ cost, runs }) => cost !== null && runs.every(({ run }) => run.status === 'ok'))
  if (timed.length === 0) return ''
  const x = { label: 'computing time per simulated second [s]', log: true, range: logRange(costsOf(timed), 0) } as const
  const figures = panels.map(({ title, unit, scale, limit, read }, p) => {
    const value = (pair: Pair) => Math.max(FLOOR, scale * (figureOf(pair, read)?.high ?? Number.NaN))
    const known = timed.filter((pair) => Number.isFinite(value(pair)))
    if (known.length === 0) return ''
    const shown = (own: readonly Pair[]) => ({
      ...{ x: costsOf(own), y: own.map(value), dash: '', marker: 'circle' as const },
      labels: own.map((pair) => {
        const spread = pair.spread > 0 ? `, give or take ${significant(100 * pair.spread, 2)} %` : ''
        return `${pair.look.name}: ${significant(value(pair), 3)} ${unit} for ${significant(pair.cost as number, 2)} s a simulated second${spread}`
      }),
    })
    const lines = models.map((model): Line => {
      const own = known.filter((pair) => pair.model === model).toSorted((a, b) => (a.cost as number) - (b.cost as number))
      return { id: model, color: own[0]?.look.color ?? '', ...shown(own), sizes: own.map(() => 3.5) }
    })
    const chosen = known.filter(({ isChosen }) => isChosen)
    const ring: Line = { id: 'verdict', color: 'var(--good)', marks: 'ring', ...shown(chosen), sizes: chosen.map(() => 8) }
    const y = {
      label: `${title.toLowerCase()} [${unit}]`,
      log: true,
      range: logRange([scale * limits[limit], ...known.map(value)], FLOOR),
    }
    const picture = chart({
      ...{ id: `work-${index}-${p}`, x, y, lines: [...lines, ring], title, limit: scale * limits[limit] },
      size: { width: 420, height: 290 },
    })
    return `<figure><figcaption>${title} [${unit}]</figcaption>${picture}</figure>`
  })
  const key = models.flatMap((model) => {
    const [pair] = timed.filter((one) => one.model === model)
    return pair ? [`<span>${swatch({ ...pair.look, dash: '' })}${escapeHtml(model)}</span>`] : []
  })
  return `<h3>What accuracy costs</h3>
<p class="note">A line a model, a mark a step. Left is cheaper, down more accurate; the shaded part keeps the limit, the ring is the verdict. Point at a mark to read it.</p>
<div class="work-precision">${figures.join('')}</div><p class="values">${key.join('')}</p>`
}

const costsOf = (pairs: readonly Pair[]) => pairs.map(({ cost }) => cost as number)

/** Pictures of the views of a grid: panels with two logarithmic axes, heat maps, bars; and the page that holds them. */

import { significant } from '../measure/numbers.ts'
import { chart, type Line, logRange, type Scale, scaleOf } from '../report/chart.ts'
import { escapeHtml } from '../report/html.ts'
import { page } from '../report/page.ts'
import { hues } from '../report/style.ts'
import { colors } from '../report/subject.ts'
import type { MapColumn, MapResult, ModelMap } from './map.ts'

const style = `
:root { color-scheme: light dark; --ground: #fbfaf8; --ink: #1c1f23; --soft: #545c66; --hair: #e4e1db; --safe: #00855f; --stable: #d9a441; --bad: #b0402a; --line: #0b5c9a; ${hues.light} }
@media (prefers-color-scheme: dark) { :root { --ground: #14171a; --ink: #e8eaed; --soft: #a7b0ba; --hair: #343a42; --safe: #35c99a; --stable: #e6ad2e; --bad: #ff8a6b; --line: #6cb6f2; ${hues.dark} } }
body { margin: 2rem auto; max-width: 74rem; padding: 0 1.2rem; font: 15px/1.5 system-ui, sans-serif; background: var(--ground); color: var(--ink); }
h1 { font-size: 1.35rem; margin: 0; } p { max-width: 62rem; color: var(--soft); } code { font-size: .85rem; }
.panels { display: flex; flex-wrap: wrap; gap: 1.2rem; } figure { margin: 0; } figcaption { font-weight: 600; } svg { display: block; max-width: 100%; }
svg text { font: 11px system-ui, sans-serif; fill: var(--soft); } svg .strong { fill: var(--ink); font-weight: 600; } svg .grid { stroke: var(--hair); } svg .axis { stroke: var(--soft); } svg .within { fill: var(--safe); fill-opacity: .08; } svg polyline { fill: none; stroke-width: 1.6; } .hair { stroke: var(--hair); }
.safe { fill: var(--safe); } .stable { fill: var(--stable); } .bad { fill: var(--bad); } .area { fill-opacity: .22; } .border { fill: none; stroke-width: 2; }
.border.safe { stroke: var(--safe); fill: none; } .border.stable { stroke: var(--stable); fill: none; stroke-dasharray: 5 3; } .theory { stroke: var(--line); fill: none; stroke-width: 1.5; stroke-dasharray: 2 3; } .chosen { stroke: var(--ink); stroke-width: 1; }
.key { display: flex; flex-wrap: wrap; gap: .3rem 1.4rem; padding: 0; list-style: none; color: var(--soft); } .key svg { display: inline-block; vertical-align: -2px; margin-right: .4rem; }
`

/** The page of a study. @param body is HTML */
export function studyPage(title: string, body: string, command = ''): string {
  const again = command === '' ? '' : `<p>Made by <code>${escapeHtml(command)}</code></p>`
  return page({ title, body: `<h1>${escapeHtml(title)}</h1>${body}${again}`, style })
}

const panel = { width: 350, height: 270, left: 58, right: 12, top: 10, bottom: 42 } as const
const [x0, x1, y0, y1] = [panel.left, panel.width - panel.right, panel.height - panel.bottom, panel.top]
const at = (value: number) => value.toFixed(1)

/** A position between two ends, on a logarithmic scale. */
const logScale = (values: readonly number[], from: number, to: number) =>
  scaleOf({ log: true, range: [values[0], values[values.length - 1]] }, from, to)

type Text = (tick: number) => string
/** Lines upwards at ticks of x, labelled below. */
const gridOfX = (values: readonly number[], sx: Scale, text: Text) =>
  ticks(values)
    .map((tick) => [at(sx(tick)), text(tick)])
    .map(
      ([x, label]) =>
        `<line class="hair" x1="${x}" x2="${x}" y1="${y0}" y2="${y1}"/><text x="${x}" y="${y0 + 15}" text-anchor="middle">${label}</text>`,
    )
    .join('')
/** Lines across at ticks of y, labelled on the left. */
const gridOfY = (values: readonly number[], sy: Scale, text: Text) =>
  ticks(values)
    .map(
      (tick) =>
        `<line class="hair" x1="${x0}" x2="${x1}" y1="${at(sy(tick))}" y2="${at(sy(tick))}"/><text x="${x0 - 6}" y="${at(sy(tick) + 4)}" text-anchor="end">${text(tick)}</text>`,
    )
    .join('')

/** Powers of ten between the ends, or the ends where there are fewer than two. */
function ticks(values: readonly number[]): number[] {
  const [low, high] = [values[0], values[values.length - 1]]
  const powers = []
  for (let k = Math.ceil(Math.log10(low) - 1e-9); k <= Math.log10(high) + 1e-9; k++) powers.push(Number(`1e${k}`))
  return powers.length < 2 ? [low, high] : powers
}

const seconds = (dt: number) =>
  dt < 1e-3 ? `${significant(dt * 1e6, 3)} µs` : dt < 1 ? `${significant(dt * 1e3, 3)} ms` : `${significant(dt, 3)} s`

/** The panels of a map as one picture that stands alone, for pages. */
export function mapSvg(result: MapResult): string {
  const columns = Math.min(3, result.models.length)
  const [width, height] = [panel.width, panel.height + 24]
  const panels = result.models.map((model, i) => {
    const [x, y] = [(i % columns) * width, Math.floor(i / columns) * height]
    return `<text class="strong" x="${x + x0}" y="${y + 16}">${escapeHtml(model.model)}</text><g transform="translate(${x} ${y + 20})">${mapPanel(model, result)}</g>`
  })
  const size = [columns * width, Math.ceil(result.models.length / columns) * height]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size[0]} ${size[1]}" width="${size[0]}" height="${size[1]}"><title>${escapeHtml(`${result.robot ? `${result.robot}: ` : ''}where each model is stable and safe, by step and ${result.axes[1].label}`)}</title><style>${style.replace(':root {', ':root { background: var(--ground);')}</style><rect width="100%" height="100%" fill="var(--ground)"/>${panels.join('')}</svg>\n`
}

/** The picture of a map: one panel a model. */
export function mapPage(result: MapResult, command: string): string {
  const { robot, duration, limits, chosen_s, axes, models } = result
  const key = [
    [`<rect class="safe area" width="14" height="12"/>`, 'stable and within the limits'],
    [`<rect class="stable area" width="14" height="12"/>`, 'stable'],
    [`<line class="border safe" x2="14" y1="6" y2="6"/>`, 'largest safe step, by bisection to 1 %'],
    [`<line class="border stable" x2="14" y1="6" y2="6"/>`, 'largest stable step, likewise'],
    ...(models.some(({ columns }) => columns.some(({ theory }) => theory !== null))
      ? [[`<line class="theory" x2="14" y1="6" y2="6"/>`, "limit in theory of the whole mass on one pair's spring"]]
      : []),
    [`<line class="chosen" x1="7" x2="7" y2="12"/>`, `the chosen step, ${seconds(chosen_s)}`],
    ['<circle class="safe" cx="7" cy="6" r="3"/>', 'a run that is safe'],
    ['<circle class="stable" cx="7" cy="6" r="3"/>', 'a run that is stable'],
    ['<path class="bad" d="M4 3l6 6m0-6l-6 6" stroke="var(--bad)"/>', 'a run that is not'],
  ]
  const list = key.map(([mark, text]) => `<li><svg width="14" height="12">${mark}</svg>${escapeHtml(text)}</li>`).join('')
  const intro = `${duration} s of simulated time a run. Within the limits: ${significant(limits.penetration * 1e3, 3)} mm of penetration, ${significant(limits.tracking * 100, 3)} % of motion error and ${significant(limits.energy * 100, 3)} % of energy error against the same model at ${seconds(result.referenceStep_s)}, and every law of mechanics and contact kept.`
  const figures = models.map(
    (model) => `<figure><figcaption>${escapeHtml(model.model)}</figcaption>${mapPanel(model, result)}</figure>`,
  )
  return studyPage(
    `${robot}: which step, which ${axes[1].label}?`,
    `<p>${escapeHtml(intro)}</p><ul class="key">${list}</ul><div class="panels">${figures.join('')}${result.work.length > 0 ? workPanel(result) : ''}</div>`,
    command,
  )
}

function mapPanel({ columns, model, varies }: ModelMap, { axes: [dt, other], chosen_s }: MapResult): string {
  const sx = logScale(dt.values, x0, x1)
  const sy = logScale(other.values, y0, y1)
  const edge = (of: (column: MapColumn) => { largest: number | null; beyond: boolean }) =>
    columns.map((column) => {
      const { largest, beyond } = of(column)
      return `${at(largest === null ? x0 : beyond ? x1 : sx(largest))},${at(sy(column.value))}`
    })
  const region = (name: 'safe' | 'stable') => {
    const points = edge((column) => column[name])
    const line = `<polyline class="border ${name}" points="${points.join(' ')}"/>`
    return `<polygon class="${name} area" points="${x0},${y0} ${points.join(' ')} ${x0},${y1}"/>${line}`
  }
  const theory = columns.flatMap((column) => (column.theory === null ? [] : [`${at(sx(column.theory))},${at(sy(column.value))}`]))
  const dots = columns.flatMap(({ value, cells }) =>
    cells.map((cell) => {
      const [cx, cy] = [at(sx(cell.dt)), at(sy(value))]
      const state = cell.safe
        ? 'within every limit'
        : cell.stable
          ? `stable, missed: ${cell.missed.join(', ')}`
          : (cell.failure ?? 'it gains energy')
      const title = `<title>${escapeHtml(`${seconds(cell.dt)}, ${significant(value, 3)} ${other.unit}: ${state}`)}</title>`
      return cell.stable
        ? `<circle class="${cell.safe ? 'safe' : 'stable'}" cx="${cx}" cy="${cy}" r="2.6">${title}</circle>`
        : `<path stroke="var(--bad)" stroke-width="1.4" d="M${cx} ${cy}m-3-3l6 6m0-6l-6 6">${title}</path>`
    }),
  )
  const grid = gridOfX(dt.values, sx, seconds) + gridOfY(other.values, sy, (tick) => significant(tick, 3))
  const isInside = chosen_s >= dt.values[0] && chosen_s <= (dt.values.at(-1) as number)
  const chosen = isInside ? `<line class="chosen" x1="${at(sx(chosen_s))}" x2="${at(sx(chosen_s))}" y1="${y0}" y2="${y1}"/>` : ''
  const note = varies
    ? ''
    : `<text x="${x1 - 6}" y="${y1 + 14}" text-anchor="end">makes no use of ${escapeHtml(other.label)}</text>`
  const unit = other.unit === '' ? other.label : `${other.label} [${other.unit}]`
  const labels = `<text x="${(x0 + x1) / 2}" y="${panel.height - 8}" text-anchor="middle">step</text><text transform="translate(12 ${(y0 + y1) / 2}) rotate(-90)" text-anchor="middle">${escapeHtml(unit)}</text>`
  const clip = `clip-${model.replaceAll(/\W/g, '-')}`
  return `<svg viewBox="0 0 ${panel.width} ${panel.height}" width="${panel.width}" height="${panel.height}" role="img" aria-label="${escapeHtml(model)}"><clipPath id="${clip}"><rect x="${x0}" y="${y1}" width="${x1 - x0}" height="${y0 - y1}"/></clipPath>${grid}<g clip-path="url(#${clip})">${region('stable')}${region('safe')}${theory.length > 1 ? `<polyline class="theory" points="${theory.join(' ')}"/>` : ''}</g>${chosen}${dots.join('')}${note}${labels}</svg>`
}

/** Motion error against cost of a simulated second, a line a model: below and to the left is better. */
function workPanel({ work, axes: [, other], limits }: MapResult): string {
  const points = work.flatMap((line) => line.points).filter(({ motion }) => motion > 0)
  if (points.length === 0) return ''
  const lines = work.map(({ model, points: own }, i): Line => {
    const shown = own.filter(({ motion }) => motion > 0)
    return {
      ...{ id: model, x: shown.map(({ perSecond }) => perSecond), y: shown.map(({ motion }) => 100 * motion) },
      ...{ color: `var(--c${i % colors})`, dash: '', marker: 'circle', sizes: shown.map(() => 3) },
      labels: shown.map(
        ({ dt, motion, spread }) =>
          `${model} at ${seconds(dt)}: ${significant(motion * 100, 3)} %, cost to ${significant(spread * 100, 2)} %`,
      ),
    }
  })
  const x = {
    label: 'computing time of a simulated second [s]',
    log: true,
    range: logRange(
      points.map(({ perSecond }) => perSecond),
      0,
    ),
  }
  const y = {
    label: 'motion error [%]',
    log: true,
    range: logRange(
      [limits.tracking, ...points.map(({ motion }) => motion)].map((part) => 100 * part),
      0,
    ),
  }
  const title = 'work and precision'
  const picture = chart({ id: 'work', x, y, lines, title, size: { width: 480, height: 290 }, limit: 100 * limits.tracking })
  const key = lines.map(({ id, color }) => `<li style="color:${color}">${escapeHtml(id)}</li>`).join('')
  const value = work.find((line) => line.points.length > 0)?.value ?? 0
  return `<figure><figcaption>motion error over cost, at a ${escapeHtml(other.label)} of ${significant(value, 3)} ${escapeHtml(other.unit)}</figcaption>${picture}<ul class="key">${key}</ul></figure>`
}

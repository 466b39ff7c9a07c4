/** Pictures of the views of a grid: panels with two logarithmic axes, heat maps, bars; and the page that holds them. */

import { significant } from '../measure/numbers.ts'
import { chart, type Line, logRange } from '../report/chart.ts'
import { escapeHtml } from '../report/html.ts'
import { page } from '../report/page.ts'
import { hues } from '../report/style.ts'
import { colors } from '../report/subject.ts'
import type { Axis } from './axes.ts'
import type { MapFigure, MapResult, ModelMap } from './map.ts'

const style = `
:root { color-scheme: light dark; --ground: #fbfaf8; --ink: #1c1f23; --soft: #545c66; --hair: #e4e1db; --safe: #00855f; --stable: #d9a441; --bad: #b0402a; --line: #0b5c9a; ${hues.light} }
@media (prefers-color-scheme: dark) { :root { --ground: #14171a; --ink: #e8eaed; --soft: #a7b0ba; --hair: #343a42; --safe: #35c99a; --stable: #e6ad2e; --bad: #ff8a6b; --line: #6cb6f2; ${hues.dark} } }
body { margin: 2rem auto; max-width: 74rem; padding: 0 1.2rem; font: 15px/1.5 system-ui, sans-serif; background: var(--ground); color: var(--ink); }
h1 { font-size: 1.35rem; margin: 0; } p { max-width: 62rem; color: var(--soft); } code { font-size: .85rem; }
.panels { display: flex; flex-wrap: wrap; gap: 1.2rem; } figure { margin: 0; } .panels figure { flex: 0 1 24rem; max-width: 100%; overflow-x: auto; } .panels svg { width: 100%; } .panels svg.cells { width: auto; } figcaption { font-weight: 600; } svg { display: block; max-width: 100%; }
svg text { font: 11px system-ui, sans-serif; fill: var(--soft); } svg .strong { fill: var(--ink); font-weight: 600; } svg .grid { stroke: var(--hair); } svg .axis { stroke: var(--soft); } svg .within { fill: var(--safe); fill-opacity: .08; } svg polyline { fill: none; stroke-width: 1.6; }
.safe { fill: var(--safe); } .stable { fill: var(--stable); } .bad { fill: var(--bad); } .area { fill-opacity: .22; } .border { fill: none; stroke-width: 2; }
.border.safe { stroke: var(--safe); fill: none; } .border.stable { stroke: var(--stable); fill: none; stroke-dasharray: 5 3; } .theory { stroke: var(--line); fill: none; stroke-width: 1.5; stroke-dasharray: 2 3; } .chosen { stroke: var(--ink); stroke-width: 1; }
.key { display: flex; flex-wrap: wrap; gap: .3rem 1.4rem; padding: 0; list-style: none; color: var(--soft); } .key svg { display: inline-block; vertical-align: -2px; margin-right: .4rem; }
`

/** The page of a study. @param body is HTML */
export function studyPage(title: string, body: string, command = ''): string {
  const again = command === '' ? '' : `<p>Made by <code>${escapeHtml(command)}</code></p>`
  return page({ title, body: `<h1>${escapeHtml(title)}</h1>${body}${again}`, style })
}

const panel = { width: 380, height: 280 } as const

const seconds = (dt: number) =>
  dt < 1e-3 ? `${significant(dt * 1e6, 3)} µs` : dt < 1 ? `${significant(dt * 1e3, 3)} ms` : `${significant(dt, 3)} s`

/** The panels of a map as one picture that stands alone, for pages. */
export function mapSvg(result: MapResult): string {
  const columns = Math.min(3, result.models.length)
  const [width, height] = [panel.width, panel.height + 24]
  const panels = result.models.map((model, i) => {
    const [x, y] = [(i % columns) * width, Math.floor(i / columns) * height]
    return `<text class="strong" x="${x + 62}" y="${y + 16}">${escapeHtml(model.model)}</text><g transform="translate(${x} ${y + 20})">${mapPanel(model, result).replace('<svg ', `<svg width="${width}" height="${panel.height}" `)}</g>`
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
    ['<path d="M7 2v8m-4-4h8" stroke="var(--bad)" stroke-width="3"/>', 'a run that is not'],
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

const stateOf = ({ safe, stable }: MapFigure) => (safe ? 'safe' : stable ? 'stable' : 'bad')
const reasonOf = ({ safe, stable, missed, failure }: MapFigure) =>
  safe ? 'within every limit' : stable ? `stable, missed: ${missed.join(', ')}` : (failure ?? 'it gains energy')

function mapPanel({ columns, model, varies }: ModelMap, { axes: [dt, other], chosen_s }: MapResult): string {
  const ends = ({ values }: Axis, scale = 1) => [scale * values[0], scale * (values.at(-1) as number)] as const
  const [shortest, longest] = ends(dt, 1e3)
  const line = (id: string, x: readonly number[], y: readonly number[], color: string, dash: string) => ({
    id,
    x,
    y,
    color,
    dash,
  })
  const border = (name: 'safe' | 'stable'): Line => {
    const steps = columns.map((column) => {
      const { largest, beyond } = column[name]
      return largest === null ? shortest : beyond ? longest : 1e3 * largest
    })
    const values = columns.map(({ value }) => value)
    return { ...line(name, steps, values, `var(--${name})`, name === 'safe' ? '' : '5 3'), area: true }
  }
  const known = columns.filter(({ theory }) => theory !== null)
  const theory = known.map((column) => 1e3 * (column.theory as number))
  const runs = columns.flatMap(({ value, cells }) => cells.map((cell) => ({ ...cell, value })))
  const marks = (['safe', 'stable', 'bad'] as const).map((state): Line => {
    const own = runs.filter((run) => stateOf(run) === state)
    const [steps, values] = [own.map((run) => 1e3 * run.dt), own.map(({ value }) => value)]
    const labels = own.map((run) => `${seconds(run.dt)}, ${significant(run.value, 3)} ${other.unit}: ${reasonOf(run)}`)
    const look = { marker: state === 'bad' ? 'plus' : 'circle', marks: 'alone', sizes: own.map(() => 2.6), labels } as const
    return { ...line(state, steps, values, `var(--${state})`, ''), ...look }
  })
  const isInside = chosen_s >= dt.values[0] && 1e3 * chosen_s <= longest
  const lines = [
    ...[border('stable'), border('safe')],
    line('theory', theory, known.map(({ value }) => value), 'var(--line)', '2 3'), // biome-ignore format: one line a line
    ...(isInside ? [line('chosen', [1e3 * chosen_s, 1e3 * chosen_s], ends(other), 'var(--ink)', '')] : []),
    ...marks,
  ]
  const x = {
    label: varies ? 'step [ms]' : `step [ms]; makes no use of ${other.label}`,
    log: true,
    range: [shortest, longest],
  } as const
  const y = { label: other.unit === '' ? other.label : `${other.label} [${other.unit}]`, log: true, range: ends(other) }
  return chart({ id: model.replaceAll(/\W/g, '-'), x, y, lines, title: model, size: panel })
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

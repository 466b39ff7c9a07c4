/** Pictures of the other views: maps and curves, on the page of `draw.ts`. */

import { millimetres, milliseconds, percent, significant } from '../measure/numbers.ts'
import { cellMap, chart, logRange } from '../report/chart.ts'
import { escapeHtml } from '../report/html.ts'
import type { Domain } from './domain.ts'
import { studyPage } from './draw.ts'
import type { LimitedInput } from './limits.ts'
import type { PredictabilityResult } from './predictability.ts'
import { type SensitivityResult, swingOf } from './sensitivity.ts'
import type { TransferCell, TransferResult } from './transfer.ts'

/** A map of the effect of less and of more of each input on the motion, a column a model; one scale for all. */
export function sensitivityPage(result: SensitivityResult, command: string): string {
  const { robot, part, dt, duration, models } = result
  const most = Math.max(1e-12, ...models.flatMap(({ rows }) => rows.map(swingOf).filter(Number.isFinite)))
  const inputs = [...new Set(models.flatMap(({ rows }) => rows.map(({ input }) => input)))]
  const rows = inputs.flatMap((input) => (['less', 'more'] as const).map((way) => ({ input, way })))
  const names = {
    columns: models.map(({ model }) => model),
    rows: rows.map(({ input, way }) => `${input} ${way}`),
    label: 'effect of each input',
    width: 84,
  }
  const picture = cellMap(names, (column, row) => {
    const swing = models[column].rows.find(({ input }) => input === rows[row].input)?.[rows[row].way]
    if (!swing) return undefined
    const { motion, failure, by } = swing
    if (motion === null) return { text: 'failed', fill: 'var(--bad)', opacity: 0.6, title: failure ?? by }
    return { text: percent(motion), fill: 'var(--stable)', opacity: 0.8 * Math.min(1, motion / most), title: by }
  })
  const failures = models.map(({ model, failure }) => (failure === null ? '' : `<p>${escapeHtml(`${model}: ${failure}`)}</p>`))
  const intro = `How far the motion is from that of the run as stated, as a part of its scale, where one input is ${percent(part)} less or more; a delay is one period of the controller. ${duration} s at ${milliseconds(dt)}.`
  return studyPage(`${robot}: which input matters?`, `<p>${escapeHtml(intro)}</p>${picture}${failures.join('')}`, command)
}

/** How the spread of the starts grows with time, a panel for each model and step. */
export function predictabilityPage(result: PredictabilityResult, command: string): string {
  const { robot, starts, shift_m, spreads, duration, limit } = result
  const y = { label: 'spread [m]', log: true, range: logRange([shift_m, ...spreads.flatMap(({ spread }) => spread)], 1e-16) }
  const x = { label: 'time [s]', log: false, range: [0, duration] } as const
  const figures = spreads.map(({ model, dt, t, spread, meaning, log10, variant }, i) => {
    const title = `${model} at ${milliseconds(dt)}${variant ? `, ${JSON.stringify(variant)}` : ''}`
    const color = meaning === 'sound' ? 'var(--safe)' : 'var(--stable)'
    const picture = chart({
      id: `spread-${i}`,
      x,
      y,
      lines: [{ id: title, x: t, y: spread, color, dash: '' }],
      title,
      size: { width: 300, height: 210 },
    })
    const note = log10 === null ? 'runs broke off' : `10^${significant(log10, 2)} times`
    return `<figure><figcaption>${escapeHtml(title)}: ${note}</figcaption>${picture}</figure>`
  })
  const intro = `Root mean square distance of ${starts} runs from their mean [m], from starts within ${significant(shift_m * 1e6, 2)} µm. Where it ends beyond ${percent(limit)} of the motion, a comparison of trajectories says nothing.`
  return studyPage(
    `${robot}: does a comparison of trajectories mean anything?`,
    `<p>${escapeHtml(intro)}</p><div class="panels">${figures.join('')}</div>`,
    command,
  )
}

/** How a controller tracks: by angle, or by length where nothing turns. */
export const trackingOf = ({ trackingRms_rad: rad, trackingRms_m: m }: TransferCell): number | null => rad ?? m

/** Of a controller that is a file, its name. */
export const shortName = (controller: string): string => controller.replace(/^.*[\\/]/, '')

/** The row of a cell: its controller, step, and friction where that is not as stated. */
export const rowOf = ({ controller, dt, friction }: TransferCell): string =>
  `${shortName(controller)} at ${milliseconds(dt)}${friction === 1 ? '' : `, friction x ${friction}`}`

/** Text of a cell of the heat map. */
export function cellText(cell: TransferCell): string {
  if (cell.runs > 1 && !cell.survives) return `${cell.survived} of ${cell.runs}`
  if (!cell.ended) return 'failed'
  if (cell.fell_s !== null) return `fell ${significant(cell.fell_s, 2)} s`
  const tracking = trackingOf(cell)
  return tracking === null ? 'stands' : significant(tracking, 2)
}

/** Errors below this are equally good [rad, m]. */
const LEAST = 1e-4

/** A row for each controller and step, a column a model; a survivor is the greener the better it tracks among its row. */
export function transferPage(result: TransferResult, command: string): string {
  const { robot, duration, cells } = result
  const models = [...new Set(cells.map(({ model }) => model))]
  const rows = [...new Set(cells.map(rowOf))]
  const label = 'error of tracking by controller and contact model'
  const picture = cellMap({ columns: models, rows, label, width: 84 }, (column, row) => {
    const own = cells.filter((cell) => rowOf(cell) === rows[row])
    const cell = own.find(({ model }) => model === models[column])
    if (cell === undefined) return undefined
    const best = Math.max(LEAST, Math.min(...own.filter(({ survives }) => survives).map((one) => trackingOf(one) ?? 0)))
    // ten times the best error of the row is as pale as it gets
    const worse = Math.min(1, Math.max(0, Math.log10((trackingOf(cell) ?? best) / best)))
    const title = `${cell.model}: effort ${cell.torqueRms_Nm === null ? '-' : significant(cell.torqueRms_Nm, 3)} N m, slip ${cell.stickSlip_m === null ? '-' : millimetres(cell.stickSlip_m)}${cell.broken.length > 0 ? `, breaks ${cell.broken.join(', ')}` : ''}${cell.failure ? `. ${cell.failure}` : ''}`
    const look = cell.survives ? { fill: 'var(--safe)', opacity: 0.75 - 0.6 * worse } : { fill: 'var(--bad)', opacity: 0.75 }
    return { ...look, text: cellText(cell), title }
  })
  const intro = `Root mean square error of tracking [rad, or m where nothing turns] of each controller under each contact model, over ${duration} s. Red: the run broke off, or the base sank below half its height or tilted by 45° from its start${cells.some(({ runs }) => runs > 1) ? '; of several starts, how many survived (medians are of all)' : ''}.`
  return studyPage(
    `${robot}: which controller survives which contact model?`,
    `<p>${escapeHtml(intro)}</p><figure><figcaption>Error of tracking</figcaption>${picture}</figure>${domainPanels(result)}`,
    command,
  )
}

/** Where each controller survives, a panel for each model: the first input to the right, the second upwards. */
function domainPanels({ domains }: TransferResult): string {
  if (domains.length === 0) return ''
  const shown = (input: LimitedInput, value: number) => `${input === 'delay' ? '' : 'x '}${significant(value, 2)}`
  const panelOf = ({ controller, model, inputs: [along, up], values: [columns, rows], survives }: Domain) => {
    const name = `${shortName(controller)} under ${model}`
    const rising = [...rows.keys()].reverse()
    const names = {
      columns: columns.map((x) => shown(along, x)),
      rows: rising.map((r) => shown(up, rows[r])),
      label: name,
      width: 48,
    }
    const picture = cellMap(names, (c, row) => {
      const held = survives[rising[row]][c]
      const title = `${along} ${shown(along, columns[c])}, ${up} ${names.rows[row]}: ${held ? 'survives' : 'does not'}`
      return { text: '', title, fill: held ? 'var(--safe)' : 'var(--bad)', opacity: held ? 0.7 : 0.25 }
    })
    return `<figure><figcaption>${escapeHtml(name)}</figcaption><p>${unitOf(up)} over ${unitOf(along)}</p>${picture}</figure>`
  }
  return `<h2>Where each survives</h2><div class="panels">${domains.map(panelOf).join('')}</div>`
}

const unitOf = (input: LimitedInput) => (input === 'delay' ? 'delay [periods]' : `${input}, factor`)

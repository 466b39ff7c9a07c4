/** Pictures of the other views: bars, curves and a heat map, on the page of `draw.ts`. */

import { millimetres, milliseconds, percent, significant } from '../measure/numbers.ts'
import { escapeHtml } from '../report/html.ts'
import type { Domain } from './domain.ts'
import { studyPage } from './draw.ts'
import type { LimitedInput } from './limits.ts'
import type { PredictabilityResult } from './predictability.ts'
import { type SensitivityResult, type Swing, swingOf } from './sensitivity.ts'
import type { TransferCell, TransferResult } from './transfer.ts'

const figure = (caption: string, width: number, height: number, body: string) =>
  `<figure><figcaption>${escapeHtml(caption)}</figcaption><svg viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="${escapeHtml(caption)}">${body}</svg></figure>`
const at = (value: number) => value.toFixed(1)

/** A tornado a model: to the left the effect of less of an input on the motion, to the right that of more; one scale for all. */
export function sensitivityPage(result: SensitivityResult, command: string): string {
  const { robot, part, dt, duration, models } = result
  const most = Math.max(1e-12, ...models.flatMap(({ rows }) => rows.map(swingOf).filter(Number.isFinite)))
  const [middle, half] = [205, 92]
  const bar = (swing: Swing | null, side: -1 | 1, y: number) => {
    if (swing === null) return ''
    const length = half * Math.min(1, (swing.motion ?? most) / most)
    const [x, end] = [side < 0 ? middle - length : middle, middle + side * (length + 4)]
    const text = swing.motion === null ? 'failed' : percent(swing.motion)
    return `<rect class="${swing.motion === null ? 'bad' : side < 0 ? 'stable' : 'safe'}" x="${at(x)}" y="${y}" width="${at(Math.max(0.5, length))}" height="16"><title>${escapeHtml(swing.failure ?? swing.by)}</title></rect><text x="${at(end)}" y="${y + 12}" text-anchor="${side < 0 ? 'end' : 'start'}">${text}</text>`
  }
  const figures = models.map(({ model, rows, failure }) => {
    const body = rows.map(({ input, less, more }, i) => {
      const y = 8 + 24 * i
      return `<text class="strong" x="0" y="${y + 12}">${input}</text>${bar(less, -1, y)}${bar(more, 1, y)}`
    })
    const height = 16 + 24 * Math.max(1, rows.length)
    const axis = `<line class="chosen" x1="${middle}" x2="${middle}" y1="2" y2="${height - 6}"/>`
    return figure(
      model,
      360,
      height,
      failure === null ? body.join('') + axis : `<text y="20">${escapeHtml(failure.slice(0, 60))}</text>`,
    )
  })
  const intro = `How far the motion is from that of the run as stated, as a part of its scale, where one input is ${percent(part)} less (left) or more (right); a delay is one period of the controller. ${duration} s at ${milliseconds(dt)}.`
  return studyPage(
    `${robot}: which input matters?`,
    `<p>${escapeHtml(intro)}</p><div class="panels">${figures.join('')}</div>`,
    command,
  )
}

/** How the spread of the starts grows with time, a panel for each model and step. */
export function predictabilityPage(result: PredictabilityResult, command: string): string {
  const { robot, starts, shift_m, spreads, duration, limit } = result
  const values = spreads.flatMap(({ spread }) => spread.filter((x) => x > 0))
  const ends = [Math.floor(Math.log10(Math.min(shift_m, ...values))), Math.ceil(Math.log10(Math.max(10 * shift_m, ...values)))]
  const [x0, x1, y0, y1] = [46, 270, 150, 8]
  const sx = (t: number) => x0 + (t / duration) * (x1 - x0)
  const sy = (x: number) => y0 + ((Math.log10(Math.max(x, 10 ** ends[0])) - ends[0]) / (ends[1] - ends[0])) * (y1 - y0)
  const ticks = Array.from({ length: ends[1] - ends[0] + 1 }, (_, k) => 10 ** (ends[0] + k)).filter(
    (_, k, all) => all.length < 8 || k % 2 === 0,
  )
  const grid = ticks.map(
    (tick) =>
      `<line class="hair" x1="${x0}" x2="${x1}" y1="${at(sy(tick))}" y2="${at(sy(tick))}"/><text x="${x0 - 5}" y="${at(sy(tick) + 4)}" text-anchor="end">1e${Math.round(Math.log10(tick))}</text>`,
  )
  const figures = spreads.map(({ model, dt, t, spread, meaning, log10, variant }) => {
    const line = `<polyline class="border ${meaning === 'sound' ? 'safe' : 'stable'}" style="stroke-dasharray:none" points="${t.map((time, k) => `${at(sx(time))},${at(sy(spread[k]))}`).join(' ')}"/>`
    const note = `<text x="${x1}" y="${y1 + 12}" text-anchor="end">${log10 === null ? 'runs broke off' : `10^${significant(log10, 2)} times`}</text>`
    const caption = `${model} at ${milliseconds(dt)}${variant ? `, ${JSON.stringify(variant)}` : ''}`
    return figure(
      caption,
      282,
      176,
      `${grid.join('')}${line}${note}<text x="${(x0 + x1) / 2}" y="${y0 + 20}" text-anchor="middle">0 to ${duration} s</text>`,
    )
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
  const [left, width, height] = [250, 84, 30]
  const body = rows.flatMap((row, r) => {
    const own = cells.filter((cell) => rowOf(cell) === row)
    const best = Math.max(LEAST, Math.min(...own.filter(({ survives }) => survives).map((cell) => trackingOf(cell) ?? 0)))
    const y = 58 + r * height
    return [
      `<text class="strong" x="${left - 8}" y="${y + 19}" text-anchor="end">${escapeHtml(row)}</text>`,
      ...own.map((cell) => {
        const x = left + models.indexOf(cell.model) * width
        // ten times the best error of the row is as pale as it gets
        const worse = Math.min(1, Math.max(0, Math.log10((trackingOf(cell) ?? best) / best)))
        const fill = cell.survives ? `class="safe" fill-opacity="${at(0.75 - 0.6 * worse)}"` : 'class="bad" fill-opacity="0.75"'
        const title = `${cell.model}: effort ${cell.torqueRms_Nm === null ? '-' : significant(cell.torqueRms_Nm, 3)} N m, slip ${cell.stickSlip_m === null ? '-' : millimetres(cell.stickSlip_m)}${cell.broken.length > 0 ? `, breaks ${cell.broken.join(', ')}` : ''}${cell.failure ? `. ${cell.failure}` : ''}`
        return `<g><title>${escapeHtml(title)}</title><rect ${fill} x="${x + 1}" y="${y}" width="${width - 2}" height="${height - 2}"/><text class="strong" x="${x + width / 2}" y="${y + 19}" text-anchor="middle">${escapeHtml(cellText(cell))}</text></g>`
      }),
    ]
  })
  const heads = models.map(
    (model, m) => `<text transform="translate(${left + m * width + width / 2 - 4} 50) rotate(-24)">${escapeHtml(model)}</text>`,
  )
  const intro = `Root mean square error of tracking [rad, or m where nothing turns] of each controller under each contact model, over ${duration} s. Red: the run broke off, or the base sank below half its height or tilted by 45° from its start${cells.some(({ runs }) => runs > 1) ? '; of several starts, how many survived (medians are of all)' : ''}.`
  const size = [left + models.length * width + 60, 66 + rows.length * height]
  return studyPage(
    `${robot}: which controller survives which contact model?`,
    `<p>${escapeHtml(intro)}</p>${figure('Error of tracking', size[0], size[1], heads.join('') + body.join(''))}${domainPanels(result)}`,
    command,
  )
}

/** Where each controller survives, a panel for each model: the first input to the right, the second upwards. */
function domainPanels({ domains }: TransferResult): string {
  if (domains.length === 0) return ''
  const [x, y, size] = [62, 8, 30]
  const shown = (input: LimitedInput, value: number) => (input === 'delay' ? `${value}` : `x ${significant(value, 2)}`)
  const panelOf = ({ controller, model, inputs, values, survives }: Domain) => {
    const rows = survives.length
    const cells = survives.flatMap((row, r) =>
      row.map((held, c) => {
        const what = `${inputs[0]} ${shown(inputs[0], values[0][c])}, ${inputs[1]} ${shown(inputs[1], values[1][r])}: ${held ? 'survives' : 'does not'}`
        return `<rect class="${held ? 'safe' : 'bad'}" fill-opacity="${held ? 0.7 : 0.25}" x="${x + c * size + 1}" y="${y + (rows - 1 - r) * size + 1}" width="${size - 2}" height="${size - 2}"><title>${escapeHtml(what)}</title></rect>`
      }),
    )
    const below = y + rows * size
    const labels = [
      ...values[0].map(
        (value, c) => `<text x="${x + (c + 0.5) * size}" y="${below + 14}" text-anchor="middle">${significant(value, 2)}</text>`,
      ),
      ...values[1].map(
        (value, r) =>
          `<text x="${x - 6}" y="${y + (rows - 0.5 - r) * size + 4}" text-anchor="end">${significant(value, 2)}</text>`,
      ),
      `<text x="${x + (values[0].length * size) / 2}" y="${below + 30}" text-anchor="middle">${unitOf(inputs[0])}</text>`,
      `<text transform="translate(14 ${y + (rows * size) / 2}) rotate(-90)" text-anchor="middle">${unitOf(inputs[1])}</text>`,
    ]
    return figure(
      `${shortName(controller)} under ${model}`,
      x + values[0].length * size + 8,
      below + 36,
      cells.join('') + labels.join(''),
    )
  }
  return `<h2>Where each survives</h2><div class="panels">${domains.map(panelOf).join('')}</div>`
}

const unitOf = (input: LimitedInput) => (input === 'delay' ? 'delay [periods]' : `${input}, factor`)

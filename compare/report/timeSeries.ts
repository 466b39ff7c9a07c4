/** What happened over time: charts that share one cursor. */
import { millimetres, milliseconds, percent } from '../verdict.ts'
import { chart, chartMargins, type Line, linearRange, logRange, wide } from './chart.ts'
import { bound, swatch } from './format.ts'
import { escapeHtml, scriptJson } from './html.ts'
import { chosenOf, type Pair, type ReportPlots, type Subject, worldOf } from './subject.ts'

interface Data {
  readonly t: readonly number[]
  readonly y: readonly number[]
}

interface Panel {
  readonly key: string
  readonly title: string
  readonly label: string
  readonly unit: string
  readonly scale: number
  readonly read: (plots: ReportPlots) => Data | null | undefined
  /** For logarithmic axes: the least value that is told apart. */
  readonly floor?: number
  readonly limit?: { readonly value: number; readonly label: string }
}

/** More lines than this are not shown at once unless asked for. */
const mostLines = 8
/** Points in all charts of a robot together; each line has at most 500 and at least 100. */
const mostPoints = 60_000

function panelsOf({ limits }: Subject): Panel[] {
  const series =
    (key: 'penetration' | 'energy' | 'force' | 'kinetic'): Panel['read'] =>
    ({ series }) => {
      const y = series?.[key]
      return series && y && y.length > 0 ? { t: series.t, y } : null
    }
  const error =
    (key: 'tracking' | 'energy'): Panel['read'] =>
    ({ tracking }) => {
      const y = tracking?.[key]
      return tracking && y && y.length > 0 ? { t: tracking.t, y } : null
    }
  return [
    {
      key: 'penetration',
      title: 'Penetration',
      label: 'penetration [mm]',
      unit: 'mm',
      scale: 1e3,
      read: series('penetration'),
      floor: 1e-6,
      limit: { value: 1e3 * limits.penetration, label: `limit ${millimetres(limits.penetration)}` },
    },
    {
      key: 'tracking',
      title: 'Motion error',
      label: 'error at this moment [%]',
      unit: '%',
      scale: 100,
      read: error('tracking'),
      floor: 1e-4,
      limit: { value: 100 * limits.tracking, label: `limit of the rms ${percent(limits.tracking)}` },
    },
    {
      key: 'energyError',
      title: 'Energy error',
      label: 'error at this moment [%]',
      unit: '%',
      scale: 100,
      read: error('energy'),
      floor: 1e-4,
      limit: { value: 100 * limits.energy, label: `limit of the rms ${percent(limits.energy)}` },
    },
    { key: 'force', title: 'Contact force', label: 'sum of normal forces [N]', unit: 'N', scale: 1, read: series('force') },
    {
      key: 'kinetic',
      title: 'Kinetic energy',
      label: 'kinetic energy [J]',
      unit: 'J',
      scale: 1,
      read: series('kinetic'),
      floor: 1e-9,
    },
    {
      key: 'energy',
      title: 'Mechanical energy',
      label: 'energy, less its start [J]',
      unit: 'J',
      scale: 1,
      read: series('energy'),
    },
  ]
}

export function timeSeries(subject: Subject): string {
  const { pairs, models, steps, seeds, worlds, index, duration } = subject
  const panels = panelsOf(subject).filter(({ read }) => pairs.some(({ runs }) => read(runs[0].plots)))
  if (panels.length === 0) return '<p class="note">No run got far enough to be drawn.</p>'
  const most = Math.max(100, Math.min(500, Math.floor(mostPoints / (pairs.length * panels.length))))
  const dataOf = ({ runs }: Pair, { read, scale }: Panel): Data | null => {
    const data = read(runs[0].plots)
    return data ? thinned({ t: data.t, y: data.y.map((y) => scale * y) }, most) : null
  }
  const table = pairs.map((pair) => panels.map((panel) => dataOf(pair, panel)))

  const first = chosenOf(subject)?.dt ?? steps[0]
  const shownSteps = pairs.length > mostLines ? [first] : steps
  const isHidden = ({ dt }: Pair) => !shownSteps.includes(dt)
  const figures = panels.map((panel, p) => {
    const lines = pairs.flatMap((pair, i): Line[] => {
      const data = table[i][p]
      const isBroken = pair.runs[0].run.status === 'failed'
      return data ? [{ id: pair.look.id, x: data.t, y: data.y, color: pair.look.color, dash: pair.look.dash, isBroken }] : []
    })
    const { floor, limit } = panel
    const range =
      floor === undefined
        ? linearRange(lines.map(({ y }) => y))
        : logRange([...withoutBlowUps(lines.map(({ y }) => y)), ...(limit ? [limit.value] : [])], floor)
    const svg = chart({
      id: `time-${index}-${panel.key}`,
      x: { label: 'time [s]', log: false, range: [0, duration] },
      y: { label: panel.label, log: floor !== undefined, range },
      lines,
      limit,
      title: `${panel.title} over time. Arrow keys move the cursor; the values are below the chart.`,
      size: wide,
      cursor: true,
    })
    const hiding = pairs
      .filter(isHidden)
      .reduce((text, { look }) => text.replace(`<g data-run="${look.id}"`, `<g data-run="${look.id}" style="display:none"`), svg)
    return `<figure class="card"><figcaption>${panel.title}</figcaption>${hiding.replace('<svg ', `<svg data-series="${panel.key}" `)}<div class="values"></div></figure>`
  })
  const data = {
    ...chartMargins,
    ...wide,
    units: Object.fromEntries(panels.map(({ key, unit }) => [key, unit])),
    runs: pairs.map(({ look, runs: [{ run }] }, i) => ({
      id: look.id,
      name: look.name,
      color: look.color,
      broken: run.status === 'failed',
      series: Object.fromEntries(panels.map(({ key }, p) => [key, rounded(table[i][p])])),
    })),
  }
  const broken = pairs.some(({ runs: [{ run }] }) => run.status === 'failed')
  const notes = [
    'Point at a chart, use its arrow keys, or move the slider, to read all at one moment. Buttons hide and show lines.',
    ...(shownSteps.length < steps.length ? [`Only the step of ${bound(milliseconds(first))} is shown at first.`] : []),
    ...(seeds.length > 1 ? [`Lines are of seed ${pairs[0].runs[0].run.seed}.`] : []),
    ...(worlds.length > 1 ? [`Of the variants of the world, ${escapeHtml(worldOf(pairs[0].runs[0].run))} is drawn.`] : []),
    ...(broken ? ['A crossed circle marks where a run broke off.'] : []),
  ]
  return `<p class="note">${notes.join(' ')}</p>
<div class="controls">${legend(pairs, models, steps, shownSteps)}
<div class="time"><label for="time-${index}">time</label><input id="time-${index}" type="range" min="0" max="${duration}" step="any" value="${duration}"><output for="time-${index}"></output></div></div>
<div class="charts two">${figures.join('')}</div>
<script type="application/json" class="series">${scriptJson(data)}</script>`
}

function legend(pairs: readonly Pair[], models: readonly string[], steps: readonly number[], shown: readonly number[]): string {
  const button = (kind: string, number: number, isOn: boolean, content: string) =>
    `<button type="button" aria-pressed="${isOn}" data-${kind}="${number}">${content}</button>`
  const ofModels = models.map((model, m) => {
    const look = pairs.find((pair) => pair.model === model)?.look
    return look ? button('model', m, true, `${swatch({ color: look.color, dash: '' })}${escapeHtml(model)}`) : ''
  })
  const ofSteps = steps.map((dt, s) => {
    const look = pairs.find((pair) => pair.dt === dt)?.look
    return look
      ? button('step', s, shown.includes(dt), `${swatch({ color: 'var(--soft)', dash: look.dash })}${bound(milliseconds(dt))}`)
      : ''
  })
  return `<div class="legend" role="group" aria-label="Models that are shown">${ofModels.join('')}</div>${steps.length > 1 ? `<div class="legend" role="group" aria-label="Steps that are shown">${ofSteps.join('')}</div>` : ''}`
}

/** Values of all lines but those that leave what is usual far behind: a run that diverges must not flatten the rest. */
function withoutBlowUps(lines: readonly (readonly number[])[]): number[] {
  const tops = lines
    .map((line) => line.reduce((most, y) => (Number.isFinite(y) ? Math.max(most, y) : most), 0))
    .toSorted((a, b) => a - b)
  const usual = tops[Math.floor((tops.length - 1) / 2)] ?? 0
  return lines.flat().filter((y) => !(usual > 0) || y < 1e3 * usual)
}

/** At most so many points: of each stretch of time the one that is farthest from the stretch's mean, so that peaks stay. */
export function thinned({ t, y }: Data, most: number): Data {
  const n = t.length
  if (n <= most) return { t, y }
  const out = { t: [t[0]], y: [y[0]] }
  const stretches = most - 2
  for (let s = 0; s < stretches; s++) {
    const from = 1 + Math.floor((s * (n - 2)) / stretches)
    const to = 1 + Math.floor(((s + 1) * (n - 2)) / stretches)
    let sum = 0
    let known = 0
    for (let i = from; i < to; i++) {
      if (!Number.isFinite(y[i])) continue
      sum += y[i]
      known++
    }
    let best = from
    for (let i = from; i < to; i++) if (Math.abs(y[i] - sum / known) > Math.abs(y[best] - sum / known)) best = i
    out.t.push(t[best])
    out.y.push(y[best])
  }
  out.t.push(t[n - 1])
  out.y.push(y[n - 1])
  return out
}

/** Four digits are what a reader sees; the file need not hold sixteen. */
function rounded(series: Data | null) {
  if (!series) return null
  return {
    t: series.t.map((t) => Number(t.toPrecision(5))),
    y: series.y.map((y) => (Number.isFinite(y) ? Number(y.toPrecision(4)) : null)),
  }
}

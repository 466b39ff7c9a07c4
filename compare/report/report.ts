/**
 * The report: one HTML file that holds everything it shows and asks nothing of any server. The verdict comes first; what
 * led to it, and how to make it again, below.
 */
import { type Results, type RunPlots, type RunResult, type ShownRobot, startNote } from '../compare.ts'
import { metricDefinitions } from '../metricDefinitions.ts'
import type { Metrics } from '../metrics.ts'
import { REFERENCE_REFINEMENT } from '../reference.ts'
import type { Default, Limits } from '../scenario.ts'
import { COST_TIE, type LimitName, millimetres, milliseconds, percent, seconds, significant, type Verdict } from '../verdict.ts'
import { chart, chartMargins, type Line, linearRange, logRange, type Marker, narrow, wide } from './chart.ts'
import { escapeHtml, scriptJson } from './html.ts'
import { script } from './script.ts'
import { style } from './style.ts'

const COLORS = 8
const markers: readonly Marker[] = ['circle', 'square', 'triangle', 'diamond']
const dashes = ['', '6 4', '2 3', '10 3 2 3']

/** How one run is drawn, the same in every chart: a colour and a marker a model, a stroke pattern a step. */
interface Look {
  readonly id: string
  readonly name: string
  readonly color: string
  readonly dash: string
  readonly marker: Marker
}

/**
 * @param plots   of run i of the results
 * @param command what makes these results again
 */
export function reportOf(results: Results, plots: readonly RunPlots[], command: string): string {
  const { scenario, robots, verdicts, machine } = results
  const { name, duration, limits, defaults } = scenario as unknown as {
    name: string
    duration: number
    limits: Limits
    defaults: readonly Default[]
  }
  const models = [...new Set(results.runs.map(({ model }) => model))]
  const steps = [...new Set(results.runs.map(({ dt }) => dt))].sort((a, b) => a - b)
  const look = ({ model, dt }: RunResult): Look => {
    const m = models.indexOf(model)
    const dash = dashes[steps.indexOf(dt) % dashes.length]
    return {
      id: `${m}-${steps.indexOf(dt)}`,
      name: `${model}, ${milliseconds(dt)}`,
      color: `var(--c${m % COLORS})`,
      dash,
      marker: markers[m % markers.length],
    }
  }
  const sections = robots.map((robot, r) => {
    const runs = results.runs.flatMap((run, i) => (run.robot === robot.robot ? [{ run, plots: plots[i], look: look(run) }] : []))
    return robotSection(robot, r, verdicts[r], runs, limits, duration)
  })
  const links = robots.map(({ robot }, r) => {
    const { model, dt } = verdicts[r]
    const choice = model === null || dt === null ? 'nothing fits' : `${model} at ${milliseconds(dt)}`
    return `<li><a href="#robot-${r}">${escapeHtml(robot)}</a>: <b>${escapeHtml(choice)}</b></li>`
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>${escapeHtml(name)}: Featherbed report</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<header>
<p class="brand">Featherbed report</p>
<h1>${escapeHtml(name)}</h1>
<p class="soft">${count(models.length, 'contact model')} at ${count(steps.length, 'step size')}, ${significant(duration, 6)} simulated second${duration === 1 ? '' : 's'} each, on the same robot, controller and ground. Which is the cheapest whose penetration stays within ${millimetres(limits.penetration)}, motion error within ${percent(limits.tracking)} and energy error within ${percent(limits.energy)}?</p>
${robots.length > 1 ? `<nav aria-label="Verdicts"><ul>${links.join('')}</ul></nav>` : ''}
</header>
${sections.join('\n')}
<h3>How to make this again</h3>
<pre class="card"><code>${escapeHtml(command)}</code></pre>
${defaultsTable(defaults)}
${howJudged()}
${definitions()}
<footer>Made by Featherbed ${escapeHtml(machine.featherbed)}. Times were taken on ${escapeHtml(machine.processor || 'an unnamed processor')}, ${escapeHtml(machine.platform)}, Node ${escapeHtml(machine.node)}; they are of this machine. Everything else is the same on every machine, to the last bit.</footer>
</main>
<script>${script}</script>
</body>
</html>
`
}

const count = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`

interface Shown {
  readonly run: RunResult
  readonly plots: RunPlots
  readonly look: Look
}

function robotSection(
  robot: ShownRobot,
  index: number,
  verdict: Verdict,
  runs: readonly Shown[],
  limits: Limits,
  duration: number,
): string {
  const { robot: name, floating, joints, mass, controller, controllerWhy, warnings } = robot
  const facts = [
    `${significant(mass, 4)} kg`,
    count(joints, 'moving joint'),
    floating ? 'floating base' : 'fixed base',
    `controller: ${controller}${controllerWhy ? ` (${controllerWhy})` : ''}`,
    ...(warnings > 0 ? [`${count(warnings, 'warning')} in its file, see featherbed inspect`] : []),
  ]
  return `<section class="robot" id="robot-${index}">
<div class="robot-head"><h2>${escapeHtml(name)}</h2><span class="soft">${escapeHtml(facts.join(' \u00b7 '))}</span></div>
${verdictCard(verdict)}
${robot.startPenetration_m > limits.penetration ? `<p class="warning">${escapeHtml(startNote(robot))}</p>` : ''}
<h3>What was measured</h3>
${mainTable(runs, verdict, limits)}
${allMetrics(runs)}
<h3>What accuracy costs</h3>
<p class="note">Each line is a model, each point a step size: the larger the marker, the larger the step. Down is more accurate, left is cheaper; below the dotted line is within the limit.${verdict.model === null ? '' : ' The ring marks the verdict.'}</p>
${workPrecision(runs, verdict, limits, index)}
<h3>Over time</h3>
<p class="note">Point at a chart, or move the slider, to read all four at one moment. A button hides its line.</p>
${timeSeries(runs, limits, index, duration)}
${parametersOf(runs)}
</section>`
}

const limitNames: readonly LimitName[] = ['failed', 'reference', 'penetration', 'tracking', 'energy']

/** What pairs did that missed a limit. */
const missedWords: Readonly<Record<LimitName, (limits: Limits) => string>> = {
  failed: () => 'failed before the end',
  reference: () => 'could not be compared or timed',
  penetration: ({ penetration }) => `exceed the penetration of ${millimetres(penetration)}`,
  tracking: ({ tracking }) => `exceed the motion error of ${percent(tracking)}`,
  energy: ({ energy }) => `exceed the energy error of ${percent(energy)}`,
}

function verdictCard({ model, dt, limits, sentence, missed }: Verdict): string {
  if (model === null || dt === null) {
    const counts = limitNames
      .map((name) => ({ name, n: missed.filter(({ limits: list }) => list.some(({ limit }) => limit === name)).length }))
      .filter(({ n }) => n > 0)
      .map(({ name, n }) => `${n === missed.length ? `all ${n}` : n} ${missedWords[name](limits)}`)
    return `<div class="verdict none"><p class="word">Verdict</p><p class="choice">Nothing fits: no pair of model and step is within the limits.</p><p class="sentence">Of ${missed.length} pairs, ${escapeHtml(counts.join('; '))}. The table says by how much.</p></div>`
  }
  // the sentence begins with the choice, which stands above it in large letters
  const reasons = sentence.slice(sentence.indexOf('. ') + 2).replaceAll(/(\d) (?=%|ms?\b|mm\b|\u00b5s\b|s\b)/g, '$1\u00a0')
  return `<div class="verdict"><p class="word">Verdict</p><p class="choice">${escapeHtml(model)} at a step of ${milliseconds(dt)}</p><p class="sentence">${escapeHtml(reasons)}</p></div>`
}

/** A column of the main table: how a run's value is read and written, and how it is judged. */
interface TableColumn {
  readonly title: string
  readonly unit: string
  /** What the figure is, for whoever points at its title. */
  readonly text: string
  readonly read: (run: RunResult) => number | null | undefined
  readonly print: (value: number) => string
  readonly limit?: number
  readonly better: 'low' | 'high' | null
}

/** A number as HTML, with a power of ten where it is very small or large. */
const digits = (n: number) => (x: number) => {
  const [mantissa, exponent] = significant(x, n).split('e')
  const power = exponent === undefined ? '' : `\u00b710<sup>${exponent}</sup>`
  return (mantissa + power).replaceAll('-', '\u2212')
}

function mainColumns({ penetration, tracking, energy }: Limits): { group: string; columns: TableColumn[] }[] {
  const metric = (key: keyof Metrics, title: string, unit: string, scale = 1, precision = 3): TableColumn => ({
    title,
    unit,
    text: metricDefinitions[key].text,
    read: ({ metrics }) => {
      const value = metrics?.[key]
      return value === null || value === undefined ? null : value * scale
    },
    print: digits(precision),
    better: metricDefinitions[key].better,
  })
  return [
    {
      group: 'judged by the verdict',
      columns: [
        { ...metric('penetrationMax_m', 'penetration', 'mm', 1e3), limit: penetration * 1e3 },
        {
          title: 'motion error',
          unit: '%',
          text: motionText,
          read: ({ error }) => scaled(error?.tracking),
          print: digits(3),
          limit: tracking * 100,
          better: 'low',
        },
        {
          title: 'energy error',
          unit: '%',
          text: energyText,
          read: ({ error }) => scaled(error?.energy),
          print: digits(3),
          limit: energy * 100,
          better: 'low',
        },
      ],
    },
    {
      group: 'behaviour',
      columns: [
        metric('restKineticEnergy_J', 'kinetic energy at rest', 'J', 1, 2),
        metric('energyGain_J', 'energy gained', 'J', 1, 2),
        metric('stickSlip_m', 'slip while sticking', 'mm', 1e3, 2),
        metric('contactChanges_Hz', 'contact changes', 'per s'),
      ],
    },
    {
      group: 'cost',
      columns: [metric('step_us', 'time per step', '\u00b5s'), metric('realTimeFactor', 'speed', '\u00d7 real time')],
    },
  ]
}

const scaled = (x: number | null | undefined) => (x === null || x === undefined ? null : 100 * x)

function mainTable(runs: readonly Shown[], verdict: Verdict, limits: Limits): string {
  // a figure that has no meaning for any run of this robot needs no column
  const told = ({ read }: TableColumn) => runs.some(({ run }) => typeof read(run) === 'number')
  const groups = mainColumns(limits)
    .map(({ group, columns }) => ({ group, columns: columns.filter(told) }))
    .filter(({ columns }) => columns.length > 0)
  const verdictCost = runs.find(({ run }) => run.model === verdict.model && run.dt === verdict.dt)?.run.cost
  const columns = groups.flatMap((group) => group.columns)
  const best = columns.map(({ read, better }) =>
    bestOf(
      runs.map(({ run }) => (run.status === 'ok' ? read(run) : null)),
      better,
    ),
  )
  const rows = runs.map(({ run, look }) => {
    const isChosen = run.model === verdict.model && run.dt === verdict.dt
    const cells = columns.map(({ read, print, limit }, i) => {
      const value = read(run)
      if (value === null || value === undefined || !Number.isFinite(value)) return '<td class="soft">\u2013</td>'
      const missed = limit !== undefined && !(value <= limit)
      const classes = [...(missed ? ['missed'] : []), ...(!missed && best[i] === value ? ['best'] : [])]
      return `<td${classes.length > 0 ? ` class="${classes.join(' ')}"` : ''}>${print(value)}</td>`
    })
    const tag =
      run.status === 'failed'
        ? `<span class="tag failed" title="${escapeHtml(run.failure ?? '')}">failed</span>`
        : isChosen
          ? '<span class="tag take">verdict</span>'
          : run.missed.length === 0
            ? `<span class="tag fits">fits</span> ${costWords(run.cost, verdictCost)}`
            : `<span class="missed-words">misses ${run.missed.map(({ limit }) => shortWords[limit]).join(', ')}</span>`
    return `<tr${isChosen ? ' class="chosen"' : ''}><th class="left" scope="row">${swatch(look)}${escapeHtml(run.model)}</th><td>${milliseconds(run.dt)}</td>${cells.join('')}<td class="left">${tag}</td></tr>`
  })
  const failures = [...new Set(runs.map(({ run }) => run.failure))]
    .filter((failure) => failure !== null)
    .map((failure) => {
      const who = runs.filter(({ run }) => run.failure === failure).map(({ look }) => look.name)
      return `<p class="note"><b>${escapeHtml(who.join('; '))}:</b> ${escapeHtml(failure)}</p>`
    })
  const groupRow = groups.map(({ group, columns: own }) => `<th class="group" colspan="${own.length}">${group}</th>`).join('')
  const titles = columns.map(titleCell).join('')
  return `<div class="card scroll"><table><thead><tr><th class="group" colspan="2"></th>${groupRow}<th class="group"></th></tr><tr><th class="left">model</th><th>step</th>${titles}<th></th></tr></thead><tbody>${rows.join('')}</tbody></table></div>
<p class="key"><span class="best">best of its column</span> \u2003 <span class="missed">limit missed</span> \u2003 <span class="tag fits">fits</span> within all limits, with its cost beside the verdict's</p>
${failures.join('')}`
}

function titleCell({ title, unit, limit, text }: TableColumn): string {
  const bound = limit === undefined ? '' : `\u2264 ${digits(3)(limit)} `
  return `<th title="${escapeHtml(text)}">${title}<span class="unit">${bound}${unit}</span></th>`
}

/** The limits where room is short. */
const shortWords = {
  failed: 'all',
  reference: 'a reference',
  penetration: 'penetration',
  tracking: 'motion',
  energy: 'energy',
} as const

/** What a pair that fits costs beside the verdict. */
function costWords(cost: number | null, verdictCost: number | null | undefined): string {
  if (cost === null || verdictCost === null || verdictCost === undefined) return ''
  const ratio = cost / verdictCost
  return `<span class="soft">${ratio <= 1 + COST_TIE ? 'costs the same' : `costs ${significant(ratio, 2)}\u00d7`}</span>`
}

function bestOf(values: readonly (number | null | undefined)[], better: 'low' | 'high' | null): number | undefined {
  const known = values.filter((v): v is number => typeof v === 'number' && Number.isFinite(v))
  if (better === null || known.length < 2 || known.every((v) => v === known[0])) return undefined
  const best = better === 'low' ? Math.min(...known) : Math.max(...known)
  return known.filter((v) => v === best).length <= known.length / 2 ? best : undefined // what most share marks nobody out
}

function swatch({ color, dash }: Look): string {
  const pattern = dash ? ` stroke-dasharray="${dash}"` : ''
  return `<svg class="swatch" viewBox="0 0 24 10" aria-hidden="true"><line x1="0" x2="24" y1="5" y2="5" style="stroke:${color}"${pattern}/></svg>`
}

function allMetrics(runs: readonly Shown[]): string {
  const head = runs.map(({ look }) => `<th>${escapeHtml(look.name)}</th>`).join('')
  const rows = Object.entries(metricDefinitions).map(([key, { label, unit }]) => {
    const cells = runs.map(({ run }) => {
      const value = run.metrics?.[key as keyof Metrics]
      return `<td>${value === null || value === undefined ? '\u2013' : digits(4)(value)}</td>`
    })
    return `<tr><th class="left" scope="row">${label}${unit ? ` <span class="soft">${unit}</span>` : ''}</th>${cells.join('')}</tr>`
  })
  const own = [...new Set(runs.flatMap(({ run }) => Object.keys(run.controllerMetrics)))].map((key) => {
    const cells = runs.map(
      ({ run }) => `<td>${Object.hasOwn(run.controllerMetrics, key) ? digits(4)(run.controllerMetrics[key]) : '\u2013'}</td>`,
    )
    return `<tr><th class="left" scope="row">${escapeHtml(key)} <span class="soft">by the controller</span></th>${cells.join('')}</tr>`
  })
  const hashes = `<tr><th class="left" scope="row">State hash at the end</th>${runs.map(({ run }) => `<td><code>${escapeHtml(run.hash || '\u2013')}</code></td>`).join('')}</tr>`
  return `<details class="card"><summary>All metrics of all runs</summary><div class="scroll"><table><thead><tr><th class="left"></th>${head}</tr></thead><tbody>${rows.join('')}${own.join('')}${hashes}</tbody></table></div></details>`
}

function workPrecision(runs: readonly Shown[], verdict: Verdict, limits: Limits, index: number): string {
  const models = [...new Set(runs.map(({ run }) => run.model))]
  const lookOf = (model: string) => (runs.find(({ run }) => run.model === model) as Shown).look
  const timed = runs.filter(({ run }) => run.cost !== null && run.error !== null)
  if (timed.length === 0) return '<p class="note">No run came to its end, so there is nothing to draw.</p>'
  const costs = logRange(
    timed.map(({ run }) => run.cost as number),
    1e-9,
  )
  const panels: {
    id: string
    title: string
    label: string
    read: (run: RunResult) => number | null | undefined
    limit: number
    words: string
    floor: number
  }[] = [
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
      floor: 1e-7,
    },
    {
      id: 'energy',
      title: 'Energy',
      label: 'energy error [%]',
      read: ({ error }) => scaled(error?.energy),
      limit: 100 * limits.energy,
      words: `limit ${percent(limits.energy)}`,
      floor: 1e-7,
    },
  ]
  const steps = [...new Set(runs.map(({ run }) => run.dt))].sort((a, b) => a - b)
  const sizeOf = (dt: number) => 4 + (3 * steps.indexOf(dt)) / Math.max(1, steps.length - 1)
  const figures = panels.map(({ id, title, label, read, limit, words, floor }) => {
    const values = timed.map(({ run }) => read(run)).filter((v): v is number => typeof v === 'number')
    const lines = models.map((model): Line => {
      const own = timed
        .filter(({ run }) => run.model === model && typeof read(run) === 'number')
        .toSorted((a, b) => a.run.dt - b.run.dt)
      const chosen = own.findIndex(({ run }) => run.model === verdict.model && run.dt === verdict.dt)
      const { color, marker } = lookOf(model)
      return {
        id: model,
        x: own.map(({ run }) => run.cost as number),
        y: own.map(({ run }) => read(run) as number),
        color,
        dash: '',
        marker,
        labels: own.map(
          ({ run }) =>
            `${model} at ${milliseconds(run.dt)}: ${significant(read(run) as number, 3)} for ${seconds(run.cost as number)} per simulated second`,
        ),
        sizes: own.map(({ run }) => sizeOf(run.dt)),
        chosen: chosen < 0 ? undefined : chosen,
      }
    })
    const svg = chart({
      id: `work-${index}-${id}`,
      x: { label: 'computing time per simulated second [s]', log: true, range: costs },
      y: { label, log: true, range: logRange([...values, limit], floor) },
      lines,
      limit: { value: limit, label: words },
      title: `${title}: error against cost`,
      size: narrow,
    })
    return `<figure class="card"><figcaption>${title}</figcaption>${svg}</figure>`
  })
  const legend = models.map((model) => {
    const { color, marker } = lookOf(model)
    return `<span>${markerSwatch(color, marker)}${escapeHtml(model)}</span>`
  })
  return `<div class="plain-legend">${legend.join('')}</div><div class="charts">${figures.join('')}</div>`
}

function markerSwatch(color: string, marker: Marker): string {
  const shapes = {
    circle: '<circle cx="12" cy="5" r="4"/>',
    square: '<rect x="8" y="1" width="8" height="8"/>',
    triangle: '<polygon points="12,0.5 16.5,9 7.5,9"/>',
    diamond: '<polygon points="12,0 17,5 12,10 7,5"/>',
  }
  return `<svg class="swatch" viewBox="0 0 24 10" aria-hidden="true"><line x1="0" x2="24" y1="5" y2="5" style="stroke:${color}"/><g style="fill:${color}">${shapes[marker]}</g></svg>`
}

function timeSeries(runs: readonly Shown[], limits: Limits, index: number, duration: number): string {
  const panels = [
    {
      key: 'penetration',
      title: 'Penetration',
      label: 'penetration [mm]',
      scale: 1e3,
      log: true,
      limit: 1e3 * limits.penetration,
      floor: 1e-6,
      words: `limit ${millimetres(limits.penetration)}`,
    },
    { key: 'energy', title: 'Mechanical energy', label: 'energy, less its start [J]', scale: 1, log: false },
    {
      key: 'tracking',
      title: 'Motion error',
      label: 'error at this moment [%]',
      scale: 100,
      log: true,
      limit: 100 * limits.tracking,
      floor: 1e-4,
      words: `limit ${percent(limits.tracking)}, on the root mean square`,
    },
    { key: 'force', title: 'Contact force', label: 'sum of normal forces [N]', scale: 1, log: false },
  ] as const
  const seriesOf = ({ plots: { series, tracking } }: Shown, { key, scale }: (typeof panels)[number]) => {
    const data =
      key === 'tracking' ? tracking && { t: tracking.t, y: tracking.tracking } : series && { t: series.t, y: series[key] }
    return data && { t: data.t, y: data.y.map((y) => scale * y) }
  }
  const figures = panels.map((panel) => {
    const lines = runs.flatMap((shown): Line[] => {
      const data = seriesOf(shown, panel)
      return data ? [{ id: shown.look.id, x: data.t, y: data.y, color: shown.look.color, dash: shown.look.dash }] : []
    })
    const all = panel.log ? lines.flatMap(({ y }) => y) : []
    const range = panel.log ? logRange([...all, panel.limit], panel.floor) : linearRange(lines.map(({ y }) => y))
    const svg = chart({
      id: `time-${index}-${panel.key}`,
      x: { label: 'time [s]', log: false, range: [0, duration] },
      y: { label: panel.label, log: panel.log, range },
      lines,
      limit: panel.log ? { value: panel.limit, label: panel.words } : undefined,
      title: `${panel.title} over time`,
      size: wide,
      cursor: true,
    })
    return `<figure class="card"><figcaption>${panel.title}</figcaption>${svg.replace('<svg ', `<svg data-series="${panel.key}" `)}<div class="values"></div></figure>`
  })
  const data = {
    left: chartMargins.left,
    right: chartMargins.right,
    width: wide.width,
    runs: runs.map((shown) => ({
      id: shown.look.id,
      name: shown.look.name,
      color: shown.look.color,
      series: Object.fromEntries(panels.map((panel) => [panel.key, rounded(seriesOf(shown, panel))])),
    })),
  }
  const buttons = runs.map(
    ({ look }) =>
      `<button type="button" aria-pressed="true" data-toggle="${look.id}">${swatch(look)}${escapeHtml(look.name)}</button>`,
  )
  return `<div class="legend">${buttons.join('')}</div>
<div class="time"><label for="time-${index}">time</label><input id="time-${index}" type="range" min="0" max="${duration}" step="any" value="0"><output for="time-${index}"></output></div>
<div class="charts two">${figures.join('')}</div>
<script type="application/json">${scriptJson(data)}</script>`
}

/** Four digits are what a reader sees; the file need not hold sixteen. */
function rounded(series: { readonly t: readonly number[]; readonly y: readonly number[] } | null) {
  if (!series) return null
  return {
    t: series.t.map((t) => Number(t.toPrecision(6))),
    y: series.y.map((y) => (Number.isFinite(y) ? Number(y.toPrecision(4)) : null)),
  }
}

function parametersOf(runs: readonly Shown[]): string {
  const blocks = runs.flatMap(({ run, look }) => {
    if (!run.parameters) return []
    const { used, derived, unused } = run.parameters
    const value = (v: number | string) => (typeof v === 'number' ? digits(5)(v) : escapeHtml(v))
    const rows = [
      ...used.map((p) => ({ ...p, origin: 'stated or default' })),
      ...derived.map((p) => ({ ...p, origin: 'derived' })),
    ].map(
      ({ name, value: v, unit, meaning, origin }) =>
        `<tr><th class="left" scope="row">${escapeHtml(name)}</th><td>${value(v)} <span class="soft">${unit === '1' ? '' : escapeHtml(unit)}</span></td><td class="left">${origin}</td><td class="left wrap">${escapeHtml(meaning)}</td></tr>`,
    )
    const idle =
      unused.length > 0 ? `<p class="note">Physical inputs without use here: ${escapeHtml(unused.join(', '))}.</p>` : ''
    const period =
      run.controllerPeriod_s > 0 ? `<p class="note">Controller every ${milliseconds(run.controllerPeriod_s)}.</p>` : ''
    return [
      `<h3>${swatch(look)}${escapeHtml(look.name)}</h3><div class="scroll"><table><tbody>${rows.join('')}</tbody></table></div>${idle}${period}`,
    ]
  })
  if (blocks.length === 0) return ''
  return `<details class="card"><summary>Parameters that each model used</summary><div class="inside">${blocks.join('')}</div></details>`
}

function defaultsTable(defaults: readonly Default[]): string {
  if (defaults.length === 0) return ''
  const rows = defaults.map(
    ({ field, value, why }) =>
      `<tr><th class="left" scope="row"><code>${escapeHtml(field)}</code></th><td class="left">${escapeHtml(value)}</td><td class="left wrap soft">${escapeHtml(why)}</td></tr>`,
  )
  return `<details class="card"><summary>Defaults that applied</summary><div class="scroll"><table><tbody>${rows.join('')}</tbody></table></div></details>`
}

const motionText = `The root mean square difference of each tracked quantity (the base's position, its orientation, every joint) from the same model's own run at a ${REFERENCE_REFINEMENT}th of the smallest step, over the quantity's scale: how far it travels in that reference, at least a tenth of the robot's size, or 0.1 rad. The worst quantity counts. Where the scenario states the exact solution, the difference is taken from that.`
const energyText =
  "The root mean square difference of the mechanical energy, over the largest kinetic energy plus the range of the potential energy in the reference, at least the robot's weight lifted by a hundredth of its size."

function howJudged(): string {
  return `<details class="card" open><summary>How the verdict is reached</summary><div class="inside">
<p class="note">Of all pairs of contact model and step size whose three errors are within the limits, the verdict takes the one with the least computing time per simulated second; costs within ${percent(COST_TIE)} of the cheapest count as equal, and of those the model that is listed first wins, then the smaller step. If no pair is within the limits, it names what each missed.</p>
<dl>
<dt>Penetration</dt><dd>The deepest at any time, by an exact distance query. Rigid bodies do not penetrate, so the exact answer is zero.</dd>
<dt>Motion error</dt><dd>${escapeHtml(motionText)}</dd>
<dt>Energy error</dt><dd>${escapeHtml(energyText)}</dd>
<dt>Cost</dt><dd>Computing time per simulated second, controller included, from a pass of its own: one run after the other, nothing else measured.</dd>
</dl></div></details>`
}

function definitions(): string {
  const items = Object.entries(metricDefinitions).map(
    ([key, { label, text }]) => `<dt>${label}<code>${key}</code></dt><dd>${escapeHtml(text)}</dd>`,
  )
  return `<details class="card"><summary>What each metric is</summary><div class="inside"><dl>${items.join('')}</dl></div></details>`
}

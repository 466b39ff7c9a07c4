/** Measurements, as tables: the main one a row a pair of model and step, and everything of every run. */
import { listed } from '../../dynamics/index.ts'
import type { RunResult } from '../judge/compare.ts'
import { barOf, barsKey, withBar } from '../judge/errorBars.ts'
import { inText, type LimitName, limitWords } from '../judge/verdict.ts'
import { worldWords } from '../judge/verdictWords.ts'
import { metricDefinitions } from '../measure/metricDefinitions.ts'
import type { Metrics } from '../measure/metrics.ts'
import { counted, milliseconds, significant } from '../measure/numbers.ts'
import type { Limits } from '../scenario/index.ts'
import { isOutside } from '../scenario/world/files.ts'
import { type Column, columns, measuredWords } from './columns.ts'
import { bound, digits, swatch, titled } from './format.ts'
import { escapeHtml, scrollBox } from './html.ts'
import { chosenOf, figureOf, type Pair, type Subject } from './subject.ts'

/** The limits where room is short. */
const shortWords: Readonly<Record<LimitName, string>> = {
  ...limitWords,
  failed: 'all',
  reference: 'a reference',
  tracking: 'motion',
  energy: 'energy',
}

/** A column in its own unit, with its limit. */
function mainColumn({ scale = 1, limit, read, digits: n = 3, ...column }: Column, limits: Limits) {
  const scaled = (value: number | null | undefined) => (value === null || value === undefined ? null : value * scale)
  return {
    ...column,
    scale,
    read: (run: RunResult) => scaled(read(run)),
    print: digits(n),
    limit: limit === undefined ? undefined : limits[limit] * scale,
  }
}

export function mainTable(subject: Subject): string {
  const { pairs, limits, seeds, worlds } = subject
  // a figure that has no meaning for any run of this robot needs no column
  const shown = columns
    .map((column) => mainColumn(column, limits))
    .filter(({ read }) => pairs.some((pair) => figureOf(pair, read) !== null))
  const best = shown.map(({ read, better }) =>
    bestOf(
      pairs.filter(({ runs }) => runs.every(({ run }) => run.status === 'ok')).map((pair) => figureOf(pair, read)?.median),
      better,
    ),
  )
  const repeated = pairs.some(({ runs }) => runs.length > 1)
  const isMeasured = pairs.some(({ runs }) => runs.some(({ run }) => run.outcome))
  const rows = pairs.map((pair, i) => {
    const cells = shown.map(({ key, read, print, scale = 1, limit }, i) => {
      const figure = figureOf(pair, read)
      if (figure === null) return '<td class="soft">\u2013</td>'
      const missed = limit !== undefined && !(figure.high <= limit)
      const kind = missed ? ' class="missed"' : best[i] === figure.median ? ' class="best"' : ''
      const range =
        figure.runs > 1 && figure.high > figure.low
          ? `<span class="range">${print(figure.low)} to ${print(figure.high)}</span>`
          : ''
      const said = missed
        ? '<span class="unseen"> over the limit</span>'
        : best[i] === figure.median
          ? '<span class="unseen"> best</span>'
          : ''
      const bar = barOf(
        pair.runs.map(({ run }) => run),
        key,
      )
      const text = withBar(figure.median, typeof bar === 'number' ? bar * scale : bar, print)
      return `<td${kind}><span class="figure">${text}${said}</span>${range}</td>`
    })
    const isNext = i > 0 && pairs[i - 1].model !== pair.model
    const names = [...(pair.isChosen ? ['chosen'] : []), ...(isNext ? ['next'] : [])]
    const kind = names.length > 0 ? ` class="${names.join(' ')}"` : ''
    const runs = repeated ? `<td>${pair.runs.length}</td>` : ''
    return `<tr${kind}><th class="left" scope="row">${swatch(pair.look)}${escapeHtml(pair.model)}</th><td>${bound(milliseconds(pair.dt))}</td>${runs}<td class="left">${outcome(pair, subject)}</td>${isMeasured ? ownCell(pair.runs.map(({ run }) => run)) : ''}${cells.join('')}</tr>`
  })
  const lead = 3 + Number(repeated) + Number(isMeasured)
  const groupRow = [...new Set(shown.map(({ group }) => group))]
    .map(
      (group) =>
        `<th class="group" colspan="${shown.filter((one) => one.group === group).length}" scope="colgroup">${group}</th>`,
    )
    .join('')
  const titles = shown.map(titleCell).join('')
  const spread = repeated
    ? ` Figures are the median over ${listed([...(seeds.length > 1 ? [counted(seeds.length, 'seed')] : []), ...(worlds.length > 1 ? [`${counted(worlds.length, 'variant')} of the world`] : [])])}, the range below it; a limit is missed if any run misses it.`
    : ''
  const bars = pairs.some(({ runs }) => runs.some(({ run }) => run.bars)) ? ` ${escapeHtml(barsKey)}` : ''
  return `${scrollBox(`What was measured on ${subject.robot.robot}`, `<table class="main-table"><thead><tr><td class="group" colspan="${lead}"></td>${groupRow}</tr><tr><th class="left" scope="col">model</th><th scope="col">step</th>${repeated ? '<th scope="col">runs</th>' : ''}<th class="left" scope="col">outcome</th>${isMeasured ? '<th class="left" scope="col">its own measures</th>' : ''}${titles}</tr></thead><tbody>${rows.join('')}</tbody></table>`, 'card')}
<p class="key"><span class="best">best of its column</span> \u2003 <span class="missed">limit missed</span> \u2003 <span class="tag fits">fits</span> within all limits, with its cost beside the verdict's.${spread}${bars}</p>
${failures(subject)}`
}

/** What the scenario measures of its own. */
const ownCell = (runs: readonly RunResult[]) =>
  `<td class="left own">${measuredWords(runs)
    .map(({ name, words }) => `${escapeHtml(name)} <b>${bound(words)}</b>`)
    .join('<br>')}</td>`

function titleCell({ title, unit, limit, text }: ReturnType<typeof mainColumn>): string {
  const allowed = limit === undefined ? '' : `\u2264 ${digits(3)(limit)} `
  return `<th scope="col"${titled(text)}>${title}<span class="unit">${allowed}${unit}</span></th>`
}

/** Outcome of a pair, in a tag; solver trouble in red. */
function outcome(pair: Pair, subject: Subject): string {
  const { runs, missed, isChosen } = pair
  const broken = runs.filter(({ run }) => run.status === 'failed')
  const trouble = troubleOf(pair)
  const parts: string[] = []
  if (broken.length > 0) {
    const many = runs.length > 1 ? ` ${broken.length} of ${runs.length}` : ''
    parts.push(`<span class="tag failed"${titled(broken[0].run.failure ?? '')}>failed${many}</span>`)
  } else if (isChosen) parts.push('<span class="tag take">verdict</span>')
  else if (isOutside(pair.model)) parts.push('not judged')
  else if (missed.length === 0) parts.push(`<span class="tag fits">fits</span> ${costWords(pair, subject)}`)
  const others = missed.filter(({ limit }) => limit !== 'failed')
  if (others.length > 0) {
    const words = others.map(
      ({ limit, runs: n }) => `${inText(shortWords[limit])}${n < runs.length ? ` (${n} of ${runs.length})` : ''}`,
    )
    parts.push(`<span class="missed-words"${titled(others.map((one) => one.words).join('; '))}>out: ${words.join(', ')}</span>`)
  }
  if (trouble !== '') parts.push(`<span class="missed-words">${trouble}</span>`)
  return parts.join('<br>')
}

/** Solver failures, fallbacks and strained steps of all runs of a pair; '' without any. */
function troubleOf({ runs }: Pair): string {
  const sum = (key: 'solverFailures' | 'fallbacks' | 'strained') => runs.reduce((n, { run }) => n + (run.metrics?.[key] ?? 0), 0)
  const [failed, fallbacks, strained] = [sum('solverFailures'), sum('fallbacks'), sum('strained')]
  return [
    ...(failed > 0 ? [counted(failed, 'solver failure')] : []),
    ...(fallbacks > 0 ? [`${fallbacks} step${fallbacks === 1 ? '' : 's'} by fallback`] : []),
    ...(strained > 0 ? [counted(strained, 'strained step')] : []),
  ].join(', ')
}

/** Cost of a pair that fits beside the verdict. */
function costWords({ cost, dt, runs: [{ run }] }: Pair, subject: Subject): string {
  const least = chosenOf(subject)?.cost
  if (cost === null || least === null || least === undefined) return ''
  const isEqual = subject.verdict.set.some((choice) => choice.model === run.model && choice.dt === dt)
  return `<span class="soft">${isEqual ? 'as good' : `costs ${significant(cost / least, 2)}\u00d7`}</span>`
}

function bestOf(values: readonly (number | null | undefined)[], better: 'low' | 'high' | null): number | undefined {
  const known = values.filter((v): v is number => typeof v === 'number' && Number.isFinite(v))
  if (better === null || known.length < 2 || known.every((v) => v === known[0])) return undefined
  const best = better === 'low' ? Math.min(...known) : Math.max(...known)
  return known.filter((v) => v === best).length <= known.length / 2 ? best : undefined // what most share marks nobody out
}

/** Runs that are named before the others are folded. */
const FEW = 4

/** Why runs broke off, why solvers had no answer, why something could not be compared: each reason once, with all it befell. */
function failures({ pairs, seeds }: Subject): string {
  const who = new Map<string, string[]>()
  const told = (kind: string, text: string | null | undefined, name: string) => {
    if (!text) return
    const key = `${kind}: ${text}`
    who.set(key, [...(who.get(key) ?? []), name])
  }
  for (const { model, dt, runs } of pairs) {
    for (const { run } of runs) {
      const world = worldWords(run)
      const name = `${model} at ${milliseconds(dt)}${seeds.length > 1 ? `, seed ${run.seed}` : ''}${world ? `, ${world}` : ''}`
      told('broke off', run.failure, name)
      if (run.status === 'ok') told('solver', run.solverFailure, name)
      if (run.status === 'ok') told('energy', run.firstEnergyGain, name)
      told('strained', run.firstStrain, name)
      told('let go', run.firstLetGo, name)
      told('answers', run.answers ?? null, name)
      told('shakes', run.firstShaking, name)
      told('passed through', run.tunnelling, name)
      told('without errors or cost', run.error?.note, name)
    }
  }
  if (who.size === 0) return ''
  const items = [...who].map(([text, names]) => {
    const line = `<b>${escapeHtml(bound(names.slice(0, FEW).join('; ')))}</b> ${escapeHtml(bound(text))}`
    if (names.length <= FEW) return `<li>${line}</li>`
    const rest = names.slice(FEW).map((name) => `<li>${escapeHtml(bound(name))}</li>`)
    return `<li>${line}<details><summary>the same in ${counted(rest.length, 'further run')}</summary><ul>${rest.join('')}</ul></details></li>`
  })
  return `<ul class="failures">${items.join('')}</ul>`
}

/** Every figure of every run: a row a run. */
export function allMetrics({ pairs, robot, worlds }: Subject): string {
  const runs = pairs.flatMap((pair) => pair.runs.map(({ run }) => ({ run, look: pair.look })))
  const metrics = Object.entries(metricDefinitions)
  const isMeasured = runs.some(({ run }) => run.outcome)
  const own = [...new Set(runs.flatMap(({ run }) => Object.keys(run.controllerMetrics)))]
  // of the robots but the compared one, whose figures are among the metrics
  const others = [...new Set(runs.flatMap(({ run }) => (run.tracking ?? []).slice(1).map(({ robot: name }) => name)))]
  const followed = others.flatMap((name) => [
    { name, key: 'trackingRms_rad' as const, unit: 'rad' },
    { name, key: 'trackingRms_m' as const, unit: 'm' },
  ])
  const head = [
    ...metrics.map(
      ([, { label, unit, text }]) => `<th scope="col"${titled(text)}>${label}<span class="unit">${unit || '1'}</span></th>`,
    ),
    ...followed.map(({ name, unit }) => `<th scope="col">Tracking of ${escapeHtml(name)}<span class="unit">${unit}</span></th>`),
    ...own.map((key) => `<th scope="col">${escapeHtml(key)}<span class="unit">by the controller</span></th>`),
    ...(isMeasured ? ['<th class="left" scope="col">its own measures</th>'] : []),
  ].join('')
  const rows = runs.map(({ run, look }) => {
    const cell = (value: number | null | undefined) =>
      `<td>${value === null || value === undefined ? '\u2013' : digits(4)(value)}</td>`
    const cells = [
      ...metrics.map(([key]) => cell(run.metrics?.[key as keyof Metrics])),
      ...followed.map(({ name, key }) => cell(run.tracking?.find((of) => of.robot === name)?.[key])),
      ...own.map((key) => cell(Object.hasOwn(run.controllerMetrics, key) ? run.controllerMetrics[key] : null)),
    ]
    if (isMeasured) cells.push(ownCell([run]))
    const state = run.status === 'failed' ? '<td class="left missed-words">failed</td>' : '<td class="left">ok</td>'
    return `<tr><th class="left" scope="row">${swatch(look)}${escapeHtml(look.name)}${worlds.length > 0 ? `<span class="range">${escapeHtml(worldWords(run))}</span>` : ''}</th><td>${run.seed}</td>${state}${cells.join('')}<td class="left"><code>${escapeHtml(run.hash || '\u2013')}</code></td></tr>`
  })
  return `<details class="card"><summary>Every figure of every run, with its hash</summary>${scrollBox(`Every figure of every run on ${robot.robot}`, `<table class="wide-table"><thead><tr><th class="left" scope="col">run</th><th scope="col">seed</th><th class="left" scope="col">status</th>${head}<th class="left" scope="col">state hash at the end</th></tr></thead><tbody>${rows.join('')}</tbody></table>`)}</details>`
}

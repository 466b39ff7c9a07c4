/** The benchmark's table as a page that stands alone, with a replay of each scene. */

import { milliseconds, significant } from '../compare/measure/numbers.ts'
import { escapeHtml, scriptJson, scrollBox } from '../compare/report/html.ts'
import { page } from '../compare/report/page.ts'
import { pageScript, replayMissing } from '../compare/report/pageScript.ts'
import { plainReplays } from '../compare/report/replayData.ts'
import { contactModelNames } from '../contact/index.ts'
import {
  type ColumnInfo,
  farthestValue,
  longestStep,
  medianCost,
  type PhenomenaResult,
  type Row,
  type SceneResult,
} from './phenomena.ts'
import type { SceneReplay } from './replay.ts'

const style = `
.overview thead th span { writing-mode: vertical-rl; } .overview td { padding: 2px 8px; } .overview tbody th { font-weight: 400; padding: 2px 10px; white-space: normal; min-width: 10rem; }
.overview th:first-child, .rows th:first-child { text-align: left; } .rows tbody th { font-weight: 400; }
td.holds { color: var(--good); font-weight: 600; } td.misses, td.failed { color: var(--bad); } td.blocked, td.inconclusive { color: var(--soft); }
details.scene > summary span { font-weight: 400; color: var(--soft); } details.scene > .inside { scroll-margin-top: 48px; } details.scene .stage { position: static; }
.stage-and-charts:not(:has(figure)) { grid-template-columns: minmax(0, 1fr); } .stills { max-width: 45rem; }
.parting { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 12px; } .parting a { color: inherit; } .parting .stills { display: block; }
`

/** Scenes whose pictures come first. */
const PARTING = 6

/** @param replays of each scene */
export function phenomenaPage(result: PhenomenaResult, command: string, replays: readonly SceneReplay[]): string {
  const { scenes, columns, missing } = result
  const titles = columns.map(({ name }) => `<th><span>${escapeHtml(name)}</span></th>`).join('')
  const ordered = failuresFirst(result)
  const rows = ordered.map((scene) => {
    const cells = columns.map(({ name }) => cellOf(scene, name)).join('')
    return `<tr><th><a href="#${scene.name}">${escapeHtml(scene.title)}</a></th>${cells}</tr>`
  })
  const costs = columns.map(({ name }) => `<td>${costText(result, name)}</td>`).join('')
  const engines = columns.filter(({ packageName }) => packageName !== '')
  const about = engines.map(
    ({ name, packageName, version, settings }) =>
      `<li><b>${escapeHtml(name)}</b>: ${escapeHtml(packageName)} ${escapeHtml(version)}, ${escapeHtml(settings)}</li>`,
  )
  const gone = missing.map((text) => `<li>${escapeHtml(text)}</li>`)
  const overview = `<table class="overview"><thead><tr><th>scene</th>${titles}</tr></thead><tbody>${rows.join('')}<tr><th>time per simulated second</th>${costs}</tr></tbody></table>`
  const body = `<header><p class="brand">Featherbed</p><h1>Contact phenomena</h1>
<p class="soft">Each scene has an end that is known from nature: a closed form, geometry, or measured data. A cell is the longest step at which every measure of every case is within its bound, and at all shorter ones; a dash where none is. The last line is computing time per simulated second, the median over all that a column ran. Raw numbers: <code>phenomena.json</code>.</p></header>
<main><div class="card">${scrollBox('Longest step at which each column holds', overview)}</div><ul class="note">${about.join('')}${gone.join('')}</ul>
${partingOf(result, replays)}
${ordered.map((scene) => sectionOf(scene, columns.length, replays, scenes.indexOf(scene))).join('\n')}
<p class="note">A replay shows collision shapes, some 160 moments of a run and what lies between by interpolation. Arrows are contact forces, which the engines from outside do not hand over.</p></main>
<footer>Made by <code>${escapeHtml(command)}</code></footer>
<script type="application/json" id="replay-data">${scriptJson(plainReplays(replays.map(({ subject }) => subject)))}</script>`
  const title = 'Contact phenomena: Featherbed report'
  return page({ title, description: 'Scenes with a known end', body, script: pageScript(), ownStyle: style })
}

function cellOf(scene: SceneResult, column: string): string {
  const longest = longestStep(scene, column)
  const first = scene.rows.find((row) => row.column === column)
  if (longest > 0) return `<td class="holds">${milliseconds(longest)}</td>`
  const verdict = first?.verdict ?? 'misses'
  const text = wordOf(scene, column)
  return `<td class="${verdict === 'holds' ? 'misses' : verdict}" title="${escapeHtml(first?.worst ?? '')}">${text}</td>`
}

/** The longest step at which a scene holds, or why there is none. */
function wordOf(scene: SceneResult, column: string): string {
  const longest = longestStep(scene, column)
  if (longest > 0) return milliseconds(longest)
  const verdict = scene.rows.find((row) => row.column === column)?.verdict
  return verdict === undefined ? 'not run' : verdict === 'blocked' || verdict === 'inconclusive' ? verdict : '-'
}

const costText = (result: PhenomenaResult, column: string) => milliseconds(medianCost(result, column))

function sectionOf(scene: SceneResult, columns: number, replays: readonly SceneReplay[], index: number): string {
  const { words, stills } = replays[index]
  const { name, title, nature, source, rows, cases } = scene
  const { measures } = cases[0]
  const titles = measures.map(({ name, unit }) => `<th>${escapeHtml(unit === '' ? name : `${name} [${unit}]`)}</th>`).join('')
  const valuesOf = (row: Row) =>
    measures
      .map((_, m) => farthestValue(scene, row, m))
      .map((value) => `<td>${value === null ? '' : Number(value.toPrecision(3))}</td>`)
      .join('')
  const lines = rows.map(
    (row) =>
      `<tr><th>${escapeHtml(row.column)}</th><td>${milliseconds(row.dt)}</td><td class="${row.verdict}">${row.verdict}</td><td>${row.score === null ? '' : significant(row.score, 3)}</td>${valuesOf(row)}<td class="left wrap">${escapeHtml(remark(row))}</td><td>${row.cost > 0 ? significant(row.cost, 2) : ''}</td></tr>`,
  )
  const held = new Set(rows.map(({ column }) => column).filter((column) => longestStep(scene, column) > 0)).size
  const table = `<table class="rows"><thead><tr><th>column</th><th>step</th><th></th><th>error over bound</th>${titles}<th class="left">where it is largest</th><th>time per simulated time</th></tr></thead><tbody>${lines.join('')}</tbody></table>`
  const played = `<p class="note">${escapeHtml(words)}</p><div class="replay" data-subject="${index}" data-placing="beside"><div class="stills">${stills}</div><p class="note">${replayMissing()}</p></div>`
  return `<details class="card scene"><summary>${escapeHtml(title)} <span>${held} of ${columns} hold</span></summary><div class="inside" id="${name}"><p>${escapeHtml(nature)} <em class="soft">${escapeHtml(source)}</em>.</p><p>Set-up: ${escapeHtml(scene.setup)}.</p><p>Measured: ${escapeHtml(measuredWords(scene))}.</p>${played}<div class="card">${scrollBox(title, table)}</div></div></details>`
}

/** Pictures of the scenes that nearest to half of the columns hold: there they part the most. */
function partingOf({ scenes, columns }: PhenomenaResult, replays: readonly SceneReplay[]): string {
  const heldBy = (scene: SceneResult) => columns.filter(({ name }) => longestStep(scene, name) > 0).length
  const shown = scenes
    .map((scene, i) => ({ scene, stills: replays[i]?.stills ?? '', held: heldBy(scene) }))
    .filter(({ stills }) => stills !== '')
    .toSorted((a, b) => Math.abs(a.held - columns.length / 2) - Math.abs(b.held - columns.length / 2))
    .slice(0, PARTING)
    .map(
      ({ scene: { name, title }, stills, held }) =>
        `<a href="#${name}"><span class="stills">${stills}</span>${escapeHtml(title)}: ${held} of ${columns.length} hold</a>`,
    )
  return shown.length === 0 ? '' : `<h2>Where they part the most</h2><div class="parting">${shown.join('')}</div>`
}

/** The scenes that fewest of our models hold first. */
function failuresFirst({ scenes, columns }: PhenomenaResult): SceneResult[] {
  const ours = columns.filter(({ packageName }) => packageName === '')
  const held = (scene: SceneResult) => ours.filter(({ name }) => longestStep(scene, name) > 0).length
  return scenes.toSorted((a, b) => held(a) - held(b))
}

/** Parts of the table in Markdown: our models, engines from outside as they come, and under other settings. */
export const tableParts = {
  models: ({ packageName }: ColumnInfo) => packageName === '',
  engines: ({ packageName, name }: ColumnInfo) => packageName !== '' && !name.includes(', '),
  settings: ({ packageName, name }: ColumnInfo) => packageName !== '' && name.includes(', '),
}

/** A part of the table in Markdown: scenes by rows, those that our models miss first, columns by columns. */
export function phenomenaTable(result: PhenomenaResult, isShown: (column: ColumnInfo) => boolean): string {
  const columns = result.columns.filter(isShown)
  const scenes = failuresFirst(result)
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const steps = ({ steps_s }: SceneResult) => steps_s.map((dt) => significant(1e3 * dt, 2)).join(', ')
  return [
    line(['scene', 'steps tried [ms]', ...columns.map(({ name }) => name)]),
    line(['---', '---', ...columns.map(() => '---:')]),
    ...scenes.map((scene) => line([scene.name, steps(scene), ...columns.map(({ name }) => wordOf(scene, name))])),
    line([
      `at some step, of ${scenes.length}`,
      '',
      ...columns.map(({ name }) => `${scenes.filter((scene) => longestStep(scene, name) > 0).length}`),
    ]),
    line(['time per simulated second, median', '', ...columns.map(({ name }) => costText(result, name))]),
  ].join('\n')
}

/** Settings of each engine, with its package, in Markdown. */
export function engineSettings({ columns }: PhenomenaResult): string {
  return columns
    .filter(({ packageName }) => packageName !== '')
    .map(({ name, packageName, version, settings }) => `- **${name}** (${packageName} ${version}): ${settings}.`)
    .join('\n')
}

/** Content of each scene, with its picture in `images/phenomena`, and its setup, in Markdown. */
export function phenomenaGallery({ scenes }: PhenomenaResult): string {
  return scenes
    .map((scene) => {
      const { name, title, nature, source, setup } = scene
      const file = `../cases/scenes/${name}.yaml`
      const measured = `Measured: ${measuredWords(scene, '`')}.`
      return `**${name}**: ${title}. ${nature} *${source}*. ${measured}\n\n<details><summary>Set-up</summary>\n\n${escapeHtml(setup)} ([file](${file})).\n\n</details>\n\n![${title}](images/phenomena/${name}.svg)`
    })
    .join('\n\n')
}

/** Each measure with nature's value and the bound, where they differ a value a case, and reduction and quantity of the first. */
function measuredWords({ cases }: SceneResult, quote = ''): string {
  const number = (value: number) => `${Number(value.toPrecision(3))}`
  const measures = cases[0].measures.map(({ name, unit, of, take, from, to }, m) => {
    const all = (key: 'nature' | 'within') => {
      const values = cases.map(({ measures }) => number(measures[m][key]))
      return values.every((value) => value === values[0]) ? values[0] : `(${values.join(' | ')})`
    }
    const when = take === 'end' ? `at ${number(to)} s` : `from ${number(from)} to ${number(to)} s`
    return `${name} ${all('nature')} ± ${all('within')}${unit === '' ? '' : ` ${unit}`} (${take} of ${quote}${of}${quote} ${when})`
  })
  return `${measures.join('; ')}${cases.length > 1 ? `, quantities as in the first of ${cases.length} cases` : ''}`
}

/** A row in words: its worst measure, the engine's omissions, and steps that its solver failed in. */
export function remark({ worst, lacks, failures, fallbacks }: Row): string {
  return [
    worst,
    ...(lacks.length > 0 ? [`without ${lacks.join(', ')}`] : []),
    ...(failures > 0 ? [`solver failed in ${failures} steps`] : []),
    ...(fallbacks > 0 ? [`another solver answered in ${fallbacks}`] : []),
  ].join('; ')
}

/** The text of compare/judge/record.ts: how many outcomes each model of ours meets, of every scene at each of its steps. */
export function recordSource({ scenes }: PhenomenaResult): string {
  const rows = scenes.flatMap((scene) => scene.rows)
  const count = (name: string) => rows.filter(({ column, verdict }) => column === name && verdict === 'holds').length
  const counts = contactModelNames.map((name) => ({ name, met: count(name) })).sort((a, b) => b.met - a.met)
  const key = (name: string) => (/^\w+$/.test(name) ? name : `'${name}'`)
  const outcomes = rows.filter(({ column }) => column === contactModelNames[0]).length
  return `/** How many known outcomes each model meets: of the scenes of docs/phenomena.md at each of their steps. \`npm run docs\` writes this file. */
const met: Readonly<Record<string, number>> = {
${counts.map((one) => `  ${key(one.name)}: ${one.met},`).join('\n')}
}

/** How many there are. */
export const OUTCOMES = ${outcomes}

/** 0 of a model that was not tried. */
export const outcomesMet = (model: string): number => met[model] ?? 0
`
}

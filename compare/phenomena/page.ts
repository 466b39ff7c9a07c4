/** The benchmark's table as a page that stands alone. */
import { page } from '../map/draw.ts'
import { escapeHtml } from '../report/html.ts'
import { milliseconds, significant } from '../verdict.ts'
import { farthestValue, longestStep, medianCost, type PhenomenaResult, type Row, type SceneResult } from './phenomena.ts'

const style = `<style>
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .82rem; } th, td { padding: .15rem .5rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--hair); vertical-align: top; }
th:first-child, td:first-child { text-align: left; white-space: normal; min-width: 9rem; } td.text { text-align: left; white-space: normal; min-width: 16rem; color: var(--soft); max-width: 34rem; } thead th { position: sticky; top: 0; background: var(--ground); writing-mode: vertical-rl; text-align: left; }
section thead th { writing-mode: horizontal-tb; } td.holds { color: var(--safe); font-weight: 600; } td.misses, td.failed { color: var(--bad); } td.blocked, td.inconclusive { color: var(--soft); }
section { margin-top: 2.5rem; } section > svg { max-width: 45rem; width: 100%; } h2 { font-size: 1.1rem; margin: 0; }
</style>`

/** @param pictures SVG by the scenes' names */
export function phenomenaPage(result: PhenomenaResult, command: string, pictures: ReadonlyMap<string, string>): string {
  const { scenes, columns, missing } = result
  const head = `<p>Each scene has an end that is known from nature: a closed form, geometry, or measured data. A cell is the longest step at which every measure of every case is within its bound, and at all shorter ones; a dash where none is. The last line is computing time per simulated second, the median over all that a column ran. Raw numbers: <code>phenomena.json</code>.</p>`
  const titles = columns.map(({ name }) => `<th>${escapeHtml(name)}</th>`).join('')
  const rows = failuresFirst(result).map((scene) => {
    const cells = columns.map(({ name }) => cellOf(scene, name)).join('')
    return `<tr><td><a href="#${scene.name}">${escapeHtml(scene.title)}</a></td>${cells}</tr>`
  })
  const costs = columns.map(({ name }) => `<td>${costText(result, name)}</td>`).join('')
  const engines = columns.filter(({ packageName }) => packageName !== '')
  const about = engines.map(
    ({ name, packageName, version, settings }) =>
      `<li><b>${escapeHtml(name)}</b>: ${escapeHtml(packageName)} ${escapeHtml(version)}, ${escapeHtml(settings)}</li>`,
  )
  const gone = missing.map((text) => `<li>${escapeHtml(text)}</li>`)
  const body = `${style}${head}<div class="wide"><table><thead><tr><th></th>${titles}</tr></thead>${rows.join('')}<tr><td>time per simulated second</td>${costs}</tr></table></div><ul>${about.join('')}${gone.join('')}</ul>${scenes.map((scene) => sectionOf(scene, pictures.get(scene.name) ?? '')).join('')}`
  return page('Contact phenomena', body, command)
}

function cellOf(scene: SceneResult, column: string): string {
  const longest = longestStep(scene, column)
  const first = scene.rows.find((row) => row.column === column)
  if (longest > 0) return `<td class="holds">${milliseconds(longest)}</td>`
  const verdict = first?.verdict ?? 'misses'
  const text = verdict === 'blocked' || verdict === 'inconclusive' ? verdict : '-'
  return `<td class="${verdict === 'holds' ? 'misses' : verdict}" title="${escapeHtml(first?.worst ?? '')}">${text}</td>`
}

const costText = (result: PhenomenaResult, column: string) => milliseconds(medianCost(result, column))

function sectionOf(scene: SceneResult, picture: string): string {
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
      `<tr><td>${escapeHtml(row.column)}</td><td>${milliseconds(row.dt)}</td><td class="${row.verdict}">${row.verdict}</td><td>${row.score === null ? '' : significant(row.score, 3)}</td>${valuesOf(row)}<td class="text">${escapeHtml(remark(row))}</td><td>${row.cost > 0 ? significant(row.cost, 2) : ''}</td></tr>`,
  )
  return `<section id="${name}"><h2>${escapeHtml(title)}</h2><p>${escapeHtml(nature)} <em>${escapeHtml(source)}</em></p>${picture}<div class="wide"><table><thead><tr><th>column</th><th>step</th><th></th><th>error over bound</th>${titles}<th>where it is largest</th><th>time per simulated time</th></tr></thead>${lines.join('')}</table></div></section>`
}

/** The scenes that fewest of our models hold first. */
function failuresFirst({ scenes, columns }: PhenomenaResult): SceneResult[] {
  const ours = columns.filter(({ packageName }) => packageName === '')
  const held = (scene: SceneResult) => ours.filter(({ name }) => longestStep(scene, name) > 0).length
  return scenes.toSorted((a, b) => held(a) - held(b))
}

/** The table in Markdown: scenes by rows, those that our models miss first, columns by columns. */
export function phenomenaTable(result: PhenomenaResult): string {
  const { columns } = result
  const scenes = failuresFirst(result)
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const cell = (scene: SceneResult, column: string) => {
    const longest = longestStep(scene, column)
    const verdict = scene.rows.find((row) => row.column === column)?.verdict
    return longest > 0 ? milliseconds(longest) : verdict === 'blocked' || verdict === 'inconclusive' ? verdict : '-'
  }
  const steps = ({ steps_s }: SceneResult) => steps_s.map((dt) => significant(1e3 * dt, 2)).join(', ')
  return [
    line(['scene', 'steps tried [ms]', ...columns.map(({ name }) => name)]),
    line(['---', '---', ...columns.map(() => '---:')]),
    ...scenes.map((scene) => line([scene.name, steps(scene), ...columns.map(({ name }) => cell(scene, name))])),
    line([
      `at some step, of ${scenes.length}`,
      '',
      ...columns.map(({ name }) => `${scenes.filter((scene) => longestStep(scene, name) > 0).length}`),
    ]),
    line(['time per simulated second, median', '', ...columns.map(({ name }) => costText(result, name))]),
  ].join('\n')
}

/** What each scene shows, with its picture in `images/phenomena`, in Markdown. */
export function phenomenaGallery({ scenes }: PhenomenaResult): string {
  return scenes
    .map(
      ({ name, title, nature, source }) =>
        `**${name}**: ${title}. ${nature} *${source}*\n\n![${title}](images/phenomena/${name}.svg)`,
    )
    .join('\n\n')
}

/** What a row says in words: its worst measure, what the engine left out, and steps that its solver failed in. */
export function remark({ worst, lacks, failures, fallbacks }: Row): string {
  return [
    worst,
    ...(lacks.length > 0 ? [`without ${lacks.join(', ')}`] : []),
    ...(failures > 0 ? [`solver failed in ${failures} steps`] : []),
    ...(fallbacks > 0 ? [`another solver answered in ${fallbacks}`] : []),
  ].join('; ')
}

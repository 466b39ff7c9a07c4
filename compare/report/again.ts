/** Commands and versions that reproduce the results. */
import { listed } from '../../dynamics/index.ts'
import type { Bundle } from '../judge/bundle.ts'
import type { ReportedRobot, Results, ResultsFile } from '../judge/compare.ts'
import { counted, significant } from '../measure/numbers.ts'
import type { Default } from '../scenario/index.ts'
import { bound } from './format.ts'
import { escapeHtml, scrollBox } from './html.ts'
import type { Subject } from './subject.ts'

/** @param subjects of each comparison */
export function againSection(
  { machine, version, comparisons, command }: ResultsFile,
  subjects: readonly (readonly Subject[])[],
  bundle?: Bundle,
): string {
  const runs = comparisons.flatMap((results) => results.runs)
  const seeds = [...new Set(runs.map(({ seed }) => seed))].sort((a, b) => a - b)
  const hashes = runs.map(({ hash }) => hash).filter((hash) => hash !== '')
  const facts: readonly (readonly [string, string])[] = [
    ['Featherbed', `${machine.featherbed || 'unnamed version'}, results of format ${version}`],
    [
      'Machine',
      `${machine.processor || 'an unnamed processor'}, ${machine.platform}, Node ${machine.node}; times are of this machine`,
    ],
    [
      seeds.length === 1 ? 'Seed' : 'Seeds',
      seeds.length <= 20 ? seeds.join(', ') : `${seeds.length} seeds, ${seeds[0]} to ${seeds[seeds.length - 1]}`,
    ],
    ['Robots', subjects.map((own) => listed(own.map(({ robot }) => robotWords(robot))) + besides(own)).join('; ')],
    [
      'Hashes',
      hashes.length === 1
        ? hashes[0]
        : `${hashes.length} of ${runs.length} runs end in a state hash; each stands with its run's figures above, and is the same on every machine`,
    ],
  ]
  return `<section class="again" aria-labelledby="again"><h2 id="again">How to make this again</h2>
${bundle === undefined ? '' : fromThisPage(bundle)}
<div class="command card"><pre><code>${escapeHtml(command)}</code></pre><button type="button" class="copy">copy</button></div>
<dl class="facts">${facts.map(([name, text]) => `<dt>${name}</dt><dd>${escapeHtml(text)}</dd>`).join('')}</dl>
${comparisons.map(({ scenario }) => scenarioInFull(scenario, comparisons.length > 1)).join('\n')}
</section>`
}

/** The page itself is enough. */
function fromThisPage({ files, missing, ends }: Bundle): string {
  const kilobytes = (n: number) => bound(n < 1e5 ? `${significant(n / 1e3, 2)} kB` : `${significant(n / 1e6, 2)} MB`)
  const list = [...files].map(([name, { length }]) => `<li><code>${escapeHtml(name)}</code> ${kilobytes(length)}</li>`)
  const held =
    files.size === 0
      ? ''
      : `<details class="card"><summary>${counted(files.size, 'file')} that this page holds</summary><ul class="inside">${list.join('')}</ul></details>`
  const lacks = missing.length === 0 ? '' : ` It lacks ${escapeHtml(listed(missing))}, which lay outside of the robots' folders.`
  return `<p>This page holds all that its ${ends.flat().length} runs were made of.${lacks} Anywhere, without any other file, this runs them again and says whether each ends in the same bits:</p>
<div class="command card"><pre><code>npx featherbed compare report.html</code></pre><button type="button" class="copy">copy</button></div>
${held}
<p>The command that made it:</p>`
}

const robotWords = ({ robot, source }: ReportedRobot) => (source === robot ? robot : `${robot} (${source})`)

function scenarioInFull(scenario: Results['scenario'], isNamed: boolean): string {
  const { defaults = [], name } = scenario as unknown as { defaults?: readonly Default[]; name: string }
  return `${isNamed ? `<h3>${escapeHtml(name)}</h3>\n` : ''}${defaultsTable(defaults)}
<details class="card"><summary>The scenario in full</summary><pre>${escapeHtml(JSON.stringify({ ...scenario, defaults: undefined }, null, 2))}</pre></details>`
}

/** Other moving bodies, the same beside every robot. */
function besides([{ robot }]: readonly Subject[]): string {
  const { others = [] } = robot
  return others.length === 0 ? '' : `, beside ${others.length > 12 ? `${others.length} others` : listed(others)}`
}

function defaultsTable(defaults: readonly Default[]): string {
  if (defaults.length === 0) return ''
  const rows = defaults.map(
    ({ field, value, why }) =>
      `<tr><th class="left" scope="row"><code>${escapeHtml(field)}</code></th><td class="left wrap">${escapeHtml(value)}</td><td class="left wrap soft">${escapeHtml(why)}</td></tr>`,
  )
  return `<details class="card"><summary>Defaults that applied</summary>${scrollBox(`Defaults that applied`, `<table class="plain"><thead><tr><th class="left" scope="col">field</th><th class="left" scope="col">value</th><th class="left" scope="col">why</th></tr></thead><tbody>${rows.join('')}</tbody></table>`)}</details>`
}

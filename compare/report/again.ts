/** How to make the results again, and what they were made with. */
import type { Results } from '../compare.ts'
import type { Default } from '../scenario.ts'
import { listed } from './format.ts'
import { escapeHtml } from './html.ts'
import type { Subject } from './subject.ts'

export function againSection(
  { scenario, machine, version, runs }: Results,
  subjects: readonly Subject[],
  command: string,
): string {
  const { defaults = [] } = scenario as unknown as { defaults?: readonly Default[] }
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
    [
      'Robots',
      listed(subjects.map(({ robot }) => (robot.source === robot.robot ? robot.robot : `${robot.robot} (${robot.source})`))) +
        besides(subjects),
    ],
    [
      'Hashes',
      hashes.length === 1
        ? hashes[0]
        : `${hashes.length} of ${runs.length} runs end in a state hash; each stands with its run's figures above, and is the same on every machine`,
    ],
  ]
  return `<section class="again" aria-labelledby="again"><h2 id="again">How to make this again</h2>
<div class="command card"><pre><code>${escapeHtml(command)}</code></pre><button type="button" class="copy">copy</button></div>
<dl class="facts">${facts.map(([name, text]) => `<dt>${name}</dt><dd>${escapeHtml(text)}</dd>`).join('')}</dl>
${defaultsTable(defaults)}
<details class="card"><summary>The scenario in full</summary><pre>${escapeHtml(JSON.stringify({ ...scenario, defaults: undefined }, null, 2))}</pre></details>
</section>`
}

/** What else moved, which is the same beside every robot. */
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
  return `<details class="card"><summary>Defaults that applied</summary><div class="scroll" tabindex="0" role="region" aria-label="Defaults that applied"><table class="plain"><thead><tr><th class="left" scope="col">field</th><th class="left" scope="col">value</th><th class="left" scope="col">why</th></tr></thead><tbody>${rows.join('')}</tbody></table></div></details>`
}

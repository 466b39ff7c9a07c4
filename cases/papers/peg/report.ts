import { significant } from '../../../compare/measure/numbers.ts'
import { escapeHtml } from '../../../compare/report/html.ts'
import { choicesOf, heads, paperPage, section, tableCard, tagOf } from '../page.ts'
import { millimetre, type PanelClaim, type SceneResult } from './claims.ts'
import { type ModelId, modelIds, models } from './models.ts'
import { frameOf, panel, pictureDefinitions, pictureKey, pictureStyle } from './picture.ts'
import type { PegReproduction } from './reproduction.ts'
import { type StackRun, stack as stackScene } from './stack.ts'
import type { Outcome, StepContact } from './step.ts'
import type { StepScan } from './stepScan.ts'
import { columnNames, prevented, type TableRow } from './table.ts'

const ownStyle = `
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 340px), 1fr)); gap: 16px; margin-top: 10px; }
.panels figcaption b { font-weight: 650; } .said { list-style: none; margin: 8px 2px 6px; padding: 0; font-size: 13.5px; } .said li { margin: 0 0 8px; } .said .soft { display: block; font-size: 12.5px; }
.said .tag { margin-right: 5px; } .key > span { display: inline-block; margin: 0 14px 4px 0; } .table1 td { white-space: normal; vertical-align: top; min-width: 12ch; } .table1 .tick { color: var(--good); } .table1 .cross { color: var(--bad); }
.table1 .theirs { font-size: 12px; color: var(--soft); } .table1 .differs { color: var(--bad); font-size: 12.5px; } .table1 .measure { display: block; font-weight: 400; font-size: 12.5px; color: var(--soft); white-space: normal; min-width: 26ch; } .table1 th { white-space: normal; vertical-align: top; }
.contacts td, .contacts th { padding: 4px 8px; font-size: 13px; }
${pictureStyle}`

/** One self-contained page: figures 1, 11 and 12 drawn again, claims of their captions and whether they hold, and table 1 as measured. */
export function reportOfPeg({ results, claims, table, largeSteps, scans, stack }: PegReproduction, command: string): string {
  const of = (id: string) => results.find(({ scene }) => scene.id === id) as SceneResult
  const seen = claims.filter(({ judgement }) => judgement === 'reproduced').length
  const key = pictureKey.map(
    ([svg, text]) => `<span><svg viewBox="0 0 24 16" aria-hidden="true">${svg}</svg>${escapeHtml(text)}</span>`,
  )
  return paperPage({
    title: 'PEG (2014) reproduced',
    heading: 'Geometrically accurate contact of polytopes, run again',
    intro: `<p class="soft">Figures 1, 11 and 12 and table 1 of J. Williams, Y. Lu and J. C. Trinkle, <i>A Complementarity Based Contact Model for Geometrically
Accurate Treatment of Polytopes in Simulation</i> (2014), each step computed by the contact models of this program.
Of ${claims.length} claims ${seen} were seen${seen === claims.length ? '' : `; ${claims.length - seen} were not`}.</p>
<p class="key">${key.join(' ')}</p>`,
    style: ownStyle,
    before: pictureDefinitions,
    sections: [
      figure(
        'Figure 11: two triangles, one step of 0.5 s',
        'A blue triangle moves from right to left towards a red one at rest; their bases are on one line.',
        of('11'),
        claims,
        'abcde',
      ),
      figure(
        'Figure 12: two blocks, one step of 0.25 s',
        'A red block falls onto a blue one of its size, which is fixed; a corner meets a corner four times.',
        of('12'),
        claims,
        'abcde',
      ),
      figure(
        'Figure 12, another step: a force on the block',
        'After the first step 8 N act to the right. What has landed should slide, for there is no friction.',
        of('12-pushed'),
        claims,
        '',
        ['st', 'ap', 'literal', 'peg'],
      ),
      figure(
        'Figure 1: the trap',
        'The tip of a light blue triangle passes over the corner of a heavy red square: a motion that touches nothing.',
        of('1'),
        claims,
      ),
      figure('Figure 1, coming down', 'The same tip comes down on the top, from beyond the corner.', of('1-landing'), claims),
      figure(
        'Two triangles of one size',
        'Not in the paper: what models make of this is known in closed form.',
        of('11-congruent'),
        claims,
      ),
      tableSection(table),
      scanSection(scans),
      largeStepSection(largeSteps),
      stackSection(stack, claims),
      section('Every contact of every step', results.map(contactsSection).join('\n')),
    ],
    choices: choicesOf('peg'),
    command,
  })
}

/** @param letters of the paper's panels; ours has none */
function figure(
  title: string,
  sentence: string,
  { scene, outcomes }: SceneResult,
  claims: readonly PanelClaim[],
  letters = '',
  shown: readonly ModelId[] = modelIds,
): string {
  const frame = frameOf(
    scene,
    shown.map((id) => outcomes[id]),
  )
  const panels = shown.map((id, k) => {
    const { short, title: name } = models[id]
    const letter = letters[k] === undefined ? '' : `(${letters[k]}) `
    const said = claims.filter((claim) => claim.scene === scene.id && claim.model === id)
    return `<figure class="card" id="${scene.id}-${id}"><figcaption>${letter}${escapeHtml(short)}<span>${escapeHtml(name)}</span></figcaption>
${panel(scene, outcomes[id], frame, `${title}, ${short}`)}
${said.length === 0 ? '' : `<ul class="said">${said.map(claimLine).join('')}</ul>`}</figure>`
  })
  return `<section><h2>${escapeHtml(title)}</h2><p class="note">${escapeHtml(sentence)}</p><div class="panels">${panels.join('\n')}</div></section>`
}

function claimLine(stated: PanelClaim): string {
  const { claim, found, why } = stated
  return `<li>${tagOf(stated)}${escapeHtml(claim)}.<span class="soft"><b>Found:</b> ${escapeHtml(found)}. ${escapeHtml(why)}</span></li>`
}

/** Where the worst was measured. */
const sceneNames: Readonly<Record<string, string>> = {
  '1': 'figure 1',
  '1-landing': 'figure 1, coming down',
  '11': 'figure 11',
  '11-congruent': 'two of one size',
  '12': 'figure 12',
  '12-pushed': 'figure 12, under a force',
}

function tableSection(table: readonly TableRow[]): string {
  const rows = table.map(({ attribute, measure, cells }, k) => {
    const columns = cells.map(({ text, follows, paper, note, scene }) => {
      const mark = (tick: boolean) => (tick ? '<b class="tick">yes</b>' : '<b class="cross">no</b>')
      const words =
        note === ''
          ? ''
          : `<br><span class="${paper === null || follows === paper ? 'theirs' : 'differs'}">${escapeHtml(note)}</span>`
      return `<td class="left">${mark(follows)}: ${escapeHtml(text)}<br><span class="theirs">${paper === null ? 'ours' : `paper: ${paper ? 'yes' : 'no'}`}${follows ? '' : `; ${escapeHtml(sceneNames[scene])}`}</span>${words}</td>`
    })
    return `<th class="left">${k + 1}. ${escapeHtml(attribute)}<span class="measure">${escapeHtml(measure)}</span></th>${columns.join('')}`
  })
  return section(
    'Table 1, measured',
    `${tableCard(heads('attribute', ...columnNames), rows, 'table1')}
<p class="note">PEG by the paper’s own constraints, ours beside it. A yes or no is what follows from the figure beside it; the paper’s own stands below it.</p>`,
  )
}

function largeStepSection({ steps, orders }: PegReproduction['largeSteps']): string {
  const models = steps[0].ends.map(
    ({ model, passes }) => `<th>${escapeHtml(model)}<span class="unit">looks at the end: ${passes}</span></th>`,
  )
  const rows = steps.map(({ dt, gap, ends }) => {
    const cells = ends.map(({ depth, fallbacks }) => {
      const overlap = depth < 1e-8 ? 'none' : `${millimetre(depth)}, ${significant(depth / gap, 2)} gaps`
      return `<td>${escapeHtml(overlap)}${fallbacks > 0 ? '<span class="range">a fallback</span>' : ''}</td>`
    })
    return `<th>${1e3 * dt} ms</th><td>${escapeHtml(millimetre(gap))}</td>${cells.join('')}`
  })
  const words = orders.map((order) => significant(order, 3)).join(' and ')
  const worst = Math.max(...steps.flatMap(({ ends }) => ends.map(({ turning }) => turning)))
  return section(
    'What a large step does',
    `<p class="note">The triangles of figure 11 at other steps, the gap in proportion. To first order no gap is below 0 at the end; but by then bodies have turned, and overlap by what
first order leaves out. That goes with the square of the step: orders between neighbouring rows ${words}. With the geometry read anew at the end the true gaps hold, and
impulses still conserve angular momentum, ${worst < 1e-12 ? 'to rounding in every one of these steps' : `but for ${significant(100 * worst, 2)} % at worst`}.</p>
${tableCard(`<th>step</th><th>gap</th>${models.join('')}`, rows)}`,
  )
}

const percent = (part: number) => (part < 1e-6 ? 'none' : `${significant(100 * part, 2)} %`)

function scanSection(scans: readonly StepScan[]): string {
  const heading = scans[0].steps.map((dt) => `<th>${significant(1e3 * dt, 3)}<span class="unit">ms</span></th>`).join('')
  const tables = scans.map(({ scene, models: scanned }) => {
    const rows = scanned.map(({ model, depths, reasonable }) => {
      const upTo = reasonable === null ? 'at none' : `${significant(1e3 * reasonable, 3)} ms`
      return `<th class="left">${escapeHtml(models[model].short)}</th><td>${upTo}</td>${depths.map((part) => `<td>${percent(part)}</td>`).join('')}`
    })
    return `<p class="note">${escapeHtml(`${sceneNames[scene][0].toUpperCase()}${sceneNames[scene].slice(1)}`)}</p>
${tableCard(`<th class="left">model</th><th>prevented up to</th>${heading}`, rows)}`
  })
  return section(
    'Which steps are reasonable',
    `<p class="note">Row 2 of table 1 is of “reasonable time steps”. Both figures, with gaps and speeds as they are, watched for ${scans[0].seconds} s at other steps: the deepest overlap at
the end of any step, as a part of the way that free motion goes beyond the gap. Prevented: at most ${100 * prevented} %, at this step and all smaller ones.</p>
${tables.join('\n')}`,
  )
}

function stackSection(runs: readonly StackRun[], claims: readonly PanelClaim[]): string {
  const { count, size, gap, dt, seconds } = stackScene
  const rows = runs.map(
    ({ model, sunk, aside, failures, fallbacks }) =>
      `<th class="left">${escapeHtml(models[model].short)}</th><td>${millimetre(sunk)}</td><td>${millimetre(aside)}</td><td>${failures}</td><td>${fallbacks}</td>`,
  )
  return section(
    'A stack of identical polyhedra',
    `<p class="note">${count} cubes of ${size} m and 1 kg, flush with each other, each ${1e3 * gap} mm above the one below: after ${seconds} s at ${1e3 * dt} ms.</p>
<ul class="said">${claims
      .filter(({ scene }) => scene === 'stack')
      .map(claimLine)
      .join('')}</ul>
${tableCard('<th class="left">model</th><th>deepest below its place</th><th>farthest aside</th><th>failures</th><th>fallbacks</th>', rows)}`,
  )
}

function contactsSection({ scene, outcomes }: SceneResult): string {
  const tables = modelIds
    .filter((id) => outcomes[id].contacts.length > 0)
    .map((id) => contactsTable(models[id].short, outcomes[id]))
  return `<details class="card"><summary>${escapeHtml(scene.id)}: ${escapeHtml(scene.title)}</summary><div class="inside scroll">${tables.join('\n')}</div></details>`
}

/** Those that no constraint names and that did nothing are only counted. */
function contactsTable(title: string, { contacts, constraints }: Outcome): string {
  const names = (i: number) => `C${i + 1}`
  const shown = contacts
    .map((contact, i) => ({ contact, i }))
    .filter(({ contact }) => contact.impulse > 0 || contact.constraints.length > 0)
  const length = (x: number | null) => (x === null ? '' : escapeHtml(millimetre(x)))
  const row = ({ contact, i }: { contact: StepContact; i: number }) =>
    `<tr><td class="left">${names(i)}</td><td class="left">${escapeHtml(contact.what)}</td><td>${length(contact.gapStart)}</td><td>${length(contact.gapLinear)}</td><td>${length(contact.gapEnd)}</td>` +
    `<td>${contact.impulse === 0 ? '' : significant(contact.impulse, 4)}</td><td>${contact.impulse === 0 ? '' : escapeHtml(millimetre(contact.offSurface))}</td><td class="left">${contact.role}</td><td class="left">${escapeHtml(contact.constraints.join(' '))}</td></tr>`
  const several = constraints.filter(({ kind }) => kind !== 'unilateral')
  const members = several.map(
    ({ name, members }) =>
      `${name}: ${members.map((m) => `${m.contacts.map(names).join(' with ')}${m.mayPush ? '' : '′'}`).join(', ')}`,
  )
  const rest = contacts.length - shown.length
  return `<table class="contacts"><caption>${escapeHtml(title)}${rest > 0 ? `; ${rest} more listed contacts take no part` : ''}</caption>
<thead><tr><th class="left"></th><th class="left">what meets</th><th>gap at the start</th><th>at the end, first order</th><th>truly</th><th>impulse<span class="unit">N s</span></th><th>off the surface</th><th class="left">role</th><th class="left">constraints</th></tr></thead>
<tbody>${shown.map(row).join('')}</tbody></table>${members.length === 0 ? '' : `<p class="note">${escapeHtml(members.join('; '))}.${members.some((text) => text.includes('′')) ? ' A prime: may not push.' : ''}</p>`}`
}

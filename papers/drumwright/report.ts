import { chart, type Line, linearRange, logRange, wide } from '../../compare/picture/chart.ts'
import { escapeHtml } from '../../compare/report/html.ts'
import { type Claim, heads, page, section, tableCard, tagOf } from '../page.ts'
import type { Figure, Reproduction } from './experiments.ts'
import { choicesFor } from './paper.ts'

/** Claims one below the other where a page is too narrow for a table of five columns. */
const ownStyle = `
.claims .wrap { min-width: 14ch; } .who { display: none; } .key > span { display: inline-block; margin-right: 14px; } .charts + .note { margin-top: 10px; }
@media (max-width: 640px) {
  .claims thead { display: none; } .claims tr { display: block; padding: 10px 0; border-bottom: 1px solid var(--line); } .claims tbody tr:last-child { border-bottom: 0; }
  .claims td { display: block; border-bottom: 0; padding: 2px 0; } .claims td:nth-child(-n+2) { display: inline-block; margin-right: 8px; } .claims td:first-child { font-weight: 600; }
  .who { display: inline; font-weight: 600; } .who::after { content: ": "; }
}`

/** Smallest value that a logarithmic axis shows: rest is 0, or rounding. */
const logFloor = 1e-12

/**
 * One self-contained page: each claim of the paper beside what was measured, the figures redrawn, and every choice that the paper
 * leaves to its reader.
 *
 * @param command what makes it again
 */
export function reportOfDrumwright({ claims, figures, blocks, pile, robots }: Reproduction, command: string): string {
  const seeds = new Set(blocks.map(({ seed }) => seed)).size
  const blockHeads = `${heads('experiment', 'method')}<th>mass<span class="unit">kg</span></th><th>seed</th><th>kinetic energy, median<span class="unit">J</span></th>
<th>mean depth<span class="unit">m</span></th><th>depth at the end<span class="unit">m</span></th>${heads('hash')}`
  const blockRows = blocks.map(
    (b) =>
      `<td class="left">${b.experiment}</td><td class="left">${b.method}</td><td>${b.mass}</td><td>${b.seed}</td><td>${b.medianKinetic.toExponential(2)}</td>` +
      `<td>${b.meanDepth.toExponential(2)}</td><td>${b.lastDepth.toExponential(2)}</td><td class="left">${b.hash}</td>`,
  )
  const robotTexts = robots.map(
    (r) =>
      `${r.robot} under ${r.model}: ${Math.round(r.stepsPerSecond)} steps a second, ${r.contacts} contacts, ${r.pointsPerBody} on one body at most, ${r.failures} failures, hash ${r.hash}.`,
  )
  return page({
    title: 'Drumwright (2008) reproduced',
    heading: 'A Fast and Stable Penalty Method, run again',
    intro: `<p class="soft">The experiments of E. Drumwright, <i>A Fast and Stable Penalty Method for Rigid Body Simulation</i> (2008), section IV,
over ${seeds} seeds, with the gains that the paper states. ${escapeHtml(countsOf(claims))}</p>`,
    style: ownStyle,
    sections: [
      section(
        'What the paper says, and what was found',
        `${tableCard(heads('where', 'judgement', 'quantity', 'paper', 'here, and why'), claims.map(rowOf), 'claims')}
<p class="note"><b>Order reproduced</b>: what the paper has as larger is larger here too, by other numbers. <b>Cannot follow</b>: the printed number
contradicts the gains or the mass that are printed with it, so no program could meet both. <b>Not reproduced</b>: it could have come out, and did not.</p>`,
      ),
      section(
        'Figures',
        `<div class="charts two">${figures.map(figureOf).join('')}</div>
<p class="note">Of the block, seed 1. Where a curve was thinned, the largest of the values left out is shown.</p>`,
      ),
      section(
        'All runs of the block',
        `${tableCard(blockHeads, blockRows)}
<p class="note">Pile: ${pile.bodies} bodies, ${Math.round(pile.mass)} kg, steps of ${pile.dt * 1e3} ms, ${pile.fallbacks} fallbacks,
${(pile.stepTime * 1e3).toFixed(2)} ms of computing a step, hash ${pile.hash}.
${robotTexts.join(' ')}</p>`,
      ),
    ],
    choices: choicesFor(pile.bodies),
    command,
  })
}

function countsOf(claims: readonly Claim[]): string {
  const count = (judgement: Claim['judgement']) => claims.filter((f) => f.judgement === judgement).length
  return (
    `Of ${claims.length} figures and claims ${count('reproduced')} are reproduced, ${count('order reproduced')} in their order but not in their numbers; ` +
    `${count('cannot follow')} cannot follow from what the paper states, for the reasons given; ${count('not reproduced')} did not come out.`
  )
}

function rowOf(found: Claim): string {
  const { where, claim, paper = '', found: ours, why } = found
  return (
    `<td class="left">${escapeHtml(where)}</td><td class="left">${tagOf(found)}</td>` +
    `<td class="left wrap">${escapeHtml(claim)}</td><td class="left wrap"><span class="who">paper</span>${escapeHtml(paper)}</td>` +
    `<td class="left wrap"><span class="who">here</span>${escapeHtml(ours)}<br><span class="soft">${escapeHtml(why)}</span></td>`
  )
}

function figureOf({ id, title, x, y, logarithmic, curves }: Figure): string {
  const lines = curves.map(
    (curve, k): Line => ({
      id: curve.name,
      x: curve.x,
      y: curve.y,
      color: `var(--c${k})`,
      dash: '',
    }),
  )
  const values = curves.map((curve) => curve.y)
  const svg = chart({
    id: `figure-${id}`,
    title,
    size: wide,
    lines,
    x: { label: x, log: false, range: linearRange(curves.map((curve) => curve.x)) },
    y: { label: y, log: logarithmic, range: logarithmic ? logRange(values.flat(), logFloor) : linearRange(values) },
  })
  const legend = curves
    .map(
      (curve, k) =>
        `<span><svg class="swatch" viewBox="0 0 24 10"><line x1="0" x2="24" y1="5" y2="5" style="stroke:var(--c${k})"/></svg>${escapeHtml(curve.name)}</span>`,
    )
    .join(' ')
  return `<figure class="card"><figcaption>${escapeHtml(title)}</figcaption>${svg}<p class="key">${legend}</p></figure>`
}

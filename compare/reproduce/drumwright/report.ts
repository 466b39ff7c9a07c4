import { chart, type Line, linearRange, logRange, wide } from '../../report/chart.ts'
import { escapeHtml } from '../../report/html.ts'
import { style } from '../../report/style.ts'
import type { Figure, Finding, Reproduction } from './experiments.ts'
import { choicesFor } from './paper.ts'

/** Claims one below the other where a page is too narrow for a table of five columns. */
const ownStyle = `
.tag.open { border: 1px solid var(--soft); color: var(--soft); } .claims .wrap { min-width: 14ch; } .who { display: none; } .key > span { display: inline-block; margin-right: 14px; } .charts + .note { margin-top: 10px; }
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
export function reportOfDrumwright({ findings, figures, blocks, pile, robots }: Reproduction, command: string): string {
  const seeds = new Set(blocks.map(({ seed }) => seed)).size
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Drumwright (2008) reproduced</title>
<style>${style}${ownStyle}</style>
</head>
<body>
<main>
<header>
<p class="brand">Featherbed</p>
<h1>A Fast and Stable Penalty Method, run again</h1>
<p class="soft">The experiments of E. Drumwright, <i>A Fast and Stable Penalty Method for Rigid Body Simulation</i> (2008), section IV,
over ${seeds} seeds, with the gains that the paper states. ${escapeHtml(countsOf(findings))}</p>
</header>
<section>
<h2>What the paper says, and what was found</h2>
<div class="card scroll inside"><table class="claims">
<thead><tr><th class="left">where</th><th class="left">judgement</th><th class="left">quantity</th><th class="left">paper</th><th class="left">here, and why</th></tr></thead>
<tbody>${findings.map(rowOf).join('')}</tbody>
</table></div>
<p class="note"><b>Order reproduced</b>: what the paper has as larger is larger here too, by other numbers. <b>Cannot follow</b>: the printed number
contradicts the gains or the mass that are printed with it, so no program could meet both. <b>Not reproduced</b>: it could have come out, and did not.</p>
</section>
<section>
<h2>Figures</h2>
<div class="charts two">${figures.map(figureOf).join('')}</div>
<p class="note">Of the block, seed 1. Where a curve was thinned, the largest of the values left out is shown.</p>
</section>
<section>
<h2>All runs of the block</h2>
<div class="card scroll inside"><table>
<thead><tr><th class="left">experiment</th><th class="left">method</th><th>mass<span class="unit">kg</span></th><th>seed</th><th>kinetic energy, median<span class="unit">J</span></th>
<th>mean depth<span class="unit">m</span></th><th>depth at the end<span class="unit">m</span></th><th class="left">hash</th></tr></thead>
<tbody>${blocks
    .map(
      (b) =>
        `<tr><td class="left">${b.experiment}</td><td class="left">${b.method}</td><td>${b.mass}</td><td>${b.seed}</td><td>${b.medianKinetic.toExponential(2)}</td>` +
        `<td>${b.meanDepth.toExponential(2)}</td><td>${b.lastDepth.toExponential(2)}</td><td class="left">${b.hash}</td></tr>`,
    )
    .join('')}</tbody>
</table></div>
<p class="note">Pile: ${pile.bodies} bodies, ${Math.round(pile.mass)} kg, steps of ${pile.dt * 1e3} ms, ${pile.fallbacks} fallbacks,
${(pile.stepTime * 1e3).toFixed(2)} ms of computing a step, hash ${pile.hash}.
${robots.map((r) => `${r.robot} under ${r.model}: ${Math.round(r.stepsPerSecond)} steps a second, ${r.contacts} contacts, ${r.pointsPerBody} on one body at most, ${r.failures} failures, hash ${r.hash}.`).join(' ')}</p>
</section>
<section>
<h2>What the paper leaves open</h2>
<div class="card scroll inside"><table>
<thead><tr><th class="left">open or contradictory</th><th class="left">choice made here</th></tr></thead>
<tbody>${choicesFor(pile.bodies)
    .map(
      ({ what, choice }) =>
        `<tr><td class="left wrap">${escapeHtml(what)}</td><td class="left wrap">${escapeHtml(choice)}</td></tr>`,
    )
    .join('')}</tbody>
</table></div>
</section>
<section><h2>How to make it again</h2><p><code>${escapeHtml(command)}</code></p></section>
</main>
</body>
</html>
`
}

function countsOf(findings: readonly Finding[]): string {
  const count = (judgement: Finding['judgement']) => findings.filter((f) => f.judgement === judgement).length
  return (
    `Of ${findings.length} figures and claims ${count('reproduced')} are reproduced, ${count('order reproduced')} in their order but not in their numbers; ` +
    `${count('cannot follow')} cannot follow from what the paper states, for the reasons given; ${count('not reproduced')} did not come out.`
  )
}

const tags: Readonly<Record<Finding['judgement'], string>> = {
  reproduced: 'take',
  'order reproduced': 'fits',
  'cannot follow': 'open',
  'not reproduced': 'failed',
}

function rowOf({ where, quantity, paper, ours, judgement, why }: Finding): string {
  return (
    `<tr><td class="left">${escapeHtml(where)}</td><td class="left"><span class="tag ${tags[judgement]}">${judgement}</span></td>` +
    `<td class="left wrap">${escapeHtml(quantity)}</td><td class="left wrap"><span class="who">paper</span>${escapeHtml(paper)}</td>` +
    `<td class="left wrap"><span class="who">here</span>${escapeHtml(ours)}<br><span class="soft">${escapeHtml(why)}</span></td></tr>`
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

import { escapeHtml } from '../../compare/report/html.ts'
import { claimStyle, claimsSection, countsOf, figuresOf, heads, page, section, tableCard } from '../page.ts'
import type { Reproduction } from './experiments.ts'
import { choicesFor } from './paper.ts'

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
    style: claimStyle,
    sections: [
      claimsSection(claims),
      section(
        'Figures',
        `${figuresOf(figures)}
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

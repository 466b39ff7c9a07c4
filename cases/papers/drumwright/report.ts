import { escapeHtml } from '../../../compare/report/html.ts'
import { choicesOf, claimStyle, claimsSection, countsOf, figuresOf, heads, paperPage, section, tableCard } from '../page.ts'
import type { Reproduction } from './experiments.ts'
import { scanSection } from './gains.ts'
import type { PileRun } from './pile.ts'

/**
 * One self-contained page: each claim of the paper beside its measurement, the figures redrawn, and every choice that the paper
 * leaves to its reader.
 *
 * @param command reproduces it
 */
export function reportOfDrumwright(
  { claims, figures, blocks, scans, stacks, piles, robots }: Reproduction,
  command: string,
): string {
  const seeds = new Set(blocks.map(({ seed }) => seed)).size
  const blockHeads = `${heads('experiment', 'method')}<th>mass<span class="unit">kg</span></th><th>seed</th><th>kinetic energy, median<span class="unit">J</span></th>
<th>mean depth<span class="unit">m</span></th><th>depth at the end<span class="unit">m</span></th>${heads('hash')}`
  const blockRows = blocks.map(
    (b) =>
      `<td class="left">${b.experiment}</td><td class="left">${b.method}</td><td>${b.mass}</td><td>${b.seed}</td><td>${b.medianKinetic.toExponential(2)}</td>` +
      `<td>${b.meanDepth.toExponential(2)}</td><td>${b.lastDepth.toExponential(2)}</td><td class="left">${b.hash}</td>`,
  )
  const stackHeads = `${heads('gains', 'integral', 'load')}<th>boxes</th>${heads('outcome')}<th>after<span class="unit">s</span></th>
<th>kinetic energy<span class="unit">J/kg</span></th><th>depth<span class="unit">m</span></th>${heads('hash')}`
  const stackRows = stacks.runs.map(
    (s) =>
      `<td class="left">${s.gains}</td><td class="left">${s.integral ? 'yes' : 'no'}</td><td class="left">${s.load}</td><td>${s.boxes}</td><td class="left">${s.outcome}</td>` +
      `<td>${s.time.toFixed(2)}</td><td>${s.energy.toExponential(1)}</td><td>${s.depth.toFixed(4)}</td><td class="left">${s.hash}</td>`,
  )
  const robotHeads = `${heads('robot', 'method')}<th>contacts a wheel</th><th>contacts</th><th>steps</th><th>steps a second</th>
<th>multiply-adds counted a step</th><th>failures</th>${heads('hash')}`
  const robotRows = robots.map(
    (r) =>
      `<td class="left">${r.robot}</td><td class="left">${r.method}</td><td>${r.pointsPerWheel}</td><td>${r.contacts}</td><td>${r.steps}</td>` +
      `<td>${Math.round(r.stepsPerSecond)}</td><td>${Math.round(r.work)}</td><td>${r.failures}</td><td class="left">${r.hash}</td>`,
  )
  return paperPage({
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
      ...scans.map(scanSection),
      section(
        'All runs of the block',
        `${tableCard(blockHeads, blockRows)}
<p class="note">${piles.map(pileText).join(' ')}</p>`,
      ),
      section(
        'All stacks and robots',
        `${tableCard(stackHeads, stackRows)}
<p class="note">Cubes of 1 m and 10 kg, one of 10 t where the load says so; steps of 1 ms. Settled: 1e-4 J/kg at most for half a second when 4 s are over, and no box
10 cm to a side or half its size deep.</p>
${tableCard(robotHeads, robotRows)}
<p class="note">Times are of the processor; multiply-adds are those that solvers, matrices and detection count.</p>`,
      ),
    ],
    choices: choicesOf('drumwright', piles[0].bodies),
    command,
  })
}

const pileText = (p: PileRun) =>
  `Pile by ${p.gains === 'rule' ? 'the rule' : 'a stated stiffness'}: ${p.bodies} bodies, ${Math.round(p.mass)} kg, steps of ${p.dt * 1e3} ms, ${p.fallbacks} fallbacks, ` +
  `${(p.stepTime * 1e3).toFixed(2)} ms of computing a step, hash ${p.hash}.`

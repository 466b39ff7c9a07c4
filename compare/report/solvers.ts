/** Which solvers answered and which failed: each model's chain, each asked where those before it failed. */

import { milliseconds, significant } from '../measure/numbers.ts'
import { chainsOf, summedChain } from '../run/solverOutcomes.ts'
import { bound, swatch } from './format.ts'
import { escapeHtml, scrollBox } from './html.ts'
import type { Pair, Subject } from './subject.ts'

export function solversSection(subject: Subject): string {
  const chains = subject.pairs.flatMap((pair) => {
    const chain = summedChain(pair.runs.map(({ run }) => run.solvers ?? []))
    return chain.length === 0 ? [] : [{ pair, chain }]
  })
  if (chains.length === 0) return ''
  const rows = chains.flatMap(({ pair, chain }, i) => {
    const before = new Map(chainsOf(chain).flatMap((one) => one.map(({ name }, n) => [name, one[n - 1]?.name] as const)))
    return chain.map(({ name, solved, failed }, k) => {
      const isNext = k === 0 && i > 0 && chains[i - 1].pair.model !== pair.model
      const lead =
        k > 0
          ? ''
          : `<th class="left" scope="row" rowspan="${chain.length}">${swatch(pair.look)}${escapeHtml(pair.model)}</th><td rowspan="${chain.length}">${bound(milliseconds(pair.dt))}</td>`
      const after = before.get(name)
      const asked = after === undefined ? 'first' : `where ${escapeHtml(after)} failed`
      const trouble = failed > 0 ? ' class="missed"' : ''
      const counts =
        solved + failed === 0 ? '<td class="soft" colspan="2">not asked</td>' : `<td>${solved}</td><td${trouble}>${failed}</td>`
      return `<tr${isNext ? ' class="next"' : ''}>${lead}<td class="left">${escapeHtml(name)}</td><td class="left soft">${asked}</td>${counts}</tr>`
    })
  })
  const failed = chains.reduce((sum, { chain }) => sum + chain.reduce((n, one) => n + one.failed, 0), 0)
  const summary = failed === 0 ? 'every first solver answered' : 'some failed, and others were asked in their place'
  return `<details class="card"${failed > 0 ? ' open' : ''}><summary>Which solvers answered: ${summary}</summary>${scrollBox(`Solvers on ${subject.robot.robot}`, `<table class="plain"><thead><tr><th class="left" scope="col">model</th><th scope="col">step</th><th class="left" scope="col">solver</th><th class="left" scope="col">asked</th><th scope="col">solved</th><th scope="col">failed</th></tr></thead><tbody>${rows.join('')}</tbody></table>`)}${savedSteps(subject.pairs)}</details>`
}

/** The files of the problems that runs saved. */
function savedSteps(pairs: readonly Pair[]): string {
  const items = pairs.flatMap(({ model, dt, runs }) =>
    runs.flatMap(({ run }) =>
      (run.problems ?? []).map(({ step, t, reason, file }) => {
        const what = reason === 'failure' ? 'no solver answered' : 'the first answer of a fallback'
        const where =
          file === null ? 'not saved: there was no folder for results' : `<code>featherbed solve ${escapeHtml(file)}</code>`
        return `<li><b>${escapeHtml(model)} at ${bound(milliseconds(dt))}</b> step ${step}, t = ${bound(`${significant(t, 6)} s`)}: ${what}; ${where}</li>`
      }),
    ),
  )
  return items.length === 0 ? '' : `<div class="inside"><ul class="note">${items.join('')}</ul></div>`
}

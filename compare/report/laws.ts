/** Which runs kept the laws of mechanics and contact: a sentence a breach, and all checks as a table. */

import type { LawCheck } from '../measure/laws.ts'
import { isKept, lawDefinitions, lawSentence, shownValue } from '../measure/laws.ts'
import { counted, milliseconds } from '../measure/numbers.ts'
import { lawNames } from '../scenario/limits.ts'
import { bound, swatch, titled } from './format.ts'
import { escapeHtml, scrollBox } from './html.ts'
import type { Pair, Subject } from './subject.ts'

/** Breaches that are listed singly; the table has them all. */
const mostTold = 40

/** Of each law the check of the run that broke it most. */
function worstChecks({ runs }: Pair): LawCheck[] {
  const all = runs.flatMap(({ run }) => run.laws ?? [])
  return lawNames.flatMap((law) => {
    const own = all.filter((check) => check.law === law)
    return own.length === 0 ? [] : own.reduce((worst, check) => ((check.value ?? -1) > (worst.value ?? -1) ? check : worst))
  })
}

export function lawsSection({ pairs, robot }: Subject): string {
  const rows = pairs.map((pair) => ({ pair, checks: worstChecks(pair) })).filter(({ checks }) => checks.length > 0)
  if (rows.length === 0) return ''
  // a law that has no meaning for any run of this robot needs no column
  const laws = lawNames.filter((law) =>
    rows.some(({ checks }) => checks.some((check) => check.law === law && check.value !== null)),
  )
  const head = laws
    .map((law) => {
      const { label, text, formula, source } = lawDefinitions[law]
      const limit = rows.flatMap(({ checks }) => checks.filter((check) => check.law === law))[0]?.limit
      return `<th scope="col"${titled(`${text} ${formula}. ${source}.`)}>${label}<span class="unit">${limit === undefined ? '' : `\u2264 ${shownValue(law, limit)}`}</span></th>`
    })
    .join('')
  const body = rows
    .map(({ pair, checks }, i) => {
      const cells = laws.map((law) => cell(checks.find((check) => check.law === law))).join('')
      const isNext = i > 0 && rows[i - 1].pair.model !== pair.model
      return `<tr${isNext ? ' class="next"' : ''}><th class="left" scope="row">${swatch(pair.look)}${escapeHtml(pair.model)}</th><td>${bound(milliseconds(pair.dt))}</td>${cells}</tr>`
    })
    .join('')
  const breaches = rows.flatMap(({ pair, checks }) => {
    const broken = checks.filter((check) => !isKept(check))
    return broken.length === 0 ? [] : [{ pair, broken }]
  })
  const items = breaches
    .slice(0, mostTold)
    .map(
      ({ pair, broken }) =>
        `<li><b>${escapeHtml(pair.model)} at ${bound(milliseconds(pair.dt))}</b> ${escapeHtml(bound(broken.map(lawSentence).join('; ')))}</li>`,
    )
  const told = items.length === 0 ? '' : `<ul class="failures">${items.join('')}</ul>`
  const summary =
    breaches.length === 0
      ? '<span class="kept">every pair keeps every law</span>'
      : `<span class="missed">${counted(breaches.length, 'pair')} of ${rows.length} break${breaches.length === 1 ? 's' : ''} a law</span>`
  return `<details class="card laws"><summary>Laws of mechanics and contact: ${summary}</summary><div class="inside">${told}
${scrollBox(`Laws on ${robot.robot}`, `<table class="plain heat"><thead><tr><th class="left" scope="col">model</th><th scope="col">step</th>${head}</tr></thead><tbody>${body}</tbody></table>`)}
<p class="note">Red marks values beyond the limit, darker with distance. A dot marks a law kept by far, a dash one without meaning in this run. Point at a law for its formula and source.</p></div></details>`
}

function cell(check: LawCheck | undefined): string {
  if (check === undefined || check.value === null) return '<td class="soft">\u2013</td>'
  const { law, value, limit, detail } = check
  const text = bound(shownValue(law, value as number))
  // kept with a wide margin is kept
  if (isKept(check)) return (value as number) <= 0.02 * limit ? '<td class="soft">\u00b7</td>' : `<td>${text}</td>`
  // a shade a decade beyond the limit
  const decades = limit > 0 ? Math.log10((value as number) / limit) : 3
  const shade = Math.round(100 * Math.min(1, 0.22 + 0.2 * Math.max(0, decades)))
  return `<td class="broken" style="--heat:${shade}%"${titled(detail ?? '')}>${text}</td>`
}

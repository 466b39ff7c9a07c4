/** Which models say the same: the camps, and how far the motion of each is from that of each other, as a heat map. */
import { listed } from '../../dynamics/index.ts'
import { grouped } from '../measure/grouped.ts'
import { percent, significant } from '../measure/numbers.ts'
import { bound, titled } from './format.ts'
import { escapeHtml, scrollBox } from './html.ts'
import type { Subject, Truth } from './subject.ts'

const named = (names: readonly string[]) => escapeHtml(listed(names))

export function agreementSection(subject: Subject): string {
  const [truth] = subject.truths
  if (truth === undefined || truth.models.length < 2) return ''
  const { camps, parting, divergence } = truth
  const summary =
    camps.length === 0
      ? 'none has a say'
      : camps.length === 1
        ? `<span class="kept">${camps[0].models.length} say the same</span>`
        : `<span class="missed">${camps.length} camps</span>`
  const items = camps.map(({ models, kinds }) => `<li>${named(models)} <span class="soft">(${kinds.join(' and ')})</span></li>`)
  const partingWords =
    parting === null
      ? ''
      : `<p class="note">${escapeHtml(bound(`${parting.a} and ${parting.b} part at t = ${significant(parting.t, 3)} s; ${parting.quantity === 'energy' ? 'their energies' : `of the ${parting.quantity}, they`} are ${percent(parting.distance)} of its scale apart.`))}</p>`
  const diverges =
    divergence === null
      ? ''
      : `<p class="note">${bound(`From t = ${significant(divergence.t, 3)} s on the motion forgets its start: what differs there has grown ${significant(divergence.growth, 2)} times. Nothing later is judged.`)}</p>`
  const world = subject.truths.length > 1 ? '<p class="note">Of the first world; results.json has the others.</p>' : ''
  return `<details class="card"${camps.length > 1 ? ' open' : ''}><summary>Which models agree: ${summary}</summary><div class="inside">
${items.length > 0 ? `<ol class="camps">${items.join('')}</ol>` : ''}${partingWords}${diverges}${silent(truth)}
${scrollBox(`Distances between models on ${subject.robot.robot}`, heatMap(truth, subject.limits.tracking))}
<p class="note">Distance of the motions under two models, each at its finest step: the root mean square of the worst quantity over its scale. Red is beyond the limit of ${bound(percent(subject.limits.tracking))}, the darker the farther.</p>${world}</div></details>`
}

/** Models that abstain, those with one reason together. */
function silent({ abstaining }: Truth): string {
  if (abstaining.length === 0) return ''
  const reasons = [...grouped(abstaining, ({ why }) => why)]
  const items = reasons.map(([why, own]) => `<li><b>${named(own.map(({ model }) => model))}</b>: ${escapeHtml(bound(why))}</li>`)
  return `<p class="note">Without a say in what is right:</p><ul class="failures">${items.join('')}</ul>`
}

/** Rows and columns are ordered by camp, so that models that agree are adjacent. */
function heatMap({ models, motion, camps }: Truth, limit: number): string {
  const first = camps.flatMap((camp) => camp.models.map((name) => models.indexOf(name)))
  const order = [...first, ...models.map((_, i) => i).filter((i) => !first.includes(i))]
  const head = order.map((k) => `<th scope="col"><span>${escapeHtml(models[k])}</span></th>`).join('')
  const rows = order.map((i) => {
    const cells = order.map((k) => {
      if (i === k) return '<td class="self"></td>'
      const distance = motion[i][k]
      if (distance === null) return '<td class="soft">\u2013</td>'
      const decades = distance <= limit ? -1 : Math.log10(distance / limit)
      const shade = Math.round(100 * Math.min(1, 0.2 + 0.27 * decades))
      const style = decades < 0 ? '' : ` class="broken" style="--heat:${shade}%"`
      return `<td${style}${titled(`${models[i]} and ${models[k]}: ${percent(distance)}`)}>${bound(percent(Number(distance.toPrecision(2))))}</td>`
    })
    return `<tr><th class="left" scope="row">${escapeHtml(models[i])}</th>${cells.join('')}</tr>`
  })
  return `<table class="plain matrix"><thead><tr><td></td>${head}</tr></thead><tbody>${rows.join('')}</tbody></table>`
}

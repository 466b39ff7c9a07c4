/** Each model's parameters from the same physical inputs, and its unused inputs. */

import type { ReportedParameter } from '../../contact/index.ts'
import { listed } from '../../dynamics/index.ts'
import { milliseconds } from '../measure/numbers.ts'
import { bound, digits, swatch } from './format.ts'
import { escapeHtml, scrollBox } from './html.ts'
import type { Pair, Subject } from './subject.ts'

/** The physical inputs in the order of the report, with their units. */
const inputs: readonly { readonly name: string; readonly unit: string; readonly silent: string }[] = [
  { name: 'allowedPenetration', unit: 'm', silent: '' },
  { name: 'stiffness', unit: 'N/m', silent: 'not stated: from the weight and the allowed penetration' },
  { name: 'damping', unit: 'N s/m', silent: 'not stated: critical for the mass on the stiffness' },
  { name: 'friction', unit: '1', silent: '' },
  { name: 'restitution', unit: '1', silent: '' },
]

const value = (v: number | string) => (typeof v === 'number' ? digits(5)(v) : escapeHtml(v))
const unitOf = (unit: string) => (unit === '1' || unit === '' ? '' : ` <span class="soft">${escapeHtml(unit)}</span>`)

export function parametersSection(subject: Subject, stated: Readonly<Record<string, unknown>>): string {
  const { pairs, models } = subject
  const ofModel = models.flatMap((model) => {
    const own = pairs.filter((pair) => pair.model === model && pair.runs[0].run.parameters)
    return own.length > 0 ? [{ model, own }] : []
  })
  if (ofModel.length === 0) return ''
  const period = pairs.map(({ runs: [{ run }] }) => run.controllerPeriod_s).find((s) => s > 0)
  const ticks = period
    ? `<p class="note">The controller ran every ${bound(milliseconds(period))}, or every step where that is longer.</p>`
    : ''
  return `<details class="card nest"><summary>What each model was given and made of it</summary><div class="inside">
${inputTable(subject, ofModel, stated)}${ticks}
${ofModel.map((of) => modelBlock(subject, of)).join('\n')}</div></details>`
}

interface OfModel {
  readonly model: string
  readonly own: readonly Pair[]
}

const unusedOf = ({ own }: OfModel) => own[0].runs[0].run.parameters?.unused ?? []

function inputTable({ robot }: Subject, ofModel: readonly OfModel[], stated: Readonly<Record<string, unknown>>): string {
  const physical = ofModel[0].own[0].runs[0].run.physical
  const more = Object.keys(physical).filter((name) => !inputs.some((input) => input.name === name))
  const rows = [...inputs, ...more.map((name) => ({ name, unit: '', silent: '' }))].flatMap(({ name, unit, silent }) => {
    const given = Object.hasOwn(physical, name) && typeof physical[name] === 'number' ? physical[name] : undefined
    if (given === undefined && silent === '') return []
    const shown = given === undefined ? `<span class="soft">${silent}</span>` : `${value(given)}${unitOf(unit)}`
    const origin = given === undefined ? '' : Object.hasOwn(stated, name) && stated[name] !== undefined ? 'stated' : 'default'
    const cells = ofModel.map((of) => {
      // a model may name an input in words of its own: "restitution (the gains rule it out)"
      const idle = unusedOf(of).some((text) => text === name || text.startsWith(`${name} (`) || text.startsWith(`${name}:`))
      return idle ? '<td class="left idle">not used</td>' : '<td class="left">used</td>'
    })
    return [
      `<tr><th class="left" scope="row">${escapeHtml(name)}</th><td class="left wrap">${shown}</td><td class="left soft">${origin}</td>${cells.join('')}</tr>`,
    ]
  })
  const head = ofModel.map(({ model }) => `<th class="left" scope="col">${escapeHtml(model)}</th>`).join('')
  return `${scrollBox(`Physical inputs of ${robot.robot}`, `<table class="plain"><caption>Physical inputs, the same for all models</caption><thead><tr><th class="left" scope="col">input</th><th class="left" scope="col">value</th><th class="left" scope="col">from</th>${head}</tr></thead><tbody>${rows.join('')}</tbody></table>`, 'card')}`
}

/** Values that are the same at every step stand once. */
function modelBlock({ robot }: Subject, of: OfModel): string {
  const { model, own } = of
  const sets = own.map(({ runs: [{ run }] }) => run.parameters)
  const rowsOf = (kind: 'used' | 'derived', origin: string) => {
    const lists = sets.map((set) => set?.[kind] ?? [])
    const names = [...new Set(lists.flatMap((list) => list.map(({ name }) => name)))]
    return names.map((name) => {
      const each = lists.map((list) => list.find((parameter) => parameter.name === name))
      const some = each.find((parameter) => parameter !== undefined) as ReportedParameter & { readonly from?: string }
      const isOne = each.every((parameter) => parameter?.value === some.value)
      const cell = (parameter: ReportedParameter | undefined) =>
        parameter ? `${value(parameter.value)}${unitOf(parameter.unit)}` : '\u2013'
      const cells = isOne
        ? `<td${own.length > 1 ? ` colspan="${own.length}"` : ''}>${cell(some)}</td>`
        : each.map((parameter) => `<td>${cell(parameter)}</td>`).join('')
      const source = some.from ? `${origin}, from ${escapeHtml(some.from)}` : origin
      return `<tr><th class="left" scope="row">${escapeHtml(name)}</th>${cells}<td class="left soft">${source}</td><td class="left wrap">${escapeHtml(some.meaning)}</td></tr>`
    })
  }
  const rows = [...rowsOf('used', 'given or default'), ...rowsOf('derived', 'derived')]
  const unused = unusedOf(of)
  const idle = unused.length > 0 ? `Has no use for ${escapeHtml(listed(unused))}.` : 'Uses every physical input.'
  const steps = own.map(({ dt }) => `<th scope="col">${own.length > 1 ? `at ${bound(milliseconds(dt))}` : 'value'}</th>`).join('')
  return `<details class="card"><summary>${swatch({ color: own[0].look.color, dash: '' })}${escapeHtml(model)}: ${rows.length} parameters</summary>${scrollBox(`Parameters of ${model} on ${robot.robot}`, `<table class="plain"><thead><tr><th class="left" scope="col">parameter</th>${steps}<th class="left" scope="col">origin</th><th class="left" scope="col">meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>`)}<p class="note inside">${idle}</p></details>`
}

import { isKept, type LawCheck, lawDefinitions, lawSentence, shownValue } from '../../compare/measure/index.ts'
import { lawNames, penetrationLimit } from '../../compare/scenario/index.ts'
import type { Lane } from '../runs/lane.ts'
import './checks.css'

/** The checks that a snapshot's figures stand for. */
export function checksOf(values: Float64Array): LawCheck[] {
  return lawNames.map((law, i) => ({
    law,
    value: Number.isNaN(values[i]) ? null : values[i],
    limit: lawDefinitions[law].limit ?? penetrationLimit(),
  }))
}

/** The figures of a run until a step, as of the last snapshot that has any. */
export function lawsAt(lane: Lane, step: number): Float64Array | undefined {
  if (!lane.setup?.judged) return undefined
  for (let snapshot = lane.at(step); snapshot; snapshot = lane.history.before(snapshot.step))
    if (snapshot.laws) return snapshot.laws
  return undefined
}

/** Which laws a run has kept until the step that is shown: in short, and on demand one by one. */
export class GateCell {
  private readonly button = document.createElement('button')
  /** Below the run's own row. */
  readonly details: HTMLTableRowElement
  private readonly list = document.createElement('ul')
  private values: Float64Array | undefined

  constructor(cell: HTMLTableCellElement, details: HTMLTableRowElement, columns: number) {
    this.details = details
    cell.className = 'gates'
    this.button.type = 'button'
    this.button.hidden = true
    this.button.ariaExpanded = 'false'
    details.className = 'gate-list'
    details.hidden = true
    const host = details.insertCell()
    host.colSpan = columns
    host.append(this.list)
    this.button.onclick = () => {
      details.hidden = !details.hidden
      this.button.ariaExpanded = String(!details.hidden)
      this.write()
    }
    cell.append(this.button)
  }

  update(lane: Lane, step: number): void {
    const values = lawsAt(lane, step)
    if (values === this.values) return
    this.values = values
    this.button.hidden = values === undefined
    if (values === undefined) this.details.hidden = true
    else this.show(checksOf(values), lane)
  }

  private show(checks: readonly LawCheck[], { laws, fork }: Lane): void {
    const broken = checks.filter((check) => !isKept(check))
    const measured = checks.filter(({ value }) => value !== null).length
    const [first] = broken
    const more = broken.length > 1 ? ` +${broken.length - 1}` : ''
    const text = first ? `broken: ${inShort(first)}${more}` : `${measured} kept`
    if (this.button.textContent !== text) this.button.textContent = text
    this.button.classList.toggle('broken', first !== undefined)
    // where and when is known of the end of the record, and holds as long as the figure is the same
    const told = broken.map((check) =>
      lawSentence(laws.find(({ law, value }) => law === check.law && value === check.value) ?? check),
    )
    this.button.title = [
      told.length > 0 ? told.join('\n') : `keeps the ${measured} laws that there is something to measure of`,
      fork ? `since t = ${fork.t.toFixed(3)} s` : '',
      'motion and energy errors need other runs: featherbed compare',
    ]
      .filter((line) => line !== '')
      .join('\n')
    if (!this.details.hidden) this.write()
  }

  private write(): void {
    if (this.details.hidden || this.values === undefined) return
    this.list.replaceChildren(
      ...checksOf(this.values).map((check) => {
        const item = document.createElement('li')
        item.className = check.value === null ? 'idle' : isKept(check) ? 'kept' : 'broken'
        item.title = `${lawDefinitions[check.law].text}\n${lawDefinitions[check.law].formula}`
        const mark = check.value === null ? 'nothing to measure: ' : isKept(check) ? '' : 'broken: '
        const limit = check.value === null ? '' : ` of ${shownValue(check.law, check.limit)}`
        item.textContent = `${mark}${inShort(check)}${limit}`
        return item
      }),
    )
  }
}

/** Less is rounding. */
const SMALLEST = 1e-9

const inShort = ({ law, value }: LawCheck) =>
  value === null ? lawDefinitions[law].label : `${lawDefinitions[law].label} ${shownValue(law, value < SMALLEST ? 0 : value)}`

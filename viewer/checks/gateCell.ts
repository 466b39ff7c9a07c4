import { isKept, type LawCheck, lawDefinitions, lawSentence, shownValue } from '../../compare/measure/index.ts'
import type { Lane } from '../runs/lane.ts'
import type { Snapshot } from '../runs/protocol.ts'
import { checksOf, judgedAt } from './lasting.ts'
import './checks.css'

/** Which laws a run has kept until the step that is shown: in short, and on demand one by one. */
export class GateCell {
  private readonly button = document.createElement('button')
  /** Below the run's own row. */
  readonly details: HTMLTableRowElement
  private readonly list = document.createElement('ul')
  private judged: Snapshot | undefined
  /** The first law that the run has broken, with its figure; '' for none. */
  broken = ''

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
    const judged = judgedAt(lane, step)
    if (judged === this.judged) return
    this.judged = judged
    this.button.hidden = judged === undefined
    this.broken = ''
    if (judged === undefined) this.details.hidden = true
    else this.show(this.checks(), lane)
  }

  /** Present figures, and of laws that were broken before their worst. */
  private checks(): (LawCheck & { readonly worst: LawCheck | undefined })[] {
    const { laws, worst } = this.judged ?? {}
    if (laws === undefined) return []
    const before = checksOf(worst ?? laws)
    return checksOf(laws).map((check, i) => ({ ...check, worst: isKept(before[i]) ? undefined : before[i] }))
  }

  private show(checks: ReturnType<GateCell['checks']>, { laws, fork }: Lane): void {
    const broken = checks.filter((check) => !isKept(check))
    const earlier = checks.flatMap((check) => (isKept(check) && check.worst ? [check.worst] : []))
    const measured = checks.filter(({ value }) => value !== null).length
    const [first] = broken
    const more = broken.length > 1 ? ` +${broken.length - 1}` : ''
    this.broken = first ? inShort(first) : ''
    const kept = earlier.length === 0 ? `${measured} kept` : `${measured - earlier.length} kept, ${earlier.length} broken before`
    const text = first ? `broken: ${this.broken}${more}` : kept
    if (this.button.textContent !== text) this.button.textContent = text
    this.button.classList.toggle('broken', first !== undefined)
    // where and when is known of the end of the record, and holds as long as the figure is the same
    const told = [...broken, ...earlier].map((check) =>
      lawSentence(laws.find(({ law, value }) => law === check.law && value === check.value) ?? check),
    )
    this.button.title = [
      told.length > 0 ? told.join('\n') : `keeps all ${measured} laws that apply`,
      earlier.length > 0 ? 'a share that was above its limit falls as the run goes on' : '',
      fork ? `since t = ${fork.t.toFixed(3)} s` : '',
      'motion and energy errors need other runs: featherbed compare',
    ]
      .filter((line) => line !== '')
      .join('\n')
    if (!this.details.hidden) this.write()
  }

  private write(): void {
    if (this.details.hidden) return
    this.list.replaceChildren(
      ...this.checks().map(({ worst, ...check }) => {
        const item = document.createElement('li')
        item.className = check.value === null ? 'idle' : isKept(check) ? 'kept' : 'broken'
        item.title = `${lawDefinitions[check.law].text}\n${lawDefinitions[check.law].formula}`
        const mark = check.value === null ? 'nothing to measure: ' : isKept(check) ? '' : 'broken: '
        const limit = check.value === null ? '' : ` of ${shownValue(check.law, check.limit)}`
        const before = worst && isKept(check) ? `, broken before: ${shownValue(worst.law, worst.value ?? 0)}` : ''
        item.textContent = `${mark}${inShort(check)}${limit}${before}`
        return item
      }),
    )
  }
}

/** Less is rounding. */
const SMALLEST = 1e-9

const inShort = ({ law, value }: LawCheck) =>
  value === null ? lawDefinitions[law].label : `${lawDefinitions[law].label} ${shownValue(law, value < SMALLEST ? 0 : value)}`

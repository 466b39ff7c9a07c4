import type { FeatureCounts, FeatureMoment } from '../../contact/index.ts'
import type { Lane } from '../runs/lane.ts'

const rows: readonly { readonly label: string; readonly title: string; readonly of: (counts: FeatureCounts) => number }[] = [
  { label: 'contacts', title: 'pairs of features that may touch within the step', of: ({ contacts }) => contacts },
  { label: '· active', title: 'contacts that were to stay apart', of: ({ active }) => active },
  { label: '· pushing', title: 'active contacts with an impulse', of: ({ pushing }) => pushing },
  { label: 'constraints U', title: 'of one contact, which stays apart', of: ({ unilateral }) => unilateral },
  { label: 'constraints I', title: 'of several members, one of which stays apart and may push', of: ({ inter }) => inter },
  { label: 'constraints X', title: 'of several members, one of which stays apart; none pushes for it', of: ({ cross }) => cross },
  { label: 'members', title: 'contacts that stay apart together, in all constraints', of: ({ disjuncts }) => disjuncts },
  { label: '· active', title: 'members with an active contact', of: ({ activeDisjuncts }) => activeDisjuncts },
]

/** How many feature contacts, constraints and members each run has at the step shown; or why there are none. */
export class FeatureCountsTable {
  readonly element = document.createElement('div')
  private readonly note = document.createElement('p')
  private readonly table = document.createElement('table')
  private models = ''

  constructor() {
    this.element.id = 'feature-counts'
    this.table.ariaLabel = 'Feature contacts at the step shown'
    this.note.id = 'feature-note'
    this.element.append(this.note, this.table)
  }

  /** @returns whether there is anything to be shown */
  update(lanes: readonly Lane[], isOn: boolean, moments: readonly (FeatureMoment | undefined)[]): boolean {
    const isKnown = lanes.length > 0 && lanes.every(({ readsFeatures, failure }) => readsFeatures !== undefined || failure)
    const isThere = lanes.some(({ readsFeatures }) => readsFeatures)
    this.note.hidden = !isKnown || isThere
    write(
      this.note,
      `${lanes.length > 1 ? 'None of these models reads' : 'This model does not read'} features. Choose one that does, such as peg.`,
    )
    this.table.hidden = !isOn || !isThere
    if (!this.table.hidden) this.fill(lanes, moments)
    return isThere
  }

  private fill(lanes: readonly Lane[], moments: readonly (FeatureMoment | undefined)[]): void {
    const models = lanes.map(({ contactModel }) => contactModel).join()
    if (models !== this.models) this.build(lanes)
    this.models = models
    rows.forEach(({ of }, r) => {
      lanes.forEach(({ readsFeatures }, i) => {
        const moment = moments[i]
        write(this.table.rows[r + 1].cells[i + 1], readsFeatures && moment ? String(of(moment.counts)) : '–')
      })
    })
  }

  private build(lanes: readonly Lane[]): void {
    const head = document.createElement('tr')
    head.append(document.createElement('td'))
    for (const { contactModel, color } of lanes) {
      const cell = document.createElement('th')
      cell.scope = 'col'
      const swatch = document.createElement('span')
      swatch.className = 'swatch'
      swatch.style.background = color
      cell.append(swatch, contactModel)
      head.append(cell)
    }
    this.table.replaceChildren(head)
    for (const { label, title } of rows) {
      const row = this.table.insertRow()
      const cell = document.createElement('th')
      cell.scope = 'row'
      cell.textContent = label
      cell.title = title
      row.append(cell)
      for (const _ of lanes) row.insertCell()
    }
  }
}

function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text
}

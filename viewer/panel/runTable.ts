import { GateCell } from '../checks/gateCell.ts'
import { forkWords } from '../runs/fork.ts'
import type { Lane } from '../runs/lane.ts'
import type { Session } from '../runs/session.ts'

/** Of the table in index.html. */
const columns = 9

/** One row a run: its measures at the step shown. It is the legend of the colours too. */
export class RunTable {
  private readonly body: HTMLTableSectionElement
  private rows: {
    readonly lane: Lane
    readonly row: HTMLTableRowElement
    readonly role: Element
    readonly cells: HTMLTableCellElement[]
    readonly gates: GateCell
    readonly message: HTMLTableRowElement
  }[] = []

  constructor(body: HTMLTableSectionElement) {
    this.body = body
    const button = document.getElementById('columns') as HTMLElement
    button.onclick = () => {
      button.ariaExpanded = String(body.closest('table')?.classList.toggle('unfolded'))
    }
  }

  update(session: Session): void {
    if (this.rows.length !== session.lanes.length || this.rows.some(({ lane }, i) => lane !== session.lanes[i]))
      this.build(session)
    for (const { lane, row, role, cells, gates, message } of this.rows) {
      const shown = session.snapshot(lane)
      const { failure } = lane
      row.classList.toggle('failed', failure !== undefined)
      message.hidden = failure === undefined
      const origin = lane.fork ? forkWords(lane.fork, { dt: session.dt, friction: session.friction }) : ''
      const words = failure ? `stopped at t = ${failure.t.toFixed(3)} s` : origin
      if (role.textContent !== words) role.textContent = words
      if (failure) {
        if (message.cells[0].textContent !== failure.message) message.cells[0].textContent = failure.message
      }
      gates.update(lane, session.laneStep(lane))
      if (!shown) {
        for (const cell of cells) cell.textContent = '–'
        continue
      }
      const values = [
        ...(Number.isNaN(shown.force)
          ? ['–', '–', '–']
          : [formatDepth(shown.penetration), `${shown.force.toFixed(1)} N`, String(shown.contacts.length / 10)]),
        Number.isNaN(shown.stepTime) ? '–' : `${shown.stepTime.toFixed(1)} µs`,
        Number.isNaN(shown.stepTime) ? '–' : `${formatFactor((lane.dt * 1e6) / shown.stepTime)}×`,
        `${shown.solverFailures} / ${shown.fallbacks} / ${shown.tunnelled}`,
        shown.hash,
      ]
      values.forEach((value, i) => {
        if (cells[i].textContent !== value) cells[i].textContent = value
      })
    }
  }

  /** Of each run the first law that it has broken; '' for none. */
  get broken(): readonly string[] {
    return this.rows.map(({ gates }) => gates.broken)
  }

  private build(session: Session): void {
    this.body.replaceChildren()
    this.rows = session.lanes.map((lane) => {
      const row = this.body.insertRow()
      row.dataset.model = lane.contactModel
      const head = document.createElement('th')
      head.scope = 'row'
      const swatch = document.createElement('span')
      swatch.className = 'swatch'
      swatch.style.background = lane.color
      const role = document.createElement('span')
      role.className = 'role'
      head.append(swatch, lane.contactModel, role)
      if (lane.fork) head.append(removal(lane, () => session.remove(lane)))
      row.append(head)
      const gate = row.insertCell()
      const cells = Array.from({ length: 7 }, () => row.insertCell())
      cells[6].className = 'hash'
      const message = this.body.insertRow()
      message.className = 'message'
      message.hidden = true
      message.insertCell().colSpan = columns
      const gates = new GateCell(gate, this.body.insertRow(), columns)
      return { lane, row, role, cells, gates, message }
    })
  }
}

function removal(lane: Lane, remove: () => void): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'lane-remove'
  button.textContent = '×'
  button.title = 'Take this fork away'
  button.ariaLabel = `Take the fork under ${lane.contactModel} away`
  button.onclick = remove
  return button
}

/** In millimetres; a depth too small for the column says so. */
const formatDepth = (metres: number) => (metres > 0 && metres < 1e-6 ? '< 0.001 mm' : `${(metres * 1000).toFixed(3)} mm`)

const formatFactor = (factor: number) =>
  factor >= 100 ? factor.toFixed(0) : factor >= 10 ? factor.toFixed(1) : factor.toFixed(2)

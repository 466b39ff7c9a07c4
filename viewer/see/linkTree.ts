import type { Robot } from '../../robots/index.ts'
import { contactStride, type Snapshot } from '../protocol.ts'
import './see.css'

/** The links of a robot as a tree, one of which may be selected, and what is known of that. */
export class LinkTree {
  readonly element = document.createElement('details')
  /** Body that is selected; -1 for none. */
  selected = -1
  private readonly list = document.createElement('ul')
  private readonly facts = document.createElement('dl')
  private readonly items = new Map<number, HTMLElement>()
  private readonly changed: () => void
  private robot: Robot | undefined

  /** @param changed called when another link is selected */
  constructor(changed: () => void) {
    this.changed = changed
    this.element.id = 'links'
    const summary = document.createElement('summary')
    summary.textContent = 'Links'
    this.list.setAttribute('role', 'tree')
    this.list.setAttribute('aria-label', 'Links of the robot')
    this.facts.setAttribute('aria-live', 'polite')
    this.element.append(summary, this.list, this.facts)
    this.list.onkeydown = (event) => this.key(event)
  }

  setRobot(robot: Robot): void {
    this.robot = robot
    this.selected = -1
    this.items.clear()
    this.facts.replaceChildren()
    const { nb, parent, bodyName } = robot.model
    const childrenOf = (body: number) => Array.from({ length: nb - 1 }, (_, i) => i + 1).filter((i) => parent[i] === body)
    const branch = (body: number): HTMLElement => {
      const item = document.createElement('li')
      item.setAttribute('role', 'treeitem')
      item.setAttribute('aria-selected', 'false')
      item.tabIndex = -1
      const label = document.createElement('span')
      label.textContent = bodyName[body]
      label.onclick = (event) => {
        event.stopPropagation()
        this.select(body)
      }
      item.append(label)
      this.items.set(body, item)
      const children = childrenOf(body)
      if (children.length > 0) {
        item.setAttribute('aria-expanded', 'true')
        const group = document.createElement('ul')
        group.setAttribute('role', 'group')
        group.append(...children.map(branch))
        item.append(group)
      }
      return item
    }
    this.list.replaceChildren(...childrenOf(0).map(branch))
    const [first] = this.items.values()
    if (first) first.tabIndex = 0
  }

  /** @param body -1 for none */
  select(body: number): void {
    if (body === this.selected) body = -1
    this.items.get(this.selected)?.setAttribute('aria-selected', 'false')
    this.selected = body
    const item = this.items.get(body)
    if (item === undefined) this.facts.replaceChildren()
    else {
      for (const other of this.items.values()) other.tabIndex = -1
      item.tabIndex = 0
      item.setAttribute('aria-selected', 'true')
      if (this.element.open) {
        item.scrollIntoView({ block: 'nearest' })
        if (this.list.contains(document.activeElement)) item.focus()
      }
    }
    this.changed()
  }

  /** Arrow keys go through the tree, Home and End to its ends, Escape selects nothing. */
  private key(event: KeyboardEvent): void {
    const order = [...this.items.keys()]
    const now = order.indexOf(this.selected)
    const parent = this.robot?.model.parent[this.selected] ?? 0
    const to: Readonly<Record<string, number | undefined>> = {
      ArrowDown: order[Math.min(now + 1, order.length - 1)],
      ArrowUp: order[Math.max(now - 1, 0)],
      ArrowLeft: parent > 0 ? parent : undefined,
      ArrowRight: order.find((body) => this.robot?.model.parent[body] === this.selected),
      Home: order[0],
      End: order[order.length - 1],
      Escape: this.selected,
    }
    if (!Object.hasOwn(to, event.key)) return
    event.preventDefault()
    event.stopPropagation()
    const body = to[event.key]
    if (body === undefined || (body === this.selected && event.key !== 'Escape')) return
    this.select(body)
    this.items.get(this.selected)?.focus()
  }

  /** What is known of the selected link in a run. */
  update(snapshot: Snapshot | undefined): void {
    const { robot, selected } = this
    if (robot === undefined || selected < 1 || snapshot === undefined || !this.element.open) return
    const { model, joints } = robot
    const rows: [string, string][] = [['mass', `${round(model.I[selected][0])} kg`]]
    const joint = joints.find(({ body }) => body === selected)
    if (joint !== undefined) {
      const { name, type, qIndex, vIndex } = joint
      const [unit, effort] = type === 'prismatic' ? ['m', 'N'] : ['rad', 'N m']
      const [lower, upper, most] = [model.lower[vIndex], model.upper[vIndex], model.effortLimit[vIndex]]
      const range = lower > -Infinity || upper < Infinity ? ` of ${round(lower)} to ${round(upper)}` : ''
      rows.push(['joint', name], ['position', `${round(snapshot.q[qIndex])} ${unit}${range}`])
      rows.push(['velocity', `${round(snapshot.v[vIndex])} ${unit}/s`])
      rows.push(['effort', `${round(snapshot.tau[vIndex])} ${effort}${most < Infinity ? ` of ${round(most)}` : ''}`])
    }
    rows.push(['contact force', `${round(contactForce(snapshot, selected))} N`])
    this.facts.replaceChildren(
      ...rows.flatMap(([term, text]) => {
        const [dt, dd] = [document.createElement('dt'), document.createElement('dd')]
        dt.textContent = term
        dd.textContent = text
        return [dt, dd]
      }),
    )
  }
}

/** Magnitude of the sum of the contact forces on a body [N]. */
export function contactForce({ contacts, contactBodies }: Snapshot, body: number): number {
  const sum = [0, 0, 0]
  for (let c = 0; c * contactStride < contacts.length; c++) {
    const sign = contactBodies[2 * c + 1] === body ? 1 : contactBodies[2 * c] === body ? -1 : 0
    for (let k = 0; k < 3; k++) sum[k] += sign * contacts[c * contactStride + 6 + k]
  }
  return Math.hypot(...sum)
}

const round = (value: number) => (Number.isFinite(value) ? `${Number(value.toPrecision(3))}` : value > 0 ? '\u221e' : '-\u221e')

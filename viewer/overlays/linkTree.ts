import type { Robot } from '../../robots/index.ts'
import { forkWords } from '../runs/fork.ts'
import type { Lane } from '../runs/lane.ts'
import type { Snapshot } from '../runs/protocol.ts'
import { LinkFacts } from './linkFacts.ts'
import './overlays.css'

/** The links of a robot as a tree, one of which may be selected, and the facts of that. */
export class LinkTree {
  readonly element = document.createElement('details')
  /** Body that is selected; -1 for none. */
  selected = -1
  /** Where there are several runs, of which the figures are. */
  private readonly run = document.createElement('select')
  private lanes: readonly Lane[] = []
  private readonly list = document.createElement('ul')
  private readonly facts = new LinkFacts()
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
    this.run.onchange = changed
    const choice = document.createElement('label')
    choice.append('Figures of', this.run)
    this.element.append(summary, this.list, choice, this.facts.element)
    this.element.ontoggle = changed
    this.list.onkeydown = (event) => this.key(event)
  }

  setRobot(robot: Robot): void {
    this.robot = robot
    this.selected = -1
    this.items.clear()
    this.facts.show(robot, -1)
    const { nb, parent, bodyName } = robot.model
    const childrenOf = (body: number) => Array.from({ length: nb - 1 }, (_, i) => i + 1).filter((i) => parent[i] === body)
    const branch = (body: number): HTMLElement => {
      const item = document.createElement('li')
      item.setAttribute('role', 'treeitem')
      item.setAttribute('aria-selected', 'false')
      item.ariaLabel = bodyName[body]
      item.tabIndex = -1
      const label = document.createElement('span')
      label.textContent = bodyName[body]
      label.onclick = () => this.select(body === this.selected ? -1 : body)
      this.items.set(body, item)
      const children = childrenOf(body)
      if (children.length > 0) {
        // for the pointer; keys open and close by arrows
        const fold = document.createElement('button')
        Object.assign(fold, { type: 'button', tabIndex: -1, ariaHidden: 'true' })
        fold.onclick = () => this.fold(body, item.ariaExpanded === 'true')
        item.append(fold)
        item.ariaExpanded = 'true'
      }
      item.append(label)
      if (children.length > 0) {
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

  /** The runs of which figures may be shown. */
  setRuns(lanes: readonly Lane[]): void {
    if (lanes.length === this.lanes.length && lanes.every((lane, i) => lane === this.lanes[i])) return
    const before = this.lanes[this.run.selectedIndex]
    this.lanes = lanes
    this.run.replaceChildren(
      ...lanes.map(({ contactModel, fork, dt, setup }) => {
        const option = document.createElement('option')
        const words = fork && forkWords(fork, { dt, friction: setup?.physical.friction ?? fork.friction })
        option.textContent = words ? `${contactModel}, ${words}` : contactModel
        return option
      }),
    )
    this.run.selectedIndex = Math.max(0, lanes.indexOf(before))
    const choice = this.run.parentElement as HTMLElement
    choice.hidden = lanes.length < 2
  }

  /** @param body -1 for none @param run whose figures are to be shown; default as before */
  select(body: number, run = this.run.selectedIndex): void {
    this.run.selectedIndex = run
    this.items.get(this.selected)?.setAttribute('aria-selected', 'false')
    this.selected = body
    if (this.robot) this.facts.show(this.robot, body)
    const item = this.items.get(body)
    if (item && this.robot) {
      for (const other of this.items.values()) other.tabIndex = -1
      item.tabIndex = 0
      item.setAttribute('aria-selected', 'true')
      const { parent } = this.robot.model
      for (let above = parent[body]; above > 0; above = parent[above]) this.fold(above, false)
      if (this.element.open) {
        reveal(this.element.parentElement as HTMLElement, this.element)
        reveal(this.list, item.querySelector(':scope > span') as HTMLElement)
        if (this.list.contains(document.activeElement)) item.focus({ preventScroll: true })
      }
    }
    this.changed()
  }

  /** Facts of the selected link. @param snapshots of the runs */
  update(snapshots: readonly (Snapshot | undefined)[]): void {
    const snapshot = snapshots[Math.max(0, this.run.selectedIndex)]
    if (snapshot && this.element.open) this.facts.update(snapshot)
  }

  private fold(body: number, isFolded: boolean): undefined {
    const item = this.items.get(body)
    if (item?.hasAttribute('aria-expanded')) item.ariaExpanded = String(!isFolded)
  }

  /** As in any tree: up and down go through unfolded items, right and left unfold and fold or go to a child and the parent. */
  private key(event: KeyboardEvent): void {
    const { robot, selected } = this
    if (robot === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const { parent } = robot.model
    const order = [...this.items.keys()].filter((body) => {
      for (let above = parent[body]; above > 0; above = parent[above])
        if (this.items.get(above)?.ariaExpanded === 'false') return false
      return true
    })
    const now = order.indexOf(selected)
    const isUnfolded = this.items.get(selected)?.ariaExpanded
    const to: Readonly<Record<string, () => number | undefined>> = {
      ArrowDown: () => order[Math.min(now + 1, order.length - 1)],
      ArrowUp: () => order[Math.max(now - 1, 0)],
      ArrowLeft: () => (isUnfolded === 'true' ? this.fold(selected, true) : parent[selected] > 0 ? parent[selected] : undefined),
      ArrowRight: () => (isUnfolded === 'false' ? this.fold(selected, false) : order.find((body) => parent[body] === selected)),
      Home: () => order[0],
      End: () => order[order.length - 1],
      Escape: () => -1,
    }
    if (!Object.hasOwn(to, event.key)) return
    event.preventDefault()
    event.stopPropagation()
    const body = to[event.key]()
    if (body === undefined || body === selected) return
    this.select(body)
    this.items.get(body)?.focus({ preventScroll: true })
  }
}

/** Scrolls a box as far as it takes to see a part of it, from its beginning on; the surroundings stay. */
function reveal(box: HTMLElement, part: HTMLElement): void {
  const [around, own] = [box.getBoundingClientRect(), part.getBoundingClientRect()]
  const needed = (before: number, after: number) => (before < 0 ? before : after > 0 ? Math.min(after, before) : 0)
  box.scrollTop += needed(own.top - around.top, own.bottom - around.bottom)
  box.scrollLeft += needed(own.left - around.left, own.right - around.right)
}

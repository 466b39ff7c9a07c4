import { Vector3 } from 'three'
import type { Stage } from '../stage/stage.ts'
import type { Lane } from './lane.ts'
import './runs.css'
import { forkWords } from './fork.ts'

/** Of a line of labels [px]. */
const line = 21

/** Names of the runs over the picture: above robots that stand side by side, and in the corners of panes. */
export class LaneLabels {
  private readonly host = document.createElement('div')
  private readonly stage: Stage
  private lanes: readonly Lane[] = []
  /** Of the labels [px]. */
  private widest = 130
  private readonly at = new Vector3()

  constructor(view: HTMLElement, stage: Stage) {
    this.stage = stage
    this.host.id = 'lane-labels'
    this.host.ariaHidden = 'true' // the run table says the same
    view.append(this.host)
  }

  /** @param inPanes whether each has a pane; else `follow` puts them where they belong */
  show(lanes: readonly Lane[], inPanes: boolean): void {
    this.host.classList.toggle('panes', inPanes)
    // where robots stood side by side, one that was not seen hid its name
    if (inPanes) for (const label of this.host.children as unknown as HTMLElement[]) label.hidden = false
    if (lanes.length === this.lanes.length && lanes.every((lane, i) => lane === this.lanes[i])) return
    this.lanes = lanes
    this.host.replaceChildren(
      ...lanes.map(({ contactModel, color, fork, dt, setup }) => {
        const label = document.createElement('span')
        const swatch = document.createElement('i')
        swatch.className = 'swatch'
        swatch.style.background = color
        label.append(swatch, contactModel)
        if (fork) label.title = forkWords(fork, { dt, friction: setup?.physical.friction ?? fork.friction })
        return label
      }),
    )
  }

  /** Marks the runs that have broken a law. @param broken of each run its law and figure, '' for none */
  mark(broken: readonly string[]): void {
    broken.forEach((text, i) => {
      const label = this.host.children[i] as HTMLElement | undefined
      if (!label || label.dataset.broken === text) return
      label.dataset.broken = text
      this.widest = 0 // to be measured
    })
    if (this.widest === 0)
      this.widest = Math.max(...Array.from(this.host.children, (label) => (label as HTMLElement).offsetWidth), 100) + 8
  }

  /** In which cell of the grid of panes each is. */
  layOut({ columns, rows }: { readonly columns: number; readonly rows: number }): void {
    const { style } = this.host
    style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`
    style.gridTemplateRows = `repeat(${rows}, minmax(0, 1fr))`
  }

  /** @param places of the robots, in world axes; undefined for hidden ones. @param height how far above [m] */
  follow(places: readonly (Vector3 | undefined)[], height: number): void {
    const { clientWidth, clientHeight } = this.host
    const labels = this.host.children as unknown as HTMLElement[]
    // those of close neighbours are at different heights
    const close = Math.abs(this.across(places[0]) - this.across(places[1]))
    const levels = close > 0 ? Math.min(4, Math.ceil(this.widest / close)) : 1
    places.forEach((place, i) => {
      const label = labels[i]
      if (!label) return
      label.hidden = place === undefined
      if (place === undefined) return
      this.at.copy(place)
      this.at.z += height
      this.at.project(this.stage.camera)
      label.hidden = Math.abs(this.at.z) > 1
      const x = (0.5 + 0.5 * this.at.x) * clientWidth
      const y = Math.max(10, (0.5 - 0.5 * this.at.y) * clientHeight - (i % levels) * line)
      label.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -50%)`
    })
  }

  /** Where a point is from the left of the picture [px]; 0 if there is none. */
  private across(place: Vector3 | undefined): number {
    return place === undefined ? 0 : (0.5 + 0.5 * this.at.copy(place).project(this.stage.camera).x) * this.host.clientWidth
  }

  set isShown(shown: boolean) {
    this.host.hidden = !shown
  }
}

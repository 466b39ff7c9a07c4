import type { Vector3 } from 'three'
import type { Stage } from '../stage/stage.ts'

/** Words at a point of the stage. */
export interface PlacedNote {
  readonly at: Vector3
  readonly text: string
  /** Where the picture is split: of which pane, and how far its camera stands aside. */
  readonly pane?: number
  readonly shift?: Vector3
}

/** Height of a line of words, and the room beside a word [px]. */
const line = 14
const margin = 3

/** Words over the picture. One that would cover another is left out. */
export class Notes {
  private readonly canvas = document.createElement('canvas')
  private readonly stage: Stage
  private isEmpty = true

  constructor(view: HTMLElement, stage: Stage) {
    this.stage = stage
    this.canvas.className = 'see-notes'
    this.canvas.ariaHidden = 'true' // the tree of links says the same
    view.append(this.canvas)
  }

  draw(notes: readonly PlacedNote[]): void {
    if (notes.length === 0 && this.isEmpty) return
    this.isEmpty = notes.length === 0
    const { clientWidth, clientHeight } = this.canvas
    const ratio = Math.min(window.devicePixelRatio, 2)
    const context = this.canvas.getContext('2d')
    if (context === null) return
    const [width, height] = [Math.round(clientWidth * ratio), Math.round(clientHeight * ratio)]
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height })
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.clearRect(0, 0, clientWidth, clientHeight)
    const style = getComputedStyle(this.canvas)
    Object.assign(context, {
      font: `12px ${style.fontFamily}`,
      textBaseline: 'middle',
      textAlign: 'center',
      fillStyle: style.color,
      strokeStyle: style.getPropertyValue('--panel'),
      lineWidth: 3,
      lineJoin: 'round',
    })
    const taken: (readonly [left: number, top: number, right: number])[] = []
    for (const { at, text, pane, shift } of notes) {
      const place = this.stage.onCanvas(at, pane, shift)
      if (place === undefined) continue
      const [x, y] = place
      const half = context.measureText(text).width / 2 + margin
      if (taken.some(([left, top, right]) => x + half > left && x - half < right && Math.abs(y - top) < line)) continue
      taken.push([x - half, y, x + half])
      context.strokeText(text, x, y)
      context.fillText(text, x, y)
    }
  }
}

import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { Lane } from '../runs/lane.ts'
import { type Range, seriesOf, snapshotsIn } from './series.ts'
import { axisStyle, plainTicks, unbound, words } from './style.ts'
import type { Variable } from './variables.ts'

export interface ChartActions {
  /** Shows a time of the record [s]. */
  seek(t: number): void
  /** Sees less (factor < 1) or more of time, about one that stays where it is [s]. */
  zoom(factor: number, about: number): void
  seeAll(): void
  remove(): void
}

/** One variable over time, a line a run in its colour, with the stage's time as a cursor. */
export class Chart {
  readonly element = document.createElement('figure')
  readonly variable: Variable
  private readonly holder = document.createElement('div')
  private readonly legend = document.createElement('figcaption')
  private readonly actions: ChartActions
  private readonly height: number
  private plot: uPlot | undefined
  private lanes: readonly Lane[] = []
  private values: HTMLElement[] = []
  /** Key of the present plot. */
  private style = ''

  constructor(variable: Variable, height: number, actions: ChartActions) {
    this.variable = variable
    this.height = height
    this.actions = actions
    this.holder.className = 'plot'
    this.element.ariaLabel = `${variable.name} over time`
    this.element.append(this.legend, this.holder)
  }

  /** @param t the stage's time [s] */
  update(lanes: readonly Lane[], range: Range, t: number, now: (lane: Lane) => number): void {
    this.make(lanes)
    const { plot } = this
    if (plot === undefined) return
    const tables = lanes.map((lane) => seriesOf(snapshotsIn(lane, range), this.variable, 2 * this.holder.clientWidth))
    plot.batch(() => {
      plot.setData(lanes.length === 0 ? [[]] : uPlot.join(tables), false)
      plot.setScale('x', { min: range.from, max: Math.max(range.to, range.from + 1e-6) })
    })
    this.follow(t, now)
  }

  /** Moves the cursor alone. */
  follow(t: number, now: (lane: Lane) => number): void {
    const { plot, lanes, values, variable } = this
    if (plot === undefined) return
    plot.setCursor({ left: plot.valToPos(t, 'x'), top: 0 }, false)
    lanes.forEach((lane, i) => {
      const value = now(lane)
      const text = Number.isNaN(value) ? '–' : words(value, variable.unit)
      if (values[i].textContent !== text) values[i].textContent = text
    })
  }

  /** Contents, for tests: times and values of each line, and where its cursor is [s]. */
  shown(): { readonly data: readonly (readonly (number | null | undefined)[])[]; readonly cursor: number } {
    const { plot } = this
    return plot === undefined
      ? { data: [], cursor: Number.NaN }
      : { data: plot.data.map((column) => Array.from(column)), cursor: plot.posToVal(plot.cursor.left as number, 'x') }
  }

  destroy(): void {
    this.plot?.destroy()
    this.element.remove()
  }

  /** Anew where the runs, the theme or the width are others. */
  private make(lanes: readonly Lane[]): void {
    const { holder, height } = this
    const css = getComputedStyle(document.documentElement)
    const [text, line] = ['--quiet', '--line'].map((name) => css.getPropertyValue(name).trim())
    const style = [holder.clientWidth, text, ...lanes.map(({ color, contactModel }) => color + contactModel)].join()
    const isSame = style === this.style && lanes.every((lane, i) => lane === this.lanes[i])
    if (isSame || holder.clientWidth === 0) return
    this.style = style
    this.lanes = lanes
    this.plot?.destroy()
    const axis = axisStyle(text, line)
    this.plot = new uPlot(
      {
        width: holder.clientWidth,
        height,
        padding: [6, 12, 0, 0],
        legend: { show: false },
        scales: { x: { time: false, auto: false }, y: { range: yRange } },
        axes: [
          { ...axis, size: 20, gap: 2, values: (_, ticks) => ticks.map((t) => `${Number(t.toPrecision(6))}`) },
          { ...axis, size: 52, gap: 3, space: 22, ...plainTicks },
        ],
        cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false }, bind: unbound },
        series: [{}, ...lanes.map(({ color }) => ({ stroke: color, width: 1.5, spanGaps: true, points: { show: false } }))],
      },
      lanes.length === 0 ? [[]] : [[], ...lanes.map(() => [])],
      holder,
    )
    this.listen(this.plot)
    this.writeLegend()
  }

  private writeLegend(): void {
    const { variable, actions } = this
    const title = document.createElement('b')
    title.textContent = variable.unit === '' ? variable.name : `${variable.name} [${variable.unit}]`
    const close = document.createElement('button')
    close.type = 'button'
    close.textContent = '×'
    close.ariaLabel = `Take the plot of ${variable.name} away`
    close.onclick = actions.remove
    const items = this.lanes.map(({ color, contactModel }) => {
      const item = document.createElement('span')
      const swatch = document.createElement('i')
      swatch.className = 'swatch'
      swatch.style.background = color
      const value = document.createElement('output')
      item.title = contactModel
      item.append(swatch, value)
      return { item, value }
    })
    this.values = items.map(({ value }) => value)
    this.legend.replaceChildren(title, ...items.map(({ item }) => item), close)
  }

  /** Pointing at it moves time; the wheel sees less or more of it; a double click sees all. */
  private listen(plot: uPlot): void {
    const { over } = plot
    const at = (event: MouseEvent) => plot.posToVal(event.clientX - over.getBoundingClientRect().left, 'x')
    const seek = (event: PointerEvent) => {
      if (event.buttons & 1) this.actions.seek(at(event))
    }
    over.addEventListener('pointerdown', (event) => {
      over.setPointerCapture(event.pointerId)
      seek(event)
    })
    over.addEventListener('pointermove', seek)
    over.addEventListener('dblclick', () => this.actions.seeAll())
    over.addEventListener(
      'wheel',
      (event) => {
        event.preventDefault()
        this.actions.zoom(event.deltaY < 0 ? 0.8 : 1.25, at(event))
      },
      { passive: false },
    )
  }
}

/** All values and a little more; of a value that stays the same, a little to either side. */
function yRange(_: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1]
  const margin = 0.06 * (high - low) || 0.05 * Math.abs(high) || 1e-3
  return [low - margin, high + margin]
}

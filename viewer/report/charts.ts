import uPlot from 'uplot'
import { type PageSubject, type RunSeries, SERIES, type SeriesName, timeOf } from '../../compare/recording/replay/index.ts'
import { axisStyle, plainTicks, unbound, words } from '../plots/style.ts'
import { colorOf, type ShownRun, styleColor } from './runs.ts'

interface ChartKind {
  readonly key: SeriesName
  readonly title: string
  readonly unit: string
  /** From SI. */
  readonly scale: number
  /** Logarithmic; smaller values are drawn there. In the unit. */
  readonly floor?: number
  readonly limit?: (limits: PageSubject['limits']) => { readonly value: number; readonly words: string }
}

/** One quantity and one unit a chart. */
const kinds: readonly ChartKind[] = [
  {
    key: 'penetration',
    title: 'Penetration',
    unit: 'mm',
    scale: 1e3,
    floor: 1e-6,
    limit: ({ penetration }) => ({ value: 1e3 * penetration, words: 'limit' }),
  },
  {
    key: 'motion',
    title: 'Motion error',
    unit: '%',
    scale: 100,
    floor: 1e-4,
    limit: ({ tracking }) => ({ value: 100 * tracking, words: 'limit of its rms' }),
  },
  { key: 'energy', title: 'Mechanical energy, less its start', unit: 'J', scale: 1 },
  { key: 'force', title: 'Sum of normal contact forces', unit: 'N', scale: 1 },
]

const dashes: readonly (readonly number[])[] = [[], [6, 4], [2, 3], [10, 3, 2, 3], [12, 5], [1, 5]]

/** Runs whose lines coincide: one line, all names. */
interface Line {
  readonly runs: readonly ShownRun[]
  readonly y: (number | null)[]
}

interface Chart {
  readonly plot: uPlot
  readonly kind: ChartKind
  readonly lines: readonly Line[]
  readonly values: HTMLElement[]
}

/** All charts of a subject over time, with one cursor that is the replay's time. */
export class Charts {
  private readonly host: HTMLElement
  private readonly subject: PageSubject
  private readonly seek: (t: number) => void
  private readonly t: number[]
  private runs: readonly ShownRun[] = []
  private charts: Chart[] = []
  private time = 0

  /** @param seek called with the time that the reader points at [s] */
  constructor(host: HTMLElement, subject: PageSubject, seek: (t: number) => void) {
    this.host = host
    this.subject = subject
    this.seek = seek
    this.t = Array.from({ length: SERIES }, (_, i) => timeOf(i, subject.duration))
    let width = 0
    new ResizeObserver(() => {
      if (Math.abs(host.clientWidth - width) < 1) return
      width = host.clientWidth
      this.show(this.runs)
    }).observe(host)
  }

  show(runs: readonly ShownRun[]): void {
    this.runs = runs
    for (const { plot } of this.charts) plot.destroy()
    this.host.replaceChildren()
    if (this.host.clientWidth === 0) return
    this.charts = kinds.flatMap((kind) => {
      const lines = linesOf(runs, kind)
      return lines.length > 0 ? [this.chart(kind, lines)] : []
    })
    queueMicrotask(() => this.setTime(this.time)) // after uPlot has laid them out, which it puts off likewise
  }

  setTime(t: number): void {
    this.time = t
    const i = Math.round((t / this.subject.duration) * (SERIES - 1))
    for (const { plot, kind, lines, values } of this.charts) {
      plot.setCursor({ left: plot.valToPos(t, 'x'), top: 0 }, false)
      lines.forEach(({ y, runs }, l) => {
        const value = y[i]
        const broke = value === null && runs[0].run.failure !== null
        values[l].textContent = broke ? 'broke off' : value === null || value === undefined ? '\u2013' : words(value, kind.unit)
      })
    }
  }

  /** Where the cursors are [s], for tests. */
  cursors(): number[] {
    return this.charts.map(({ plot }) => plot.posToVal(plot.cursor.left as number, 'x'))
  }

  private chart(kind: ChartKind, lines: readonly Line[]): Chart {
    const { limits } = this.subject
    const figure = document.createElement('figure')
    const caption = document.createElement('figcaption')
    caption.textContent = `${kind.title} [${kind.unit}]`
    const legend = document.createElement('div')
    legend.className = 'values'
    const values = lines.map(({ runs }) => {
      const item = document.createElement('span')
      const value = document.createElement('b')
      item.append(swatch(runs[0]), `${runs.map(({ name }) => name).join(' = ')} `, value)
      legend.append(item)
      return value
    })
    const holder = document.createElement('div')
    holder.className = 'plot'
    figure.append(caption, holder, legend)
    this.host.append(figure)
    const limit = kind.limit?.(limits)
    const y = rangeOf(lines, kind, limit?.value, this.subject.scales)
    const drawn = kind.floor === undefined ? lines.map((line) => line.y) : lines.map((line) => raised(line.y, y[0]))
    const [soft, hair] = [styleColor('--soft'), styleColor('--hair')]
    const axis = axisStyle(soft, hair)
    const plot = new uPlot(
      {
        width: holder.clientWidth,
        height: 112,
        padding: [6, 14, 0, 0],
        legend: { show: false },
        scales: {
          x: { time: false, range: [0, this.subject.duration] },
          y: kind.floor === undefined ? { range: [...y] } : { distr: 3, range: [...y] },
        },
        axes: [
          { ...axis, size: 20, gap: 2, values: (_, ticks) => ticks.map((t) => `${t}`) },
          { ...axis, size: 46, gap: 3, space: 22, ...(kind.floor === undefined ? plainTicks : logTicks(y)) },
        ],
        cursor: { y: false, points: { size: 7 }, drag: { x: false, y: false }, bind: unbound },
        series: [
          {},
          ...lines.map(({ runs: [{ run }] }) => ({
            stroke: colorOf(run),
            width: 1.75,
            dash: [...dashes[run.dash % dashes.length]],
            points: { show: false },
          })),
        ],
        hooks: limit ? { drawAxes: [(u) => drawLimit(u, limit)] } : {},
      },
      [this.t, ...drawn],
      holder,
    )
    this.follow(plot)
    return { plot, kind, lines, values }
  }

  /** Pointing at a chart moves the time of all. */
  private follow({ over }: uPlot): void {
    over.style.touchAction = 'pan-y'
    const point = (event: PointerEvent) => {
      const { left, width } = over.getBoundingClientRect()
      this.seek(((event.clientX - left) / width) * this.subject.duration)
    }
    over.addEventListener('pointermove', point)
    over.addEventListener('pointerdown', point)
  }
}

function linesOf(runs: readonly ShownRun[], { key, scale, floor }: ChartKind): Line[] {
  const all = runs.flatMap((shown) => {
    const y = shown.series && toUnit(shown.series, key, scale)
    return y?.some((value) => value !== null) ? [{ shown, y }] : []
  })
  const known = all.flatMap(({ y }) => y.filter((value) => value !== null))
  const span = Math.max(...known) - Math.min(...known)
  const lines: { runs: ShownRun[]; y: (number | null)[] }[] = []
  for (const { shown, y } of all) {
    const same = lines.find((line) => coincide(line.y, y, span, floor))
    if (same) same.runs.push(shown)
    else lines.push({ runs: [shown], y })
  }
  return lines
}

const toUnit = (series: RunSeries, key: SeriesName, scale: number) =>
  Array.from(series[key], (value) => (Number.isFinite(value) ? value * scale : null))

/** Indistinguishable lines: within a hundredth of the chart, or of a decade. */
function coincide(a: readonly (number | null)[], b: readonly (number | null)[], span: number, floor?: number): boolean {
  return a.every((x, i) => {
    const y = b[i]
    if (x === null || y === null) return x === y
    if (floor === undefined) return Math.abs(x - y) <= 0.01 * span
    return Math.abs(Math.log10(Math.max(x, floor) / Math.max(y, floor))) <= 0.02
  })
}

/** A logarithmic axis of this many decades at most: anything smaller is left out. */
const MOST_DECADES = 6

/** Beyond so many times the scene's energy or weight a run has blown up, and must not flatten the others. */
const BLOWN_UP = 30

function rangeOf(lines: readonly Line[], { key, floor }: ChartKind, limit: number | undefined, scales: PageSubject['scales']) {
  const all = lines.flatMap(({ y }) => y.filter((value) => value !== null))
  if (floor !== undefined) {
    const positive = all.filter((value) => value > floor)
    const tops = lines.map(({ y }) => Math.max(...y.filter((value) => value !== null)))
    // of runs that blew up by decades the others still fill the chart
    const highest = Math.max(limit ?? floor, ...tops.filter((top) => top <= 1e4 * Math.max(limit ?? floor, Math.min(...tops))))
    const top = 10 ** Math.ceil(Math.log10(highest * 1.3))
    const least = Math.min(...positive, limit ?? top)
    return [Math.max(floor, top / 10 ** MOST_DECADES, 10 ** Math.floor(Math.log10(least))), top] as const
  }
  const scale = key === 'energy' ? scales.energy : scales.force
  const sound = scale > 0 ? all.filter((value) => Math.abs(value) <= BLOWN_UP * scale) : all
  const [low, high] = [Math.min(0, ...sound), Math.max(0, ...sound)]
  const margin = 0.06 * (high - low) || 1
  return [low < 0 ? low - margin : 0, high > 0 ? high + margin : 0] as const
}

const raised = (y: readonly (number | null)[], least: number) =>
  y.map((value) => (value === null ? null : Math.max(value, least)))

/**
 * Ticks of a logarithmic axis at powers of ten, with 2 and 5 times these where there are few. uPlot's own never end where an axis begins
 * a little below a power.
 */
function logTicks([low, high]: readonly [number, number]): Partial<uPlot.Axis> {
  const first = Math.floor(Math.log10(low))
  const powers = Array.from({ length: Math.max(1, Math.ceil(Math.log10(high)) - first + 1) }, (_, i) => Number(`1e${first + i}`))
  const inside = (ticks: readonly number[]) => ticks.filter((x) => x >= low * (1 - 1e-9) && x <= high * (1 + 1e-9))
  const decades = inside(powers)
  const stride = Math.ceil(decades.length / 4)
  const ticks =
    decades.length < 3
      ? inside(powers.flatMap((x) => [x, 2 * x, 5 * x]))
      : decades
          .toReversed()
          .filter((_, i) => i % stride === 0)
          .toReversed()
  return { splits: () => ticks, values: (_, values) => values.map((value) => words(value, '')), filter: (_, values) => values }
}

function drawLimit(plot: uPlot, { value, words: text }: { readonly value: number; readonly words: string }): void {
  const { ctx, bbox } = plot
  const y = plot.valToPos(value, 'y', true)
  if (y < bbox.top || y > bbox.top + bbox.height) return
  const ratio = devicePixelRatio
  ctx.save()
  ctx.strokeStyle = ctx.fillStyle = styleColor('--bad')
  ctx.lineWidth = ratio
  ctx.setLineDash([3 * ratio, 3 * ratio])
  ctx.beginPath()
  ctx.moveTo(bbox.left, y)
  ctx.lineTo(bbox.left + bbox.width, y)
  ctx.stroke()
  ctx.font = `${10.5 * ratio}px system-ui, sans-serif`
  ctx.textAlign = 'right'
  ctx.fillText(text, bbox.left + bbox.width - 2 * ratio, y - 3 * ratio)
  ctx.restore()
}

/** The line of a run as charts draw it. */
export function swatch({ run }: Pick<ShownRun, 'run'>): HTMLElement {
  const line = document.createElement('i')
  line.className = `line${run.dash > 0 ? ' dashed' : ''}`
  line.style.borderColor = colorOf(run)
  return line
}

import uPlot from 'uplot'
import type { PageRun, PageSubject } from '../../compare/recording/replay/index.ts'
import { words } from '../plots/style.ts'
import { logTicks } from './charts.ts'
import { colorOf, nameOf, styleColor } from './runs.ts'

interface Panel {
  readonly title: string
  readonly unit: string
  readonly read: (run: PageRun) => number | null
  readonly limit: number
}

const FLOOR = 1e-6

/** Error against cost: one line a model, one point a step size. */
export function showWorkPrecision(host: HTMLElement, { limits, runs }: PageSubject): void {
  const panels: Panel[] = [
    { title: 'Penetration', unit: 'mm', read: ({ errors }) => scaled(errors.penetration, 1e3), limit: 1e3 * limits.penetration },
    { title: 'Motion error', unit: '%', read: ({ errors }) => scaled(errors.tracking, 100), limit: 100 * limits.tracking },
    { title: 'Energy error', unit: '%', read: ({ errors }) => scaled(errors.energy, 100), limit: 100 * limits.energy },
  ]
  const timed = runs.filter(({ cost, failure }) => cost !== null && failure === null)
  if (timed.length === 0) return
  let width = 0
  const draw = () => {
    const drawers = panels.map((panel) => panelOf(panel, timed)).filter((panel) => panel !== undefined)
    host.replaceChildren(...drawers.map(({ figure }) => figure))
    for (const { plot } of drawers) plot()
  }
  new ResizeObserver(() => {
    if (Math.abs(host.clientWidth - width) < 1 || host.clientWidth === 0) return
    width = host.clientWidth
    draw()
  }).observe(host)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw)
}

const scaled = (x: number | null, by: number) => (x === null ? null : x * by)

/** A panel, and its plot function once it has its place in the page. */
function panelOf(
  { title, unit, read, limit }: Panel,
  runs: readonly PageRun[],
): { readonly figure: HTMLElement; readonly plot: () => void } | undefined {
  const points = runs.flatMap((run) => {
    const y = read(run)
    return y === null ? [] : [{ run, x: run.cost as number, y: Math.max(y, FLOOR) }]
  })
  if (points.length === 0) return undefined
  const figure = document.createElement('figure')
  const caption = document.createElement('figcaption')
  caption.textContent = `${title} [${unit}]`
  const holder = document.createElement('div')
  const note = document.createElement('div')
  note.className = 'values'
  note.textContent = 'Point at a mark to read it.'
  figure.append(caption, holder, note)
  return { figure, plot: () => plotOf(points, { title, unit, read, limit }, holder, note) }
}

interface Point {
  readonly run: PageRun
  readonly x: number
  readonly y: number
}

function plotOf(points: readonly Point[], { unit, limit }: Panel, holder: HTMLElement, note: HTMLElement): void {
  const models = [...new Set(points.map(({ run }) => run.model))]
  const tables = models.map((model): uPlot.AlignedData => {
    const own = points.filter(({ run }) => run.model === model).toSorted((a, b) => a.x - b.x)
    return [own.map(({ x }) => x), own.map(({ y }) => y)]
  })
  const range = (values: readonly number[]): [number, number] => [Math.min(...values) / 1.6, Math.max(...values) * 1.6]
  const xRange = range(points.map(({ x }) => x))
  const yRange = range([...points.map(({ y }) => y), limit])
  const [soft, hair] = [styleColor('--soft'), styleColor('--hair')]
  const axis = { stroke: soft, grid: { stroke: hair, width: 1 }, ticks: { show: false }, font: '11px system-ui, sans-serif' }
  const color = (model: string) => colorOf(points.find(({ run }) => run.model === model)?.run as PageRun)
  const plot = new uPlot(
    {
      width: holder.clientWidth,
      height: 250,
      padding: [8, 10, 0, 0],
      legend: { show: false },
      scales: { x: { time: false, distr: 3, range: xRange }, y: { distr: 3, range: yRange } },
      axes: [
        {
          ...axis,
          ...logTicks(xRange),
          size: 38,
          gap: 2,
          label: 'computing time per simulated second [s]',
          labelSize: 18,
          labelFont: axis.font,
        },
        { ...axis, ...logTicks(yRange, 8), size: 50, gap: 3 },
      ],
      cursor: { show: false },
      series: [
        {},
        ...models.map((model) => ({
          stroke: color(model),
          width: 1.5,
          spanGaps: true,
          points: { show: true, size: 7, fill: color(model) },
        })),
      ],
      hooks: { draw: [(u) => drawMarks(u, points, limit)] },
    },
    uPlot.join(tables),
    holder,
  )
  plot.over.addEventListener('pointermove', ({ offsetX, offsetY }) => {
    const distance = ({ x, y }: Point) => Math.hypot(plot.valToPos(x, 'x') - offsetX, plot.valToPos(y, 'y') - offsetY)
    const near = points.filter((point) => distance(point) < 14).toSorted((a, b) => distance(a) - distance(b))
    if (near.length === 0) return
    const [{ x, y, run: first }] = near
    note.textContent = `${near.map(({ run }) => nameOf(run)).join(' and ')}: ${words(y, unit)} for ${words(x, 's')} a simulated second${first.spread > 0 ? `, give or take ${words(100 * first.spread, '%')}` : ''}`
  })
}

/** The part within the limit shaded, and a ring around the verdict. */
function drawMarks(plot: uPlot, points: readonly Point[], limit: number): void {
  const { ctx, bbox } = plot
  const ratio = devicePixelRatio
  const top = Math.max(bbox.top, plot.valToPos(limit, 'y', true))
  ctx.save()
  ctx.fillStyle = styleColor('--good')
  ctx.globalAlpha = 0.07
  ctx.fillRect(bbox.left, top, bbox.width, Math.max(0, bbox.top + bbox.height - top))
  ctx.globalAlpha = 1
  // how far a cost may be off
  ctx.strokeStyle = styleColor('--faint')
  ctx.lineWidth = ratio
  for (const { run, x, y } of points) {
    const [from, to] = [x * (1 - run.spread), x * (1 + run.spread)].map((end) => plot.valToPos(end, 'x', true))
    const at = plot.valToPos(y, 'y', true)
    ctx.beginPath()
    ctx.moveTo(from, at)
    ctx.lineTo(to, at)
    ctx.stroke()
  }
  ctx.strokeStyle = styleColor('--good')
  ctx.lineWidth = 2 * ratio
  for (const { run, x, y } of points) {
    if (run.role !== 'verdict') continue
    ctx.beginPath()
    ctx.arc(plot.valToPos(x, 'x', true), plot.valToPos(y, 'y', true), 8 * ratio, 0, 7)
    ctx.stroke()
  }
  ctx.restore()
}

/** Charts as SVG text: scales, ticks, lines. Colours are CSS variables, so that the page decides between light and dark. */
import { escapeHtml } from './html.ts'

export interface Line {
  /** Which line it is. */
  readonly id: string
  readonly x: readonly number[]
  readonly y: readonly number[]
  /** CSS colour, stroke pattern, and marker for charts that have markers. */
  readonly color: string
  readonly dash: string
  readonly marker?: Marker
  /** For charts with markers: names of points. */
  readonly labels?: readonly string[]
  /** For charts with markers: half the size of each, in the units of the picture. Default 5. */
  readonly sizes?: readonly number[]
  /** Marks without a line, or rings around those of other lines. */
  readonly marks?: 'alone' | 'ring'
  /** Other ends of a band at the same x, which is drawn in place of the line. */
  readonly upper?: readonly number[]
  /** What lies to the left of the line is filled. */
  readonly area?: boolean
}

export const markers = ['circle', 'square', 'triangle', 'diamond', 'wedge', 'plus'] as const
export type Marker = (typeof markers)[number]

export interface Axis {
  readonly label: string
  readonly log: boolean
  /** Ends of the axis. */
  readonly range: readonly [number, number]
}

export interface ChartOptions {
  /** Unique in the page. */
  readonly id: string
  readonly x: Axis
  readonly y: Axis
  readonly lines: readonly Line[]
  readonly title: string
  readonly size: { readonly width: number; readonly height: number }
  /** Of y: the part up to it is shaded. */
  readonly limit?: number
}

/** In the units of the picture. */
const margins = { left: 62, right: 14, top: 12, bottom: 44 } as const
export const wide = { width: 540, height: 290 } as const

export type Scale = (value: number) => number

export function scaleOf({ log, range }: Pick<Axis, 'log' | 'range'>, from: number, to: number): Scale {
  const f = log ? Math.log10 : (x: number) => x
  const [low, high] = [f(range[0]), f(range[1])]
  return (value) => from + ((f(value) - low) / (high - low)) * (to - from)
}

/** 1, 2 and 5 times the decades, correctly rounded, which a power is not: from the one at or below `low` to the one at or above `high`. */
function roundValues(low: number, high: number): number[] {
  const out = []
  for (let k = Math.floor(Math.log10(low) - 1e-9); k <= Math.ceil(Math.log10(high) + 1e-9); k++) {
    for (const n of [1, 2, 5]) out.push(Number(`${n}e${k}`))
  }
  return out
}

/** Round values between the ends of an axis: a decade's powers, with 2 and 5 times these where there are few, or equal steps. */
export function ticksOf({ log, range: [low, high] }: Axis): number[] {
  if (log) {
    const inside = roundValues(low, high).filter((v) => v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9))
    const decades = inside.filter((v) => Number.isInteger(Math.round(1e6 * Math.log10(v)) / 1e6))
    if (decades.length < 3) return inside
    const stride = Math.ceil((decades.length - 1) / 6)
    return decades.filter((_, i) => i % stride === 0)
  }
  const rough = (high - low) / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5, 10].find((n) => n * power >= rough) ?? 10)
  const out = []
  for (let k = Math.ceil(low / step - 1e-9) + 0; k * step <= high + 1e-9 * step; k++) out.push(k * step)
  return out
}

export function tickLabel(value: number): string {
  if (value === 0) return '0'
  const size = Math.abs(value)
  if (size >= 1e5 || size < 1e-3) {
    const power = Math.floor(Math.log10(size) + 1e-9)
    const factor = Number((value / 10 ** power).toPrecision(3))
    const exponent = `<tspan dy="-0.45em" font-size="0.78em">${String(power).replace('-', '\u2212')}</tspan>`
    return `${factor === 1 ? '' : `${factor}\u00b7`}10${exponent}`
  }
  return String(Number(value.toPrecision(4))).replace('-', '\u2212')
}

/** An axis that holds all positive values, ending on 1, 2 or 5 times a decade with some air; for logarithms. */
export function logRange(values: readonly number[], floor: number): [number, number] {
  let [low, high] = [Infinity, -Infinity]
  for (const v of values) {
    if (!Number.isFinite(v) || v <= 0) continue
    low = Math.min(low, v)
    high = Math.max(high, v)
  }
  if (!(high > 0)) return [floor, floor * 10]
  low = Math.max(low, floor)
  high = Math.max(high, low)
  const ends = roundValues(low / 10, high * 10)
  const down = ends.findLast((v) => v <= low / 1.25) ?? low
  const up = ends.find((v) => v >= high * 1.25) ?? high
  return [Math.max(down, floor), up]
}

/** An axis that holds the lines, save those that leave the others behind by far: a diverging run must not flatten the rest. */
export function linearRange(lines: readonly (readonly number[])[]): [number, number] {
  const reach = lines.map((line) => line.reduce((most, v) => (Number.isFinite(v) ? Math.max(most, Math.abs(v)) : most), 0))
  const typical = reach.toSorted((a, b) => a - b)[Math.floor((reach.length - 1) / 2)] ?? 0
  let [low, high] = [0, 0]
  lines.forEach((line, i) => {
    if (typical > 0 && reach[i] > 20 * typical) return
    for (const v of line) {
      if (!Number.isFinite(v)) continue
      low = Math.min(low, v)
      high = Math.max(high, v)
    }
  })
  if (low === high) return [low - 1, high + 1]
  const margin = 0.05 * (high - low)
  return [low < 0 ? low - margin : 0, high > 0 ? high + margin : 0]
}

const short = (x: number) => String(Math.round(x * 10) / 10)

const arm = 0.36
const plusCorners: readonly (readonly number[])[] = [0, 1, 2, 3].flatMap((k) => {
  const turn = ([x, y]: readonly number[]) => [[x, y], [-y, x], [-x, -y], [y, -x]][k] // biome-ignore format: a quarter turn each
  return [[1, -arm], [1, arm], [arm, arm]].map(turn) // biome-ignore format: three corners
})

export function markerPath(marker: Marker, x: number, y: number, r: number): string {
  if (marker === 'circle') return `<circle cx="${short(x)}" cy="${short(y)}" r="${r}"/>`
  const points = {
    square: [[-r, -r], [r, -r], [r, r], [-r, r]], // biome-ignore format: four corners
    triangle: [[0, -r - 1], [r + 1, r], [-r - 1, r]], // biome-ignore format: three corners
    diamond: [[0, -r - 2], [r + 2, 0], [0, r + 2], [-r - 2, 0]], // biome-ignore format: four corners
    wedge: [[0, r + 1], [r + 1, -r], [-r - 1, -r]], // biome-ignore format: three corners
    plus: plusCorners.map(([dx, dy]) => [(r + 1) * dx, (r + 1) * dy]),
  }[marker]
  return `<polygon points="${points.map(([dx, dy]) => `${short(x + dx)},${short(y + dy)}`).join(' ')}"/>`
}

/** One chart. */
export function chart({ id, x, y, lines, title, size, limit }: ChartOptions): string {
  const { width, height } = size
  const { left, right, top, bottom } = margins
  const [x0, x1, y0, y1] = [left, width - right, height - bottom, top]
  const sx = scaleOf(x, x0, x1)
  const sy = scaleOf(y, y0, y1)
  const clip = `clip-${id}`
  const floor = (value: number) => (y.log ? Math.max(value, y.range[0]) : value)
  const parts: string[] = []
  parts.push(
    `<defs><clipPath id="${clip}"><rect x="${x0}" y="${y1 - 1}" width="${x1 - x0}" height="${y0 - y1 + 2}"/></clipPath></defs>`,
  )
  for (const tick of ticksOf(y)) {
    const at = short(sy(tick))
    parts.push(
      `<line class="grid" x1="${x0}" x2="${x1}" y1="${at}" y2="${at}"/><text class="tick" x="${x0 - 8}" y="${at}" dy="0.32em" text-anchor="end">${tickLabel(tick)}</text>`,
    )
  }
  for (const tick of ticksOf(x)) {
    const at = short(sx(tick))
    parts.push(
      `<line class="grid" x1="${at}" x2="${at}" y1="${y0}" y2="${y1}"/><text class="tick" x="${at}" y="${y0 + 17}" text-anchor="middle">${tickLabel(tick)}</text>`,
    )
  }
  const within = limit === undefined ? y0 : Math.min(y0, Math.max(y1, sy(floor(limit))))
  if (within < y0)
    parts.push(`<rect class="within" x="${x0}" y="${short(within)}" width="${x1 - x0}" height="${short(y0 - within)}"/>`)
  parts.push(`<line class="axis" x1="${x0}" x2="${x1}" y1="${y0}" y2="${y0}"/>`)
  parts.push(`<text class="label" x="${(x0 + x1) / 2}" y="${height - 6}" text-anchor="middle">${escapeHtml(x.label)}</text>`)
  parts.push(
    `<text class="label" transform="translate(13 ${(y0 + y1) / 2}) rotate(-90)" text-anchor="middle">${escapeHtml(y.label)}</text>`,
  )
  for (const line of lines) {
    if (line.upper) {
      parts.push(`<g data-run="${escapeHtml(line.id)}">${bandOf(line, line.upper, sx, sy, clip)}</g>`)
      continue
    }
    const points: string[] = []
    const marks: string[] = []
    line.x.forEach((value, i) => {
      const v = line.y[i]
      if (!Number.isFinite(v) || !Number.isFinite(value)) return
      // far outside is as good as outside, and keeps the numbers of a diverging run short
      const py = Math.max(-4 * height, Math.min(5 * height, sy(floor(v))))
      const px = sx(value)
      points.push(`${short(px)},${short(py)}`)
      if (!line.marker) return
      const label = line.labels ? `<title>${escapeHtml(line.labels[i])}</title>` : ''
      marks.push(
        `<g class="mark" style="${line.marks === 'ring' ? `fill:none;stroke-width:2;stroke:${line.color}` : `fill:${line.color}`}">${label}${markerPath(line.marker, px, py, line.sizes?.[i] ?? 5)}</g>`,
      )
    })
    const dash = line.dash ? ` stroke-dasharray="${line.dash}"` : ''
    const path = points.join(' ')
    const area = line.area ? `<polygon class="area" points="${x0},${y0} ${path} ${x0},${y1}" style="fill:${line.color}"/>` : ''
    const drawn = `<polyline clip-path="url(#${clip})" points="${path}" style="stroke:${line.color}"${dash}/>`
    parts.push(`<g data-run="${escapeHtml(line.id)}">${area}${line.marks ? '' : drawn}${marks.join('')}</g>`)
  }
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(title)}">${parts.join('')}</svg>`
}

/** An end without bounds is at the edge of the picture. */
function bandOf({ x, y, color }: Line, upper: readonly number[], sx: Scale, sy: Scale, clip: string): string {
  const at = (value: number) => short(Math.max(-9999, Math.min(9999, sy(value))))
  const points = [
    ...x.map((t, i) => `${short(sx(t))},${at(y[i])}`),
    ...x.map((t, i) => `${short(sx(t))},${at(upper[i])}`).reverse(),
  ]
  return `<polygon clip-path="url(#${clip})" class="area" points="${points.join(' ')}" style="fill:${color};fill-opacity:0.3"/>`
}

export interface MapCell {
  readonly text: string
  /** CSS colour, and how much of it. */
  readonly fill: string
  readonly opacity: number
  /** In full, on hover. */
  readonly title: string
}

/** A map: cells by column and row, with the names of both; where the columns' names are long, they are slanted. @param cell undefined: none */
export function cellMap(
  {
    columns,
    rows,
    label,
    width = 62,
  }: { readonly columns: readonly string[]; readonly rows: readonly string[]; readonly label: string; readonly width?: number },
  cell: (column: number, row: number) => MapCell | undefined,
): string {
  const left = 12 + 6.6 * Math.max(0, ...rows.map(({ length }) => length))
  const isSlanted = columns.some(({ length }) => 6.8 * length > width)
  const [top, height] = [isSlanted ? 14 + 3 * Math.max(...columns.map(({ length }) => length)) : 22, 28]
  const heads = columns.map((name, c) => {
    const x = short(left + (c + 0.5) * width)
    const place = isSlanted
      ? `transform="translate(${x} ${top - 6}) rotate(-24)"`
      : `x="${x}" y="${top - 7}" text-anchor="middle"`
    return `<text class="tick" ${place}>${escapeHtml(name)}</text>`
  })
  const body = rows.map((name, r) => {
    const y = top + r * height
    const cells = columns.map((_, c) => {
      const own = cell(c, r)
      if (own === undefined) return ''
      const x = left + c * width
      return `<g><title>${escapeHtml(own.title)}</title><rect style="fill:${own.fill};fill-opacity:${own.opacity.toFixed(2)}" x="${short(x + 1)}" y="${y}" width="${width - 2}" height="${height - 2}"/><text class="strong" x="${short(x + width / 2)}" y="${y + 18}" text-anchor="middle">${escapeHtml(own.text)}</text></g>`
    })
    return `<text class="tick" x="${short(left - 8)}" y="${y + 18}" text-anchor="end">${escapeHtml(name)}</text>${cells.join('')}`
  })
  const size = [left + columns.length * width + (isSlanted ? 40 : 4), top + rows.length * height + 4]
  return `<svg class="cells" viewBox="0 0 ${short(size[0])} ${short(size[1])}" style="max-width:${short(size[0])}px" width="${short(size[0])}" role="img" aria-label="${escapeHtml(label)}">${heads.join('')}${body.join('')}</svg>`
}

import type uPlot from 'uplot'

/** Style of every plot of ours: of text and of the lines of its grid, in these colours. */
export const axisStyle = (text: string, line: string) => ({
  stroke: text,
  grid: { stroke: line, width: 1 },
  ticks: { show: false },
  font: '11px system-ui, sans-serif',
})

/** Disables an action of uPlot: the cursor is ours to move. */
const nothing = () => null
export const unbound = {
  mousedown: nothing,
  mouseup: nothing,
  click: nothing,
  dblclick: nothing,
  mousemove: nothing,
  mouseleave: nothing,
  mouseenter: nothing,
} as unknown as uPlot.Cursor.Bind

export const plainTicks: Partial<uPlot.Axis> = { values: (_, ticks) => ticks.map((tick) => words(tick, '')) }

/** Three digits with their unit. */
export function words(x: number, unit: string): string {
  const size = Math.abs(x)
  const power = size > 0 && (size < 1e-3 || size >= 1e5)
  const text =
    x === 0 ? '0' : power ? x.toExponential(size === 10 ** Math.round(Math.log10(size)) ? 0 : 1) : `${Number(x.toPrecision(3))}`
  return `${text.replaceAll('-', '\u2212').replace('e+', 'e')}${unit === '' ? '' : `\u00a0${unit}`}`
}

/** Charts of cost as one picture that stands alone, for docs. */

/**
 * Panels side by side, with a key above them.
 *
 * @param look of a key, in the units of the picture: how wide, how long its line, where its text begins
 */
export function costPicture(
  label: string,
  panels: readonly string[],
  { width, height }: Readonly<Record<'width' | 'height', number>>,
  keys: readonly Readonly<Record<'name' | 'color' | 'dash', string>>[],
  look: Readonly<Record<'width' | 'line' | 'text', number>>,
): string {
  const perRow = Math.floor((panels.length * width - 62) / look.width)
  const key = keys.map(({ name, color, dash }, k) => {
    const [x, y] = [62 + look.width * (k % perRow), 16 + 18 * Math.floor(k / perRow)]
    return `<line x1="${x}" x2="${x + look.line}" y1="${y}" y2="${y}" style="stroke:${color};stroke-width:2" stroke-dasharray="${dash}"/><text class="label" x="${x + look.text}" y="${y + 4}">${name}</text>`
  })
  const top = 12 + 18 * Math.ceil(keys.length / perRow)
  const placed = panels.map((svg, k) =>
    svg.replace('<svg ', `<svg x="${k * width}" y="${top}" width="${width}" height="${height}" `),
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" class="cost" viewBox="0 0 ${panels.length * width} ${height + top}" role="img" aria-label="${label}">
<style>
.cost { --ground: #ffffff; --ink: #1c1f23; --soft: #555d66; --rule: #dfe3e7; --a: #0067a3; --b: #c25400; --c: #00795a; --d: #8a3fa0;
  font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
@media (prefers-color-scheme: dark) {
  .cost { --ground: #14171a; --ink: #e8eaed; --soft: #a7b0ba; --rule: #2b3138; --a: #58b1ee; --b: #ff9550; --c: #3fd3a2; --d: #d08be6; }
}
.ground { fill: var(--ground); } .label { fill: var(--ink); } .tick { fill: var(--soft); font-size: 11px; }
.grid { stroke: var(--rule); } .axis { stroke: var(--soft); } polyline { fill: none; stroke-width: 2; }
</style>
<rect class="ground" width="100%" height="100%"/>
${key.join('\n')}
${placed.join('\n')}
</svg>
`
}

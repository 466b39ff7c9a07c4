/** A moment of a run on one sheet: the robots with what their contacts carry, and the pairs whose features meet close up. */
import { escapeHtml } from '../report/html.ts'
import { dark, drawingRules, light } from '../report/style.ts'
import type { Snapshot } from '../snapshot.ts'
import { describePair, featureLegend, featurePairs, featurePicture } from './features.ts'
import { forcePicture, forceScale, type PictureSize } from './forces.ts'
import { widthOf } from './labels.ts'

const margin = 20
const spacing = 16
const header = 56
const caption = 56
const lineHeight = 15
/** Close-ups beside the whole. */
const mostPairs = 4
const whole: PictureSize = { width: 560, height: 420 }
const closeUp: PictureSize = { width: 420, height: 280 }

export interface Sheet {
  /** A whole SVG document. */
  readonly svg: string
  /** Pairs of shapes with feature contacts that it does not show. */
  readonly left: number
}

/**
 * @param title what the picture is of
 * @param about a second line: model, step, time
 */
export function robotSheet(snapshot: Snapshot, title: string, about: string): Sheet {
  const { features } = snapshot
  const pairs = features === undefined ? [] : featurePairs(snapshot, features)
  const shown = pairs.slice(0, mostPairs)
  const columns = Math.min(2, shown.length)
  const rows = Math.ceil(shown.length / 2)
  const width = 2 * margin + whole.width + columns * (spacing + closeUp.width)
  const body = Math.max(whole.height, rows * (closeUp.height + caption) - 14)
  const legend = shown.length > 0 ? featureLegend(width - 2 * margin) : { svg: '', height: 0 }
  const height = header + body + spacing + legend.height + margin
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" class="robot-sheet" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(`${title}: ${about}`)}">`,
    `<title>${escapeHtml(title)}</title>`,
    `<style>\n.robot-sheet { ${light} font: 12px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; }`,
    `@media (prefers-color-scheme: dark) { .robot-sheet { ${dark} } }`,
    `.sheet { fill: var(--card); } .frame { fill: none; stroke: var(--line); } .head { font-size: 16px; font-weight: 650; fill: var(--ink); } .sheet-words { font-size: 12px; fill: var(--soft); } .pair-title { font-size: 13px; font-weight: 650; fill: var(--ink); }`,
    `${drawingRules}</style>`,
    `<rect class="sheet" width="${width}" height="${height}" rx="8"/>`,
    `<text class="head" x="${margin}" y="28">${escapeHtml(title)}</text>`,
    `<text class="sheet-words" x="${margin}" y="46">${escapeHtml(about)}</text>`,
    placed(
      forcePicture(snapshot, forceScale([snapshot], whole), whole, {
        id: 'whole',
        title: 'all contacts and their forces',
        hasLabels: true,
      }),
      margin,
      header,
      whole,
    ),
  ]
  shown.forEach((pair, k) => {
    const x = margin + whole.width + spacing + (k % 2) * (closeUp.width + spacing)
    const y = header + Math.floor(k / 2) * (closeUp.height + caption)
    const name = `${pair.b} on ${pair.a}`
    const words = describePair(pair, features!)
    const lines = wrapped(words, closeUp.width)
    parts.push(
      placed(featurePicture(snapshot, features!, pair, closeUp, { id: `pair-${k}`, title: `${name}: ${words}` }), x, y, closeUp),
      `<text class="pair-title" x="${x}" y="${y + closeUp.height + 14}">${escapeHtml(name)}</text>`,
      ...lines.map(
        (line, i) =>
          `<text class="sheet-words" x="${x}" y="${y + closeUp.height + 29 + i * lineHeight}">${escapeHtml(line)}</text>`,
      ),
    )
  })
  if (legend.svg !== '') parts.push(`<g transform="translate(${margin} ${header + body + spacing})">${legend.svg}</g>`)
  parts.push('</svg>', '')
  return { svg: parts.join('\n'), left: pairs.length - shown.length }
}

function placed(svg: string, x: number, y: number, { width, height }: PictureSize): string {
  const frame = `<rect class="frame" x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>`
  return `${svg.replace('<svg ', `<svg x="${x}" y="${y}" width="${width}" height="${height}" `)}\n${frame}`
}

function wrapped(text: string, room: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && widthOf(`${last} ${word}`, 12) <= room) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.slice(0, 2)
}

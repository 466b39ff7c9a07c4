/** A picture of the readings of one pair: each in a three-quarter view, and below it close up from the side. SVG as text. */

import { escapeHtml } from '../report/html.ts'
import { type Contacts, flatVersion } from './contactsAt.ts'
import { describeBody, type Pair, type PairBody } from './pairFile.ts'
import { edgesOf, frameOfAll, frameOfContacts } from './picture/frame.ts'
import { widthOf } from './picture/labels.ts'
import { type Link, type Mark, type Reading, readingsOf } from './picture/reading.ts'
import { Scene, symbol } from './picture/scene.ts'
import { crossings, solidOf } from './picture/solid.ts'
import { lineOf, round } from './picture/svg.ts'
import { sideView, threeQuarter } from './picture/view.ts'

/** Sizes in the units of the picture. */
const width = 1540
const margin = 20
const spacing = 16
const readingCount = 5
const column = (width - 2 * margin - (readingCount - 1) * spacing) / readingCount
const header = 66
const heading = 74
const tall = 264
const low = 220
const footer = 62
const height = header + heading + tall + spacing + low + footer
const lineHeight = 15

/** @returns a whole SVG document */
export function pairPicture(pair: Pair, contacts: Contacts, title: string): string {
  const normal = contacts.normal ?? contacts.penalty?.normal ?? contacts.features[0]?.normal ?? [0, 0, 1]
  const side = sideView(normal, edgesOf([pair.a, pair.b]))
  const top = { x: margin, y: header + heading, width: column, height: tall }
  const bottom = { x: margin, y: header + heading + tall + spacing, width: column, height: low }
  const solidsOf = ({ a, b }: Pair) => [solidOf(a, b, side.toward), solidOf(b, a, side.toward)] as const
  const solids = solidsOf(pair)
  const frames = [frameOfAll(threeQuarter, solids, top), frameOfContacts(side, solids, contacts, bottom)]
  const scenesOf = (shown: Pair, name: string) => [
    new Scene(`${name}-three-quarter`, shown, solidsOf(shown), threeQuarter, frames[0], top),
    new Scene(`${name}-side`, shown, solidsOf(shown), side, frames[1], bottom),
  ]
  const scenes = scenesOf(pair, 'bodies')
  const isFaceted = pair.a.polyhedral !== undefined || pair.b.polyhedral !== undefined
  const flat = { ...pair, a: faceted(pair.a), b: faceted(pair.b) }
  const facetedScenes = isFaceted && contacts.features.length > 0 ? scenesOf(flat, 'facets') : []
  const readings = readingsOf(contacts)
  const links = readings.flatMap((reading) => reading.links)
  const columns = readings.map((reading, i) => {
    const [whole, close] = takesFeatures(reading) && facetedScenes.length > 0 ? facetedScenes : scenes
    const shift = i * (column + spacing)
    return [
      `<g class="reading ${reading.id}" transform="translate(${round(shift)} 0)">`,
      headingOf(reading),
      whole.draw(reading, 'three-quarter', i === 0),
      close.draw(reading, 'side', i === 0),
      '</g>',
    ].join('\n')
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="pair" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(title)}">`,
    `<title>${escapeHtml(title)}</title>`,
    `<style>${style}</style>`,
    definitions([...scenes, ...facetedScenes]),
    `<rect class="ground" width="${width}" height="${height}" rx="8"/>`,
    headerOf(pair, title),
    ...columns,
    legend(contacts, links, crossings(...solids).length > 0),
    '</svg>',
    '',
  ].join('\n')
}

const takesFeatures = ({ id }: Reading) => id === 'features' || id === 'groups'

/** As feature contacts see it. */
function faceted(body: PairBody): PairBody {
  if (body.polyhedral === undefined) return body
  const shape = flatVersion(body)
  return { ...body, shape, convex: shape as PairBody['convex'] }
}

/** Words in lines of at most so many units. */
function wrapped(text: string, room: number, size: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && widthOf(`${last} ${word}`, size) <= room) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

function headingOf({ title, sentence }: Reading): string {
  const y = header + 16
  const lines = wrapped(sentence, column, 12).slice(0, 3)
  return [
    `<text class="title" x="${margin}" y="${y}">${escapeHtml(title)}</text>`,
    ...lines.map((line, i) => `<text class="sentence" x="${margin}" y="${y + 18 + i * lineHeight}">${escapeHtml(line)}</text>`),
  ].join('\n')
}

function headerOf({ a, b }: Pair, title: string): string {
  const [A, B] = [`A  ${describeBody(a)}`, `B  ${describeBody(b)}`]
  const half = margin + 0.5 * (width - 2 * margin)
  return [
    `<text class="head" x="${margin}" y="28">${escapeHtml(title)}</text>`,
    `<rect class="of-a swatch" x="${margin}" y="40" width="12" height="12"/><text class="sentence" x="${margin + 18}" y="50.5">${escapeHtml(A)}</text>`,
    `<rect class="of-b swatch" x="${half}" y="40" width="12" height="12"/><text class="sentence" x="${half + 18}" y="50.5">${escapeHtml(B)}</text>`,
  ].join('\n')
}

/** Legend of the marks, two lines. */
function legend({ distance, manifold, penalty, features }: Contacts, links: readonly Link[], cuts: boolean): string {
  const entries: [draw: (x: number, y: number) => string, text: string][] = []
  const add = (kind: Mark['kind'], text: string, isThere: boolean, isFaint = false) => {
    if (isThere) entries.push([(x, y) => symbol(kind, x, y, isFaint), text])
  }
  add('on-a', 'point on A', distance !== null)
  add('on-b', 'point on B', distance !== null)
  add('manifold-point', 'manifold point', manifold.length > 0)
  add('deepest', 'deepest point', penalty !== null)
  add('bottom-point', 'bottom of the volume', penalty !== null)
  const good = (kind: string) => features.some((f) => f.kind === kind && f.applicable)
  add('vertex-face', 'vertex of A, face of B', good('vertex-face'))
  add('face-vertex', 'face of A, vertex of B', good('face-vertex'))
  add('edge-edge', 'edge, edge', good('edge-edge'))
  add(
    'vertex-face',
    'not applicable',
    features.some(({ applicable }) => !applicable),
    true,
  )
  const lines: typeof entries = [
    [(x, y) => lineOf([x - 12, y, x + 6, y], 'normal', 'marker-end="url(#tip)"'), 'normal, from A to B'],
    [(x, y) => lineOf([x - 12, y, x + 12, y], 'gap'), 'gap; below 0, overlap'],
    [(x, y) => lineOf([x - 12, y, x + 12, y], 'of-a hidden'), 'hidden'],
  ]
  const link = (look: string, text: string, isThere: boolean) => {
    if (isThere) lines.push([(x, y) => lineOf([x - 12, y, x + 12, y], look), text])
  }
  link('link', 'one constraint: one member stays apart', links.length > 0)
  link(
    'link within',
    'one member',
    links.some(({ isWithin }) => isWithin),
  )
  link(
    'link holds',
    'never pushes',
    links.some(({ pushes }) => !pushes),
  )
  if (cuts) lines.push([(x, y) => lineOf([x - 12, y, x + 12, y], 'cut'), 'where the surfaces cross'])
  const row = (list: typeof entries, y: number, lead: number) => {
    let x = margin + 6
    return list.map(([draw, text]) => {
      const here = x + lead
      x = here + lead + 8 + widthOf(text, 12) + 16
      return `${draw(here, y - 4)}<text class="key" x="${round(here + lead + 6)}" y="${y}">${text}</text>`
    })
  }
  const y = height - footer + 26
  return `<g class="legend">\n${[...row(entries, y, 8), ...row(lines, y + 20, 12)].join('\n')}\n</g>`
}

const definitions = (scenes: readonly Scene[]) =>
  [
    '<defs>',
    '<marker id="tip" viewBox="0 0 10 10" refX="7" refY="5" markerWidth="6" markerHeight="6" orient="auto"><path class="tip" d="M0 1L9 5L0 9z"/></marker>',
    '<pattern id="hatch-a" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="of-a stripe" d="M0 0V6"/></pattern>',
    '<pattern id="hatch-b" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="of-b stripe" d="M0 0V6"/></pattern>',
    `<clipPath id="clip-three-quarter"><rect x="${margin}" y="${header + heading}" width="${round(column)}" height="${tall}"/></clipPath>`,
    `<clipPath id="clip-side"><rect x="${margin}" y="${header + heading + tall + spacing}" width="${round(column)}" height="${low}"/></clipPath>`,
    ...scenes.map(({ id, bodies }) => `<g id="${id}">\n${bodies}\n</g>`),
    '</defs>',
  ].join('\n')

/** Colours after Okabe and Ito (2008), safe for colour blindness. */
const style = `
.pair { --ground: #ffffff; --panel: #f7f8f9; --ink: #1c1f23; --soft: #555d66; --a: #0067a3; --b: #c25400; --c: #00795a; --d: #7a4fb5; --shade: #101418;
  font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
@media (prefers-color-scheme: dark) {
  .pair { --ground: #14171a; --panel: #1c2025; --ink: #e8eaed; --soft: #a7b0ba; --a: #58b1ee; --b: #ff9550; --c: #3fd3a2; --d: #b89bea; --shade: #000000; }
}
.of-a { --of: var(--a); } .of-b { --of: var(--b); }
.ground { fill: var(--ground); } .panel { fill: var(--panel); }
text { fill: var(--ink); white-space: pre; } .head { font-size: 16px; font-weight: 650; } .title { font-size: 14px; font-weight: 650; } .sentence, .key { fill: var(--soft); }
.small { font-size: 11px; fill: var(--soft); text-anchor: middle; paint-order: stroke; stroke: var(--panel); stroke-width: 3px; }
.gap-label { text-anchor: middle; font-weight: 600; fill: var(--ink); paint-order: stroke; stroke: var(--panel); stroke-width: 3.5px; stroke-linejoin: round; }
.swatch { fill: var(--of); opacity: .85; } .tint { fill: var(--of); fill-opacity: .16; } .shade { fill: var(--shade); }
line, .line, .scale { fill: none; stroke-linecap: round; }
.outline { stroke: var(--of); stroke-width: 1.7; } .edge { stroke: var(--of); stroke-width: 1.1; }
.hidden { stroke: var(--of); stroke-width: 1; stroke-dasharray: 3 3; opacity: .45; }
.cut { stroke: var(--ink); stroke-width: 1.1; } .cut.hidden { stroke: var(--ink); opacity: .3; }
.hatch.of-a { fill: url(#hatch-a); } .hatch.of-b { fill: url(#hatch-b); } .stripe { stroke: var(--of); stroke-width: 1.6; opacity: .7; }
.normal { stroke: var(--ink); stroke-width: 1.6; } .tip { fill: var(--ink); }
.gap { stroke: var(--c); stroke-width: 3.4; stroke-linecap: butt; } .leader { stroke: var(--soft); stroke-width: .8; }
.link { stroke: var(--d); stroke-width: 1.6; } .link.within { stroke-width: 4.5; } .link.holds { stroke-dasharray: 4 3.5; }
.mark { stroke: var(--panel); stroke-width: 1.2; } .on-a, .vertex-face { fill: var(--a); } .on-b, .face-vertex { fill: var(--b); } .manifold-point { fill: var(--ink); }
.edge-edge { fill: none; stroke: var(--ink); stroke-width: 2; stroke-linecap: round; }
.bottom-point { fill: var(--c); } .deepest { fill: none; stroke: var(--ink); stroke-width: 1.8; }
.faint { fill: var(--panel); stroke: var(--soft); stroke-width: 1.1; } .edge-edge.faint { fill: none; }
.face { fill: var(--of); fill-opacity: .2; } .feature-edge { stroke: var(--of); stroke-width: 3.6; opacity: .85; } .feature-edge.hidden { opacity: .35; stroke-dasharray: 4 4; }
.vertex { fill: var(--of); stroke: var(--panel); stroke-width: 1; }
.scale { stroke: var(--soft); stroke-width: 1.2; }
`

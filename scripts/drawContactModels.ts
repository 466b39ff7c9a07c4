/**
 * The pictures of docs/contact-models.md, docs/images/model-NAME.svg: on the left what a model asks along the normal, on the right what it asks of
 * friction, or how it reads two bodies. Drawn from the formulas of the page. A test compares the files with what this draws.
 *
 *     node --import ./scripts/typescript.mjs scripts/drawContactModels.ts
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

type Point = readonly [number, number]

const panel = { width: 190, height: 150, scale: 58 }
const decimals = (x: number) => String(Math.round(10 * x) / 10 + 0)

/** One half of a picture: x to the right and y up, from -1.2 to 1.2 and from -1 to 1 around (0, 0) at its middle. */
class Panel {
  private readonly parts: string[] = []
  private readonly left: number

  constructor(left: number) {
    this.left = left
  }

  private at([x, y]: Point): string {
    return `${decimals(this.left + panel.width / 2 + panel.scale * x)} ${decimals(panel.height / 2 + 4 - panel.scale * y)}`
  }

  line(look: string, points: readonly Point[] | string, closed = false): this {
    this.parts.push(
      `<path class="${look}" d="M${pointsOf(points)
        .map((p) => this.at(p))
        .join('L')}${closed ? 'Z' : ''}"/>`,
    )
    return this
  }

  curve(look: string, from: number, to: number, y: (x: number) => number): this {
    const points = Array.from({ length: 61 }, (_, k): Point => {
      const x = from + (k * (to - from)) / 60
      return [x, y(x)]
    })
    return this.line(look, points)
  }

  ring(look: string, radius: number): this {
    const round = (k: number): Point => [radius * Math.cos((k * Math.PI) / 30), radius * Math.sin((k * Math.PI) / 30)]
    return this.line(
      look,
      Array.from({ length: 60 }, (_, k) => round(k)),
      true,
    )
  }

  arrow(look: string, from: Point, to: Point): this {
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]]
    const length = Math.hypot(dx, dy)
    const [ux, uy] = [(0.09 * dx) / length, (0.09 * dy) / length]
    const wing = (side: number): Point => [to[0] - ux - side * 0.6 * uy, to[1] - uy + side * 0.6 * ux]
    return this.line(look, [from, to]).line(look, [wing(1), to, wing(-1)])
  }

  axes(x: string, y: string, origin: Point = [0, 0]): this {
    const [ox, oy] = origin
    return this.arrow('axis', [-1.2, oy], [1.2, oy])
      .arrow('axis', [ox, -0.85], [ox, 0.95])
      .text([1.2, oy - 0.25], x, 'end')
      .text([ox + 0.06, 0.9], y)
  }

  text(at: Point, words: string, anchor = 'start'): this {
    const [x, y] = this.at(at).split(' ')
    this.parts.push(`<text x="${x}" y="${y}" text-anchor="${anchor}">${words}</text>`)
    return this
  }

  dot(at: Point): this {
    const [x, y] = this.at(at).split(' ')
    this.parts.push(`<circle cx="${x}" cy="${y}" r="3"/>`)
    return this
  }

  toString(): string {
    return this.parts.join('\n')
  }
}

/** 'x,y x,y' as points. */
const pointsOf = (points: readonly Point[] | string): readonly Point[] =>
  typeof points === 'string' ? points.split(' ').map((pair) => pair.split(',').map(Number) as unknown as Point) : points

type Draw = (p: Panel) => Panel

const ground: Draw = (p) => p.line('axis', '-1.2,-0.5 1.2,-0.5')
const body = (p: Panel, z: number, tilt = 0): Panel =>
  p.line(
    'body',
    [
      [-0.8, z],
      [0.8, z + tilt],
      [0.8 - tilt / 2, z + 0.6 + tilt],
      [-0.8 - tilt / 2, z + 0.6],
    ],
    true,
  )

/** Signorini's law in these words. */
const signorini =
  (x: string, y: string): Draw =>
  (p) =>
    p.axes(x, y, [-0.6, -0.5]).line('law', '-0.6,0.8 -0.6,-0.5 1,-0.5')

const spring: Draw = (p) => p.axes('gap', 'f', [0.3, -0.5]).line('law', '-0.9,0.7 0.3,-0.5 1.1,-0.5')

const regularised: Draw = (p) =>
  p.axes('slip', '-f_t').line('law', '-1.1,-0.6 -0.25,-0.6 0.25,0.6 1.1,0.6').text([0.35, 0.66], 'mu F')

const coulombDisc: Draw = (p) =>
  p
    .axes('f_t1', 'f_t2')
    .ring('law', 0.7)
    .arrow('second', [0, 0], [0.9, 0.45])
    .arrow('law', [0, 0], [-0.626, -0.313])
    .text([0.75, 0.5], 'slip')

const pyramid: Draw = (p) => {
  const corner = (k: number): Point => [0.7 * Math.cos(0.46 + (k * Math.PI) / 2), 0.7 * Math.sin(0.46 + (k * Math.PI) / 2)]
  return p
    .axes('f_t1', 'f_t2')
    .ring('faint', 0.7)
    .line('law', [0, 1, 2, 3].map(corner), true)
    .arrow('second', [0, 0], [0.98, 0.485])
    .text([0.75, 0.5], 'slip')
}

/** Where a corner may end beside a solid corner. */
const legal: Draw = (p) =>
  p
    .line('body', solid, true)
    .line('region', '-1.2,0.95 -1.2,0.1 0,0.1 0,-0.9 1.2,-0.9 1.2,0.95', true)
    .dot([0.15, -0.1])
    .text([-0.6, -0.5], 'solid', 'middle')

/** Left and right of each model. */
const halves: Readonly<Record<string, readonly [Draw, Draw]>> = {
  'penalty-deepest': [spring, (p) => body(ground(p), -0.56, 0.06).arrow('law', [-0.8, -0.95], [-0.8, -0.56]).dot([-0.8, -0.56])],
  penalty: [
    spring,
    (p) => [-0.8, 0.8].reduce((q, x) => q.arrow('law', [x, -0.95], [x, -0.56]).dot([x, -0.56]), body(ground(p), -0.56)),
  ],
  'hunt-crossley': [(p) => p.axes('depth', 'f', [-0.9, -0.5]).line('law', loop(1)).line('law', loop(-1)), regularised],
  lcp: [signorini('a_n', 'f_n'), coulombDisc],
  lotstedt: [
    signorini('a_n', 'f_n'),
    (p) =>
      p
        .axes('f_t1', 'f_t2')
        .ring('law', 0.75)
        .ring('faint', 0.4)
        .text([1.25, -0.85], 'mu f_n before', 'end')
        .text([-0.35, 0.1], 'mu f_n'),
  ],
  'stewart-trinkle': [signorini('gap / h + u_n', 'p_n'), pyramid],
  'anitescu-potra': [
    (p) => body(ground(p), -0.2).line('faint', '-1.2,-0.05 1.2,-0.05').text([1.2, -0.36], 'activeDistance', 'end'),
    pyramid,
  ],
  convex: [
    (p) =>
      p
        .axes('u_t', 'u_n', [0, -0.5])
        .line('law', '-1,0.3 0,-0.5 1,0.3')
        .dot([0.9, -0.5])
        .arrow('second', [0.9, -0.5], [0.55, -0.06])
        .text([-0.6, 0.45], 'mu |u_t|'),
    (p) => body(ground(p), -0.3).arrow('second', [0.85, 0], [1.15, 0]).text([0, -0.47], 'mu h v', 'middle'),
  ],
  ncp: [signorini('gap / h + u_n', 'p_n'), coulombDisc],
  mujoco: [
    (p) =>
      p
        .axes('gap', 'f', [0.3, -0.5])
        .curve('law', -1.1, 0.3, (x) => -0.5 + soft(0.3 - x))
        .line('law', '0.3,-0.5 1.1,-0.5'),
    (p) => p.axes('slip', '-f_t').line('law', '-1.1,-0.6 -0.7,-0.6 0.7,0.6 1.1,0.6').text([-0.1, 0.66], 'mu f_n', 'end'),
  ],
  drake: [
    (p) =>
      p
        .axes('u_n', 'p_n', [-0.2, -0.5])
        .curve('law', -1.1, 0.75, (x) => -0.5 + 0.3 * (0.9 - x) * Math.max(0, 0.75 - x))
        .line('law', '0.75,-0.5 1.1,-0.5'),
    (p) =>
      p
        .axes('slip', '-f_t')
        .curve('law', -1.1, 1.1, (x) => (0.6 * x) / Math.hypot(x, 0.25))
        .text([0.4, 0.66], 'mu n'),
  ],
  lnc: [
    legal,
    (p) =>
      p
        .line('body', '-1,-0.6 0.2,-0.6 0.2,0.1 -1,0.1', true)
        .line('second', '-0.5,-0.2 0.9,0.5 0.6,0.9 -0.8,0.2', true)
        .text([1.2, -0.8], 'edges are not seen', 'end'),
  ],
  peg: [
    legal,
    (p) =>
      p
        .line('body', solid, true)
        .line('faint', '0.5,0.4 0.9,0.4 0.9,0.8 0.5,0.8', true)
        .line('second', '0.05,-0.5 0.45,-0.5 0.45,-0.1 0.05,-0.1', true)
        .arrow('law', [0.7, 0.35], [0.35, -0.05])
        .text([0.5, -0.75], 'end is read'),
  ],
}

/** f over depth of Hunt and Crossley on the way in (1) and out (-1), on the left panel. */
function loop(way: number): Point[] {
  return Array.from({ length: 31 }, (_, k): Point => {
    const d = k / 30
    const speed = way * Math.sqrt(Math.max(0, 1 - d ** 2.5)) * (way > 0 ? 1 : 0.6)
    return [-0.9 + 1.7 * d, -0.5 + 1.0 * d ** 1.5 * (1 + 0.6 * speed)]
  })
}

/** Force at rest of `mujoco` over depth: d² / (1 - d) k depth, d from 0.9 to 0.95 by two parabolas. */
function soft(depth: number): number {
  const x = Math.min(1, depth / 0.7)
  const d = 0.9 + 0.05 * (x < 0.5 ? 2 * x * x : 1 - 2 * (1 - x) * (1 - x))
  return ((d * d) / (1 - d)) * 0.045 * depth
}

const solid = '-1.2,0.1 0,0.1 0,-0.9 -1.2,-0.9'

const style = `<style>
.model { --ground: #ffffff; --ink: #1c1f23; --soft: #8a929b; --law: #0067a3; --second: #c25400; --region: #0067a322;
  font: 11px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
@media (prefers-color-scheme: dark) {
  .model { --ground: #14171a; --ink: #e8eaed; --soft: #7b848e; --law: #58b1ee; --second: #ff9550; --region: #58b1ee2a; }
}
.ground { fill: var(--ground); } text { fill: var(--ink); } path { fill: none; stroke-width: 1; } circle { fill: var(--law); }
.axis { stroke: var(--soft); } .body { stroke: var(--ink); fill: var(--soft); fill-opacity: 0.25; } .faint { stroke: var(--soft); stroke-dasharray: 3 3; }
.law { stroke: var(--law); stroke-width: 2; } .second { stroke: var(--second); stroke-width: 1.5; } .region { fill: var(--region); }
</style>`

/** The picture of each model. */
export function drawContactModels(): Record<string, string> {
  const entries = Object.entries(halves).map(([name, [left, right]]) => {
    const parts = [left(new Panel(0)), right(new Panel(panel.width))]
    return [
      name,
      `<svg xmlns="http://www.w3.org/2000/svg" class="model" width="${2 * panel.width}" height="${panel.height}" viewBox="0 0 ${2 * panel.width} ${panel.height}" role="img" aria-label="${name}: normal law and friction">
${style}
<rect class="ground" width="100%" height="100%"/>
${parts.join('\n')}
</svg>
`,
    ]
  })
  return Object.fromEntries(entries)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, svg] of Object.entries(drawContactModels()))
    writeFileSync(fileURLToPath(new URL(`../docs/images/model-${name}.svg`, import.meta.url)), svg)
}

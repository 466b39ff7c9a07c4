/** One step of one model as a picture: bodies before it as outlines, after it filled, and impulses. SVG as text. */

import type { PairBody } from '../../../compare/inspect/pairFile.ts'
import { millimetres } from '../../../compare/inspect/picture/reading.ts'
import { crossings, type Solid, solidOf } from '../../../compare/inspect/picture/solid.ts'
import { Lines, lineOf, round } from '../../../compare/inspect/picture/svg.ts'
import { at, dot, lengthOf, minus, plus, type Vector } from '../../../compare/inspect/picture/vector.ts'
import { Hiding, project, threeQuarter, type View } from '../../../compare/inspect/picture/view.ts'
import { escapeHtml } from '../../../compare/report/html.ts'
import { planarHull } from '../../../contact/geometry/index.ts'
import { distinct, pushing } from './measures.ts'
import { type Place, placed } from './place.ts'
import type { Scene, SceneBody } from './scenes.ts'
import type { Outcome, StepContact } from './step.ts'

const width = 380
const height = 250
const air = 24
/** On the right, of polygons: the touching corners, so many times as large. */
const closeUp = { x: 254, y: 8, width: 118, height: 206, times: 5 } as const
/** For the bodies as a whole. */
const roomOf = ({ isPlanar }: Scene) => (isPlanar ? closeUp.x : width)
/** Below the bodies, for words. */
const foot = 30

/** From above, x to the right. */
const fromAbove: View = { right: [1, 0, 0], up: [0, 1, 0], toward: [0, 0, 1] }
const viewOf = ({ isPlanar }: Scene) => (isPlanar ? fromAbove : threeQuarter)

/** Lengths of arrows in the picture, of the smallest and of the largest impulse. */
const shortest = 16
const longest = 40
/** An impulse this far from a surface is marked as such [m]. */
const off = 1e-3

/** Of contacts that did not push those are marked that are within this at the start or at the end [m]. */
const near = 0.15

const isNear = ({ gapStart, gapEnd }: StepContact) => Math.min(Math.abs(gapStart ?? near), Math.abs(gapEnd ?? near)) < near

/** Overlaps and gaps below this are rounding [m]. */
const smallest = 1e-8

/** Common to all panels of a figure, so that they can be laid upon each other. */
export type Frame = Readonly<ReturnType<typeof frameOf>>

/** Shows all bodies of all outcomes, before and after. */
export function frameOf(scene: Scene, outcomes: readonly Outcome[]) {
  const view = viewOf(scene)
  const points = outcomes.flatMap(({ start, end }) =>
    [start, end].flatMap((places) => [scene.a, scene.b].flatMap((body, k) => verticesOf(scene, body, places[k]))),
  )
  const seen = points.map((p) => project(view, p))
  const [x0, x1] = [Math.min(...seen.map(([x]) => x)), Math.max(...seen.map(([x]) => x))]
  const [y0, y1] = [Math.min(...seen.map(([, y]) => y)), Math.max(...seen.map(([, y]) => y))]
  const room = roomOf(scene)
  const scale = Math.min((room - 2 * air) / (x1 - x0), (height - foot - 2 * air) / (y1 - y0))
  const [cx, cy] = [0.5 * (x0 + x1), 0.5 * (y0 + y1)]
  return {
    scale,
    largestImpulse: Math.max(0, ...outcomes.flatMap((outcome) => pushing(outcome).map(({ impulse }) => impulse))),
    place: (p: Vector): [number, number] => {
      const [x, y] = project(view, p)
      return [0.5 * room + scale * (x - cx), 0.5 * (height - foot) - scale * (y - cy)]
    },
  }
}

/** Around the corners that are nearest at the start, where they end. */
function closeFrameOf(scene: Scene, outcome: Outcome, frame: Frame): Frame {
  const scale = closeUp.times * frame.scale
  const [cx, cy] = middleOf(scene, outcome)
  return {
    ...frame,
    scale,
    place: ([x, y]) => [closeUp.x + 0.5 * closeUp.width + scale * (x - cx), closeUp.y + 0.5 * closeUp.height - scale * (y - cy)],
  }
}

function middleOf(scene: Scene, { start, end }: Outcome): Vector {
  const [a, b] = [scene.a, scene.b].map((body, k) => ({
    before: verticesOf(scene, body, start[k]),
    after: verticesOf(scene, body, end[k]),
  }))
  const pairs = a.before.flatMap((p, i) => b.before.map((q, j) => ({ i, j, distance: lengthOf(minus(p, q)) })))
  const { i, j } = pairs.reduce((best, pair) => (pair.distance < best.distance ? pair : best))
  const [p, q] = [a.after[i], b.after[j]]
  return [0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]), 0]
}

function verticesOf({ isPlanar }: Scene, { polyhedron, polygon }: SceneBody, place: Place): Vector[] {
  const { vertices } = polyhedron
  const own: Vector[] = isPlanar
    ? polygon.map(([x, y]) => [x, y, 0])
    : Array.from({ length: vertices.length / 3 }, (_, i) => at(vertices, i))
  return own.map((v) => placed(place, v))
}

/** @returns an SVG element, styled by `pictureStyle` */
export function panel(scene: Scene, outcome: Outcome, frame: Frame, title: string): string {
  const { x, y, width: w, height: h, times } = closeUp
  const clip = `close-${scene.id}-${outcome.model}`
  const box = `x="${x}" y="${y}" width="${w}" height="${h}" rx="6"`
  const close = [
    `<clipPath id="${clip}"><rect ${box}/></clipPath>`,
    `<rect class="glass" ${box}/>`,
    `<g class="close" clip-path="url(#${clip})">`,
    ...drawing(scene, outcome, closeFrameOf(scene, outcome, frame)),
    '</g>',
    `<text class="times" x="${x + w - 6}" y="${y + 14}">× ${times}</text>`,
  ]
  return [
    `<svg class="step" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(title)}">`,
    `<title>${escapeHtml(title)}</title>`,
    '<g class="whole">',
    ...drawing(scene, outcome, frame),
    '</g>',
    ...(scene.isPlanar ? close : []),
    `<text class="found" x="${round(0.5 * width)}" y="${height - 8}">${escapeHtml(verdictOf(outcome))}</text>`,
    '</svg>',
  ].join('\n')
}

function drawing(scene: Scene, outcome: Outcome, frame: Frame): string[] {
  const { a, b } = scene
  const { start, end } = outcome
  const loop = (points: readonly Vector[]) => `M${points.map((p) => frame.place(p).map(round).join(' ')).join('L')}Z`
  const bodies = [a, b].map((body, k) => ({
    name: body.name,
    before: verticesOf(scene, body, start[k]),
    after: verticesOf(scene, body, end[k]),
  }))
  const silhouette = (points: readonly Vector[]) => {
    if (scene.isPlanar) return loop(points)
    const flat = planarHull(points.map((p) => [...frame.place(p), 0] as Vector))
    return `M${flat.map(([x, y]) => `${round(x)} ${round(y)}`).join('L')}Z`
  }
  return [
    ...bodies.map(({ name, after }) => `<path class="of-${name} tint" d="${silhouette(after)}"/>`),
    ...(scene.isPlanar && outcome.separation < -smallest ? [overlapOf(bodies[0].after, bodies[1].after, loop)] : []),
    ...bodies.map(({ name, before }) => `<path class="of-${name} start" d="${silhouette(before)}"/>`),
    scene.isPlanar
      ? bodies.map(({ name, after }) => `<path class="of-${name} end" d="${loop(after)}"/>`).join('\n')
      : edgesOf(scene, outcome, frame),
    ...marks(scene, outcome, frame),
  ].filter((part) => part !== '')
}

function verdictOf(outcome: Outcome): string {
  const { separation } = outcome
  const count = distinct(pushing(outcome)).length
  const pushes = count === 0 ? 'no impulse' : count === 1 ? '1 impulse' : `${count} impulses`
  const distance =
    Math.abs(separation) < smallest
      ? 'touching'
      : separation < 0
        ? `${millimetres(-separation)} deep`
        : `${millimetres(separation)} apart`
  return `${distance}, ${pushes}${outcome.fallbacks > 0 ? ', by a fallback' : ''}`
}

/** Where two polygons overlap. */
function overlapOf(a: readonly Vector[], b: readonly Vector[], loop: (points: readonly Vector[]) => string): string {
  let rest: readonly Vector[] = a
  b.forEach((p, i) => {
    const q = b[(i + 1) % b.length]
    rest = clipped(rest, (v) => (q[0] - p[0]) * (v[1] - p[1]) - (q[1] - p[1]) * (v[0] - p[0]))
  })
  return rest.length < 3 ? '' : `<path class="overlap" d="${loop(rest)}"/>`
}

function edgesOf({ a, b }: Scene, { end }: Outcome, { place }: Frame): string {
  const bodies = [a, b].map(({ polyhedron }, k): PairBody => {
    const shape = { type: 'hull' as const, polyhedron }
    const { R, p } = end[k]
    return {
      shape,
      convex: shape,
      hull: undefined,
      R: Float64Array.from(R),
      p: Float64Array.from(p),
      polyhedral: undefined,
      file: undefined,
    }
  })
  const solids: [Solid, Solid] = [solidOf(bodies[0], bodies[1], [0, 0, 1]), solidOf(bodies[1], bodies[0], [0, 0, 1])]
  const hiding = new Hiding(threeQuarter, solids)
  const lines = new Lines()
  // strokes are in the coordinates of the view
  const back = ([x, y, z]: Vector): Vector => {
    const { right, up, toward } = threeQuarter
    return [0, 1, 2].map((k) => x * right[k] + y * up[k] + z * toward[k]) as unknown as Vector
  }
  const add = (from: Vector, to: Vector, kind: string) => {
    for (const stroke of hiding.strokes(from, to)) {
      lines.add(stroke.isSeen ? kind : `${kind} hidden`, [...place(back(stroke.from)), ...place(back(stroke.to))])
    }
  }
  solids.forEach(({ vertices, edges }, k) => {
    for (const { ends } of edges) add(vertices[ends[0]], vertices[ends[1]], `of-${[a, b][k].name} end`)
  })
  for (const [p, q] of crossings(...solids)) add(p, q, 'cut')
  return lines.toString()
}

/** Contacts that had a part in the step, and arrows for those that pushed: the impulse on either body that can move. */
function marks(scene: Scene, outcome: Outcome, frame: Frame): string[] {
  const { contacts } = outcome
  const pushes = pushing(outcome)
  const out: string[] = []
  for (const contact of distinct(pushes)) {
    const [x, y] = frame.place(contact.point)
    if (scene.isPlanar && contact.kind !== 'edge-edge' && contact.kind !== 'point')
      out.push(planeOf(scene, outcome, contact, frame))
    const length = shortest + (longest - shortest) * Math.sqrt(contact.impulse / frame.largestImpulse)
    for (const [body, sign] of [
      [scene.b, 1],
      [scene.a, -1],
    ] as const) {
      if (body.robot === undefined) continue
      const tip = frame.place(plus(contact.point, contact.normal, (sign * length) / frame.scale))
      out.push(lineOf([x, y, ...tip], `push of-${body.name}`, `marker-end="url(#tip-${body.name})"`))
    }
  }
  const taking = contacts.filter((contact) => contact.role === 'passed by' && contact.constraints.length > 0 && isNear(contact))
  for (const { point } of distinct(taking)) {
    const [x, y] = frame.place(point)
    out.push(`<circle class="passed" cx="${round(x)}" cy="${round(y)}" r="3.2"/>`)
  }
  for (const { point, offSurface } of distinct(pushes)) {
    const [x, y] = frame.place(point)
    out.push(`<circle class="active${offSurface > off ? ' off' : ''}" cx="${round(x)}" cy="${round(y)}" r="4"/>`)
  }
  return out
}

/** The line of the edge that a corner is held by, from the edge to the corner, where the corner is not on the edge. */
function planeOf(scene: Scene, { end }: Outcome, { kind, normal, point, offSurface }: StepContact, { place }: Frame): string {
  const k = kind === 'vertex-face' ? 1 : 0
  const vertices = verticesOf(scene, [scene.a, scene.b][k], end[k])
  const outward: Vector = k === 1 ? [-normal[0], -normal[1], 0] : normal
  const edge = vertices
    .map((p, i) => ({ p, q: vertices[(i + 1) % vertices.length] }))
    .sort((e, f) => facing(f, outward) - facing(e, outward))[0]
  const held = lineOf([...place(edge.p), ...place(edge.q)], 'held')
  if (!(offSurface > off)) return held
  const near = lengthOf(minus(edge.p, point)) < lengthOf(minus(edge.q, point)) ? edge.p : edge.q
  return `${held}\n${lineOf([...place(near), ...place(point)], 'extended')}`
}

function facing({ p, q }: { p: Vector; q: Vector }, outward: Vector): number {
  const [x, y] = minus(q, p)
  return dot([y, -x, 0], outward) / Math.hypot(x, y)
}

/** Of all pictures of a page, once. */
export const pictureDefinitions =
  '<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>' +
  ['red', 'blue']
    .map(
      (name) =>
        `<marker id="tip-${name}" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="5.5" markerHeight="5.5" orient="auto"><path class="of-${name} tip" d="M0 .5L10 5L0 9.5z"/></marker>`,
    )
    .join('') +
  '</defs></svg>'

/** Each mark, and its meaning. */
export const pictureKey: readonly (readonly [svg: string, text: string])[] = [
  ['<path class="of-red start" d="M2 3h20v10h-20z"/>', 'before the step'],
  ['<path class="of-red tint" d="M2 3h20v10h-20z"/><path class="of-red end" d="M2 3h20v10h-20z"/>', 'after it'],
  ['<path class="overlap" d="M2 3h20v10h-20z"/>', 'overlap'],
  [
    '<line class="push of-blue" x1="2" y1="8" x2="20" y2="8" marker-end="url(#tip-blue)"/>',
    'impulse, in the colour of the body that it acts on',
  ],
  ['<circle class="active" cx="12" cy="8" r="4"/>', 'contact that pushes'],
  ['<circle class="active off" cx="12" cy="8" r="4"/>', 'the same, off the surface'],
  ['<circle class="passed" cx="12" cy="8" r="3.2"/>', 'contact that another has stayed apart for'],
  ['<line class="held" x1="2" y1="8" x2="22" y2="8"/>', 'edge that pushes'],
  ['<line class="extended" x1="2" y1="8" x2="22" y2="8"/>', 'its line, beyond its end'],
]

export const pictureStyle = `
:root { --red: #b3401b; --blue: #0067a3; --bare: #1c1f23; --lap: #d60050; }
@media screen and (prefers-color-scheme: dark) { :root { --red: #ff8a5c; --blue: #58b1ee; --bare: #e8eaed; --lap: #ff5c98; } }
.of-red { --of: var(--red); } .of-blue { --of: var(--blue); }
.step .line, .step line, .key line, .key path { fill: none; stroke-linecap: round; }
.tint, .key path.tint { fill: var(--of); fill-opacity: .2; } .start, .key path.start { fill: none; stroke: var(--of); stroke-width: 1; stroke-dasharray: 4 3; opacity: .75; }
.end { fill: none; stroke: var(--of); stroke-width: 1.8; stroke-linejoin: round; } .step .end.hidden { stroke-width: 1; stroke-dasharray: 2 3; opacity: .5; }
.overlap, .key path.overlap { fill: var(--lap); fill-opacity: .4; } .step .cut { stroke: var(--lap); stroke-width: 1.6; } .step .cut.hidden { stroke-dasharray: 2 3; opacity: .6; }
.push { stroke: var(--of); stroke-width: 2.2; } .tip { fill: var(--of); }
.active { fill: var(--good); stroke: var(--card); stroke-width: 1.2; } .active.off { fill: var(--card); stroke: var(--lap); stroke-width: 2.2; }
.passed { fill: var(--card); stroke: var(--soft); stroke-width: 1.3; } .held { stroke: var(--good); stroke-width: 3.4; opacity: .55; } .extended { stroke: var(--lap); stroke-width: 1.2; stroke-dasharray: 3 3; }
.glass { fill: var(--ground); stroke: var(--line); } .close .end { stroke-width: 1.4; } .times { fill: var(--faint); font-size: 11px; text-anchor: end; }
.found { fill: var(--ink); font-weight: 600; font-size: 12.5px; text-anchor: middle; }
.key svg { display: inline-block; width: 24px; height: 16px; vertical-align: middle; margin-right: 6px; }`

/** Part of a polygon where `height` is not below 0 (Sutherland and Hodgman, 1974). */
function clipped(points: readonly Vector[], height: (p: Vector) => number): Vector[] {
  const out: Vector[] = []
  points.forEach((p, i) => {
    const q = points[(i + 1) % points.length]
    const [g, h] = [height(p), height(q)]
    if (g >= 0) out.push(p)
    if (g >= 0 !== h >= 0) {
      const s = g / (g - h)
      out.push([p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1]), p[2] + s * (q[2] - p[2])])
    }
  })
  return out
}

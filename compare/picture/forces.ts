/**
 * The robots of a moment with what their contacts carry: collision shapes from the right, the front and above, each contact's
 * force as an arrow from its point. SVG as text; the page that holds it states colours as CSS variables.
 */
import { escapeHtml } from '../report/html.ts'
import type { ContactForce, DrawnShape, Snapshot } from '../snapshot.ts'
import { significant } from '../verdict.ts'
import { labelSize, placeLabels, widthOf } from './labels.ts'
import { clipped, hidingOf, type PaintedFace, paintOrder, visibleFaces } from './paint.ts'
import { Lines, lineOf, round } from './svg.ts'
import { across, at, cross, dot, lengthOf, minus, plus, unit, type Vector } from './vector.ts'
import { project, threeQuarter, type View } from './view.ts'

export interface PictureSize {
  readonly width: number
  readonly height: number
}

/** What pictures that are to be compared share. */
export interface ForceScale {
  /** Units of the picture for a metre and for a newton, both across the line of sight. */
  readonly metre: number
  readonly newton: number
  /** What the bar for forces stands for, pointing up in the world [N]. */
  readonly bar: number
}

/** How many hues and shades the style sheet has for faces. */
export const owners = 4
export const shades = 7

const view = threeQuarter
/** Kept free around the robots, in the units of the picture: above, below, beside. */
const air = { top: 26, bottom: 34, side: 22 } as const
/** The longest arrow, as a part of the picture's height. */
const longestArrow = 0.4
/** The ground is drawn so far beyond what stands on it, as a part of that. */
const border = 0.22
/** More labels would cover each other. */
const mostLabels = 8
/** An arrow shorter than this is a dot. */
const shortest = 3
const head = { length: 9, half: 4.2 } as const

const isFiniteVector = (v: readonly number[]) => v.every(Number.isFinite)
const hasShape = ({ vertices }: DrawnShape) => vertices.length > 0 && vertices.every(Number.isFinite)
const isDrawable = (contact: ContactForce) => isFiniteVector(contact.point) && isFiniteVector(contact.force)

/** What one contact's force is in the picture: from its point to its tip. */
export function arrowOf({ point, force }: ContactForce, place: (p: Vector) => readonly [number, number], scale: ForceScale) {
  const [x, y] = place(point)
  const [dx, dy] = project(view, force)
  return [x, y, x + scale.newton * dx, y - scale.newton * dy] as const
}

type Bounds = readonly [x0: number, y0: number, x1: number, y1: number]

/** Of the robots in the view; of their contacts where they have no shapes. */
function boundsOf({ shapes, contacts }: Snapshot): Bounds | undefined {
  const own = shapes.filter((shape) => shape.owner >= 0 && hasShape(shape))
  const points = own.flatMap(({ vertices }) => Array.from({ length: vertices.length / 3 }, (_, i) => at(vertices, i)))
  const seen = (points.length > 0 ? points : contacts.filter(isDrawable).map(({ point }) => point)).map((p) => project(view, p))
  if (seen.length === 0) return undefined
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const [x, y] of seen) {
    x0 = Math.min(x0, x)
    y0 = Math.min(y0, y)
    x1 = Math.max(x1, x)
    y1 = Math.max(y1, y)
  }
  return [x0, y0, x1, y1]
}

/** 1, 2 or 5 times a power of ten that is at most x. */
function roundBelow(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x) + 1e-9)
  const factor = [5, 2, 1].find((n) => n * power <= x * (1 + 1e-9)) ?? 1
  return Number((factor * power).toPrecision(1))
}

/**
 * One scale for all pictures: the first one's robots fill theirs, the longest arrow of all is not longer than a part of the height
 * and stays inside. An arrow eight times as long as the first one's longest is not waited for, and leaves the picture.
 */
export function forceScale(snapshots: readonly Snapshot[], { width, height }: PictureSize): ForceScale {
  const bounds = snapshots.map(boundsOf)
  const first = bounds.find((b) => b !== undefined) ?? [-0.5, -0.5, 0.5, 0.5]
  let [wide, tall] = [first[2] - first[0], first[3] - first[1]]
  for (const b of bounds) {
    // one that fell apart or flew away does not make the others small
    if (b === undefined || b[2] - b[0] > 2 * wide || b[3] - b[1] > 2 * tall) continue
    wide = Math.max(wide, b[2] - b[0])
    tall = Math.max(tall, b[3] - b[1])
  }
  const metre =
    Math.min((width - 2 * air.side) / Math.max(wide, 1e-6), (height - air.top - air.bottom) / Math.max(tall, 1e-6)) / 1.06
  const magnitudes = snapshots.map(({ contacts }) =>
    Math.max(0, ...contacts.filter(isDrawable).map(({ force }) => lengthOf(force))),
  )
  const lead = magnitudes.find((m) => m > 0) ?? 1
  const most = Math.min(Math.max(...magnitudes, 0) || 1, 8 * lead)
  let newton = (longestArrow * height) / most
  snapshots.forEach((snapshot, i) => {
    const place = placing(bounds[i], { metre, newton, bar: 0 }, { width, height })
    for (const contact of snapshot.contacts.filter(isDrawable)) {
      if (lengthOf(contact.force) > most) continue
      const [x, y, u, v] = arrowOf(contact, place, { metre, newton, bar: 0 })
      const fits = (from: number, to: number, low: number, high: number) =>
        to > high ? Math.max(0, high - from) / (to - from) : to < low ? Math.max(0, from - low) / (from - to) : 1
      const part = Math.min(fits(x, u, 6, width - 6), fits(y, v, 6, height - 6))
      if (part > 0.3) newton *= part // a contact outside the frame decides nothing
    }
  })
  return { metre, newton, bar: roundBelow((0.22 * height) / (newton * view.up[2])) }
}

/** From the world to the picture: the middle of the robots is in the middle. */
function placing(
  bounds: Bounds | undefined,
  { metre }: ForceScale,
  { width, height }: PictureSize,
): (p: Vector) => [number, number] {
  const [x0, y0, x1, y1] = bounds ?? [0, 0, 0, 0]
  const cx = 0.5 * width
  const cy = 0.5 * (air.top + height - air.bottom)
  return (p) => {
    const [x, y] = project(view, p)
    return [cx + metre * (x - 0.5 * (x0 + x1)), cy - metre * (y - 0.5 * (y0 + y1))]
  }
}

/** From where bodies are looked at, and where that is in the picture. */
export interface Camera {
  readonly view: View
  /** From the world to the picture: x to the right, y down. */
  readonly place: (p: Vector) => readonly [number, number]
  /** Units of the picture for a metre across the line of sight. */
  readonly metre: number
}

/** Where a snapshot's points are in its picture. */
export function placeOf(snapshot: Snapshot, scale: ForceScale, size: PictureSize): (p: Vector) => readonly [number, number] {
  return placing(boundsOf(snapshot), scale, size)
}

interface About {
  /** Class of the face. */
  readonly paint: string
  /** Lines on it. */
  readonly marks: string
}

/**
 * @param id unique in its page
 * @param title what is read to whoever does not see it
 */
export function forcePicture(
  snapshot: Snapshot,
  scale: ForceScale,
  size: PictureSize,
  { id, title, hasLabels }: { readonly id: string; readonly title: string; readonly hasLabels: boolean },
): string {
  const { width, height } = size
  const place = placeOf(snapshot, scale, size)
  const shown = snapshot.contacts.filter(isDrawable).filter(({ force }) => lengthOf(force) > 0)
  const arrows = shown.map((contact) => arrowOf(contact, place, scale))
  const isCrowded = shown.length > 40
  const parts = [
    `<defs><clipPath id="${id}-clip"><rect width="${width}" height="${height}" rx="6"/></clipPath></defs>`,
    `<g clip-path="url(#${id}-clip)">`,
    ...bodiesOf(snapshot, { view, place, metre: scale.metre }, size),
    `<g class="forces${isCrowded ? ' crowded' : ''}">`,
    ...shown.map((contact, i) => arrow(contact, arrows[i], snapshot)),
    '</g>',
    hasLabels ? labels(snapshot, shown, arrows, size) : '',
    '</g>',
    bars(scale, size, shown.length > 0),
  ]
  return `<svg class="robot-picture" id="${id}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(title)}">${parts.filter((part) => part !== '').join('\n')}</svg>`
}

/** The shapes of a moment: their faces from the farthest to the nearest, and the lines of them that are seen. */
export function bodiesOf(snapshot: Snapshot, { view, place, metre }: Camera, { width, height }: PictureSize): string[] {
  // coordinates of the picture with y upwards, as the order of painting wants them; z in the same unit
  const to = (p: Vector): Vector => {
    const [x, y] = place(p)
    return [x, -y, metre * project(view, p)[2]]
  }
  const inside = [
    ([x]: Vector) => x + 40,
    ([x]: Vector) => width + 40 - x,
    ([, y]: Vector) => 40 - y,
    ([, y]: Vector) => y + height + 40,
  ]
  const crop = (points: readonly Vector[]) => inside.reduce<readonly Vector[]>((rest, side) => clipped(rest, side), points)

  const solids: PaintedFace<About>[] = []
  const surroundings: PaintedFace<About>[] = []
  const edges: { readonly ends: readonly [Vector, Vector]; readonly kind: string; readonly isFixture: boolean }[] = []
  const light = lightFor(view)
  snapshot.shapes.forEach((shape, body) => {
    if (shape.plane !== undefined) {
      solids.push(...ground(shape, body, snapshot, view, to))
      return
    }
    if (!hasShape(shape)) return
    const { vertices, faces, crease, owner, type } = shape
    const corners = Array.from({ length: vertices.length / 3 }, (_, i) => at(vertices, i))
    const normals = faces.map((loop) => normalOf(corners, loop))
    const facing = normals.map((n) => dot(n, view.toward) > 1e-6)
    const isFixture = owner < 0
    const isTerrain = type === 'heightfield'
    const isConvexBody = type !== 'mesh' && type !== 'heightfield'
    faces.forEach((loop, f) => {
      if (!facing[f]) return
      const points = crop([...loop].map((i) => to(corners[i])))
      if (points.length < 3) return
      const paint = isFixture
        ? `fixture${isTerrain ? ' terrain' : ''} k${shadeOf(normals[f], light)}`
        : `o${owner % owners} k${shadeOf(normals[f], light)}`
      const face = { points, body, isConvexBody, about: { paint, marks: '' } }
      if (isFixture && !isTerrain) surroundings.push(face)
      else solids.push(face)
    })
    for (const [a, b, f, g] of edgesOf(faces)) {
      const isOutline = g < 0 ? facing[f] : facing[f] !== facing[g]
      const isSharp = g >= 0 && facing[f] && facing[g] && dot(normals[f], normals[g]) < crease
      if (!isOutline && !isSharp) continue
      edges.push({ ends: [to(corners[a]), to(corners[b])], kind: isOutline ? 'outline' : 'edge', isFixture })
    }
  })

  const hiding = hidingOf(solids)
  const hidingAll = surroundings.length > 0 ? hidingOf([...solids, ...surroundings]) : hiding
  const order = paintOrder([...visibleFaces(solids, hiding), ...surroundings], Math.max(width, height))
  const lines = new Lines()
  for (const { ends, kind, isFixture } of edges) {
    const cut = crossing(ends, inside)
    if (cut === undefined) continue
    for (const { from, to: end, isSeen } of (isFixture ? hidingAll : hiding).strokes(...cut)) {
      if (isSeen) lines.add(isFixture ? `${kind} of-fixture` : kind, [from[0], -from[1], end[0], -end[1]])
    }
  }
  return [painted(order), lines.toString()]
}

/** From the eye, above and a little left. */
const lightFor = ({ toward, up, right }: View) => unit(plus(plus(toward, up, 0.9), right, -0.35))

function shadeOf(normal: Vector, light: Vector): number {
  const brightness = Math.max(0, dot(normal, light))
  return Math.min(shades - 1, Math.floor((1 - brightness) * shades))
}

function normalOf(corners: readonly Vector[], loop: Int32Array): Vector {
  let sum: Vector = [0, 0, 0]
  for (let k = 2; k < loop.length; k++) {
    const [o, a, b] = [corners[loop[0]], corners[loop[k - 1]], corners[loop[k]]]
    sum = plus(sum, cross(minus(a, o), minus(b, o)))
  }
  return lengthOf(sum) > 0 ? unit(sum) : [0, 0, 0]
}

/** Both ends and both faces, -1 for a missing second one. */
function edgesOf(faces: readonly Int32Array[]): [number, number, number, number][] {
  const known = new Map<string, [number, number, number, number]>()
  faces.forEach((loop, f) => {
    loop.forEach((a, k) => {
      const b = loop[(k + 1) % loop.length]
      const key = a < b ? `${a} ${b}` : `${b} ${a}`
      const edge = known.get(key)
      if (edge === undefined) known.set(key, [a, b, f, -1])
      else edge[3] = f
    })
  })
  return [...known.values()]
}

/** A piece of a half-space's plane under what stands there, with a grid of round lengths. */
function ground(
  { plane }: DrawnShape,
  body: number,
  { shapes }: Snapshot,
  view: View,
  to: (p: Vector) => Vector,
): PaintedFace<About>[] {
  const { normal, offset } = plane as NonNullable<DrawnShape['plane']>
  if (dot(normal, view.toward) < 0.05) return []
  const u = unit(across(Math.abs(normal[0]) < 0.9 ? [1, 0, 0] : [0, 0, 1], normal))
  const w = cross(normal, u)
  let [u0, u1, w0, w1] = [Infinity, -Infinity, Infinity, -Infinity]
  const reach = (of: (shape: DrawnShape) => boolean, limit: number) => {
    const [low, high] = [
      [u0 - limit, w0 - limit],
      [u1 + limit, w1 + limit],
    ]
    const isFree = !(u1 >= u0)
    for (const { vertices } of shapes.filter((shape) => of(shape) && hasShape(shape))) {
      for (let i = 0; i < vertices.length / 3; i++) {
        const p = at(vertices, i)
        const [x, y] = [dot(u, p), dot(w, p)]
        const within = (value: number, k: number) => (isFree ? value : Math.min(high[k], Math.max(low[k], value)))
        u0 = Math.min(u0, within(x, 0))
        u1 = Math.max(u1, within(x, 0))
        w0 = Math.min(w0, within(y, 1))
        w1 = Math.max(w1, within(y, 1))
      }
    }
  }
  reach(({ owner }) => owner >= 0, 0)
  if (!(u1 >= u0)) [u0, u1, w0, w1] = [-0.5, 0.5, -0.5, 0.5]
  const around = Math.max(u1 - u0, w1 - w0, 1e-3)
  // obstacles stand on it too, as far as they are near
  reach(({ owner }) => owner < 0, 0.5 * around)
  const step = roundBelow((1 + 2 * border) * around * 0.21)
  const low = [u0 - border * around, w0 - border * around]
  const high = [u1 + border * around, w1 + border * around]
  const corner = (x: number, y: number): Vector =>
    plus(plus([offset * normal[0], offset * normal[1], offset * normal[2]], u, x), w, y)
  const path = new Lines()
  const line = (p: Vector, q: Vector) => {
    const [a, b] = [to(p), to(q)]
    path.add('grid-line', [a[0], -a[1], b[0], -b[1]])
  }
  for (let k = Math.ceil(low[0] / step); k * step <= high[0]; k++) line(corner(k * step, low[1]), corner(k * step, high[1]))
  for (let k = Math.ceil(low[1] / step); k * step <= high[1]; k++) line(corner(low[0], k * step), corner(high[0], k * step))
  const points = [corner(low[0], low[1]), corner(high[0], low[1]), corner(high[0], high[1]), corner(low[0], high[1])].map(to)
  return [{ points, body, isConvexBody: true, isWhole: true, about: { paint: 'floor', marks: path.toString() } }]
}

/** The part of a line that is inside all the sides; undefined if there is none. */
function crossing([p, q]: readonly [Vector, Vector], inside: readonly ((p: Vector) => number)[]): [Vector, Vector] | undefined {
  let [low, high] = [0, 1]
  for (const side of inside) {
    const [g, h] = [side(p), side(q)]
    if (g < 0 && h < 0) return undefined
    if (g < 0) low = Math.max(low, g / (g - h))
    if (h < 0) high = Math.min(high, g / (g - h))
  }
  const way = minus(q, p)
  return low < high ? [plus(p, way, low), plus(p, way, high)] : undefined
}

const tenth = (x: number) => String(Math.round(10 * x) / 10 + 0)

/** Faces of one paint that follow each other are one path. */
function painted(order: readonly PaintedFace<About>[]): string {
  const out: string[] = []
  let last = ''
  let path = ''
  const end = () => {
    if (path !== '') out.push(`<path class="face ${last}" d="${path}"/>`)
    path = ''
  }
  for (const { points, about } of order) {
    if (about.paint !== last) end()
    last = about.paint
    path += `M${points.map(([x, y]) => `${tenth(x)} ${tenth(-y)}`).join('L')}Z`
    if (about.marks === '') continue
    end()
    out.push(about.marks)
  }
  end()
  return out.join('\n')
}

/** A contact in words, for whoever points at its arrow. */
function wordsOf({ a, b, force, impact, normal, gap }: ContactForce): string {
  const n = dot(force, normal)
  const t = lengthOf(plus(force, normal, -n))
  const hit = lengthOf(impact)
  const pair = a === '' ? '' : `${b} on ${a}: `
  return `${pair}${significant(n, 3)} N along the normal, ${significant(t, 3)} N of friction, gap ${significant(1e3 * gap, 3)} mm${hit > 0 ? `, besides an impact of ${significant(hit, 3)} N s` : ''}`
}

function arrow(contact: ContactForce, [x, y, u, v]: readonly number[], { shapes }: Snapshot): string {
  const words = `<title>${escapeHtml(wordsOf(contact))}</title>`
  const dot = `<circle class="point" cx="${tenth(x)}" cy="${tenth(y)}" r="2.4"/>`
  const both = shapes.find(({ name }) => name === contact.a)
  const isBetween = both !== undefined && both.owner >= 0
  const ends = [[u, v], ...(isBetween ? [[2 * x - u, 2 * y - v]] : [])]
  const shafts = ends.flatMap(([tx, ty]) => {
    const length = Math.hypot(tx - x, ty - y)
    if (length < shortest) return []
    const [dx, dy] = [(tx - x) / length, (ty - y) / length]
    const back = Math.min(head.length, 0.5 * length)
    const half = (head.half * back) / head.length
    const [bx, by] = [tx - back * dx, ty - back * dy]
    const tip = `M${round(tx)} ${round(ty)}L${tenth(bx - half * dy)} ${tenth(by + half * dx)}L${tenth(bx + half * dy)} ${tenth(by - half * dx)}Z`
    return [lineOf([x, y, bx, by], 'halo'), lineOf([x, y, bx, by], 'shaft'), `<path class="tip" d="${tip}"/>`]
  })
  return `<g class="contact${isBetween ? ' between' : ''}">${words}${shafts.join('')}${dot}</g>`
}

/** Newtons beside the tips; of many contacts, the sum of each shape's beside its longest arrow. */
function labels(
  { shapes }: Snapshot,
  shown: readonly ContactForce[],
  arrows: readonly (readonly number[])[],
  { width, height }: PictureSize,
): string {
  const sizes = shown.map(({ force }) => lengthOf(force))
  const groups = new Map<string, number[]>()
  shown.forEach(({ b }, i) => {
    const key = shown.length > mostLabels ? b : String(i)
    groups.set(key, [...(groups.get(key) ?? []), i])
  })
  const total = (list: readonly number[]) =>
    lengthOf(list.map((i) => shown[i].force as Vector).reduce<Vector>((sum, f) => plus(sum, f), [0, 0, 0]))
  const told = [...groups.values()].sort((p, q) => total(q) - total(p)).slice(0, mostLabels)
  const list = told
    .filter((members) => total(members) > 0.004 * Math.max(...told.map(total)))
    .map((members) => {
      const longest = members.reduce((best, i) => (sizes[i] > sizes[best] ? i : best))
      return { text: `${significant(total(members), 3)} N`, x: arrows[longest][2], y: arrows[longest][3] }
    })
  if (shapes.length === 0 || list.length === 0) return ''
  const frame = { left: 4, top: 4, right: width - 4, bottom: height - 4 }
  return placeLabels(
    list,
    frame,
    list.map(({ x, y }) => [x, y] as const),
    [...arrows, ...arrows, ...arrows, ...arrows],
  )
    .map(({ text, left, baseline, x, y, isFar }) => {
      const words = `<text class="force-label" x="${tenth(left)}" y="${tenth(baseline)}">${text}</text>`
      if (!isFar) return words
      const side = left > x ? left - 0.5 * widthOf(text) : left + 0.5 * widthOf(text)
      return `${lineOf([x, y, side, baseline - 0.36 * labelSize], 'leader')}${words}`
    })
    .join('\n')
}

/** A length across the picture, and a force that points up in the world. */
function bars({ metre, newton, bar }: ForceScale, { width, height }: PictureSize, hasForces: boolean): string {
  const length = roundBelow((0.2 * width) / metre)
  const text =
    length >= 1
      ? `${significant(length, 3)} m`
      : length >= 0.01
        ? `${significant(100 * length, 3)} cm`
        : `${significant(1e3 * length, 3)} mm`
  const [x, y] = [12, height - 12]
  const tall = newton * bar * view.up[2]
  const fx = width - 16
  const tip = y - tall
  const ofLength = [
    `<path class="scale" d="M${x} ${y - 4}v4H${tenth(x + length * metre)}v-4"/>`,
    `<text class="scale-label" x="${x + 5}" y="${y - 6}">${text}</text>`,
  ]
  if (!hasForces) return ofLength.join('\n')
  return [
    ...ofLength,
    `<g class="forces force-bar" data-newton="${bar}">`,
    lineOf([fx, y, fx, tip + head.length], 'shaft'),
    `<path class="tip" d="M${fx} ${round(tip)}L${fx - head.half} ${round(tip + head.length)}L${fx + head.half} ${round(tip + head.length)}Z"/>`,
    '</g>',
    `<text class="scale-label" text-anchor="end" x="${fx - 8}" y="${y}">${significant(bar, 3)} N</text>`,
  ].join('\n')
}

/** For tests: the camera of these pictures. */
export const forceView: View = view

import { planarHull } from '../../../contact/geometry/index.ts'
import { featurePolyhedron, type Vector } from '../contactsAt.ts'
import type { Pair, PairBody } from '../pairFile.ts'
import type { Frame, Rectangle } from './frame.ts'
import { type Label, placeLabels, widthOf } from './labels.ts'
import { type Features, type Link, type Mark, millimetres, type Reading } from './reading.ts'
import { crossings, type Solid } from './solid.ts'
import { Lines, lineOf, round } from './svg.ts'
import { at, dot, minus, plus, unit } from './vector.ts'
import { Hiding, project, type Stroke, type View } from './view.ts'

/** Lengths of normals across the line of sight, in units of the picture. */
const longArrow = 44
const shortArrow = 30
/** Normals of which less is seen, as a part of their length, are not drawn. */
const endOn = 0.12

/** More labels would cover each other. */
const mostLabels = 8
/** Shade of a face that the light does not reach, and number of steps of a shade. */
const darkest = 0.2
const shadeSteps = 100

/** The bodies from one side. */
export class Scene {
  readonly id: string
  /** Drawn once, and used by all readings. */
  readonly bodies: string
  readonly #pair: Pair
  readonly #view: View
  readonly #frame: Frame
  readonly #panel: Rectangle
  readonly #hiding: Hiding
  /** Lines of the bodies in the picture, that labels keep off: x1, y1, x2, y2. */
  readonly #lines: number[][] = []

  constructor(id: string, pair: Pair, solids: readonly [Solid, Solid], view: View, frame: Frame, panel: Rectangle) {
    this.id = id
    this.#pair = pair
    this.#view = view
    this.#frame = frame
    this.#panel = panel
    this.#hiding = new Hiding(view, solids)
    const hidden = new Lines()
    const seen = new Lines()
    for (const [i, solid] of solids.entries()) {
      for (const { strokes, isOutline } of this.#edges(solid)) {
        for (const stroke of strokes) {
          const line = this.#line(stroke)
          if (stroke.isSeen) this.#lines.push(line)
          if (stroke.isSeen) seen.add(`of-${'ab'[i]} ${isOutline ? 'outline' : 'edge'}`, line)
          else hidden.add(`of-${'ab'[i]} hidden`, line)
        }
      }
    }
    for (const [p, q] of crossings(...solids)) {
      for (const stroke of this.#hiding.strokes(p, q)) seen.add(stroke.isSeen ? 'cut' : 'cut hidden', this.#line(stroke))
    }
    this.bodies = [...solids.map((solid, i) => this.#surfaceOf(solid, 'ab'[i])), hidden.toString(), seen.toString()].join('\n')
  }

  /** From view to picture. */
  #place([x, y]: Vector): [number, number] {
    const { x: left, y: top, width: w, height: h } = this.#panel
    const { x: cx, y: cy, scale } = this.#frame
    return [left + 0.5 * w + scale * (x - cx), top + 0.5 * h - scale * (y - cy)]
  }

  #line({ from, to }: Stroke): number[] {
    return [...this.#place(from), ...this.#place(to)]
  }

  #facing({ normals }: Solid, face: number): number {
    return face < 0 ? 0 : dot(normals[face], this.#view.toward)
  }

  /** Sharp edges, and of curves the outline. */
  #edges(solid: Solid): { strokes: Stroke[]; isOutline: boolean }[] {
    const out = []
    for (const { ends, faces, isSharp } of solid.edges) {
      const [f, g] = faces.map((face) => this.#facing(solid, face) > 1e-9)
      const isOutline = f !== g || solid.isPlane
      if (!isSharp && !isOutline) continue
      out.push({ strokes: this.#hiding.strokes(solid.vertices[ends[0]], solid.vertices[ends[1]]), isOutline })
    }
    return out
  }

  /** A tint within the outline, and shades on faces away from the light; of a plane seen from its edge, hatching. */
  #surfaceOf(solid: Solid, name: string): string {
    const { vertices, faces, normals, isPlane } = solid
    const points = vertices.map((p) => project(this.#view, p))
    const loopOf = (list: readonly Vector[]) => `M${list.map((p) => this.#place(p).map(round).join(' ')).join('L')}Z`
    const polygon = (list: readonly Vector[], kind: string) => `<path class="${kind}" d="${loopOf(list)}"/>`
    if (isPlane && Math.abs(dot(normals[0], this.#view.toward)) < 0.02) {
      const depth = 9 / this.#frame.scale
      const n = minus(project(this.#view, normals[0]), [0, 0, 0])
      const [p, q] = extremes(points, [-n[1], n[0], 0])
      return polygon([p, q, plus(q, n, -depth), plus(p, n, -depth)], `of-${name} hatch`)
    }
    const { toward, up, right } = this.#view
    const light = unit(plus(plus(toward, up, 0.8), right, -0.25))
    const front = faces.map((_, f) => f).filter((f) => this.#facing(solid, f) > 1e-6)
    const pathOf = (f: number) => loopOf([...faces[f]].map((i) => points[i]))
    const shades = new Map<string, string>()
    for (const f of isPlane ? [] : front) {
      const shade = round(Math.round(shadeSteps * darkest * (1 - Math.max(0, dot(normals[f], light)))) / shadeSteps)
      if (shade !== '0') shades.set(shade, `${shades.get(shade) ?? ''}${pathOf(f)}`)
    }
    const isConvex = this.#pair[name as 'a' | 'b'].convex !== undefined
    const outline = isConvex ? loopOf(planarHull(points)) : front.map(pathOf).join('')
    return [
      `<path class="of-${name} tint" d="${outline}"/>`,
      ...[...shades].map(([shade, path]) => `<path class="shade" d="${path}" opacity="${shade}"/>`),
    ].join('\n')
  }

  /** One panel. */
  draw(reading: Reading, kind: 'three-quarter' | 'side', hasScale: boolean): string {
    const { x, y, width, height } = this.#panel
    const { a, b } = this.#pair
    const marks = reading.marks.filter(({ point }) => this.#shows(point))
    return [
      `<g class="${kind}" clip-path="url(#clip-${kind})">`,
      `<rect class="panel" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="4"/>`,
      `<use href="#${this.id}"/>`,
      this.#features(a, reading.featuresA, 'a'),
      this.#features(b, reading.featuresB, 'b'),
      ...reading.links.map((link) => this.#link(link)),
      ...marks.map((mark) => this.#barAndArrow(mark)),
      ...marks.map(({ kind, point, isFaint }) => symbol(kind, ...this.#place(project(this.#view, point)), isFaint)),
      kind === 'side' ? this.#labels(marks) : '',
      hasScale ? this.#scaleBar() : '',
      '</g>',
    ]
      .filter((part) => part !== '')
      .join('\n')
  }

  #shows(point: Vector): boolean {
    const { x, y, width, height } = this.#panel
    const [px, py] = this.#place(project(this.#view, point))
    return px >= x && px <= x + width && py >= y && py <= y + height
  }

  #features(body: PairBody, { vertices, edges, faces }: Features, name: string): string {
    if (vertices.size + edges.size + faces.size === 0) return ''
    const polyhedron = featurePolyhedron(body)
    if (polyhedron === undefined) return ''
    const world = (i: number): Vector => {
      const v = at(polyhedron.vertices, i)
      return plus([body.p[0], body.p[1], body.p[2]], [dot(at(body.R, 0), v), dot(at(body.R, 1), v), dot(at(body.R, 2), v)])
    }
    const place = (i: number) => this.#place(project(this.#view, world(i)))
    return [
      ...[...faces].map((f) => {
        const path = [...polyhedron.faces[f]].map((i) => place(i).map(round).join(' '))
        return `<path class="of-${name} face" d="M${path.join('L')}Z"/>`
      }),
      ...[...edges].flatMap((e) =>
        this.#hiding
          .strokes(world(polyhedron.edges[2 * e]), world(polyhedron.edges[2 * e + 1]))
          .map((stroke) => lineOf(this.#line(stroke), `of-${name} feature-edge${stroke.isSeen ? '' : ' hidden'}`)),
      ),
      ...[...vertices].map((i) => {
        const [x, y] = place(i)
        return `<circle class="of-${name} vertex" cx="${round(x)}" cy="${round(y)}" r="3.4"/>`
      }),
    ].join('\n')
  }

  /** A normal that is not seen from its end, as a line in the picture. */
  #arrow({ point, normal, bar, kind, hasArrow }: Mark): number[] | undefined {
    const along = project(this.#view, normal)
    if (!hasArrow || Math.hypot(along[0], along[1]) < endOn) return undefined
    // beyond the gap, so that both are seen
    const [from, to] = bar ?? [point, point]
    const [x, y] = this.#place(project(this.#view, dot(normal, to) > dot(normal, from) ? to : from))
    const length = kind === 'on-a' || kind === 'deepest' ? longArrow : shortArrow
    return [x, y, x + length * along[0], y - length * along[1]]
  }

  #link({ from, to, pushes, isWithin }: Link): string {
    const ends = [from, to].flatMap((end) => this.#place(project(this.#view, end)))
    return lineOf(ends, `link${isWithin ? ' within' : ''}${pushes ? '' : ' holds'}`)
  }

  #barAndArrow(mark: Mark): string {
    const out: string[] = []
    if (mark.bar !== undefined) {
      const [from, to] = mark.bar.map((end) => this.#place(project(this.#view, end)))
      if (Math.hypot(to[0] - from[0], to[1] - from[1]) > 2) out.push(lineOf([...from, ...to], 'gap'))
    }
    const arrow = this.#arrow(mark)
    if (arrow !== undefined) out.push(lineOf(arrow, 'normal', 'marker-end="url(#tip)"'))
    return out.join('\n')
  }

  /** Gaps, of points that coincide once. */
  #labels(marks: readonly Mark[]): string {
    const { x, y, width, height } = this.#panel
    const places = marks.map(({ point }) => this.#place(project(this.#view, point)))
    const groups: LabelGroup[] = []
    marks.forEach(({ gap }, i) => {
      if (gap === undefined) return
      const [px, py] = places[i]
      const text = millimetres(gap)
      const same = groups.find(({ label }) => label.text === text && Math.hypot(label.x - px, label.y - py) < 5)
      if (same) same.count++
      else groups.push({ label: { text, x: px, y: py }, gap, count: 1 })
    })
    const labels = wordsFor(groups)
    const frame = { left: x + 3, right: x + width - 3, top: y + 3, bottom: y + height - 3 }
    // nothing may be written across an arrow
    const arrows = marks.map((mark) => this.#arrow(mark)).filter((arrow) => arrow !== undefined)
    return placeLabels(labels, frame, places, [...this.#lines, ...arrows, ...arrows, ...arrows, ...arrows])
      .map(({ text, left, baseline, x: px, y: py, isFar }) => {
        const words = `<text class="gap-label" x="${round(left)}" y="${round(baseline)}">${text}</text>`
        if (!isFar) return words
        const side = left > px ? left - 0.5 * widthOf(text) : left + 0.5 * widthOf(text)
        return `${lineOf([px, py, side, baseline - 4], 'leader')}\n${words}`
      })
      .join('\n')
  }

  /** A length of 1, 2 or 5 times a power of ten that is about a quarter of the panel wide. */
  #scaleBar(): string {
    const { x, y, height: h } = this.#panel
    const wanted = 70 / this.#frame.scale
    const power = 10 ** Math.floor(Math.log10(wanted))
    const length = [5, 2, 1].map((n) => n * power).find((n) => n <= wanted * 1.001) ?? power
    const [left, bottom] = [x + 12, y + h - 12]
    const right = left + length * this.#frame.scale
    const text = length >= 1 ? `${Number(length.toPrecision(1))} m` : `${Number((1e3 * length).toPrecision(1))} mm`
    return [
      `<path class="scale" d="M${round(left)} ${round(bottom - 4)}v4H${round(right)}v-4"/>`,
      `<text class="small" x="${round(0.5 * (left + right))}" y="${round(bottom - 6)}">${text}</text>`,
    ].join('\n')
  }
}

interface LabelGroup {
  readonly label: Label
  /** In metres. */
  readonly gap: number
  count: number
}

/** Equal gaps are labelled once; of many, the least and the greatest. */
function wordsFor(groups: readonly LabelGroup[]): Label[] {
  const [first] = groups
  if (groups.length > 1 && groups.every(({ label }) => label.text === first.label.text))
    return [{ ...first.label, text: `each ${first.label.text}` }]
  const byGap = [...groups].sort((g, h) => g.gap - h.gap)
  const told = groups.length > mostLabels ? [byGap[0], byGap[byGap.length - 1]] : groups
  return told.map(({ label, count }) => (count > 1 ? { ...label, text: `${label.text} (${count})` } : label))
}

/** The two points that lie farthest apart along a direction. */
function extremes(points: readonly Vector[], direction: Vector): [Vector, Vector] {
  const sorted = [...points].sort((p, q) => dot(p, direction) - dot(q, direction))
  return [sorted[0], sorted[sorted.length - 1]]
}

export function symbol(kind: Mark['kind'], x: number, y: number, isFaint = false): string {
  const name = `mark ${kind}${isFaint ? ' faint' : ''}`
  const [cx, cy] = [round(x), round(y)]
  switch (kind) {
    case 'edge-edge':
      return `<path class="${name}" d="M${round(x - 4)} ${round(y - 4)}l8 8m-8 0l8 -8"/>`
    case 'deepest':
      return `<circle class="${name}" cx="${cx}" cy="${cy}" r="7"/>`
    case 'bottom-point':
      return `<path class="${name}" d="M${round(x - 4.5)} ${round(y - 4)}h9l-4.5 8z"/>`
    default:
      return `<circle class="${name}" cx="${cx}" cy="${cy}" r="${isFaint ? 2.6 : 4}"/>`
  }
}

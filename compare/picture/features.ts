/**
 * The feature contacts of a moment: two shapes close up, with a mark for each contact and lines that join those of a constraint. SVG as
 * text; the page that holds it states the colours, see `featureStyle`.
 */
import { constraintKind, constraintLinks, contactRole, type FeatureMoment, featureKind } from '../../contact/index.ts'
import { featureKinds } from '../contactsAt.ts'
import { escapeHtml } from '../report/html.ts'
import type { DrawnShape, Snapshot } from '../snapshot.ts'
import { significant } from '../verdict.ts'
import { bodiesOf, type PictureSize } from './forces.ts'
import { placeLabels, widthOf } from './labels.ts'
import { lineOf, round } from './svg.ts'
import { at, cross, lengthOf, minus, plus, unit, type Vector } from './vector.ts'
import { project, sideView, type View, viewFrom } from './view.ts'

/** The contacts of two shapes, by their numbers in the moment. */
export interface FeaturePair {
  /** Names of the shapes. */
  readonly a: string
  readonly b: string
  readonly contacts: readonly number[]
  /** Numbers of its constraints. */
  readonly constraints: readonly number[]
}

/** Colours that stand for roles differ in lightness too, so that they are told apart without hue. */
export const featureStyle = {
  light:
    '--f-idle: #757d86; --f-passed: #0072b2; --f-active: #00402e; --f-pushing: #d13a00; --f-gap: #00795a; --f-overlap: #a3005c; --f-link: #1c1f23; --f-halo: #ffffff;',
  dark: '--f-idle: #98a1aa; --f-passed: #4aa8e8; --f-active: #9ff5d8; --f-pushing: #ff7a3d; --f-gap: #3fd3a2; --f-overlap: #ff7ab8; --f-link: #e8eaed; --f-halo: #14171a;',
  rules: `
.f-mark { stroke: var(--f-halo); stroke-width: .9; stroke-linejoin: round; } .f-mark.bar { fill: none; stroke-linecap: round; } .f-under { fill: none; stroke: var(--f-halo); stroke-linecap: round; }
.f-mark.idle { fill: var(--f-idle); } .f-mark.passed-by { fill: var(--f-passed); } .f-mark.active { fill: var(--f-active); } .f-mark.pushing { fill: var(--f-pushing); }
.f-mark.bar { fill: none; } .f-mark.bar.idle { stroke: var(--f-idle); } .f-mark.bar.passed-by { stroke: var(--f-passed); } .f-mark.bar.active { stroke: var(--f-active); } .f-mark.bar.pushing { stroke: var(--f-pushing); }
.f-link { fill: none; stroke: var(--f-link); stroke-width: 1; opacity: .7; } .f-link.cross { stroke-dasharray: 3 3; } .f-link.of-active { stroke: var(--f-active); stroke-width: 2.4; opacity: 1; }
.f-gap { stroke: var(--f-gap); stroke-width: 2.6; } .f-overlap { stroke: var(--f-overlap); stroke-width: 2.6; }
.f-label { font-size: 12px; font-weight: 650; text-anchor: middle; fill: var(--f-link); paint-order: stroke; stroke: var(--f-halo); stroke-width: 3.5px; stroke-linejoin: round; }
.f-key { font-size: 12px; fill: var(--f-link); }
`,
} as const

const roleNames = ['idle', 'passed-by', 'active'] as const
/** By role, in units of the picture; and of those that push. */
const sizes = [3, 3.8, 5] as const
const pushingSize = 7

/** Of shapes with contacts that a constraint names: those with a choice first, then those not on a plane, then those that push hardest. */
export function featurePairs({ contacts, shapes }: Snapshot, moment: FeatureMoment): FeaturePair[] {
  const planes = new Set(shapes.filter(({ plane }) => plane !== undefined).map(({ name }) => name))
  const { count, pair, force, constraints } = moment
  const pairs = new Map<
    number,
    { a: string; b: string; contacts: number[]; constraints: number[]; choice: number; load: number }
  >()
  for (let i = 0; i < count && i < contacts.length; i++) {
    const { a, b } = contacts[i]
    const known = pairs.get(pair[i]) ?? { a, b, contacts: [], constraints: [], choice: 0, load: 0 }
    known.contacts.push(i)
    known.load += force[i]
    pairs.set(pair[i], known)
  }
  const { kind, memberStart, contactStart, contact } = constraints
  for (let g = 0; g < kind.length; g++) {
    const own = pairs.get(pair[contact[contactStart[memberStart[g]]]])
    if (own === undefined) continue
    own.constraints.push(g)
    own.choice = Math.max(own.choice, memberStart[g + 1] - memberStart[g])
  }
  return [...pairs.values()]
    .filter(({ constraints: own }) => own.length > 0)
    .sort(
      (p, q) =>
        Number(q.choice > 1) - Number(p.choice > 1) ||
        Number(planes.has(p.a)) - Number(planes.has(q.a)) ||
        q.load - p.load ||
        q.choice - p.choice,
    )
}

/** What a pair's contacts have come to, in words. */
export function describePair(
  { contacts, constraints: own }: FeaturePair,
  { role, force, constraints, kind }: FeatureMoment,
): string {
  const { kind: kinds, memberStart } = constraints
  const names = [
    ['unilateral', constraintKind.unilateral],
    ['inter-contact', constraintKind.inter],
    ['cross-contact', constraintKind.cross],
  ] as const
  const told = names.flatMap(([name, k]) => {
    const n = own.filter((g) => kinds[g] === k).length
    return n === 0 ? [] : [`${n} ${name}`]
  })
  const members = own.reduce((sum, g) => sum + memberStart[g + 1] - memberStart[g], 0)
  const active = contacts.filter((i) => role[i] === contactRole.active)
  const pushing = active.filter((i) => force[i] > 0)
  const which = featureKinds.flatMap((name, k) => {
    const n = pushing.filter((i) => kind[i] === k).length
    return n === 0 ? [] : [`${n} ${name}`]
  })
  const what = pushing.length === 0 ? 'none pushes' : `${which.join(' and ')} ${pushing.length === 1 ? 'pushes' : 'push'}`
  const sum = `${told.join(', ')} ${own.length === 1 ? 'constraint' : 'constraints'} with ${counted(members, 'member')}`
  return `${counted(contacts.length, 'contact')}, ${sum}; ${active.length} active, ${what}`
}

const counted = (n: number, word: string) => `${n} ${word}${n === 1 ? '' : 's'}`

/** One pair of shapes from the side, a little from above, so near that its contacts are told apart. */
export function featurePicture(
  snapshot: Snapshot,
  moment: FeatureMoment,
  pair: FeaturePair,
  size: PictureSize,
  { id, title }: { readonly id: string; readonly title: string },
): string {
  const { width, height } = size
  const shapes = snapshot.shapes.filter(({ name }) => name === pair.a || name === pair.b)
  const view = viewOf(moment, pair, shapes)
  const { place, metre } = frameOf(moment, pair, shapes, view, size)
  const parts = [
    `<defs><clipPath id="${id}-clip"><rect width="${width}" height="${height}" rx="6"/></clipPath></defs>`,
    `<g clip-path="url(#${id}-clip)">`,
    ...bodiesOf({ ...snapshot, shapes }, { view, place, metre }, size),
    featureMarks(moment, pair, view, place),
    featureLabels(moment, pair, place, size),
    '</g>',
    lengthBar(metre, size),
  ]
  return `<svg class="robot-picture feature-picture" id="${id}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(title)}">${parts.filter((part) => part !== '').join('\n')}</svg>`
}

/** Along a tangent of the contact that pushes hardest, or else is active, and somewhat from above. */
function viewOf({ normal, force, role }: FeatureMoment, { contacts }: FeaturePair, shapes: readonly DrawnShape[]): View {
  const best = contacts.reduce((p, q) => ((force[q] - force[p] || role[q] - role[p]) > 0 ? q : p))
  const n = at(normal, best)
  const edges = shapes.filter(({ type }) => type === 'box').flatMap(boxEdges)
  const { toward } = sideView(n, edges)
  return viewFrom(plus(plus(toward, [0, 0, 1], 0.36), cross(toward, n), 0.22))
}

function boxEdges({ vertices, faces }: DrawnShape): Vector[] {
  const [loop] = faces
  if (loop === undefined) return []
  const corner = (k: number) => at(vertices, loop[k % loop.length])
  const edges = [minus(corner(1), corner(0)), minus(corner(2), corner(1))]
  return edges.filter((edge) => lengthOf(edge) > 0).map(unit)
}

/** Around the pair's contacts, with enough of its shapes to tell which they are. */
function frameOf(moment: FeatureMoment, { contacts }: FeaturePair, shapes: readonly DrawnShape[], view: View, size: PictureSize) {
  const seen = contacts.map((i) => project(view, at(moment.point, i)))
  const low = [0, 1].map((k) => Math.min(...seen.map((p) => p[k])))
  const high = [0, 1].map((k) => Math.max(...seen.map((p) => p[k])))
  const smallest = Math.min(...shapes.filter(({ vertices }) => vertices.length > 0).map(extentOf), 1)
  const spread = Math.max(high[0] - low[0], high[1] - low[1])
  // nearer where contacts are close to each other
  const least = smallest * (spread > 0.01 * smallest ? Math.max(0.15, Math.min(0.45, (5 * spread) / smallest)) : 0.45)
  const metre = Math.min(
    (0.72 * size.width) / Math.max(high[0] - low[0], least),
    (0.6 * size.height) / Math.max(high[1] - low[1], 0.5 * least),
  )
  const place = (p: Vector): readonly [number, number] => {
    const [x, y] = project(view, p)
    return [
      0.5 * size.width + metre * (x - 0.5 * (low[0] + high[0])),
      0.52 * size.height - metre * (y - 0.5 * (low[1] + high[1])),
    ]
  }
  return { place, metre }
}

/** The longest side of the box around a shape. */
function extentOf({ vertices }: DrawnShape): number {
  const low = [Infinity, Infinity, Infinity]
  const high = [-Infinity, -Infinity, -Infinity]
  vertices.forEach((x, i) => {
    low[i % 3] = Math.min(low[i % 3], x)
    high[i % 3] = Math.max(high[i % 3], x)
  })
  return Math.max(...high.map((x, k) => x - low[k]))
}

/** Lines of constraints, gaps, and the marks; those that matter most on top. */
export function featureMarks(
  moment: FeatureMoment,
  pair: FeaturePair,
  view: View,
  place: (p: Vector) => readonly [number, number],
): string {
  const { point, normal, gap, role, force, kind } = moment
  const own = new Set(pair.contacts)
  const links = constraintLinks(onlyOf(moment, pair))
    .sort((p, q) => Number(p.isActive) - Number(q.isActive))
    .map(({ from, to, kind: of, isActive }) =>
      lineOf(
        [...place(from), ...place(to)],
        `f-link${of === constraintKind.cross ? ' cross' : ''}${isActive && of !== constraintKind.cross ? ' of-active' : ''}`,
      ),
    )
  const gaps = pair.contacts.flatMap((i) => {
    const half = 0.5 * gap[i]
    const [p, n] = [at(point, i), at(normal, i)]
    const ends = [...place(plus(p, n, -half)), ...place(plus(p, n, half))]
    const isSeen = Math.hypot(ends[2] - ends[0], ends[3] - ends[1]) > 1.5
    return isSeen ? [lineOf(ends, gap[i] < 0 ? 'f-overlap' : 'f-gap')] : []
  })
  const rank = (i: number) => (force[i] > 0 ? 3 : role[i])
  const marks = [...own]
    .sort((i, j) => rank(i) - rank(j))
    .map((i) => {
      const towards = kind[i] === featureKind.faceVertex ? -1 : 1
      const [dx, dy] = project(view, at(normal, i))
      const across = Math.hypot(dx, dy)
      const way = across > 0.12 ? ([(towards * dx) / across, (-towards * dy) / across] as const) : undefined
      return featureMark(kind[i], role[i], force[i] > 0, place(at(point, i)), way, wordsOf(moment, i))
    })
  return `<g class="features">\n${[...links, ...gaps, ...marks].join('\n')}\n</g>`
}

/** The moment with no constraints but those of a pair. */
function onlyOf(moment: FeatureMoment, { constraints: own }: FeaturePair): FeatureMoment {
  const { kind, memberStart, pushing, contactStart, contact } = moment.constraints
  const out = { kind: [] as number[], memberStart: [0], pushing: [] as number[], contactStart: [0], contact: [] as number[] }
  for (const g of own) {
    for (let m = memberStart[g]; m < memberStart[g + 1]; m++) {
      out.contact.push(...contact.subarray(contactStart[m], contactStart[m + 1]))
      out.contactStart.push(out.contact.length)
    }
    out.kind.push(kind[g])
    out.pushing.push(pushing[g])
    out.memberStart.push(out.contactStart.length - 1)
  }
  return {
    ...moment,
    constraints: {
      kind: Uint8Array.from(out.kind),
      memberStart: Int32Array.from(out.memberStart),
      pushing: Int32Array.from(out.pushing),
      contactStart: Int32Array.from(out.contactStart),
      contact: Int32Array.from(out.contact),
    },
  }
}

/**
 * One mark: a triangle for a vertex, pointing at the face, a cross for two edges.
 *
 * @param way unit, in the picture: where a triangle points; undefined: along the line of sight, which makes it a disc
 */
export function featureMark(
  kind: number,
  role: number,
  pushes: boolean,
  [x, y]: readonly [number, number],
  way: readonly [number, number] | undefined,
  words = '',
): string {
  const name = pushes ? 'pushing' : roleNames[role]
  const r = pushes ? pushingSize : sizes[role]
  const title = words === '' ? '' : `<title>${escapeHtml(words)}</title>`
  if (kind === featureKind.edgeEdge) {
    const d = 0.78 * r
    const path = `M${round(x - d)} ${round(y - d)}L${round(x + d)} ${round(y + d)}M${round(x - d)} ${round(y + d)}L${round(x + d)} ${round(y - d)}`
    const line = round(0.3 * r + 0.9)
    return `<g class="f-contact ${name}">${title}<path class="f-under" d="${path}" stroke-width="${round(0.3 * r + 2.5)}"/><path class="f-mark bar ${name}" d="${path}" style="stroke-width:${line}"/></g>`
  }
  if (way === undefined)
    return `<g class="f-contact ${name}">${title}<circle class="f-mark ${name}" cx="${round(x)}" cy="${round(y)}" r="${round(0.8 * r)}"/></g>`
  const [dx, dy] = way
  const [bx, by] = [x - 1.9 * r * dx, y - 1.9 * r * dy]
  const path = `M${round(x)} ${round(y)}L${round(bx - r * dy)} ${round(by + r * dx)}L${round(bx + r * dy)} ${round(by - r * dx)}Z`
  return `<g class="f-contact ${name}">${title}<path class="f-mark ${name}" d="${path}"/></g>`
}

/** A contact in words, for whoever points at it. */
function wordsOf({ kind, featureA, featureB, gap, role, force }: FeatureMoment, i: number): string {
  const [a, b] = featureKinds[kind[i]].split('-')
  const became = force[i] > 0 ? `pushes with ${significant(force[i], 3)} N` : roleNames[role[i]].replace('-', ' ')
  return `${a} ${featureA[i]} of A, ${b} ${featureB[i]} of B: gap ${significant(1e3 * gap[i], 3)} mm, ${became}`
}

/** Newtons beside those that push hardest. */
function featureLabels(
  { point, force }: FeatureMoment,
  { contacts }: FeaturePair,
  place: (p: Vector) => readonly [number, number],
  { width, height }: PictureSize,
): string {
  const places = contacts.map((i) => place(at(point, i)))
  const list = contacts
    .map((i, k) => ({ text: `${significant(force[i], 3)} N`, x: places[k][0], y: places[k][1], force: force[i] }))
    .filter((label) => label.force > 0)
    .sort((p, q) => q.force - p.force)
    .slice(0, 4)
  return placeLabels(list, { left: 4, top: 4, right: width - 4, bottom: height - 24 }, places, [])
    .map(({ text, left, baseline, x, y, isFar }) => {
      const words = `<text class="f-label" x="${round(left)}" y="${round(baseline)}">${text}</text>`
      if (!isFar) return words
      const side = left > x ? left - 0.5 * widthOf(text) : left + 0.5 * widthOf(text)
      return `${lineOf([x, y, side, baseline - 4], 'leader')}${words}`
    })
    .join('\n')
}

function lengthBar(metre: number, { width, height }: PictureSize): string {
  const wanted = (0.2 * width) / metre
  const power = 10 ** Math.floor(Math.log10(wanted) + 1e-9)
  const length = [5, 2, 1].map((n) => n * power).find((n) => n <= wanted * (1 + 1e-9)) ?? power
  const text = length >= 0.01 ? `${significant(100 * length, 3)} cm` : `${significant(1e3 * length, 3)} mm`
  const y = height - 12
  return `<path class="scale" d="M12 ${y - 4}v4H${round(12 + length * metre)}v-4"/><text class="scale-label" x="17" y="${y - 6}">${text}</text>`
}

/** What the marks mean, in rows that are at most so wide. */
export function featureLegend(width: number): { readonly svg: string; readonly height: number } {
  const down = [0, 1] as const
  const entries: (readonly [draw: (x: number, y: number) => string, text: string])[] = [
    [(x, y) => featureMark(featureKind.faceVertex, 2, false, [x, y + 4], down), 'vertex or round surface, pointing at a face'],
    [(x, y) => featureMark(featureKind.edgeEdge, 2, false, [x, y], undefined), 'edge and edge'],
    [(x, y) => featureMark(0, 2, true, [x, y], undefined), 'pushes, with N along its normal'],
    [(x, y) => featureMark(0, contactRole.active, false, [x, y], undefined), 'active: stays apart'],
    [(x, y) => featureMark(0, contactRole.passedBy, false, [x, y], undefined), 'passed by: another stays apart'],
    [(x, y) => featureMark(0, contactRole.idle, false, [x, y], undefined), 'idle'],
    [(x, y) => lineOf([x - 8, y, x + 8, y], 'f-link'), 'one constraint'],
    [(x, y) => lineOf([x - 8, y, x + 8, y], 'f-link of-active'), 'to its active member'],
    [(x, y) => lineOf([x - 8, y, x + 8, y], 'f-link cross'), 'cross-contact constraint'],
    [(x, y) => lineOf([x - 3, y - 7, x - 3, y + 7], 'f-gap') + lineOf([x + 3, y - 7, x + 3, y + 7], 'f-overlap'), 'gap, overlap'],
  ]
  let [x, y] = [10, 12]
  const out = entries.map(([draw, text]) => {
    const wide = 24 + widthOf(text, 12) + 14
    if (x + wide > width && x > 10) [x, y] = [10, y + 20]
    const here = x
    x += wide
    return `${draw(here, y)}<text class="f-key" x="${round(here + 14)}" y="${round(y + 4)}">${text}</text>`
  })
  return { svg: `<g class="feature-legend">${out.join('\n')}</g>`, height: y + 12 }
}
